"""Processes that tests start."""

import multiprocessing
import signal
import subprocess
from contextlib import contextmanager

import pytest


def reset_signals():
    """Do not ignore SIGHUP, which a process inherits if the tests were started by ``nohup``."""
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def has_semaphores():
    """Whether pools of worker processes can be started: /dev/shm is not writable for users of some containers."""
    try:
        multiprocessing.get_context("spawn").Lock()
    except OSError:
        return False
    return True


needs_semaphores = pytest.mark.skipif(
    not has_semaphores(), reason="/dev/shm is not writable: no worker process can be started"
)


@contextmanager
def started(command, **options):
    """A process that is killed if the block raises: `Popen` as a context manager waits for it without a limit."""
    with subprocess.Popen(command, preexec_fn=reset_signals, **options) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise
