"""Worked example of the SHREC 2006 report, section 4: every printed value and sum."""

from dataclasses import replace
from math import log2

import numpy as np
import pytest
from hit_tables import Case, table_of

from shrec_viewer.metrics import HitTable, find_curve, find_measure, find_profile

GAINS = (2, 2, 1, 2, 2, 1, 0, 1, 0, 1, 2, 0, 0, 0)
"""G' of the report: Ch = 6 of which one is not retrieved, Cm = 5 of which one is not, in a collection of 1814."""

PRINTED = 2e-6
"""The report prints the results of single precision."""

SHREC2006 = find_profile("shrec2006")


@pytest.fixture(scope="module")
def example() -> HitTable:
    return table_of([Case(GAINS, lacking=(2, 1), collection=1814)])


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("TP(rel=2)", 5),
        ("TP", 9),
        ("FP(rel=2)", 14 - 5),
        ("FP", 14 - 9),
        ("TN(rel=2)", 1814 + 5 - 14 - 6),
        ("TN", 1814 + 9 - 14 - 11),
        ("FN(rel=2)", 6 - 5),
        ("FN", 11 - 9),
        ("FT(rel=2)", 4 / 6),
        ("FT", 9 / 11),
        ("ST(rel=2)", 5 / 12),
        ("ST", 9 / 14),
        ("P(rel=2)", 5 / 14),
        ("P", 9 / 14),
        ("R(rel=2)", 5 / 6),
        ("R", 9 / 11),
        ("AP(rel=2)", (1 / 1 + 2 / 2 + 3 / 4 + 4 / 5 + 5 / 11) / 5),
        ("AP", (1 / 1 + 2 / 2 + 3 / 3 + 4 / 4 + 5 / 5 + 6 / 6 + 7 / 8 + 8 / 10 + 9 / 11) / 9),
        ("ADR", (1 / 1 + 2 / 2 + 2 / 3 + 3 / 4 + 4 / 5 + 4 / 6 + 6 / 7 + 7 / 8 + 7 / 9 + 8 / 10 + 9 / 11) / 11),
        ("E(rijsbergen)@14", 1 - 18 / 25),
        ("CG(wasted)@5", 10.0 - 9.0),
        ("CG(wasted)", 17.0 - 14.0),
        ("DCG(wasted)@2", 0.0),
        ("F1(PR)", sum(2 * k / (p + 11) for k, p in enumerate((1, 2, 3, 4, 5, 6, 8, 10, 11), 1)) / 11),
        ("F1(PR,rel=2)", sum(2 * k / (p + 6) for k, p in enumerate((1, 2, 4, 5, 11), 1)) / 6),
        ("CG@5", 9),
        ("CG@10", 12),
        ("CG@25", 14),
        ("DCG@5", 2 + 2 / log2(2) + 1 / log2(3) + 2 / log2(4) + 2 / log2(5)),
        ("NCG@5", 9 / 10),
        ("NCG@10", 12 / 16),
        ("NCG@25", 14 / 17),
    ],
)
def test_values_equal_written_out_sums(example, key, expected):
    assert find_measure(key).evaluate(example, SHREC2006)[0] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(
    ("key", "printed", "unit"),
    [
        ("FT(rel=2)", 0.66667, 1e-5),
        ("FT", 0.81818, 1e-5),
        ("ST(rel=2)", 0.41667, 1e-5),
        ("ST", 0.64285, 1e-5),
        ("P(rel=2)", 0.35714, 1e-5),
        ("P", 0.6428, 1e-4),
        ("R(rel=2)", 0.83333, 1e-5),
        ("R", 0.8181, 1e-4),
        ("AP(rel=2)", 0.80090, 1e-5),
        ("AP", 0.94368, 1e-5),
        ("ADR", 0.819, 1e-3),
        ("DCG@5", 6.492283, PRINTED),
        ("DCG@10", 7.5134993, PRINTED),
        ("DCG@25", 8.091629, PRINTED),
        ("NDCG@25", 8.091629 / 9.492018, PRINTED),
    ],
)
def test_values_equal_the_printed_ones_to_one_unit_of_the_last_digit(example, key, printed, unit):
    """Some are cut off there, not rounded: 64.285 %, 0.6428, 0.8181."""
    assert find_measure(key).evaluate(example, SHREC2006)[0] == pytest.approx(printed, abs=unit)


CG = [2, 4, 5, 7, 9, 10, 10, 11, 11, 12, 14, 14, 14, 14]
DCG = [2.0, 4.0, 4.63093, 5.63093, 6.492283, 6.8791356, 6.8791356, 7.212469, 7.212469, 7.5134993] + [8.091629] * 4
ICG = [2, 4, 6, 8, 10, 12, 13, 14, 15, 16, 17, 17, 17, 17]
IDCG = [2.0, 4.0, 5.2618594, 6.2618594, 7.123213, 7.8969183, 8.253125, 8.586458, 8.901923, 9.202953] + [9.492018] * 4
# The fractions printed for NCG at the ranks 8 to 11 (11/13, 11/14, 12/15, 14/16) contradict the vector ICG printed just
# above them; ICG holds its last value beyond rank 11, as the printed 14/17 at ranks 12 to 14 say.
NCG = [cg / icg for cg, icg in zip(CG, ICG, strict=True)]
NDCG = [dcg / idcg for dcg, idcg in zip(DCG, IDCG, strict=True)]


@pytest.mark.parametrize(("key", "expected"), [("CG", CG), ("DCG", DCG), ("NCG", NCG), ("NDCG", NDCG)])
def test_vectors(example, key, expected):
    curve = find_curve(key).evaluate(example, SHREC2006, points=14)
    np.testing.assert_array_equal(curve.x, np.arange(1, 15))
    np.testing.assert_allclose(curve.y[0], expected, rtol=0, atol=PRINTED)


@pytest.mark.parametrize(("key", "expected"), [("NCG", ICG), ("NDCG", IDCG)])
def test_ideal_vectors(example, key, expected):
    plain = find_curve(key[1:]).evaluate(example, SHREC2006, points=14).y[0]
    share = find_curve(key).evaluate(example, SHREC2006, points=14).y[0]
    np.testing.assert_allclose(plain / share, expected, rtol=0, atol=2e-6)


def test_gain_is_constant_beyond_the_end_of_the_list(example):
    for key in ("CG", "DCG", "NCG", "NDCG"):
        curve = find_curve(key).evaluate(example, SHREC2006, points=100).y[0]
        assert set(curve[13:]) == {curve[13]}
        assert find_measure(f"{key}@100").evaluate(example, SHREC2006)[0] == pytest.approx(curve[13], abs=1e-14)


def test_literal_first_tier_contradicts_the_printed_example(example):
    """'if Va < Cr then d1 = Va else d1 = Ch' gives 6/6, but the report prints 9/11."""
    literal = replace(SHREC2006, tiers="literal")
    assert find_measure("FT").evaluate(example, literal)[0] == 1.0
    assert find_measure("FT(rel=2)").evaluate(example, literal)[0] == pytest.approx(4 / 6)
    assert find_measure("ST").evaluate(example, literal)[0] == pytest.approx(9 / 14)  # Va = 14 < 22: the rule agrees


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("AP(rel=2)", (1 / 1 + 2 / 2 + 3 / 4 + 4 / 5 + 5 / 11) / 6),
        ("AP", (1 / 1 + 2 / 2 + 3 / 3 + 4 / 4 + 5 / 5 + 6 / 6 + 7 / 8 + 8 / 10 + 9 / 11) / 11),
        ("FT(rel=2)", 4 / 6),
        ("FT", 9 / 11),
        ("ST(rel=2)", 5 / 6),
        ("ST", 9 / 11),
        ("Rprec", 9 / 11),
        ("GR1", 9 / 11),
        ("GR2", 9 / 11),
        ("F1", 18 / 25),
        ("E", 18 / 43),
        ("E(rel=2)@32", 10 / 38),
        ("NN", 1),
        ("RR", 1),
        ("P@10", 8 / 10),
        ("P(rel=2)@10", 4 / 10),
        ("P@20", 9 / 20),
        ("R@10", 8 / 11),
        ("F1@10", 16 / 21),
        ("AP@3", 3 / 11),
        ("ADR@2", 1),
    ],
)
def test_example_under_the_default_profile(example, key, expected):
    assert find_measure(key).evaluate(example, find_profile("default"))[0] == pytest.approx(expected, abs=1e-9)


def test_discount_of_text_retrieval_and_exponential_gain(example):
    """The example that tells the conventions apart: .85247, .85092 and .84352."""
    textual = replace(SHREC2006, discount="log2(i+1)")
    assert find_measure("NDCG").evaluate(example, SHREC2006)[0] == pytest.approx(0.8524666, abs=1e-7)
    assert find_measure("NDCG").evaluate(example, textual)[0] == pytest.approx(0.8509164, abs=1e-7)
    exponential = replace(textual, gain="exponential")
    assert find_measure("NDCG").evaluate(example, exponential)[0] == pytest.approx(0.84352, abs=5e-6)


RECALLS = [1 / 1, 2 / 2, 2 / 3, 3 / 4, 4 / 5, 4 / 6, 6 / 7, 7 / 8, 7 / 9, 8 / 10, 9 / 11]
"""The terms of the average dynamic recall, as the report prints them: 1+1+0.667+0.75+0.8+0.667+…"""


def test_the_calculation_lists_the_recalls(example):
    """The table i, found, r(i) of the report."""
    steps = find_measure("ADR").calculation(example, SHREC2006)
    assert steps.found == (1, 2, 2, 3, 4, 4, 6, 7, 7, 8, 9)
    assert [count / i for i, count in enumerate(steps.found, 1)] == pytest.approx(RECALLS)


def test_average_dynamic_recall_by_rank_ends_at_the_printed_value(example):
    curve = find_curve("ADR").evaluate(example, SHREC2006, points=14).y[0]
    np.testing.assert_allclose(curve[:11], np.cumsum(RECALLS) / np.arange(1, 12), rtol=0, atol=1e-14)
    assert curve[10] == pytest.approx(0.819, abs=1e-3)
    held = find_curve("ADR").evaluate(example, SHREC2006, points=30).y[0]
    assert set(held[13:]) == {held[13]}  # the list ends at rank 14
    typke = find_curve("ADR").evaluate(example, find_profile("default"), points=30).y[0]
    np.testing.assert_array_equal(typke[:14], held[:14])
    assert typke[14] == pytest.approx((held[13] * 14 + 9 / 15) / 15, abs=1e-14)


def test_precision_and_recall_by_rank(example):
    found = np.cumsum(np.array(GAINS) > 0)
    for profile in (SHREC2006, find_profile("trec")):
        precision = find_curve("P").evaluate(example, profile, points=16).y[0]
        recall = find_curve("R").evaluate(example, profile, points=16).y[0]
        np.testing.assert_allclose(precision, [*(found / np.arange(1, 15)), 9 / 15, 9 / 16], rtol=0, atol=1e-15)
        np.testing.assert_allclose(recall, [*(found / 11), 9 / 11, 9 / 11], rtol=0, atol=1e-15)
    for key in ("P", "R"):
        shapenet = find_curve(key).evaluate(example, find_profile("shrec2017"), points=16).y[0]
        assert shapenet[14:].tolist() == [0, 0]
        assert shapenet[13] > 0


def test_average_gain_against_recall(example):
    """At each relevant model: gain so far per place, over the recall reached there, 9.1 % to 81.8 %."""
    ranks = np.flatnonzero(GAINS) + 1
    for key, vector in (("CG(recall)", CG), ("DCG(recall)", DCG)):
        curve = find_curve(key).evaluate(example, SHREC2006)
        np.testing.assert_allclose(curve.x[0], np.arange(1, 10) / 11, rtol=0, atol=1e-15)
        np.testing.assert_allclose(curve.y[0], np.array(vector)[ranks - 1] / ranks, rtol=0, atol=PRINTED)
    plain = find_curve("CG(recall)").evaluate(example, SHREC2006)
    assert (plain.x[0, 0], plain.y[0, 0]) == (pytest.approx(0.091, abs=1e-3), 2)
    assert (plain.x[0, -1], plain.y[0, -1]) == (pytest.approx(0.818, abs=1e-3), pytest.approx(1.2727, abs=1e-4))


def test_relevant_scopes(example):
    default = find_profile("default")
    assert find_measure("GRP1").evaluate(example, default)[0] == pytest.approx(9 / 11)
    assert find_measure("GRP2").evaluate(example, default)[0] == pytest.approx(9 / 22)
    assert find_measure("GR3(rel=2)").evaluate(example, default)[0] == pytest.approx(5 / 6)


@pytest.mark.parametrize("profile", [SHREC2006, find_profile("default")], ids=lambda profile: profile.key)
def test_no_printed_value_exceeds_its_ceiling(example, profile):
    """The list has 14 of 1,814 models, 11 of them may be relevant: the second tier reaches 11/14, not 1/2."""
    for key in SHREC2006.measures:
        measure = find_measure(key)
        value, ceiling = measure.evaluate(example, profile)[0], measure.ceiling(example, profile)[0]
        assert (value >= ceiling) if measure.better == "lower" else (value <= ceiling), key
    assert find_measure("ST").ceiling(example, SHREC2006)[0] == pytest.approx(11 / 14)
    assert find_measure("FP").ceiling(example, profile)[0] == 3
    assert find_measure("FN").ceiling(example, profile)[0] == 0
    assert find_measure("P").ceiling(example, profile)[0] == 11 / 14


def test_ceilings_of_the_example(example):
    """Eleven relevant models among the first 32: E can reach 22/43 at best."""
    default = find_profile("default")
    assert find_measure("E").ceiling(example, default)[0] == pytest.approx(2 * 11 / (32 + 11))
    assert find_measure("E(rel=2)").ceiling(example, default)[0] == pytest.approx(2 * 6 / (32 + 6))
    assert find_measure("ST(rel=2)").ceiling(example, SHREC2006)[0] == pytest.approx(6 / 12)
    assert find_measure("DCG").ceiling(example, SHREC2006)[0] == pytest.approx(9.492018, abs=PRINTED)


def test_example_under_the_conventions_of_other_programs(example):
    """The same list by the rules of 2013, 2016, 2017 (RGB-D) and 2021, worked by hand."""
    precisions = sum(k / p for k, p in enumerate((1, 2, 3, 4, 5, 6, 8, 10, 11), 1))
    two_queries = table_of([Case(GAINS, lacking=(2, 1), collection=1814), Case((1,) * 20, highest=2, collection=1814)])
    assert find_measure("AP").evaluate(two_queries, find_profile("shrec2013sketch"))[0] == pytest.approx(
        precisions / 20
    )
    shapenet = find_profile("shrec2016shapenet")
    assert find_measure("AP").evaluate(example, shapenet)[0] == pytest.approx(precisions / 9)
    assert find_measure("NDCG").evaluate(example, shapenet)[0] == pytest.approx(0.9503, abs=5e-5)
    rgbd = find_profile("shrec2017rgbd")
    hits = [g > 0 for g in GAINS]
    gain = hits[0] + sum(hit / log2(rank + 1) for rank, hit in enumerate(hits[:-1], 1))
    ideal = 1 + sum(1 / log2(rank + 1) for rank in range(1, 10))
    assert find_measure("NDCG").evaluate(example, rgbd)[0] == pytest.approx(gain / ideal)
    assert find_measure("ST").evaluate(example, rgbd)[0] == pytest.approx(9 / 14)
    culture = find_profile("shrec2021")
    assert find_measure("FT").evaluate(example, culture)[0] == pytest.approx(10 / 11)
    assert find_measure("ST").evaluate(example, culture)[0] == pytest.approx(10 / 22)
    early = table_of([Case((1, 1, 0, 0, 0)), Case((1, 0, 0, 1)), Case((0, 1, 1, 0))])
    assert find_measure("FT").evaluate(early, culture).tolist() == [3 / 2, 1, 1]
    assert find_measure("ST").evaluate(early, culture).tolist() == [
        1,
        3 / 4,
        1,
    ]  # the last one at 2C: the walk reaches it


def test_e_measure_counts_no_rank_beyond_the_collection():
    """Three models, and two unknown ids kept at ranks 1 and 2: the second relevant model is at rank 4 of 3."""
    hits = table_of([Case((0, 0, 1, 1, 0), collection=3)])
    assert find_measure("E").evaluate(hits, find_profile("trec")).tolist() == [2 * 1 / (3 + 2)]
    assert find_measure("E@2").evaluate(hits, find_profile("trec")).tolist() == [0.0]
    assert find_measure("E@4").evaluate(hits, find_profile("trec")).tolist() == [2 * 1 / (3 + 2)]


def test_true_negatives_are_never_fewer_than_none():
    """Two models, one of them relevant but not listed, and two unknown ids that are kept."""
    hits, trec = table_of([Case((0, 0), lacking=(1,), collection=2)]), find_profile("trec")
    for key, expected in (("TN", 0), ("TN@1", 0), ("FP", 2), ("FN", 1), ("TP", 0)):
        measure = find_measure(key)
        assert measure.evaluate(hits, trec).tolist() == [expected]
        assert measure.ceiling(hits, trec).tolist() == [{"FP": 1, "FN": 0, "TP": 1, "TN": 0, "TN@1": 1}[key]]
        steps = measure.calculation(hits, trec)
        assert (eval(steps.arithmetic), steps.total) == (expected, expected)
