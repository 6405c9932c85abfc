# SPDX-License-Identifier: Apache-2.0
# A guest that ignores the power button is ended when its time is over: 14.
. "$E2E/lib.sh"
machine_start wait --power-button-grace-ms 500
kill -TERM "$monitor"
machine_end
expect_rc 14
