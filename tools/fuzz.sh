#!/bin/sh
# fuzz.sh TIME runs each fuzz target of the module for TIME, such as 1m or 30s.
set -eu
cd "$(dirname "$0")/.."
[ $# = 1 ] || {
	echo "usage: fuzz.sh TIME" >&2
	exit 2
}
grep -rl '^func Fuzz' --include='*_test.go' . | sort | while read -r file; do
	sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p' "$file" | while read -r target; do
		echo "fuzz: $target"
		"${GO:-go}" test -run '^$' -fuzz "^$target\$" -fuzztime "$1" "$(dirname "$file")" </dev/null
	done
done
