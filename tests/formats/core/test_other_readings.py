"""Which reading a finding offers first: one that is clearly better than chance, else the usual one."""

import numpy as np
import pytest

from shrec_viewer.formats.core.decisions import Alternative, Decision
from shrec_viewer.formats.core.evidence import RankEvidence

NOISE = np.linspace(-0.4, 0.4, 40)


def order(value, mean, spread=1.0):
    return Alternative(value, measure=lambda: RankEvidence(mean + spread * NOISE, 0.3))


@pytest.mark.parametrize(
    ("numbers", "first"),
    [
        (order("numbers", 0.45), "classification"),  # by chance as well as the usual one
        (order("numbers", 0.2, 0.1), "numbers"),
        (order("numbers", 0.8, 0.1), "classification"),
    ],
)
def test_the_first_of_the_other_readings(numbers, first):
    readings = order("names", 0.5), order("classification", 0.5), numbers
    assert next(one.key for one in Decision("order", readings, "names").others) == first
