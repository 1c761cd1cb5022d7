"""View of one rendered mesh: image, caption, and the camera moved by mouse."""

from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QFont,
    QFontMetricsF,
    QImage,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from shrec_viewer.charts.mesh_pane import MeshPane
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.mesh_view.actions import CUT_STEP, zoomed_at
from shrec_viewer.widgets.style.relevance import (
    DARK_PICTURE_OPACITY,
    FRAME_MARGIN,
    RelevanceMark,
    ThumbnailPainter,
    draw_badge,
    draw_frame,
    level_mark,
    query_mark,
)
from shrec_viewer.widgets.style.text import draw_text, measured_font
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, THUMBNAIL_RADIUS, Theme, current_theme, text_font


def caption_mark(text: MeshPane, theme: Theme) -> RelevanceMark | None:
    """Frame and badge of a view; None for none."""
    if text.is_query:
        return query_mark(theme)
    return None if text.level is None else level_mark(text.level, theme, binary=text.is_binary)


def caption_height(font: QFont) -> float:
    """Height of two lines in pixels."""
    return 2 * QFontMetricsF(text_font(font, bold=True)).height()


def draw_caption(
    painter: QPainter, available: QRectF, text: MeshPane, mark: RelevanceMark | None, font: QFont, theme: Theme
) -> None:
    """Paint two lines from the top of `available`: role and value; title and detail, with the badge at the right.

    Value and detail are left out where they would be elided, or would elide the role.
    """
    bold, regular, small = measured_font(font, bold=True), measured_font(font), measured_font(font, 0.9, bold=True)
    ink, muted = theme.colour("ink"), theme.colour("muted")
    upper = QRectF(available.left(), available.top(), available.width(), bold.height)
    lower = upper.translated(0, bold.height)
    if regular.width(text.role) + regular.width(text.value) + 2 * SPACE <= upper.width():
        draw_text(painter, upper, text.value, regular, muted, right=True)
    draw_text(painter, upper, text.role, regular, muted)
    if mark is not None and text.title:
        lower.setRight(lower.right() - draw_badge(painter, lower, mark, small) - SPACE)
    title_width = draw_text(painter, lower, text.title, bold, ink, Qt.TextElideMode.ElideMiddle)
    lower.setLeft(lower.left() + title_width + 2 * SPACE)
    if regular.width(text.detail) <= lower.width():
        draw_text(painter, lower, text.detail, regular, muted)


def draw_footer(painter: QPainter, available: QRectF, text: str, font: QFont, theme: Theme) -> None:
    """Paint the lines of a text at the lower right of `available`, with an outline for legibility."""
    small = measured_font(font, 0.85)
    for line, part in enumerate(reversed(text.split("\n")), 1):
        row = QRectF(available.left(), available.bottom() - line * small.height, available.width(), small.height)
        width = small.width(small.metrics.elidedText(part, Qt.TextElideMode.ElideRight, row.width()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("picture", 0.8))
        background = row.adjusted(row.width() - width - SPACE, 0, SPACE, 0)
        painter.drawRoundedRect(background, THUMBNAIL_RADIUS, THUMBNAIL_RADIUS)
        draw_text(painter, row, part, small, theme.colour("muted"), Qt.TextElideMode.ElideRight, right=True)


#: MIME type of a dragged card: the id of its model in UTF-8.
MODEL_MIME = "application/x-shrec-viewer-model"

#: Rotation per pixel of the mouse in turns: half a turn across a view of 400 pixels.
DEGREES_PER_PIXEL = 0.45

#: Angle delta of a wheel step, and its zoom factor.
WHEEL_NOTCH, ZOOM_PER_NOTCH = 120.0, 1.15

#: Height in pixels from which the bottom line does not cover the model; in lower views the tooltip has it.
FOOTER_FROM_HEIGHT = 200

#: Milliseconds after which an empty view shows that the mesh is loading; most files are faster.
LOADING_DELAY_MS = 700

#: Minimum size of a view in pixels: of an image of 90 with its frame, and of the caption above it.
MIN_VIEW_SIZE = QSize(90 + 2 * FRAME_MARGIN, 90 + 60)


class MeshView(QWidget):
    """View of the newest image of a model that emits camera changes by mouse.

    Left drag rotates, middle, right or Shift+left drag pans, the wheel zooms at the mouse, and with Ctrl moves
    the cut.

    Attributes
    ----------
    text : the caption.
    image : the image shown, or None.
    footer : the lines at the bottom.
    count : index and number of views shown one at a time, ``"2 of 3"``; "" for a single one.

    Signals
    -------
    camera_moved(Camera)
        The camera was moved; the owner calls `set_camera`.
    pressed()
        The mouse was pressed here: the focus should move here.
    solo_requested()
        Double click: show only this model, or all again.
    dropped(id)
        A card with the id of a model was dropped here.
    resized()
        An image of another size is needed.
    clicked(place)
        The image was clicked at this place without a drag, see `hovered`.
    hovered(place)
        The pointer is at this place of the image, in shares of its sides from the upper left corner; None beside it.
    """

    camera_moved = Signal(object)
    pressed = Signal()
    solo_requested = Signal()
    dropped = Signal(str)
    resized = Signal()
    hovered = Signal(object)
    clicked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._painter = ThumbnailPainter()
        self._camera = Camera(fit="sphere")
        self.text = MeshPane("", "")
        self.count = ""
        self.image: QImage | None = None
        self.footer = ""
        self._grip: tuple[QPointF, Camera, bool] | None = None
        self._is_target = False
        self._is_turnable = True
        self._keeps_footer = False
        self._is_loading = False
        self._loading_timer = QTimer(self, interval=LOADING_DELAY_MS, singleShot=True)
        self._loading_timer.timeout.connect(self._show_loading)
        self.setAcceptDrops(True)
        self.setMouseTracking(True)
        self.setToolTipDuration(-1)

    # Contents.

    def set_text(self, text: MeshPane) -> None:
        """Show another caption; if it is of another model, the image is removed."""
        if (text.key, text.title) != (self.text.key, self.text.title) or text.problem:
            self.image = None
            self.footer = ""
            self._is_loading = False
            self._loading_timer.start()
        self.text = text
        parts = (text.role, text.title, text.detail, text.value, text.problem)
        self.setAccessibleName(", ".join(part for part in parts if part))
        set_tooltip(self, "\n".join(part for part in (text.role, text.title, text.detail, text.value) if part))
        self.update()

    def set_count(self, count: str) -> None:
        """Show index and number after the role; "" for a single view."""
        if count != self.count:
            self.count = count
            self.update()

    def set_image(
        self, image: QImage | None, footer: str = "", *, turnable: bool = True, keeps_footer: bool = False
    ) -> None:
        """Show this image, scaled to fit, with lines at the bottom; if not turnable, mouse drags are ignored.

        Parameters
        ----------
        keeps_footer : whether small views show them as well, over the model.
        """
        self.image, self.footer, self._is_turnable = image, footer, turnable
        self._keeps_footer = keeps_footer
        self._loading_timer.stop()
        self.update()

    @property
    def is_loading(self) -> bool:
        """Whether the loading text is shown."""
        return self._is_loading and self.image is None and not self.text.problem and bool(self.text.title)

    @Slot()
    def _show_loading(self) -> None:
        self._is_loading = True
        self.update()

    def set_camera(self, camera: Camera) -> None:
        """Set the camera that mouse drags start from."""
        self._camera = camera

    def pixel_size(self) -> tuple[int, int]:
        """Size in device pixels of an image that fills the view."""
        box, ratio = self._box(), self.devicePixelRatioF()
        return max(1, round(box.width() * ratio)), max(1, round(box.height() * ratio))

    def sizeHint(self) -> QSize:
        """Square image below the caption."""
        return QSize(280, 280 + self._head())

    def minimumSizeHint(self) -> QSize:
        """Smallest size in which the model is recognisable."""
        return MIN_VIEW_SIZE

    # Mouse.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start to rotate or pan."""
        self.pressed.emit()
        left = event.button() == Qt.MouseButton.LeftButton
        if not self._can_turn() or not (left or event.button() in _PAN_BUTTONS):
            return
        shifts = not left or bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._grip = (event.position(), self._camera, shifts)
        self.setCursor(Qt.CursorShape.SizeAllCursor if shifts else Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Rotate or pan relative to the press, so that rounding errors do not accumulate."""
        if self._grip is None:
            self.hovered.emit(self._place(event.position()))
            return
        start, camera, shifts = self._grip
        offset = event.position() - start
        if shifts:
            half = self._half_side()
            self.camera_moved.emit(camera.panned(offset.x() / half, -offset.y() / half))
        else:
            self.camera_moved.emit(camera.orbited(-offset.x() * DEGREES_PER_PIXEL, offset.y() * DEGREES_PER_PIXEL))

    def leaveEvent(self, event: QEvent) -> None:
        """Report that the pointer is beside the image."""
        super().leaveEvent(event)
        self.hovered.emit(None)

    def _place(self, position: QPointF) -> tuple[float, float] | None:
        box = self._box()
        if self.image is None or not box.contains(position):
            return None
        return (position.x() - box.left()) / box.width(), (position.y() - box.top()) / box.height()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End rotating or panning; emit `clicked` if the mouse was not moved."""
        grip, self._grip = self._grip, None
        if grip is not None and event.button() == Qt.MouseButton.LeftButton:
            is_click = (event.position() - grip[0]).manhattanLength() < QApplication.startDragDistance()
            if is_click and (place := self._place(event.position())) is not None:
                self.clicked.emit(place)
        self.unsetCursor()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Emit `solo_requested`."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.solo_requested.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom towards the mouse; with Ctrl, move the cut."""
        turned = event.angleDelta().y()
        if turned and self._can_turn() and self._camera.cut and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.camera_moved.emit(self._camera.cut_moved(CUT_STEP * turned / WHEEL_NOTCH))
        elif turned and self._can_turn():
            self._zoom(ZOOM_PER_NOTCH ** (turned / WHEEL_NOTCH), event.position())
        event.accept()

    def event(self, event: QEvent) -> bool:
        """Zoom by pinching on a touch pad."""
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            if self._can_turn():
                self._zoom(1.0 + event.value(), event.position())
            return True
        return super().event(event)

    def _zoom(self, factor: float, position: QPointF) -> None:
        self.camera_moved.emit(zoomed_at(self._camera, factor, self._at(position)))

    def _at(self, position: QPointF) -> tuple[float, float]:
        """A position in half lengths of the smaller image side, from the centre."""
        offset = position - self._box().center()
        return offset.x() / self._half_side(), -offset.y() / self._half_side()

    def _half_side(self) -> float:
        box = self._box()
        return max(1.0, min(box.width(), box.height()) / 2)

    def _can_turn(self) -> bool:
        return self._is_turnable and not self.text.problem

    # Dropped cards.

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept a dragged model and show the drop target."""
        if event.mimeData().hasFormat(MODEL_MIME):
            event.acceptProposedAction()
            self._show_target(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Hide the drop target."""
        self._show_target(False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Emit the dropped model."""
        self._show_target(False)
        event.acceptProposedAction()
        self.dropped.emit(bytes(event.mimeData().data(MODEL_MIME).data()).decode())

    def _show_target(self, is_target: bool) -> None:
        self._is_target = is_target
        self.update()

    # Painting.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Emit `resized`, so that the image is rendered in the new size."""
        super().resizeEvent(event)
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint caption, image, frame and messages."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        theme, box, font = current_theme(), self._box(), text_font(self.font(), 0.95)
        mark = caption_mark(self.text, theme)
        if self.text.problem:
            self._painter.draw_missing(painter, box, self.text.problem, theme, font)
        else:
            self._painter.draw_background(painter, box, theme)
            self._draw_image(painter, box)
            if self.is_loading:
                painter.setPen(theme.colour("muted"))
                painter.setFont(font)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "Loading…")
        if mark is not None:
            draw_frame(painter, box, mark)
        if self._is_target:
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.setBrush(theme.colour("accent", 0.12))
            painter.drawRoundedRect(box.adjusted(-4, -4, 4, 4), RADIUS, RADIUS)
        head = QRectF(FRAME_MARGIN, SPACE, self.width() - 2.0 * FRAME_MARGIN, self._head())
        text = replace(self.text, role=f"{self.text.role}  ·  {self.count}") if self.count else self.text
        draw_caption(painter, head, text, mark, self.font(), theme)
        if self.footer and (self._keeps_footer or box.height() >= FOOTER_FROM_HEIGHT):
            draw_footer(painter, box.adjusted(2 * SPACE, 0, -2 * SPACE, -SPACE), self.footer, self.font(), theme)

    def _draw_image(self, painter: QPainter, box: QRectF) -> None:
        if self.image is None or self.image.isNull():
            return
        width, height = self.image.width(), self.image.height()
        scale = min(box.width() / width, box.height() / height)
        position = QRectF(0, 0, width * scale, height * scale)
        position.moveCenter(box.center())
        if not self._is_turnable and current_theme().name == "dark":
            painter.setOpacity(DARK_PICTURE_OPACITY)
        painter.drawPixmap(position, QPixmap.fromImage(self.image), QRectF(0, 0, width, height))
        painter.setOpacity(1.0)

    def _head(self) -> int:
        return round(caption_height(self.font()) + 2 * SPACE)

    def _box(self) -> QRectF:
        available = FRAME_MARGIN
        box = QRectF(self.rect()).adjusted(available, self._head() + available, -available, -available)
        return QRectF(round(box.left()), round(box.top()), max(1, int(box.width())), max(1, int(box.height())))


_PAN_BUTTONS = (Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton)
