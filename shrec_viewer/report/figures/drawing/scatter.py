"""Points of models, with lines to the nearest ones of marked models."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.scatter import REST, Cloud, Scatter
from shrec_viewer.render.scene.palette import SERIES
from shrec_viewer.report.figures.drawing.style import LINE_MM, SMALL_FONT_SIZE, Drawing, elide
from shrec_viewer.report.figures.palettes import FAINT, INK, MUTED, PAPER, RULE, FigurePalette

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Points that are drawn as vectors; more are an image in files of vectors (2 MB as circles of PDF).
MAX_VECTOR_POINTS = 20_000

#: Points of no group.
REST_COLOUR = "#B4B8BF"

#: Share of the extent that is left at each border.
MARGIN = 0.05


def draw_scatter(content: Scatter, drawing: Drawing) -> "Figure":
    """The clouds side by side, with a legend below."""
    from matplotlib.lines import Line2D

    legend_lines = -(-len(content.groups) // 3) if content.values is None else 4  # a scale with numbers and label
    figure = drawing.figure(drawing.width / len(content.clouds) + LINE_MM * (3 + legend_lines))
    all_axes = figure.subplots(1, len(content.clouds), squeeze=False)[0]
    shown: Any = None
    for axes, cloud in zip(all_axes, content.clouds, strict=True):
        shown = _draw_cloud(axes, content, cloud, drawing)
    if content.values is not None:
        figure.colorbar(
            shown, ax=all_axes.tolist(), location="bottom", label=content.value_label, fraction=0.05, aspect=40
        ).outline.set_visible(False)
        return figure
    handles = [
        Line2D([], [], linestyle="", marker="o", markersize=3.5, markeredgewidth=0,
               color=point_colour(group.token, drawing.palette), label=group.label)
        for group in content.groups
    ]  # fmt: skip
    figure.legend(handles=handles, loc="outside lower center", ncols=3, handletextpad=0.2, columnspacing=1.2)
    return figure


def point_colour(token: str, palette: FigurePalette) -> str:
    """Colour of a group of points on paper."""
    kind, _, number = token.partition(" ")
    if kind == REST:
        return palette.colour(REST_COLOUR)
    if kind == "level":
        return palette.colour(palette.relevance(int(number), is_binary=False).frame)
    return palette.colour(SERIES["light"][int(number)])


def _draw_cloud(axes: "Axes", content: Scatter, cloud: Cloud, drawing: Drawing) -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    palette = drawing.palette
    above = content.colours if content.values is None else np.nan_to_num(content.values, nan=-1.0)
    order = np.argsort(above[cloud.models], kind="stable")
    points, models = cloud.points[order], cloud.models[order]
    size = float(np.clip(6000 / max(len(points), 1), 1.0, 8.0))
    is_image = len(points) > MAX_VECTOR_POINTS and drawing.may_have_images
    colours: dict[str, Any]
    if content.values is None:
        names = np.array([point_colour(group.token, palette) for group in content.groups])
        colours = {"c": names[content.colours[models]].tolist()}
    else:
        table = LinearSegmentedColormap.from_list("values", list(palette.values))
        table.set_bad(palette.colour(REST_COLOUR))
        scale = {"vmin": 0.0, "vmax": content.high, "plotnonfinite": True}
        colours = {"c": content.values[models], "cmap": table, **scale}
    shown = axes.scatter(
        points[:, 0], points[:, 1], s=size, linewidths=0, rasterized=is_image, gid="points", zorder=3, **colours
    )
    _draw_marked(axes, content, cloud)
    low, high = cloud.points.min(axis=0), cloud.points.max(axis=0)
    middle, half = (low + high) / 2, max(float((high - low).max()) * (0.5 + MARGIN), 1e-9)
    axes.set_xlim(middle[0] - half, middle[0] + half)
    axes.set_ylim(middle[1] - half, middle[1] + half)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_color(RULE)
    width = drawing.width / len(content.clouds) - 2.0
    axes.set_title(elide(cloud.name, width), fontsize=7.0)
    axes.set_xlabel(elide(cloud.note, width, SMALL_FONT_SIZE), fontsize=SMALL_FONT_SIZE, color=MUTED)
    return shown


def _draw_marked(axes: "Axes", content: Scatter, cloud: Cloud) -> None:
    """Rings and names of marked models, and lines to their nearest ones."""
    for model in content.marked:
        row = int(np.searchsorted(cloud.models, model))
        if row == len(cloud.models) or cloud.models[row] != model:
            continue
        x, y = cloud.points[row]
        for end in neighbour_points(cloud, row):
            axes.plot([x, end[0]], [y, end[1]], color=FAINT, linewidth=0.5, zorder=4)
        axes.plot([x], [y], "o", markersize=5, markerfacecolor="none", markeredgecolor=INK, zorder=5)
        axes.annotate(
            content.names[model], (x, y), xytext=(0, 4), textcoords="offset points", ha="center", va="bottom",
            fontsize=SMALL_FONT_SIZE, zorder=6, bbox={"facecolor": PAPER, "alpha": 0.75, "linewidth": 0, "pad": 0.4},
        )  # fmt: skip


def neighbour_points(cloud: Cloud, row: int) -> NDArray[np.float64]:
    """(k, 2) points of the nearest models of one."""
    return cloud.points[np.searchsorted(cloud.models, cloud.neighbours[row])]
