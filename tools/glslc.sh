#!/bin/sh
# glslc.sh compiles one shader with a fixed version of the compiler glslang. This compiler has made
# the SPIR-V files in the repository.
#
#   glslc.sh IN.comp OUT.spv [NAME=VALUE ...]   compile, with preprocessor defines
#   glslc.sh --val FILE.spv                     check with spirv-val of the same release
#   glslc.sh --fetch                            download the compiler; otherwise at its first use
#   glslc.sh --available                        status 0 if the compiler is downloaded
#   glslc.sh --version                          print the fixed versions
#
# The compiler comes from Debian trixie. The script unpacks it into the user's cache, together with
# trixie's C library. The compiler therefore runs on older systems, needs no root, and does not
# change the packages of the machine. The SPIR-V optimizer does not run, because drivers optimize
# anyway, and SPIR-V without optimization corresponds to the shader.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/debian.sh"

release=trixie
glslang=15.1.0+1.4.309.0-1
spirv_tools=2025.1~rc1-1

root=${XDG_CACHE_HOME:-$HOME/.cache}/vkevd/glslang-${glslang%%+*}

die() {
	echo "glslc: $*" >&2
	exit 1
}

fetch() (
	command -v apt-get >/dev/null && command -v dpkg >/dev/null ||
		die "the pinned compiler comes as Debian packages, and there is no apt here"
	mkdir -p "${root%/*}"
	new=$(mktemp -d "${root%/*}/fetching.XXXXXX")
	trap 'rm -rf "$new"' EXIT
	cd "$new"
	mkdir -p lists/partial cache/archives/partial root
	# apt gets folders of its own, so that the machine's package sources and lists do not change.
	set -- -qq -o "Dir::State::lists=$new/lists" -o "Dir::Cache=$new/cache" -o APT::Sandbox::User=root
	archive=$(debian_archive)
	if [ -z "$archive" ]; then # no lists downloaded yet, as in fresh containers
		apt-get "$@" update || true
		archive=$(debian_archive "$@")
	fi
	[ -n "$archive" ] || die "the pinned compiler comes from the Debian archive, and apt here knows none"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $release main" >sources.list
	set -- "$@" -o "Dir::Etc::sourcelist=$new/sources.list" -o Dir::Etc::sourceparts=/nonexistent
	apt-get "$@" update || die "$release's package list cannot be had"
	apt-get "$@" download "glslang-tools=$glslang" "spirv-tools=$spirv_tools" \
		"libc6/$release" "libstdc++6/$release" "libgcc-s1/$release" ||
		die "$release no longer offers glslang $glslang with spirv-tools $spirv_tools"
	for deb in *.deb; do dpkg -x "$deb" root; done
	rm -rf root/usr/share root/etc root/var
	mv -T root "$root" 2>/dev/null || [ -d "$root" ] || die "cannot write $root" # another fetch may have won
)

available() { [ -d "$root" ]; }

# pinned NAME ARG... runs a program of the downloaded packages with the C library of these packages.
pinned() {
	available || fetch
	loader=$(ls "$root"/usr/lib/*/ld-linux-*.so.* | head -n 1)
	program=$1
	shift
	"$loader" --library-path "${loader%/*}" "$root/usr/bin/$program" "$@"
}

compile() {
	[ $# -ge 2 ] || die "usage: glslc.sh IN.comp OUT.spv [NAME=VALUE ...]"
	in=$1 out=$2 glsl=$here/../shaders/glsl
	shift 2
	for define; do
		shift
		set -- "$@" "-D${define#-D}"
	done
	# The target is vulkan1.2. For vulkan1.3 glslang writes LocalSizeId, which also needs the
	# feature maintenance4.
	if ! pinned glslang --quiet --target-env vulkan1.2 "-I$glsl" "-I$glsl/common" \
		"$@" -o "$out" "$in" >&2; then
		rm -f "$out"
		exit 1
	fi
}

case ${1:-} in
--version) echo "glslang $glslang, spirv-tools $spirv_tools" ;;
--available) available ;;
--fetch) available || fetch ;;
--val) pinned spirv-val --target-env vulkan1.2 --scalar-block-layout "$2" ;;
*) compile "$@" ;;
esac
