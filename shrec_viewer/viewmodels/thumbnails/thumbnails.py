"""Thumbnails of models and queries: in-memory cache, background loading, visible rows first."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QAbstractItemModel, QObject, QTimer, Signal, Slot
from PySide6.QtGui import QImage, QPixmap

from shrec_viewer.domain import Finding
from shrec_viewer.render.renderer import RendererChoice
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.thumbnails.thumbnail import scale_thumbnail
from shrec_viewer.viewmodels.tasks.tasks import LoopThread, Task


class ThumbnailSource(Protocol):
    """What makes pictures; all but `wait` may be called while another thread is in `wait`."""

    def set_camera(self, camera: Camera) -> None:
        """Look through this camera at all that is asked for from now on."""

    def request(self, paths: Sequence[Path], size: int) -> None:
        """Make these, the first first, and no longer what was asked for before and is not yet begun."""

    def wait(self, timeout: float) -> list[tuple[Path, bytes | None, str]]:
        """Pictures finished meanwhile, as WebP or PNG files, or why there is none; empty after `timeout` seconds."""

    def close(self) -> None:
        """End, also a `wait` that is going on."""


@runtime_checkable
class ReportsFindings(Protocol):
    """A source that also tells what was wrong with the files it drew."""

    def noticed(self) -> int:
        """Number of files with something to say; grows only."""

    def findings(self, root: Path) -> tuple[Finding, ...]:
        """What was noticed about the files seen so far; those within `root` are named from there."""

    def clear_findings(self) -> None:
        """Begin anew: something else was opened."""


@runtime_checkable
class HasRenderer(Protocol):
    """A source whose renderer can be chosen while it works."""

    @property
    def renderer(self) -> str:
        """What draws, in words; "" before the first picture that is not kept."""

    def set_renderer(self, prefer: RendererChoice) -> None:
        """Draw with this one from now on."""


def decode_scaled(stored: bytes, pixels: int) -> QImage | None:
    """A stored picture as `render.fitting.fit` makes it; None where it is none. For a thread beside the window.

    Not with Qt: `QImage.fromData` holds the interpreter for 0.5 ms a picture, and its thread takes it again before the
    window has woken up, which waited for up to 0.8 s. Qt's reader lets it go, and then waits for it with a lock of Qt's
    in its hands, while the window has the interpreter and waits for the lock.
    """
    made = scale_thumbnail(stored, pixels)
    return None if made is None else bgra_to_qimage(*made)


def bgra_to_qimage(pixels: bytes, width: int, height: int) -> QImage:
    """An image of blue, green, red and alpha, the colours multiplied by alpha; it owns its memory."""
    return QImage(pixels, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied).copy()


_log = logging.getLogger(__name__)

BATCH_MS = 16
"""Pictures that come within one frame of a 60 Hz screen are announced together (STACK.md §4)."""

DEFAULT_PIXELS = 128
"""Edge of the pictures kept in memory until a view says how large it draws them: a card of size M."""

PIXEL_STEP = 32
"""Pixels between two sizes in which pictures are kept; the usual cards have one of them on any usual screen."""

MEMORY_LIMIT = 96 * 2**20
"""Bytes of pictures kept: 1,500 of 128 pixels, 680 of 192, more than any screen shows of either."""

RENDER_SIZES = (256, 512)
"""Edges in which pictures are made and stored: smaller ones are scaled down, 512 is for large cards on fine screens."""

FINDINGS_INTERVAL_MS = 500
"""Least time between two tellings of findings: a folder of broken files brings one with every picture."""

POLL_S = 0.5
"""Seconds after which the waiting thread looks whether it should end; pictures and wishes wake it at once."""

NO_FILE = "no file"
"""Why there is no picture of a model without a file."""

UNREADABLE = "the picture cannot be read"
"""Why there is none although one was made."""


class Thumbnails(QObject):
    """Hands out the pictures that are there and has the others made, visible ones first.

    Parameters
    ----------
    open_source : makes the source of pictures when the first one is wanted; None for no pictures at all.

    Signals
    -------
    arrived(paths)
        A frozenset of files that now have a picture, or a reason for having none; at most one signal a frame.
    size_changed()
        All pictures are needed in another size, or from elsewhere; the views ask again.
    findings_changed()
        There is more in `findings`; at most once in `FINDINGS_INTERVAL_MS`.
    """

    arrived = Signal(object)
    size_changed = Signal()
    findings_changed = Signal()

    def __init__(self, open_source: Callable[[], ThumbnailSource] | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._open_source = open_source
        self._thread = LoopThread("thumbnails", self)
        self._thread.received.connect(self._take)
        self._thread.failed.connect(self._show_broken)
        self._source: ThumbnailSource | None = None
        self._asked: tuple[tuple[Path, ...], int] = ((), 0)
        self._clients: dict[str, tuple[tuple[Path, ...], tuple[Path, ...]]] = {}
        self._pixels = DEFAULT_PIXELS
        self._camera = Camera()
        self._renderer: RendererChoice = "auto"
        self._pictures: OrderedDict[Path, QPixmap] = OrderedDict()
        self._stale: set[Path] = set()
        self._problems: dict[Path, str] = {}
        self._broken = ""
        self._new: set[Path] = set()
        self._announcement = QTimer(self, interval=BATCH_MS, singleShot=True)
        self._announcement.timeout.connect(self._announce)
        self._noticed = 0
        self._telling = QTimer(self, interval=FINDINGS_INTERVAL_MS, singleShot=True)
        self._telling.timeout.connect(self._report_findings)

    def picture(self, path: Path | None) -> QPixmap | None:
        """The picture of a file; None while there is none. Looking at it keeps it in memory."""
        if path is None or path not in self._pictures:
            return None
        self._pictures.move_to_end(path)
        return self._pictures[path]

    def problem(self, path: Path | None) -> str:
        """Why there is no picture and will be none, a few words; "" otherwise."""
        if path is None:
            return NO_FILE
        return self._broken or self._problems.get(path, "")

    def findings(self, root: Path) -> tuple[Finding, ...]:
        """What was wrong with files whose pictures were made: why some have none, what was mended in others."""
        return () if (source := self._findings_source()) is None else source.findings(root)

    @property
    def has_findings(self) -> bool:
        """Whether `findings` has any."""
        return (source := self._findings_source()) is not None and source.noticed() > 0

    def is_settled(self, path: Path) -> bool:
        """Whether the picture, or the reason for its absence, is known."""
        return (path in self._pictures and path not in self._stale) or bool(self.problem(path))

    @property
    def count(self) -> int:
        """Pictures in memory."""
        return len(self._pictures)

    def set_size(self, pixels: int) -> None:
        """Keep pictures in this edge (device pixels) from now on; tells `size_changed` where that is new.

        It is rounded up to a multiple of `PIXEL_STEP`, so that a size chosen by a slider does not make every picture anew.
        Pictures of the former size are handed out until those of the new one come.
        """
        pixels = -(-pixels // PIXEL_STEP) * PIXEL_STEP
        if pixels == self._pixels:
            return
        self._pixels = pixels
        self._stale = set(self._pictures)
        self._asked = ((), 0)
        self.size_changed.emit()

    def set_camera(self, camera: Camera) -> None:
        """See all models from here; the views ask again where that is new, and the old pictures stay until then."""
        if camera == self._camera:
            return
        self._camera = camera
        if self._source is not None:
            self._source.set_camera(camera)
        self._stale = set(self._pictures)
        self._asked = ((), 0)
        self.size_changed.emit()

    @property
    def renderer(self) -> str:
        """What draws them, in words; "" while none was drawn since the start, or since another one is preferred."""
        source: object = self._source
        return source.renderer if isinstance(source, HasRenderer) else ""

    def set_renderer(self, prefer: RendererChoice) -> None:
        """Draw with ``"gl"``, ``"software"`` or what works from now on; pictures that are there look the same."""
        self._renderer = prefer
        source: object = self._source
        if isinstance(source, HasRenderer):
            source.set_renderer(prefer)

    def redraw(self) -> None:
        """Have all pictures made anew, those in sight at once; until they come the present ones stay."""
        self._stale = set(self._pictures)
        self._problems.clear()
        self._asked = ((), 0)
        self.size_changed.emit()

    def forget(self) -> None:
        """Drop all pictures and wishes; files may have changed."""
        self._pictures.clear()
        self._problems.clear()
        self._stale.clear()
        self._clients.clear()
        self._new.clear()
        self._noticed = 0
        if (source := self._findings_source()) is not None:
            source.clear_findings()
        self._ask(())

    def want(self, client: str, seen: Iterable[Path], near: Iterable[Path] = ()) -> None:
        """Say which pictures `client` shows now, and which it may show next; replaces what it said before.

        What any client shows is made before what any may show; among clients the name decides.
        """
        self._clients[client] = (tuple(seen), tuple(near))
        clients = [self._clients[name] for name in sorted(self._clients)]
        wanted = dict.fromkeys(path for shown, _ in clients for path in shown)
        wanted.update(dict.fromkeys(path for _, next_ in clients for path in next_))
        self._ask(tuple(path for path in wanted if not self.is_settled(path)))

    @property
    def pending_count(self) -> int:
        """Number of pictures that are being made, or wait for it."""
        return 0 if self._source is None else sum(not self.is_settled(path) for path in self._asked[0])

    def cancel_pending(self) -> None:
        """Make no more of what is awaited; whoever shows other rows asks anew."""
        self._ask(())

    def close(self) -> None:
        """End the thread and the workers."""
        self._announcement.stop()
        self._telling.stop()
        if self._source is not None:
            self._source.close()
        self._thread.close()

    def _ask(self, missing: tuple[Path, ...]) -> None:
        size = next((size for size in RENDER_SIZES if size >= self._pixels), RENDER_SIZES[-1])
        if (missing, size) == self._asked:
            return
        self._asked = (missing, size)
        if missing and self._source is None and not self._broken:
            self._start()
        if self._source is not None:
            self._source.request(missing, size)

    def _start(self) -> None:
        if self._open_source is None:
            self._broken = "pictures are switched off"
            return
        try:
            self._source = self._open_source()
            if self._camera != Camera():
                self._source.set_camera(self._camera)
            if self._renderer != "auto":
                self.set_renderer(self._renderer)
        except OSError as error:
            self._show_broken(error)
            return
        self._thread.start(partial(_load_images, self._source, self))

    @property
    def pixels(self) -> int:
        """Edge of the pictures kept, in device pixels."""
        return self._pixels

    @Slot(object)
    def _take(self, part: tuple[Path, int, QImage | None, str]) -> None:
        path, pixels, image, problem = part
        if pixels != self._pixels:
            return  # made for a size that is not drawn any more
        if image is None:
            self._problems[path] = problem
        else:
            self._pictures[path] = QPixmap.fromImage(image)
            self._pictures.move_to_end(path)
            self._trim()
        self._stale.discard(path)
        self._new.add(path)
        if not self._announcement.isActive():
            self._announcement.start()

    def _trim(self) -> None:
        wanted = sum(len(seen) + len(near) for seen, near in self._clients.values())
        most = max(MEMORY_LIMIT // (4 * self._pixels * self._pixels), 2 * wanted)
        while len(self._pictures) > most:
            self._stale.discard(self._pictures.popitem(last=False)[0])

    def _announce(self) -> None:
        new, self._new = frozenset(self._new), set()
        self.arrived.emit(new)
        source = self._findings_source()
        if source is not None and source.noticed() != self._noticed and not self._telling.isActive():
            self._telling.start()

    def _report_findings(self) -> None:
        if (source := self._findings_source()) is not None:
            self._noticed = source.noticed()
            self.findings_changed.emit()

    def _findings_source(self) -> ReportsFindings | None:
        source: object = self._source
        return source if isinstance(source, ReportsFindings) else None

    @Slot(object)
    def _show_broken(self, error: Exception) -> None:
        _log.error("pictures cannot be made", exc_info=error)
        self._broken = f"pictures cannot be made: {error}"
        self.arrived.emit(frozenset(path for seen, near in self._clients.values() for path in (*seen, *near)))


def _load_images(source: ThumbnailSource, thumbnails: Thumbnails, task: Task) -> None:
    """Take pictures from the source and make them ready to paint, until cancelled: the loop of the one thread."""
    while not task.cancelled():
        for path, stored, problem in source.wait(POLL_S):
            if task.cancelled():
                return
            pixels = thumbnails.pixels
            image = None if stored is None else decode_scaled(stored, pixels)
            task.send((path, pixels, image, problem or ("" if image is not None else UNREADABLE)))


PAGES_AHEAD = 1.0
"""Pages fetched beyond the visible ones in either direction, so that a turn of the wheel finds its pictures there."""


class VisibleThumbnails(QObject):
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
        ahead = round(max(stop - first, 0) * PAGES_AHEAD)
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
