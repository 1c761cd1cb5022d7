"""What stands at the right of the head of a table of scores: the measures explained, the columns chosen."""

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QBoxLayout, QToolButton

from shrec_viewer.viewmodels.score_model import ScoreModel
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.icons import icon
from shrec_viewer.widgets.score_columns import ScoreColumns
from shrec_viewer.widgets.score_table import ScoreTable
from shrec_viewer.widgets.theme import Theme


class ScoreButtons(QObject):
    """Two buttons of one table; what its heads are asked for is explained too.

    Parameters
    ----------
    table : shows `model`.
    columns : which of its columns are shown.
    """

    def __init__(self, session: Session, model: ScoreModel, table: ScoreTable, columns: ScoreColumns) -> None:
        super().__init__(table)
        self._session, self._model = session, model
        self.explain, self.choose = QToolButton(), QToolButton()
        self.explain.setAccessibleName(self.tr("Measures explained"))
        self.explain.setToolTip(self.tr("What the measures mean; of one: right click on its head, or ? on a number"))
        self.explain.clicked.connect(self._explain_measure)
        self.choose.setAccessibleName(self.tr("Columns"))
        self.choose.setToolTip(self.tr("Choose the columns"))
        self.choose.clicked.connect(columns.choose_here)
        table.help_requested.connect(self._explain_column)

    def add_to(self, head: QBoxLayout) -> None:
        """Stand at the end of this row."""
        head.addWidget(self.explain)
        head.addWidget(self.choose)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.explain.setIcon(icon("question", theme))
        self.choose.setIcon(icon("sliders", theme))

    @Slot(int)
    def _explain_column(self, column: int) -> None:
        if (measure := self._model.measure_of(column)) is not None:
            self._session.pointing.want_help(measure)

    @Slot()
    def _explain_measure(self) -> None:
        self._session.pointing.want_help(self._session.measure)
