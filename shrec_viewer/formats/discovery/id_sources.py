"""Ids of the collection and of the queries, from the best source available."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import NO_CLASS, NOT_A_MEMBER, Classification
from shrec_viewer.formats.core.ids import IdIndex, natural_key
from shrec_viewer.formats.core.path_roles import CERTAIN_QUERY_WORDS, MODEL, PathRoles
from shrec_viewer.formats.discovery.file_matching import file_stem, ids_from_files
from shrec_viewer.formats.discovery.reading import ReadFiles
from shrec_viewer.formats.truth.id_lists import IdList, choose_id_list
from shrec_viewer.formats.truth.labels import LabelTable
from shrec_viewer.formats.truth.qrels import QrelsFile

MEMBER_SHARE = 0.5
"""Share of a run's queries that must be models for the collection to query itself."""


@dataclass(frozen=True, eq=False)
class ModelSet:
    """Ids of the collection, and their classes.

    Attributes
    ----------
    ids : (N,) distinct.
    tree : their classes; None if there are none.
    source : file or folder that the ids are from.
    description, listing : text, and name of their order, for findings.
    paths : files of the first ids, if the ids are those of files; else None.
    """

    ids: tuple[str, ...]
    tree: Classification | None
    source: Path | None
    description: str
    listing: str
    paths: tuple[Path, ...] | None = None


@dataclass(frozen=True, eq=False)
class QuerySet:
    """Ids of the queries, their indices in the collection and their classes.

    Attributes
    ----------
    ids : (Q,) distinct.
    member : (Q,) int32, index in the collection or -1.
    labels : (Q,) int32, class or -1.
    source : file or folder that the ids are from.
    description : text for a finding.
    paths : their files, if the ids are those of files; else None.
    """

    ids: tuple[str, ...]
    member: NDArray[np.int32]
    labels: NDArray[np.int32]
    source: Path | None
    description: str
    paths: tuple[Path, ...] | None = None


@dataclass(frozen=True, eq=False)
class IdSources:
    """Sources of ids.

    Attributes
    ----------
    root : folder of the benchmark.
    files : contents of all files.
    qrels : the relevance assessment in use.
    path_roles : whether files are those of models or queries.
    query_list : list of the queries that is named, and its ids.
    """

    root: Path
    files: ReadFiles
    qrels: QrelsFile | None
    path_roles: PathRoles
    query_list: tuple[Path, tuple[str, ...]] | None = None

    @cached_property
    def id_lists(self) -> tuple[IdList | None, IdList | None]:
        """Lists of the models and of the queries."""
        queries = set(self.qrels.queries) if self.qrels is not None else set()
        models = set(self.qrels.models) if self.qrels is not None else set()
        for run in self.files.all_runs:
            if not (run.is_unconditional or run.is_folder):  # rows and columns of a matrix can be names of measures
                continue
            queries |= set(run.parsed.query_ids())
            models |= {word for column in run.parsed.id_columns() for word in column}
        found = self.files.id_lists
        of_queries = choose_id_list(found, sorted(queries), are_queries=True)
        return choose_id_list(found, sorted(models), are_queries=False, others=[of_queries]), of_queries

    def query_files(self) -> list[Path]:
        """Meshes and images of queries, one per name."""
        files = [*self.files.meshes, *self.files.images]
        own = _first_per_name([path for path in files if self.path_roles.is_query(path)])
        ambiguous = [path for path in own if not self.path_roles.is_certainly_query(path)]
        if ambiguous:  # `images` can hold images of models as well
            models = {file_stem(path) for path in self.files.meshes if not self.path_roles.is_query(path)}
            if sum(file_stem(path) in models for path in ambiguous) > MEMBER_SHARE * len(ambiguous):
                return [path for path in own if path not in ambiguous]
        return own

    def model_files(self) -> list[Path]:
        """Meshes of the collection, or images if it has no meshes, one per name in a folder."""
        queries = set(self.qrels.queries) if self.qrels is not None else set()
        for files in (self.files.meshes, self.files.images):
            own = [
                path for path in files if self.path_roles.roles(path)[:1] == (MODEL,) and file_stem(path) not in queries
            ]
            if own:
                return own
        return []


def _first_per_name(paths: Sequence[Path]) -> list[Path]:
    found: dict[str, Path] = {}
    for path in paths:
        found.setdefault(file_stem(path), path)
    return [found[name] for name in sorted(found, key=natural_key)]


def find_models(table: LabelTable | None, query_table: LabelTable | None, sources: IdSources) -> ModelSet:
    """Ids of the collection: of the classification, in its order; else of the files; else of qrels and runs.

    `query_table`: table of the queries, which can have classes without models.
    """
    if table is not None:
        description = f"classification of {len(table):,} models in {table.n_nonempty_classes:,} classes"
        return ModelSet(table.ids, table.classification(query_table), table.path, description, "the classification")
    if (chosen := sources.id_lists[0]) is not None:
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
    listed = {name for run in sources.files.all_runs for name in run.parsed.model_ids()}
    ids = _natural_sorted(named | listed)
    if ids:
        origins = [name for name, some in (("the qrels", named), ("the runs", listed)) if some]
        description = f"{len(ids):,} models are named by {' and '.join(origins)}"
        return ModelSet(ids, None, sources.qrels.path if sources.qrels else None, description, "their ids")
    for path, shape in sources.files.matrices:
        if len(shape) == 2:
            count = shape[1]
            description = f"{count:,} columns without ids, which are numbered"
            return ModelSet(tuple(str(1 + index) for index in range(count)), None, path, description, "their numbers")
    return ModelSet((), None, None, "no models", "nothing")


def _natural_sorted(names: set[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=natural_key))


def _common_folder(files: Sequence[Path], root: Path) -> Path:
    """The deepest folder with all files; the benchmark's if some are in archives."""
    folder = files[0].parent if all(path.is_relative_to(root) for path in files) else root
    if folder == root:
        return root
    while not all(path.is_relative_to(folder) for path in files):
        folder = folder.parent
    return folder


def find_queries(table: LabelTable | None, models: ModelSet, sources: IdSources) -> QuerySet:
    """Ids of the queries, from the first available source.

    The sources are their table, qrels and their files, their files, the runs, and the collection itself if there is a
    classification or a square matrix.
    """
    items = IdIndex(models.ids)
    if table is not None:
        return _queries_of_table(table, models)
    files = sources.query_files()
    if (chosen := sources.id_lists[1]) is not None and sources.query_list is None:
        if sources.qrels is None:
            return _queries_of_list(chosen.path, chosen.ids, models, items)
        known = set(chosen.ids)
        others = [name for name in sources.qrels.queries if name not in known]
        more = f"; {len(others):,} more in the qrels" if others else ""
        return _queries_of_names(chosen.ids, items, chosen.path, f"list of {len(chosen.ids):,} queries{more}")
    if sources.qrels is not None:
        named = {file_stem(path) for path in files} | set(sources.qrels.queries)
        description = f"{len(named):,} queries"
        return _queries_of_names(
            _natural_sorted(named), items, sources.qrels.path, description, check_members=not files
        )
    if files:
        ids = ids_from_files(files, sources.root)
        description = f"{len(ids):,} files are the queries"
        found = _queries_of_names(ids, items, _common_folder(files, sources.root), description, check_members=False)
        return replace(found, paths=tuple(files))
    names = _query_names_of_runs(sources.files, items)
    if sources.query_list is not None:
        return _queries_of_list(*sources.query_list, models, items)
    if names and items.share(sorted(names), exact=True) < MEMBER_SHARE:
        return _queries_of_names(_natural_sorted(names), items, None, f"{len(names):,} queries are named by the runs")
    shapes = [shape for _, shape in sources.files.matrices]
    n_models = len(models.ids)
    if names or models.tree is not None or (n_models, n_models) in shapes or (n_models**2,) in shapes:
        return _collection_as_queries(models)
    rows = next((shape[0] for shape in shapes if len(shape) == 2 and shape[1] == n_models), 0)
    ids = tuple(f"row {1 + index}" for index in range(rows))
    return _queries_of_names(ids, items, None, f"{rows:,} rows without ids, which are numbered" if rows else "")


def _queries_of_list(path: Path, ids: tuple[str, ...], models: ModelSet, items: IdIndex) -> QuerySet:
    """Queries of a list of ids, with the classes of the models if they are models."""
    member = items.indices_of(ids)
    if np.any(member < 0) or len(np.unique(member)) < len(ids):
        return _queries_of_names(ids, items, path, f"{len(ids):,} queries are listed")
    labels = models.tree.labels[member] if models.tree is not None else np.full(len(ids), NO_CLASS, np.int32)
    own = tuple(models.ids[item] for item in member.tolist())
    return QuerySet(own, member, labels, path, f"{len(ids):,} of {len(models.ids):,} models are the queries")


def _query_names_of_runs(files: ReadFiles, items: IdIndex) -> set[str]:
    """Queries of the runs whose format is certain, or whose ids are known models."""
    names: set[str] = set()
    has_folder = any(run.is_folder and len(run.parsed.query_ids()) > 1 for run in files.all_runs)
    for run in files.all_runs:
        queries, columns = run.parsed.query_ids(), [list(column) for column in run.parsed.id_columns() if column]
        if run.is_folder and has_folder and len(queries) == 1:  # a single list of ids next to the runs
            continue
        if run.is_folder and len(queries) == 1 and CERTAIN_QUERY_WORDS.search(queries[0]):  # a list of the queries
            continue
        shares = (items.share(column, exact=not run.is_certain) for column in columns or [list(queries)])
        if run.is_unconditional or any(share > MEMBER_SHARE for share in shares):
            names |= set(queries)
    return names


def _queries_of_table(table: LabelTable, models: ModelSet) -> QuerySet:
    """Queries of their table; members of the collection only if all ids are models of the same classes."""
    labels = table.labels_in(models.tree) if models.tree is not None else np.full(len(table), NO_CLASS, np.int32)
    indices = {name: index for index, name in enumerate(models.ids)}
    member = np.array([indices.get(name, NOT_A_MEMBER) for name in table.ids], np.int32)
    same = models.tree is not None and bool(np.all(member >= 0)) and np.array_equal(models.tree.labels[member], labels)
    if not same:
        member[:] = NOT_A_MEMBER
    return QuerySet(
        table.ids, member, labels, table.path, f"{len(table):,} queries in {table.n_nonempty_classes:,} classes"
    )


def _queries_of_names(
    ids: tuple[str, ...], items: IdIndex, source: Path | None, description: str, *, check_members: bool = True
) -> QuerySet:
    member = np.array([items.exact.get(name, NOT_A_MEMBER) for name in ids], np.int32)
    if not check_members or np.any(member < 0):
        member[:] = NOT_A_MEMBER
    return QuerySet(ids, member, np.full(len(ids), NO_CLASS, np.int32), source, description)


def _collection_as_queries(models: ModelSet) -> QuerySet:
    count = len(models.ids)
    labels = models.tree.labels if models.tree is not None else np.full(count, NO_CLASS, np.int32)
    return QuerySet(
        models.ids, np.arange(count, dtype=np.int32), labels, models.source, "the collection queries itself"
    )
