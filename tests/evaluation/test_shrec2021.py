"""Real submissions of 2021, with massive ties in two of them, against the numbers computed beside them."""

import re
from dataclasses import replace

import numpy as np
import pytest
from independent_loaders import data_folder, load_culture

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.metrics import find_profile

TEXTBOOK = {"NN": "NN", "FT": "FT", "ST": "ST", "E32": "E@32", "DCG": "NDCG", "AP": "AP"}
"""Names in the file after the word std, and ours."""


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


def test_textbook_measures_to_the_printed_digits(benchmark, reference):
    scores = evaluate(benchmark, find_profile("shrec2012"), measures=list(TEXTBOOK.values()))
    assert set(scores.runs) == set(reference)
    for run, name in enumerate(scores.runs):
        for column, printed in enumerate(reference[name][1][key] for key in TEXTBOOK):
            assert f"{scores.mean()[run, column]:.4f}" == printed, (name, scores.measures[column].key)


def test_the_organisers_own_numbers_where_they_follow_a_convention_of_ours(benchmark, reference):
    profile = replace(find_profile("default"), discount="log2(i+1)")
    scores = evaluate(benchmark, profile, measures=["NN", "AP", "NDCG"])
    for run, name in enumerate(scores.runs):
        for column, key in enumerate(["NN", "mAP", "NDCG"]):
            assert f"{scores.mean()[run, column]:.4f}" == reference[name][0][key], (name, key)


def test_published_eleven_points(benchmark):
    scores = evaluate(benchmark, find_profile("default"), runs=["TL.run3"], measures=[])
    published = [0.877, 0.867, 0.864, 0.863, 0.861, 0.860, 0.858, 0.853, 0.849, 0.840, 0.822]
    np.testing.assert_array_equal(scores.curve("PR11", 0, None).y.round(3), published)
