"""The questions that reading a file leaves: each with its answers, what they give, and how sure the reader is."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QButtonGroup, QComboBox, QFrame, QHBoxLayout, QLabel, QRadioButton, QVBoxLayout, QWidget

from shrec_viewer.formats.preview import Question
from shrec_viewer.viewmodels.import_jobs import is_open
from shrec_viewer.widgets.icons import icon_pixmap
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

MANY = 4
"""Answers from which they stand in a list that opens: nobody compares twelve formats side by side."""

RADIO = """
QRadioButton::indicator {{
    width: 12px; height: 12px; border: 1px solid {line}; border-radius: 7px; background: {ground};
}}
QRadioButton::indicator:checked {{ width: 6px; height: 6px; border: 4px solid {dot}; background: {ground}; }}
"""
"""Circles that are seen on a dark ground as well."""

MARK = 16
"""Pixels of the mark beside a question that somebody should decide."""


class QuestionBox(QFrame):
    """One question.

    Signals
    -------
    picked(question, option)
        Keys of the question and of the answer that the person chose.
    """

    picked = Signal(str, str)

    def __init__(self, question: Question, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.question = question
        self._theme = current_theme()
        self._group = QButtonGroup(self)
        self._mark, self._title, self._why = QLabel(), QLabel(question.label), QLabel()
        self.list: QComboBox | None = None
        self._gives: list[QLabel] = []
        self._build()
        self.set_theme(self._theme)

    def button(self, key: str) -> QRadioButton | None:
        """The button of an answer, where the answers are buttons."""
        place = [option.key for option in self.question.options].index(key)
        button = self._group.button(place)
        return button if isinstance(button, QRadioButton) else None

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self._title.setFont(text_font(self.font(), strong=True))
        if is_open(self.question):
            self._mark.setPixmap(icon_pixmap("warning", theme.warning, MARK, self.devicePixelRatioF()))

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        head = QHBoxLayout()
        head.setSpacing(SPACE)
        self._mark.setVisible(is_open(self.question))
        head.addWidget(self._mark)
        head.addWidget(self._title, 1)
        layout.addLayout(head)
        self._why.setText(why_words(self.question))
        self._why.setProperty("muted", True)
        self._why.setWordWrap(True)
        self._why.setVisible(bool(self._why.text()))
        layout.addWidget(self._why)
        if len(self.question.options) > MANY:
            self._build_list(layout)
        else:
            self._build_buttons(layout)

    def _build_buttons(self, layout: QVBoxLayout) -> None:
        for place, option in enumerate(self.question.options):
            button = QRadioButton(option.label)
            button.setEnabled(option.fits)
            button.setChecked(option.key == self.question.chosen)
            button.setToolTip(option.gives)
            button.setAccessibleDescription(option.gives)
            self._group.addButton(button, place)
            layout.addWidget(button)
            gives = QLabel(option.gives)
            gives.setProperty("muted", True)
            gives.setWordWrap(True)
            gives.setContentsMargins(6 * SPACE, 0, 0, SPACE)
            gives.setVisible(bool(option.gives))
            self._gives.append(gives)
            layout.addWidget(gives)
        self._group.idClicked.connect(self._tell)

    def _build_list(self, layout: QVBoxLayout) -> None:
        self.list = QComboBox()
        self.list.setAccessibleName(self.question.label)
        for place, option in enumerate(self.question.options):
            self.list.addItem(option.label, option.key)
            self.list.setItemData(place, option.gives, Qt.ItemDataRole.ToolTipRole)
            if not option.fits:
                self.list.setItemData(place, self._theme.colour("faint"), Qt.ItemDataRole.ForegroundRole)
        self.list.setCurrentIndex(self.list.findData(self.question.chosen))
        layout.addWidget(self.list)
        self.list.activated.connect(self._tell)

    @Slot(int)
    def _tell(self, place: int) -> None:
        self.picked.emit(self.question.key, self.question.options[place].key)


class Questions(QWidget):
    """All questions below each other.

    Signals
    -------
    picked(question, option)
        Keys of a question and of the answer that the person chose.
    """

    picked = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.boxes: dict[str, QuestionBox] = {}
        self._shown: tuple[Question, ...] = ()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(3 * SPACE, 2 * SPACE, 3 * SPACE, 2 * SPACE)
        self._layout.setSpacing(4 * SPACE)
        self._layout.addStretch(1)
        self.set_theme(current_theme())

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.setStyleSheet(RADIO.format(line=theme.line_strong, ground=theme.surface, dot=theme.accent))

    def set_questions(self, questions: Sequence[Question]) -> None:
        """Ask these, what nobody is sure about first; the field that has the focus keeps it."""
        asked = tuple(sorted(questions, key=_urgency))
        if asked == self._shown:
            return
        focused = next((key for key, box in self.boxes.items() if box.isAncestorOf(self.focusWidget() or self)), "")
        self._shown = asked
        for box in self.boxes.values():
            self._layout.removeWidget(box)
            box.hide()
            box.deleteLater()
        self.boxes = {}
        for place, question in enumerate(asked):
            box = self.boxes[question.key] = QuestionBox(question)
            box.picked.connect(self.picked)
            self._layout.insertWidget(place, box)
        if focused in self.boxes:
            self._focus(self.boxes[focused])

    def _focus(self, box: QuestionBox) -> None:
        target = box.list or (box.button(box.question.chosen) if box.question.chosen else None)
        if target is not None:
            target.setFocus()


def why_words(question: Question) -> str:
    """Why a question is answered as it is, as a sentence; "" where there is nothing to say."""
    why = question.why.removeprefix("so, ")
    if not question.sure and not is_open(question):
        return "It makes no difference here"
    if not question.sure:
        return f"Please decide: {why or 'nothing in the file tells'}"
    if why in ("", "told"):
        return "You say so" if why else ""
    return f"So it is read: {why}"


def _urgency(question: Question) -> tuple[bool, bool]:
    """What nobody is sure about first, what a file is at all last: it is seldom wrong."""
    return not is_open(question), question.key == "format"
