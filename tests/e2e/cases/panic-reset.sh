# SPDX-License-Identifier: Apache-2.0
# Without pvpanic, panic=-1 makes the guest reset itself: 10.
. "$E2E/lib.sh"
machine 6.1-cloud bzImage panic --no-pvpanic
expect_rc 10
grep -q 'Kernel panic' "$W/console" || fail "no panic on the console"
