# SPDX-License-Identifier: Apache-2.0
# Groups and limits of a machine that does not run: what is made, read back,
# refused, and that nothing is left on any path. As root, and as a user.
# limit: 100
. "$E2E/cases/cgroup-lib.sh"
random_file "$W/disk" 1024
users

# Root: a group that is named. A smaller limit further up is what counts.
group named
echo 33000 100000 >"$G/cpu.max"
mkdir -p "$G/bulkhead-99999/vmm" # left by a monitor that was killed
check --cgroup "$G" --disk "path=$W/disk" --format json \
	--limit vmm:cpu-percent=50,memory-mib=256,pids=60 \
	--limit blk:cpu-percent=20,pids=50 --limit monitor:memory-mib=64
expect_rc 0
says "removed bulkhead-99999" \
	"in force on vmm: cpu 33.00% from $G" \
	"in force on vmm: memory 256 MiB from $G/bulkhead-" \
	"in force on vmm: pids 60 from $G/bulkhead-" \
	"in force on blk-disk0: cpu 20.00% from $G/bulkhead-" \
	"in force on blk-disk0: memory max" \
	"in force on monitor: memory 64 MiB"
grep -q '"cpu": "33.00% from' "$W/check" || fail "the report has no limits"
grep -q "\"cgroup\": \"$G\"" "$W/check" || fail "the report has no cgroup"
none_left "$G"

# A limit too low to start with: the failed start leaves nothing either.
check --cgroup "$G" --limit vmm:memory-mib=1
[ "$rc" != 0 ] || fail "a vmm in 1 MiB has started"
none_left "$G"

# Guest memory counts for who touches it.
check --cgroup "$G" --limit vmm:memory-mib=100
expect_rc 0
says "limits.vmm.memory-mib is 100, less than the guest's memory of 128 MiB"

# An image on a file system without a block device; may be done without.
check --cgroup "$G" --disk "path=$W/disk" --limit blk:io-read-bps=1000000
expect_rc 3
says "limits.blk.io-*: disk \"disk0\": $W/disk is on a file system" "(tmpfs)"
none_left "$G"
check --cgroup "$G" --disk "path=$W/disk" --limit blk:io-read-bps=1000000 \
	--confine-missing cgroup
expect_rc 0
says "going on without (confine-missing): limits.blk.io-*"
none_left "$G"

# Somebody else is there.
group busy
sleep 100 &
stranger=$!
echo $stranger >"$G/cgroup.procs"
check --cgroup "$G" --limit vmm:pids=60
expect_rc 3
says "$G holds other processes" "$stranger (sleep)"
kill $stranger
wait $stranger
none_left "$G"

# A controller that is not passed on.
group poor
echo "+cpu" >"$G/cgroup.subtree_control"
mkdir "$G/in"
check --cgroup "$G/in" --limit vmm:cpu-percent=50,memory-mib=256
expect_rc 3
says "the limits take controllers that are not passed on to it: memory" \
	"systemd-run --user --scope -p Delegate=yes"
none_left "$G/in"
check --cgroup "$G/in" --limit vmm:cpu-percent=50,memory-mib=256 \
	--confine-missing cgroup
expect_rc 0
says "in force on vmm: cpu 50.00%" "in force on vmm: memory max"
none_left "$G/in"

# No group, and no cgroup.
check --cgroup "$CG/nowhere" --limit vmm:pids=60
expect_rc 3
says "$CG/nowhere: No such file or directory"
check --cgroup "$W"
expect_rc 3
says "$W: not in a cgroup2 file system"

# A user without a delegated group.
# shellcheck disable=SC2016 # for the other shell
tenant='exec bulkhead check --kernel "$E2E/guest/6.1-cloud/bzImage" \
	--memory 128 --log-level info'
for path in "$CG/named" own; do
	rc=0
	su tenant -c "$tenant --cgroup $path --limit vmm:pids=60" \
		>"$W/check" 2>"$W/log" </dev/null || rc=$?
	expect_rc 3
	says "Permission denied" "systemd-run --user --scope -p Delegate=yes"
done
none_left "$CG/named"

# And with one, in which it is started: as in a scope of systemd.
group scope
delegate "$G"
rc=0
(echo 0 >"$G/cgroup.procs" && exec su tenant -c "$tenant --cgroup own \
	--limit vmm:cpu-percent=50,memory-mib=256,pids=60") \
	>"$W/check" 2>"$W/log" </dev/null || rc=$?
expect_rc 0
says "in force on vmm: cpu 50.00% from $G/bulkhead-" \
	"in force on vmm: memory 256 MiB from $G/bulkhead-"
none_left "$G"
