"""Convert a displayed plot to a report graph and write it as SVG, PDF or PNG."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QImage

from shrec_viewer.report.figure import (
    COLUMN_MM,
    FIGURE_FORMATS,
    PAGE_MM,
    FigureArea,
    FigureFormat,
    FigureLine,
    FigurePoint,
    FigureSpec,
    render_formats,
)
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.widgets.plots.curves import OverlapStyle, PlotCurve, overlap_styles
from shrec_viewer.widgets.plots.references import References
from shrec_viewer.widgets.style.theme import LIGHT

SELECTED_WIDTH, OTHER_WIDTH, REFERENCE_WIDTH = 1.6, 0.8, 0.5
"""Points of the lines of the run in hand, of the others, and of what is no run."""

OVERLAP_EXTRA_WIDTH, OVERLAP_GAP_WIDTH = 0.6, 1.2
"""Points by which a line upon an equal one is wider than others, and by which the ground's colour is wider than the
line of the run in hand where another one is drawn into it."""

MIME_TYPES: dict[FigureFormat, str] = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}

FILE_FILTERS: dict[str, tuple[FigureFormat, float]] = {
    f"{form.upper()}, {width:.0f} mm: {what} (*.{form})": (form, width)
    for form in ("pdf", "svg", "png")
    for width, what in ((COLUMN_MM, "one column"), (PAGE_MM, "whole width"))
}
"""What can be saved, as the file dialog lists it."""

CSV_FILTER = "CSV: the values with all digits (*.csv)"
"""The same for what the graph is drawn from."""


def report_lines(curves: Sequence[PlotCurve], in_hand: str | None) -> tuple[FigureLine, ...]:
    """Curves, drawn in light colours already, as lines to print."""
    lying = overlap_styles(curves, in_hand)
    return tuple(
        FigureLine(
            curve.label,
            curve.x,
            curve.y,
            curve.colour,
            "none" if curve.dotted and curve.key != in_hand else curve.dash,
            curve.marker,
            SELECTED_WIDTH if curve.key == in_hand else OTHER_WIDTH,
            curve.dotted,
            curve.spread if curve.key == in_hand else None,
            **_overlap_style(curve, lying, in_hand),
        )
        for curve in curves
    )


def _overlap_style(curve: PlotCurve, lying: Mapping[str, OverlapStyle], in_hand: str | None) -> dict[str, Any]:
    """What a line has that lies upon an equal one."""
    over = lying.get(curve.key)
    if over is None:
        return {}
    dash = over.dash if over.dash != curve.dash else ""
    groove, wider = (
        (SELECTED_WIDTH + OVERLAP_GAP_WIDTH, 0.0)
        if over.thin
        else (0.0, 0.0 if curve.key == in_hand else OVERLAP_EXTRA_WIDTH)
    )
    return {"level": over.level, "upon": dash, "groove": groove, "wider": wider}


def report_graph(
    title: str,
    axes: tuple[str, str, str],
    ranges: tuple[tuple[float, float], tuple[float, float]],
    lines: tuple[FigureLine, ...],
    references: References,
) -> FigureSpec:
    """All of a graph to print.

    Parameters
    ----------
    axes : name of x, name of y, and how the ticks of x are written.
    ranges : of x and of y.
    """
    behind = tuple(
        FigureLine(
            "", line.x, line.y, getattr(LIGHT, line.token), line.dash, width=REFERENCE_WIDTH, mark=line.mark, at=line.at
        )
        for line in references.lines
    )
    areas = tuple(FigureArea(area.x, area.y, getattr(LIGHT, area.token)) for area in references.areas)
    points = tuple(FigurePoint(point.label, point.x, point.y, LIGHT.ink) for point in references.points)
    return FigureSpec(title, axes[0], axes[1], *ranges, lines, behind, areas, points, axes[2])


def export_format(path: Path, chosen: str) -> tuple[Path, FigureFormat, float]:
    """Path with a suffix, form and width that a file dialog's answer means; the suffix a person typed counts most."""
    form, width = FILE_FILTERS.get(chosen, next(iter(FILE_FILTERS.values())))
    typed = path.suffix.lower().removeprefix(".")
    for known in FIGURE_FORMATS:
        if typed == known:
            form = known
    return (path if typed == form else path.with_name(f"{path.name}.{form}")), form, width


def render_file(graph: FigureSpec, form: FigureFormat, width: float, task: Task) -> bytes:
    """Render one format of a figure; runs as a background task."""
    return render_formats(graph, (form,), task.cancelled, width=width)[form]


def render_files(graph: FigureSpec, task: Task) -> dict[FigureFormat, bytes]:
    """Render all formats of a figure; runs as a background task."""
    return render_formats(graph, FIGURE_FORMATS, task.cancelled)


def clipboard_data(files: dict[FigureFormat, bytes]) -> QMimeData:
    """The graph as vectors and as a picture: each program takes what it can use."""
    data = QMimeData()
    for form, content in files.items():
        data.setData(MIME_TYPES[form], content)
    data.setImageData(QImage.fromData(files["png"]))
    return data
