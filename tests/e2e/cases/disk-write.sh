# SPDX-License-Identifier: Apache-2.0
# What the guest writes and syncs is in the image after, and nothing else.
. "$E2E/lib.sh"
random_file "$W/image" 4096
cp "$W/image" "$W/expected"
yes bulkhead | head -c 65536 |
	dd of="$W/expected" bs=65536 seek=16 conv=notrunc 2>/dev/null
yes end | head -c 512 |
	dd of="$W/expected" bs=512 seek=8191 conv=notrunc 2>/dev/null
machine 6.1-cloud bzImage write:vda,poweroff --disk "path=$W/image"
expect_rc 0
expect_fact vda-write done
expect_fact vda-write-end done
[ "$(hash "$W/image")" = "$(hash "$W/expected")" ] ||
	fail "the image is not what the guest wrote"
