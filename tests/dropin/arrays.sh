# The drop-in must write exactly the words that LAPACK writes: see arrays.py. LAPACK's own xerbla
# would end the program at the first wrong argument, so an xerbla that does nothing is preloaded.
. "$here/functions.sh"
library=${library:-$lapack/liblapack.so.3}
echo 'void xerbla_(void) {}' | "${CC:-cc}" -shared -fPIC -o xerbla.so -x c -
LD_PRELOAD=$PWD/xerbla.so VKEVD_LAPACK=$library VKEVD_CROSSOVER=0 VKEVD_VERBOSE=1 \
	/usr/bin/python3 "$here/arrays.py" "$library" "$shim" ${wide:-} 2>calls
grep -v '^vkevd: ' calls && exit 1
on_device calls 3130 $all_routines
