"""Line with the near-duplicate of a model, and a button that shows both in the 3D view."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QToolButton, QWidget

from shrec_viewer.content.diagnosis.shape_difference import NearDuplicate
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.layouts import row_of
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.style.theme import SPACE

#: Parts of the data that near-duplicates depend on, see `Computation`.
NEAR_DUPLICATE_USES = ("measured runs", "profile")


class NearDuplicateLine(QWidget):
    """How the near-duplicate of a model differs from it; hidden without one."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._found = NearDuplicate(-1, -1, "")
        self.label, self.button = ElidingLine(), QToolButton()
        self.button.setText("Show pair")
        set_tooltip(self.button, "Show both models in the 3D view, aligned and coloured by their distance")
        self.button.clicked.connect(self._open)
        margins = 2 * SPACE, SPACE, 2 * SPACE, 0
        self.setLayout(row_of((self.label, 1), self.button, spacing=2 * SPACE, margins=margins))
        self.hide()

    def show_result(self, model: int, found: NearDuplicate | None) -> None:
        """Show the near-duplicate of a model, an index in the collection; None, or that of another model, for none."""
        is_shown = found is not None and found.of == model
        self.setVisible(is_shown)
        if found is not None and is_shown:
            self._found = found
            name = f"Near-duplicate of {self._session.benchmark.collection.ids[found.model]}"
            self.label.setText(found.text, name, "Near-duplicate")
            set_tooltip(self.label, f"{found.text}\nBoth have nearly the same rank in the lists of all runs")

    @Slot()
    def _open(self) -> None:
        self._session.select(model=self._found.of)
        self._session.mesh_view_state.open_pair(self._found.model)
