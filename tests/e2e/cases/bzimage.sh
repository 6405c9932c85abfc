# SPDX-License-Identifier: Apache-2.0
# A stock bzImage boots, with its modules in the initrd, and powers off.
. "$E2E/lib.sh"
machine 6.1-cloud bzImage facts,poweroff
expect_rc 0
expect_fact release "$(cat "$E2E/guest/6.1-cloud/release")"
expect_fact cpus 1
expect_fact trouble ""
