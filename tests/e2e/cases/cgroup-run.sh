# SPDX-License-Identifier: Apache-2.0
# Limits of machines that run are held: CPU time, memory, I/O. Each process is
# in its own group; at the end no group is left, and after SIGKILL of the
# monitor the next start removes them.
# limit: 180
. "$E2E/cases/cgroup-lib.sh"
users

# usage FILE KEY - a number of a file of pairs
usage()
{
	sed -n "s/.*\b$2[ =]\([0-9]*\).*/\1/p" "$1" | head -n 1
}

# within NAME VALUE LEAST MOST
within()
{
	echo "  $1: $2 ($3..$4)"
	[ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || fail "$1 is $2"
}

# Root: a guest that spins gets half a CPU.
group cpu
machine_start spin --memory 128 --cgroup "$G" --power-button-grace-ms 0 \
	--limit vmm:cpu-percent=50,memory-mib=512,pids=60 --log-level info
m=$G/bulkhead-$monitor
holds "$m/monitor/cgroup.procs" "$monitor"
# KVM adds a kernel thread of its own.
vmm=$(child bulkhead-vmm)
for pid in $(cat "$m/vmm/cgroup.procs"); do
	[ "$pid" = "$vmm" ] || [ ! -e "/proc/$pid/exe" ] ||
		fail "$pid is in the group of the vmm, $vmm"
done
holds "$m/vmm/cpu.max" "50000 100000"
holds "$m/vmm/memory.max" 536870912
holds "$m/vmm/pids.max" 60
holds "/proc/$vmm/cgroup" "0::/cpu/bulkhead-$monitor/vmm"
used=$(usage "$m/vmm/cpu.stat" usage_usec)
began=$(clock)
sleep 5
used=$(($(usage "$m/vmm/cpu.stat" usage_usec) - used))
within "percent of a CPU" $((used / 100 / ($(clock) - began))) 40 60
kill -TERM "$monitor"
machine_end
expect_rc 14
none_left "$G"

# A drive's process that takes too much memory dies, and nobody else.
group memory
random_file "$W/disk" 65536
dmesg -c >/dev/null
# The guest does not clear pages, so that the drive's process writes them first.
EXTRA=init_on_alloc=0
machine 6.1-cloud bzImage hash:vda,poweroff --memory 256 --cgroup "$G" \
	--disk "path=$W/disk" --limit blk:memory-mib=16
expect_rc 12
says "killed by signal 9"
dmesg | grep -q "Memory cgroup out of memory: Killed process.*bulkhead-blk" ||
	fail "it was not its limit that killed it: $(dmesg | tail -n 3)"
EXTRA=
rm "$W/disk"
none_left "$G"

# A user, in a delegated group: a block device is read no faster than allowed;
# then its monitor is killed.
group io
delegate "$G"
chown tenant /dev/vdb
rm -f "$W/console"
cat >"$W/tenant" <<EOF
echo \$\$ >$W/pid
exec bulkhead run --kernel $E2E/guest/6.1-cloud/bzImage \
	--initrd $E2E/guest/6.1-cloud/initrd --memory 128 --cgroup own \
	--cmdline "$QUICK e2e=load:vda" --console file=/tmp/tenant/console \
	--disk path=/dev/vdb,readonly=on --log-level info \
	--limit blk:io-read-bps=1048576,io-read-iops=1000
EOF
mkdir -p /tmp/tenant
chown tenant /tmp/tenant
(echo 0 >"$G/cgroup.procs" && exec su tenant -c ". $W/tenant") \
	</dev/null >"$W/log" 2>&1 &
monitor=$!
trap 'kill -9 $monitor 2>/dev/null' EXIT
ln -s /tmp/tenant/console "$W/console"
await "GUEST ready" || fail "the guest of the user is not ready"
m=$G/bulkhead-$monitor
says "in force on blk-disk0: io $(cat /sys/class/block/vdb/dev) rbps=1048576"
read_bytes=$(usage "$m/blk-disk0/io.stat" rbytes)
began=$(clock)
sleep 5
read_bytes=$(($(usage "$m/blk-disk0/io.stat" rbytes) - ${read_bytes:-0}))
within "KiB read in a second" \
	$((read_bytes / 1024 * 100 / ($(clock) - began))) 600 1250
kill -KILL "$monitor"
wait "$monitor"
sleep 0.5
[ -d "$m/vmm" ] || fail "the killed monitor's groups are gone by themselves"
check --cgroup "$G"
expect_rc 0
says "removed bulkhead-$monitor"
none_left "$G"
