#!/bin/sh
# run.sh [NAME...] runs the scripts of this folder, or those named, each in an empty folder of its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
REPOSITORY=$(cd "$here/../.." && pwd)
export REPOSITORY PATH="$REPOSITORY/bin:$PATH"
# Nothing that the user has kept may matter, and nothing is left behind.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export VKEVD_CACHE="$scratch/cache" VKEVD_CONFIG="$scratch/config"

[ $# -gt 0 ] || set -- numpy gonum tridiagonal gpu pipeline readme
failed=0
for name; do
	mkdir "$scratch/$name"
	started=$(date +%s)
	if (cd "$scratch/$name" && sh -eu "$here/$name.sh") >"$scratch/$name.log" 2>&1; then
		echo "newcomers: $name: fine, $(($(date +%s) - started)) s"
	else
		failed=1
		cat "$scratch/$name.log"
		echo "newcomers: $name: FAILED"
	fi
done
exit $failed
