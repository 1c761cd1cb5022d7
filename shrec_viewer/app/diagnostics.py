"""Versions and machine in words, for the about box and for error reports."""

import platform
import sys
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import QLibraryInfo
from PySide6.QtGui import QGuiApplication

from shrec_viewer import __version__

PACKAGES = ("PySide6-Essentials", "numpy", "pyqtgraph", "moderngl", "trimesh", "Pillow")
"""Packages whose versions matter when something goes wrong."""


def versions() -> list[tuple[str, str]]:
    """What runs, and in which version; nothing is imported for it."""
    found = [("SHREC Viewer", __version__), ("Python", sys.version.split()[0])]
    found.append(("Qt", QLibraryInfo.version().toString()))
    found += [(name, _version(name)) for name in PACKAGES]
    return found


def machine() -> list[tuple[str, str]]:
    """The system and its screens."""
    screens = [
        f"{screen.size().width()}×{screen.size().height()} at {screen.devicePixelRatio():g}"
        for screen in QGuiApplication.screens()
    ]
    return [
        ("System", platform.platform()),
        ("Window system", QGuiApplication.platformName()),
        ("Screens", ", ".join(screens)),
    ]


@lru_cache(maxsize=1)
def renderer() -> str:
    """The renderer that draws models, asked for once (it costs megabytes); a sentence where there is none."""
    from shrec_viewer.render.renderer import open_renderer

    try:
        return open_renderer().description
    except Exception as error:
        return f"cannot be opened ({error})"


def diagnostics() -> str:
    """All of it as lines of text, for a clipboard."""
    return "\n".join(f"{name}: {text}" for name, text in [*versions(), *machine()])


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
