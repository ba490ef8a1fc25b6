#!/bin/sh
# run.sh [NAME...] runs scripts of this folder, each in its own empty folder. Without arguments it
# runs all scripts.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
REPOSITORY=$(cd "$here/../.." && pwd)
export REPOSITORY PATH="$REPOSITORY/bin:$PATH"
# The scripts must not depend on files that the user has stored, and must leave no files.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export VKEVD_CACHE="$scratch/cache" VKEVD_CONFIG="$scratch/config"

[ $# -gt 0 ] || set -- numpy gonum tridiagonal gpu pipeline readme python c
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
