"""The bundle on Windows: one program for the command line, one without a console window for the menu. Not run yet."""

from pathlib import Path

PROGRAMS = (("shrec-viewer", True), ("shrec-viewer-window", False))
"""Executables and whether each is a console program; both share all files."""

ICON = str(Path(__file__).parents[2] / "resources/icons/hicolor/256x256/apps/shrec-viewer.png")
"""PyInstaller converts it with Pillow."""

APPLICATION = None

RUNTIME_HOOKS = ()


def is_bundled(path: str, source: str) -> bool:
    """Whether a binary file is in the bundle: all are, Windows has no libraries that programs share."""
    return True
