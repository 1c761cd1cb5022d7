"""The program's line icons in any colour and size, drawn from resources/icons."""

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from shrec_viewer.resources import resource
from shrec_viewer.widgets.theme import Theme

ICON_SIZES = (16, 20, 24, 32)
"""Sizes put into a QIcon: menus, buttons, tool bars, big buttons."""


@lru_cache(maxsize=64)
def _source(name: str) -> str:
    return resource(f"icons/{name}.svg").read_text(encoding="utf-8")


def icon_pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    """The icon `name` as a pixmap of `size` logical pixels, its ``currentColor`` replaced.

    Parameters
    ----------
    name : file name in ``resources/icons`` without suffix.
    colour : ``#rrggbb``; icons with colours of their own (the program's) keep them.
    ratio : device pixels per logical pixel.

    Raises
    ------
    FileNotFoundError
        When there is no such icon.
    """
    renderer = QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode()))
    pixels = round(size * ratio)
    pixmap = QPixmap(pixels, pixels)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def icon(name: str, theme: Theme, token: str = "ink") -> QIcon:
    """The icon `name` in a colour of the theme, crisp at one and two device pixels per pixel."""
    result = QIcon()
    for size in ICON_SIZES:
        for ratio in (1.0, 2.0):
            result.addPixmap(icon_pixmap(name, getattr(theme, token), size, ratio))
            disabled = icon_pixmap(name, theme.faint, size, ratio)
            result.addPixmap(disabled, QIcon.Mode.Disabled)
    return result
