"""The window on SHREC 2006 with 13 runs: all views follow the mouse and the query; times are in the benches."""

import time
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication
from sessions import settle
from shared_windows import a_shared_window

SHREC06 = Path(__file__).parents[3] / "../shared/data/shrec06"


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot):
    if not SHREC06.exists():
        pytest.skip("the data of SHREC 2006 are not available")
    yield from a_shared_window(qapp, module_qtbot, SHREC06)


@pytest.fixture
def window(shared, qtbot):
    """The window that the tests share, as it was first opened."""
    return shared.reset(qtbot)


def drawn(window):
    """Process all pending paint events."""
    QApplication.processEvents()
    QApplication.processEvents()


def test_hover_is_drawn_at_once_with_shrec06(window, qtbot):
    grid, session = window.workspace.ranked_list.grid, window.session
    drawn(window)
    count = grid.visible_rows()[1] + 1
    for step in range(40):
        card = grid.visualRect(grid.model().index(step % count, 0))
        point = QPoint(card.center().x(), card.top() + 4)  # the last line may be cut
        qtbot.mouseMove(grid.viewport(), point)
        drawn(window)
        assert session.cursor_state.cursor == step % count + 1
        assert window.statusBar().scores.text().endswith(f" at {step % count + 1}")


def test_views_follow_the_query(window, qtbot):
    session = window.session
    for query in (3, 17, 8, 22, 11, 29, 0, 14, 5, 26):
        session.select(query=query)
        while session.tasks.is_busy():
            QApplication.processEvents()
            time.sleep(0.0005)
        drawn(window)
        assert window.workspace.ranked_list.header.accessibleName().startswith(session.benchmark.queries.ids[query])
        settle(session, qtbot)
