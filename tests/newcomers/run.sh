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

[ $# -gt 0 ] || set -- gonum readme numpy physicist tridiagonal gpu pipeline python c
# Two scripts run at a time, because most of them use one core. xargs fails if one of them fails.
export here scratch
printf '%s\n' "$@" | xargs -n 1 -P 2 sh -euc '
	name=$0 started=$(date +%s)
	mkdir "$scratch/$name"
	if (cd "$scratch/$name" && exec sh -eu "$here/$name.sh") >"$scratch/$name.log" 2>&1; then
		echo "newcomers: $name: fine, $(($(date +%s) - started)) s"
	else
		cat "$scratch/$name.log"
		echo "newcomers: $name: FAILED"
		exit 1
	fi'
