"""Ids and class names that are too long for their card are complete in its tooltip and in the status bar."""

from html import unescape

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QScrollArea, QToolTip
from sessions import settle
from shared_windows import a_shared_window

from shrec_viewer.widgets.controls.controls import ElidingComboBox

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

CLASSES = ("stringed_musical_instruments_of_the_baroque_period", "flying_insects_with_folded_transparent_wings")
IDS = [f"scan_2019_04_17_from_the_museum_collection_{CLASSES[number % 2][:6]}_{number}" for number in range(8)]


def write_folder(folder):
    """Four runs; the last one lists a model that the first one does not."""
    lines = ["PSB 1", "2 8"]
    for index, name in enumerate(CLASSES):
        lines += ["", f"{name} 0 4", *IDS[index::2]]
    folder.mkdir()
    (folder / "models.cla").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for run in range(4):
        (folder / f"R{run}").mkdir()
        for query in IDS:
            listed = IDS[run:] if run else IDS[:-1]
            (folder / f"R{run}" / query).write_text("\n".join(listed) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot, tmp_path_factory):
    yield from a_shared_window(qapp, module_qtbot, write_folder(tmp_path_factory.mktemp("names") / "long"))


@pytest.fixture
def window(shared, qtbot):
    """The window that the tests share, as it was first opened."""
    return shared.reset(qtbot)


def tooltip_at(widget, point):
    """Text of the tooltip at a point of a widget."""
    QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, point, widget.mapToGlobal(point)))
    return unescape(QToolTip.text())


def move(widget, point, qtbot):
    qtbot.mouseMove(widget, point + QPoint(1, 1))
    qtbot.mouseMove(widget, point)


def test_the_ranked_list_and_the_list_of_queries(window, qtbot):
    session = window.session
    session.select(query=1)
    settle(session, qtbot)
    for key in ("ranked_list", "queries"):
        panel = window.workspace.panel(key)
        grid = panel.grid if key == "ranked_list" else panel.list
        index = grid.model().index(2, 0)
        point = grid.visualRect(index).center()
        text = tooltip_at(grid.viewport(), point)
        name = str(index.data(next(r for r, n in grid.model().roleNames().items() if n in (b"item_id", b"query_id"))))
        assert name in text
        assert any(f"class {label}" in text for label in CLASSES)
        if key == "ranked_list":
            move(grid.viewport(), point, qtbot)
            shown = window.statusBar().selection.text()
            assert name in shown
            assert any(f"class {label}" in shown for label in CLASSES)


def test_all_cards_of_a_comparison_of_four_runs(window, qtbot):
    session = window.session
    session.select(query=1)
    window.workspace.show_perspective("compare")
    settle(session, qtbot)
    panel = window.workspace.panel("comparison")
    panel.set_option("count", 4)
    qtbot.waitUntil(lambda: len(panel.lists.rows) == 4)
    only_elsewhere = 0
    for number, shown in enumerate(panel.lists.rows):
        item = int(shown.items[-1])
        name = session.benchmark.collection.ids[item]
        panel.lists.set_current(number, len(shown))
        point = panel.lists.card(number, len(shown)).center().toPoint()
        assert panel.lists.viewport().rect().contains(point)
        assert name in tooltip_at(panel.lists.viewport(), point)
        assert any(label in tooltip_at(panel.lists.viewport(), point) for label in CLASSES)
        move(panel.lists.viewport(), point, qtbot)
        text = window.statusBar().selection.text()
        assert name in text
        assert any(f"class {label}" in text for label in CLASSES)
        if item not in panel.lists.rows[0].items:
            only_elsewhere += 1
            assert text.endswith(f"not in the list of {session.run.name}")
    assert only_elsewhere == 3


def test_a_status_text_too_long_for_the_bar_has_a_tooltip(window, qtbot):
    window.resize(900, 700)
    window.session.select(query=1, rank=2)
    settle(window.session, qtbot)
    line = window.statusBar().selection
    assert line.fontMetrics().horizontalAdvance(line.text()) > line.width()
    assert line.text() in tooltip_at(line, line.rect().center()).replace("\u200b", "")


def test_a_bar_of_differences_names_its_query(window, qtbot):
    window.workspace.show_perspective("compare")
    settle(window.session, qtbot)
    chart = window.workspace.panel("gain_loss").bars
    qtbot.waitUntil(lambda: len(chart._names) == 8)
    point = next(
        QPoint(x, y) for x in range(chart.viewport().width()) for y in (40, 60, 90)
        if chart.item_at(QPoint(x, y)) >= 0
    )  # fmt: skip
    assert chart._names[chart.item_at(point)] in tooltip_at(chart.viewport(), point)


def test_the_heads_of_the_ranked_list_and_of_the_notes(window, qtbot):
    window.session.select(query=1)
    settle(window.session, qtbot)
    head = window.workspace.panel("ranked_list").header
    text = tooltip_at(head, head.rect().center())
    query = window.session.benchmark.queries.ids[1]
    class_name = CLASSES[IDS.index(query) % 2]
    assert query in text
    assert class_name in text
    assert "R0" in text
    window.workspace.show_panel("notes")
    title = window.workspace.panel("notes").title
    qtbot.waitUntil(lambda: title.width() < title.fontMetrics().horizontalAdvance(title.text()))
    assert class_name in tooltip_at(title, title.rect().center())
    page = window.findChild(QScrollArea, "workspace_page")
    assert not page.horizontalScrollBar().isVisible(), "the name does not widen the panel"


def test_fields_with_an_elided_name(window, qtbot):
    field = next(one for one in window.findChildren(ElidingComboBox) if one.currentText().startswith(IDS[0]))
    qtbot.waitUntil(field.is_elided)
    text = tooltip_at(field, field.rect().center())
    assert field.currentText() in text
    assert CLASSES[0] in text


def test_names_in_the_table_of_scores(window, qtbot):
    window.workspace.show_panel("measures")
    table = window.workspace.panel("measures").table
    qtbot.waitUntil(lambda: table.columnWidth(2) > 0 and table.isVisible())
    qtbot.waitUntil(lambda: table.columnViewportPosition(2) < table.viewport().width())  # a score is visible
    for column, name in ((0, IDS[0]), (1, CLASSES[0])):
        cell = table.visualRect(table.model().index(0, column))
        assert name in tooltip_at(table.viewport(), cell.center())
