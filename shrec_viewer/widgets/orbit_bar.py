"""The tool row above models that turn: one button an action, menus for views and shadings."""

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from shrec_viewer.widgets.icons import icon
from shrec_viewer.widgets.orbit_keys import ACTIONS, OrbitAction
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme

ICON = 18
"""Edge of an icon in pixels; eleven buttons fit into the narrowest dock of 320."""

MENUS = {"view": ("View", "Views: from where it is seen", "cube"), "shading": ("Shading", "Shading", "shading")}
"""Name, tool tip and icon of the two buttons that open menus."""

SHADINGS = ("flat", "smooth", "normals")
"""Actions of which one is on."""


class OrbitBar(QToolBar):
    """Buttons that tell which action was asked for; what is on is shown as it is told.

    Signals
    -------
    asked(name)
        Name of a row of `ACTIONS`.
    """

    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.actions_by_name: dict[str, QAction] = {}
        self._menus: dict[str, QToolButton] = {}
        self._shadings = QActionGroup(self)
        self.setIconSize(QSize(ICON, ICON))
        self.setAccessibleName(self.tr("3D view"))
        self.setStyleSheet("QToolBar { spacing: 1px; padding: 2px 4px; }")
        self._build()
        self.set_theme(current_theme())

    def set_on(self, name: str, on: bool) -> None:
        """Show an action as on or off; tells nobody."""
        self.actions_by_name[name].setChecked(on)

    def set_possible(self, name: str, possible: bool) -> None:
        """Enable an action, or not."""
        self.actions_by_name[name].setEnabled(possible)

    def is_possible(self, name: str) -> bool:
        """Whether an action is enabled."""
        return self.actions_by_name[name].isEnabled()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        for row in ACTIONS:
            if row.icon:
                self.actions_by_name[row.name].setIcon(icon(row.icon, theme))
        for place, button in self._menus.items():
            button.setIcon(icon(MENUS[place][2], theme))

    def _build(self) -> None:
        for row in ACTIONS:
            action = self.actions_by_name[row.name] = QAction(row.text, self)
            action.setData(row.name)
            action.setCheckable(row.is_switch)
            action.setToolTip(row.hint)
            if row.keys:
                action.setShortcutVisibleInContextMenu(True)
            action.triggered.connect(self._tell)
            if row.name in SHADINGS:
                self._shadings.addAction(action)
        self._add_menu("view")
        self._add_menu("shading")
        for row in ACTIONS:
            if row.place == "bar":
                if row.starts_group:
                    self.addSeparator()
                self._add_button(row)
        spring = QWidget()
        spring.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spring)
        for row in ACTIONS:
            if row.place == "end":
                self._add_button(row)

    def _add_button(self, row: OrbitAction) -> None:
        self.addAction(self.actions_by_name[row.name])
        button = self.widgetForAction(self.actions_by_name[row.name])
        button.setAccessibleName(row.text)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def _add_menu(self, place: str) -> None:
        name, tip, _ = MENUS[place]
        button = self._menus[place] = QToolButton()
        menu = QMenu(button)
        for row in ACTIONS:
            if row.place == place:
                if row.starts_group:
                    menu.addSeparator()
                action = self.actions_by_name[row.name]
                action.setText(f"{row.text}\t{row.keys[0]}" if row.keys else row.text)
                menu.addAction(action)
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setToolTip(tip)
        button.setAccessibleName(name)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.addWidget(button)

    @Slot()
    def _tell(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.asked.emit(action.data())

    def minimumSizeHint(self) -> QSize:
        """Qt override; what does not fit is behind an arrow."""
        return QSize(16 * SPACE, super().minimumSizeHint().height())
