"""Types of the results, and a last look at their values."""

from typing import Any, NamedTuple

import numpy as np

from ._errors import ResultOverflowError


class EighResult(NamedTuple):
    """Eigenvalues, ascending, and eigenvectors. Column k is the vector of eigenvalue k."""
    eigenvalues: Any
    eigenvectors: Any


class SVDResult(NamedTuple):
    """A = U @ diag(S) @ Vh, S descending."""
    U: Any
    S: Any
    Vh: Any


def finished(result, values, kind, matrix=()):
    """Returns result, or raises ResultOverflowError with it if one of its values is infinite.

    values is the array of eigenvalues or singular values of result, and kind says which of the two.
    matrix is the number of the matrix in a tuple, if values belongs to one of several matrices.
    """
    infinite = np.isinf(values)
    if not infinite.any():
        return result
    at = tuple(int(i) for i in np.argwhere(infinite)[0])
    index = matrix + at
    error = ResultOverflowError(f"{kind} [{', '.join(map(str, index))}] is beyond the largest {values.dtype}, and is "
                                f"{values[at]} in the attribute result of this exception")
    error.result, error.index = result, index
    raise error


class Device(NamedTuple):
    """A device of this machine. `memory` and `free` are in bytes. `problem` says why the device
    cannot be used."""
    index: int
    name: str
    type: str    # discrete, integrated, virtual, cpu or other
    family: str  # nvidia, amd, intel, apple, cpu or other
    driver: str
    memory: int
    free: int
    usable: bool
    problem: str
