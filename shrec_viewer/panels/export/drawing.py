"""A widget as it is drawn on the screen: SVG, PDF and PNG."""

import re
from collections.abc import Callable, Mapping

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QPoint, QRect, QSizeF, QUuid
from PySide6.QtGui import QImage, QPageLayout, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from shrec_viewer.printable import printable

DRAWING_DPI = 300
"""Resolution of PNG files: required by publishers for colour images."""

DOCUMENT_ID = QUuid("{5a1a5b06-0000-4000-8000-000000000000}")
"""Identifier in all PDF files of panels as drawn."""

MM_PER_INCH, POINTS_PER_INCH = 25.4, 72.0


def drawn_svg(widget: QWidget, width: float, title: str) -> bytes:
    """The widget as SVG of this width in millimetres; text stays text."""
    data = QByteArray()
    buffer = QBuffer(data)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setTitle(printable(title))
    generator.setSize(widget.size())
    generator.setViewBox(QRect(QPoint(), widget.size()))
    _render(widget, generator)
    height = width * widget.height() / max(widget.width(), 1)
    # Qt writes the size in millimetres for its resolution, which is an integer.
    size = f'width="{width:g}mm" height="{height:g}mm"'.encode()
    return re.sub(rb'width="[^"]*" height="[^"]*"', size, bytes(data.data()), count=1)


def drawn_pdf(widget: QWidget, width: float, title: str) -> bytes:
    """The widget as PDF of this width in millimetres."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(printable(title))
    writer.setCreator("SHREC Viewer")
    # Without them, Qt writes the time and a random number (6.10.3), so that no two files are equal.
    writer.setDocumentId(DOCUMENT_ID)
    writer.setDocumentXmpMetadata(b" ")
    scale = width / MM_PER_INCH * POINTS_PER_INCH / max(widget.width(), 1)
    size = QSizeF(widget.width() * scale, widget.height() * scale)
    page = QPageSize(size, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
    writer.setPageLayout(QPageLayout(page, QPageLayout.Orientation.Portrait, QMarginsF()))
    writer.setResolution(1200)
    painter = QPainter(writer)
    painter.scale(writer.width() / max(widget.width(), 1), writer.height() / max(widget.height(), 1))
    widget.render(painter, QPoint(), renderFlags=_FLAGS)
    painter.end()
    return re.sub(rb"D:\d{14}[^)]*", _fixed_date, bytes(data.data()))


def _fixed_date(found: re.Match[bytes]) -> bytes:
    """A date of the same length, as a PDF file has the positions of its objects."""
    return b"D:20060101000000".ljust(len(found[0]), b"Z")[: len(found[0])]


def drawn_png(widget: QWidget, width: float, title: str) -> bytes:
    """The widget as PNG of this width in millimetres at `DRAWING_DPI`."""
    pixels = max(round(width / MM_PER_INCH * DRAWING_DPI), 1)
    scale = pixels / max(widget.width(), 1)
    image = QImage(pixels, max(round(widget.height() * scale), 1), QImage.Format.Format_RGB32)
    image.setDotsPerMeterX(round(DRAWING_DPI / MM_PER_INCH * 1000))
    image.setDotsPerMeterY(round(DRAWING_DPI / MM_PER_INCH * 1000))
    image.setText("Title", printable(title))
    painter = QPainter(image)
    painter.scale(scale, scale)
    widget.render(painter, QPoint(), renderFlags=_FLAGS)
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # a str at run time (PySide6 6.10.3)
    return bytes(data.data())


_FLAGS = QWidget.RenderFlag.DrawWindowBackground | QWidget.RenderFlag.DrawChildren


def _render(widget: QWidget, device: QSvgGenerator) -> None:
    painter = QPainter(device)
    widget.render(painter, QPoint(), renderFlags=_FLAGS)
    painter.end()


DRAWING_FORMATS: Mapping[str, Callable[[QWidget, float, str], bytes]] = {
    "svg": drawn_svg, "pdf": drawn_pdf, "png": drawn_png,
}  # fmt: skip
"""Formats of a panel that is exported as drawn."""
