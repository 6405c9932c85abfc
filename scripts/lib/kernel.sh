# SPDX-License-Identifier: Apache-2.0
# Sourced after apt.sh: stock Debian kernels, out of their packages.
# shellcheck shell=bash
#
# kernel_fetch SERIES[-cloud] makes $BULKHEAD_CACHE/kernel/NAME with
#   bzImage   the kernel as Debian ships it
#   vmlinux   the ELF file inside it
#   modules/  the package's /lib/modules/VERSION
#   release   VERSION, as uname -r prints it
#   package   name and version of the package

# kernel_package NAME - package that carries the newest kernel of a series
kernel_package()
{
	local series=${1%-cloud} meta=linux-image-amd64
	[[ $1 != *-cloud ]] || meta=linux-image-cloud-amd64
	apt_private apt-cache show "$meta" |
		sed -n "s/^Depends: .*\(linux-image-${series//./\\.}\.[^ ,]*\).*/\1/p" |
		sort -V | awk '/deb12/ { keep = $0 } { last = $0 }
			END { print keep == "" ? last : keep }'
}

# kernel_unpack NAME DIR - downloads and unpacks into DIR
kernel_unpack()
{
	local name=$1 dir=$2 package release
	apt_private_update
	package=$(kernel_package "$name")
	[[ -n $package ]] || {
		echo "no Debian kernel package of series $name at the package source"
		return 1
	}
	mkdir -p "$dir/deb"
	apt_private_download "$dir/deb" "$package"
	dpkg-deb -x "$dir"/deb/*.deb "$dir/root"
	release=$(basename "$dir"/root/lib/modules/*)
	mv "$dir/root/boot/vmlinuz-$release" "$dir/bzImage"
	mv "$dir/root/lib/modules/$release" "$dir/modules"
	python3 "$BULKHEAD_ROOT/scripts/lib/vmlinux.py" \
		"$dir/bzImage" "$dir/vmlinux"
	echo "$release" >"$dir/release"
	dpkg-deb -W "$dir"/deb/*.deb >"$dir/package"
	rm -rf "$dir/root" "$dir/deb"
}

# kernel_make NAME - fills the cache once
kernel_make()
{
	local name=$1 to=$BULKHEAD_CACHE/kernel/$1 tmp
	[[ ! -s $to/package ]] || return 0
	mkdir -p "$BULKHEAD_CACHE/kernel"
	tmp=$(mktemp -d "$BULKHEAD_CACHE/kernel/.new.XXXXXX")
	chmod 755 "$tmp"
	# A subshell with -e of its own: "||" would switch it off in here.
	(kernel_unpack "$name" "$tmp") || {
		rm -rf "$tmp"
		return 1
	}
	rm -rf "$to"
	mv "$tmp" "$to"
}

# kernel_fetch NAME - makes the folder unless it is there; dies on failure
kernel_fetch()
{
	[[ -s $BULKHEAD_CACHE/kernel/$1/package ]] && return
	say "kernel: fetching Debian's $1"
	quietly "kernel $1" with_lock "kernel" kernel_make "$1"
}
