"""The chart of versions names the ends of its scale so that they differ."""

import math

import pytest

from shrec_viewer.widgets.plots.version_chart import VersionChart


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([0.25, 0.5], "0.250 to 0.500"),
        ([0.1655, math.nan, 0.1658], "0.1655 to 0.1658"),
        ([0.16561, 0.16562], "0.16561 to 0.16562"),
        ([0.2, 0.2 + 1e-12], "0.200000 to 0.200000"),
        ([0.2, 0.2], "0.200 to 0.200"),
    ],
)
def test_ends_of_the_scale_have_the_decimals_by_which_they_differ(values, ends, qtbot):
    chart = VersionChart()
    qtbot.addWidget(chart)
    chart.resize(300, 84)
    chart.set_values([0.25, 0.5])
    left = chart.points()[0].x()
    chart.set_values(values)
    assert chart.accessibleName() == f"Values of {len(values)} versions, {ends}"
    grown = chart.points()[0].x() - left
    assert (grown > 0) == (len(ends) > len("0.250 to 0.500"))
