"""Ids and classes of the collection and of the queries, from the best source available."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import NO_CLASS, NOT_A_MEMBER, ROOT, Classification, Finding, NumberedIds, Severity
from shrec_viewer.formats.core.decisions import Alternative, Decision
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of
from shrec_viewer.formats.core.ids import (
    CERTAIN_QUERY_WORDS,
    COLLECTION_WORDS,
    EXACT,
    MODEL,
    NORMALISATIONS,
    QUERY,
    QUERY_WORDS,
    IdIndex,
    natural_sorted,
)
from shrec_viewer.formats.core.reader import OpenedRun
from shrec_viewer.formats.discovery.file_matching import (
    NAME,
    SIMILAR,
    FileModel,
    ModelFile,
    find_layout,
    layout_of_role,
    match_files,
    models_of_files,
    share_of_files,
)
from shrec_viewer.formats.discovery.reading import ReadFiles
from shrec_viewer.formats.matrices.matrix_blocks import MatrixFolder, are_blocks
from shrec_viewer.formats.runs.rank_list_folder import RankListFolder
from shrec_viewer.formats.truth.class_tables import PARTS_OF_PARTITION, LabelTable, LabelVector, label_table_of
from shrec_viewer.formats.truth.id_lists import IdList, choose_id_list
from shrec_viewer.formats.truth.qrels import QrelsFile

#: Maximum number of ids of a file that are compared with those of a table.
MAX_SAMPLED_IDS = 200

#: Weight of a file name; a file with matching ids weighs 1, so that names decide only if contents do not.
NAME_WEIGHT = 0.5


#: Weight of a matrix that fits only if it is transposed: less than 2, the weight of one that fits as it is, and not
#: enough to outweigh the names of both tables.
TRANSPOSED_FIT = 1.25

#: Weight of a matrix with one matching side.
ONE_SIDE_FIT = 0.75

#: Names of files that can be blocks of one matrix.
BLOCK_NAME = re.compile(r"((part|block|shard|chunk|rows?|col(umn)?s?)[-_. ]*)?[0-9]+", re.IGNORECASE)

#: Abbreviated file names of tables.
NAME_ABBREVIATIONS = {"q": "query", "t": "target", "m": "model", "db": "database"}


@dataclass(frozen=True, eq=False)
class TableRoles:
    """Roles of the class tables of a benchmark.

    Attributes
    ----------
    collection : table of the collection.
    queries : table of the queries; None if they have none or are the collection itself.
    unused : tables without a role.
    is_sure : whether the best assignment of roles is unique.
    decided_by_rows : whether the longer table is that of the queries only because of the number of rows of a matrix.
    """

    collection: LabelTable | None
    queries: LabelTable | None
    unused: tuple[LabelTable, ...] = ()
    is_sure: bool = True
    decided_by_rows: bool = False


def choose_table_roles(files: ReadFiles, collection: LabelTable | None, queries: LabelTable | None) -> TableRoles:
    """Roles of the tables, from the ids and shapes of the other files; file names decide only between equal scores.

    Parameters
    ----------
    files : contents of all files.
    collection, queries : tables set by the caller or benchmark.toml, whose role is fixed; None to choose.
    """
    tables = files.tables
    collection_candidates = [collection] if collection is not None else tables
    query_candidates = [queries] if queries is not None else [None, *tables]
    as_collection = {id(table): _collection_score(table, files) for table in {*collection_candidates} - {None}}
    as_queries = {
        id(table): _query_score(table, files) for table in {*tables, *collection_candidates, *query_candidates} - {None}
    }
    pairs: list[tuple[tuple[float, bool, int], LabelTable, LabelTable | None]] = []
    for first, second in product(collection_candidates, query_candidates):
        if first is not second and first is not None:
            score = as_collection[id(first)] + as_queries[id(second if second is not None else first)]
            score += _matrices_fit(files, first, second)
            pairs.append(((round(score, 3), second is None, len(first)), first, second))
    best = max(pairs, key=itemgetter(0), default=None)
    chosen = (collection, queries) if best is None else best[1:]
    is_sure = all(first is chosen[0] for rank, first, _ in pairs if best is not None and rank[0] == best[0][0])
    unused = tuple(table for table in tables if table is not chosen[0] and table is not chosen[1])
    are_given = collection is not None or queries is not None
    return TableRoles(*chosen, unused, is_sure or len(unused) == 0, not are_given and _only_rows_decide(*chosen, files))


def _only_rows_decide(first: LabelTable | None, second: LabelTable | None, files: ReadFiles) -> bool:
    """Whether the longer of two tables is that of the queries only because of the number of rows of a matrix."""
    if first is None or second is None or len(second) <= len(first) or _collection_score(first, files):
        return False
    return not _query_score(second, files) and any(_matrix_fit(shape, first, second) > 1 for _, shape in files.matrices)


def _matrices_fit(files: ReadFiles, first: LabelTable, second: LabelTable | None) -> float:
    """Weight of all matrices; each block of one that fits weighs as much as a complete matrix that fits.

    So does a square one that is named like a block: it may be one of several blocks, of which others are missing.
    """
    models, queries = len(first), len(second if second is not None else first)
    shapes = dict(files.matrices)
    weights = {path: _matrix_fit(shape, first, second) for path, shape in shapes.items()}
    squares = {(side, side) for side in (models, queries)} | {(side**2,) for side in (models, queries)}
    weights |= {path: 2.0 for path, shape in shapes.items() if shape in squares and BLOCK_NAME.fullmatch(path.stem)}
    named = {candidate.run for candidate in files.named_runs}
    for run in files.all_runs:
        if isinstance(run.parsed, MatrixFolder):
            blocks = [path for path in run.parsed.file_paths() if path in shapes]
            if are_blocks([shapes[path] for path in blocks], queries, models):
                weights |= dict.fromkeys(blocks, 2.0)
            elif run in named:  # its files are no runs
                weights |= dict.fromkeys(blocks, 0.0)
    return sum(weights.values())


def _matrix_fit(shape: tuple[int, ...], first: LabelTable, second: LabelTable | None) -> float:
    """Weight of a matrix: 2 if both sides fit, less if it fits only transposed or only one side fits."""
    models, queries = len(first), len(second if second is not None else first)
    if len(shape) == 1:
        return 2.0 * (shape[0] == models * queries)
    if shape == (queries, models):
        return 2.0
    if shape == (models, queries):
        return TRANSPOSED_FIT
    return ONE_SIDE_FIT * (shape[0] == queries or shape[1] == models)


#: Minimum share of one split in the known ids of a run; a run with fewer is of the whole table.
MIN_SPLIT_SHARE = 0.9


def select_split(table: LabelTable, files: ReadFiles) -> LabelTable:
    """The rows of a table whose split the runs contain: models of other splits are not part of the collection.

    If no run contains ids of any split, the split "test" is used. All rows are used if one run contains ids of several
    splits, or a matrix has a row or column for each.
    If the queries of the runs are of one of the splits "train" and "test", and their models of the other, these are the
    parts of a partition.
    """
    if table.splits is None or len(set(table.splits)) < 2:
        return table
    if (partition := _partition_of_splits(table, files)) is not None:
        return partition
    if any(len(table) in shape for _, shape in files.matrices):
        return table
    ids_of_runs = [set(_sample_ids(column)) for run in files.all_runs for column in run.parsed.id_columns()]
    parts = [rows_of_split(table, split) for split in sorted(set(table.splits), key=lambda split: split != "test")]
    counts = [[len(found & set(part.ids)) for part in parts] for found in ids_of_runs]
    if any(max(of_run) < MIN_SPLIT_SHARE * sum(of_run) for of_run in counts):
        return table
    return parts[int(np.argmax(np.sum(counts, axis=0)))]


def _partition_of_splits(table: LabelTable, files: ReadFiles) -> LabelTable | None:
    """The table with the splits "train" and "test" as gallery and queries, or the reverse; None for other runs."""
    splits = table.splits or ()
    ids = {of: [name for name, own in zip(table.ids, splits, strict=True) if own == of] for of in ("train", "test")}
    runs = [(run.parsed.query_ids(), run.parsed.id_columns()) for run in files.all_runs]
    for gallery, query in (("train", "test"), ("test", "train")):
        models, queries = IdIndex(ids[gallery]), IdIndex(ids[query])
        are_known = any(
            queries.share(_sample_ids(names)) > KNOWN_ID_SHARE
            and any(models.share(_sample_ids(column)) > KNOWN_ID_SHARE for column in columns)
            for names, columns in runs
        )
        if are_known or any(shape == (len(queries), len(models)) for _, shape in files.matrices if len(queries)):
            of = {gallery: PARTS_OF_PARTITION[1], query: PARTS_OF_PARTITION[0]}
            return replace(table, splits=tuple(of.get(split, split) for split in splits))
    return None


def rows_of_split(table: LabelTable, split: str, role: str = "collection") -> LabelTable:
    """The rows of one split, with a finding about their role."""
    selected = [index for index, name in enumerate(table.splits or ()) if name == split]
    message = f"{len(table):,} models in several splits"
    finding = Finding(
        Severity.INFO, str(table.path), None, message, f"the {len(selected):,} of '{split}' are the {role}"
    )
    return replace(
        table,
        ids=tuple(table.ids[index] for index in selected),
        labels=table.labels[selected],
        splits=(split,) * len(selected),
        label_sets=None if table.label_sets is None else tuple(table.label_sets[index] for index in selected),
        findings=(*table.findings, finding),
    )


def _collection_score(table: LabelTable, files: ReadFiles) -> float:
    index = IdIndex(table.ids)
    score = 0.0
    for run in files.all_runs:
        score += max((index.share(_sample_ids(column)) for column in run.parsed.id_columns()), default=0.0)
    score += sum(index.share(_sample_ids(found.models)) for found in files.qrels)
    score += share_of_files(files.meshes, index)
    return score + NAME_WEIGHT * _name_hint(table.path, COLLECTION_WORDS, QUERY_WORDS)


def _query_score(table: LabelTable, files: ReadFiles) -> float:
    index = IdIndex(table.ids)
    score = sum(index.share(_sample_ids(run.parsed.query_ids())) for run in files.all_runs)
    score += sum(index.share(_sample_ids(found.queries)) for found in files.qrels)
    return score + NAME_WEIGHT * _name_hint(table.path, QUERY_WORDS, COLLECTION_WORDS)


def _name_hint(path: Path, expected: re.Pattern[str], other: re.Pattern[str]) -> int:
    name = NAME_ABBREVIATIONS.get(path.stem.lower(), path.stem)
    return bool(expected.search(name)) - bool(other.search(name))


def _sample_ids(ids: Sequence[str]) -> Sequence[str]:
    return ids[:: max(1, len(ids) // MAX_SAMPLED_IDS)]


#: Number of lists from which a folder of rank lists is certainly a run, and not tables of classes.
MIN_LISTS = 5

#: Minimum share of the ids in other files that must be ids of a table.
KNOWN_ID_SHARE = 0.5


def use_unmarked_tables(files: ReadFiles, findings_log: FindingsLog) -> ReadFiles:
    """Add tables of ids and classes without the header of a known format, and labels without ids; a finding for each.

    A table is used if its ids are those of runs or files, or, if no other file contains ids, if its header names both
    columns. Others are ignored; the finding names the setting to use them.
    """
    others = _ids_of_other_files(files)
    used: list[LabelTable] = []
    for table, has_header in files.unmarked_tables:
        about = f"a table of {count_of(len(table), 'id')} in {count_of(table.n_nonempty_classes, 'class', 'classes')}"
        if _shares_ids(table, others) or share_of_files(files.model_files, IdIndex(table.ids)) >= KNOWN_ID_SHARE:
            findings_log.info(table.path, f"{about}, which are ids of runs or files", "used as classes")
        elif has_header and not others:
            findings_log.info(table.path, f"{about}, according to its header", "used as classes")
        else:
            first = others[0][0] if others and others[0] else ""
            known = f"; '{table.ids[0]}' is one, while other files name '{first}'" if first else ""
            uses = Alternative("", "ignored"), Alternative(table.path, "classes")
            problem = f"looks like {about}{known}"
            findings_log.decide(table.path, Decision("classification", uses, "", problem=problem))
            continue
        used.append(table)
    paths = {table.path for table in used}
    runs = tuple(run for run in files.runs if not run.is_folder or _sample_path(run) not in paths)
    side_tables = tuple(table for table in files.side_tables if table.path not in paths)
    labels = (_table_of_labels(vector, files, findings_log) for vector in files.label_vectors)
    used += [table for table in labels if table is not None]
    return replace(files, tables=(*files.tables, *used), runs=runs, side_tables=side_tables)


def _sample_path(run: OpenedRun) -> Path | None:
    return run.parsed.sample.path if isinstance(run.parsed, RankListFolder) else None


def _ids_of_other_files(files: ReadFiles) -> list[Sequence[str]]:
    """Ids in runs, and names of meshes and images, one sequence per source."""
    ids: list[Sequence[str]] = []
    for run in files.all_runs:
        if not run.is_folder or len(run.parsed.query_ids()) >= MIN_LISTS:
            ids += [*run.parsed.id_columns(), run.parsed.query_ids()]
    ids.append([file.stem for file in files.model_files])
    return [names for names in ids if names]


def _shares_ids(table: LabelTable, others: Sequence[Sequence[str]]) -> bool:
    index = IdIndex(table.ids)
    return any(index.share(side) >= KNOWN_ID_SHARE for side in others)


def _matching_matrix_side(count: int, files: ReadFiles) -> str:
    """Side of a matrix with this length; "" for none."""
    for path, shape in files.matrices:
        if len(shape) == 2 and shape[1] == count:
            return f"'{path.name}' has columns"
        if len(shape) == 2 and shape[0] == count:
            return f"'{path.name}' has rows"
    return ""


def _table_of_labels(vector: LabelVector, files: ReadFiles, findings_log: FindingsLog) -> LabelTable | None:
    """Labels without ids as a table: ids are the names of the meshes if there are as many, else numbers."""
    n_classes = len(set(vector.labels))
    about = f"{count_of(len(vector), 'label')} in {count_of(n_classes, 'class', 'classes')} without ids"
    side = _matching_matrix_side(len(vector), files)
    models = models_of_files(files.meshes, find_layout(files.meshes), files.found.root)
    names = natural_sorted([model.id for model in models])
    if not side and len(names) == len(vector):
        action = "used as the classes of the models in the natural order of their files"
        findings_log.warning(vector.path, f"{about}, as many as there are meshes", action)
        return label_table_of(vector.path, names, vector.labels)
    if not side or n_classes < 2:
        action = "ignored: no matrix here has as many rows or columns, and there are not as many meshes"
        findings_log.warning(vector.path, about, action)
        return None
    is_query = bool(QUERY_WORDS.search(vector.path.stem))
    ids = NumberedIds(range(1, len(vector) + 1), "row " if is_query else "")
    action = f"used as their classes, in their order; the ids are '{ids[0]}' to '{ids[-1]}'"
    findings_log.warning(vector.path, f"{about}, as many as {side}", action)
    return label_table_of(vector.path, ids, vector.labels)


MIN_CLASSES = 2

#: Mean number of models per folder, below which each model has its own folder (Princeton: ``m1119/m1119.off``).
MIN_MODELS_PER_CLASS = 2.0

#: Folders of splits, which are not classes: ``chair/train/chair_0001.off``.
SPLIT_FOLDER = re.compile(r"train|test|val|validation", re.IGNORECASE)


def classes_of_folders(models: Sequence[FileModel], root: Path) -> LabelTable | None:
    """The models with their folders as classes; None if the folders do not look like classes.

    Classes are at least two folders directly below one folder, with at least two models on average.

    Parameters
    ----------
    models : of the collection, or the queries.
    root : folder of the benchmark.
    """
    if not models:
        return None
    folders = [_class_folder(model.folder) for model in models]
    parents = {folder.parent for folder in folders}
    names = list(dict.fromkeys(folder.name for folder in folders))
    if len(parents) != 1 or not MIN_CLASSES <= len(names) <= len(models) / MIN_MODELS_PER_CLASS:
        return None
    (parent,) = parents
    if not parent.is_relative_to(root):
        return None
    message = f"{count_of(len(names), 'folder')} as classes, as there is no other source"
    action = "the folder of a model is its class"
    return LabelTable(
        parent,
        tuple(model.id for model in models),
        np.array([names.index(folder.name) for folder in folders], np.int32),
        tuple(names),
        np.full(len(names), ROOT, np.int32),
        findings=(Finding(Severity.WARNING, str(parent), None, message, action),),
    )


def _class_folder(folder: Path) -> Path:
    return folder.parent if SPLIT_FOLDER.fullmatch(folder.name) else folder


#: Share of a run's queries that must be models for the collection to query itself.
MEMBER_SHARE = 0.5


class _IdSet:
    ids: Sequence[str]

    @cached_property
    def index(self) -> IdIndex:
        """Look-up of the ids."""
        return IdIndex(self.ids)


@dataclass(frozen=True, eq=False)
class ModelSet(_IdSet):
    """Ids of the collection, and their classes.

    Attributes
    ----------
    ids : (N,) distinct.
    tree : their classes; None if there are none.
    source : file or folder that the ids are from.
    description, listing : text, and name of their order, for findings.
    paths : files of the first ids that are those of files, None for other ids.
    left_out : files that qrels and runs do not name, and that are therefore no models.
    """

    ids: Sequence[str]
    tree: Classification | None
    source: Path | None
    description: str
    listing: str
    paths: tuple[Path | None, ...] = ()
    left_out: tuple[Path, ...] = ()


@dataclass(frozen=True, eq=False)
class QuerySet(_IdSet):
    """Ids of the queries, their indices in the collection and their classes.

    Attributes
    ----------
    ids : (Q,) distinct.
    member : (Q,) int32, index in the collection or -1.
    labels : (Q,) int32, class or -1.
    source : file or folder that the ids are from.
    description : text for a finding.
    paths : their files, if the ids are those of files; else None.
    doubt : text for a warning, if they are no members though most ids are those of models; else "".
    """

    ids: Sequence[str]
    member: NDArray[np.int32]
    labels: NDArray[np.int32]
    source: Path | None
    description: str
    paths: tuple[Path, ...] | None = None
    doubt: str = ""


@dataclass(frozen=True, eq=False)
class IdSources:
    """Sources of ids.

    Attributes
    ----------
    files : contents of all files.
    models_folder : folder that is named as that of the models.
    qrels : the relevance assessment in use.
    """

    files: ReadFiles
    models_folder: Path | None
    qrels: QrelsFile | None = None

    @property
    def root(self) -> Path:
        """Folder of the benchmark."""
        return self.files.found.root

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

    def query_files(self, models: Sequence[str]) -> list[FileModel]:
        """The queries that files are, one per name; `models`: ids of the collection."""
        own = [file for file in self.files.model_files if file.folder.roles[:1] == (QUERY,)]
        ambiguous = [file for file in own if not file.folder.is_certainly_query]
        # `images` can hold images of models as well, and `Scan` their meshes.
        if ambiguous and share_of_files(ambiguous, IdIndex(models), SIMILAR) > MEMBER_SHARE:
            own = [file for file in own if file.folder.is_certainly_query]
        layout = find_layout(own, IdIndex(self.qrels.queries if self.qrels is not None else ()))
        if layout.rule == NAME:
            own = list({file.stem: file for file in reversed(own)}.values())
        queries = {query.id: query for query in models_of_files(own, layout, self.root)}
        return [queries[name] for name in natural_sorted([*queries])]

    def model_files(self) -> list[ModelFile]:
        """Meshes of the collection, or images if it has no meshes; files that may be of queries if there are no others.

        Queries of qrels are not among them.
        """
        found = [file for file in self.files.model_files if file.folder.roles[:1] == (MODEL,)]
        if not found and self.qrels is None:
            found = [file for file in self.files.model_files if not file.folder.is_certainly_query]
        return [file for file in found if not file.is_image] or found

    def queries_outside(self, names: set[str]) -> set[str]:
        """The queries of qrels among the names of files, unless they are models, too.

        They are if one is relevant to another query, or if runs list most of them.
        """
        queries = names & set(self.qrels.queries) if self.qrels is not None else set[str]()
        if self.qrels is None or not queries or not queries.isdisjoint(self.qrels.models):
            return set()
        listed: set[str] = set()
        for run in self.files.all_runs:
            listed |= queries.intersection(run.parsed.model_ids())
        return set() if len(listed) > MEMBER_SHARE * len(queries) else queries


def find_models(table: LabelTable | None, query_table: LabelTable | None, sources: IdSources) -> ModelSet:
    """Ids of the collection: of the classification, in its order; else of the files; else of qrels and runs.

    `query_table`: table of the queries, which can have classes without models.
    """
    if table is not None:
        description = f"classification of {_models_and_classes(table, 'model')}"
        return ModelSet(table.ids, table.classification(query_table), table.path, description, "the classification")
    if (chosen := sources.id_lists[0]) is not None:
        return ModelSet(chosen.ids, None, chosen.path, f"list of {count_of(len(chosen.ids), 'model')}", "the list")
    if files := sources.model_files():
        return (
            _models_of_files(files, sources)
            if sources.qrels is None
            else _models_of_qrels(files, sources, sources.qrels)
        )
    named = set(sources.qrels.models) if sources.qrels is not None else set()
    listed = {name for run in sources.files.all_runs for name in run.parsed.model_ids()}
    ids = _natural_sorted(named | listed)
    if ids:
        origins = [name for name, some in (("the qrels", named), ("the runs", listed)) if some]
        description = f"{count_of(len(ids), 'model is', 'models are')} named by {' and '.join(origins)}"
        return ModelSet(ids, None, sources.qrels.path if sources.qrels else None, description, "their ids")
    for path, shape in sources.files.matrices:
        if len(shape) == 2:
            count = shape[1]
            description = f"{count_of(count, 'column')} without ids, numbered"
            return ModelSet(NumberedIds(range(1, count + 1)), None, path, description, "their numbers")
    return ModelSet((), None, None, "no models", "nothing")


def _models_of_files(files: Sequence[ModelFile], sources: IdSources) -> ModelSet:
    """Ids of files, which tell nothing but the runs how ids are written."""
    listed = {word for run in sources.files.all_runs for column in run.parsed.id_columns() for word in column}
    models = models_of_files(files, find_layout(files, IdIndex([*listed])), sources.root)
    paths = tuple(model.file.path for model in models)
    description = f"{count_of(len(models), 'file is', 'files are')} the collection"
    folder = _common_folder(paths, sources.root)
    return ModelSet(tuple(model.id for model in models), None, folder, description, "the file names", paths)


def _models_of_qrels(files: Sequence[ModelFile], sources: IdSources, qrels: QrelsFile) -> ModelSet:
    """Models of qrels, those with files first, and other files that are members.

    Those are files whose ids runs list or, where queries are models, are queries; files of the folder that is named as
    that of the models; and all others if a matrix has columns for them.
    """
    known = IdIndex(_natural_sorted(set(qrels.models)))
    layout = layout_of_role(MODEL, sources.files.model_files, known)
    outside = sources.queries_outside({model.id for model in models_of_files(files, layout, sources.root)})
    matched = match_files(sources.files.model_files, known, IdIndex([*outside]), {}, layout)
    rest = {file.path for file in matched.unmatched_files}
    unmatched = models_of_files([file for file in files if file.path in rest], layout, sources.root)
    others = {model.id: model for model in unmatched if model.id not in known.exact and model.id not in outside}
    named = sources.models_folder
    names = {name for name, model in others.items() if named is not None and model.file.path.is_relative_to(named)}
    names |= others.keys() & set(qrels.queries)
    for run in sources.files.all_runs:
        if len(names) < len(others):
            names |= others.keys() & set(run.parsed.model_ids())
    sides = {side for _, shape in sources.files.matrices for side in shape[-1:]}
    few, many = len(known) + len(names), len(known) + len(others)
    if sides.isdisjoint((few, few**2, few * len(qrels.queries))) and sides & {many, many**2, many * len(qrels.queries)}:
        names = {*others}
    id_of = {file.path: known.ids[item] for item, file in matched.models.files.items()}
    id_of |= {others[name].file.path: name for name in names}
    paths = tuple(file.path for file in sources.files.model_files if file.path in id_of)
    ids = tuple(id_of[path] for path in paths)
    left_out = tuple(model.file.path for name, model in others.items() if name not in names)
    folder = _common_folder(paths or [file.path for file in files], sources.root)
    description = f"{count_of(len(ids), 'file is', 'files are')} the collection"
    ids = (*ids, *_natural_sorted(set(known.ids) - set(ids)))
    of_others = tuple(path if id_of[path] in others else None for path in paths)
    return ModelSet(ids, None, folder, description, "the file names", of_others, left_out)


def _models_and_classes(table: LabelTable, one: str, many: str = "") -> str:
    """``"12 models in 3 classes"``."""
    return f"{count_of(len(table), one, many)} in {count_of(table.n_nonempty_classes, 'class', 'classes')}"


def _natural_sorted(names: set[str]) -> tuple[str, ...]:
    return tuple(natural_sorted([*names]))


def _common_folder(paths: Sequence[Path], root: Path) -> Path:
    """The deepest folder with all files; the benchmark's if some are in archives."""
    folders = {os.path.dirname(path) for path in paths}
    return Path(os.path.commonpath(folders)) if all(Path(folder).is_relative_to(root) for folder in folders) else root


def find_queries(table: LabelTable | None, models: ModelSet, sources: IdSources) -> QuerySet:
    """Ids of the queries, from the first available source.

    The sources are a list that is named, their table, qrels and their files, their files, the runs, and the collection
    itself if there is a classification or a square matrix.
    """
    listed = sources.files.query_list
    if table is not None:
        of_table = _queries_of_table(table, models)
        return of_table if listed is None else _listed_queries(of_table, *listed, models)
    files = sources.query_files(models.ids)
    if listed is not None and (sources.qrels is not None or files):
        path, ids = listed
        description = f"list of {count_of(len(ids), 'query', 'queries')}"
        return _queries_of_names(ids, models, path, description, check_members=not files)
    if listed is not None:
        return _queries_of_list(*listed, models)
    if (chosen := sources.id_lists[1]) is not None:
        if sources.qrels is None:
            return _queries_of_list(chosen.path, chosen.ids, models)
        known = set(chosen.ids)
        others = [name for name in sources.qrels.queries if name not in known]
        more = f"; {len(others):,} more in the qrels" if others else ""
        return _queries_of_names(
            chosen.ids, models, chosen.path, f"list of {count_of(len(chosen.ids), 'query', 'queries')}{more}"
        )
    if sources.qrels is not None:
        answered = {name for run in sources.files.all_runs for name in run.parsed.query_ids()}
        named = answered.intersection(query.id for query in files) | set(sources.qrels.queries)
        description = count_of(len(named), "query", "queries")
        return _queries_of_names(
            _natural_sorted(named), models, sources.qrels.path, description, check_members=not files
        )
    if files:
        paths = tuple(query.file.path for query in files)
        description = f"{count_of(len(files), 'file is', 'files are')} the queries"
        folder, ids = _common_folder(paths, sources.root), tuple(query.id for query in files)
        return replace(_queries_of_names(ids, models, folder, description, check_members=False), paths=paths)
    names = _query_names_of_runs(sources.files, models.index)
    if names and models.index.share(sorted(names), exact=True) < MEMBER_SHARE:
        description = f"{count_of(len(names), 'query is', 'queries are')} named by the runs"
        return _queries_of_names(_natural_sorted(names), models, None, description)
    shapes = [shape for _, shape in sources.files.matrices]
    n_models = len(models.ids)
    if names or models.tree is not None or (n_models, n_models) in shapes or (n_models**2,) in shapes:
        return _collection_as_queries(models)
    rows = next((shape[0] for shape in shapes if len(shape) == 2 and shape[1] == n_models), 0)
    of_rows = NumberedIds(range(1, rows + 1), "row ")
    return _queries_of_names(of_rows, models, None, f"{count_of(rows, 'row')} without ids, numbered" if rows else "")


def _listed_queries(of_table: QuerySet, path: Path, ids: Sequence[str], models: ModelSet) -> QuerySet:
    """The queries of a list, with the classes of a table; those that it does not have are no models and have none.

    If it has none of them, those of the list without the table.
    """
    name = of_table.source.name if of_table.source is not None else "the table"
    rows = IdIndex(of_table.ids).indices_of(ids)
    is_known = rows >= 0
    if not is_known.any():
        found = _queries_of_list(path, ids, models)
        return replace(found, description=f"{found.description}; '{name}' has none of them and is not used")
    names = tuple(of_table.ids[row] if row >= 0 else own for row, own in zip(rows.tolist(), ids, strict=True))
    member = np.where(is_known, of_table.member[rows], NOT_A_MEMBER).astype(np.int32)
    labels = np.where(is_known, of_table.labels[rows], NO_CLASS).astype(np.int32)
    lacking = "" if is_known.all() else f"; '{name}' lacks {int(np.sum(~is_known)):,} of them"
    message = f"{count_of(len(ids), 'query', 'queries')} listed, of {len(of_table.ids):,} in '{name}'{lacking}"
    return QuerySet(names, member, labels, path, message)


def _queries_of_list(path: Path, ids: Sequence[str], models: ModelSet) -> QuerySet:
    """Queries of a list of ids, with the classes of the models if they are models."""
    member = models.index.indices_of(ids)
    if np.any(member < 0) or len(np.unique(member)) < len(ids):
        return _queries_of_names(ids, models, path, f"{count_of(len(ids), 'query is', 'queries are')} listed")
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
    member = np.array([models.index.exact.get(name, NOT_A_MEMBER) for name in table.ids], np.int32)
    same = models.tree is not None and bool(np.all(member >= 0)) and np.array_equal(models.tree.labels[member], labels)
    if not same:
        member[:] = NOT_A_MEMBER
    return QuerySet(table.ids, member, labels, table.path, _models_and_classes(table, "query", "queries"))


#: Number of queries whose ids are compared with other spellings of those of models, 20 μs each.
MAX_SAMPLED_QUERIES = 1000


def _queries_of_names(
    ids: Sequence[str], models: ModelSet, source: Path | None, description: str, *, check_members: bool = True
) -> QuerySet:
    member = np.array([models.index.exact.get(name, NOT_A_MEMBER) for name in ids], np.int32)
    doubt = _doubt_of_members(ids, models.index) if check_members and np.any(member < 0) else ""
    if not check_members or np.any(member < 0):
        member[:] = NOT_A_MEMBER
    return QuerySet(ids, member, np.full(len(ids), NO_CLASS, np.int32), source, description, doubt=doubt)


def _doubt_of_members(ids: Sequence[str], index: IdIndex) -> str:
    """Text for a warning if most of the ids, of which some are no models, are those of models; else ""."""
    sample = ids[:: max(1, len(ids) // MAX_SAMPLED_QUERIES)]
    spellings = (EXACT, *(rule for rule, _ in NORMALISATIONS))
    known = [name for name in sample if (match := index.match(name)).index >= 0 and match.rule in spellings]
    if len(known) <= len(sample) / 2:
        return ""
    other = next(name for name in ids if name not in index.exact)
    near = index.match(other).index
    what = "is that of none" if near < 0 else f"is only similar, to '{index.ids[near]}'"
    return f"most queries have the id of a model, but '{other}' {what}"


def _collection_as_queries(models: ModelSet) -> QuerySet:
    count = len(models.ids)
    labels = models.tree.labels if models.tree is not None else np.full(count, NO_CLASS, np.int32)
    return QuerySet(
        models.ids, np.arange(count, dtype=np.int32), labels, models.source, "the collection queries itself"
    )
