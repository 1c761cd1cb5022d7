"""Help and column buttons of a score table, and actions to add and remove measures."""

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QBoxLayout, QMenu, QToolButton

from shrec_viewer.viewmodels.scores.score_tables import ScoreTableModel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.plain_text import escape_mnemonic
from shrec_viewer.widgets.style.icons import icon
from shrec_viewer.widgets.style.theme import Theme
from shrec_viewer.widgets.style.tooltips import set_tooltip
from shrec_viewer.widgets.tables.score_columns import ScoreColumnChooser
from shrec_viewer.widgets.tables.score_table import ScoreTable


class ScoreTableButtons(QObject):
    """Buttons for the measure help and the columns of a table; also opens the help requested from column headers.

    Added measures are shown, also those that were hidden before they were removed.

    Parameters
    ----------
    table : the table that displays `model`.
    columns : chooser of its columns.
    """

    def __init__(
        self, session: Session, model: ScoreTableModel, table: ScoreTable, columns: ScoreColumnChooser
    ) -> None:
        super().__init__(table)
        self._session, self._model, self._table, self._columns = session, model, table, columns
        self._measure_to_remove = ""
        self.explain, self.choose = QToolButton(), QToolButton()
        self.explain.setAccessibleName("Measure definitions")
        set_tooltip(self.explain, "Measure definitions. For one measure, right-click its header or press ? on a score.")
        self.explain.clicked.connect(self._explain_measure)
        self.choose.setAccessibleName("Columns")
        set_tooltip(self.choose, "Choose columns")
        self.choose.clicked.connect(columns.choose_here)
        table.help_requested.connect(self._explain_column)
        columns.menu_opening.connect(self._fill_header_menu)
        columns.add_requested.connect(session.cursor_state.request_measure)
        session.added_measure_changed.connect(self._show_added)

    def add_to(self, header: QBoxLayout) -> None:
        """Add the buttons to the end of a row."""
        header.addWidget(self.explain)
        header.addWidget(self.choose)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.explain.setIcon(icon("question", theme))
        self.choose.setIcon(icon("sliders", theme))

    @Slot(int)
    def _explain_column(self, column: int) -> None:
        if (measure := self._model.measure_of(column)) is not None:
            self._session.cursor_state.request_help(measure)

    @Slot(QMenu, int)
    def _fill_header_menu(self, menu: QMenu, column: int) -> None:
        menu.addAction("Add measure…").triggered.connect(self._session.cursor_state.request_measure)
        measure = self._model.measure_of(column)
        if measure is not None and measure in self._session.added_measures:
            self._measure_to_remove = measure
            menu.addAction(f"Remove {escape_mnemonic(measure)}").triggered.connect(self._remove_measure)

    @Slot()
    def _remove_measure(self) -> None:
        self._session.remove_measure(self._measure_to_remove)

    @Slot(str, bool)
    def _show_added(self, key: str, is_added: bool) -> None:
        if is_added:
            self._columns.set_hidden(self._columns.hidden - {key})
            self._table.horizontalScrollBar().setValue(0)  # added measures are the first columns

    @Slot()
    def _explain_measure(self) -> None:
        self._session.cursor_state.request_help(self._session.measure)
