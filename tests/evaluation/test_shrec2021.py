"""Submissions of 2021, two of them with many ties, against the published numbers."""

import re
from dataclasses import replace

import numpy as np
import pytest
from independent_loaders import data_folder, load_culture

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.evaluate import evaluate, evaluate_ties
from shrec_viewer.metrics import find_profile

TEXTBOOK = {"NN": "NN", "FT": "FT", "ST": "ST", "E32": "E@32", "DCG": "NDCG", "AP": "AP"}
"""Names in the file after the word std, and ours."""

OFFICIAL = {"NN": "NN", "FT": "FT", "ST": "ST", "mAP": "AP", "NDCG": "NDCG"}
"""Names in the file after the word off, and ours."""


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    return load_culture()


@pytest.fixture(scope="module")
def reference() -> dict[str, tuple[dict[str, str], dict[str, str]]]:
    """For each run the organisers' numbers and the textbook's."""
    found = {}
    for line in (data_folder("shrec2021_culture") / "reference_scores.txt").read_text().splitlines()[1:]:
        name, official, textbook = re.match(r"Culture (\S+)\.txt +off (.*) \| std (.*) \| uniq", line).groups()
        found[name] = tuple(dict(re.findall(r"(\w+) ([\d.]+)", part)) for part in (official, textbook))
    return found


def assert_prints(means: np.ndarray, runs, expected, keys) -> None:
    for run, name in enumerate(runs):
        for column, key in enumerate(keys):
            assert f"{means[run, column]:.4f}" == expected[name][key], (name, key)


def test_textbook_measures_to_the_printed_digits(benchmark, reference):
    """Ties rank by column there, while SHREC 2012 itself ranks them by the classification."""
    profile = replace(find_profile("shrec2012"), ties="file")
    scores = evaluate(benchmark, profile, measures=list(TEXTBOOK.values()))
    assert set(scores.runs) == set(reference)
    assert_prints(scores.mean(), scores.runs, {name: row[1] for name, row in reference.items()}, TEXTBOOK)


def test_official_numbers_to_the_printed_digits(benchmark, reference):
    scores = evaluate(benchmark, find_profile("shrec2021"), measures=list(OFFICIAL.values()))
    assert len(scores.runs) == len(reference) == 6
    assert_prints(scores.mean(), scores.runs, {name: row[0] for name, row in reference.items()}, OFFICIAL)


def test_textbook_means_follow_the_official_ones(benchmark, reference):
    """NN, both tiers and average precision are those of the textbook; the discount stays that of the contest."""
    scores = evaluate(benchmark, find_profile("shrec2021"), measures=["NN", "FT", "ST", "AP"])
    mended = scores.textbook()
    assert mended.profile.key == "shrec2021-textbook"
    assert mended.textbook() is None
    expected = {name: row[1] for name, row in reference.items()}
    assert_prints(mended.mean(), mended.runs, expected, ["NN", "FT", "ST", "AP"])


def walk(relevant: list[int], size: int) -> dict[str, float]:
    """One query as the organisers' program goes through it: down the list until all relevant models are found."""
    found = {"NN": float(relevant[0]), "FT": 1.0, "ST": 1.0, "AP": 0.0}
    seen = 0
    for rank, hit in enumerate(relevant, 1):
        if seen == size:
            break
        seen += hit
        found["AP"] += hit * seen / rank
        if rank == size:
            found["FT"] = (seen + 1) / rank
        if rank == 2 * size:
            found["ST"] = (seen + 1) / rank
    gain = sum((2**hit - 1) / np.log2(rank + 1) for rank, hit in enumerate(relevant, 1))
    ideal = sum((2**hit - 1) / np.log2(rank + 1) for rank, hit in enumerate(sorted(relevant, reverse=True), 1))
    return found | {"AP": found["AP"] / size, "NDCG": gain / ideal}


def test_every_query_equals_the_official_program(benchmark):
    keys = ["NN", "FT", "ST", "AP", "NDCG"]
    scores = evaluate(benchmark, find_profile("shrec2021"), measures=keys)
    labels, classes = benchmark.classification.labels, benchmark.queries.labels
    for run, name in enumerate(scores.runs):
        matrix = benchmark.run(name).ranking
        for query, label in enumerate(classes):
            distances = matrix.values[matrix.rows[query]].tolist()
            order = sorted(range(448), key=distances.__getitem__)
            is_relevant = (labels[matrix.columns] == label).astype(int).tolist()
            relevant = [is_relevant[column] for column in order]
            expected = walk(relevant, int((labels == label).sum()))
            found = dict(zip(keys, scores.values[run, query], strict=True))
            assert found == pytest.approx(expected, abs=1e-12), (name, query)


def test_first_tier_exceeds_one_with_a_note(benchmark):
    scores = evaluate(benchmark, find_profile("shrec2021"), measures=["FT"])
    assert scores.values.max() > 1
    assert scores.values.max() <= scores.measures[0].range_under(scores.profile)[1]


def test_published_eleven_points(benchmark):
    scores = evaluate(benchmark, find_profile("shrec2021"), runs=["TL.run3"], measures=[])
    published = [0.877, 0.867, 0.864, 0.863, 0.861, 0.860, 0.858, 0.853, 0.849, 0.840, 0.822]
    np.testing.assert_array_equal(scores.curve("PR11", 0, None).y.round(3), published)


def test_range_over_the_order_of_ties(benchmark):
    """The nearest neighbours of MVCNN.run1 depend on the order of columns; the six ties of TL.run3 have no effect."""
    found = evaluate_ties(benchmark, find_profile("shrec2021"), runs=["MVCNN.run1", "TL.run3"], measures=["NN", "AP"])
    low, high = found.mean()
    actual = found.actual.mean()
    assert np.all(low <= actual)
    assert np.all(actual <= high)
    assert high[0, 0] - low[0, 0] > 0.5
    np.testing.assert_array_equal(low[1], high[1])
    tied = [int(anomalies.tied.sum()) for anomalies in found.actual.anomalies]
    assert tied[0] > 10_000
    assert tied[1] == 6
