"""Match meshes and images to models and queries by file name."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from shrec_viewer.domain import QueryKind
from shrec_viewer.formats.core.ids import EXACT, EXTENSION, MODEL, QUERY, IdIndex, PathRoles, RuleCounts
from shrec_viewer.formats.discovery.recognition import COMPRESSED_SUFFIXES, IMAGE_SUFFIXES, split_extension

THUMBNAIL_SUFFIXES = ("_thumb", "_thumbnail", ".thumb")
"""Name suffixes of ready-made thumbnails: Princeton's ``m1119_thumb.jpg``."""


@dataclass(eq=False)
class FileMatch:
    """Files matched to a list of ids.

    Attributes
    ----------
    paths : file of each id, None for none.
    rules : number of names that do not equal their id, by the rule that matched them.
    spare : further files of ids that already have one.
    """

    paths: list[Path | None]
    rules: RuleCounts = field(default_factory=dict)
    spare: list[Path] = field(default_factory=list)

    @property
    def n_with_file(self) -> int:
        """Number of ids that have a file."""
        return sum(path is not None for path in self.paths)

    def add(self, path: Path, stem: str, index: IdIndex) -> bool:
        """Match a file to the id in its name; False if there is none."""
        match = index.match(stem)
        if match.rule not in (EXACT, EXTENSION):
            count, first = self.rules.get(match.rule, (0, path.name))
            self.rules[match.rule] = (count + 1, first)
        if match.index < 0:
            return False
        if self.paths[match.index] is None:
            self.paths[match.index] = path
        else:
            self.spare.append(path)
        return True


def file_stem(path: Path) -> str:
    """Name of a mesh or image without extensions and without the suffix of a thumbnail."""
    name, extension = split_extension(path.name)
    if extension.lower() in COMPRESSED_SUFFIXES:
        name, _ = split_extension(name)
    for suffix in THUMBNAIL_SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def query_kind(path: Path | None) -> QueryKind:
    """Kind of a query's file."""
    if path is None:
        return QueryKind.NONE
    return QueryKind.IMAGE if path.suffix.lower() in IMAGE_SUFFIXES else QueryKind.MODEL


@dataclass(frozen=True, eq=False)
class MatchedFiles:
    """Files of the collection and of the queries, and those that match neither."""

    models: FileMatch
    queries: FileMatch
    unmatched_files: tuple[Path, ...]


def match_files(
    meshes: Sequence[Path],
    images: Sequence[Path],
    items: IdIndex,
    queries: IdIndex,
    path_roles: PathRoles,
) -> MatchedFiles:
    """Match files to models and queries by name; meshes before images, the first one of each id.

    A file whose name is that of a model and of a query is matched by the role of its folder.
    """
    models, queries_match = FileMatch([None] * len(items)), FileMatch([None] * len(queries))
    unmatched_files = []
    candidates = {MODEL: (models, items), QUERY: (queries_match, queries)}
    for path in chain(meshes, images):
        if not _assign(path, [candidates[role] for role in path_roles.roles(path)]):
            unmatched_files.append(path)
    return MatchedFiles(models, queries_match, tuple(unmatched_files))


def with_known_files(
    matched: MatchedFiles, models: Sequence[Path] | None, queries: Sequence[Path] | None
) -> MatchedFiles:
    """Match the files whose names became the ids to these ids; None if ids do not come from files."""
    taken: set[Path] = set()
    for match, paths in ((matched.models, models), (matched.queries, queries)):
        if paths is not None and match.paths:
            match.paths[: len(paths)] = paths
            match.spare = [path for path in match.spare if path not in paths]
            match.rules.clear()
            taken.update(paths)
    return replace(matched, unmatched_files=tuple(path for path in matched.unmatched_files if path not in taken))


def _assign(path: Path, candidates: Sequence[tuple[FileMatch, IdIndex]]) -> bool:
    """Match a file to the first candidate with exactly its name, else to the first with a similar name.

    Exact names first: `1.off` is model 1 and not query `q1`.
    """
    stem = file_stem(path)
    for match, index in candidates:
        if stem in index.exact:
            return match.add(path, stem, index)
    return any(match.add(path, stem, index) for match, index in candidates)


def _path_id(path: Path, root: Path, taken: Sequence[str]) -> str:
    """Path below `root`; for a file of an archive the name of its folder, with a number if that is not unique."""
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    name = f"{path.parent.name}/{path.name}"
    return name if name not in taken else f"{name} ({1 + sum(other.startswith(name) for other in taken)})"


def ids_from_files(paths: Sequence[Path], root: Path) -> tuple[str, ...]:
    """Distinct ids for files: the name without extension, or the path below `root` if that is not unique."""
    names = [file_stem(path) for path in paths]
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    ids: list[str] = []
    for path, name in zip(paths, names, strict=True):
        ids.append(name if counts[name] == 1 else _path_id(path, root, ids))
    return tuple(ids)
