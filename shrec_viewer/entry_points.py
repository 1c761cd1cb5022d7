"""Whether other packages may have plug-ins, found without importing `importlib.metadata` or `shrec_viewer.plugins`."""

import os
import sys
from pathlib import Path


def plugin_folder() -> Path:
    """Folder of the user with packages that ``pip install --target`` put there; it need not exist.

    A bundle has no other place for packages. They may use all modules of Python, numpy and the program; packages with
    compiled parts must be for the Python version that `shrec-viewer plugins` names.
    """
    from platformdirs import user_data_path

    return user_data_path("shrec-viewer", appauthor=False) / "plugins"


def may_have_plugins() -> bool:
    """Whether a package has an entry point group of this program.

    This takes 2 ms (60 packages); `importlib.metadata` and what it imports take a tenth of a small evaluation.
    """
    return any(map(_names_group, [*sys.path, str(plugin_folder())]))


def _names_group(folder: str) -> bool:
    """Whether a package in a folder of `sys.path` does; True for what cannot be listed, such as a zip file."""
    try:
        packages = [entry.path for entry in os.scandir(folder or ".") if entry.name.lower().endswith("-info")]
    except FileNotFoundError:
        return False
    except OSError:
        return True
    for package in packages:
        try:
            with open(os.path.join(package, "entry_points.txt"), "rb") as file:
                if b"[shrec_viewer." in file.read().replace(b" ", b""):
                    return True
        except OSError:  # most packages have no entry points
            continue
    return False
