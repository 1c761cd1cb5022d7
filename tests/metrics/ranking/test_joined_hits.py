"""Queries of several hit tables, joined into one, are measured as in their own tables."""

import numpy as np
import pytest
from hit_tables import Case, table_of

from shrec_viewer.metrics import MEASURES, PROFILES, HitTable, find_measure


@pytest.mark.parametrize("profile", [p for p in PROFILES if p.ap_divisor != "largest class"], ids=lambda p: p.key)
def test_measures_of_joined_tables_equal_those_of_each(profile):
    rng = np.random.default_rng(19)
    queries = [Case((0,) * 3 + (2,), (1, 1), 40, 2), Case((), (1,), 40, 2), Case((0, 0), (), 40, 2)]
    tables = [
        table_of([*queries, Case(tuple(rng.integers(0, 3, 30).tolist()), (2, 1), 40, 2)]) for _ in range(3)
    ]  # fmt: skip
    joined = HitTable.joined(tables)
    assert len(joined) == sum(map(len, tables))
    for measure in (find_measure(row.name) for row in MEASURES if not (row.uses_largest_class or row.uses_classes)):
        expected = np.concatenate([measure.evaluate(table, profile) for table in tables])
        np.testing.assert_array_equal(measure.evaluate(joined, profile), expected, err_msg=measure.key)
