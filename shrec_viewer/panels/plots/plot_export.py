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
from shrec_viewer.widgets.plots.overlays import References
from shrec_viewer.widgets.style.theme import LIGHT

SELECTED_WIDTH, OTHER_WIDTH, REFERENCE_WIDTH = 1.6, 0.8, 0.5
"""Line widths in points: selected run, other runs, reference lines."""

OVERLAP_EXTRA_WIDTH, OVERLAP_GAP_WIDTH = 0.6, 1.2
"""Points added to a line that covers an equal one, and to the background-coloured gap below the selected run where
another line runs inside it."""

MIME_TYPES: dict[FigureFormat, str] = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}

FILE_FILTERS: dict[str, tuple[FigureFormat, float]] = {
    f"{form.upper()}, {width:.0f} mm: {what} (*.{form})": (form, width)
    for form in ("pdf", "svg", "png")
    for width, what in ((COLUMN_MM, "one column"), (PAGE_MM, "page width"))
}
"""Name filters of the file dialog with format and width in millimetres."""

CSV_FILTER = "CSV: values in full precision (*.csv)"
"""Name filter for the table of values."""


def report_lines(curves: Sequence[PlotCurve], selected: str | None) -> tuple[FigureLine, ...]:
    """Curves in light colours as lines of a figure; `selected` is the key of the selected run."""
    overlaps = overlap_styles(curves, selected)
    return tuple(
        FigureLine(
            curve.label,
            curve.x,
            curve.y,
            curve.colour,
            "none" if curve.dotted and curve.key != selected else curve.dash,
            curve.marker,
            SELECTED_WIDTH if curve.key == selected else OTHER_WIDTH,
            curve.dotted,
            curve.spread if curve.key == selected else None,
            **_overlap_style(curve, overlaps, selected),
        )
        for curve in curves
    )


def _overlap_style(curve: PlotCurve, overlaps: Mapping[str, OverlapStyle], selected: str | None) -> dict[str, Any]:
    """Fields of `FigureLine` for a line that covers an equal one; empty for others."""
    overlap = overlaps.get(curve.key)
    if overlap is None:
        return {}
    dash = overlap.dash if overlap.dash != curve.dash else ""
    groove, wider = (
        (SELECTED_WIDTH + OVERLAP_GAP_WIDTH, 0.0)
        if overlap.thin
        else (0.0, 0.0 if curve.key == selected else OVERLAP_EXTRA_WIDTH)
    )
    return {"level": overlap.level, "upon": dash, "groove": groove, "wider": wider}


def report_graph(
    title: str,
    axes: tuple[str, str, str],
    ranges: tuple[tuple[float, float], tuple[float, float]],
    lines: tuple[FigureLine, ...],
    references: References,
) -> FigureSpec:
    """A plot as the content of a publication figure.

    Parameters
    ----------
    axes : x label, y label and tick format of x.
    ranges : ranges of x and of y.
    """
    reference_lines = tuple(
        FigureLine(
            "", line.x, line.y, getattr(LIGHT, line.token), line.dash, width=REFERENCE_WIDTH, mark=line.mark, at=line.at
        )
        for line in references.lines
    )
    areas = tuple(FigureArea(area.x, area.y, getattr(LIGHT, area.token)) for area in references.areas)
    points = tuple(FigurePoint(point.label, point.x, point.y, LIGHT.ink) for point in references.points)
    return FigureSpec(title, axes[0], axes[1], *ranges, lines, reference_lines, areas, points, axes[2])


def export_format(path: Path, name_filter: str) -> tuple[Path, FigureFormat, float]:
    """Path with suffix, format and width for the result of a file dialog; a typed suffix overrides the filter."""
    form, width = FILE_FILTERS.get(name_filter, next(iter(FILE_FILTERS.values())))
    suffix = path.suffix.lower().removeprefix(".")
    for known in FIGURE_FORMATS:
        if suffix == known:
            form = known
    return (path if suffix == form else path.with_name(f"{path.name}.{form}")), form, width


def render_file(graph: FigureSpec, form: FigureFormat, width: float, task: Task) -> bytes:
    """Render one format of a figure; runs as a background task."""
    return render_formats(graph, (form,), task.cancelled, width=width)[form]


def render_files(graph: FigureSpec, task: Task) -> dict[FigureFormat, bytes]:
    """Render all formats of a figure; runs as a background task."""
    return render_formats(graph, FIGURE_FORMATS, task.cancelled)


def clipboard_data(files: dict[FigureFormat, bytes]) -> QMimeData:
    """The figure in vector formats and as an image; the pasting program chooses."""
    data = QMimeData()
    for form, content in files.items():
        data.setData(MIME_TYPES[form], content)
    data.setImageData(QImage.fromData(files["png"]))
    return data
