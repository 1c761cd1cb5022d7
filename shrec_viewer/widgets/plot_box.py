"""The part of a plot within its axes: drag to zoom in, wheel to zoom, middle button or Shift to move."""

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPen

from shrec_viewer.widgets.theme import Theme

RUBBER = 0.12
"""Opacity of the rectangle that is being dragged open: curves below it must be seen."""

THIN = 8.0
"""Pixels below which a dragged rectangle is a line: then only the other axis is zoomed, or none."""


class PlotBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """A view box without menus: left drag opens a rectangle and zooms into it, middle drag or Shift moves the view.

    pyqtgraph's own left drag moves, which does nothing while the whole plot is shown.
    """

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.disableAutoRange()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        pen = QPen(theme.colour("accent"), 1)
        pen.setCosmetic(True)
        self.rbScaleBox.setPen(pen)
        self.rbScaleBox.setBrush(theme.colour("accent", RUBBER))

    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:
        """Pyqtgraph override."""
        if ev.button() == Qt.MouseButton.RightButton:
            ev.ignore()
        elif ev.button() == Qt.MouseButton.MiddleButton or ev.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            super().mouseDragEvent(ev, axis)
        else:
            ev.accept()
            self._open(QRectF(pg.Point(ev.buttonDownPos()), pg.Point(ev.pos())).normalized(), finished=ev.isFinish())

    def _open(self, dragged: QRectF, *, finished: bool) -> None:
        """Show the rectangle, or zoom into it; a thin one stands for the whole plot across."""
        dragged = dragged.intersected(self.boundingRect())
        whole = self.boundingRect()
        if dragged.height() < THIN:
            dragged = QRectF(dragged.left(), whole.top(), dragged.width(), whole.height())
        elif dragged.width() < THIN:
            dragged = QRectF(whole.left(), dragged.top(), whole.width(), dragged.height())
        if not finished:
            self.updateScaleBox(dragged.topLeft(), dragged.bottomRight())
            return
        self.rbScaleBox.hide()
        if dragged.width() >= THIN and dragged.height() >= THIN:
            self.setRange(self.childGroup.mapRectFromParent(dragged), padding=0)
