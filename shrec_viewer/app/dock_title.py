"""The head of a dock: its name, and quiet buttons that make it a window and close it."""

from PySide6.QtCore import QEvent, QSize, Slot
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
        self._name.setFixedHeight(HEIGHT)  # docks ask for a size thousands of times: too often for an override
        self._dock = dock
        self._float, self._close = QToolButton(), QToolButton()
        self._close.setToolTip(self.tr("Close; the View menu brings it back"))
        self._close.setAccessibleName(self.tr("Close {panel}").format(panel=dock.windowTitle()))
        self._close.clicked.connect(dock.close)
        self._float.clicked.connect(self._switch)
        for button in (self._float, self._close):
            button.setIconSize(QSize(14, 14))
            button.setMaximumHeight(HEIGHT)
        dock.topLevelChanged.connect(self._name_switch)
        self._name_switch(dock.isFloating())
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 0, SPACE, 0)
        layout.addWidget(self._name, 1)
        layout.addWidget(self._float)
        layout.addWidget(self._close)
        self._folded = False
        self.set_theme(current_theme())

    def set_folded(self, folded: bool) -> None:
        """Take no room: the dock's name stands in a tab."""
        if folded != self._folded:
            self._folded = folded
            self._name.setHidden(folded)
            self._float.setHidden(folded)
            self._close.setHidden(folded)  # nothing left has no height
            self.updateGeometry()

    def changeEvent(self, event: QEvent) -> None:
        """Qt override; a font that was set does not follow that of the program."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._name.setFont(text_font(self.font(), strong=True))

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._name.setFont(text_font(QApplication.font(), strong=True))
        self._float.setIcon(icon("float", theme, "muted"))
        self._close.setIcon(icon("close", theme, "muted"))

    @Slot()
    def _switch(self) -> None:
        self._dock.setFloating(not self._dock.isFloating())

    @Slot(bool)
    def _name_switch(self, floating: bool) -> None:
        words = self.tr("Put {panel} back into the window") if floating else self.tr("Make {panel} a window of its own")
        self._float.setToolTip(words.format(panel=self._dock.windowTitle()))
        self._float.setAccessibleName(words.format(panel=self._dock.windowTitle()))
