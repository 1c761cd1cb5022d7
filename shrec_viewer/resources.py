"""Locate the files shipped with the program: icons, style sheet, colour tables, demo benchmark, help."""

import sys
from pathlib import Path


def resource(name: str) -> Path:
    """Path of a shipped file or folder, ``resource("demo")``.

    Looks beside the installed package (wheel), beside the source tree (editable install, checkout) and inside a frozen
    bundle, in this order.

    Raises
    ------
    FileNotFoundError
        When no place has it; then the installation is broken.
    """
    package = Path(__file__).resolve().parent
    roots = [package / "_resources", package.parent / "resources"]
    bundle = getattr(sys, "_MEIPASS", None)
    if bundle is not None:
        roots.append(Path(bundle) / "resources")
    for root in roots:
        if (root / name).exists():
            return root / name
    raise FileNotFoundError(f"the installation lacks its resource '{name}'")
