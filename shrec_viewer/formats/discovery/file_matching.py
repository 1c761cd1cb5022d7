"""Match meshes and images to models and queries by file name."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from shrec_viewer.domain import QueryKind
from shrec_viewer.formats.core.ids import EXACT, EXTENSION, IdIndex, RuleCounts
from shrec_viewer.formats.core.path_roles import MODEL, PathRoles
from shrec_viewer.formats.discovery.recognition import COMPRESSED_SUFFIXES, IMAGE_SUFFIXES

THUMBNAIL_SUFFIXES = ("_thumb", "_thumbnail", ".thumb")
"""Endings that contests give to ready-made pictures: Princeton's ``m1119_thumb.jpg``."""


@dataclass(eq=False)
class FileMatch:
    """Files of one list of ids.

    Attributes
    ----------
    paths : file of each id, None for none.
    rules : words that were not written as the id is, by the rule that matched them.
    spare : files of ids that have another one already.
    """

    paths: list[Path | None]
    rules: RuleCounts = field(default_factory=dict)
    spare: list[Path] = field(default_factory=list)

    @property
    def n_with_file(self) -> int:
        """Number of ids that have a file."""
        return sum(path is not None for path in self.paths)

    def put(self, path: Path, index: IdIndex) -> bool:
        """Give a file to the id it is named after; False where it is named after none."""
        match = index.match(file_stem(path))
        if match.rule not in (EXACT, EXTENSION):
            count, first = self.rules.get(match.rule, (0, path.name))
            self.rules[match.rule] = (count + 1, first)
        if match.place < 0:
            return False
        if self.paths[match.place] is None:
            self.paths[match.place] = path
        else:
            self.spare.append(path)
        return True


def file_stem(path: Path) -> str:
    """Name of a mesh or picture without its ending, packed or not, and without what marks a thumbnail."""
    name = path.stem if path.suffix.lower() not in COMPRESSED_SUFFIXES else Path(path.stem).stem
    for suffix in THUMBNAIL_SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def query_kind(path: Path | None) -> QueryKind:
    """What a query's file is."""
    if path is None:
        return QueryKind.NONE
    return QueryKind.IMAGE if path.suffix.lower() in IMAGE_SUFFIXES else QueryKind.MODEL


@dataclass(frozen=True, eq=False)
class MatchedFiles:
    """Files of the collection and of the queries, and those that belong to nobody."""

    models: FileMatch
    queries: FileMatch
    unmatched_files: tuple[Path, ...]


def match_files(
    meshes: Sequence[Path],
    pictures: Sequence[Path],
    items: IdIndex,
    queries: IdIndex,
    path_roles: PathRoles,
) -> MatchedFiles:
    """Give each file to the model or query it is named after; meshes before pictures, the first one of each id.

    A file named after a model and a query alike goes where its folder says.
    """
    models, asked = FileMatch([None] * len(items)), FileMatch([None] * len(queries))
    unmatched_files = []
    for path in (*meshes, *pictures):
        owners = path_roles.owners(path)
        if not _assign(path, [(models, items) if owner == MODEL else (asked, queries) for owner in owners]):
            unmatched_files.append(path)
    return MatchedFiles(models, asked, tuple(unmatched_files))


def with_known_files(
    placing: MatchedFiles, models: Sequence[Path] | None, queries: Sequence[Path] | None
) -> MatchedFiles:
    """The same with the files that ids were taken from at their own ids, and no strays among them."""
    taken: set[Path] = set()
    for placed, paths in ((placing.models, models), (placing.queries, queries)):
        if paths is not None and placed.paths:
            placed.paths[: len(paths)] = paths
            placed.spare = [path for path in placed.spare if path not in paths]
            placed.rules.clear()
            taken.update(paths)
    return replace(placing, unmatched_files=tuple(path for path in placing.unmatched_files if path not in taken))


def _assign(path: Path, order: Sequence[tuple[FileMatch, IdIndex]]) -> bool:
    """Exact names first, so that `1.off` is model 1 and not query `q1`."""
    for placed, index in order:
        if file_stem(path) in index.exact:
            return placed.put(path, index)
    return any(placed.put(path, index) for placed, index in order)


def _path_id(path: Path, root: Path, taken: Sequence[str]) -> str:
    """The path below `root`; of a file that was unpacked elsewhere its folder's name, numbered where that is taken."""
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    name = f"{path.parent.name}/{path.name}"
    return name if name not in taken else f"{name} ({1 + sum(other.startswith(name) for other in taken)})"


def ids_from_files(paths: Sequence[Path], root: Path) -> tuple[str, ...]:
    """Distinct ids for files that nobody listed: the bare name, or the path below `root` where that is not distinct."""
    names = [file_stem(path) for path in paths]
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    ids: list[str] = []
    for path, name in zip(paths, names, strict=True):
        ids.append(name if counts[name] == 1 else _path_id(path, root, ids))
    return tuple(ids)
