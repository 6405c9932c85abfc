# SPDX-License-Identifier: Apache-2.0
# Every sector of two disks is the same inside and outside; size, serial and
# number of queues are as configured.
. "$E2E/lib.sh"
random_file "$W/a" 12288
random_file "$W/b" 64
machine 6.1-cloud bzImage disk:vda,disk:vdb,hash:vda,hash:vdb,poweroff \
	--cpus 2 --disk "path=$W/a,serial=first,id=alpha" \
	--disk "path=$W/b,serial=second,id=beta"
expect_rc 0
expect_fact vda-sectors 24576
expect_fact vdb-sectors 128
expect_fact vda-serial first
expect_fact vdb-serial second
expect_fact vda-queues 2
expect_fact vda-ro 0
expect_fact vda-sha256 "$(hash "$W/a")"
expect_fact vdb-sha256 "$(hash "$W/b")"
