"""Ranks of the selected model."""

import pytest
from PySide6.QtCore import Qt
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in

from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.ranking.model_page import ModelRanksTable, SelectedModel

session = pytest.fixture(a_session)


def test_views_may_read_the_table_while_another_benchmark_is_being_shown(session, tmp_path, qtbot):
    selected = SelectedModel(session)
    table = ModelRanksTable(session, selected)
    selected.set_active(True)
    open_in(session, resource("demo"), qtbot)
    qtbot.waitUntil(lambda: table.rowCount() > 0)
    shape, read = (table.rowCount(), table.columnCount()), []

    def read_all():
        """As views do that are hidden before the table knows the benchmark that was opened."""
        read.append((table.rowCount(), table.columnCount()))
        for column in range(table.columnCount()):
            table.headerData(column, Qt.Orientation.Horizontal)
            for row in range(table.rowCount()):
                for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
                    table.data(table.index(row, column), role)

    selected.model_changed.connect(read_all)
    write_sample_benchmark(tmp_path)
    open_in(session, tmp_path, qtbot)
    assert read[0] == shape, "the table of the demo, while the sample with fewer queries and runs is open"
