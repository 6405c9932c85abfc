# SPDX-License-Identifier: Apache-2.0
# Little memory. Debian's bzImage unpacks itself to 16 MiB and above and says
# in its header that it needs RAM up to 67.5 MiB: with 64 MiB it is refused
# with that number. (Its ELF form fits, and then has no memory left to unpack
# any initrd, in any VMM.) With 80 MiB it boots, and the initrd arrives
# unharmed (CASES C17: an initrd placed over the kernel, or too high).
. "$E2E/lib.sh"
machine 6.1-cloud bzImage poweroff --memory 64
expect_rc 2
grep -q 'at least 68 MiB' "$W/log" || fail "the refusal names no number"
INITRD=$E2E/guest/6.1-cloud/initrd-small BLOB=$E2E/blob-small
memory_case 80
