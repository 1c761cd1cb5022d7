"""The 3D view of the session: what draws it, and who wants it in sight."""

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.viewmodels.orbit_source import OrbitSource


class Orbit(QObject):
    """Between the list, in which a model is picked, and the panel, in which it turns.

    Attributes
    ----------
    source : draws; shared by all views that turn, so that a mesh is read once and one driver is asked.

    Signals
    -------
    opened()
        The selected model is wanted in 3D, in sight and in hand.
    left()
        Back to where it was opened from.
    """

    opened = Signal()
    left = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.source = OrbitSource(self)
        self._is_wanted = False

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
