"""Reads image files, including SVG (with Qt), as RGBA arrays. Imports Qt only for an SVG."""

import re
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.formats.io.files import check_regular_file
from shrec_viewer.formats.meshes.images import read_image

#: Maximum size of an SVG file; larger files, e.g. maps, would take minutes.
_MAX_SVG_BYTES = 20_000_000

_SVG, _XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"

#: Value of an attribute ``href`` with a PNG or JPEG image, recognised by its first bytes in base64.
_EMBEDDED_IMAGE = re.compile(r"\s*data:[^,]*;base64,\s*(iVBORw0KGgo|/9j/)")


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
        check_regular_file(path)
        with path.open("rb") as file:
            data = file.read(_MAX_SVG_BYTES + 1)
    except OSError as error:
        raise FormatError(path, f"cannot be opened ({error.strerror or error})") from error
    if len(data) > _MAX_SVG_BYTES:
        raise FormatError(path, f"is larger than {_MAX_SVG_BYTES // 1_000_000} MB")
    try:
        data = _without_external_references(data)
    except (ElementTree.ParseError, ValueError, LookupError, RecursionError) as error:
        raise FormatError(path, f"cannot be read as an SVG image ({error})") from error
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


def _without_external_references(data: bytes) -> bytes:
    """An SVG document without images that are not embedded and without processing instructions.

    Qt SVG (6.10) opens the file that an ``image`` element or an ``xml-stylesheet`` instruction names, whichever it is.
    Elements and attributes of other namespaces are removed, which Qt ignores; ElementTree drops the instructions.
    """
    root = ElementTree.fromstring(data)
    for parent in root.iter():
        for child in list(parent):
            name = child.tag.removeprefix(_SVG)
            links = [child.get("href", ""), child.get(f"{_XLINK}href", "")]
            is_external = name == "image" and not all(map(_EMBEDDED_IMAGE.match, filter(None, links)))
            if name.startswith("{") or is_external:
                parent.remove(child)
    for element in root.iter():
        # Qt does not resolve prefixes: names are written without the one of SVG and with "xlink:".
        element.tag = element.tag.removeprefix(_SVG)
        element.attrib = {
            name.replace(_XLINK, "xlink:"): value
            for name, value in element.attrib.items()
            if not name.startswith("{") or name.startswith((_XLINK, "{http://www.w3.org/XML/"))
        }
    root.attrib |= {"xmlns": _SVG[1:-1], "xmlns:xlink": _XLINK[1:-1]}
    return ElementTree.tostring(root, encoding="utf-8")


@cache
def _ensure_application() -> Any:
    """The `QGuiApplication` of the process, created offscreen if there is none: without it, text in an SVG crashes Qt.

    Cached, as Qt's fonts must not outlive it.
    """
    from PySide6.QtGui import QGuiApplication

    return QGuiApplication.instance() or QGuiApplication(["shrec-viewer", "-platform", "offscreen"])
