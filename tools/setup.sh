#!/bin/sh
# setup.sh [PACKAGE...] prepares this machine to build and test vkevd. It installs make, a C
# compiler for cgo, the Vulkan loader, Mesa's CPU driver (lavapipe), the validation layers, and the
# named Debian packages. If all packages are installed, the script prints nothing and changes
# nothing. It never writes to /etc/apt. If Mesa has to come from Debian's backports, the script uses
# backports only for this installation.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/debian.sh"

# Older versions of Mesa's CPU driver lavapipe end every loop of a kernel after 65535 iterations,
# without an error.
mesa_min=25
packages="ca-certificates gcc libc6-dev make libvulkan1 vulkan-validationlayers $*"

die() {
	echo "setup: $*" >&2
	exit 1
}

check_go() {
	need=$(awk '$1 == "go" { print $2 }' "$here/../go.mod")
	command -v go >/dev/null || die "Go $need or newer is needed and not on PATH (https://go.dev/dl)"
	# Run go env inside the module, because Go may download the newer version that go.mod names.
	have=$(cd "$here/.." && go env GOVERSION | sed 's/^go//; s/[^0-9.].*//')
	[ "$(printf '%s\n%s\n' "$need" "${have:-0}" | sort -V | head -n 1)" = "$need" ] ||
		die "Go $need or newer is needed, this one is ${have:-broken}"
}

# Without apt the script installs nothing, but prints what is missing.
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

# apt ARG... runs apt-get with the package sources in /etc/apt. If $sources names a folder, apt-get
# uses the package sources in this folder instead. Standard input is empty, so apt-get cannot ask
# questions.
sources=
apt() {
	as_root env DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes \
		apt-get -o DPkg::Lock::Timeout=600 ${sources:+-o "Dir::Etc::sourceparts=$sources"} -qq "$@" </dev/null >/dev/null
}

# install_mesa installs Mesa from the Debian archive if that version is new enough, otherwise from
# backports.
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
# Some package sources may be unreachable. This matters only if the installation below fails.
apt update || true
set --
for p in $packages; do
	[ -n "$(installed_version "$p")" ] || set -- "$@" "$p"
done
[ $# = 0 ] || apt install -y --no-install-recommends "$@"
new_enough "$mesa" || install_mesa
