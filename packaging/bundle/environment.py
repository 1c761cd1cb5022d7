"""Run at the start of the bundle on Linux: give programs that it starts the user's library path back.

The starter of PyInstaller sets LD_LIBRARY_PATH to the folder of the bundle. This process has read it already; a browser
or file manager started by it would load libraries of the bundle.
"""

import os

_before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
os.environ.pop("LD_LIBRARY_PATH", None)
if _before is not None:
    os.environ["LD_LIBRARY_PATH"] = _before
