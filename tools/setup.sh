#!/bin/sh
# setup.sh [PACKAGE...] makes this machine able to build and test vkevd. It installs make, a C
# compiler for cgo, the Vulkan loader, Mesa's CPU driver (lavapipe), the validation layers, and
# the named Debian packages. If all of them are installed, it prints nothing and changes nothing.
# It never writes to /etc/apt: if Mesa has to come from Debian's backports, that source is used
# for this one installation.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/debian.sh"

# Lavapipe before this version ends every loop after 65535 rounds, without an error.
mesa_min=25
packages="ca-certificates gcc libc6-dev make libvulkan1 vulkan-validationlayers $*"

die() {
	echo "setup: $*" >&2
	exit 1
}

check_go() {
	need=$(awk '$1 == "go" { print $2 }' "$here/../go.mod")
	command -v go >/dev/null || die "Go $need or newer is needed and not on PATH (https://go.dev/dl)"
	# Asked inside the module, where a Go that can get itself a newer one does so.
	have=$(cd "$here/.." && go env GOVERSION | sed 's/^go//; s/[^0-9.].*//')
	[ "$(printf '%s\n%s\n' "$need" "${have:-0}" | sort -V | head -n 1)" = "$need" ] ||
		die "Go $need or newer is needed, this one is ${have:-broken}"
}

# Without apt we install nothing, but say what is missing.
check_without_apt() {
	lacks=
	command -v "${CC:-cc}" >/dev/null || lacks="$lacks, a C compiler"
	ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1' || lacks="$lacks, libvulkan.so.1"
	ls /usr/share/vulkan/icd.d/lvp_icd*.json >/dev/null 2>&1 ||
		lacks="$lacks, Mesa $mesa_min or newer with lavapipe"
	[ -z "$lacks" ] || die "no apt here; please install: ${lacks#, }"
}

new_enough() { [ -n "$1" ] && dpkg --compare-versions "$1" ge "$mesa_min"; }

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# apt ARG... runs apt-get with the package sources in /etc/apt, or with those in $sources if that
# names a folder. Its standard input is empty: it asks nothing.
sources=
apt() {
	as_root env DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes \
		apt-get -o DPkg::Lock::Timeout=600 ${sources:+-o "Dir::Etc::sourceparts=$sources"} -qq "$@" </dev/null >/dev/null
}

# install_mesa takes the archive's Mesa where it is new enough, else backports'.
install_mesa() {
	have=$(candidate_version mesa-vulkan-drivers)
	if new_enough "$have"; then
		apt install -y --no-install-recommends mesa-vulkan-drivers
		return
	fi
	. /etc/os-release
	backports=${VERSION_CODENAME:-none}-backports
	archive=$(debian_archive)
	refusal="lavapipe of Mesa $mesa_min or newer is needed; ${PRETTY_NAME:-this system} offers ${have:-none}"
	[ -n "$archive" ] || die "$refusal and is no Debian with backports"
	if ! new_enough "$(candidate_version mesa-vulkan-drivers "$backports")"; then
		echo "setup: taking Mesa from $backports, for this once; /etc/apt stays as it is" >&2
		sources=$(mktemp -d)
		trap 'rm -rf "$sources"' EXIT
		chmod 755 "$sources" # apt reads it as its own user
		cp -R /etc/apt/sources.list.d/. "$sources"
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $backports main" \
			>"$sources/vkevd-backports.list"
		apt update || true
	fi
	new_enough "$(candidate_version mesa-vulkan-drivers "$backports")" ||
		die "$refusal, and $backports offers nothing newer"
	apt install -y --no-install-recommends -t "$backports" mesa-vulkan-drivers
}

check_go
if ! command -v apt-get >/dev/null; then
	check_without_apt
	exit 0
fi

missing=
for p in $packages; do
	[ -n "$(installed_version "$p")" ] || missing="$missing $p"
done
mesa=$(installed_version mesa-vulkan-drivers)
if [ -z "$missing" ] && new_enough "$mesa"; then
	exit 0
fi

new_enough "$mesa" || missing="$missing mesa-vulkan-drivers($mesa_min+)"
echo "setup: installing$missing" >&2
[ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
	die "neither root nor sudo; please install$missing"
# Some source may be out of reach. That matters only if the installation below fails.
apt update || true
set --
for p in $packages; do
	[ -n "$(installed_version "$p")" ] || set -- "$@" "$p"
done
[ $# = 0 ] || apt install -y --no-install-recommends "$@"
new_enough "$mesa" || install_mesa
