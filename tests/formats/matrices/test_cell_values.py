"""Numbers of matrices that are no plain distances: ranked model numbers, ranks, halves, and turned matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from made_folders import IDS, NATURAL, QUERIES, benchmark_files, cla, distances, matrix_text, npy, write

from shrec_viewer.domain import Severity
from shrec_viewer.formats.core.read_choices import CELL_VALUES
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.manifest.parts import BenchmarkParts
from shrec_viewer.formats.matrices.interpretation import permutation_base, ranks_from_model_numbers
from shrec_viewer.formats.preview.preview import preview

COLUMNS = 5
"""Of a list that is cut: fewer numbers than a quarter of those expected."""

ALONE = {"classes.cla": cla()}


def lists(benchmark):
    """Names of the models in the order of each query's row."""
    (run,) = benchmark.runs
    ranking = run.ranking
    rows = np.argsort(ranking.values[ranking.rows], axis=1, kind="stable")
    return [[benchmark.collection.ids[ranking.columns[column]] for column in row] for row in rows]


def ranked(rows, columns, base=0):
    """Numbers of the models, best first; and their names."""
    values = distances(rows, columns)
    order = np.argsort(values, axis=1, kind="stable")
    return order + base, [[columns[place] for place in row] for row in order]


def warnings(benchmark):
    return [(f.message, f.action_with_option) for f in benchmark.findings if f.severity is Severity.WARNING]


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("write_as", [npy, lambda values: matrix_text(values)])
def test_rows_that_begin_with_their_own_number_are_model_numbers(base, write_as, tmp_path):
    numbers, names = ranked(IDS, IDS, base)
    manifest = '[[runs]]\npath = "A.npy"\norder = "classification"\n'
    files = {**ALONE, "A.npy": write_as(numbers), "benchmark.toml": manifest}
    benchmark = read_benchmark(write(tmp_path, files))
    assert lists(benchmark) == names
    ((message, action),) = warnings(benchmark)
    query_names = "ranked model numbers, or the rank of each model?"
    assert message == f"each row is a permutation of the numbers {base} to {base + 23}: {query_names}"
    assert action == (
        f"read as model numbers from {base}, best first (AP 1.000), because each row begins with its own number; "
        "otherwise distances, or ranks of the models (AP 0.455); to read it so: --matrix-cells distances, or in "
        'benchmark.toml below line 1:\n    cells = "distances"'
    )


@pytest.mark.parametrize("base", [0, 1])
def test_ranks_are_known_by_the_diagonal(base, tmp_path):
    values = distances(IDS, IDS)
    ranks = np.argsort(np.argsort(values, axis=1, kind="stable"), axis=1) + base
    manifest = '[[runs]]\npath = "A.npy"\norder = "classification"\n'
    benchmark = read_benchmark(write(tmp_path, {**ALONE, "A.npy": npy(ranks), "benchmark.toml": manifest}))
    assert lists(benchmark) == ranked(IDS, IDS)[1]
    ((_, action),) = warnings(benchmark)
    assert action.startswith(
        "read as distances, or ranks of the models (AP 1.000), because each model has the first rank in its own row; "
    )
    assert f'cells = "models from {base}"' in action


@pytest.mark.parametrize("is_ranked", [True, False])
def test_the_truth_tells_where_queries_are_no_models(is_ranked, tmp_path):
    numbers, names = ranked(QUERIES, NATURAL)
    values = numbers if is_ranked else np.argsort(numbers, axis=1)
    manifest = '[[runs]]\npath = "A.npy"\norder = "names"\n'
    files = {**benchmark_files(), "A.npy": npy(values), "benchmark.toml": manifest}
    benchmark = read_benchmark(write(tmp_path, files))
    assert lists(benchmark) == names
    ((_, action),) = warnings(benchmark)
    reading = "model numbers from 0, best first" if is_ranked else "distances, or ranks of the models"
    reason = "because the mean relative rank of relevant models is then"
    assert action.startswith(f"read as {reading} (AP 0.875), {reason}")


def test_permutations_are_model_numbers_without_evidence(tmp_path):
    random = np.random.default_rng(5)
    values = np.array([random.permutation(24) for _ in QUERIES])
    files = {**benchmark_files(), "A.npy": npy(values)}
    benchmark = read_benchmark(write(tmp_path, files))
    ranking = benchmark.runs[0].ranking
    assert np.array_equal(np.argsort(ranking.values, axis=1), values)
    assert any("because that is the usual case; otherwise distances" in action for _, action in warnings(benchmark))
    for cells in (CELL_VALUES[0], CELL_VALUES[2]):
        benchmark = read_benchmark(tmp_path, BenchmarkParts(read_options=ReadOptions(cells=cells)))
        found = benchmark.runs[0].ranking.values
        assert np.array_equal(found if cells == CELL_VALUES[0] else np.argsort(found, axis=1), values)
        assert not any("a permutation of the numbers" in message for message, _ in warnings(benchmark))
    benchmark = read_benchmark(tmp_path, BenchmarkParts(read_options=ReadOptions(cells=CELL_VALUES[1])))
    assert benchmark.runs == ()
    (error,) = [finding for finding in benchmark.findings if finding.severity is Severity.ERROR]
    assert error.message == "its rows are not permutations of the numbers from 1 on, as 'models from 1' requires"


def test_preview_offers_the_meaning_of_the_numbers(tmp_path):
    numbers, _ = ranked(IDS, IDS, 1)
    benchmark = read_benchmark(write(tmp_path, {**ALONE, "A.npy": npy(numbers)}))
    found = preview(tmp_path / "A.npy", DETECT_ALL, benchmark)
    (question,) = [question for question in found.questions if question.key == "cells"]
    assert (question.chosen, question.is_sure) == ("models from 1", False)
    assert [option.is_available for option in question.alternatives] == [True, True, False, True]
    reported = preview(tmp_path / "A.npy", ReadOptions(cells="distances"), benchmark)
    (question,) = [question for question in reported.questions if question.key == "cells"]
    assert (question.chosen, question.is_sure) == ("distances", True)


def test_truncated_model_numbers_of_other_queries_are_reported(tmp_path):
    numbers, _ = ranked(QUERIES, NATURAL, 1)
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "runs/A.npy": npy(numbers[1:, :COLUMNS])}))
    assert benchmark.runs == ()
    (error,) = [finding for finding in benchmark.findings if finding.severity is Severity.ERROR]
    assert "a matrix of 11 x 5" in error.message


def test_square_arrays_can_be_read_as_vectors(tmp_path):
    benchmark = read_benchmark(write(tmp_path, {**ALONE, "A.npy": npy(distances(IDS, IDS))}))
    metrics = []
    for options, chosen in ((DETECT_ALL, "distances"), (DETECT_ALL.with_option("cells", "vectors"), "vectors")):
        questions = {question.key: question for question in preview(tmp_path / "A.npy", options, benchmark).questions}
        assert (questions["cells"].chosen, questions["cells"].is_sure) == (chosen, True)
        assert [option.is_available for option in questions["cells"].alternatives] == [True, False, False, True]
        metrics.append("metric" in questions)
    assert metrics == [False, True]


@given(st.integers(4, 9), st.integers(1, 5), st.sampled_from([0, 1]), st.randoms(use_true_random=False))
def test_ranks_of_model_numbers_sort_back_into_them(columns, rows, base, random):
    values = np.array([random.sample(range(base, base + columns), columns) for _ in range(rows)], np.float64)
    assert permutation_base(values) == base
    assert np.array_equal(np.argsort(ranks_from_model_numbers(values), axis=1) + base, values)


@given(arrays(np.float64, (4, 5), elements=st.integers(0, 6).map(float)))
def test_other_rows_are_no_orders(values):
    if any(len(set(row)) < 5 for row in values.tolist()):
        assert permutation_base(values) is None


@pytest.mark.parametrize("half", [np.triu, np.tril])
@pytest.mark.parametrize("diagonal", [True, False])
def test_triangular_matrix_is_completed_with_finding(half, diagonal, tmp_path):
    values = distances(IDS, IDS)
    values = (values + values.T) / 2
    if not diagonal:
        values += np.eye(24)
    benchmark = read_benchmark(write(tmp_path, {**ALONE, "A.npy": npy(half(values))}))
    assert np.array_equal(benchmark.runs[0].ranking.values, values)
    side = "above" if half is np.triu else "below"
    assert f"only the triangle {side} the diagonal is filled, the other one is 0" in [
        message for message, _ in warnings(benchmark)
    ]


def test_condensed_matrix_is_completed_with_finding(tmp_path):
    values = distances(IDS, IDS)
    values = (values + values.T) / 2
    benchmark = read_benchmark(write(tmp_path, {**ALONE, "A.npy": npy(values[np.triu_indices(24, 1)])}))
    assert np.array_equal(benchmark.runs[0].ranking.values, values)
    message = "276 numbers, as many as above the diagonal of 24 x 24"
    assert (message, "read as a triangle of a symmetric matrix, row by row") in warnings(benchmark)


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize("side", ["below", "above"])
def test_triangle_of_lines_is_completed_with_finding(side, diagonal, tmp_path):
    values = distances(IDS, IDS)
    values = np.round(values + values.T, 6)
    cuts = {"below": lambda row: slice(0, row + diagonal), "above": lambda row: slice(row + 1 - diagonal, None)}
    lines = [" ".join(f"{far:.6f}" for far in line[cuts[side](row)]) for row, line in enumerate(values)]
    benchmark = read_benchmark(write(tmp_path, {**ALONE, "A.txt": "\n".join(filter(None, lines)) + "\n"}))
    assert np.array_equal(benchmark.runs[0].ranking.values, values)
    count, more = (300, ", and on it") if diagonal else (276, "")
    message = f"{count} numbers, as many as {side} the diagonal of 24 x 24{more}"
    (reported,) = [text for text, _ in warnings(benchmark) if "numbers" in text]
    assert reported == message


def test_lines_of_other_lengths_are_an_error(tmp_path):
    words = [f"{far:.6f}" for far in distances(IDS, IDS).reshape(-1)[:300]]
    text = "\n".join(" ".join(words[start : start + 7]) for start in range(0, 300, 7)) + "\n"
    benchmark = read_benchmark(write(tmp_path, {**ALONE, "A.txt": text}))
    assert benchmark.runs == ()
    (error,) = [finding for finding in benchmark.findings if finding.severity is Severity.ERROR]
    assert error.message.endswith("this is one triangle with the diagonal, but all 24 x 24 values are needed")


def test_transposed_matrix_is_read_with_finding(tmp_path):
    manifest = '[[runs]]\npath = "A.txt"\norder = "names"\n'
    files = {**benchmark_files(), "A.txt": matrix_text(distances(QUERIES, NATURAL).T), "benchmark.toml": manifest}
    benchmark = read_benchmark(write(tmp_path, files))
    assert lists(benchmark) == ranked(QUERIES, NATURAL)[1]
    assert warnings(benchmark) == [
        (
            "a matrix of 24 x 12, the transpose of 12 x 24 (queries x models)",
            "read transposed: its columns are the queries",
        )
    ]


def test_order_and_direction_are_judged_together(tmp_path):
    """Similarities in an order that is not the usual one: only the far end of the lists tells."""
    files = {**benchmark_files(), "A.txt": matrix_text(-distances(QUERIES, IDS))}
    benchmark = read_benchmark(write(tmp_path, files))
    order, direction = warnings(benchmark)
    assert "the mean relative rank of relevant models from the end of the lists is" in order[0]
    assert order[1].startswith("columns: order of the classification")
    assert "--order names" in order[1]
    assert direction[0].endswith("worse than by chance")
    assert "--similarity" in direction[1]
    reported = read_benchmark(tmp_path, BenchmarkParts(read_options=ReadOptions(similarity=True)))
    assert lists_by_similarity(reported) == ranked(QUERIES, IDS)[1]


def lists_by_similarity(benchmark):
    (run,) = benchmark.runs
    assert run.ranking.similarity
    rows = np.argsort(-run.ranking.values[run.ranking.rows], axis=1, kind="stable")
    return [[benchmark.collection.ids[run.ranking.columns[column]] for column in row] for row in rows]
