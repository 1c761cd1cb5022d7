"""Reads image files, including SVG (with Qt), as RGBA arrays. Imports Qt only for an SVG."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.formats.meshes.images import read_image

_MAX_SVG_BYTES = 20_000_000
"""Maximum size of an SVG file; larger files, e.g. maps, would take minutes."""


def read_image_or_svg(path: Path, size: int) -> NDArray[np.uint8]:
    """(size, size, 4) uint8, RGBA with straight alpha, of an image file; runs in a worker process.

    Qt is imported for the first SVG only.

    Raises
    ------
    FormatError
        The file cannot be opened or is not an image.
    """
    path = Path(path)
    return _read_svg(path, size) if path.suffix.lower() == ".svg" else read_image(path, size)


def _read_svg(path: Path, size: int) -> NDArray[np.uint8]:
    try:
        from PySide6.QtCore import QByteArray, QRectF, Qt
        from PySide6.QtGui import QImage, QPainter
        from PySide6.QtSvg import QSvgRenderer
    except ImportError as error:
        raise FormatError(path, f"is an SVG image, which requires Qt ({error})") from error
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_SVG_BYTES + 1)
    except OSError as error:
        raise FormatError(path, f"cannot be opened ({error.strerror or error})") from error
    if len(data) > _MAX_SVG_BYTES:
        raise FormatError(path, f"is larger than {_MAX_SVG_BYTES // 1_000_000} MB")
    _ensure_application()
    renderer = QSvgRenderer(QByteArray(data))
    whole = renderer.viewBoxF() if renderer.isValid() else QRectF()
    if whole.isEmpty():
        raise FormatError(path, "cannot be read as an SVG image")
    renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
    image = QImage(size, size, QImage.Format.Format_RGBA8888_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    straight = image.convertToFormat(QImage.Format.Format_RGBA8888)
    rows = np.frombuffer(straight.constBits(), np.uint8).reshape(size, straight.bytesPerLine())
    return rows[:, : 4 * size].reshape(size, size, 4).copy()


@cache
def _ensure_application() -> Any:
    """The `QGuiApplication` of the process, created offscreen if there is none: without it, text in an SVG crashes Qt.

    Cached, as Qt's fonts must not outlive it.
    """
    from PySide6.QtGui import QGuiApplication

    return QGuiApplication.instance() or QGuiApplication(["shrec-viewer", "-platform", "offscreen"])
