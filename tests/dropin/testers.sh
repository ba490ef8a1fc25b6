# LAPACK's own test programs must print the same lines with and without the drop-in library. The
# inputs are Debian's, but with one block size instead of five. se2.in calls the same drivers as
# sep.in, and more. Single precision has only 4 of svd.in's 19 shapes. Pairs are only of order 16.
. "$here/functions.sh"
export LD_LIBRARY_PATH="$lapack:$(dirname "$lapack")/blas"
preload=$shim
tests() {
	for test in se2 svd; do
		one_block_size "$lapack/$test.in" >$test.in
	done
	sed -e '2s/^19 /4 /' -e '3s/^[0-9 ]*/0 10 16 30 /' -e '4s/^[0-9 ]*/1 16 10 30 /' svd.in >few.in
	pairs "$1" >sg.in
	case $1 in
	d | z) inputs="se2 svd sg" ;;
	*) inputs="se2 few sg" ;;
	esac
	for test in $inputs; do
		same $test.in "$lapack/xeigtst$1"
	done
}
in_each tests
on_device calls 21200 $all_routines
