# SPDX-License-Identifier: Apache-2.0
# The ELF kernel enters by its PVH note.
. "$E2E/lib.sh"
machine 6.1-cloud vmlinux facts,poweroff --boot pvh
expect_rc 0
expect_fact release "$(cat "$E2E/guest/6.1-cloud/release")"
