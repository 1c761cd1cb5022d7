"""Sentences about what a change did to the means and the order of the runs, worked by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.text.consequences import consequence_text

NAN = float("nan")


def scored(values, key="AP"):
    """A document with these means over queries by name of the run."""
    names = list(values)
    scores = SimpleNamespace(
        measures=[SimpleNamespace(key=key)], runs=tuple(names), run_index=names.index, column=lambda _key: 0
    )
    return Document(scores=scores, means={"queries": np.array([[value] for value in values.values()])})


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ({"A": 0.5, "B": 0.4}, {"A": 0.5, "B": 0.4}, "AP of all runs stays the same; the order stays"),
        ({"A": 0.5, "B": 0.4}, {"A": 0.5, "B": 0.41}, "AP of B 0.400 → 0.410 (+0.010); still 2nd of 2"),
        (
            {"A": 0.5, "B": 0.4, "C": 0.1},
            {"A": 0.498, "B": 0.401, "C": 0.1},
            "AP of 2 runs changes by at most 0.002; the order stays",
        ),
        (
            {"A": 0.5, "B": 0.4, "C": 0.3},
            {"A": 0.5, "B": 0.2, "C": 0.3},
            "AP of B 0.400 → 0.200 (−0.200); now 3rd of 3",
        ),
        (
            {"A": 0.5, "B": 0.4, "C": 0.3},
            {"A": 0.1, "B": 0.4, "C": 0.3},
            "AP of A 0.500 → 0.100 (−0.400); now 3rd of 3",
        ),
        (
            {"A": 0.5, "B": 0.4, "C": 0.3},
            {"A": 0.5, "B": 0.31, "C": 0.32},
            "AP of 2 runs changes by at most 0.090; C and B exchange places 2 and 3",
        ),
        (
            {"A": 0.5, "B": 0.4, "C": 0.3},
            {"A": 0.1, "B": 0.41, "C": 0.3},
            "AP of 2 runs changes by at most 0.400; the order of 3 runs changes",
        ),
        (
            {"A": 0.5, "B": 0.4},
            {"A": 0.5001, "B": 0.4002},
            "AP of 2 runs changes by less than 0.001; the order stays",
        ),
        ({"A": NAN, "B": 0.4}, {"A": NAN, "B": 0.4}, "AP of all runs stays the same; the order stays"),
        ({"A": NAN, "B": 0.4}, {"A": 0.5, "B": 0.4}, "AP of A – → 0.500; now 1st of 2"),
        ({"A": 0.5, "B": 0.4}, {"C": 0.1, "B": 0.4}, "AP of all runs stays the same; the order stays"),
        ({"A": 0.5}, {"C": 0.1}, ""),
    ],
)
def test_sentence_of_a_change(before, after, text):
    assert consequence_text(scored(before), scored(after)) == text


def test_order_is_by_the_lowest_value_where_lower_is_better():
    text = consequence_text(scored({"A": 0.1, "B": 0.2}, "ANMRR"), scored({"A": 0.3, "B": 0.2}, "ANMRR"))
    assert text == "ANMRR of A 0.100 → 0.300 (+0.200); now 2nd of 2"


def test_no_sentence_without_scores_or_for_a_measure_that_is_new():
    assert consequence_text(Document(), scored({"A": 0.1})) == ""
    assert consequence_text(scored({"A": 0.1}, "NDCG"), scored({"A": 0.1})) == ""
