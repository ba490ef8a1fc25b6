# scipy's own tests of eigh, svd and LAPACK's routines, except test_subspace_angles. This test takes
# the arccosine of a singular value that is exactly 1. LAPACK computes exactly 1, because the matrix
# consists of zeros and ones. The device computes 1 − 2⁻⁵², whose arccosine is 2·10⁻⁸ and not 0.
. "$here/functions.sh"
tests=$(/usr/bin/python3 -c 'import scipy.linalg.tests as t; print(t.__path__[0])')
LD_PRELOAD=$shim VKEVD_CROSSOVER=0 VKEVD_VERBOSE=1 /usr/bin/python3 -m pytest -q -s -p no:cacheprovider \
	"$tests/test_decomp.py" "$tests/test_lapack.py" "$tests/test_misc.py" \
	-k "not test_subspace_angles" 2>calls
on_device calls 300 dsyevr ssyevr dsyevd ssyevd dgesdd sgesdd
