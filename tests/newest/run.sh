#!/bin/sh
# run.sh [NAME...] runs the own tests of the newest numpy, scipy and scikit-learn on PyPI, in a
# virtual environment of $PYTHON that run.sh makes in .cache/newest. NAME is install (after
# vkevd.install()) or dropin (with bin/lib/libvkevd_lapack.so); without a name both run. run.sh fails
# if a test fails, or if too few calls reached the device.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
environment=$repository/.cache/newest
[ -x "$environment/bin/python" ] || "${PYTHON:-python3}" -m venv "$environment"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade numpy scipy scikit-learn pytest hypothesis
"$environment/bin/python" -c '
import numpy, platform, scipy, sklearn
print("newest: Python", platform.python_version(), "numpy", numpy.__version__, "scipy", scipy.__version__, "scikit-learn", sklearn.__version__)'
# Each test solves at most a few thousand matrices; more threads of BLAS would only disturb the driver.
export PYTHONPATH="$repository/python" PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" # pytest finds no configuration here

# The tests of what vkevd serves, and of what calls it. scipy's test_batch.py is left out: it compares
# seven digits, and the signs of vectors, of stacks (solved by scipy) and of matrices (by the device).
numpy="numpy/linalg/tests"
scipy="scipy/linalg/tests/test_decomp.py scipy/linalg/tests/test_decomp_polar.py scipy/linalg/tests/test_basic.py \
	scipy/linalg/tests/test_matfuncs.py scipy/linalg/tests/test_procrustes.py"
sklearn="sklearn/decomposition/tests/test_pca.py sklearn/decomposition/tests/test_kernel_pca.py \
	sklearn/decomposition/tests/test_incremental_pca.py sklearn/decomposition/tests/test_factor_analysis.py \
	sklearn/decomposition/tests/test_truncated_svd.py sklearn/manifold/tests/test_mds.py sklearn/covariance/tests \
	sklearn/cross_decomposition/tests sklearn/tests/test_discriminant_analysis.py"

# Not these tests:
# - eight cases of scipy's test_overwrite want to see that svd(a, overwrite_a=True) has destroyed a. The
#   argument allows it and does not promise it. vkevd keeps a, which the original function needs if
#   the device fails.
# - numpy's TestNormSingle::test_axis compares a stack, which numpy solves in double precision also
#   for float32, with matrices that install() solves in single precision.
without="not (test_overwrite and TestSVD and True-2-F-float) and not (TestNormSingle and test_axis)"

[ $# -gt 0 ] || set -- install dropin
failed=0
for way; do
	for project in numpy scipy sklearn; do
		eval "files=\$$project"
		started=$(date +%s)
		if "$environment/bin/python" "$here/own_tests.py" "$way" "$project" "$without" $files >"$way-$project" 2>&1; then
			echo "newest: $way: $project: $(tail -n 1 "$way-$project"), $(($(date +%s) - started)) s"
		else
			failed=1
			tail -n 60 "$way-$project"
			echo "newest: $way: $project: FAILED"
		fi
	done
done
exit $failed
