"""Light and dark theme: colours, fonts, palette, style sheet, and applying them to the application."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from string import Template
from typing import Any, Literal, Protocol, runtime_checkable

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from shrec_viewer.resources import resource
from shrec_viewer.widgets.style.style_updater import StyleSettings, style_updater
from shrec_viewer.widgets.style.tooltips import install_tooltip_wrapper

_ANIMATIONS_OFF = "shrec_viewer_still"


def animations_on() -> bool:
    """Whether the person wants things to move; true until somebody says otherwise.

    Qt's own effects cannot be asked: without a desktop that has them they read as off whatever was set.
    """
    app = QCoreApplication.instance()
    return app is not None and not app.property(_ANIMATIONS_OFF)


def set_animations(app: QCoreApplication, on: bool) -> None:
    """Let things move from now on, or stand still."""
    app.setProperty(_ANIMATIONS_OFF, not on)


SPACE = 4
"""Pixels of one step; every margin and gap is a multiple of it, so that edges of neighbours meet."""

RADIUS = 6
"""Corner radius of cards, fields and buttons, in pixels."""

THUMBNAIL_RADIUS = 3
"""Corner radius of a picture; frames around it add their distance, so that all curves run parallel."""

FONT_FILES = ("fonts/Inter-Regular.ttf", "fonts/Inter-SemiBold.ttf")
"""Shipped because it has tabular figures, and so that texts have the same width on every system (nothing is cut)."""

FONT_FAMILY = "Inter"

FONTS_LOADED = "shrec_fonts_loaded"
"""Property of the application that remembers it."""

FALLBACK_POINTS = 9.0
"""Used where the platform gives the font in pixels or not at all."""


@dataclass(frozen=True)
class Theme:
    """Colours of one look as ``#rrggbb``; the names say what a colour is for, never which it is.

    Attributes
    ----------
    name : ``"light"`` or ``"dark"``; also the key into `render.palette`.
    window : behind docks, bars and menus.
    surface : behind lists, tables and plots.
    raised : buttons, menus, tool tips, readouts.
    sunken : tracks of scroll bars and progress bars, pressed buttons.
    hover, hover_strong, selection : behind the item under the mouse on a surface and on the window, and behind the
        current one.
    ink, muted, faint : text; text of second rank; marks and disabled text (not for anything that must be read).
    line, line_strong : hair lines between things; outlines of things that can be used (3:1 against the surface).
    accent, accent_hover, accent_ink : what is current or focused, the same under the mouse, and text upon it. Teal, so
        that it is none of the relevance colours.
    bar : value bars behind numbers.
    picture : neutral ground of every picture.
    hatch : stripes of the place of a missing picture.
    info, warning, error : marks of messages; ``*_ground`` the ground behind such a message.
    """

    name: Literal["light", "dark"]
    window: str
    surface: str
    raised: str
    sunken: str
    hover: str
    hover_strong: str
    selection: str
    ink: str
    muted: str
    faint: str
    line: str
    line_strong: str
    accent: str
    accent_hover: str
    accent_ink: str
    bar: str
    picture: str
    hatch: str
    info: str
    info_ground: str
    warning: str
    warning_ground: str
    error: str
    error_ground: str

    def colour(self, token: str, alpha: float = 1.0) -> QColor:
        """The token's colour with an opacity in [0, 1]."""
        colour = QColor(getattr(self, token))
        colour.setAlphaF(alpha)
        return colour


LIGHT = Theme(
    name="light",
    window="#F3F4F6",
    surface="#FFFFFF",
    raised="#FFFFFF",
    sunken="#E6E8EC",
    hover="#F0F2F5",
    hover_strong="#E4E7EB",
    selection="#DDEFED",
    ink="#1B1E23",
    muted="#5A616C",
    faint="#878D96",
    line="#DEE1E6",
    line_strong="#7F8691",
    accent="#0B7A75",
    accent_hover="#096560",
    accent_ink="#FFFFFF",
    bar="#DCEBEA",
    picture="#E9EBEF",
    hatch="#D3D7DD",
    info="#00569B",
    info_ground="#EAF2FA",
    warning="#8F5400",
    warning_ground="#FFF4E0",
    error="#B3261E",
    error_ground="#FDEEEC",
)

DARK = Theme(
    name="dark",
    window="#23272E",
    surface="#1B1E23",
    raised="#2F343D",
    sunken="#16191D",
    hover="#272B32",
    hover_strong="#343A44",
    selection="#1D3F3E",
    ink="#ECEEF1",
    muted="#A9B0BB",
    faint="#737B87",
    line="#353A43",
    line_strong="#7A828E",
    accent="#4CC7BC",
    accent_hover="#6AD6CC",
    accent_ink="#0F1B1A",
    bar="#23423F",
    picture="#363B44",
    hatch="#4A505B",
    info="#5AB8FF",
    info_ground="#1E2F40",
    warning="#FFC24A",
    warning_ground="#3A3020",
    error="#FF8A7A",
    error_ground="#432725",
)

THEMES = {"light": LIGHT, "dark": DARK}

_THEME_PROPERTY = "shrec_viewer_theme"
_SCHEME_PROPERTY = "shrec_viewer_colour_scheme"
_TEXT_SIZE_PROPERTY = "shrec_viewer_text_size"
_CONTRAST_PROPERTY = "shrec_viewer_contrast"
_BASE_POINTS_PROPERTY = "shrec_viewer_base_points"


@runtime_checkable
class Themed(Protocol):
    """A widget that paints with theme colours itself; `apply_theme` finds it and tells it."""

    def set_theme(self, theme: Theme) -> None:
        """Repaint with these colours; never emits."""


def current_theme() -> Theme:
    """The theme last applied to the running application; `LIGHT` before that."""
    app = QApplication.instance()
    name = app.property(_THEME_PROPERTY) if app is not None else None
    theme = THEMES.get(name or "light", LIGHT)
    return high_contrast(theme) if app is not None and app.property(_CONTRAST_PROPERTY) else theme


@lru_cache(maxsize=2)
def high_contrast(theme: Theme) -> Theme:
    """The same look with texts of 7:1 and more, and outlines that nobody has to look for (WCAG 2.2, AAA)."""
    tokens = ("ink", "muted", "faint", "line", "line_strong")
    colours = {
        "light": ("#000000", "#33383F", "#5A616C", "#A9AFB9", "#1B1E23"),
        "dark": ("#FFFFFF", "#D5D9DF", "#A9B0BB", "#565E6A", "#ECEEF1"),
    }
    changes: dict[str, Any] = dict(zip(tokens, colours[theme.name], strict=True))
    return replace(theme, **changes)


def apply_theme(app: QApplication, theme: Theme, *, follows_system: bool = False, deferred: bool = False) -> None:
    """Dress the whole application, also what is already on screen.

    Sets style, palette, font and style sheet, and calls `set_theme` of every widget that has one; those that were shown
    once and are hidden now follow within the next 0.2 s.

    Parameters
    ----------
    follows_system : leave it to the system what title bars wear; a scheme of ours would keep its changes from us.
    patiently : let events go on meanwhile; windows change their look in one picture within 0.2 s (see `Wardrobe`).
    """
    install_tooltip_wrapper(app)
    scheme = Qt.ColorScheme.Dark if theme.name == "dark" else Qt.ColorScheme.Light
    app.setProperty(_THEME_PROPERTY, theme.name)
    app.setProperty(_SCHEME_PROPERTY, Qt.ColorScheme.Unknown if follows_system else scheme)
    _apply_style(app, deferred=deferred)


def _apply_style(app: QApplication, *, deferred: bool) -> None:
    """Wear what the properties of the application say."""
    style_updater(app).change(
        StyleSettings(style_sheet(current_theme()), _apply_properties, _notify_theme), deferred=deferred
    )


def _apply_properties(app: QApplication) -> None:
    """What changes beside the style sheet; while there is one, it stands in the place of the style."""
    if app.style().name() != "fusion":
        app.setStyle("Fusion")
    if (scheme := app.property(_SCHEME_PROPERTY)) is not None:
        app.styleHints().setColorScheme(scheme)  # title bars and file dialogs of the platform
    app.setPalette(palette(current_theme()))
    app.setFont(text_font(_base_font(app), (app.property(_TEXT_SIZE_PROPERTY) or 100) / 100))


def _notify_theme(widget: QWidget) -> None:
    if (tell := getattr(widget, "set_theme", None)) is not None:  # as `Themed` has it; asking for that takes 15 ms
        tell(current_theme())


def apply_text_size(app: QApplication, percent: int, *, deferred: bool = False) -> None:
    """Scale all letters to so many percent of the system's size, now and with every theme."""
    if (app.property(_TEXT_SIZE_PROPERTY) or 100) != percent:
        app.setProperty(_TEXT_SIZE_PROPERTY, percent)
        _apply_style(app, deferred=deferred)


def apply_contrast(app: QApplication, high: bool, *, deferred: bool = False) -> None:
    """Wear the present theme in high contrast, or as it is."""
    if bool(app.property(_CONTRAST_PROPERTY)) != high:
        app.setProperty(_CONTRAST_PROPERTY, high)
        _apply_style(app, deferred=deferred)


def apply_relevance_preset(preset: str, widgets: Iterable[QWidget]) -> None:
    """Mark relevance by this preset of `render.palette.PRESETS` in all of these that do: that have `set_preset`."""
    for widget in widgets:
        if (mark := getattr(widget, "set_preset", None)) is not None:
            mark(preset)


def apply_animations(app: QApplication, enabled: bool) -> None:
    """Let menus, lists and tool tips open with a movement, or at once."""
    for effect in (Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_AnimateCombo, Qt.UIEffect.UI_AnimateTooltip):
        app.setEffectEnabled(effect, enabled)


def palette(theme: Theme) -> QPalette:
    """Palette for what the style draws by itself."""
    role = QPalette.ColorRole
    tokens = {
        role.Window: "window", role.WindowText: "ink", role.Base: "surface", role.AlternateBase: "hover",
        role.Text: "ink", role.Button: "raised", role.ButtonText: "ink", role.BrightText: "error",
        role.ToolTipBase: "raised", role.ToolTipText: "ink", role.PlaceholderText: "muted",
        role.Highlight: "selection", role.HighlightedText: "ink", role.Link: "accent", role.LinkVisited: "accent",
        role.Light: "raised", role.Midlight: "hover", role.Mid: "line", role.Dark: "line_strong", role.Accent: "accent",
    }  # fmt: skip
    result = QPalette()
    for target, token in tokens.items():
        result.setColor(target, theme.colour(token))
    for target in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, target, theme.colour("faint"))
    result.setColor(role.Shadow, QColor("#000000"))
    return result


def style_sheet(theme: Theme) -> str:
    """The one style sheet, with the theme's tokens filled in."""
    tokens: dict[str, str] = {field.name: getattr(theme, field.name) for field in fields(theme)}
    tokens["icons"] = resource("icons").as_posix()
    tokens["radius"] = f"{RADIUS}px"
    template = Template(resource("style/shrec_viewer.qss").read_text(encoding="utf-8"))
    return template.substitute(tokens)


def text_font(base: QFont, scale: float = 1.0, *, strong: bool = False) -> QFont:
    """The program's typeface in the size of `base` times `scale`, digits of equal width.

    The semi-bold cut is the only strong one; heavier weights would be smeared by the font engine.
    """
    _load_fonts()
    return QFont(_cached_text_font(tuple(base.families()), base.pointSizeF(), scale, strong))


@lru_cache(maxsize=64)
def _cached_text_font(families: tuple[str, ...], points: float, scale: float, strong: bool) -> QFont:
    """Kept because tables ask for it with every cell; what is handed out is a copy."""
    font = QFont([FONT_FAMILY, *(family for family in families if family != FONT_FAMILY)])
    font.setPointSizeF((points if points > 0 else FALLBACK_POINTS) * scale)
    font.setWeight(QFont.Weight.DemiBold if strong else QFont.Weight.Normal)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def _base_font(app: QApplication) -> QFont:
    """The font in the system's own size, which the first theme met."""
    font = app.font()
    if app.property(_BASE_POINTS_PROPERTY) is None:
        app.setProperty(_BASE_POINTS_PROPERTY, font.pointSizeF() if font.pointSizeF() > 0 else FALLBACK_POINTS)
    font.setPointSizeF(app.property(_BASE_POINTS_PROPERTY))
    return font


def _load_fonts() -> None:
    """Once per application; asking the font database whether it knows them takes 0.35 ms each time."""
    app = QApplication.instance()
    if app is None or app.property(FONTS_LOADED):
        return
    app.setProperty(FONTS_LOADED, True)
    for name in FONT_FILES:
        QFontDatabase.addApplicationFont(str(resource(name)))
