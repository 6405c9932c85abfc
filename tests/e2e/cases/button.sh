# SPDX-License-Identifier: Apache-2.0
# SIGTERM to the monitor is the power button; the guest powers off itself.
. "$E2E/lib.sh"
machine_start button
kill -TERM "$monitor"
machine_end
expect_fact button pressed
expect_rc 0
