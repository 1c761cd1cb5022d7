"""One perspective: a QMainWindow with a central panel and docks around it, moved by their tabs."""

from dataclasses import replace
from typing import cast

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QMenu,
    QRubberBand,
    QTabBar,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.app.docking.dock_layout import (
    AREAS,
    MIN_REQUEST,
    DefaultSizes,
    arrange_docks,
    max_stacked,
    minimum_height,
    move_onto_screen,
    place_dock,
    raise_current,
    read_layout,
    size_requests,
)
from shrec_viewer.app.docking.panel_store import PanelStore
from shrec_viewer.app.docking.panel_views import PanelViews
from shrec_viewer.app.docking.saved_layout import DockLayout, SplitDocks, TabGroup
from shrec_viewer.panels import Perspective, all_panels, dock_of, docked_panels, views_of
from shrec_viewer.panels.panel import WIDE_WINDOW, BasePanel
from shrec_viewer.widgets.controls.context_menu import panel_actions
from shrec_viewer.widgets.controls.controls import ElidingLine, EmptyState, area_on_screen
from shrec_viewer.widgets.controls.plain_text import PlainLabel, escape_mnemonic, set_tooltip, without_mnemonic
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon, text_font

#: Pixels from the tab bar at which a dragged tab is detached; closer, Qt reorders the tabs.
DETACH_DISTANCE = 24

#: Position of the mouse in a dock that is being dragged: in its title bar.
DRAG_OFFSET = QPoint(60, 12)

#: Height of the window in pixels below which the bottom area is collapsed at first where docks have default sizes.
MIN_EXPANDED_HEIGHT = 720

#: Qt's largest size of a widget, which PySide6 does not have: no limit.
QWIDGETSIZE_MAX = 2**24 - 1

#: Pixels along the edges of the window where a dragged dock is dropped into that area.
EDGE_WIDTH = 48


def float_dock(dock: QDockWidget, cursor: QPoint | None = None) -> None:
    """Float a dock in its current size, under the cursor (global coordinates) or slightly offset."""
    size = dock.size()
    corner = dock.mapToGlobal(QPoint(DETACH_DISTANCE, DETACH_DISTANCE)) if cursor is None else cursor - DRAG_OFFSET
    dock.setFloating(True)
    dock.setGeometry(QRect(corner, size))
    dock.show()
    if cursor is None:
        move_onto_screen(dock, completely=True)


class PanelDock(QDockWidget):
    """Dock of a panel, with a frame while it floats.

    Qt draws no frame around docks with a title bar of the program (6.10, X11).
    """

    @property
    def panel(self) -> QWidget | None:
        """The panel that the dock shows, which may have several views; None before the first one."""
        contents = self.widget()
        return contents.view if isinstance(contents, PanelViews) else contents

    @Slot()
    def toggle_floating(self) -> None:
        """Float the dock, or dock it again."""
        if self.isFloating():
            self.setFloating(False)
        else:
            float_dock(self)

    def open_menu(self, parent: QWidget, position: QPoint) -> None:
        """Open the menu of the dock at a global position: float, close, and the actions of its panel."""
        menu, title = QMenu(parent), self.windowTitle()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(f"{'Dock' if self.isFloating() else 'Float'} {title}").triggered.connect(self.toggle_floating)
        menu.addAction(f"Close {title}").triggered.connect(self.close)
        menu.addSeparator()
        menu.addActions(panel_actions(self.panel))
        menu.popup(position)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the dock on its title and the names of its views; panels have menus of their own."""
        panel = self.panel
        if panel is not None and panel.isVisible() and panel.rect().contains(panel.mapFrom(self, event.pos())):
            super().contextMenuEvent(event)
        else:
            self.open_menu(self, event.globalPos())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        super().paintEvent(event)
        if self.isFloating():
            painter = QPainter(self)
            painter.setPen(current_theme().colour("line_strong"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            painter.end()


class DockTabs(QObject):
    """Event filter of the tab bars of a window with docks, whose tabs Qt can only reorder.

    A tab dragged out of its tab bar becomes a floating dock that follows the mouse. Dropped on another dock it becomes
    a tab there, at an edge of the window it moves to that area; a rubber band shows the target. A double click floats
    the dock, a middle click closes it, and the context menu of a tab offers both.

    Parameters
    ----------
    window : its docks have distinct titles, by which tabs are matched with docks.

    Signals
    -------
    dropped(dock)
        A dock was dropped on another one or at an edge.
    tab_clicked(dock, was_current)
        A tab was clicked; emitted again by a double click, which ends in the state before it.
    resized()
        A tab bar has another size.
    """

    dropped = Signal(QDockWidget)
    tab_clicked = Signal(QDockWidget, bool)
    resized = Signal()

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._pressed: PanelDock | None = None
        self._pressed_current = False
        self._dragged: PanelDock | None = None
        self._frame = QRubberBand(QRubberBand.Shape.Rectangle, window)

    def watch(self, bar: QTabBar) -> None:
        """Filter the events of a tab bar; Qt ignores a second installation."""
        bar.installEventFilter(self)

    def dock_at(self, bar: QTabBar, point: QPoint) -> PanelDock | None:
        """The dock whose tab is at a point of a tab bar."""
        title = bar.tabText(bar.tabAt(point)) if bar.tabAt(point) >= 0 else None
        return next((dock for dock in self._docked() if dock.windowTitle() == title), None)

    def _docked(self) -> list[PanelDock]:
        docks = self._window.findChildren(PanelDock, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return [dock for dock in docks if not dock.isHidden() and not dock.isFloating()]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override."""
        is_hide = event.type() == QEvent.Type.Hide
        # The type first: see `PanelExport.eventFilter`.
        if (is_hide or isinstance(event, QMouseEvent)) and watched is self._dragged and self._dragged is not None:
            if isinstance(event, QMouseEvent):
                return self._drag_dock(self._dragged, event)
            self._end_drag(self._dragged)
        if isinstance(watched, QTabBar):
            if event.type() == QEvent.Type.Resize:
                self.resized.emit()
            if isinstance(event, QContextMenuEvent) and (dock := self.dock_at(watched, event.pos())) is not None:
                dock.open_menu(watched, event.globalPos())
                return True
            if isinstance(event, QMouseEvent):
                return self._handle_tab_event(watched, event)
        return False

    # Events of tab bars.

    def _handle_tab_event(self, bar: QTabBar, event: QMouseEvent) -> bool:
        kind, point = event.type(), event.position().toPoint()
        if kind == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._pressed_current = self.dock_at(bar, point), bar.tabAt(point) == bar.currentIndex()
        elif kind == QEvent.Type.MouseButtonDblClick and (dock := self.dock_at(bar, point)) is not None:
            self._pressed = None
            self.tab_clicked.emit(dock, True)
            float_dock(dock)
            return True
        elif kind == QEvent.Type.MouseButtonRelease:
            pressed, self._pressed = self._pressed, None
            if pressed is not None and pressed is self.dock_at(bar, point):
                self.tab_clicked.emit(pressed, self._pressed_current)
            if event.button() == Qt.MouseButton.MiddleButton and (dock := self.dock_at(bar, point)) is not None:
                dock.close()
                return True
        elif kind == QEvent.Type.MouseMove and self._pressed is not None:
            margin = DETACH_DISTANCE
            if not bar.rect().adjusted(-margin, -margin, margin, margin).contains(point):
                self._detach(bar, event)
                return True
        return False

    def _detach(self, bar: QTabBar, event: QMouseEvent) -> None:
        dock, self._pressed = self._pressed, None
        if dock is None:
            return
        left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
        position, modifiers = event.position(), event.modifiers()
        # End the reordering drag of the tab bar first: the tab is removed while it is being moved otherwise.
        release = QMouseEvent(QEvent.Type.MouseButtonRelease, position, event.globalPosition(), left, none, modifiers)
        QApplication.sendEvent(bar, release)
        float_dock(dock, event.globalPosition().toPoint())
        self._dragged = dock
        dock.installEventFilter(self)
        dock.grabMouse()  # not the tab bar: Qt deletes it with its last tab

    # Events of the dragged dock.

    def _drag_dock(self, dock: PanelDock, event: QMouseEvent) -> bool:
        cursor = event.globalPosition().toPoint()
        is_released = event.type() == QEvent.Type.MouseButtonRelease
        if is_released or (event.type() == QEvent.Type.MouseMove and not event.buttons()):  # released elsewhere
            self._end_drag(dock)
            if is_released:
                self._drop(dock, cursor)
        elif event.type() == QEvent.Type.MouseMove:
            dock.move(cursor - DRAG_OFFSET)
            target = self._drop_target(dock, cursor)
            self._frame.setVisible(target is not None)
            if target is not None:
                self._frame.setGeometry(target[0])
                self._frame.raise_()
        else:
            return False
        return True

    def _end_drag(self, dock: QDockWidget) -> None:
        self._dragged = None
        dock.releaseMouse()
        dock.removeEventFilter(self)
        self._frame.hide()

    def _drop(self, dock: QDockWidget, cursor: QPoint) -> None:
        found = self._drop_target(dock, cursor)
        if found is None:
            return
        _, target = found
        dock.setFloating(False)
        if isinstance(target, QDockWidget):
            self._window.tabifyDockWidget(target, dock)
        else:
            self._window.addDockWidget(target, dock)
        dock.show()
        self.dropped.emit(dock)
        dock.raise_()

    def _drop_target(
        self, dragged: QDockWidget, cursor: QPoint
    ) -> tuple[QRect, QDockWidget | Qt.DockWidgetArea] | None:
        """Rectangle in the window, and the dock to tab with or the area; None if the dock stays floating."""
        point, rect = self._window.mapFromGlobal(cursor), self._window.rect()
        if not rect.contains(point):
            return None
        for area, edge in (
            ("left", QRect(0, 0, EDGE_WIDTH, rect.height())),
            ("right", QRect(rect.width() - EDGE_WIDTH, 0, EDGE_WIDTH, rect.height())),
            ("bottom", QRect(0, rect.height() - EDGE_WIDTH, rect.width(), EDGE_WIDTH)),
        ):
            if edge.contains(point):
                return edge, AREAS[area]
        docks = (dock for dock in self._docked() if dock is not dragged and not area_on_screen(dock).isEmpty())
        target = next((dock for dock in docks if dock.geometry().contains(point)), None)
        return None if target is None else (target.geometry(), target)


#: Height of a title bar in pixels, the same as of the tabs of tabbed docks, and of the line of that with the focus.
TITLE_HEIGHT, UNDERLINE = 28, 2


class DockTitleBar(QWidget):
    """Title bar of a dock; dragging it moves the dock, a double click floats it.

    It is collapsed, and its widgets are not created, until it is first expanded: each perspective has some fifteen
    docks, most of which are closed or tabbed.
    """

    def __init__(self, dock: PanelDock) -> None:
        super().__init__(dock)
        self._dock = dock
        self._parts: tuple[QLabel, ElidingLine, QToolButton] | None = None
        self._is_collapsed = True
        self._is_focused = False
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(2 * SPACE, 0, SPACE, 0)

    @property
    def scope(self) -> ElidingLine | None:
        """What the panel shows, at the right of the title; None while that is shown in a tab."""
        return None if self._is_collapsed or self._parts is None else self._parts[1]

    def set_focused(self, is_focused: bool) -> None:
        """Underline the title while the focus is in the panel."""
        if is_focused != self._is_focused:
            self._is_focused = is_focused
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the line below the title, as tabs have it."""
        if self._is_focused and not self._is_collapsed and self._parts is not None:
            title, painter = self._parts[0].geometry(), QPainter(self)
            line = QRect(title.left(), self.height() - UNDERLINE, title.width(), UNDERLINE)
            painter.fillRect(line, current_theme().colour("accent"))
            painter.end()

    def set_collapsed(self, collapsed: bool) -> None:
        """Hide the contents; the title is shown in a tab."""
        if collapsed == self._is_collapsed:
            return
        self._is_collapsed = collapsed
        for part in self._parts or self._create_parts():
            # Not `collapsed`: Qt may emit the signals that call this method while parts are being hidden.
            part.setHidden(self._is_collapsed)
        self.updateGeometry()

    def _create_parts(self) -> tuple[QLabel, ElidingLine, QToolButton]:
        title = PlainLabel(without_mnemonic(self._dock.windowTitle()), muted=True)
        scope = ElidingLine(token="muted", is_right=True)
        self._parts = title, scope, button = title, scope, QToolButton()
        title.setFixedHeight(TITLE_HEIGHT)  # the layout of docks calls sizeHint thousands of times: no Python override
        set_tooltip(button, "Float, close, copy and export")
        button.setAccessibleName(f"Menu of {title.text()}")
        button.setIconSize(QSize(14, 14))
        button.setMaximumHeight(TITLE_HEIGHT)
        button.clicked.connect(self._open_menu)
        self._row.addWidget(title)
        self._row.addWidget(scope, 1)
        self._row.addWidget(button)
        self.set_theme(current_theme())
        return self._parts

    def changeEvent(self, event: QEvent) -> None:
        """Qt override; a font set on a label does not follow the font of the application."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._parts is not None:
            self._parts[0].setFont(text_font(self.font(), bold=True))

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme."""
        if self._parts is not None:
            title, _, button = self._parts
            title.setFont(text_font(QApplication.font(), bold=True))
            button.setIcon(icon("more", theme, "muted"))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt override; Qt itself would float the dock exactly above its previous position."""
        event.accept()
        self._dock.toggle_floating()

    @Slot()
    def _open_menu(self) -> None:
        if self._parts is not None:
            button = self._parts[2]
            self._dock.open_menu(button, button.mapToGlobal(button.rect().bottomLeft()))


def default_views(perspective: Perspective) -> dict[str, str]:
    """The views that docks show at first in a perspective, unless the first one; both by the keys of their panels."""
    rows = (panel for panel in all_panels() if panel.view_of and perspective.key in panel.perspectives)
    return {panel.view_of: panel.key for panel in rows}


class PerspectiveWindow(QMainWindow):
    """A nested main window with a dock for every panel; the panels belong to `store` and are shared.

    A dock gets its panel when it becomes visible. Qt emits `visibilityChanged` in the middle of its layout code, where
    docks must not change, and also for docks that are only moved temporarily while a layout is restored. So visible
    docks are filled by a 0 ms timer, all at once: creating the panels of a perspective takes 150 ms (shrec06, two
    cores). Until then the window is not repainted, which hides intermediate positions and empty docks.

    Parameters
    ----------
    perspective : its docks are open in the default layout; all other docks can be opened.
    store : creates the panels.

    Attributes
    ----------
    centre : key of the central panel; "" if there is none.
    is_collapsed : whether the bottom area is closed to the titles of its panels.

    Signals
    -------
    docks_changed()
        A dock was opened or closed, or all docks were laid out.
    """

    docks_changed = Signal()

    def __init__(self, perspective: Perspective, store: PanelStore, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlags(Qt.WindowType.Widget)  # the constructor of `QMainWindow` makes it a window
        self.perspective = perspective
        self._store = store
        self._docks: dict[str, PanelDock] = {}
        self._titles: dict[str, DockTitleBar] = {}
        self.tabs = DockTabs(self)
        self.tabs.dropped.connect(self.tab_if_low)
        self.tabs.tab_clicked.connect(self._follow_click)
        # Queued: Qt resizes tab bars while it deletes a widget, whose class `findChildren` asks for. Without it, the
        # program ends with std::bad_typeid (PySide6 6.10.3).
        self.tabs.resized.connect(self.show_scopes, Qt.ConnectionType.QueuedConnection)
        cast(QApplication, QApplication.instance()).focusChanged.connect(self._show_focus)
        self._saved_layout: DockLayout | None = None
        self._layout_to_size: DockLayout | None = None
        self._floating_docks: list[QDockWidget] = []
        self._docked: list[QDockWidget] = []  # since the last event of the main loop
        self._was_shown = self._has_layout = self._is_moving = self._is_entered = self._is_discarded = False
        self._has_merged_stack = False  # whether docks at the right are tabs because the window is too low
        self.is_collapsed = False
        self._collapses = False  # whether the bottom area is to be collapsed when the layout is complete
        self._is_low = False  # whether it is collapsed only because the window is low, which is no part of the layout
        self._expanded_height = 0  # of the bottom area while it is collapsed
        self._views: dict[str, str] = {}  # key of the view last shown here, by that of its dock
        self._empty_docks: set[str] = set()  # visible docks to fill with their panels
        self._fill_timer = QTimer(self, interval=0, singleShot=True)
        self._fill_timer.timeout.connect(self._fill_docks)
        centres = (panel for panel in all_panels() if panel.area == "centre" and perspective.key in panel.perspectives)
        self.centre = next((panel.key for panel in centres), "")
        self.sizes = DefaultSizes(self, store, self.centre)
        self.sizes.resized.connect(self._restack)
        self.setObjectName(f"{perspective.key}_perspective")
        self.setDockNestingEnabled(True)
        for area in AREAS.values():
            self.setTabPosition(area, QTabWidget.TabPosition.North)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)  # plots need the height
        # A permanent container for the central panel: Qt copies the layout while a dock is dragged, and a central
        # widget that is replaced during the drag would remain in that copy.
        self._central_container = QWidget(self)
        QVBoxLayout(self._central_container).setContentsMargins(0, 0, 0, 0)
        if not self.centre:
            self._set_central_panel(EmptyState("grid", perspective.title.replace("&", ""), perspective.tip + "."))
        self.setCentralWidget(self._central_container)
        for panel in docked_panels():
            self._add_dock(panel.key, panel.dock_title or panel.title)

    def _add_dock(self, key: str, title: str) -> None:
        dock = PanelDock(escape_mnemonic(title), self)  # Qt uses the window title as the text of the tab
        dock.setObjectName(key)
        self._titles[key] = DockTitleBar(dock)
        dock.setTitleBarWidget(self._titles[key])
        dock.hide()
        dock.visibilityChanged.connect(self._follow_visibility)
        dock.topLevelChanged.connect(self._follow_floating)
        dock.toggleViewAction().toggled.connect(self._emit_docks_changed)
        self._docks[key] = dock

    @property
    def is_complete(self) -> bool:
        """Whether docks have positions, and visible docks their panels."""
        return self._has_layout and not self._is_moving and not self._fill_timer.isActive()

    def dock(self, key: str) -> PanelDock:
        """The dock that a panel is in; the panel must not be a central one."""
        return self._docks[dock_of(key)]

    def shown_panel(self, key: str) -> str:
        """Key of the panel that a dock shows, by the key of the dock."""
        return self._store.shown_view(key)

    @property
    def shown_centre(self) -> str:
        """Key of the central panel, or of the view of it that is shown; "" if there is none."""
        return self.shown_panel(self.centre) if self.centre else ""

    def show_central_view(self, key: str) -> None:
        """Show the central panel, or a view of it."""
        self._views[self.centre] = key
        self._store.show_view(key)

    def docks(self) -> dict[str, PanelDock]:
        """All docks by the keys of their panels."""
        return dict(self._docks)

    def is_open(self, key: str) -> bool:
        """Whether the dock is open, also if another tab covers it."""
        return not self.dock(key).isHidden()

    def set_collapsed(self, collapsed: bool) -> None:
        """Close the bottom area to the titles of its panels, or give it its former height."""
        if collapsed == self.is_collapsed:
            return
        docks = self._bottom_docks()
        if collapsed:
            self._expanded_height = max((self.sizes.height_with_tabs(dock) for dock in docks), default=0)
        self.is_collapsed, self._is_low = collapsed, self._is_low and collapsed
        self._fit_bottom()
        if not collapsed and docks:
            self._activate_layout()
            self.resizeDocks(docks[:1], [max(self._expanded_height, MIN_REQUEST)], Qt.Orientation.Vertical)
            if self.sizes.is_active:
                self.sizes.apply()
        self.docks_changed.emit()

    def _bottom_docks(self) -> list[PanelDock]:
        """Open docks of the bottom area, also those behind other tabs."""
        bottom = Qt.DockWidgetArea.BottomDockWidgetArea
        return [
            dock
            for dock in self._docks.values()
            if not dock.isHidden() and not dock.isFloating() and self.dockWidgetArea(dock) == bottom
        ]

    def _fit_bottom(self) -> None:
        """Leave only the titles of the docks that are in the collapsed bottom area, and the contents of all others."""
        collapsed = self._bottom_docks() if self.is_collapsed else []
        for key, dock in self._docks.items():
            is_collapsed = dock in collapsed
            height = self._titles[key].sizeHint().height() if is_collapsed else QWIDGETSIZE_MAX
            if dock.maximumHeight() != height:
                dock.setMaximumHeight(height)
                if self._has_panel(key):
                    dock.widget().setHidden(is_collapsed)

    @Slot(QDockWidget, bool)
    def _follow_click(self, dock: QDockWidget, was_current: bool) -> None:
        """Collapse the bottom area after a click on the tab of its current panel; expand it after one on any tab."""
        if dock in self._bottom_docks() and (was_current or self.is_collapsed):
            self.set_collapsed(not self.is_collapsed)

    def open_dock(self, key: str) -> None:
        """Open the dock of a panel, raise it, and move it onto a screen if it is outside all of them."""
        dock, view = self.dock(key), key
        key = dock.objectName()
        self._views[key] = view
        self._fill_dock(key)
        self._store.show_view(view)
        if self.dockWidgetArea(dock) == Qt.DockWidgetArea.NoDockWidgetArea and not dock.isFloating():
            place_dock(self, key)
        area = self.dockWidgetArea(dock)
        is_first = all(other.isHidden() or self.dockWidgetArea(other) != area for other in self._docks.values())
        dock.show()
        if dock in self._bottom_docks():
            self.set_collapsed(False)
        self.tab_if_low(dock)
        dock.raise_()
        move_onto_screen(dock)
        if is_first and self.sizes.is_active and not self._is_moving:
            self.sizes.apply()  # Qt gives an area that was empty the size hint of the panel

    @Slot(QDockWidget)
    def tab_if_low(self, dock: QDockWidget) -> None:
        """Make a dock that was just opened a tab of the one above it, if it left too little height for either."""
        if self._is_moving or dock.isFloating() or not self.isVisible() or self.tabifiedDockWidgets(dock):
            return
        self._activate_layout()
        column = [other for other in self._stacked_with(dock) if other is not dock]
        if any(other.height() < minimum_height(self, self._store, other.objectName()) for other in [dock, *column]):
            above = [other for other in column if other.y() < dock.y()]
            if nearest := max(above, key=QDockWidget.y, default=min(column, key=QDockWidget.y, default=None)):
                self.tabifyDockWidget(nearest, dock)

    def _stacked_with(self, dock: QDockWidget) -> list[QDockWidget]:
        """Visible docks of the same area above and below a dock, and the dock itself."""
        area, left, right = self.dockWidgetArea(dock), dock.geometry().left(), dock.geometry().right()
        return [
            other
            for other in self._docks.values()
            if other.isVisible() and not other.isFloating() and self.dockWidgetArea(other) == area
            and other.geometry().left() <= right and other.geometry().right() >= left
        ]  # fmt: skip

    @Slot()
    def _restack(self) -> None:
        """Make tabs of the stacked docks at the right if they are too low now, and stack them again if they are not."""
        if self._is_moving:
            return
        right, docks = self._read_layout().areas.get("right"), self._docks
        fits = max_stacked(self, "right") > 1
        if isinstance(right, SplitDocks) and right.direction == "vertical" and not fits and self.sizes.is_active:
            first, *others = right.parts
            if all(isinstance(part, TabGroup) for part in right.parts) and isinstance(first, TabGroup):
                for key in (key for part in others if isinstance(part, TabGroup) for key in part.panels):
                    self.tabifyDockWidget(docks[first.panels[-1]], docks[key])
                docks[first.current].raise_()
                self._has_merged_stack = True
        elif isinstance(right, TabGroup) and fits and self._has_merged_stack:
            self._has_merged_stack = False
            self._set_layout_enabled(False)  # Qt 6.10 moves docks that are added to an area without a size out of view
            for key in right.panels:
                self.removeDockWidget(docks[key])
            for key in (key for key in docks if key in right.panels):
                place_dock(self, key)
                docks[key].show()
            self._set_layout_enabled(True)
            self._activate_layout()
            self._raise_first_tabs()
            docks[right.current].raise_()
            self._apply_sizes()
        else:
            return
        self._activate_layout()
        self._update_titles()

    # Layout.

    def reset_layout(self) -> None:
        """Arrange the docks in the default layout."""
        self._saved_layout = None
        if self._has_layout:
            self._arrange()

    def restore(self, layout: DockLayout | None) -> None:
        """Set the layout of the first `show`; None for the default layout."""
        self._saved_layout = layout

    def layout_state(self) -> DockLayout | None:
        """The current layout; before the first `enter` that passed to `restore`, after `leave` that of then."""
        if self._has_layout and self._is_entered and not self._is_moving:
            return self._read_layout()
        return self._saved_layout

    def _read_layout(self) -> DockLayout:
        views = {key: self._store.shown_view(key) for key in self._view_keys if self._has_panel(key)}
        self._views |= {key: view for key, view in views.items() if len(views_of(key)) > 1}
        found = read_layout(
            self,
            self._docks,
            has_default_sizes=self.sizes.are_default(),
            has_merged_stack=self._has_merged_stack,
            views={key: view for key, view in self._views.items() if view != key},
        )
        if not self.is_collapsed or "bottom" not in found.areas:
            return found
        bottom = replace(found.areas["bottom"], size=max(self._expanded_height, MIN_REQUEST))
        return replace(found, areas={**found.areas, "bottom": bottom}, is_collapsed=not self._is_low)

    def _arrange(self) -> None:
        """Close all docks, and open and arrange those of the saved layout, else of the default layout."""
        layout = self._layout_to_size = self._saved_layout
        self.set_collapsed(False)
        self._views = default_views(self.perspective) if layout is None else dict(layout.views)
        self._is_moving = True
        self._set_layout_enabled(False)  # otherwise all panels are resized after every step
        for dock in self._docks.values():
            dock.setFloating(False)
            self.removeDockWidget(dock)
        also = self.perspective.wide if layout is None and self.width() >= WIDE_WINDOW else ()
        if layout is None:
            for panel in docked_panels():
                if self.perspective.key in panel.perspectives and panel.key not in also:
                    place_dock(self, panel.key)
                    self._docks[panel.key].show()
            self._raise_first_tabs()
            for dock in (self._docks[key] for key in also):
                self.addDockWidget(AREAS["right"], dock)
                if dock is not self._docks[also[0]]:
                    self.tabifyDockWidget(self._docks[also[0]], dock)
                dock.show()
            self._has_merged_stack = max_stacked(self, "right") == 1 and not also
        else:
            arrange_docks(self, self._docks, layout)
            self._has_merged_stack = layout.has_merged_stack
        self._set_layout_enabled(True)
        if layout is not None:
            self._activate_layout()
            raise_current(self._docks, layout)
        elif also:
            self._docks[also[0]].raise_()
        self._apply_sizes()
        for dock in self._docks.values():
            move_onto_screen(dock)
        self._collapses = layout is not None and layout.is_collapsed
        is_low = self.window().height() < MIN_EXPANDED_HEIGHT and (layout is None or layout.has_default_sizes)
        self._is_low = is_low and not self._collapses
        self._schedule_fill()

    def _apply_sizes(self) -> None:
        """Apply the sizes of the layout that was arranged last, else the default sizes."""
        layout = self._layout_to_size
        if layout is not None:
            for docks, pixels, direction in size_requests(self._docks, layout):
                self.resizeDocks(docks, pixels, direction)
        if layout is None or layout.has_default_sizes:
            self.sizes.apply()
        else:
            self.sizes.keep()

    def enter(self) -> None:
        """Take the central panel and show floating docks, before the window is shown."""
        self._is_entered = True
        if self.centre and not self._has_panel(self.centre):
            self._set_central_panel(self._store.contents(self.centre, self._central_container))
            self._store.show_view(self._views.get(self.centre, self.centre))
        for dock in self._floating_docks:
            dock.show()
        self._floating_docks = []

    def leave(self) -> None:
        """Hide floating docks, before another perspective is shown."""
        if not self._has_layout:
            return
        self._saved_layout = self.layout_state()
        self._is_entered = False
        self._floating_docks = [dock for dock in self._docks.values() if dock.isFloating() and dock.isVisible()]
        for dock in self._floating_docks:
            dock.hide()

    def discard(self) -> None:
        """Prepare for deletion: hide, disconnect all slots, return the panels to the store.

        Docks emit `visibilityChanged` while the window is being destroyed; a slot that calls `tabifiedDockWidgets` then
        crashes.
        """
        self._is_moving = self._is_discarded = True
        self._fill_timer.stop()
        self.sizes.stop()
        self.docks_changed.disconnect()
        for dock in self._docks.values():
            dock.visibilityChanged.disconnect(self._follow_visibility)
            dock.topLevelChanged.disconnect(self._follow_floating)
            dock.toggleViewAction().toggled.disconnect(self._emit_docks_changed)
            if dock.isFloating():
                dock.hide()  # a floating dock is a top-level window
        self.hide()
        for key in (self.centre, *self._docks):
            if key and self._has_panel(key):
                self._store.release(key)

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override; `resizeDocks` needs the final size of the window, known after this event."""
        super().showEvent(event)
        if not self._was_shown:
            self._was_shown = True
            self.setUpdatesEnabled(False)
            QTimer.singleShot(0, self._apply_layout)

    @Slot()
    def _apply_layout(self) -> None:
        if not self._is_discarded:
            self._has_layout = True
            self._arrange()

    def _activate_layout(self) -> None:
        if (layout := self.layout()) is not None:
            layout.activate()

    def _set_layout_enabled(self, enabled: bool) -> None:
        if (layout := self.layout()) is not None:
            layout.setEnabled(enabled)

    def _raise_first_tabs(self) -> None:
        """Raise the first dock of each tab bar, in the order of `PANELS`."""
        seen: set[QDockWidget] = set()
        for dock in self._docks.values():
            others = self.tabifiedDockWidgets(dock)
            if not dock.isHidden() and others and dock not in seen:
                dock.raise_()
                seen.update(others)

    # Panels in docks.

    @Slot(bool)
    def _follow_visibility(self, visible: bool) -> None:
        dock = self.sender()
        if visible and not self._is_moving and isinstance(dock, QDockWidget) and not self._has_panel(dock.objectName()):
            self._empty_docks.add(dock.objectName())
            self._schedule_fill()
        self._update_titles()

    def _schedule_fill(self) -> None:
        self.setUpdatesEnabled(False)
        self._fill_timer.start()

    @Slot()
    def _fill_docks(self) -> None:
        """Put panels into visible docks; after a change of the layout, also update titles and sizes."""
        was_moving, needs_default_sizes = self._is_moving, False
        if was_moving:
            self._is_moving = False
            for key in [key for key in self._view_keys if self._has_panel(key)]:
                self._store.show_view(self._views.get(key, key))
            self._update_titles()
            self._activate_layout()
            self._restack()  # the layout may be that of a session with another font or screen
            # Qt moves docks that are covered by another tab to negative positions.
            self._empty_docks.update(
                key
                for key, dock in self._docks.items()
                if dock.geometry().right() >= 0 and dock.geometry().bottom() >= 0
            )
        for key in [key for key in self._docks if key in self._empty_docks]:
            if self._docks[key].isVisible():
                self._fill_dock(key)
                needs_default_sizes = self.sizes.is_active  # the panel may need more height
        self._empty_docks.clear()
        if was_moving or needs_default_sizes:
            self._activate_layout()
        if was_moving:
            self._apply_sizes()  # again: minimum sizes of the panels are known now
            self.set_collapsed(self._collapses or self._is_low)
        elif needs_default_sizes:
            self.sizes.apply()
        for widget in (self, *self._docks.values()):  # Qt leaves out docks that became windows while it was disabled
            widget.setUpdatesEnabled(True)
        self.show_scopes()
        self.docks_changed.emit()

    def _fill_dock(self, key: str) -> None:
        """Move a panel into its dock, out of that of another perspective."""
        if not self._has_panel(key):
            widget = self._store.contents(key, self._docks[key])
            self._docks[key].setWidget(widget)
            widget.setHidden(self.is_collapsed and self._docks[key] in self._bottom_docks())
            self._store.show_view(self._views.get(key, key))

    @property
    def _view_keys(self) -> tuple[str, ...]:
        """Keys of what may have several views: the central panel, and the docks."""
        return (self.centre, *self._docks) if self.centre else tuple(self._docks)

    def _has_panel(self, key: str) -> bool:
        widget = self._store.existing_contents(key)
        if key == self.centre:
            return widget is not None and widget.parentWidget() is self._central_container
        return widget is not None and self._docks[key].widget() is widget

    def _set_central_panel(self, widget: QWidget) -> None:
        if (layout := self._central_container.layout()) is not None:
            layout.addWidget(widget)
        widget.show()

    @Slot(bool)
    def _follow_floating(self, floating: bool) -> None:
        """Update titles now, and again when Qt has removed the dock from its tab bar (after the signal, in 6.10)."""
        self._update_titles()
        dock = self.sender()
        if not floating and isinstance(dock, QDockWidget):
            self._docked.append(dock)
        QTimer.singleShot(0, self._finish_floating)

    @Slot()
    def _finish_floating(self) -> None:
        """Also raise docks that were just docked, as by dragging their title bars; make tabs of those that are too low.

        Qt 6.10 gives the space of a dock that leaves its tabs to the next tab: default sizes are applied again.
        """
        self._update_titles()
        docked, self._docked = self._docked, []
        for dock in docked:
            self.tab_if_low(dock)
            dock.raise_()
        if self.sizes.is_active and not self._is_moving:
            self.sizes.apply()

    @Slot()
    def _update_titles(self, *_: object) -> None:
        """Collapse the title bars of tabbed docks, and watch new tab bars."""
        if self._is_moving:
            return
        for key, dock in self._docks.items():
            if not dock.isHidden():
                self._titles[key].set_collapsed(bool(self.tabifiedDockWidgets(dock)) and not dock.isFloating())
        self._fit_bottom()
        for bar in self._tab_bars():
            self.tabs.watch(bar)
            if bar.elideMode() != Qt.TextElideMode.ElideNone:  # Qt elides each title to its first letters (6.10)
                bar.setElideMode(Qt.TextElideMode.ElideNone)
                bar.setUsesScrollButtons(True)
            if not bar.accessibleName():
                bar.setAccessibleName("Panels")
        self.show_scopes()

    def _tab_bars(self) -> list[QTabBar]:
        return self.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)

    @Slot()
    def show_scopes(self) -> None:
        """Show what each visible panel is about, at the right of its title or of its tabs."""
        for key, title in self._titles.items():
            if title.scope is not None:
                title.scope.setText(*self._scope_of(key))
        for bar in self._tab_bars():
            if (scope := next(iter(bar.findChildren(ElidingLine)), None)) is None:
                scope = ElidingLine(token="muted", is_right=True, parent=bar)
                scope.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            current = self.tabs.dock_at(bar, bar.tabRect(bar.currentIndex()).center())
            left = bar.tabRect(bar.count() - 1).right() + 2 * SPACE
            scope.setGeometry(left, 0, bar.width() - left - 2 * SPACE, bar.height())
            scope.setText(*(("",) if current is None else self._scope_of(current.objectName())))
            scope.setVisible(scope.width() > 0)
        self._show_focus()

    @Slot()
    def _show_focus(self, *_: object) -> None:
        """Underline the title of the panel with the focus."""
        if not self.isVisible():
            return
        focus = QApplication.focusWidget()
        with_focus = next((dock for dock in self._docks.values() if dock.isAncestorOf(focus)), None) if focus else None
        for dock, title in zip(self._docks.values(), self._titles.values(), strict=True):
            title.set_focused(dock is with_focus)
        for bar in self._tab_bars():
            current = self.tabs.dock_at(bar, bar.tabRect(bar.currentIndex()).center())
            is_focused = current is not None and current is with_focus
            if bool(bar.property("focused")) != is_focused:
                bar.setProperty("focused", is_focused)
                bar.style().polish(bar)  # again, as the style sheet depends on the property

    def _scope_of(self, key: str) -> tuple[str, ...]:
        panel = self._store.existing(self.shown_panel(key))
        return panel.shown_scope() if isinstance(panel, BasePanel) else ("",)

    @Slot()
    def _emit_docks_changed(self, *_: object) -> None:
        if self.isVisible():
            self.docks_changed.emit()
