"""State of the mesh view: its render source, the camera of the collection, and the up axis."""

import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from math import comb
from pathlib import Path
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.formats.io.atomic import write_text_atomic
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.up_axis import UpSuggestion
from shrec_viewer.viewmodels.mesh_view.rendering import RenderService
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails

_log = logging.getLogger(__name__)

UpAxis = Literal["Y", "Z"]

COIN_TOSS_LIMIT = 0.01
"""How probable the majority may be, were every model to toss a coin; as in `render.up_axis`."""

MAX_STORED_CAMERAS = 200
"""Collections whose camera is kept; those set longest ago are forgotten first."""


class CameraStore:
    """Keeps how each collection is looked at in a file of its own.

    Parameters
    ----------
    path : the file; None remembers nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def camera_of(self, root: Path) -> Camera | None:
        """What was chosen for the collection at `root`; None where nothing was."""
        said = self._read().get(str(root.resolve()))
        if isinstance(said, str):  # the axis alone, as it was kept once
            said = {"up": said}
        return Camera().with_settings(said) if isinstance(said, dict) else None

    def remember(self, root: Path, camera: Camera) -> None:
        """Keep it; a disk that cannot be written is a warning."""
        if self._path is None:
            return
        known = self._read()
        known.pop(str(root.resolve()), None)
        known[str(root.resolve())] = camera.as_settings()
        kept = dict(list(known.items())[-MAX_STORED_CAMERAS:])
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_text_atomic(self._path, json.dumps(kept, indent=1))
        except OSError as error:
            _log.warning("%s cannot be written (%s); the camera is not remembered", self._path, error)

    def _read(self) -> dict[str, Any]:
        if self._path is None or not self._path.exists():
            return {}
        try:
            known = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            _log.warning("%s cannot be read (%s); no camera is known", self._path, error)
            return {}
        return known if isinstance(known, dict) else {}


class UpAxisVotes:
    """Counts how the models that were seen stand, and suggests an axis once a coin would hardly agree with them."""

    def __init__(self) -> None:
        self._votes: dict[Path, str] = {}

    def count(self, path: Path, vote: str) -> None:
        """A model was seen: it stands along ``"Y"``, along ``"Z"``, or says nothing (``""``)."""
        self._votes[path] = vote

    def suggestion(self) -> UpSuggestion:
        """What the models seen so far say; see `render.up_axis.suggest_up`."""
        votes = {axis: list(self._votes.values()).count(axis) for axis in ("Y", "Z")}
        total, most = sum(votes.values()), max(votes.values())
        chance = sum(comb(total, k) for k in range(most, total + 1)) / 2**total
        up: UpAxis | None = None
        if chance < COIN_TOSS_LIMIT:
            up = "Y" if votes["Y"] > votes["Z"] else "Z"
        return UpSuggestion(up, votes, len(self._votes))


def open_camera_store() -> CameraStore:
    """What is remembered where this system keeps settings."""
    from platformdirs import user_config_path

    return CameraStore(user_config_path("shrec-viewer", appauthor=False) / "upright.json")


class MeshViewState(QObject):
    """Between the list, in which a model is picked, and the panel, in which it turns.

    Parameters
    ----------
    thumbnails : drawn from the same camera.

    Attributes
    ----------
    source : draws; shared by all views that turn, so that a mesh is read once and one driver is asked.

    Signals
    -------
    opened()
        The selected model is wanted in 3D, in sight and in hand.
    left()
        Back to where it was opened from.
    up_changed()
        `up` is another axis.
    camera_changed()
        `camera` is another one: thumbnails are drawn anew.
    """

    opened = Signal()
    left = Signal()
    up_changed = Signal()
    camera_changed = Signal()

    def __init__(self, thumbnails: Thumbnails, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.source = RenderService(self)
        self._thumbnails = thumbnails
        self._memory = open_camera_store()
        self._root: Path | None = None
        self._camera = Camera()
        self._is_settled = False
        self._is_wanted = False

    @property
    def camera(self) -> Camera:
        """How the collection is looked at: thumbnails are drawn like this, and the 3D view begins there."""
        return self._camera

    @property
    def up(self) -> UpAxis:
        """Axis of the collection that points up."""
        return self._camera.up

    @property
    def is_settled(self) -> bool:
        """Whether the person has said, now or earlier, how things are to be looked at here."""
        return self._is_settled

    def set_collection(self, root: Path | None, asked: Mapping[str, str | float] | None = None) -> None:
        """Another collection is open, or None: read its files anew, look at it as it was looked at last time.

        Parameters
        ----------
        asked : how its files ask to be looked at; what the person chose here counts more.
        """
        self.source.forget()
        self._root = root
        chosen = None if root is None else self._memory.camera_of(root)
        self._is_settled = chosen is not None or "up" in (asked or {})
        self._hold(chosen or Camera().with_settings(asked or {}))

    def set_camera(self, camera: Camera) -> None:
        """Look at this collection like this from now on, in thumbnails too; zoom and shift are of no collection."""
        self._is_settled = True
        camera = replace(camera, zoom=1.0, pan=(0.0, 0.0))
        if self._root is not None:
            self._memory.remember(self._root, camera)
        self._hold(camera)

    def set_up(self, up: UpAxis) -> None:
        """Let this axis point up from now on for this collection."""
        self.set_camera(replace(self._camera, up=up))

    def _hold(self, camera: Camera) -> None:
        before, self._camera = self._camera, camera
        self._thumbnails.set_camera(camera)
        if camera.up != before.up:
            self.up_changed.emit()
        if camera != before:
            self.camera_changed.emit()

    @Slot()
    def open(self) -> None:
        """Bring the 3D view of the selected model into sight."""
        self._is_wanted = True
        self.opened.emit()

    def take(self) -> bool:
        """Whether the view was asked for and has not come yet; asked once, because then it comes."""
        wanted, self._is_wanted = self._is_wanted, False
        return wanted

    @Slot()
    def leave(self) -> None:
        """Go back to the list."""
        self.left.emit()

    def close(self) -> None:
        """End the thread that draws."""
        self.source.close()
