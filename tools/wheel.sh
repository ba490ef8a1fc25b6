#!/bin/sh
# wheel.sh [FOLDER] makes the wheel of the Python package in FOLDER, by default dist. The build
# needs Go, a C compiler, and Python with pip, setuptools and wheel, but no network. A user of the
# wheel needs none of these tools.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/..
mkdir -p "${1:-$root/dist}"
out=$(cd "${1:-$root/dist}" && pwd)

[ -n "${VKEVD_LIBRARY:-}" ] || "$here/lib.sh"
# pip builds from a copy, so that setuptools writes no files to the checkout.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/cmd" "$scratch/bin"
cp -R "$root/python" "$root/LICENSE" "$scratch"
cp -R "$root/cmd/libvkevd" "$scratch/cmd"
VKEVD_LIBRARY=${VKEVD_LIBRARY:-$root/bin/lib/libvkevd.so.0} PIP_DISABLE_PIP_VERSION_CHECK=1 \
	"${PYTHON:-/usr/bin/python3}" -m pip wheel --quiet --no-build-isolation --no-deps --no-index \
	--wheel-dir "$out" "$scratch/python"
ls "$out"/vkevd-*.whl
