"""Exceptions, one for each group of codes of vkevd.h."""

from numpy.linalg import LinAlgError


class Error(RuntimeError):
    """Base of all exceptions of vkevd. code is the error code of vkevd.h."""
    code = 13


class BadArgumentError(Error, ValueError):
    """The library refused an argument."""
    code = 1


class NotFiniteError(Error, LinAlgError, ValueError):
    """The matrix contains a NaN or an infinity. row and column of the first one count from 0."""
    code = 2
    row = column = -1


class NoDeviceError(Error):
    """There is no C library, no Vulkan loader, no driver, or no device that can be used."""
    code = 3


class UnsupportedError(Error):
    """The device lacks a feature."""
    code = 4


class OutOfMemoryError(Error, MemoryError):
    """The problem does not fit into the device's memory. need and free are in bytes."""
    code = 5
    need = free = 0


class DeviceError(Error):
    """The driver or a kernel reported a failure, or the device is lost."""
    code = 6


class CancelledError(Error):
    """The solve was cancelled. Callers see the reason instead, such as KeyboardInterrupt."""
    code = 7


class NoConvergenceError(Error, LinAlgError):
    """An iteration did not end."""
    code = 10


class ResultOverflowError(Error, OverflowError):
    """A value of the result is beyond the largest number of its type, and is +inf or -inf.

    result is what the function would have returned. Its other values and its vectors are right.
    index is the place of the first such value in the array of values; for batched, the number of
    the matrix comes first.
    """
    code = 14
    result = None
    index = ()


class NotPositiveDefiniteError(Error, LinAlgError):
    """A leading minor of B is not positive definite. order is the order of the first such minor.

    With overlap, B is indefinite, and order is -1.
    """
    code = 15
    row = -1

    @property
    def order(self):
        return self.row

    def __str__(self):
        if self.row < 0:
            return super().__str__()
        # the text of scipy
        return (f"The leading minor of order {self.order} of B is not positive definite. The factorization of B "
                "could not be completed and no eigenvalues or eigenvectors were computed.")


class ForkedError(Error):
    """The parent process has used the device before fork, so this child process cannot use it."""
    code = 12


BY_CODE = {kind.code: kind for kind in (
    BadArgumentError, NotFiniteError, NoDeviceError, UnsupportedError, OutOfMemoryError, DeviceError,
    CancelledError, NoConvergenceError, ResultOverflowError, NotPositiveDefiniteError, ForkedError)}
