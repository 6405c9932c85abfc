# SPDX-License-Identifier: Apache-2.0
# Sourced after common.sh: installs packages, and downloads single packages of
# other suites through a private apt configuration. The package source is the
# one that the host is configured with; no host name is written anywhere.
# shellcheck shell=bash

APT_PRIVATE=$BULKHEAD_CACHE/apt

# packages_in FILE... - names in package lists, comments removed
packages_in()
{
	sed -e 's/#.*//' -e '/^[[:space:]]*$/d' -e 's/[[:space:]]//g' "$@"
}

# apt_missing NAME... - those that are not installed
apt_missing()
{
	local name
	for name in "$@"; do
		dpkg-query -W -f '${db:Status-Status}\n' "$name" 2>/dev/null |
			grep -qx installed || echo "$name"
	done
}

# apt_install FILE... - installs what the lists name and the host lacks
apt_install()
{
	local names missing
	mapfile -t names < <(packages_in "$@" | sort -u)
	mapfile -t missing < <(apt_missing "${names[@]}")
	if ((${#missing[@]} == 0)); then
		say "packages: all ${#names[@]} are installed"
		return
	fi
	say "packages: installing ${#missing[@]} of ${#names[@]}: ${missing[*]}"
	quietly "apt-get update" as_root apt-get -q update
	quietly "apt-get install" as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -q -y --no-install-recommends install "${missing[@]}"
}

# apt_site RELEASE-PATTERN - URI of the host's source for such a release
apt_site()
{
	# shellcheck disable=SC2016 # apt expands these, not the shell
	apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' \
		'Created-By: Packages' |
		awk -v re="^($1)\$" '$1 ~ re && $2 == "main" { print $3; exit }'
}

# apt_sources SUITE... - sources.list lines of the host's mirror
apt_sources()
{
	local main security suite uri
	local key=/usr/share/keyrings/debian-archive-keyring.gpg
	main=$(apt_site 'bookworm|stable|oldstable|12')
	security=$(apt_site '(bookworm|stable|oldstable|12)-security')
	[[ -n $main ]] || die "apt has no source for Debian 12 (bookworm) main"
	for suite in "$@"; do
		uri=$main
		case $suite in
		*-security)
			[[ -n $security ]] || continue
			uri=$security
			;;
		esac
		echo "deb [signed-by=$key] $uri $suite main"
	done
}

# apt_private COMMAND... - an apt tool on the private configuration
apt_private()
{
	local tool=$1
	shift
	"$tool" -o Dir::Etc::sourcelist="$APT_PRIVATE/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferences=/dev/null \
		-o Dir::Etc::preferencesparts=/dev/null \
		-o Dir::State="$APT_PRIVATE/state" \
		-o Dir::State::status="$APT_PRIVATE/status" \
		-o Dir::Cache="$APT_PRIVATE/cache" \
		-o APT::Sandbox::User=root "$@"
}

# apt_private_update - package lists of all suites that kernels come from
apt_private_update()
{
	mkdir -p "$APT_PRIVATE"/{state/lists/partial,cache/archives/partial}
	: >"$APT_PRIVATE/status"
	apt_sources bookworm bookworm-security bookworm-backports trixie \
		>"$APT_PRIVATE/sources.list"
	apt_private apt-get -q update
}

# apt_private_download DIR PACKAGE[=VERSION] - leaves the .deb in DIR
apt_private_download()
{
	local dir=$1
	shift
	(cd "$dir" && apt_private apt-get -q download "$@")
}
