# SPDX-License-Identifier: Apache-2.0
# Sourced by the cgroup cases, which run in the bed only: they own its cgroup
# file system, whose root passes all controllers on, and make users.
# shellcheck shell=sh
. "$E2E/lib.sh"
CG=/sys/fs/cgroup
TENANT=1000

# group NAME - a new group below the root; sets G
group()
{
	G=$CG/$1
	mkdir "$G" || fail "cannot make $G"
}

# delegate DIR - to the plain user, as the kernel's documentation says
delegate()
{
	chown $TENANT:$TENANT "$1" "$1/cgroup.procs" \
		"$1/cgroup.subtree_control" "$1/cgroup.threads"
}

# users - one that may use KVM
users()
{
	grep -q ^tenant: /etc/passwd ||
		echo "tenant:x:$TENANT:$TENANT:tenant:/:/bin/sh" >>/etc/passwd
	grep -q ^tenant: /etc/group || {
		echo "tenant:x:$TENANT:" >>/etc/group
		sed -i 's/^kvm:x:104:.*/kvm:x:104:tenant/' /etc/group
	}
	chmod 755 "$W" "$E2E"
}

# check FLAG... - `bulkhead check` of the small guest; sets rc
check()
{
	rc=0
	timeout 30 bulkhead check --kernel "$E2E/guest/6.1-cloud/bzImage" \
		--initrd "$E2E/guest/6.1-cloud/initrd" --memory 128 \
		--log-level info "$@" >"$W/check" 2>"$W/log" </dev/null ||
		rc=$?
}

# says TEXT... - each is in the log
says()
{
	for text; do
		grep -qF -e "$text" "$W/log" || fail "nobody says: $text"
	done
}

# none_left GROUP - no machine has a group below it
none_left()
{
	left=$(find "$1" -mindepth 1 -type d)
	[ -z "$left" ] || fail "left behind: $left"
}

# holds FILE TEXT - a file's contents
holds()
{
	found=$(cat "$1") || fail "no $1"
	[ "$found" = "$2" ] || fail "$1 is '$found', expected '$2'"
}

echo "+cpu +memory +pids +io" >$CG/cgroup.subtree_control ||
	fail "this kernel lacks a controller: $(cat $CG/cgroup.controllers)"
