"""Processes that tests start."""

import signal
import subprocess
from contextlib import contextmanager


def reset_signals():
    """Do not ignore SIGHUP, which a process inherits if the tests were started by ``nohup``."""
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@contextmanager
def started(command, **options):
    """A process that is killed if the block raises: `Popen` as a context manager waits for it without a limit."""
    with subprocess.Popen(command, preexec_fn=reset_signals, **options) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise
