"""Layout of docks and window as plain data, as settings and projects store it, and its validation."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, TypedDict

from msgspec import Meta
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from shrec_viewer.formats.io.schema import Codec, Fault, Text, read_data, stored

# The state of `QMainWindow.saveState` is not stored: `restoreState` ends the process for damaged ones (PySide6 6.10.3:
# a segmentation fault for 600 bytes).


#: Areas around the central panel.
AreaKey = Literal["left", "right", "top", "bottom"]

#: Directions of a `SplitDocks`.
DIRECTIONS = ("horizontal", "vertical")

#: Largest size and coordinate in pixels: what X11 allows, and more than any screen has.
MAX_PIXELS = 32_767

#: Smallest size in pixels of a floating panel.
MIN_FLOATING = 16

#: Smallest width and height of a window in pixels that is restored.
MIN_SIZE = 200

DockSize = Annotated[int, Meta(ge=1, le=MAX_PIXELS)]
FloatingSize = Annotated[int, Meta(ge=MIN_FLOATING, le=MAX_PIXELS)]
WindowSize = Annotated[int, Meta(ge=MIN_SIZE, le=MAX_PIXELS)]
Coordinate = Annotated[int, Meta(ge=-MAX_PIXELS, le=MAX_PIXELS)]
PanelKey = Annotated[Text, "of a panel that has a dock"]

#: Former keys of panels, which layouts of earlier versions contain.
RENAMED_PANELS = {"explanation": "calculation", "standings": "significance", "model_view": "mesh_view"}


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

    size: DockSize
    panels: tuple[PanelKey, ...] = field(metadata=stored("tabs"))
    current: PanelKey

    def __post_init__(self) -> None:
        if self.current not in self.panels:
            raise ValueError("has a current panel that is none of its tabs")


@dataclass(frozen=True)
class SplitDocks:
    """Parts next to each other (``"horizontal"``) or below each other (``"vertical"``); `size` as in `TabGroup`."""

    size: DockSize
    direction: str = field(metadata=stored("split", choices=DIRECTIONS))
    parts: "tuple[TabGroup | SplitDocks, ...]"

    def __post_init__(self) -> None:
        if len(self.parts) < 2:
            raise ValueError("is split into fewer than two parts")


LayoutPart = TabGroup | SplitDocks


@dataclass(frozen=True)
class FloatingPanel:
    """A floating panel; position and size of its contents in desktop pixels."""

    panel: PanelKey
    x: Coordinate
    y: Coordinate
    width: FloatingSize
    height: FloatingSize


@dataclass(frozen=True)
class DockLayout:
    """Open docks of a perspective; all others are closed.

    Attributes
    ----------
    areas : contents of the areas; the size of each is its width at the left and right, else its height.
    floating : panels outside the window.
    has_default_sizes : whether the sizes follow the window, see `DefaultSizes`.
    has_merged_stack : whether the docks at the right are tabs only because the window is too low to stack them.
    is_collapsed : whether the bottom area is closed to the titles of its panels; its size is that of before.
    views : view shown in docks that have several, unless it is the first one; both by the keys of their panels.
    """

    areas: Mapping[AreaKey, LayoutPart]
    floating: tuple[FloatingPanel, ...] = ()
    has_default_sizes: bool = field(default=False, metadata=stored("default_sizes"))
    has_merged_stack: bool = field(default=False, metadata=stored("merged_stack"))
    is_collapsed: bool = field(default=False, metadata=stored("collapsed"))
    views: Mapping[PanelKey, PanelKey] = field(default_factory=dict)

    def __post_init__(self) -> None:
        used = [key for part in self.areas.values() for key in panels_of(part)]
        used += [panel.panel for panel in self.floating]
        if len(set(used)) < len(used):
            raise ValueError(f"contains the panel {next(key for key in used if used.count(key) > 1)!r} twice")


def panels_of(part: LayoutPart) -> Iterator[str]:
    """Keys of the panels of a part, from the first."""
    if isinstance(part, TabGroup):
        yield from part.panels
    else:
        for inner in part.parts:
            yield from panels_of(inner)


def layout_from_data(data: object, docks: Mapping[str, str], central: Collection[str] = ()) -> DockLayout:
    """A layout from data of any kind; panels that are views of one dock now are that dock, with the right view.

    Parameters
    ----------
    docks : key of the dock of each panel that is in one.
    central : keys of central panels with several views, and of these views, which `docks` contains too. The panel shows
        the one that was raised in a dock; the dock is left out.

    Raises
    ------
    LayoutError
        When a field is missing, unknown or of another type, a number is out of range, or a panel is unknown or occurs
        twice.
    """

    def present_key(key: str) -> str:
        key = RENAMED_PANELS.get(key, key)
        if key not in docks:
            raise ValueError(f"must be the key of a panel, not {key[:40]!r}")
        return key

    layout: DockLayout
    layout, faults = read_data(DockLayout, data, {PanelKey: Codec(Text, present_key)})
    if faults:
        raise LayoutError(str(faults[0]))
    return _merged(layout, docks, central)


def _merged(layout: DockLayout, docks: Mapping[str, str], central: Collection[str]) -> DockLayout:
    """The layout with each dock in the place of the first of its panels; it shows the one that was raised, if any."""
    views = {docks[dock]: view for dock, view in layout.views.items() if docks[view] == docks[dock]}
    places: dict[str, str] = {}  # the panel in whose place each dock is
    panels = [key for part in layout.areas.values() for key in panels_of(part)]
    for key in (*panels, *(floating.panel for floating in layout.floating)):
        if key not in central:
            places.setdefault(docks[key], key)
    raised = {key for part in layout.areas.values() for key in _raised(part)}
    for key in panels:
        if key in raised and key != docks[key]:
            views.setdefault(docks[key], key)

    def part_of(part: LayoutPart) -> LayoutPart | None:
        if isinstance(part, TabGroup):
            kept = tuple(docks[key] for key in part.panels if places.get(docks[key]) == key)
            current = docks[part.current]
            return TabGroup(part.size, kept, current if current in kept else kept[0]) if kept else None
        inner = tuple(one for one in map(part_of, part.parts) if one is not None)
        if len(inner) < 2:
            return replace(inner[0], size=part.size) if inner else None
        return replace(part, parts=inner)

    areas = {area: merged for area, part in layout.areas.items() if (merged := part_of(part)) is not None}
    floating = tuple(
        replace(one, panel=docks[one.panel]) for one in layout.floating if places.get(docks[one.panel]) == one.panel
    )
    return replace(layout, areas=areas, floating=floating, views=views)


def _raised(part: LayoutPart) -> Iterator[str]:
    """Keys of the panels of a part that no tab covers."""
    if isinstance(part, TabGroup):
        yield part.current
    else:
        for inner in part.parts:
            yield from _raised(inner)


class WindowGeometry(TypedDict):
    """Position of the frame and size of the contents of a window, in pixels of the desktop."""

    x: Coordinate
    y: Coordinate
    width: WindowSize
    height: WindowSize
    state: Literal["normal", "maximized", "full screen"]


def geometry_to_data(window: QWidget) -> dict[str, Any]:
    """The `WindowGeometry` of a window."""
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
    found, faults = read_data(WindowGeometry, data)
    missing = [str(Fault((name,), "is missing")) for name in WindowGeometry.__annotations__ if name not in found]
    for problem in (*map(str, faults), *missing):
        raise LayoutError(problem)
    rect = QRect(found["x"], found["y"], found["width"], found["height"])
    screens = [screen for screen in QGuiApplication.screens() if screen.availableGeometry().intersects(rect)]
    screen = screens[0] if screens else QGuiApplication.primaryScreen()
    window.resize(rect.size().boundedTo(screen.availableSize()))
    if screens:
        window.move(rect.topLeft())
    if found["state"] == "maximized":
        window.setWindowState(window.windowState() | Qt.WindowState.WindowMaximized)
    elif found["state"] == "full screen":
        window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)
