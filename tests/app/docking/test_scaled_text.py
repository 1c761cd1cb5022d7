"""Large text elides no tab, field, label or number, and cuts off no plot; one window for each text size."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QScrollArea, QStyleOptionComboBox, QTabBar, QToolButton
from shared_windows import SharedWindow
from windows import a_window, elided_bar_fields, open_in_window, wait_for_layout

from shrec_viewer.resources import resource
from shrec_viewer.widgets.controls.controls import ComboField, ElidingComboBox, ElidingLabel, ElidingLine, SummaryLabel
from shrec_viewer.widgets.controls.messages import MessageBar
from shrec_viewer.widgets.style.theme import apply_text_size

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

SMALL = (1278, 743)
"""What a title bar and a desktop panel leave of a screen of 1280 x 800."""

LEFT = Qt.MouseButton.LeftButton

SHREC06 = Path(__file__).parents[3] / "../shared/data/shrec06"


@pytest.fixture(scope="module", params=[100, 150, 175])  # pytest runs the tests of each one together
def shared(request, qapp, module_qtbot):
    """The demo with a text size chosen after it was opened; all tests of this module use it."""
    for window in a_window(qapp, module_qtbot, size=SMALL):
        open_in_window(window, resource("demo"), module_qtbot)
        if request.param != 100:
            window.change_settings(replace(window.settings, text_size=request.param))
            wait_for_layout(module_qtbot)
        yield SharedWindow(window, module_qtbot)
    apply_text_size(qapp, 100)


@pytest.fixture
def window(shared, qtbot):
    return shared.reset(qtbot)


@pytest.fixture
def percent(window):
    return window.settings.text_size


def show_perspective(window, key, qtbot):
    window.workspace.show_perspective(key)
    qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)
    qtbot.wait(200)


def tab_bars(window):
    bars = window.workspace.perspective_window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return [bar for bar in bars if bar.isVisible()]


def elided_tabs(window):
    return [
        bar.tabText(tab)
        for bar in tab_bars(window)
        for tab in range(bar.count())
        if bar.tabRect(tab).width() < bar.fontMetrics().horizontalAdvance(bar.tabText(tab)) + 12
    ]


def elided_fields(parent):
    """Texts of visible fields that end with an ellipsis."""
    found = []
    for field in parent.findChildren(ElidingComboBox):
        if field.isVisible() and not field.visibleRegion().isEmpty():
            option = QStyleOptionComboBox()
            field.initStyleOption(option)
            if option.currentText.endswith("…"):
                found.append((field.accessibleName(), option.currentText))
    return found


def elided_lines(window, kinds=(ElidingLine, SummaryLabel)):
    """Texts of visible lines of text that end with an ellipsis."""
    lines = [line for kind in kinds for line in window.workspace.findChildren(kind) if line.isVisible()]
    return [line.text() for line in lines if line.shown_text.endswith("…")]


def buttons(bar):
    return [button for button in bar.findChildren(QToolButton) if button.isVisible() and button.isEnabled()]


PANELS_OF_TEXT = (
    "significance",
    "measures",
    "confusion",
    "generality",
    "practical",
    "findings",
    "contingency",
    "matrix",
    "model",
    "edits",
    "robustness",
    "certainty",
    "assessments",
    "history",
)
"""Panels with texts, fields and tables whose heads wrap, or show shorter texts, at a large text size."""


def check_heads_of_the_campaign(window):
    """They need one row, and are complete."""
    heat_map, runs = window.workspace.panel("heat_map"), window.workspace.panel("leaderboard")
    assert heat_map.values.mapTo(heat_map, QPoint()).y() == heat_map.queries_by.mapTo(heat_map, QPoint()).y()
    assert runs.order.geometry().right() < runs.participant.geometry().left()


def test_no_tab_and_no_field_is_elided(window, percent, qtbot):
    window.session.select(compared=1)
    for perspective in ("query", "compare", "campaign", "diagnose", "assess"):
        show_perspective(window, perspective, qtbot)
        qtbot.waitUntil(lambda: elided_tabs(window) == [])
        qtbot.waitUntil(lambda: elided_fields(window.workspace) == [])
        qtbot.waitUntil(lambda: elided_lines(window) == [])
        for bar in tab_bars(window):
            last = bar.count() - 1
            assert bar.tabRect(last).right() <= bar.width() or percent > 100, bar.tabText(last)
            for _ in range(last):
                if bar.tabRect(last).right() <= bar.width():
                    break
                QTest.mouseClick(buttons(bar)[-1], LEFT)  # the arrow at the end of the tabs
            assert bar.tabRect(last).right() <= bar.width(), bar.tabText(last)
        if percent == 100 and perspective == "campaign":
            check_heads_of_the_campaign(window)


@pytest.mark.parametrize("shared", [200], indirect=True)
def test_the_largest_text_leaves_the_names_in_the_header(window, qtbot):
    """The conventions lose their text first."""
    window.session.select(compared=1)
    show_perspective(window, "compare", qtbot)
    bar = window.tool_bar
    query = window.session.benchmark.queries.ids[window.session.selection.query]
    for field, text in (
        (bar.query, query),
        (bar.run, bar.run.currentText()),
        (bar.compared, bar.compared.currentText()),
    ):
        option = QStyleOptionComboBox()
        field.initStyleOption(option)
        assert option.currentText.startswith(text)


@pytest.mark.parametrize("shared", [150, 175], indirect=True)
def test_large_text_cuts_no_card_and_makes_no_field_narrower_on_real_data(window, qtbot):
    if not SHREC06.is_dir():
        pytest.skip("the data of SHREC 2006 is not in shared/")
    open_in_window(window, SHREC06, qtbot)
    window.session.select(compared=1)
    for perspective in ("query", "compare", "campaign", "diagnose", "assess"):
        show_perspective(window, perspective, qtbot)
        qtbot.waitUntil(lambda: elided_fields(window.workspace) == [])
        qtbot.waitUntil(lambda: elided_lines(window) == [])
    show_perspective(window, "query", qtbot)
    grid = window.workspace.panel("ranked_list").grid
    qtbot.waitUntil(lambda: grid.shows_row(0))
    assert window.message_area.texts() == ["This looks like SHREC 2006."]
    strip = next(bar for bar in window.findChildren(MessageBar) if bar.isVisible())
    qtbot.waitUntil(lambda: not strip._text.is_elided())  # it is while the progress of the thumbnails is beside it


@pytest.mark.parametrize("shared", [150, 175], indirect=True)
def test_panels_fit_into_their_areas(window, qtbot):
    window.session.select(compared=1)
    show_perspective(window, "campaign", qtbot)
    workspace, page = window.workspace, window.findChild(QScrollArea, "workspace_page")
    for key in PANELS_OF_TEXT:
        workspace.show_panel(key)
        # Sentences below tables are shortened in a low panel; their tooltips are complete.
        qtbot.waitUntil(lambda: elided_lines(window, (ElidingLine,)) == [])
        for label in workspace.panel(key).findChildren(SummaryLabel):
            assert label.shown_text == label.text() or label.toolTip()
        qtbot.waitUntil(lambda key=key: elided_fields(workspace.panel(key)) == [])
    qtbot.waitUntil(lambda: not page.horizontalScrollBar().isVisible())
    qtbot.waitUntil(lambda: not page.verticalScrollBar().isVisible())
    assert elided_fields(window) == []
    workspace.show_panel("practical")
    chart = workspace.panel("practical").chart
    qtbot.waitUntil(lambda: chart._body_height() >= 1.9 * chart._row_height())
    workspace.show_panel("generality")
    canvas = workspace.panel("generality").plot._canvas
    line = window.fontMetrics().height()
    qtbot.waitUntil(lambda: canvas.view_box().width() >= 5 * line)


@pytest.mark.parametrize("shared", [175], indirect=True)
def test_fields_of_certainty_fit_into_the_narrow_dock_of_query(window, qtbot):
    show_perspective(window, "query", qtbot)
    window.workspace.show_panel("certainty")
    qtbot.waitUntil(lambda: window.workspace.panel("certainty").order.isVisible())
    wait_for_layout(qtbot)
    assert elided_fields(window.workspace.panel("certainty")) == []


@pytest.mark.parametrize("shared", [175], indirect=True)
def test_generality_is_on_the_axis(window, qtbot):
    show_perspective(window, "campaign", qtbot)
    axis = window.workspace.panel("precision_recall").plot._canvas._bottom
    qtbot.waitUntil(lambda: axis.labelText.startswith("Recall"))
    assert "…" not in axis.labelText
    assert "g = 1/" in axis.labelText


def test_plots_are_readable_and_nothing_is_cut_off(window, percent, qtbot):
    """Docks at the right are tabs where stacked plots would be too low, and stacked again afterwards."""
    workspace = window.workspace
    for perspective in ("query", "campaign", "compare", "query"):
        workspace.show_perspective(perspective)
        qtbot.waitUntil(lambda: workspace.perspective_window.is_complete)
        wait_for_layout(qtbot)
        docks = [dock for dock in workspace.perspective_window.docks().values() if dock.isVisible()]
        for key in ("precision_recall", "gain"):
            if workspace.is_shown(key):
                assert workspace.panel(key).plot.height() >= 9 * window.fontMetrics().height(), perspective
        assert workspace.width() <= 1278
        assert all(dock.geometry().right() <= workspace.width() for dock in docks), perspective
    if percent == 175:
        window.change_settings(replace(window.settings, text_size=100))
        qtbot.waitUntil(lambda: workspace.dock("gain").y() > workspace.dock("precision_recall").y() > -1)
        assert workspace.is_shown("precision_recall")


@pytest.mark.parametrize("shared", [100, 150], indirect=True)
def test_numbers_of_the_generality_panel_are_not_cut_off(window, qtbot):
    """In the wide area at the bottom; in a low panel at the right, they are in a tooltip."""
    workspace = window.workspace
    workspace.show_panel("generality")
    panel = workspace.panel("generality")
    workspace.perspective_window.tabifyDockWidget(workspace.dock("leaderboard"), workspace.dock("generality"))
    workspace.show_panel("generality")
    qtbot.waitUntil(lambda: any(label.text() and label.isVisible() for label in panel.footer._cells[1]))

    def is_cut_off():
        numbers = [label for row in panel.footer._cells for label in row if label.isVisible()]
        edge = panel.footer._area.viewport().width()
        return any(label.geometry().right() > edge or label.width() < label.sizeHint().width() for label in numbers)

    qtbot.waitUntil(lambda: not is_cut_off())


def clipped_labels(panel) -> list[str]:
    """Texts of the visible labels of a panel that are smaller than their text."""
    found = []
    for label in panel.findChildren(QLabel):
        if label.isVisible() and label.text() and not isinstance(label, ElidingLabel | ElidingLine):
            wraps, least = label.wordWrap(), label.minimumSizeHint()
            height = label.heightForWidth(label.width()) if wraps else least.height()
            if label.height() < height - 1 or (not wraps and label.width() < least.width() - 1):
                found.append(label.text())
    return found


@pytest.mark.parametrize("shared", [150, 175], indirect=True)
def test_large_text_clips_no_label_and_keeps_the_window_on_the_screen(window, qtbot):
    window.session.select(rank=2)
    window.show_message("warning", "A message of some length about one of the files that were read. " * 3)
    for key in ("findings", "contingency", "generality"):
        window.workspace.show_panel(key)
        qtbot.waitUntil(lambda key=key: clipped_labels(window.workspace.panel(key)) == [])
    qtbot.waitUntil(lambda: window.statusBar().geometry().bottom() < 743)
    assert window.size().toTuple() == (1278, 743)
    measure = window.tool_bar.measure
    qtbot.waitUntil(lambda: measure.width() >= measure.minimumSizeHint().width())


def test_no_field_of_the_bars_is_elided(window, percent, qtbot):
    window.session.select(run=0, compared=1)
    qtbot.waitUntil(lambda: elided_bar_fields(window) == [])
    n_visible = len([field for field in window.findChildren(ComboField) if field.isVisible()])
    assert n_visible >= 3
