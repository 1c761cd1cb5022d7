"""Whether a window can be opened at all; Qt itself would end the process without a word of help."""

import os
import sys
from collections.abc import Mapping

from shrec_viewer.cli.libraries import missing_libraries


def why_no_window(environment: Mapping[str, str] | None = None) -> str | None:
    """The sentence that says why no window can be opened here, or None where nothing speaks against it.

    Parameters
    ----------
    environment : the environment to judge by; None for that of this process. ``QT_QPA_PLATFORM`` (offscreen, vnc) is
        taken at its word: no display is looked for then.
    """
    if not sys.platform.startswith("linux"):
        return None
    known = os.environ if environment is None else environment
    if missing := missing_libraries():
        packages = " ".join(package for _, package in missing)
        return (
            f"Qt lacks the system library {missing[0][0]}{_and_more(len(missing) - 1)}; "
            f"on Debian and Ubuntu: sudo apt-get install {packages}"
        )
    if known.get("QT_QPA_PLATFORM"):
        return None
    display, wayland = known.get("DISPLAY"), known.get("WAYLAND_DISPLAY")
    if not display and not wayland:
        return "no display can be reached: neither DISPLAY nor WAYLAND_DISPLAY is set"
    if (wayland and _wayland_answers(wayland)) or (display and _x_answers(display)):
        return None
    return f"no display can be reached: {display or wayland} does not answer"


def _and_more(count: int) -> str:
    return "" if count == 0 else f" and {count} more"


def _x_answers(display: str) -> bool:
    """Whether the X server lets us in, asked the way Qt will ask, rights included."""
    from ctypes import CDLL, c_char_p, c_void_p

    xcb = CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = c_void_p
    connection = c_void_p(xcb.xcb_connect(c_char_p(display.encode()), None))
    works = xcb.xcb_connection_has_error(connection) == 0
    xcb.xcb_disconnect(connection)
    return works


def _wayland_answers(display: str) -> bool:
    from ctypes import CDLL, c_char_p, c_void_p

    try:
        client = CDLL("libwayland-client.so.0")
    except OSError:
        return False
    client.wl_display_connect.restype = c_void_p
    connection = client.wl_display_connect(c_char_p(display.encode()))
    if not connection:
        return False
    client.wl_display_disconnect(c_void_p(connection))
    return True
