"""Another assessment of an open benchmark, from a file of relevance levels or of classes."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import NO_CLASS, Assessment, Benchmark, Classification, Finding, FormatError
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of, join_some
from shrec_viewer.formats.core.ids import IdIndex
from shrec_viewer.formats.discovery.reading import read_truth
from shrec_viewer.formats.truth.class_tables import LabelTable
from shrec_viewer.formats.truth.qrels import (
    LEVEL_RULES,
    QrelsFile,
    assessment_from_classes,
    assessment_from_label_sets,
    assessment_from_qrels,
    labels_from_relevant,
)

#: Smallest share of the models of a class file that the benchmark must contain: fewer are those of another contest.
MIN_KNOWN_SHARE = 0.5


def read_assessment(path: Path, benchmark: Benchmark) -> tuple[Assessment, tuple[Finding, ...]]:
    """The assessment of a file for the queries and models of a benchmark, and findings.

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
    content = read_truth(path, *kinds)
    log.extend(content.findings)
    if isinstance(content, LabelTable):
        return _from_classes(content, benchmark, queries, models, log), log.findings
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
        return assessment_from_label_sets(table, table, models, benchmark.queries.ids, benchmark.queries.member)
    log.info(table.path, "the relevance follows from the classes", LEVEL_RULES[table.graded])
    return assessment_from_classes(tree, of_queries, table.graded)


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
        found = np.where(found < 0, labels_from_relevant(benchmark.assessment, tree), found)
    return found
