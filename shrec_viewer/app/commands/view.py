"""View menu: perspectives, panels, theme, thumbnail size, full screen."""

from dataclasses import replace

from shrec_viewer.app.commands.command import Command, WindowInterface, condition, has_benchmark, has_thumbnails
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


def _show_panel(window: WindowInterface, key: str) -> None:
    window.workspace.show_panel(key)


def _step_panel(window: WindowInterface, by: int) -> None:
    window.workspace.step_panel(by)


def _float_panel(window: WindowInterface) -> None:
    if not window.workspace.float_panel():
        window.show_message("info", NOT_A_DOCK)


def _close_panel(window: WindowInterface) -> None:
    if not window.workspace.close_panel():
        window.show_message("info", NOT_A_DOCK)


def _set_card_size(window: WindowInterface, size: str) -> None:
    window.set_card_size(size)


def _is_card_size(window: WindowInterface, size: str) -> bool:
    return window.settings.card_size == size


def _set_theme(window: WindowInterface, choice: str) -> None:
    window.set_theme_choice(choice)


def _is_theme(window: WindowInterface, choice: str) -> bool:
    return window.settings.theme == choice


def _toggle_theme(window: WindowInterface) -> None:
    window.set_theme_choice("light" if current_theme().name == "dark" else "dark")


def _toggle_convention_bar(window: WindowInterface) -> None:
    window.change_settings(replace(window.settings, convention_bar=not window.settings.convention_bar))


def _has_convention_bar(window: WindowInterface) -> bool:
    return window.settings.convention_bar


def _go_to_message(window: WindowInterface) -> None:
    window.message_area.focus_message()


def _toggle_full_screen(window: WindowInterface) -> None:
    if window.isFullScreen():
        window.showNormal()
    else:
        window.showFullScreen()


def _is_full_screen(window: WindowInterface) -> bool:
    return window.isFullScreen()


def _reset_layout(window: WindowInterface) -> None:
    window.workspace.reset_layout()
    window.workspace.focus_centre()


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
    Command("show_findings", "View", "Show the f&indings", _show_panel, ("Ctrl+Shift+F",), has_benchmark,
            value="findings",
            description="Errors and warnings about the files"),
    Command("show_tasks", "View", "Show the tas&ks", _show_panel, ("Ctrl+Shift+T",), has_benchmark, value="tasks",
            description="Background work with progress and cancel buttons"),
    Command("next_panel", "View", "&Next panel", _step_panel, ("F6",), has_benchmark, value=1, starts_group=True,
            description="Move the keyboard focus to the next visible panel"),
    Command("previous_panel", "View", "Pre&vious panel", _step_panel, ("Shift+F6",), has_benchmark, value=-1,
            description="Move the keyboard focus to the previous visible panel"),
    Command("float_panel", "View", "Fl&oat / dock panel", _float_panel, ("Ctrl+F6",), has_benchmark,
            description="Detach the focused panel as a separate window, or put it back"),
    Command("close_panel", "View", "Close pan&el", _close_panel, ("Ctrl+Shift+W",), has_benchmark,
            description="Hide the focused panel"),
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
    Command("switch_theme", "View", "&Toggle theme", _toggle_theme, ("Ctrl+Shift+L",),
            description="Switch between light and dark colours"),
    Command("convention_bar", "View", "&Conventions bar", _toggle_convention_bar, (), has_benchmark,
            checked=_has_convention_bar,
            description="Relevance threshold, ties, self-match, missing queries: settings of the evaluation"),
    Command("go_to_message", "View", "&Go to message", _go_to_message, ("F8",), has_message,
            description="Move the keyboard focus to the notification at the top"),
    Command("full_screen", "View", "&Full screen", _toggle_full_screen, ("F11",), checked=_is_full_screen,
            starts_group=True,
            description="Use the whole screen, without title bar"),
    Command("reset_layout", "View", "&Reset layout", _reset_layout, (), has_benchmark,
            description="Restore the default positions and sizes of all panels"),
)  # fmt: skip
"""Part of `COMMANDS`, in the order of the menu; perspectives as in `PERSPECTIVES`."""
