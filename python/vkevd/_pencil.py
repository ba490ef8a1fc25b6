"""Pairs of symmetric or Hermitian matrices: a·x = λ·b·x, a·b·x = λ·x and b·a·x = λ·x."""

import weakref
from ctypes import byref, c_double

import numpy as np

from . import _devices
from ._arrays import ENDING, number_of, numbers, square, stored
from ._errors import Error
from ._library import ALL, Pencil, Symmetric, call, usable
from ._results import EighResult, finished
from ._solve import solve
from ._symmetric import one, select_of


def paired(a, b, type):
    """Returns the matrices, or stacks of them, of a pair with numbers of the same type."""
    b, _ = numbers(b)
    if b.shape[-2:] != a.shape[-2:]:
        raise ValueError(f"wrong b dimensions {b.shape}, should be {a.shape}")
    _pencil(type)
    dtype = np.result_type(a, b)
    return a.astype(dtype, copy=False), b.astype(dtype, copy=False)


def _pencil(type, upper=0, row_major=0, symmetric=Symmetric(), overlap=None, refine=False):
    if type not in (1, 2, 3):
        raise ValueError('"type" keyword only accepts 1, 2, and 3.')
    if overlap is not None and not 0 < overlap < 1:
        raise ValueError(f"overlap {overlap!r} is not a number between 0 and 1")
    if overlap is not None and type != 1:
        raise ValueError("overlap is only for type=1")
    if refine and (type != 1 or overlap is not None or not symmetric.vectors or symmetric.select != ALL):
        raise ValueError("refine is for all values and vectors of pairs with type=1, without overlap")
    return Pencil(symmetric=symmetric, type=type - 1, b_upper=upper, b_row_major=row_major, overlap=overlap is not None,
                  threshold=overlap or 0, refine=bool(refine))


def refuse_largest(largest, overlap):
    """Refuses largest with overlap, because the number of values depends on b."""
    if largest is not None and overlap is not None:
        raise ValueError("largest is not for overlap, which may drop directions of b; use subset_by_value")


def with_b(b, upper, type, overlap=None, refine=False):
    """Returns a function that calls the library for pairs with this b. _symmetric.alone is such a
    function for one matrix."""
    memory, ld, row_major = stored(b)

    def by(session, options, a, results, control):
        plan = session.plan("pencil", (len(b),), _pencil(type, upper, row_major, options, overlap, refine))
        call("pencil_solve" + ENDING[options.number], plan, *a[1:], memory.ctypes.data, ld, *results, control)

    return by


class Factor:
    """The factor of a positive definite b. It stays on the device, for many pairs with one b.

        with vkevd.Factor(b) as factor:
            for a in matrices:
                w, z = factor.solve(a)

    The arguments are those of vkevd.eigh. Each matrix a must have the order of b, and its numbers
    must have the type of b, or one that converts to this type without loss. condition is an
    estimate of the condition number of b; small eigenvalues of a·x = w·b·x lose digits if it is
    large. overlap and refine are those of vkevd.eigh. close(), the end of the with statement, or the end of the
    object frees the device memory. After vkevd.clear() a Factor can solve nothing.
    """

    def __init__(self, b, *, type=1, lower=True, eigvals_only=False, subset_by_index=None, subset_by_value=None,
                 largest=None, overlap=None, refine=False, device=None, progress=None):
        b, _ = numbers(b)
        square(b)
        if b.ndim != 2:
            raise np.linalg.LinAlgError(f"shape {b.shape}: not a matrix")
        refuse_largest(largest, overlap)
        memory, ld, row_major = stored(b)
        self._dtype, self._order, self._upper = b.dtype, len(b), int(not lower)
        self._vectors, self._select = not eigvals_only, select_of(b, subset_by_index, subset_by_value, largest)
        options = Symmetric(vectors=self._vectors, upper=self._upper, a_row_major=1, number=number_of(b), **self._select)
        options, condition = _pencil(type, self._upper, row_major, options, overlap, refine), c_double()

        def work(session, control):
            plan = session.new_plan("pencil", (len(b),), options)
            try:
                call("pencil_factor" + ENDING[number_of(b)], plan, memory.ctypes.data, ld, byref(condition), control)
            except BaseException:
                _close(plan)
                raise
            # An interrupt may end the call of solve after this point, so that nobody else knows the plan.
            self._session, self._plan, self.close = session, plan, weakref.finalize(self, _close, plan)

        solve(_devices.session(device), progress, work)
        self.condition = condition.value

    def solve(self, a, *, progress=None):
        """The eigenvalues and vectors of a and b, as from vkevd.eigh(a, b): an EighResult, or with
        eigvals_only the eigenvalues."""
        w, z = self.parts(a, progress)
        return finished(EighResult(w, z) if self._vectors else w, w, "eigenvalue")

    def parts(self, a, progress):
        """Does the work of solve, and does not look at the values of the result."""
        a, copied = numbers(a)
        if a.shape != (self._order, self._order):
            raise ValueError(f"wrong a dimensions {a.shape}, should be {(self._order, self._order)}")
        if np.result_type(a, self._dtype) != self._dtype:
            raise TypeError(f"vkevd: a Factor of {self._dtype} does not take a matrix of {a.dtype}; Factor(b.astype(a.dtype)) does")
        row_major = a.dtype == self._dtype and a.flags.c_contiguous and a.flags.aligned  # as the plan wants it
        rows = a if row_major else np.array(a, self._dtype, order="C")  # np.require may return a view of a
        return one(rows, self._upper, self._vectors, self._select, not copied and rows is a, self._session.name, progress,
                   by=self._factored)

    def _factored(self, session, options, a, results, control):
        if session is not self._session:
            raise Error("vkevd: clear() has closed the device of this Factor")
        call("pencil_solve" + ENDING[options.number], self._plan, *a[1:], None, 0, *results, control)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _close(plan):
    if usable():  # not in a forked process
        call("plan_close", plan)
