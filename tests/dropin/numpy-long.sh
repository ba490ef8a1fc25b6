# All of numpy's tests of linear algebra.
. "$here/functions.sh"
tests=$(/usr/bin/python3 -c 'import numpy.linalg.tests as t; print(t.__path__[0])')
LD_PRELOAD=$shim VKEVD_CROSSOVER=5 VKEVD_VERBOSE=1 /usr/bin/python3 -m pytest -q -s -p no:cacheprovider "$tests" 2>calls
on_device calls 10000 dgesdd
