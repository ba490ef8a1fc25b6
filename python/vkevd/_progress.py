"""The argument progress=True: a line of text on standard error."""

import sys
import time

_SECONDS = 0.1  # between two writes


class Line:
    """A progress function that writes how much of a solve is done. close() removes the line."""

    def __init__(self):
        self._next, self._width = 0, 0

    def __call__(self, stage, done, total):
        now = time.monotonic()
        if now >= self._next or done >= total:
            self._next = now + _SECONDS
            self._write(f"vkevd: {100 * done / (total or 1):3.0f} %  {stage}")

    def close(self):
        if self._width:
            self._write("")
            self._write("")  # the cursor goes to the beginning

    def _write(self, text):
        try:
            sys.stderr.write("\r" + text.ljust(self._width))
            sys.stderr.flush()
        except (AttributeError, OSError, ValueError):  # there is no standard error, or it is closed
            pass
        self._width = len(text)


def function_of(progress):
    """Returns the progress function that an argument stands for, or None."""
    if progress is True:
        return Line()
    if progress is None or progress is False:
        return None
    if not callable(progress):
        raise TypeError("progress must be True or a function with the arguments stage, done, total")
    return progress
