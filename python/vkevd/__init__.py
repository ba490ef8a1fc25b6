"""Eigenvalues and singular values of dense matrices on a GPU, through Vulkan.

    w, z = vkevd.eigh(a)             A = Z·diag(w)·Zᴴ, A symmetric or complex Hermitian, w ascending
    w = vkevd.eigvalsh(a)
    u, s, vh = vkevd.svd(a)          A = U·diag(s)·Vᴴ, real or complex, s descending
    s = vkevd.svdvals(a)
    w, z = vkevd.eigh(a, b)          a·z = b·z·diag(w), b positive definite, and scipy's other types
    w, z = vkevd.Factor(b).solve(a)  the same for many a and one b
    w, z = vkevd.eigh_tridiagonal(d, e)
    results = vkevd.batched(list)    many small symmetric matrices of mixed orders
    vkevd.install()                  numpy.linalg and scipy.linalg use the GPU for large matrices

Arguments have the names of numpy.linalg and scipy.linalg. Each function also has

    device=    one of vkevd.devices(), or its index, or a part of its name; the default is the
               device of vkevd.use(...), or of the environment variable VKEVD_DEVICE, or the best
    progress=  True: a line of text on standard error; or a function with the arguments (stage,
               done, total), called in another thread; if it raises an exception, the solve ends;
               it must not use vkevd with the same device

Ctrl-C ends a solve. Other Python threads run during a solve. Devices stay open, and the plans of
the last shapes keep their device memory; vkevd.clear() frees this memory. After fork() a child
process can use vkevd only if its parent process has not solved a problem before; otherwise vkevd
raises ForkedError. multiprocessing's method "spawn" has no such limit.
"""

from ._batched import batched
from ._devices import clear, devices, use
from ._eigh import eigh, eigvalsh
from ._errors import (DeviceError, Error, ForkedError, NoConvergenceError, NoDeviceError, NotFiniteError,
                      NotPositiveDefiniteError, OutOfMemoryError, ResultOverflowError, UnsupportedError)
from ._install import install, installed, uninstall
from ._library import version
from ._pencil import Factor
from ._results import Device, EighResult, SVDResult
from ._svd import svd, svdvals
from ._tridiagonal import eigh_tridiagonal, eigvalsh_tridiagonal

__all__ = [
    "Device", "DeviceError", "EighResult", "Error", "Factor", "ForkedError", "NoConvergenceError", "NoDeviceError",
    "NotFiniteError", "NotPositiveDefiniteError", "OutOfMemoryError", "ResultOverflowError", "SVDResult", "UnsupportedError",
    "batched", "clear", "devices",
    "eigh", "eigh_tridiagonal", "eigvalsh", "eigvalsh_tridiagonal", "install", "installed", "svd", "svdvals", "uninstall", "use", "version",
]


def __getattr__(name):
    if name == "__version__":
        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
