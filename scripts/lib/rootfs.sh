# SPDX-License-Identifier: Apache-2.0
# Sourced after apt.sh: a small Debian 12 root file system as a disk image.
# shellcheck shell=bash
#
# rootfs_make fills $BULKHEAD_CACHE/rootfs/HASH with
#   disk.img  ext4 on the whole disk, stock Debian 12, root logs in on ttyS0
#   bzImage   the kernel that is installed in it
#   initrd    made in it by Debian's initramfs-tools
# and prints that folder. HASH covers this file: a changed recipe, a new image.

ROOTFS_SIZE=640M
# systemd boots to a shell in 50 s inside the emulated bed, sysvinit with
# Debian's scripts in 80 s, so the init is Debian's default. dbus: logind
# needs it, and logind answers the power button.
ROOTFS_PACKAGES=linux-image-cloud-amd64,systemd-sysv,dbus,udev,kmod,login
ROOTFS_PACKAGES+=,util-linux,e2fsprogs,procps

# rootfs_settle DIR - host name, fstab, login on the console, a smaller size
rootfs_settle()
{
	local dir=$1 unit
	unit=$dir/etc/systemd/system/serial-getty@ttyS0.service.d
	echo bulkhead >"$dir/etc/hostname"
	echo '127.0.0.1 localhost bulkhead' >"$dir/etc/hosts"
	echo '/dev/vda / ext4 defaults 0 1' >"$dir/etc/fstab"
	chroot "$dir" passwd -d root
	mkdir -p "$unit"
	printf '[Service]\nExecStart=\nExecStart=-%s %s\n' /sbin/agetty \
		"--autologin root --keep-baud 115200 %I \$TERM" \
		>"$unit/autologin.conf"
	# No clock-driven work, and no second console, in a machine for trials.
	chroot "$dir" systemctl mask apt-daily.timer apt-daily-upgrade.timer \
		dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service \
		fstrim.timer getty@tty1.service
	rm -rf "$dir"/var/cache/apt "$dir"/var/lib/apt/lists/* "$dir/var/log"/*
}

# rootfs_tree DIR - Debian by mmdebstrap; as root
rootfs_tree()
{
	local dir=$1 sources
	mapfile -t sources < <(apt_sources bookworm bookworm-security)
	mmdebstrap --mode=root --variant=minbase \
		--include="$ROOTFS_PACKAGES" \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		bookworm "$dir" "${sources[@]}"
	rootfs_settle "$dir"
}

# rootfs_image DIR OUT OWNER - the three files, owned by the caller; as root
rootfs_image()
{
	local dir=$1 out=$2 owner=$3
	cp "$dir"/boot/vmlinuz-* "$out/bzImage"
	cp "$dir"/boot/initrd.img-* "$out/initrd"
	truncate -s "$ROOTFS_SIZE" "$out/disk.img"
	mke2fs -q -t ext4 -L bulkhead -d "$dir" "$out/disk.img"
	chown "$owner" "$out"/*
	chmod 644 "$out"/*
}

# rootfs_build OUT OWNER - all of the work that needs root
rootfs_build()
{
	local out=$1 owner=$2 work rc=0
	work=$(mktemp -d "${TMPDIR:-/var/tmp}/bulkhead-root.XXXXXX")
	chmod 755 "$work"
	(set -e; rootfs_tree "$work/root"; rootfs_image "$work/root" "$out" \
		"$owner") || rc=$?
	rm -rf --one-file-system "$work"
	return "$rc"
}

# rootfs_fill NAME - into the cache, once
rootfs_fill()
{
	local to=$BULKHEAD_CACHE/rootfs/$1 tmp
	[[ ! -s $to/disk.img ]] || return 0
	mkdir -p "$BULKHEAD_CACHE/rootfs"
	tmp=$(mktemp -d "$BULKHEAD_CACHE/rootfs/.new.XXXXXX")
	chmod 755 "$tmp"
	as_root "$BULKHEAD_ROOT/scripts/fetch-rootfs" --build "$tmp" \
		"$(id -u):$(id -g)" || {
		rm -rf "$tmp"
		return 1
	}
	rm -rf "$to"
	mv "$tmp" "$to"
}

# rootfs_make - see above; dies on failure
rootfs_make()
{
	local name
	name=$(hash_of "$BULKHEAD_ROOT/scripts/lib/rootfs.sh")
	if [[ ! -s $BULKHEAD_CACHE/rootfs/$name/disk.img ]]; then
		say "root image: building Debian 12 (about a minute)"
		quietly "root image" with_lock rootfs rootfs_fill "$name"
	fi
	echo "$BULKHEAD_CACHE/rootfs/$name"
}
