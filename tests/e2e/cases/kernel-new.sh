# SPDX-License-Identifier: Apache-2.0
# Debian's 6.12, the cloud flavour; it keeps the initrd, so that its hash as a
# whole is compared too.
# limit: 150
. "$E2E/lib.sh"
kernel_case 6.12-cloud
expect_fact initrd-sha256 "$(hash "$E2E/guest/6.12-cloud/initrd")"
