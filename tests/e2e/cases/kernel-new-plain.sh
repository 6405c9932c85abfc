# SPDX-License-Identifier: Apache-2.0
# Debian's 6.12, the plain flavour.
# limit: 150
. "$E2E/lib.sh"
kernel_case 6.12
expect_fact initrd-sha256 "$(hash "$E2E/guest/6.12/initrd")"
