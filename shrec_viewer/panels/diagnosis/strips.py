"""What the panels of the diagnosis share: columns, rows of pictures, and the button of what restricts them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPixmap, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QScrollArea, QSplitter, QToolButton, QWidget

from shrec_viewer.charts.strips import Strips, Tile
from shrec_viewer.content.diagnosis.error_budget import CAUSE_NAMES, DifferenceRequest
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.content.data import FOLLOWED
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import NO_FILE
from shrec_viewer.widgets.cards.list_matrix import NO_FRAME, ListMatrixView
from shrec_viewer.widgets.controls.plain_text import escape_mnemonic, set_tooltip
from shrec_viewer.widgets.style.theme import Theme, current_theme, icon

R = TypeVar("R", bound=DifferenceRequest)


class TileRow(NamedTuple):
    """Indices of the tiles of a row (n,) int32, and their levels (n,) int16."""

    items: NDArray[np.int32]
    levels: NDArray[np.int16]


class StripTiles:
    """Content of a `ListMatrixView`: for each row of `Strips` the tile at its head, then the others."""

    def __init__(self, session: Session) -> None:
        self._thumbnails = session.thumbnails
        self.rows: list[list[Tile]] = []
        self._lists: list[TileRow] = []
        self.tiles: list[Tile] = []

    def set_chart(self, chart: Strips) -> None:
        """Show these rows."""
        self.rows = [[row.query, *row.strips[0].tiles] for row in chart.rows]
        self._lists, self.tiles = [], []
        for row in self.rows:
            levels = [NO_FRAME if tile.level is None else tile.level for tile in row]
            items = np.arange(len(self.tiles), len(self.tiles) + len(row), dtype=np.int32)
            self._lists.append(TileRow(items, np.array(levels, np.int16)))
            self.tiles += row

    def title(self, row: int) -> str:
        """See `MatrixContent`."""
        return self.rows[row][0].caption

    def value_text(self, row: int) -> str:
        """See `MatrixContent`."""
        return self.rows[row][0].detail

    def is_current(self, row: int) -> bool:
        """See `MatrixContent`."""
        return False

    def list_of(self, row: int) -> TileRow | None:
        """See `MatrixContent`."""
        return self._lists[row] if row < len(self._lists) else None

    def thumbnail(self, item: int) -> QPixmap | None:
        """See `MatrixContent`."""
        return self._thumbnails.pixmap(self.tiles[item].path)

    def problem(self, item: int) -> str:
        """See `MatrixContent`."""
        path = self.tiles[item].path
        return NO_FILE if path is None else self._thumbnails.problem(path)

    def row_text(self, row: int) -> str:
        """See `MatrixContent`."""
        return self.cell_text(row, 1)

    def cell_text(self, row: int, rank: int) -> str:
        """See `MatrixContent`."""
        tile = self.rows[row][rank - 1]
        return f"{tile.caption} {tile.note}".rstrip() + (f", {tile.detail}" if tile.detail else "")


class StripsView(ListMatrixView):
    """Rows of pictures, each after the one that it belongs to.

    Signals
    -------
    tile_picked(row, tile)
        A picture, or the title of a row, was clicked or reached with the arrow keys.
    """

    tile_picked = Signal(int, object)

    def __init__(self, session: Session, client: str) -> None:
        self.strips = StripTiles(session)
        super().__init__(self.strips, numbered=False)
        self._thumbnails, self._client = session.thumbnails, client
        self.cell_picked.connect(self._emit_tile)
        self.row_picked.connect(self._emit_head)
        self.visible_changed.connect(self._request)
        session.thumbnails.arrived.connect(self.repaint_cells)
        session.thumbnails.size_changed.connect(self._request)

    def set_chart(self, chart: Strips) -> None:
        """Show these rows; hidden without files."""
        self.set_current(-1, 0)
        self.strips.set_chart(chart)
        self.setVisible(any(tile.path is not None for tile in self.strips.tiles))
        self.set_size(len(chart.rows), max(map(len, self.strips.rows), default=0), binary=chart.key.is_binary)

    @Slot()
    def _request(self) -> None:
        first, last = self.visible_rows()
        shown = [tile.path for row in self.strips.rows[first : last + 1] for tile in row if tile.path is not None]
        self._thumbnails.request(self._client, shown if self.isVisible() else ())

    @Slot(int, int)
    def _emit_tile(self, row: int, rank: int) -> None:
        self.tile_picked.emit(row, self.strips.rows[row][rank - 1])

    @Slot(int)
    def _emit_head(self, row: int) -> None:
        self.tile_picked.emit(row, self.strips.rows[row][0])


#: Width in pixels below which columns are folded, and least height of each widget then.
NARROW_WIDTH, LEAST_HEIGHT = 480, 165


class FoldingSplitter(QScrollArea):
    """Columns of widgets side by side; where that is too narrow, all of them below each other, to scroll.

    Parameters
    ----------
    columns : widgets from top to bottom.
    widths : of the columns, in pixels, which are shares of the width.
    growing : indices of the columns that a wider window widens; by default all.
    """

    def __init__(
        self, columns: Sequence[Sequence[QWidget]], widths: Sequence[int], growing: Sequence[int] = ()
    ) -> None:
        super().__init__(widgetResizable=True)
        self._split, self._n_widgets = QSplitter(Qt.Orientation.Horizontal), sum(map(len, columns))
        for widgets in columns:
            column = QSplitter(Qt.Orientation.Vertical)
            for widget in widgets:
                column.addWidget(widget)
            column.setSizes([1000] * len(widgets))
            column.setChildrenCollapsible(False)
            self._split.addWidget(column)
        self._split.setChildrenCollapsible(False)
        self._split.setSizes(list(widths))
        for number in growing:
            self._split.setStretchFactor(number, 1)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(self._split)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the columns, or unfold them."""
        super().resizeEvent(event)
        is_narrow = self.width() < NARROW_WIDTH
        self._split.setOrientation(Qt.Orientation.Vertical if is_narrow else Qt.Orientation.Horizontal)
        self._split.setMinimumHeight(self._n_widgets * LEAST_HEIGHT if is_narrow else 0)


class BudgetPanel(RequestPanel[R]):
    """Panel of a request that divides the loss of run A, or its difference from run B."""

    waiting = "Dividing the loss…"

    def request(self) -> R | None:
        """See `RequestPanel`; the compared run only where differences are shown."""
        request, pair = super().request(), FOLLOWED["pair"](self._session)
        for box in self.findChildren(QCheckBox):
            box.setEnabled(bool(pair))
        if request is None:
            return None
        return replace(request, compared=pair[1] if request.difference and pair else "")


#: Width in pixels of the name of a slice in the button, which may be long; small windows have no more space.
MAX_WIDTH = 110


class RestrictionButton(QToolButton):
    """What a view is restricted to; a click shows all again.

    Parameters
    ----------
    follows : fields of the selection: a cause of the error budget, models in a lasso, or a slice of the queries.
    """

    def __init__(self, session: Session, *follows: Literal["cause", "within", "slice"]) -> None:
        super().__init__()
        self._session, self._follows = session, follows or ("cause", "within")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIcon(icon("close", current_theme()))
        self.clicked.connect(self._remove)
        session.changed.connect(self._follow_session)
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.setIcon(icon("close", theme))

    @Slot()
    def _remove(self) -> None:
        empty: dict[str, Any] = {name: () if name == "within" else "" for name in self._follows}
        self._session.select(**empty)

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "restriction", "slice", "benchmark"):
            self._show()

    def _show(self) -> None:
        selection, total = self._session.selection, len(self._session.benchmark.collection)
        texts = {
            "cause": selection.cause and CAUSE_NAMES[selection.cause],
            "within": f"{len(selection.within):,} of {total:,}" if selection.within else "",
            "slice": self.fontMetrics().elidedText(selection.slice, Qt.TextElideMode.ElideMiddle, MAX_WIDTH),
        }
        self.setText(escape_mnemonic(", ".join(texts[name] for name in self._follows if texts[name])))
        self.setVisible(bool(self.text()))
        what = f"Means over the queries of {selection.slice}"
        what = what if "slice" in self._follows else "Only what the chosen cause carries, and the models in the lasso"
        set_tooltip(self, f"{what}; click to show all")
