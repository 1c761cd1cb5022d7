"""Measures and curves against the slow program, on random graded and truncated lists, to 1e-12."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hit_tables import Case, table_of
from hypothesis import example, given, settings
from hypothesis import strategies as st
from slow_measures import slow_curve, slow_measure

from shrec_viewer.metrics import CURVES, MEASURES, PROFILES, find_profile

EXACT = 1e-12
"""Sums of a few hundred shares in double precision, added in another order."""

DEFAULT = find_profile("default")
CONVENTIONS = [
    *PROFILES,
    *(replace(DEFAULT, tiers=tiers) for tiers in ("literal", "precision")),
    *(
        replace(DEFAULT, gain=gain, discount=discount, ideal=ideal)
        for gain, discount, ideal in product(
            ("linear", "exponential"), ("jarvelin", "log2(i+1)"), ("truth", "retrieved")
        )
    ),
]
CUTOFFS = (None, 1, 2, 5, 10, 32, 100)


def cases(highest: int, longest: int = 60) -> st.SearchStrategy[Case]:
    """A truncated list of graded relevance; everything the list lacks has a level too."""
    levels = st.lists(st.integers(0, highest), max_size=longest).map(tuple)
    return st.builds(Case, gains=levels, lacking=levels, highest=st.just(highest))


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


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
@given(table=tables)
@example(table=CORNERS)
@settings(max_examples=25, deadline=None)
def test_measures(measure, table):
    hits = table_of(table)
    for profile in CONVENTIONS:
        for level in range(1, hits.highest_level + 1) if measure.takes_level else [1]:
            for cutoff in CUTOFFS if measure.takes_cutoff else [None]:
                found = measure.at(level, cutoff).evaluate(hits, profile)
                expected = [slow_measure(measure.name, level, cutoff, case, profile) for case in table]
                np.testing.assert_allclose(found, expected, rtol=EXACT, atol=EXACT, err_msg=f"{profile} {cutoff}")


@pytest.mark.parametrize("kind", [kind for kind in CURVES if kind.key != "PR20(self)"], ids=lambda kind: kind.key)
@given(table=tables)
@example(table=CORNERS)
@settings(max_examples=25, deadline=None)
def test_curves(kind, table):
    hits = table_of(table)
    for profile in CONVENTIONS:
        found = kind.evaluate(hits, profile, points=25)
        for query, case in enumerate(table):
            expected = slow_curve(kind.key, case, profile, 25)
            y = found.y[query]
            if kind.key == "PR":
                assert np.all(np.isnan(y[len(expected) :]))
                y = y[: len(expected)]
                x = found.x[query][: len(expected)]
                np.testing.assert_allclose(x, [(k + 1) / case.count(1) for k in range(len(expected))], rtol=EXACT)
            np.testing.assert_allclose(y, expected, rtol=EXACT, atol=EXACT, err_msg=str(profile))
