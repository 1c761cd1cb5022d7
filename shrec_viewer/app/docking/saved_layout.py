"""Layout of docks and window as plain data, as settings and projects store it, and its validation."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

# The state of `QMainWindow.saveState` is not stored: `restoreState` ends the process for damaged ones (PySide6 6.10.3:
# a segmentation fault for 600 bytes).


AREA_KEYS = ("left", "right", "top", "bottom")
"""Areas around the central panel."""

DIRECTIONS = ("horizontal", "vertical")
"""Directions of a `SplitDocks`."""

FLAGS = ("default_sizes", "merged_stack")
"""Fields of a layout that are true or false: `has_default_sizes` and `has_merged_stack`."""

MAX_PIXELS = 32_767
"""Largest size and coordinate in pixels: what X11 allows, and more than any screen has."""

MIN_FLOATING = 16
"""Smallest size in pixels of a floating panel."""

MAX_DEPTH = 12
"""Splits inside each other: more than panels that can be arranged so."""


RENAMED_PANELS = {"explanation": "calculation", "standings": "significance", "model_view": "mesh_view"}
"""Former keys of panels, which layouts of earlier versions contain."""


class LayoutError(ValueError):
    """A layout is not valid; the message is the reason."""


@dataclass(frozen=True)
class TabGroup:
    """Docks on one another with a tab each; a single dock has no tab.

    Attributes
    ----------
    size : pixels in the direction of the split that contains it; for the only part of an area, see `DockLayout`.
    panels : keys, in the order of the tabs.
    current : key of the raised one.
    """

    size: int
    panels: tuple[str, ...]
    current: str


@dataclass(frozen=True)
class SplitDocks:
    """Parts next to each other (``"horizontal"``) or below each other (``"vertical"``); `size` as in `TabGroup`."""

    size: int
    direction: str
    parts: "tuple[TabGroup | SplitDocks, ...]"


LayoutPart = TabGroup | SplitDocks


@dataclass(frozen=True)
class FloatingPanel:
    """A floating panel; position and size of its contents in desktop pixels."""

    panel: str
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class DockLayout:
    """Open docks of a perspective; all others are closed.

    Attributes
    ----------
    areas : contents by `AREA_KEYS`; the size of each is its width at the left and right, else its height.
    floating : panels outside the window.
    has_default_sizes : whether the sizes follow the window, see `DefaultSizes`.
    has_merged_stack : whether the docks at the right are tabs only because the window is too low to stack them.
    """

    areas: Mapping[str, LayoutPart] = field(default_factory=dict)
    floating: tuple[FloatingPanel, ...] = ()
    has_default_sizes: bool = False
    has_merged_stack: bool = False


def panels_of(part: LayoutPart) -> Iterator[str]:
    """Keys of the panels of a part, from the first."""
    if isinstance(part, TabGroup):
        yield from part.panels
    else:
        for inner in part.parts:
            yield from panels_of(inner)


def layout_to_data(layout: DockLayout) -> dict[str, Any]:
    """A layout as dictionaries, lists, strings, integers and booleans, for JSON and TOML."""
    return {
        "areas": {key: _part_to_data(part) for key, part in layout.areas.items()},
        "floating": [asdict(panel) for panel in layout.floating],
        "default_sizes": layout.has_default_sizes,
        **({"merged_stack": True} if layout.has_merged_stack else {}),
    }


def layout_from_data(data: object, panels: Collection[str]) -> DockLayout:
    """A layout from data of any kind.

    Parameters
    ----------
    panels : keys of the panels that have a dock.

    Raises
    ------
    LayoutError
        When a field is missing, unknown or of another type, a number is out of range, or a panel is unknown or occurs
        twice.
    """
    table = _table(data, "layout", required=("areas",), optional=("floating", *FLAGS))
    areas = _table(table["areas"], "areas", optional=AREA_KEYS)
    parts = {key: _part_from_data(part, key, 0) for key, part in areas.items()}
    floating = tuple(_floating_from_data(panel) for panel in _list(table.get("floating", []), "floating"))
    flags = [table.get(name, False) for name in FLAGS]
    for name, flag in zip(FLAGS, flags, strict=True):
        if not isinstance(flag, bool):
            raise LayoutError(f"'{name}' is neither true nor false")
    used = [key for part in parts.values() for key in panels_of(part)] + [panel.panel for panel in floating]
    for key in used:
        if key not in panels:
            raise LayoutError(f"there is no panel {key[:40]!r}")
    if len(set(used)) < len(used):
        raise LayoutError(f"the panel {next(key for key in used if used.count(key) > 1)!r} occurs twice")
    return DockLayout(parts, floating, *flags)


def _part_to_data(part: LayoutPart) -> dict[str, Any]:
    if isinstance(part, TabGroup):
        return {"size": part.size, "tabs": list(part.panels), "current": part.current}
    return {"size": part.size, "split": part.direction, "parts": [_part_to_data(inner) for inner in part.parts]}


def _part_from_data(data: object, where: str, depth: int) -> LayoutPart:
    if depth > MAX_DEPTH:
        raise LayoutError(f"'{where}' has more than {MAX_DEPTH} splits inside each other")
    if isinstance(data, dict) and "split" in data:
        table = _table(data, where, required=("size", "split", "parts"))
        parts = _list(table["parts"], f"parts of {where}")
        if table["split"] not in DIRECTIONS:
            raise LayoutError(f"the split of '{where}' is neither horizontal nor vertical")
        if len(parts) < 2:
            raise LayoutError(f"a split of '{where}' has fewer than two parts")
        inner = tuple(_part_from_data(part, where, depth + 1) for part in parts)
        return SplitDocks(_number(table["size"], "size", 1), table["split"], inner)
    table = _table(data, where, required=("size", "tabs", "current"))
    panels = tuple(_panel(key, f"tabs of {where}") for key in _list(table["tabs"], f"tabs of {where}"))
    current = _panel(table["current"], f"current of {where}")
    if current not in panels:
        raise LayoutError(f"the current panel of '{where}' is none of its tabs")
    return TabGroup(_number(table["size"], "size", 1), panels, current)


def _floating_from_data(data: object) -> FloatingPanel:
    table = _table(data, "floating", required=("panel", "x", "y", "width", "height"))
    return FloatingPanel(_panel(table["panel"], "panel"), *rectangle_from_data(table, MIN_FLOATING))


def rectangle_from_data(table: Mapping[str, Any], least: int) -> tuple[int, int, int, int]:
    """The integers ``x``, ``y``, ``width`` and ``height`` of a table; LayoutError if one is invalid.

    Parameters
    ----------
    least : smallest width and height in pixels.
    """
    x, y = (_number(table.get(name), name, -MAX_PIXELS) for name in ("x", "y"))
    width, height = (_number(table.get(name), name, least) for name in ("width", "height"))
    return x, y, width, height


def _table(
    data: object, name: str, *, required: tuple[str, ...] = (), optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise LayoutError(f"'{name}' is not a table")
    for key in required:
        if key not in data:
            raise LayoutError(f"'{key}' is missing in '{name}'")
    for key in data:
        if key not in (*required, *optional):
            raise LayoutError(f"'{name}' has an unknown field {str(key)[:40]!r}")
    return data


def _list(data: object, name: str) -> list[Any]:
    if not isinstance(data, list):
        raise LayoutError(f"'{name}' is not a list")
    return data


def _text(data: object, name: str) -> str:
    if not isinstance(data, str):
        raise LayoutError(f"'{name}' is not text")
    return data


def _panel(data: object, name: str) -> str:
    key = _text(data, name)
    return RENAMED_PANELS.get(key, key)


def _number(data: object, name: str, least: int) -> int:
    if not isinstance(data, int) or isinstance(data, bool):
        raise LayoutError(f"'{name}' is not an integer")
    if not least <= data <= MAX_PIXELS:
        raise LayoutError(f"'{name}' is not between {least} and {MAX_PIXELS}")
    return data


MIN_SIZE = 200
"""Smallest width and height of a window in pixels that is restored."""

STATES = ("normal", "maximized", "full screen")


def geometry_to_data(window: QWidget) -> dict[str, Any]:
    """Position of the frame and size of the contents, in pixels of the desktop, and one of `STATES`."""
    state = "full screen" if window.isFullScreen() else "maximized" if window.isMaximized() else "normal"
    rect = QRect(window.pos(), window.size()) if state == "normal" else window.normalGeometry()
    return {"x": rect.x(), "y": rect.y(), "width": rect.width(), "height": rect.height(), "state": state}


def restore_geometry(window: QWidget, data: Mapping[str, Any]) -> None:
    """Move and resize a window that is not shown yet; its position must be on a screen that is connected.

    Raises
    ------
    LayoutError
        When a field is missing or invalid; the window is not changed.
    """
    x, y, width, height = rectangle_from_data(data, MIN_SIZE)
    state = data.get("state")
    if state not in STATES:
        raise LayoutError(f"'state' is none of {', '.join(STATES)}")
    rect = QRect(x, y, width, height)
    screens = [screen for screen in QGuiApplication.screens() if screen.availableGeometry().intersects(rect)]
    screen = screens[0] if screens else QGuiApplication.primaryScreen()
    window.resize(rect.size().boundedTo(screen.availableSize()))
    if screens:
        window.move(rect.topLeft())
    if state == "maximized":
        window.setWindowState(window.windowState() | Qt.WindowState.WindowMaximized)
    elif state == "full screen":
        window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)
