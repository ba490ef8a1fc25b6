"""Symmetric tridiagonal matrices."""

import operator
from ctypes import byref

import numpy as np

from . import _devices
from ._arrays import ENDING, number_of, real
from ._library import INDEX, INTERVAL, Found, Symmetric, call
from ._results import EighResult, finished
from ._solve import solve
from ._symmetric import EVERYTHING

_DRIVERS = "auto", "stemr", "sterf", "stebz", "stev", "stevd"


def eigh_tridiagonal(d, e, eigvals_only=False, select="a", select_range=None, check_finite=True, tol=0.0,
                     lapack_driver="auto", *, device=None, progress=None):
    """Eigenvalues, ascending, and eigenvectors of the real symmetric tridiagonal matrix with the
    diagonal d and the numbers e beside it. The arguments are those of scipy.linalg.eigh_tridiagonal.

    select="i" with select_range=(first, last) selects eigenvalues by index, both ends included.
    select="v" with select_range=(low, high) selects the eigenvalues in (low, high]. With
    eigvals_only no vectors are computed. lapack_driver has the names of scipy. It has no effect, and
    neither have tol and check_finite: values are as exact as the numbers of d and e, and these are
    always checked. If d and e are float32, the results are, too.

    Returns an EighResult(eigenvalues, eigenvectors), or the eigenvalues. Errors are those of eigh.
    """
    (d, _), (e, _) = real(d, "eigh_tridiagonal"), real(e, "eigh_tridiagonal")
    for given in (d, e):
        if given.ndim != 1:
            raise ValueError(f"shape {given.shape}: expected a 1-D array")
    if len(d) != len(e) + 1 and len(d) + len(e) > 0:
        raise ValueError(f"d ({len(d)}) must have one more element than e ({len(e)})")
    if lapack_driver not in _DRIVERS:
        raise ValueError(f"lapack_driver {lapack_driver!r} is none of {', '.join(_DRIVERS)}")
    dtype = np.result_type(d, e)
    d, e = (np.require(x, dtype, ["C", "ALIGNED"]) for x in (d, e))
    chosen = _select_of(d, select, select_range)
    w, z = _one(d, e, not eigvals_only, chosen, device, progress)
    return finished(w if eigvals_only else EighResult(w, z), w, "eigenvalue")


def eigvalsh_tridiagonal(d, e, select="a", select_range=None, check_finite=True, tol=0.0, lapack_driver="auto", *,
                         device=None, progress=None):
    """The eigenvalues of a real symmetric tridiagonal matrix, with the arguments of
    eigh_tridiagonal."""
    return eigh_tridiagonal(d, e, True, select, select_range, check_finite, tol, lapack_driver, device=device,
                            progress=progress)


def _select_of(d, select, select_range):
    """Converts scipy's arguments select and select_range to members of the C options."""
    kind = {"a": 0, "all": 0, "v": 1, "value": 1, "i": 2, "index": 2}.get(str(select).lower(), select)
    if kind not in (0, 1, 2):
        raise ValueError(f"select {select!r} is none of 'a', 'v', 'i'")
    if kind == 0:
        return EVERYTHING
    try:
        first, last = select_range
    except (TypeError, ValueError):
        raise ValueError("select_range must be a pair of numbers") from None
    if kind == 1:
        first, last = float(first), float(last)
        if not first < last:
            raise ValueError(f"select_range: [{first}, {last}] is empty")
        return {"select": INTERVAL, "above": first, "up_to": last}
    first, last = operator.index(first), operator.index(last)
    if not 0 <= first <= last < len(d):
        raise ValueError(f"select_range: [{first}, {last}] is not a range within 0 to {len(d) - 1}")
    return {"select": INDEX, "start": first, "stop": last + 1}


def _one(d, e, vectors, select, device, progress):
    """Solves one matrix."""
    n = len(d)
    m = select["stop"] - select["start"] if select["select"] == INDEX else n
    w, z = np.empty(m, d.dtype), np.empty((n, m), d.dtype, order="F") if vectors else None
    options = Symmetric(vectors=vectors, number=number_of(d), **select)
    found, session = Found(), _devices.session(device)

    def work(session, control):
        plan = session.plan("tridiagonal", (n,), options)
        call("tridiagonal_solve" + ENDING[options.number], plan, d.ctypes.data, e.ctypes.data, w.ctypes.data,
             z.ctypes.data if vectors else None, max(n, 1), byref(found), control)

    solve(session, progress, work)
    return w[:found.count], z[:, :found.count] if vectors else None
