# The drop-in library must treat bad calls as LAPACK does. The script makes calls with arguments
# that LAPACK refuses, and with NaN and infinities. The values of info, the calls of xerbla and the
# results with NaN must be LAPACK's own.
. "$here/functions.sh"
"${CC:-cc}" -O1 -o bad_input "$here/bad_input.c" "$lapack/liblapack.so.3" -lm
export LD_LIBRARY_PATH="$lapack:$(dirname "$lapack")/blas"
timeout 60 ./bad_input >want
LD_PRELOAD=$shim VKEVD_CROSSOVER=0 VKEVD_VERBOSE=1 timeout 60 ./bad_input >got 2>calls
grep -q 'SGESDD, argument 12; info -12' want
diff want got
on_device calls 760 $all_routines
