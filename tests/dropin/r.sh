# The script runs R's functions eigen and svd, which call the drop-in library, on the repository's
# matrices.
. "$here/functions.sh"
export most=600 # larger orders take a CPU device minutes
LD_PRELOAD=$shim VKEVD_CROSSOVER=20 VKEVD_VERBOSE=1 Rscript --vanilla "$here/matrix.R" 2>calls
grep -v '^vkevd: ' calls && exit 1
on_device calls 15
