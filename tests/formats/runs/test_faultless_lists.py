"""Lists without a fault, of which a file may have hundreds of thousands, are found together."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from shrec_viewer.formats.runs.checks import ParsedList, check_list, faultless_lists

N_MODELS = 9
ODD = (np.nan, np.inf, -np.inf, 1e39)


@pytest.mark.parametrize("seed", range(40))
def test_they_are_those_without_a_finding(seed):
    """Each list is as `check_list` finds it, and is None where that finds anything."""
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 6, 60)
    starts = np.cumsum(lengths) - lengths
    items = np.concatenate([random.permutation(N_MODELS)[:length] for length in lengths]).astype(np.int32)
    distances = np.concatenate([np.sort(random.integers(0, 4, length)) for length in lengths]).astype(np.float64)
    lines = np.arange(1, len(items) + 1, dtype=np.int32)
    for places, values in ((items, (-1, 0, N_MODELS - 1)), (distances, (*ODD, -1.0))):
        changed = random.choice(len(items), 12, replace=False)
        places[changed] = random.choice(values, 12)
    found = faultless_lists(Path("R"), items, distances, lines, starts)
    expected = []
    for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        rows = slice(start, start + length)
        words = [str(item) for item in items[rows]]
        expected.append(
            check_list(ParsedList(Path("R"), words, items[rows], distances[rows], ["nan"] * length, lines[rows]))
        )
    are_faultless = [not checked.faults and not len(checked.unusual) and not checked.unknown for checked in expected]
    assert 10 < sum(are_faultless) < 50
    for checked, other, is_faultless in zip(found, expected, are_faultless, strict=True):
        assert (checked is not None) == is_faultless
        if checked is None:
            continue
        for field in fields(checked):
            np.testing.assert_array_equal(getattr(checked, field.name), getattr(other, field.name))
