# SPDX-License-Identifier: Apache-2.0
# Debian's 6.1, the plain flavour.
# limit: 150
. "$E2E/lib.sh"
kernel_case 6.1
