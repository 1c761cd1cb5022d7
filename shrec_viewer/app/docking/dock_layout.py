"""Positions and sizes of docks: defaults, reading and applying a saved layout, resizing with the window."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar

from shrec_viewer.app.docking.panel_store import PanelStore
from shrec_viewer.app.docking.panel_views import PanelViews
from shrec_viewer.app.docking.saved_layout import (
    MAX_PIXELS,
    MIN_FLOATING,
    AreaKey,
    DockLayout,
    FloatingPanel,
    LayoutPart,
    SplitDocks,
    TabGroup,
    panels_of,
)
from shrec_viewer.panels import docked_panels, panels_by_key

#: Qt's name of each of `AREA_KEYS`.
QT_AREAS: Mapping[AreaKey, Qt.DockWidgetArea] = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "top": Qt.DockWidgetArea.TopDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}

#: Those of the areas of `PANELS`.
AREAS = {area: QT_AREAS[area] for area in ("left", "right", "bottom")}

#: Docks of an area that are stacked vertically; further ones become tabs of these.
MAX_STACKED = {"left": 1, "right": 2, "bottom": 1}

#: Lines of text (tabs, names of views, fields, axes, legend) and further pixels (the curves) that a plot needs to be
#: readable. Docks at the right are stacked only if each gets this height: in a window of 1280 x 800 up to a text size
#: of 115 %.
STACKED_LINES, STACKED_PIXELS = 9, 140

#: Width of the query list in pixels, in which thumbnail, id, class and score bar are not elided; the same in lines of
#: text, for large fonts; and its minimum and maximum as a share of the window.
LEFT_WIDTH, LEFT_LINES, MIN_LEFT_SHARE, MAX_LEFT_SHARE = 232, 15, 0.15, 0.235

#: Width of the right area as a share of the window, and its limits in pixels: the controls of a plot need 316; above
#: 560 the ranked list gets too narrow. In a window of 1280 pixels, five medium cards fit in a row of the list.
RIGHT_SHARE, RIGHT_WIDTHS = 0.245, (316, 560)

#: Share of the width of the window that is left to the central panel, also where tabs at the right do not fit.
MIN_CENTRE_SHARE = 0.45

#: Maximum height of the bottom area as a share of the window, where the central panel takes all the height it gets.
BOTTOM_SHARE = 0.34

#: Maximum height of the bottom area where its panels need more than `BOTTOM_SHARE`, by the central panel ("": others):
#: below two lists, the differences have a summary and bars; the ranked list needs the height of a line of cards.
MAX_BOTTOM_SHARES = {"comparison": 0.5, "": 0.42}

#: Limits of the height of the bottom area below a central panel with a height hint, as shares of the window: the bottom
#: area gets the height that the central panel does not need.
REMAINING_SHARES = (0.42, 0.56)

#: Pixels of a tab besides its text.
TAB_PADDING = 26

#: Height in pixels of the tabs above a bottom panel, with their border.
TABS_HEIGHT = 32

#: Pixels of a floating dock's title bar that must be on a screen, so that it can be dragged.
MIN_VISIBLE = 48

#: Arguments of `QMainWindow.resizeDocks`: docks, pixels, orientation.
ResizeRequest = tuple[list[QDockWidget], list[int], Qt.Orientation]


def place_dock(window: QMainWindow, key: str) -> None:
    """Add a dock to its default area, stacked or tabbed with the docks there."""
    area = panels_by_key()[key].area
    dock = _dock(window, key)
    window.addDockWidget(AREAS[area], dock)
    present = [other for other in _docks_in_area(window, area) if other is not dock]
    if not present:
        return
    n_stacked = max_stacked(window, area)
    if len(present) < n_stacked:
        if window.tabifiedDockWidgets(present[-1]):
            return  # Qt 6.10 takes a dock out of its tabs to split it; the area of the new dock is enough
        window.splitDockWidget(present[-1], dock, Qt.Orientation.Vertical)
    else:
        # With the stacked dock that has the least text in its tabs: tabs that do not fit are scrolled.
        stacked = present[:n_stacked]
        window.tabifyDockWidget(min(stacked, key=lambda other: _tab_text_length(window, other)), dock)


def max_stacked(window: QMainWindow, area: str) -> int:
    """Number of docks of an area that are stacked vertically in a window of this height."""
    fits = window.height() >= MAX_STACKED[area] * readable_height(window)
    return MAX_STACKED[area] if fits else 1


def readable_height(window: QMainWindow) -> int:
    """Height in pixels of a plot whose curves can be read, with its tabs and fields."""
    return STACKED_LINES * window.fontMetrics().height() + STACKED_PIXELS


def _tab_text_length(window: QMainWindow, dock: QDockWidget) -> int:
    """Characters in the tabs of a dock and those tabbed with it."""
    return sum(len(other.windowTitle()) for other in (dock, *window.tabifiedDockWidgets(dock)))


def move_onto_screen(dock: QDockWidget, *, completely: bool = False) -> None:
    """Move a floating dock whose title bar is outside all screens onto the nearest one.

    Parameters
    ----------
    completely : also move a dock that is partly outside.
    """
    if not dock.isFloating() or dock.isHidden():
        return
    frame = dock.frameGeometry()
    for screen in QGuiApplication.screens():
        visible = screen.availableGeometry().intersected(frame.adjusted(0, 0, 0, MIN_VISIBLE - frame.height()))
        if visible.width() >= MIN_VISIBLE and visible.height() >= MIN_VISIBLE // 2 and not completely:
            return
    available = (dock.screen() or QGuiApplication.primaryScreen()).availableGeometry()
    dock.resize(dock.size().boundedTo(available.size()))
    left = min(max(frame.left(), available.left()), available.right() - dock.width())
    top = min(max(frame.top(), available.top()), available.bottom() - dock.height())
    dock.move(max(left, available.left()), max(top, available.top()))


def default_sizes(window: QMainWindow, store: PanelStore, centre: str) -> list[ResizeRequest]:
    """Default sizes of the docks in a window of this size."""
    requests: list[ResizeRequest] = []
    right = max(round(window.width() * RIGHT_SHARE), RIGHT_WIDTHS[0], _tabs_width(window, "right"))
    right = min(right, RIGHT_WIDTHS[1], max(_widest_right(window), RIGHT_WIDTHS[0]))
    left = _docks_in_area(window, "left")
    wanted = [hint() for dock in left if (hint := getattr(store.existing(dock.objectName()), "width_hint", None))]
    for area, width in (("left", max(_left_width(window), *wanted, 0)), ("right", right)):
        if docks := _docks_in_area(window, area):
            requests.append(([docks[0]], [width], Qt.Orientation.Horizontal))
    if docks := _docks_in_area(window, "bottom"):
        requests.append(([docks[0]], [_bottom_height(window, docks, store, centre)], Qt.Orientation.Vertical))
    stacked = _one_of_each_group(window, "right")[: max_stacked(window, "right")]
    if len(stacked) > 1:
        requests.append((stacked, [100] * len(stacked), Qt.Orientation.Vertical))  # equal heights
    return requests


def _left_width(window: QMainWindow) -> int:
    """Width of the left area in this font."""
    scaled = min(LEFT_LINES * window.fontMetrics().height(), round(MAX_LEFT_SHARE * window.width()))
    return max(LEFT_WIDTH, round(MIN_LEFT_SHARE * window.width()), scaled)


def _widest_right(window: QMainWindow) -> int:
    """Width of the right area that leaves `MIN_CENTRE_SHARE` of the window to the central panel."""
    return round((1 - MIN_CENTRE_SHARE) * window.width()) - _left_width(window)


def _docks_in_area(window: QMainWindow, area: str) -> list[QDockWidget]:
    """Open docks that are in their default area, in the order of `PANELS`."""
    docks = [_dock(window, panel.key) for panel in docked_panels() if panel.area == area]
    return [d for d in docks if not d.isFloating() and not d.isHidden() and window.dockWidgetArea(d) == AREAS[area]]


def _one_of_each_group(window: QMainWindow, area: str) -> list[QDockWidget]:
    """The docks of `_docks_in_area` without those that are tabs of an earlier one."""
    found: list[QDockWidget] = []
    for dock in _docks_in_area(window, area):
        if not set(window.tabifiedDockWidgets(dock)).intersection(found):
            found.append(dock)
    return found


def _tabs_width(window: QMainWindow, area: str) -> int:
    """Width in pixels of the longest row of tabs in an area; tabs that do not fit are scrolled."""
    metrics = window.fontMetrics()
    rows = [[dock, *window.tabifiedDockWidgets(dock)] for dock in _docks_in_area(window, area)]
    widths = [[metrics.horizontalAdvance(dock.windowTitle()) + TAB_PADDING for dock in row] for row in rows]
    return max((sum(row) for row in widths if len(row) > 1), default=0)


def _bottom_height(window: QMainWindow, docks: list[QDockWidget], store: PanelStore, centre: str) -> int:
    """Height of the bottom area: what the central panel does not need, else what the panels in the area need."""
    if (central := _height_hint(store, centre)) is not None:
        least, most = (round(window.height() * share) for share in REMAINING_SHARES)
        return min(max(window.height() - central[1], least), most)
    share = round(window.height() * BOTTOM_SHARE)
    hints = [hint for dock in docks if (hint := _height_hint(store, dock.objectName())) is not None]
    if not hints:
        return share
    minimum, preferred = (max(heights) + TABS_HEIGHT for heights in zip(*hints, strict=True))
    largest = MAX_BOTTOM_SHARES.get(centre, MAX_BOTTOM_SHARES[""])
    return max(min(preferred, share), min(minimum, round(window.height() * largest)))


def _height_hint(store: PanelStore, key: str) -> tuple[int, int] | None:
    """Minimum and preferred height of what a dock shows; None if it was not created or has no `height_hint`."""
    hint = getattr(store.existing(store.shown_view(key)), "height_hint", None)
    match None if hint is None else hint():
        case (int() as least, int() as preferred):
            contents = store.existing_contents(key)
            names = contents.names.sizeHint().height() if isinstance(contents, PanelViews) else 0
            return least + names, preferred + names
    return None  # also for other values of a plug-in


def minimum_height(window: QMainWindow, store: PanelStore, key: str) -> int:
    """Height in pixels below which a panel in a dock is not usable."""
    if panels_by_key()[store.shown_view(key)].is_plot:
        return readable_height(window)
    panel, hint = store.existing_contents(key), _height_hint(store, key)
    return max(hint[0] if hint else 0, panel.minimumSizeHint().height() if panel is not None else 0)


def _dock(window: QMainWindow, key: str) -> QDockWidget:
    dock = window.findChild(QDockWidget, key)
    assert dock is not None
    return dock


#: Milliseconds after the last resize event of the window until docks are resized: once per drag of its border.
RESIZE_DELAY_MS = 120

#: Milliseconds after which default sizes are applied again: wrapped text with another width needs another height,
#: which reaches the window through several posted layout requests (PySide6 6.10).
REPEAT_DELAY_MS = 50

#: Pixels by which a restored dock may differ from its default size, because of rounding.
SIZE_TOLERANCE = 4


class DefaultSizes(QObject):
    """Applies the default sizes of docks, and again when window or font are resized, until the user drags a separator.

    Parameters
    ----------
    window : a `PerspectiveWindow`.
    store : its panels.
    centre : key of its central panel; "" if there is none.

    Attributes
    ----------
    is_active : whether docks have their default sizes and follow the window.

    Signals
    -------
    resized()
        Window or font have another size; emitted before default sizes are applied.
    """

    resized = Signal()

    def __init__(self, window: QMainWindow, store: PanelStore, centre: str) -> None:
        super().__init__(window)
        self._window = window
        self._store = store
        self._centre = centre
        self.is_active = False
        self._is_pressed = False
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._follow)
        self._repeat_timer = QTimer(self, interval=REPEAT_DELAY_MS, singleShot=True)
        self._repeat_timer.timeout.connect(self._resize)
        window.installEventFilter(self)

    def apply(self) -> None:
        """Apply the default sizes, and follow the window from now on."""
        self.is_active = True
        self._resize()
        self._repeat_timer.start()

    @Slot()
    def _resize(self) -> None:
        if self.is_active and not self._is_pressed:
            for docks, pixels, direction in default_sizes(self._window, self._store, self._centre):
                self._window.resizeDocks(docks, pixels, direction)

    def keep(self) -> None:
        """Leave the docks in their sizes, and do not follow the window."""
        self.is_active = False
        self._repeat_timer.stop()

    def are_met(self) -> bool:
        """Whether the docks have their default sizes and follow the window."""
        return self.is_active and all(
            self._is_met(request) for request in default_sizes(self._window, self._store, self._centre)
        )

    def are_default(self) -> bool:
        """Whether docks follow the window, and are no larger than their default sizes: a small window squeezes them."""
        return self.is_active and all(
            self._is_met(request) or self._is_squeezed(request)
            for request in default_sizes(self._window, self._store, self._centre)
        )

    def stop(self) -> None:
        """Stop following the window, before it is deleted."""
        self._timer.stop()
        self._repeat_timer.stop()
        self._window.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; a mouse press between docks is received by the window itself."""
        kind = event.type()
        if kind in (QEvent.Type.Resize, QEvent.Type.FontChange, QEvent.Type.StyleChange):  # tabs follow the font
            self._timer.start(RESIZE_DELAY_MS if self._window.isVisible() else 0)
        elif kind == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent):
            self._is_pressed = self._window.isSeparator(event.position().toPoint())
        elif kind == QEvent.Type.MouseMove and self._is_pressed:
            self.is_active = False
        elif kind == QEvent.Type.MouseButtonRelease:
            self._is_pressed = False
        return super().eventFilter(watched, event)

    @Slot()
    def _follow(self) -> None:
        if self._window.isVisible() and not self._is_pressed:
            self.resized.emit()
            if self.is_active:
                self.apply()

    def _is_met(self, request: ResizeRequest) -> bool:
        docks, pixels, _ = request
        found = self._found(request)
        if len(docks) > 1:  # equal heights
            return max(found) - min(found) <= SIZE_TOLERANCE
        return abs(found[0] - pixels[0]) <= SIZE_TOLERANCE

    def _is_squeezed(self, request: ResizeRequest) -> bool:
        docks, pixels, _ = request
        return len(docks) == 1 and self._found(request)[0] < pixels[0]

    def _found(self, request: ResizeRequest) -> list[int]:
        docks, _, direction = request
        return [
            dock.width() if direction == Qt.Orientation.Horizontal else self.height_with_tabs(dock) for dock in docks
        ]

    def height_with_tabs(self, dock: QDockWidget) -> int:
        """Height of a dock including its tabs."""
        if not self._window.tabifiedDockWidgets(dock):
            return dock.height()
        bars = self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return dock.height() + next((bar.height() for bar in bars if bar.isVisible()), 0)


#: Smallest size in pixels that is requested for a dock: in an area as high as its tab bar, Qt moves all docks out of
#: the window (PySide6 6.10).
MIN_REQUEST = 64

ORIENTATIONS = {"horizontal": Qt.Orientation.Horizontal, "vertical": Qt.Orientation.Vertical}

Docks = Mapping[str, QDockWidget]

#: Rectangle of a tab group with its tabs, its panels, and the current one.
_PlacedGroup = tuple[QRect, tuple[str, ...], str]


def read_layout(
    window: QMainWindow,
    docks: Docks,
    *,
    has_default_sizes: bool,
    has_merged_stack: bool = False,
    views: Mapping[str, str] = MappingProxyType({}),
) -> DockLayout:
    """The current layout of the docks.

    Qt has no access to the nested splits of docks. They are found from the rectangles of the docks, which separators
    divide.

    Parameters
    ----------
    docks : by the keys of their panels.
    has_default_sizes, has_merged_stack, views : see `DockLayout`.
    """
    areas: dict[AreaKey, LayoutPart] = {}
    groups = _tab_groups(window, docks)
    for name, area in QT_AREAS.items():
        if placed := [group for group in groups if window.dockWidgetArea(docks[group[2]]) == area]:
            across = "horizontal" if name in ("left", "right") else "vertical"
            areas[name] = _part(placed, across)
    floating = (_floating(key, dock) for key, dock in docks.items() if dock.isFloating() and not dock.isHidden())
    is_merged = has_merged_stack and isinstance(areas.get("right"), TabGroup)
    return DockLayout(areas, tuple(floating), has_default_sizes, is_merged, views=dict(views))


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
