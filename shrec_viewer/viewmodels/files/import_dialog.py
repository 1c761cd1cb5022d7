"""State of the import dialog: preview of a file, how it is interpreted, and the effect on the scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QByteArray,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)

from shrec_viewer.domain import Benchmark, Cancelled, Finding, FormatError, Severity, ShrecError
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.formats.core.findings_log import RUN_IGNORED, UNDECIDED
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.discovery.readers import run_readers
from shrec_viewer.formats.discovery.run_reload import configured_options, reload_run, with_run
from shrec_viewer.formats.io.archive import has_archive_suffix
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME
from shrec_viewer.formats.manifest.writer import ManifestEdit, edits_of_options, write_manifest
from shrec_viewer.formats.preview.preview import Preview, Question, preview
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.files.disk_caches import parse_cache
from shrec_viewer.viewmodels.files.finding_location import files_in_findings, locate_finding
from shrec_viewer.viewmodels.session.live_reload import kept_version_finding
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task, describe_failure

IGNORED_ROLE = Qt.ItemDataRole.UserRole + 1
"""Whether the cell or its line is not used."""

NOTE_HEADER = "Note on the line"
"""Header of the last column, which exists only where any line has a note."""


class PreviewTableModel(QAbstractTableModel):
    """Rows of a `Preview`, with a column of notes on the lines where there are any."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._preview: Preview | None = None
        self._has_notes = False

    def set_preview(self, preview: Preview | None) -> None:
        """Show a preview; None for none."""
        self.beginResetModel()
        self._preview = preview
        self._has_notes = preview is not None and any(row.note for row in preview.rows)
        self.endResetModel()

    def roleNames(self) -> dict[int, QByteArray]:
        """Qt override."""
        return {**super().roleNames(), IGNORED_ROLE: QByteArray(b"passed_over")}

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() or self._preview is None else len(self._preview.rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() or self._preview is None else len(self._preview.columns) + self._has_notes

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt override; the header of a row is its line number."""
        if self._preview is None or role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            line = self._preview.rows[section].line
            return "" if line is None else f"{line:,}"
        columns = self._preview.columns
        return columns[section].title if section < len(columns) else NOTE_HEADER

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt override."""
        if self._preview is None or not index.isValid() or index.row() >= len(self._preview.rows):
            return None
        row, columns = self._preview.rows[index.row()], self._preview.columns
        if role == Qt.ItemDataRole.DisplayRole:
            if index.column() >= len(columns):
                return row.note
            return row.cells[index.column()] if index.column() < len(row.cells) else ""
        if role == IGNORED_ROLE:
            return bool(row.note) or (
                index.column() < len(columns) and columns[index.column()].meaning in ("ignored", "text")
            )
        return None


PREVIEW_LINES = 18
"""Number of lines shown: as many as fit into the dialog without scrolling."""

EFFECT_RANKS = 8
"""Number of models of a list shown: as many as fit into one line."""

ROLES = {
    "assessment": ("Relevance judgements", "assessment", "qrels", ("qrels", "pairs")),
    "collection": ("Classes of the collection", "collection", "classification", ("cla", "truth", "classes", "table")),
    "queries": ("Classes of the queries", "queries", "classification", ("cla", "truth", "classes", "table")),
}
"""Roles of a file that is not a run: label, table and key in benchmark.toml, formats it can have."""


@dataclass(frozen=True)
class ImportFile:
    """A file of the import dialog.

    Attributes
    ----------
    run : index of its run in the benchmark; None for other files.
    doubt : why its interpretation is ambiguous; "" where it is not.
    """

    path: Path
    run: int | None = None
    doubt: str = ""


@dataclass(frozen=True)
class EffectItem:
    """One model of the list under an interpretation: its id and level."""

    name: str
    level: int


@dataclass(frozen=True)
class ImportEffect:
    """Effect of an interpretation on a run.

    Attributes
    ----------
    answered, asked : number of queries with results, and of all queries.
    query : id of the query whose results are shown.
    first : its first results; empty where it has none.
    measure : key of the measure; "" without relevance assessment.
    before, after : mean score with the current and the new interpretation; NaN where undefined.
    problem : why the run cannot be read with this interpretation; "" where it can.
    binary : whether level 1 is the only level of relevance.
    """

    answered: int = 0
    asked: int = 0
    query: str = ""
    first: tuple[EffectItem, ...] = ()
    measure: str = ""
    before: float = float("nan")
    after: float = float("nan")
    problem: str = ""
    binary: bool = False


def make_preview(
    path: Path, choice: ReadOptions | None, benchmark: Benchmark | None, manifest: Path | None, task: Task
) -> tuple[Preview, ReadOptions]:
    """Preview of a file under an interpretation, and the interpretation; None: the one of benchmark.toml."""
    if choice is None:
        choice = DETECT_ALL if benchmark is None else configured_options(benchmark, path, manifest)
    return preview(path, choice, benchmark, rows=PREVIEW_LINES, cancelled=task.cancelled, cache=parse_cache()), choice


def compute_effect(
    benchmark: Benchmark,
    run: int,
    choice: ReadOptions,
    manifest: Path | None,
    query: int,
    profile: Profile,
    measure: str,
    before: float,
    task: Task,
) -> ImportEffect:
    """Read and evaluate a run under an interpretation; runs as a background task."""
    try:
        found = reload_run(
            benchmark, run, read_options=choice, manifest=manifest, cancelled=task.cancelled, cache=parse_cache()
        )
    except FormatError as error:
        finding = kept_version_finding(benchmark, error)
        return ImportEffect(problem=f"{finding.location}: {finding.message}")
    changed = with_run(benchmark, run, found)
    answered = int(np.count_nonzero(found.run.present))
    first: tuple[EffectItem, ...] = ()
    name = ""
    if 0 <= query < len(benchmark.queries):
        name = benchmark.queries.ids[query]
        ranked = ranked_list(changed, found.run, query, profile)
        pairs = zip(ranked.items[:EFFECT_RANKS].tolist(), ranked.levels[:EFFECT_RANKS].tolist(), strict=True)
        first = tuple(EffectItem(benchmark.collection.ids[item] if item >= 0 else "?", level) for item, level in pairs)
    after = float("nan")
    if benchmark.assessment is not None and measure:
        try:
            scores = evaluate(changed, profile, runs=[found.run.name], measures=[measure], cancelled=task.cancelled)
        except Cancelled:
            raise
        except ShrecError as error:
            return ImportEffect(problem=str(error))
        after = float(scores.mean()[0, 0])
    is_binary = benchmark.assessment is not None and tuple(benchmark.assessment.levels) == (1,)
    return ImportEffect(answered, len(benchmark.queries), name, first, measure, before, after, binary=is_binary)


def uncertain_files(benchmark: Benchmark, manifest: Path | None, task: Task) -> tuple[ImportFile, ...]:
    """Files whose interpretation is ambiguous, or that have no role in the benchmark; runs as a background task."""
    found: dict[Path, ImportFile] = {}
    for finding in benchmark.findings:
        if task.cancelled():
            raise Cancelled
        if not _may_be_uncertain(finding):
            continue
        place = locate_finding(benchmark, finding)
        if place.path is None or place.path in found:
            continue
        if place.run is not None:
            why = _why_uncertain(place.path, benchmark, manifest, task)
        else:
            why = "" if finding.severity is Severity.INFO else finding.message
        if why:
            found[place.path] = ImportFile(place.path, place.run, why)
    return tuple(found.values())


def run_files(benchmark: Benchmark) -> tuple[ImportFile, ...]:
    """The files of the runs."""
    return tuple(ImportFile(run.source, place) for place, run in enumerate(benchmark.runs))


def other_files(benchmark: Benchmark, task: Task) -> tuple[ImportFile, ...]:
    """Files in the findings that are not runs: classes, relevance assessments, queries."""
    return tuple(ImportFile(path) for path in files_in_findings(benchmark) if path != benchmark.root / MANIFEST_NAME)


def write_choice(target: Path, answers: Sequence[ManifestEdit], task: Task) -> Path:
    """Write decisions into benchmark.toml and return its path.

    Raises
    ------
    FormatError
        The file cannot be written.
    """
    write_manifest(target, answers)
    return target / MANIFEST_NAME if target.is_dir() else target


def manifest_answers(subject: ImportFile, choice: ReadOptions, role: str) -> tuple[ManifestEdit, ...]:
    """Edits of benchmark.toml for the interpretation of a run, or for the role of another file."""
    if role in ROLES:
        _, table, key, _ = ROLES[role]
        return (ManifestEdit(table, key, subject.path),)
    return edits_of_options(subject.path, choice) if subject.run is not None else ()


def possible_roles(shown: Preview) -> tuple[tuple[str, str], ...]:
    """Possible roles of a file that is not a run: key and label."""
    return tuple((key, words) for key, (words, _, _, formats) in ROLES.items() if shown.format in formats)


def needs_decision(question: Question) -> bool:
    """Whether a question requires a decision: the reader guesses, and the options give different results.

    The options of the columns are always compared by the user: they may have the same number of known ids, but other
    ranks.
    """
    return not question.is_sure and (
        question.key == "columns" or len({option.outcome for option in question.options}) != 1
    )


def _may_be_uncertain(finding: Finding) -> bool:
    if finding.severity is Severity.ERROR:
        return finding.key == RUN_IGNORED
    return finding.key == UNDECIDED and finding.line is None


def _why_uncertain(path: Path, benchmark: Benchmark, manifest: Path | None, task: Task) -> str:
    try:
        shown = preview(
            path,
            configured_options(benchmark, path, manifest),
            benchmark,
            cancelled=task.cancelled,
            cache=parse_cache(),
        )
    except FormatError as error:
        return str(error)
    question = next(filter(needs_decision, shown.questions), None)
    return "" if question is None else f"{question.label}: {question.reason}"


LISTING_KEY, PREVIEW_KEY, EFFECT_KEY, WRITE_KEY = "files", "preview", "effect", "manifest"
"""Keys of the background tasks."""


class ImportModel(QObject):
    """State of the import dialog.

    Signals
    -------
    file_changed()
        The current file or the list of files changed.
    preview_changed()
        `preview`, `choice`, `role` or `problem` changed.
    effect_changed()
        `effect` changed; None while it is computed.
    written(path)
        The interpretation was written to this file, and the benchmark is being reloaded.
    """

    file_changed = Signal()
    preview_changed = Signal()
    effect_changed = Signal()
    written = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.subject: ImportFile | None = None
        self.subjects: tuple[ImportFile, ...] = ()
        self.preview: Preview | None = None
        self.effect: ImportEffect | None = None
        self.problem = ""
        self.role = ""
        self._configured = DETECT_ALL
        self._choice: ReadOptions | None = None
        session.benchmark_changed.connect(self._start)
        session.runs_reloaded.connect(self._refresh)
        self._start()

    @property
    def choice(self) -> ReadOptions:
        """The options set for reading the file; those that are not set are detected."""
        return DETECT_ALL if self._choice is None else self._choice

    @property
    def is_changed(self) -> bool:
        """Whether the interpretation or the role differs from benchmark.toml."""
        return bool(self.role) or (self._choice is not None and self._choice != self._configured)

    @property
    def open_questions(self) -> tuple[Question, ...]:
        """Questions that require a decision."""
        return () if self.preview is None else tuple(filter(needs_decision, self.preview.questions))

    @property
    def is_readable(self) -> bool:
        """Whether the file can be read with this interpretation; a run has been read completely."""
        if self.subject is None or self.preview is None or self.problem:
            return False
        return self.subject.run is None or (self.effect is not None and not self.effect.problem)

    @property
    def is_usable(self) -> bool:
        """Whether the interpretation can be applied without writing benchmark.toml."""
        return self.subject is not None and self.subject.run is not None and self.is_readable

    def why_not_writable(self) -> str:
        """Why the interpretation cannot be written to benchmark.toml; "" where it can."""
        path, benchmark = self._session.path, self._session.benchmark
        if benchmark is None or path is None or self.subject is None:
            return "no benchmark is open"
        if has_archive_suffix(path):
            return "an archive is open; unpack it to write a benchmark.toml"
        if self.subject.run is None and not self.role:
            return "select what to use the file as"
        if (
            self.choice.format is not None
            and self.choice.format not in {reader.key for reader in run_readers()}
            and not self.role
        ):
            return "this format is not a run format"
        return ""

    def roles(self) -> tuple[tuple[str, str], ...]:
        """Possible roles of the file; empty for runs."""
        if self.preview is None or self.subject is None or self.subject.run is not None:
            return ()
        return possible_roles(self.preview)

    def show_file(self, subject: ImportFile) -> None:
        """Show a file with its current interpretation."""
        self.subject = subject
        self.preview, self.effect, self.problem, self.role = None, None, "", ""
        self._choice = None
        self.file_changed.emit()
        self.preview_changed.emit()
        self._look()

    def choose(self, question: str, option: str) -> None:
        """Set the option of a question of the preview."""
        self._choice = self.choice.with_option(question, option)
        self._look()

    def set_role(self, role: str) -> None:
        """Set the role of a file that is not a run, a key of `roles`; "" for none."""
        if role != self.role:
            self.role = role
            self.preview_changed.emit()

    def undo(self) -> None:
        """Restore the interpretation of benchmark.toml."""
        self._choice, self.role = self._configured, ""
        self._look()

    def use(self) -> None:
        """Read the run with this interpretation until the benchmark is opened again."""
        if self.is_usable and self.subject is not None and self.subject.run is not None:
            self._session.read_run_as(self.subject.run, self.choice)

    def write(self) -> None:
        """Write the interpretation to benchmark.toml, then reload the benchmark."""
        benchmark = self._session.benchmark
        if benchmark is None or self.subject is None or self.why_not_writable():
            return
        target = self._session.manifest or benchmark.root
        reading = self.choice
        for question in self.open_questions:  # detected options are written, too: the user has seen and accepted them
            if question.chosen:
                reading = reading.with_option(question.key, question.chosen)
        answers = manifest_answers(self.subject, reading, self.role)
        work = partial(write_choice, target, answers)
        self._session.tasks.run(
            WRITE_KEY, work, self._show_written, self._fail, title="Writing benchmark.toml", listed=True
        )

    @Slot()
    def _start(self, *_: object) -> None:
        benchmark, former = self._session.benchmark, self.subject
        self.subjects = () if benchmark is None else run_files(benchmark)
        if benchmark is None:
            self._session.tasks.stop(LISTING_KEY)
        else:
            self._session.tasks.run(
                LISTING_KEY, partial(other_files, benchmark), self._add_subjects, self._fail, title="Listing files"
            )
        if former is None:
            self.file_changed.emit()
            return
        again = next((subject for subject in self.subjects if subject.path == former.path), None)
        if again is None and benchmark is not None and former.path.exists():
            again = ImportFile(former.path)
        self.subject = again
        self._choice = None
        self.file_changed.emit()
        if again is not None:
            self._look()

    def _add_subjects(self, others: tuple[ImportFile, ...]) -> None:
        self.subjects = (*self.subjects, *others)
        self.file_changed.emit()

    @Slot(object)
    def _refresh(self, places: tuple[int, ...]) -> None:
        """Compute the effect again after runs were reloaded."""
        if self.subject is not None and self.subject.run in places:
            self._look()

    def _look(self) -> None:
        if self.subject is None:
            return
        benchmark, manifest = self._session.benchmark, self._session.manifest
        work = partial(make_preview, self.subject.path, self._choice, benchmark, manifest)
        self._session.tasks.run(PREVIEW_KEY, work, self._show, self._fail, title=f"Reading {self.subject.path.name}")

    def _show(self, found: tuple[Preview, ReadOptions]) -> None:
        self.preview, choice = found
        if self._choice is None:
            self._configured = choice
        self._choice, self.problem = choice, self.preview.problem
        self.preview_changed.emit()
        self._try()

    def _try(self) -> None:
        """Start the computation of the effect."""
        session, subject = self._session, self.subject
        self.effect = None
        self.effect_changed.emit()
        if session.benchmark is None or subject is None or subject.run is None or self.problem:
            session.tasks.stop(EFFECT_KEY)
            return
        work: Callable[..., ImportEffect] = partial(
            compute_effect,
            session.benchmark,
            subject.run,
            self.choice,
            session.manifest,
            session.selection.query,
            session.profile,
            session.measure,
            self._mean_of(session.benchmark, subject.run),
        )
        title = f"Evaluating {session.benchmark.runs[subject.run].name}"
        session.tasks.run(EFFECT_KEY, work, self._show_effect, self._fail, title=title)

    def _mean_of(self, benchmark: Benchmark, run: int) -> float:
        scores, means = self._session.scores, self._session.mean("queries")
        name = benchmark.runs[run].name
        if scores is None or name not in scores.runs or not means.size:
            return float("nan")
        value = means[scores.run_index(name), scores.column(self._session.measure)]
        return float(np.asarray(value))

    def _show_effect(self, found: ImportEffect) -> None:
        self.effect = found
        self.effect_changed.emit()

    def _show_written(self, path: Path) -> None:
        self.written.emit(path)
        self._session.reload()

    def _fail(self, error: Exception) -> None:
        self.problem, _ = describe_failure("The file cannot be read", error)
        self.preview_changed.emit()
