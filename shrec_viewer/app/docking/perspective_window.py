"""One perspective: a QMainWindow with a central panel and docks around it."""

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QTabBar,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.app.docking.default_layout import AREAS, DefaultSizes, move_onto_screen, place_dock
from shrec_viewer.app.docking.dock_tabs import DockTabs
from shrec_viewer.app.docking.panel_store import PanelStore
from shrec_viewer.app.startup.settings import LAYOUT_VERSION
from shrec_viewer.panels import PANELS, Perspective
from shrec_viewer.widgets.controls.empty_state import EmptyState
from shrec_viewer.widgets.style.icons import icon
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, text_font

TITLE_HEIGHT = 28
"""Pixels; as high as the tabs of docks that share a place."""


class DockTitleBar(QWidget):
    """Title bar of a dock; drag it to move the dock, double-click it to make it a window of its own.

    It is folded, and empty, until it is first unfolded: most docks stand behind tabs or nowhere, and a perspective is
    made of fifteen while a person waits.
    """

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._dock = dock
        self._parts: tuple[QLabel, QToolButton, QToolButton] | None = None
        self._folded = True
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(2 * SPACE, 0, SPACE, 0)

    def set_collapsed(self, folded: bool) -> None:
        """Take no room: the dock's name stands in a tab."""
        if folded == self._folded:
            return
        self._folded = folded
        for part in self._parts or self._make_parts():
            part.setHidden(self._folded)  # nothing left has no height; docks that move meanwhile may fold it again
        self.updateGeometry()

    def _make_parts(self) -> tuple[QLabel, QToolButton, QToolButton]:
        self._parts = name, floats, closes = QLabel(self._dock.windowTitle()), QToolButton(), QToolButton()
        name.setProperty("muted", True)
        name.setFixedHeight(TITLE_HEIGHT)  # docks ask for a size thousands of times: too often for an override
        closes.setToolTip("Close; the View menu brings it back")
        closes.setAccessibleName(f"Close {self._dock.windowTitle()}")
        closes.clicked.connect(self._dock.close)
        floats.clicked.connect(self._switch)
        for button in (floats, closes):
            button.setIconSize(QSize(14, 14))
            button.setMaximumHeight(TITLE_HEIGHT)
        self._dock.topLevelChanged.connect(self._name_switch)
        self._name_switch(self._dock.isFloating())
        self._row.addWidget(name, 1)
        self._row.addWidget(floats)
        self._row.addWidget(closes)
        self.set_theme(current_theme())
        return self._parts

    def changeEvent(self, event: QEvent) -> None:
        """Qt override; a font that was set does not follow that of the program."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._parts is not None:
            self._parts[0].setFont(text_font(self.font(), strong=True))

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        if self._parts is not None:
            name, floats, closes = self._parts
            name.setFont(text_font(QApplication.font(), strong=True))
            floats.setIcon(icon("float", theme, "muted"))
            closes.setIcon(icon("close", theme, "muted"))

    @Slot()
    def _switch(self) -> None:
        self._dock.setFloating(not self._dock.isFloating())

    @Slot(bool)
    def _name_switch(self, floating: bool) -> None:
        words = "Put {panel} back into the window" if floating else "Make {panel} a window of its own"
        if self._parts is not None:
            self._parts[1].setToolTip(words.format(panel=self._dock.windowTitle()))
            self._parts[1].setAccessibleName(words.format(panel=self._dock.windowTitle()))


class PerspectiveWindow(QMainWindow):
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
        self._titles: dict[str, DockTitleBar] = {}
        self.tabs = DockTabs(self)
        self.sizes = DefaultSizes(self, store)
        self._left = QByteArray()
        self._floating_docks: list[QDockWidget] = []
        self._is_shown = self._has_layout = self._is_moving = self._needs_default_sizes = self._is_retired = False
        self._wanted: list[str] = []  # docks in sight that wait for their panel, the next one first
        self._turns = QTimer(self, interval=1)  # one of 0 comes twice in some turns
        self._turns.timeout.connect(self._fill_next_dock)
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
            self._set_central_panel(EmptyState("grid", perspective.title.replace("&", ""), perspective.tip + "."))
        self.setCentralWidget(self._middle)
        for panel in PANELS:
            if panel.area != "centre":
                self._add_dock(panel.key, panel.title)

    @property
    def centre(self) -> str:
        """Key of the panel in the middle; "" where there is none."""
        return self._centre

    @property
    def has_layout(self) -> bool:
        """Whether docks have their places and sizes."""
        return self._has_layout

    @property
    def is_complete(self) -> bool:
        """Whether docks have their places, and those in sight their panels."""
        return self._has_layout and not self._is_moving and not self._turns.isActive()

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
            place_dock(self, key)
        dock.show()
        dock.raise_()
        move_onto_screen(dock)

    def arrange(self) -> None:
        """Put everything where it belongs: the arrangement of the house."""
        self._is_moving = self._needs_default_sizes = True  # docks pass through places where nobody sees them
        self.setUpdatesEnabled(False)
        self._set_laying_out(False)  # else all panels get other sizes after every step
        for dock in self._docks.values():
            dock.setFloating(False)
            self.removeDockWidget(dock)
        for panel in PANELS:
            if panel.area != "centre" and self.perspective.key in panel.perspectives:
                place_dock(self, panel.key)
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
        if self._has_layout and not self._floating_docks:
            return bytes(self.saveState(LAYOUT_VERSION).data())
        return bytes(self._left.data()) or None

    # Coming and going.

    def enter(self) -> None:
        """It is going to be shown: take the central panel, show what floats."""
        if self._centre and (widget := self._store.widget(self._centre)).parentWidget() is not self._middle:
            self._set_central_panel(widget)
        for dock in self._floating_docks:
            dock.show()
        self._floating_docks = []

    def leave(self) -> None:
        """Another perspective is going to be shown: hide what floats."""
        self._wanted.clear()  # they are wanted again when it is shown again
        if not self._has_layout:
            return
        self._left = self.saveState(LAYOUT_VERSION)
        self._floating_docks = [dock for dock in self._docks.values() if dock.isFloating() and dock.isVisible()]
        for dock in self._floating_docks:
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
            dock.toggleViewAction().toggled.disconnect(self._emit_docks_changed)
            if dock.isFloating():
                dock.hide()  # it is a window of its own
        self.hide()

    def give_back(self) -> bool:
        """Give one panel back to the store, where this is retired; False when there is none left."""
        for key in (self._centre, *self._docks):
            if key and self._has_panel(key):
                self._store.release_panel(key)
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
            move_onto_screen(dock)
        self._has_layout = True

    def _end_move(self) -> None:
        """All docks stand where they belong: fill those in sight, and no others."""
        self._is_moving = False
        self._show_titles()
        self._lay_out()
        for key, dock in self._docks.items():
            if dock.isVisible() and dock.geometry().right() >= 0 and dock.geometry().bottom() >= 0:
                self._queue_panel(key)  # Qt puts those behind a tab outside of the window

    def _queue_panel(self, key: str) -> None:
        """Fill a dock soon, and let nobody see it before.

        Panels come one in a turn of the event loop: to make those of a perspective in one go takes 150 ms.
        """
        if self._has_panel(key):
            return
        if key not in self._wanted:
            self._wanted.append(key)
        self.setUpdatesEnabled(False)
        self._turns.start()

    @Slot()
    def _fill_next_dock(self) -> None:
        if self._is_moving:
            self._end_move()
        while self._wanted:
            key = self._wanted.pop(0)
            if self._docks[key].isVisible() and not self._has_panel(key):
                self._claim(key)
                return
        self._turns.stop()
        self._apply_default_sizes_once()
        self.setUpdatesEnabled(True)
        self.docks_changed.emit()

    def _has_panel(self, key: str) -> bool:
        widget = self._store.peek(key)
        if key == self._centre:
            return widget is not None and widget.parentWidget() is self._middle
        return widget is not None and self._docks[key].widget() is widget

    def _set_central_panel(self, widget: QWidget) -> None:
        if (layout := self._middle.layout()) is not None:
            layout.addWidget(widget)
        widget.show()

    def _add_dock(self, key: str, title: str) -> None:
        dock = QDockWidget(title, self)
        dock.setObjectName(key)
        self._titles[key] = DockTitleBar(dock)
        dock.setTitleBarWidget(self._titles[key])
        dock.hide()
        dock.visibilityChanged.connect(self._follow_visibility)
        dock.topLevelChanged.connect(self._show_titles)
        dock.toggleViewAction().toggled.connect(self._emit_docks_changed)
        self._docks[key] = dock

    @Slot(bool)
    def _follow_visibility(self, visible: bool) -> None:
        dock = self.sender()
        if visible and not self._is_moving and isinstance(dock, QDockWidget):
            self._queue_panel(dock.objectName())
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
                self._titles[key].set_collapsed(bool(self.tabifiedDockWidgets(dock)) and not dock.isFloating())
        for bar in self.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            self.tabs.watch(bar)
            if not bar.accessibleName():
                bar.setAccessibleName("Panels")

    @Slot()
    def _emit_docks_changed(self, *_: object) -> None:
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

    def _apply_default_sizes_once(self) -> None:
        """Give the sizes of the house after an arrangement of the house, once its panels say how large they can be."""
        if self._needs_default_sizes:
            self._needs_default_sizes = False
            self._lay_out()
            self.sizes.give()
        self.sizes.recognise()

    def _lay_out(self) -> None:
        if (layout := self.layout()) is not None:
            layout.activate()

    def _set_laying_out(self, enabled: bool) -> None:
        if (layout := self.layout()) is not None:
            layout.setEnabled(enabled)
