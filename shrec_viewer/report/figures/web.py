"""Figures as SVG elements of web pages: with the colours and the font of the page."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING, Any

from shrec_viewer.charts.plot import Plot
from shrec_viewer.render.scene.palette import SERIES
from shrec_viewer.report.figures.content import FigureContent
from shrec_viewer.report.figures.drawing.plot import draw_curve, draw_references, line_styles, style_axes
from shrec_viewer.report.figures.drawing.style import INCH, POINT
from shrec_viewer.report.figures.palettes import INK, MUTED, OUTLINE, PALETTES, PAPER, RULE
from shrec_viewer.report.figures.rendering import figure_bytes, figure_settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Size of a plot in millimetres: across 640 pixels of a page, its text has 13 pixels.
WIDTH_MM, HEIGHT_MM = 120.0, 75.0

#: Margins of the axes of a plot in points, for the ticks and their labels; a layout of each plot took 110 ms.
LEFT, RIGHT, TOP, BOTTOM = 34.0, 7.0, 12.0, 28.0

#: Variables of the style sheet, which has both themes, by colour of the figures.
VARIABLES = {
    **{colour.lower(): f"var(--s{index})" for index, colour in enumerate(SERIES["light"])},
    **{
        colour.lower(): f"var(--{name})"
        for name, colour in (("ink", INK), ("quiet", MUTED), ("axis", OUTLINE), ("rule", RULE), ("paper", PAPER))
    },
}

#: Beginning of the element of a curve of a `WebFigure`, with its index in the plot.
CURVE = re.compile(r'<g id="curve-(\d+)">')


@dataclass(frozen=True)
class WebFigure:
    """Contents of an SVG element.

    Attributes
    ----------
    width, height : of its view box, in points.
    markup : elements with escaped texts; see `with_ids`.
    axes : left, right, top and bottom of the axes of a plot in the view box.
    limits : x and y at these borders: lowest and highest x, lowest and highest y.
    """

    width: float
    height: float
    markup: str
    axes: tuple[float, ...] = ()
    limits: tuple[float, ...] = ()

    def with_ids(self, name: str) -> str:
        """The markup with ids that begin with a name, which is unique on a page."""
        return self.markup.replace(_ID, re.sub(r"\W", "_", name) + "-")


def web_figure(content: FigureContent) -> WebFigure:
    """A figure of any kind, as `figure_bytes` lays it out.

    Raises
    ------
    FigureError
        See `figure_bytes`.
    """
    svg = figure_bytes(content, "svg", WIDTH_MM).decode()
    box = re.search(r'viewBox="0 0 (\S+) (\S+)"', svg)
    assert box is not None
    markup = svg[svg.index('<g id="figure_1">') : svg.rindex("</svg>")]
    return WebFigure(float(box[1]), float(box[2]), _for_page(markup))


@dataclass(frozen=True)
class _Scale:
    """One axis with its ticks, grid and label as markup, and its lowest and highest value."""

    markup: str
    limits: tuple[float, float]


class WebPlots:
    """Draws plots without their legends, which pages have as lists with links.

    All have the same axes, and each scale is drawn once for its range and label: a contest has 330 plots, of which new
    axes would take 70 ms each, and the curves take 10 ms.
    """

    def __init__(self) -> None:
        self._axes: Axes | None = None
        self._scales: dict[tuple[object, ...], _Scale] = {}

    def draw(self, plots: Sequence[Plot]) -> list[WebFigure]:
        """Draw plots; their curves are the groups that `CURVE` finds.

        Raises
        ------
        FigureError
            If matplotlib fails.
        """
        with figure_settings(""):
            self._axes = self._axes or _new_axes()
            return [self._draw(self._axes, plot) for plot in plots]

    def _draw(self, axes: "Axes", plot: Plot) -> WebFigure:
        of = plot.axes
        keys = ("x", of.x_label, of.x_range, of.x_ticks), ("y", of.y_label, of.y_range)
        if not self._scales.keys() >= set(keys):
            style_axes(axes, plot)
            axes.grid(visible=True, clip_on=False)  # else each scale would have the clip path of the axes
            for key, axis, spine in zip(keys, (axes.xaxis, axes.yaxis), ("bottom", "left"), strict=True):
                if key not in self._scales:
                    markup = _for_page(_markup(axes, axis.draw) + _markup(axes, axes.spines[spine].draw))
                    low, high = map(float, axis.get_view_interval())
                    self._scales[key] = _Scale(markup, (low, high))
        x, y = (self._scales[key] for key in keys)
        axes.set(xlim=x.limits, ylim=y.limits)
        markup = x.markup + y.markup + _for_page(_markup(axes, partial(_draw_contents, axes, plot)))
        width, height = WIDTH_MM / POINT, HEIGHT_MM / POINT
        return WebFigure(width, height, markup, (LEFT, width - RIGHT, TOP, height - BOTTOM), (*x.limits, *y.limits))


def _new_axes() -> "Axes":
    from matplotlib.figure import Figure

    width, height = WIDTH_MM / POINT, HEIGHT_MM / POINT
    figure = Figure(figsize=(WIDTH_MM / INCH, HEIGHT_MM / INCH), dpi=72)  # one pixel is one point, as in SVG files
    return figure.add_axes(
        (LEFT / width, BOTTOM / height, (width - LEFT - RIGHT) / width, (height - TOP - BOTTOM) / height)
    )


def _markup(axes: "Axes", draw: Callable[[Any], object]) -> str:
    """What a function draws with a renderer."""
    from matplotlib.backends import backend_svg

    file, box = StringIO(), axes.figure.bbox
    new_renderer: Any = backend_svg.RendererSVG  # it has no types
    renderer = new_renderer(box.width, box.height, file, metadata={"Date": None})
    start = file.tell()
    draw(renderer)
    renderer.finalize()
    return file.getvalue()[start:].removesuffix("</svg>\n")


def _draw_contents(axes: "Axes", plot: Plot, renderer: Any) -> None:
    """Areas, points and lines for comparison, then the curves, the upper ones last."""
    draw_references(axes, plot, PALETTES[0], WIDTH_MM)
    _draw_once(axes, renderer)
    styles = line_styles(plot.curves, plot.selected)
    for index in sorted(range(len(styles)), key=[style.order for style in styles].__getitem__):
        draw_curve(axes, plot.curves[index], styles[index])
        renderer.open_group("curve", gid=f"curve-{index}")
        _draw_once(axes, renderer)
        renderer.close_group("curve")


def _draw_once(axes: "Axes", renderer: Any) -> None:
    """Draw what was added to the axes, and remove it."""
    added: Iterable[Any] = (*axes.patches, *axes.collections, *axes.lines, *axes.texts)
    for artist in sorted(added, key=lambda artist: artist.get_zorder()):
        artist.draw(renderer)
        artist.remove()


#: A start tag: texts have no "<", and attributes no ">".
_TAG = re.compile(r"<[a-z][^>]*>")

#: Beginning of ids in markup until they get the name of their figure; texts have no control characters.
_ID = "\x1f"

_IDS = re.compile(r'(?<= id=")|(?<=xlink:href="#)|(?<=url\(#)')
_GROUP_ID = re.compile(' id="[^"]*"')
_COLOUR = re.compile("#[0-9a-f]{6}")
#: Decimals of coordinates, of which a tenth of a point is visible; scales are below 1.
_DECIMALS = re.compile(r"(?<=[1-9]\.\d)\d{2,}|(?<=\d\d\.\d)\d{2,}")

_FONT = re.compile(r" ?font(?:-family)?: [^;\"]*;?")


def _for_page(markup: str) -> str:
    """Markup of matplotlib with variables for colours, the font of the page, short numbers and few ids."""
    text = _TAG.sub(_tag_for_page, re.sub(r"<!--.*?-->", "", markup, flags=re.DOTALL))
    return re.sub(r">\s+<", "><", text)


def _tag_for_page(tag: re.Match[str]) -> str:
    text = tag[0]
    if text.startswith("<g id="):
        return text if CURVE.match(text) else "" if text.endswith("/>") else _GROUP_ID.sub("", text)
    if "\nC" not in text and "\nQ" not in text:  # after a curve, a point without "L" is not the end of a line
        text = text.replace(" \nL ", " ")
    text = _IDS.sub(_ID, _COLOUR.sub(_variable, _DECIMALS.sub("", text)))
    return _FONT.sub("", text) if text.startswith("<text") else text


def _variable(colour: re.Match[str]) -> str:
    return VARIABLES.get(colour[0], colour[0])
