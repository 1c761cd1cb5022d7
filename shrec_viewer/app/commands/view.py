"""View menu: perspectives, panels, theme, full screen, and commands of plots and thumbnails."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QApplication

from shrec_viewer.app.commands.command import (
    Command,
    WindowInterface,
    condition,
    has_benchmark,
    has_scores,
    has_thumbnails,
)
from shrec_viewer.widgets.controls.controls import area_on_screen
from shrec_viewer.widgets.style.theme import current_theme

PERSPECTIVE_MENU = "View/Perspective"
SIZE_MENU = "View/Thumbnail size"

NOT_A_DOCK = "The central panel cannot be floated or closed. Select another panel first (F6)."


@condition("a message is shown")
def has_message(window: WindowInterface) -> bool:
    """Whether a message is shown."""
    return bool(window.message_area.message_count())


def _show_perspective(window: WindowInterface, key: str) -> None:
    window.workspace.show_perspective(key)
    window.workspace.focus_centre()


def _is_perspective(window: WindowInterface, key: str) -> bool:
    return window.workspace is not None and window.workspace.perspective == key


def _float_panel(window: WindowInterface) -> None:
    if not window.workspace.float_panel():
        window.show_message("info", NOT_A_DOCK)


def _close_panel(window: WindowInterface) -> None:
    if not window.workspace.close_panel():
        window.show_message("info", NOT_A_DOCK)


def _toggle_collapsed(window: WindowInterface) -> None:
    perspective = window.workspace.perspective_window
    perspective.set_collapsed(not perspective.is_collapsed)


def _is_collapsed(window: WindowInterface) -> bool:
    return window.workspace is not None and window.workspace.perspective_window.is_collapsed


def _set_card_size(window: WindowInterface, size: str) -> None:
    window.set_card_size(size)


def _is_card_size(window: WindowInterface, size: str) -> bool:
    return window.settings.card_size == size


def _set_theme(window: WindowInterface, choice: str) -> None:
    window.set_theme_choice(choice)


def _is_theme(window: WindowInterface, choice: str) -> bool:
    return window.settings.theme == choice


def _toggle_full_screen(window: WindowInterface) -> None:
    if window.isFullScreen():
        window.showNormal()
    else:
        window.showFullScreen()


def _reset_layout(window: WindowInterface) -> None:
    window.workspace.reset_layout()
    window.workspace.focus_centre()


#: Part of `COMMANDS`, in the order of the menu; perspectives as in `PERSPECTIVES`.
VIEW_COMMANDS: tuple[Command, ...] = (
    Command("perspective_query", PERSPECTIVE_MENU, "&Query", _show_perspective, ("Ctrl+1",), has_benchmark,
            checked=_is_perspective, value="query",
            description="Layout for one query: ranked list, curves and models"),
    Command("perspective_compare", PERSPECTIVE_MENU, "&Compare", _show_perspective, ("Ctrl+2",), has_benchmark,
            checked=_is_perspective, value="compare",
            description="Layout for two runs: side by side, differences per query"),
    Command("perspective_campaign", PERSPECTIVE_MENU, "C&ampaign", _show_perspective, ("Ctrl+3",), has_benchmark,
            checked=_is_perspective, value="campaign",
            description="Layout for all runs and queries: mean curves, heat map, confusion"),
    Command("perspective_diagnose", PERSPECTIVE_MENU, "&Diagnose", _show_perspective, ("Ctrl+4",), has_benchmark,
            checked=_is_perspective, value="diagnose",
            description="Layout for the causes of a weak score: confused classes, doubtful levels, conventions"),
    Command("perspective_assess", PERSPECTIVE_MENU, "A&ssess", _show_perspective, ("Ctrl+5",), has_benchmark,
            checked=_is_perspective, value="assess",
            description="Layout for the review of doubtful relevance levels, with edits and robustness"),
    Command("show_findings", "View", "Show the f&indings", lambda window: window.workspace.show_panel("findings"),
            ("Ctrl+Shift+F",), has_benchmark,
            description="Errors and warnings about the files"),
    Command("show_tasks", "View", "Show the tas&ks", lambda window: window.workspace.show_panel("tasks"),
            ("Ctrl+Shift+T",), has_benchmark,
            description="Background work with progress and cancel buttons"),
    Command("next_panel", "View", "&Next panel", lambda window: window.workspace.step_panel(1), ("F6",), has_benchmark,
            starts_group=True,
            description="Move the keyboard focus to the next visible panel"),
    Command("previous_panel", "View", "Pre&vious panel", lambda window: window.workspace.step_panel(-1), ("Shift+F6",),
            has_benchmark,
            description="Move the keyboard focus to the previous visible panel"),
    Command("float_panel", "View", "Fl&oat / dock panel", _float_panel, ("Ctrl+F6",), has_benchmark,
            description="Detach the focused panel as a separate window, or put it back"),
    Command("close_panel", "View", "Close pan&el", _close_panel, ("Ctrl+Shift+W",), has_benchmark,
            description="Hide the focused panel"),
    Command("collapse_bottom", "View", "Colla&pse the lower panels", _toggle_collapsed, ("Ctrl+J",), has_benchmark,
            checked=_is_collapsed,
            description="Close the panels at the bottom to their titles, or open them; a click on the tab of the "
                        "current one does the same"),
    Command("cards_small", SIZE_MENU, "&Small", _set_card_size, (), has_thumbnails, checked=_is_card_size, value="S",
            description="Cards of the ranked list with small images"),
    Command("cards_medium", SIZE_MENU, "&Medium", _set_card_size, (), has_thumbnails, checked=_is_card_size,
            value="M",
            description="Cards of the ranked list with medium images"),
    Command("cards_large", SIZE_MENU, "&Large", _set_card_size, (), has_thumbnails, checked=_is_card_size, value="L",
            description="Cards of the ranked list with large images"),
    Command("cards_text", SIZE_MENU, "&Text only", _set_card_size, (), has_thumbnails, checked=_is_card_size,
            value="T",
            description="Ranked list without images"),
    Command("theme_system", "View/Theme", "&System", _set_theme, checked=_is_theme, value="system",
            description="Light or dark colours, as the desktop"),
    Command("theme_light", "View/Theme", "&Light", _set_theme, checked=_is_theme, value="light",
            description="Light colours"),
    Command("theme_dark", "View/Theme", "&Dark", _set_theme, checked=_is_theme, value="dark",
            description="Dark colours"),
    Command("switch_theme", "View", "&Toggle theme",
            lambda window: window.set_theme_choice("light" if current_theme().name == "dark" else "dark"),
            ("Ctrl+Shift+L",),
            description="Switch between light and dark colours"),
    Command("conventions", "View", "&Conventions…", lambda window: window.tool_bar.conventions.open(), (),
            has_benchmark,
            description="Relevance threshold, ties, self-match, missing queries: settings of the evaluation"),
    Command("next_assessment", "View", "Next &assessment", lambda window: window.session.assessments.step(1), ("F7",),
            has_scores,
            description="Use the next assessment of the benchmark: as read, edited, classes, other files"),
    Command("previous_assessment", "View", "Previous assessment", lambda window: window.session.assessments.step(-1),
            ("Shift+F7",), has_scores,
            description="Use the previous assessment of the benchmark"),
    Command("go_to_message", "View", "&Go to message", lambda window: window.message_area.focus_message(), ("F8",),
            has_message,
            description="Move the keyboard focus to the notification at the top"),
    Command("full_screen", "View", "&Full screen", _toggle_full_screen, ("F11",),
            checked=lambda window: window.isFullScreen(),
            starts_group=True,
            description="Use the whole screen, without title bar"),
    Command("reset_layout", "View", "&Reset layout", _reset_layout, (), has_benchmark,
            description="Restore the default positions and sizes of all panels"),
)  # fmt: skip


if TYPE_CHECKING:
    from shrec_viewer.panels.plots.plot_panel import PlotPanel


def current_plot(window: WindowInterface) -> "PlotPanel[Any] | None":
    """The plot that commands act on: the one with the focus, else the first visible one, else the first created."""
    from shrec_viewer.panels.plots.plot_panel import PlotPanel  # lazy import: needs numpy and pyqtgraph

    widget = QApplication.focusWidget()
    while widget is not None:
        if isinstance(widget, PlotPanel):
            return widget
        widget = widget.parentWidget()
    created = window.workspace.panels().values() if window.workspace is not None else ()
    plots = [plot for plot in created if isinstance(plot, PlotPanel) and not plot.is_empty]
    visible = (plot for plot in plots if not area_on_screen(plot).isEmpty())
    return next(visible, next(iter(plots), None))


@condition("a plot is shown")
def has_plot(window: WindowInterface) -> bool:
    """Whether there is a plot to act on."""
    return has_benchmark(window) and current_plot(window) is not None


def _toggle_values(window: WindowInterface) -> None:
    if (plot := current_plot(window)) is not None:
        plot.show_values(not plot.shows_values_table)


def _shows_values(window: WindowInterface) -> bool:
    plot = current_plot(window) if has_benchmark(window) else None
    return plot is not None and plot.shows_values_table


def _reset_zoom(window: WindowInterface) -> None:
    if (plot := current_plot(window)) is not None:
        plot.plot.reset_zoom()


@condition("a benchmark is open, and another perspective than Campaign is shown")
def has_query_or_mean(window: WindowInterface) -> bool:
    """Whether the perspective shows a query or the mean."""
    return has_benchmark(window) and window.workspace is not None and not window.workspace.is_all_queries


def _toggle_class_means(window: WindowInterface) -> None:
    is_over_classes = window.session.selection.mean_over == "classes"
    window.session.select(mean_over="queries" if is_over_classes else "classes")


#: Part of `COMMANDS`, in the order of the menus.
PLOT_COMMANDS: tuple[Command, ...] = (
    Command("graph_means", "View", "Means over queries",
            lambda window: window.session.select(means=not window.session.selection.means), ("Ctrl+M",),
            has_query_or_mean,
            checked=lambda window: has_benchmark(window) and bool(window.session.selection.means),
            starts_group=True,
            description="Curves and scores of the runs: means over all queries, or those of the selected query"),
    Command("class_means", "View", "Class mean", _toggle_class_means, (), has_benchmark,
            checked=lambda window: has_benchmark(window) and window.session.selection.mean_over == "classes",
            description="Means over classes, in which every class has the same weight, instead of every query"),
    Command("graph_values", "View", "Values of the plot", _toggle_values, ("Ctrl+T",), has_plot,
            checked=_shows_values,
            description="Table with the numbers of the curves"),
    Command("graph_whole", "View", "Reset zoom", _reset_zoom, (), has_plot,
            description="Show the complete axes"),
)  # fmt: skip


#: Menu of settings that apply to all thumbnails.
CAMERA_MENU = "View/Camera of the collection"


@condition("the models of an open benchmark have files")
def has_model_files(window: WindowInterface) -> bool:
    """Whether a benchmark is open whose models have files."""
    return has_benchmark(window) and has_thumbnails(window)


def _set_camera(window: WindowInterface, undo_text: str, **changes: Any) -> None:
    """Change the camera of all thumbnails; can be undone."""
    window.session.edits.change_camera(replace(window.session.mesh_view_state.camera, **changes), undo_text)


def _toggle_fill(window: WindowInterface) -> None:
    if _has_tight_fit(window):
        _set_camera(window, "fit to the bounding sphere", fit="sphere")
    else:
        _set_camera(window, "fill the thumbnail", fit="tight")


def _has_tight_fit(window: WindowInterface) -> bool:
    return has_benchmark(window) and window.session.mesh_view_state.camera.fit == "tight"


def _toggle_z_up(window: WindowInterface) -> None:
    up = "Y" if _has_z_up(window) else "Z"
    _set_camera(window, f"{up} axis up", up=up)


def _has_z_up(window: WindowInterface) -> bool:
    return has_benchmark(window) and window.session.mesh_view_state.up == "Z"


def _use_mesh_view_camera(window: WindowInterface) -> None:
    camera = window.workspace.panel("mesh_view").camera_controller.camera
    changes = {name: getattr(camera, name) for name in ("azimuth", "elevation", "field_of_view")}
    _set_camera(window, "camera of the 3D view", **changes)


def _use_mesh_view_colours(window: WindowInterface) -> None:
    window.session.edits.change_scale(window.workspace.panel("mesh_view").shown_scale, "colours of the 3D view")


def _reset_camera(window: WindowInterface) -> None:
    default = type(window.session.mesh_view_state.camera)()
    changes = {name: getattr(default, name) for name in ("azimuth", "elevation", "field_of_view", "fit")}
    _set_camera(window, "default camera", **changes)


#: Part of `COMMANDS`, in the order of the menus.
THUMBNAIL_COMMANDS: tuple[Command, ...] = (
    Command("fill_picture", CAMERA_MENU, "&Fill the thumbnail", _toggle_fill, (), has_model_files,
            checked=_has_tight_fit,
            description="Fit thumbnails to the outline of each model instead of its bounding sphere"),
    Command("z_up", CAMERA_MENU, "&Z axis up", _toggle_z_up, (), has_model_files, checked=_has_z_up,
            description="Up axis of the models in thumbnails and 3D view: Z instead of Y"),
    Command("camera_of_view", CAMERA_MENU, "Use camera of the &3D view", _use_mesh_view_camera, (),
            has_model_files, starts_group=True,
            description="Render all thumbnails from the direction of the 3D view"),
    Command("colours_of_view", CAMERA_MENU, "Use &colours of the 3D view", _use_mesh_view_colours, (),
            has_model_files,
            description="Colour all thumbnails by the quantity of the 3D view, in its present range"),
    Command("usual_camera", CAMERA_MENU, "&Default camera", _reset_camera, (), has_model_files,
            description="Render all thumbnails from the default direction"),
)  # fmt: skip
