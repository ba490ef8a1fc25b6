# Types of the public names, for mypy and editors. tests/test_types.py compares the arguments with those
# of the functions.
from typing import Any, Callable, List, Literal, NamedTuple, Optional, Sequence, Tuple, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Progress = Union[bool, Callable[[str, float, float], Any], None]
_Device = Union["Device", int, str, None]
_Triangle = Literal["L", "U", "l", "u"]
_Driver = Optional[Literal["ev", "evd", "evr", "evx", "gv", "gvd", "gvx"]]

__version__: str
__all__: List[str]

class Device(NamedTuple):
    index: int  # type: ignore[assignment]  # instead of tuple.index
    name: str
    type: str
    family: str
    driver: str
    memory: int
    free: int
    usable: bool
    problem: str

class EighResult(NamedTuple):
    eigenvalues: NDArray[Any]
    eigenvectors: NDArray[Any]

class SVDResult(NamedTuple):
    U: NDArray[Any]
    S: NDArray[Any]
    Vh: NDArray[Any]

class Error(RuntimeError):
    code: int

class NotFiniteError(Error, np.linalg.LinAlgError, ValueError):
    row: int
    column: int

class NoDeviceError(Error): ...
class UnsupportedError(Error): ...

class OutOfMemoryError(Error, MemoryError):
    need: int
    free: int

class DeviceError(Error): ...
class NoConvergenceError(Error, np.linalg.LinAlgError): ...

class ResultOverflowError(Error, OverflowError):
    result: Any
    index: Tuple[int, ...]

class NotPositiveDefiniteError(Error, np.linalg.LinAlgError):
    @property
    def order(self) -> int: ...

class ForkedError(Error): ...

class Factor:
    condition: float
    close: Callable[[], Any]
    def __init__(
        self, b: ArrayLike, *, type: Literal[1, 2, 3] = 1, lower: bool = True, eigvals_only: bool = False,
        subset_by_index: Optional[Sequence[int]] = None, subset_by_value: Optional[Sequence[float]] = None,
        largest: Optional[int] = None, overlap: Optional[float] = None, refine: bool = False, device: _Device = None, progress: _Progress = None,
    ) -> None: ...
    def solve(self, a: ArrayLike, *, progress: _Progress = None) -> Any: ...
    def __enter__(self) -> "Factor": ...
    def __exit__(self, *_: Any) -> None: ...

@overload
def eigh(
    a: ArrayLike, UPLO: Union[_Triangle, ArrayLike] = "L", *, b: Optional[ArrayLike] = None, lower: Optional[bool] = None,
    eigvals_only: Literal[False] = False, overwrite_a: bool = False, overwrite_b: bool = False, check_finite: bool = True,
    subset_by_index: Optional[Sequence[int]] = None, subset_by_value: Optional[Sequence[float]] = None,
    largest: Optional[int] = None, type: Literal[1, 2, 3] = 1, overlap: Optional[float] = None, refine: bool = False, driver: _Driver = None,
    precision: Optional[Literal["mixed"]] = None, device: _Device = None, progress: _Progress = None,
) -> EighResult: ...
@overload
def eigh(
    a: ArrayLike, UPLO: Union[_Triangle, ArrayLike] = "L", *, b: Optional[ArrayLike] = None, lower: Optional[bool] = None,
    eigvals_only: Literal[True], overwrite_a: bool = False, overwrite_b: bool = False, check_finite: bool = True,
    subset_by_index: Optional[Sequence[int]] = None, subset_by_value: Optional[Sequence[float]] = None,
    largest: Optional[int] = None, type: Literal[1, 2, 3] = 1, overlap: Optional[float] = None, refine: bool = False, driver: _Driver = None,
    precision: Optional[Literal["mixed"]] = None, device: _Device = None, progress: _Progress = None,
) -> NDArray[Any]: ...
@overload
def eigh(
    a: ArrayLike, UPLO: Union[_Triangle, ArrayLike] = "L", *, b: Optional[ArrayLike] = None, lower: Optional[bool] = None,
    eigvals_only: bool, overwrite_a: bool = False, overwrite_b: bool = False, check_finite: bool = True,
    subset_by_index: Optional[Sequence[int]] = None, subset_by_value: Optional[Sequence[float]] = None,
    largest: Optional[int] = None, type: Literal[1, 2, 3] = 1, overlap: Optional[float] = None, refine: bool = False, driver: _Driver = None,
    precision: Optional[Literal["mixed"]] = None, device: _Device = None, progress: _Progress = None,
) -> Union[EighResult, NDArray[Any]]: ...
def eigvalsh(a: ArrayLike, UPLO: Union[_Triangle, ArrayLike] = "L", **arguments: Any) -> NDArray[Any]: ...
@overload
def svd(
    a: ArrayLike, full_matrices: bool = True, compute_uv: Literal[True] = True, *, hermitian: bool = False,
    largest: Optional[int] = None, overwrite_a: bool = False, check_finite: bool = True,
    lapack_driver: Literal["gesdd", "gesvd"] = "gesdd", device: _Device = None, progress: _Progress = None,
) -> SVDResult: ...
@overload
def svd(
    a: ArrayLike, full_matrices: bool = True, *, compute_uv: Literal[False], hermitian: bool = False,
    largest: Optional[int] = None, overwrite_a: bool = False, check_finite: bool = True,
    lapack_driver: Literal["gesdd", "gesvd"] = "gesdd", device: _Device = None, progress: _Progress = None,
) -> NDArray[Any]: ...
@overload
def svd(
    a: ArrayLike, full_matrices: bool, compute_uv: Literal[False], *, hermitian: bool = False,
    largest: Optional[int] = None, overwrite_a: bool = False, check_finite: bool = True,
    lapack_driver: Literal["gesdd", "gesvd"] = "gesdd", device: _Device = None, progress: _Progress = None,
) -> NDArray[Any]: ...
@overload
def svd(
    a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, *, hermitian: bool = False,
    largest: Optional[int] = None, overwrite_a: bool = False, check_finite: bool = True,
    lapack_driver: Literal["gesdd", "gesvd"] = "gesdd", device: _Device = None, progress: _Progress = None,
) -> Union[SVDResult, NDArray[Any]]: ...
def svdvals(a: ArrayLike, **arguments: Any) -> NDArray[Any]: ...
def eigh_tridiagonal(
    d: ArrayLike, e: ArrayLike, eigvals_only: bool = False, select: Union[str, int] = "a",
    select_range: Optional[Sequence[float]] = None, check_finite: bool = True, tol: float = 0.0, lapack_driver: str = "auto",
    *, device: _Device = None, progress: _Progress = None,
) -> Any: ...
def eigvalsh_tridiagonal(
    d: ArrayLike, e: ArrayLike, select: Union[str, int] = "a", select_range: Optional[Sequence[float]] = None,
    check_finite: bool = True, tol: float = 0.0, lapack_driver: str = "auto", *, device: _Device = None,
    progress: _Progress = None,
) -> NDArray[Any]: ...
def batched(
    matrices: Union[ArrayLike, Sequence[ArrayLike]], UPLO: _Triangle = "L", *, lower: Optional[bool] = None,
    eigvals_only: bool = False, on_error: Literal["raise", "nan"] = "raise", device: _Device = None,
    progress: _Progress = None,
) -> List[Any]: ...
def clear() -> None: ...
def devices() -> List[Device]: ...
def use(device: _Device = None) -> Device: ...
def install(crossover: Optional[int] = None, *, device: _Device = None) -> bool: ...
def installed() -> bool: ...
def uninstall() -> None: ...
def version() -> str: ...
