# SPDX-License-Identifier: Apache-2.0
# Sourced after apt.sh: a Debian 13 to build and test in, beside the Debian 12
# that everything else runs on: another libc, another compiler.
# shellcheck shell=bash
#
# trixie_make fills $BULKHEAD_CACHE/trixie/HASH with a root tree that has the
# packages of packages-build.txt, and prints it. HASH covers this file and the
# list. The tree belongs to root; nothing of it is installed into the host.

# trixie_tree DIR PACKAGES - Debian by mmdebstrap; as root
trixie_tree()
{
	local dir=$1 packages=$2 sources
	mapfile -t sources < <(apt_sources trixie)
	mmdebstrap --mode=root --variant=minbase --include="$packages" \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		trixie "$dir" "${sources[@]}"
	mkdir -p "$dir/src" "$dir/build"
}

# trixie_locked OUT PACKAGES - makes the tree where there is none
trixie_locked()
{
	local out=$1 packages=$2
	[[ -e $out/done ]] && return
	as_root rm -rf --one-file-system "$out"
	mkdir -p "$out"
	quietly "Debian 13 with its build packages" as_root env \
		BULKHEAD_CACHE="${BULKHEAD_CACHE%/bulkhead}" bash -c '
		set -euo pipefail
		for name in common apt trixie; do . "$1/$name.sh"; done
		trixie_tree "$2" "$3"' - "$BULKHEAD_ROOT/scripts/lib" \
		"$out/root" "$packages"
	touch "$out/done"
}

# trixie_make - prints the tree's folder
trixie_make()
{
	local list=$BULKHEAD_ROOT/scripts/packages-build.txt packages out
	# python3: the tests of machines are written in it.
	packages=$(packages_in "$list" | paste -sd ,),python3-minimal,python3
	packages+=,util-linux
	out=$BULKHEAD_CACHE/trixie/$(hash_of "$list" \
		"$BULKHEAD_ROOT/scripts/lib/trixie.sh")
	with_lock trixie trixie_locked "$out" "$packages"
	echo "$out/root"
}

# trixie_run ROOT BUILD COMMAND... - in it: /src is our tree, read-only, /build
# is BUILD; /dev, /proc and /sys are the host's. Mounts end with the command.
# pivot_root, not chroot: a process in a chroot may make no user namespace.
trixie_run()
{
	as_root unshare --mount --propagation private bash -euc '
		root=$1 build=$2 src=$3
		shift 3
		mount --bind "$root" "$root"
		mount --bind "$src" "$root/src"
		mount -o remount,bind,ro "$root/src"
		mount --bind "$build" "$root/build"
		for dir in dev proc sys; do
			mount --rbind "/$dir" "$root/$dir"
		done
		mount -t tmpfs -o mode=1777 none "$root/tmp"
		cd "$root"
		pivot_root . .
		umount --lazy .
		cd /build
		export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
		exec "$@"' - "$1" "$2" "$BULKHEAD_ROOT" "${@:3}"
}
