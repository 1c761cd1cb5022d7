"""Graphs: their values, and copying them."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from shrec_viewer.app.commands.command import Command
from shrec_viewer.app.frame import Frame, has_benchmark

if TYPE_CHECKING:
    from shrec_viewer.panels.curve_graph import GraphPanel

GRAPHS = ("precision_recall", "gain", "generality")
"""Keys of the rows of `PANELS` that are graphs, in the order in which one is taken where none has the focus."""


def graph_of(frame: Frame) -> "GraphPanel | None":
    """The graph that is meant: the one with the focus, else the first in sight, else the first there is."""
    from shrec_viewer.panels.curve_graph import GraphPanel  # the window shows itself before it knows any panel

    widget = QApplication.focusWidget()
    while widget is not None:
        if isinstance(widget, GraphPanel):
            return widget
        widget = widget.parentWidget()
    made = [frame.workspace.made(key) for key in GRAPHS] if frame.workspace is not None else []
    graphs = [graph for graph in made if isinstance(graph, GraphPanel) and not graph.is_empty]
    in_sight = [graph for graph in graphs if graph.isVisible() and not graph.visibleRegion().isEmpty()]
    return next(iter((*in_sight, *graphs)), None)


def has_graph(frame: Frame) -> bool:
    """There is a graph."""
    return has_benchmark(frame) and graph_of(frame) is not None


def _copy_for_print(frame: Frame) -> None:
    if (graph := graph_of(frame)) is not None:
        graph.copy_for_print()


def _copy_picture(frame: Frame) -> None:
    if (graph := graph_of(frame)) is not None:
        graph.copy_picture()


def _copy_values(frame: Frame) -> None:
    if (graph := graph_of(frame)) is not None:
        graph.copy_values()


def _show_values(frame: Frame) -> None:
    if (graph := graph_of(frame)) is not None:
        graph.show_values(not graph.shows_values)


def _shows_values(frame: Frame) -> bool:
    graph = graph_of(frame) if has_benchmark(frame) else None
    return graph is not None and graph.shows_values


def _show_all(frame: Frame) -> None:
    if (graph := graph_of(frame)) is not None:
        graph.plot.reset_zoom()


def _means(frame: Frame) -> None:
    frame.session.select(means=not frame.session.selection.means)


def _shows_means(frame: Frame) -> bool:
    return has_benchmark(frame) and bool(frame.session.selection.means)


ROWS: tuple[Command, ...] = (
    Command("graph_means", "View", "Means over queries", _means, ("Ctrl+M",), has_graph, checked=_shows_means,
            starts_group=True),
    Command("graph_values", "View", "Values of the graph", _show_values, ("Ctrl+T",), has_graph,
            checked=_shows_values),
    Command("graph_whole", "View", "Show the whole graph", _show_all, (), has_graph),
    Command("graph_copy_print", "Edit", "Copy graph for a paper (SVG, PDF, PNG)", _copy_for_print, (), has_graph,
            starts_group=True),
    Command("graph_copy_picture", "Edit", "Copy graph as seen", _copy_picture, (), has_graph),
    Command("graph_copy_values", "Edit", "Copy values of the graph", _copy_values, (), has_graph),
)  # fmt: skip
"""The rows, in the order of the menus."""
