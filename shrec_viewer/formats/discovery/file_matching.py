"""Which mesh or image belongs to which model or query: the rules, and the one that fits a collection as a whole."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from shrec_viewer.domain import FilePaths, NumberedIds, QueryKind
from shrec_viewer.formats.core.ids import (
    AMBIGUOUS,
    CERTAIN_QUERY_WORDS,
    EXTENSION,
    MODEL,
    QUERY,
    QUERY_WORDS,
    IdIndex,
    RuleCounts,
)
from shrec_viewer.formats.core.reader import IMAGE, MESH
from shrec_viewer.formats.discovery.recognition import (
    COMPRESSED_SUFFIXES,
    IMAGE_SUFFIXES,
    UNDRAWN_SUFFIXES,
    RecognisedFiles,
    split_extension,
)

#: Name suffixes of ready-made thumbnails: Princeton's ``m1119_thumb.jpg``.
THUMBNAIL_SUFFIXES = ("_thumb", "_thumbnail", ".thumb")

#: Number of folders of a file outside of the benchmark that can name its model: `synset/id/models` of ShapeNet.
OUTER_FOLDERS = 3

PREFERRED = re.compile(r"normali[sz]ed|simplified|thumb|preview", re.IGNORECASE)
#: Names of the files, or of their folders, that are used first and last of the several files of a model.
LEAST_PREFERRED = re.compile(r"(?<![a-z])raw(?![a-z])|texture|material|mask|depth", re.IGNORECASE)

#: Number of files that are compared with the ids of a table.
MAX_SAMPLED_FILES = 200

#: A file or folder that is one model; two of them for one id are two models.
FilePlace = tuple[str, ...] | Path


@dataclass(frozen=True, eq=False, slots=True)
class ModelFolder:
    """A folder of meshes or images.

    Attributes
    ----------
    path : the folder.
    parts : names of the folders that can name a model, from the top, this one the last.
    roles : possible roles of its files: `MODEL`, `QUERY` or both, the likelier one first.
    is_certainly_query : whether its files can only be those of queries.
    """

    path: Path
    parts: tuple[str, ...]
    roles: tuple[str, ...]
    is_certainly_query: bool


class ModelFile(NamedTuple):
    """A mesh or image.

    Attributes
    ----------
    path, folder : the file and its folder.
    stem : its name without extensions and without the suffix of a thumbnail.
    is_image : whether it is an image.
    """

    path: Path
    folder: ModelFolder
    stem: str
    is_image: bool


def list_model_files(found: RecognisedFiles, models: Path | None, queries: Path | None) -> list[ModelFile]:
    """The meshes of all folders, then the images.

    Parameters
    ----------
    models, queries : folders set explicitly, with files of only that role; None for none.
    """
    meshes: list[ModelFile] = []
    images: list[ModelFile] = []
    start = os.path.join(found.root, "")
    for path, files in found.folders.items():
        shown = [file for file in files if file.kind in (MESH, IMAGE)]
        if not shown:
            continue
        inside = os.path.join(path, "")  # texts, as methods of paths take half of the time for a folder per model
        parts = inside[len(start) : -1].split(os.sep) if inside.startswith(start) else path.parts[-OUTER_FOLDERS:]
        folder = ModelFolder(path, tuple(filter(None, parts)), *_roles_of_folder(path, found.root, models, queries))
        for file in shown:
            found_files = images if file.kind == IMAGE else meshes
            found_files.append(ModelFile(file.path, folder, file_stem(file.path), file.kind == IMAGE))
    return meshes + images


def _roles_of_folder(
    folder: Path, root: Path, models: Path | None, queries: Path | None
) -> tuple[tuple[str, ...], bool]:
    """`ModelFolder.roles` and `ModelFolder.is_certainly_query`; names of folders above the benchmark are ignored."""
    if queries is not None and folder.is_relative_to(queries):
        return (QUERY,), True
    if models is not None and folder.is_relative_to(models):
        return (MODEL,), False
    # If a role has its own folder, files outside that folder do not have the role.
    roles = [role for role, own in ((MODEL, models), (QUERY, queries)) if own is None]
    parts = folder.relative_to(root).parts if folder.is_relative_to(root) else folder.parts[-1:]
    if any(map(QUERY_WORDS.search, parts)):
        roles.reverse()
    is_certain = roles == [QUERY] or any(map(CERTAIN_QUERY_WORDS.search, parts))
    return tuple(roles), roles[:1] == [QUERY] and is_certain


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


class FileIds:
    """Ids as the rules look them up.

    Attributes
    ----------
    index : the ids.
    by_path, by_bare_path : index of each id with forward slashes; of those that are paths also without the extension.
    depths : numbers of names that the ids consist of, ``(2,)`` for ``chair/chair_0001.off``, descending.
    """

    def __init__(self, index: IdIndex) -> None:
        self.index = index
        self.by_path, self.by_bare_path, self.depths = index.exact, dict[str, int](), [1]
        if not isinstance(index.ids, NumberedIds) and any("/" in name or "\\" in name for name in index.ids):
            names = (name.replace("\\", "/").removeprefix("./").strip("/") for name in index.ids)
            self.by_path = {name: number for number, name in enumerate(names)}
            paths = {name: number for name, number in self.by_path.items() if "/" in name}
            self.by_bare_path = {split_extension(name)[0]: number for name, number in paths.items()} | paths
            self.depths = sorted({name.count("/") + 1 for name in self.by_path}, reverse=True)
        self._of_folder: dict[ModelFolder, tuple[int, tuple[str, ...]] | None] = {}

    def last_names(self, parts: tuple[str, ...], ids: Mapping[str, int]) -> int:
        """Index of the id that is the end of a path; -1 for none."""
        if self.depths == [1]:
            return ids.get(parts[-1], -1)
        for depth in self.depths:
            if depth <= len(parts) and (found := ids.get("/".join(parts[-depth:]))) is not None:
                return found
        return -1

    def of_folder(self, file: ModelFile) -> tuple[int, tuple[str, ...]] | None:
        """The id that a folder of the file is named after, the innermost one, and this folder."""
        if file.folder not in self._of_folder:
            self._of_folder[file.folder] = None
            parts = file.folder.parts
            for end in range(len(parts), 0, -1):
                if (item := self.last_names(parts[:end], self.by_path)) >= 0:
                    self._of_folder[file.folder] = item, parts[:end]
                    break
        return self._of_folder[file.folder]


def _by_path(file: ModelFile, ids: FileIds) -> int:
    return ids.last_names((*file.folder.parts, file.path.name), ids.by_path)


def _by_bare_path(file: ModelFile, ids: FileIds) -> int:
    return ids.last_names((*file.folder.parts, file.stem), ids.by_bare_path) if ids.by_bare_path else -1


def _by_folder(file: ModelFile, ids: FileIds) -> int:
    found = ids.of_folder(file)
    return -1 if found is None else found[0]


def _by_name(file: ModelFile, ids: FileIds) -> int:
    return ids.index.exact.get(file.stem, -1)


def _by_similar_name(file: ModelFile, ids: FileIds) -> int:
    return ids.index.match(file.stem).index


#: Text for findings, and the index of the id that a file belongs to, -1 for none; the strictest rule first.
RULES: tuple[tuple[str, Callable[[ModelFile, FileIds], int]], ...] = (
    ("by the path", _by_path),
    ("by the path without the extension", _by_bare_path),
    ("by a folder", _by_folder),
    ("by the name", _by_name),
    ("by a similar name", _by_similar_name),
)

PATH, _, FOLDER, NAME, SIMILAR = range(len(RULES))


NO_IDS = IdIndex(())


@dataclass(frozen=True, eq=False)
class FileLayout:
    """How the files of a collection are named.

    Attributes
    ----------
    ids : the known ids.
    rule : index in `RULES` of the rule that gives most of them exactly one file; looser ones are for other files.
    n_found : number of ids with exactly one file.
    tops : folders that contain the folders of the models, or, where ids are paths, that these paths begin in.
    """

    ids: FileIds
    rule: int
    n_found: int
    tops: frozenset[tuple[str, ...]] = frozenset()

    def is_beside_models(self, file: ModelFile) -> bool:
        """Whether a file is in a folder next to those of the models, if each model has a folder."""
        return self.rule == FOLDER and any(
            file.folder.parts[:end] in self.tops for end in range(len(file.folder.parts))
        )

    def own_id(self, file: ModelFile) -> tuple[str, FilePlace]:
        """Id of a file, written as the known ones, and the file or folder that is the model."""
        n_names = len(file.folder.parts) if self.rule == FOLDER else len(file.folder.parts) + 1
        top = next((end for end in range(n_names - 1, -1, -1) if file.folder.parts[:end] in self.tops), None)
        if top is None:
            return file.stem, file.path
        if self.rule == FOLDER:
            place = file.folder.parts[: top + self.ids.depths[0]]
            return "/".join(place[top:]), place
        return "/".join((*file.folder.parts[top:], file.path.name if self.rule == PATH else file.stem)), file.path


def find_layout(files: Sequence[ModelFile], index: IdIndex = NO_IDS, n_rules: int = len(RULES)) -> FileLayout:
    """The rule that gives most ids exactly one file, the strictest one of several; without ids, the one files suggest.

    A folder with several files is one, a mesh precedes images, and files of one name in a folder are one.
    """
    ids = FileIds(index)
    rule, n_found = NAME, 0
    for number in range(n_rules if len(index) else 0):
        if (count := _n_with_one_file(files, ids, number)) > n_found:
            rule, n_found = min(number, NAME), count
        if n_found == len(index):
            break
    tops: Iterable[tuple[str, ...]] = ()
    if not n_found and (tops := _tops_of_model_folders(files)):
        rule = FOLDER
    elif rule == FOLDER:
        places = {found[1] for file in files if (found := ids.of_folder(file)) is not None}
        tops = (place[: len(place) - ids.depths[0]] for place in places)
    elif rule < FOLDER:
        matched = ((file.folder.parts, RULES[rule][1](file, ids)) for file in files)
        depths = ((parts, ids.index.ids[item].replace("\\", "/").count("/")) for parts, item in matched if item >= 0)
        tops = (parts[: len(parts) - depth] for parts, depth in depths)
    return FileLayout(ids, rule, n_found, frozenset(tops))


def _n_with_one_file(files: Iterable[ModelFile], ids: FileIds, number: int) -> int:
    """Number of ids to which a rule gives exactly one file."""
    find = RULES[number][1]
    first: dict[int, ModelFile] = {}
    several: set[int] = set()
    for file in files:
        if (item := find(file, ids)) < 0:
            continue
        other = first.setdefault(item, file)
        if other is file or other.is_image != file.is_image:
            continue
        same_folder = ids.of_folder(other) == ids.of_folder(file) if number == FOLDER else other.folder == file.folder
        if not same_folder or (number != FOLDER and other.stem != file.stem):
            several.add(item)
    return len(first) - len(several)


def _tops_of_model_folders(files: Sequence[ModelFile]) -> frozenset[tuple[str, ...]]:
    """Folders that contain one folder per model, in which the files have the same names; empty for none."""
    drawn = [file for file in files if not _is_undrawn(file)] or files
    stems = {file.stem for file in drawn}
    if sum(not PREFERRED.search(stem) and not LEAST_PREFERRED.search(stem) for stem in stems) > 1:
        return frozenset()
    for up in range(OUTER_FOLDERS):
        deep = [file.folder.parts for file in drawn if len(file.folder.parts) > up]
        places = {parts[: len(parts) - up] for parts in deep}
        if 2 * len(deep) > len(drawn) and 1 < len(places) == len({place[-1] for place in places}):
            return frozenset(place[:-1] for place in places)
    return frozenset()


def share_of_files(files: Sequence[ModelFile], index: IdIndex, n_rules: int = len(RULES)) -> float:
    """Share of a sample of files that belong to an id by one of the first rules, in [0, 1]; 0 for no files."""
    sample = files[:: max(1, len(files) // MAX_SAMPLED_FILES)]
    ids = FileIds(index)
    return sum(any(find(file, ids) >= 0 for _, find in RULES[:n_rules]) for file in sample) / max(1, len(sample))


@dataclass(frozen=True, eq=False)
class FileModel:
    """A model that is known by its file only.

    Attributes
    ----------
    id : distinct id.
    file : the file, the best one of a folder.
    folder : that contains the file, or the folder of the model.
    """

    id: str
    file: ModelFile
    folder: Path


def models_of_files(files: Iterable[ModelFile], layout: FileLayout, root: Path) -> list[FileModel]:
    """The models that files are, with distinct ids: the path below `root` where a name is not unique."""
    models: dict[FilePlace, tuple[str, ModelFile]] = {}
    for file in files:
        name, place = layout.own_id(file)
        known = models.get(place)
        models[place] = (name, file if known is None else min(known[1], file, key=_preference))
    counts = Counter(name for name, _ in models.values())
    found: dict[str, FileModel] = {}
    for place, (name, file) in models.items():
        folder = file.folder.path
        if isinstance(place, tuple):
            folder = [folder, *folder.parents][len(file.folder.parts) - len(place) + 1]
        name = name if counts[name] == 1 else _path_id(file.path, root, found)
        found[name] = FileModel(name, file, folder)
    return list(found.values())


def _path_id(path: Path, root: Path, taken: Iterable[str]) -> str:
    """Path below `root`; for a file of an archive the name of its folder, with a number if that is not unique."""
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    name = f"{path.parent.name}/{path.name}"
    n_taken = sum(other.startswith(name) for other in taken)
    return f"{name} ({1 + n_taken})" if name in taken else name


def _is_undrawn(file: ModelFile) -> bool:
    return file.path.suffix.lower() in UNDRAWN_SUFFIXES


def _preference(file: ModelFile) -> tuple[int, int]:
    """Sort key: meshes, images, meshes that cannot be drawn; in each, what its name or folder says."""
    kind = 1 if file.is_image else 2 * _is_undrawn(file)
    name = f"{'/'.join(file.folder.parts[-1:])}/{file.stem}"
    return kind, 0 if PREFERRED.search(name) else 2 if LEAST_PREFERRED.search(name) else 1


@dataclass(eq=False)
class FileMatch:
    """Files of a list of ids.

    Attributes
    ----------
    n_ids : number of ids.
    files : file of each id that has one, by its index.
    rules : number of files by the rule that matched them, if their names do not equal their ids, and the first one.
    spare : further files of ids that have one.
    """

    n_ids: int
    files: dict[int, ModelFile] = field(default_factory=dict)
    rules: RuleCounts = field(default_factory=dict)
    spare: list[Path] = field(default_factory=list)

    @property
    def paths(self) -> FilePaths:
        """File of each id, None for none."""
        found = map(self.files.get, range(max(self.files, default=-1) + 1))
        return FilePaths((None if file is None else file.path for file in found), self.n_ids)

    def add(self, item: int, file: ModelFile) -> None:
        """Give a file to an id, which uses the best one of several."""
        other = self.files.get(item)
        self.files[item] = best = file if other is None else min(other, file, key=_preference)
        if other is not None:
            self.spare.append(file.path if best is other else other.path)

    def count(self, rule: str, file: ModelFile) -> None:
        """Count a file that a rule matched."""
        count, first = self.rules.get(rule, (0, file.path.name))
        self.rules[rule] = (count + 1, first)


@dataclass(frozen=True, eq=False)
class MatchedFiles:
    """Files of the collection and of the queries, and those that belong to neither."""

    models: FileMatch
    queries: FileMatch
    unmatched_files: tuple[ModelFile, ...]


def match_files(
    files: Sequence[ModelFile],
    items: IdIndex,
    queries: IdIndex,
    known: Mapping[Path, tuple[str, int]],
    of_models: FileLayout | None = None,
) -> MatchedFiles:
    """Match files to models and queries: by the rule that fits the models, or the queries, and by looser ones.

    A stricter rule precedes a looser one, also that of the other role; where one rule finds a model and a query, the
    role of the folder decides. A similar name counts only for the likelier role of the folder, and not in folders
    beside those of the models: their `0.jpg` is no query `q0`.

    Parameters
    ----------
    known : role and index of the files whose names became ids.
    of_models : layout of the models, if it was found before.
    """
    indices = {MODEL: items, QUERY: queries}
    matches = {role: FileMatch(len(index)) for role, index in indices.items()}
    layouts = {MODEL: of_models or layout_of_role(MODEL, files, items), QUERY: layout_of_role(QUERY, files, queries)}
    rest: list[ModelFile] = []
    n_known = Counter(role for role, _ in known.values())
    named = {role for role, index in indices.items() if n_known[role] == len(index)}
    for file in files:
        if (found := known.get(file.path)) is not None:
            matches[found[0]].add(found[1], file)
        else:
            rest.append(file)

    def may_be_similar(role: str, file: ModelFile) -> bool:
        return file.folder.roles[0] == role and not layouts[MODEL].is_beside_models(file)

    for number, (text, find) in enumerate(RULES):
        if number < min(layout.rule for layout in layouts.values()):
            continue
        candidates, rest = rest, []
        for file in candidates:
            for role in file.folder.roles:
                layout = layouts[role]
                if number < layout.rule or (number == SIMILAR and not may_be_similar(role, file)):
                    continue
                if (item := find(file, layout.ids)) >= 0:
                    matches[role].add(item, file)
                    rule = indices[role].match(file.stem).rule if number == SIMILAR else text
                    if rule not in (EXTENSION, RULES[NAME][0]) and role not in named:
                        matches[role].count(rule, file)
                    break
            else:
                rest.append(file)
    for file in rest:
        for role in file.folder.roles:
            if role not in named and may_be_similar(role, file) and indices[role].match(file.stem).rule == AMBIGUOUS:
                matches[role].count(AMBIGUOUS, file)
    return MatchedFiles(matches[MODEL], matches[QUERY], tuple(rest))


def layout_of_role(role: str, files: Sequence[ModelFile], index: IdIndex) -> FileLayout:
    """Layout of the files that rather have a role, or of all that may have it, if that gives more ids a file."""
    own = find_layout([file for file in files if file.folder.roles[:1] == (role,)], index)
    if own.n_found == len(index):
        return own
    every = find_layout([file for file in files if role in file.folder.roles], index, SIMILAR)
    return every if every.n_found > own.n_found else own
