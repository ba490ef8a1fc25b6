# The script runs LAPACK's test programs in both precisions with the drop-in library, with Debian's
# unchanged inputs. It uses all inputs that lead to the routines of the library. dsg.in and ssg.in
# have generalized problems, whose drivers call dsyev and other routines of the library.
. "$here/functions.sh"
export LD_LIBRARY_PATH="$lapack:$(dirname "$lapack")/blas"
preload=$shim
tests() {
	for test in sep se2 svd ${1}sg; do
		same "$lapack/$test.in" "$lapack/xeigtst$1"
	done
}
in_both tests
on_device calls 100000 $all_routines
