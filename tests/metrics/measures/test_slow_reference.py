"""Measures and curves equal a slow reference on random graded and truncated lists, to 1e-12."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hit_tables import Case, table_of
from hypothesis import example, given, settings
from hypothesis import strategies as st
from slow_measures import BY_GENERALITY, sample, slow_by_scope, slow_curve, slow_generality, slow_measure

from shrec_viewer.metrics import CURVES, MEASURES, PROFILES, find_curve, find_profile
from shrec_viewer.metrics.curves.precision_recall import sampled_scopes

EXACT = 1e-12
"""Sums of a few hundred shares in double precision, added in another order."""

DEFAULT = find_profile("default")
CONVENTIONS = [
    *PROFILES,
    *(replace(DEFAULT, tiers=tiers) for tiers in ("literal", "precision")),
    replace(DEFAULT, adr="protein2021", anmrr="shrec2022"),
    *(
        replace(DEFAULT, gain=gain, discount=discount, ideal=ideal)
        for gain, discount, ideal in product(
            ("linear", "binary", "exponential"), ("jarvelin", "log2(i+1)", "rgbd"), ("truth", "retrieved")
        )
    ),
    *(replace(DEFAULT, discount=discount, ideal="targets") for discount in ("jarvelin", "rgbd")),
]
CUT = [replace(profile, list_cut=7) for profile in PROFILES if profile.list_cut is not None]
CUT.append(replace(CUT[0], ap_divisor="reachable"))
"""Profiles with a cut short enough to matter; the lists are no longer than that."""

CUTOFFS = (None, 1, 2, 5, 10, 32, 100)


def cases(highest: int, longest: int = 60) -> st.SearchStrategy[Case]:
    """A truncated list of graded relevance; everything the list lacks has a level too."""
    levels = st.lists(st.integers(0, highest), max_size=longest).map(tuple)
    own = st.integers(0, longest)
    return st.builds(Case, gains=levels, lacking=levels, highest=st.just(highest), own=own)


tables = st.integers(1, 4).flatmap(lambda highest: st.lists(cases(highest), min_size=1, max_size=6))
CORNERS = [
    Case((), highest=2),
    Case((), lacking=(0, 0), highest=2),
    Case((0, 0), highest=2),
    Case((), lacking=(2, 1), highest=2),
    Case((2,), highest=2),
    Case((1,), lacking=(2, 0), highest=2),
    Case((0, 1, 0), lacking=(0, 1), highest=2),
]


CONVENTIONS_OF = {
    **dict.fromkeys(("AP", "GMAP"), ("ap_divisor", "list_cut")),
    "FT": ("tiers",),
    "ST": ("tiers",),
    "ADR": ("adr",),
    "ANMRR": ("anmrr",),
    "P": ("precision_divisor",),
    "CG": ("gain",),
    "DCG": ("gain", "discount"),
    **dict.fromkeys(
        ("NCG", "NDCG", "CG(wasted)", "DCG(wasted)"), ("gain", "discount", "ideal", "relevant", "list_cut")
    ),
    **dict.fromkeys(("R", "F1", "F(beta=2)", "E", "E(rijsbergen)"), ("relevant", "list_cut")),
}
"""Conventions on which the reference of a measure depends; those of other measures depend on none."""

CONVENTIONS_OF_CURVE = {
    "ADR": ("adr",),
    "CG": ("gain",),
    "DCG": ("gain", "discount"),
    "CG(recall)": ("gain",),
    "DCG(recall)": ("gain", "discount"),
    **dict.fromkeys(("NCG", "NDCG"), ("gain", "discount", "ideal", "relevant", "list_cut")),
    **dict.fromkeys(("P", "R"), ("relevant", "list_cut", "past_end", "precision_divisor")),
}
"""The same for curves."""

GAIN_ONLY = len(PROFILES) + 3
"""Conventions from here on differ in gain, discount and ideal only; other measures are called with every sixth."""


def conventions_for(fields):
    """Conventions that a measure or curve is called with, where `fields` are those on which it depends."""
    is_of_gain = {"gain", "discount", "ideal"} & set(fields)
    return CONVENTIONS if is_of_gain else [*CONVENTIONS[:GAIN_ONLY], *CONVENTIONS[GAIN_ONLY::6]]


_values = {}


def expected_values(name, level, cutoff, table, profile):
    """Reference values, computed once for all profiles with the same conventions for this measure.

    Most of the 31 profiles are the same to a measure; the program is called with each of them.
    """
    conventions = tuple(getattr(profile, field) for field in CONVENTIONS_OF.get(name, ()))
    key = (name, level, cutoff, tuple(table), conventions)
    if key not in _values:
        if len(_values) > 10_000:
            _values.clear()
        largest = max(case.count(level) for case in table)
        _values[key] = [slow_measure(name, level, cutoff, case, profile, largest) for case in table]
    return _values[key]


def expected_curve(key, case, profile, points):
    """Reference ordinates of a curve, computed once for all profiles with the same conventions for it."""
    conventions = tuple(getattr(profile, field) for field in CONVENTIONS_OF_CURVE.get(key, ()))
    entry = ("curve", key, case, points, conventions)
    if entry not in _values:
        _values[entry] = slow_curve(key, case, profile, points)
    return _values[entry]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
@given(table=tables)
@example(table=CORNERS)
@settings(max_examples=10, deadline=None)
def test_measures(measure, table):
    hits = table_of(table)
    for profile in conventions_for(CONVENTIONS_OF.get(measure.name, ())):
        levels = range(1, hits.highest_level + 1) if measure.takes_level else [1]
        forms = list(product(levels, CUTOFFS if measure.takes_cutoff else [None]))
        found = [measure.at(level, cutoff).evaluate(hits, profile) for level, cutoff in forms]
        expected = [expected_values(measure.name, level, cutoff, table, profile) for level, cutoff in forms]
        np.testing.assert_allclose(found, expected, rtol=EXACT, atol=EXACT, err_msg=f"{profile} {forms}")


@pytest.mark.parametrize("kind", CURVES, ids=lambda kind: kind.key)
@given(table=tables)
@example(table=CORNERS)
@settings(max_examples=10, deadline=None)
def test_curves(kind, table):
    hits = table_of(table)
    conventions = conventions_for(CONVENTIONS_OF_CURVE.get(kind.key, ()))
    for profile in [DEFAULT] if kind.key in BY_GENERALITY else conventions:
        found = kind.evaluate(hits, profile, points=25)
        for query, case in enumerate(table):
            expected = expected_curve(kind.key, replace(case, highest=hits.highest_level), profile, 25)
            y = found.y[query]
            if kind.key in BY_GENERALITY:
                x = [level for level, _ in slow_generality(kind.key, case)]
                y = y[~np.isnan(y)]
                np.testing.assert_allclose(found.x[query][: len(x)], x, rtol=EXACT, atol=EXACT)
            if kind.key in ("PR", "CG(recall)", "DCG(recall)", "F1(recall)"):
                assert np.all(np.isnan(y[len(expected) :]))
                y = y[: len(expected)]
                x = found.x[query][: len(expected)]
                np.testing.assert_allclose(x, [(k + 1) / case.count(1) for k in range(len(expected))], rtol=EXACT)
            np.testing.assert_allclose(y, expected, rtol=EXACT, atol=EXACT, err_msg=profile.key)


@given(table=tables)
@example(table=CORNERS)
@settings(max_examples=10, deadline=None)
def test_precision_and_recall_at_equal_rank(table):
    found = find_curve("PR").averaged("rank").function(table_of(table), DEFAULT, 100)
    longest = max(len(case.gains) for case in table)
    scopes = sampled_scopes(longest).tolist()
    assert scopes[0] == 1
    assert scopes[-1] == max(longest, 1)
    for query, case in enumerate(table):
        expected = np.array([slow_by_scope(case, scope) for scope in scopes])
        np.testing.assert_allclose(found.y[query], expected[:, 1], rtol=EXACT)
        np.testing.assert_allclose(found.x[query], expected[:, 0], rtol=EXACT)


def cut(table: list[Case]) -> list[Case]:
    """The same queries with lists cut off at rank 7; later models are not retrieved."""
    return [Case(case.gains[:7], case.gains[7:] + case.lacking, highest=case.highest) for case in table]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
@given(table=tables)
@example(table=CORNERS)
@settings(max_examples=8, deadline=None)
def test_measures_of_cut_lists(measure, table):
    """With more relevant models than a list may hold, where conventions differ."""
    table = cut(table)
    hits = table_of(table)
    for profile in CUT:
        for cutoff in (None, 3, 9) if measure.takes_cutoff else [None]:
            found = measure.at(1, cutoff).evaluate(hits, profile)
            expected = expected_values(measure.name, 1, cutoff, table, profile)
            np.testing.assert_allclose(found, expected, rtol=EXACT, atol=EXACT, err_msg=f"{profile} {cutoff}")


@pytest.mark.parametrize("key", ["P", "R", "NDCG", "NCG", "DCG(recall)"])
@given(table=tables)
@settings(max_examples=8, deadline=None)
def test_curves_of_cut_lists(key, table):
    table = cut(table)
    hits = table_of(table)
    for profile in CUT:
        found = find_curve(key).evaluate(hits, profile, points=12).y
        for query, case in enumerate(table):
            expected = slow_curve(key, case, profile, 12)
            np.testing.assert_allclose(found[query][: len(expected)], expected, rtol=EXACT, atol=EXACT)


@pytest.mark.parametrize("key", ["CG(recall)", "DCG(recall)", "F1(recall)"])
@given(table=tables)
@settings(max_examples=8, deadline=None)
def test_values_against_recall_are_averaged_at_equal_recall(key, table):
    """At recall j/20: linear between relevant models, 0 for those that the list lacks, as precision is."""
    hits = table_of(table)
    found = find_curve(key).averaged().function(hits, DEFAULT, 100)
    np.testing.assert_array_equal(found.x, np.arange(1, 21) / 20)
    for query, case in enumerate(table):
        at_hits = slow_curve(key, case, DEFAULT, 20)
        padded = at_hits + [0.0] * (case.count(1) - len(at_hits))
        expected = [sample(padded, j) for j in range(1, 21)]
        np.testing.assert_allclose(found.y[query], expected, rtol=EXACT, atol=EXACT)
