"""Every value of the re-created contest of 2006 against the reference program of the data."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from independent_loaders import data_folder, load_shrec06

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import find_profile

LEVELS = {"highly": "(rel=2)", "relevant": "", "graded": ""}


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    return load_shrec06()


@pytest.fixture(scope="module")
def scores(benchmark: Benchmark) -> Scores:
    return evaluate(benchmark, find_profile("shrec2006"))


@pytest.fixture(scope="module")
def reference() -> list[tuple[str, str, str, float]]:
    """(run, query or mean, key, value) of every row of the file."""
    rows = []
    with (data_folder("shrec06") / "shrec2006_measures.csv").open() as file:
        for row in csv.DictReader(file):
            name, _, cutoff = row["measure"].partition("@")
            key = name + LEVELS[row["level"]] + (f"@{cutoff}" if cutoff else "")
            rows.append((row["run"], row["query"], key, float(row["value"])))
    return rows


def test_reference_covers_every_run_query_and_column(scores, reference):
    assert len(reference) == 15938
    assert {key for _, _, key, _ in reference} == {measure.key for measure in scores.measures}
    assert {run for run, _, _, _ in reference} == set(scores.runs)


def test_every_query_value(scores, reference):
    compared = 0
    for run, query, key, expected in reference:
        if query in scores.queries:
            found = scores.values[scores.run_index(run), scores.queries.index(query), scores.column(key)]
            assert found == pytest.approx(expected, abs=1e-8), (run, query, key)
            compared += 1
    assert compared == (13 * 30 - 2) * 39
    assert int(np.isnan(scores.values).sum()) == 2 * 39  # K2 answers neither Q07 nor Q23


@pytest.mark.parametrize(("row", "missing_query"), [("mean", "zero"), ("mean_present", "skip")])
def test_every_mean(benchmark, reference, row, missing_query):
    profile = replace(find_profile("shrec2006"), missing_query=missing_query)
    scores = evaluate(benchmark, profile)
    means = scores.mean()
    compared = 0
    for run, query, key, expected in reference:
        if query == row:
            assert means[scores.run_index(run), scores.column(key)] == pytest.approx(expected, abs=1e-8), (run, key)
            compared += 1
    assert compared == 13 * 31


def test_missing_queries_are_named(scores):
    k2 = scores.run_index("K2")
    assert [scores.queries[q] for q in np.flatnonzero(scores.missing[k2])] == ["Q07", "Q23"]
    assert int(scores.missing.sum()) == 2


def test_the_random_run_is_recognised_by_its_ranks(scores):
    assert [scores.runs[run] for run in scores.random_runs] == ["R1"]
