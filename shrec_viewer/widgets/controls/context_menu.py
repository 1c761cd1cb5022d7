"""Context menus, which end with the actions of the panel that contains them."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QTextEdit, QWidget

#: Object name of the action that opens the export dialog of a panel.
EXPORT_ACTION = "export_panel"

#: Dynamic property of the actions of a widget that are for all of its contents.
PANEL_ACTION = "of_panel"


def panel_actions(widget: QWidget | None) -> list[QAction]:
    """The actions for all contents of the panel that contains a widget; empty outside of panels."""
    while widget is not None:
        actions = [action for action in widget.actions() if action.property(PANEL_ACTION)]
        if actions:
            return actions
        widget = widget.parentWidget()
    return []


def trigger_export(widget: QWidget) -> None:
    """Open the export dialog of the panel around a widget."""
    for action in panel_actions(widget):
        if action.objectName() == EXPORT_ACTION:
            action.trigger()


class PanelMenu(QMenu):
    """A menu that adds the actions of the panel around its parent when it opens."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.aboutToShow.connect(self._add_panel_actions)

    @Slot()
    def _add_panel_actions(self) -> None:
        if not set(panel_actions(self.parentWidget())) & set(self.actions()):
            self.addSeparator()
            self.addActions(panel_actions(self.parentWidget()))


class ContextMenu(PanelMenu):
    """A menu with the actions of the panel that is deleted when it closes."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)


def open_text_menu(field: QTextEdit | QPlainTextEdit, event: QContextMenuEvent) -> None:
    """Open the standard menu of a field of text with the actions of the panel around it."""
    menu = field.createStandardContextMenu()
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.addSeparator()
    menu.addActions(panel_actions(field))
    menu.popup(event.globalPos())
