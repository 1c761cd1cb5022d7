"""Names of the pages and images of a site, valid on every file system."""

import re
from collections.abc import Iterable

#: Characters of a name without its ending; many file systems allow 255 bytes for a name, and 260 for a path.
MAX_CHARS = 60

#: All other characters: they are invalid on Windows, have a meaning in URLs, or are not ASCII (normalised by macOS).
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")

#: Names of devices on Windows, with any ending.
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)


def safe_file_names(names: Iterable[str]) -> list[str]:
    """A distinct file name, without ending, for each name; distinct without regard to case.

    Examples
    --------
    >>> safe_file_names(["A1", "a1", "../x y", "CON", "مثال", "A1-2", "-1"])
    ['A1', 'a1-2', 'x_y', 'CON_', '_', 'A1-2-2', '_-1']
    """
    used: set[str] = set()
    found = []
    for name in names:
        stem = _UNSAFE.sub("_", name)[:MAX_CHARS].strip("_") or "_"
        if _RESERVED.fullmatch(stem):
            stem += "_"
        if stem.startswith("-"):
            stem = f"_{stem}"  # an option for the programs that copy sites
        number, candidate = 1, stem
        while candidate.casefold() in used:
            number += 1
            candidate = f"{stem}-{number}"
        used.add(candidate.casefold())
        found.append(candidate)
    return found
