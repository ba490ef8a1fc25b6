"""Conversion of numpy's arrays to matrices of the C library."""

import numpy as np


def real(a, name):
    """Does the same as the function numbers, and refuses complex numbers. `name` is the function
    that the caller has called."""
    if np.asarray(a).dtype.kind == "c":
        raise TypeError(f"vkevd: {name} is not supported for complex numbers; use numpy.linalg, "
                        "or a.real if all imaginary parts are zero")
    return numbers(a)


def numbers(a):
    """Returns a as an array of float64, float32, complex128 or complex64, and whether the array is
    a copy.

    Integers become float64. If the array is not a copy, it may share its memory with the caller's
    object.
    """
    given, a = a, np.asarray(a)
    if hasattr(given, "toarray"):
        raise TypeError("vkevd: a sparse matrix is not supported; a.toarray() makes it dense, and "
                        "scipy.sparse.linalg finds a few values of a large one")
    if a.dtype.kind not in "fiubc":
        way_out = "; a.to_numpy(float) converts the columns of a table" if hasattr(given, "to_numpy") else ""
        raise TypeError(f"vkevd: an array of type {a.dtype} is not supported: its entries must be numbers{way_out}")
    # Types of the other byte order are not equal to those of numpy, so kinds and sizes are
    # compared.
    kind, size = a.dtype.kind, a.dtype.itemsize
    if size > (16 if kind == "c" else 8) or (kind, size) == ("f", 2):
        raise TypeError(f"vkevd: array type {a.dtype} is not supported; "
                        f"a.astype(numpy.{'complex128' if kind == 'c' else 'float64'}) is")
    dtype = {("f", 4): np.float32, ("c", 8): np.complex64, ("c", 16): np.complex128}.get((kind, size), np.float64)
    if a.dtype == dtype and a.dtype.isnative:
        return a, False
    return a.astype(dtype, order="K"), True


# The values of the option number in vkevd.h, and the endings of the functions for them.
_NUMBER = {np.dtype(np.float64): 0, np.dtype(np.float32): 1, np.dtype(np.complex128): 3, np.dtype(np.complex64): 4}
MIXED = {np.dtype(np.float64): 2, np.dtype(np.complex128): 5}
COMPLEX = (3, 4)
ENDING = ("", "_float32", "", "_complex128", "_complex64", "_complex128")


def number_of(a):
    """The value of the option number for the elements of a."""
    return _NUMBER[a.dtype]


def square(a):
    """Raises LinAlgError unless a is a square matrix or a stack of square matrices."""
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError(f"shape {a.shape}: not a square matrix")


def stored(a):
    """Returns a matrix that the library can read, its leading dimension, and whether it is
    row-major.

    If the elements of each row or of each column of a are contiguous, the matrix is a itself.
    Otherwise it is a copy.
    """
    (rows, cols), size = a.shape, a.itemsize
    if a.flags.aligned:
        if a.flags.f_contiguous:
            return a, max(rows, 1), 0
        if a.flags.c_contiguous:
            return a, max(cols, 1), 1
        by_row, by_column = a.strides
        if by_row == size and by_column % size == 0 and by_column >= size * rows:
            return a, by_column // size, 0
        if by_column == size and by_row % size == 0 and by_row >= size * cols:
            return a, by_row // size, 1
    return np.array(a, order="F"), max(rows, 1), 0


def stack(a, results, shape):
    """Returns the results of a stack as stacked arrays. `results` yields a tuple of arrays for each
    matrix."""
    filled = None
    for k, parts in enumerate(results):
        if filled is None:
            filled = [np.empty((len(a),) + part.shape, part.dtype) for part in parts]
        for whole, part in zip(filled, parts):
            whole[k] = part
    return [whole.reshape(shape + whole.shape[1:]) for whole in filled]
