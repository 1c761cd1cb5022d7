"""Light and dark theme: colours, fonts, icons, palette, style sheet, and applying them."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from string import Template
from typing import Any, Literal

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractItemDelegate, QApplication, QComboBox, QWidget
from shiboken6 import isValid

from shrec_viewer.resources import resource

#: Grid unit in pixels; margins and gaps are multiples of it, so that edges of neighbouring widgets align.
SPACE = 4

#: Corner radius of cards, fields and buttons, in pixels.
RADIUS = 6

#: Corner radius of a thumbnail in pixels; a frame around it adds its distance, so that the corners stay concentric.
THUMBNAIL_RADIUS = 3

#: Bundled fonts: Inter has tabular figures, and text is equally wide on every system, so no label is cut off.
FONT_FILES = ("fonts/Inter-Regular.ttf", "fonts/Inter-SemiBold.ttf")

FONT_FAMILY = "Inter"

#: Style sheet of documents: the font engine would synthesise the default weight of 700, which is not bundled.
SEMI_BOLD = "b, th { font-weight: 600; }"

#: Widget classes with fonts of their own in some desktops' settings. `Any`: PySide6 6.10 declares bytes, takes str.
PLATFORM_FONT_CLASSES: tuple[Any, ...] = ("QMenu", "QMenuBar", "QToolButton", "QHeaderView", "QMessageBox", "QTipLabel")

#: Font size in points where the platform gives it in pixels or not at all.
FALLBACK_POINTS = 9.0


@dataclass(frozen=True)
class Theme:
    """Colours of a theme as ``#rrggbb``, named by purpose.

    Attributes
    ----------
    name : ``"light"`` or ``"dark"``; also the key into `render.palette`.
    window : background of docks, bars and menus.
    surface : background of lists, tables and plots.
    raised : buttons, menus, tooltips, readouts.
    sunken : fields, tracks of progress bars, pressed buttons.
    hover, hover_strong, selection : background of the hovered item on a surface, of the hovered item on the window, and
        of the current item.
    ink, muted, faint : text; secondary text; marks and disabled text (too pale for text that must be read).
    line, line_strong : separators; outlines of controls (contrast 3:1 against the surface).
    accent, accent_hover, accent_ink : current or focused item, the same under the mouse, text on it. Teal, which is
        none of the relevance colours.
    bar : value bars behind numbers.
    picture : neutral background of thumbnails.
    hatch : stripes of the placeholder for a missing thumbnail.
    info, warning, error : message icons; ``*_background`` the background of such a message.
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
    info_background: str
    warning: str
    warning_background: str
    error: str
    error_background: str

    def colour(self, token: str, alpha: float = 1.0) -> QColor:
        """The token's colour with an opacity in [0, 1]."""
        colour = QColor(getattr(self, token))
        colour.setAlphaF(alpha)
        return colour


#: Colours of the light and the dark theme.
_COLOURS = {
    "window": ("#F6F7F9", "#202329"),
    "surface": ("#FFFFFF", "#191B20"),
    "raised": ("#FFFFFF", "#2F343D"),
    "sunken": ("#EEF0F3", "#2A2E36"),
    "hover": ("#F0F2F5", "#272B32"),
    "hover_strong": ("#E4E7EB", "#343A44"),
    "selection": ("#DDEFED", "#1D3F3E"),
    "ink": ("#1B1E23", "#ECEEF1"),
    "muted": ("#5A616C", "#A9B0BB"),
    "faint": ("#878D96", "#737B87"),
    "line": ("#E3E6EA", "#2C3038"),
    "line_strong": ("#7F8691", "#7A828E"),
    "accent": ("#0B7A75", "#4CC7BC"),
    "accent_hover": ("#096560", "#6AD6CC"),
    "accent_ink": ("#FFFFFF", "#0F1B1A"),
    "bar": ("#DCEBEA", "#23423F"),
    "picture": ("#F0F1F4", "#2A2E36"),
    "hatch": ("#D3D7DD", "#4A505B"),
    "info": ("#00569B", "#5AB8FF"),
    "info_background": ("#EAF2FA", "#1E2F40"),
    "warning": ("#8F5400", "#FFC24A"),
    "warning_background": ("#FFF4E0", "#3A3020"),
    "error": ("#B3261E", "#FF8A7A"),
    "error_background": ("#FDEEEC", "#432725"),
}

LIGHT = Theme("light", **{token: light for token, (light, _) in _COLOURS.items()})
DARK = Theme("dark", **{token: dark for token, (_, dark) in _COLOURS.items()})
THEMES = {"light": LIGHT, "dark": DARK}


@dataclass
class _Applied:
    """What was applied last to the application, of which a process has one.

    Attributes
    ----------
    scheme : colour scheme of title bars; None before the first theme.
    text_size : percent of the system's font size, which is `base_points`.
    preset : a key of `render.scene.palette.PRESETS`.
    """

    theme: Theme = LIGHT
    scheme: Qt.ColorScheme | None = None
    has_high_contrast: bool = False
    preset: str = "ordinal"
    text_size: int = 100
    base_points: float | None = None
    has_fonts: bool = False
    has_animations: bool = True


_applied = _Applied()


def current_theme() -> Theme:
    """The theme last applied to the application; `LIGHT` before that."""
    return high_contrast(_applied.theme) if _applied.has_high_contrast else _applied.theme


def ring_width(*, has_focus: bool) -> int:
    """Width in pixels of the ring around a selected item, which has the background of the selection: 0 without focus.

    In high contrast the background is not enough.
    """
    return 2 if has_focus else int(_applied.has_high_contrast)


def current_preset() -> str:
    """The preset of relevance marks last applied, a key of `render.scene.palette.PRESETS`."""
    return _applied.preset


@lru_cache(maxsize=2)
def high_contrast(theme: Theme) -> Theme:
    """The theme with text of contrast 7:1 and more, and darker outlines (WCAG 2.2, AAA)."""
    tokens = ("ink", "muted", "faint", "line", "line_strong")
    colours = {
        "light": ("#000000", "#33383F", "#5A616C", "#A9AFB9", "#1B1E23"),
        "dark": ("#FFFFFF", "#D5D9DF", "#A9B0BB", "#565E6A", "#ECEEF1"),
    }
    changes: dict[str, Any] = dict(zip(tokens, colours[theme.name], strict=True))
    return replace(theme, **changes)


def apply_theme(app: QApplication, theme: Theme, *, follows_system: bool = False) -> None:
    """Set style, palette, font and style sheet of the application, and call `set_theme` of every widget that has one.

    Parameters
    ----------
    follows_system : leave the colour scheme of title bars to the system; a scheme set here would suppress
        `QStyleHints.colorSchemeChanged`.
    """
    scheme = Qt.ColorScheme.Dark if theme.name == "dark" else Qt.ColorScheme.Light
    _applied.theme = THEMES[theme.name]
    _applied.scheme = Qt.ColorScheme.Unknown if follows_system else scheme
    _update_style(app)


def apply_text_size(app: QApplication, percent: int) -> None:
    """Scale all text to this percentage of the system's font size; later themes keep it."""
    if _applied.text_size != percent:
        _applied.text_size = percent
        _update_style(app)


def apply_contrast(app: QApplication, high: bool) -> None:
    """Use the current theme in high contrast, or as it is."""
    if _applied.has_high_contrast != high:
        _applied.has_high_contrast = high
        _update_style(app)


def _update_style(app: QApplication) -> None:
    """Apply what `_applied` contains.

    Widgets that paint with theme colours themselves have a method `set_theme(theme)`, which is called.

    Measured with shrec06 (1,814 models) in the full window of 812 widgets, all perspectives opened, on four cores
    shared with other jobs: 225 to 350 ms of main-thread processor time, 300 to 520 ms in a second run at higher load
    (PySide6 6.10.3). The bar for a rare action is 400 ms.
    """
    # From one sheet directly to another Qt takes 800 to 1,100 ms for the same window. With the sheet kept, a new font
    # takes 60 ms, but does not reach half of the widgets (PySide6 6.10.3).
    app.setStyleSheet("")
    if app.style().name() != "fusion":
        # The same metrics and palette roles on every system; native styles ignore parts of a style sheet.
        app.setStyle("Fusion")
    if _applied.scheme is not None:
        app.styleHints().setColorScheme(_applied.scheme)  # title bars and file dialogs of the platform
    theme = current_theme()
    app.setPalette(palette(theme))
    font = text_font(_base_font(app), _applied.text_size / 100)
    if font != app.font():  # setting an equal font still sends FontChange to all widgets: 70 ms
        app.setFont(font)
    for name in PLATFORM_FONT_CLASSES:  # setFont(font) keeps them: menus had the desktop's font (Qt 6.10 on KDE)
        if QApplication.font(name) != font:
            app.setFont(font, name)
    app.setStyleSheet(style_sheet(theme))
    widgets = app.allWidgets()
    _reset_outdated_fonts(widgets, font)
    for widget in widgets:
        # allWidgets is a list of wrappers; using one whose C++ object is gone raises RuntimeError.
        if not isValid(widget):  # deleted by the `set_theme` of a widget before it
            continue
        if isinstance(widget, QComboBox):
            _delete_old_delegates(widget)
        if (set_theme := getattr(widget, "set_theme", None)) is not None:
            set_theme(theme)


def _reset_outdated_fonts(widgets: Iterable[QWidget], font: QFont) -> None:
    """Give widgets without a font set by the program the font that they inherit.

    With a style sheet, the font of the application does not reach widgets that were not shown yet: 37 of 368 on the
    welcome page, whose texts were then painted in the former size (PySide6 6.10.3).
    """
    for widget in widgets:
        if not isValid(widget) or widget.testAttribute(Qt.WidgetAttribute.WA_SetFont):
            continue
        if widget.font().pointSizeF() != font.pointSizeF():
            widget.setFont(QFont())


def _delete_old_delegates(box: QComboBox) -> None:
    """Delete delegates that Qt leaks: each style sheet gives a combo box two new ones and keeps the former ones."""
    current = box.itemDelegate()
    for delegate in box.findChildren(QAbstractItemDelegate):
        if delegate is not current:
            delegate.deleteLater()


def apply_relevance_preset(app: QApplication, preset: str) -> None:
    """Mark relevance by this preset, a key of `render.scene.palette.PRESETS`."""
    _applied.preset = preset
    for widget in app.allWidgets():
        widget.update()


def apply_animations(app: QApplication, enabled: bool) -> None:
    """Switch the animations of menus, combo boxes, tooltips and thumbnails on or off."""
    _applied.has_animations = enabled
    for effect in (Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_AnimateCombo, Qt.UIEffect.UI_AnimateTooltip):
        app.setEffectEnabled(effect, enabled)


def animations_on() -> bool:
    """Whether animations are switched on; True before `apply_animations`.

    `QApplication.isEffectEnabled` cannot be used: on a desktop without effects it returns False whatever was set.
    """
    return _applied.has_animations


def palette(theme: Theme) -> QPalette:
    """Palette for what the style sheet does not cover."""
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
    """The application's style sheet with the colours of the theme."""
    tokens: dict[str, str] = {field.name: getattr(theme, field.name) for field in fields(theme)}
    tokens["icons"] = resource("icons").as_posix()
    # Controls have outlines in high contrast only.
    tokens["outline"] = "transparent" if theme in THEMES.values() else theme.line_strong
    tokens["radius"] = f"{RADIUS}px"
    # Style sheets have no variables; `$` does not occur in them otherwise.
    template = Template(resource("style/shrec_viewer.qss").read_text(encoding="utf-8"))
    return template.substitute(tokens)


def text_font(base: QFont, scale: float = 1.0, *, bold: bool = False) -> QFont:
    """Inter in the size of `base` times `scale`, with digits of equal width.

    `bold` is semi-bold, the heaviest bundled weight; the font engine would synthesise heavier ones.
    """
    _load_fonts()
    return QFont(_cached_text_font(tuple(base.families()), base.pointSizeF(), scale, bold))


@lru_cache(maxsize=64)
def _cached_text_font(families: tuple[str, ...], points: float, scale: float, bold: bool) -> QFont:
    """Cached because delegates request a font for each cell; `text_font` returns a copy."""
    font = QFont([FONT_FAMILY, *(family for family in families if family != FONT_FAMILY)])
    font.setPointSizeF((points if points > 0 else FALLBACK_POINTS) * scale)
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    # Tabular figures: columns of numbers align, and a changing number does not move the text after it (Qt 6.7).
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def _base_font(app: QApplication) -> QFont:
    """The application's font in the system's size, recorded when the first theme is applied."""
    font = app.font()
    if _applied.base_points is None:
        _applied.base_points = font.pointSizeF() if font.pointSizeF() > 0 else FALLBACK_POINTS
    font.setPointSizeF(_applied.base_points)
    return font


def _load_fonts() -> None:
    """Load the bundled fonts once per application; a query to QFontDatabase instead takes 0.35 ms each time."""
    if QApplication.instance() is None or _applied.has_fonts:
        return
    _applied.has_fonts = True
    for name in FONT_FILES:
        QFontDatabase.addApplicationFont(str(resource(name)))


#: Phosphor only: loading it takes 10 ms, all fonts of qtawesome 40 ms and 40 MB.
ICON_FONT = ("ph", "phosphor-1.3.0.ttf", "phosphor-charmap-1.3.0.json")

#: Name of the program's logo, ``resources/icons/shrec-viewer.svg``.
LOGO = "shrec-viewer"

#: Names of icons in the program, with their names in Phosphor.
GLYPHS = {
    "back": "arrow-left",
    "box": "bounding-box",
    "chevron-left": "caret-left",
    "chevron-right": "caret-right",
    "check": "check",
    "close": "x",
    "copy": "copy",
    "cube": "cube",
    "curves": "chart-line",
    "dot": "circle-fill",
    "error": "x-circle",
    "export": "export",
    "filter": "funnel",
    "findings": "clipboard-text",
    "fit": "frame-corners",
    "folder-open": "folder-open",
    "forward": "arrow-right",
    "grid": "grid-four",
    "in-place": "swap",
    "info": "info",
    "list": "list",
    "moon": "moon",
    "more": "dots-three-bold",
    "note": "note-pencil",
    "picture": "image",
    "pin": "push-pin",
    "play": "play",
    "question": "question",
    "runs": "stack",
    "save": "download-simple",
    "search": "magnifying-glass",
    "shading": "circle-half",
    "sliders": "sliders-horizontal",
    "sort": "sort-descending",
    "sun": "sun",
    "swap": "arrows-left-right",
    "table": "table",
    "turn": "arrow-clockwise",
    "undo": "arrow-counter-clockwise",
    "warning": "warning",
    "wireframe": "polygon",
}


@lru_cache(maxsize=1)
def _icon_font() -> Any:
    from qtawesome.iconic_font import IconicFont  # lazy import: takes 120 ms, not needed for the first paint

    return IconicFont(ICON_FONT)


# QPixmapCache keeps scaled copies of each pixmap that a label shows, up to 10 MB: new pixmaps would fill it.
@lru_cache(maxsize=64)
def icon_pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    """The icon `name` as a pixmap of `size` logical pixels.

    Parameters
    ----------
    name : a key of `GLYPHS`, or `LOGO`, which has fixed colours.
    colour : ``#rrggbb``.
    ratio : device pixels per logical pixel.

    Raises
    ------
    KeyError
        For an unknown name.
    """
    if name == LOGO:
        return _logo_pixmap(size, ratio)
    return _icon_font().icon(f"ph.{GLYPHS[name]}", color=colour).pixmap(QSize(size, size), ratio)


def _logo_pixmap(size: int, ratio: float) -> QPixmap:
    pixels = round(size * ratio)
    pixmap = QPixmap(pixels, pixels)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(str(resource(f"icons/{LOGO}.svg"))).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def program_icon() -> QIcon:
    """Icon of the program's windows, in all sizes; the small ones are drawn separately."""
    result = QIcon()
    for path in sorted(resource("icons/hicolor").glob(f"*/apps/{LOGO}.png")):
        result.addFile(str(path))
    return result


class _GlyphIconEngine(QIconEngine):
    """Icon engine that draws an icon of qtawesome, and nothing where a button has no space.

    qtawesome 1.4 paints on a pixmap without pixels there, and Qt prints warnings.
    """

    def __init__(self, glyph: QIcon) -> None:
        super().__init__()
        self._glyph = glyph

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Draw the icon in a rectangle."""
        self._glyph.paint(painter, rect, Qt.AlignmentFlag.AlignCenter, mode, state)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """The icon in a size in device pixels."""
        return QPixmap() if size.isEmpty() else self._glyph.pixmap(size, 1.0, mode, state)


@lru_cache(maxsize=256)
def icon(name: str, theme: Theme, token: str = "ink") -> QIcon:
    """The icon `name` in a colour of the theme, paler when disabled, sharp at any size."""
    glyph = _icon_font().icon(f"ph.{GLYPHS[name]}", color=getattr(theme, token), color_disabled=theme.faint)
    return QIcon(_GlyphIconEngine(glyph))
