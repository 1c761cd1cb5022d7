"""Show everything once before memory is compared: a panel, dialog or menu created later would look like a leak."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QComboBox, QMenu, QToolButton
from shiboken6 import isValid
from soak_events import all_widgets

from shrec_viewer.panels import PANELS, PERSPECTIVES

MOMENT = 60
"""Milliseconds between two steps, enough for layout and painting."""

CORNER = QPoint(40, 40)


class Tour:
    """Shows perspectives, panels, commands, menus and drop-down lists, one per step.

    Parameters
    ----------
    window : the main window, with a benchmark.
    left_out : commands that end the session.
    note : called with a description before each step.
    """

    def __init__(self, window, left_out: set[str], note: Callable[[str], None]) -> None:
        self._window, self._note = window, note
        commands = [key for key in sorted(window.menus.actions) if key not in left_out]
        self._steps: list[Callable[[], object]] = [partial(self._show_perspective, row.key) for row in PERSPECTIVES]
        self._steps += [step for key in commands for step in (partial(self._run, key), close_front)]
        self._steps += [partial(self._show_perspective, row.key) for row in PERSPECTIVES]

    def step(self) -> bool:
        """Perform the next step; False after the last one."""
        if self._steps:
            step = self._steps.pop(0)
            self._note(f"tour {_name(step)}")
            step()
        return bool(self._steps)

    def _show_perspective(self, key: str) -> None:
        self._window.workspace.show_perspective(key)
        panels = [row.key for row in PANELS if key in row.perspectives and row.area != "centre"]
        self._steps[:0] = [partial(self._window.workspace.show_panel, panel) for panel in panels] + [self._see_choices]

    def _see_choices(self) -> None:
        """Open all drop-down lists and button menus of this perspective, visible or not."""
        lists = [widget for widget in all_widgets() if isinstance(widget, QComboBox)]
        buttons = [widget for widget in all_widgets() if isinstance(widget, QToolButton)]
        menus = [menu for button in buttons if (menu := button.menu()) is not None]
        menus += [widget for widget in all_widgets() if isinstance(widget, QMenu) and widget not in menus]
        for thing in (*lists, *menus):
            self._steps[:0] = [partial(_open, thing), close_front]

    def _run(self, key: str) -> None:
        if (action := self._window.menus.actions[key]).isEnabled():
            action.trigger()


def _name(step: Callable[[], object]) -> str:
    """Function and its first argument if that is a key."""
    if not isinstance(step, partial):
        return step.__name__
    return " ".join([step.func.__name__, *(arg for arg in step.args if isinstance(arg, str))])


def _open(thing: QComboBox | QMenu) -> None:
    if not isValid(thing):
        return
    if isinstance(thing, QMenu):
        thing.popup(CORNER)
    elif thing.isVisible():
        thing.showPopup()


def close_front() -> None:
    """Close menus, and reject dialogs."""
    while (popup := QApplication.activePopupWidget()) is not None and popup.isVisible():
        popup.close()
    for window in QApplication.topLevelWidgets():
        if window.isVisible() and hasattr(window, "reject"):
            window.reject()
