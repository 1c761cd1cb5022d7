"""Images of models and queries with their relevance frames: strips of ranked lists, and sheets."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.rank_rows import RankRows, RowLink, first_indices, link_end_text, row_links
from shrec_viewer.charts.strips import UNJUDGED, Sheet, Strips, Tile
from shrec_viewer.domain.value_scale import ValueLegend
from shrec_viewer.report.figures.drawing.plot import DASHES
from shrec_viewer.report.figures.drawing.style import (
    FONT_SIZE,
    LINE_MM,
    POINT,
    SMALL_FONT_SIZE,
    SMALL_LINE_MM,
    Drawing,
    elide,
    text_lines,
    text_width,
)
from shrec_viewer.report.figures.palettes import INK, MUTED, OUTLINE, TILE, TILE_HATCH

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Side of an image of a strip in millimetres. With less, the methods are placed below each other.
MIN_TILE_MM, MAX_TILE_MM = 5.5, 16.0

#: Millimetres between images with their frames, and between an image and its frame.
GAP_MM, FRAME_GAP_MM = 1.7, 0.35

#: Millimetres between the strips of two methods, and of two queries.
BLOCK_GAP_MM = 3.0

#: Width of a frame in points, by its width on the screen in pixels.
FRAME_WIDTHS = {2: 0.9, 3: 1.3, 4: 1.7}

#: Length in millimetres of the palette of a quantity.
VALUE_BAR_MM = 25.0

#: Lines of the note below an image of a sheet, at most.
MAX_SHEET_LINES = 5

#: Side of an image of a sheet in millimetres, at most.
MAX_SHEET_TILE_MM = 60.0


def draw_strips(content: Strips, drawing: Drawing) -> "Figure":
    """Queries in rows, and a strip for each method: next to each other if the images are large enough, else below."""
    methods, length = len(content.methods), content.length
    query_side = 1.35  # relative to the other images
    gaps = (length - 1) * GAP_MM
    beside = (drawing.width - 2.0 - methods * (gaps + BLOCK_GAP_MM)) / (query_side + methods * length)
    is_beside = beside >= MIN_TILE_MM or methods == 1
    names_width = 0.0
    if is_beside:
        side = min(beside, MAX_TILE_MM)
    else:
        names_width = min(max(text_width(name) for name in content.methods), 0.2 * drawing.width) + 1.5
        side = min((drawing.width - 2.0 - names_width - gaps - BLOCK_GAP_MM) / (query_side + length), MAX_TILE_MM)
    side = max(side, 1.0)
    strip = length * side + gaps
    note_lines = int(any(part.note for row in content.rows for part in row.strips))
    strip_height = side + 2 * GAP_MM + note_lines * SMALL_LINE_MM
    per_row = 1 if is_beside else methods
    row_height = max(per_row * strip_height, query_side * side + 2 * GAP_MM + SMALL_LINE_MM)
    header = LINE_MM if is_beside else 0.0
    top = header + 0.5
    height = top + len(content.rows) * (row_height + BLOCK_GAP_MM * 0.5) + _legend_height(content)
    figure, axes = drawing.page(height)
    left = 1.0 + query_side * side + BLOCK_GAP_MM
    for column, name in enumerate(content.methods) if is_beside else ():
        axes.text(
            left + column * (strip + BLOCK_GAP_MM), header * 0.5, elide(name, strip), va="center", fontsize=FONT_SIZE
        )
    for number, row in enumerate(content.rows):
        y = top + number * (row_height + BLOCK_GAP_MM * 0.5)
        _draw_tile(axes, row.query, 1.0, y + GAP_MM, query_side * side, drawing, content.key.is_binary)
        caption = elide(row.query.caption, query_side * side + BLOCK_GAP_MM * 0.8, SMALL_FONT_SIZE)
        axes.text(
            1.0 + query_side * side / 2, y + 2 * GAP_MM + query_side * side, caption, ha="center", va="top",
            fontsize=SMALL_FONT_SIZE,
        )  # fmt: skip
        for column, part in enumerate(row.strips):
            x = left + (column * (strip + BLOCK_GAP_MM) if is_beside else names_width)
            upper = y + GAP_MM + (0.0 if is_beside else column * strip_height)
            if not is_beside:
                name = elide(content.methods[column], names_width - 1.0)
                axes.text(left, upper + side / 2, name, va="center", fontsize=FONT_SIZE)
            for place, tile in enumerate(part.tiles):
                _draw_tile(axes, tile, x + place * (side + GAP_MM), upper, side, drawing, content.key.is_binary)
            note = elide(part.note, strip, SMALL_FONT_SIZE)
            axes.text(x, upper + side + GAP_MM * 0.9, note, va="top", fontsize=SMALL_FONT_SIZE, color=MUTED)
    _draw_legend(axes, content, drawing, height)
    return figure


#: Width in millimetres of the names of the runs at the left of their rows, and height between two rows for the lines.
NAMES_MM, LINKS_MM = 14.0, 16.0

#: Millimetres between the texts of two images.
CAPTION_GAP_MM = 0.5

#: Lines of the text above the rows that fit beside the image of the query.
HEAD_LINES = 4

#: Length in millimetres of the end of a line whose other end is not shown.
STUB_MM = 1.6


def draw_rank_rows(content: RankRows, drawing: Drawing) -> "Figure":
    """The query, and a row of images for each run, with lines between the same models."""
    length = max((len(row) for row in content.tiles), default=1)
    left = 1.0 + NAMES_MM
    pitch = min((drawing.width - left - 1.0) / max(length, 1), MAX_TILE_MM + 2 * GAP_MM)
    side = max(pitch - GAP_MM, 1.0)
    captions = _captions(content, pitch - CAPTION_GAP_MM)
    card = side + GAP_MM + max((len(lines) for row in captions for lines in row), default=2) * SMALL_LINE_MM
    band = NAMES_MM + GAP_MM
    height = band + len(content.rows) * (card + LINKS_MM) - LINKS_MM + GAP_MM + _legend_height(content)
    figure, axes = drawing.page(height)
    _draw_tile(axes, content.query, 1.5, 1.5, NAMES_MM - 3.0, drawing, content.key.is_binary)
    head = "\n".join(text_lines(content.sentence or content.query.caption, drawing.width - left - 1.0, HEAD_LINES))
    axes.text(left, NAMES_MM / 2, head, va="center", fontsize=FONT_SIZE)
    for number, (row, tiles, texts) in enumerate(zip(content.rows, content.tiles, captions, strict=True)):
        top = band + number * (card + LINKS_MM)
        if row.colour:
            dash = DASHES[row.dash]
            axes.plot((1.0, 6.0), (top + 1.0,) * 2, color=drawing.palette.colour(row.colour), lw=1.2, ls=dash)
        for line, text in enumerate((row.name, *row.note.rsplit(" ", 1))):
            y = top + 1.0 + GAP_MM + line * LINE_MM
            axes.text(1.0, y, elide(text, NAMES_MM - 1.0), va="top", fontsize=FONT_SIZE, color=MUTED if line else INK)
        axes.text(left, top + side / 2, row.missing, va="center", fontsize=FONT_SIZE, color=MUTED)
        for place, tile in enumerate(tiles):
            x = left + place * pitch
            _draw_tile(axes, tile, x, top, side, drawing, content.key.is_binary)
            for line, text in enumerate(texts[place]):
                width, is_number = pitch - CAPTION_GAP_MM, text == tiles[place].note
                size = _fitting_size(text, width) if is_number else SMALL_FONT_SIZE
                y, colour = top + side + GAP_MM * 0.6 + line * SMALL_LINE_MM, MUTED if line else INK
                axes.text(x, y, elide(text, width, size), va="top", fontsize=size, color=colour)
    visible = range(content.first - 1, content.first - 1 + length)
    for link in row_links(content.rows, [first_indices(row) for row in content.rows], visible):
        upper, lower = (left + (index - visible.start) * pitch + side / 2 for index in (link.upper, link.lower))
        top = band + link.row * (card + LINKS_MM) + card
        ends = (upper, top + GAP_MM * 0.6), (lower, top + LINKS_MM - GAP_MM)
        _draw_link(axes, content, link, visible, *ends, pitch - CAPTION_GAP_MM, drawing)
    _draw_legend(axes, content, drawing, height)
    return figure


def _fitting_size(text: str, width: float) -> float:
    """Font size in points at which a text of numbers, which cannot be shortened, has at most a width in millimetres."""
    return SMALL_FONT_SIZE * min(1.0, (width - 0.01) / max(text_width(text, SMALL_FONT_SIZE), 0.01))


def _captions(content: RankRows, width: float) -> list[list[tuple[str, ...]]]:
    """Lines of text below each image: rank and id, in two lines if some do not fit side by side; class; distance."""
    ranked = [[(f"{rank:,}", tile) for rank, tile in enumerate(row, content.first)] for row in content.tiles]
    is_wide = any(text_width(f"{rank} {tile.caption}", SMALL_FONT_SIZE) > width for row in ranked for rank, tile in row)
    has_notes = any(tile.note for row in content.tiles for tile in row)
    return [
        [
            (
                *((rank, tile.caption) if is_wide else (f"{rank} {tile.caption}",)),
                tile.detail,
                *([tile.note] if has_notes else []),
            )
            for rank, tile in row
        ]
        for row in ranked
    ]


def _draw_link(
    axes: "Axes",
    content: RankRows,
    link: RowLink,
    visible: range,
    start: tuple[float, float],
    end: tuple[float, float],
    width: float,
    drawing: Drawing,
) -> None:
    """The line between two images of a model, or where it leads from the only one, in this width; as in the window."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    is_marked = content.every_line or link.level > 0
    mark = drawing.palette.relevance(max(link.level, 0), is_binary=content.key.is_binary)
    colour = drawing.palette.colour(mark.frame if link.level > 0 else OUTLINE)
    is_above, is_below = link.upper in visible, link.lower in visible
    if not is_marked and (is_above or not is_below):
        return
    stub = (start, (start[0], start[1] + STUB_MM)) if is_above else ((end[0], end[1] - STUB_MM), end)
    ends = (start, end) if is_above and is_below else stub
    if not (is_above and is_below):
        x, y = (stub[1][0], stub[1][1] + 0.4) if is_above else (stub[0][0], stub[0][1] - 0.4)
        text = link_end_text(link.lower if is_above else link.upper, is_lower=is_below)
        axes.text(
            x, y, text, ha="center", va="top" if is_above else "bottom", fontsize=_fitting_size(text, width),
            color=colour if link.level > 0 else MUTED,
        )  # fmt: skip
    if is_marked:
        middle = (ends[0][1] + ends[1][1]) / 2
        points = (ends[0], (ends[0][0], middle), (ends[1][0], middle), ends[1])
        path = Path(points, (Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4))
        dash: Any = (0, (2.4, 1.4)) if link.level > 0 and mark.line == "dash" else "solid"
        axes.add_patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=0.8, linestyle=dash))


def draw_sheet(content: Sheet, drawing: Drawing) -> "Figure":
    """Images in rows with their captions."""
    across = max(content.across, 1)
    rows = math.ceil(len(content.tiles) / across)
    side = min((drawing.width - 2.0 - (across - 1) * BLOCK_GAP_MM * 0.6) / across, MAX_SHEET_TILE_MM)
    pitch_x = side + BLOCK_GAP_MM * 0.6
    texts = [_sheet_lines(tile, pitch_x - 0.5) for tile in content.tiles]
    lines = max(
        (len(of_tile) + (tile.legend is not None) for of_tile, tile in zip(texts, content.tiles, strict=True)),
        default=0,
    )
    pitch_y = side + 2 * GAP_MM + lines * LINE_MM
    height = max(rows * pitch_y + 1.0, 5.0) + _legend_height(content)
    figure, axes = drawing.page(height)
    start = (drawing.width - across * pitch_x + BLOCK_GAP_MM * 0.6) / 2
    for index, tile in enumerate(content.tiles):
        x, y = start + index % across * pitch_x, GAP_MM + index // across * pitch_y
        _draw_tile(axes, tile, x, y, side, drawing, content.key.is_binary)
        for line, text in enumerate(texts[index]):
            axes.text(
                x + side / 2, y + side + GAP_MM + line * LINE_MM, text, ha="center", va="top",
                fontsize=FONT_SIZE if line == 0 else SMALL_FONT_SIZE, color=INK if line == 0 else MUTED,
            )  # fmt: skip
        if tile.legend is not None:
            _draw_values(axes, tile.legend, drawing, x, y + side + GAP_MM + (len(texts[index]) + 0.4) * LINE_MM, side)
    _draw_legend(axes, content, drawing, height)
    return figure


def _sheet_lines(tile: Tile, width: float) -> list[str]:
    """Lines of text below an image of a sheet."""
    lines = [elide(text, width) for text in (tile.caption, tile.detail) if text]
    return lines + text_lines(tile.note, width, MAX_SHEET_LINES, SMALL_FONT_SIZE)


def grey_pixels(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """An image in grey; (h, w, 4) uint8."""
    grey = pixels.copy()
    luma = pixels[..., :3] @ [0.299, 0.587, 0.114]
    grey[..., :3] = (luma + 0.5).astype(pixels.dtype)[..., None]
    return grey


def _draw_tile(axes: "Axes", tile: Tile, x: float, y: float, side: float, drawing: Drawing, is_binary: bool) -> None:
    """An image with its frame, or a placeholder that says why there is none."""
    from matplotlib.patches import Rectangle

    ground = drawing.palette.colour(TILE)
    if tile.pixels is None:
        stripes = drawing.palette.colour(TILE_HATCH)
        axes.add_patch(Rectangle((x, y), side, side, facecolor=ground, edgecolor=stripes, linewidth=0, hatch="//////"))
        _write_problem(axes, tile.problem, x, y, side)
    else:
        axes.add_patch(Rectangle((x, y), side, side, facecolor=ground, linewidth=0))
        pixels = grey_pixels(tile.pixels) if drawing.palette.is_grey else tile.pixels
        height, width = pixels.shape[:2]
        share = side / max(height, width)
        left, top = x + (side - width * share) / 2, y + (side - height * share) / 2
        limits = axes.get_xlim(), axes.get_ylim()
        axes.imshow(
            pixels, extent=(left, left + width * share, top + height * share, top), interpolation="hanning", zorder=2,
            aspect="auto", resample=True,
        )  # fmt: skip
        axes.set(xlim=limits[0], ylim=limits[1])  # imshow sets both to those of the image
    _draw_frame(axes, tile, x, y, side, drawing, is_binary)


def _write_problem(axes: "Axes", problem: str, x: float, y: float, side: float) -> None:
    """As many words of a message as fit into an image, in the middle; "no image" where there is no space."""
    size = SMALL_FONT_SIZE - 1
    lines = text_lines(problem, side - 0.6, int(side / (size * POINT * 1.2)), size)
    if lines:
        axes.text(
            x + side / 2, y + side / 2, "\n".join(lines), ha="center", va="center", fontsize=size, color=INK, zorder=3,
            linespacing=1.1,
        )  # fmt: skip


def _draw_frame(axes: "Axes", tile: Tile, x: float, y: float, side: float, drawing: Drawing, is_binary: bool) -> None:
    if tile.is_query:
        for distance in (FRAME_GAP_MM, FRAME_GAP_MM + 0.45):
            _outline(axes, x, y, side, distance, 0.4, drawing.palette.colour(INK), "solid")
    elif tile.level is not None and tile.level <= UNJUDGED:
        _outline(axes, x, y, side, 0.1, 0.5, drawing.palette.colour(OUTLINE), (0, (1, 1.6)))
    elif tile.level is not None:
        mark = drawing.palette.relevance(tile.level, is_binary=is_binary)
        if not mark.width:
            return
        width = FRAME_WIDTHS[mark.width]
        dash: Any = (0, (2.4, 1.4)) if mark.line == "dash" else "solid"
        gap = 0.15 + width * POINT / 2
        _outline(axes, x, y, side, gap, width, drawing.palette.colour(mark.frame), dash)


def _outline(axes: "Axes", x: float, y: float, side: float, gap: float, width: float, colour: str, dash: Any) -> None:
    from matplotlib.patches import Rectangle

    frame = Rectangle((x - gap, y - gap), side + 2 * gap, side + 2 * gap, fill=False, joinstyle="miter", zorder=4)
    frame.set(edgecolor=colour, linewidth=width, linestyle=dash)
    axes.add_patch(frame)


def _levels(content: Strips | Sheet | RankRows) -> list[int]:
    """Relevance levels that occur, the highest first."""
    if isinstance(content, Strips):
        tiles = [tile for row in content.rows for part in row.strips for tile in part.tiles]
    else:
        tiles = [tile for part in content.tiles for tile in (part if isinstance(part, tuple) else (part,))]
    return sorted({tile.level for tile in tiles if tile.level is not None}, reverse=True)


def _legend(content: Strips | Sheet | RankRows, drawing: Drawing) -> list[tuple[Tile, str]]:
    entries = []
    for level in _levels(content):
        if level <= UNJUDGED:
            text = "not assessed"
        else:
            mark = drawing.palette.relevance(level, is_binary=content.key.is_binary)
            text = "relevant" if content.key.is_binary and level == 1 else mark.name
            text = f"level {level}" if level > 3 else text
        entries.append((Tile(None, level=level), text))
    return entries


def _legend_height(content: Strips | Sheet | RankRows) -> float:
    """Height of the lines at the lower edge, in millimetres."""
    return LINE_MM * (bool(_levels(content)) + (content.key.legend is not None))


def _draw_values(axes: "Axes", legend: ValueLegend, drawing: Drawing, x: float, middle: float, width: float) -> None:
    """What the colours of models mean, in a line of this width: the palette between its range, or labels.

    Without the title where there is not enough space.
    """
    from matplotlib.patches import Polygon, Rectangle

    colours = grey_pixels(legend.colours) if drawing.palette.is_grey else legend.colours
    side, end_of_line, bar = 2.0, x + width, VALUE_BAR_MM

    def write(text: str, x: float) -> float:
        axes.text(x, middle, text, va="center", fontsize=SMALL_FONT_SIZE)
        return x + text_width(text, SMALL_FONT_SIZE)

    first, last = (text for _, text in (legend.ticks[0], legend.ticks[-1]))
    if legend.labels is None:
        room = width - sum(text_width(text, SMALL_FONT_SIZE) for text in (first, last)) - 4.0
        has_title = room - text_width(legend.title, SMALL_FONT_SIZE) - 2.0 > bar
        bar = max(min(bar, room), side)
    if legend.labels is not None or has_title:
        x = write(legend.title, x) + 2.0
    if legend.labels is None:
        x = write(first, x) + 2.0
        right, top = x + bar, middle - side / 2
        limits = axes.get_xlim(), axes.get_ylim()
        axes.imshow(colours[None, :-1], extent=(x, right, top + side, top), aspect="auto")
        axes.set(xlim=limits[0], ylim=limits[1])
        for is_clipped, end, out, index in ((legend.clips_low, x, -1, 0), (legend.clips_high, right, 1, -2)):
            if is_clipped:
                tip = [(end, top), (end + out * side / 2, middle), (end, top + side)]
                axes.add_patch(Polygon(tip, facecolor=colours[index] / 255, linewidth=0))
        for share, _ in legend.ticks[1:-1]:
            axes.plot((x + share * bar,) * 2, (top, top + side), color=drawing.palette.colour(INK), lw=0.5)
        x = write(last, right + 2.0) + 4.0
    for sample, text in legend.samples:
        colour = grey_pixels(np.array([[*sample, 255]], np.uint8))[0] if drawing.palette.is_grey else np.array(sample)
        if x + side + 1.0 + text_width(text, SMALL_FONT_SIZE) > end_of_line:
            write("…", x)
            return
        axes.add_patch(Rectangle((x, middle - side / 2), side, side, facecolor=colour / 255, linewidth=0))
        x = write(text, x + side + 1.0) + 4.0


def _draw_legend(axes: "Axes", content: Strips | Sheet | RankRows, drawing: Drawing, height: float) -> None:
    """The frames that occur, with their meaning, in a line at the lower edge."""
    from matplotlib.patches import Rectangle

    if content.key.legend is not None:
        _draw_values(axes, content.key.legend, drawing, 1.5, height - LINE_MM / 2, drawing.width - 1.5)
        height -= LINE_MM
    x, side = 1.5, 2.0
    for tile, text in _legend(content, drawing):
        y = height - LINE_MM / 2 - side / 2
        axes.add_patch(Rectangle((x, y), side, side, facecolor=drawing.palette.colour(TILE), linewidth=0))
        _draw_frame(axes, tile, x, y, side, drawing, content.key.is_binary)
        axes.text(x + side + 1.0, height - LINE_MM / 2, text, va="center", fontsize=SMALL_FONT_SIZE)
        x += side + text_width(text, SMALL_FONT_SIZE) + 5.0
