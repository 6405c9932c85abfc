# SPDX-License-Identifier: Apache-2.0
# Input on the console reaches the guest: login, a command, its output, and
# power-off typed at the shell.
. "$E2E/lib.sh"
mkfifo "$W/keys"
bulkhead run --kernel "$E2E/guest/6.1-cloud/bzImage" \
	--initrd "$E2E/guest/6.1-cloud/initrd" \
	--cmdline "$QUICK panic=-1 e2e=login" --console stdio \
	<"$W/keys" >"$W/console" 2>"$W/log" &
monitor=$!
trap 'kill -9 $monitor 2>/dev/null' EXIT
exec 3>"$W/keys"
await 'login:' || fail "no login prompt"
printf 'root\r' >&3
await '# ' || fail "no shell after login"
# shellcheck disable=SC2016 # for the guest's shell
printf 'echo sum=$((40 + 2)); tty\r' >&3
await 'sum=42' || fail "the shell does not answer"
await '/dev/ttyS0' || fail "the shell is not on ttyS0"
printf 'poweroff -f\r' >&3
machine_end
exec 3>&-
expect_rc 0
