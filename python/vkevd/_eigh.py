"""Symmetric and Hermitian matrices."""

import numpy as np

from . import _batched, _devices
from ._arrays import narrowed, numbers, square, stack
from ._results import EighResult, finished
from ._symmetric import EVERYTHING, GENERALIZED, one, select_of, upper_of


def eigh(a, UPLO="L", *, b=None, lower=None, eigvals_only=False, overwrite_a=False, check_finite=True,
         subset_by_index=None, subset_by_value=None, precision=None, device=None, progress=None):
    """Eigenvalues, ascending, and eigenvectors of a real symmetric or complex Hermitian matrix, or
    of a stack of them.

    b is not supported: it stands for scipy's argument of this name, and must be None. UPLO ("L",
    "U") or lower (True, False) names the triangle of a that is read. subset_by_index = [first,
    last] selects eigenvalues by index, both ends included. subset_by_value = [low, high] selects
    the eigenvalues in (low, high]. Both are as in scipy. With eigvals_only no vectors are computed.
    With overwrite_a the vectors may replace a in memory, which saves memory. check_finite has no
    effect, because the triangle that is read is always checked. Matrices of float32 are solved in
    single precision, but stacks of small matrices in double precision. Complex matrices of a stack
    are solved one after another. The imaginary parts of a diagonal are not read.

    precision="mixed" solves in single precision first, and then refines the result to double
    precision. If that does not succeed, it solves in double precision. This is meant for devices
    whose double precision is slow. It is for all values and vectors of one matrix of float64.

    Returns an EighResult(eigenvalues, eigenvectors). The vectors are in Fortran order. With
    eigvals_only the result is the array of eigenvalues, which are real. The component of largest
    magnitude of each vector is real and positive. Raises NotFiniteError, which is a LinAlgError,
    for a NaN or an infinity. If a value is beyond the largest number of its type, raises
    ResultOverflowError, which has the result.
    """
    if b is not None:
        raise TypeError(GENERALIZED)
    given, upper = a, upper_of(UPLO, lower)
    a, copied = numbers(a)
    square(a)
    select = select_of(a, subset_by_index, subset_by_value)
    if precision not in (None, "mixed"):
        raise ValueError(f"precision {precision!r} is not 'mixed'")
    if precision and (a.dtype != np.float64 or a.ndim > 2 or eigvals_only or select is not EVERYTHING):
        raise ValueError("mixed precision is for all values and vectors of one matrix of float64")
    if a.ndim > 2:
        if select is not EVERYTHING:
            raise ValueError("a part of the spectrum is not supported for a stack of matrices; solve them one by one")
        result = _stack(a, upper, not eigvals_only, device, progress)
    elif a.size == 0:
        result = np.empty(0, a.real.dtype), np.empty((0, 0), a.dtype)
    else:
        keep = not copied and not (overwrite_a and a is given and a.flags.writeable)
        result = one(a, upper, not eigvals_only, select, keep, device, progress, mixed=precision == "mixed")
    return finished(result[0] if eigvals_only else EighResult(*result), result[0], "eigenvalue")


def eigvalsh(a, UPLO="L", **arguments):
    """The eigenvalues of a real symmetric or complex Hermitian matrix, with the arguments of
    eigh."""
    return eigh(a, UPLO, eigvals_only=True, **arguments)


def _stack(a, upper, vectors, device, progress):
    shape, n = a.shape[:-2], a.shape[-1]
    if a.size == 0:
        return np.empty(shape + (n,), a.real.dtype), np.empty_like(a)
    matrices, session = a.reshape((-1, n, n)), _devices.session(device)
    if n <= session.batch_order and a.dtype.kind != "c":
        w, z = _batched.stack(matrices, upper, vectors, session, progress)
        w = narrowed(w.reshape(shape + (n,)), a.dtype)
        return w, z.reshape(a.shape).swapaxes(-1, -2).astype(a.dtype, copy=False) if vectors else None
    parts = (one(m, upper, vectors, EVERYTHING, True, device, progress) for m in matrices)
    filled = stack(matrices, (p if vectors else p[:1] for p in parts), shape)
    return filled if vectors else (filled[0], None)
