"""Class confusion: slow count, laws, and totals that equal the first and second tier."""

from pathlib import Path

import numpy as np
import pytest

from shrec_viewer.domain import Cancelled
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.plots.confusion import (
    confused_ranks,
    confusion,
    largest_confusions,
    tier_image,
    tier_lists,
)
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile
from shrec_viewer.resources import resource

PSB = Path(__file__).parents[2] / "../shared/data/psb_d2"


@pytest.fixture(scope="module")
def demo():
    return read_benchmark(resource("demo"))


@pytest.fixture(scope="module")
def psb():
    if not PSB.exists():
        pytest.skip("shared/data/psb_d2 is not there")
    return read_benchmark(PSB)


def test_shares_equal_a_slow_count(demo):
    profile = find_profile("default")
    run = demo.runs[0]
    tiers = tier_lists(demo, run, profile)
    labels, of_queries = demo.classification.labels, demo.queries.labels
    for tier in (1, 2):
        found = confusion(tiers, demo, tier)
        for k, row in enumerate(found.rows):
            expected = np.zeros(len(found.columns))
            queries = [q for q in range(len(demo.queries)) if of_queries[q] == row]
            for query in queries:
                size = len(demo.assessment.relevant(query)[0])
                for item in ranked_list(demo, run, query, profile).items[: tier * size]:
                    if item >= 0 and labels[item] >= 0:
                        expected[list(found.columns).index(labels[item])] += 1 / (tier * size)
            np.testing.assert_allclose(found.shares[k], expected / len(queries), atol=1e-12)
            assert found.queries[k] == len(queries)


@pytest.mark.parametrize("tier", [1, 2])
def test_diagonal_equals_the_first_tier(psb, tier):
    """With relevance by class the diagonal is the tier, as psbTable prints it by class."""
    profile = find_profile("psb")
    run = psb.runs[0]
    found = confusion(tier_lists(psb, run, profile), psb, tier)
    scores = evaluate(psb, profile, runs=[run.name], measures=["FT" if tier == 1 else "ST"])
    labels, means = scores.by_class()
    own = np.array([found.shares[k, np.searchsorted(found.columns, row)] for k, row in enumerate(found.rows)])
    wanted = np.array([means[0, list(labels).index(row), 0] for row in found.rows if row in labels])
    kept = np.isin(found.rows, labels)
    # The second tier divides by C, not by the 2 C places it looks at.
    np.testing.assert_allclose(own[kept] * tier, wanted, atol=1e-12)


def test_rows_never_sum_to_more_than_one(demo):
    for run in demo.runs:
        tiers = tier_lists(demo, run, find_profile("default"))
        for tier in (1, 2):
            sums = confusion(tiers, demo, tier).shares.sum(axis=1)
            assert np.all(sums <= 1 + 1e-12)


def test_cell_lists_the_ranks_it_counts(demo):
    tiers = tier_lists(demo, demo.runs[1], find_profile("default"))
    found = confusion(tiers, demo, 2)
    for k, row in enumerate(found.rows):
        for column_place, column in enumerate(found.columns):
            query, rank, items = confused_ranks(tiers, demo, 2, int(row), int(column))
            assert np.all(demo.classification.labels[items] == column)
            share = (1 / (2 * tiers.sizes[query])).sum() / found.queries[k]
            assert share == pytest.approx(found.shares[k, column_place], abs=1e-12)
            for q, r, item in zip(query, rank, items, strict=True):
                assert tiers.items[tiers.indptr[q] + r - 1] == item


def test_image_has_every_rank_at_full_size_and_the_best_when_reduced(psb):
    tiers = tier_lists(psb, psb.runs[0], find_profile("psb"))
    n = len(psb.collection)
    image, down, right = tier_image(tiers, psb, 10_000, 10_000)
    assert image.shape == (len(psb.queries), n)
    assert sorted(down) == list(range(len(psb.queries)))
    assert sorted(right) == list(range(n))
    for query in (0, 17, 900):
        span = slice(tiers.indptr[query], tiers.indptr[query + 1])
        items, size = tiers.items[span], tiers.sizes[query]
        row = image[down[query]]
        assert np.count_nonzero(row) == len(items) == 2 * size
        if size:
            assert row[right[items[0]]] == 3
            assert np.all(row[right[items[1:size]]] == 2)
            assert np.all(row[right[items[size:]]] == 1)
    small, _, _ = tier_image(tiers, psb, 40, 50)
    assert small.shape == (40, 50)
    assert small.max() == 3


def test_no_tiers_without_relevant_models_and_cancellation(demo):
    tiers = tier_lists(demo, demo.runs[0], find_profile("default"))
    assert np.all(np.diff(tiers.indptr)[tiers.sizes == 0] == 0)
    with pytest.raises(Cancelled):
        tier_lists(demo, demo.runs[0], find_profile("default"), cancelled=lambda: True)


@pytest.mark.parametrize("limit", [0, 5, 10_000])
def test_largest_confusions_are_the_largest_shares_off_the_diagonal(demo, limit):
    for run in demo.runs:
        found = confusion(tier_lists(demo, run, find_profile("default")), demo, 1)
        cells = [
            (-found.shares[k, n], k, n)
            for k in range(len(found.rows))
            for n in range(len(found.columns))
            if found.rows[k] != found.columns[n] and found.shares[k, n] > 0
        ]
        assert largest_confusions(found, limit) == [(k, n) for _, k, n in sorted(cells)][:limit]
