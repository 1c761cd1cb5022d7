"""State of the mesh view: its render source, the camera of the collection, and the up axis."""

import json
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.domain import FormatError, Quantity
from shrec_viewer.domain.value_scale import ValueScale
from shrec_viewer.formats.io.atomic import write_text_atomic
from shrec_viewer.formats.io.documents import read_state
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.style import RenderStyle
from shrec_viewer.render.scene.values import resolve_scale, scale_of
from shrec_viewer.viewmodels.mesh_view.rendering import RenderService
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails

_log = logging.getLogger(__name__)

UpAxis = Literal["Y", "Z"]

#: Maximum number of collections in the file; the oldest are removed.
MAX_STORED_CAMERAS = 200


class CameraStore:
    """Stores the camera of each collection in a file.

    Parameters
    ----------
    path : the file; None stores nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def camera_of(self, root: Path) -> Camera | None:
        """The camera stored for the collection at `root`, or None."""
        stored = self._read().get(str(root.resolve()))
        if isinstance(stored, str):  # files of older versions have only the up axis
            stored = {"up": stored}
        return Camera().with_settings(stored) if isinstance(stored, dict) else None

    def store(self, root: Path, camera: Camera) -> None:
        """Store the camera of a collection; a file that cannot be written is logged as a warning."""
        if self._path is None:
            return
        known = self._read()
        known.pop(str(root.resolve()), None)
        known[str(root.resolve())] = camera.as_settings()
        stored = dict(list(known.items())[-MAX_STORED_CAMERAS:])
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_text_atomic(self._path, json.dumps(stored, indent=1))
        except OSError as error:
            _log.warning("%s cannot be written (%s); the camera is not stored", self._path, error)

    def _read(self) -> dict[str, Any]:
        if self._path is None or not os.path.exists(self._path):
            return {}
        try:
            known = read_state(self._path)
        except FormatError as error:
            _log.warning("%s cannot be read (%s); no stored camera is used", self._path, error)
            return {}
        return known if isinstance(known, dict) else {}


def open_camera_store() -> CameraStore:
    """The camera store in the settings folder of this system."""
    from platformdirs import user_config_path

    # The file once stored only the up axis; its name is kept, so that stored cameras are found.
    return CameraStore(user_config_path("shrec-viewer", appauthor=False) / "upright.json")


class MeshViewState(QObject):
    """Camera of the collection, and the render service shared by all 3D views.

    Parameters
    ----------
    thumbnails : rendered with the same camera.

    Attributes
    ----------
    source : render service; shared, so that each mesh is read once.
    camera : camera of the collection: that of the thumbnails, and the initial one of the 3D view.
    scale : quantity that colours the thumbnails; None for the colours of the files.
    is_chosen : whether the camera was chosen by the user or by the files of the benchmark.

    Signals
    -------
    open_requested()
        The 3D view of the selected model should be shown.
    close_requested()
        The view from which it was opened should be shown again.
    up_changed()
        `up` was changed.
    camera_changed()
        `camera` was changed.
    scale_changed()
        `scale` was changed.
    """

    open_requested = Signal()
    close_requested = Signal()
    up_changed = Signal()
    camera_changed = Signal()
    scale_changed = Signal()

    def __init__(self, thumbnails: Thumbnails, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.source = RenderService(self)
        self._thumbnails = thumbnails
        self._store = open_camera_store()
        self._root: Path | None = None
        self._quantities: Sequence[Quantity] = ()
        self.camera = Camera()
        self.scale: ValueScale | None = None
        self.is_chosen = False
        self._is_open_requested = False
        self._pair: int | None = None

    @property
    def up(self) -> UpAxis:
        """Up axis of the collection."""
        return self.camera.up

    def set_collection(
        self,
        root: Path | None,
        default: Mapping[str, str | float] | None = None,
        quantities: Sequence[Quantity] = (),
    ) -> None:
        """Set the collection, or None; drop all files and restore its stored camera.

        Parameters
        ----------
        default : camera settings of the benchmark, used without a stored camera.
        quantities : of the benchmark, in files beside the meshes.
        """
        self.source.clear()
        self._root, self._quantities = root, quantities
        chosen = None if root is None else self._store.camera_of(root)
        self.is_chosen = chosen is not None or "up" in (default or {})
        self._use(chosen or Camera().with_settings(default or {}))
        self.set_scale(scale_of(default or {}))

    def set_camera(self, camera: Camera) -> None:
        """Set and store the camera of the collection, also for thumbnails; without zoom and pan."""
        self.is_chosen = True
        camera = replace(camera, zoom=1.0, pan=(0.0, 0.0), cut="")
        if self._root is not None:
            self._store.store(self._root, camera)
        self._use(camera)

    def set_scale(self, scale: ValueScale | None) -> None:
        """Colour the thumbnails by a quantity with a range, or as the files are."""
        self.scale = scale
        self.set_range(scale)
        self.scale_changed.emit()

    def set_range(self, scale: ValueScale | None) -> None:
        """Colour the thumbnails by the quantity of `scale` with the range of this one, which was found for it."""
        self._thumbnails.set_scale(*resolve_scale(scale, self._quantities))

    @property
    def style(self) -> RenderStyle:
        """Style of the thumbnails."""
        return RenderStyle(values=resolve_scale(self.scale, self._quantities)[0])

    def quantity_of(self, path: Path) -> Quantity | None:
        """The quantity that is read with a mesh to colour it like its thumbnail; None for none."""
        quantity = resolve_scale(self.scale, self._quantities)[1]
        return None if quantity is None else quantity.of_mesh(path)

    def set_up(self, up: UpAxis) -> None:
        """Set and store the up axis of the collection."""
        self.set_camera(replace(self.camera, up=up))

    def _use(self, camera: Camera) -> None:
        before, self.camera = self.camera, camera
        self._thumbnails.set_camera(camera)
        if camera.up != before.up:
            self.up_changed.emit()
        if camera != before:
            self.camera_changed.emit()

    @Slot()
    def open(self) -> None:
        """Request the 3D view of the selected model."""
        self._is_open_requested = True
        self.open_requested.emit()

    def open_pair(self, other: int) -> None:
        """Request the 3D view of the selected model, compared with another one: its index in the collection."""
        self._pair = other
        self.open()

    def take_pair(self) -> int | None:
        """The model of the last call of `open_pair`, once; None without one."""
        pair, self._pair = self._pair, None
        return pair

    def take_open_request(self) -> bool:
        """Whether `open` was called since the last call of this method."""
        is_requested, self._is_open_requested = self._is_open_requested, False
        return is_requested

    @Slot()
    def leave(self) -> None:
        """Request the view from which the 3D view was opened."""
        self.close_requested.emit()

    def close(self) -> None:
        """End the thread and the processes of the render service."""
        self.source.close()
