# SPDX-License-Identifier: Apache-2.0
# A read-only disk can be read, refuses writes, and stays as it was; the
# writable one beside it is a disk of its own.
. "$E2E/lib.sh"
random_file "$W/image" 1024
random_file "$W/other" 4096
before=$(hash "$W/image")
machine 6.1-cloud bzImage disk:vda,refused:vda,hash:vda,write:vdb,poweroff \
	--disk "path=$W/image,readonly=on" --disk "path=$W/other"
expect_rc 0
expect_fact vda-ro 1
expect_fact vda-refused yes
expect_fact vda-sha256 "$before"
expect_fact vdb-write done
[ "$(hash "$W/image")" = "$before" ] || fail "the read-only image changed"
