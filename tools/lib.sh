#!/bin/sh
# lib.sh [FOLDER] builds the C library in FOLDER, by default bin/lib. The library is libvkevd.so.0,
# libvkevd.so is a link to it, and NOTICES.txt has the licences of the software in it. The script
# needs Go and a C compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:-$here/../bin/lib}"
out=$(cd "${1:-$here/../bin/lib}" && pwd)
cd "$here/.."

# The library exports only the functions of vkevd.h, by a list for the linker. All addresses are
# bound when it is loaded, so the loader can protect their tables from writes.
link="-Wl,-z,now -Wl,-soname,libvkevd.so.0 -Wl,--version-script=$here/../cmd/libvkevd/libvkevd.map"
CGO_ENABLED=1 ${GO:-go} build -trimpath -buildvcs=false -buildmode=c-shared \
	-ldflags "-s -w -extldflags '$link'" -o "$out/libvkevd.so.0" ./cmd/libvkevd
rm -f "$out/libvkevd.so.h" "$out/libvkevd.h" # cgo's own header
ln -sf libvkevd.so.0 "$out/libvkevd.so"
tools/notices.sh ./cmd/libvkevd >"$out/NOTICES.txt"
