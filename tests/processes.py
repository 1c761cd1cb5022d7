"""Processes that tests start."""

import subprocess
from contextlib import contextmanager


@contextmanager
def started(command, **options):
    """A process that is killed if the block raises: `Popen` as a context manager waits for it without a limit."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise
