"""Commands that step through ranks, and the status bar."""

from operator import attrgetter

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QTableView
from sample_benchmark import write_sample_benchmark
from sessions import settle
from shared_windows import a_shared_window
from tiny_benchmark import write_tiny
from windows import open_in_window

from shrec_viewer.widgets.plots.legend import CurveListPopup

NONE, SHIFT, CTRL = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot, tmp_path_factory):
    yield from a_shared_window(
        qapp, module_qtbot, write_sample_benchmark(tmp_path_factory.mktemp("ranks") / "sample_benchmark")
    )


@pytest.fixture
def opened(shared, qtbot):
    window = shared.reset(qtbot)
    window.session.select(run=1)  # levels 0 2 0 2 1 0 0 1
    settle(window.session, qtbot)
    return window


def press(qtbot, window, key, modifier=NONE):
    qtbot.keyClick(QApplication.focusWidget() or window, key, modifier)
    settle(window.session, qtbot)
    return window.session.selection.rank


def test_m_steps_through_missed_models(opened, qtbot):
    ranks = [press(qtbot, opened, Qt.Key.Key_M) for _ in range(3)]
    assert ranks == [5, 8, 8]
    assert press(qtbot, opened, Qt.Key.Key_M, SHIFT) == 5
    assert "false negative" in opened.menus.actions["next_miss"].toolTip()


def test_letter_shortcuts_step_through_ranks_in_every_rank_view(opened, qtbot, subtests):
    for panel, part in (
        ("ranked_list", "barcode"),
        ("queries", "list"),
        ("gain", "plot._canvas"),
        ("precision_recall", "plot._canvas"),
        ("comparison", "lists"),
        ("comparison", "count"),
    ):
        with subtests.test(f"{panel}.{part}"):
            check_letter_shortcuts(opened, panel, part, qtbot)
        opened.session.deselect_rank()


def check_letter_shortcuts(opened, panel, part, qtbot):
    assert opened.session.selection.rank is None
    opened.workspace.show_panel(panel)
    settle(opened.session, qtbot)
    target = attrgetter(part)(opened.workspace.panel(panel))
    target.setFocus()
    assert QApplication.focusWidget() is target
    assert [press(qtbot, opened, key) for key in (Qt.Key.Key_M, Qt.Key.Key_R)] == [5, 8]
    assert press(qtbot, opened, Qt.Key.Key_N, SHIFT) == 7
    QApplication.sendEvent(target, event := letter("n"))
    assert not event.isAccepted()


def letter(text):
    """The event that Qt sends before it runs a shortcut."""
    event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key(ord(text.upper())), NONE, text)
    event.ignore()
    return event


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_typed_letters_find_a_row_of_a_table_and_of_a_combo_box(opened, qtbot):
    opened.session.select(rank=1)
    opened.workspace.show_panel("leaderboard")
    opened.workspace.panel("leaderboard").findChild(QTableView).setFocus()
    assert press(qtbot, opened, Qt.Key.Key_R) == 1
    opened.workspace.show_panel("comparison")
    field = opened.workspace.panel("comparison").count
    field.showPopup()
    QApplication.sendEvent(field.view(), event := letter("n"))
    assert event.isAccepted()
    field.hidePopup()
    runs = CurveListPopup(opened.workspace.panel("gain").plot)
    qtbot.addWidget(runs)
    QApplication.sendEvent(runs.list, event := letter("n"))
    assert event.isAccepted()


def test_m_shows_models_that_were_not_retrieved(opened, qtbot):
    opened.session.select(run=2)  # m5 m6 m1: no missed model in the list, three relevant ones outside it
    settle(opened.session, qtbot)
    assert not opened.workspace.ranked_list.missed_grid.isVisible()
    press(qtbot, opened, Qt.Key.Key_M)
    assert opened.workspace.ranked_list.missed_grid.isVisible()


def test_m_reports_that_a_perfect_list_has_no_missed_model(opened, qtbot):
    opened.session.select(run=0)
    settle(opened.session, qtbot)
    press(qtbot, opened, Qt.Key.Key_M)
    assert opened.message_bar.current().text.startswith("No missed model")
    assert opened.message_bar.current().severity == "info"


@pytest.mark.parametrize(
    ("key", "what"),
    [(Qt.Key.Key_R, "relevant model"), (Qt.Key.Key_N, "false positive"), (Qt.Key.Key_M, "missed model")],
)
def test_step_beyond_the_last_rank_shows_a_message(opened, qtbot, key, what):
    walked = [press(qtbot, opened, key) for _ in range(9)]
    assert walked == sorted(walked)
    assert walked[-1] == walked[-2]
    assert opened.message_bar.current().text == f"No {what} after this rank."
    back = [press(qtbot, opened, key, SHIFT) for _ in range(9)]
    assert back[-1] == back[-2] == walked[0]
    assert opened.message_bar.current().text == f"No {what} before this rank."


def test_v_selects_the_largest_rank_change_where_a_run_b_is_selected(opened, qtbot):
    press(qtbot, opened, Qt.Key.Key_V)
    assert opened.message_bar.current().text.startswith("Select a run to compare with")
    opened.session.select(compared=0)
    settle(opened.session, qtbot)
    assert [press(qtbot, opened, Qt.Key.Key_V) for _ in range(2)] == [8, 4]
    assert press(qtbot, opened, Qt.Key.Key_V, SHIFT) == 8


def test_q_uses_the_model_as_query(shared, tmp_path, qtbot):
    window = shared.reset(qtbot)
    open_in_window(window, write_tiny(tmp_path / "tiny"), qtbot)
    session = window.session
    window.workspace.ranked_list.grid.setFocus()
    session.select(query=0, rank=3)
    item = int(session.ranked_list.items[2])
    press(qtbot, window, Qt.Key.Key_Q)
    assert session.selection.query == int(session.benchmark.queries.member.tolist().index(item))


def test_rows_are_copied_as_a_table_and_ids_one_per_line(opened, qtbot):
    press(qtbot, opened, Qt.Key.Key_R)
    press(qtbot, opened, Qt.Key.Key_Right, SHIFT)
    press(qtbot, opened, Qt.Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "m1\nm6"
    press(qtbot, opened, Qt.Key.Key_C, CTRL | SHIFT)
    assert QGuiApplication.clipboard().text().splitlines()[1:] == ["2\tm1\tcat\t2\t0.2", "3\tm6\tchair\t0\t0.3"]


def test_enter_shows_the_3d_view_and_the_list_keeps_its_position(opened, qtbot):
    grid = opened.workspace.ranked_list.grid
    opened.resize(900, 600)
    settle(opened.session, qtbot)
    qtbot.wait(300)  # the docks get their default sizes 120 and 170 ms after a resize
    opened.session.select(rank=8)
    before = grid.verticalScrollBar().value()
    press(qtbot, opened, Qt.Key.Key_Return)
    assert opened.workspace.is_shown("mesh_view")
    assert grid.verticalScrollBar().value() == before
    assert opened.session.selection.rank == 8


def test_status_bar_shows_the_values_at_the_cursor(opened, qtbot):
    bar, grid = opened.statusBar(), opened.workspace.ranked_list.grid
    qtbot.mouseMove(grid.viewport(), grid.visualRect(grid.model().index(1, 0)).center())
    expected = "q1 cat  ·  run A2  ·  rank 2 of 8  ·  m1  ·  class cat  ·  highly relevant (2)  ·  distance 0.2000"
    assert bar.selection.text() == expected
    assert bar.scores.text().startswith("P 0.500  R 0.250  NDCG 0.")
    assert bar.scores.text().endswith(" at 2")
    qtbot.mouseMove(grid.viewport(), QPoint(1, 1))
    assert bar.selection.text() == "q1 cat  ·  run A2"
    assert bar.scores.text().startswith(f"{opened.session.measure} 0.")


def test_values_keep_their_position_while_the_mouse_moves(opened, qtbot):
    bar = opened.statusBar()
    opened.session.cursor_state.hover(8)
    qtbot.wait(20)
    before = bar.scores.geometry()
    for rank in (1, 3, 8, 2):
        opened.session.cursor_state.hover(rank)
        qtbot.wait(5)
        assert bar.scores.geometry() == before


def test_long_text_is_elided_without_widening_the_window(opened):
    words = opened.statusBar().selection
    words.setText("x" * 5000)
    assert words.minimumSizeHint().width() == 0
    assert not words.grab().isNull()


def test_q_reports_why_a_model_cannot_be_the_query(opened, qtbot):
    opened.session.select(rank=1)
    before = opened.session.selection.query
    press(qtbot, opened, Qt.Key.Key_Q)
    assert opened.session.selection.query == before
    assert opened.message_bar.current().text.startswith("This model cannot be used as the query: ")
