# The script runs numpy's own tests of eigh, eigvalsh and svd with the drop-in library. numpy
# computes in double precision for float32 and complex64, too. The tests of svd use tens of
# thousands of matrices of order 1 and 2, so only orders from 5 on go to the device.
. "$here/functions.sh"
tests=$(/usr/bin/python3 -c 'import numpy.linalg.tests as t; print(t.__path__[0])')
for part in "0 Eigh or Eigvalsh or SVDHermitian" "5 TestSVD and not Hermitian"; do
	LD_PRELOAD=$shim VKEVD_CROSSOVER=${part%% *} VKEVD_VERBOSE=1 /usr/bin/python3 -m pytest -q -s \
		-p no:cacheprovider "$tests/test_linalg.py" -k "${part#* }" 2>>calls
done
on_device calls 2000 dsyevd zheevd dgesdd zgesdd
