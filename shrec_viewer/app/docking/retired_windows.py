"""Delete replaced perspective windows step by step after returning their panels."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, QTimer, Slot

from shrec_viewer.app.docking.perspective_window import PerspectiveWindow


class RetiredPerspectiveWindows(QObject):
    """Clears them away, one panel or one arrangement in a turn of the event loop: all in one go took 100 ms."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._perspective_windows: list[PerspectiveWindow] = []
        self._turns = QTimer(self, interval=1)  # one of 0 comes twice in some turns
        self._turns.timeout.connect(self._clear_next)

    def take(self, arrangements: Iterable[PerspectiveWindow]) -> None:
        """Take these, which are out of sight; their panels may be claimed until `clear_soon`."""
        for perspective_window in arrangements:
            perspective_window.retire()
            self._perspective_windows.append(perspective_window)

    def clear_soon(self) -> None:
        """Nobody claims panels at present: go on."""
        if self._perspective_windows:
            self._turns.start()

    def pause(self) -> None:
        """Panels are going to be claimed, also from here."""
        self._turns.stop()

    @Slot()
    def _clear_next(self) -> None:
        if not self._perspective_windows:
            self._turns.stop()
        elif not self._perspective_windows[0].give_back():
            self._perspective_windows.pop(0).deleteLater()
