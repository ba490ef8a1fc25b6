#!/bin/sh
# run.sh FOLDER solves matrices on 2 and 4 processes with ELPA and with ScaLAPACK. FOLDER has the
# programs vkevd and initialized, which were built with these two libraries. The script compares the
# results with numpy and with solves through Vulkan.
set -eu
vkevd=$1/vkevd
initialized=$1/initialized
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export VKEVD_CACHE="$scratch/cache" VKEVD_CONFIG="$scratch/config"

fail() {
	echo "cluster: $*" >&2
	exit 1
}

# refuses PROCESSES TEXT ARG... runs a command that must fail and print TEXT once.
refuses() {
	processes=$1 text=$2
	shift 2
	if mpirun --oversubscribe -n "$processes" "$vkevd" solve "$@" >out 2>err; then
		fail "$* succeeded"
	fi
	[ "$(grep -c "$text" err)" = 1 ] || { cat err; fail "$*: does not say \"$text\" once"; }
}

/usr/bin/python3 - <<'P'
import numpy as np
r = np.random.default_rng(7)
a = r.standard_normal((301, 301))
a += a.T
np.save("A.npy", a)                              # by rows
np.save("F.npy", np.asfortranarray(np.tril(a)))  # by columns, one triangle
np.save("L.npy", np.tril(a))
a[3, 5] = a[5, 3] = np.nan
np.save("nan.npy", a)
P
"$vkevd" solve --out-values gpu.npy --no-print --quiet A.npy

for engine in elpa scalapack; do
	for processes in 2 4; do
		solve() { mpirun --oversubscribe -n "$processes" "$vkevd" solve --engine "$engine" --quiet --no-print "$@"; }
		solve --check --out-vectors Q.npy --out-values w.npy --report w.json A.npy
		solve --uplo lower --out-values l.npy L.npy
		solve --uplo lower --out-values f.npy F.npy
		solve --largest 5 --check --out-vectors Q5.npy --out-values w5.npy A.npy
		/usr/bin/python3 - <<'P'
import json
import numpy as np
a, w, q = np.load("A.npy"), np.load("w.npy"), np.load("Q.npy")
small = 1e-12 * np.abs(w).max()
for name in "gpu", "l", "f":
    assert np.abs(np.load(name + ".npy") - w).max() < small, name
assert np.abs(a @ q - q * w).max() < small
assert np.abs(q.T @ q - np.eye(len(a))).max() < 1e-12
w5, q5 = np.load("w5.npy"), np.load("Q5.npy")
assert np.abs(w5 - w[-5:]).max() < small
assert np.abs(a @ q5 - q5 * w5).max() < small
report = json.load(open("w.json"))
assert report["ratios"]["passed"] and report["n"] == 301 and report["processes"] >= 2
P
		echo "cluster: $engine on $processes processes: fine"
	done
done

# MPI is finalized by whoever has initialized it, and only by them.
for by in program:2 cluster:1; do
	mpirun --oversubscribe -n 2 "$initialized" "${by%:*}" >out 2>&1 || { cat out; fail "MPI initialized by the ${by%:*}"; }
	[ "$(grep -c '^solved$' out)" = "${by#*:}" ] || { cat out; fail "MPI initialized by the ${by%:*}: not ${by#*:} solves"; }
done
echo "cluster: MPI initialized by the program: fine"

refuses 3 "a(6,4) is not finite" --engine elpa nan.npy
refuses 3 "not symmetric" --engine elpa L.npy
refuses 2 "no such file" --engine elpa none.npy
refuses 2 "/none/Q.npy" --engine elpa --out-vectors /none/Q.npy A.npy
refuses 2 "named for two outputs" --engine elpa --out-values w.npy --out-vectors w.npy A.npy
refuses 1 "cannot be combined" --engine elpa --device 0 A.npy
ls -a | grep -q 'vkevd-.*tmp' && fail "a temporary file is left"

# A part of the spectrum that contains no eigenvalues has no results to check. The command must
# succeed.
mpirun --oversubscribe -n 2 "$vkevd" solve --engine elpa --quiet --interval 1e6:2e6 --vectors --check A.npy

# If one process of the job is killed, mpirun must end all others.
/usr/bin/python3 -c 'import numpy as np; a = np.random.default_rng(1).standard_normal((3000, 3000)); np.save("B.npy", a + a.T)'
mpirun --oversubscribe -n 3 "$vkevd" solve --engine elpa --vectors --no-print B.npy >out 2>&1 &
job=$!
victim=
while [ -z "$victim" ]; do
	kill -0 $job || fail "the job ended before a process could be killed"
	sleep 0.2
	victim=$(pgrep -n -P $job) || true
done
sleep 1
kill -9 "$victim" || fail "there was no process to kill"
timeout 60 tail --pid=$job -f /dev/null || { kill -9 $job; fail "a job with a killed process does not end"; }
if wait $job; then
	fail "a job with a killed process succeeded"
fi
echo "cluster: refusals and a killed process: fine"

# Without --engine, a process that is one of several refuses to run.
for command in solve svd; do
	if mpirun --oversubscribe -n 2 "$vkevd" $command A.npy >out 2>err; then
		fail "$command as one of two processes succeeded"
	fi
	grep -q "this is one of 2 processes (OMPI_COMM_WORLD_SIZE)" err || { cat err; fail "$command as one of two processes"; }
done
