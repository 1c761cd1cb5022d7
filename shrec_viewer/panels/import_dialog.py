"""How a file is read: its first lines as they are understood, what else they could mean, and what that would do."""

from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.formats.manifest import MANIFEST_NAME
from shrec_viewer.formats.preview import Preview
from shrec_viewer.panels.import_effect import EffectView
from shrec_viewer.panels.import_questions import Questions
from shrec_viewer.viewmodels.import_choice import ImportChoice
from shrec_viewer.viewmodels.import_jobs import Subject
from shrec_viewer.viewmodels.import_rows import ImportRows
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.import_table import ImportTable, Meanings
from shrec_viewer.widgets.theme import SPACE

SIZE = (980, 640)
"""Pixels of the window at first: a dozen lines of three columns beside the questions, on the smallest screen."""

QUESTIONS_WIDTH = 340
"""Pixels of the questions at first: what an answer gives in two lines."""

COLUMNS = "columns"
"""Key of the question that the fields above the columns answer as well."""

WORDS = {"id": "Model", "distance": "Distance", "ignored": "Means nothing"}
"""What the fields above the columns offer."""


class ImportDialog(QDialog):
    """Stays beside the program's window: it blocks nothing, and there is only one."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.choice = ImportChoice(session, self)
        self.rows = ImportRows(self)
        self.files, self.other = QComboBox(), QPushButton(self.tr("Other file…"))
        self.said, self.role = QLabel(), QComboBox()
        self.table, self.questions, self.effect = ImportTable(), Questions(), EffectView()
        self.undo = QPushButton(self.tr("Undo"))
        self.use = QPushButton(self.tr("Read so for now"))
        self.write = QPushButton(self.tr("Write to {name}").format(name=MANIFEST_NAME))
        self._close = QPushButton(self.tr("Close"))
        self._build()
        self._connect()
        self._show_subject()
        self._show_preview()

    def look_at(self, run: int | None = None, path: Path | None = None) -> None:
        """Show how a run is read, or a file; nothing given: what is shown already, or the selected run."""
        subjects = self.choice.subjects
        wanted = next((one for one in subjects if one.path == path or (run is not None and one.run == run)), None)
        if wanted is None and path is not None:
            wanted = Subject(path)
        if wanted is None and self.choice.subject is None:
            selected = self._session.selection.run
            wanted = next((one for one in subjects if one.run == selected), subjects[0] if subjects else None)
        if wanted is not None:
            self.choice.look_at(wanted)
        self.show()
        self.activateWindow()

    def _connect(self) -> None:
        self.files.activated.connect(self._pick_file)
        self.other.clicked.connect(self._ask_file)
        self.role.activated.connect(self._pick_role)
        self.table.meaning_picked.connect(self._pick_meaning)
        self.questions.picked.connect(self.choice.choose)
        self.undo.clicked.connect(self.choice.undo)
        self.use.clicked.connect(self.choice.use)
        self.write.clicked.connect(self.choice.write)
        self._close.clicked.connect(self.close)
        self.choice.subject_changed.connect(self._show_subject)
        self.choice.preview_changed.connect(self._show_preview)
        self.choice.effect_changed.connect(self._show_effect)
        self.choice.written.connect(self._tell_written)
        self._session.benchmark_changed.connect(self._leave)

    def _build(self) -> None:
        self.resize(*SIZE)
        self.setWindowTitle(self.tr("Import settings"))
        self.rows.setParent(self)
        self.table.setModel(self.rows)
        self.table.setAccessibleName(self.tr("First lines of the file"))
        self.files.setAccessibleName(self.tr("File"))
        self.files.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.role.setAccessibleName(self.tr("Use it as"))
        self.said.setWordWrap(True)
        head = QHBoxLayout()
        head.setContentsMargins(3 * SPACE, 0, 3 * SPACE, 0)
        head.setSpacing(2 * SPACE)
        head.addWidget(self.files)
        head.addWidget(self.other)
        head.addWidget(self.role)
        head.addWidget(self.said, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 3 * SPACE, 0, 3 * SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addLayout(head)
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
        split.setSizes([SIZE[0] - QUESTIONS_WIDTH, QUESTIONS_WIDTH])
        return split

    def _foot(self) -> QHBoxLayout:
        foot = QHBoxLayout()
        foot.setContentsMargins(3 * SPACE, 0, 3 * SPACE, 0)
        foot.setSpacing(2 * SPACE)
        foot.addWidget(self.undo)
        foot.addStretch(1)
        for button in (self.use, self.write, self._close):
            foot.addWidget(button)
        for button in (self.other, self.undo, self.use, self.write, self._close):
            button.setAutoDefault(False)  # Enter in a list is no decision
            button.setIcon(QIcon())
        self.undo.setToolTip(self.tr("Back to how it is read now"))
        self.use.setToolTip(self.tr("Read the run in this way until the benchmark is opened anew; writes nothing"))
        return foot

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

    def _name(self, subject: Subject) -> str:
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
            self.said.setText(self.tr("Reading…") if self.choice.subject is not None else self.tr("No file is chosen."))
        self._show_roles()
        self._show_effect()

    def _show_roles(self) -> None:
        roles = self.choice.roles()
        self.role.setVisible(bool(roles))
        self.role.clear()
        self.role.addItem(self.tr("Use it as…"), "")
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
            self.effect.show_words(self.tr("Trying it…"))
        else:
            self.effect.show_words("" if choice.subject is None else self.tr("This file is no run."))
        why = choice.cannot_be_written()
        self.undo.setEnabled(choice.is_changed)
        self.use.setEnabled(choice.is_changed and choice.can_be_used)
        has_answer = choice.is_changed or bool(choice.open_questions)
        self._allow_writing(has_answer and not why and choice.is_readable)
        self.write.setToolTip(f"{why[:1].upper()}{why[1:]}" if why else "")

    def _allow_writing(self, allowed: bool) -> None:
        """The button stands out only while it can be pressed."""
        self.write.setEnabled(allowed)
        if self.write.property("primary") != allowed:
            self.write.setProperty("primary", allowed)
            self.write.style().unpolish(self.write)
            self.write.style().polish(self.write)

    # What is picked.

    @Slot(int)
    def _pick_file(self, place: int) -> None:
        self.choice.look_at(self.files.itemData(place))

    @Slot(int)
    def _pick_role(self, place: int) -> None:
        self.choice.use_as(self.role.itemData(place))

    @Slot(int, str)
    def _pick_meaning(self, column: int, key: str) -> None:
        shown = self.choice.preview
        if shown is not None and (option := option_of_column(shown, column, key)):
            self.choice.choose(COLUMNS, option)

    @Slot()
    def _ask_file(self) -> None:
        benchmark = self._session.benchmark
        name, _ = QFileDialog.getOpenFileName(
            self, self.tr("Look at a file"), "" if benchmark is None else str(benchmark.root)
        )
        if name:
            self.look_at(path=Path(name))

    @Slot(object)
    def _tell_written(self, path: Path) -> None:
        self.effect.show_words(self.tr("Written to {path}; everything is read once more.").format(path=path))

    @Slot()
    def _leave(self) -> None:
        if self._session.benchmark is None:
            self.close()


def open_import(window: QWidget, session: Session, run: int | None = None, path: Path | None = None) -> ImportDialog:
    """The one dialog of a window, looking at this run or file."""
    dialog = window.findChild(ImportDialog) or ImportDialog(session, window)
    dialog.look_at(run, path)
    return dialog


def column_meanings(preview: Preview) -> list[Meanings]:
    """What each column can mean, from the answers to the question about the columns."""
    question = next((question for question in preview.questions if question.key == COLUMNS), None)
    found = []
    for place, column in enumerate(preview.columns):
        keys = [] if question is None else [_meaning(option.key, place) for option in question.options]
        choices = tuple((key, WORDS[key]) for key in dict.fromkeys(keys) if key in WORDS)
        chosen = column.meaning if question is None else _meaning(question.chosen, place)
        found.append(Meanings(choices if len(choices) > 1 else (), chosen))
    return found


def option_of_column(preview: Preview, column: int, meaning: str) -> str:
    """The answer under which a column means this; "" for none."""
    question = next((question for question in preview.questions if question.key == COLUMNS), None)
    options = () if question is None else question.options
    return next((option.key for option in options if _meaning(option.key, column) == meaning), "")


def _meaning(option: str, column: int) -> str:
    """What a column means under an answer, ``"distance id"`` for one; what an answer does not name means nothing."""
    words = option.split()
    return words[column] if column < len(words) else "ignored"
