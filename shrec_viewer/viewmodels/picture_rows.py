"""Ties the rows that are on the screen to the pictures they need."""

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QAbstractItemModel, QObject, Slot

from shrec_viewer.viewmodels.thumbnails import Thumbnails

AHEAD = 1.0
"""Pages fetched beyond the visible ones in either direction, so that a turn of the wheel finds its pictures there."""


class PictureRows(QObject):
    """Asks for the pictures of the visible rows of one model, and tells the model's views when they have come.

    Rows off the screen are never announced: they are painted, and read their picture, when they come into view.

    Parameters
    ----------
    model : the model whose rows these are; becomes the parent.
    thumbnails : where pictures come from.
    client : name that keeps these wishes apart from those of other views; the smaller in the alphabet is served first.
    path_of : file of a row, None where it has none.
    role : role under which the model publishes the picture.
    """

    def __init__(
        self,
        model: QAbstractItemModel,
        thumbnails: Thumbnails,
        client: str,
        path_of: Callable[[int], Path | None],
        roles: tuple[int, ...],
    ) -> None:
        super().__init__(model)
        self._model = model
        self._thumbnails = thumbnails
        self._client = client
        self._path_of = path_of
        self._roles = list(roles)
        self._seen: tuple[int, ...] = ()
        self._near: tuple[int, ...] = ()
        thumbnails.arrived.connect(self._announce)
        thumbnails.size_changed.connect(self._ask)
        model.modelReset.connect(self._start_again)

    @Slot(int, int)
    def set_visible(self, first: int, last: int) -> None:
        """Rows `first` to `last` are on the screen: fetch these first, then their neighbours."""
        n_rows = self._model.rowCount()
        first, stop = max(first, 0), min(last + 1, n_rows)
        ahead = round(max(stop - first, 0) * AHEAD)
        after = range(stop, min(stop + ahead, n_rows))
        before = range(max(first - ahead, 0), first)
        self.set_rows(range(first, stop), (*after, *before))

    def set_rows(self, seen: Iterable[int], near: Iterable[int] = ()) -> None:
        """The rows `seen` are on the screen, in this order, and the rows `near` may be next."""
        self._seen, self._near = tuple(seen), tuple(near)
        self._ask()

    @property
    def visible(self) -> tuple[int, ...]:
        """Rows on the screen."""
        return self._seen

    @property
    def waiting(self) -> int:
        """Number of visible rows that have neither a picture nor a reason for having none."""
        return sum(not self._thumbnails.is_settled(path) for path in self._paths(self._seen))

    @property
    def drawn(self) -> int:
        """Number of visible rows that have a picture."""
        return sum(self._thumbnails.picture(path) is not None for path in self._paths(self._seen))

    @Slot()
    def _ask(self) -> None:
        self._thumbnails.want(self._client, self._paths(self._seen), self._paths(self._near))

    def _paths(self, rows: tuple[int, ...]) -> list[Path]:
        return [path for row in rows if (path := self._path_of(row)) is not None]

    @Slot(object)
    def _announce(self, paths: frozenset[Path]) -> None:
        for row in self._seen:
            if self._path_of(row) in paths:
                index = self._model.index(row, 0)  # one by one: of a range, views repaint all that is in sight
                self._model.dataChanged.emit(index, index, self._roles)

    @Slot()
    def _start_again(self) -> None:
        """Other rows stand there now: the view shows as many of them as before, from the first on."""
        self.set_visible(0, len(self._seen) - 1)
