"""From panel to panel by the keyboard: which one has it, and which one is next."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QWidget

from shrec_viewer.app.arrangement import Arrangement


def in_sight(arrangement: Arrangement) -> list[str]:
    """Keys of the panels in sight: the middle first, then as one reads, from the top left, windows last."""
    docks = {key: dock for key, dock in arrangement.docks().items() if _is_seen(dock)}
    order = sorted(docks, key=lambda key: (docks[key].isFloating(), *_corner(arrangement, docks[key])))
    return ([arrangement.centre] if arrangement.centre else []) + order


def focused(arrangement: Arrangement) -> str:
    """Key of the panel that has the keyboard; "" where none has it."""
    widget = QApplication.focusWidget()
    names = {dock: key for key, dock in arrangement.docks().items()}
    while widget is not None:
        if isinstance(widget, QDockWidget) and widget in names:
            return names[widget]
        if widget is arrangement.centralWidget():
            return arrangement.centre
        widget = widget.parentWidget()
    return ""


def following(arrangement: Arrangement, by: int) -> list[str]:
    """Keys of the other panels in sight, beginning after the one that has the keyboard, or before it for `by` -1."""
    keys, now = in_sight(arrangement), focused(arrangement)
    if by < 0:
        keys.reverse()
    place = keys.index(now) + 1 if now in keys else 0
    return [key for key in keys[place:] + keys[:place] if key != now]


def give_keyboard(panel: QWidget) -> bool:
    """Let a panel have the keyboard: the largest of its views that takes keys; False where nothing in it does."""
    takers = [
        child
        for child in panel.findChildren(QWidget)
        if child.isVisible() and child.isEnabled() and child.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    if not takers:
        return False
    largest = max(takers, key=lambda child: child.width() * child.height())
    largest.window().activateWindow()
    largest.setFocus(Qt.FocusReason.ShortcutFocusReason)
    return True


def _is_seen(dock: QDockWidget) -> bool:
    return dock.isVisible() and not dock.visibleRegion().isEmpty()


def _corner(arrangement: Arrangement, dock: QDockWidget) -> tuple[int, int]:
    place = dock.mapTo(arrangement, QPoint()) if not dock.isFloating() else dock.pos()
    return place.x(), place.y()
