"""Open devices, and plans that are stored for the next solve of the same shape."""

import atexit
import ctypes
import threading
from collections import OrderedDict
from ctypes import byref, c_int64, c_uint64

from . import _library
from ._errors import NoDeviceError, OutOfMemoryError
from ._library import DeviceInfo, call
from ._results import Device

_MOST_PLANS = 4  # of a device


def _device(info):
    text = [getattr(info, member).decode("utf-8", "replace") for member in ("name", "type", "family", "driver")]
    return Device(info.index, *text, info.memory, info.free, bool(info.usable), info.problem.decode("utf-8", "replace"))


def devices():
    """Lists the devices of this machine, including devices that cannot be used."""
    count, room = c_int64(), 16
    while True:
        infos = (DeviceInfo * room)()
        call("devices", infos, room, byref(count))
        if count.value <= room:
            return [_device(info) for info in infos[:count.value]]
        room = count.value


class Session:
    """An open device. It runs one solve at a time. `closed` is set, with the lock held, when
    clear() closes it."""

    def __init__(self, name):
        self.name, self.closed = name, False
        handle = c_uint64()
        try:
            call("open", name.encode(), byref(handle))
        except NoDeviceError as problem:  # the text names a command
            problem.args = (str(problem).replace("; vkevd devices lists", "; vkevd.devices() lists"),)
            raise
        self.handle = handle.value
        info, order = DeviceInfo(), c_int64()
        call("describe", self.handle, byref(info))
        call("batch_order", self.handle, byref(order))
        self.device, self.batch_order = _device(info), order.value
        self.lock = threading.Lock()
        self._plans = OrderedDict()  # (handle, bytes) by key, the last used one at the end

    def plan(self, kind, shape, options):
        """Returns a plan for a shape and options. The caller must hold the lock."""
        key = (kind, shape, bytes(options))
        if key in self._plans:
            self._plans.move_to_end(key)
            return self._plans[key][0]
        handle, size = c_uint64(self.new_plan(kind, shape, options)), c_uint64()
        call("plan_bytes", handle, byref(size))
        self._plans[key] = handle.value, size.value
        while len(self._plans) > 1 and (
                len(self._plans) > _MOST_PLANS or sum(b for _, b in self._plans.values()) > self.device.memory // 2):
            _, (oldest, _) = self._plans.popitem(last=False)
            call("plan_close", oldest)
        return handle.value

    def new_plan(self, kind, shape, options):
        """Returns a plan that the caller must close. The caller must hold the lock."""
        handle = c_uint64()
        try:
            call(kind + "_plan", self.handle, *shape, byref(options), byref(handle))
        except OutOfMemoryError:
            if not self._plans:
                raise
            self.forget()
            call(kind + "_plan", self.handle, *shape, byref(options), byref(handle))
        return handle.value

    def forget(self):
        """Closes all plans. The caller must hold the lock."""
        while self._plans:
            _, (handle, _) = self._plans.popitem()
            call("plan_close", handle)


_sessions = {}
_opening = threading.Lock()
_default = ""

_thread = threading.local()  # watched: the sessions of the solves in whose progress functions this thread runs


def watched():
    """The sessions of the solves that wait for the calling thread, because it runs their progress
    functions."""
    return getattr(_thread, "watched", ())


def watching(sessions):
    """Makes watched() return these sessions in the calling thread."""
    _thread.watched = sessions


def refuse_watched(sessions):
    """Raises RuntimeError if a progress function calls vkevd for a device whose solve waits for
    this function."""
    if any(session in watched() for session in sessions):
        raise RuntimeError("vkevd: a progress function called vkevd for the device that it watches")


def _after_fork():
    global _opening
    _opening = threading.Lock()


_library.os.register_at_fork(after_in_child=_after_fork)


def session(device=None):
    """Returns the Session of the device with this name or index, or of the default device."""
    return named(_default if device is None else _name(device))


def named(name):
    """Returns the session of the device with this name.

    Opens the device if it is not open: at its first use, and after clear().
    """
    _library.library()  # in a forked process: its error
    with _opening:
        if name not in _sessions:
            _sessions[name] = Session(name)
        return _sessions[name]


def use(device=None):
    """Makes a device the default and opens it: one of devices(), or its index, or a part of its
    name.

    None stands for the device that VKEVD_DEVICE names, or the best device. Returns the Device.
    """
    global _default
    name = "" if device is None else _name(device)
    opened = session(name)
    _default = name
    return opened.device


def _name(device):
    return str(device.index) if isinstance(device, Device) else str(device)


def clear():
    """Closes all devices and frees their memory. The next solve opens a device again.

    It waits for the solves that are running. Solves of other threads that wait for their turn run
    afterwards.
    """
    if not _library.usable():
        _sessions.clear()
        return
    with _opening:
        refuse_watched(_sessions.values())
        closing = list(_sessions.values())
        _sessions.clear()
    for session in closing:
        with session.lock:
            session.closed = True
            session.forget()
            call("close", session.handle)


atexit.register(clear)
