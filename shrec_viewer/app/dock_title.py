"""The head of a dock: its name, and a quiet button that closes it."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QDockWidget, QHBoxLayout, QLabel, QToolButton, QWidget

from shrec_viewer.widgets.icons import icon
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

HEIGHT = 28
"""Pixels; as high as the tabs of docks that share a place."""


class DockTitle(QWidget):
    """Title bar of a dock; drag it to move the dock, double-click it to make it a window of its own."""

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._name = QLabel(dock.windowTitle())
        self._name.setProperty("muted", True)
        self._close = QToolButton()
        self._close.setToolTip(self.tr("Close; the View menu brings it back"))
        self._close.setAccessibleName(self.tr("Close {panel}").format(panel=dock.windowTitle()))
        self._close.setIconSize(QSize(14, 14))
        self._close.clicked.connect(dock.close)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 0, SPACE, 0)
        layout.addWidget(self._name, 1)
        layout.addWidget(self._close)
        self._folded = False
        self.set_theme(current_theme())

    def set_folded(self, folded: bool) -> None:
        """Take no room: the dock's name stands in a tab."""
        if folded != self._folded:
            self._folded = folded
            self._name.setHidden(folded)
            self._close.setHidden(folded)
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Qt override; the dock gives its title this height, whatever limits are set."""
        return QSize(super().sizeHint().width(), 0 if self._folded else HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """Qt override."""
        return QSize(super().minimumSizeHint().width(), 0 if self._folded else HEIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._name.setFont(text_font(QApplication.font(), strong=True))
        self._close.setIcon(icon("close", theme, "muted"))
