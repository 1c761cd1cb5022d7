"""Reasons why no window can be opened: missing display or Linux libraries."""

# A separate module: packaging/setup.sh reads the tables with sed, packaging/demo.sh imports it without click.

import os
import sys

from shrec_viewer.app.startup.display import missing_display

#: Library and Debian package: what QtCore, QtGui and QtWidgets link to and the PySide6 wheels do not contain.
#:
#: PySide6 cannot be imported without them, also for the platform offscreen.
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

#: The same for the platform xcb, a window on an X server. Qt aborts the process if one of them is missing.
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


def missing_libraries(*, with_x11: bool = True) -> tuple[tuple[str, str], ...]:
    """Rows of the tables that this system cannot load; none outside Linux, where the wheels contain all libraries."""
    if not sys.platform.startswith("linux"):
        return ()
    return tuple(row for row in QT_LIBRARIES + X11_LIBRARIES * with_x11 if not _can_load(row[0]))


def _can_load(library: str) -> bool:
    from ctypes import CDLL

    try:
        CDLL(library)
    except OSError:
        return False
    return True


def window_unavailable_reason() -> str:
    """Why no window can be opened, as a message; "" if one probably can."""
    on_x11 = os.environ.get("QT_QPA_PLATFORM", "xcb").startswith("xcb") and not os.environ.get("WAYLAND_DISPLAY")
    missing = missing_libraries(with_x11=on_x11)
    if not missing:
        return missing_display()
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    packages = " ".join(package for _, package in missing)
    return (
        f"no window can be opened: Qt needs the system library {missing[0][0]}{more} "
        f"(on Debian and Ubuntu: sudo apt-get install {packages})"
    )
