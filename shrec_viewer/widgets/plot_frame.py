"""Where data stand on a plot's widget, and what is painted there beside the curves."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QPainter, QPolygonF

from shrec_viewer.widgets.theme import Theme


@dataclass(frozen=True)
class Frame:
    """The rectangle within the axes, in pixels of the widget, and what it shows.

    Attributes
    ----------
    rect : within the axes.
    whole : of the widget.
    x_range, y_range : in data units, low to high.
    theme, font : to paint with.
    """

    rect: QRectF
    whole: QRectF
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    theme: Theme
    font: QFont

    def x_at(self, x: ArrayLike) -> NDArray[np.float64]:
        """Pixels from the left of the widget."""
        low, high = self.x_range
        return self.rect.left() + (np.asarray(x, np.float64) - low) / ((high - low) or 1.0) * self.rect.width()

    def y_at(self, y: ArrayLike) -> NDArray[np.float64]:
        """Pixels from the top of the widget."""
        low, high = self.y_range
        return self.rect.bottom() - (np.asarray(y, np.float64) - low) / ((high - low) or 1.0) * self.rect.height()

    def point(self, x: float, y: float) -> QPointF:
        """A point of the widget."""
        return QPointF(float(self.x_at(x)), float(self.y_at(y)))

    def polygon(self, x: ArrayLike, y: ArrayLike) -> QPolygonF:
        """The points (x, y); NaN must not be among them."""
        return QPolygonF([QPointF(a, b) for a, b in zip(self.x_at(x).tolist(), self.y_at(y).tolist(), strict=True)])

    def shows(self, x: float, y: float) -> bool:
        """Whether the point is within the axes; never for NaN."""
        return self.x_range[0] <= x <= self.x_range[1] and self.y_range[0] <= y <= self.y_range[1]


class Layer(Protocol):
    """Something painted upon the curves."""

    def paint(self, painter: QPainter, frame: Frame) -> None:
        """Paint in pixels of the widget; the painter's state need not be put back."""
