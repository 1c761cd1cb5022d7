"""Worker processes that start in 10 ms instead of 250 ms: a server imports the modules once and is forked."""

import multiprocessing
import os
from multiprocessing import context

MODULES = (
    "moderngl",
    "numpy",
    "shrec_viewer.evaluation.evaluate",
    "shrec_viewer.formats.discovery.benchmark",
    "shrec_viewer.render.workers.model_readers",
    "shrec_viewer.render.workers.renderer_process",
)
"""Modules that the workers of the program import."""

get_context = multiprocessing.get_context


def get_fast_context(method=None):
    """The context of a method, but workers forked from a server instead of spawned ones, where the system has it.

    Unlike a copy of the test process, which the program cannot use, the server is a new interpreter without threads and
    Qt: a worker gets from the test process what a spawned one gets.
    """
    if method != "spawn" or "forkserver" not in multiprocessing.get_all_start_methods():
        return get_context(method)
    return ServerContext()


if hasattr(context, "ForkServerContext"):

    class ServerProcess(context.ForkServerProcess):
        """A process with the environment that a spawned one would have; others have that of the server."""

        def start(self):
            self._environment = dict(os.environ)
            super().start()

        def run(self):
            os.environ.clear()
            os.environ.update(self._environment)
            super().run()

        def join(self, timeout=None):
            """Wait for a process that has ended without a limit: the server reports its status some time later."""
            super().join()

    class ServerContext(context.ForkServerContext):
        Process = ServerProcess

        def __init__(self):
            self.set_forkserver_preload(list(MODULES))
