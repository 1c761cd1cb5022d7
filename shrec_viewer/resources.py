"""Paths of bundled files: icons, style sheet, colour tables, demo benchmark, help."""

import sys
from pathlib import Path


def resource(name: str) -> Path:
    """Path of a bundled file or folder, ``resource("demo")``.

    Searched in this order: next to the installed package (wheel), next to the source tree (editable install, checkout),
    in a frozen bundle.

    Raises
    ------
    FileNotFoundError
        When it is in none of them: the installation is incomplete.
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
