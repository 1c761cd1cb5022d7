"""Dialog that checks submissions against the open benchmark and adds their runs, and the dialog that renames a run."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QDialog,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.domain import Finding
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.panels.name_dialog import NameDialog
from shrec_viewer.viewmodels.files.findings import severity_name
from shrec_viewer.viewmodels.files.participant_findings import participant_text
from shrec_viewer.viewmodels.files.run_submission import (
    COPY,
    LINK,
    PROJECT,
    RunSubmissions,
    RunToAdd,
    destinations,
    rename_problem,
    rename_run,
)
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.file_dialogs import choose_folder, start_folder, store_folder
from shrec_viewer.widgets.controls.plain_text import PlainLabel, escape_mnemonic, set_tooltip, title_text
from shrec_viewer.widgets.style.theme import SPACE
from shrec_viewer.widgets.tables.record_table import RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

#: Initial size in pixels: five runs and eight findings.
DIALOG_SIZE = (860, 520)

#: Columns of the table of runs.
RUN_COLUMNS = tuple(TableColumn(title) for title in ("Run", "Participant", "Queries", "Unknown ids", "Add as"))

#: Column of the runs with their choices.
ADD_AS_COLUMN = 4

#: Columns of the table of findings.
FINDING_COLUMNS = tuple(TableColumn(title) for title in ("Severity", "File and line", "Finding"))

#: Height of a row without its text in pixels: there is a choice in those of the runs.
ROW_MARGIN = 15

#: First choice of the last column.
NEW_RUN = "New run"

#: Purpose of the file dialogs, which start in the folder chosen last.
PURPOSE = "runs"


class AddRunsDialog(QDialog):
    """Non-modal dialog with the runs of a submission and the findings about it; nothing is added before a click."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._adds_at_once = False
        self.model = RunSubmissions(session, self)
        self.runs_model, self.findings_model = RecordTableModel(self), RecordTableModel(self)
        self.runs = RecordView(
            self.runs_model,
            "Runs of the submission",
            stretched=(ADD_AS_COLUMN,),
            is_sortable=False,
            row_margin=ROW_MARGIN,
        )
        self.findings = RecordView(
            self.findings_model,
            "Findings about the submission",
            stretched=(2,),
            is_sortable=False,
            row_margin=ROW_MARGIN,
        )
        self.summary = PlainLabel()
        self.choose_files, self.choose_folder = QPushButton("Files…"), QPushButton("Folder…")
        self.ways = {key: QRadioButton() for key in (COPY, LINK, PROJECT)}
        self._way_group = QButtonGroup(self)
        self.problem = ElidingLine(token="muted")
        self.copy = QPushButton("Copy for participant")
        self.add, self._close = QPushButton("Add"), QPushButton("Close")
        self._build()
        self.choose_files.clicked.connect(self._choose_files)
        self.choose_folder.clicked.connect(self._choose_folder)
        self.copy.clicked.connect(self._copy_for_participant)
        self.add.clicked.connect(self._add)
        self._close.clicked.connect(self.close)
        self._way_group.buttonClicked.connect(self._show_ways)
        self.model.changed.connect(self._show)
        self.model.added.connect(self.close)
        session.changed.connect(self._follow_session)
        self._show()

    def check(self, paths: Sequence[Path], *, offers_adding: bool = True) -> None:
        """Check files, folders or archives, and show the result.

        Parameters
        ----------
        offers_adding : whether the runs can be added; False for a check only.
        """
        self._adds_at_once = False
        self._set_offers(offers_adding)
        self.model.check(paths)
        self.show()
        self.activateWindow()

    def add_checked(self, paths: Sequence[Path], options: ReadOptions = DETECT_ALL) -> None:
        """Check and add runs without a click, as links of the project; with errors, show the dialog instead."""
        self._adds_at_once = True
        self._set_offers(True)
        self.model.check(paths, options)

    def _set_offers(self, offers_adding: bool) -> None:
        self.setWindowTitle("Add runs" if offers_adding else "Check a submission")
        for widget in (self.add, self.problem, *self.ways.values()):
            widget.setVisible(offers_adding)
        self.runs.setColumnHidden(ADD_AS_COLUMN, not offers_adding)

    def _build(self) -> None:
        self.resize(*DIALOG_SIZE)
        self.setAcceptDrops(True)
        self.setWindowTitle("Add runs")
        for table in (self.runs, self.findings):
            table.setFrameShape(QFrame.Shape.StyledPanel)
        self.summary.setWordWrap(True)
        top = QHBoxLayout()
        top.addWidget(self.summary, 1)
        top.addWidget(self.choose_files)
        top.addWidget(self.choose_folder)
        bottom = QHBoxLayout()
        bottom.addWidget(self.problem, 1)
        bottom.addStretch()  # else Close is as wide as the dialog where it is the only one
        bottom.addWidget(self.copy)
        bottom.addWidget(self.add)
        bottom.addWidget(self._close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*[3 * SPACE] * 4)
        layout.setSpacing(2 * SPACE)
        layout.addLayout(top)
        layout.addWidget(self.runs, 2)
        layout.addWidget(self.findings, 3)
        for way in self.ways.values():
            self._way_group.addButton(way)
            layout.addWidget(way)
        layout.addLayout(bottom)
        self.add.setDefault(True)
        set_tooltip(self.copy, "Copy the findings as a text to send back to the participant")
        for button in (self.choose_files, self.choose_folder, self.copy, self._close):
            button.setAutoDefault(False)

    @Slot()
    def _copy_for_participant(self) -> None:
        names = dict.fromkeys(submitted.run.participant for submitted in self.model.runs)
        paths = [submission.path for submission in self.model.submissions]
        text = participant_text(self._session.benchmark.name, ", ".join(names), self.model.findings, paths)
        QGuiApplication.clipboard().setText(text)

    # Contents.

    @Slot()
    def _show(self) -> None:
        model = self.model
        is_finished = not model.is_checking and bool(model.submissions or model.failures)
        self._show_runs()
        self._show_findings(model.findings)
        text = "Choose runs, or a submission as folder or archive, or drop them here."
        if is_finished:
            counts = Counter(finding.severity.value for finding in model.findings)
            numbers = (len(model.runs), "run"), (counts["error"], "error"), (counts["warning"], "warning")
            text = ", ".join(count_text(*number) for number in numbers)
        self.copy.setEnabled(is_finished)
        self.summary.setText("Checking…" if model.is_checking else text)
        self._show_ways()
        if is_finished and self._adds_at_once:
            self._adds_at_once = False
            if model.has_errors or not model.runs:
                self.show()
                self.activateWindow()
            else:
                model.add([RunToAdd(run) for run in model.runs], PROJECT)

    def _show_runs(self) -> None:
        benchmark, rows, tips = self._session.benchmark, [], []
        for submitted in self.model.runs:
            n_queries = len(benchmark.queries)
            found = f"{n_queries - len(submitted.missing):,} of {n_queries:,}"
            missing = f"Without results: {', '.join(submitted.missing[:50])}" if submitted.missing else ""
            rows.append((submitted.run.name, submitted.run.participant, found, f"{submitted.unknown:,}", ""))
            tips.append(("", str(submitted.path), missing, "", ""))
        table = Table("runs", "Runs", RUN_COLUMNS, tuple(rows))
        self.runs_model.set_table(table, rows, tips=lambda row, column: tips[row][column])
        for row, cells in enumerate(rows):
            choice = QComboBox()
            choice.setAccessibleName(f"Add {cells[0]} as")
            choice.addItem(NEW_RUN, "")
            for run in benchmark.runs:
                choice.addItem(f"Replace {run.name} by this", run.name)
            choice.setCurrentIndex(max(choice.findData(cells[0]), 0))
            choice.currentIndexChanged.connect(self._show_ways)
            self.runs.setIndexWidget(self.runs_model.index(row, ADD_AS_COLUMN), choice)

    def _show_findings(self, findings: Sequence[Finding]) -> None:
        rows: list[tuple[str, ...]] = []
        for finding in findings:
            action = f"; {finding.action}" if finding.action else ""
            times = f" ({finding.count} times)" if finding.count > 1 else ""
            rows.append((severity_name(finding.severity), finding.location, f"{finding.message}{times}{action}"))
        table = Table("findings", "Findings", FINDING_COLUMNS, tuple(rows))
        self.findings_model.set_table(table, findings, tips=lambda row, column: rows[row][column])

    def chosen(self) -> list[RunToAdd]:
        """The runs with what each replaces."""
        chosen = []
        for row, submitted in enumerate(self.model.runs[: self.runs_model.rowCount()]):
            choice = self.runs.indexWidget(self.runs_model.index(row, ADD_AS_COLUMN))
            replaces = choice.currentData() if isinstance(choice, QComboBox) else ""
            chosen.append(RunToAdd(submitted, replaces or ""))
        return chosen

    @property
    def way(self) -> str:
        """Key of the chosen destination."""
        return next(key for key, button in self.ways.items() if button.isChecked())

    @Slot()
    def _show_ways(self, *_: object) -> None:
        """Enable the destinations that are possible, and keep the choice if it is."""
        if not self._session.is_open:
            return
        chosen = self.chosen()
        ways = destinations(self._session, chosen)
        problems = [f"{way.label}: {way.problem}" for way in ways if way.problem]
        for way in ways:
            button = self.ways[way.key]
            button.setText(escape_mnemonic(way.label))
            button.setEnabled(not way.problem)
            set_tooltip(button, way.problem)
        checked = self._way_group.checkedButton()
        if checked is None or not checked.isEnabled():
            next(self.ways[way.key] for way in ways if not way.problem).setChecked(True)
        self.problem.setText(". ".join(problems))
        set_tooltip(self.problem, "\n".join(problems))
        self.add.setText("Add anyway" if chosen and self.model.has_errors else "Add")
        self.add.setEnabled(bool(chosen) and not self.model.is_checking)

    # Choosing and adding.

    @Slot()
    def _add(self) -> None:
        self.model.add(self.chosen(), self.way)

    @Slot()
    def _choose_files(self) -> None:
        start = str(start_folder(PURPOSE, Path.home()))
        names, _ = QFileDialog.getOpenFileNames(self, "Add runs", start)
        if names:
            store_folder(PURPOSE, Path(names[0]))
            self.check([Path(name) for name in names])

    @Slot()
    def _choose_folder(self) -> None:
        if (folder := choose_folder(self, "Add a run or a submission", PURPOSE, Path.home())) is not None:
            self.check([folder])

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept local files and folders."""
        if _local_paths(event):
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        """Check the dropped files and folders."""
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if paths := _local_paths(event):
            self.check(paths)

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.path != old.path:
            self.close()
            self.deleteLater()


def _local_paths(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]


class RenameDialog(NameDialog):
    """Dialog for another name of a run."""

    def __init__(self, session: Session, run: int, parent: QWidget) -> None:
        name = session.benchmark.runs[run].name
        label = "Name of the run; its file keeps its own"
        super().__init__(session, f"Rename {title_text(name)}", label, name, parent)
        self._run = run

    def problem_of(self, name: str) -> str:
        """See `NameDialog`."""
        return rename_problem(self._session, self._run, name)

    def use(self, name: str) -> None:
        """See `NameDialog`; rename the run."""
        rename_run(self._session, self._run, name)
