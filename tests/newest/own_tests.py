"""Runs tests of numpy, scipy or scikit-learn with vkevd, and counts the calls that the device solved.

    own_tests.py install|dropin PROJECT WITHOUT FILE...

WITHOUT is an expression for pytest's option -k. The last line says how many calls of each routine
the device solved. The exit status is 1 if a test fails, or if the device
solved fewer calls than LEAST says.
"""

import collections
import importlib.util
import logging
import os
import pathlib
import re
import subprocess
import sys

# Matrices of smaller orders stay with the original functions. For the drop-in, numpy's tests of svd
# have ten thousands of matrices of order 1 and 2, which install() leaves to numpy, because they are
# in stacks.
CROSSOVER = {"install": 2, "dropin": 5}
LEAST = 300  # install: 1833, 541 and 1936 calls with numpy 2.5.5, scipy 1.18.1, scikit-learn 1.9.1


class Counted(logging.Handler):
    """Counts the lines of the logger of vkevd by function and place."""

    def __init__(self):
        super().__init__()
        self.solved = collections.Counter()

    def emit(self, record):
        if "on the device" in record.msg:
            self.solved[record.args[0]] += 1


def after_install(arguments):
    """Runs pytest in this process. Tests import functions by name, so install() comes first."""
    import pytest
    import vkevd

    counted = Counted()
    logger = logging.getLogger("vkevd")
    logger.addHandler(counted)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    if not vkevd.install(CROSSOVER["install"]):
        return 1, counted.solved
    return pytest.main(arguments), counted.solved


def with_drop_in(arguments):
    """Runs pytest in another process, whose LAPACK is the drop-in."""
    shim = pathlib.Path(__file__).resolve().parents[2] / "bin" / "lib" / "libvkevd_lapack.so"
    environment = {**os.environ, "LD_PRELOAD": str(shim), "VKEVD_CROSSOVER": str(CROSSOVER["dropin"]), "VKEVD_VERBOSE": "1"}
    with open("calls", "w") as calls:
        code = subprocess.run([sys.executable, "-m", "pytest", "-s", *arguments], env=environment, stderr=calls).returncode
    with open("calls", errors="replace") as calls:
        return code, collections.Counter(line.split()[1] for line in calls if re.match("vkevd: .*→ (?!next library)", line))


def main():
    way, project, without, *files = sys.argv[1:]
    root = pathlib.Path(importlib.util.find_spec(project).origin).parent.parent
    # With this root pytest finds the conftest.py of the project.
    arguments = ["-q", "-p", "no:cacheprovider", "-W", "ignore", "--rootdir", str(root), "--confcutdir", str(root), "-k", without,
                 *(str(root / file) for file in files)]
    code, solved = (after_install if way == "install" else with_drop_in)(arguments)
    print(sum(solved.values()), "calls on the device:", ", ".join(f"{name} {count}" for name, count in sorted(solved.items())))
    return code or int(sum(solved.values()) < LEAST)


if __name__ == "__main__":
    sys.exit(main())
