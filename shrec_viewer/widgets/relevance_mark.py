"""Frame and badge that say how relevant a picture is, by colour, weight, line style, glyph and number together."""

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from shrec_viewer.render.palette import relevance_style
from shrec_viewer.widgets.theme import CORNER, Theme

UNJUDGED = -1
"""Level of an item that nobody assessed."""

HIGHLY = 2
"""Level whose mark says "relevant" without reserve."""

FRAME_GAP = 1.5
"""Pixels of ground between picture and frame, so that the frame never covers the picture; a hair line needs none."""

FRAME_ROOM = 7
"""Pixels around a picture that the widest frame (5) and its gap need."""

DASH = (2.4, 1.4)
"""Dash and gap of the marginal frame in units of its width: long enough to read as dashes at 96 pixels."""

LINES: dict[str, tuple[float, ...]] = {"solid": (), "dash": DASH, "dot": (1.0, 2.0), "double": ()}
"""Dash pattern of each line style in units of the frame's width."""

GLYPHS = "●◐○◉"
"""Signs that are drawn rather than typed, so that they look alike with any font; others are typed."""

HATCH_STEP = 5
"""Pixels between two strokes of a hatched frame."""


@dataclass(frozen=True)
class Mark:
    """How one state of relevance looks.

    Attributes
    ----------
    colour : of frame and badge.
    width : of the frame in pixels.
    line : one of `LINES`.
    glyph : one of `GLYPHS`, or "" for none.
    text : what stands in the badge.
    quiet : the badge is an outline only; for what is the majority.
    hatched : strokes across the frame, for those who hunt errors.
    """

    colour: QColor
    width: float
    line: str
    glyph: str
    text: str
    quiet: bool = False
    hatched: bool = False


def level_mark(level: int, theme: Theme, preset: str = "ordinal", *, binary: bool = False) -> Mark:
    """Mark of a relevance level in one of the palette's presets; `UNJUDGED` for an item without one.

    Parameters
    ----------
    binary : the truth knows no degrees: its level 1 is plainly relevant and looks like the highest of a graded truth,
        not like a marginal one. The number stays what the truth says.
    """
    if level <= UNJUDGED:
        return Mark(theme.colour("line_strong"), 1, "dot", "", "?", quiet=True)
    style = relevance_style(HIGHLY if binary and level == 1 else level, theme.name, preset)
    quiet = level == 0 and not style.hatched
    return Mark(QColor(style.frame), style.width, style.line, style.glyph, str(level), quiet, style.hatched)


def query_mark(theme: Theme) -> Mark:
    """Mark of the query itself, wherever it stands in a list."""
    return Mark(theme.colour("ink"), 1, "double", "", "Q")


def draw_frame(painter: QPainter, picture: QRectF, mark: Mark) -> None:
    """Draw the frame outside of `picture`."""
    pen = QPen(mark.colour, mark.width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if LINES[mark.line]:
        pen.setDashPattern(list(LINES[mark.line]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen)
    distances = [FRAME_GAP, FRAME_GAP + 3] if mark.line == "double" else [FRAME_GAP if mark.width > 1 else 0.0]
    for distance in distances:
        outset = distance + mark.width / 2
        frame = picture.adjusted(-outset, -outset, outset, outset)
        painter.drawRoundedRect(frame, CORNER + outset, CORNER + outset)
    if mark.hatched:
        _draw_hatch(painter, picture, mark)


def badge_width(mark: Mark, font: QFont) -> float:
    """Width that `draw_badge` needs."""
    metrics = QFontMetricsF(font)
    glyph = metrics.capHeight() + 3 if mark.glyph else 0
    return glyph + max(metrics.horizontalAdvance(mark.text), metrics.capHeight() * 0.8) + metrics.height() * 0.6


def draw_badge(painter: QPainter, box: QRectF, mark: Mark, font: QFont) -> None:
    """Draw the pill with glyph and number into `box` (as wide as `badge_width` says)."""
    radius = box.height() / 2
    if mark.quiet:
        painter.setPen(QPen(mark.colour, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(mark.colour)
        painter.drawRoundedRect(box, radius, radius)
    ink = mark.colour if mark.quiet else readable_on(mark.colour)
    metrics = QFontMetricsF(font)
    left = box.left() + metrics.height() * 0.3
    if mark.glyph:
        size = metrics.capHeight()
        _draw_glyph(painter, QPointF(left + size / 2, box.center().y()), size / 2, mark.glyph, ink)
        left += size + 3
    painter.setFont(font)
    painter.setPen(ink)
    painter.drawText(
        QRectF(left, box.top(), box.right() - metrics.height() * 0.3 - left, box.height()),
        Qt.AlignmentFlag.AlignCenter,
        mark.text,
    )


def readable_on(ground: QColor) -> QColor:
    """Black or white, whichever has the higher contrast (WCAG) upon `ground`."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (ground.redF(), ground.greenF(), ground.blueF())
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return QColor("#FFFFFF") if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else QColor("#000000")


def _draw_hatch(painter: QPainter, picture: QRectF, mark: Mark) -> None:
    """Strokes in the corners of the frame, pointing outwards, so that the picture stays whole."""
    edge = picture.adjusted(-FRAME_GAP, -FRAME_GAP, FRAME_GAP, FRAME_GAP)
    painter.setPen(QPen(mark.colour, 1))
    reach = FRAME_ROOM - FRAME_GAP - 1
    for step in range(0, round(edge.width()), HATCH_STEP):
        x = edge.left() + step
        painter.drawLine(QLineF(x, edge.top(), x + reach, edge.top() - reach))
        painter.drawLine(QLineF(x, edge.bottom() + reach, x + reach, edge.bottom()))


def _draw_glyph(painter: QPainter, centre: QPointF, radius: float, glyph: str, ink: QColor) -> None:
    circle = QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)
    if glyph not in GLYPHS:
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
