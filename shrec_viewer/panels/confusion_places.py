"""The places that a cell of the confusion counts, to be gone to."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from shrec_viewer.widgets.theme import SPACE

MOST_PLACES = 500
"""Places listed for one cell; nobody reads more, and each is a row of the list."""

LONG_RANK = 8888
"""A rank as long as most."""

PLACE = Qt.ItemDataRole.UserRole


class CellPlaces(QWidget):
    """What the cell is, and a list of query, rank and model.

    Signals
    -------
    place_picked(query, rank), place_opened(query, rank)
        A click; Enter or a double click.
    """

    place_picked = Signal(int, int)
    place_opened = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = QListWidget()
        self._what = QLabel()
        self.list.setAccessibleName(self.tr("Places of the cell"))
        self.list.setUniformItemSizes(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._what.setProperty("muted", True)
        self._what.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        self._what.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._what)
        column.addWidget(self.list, 1)
        self.list.itemClicked.connect(self._pick)
        self.list.itemActivated.connect(self._open)

    def clear(self, words: str) -> None:
        """List nothing, and say why."""
        self.list.clear()
        self._what.setText(words)

    def show_places(self, words: str, places: Sequence[tuple[str, int, str, int]]) -> None:
        """Say what the cell is, and list id of the query, rank, id of the model and place of the query for each."""
        self.clear(words)
        for query, rank, model, place in places[:MOST_PLACES]:
            said = _place_words(query, rank, model)
            entry = QListWidgetItem(said)
            entry.setToolTip(said)
            entry.setData(PLACE, (place, rank))
            self.list.addItem(entry)
        if len(places) > MOST_PLACES:
            self.list.addItem(QListWidgetItem(f"… and {len(places) - MOST_PLACES:,} more"))

    def open_first(self) -> None:
        """Go to the first place, if there is one."""
        if self.list.count():
            self._open(self.list.item(0))

    def width_for(self, queries: Iterable[str], models: Iterable[str]) -> int:
        """Pixels that the places of these need."""
        longest = _place_words(max(queries, key=len, default=""), LONG_RANK, max(models, key=len, default=""))
        bar = self.list.verticalScrollBar().sizeHint().width()
        return self.list.fontMetrics().horizontalAdvance(longest) + bar + 6 * SPACE

    @Slot(QListWidgetItem)
    def _pick(self, entry: QListWidgetItem) -> None:
        if (place := entry.data(PLACE)) is not None:
            self.place_picked.emit(*place)

    @Slot(QListWidgetItem)
    def _open(self, entry: QListWidgetItem) -> None:
        if (place := entry.data(PLACE)) is not None:
            self.place_opened.emit(*place)


def _place_words(query: str, rank: int, model: str) -> str:
    return f"{query}  ·  rank {rank}  ·  {model}"
