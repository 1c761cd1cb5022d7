"""What the person chose within panels, for projects: also of panels that nobody has seen yet."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from shrec_viewer.app.workspace import Workspace


class PanelStates(QObject):
    """Reads and gives back the states of panels that have one: `view_state()` and `take_view_state(state)`.

    Panels are made when they are first seen; what a project says of the others waits until then.
    """

    _opened = Signal()

    def __init__(self, workspace: "Workspace", parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._waiting: dict[str, Mapping[str, Any]] = {}
        workspace.panel_made.connect(self._give)
        # Queued: panels hear of what is opened in the order in which they were made, and start anew then.
        self._opened.connect(self._give_all, type=Qt.ConnectionType.QueuedConnection)

    def states(self) -> dict[str, dict[str, Any]]:
        """The states of all panels by their keys; where nobody has seen one, what was left for it."""
        states = {key: dict(state) for key, state in self._waiting.items()}
        for key, panel in self._workspace.panels().items():
            if (tell := getattr(panel, "view_state", None)) is not None and key not in states:
                states[key] = tell()
        return states

    def take(self, states: object) -> None:
        """Give panels their states, soon or when they are made; what is no table of tables is passed over."""
        table = states if isinstance(states, dict) else {}
        self._waiting = {str(key): state for key, state in table.items() if isinstance(state, dict)}
        self._opened.emit()

    def forget(self) -> None:
        """Something else is open: what waits is not for it."""
        self._waiting = {}

    @Slot()
    def _give_all(self) -> None:
        for key, panel in self._workspace.panels().items():
            self._give(key, panel)

    @Slot(str, QWidget)
    def _give(self, key: str, panel: QWidget) -> None:
        state = self._waiting.pop(key, None)
        if state is not None and (take := getattr(panel, "take_view_state", None)) is not None:
            take(state)
