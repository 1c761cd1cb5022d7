"""Icons by meaning, drawn from the Phosphor icon font in any colour and size."""

from functools import lru_cache
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from shrec_viewer.resources import resource
from shrec_viewer.widgets.style.theme import Theme

ICON_FONT = ("ph", "phosphor-1.3.0.ttf", "phosphor-charmap-1.3.0.json")
"""Phosphor only: loading it takes 10 ms, all fonts of qtawesome 40 ms and 40 MB."""

LOGO = "shrec-viewer"
"""Name of the program's logo, ``resources/icons/shrec-viewer.svg``."""

GLYPHS = {
    "back": "arrow-left",
    "box": "bounding-box",
    "chevron-left": "caret-left",
    "chevron-right": "caret-right",
    "close": "x",
    "copy": "copy",
    "cube": "cube",
    "curves": "chart-line",
    "error": "x-circle",
    "findings": "clipboard-text",
    "find": "magnifying-glass",
    "fit": "frame-corners",
    "float": "arrow-square-out",
    "folder-open": "folder-open",
    "forward": "arrow-right",
    "grid": "grid-four",
    "in-place": "swap",
    "info": "info",
    "list": "list",
    "moon": "moon",
    "note": "note-pencil",
    "picture": "image",
    "pin": "push-pin",
    "play": "play",
    "question": "question",
    "runs": "stack",
    "save": "download-simple",
    "shading": "circle-half",
    "sliders": "sliders-horizontal",
    "sun": "sun",
    "swap": "arrows-left-right",
    "table": "table",
    "turn": "arrow-clockwise",
    "undo": "arrow-counter-clockwise",
    "warning": "warning",
    "wireframe": "polygon",
}
"""Names of icons in the program, with their names in Phosphor."""


@lru_cache(maxsize=1)
def _icon_font() -> Any:
    from qtawesome.iconic_font import IconicFont  # imported late: takes 120 ms, not needed for the first paint

    return IconicFont(ICON_FONT)


# QPixmapCache keeps scaled copies of each pixmap that a label shows, up to 10 MB: new pixmaps would fill it.
@lru_cache(maxsize=64)
def icon_pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    """The icon `name` as a pixmap of `size` logical pixels.

    Parameters
    ----------
    name : a key of `GLYPHS`, or `LOGO`, which has fixed colours.
    colour : ``#rrggbb``.
    ratio : device pixels per logical pixel.

    Raises
    ------
    KeyError
        For an unknown name.
    """
    if name == LOGO:
        return _logo_pixmap(size, ratio)
    return _icon_font().icon(f"ph.{GLYPHS[name]}", color=colour).pixmap(QSize(size, size), ratio)


def _logo_pixmap(size: int, ratio: float) -> QPixmap:
    pixels = round(size * ratio)
    pixmap = QPixmap(pixels, pixels)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(str(resource(f"icons/{LOGO}.svg"))).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def program_icon() -> QIcon:
    """Icon of the program's windows, in all sizes; the small ones are drawn separately."""
    result = QIcon()
    for path in sorted(resource("icons/hicolor").glob(f"*/apps/{LOGO}.png")):
        result.addFile(str(path))
    return result


def icon(name: str, theme: Theme, token: str = "ink") -> QIcon:
    """The icon `name` in a colour of the theme, paler when disabled, sharp at any size."""
    return _icon_font().icon(f"ph.{GLYPHS[name]}", color=getattr(theme, token), color_disabled=theme.faint)
