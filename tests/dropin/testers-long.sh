# The script runs LAPACK's test programs, for real and complex numbers in both precisions, with the
# drop-in library and Debian's unchanged inputs. It uses all inputs that lead to the routines of the
# library. dsg.in, ssg.in, zsg.in and csg.in have generalized problems.
. "$here/functions.sh"
export LD_LIBRARY_PATH="$lapack:$(dirname "$lapack")/blas"
preload=$shim
tests() {
	for test in sep se2 svd "${1}sg"; do
		same "$lapack/$test.in" "$lapack/xeigtst$1"
	done
}
in_each tests
on_device calls 150000 $all_routines
