"""Contingency tables computed by hand."""

import math

import pytest
from small_benchmarks import external, itself

from shrec_viewer.content.data import ContentData
from shrec_viewer.content.lists import ContingencyRequest, contingency_table
from shrec_viewer.evaluation.ranked_list import contingency_counts, ranked_list
from shrec_viewer.metrics import find_profile

DEFAULT = find_profile("default")


def counts(benchmark, run, query, scope, least_level=1):
    shown = ranked_list(benchmark, benchmark.runs[run], query, DEFAULT)
    return contingency_counts(benchmark, DEFAULT, query, shown, scope, least_level)


@pytest.mark.parametrize(
    ("scope", "least_level", "expected"),
    [(0, 1, (0, 0, 3, 3)), (2, 1, (2, 0, 1, 3)), (4, 1, (3, 1, 0, 2)), (4, 2, (2, 2, 0, 2))],
)
def test_complete_list(scope, least_level, expected):
    """List a b d c e f; a and b have level 2, d has level 1."""
    table = counts(external(), 0, 0, scope, least_level)
    assert (table.tp, table.fp, table.fn, table.tn) == expected
    assert table.generality == (3 if least_level == 1 else 2) / 6


def test_table_1_with_its_marginals():
    """List a b d c e f, a b d relevant: at s = 2, v = 2, c = 3, d = 6, e = 3 (Sebe et al., table 1, equation 11)."""
    request = ContingencyRequest(queries=(external().queries.ids[0],), scope=2)
    table = contingency_table(ContentData(external(), DEFAULT), request)
    assert table.headings == ("Models", "Retrieved", "Not retrieved", "All")
    assert table.rows[:3] == (("relevant", 2, 1, 3), ("not relevant", 0, 3, 3), ("all", 2, 4, 6))
    # List a b d c e f, a and b of level 2, d of level 1: Vh of Ch, Vm of Cm, Vn of Cn (SHREC 2006).
    assert table.rows[3:6] == (("level 2", 2, 0, 2), ("level 1", 0, 1, 1), ("level 0", 0, 3, 3))
    assert {row[0]: row[3] for row in table.rows[6:]} == {
        "Precision v/s": 1.0, "Recall v/c": 2 / 3, "F-measure": 0.8, "Generality c/d": 0.5, "Share v/d": 2 / 6,
        "Ranks to next relevant": 1,
    }  # fmt: skip


def test_binary_levels_are_not_counted_twice():
    table = contingency_table(ContentData(itself(), DEFAULT), ContingencyRequest(scope=2))
    assert not [row for row in table.rows if row[0].startswith("level")]


def test_levels_of_models_that_were_not_retrieved():
    """List d a: b, of level 2, is not in the list; level 0 has c, e and f."""
    assert counts(external(), 1, 0, 2).by_level == ((2, 1, 2), (1, 1, 1), (0, 0, 3))


@pytest.mark.parametrize(("scope", "further"), [(0, 1), (1, 1), (2, 1), (3, None), (6, None)])
def test_ranks_to_the_next_relevant_model(scope, further):
    assert counts(external(), 0, 0, scope).further == further


def test_relevant_models_that_were_not_retrieved_are_false_negatives():
    """List d a: b is relevant and not in the list."""
    table = counts(external(), 1, 0, 2)
    assert (table.tp, table.fp, table.fn, table.tn) == (2, 0, 1, 3)
    assert (table.precision, table.recall, table.f_measure) == (1.0, 2 / 3, 0.8)


def test_the_query_itself_is_not_counted():
    table = counts(itself(), 0, 1, 2)
    assert (table.tp, table.fp, table.fn, table.tn) == (2, 0, 0, 3)


def test_undefined_values_are_nan():
    """Query q2 has no relevant models."""
    table = counts(external(), 0, 2, 0)
    assert math.isnan(table.precision)
    assert math.isnan(table.recall)
    assert math.isnan(table.f_measure)
    assert table.generality == 0.0
