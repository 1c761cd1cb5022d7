"""Classify files as model or query by folder name."""

import re
from dataclasses import dataclass, field
from pathlib import Path


def _word_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Names with one of the words: in small letters where a word begins, capitalised or in capitals anywhere."""
    small, first, large = ("|".join(map(change, words)) for change in (str.lower, str.capitalize, str.upper))
    return re.compile(rf"(?<![A-Za-z])(?:{small})|{first}|(?<![A-Z])(?:{large})")


CERTAIN_QUERY_WORDS = _word_pattern(("query", "queries", "sketch", "probe"))
QUERY_WORDS = _word_pattern(
    ("query", "queries", "sketch", "probe", "photo", "image", "scan", "kinect", "range", "rgbd")
)
"""Words that contests put into the names of queries: `queryCulture.cla`, `SHREC13_SBR_Sketch.cla`, `rgbd.csv`.

Only the sure ones are never said of pictures of models.
"""

COLLECTION_WORDS = re.compile(r"model|target|dataset|database|collection|gallery|(?<![a-z])cad", re.IGNORECASE)
"""Parts of names that contests give to collections: `SHREC13_SBR_Model.cla`, `datasetCulture.cla`, `targets.csv`."""

MODEL = "model"
QUERY = "query"


@dataclass(frozen=True, eq=False)
class PathRoles:
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

    def is_certainly_query(self, path: Path) -> bool:
        """Whether it lies where nothing but queries lies."""
        parts = path.parent.relative_to(self.root).parts if path.is_relative_to(self.root) else path.parent.parts[-1:]
        return self.owners(path) == (QUERY,) or any(CERTAIN_QUERY_WORDS.search(part) for part in parts)

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
