"""Work in processes that are killed before chosen lines, so that nothing depends on how far they came in time."""

import os
import signal
import sys
from functools import partial

import numpy as np


def child(work):
    """A process that does some work, and ends with status 0 if it succeeds."""
    number = os.fork()
    if number == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return number


def counted_lines(work, last=None):
    """Number of lines of Python that some work runs; the process is killed before line `last`."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        if "tomllib" in frame.f_code.co_filename:  # many lines, none of which writes
            return None
        if event == "line":
            count += 1
            if count == last:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def killed_before_line(work, line):
    """Do some work in a process that is killed before a line; whether it was."""
    _, status = os.waitpid(child(partial(counted_lines, work, line)), 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def kill_lines(lines):
    """Lines spread over the work, the last ones, in which files are renamed, and one after its end."""
    return sorted({*np.linspace(1, lines, 5).astype(int).tolist(), *range(lines - 8, lines), 2 * lines})
