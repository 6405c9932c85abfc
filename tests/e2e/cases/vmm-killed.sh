# SPDX-License-Identifier: Apache-2.0
# The vmm's death ends every child within 100 ms, and the exit code is 13.
. "$E2E/lib.sh"
random_file "$W/disk" 1024
machine_start load:vda --memory 128 --disk "path=$W/disk"
death_case bulkhead-vmm 13
