"""Create each panel on first use and share it between perspectives."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from shrec_viewer.panels import PANELS, Panel
from shrec_viewer.viewmodels.session.session import Session

PANELS_BY_KEY: dict[str, Panel] = {panel.key: panel for panel in PANELS}
"""The rows of `PANELS` by their keys."""


class PanelStore(QObject):
    """The panels that were shown so far; a panel goes with the person from perspective to perspective.

    Signals
    -------
    made(key, widget)
        A panel was made.
    """

    made = Signal(str, QWidget)

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._home = QWidget(parent)  # of those that nobody shows
        self._home.hide()
        self._session = session
        self._panels: dict[str, QWidget] = {}

    def widget(self, key: str) -> QWidget:
        """The panel of a row of `PANELS`, made now if nobody has seen it yet.

        Raises
        ------
        KeyError
            When no row has this key.
        """
        if key not in self._panels:
            widget = self._panels[key] = PANELS_BY_KEY[key].factory(self._session)
            widget.setParent(self._home)
            widget.setObjectName(f"{key}_panel")
            self.made.emit(key, widget)
        return self._panels[key]

    @property
    def run_count(self) -> int:
        """Runs of what is open."""
        benchmark = self._session.benchmark
        return 0 if benchmark is None else len(benchmark.runs)

    def release_panel(self, key: str) -> None:
        """Take a panel that was made out of wherever it stands; what is around it is going to be deleted."""
        self._panels[key].setParent(self._home)

    def peek(self, key: str) -> QWidget | None:
        """The panel if it was made, else None."""
        return self._panels.get(key)

    def all_made(self) -> dict[str, QWidget]:
        """Every panel made so far, by its key."""
        return dict(self._panels)
