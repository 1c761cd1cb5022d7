"""Read the layout of the docks of a window, and arrange docks in a layout."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar

from shrec_viewer.app.docking.default_layout import ResizeRequest, place_dock
from shrec_viewer.app.docking.saved_layout import (
    MAX_PIXELS,
    MIN_FLOATING,
    DockLayout,
    FloatingPanel,
    LayoutPart,
    SplitDocks,
    TabGroup,
    panels_of,
)

QT_AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "top": Qt.DockWidgetArea.TopDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}
"""Qt's name of each of `AREA_KEYS`."""

MIN_REQUEST = 64
"""Smallest size in pixels that is requested for a dock: in an area as high as its tab bar, Qt moves all docks out of
the window (PySide6 6.10)."""

ORIENTATIONS = {"horizontal": Qt.Orientation.Horizontal, "vertical": Qt.Orientation.Vertical}

Docks = Mapping[str, QDockWidget]

_PlacedGroup = tuple[QRect, tuple[str, ...], str]
"""Rectangle of a tab group with its tabs, its panels, and the current one."""


def read_layout(window: QMainWindow, docks: Docks, *, has_default_sizes: bool) -> DockLayout:
    """The current layout of the docks.

    Qt has no access to the nested splits of docks. They are found from the rectangles of the docks, which separators
    divide.

    Parameters
    ----------
    docks : by the keys of their panels.
    """
    areas: dict[str, LayoutPart] = {}
    groups = _tab_groups(window, docks)
    for name, area in QT_AREAS.items():
        if placed := [group for group in groups if window.dockWidgetArea(docks[group[2]]) == area]:
            across = "horizontal" if name in ("left", "right") else "vertical"
            areas[name] = _part(placed, across)
    floating = (_floating(key, dock) for key, dock in docks.items() if dock.isFloating() and not dock.isHidden())
    return DockLayout(areas, tuple(floating), has_default_sizes)


def arrange_docks(window: QMainWindow, docks: Docks, layout: DockLayout) -> None:
    """Arrange and show the docks of a layout; all docks must be closed.

    Call `raise_current` and apply `size_requests` afterwards, when the layout of the window is enabled.
    """
    for name, part in layout.areas.items():
        window.addDockWidget(QT_AREAS[name], docks[_first(part)])
        _arrange_part(window, docks, part)
    for key in [key for part in layout.areas.values() for key in panels_of(part)]:
        docks[key].show()
    for panel in layout.floating:
        dock = docks[panel.panel]
        place_dock(window, panel.panel)  # its position when it is docked again
        dock.show()
        dock.setFloating(True)
        size = QSize(panel.width, panel.height).boundedTo(window.screen().virtualSize())
        dock.setGeometry(QRect(QPoint(panel.x, panel.y), size))


def raise_current(docks: Docks, layout: DockLayout) -> None:
    """Raise the current panel of each tab group."""
    groups = list(layout.areas.values())
    for part in groups:
        if isinstance(part, SplitDocks):
            groups.extend(part.parts)
        elif len(part.panels) > 1:
            docks[part.current].raise_()


def size_requests(docks: Docks, layout: DockLayout) -> list[ResizeRequest]:
    """Arguments for `resizeDocks`, to be applied in this order: outer splits first.

    The size of a dock applies to the innermost split of that direction, and changes the sizes of those around it. After
    all requests, each split has the sum of the sizes of its parts.
    """
    requests: list[ResizeRequest] = []
    for name, part in layout.areas.items():
        across = Qt.Orientation.Horizontal if name in ("left", "right") else Qt.Orientation.Vertical
        requests.append(([docks[_first(part)]], [max(part.size, MIN_REQUEST)], across))
        _add_requests(requests, docks, part)
    return requests


def _tab_groups(window: QMainWindow, docks: Docks) -> list[_PlacedGroup]:
    keys = {dock: key for key, dock in docks.items() if not dock.isHidden() and not dock.isFloating()}
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    by_titles = {tuple(sorted(bar.tabText(tab) for tab in range(bar.count()))): bar for bar in bars}
    groups: list[_PlacedGroup] = []
    found: set[QDockWidget] = set()
    for dock in keys:
        if dock in found:
            continue
        group = [dock, *(other for other in window.tabifiedDockWidgets(dock) if other in keys)]
        found.update(group)
        rect, current = dock.geometry(), dock
        bar = by_titles.get(tuple(sorted(other.windowTitle() for other in group)))
        if len(group) > 1 and bar is not None:  # its tabs may be in another order than `tabifiedDockWidgets`
            titles = [bar.tabText(tab) for tab in range(bar.count())]
            group.sort(key=lambda other: titles.index(other.windowTitle()))
            current = group[max(bar.currentIndex(), 0)]
            rect = current.geometry().united(bar.geometry())
        groups.append((rect, tuple(keys[other] for other in group), keys[current]))
    return groups


def _floating(key: str, dock: QDockWidget) -> FloatingPanel:
    x, y = (_clamp(value, -MAX_PIXELS) for value in (dock.x(), dock.y()))
    width, height = (_clamp(value, MIN_FLOATING) for value in (dock.width(), dock.height()))
    return FloatingPanel(key, x, y, width, height)


def _part(groups: Sequence[_PlacedGroup], across: str) -> LayoutPart:
    """Tab groups as a tree of splits; the size of the root is measured in the direction `across`."""
    size = _clamp(_extent(groups, across), 1)
    if len(groups) == 1:
        return TabGroup(size, groups[0][1], groups[0][2])
    along = "vertical" if across == "horizontal" else "horizontal"
    for direction in (along, across):
        if len(parts := _divide(groups, direction)) > 1:
            return SplitDocks(size, direction, tuple(_part(part, direction) for part in parts))
    # Rectangles that overlap, as while docks are being moved: one after the other.
    ordered = sorted(groups, key=lambda group: _start(group, along))
    return SplitDocks(size, along, tuple(_part([group], along) for group in ordered))


def _divide(groups: Sequence[_PlacedGroup], direction: str) -> list[list[_PlacedGroup]]:
    """Groups divided where a line across the direction cuts none of them."""
    parts: list[list[_PlacedGroup]] = []
    end = 0
    for group in sorted(groups, key=lambda other: _start(other, direction)):
        start = _start(group, direction)
        if not parts or start >= end:
            parts.append([])
            end = start
        parts[-1].append(group)
        end = max(end, start + _extent([group], direction))
    return parts


def _start(group: _PlacedGroup, direction: str) -> int:
    return group[0].left() if direction == "horizontal" else group[0].top()


def _extent(groups: Sequence[_PlacedGroup], direction: str) -> int:
    rect = QRect()
    for group in groups:
        rect = rect.united(group[0])
    return rect.width() if direction == "horizontal" else rect.height()


def _clamp(value: int, least: int) -> int:
    return min(max(value, least), MAX_PIXELS)


def _first(part: LayoutPart) -> str:
    return next(panels_of(part))


def _arrange_part(window: QMainWindow, docks: Docks, part: LayoutPart) -> None:
    """Arrange the docks of a part around its first one, which has its position."""
    if isinstance(part, TabGroup):
        for key in part.panels[1:]:
            window.tabifyDockWidget(docks[part.panels[0]], docks[key])
        return
    for left, right in pairwise(part.parts):
        window.splitDockWidget(docks[_first(left)], docks[_first(right)], ORIENTATIONS[part.direction])
    for inner in part.parts:
        _arrange_part(window, docks, inner)


def _add_requests(requests: list[ResizeRequest], docks: Docks, part: LayoutPart) -> None:
    if isinstance(part, SplitDocks):
        firsts = [docks[_first(inner)] for inner in part.parts]
        requests.append((firsts, [max(inner.size, MIN_REQUEST) for inner in part.parts], ORIENTATIONS[part.direction]))
        for inner in part.parts:
            _add_requests(requests, docks, inner)
