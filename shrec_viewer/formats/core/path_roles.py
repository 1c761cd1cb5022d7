"""Classify files as model or query by folder name."""

import re
from dataclasses import dataclass, field
from pathlib import Path


def _word_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Pattern for one of the words: in lower case at the beginning of a word, capitalised or in upper case anywhere."""
    lower, capitalised, upper = ("|".join(map(change, words)) for change in (str.lower, str.capitalize, str.upper))
    return re.compile(rf"(?<![A-Za-z])(?:{lower})|{capitalised}|(?<![A-Z])(?:{upper})")


CERTAIN_QUERY_WORDS = _word_pattern(("query", "queries", "sketch", "probe"))
QUERY_WORDS = _word_pattern(
    ("query", "queries", "sketch", "probe", "photo", "image", "scan", "kinect", "range", "rgbd")
)
"""Words in the names of query files: `queryCulture.cla`, `SHREC13_SBR_Sketch.cla`, `rgbd.csv`.

The words that are not among the certain ones also occur in the names of folders with images of models.
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
    models, queries : folders set explicitly, with files of only that role; None for none.
    """

    root: Path
    models: Path | None = None
    queries: Path | None = None
    _cached_roles: dict[Path, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def roles(self, path: Path) -> tuple[str, ...]:
        """Possible roles of a file: `MODEL`, `QUERY` or both, the more likely one first."""
        folder = path.parent
        if folder not in self._cached_roles:
            self._cached_roles[folder] = self._roles_of_folder(folder)
        return self._cached_roles[folder]

    def is_query(self, path: Path) -> bool:
        """Whether a file is more likely that of a query."""
        return self.roles(path)[:1] == (QUERY,)

    def is_certainly_query(self, path: Path) -> bool:
        """Whether a file can only be that of a query."""
        parts = path.parent.relative_to(self.root).parts if path.is_relative_to(self.root) else path.parent.parts[-1:]
        return self.roles(path) == (QUERY,) or any(CERTAIN_QUERY_WORDS.search(part) for part in parts)

    def _roles_of_folder(self, folder: Path) -> tuple[str, ...]:
        if self.queries is not None and folder.is_relative_to(self.queries):
            return (QUERY,)
        if self.models is not None and folder.is_relative_to(self.models):
            return (MODEL,)
        # If a role has its own folder, files outside that folder do not have the role.
        roles = [
            role for role, folder_of_role in ((MODEL, self.models), (QUERY, self.queries)) if folder_of_role is None
        ]
        parts = folder.relative_to(self.root).parts if folder.is_relative_to(self.root) else folder.parts[-1:]
        if any(QUERY_WORDS.search(part) for part in parts):
            roles.reverse()
        return tuple(roles)
