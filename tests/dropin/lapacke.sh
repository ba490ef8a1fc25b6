# The script tests LAPACKE, LAPACK's interface for C. LAPACKE calls the drop-in library, because
# LAPACKE is linked with liblapack.so.3.
. "$here/functions.sh"
"${CC:-cc}" -O1 -o lapacke "$here/lapacke.c" -llapacke -lm
./lapacke
LD_PRELOAD=$shim VKEVD_CROSSOVER=0 VKEVD_VERBOSE=1 ./lapacke 2>calls
on_device calls 72 dsyev ssyev dsyevd ssyevd dsyevr ssyevr dsyevx ssyevx dgesvd sgesvd dgesdd sgesdd \
	zgesvd cgesvd zgesdd cgesdd zheev cheev zheevd cheevd zheevr cheevr zheevx cheevx \
	dsygv ssygv dsygvd ssygvd dsygvx ssygvx zhegv chegv zhegvd chegvd zhegvx chegvx
