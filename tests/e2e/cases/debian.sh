# SPDX-License-Identifier: Apache-2.0
# Stock Debian 12 with Debian's own kernel and initrd, root on a virtio disk:
# boots to a login shell on the console, answers commands, powers off cleanly.
# limit: 270
. "$E2E/lib.sh"
LIMIT=60
disk=/dev/vdb
[ ! -e "$E2E/debian.img" ] || disk=$E2E/debian.img

# number OFFSET LENGTH - a field of the disk's ext4 superblock
number()
{
	dd if="$disk" bs=1 skip=$((1024 + $1)) count="$2" 2>/dev/null |
		od -A n -t "u$2" | tr -d ' '
}

mkfifo "$W/keys"
bulkhead run --kernel "$E2E/debian/bzImage" --initrd "$E2E/debian/initrd" \
	--cmdline "$QUICK panic=-1 root=/dev/vda" --cpus 1 --memory 512 \
	--disk "path=$disk,serial=debian-root" \
	<"$W/keys" >"$W/console" 2>"$W/log" &
monitor=$!
trap 'kill -9 $monitor 2>/dev/null' EXIT
exec 3>"$W/keys"
await 'root@bulkhead:~#' 170 || fail "no shell prompt"
# The shell's line editor marks each line otherwise.
printf "bind 'set enable-bracketed-paste off'\r" >&3
# shellcheck disable=SC2016 # for the guest's shell
printf '%s\r' 'echo "GUEST release=$(uname -r)"' \
	'echo "GUEST cpus=$(nproc)"' \
	'echo "GUEST root=$(findmnt -n -o SOURCE /)"' \
	'echo "GUEST serial=$(lsblk -d -n -o SERIAL /dev/vda)"' \
	'. /etc/os-release; echo "GUEST os=$ID-$VERSION_ID"' \
	'echo "GUEST ready=$((6 * 7))"' >&3
await 'GUEST ready=42' || fail "the shell does not answer"
expect_fact cpus 1
expect_fact root /dev/vda
expect_fact serial debian-root
expect_fact os debian-12
case $(fact release) in
6.1.*-amd64) ;;
*) fail "kernel is $(fact release)" ;;
esac
[ "$(($(number 96 4) & 4))" = 4 ] || fail "the disk is not mounted read-write"
printf 'poweroff\r' >&3
machine_end
exec 3>&-
expect_rc 0
# Unmounted: no journal to recover, and the clean flag.
[ "$(($(number 96 4) & 4))" = 0 ] || fail "the journal was left behind"
[ "$(($(number 58 2) & 1))" = 1 ] || fail "the file system is not clean"
