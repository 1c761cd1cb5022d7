"""Handlers of worker processes for tests.

Separate from the tests: each process imports the module of its functions, and pytest takes 0.2 s of processor time.
"""

import os
import signal
import time
from collections.abc import Callable


def open_handler(kind: str) -> tuple[str, Callable[[str], str]]:
    """Handler that crashes at the start ("broken"), with each job ("fragile"), or with bad jobs only ("robust")."""
    if kind == "broken":
        os.kill(os.getpid(), signal.SIGSEGV)

    def handle(job: str) -> str:
        if kind == "fragile" or job.startswith("bad"):
            os.kill(os.getpid(), signal.SIGSEGV)
        if job.startswith("slow"):
            time.sleep(1.0)
        return f"{kind} {job}"

    return kind, handle


def open_large_handler() -> tuple[str, Callable[[str], str]]:
    """Handler that allocates as many bytes as the job says."""

    def handle(job: str) -> str:
        try:
            return f"{len(bytearray(int(job)))} bytes"
        except MemoryError:
            return "not enough memory"

    return "", handle
