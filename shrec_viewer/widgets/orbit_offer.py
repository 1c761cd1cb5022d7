"""A line that offers to turn a collection upright; nothing is turned before the person says so."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from shrec_viewer.widgets.theme import SPACE


class OrbitOffer(QWidget):
    """Shows an offer until it is accepted or declined.

    Signals
    -------
    accepted(), declined()
        What the person answered.
    """

    accepted = Signal()
    declined = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = QLabel()
        self._words.setWordWrap(True)
        self._words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._accept, self._decline = QPushButton(self.tr("Turn upright")), QPushButton(self.tr("Leave"))
        self._accept.clicked.connect(self._tell_accepted)
        self._decline.clicked.connect(self._tell_declined)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        layout.addWidget(self._words, 1)
        layout.addWidget(self._accept)
        layout.addWidget(self._decline)
        self.hide()

    @property
    def words(self) -> str:
        """What is offered; "" for nothing."""
        return self._words.text()

    def set_offer(self, words: str) -> None:
        """Offer this; "" offers nothing."""
        self._words.setText(words)
        self.setVisible(bool(words))

    def _tell_accepted(self) -> None:
        self.accepted.emit()

    def _tell_declined(self) -> None:
        self.declined.emit()
