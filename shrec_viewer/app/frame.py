"""What commands may ask of the window, and what must hold before they can run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtWidgets import QWidget

from shrec_viewer.app.settings import Settings


class Frame(Protocol):
    """What a command may ask of the window.

    Attributes
    ----------
    session, workspace : the store of what is open, and its views; None between the window's first picture and the end
        of its start.
    desk : what stands beside them: history, projects, palette, preferences.
    menus : the actions of all commands.
    shelf : the messages in sight.
    settings : what is remembered.
    """

    session: Any
    workspace: Any
    desk: Any
    menus: Any
    shelf: Any
    settings: Settings

    def as_widget(self) -> QWidget:
        """Parent of dialogs."""

    def open_path(self, path: Path) -> None:
        """Open a folder or file."""

    def open_demo(self) -> None:
        """Open the bundled benchmark."""

    def set_theme_choice(self, choice: str) -> None:
        """``"system"``, ``"light"`` or ``"dark"``."""

    def set_card_size(self, size: str) -> None:
        """``"S"``, ``"M"`` or ``"L"``."""

    def remember(self, settings: Settings) -> None:
        """Take over and write down other settings."""

    def tell(self, severity: str, text: str, details: str = "") -> None:
        """Put a message into the strip."""

    def close(self) -> bool:
        """End the program."""

    def showFullScreen(self) -> None:  # noqa: N802 - Qt's name
        """Fill the screen."""

    def showNormal(self) -> None:  # noqa: N802 - Qt's name
        """Fill it no longer."""

    def isFullScreen(self) -> bool:  # noqa: N802 - Qt's name
        """Whether it fills the screen."""


Test = Callable[[Frame], bool]


def always(frame: Frame) -> bool:
    """Nothing is needed."""
    return True


def has_benchmark(frame: Frame) -> bool:
    """A benchmark is open."""
    return frame.session is not None and frame.session.benchmark is not None


def has_queries(frame: Frame) -> bool:
    """There is a query to select."""
    return has_benchmark(frame) and len(frame.session.benchmark.queries) > 0


def has_runs(frame: Frame) -> bool:
    """There is a run to select."""
    return has_benchmark(frame) and len(frame.session.benchmark.runs) > 0


def has_list(frame: Frame) -> bool:
    """A ranked list is shown."""
    return has_benchmark(frame) and frame.session.ranked_list is not None and len(frame.session.ranked_list) > 0


def has_truth(frame: Frame) -> bool:
    """A ranked list is shown and it is known what is relevant."""
    return has_list(frame) and frame.session.benchmark.assessment is not None


def has_model(frame: Frame) -> bool:
    """A model is selected, of the list or of the collection."""
    if has_list(frame):
        return frame.session.selection.rank is not None
    return has_benchmark(frame) and frame.session.selection.model is not None


def has_pictures(frame: Frame) -> bool:
    """There are, or may come, pictures whose size can be chosen."""
    if not has_benchmark(frame):
        return True
    return any(path is not None for path in frame.session.benchmark.collection.paths)
