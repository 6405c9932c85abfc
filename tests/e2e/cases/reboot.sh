# SPDX-License-Identifier: Apache-2.0
# A reboot ends the machine with 10.
. "$E2E/lib.sh"
machine 6.1-cloud bzImage reboot
expect_rc 10
