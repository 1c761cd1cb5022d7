"""Lines for comparison as contents of figures."""

import numpy as np

from shrec_viewer.charts.plot import area_between_lines


def test_band_skips_undefined_samples():
    area = area_between_lines("B", np.arange(4.0), np.array([0, np.nan, 0, 0]), np.array([1, 1, np.nan, 1]))
    assert area.x.tolist() == [0, 3, 3, 0]
    assert area.y.tolist() == [0, 0, 1, 1]
