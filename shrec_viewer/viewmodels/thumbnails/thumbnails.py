"""Thumbnails of models and queries: in-memory cache, background loading, and rendering in worker processes."""

import logging
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QAbstractItemModel, QObject, QTimer, Signal, Slot
from PySide6.QtGui import QImage, QPixmap

from shrec_viewer.domain import Finding, Quantity
from shrec_viewer.domain.value_scale import ValueScale
from shrec_viewer.formats.meshes.values import read_valued_mesh
from shrec_viewer.render.renderer import RendererChoice
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.style import RenderStyle
from shrec_viewer.render.thumbnails.cache import ThumbnailCache, cache_folder, write_limit
from shrec_viewer.render.thumbnails.thumbnail import Thumbnail, ThumbnailRequest, scale_thumbnail, thumbnail_findings
from shrec_viewer.render.workers.thumbnail_pool import ThumbnailPool
from shrec_viewer.viewmodels.tasks.tasks import LoopThread, Task
from shrec_viewer.viewmodels.text.labels import NO_FILE
from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg
from shrec_viewer.viewmodels.thumbnails.qimage import bgra_to_qimage

_log = logging.getLogger(__name__)

#: Milliseconds in which new thumbnails are collected for one signal: a frame of a 60 Hz screen.
BATCH_MS = 16

#: Edge length in memory until a view sets its size: that of a card of size M.
DEFAULT_PIXELS = 128

#: Edge lengths in memory are multiples of this; the usual card sizes are, at the usual scale factors of screens.
PIXEL_STEP = 32

#: Bytes of thumbnails in memory: 1,500 of 128 pixels, 680 of 192, more than a screen shows.
MEMORY_LIMIT = 96 * 2**20

#: Edge lengths that are rendered and stored on disk, and scaled down for display; 512 is for large cards.
RENDER_SIZES = (256, 512)

#: Minimum interval of `findings_changed`; a folder of broken files adds a finding with every thumbnail.
FINDINGS_INTERVAL_MS = 500

#: Interval at which the loading thread checks for its end; new requests and thumbnails wake it at once.
POLL_S = 0.5

#: Pages requested beyond the visible rows in both directions, so that scrolling by a page shows thumbnails at once.
PAGES_AHEAD = 1.0

#: Problem of a stored thumbnail that cannot be decoded.
UNREADABLE = "the thumbnail cannot be read"


class ThumbnailSource:
    """Produces thumbnails; all methods but `wait` may be called while another thread is in `wait`.

    A source may record findings about the files, work without its cache, and have several renderers, or not.
    """

    def set_camera(self, camera: Camera) -> None:
        """Use this camera for all requests from now on."""

    def set_scale(self, scale: ValueScale | None, quantity: Quantity | None = None) -> None:
        """Colour the models by a quantity of theirs, or of files beside them, for all requests from now on."""

    def request(self, paths: Sequence[Path], size: int) -> None:
        """Produce these, in this order; earlier requests that have not been started are dropped."""

    def wait(self, timeout: float) -> list[tuple[Path, bytes | None, str]]:
        """Finished thumbnails as WebP or PNG data, or None and a problem; empty after `timeout` seconds."""
        raise NotImplementedError

    def close(self) -> None:
        """End, including a running `wait`."""

    def noticed(self) -> int:
        """Number of files with findings."""
        return 0

    def findings(self, root: Path) -> tuple[Finding, ...]:
        """Findings about the files so far, with paths relative to `root` where possible."""
        return ()

    def clear_findings(self) -> None:
        """Remove all findings; called when another benchmark is opened."""

    def problems(self) -> tuple[str, ...]:
        """Why the cache or a renderer is not used, and what is done instead."""
        return ()

    @property
    def renderer(self) -> str:
        """Name of the renderer; "" before the first rendered thumbnail."""
        return ""

    def set_renderer(self, prefer: RendererChoice) -> None:
        """Use this renderer from now on."""


class Thumbnails(QObject):
    """Returns thumbnails from memory and requests missing ones from a source, visible ones first.

    Parameters
    ----------
    open_source : creates the source at the first request; None disables thumbnails.

    Attributes
    ----------
    pixels : edge length of the thumbnails in memory, in device pixels.

    Signals
    -------
    arrived(paths)
        A frozenset of files that now have a thumbnail or a problem; at most once per `BATCH_MS`.
    size_changed()
        All thumbnails are needed in another size or from another camera, or problems were removed (`retry`); views
        request them again.
    problem_found(text)
        Thumbnails are not cached, or rendered by another renderer, and why; each text once.
    findings_changed()
        `findings` has more entries; at most once per `FINDINGS_INTERVAL_MS`.
    """

    arrived = Signal(object)
    size_changed = Signal()
    problem_found = Signal(str)
    findings_changed = Signal()

    def __init__(self, open_source: Callable[[], ThumbnailSource] | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._open_source = open_source
        self._thread = LoopThread("thumbnails", self)
        self._thread.received.connect(self._add)
        self._thread.failed.connect(self._disable)
        self._source: ThumbnailSource | None = None
        self._requested: tuple[tuple[Path, ...], int] = ((), 0)
        self._clients: dict[str, tuple[tuple[Path, ...], tuple[Path, ...]]] = {}
        self.pixels = DEFAULT_PIXELS
        self._camera = Camera()
        self._scale: tuple[ValueScale | None, Quantity | None] = (None, None)
        self._renderer: RendererChoice = "auto"
        self._pixmaps: OrderedDict[Path, QPixmap] = OrderedDict()
        self._outdated: set[Path] = set()
        self._problems: dict[Path, str] = {}
        self._failure = ""
        self._new: set[Path] = set()
        self._batch_timer = QTimer(self, interval=BATCH_MS, singleShot=True)
        self._batch_timer.timeout.connect(self._announce)
        self._reported_problems: set[str] = set()
        self._reported_findings = 0
        self._findings_timer = QTimer(self, interval=FINDINGS_INTERVAL_MS, singleShot=True)
        self._findings_timer.timeout.connect(self._report_findings)

    def pixmap(self, path: Path | None) -> QPixmap | None:
        """Thumbnail of a file, or None; marks it as recently used."""
        if path is None or path not in self._pixmaps:
            return None
        self._pixmaps.move_to_end(path)
        return self._pixmaps[path]

    def problem(self, path: Path | None) -> str:
        """Why a file has no thumbnail and will have none; "" otherwise."""
        if path is None:
            return NO_FILE
        return self._failure or self._problems.get(path, "")

    def findings(self, root: Path) -> tuple[Finding, ...]:
        """Findings about rendered files: why some have no thumbnail, what was corrected in others."""
        return () if self._source is None else self._source.findings(root)

    @property
    def has_findings(self) -> bool:
        """Whether `findings` is not empty."""
        return self._source is not None and self._source.noticed() > 0

    def is_known(self, path: Path) -> bool:
        """Whether the up-to-date thumbnail of a file, or its problem, is known."""
        return (path in self._pixmaps and path not in self._outdated) or bool(self.problem(path))

    @property
    def count(self) -> int:
        """Number of thumbnails in memory."""
        return len(self._pixmaps)

    def set_size(self, pixels: int) -> None:
        """Set the edge length in device pixels; emits `size_changed` if it differs.

        It is rounded up to a multiple of `PIXEL_STEP`, so that dragging a slider does not reload at every pixel. Old
        thumbnails are returned until the new ones arrive.
        """
        pixels = -(-pixels // PIXEL_STEP) * PIXEL_STEP
        if pixels != self.pixels:
            self.pixels = pixels
            self._invalidate()

    def set_camera(self, camera: Camera) -> None:
        """Render from this camera; emits `size_changed` if it differs. Old thumbnails are returned until then."""
        if camera != self._camera:
            self._camera = camera
            if self._source is not None:
                self._source.set_camera(camera)
            self._invalidate()

    def set_scale(self, scale: ValueScale | None, quantity: Quantity | None = None) -> None:
        """Colour the models by a quantity, as `set_camera`; None for the colours of the files."""
        if (scale, quantity) != self._scale:
            self._scale = scale, quantity
            if self._source is not None:
                self._source.set_scale(scale, quantity)
            self._invalidate()

    @property
    def renderer(self) -> str:
        """Name of the renderer; "" before the first rendered thumbnail and after `set_renderer`."""
        return "" if self._source is None else self._source.renderer

    def set_renderer(self, prefer: RendererChoice) -> None:
        """Render with ``"gl"``, ``"software"`` or ``"auto"``; existing thumbnails stay valid, as they look the same."""
        self._renderer = prefer
        if self._source is not None:
            self._source.set_renderer(prefer)

    def redraw(self) -> None:
        """Reload all thumbnails; the existing thumbnails are returned until then."""
        self._problems.clear()
        self._invalidate()

    def retry(self) -> None:
        """Request again what could not be loaded: missing files have returned."""
        self._problems.clear()
        self._requested = ((), 0)
        self.size_changed.emit()

    def forget(self) -> None:
        """Drop all thumbnails, problems, findings and requests; called when another benchmark is opened."""
        self._pixmaps.clear()
        self._problems.clear()
        self._outdated.clear()
        self._clients.clear()
        self._new.clear()
        self._reported_findings = 0
        if self._source is not None:
            self._source.clear_findings()
        self._send_request(())

    def request(self, client: str, visible: Iterable[Path], near: Iterable[Path] = ()) -> None:
        """Set the files that a client shows thumbnails of, and those it may show next; replaces its previous request.

        Visible ones of all clients are loaded before near ones; clients are served in the order of their names.
        """
        self._clients[client] = (tuple(visible), tuple(near))
        clients = [self._clients[name] for name in sorted(self._clients)]
        paths = dict.fromkeys(path for shown, _ in clients for path in shown)
        paths.update(dict.fromkeys(path for _, next_ in clients for path in next_))
        self._send_request(tuple(path for path in paths if not self.is_known(path)))

    @property
    def pending_count(self) -> int:
        """Number of requested thumbnails that have not arrived."""
        return 0 if self._source is None else sum(not self.is_known(path) for path in self._requested[0])

    def cancel_pending(self) -> None:
        """Drop all pending requests."""
        self._send_request(())

    def close(self) -> None:
        """End the thread and the worker processes."""
        self._batch_timer.stop()
        self._findings_timer.stop()
        if self._source is not None:
            self._source.close()
        self._thread.close()

    def _invalidate(self) -> None:
        self._outdated = set(self._pixmaps)
        self._requested = ((), 0)
        self.size_changed.emit()

    def _send_request(self, missing: tuple[Path, ...]) -> None:
        size = next((size for size in RENDER_SIZES if size >= self.pixels), RENDER_SIZES[-1])
        if (missing, size) == self._requested:
            return
        self._requested = (missing, size)
        if missing and self._source is None and not self._failure:
            self._start()
        if self._source is not None:
            self._source.request(missing, size)

    def _start(self) -> None:
        if self._open_source is None:
            self._failure = "thumbnails are disabled"
            return
        try:
            self._source = self._open_source()
            if self._camera != Camera():
                self._source.set_camera(self._camera)
            if self._scale != (None, None):
                self._source.set_scale(*self._scale)
            if self._renderer != "auto":
                self.set_renderer(self._renderer)
        except OSError as error:
            self._disable(error)
            return
        self._thread.start(partial(_load_images, self._source, self))

    @Slot(object)
    def _add(self, part: tuple[Path, int, QImage | None, str]) -> None:
        path, pixels, image, problem = part
        if pixels != self.pixels:
            return  # the size was changed since
        if image is None:
            self._problems[path] = problem
        else:
            self._pixmaps[path] = QPixmap.fromImage(image)  # in the main thread: Qt allows pixmaps in no other
            self._pixmaps.move_to_end(path)
            self._trim()
        self._outdated.discard(path)
        self._new.add(path)
        if not self._batch_timer.isActive():
            self._batch_timer.start()

    def _trim(self) -> None:
        requested = sum(len(visible) + len(near) for visible, near in self._clients.values())
        max_count = max(MEMORY_LIMIT // (4 * self.pixels * self.pixels), 2 * requested)
        while len(self._pixmaps) > max_count:
            self._outdated.discard(self._pixmaps.popitem(last=False)[0])

    @Slot()
    def _announce(self) -> None:
        new, self._new = frozenset(self._new), set()
        self.arrived.emit(new)
        self._report_problems()
        source = self._source
        if source is not None and source.noticed() != self._reported_findings and not self._findings_timer.isActive():
            self._findings_timer.start()

    @Slot()
    def _report_findings(self) -> None:
        if self._source is not None:
            self._reported_findings = self._source.noticed()
            self.findings_changed.emit()

    def _report_problems(self) -> None:
        for text in () if self._source is None else self._source.problems():
            if text not in self._reported_problems:
                self._reported_problems.add(text)
                self.problem_found.emit(text)

    @Slot(object)
    def _disable(self, error: Exception) -> None:
        _log.error("thumbnails cannot be rendered", exc_info=error)
        self._failure = f"thumbnails cannot be rendered: {error}"
        self.arrived.emit(frozenset(path for visible, near in self._clients.values() for path in (*visible, *near)))


def _load_images(source: ThumbnailSource, thumbnails: Thumbnails, task: Task) -> None:
    """Decode thumbnails of the source until cancelled; runs in a thread."""
    while not task.cancelled():
        for path, stored, problem in source.wait(POLL_S):
            if task.cancelled():
                return
            pixels = thumbnails.pixels
            image = None if stored is None else decode_scaled(stored, pixels)
            task.send((path, pixels, image, problem or ("" if image is not None else UNREADABLE)))


def decode_scaled(stored: bytes, pixels: int) -> QImage | None:
    """Decode a stored thumbnail to an edge length in pixels; None if it is damaged. For background threads.

    Not with `QImage.fromData`, which holds the GIL for 0.5 ms per image and takes it again before the main thread wakes
    up: the main thread was blocked for up to 0.8 s. `QImageReader` releases the GIL, but then waits for it while it
    holds a lock of Qt that the main thread needs.
    """
    made = scale_thumbnail(stored, pixels)
    return None if made is None else bgra_to_qimage(*made)


class VisibleThumbnails(QObject):
    """Requests the thumbnails of the visible rows of an item model, and emits its `dataChanged` when they arrive.

    Rows that are not visible emit nothing; their thumbnails are read when they are painted.

    Parameters
    ----------
    model : the item model; becomes the parent.
    thumbnails : the source of thumbnails.
    client : see `Thumbnails.request`.
    path_of : file of a row, None for none.
    roles : roles of the model that depend on the thumbnail.

    Attributes
    ----------
    visible : visible rows.
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
        self.visible: tuple[int, ...] = ()
        self._near: tuple[int, ...] = ()
        thumbnails.arrived.connect(self._announce)
        thumbnails.size_changed.connect(self._request)
        model.modelReset.connect(self._reset)

    @Slot(int, int)
    def set_visible(self, first: int, last: int) -> None:
        """Set the visible rows `first` to `last`; rows before and after them are requested as near ones."""
        n_rows = self._model.rowCount()
        first, stop = max(first, 0), min(last + 1, n_rows)
        ahead = round(max(stop - first, 0) * PAGES_AHEAD)
        after = range(stop, min(stop + ahead, n_rows))
        before = range(max(first - ahead, 0), first)
        self.set_rows(range(first, stop), (*after, *before))

    def set_rows(self, visible: Iterable[int], near: Iterable[int] = ()) -> None:
        """Set the visible rows and those that may be visible next, in the order in which to load them."""
        self.visible, self._near = tuple(visible), tuple(near)
        self._request()

    @property
    def pending_count(self) -> int:
        """Number of visible rows without a thumbnail or problem."""
        return sum(not self._thumbnails.is_known(path) for path in self._paths(self.visible))

    @property
    def loaded_count(self) -> int:
        """Number of visible rows with a thumbnail."""
        return sum(self._thumbnails.pixmap(path) is not None for path in self._paths(self.visible))

    @Slot()
    def _request(self) -> None:
        self._thumbnails.request(self._client, self._paths(self.visible), self._paths(self._near))

    def _paths(self, rows: tuple[int, ...]) -> list[Path]:
        return [path for row in rows if (path := self._path_of(row)) is not None]

    @Slot(object)
    def _announce(self, paths: frozenset[Path]) -> None:
        for row in self.visible:
            if self._path_of(row) in paths:
                # One signal per row: for a range, Qt's views (6.10) repaint the whole viewport.
                index = self._model.index(row, 0)
                self._model.dataChanged.emit(index, index, self._roles)

    @Slot()
    def _reset(self) -> None:
        """Assume that as many rows are visible as before, from the first one on."""
        self.set_visible(0, len(self.visible) - 1)


#: Maximum number of worker processes of 130 MB each; four render a screen of thumbnails in half a second.
MAX_PROCESSES = 4


class RenderedThumbnails(ThumbnailSource):
    """A `ThumbnailSource` that uses a `ThumbnailPool`.

    Parameters
    ----------
    cache_folder : folder of the disk cache; None for no cache.
    """

    def __init__(self, cache_folder: Path | None) -> None:
        processes = min(max((os.cpu_count() or 2) - 1, 2), MAX_PROCESSES)
        self._workers = ThumbnailPool(read_valued_mesh, read_image_or_svg, cache_folder, processes)
        self._camera = Camera()
        self._style = RenderStyle()
        self._quantity: Quantity | None = None
        self._noticed: dict[Path, Thumbnail] = {}
        self._findings: dict[Path, tuple[Thumbnail, list[Finding]]] = {}  # used in the main thread only
        self._findings_root = Path()

    def set_camera(self, camera: Camera) -> None:
        """See `ThumbnailSource.set_camera`; results for the previous camera are dropped."""
        self._camera = camera

    def set_scale(self, scale: ValueScale | None, quantity: Quantity | None = None) -> None:
        """See `ThumbnailSource.set_scale`; results for the previous one are dropped."""
        self._style, self._quantity = RenderStyle(values=scale), quantity

    @property
    def renderer(self) -> str:
        """Name of the renderer; "" before the first thumbnail that is not cached."""
        return self._workers.renderer

    def set_renderer(self, prefer: RendererChoice) -> None:
        """See `ThumbnailPool.set_renderer`; the cache stays valid, as all renderers produce the same image."""
        self._workers.set_renderer(prefer)

    def request(self, paths: Sequence[Path], size: int) -> None:
        """See `ThumbnailSource.request`."""
        self._workers.request([self._request(path, size) for path in paths])

    def _request(self, path: Path, size: int) -> ThumbnailRequest:
        quantity = None if self._quantity is None else self._quantity.of_mesh(path)
        return ThumbnailRequest(path, size, self._camera, self._style, quantity)

    def wait(self, timeout: float) -> list[tuple[Path, bytes | None, str]]:
        """See `ThumbnailSource.wait`."""
        results: list[tuple[Path, bytes | None, str]] = []
        for request, thumbnail in self._workers.wait(timeout):
            if request != self._request(request.path, request.size):
                continue  # rendered with the previous ones; a new request is pending
            if thumbnail.problem or thumbnail.notes:
                self._noticed[request.path] = replace(thumbnail, webp=b"")
            else:
                self._noticed.pop(request.path, None)  # of a file that was missing or broken before
            results.append((request.path, thumbnail.webp or None, thumbnail.problem or ""))
        return results

    def findings(self, root: Path) -> tuple[Finding, ...]:
        """See `ThumbnailSource.findings`.

        Parameters
        ----------
        root : folder of the benchmark; paths are relative to it where possible.
        """
        noticed = dict(self._noticed)  # a copy, as another thread adds to it
        if root != self._findings_root:
            self._findings_root, self._findings = root, {}
        # Each once: those of 5,000 thumbnails take 0.2 s of the main thread.
        for path, seen in noticed.items():
            if path not in self._findings or self._findings[path][0] is not seen:
                self._findings[path] = (seen, thumbnail_findings(path, seen, root))
        return tuple(finding for path in noticed for finding in self._findings[path][1])

    def noticed(self) -> int:
        """See `ThumbnailSource.noticed`."""
        return len(self._noticed)

    def clear_findings(self) -> None:
        """See `ThumbnailSource.clear_findings`."""
        self._noticed, self._findings = {}, {}

    def problems(self) -> tuple[str, ...]:
        """See `ThumbnailSource.problems`."""
        return tuple(filter(None, (self._workers.renderer_problem, self._workers.cache_problem)))

    def close(self) -> None:
        """See `ThumbnailSource.close`."""
        self._workers.close()


def open_rendered_thumbnails() -> RenderedThumbnails:
    """A source with the disk cache of this system."""
    return RenderedThumbnails(cache_folder())


def set_thumbnail_cache_limit(limit: int) -> None:
    """Limit the thumbnail cache to `limit` bytes; the least recently used entries are deleted at once.

    May take a second: not for the main thread.

    Raises
    ------
    OSError
        When the limit cannot be written.
    """
    write_limit(cache_folder(), limit)
    cache = ThumbnailCache(cache_folder())
    cache.shrink()
    cache.close()


def clear_thumbnail_cache() -> None:
    """Delete the thumbnail cache, which all windows share."""
    cache = ThumbnailCache(cache_folder())
    cache.clear()
    cache.close()
