"""The 3D view of the session: what draws it, who wants it in sight, and which way is up in the collection."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.render.camera import Camera
from shrec_viewer.viewmodels.orbit_source import OrbitSource
from shrec_viewer.viewmodels.orbit_up import Up, up_memory
from shrec_viewer.viewmodels.thumbnails import Thumbnails


class Orbit(QObject):
    """Between the list, in which a model is picked, and the panel, in which it turns.

    Parameters
    ----------
    thumbnails : drawn with the same axis up.

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
    """

    opened = Signal()
    left = Signal()
    up_changed = Signal()

    def __init__(self, thumbnails: Thumbnails, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.source = OrbitSource(self)
        self._thumbnails = thumbnails
        self._memory = up_memory()
        self._root: Path | None = None
        self._up: Up = "Y"
        self._is_settled = False
        self._is_wanted = False

    @property
    def up(self) -> Up:
        """Axis of the collection that points up."""
        return self._up

    @property
    def is_settled(self) -> bool:
        """Whether the person has said, now or earlier, which axis points up here."""
        return self._is_settled

    def enter(self, root: Path | None) -> None:
        """Another collection is open, or None: read its files anew, hold it as it was held last time."""
        self.source.forget()
        self._root = root
        said = None if root is None else self._memory.up_of(root)
        self._is_settled = said is not None
        self._hold(said or "Y")

    def set_up(self, up: Up) -> None:
        """Let this axis point up, in thumbnails too, from now on for this collection."""
        self._is_settled = True
        if self._root is not None:
            self._memory.remember(self._root, up)
        self._hold(up)

    def _hold(self, up: Up) -> None:
        self._thumbnails.set_camera(Camera(up=up))
        if up != self._up:
            self._up = up
            self.up_changed.emit()

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
