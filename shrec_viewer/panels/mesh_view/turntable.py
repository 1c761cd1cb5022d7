"""Save a full turn of the models of the 3D view as an animated GIF, or as PNG files."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from queue import Empty, Queue

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QImage

from shrec_viewer.domain import Cancelled
from shrec_viewer.formats.io.atomic import atomic_file, atomic_folder
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.thumbnails.thumbnail import encode_gif, encode_png
from shrec_viewer.viewmodels.mesh_view.rendering import RenderResult
from shrec_viewer.viewmodels.mesh_view.scene import CameraController
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.viewmodels.thumbnails.qimage import qimage_to_rgba
from shrec_viewer.widgets.mesh_view.mesh_view_grid import MeshViewGrid

#: Images of a turn, 6 degrees apart.
N_IMAGES = 60

#: Milliseconds of each image of the animation: a turn in 3 s, slow enough to follow a detail.
IMAGE_MS = 50

#: Key of the task that writes the images.
TURNTABLE_KEY = "turntable"

#: Seconds after which the task looks whether it was cancelled while it waits for an image.
_WAIT_S = 0.1


class TurntableRecorder(QObject):
    """Turns the models step by step, and passes an image of the view after each step to a task that writes them.

    Ends when the view is changed meanwhile.
    """

    def __init__(
        self, session: Session, controller: CameraController, view_grid: MeshViewGrid, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session, self._controller, self._view_grid = session, controller, view_grid
        self._images: Queue[QImage] = Queue()
        self._start: Camera | None = None
        self._n_images = 0
        self._waiting: set[str] = set()
        controller.rendered.connect(self._take)
        controller.camera_changed.connect(self._follow_camera)

    @property
    def is_recording(self) -> bool:
        """Whether the models are being turned."""
        return self._start is not None

    def start(self, path: Path) -> None:
        """Record a turn from the present camera.

        Parameters
        ----------
        path : a GIF file, or the folder of the PNG files if it has another suffix.
        """
        self.stop()
        self._controller.set_spinning(False)
        self._images, self._n_images, self._start = Queue(), 0, self._controller.camera
        self._session.tasks.run(
            TURNTABLE_KEY,
            partial(save_turn, self._images, path),
            partial(self._report_saved, path),
            partial(self._report_failed, path),
            stopped=self._end,
            title=f"Saving {path.name}",
        )
        self._step()

    def stop(self) -> None:
        """End without a file."""
        if self.is_recording:
            self._session.tasks.stop(TURNTABLE_KEY)

    def _step(self) -> None:
        assert self._start is not None
        self._waiting = set(self._view_grid.shown)
        # Rendered in full quality at once: `set_camera` first draws a quick image.
        self._controller.reset_camera(self._start.orbited(360.0 * self._n_images / N_IMAGES, 0.0))
        self._controller.redraw()

    @Slot(str, object)
    def _take(self, pane: str, result: RenderResult) -> None:
        if not self.is_recording or result.request.camera != self._controller.camera:
            return
        self._waiting.discard(pane)
        if self._waiting:
            return
        self._images.put(self._view_grid.picture())
        self._n_images += 1
        if self._n_images < N_IMAGES:
            self._step()
        else:
            self._end()

    @Slot(object)
    def _follow_camera(self, _camera: Camera) -> None:
        self.stop()

    def _end(self) -> None:
        start, self._start = self._start, None
        if start is not None:
            self._controller.set_camera(start)

    def _report_saved(self, path: Path, _result: object) -> None:
        self._session.written.emit(f"Saved {path}", str(path))

    def _report_failed(self, path: Path, error: Exception) -> None:
        self._end()
        self._session.report_failure(f"{path.name} cannot be written", error)


def save_turn(images: "Queue[QImage]", path: Path, task: Task) -> None:
    """Write the images of a turn as they arrive: a GIF file, or the PNG files of a new folder for other suffixes."""
    if path.suffix.lower() == ".gif":
        found = [pixels for _, pixels in _arriving(images, task)]
        with atomic_file(path) as draft:
            draft.write_bytes(encode_gif(found, IMAGE_MS))
        return
    with atomic_folder(path) as folder:
        for index, pixels in _arriving(images, task):
            (folder / f"{path.name}-{index + 1:02d}.png").write_bytes(encode_png(pixels))


def _arriving(images: "Queue[QImage]", task: Task) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Index and pixels of each image; raises `Cancelled` when the task is cancelled."""
    for index in range(N_IMAGES):
        task.progress(index, N_IMAGES, "")
        while True:
            if task.cancelled():
                raise Cancelled
            try:
                image = images.get(timeout=_WAIT_S)
            except Empty:
                continue
            break
        yield index, qimage_to_rgba(image)
