"""One solve, with progress and cancelling. It has its own thread if it must be interruptible."""

import threading
import time
from ctypes import byref, c_uint64

from . import _devices
from ._errors import CancelledError
from ._library import Control, Progress, call
from ._progress import Line, function_of


class _Watch:
    """The vkevd_control of one solve, and the exception that the progress function has raised."""

    def __init__(self, session, progress, token):
        self.raised = None
        self._watched = _devices.watched() + (session,)
        self._progress = progress
        self.control = Control(Progress(self._call) if progress else Progress(), None, token)

    def _call(self, _user, stage, done, total):
        _devices.watching(self._watched)
        try:
            self._progress(stage.decode("utf-8", "replace"), done, total)
        except BaseException as raised:  # an exception cannot pass through C
            self.raised = raised
            return 1
        finally:
            _devices.watching(())
        return 0


def solve(session, progress, work):
    """Calls work(session, control) while no other solve uses the session, and returns the result of
    work.

    If clear() closes the session while another solve uses it, work gets a new session for the same
    device. Python handles signals only in the main thread, and not while this thread runs C code.
    Therefore another thread runs the solve, and the main thread waits for it. If a signal
    interrupts the wait, the solve is cancelled. The exception is raised after the solve has stopped
    using its memory.
    """
    progress = function_of(progress)
    try:
        return _solve(session, progress, work)
    finally:
        if isinstance(progress, Line):
            progress.close()


def _solve(session, progress, work):
    _devices.refuse_watched([session])
    if threading.current_thread() is not threading.main_thread():
        return _locked(session, progress, 0, work)
    token = c_uint64()
    call("token_new", byref(token))
    answer, ended, interrupted = {}, threading.Event(), threading.Event()

    def target():
        try:
            answer["value"] = _locked(session, progress, token.value, work, interrupted)
        except BaseException as raised:
            answer["error"] = raised
        ended.set()

    # The end of the thread is signalled by an event. Thread.join would not do: after an interrupted
    # join, Python 3.11 treats the thread as ended.
    worker = threading.Thread(target=target, name="vkevd", daemon=True)
    try:
        try:
            worker.start()
        except RuntimeError:  # Python is ending, and starts no threads
            target()
        ended.wait()
    except BaseException:
        interrupted.set()
        call("cancel", token)
        _wait(worker, ended)
        raise
    finally:
        call("token_free", token)
    if "error" in answer:
        raise answer["error"]
    return answer["value"]


def _locked(session, progress, token, work, interrupted=None):
    session = _locked_session(session, interrupted)
    try:
        watch = _Watch(session, progress, token)
        try:
            return work(session, byref(watch.control))
        except CancelledError:
            if watch.raised is not None:
                raise watch.raised from None
            raise
    finally:
        session.lock.release()


def _locked_session(session, interrupted):
    """Acquires the lock of `session`, or of the session that replaces it if clear() has closed it.
    Returns the session."""
    while True:
        while not session.lock.acquire(timeout=-1 if interrupted is None else 0.1):
            if interrupted.is_set():
                raise CancelledError("interrupted before the device was free")
        if not session.closed:
            return session
        session.lock.release()
        session = _devices.named(session.name)


def _wait(worker, ended):
    """Waits until a cancelled solve has ended, even during further interrupts, because the solve
    uses the memory of the call."""
    began = time.monotonic()
    while not ended.is_set():
        if worker.ident is None and time.monotonic() > began + 1:
            return  # the interrupt came before the thread began
        try:
            ended.wait(0.1)
        except BaseException:
            pass
