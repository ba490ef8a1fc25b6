"""numpy's and scipy's own tests of eigenvalues, after vkevd.install()."""

import re

from common import Case, unittest

try:
    import hypothesis, pytest  # noqa: E401  numpy's tests use both
except ImportError:
    pytest = None

try:
    import scipy.linalg
except ImportError:
    scipy = None

# The program runs tests of a module. At the end it prints how many matrices the device has solved,
# for each type of numbers, and how many of them were pairs.
PROGRAM = """
import collections, importlib, sys
import pytest, vkevd
solved, eigen = collections.Counter(), vkevd._install._eigen

def counted(a, *arguments):
    result = eigen(a, *arguments)
    solved.update([a.dtype.name] + ["pairs"] * (len(arguments) > 5))
    return result

vkevd._install._eigen = counted
vkevd.install(2)
tests = importlib.import_module("{module}")
code = pytest.main(["-q", "-p", "no:cacheprovider", tests.__file__, "-k", "{tests}"])
print("solved", *(f"{{name}}={{count}}" for name, count in solved.items()))
sys.exit(code)
"""


@unittest.skipIf(pytest is None, "no pytest or hypothesis")
class OwnTests(Case):
    def run_tests(self, module, tests, least):
        text = self.run_python(PROGRAM.format(module=module, tests=tests), timeout=600)
        solved = {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", text[text.rindex("solved "):])}
        for name in ("float32", "float64", "complex64", "complex128") + ("pairs",) * module.startswith("scipy"):
            self.assertGreaterEqual(solved.get(name, 0), least, solved)

    def test_numpy(self):
        self.run_tests("numpy.linalg.tests.test_linalg", "Eigh or Eigvalsh or SVDHermitian", 40)

    @unittest.skipIf(scipy is None, "no scipy")
    def test_scipy(self):
        """The tests of eigh and eigvalsh except one, which compares the signs of vectors of the
        device with those of scipy."""
        self.run_tests("scipy.linalg.tests.test_decomp", "(Eigh or Eigvalsh) and not test_deprecation_results", 5)


if __name__ == "__main__":
    unittest.main()
