#!/bin/sh
# run.sh [NAME...] runs the tests of other projects with bin/lib/libvkevd_lapack.so. The device
# solves all orders, or all orders above a small one. Each NAME is a script of this folder, and runs
# in its own empty folder. run.sh fails if a test fails, or if too few calls reached the device.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
lapack=$(/sbin/ldconfig -p | sed -n 's/.*=> \(.*-linux-gnu\)\/liblapack\.so\.3$/\1/p' | head -n 1)/lapack
export here repository lapack VKEVD_CACHE="$scratch/cache"
export shim="$repository/bin/lib/libvkevd_lapack.so" alternative="$repository/bin/lib/alternative"

[ $# -gt 0 ] || set -- testers arrays bad_input numpy hazards alternative
failed=0
for name; do
	mkdir "$scratch/$name"
	started=$(date +%s)
	if (cd "$scratch/$name" && sh -eu "$here/$name.sh") >"$scratch/$name.log" 2>&1; then
		echo "drop-in: $name: fine, $(tail -n 1 "$scratch/$name.log"), $(($(date +%s) - started)) s"
	else
		failed=1
		tail -n 60 "$scratch/$name.log"
		echo "drop-in: $name: FAILED"
	fi
done
exit $failed
