"""Commands of plots: copy, values, means, zoom."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from shrec_viewer.app.commands.command import Command, WindowInterface, has_benchmark

if TYPE_CHECKING:
    from shrec_viewer.panels.plots.plot_panel import PlotPanel

PLOT_PANELS = ("precision_recall", "gain", "generality")
"""Keys of the rows of `PANELS` that are graphs, in the order in which one is taken where none has the focus."""


def current_plot(frame: WindowInterface) -> "PlotPanel | None":
    """The graph that is meant: the one with the focus, else the first in sight, else the first there is."""
    from shrec_viewer.panels.plots.plot_panel import PlotPanel  # the window shows itself before it knows any panel

    widget = QApplication.focusWidget()
    while widget is not None:
        if isinstance(widget, PlotPanel):
            return widget
        widget = widget.parentWidget()
    made = [frame.workspace.made(key) for key in PLOT_PANELS] if frame.workspace is not None else []
    graphs = [graph for graph in made if isinstance(graph, PlotPanel) and not graph.is_empty]
    in_sight = [graph for graph in graphs if graph.isVisible() and not graph.visibleRegion().isEmpty()]
    return next(iter((*in_sight, *graphs)), None)


def has_plot(frame: WindowInterface) -> bool:
    """There is a graph."""
    return has_benchmark(frame) and current_plot(frame) is not None


def _copy_for_print(frame: WindowInterface) -> None:
    if (graph := current_plot(frame)) is not None:
        graph.copy_for_print()


def _copy_image(frame: WindowInterface) -> None:
    if (graph := current_plot(frame)) is not None:
        graph.copy_picture()


def _copy_values(frame: WindowInterface) -> None:
    if (graph := current_plot(frame)) is not None:
        graph.copy_values()


def _show_values(frame: WindowInterface) -> None:
    if (graph := current_plot(frame)) is not None:
        graph.show_values(not graph.shows_values_table)


def _shows_values(frame: WindowInterface) -> bool:
    graph = current_plot(frame) if has_benchmark(frame) else None
    return graph is not None and graph.shows_values_table


def _reset_zoom(frame: WindowInterface) -> None:
    if (graph := current_plot(frame)) is not None:
        graph.plot.reset_zoom()


def _toggle_means(frame: WindowInterface) -> None:
    frame.session.select(means=not frame.session.selection.means)


def _shows_means(frame: WindowInterface) -> bool:
    return has_benchmark(frame) and bool(frame.session.selection.means)


PLOT_ROWS: tuple[Command, ...] = (
    Command("graph_means", "View", "Means over queries", _toggle_means, ("Ctrl+M",), has_plot, checked=_shows_means,
            starts_group=True),
    Command("graph_values", "View", "Values of the graph", _show_values, ("Ctrl+T",), has_plot,
            checked=_shows_values),
    Command("graph_whole", "View", "Show the whole graph", _reset_zoom, (), has_plot),
    Command("graph_copy_print", "Edit", "Copy graph for a paper (SVG, PDF, PNG)", _copy_for_print, (), has_plot,
            starts_group=True),
    Command("graph_copy_picture", "Edit", "Copy graph as seen", _copy_image, (), has_plot),
    Command("graph_copy_values", "Edit", "Copy values of the graph", _copy_values, (), has_plot),
)  # fmt: skip
"""The rows, in the order of the menus."""
