"""What can be done with a cell of the confusion: its first place, its ids, its words."""

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget


class ConfusionMenu(QMenu):
    """The menu of one cell.

    Parameters
    ----------
    words : what the cell says of itself.
    places : what it counts: id of the query, rank, id of the model and place of the query, for each.

    Signals
    -------
    place_opened(query, rank)
        The person wants to look at the first place.
    """

    place_opened = Signal(int, int)

    def __init__(self, words: str, places: Sequence[tuple[str, int, str, int]], parent: QWidget) -> None:
        super().__init__(parent)
        self._words, self._places = words, places
        if places:
            query, rank, model, _ = places[0]
            look = self.tr("{query}, rank {rank}: {model}").format(query=query, rank=rank, model=model)
            self.addAction(self.tr("&Look at {place}").format(place=look.replace("&", "&&"))).triggered.connect(
                self._look
            )
        else:
            self.addAction(self.tr("No model is counted here")).setEnabled(False)
        self.addSeparator()
        for text, copy in (
            (self.tr("Copy ids of the &queries"), self._copy_queries),
            (self.tr("Copy ids of the &models"), self._copy_models),
        ):
            action = self.addAction(text)
            action.setEnabled(bool(places))
            action.triggered.connect(copy)
        self.addAction(self.tr("&Copy what the cell says")).triggered.connect(self._copy_words)

    @Slot()
    def _look(self) -> None:
        _, rank, _, query = self._places[0]
        self.place_opened.emit(query, rank)

    @Slot()
    def _copy_queries(self) -> None:
        _copy(dict.fromkeys(query for query, _, _, _ in self._places))

    @Slot()
    def _copy_models(self) -> None:
        _copy(dict.fromkeys(model for _, _, model, _ in self._places))

    @Slot()
    def _copy_words(self) -> None:
        QGuiApplication.clipboard().setText(self._words)


def _copy(ids: dict[str, None]) -> None:
    QGuiApplication.clipboard().setText("\n".join(ids))
