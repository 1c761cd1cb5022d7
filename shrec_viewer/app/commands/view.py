"""View menu: perspectives, panels, theme, thumbnail size, full screen."""

from shrec_viewer.app.commands.command import Command, WindowInterface, has_benchmark, has_thumbnails
from shrec_viewer.widgets.style.theme import current_theme


def _show_perspective(frame: WindowInterface, key: str) -> None:
    frame.workspace.show_perspective(key)
    frame.workspace.focus_centre()


def _show_query(frame: WindowInterface) -> None:
    _show_perspective(frame, "query")


def _show_compare(frame: WindowInterface) -> None:
    _show_perspective(frame, "compare")


def _show_campaign(frame: WindowInterface) -> None:
    _show_perspective(frame, "campaign")


def _is_query(frame: WindowInterface) -> bool:
    return frame.workspace is not None and frame.workspace.perspective == "query"


def _is_compare(frame: WindowInterface) -> bool:
    return frame.workspace is not None and frame.workspace.perspective == "compare"


def _is_campaign(frame: WindowInterface) -> bool:
    return frame.workspace is not None and frame.workspace.perspective == "campaign"


PERSPECTIVE_MENU = "View/Perspective"

PERSPECTIVE_ROWS: tuple[Command, ...] = (
    Command(
        "perspective_query", PERSPECTIVE_MENU, "&Query", _show_query, ("Ctrl+1",), has_benchmark, checked=_is_query
    ),
    Command(
        "perspective_compare",
        PERSPECTIVE_MENU,
        "&Compare",
        _show_compare,
        ("Ctrl+2",),
        has_benchmark,
        checked=_is_compare,
    ),
    Command(
        "perspective_campaign",
        PERSPECTIVE_MENU,
        "C&ampaign",
        _show_campaign,
        ("Ctrl+3",),
        has_benchmark,
        checked=_is_campaign,
    ),
)
"""The rows, in the order of `PERSPECTIVES`."""


NOT_A_DOCK = "The middle stays where it is. Go to another panel first: F6."
"""Told where what has the keys is no dock."""


def _next_panel(frame: WindowInterface) -> None:
    frame.workspace.step_panel(1)


def _previous_panel(frame: WindowInterface) -> None:
    frame.workspace.step_panel(-1)


def _float_panel(frame: WindowInterface) -> None:
    if not frame.workspace.float_panel():
        frame.tell("info", NOT_A_DOCK)


def _close_panel(frame: WindowInterface) -> None:
    if not frame.workspace.close_panel():
        frame.tell("info", NOT_A_DOCK)


PANEL_ROWS: tuple[Command, ...] = (
    Command("next_panel", "View", "&Next panel", _next_panel, ("F6",), has_benchmark, starts_group=True),
    Command("previous_panel", "View", "Pre&vious panel", _previous_panel, ("Shift+F6",), has_benchmark),
    Command("float_panel", "View", "Panel in or &out of the window", _float_panel, ("Ctrl+F6",), has_benchmark),
    Command("close_panel", "View", "Close pan&el", _close_panel, ("Ctrl+Shift+W",), has_benchmark),
)
"""The rows, in the order of the menu."""


def _full_screen(frame: WindowInterface) -> None:
    if frame.isFullScreen():
        frame.showNormal()
    else:
        frame.showFullScreen()


def _is_full_screen(frame: WindowInterface) -> bool:
    return frame.isFullScreen()


def _reset_layout(frame: WindowInterface) -> None:
    frame.workspace.arrange()
    frame.workspace.focus_centre()


def _convention_bar(frame: WindowInterface) -> None:
    frame.desk.show_conventions(not frame.settings.convention_bar)


def _has_convention_bar(frame: WindowInterface) -> bool:
    return frame.settings.convention_bar


def _go_to_message(frame: WindowInterface) -> None:
    frame.shelf.focus_message()


def _has_message(frame: WindowInterface) -> bool:
    return bool(frame.shelf.waiting())


def _theme_system(frame: WindowInterface) -> None:
    frame.set_theme_choice("system")


def _theme_light(frame: WindowInterface) -> None:
    frame.set_theme_choice("light")


def _theme_dark(frame: WindowInterface) -> None:
    frame.set_theme_choice("dark")


def _is_system(frame: WindowInterface) -> bool:
    return frame.settings.theme == "system"


def _is_light(frame: WindowInterface) -> bool:
    return frame.settings.theme == "light"


def _is_dark(frame: WindowInterface) -> bool:
    return frame.settings.theme == "dark"


def _toggle_theme(frame: WindowInterface) -> None:
    frame.set_theme_choice("light" if current_theme().name == "dark" else "dark")


def _cards_small(frame: WindowInterface) -> None:
    frame.set_card_size("S")


def _cards_medium(frame: WindowInterface) -> None:
    frame.set_card_size("M")


def _cards_large(frame: WindowInterface) -> None:
    frame.set_card_size("L")


def _is_small(frame: WindowInterface) -> bool:
    return frame.settings.card_size == "S"


def _is_medium(frame: WindowInterface) -> bool:
    return frame.settings.card_size == "M"


def _is_large(frame: WindowInterface) -> bool:
    return frame.settings.card_size == "L"


VIEW_ROWS: tuple[Command, ...] = (
    Command("cards_small", "View/Picture size", "&Small", _cards_small, (), has_thumbnails, checked=_is_small),
    Command("cards_medium", "View/Picture size", "&Medium", _cards_medium, (), has_thumbnails, checked=_is_medium),
    Command("cards_large", "View/Picture size", "&Large", _cards_large, (), has_thumbnails, checked=_is_large),
    Command("theme_system", "View/Theme", "As the &system", _theme_system, checked=_is_system),
    Command("theme_light", "View/Theme", "&Light", _theme_light, checked=_is_light),
    Command("theme_dark", "View/Theme", "&Dark", _theme_dark, checked=_is_dark),
    Command("switch_theme", "View", "S&witch light and dark", _toggle_theme, ("Ctrl+Shift+L",)),
    Command(
        "convention_bar", "View", "&Conventions bar", _convention_bar, (), has_benchmark, checked=_has_convention_bar
    ),
    Command("go_to_message", "View", "&Go to message", _go_to_message, ("F8",), _has_message),
    Command("full_screen", "View", "&Full screen", _full_screen, ("F11",), checked=_is_full_screen, starts_group=True),
    Command("reset_layout", "View", "&Reset layout", _reset_layout, (), has_benchmark),
)
"""The rows, in the order of the menu."""
