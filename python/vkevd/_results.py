"""Types of the results."""

from typing import Any, NamedTuple


class EighResult(NamedTuple):
    """Eigenvalues, ascending, and eigenvectors. Column k is the vector of eigenvalue k."""
    eigenvalues: Any
    eigenvectors: Any


class SVDResult(NamedTuple):
    """A = U @ diag(S) @ Vh, S descending."""
    U: Any
    S: Any
    Vh: Any


class Device(NamedTuple):
    """A device of this machine. memory and free are in bytes. problem says why the device cannot be used."""
    index: int
    name: str
    type: str    # discrete, integrated, virtual, cpu or other
    family: str  # nvidia, amd, intel, apple, cpu or other
    driver: str
    memory: int
    free: int
    usable: bool
    problem: str
