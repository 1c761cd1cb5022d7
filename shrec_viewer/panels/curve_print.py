"""From what a graph shows to what is printed: the light colours, the same curves, references and ranges."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QImage

from shrec_viewer.report.graph import Area, Graph, Line, Point
from shrec_viewer.report.plots import COLUMN, FORMS, PAGE, Form
from shrec_viewer.report.printer import Printer
from shrec_viewer.viewmodels.tasks import Task
from shrec_viewer.widgets.plot_curve import PlotCurve
from shrec_viewer.widgets.plot_reference import References
from shrec_viewer.widgets.plot_stack import Upon, upon
from shrec_viewer.widgets.theme import LIGHT

IN_HAND, OTHERS, REFERENCE = 1.6, 0.8, 0.5
"""Points of the lines of the run in hand, of the others, and of what is no run."""

WIDER, GROOVE = 0.6, 1.2
"""Points by which a line upon an equal one is wider than others, and by which the ground's colour is wider than the
line of the run in hand where another one is drawn into it."""

MIMES: dict[Form, str] = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}

FILTERS: dict[str, tuple[Form, float]] = {
    f"{form.upper()}, {width:.0f} mm: {what} (*.{form})": (form, width)
    for form in ("pdf", "svg", "png")
    for width, what in ((COLUMN, "one column"), (PAGE, "whole width"))
}
"""What can be saved, as the file dialog lists it."""

VALUES = "CSV: the values with all digits (*.csv)"
"""The same for what the graph is drawn from."""


def printed_curves(curves: Sequence[PlotCurve], in_hand: str | None) -> tuple[Line, ...]:
    """Curves, drawn in light colours already, as lines to print."""
    lying = upon(curves, in_hand)
    return tuple(
        Line(
            curve.label,
            curve.x,
            curve.y,
            curve.colour,
            "none" if curve.dotted and curve.key != in_hand else curve.dash,
            curve.marker,
            IN_HAND if curve.key == in_hand else OTHERS,
            curve.dotted,
            curve.spread if curve.key == in_hand else None,
            **_upon(curve, lying, in_hand),
        )
        for curve in curves
    )


def _upon(curve: PlotCurve, lying: Mapping[str, Upon], in_hand: str | None) -> dict[str, Any]:
    """What a line has that lies upon an equal one."""
    over = lying.get(curve.key)
    if over is None:
        return {}
    dash = over.dash if over.dash != curve.dash else ""
    groove, wider = (IN_HAND + GROOVE, 0.0) if over.thin else (0.0, 0.0 if curve.key == in_hand else WIDER)
    return {"level": over.level, "upon": dash, "groove": groove, "wider": wider}


def printed(
    title: str,
    axes: tuple[str, str, str],
    ranges: tuple[tuple[float, float], tuple[float, float]],
    lines: tuple[Line, ...],
    references: References,
) -> Graph:
    """All of a graph to print.

    Parameters
    ----------
    axes : name of x, name of y, and how the ticks of x are written.
    ranges : of x and of y.
    """
    behind = tuple(
        Line("", line.x, line.y, getattr(LIGHT, line.token), line.dash, width=REFERENCE, mark=line.mark, at=line.at)
        for line in references.lines
    )
    areas = tuple(Area(area.x, area.y, getattr(LIGHT, area.token)) for area in references.areas)
    points = tuple(Point(point.label, point.x, point.y, LIGHT.ink) for point in references.points)
    return Graph(title, axes[0], axes[1], *ranges, lines, behind, areas, points, axes[2])


def form_of(path: Path, chosen: str) -> tuple[Path, Form, float]:
    """Path with a suffix, form and width that a file dialog's answer means; the suffix a person typed counts most."""
    form, width = FILTERS.get(chosen, next(iter(FILTERS.values())))
    typed = path.suffix.lower().removeprefix(".")
    for known in FORMS:
        if typed == known:
            form = known
    return (path if typed == form else path.with_name(f"{path.name}.{form}")), form, width


def file_of(printer: Printer, graph: Graph, form: Form, width: float, task: Task) -> bytes:
    """The bytes of a file; a task."""
    return printer.files(graph, (form,), task.cancelled, width=width)[form]


def files_of(printer: Printer, graph: Graph, task: Task) -> dict[Form, bytes]:
    """The graph in every form; a task."""
    return printer.files(graph, FORMS, task.cancelled)


def clipboard_data(files: dict[Form, bytes]) -> QMimeData:
    """The graph as vectors and as a picture: each program takes what it can use."""
    data = QMimeData()
    for form, content in files.items():
        data.setData(MIMES[form], content)
    data.setImageData(QImage.fromData(files["png"]))
    return data
