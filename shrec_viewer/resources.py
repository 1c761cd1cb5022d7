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


def desktop_files() -> dict[str, Path]:
    """Files of the menu entry, the file types and the icons, by path below ``/usr/share`` or ``~/.local/share``."""
    entries, icons = resource("desktop"), resource("icons/hicolor")
    found = {path.relative_to(entries).as_posix(): path for path in sorted(entries.rglob("*")) if path.is_file()}
    for path in sorted(icons.rglob("*.png")):
        found[f"icons/hicolor/{path.relative_to(icons).as_posix()}"] = path
    return {**found, "icons/hicolor/scalable/apps/shrec-viewer.svg": resource("icons/shrec-viewer.svg")}
