"""Dialog for choosing how a file is interpreted, with a preview and the effect on the scores."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QDialog,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME
from shrec_viewer.formats.preview.preview import Preview, Question
from shrec_viewer.metrics import find_measure
from shrec_viewer.number_format import format_value
from shrec_viewer.viewmodels.files.import_dialog import (
    ImportEffect,
    ImportFile,
    ImportModel,
    PreviewTableModel,
    needs_decision,
)
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.style.icons import icon_pixmap
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, text_font
from shrec_viewer.widgets.tables.file_preview import ColumnMeanings, FilePreviewTable

PROBLEM_ICON_SIZE = 16
"""Pixels of the mark before a problem."""

LEVEL_GLYPHS = ("○", "◐", "●")
"""For levels 0, 1 and above, as the badges of the cards have them; the number says the same."""


class ImportEffectView(QWidget):
    """Says what reading a run in the chosen way gives."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._mark, self.words, self.ranks = QLabel(), QLabel(), QLabel()
        self.words.setWordWrap(True)
        self.ranks.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.ranks.setProperty("muted", True)
        self.ranks.setWordWrap(True)
        line = QHBoxLayout()
        line.setSpacing(SPACE)
        line.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.words, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * SPACE, 2 * SPACE, 3 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        layout.addLayout(line)
        layout.addWidget(self.ranks)
        self.setMinimumHeight(3 * self.fontMetrics().height() + 6 * SPACE)  # so that nothing jumps while it is computed
        self.set_message("")
        self.set_theme(self._theme)

    def set_message(self, words: str) -> None:
        """Say only this."""
        self._mark.hide()
        self.words.setText(words)
        self.ranks.setText("")

    def show_problem(self, sentence: str) -> None:
        """Say why it cannot be read so."""
        self._mark.show()
        self._mark.setPixmap(icon_pixmap("error", self._theme.error, PROBLEM_ICON_SIZE, self.devicePixelRatioF()))
        self.words.setText(sentence)
        self.ranks.setText("")

    def show_effect(self, effect: ImportEffect) -> None:
        """Say what it gives."""
        if effect.problem:
            self.show_problem(effect.problem)
            return
        self.set_message(effect_text(effect))
        self.ranks.setText(first_ranks_text(effect))

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.words.setFont(text_font(self.font(), strong=True))


def effect_text(effect: ImportEffect) -> str:
    """``"30 of 30 queries answered. Mean AP 0.412, now 0.397"``."""
    answered = f"{effect.answered:,} of {count_text(effect.asked, 'query', 'queries')} answered"
    if not effect.measure:
        return answered
    name = find_measure(effect.measure).mean_name
    name = name[0].upper() + name[1:]
    before, after = format_value(effect.before), format_value(effect.after)
    if before == after:
        return f"{answered}. {name} {after}, as it is read now"
    return f"{answered}. {name} {after}; as it is read now {before}"


def first_ranks_text(effect: ImportEffect) -> str:
    """``"Q05 begins with N0876 ●2, N1599 ○0"``."""
    if not effect.query:
        return ""
    if not effect.first:
        return f"{effect.query} would have no list"
    full = 1 if effect.binary else 2
    models = ", ".join(
        f"{one.name} {LEVEL_GLYPHS[2 if one.level >= full else one.level]}{one.level}" for one in effect.first
    )
    return f"{effect.query} begins with {models}"


MAX_RADIO_BUTTONS = 4
"""Answers from which they stand in a list that opens: nobody compares twelve formats side by side."""

RADIO_STYLE = """
QRadioButton::indicator {{
    width: 12px; height: 12px; border: 1px solid {line}; border-radius: 7px; background: {ground};
}}
QRadioButton::indicator:checked {{ width: 6px; height: 6px; border: 4px solid {dot}; background: {ground}; }}
"""
"""Circles that are seen on a dark ground as well."""

WARNING_ICON_SIZE = 16
"""Pixels of the mark beside a question that somebody should decide."""


class ImportQuestionBox(QFrame):
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
        self._option_notes: list[QLabel] = []
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
        if needs_decision(self.question):
            self._mark.setPixmap(icon_pixmap("warning", theme.warning, WARNING_ICON_SIZE, self.devicePixelRatioF()))

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        header = QHBoxLayout()
        header.setSpacing(SPACE)
        self._mark.setVisible(needs_decision(self.question))
        header.addWidget(self._mark)
        header.addWidget(self._title, 1)
        layout.addLayout(header)
        self._why.setText(reason_text(self.question))
        self._why.setProperty("muted", True)
        self._why.setWordWrap(True)
        self._why.setVisible(bool(self._why.text()))
        layout.addWidget(self._why)
        if len(self.question.options) > MAX_RADIO_BUTTONS:
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
            self._option_notes.append(gives)
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


class ImportQuestionList(QWidget):
    """All questions below each other.

    Signals
    -------
    picked(question, option)
        Keys of a question and of the answer that the person chose.
    """

    picked = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.boxes: dict[str, ImportQuestionBox] = {}
        self._shown: tuple[Question, ...] = ()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(3 * SPACE, 2 * SPACE, 3 * SPACE, 2 * SPACE)
        self._layout.setSpacing(4 * SPACE)
        self._layout.addStretch(1)
        self.set_theme(current_theme())

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.setStyleSheet(RADIO_STYLE.format(line=theme.line_strong, ground=theme.surface, dot=theme.accent))

    def set_questions(self, questions: Sequence[Question]) -> None:
        """Ask these, what nobody is sure about first; the field that has the focus keeps it."""
        asked = tuple(sorted(questions, key=_sort_key))
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
            box = self.boxes[question.key] = ImportQuestionBox(question)
            box.picked.connect(self.picked)
            self._layout.insertWidget(place, box)
        if focused in self.boxes:
            self._focus(self.boxes[focused])

    def _focus(self, box: ImportQuestionBox) -> None:
        target = box.list or (box.button(box.question.chosen) if box.question.chosen else None)
        if target is not None:
            target.setFocus()


def reason_text(question: Question) -> str:
    """Why a question is answered as it is, as a sentence; "" where there is nothing to say."""
    why = question.why.removeprefix("so, ")
    if not question.sure and not needs_decision(question):
        return "It makes no difference here"
    if not question.sure:
        return f"Please decide: {why or 'nothing in the file tells'}"
    if why in ("", "told"):
        return "You say so" if why else ""
    return f"So it is read: {why}"


def _sort_key(question: Question) -> tuple[bool, bool]:
    """What nobody is sure about first, what a file is at all last: it is seldom wrong."""
    return not needs_decision(question), question.key == "format"


DIALOG_SIZE = (980, 640)
"""Pixels of the window at first: a dozen lines of three columns beside the questions, on the smallest screen."""

QUESTIONS_WIDTH = 340
"""Pixels of the questions at first: what an answer gives in two lines."""

COLUMNS_QUESTION = "columns"
"""Key of the question that the fields above the columns answer as well."""

MEANING_LABELS = {"id": "Model", "distance": "Distance", "ignored": "Means nothing"}
"""What the fields above the columns offer."""


class ImportDialog(QDialog):
    """Stays beside the program's window: it blocks nothing, and there is only one."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.choice = ImportModel(session, self)
        self.rows = PreviewTableModel(self)
        self.files, self.other = QComboBox(), QPushButton("Other file…")
        self.said, self.role = QLabel(), QComboBox()
        self.table, self.questions, self.effect = FilePreviewTable(), ImportQuestionList(), ImportEffectView()
        self.undo = QPushButton("Undo")
        self.use = QPushButton("Read so for now")
        self.write = QPushButton(f"Write to {MANIFEST_NAME}")
        self._close = QPushButton("Close")
        self._build()
        self._connect()
        self._show_subject()
        self._show_preview()

    def show_file(self, run: int | None = None, path: Path | None = None) -> None:
        """Show how a run is read, or a file; nothing given: what is shown already, or the selected run."""
        subjects = self.choice.subjects
        wanted = next((one for one in subjects if one.path == path or (run is not None and one.run == run)), None)
        if wanted is None and path is not None:
            wanted = ImportFile(path)
        if wanted is None and self.choice.subject is None:
            selected = self._session.selection.run
            wanted = next((one for one in subjects if one.run == selected), subjects[0] if subjects else None)
        if wanted is not None:
            self.choice.show_file(wanted)
        self.show()
        self.activateWindow()

    def _connect(self) -> None:
        self.files.activated.connect(self._select_file)
        self.other.clicked.connect(self._open_file_dialog)
        self.role.activated.connect(self._select_role)
        self.table.meaning_changed.connect(self._select_meaning)
        self.questions.picked.connect(self.choice.choose)
        self.undo.clicked.connect(self.choice.undo)
        self.use.clicked.connect(self.choice.use)
        self.write.clicked.connect(self.choice.write)
        self._close.clicked.connect(self.close)
        self.choice.file_changed.connect(self._show_subject)
        self.choice.preview_changed.connect(self._show_preview)
        self.choice.effect_changed.connect(self._show_effect)
        self.choice.written.connect(self._show_written_path)
        self._session.benchmark_changed.connect(self._leave)

    def _build(self) -> None:
        self.resize(*DIALOG_SIZE)
        self.setWindowTitle("Import settings")
        self.rows.setParent(self)
        self.table.setModel(self.rows)
        self.table.setAccessibleName("First lines of the file")
        self.files.setAccessibleName("File")
        self.files.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.role.setAccessibleName("Use it as")
        self.said.setWordWrap(True)
        header = QHBoxLayout()
        header.setContentsMargins(3 * SPACE, 0, 3 * SPACE, 0)
        header.setSpacing(2 * SPACE)
        header.addWidget(self.files)
        header.addWidget(self.other)
        header.addWidget(self.role)
        header.addWidget(self.said, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 3 * SPACE, 0, 3 * SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addLayout(header)
        layout.addWidget(self._middle(), 1)
        layout.addWidget(self.effect)
        layout.addLayout(self._foot())

    def _middle(self) -> QWidget:
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self.questions)
        split = QSplitter()
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(scroll)
        split.setStretchFactor(0, 1)
        split.setSizes([DIALOG_SIZE[0] - QUESTIONS_WIDTH, QUESTIONS_WIDTH])
        return split

    def _foot(self) -> QHBoxLayout:
        footer = QHBoxLayout()
        footer.setContentsMargins(3 * SPACE, 0, 3 * SPACE, 0)
        footer.setSpacing(2 * SPACE)
        footer.addWidget(self.undo)
        footer.addStretch(1)
        for button in (self.use, self.write, self._close):
            footer.addWidget(button)
        for button in (self.other, self.undo, self.use, self.write, self._close):
            button.setAutoDefault(False)  # Enter in a list is no decision
            button.setIcon(QIcon())
        self.undo.setToolTip("Back to how it is read now")
        self.use.setToolTip("Read the run in this way until the benchmark is opened anew; writes nothing")
        return footer

    # What is shown.

    @Slot()
    def _show_subject(self) -> None:
        subject, subjects = self.choice.subject, self.choice.subjects
        names = [self._name(one) for one in subjects]
        if subject is not None and subject not in subjects:
            subjects, names = (*subjects, subject), [*names, subject.path.name]
        self.files.clear()
        for one, name in zip(subjects, names, strict=True):
            self.files.addItem(name, one)
        self.files.setCurrentIndex(-1 if subject is None else subjects.index(subject))
        self.files.setToolTip("" if subject is None else str(subject.path))

    def _name(self, subject: ImportFile) -> str:
        benchmark = self._session.benchmark
        if benchmark is None or subject.run is None:
            return subject.path.name
        return f"Run {benchmark.runs[subject.run].name}"

    @Slot()
    def _show_preview(self) -> None:
        shown = self.choice.preview
        self.rows.set_preview(shown)
        self.table.set_meanings(() if shown is None else column_meanings(shown))
        self.questions.set_questions(() if shown is None else shown.questions)
        if shown is not None:
            of = "" if shown.sample == shown.path else f"{shown.sample.name}: "
            said = f"{shown.label} – {of}{shown.said}" if not shown.problem else shown.label
            self.said.setText(said)
        else:
            self.said.setText("Reading…" if self.choice.subject is not None else "No file is chosen.")
        self._show_roles()
        self._show_effect()

    def _show_roles(self) -> None:
        roles = self.choice.roles()
        self.role.setVisible(bool(roles))
        self.role.clear()
        self.role.addItem("Use it as…", "")
        for key, words in roles:
            self.role.addItem(words, key)
        self.role.setCurrentIndex(max(0, self.role.findData(self.choice.role)))

    @Slot()
    def _show_effect(self) -> None:
        choice = self.choice
        if choice.problem:
            self.effect.show_problem(choice.problem)
        elif choice.effect is not None:
            self.effect.show_effect(choice.effect)
        elif choice.subject is not None and choice.subject.run is not None:
            self.effect.set_message("Trying it…")
        else:
            self.effect.set_message("" if choice.subject is None else "This file is no run.")
        why = choice.why_not_writable()
        self.undo.setEnabled(choice.is_changed)
        self.use.setEnabled(choice.is_changed and choice.is_usable)
        has_answer = choice.is_changed or bool(choice.open_questions)
        self._set_writing_enabled(has_answer and not why and choice.is_readable)
        self.write.setToolTip(f"{why[:1].upper()}{why[1:]}" if why else "")

    def _set_writing_enabled(self, allowed: bool) -> None:
        """The button stands out only while it can be pressed."""
        self.write.setEnabled(allowed)
        if self.write.property("primary") != allowed:
            self.write.setProperty("primary", allowed)
            self.write.style().unpolish(self.write)
            self.write.style().polish(self.write)

    # What is picked.

    @Slot(int)
    def _select_file(self, place: int) -> None:
        self.choice.show_file(self.files.itemData(place))

    @Slot(int)
    def _select_role(self, place: int) -> None:
        self.choice.set_role(self.role.itemData(place))

    @Slot(int, str)
    def _select_meaning(self, column: int, key: str) -> None:
        shown = self.choice.preview
        if shown is not None and (option := option_of_column(shown, column, key)):
            self.choice.choose(COLUMNS_QUESTION, option)

    @Slot()
    def _open_file_dialog(self) -> None:
        benchmark = self._session.benchmark
        name, _ = QFileDialog.getOpenFileName(self, "Look at a file", "" if benchmark is None else str(benchmark.root))
        if name:
            self.show_file(path=Path(name))

    @Slot(object)
    def _show_written_path(self, path: Path) -> None:
        self.effect.set_message(f"Written to {path}; everything is read once more.")

    @Slot()
    def _leave(self) -> None:
        if self._session.benchmark is None:
            self.close()


def open_import_dialog(
    window: QWidget, session: Session, run: int | None = None, path: Path | None = None
) -> ImportDialog:
    """The one dialog of a window, looking at this run or file."""
    dialog = window.findChild(ImportDialog) or ImportDialog(session, window)
    dialog.show_file(run, path)
    return dialog


def column_meanings(preview: Preview) -> list[ColumnMeanings]:
    """What each column can mean, from the answers to the question about the columns."""
    question = next((question for question in preview.questions if question.key == COLUMNS_QUESTION), None)
    found = []
    for place, column in enumerate(preview.columns):
        keys = [] if question is None else [_column_meaning(option.key, place) for option in question.options]
        choices = tuple((key, MEANING_LABELS[key]) for key in dict.fromkeys(keys) if key in MEANING_LABELS)
        chosen = column.meaning if question is None else _column_meaning(question.chosen, place)
        found.append(ColumnMeanings(choices if len(choices) > 1 else (), chosen))
    return found


def option_of_column(preview: Preview, column: int, meaning: str) -> str:
    """The answer under which a column means this; "" for none."""
    question = next((question for question in preview.questions if question.key == COLUMNS_QUESTION), None)
    options = () if question is None else question.options
    return next((option.key for option in options if _column_meaning(option.key, column) == meaning), "")


def _column_meaning(option: str, column: int) -> str:
    """What a column means under an answer, ``"distance id"`` for one; what an answer does not name means nothing."""
    words = option.split()
    return words[column] if column < len(words) else "ignored"
