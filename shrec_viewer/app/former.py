"""Arrangements that others took the place of: they give their panels back one by one, then they go."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, QTimer, Slot

from shrec_viewer.app.arrangement import Arrangement


class FormerArrangements(QObject):
    """Clears them away, one panel or one arrangement in a turn of the event loop: all in one go took 100 ms."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._arrangements: list[Arrangement] = []
        self._turns = QTimer(self, interval=1)  # one of 0 comes twice in some turns
        self._turns.timeout.connect(self._clear_next)

    def take(self, arrangements: Iterable[Arrangement]) -> None:
        """Take these, which are out of sight; their panels may be claimed until `clear_soon`."""
        for arrangement in arrangements:
            arrangement.retire()
            self._arrangements.append(arrangement)

    def clear_soon(self) -> None:
        """Nobody claims panels at present: go on."""
        if self._arrangements:
            self._turns.start()

    def pause(self) -> None:
        """Panels are going to be claimed, also from here."""
        self._turns.stop()

    @Slot()
    def _clear_next(self) -> None:
        if not self._arrangements:
            self._turns.stop()
        elif not self._arrangements[0].give_back():
            self._arrangements.pop(0).deleteLater()
