"""Singular values."""

import operator

import numpy as np

from . import _devices
from ._arrays import ENDING, number_of, numbers, stack, stored
from ._eigh import eigh
from ._errors import ResultOverflowError
from ._library import FULL, NONE, THIN, Svd, call
from ._results import SVDResult, finished
from ._solve import solve


def svd(a, full_matrices=True, compute_uv=True, *, hermitian=False, largest=None, overwrite_a=False,
        check_finite=True, lapack_driver="gesdd", device=None, progress=None):
    """The singular value decomposition a = U @ diag(S) @ Vh of a real or complex matrix, or of a
    stack of them.

    S is descending. With full_matrices U and Vh are square. Otherwise U has one column and Vh one
    row for each singular value. Without compute_uv the result is S alone. largest=k computes the k
    largest singular values and their vectors; it needs full_matrices=False or compute_uv=False.
    With hermitian a is symmetric, or complex Hermitian, and S has the magnitudes of its eigenvalues;
    only its lower triangle is read, as by numpy.
    overwrite_a and check_finite have no effect, because a is never changed and always checked.
    lapack_driver has the names of scipy, and no effect.

    Returns an SVDResult(U, S, Vh). In each row of Vh the component of largest magnitude is real and
    positive. S is real. Raises NotFiniteError, which is a LinAlgError, for
    a NaN or an infinity. If a value is beyond the largest number of its type, raises
    ResultOverflowError, which has the result.
    """
    check_driver(lapack_driver)
    result = decompose(a, full_matrices, compute_uv, largest, device, progress, hermitian)
    return finished(result, result.S if compute_uv else result, "singular value")


def check_driver(lapack_driver):
    """Refuses a driver that scipy refuses."""
    if lapack_driver not in ("gesdd", "gesvd"):
        raise ValueError(f"lapack_driver {lapack_driver!r} is neither 'gesdd' nor 'gesvd'")


def decompose(a, full_matrices, compute_uv, largest=None, device=None, progress=None, hermitian=False):
    """Does the work of svd, and does not look at the values of the result."""
    a, _ = numbers(a)
    if a.ndim < 2:
        raise np.linalg.LinAlgError(f"shape {a.shape}: not a matrix")
    k = min(a.shape[-2:])
    if largest is not None:
        largest = operator.index(largest)
        if not 1 <= largest <= k:
            raise ValueError(f"largest: {largest} of {k} singular values")
        if full_matrices and compute_uv:
            raise ValueError("largest cannot be used with full_matrices")
    if hermitian:
        return _hermitian(a, compute_uv, largest, device, progress)
    wanted = NONE if not compute_uv else FULL if full_matrices else THIN
    if a.size == 0:
        parts = _empty(a, wanted)
    elif a.ndim == 2:
        parts = _one(a, wanted, largest, device, progress)
    else:
        matrices = a.reshape((-1,) + a.shape[-2:])
        parts = stack(matrices, (_one(m, wanted, largest, device, progress) for m in matrices), a.shape[:-2])
    return SVDResult(*parts) if compute_uv else parts[0]


def svdvals(a, **arguments):
    """The singular values of a real or complex matrix, with the arguments of svd."""
    return svd(a, compute_uv=False, **arguments)


def _hermitian(a, compute_uv, largest, device, progress):
    """The decomposition of symmetric or Hermitian matrices. V has the eigenvectors in the order of
    the magnitudes of their eigenvalues, and U has them times the signs of the eigenvalues."""
    try:
        w, z = eigh(a, eigvals_only=not compute_uv, device=device, progress=progress), None
        if compute_uv:
            w, z = w
    except ResultOverflowError as overflow:
        w, z = overflow.result if compute_uv else (overflow.result, None)
    order = np.argsort(-np.abs(w), axis=-1, kind="stable")[..., :largest]
    w = np.take_along_axis(w, order, -1)
    if not compute_uv:
        return np.abs(w)
    z = np.take_along_axis(z, order[..., np.newaxis, :], -1)
    return SVDResult(z * np.copysign(1, w)[..., np.newaxis, :], np.abs(w), z.conj().swapaxes(-1, -2))


def _empty(a, wanted):
    """Returns numpy's result for an array a without entries."""
    shape, (m, n) = a.shape[:-2], a.shape[-2:]
    k = min(m, n)
    s = np.empty(shape + (k,), a.real.dtype)
    if wanted == NONE:
        return [s]
    if wanted == THIN:
        return [np.empty(shape + (m, k), a.dtype), s, np.empty(shape + (k, n), a.dtype)]
    u, vh = (np.broadcast_to(np.eye(order, dtype=a.dtype), shape + (order, order)).copy() for order in (m, n))
    return [u, s, vh]


def _one(a, wanted, largest, device, progress):
    """Solves one matrix. It returns [U, S, Vᴴ], or [S]."""
    memory, ld, row_major = stored(a)
    m, n = a.shape
    k = largest or min(m, n)
    options = Svd(u=wanted, v=wanted, a_row_major=row_major, number=number_of(a), largest=largest or 0)
    s, u, vh = np.empty(k, a.real.dtype), None, None
    if wanted:  # column-major V is row-major Vᵀ
        u = np.empty((m, m if wanted == FULL else k), a.dtype, order="F")
        vh = np.empty((n if wanted == FULL else k, n), a.dtype, order="C")
    session = _devices.session(device)

    def work(session, control):
        plan = session.plan("svd", (m, n), options)
        call("svd_solve" + ENDING[options.number], plan, memory.ctypes.data, ld, s.ctypes.data, u.ctypes.data if wanted else None, m,
             vh.ctypes.data if wanted else None, n, control)

    solve(session, progress, work)
    if wanted and a.dtype.kind == "c":
        np.conjugate(vh, out=vh)
    return [u, s, vh] if wanted else [s]
