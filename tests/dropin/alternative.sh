# This script tests a complete liblapack.so.3, as Debian's alternatives would install it, but in a
# local folder. LAPACK's test program takes all other routines from the next LAPACK.
. "$here/functions.sh"
for library in "$shim" "$(dirname "$shim")/libvkevd_engine.so" "$alternative"/*.so*; do
	readelf -d "$library" | grep BIND_NOW # its tables of addresses are protected from writes
done
export LD_LIBRARY_PATH="$alternative:$(dirname "$lapack")/blas" VKEVD_VERBOSE=1
one_block_size "$lapack/se2.in" | sed -e '2s/^6/1/' -e '3s/^[0-9 ]*/5 /' >se2.in
same se2.in "$lapack/xeigtstd"
VKEVD_CROSSOVER=0 /usr/bin/python3 -c '
import numpy as np
a = np.random.default_rng(1).standard_normal((60, 60)) + 60 * np.eye(60)
assert np.allclose(a @ np.linalg.solve(a, a[0]), a[0])
w, v = np.linalg.eigh(a + a.T)
assert np.allclose((a + a.T) @ v, v * w)' 2>>calls
on_device calls 300
