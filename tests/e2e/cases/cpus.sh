# SPDX-License-Identifier: Apache-2.0
# Two and four virtual CPUs come up and are counted; one is case bzimage.
# limit: 150
. "$E2E/lib.sh"
for count in 2 4; do
	machine 6.1-cloud bzImage facts,poweroff --cpus $count
	expect_rc 0
	expect_fact cpus $count
done
