# scipy's own tests of decompositions and of what uses them, except test_subspace_angles. This test
# takes the arccosine of a singular value that is exactly 1. LAPACK computes exactly 1, because the
# matrix consists of zeros and ones. The device computes 1 − 2⁻⁵², whose arccosine is 2·10⁻⁸.
#
# guard.c checks that nothing is written outside of the arrays.
. "$here/functions.sh"
"${CC:-cc}" -O2 -shared -fPIC -o guard.so "$here/guard.c"
guarded() {
	LD_PRELOAD="$PWD/guard.so $shim" VKEVD_CROSSOVER=0 VKEVD_VERBOSE=1 /usr/bin/python3 "$@" 2>>calls
}
# One byte behind a block: the guard itself must see it.
if guarded -c 'import ctypes; ctypes.memset(ctypes.create_string_buffer(1000), 1, 1001)'; then
	echo "guard.c sees nothing" && exit 1
fi
grep 'guard: bytes outside of a block of 1000 bytes' calls
# scipy passes no memory for isuppz if an interval is given. The drop-in library must not write it,
# even if all values lie in the interval.
guarded -c '
import numpy as np, scipy.linalg
for driver, kind in (("evr", "d"), ("evr", "f"), ("evx", "d"), ("evr", "D"), ("evx", "F")):
    a = np.diag(np.arange(1, 61)).astype(kind)
    w, z = scipy.linalg.eigh(a, subset_by_value=[0, np.inf], driver=driver)
    assert len(w) == 60 and abs(a @ z - z * w).max() < 1e-3'
tests=$(/usr/bin/python3 -c 'import scipy.linalg.tests as t; print(t.__path__[0])')
guarded -m pytest -q -s -p no:cacheprovider "$tests"/test_decomp.py "$tests"/test_lapack.py "$tests"/test_misc.py \
	"$tests"/test_basic.py "$tests"/test_decomp_*.py "$tests"/test_matfuncs.py "$tests"/test_procrustes.py \
	"$tests"/test_interpolative.py -k "not test_subspace_angles"
on_device calls 3000 dsyevr ssyevr dsyevd ssyevd zheevr cheevr zheevd cheevd dgesdd sgesdd \
	dsygv dsygvd ssygvd dsygvx ssygvx zhegvd chegvd zhegvx chegvx
