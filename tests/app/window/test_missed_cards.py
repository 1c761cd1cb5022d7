"""Cards of relevant models that were not retrieved."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from sample_benchmark import write_sample_benchmark
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.widgets.mesh_view.mesh_view import MODEL_MIME

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def window(qapp, qtbot, tmp_path):
    yield from a_window(qapp, qtbot, tmp_path / "settings.ini", pictures=True)


@pytest.fixture
def opened(window, qtbot, tmp_path):
    open_in_window(window, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    window.session.select(query=0, run=2, rank=2)  # B1 has m5 m6 m1: m2, m3 and m4 are relevant too
    settle(window.session, qtbot)
    window.workspace.ranked_list.show_missed()
    grid = window.workspace.ranked_list.missed_grid
    qtbot.waitUntil(grid.isVisible)
    model = grid.model()
    qtbot.waitUntil(lambda: model.visible_thumbnails.loaded_count == model.rowCount() > 0)
    return window


def middle(grid, row) -> QPoint:
    return grid.visualRect(grid.model().index(row, 0)).center()


def test_hovered_card_shows_a_rotating_preview(opened, qtbot):
    results = opened.workspace.ranked_list
    grid, hover = results.missed_grid, results.missed_preview.hover
    qtbot.mouseMove(grid.viewport(), middle(grid, 0))
    qtbot.mouseMove(grid.viewport(), middle(grid, 0) + QPoint(2, 1))
    qtbot.waitUntil(lambda: hover.row == 0)
    first = hover.card.thumbnail.toImage()
    qtbot.waitUntil(lambda: hover.card.thumbnail.toImage() != first)
    second = hover.card.thumbnail.toImage()
    qtbot.waitUntil(lambda: hover.card.thumbnail.toImage() != second)
    assert grid.model().index(0, 0).data() in hover.card.accessibleName()
    assert results.card_preview.hover.row == -1
    qtbot.mouseMove(results.grid.viewport(), middle(results.grid, 0))
    QApplication.sendEvent(grid.viewport(), _leaving())
    assert hover.row == -1
    assert not results.missed_preview.camera_controller.is_spinning


def test_card_dragged_into_the_3d_view_is_pinned(opened, qtbot, monkeypatch):
    carried = []
    monkeypatch.setattr(
        "shrec_viewer.widgets.cards.card_hover.QDrag.exec", lambda drag, *_: carried.append(drag.mimeData())
    )
    grid = opened.workspace.ranked_list.missed_grid
    name = grid.model().index(1, 0).data()
    qtbot.mousePress(grid.viewport(), LEFT, pos=middle(grid, 1))
    qtbot.mouseMove(grid.viewport(), middle(grid, 1) + QPoint(40, -30))
    qtbot.mouseRelease(grid.viewport(), LEFT, pos=middle(grid, 1) + QPoint(40, -30))
    (mime,) = carried
    assert bytes(mime.data(MODEL_MIME).data()).decode() == name
    assert opened.session.selection.rank == 2
    panel = opened.workspace.panel("mesh_view")
    panel.view_grid.dropped.emit("a", name)
    assert panel.view_grid.view("pinned").text.title == name
    assert opened.session.selection.rank == 2


def _leaving():
    from PySide6.QtCore import QEvent

    return QEvent(QEvent.Type.Leave)
