"""The functions of vkevd.h, through ctypes. The first call loads the library, and import does
not."""

import ctypes
import os
import threading
from ctypes import POINTER, c_char, c_char_p, c_double, c_int32, c_int64, c_uint64, c_ulong, c_void_p

from ._errors import BY_CODE, Error, ForkedError, NoDeviceError, ResultOverflowError

NAME = "libvkevd.so.0"


class ErrorInfo(ctypes.Structure):
    _fields_ = [("code", c_int32), ("reserved", c_int32), ("row", c_int64), ("column", c_int64),
                ("need", c_uint64), ("free", c_uint64), ("text", c_char * 472)]


class DeviceInfo(ctypes.Structure):
    _fields_ = [("index", c_int32), ("usable", c_int32), ("memory", c_uint64), ("free", c_uint64),
                ("type", c_char * 16), ("family", c_char * 16), ("name", c_char * 256),
                ("driver", c_char * 256), ("problem", c_char * 256)]


Progress = ctypes.CFUNCTYPE(c_int32, c_void_p, c_char_p, c_double, c_double)


class Control(ctypes.Structure):
    _fields_ = [("progress", Progress), ("user", c_void_p), ("token", c_uint64)]


ALL, INDEX, INTERVAL = 0, 1, 2
NONE, THIN, FULL = 0, 1, 2


class Symmetric(ctypes.Structure):
    _fields_ = [("vectors", c_int32), ("upper", c_int32), ("a_row_major", c_int32),
                ("vectors_row_major", c_int32), ("select", c_int32), ("verify", c_int32),
                ("number", c_int32), ("reserved0", c_int32),
                ("start", c_int64), ("stop", c_int64), ("above", c_double), ("up_to", c_double),
                ("at_most", c_int64), ("reserved", c_int64 * 6)]


class Pencil(ctypes.Structure):
    _fields_ = [("symmetric", Symmetric), ("type", c_int32), ("b_upper", c_int32), ("b_row_major", c_int32),
                ("overlap", c_int32), ("threshold", c_double), ("refine", c_int32), ("reserved0", c_int32),
                ("reserved", c_int64 * 4)]


class Svd(ctypes.Structure):
    _fields_ = [("u", c_int32), ("v", c_int32), ("a_row_major", c_int32), ("vectors_row_major", c_int32),
                ("number", c_int32), ("verify", c_int32),
                ("largest", c_int64), ("reserved", c_int64 * 6)]


class Batch(ctypes.Structure):
    _fields_ = [("vectors", c_int32), ("upper", c_int32), ("a_row_major", c_int32), ("number", c_int32),
                ("reserved", c_int64 * 6)]


class Found(ctypes.Structure):
    _fields_ = [("first", c_int64), ("count", c_int64)]


# The arguments of each function except the last one, which is always a vkevd_error. Arrays are
# passed as addresses.
_ARGUMENTS = {
    "devices": [POINTER(DeviceInfo), c_int64, POINTER(c_int64)],
    "open": [c_char_p, POINTER(c_uint64)],
    "describe": [c_uint64, POINTER(DeviceInfo)],
    "close": [c_uint64],
    "token_new": [POINTER(c_uint64)],
    "cancel": [c_uint64],
    "token_free": [c_uint64],
    "plan_bytes": [c_uint64, POINTER(c_uint64)],
    "plan_close": [c_uint64],
    "symmetric_plan": [c_uint64, c_int64, POINTER(Symmetric), POINTER(c_uint64)],
    "symmetric_solve": [c_uint64, c_void_p, c_int64, c_void_p, c_void_p, c_int64, POINTER(Found), POINTER(Control)],
    "pencil_plan": [c_uint64, c_int64, POINTER(Pencil), POINTER(c_uint64)],
    "pencil_factor": [c_uint64, c_void_p, c_int64, POINTER(c_double), POINTER(Control)],
    "pencil_solve": [c_uint64, c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p, c_int64, POINTER(Found),
                     POINTER(Control)],
    "tridiagonal_plan": [c_uint64, c_int64, POINTER(Symmetric), POINTER(c_uint64)],
    "tridiagonal_solve": [c_uint64, c_void_p, c_void_p, c_void_p, c_void_p, c_int64, POINTER(Found), POINTER(Control)],
    "svd_plan": [c_uint64, c_int64, c_int64, POINTER(Svd), POINTER(c_uint64)],
    "svd_solve": [c_uint64, c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_void_p, c_int64, POINTER(Control)],
    "batch_order": [c_uint64, POINTER(c_int64)],
    "batch_plan": [c_uint64, c_int64, c_int64, POINTER(Batch), POINTER(c_uint64)],
    "batch_solve": [c_uint64, c_int64, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, POINTER(Control)],
}

for _name in ("symmetric_solve", "pencil_factor", "pencil_solve", "svd_solve", "batch_solve"):
    for _ending in ("_float32", "_complex128", "_complex64"):
        _ARGUMENTS[_name + _ending] = _ARGUMENTS[_name]
_ARGUMENTS["tridiagonal_solve_float32"] = _ARGUMENTS["tridiagonal_solve"]

_loaded = None
_loading = threading.Lock()
_forked = False


def _after_fork():
    global _forked, _loading
    _forked = _forked or _loaded is not None
    _loading = threading.Lock()  # another thread of the parent may have held it


os.register_at_fork(after_in_child=_after_fork)


def _raised():
    """Tells whether this process has more rights than its user, whose variables it must not obey
    then.

    secure_getenv of the C library asks the same.
    """
    getauxval = ctypes.CDLL(None).getauxval
    getauxval.argtypes, getauxval.restype = [c_ulong], c_ulong
    return getauxval(23) != 0  # AT_SECURE


def _places():
    """The possible paths of the library, best first. The system finds a name without a folder."""
    here = os.path.dirname(os.path.abspath(__file__))
    wanted = os.environ.get("VKEVD_LIBRARY")
    if wanted and not _raised():
        return [wanted]
    inside = [os.path.join(here, NAME), os.path.join(here, "..", "..", "bin", "lib", NAME)]
    return [place for place in inside if os.path.exists(place)] + [NAME]


def _load():
    problems = []
    for place in _places():
        try:
            library = ctypes.CDLL(place)
        except OSError as problem:
            problems.append(str(problem))
            continue
        try:
            library.vkevd_version.argtypes, library.vkevd_version.restype = [], c_char_p
        except AttributeError:
            problems.append(f"{place} is another library")
            continue
        try:
            for name, arguments in _ARGUMENTS.items():
                function = getattr(library, "vkevd_" + name)
                function.argtypes = arguments + [POINTER(ErrorInfo)]
                function.restype = c_int32
        except AttributeError:
            problems.append(f"{place} has version {library.vkevd_version().decode()}, which is too old for this package: "
                            f"it has no function vkevd_{name}")
            continue
        return library
    raise NoDeviceError("cannot load the C library of vkevd: " + "; ".join(problems))


def library():
    """The library as a ctypes.CDLL."""
    global _loaded
    if _forked:
        raise ForkedError("this process was forked after vkevd had been used, and cannot use it; "
                          'use multiprocessing\'s method "spawn", or call vkevd first in the child')
    if _loaded is None:
        with _loading:
            if _loaded is None:
                _loaded = _load()
    return _loaded


def usable():
    """Tells whether this process has loaded the library."""
    return _loaded is not None and not _forked


def call(name, *arguments):
    """Calls a function of vkevd.h. If it returns an error code, raises the exception for this code.

    The code for a value that overflows raises nothing, because the results are there; see
    _results.finished.
    """
    info = ErrorInfo()
    code = getattr(library(), "vkevd_" + name)(*arguments, ctypes.byref(info))
    if code in (0, ResultOverflowError.code):
        return
    error = BY_CODE.get(code, Error)(info.text.decode("utf-8", "replace"))
    error.code, error.row, error.column = code, info.row, info.column
    error.need, error.free = info.need, info.free
    raise error


def version():
    """The version of the C library."""
    return library().vkevd_version().decode()
