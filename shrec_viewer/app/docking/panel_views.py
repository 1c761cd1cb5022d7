"""A panel with several views in one dock, and a row with their names."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QTabBar, QWidget

from shrec_viewer.panels import Panel
from shrec_viewer.widgets.controls.layouts import column_of
from shrec_viewer.widgets.controls.plain_text import escape_mnemonic


class PanelViews(QWidget):
    """The views of a dock, one of which is shown; the store creates each when it is first shown.

    Parameters
    ----------
    rows : of the views, in the order of their names; the first one is shown at first.

    Attributes
    ----------
    key : key of the row that is shown.

    Signals
    -------
    view_needed(key)
        The view of a row is about to be shown for the first time; the receiver calls `add_view`.
    """

    view_needed = Signal(str)

    def __init__(self, rows: Sequence[Panel], title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keys = [row.key for row in rows]
        self._views: dict[str, QWidget] = {}
        self.names = QTabBar()
        self.names.setProperty("views", True)
        self.names.setAccessibleName(f"Views of {title}")
        self.names.setExpanding(False)
        self.names.setDrawBase(False)
        self.names.setUsesScrollButtons(True)
        self.names.setElideMode(Qt.TextElideMode.ElideNone)  # names that do not fit are scrolled
        for index, row in enumerate(rows):
            self.names.addTab(escape_mnemonic(row.view_title or row.title))
            self.names.setTabToolTip(index, row.description)
        # No stacked layout: its minimum size is that of the largest view, also of one that is not shown.
        self._column = column_of(self.names, spacing=0, margins=0)
        self.setLayout(self._column)
        self.names.currentChanged.connect(self._show_tab)

    @property
    def key(self) -> str:
        """See `PanelViews`."""
        return self._keys[self.names.currentIndex()]

    @property
    def view(self) -> QWidget | None:
        """The view that is shown; None before the first one."""
        return self._views.get(self.key)

    def add_view(self, key: str, view: QWidget) -> None:
        """Put a view into the dock, out of where it was."""
        self._views[key] = view
        self._column.addWidget(view, 1)

    def show_view(self, key: str) -> None:
        """Show the view of a row."""
        if key != self.key:
            self.names.setCurrentIndex(self._keys.index(key))
        else:
            self._show_tab()

    @Slot()
    def _show_tab(self, *_: object) -> None:
        if self.view is None:
            self.view_needed.emit(self.key)
        for view in self._views.values():
            view.setVisible(view is self.view)
