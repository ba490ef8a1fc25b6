#!/bin/sh
# release.sh VERSION [FOLDER] makes the files of a release in dist/ or FOLDER:
#
#   vkevd-VERSION-linux-amd64.tar.gz     the command with README, licence and notices
#   vkevd-VERSION-windows-amd64.zip      the same files, if gcc-mingw-w64-x86-64 is installed
#   SHA256SUMS                           hashes of the archives: sha256sum -c SHA256SUMS
#
# The script builds for the machine on which it runs and, if MinGW is installed, for Windows. It
# cannot build for macOS, because cgo needs Apple's SDK for macOS. Two builds of the same commit
# with the same compilers give archives with the same bytes.
set -eu
cd "$(dirname "$0")/.."

die() {
	echo "release: $*" >&2
	exit 1
}

[ $# -ge 1 ] && [ $# -le 2 ] || die "usage: release.sh VERSION [FOLDER]"
version=$1
out=${2:-dist}
case $version in
v[0-9]*.[0-9]*.[0-9]*) ;;
*) die "a version looks like v1.2.3, not $version" ;;
esac
# In a worktree of git, .git is a file and not a folder. Go then records no version, without a
# message, and the program could not print its version.
[ -d .git ] || die "this folder is a worktree or no clone; please run it in the clone itself"
[ -z "$(git status --porcelain)" ] || die "there are changes that are not committed"
[ "$(git describe --tags --exact-match 2>/dev/null)" = "$version" ] ||
	echo "release: this commit has no tag $version; the program will call itself by its commit" >&2
date=$(git log -1 --format=%cI)
seconds=$(git log -1 --format=%ct)

mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build GOOS GOARCH PROGRAM makes a folder with the contents of an archive, and prints its name.
build() {
	name=vkevd-$version-$1-$2
	mkdir "$work/$name"
	# Windows loads every program at a random address. On Linux this needs a program of type PIE,
	# whose tables of addresses the loader can protect from writes if it binds all of them first
	# (now).
	case $1 in linux) now="-extldflags '-Wl,-z,now'" ;; *) now= ;; esac
	env CGO_ENABLED=1 GOOS="$1" GOARCH="$2" \
		go build -trimpath -buildvcs=true -buildmode=pie -ldflags "-s -w $now" -o "$work/$name/$3" ./cmd/vkevd
	if [ "$1" = linux ]; then
		readelf -hd "$work/$name/$3" >"$work/elf"
		grep -q 'Type: *DYN' "$work/elf" && grep -q BIND_NOW "$work/elf" || die "$3 is no PIE that is bound at once"
	fi
	cp README.md LICENSE CHANGELOG.md "$work/$name/"
	GOOS=$1 GOARCH=$2 CGO_ENABLED=1 tools/notices.sh ./cmd/vkevd >"$work/$name/NOTICES.txt"
	find "$work/$name" -exec touch -d "$date" {} +
	echo "$name"
}

goos=$(go env GOHOSTOS) goarch=$(go env GOHOSTARCH)
name=$(build "$goos" "$goarch" vkevd)
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$seconds" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
made=$name.tar.gz

mingw=x86_64-w64-mingw32-gcc
if ! command -v $mingw >/dev/null; then
	echo "release: no $mingw, so no archive for Windows" >&2
elif ! command -v zip >/dev/null; then
	echo "release: no zip, so no archive for Windows" >&2
else
	name=$(CC=$mingw build windows amd64 vkevd.exe)
	rm -f "$out/$name.zip"
	(cd "$work" && find "$name" -type f | LC_ALL=C sort | TZ=UTC zip -9 -X -q "$out/$name.zip" -@)
	made="$made $name.zip"
fi

cd "$out"
# shellcheck disable=SC2086 # names without blanks
sha256sum $made >SHA256SUMS
cat SHA256SUMS
