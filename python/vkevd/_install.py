"""numpy.linalg and scipy.linalg with the GPU for large matrices."""

import functools
import logging
import time
import warnings

import numpy as np

from . import _devices, _svd
from ._arrays import numbers, square
from ._errors import Error
from ._pencil import paired, with_b
from ._symmetric import EVERYTHING, alone, check_driver, one, select_of, upper_of

_log = logging.getLogger("vkevd")

# The order from which numpy's and scipy's functions use the device, if install() is given none.
CROSSOVER = 512

_replaced = []  # (module, name, original)


def install(crossover=None, *, device=None):
    """Lets numpy.linalg and scipy.linalg use the device for large matrices.

    install() replaces the functions eigh, eigvalsh, svd and svdvals. A call is solved on the device
    if it has one matrix of float32, float64, complex64 or complex128 with at least crossover rows and
    columns, and only options that vkevd supports. Lists, DataFrames, arrays of integers and of the
    other byte order are converted, as numpy and scipy do. The same holds for pairs, with scipy's
    argument b. scipy's arguments driver and lapack_driver have no effect. All other calls, and calls
    that fail on the device, are solved by the original function. For each large matrix the logger "vkevd" writes at
    level INFO where it was solved, and why if it was the original function. uninstall() restores
    the original functions. A value beyond the largest number of its type is infinite, without an
    exception, as in numpy.

    Code that has imported a function by name before install() still calls the original function.

    Returns True. If no device can be used, or if the only device is a CPU and no crossover is
    given, install() warns (RuntimeWarning), changes nothing, and returns False: a driver that
    computes on the CPU is slower than LAPACK. With the argument device, both are exceptions.
    """
    try:
        opened = _devices.session(device)
        if crossover is None and opened.device.type == "cpu":
            raise ValueError(f"{opened.device.name} is a CPU, on which LAPACK is faster; install(N) uses it from order N on")
    except (Error, ValueError) as problem:
        if device is not None:
            raise
        warnings.warn(f"vkevd.install() changes nothing: {problem}", RuntimeWarning, stacklevel=2)
        return False
    uninstall()
    least = CROSSOVER if crossover is None else crossover
    for module in _modules():
        for name, ours in _OURS.items():
            original = getattr(module, name, None)
            if original is not None:
                place = module.__name__.partition(".")[0]
                _replaced.append((module, name, original))
                setattr(module, name, _wrap(original, functools.partial(ours, place), f"{place}.linalg.{name}",
                                            least, device))
    return True


def uninstall():
    """Restores the functions that install() has replaced."""
    while _replaced:
        module, name, original = _replaced.pop()
        setattr(module, name, original)


def installed():
    """Tells whether numpy and scipy use the device."""
    return bool(_replaced)


def _modules():
    """The public modules, and the module in which numpy's functions, such as pinv, find svd."""
    inner = getattr(np.linalg, "_linalg", None) or getattr(np.linalg, "linalg")
    modules = [np.linalg, inner]
    try:
        import scipy.linalg
        modules.append(scipy.linalg)
    except ImportError:
        pass
    return modules


class _NotOurs(Exception):
    """The call has an option that vkevd does not support."""


def _wrap(original, ours, name, least, device):
    place = name.partition(".")[0]

    @functools.wraps(original)
    def function(a, *arguments, **options):
        if not _is_large(a, least):
            return original(a, *arguments, **options)
        started = time.perf_counter()
        try:
            matrix = _matrix(a, place)
            if min(matrix.shape) < least:  # long lists of short rows
                return original(a, *arguments, **options)
            result = _as_given(a, ours(device, matrix, *arguments, **options), place)
        except Exception as problem:  # the original also answers for bad arguments and bad input
            _log.info("%s %s: left to %s (%s)", name, _described(a), name, _reason(problem))
            return original(a, *arguments, **options)
        _log.info("%s %s: on the device, %.3f s", name, matrix.shape, time.perf_counter() - started)
        return result

    return function


def _is_large(a, least):
    """Tells whether a is, or looks like, a matrix or a stack of matrices with at least this number
    of rows and columns."""
    if type(a) is not np.ndarray and isinstance(a, (list, tuple)):
        return len(a) >= least  # the number of columns is known later
    shape = getattr(a, "shape", ())
    return isinstance(shape, tuple) and len(shape) >= 2 and min(shape[-2:]) >= least


def _described(a):
    """The shape of an argument for the log. That of a list would take time."""
    return a.shape if hasattr(a, "shape") else f"list of {len(a)}"


def _matrix(a, place):
    """Returns an argument as an array that the library can solve, or raises _NotOurs."""
    of = type(a)
    if getattr(of, "__array_function__", np.ndarray.__array_function__) is not np.ndarray.__array_function__:
        raise _NotOurs(f"its type {of.__name__} has functions of its own; numpy.asarray makes an array")
    if hasattr(a, "toarray") or place == "scipy" and isinstance(a, np.ma.MaskedArray):
        raise _NotOurs(f"its type is {of.__name__}, which is not supported")
    a = np.asarray(a)
    if a.ndim != 2:
        raise _NotOurs(f"it has {a.ndim} dimensions")
    kind = a.dtype.newbyteorder("=").char
    if a.dtype.kind in "iub" and (place == "numpy" or a.dtype.itemsize > 2):
        kind = "d"  # as numpy does; scipy computes with short integers in single precision
    if kind not in "fdFD":
        raise _NotOurs(f"its elements are {a.dtype}")
    return a


def _as_given(a, result, place):
    """Returns the vectors of a result in the type of the argument a, if numpy does so: for
    numpy.matrix, for example."""
    wrap = getattr(a, "__array_wrap__", None)
    if place == "scipy" or type(a) is np.ndarray or wrap is None or not isinstance(result, tuple):
        return result
    parts = [wrap(part) if part.ndim == 2 else part for part in result]
    return result._make(parts) if hasattr(result, "_make") else tuple(parts)


def _reason(problem):
    """Says why a call was not solved on the device."""
    if isinstance(problem, _NotOurs):
        return str(problem)
    return f"{type(problem).__name__}: {problem}".replace("_numpy_", "").replace("_scipy_", "")


def _eigen(a, upper, vectors, select, row_major, device, b=None, type=1):
    """Solves one matrix or one pair. The vectors are row-major if row_major is set.

    a is never overwritten, even with overwrite_a, because the original function needs a if the
    device fails.
    """
    square(a)
    memory, copied = numbers(a)
    by = alone
    if b is not None:
        memory, b = paired(memory, b, type)
        by = with_b(b, upper, type)
    return one(memory, upper, vectors, select, not copied and memory is a, device, None, row_major, by=by)


def _result(numpy_name, parts):
    """Returns the result in numpy's own type, if numpy has a type for it."""
    inner = getattr(np.linalg, "_linalg", None)
    kind = getattr(inner, numpy_name, None)
    return kind(*parts) if kind else tuple(parts)


def _numpy_eigh(device, a, UPLO="L"):
    parts = _eigen(a, upper_of(UPLO, None), True, EVERYTHING, 1, device)
    return _result("EighResult", parts)


def _numpy_eigvalsh(device, a, UPLO="L"):
    return _eigen(a, upper_of(UPLO, None), False, EVERYTHING, 0, device)[0]


def _numpy_svd(device, a, full_matrices=True, compute_uv=True, hermitian=False):
    result = _svd.decompose(a, full_matrices, compute_uv, device=device, hermitian=hermitian)
    return _result("SVDResult", map(np.ascontiguousarray, result)) if compute_uv else result


def _numpy_svdvals(device, x):
    return _svd.decompose(x, True, False, device=device)


def _scipy_eigh(device, a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False,
                check_finite=True, subset_by_index=None, subset_by_value=None, driver=None, type=1):
    _finite(a, check_finite)
    if b is not None:
        try:
            b = _matrix(b, "scipy")
        except _NotOurs as problem:
            raise _NotOurs(f"b: {problem}")
        _finite(b, check_finite)
    select = select_of(a, subset_by_index, subset_by_value)
    check_driver(driver, b is not None, select is not EVERYTHING)
    w, z = _eigen(a, int(not lower), not eigvals_only, select, 0, device, *([] if b is None else [b, type]))
    return w if eigvals_only else (w, z)


def _scipy_eigvalsh(device, a, b=None, **options):
    return _scipy_eigh(device, a, b, eigvals_only=True, **options)


def _scipy_svd(device, a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True,
               lapack_driver="gesdd"):
    _svd.check_driver(lapack_driver)
    result = _svd.decompose(a, full_matrices, compute_uv, device=device)
    return tuple(result) if compute_uv else result


def _scipy_svdvals(device, a, overwrite_a=False, check_finite=True):
    return _svd.decompose(a, True, False, device=device)


def _finite(a, check_finite):
    """Checks both triangles, as scipy does."""
    if check_finite and not np.isfinite(a).all():
        raise _NotOurs("it contains a NaN or an infinity")


def _choose(by_numpy, by_scipy):
    return lambda place, *arguments, **options: (by_numpy if place == "numpy" else by_scipy)(*arguments, **options)


_OURS = {
    "eigh": _choose(_numpy_eigh, _scipy_eigh),
    "eigvalsh": _choose(_numpy_eigvalsh, _scipy_eigvalsh),
    "svd": _choose(_numpy_svd, _scipy_svd),
    "svdvals": _choose(_numpy_svdvals, _scipy_svdvals),
}
