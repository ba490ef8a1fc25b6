"""One symmetric or Hermitian matrix: arguments, and the call of the library."""

import operator
from ctypes import byref

import numpy as np

from . import _devices
from ._arrays import ENDING, MIXED, number_of, stored
from ._library import ALL, INDEX, INTERVAL, Found, Symmetric, call
from ._solve import solve

EVERYTHING = {"select": ALL}


def upper_of(UPLO, lower):
    """Converts numpy's and scipy's argument for the triangle: 1 for the upper one, 0 for the
    lower."""
    if lower is not None:
        return int(not lower)
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return int(UPLO.upper() == "U")


# Names of LAPACK's routines without and with b, as in scipy. Those that end in r or x find parts of
# a spectrum.
_DRIVERS = ("ev", "evd", "evr", "evx"), ("gv", "gvd", "gvx")


def check_driver(driver, with_b, part):
    """Refuses a driver that scipy refuses. Of all others vkevd takes no notice: it has one
    method."""
    if driver is None:
        return
    if driver not in _DRIVERS[0] + _DRIVERS[1]:
        raise ValueError(f"driver {driver!r} is none of {', '.join(_DRIVERS[0] + _DRIVERS[1])}")
    if driver not in _DRIVERS[with_b]:
        raise ValueError(f"driver {driver!r} is for a problem {'without' if with_b else 'with'} b")
    if part and driver[-1] not in "rx":
        raise ValueError(f"driver {driver!r} finds no part of a spectrum")


def select_of(a, by_index, by_value, largest=None):
    """The members of the C options that select a part of the spectrum."""
    if by_index is not None and by_value is not None:
        raise ValueError("subset_by_index and subset_by_value cannot both be given")
    if largest is not None:
        if by_index is not None or by_value is not None:
            raise ValueError("largest cannot be given with subset_by_index or subset_by_value")
        n, k = a.shape[-1], operator.index(largest)
        if not 1 <= k <= n:
            raise ValueError(f"largest: {k} of {n} eigenvalues")
        return {"select": INDEX, "start": n - k, "stop": n}
    if by_index is not None:
        first, last = map(operator.index, by_index)
        if not 0 <= first <= last < a.shape[-1]:
            raise ValueError(f"subset_by_index: [{first}, {last}] is not a range within 0 to {a.shape[-1] - 1}; "
                             "largest=k is for the k largest")
        return {"select": INDEX, "start": first, "stop": last + 1}
    if by_value is not None:
        low, high = map(float, by_value)
        if not low < high:
            raise ValueError(f"subset_by_value: [{low}, {high}] is empty")
        return {"select": INTERVAL, "above": low, "up_to": high}
    return EVERYTHING


def alone(session, options, a, results, control):
    """Solves a·x = λ·x. a is the matrix, its address and its leading dimension, and results are the
    arguments of the C function for results."""
    call("symmetric_solve" + ENDING[options.number], session.plan("symmetric", (len(a[0]),), options), *a[1:], *results, control)


def one(a, upper, vectors, select, keep, device, progress, row_major=0, mixed=False, by=alone):
    """Solves one matrix. keep is true if a belongs to the caller and must not be overwritten. `by`
    is the function that calls the library."""
    memory, ld, a_row_major = stored(a)
    keep = keep and memory is a
    n, part = len(a), select is not EVERYTHING
    m = select["stop"] - select["start"] if select["select"] == INDEX else n
    options = Symmetric(vectors=vectors, upper=upper, a_row_major=a_row_major, number=MIXED[a.dtype] if mixed else number_of(a), **select)
    w, z, ldz = np.empty(m, a.real.dtype), None, 0
    if vectors and not part and not keep and not row_major:  # in the same memory
        z, ldz = memory.T if a_row_major else memory, ld
    elif vectors:
        options.vectors_row_major = row_major
        z = np.empty((n, m), a.dtype, order="C" if row_major else "F")
        ldz = max(z.shape[row_major], 1)
    found, session = Found(), _devices.session(device)

    def work(session, control):
        results = w.ctypes.data, z.ctypes.data if vectors else None, ldz, byref(found)
        by(session, options, (a, memory.ctypes.data, ld), results, control)

    solve(session, progress, work)
    return w[:found.count], z[:, :found.count] if vectors else None
