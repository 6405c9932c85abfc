# SPDX-License-Identifier: Apache-2.0
# A device process that dies ends the machine within 100 ms, with 12, and its
# siblings are gone.
. "$E2E/lib.sh"
random_file "$W/disk" 1024
machine_start load:vda --memory 128 --disk "path=$W/disk"
death_case bulkhead-blk 12
