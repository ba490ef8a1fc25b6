#!/bin/sh
# drop-in.sh [LIBLAPACK] builds a library with LAPACK's functions that call vkevd, in bin/lib. The
# manual is docs/drop-in.md. If the argument is the path of a complete LAPACK, the script also
# builds bin/lib/alternative/liblapack.so.3. This library passes all other calls to the given
# LAPACK.
set -eu
lapack=
if [ $# -gt 0 ]; then
	# The path may be a link that update-alternatives changes. The script uses the file to which the
	# link points, because the link may later lead to the new library itself.
	lapack=$1
	case $(readlink "$lapack") in /etc/alternatives/*) lapack=$(readlink "$(readlink "$lapack")") ;; esac
	lapack=$(cd "$(dirname "$lapack")" && pwd)/$(basename "$lapack")
	[ -f "$lapack" ] || { echo "drop-in: no library $lapack" >&2; exit 1; }
fi
cd "$(dirname "$0")/.."
out=bin/lib
shim=cmd/libvkevd_lapack/shim
mkdir -p "$out"

# shared OUTPUT FLAG... compiles the shim, the C part of the library, to OUTPUT. The library must
# not be unloaded (nodelete), because it installs a handler for fork.
shared() {
	output=$1
	shift
	"${CC:-cc}" -std=gnu11 -O2 -Wall -Wextra -fPIC -fvisibility=hidden -pthread -shared \
		-Wl,-z,nodelete -Wl,-z,defs -Wl,-z,now -o "$output" "$shim"/*.c "$@" -ldl -lm
}

# The option asyncpreemptoff is set: without asynchronous preemption, Go's runtime sends no SIGURG.
# A program may have its own handler for SIGURG.
CGO_ENABLED=1 ${GO:-go} build -trimpath -buildvcs=false -buildmode=c-shared \
	-ldflags "-s -w -X=runtime.godebugDefault=asyncpreemptoff=1 -extldflags '-Wl,-z,now -Wl,--version-script=$PWD/cmd/libvkevd_lapack/engine.map'" \
	-o "$out/libvkevd_engine.so" ./cmd/libvkevd_lapack
rm -f "$out/libvkevd_engine.h"
tools/notices.sh ./cmd/libvkevd_lapack >"$out/NOTICES.txt"
shared "$out/libvkevd_lapack.so" -Wl,-soname,libvkevd_lapack.so

[ -n "$lapack" ] || exit 0
# The new library needs the given LAPACK, and both have the name liblapack.so.3. The loader never
# loads two libraries with the same name. The dependency is therefore written as a path. For this
# purpose, the script links an empty library whose name (soname) is this path.
mkdir -p "$out/alternative"
stub=$(mktemp -d)
trap 'rm -rf "$stub"' EXIT
"${CC:-cc}" -shared -nostdlib -Wl,-soname,"$lapack" -o "$stub/libstub.so" -x c /dev/null
cp "$out/libvkevd_engine.so" "$out/NOTICES.txt" "$out/alternative/"
shared "$out/alternative/liblapack.so.3" -Wl,-soname,liblapack.so.3 -Wl,--no-as-needed "$stub/libstub.so"
