"""Symmetric and Hermitian matrices."""

import numpy as np

from . import _batched, _devices
from ._arrays import MIXED, numbers, square, stack
from ._pencil import Factor, paired, refuse_largest, with_b
from ._results import EighResult, finished
from ._symmetric import EVERYTHING, alone, check_driver, one, select_of, upper_of


def eigh(a, UPLO="L", *, b=None, lower=None, eigvals_only=False, overwrite_a=False, overwrite_b=False,
         check_finite=True, subset_by_index=None, subset_by_value=None, largest=None, type=1, overlap=None,
         refine=False, driver=None, precision=None, device=None, progress=None):
    """Eigenvalues, ascending, and eigenvectors of a real symmetric or complex Hermitian matrix, or
    of a stack of them.

    With a positive definite b, which may also be the second argument, eigh solves a generalized
    problem, as scipy does:

        type=1    a @ z = b @ z * w    z.conj().T @ b @ z = I
        type=2    a @ b @ z = z * w    z.conj().T @ b @ z = I
        type=3    b @ a @ z = z * w    z.conj().T @ inv(b) @ z = I

    If b is singular or nearly so, overlap=1e-7 drops directions of b, as quantum chemists do
    (canonical orthogonalization, type=1): b is scaled to a diagonal of ones, and the directions of
    its eigenvalues that are at most 1e-7 times the largest are dropped. The factor is at least n·eps.
    There are then fewer than n values and vectors. It is not for stacks.

    If b is ill-conditioned, refine=True improves all values and vectors by one or two steps of
    Newton's method, each with about 14·n³ operations (type=1). It is worth it if the residuals
    norm(a @ x - w * b @ x) / ((norm(a) + abs(w) * norm(b)) * norm(x)) of some vectors x are above
    n·eps. They grow with the condition number of b, as scipy's do, and are small below about 1000.

    Stacks of a and b are broadcast. For many a and one b see Factor. If b is not positive definite,
    eigh raises NotPositiveDefiniteError, which is a LinAlgError.

    UPLO ("L", "U") or lower (True, False) names the triangle of a, and of b, that is read.
    subset_by_index = [first,
    last] selects eigenvalues by index, both ends included. subset_by_value = [low, high] selects
    the eigenvalues in (low, high]. Both are as in scipy. largest=k selects the k largest ones. With
    stacks all three select the same part of each matrix, so subset_by_value is not possible there.
    With eigvals_only no vectors are computed. driver has the names of scipy, and no effect.
    With overwrite_a the vectors may replace a in memory, which saves memory. check_finite and
    overwrite_b have no effect, because the triangle that is read is always checked, and b is never
    changed. Matrices of float32 are solved in single precision. The imaginary parts of a diagonal
    are not read.

    precision="mixed" solves in single precision first, and then refines the result to double
    precision. If that does not succeed, it solves in double precision. This is meant for devices
    whose double precision is slow. It is for all values and vectors of one matrix of float64 or
    complex128.

    Returns an EighResult(eigenvalues, eigenvectors). The vectors of one matrix are in Fortran
    order, and those of a stack in any order. With eigvals_only the result is the array of
    eigenvalues, which are real. The component of largest magnitude of each vector is real and
    positive. Raises NotFiniteError, which is a LinAlgError, for a NaN or an infinity. If a value is
    beyond the largest number of its type, raises ResultOverflowError, which has the result.
    """
    if not isinstance(UPLO, str):  # scipy's second argument
        if b is not None:
            raise TypeError("vkevd: eigh has two values for b")
        UPLO, b = "L", UPLO
    given, upper = a, upper_of(UPLO, lower)
    a, copied = numbers(a)
    square(a)
    if b is not None:
        single = a
        a, b = paired(a, b, type)
        copied = copied or a is not single
    refuse_largest(largest, overlap)
    select = select_of(a, subset_by_index, subset_by_value, largest)
    check_driver(driver, b is not None, select is not EVERYTHING)
    if overlap is not None and (b is None or a.ndim > 2 or b.ndim > 2):
        raise ValueError("overlap is for one pair of a and b")
    if refine and b is None:
        raise ValueError("refine is for pairs of a and b")
    if precision not in (None, "mixed"):
        raise ValueError(f"precision {precision!r} is not 'mixed'")
    if precision and (a.dtype not in MIXED or a.ndim > 2 or b is not None or eigvals_only or select is not EVERYTHING):
        raise ValueError("mixed precision is for all values and vectors of one matrix of float64 or complex128")
    if a.ndim > 2 or b is not None and b.ndim > 2:
        if subset_by_value is not None:
            raise ValueError("subset_by_value is not for a stack, whose matrices may have different numbers of "
                             "such values; solve them one by one")
        result = (_stack(a, upper, not eigvals_only, select, device, progress) if b is None else
                  _pairs(a, b, upper, type, not eigvals_only, select, refine, device, progress))
    elif a.size == 0:
        result = np.empty(0, a.real.dtype), np.empty((0, 0), a.dtype)
    else:
        keep = not copied and not (overwrite_a and a is given and a.flags.writeable)
        by = alone if b is None else with_b(b, upper, type, overlap, refine)
        result = one(a, upper, not eigvals_only, select, keep, device, progress, mixed=precision == "mixed", by=by)
    return finished(result[0] if eigvals_only else EighResult(*result), result[0], "eigenvalue")


def eigvalsh(a, UPLO="L", **arguments):
    """The eigenvalues of a real symmetric or complex Hermitian matrix, with the arguments of
    eigh."""
    return eigh(a, UPLO, eigvals_only=True, **arguments)


def _stack(a, upper, vectors, select, device, progress):
    shape, n = a.shape[:-2], a.shape[-1]
    if a.size == 0:
        return _nothing(shape, n, select, a)
    matrices, session = a.reshape((-1, n, n)), _devices.session(device)
    if n <= session.batch_order:
        w, z = _batched.stack(matrices, upper, vectors, session, progress)
        w, z = w.reshape(shape + (n,)), z.reshape(a.shape).swapaxes(-1, -2) if vectors else None
        if select is EVERYTHING:
            return w, z
        part = slice(select["start"], select["stop"])  # a batch finds all; the copies do not keep all of it
        return w[..., part].copy(), z[..., part].copy() if vectors else None
    return _stacked(matrices, (one(m, upper, vectors, select, True, device, progress) for m in matrices), vectors, shape)


def _nothing(shape, n, select, a):
    """The result of a stack without matrices, or with matrices without entries."""
    m = n if select is EVERYTHING else select["stop"] - select["start"]
    return np.empty(shape + (m,), a.real.dtype), np.empty(shape + (n, m), a.dtype)


def _stacked(matrices, parts, vectors, shape):
    filled = stack(matrices, (p if vectors else p[:1] for p in parts), shape)
    return filled if vectors else (filled[0], None)


def _pairs(a, b, upper, type, vectors, select, refine, device, progress):
    shape, n = np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-1]
    matrices = np.broadcast_to(a, shape + (n, n))
    if matrices.size == 0:
        return _nothing(shape, n, select, a)
    matrices = matrices.reshape(-1, n, n)
    if b.ndim == 2:
        part = None if select is EVERYTHING else [select["start"], select["stop"] - 1]
        with Factor(b, type=type, lower=not upper, eigvals_only=not vectors, subset_by_index=part, refine=refine, device=device) as factor:
            return _stacked(matrices, (factor.parts(m, progress) for m in matrices), vectors, shape)
    bs = np.broadcast_to(b, shape + (n, n)).reshape(-1, n, n)
    parts = (one(m, upper, vectors, select, True, device, progress, by=with_b(of, upper, type, refine=refine)) for m, of in zip(matrices, bs))
    return _stacked(matrices, parts, vectors, shape)
