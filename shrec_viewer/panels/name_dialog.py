"""Dialog that asks for a name."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QVBoxLayout, QWidget

from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.plain_text import PlainLabel


class NameDialog(QDialog):
    """Asks for a name; why one is not possible is shown while it is typed. Subclasses say which are, and use it.

    Parameters
    ----------
    title : of the window.
    label : what has the name.
    name : proposed.
    """

    def __init__(self, session: Session, title: str, label: str, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.field = QLineEdit(name)
        self.field.setAccessibleName(label)
        self.problem = ElidingLine(token="warning")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        layout = QVBoxLayout(self)
        layout.addWidget(PlainLabel(f"{label}:"))
        for widget in (self.field, self.problem, self.buttons):
            layout.addWidget(widget)
        self.field.selectAll()
        self.field.textChanged.connect(self._show_problem)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        session.changed.connect(self._follow_session)

    def problem_of(self, name: str) -> str:
        """Why a name is not possible; "" if it is."""
        raise NotImplementedError

    def note_of(self, name: str) -> str:
        """What the use of a possible name does besides; "" for nothing."""
        return ""

    def use(self, name: str) -> None:
        """Use a possible name."""
        raise NotImplementedError

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark") and self.isVisible():  # indices of runs and queries mean others now
            self.reject()

    @Slot()
    def _show_problem(self) -> None:
        name = self.field.text().strip()
        problem = self.problem_of(name)
        self.problem.setText(problem or self.note_of(name))
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not problem)

    def accept(self) -> None:
        """Use the name, if it is possible."""
        name = self.field.text().strip()
        if not self.problem_of(name):
            super().accept()
            self.use(name)
