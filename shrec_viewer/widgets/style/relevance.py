"""Paint models in lists: thumbnail or placeholder, frame, badge and legend of the relevance level."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from shrec_viewer.render.scene.palette import relevance_style
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.style.text import MeasuredFont, draw_text, measured_font
from shrec_viewer.widgets.style.theme import SPACE, THUMBNAIL_RADIUS, Theme, current_preset, current_theme

#: Level of an item that was not assessed.
UNJUDGED = -1

#: Level from which items are fully relevant.
HIGHLY_RELEVANT = 2

#: Pixels between thumbnail and frame; frames of one pixel have no gap.
FRAME_SPACING = 1.5

#: Pixels around a thumbnail for the widest frame (4) and its gap.
FRAME_MARGIN = 7

#: Dash and gap of the marginal frame in units of its width; visible as dashes at 96 pixels.
MARGINAL_DASH = (2.4, 1.4)

#: Dash pattern of each line style in units of the frame's width.
LINE_DASHES: dict[str, tuple[float, ...]] = {"solid": (), "dash": MARGINAL_DASH, "dot": (1.0, 2.0), "double": ()}

#: Glyphs painted as shapes, so that they look the same in any font; others are painted as text.
DRAWN_GLYPHS = "●◐○◉"

#: Pixels between two lines of a hatched frame.
HATCH_STEP = 5


@dataclass(frozen=True)
class RelevanceMark:
    """Appearance of a relevance level.

    Attributes
    ----------
    colour : colour of frame and badge.
    width : width of the frame in pixels; 0 for no frame.
    line : a key of `LINE_DASHES`.
    glyph : one of `DRAWN_GLYPHS`, or "" for none.
    text : text of the badge.
    is_outlined : the badge is an outline only; for the most frequent level.
    hatched : hatch the frame, to make errors conspicuous.
    """

    colour: QColor
    width: float
    line: str
    glyph: str
    text: str
    is_outlined: bool = False
    hatched: bool = False


def level_mark(level: int, theme: Theme, preset: str = "ordinal", *, binary: bool = False) -> RelevanceMark:
    """Mark of a relevance level in a preset of the palette; `UNJUDGED` for an item that was not assessed.

    Parameters
    ----------
    binary : the assessment is binary: level 1 looks like the highest level of a graded one, not like a marginal one.
        The number in the badge stays 1.
    """
    if level <= UNJUDGED:
        return RelevanceMark(theme.colour("line_strong"), 1, "dot", "", "?", is_outlined=True)
    style = relevance_style(HIGHLY_RELEVANT if binary and level == 1 else level, theme.name, preset)
    is_outlined = level == 0 and not style.hatched
    return RelevanceMark(
        QColor(style.frame), style.width, style.line, style.glyph, str(level), is_outlined, style.hatched
    )


def query_mark(theme: Theme) -> RelevanceMark:
    """Mark of the query itself in a list."""
    return RelevanceMark(theme.colour("ink"), 1, "double", "", "Q")


def draw_frame(painter: QPainter, thumbnail: QRectF, mark: RelevanceMark) -> None:
    """Draw the frame around the rectangle `thumbnail`, if the mark has one."""
    if not mark.width:
        return
    pen = QPen(mark.colour, mark.width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if LINE_DASHES[mark.line]:
        pen.setDashPattern(list(LINE_DASHES[mark.line]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen)
    distances = (
        [FRAME_SPACING, FRAME_SPACING + 3] if mark.line == "double" else [FRAME_SPACING if mark.width > 1 else 0.0]
    )
    for distance in distances:
        outset = distance + mark.width / 2
        frame = thumbnail.adjusted(-outset, -outset, outset, outset)
        painter.drawRoundedRect(frame, THUMBNAIL_RADIUS + outset, THUMBNAIL_RADIUS + outset)
    if mark.hatched:
        _draw_hatch(painter, thumbnail, mark)


def badge_width(mark: RelevanceMark, font: MeasuredFont) -> float:
    """Width in pixels of the badge of `draw_badge`."""
    height = font.metrics.capHeight()
    return (height + 3 if mark.glyph else 0) + max(font.width(mark.text), height * 0.8) + font.height * 0.6


def draw_badge(painter: QPainter, line: QRectF, mark: RelevanceMark, font: MeasuredFont) -> float:
    """Draw the badge with glyph and number at the right end of a line; returns its width in pixels."""
    width, height = badge_width(mark, font), font.height
    box = QRectF(line.right() - width, line.center().y() - height / 2, width, height)
    if mark.is_outlined:
        painter.setPen(QPen(mark.colour, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), height / 2, height / 2)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(mark.colour)
        painter.drawRoundedRect(box, height / 2, height / 2)
    ink = mark.colour if mark.is_outlined else contrasting_ink(mark.colour)
    inner = box.adjusted(height * 0.3, 0, -height * 0.3, 0)
    if mark.glyph:
        size = font.metrics.capHeight()
        _draw_glyph(painter, QPointF(inner.left() + size / 2, box.center().y()), size / 2, mark.glyph, ink)
        inner.setLeft(inner.left() + size + 3)
    painter.setFont(font.font)
    painter.setPen(ink)
    painter.drawText(inner, Qt.AlignmentFlag.AlignCenter, mark.text)
    return width


def contrasting_ink(background: QColor) -> QColor:
    """Black or white, whichever has the higher contrast (WCAG) on `background`."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (background.redF(), background.greenF(), background.blueF())
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return QColor("#FFFFFF") if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else QColor("#000000")


def _draw_hatch(painter: QPainter, thumbnail: QRectF, mark: RelevanceMark) -> None:
    """Hatch the frame outside the thumbnail."""
    edge = thumbnail.adjusted(-FRAME_SPACING, -FRAME_SPACING, FRAME_SPACING, FRAME_SPACING)
    painter.setPen(QPen(mark.colour, 1))
    reach = FRAME_MARGIN - FRAME_SPACING - 1
    for step in range(0, round(edge.width()), HATCH_STEP):
        x = edge.left() + step
        painter.drawLine(QLineF(x, edge.top(), x + reach, edge.top() - reach))
        painter.drawLine(QLineF(x, edge.bottom() + reach, x + reach, edge.bottom()))


def _draw_glyph(painter: QPainter, centre: QPointF, radius: float, glyph: str, ink: QColor) -> None:
    circle = QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)
    if glyph not in DRAWN_GLYPHS:
        painter.setPen(ink)
        painter.drawText(circle, Qt.AlignmentFlag.AlignCenter, glyph)
        return
    painter.setPen(QPen(ink, 1.2))
    painter.setBrush(ink if glyph == "●" else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(circle.adjusted(0.6, 0.6, -0.6, -0.6))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    if glyph == "◐":
        painter.drawPie(circle, 90 * 16, 180 * 16)
    elif glyph == "◉":
        painter.drawEllipse(centre, radius * 0.5, radius * 0.5)


#: Levels of a graded assessment; levels above 3 look like 3.
LEVEL_NAMES = {3: "most relevant", 2: "highly relevant", 1: "marginally relevant", 0: "not relevant"}

#: Levels of a binary assessment.
BINARY_LEVEL_NAMES = {1: "relevant", 0: "not relevant"}

#: Pixels between two entries of the legend.
ENTRY_SPACING = 3 * SPACE

RelevanceEntry = tuple[RelevanceMark, str]


class RelevanceLegend(QWidget):
    """Legend of relevance marks, highest level first: ``● 2 highly relevant  ◐ 1 marginally relevant  ...  Q query``.

    With counts: ``● 2 highly 8 of 8  ◐ 1 marginally 4 of 6  ...``. In a narrow legend the texts of the last entries are
    left out first, never a badge; the tooltip is complete.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._levels: tuple[int, ...] = ()
        self._counts: Mapping[int, tuple[int, int]] = {}
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._describe()

    def set_levels(self, levels: Sequence[int]) -> None:
        """Show these levels, in any order; -1 for items not assessed.

        Level 0 is added where there is another one. If 1 is the highest level, it is "relevant", as on the cards.
        Without levels only the mark of the query is shown.
        """
        assessed = {level for level in levels if level >= 0}
        if assessed:
            assessed.add(0)
        unjudged = (UNJUDGED,) if any(level < 0 for level in levels) else ()
        shown = (*sorted(assessed, reverse=True), *unjudged)
        if shown != self._levels:
            self._levels = shown
            self._describe()
            self.updateGeometry()
            self.update()

    def set_counts(self, counts: Mapping[int, tuple[int, int]]) -> None:
        """Show how many models of each level are in a list, and how many there are; without any, only the names."""
        if counts != self._counts:
            self._counts = counts
            self._describe()
            self.update()

    def _describe(self) -> None:
        parts = [f"{mark.text} {name}" for mark, name in self._entries()]
        for index, level in enumerate(self._levels):
            if level in self._counts:
                listed, total = self._counts[level]
                parts[index] += f" ({listed:,} of {total:,} listed)"
        description = ", ".join(parts)
        set_tooltip(self, description)
        self.setAccessibleName(f"Relevance: {description}")

    def texts(self, width: int | None = None) -> list[str]:
        """Texts of the entries in a legend of this width in pixels, "" where one is left out."""
        available = self.width() if width is None else width
        labels, widths = self._labels(), self._text_widths()
        badges_width = self._badges_width() - ENTRY_SPACING
        for index in reversed(range(len(labels))):
            if badges_width + sum(widths) <= available:
                break
            labels[index], widths[index] = "", 0.0
        return labels

    def sizeHint(self) -> QSize:
        """Size with all labels."""
        width = self._badges_width() + sum(self._text_widths())
        return QSize(round(width) + 1, round(self._font().height) + 2 * SPACE)

    def minimumSizeHint(self) -> QSize:
        """Size of the badges alone."""
        return QSize(round(self._badges_width()), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a badge and a label for each level."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        font, badge_font, muted = self._font(), self._badge_font(), current_theme().colour("muted")
        left = 0.0
        for (mark, _), text in zip(self._entries(), self.texts(), strict=True):
            width = badge_width(mark, badge_font)
            draw_badge(painter, QRectF(left, 0, width, self.height()), mark, badge_font)
            left += width
            if text:
                box = QRectF(left + SPACE, 0, font.width(text) + 1, self.height())
                left += SPACE + draw_text(painter, box, text, font, muted)
            left += ENTRY_SPACING

    def _font(self) -> MeasuredFont:
        return measured_font(self.font(), 0.92)

    def _badge_font(self) -> MeasuredFont:
        return measured_font(self.font(), 0.85, bold=True)

    def _badges_width(self) -> float:
        """Width of the badges with a gap after each."""
        font = self._badge_font()
        return sum(badge_width(mark, font) + ENTRY_SPACING for mark, _ in self._entries())

    def _text_widths(self) -> list[float]:
        font = self._font()
        return [font.width(text) + SPACE for text in self._labels()]

    def _labels(self) -> list[str]:
        """Texts of all entries: the names, or short names with counts."""
        labels = [name for _, name in self._entries()]
        for index, level in enumerate(self._levels):
            if level in self._counts:
                listed, total = self._counts[level]
                labels[index] = f"{labels[index].removesuffix(' relevant')} {listed:,} of {total:,}"
        return labels

    def _entries(self) -> list[RelevanceEntry]:
        is_binary = max(self._levels, default=0) == 1
        names = BINARY_LEVEL_NAMES if is_binary else LEVEL_NAMES
        theme, preset = current_theme(), current_preset()
        entries = [
            (level_mark(level, theme, preset, binary=is_binary), self._level_name(names, level))
            for level in self._levels
        ]
        return [*entries, (query_mark(theme), "query")]

    def _level_name(self, names: dict[int, str], level: int) -> str:
        return "not assessed" if level == UNJUDGED else names[min(level, max(names))]


#: Size of the cache of scaled thumbnails: three screens of cards of 128 pixels.
CACHE_BYTES = 16 * 2**20

#: Pixels between two stripes of the placeholder.
STRIPE_STEP = 8


#: Opacity of sketches and photographs in the dark theme: their background is white.
DARK_PICTURE_OPACITY = 0.72


def is_picture(thumbnail: QPixmap) -> bool:
    """Whether a thumbnail is a sketch or photograph, not a rendered mesh, whose background is transparent."""
    image = thumbnail.toImage()
    right, bottom = image.width() - 1, image.height() - 1
    edges = ((right // 2, 0), (right // 2, bottom), (0, bottom // 2), (right, bottom // 2))
    return all(image.pixelColor(*point).alpha() == 255 for point in edges)


class ThumbnailPainter:
    """Paints thumbnails fitted into boxes, with a least-recently-used cache of scaled ones.

    Parameters
    ----------
    max_bytes : size of the cache; None for `CACHE_BYTES`.
    """

    def __init__(self, max_bytes: int | None = None) -> None:
        self._max_bytes = CACHE_BYTES if max_bytes is None else max_bytes
        self._scaled: OrderedDict[tuple[int, int, int], tuple[QPixmap, bool]] = OrderedDict()  # and if it is a picture
        self._bytes = 0

    def draw(self, painter: QPainter, box: QRectF, picture: QPixmap, theme: Theme, opacity: float = 1.0) -> None:
        """Draw `picture` centred in `box` on the neutral background, with its aspect ratio and this opacity.

        The thumbnails have rounded corners already, since a clip path would take most of the time of a repaint.
        """
        self.draw_background(painter, box, theme)
        ratio = painter.device().devicePixelRatio()
        target = QSize(round(box.width() * ratio), round(box.height() * ratio))
        scaled, is_dimmed = self._fitted(picture, target, ratio)
        width, height = scaled.width() / ratio, scaled.height() / ratio
        left = box.left() + (box.width() - width) / 2
        top = box.top() + (box.height() - height) / 2
        painter.setOpacity(opacity * (DARK_PICTURE_OPACITY if is_dimmed and theme.name == "dark" else 1.0))
        painter.drawPixmap(QPointF(round(left * ratio) / ratio, round(top * ratio) / ratio), scaled)
        painter.setOpacity(1.0)

    def draw_model(
        self,
        painter: QPainter,
        box: QRectF,
        picture: QPixmap | None,
        reason: str | None,
        theme: Theme,
        font: QFont,
        opacity: float = 1.0,
    ) -> None:
        """Draw a thumbnail, or a placeholder for the `reason` why there is none; None while it is not rendered yet."""
        if picture is not None and not picture.isNull():
            self.draw(painter, box, picture, theme, opacity)
        elif reason is not None:
            self.draw_missing(painter, box, reason, theme, font)
        else:
            self.draw_background(painter, box, theme)

    def draw_background(self, painter: QPainter, box: QRectF, theme: Theme) -> None:
        """Draw the neutral background of a thumbnail that is not rendered yet."""
        painter.fillPath(_rounded_path(box), theme.colour("picture"))

    def draw_missing(self, painter: QPainter, box: QRectF, reason: str, theme: Theme, font: QFont) -> None:
        """Draw a hatched placeholder with the reason why there is no thumbnail, if it fits; "" for no text."""
        self.draw_background(painter, box, theme)
        painter.save()
        painter.setClipPath(_rounded_path(box), Qt.ClipOperation.IntersectClip)
        painter.setPen(QPen(theme.colour("hatch"), 2))
        reach = int(box.width() + box.height())
        for step in range(0, reach, STRIPE_STEP):
            painter.drawLine(QLineF(box.left() + step, box.top(), box.left() + step - box.height(), box.bottom()))
        painter.restore()
        if reason:
            _draw_reason(painter, box, reason, theme, font)

    def _fitted(self, picture: QPixmap, target: QSize, ratio: float) -> tuple[QPixmap, bool]:
        key = (picture.cacheKey(), target.width(), target.height())
        if key in self._scaled:
            self._scaled.move_to_end(key)
            return self._scaled[key]
        scaled = picture
        if picture.size() != target:
            scaled = picture.scaled(
                target, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
        scaled = QPixmap(scaled)
        scaled.setDevicePixelRatio(ratio)
        found = self._scaled[key] = scaled, is_picture(picture)
        self._bytes += _byte_count(scaled)
        while self._bytes > self._max_bytes and len(self._scaled) > 1:
            self._bytes -= _byte_count(self._scaled.popitem(last=False)[1][0])
        return found


def _byte_count(picture: QPixmap) -> int:
    """Memory of a pixmap in bytes."""
    return picture.width() * picture.height() * picture.depth() // 8


def _rounded_path(box: QRectF) -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(box, THUMBNAIL_RADIUS, THUMBNAIL_RADIUS)
    return path


def _draw_reason(painter: QPainter, box: QRectF, reason: str, theme: Theme, font: QFont) -> None:
    inner = box.adjusted(6, 6, -6, -6)
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    painter.setFont(font)
    text = painter.boundingRect(inner, flags, reason)
    if text.height() > inner.height() or text.width() > inner.width():
        text = painter.boundingRect(inner, flags, "no thumbnail")
        reason = "no thumbnail"
    if text.width() > inner.width() or text.height() > inner.height():
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("picture"))
    painter.drawRoundedRect(text.adjusted(-4, -2, 4, 2), THUMBNAIL_RADIUS, THUMBNAIL_RADIUS)
    painter.setPen(theme.colour("muted"))
    painter.drawText(inner, flags, reason)
