"""Run the command line: ``python -m shrec_viewer``."""

import sys

from shrec_viewer.cli import main

if __name__ == "__main__":
    sys.exit(main())
