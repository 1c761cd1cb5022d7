"""Large text elides no tab and no field, and leaves no trace in the layout; dragged docks never become slices."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QStyleOptionComboBox, QTabBar, QToolButton, QWidget
from windows import a_window, open_in_window

from shrec_viewer.resources import resource
from shrec_viewer.widgets.controls.controls import ElidingComboBox, ElidingLine, SummaryLabel
from shrec_viewer.widgets.controls.messages import MessageBar

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

SMALL = (1278, 743)
"""What a title bar and a desktop panel leave of a screen of 1280 x 800."""

LEFT = Qt.MouseButton.LeftButton

SHREC06 = Path(__file__).parents[3] / "../shared/data/shrec06"


def set_text_size(window, percent, qtbot):
    window.change_settings(replace(window.settings, text_size=percent))
    qtbot.wait(300)


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


@pytest.mark.parametrize("percent", [100, 150, 175])
def test_large_text_elides_no_tab_and_no_field(qapp, qtbot, percent):
    for window in a_window(qapp, qtbot, size=SMALL):
        open_in_window(window, resource("demo"), qtbot)
        window.session.select(compared=1)
        set_text_size(window, percent, qtbot)
        for perspective in ("query", "compare", "campaign"):
            show_perspective(window, perspective, qtbot)
            qtbot.waitUntil(lambda: elided_tabs(window) == [])  # noqa: B023 - within the loop
            qtbot.waitUntil(lambda: elided_fields(window.workspace) == [])  # noqa: B023 - within the loop
            qtbot.waitUntil(lambda: elided_lines(window) == [])  # noqa: B023 - within the loop
            for bar in tab_bars(window):
                last = bar.count() - 1
                for _ in range(last):
                    if bar.tabRect(last).right() <= bar.width():
                        break
                    QTest.mouseClick(buttons(bar)[-1], LEFT)  # the arrow at the end of the tabs
                assert bar.tabRect(last).right() <= bar.width(), bar.tabText(last)
        set_text_size(window, 100, qtbot)


@pytest.mark.parametrize("percent", [150, 175])
def test_large_text_cuts_no_card_and_makes_no_field_narrower_on_real_data(qapp, qtbot, percent):
    if not SHREC06.is_dir():
        pytest.skip("the data of SHREC 2006 is not in shared/")
    for window in a_window(qapp, qtbot, size=SMALL):
        set_text_size(window, percent, qtbot)
        open_in_window(window, SHREC06, qtbot)
        window.session.select(compared=1)
        for perspective in ("query", "compare", "campaign"):
            show_perspective(window, perspective, qtbot)
            qtbot.waitUntil(lambda: elided_fields(window.workspace) == [])  # noqa: B023 - within the loop
            qtbot.waitUntil(lambda: elided_lines(window) == [])  # noqa: B023 - within the loop
        show_perspective(window, "query", qtbot)
        grid = window.workspace.panel("results").grid
        qtbot.waitUntil(lambda: grid.shows_row(0))  # noqa: B023 - within the loop
        assert window.message_area.texts() == ["This looks like SHREC 2006."]
        strip = next(bar for bar in window.findChildren(MessageBar) if bar.isVisible())
        assert not strip._text.is_elided()
        set_text_size(window, 100, qtbot)


def test_text_size_chosen_on_the_welcome_page_applies_to_all_panels(qapp, qtbot):
    """Widgets that were not shown yet kept the former font: the head of the ranked list was small."""
    for window in a_window(qapp, qtbot, size=SMALL):
        set_text_size(window, 175, qtbot)
        open_in_window(window, resource("demo"), qtbot)
        points = QApplication.font().pointSizeF()
        inherits = [one for one in window.findChildren(QWidget) if not one.testAttribute(Qt.WidgetAttribute.WA_SetFont)]
        assert [type(one).__name__ for one in inherits if abs(one.font().pointSizeF() - points) > 0.01] == []
        set_text_size(window, 100, qtbot)


PANELS_OF_TEXT = (
    "standings",
    "measures",
    "confusion",
    "generality",
    "practical",
    "findings",
    "contingency",
    "matrix",
    "model",
    "edits",
    "suspects",
    "robustness",
    "assessments",
    "history",
)
"""Panels with texts, fields and tables whose heads wrap, or show shorter texts, at a large text size."""


@pytest.mark.parametrize("percent", [150, 175])
def test_panels_fit_into_their_areas_with_large_text(qapp, qtbot, percent):
    for window in a_window(qapp, qtbot, size=SMALL):
        open_in_window(window, resource("demo"), qtbot)
        window.session.select(compared=1)
        show_perspective(window, "campaign", qtbot)
        set_text_size(window, percent, qtbot)
        workspace, page = window.workspace, window.findChild(QScrollArea, "workspace_page")
        for key in PANELS_OF_TEXT:
            workspace.show_panel(key)
            # Sentences below tables are shortened in a low panel; their tooltips are complete.
            qtbot.waitUntil(lambda: elided_lines(window, (ElidingLine,)) == [])  # noqa: B023 - within the loop
            for label in workspace.panel(key).findChildren(SummaryLabel):
                assert label.shown_text == label.text() or label.toolTip()
            qtbot.waitUntil(lambda: elided_fields(workspace.panel(key)) == [])  # noqa: B023 - within the loop
        qtbot.waitUntil(lambda: not page.horizontalScrollBar().isVisible())  # noqa: B023 - within the loop
        qtbot.waitUntil(lambda: not page.verticalScrollBar().isVisible())  # noqa: B023 - within the loop
        assert elided_fields(window) == []
        workspace.show_panel("practical")
        chart = workspace.panel("practical").chart
        qtbot.waitUntil(lambda: chart._body_height() >= 1.9 * chart._row_height())  # noqa: B023
        workspace.show_panel("generality")
        canvas = workspace.panel("generality").plot._canvas
        line = window.fontMetrics().height()
        qtbot.waitUntil(lambda: canvas.view_box().width() >= 5 * line)  # noqa: B023 - within the loop
        set_text_size(window, 100, qtbot)


def test_heads_of_the_campaign_need_one_row_and_elide_nothing_at_the_normal_text_size(qapp, qtbot):
    for window in a_window(qapp, qtbot, size=SMALL):
        open_in_window(window, resource("demo"), qtbot)
        window.session.select(compared=1)
        show_perspective(window, "campaign", qtbot)
        heat_map, runs = window.workspace.panel("heat_map"), window.workspace.panel("leaderboard")
        assert heat_map.baseline.mapTo(heat_map, QPoint()).y() == heat_map.queries_by.mapTo(heat_map, QPoint()).y()
        assert elided_fields(window.workspace) == []
        assert runs._caption.width() >= runs._caption.fontMetrics().horizontalAdvance(runs._caption.text())
        assert runs._caption.geometry().right() + 4 < runs.participant.geometry().left()


def test_generality_is_on_the_axis_at_a_large_text_size(qapp, qtbot):
    for window in a_window(qapp, qtbot, size=SMALL):
        open_in_window(window, resource("demo"), qtbot)
        set_text_size(window, 175, qtbot)
        show_perspective(window, "campaign", qtbot)
        axis = window.workspace.panel("precision_recall").plot._canvas._bottom
        qtbot.waitUntil(lambda: axis.labelText.startswith("Recall"))  # noqa: B023 - within the loop
        assert "…" not in axis.labelText
        assert "g = 1/" in axis.labelText
        set_text_size(window, 100, qtbot)


def stacked(window):
    docks = [window.workspace.dock(key) for key in ("precision_recall", "gain")]
    return docks[1] not in window.workspace.perspective_window.tabifiedDockWidgets(docks[0])


def test_docks_merged_by_large_text_are_stacked_after_a_restart_with_normal_text(qapp, qtbot, tmp_path):
    memory = tmp_path / "settings.ini"
    for window in a_window(qapp, qtbot, memory, size=SMALL):
        open_in_window(window, resource("demo"), qtbot)
        show_perspective(window, "query", qtbot)
        qtbot.waitUntil(lambda: stacked(window))  # noqa: B023 - within the loop
        set_text_size(window, 175, qtbot)
        qtbot.waitUntil(lambda: not stacked(window))  # noqa: B023 - within the loop
    for window in a_window(qapp, qtbot, memory, size=SMALL):
        open_in_window(window, resource("demo"), qtbot)
        qtbot.waitUntil(lambda: not stacked(window))  # noqa: B023 - within the loop
        window.workspace.show_panel("gain")
    for window in a_window(qapp, qtbot, memory, size=SMALL):
        window.change_settings(replace(window.settings, text_size=100))
        open_in_window(window, resource("demo"), qtbot)
        qtbot.waitUntil(lambda: stacked(window))  # noqa: B023 - within the loop
        shown = window.workspace.is_shown
        qtbot.waitUntil(lambda: shown("precision_recall") and shown("gain"))  # noqa: B023
        assert window.workspace.perspective_window.is_complete


def test_docks_that_the_user_tabbed_remain_tabs(qapp, qtbot, tmp_path):
    memory = tmp_path / "settings.ini"
    for window in a_window(qapp, qtbot, memory, size=SMALL):
        open_in_window(window, resource("demo"), qtbot)
        workspace = window.workspace
        show_perspective(window, "query", qtbot)
        for key in ("gain", "model_view", "explanation"):
            workspace.perspective_window.tabifyDockWidget(workspace.dock("precision_recall"), workspace.dock(key))
        window.resize(1278, 900)
        qtbot.wait(300)
        assert not stacked(window)
    for window in a_window(qapp, qtbot, memory, size=SMALL):
        open_in_window(window, resource("demo"), qtbot)
        qtbot.wait(300)
        assert not stacked(window)


def drag_title(dock, target, qtbot):
    """Drag a dock by its title bar to a global position, as Qt does it: press, moves and release on the dock."""
    title = dock.titleBarWidget()
    start = title.mapToGlobal(QPoint(60, 10))

    def send(kind, position, buttons):
        local = QPointF(title.mapFromGlobal(position))
        button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else LEFT
        QApplication.sendEvent(
            title, QMouseEvent(kind, local, QPointF(position), button, buttons, Qt.KeyboardModifier.NoModifier)
        )

    send(QEvent.Type.MouseButtonPress, start, LEFT)
    for step in range(1, 11):
        send(QEvent.Type.MouseMove, start + (target - start) * step / 10, LEFT)
        qtbot.wait(10)
    qtbot.wait(300)  # the animated gap
    send(QEvent.Type.MouseMove, target + QPoint(1, 0), LEFT)
    qtbot.wait(300)
    send(QEvent.Type.MouseButtonRelease, target + QPoint(1, 0), Qt.MouseButton.NoButton)
    qtbot.waitUntil(lambda: not dock.isFloating())


@pytest.mark.parametrize("target", ["leaderboard", "gain"])
def test_dock_dragged_by_its_title_bar_becomes_no_slice(qapp, qtbot, target):
    for window in a_window(qapp, qtbot, size=SMALL):
        open_in_window(window, resource("demo"), qtbot)
        show_perspective(window, "campaign", qtbot)
        workspace, perspective_window = window.workspace, window.workspace.perspective_window
        below = workspace.dock(target).geometry()
        place = perspective_window.mapToGlobal(QPoint(below.center().x(), below.bottom() - 12))
        dock = workspace.dock("queries")
        drag_title(dock, place, qtbot)
        qtbot.waitUntil(lambda: perspective_window.tabifiedDockWidgets(dock) != [])  # noqa: B023 - within the loop
        qtbot.waitUntil(lambda: workspace.is_shown("queries"))  # noqa: B023 - within the loop
        qtbot.waitUntil(lambda: dock.height() >= 200)  # noqa: B023 - within the loop


def test_opening_a_tabbed_panel_keeps_the_order_of_the_tabs(qapp, qtbot):
    for window in a_window(qapp, qtbot, size=SMALL):
        open_in_window(window, resource("demo"), qtbot)
        show_perspective(window, "campaign", qtbot)
        before = [[bar.tabText(tab) for tab in range(bar.count())] for bar in tab_bars(window)]
        for key in ("confusion", "standings", "explanation", "generality", "leaderboard"):
            window.workspace.show_panel(key)
            qtbot.wait(50)
            assert window.workspace.is_shown(key)
            assert [[bar.tabText(tab) for tab in range(bar.count())] for bar in tab_bars(window)] == before
