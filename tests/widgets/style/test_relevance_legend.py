"""The legend says what the frames mean, in the words of the truth at hand."""

import pytest
from PySide6.QtGui import QColor

from shrec_viewer.render.scene.palette import PRESETS
from shrec_viewer.widgets.style.relevance import RelevanceLegend
from shrec_viewer.widgets.style.theme import DARK, LIGHT


@pytest.fixture
def legend(qtbot):
    shown = RelevanceLegend()
    qtbot.addWidget(shown)
    shown.set_levels((2, 1, 0, -1))
    shown.resize(shown.sizeHint())
    shown.show()
    return shown


def shown_text(legend):
    return [(mark.glyph, mark.text, text) for (mark, _), text in zip(legend._entries(), legend.texts(), strict=True)]


def test_levels_are_listed_from_the_highest(legend):
    assert shown_text(legend) == [
        ("●", "2", "highly relevant"),
        ("◐", "1", "marginally relevant"),
        ("○", "0", "not relevant"),
        ("", "?", "not assessed"),
        ("", "Q", "query"),
    ]


@pytest.mark.parametrize(
    ("levels", "texts"),
    [
        ((0, 1), ["relevant", "not relevant", "query"]),
        ((1,), ["relevant", "not relevant", "query"]),
        ((0, 1, 3), ["most relevant", "marginally relevant", "not relevant", "query"]),
        ((7, 2), ["most relevant", "highly relevant", "not relevant", "query"]),
        ((-1,), ["not assessed", "query"]),
        ((), ["query"]),
    ],
)
def test_only_occurring_levels_are_listed(legend, levels, texts):
    legend.set_levels(levels)
    legend.resize(legend.sizeHint())
    assert legend.texts() == texts


def test_binary_level_is_called_relevant(legend):
    legend.set_levels((0, 1))
    mark, _ = legend._entries()[0]
    assert (mark.glyph, mark.text, mark.colour) == ("●", "1", QColor(PRESETS["ordinal"]["light"][2].frame))


def test_labels_are_dropped_from_the_end_and_badges_stay(legend):
    widths = range(legend.sizeHint().width(), legend.minimumSizeHint().width() - 1, -10)
    counts = [sum(map(bool, legend.texts(width))) for width in widths]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 5
    assert counts[-1] == 0
    assert legend.texts(240)[0] == "highly relevant"
    assert "marginally" in legend.toolTip()
    assert "not assessed" in legend.accessibleName()


def test_counts_shorten_the_names(legend):
    legend.set_counts({2: (8, 8), 1: (1200, 1300)})
    legend.resize(legend.sizeHint())
    assert legend.texts() == ["highly 8 of 8", "marginally 1,200 of 1,300", "not relevant", "not assessed", "query"]
    assert "2 highly relevant (8 of 8 listed), 1 marginally relevant (1,200 of 1,300 listed)" in legend.toolTip()
    legend.set_levels((0, 1))
    legend.set_counts({1: (0, 3)})
    legend.resize(legend.sizeHint())
    assert legend.texts() == ["relevant 0 of 3", "not relevant", "query"]
    legend.set_counts({})
    assert legend.texts() == ["relevant", "not relevant", "query"]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_colours_are_those_of_the_frames(legend, theme, use_theme):
    use_theme(theme)
    image = legend.grab().toImage()
    shades = {image.pixelColor(x, y).name().upper() for x in range(image.width()) for y in range(image.height())}
    assert {PRESETS["ordinal"][theme.name][level].frame for level in (1, 2)} <= shades
