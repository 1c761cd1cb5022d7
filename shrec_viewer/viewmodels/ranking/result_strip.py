"""One image with the query and the first models of its list, for papers."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QImage

from shrec_viewer.domain import UNKNOWN_ITEM, Benchmark
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.number_format import format_distance
from shrec_viewer.render.sheets.cards import SheetCard, SheetCardStyle
from shrec_viewer.render.sheets.contact_sheet import result_strip
from shrec_viewer.viewmodels.mesh_view.rendering import RenderRequest, RenderResult
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.viewmodels.text.labels import NO_FILE, NOT_IN_COLLECTION, level_name, model_class, query_class
from shrec_viewer.viewmodels.thumbnails.qimage import qimage_to_rgba, rgba_to_qimage

STRIP_KEY = "strip"
"""Key of the task that composes the image, and prefix of the pane names of its render requests."""

DEFAULT_COUNT, COLUMNS = 12, 6
"""Number of models, and of columns: as wide as a page of two columns."""

SCALE = 2.0
"""Scale factor: 300 dpi at a width of 15 cm."""


@dataclass(frozen=True, eq=False)
class _StripContent:
    """Content of a strip that is being rendered."""

    cards: tuple[SheetCard, ...]
    paths: tuple[Path | None, ...]
    title: str
    legend: tuple[tuple[int, str], ...]
    style: SheetCardStyle


class ResultStrip(QObject):
    """Renders strips one at a time; a new one cancels the one in progress.

    Signals
    -------
    rendered(QImage)
        The image, on a white background.
    """

    rendered = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._content: _StripContent | None = None
        self._missing: set[int] = set()
        self._cards: list[SheetCard] = []
        session.mesh_view_state.source.rendered.connect(self._receive)
        session.mesh_view_state.source.renderer_changed.connect(self._request)
        session.benchmark_changed.connect(self._cancel)

    def render(self, count: int = DEFAULT_COUNT) -> None:
        """Render the selected query and the first `count` models of the list; does nothing without a list."""
        benchmark, shown = self._session.benchmark, self._session.ranked_list
        if benchmark is None or shown is None or self._session.run is None:
            return
        self._cancel()
        self._session.progress.emit("Rendering the image", 0, 0)
        content = self._content = self._make_content(benchmark, shown, count)
        self._cards = list(content.cards)
        self._missing = {index for index, path in enumerate(content.paths) if path is not None}
        self._request()
        self._finish()

    @Slot()
    def _request(self) -> None:
        """Request the missing images; also called after a change of the renderer."""
        content = self._content
        if content is None:
            return
        side = round(content.style.side * content.style.scale)
        camera = self._session.mesh_view_state.camera
        requests = {
            index: RenderRequest(f"{STRIP_KEY} {index}", path, camera, side, side)
            for index, path in enumerate(content.paths)
            if path is not None
        }
        self._session.mesh_view_state.source.request([requests[index] for index in sorted(self._missing)])

    def _make_content(self, benchmark: Benchmark, shown: RankedList, count: int) -> _StripContent:
        query, run = self._session.selection.query, self._session.run
        assert run is not None
        assert query != NOTHING
        cards = [SheetCard(None, benchmark.queries.ids[query], query_class(benchmark, query), is_query=True)]
        paths = [benchmark.queries.paths[query]]
        for row, item in enumerate(shown.items[:count].tolist()):
            cards.append(_make_card(benchmark, shown, row, item))
            paths.append(None if item == UNKNOWN_ITEM else benchmark.collection.paths[item])
        levels = () if benchmark.assessment is None else (*sorted(benchmark.assessment.levels, reverse=True), 0)
        legend = tuple((level, level_name(level, benchmark.assessment.levels)) for level in levels)  # type: ignore[union-attr]
        style = SheetCardStyle(scale=SCALE, is_binary=levels == (1, 0))
        title = f"{benchmark.name}: {benchmark.queries.ids[query]}, run {run.name}"
        return _StripContent(tuple(cards), tuple(paths), title, legend, style)

    @Slot(object)
    def _receive(self, result: RenderResult) -> None:
        name, _, number = result.request.pane.rpartition(" ")
        if name != STRIP_KEY or self._content is None or int(number) not in self._missing:
            return
        index = int(number)
        if self._content.paths[index] != result.request.path:
            return
        self._missing.discard(index)
        pixels = None if result.image is None else qimage_to_rgba(result.image)
        self._cards[index] = replace(self._cards[index], pixels=pixels, problem=result.problem)
        self._finish()

    def _finish(self) -> None:
        if self._content is None or self._missing:
            return
        content, self._content = self._content, None
        work = partial(_compose, tuple(self._cards), content)
        failed = partial(self._session.report_failure, "The image cannot be rendered")
        self._session.tasks.run(STRIP_KEY, work, self._show, failed)

    def _show(self, image: QImage) -> None:
        self._session.progress.emit("", 0, 0)
        self.rendered.emit(image)

    @Slot()
    def _cancel(self) -> None:
        if self._content is not None:
            self._session.mesh_view_state.source.withdraw([f"{STRIP_KEY} {index}" for index in self._missing])
        self._content = None
        self._missing.clear()


def _make_card(benchmark: Benchmark, shown: RankedList, row: int, item: int) -> SheetCard:
    level = int(shown.levels[row]) if benchmark.assessment is not None else None
    distance = format_distance(float(shown.distances[row]))
    if item == UNKNOWN_ITEM:
        return SheetCard(None, NOT_IN_COLLECTION, "", distance, row + 1, level, NOT_IN_COLLECTION)
    problem = "" if benchmark.collection.paths[item] else NO_FILE
    name = model_class(benchmark, item)
    return SheetCard(None, benchmark.collection.ids[item], name, distance, row + 1, level, problem)


def _compose(cards: tuple[SheetCard, ...], content: _StripContent, _task: Task) -> QImage:
    pixels = result_strip(cards[0], cards[1:], COLUMNS, content.style, title=content.title, legend=content.legend)
    return rgba_to_qimage(pixels).convertToFormat(QImage.Format.Format_RGB32)
