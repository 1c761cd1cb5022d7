"""Build relevance levels from qrels or classes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import NO_CLASS, Assessment, ClassAssessment, Classification, PairAssessment
from shrec_viewer.formats.core.findings_log import UNDECIDED, FindingsLog, count_of, join_some
from shrec_viewer.formats.core.ids import IdIndex
from shrec_viewer.formats.io.tables import TextTable, read_query_classes
from shrec_viewer.formats.truth.qrels import QrelsFile

SISTER_CLASSES = "sister-classes"


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
    zero_indptr, zeros = _zero_pairs(file, query_of, items, len(queries))
    return PairAssessment(indptr, models, level, zero_indptr, zeros)


def _zero_pairs(
    file: QrelsFile, query_of: NDArray[np.int32], items: IdIndex, n_queries: int
) -> tuple[NDArray[np.int64] | None, NDArray[np.int32] | None]:
    """Models judged not relevant, as compressed sparse rows; None where the file has no level 0."""
    if not len(file.zero_query):
        return None, None
    query, models = query_of[file.zero_query].astype(np.int64), items.indices_of(file.zero_models).astype(np.int64)
    known = (query >= 0) & (models >= 0)
    cells = np.unique(query[known] * len(items) + models[known])
    rows = np.searchsorted(cells, np.arange(n_queries + 1) * len(items))
    return rows.astype(np.int64), (cells % max(len(items), 1)).astype(np.int32)


def labels_from_relevant(assessment: PairAssessment, tree: Classification) -> NDArray[np.int32]:
    """Class of each query, (Q,) int32: the class of its most relevant models; -1 if they have several."""
    labels = np.full(len(assessment), NO_CLASS, np.int32)
    for query in range(len(assessment)):
        items, level = assessment.relevant(query)
        if len(items):
            classes = np.unique(tree.labels[items[level == level.max()]])
            if len(classes) == 1:
                labels[query] = classes[0]
    return labels


def labels_from_tables(
    tables: Sequence[TextTable], ids: Sequence[str], tree: Classification, findings_log: FindingsLog
) -> NDArray[np.int32]:
    """Class of each query, (Q,) int32, from the first table with a column of queries and one of classes; else -1."""
    label_of = {name: label for label, name in enumerate(tree.names)}
    for table in tables:
        found = read_query_classes(table, set(ids), set(tree.names))
        if found:
            findings_log.info(
                table.path, "a column contains the queries, another their classes", "used as classes of the queries"
            )
            return np.array([label_of[found[name]] for name in ids], np.int32)
    return np.full(len(ids), NO_CLASS, np.int32)


LEVEL_RULES = {
    "same": "models of the query's class are relevant",
    "sisters": "level 2 is the query's class, level 1 its sister classes",
    "shapenet": "level 3 is the query's subsynset, 2 models labelled with its synset only, 1 others of its synset",
}
"""Text for findings of each value of `LabelTable.graded`."""


def assessment_from_classes(tree: Classification, labels: NDArray[np.int32], graded: str) -> Assessment:
    """Levels derived from classes; see `LabelTable.graded`."""
    return ClassAssessment(tree, labels, "synsets" if graded == "shapenet" else graded == "sisters")


def choose_qrels(found: Sequence[QrelsFile], items: IdIndex, findings_log: FindingsLog) -> QrelsFile | None:
    """Select the assessment with the largest share of known models; of equals the first that is not for training.

    The others are reported as findings.
    """
    if not found:
        return None
    known_share = {id(file): items.share(file.models) if len(items) else 1.0 for file in found}
    chosen = max(found, key=lambda file: (known_share[id(file)], "train" not in file.path.name.lower()))
    for file in found:
        if file is not chosen:
            setting = findings_log.file_setting("assessment", "qrels", "assessment", file.path)
            action = f"'{findings_log.name_of(chosen.path)}' is used; to use this one"
            message = "a second relevance assessment"
            findings_log.warning(file.path, message, action, key=UNDECIDED, setting=setting)
    return chosen


def log_queries_without_relevant(
    assessment: Assessment, ids: Sequence[str], qrels_file: QrelsFile | None, findings_log: FindingsLog
) -> None:
    """Report queries without relevant models in one finding."""
    empty = [name for query, name in enumerate(ids) if not len(assessment.relevant(query)[0])]
    if empty:
        message = f"{count_of(len(empty), 'query has', 'queries have')} no relevant model: {join_some(empty)}"
        path = qrels_file.path if qrels_file is not None else findings_log.root
        findings_log.warning(path, message, "their measures are undefined")
