# The script runs arrays.sh and LAPACK's test programs with Debian's LAPACK for 64-bit integers. The
# functions of that LAPACK have the same names as those with 32-bit integers.
. "$here/functions.sh"
lapack64=$(dirname "$lapack")/lapack64
library=$lapack64/liblapack64.so.3 wide=wide
. "$here/arrays.sh"
preload=$shim
tests() {
	pairs "$1" >sg.in
	same sg.in "$lapack64/xeigtst$1"
	for test in sep se2 svd; do
		one_block_size "$lapack/$test.in" >$test.in
		same $test.in "$lapack64/xeigtst$1"
	done
}
in_each tests
on_device calls 34000 $all_routines
