"""Panels and perspectives requested by other panels are shown."""

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget
from sessions import settle
from shared_windows import a_shared_window

from shrec_viewer.app.help.help_window import HelpWindow
from shrec_viewer.resources import resource
from shrec_viewer.widgets.style.theme import Theme


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot):
    yield from a_shared_window(qapp, module_qtbot, resource("demo"))


def test_clicked_score_shows_its_calculation(opened, qtbot):
    table = opened.workspace.panel("leaderboard").table
    opened.workspace.show_panel("leaderboard")
    settle(opened.session, qtbot)
    index = table.model().index(1, 3)
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(index).center())
    qtbot.waitUntil(lambda: opened.workspace.is_shown("calculation"))


def test_calculation_opens_the_help_of_its_measure(opened, qtbot):
    table = opened.workspace.panel("leaderboard").table
    opened.workspace.show_panel("leaderboard")
    settle(opened.session, qtbot)
    index = table.model().index(1, 3)
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(index).center())
    page = opened.workspace.panel("calculation").page
    measure = opened.session.cursor_state.calculation_target.measure
    qtbot.waitUntil(lambda: f"help:{measure}" in page.toHtml())
    page.moveCursor(QTextCursor.MoveOperation.End)
    place = page.cursorRect().center() - QPoint(30, 0)
    assert page.anchorAt(place) == f"help:{measure}"
    qtbot.mouseClick(page.viewport(), Qt.MouseButton.LeftButton, pos=place)
    (shown,) = opened.findChildren(HelpWindow)
    assert shown.list.currentItem().text().endswith(f"({measure.partition('(')[0]})")
    shown.close()


def test_double_clicked_heat_map_cell_opens_its_query(opened, qtbot):
    opened.workspace.show_perspective("campaign")
    settle(opened.session, qtbot)
    grid = opened.workspace.panel("heat_map").grid
    qtbot.mouseDClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=grid.cell_rect(2, 5).center())
    assert opened.workspace.perspective == "query"
    assert opened.session.run.name == grid.cells.rows[2]
    assert opened.session.selection.query == 5


def test_card_of_the_side_by_side_lists_opens_in_3d(opened, qtbot):
    opened.workspace.show_perspective("compare")
    settle(opened.session, qtbot)
    lists = opened.workspace.panel("comparison").lists
    card = lists.card(0, 2).center().toPoint() + QPoint(1, 1)
    qtbot.mouseDClick(lists.viewport(), Qt.MouseButton.LeftButton, pos=card)
    assert opened.workspace.is_shown("mesh_view")
    assert opened.session.selection.rank == 2


def test_unknown_settings_are_ignored(opened):
    before = opened.workspace.perspective
    opened.session.cursor_state.request_view("nonsense")
    assert opened.workspace.perspective == before


def test_campaign_shows_means_until_changed(opened):
    session = opened.session
    assert not session.selection.means
    opened.workspace.show_perspective("campaign")
    assert session.selection.means
    opened.workspace.show_perspective("query")
    assert not session.selection.means
    opened.workspace.show_perspective("campaign")
    session.select(means=False)
    opened.workspace.show_perspective("compare")
    opened.workspace.show_perspective("campaign")
    assert not session.selection.means


class Painted(QObject):
    """Records the theme of widgets when they are painted."""

    def __init__(self):
        super().__init__()
        self.themes = []

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            self.themes.append(watched._theme.name)
        return False


def test_perspective_is_first_painted_in_the_current_theme(opened, qtbot):
    for perspective in ("campaign", "diagnose", "assess", "compare", "query"):
        opened.workspace.show_perspective(perspective)
        settle(opened.session, qtbot)
    painted = Painted()
    for widget in opened.workspace.findChildren(QWidget):
        if isinstance(getattr(widget, "_theme", None), Theme):
            widget.installEventFilter(painted)
    for choice in ("dark", "light"):
        opened.workspace.show_perspective("query")
        opened.set_theme_choice(choice)
        opened.workspace.show_perspective("campaign")
        painted.themes.clear()
        qtbot.waitUntil(lambda: bool(painted.themes))
        assert painted.themes == [choice] * len(painted.themes)
