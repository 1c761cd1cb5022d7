"""Matrices of values as colours: heat map and confusion map."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from shrec_viewer.charts.matrix import Matrix
from shrec_viewer.domain.errors import ShrecViewerError
from shrec_viewer.number_format import format_fixed
from shrec_viewer.report.figures.drawing.style import (
    LINE_MM,
    MAX_HEIGHT_MM,
    POINT,
    SMALL_FONT_SIZE,
    Drawing,
    elide,
    text_width,
)
from shrec_viewer.report.figures.palettes import INK, MUTED, PAPER, RULE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Height of a cell in millimetres.
MAX_CELL_MM, MIN_CELL_MM = 7.0, 0.25

#: Height of the colour bar with its label in millimetres.
COLOUR_BAR_MM = 9.0

#: Width of a name in millimetres, at most.
MAX_NAME_MM = 24.0

#: Cells drawn as rectangles; more are an image, which is smaller than 100 bytes for each rectangle.
MAX_VECTOR_CELLS = 20_000

#: Cells without a value that are hatched; more are filled with grey.
MAX_HATCHED_CELLS = 5_000

#: Decimals of the numbers in cells, at most: they are small.
MAX_DECIMALS = 2

#: Width of a dendrogram in millimetres.
TREE_MM = 12.0

#: Characters of the name of a group, at least, for it to be shown.
GROUP_CHARACTERS = 6


def draw_matrix(content: Matrix, drawing: Drawing) -> "Figure":
    """A matrix with names, colour bar, and numbers where the cells have space for them.

    Raises
    ------
    ShrecViewerError
        If it requires an image, which the format cannot contain.
    """
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    rows, columns = content.values.shape
    if content.values.size > MAX_VECTOR_CELLS and not drawing.may_have_images:
        cells = f"{content.values.size:,} cells, of which a PGF file can contain {MAX_VECTOR_CELLS:,}"
        raise ShrecViewerError(f"the figure has {cells}; choose fewer runs or queries, or PDF")
    names = [elide(name, MAX_NAME_MM, SMALL_FONT_SIZE) for name in content.columns]
    row_names = [elide(name, MAX_NAME_MM, SMALL_FONT_SIZE) for name in content.rows]
    left = max((text_width(name, SMALL_FONT_SIZE) for name in row_names), default=0.0) + 8.0
    totals = _totals(content)
    right = max((text_width(text, SMALL_FONT_SIZE) for text in (*totals, content.total_label)), default=0.0)
    right = TREE_MM if content.tree is not None else right
    cell_width = max((drawing.width - left - right - 4.0) / max(columns, 1), 0.01)
    below = max((text_width(name, SMALL_FONT_SIZE) for name in names), default=0.0) + 6.0
    margins = below + COLOUR_BAR_MM + (LINE_MM if content.groups else 0.0) + LINE_MM
    # Cells are square where there is space, and never higher than wide, but rows keep the height of their names.
    cell_height = min(max(min(cell_width, MAX_CELL_MM), LINE_MM), (MAX_HEIGHT_MM - margins) / max(rows, 1))
    cell_height = max(cell_height, MIN_CELL_MM)
    figure = drawing.figure(rows * cell_height + margins)
    axes = figure.add_subplot()
    table = drawing.palette.table(content.scale, inverted=content.inverted)
    colours = LinearSegmentedColormap.from_list("table", list(table), N=256)
    norm = Normalize(content.low, content.high if content.high > content.low else content.low + 1.0)
    mesh = _draw_cells(axes, content, colours, norm)
    _hatch(axes, content)
    _write_numbers(axes, content, colours, norm, cell_width, cell_height)
    _name_cells(axes, content, row_names, names, cell_width, cell_height)
    if any(totals):
        _write_totals(axes, content, totals)
    for x, y in np.moveaxis(content.tree, 2, 1) if content.tree is not None else ():
        axes.plot(columns + (0.1 + x * 0.9) * TREE_MM / cell_width, y, color=INK, linewidth=0.6, clip_on=False)
    _separate_groups(axes, content, cell_width)
    bar = figure.colorbar(
        mesh, ax=axes, orientation="horizontal", aspect=40, shrink=0.6, fraction=0.08, pad=0.02,
        label=content.value_label,
    )  # fmt: skip
    bar.outline.set_linewidth(0.4)
    assert bar.solids is not None
    bar.solids.set_rasterized(False)  # matplotlib makes bars of more than 50 colours an image, which PGF cannot contain
    bar.solids.set_edgecolor("face")  # viewers draw white lines between adjacent rectangles without outline
    return figure


def _draw_cells(axes: "Axes", content: Matrix, colours: Any, norm: Any) -> Any:
    values = np.ma.masked_invalid(content.values)
    rows, columns = content.values.shape
    axes.set_facecolor(PAPER)
    axes.set_xlim(0, columns)
    axes.set_ylim(rows, 0)
    axes.set_aspect("auto")
    if content.values.size > MAX_VECTOR_CELLS:
        return axes.imshow(
            values, cmap=colours, norm=norm, extent=(0, columns, rows, 0), aspect="auto", interpolation="nearest",
            gid="cells",
        )  # fmt: skip
    return axes.pcolormesh(values, cmap=colours, norm=norm, edgecolors="face", linewidth=0.1, gid="cells")


def _hatch(axes: "Axes", content: Matrix) -> None:
    """Hatch the cells without a value, those without data differently."""
    from matplotlib.collections import PolyCollection

    undefined = np.isnan(content.values)
    if undefined.sum() > MAX_HATCHED_CELLS:
        axes.set_facecolor(RULE)
        return
    absent = np.zeros_like(undefined) if content.absent is None else content.absent & undefined
    for cells, hatch, gid in ((absent, "xxxxx", "absent"), (undefined & ~absent, "/////", "undefined")):
        if cells.any():
            corners = [
                [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)]
                for row, column in np.argwhere(cells).tolist()
            ]
            axes.add_collection(
                PolyCollection(corners, facecolors="none", edgecolors=MUTED, linewidths=0.0, hatch=hatch, gid=gid)
            )


def _write_numbers(
    axes: "Axes", content: Matrix, colours: Any, norm: Any, cell_width: float, cell_height: float
) -> None:
    """Numbers in the cells, black or white, if all fit."""
    if content.values.size > MAX_VECTOR_CELLS:
        return
    texts = [[_number(value, content) for value in row] for row in content.values.tolist()]
    longest = max((text_width(text, SMALL_FONT_SIZE - 1) for row in texts for text in row[:64]), default=0.0)
    if longest + 0.6 > cell_width or cell_height < LINE_MM * 0.8:
        return
    is_dark = colours(norm(content.values))[..., :3] @ (0.299, 0.587, 0.114) < 0.55
    for row, line in enumerate(texts):
        for column, text in enumerate(line):
            if text:
                ink = PAPER if is_dark[row, column] else INK
                axes.text(
                    column + 0.5, row + 0.52, text, ha="center", va="center", fontsize=SMALL_FONT_SIZE - 1, color=ink
                )  # fmt: skip


def _number(value: float, content: Matrix) -> str:
    """Text of a cell; "" for NaN, and for 0 in a confusion map, most of whose cells are 0."""
    if math.isnan(value) or (not value and content.scale == "shares"):
        return ""
    text = format_fixed(value, min(content.decimals, MAX_DECIMALS), signed=content.diverging)
    return text.replace("0.", ".", 1) if abs(value) < 1 and content.decimals else text


def _name_cells(
    axes: "Axes",
    content: Matrix,
    rows: list[str],
    columns: list[str],
    cell_width: float,
    cell_height: float,
) -> None:
    """Names of rows and columns, as many as fit."""
    line = SMALL_FONT_SIZE * POINT
    row_step, column_step = (max(1, math.ceil(line / size)) for size in (cell_height, cell_width))
    axes.set_yticks(np.arange(len(rows))[::row_step] + 0.5, rows[::row_step], fontsize=SMALL_FONT_SIZE)
    is_short = all(text_width(name, SMALL_FONT_SIZE) < cell_width - 0.5 for name in columns)
    axes.set_xticks(
        np.arange(len(columns))[::column_step] + 0.5, columns[::column_step], fontsize=SMALL_FONT_SIZE,
        rotation=0 if is_short else 90,
    )  # fmt: skip
    axes.tick_params(length=0, pad=1.5)
    axes.set_xlabel(content.column_label)
    axes.set_ylabel(content.row_label)
    axes.spines[:].set_visible(False)


def _totals(content: Matrix) -> list[str]:
    if content.totals is None:
        return []
    return [format_fixed(value, 3, signed=content.diverging) for value in content.totals.tolist()]


def _write_totals(axes: "Axes", content: Matrix, totals: list[str]) -> None:
    right = axes.secondary_yaxis("right")
    right.set_yticks(np.arange(len(totals)) + 0.5, totals, fontsize=SMALL_FONT_SIZE)
    right.tick_params(length=0, pad=1.5)
    right.set_ylabel(content.total_label)
    right.spines["right"].set_visible(False)


def _separate_groups(axes: "Axes", content: Matrix, cell_width: float) -> None:
    """Lines between groups of columns, and their names above where they fit."""
    for group, first, last in content.stretches():
        end = last + 1
        if first:
            axes.axvline(first, color=PAPER, linewidth=1.0, zorder=3)
        name = elide(group, (end - first) * cell_width - 0.5, SMALL_FONT_SIZE)
        if len(name) >= min(GROUP_CHARACTERS, len(group)):
            axes.annotate(
                name, ((first + end) / 2, 0.0), xytext=(0, 2), textcoords="offset points", ha="center", va="bottom",
                fontsize=SMALL_FONT_SIZE, color=MUTED, annotation_clip=False,
            )  # fmt: skip
