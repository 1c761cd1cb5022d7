"""The Linux libraries that Qt's wheels expect from the system, and the packages that hold them."""

import sys

QT_LIBRARIES: tuple[tuple[str, str], ...] = (
    ("libglib-2.0.so.0", "libglib2.0-0"),
    ("libGL.so.1", "libgl1"),
    ("libEGL.so.1", "libegl1"),
    ("libdbus-1.so.3", "libdbus-1-3"),
    ("libfontconfig.so.1", "libfontconfig1"),
    ("libfreetype.so.6", "libfreetype6"),
    ("libX11.so.6", "libx11-6"),
    ("libxkbcommon.so.0", "libxkbcommon0"),
)
"""Library and Debian package: what QtCore, QtGui and QtWidgets name as NEEDED and do not bring along.

Without one of them PySide6 cannot even be imported, on no platform, offscreen neither.
"""

X11_LIBRARIES: tuple[tuple[str, str], ...] = (
    ("libX11-xcb.so.1", "libx11-xcb1"),
    ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
    ("libxcb.so.1", "libxcb1"),
    ("libxcb-cursor.so.0", "libxcb-cursor0"),
    ("libxcb-glx.so.0", "libxcb-glx0"),
    ("libxcb-icccm.so.4", "libxcb-icccm4"),
    ("libxcb-image.so.0", "libxcb-image0"),
    ("libxcb-keysyms.so.1", "libxcb-keysyms1"),
    ("libxcb-randr.so.0", "libxcb-randr0"),
    ("libxcb-render.so.0", "libxcb-render0"),
    ("libxcb-render-util.so.0", "libxcb-render-util0"),
    ("libxcb-shape.so.0", "libxcb-shape0"),
    ("libxcb-shm.so.0", "libxcb-shm0"),
    ("libxcb-sync.so.1", "libxcb-sync1"),
    ("libxcb-util.so.1", "libxcb-util1"),
    ("libxcb-xfixes.so.0", "libxcb-xfixes0"),
    ("libxcb-xkb.so.1", "libxcb-xkb1"),
)
"""The same for the platform xcb, a window on an X server; Qt ends the process where one of them is missing."""


def missing_libraries(*, with_x11: bool = True) -> tuple[tuple[str, str], ...]:
    """Rows of the tables that this system cannot load; none outside Linux, where the wheels are complete."""
    if not sys.platform.startswith("linux"):
        return ()
    return tuple(row for row in QT_LIBRARIES + X11_LIBRARIES * with_x11 if not _loads(row[0]))


def _loads(library: str) -> bool:
    from ctypes import CDLL

    try:
        CDLL(library)
    except OSError:
        return False
    return True
