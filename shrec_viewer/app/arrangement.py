"""One perspective: its central panel and the docks around it, moved, floated and closed as the person likes."""

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QTabWidget, QVBoxLayout, QWidget

from shrec_viewer.app.dock_places import AREAS, into_sight, place
from shrec_viewer.app.dock_tabs import DockTabs
from shrec_viewer.app.dock_title import DockTitle
from shrec_viewer.app.house_sizes import HouseSizes
from shrec_viewer.app.panel_store import PanelStore
from shrec_viewer.app.settings import LAYOUT_VERSION
from shrec_viewer.panels import PANELS, Perspective
from shrec_viewer.widgets.empty_state import EmptyState


class Arrangement(QMainWindow):
    """A window within the window. It has a dock for every panel, but borrows the panels from `store` while it is shown.

    Parameters
    ----------
    perspective : which one; docks of its panels are open from the start, all others can be opened.
    store : makes the panels.

    Signals
    -------
    docks_changed()
        A dock was opened or closed.
    """

    docks_changed = Signal()

    def __init__(self, perspective: Perspective, store: PanelStore) -> None:
        super().__init__(None, Qt.WindowType.Widget)
        self.perspective = perspective
        self._store = store
        self._docks: dict[str, QDockWidget] = {}
        self._titles: dict[str, DockTitle] = {}
        self.tabs = DockTabs(self)
        self.sizes = HouseSizes(self, store)
        self._left = QByteArray()
        self._floating: list[QDockWidget] = []
        self._is_shown = self._is_arranged = self._is_moving = self._wants_sizes = self._is_retired = False
        self._wanted: list[str] = []  # docks in sight that wait for their panel, the next one first
        self._turns = QTimer(self, interval=1)  # one of 0 comes twice in some turns
        self._turns.timeout.connect(self._fill_next)
        centres = (panel for panel in PANELS if panel.area == "centre" and perspective.key in panel.perspectives)
        self._centre = next((panel.key for panel in centres), "")
        self.setObjectName(f"{perspective.key}_perspective")
        self.setDockNestingEnabled(True)
        for area in AREAS.values():
            self.setTabPosition(area, QTabWidget.TabPosition.North)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)  # graphs need the height
        # One for good, which borrows the panel: while a dock is dragged Qt keeps a copy of the layout, out of which it
        # would not take a middle that goes.
        self._middle = QWidget()
        QVBoxLayout(self._middle).setContentsMargins(0, 0, 0, 0)
        if not self._centre:
            self._put_in_middle(EmptyState("grid", perspective.title.replace("&", ""), perspective.tip + "."))
        self.setCentralWidget(self._middle)
        for panel in PANELS:
            if panel.area != "centre":
                self._add_dock(panel.key, panel.title)

    @property
    def centre(self) -> str:
        """Key of the panel in the middle; "" where there is none."""
        return self._centre

    @property
    def is_arranged(self) -> bool:
        """Whether docks have their places and sizes."""
        return self._is_arranged

    @property
    def is_complete(self) -> bool:
        """Whether docks have their places, and those in sight their panels."""
        return self._is_arranged and not self._is_moving and not self._turns.isActive()

    def dock(self, key: str) -> QDockWidget:
        """The dock of a row of `PANELS` that has one."""
        return self._docks[key]

    def docks(self) -> dict[str, QDockWidget]:
        """All docks by the keys of their panels."""
        return dict(self._docks)

    def is_open(self, key: str) -> bool:
        """Whether the dock stands somewhere, in front or behind a tab."""
        return not self._docks[key].isHidden()

    def open_dock(self, key: str) -> None:
        """Show the dock and bring it to the front; one that stands outside every screen comes into sight."""
        dock = self._docks[key]
        self._claim(key)
        if self.dockWidgetArea(dock) == Qt.DockWidgetArea.NoDockWidgetArea and not dock.isFloating():
            place(self, key)
        dock.show()
        dock.raise_()
        into_sight(dock)

    def arrange(self) -> None:
        """Put everything where it belongs: the arrangement of the house."""
        self._is_moving = self._wants_sizes = True  # docks pass through places where nobody sees them
        self.setUpdatesEnabled(False)
        self._set_laying_out(False)  # else all panels get other sizes after every step
        for dock in self._docks.values():
            dock.setFloating(False)
            self.removeDockWidget(dock)
        for panel in PANELS:
            if panel.area != "centre" and self.perspective.key in panel.perspectives:
                place(self, panel.key)
                self._docks[panel.key].show()
        self._raise_first()
        self._set_laying_out(True)
        self.sizes.give()
        self._turns.start()

    def restore(self, layout: bytes) -> None:
        """Put everything where the person left it, as soon as it is shown; called before that, or never."""
        self._left = QByteArray(layout)

    def layout_state(self) -> bytes | None:
        """Where everything stands; what was left before where it was never shown; None where there is neither."""
        if self._is_arranged and not self._floating:
            return bytes(self.saveState(LAYOUT_VERSION).data())
        return bytes(self._left.data()) or None

    # Coming and going.

    def enter(self) -> None:
        """It is going to be shown: take the central panel, show what floats."""
        if self._centre and (widget := self._store.widget(self._centre)).parentWidget() is not self._middle:
            self._put_in_middle(widget)
        for dock in self._floating:
            dock.show()
        self._floating = []

    def leave(self) -> None:
        """Another perspective is going to be shown: hide what floats."""
        self._wanted.clear()  # they are wanted again when it is shown again
        if not self._is_arranged:
            return
        self._left = self.saveState(LAYOUT_VERSION)
        self._floating = [dock for dock in self._docks.values() if dock.isFloating() and dock.isVisible()]
        for dock in self._floating:
            dock.hide()

    def retire(self) -> None:
        """It is going to be deleted: from now on it is hidden, takes no panel, tells nothing and listens to nothing.

        Its docks are deleted when it is half gone already, and tell of that: asked for its tabs then, it would crash.
        """
        self._is_moving = self._is_retired = True
        self._turns.stop()
        self.sizes.stop()
        self.docks_changed.disconnect()
        for dock in self._docks.values():
            dock.visibilityChanged.disconnect(self._follow_visibility)
            dock.topLevelChanged.disconnect(self._show_titles)
            dock.toggleViewAction().toggled.disconnect(self._tell_docks)
            if dock.isFloating():
                dock.hide()  # it is a window of its own
        self.hide()

    def give_back(self) -> bool:
        """Give one panel back to the store, where this is retired; False when there is none left."""
        for key in (self._centre, *self._docks):
            if key and self._is_filled(key):
                self._store.bring_home(key)
                return True
        return False

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override; sizes can be given, and given back, only once the layout has found the window's own."""
        super().showEvent(event)
        if not self._is_shown:
            self._is_shown = True
            self.setUpdatesEnabled(False)  # nobody sees the docks where Qt puts them first
            QTimer.singleShot(0, self._settle)

    @Slot()
    def _settle(self) -> None:
        # Once only: restoring a second time would leave Qt's tab bars of the first behind on the screen.
        if self._is_retired:
            return
        self._is_moving = True
        if self._left.isEmpty() or not self.restoreState(self._left, LAYOUT_VERSION):
            self.arrange()
        else:
            self._turns.start()
        for dock in self._docks.values():
            into_sight(dock)
        self._is_arranged = True

    def _end_move(self) -> None:
        """All docks stand where they belong: fill those in sight, and no others."""
        self._is_moving = False
        self._show_titles()
        self._lay_out()
        for key, dock in self._docks.items():
            if dock.isVisible() and dock.geometry().right() >= 0 and dock.geometry().bottom() >= 0:
                self._want(key)  # Qt puts those behind a tab outside of the window

    def _want(self, key: str) -> None:
        """Fill a dock soon, and let nobody see it before.

        Panels come one in a turn of the event loop: to make those of a perspective in one go takes 150 ms.
        """
        if self._is_filled(key):
            return
        if key not in self._wanted:
            self._wanted.append(key)
        self.setUpdatesEnabled(False)
        self._turns.start()

    @Slot()
    def _fill_next(self) -> None:
        if self._is_moving:
            self._end_move()
        while self._wanted:
            key = self._wanted.pop(0)
            if self._docks[key].isVisible() and not self._is_filled(key):
                self._claim(key)
                return
        self._turns.stop()
        self._give_sizes_once()
        self.setUpdatesEnabled(True)
        self.docks_changed.emit()

    def _is_filled(self, key: str) -> bool:
        widget = self._store.peek(key)
        if key == self._centre:
            return widget is not None and widget.parentWidget() is self._middle
        return widget is not None and self._docks[key].widget() is widget

    def _put_in_middle(self, widget: QWidget) -> None:
        if (layout := self._middle.layout()) is not None:
            layout.addWidget(widget)
        widget.show()

    def _add_dock(self, key: str, title: str) -> None:
        dock = QDockWidget(title, self)
        dock.setObjectName(key)
        self._titles[key] = DockTitle(dock)
        dock.setTitleBarWidget(self._titles[key])
        dock.hide()
        dock.visibilityChanged.connect(self._follow_visibility)
        dock.topLevelChanged.connect(self._show_titles)
        dock.toggleViewAction().toggled.connect(self._tell_docks)
        self._docks[key] = dock

    @Slot(bool)
    def _follow_visibility(self, visible: bool) -> None:
        dock = self.sender()
        if visible and not self._is_moving and isinstance(dock, QDockWidget):
            self._want(dock.objectName())
        self._show_titles()

    def _claim(self, key: str) -> None:
        """Take the panel from wherever it was shown before."""
        widget = self._store.widget(key)
        if self._docks[key].widget() is not widget:
            self._docks[key].setWidget(widget)
            widget.show()

    @Slot()
    def _show_titles(self, *_: object) -> None:
        """A dock in a row of tabs has its title there already."""
        if self._is_moving:
            return
        for key, dock in self._docks.items():
            if not dock.isHidden():
                self._titles[key].set_folded(bool(self.tabifiedDockWidgets(dock)) and not dock.isFloating())
        for bar in self.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            self.tabs.watch(bar)
            if not bar.accessibleName():
                bar.setAccessibleName(self.tr("Panels"))

    @Slot()
    def _tell_docks(self, *_: object) -> None:
        if self.isVisible():
            self.docks_changed.emit()

    def _raise_first(self) -> None:
        """In a row of tabs the panel that stands first in the table is in front."""
        seen: set[QDockWidget] = set()
        for dock in self._docks.values():
            others = self.tabifiedDockWidgets(dock)
            if not dock.isHidden() and others and dock not in seen:
                dock.raise_()
                seen.update(others)

    def _give_sizes_once(self) -> None:
        """Give the sizes of the house after an arrangement of the house, once its panels say how large they can be."""
        if self._wants_sizes:
            self._wants_sizes = False
            self._lay_out()
            self.sizes.give()
        self.sizes.recognise()

    def _lay_out(self) -> None:
        if (layout := self.layout()) is not None:
            layout.activate()

    def _set_laying_out(self, enabled: bool) -> None:
        if (layout := self.layout()) is not None:
            layout.setEnabled(enabled)
