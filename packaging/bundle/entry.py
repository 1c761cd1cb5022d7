"""The program that the bundle starts."""

import sys

from shrec_viewer.cli import main

sys.exit(main())
