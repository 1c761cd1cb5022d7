"""Whose a mesh or picture can be, by the folder it lies in."""

import re
from dataclasses import dataclass, field
from pathlib import Path

_WORDS = ("query", "queries", "sketch", "photo", "image", "probe", "scan", "kinect", "range", "rgbd")

QUERY_WORDS = re.compile(
    rf"(?<![A-Za-z])(?:{'|'.join(_WORDS)})|{'|'.join(word.capitalize() for word in _WORDS)}"
    rf"|(?<![A-Z])(?:{'|'.join(word.upper() for word in _WORDS)})"
)
"""Words that contests put into the names of queries: `queryCulture.cla`, `SHREC13_SBR_Sketch.cla`, `rgbd.csv`."""

MODEL = "model"
QUERY = "query"


@dataclass(frozen=True, eq=False)
class Territory:
    """Whose the files of each folder can be.

    Attributes
    ----------
    root : folder of the benchmark; names above it mean nothing.
    models, queries : folders that the person named; their files go nowhere else, and nobody else's to them.
    """

    root: Path
    models: Path | None = None
    queries: Path | None = None
    _known: dict[Path, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def owners(self, path: Path) -> tuple[str, ...]:
        """`MODEL` and `QUERY`, as far as a file can be theirs, the likelier first."""
        folder = path.parent
        if folder not in self._known:
            self._known[folder] = self._owners(folder)
        return self._known[folder]

    def is_query(self, path: Path) -> bool:
        """Whether a file lies where queries lie."""
        return self.owners(path)[:1] == (QUERY,)

    def _owners(self, folder: Path) -> tuple[str, ...]:
        if self.queries is not None and folder.is_relative_to(self.queries):
            return (QUERY,)
        if self.models is not None and folder.is_relative_to(self.models):
            return (MODEL,)
        free = [owner for owner, named in ((MODEL, self.models), (QUERY, self.queries)) if named is None]
        parts = folder.relative_to(self.root).parts if folder.is_relative_to(self.root) else folder.parts[-1:]
        if any(QUERY_WORDS.search(part) for part in parts):
            free.reverse()
        return tuple(free)
