"""A widget as it is drawn on the screen, recorded as shapes, texts and images of a figure."""

import logging
import math
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QImage,
    QPaintDevice,
    QPaintEngine,
    QPaintEngineState,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPolygonF,
    QTextItem,
    QTransform,
)
from PySide6.QtWidgets import QGraphicsView, QWidget

from shrec_viewer.render.scene.palette import SERIES
from shrec_viewer.report.figures.content import Box, DrawnImage, DrawnPart, DrawnShape, DrawnText, FigureDrawing
from shrec_viewer.viewmodels.thumbnails.qimage import qimage_to_rgba
from shrec_viewer.widgets.style.theme import DARK, LIGHT, current_theme

_log = logging.getLogger(__name__)

#: Pixels of an image per pixel of the widget, for what is recorded as an image: gradients and textures.
RASTER_SCALE = 3

#: Colours of the light theme by those of the dark one.
LIGHT_COLOURS = {
    **{getattr(DARK, name).lower(): getattr(LIGHT, name).lower() for name in vars(LIGHT) if name != "name"},
    **{dark.lower(): light.lower() for dark, light in zip(SERIES["dark"], SERIES["light"], strict=True)},
}

RENDER_FLAGS = QWidget.RenderFlag.DrawWindowBackground | QWidget.RenderFlag.DrawChildren


def record_drawing(widget: QWidget, title: str) -> FigureDrawing:
    """What a widget and its children draw, in the colours of the light theme; vectors except for images."""
    device = _RecordingDevice(widget)
    with _vector_items(widget):
        painter = QPainter(device)
        QWidget.render(widget, painter, QPoint(), renderFlags=RENDER_FLAGS)  # views have another method of this name
        painter.end()
    width, height = float(widget.width()), float(widget.height())
    parts = tuple(device.engine.parts)
    if device.engine.error is not None:
        _log.warning("'%s' is exported as an image: %r", title, device.engine.error)
        box = (0.0, 0.0, width, height)
        parts = (DrawnImage(qimage_to_rgba(widget.grab().toImage()), box, box),)
    return FigureDrawing(title, width, height, parts)


@contextmanager
def _vector_items(widget: QWidget) -> Iterator[None]:
    """Let pyqtgraph draw the symbols of scatter plots as vectors; on the screen it copies them from an image."""
    views = [view for view in (widget, *widget.findChildren(QGraphicsView)) if isinstance(view, QGraphicsView)]
    scenes = [scene for view in views if (scene := view.scene()) is not None]
    switches = [getattr(item, "setExportMode", None) for scene in scenes for item in scene.items()]
    try:
        for switch in filter(callable, switches):
            switch(True, {"antialias": True, "resolutionScale": 1.0})
        yield
    finally:
        for switch in filter(callable, switches):
            switch(False)


class _RecordingDevice(QPaintDevice):
    """A paint device of the size and resolution of a widget, whose engine records what is painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self._widget = widget
        self.engine = _RecordingEngine()

    def paintEngine(self) -> QPaintEngine:
        """Qt override."""
        return self.engine

    def metric(self, metric: QPaintDevice.PaintDeviceMetric) -> int:
        """Qt override; one pixel of the device is one of the widget, on every screen."""
        metrics = QPaintDevice.PaintDeviceMetric
        if metric == metrics.PdmDevicePixelRatio:
            return 1
        if metric == metrics.PdmDevicePixelRatioScaled:
            return round(QPaintDevice.devicePixelRatioFScale())
        return int(self._widget.metric(metric))


def _guarded(method: Callable[..., None]) -> Callable[..., None]:
    """Keep an exception for later: one that leaves a method of a paint engine crashes the program (PySide6 6.10)."""

    @wraps(method)
    def guarded(engine: "_RecordingEngine", *arguments: Any) -> None:
        try:
            method(engine, *arguments)
        except Exception as error:
            engine.error = engine.error or error

    return guarded


class _RecordingEngine(QPaintEngine):
    """Records shapes, texts and images with their clips, in pixels of the device.

    For an engine that does not draw them, Qt makes paths of rectangles, ellipses and points, and pixmaps of images and
    tiles.

    `QSvgGenerator` omits clips, and with clips loses the offsets of child widgets (Qt 6.10).
    """

    def __init__(self) -> None:
        super().__init__(QPaintEngine.PaintEngineFeature.AllFeatures)
        self.parts: list[DrawnPart] = []
        self.error: Exception | None = None
        self._transform = QTransform()
        self._colours = LIGHT_COLOURS if current_theme().name == "dark" else {}

    def begin(self, _device: QPaintDevice) -> bool:
        """Qt override."""
        return True

    def end(self) -> bool:
        """Qt override."""
        return True

    def type(self) -> QPaintEngine.Type:
        """Qt override."""
        return QPaintEngine.Type.User

    @_guarded
    def updateState(self, state: QPaintEngineState) -> None:
        """Keep the transform; that of the painter lacks the offset of child widgets (Qt 6.10)."""
        self._transform = state.transform()

    # Shapes.

    @_guarded
    def drawPath(self, path: QPainterPath) -> None:
        """Qt override."""
        self._add_path(path, is_filled=True)

    @_guarded
    def drawPolygon(self, points: Sequence[QPoint | QPointF], mode: QPaintEngine.PolygonDrawMode) -> None:
        """Qt override."""
        path = QPainterPath()
        path.addPolygon(QPolygonF([QPointF(point) for point in points]))
        is_open = mode == QPaintEngine.PolygonDrawMode.PolylineMode
        if not is_open:
            path.closeSubpath()
        if mode == QPaintEngine.PolygonDrawMode.WindingMode:
            path.setFillRule(Qt.FillRule.WindingFill)
        self._add_path(path, is_filled=not is_open)

    @_guarded
    def drawLines(self, lines: Sequence[Any]) -> None:
        """Qt override."""
        path = QPainterPath()
        for line in lines:
            start, end = QPointF(line.p1()), QPointF(line.p2())
            if path.isEmpty() or path.currentPosition() != start:
                path.moveTo(start)
            path.lineTo(end)
        self._add_path(path, is_filled=False)

    def _add_path(self, path: QPainterPath, *, is_filled: bool) -> None:
        painter = self.painter()
        self._add_shape(path, painter.brush() if is_filled else QBrush(Qt.BrushStyle.NoBrush), painter.pen())

    def _add_shape(self, path: QPainterPath, fill: QBrush, pen: QPen) -> None:
        clip = self._clip()
        if path.isEmpty() or clip is None:
            return
        fill_colour, fill_opacity = self._paint(fill)
        if fill.style() not in (Qt.BrushStyle.NoBrush, Qt.BrushStyle.SolidPattern):
            self._add_raster(path, fill, clip)
            fill_opacity = 0.0
        line_colour, line_opacity = self._paint(pen.brush()) if pen.style() != Qt.PenStyle.NoPen else ("", 0.0)
        if not fill_opacity and not line_opacity:
            return
        width = max(pen.widthF(), 1.0) if pen.isCosmetic() or not pen.widthF() else pen.widthF() * self._scale()
        vertices, codes = _path_arrays(self._transform.map(path))
        self.parts.append(
            DrawnShape(
                vertices=vertices,
                codes=codes,
                fill=fill_colour if fill_opacity else "",
                fill_opacity=fill_opacity,
                line=line_colour if line_opacity else "",
                line_opacity=line_opacity,
                line_width=width,
                dash=tuple(pen.dashPattern()) if pen.style() != Qt.PenStyle.SolidLine and line_opacity else (),
                clip=clip,
            )
        )

    def _add_raster(self, path: QPainterPath, fill: QBrush, clip: Box) -> None:
        """Record a filled shape as an image."""
        mapped = self._transform.map(path)
        box = mapped.boundingRect().intersected(QRectF(clip[0], clip[1], clip[2] - clip[0], clip[3] - clip[1]))
        if box.isEmpty():
            return
        image = QImage(
            math.ceil(box.width() * RASTER_SCALE), math.ceil(box.height() * RASTER_SCALE),
            QImage.Format.Format_ARGB32_Premultiplied,
        )  # fmt: skip
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(self.painter().opacity())
        painter.scale(image.width() / box.width(), image.height() / box.height())
        painter.translate(-box.topLeft())
        painter.setTransform(self._transform, True)
        painter.fillPath(path, fill)
        painter.end()
        self.parts.append(DrawnImage(qimage_to_rgba(image), _box(box), clip))

    # Texts and images.

    @_guarded
    def drawTextItem(self, position: QPointF, item: QTextItem) -> None:
        """Qt override."""
        clip, text, font = self._clip(), item.text(), item.font()
        if clip is None or not text.strip():
            return
        pen = self.painter().pen()
        if any(unicodedata.bidirectional(letter) in ("R", "AL", "AN") for letter in text):
            # matplotlib orders and joins no letters of right-to-left scripts; outlines are as on the screen.
            path = QPainterPath()
            path.addText(position, font, text)
            self._add_shape(path, pen.brush(), QPen(Qt.PenStyle.NoPen))
            return
        colour, opacity = self._paint(pen.brush())
        origin = self._transform.map(position)
        scale = math.hypot(self._transform.m11(), self._transform.m12())
        points = font.pointSizeF() * self._dots_per_point()
        self.parts.append(
            DrawnText(
                text=text,
                x=origin.x(),
                y=origin.y(),
                size=scale * (font.pixelSize() if font.pixelSize() > 0 else points),
                width=scale * item.width(),
                angle=-math.degrees(math.atan2(self._transform.m12(), self._transform.m11())),
                fill=colour,
                opacity=opacity,
                is_bold=font.bold(),
                clip=clip,
            )
        )

    @_guarded
    def drawPixmap(self, rect: QRectF, pixmap: QPixmap, source: QRectF) -> None:
        """Qt override."""
        clip, transform = self._clip(), self._transform
        part = pixmap.toImage().copy(source.toAlignedRect())
        if clip is None or part.isNull() or rect.isEmpty():
            return
        pixels = qimage_to_rgba(part)
        if (pixels == pixels[0, 0]).all():  # the background of a view, which Qt keeps as an image
            path = QPainterPath()
            path.addRect(rect)
            self._add_shape(path, QBrush(QColor(*pixels[0, 0].tolist())), QPen(Qt.PenStyle.NoPen))
            return
        if transform.m12() or transform.m21():
            turned = QTransform(transform.m11(), transform.m12(), transform.m21(), transform.m22(), 0.0, 0.0)
            pixels = qimage_to_rgba(part.transformed(turned))
        else:
            pixels = pixels[:: -1 if transform.m22() < 0 else 1, :: -1 if transform.m11() < 0 else 1]
        pixels[..., 3] = np.round(pixels[..., 3] * self.painter().opacity())
        self.parts.append(DrawnImage(pixels, _box(transform.mapRect(rect)), clip))

    # State.

    def _paint(self, brush: QBrush) -> tuple[str, float]:
        """Colour and opacity of a brush."""
        if brush.style() == Qt.BrushStyle.NoBrush:
            return "", 0.0
        return self._themed(brush.color().name()), brush.color().alphaF() * self.painter().opacity()

    def _themed(self, colour: str) -> str:
        return self._colours.get(colour, colour)

    def _scale(self) -> float:
        return math.sqrt(abs(self._transform.determinant()))

    def _dots_per_point(self) -> float:
        return self.paintDevice().logicalDpiY() / 72.0

    def _clip(self) -> Box | None:
        """Rectangle outside of which nothing is visible; None if nothing is."""
        box = QRectF(self.systemClip().boundingRect())
        painter = self.painter()
        if painter.hasClipping():
            box = box.intersected(self._transform.map(painter.clipPath()).boundingRect())
        return None if box.isEmpty() else _box(box)


def _box(rect: QRectF) -> Box:
    return rect.left(), rect.top(), rect.right(), rect.bottom()


#: See `DrawnShape`.
PATH_CODES = {
    QPainterPath.ElementType.MoveToElement: 1,
    QPainterPath.ElementType.LineToElement: 2,
    QPainterPath.ElementType.CurveToElement: 4,
    QPainterPath.ElementType.CurveToDataElement: 4,
}


def _path_arrays(path: QPainterPath) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Vertices and codes of a path, see `DrawnShape`."""
    elements = [path.elementAt(index) for index in range(path.elementCount())]
    vertices = np.array([(element.x, element.y) for element in elements], np.float64).reshape(-1, 2)
    return vertices, np.array([PATH_CODES[element.type] for element in elements], np.uint8)
