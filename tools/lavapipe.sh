#!/bin/sh
# lavapipe.sh runs a program with a newer version of Mesa's CPU driver than that of the system.
#
#   lavapipe.sh PROGRAM [ARGUMENT...]   run the program; it sees only this driver
#   lavapipe.sh --fetch                 download the driver now; otherwise at its first use
#
# The driver of the system is that of Mesa 25. In Mesa 26.2 and later, fma() rounds once, and there
# are matrix units for signed bytes at the usual vector width. Tests of kernels that use fma() or
# matrix units should therefore run with both drivers:
#
#   go test -exec "$PWD/tools/lavapipe.sh" ./stages/product/emulated
#
# The driver comes from Debian's unstable release, with all libraries that it needs. The script
# unpacks them into the user's cache. The program runs with the loader and the C library of that
# release. The script does not change the packages of the machine and needs no root.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/debian.sh"

release=sid
mesa_min=26.2
root=${XDG_CACHE_HOME:-$HOME/.cache}/vkevd/lavapipe-$mesa_min

die() {
	echo "lavapipe: $*" >&2
	exit 1
}

fetch() (
	command -v apt-get >/dev/null && command -v dpkg >/dev/null || die "the driver comes as Debian packages, and there is no apt here"
	mkdir -p "${root%/*}"
	new=$(mktemp -d "${root%/*}/fetching.XXXXXX")
	trap 'rm -rf "$new"' EXIT
	cd "$new"
	mkdir -p lists/partial cache/archives/partial root
	: >status # nothing is installed, so that apt names all libraries
	# apt gets folders of its own, so that the machine's package sources and lists do not change.
	set -- -qq -o "Dir::State::lists=$new/lists" -o "Dir::Cache=$new/cache" -o APT::Sandbox::User=root
	archive=$(debian_archive)
	if [ -z "$archive" ]; then # no lists downloaded yet, as in fresh containers
		apt-get "$@" update || true
		archive=$(debian_archive "$@")
	fi
	[ -n "$archive" ] || die "the driver comes from the Debian archive, and apt here knows none"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $release main" >sources.list
	set -- "$@" -o "Dir::Etc::sourcelist=$new/sources.list" -o Dir::Etc::sourceparts=/nonexistent -o "Dir::State::status=$new/status"
	apt-get "$@" update || die "$release's package list cannot be had"
	version=$(apt-cache "$@" policy mesa-vulkan-drivers | awk '$1 == "Candidate:" { print $2 }')
	dpkg --compare-versions "${version:-0}" ge "$mesa_min" || die "$release offers Mesa ${version:-not at all}, not $mesa_min"
	apt-get "$@" install -y --no-install-recommends --download-only mesa-vulkan-drivers libstdc++6 >/dev/null ||
		die "$release's mesa-vulkan-drivers $version cannot be had with all that it needs"
	for deb in cache/archives/*.deb; do dpkg -x "$deb" root; done
	set -- root/usr/lib/*/libvulkan_lvp.so
	lib=${1%/*}
	# All other Vulkan drivers are deleted, because only the loader and this driver are needed.
	find "$lib" -name 'libvulkan_*' ! -name libvulkan_lvp.so -delete
	rm -rf root/usr/share/[!v]* root/etc root/var "$lib/gconv" "$lib"/libVkLayer*
	sed "s|\"library_path\": *\"[^\"]*\"|\"library_path\": \"$root/${lib#root/}/libvulkan_lvp.so\"|" \
		root/usr/share/vulkan/icd.d/lvp_icd*.json >root/lavapipe.json
	mv -T root "$root" 2>/dev/null || [ -d "$root" ] || die "cannot write $root" # another fetch may have won
)

[ -d "$root" ] || fetch
[ "${1:-}" != --fetch ] || exit 0
[ $# -ge 1 ] || die "usage: lavapipe.sh PROGRAM [ARGUMENT...]"
loader=$(ls "$root"/usr/lib/*/ld-linux-*.so.* | head -n 1)
VK_DRIVER_FILES=$root/lavapipe.json exec "$loader" --library-path "${loader%/*}" "$@"
