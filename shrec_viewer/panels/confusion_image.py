"""The image of tiers tied to the session: a dot selects its query and rank, by the mouse or by keys."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.confusion import TierLists, tier_image
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.words import class_words
from shrec_viewer.widgets.tier_image import FIRST, LAST, TierImage

Places = NDArray[np.int64]


class ImageOfTiers(QObject):
    """Makes the image as large as its room, and says what stands where.

    Parameters
    ----------
    image : where it is shown; its owner.

    Signals
    -------
    spot_told(words)
        Keys or a click went to a spot; two lines say what it is.
    """

    spot_told = Signal(str)

    def __init__(self, session: Session, image: TierImage) -> None:
        super().__init__(image)
        self._session, self._image = session, image
        self._tiers: TierLists | None = None
        self._queries: Places = np.zeros(0, np.int64)  # place in the benchmark, from the top
        self._models: Places = np.zeros(0, np.int64)  # the same, from the left
        image.resized.connect(self._show)
        image.spot_picked.connect(self._pick)
        image.spot_hovered.connect(self._describe)
        image.walked.connect(self._walk)
        image.jumped.connect(self._jump)
        session.benchmark_changed.connect(self._forget)

    def set_tiers(self, tiers: TierLists | None) -> None:
        """Show these; None for none, so that nothing is made while nobody looks."""
        self._tiers = tiers
        self._show()

    @Slot()
    def _forget(self) -> None:
        self._tiers = None
        self._image.set_spot(None)

    @Slot()
    def _show(self) -> None:
        benchmark, tiers = self._session.benchmark, self._tiers
        if benchmark is None or tiers is None:
            return
        room = self._image.room
        codes, down, right = tier_image(tiers, benchmark, max(room.height(), 1), max(room.width(), 1))
        self._queries, self._models = np.argsort(down), np.argsort(right)
        self._image.set_image(codes, _blocks(benchmark))

    # What is under the mouse.

    @Slot(float, float)
    def _pick(self, down: float, right: float) -> None:
        if self._tiers is not None and down >= 0 and len(self._queries):
            row, column = self._at(down, right)
            self._go(row, column)

    @Slot(float, float)
    def _describe(self, down: float, right: float) -> None:
        known = self._tiers is not None and down >= 0 and len(self._queries)
        self._image.set_words(self._words(*self._at(down, right)) if known else "")

    def _at(self, down: float, right: float) -> tuple[int, int]:
        return int(down * len(self._queries)), int(right * len(self._models))

    def _words(self, row: int, column: int) -> str:
        benchmark = self._session.benchmark
        if benchmark is None:
            return ""
        query, model = int(self._queries[row]), int(self._models[column])
        rank = self._rank(query, model)
        name = class_words(benchmark, int(benchmark.queries.labels[query]))
        found = self.tr("in neither tier") if rank is None else self.tr("rank {rank}").format(rank=rank)
        return f"{benchmark.queries.ids[query]} {name} → {benchmark.collection.ids[model]}\n{found}"

    def _rank(self, query: int, model: int) -> int | None:
        """Rank of the model in the tiers of the query; None where it stands in neither."""
        at = np.flatnonzero(self._listed(query) == model)
        return int(at[0]) + 1 if len(at) else None

    def _listed(self, query: int) -> NDArray[np.integer]:
        """Models of the tiers of a query by rank; -1 for ids that the collection lacks."""
        tiers = self._tiers
        return np.zeros(0, np.int64) if tiers is None else tiers.items[tiers.indptr[query] : tiers.indptr[query + 1]]

    # What keys do.

    @Slot(int, int)
    def _walk(self, rows: int, dots: int) -> None:
        """To the query above or below, or to the next dot at the left or right."""
        if self._tiers is None or not len(self._queries):
            return
        row, column = self._image.spot or (0, -1)
        if rows:
            row = min(max(row + rows, 0), len(self._queries) - 1)
            self._go(row, max(column, 0))
            return
        columns = self._dots(row)
        ahead = columns[columns > column] if dots > 0 else columns[columns < column][::-1]
        if len(ahead):
            self._go(row, int(ahead[0]))

    @Slot(int)
    def _jump(self, where: int) -> None:
        """To the first or last dot of the query."""
        row = (self._image.spot or (0, 0))[0]
        if self._tiers is not None and len(self._queries) and len(columns := self._dots(row)):
            self._go(row, int(columns[{FIRST: 0, LAST: -1}[where]]))

    def _dots(self, row: int) -> Places:
        """Columns of the models in the tiers of the query of a row, from the left."""
        column_of = np.empty(len(self._models), np.int64)
        column_of[self._models] = np.arange(len(self._models))
        listed = self._listed(int(self._queries[row]))
        return np.sort(column_of[listed[listed >= 0]])

    def _go(self, row: int, column: int) -> None:
        """Mark a spot, say what it is and select it."""
        self._image.set_spot((row, column), len(self._queries), len(self._models))
        words = self._words(row, column)
        self._image.setAccessibleDescription(words)
        query = int(self._queries[row])
        self._session.select(query=query, rank=self._rank(query, int(self._models[column])))
        self.spot_told.emit(words)


def _blocks(benchmark: Benchmark) -> list[tuple[float, float, float, float]]:
    """Where queries and models of the same class meet: top, left, height, width as shares of the whole."""
    if benchmark.classification is None:
        return []
    of_queries, of_models = np.sort(benchmark.queries.labels), np.sort(benchmark.classification.labels)
    # Those without a class stand last, as in the image.
    of_queries, of_models = (np.concatenate([a[a >= 0], a[a < 0]]) for a in (of_queries, of_models))
    blocks = []
    for label in np.unique(of_queries[of_queries >= 0]):
        rows, columns = np.flatnonzero(of_queries == label), np.flatnonzero(of_models == label)
        if len(columns):
            top, left = rows[0] / len(of_queries), columns[0] / len(of_models)
            blocks.append((top, left, len(rows) / len(of_queries), len(columns) / len(of_models)))
    return blocks
