# SPDX-License-Identifier: Apache-2.0
# 64 MiB: the guest sees that much, and the initrd arrives unharmed
# (CASES C17: an initrd placed over the kernel, or too high).
. "$E2E/lib.sh"
memory_case 64
