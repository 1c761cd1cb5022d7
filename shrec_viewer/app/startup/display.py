"""Check for an X11 or Wayland display before Qt is loaded, which would abort without one."""

import os
import sys

#: Qt platforms that need no display server.
OFFSCREEN_PLATFORMS = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs", "minimalegl")


def missing_display() -> str:
    """Why no display can be used, as a message; "" if one can, and on systems other than X11 and Wayland."""
    if not sys.platform.startswith(("linux", "freebsd")):
        return ""
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if platform in OFFSCREEN_PLATFORMS or (os.environ.get("WAYLAND_DISPLAY") and platform != "xcb"):
        return ""
    display = os.environ.get("DISPLAY", "")
    if not display:
        return "no window can be opened: there is no display (DISPLAY and WAYLAND_DISPLAY are not set)"
    if not _can_connect(display):
        return f"no window can be opened: cannot connect to the display '{display}'"
    return ""


def _can_connect(display: str) -> bool:
    """Whether an X server accepts a connection; True if libxcb is missing, so that Qt reports the reason."""
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
