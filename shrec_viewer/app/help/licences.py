"""Licences of the software that the program uses, from a bundle's file or the metadata of installed packages."""

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path

from shrec_viewer.resources import resource

#: Resource that a bundle has instead of the metadata of all packages.
BUNDLE_FILES = ("licences.txt", "licenses.txt")

LICENCE_FILE = re.compile(r"(licen[cs]e|copying|notice|authors)[^/]*$", re.IGNORECASE)

#: Size of a licence file that is shown: PySide6 has the longest, of 100 kB.
MAX_BYTES = 300_000

LINE = "=" * 80

#: Licence of the bundled fonts.
FONTS = ("fonts/NOTICE.md", "fonts/OFL.txt")


def licences_text() -> str:
    """Name, version and licence of each package, with the text of the licence where it is installed."""
    for name in BUNDLE_FILES:
        try:
            return resource(name).read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            continue
    parts = [f"SHREC Viewer uses Python {sys.version.split()[0]} (PSF-2.0) and the following software."]
    parts += [_section(found) for found in dependencies()]
    parts += [LINE, "Fonts", *(resource(name).read_text(encoding="utf-8").rstrip() for name in FONTS)]
    return "\n\n".join([*parts, ""])


def dependencies(root: str = "shrec-viewer") -> list[Distribution]:
    """Installed distributions that a package needs, directly or not, by name; empty if it is not installed."""
    found: dict[str, Distribution] = {}
    waiting = _requirements(root)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # for another system, or optional
            continue
        waiting += _requirements(name)
    return [found[name] for name in sorted(found)]


def _requirements(name: str) -> list[str]:
    """Names in lower case that a distribution requires; of optional ones, those that read more meshes."""
    try:
        lines = distribution(name).requires or []
    except PackageNotFoundError:
        return []
    words = [re.match(r"[\w.-]+", line) for line in lines if "extra ==" not in line or "meshes" in line]
    return [word[0].lower().replace("_", "-") for word in words if word is not None]


def _section(found: Distribution) -> str:
    metadata = found.metadata
    fields = [metadata[name] for name in ("License-Expression", "License") if name in metadata]
    named = next(filter(None, fields), "")
    if not named or "\n" in named:  # older metadata have the whole text there
        lines = metadata.get_all("Classifier") or []
        named = ", ".join(line.rpartition(" :: ")[2] for line in lines if line.startswith("License"))
    texts = [_read(Path(str(found.locate_file(file)))) for file in found.files or () if LICENCE_FILE.search(str(file))]
    title = f"{metadata['Name']} {version(metadata['Name'])}"
    return "\n\n".join([LINE, title, f"Licence: {named or 'see below'}", *filter(None, texts)])


def _read(path: Path) -> str:
    """Text of a licence; "" for modules that are named so, and files that cannot be read."""
    if path.suffix in (".py", ".pyc"):
        return ""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(MAX_BYTES).rstrip()
    except OSError:
        return ""
