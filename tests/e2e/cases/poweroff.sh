# SPDX-License-Identifier: Apache-2.0
# ACPI power-off ends the machine with 0.
. "$E2E/lib.sh"
machine 6.1-cloud bzImage poweroff
expect_rc 0
