#!/bin/sh
# install-lib.sh [FOLDER] installs the C library that lib.sh has built in FOLDER. The default folder
# is bin/lib. The script installs the library, vkevd.h, vkevd.pc and licences under $DESTDIR$PREFIX.
# The default of PREFIX is /usr/local. With DROP_IN=1 it installs the drop-in of drop-in.sh instead.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$here/../cmd/libvkevd
prefix=${PREFIX-/usr/local}
to=${DESTDIR:-}$prefix

built=${1:-$here/../bin/lib}
if [ "${DROP_IN:-0}" = 1 ]; then
	mkdir -p "$to/lib/vkevd"
	install -m 755 "$built/libvkevd_lapack.so" "$built/libvkevd_engine.so" "$to/lib/vkevd"
	install -m 644 "$built/NOTICES.txt" "$here/../LICENSE" "$to/lib/vkevd"
	echo "installed; to use it: export LD_PRELOAD=$prefix/lib/vkevd/libvkevd_lapack.so"
	exit 0
fi
mkdir -p "$to/lib/pkgconfig" "$to/include" "$to/share/doc/vkevd"
install -m 755 "$built/libvkevd.so.0" "$to/lib"
install -m 644 "$built/NOTICES.txt" "$here/../LICENSE" "$to/share/doc/vkevd"
ln -sf libvkevd.so.0 "$to/lib/libvkevd.so"
install -m 644 "$source/vkevd.h" "$to/include"
version=$(sed -n 's/^#define VKEVD_VERSION "\(.*\)"$/\1/p' "$source/vkevd.h")
sed "s|@PREFIX@|$prefix|; s|@VERSION@|$version|" "$source/vkevd.pc.in" >"$to/lib/pkgconfig/vkevd.pc"
echo "installed $to/lib/libvkevd.so, $to/include/vkevd.h and $to/lib/pkgconfig/vkevd.pc"
cat <<END
programs must find the library when they run, by one of these:
  sudo ldconfig                                 if /etc/ld.so.conf has $prefix/lib
  cc … -Wl,-rpath,$prefix/lib                   when they are linked
  export LD_LIBRARY_PATH=$prefix/lib            before they run
END
