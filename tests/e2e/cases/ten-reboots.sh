# SPDX-License-Identifier: Apache-2.0
# Ten reboots in a row with all walls on, on one disk (CASES C25). Each run of
# the guest counts itself on the disk's first sector.
# limit: 240
. "$E2E/lib.sh"
dd if=/dev/zero of="$W/disk" bs=1024 count=2048 2>/dev/null
for round in 1 2 3 4 5 6 7 8 9 10; do
	machine 6.1-cloud bzImage count:vda,reboot --disk "path=$W/disk"
	expect_rc 10
	expect_fact count $round
done
