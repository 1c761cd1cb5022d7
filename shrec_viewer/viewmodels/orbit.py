"""The 3D view of the session: what draws it, who wants it in sight, and how the collection is looked at."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.render.camera import Camera
from shrec_viewer.viewmodels.orbit_source import OrbitSource
from shrec_viewer.viewmodels.orbit_up import Up, camera_memory
from shrec_viewer.viewmodels.thumbnails import Thumbnails


class Orbit(QObject):
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
        self.source = OrbitSource(self)
        self._thumbnails = thumbnails
        self._memory = camera_memory()
        self._root: Path | None = None
        self._camera = Camera()
        self._is_settled = False
        self._is_wanted = False

    @property
    def camera(self) -> Camera:
        """How the collection is looked at: thumbnails are drawn like this, and the 3D view begins there."""
        return self._camera

    @property
    def up(self) -> Up:
        """Axis of the collection that points up."""
        return self._camera.up

    @property
    def is_settled(self) -> bool:
        """Whether the person has said, now or earlier, how things are to be looked at here."""
        return self._is_settled

    def enter(self, root: Path | None, asked: Mapping[str, str | float] | None = None) -> None:
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

    def set_up(self, up: Up) -> None:
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
