"""Help and column buttons in the header of a score table."""

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QBoxLayout, QToolButton

from shrec_viewer.viewmodels.scores.score_tables import ScoreTableModel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.style.icons import icon
from shrec_viewer.widgets.style.theme import Theme
from shrec_viewer.widgets.tables.score_columns import ScoreColumnChooser
from shrec_viewer.widgets.tables.score_table import ScoreTable


class ScoreTableButtons(QObject):
    """Buttons for the measure help and the columns of a table; also opens the help requested from column headers.

    Parameters
    ----------
    table : the table that displays `model`.
    columns : chooser of its columns.
    """

    def __init__(
        self, session: Session, model: ScoreTableModel, table: ScoreTable, columns: ScoreColumnChooser
    ) -> None:
        super().__init__(table)
        self._session, self._model = session, model
        self.explain, self.choose = QToolButton(), QToolButton()
        self.explain.setAccessibleName("Measure definitions")
        self.explain.setToolTip("Measure definitions. For one measure, right-click its header or press ? on a score.")
        self.explain.clicked.connect(self._explain_measure)
        self.choose.setAccessibleName("Columns")
        self.choose.setToolTip("Choose columns")
        self.choose.clicked.connect(columns.choose_here)
        table.help_requested.connect(self._explain_column)

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

    @Slot()
    def _explain_measure(self) -> None:
        self._session.cursor_state.request_help(self._session.measure)
