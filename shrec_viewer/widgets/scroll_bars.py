"""Which scroll bars a view needs, decided by the room that it has without any."""

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QAbstractScrollArea

_ON, _OFF = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff


def choose_bars(area: QAbstractScrollArea, overflow: Callable[[QSize], tuple[bool, bool]]) -> None:
    """Show the scroll bars that are needed and hide the others.

    Left to themselves they ask the room that they leave: one comes, the view is laid out anew, then the other is needed
    or neither is, and so on without an end and without a turn for anything else.

    Parameters
    ----------
    area : resizes its viewport at once where bars come or go; what that calls must not call this again.
    overflow : whether what is shown is wider and whether it is taller than a viewport of a size.
    """
    whole = area.maximumViewportSize()
    high, wide = area.horizontalScrollBar().sizeHint().height(), area.verticalScrollBar().sizeHint().width()
    across = down = True
    for across, down in ((False, False), (False, True), (True, False), (True, True)):
        is_wide, is_tall = overflow(whole - QSize(wide * down, high * across))
        if is_wide <= across and is_tall <= down:
            break
    if area.horizontalScrollBarPolicy() != (policy := _ON if across else _OFF):
        area.setHorizontalScrollBarPolicy(policy)
    if area.verticalScrollBarPolicy() != (policy := _ON if down else _OFF):
        area.setVerticalScrollBarPolicy(policy)
