"""Ranks from submitted lists equal a slow clean-up: repeated and unknown ids, the query itself, list cuts, scores."""

from dataclasses import replace

import numpy as np
import pytest
from hit_tables import as_triples, truth_of
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.metrics import find_profile
from shrec_viewer.metrics.ranking.list_ranking import ListArrays, hits_from_lists

DEFAULT = find_profile("default")


def lists_of(rows: list[list[int] | None], scores: list[list[float]] | None = None, tie_order=None) -> ListArrays:
    lengths = [len(row or ()) for row in rows]
    return ListArrays(
        indptr=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        items=np.array([item for row in rows for item in row or ()], np.int32),
        present=np.array([row is not None for row in rows]),
        distances=None if scores is None else np.array([score for row in scores for score in row], np.float64),
        by_score=scores is not None,
        tie_order=tie_order,
    )


def slow_clean(row, own, profile, scores=None) -> tuple[list[int], int]:
    """What is left of one list, and where the query itself stood."""
    if scores is not None:
        row = [item for _, _, item in sorted((np.isnan(s), np.nan_to_num(s), i) for i, s in enumerate(scores))]
    if profile.cut_counts == "lines":
        row = row[: profile.list_cut]
    kept: list[int] = []
    for item in row:
        if item < 0 and profile.unknown == "drop":
            continue
        if item >= 0 and item in kept:
            continue
        kept.append(item)
    own_rank = kept.index(own) + 1 if own >= 0 and own in kept else 0
    return [item for item in kept if own < 0 or item != own][: profile.list_cut], own_rank


profiles = st.builds(
    replace,
    st.just(DEFAULT),
    self_match=st.sampled_from(["drop", "keep"]),
    unknown=st.sampled_from(["drop", "keep"]),
    list_cut=st.sampled_from([None, None, 1, 6]),
    cut_counts=st.sampled_from(["places", "lines"]),
)


@st.composite
def submissions(draw):
    """Short lists over few models, so that repetitions, strangers and the query itself are common."""
    n_models = draw(st.integers(1, 12))
    row = st.one_of(st.none(), st.lists(st.integers(-1, n_models - 1), max_size=25))
    rows = draw(st.lists(row, min_size=1, max_size=7))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    levels = random.integers(0, 3, (len(rows), n_models))
    members = random.integers(-1, n_models, len(rows))
    return rows, levels, members


@given(submission=submissions(), profile=profiles, block_cells=st.sampled_from([1, 20, 1 << 22]))
@settings(max_examples=300, deadline=None)
def test_equals_a_slow_clean_up(submission, profile, block_cells):
    rows, levels, members = submission
    hits = hits_from_lists(truth_of(levels, members), lists_of(rows), profile, block_cells=block_cells).hits
    expected, lengths, own_ranks = [], [], []
    for query, row in enumerate(rows):
        own = int(members[query]) if profile.self_match == "drop" else -1
        kept, own_rank = slow_clean(row or [], own, profile)
        own_ranks.append(own_rank)
        lengths.append(len(kept))
        for rank, item in enumerate(kept, 1):
            if item >= 0 and levels[query, item] > 0:
                expected.append((query, rank, int(levels[query, item])))
    assert as_triples(hits) == expected
    assert hits.list_length.tolist() == lengths
    assert hits.own_rank.tolist() == own_ranks
    assert hits.missing.tolist() == [row is None for row in rows]


@given(data=st.data(), n_models=st.integers(1, 15))
@settings(max_examples=100, deadline=None)
def test_scores_define_the_order_where_the_format_says_so(data, n_models):
    items = data.draw(st.permutations(range(n_models)))
    scores = data.draw(
        st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, np.inf, np.nan]), min_size=n_models, max_size=n_models)
    )
    levels = np.arange(1, n_models + 1)[None, :]
    hits = hits_from_lists(truth_of(levels, np.array([-1])), lists_of([list(items)], [scores]), DEFAULT).hits
    places = sorted(range(n_models), key=lambda i: (np.isnan(scores[i]), 0 if np.isnan(scores[i]) else scores[i], i))
    assert hits.levels.tolist() == [items[place] + 1 for place in places]
    assert hits.ranks.tolist() == list(range(1, n_models + 1))


def test_an_unknown_id_is_removed_before_ranking_so_later_models_move_up():
    truth = truth_of(np.array([[0, 0, 1]]), np.array([-1]))
    lists = lists_of([[0, -1, 1, 2]])
    assert hits_from_lists(truth, lists, DEFAULT).hits.ranks.tolist() == [3]
    assert hits_from_lists(truth, lists, replace(DEFAULT, unknown="keep")).hits.ranks.tolist() == [4]


def test_of_a_repeated_id_the_first_counts():
    truth = truth_of(np.array([[0, 1, 1]]), np.array([-1]))
    hits = hits_from_lists(truth, lists_of([[1, 0, 1, 1, 2]]), DEFAULT).hits
    assert hits.ranks.tolist() == [1, 3]
    assert hits.list_length.tolist() == [3]


def test_query_is_removed_at_any_rank():
    truth = truth_of(np.array([[1, 1, 1]] * 3), np.array([0, 0, -1]))
    hits = hits_from_lists(truth, lists_of([[1, 0, 2], [2, 1], [0, 1, 2]]), DEFAULT).hits
    assert hits.ranks.tolist() == [1, 2, 1, 2, 1, 2, 3]
    assert hits.class_sizes[:, 0].tolist() == [2, 2, 3]
    assert hits.collection_size.tolist() == [2, 2, 3]
    assert hits.own_rank.tolist() == [2, 0, 0]


def test_list_cut_counts_ranks_or_lines():
    """ShapeNet cuts the file at 1000 lines and cleans up what is left; a cut list of places is full."""
    truth = truth_of(np.array([[1, 1, 1, 1]]), np.array([-1]))
    lists = lists_of([[0, 0, 1, 2, 3]])
    places = replace(DEFAULT, list_cut=3)
    assert hits_from_lists(truth, lists, places).hits.list_length.tolist() == [3]
    assert hits_from_lists(truth, lists, replace(places, cut_counts="lines")).hits.list_length.tolist() == [2]


def test_a_missing_query_is_not_an_empty_list():
    truth = truth_of(np.array([[1], [1]]), np.array([-1, -1]))
    hits = hits_from_lists(truth, lists_of([None, []]), DEFAULT).hits
    assert hits.missing.tolist() == [True, False]
    assert hits.list_length.tolist() == [0, 0]


def test_trec_ranks_single_precision_scores_with_ids_descending():
    profile = replace(DEFAULT, ties="trec", unknown="keep")
    truth = truth_of(np.array([[1, 2, 3]]), np.array([-1]))
    lists = lists_of([[0, 1, -1, 2]], [[1.0, 1.0 + 1e-12, 1.0, 0.5]], tie_order=np.array([2, 1, 0]))
    hits = hits_from_lists(truth, lists, profile).hits
    assert hits.levels.tolist() == [3, 2, 1]  # c, b, a; the unknown id after its equals
    assert hits.ranks.tolist() == [1, 2, 3]
    assert hits.list_length.tolist() == [4]


def test_cancelled_between_blocks():
    truth = truth_of(np.ones((3, 2), int), np.full(3, -1))

    def cancel_pending():
        raise InterruptedError

    with pytest.raises(InterruptedError):
        hits_from_lists(truth, lists_of([[0], [1], []]), DEFAULT, block_cells=1, checkpoint=cancel_pending)


def test_queries_without_lists_are_one_block():
    """There was a block for every ten of 200,000 queries, though 20 of them had a list."""
    rows = [[0]] + [[]] * 500 + [[1]] + [[]] * 500
    blocks = []
    ranked = hits_from_lists(
        truth_of(np.ones((len(rows), 2), int), np.full(len(rows), -1)),
        lists_of(rows),
        DEFAULT,
        block_cells=1,
        checkpoint=lambda: blocks.append(1),
    )
    assert ranked.hits.list_length.tolist() == [len(row) for row in rows]
    assert len(blocks) == 4
