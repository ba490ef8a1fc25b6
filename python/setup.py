"""Puts the C library into the package. All other settings are in pyproject.toml.

The wheel works with every Python 3 on the same system and processor, because the library does not
use Python's C interface. The tag of the wheel names the oldest glibc that the library can use.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "libvkevd.so.0"

# The C library that the package contains: an existing file, or a new one, whose build needs Go. The
# licences of the software in it, NOTICES.txt, are in the same folder.
LIBRARY = pathlib.Path(os.environ.get("VKEVD_LIBRARY") or ROOT / "bin" / "lib" / NAME)


def version():
    header = (ROOT / "cmd" / "libvkevd" / "vkevd.h").read_text(encoding="utf-8")
    return re.search(r'#define VKEVD_VERSION "(.*)"', header).group(1)


class Build(build_py):
    def run(self):
        super().run()
        if not os.environ.get("VKEVD_LIBRARY"):
            subprocess.run([str(ROOT / "tools" / "lib.sh")], check=True)
        package = pathlib.Path(self.build_lib) / "vkevd"
        package.mkdir(parents=True, exist_ok=True)
        shutil.copy(LIBRARY, package / NAME)
        shutil.copy(ROOT / "LICENSE", package / "LICENSE")
        shutil.copy(LIBRARY.with_name("NOTICES.txt"), package / "NOTICES.txt")


class Wheel(bdist_wheel):
    def get_tag(self):
        machine = platform.machine()
        found = re.findall(rb"GLIBC_2\.(\d+)(?:\.\d+)?\0", LIBRARY.read_bytes())
        if platform.libc_ver()[0] != "glibc" or not found:
            return "py3", "none", f"linux_{machine}"
        return "py3", "none", f"manylinux_2_{max(17, *map(int, found))}_{machine}"


class Binary(Distribution):
    def has_ext_modules(self):
        return True


setup(version=version(), distclass=Binary, cmdclass={"build_py": Build, "bdist_wheel": Wheel})
