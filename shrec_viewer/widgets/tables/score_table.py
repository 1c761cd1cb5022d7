"""Score table: sort model, delegate, header, column widths and view."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
    QWidget,
)

from shrec_viewer.number_format import SHARE_DECIMALS, format_fixed, format_percent, format_value
from shrec_viewer.printable import separated_text
from shrec_viewer.widgets.controls.context_menu import ContextMenu
from shrec_viewer.widgets.controls.controls import ItemRoles, overrides_copy, set_current_index
from shrec_viewer.widgets.controls.plain_text import ItemTooltips, titled_tooltip
from shrec_viewer.widgets.plots.curves import draw_line_sample, line_pen
from shrec_viewer.widgets.style.text import LEFT, RIGHT, put_text
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon_pixmap, text_font

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
    percent : values are shares that are shown in per cent.
    """

    is_score: bool = False
    better: str = "none"
    low: float = 0.0
    high: float = 1.0
    best: str = ""
    decimals: int = SHARE_DECIMALS
    percent: bool = False

    def text(self, value: float, decimals: int | None = None) -> str:
        """Formatted value, with these decimals instead of those of the column; "–" if undefined.

        Examples
        --------
        >>> ScoreColumnInfo(decimals=2).text(12.345), ScoreColumnInfo().text(float("nan"))
        ('12.35', '–')
        """
        if self.percent:
            return format_percent(value, 1 if decimals is None else max(decimals - 2, 0))
        return format_fixed(value, self.decimals if decimals is None else decimals)


class ScoreSortModel(QSortFilterProxyModel):
    """Proxy that sorts by the role ``value``, undefined values last in both directions, and filters by participant.

    Roles of the model's cells: ``value`` float (NaN undefined) in score columns; in column 0 ``colour`` ``#rrggbb`` and
    ``dash`` (a key of `render.scene.palette.DASHES`) and ``marker`` of the run, ``shown`` bool (it is drawn in the
    plots) and ``virtual`` bool (it is computed from other runs). Roles of the horizontal header: ``better``
    ``"higher" | "lower" | "none"`` and ``range`` (low, high). All are optional. The method ``column_values(column)`` of
    the model, which returns the ``value`` of all rows, replaces single cells. ``ranked_rows()`` is the number of the
    first rows among which the best value is.

    Attributes
    ----------
    roles : roles of the model by name.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.roles = ItemRoles()
        self._infos: dict[int, ScoreColumnInfo] = {}
        self._keys: dict[int, list[Any]] = {}
        self._titles: dict[int, str] = {}
        self._widest_ranges: dict[int, str] = {}
        self._participant = ""

    def setSourceModel(self, model: QAbstractItemModel | None) -> None:  # noqa: N802
        """Look up the roles of the model and follow its changes."""
        old = self.sourceModel()
        if old is not None:
            for signal in (old.modelReset, old.dataChanged, old.rowsInserted, old.rowsRemoved, old.headerDataChanged):
                signal.disconnect(self._forget)
        self.roles = ItemRoles(model)
        self._forget()
        self.setSortRole(self.roles.number("value") or Qt.ItemDataRole.DisplayRole)
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
        return bool(self.roles.value(source.index(row, 0), "participant", "") == self._participant)

    def column_info(self, column: int) -> ScoreColumnInfo:
        """Properties of a column, cached until the model changes."""
        if column not in self._infos:
            self._infos[column] = self._compute_info(column)
        return self._infos[column]

    def text(self, index: Index) -> str:
        """Formatted value of a cell of a score column."""
        return self.column_info(index.column()).text(self.value(index), self.roles.value(index, "decimals"))

    def is_score(self, column: int) -> bool:
        """Whether a column holds numbers, by its header or its cells."""
        return self._header(column, "better") is not None or self.column_info(column).is_score

    def better(self, column: int) -> str:
        """``"higher"``, ``"lower"`` or ``"none"``, as in `info`."""
        return self._header(column, "better") or "none"

    def title(self, column: int) -> str:
        """Name of a column, with a suffix where lower values are better, cached until the model changes.

        At a change of the text size Qt measures each header a dozen times.
        """
        if column not in self._titles:
            name = str(self.headerData(column, Qt.Orientation.Horizontal) or "")
            self._titles[column] = name + (LOWER_IS_BETTER if self.better(column) == "lower" else "")
        return self._titles[column]

    def value(self, index: Index) -> float:
        """Number in a cell of the proxy; NaN for none."""
        return float(self.roles.value(index, "value", math.nan))

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
        """Compare by value; NaN is last and equal values are in the order of the model, both in either order.

        Qt calls this with exchanged arguments in descending order. Without the rows, equal values would stay in the
        order of the previous sorting.
        """
        keys = self._sort_keys(left.column())
        a, b = keys[left.row()], keys[right.row()]
        ascending = self.sortOrder() == Qt.SortOrder.AscendingOrder
        # Qt reverses the comparison in descending order; NaN must be last in both.
        if isinstance(a, float) and math.isnan(a) != math.isnan(b):
            return math.isnan(b) if ascending else math.isnan(a)
        if a < b or b < a:
            return bool(a < b)
        return left.row() < right.row() if ascending else left.row() > right.row()

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
        if (column_values := getattr(source, "column_values", None)) is not None:
            return list(column_values(column))
        return [self.roles.value(source.index(row, column), "value") for row in range(source.rowCount())]

    def _compute_info(self, column: int) -> ScoreColumnInfo:
        source = self.sourceModel()
        if not source:
            return ScoreColumnInfo()
        stated = self._stated(column)
        better = self._header(column, "better")
        if better is None and all(value is None for value in stated):
            return ScoreColumnInfo()
        values = _numbers(stated)
        low, high = self._header(column, "range") or (0.0, 1.0)
        if not math.isfinite(high):
            high = max(values, default=1.0)
        better = better or "none"
        largest = max((abs(value) for value in values), default=0.0)
        # By the largest value of the column, so that all its decimal points align.
        decimals = SHARE_DECIMALS if largest < 10 else 2 if largest < 1000 else 1
        is_percent = bool(self._header(column, "percent"))
        info = ScoreColumnInfo(True, better, float(low), float(high), decimals=decimals, percent=is_percent)
        ranked = getattr(source, "ranked_rows", source.rowCount)()
        values = _numbers(stated[:ranked])
        if not values or better == "none" or ranked < 2:
            return info
        # As displayed: two runs with the same rounded value are both bold, as a reader expects.
        best = info.text(max(values) if better == "higher" else min(values))
        sharing = sum(info.text(value) == best for value in values)
        # A best value that most runs reach distinguishes none of them.
        return info if 2 * sharing > ranked else replace(info, best=best)

    def widest_range(self, column: int) -> str:
        """The longest range of ties in a column, cached until the model changes; "" where all ranges are empty."""
        if column not in self._widest_ranges:
            source, info = self.sourceModel(), self.column_info(column)
            bounds = (self.roles.value(source.index(row, column), "tie_range") for row in range(source.rowCount()))
            texts = (range_label(info, *pair) for pair in bounds if pair is not None)
            self._widest_ranges[column] = max(texts, key=len, default="")
        return self._widest_ranges[column]

    def _header(self, column: int, name: str) -> Any:
        number, source = self.roles.number(name), self.sourceModel()
        if number is None or not source:
            return None
        return source.headerData(column, Qt.Orientation.Horizontal, number)

    def _forget(self, *_what: object) -> None:
        self._infos, self._keys, self._titles, self._widest_ranges = {}, {}, {}, {}


def _numbers(values: Iterable[float | None]) -> list[float]:
    return [float(value) for value in values if value is not None and not math.isnan(value)]


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


#: Suffix of the name of a measure where lower values are better; an arrow would be read as the sort order.
LOWER_IS_BETTER = " (lower)"

#: Width in pixels of the line sample before a run's name.
LINE_SAMPLE = 24

#: Minimum width and height in pixels of the bar at the left of a number.
BAR_WIDTH, BAR_HEIGHT = 28, 6

#: Pixels before a number for its rank in the column, up to 99.
RANK_WIDTH = 24

#: Size in pixels of the icon after the name of a run with a warning; the tooltip has its text.
WARNING_SIZE = 14

#: Font size of differences from the baseline, relative to that of the numbers.
DIFFERENCE_SCALE = 0.85

#: Texts of the width that differences have, without and with changes of rank; digits have equal widths.
WIDEST_DIFFERENCE, WIDEST_CHANGE = "+0.000", "+0.000 ▲00"

#: Pixels right of the numbers and their headers; contains the triangle of the sorted column.
NUMBER_MARGIN = 3 * SPACE

#: Digits have equal widths; texts that differ only in digits are measured once.
DIGITS_TO_ZERO = str.maketrans("123456789", "000000000")


def difference_label(difference: float, rank_change: int = 0) -> str:
    """``"+0.025"``, ``"+0.025 ▲2"`` for two ranks up; ``"="`` for none; "" if undefined."""
    if math.isnan(difference):
        return ""
    moved = f" {'▲' if rank_change > 0 else '▼'}{abs(rank_change)}" if rank_change else ""
    return f"{format_value(difference, signed=True) if difference else '='}{moved}"


#: Text of the width that ranges of ties have at least.
WIDEST_RANGE = "0.000–0.000"


def range_label(info: "ScoreColumnInfo", low: float, high: float) -> str:
    """``"0.410–0.433"``; "" if undefined, or the same when printed."""
    first, last = info.text(low), info.text(high)
    return "" if math.isnan(low) or math.isnan(high) or first == last else f"{first}–{last}"


ItemIndex = QModelIndex | QPersistentModelIndex


class ScoreDelegate(QStyledItemDelegate):
    """Delegate of a score table; see `ScoreSortModel` for the roles."""

    def __init__(self, order: ScoreSortModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._order = order
        self._theme = current_theme()
        self.hovered_row = -1

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._theme = theme

    def sample_box(self, cell: QRect) -> QRect:
        """Rectangle of the line sample in a run's cell; a click there shows or hides the run."""
        return QRect(cell.left(), cell.top(), LINE_SAMPLE + 4 * SPACE, cell.height())

    def row_height(self, font: QFont) -> int:
        """Height of a row in pixels in the view's `font`."""
        return round(QFontMetricsF(text_font(font, bold=True)).height() + 2.5 * SPACE)

    def sizeHint(self, option: QStyleOptionViewItem, index: ItemIndex) -> QSize:
        """Size of a number with bar and rank, or of a name with line sample and warning icon."""
        metrics = QFontMetricsF(text_font(option.font, bold=True))
        height = self.row_height(option.font)
        info = self._order.column_info(index.column())
        if info.is_score:
            text = self._order.text(index)
            rank_width = RANK_WIDTH if self._order.roles.value(index, "place") is not None else 0
            number_width = round(metrics.horizontalAdvance(max(text, "0.000", key=len)))
            return QSize(number_width + BAR_WIDTH + 7 * SPACE + rank_width, height)
        start = LINE_SAMPLE + 4 * SPACE if index.column() == 0 and "colour" in self._order.roles else 2 * SPACE
        return QSize(self._name_width(index, metrics) + start + 3 * SPACE, height)

    def column_widths(self, font: QFont, columns: Iterable[int]) -> list[int]:
        """Widths in pixels of these columns' cells in the view's `font`; ten times as fast as `sizeHint` of each."""
        metrics = QFontMetricsF(text_font(font, bold=True))
        return [self._column_width(column, metrics) for column in columns]

    def _column_width(self, column: int, metrics: QFontMetricsF) -> int:
        info = self._order.column_info(column)
        cells = (self._order.index(row, column) for row in range(self._order.rowCount()))
        if info.is_score:
            labels = {info.text(value).translate(DIGITS_TO_ZERO) for value in self._order.numbers(column)}
            roles = self._order.roles
            has_ranks = "place" in roles and any(roles.value(cell, "place") is not None for cell in cells)
            if "difference" in roles:
                cells = (self._order.index(row, column) for row in range(self._order.rowCount()))
                shown = [cell for cell in cells if roles.value(cell, "difference") is not None]
                if shown:
                    widest = self._widest_difference(shown[0])
                    labels = {f"{text} {widest}" for text in (*labels, "0.000")}
            if "tie_range" in roles:
                labels = {f"{text}{self._widest_range(column)}" for text in (*labels, "0.000")}
            if "decimals" in roles:  # published values
                cells = (self._order.index(row, column) for row in range(self._order.rowCount()))
                shown = [cell for cell in cells if roles.value(cell, "decimals") is not None]
                texts = (f"{self._order.text(cell)} {roles.value(cell, 'difference', '')}" for cell in shown)
                labels |= {text.translate(DIGITS_TO_ZERO) for text in texts}
            width = max(metrics.horizontalAdvance(text) for text in (*labels, "0.000"))
            return round(width) + BAR_WIDTH + 7 * SPACE + (RANK_WIDTH if has_ranks else 0)
        start = LINE_SAMPLE + 4 * SPACE if column == 0 and "colour" in self._order.roles else 2 * SPACE
        return max((self._name_width(cell, metrics) for cell in cells), default=0) + start + 3 * SPACE

    def _name_width(self, cell: ItemIndex, metrics: QFontMetricsF) -> int:
        name = str(cell.data(Qt.ItemDataRole.DisplayRole) or "")
        width = round(metrics.horizontalAdvance(name)) + (WARNING_SIZE + SPACE if self._warning(cell) else 0)
        state = self._state(cell)
        return width + (round(metrics.horizontalAdvance(state)) + 2 * SPACE if state else 0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ItemIndex) -> None:
        """Paint a number with its bar, or a name with its line sample."""
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        cell = QRectF(option.rect)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected or index.row() == self.hovered_row:
            painter.fillRect(cell, self._theme.colour("selection" if selected else "hover"))
        if self._order.column_info(index.column()).is_score:
            self._draw_score(painter, cell, index, option, selected=selected)
        else:
            self._draw_name(painter, cell, index, option)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(self._theme.colour("accent"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(cell.adjusted(1, 1, -1, -1), 3, 3)
        painter.restore()

    def _draw_score(
        self, painter: QPainter, cell: QRectF, index: ItemIndex, option: QStyleOptionViewItem, *, selected: bool
    ) -> None:
        info, value = self._order.column_info(index.column()), self._order.value(index)
        text, left = self._order.text(index), cell.left() + 2 * SPACE
        if (rank := self._order.roles.value(index, "place")) is not None:
            box, font = cell.adjusted(2 * SPACE, 0, 0, 0), text_font(option.font, 0.85)
            put_text(painter, box, f"{rank}.", self._theme.colour("muted"), font=font)
            left += RANK_WIDTH
        # As wide as the numbers of the column, so that all bars have the same length.
        number_width = QFontMetricsF(text_font(option.font, bold=True)).horizontalAdvance(self._widest_number(index))
        right = cell.right() - NUMBER_MARGIN - number_width - 2 * SPACE
        if (difference := self._order.roles.value(index, "difference")) is not None:
            right = self._draw_difference(painter, cell, right, index, difference, option)
        if (bounds := self._order.roles.value(index, "tie_range")) is not None:
            font = text_font(option.font, DIFFERENCE_SCALE)
            width = QFontMetricsF(font).horizontalAdvance(self._widest_range(index.column()))
            box = QRectF(right - width, cell.top(), width, cell.height())
            put_text(painter, box, range_label(info, *bounds), self._theme.colour("muted"), RIGHT, font=font)
            right = box.left() - SPACE
        is_published = isinstance(difference, str)  # no bar: beside a text it would be shorter than those of the runs
        share = (value - info.low) / (info.high - info.low) if info.high > info.low and not is_published else 0.0
        if share > 0 and right - left >= BAR_WIDTH / 2:  # False for NaN
            bar = QRectF(left, cell.center().y() - BAR_HEIGHT / 2, (right - left) * min(share, 1.0), BAR_HEIGHT)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("accent", 0.45) if selected else self._theme.colour("accent", 0.3))
            painter.drawRoundedRect(bar, 2, 2)
        colour = self._theme.colour("muted" if text == "–" else "ink")
        font = text_font(option.font, bold=text == info.best and not is_published)
        put_text(painter, cell.adjusted(0, 0, -NUMBER_MARGIN, 0), text, colour, RIGHT, font=font)

    def _draw_difference(
        self,
        painter: QPainter,
        cell: QRectF,
        right: float,
        index: ItemIndex,
        difference: float | str,
        option: QStyleOptionViewItem,
    ) -> float:
        """Paint the difference and the change of rank at the left of a number; returns its left edge."""
        font = text_font(option.font, DIFFERENCE_SCALE)
        text = difference
        widest = text if isinstance(text, str) else self._widest_difference(index)
        width = QFontMetricsF(font).horizontalAdvance(widest)
        box = QRectF(right - width, cell.top(), width, cell.height())
        if not isinstance(text, str):
            text = difference_label(text, self._rank_change(index) or 0)
        put_text(painter, box, text, self._theme.colour("muted"), RIGHT, font=font)
        return box.left() - SPACE

    def _widest_range(self, column: int) -> str:
        """Text of the width of the longest range of a column, with a blank before; "" where all ranges are empty."""
        longest = self._order.widest_range(column)
        return f" {max(longest, WIDEST_RANGE, key=len)}" if longest else ""

    def _rank_change(self, index: ItemIndex) -> int | None:
        roles = self._order.roles
        change: int | None = roles.value(index, "rank_change") if "rank_change" in roles else None
        return change

    def _widest_difference(self, index: ItemIndex) -> str:
        return WIDEST_DIFFERENCE if self._rank_change(index) is None else WIDEST_CHANGE

    def _widest_number(self, index: ItemIndex) -> str:
        """Text of the width of the longest number of a column; digits have equal widths."""
        info = self._order.column_info(index.column())
        ends = [info.text(end) for end in (info.low, info.high) if math.isfinite(end)]
        return max((*ends, self._order.text(index), "0.000"), key=len)

    def _draw_name(self, painter: QPainter, cell: QRectF, index: ItemIndex, option: QStyleOptionViewItem) -> None:
        roles = self._order.roles
        left, is_shown, is_published = 2 * SPACE, True, False
        if index.column() == 0 and "colour" in roles:
            is_shown = bool(roles.value(index, "shown", True))
            colour = QColor(roles.value(index, "colour", self._theme.muted))
            if not is_shown:
                colour = self._theme.colour("faint", 0.5)
            start = QPointF(cell.left() + left, cell.center().y())
            dash = roles.value(index, "dash")
            is_published = dash is None
            if not is_published:
                pen, marker = line_pen(colour, 2.5, dash), roles.value(index, "marker", "")
                draw_line_sample(painter, start, LINE_SAMPLE, pen, marker)
            left += LINE_SAMPLE + 2 * SPACE
        box = cell.adjusted(left, 0, -SPACE, 0)
        font = text_font(option.font, bold=index.column() == 0 and not is_published)
        font.setStrikeOut(not is_shown)  # as in the legends of the graphs
        font.setItalic(index.column() == 0 and bool(roles.value(index, "virtual", False)))
        if state := self._state(index):
            width = QFontMetricsF(option.font).horizontalAdvance(state)
            side = QRectF(box.right() - width - SPACE, box.top(), width, box.height())
            put_text(painter, side, state, self._theme.colour("muted"), RIGHT, font=option.font)
            box.setRight(side.left() - SPACE)
        if self._warning(index):
            box.setRight(box.right() - WARNING_SIZE - SPACE)
            text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
            right = min(box.left() + QFontMetricsF(font).horizontalAdvance(text), box.right()) + SPACE
            mark = warning_pixmap(self._theme.warning, painter.device().devicePixelRatioF())
            painter.drawPixmap(QPointF(right, cell.center().y() - WARNING_SIZE / 2), mark)
        colour = self._theme.colour("ink" if index.column() == 0 and is_shown else "muted")
        text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        put_text(painter, box, text, colour, font=font, elide=Qt.TextElideMode.ElideMiddle)

    def _state(self, index: ItemIndex) -> str:
        """``"new"`` or ``"removed"`` after the name of a run, in its name column; "" for none."""
        return str(self._order.roles.value(index, "state") or "") if index.column() == 0 else ""

    def _warning(self, index: ItemIndex) -> str:
        """Warning about the run of a row, in its name column; "" for none."""
        return str(self._order.roles.value(index, "warning") or "") if index.column() == 0 else ""


@lru_cache(maxsize=4)  # both themes on two screens; saves rendering the icon for each row
def warning_pixmap(colour: str, ratio: float) -> QPixmap:
    """Warning icon of `WARNING_SIZE` pixels in a colour ``#rrggbb``."""
    return icon_pixmap("warning", colour, WARNING_SIZE, ratio)


@lru_cache(maxsize=256)  # Qt requests the sizes of all headers with each change of the table
def _header_text_size(text: str, font: str) -> tuple[float, float]:
    """Width and height in pixels of a header text; `font` as written by `QFont.toString`."""
    base = QFont()
    base.fromString(font)
    metrics = QFontMetricsF(text_font(base, 0.92, bold=True))
    return metrics.horizontalAdvance(text), metrics.height()


NAME_COLUMN = 0

#: Maximum share of the table's width for names that stay in view while it is scrolled; the rest shows numbers.
MAX_PINNED_SHARE = 0.5


class ScoreHeader(QHeaderView):
    """Header with a triangle at the column that the table is sorted by."""

    def __init__(self, order: ScoreSortModel, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._order = order
        self._theme = current_theme()
        self.is_pressed = False
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setMouseTracking(True)

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._theme = theme
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Record that the user may be resizing a column."""
        self.is_pressed = True
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Record that the user is no longer resizing a column."""
        super().mouseReleaseEvent(event)
        self.is_pressed = False

    @property
    def pinned_width(self) -> int:
        """Width of the names in pixels, which stay at the left edge of a table that is scrolled; else 0."""
        width = self.sectionSize(NAME_COLUMN) if self.count() else 0
        return width if self.offset() > 0 and width <= MAX_PINNED_SHARE * self.width() else 0

    def column_at(self, point: QPoint) -> int:
        """Column at a point of the viewport, that of the names instead of what is behind it; -1 for none."""
        return NAME_COLUMN if point.x() < self.pinned_width else self.logicalIndexAt(point)

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the definition of a measure as a tooltip with title; sections behind that of the names get no clicks."""
        if isinstance(event, QMouseEvent) and event.position().x() < self.pinned_width and not self.is_pressed:
            return True
        if isinstance(event, QHelpEvent):
            section = self.column_at(event.pos())
            text = self.model().headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
            help_text = "\nRight click or press ? for help." if text else ""
            QToolTip.showText(event.globalPos(), titled_tooltip(str(text or "") + help_text), self)
            return True
        return super().viewportEvent(event)

    def sectionSizeFromContents(self, logicalIndex: int) -> QSize:  # noqa: N802, N803
        """Width of the header text with its margins."""
        width, height = _header_text_size(self.header_text(logicalIndex), self.font().toString())
        return QSize(round(self._text_start(logicalIndex) + width) + 6 * SPACE, round(height + 3 * SPACE))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the pinned section, and extend the line below the headers over the empty part."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        if pinned := self.pinned_width:
            self.paintSection(painter, QRect(0, 0, pinned, self.height()), NAME_COLUMN)
            painter.fillRect(pinned - 1, 0, 1, self.height(), self._theme.colour("line"))
        painter.fillRect(0, self.height() - 1, self.width(), 1, self._theme.colour("line"))

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N802, N803
        """Paint name and sort indicator of a column."""
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.fillRect(rect, self._theme.colour("surface"))
        box = QRectF(rect)
        is_sorted = self.sortIndicatorSection() == logicalIndex
        font, colour = text_font(self.font(), 0.92, bold=True), self._theme.colour("ink" if is_sorted else "muted")
        place = RIGHT if self._order.is_score(logicalIndex) else LEFT
        text_box = box.adjusted(self._text_start(logicalIndex), 0, -NUMBER_MARGIN, 0)
        put_text(painter, text_box, self.header_text(logicalIndex), colour, place, font=font)
        if is_sorted:
            self._paint_sort_indicator(painter, box)
        painter.restore()

    def header_text(self, column: int) -> str:
        """Name of a column, with a suffix where lower values are better."""
        return self._order.title(column)

    def _text_start(self, column: int) -> int:
        if self._order.is_score(column):
            return SPACE
        return LINE_SAMPLE + 4 * SPACE if column == 0 and "colour" in self._order.roles else 2 * SPACE

    def _paint_sort_indicator(self, painter: QPainter, box: QRectF) -> None:
        """Paint the sort indicator within the right margin, pointing up for ascending values."""
        centre = QPointF(box.right() - NUMBER_MARGIN / 2, box.center().y())
        tip = -2.5 if self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder else 2.5
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("accent"))
        painter.drawPolygon(QPolygonF([
            centre + QPointF(-4, -tip), centre + QPointF(4, -tip), centre + QPointF(0, tip)
        ]))  # fmt: skip


#: Maximum extra width of a column in pixels; numbers farther apart are hard to read as a row.
MAX_EXTRA_WIDTH = 60


#: Maximum width of a column of names as a share of the table's: longer names are elided, so that scores are visible;
#: their tooltips have them.
MAX_NAME_SHARE = 0.45

#: Average characters of a name that are never elided, in a narrow table either.
MIN_NAME_CHARS = 20


class ScoreColumnWidths(QObject):
    """Fits the column widths of a score table while it is visible; hidden tables are fitted when they are shown.

    Parameters
    ----------
    table : table that shows `order`, with `delegate` and `header`.
    """

    def __init__(self, table: QTableView, order: ScoreSortModel, delegate: ScoreDelegate, header: ScoreHeader) -> None:
        super().__init__(table)
        self._table, self._order, self._delegate, self._header = table, order, delegate, header
        self._natural_widths: dict[int, int] = {}  # by visible column
        self._fitted_fonts: tuple[QFont, QFont] | None = None
        self._is_due = self._is_resizing = self._has_user_widths = False
        header.sectionResized.connect(self._on_section_resized)
        order.modelReset.connect(self.fit)
        order.columnsInserted.connect(self.fit)

    @Slot()
    def fit(self, *_: object) -> None:
        """Fit columns to their contents, now or when the table becomes visible."""
        self._natural_widths = {}
        self.update_shown()

    def update_shown(self) -> None:
        """Fit the columns that were shown since the last call."""
        font = self._table.font()
        self._table.verticalHeader().setDefaultSectionSize(self._delegate.row_height(font))
        self._is_due = not self._table.isVisible()
        if self._is_due:
            return
        self._fitted_fonts = self._fonts()
        previous, shown = self._natural_widths, self._shown()
        cells = self._delegate.column_widths(font, shown)
        headers = [self._header.sectionSizeFromContents(column).width() for column in shown]
        self._natural_widths = {column: max(widths) for column, *widths in zip(shown, cells, headers, strict=True)}
        if self._has_user_widths:
            self._set_widths(
                {column: width for column, width in self._natural_widths.items() if column not in previous}
            )
        self.distribute_width()

    def on_shown(self) -> None:
        """Fit the columns if that was deferred while the table was hidden."""
        if self._is_due:
            self.fit()

    def on_font_changed(self) -> None:
        """Fit the columns if table or header have another font size."""
        if self._natural_widths and self._fonts() != self._fitted_fonts:
            self.fit()

    def _fonts(self) -> tuple[QFont, QFont]:
        return self._table.font(), self._header.font()

    def distribute_width(self) -> None:
        """Distribute spare width among the score columns, until the user resizes a column."""
        if self._has_user_widths or list(self._natural_widths) != self._shown():
            return
        scores = {column for column in self._natural_widths if self._order.is_score(column)}
        available = self._table.viewport().width()
        most = max(round(MAX_NAME_SHARE * available), MIN_NAME_CHARS * self._table.fontMetrics().averageCharWidth())
        widths = {
            column: width if column in scores else min(width, most) for column, width in self._natural_widths.items()
        }
        extra = min(max(0, available - sum(widths.values())) // max(1, len(scores)), MAX_EXTRA_WIDTH)
        self._set_widths({column: width + (extra if column in scores else 0) for column, width in widths.items()})

    def _shown(self) -> list[int]:
        return [column for column in range(self._order.columnCount()) if not self._table.isColumnHidden(column)]

    def _set_widths(self, widths: Mapping[int, int]) -> None:
        self._is_resizing = True
        for column, width in widths.items():
            self._table.setColumnWidth(column, width)
        self._is_resizing = False

    @Slot(int, int, int)
    def _on_section_resized(self, _column: int, _old: int, _new: int) -> None:
        if not self._is_resizing and self._header.is_pressed:
            self._has_user_widths = True


class ScoreTable(QTableView):
    """Table with a row per run and a column per measure; see `ScoreSortModel` for the roles of its model.

    The names of the runs stay at the left edge while the measures are scrolled.

    Rows and columns in signals and setters are those of the source model, independent of the sorting.

    Signals
    -------
    run_selected(int)
        A row was clicked or reached with the arrow keys.
    cell_selected(int, int)
        The same with row and column, for score columns only.
    help_requested(int)
        Show the help page of a score column.
    run_toggled(int)
        Click on the run's line sample or Space: show or hide its curves.
    row_hovered(int)
        Row under the mouse; -1 for none.
    menu_opening(QMenu, int)
        The context menu of a row is about to open; receivers may add actions.
    """

    run_selected = Signal(int)
    cell_selected = Signal(int, int)
    help_requested = Signal(int)
    run_toggled = Signal(int)
    row_hovered = Signal(int)
    menu_opening = Signal(QMenu, int)

    # Qt calls overrides such as `changeEvent` while its own constructor runs.
    _widths: ScoreColumnWidths | None = None
    _column_to_show = -1  # when the table becomes visible
    _skipped_run: int | None = None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        ItemTooltips(self)
        self._order = ScoreSortModel(self)
        self._delegate = ScoreDelegate(self._order, self)
        self._header = ScoreHeader(self._order, self)
        super().setModel(self._order)
        self.setItemDelegate(self._delegate)
        self.setHorizontalHeader(self._header)
        self._header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)  # no half row at the top
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)  # Tab moves to the next widget
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().setMinimumSectionSize(0)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().hide()
        self.setAccessibleName("Scores")
        self._widths = ScoreColumnWidths(self, self._order, self._delegate, self._header)
        self._hovered_run = -1
        self._order.layoutChanged.connect(self._show_hovered_run)

    # Contents.

    def setModel(self, model: QAbstractItemModel | None) -> None:
        """Show a sorted proxy of the model."""
        self._order.setSourceModel(model)  # resets the proxy, which fits the columns

    @property
    def is_header_pressed(self) -> bool:
        """Whether the mouse is pressed on the header: a change of the sorting is then made by the user."""
        return self._header.is_pressed

    def set_sort(self, column: int, *, descending: bool = True) -> None:
        """Sort by this column; -1 for the model's own order."""
        is_down = descending and column >= 0
        order = Qt.SortOrder.DescendingOrder if is_down else Qt.SortOrder.AscendingOrder
        self.sortByColumn(column, order)

    def show_column(self, column: int) -> None:
        """Scroll to a column that is not completely visible: to the left end if it is visible there, else to it.

        The rows are not scrolled. A hidden table scrolls when it is shown, as its columns have no widths before.
        """
        self._column_to_show = column
        if not self.isVisible():
            return
        self._column_to_show = -1
        # Qt updates the range of the scroll bar in a timer after columns were resized.
        self.updateGeometries()
        bar, left = self.horizontalScrollBar(), self.columnViewportPosition(column)
        available, right = self.viewport().width(), left + self.columnWidth(column)
        if (left >= self._header.pinned_width and right <= available) or self.isColumnHidden(column):
            return
        first, last = left + bar.value(), right + bar.value()
        names = self.columnWidth(NAME_COLUMN) if self.columnWidth(NAME_COLUMN) <= MAX_PINNED_SHARE * self.width() else 0
        # The column next to the names is whole: of a number that is cut the rest looks like another number.
        starts = (self.columnViewportPosition(other) + bar.value() - names for other in self.shown_columns())
        at_right = min((start for start in starts if start >= last - available), default=last - available)
        bar.setValue(0 if last <= available else first - names if left < names else min(first - names, at_right))

    def header_column_at(self, point: QPoint) -> int:
        """Column at a point of the header; -1 for none."""
        return self._header.column_at(point)

    def refit(self) -> None:
        """Fit the columns to their contents."""
        if self._widths is not None:
            self._widths.fit()

    def update_shown_columns(self) -> None:
        """Fit the columns that were shown since the last call."""
        if self._widths is not None:
            self._widths.update_shown()

    def is_score(self, column: int) -> bool:
        """Whether a column holds numbers."""
        return self._order.is_score(column)

    def set_participant(self, name: str) -> None:
        """Show only the runs of a participant; "" for all."""
        self._order.set_participant(name)

    def set_current_run(self, row: int | None) -> None:
        """Make this row of the model current; None or an invalid row for no row."""
        source = self._order.sourceModel()
        if source is None or row is None or not 0 <= row < source.rowCount():
            self.selectionModel().clear()
            return
        column = max(self.currentIndex().column(), NAME_COLUMN)
        index = self._order.mapFromSource(source.index(row, column))
        if index.row() != self.currentIndex().row() or not self.selectionModel().isSelected(index):
            set_current_index(self, index)
        self._scroll_to_current()

    def set_skipped_run(self, row: int | None) -> None:
        """Let keys move over this row of the model, not onto it; None for no row."""
        self._skipped_run = row

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._delegate.set_theme(theme)
        self._header.set_theme(theme)
        if self._widths is not None:
            self._widths.on_font_changed()  # again: only now the header has its font from the new style sheet
        self.viewport().update()

    def shown_rows(self) -> list[int]:
        """Rows of the model in the order on screen, without filtered ones."""
        order = self._order
        return [order.mapToSource(order.index(row, 0)).row() for row in range(order.rowCount())]

    def shown_columns(self) -> list[int]:
        """Columns of the model in the order on screen, without hidden ones."""
        columns = [self._header.logicalIndex(position) for position in range(self._header.count())]
        return [column for column in columns if not self.isColumnHidden(column)]

    def tsv(self, *, selected: bool = False) -> str:
        """The table as tab-separated text in the order on screen, values in full precision.

        Parameters
        ----------
        selected : only the selected rows.
        """
        rows = sorted({index.row() for index in self.selectionModel().selectedRows()})
        lines = score_rows_as_text(self._order, rows if selected else range(self._order.rowCount()))
        return separated_text(lines, "\t")

    def selected_runs(self) -> tuple[int, ...]:
        """Rows of the model that are selected, in the order on screen."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return tuple(self._source(self._order.index(row, NAME_COLUMN)).row() for row in rows)

    # Mouse and keyboard.

    def event(self, event: QEvent) -> bool:
        """Override the window's shortcut for copying while the table has the focus."""
        return overrides_copy(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy, show or hide the current run with Space, or move between rows."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy_selected()
            return
        if event.key() == Qt.Key.Key_Space and self.currentIndex().isValid():
            self.run_toggled.emit(self._source(self.currentIndex()).row())
            return
        if event.text() == "?" and self.is_score(self.currentIndex().column()):
            self.help_requested.emit(self.currentIndex().column())
            return
        before = self.currentIndex()
        former = (before.row(), before.column())
        super().keyPressEvent(event)
        now = self.currentIndex()
        if now.isValid() and (now.row(), now.column()) != former:
            self._select(now)

    def moveCursor(  # noqa: N802
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """The cell to which a key moves: beyond the skipped row, or before it at the end of the table."""
        index, row = super().moveCursor(action, modifiers), self.currentIndex().row()
        is_range = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        if is_range or index.row() == row or self._source(index).row() != self._skipped_run:
            return index
        step = 1 if index.row() > row else -1
        beyond = index.siblingAtRow(index.row() + step)
        return beyond if beyond.isValid() else index.siblingAtRow(index.row() - step)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the row under the mouse; presses elsewhere or with the right button select nothing."""
        point = event.position().toPoint()
        index = self.indexAt(point)
        if not index.isValid() or event.button() == Qt.MouseButton.RightButton:
            event.accept()
            return
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left and self._on_sample(index, point):
            self.run_toggled.emit(self._source(index).row())
            return
        super().mousePressEvent(event)
        if is_left:
            self._select(index)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Highlight the row under the mouse."""
        index = self.indexAt(event.position().toPoint())
        self.set_hovered_run(self._source(index).row() if index.isValid() else -1)
        self.row_hovered.emit(self._source(index).row() if index.isValid() else -1)
        if not event.buttons():
            super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Highlight no row."""
        self.set_hovered_run(-1)
        self.row_hovered.emit(-1)
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Keep the current row; QTableView would make the first row current."""
        had_current = self.currentIndex().isValid()
        super().focusInEvent(event)
        if not had_current:
            self.selectionModel().clear()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the row under the mouse, or with the menu key that of the current row."""
        is_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if is_key else self.indexAt(event.pos())
        position = self.viewport().mapToGlobal(self.visualRect(index).center()) if is_key else event.globalPos()
        menu = ContextMenu(self)
        if index.isValid():
            self.menu_opening.emit(menu, self._source(index).row())
            menu.addSeparator()
        self._add_copy_actions(menu)
        menu.popup(position)

    def _add_copy_actions(self, menu: QMenu) -> None:
        copy = menu.addAction("Copy selected rows", QKeySequence.StandardKey.Copy)
        copy.setEnabled(self.selectionModel().hasSelection())
        copy.triggered.connect(self._copy_selected)
        menu.addAction("Copy table").triggered.connect(self._copy_all)

    def _copy_selected(self) -> None:
        if self.selectionModel().hasSelection():
            QGuiApplication.clipboard().setText(self.tsv(selected=True))

    def _copy_all(self) -> None:
        QGuiApplication.clipboard().setText(self.tsv())

    def _select(self, index: QModelIndex) -> None:
        source = self._source(index)
        self.run_selected.emit(source.row())
        if self._order.column_info(source.column()).is_score:
            self.cell_selected.emit(source.row(), source.column())

    def _source(self, index: QModelIndex | QPersistentModelIndex) -> QModelIndex:
        return self._order.mapToSource(index)

    def _on_sample(self, index: QModelIndex, point: QPoint) -> bool:
        if index.column() != NAME_COLUMN or "colour" not in self._order.roles:
            return False
        return self._delegate.sample_box(self.visualRect(index)).contains(point)

    def set_hovered_run(self, row: int) -> None:
        """Highlight the row of a run, by its row in the model; -1 for none. Does not emit."""
        self._hovered_run = row
        self._show_hovered_run()

    @Slot()
    def _show_hovered_run(self, *_: object) -> None:
        model, row = self._order.sourceModel(), self._hovered_run
        self._hover_row(self._order.mapFromSource(model.index(row, 0)).row() if model is not None else -1)

    def _hover_row(self, row: int) -> None:
        if row != self._delegate.hovered_row:
            self._delegate.hovered_row = row
            self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Distribute the width and keep the current row visible."""
        super().resizeEvent(event)
        if self._widths is not None:
            self._widths.distribute_width()
        if event.oldSize().height() != event.size().height():
            self._scroll_to_current()

    def changeEvent(self, event: QEvent) -> None:
        """Fit the columns when the font changes."""
        super().changeEvent(event)
        if event.type() != QEvent.Type.FontChange or self._widths is None:
            return
        # The style sheet changes the font of the header after that of the table; then `set_theme` fits the columns.
        if self._header.font().pointSizeF() == self.font().pointSizeF():
            self._widths.on_font_changed()

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the columns if that was deferred while the table was hidden."""
        super().showEvent(event)
        if self._widths is not None:
            self._widths.on_shown()
        if self._column_to_show >= 0:
            self.show_column(self._column_to_show)

    # The names of the runs.

    def indexAt(self, point: QPoint) -> QModelIndex:  # noqa: N802
        """Cell at a point of the viewport, the name instead of what is behind it."""
        index = super().indexAt(point)
        return index.siblingAtColumn(NAME_COLUMN) if point.x() < self._header.pinned_width else index

    def visualRect(self, index: ItemIndex) -> QRect:
        """Rectangle of a cell in the viewport."""
        box = super().visualRect(index)
        if index.column() == NAME_COLUMN and self._header.pinned_width:
            box.moveLeft(0)
        return box

    def scrollTo(
        self, index: ItemIndex, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        """Scroll to a cell; the names are in view, and other cells are not scrolled behind them."""
        bar = self.horizontalScrollBar()
        value, pinned = bar.value(), self._header.pinned_width
        super().scrollTo(index, hint)
        if index.column() == NAME_COLUMN and pinned:
            bar.setValue(value)
        elif 0 <= (left := self.columnViewportPosition(index.column())) < self._header.pinned_width:
            bar.setValue(bar.value() - self._header.pinned_width + left)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the names in front of the cells that are scrolled."""
        super().paintEvent(event)
        width = self._header.pinned_width
        if not width:
            return
        painter = QPainter(self.viewport())
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        theme, state = current_theme(), option.state
        for row in range(max(self.rowAt(0), 0), self._order.rowCount()):
            top = self.rowViewportPosition(row)
            if top > self.viewport().height():
                break
            index = self._order.index(row, NAME_COLUMN)
            option.rect = QRect(0, top, width, self.rowHeight(row))
            option.state = state & ~QStyle.StateFlag.State_HasFocus
            if self.selectionModel().isSelected(index):
                option.state |= QStyle.StateFlag.State_Selected
            if self.hasFocus() and index == self.currentIndex():
                option.state |= QStyle.StateFlag.State_HasFocus
            painter.fillRect(option.rect, theme.colour("surface"))
            self._delegate.paint(painter, option, index)
            painter.fillRect(width - 1, top, 1, option.rect.height(), theme.colour("line"))

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Align the first visible row with the header, and keep the names where they are."""
        super().scrollContentsBy(dx, dy)
        self._align_top_row()
        if dx:
            self.viewport().update()
            self._header.viewport().update()

    def updateGeometries(self) -> None:  # noqa: N802
        """Align the first visible row with the header."""
        super().updateGeometries()
        self._align_top_row()

    def _align_top_row(self) -> None:
        """At the end of the list Qt lays the last row on the lower edge and cuts the first one; here it is whole."""
        rows = self.verticalHeader()
        wanted = self.verticalScrollBar().value() * rows.defaultSectionSize()
        if rows.offset() != wanted:
            rows.setOffset(wanted)
            self.viewport().update()

    def _scroll_to_current(self) -> None:
        """Scroll to the current row, and back to the top where that shows it as well: the leader is seen too."""
        index = self.currentIndex()
        if not index.isValid():
            return
        self.scrollTo(index)
        if (index.row() + 1) * self.verticalHeader().defaultSectionSize() <= self.viewport().height():
            self.verticalScrollBar().setValue(0)
