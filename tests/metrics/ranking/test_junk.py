"""Junk, removed before ranking, equals lists and matrices that never had it; `compute_ap` of the Oxford Buildings."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hit_tables import Case, truth_of
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_measures import slow_measure

from shrec_viewer.metrics import MEASURES, ListArrays, find_measure, find_profile, hits_from_lists, hits_from_matrix
from shrec_viewer.metrics.ranking.hit_table import HitTable

DEFAULT = find_profile("default")
REMOVED = replace(DEFAULT, junk="removed")
N_MODELS = 9


def without_junk(levels, members):
    """Truth of levels up to 2, of which -1 is not relevant."""
    return replace(truth_of(np.maximum(levels, 0), members), highest_level=2)


def with_junk(levels, members):
    """The same, with -1 as junk."""
    return replace(without_junk(levels, members), junk=np.flatnonzero(levels.ravel() == -1))


def assert_same(found, expected, query, n_junk):
    """One query of `found` equals the only one of `expected`, whose collection has the junk as well."""
    for order in ("profile", "optimistic", "pessimistic"):
        ours, theirs = found.in_order(order).rows(query, query + 1), expected.in_order(order)
        theirs = replace(theirs, collection_size=theirs.collection_size - n_junk)
        for field in fields(HitTable):
            if field.name != "largest_sizes":
                np.testing.assert_array_equal(getattr(ours, field.name), getattr(theirs, field.name), field.name)
    for field in fields(found.anomalies):
        ours, theirs = getattr(found.anomalies, field.name), getattr(expected.anomalies, field.name)
        assert ours[query] == theirs[0], field.name


profiles = st.builds(
    replace,
    st.just(REMOVED),
    self_match=st.sampled_from(["drop", "keep"]),
    unknown=st.sampled_from(["drop", "keep"]),
    not_a_number=st.sampled_from(["last", "drop"]),
    infinite=st.sampled_from(["rank", "drop"]),
    ties=st.sampled_from(["file", "trec"]),
    relevant_from=st.sampled_from([1, 2]),
    list_cut=st.sampled_from([None, 4]),
)
seeds = st.integers(0, 2**32 - 1)


def random_truth(random):
    levels = random.integers(-1, 3, (4, N_MODELS))
    return levels, random.integers(-1, N_MODELS, 4)


def left_out(levels, members, query, profile):
    """Number of junk models without the query itself, where the profile removes that anyway."""
    junk = np.flatnonzero(levels[query] == -1)
    return int(np.count_nonzero(junk != members[query])) if profile.self_match == "drop" else len(junk)


@given(seed=seeds, profile=profiles, block_values=st.sampled_from([1, 20, 1 << 20]))
@settings(max_examples=200, deadline=None)
def test_matrices_equal_those_without_the_columns(seed, profile, block_values):
    random = np.random.default_rng(seed)
    levels, members = random_truth(random)
    values = random.choice(np.array([0.0, 1.0, 2.0, np.inf, -np.inf, np.nan]), (4, N_MODELS + 1))
    columns = random.permutation(N_MODELS + 1).astype(np.int32)
    columns[columns == N_MODELS] = -1
    tie_order = random.permutation(N_MODELS)
    rows = np.array([0, 1, -1, 3], np.int32)
    found = hits_from_matrix(
        with_junk(levels, members), values, rows, columns, profile, tie_order=tie_order, block_values=block_values
    )
    for query in range(4):
        is_own = (columns == members[query]) & (columns >= 0)
        kept = (columns < 0) | (levels[query][columns] >= 0) | is_own
        if profile.self_match == "keep":
            kept &= (columns < 0) | (levels[query][columns] >= 0)
        expected = hits_from_matrix(
            without_junk(levels[[query]], members[[query]]),
            values[:, kept],
            rows[[query]],
            columns[kept],
            replace(profile, junk="not relevant"),
            tie_order=tie_order,
        )
        assert_same(found, expected, query, left_out(levels, members, query, profile))


@given(seed=seeds, profile=profiles, by_score=st.booleans(), block_cells=st.sampled_from([1, 20, 1 << 20]))
@settings(max_examples=200, deadline=None)
def test_lists_equal_those_without_the_lines(seed, profile, by_score, block_cells):
    random = np.random.default_rng(seed)
    levels, members = random_truth(random)
    rows = [random.integers(-1, N_MODELS, random.integers(0, 14)) for _ in range(4)]
    scores = [random.choice(np.array([0.0, 1.0, 2.0, np.inf, np.nan]), len(row)) for row in rows]

    def lists(chosen):
        of = ListArrays.of([rows[query][kept].tolist() for query, kept in chosen])
        distances = np.concatenate([scores[query][kept] for query, kept in chosen])
        return replace(of, distances=distances, by_score=by_score)

    everything = [(query, np.ones(len(row), bool)) for query, row in enumerate(rows)]
    found = hits_from_lists(with_junk(levels, members), lists(everything), profile, block_cells=block_cells)
    for query, row in enumerate(rows):
        kept = (row < 0) | (levels[query][row] >= 0) | (profile.self_match == "drop") & (row == members[query])
        truth = without_junk(levels[[query]], members[[query]])
        expected = hits_from_lists(truth, lists([(query, kept)]), replace(profile, junk="not relevant"))
        repeated = len(row[~kept]) - len(np.unique(row[~kept]))  # repeated lines of junk are counted as such
        counted = replace(expected.found, repeated=expected.found.repeated + repeated)
        assert_same(found, replace(expected, found=counted), query, left_out(levels, members, query, profile))


def test_cutoff_before_clean_up_counts_lines_of_junk():
    truth = with_junk(np.array([[-1, 0, 1, 1]]), np.array([-1]))
    cut = replace(REMOVED, list_cut=3)
    lists = ListArrays.of([[0, 1, 2, 3]])
    assert hits_from_lists(truth, lists, cut).hits.ranks.tolist() == [2, 3]
    assert hits_from_lists(truth, lists, replace(cut, cut_counts="lines")).hits.ranks.tolist() == [2]
    assert hits_from_lists(truth, lists, DEFAULT).hits.ranks.tolist() == [3, 4]


@pytest.mark.parametrize("measure", [row for row in MEASURES if not row.uses_classes], ids=lambda row: row.name)
@given(seed=seeds)
@settings(max_examples=25, deadline=None)
def test_every_measure_equals_a_slow_one_on_the_list_without_junk(measure, seed):
    """Truncated lists and complete matrices; the slow measure sees the levels of the models that are left."""
    random = np.random.default_rng(seed)
    levels = random.integers(-1, 3, (5, N_MODELS))
    truth = with_junk(levels, np.full(5, -1))
    values = random.permuted(np.tile(np.arange(float(N_MODELS)), (5, 1)), axis=1)
    orders = np.argsort(values, axis=1)
    lengths = random.integers(0, N_MODELS + 1, 5)
    short = hits_from_lists(
        truth, ListArrays.of([o[:n].tolist() for o, n in zip(orders, lengths, strict=True)]), REMOVED
    )
    full = hits_from_matrix(truth, values, profile=REMOVED)
    for hits, ends in ((short.hits, lengths), (full.hits, [N_MODELS] * 5)):
        cases = []
        for row, order, end in zip(levels, orders, ends, strict=True):
            inside, outside = (tuple(g for g in row[part].tolist() if g >= 0) for part in (order[:end], order[end:]))
            cases.append(Case(inside, outside, highest=hits.highest_level))
        largest = max(case.count(1) for case in cases)
        for cutoff in (None, 2, 5) if measure.takes_cutoff else [None]:
            expected = [slow_measure(measure.name, 1, cutoff, case, REMOVED, largest) for case in cases]
            np.testing.assert_allclose(measure.at(1, cutoff).evaluate(hits, REMOVED), expected, rtol=1e-12, atol=1e-12)


def oxford_ap(positive, junk, ranked):
    """``compute_ap.cpp`` of the Oxford Buildings: trapezoids below precision and recall, junk skipped in the list."""
    area, old_recall, old_precision, n_found, place = 0.0, 0.0, 1.0, 0, 0
    for model in ranked:
        if model in junk:
            continue
        place += 1
        n_found += model in positive
        recall, precision = n_found / len(positive), n_found / place
        area += (recall - old_recall) * (old_precision + precision) / 2
        old_recall, old_precision = recall, precision
    return area


def trapezoids(ranks, size):
    """The same area from the ranks of the relevant models alone."""
    before = [1.0 if rank == 1 else (k - 1) / (rank - 1) for k, rank in enumerate(ranks, 1)]
    return sum((old + k / rank) / 2 / size for (k, rank), old in zip(enumerate(ranks, 1), before, strict=True))


def test_oxford_by_hand():
    """Good 3, ok 6 and 9, junk 1: the list 9 1 3 0 6 has the ranks 1, 2 and 4 without junk."""
    levels = np.zeros((1, 12), int)
    levels[0, [3, 6, 9, 1]] = 2, 1, 1, -1
    hits = hits_from_lists(with_junk(levels, np.array([-1])), ListArrays.of([[9, 1, 3, 0, 6]]), REMOVED).hits
    assert hits.ranks.tolist() == [1, 2, 4]
    assert hits.list_length.tolist() == [4]
    assert hits.collection_size.tolist() == [11]
    assert find_measure("AP").evaluate(hits, REMOVED)[0] == pytest.approx((1 + 1 + 3 / 4) / 3)
    # Recall grows by a third at each: from precision 1 to 1, from 1 to 1, and from 2/3 at rank 3 to 3/4 at rank 4.
    by_hand = (1 + 1 + (2 / 3 + 3 / 4) / 2) / 3
    assert oxford_ap({3, 6, 9}, {1}, [9, 1, 3, 0, 6]) == pytest.approx(by_hand)
    assert trapezoids(hits.ranks.tolist(), 3) == pytest.approx(by_hand)


@given(seed=seeds)
@settings(max_examples=100, deadline=None)
def test_ranks_give_the_average_precision_of_oxford(seed):
    random = np.random.default_rng(seed)
    levels = random.integers(-1, 3, (1, 15))
    levels[0, 0] = 2
    ranked = random.permutation(15)[: random.integers(0, 16)].tolist()
    hits = hits_from_lists(with_junk(levels, np.array([-1])), ListArrays.of([ranked]), REMOVED).hits
    positive, junk = ({*np.flatnonzero(test).tolist()} for test in (levels[0] > 0, levels[0] < 0))
    assert trapezoids(hits.ranks.tolist(), len(positive)) == pytest.approx(oxford_ap(positive, junk, ranked))
