"""Versions and machine in words, for the about box and for error reports."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from PySide6.QtCore import QLibraryInfo
from PySide6.QtGui import QGuiApplication

from shrec_viewer import __version__

PACKAGES = ("PySide6-Essentials", "numpy", "pyqtgraph", "moderngl", "trimesh", "Pillow")
"""Packages whose versions matter when something goes wrong."""


UNUSED = "chosen with the first model that is drawn"
"""Said of a renderer while nothing was drawn; pictures that were kept from an earlier time need none."""


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


def renderers(session: Any) -> list[tuple[str, str]]:
    """What draws thumbnails and 3D views; neither is opened for it, as that costs megabytes and may crash a driver.

    Parameters
    ----------
    session : a `Session`, or None before there is one.
    """
    if session is None:
        return [("Pictures", UNUSED), ("3D view", UNUSED)]
    return [
        ("Pictures", session.thumbnails.renderer or UNUSED),
        ("3D view", session.orbit.source.description or UNUSED),
    ]


def diagnostics() -> str:
    """All of it as lines of text, for a clipboard."""
    return "\n".join(f"{name}: {text}" for name, text in [*versions(), *machine()])


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
