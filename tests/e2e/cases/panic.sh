# SPDX-License-Identifier: Apache-2.0
# A panic that the guest reports by pvpanic ends the machine with 11 (CASES
# C30: a VMM that sits there).
. "$E2E/lib.sh"
machine 6.1-cloud bzImage panic
expect_rc 11
grep -q 'Kernel panic' "$W/console" || fail "no panic on the console"
