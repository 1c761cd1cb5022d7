"""Which table is the collection and which the queries: one matrix that does not fit does not change that."""

import numpy as np
import pytest
from made_folders import IDS, NATURAL, QUERIES, cla, distances, npy, order, query_classes, write

from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import read_benchmark


def asking() -> str:
    """Classification of the queries."""
    classes = query_classes()
    names = sorted(set(classes.values()))
    ids = [query for name in names for query in QUERIES if classes[query] == name]
    return cla([(name, "0", sum(own == name for own in classes.values())) for name in names], ids)


def plain() -> str:
    """Classification of the models, without parents."""
    counts = [("cat", 5), ("dog", 4), ("cup", 6), ("mug", 3), ("jar", 6)]
    return cla([(name, "0", count) for name, count in counts], IDS)


NAMES = {
    "of the field": ("SHREC13_SBR_Model.cla", "SHREC13_SBR_Sketch_Test.cla"),
    "letters": ("t.cla", "q.cla"),
    "words": ("targets.cla", "queries.cla"),
}
MATRICES = {
    "turned": distances(QUERIES, NATURAL).T,
    "cut": distances(QUERIES, NATURAL)[:, :-3],
    "twice": np.concatenate([distances(QUERIES, NATURAL)] * 2)[:, :20],
    "none": None,
}


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("matrix", MATRICES)
def test_table_names_precede_a_matrix_that_does_not_fit(names, matrix, tmp_path):
    models, queries = NAMES[names]
    files: dict[str, str | bytes] = {models: plain(), queries: asking()}
    if MATRICES[matrix] is not None:
        files["a.npy"] = npy(MATRICES[matrix])
    benchmark = read_benchmark(write(tmp_path, files))
    assert (benchmark.collection.ids, set(benchmark.queries.ids)) == (IDS, set(QUERIES))
    assert benchmark.assessment is not None
    errors = [finding.file for finding in benchmark.findings if finding.severity is Severity.ERROR]
    assert errors == (["a.npy"] if matrix in ("cut", "twice") else [])
    assert [run.name for run in benchmark.runs] == (["a"] if matrix == "turned" else [])


def test_ids_precede_a_transposed_matrix(tmp_path):
    files: dict[str, str | bytes] = {"a.cla": plain(), "b.cla": asking(), "M.npy": npy(distances(QUERIES, NATURAL).T)}
    files |= {f"A1/{query}": "".join(f"{name}\n" for name in order(query)) for query in QUERIES}
    benchmark = read_benchmark(write(tmp_path, files))
    assert (len(benchmark.collection), len(benchmark.queries)) == (24, 12)
    assert [run.name for run in benchmark.runs] == ["A1", "M"]


def test_decision_by_rows_is_reported(tmp_path):
    files: dict[str, str | bytes] = {"a.cla": plain(), "b.cla": asking(), "M.npy": npy(distances(QUERIES, NATURAL).T)}
    benchmark = read_benchmark(write(tmp_path, files))
    assert (len(benchmark.collection), len(benchmark.queries)) == (12, 24)
    (reported,) = [finding for finding in benchmark.findings if finding.file == "a.cla" and finding.action]
    assert reported.severity is Severity.WARNING
    assert reported.message == "as many queries as rows of a matrix (24), and fewer models"
    assert reported.action_with_option.startswith(
        "these are the queries; otherwise these are the models, those of 'b.cla' the queries, and the matrix is "
        "transposed; to read it so: --queries b.cla --classification a.cla"
    )
