"""The bundle on Linux: which libraries of the system are in it."""

from fnmatch import fnmatchcase

PROGRAMS = (("shrec-viewer", True),)
"""Executables and whether each is a console program."""

ICON = None
APPLICATION = None

RUNTIME_HOOKS = ("environment.py",)

SYSTEM_LIBRARIES = (
    "libpython3*",
    "libxcb-cursor.so*",
    "libxcb-icccm.so*",
    "libxcb-image.so*",
    "libxcb-keysyms.so*",
    "libxcb-render-util.so*",
    "libxcb-util.so*",
    "libxcb-xkb.so*",
    "libxkbcommon-x11.so*",
    "libxkbcommon.so*",
    "libbz2.so*",
    "libcrypto.so*",
    "liblzma.so*",
    "libmpdec.so*",
    "libsqlite3.so*",
    "libssl.so*",
)
"""Libraries of the build system that are bundled.

A desktop has all others (glib, fontconfig, X11, libGL, libstdc++), and they must be its own: graphics drivers and the
GTK theme load newer versions of the same libraries into the process than the build system has.
"""


def is_bundled(path: str, source: str) -> bool:
    """Whether a binary file is in the bundle.

    Parameters
    ----------
    path : in the bundle.
    source : on the build system.

    >>> is_bundled("libgtk-3.so.0", "/lib/x86_64-linux-gnu/libgtk-3.so.0")
    False
    >>> is_bundled("libxcb-cursor.so.0", "/lib/x86_64-linux-gnu/libxcb-cursor.so.0")
    True
    >>> is_bundled("numpy.libs/libgfortran.so.5", "/venv/lib/python3.11/site-packages/numpy.libs/libgfortran.so.5")
    True
    """
    name = path.rpartition("/")[2]
    if not source.startswith(("/lib/", "/lib64/", "/usr/lib/", "/usr/local/lib/lib")) or "/lib-dynload/" in source:
        return True
    return any(fnmatchcase(name, pattern) for pattern in SYSTEM_LIBRARIES)
