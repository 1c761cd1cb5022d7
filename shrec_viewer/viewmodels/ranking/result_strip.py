"""One image with the query and the first models of its list, for papers."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QImage

from shrec_viewer.domain import UNKNOWN_ITEM, Benchmark
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.number_format import format_distance
from shrec_viewer.render.sheets.cards import SheetCard, SheetCardStyle
from shrec_viewer.render.sheets.contact_sheet import result_strip
from shrec_viewer.viewmodels.mesh_view.rendering import RenderRequest, RenderResult, rgba_to_qimage
from shrec_viewer.viewmodels.ranking.ranked_list import NOT_IN_COLLECTION
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.viewmodels.text.labels import class_label, level_name, model_class
from shrec_viewer.viewmodels.thumbnails.thumbnails import NO_FILE

LANE = "strip"
"""Lane of `Session.tasks` that puts the cards together, and the beginning of the panes that are drawn for it."""

DEFAULT_COUNT, COLUMNS = 12, 6
"""Models of the list, and how many of them stand in a row: as wide as a page of two columns."""

SCALE = 2.0
"""Pixels for each of the screen's: 300 to an inch where the strip is 15 cm wide."""


@dataclass(frozen=True, eq=False)
class _StripJob:
    """A strip that is being drawn."""

    cards: tuple[SheetCard, ...]
    paths: tuple[Path | None, ...]
    title: str
    legend: tuple[tuple[int, str], ...]
    look: SheetCardStyle


class ResultStrip(QObject):
    """Draws strips one at a time; a new one takes the place of one that is not finished.

    Signals
    -------
    made(QImage)
        The picture, on a white ground.
    """

    made = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._order: _StripJob | None = None
        self._missing: set[int] = set()
        self._cards: list[SheetCard] = []
        session.mesh_view_state.source.drawn.connect(self._take)
        session.mesh_view_state.source.renderer_changed.connect(self._ask)
        session.benchmark_changed.connect(self._give_up)

    def make(self, count: int = DEFAULT_COUNT) -> None:
        """Draw the selected query and the first `count` of the selected run's list; nothing where there is none."""
        benchmark, shown = self._session.benchmark, self._session.ranked_list
        if benchmark is None or shown is None or self._session.run is None:
            return
        self._give_up()
        self._session.progress.emit("Drawing the picture", 0, 0)
        order = self._order = self._ordered(benchmark, shown, count)
        self._cards = list(order.cards)
        self._missing = {place for place, path in enumerate(order.paths) if path is not None}
        self._ask()
        self._finish()

    @Slot()
    def _ask(self) -> None:
        """For what is still missing; again where another renderer has taken over."""
        order = self._order
        if order is None:
            return
        side = round(order.look.side * order.look.scale)
        camera = self._session.mesh_view_state.camera
        shots = {place: RenderRequest(f"{LANE} {place}", path, camera, side, side)
                 for place, path in enumerate(order.paths) if path is not None}  # fmt: skip
        self._session.mesh_view_state.source.request([shots[place] for place in sorted(self._missing)])

    def _ordered(self, benchmark: Benchmark, shown: RankedList, count: int) -> _StripJob:
        query, run = self._session.selection.query, self._session.run
        assert run is not None
        assert query != NOTHING
        name = class_label(benchmark, int(benchmark.queries.labels[query]))
        cards = [SheetCard(None, benchmark.queries.ids[query], name, is_query=True)]
        paths = [benchmark.queries.paths[query]]
        for place, item in enumerate(shown.items[:count].tolist()):
            cards.append(_make_card(benchmark, shown, place, item))
            paths.append(None if item == UNKNOWN_ITEM else benchmark.collection.paths[item])
        levels = () if benchmark.assessment is None else (*sorted(benchmark.assessment.levels, reverse=True), 0)
        legend = tuple((level, level_name(level, benchmark.assessment.levels)) for level in levels)  # type: ignore[union-attr]
        look = SheetCardStyle(scale=SCALE, is_binary=levels == (1, 0))
        return _StripJob(tuple(cards), tuple(paths), f"{benchmark.name}: {benchmark.queries.ids[query]}, run {run.name}",
                      legend, look)  # fmt: skip

    @Slot(object)
    def _take(self, drawn: RenderResult) -> None:
        name, _, number = drawn.shot.pane.rpartition(" ")
        if name != LANE or self._order is None or int(number) not in self._missing:
            return
        place = int(number)
        if self._order.paths[place] != drawn.shot.path:
            return
        self._missing.discard(place)
        pixels = None if drawn.image is None else qimage_to_rgba(drawn.image)
        self._cards[place] = replace(self._cards[place], pixels=pixels, problem=drawn.problem)
        self._finish()

    def _finish(self) -> None:
        if self._order is None or self._missing:
            return
        order, self._order = self._order, None
        work = partial(_compose, tuple(self._cards), order)
        failed = partial(self._session.report_failure, "The picture cannot be made")
        self._session.tasks.run(LANE, work, self._show, failed)

    def _show(self, image: QImage) -> None:
        self._session.progress.emit("", 0, 0)
        self.made.emit(image)

    @Slot()
    def _give_up(self) -> None:
        if self._order is not None:
            self._session.mesh_view_state.source.withdraw([f"{LANE} {place}" for place in self._missing])
        self._order = None
        self._missing.clear()


def _make_card(benchmark: Benchmark, shown: RankedList, place: int, item: int) -> SheetCard:
    level = int(shown.levels[place]) if benchmark.assessment is not None else None
    apart = format_distance(float(shown.distances[place]))
    if item == UNKNOWN_ITEM:
        return SheetCard(None, NOT_IN_COLLECTION, "", apart, place + 1, level, NOT_IN_COLLECTION)
    problem = "" if benchmark.collection.paths[item] else NO_FILE
    name = model_class(benchmark, item)
    return SheetCard(None, benchmark.collection.ids[item], name, apart, place + 1, level, problem)


def _compose(cards: tuple[SheetCard, ...], order: _StripJob, _task: Task) -> QImage:
    pixels = result_strip(cards[0], cards[1:], COLUMNS, order.look, title=order.title, legend=order.legend)
    return rgba_to_qimage(pixels).convertToFormat(QImage.Format.Format_RGB32)


def qimage_to_rgba(image: QImage) -> NDArray[np.uint8]:
    """(H, W, 4) RGBA with straight alpha, a copy."""
    straight = image.convertToFormat(QImage.Format.Format_RGBA8888)
    rows = np.frombuffer(straight.constBits(), np.uint8).reshape(straight.height(), straight.bytesPerLine())
    return rows[:, : 4 * straight.width()].reshape(straight.height(), straight.width(), 4).copy()
