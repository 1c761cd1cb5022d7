"""Classify files as model or query by folder name."""

import re
from dataclasses import dataclass, field
from pathlib import Path


def _word_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Pattern for one of the words: in lower case at the beginning of a word, capitalised or in upper case anywhere."""
    small, first, large = ("|".join(map(change, words)) for change in (str.lower, str.capitalize, str.upper))
    return re.compile(rf"(?<![A-Za-z])(?:{small})|{first}|(?<![A-Z])(?:{large})")


CERTAIN_QUERY_WORDS = _word_pattern(("query", "queries", "sketch", "probe"))
QUERY_WORDS = _word_pattern(
    ("query", "queries", "sketch", "probe", "photo", "image", "scan", "kinect", "range", "rgbd")
)
"""Words in the names of query files: `queryCulture.cla`, `SHREC13_SBR_Sketch.cla`, `rgbd.csv`.

Other words than the certain ones also occur in the names of folders with images of models.
"""

COLLECTION_WORDS = re.compile(r"model|target|dataset|database|collection|gallery|(?<![a-z])cad", re.IGNORECASE)
"""Words in the names of collection files: `SHREC13_SBR_Model.cla`, `datasetCulture.cla`, `targets.csv`."""

MODEL = "model"
QUERY = "query"


@dataclass(frozen=True, eq=False)
class PathRoles:
    """Whether the files of a folder are those of models or of queries.

    Attributes
    ----------
    root : folder of the benchmark; names of folders above it are ignored.
    models, queries : folders that are set explicitly and hold nothing else; None for none.
    """

    root: Path
    models: Path | None = None
    queries: Path | None = None
    _known: dict[Path, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def owners(self, path: Path) -> tuple[str, ...]:
        """`MODEL`, `QUERY` or both, the more likely one first."""
        folder = path.parent
        if folder not in self._known:
            self._known[folder] = self._owners(folder)
        return self._known[folder]

    def is_query(self, path: Path) -> bool:
        """Whether a file is more likely that of a query."""
        return self.owners(path)[:1] == (QUERY,)

    def is_certainly_query(self, path: Path) -> bool:
        """Whether a file can only be that of a query."""
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
