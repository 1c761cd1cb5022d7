"""Command line: evaluation without a window, and the command that opens one."""

import sys
from collections.abc import Sequence

from shrec_viewer.cli.cpu_features import avoid_slow_sort


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``shrec-viewer`` and return its exit status.

    Parameters
    ----------
    arguments : command-line arguments without the program name; None for `sys.argv`.

    Returns
    -------
    int
        0 success, 1 errors in the data or of a disk, 2 usage error, 130 interrupted by Ctrl-C.
    """
    if getattr(sys, "frozen", False):
        # Before anything else: a worker process of a frozen bundle executes the bundle again and ends in this call.
        from multiprocessing import freeze_support

        freeze_support()
    avoid_slow_sort()
    try:
        # Imported here so that Ctrl-C during the imports prints no traceback either.
        from shrec_viewer.cli.program import run

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return 130
