"""How the window looks."""

from shrec_viewer.app.commands.command import Command
from shrec_viewer.app.frame import Frame, has_benchmark, has_pictures
from shrec_viewer.widgets.theme import current_theme


def _full_screen(frame: Frame) -> None:
    if frame.isFullScreen():
        frame.showNormal()
    else:
        frame.showFullScreen()


def _is_full_screen(frame: Frame) -> bool:
    return frame.isFullScreen()


def _reset_layout(frame: Frame) -> None:
    frame.workspace.arrange()
    frame.workspace.focus_centre()


def _convention_bar(frame: Frame) -> None:
    frame.desk.show_conventions(not frame.settings.convention_bar)


def _has_convention_bar(frame: Frame) -> bool:
    return frame.settings.convention_bar


def _go_to_message(frame: Frame) -> None:
    frame.shelf.take_keys()


def _has_message(frame: Frame) -> bool:
    return bool(frame.shelf.waiting())


def _theme_system(frame: Frame) -> None:
    frame.set_theme_choice("system")


def _theme_light(frame: Frame) -> None:
    frame.set_theme_choice("light")


def _theme_dark(frame: Frame) -> None:
    frame.set_theme_choice("dark")


def _is_system(frame: Frame) -> bool:
    return frame.settings.theme == "system"


def _is_light(frame: Frame) -> bool:
    return frame.settings.theme == "light"


def _is_dark(frame: Frame) -> bool:
    return frame.settings.theme == "dark"


def _switch_theme(frame: Frame) -> None:
    frame.set_theme_choice("light" if current_theme().name == "dark" else "dark")


def _cards_small(frame: Frame) -> None:
    frame.set_card_size("S")


def _cards_medium(frame: Frame) -> None:
    frame.set_card_size("M")


def _cards_large(frame: Frame) -> None:
    frame.set_card_size("L")


def _is_small(frame: Frame) -> bool:
    return frame.settings.card_size == "S"


def _is_medium(frame: Frame) -> bool:
    return frame.settings.card_size == "M"


def _is_large(frame: Frame) -> bool:
    return frame.settings.card_size == "L"


ROWS: tuple[Command, ...] = (
    Command("cards_small", "View/Picture size", "&Small", _cards_small, (), has_pictures, checked=_is_small),
    Command("cards_medium", "View/Picture size", "&Medium", _cards_medium, (), has_pictures, checked=_is_medium),
    Command("cards_large", "View/Picture size", "&Large", _cards_large, (), has_pictures, checked=_is_large),
    Command("theme_system", "View/Theme", "As the &system", _theme_system, checked=_is_system),
    Command("theme_light", "View/Theme", "&Light", _theme_light, checked=_is_light),
    Command("theme_dark", "View/Theme", "&Dark", _theme_dark, checked=_is_dark),
    Command("switch_theme", "View", "S&witch light and dark", _switch_theme, ("Ctrl+Shift+L",)),
    Command(
        "convention_bar", "View", "&Conventions bar", _convention_bar, (), has_benchmark, checked=_has_convention_bar
    ),
    Command("go_to_message", "View", "&Go to message", _go_to_message, ("F8",), _has_message),
    Command("full_screen", "View", "&Full screen", _full_screen, ("F11",), checked=_is_full_screen, starts_group=True),
    Command("reset_layout", "View", "&Reset layout", _reset_layout, (), has_benchmark),
)
"""The rows, in the order of the menu."""
