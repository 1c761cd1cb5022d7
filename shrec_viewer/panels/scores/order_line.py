"""Line that says how sure the order of the runs is, in every panel that shows an order."""

from typing import Any

from PySide6.QtCore import Slot

from shrec_viewer.content.diagnosis.certainty import CertaintyRequest, order_text, order_text_of_few
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.content.data import followed
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.style.theme import SPACE


class OrderLine(ElidingLine):
    """How sure the order of the runs by the selected measure is, in one sentence.

    Parameters
    ----------
    panel : the panel that it is part of; the sentence is computed while that is visible.
    margin : left and right of the text in pixels.
    is_main : whether the panel is about the order, and shows the sentence however long it takes.
    """

    def __init__(
        self, session: Session, panel: RequestPanel[Any], margin: int = 2 * SPACE, *, is_main: bool = False
    ) -> None:
        super().__init__(token="muted", leads=True)
        self.setContentsMargins(margin, 0, margin, 0)
        self._session = session
        self._sentence = panel.computation_of(order_text if is_main else order_text_of_few, "Certainty of the order")
        self._sentence.changed.connect(self._show)
        session.changed.connect(self._follow)
        self._follow()

    @Slot()
    def _follow(self, *_: object) -> None:
        self._sentence.set_request(followed(self._session, CertaintyRequest()))

    @Slot()
    def _show(self) -> None:
        text = self._sentence.result or ""
        # Where there is no space, without the order and what is not comparable, and without the names of similar runs.
        sentence = text.partition(". ")[0]
        leader, _, others = sentence.partition(";")
        alike = others.count(",") + 1
        counted = f"{leader}; not significantly different from {count_text(alike, 'run')}"
        self.setText(text, sentence, *([counted] if alike > 1 else []), leader, "")
        set_tooltip(self, text)
