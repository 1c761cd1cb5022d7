"""Commands of plots: copy, values, means, zoom."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from shrec_viewer.app.commands.command import Command, WindowInterface, condition, has_benchmark

if TYPE_CHECKING:
    from shrec_viewer.panels.plots.plot_panel import PlotPanel


def current_plot(window: WindowInterface) -> "PlotPanel | None":
    """The plot that commands act on: the one with the focus, else the first visible one, else the first created."""
    from shrec_viewer.panels.plots.plot_panel import PlotPanel  # imported late: it needs numpy and pyqtgraph

    widget = QApplication.focusWidget()
    while widget is not None:
        if isinstance(widget, PlotPanel):
            return widget
        widget = widget.parentWidget()
    created = window.workspace.panels().values() if window.workspace is not None else ()
    plots = [plot for plot in created if isinstance(plot, PlotPanel) and not plot.is_empty]
    visible = [plot for plot in plots if plot.isVisible() and not plot.visibleRegion().isEmpty()]
    return next(iter((*visible, *plots)), None)


@condition("a plot is shown")
def has_plot(window: WindowInterface) -> bool:
    """Whether there is a plot to act on."""
    return has_benchmark(window) and current_plot(window) is not None


def call_plot(window: WindowInterface, method: str) -> None:
    """Call a method of the current plot panel, without arguments."""
    if (plot := current_plot(window)) is not None:
        getattr(plot, method)()


def _toggle_values(window: WindowInterface) -> None:
    if (plot := current_plot(window)) is not None:
        plot.show_values(not plot.shows_values_table)


def _shows_values(window: WindowInterface) -> bool:
    plot = current_plot(window) if has_benchmark(window) else None
    return plot is not None and plot.shows_values_table


def _reset_zoom(window: WindowInterface) -> None:
    if (plot := current_plot(window)) is not None:
        plot.plot.reset_zoom()


def _toggle_means(window: WindowInterface) -> None:
    window.session.select(means=not window.session.selection.means)


def _shows_means(window: WindowInterface) -> bool:
    return has_benchmark(window) and bool(window.session.selection.means)


PLOT_COMMANDS: tuple[Command, ...] = (
    Command("graph_means", "View", "Means over queries", _toggle_means, ("Ctrl+M",), has_plot, checked=_shows_means,
            starts_group=True,
            description="Average the curves over all queries, or show those of the selected query"),
    Command("graph_values", "View", "Values of the plot", _toggle_values, ("Ctrl+T",), has_plot,
            checked=_shows_values,
            description="Table with the numbers of the curves"),
    Command("graph_whole", "View", "Reset zoom", _reset_zoom, (), has_plot,
            description="Show the complete axes"),
    Command("graph_copy_print", "Edit", "Copy plot for publication (SVG, PDF, PNG)", call_plot, (), has_plot,
            value="copy_figure", starts_group=True,
            description="Copy the figure as vector graphics to the clipboard"),
    Command("graph_copy_picture", "Edit", "Copy screenshot of the plot", call_plot, (), has_plot,
            value="copy_screenshot",
            description="Copy the plot as it is on screen to the clipboard"),
    Command("graph_copy_values", "Edit", "Copy values of the plot", call_plot, (), has_plot, value="copy_values",
            description="Copy the numbers of the curves to the clipboard"),
)  # fmt: skip
"""Part of `COMMANDS`, in the order of the menus."""
