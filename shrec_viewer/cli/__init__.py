"""Command line: evaluation without a window, and the command that opens one."""

import gc
import sys
from collections.abc import Sequence

from shrec_viewer.cli.cpu_features import avoid_slow_sort
from shrec_viewer.shortages import shortage

#: New objects from which Python looks for unreachable ones in commands without a window, instead of 700.
#:
#: Modules and tables consist of objects that stay: a small evaluation looked for unreachable ones 103 times, for 6 %
#: of its time, and found 500.
COLLECTION_THRESHOLD = 100_000


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
    if arguments is None:  # else the caller's program is not ours
        gc.set_threshold(COLLECTION_THRESHOLD)
    try:
        # Imported here so that Ctrl-C during the imports prints no traceback either.
        from shrec_viewer.cli.program import run

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return 130
    except (MemoryError, OSError, ImportError, RuntimeError) as error:
        lacking = shortage(error)
        if lacking is None:
            raise
        sys.stderr.write(f"shrec-viewer: {lacking}\n")
        return 1
