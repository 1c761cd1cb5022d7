"""Command line: evaluation without a window, and the command that opens one."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``shrec-viewer`` and answer its exit status.

    Parameters
    ----------
    arguments : what follows the program's name; None for those of this process.

    Returns
    -------
    int
        0 done; 1 the data has errors; 2 the call is wrong; 130 interrupted by Ctrl-C.
    """
    if getattr(sys, "frozen", False):
        # First of all: a worker process of a frozen bundle starts as the bundle itself, and never gets beyond this.
        from multiprocessing import freeze_support

        freeze_support()
    try:
        # Inside, so that Ctrl-C during the imports ends as quietly as later on.
        from shrec_viewer.cli.program import run

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return 130
