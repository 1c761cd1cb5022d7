"""Dialog and message strip for choosing how a file is interpreted, with a preview and the effect on the scores."""

from collections.abc import Sequence
from functools import partial
from math import isnan
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.formats.core.decisions import SET_EXPLICITLY, Decision
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME
from shrec_viewer.formats.preview.preview import Preview
from shrec_viewer.metrics import find_measure
from shrec_viewer.number_format import format_value
from shrec_viewer.viewmodels.files.import_dialog import (
    ASSESSMENT_ROLE,
    COLLECTION_ROLE,
    ORDER_ROLE,
    QUERIES_ROLE,
    QUERY_LIST_ROLE,
    ImportEffect,
    ImportFile,
    ImportModel,
    ambiguous_files,
    needs_decision,
)
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.file_dialogs import choose_open_path
from shrec_viewer.widgets.controls.messages import MessageBar
from shrec_viewer.widgets.controls.plain_text import ItemTooltips, PlainLabel, escape_mnemonic, set_tooltip
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon_pixmap, text_font
from shrec_viewer.widgets.tables.file_preview import FilePreviewTable, PreviewTableColumn, PreviewTableRow

#: Size in pixels of the icon of a problem.
PROBLEM_ICON_SIZE = 16

#: Glyphs of levels 0, 1 and above, as on the cards.
LEVEL_GLYPHS = ("○", "◐", "●")


class ImportEffectView(QWidget):
    """Effect of the current interpretation on a run: queries with results, mean score, first ranks."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._icon, self.summary, self.ranks = PlainLabel(), PlainLabel(), PlainLabel()
        self.summary.setWordWrap(True)
        self.ranks.setProperty("muted", True)
        self.ranks.setWordWrap(True)
        line = QHBoxLayout()
        line.setSpacing(SPACE)
        line.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.summary, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * SPACE, 2 * SPACE, 3 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        layout.addLayout(line)
        layout.addWidget(self.ranks)
        self.setMinimumHeight(3 * self.fontMetrics().height() + 6 * SPACE)  # constant while the effect is computed
        self.show_text("")
        self.set_theme(self._theme)

    def show_text(self, text: str, ranks: str = "", *, is_problem: bool = False) -> None:
        """Show the effect and the first ranks, or why the file cannot be read with this interpretation."""
        self._icon.setVisible(is_problem)
        self._icon.setPixmap(icon_pixmap("error", self._theme.error, PROBLEM_ICON_SIZE, self.devicePixelRatioF()))
        self.summary.setText(text)
        self.ranks.setText(ranks)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.summary.setFont(text_font(self.font(), bold=True))


def effect_text(effect: ImportEffect) -> str:
    """``"30 of 30 queries have results. MAP 0.412, currently 0.397"``."""
    total = count_text(effect.n_queries, "query", "queries")
    found = "relevant models" if effect.of_run else "results"
    results = f"{effect.n_listed:,} of {total} {'has' if effect.n_queries == 1 else 'have'} {found}"
    if effect.n_common is not None and effect.n_common < effect.n_queries:
        results += f", {count_text(effect.n_common, 'query is', 'queries are')} common to all runs"
    if not effect.measure:
        return results
    name = find_measure(effect.measure).mean_name
    name = name[0].upper() + name[1:] + (f" of {effect.of_run}" if effect.of_run else "")
    before, after = format_value(effect.before), format_value(effect.after)
    if effect.is_new:
        return f"{results}. {name} {after}. Writing {MANIFEST_NAME} adds this file as a run."
    if isnan(effect.before):
        return f"{results}. {name} {after}"
    return f"{results}. {name} {after}, {'unchanged' if before == after else f'currently {before}'}"


def first_ranks_text(effect: ImportEffect) -> str:
    """``"Q05, first results: N0876 ●2, N1599 ○0"``."""
    if not effect.query:
        return ""
    if not effect.first:
        return f"{effect.query} would have no results"
    full_glyph_level = 1 if effect.binary else 2
    models = ", ".join(
        f"{name} {LEVEL_GLYPHS[2 if level >= full_glyph_level else level]}{level}" for name, level in effect.first
    )
    return f"{effect.query}, first results: {models}"


#: Maximum number of options shown as radio buttons; more are a combo box.
MAX_RADIO_BUTTONS = 4

#: Style of the radio buttons. The default indicator of Fusion is hardly visible in the dark theme.
RADIO_STYLE = """
QRadioButton::indicator {{
    width: 12px; height: 12px; border: 1px solid {line}; border-radius: 7px; background: {ground};
}}
QRadioButton::indicator:checked {{ width: 6px; height: 6px; border: 4px solid {dot}; background: {ground}; }}
"""

#: Size in pixels of the icon of a question that requires a decision.
WARNING_ICON_SIZE = 16


class ImportQuestionBox(QFrame):
    """One question about the interpretation of a file, with its options.

    Signals
    -------
    picked(question, option)
        Keys of the question and of the option that the user selected.

    Attributes
    ----------
    list : the options, if they are more than `MAX_RADIO_BUTTONS`.
    """

    picked = Signal(str, str)

    def __init__(self, question: Decision, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.question = question
        self._theme = current_theme()
        self._group = QButtonGroup(self)
        self._warning_icon, self._title = PlainLabel(), PlainLabel(question.label)
        self._warning_icon.setVisible(needs_decision(question))
        self.list = QComboBox() if len(question.alternatives) > MAX_RADIO_BUTTONS else None
        header = QHBoxLayout()
        header.setSpacing(SPACE)
        header.addWidget(self._warning_icon)
        header.addWidget(self._title, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        layout.addLayout(header)
        layout.addWidget(_muted_label(reason_text(question)))
        if self.list is not None:
            self._fill_list(self.list)
            layout.addWidget(self.list)
        else:
            self._add_buttons(layout)
        self.set_theme(self._theme)

    def button(self, key: str) -> QRadioButton | None:
        """The radio button of an option; None if the options are shown in a combo box."""
        button = self._group.button([option.key for option in self.question.alternatives].index(key))
        return button if isinstance(button, QRadioButton) else None

    def focus_chosen(self) -> None:
        """Give the option that is used the focus."""
        chosen = self.question.chosen
        target = self.list or (self.button(chosen) if chosen else None)
        if target is not None:
            target.setFocus()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self._title.setFont(text_font(self.font(), bold=True))
        icon = icon_pixmap("warning", theme.warning, WARNING_ICON_SIZE, self.devicePixelRatioF())
        self._warning_icon.setPixmap(icon)

    def _add_buttons(self, layout: QVBoxLayout) -> None:
        for index, option in enumerate(self.question.alternatives):
            button = QRadioButton(escape_mnemonic(self.question.label_of(option)))
            button.setEnabled(option.is_available)
            button.setChecked(option.key == self.question.chosen)
            set_tooltip(button, option.outcome)
            button.setAccessibleDescription(option.outcome)
            self._group.addButton(button, index)
            note = _muted_label(option.outcome)
            note.setContentsMargins(6 * SPACE, 0, 0, SPACE)
            layout.addWidget(button)
            layout.addWidget(note)
        self._group.idClicked.connect(self._emit_option)

    def _fill_list(self, field: QComboBox) -> None:
        ItemTooltips(field.view())
        field.setAccessibleName(self.question.label)
        for index, option in enumerate(self.question.alternatives):
            field.addItem(self.question.label_of(option), option.key)
            field.setItemData(index, option.outcome, Qt.ItemDataRole.ToolTipRole)
            if not option.is_available:
                field.setItemData(index, self._theme.colour("faint"), Qt.ItemDataRole.ForegroundRole)
        field.setCurrentIndex(field.findData(self.question.chosen))
        field.activated.connect(self._emit_option)

    @Slot(int)
    def _emit_option(self, index: int) -> None:
        self.picked.emit(self.question.key, self.question.alternatives[index].key)


def _muted_label(text: str) -> QLabel:
    """A wrapped label in a pale colour, hidden without text."""
    label = PlainLabel(text)
    label.setProperty("muted", True)
    label.setWordWrap(True)
    label.setVisible(bool(text))
    return label


class ImportQuestionList(QWidget):
    """All questions about a file, below each other.

    Signals
    -------
    picked(question, option)
        Keys of a question and of the option that the user selected.
    """

    picked = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.boxes: dict[str, ImportQuestionBox] = {}
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(3 * SPACE, 2 * SPACE, 3 * SPACE, 2 * SPACE)
        self._layout.setSpacing(4 * SPACE)
        self._layout.addStretch(1)
        self.set_theme(current_theme())

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.setStyleSheet(RADIO_STYLE.format(line=theme.line_strong, ground=theme.surface, dot=theme.accent))

    def set_questions(self, questions: Sequence[Decision]) -> None:
        """Show these questions, those that require a decision first; the question with the focus keeps it."""
        # The format, which is rarely wrong, is last.
        ordered = sorted(questions, key=lambda question: (not needs_decision(question), question.key == "format"))
        if ordered == [box.question for box in self.boxes.values()]:
            return
        focused = next((key for key, box in self.boxes.items() if box.isAncestorOf(self.focusWidget() or self)), "")
        for box in self.boxes.values():
            self._layout.removeWidget(box)
            box.hide()
            box.deleteLater()
        self.boxes = {}
        for index, question in enumerate(ordered):
            box = self.boxes[question.key] = ImportQuestionBox(question)
            box.picked.connect(self.picked)
            self._layout.insertWidget(index, box)
        if focused in self.boxes:
            self.boxes[focused].focus_chosen()


def reason_text(question: Decision) -> str:
    """Why the current option of a question is used; "" where there is nothing to add."""
    if not question.is_sure and not needs_decision(question):
        return "No effect here"
    if not question.is_sure:
        return f"Please choose: {question.reason or 'not determined by the file'}"
    if question.reason == SET_EXPLICITLY:
        return "Set explicitly"
    return f"Interpreted as: {question.reason}" if question.reason else ""


#: Initial size in pixels: 12 lines of three columns and the questions, on a screen 1024 pixels wide.
DIALOG_SIZE = (980, 640)

#: Initial width in pixels of the questions: the descriptions of the options take at most two lines.
QUESTIONS_WIDTH = 340

#: Key of the question that can also be answered by the fields above the columns.
COLUMNS_QUESTION = "columns"

#: Options of the fields above the columns.
MEANING_LABELS = {"id": "Model", "distance": "Distance", "ignored": "Ignored"}

#: Options of the fields above the columns of a table, by their roles.
ROLE_LABELS = {
    "query": "Query",
    "model": "Model",
    "rank": "Rank",
    "score": "Score (larger = more similar)",
    "distance": "Distance (smaller = more similar)",
    "level": "Level",
    "class": "Class",
    "subclass": "Subclass",
    "part": "Query or gallery",
    "-": "Ignored",
}

#: What writing benchmark.toml makes of a file, by its role.
USES = {
    ORDER_ROLE: "this file the order of rows and columns of matrices",
    QUERY_LIST_ROLE: "the ids of this file the queries",
    ASSESSMENT_ROLE: "the levels of this file the relevance assessment",
    COLLECTION_ROLE: "the classes of this file those of the models",
    QUERIES_ROLE: "the classes of this file those of the queries",
}

#: Header of the last column.
NOTE_HEADER = "Note on the line"


class ImportDialog(QDialog):
    """Non-modal dialog with the interpretation of a file; one per window."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.model = ImportModel(session, self)
        self.files, self.other = QComboBox(), QPushButton("Other file…")
        self.summary, self.role = PlainLabel(), QComboBox()
        self.table, self.questions, self.effect = FilePreviewTable(), ImportQuestionList(), ImportEffectView()
        self.undo, self.option = QPushButton("Undo"), PlainLabel()
        self.use = QPushButton("Apply for this session")
        self.write = QPushButton(f"Write to {MANIFEST_NAME}")
        self._close = QPushButton("Close")
        self._build()
        self._connect()
        self._show_subject()
        self._show_preview()

    def show_file(self, run: int | None = None, path: Path | None = None) -> None:
        """Show a run or a file; without arguments the file shown before, or the selected run."""
        files = self.model.subjects
        target = next((file for file in files if file.path == path or (run is not None and file.run == run)), None)
        if target is None and path is not None:
            target = ImportFile(path)
        if target is None and self.model.subject is None:
            selected = self._session.selection.run
            target = next((file for file in files if file.run == selected), files[0] if files else None)
        if target is not None:
            self.model.show_file(target)
        self.show()
        self.activateWindow()

    def _connect(self) -> None:
        self.files.activated.connect(self._select_file)
        self.other.clicked.connect(self._open_file_dialog)
        self.role.activated.connect(self._select_role)
        self.table.option_picked.connect(self._select_columns)
        self.questions.picked.connect(self.model.choose)
        self.undo.clicked.connect(self.model.undo)
        self.use.clicked.connect(self.model.use)
        self.write.clicked.connect(self.model.write)
        self._close.clicked.connect(self.close)
        self.model.file_changed.connect(self._show_subject)
        self.model.preview_changed.connect(self._show_preview)
        self.model.effect_changed.connect(self._show_effect)
        self.model.written.connect(self._show_written_path)
        self._session.changed.connect(self._follow_session)

    def _build(self) -> None:
        self.resize(*DIALOG_SIZE)
        self.setWindowTitle("Import settings")
        self.table.setAccessibleName("First lines of the file")
        self.files.setAccessibleName("File")
        self.files.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.role.setAccessibleName("Use file as")
        self.summary.setWordWrap(True)
        for button in (self.other, self.undo, self.use, self.write, self._close):
            button.setAutoDefault(False)  # Enter in a combo box would otherwise click the button
            button.setIcon(QIcon())
        set_tooltip(self.undo, "Restore the current interpretation")
        set_tooltip(self.use, "Read the run in this way until the benchmark is opened again; no file is changed")
        self.option.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # paths can be long
        self.option.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        header, footer = _row(self.files, self.other, self.role), _row(self.undo, self.option)
        header.addWidget(self.summary, 1)
        footer.setStretchFactor(self.option, 1)
        for button in (self.use, self.write, self._close):
            footer.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 3 * SPACE, 0, 3 * SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addLayout(header)
        layout.addWidget(self._build_splitter(), 1)
        layout.addWidget(self.effect)
        layout.addLayout(footer)

    def _build_splitter(self) -> QWidget:
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

    # Display.

    @Slot()
    def _show_subject(self) -> None:
        subject, subjects = self.model.subject, self.model.subjects
        names = [self._name(file) for file in subjects]
        if subject is not None and subject not in subjects:
            subjects, names = (*subjects, subject), [*names, subject.path.name]
        self.files.clear()
        for file, name in zip(subjects, names, strict=True):
            self.files.addItem(name, file)
        self.files.setCurrentIndex(-1 if subject is None else subjects.index(subject))
        set_tooltip(self.files, "" if subject is None else str(subject.path))

    def _name(self, subject: ImportFile) -> str:
        benchmark = self._session.benchmark
        if subject.run is None:
            return subject.path.name
        return f"Run {benchmark.runs[subject.run].name}"

    @Slot()
    def _show_preview(self) -> None:
        shown = self.model.preview
        self.table.set_contents(*(((), ()) if shown is None else table_contents(shown)))
        self.questions.set_questions(() if shown is None else shown.questions)
        if shown is not None:
            source = "" if shown.sample == shown.path else f"{shown.sample.name}: "
            text = f"{shown.label} – {source}{shown.summary}" if not shown.problem else shown.label
            self.summary.setText(text)
        else:
            self.summary.setText("Reading…" if self.model.subject is not None else "No file is chosen.")
        self._show_roles()
        self._show_effect()

    def _show_roles(self) -> None:
        roles = self.model.roles()
        self.role.setVisible(bool(roles))
        self.role.clear()
        self.role.addItem("Use file as…", "")
        for key, label in roles:
            self.role.addItem(label, key)
        self.role.setCurrentIndex(max(0, self.role.findData(self.model.role)))

    @Slot()
    def _show_effect(self) -> None:
        model = self.model
        if problem := model.problem or (model.effect.problem if model.effect is not None else ""):
            self.effect.show_text(problem, is_problem=True)
        elif model.effect is None and model.becomes_run:
            self.effect.show_text("Evaluating…")
        elif model.effect is not None or model.role in USES:
            texts = [effect_text(model.effect)] if model.effect is not None else []
            texts += [f"Writing {MANIFEST_NAME} makes {USES[model.role]}."] if model.role in USES else []
            self.effect.show_text(". ".join(texts), "" if model.effect is None else first_ranks_text(model.effect))
        else:
            self.effect.show_text("" if model.subject is None else "This file is not a run.")
        self.option.setText(model.arguments)
        set_tooltip(self.option, f"Options of the command line that read the file in this way: {model.arguments}")
        reason = model.why_not_writable()
        self.undo.setEnabled(model.is_changed)
        self.use.setEnabled(model.is_changed and model.is_usable)
        has_decision = model.is_changed or bool(model.open_questions)
        self._set_write_enabled(has_decision and not reason and model.is_readable)
        set_tooltip(self.write, f"{reason[:1].upper()}{reason[1:]}" if reason else "")

    def _set_write_enabled(self, enabled: bool) -> None:
        """Enable the button and show it as the primary one while it is enabled."""
        self.write.setEnabled(enabled)
        if self.write.property("primary") != enabled:
            self.write.setProperty("primary", enabled)
            # Qt evaluates the property selectors of a style sheet only when a widget is polished.
            self.write.style().unpolish(self.write)
            self.write.style().polish(self.write)

    # Interaction.

    @Slot(int)
    def _select_file(self, index: int) -> None:
        self.model.show_file(self.files.itemData(index))

    @Slot(int)
    def _select_role(self, index: int) -> None:
        self.model.set_role(self.role.itemData(index))

    @Slot(str)
    def _select_columns(self, option: str) -> None:
        self.model.choose(COLUMNS_QUESTION, option)

    @Slot()
    def _open_file_dialog(self) -> None:
        benchmark = self._session.benchmark
        path = choose_open_path(
            self, "Open file", "import", Path.home() if not self._session.is_open else benchmark.root
        )
        if path is not None:
            self.show_file(path=path)

    @Slot(object)
    def _show_written_path(self, path: Path) -> None:
        self.effect.show_text(f"Written to {path}. Reloading the benchmark…")

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if not new.is_open:
            self.close()


def _row(*widgets: QWidget) -> QHBoxLayout:
    """Widgets next to each other, as far from the edges of the dialog as the text in it."""
    row = QHBoxLayout()
    row.setContentsMargins(3 * SPACE, 0, 3 * SPACE, 0)
    row.setSpacing(2 * SPACE)
    for widget in widgets:
        row.addWidget(widget)
    return row


def open_import_dialog(
    window: QWidget, session: Session, run: int | None = None, path: Path | None = None
) -> ImportDialog:
    """Open the import dialog of a window for a run or a file; created on first use."""
    dialog = window.findChild(ImportDialog) or ImportDialog(session, window)
    dialog.show_file(run, path)
    return dialog


def table_contents(preview: Preview) -> tuple[list[PreviewTableColumn], list[PreviewTableRow]]:
    """Columns and rows of the table; the last column, with notes on the lines, exists only where there are any."""
    question = next((question for question in preview.questions if question.key == COLUMNS_QUESTION), None)
    columns = []
    for index, column in enumerate(preview.columns):
        if preview.roles:
            choices = tuple(
                (",".join(_with_role(preview.roles, index, role)), label) for role, label in ROLE_LABELS.items()
            )
            columns.append(PreviewTableColumn(column.title, choices, ",".join(preview.roles)))
            continue
        options: dict[str, str] = {}  # the first that gives the column each meaning
        for option in question.alternatives if question is not None else ():
            options.setdefault(_meaning(option.key, index), option.key)
        choices = tuple((key, MEANING_LABELS[found]) for found, key in options.items() if found in MEANING_LABELS)
        chosen = "" if question is None else options.get(_meaning(question.chosen, index), "")
        columns.append(PreviewTableColumn(column.title, choices if len(choices) > 1 else (), chosen))
    unused = [column.meaning in ("ignored", "text") for column in preview.columns]
    has_notes = any(row.note for row in preview.rows)
    rows = []
    for row in preview.rows:
        texts = [*row.cells, *[""] * (len(columns) - len(row.cells)), *[row.note] * has_notes]
        cells = zip(texts, [*unused, *[False] * has_notes], strict=True)
        title = "" if row.line is None else f"{row.line:,}"
        rows.append(PreviewTableRow(title, tuple((text, bool(row.note) or is_unused) for text, is_unused in cells)))
    return [*columns, *[PreviewTableColumn(NOTE_HEADER)] * has_notes], rows


def _with_role(roles: Sequence[str], index: int, role: str) -> list[str]:
    """The roles of all columns after that of one is changed; a column that had this role is ignored."""
    return [role if at == index else "-" if other == role else other for at, other in enumerate(roles)]


def _meaning(option: str, column: int) -> str:
    """Meaning of a column under an option such as ``"distance id"``; ``"ignored"`` for columns it does not name."""
    meanings = option.split()
    return meanings[column] if column < len(meanings) else "ignored"


AMBIGUITY_TASK = "ambiguous files"

#: Delay in milliseconds of the check after opening a benchmark, so that scores and thumbnails start first.
CHECK_DELAY_MS = 300


class ImportStrip(MessageBar):
    """Strip about ambiguous files; separate from the message bar, so that it stays open without covering errors."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._dismissed_path: Path | None = None
        self.ambiguous_files: tuple[ImportFile, ...] = ()
        self._check_timer = QTimer(self, interval=CHECK_DELAY_MS, singleShot=True)
        self._check_timer.timeout.connect(self._check)
        self.action_requested.connect(self._open_dialog)
        self.dismissed.connect(self._on_dismissed)
        session.changed.connect(self._follow_session)
        self._schedule_check()

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark"):
            self._schedule_check()

    def _schedule_check(self) -> None:
        self.ambiguous_files = ()
        self.dismiss()
        if not self._session.is_open:
            self._check_timer.stop()
            self._dismissed_path = None
        elif self._session.path != self._dismissed_path:
            self._check_timer.start()

    @Slot()
    def _check(self) -> None:
        session = self._session
        if session.is_open:
            work = partial(ambiguous_files, session.benchmark, session.manifest)
            session.tasks.run(AMBIGUITY_TASK, work, self._show_files, self._fail, title="Checking for ambiguous files")

    def _show_files(self, files: tuple[ImportFile, ...]) -> None:
        self.ambiguous_files = files
        if files:
            self.show_message("warning", ambiguity_text(files), action="Choose…", persistent=True)

    def _fail(self, error: Exception) -> None:
        self._session.report_failure("The files cannot be checked", error)

    @Slot()
    def _open_dialog(self, *_: object) -> None:
        if self.ambiguous_files:
            first = self.ambiguous_files[0]
            open_import_dialog(self.window(), self._session, first.run, first.path)

    @Slot()
    def _on_dismissed(self) -> None:
        """Do not show the strip again when the same benchmark is reloaded."""
        self._dismissed_path = self._session.path


def ambiguity_text(files: tuple[ImportFile, ...]) -> str:
    """``"F2.txt: Order of rows and columns? Not determined by the file (2 more files are ambiguous)"``."""
    first, others = files[0], len(files) - 1
    more = f" ({count_text(others, 'more file')} {'is' if others == 1 else 'are'} ambiguous)" if others else ""
    return f"{first.path.name}: {first.ambiguity}{more}"
