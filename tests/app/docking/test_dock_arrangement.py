"""Layouts of docks: read from a window, arranged in another one, and validated."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QWidget

import shrec_viewer
from shrec_viewer.app.docking.dock_layout import arrange_docks, raise_current, read_layout, size_requests
from shrec_viewer.app.docking.saved_layout import (
    MAX_PIXELS,
    DockLayout,
    FloatingPanel,
    LayoutError,
    SplitDocks,
    TabGroup,
    layout_from_data,
    panels_of,
)
from shrec_viewer.formats.io.limits import MAX_DEPTH
from shrec_viewer.formats.io.schema import to_data
from shrec_viewer.panels import docked_panels

KEYS = tuple(panel.key for panel in docked_panels())
DOCKS = {key: key for key in KEYS}

LAYOUT = DockLayout(
    {
        "left": TabGroup(260, ("queries", "suspects"), "suspects"),
        "right": SplitDocks(
            330,
            "vertical",
            (TabGroup(300, ("gain",), "gain"), TabGroup(200, ("confusion", "mesh_view"), "confusion")),
        ),
    },
    (FloatingPanel("robustness", 40, -20, 300, 200),),
    has_default_sizes=True,
)


def make_window(layout, size=(1600, 1000)):
    """A window with all docks, arranged in a layout, and the docks."""
    window = QMainWindow()
    window.setDockNestingEnabled(True)
    window.setCentralWidget(QWidget())
    docks = {}
    for key in KEYS:
        docks[key] = QDockWidget(key, window)
        docks[key].setObjectName(key)
        docks[key].setTitleBarWidget(QWidget())
        docks[key].setWidget(QWidget())
        docks[key].widget().setMinimumSize(70, 70)
        docks[key].hide()
    window.resize(*size)
    window.show()
    arrange_docks(window, docks, layout)
    raise_current(docks, layout)
    for _ in range(2):
        QApplication.sendPostedEvents()
        for arguments in size_requests(docks, layout):
            window.resizeDocks(*arguments)
        window.layout().activate()
    return window, docks


def rects(docks):
    return {key: dock.geometry().getRect() for key, dock in docks.items() if not dock.isHidden() and dock.x() >= 0}


@st.composite
def parts(draw, keys, depth=0):
    """A part with all the keys."""
    size = draw(st.integers(20, 400))
    if len(keys) == 1 or depth == 3 or draw(st.booleans()):
        return TabGroup(size, tuple(keys), draw(st.sampled_from(keys)))
    cut = draw(st.integers(1, len(keys) - 1))
    inner = draw(parts(keys[:cut], depth + 1)), draw(parts(keys[cut:], depth + 1))
    return SplitDocks(size, draw(st.sampled_from(("horizontal", "vertical"))), inner)


@st.composite
def layouts(draw):
    keys = draw(st.permutations(KEYS))
    areas = {}
    for area in ("left", "right", "top", "bottom"):
        n = draw(st.integers(0, 4))
        if n:
            areas[area] = draw(parts(keys[:n]))
            keys = keys[n:]
    floating = tuple(
        FloatingPanel(key, *draw(st.tuples(*[st.integers(0, 600)] * 2, *[st.integers(100, 400)] * 2)))
        for key in keys[: draw(st.integers(0, 2))]
    )
    return DockLayout(areas, floating, draw(st.booleans()))


BESIDE_TABS = DockLayout(
    {
        "right": SplitDocks(
            20,
            "horizontal",
            (TabGroup(20, ("queries",), "queries"), TabGroup(20, ("suspects", "precision_recall"), "suspects")),
        )
    },
    (FloatingPanel("gain", 0, 0, 100, 100),),
    has_default_sizes=False,
)


@given(layout=layouts())
@example(layout=BESIDE_TABS)
@hypothesis_settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_arranged_layout_is_read_and_arranged_again_alike(qapp, layout):
    window, docks = make_window(layout)
    found = read_layout(window, docks, has_default_sizes=layout.has_default_sizes)
    assert found.areas.keys() == layout.areas.keys()
    for area, part in layout.areas.items():
        assert sorted(panels_of(found.areas[area])) == sorted(panels_of(part))
    assert sorted(found.floating, key=str) == sorted(layout.floating, key=str)
    assert tabs(found) == tabs(layout)
    stored = layout_from_data(json.loads(json.dumps(to_data(found))), DOCKS)
    assert stored == found
    again, docks_again = make_window(stored)
    assert rects(docks_again) == rects(docks)
    assert read_layout(again, docks_again, has_default_sizes=layout.has_default_sizes) == found
    window.close()
    again.close()


def tabs(layout):
    """The tab groups of a layout, in any order."""
    groups, open_parts = set(), list(layout.areas.values())
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, SplitDocks):
            open_parts += part.parts
        else:
            groups.add((part.panels, part.current))
    return groups


def test_sizes_of_nested_splits_are_restored_exactly(qapp):
    bottom = TabGroup(220, ("leaderboard", "robustness"), "robustness")
    right = SplitDocks(
        410,
        "vertical",
        (
            SplitDocks(333, "horizontal", (TabGroup(150, ("gain",), "gain"), TabGroup(254, ("suspects",), "suspects"))),
            TabGroup(200, ("findings",), "findings"),
        ),
    )
    window, docks = make_window(DockLayout({"right": right, "bottom": bottom}))
    assert docks["gain"].width() == 150
    assert docks["findings"].width() == 410 or docks["gain"].width() + docks["suspects"].width() < 410
    found = read_layout(window, docks, has_default_sizes=False)
    assert found.areas["bottom"] == bottom
    assert found.areas["right"].parts[0].parts[0].size == 150


def test_a_drag_of_a_dock_to_the_top_is_stored(qapp):
    window, docks = make_window(DockLayout({}))
    window.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, docks["gain"])
    docks["gain"].show()
    window.layout().activate()
    found = read_layout(window, docks, has_default_sizes=False)
    assert list(found.areas) == ["top"]
    again, docks_again = make_window(found)
    assert again.dockWidgetArea(docks_again["gain"]) == Qt.DockWidgetArea.TopDockWidgetArea


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_floating_panel_is_never_larger_than_the_screen(qapp):
    floating = FloatingPanel("gain", 10, 10, MAX_PIXELS, MAX_PIXELS)
    _, docks = make_window(DockLayout({}, (floating,)))
    available = QApplication.primaryScreen().virtualSize()
    assert docks["gain"].width() <= available.width()
    assert docks["gain"].height() <= available.height()


def nested(depth):
    part = {"size": 9, "tabs": ["gain"], "current": "gain"}
    for _ in range(depth):
        part = {
            "size": 9,
            "split": "vertical",
            "parts": [part, {"size": 9, "tabs": ["suspects"], "current": "suspects"}],
        }
    return part


def changed(path, value):
    data = to_data(LAYOUT)
    table = data
    for step in path[:-1]:
        table = table[step]
    table[path[-1]] = value
    return data


SIZE = f"'areas.left.size' must be an integer from 1 to {MAX_PIXELS}"
POSITION = f"'floating.0.x' must be an integer from -{MAX_PIXELS} to {MAX_PIXELS}"
DEEPEST = "areas.right" + ".parts.0" * (MAX_DEPTH // 2 - 1)
TOO_DEEP = f"'{DEEPEST}.size' is nested more than {MAX_DEPTH} levels deep, the limit"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (None, "it is not a table"),
        (b"\x00" * 600, "it is not a table"),
        ("AAAA/wAAAAD9", "it is not a table"),
        ({}, "it has no 'areas'"),
        (changed(["state"], "AAAA"), "'state' is unknown"),
        (changed(["areas", "middle"], {}), "'areas.middle' is unknown"),
        (changed(["areas", "left"], []), "'areas.left' is not a table"),
        (changed(["areas", "left", "size"], -4), SIZE),
        (changed(["areas", "left", "size"], 10**30), SIZE),
        (changed(["areas", "left", "size"], True), SIZE),
        (changed(["areas", "left", "size"], float("nan")), SIZE),
        (changed(["areas", "left", "tabs"], []), "'areas.left' has a current panel that is none of its tabs"),
        (changed(["areas", "left", "tabs", 0], 7), "'areas.left.tabs.0' is not text"),
        (
            changed(["areas", "left", "tabs", 0], "ranked_list"),
            "'areas.left.tabs.0' must be the key of a panel, not 'ranked_list'",
        ),
        (
            changed(["areas", "left", "tabs", 0], "\x1b[31m"),
            r"'areas.left.tabs.0' must be the key of a panel, not '\x1b[31m'",
        ),
        (changed(["areas", "left", "tabs", 0], "gain"), "it contains the panel 'gain' twice"),
        (
            changed(["areas", "right", "split"], "diagonal"),
            "'areas.right.split' must be one of horizontal, vertical, not 'diagonal'",
        ),
        (changed(["areas", "right", "parts"], []), "'areas.right' is split into fewer than two parts"),
        (changed(["areas", "right"], nested(MAX_DEPTH + 1)), TOO_DEEP),
        (changed(["areas", "right"], nested(3)), "it contains the panel 'suspects' twice"),
        (changed(["floating"], {}), "'floating' is not a list of tables"),
        (changed(["floating", 0, "x"], 40_000), POSITION),
        (changed(["floating", 0, "width"], 0), f"'floating.0.width' must be an integer from 16 to {MAX_PIXELS}"),
        (changed(["floating", 0, "panel"], "gain"), "it contains the panel 'gain' twice"),
        (changed(["default_sizes"], 1), "'default_sizes' must be true or false"),
    ],
)
def test_invalid_layouts_have_a_reason(data, reason):
    with pytest.raises(LayoutError) as error:
        layout_from_data(data, DOCKS)
    assert str(error.value) == reason


def test_panels_have_their_present_keys_in_layouts_of_earlier_versions():
    """Such a layout was written before the panels were renamed."""
    data = {
        "areas": {"right": {"size": 332, "tabs": ["gain", "model_view", "explanation"], "current": "explanation"}},
        "floating": [{"panel": "standings", "x": 0, "y": 0, "width": 300, "height": 200}],
        "default_sizes": True,
    }
    found = layout_from_data(data, DOCKS)
    assert found.areas["right"] == TabGroup(332, ("gain", "mesh_view", "calculation"), "calculation")
    assert [floating.panel for floating in found.floating] == ["significance"]


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.sampled_from(KEYS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["size", "tabs", "parts"]), inner),
    max_leaves=8,
)


@st.composite
def mutated(draw):
    """A valid layout in which up to three values are replaced by any other ones."""
    data = copy.deepcopy(to_data(draw(layouts())))
    for _ in range(draw(st.integers(1, 3))):
        table = data
        while True:
            steps = list(table) if isinstance(table, dict) else list(range(len(table)))
            if not steps:
                break
            step = draw(st.sampled_from(steps))
            if isinstance(table[step], dict | list) and draw(st.booleans()):
                table = table[step]
                continue
            table[step] = draw(plain)
            break
    return data


@given(data=plain | mutated())
@hypothesis_settings(max_examples=200, deadline=None)
def test_any_data_is_a_valid_layout_or_has_a_reason(data):
    try:
        layout = layout_from_data(data, DOCKS)
    except LayoutError:
        return
    assert layout_from_data(json.loads(json.dumps(to_data(layout))), DOCKS) == layout


@given(data=mutated())
@hypothesis_settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_every_layout_that_is_valid_can_be_arranged(qapp, data):
    try:
        layout = layout_from_data(data, DOCKS)
    except LayoutError:
        return
    window, docks = make_window(layout, (900, 600))
    shown = {key for key, dock in docks.items() if not dock.isHidden()}
    expected = {key for part in layout.areas.values() for key in panels_of(part)}
    assert shown == expected | {panel.panel for panel in layout.floating}
    window.close()


def test_no_state_of_qt_is_stored_or_restored():
    names = ("restoreState", "restoreGeometry", "saveState", "saveGeometry")
    root = Path(shrec_viewer.__file__).parent
    sources = {path: path.read_text(encoding="utf-8") for path in root.rglob("*.py")}
    assert [path.name for path, text in sources.items() if any(f".{name}(" in text for name in names)] == []
    assert [path.name for path, text in sources.items() if "import QSettings" in text or "QSettings," in text] == []
