"""Contrast and colour differences of the palette, in normal and colour-blind vision."""

from itertools import combinations, product

import numpy as np
import pytest

from shrec_viewer.render.scene.palette import (
    CIVIDIS,
    DASHES,
    INK,
    MARKERS,
    PRESETS,
    RANK_CHANGE,
    SERIES,
    StyleSlot,
    contrast,
    map_colours,
    relevance_style,
    run_style,
)
from shrec_viewer.widgets.style.relevance import UNJUDGED, level_mark, query_mark
from shrec_viewer.widgets.style.theme import THEMES

GROUNDS = {name: (theme.surface, theme.window) for name, theme in THEMES.items()}
"""What lists, plots and cards are painted on."""

EYES = {
    "normal": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
"""Machado, Oliveira, Fernandes 2009, severity 1, on linear light."""


TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
"""Linear sRGB to CIE XYZ, white D65."""


def lab(colour: str, eye: np.ndarray) -> np.ndarray:
    """CIELAB (D65) of a colour as that eye sees it."""
    value = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    linear = np.clip(eye @ linear, 0, 1)
    ratio = TO_XYZ @ linear / (0.95047, 1.0, 1.08883)
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def ciede2000(one: np.ndarray, two: np.ndarray) -> float:
    """Sharma, Wu, Dalal 2005."""
    (l1, a1, b1), (l2, a2, b2) = one, two
    mean_c7 = ((np.hypot(a1, b1) + np.hypot(a2, b2)) / 2) ** 7
    g = 0.5 * (1 - np.sqrt(mean_c7 / (mean_c7 + 25.0**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, a1)) % 360, np.degrees(np.arctan2(b2, a2)) % 360
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    dl, dc, dh = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    mean_h = h1 + turn / 2 if c1 * c2 else h1 + h2
    t = (
        1
        - 0.17 * np.cos(np.radians(mean_h - 30))
        + 0.24 * np.cos(np.radians(2 * mean_h))
        + 0.32 * np.cos(np.radians(3 * mean_h + 6))
        - 0.20 * np.cos(np.radians(4 * mean_h - 63))
    )
    sl = 1 + 0.015 * (mean_l - 50) ** 2 / np.sqrt(20 + (mean_l - 50) ** 2)
    sc, sh = 1 + 0.045 * mean_c, 1 + 0.015 * mean_c * t
    rotation = -2 * np.sqrt(mean_c**7 / (mean_c**7 + 25.0**7))
    rotation *= np.sin(np.radians(60 * np.exp(-(((mean_h % 360 - 275) / 25) ** 2))))
    return float(np.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rotation * (dc / sc) * (dh / sh)))


def worst_pair(colours: tuple[str, ...], eyes: tuple[str, ...] = tuple(EYES)) -> float:
    return min(
        ciede2000(lab(one, EYES[eye]), lab(two, EYES[eye])) for eye in eyes for one, two in combinations(colours, 2)
    )


def test_ciede2000_equals_published_values():
    rows = [  # of the test data of Sharma, Wu, Dalal 2005
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 3.1571, -77.2803), (50.0, 0.0, -82.7485), 2.8615),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ]
    for one, two, expected in rows:
        assert ciede2000(np.array(one), np.array(two)) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("preset", PRESETS)
def test_contrast_of_relevance_frames_on_all_backgrounds(preset, theme):
    for style in PRESETS[preset][theme].values():
        for ground in (*GROUNDS[theme], THEMES[theme].picture):
            assert contrast(style.frame, ground) >= 3
        assert contrast(style.badge_ink, style.frame) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_contrast_of_frames_of_queries_and_unjudged_models_on_all_backgrounds(theme):
    for mark in (query_mark(THEMES[theme]), level_mark(UNJUDGED, THEMES[theme])):
        for ground in (*GROUNDS[theme], THEMES[theme].picture):
            assert contrast(mark.colour.name(), ground) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_contrast_of_text_runs_and_rank_changes(theme):
    for ground in GROUNDS[theme]:
        assert contrast(INK[theme], ground) >= 7
        for colour in SERIES[theme]:
            assert contrast(colour, ground) >= {"light": 3, "dark": 3.6}[theme]
        for colour in RANK_CHANGE[theme].values():
            assert contrast(colour, ground) >= 3


@pytest.mark.parametrize(
    ("preset", "theme", "least"),
    [
        ("ordinal", "light", 24),
        ("ordinal", "dark", 24),
        ("strict", "light", 24),
        ("strict", "dark", 20),
        ("contrast", "light", 19),
        ("contrast", "dark", 18),
    ],
)
def test_levels_differ_in_colour_blind_vision(preset, theme, least):
    frames = tuple(PRESETS[preset][theme][level].frame for level in (0, 1, 2))
    assert round(worst_pair(frames)) >= least
    assert worst_pair((*frames, PRESETS[preset][theme][3].frame)) > 12


@pytest.mark.parametrize("theme", THEMES)
def test_runs_differ_in_colour_blind_vision(theme):
    assert len(SERIES[theme]) == 8
    assert round(worst_pair(SERIES[theme]), 1) >= {"light": 17.2, "dark": 17.5}[theme]
    assert round(worst_pair(SERIES[theme], ("normal",)), 1) >= {"light": 25.5, "dark": 26.3}[theme]


@pytest.mark.parametrize("theme", THEMES)
def test_minimum_difference_of_first_and_consecutive_participants(theme):
    first = SERIES[theme][:4]
    assert worst_pair(first, ("normal",)) > 31
    for pair in zip(SERIES[theme], SERIES[theme][1:], strict=False):
        assert worst_pair(pair, ("normal",)) > 31
        assert worst_pair(pair) > 17


@pytest.mark.parametrize("theme", THEMES)
def test_at_most_one_run_is_similar_to_text_colour(theme):
    chroma = [np.hypot(*lab(colour, EYES["normal"])[1:]) for colour in SERIES[theme]]
    lightness = [lab(colour, EYES["normal"])[0] for colour in SERIES[theme]]
    pale = [c < 15 for c in chroma]
    assert sum(pale) <= 1
    assert all(21 < value < 91 for value in lightness)


def test_levels_differ_without_any_colour():
    for theme in THEMES:
        marks = {(s.width, s.line, s.glyph) for s in PRESETS["ordinal"][theme].values()}
        assert len(marks) == len({s.glyph for s in PRESETS["ordinal"][theme].values()}) == 4
    assert relevance_style(7).glyph == relevance_style(3).glyph
    assert relevance_style(-1) == relevance_style(0)


def test_slots_are_distinct_styles_and_themes_share_dash_and_marker():
    slots = [StyleSlot(*slot) for slot in product(range(8), range(len(DASHES)), range(len(MARKERS)))]
    for theme in THEMES:
        styles = {run_style(slot, theme) for slot in slots}
        assert len(styles) == len(slots) == 200
        assert {style.marker for style in styles} == {"", *MARKERS[1:]}
    assert all(run_style(slot, "light")[1:] == run_style(slot, "dark")[1:] for slot in slots)


def test_themes_keep_the_hue_of_each_participant():
    for light, dark in zip(SERIES["light"], SERIES["dark"], strict=True):
        (_, a1, b1), (_, a2, b2) = lab(light, EYES["normal"]), lab(dark, EYES["normal"])
        if np.hypot(a1, b1) < 15:
            assert np.hypot(a2, b2) < 15, "grey stays grey"
        else:
            turn = np.degrees(np.arctan2(b2, a2) - np.arctan2(b1, a1))
            assert abs((turn + 180) % 360 - 180) <= 20


def test_colour_maps_interpolate_entries_and_nan_is_transparent():
    at = np.linspace(-2, 2, len(CIVIDIS))
    hexes = [f"#{red:02X}{green:02X}{blue:02X}" for red, green, blue, _ in map_colours(at, CIVIDIS, -2, 2).tolist()]
    assert hexes == list(CIVIDIS)
    beyond = map_colours(np.array([[-9.0, 9.0], [np.nan, 0.5]]), CIVIDIS, 0, 1)
    assert beyond.shape == (2, 2, 4)
    assert beyond[0, 0].tolist() == [0x00, 0x22, 0x4E, 255]
    assert beyond[0, 1].tolist() == [0xFE, 0xE8, 0x38, 255]
    assert beyond[1, 0].tolist() == [0, 0, 0, 0]
    assert map_colours(np.array([3.0]), CIVIDIS, 3, 3).shape == (1, 4)


def test_lightness_of_the_colour_map_rises():
    lightness = [lab(colour, EYES["normal"])[0] for colour in CIVIDIS]
    assert (np.diff(lightness) > 0).all()
