# SPDX-License-Identifier: Apache-2.0
# SIGKILL of the monitor leaves no process behind.
. "$E2E/lib.sh"
random_file "$W/disk" 1024
machine_start load:vda --memory 128 --disk "path=$W/disk"
pids=$(family "$monitor")
[ "$(echo "$pids" | wc -l)" -ge 2 ] || fail "only these children: $pids"
kill -KILL "$monitor"
tries=0
# shellcheck disable=SC2086 # one word a process
while ! gone $pids; do
	tries=$((tries + 1))
	[ $tries -lt 20 ] || fail "some of these are still there: $pids"
	sleep 0.1
done
