"""Measures of contests since 2021 and of text retrieval: by hand, with models judged in part, and for runs."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import exp, log, sqrt

import numpy as np
import pytest
from hit_tables import Case, table_of, truth_of
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.metrics import ListArrays, find_curve, find_measure, find_profile, hits_from_lists, hits_from_matrix

DEFAULT = find_profile("default")
L1 = Case((2, 2, 1, 2, 2, 1, 0, 1, 0, 1, 2, 0, 0, 0), (2, 1), 1814, 2)
"""The example of the report of 2006."""
L2 = Case((3, 1, 3, 2, 0, 3, 2, 0, 1, 0, 3, 1, 0, 2), (1,), 1814, 3)


@pytest.mark.parametrize(
    ("key", "first", "second"),
    [
        ("ERR@10", Fraction(211289, 245760), None),
        ("ERR@5", None, Fraction(45023, 49152)),
        ("ERR(max=4)@5", None, Fraction(143101, 262144)),
        ("RBP(p=0.5)", Fraction(2027, 2048), Fraction(15789, 16384)),
        ("RBPresidual(p=0.8)", Fraction(4, 5) ** 14, Fraction(4, 5) ** 14),
        ("Bpref", Fraction(94, 121), Fraction(96, 121)),
        ("Bpref(rel=2)", Fraction(11, 18), Fraction(31, 49)),
        ("Judged@10", Fraction(1), Fraction(1)),
        ("AP@R", Fraction(3737, 4840), Fraction(9973, 15246)),
        ("AP(rel=2)@R", Fraction(71, 120), Fraction(319, 588)),
        ("AP(trapezoid)", Fraction(469247, 609840), None),
        ("AUC(PR)", Fraction(3777, 4840), Fraction(24401, 30492)),
        ("ANMRR", Fraction(78, 473), Fraction(61, 473)),
        ("Success@1", Fraction(1), Fraction(1)),
        ("Success(rel=3)@5", None, Fraction(1)),
        ("AUC(rank)", Fraction(469247, 609840) - Fraction(1, 11), None),
    ],
)
def test_fractions_worked_by_hand(key, first, second):
    for case, expected in ((L1, first), (L2, second)):
        if expected is not None:
            assert find_measure(key).evaluate(table_of([case]), DEFAULT)[0] == pytest.approx(float(expected), abs=1e-15)


@pytest.mark.parametrize(
    ("key", "first", "second"),
    [
        ("ERR@10", 0.859737, 0.917308),
        ("ERR(max=4)@10", 0.334786, 0.567857),
        ("RBP", 0.828117, 0.791569),
        ("RBP(p=0.95)", 0.361274, 0.378152),
        ("RBPresidual", 0.043980, 0.043980),
        ("AP(trapezoid)", 0.769459, 0.780124),
    ],
)
def test_decimals_worked_by_hand(key, first, second):
    for case, expected in ((L1, first), (L2, second)):
        assert find_measure(key).evaluate(table_of([case]), DEFAULT)[0] == pytest.approx(expected, abs=6e-7)


BINARY = "+gain=binary+discount=log2(i+1)"


@pytest.mark.parametrize(
    ("key", "conventions", "first", "second"),
    [
        ("ADR", "", 0.819221, Fraction(105373, 152460)),
        ("ADR", "+adr=protein2021", 0.819221, 0.663013),
        ("ANMRR", "+anmrr=shrec2022", Fraction(30, 187), Fraction(46, 187)),
        ("NDCG@10", f"{BINARY}+ideal=targets", 0.860382, 0.781805),
        ("NDCG", f"{BINARY}+ideal=retrieved", 0.984403, 0.959009),
        ("NDCG", BINARY, 0.868458, 0.903538),
    ],
)
def test_conventions_worked_by_hand(key, conventions, first, second):
    profile = find_profile(f"default{conventions}")
    for case, expected in ((L1, first), (L2, second)):
        exact = 1e-15 if isinstance(expected, Fraction) else 6e-7
        found = find_measure(key).evaluate(table_of([case]), profile)[0]
        assert found == pytest.approx(float(expected), abs=exact)


def test_two_levels_of_2006_and_any_number_of_typke():
    """Levels 1 and 3 at the ranks 1 and 2 of an ideal list 3 2 1: level 2 is highly relevant in 2006 only."""
    hits = table_of([Case((2, 3, 1), highest=3)])
    assert find_measure("ADR").evaluate(hits, DEFAULT)[0] == pytest.approx((0 / 1 + 2 / 2 + 3 / 3) / 3)
    assert find_measure("ADR").evaluate(hits, find_profile("shrec2006"))[0] == 1
    curve = find_curve("ADR").evaluate(hits, DEFAULT, 4).y[0]
    np.testing.assert_allclose(curve, [0, 1 / 2, 2 / 3, (2 + 3 / 4) / 4])


def test_ceiling_below_one_where_every_rank_of_the_ideal_list_is_relevant():
    """Ten relevant models and NDCG@100: at most .217, as printed by SHREC 2022."""
    hits = table_of([Case((1,) * 10 + (0,) * 190)])
    profile = find_profile(f"default{BINARY}+ideal=targets")
    measure = find_measure("NDCG@100")
    assert measure.ceiling(hits, profile)[0] == measure.evaluate(hits, profile)[0] == pytest.approx(0.217, abs=5e-4)
    assert "no list reaches 1" in measure.formula_under(profile)
    assert np.isnan(measure.evaluate(table_of([Case((0, 0))]), profile)[0])


def test_precision_at_most_at_the_last_relevant_rank():
    """Hits at the ranks 1 and 3: P@10 is 2/3 for the revisited Oxford Buildings, 2/10 for all others."""
    hits, oxford = table_of([Case((1, 0, 1, 0)), Case((0, 0), (1,)), Case((1,))]), find_profile("oxford")
    np.testing.assert_allclose(find_measure("P@10").evaluate(hits, oxford), [2 / 3, 0, 1])
    np.testing.assert_allclose(find_measure("P@2").evaluate(hits, oxford), [1 / 2, 0, 1])
    np.testing.assert_allclose(find_measure("P@10").evaluate(hits, find_profile("oxford-textbook")), [0.2, 0, 0.1])


@pytest.mark.parametrize(
    ("difficulty", "ranks", "sizes", "retrievable"),
    [
        # Levels of models 0 to 6 in their order: 2 1 -1 0 1 2 0; junk is removed before ranks are counted.
        ("easy", [(1, 2), (3, 2)], [0, 2], 4),
        ("medium", [(1, 2), (2, 1), (4, 1), (5, 2)], [2, 2], 6),
        ("hard", [(1, 1), (3, 1)], [2, 0], 4),
    ],
)
@pytest.mark.parametrize("as_list", [False, True])
def test_difficulties_of_the_revisited_oxford_buildings(difficulty, ranks, sizes, retrievable, as_list):
    levels = np.array([[2, 1, -1, 0, 1, 2, 0]])
    truth = replace(truth_of(np.maximum(levels, 0), np.array([-1])), junk=np.flatnonzero(levels == -1))
    profile = find_profile(f"oxford+difficulty={difficulty}")
    truth = truth.of_difficulty(difficulty)
    if as_list:
        hits = hits_from_lists(truth, ListArrays.of([range(7)]), profile).hits
    else:
        hits = hits_from_matrix(truth, np.arange(7.0)[None, :], profile=profile).hits
    assert list(zip(hits.ranks.tolist(), hits.levels.tolist(), strict=True)) == ranks
    assert hits.class_sizes.tolist() == [sizes]
    assert hits.collection_size.tolist() == [retrievable]


def test_success_looks_at_its_ranks_only():
    hits = table_of([Case((0, 0, 1, 0)), Case((0,), (1,)), Case((0, 0))])
    np.testing.assert_array_equal(find_measure("Success@2").evaluate(hits, DEFAULT), [0, 0, np.nan])
    np.testing.assert_array_equal(find_measure("Success@3").evaluate(hits, DEFAULT), [1, 0, np.nan])


def test_geometric_mean():
    """Of the two lists; a query without hits counts 0.00001, one without relevant models is left out or counts so."""
    hits, mean = table_of([L1, L2]), find_measure("GMAP")
    values = find_measure("AP").evaluate(hits, DEFAULT)
    np.testing.assert_array_equal(mean.evaluate(hits, DEFAULT), values)
    assert mean.value_of_run(hits, DEFAULT) == pytest.approx(sqrt(values[0] * values[1]), abs=1e-14)
    assert mean.value_of_run(hits, DEFAULT) == pytest.approx(0.779645, abs=6e-7)
    more = table_of([L1, Case((0,), (2,)), Case((0, 0))])
    assert mean.value_of_run(more, DEFAULT) == pytest.approx(sqrt(values[0] * 1e-5))
    zero = exp((log(values[0]) + 2 * log(1e-5)) / 3)
    assert mean.value_of_run(more, find_profile("trec")) == pytest.approx(zero)
    assert np.isnan(mean.value_of_run(table_of([Case((0,))]), DEFAULT))


CASES = st.lists(
    st.builds(
        Case,
        st.lists(st.integers(0, 2), max_size=30).map(tuple),
        st.lists(st.integers(0, 2), max_size=9).map(tuple),
        highest=st.just(2),
    ),
    min_size=1,
    max_size=5,
)


@given(table=CASES)
@settings(max_examples=40, deadline=None)
def test_area_below_the_mean_curve(table):
    hits = table_of(table)
    curves = find_curve("PR20").evaluate(hits, DEFAULT).y
    points = [(0.0, 1.0)]
    for j, column in enumerate(curves.T, 1):
        if not np.isnan(column).all():
            points.append((j / 20, float(np.nanmean(column))))
    expected = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
    found = find_measure("AUC(PR20)").value_of_run(hits, DEFAULT)
    assert found == pytest.approx(expected if len(points) > 1 else np.nan, abs=1e-12, nan_ok=True)


@given(table=CASES, level=st.integers(1, 2))
@settings(max_examples=40, deadline=None)
def test_area_below_mean_precision_and_recall_at_equal_rank(table, level):
    hits, queries = table_of(table), [case for case in table if case.count(level)]
    points = []
    for rank in range(1, max((len(case.gains) for case in table), default=0) + 1):
        found = [sum(gain >= level for gain in case.gains[:rank]) for case in queries]
        recalls = [n / case.count(level) for n, case in zip(found, queries, strict=True)]
        points.append((np.mean(recalls), np.mean(found) / rank) if queries else (0, 0))
    expected = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
    value = find_measure(f"AUC(rank,rel={level})").value_of_run(hits, DEFAULT)
    assert value == pytest.approx(expected if queries else np.nan, abs=1e-12, nan_ok=True)


def test_largest_class_of_the_benchmark_sets_the_last_rank():
    """Query 0 alone has D = 2; beside a query with three relevant models 4, so that its hit at rank 3 counts."""
    late = Case((0, 0, 1, 0, 0, 0))
    assert find_measure("ANMRR").evaluate(table_of([late]), DEFAULT).tolist() == [1]
    both = table_of([late, Case((1, 1, 1))])
    assert find_measure("ANMRR").evaluate(both, DEFAULT).tolist() == [(3 - 1) / (5 - 1), 0]
    assert find_measure("ANMRR").evaluate(both.rows(0, 1), DEFAULT).tolist() == [0.5]


UNJUDGED = -2


def judged_truth(levels):
    """Levels (Q, N), -2 for models that were not judged and -1 for junk."""
    truth = truth_of(np.maximum(levels, 0), np.full(len(levels), -1))
    cells = np.flatnonzero((levels == 0) | (levels == -1))
    kinds = levels.ravel()[cells].astype(np.int16)
    junk = np.flatnonzero(levels == -1)
    return replace(truth, judged_cells=cells, judged_levels=kinds, junk=junk, highest_level=max(levels.max(), 2))


def slow_preference(seen, levels, level):
    size = sum(g >= level for g in levels)
    others = sum(0 <= g < level for g in levels)
    total, before = 0.0, 0
    for g in seen:
        if g >= level:
            total += 1 - min(before, size) / min(others, size) if before else 1.0
        before += 0 <= g < level
    return total / size if size else np.nan


@given(
    seed=st.integers(0, 2**32 - 1),
    as_list=st.booleans(),
    junk=st.sampled_from(["not relevant", "removed"]),
    level=st.integers(1, 2),
    start=st.integers(1, 2),
)
@settings(max_examples=80, deadline=None)
def test_models_judged_in_part(seed, as_list, junk, level, start):
    """Every third model is not judged, some are junk; lists are truncated, matrices are not."""
    random = np.random.default_rng(seed)
    levels = random.integers(UNJUDGED, 3, (4, 15))
    profile = replace(DEFAULT, junk=junk, relevant_from=start)
    orders = [random.permutation(15)[: random.integers(0, 16) if as_list else 15] for _ in range(4)]
    if as_list:
        hits = hits_from_lists(judged_truth(levels), ListArrays.of([o.tolist() for o in orders]), profile).hits
    else:
        hits = hits_from_matrix(judged_truth(levels), np.argsort(orders, axis=1).astype(float), profile=profile).hits
    parts = [hits.rows(query, query + 1) for query in range(4)]
    for query, order in enumerate(orders):
        seen = [int(levels[query, m]) for m in order if junk == "not relevant" or levels[query, m] != -1]
        known = np.where((levels[query] > 0) & (levels[query] < start), 0, levels[query])
        graded = [0 if 0 < g < start else g for g in seen]
        judged = [g != UNJUDGED for g in seen]
        expected = {
            f"Bpref(rel={level})": slow_preference(graded, known, level),
            "Judged@6": sum(judged[:6]) / max(len(judged[:6]), 1),
            "RBPresidual(p=0.7)": 0.7 ** len(seen) + sum(0.3 * 0.7**i for i, j in enumerate(judged) if not j),
        }
        if not np.any(known > 0):
            expected["RBPresidual(p=0.7)"] = np.nan
        for key, value in expected.items():
            for table, row in ((hits, query), (parts[query], 0), (hits.select(np.arange(4) >= query), 0)):
                found = find_measure(key).evaluate(table, profile)[row]
                assert found == pytest.approx(value, abs=1e-12, nan_ok=True), key
            measure = find_measure(key)
            if measure.better != "none" and not np.isnan(value):
                ceiling = measure.ceiling(hits, profile)[query]
                assert (value >= ceiling - 1e-12) if measure.better == "lower" else (value <= ceiling + 1e-12)
        if seen and not np.isnan(expected[f"Bpref(rel={level})"]):
            for key in expected:
                if not np.isnan(expected[key]):
                    steps = find_measure(key).calculation(parts[query], profile)
                    assert eval(steps.arithmetic) == pytest.approx(expected[key], abs=1e-12)


def test_judged_share_of_the_second_list():
    """Rank 10 of the list is not judged: nine of ten ranks are."""
    levels = np.array([[*L2.gains, 1]])
    levels[0, 9] = UNJUDGED
    hits = hits_from_lists(judged_truth(levels), ListArrays.of([range(14)]), DEFAULT).hits
    assert find_measure("Judged@10").evaluate(hits, DEFAULT)[0] == 0.9


@pytest.mark.parametrize("order", ["optimistic", "pessimistic"])
def test_ties_with_judged_models(order):
    """A relevant, a judged and an unjudged model at one distance: the judged one ranks behind it, or before it."""
    levels = np.array([[1, 0, UNJUDGED, 0]])
    ranked = hits_from_matrix(judged_truth(levels), np.array([[0.0, 0, 0, 1]]), profile=DEFAULT)
    value = find_measure("Bpref").evaluate(ranked.in_order(order), DEFAULT)[0]
    assert value == (1.0 if order == "optimistic" else 0.0)
    assert ranked.anomalies.tied.tolist() == [1]


@pytest.mark.parametrize(
    ("key", "canonical"),
    [
        ("AP(trapezoid)", "AP(trapezoid)"),
        ("ap(Trapezoid, rel=2)", "AP(trapezoid,rel=2)"),
        ("MAP@R", "AP@R"),
        ("AP(rel=2)@R", "AP(rel=2)@R"),
        ("AUC(PR)", "AUC(PR)"),
        ("auc(rank)", "AUC(rank)"),
        ("ERR@10", "ERR@10"),
        ("ERR(max=4)@10", "ERR(max=4)@10"),
        ("RBP(p=.8)", "RBP(p=0.8)"),
        ("RBP(p=0.5,rel=2)@20", "RBP(p=0.5,rel=2)@20"),
        ("CMC@5", "Success@5"),
        ("Success", "Success@5"),
        ("gm_map", "GMAP"),
        ("Rank-1", "Success@1"),
        ("rank 5", "Success@5"),
        ("Rank@10", "Success@10"),
        ("success_1", "Success@1"),
        ("mAP", "AP"),
        ("map_cut_20", "AP@20"),
        ("ndcg_cut_10", "NDCG@10"),
        ("P_10", "P@10"),
        ("recall_100", "R@100"),
        ("recip_rank", "RR"),
        ("set_P", "P"),
        ("set_recall", "R"),
        ("set_F", "F1"),
        ("bpref", "Bpref"),
        ("Matthews correlation of the nearest neighbour", "MCC"),
    ],
)
def test_keys(key, canonical):
    assert find_measure(key).key == canonical
    assert find_measure(canonical).key == canonical


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("ERR(max=0)", "max must be a number from 1 to 255, not 0"),
        ("RBP(p=1.5)", "p must be a number from 0 to 1, not 1.5"),
        ("AP@R(rel=2)", "there is no measure 'AP@R(rel=2)'"),
        ("AP(square)", "there is no measure 'AP(square)'; do you mean 'AP'?"),
        ("P@R", "there is no measure 'P@R'; do you mean 'P'?"),
        ("GMAP@10", "GMAP takes no cutoff"),
        ("NN_2", "NN takes no cutoff"),
        ("P_0", "the cutoff must be at least 1, not 0"),
        ("P_10@5", "there is no measure 'P_10@5'; there are NN, "),
        ("Frist tier", "there is no measure 'Frist tier'; do you mean 'FT'?"),
        ("bprf", "there is no measure 'bprf'; do you mean 'Bpref'?"),
        ("succes@1", "there is no measure 'succes@1'; do you mean 'Success'?"),
        ("Acuracy", "there is no measure 'Acuracy'; do you mean 'Accuracy'?"),
    ],
)
def test_wrong_keys(key, sentence):
    with pytest.raises(KeyError) as caught:
        find_measure(key)
    assert sentence in str(caught.value)


def test_the_protein_evaluator_counts_the_query_itself():
    """Levels 0 2 1 behind the query itself, which is level 3, so that the ideal list is 3 2 1 and not 2 1.

    Rank 1 wants level 3: 1/1. Rank 2 wants level 2 or more: the query alone, 1/2. Rank 3 wants level 1 or more: the
    query and the model of level 2, 2/3. Without the query 0/1 and 1/2.
    """
    hits = table_of([Case((0, 2, 1), highest=3, own=1)])
    adr, protein = find_measure("ADR"), find_profile("shrec2021protein")
    assert adr.evaluate(hits, protein)[0] == pytest.approx((1 / 1 + 1 / 2 + 2 / 3) / 3)
    assert adr.calculation(hits, protein).total == pytest.approx((1 / 1 + 1 / 2 + 2 / 3) / 3)
    assert adr.evaluate(hits, DEFAULT)[0] == pytest.approx((0 / 1 + 1 / 2) / 2)
    textbook = find_profile("shrec2021protein-textbook")
    assert adr.evaluate(hits, textbook)[0] == adr.evaluate(hits, DEFAULT)[0]
    for key in ("NN", "FT", "ST", "AP", "NDCG"):  # the query is left out of all others, as in psbTable
        np.testing.assert_array_equal(
            find_measure(key).evaluate(hits, protein), find_measure(key).evaluate(hits, textbook)
        )
