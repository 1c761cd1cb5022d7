"""What the bundle contains on every platform, and what is left out."""

import sys
from fnmatch import fnmatchcase

PLATFORMS = {"linux": "linux", "win32": "windows", "darwin": "macos"}
"""`sys.platform` and the module of this folder with what differs on it."""

PACKAGES = (
    "shrec_viewer",
    "numpy",
    "matplotlib",
    "PIL",
    "jinja2",
    "trimesh",
    "collada",
    "networkx",
    "dateutil",
    "rich",
    "click",
    "tomlkit",
    "msgspec",
)
"""Packages of which all modules are bundled: the program imports some by name or when needed, plug-ins may use all."""

STANDARD_LIBRARY_LEFT_OUT = (
    "antigravity",
    "crypt",
    "curses",
    "ensurepip",
    "idlelib",
    "lib2to3",
    "nis",
    "nt",
    "pydoc_data",
    "readline",  # GPL
    "test",
    "this",
    "tkinter",
    "turtle",
    "turtledemo",
    "venv",
)
"""Modules of Python that neither the program nor a plug-in needs; all others are bundled, for plug-ins."""

EXCLUDED_MODULES = (
    "IPython",
    "PyQt5",
    "PyQt6",
    "PySide6.QtNetwork",  # pyqtgraph does not use it, Qt's hook would add the plug-ins for TLS
    "PySide6.QtTest",  # imported by pyqtgraph if present
    "_crypt",  # links another version of its library on some systems, as "nis"
    "_curses",
    "_curses_panel",
    "_dbm",  # links GPL libraries, as the next two
    "_gdbm",
    "readline",
    "_tkinter",
    "lxml",
    "matplotlib.tests",
    "mpl_toolkits.tests",
    "networkx.conftest",
    "numpy.conftest",
    "numpy.distutils",
    "numpy.f2py",
    "nis",
    "pip",
    "pyqtgraph.examples",
    "pyqtgraph.opengl",
    "pyqtgraph.jupyter",
    "pytest",
    "scipy",
    "setuptools",
    "tkinter",
    "trimesh.viewer",
    "wheel",
)
"""Modules that are left out although another module imports them where they are installed."""

UNUSED_FILES = (
    "*.a",
    "*.lib",
    "*.pyi",
    "*.h",
    "*/tests/*",
    "*/test/*",
    "numpy/_core/_*_tests.*",
    "*/testing/data/*",
    "PySide6/Qt*/qml/*",
    "PySide6/*translations/*",  # the interface is in English
    "PySide6/*plugins/egldeviceintegrations/*",  # devices without a window system
    "PySide6/*plugins/generic/*",
    "PySide6/*plugins/imageformats/*qtiff*",  # of the library of Debian 11; Pillow reads TIFF
    "PySide6/*plugins/networkinformation/*",
    "PySide6/*plugins/tls/*",
    "PySide6/*plugins/platforms/*eglfs*",
    "PySide6/*plugins/platforms/*linuxfb*",
    "PySide6/*plugins/platforms/*minimalegl*",
    "PySide6/*plugins/platforms/*vkkhrdisplay*",
    "PySide6/*plugins/platforms/*vnc*",
    "*Qt*EglFS*",
    "*Qt*EglFs*",
    "*Qt*Network*",
    "*Qt*Test*",
    "*Qt*Qml*",
    "*Qt*Quick*",
    "*Qt*Pdf*",
    "*Qt*Sql*",
    "*Qt*VirtualKeyboard*",
    "*/opengl32sw.dll",  # 20 MB; the program draws without OpenGL where it is missing
    "matplotlib/mpl-data/sample_data/*",
    "matplotlib/mpl-data/fonts/afm/*",
    "matplotlib/mpl-data/fonts/pdfcorefonts/*",
    "numpy/*/include/*",
    "numpy/_core/lib/*",
    "qtawesome/fonts/codicon*",
    "qtawesome/fonts/elusiveicons*",
    "qtawesome/fonts/fontawesome*",
    "qtawesome/fonts/materialdesignicons*",
    "qtawesome/fonts/remixicon*",
    "dateutil/zoneinfo/*",
)
"""Patterns of files, by path in the bundle with forward slashes."""


def is_unused(path: str) -> bool:
    """Whether a file is left out, by its path in the bundle.

    >>> is_unused("numpy/_core/lib/libnpymath.a"), is_unused("shrec_viewer/_resources/demo/benchmark.toml")
    (True, False)
    """
    path = path.replace("\\", "/")
    return any(fnmatchcase(path, pattern) for pattern in UNUSED_FILES)


def modules() -> list[str]:
    """Modules to bundle that PyInstaller does not find by following imports."""
    from PyInstaller.utils.hooks import collect_submodules

    found = [name for name in sys.stdlib_module_names if name not in STANDARD_LIBRARY_LEFT_OUT and _exists(name)]
    found += [sub for name in found if _is_package(name) for sub in collect_submodules(name, _is_wanted, "ignore")]
    for package in PACKAGES:
        found += collect_submodules(package, _is_wanted, "ignore")
    return sorted(set(found))


def data_files() -> list[tuple[str, str]]:
    """Files of packages and their metadata: resources of the program, versions for *About*."""
    from PyInstaller.utils.hooks import collect_data_files, copy_metadata

    return [*collect_data_files("shrec_viewer"), *copy_metadata("shrec-viewer", recursive=True), *_extra_metadata()]


def _extra_metadata() -> list[tuple[str, str]]:
    from PyInstaller.utils.hooks import copy_metadata

    return [row for name in ("pycollada", "networkx") for row in copy_metadata(name, recursive=True)]


def _is_wanted(name: str) -> bool:
    parts = name.split(".")
    left_out = any(name == other or name.startswith(f"{other}.") for other in EXCLUDED_MODULES)
    return not left_out and "tests" not in parts and "test" not in parts


def _exists(name: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(name) is not None
    except ValueError:  # __main__
        return False


def _is_package(name: str) -> bool:
    from importlib.util import find_spec

    spec = find_spec(name)
    return spec is not None and spec.submodule_search_locations is not None
