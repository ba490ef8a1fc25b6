"""Many small symmetric or Hermitian matrices in one batch."""

import math

import numpy as np

from . import _devices
from ._arrays import COMPLEX, ENDING, number_of, numbers, square
from ._errors import BY_CODE, ResultOverflowError
from ._library import Batch, call
from ._results import EighResult, finished
from ._solve import solve
from ._symmetric import EVERYTHING, one, upper_of

_MOST_BYTES = 1 << 30  # of device memory for the matrices of one part of a batch


def batched(matrices, UPLO="L", *, lower=None, eigvals_only=False, on_error="raise", device=None, progress=None):
    """Eigenvalues and eigenvectors of many real symmetric or complex Hermitian matrices, whose orders
    may differ.

    matrices is a sequence of matrices, or a stack. The result is a list with an EighResult for each
    matrix, or with its eigenvalues if eigvals_only is set. Matrices of orders up to some hundreds
    are solved at the same time, larger ones one after another. If on_error is "nan", a matrix that
    contains a NaN or an infinity gets values and vectors of NaN, and all other matrices are solved.
    Otherwise such a matrix raises NotFiniteError. If a value is beyond the largest number of its
    type, batched raises ResultOverflowError, which has the list.
    """
    if on_error not in ("raise", "nan"):
        raise ValueError("on_error must be 'raise' or 'nan'")
    upper = upper_of(UPLO, lower)
    arrays = []
    for m in matrices:
        a, _ = numbers(m)
        square(a)
        if a.ndim != 2:
            raise np.linalg.LinAlgError(f"shape {a.shape}: not a matrix")
        arrays.append(a)
    if not arrays:
        return []
    session = _devices.session(device)
    results = [None] * len(arrays)
    for dtype in (np.float64, np.float32, np.complex128, np.complex64):
        small = [k for k, a in enumerate(arrays) if len(a) <= session.batch_order and a.dtype == dtype]
        for k, result in zip(small, _small([arrays[k] for k in small], small, upper, not eigvals_only, on_error, session, progress)):
            results[k] = result
    for k, a in enumerate(arrays):
        if results[k] is None:
            results[k] = _large(a, upper, not eigvals_only, on_error, device, progress)
    values = [w for w, _ in results]
    result = values if eigvals_only else [EighResult(w, z) for w, z in results]
    for k, w in enumerate(values):
        finished(result, w, "eigenvalue", (k,))
    return result


def _large(a, upper, vectors, on_error, device, progress):
    try:
        return one(a, upper, vectors, EVERYTHING, True, device, progress)
    except np.linalg.LinAlgError:
        if on_error == "raise":
            raise
        return np.full(len(a), np.nan, a.real.dtype), np.full(a.shape, np.nan, a.dtype)


def _small(arrays, numbers, upper, vectors, on_error, session, progress):
    """Solves matrices of mixed orders and of one type. It returns pairs of values and vectors.

    An error has the number of its matrix."""
    if not arrays:
        return []
    arrays = [np.require(a, requirements=["C", "ALIGNED"]) for a in arrays]
    ws = [np.empty(len(a), a.real.dtype) for a in arrays]
    zs = [np.empty(a.shape, a.dtype, order="F") for a in arrays] if vectors else [None] * len(arrays)
    orders = np.array([len(a) for a in arrays], np.int64)
    _run(orders, numbers, number_of(arrays[0]), _addresses(arrays), _addresses(ws), _addresses(zs) if vectors else None,
         upper, on_error, session, progress)
    return list(zip(ws, zs))


def stack(a, upper, vectors, session, progress):
    """Solves a stack of matrices. Returns the values, and the vectors as the rows of matrices, or
    None."""
    a = np.require(a, requirements=["C", "ALIGNED"])
    count, n, _ = a.shape
    w, z = np.empty((count, n), a.real.dtype), np.empty(a.shape, a.dtype) if vectors else None
    _run(np.full(count, n, np.int64), range(count), number_of(a), *(_rows(x) if x is not None else None for x in (a, w, z)),
         upper, "raise", session, progress)
    return w, z


def _addresses(arrays):
    return np.array([a.ctypes.data for a in arrays], np.uintp)


def _rows(a):
    """Returns an array of the addresses of a[0], a[1], …"""
    return a.ctypes.data + np.arange(len(a), dtype=np.uintp) * np.uintp(a.strides[0])


def _run(orders, numbers, number, a, w, z, upper, on_error, session, progress):
    n, count = int(orders.max()), len(orders)
    # The number of matrices of a plan is a power of two, so that batches of similar size share a
    # plan.
    room = 1 << max(0, math.ceil(math.log2(count)))
    while room > 1 and room * ((48 if number in COMPLEX else 28) * n * n + 300 * n + 68) > _MOST_BYTES:
        room //= 2
    codes = np.zeros(count, np.int32)
    options = Batch(vectors=z is not None, upper=upper, a_row_major=1, number=number)

    def work(session, control):
        plan = session.plan("batch", (n, room), options)
        call("batch_solve" + ENDING[number], plan, count, orders.ctypes.data, a.ctypes.data, w.ctypes.data,
             None if z is None else z.ctypes.data, codes.ctypes.data, control)

    solve(session, progress, work)
    failed = ((codes != 0) & (codes != ResultOverflowError.code)).nonzero()[0]
    if len(failed) and on_error == "raise":
        what = "holds a NaN or an infinity" if codes[failed[0]] == 2 else "has no result"
        raise BY_CODE[int(codes[failed[0]])](f"matrix {numbers[failed[0]]} {what}")
