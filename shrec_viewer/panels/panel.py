"""What a row of the table of panels says."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtWidgets import QWidget

from shrec_viewer.viewmodels.session import Session

Area = Literal["left", "centre", "right", "bottom"]


@dataclass(frozen=True)
class Panel:
    """A piece of the window that shows one side of the session.

    Attributes
    ----------
    key : name in settings and tests, never shown.
    title : of the dock.
    area : where it stands until the person moves it; ``"centre"`` is for the one panel of a perspective that everything
        surrounds.
    factory : makes the widget; it follows the session from then on and lets go of it when it is deleted.
    perspectives : keys of `PERSPECTIVES` in whose arrangement it stands from the start; elsewhere it can be called up.
    """

    key: str
    title: str
    area: Area
    factory: Callable[[Session], QWidget]
    perspectives: tuple[str, ...] = ("query", "compare", "campaign")
