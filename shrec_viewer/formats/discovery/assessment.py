"""The relevance assessment of a benchmark, from levels or classes; and another one of an open benchmark."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import (
    NO_CLASS,
    Assessment,
    Benchmark,
    ClassAssessment,
    Classification,
    Finding,
    FormatError,
    PairAssessment,
)
from shrec_viewer.formats.core.decisions import Alternative, Decision
from shrec_viewer.formats.core.findings_log import OWN_ONLY, OWN_ONLY_ACTION, FindingsLog, count_of, join_some
from shrec_viewer.formats.core.ids import IdIndex
from shrec_viewer.formats.discovery.ids_and_classes import ModelSet, QuerySet, TableRoles
from shrec_viewer.formats.discovery.reading import ReadFiles, read_truth
from shrec_viewer.formats.io.tables import TextTable
from shrec_viewer.formats.manifest.manifest import LevelOverrides, Manifest
from shrec_viewer.formats.truth.class_tables import LabelTable, log_similar_classes
from shrec_viewer.formats.truth.qrels import QrelsFile, qrels_of_columns

SISTER_CLASSES = "sister-classes"


#: Text for findings of each value of `LabelTable.graded`.
LEVEL_RULES = {
    "same": "models of the query's class are relevant",
    "sisters": "level 2 is the query's class, level 1 its sister classes",
    "shapenet": "level 3 is the query's subsynset, 2 models labelled with its synset only, 1 others of its synset",
}


def choose_qrels(files: ReadFiles, parts: Manifest, roles: TableRoles, findings_log: FindingsLog) -> QrelsFile | None:
    """Relevance levels: of the file that is named, else of the one with the largest share of known models.

    Of equals it is the first that is not for training. The others are reported as findings.
    """
    if parts.derive is not None:
        return None
    found, collection = files.named_qrels, roles.collection
    if parts.qrels is None and files.qrels:
        items = IdIndex(collection.ids if collection is not None else ())
        shares = {id(file): items.share(file.models) if len(items) else 1.0 for file in files.qrels}
        found = max(files.qrels, key=lambda file: (shares[id(file)], "train" not in file.path.name.lower()))
        for file in files.qrels:
            if file is not found:
                uses = (
                    Alternative("", f"'{findings_log.name_of(found.path)}' is used"),
                    Alternative(file.path, "this one"),
                )
                decision = Decision("assessment", uses, "", problem="a second relevance assessment")
                findings_log.decide(file.path, decision)
    if found is not None and collection is not None:
        found = _levels_of_classes(found, collection, roles.queries or collection)
    if found is None or found.shape is not None:  # see `with_ids`
        return found
    findings_log.extend(found.findings)
    message = (
        f"relevance of {count_of(len(found.models), 'pair')} for {count_of(len(found.queries), 'query', 'queries')}"
    )
    findings_log.info(found.path, message, "used as the relevance assessment")
    last, others = found.short_last_query()
    if others:
        message = f"the last query, '{found.queries[-1]}', has {last:,} assessed models, each other has {others:,}"
        findings_log.warning(found.path, f"{message}: the file may be truncated", "the others are not relevant")
    return found


def _levels_of_classes(file: QrelsFile, models: LabelTable, queries: LabelTable) -> QrelsFile:
    """Levels of queries and models from levels between their classes; unchanged if the file does not name classes."""
    names = {name: label for label, name in enumerate(models.names)}
    used = [models.names[label] for label in sorted({*models.labels.tolist()} - {-1})]
    if file.shape == (len(used), len(used)) != (len(queries.ids), len(models.ids)):
        file = file.with_ids(used, used)
    if file.shape or not {*file.queries, *file.models} <= {*names, *queries.names} or {*file.models} & {*models.ids}:
        return file
    levels: dict[str, list[tuple[str, int, int]]] = {}
    pairs = zip(file.query.tolist(), file.models, file.level.tolist(), file.lines.tolist(), strict=True)
    for query, model, level, line in pairs:
        levels.setdefault(file.queries[query], []).append((model, level, line))
    members = {name: np.flatnonzero(models.labels == label).tolist() for name, label in names.items()}
    found = [
        (query, models.ids[model], level, line)
        for query, label in enumerate(queries.labels.tolist())
        for name, level, line in (levels.get(queries.names[label], ()) if label >= 0 else ())
        for model in members.get(name, ())
    ]
    query_of, ids, level_of_pairs, lines = zip(*found, strict=True) if found else ((), (), (), ())
    pairs_of_ids = qrels_of_columns(file.path, queries.ids, query_of, ids, level_of_pairs, lines, file.findings)
    return replace(pairs_of_ids, profile=file.profile)


def with_ids(bare: QrelsFile, queries: Sequence[str], models: ModelSet, findings_log: FindingsLog) -> QrelsFile | None:
    """Levels of a matrix without ids in the order of queries and models; None, and an error, for another shape."""
    rows, columns = bare.shape or (0, 0)
    message = f"levels of {rows:,} x {columns:,} without ids"
    if (rows, columns) != (len(queries), len(models.ids)):
        expected = f"{len(queries):,} x {len(models.ids):,} is expected (queries x models)"
        findings_log.error(bare.path, f"{message}, but {expected}", "ignored")
        return None
    action = (
        f"used as the relevance assessment; rows are the queries in their order, columns models as in {models.listing}"
    )
    findings_log.info(bare.path, message, action)
    return bare.with_ids(queries, models.ids)


def assess(
    files: ReadFiles,
    parts: Manifest,
    roles: TableRoles,
    qrels: QrelsFile | None,
    models: ModelSet,
    query_set: QuerySet,
    findings_log: FindingsLog,
) -> tuple[NDArray[np.int32], Assessment | None]:
    """Classes of the queries, (Q,) int32, and the relevance assessment: from qrels, else from the classes."""
    labels = query_set.labels
    pairs = assessment_from_qrels(qrels, models.index, query_set.index, findings_log) if qrels is not None else None
    if models.tree is not None and not np.any(labels >= 0) and query_set.ids:
        labels = _labels_from_tables(files.side_tables, query_set.ids, models.tree, findings_log)
        if pairs is not None and not np.any(labels >= 0):
            labels = _labels_from_relevant(pairs, models.tree)
    elif pairs is not None and qrels is not None and models.tree is not None:
        _log_relevant_of_other_classes(pairs, labels, models.tree, query_set.ids, models.ids, qrels.path, findings_log)
    assessment: Assessment | None = pairs
    if pairs is None and _has_several_labels(roles, findings_log, parts.derive) and roles.collection is not None:
        of_queries = query_set.ids, query_set.member
        assessment = _assessment_from_label_sets(roles.collection, roles.queries, models.index, *of_queries)
    elif pairs is None and models.tree is not None and np.any(labels >= 0):
        rule = "sisters" if parts.derive == SISTER_CLASSES else "same"
        if parts.derive is None and roles.collection is not None:
            rule = roles.collection.graded
        assessment = _assessment_from_classes(models.tree, labels, rule)
        source = models.source or files.found.root
        findings_log.info(source, "the relevance follows from the classes", LEVEL_RULES[rule])
        if parts.levels:
            assessment = _with_levels(assessment, parts.levels, models, query_set, findings_log)
    if assessment is not None:
        path = qrels.path if qrels is not None else findings_log.root
        log_queries_without_relevant(assessment, query_set.ids, query_set.member, path, findings_log)
    if models.tree is not None:
        log_similar_classes(models.tree, labels, models.source or files.found.root, findings_log)
    return labels, assessment


def assessment_from_qrels(
    file: QrelsFile, items: IdIndex, queries: IdIndex, findings_log: FindingsLog
) -> PairAssessment:
    """Levels of a qrels file for the queries and models of a benchmark.

    Relevant models outside the collection are ignored, with an error, because recall changes.
    """
    query_of = np.array([queries.index_of(name) for name in file.queries], np.int32)
    query, models, level = query_of[file.query], items.indices_of(file.models), file.level
    unknown = np.flatnonzero(models < 0)
    if len(unknown):
        names = dict.fromkeys(file.models[index] for index in unknown.tolist())
        message = f"{count_of(len(names), 'relevant model is', 'relevant models are')} unknown: {join_some(names)}"
        line = int(file.lines[unknown[0]])
        findings_log.error(file.path, message, "left out, so recall is over the others", line=line)
    keep = np.flatnonzero((query >= 0) & (models >= 0))
    keep = keep[np.lexsort((models[keep], query[keep]))]
    query, models, level = query[keep], models[keep], level[keep]
    repeated = np.flatnonzero((query[1:] == query[:-1]) & (models[1:] == models[:-1])) + 1  # two spellings of one id
    query, models, level = np.delete(query, repeated), np.delete(models, repeated), np.delete(level, repeated)
    indptr = np.searchsorted(query, np.arange(len(queries) + 1)).astype(np.int64)
    if not len(file.zero_query):
        return PairAssessment(indptr, models, level, lists_relevant=True)
    zero_query, zeros = query_of[file.zero_query].astype(np.int64), items.indices_of(file.zero_models).astype(np.int64)
    known = (zero_query >= 0) & (zeros >= 0)
    cells, is_junk = (zero_query * len(items) + zeros)[known], file.is_junk[known]
    relevant = query.astype(np.int64) * len(items) + models
    of_zeros = _rows_of_cells(np.unique(cells), items, len(queries))
    of_junk = _rows_of_cells(np.setdiff1d(cells[is_junk], relevant), items, len(queries))
    return PairAssessment(indptr, models, level, *of_zeros, *(of_junk if np.any(is_junk) else ()))


def _rows_of_cells(
    cells: NDArray[np.int64], items: IdIndex, n_queries: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Compressed sparse rows of pairs, given as ``query * len(items) + model``, ascending."""
    rows = np.searchsorted(cells, np.arange(n_queries + 1) * len(items))
    return rows.astype(np.int64), (cells % max(len(items), 1)).astype(np.int32)


def _labels_from_relevant(assessment: Assessment, tree: Classification) -> NDArray[np.int32]:
    """Class of each query, (Q,) int32: the class of its most relevant models; -1 if they have several."""
    labels = np.full(len(assessment), NO_CLASS, np.int32)
    for query in range(len(assessment)):
        items, level = assessment.relevant(query)
        if len(items):
            classes = np.unique(tree.labels[items[level == level.max()]])
            if len(classes) == 1:
                labels[query] = classes[0]
    return labels


def _labels_from_tables(
    tables: Sequence[TextTable], ids: Sequence[str], tree: Classification, findings_log: FindingsLog
) -> NDArray[np.int32]:
    """Class of each query, (Q,) int32, from the first table with a column of queries and one of classes; else -1.

    Exactly one column contains each query once, and exactly one contains names of classes only.
    """
    label_of = {name: label for label, name in enumerate(tree.names)}
    for table in tables:
        columns = [table.column(index, header=True) for index in range(table.width)]
        keys = [cells for cells in columns if {*ids} <= {*cells} and len({*cells}) == len(cells)]
        values = [cells for cells in columns if cells and label_of.keys() >= {*cells}]
        if len(keys) == 1 and len(values) == 1 and len(ids):
            message = "a column contains the queries, another their classes"
            findings_log.info(table.path, message, "used as classes of the queries")
            found = dict(zip(keys[0], values[0], strict=True))
            return np.array([label_of[found[name]] for name in ids], np.int32)
    return np.full(len(ids), NO_CLASS, np.int32)


def _assessment_from_classes(tree: Classification, labels: NDArray[np.int32], graded: str) -> Assessment:
    """Levels derived from classes; see `LabelTable.graded`."""
    return ClassAssessment(tree, labels, "synsets" if graded == "shapenet" else graded == "sisters")


def _assessment_from_label_sets(
    models: LabelTable, queries: LabelTable | None, items: IdIndex, ids: Sequence[str], member: NDArray[np.int32]
) -> PairAssessment:
    """Level 1 for the models that share a label with a query.

    Parameters
    ----------
    models, queries : labels of the models and of the queries; other queries have those of their models.
    items : look-up of the models.
    ids, member : id of each query, and its model (Q,) or -1.
    """
    of_model: dict[int, tuple[str, ...]] = dict.fromkeys(range(-1, len(items)), ())
    of_model |= dict(zip(items.indices_of(models.ids).tolist(), models.sets_of_labels, strict=True)) | {-1: ()}
    of_query = {} if queries is None else dict(zip(queries.ids, queries.sets_of_labels, strict=True))
    members: dict[str, list[int]] = {}
    for model in range(len(items)):
        for label in of_model[model]:
            members.setdefault(label, []).append(model)
    sets = [of_query.get(name, of_model[own]) for name, own in zip(ids, member.tolist(), strict=True)]
    by_set = {
        labels: np.array(sorted({model for label in labels for model in members.get(label, ())}), np.int32)
        for labels in {*sets}
    }
    rows = [by_set[labels] for labels in sets]
    levels = [np.ones(len(row), np.uint8) for row in rows]
    return _assessment_of_rows(rows, levels)


def _assessment_of_rows(items: Sequence[NDArray[np.int32]], levels: Sequence[NDArray[np.uint8]]) -> PairAssessment:
    """An assessment from the relevant models of each query, ascending, and their levels."""
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in items])]).astype(np.int64)
    no_items, no_levels = np.zeros(0, np.int32), np.zeros(0, np.uint8)
    return PairAssessment(indptr, np.concatenate([no_items, *items]), np.concatenate([no_levels, *levels]))


def _has_several_labels(roles: TableRoles, findings_log: FindingsLog, derive: str | None) -> bool:
    """Whether relevance follows from labels of which an id may have several, with a finding for each table of them."""
    tables = [
        table for table in (roles.collection, roles.queries) if table is not None and table.label_sets is not None
    ]
    for table in tables:
        several = [labels for labels in table.sets_of_labels if len(labels) > 1]
        problem = f"{count_of(len(several), 'id has', 'ids have')} several labels, such as '{';'.join(several[0])}'"
        if derive == "classes":
            findings_log.info(table.path, problem, "the first one alone is the class (set explicitly)")
            continue
        shared = "relevant are models that share a label; the first one is the class in charts and means over classes"
        labels = Alternative("labels", shared), Alternative("classes", "it alone is the class")
        findings_log.decide(table.path, Decision("derive", labels, "labels", problem=problem))
    return bool(tables) and derive != "classes"


def _with_levels(
    assessment: Assessment, levels: LevelOverrides, models: ModelSet, query_set: QuerySet, findings_log: FindingsLog
) -> PairAssessment:
    """An assessment as pairs, with the levels that benchmark.toml sets for some queries.

    A name that is both a class and a model means the class. A name that is neither is an error finding.
    """
    file = findings_log.root / findings_log.manifest_name
    rows = dict(enumerate(map(assessment.relevant, range(len(assessment)))))
    changed, queries = 0, set[int]()
    for name, wanted in levels.items():
        query = query_set.index.index_of(name)
        if query < 0:
            findings_log.error(file, f"levels are set for '{name}', which is not a query", "ignored")
            continue
        before = np.zeros(len(models.ids), np.uint8)
        before[rows[query][0]] = rows[query][1]
        dense = before.copy()
        for word, level in wanted.items():
            if models.tree is not None and word in models.tree.names:
                dense[models.tree.members(models.tree.names.index(word))] = level
            elif (model := models.index.index_of(word)) >= 0:
                dense[model] = level
            else:
                message = f"'{query_set.ids[query]}' has a level for '{word}', which is neither a class nor a model"
                findings_log.error(file, message, "ignored")
        relevant = np.flatnonzero(dense).astype(np.int32)
        rows[query] = relevant, dense[relevant]
        changed += int((dense != before).sum())
        queries.add(query)
    if queries:
        message = f"{findings_log.manifest_name} sets levels for {count_of(len(queries), 'query', 'queries')}"
        findings_log.info(file, message, f"{count_of(changed, 'level')} changed")
    return _assessment_of_rows([items for items, _ in rows.values()], [level for _, level in rows.values()])


def log_queries_without_relevant(
    assessment: Assessment, ids: Sequence[str], member: NDArray[np.int32], path: Path, findings_log: FindingsLog
) -> None:
    """Report queries without relevant models, or with themselves as the only one, in one finding each.

    Parameters
    ----------
    member : (Q,) int32, the model that each query is, or -1.
    path : of the assessment.
    """
    empty, alone = [], []
    for query, (name, own) in enumerate(zip(ids, member.tolist(), strict=True)):
        found = assessment.relevant(query)[0]
        if not len(found):
            empty.append(name)
        elif len(found) == 1 and found[0] == own:
            alone.append(name)
    kinds = ((empty, "", "their measures are undefined", ""), (alone, " but itself", OWN_ONLY_ACTION, OWN_ONLY))
    for names, exception, action, key in kinds:
        if names:
            message = f"{count_of(len(names), 'query has', 'queries have')} no relevant model{exception}"
            findings_log.warning(path, f"{message}: {join_some(names)}", action, key=key)


def _log_relevant_of_other_classes(
    pairs: PairAssessment,
    labels: NDArray[np.int32],
    tree: Classification,
    queries: Sequence[str],
    models: Sequence[str],
    path: Path,
    findings_log: FindingsLog,
) -> None:
    """A warning if no relevant model is of the class of its query, though that class has models.

    Parameters
    ----------
    labels : (Q,) int32, class of each query, or -1.
    path : of the qrels.
    """
    query = np.repeat(np.arange(len(pairs)), np.diff(pairs.indptr))
    known = np.flatnonzero(np.isin(labels[query], tree.labels) & (labels[query] >= 0))
    own, found = labels[query[known]], tree.labels[pairs.items[known]]
    if not len(known) or np.any(own == found):
        return
    other = f"of '{tree.names[found[0]]}'" if found[0] >= 0 else "of none"
    message = f"none of its {count_of(len(known), 'pair')} is a query and a model of one class: the first is "
    message += (
        f"'{queries[query[known[0]]]}', of '{tree.names[own[0]]}', and '{models[pairs.items[known[0]]]}', {other}"
    )
    uses = Alternative("qrels", "used as they are"), Alternative("classes", "the classes instead")
    findings_log.decide(path, Decision("derive", uses, "qrels", problem=message), key="")


#: Smallest share of the models of a class file that the benchmark must contain: fewer are those of another contest.
MIN_KNOWN_SHARE = 0.5


def read_assessment(
    path: Path, benchmark: Benchmark, columns: str | None = None
) -> tuple[Assessment, tuple[Finding, ...]]:
    """The assessment of a file for the queries and models of a benchmark, and findings; `columns` as of `read_truth`.

    The file has relevance levels (qrels, a table of pairs) or classes of the models (``.cla``, a table). Queries that
    are not models have the class that the file lists for their ids; else that of the same name as in the benchmark;
    else that of their most relevant models.

    Raises
    ------
    FormatError
        If the file is neither, or names no query or model of the benchmark.
    """
    log = FindingsLog(benchmark.root)
    queries, models = IdIndex(benchmark.queries.ids), IdIndex(benchmark.collection.ids)
    kinds = (LabelTable,) if path.suffix.lower() == ".cla" else (LabelTable, QrelsFile)
    content = read_truth(path, *kinds, columns=columns)
    log.extend(content.findings)
    if isinstance(content, LabelTable):
        return _from_classes(content, benchmark, queries, models, log), log.findings
    if (tree := benchmark.classification) is not None:
        tables = (
            LabelTable(path, ids, labels, tree.names, tree.parents)
            for ids, labels in ((models.ids, tree.labels), (queries.ids, benchmark.queries.labels))
        )
        content = _levels_of_classes(content, *tables)
    if content.shape == (len(queries), len(models)):
        content = content.with_ids(queries.ids, models.ids)
    assessment = assessment_from_qrels(content, models, queries, log)
    if not len(assessment.items):
        raise FormatError(path, "has no relevant model of this benchmark for any of its queries")
    known = {queries.index_of(name) for name in content.queries}
    missing = [name for query, name in enumerate(benchmark.queries.ids) if query not in known]
    if missing:
        message = f"{count_of(len(missing), 'query has', 'queries have')} no levels: {join_some(missing)}"
        log.warning(path, message, "none of their models is relevant")
    return assessment, log.findings


def _from_classes(
    table: LabelTable, benchmark: Benchmark, queries: IdIndex, models: IdIndex, log: FindingsLog
) -> Assessment:
    rows = models.indices_of(table.ids)
    known = rows >= 0
    if known.sum() < MIN_KNOWN_SHARE * len(models):
        message = f"names classes of {int(known.sum()):,} of the {len(models):,} models of this benchmark"
        raise FormatError(table.path, message)
    labels = np.full(len(models), NO_CLASS, np.int32)
    labels[rows[known]] = table.labels[known]
    if (labels < 0).any():
        without = [benchmark.collection.ids[model] for model in np.flatnonzero(labels < 0).tolist()]
        message = f"{count_of(len(without), 'model has', 'models have')} no class: {join_some(without)}"
        log.warning(table.path, message, "relevant to no query")
    tree = Classification(labels, table.names, table.parents)
    of_queries = _labels_of_queries(table, benchmark, queries, tree)
    if (of_queries < 0).any():
        without = [benchmark.queries.ids[query] for query in np.flatnonzero(of_queries < 0).tolist()]
        message = f"{count_of(len(without), 'query has', 'queries have')} no class: {join_some(without)}"
        log.warning(table.path, message, "none of their models is relevant")
    if table.label_sets is not None:
        return _assessment_from_label_sets(table, table, models, benchmark.queries.ids, benchmark.queries.member)
    log.info(table.path, "the relevance follows from the classes", LEVEL_RULES[table.graded])
    return _assessment_from_classes(tree, of_queries, table.graded)


def _labels_of_queries(
    table: LabelTable, benchmark: Benchmark, queries: IdIndex, tree: Classification
) -> NDArray[np.int32]:
    """(Q,) int32, class of each query; -1 for none."""
    found = np.full(len(queries), NO_CLASS, np.int32)
    members = benchmark.queries.member
    found[members >= 0] = tree.labels[members[members >= 0]]
    if not (members >= 0).any():
        rows = queries.indices_of(table.ids)
        found[rows[rows >= 0]] = table.labels[rows >= 0]
    if benchmark.classification is not None:
        names = {name: label for label, name in enumerate(table.names)}
        for query in np.flatnonzero((found < 0) & (benchmark.queries.labels >= 0)).tolist():
            found[query] = names.get(benchmark.classification.names[benchmark.queries.labels[query]], NO_CLASS)
    if benchmark.assessment is not None:
        found = np.where(found < 0, _labels_from_relevant(benchmark.assessment, tree), found)
    return found
