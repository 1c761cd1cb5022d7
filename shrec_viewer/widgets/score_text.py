"""A table of scores as text: in the order on screen, values in full precision."""

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, Qt

from shrec_viewer.widgets.score_order import ScoreOrder


def score_lines(order: ScoreOrder, rows: Iterable[int]) -> list[list[str]]:
    """The heads, and below them these rows; "" where a value is undefined."""
    columns = range(order.columnCount())
    lines = [[str(order.headerData(column, Qt.Orientation.Horizontal) or "") for column in columns]]
    return lines + [[_cell_text(order, order.index(row, column)) for column in columns] for row in rows]


def _cell_text(order: ScoreOrder, index: QModelIndex) -> str:
    if order.facts(index.column()).is_score:
        value = order.value(index)
        return "" if value != value else repr(value)
    return str(index.data(Qt.ItemDataRole.DisplayRole) or "").replace("\t", " ").replace("\n", " ")
