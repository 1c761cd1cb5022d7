"""Ranks of one model in all lists agree with the displayed lists."""

from dataclasses import replace

import numpy as np
import pytest
from independent_loaders import load_shrec06
from small_benchmarks import external, itself

from shrec_viewer.domain import Cancelled
from shrec_viewer.evaluation.model_ranks import model_ranks
from shrec_viewer.evaluation.ranked_list import query_levels, ranked_list
from shrec_viewer.metrics import PROFILES, find_profile

DEFAULT = find_profile("default")


def assert_agrees(benchmark, profile, models, queries):
    for model in models:
        found = model_ranks(benchmark, profile, model)
        for query in queries:
            assert found.levels[query] == query_levels(benchmark, query, profile)[model]
            relevant = query_levels(benchmark, query, profile) >= profile.relevant_from
            assert found.sizes[query] == np.count_nonzero(relevant)
            for row, run in enumerate(benchmark.runs):
                listed = np.flatnonzero(ranked_list(benchmark, run, query, profile).items == model)
                assert found.ranks[row, query] == (listed[0] + 1 if len(listed) else 0)


@pytest.mark.parametrize("profile", [*PROFILES, replace(DEFAULT, list_cut=2)], ids=lambda profile: profile.key)
@pytest.mark.parametrize("benchmark", [external(), itself(), itself(graded=True)], ids=["external", "self", "graded"])
def test_agrees_with_the_lists(benchmark, profile):
    assert_agrees(benchmark, profile, range(len(benchmark.collection)), range(len(benchmark.queries)))


def test_agrees_with_the_lists_of_2006():
    assert_agrees(load_shrec06(), find_profile("shrec2006"), (0, 7, 1813), range(0, 30, 9))


def test_false_positives_by_hand():
    benchmark = external()
    found = model_ranks(benchmark, DEFAULT, 0)  # a: relevant to q0 only; ranks 1 2 1 1 in the complete run
    assert found.ranks.tolist() == [[1, 2, 1, 1], [2, 0, 1, 0]]
    assert found.relevant_queries.tolist() == [0]
    # q1 and q3 have one relevant model each, q2 none: only rank 1 of q3 is within a first tier.
    assert found.is_false_positive.tolist() == [[False, False, False, True], [False] * 4]
    assert found.false_positive_queries.tolist() == [3]


def test_cancelling_ends_it():
    with pytest.raises(Cancelled):
        model_ranks(itself(), DEFAULT, 0, cancelled=lambda: True)
