# SPDX-License-Identifier: Apache-2.0
# Sourced by each case: starts machines, looks at what they did. POSIX sh, for
# it runs under Debian's dash on a host and under busybox in the bed.
# shellcheck shell=sh
#
# Set by tests/e2e/job: E2E (the job's folder with guest/NAME/{bzImage,vmlinux,
# initrd}), W (an empty folder of this case), SLOW (1 where time is emulated).
set -u

# What makes a guest boot fast in the bed, and is right anywhere.
QUICK="console=ttyS0 quiet nokaslr mitigations=off tsc=reliable no_timer_check"
QUICK="$QUICK random.trust_cpu=on 8250.nr_uarts=1 cryptomgr.notests"
LIMIT=${LIMIT:-60}
rc=0

# fail TEXT... - ends the case; shows the console's and the log's last lines
fail()
{
	echo "  failed: $*"
	for name in console log check; do
		[ ! -s "$W/$name" ] || {
			echo "  --- last lines of $name:"
			tail -n 12 "$W/$name" | tr -d '\r' | sed 's/^/  | /'
		}
	done
	exit 1
}

# machine KERNEL FORMAT WORDS [FLAG...] - runs a small guest to its end; sets
# rc; the console is in $W/console, what the programs said in $W/log. EXTRA
# is added to the kernel's command line.
machine()
{
	kernel=$1 format=$2 words=$3
	shift 3
	rm -f "$W/console"
	rc=0
	timeout "$LIMIT" bulkhead run --kernel "$E2E/guest/$kernel/$format" \
		--initrd "${INITRD:-$E2E/guest/$kernel/initrd}" \
		--cmdline "$QUICK panic=-1 ${EXTRA:-} e2e=$words" \
		--console "file=$W/console" "$@" \
		</dev/null >"$W/log" 2>&1 || rc=$?
}

# machine_start WORDS [FLAG...] - the same on 6.1-cloud's bzImage, in the
# background; sets monitor to its process id, which answers signals
machine_start()
{
	words=$1
	shift
	rm -f "$W/console"
	bulkhead run --kernel "$E2E/guest/6.1-cloud/bzImage" \
		--initrd "$E2E/guest/6.1-cloud/initrd" \
		--cmdline "$QUICK panic=-1 ${EXTRA:-} e2e=$words" \
		--console "file=$W/console" "$@" \
		</dev/null >"$W/log" 2>&1 &
	monitor=$!
	trap 'kill -9 $monitor 2>/dev/null' EXIT
	await "GUEST ready" || fail "the guest is not ready in $LIMIT s"
}

# await TEXT [SECONDS] - waits until the console shows it
await()
{
	until=$(($(clock) + ${2:-$LIMIT} * 100))
	while ! grep -q "$1" "$W/console" 2>/dev/null; do
		[ "$(clock)" -lt $until ] || return 1
		kill -0 "$monitor" 2>/dev/null || return 1
		sleep 0.2
	done
}

# machine_end - waits for the monitor; sets rc
machine_end()
{
	until=$(($(clock) + LIMIT * 100))
	while kill -0 "$monitor" 2>/dev/null; do
		[ "$(clock)" -lt $until ] ||
			fail "the monitor is still there after $LIMIT s"
		sleep 0.1
	done
	rc=0
	wait "$monitor" || rc=$?
}

# family PID - its children and theirs, one id a line
family()
{
	for child in $(cat "/proc/$1"/task/*/children 2>/dev/null); do
		echo "$child"
		family "$child"
	done
}

# child NAME - id of the monitor's process with that program name
child()
{
	for pid in $(family "$monitor"); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != "$1" ] ||
			{ echo "$pid"; return; }
	done
	fail "the monitor has no process $1"
}

# gone PID... - true when none of them exists; a zombie counts as gone
gone()
{
	for pid; do
		state=$(sed 's/.*) \(.\).*/\1/' "/proc/$pid/stat" 2>/dev/null)
		[ -z "$state" ] || [ "$state" = Z ] || return 1
	done
}

# clock - hundredths of a second since the host booted
clock()
{
	sed 's/^\([0-9]*\)\.\([0-9]*\) .*/\1\2/' /proc/uptime
}

# fact KEY - what the guest told
fact()
{
	tr -d '\r' <"$W/console" | sed -n "s/^GUEST $1=//p" | tail -n 1
}

# expect_rc N - the exit code of `bulkhead run`
expect_rc()
{
	[ "$rc" = "$1" ] || fail "exit code is $rc, expected $1"
}

# expect_fact KEY VALUE
expect_fact()
{
	found=$(fact "$1")
	[ "$found" = "$2" ] || fail "guest says $1='$found', expected '$2'"
}

# hash FILE - its SHA-256
hash()
{
	sha256sum "$1" | cut -c1-64
}

# random_file FILE KIB
random_file()
{
	dd if=/dev/urandom of="$1" bs=1024 count="$2" 2>/dev/null
}

# memory_case MIB [FORMAT] - boots with that much memory; compares what the
# guest has
memory_case()
{
	machine 6.1-cloud "${2:-bzImage}" facts,initrd,poweroff --memory "$1"
	expect_rc 0
	expect_fact blob-sha256 "$(hash "${BLOB:-$E2E/blob}")"
	kib=$(fact memory-kib)
	# The kernel keeps some: its own image, and 1/64 for page records.
	[ "$kib" -le $(($1 * 1024)) ] &&
		[ "$kib" -ge $(($1 * 1024 * 31 / 32 - 36864)) ] ||
		fail "guest has $kib KiB of $1 MiB"
}

# kernel_case KERNEL - both formats of one kernel boot and see their disk
kernel_case()
{
	random_file "$W/disk" 1024
	for format in bzImage vmlinux; do
		EXTRA=retain_initrd machine "$1" $format \
			facts,initrd,hash:vda,poweroff --disk "path=$W/disk"
		expect_rc 0
		expect_fact release "$(cat "$E2E/guest/$1/release")"
		expect_fact blob-sha256 "$(hash "$E2E/blob")"
		expect_fact vda-sha256 "$(hash "$W/disk")"
	done
}

# death_case PROGRAM CODE - kills that process of the running machine: all the
# others must be gone within 100 ms, and the monitor ends with CODE
death_case()
{
	victim=$(child "$1") || exit 1
	pids=$(family "$monitor")
	limit=10
	# Ten times slower is what emulation makes of a process's end.
	[ "$SLOW" = 0 ] || limit=100
	began=$(clock)
	kill -KILL "$victim"
	rc=0
	wait "$monitor" || rc=$?
	took=$(($(clock) - began))
	trap - EXIT
	# shellcheck disable=SC2086 # one word a process
	gone $pids || fail "some of these are still there: $pids"
	echo "  gone after ${took}0 ms"
	[ $took -le $limit ] || fail "that took ${took}0 ms"
	expect_rc "$2"
}
