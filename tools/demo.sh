#!/bin/sh
# demo.sh solves the matrix that comes with the repository, and prints some lines about the result.
set -eu
cd "$(dirname "$0")/.."

matrix=tests/testdata/demo.mtx
values=bin/demo-values.txt
report=bin/demo-report.txt

echo "Stiffness of a three-storey building with a tower: a matrix of order 468."
echo "\$ bin/vkevd solve --verbose --check $matrix >$values"
if ! bin/vkevd solve --verbose --check "$matrix" >"$values" 2>"$report"; then
	cat "$report" >&2
	exit 1
fi
awk '{ v[NR] = $1 } END { printf "eigenvalues: %.4f, %.4f, %.4f, …, %.1f (%d, all of them in %s)\n", v[1], v[2], v[3], v[NR], NR, f }' \
	f="$values" "$values"
grep -E '^(device|solve|total|residual|orthogonality) ' "$report"
echo "Next: bin/vkevd help, or bin/vkevd solve --out-vectors Q.npy YOUR-MATRIX"
