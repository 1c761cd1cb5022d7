"""Sort and filter proxy of a score table: column facts, best values, export as text."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt

from shrec_viewer.number_format import SHARE_DECIMALS, format_fixed
from shrec_viewer.widgets.tables.item_roles import ItemRoles

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class ScoreColumnInfo:
    """Properties of a column.

    Attributes
    ----------
    is_score : the column holds numbers.
    better : ``"higher"``, ``"lower"`` or ``"none"``.
    low, high : values of an empty and of a full bar.
    best : formatted best value, which is printed bold; "" for none, also if more than half of the runs have it.
    decimals : number of decimals of all values in the column.
    """

    is_score: bool = False
    better: str = "none"
    low: float = 0.0
    high: float = 1.0
    best: str = ""
    decimals: int = SHARE_DECIMALS

    def text(self, value: float) -> str:
        """Formatted value; "–" if undefined.

        Examples
        --------
        >>> ScoreColumnInfo(decimals=2).text(12.345), ScoreColumnInfo().text(float("nan"))
        ('12.35', '–')
        """
        return format_fixed(value, self.decimals)


class ScoreSortModel(QSortFilterProxyModel):
    """Proxy that sorts by the role ``value``, undefined values last in both directions, and filters by participant.

    Roles of the model's cells: ``value`` float (NaN undefined) in score columns; in column 0 ``colour`` ``#rrggbb`` and
    ``dash`` (a key of `render.scene.palette.DASHES`) of the run, ``shown`` bool (it is drawn in the plots). Roles of
    the horizontal header: ``better`` ``"higher" | "lower" | "none"`` and ``range`` (low, high). All are optional. The
    method ``column_values(column)`` of the model, which returns the ``value`` of all rows, replaces single cells.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._roles = ItemRoles()
        self._infos: dict[int, ScoreColumnInfo] = {}
        self._keys: dict[int, list[Any]] = {}
        self._participant = ""

    def setSourceModel(self, model: QAbstractItemModel | None) -> None:  # noqa: N802
        """Look up the roles of the model and follow its changes."""
        old = self.sourceModel()
        if old is not None:
            for signal in (old.modelReset, old.dataChanged, old.rowsInserted, old.rowsRemoved, old.headerDataChanged):
                signal.disconnect(self._forget)
        self._roles = ItemRoles(model)
        self._forget()
        self.setSortRole(self._roles.number("value") or Qt.ItemDataRole.DisplayRole)
        if model is not None:  # connected before the proxy's own slots, which sort with the cached values
            for signal in (model.modelReset, model.dataChanged, model.rowsInserted, model.rowsRemoved,
                           model.headerDataChanged):  # fmt: skip
                signal.connect(self._forget)
        super().setSourceModel(model)  # type: ignore[arg-type]  # None removes the model

    def set_participant(self, name: str) -> None:
        """Show the rows whose role ``participant`` has this value; "" for all."""
        self._participant = name
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        """Whether the run belongs to the chosen participant."""
        source = self.sourceModel()
        if not self._participant or source is None:
            return True
        return bool(self._roles.value(source.index(row, 0), "participant", "") == self._participant)

    @property
    def roles(self) -> ItemRoles:
        """Roles of the model by name."""
        return self._roles

    def column_info(self, column: int) -> ScoreColumnInfo:
        """Properties of a column, cached until the model changes."""
        if column not in self._infos:
            self._infos[column] = self._compute_info(column)
        return self._infos[column]

    def is_score(self, column: int) -> bool:
        """Whether a column holds numbers, by its header or its cells."""
        return self._header(column, "better") is not None or self.column_info(column).is_score

    def better(self, column: int) -> str:
        """``"higher"``, ``"lower"`` or ``"none"``, as in `info`."""
        return self._header(column, "better") or "none"

    def value(self, index: Index) -> float:
        """Number in a cell of the proxy; NaN for none."""
        return float(self._roles.value(index, "value", math.nan))

    def numbers(self, column: int) -> list[float]:
        """Numbers of a score column for all rows of the model, in its order; NaN for none."""
        return self._sort_keys(column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Sort the best value to the top with the first click on a header."""
        if role == Qt.ItemDataRole.InitialSortOrderRole and orientation == Qt.Orientation.Horizontal:
            is_higher = self.better(section) == "higher"
            return Qt.SortOrder.DescendingOrder if is_higher else Qt.SortOrder.AscendingOrder
        return super().headerData(section, orientation, role)

    def lessThan(self, left: Index, right: Index) -> bool:
        """Compare by value; NaN comes last in either order."""
        keys = self._sort_keys(left.column())
        a, b = keys[left.row()], keys[right.row()]
        if isinstance(a, str):
            return bool(a < b)
        if math.isnan(a) or math.isnan(b):
            ascending = self.sortOrder() == Qt.SortOrder.AscendingOrder
            return math.isnan(b) and not math.isnan(a) if ascending else math.isnan(a) and not math.isnan(b)
        return bool(a < b)

    def _sort_keys(self, column: int) -> list[Any]:
        """Sort keys of all rows of the model: names without case, or numbers, NaN for none."""
        if column not in self._keys:
            self._keys[column] = self._compute_keys(column)
        return self._keys[column]

    def _compute_keys(self, column: int) -> list[Any]:
        if self.is_score(column):
            return [math.nan if value is None else float(value) for value in self._stated(column)]
        source = self.sourceModel()
        cells = (source.index(row, column) for row in range(source.rowCount()))
        return [str(cell.data(Qt.ItemDataRole.DisplayRole) or "").casefold() for cell in cells]

    def _stated(self, column: int) -> list[Any]:
        """Role ``value`` of all rows; None for none."""
        source = self.sourceModel()
        if (tell := getattr(source, "column_values", None)) is not None:
            return list(tell(column))
        return [self._roles.value(source.index(row, column), "value") for row in range(source.rowCount())]

    def _compute_info(self, column: int) -> ScoreColumnInfo:
        source = self.sourceModel()
        if not source:
            return ScoreColumnInfo()
        stated = self._stated(column)
        better = self._header(column, "better")
        if better is None and all(value is None for value in stated):
            return ScoreColumnInfo()
        values = [float(value) for value in stated if value is not None and not math.isnan(value)]
        low, high = self._header(column, "range") or (0.0, 1.0)
        if not math.isfinite(high):
            high = max(values, default=1.0)
        better = better or "none"
        largest = max((abs(value) for value in values), default=0.0)
        decimals = SHARE_DECIMALS if largest < 10 else 2 if largest < 1000 else 1
        info = ScoreColumnInfo(True, better, float(low), float(high), decimals=decimals)
        if not values or better == "none" or source.rowCount() < 2:
            return info
        best = info.text(max(values) if better == "higher" else min(values))
        sharing = sum(info.text(value) == best for value in values)
        return info if 2 * sharing > source.rowCount() else replace(info, best=best)

    def _header(self, column: int, name: str) -> Any:
        number, source = self._roles.number(name), self.sourceModel()
        if number is None or not source:
            return None
        return source.headerData(column, Qt.Orientation.Horizontal, number)

    def _forget(self, *_what: object) -> None:
        self._infos, self._keys = {}, {}


def score_rows_as_text(order: ScoreSortModel, rows: Iterable[int]) -> list[list[str]]:
    """Header and rows as texts; "" for undefined values."""
    columns = range(order.columnCount())
    lines = [[str(order.headerData(column, Qt.Orientation.Horizontal) or "") for column in columns]]
    return lines + [[_cell_text(order, order.index(row, column)) for column in columns] for row in rows]


def _cell_text(order: ScoreSortModel, index: QModelIndex) -> str:
    if order.column_info(index.column()).is_score:
        value = order.value(index)
        return "" if value != value else repr(value)
    return str(index.data(Qt.ItemDataRole.DisplayRole) or "").replace("\t", " ").replace("\n", " ")
