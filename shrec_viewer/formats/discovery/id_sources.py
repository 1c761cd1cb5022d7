"""Ids of the collection and of the queries, from the best source available."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import NO_CLASS, NOT_A_MEMBER, Classification, FormatError
from shrec_viewer.formats.core.ids import IdIndex, natural_key, without_extension
from shrec_viewer.formats.discovery.file_matching import file_stem, ids_from_files
from shrec_viewer.formats.discovery.folder_scan import UNKNOWN
from shrec_viewer.formats.discovery.path_roles import CERTAIN_QUERY_WORDS, MODEL, PathRoles
from shrec_viewer.formats.discovery.reading import DiscoveredFiles
from shrec_viewer.formats.io.text import read_lines
from shrec_viewer.formats.runs.rank_list import find_id_column, read_rank_list
from shrec_viewer.formats.truth.id_lists import IdList, choose_id_list
from shrec_viewer.formats.truth.labels import LabelTable
from shrec_viewer.formats.truth.qrels import QrelsFile


def model_ids_of_runs(material: DiscoveredFiles) -> set[str]:
    """All ids that lists, TREC runs and tables name."""
    ids: set[str] = set()
    for run in material.table_runs:
        ids |= set(run.models)
    for matrix in material.named:
        ids |= set(matrix.columns or matrix.rows) if matrix.looks_like_ids else set()
    for folder in material.lists:
        pair = len(folder.sample.columns) == 2
        column = find_id_column([folder.sample], _no_known_ids)[0] if pair else 0
        for found in folder.files:
            if found.kind != "rank_list":
                continue
            try:
                raw = read_rank_list(found.path)
            except FormatError:
                continue  # named when the run is read
            words = raw.columns[column if len(raw.columns) == 2 else 0]
            has_name = len(words) > 0 and words[0] in (found.path.name, without_extension(found.path.name))
            ids |= set(words[1:] if has_name and not pair else words)
    return ids


def _no_known_ids(_: object) -> float:
    return 0.0


KNOWN_NAME_SHARE = 0.9
"""Share of the words that must be models, or queries of runs: a list with a wrong id stays one."""

QUERY_LIST_HEADERS = ("id", "ids", "query", "queries", "query id", "query_id", "queryid", "name", "model")


def read_query_list(path: Path) -> tuple[str, ...]:
    """Distinct ids, one a line, under a header or none.

    Raises
    ------
    FormatError
        When a line has several words, or an id comes again.
    """
    ids: dict[str, int] = {}
    for number, line in enumerate(read_lines(path), 1):
        word = line.strip().strip('"').rstrip(",;")
        if not word or word.startswith("#") or (not ids and word.casefold() in QUERY_LIST_HEADERS):
            continue
        if len(word.split()) > 1 or set(word) & set(",;\t"):
            raise FormatError(path, f"one id is expected, found '{word[:40]}'", number)
        if word in ids:
            raise FormatError(path, f"'{word}' stands a second time (first in line {ids[word]})", number)
        ids[word] = number
    if not ids:
        raise FormatError(path, "lists nothing")
    return tuple(ids)


def find_query_list(material: DiscoveredFiles, items: IdIndex, names: set[str]) -> tuple[Path, tuple[str, ...]] | None:
    """A file that is called after queries and lists names that runs use, or models where none does; None for none.

    Parameters
    ----------
    items : the collection.
    names : queries that runs name.
    """
    for found in material.files("rank_list", UNKNOWN):
        if not CERTAIN_QUERY_WORDS.search(found.path.stem):
            continue
        try:
            ids = read_query_list(found.path)
        except FormatError:
            continue
        asked = IdIndex(sorted(names - {without_extension(found.path.name)}))  # a lone list is taken for a query's
        share = asked.share(ids) if len(asked) else items.share(ids, exact=True)
        if len(ids) > 1 and share >= KNOWN_NAME_SHARE:
            return found.path, ids
    return None


MEMBER_SHARE = 0.5
"""Share of a run's queries that must be models for the collection to query itself."""


@dataclass(frozen=True, eq=False)
class ModelSet:
    """Ids of the collection, their classes, and where both come from.

    Attributes
    ----------
    ids : (N,) distinct.
    tree : their classes, None where nobody says.
    source : file or folder that names them.
    said, listing : what they are and what their order is the order of, for findings.
    paths : files of the first ids, where the ids are those of files.
    """

    ids: tuple[str, ...]
    tree: Classification | None
    source: Path | None
    said: str
    listing: str
    paths: tuple[Path, ...] | None = None


@dataclass(frozen=True, eq=False)
class QuerySet:
    """Ids of the queries, their places in the collection and their classes, and where they come from.

    Attributes
    ----------
    ids : (Q,) distinct.
    member : (Q,) int32, place in the collection or -1.
    labels : (Q,) int32, class or -1.
    source : file or folder that names them.
    said : what they are, for a finding.
    paths : their files, where the ids are those of files.
    """

    ids: tuple[str, ...]
    member: NDArray[np.int32]
    labels: NDArray[np.int32]
    source: Path | None
    said: str
    paths: tuple[Path, ...] | None = None


@dataclass(frozen=True, eq=False)
class IdSources:
    """What ids can be taken from.

    Attributes
    ----------
    root : folder of the benchmark.
    material : all that was found.
    qrels : the relevance assessment in use.
    territory : whose a file can be.
    query_list : plain list of the queries that the person named, and its ids.
    """

    root: Path
    material: DiscoveredFiles
    qrels: QrelsFile | None
    path_roles: PathRoles
    query_list: tuple[Path, tuple[str, ...]] | None = None

    @cached_property
    def listed(self) -> tuple[IdList | None, IdList | None]:
        """Lists that say which models there are, and which queries."""
        material, qrels = self.material, [self.qrels] if self.qrels is not None else []
        queries = {name for found in (*qrels, *material.table_runs) for name in found.queries}
        models = {name for found in (*qrels, *material.table_runs) for name in found.models}
        for folder in material.lists:
            queries |= set(folder.names)
            models |= {word for column in folder.sample.columns for word in column}
        asking = choose_id_list(material.id_lists, sorted(queries), are_queries=True)
        return choose_id_list(material.id_lists, sorted(models), are_queries=False, others=[asking]), asking

    def query_files(self) -> list[Path]:
        """Meshes and pictures of queries, one for each name."""
        files = [*self.material.meshes, *self.material.pictures]
        own = _first_per_name([path for path in files if self.path_roles.is_query(path)])
        ambiguous = [path for path in own if not self.path_roles.is_certainly_query(path)]
        if ambiguous:  # pictures of models lie in `images` as well
            models = {file_stem(path) for path in self.material.meshes if not self.path_roles.is_query(path)}
            if sum(file_stem(path) in models for path in ambiguous) > MEMBER_SHARE * len(ambiguous):
                return [path for path in own if path not in ambiguous]
        return own

    def model_files(self) -> list[Path]:
        """Meshes of the collection, or pictures where it has no meshes, one for each name in a folder."""
        asked = set(self.qrels.queries) if self.qrels is not None else set()
        for files in (self.material.meshes, self.material.pictures):
            own = [
                path for path in files if self.path_roles.owners(path)[:1] == (MODEL,) and file_stem(path) not in asked
            ]
            if own:
                return own
        return []


def _first_per_name(paths: Sequence[Path]) -> list[Path]:
    found: dict[str, Path] = {}
    for path in paths:
        found.setdefault(file_stem(path), path)
    return [found[name] for name in sorted(found, key=natural_key)]


def find_models(table: LabelTable | None, asking: LabelTable | None, sources: IdSources) -> ModelSet:
    """Ids of the collection: those a classification lists, in its order; else of the files; else of truth and runs.

    `asking` is the table of the queries, for classes that no model has.
    """
    if table is not None:
        said = f"classification of {len(table):,} models in {table.n_nonempty_classes:,} classes"
        return ModelSet(table.ids, table.classification(asking), table.path, said, "the classification")
    if (chosen := sources.listed[0]) is not None:
        return ModelSet(chosen.ids, None, chosen.path, f"list of {len(chosen.ids):,} models", "the list")
    files = sources.model_files()
    if files:
        ids = ids_from_files(files, sources.root)
        others = _natural_sorted(set(sources.qrels.models) - set(ids)) if sources.qrels is not None else ()
        folder = _common_folder(files, sources.root)
        return ModelSet(
            (*ids, *others), None, folder, f"{len(ids):,} files are the collection", "the file names", tuple(files)
        )
    named = set(sources.qrels.models) if sources.qrels is not None else set()
    listed = model_ids_of_runs(sources.material)
    ids = _natural_sorted(named | listed)
    if ids:
        who = [name for name, some in (("the assessment", named), ("the runs", listed)) if some]
        said = f"{len(ids):,} models are named by {' and '.join(who)}"
        return ModelSet(ids, None, sources.qrels.path if sources.qrels else None, said, "their ids")
    for matrix in sources.material.matrices:
        if matrix.values.ndim == 2:
            count = matrix.values.shape[1]
            said = f"nothing names its {count:,} columns, so they are numbered"
            return ModelSet(tuple(str(1 + place) for place in range(count)), None, matrix.path, said, "their numbers")
    return ModelSet((), None, None, "there are no models", "nothing")


def _natural_sorted(names: set[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=natural_key))


def _common_folder(files: Sequence[Path], root: Path) -> Path:
    """The folder that all files lie in; the benchmark's where some lie in archives."""
    folder = files[0].parent if all(path.is_relative_to(root) for path in files) else root
    if folder == root:
        return root
    while not all(path.is_relative_to(folder) for path in files):
        folder = folder.parent
    return folder


def find_queries(table: LabelTable | None, models: ModelSet, sources: IdSources) -> QuerySet:
    """Ids of the queries, from the first source there is.

    These are: their own table; the truth and their files; their files; the runs; the collection itself, where there is
    a classification or a square matrix.
    """
    items = IdIndex(models.ids)
    if table is not None:
        return _queries_of_table(table, models)
    files = sources.query_files()
    if (chosen := sources.listed[1]) is not None and sources.query_list is None:
        if sources.qrels is None:
            return _queries_of_list(chosen.path, chosen.ids, models, items)
        known = set(chosen.ids)
        others = [name for name in sources.qrels.queries if name not in known]
        more = f"; {len(others):,} others of the truth are not in it" if others else ""
        return _queries_of_names(chosen.ids, items, chosen.path, f"list of {len(chosen.ids):,} queries{more}")
    if sources.qrels is not None:
        named = {file_stem(path) for path in files} | set(sources.qrels.queries)
        said = f"{len(named):,} queries"
        return _queries_of_names(_natural_sorted(named), items, sources.qrels.path, said, check_members=not files)
    if files:
        ids = ids_from_files(files, sources.root)
        said = f"{len(ids):,} files are the queries"
        asked = _queries_of_names(ids, items, _common_folder(files, sources.root), said, check_members=False)
        return replace(asked, paths=tuple(files))
    names = _query_names_of_runs(sources.material, items)
    listed = sources.query_list or find_query_list(sources.material, items, names)
    if listed is not None:
        return _queries_of_list(*listed, models, items)
    if names and items.share(sorted(names), exact=True) < MEMBER_SHARE:
        return _queries_of_names(_natural_sorted(names), items, None, f"{len(names):,} queries are named by the runs")
    shapes = [matrix.values.shape for matrix in sources.material.matrices]
    n_models = len(models.ids)
    if names or models.tree is not None or (n_models, n_models) in shapes or (n_models**2,) in shapes:
        return _collection_as_queries(models)
    rows = next((shape[0] for shape in shapes if len(shape) == 2 and shape[1] == n_models), 0)
    ids = tuple(f"row {1 + place}" for place in range(rows))
    return _queries_of_names(ids, items, None, f"nothing names the {rows:,} rows, so they are numbered" if rows else "")


def _queries_of_list(path: Path, ids: tuple[str, ...], models: ModelSet, items: IdIndex) -> QuerySet:
    """Queries of a plain list, with the classes of the models that they are."""
    member = items.places(ids)
    if np.any(member < 0) or len(np.unique(member)) < len(ids):
        return _queries_of_names(ids, items, path, f"{len(ids):,} queries are listed")
    labels = models.tree.labels[member] if models.tree is not None else np.full(len(ids), NO_CLASS, np.int32)
    own = tuple(models.ids[place] for place in member.tolist())
    return QuerySet(own, member, labels, path, f"{len(ids):,} of {len(models.ids):,} models are the queries")


def _query_names_of_runs(material: DiscoveredFiles, items: IdIndex) -> set[str]:
    """Queries that runs answer: names of lists whose content is known, first column of TREC runs."""
    names: set[str] = set()
    several = any(len(folder.names) > 1 for folder in material.lists)
    for folder in material.lists:
        if several and len(folder.names) == 1:  # a lone list of ids beside the runs
            continue
        if any(items.share(list(column)) > MEMBER_SHARE for column in folder.sample.columns):
            names |= set(folder.names)
    for run in material.table_runs:
        is_settings_file = any(run is found for found in material.listed) and not items.share(run.models, exact=True)
        names |= set() if is_settings_file else set(run.queries)
    for matrix in material.named:
        if items.share(matrix.columns) > MEMBER_SHARE or (
            not matrix.columns and items.share(matrix.rows) > MEMBER_SHARE
        ):
            names |= set(matrix.rows)
    return names


def _queries_of_table(table: LabelTable, models: ModelSet) -> QuerySet:
    """Queries of their own table; models only if all of them are, in the same classes: row numbers are not."""
    labels = table.labels_in(models.tree) if models.tree is not None else np.full(len(table), NO_CLASS, np.int32)
    place = {name: at for at, name in enumerate(models.ids)}
    member = np.array([place.get(name, NOT_A_MEMBER) for name in table.ids], np.int32)
    same = models.tree is not None and bool(np.all(member >= 0)) and np.array_equal(models.tree.labels[member], labels)
    if not same:
        member[:] = NOT_A_MEMBER
    return QuerySet(
        table.ids, member, labels, table.path, f"{len(table):,} queries in {table.n_nonempty_classes:,} classes"
    )


def _queries_of_names(
    ids: tuple[str, ...], items: IdIndex, source: Path | None, said: str, *, check_members: bool = True
) -> QuerySet:
    member = np.array([items.exact.get(name, NOT_A_MEMBER) for name in ids], np.int32)
    if not check_members or np.any(member < 0):
        member[:] = NOT_A_MEMBER
    return QuerySet(ids, member, np.full(len(ids), NO_CLASS, np.int32), source, said)


def _collection_as_queries(models: ModelSet) -> QuerySet:
    count = len(models.ids)
    labels = models.tree.labels if models.tree is not None else np.full(count, NO_CLASS, np.int32)
    return QuerySet(
        models.ids, np.arange(count, dtype=np.int32), labels, models.source, "the collection queries itself"
    )
