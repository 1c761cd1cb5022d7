"""What panels export is what they show: the same rows in the order on screen, after sorting and filters."""

import csv
import io
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableView

from shrec_viewer.content import robustness, suspects
from shrec_viewer.panels import PANELS
from shrec_viewer.panels.export.content import built_table, figure_content
from shrec_viewer.panels.export.panel_export import PanelExport
from shrec_viewer.report.tables.formats import table_bytes
from shrec_viewer.viewmodels.content.data import content_data

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

SORTED_PANELS = ("leaderboard", "measures", "edits", "suspects", "robustness", "assessments")
"""Panels with tables that are sorted by a click on a header."""


@pytest.fixture
def shown_panel(opened, settled, show):
    """A panel of the demo with edits, hidden runs and a selection."""

    def make(key):
        opened.select(query=1, run=1, compared=0, rank=2)
        opened.edits.set_level(0, [3, 4], 2)
        opened.edits.set_level(1, [7], 1, "a reason")
        settled()
        panel = show(next(row for row in PANELS if row.key == key).factory(opened), 800, 500)
        settled()
        return panel

    return make


def csv_rows(table, session):
    """Header and rows of a table as a CSV file has them."""
    text = table_bytes(built_table(table, content_data(session), lambda: False), "csv").decode()
    return list(csv.reader(io.StringIO(text)))


def view_rows(view):
    """Texts of the visible cells of a table, in the order on screen."""
    model, header = view.model(), view.horizontalHeader()
    columns = [header.logicalIndex(place) for place in range(model.columnCount())]
    columns = [column for column in columns if not view.isColumnHidden(column)]
    rows = [row for row in range(model.rowCount()) if not view.isRowHidden(row)]
    return [[str(model.index(row, column).data() or "") for column in columns] for row in rows]


def identifying_columns(seen, exported):
    """(Column of the view, column of the file) with the same distinct texts that are no numbers."""
    pairs = []
    for a in range(len(seen[0])):
        texts = [row[a] for row in seen]
        for b in range(len(exported[0])):
            if not any(text[:1].isalpha() for text in texts):
                continue
            if len(set(texts)) == len(texts) and sorted(texts) == sorted(row[b] for row in exported[1:]):
                pairs.append((a, b))
    return pairs


@pytest.fixture
def computed_once(monkeypatch):
    """Compute the robustness and the suspects for the first exported table only: sorting does not change them."""
    for module, name in ((robustness, "examine_robustness"), (suspects, "find_suspects")):
        monkeypatch.setattr(module, name, partial(first_result, getattr(module, name), []))


def first_result(function, found, *arguments, **options):
    if not found:
        found.append(function(*arguments, **options))
    return found[0]


@pytest.mark.parametrize("key", SORTED_PANELS)
def test_tables_are_exported_in_the_order_on_screen(key, shown_panel, opened, settled, computed_once):
    panel = shown_panel(key)
    views = [view for view in panel.findChildren(QTableView) if view.isVisible() and view.model().rowCount() > 1]
    assert views
    matched = 0
    for view in views:
        header = view.horizontalHeader()
        for section in range(view.model().columnCount()):
            place = header.sectionViewportPosition(section) + header.sectionSize(section) // 2
            if view.isColumnHidden(section) or not 0 <= place < header.viewport().width():
                continue
            for _ in range(2):  # ascending and descending
                QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place, header.height() // 2))
                settled()
                content, seen = panel.export(), view_rows(view)
                for table in (content.table, *content.tables.values()):
                    exported = csv_rows(table, opened)
                    if len(exported) != len(seen) + 1:
                        continue
                    for a, b in identifying_columns(seen, exported):
                        matched += 1
                        assert [row[a] for row in seen] == [row[b] for row in exported[1:]], (section, exported[0][b])
    assert matched


def test_means_after_edits_are_sorted_by_value(shown_panel):
    panel = shown_panel("edits")
    changes = panel.consequences.result
    for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
        panel.runs_model.sort(3, order)
        shown = [cells[3] for cells in panel.runs_model.table.rows]
        assert shown == sorted(shown, reverse=order == Qt.SortOrder.DescendingOrder)
    assert sorted(shown) == pytest.approx(sorted(changes.after - changes.before))


def test_all_tables_of_the_assessments_are_exported(shown_panel, opened):
    panel = shown_panel("assessments")
    content = panel.export()
    exported = csv_rows(content.tables["Assessments"], opened)
    assert [row[0] for row in exported[1:]] == [row[0] for row in view_rows(panel.table)]
    for row, cells in zip(exported[1:], panel.model.table.rows, strict=True):
        assert float(row[1]) == cells[1]


def test_scores_of_a_table_are_those_on_screen(shown_panel, opened):
    for key in ("leaderboard", "measures"):
        panel = shown_panel(key)
        (view,) = [view for view in panel.findChildren(QTableView) if view.isVisible()]
        seen, exported = view_rows(view), csv_rows(panel.export().table, opened)
        numbers = 0
        for shown, row in zip(seen, exported[1:], strict=True):
            assert shown[:2] == row[:2]
            for text, value in zip(shown[2:], row[2:], strict=False):
                number = text.replace("\N{MINUS SIGN}", "-").replace(",", "").rstrip("▲▼ ")
                assert float(number) == pytest.approx(float(value), abs=6e-4 * max(1.0, abs(float(value)))), (key, text)
                numbers += 1
        assert numbers > len(seen)


def test_queries_are_exported_as_filtered_and_ordered(shown_panel, opened, settled, qtbot):
    panel = shown_panel("queries")

    def ids():
        return [opened.benchmark.queries.ids[panel.model.query_of(row)] for row in range(panel.model.rowCount())]

    box = panel.header._order
    for order in range(box.count()):
        qtbot.keyClick(box, Qt.Key.Key_Down)
        settled()
        assert [row[0] for row in csv_rows(panel.export().table, opened)[1:]] == ids(), order
    qtbot.keyClicks(panel.header._filter, "1")
    settled()
    assert 0 < len(ids()) < len(opened.benchmark.queries)
    assert [row[0] for row in csv_rows(panel.export().table, opened)[1:]] == ids()


@pytest.mark.parametrize("order", range(3))
def test_the_heat_map_is_exported_in_the_order_on_screen(order, shown_panel, opened, settled):
    panel = shown_panel("heat_map")
    boxes = [box for box in (panel.runs_by, panel.queries_by) if box.count() > order]
    for box in boxes:
        box.setCurrentIndex(order)
        box.activated.emit(order)
    settled()
    runs, queries = list(panel.grid.cells.rows), list(panel.grid.cells.columns)
    content = panel.export()
    exported = csv_rows(content.table, opened)
    assert exported[0][1:] == [*queries, "mean"]
    assert [row[0] for row in exported[1:]] == runs
    figure = figure_content(content.figure, content_data(opened), lambda: False)
    assert (list(figure.rows), list(figure.columns)) == (runs, queries)
    values = [[float(cell) if cell else float("nan") for cell in row[1:-1]] for row in exported[1:]]
    np.testing.assert_allclose(figure.values, values, rtol=1e-12)


def test_findings_are_exported_in_the_order_on_screen(shown_panel, opened, settled):
    panel = shown_panel("findings")
    header = panel.table.horizontalHeader()
    for section in range(panel.model.columnCount()):
        place = header.sectionViewportPosition(section) + 8
        for _ in range(2):
            QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place, header.height() // 2))
            exported = csv_rows(panel.export().table, opened)
            column = exported[0].index("message")
            shown = [finding.message for finding in panel.shown]
            assert [row[column] for row in exported[1:]] == shown


def test_all_notes_are_exported(shown_panel, opened):
    panel = shown_panel("notes")
    for query, text in ((2, "seen, again"), (0, "first")):
        opened.edits.set_note(opened.benchmark.queries.ids[query], text)
    row = next(row for row in PANELS if row.key == "notes")
    exported = csv_rows(PanelExport(opened, row, panel).content().table, opened)
    names = opened.benchmark.queries.ids
    assert exported == [["query", "note"], [names[0], "first"], [names[2], "seen, again"]]
