#!/bin/sh
# lib.sh [FOLDER] builds the C library in FOLDER, by default bin/lib. The library is libvkevd.so.0,
# libvkevd.so is a link to it, and NOTICES.txt has the licences of the software in it. The script
# needs Go and a C compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:-$here/../bin/lib}"
out=$(cd "${1:-$here/../bin/lib}" && pwd)
cd "$here/.."

echo "lib: compiling libvkevd; the first time takes minutes" >&2
# Systems with an older glibc than this one shall be able to load the library, too. glibc 2.34 moved
# functions of libpthread.so.0 and libdl.so.2 to libc.so.6, and gave them new versions. The linker
# first sees libraries with the old names and versions, which have no code, and then notes these.
# Newer systems still have both files, and the old versions in libc.so.6. The folder has always the
# same name, because Go links again if an option changes.
# Several builds may make the libraries there at the same time, so each makes them in its own folder
# first.
stubs=$PWD/.cache/stubs
mkdir -p "$stubs"
new=$(mktemp -d "$stubs/new.XXXXXX")
trap 'rm -rf "$new"' EXIT
stub() { # NAME FUNCTION...
	name=$1
	shift
	printf 'void %s(void) {}\n' "$@" >"$new/stub.c"
	{ echo "$base {" && printf '%s;\n' "$@" && echo '};'; } >"$new/stub.map"
	"${CC:-cc}" -w -fno-builtin -shared -nostdlib "-Wl,-soname,$name" "-Wl,--version-script=$new/stub.map" \
		-o "$new/$name" "$new/stub.c"
	mv "$new/$name" "$stubs/$name"
	old="$old $stubs/$name"
}
old=
case $(uname -m) in x86_64) base=GLIBC_2.2.5 ;; aarch64) base=GLIBC_2.17 ;; *) base= ;; esac
if [ -n "$base" ] && getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
	stub libpthread.so.0 pthread_create pthread_detach pthread_join pthread_once pthread_sigmask pthread_getattr_np \
		pthread_attr_getstack pthread_attr_getstacksize pthread_attr_setstacksize pthread_key_create \
		pthread_getspecific pthread_setspecific
	stub libdl.so.2 dlopen dlsym dlclose dlerror
fi

# The library exports only the functions of vkevd.h, by a list for the linker. All addresses are
# bound when it is loaded, so the loader can protect their tables from writes.
link="-Wl,-z,now -Wl,-soname,libvkevd.so.0 -Wl,--version-script=$here/../cmd/libvkevd/libvkevd.map"
CGO_ENABLED=1 ${GO:-go} build -trimpath -buildvcs=false -buildmode=c-shared \
	-ldflags "-s -w -extldflags '$link$old'" -o "$out/libvkevd.so.0" ./cmd/libvkevd
rm -f "$out/libvkevd.so.h" "$out/libvkevd.h" # cgo's own header
ln -sf libvkevd.so.0 "$out/libvkevd.so"
tools/notices.sh ./cmd/libvkevd >"$out/NOTICES.txt"
