"""The head of a dock: its name, and quiet buttons that make it a window and close it."""

from PySide6.QtCore import QEvent, QSize, Slot
from PySide6.QtWidgets import QApplication, QDockWidget, QHBoxLayout, QLabel, QToolButton, QWidget

from shrec_viewer.widgets.icons import icon
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

HEIGHT = 28
"""Pixels; as high as the tabs of docks that share a place."""


class DockTitle(QWidget):
    """Title bar of a dock; drag it to move the dock, double-click it to make it a window of its own.

    It is folded, and empty, until it is first unfolded: most docks stand behind tabs or nowhere, and a perspective is
    made of fifteen while a person waits.
    """

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._dock = dock
        self._parts: tuple[QLabel, QToolButton, QToolButton] | None = None
        self._folded = True
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(2 * SPACE, 0, SPACE, 0)

    def set_folded(self, folded: bool) -> None:
        """Take no room: the dock's name stands in a tab."""
        if folded == self._folded:
            return
        self._folded = folded
        for part in self._parts or self._make_parts():
            part.setHidden(self._folded)  # nothing left has no height; docks that move meanwhile may fold it again
        self.updateGeometry()

    def _make_parts(self) -> tuple[QLabel, QToolButton, QToolButton]:
        self._parts = name, floats, closes = QLabel(self._dock.windowTitle()), QToolButton(), QToolButton()
        name.setProperty("muted", True)
        name.setFixedHeight(HEIGHT)  # docks ask for a size thousands of times: too often for an override
        closes.setToolTip(self.tr("Close; the View menu brings it back"))
        closes.setAccessibleName(self.tr("Close {panel}").format(panel=self._dock.windowTitle()))
        closes.clicked.connect(self._dock.close)
        floats.clicked.connect(self._switch)
        for button in (floats, closes):
            button.setIconSize(QSize(14, 14))
            button.setMaximumHeight(HEIGHT)
        self._dock.topLevelChanged.connect(self._name_switch)
        self._name_switch(self._dock.isFloating())
        self._row.addWidget(name, 1)
        self._row.addWidget(floats)
        self._row.addWidget(closes)
        self.set_theme(current_theme())
        return self._parts

    def changeEvent(self, event: QEvent) -> None:
        """Qt override; a font that was set does not follow that of the program."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._parts is not None:
            self._parts[0].setFont(text_font(self.font(), strong=True))

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        if self._parts is not None:
            name, floats, closes = self._parts
            name.setFont(text_font(QApplication.font(), strong=True))
            floats.setIcon(icon("float", theme, "muted"))
            closes.setIcon(icon("close", theme, "muted"))

    @Slot()
    def _switch(self) -> None:
        self._dock.setFloating(not self._dock.isFloating())

    @Slot(bool)
    def _name_switch(self, floating: bool) -> None:
        words = self.tr("Put {panel} back into the window") if floating else self.tr("Make {panel} a window of its own")
        if self._parts is not None:
            self._parts[1].setToolTip(words.format(panel=self._dock.windowTitle()))
            self._parts[1].setAccessibleName(words.format(panel=self._dock.windowTitle()))
