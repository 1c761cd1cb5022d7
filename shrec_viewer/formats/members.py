"""The collection and the queries: their ids, from the best source there is, and their classes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import NO_CLASS, NOT_A_MEMBER, Classification
from shrec_viewer.formats.id_lists import IdList, list_of
from shrec_viewer.formats.labels import LabelTable
from shrec_viewer.formats.list_ids import ids_in_runs
from shrec_viewer.formats.material import Material
from shrec_viewer.formats.naming import IdIndex, natural_key
from shrec_viewer.formats.placing import ids_of, stem
from shrec_viewer.formats.qrels import QrelsFile
from shrec_viewer.formats.query_list import find_query_list
from shrec_viewer.formats.territory import MODEL, Territory

SELF_SHARE = 0.5
"""Share of a run's queries that must be models for the collection to query itself."""


@dataclass(frozen=True, eq=False)
class Models:
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
class Asked:
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
class Sources:
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
    material: Material
    qrels: QrelsFile | None
    territory: Territory
    query_list: tuple[Path, tuple[str, ...]] | None = None

    @cached_property
    def listed(self) -> tuple[IdList | None, IdList | None]:
        """Lists that say which models there are, and which queries."""
        material, qrels = self.material, [self.qrels] if self.qrels is not None else []
        queries = {name for found in (*qrels, *material.tabled) for name in found.queries}
        models = {name for found in (*qrels, *material.tabled) for name in found.models}
        for folder in material.lists:
            queries |= set(folder.names)
            models |= {word for column in folder.sample.columns for word in column}
        asking = list_of(material.id_lists, sorted(queries), are_queries=True)
        return list_of(material.id_lists, sorted(models), are_queries=False, others=[asking]), asking

    def query_files(self) -> list[Path]:
        """Meshes and pictures of queries, one for each name."""
        files = [*self.material.meshes, *self.material.pictures]
        own = _one_each([path for path in files if self.territory.is_query(path)])
        unsure = [path for path in own if not self.territory.is_surely_query(path)]
        if unsure:  # pictures of models lie in `images` as well
            models = {stem(path) for path in self.material.meshes if not self.territory.is_query(path)}
            if sum(stem(path) in models for path in unsure) > SELF_SHARE * len(unsure):
                return [path for path in own if path not in unsure]
        return own

    def model_files(self) -> list[Path]:
        """Meshes of the collection, or pictures where it has no meshes, one for each name in a folder."""
        asked = set(self.qrels.queries) if self.qrels is not None else set()
        for files in (self.material.meshes, self.material.pictures):
            own = [path for path in files if self.territory.owners(path)[:1] == (MODEL,) and stem(path) not in asked]
            if own:
                return own
        return []


def _one_each(paths: Sequence[Path]) -> list[Path]:
    found: dict[str, Path] = {}
    for path in paths:
        found.setdefault(stem(path), path)
    return [found[name] for name in sorted(found, key=natural_key)]


def models_of(table: LabelTable | None, asking: LabelTable | None, sources: Sources) -> Models:
    """Ids of the collection: those a classification lists, in its order; else of the files; else of truth and runs.

    `asking` is the table of the queries, for classes that no model has.
    """
    if table is not None:
        said = f"classification of {len(table):,} models in {table.n_filled:,} classes"
        return Models(table.ids, table.classification(asking), table.path, said, "the classification")
    if (chosen := sources.listed[0]) is not None:
        return Models(chosen.ids, None, chosen.path, f"list of {len(chosen.ids):,} models", "the list")
    files = sources.model_files()
    if files:
        ids = ids_of(files, sources.root)
        others = _natural(set(sources.qrels.models) - set(ids)) if sources.qrels is not None else ()
        folder = _common_folder(files, sources.root)
        return Models(
            (*ids, *others), None, folder, f"{len(ids):,} files are the collection", "the file names", tuple(files)
        )
    named = set(sources.qrels.models) if sources.qrels is not None else set()
    listed = ids_in_runs(sources.material)
    ids = _natural(named | listed)
    if ids:
        who = [name for name, some in (("the assessment", named), ("the runs", listed)) if some]
        said = f"{len(ids):,} models are named by {' and '.join(who)}"
        return Models(ids, None, sources.qrels.path if sources.qrels else None, said, "their ids")
    for matrix in sources.material.matrices:
        if matrix.values.ndim == 2:
            count = matrix.values.shape[1]
            said = f"nothing names its {count:,} columns, so they are numbered"
            return Models(tuple(str(1 + place) for place in range(count)), None, matrix.path, said, "their numbers")
    return Models((), None, None, "there are no models", "nothing")


def _natural(names: set[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=natural_key))


def _common_folder(files: Sequence[Path], root: Path) -> Path:
    """The folder that all files lie in; the benchmark's where some lie in archives."""
    folder = files[0].parent if all(path.is_relative_to(root) for path in files) else root
    if folder == root:
        return root
    while not all(path.is_relative_to(folder) for path in files):
        folder = folder.parent
    return folder


def asked_of(table: LabelTable | None, models: Models, sources: Sources) -> Asked:
    """Ids of the queries, from the first source there is.

    These are: their own table; the truth and their files; their files; the runs; the collection itself, where there is
    a classification or a square matrix.
    """
    items = IdIndex(models.ids)
    if table is not None:
        return _of_table(table, models)
    files = sources.query_files()
    if (chosen := sources.listed[1]) is not None and sources.query_list is None:
        if sources.qrels is None:
            return _of_list(chosen.path, chosen.ids, models, items)
        known = set(chosen.ids)
        others = [name for name in sources.qrels.queries if name not in known]
        more = f"; {len(others):,} others of the truth are not in it" if others else ""
        return _of_names(chosen.ids, items, chosen.path, f"list of {len(chosen.ids):,} queries{more}")
    if sources.qrels is not None:
        named = {stem(path) for path in files} | set(sources.qrels.queries)
        said = f"{len(named):,} queries"
        return _of_names(_natural(named), items, sources.qrels.path, said, may_be_members=not files)
    if files:
        ids = ids_of(files, sources.root)
        said = f"{len(ids):,} files are the queries"
        asked = _of_names(ids, items, _common_folder(files, sources.root), said, may_be_members=False)
        return replace(asked, paths=tuple(files))
    names = _query_names(sources.material, items)
    listed = sources.query_list or find_query_list(sources.material, items, names)
    if listed is not None:
        return _of_list(*listed, models, items)
    if names and items.share(sorted(names), exact=True) < SELF_SHARE:
        return _of_names(_natural(names), items, None, f"{len(names):,} queries are named by the runs")
    shapes = [matrix.values.shape for matrix in sources.material.matrices]
    n_models = len(models.ids)
    if names or models.tree is not None or (n_models, n_models) in shapes or (n_models**2,) in shapes:
        return _itself(models)
    rows = next((shape[0] for shape in shapes if len(shape) == 2 and shape[1] == n_models), 0)
    ids = tuple(f"row {1 + place}" for place in range(rows))
    return _of_names(ids, items, None, f"nothing names the {rows:,} rows, so they are numbered" if rows else "")


def _of_list(path: Path, ids: tuple[str, ...], models: Models, items: IdIndex) -> Asked:
    """Queries of a plain list, with the classes of the models that they are."""
    member = items.places(ids)
    if np.any(member < 0) or len(np.unique(member)) < len(ids):
        return _of_names(ids, items, path, f"{len(ids):,} queries are listed")
    labels = models.tree.labels[member] if models.tree is not None else np.full(len(ids), NO_CLASS, np.int32)
    own = tuple(models.ids[place] for place in member.tolist())
    return Asked(own, member, labels, path, f"{len(ids):,} of {len(models.ids):,} models are the queries")


def _query_names(material: Material, items: IdIndex) -> set[str]:
    """Queries that runs answer: names of lists whose content is known, first column of TREC runs."""
    names: set[str] = set()
    several = any(len(folder.names) > 1 for folder in material.lists)
    for folder in material.lists:
        if several and len(folder.names) == 1:  # a lone list of ids beside the runs
            continue
        if any(items.share(list(column)) > SELF_SHARE for column in folder.sample.columns):
            names |= set(folder.names)
    for run in material.tabled:
        is_setting = any(run is found for found in material.listed) and not items.share(run.models, exact=True)
        names |= set() if is_setting else set(run.queries)
    for matrix in material.named:
        if items.share(matrix.columns) > SELF_SHARE or (not matrix.columns and items.share(matrix.rows) > SELF_SHARE):
            names |= set(matrix.rows)
    return names


def _of_table(table: LabelTable, models: Models) -> Asked:
    """Queries of their own table; models only if all of them are, in the same classes: row numbers are not."""
    labels = table.labels_in(models.tree) if models.tree is not None else np.full(len(table), NO_CLASS, np.int32)
    place = {name: at for at, name in enumerate(models.ids)}
    member = np.array([place.get(name, NOT_A_MEMBER) for name in table.ids], np.int32)
    same = models.tree is not None and bool(np.all(member >= 0)) and np.array_equal(models.tree.labels[member], labels)
    if not same:
        member[:] = NOT_A_MEMBER
    return Asked(table.ids, member, labels, table.path, f"{len(table):,} queries in {table.n_filled:,} classes")


def _of_names(
    ids: tuple[str, ...], items: IdIndex, source: Path | None, said: str, *, may_be_members: bool = True
) -> Asked:
    member = np.array([items.exact.get(name, NOT_A_MEMBER) for name in ids], np.int32)
    if not may_be_members or np.any(member < 0):
        member[:] = NOT_A_MEMBER
    return Asked(ids, member, np.full(len(ids), NO_CLASS, np.int32), source, said)


def _itself(models: Models) -> Asked:
    count = len(models.ids)
    labels = models.tree.labels if models.tree is not None else np.full(count, NO_CLASS, np.int32)
    return Asked(models.ids, np.arange(count, dtype=np.int32), labels, models.source, "the collection queries itself")
