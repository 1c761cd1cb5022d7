"""Check for an X11 or Wayland display before Qt is loaded, which would abort without one."""

import os
import sys

OFFSCREEN_PLATFORMS = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs", "minimalegl")
"""Qt platforms that need no display server."""


def missing_display() -> str:
    """A sentence why no window can be opened here; "" where one can.

    Only X11 and Wayland can be missing: elsewhere there is always a screen.
    """
    if not sys.platform.startswith(("linux", "freebsd")):
        return ""
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if platform in OFFSCREEN_PLATFORMS or (os.environ.get("WAYLAND_DISPLAY") and platform != "xcb"):
        return ""
    display = os.environ.get("DISPLAY", "")
    if not display:
        return "no window can be opened: there is no display (DISPLAY and WAYLAND_DISPLAY are empty)"
    if not _x11_responds(display):
        return f"no window can be opened: the display '{display}' does not answer"
    return ""


def _x11_responds(display: str) -> bool:
    """Whether an X server answers; True where that cannot be asked, then Qt has the last word."""
    import ctypes
    import ctypes.util

    name = ctypes.util.find_library("xcb")
    if name is None:
        return True
    try:
        xcb = ctypes.CDLL(name)
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(display.encode(), None))
    failed = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not failed
