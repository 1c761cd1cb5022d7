"""Dialog that adds a measure by its key."""

from typing import Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QWidget

from shrec_viewer.app.dialogs.standard_dialogs import WindowDialog
from shrec_viewer.metrics import UnknownKeyError, find_measure
from shrec_viewer.widgets.controls.layouts import column_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.theme import SPACE

#: Text below the field while it has no valid key.
HINT = (
    "NAME(parameter)@cutoff, as in ir_measures: NDCG@5, E@16, AP(rel=2), F(beta=2). "
    "Help › Measures and profiles lists all names."
)

#: Width of the text in average characters, and lines reserved for it: most definitions, and the list of all names.
TEXT_CHARACTERS, TEXT_LINES = 60, 4


class AddMeasureDialog(WindowDialog):
    """Field for the key of a measure, which is added to the table of runs and selected.

    While typing, the measure of a valid key is described; an invalid one is reported when it is entered.

    Parameters
    ----------
    session : the `Session` that computes the measure.
    """

    def __init__(self, parent: QWidget, session: Any) -> None:
        super().__init__(parent, "add_measure", "Add measure")
        self._session = session
        self.field, self.text = QLineEdit(placeholderText="E@16"), PlainLabel(wraps=True)
        self.field.setAccessibleName("Measure")
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        metrics = self.text.fontMetrics()
        self.text.setFixedWidth(TEXT_CHARACTERS * metrics.averageCharWidth())
        self.text.setMinimumHeight(TEXT_LINES * metrics.lineSpacing())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton("Add", QDialogButtonBox.ButtonRole.AcceptRole)
        self.setLayout(column_of(self.field, self.text, buttons, spacing=2 * SPACE, margins=4 * SPACE))
        self._show_text(HINT, is_muted=True)
        self.field.textEdited.connect(self._describe)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)

    def accept(self) -> None:
        """Add the measure and close, or report that the key is invalid."""
        try:
            key = find_measure(self.field.text()).key
        except UnknownKeyError as error:
            message = str(error)
            self._show_text(f"{message[:1].upper()}{message[1:]}")
            self.field.setFocus()
            self.field.selectAll()
            return
        super().accept()
        self._session.add_measure(key)

    @Slot(str)
    def _describe(self, text: str) -> None:
        """Show the label and definition of a valid key."""
        try:
            measure = find_measure(text)
        except UnknownKeyError:
            self._show_text(HINT, is_muted=True)
        else:
            self._show_text(f"{measure.label} ({measure.key}). {measure.definition}")

    def _show_text(self, text: str, *, is_muted: bool = False) -> None:
        """Show a text; the dialog grows with a longer one and does not shrink, so that the buttons rarely move."""
        self.text.setText(text)
        needed = self.text.heightForWidth(self.text.width())  # layouts do not enlarge a window for a wrapped text
        self.text.setMinimumHeight(max(self.text.minimumHeight(), needed))
        self.text.setProperty("muted", is_muted)
        self.text.style().polish(self.text)  # style sheets do not follow a changed property
