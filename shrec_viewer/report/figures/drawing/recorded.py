"""Drawings that were recorded from a panel."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from shrec_viewer.report.figures.content import Box, DrawnImage, DrawnShape, DrawnText, FigureDrawing
from shrec_viewer.report.figures.drawing.images import grey_pixels
from shrec_viewer.report.figures.drawing.style import MAX_PAGE_MM, POINT, Drawing, text_width
from shrec_viewer.report.figures.palettes import FigurePalette, distinct_colours, is_chromatic, luma

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

#: Width of a line in points, at least: thinner ones vanish in print.
MIN_LINE_WIDTH = 0.2

#: Font size in points, at least; matplotlib fails for 0.
MIN_FONT_SIZE = 0.5

#: Share of the drawing from which a filled shape is a background.
BACKGROUND_SHARE = 0.1

#: Dashes of solid lines of the first, second … colour of a drawing, in palettes without colours.
REPEATED_DASHES = ((), (5.0, 2.5), (1.0, 1.6), (6.0, 2.0, 1.2, 2.0))


def draw_drawing(content: FigureDrawing, drawing: Drawing) -> "Figure":
    """A recorded drawing, scaled to the width; texts are at most as wide as they were."""
    from matplotlib.transforms import Affine2D

    width, height = max(content.width, 1.0), max(content.height, 1.0)
    scale = min(drawing.width / width, MAX_PAGE_MM / height)
    figure, axes = drawing.page(height * scale)
    to_page = Affine2D().scale(scale) + axes.transData
    colours = _recoloured(content, drawing.palette)
    numbers = {colour: number for number, colour in enumerate(_chromatic_colours(content))}
    for order, part in enumerate(content.parts):
        if isinstance(part, DrawnShape):
            dash = part.dash
            if drawing.palette.is_grey and not dash and not part.fill and part.line in numbers:
                dash = REPEATED_DASHES[numbers[part.line] % len(REPEATED_DASHES)]
            artist: Any = _add_shape(axes, part, colours, dash, scale, to_page)
        elif isinstance(part, DrawnText):
            artist = _add_text(axes, part, colours, scale)
        else:
            artist = _add_image(axes, part, drawing.palette, scale)
        artist.set_zorder(order)
        artist.set_clip_path(_clip_path(part.clip), to_page)
    axes.set(xlim=(0.0, drawing.width), ylim=(height * scale, 0.0))  # imshow sets those of the image
    return figure


def _add_shape(
    axes: "Axes", shape: DrawnShape, colours: Mapping[str, str], dash: tuple[float, ...], scale: float,
    to_page: "Transform",
) -> Any:  # fmt: skip
    from matplotlib.colors import to_rgba
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    patch = PathPatch(
        Path(shape.vertices, shape.codes),
        facecolor=to_rgba(colours[shape.fill], shape.fill_opacity) if shape.fill else "none",
        edgecolor=to_rgba(colours[shape.line], shape.line_opacity) if shape.line else "none",
        linewidth=max(shape.line_width * scale / POINT, MIN_LINE_WIDTH) if shape.line else 0.0,
        linestyle=(0, dash) if dash else "solid",
        capstyle="butt",
        joinstyle="round",
    )
    patch.set_transform(to_page)
    return axes.add_artist(patch)


def _add_text(axes: "Axes", text: DrawnText, colours: Mapping[str, str], scale: float) -> Any:
    size = max(text.size * scale / POINT, MIN_FONT_SIZE)
    width = text_width(text.text, size)
    if width > text.width * scale > 0.0:  # another font, or none with the same widths
        size = max(size * text.width * scale / width, MIN_FONT_SIZE)
    return axes.text(
        text.x * scale, text.y * scale, text.text, fontsize=size, color=colours[text.fill], alpha=text.opacity,
        rotation=text.angle, rotation_mode="anchor", ha="left", va="baseline",
        fontweight="semibold" if text.is_bold else "normal",
    )  # fmt: skip


def _add_image(axes: "Axes", image: DrawnImage, palette: FigurePalette, scale: float) -> Any:
    left, top, right, bottom = (edge * scale for edge in image.box)
    return axes.imshow(
        grey_pixels(image.pixels) if palette.is_grey else image.pixels,
        extent=(left, right, bottom, top), interpolation="none", aspect="auto",
    )  # fmt: skip


def _clip_path(clip: Box) -> Any:
    from matplotlib.path import Path

    left, top, right, bottom = clip
    return Path([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], closed=True)


def _recoloured(content: FigureDrawing, palette: FigurePalette) -> Mapping[str, str]:
    """The colour in a palette for each colour of a drawing; chromatic ones stay distinct."""
    chromatic = _chromatic_colours(content)
    used = {colour for part in content.parts for colour in _colours_of(part)}
    colours = {colour: palette.colour(colour) for colour in used}
    if palette.markers:  # a palette whose colours must be distinguished without hue, or with few hues
        backgrounds = [luma(fill) for fill in _backgrounds(content)]
        has_dark = any(level < 0.5 for level in backgrounds)
        has_light = any(level >= 0.5 for level in backgrounds) or not backgrounds
        colours |= distinct_colours(chromatic, palette, has_dark=has_dark, has_light=has_light)
    return colours


def _colours_of(part: DrawnShape | DrawnText | DrawnImage) -> tuple[str, ...]:
    if isinstance(part, DrawnShape):
        return tuple(colour for colour in (part.fill, part.line) if colour)
    return (part.fill,) if isinstance(part, DrawnText) else ()


def _chromatic_colours(content: FigureDrawing) -> tuple[str, ...]:
    """Colours of a drawing that are no greys and no tints, in the order of their occurrence."""
    backgrounds = set(_backgrounds(content))
    found = [colour for part in content.parts for colour in _colours_of(part) if is_chromatic(colour)]
    return tuple(colour for colour in dict.fromkeys(found) if colour not in backgrounds)


def _backgrounds(content: FigureDrawing) -> list[str]:
    """Colours of opaque shapes that cover a large part of a drawing."""
    found = []
    for part in content.parts:
        if isinstance(part, DrawnShape) and part.fill and part.fill_opacity > 0.5:
            width, height = np.ptp(part.vertices, axis=0)
            if width * height >= BACKGROUND_SHARE * content.width * content.height:
                found.append(part.fill)
    return found
