# The script runs Octave's functions eig and svd, which call the drop-in library, on the
# repository's matrices.
. "$here/functions.sh"
export most=600 # larger orders take a CPU device minutes
LD_PRELOAD=$shim VKEVD_CROSSOVER=20 VKEVD_VERBOSE=1 octave-cli --norc "$here/matrix.m" 2>calls
on_device calls 30 dsyev ssyev dgesvd sgesvd
