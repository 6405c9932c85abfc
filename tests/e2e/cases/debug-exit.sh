# SPDX-License-Identifier: Apache-2.0
# The byte that the guest writes to port 0xf4 is the exit code; without the
# flag the port does nothing.
. "$E2E/lib.sh"
machine 6.1-cloud bzImage exit:42 --debug-exit
expect_rc 42
machine 6.1-cloud bzImage exit:42
expect_rc 0
expect_fact exit ignored
