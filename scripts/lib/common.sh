# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts: progress lines, one-line failures, locks, the cache.
# shellcheck shell=bash
#
# A script sets BULKHEAD_PROG to its name first. Long commands run under
# quietly(), which keeps their output in a log file and shows the time they
# take; when one fails, exactly one line says which step, what, and which log.

BULKHEAD_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BULKHEAD_CACHE=${BULKHEAD_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}}/bulkhead
BULKHEAD_PROG=${BULKHEAD_PROG:-bulkhead}
BULKHEAD_LOG=${BULKHEAD_LOG:-$BULKHEAD_CACHE/log/$BULKHEAD_PROG.log}
STEP=start
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

mkdir -p "$BULKHEAD_CACHE" "$(dirname "$BULKHEAD_LOG")"

# say TEXT... - one progress line with the seconds since the script began
say()
{
	printf '[%4ds] %s\n' "$SECONDS" "$*" >&2
}

# step NAME TEXT... - names the step that a failure is reported under
step()
{
	STEP=$1
	shift
	say "$*"
}

# die TEXT... - the one-line failure message; ends the script
die()
{
	printf '%s: FAILED at %s: %s; log: %s\n' "$BULKHEAD_PROG" "$STEP" \
		"$*" "$BULKHEAD_LOG" >&2
	exit 1
}

# log_new - empties the log of an earlier run
log_new()
{
	: >"$BULKHEAD_LOG"
}

# quietly WHAT COMMAND... - runs COMMAND with its output in the log; says
# every 15 seconds that it is still running; dies when it fails
quietly()
{
	local what=$1 pid rc=0 began=$SECONDS shown=$SECONDS
	shift
	printf '\n== %s: %s\n' "$what" "$*" >>"$BULKHEAD_LOG"
	"$@" >>"$BULKHEAD_LOG" 2>&1 </dev/null &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.2
		if ((SECONDS - shown >= 15)); then
			shown=$SECONDS
			say "  ... $what ($((SECONDS - began)) s so far)"
		fi
	done
	wait "$pid" || rc=$?
	((rc == 0)) || die "$what (exit $rc)"
}

# as_root COMMAND... - runs it as root, by sudo where needed
as_root()
{
	if ((EUID == 0)); then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo -- "$@"
	else
		die "'$1' needs root, and there is no sudo"
	fi
}

# hash_of FILE|-... - a short hash over the contents of files; text by stdin
hash_of()
{
	cat -- "$@" | sha256sum | cut -c1-16
}

# with_lock NAME COMMAND... - one at a time per NAME, over all processes
with_lock()
{
	local name=$1 fd rc=0
	shift
	mkdir -p "$BULKHEAD_CACHE/lock"
	exec {fd}>"$BULKHEAD_CACHE/lock/$name"
	flock "$fd"
	"$@" || rc=$?
	exec {fd}>&-
	return "$rc"
}
