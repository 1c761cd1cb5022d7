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
"""Whether the line is not read as an answer."""

NOTE_HEADER = "What becomes of the line"
"""Head of the last column, where any line is not simply read."""


class PreviewTableModel(QAbstractTableModel):
    """The rows of a `Preview`; the last column says what is odd about a line, where anything is."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._preview: Preview | None = None
        self._has_notes = False

    def set_preview(self, preview: Preview | None) -> None:
        """Show this one; None for none."""
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
        """Qt override; rows are headed by their line."""
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
"""Lines of a file that are shown: what fits beside the questions without scrolling."""

EFFECT_RANKS = 8
"""Models of a list that are shown: as many as fit into a line."""

ROLES = {
    "assessment": ("Relevance judgements", "assessment", "qrels", ("qrels", "pairs")),
    "collection": ("Classes of the collection", "collection", "classification", ("cla", "truth", "classes", "table")),
    "queries": ("Classes of the queries", "queries", "classification", ("cla", "truth", "classes", "table")),
}
"""What a file that is no run can be used as: what it is called, table and key of the description, readers for it."""


@dataclass(frozen=True)
class ImportFile:
    """A file that is looked at: the place of its run in the benchmark, or None."""

    path: Path
    run: int | None = None
    doubt: str = ""


@dataclass(frozen=True)
class EffectItem:
    """One model of a list that a choice would give: its id and level."""

    name: str
    level: int


@dataclass(frozen=True)
class ImportEffect:
    """What a choice would do to a run.

    Attributes
    ----------
    answered, asked : queries with a list, and all.
    query : id of the query whose list is shown.
    first : its first models; empty where it has no list.
    measure : key of the measure; "" where nothing can be measured.
    before, after : mean of the measure; NaN where there is none.
    problem : why the run cannot be read so; "" where it can.
    binary : the truth has no degrees: its level 1 is plainly relevant.
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
    """The preview of a file under a choice; None: as the description says. With the choice."""
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
    """What reading a run so would give: the lists there are, the beginning of one, the mean of a measure."""
    try:
        found = reload_run(
            benchmark, run, reading=choice, manifest=manifest, cancelled=task.cancelled, cache=parse_cache()
        )
    except FormatError as error:
        finding = kept_version_finding(benchmark, error)
        return ImportEffect(problem=f"{finding.place}: {finding.message}")
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
    """Files that somebody should decide about: nothing in them tells how they are meant, or they fit nowhere."""
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
    """The runs."""
    return tuple(ImportFile(run.source, place) for place, run in enumerate(benchmark.runs))


def other_files(benchmark: Benchmark, task: Task) -> tuple[ImportFile, ...]:
    """Files that are no run and that findings name: classes, truth, queries."""
    return tuple(ImportFile(path) for path in files_in_findings(benchmark) if path != benchmark.root / MANIFEST_NAME)


def write_choice(target: Path, answers: Sequence[ManifestEdit], task: Task) -> Path:
    """Write answers into the description of a benchmark; returns where that is. FormatError where it cannot be."""
    write_manifest(target, answers)
    return target / MANIFEST_NAME if target.is_dir() else target


def manifest_answers(subject: ImportFile, choice: ReadOptions, role: str) -> tuple[ManifestEdit, ...]:
    """The lines that say a choice: how a run is read, or what another file is used as."""
    if role in ROLES:
        _, table, key, _ = ROLES[role]
        return (ManifestEdit(table, key, subject.path),)
    return edits_of_options(subject.path, choice) if subject.run is not None else ()


def possible_roles(shown: Preview) -> tuple[tuple[str, str], ...]:
    """What a file that is no run can be used as: key and words."""
    return tuple((key, words) for key, (words, _, _, formats) in ROLES.items() if shown.format in formats)


def needs_decision(question: Question) -> bool:
    """Whether somebody should decide: the reader guesses, and the answers give different things.

    Columns may give the same number of known ids and other ranks.
    """
    return not question.sure and (question.key == "columns" or len({option.gives for option in question.options}) != 1)


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
    return "" if question is None else f"{question.label}: {question.why}"


LISTING_LANE, PREVIEW_LANE, EFFECT_LANE, WRITE_LANE = "files", "preview", "effect", "settle"
"""Lanes of the session's tasks."""


class ImportModel(QObject):
    """The state of the import dialog.

    Signals
    -------
    subject_changed()
        Another file is looked at, or there are others to look at.
    preview_changed()
        `preview`, `choice`, `role` or `problem` are others.
    effect_changed()
        `compute_effect` is another one, or None while it is computed.
    written(path)
        The choice stands in this file; everything is being read once more.
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
        self._said = DETECT_ALL
        self._choice: ReadOptions | None = None
        session.benchmark_changed.connect(self._start)
        session.runs_reloaded.connect(self._refresh)
        self._start()

    @property
    def choice(self) -> ReadOptions:
        """How the file is to be read, as far as anybody says."""
        return DETECT_ALL if self._choice is None else self._choice

    @property
    def is_changed(self) -> bool:
        """Whether something is chosen that the description does not say."""
        return bool(self.role) or (self._choice is not None and self._choice != self._said)

    @property
    def open_questions(self) -> tuple[Question, ...]:
        """What nobody is sure about and nobody has said yet, though it matters."""
        return () if self.preview is None else tuple(filter(needs_decision, self.preview.questions))

    @property
    def is_readable(self) -> bool:
        """Whether the file was seen to be readable so; a run was tried as a whole."""
        if self.subject is None or self.preview is None or self.problem:
            return False
        return self.subject.run is None or (self.effect is not None and not self.effect.problem)

    @property
    def is_usable(self) -> bool:
        """Whether the run can be read so now, without writing anything down."""
        return self.subject is not None and self.subject.run is not None and self.is_readable

    def why_not_writable(self) -> str:
        """Why the choice cannot be written down; "" where it can."""
        path, benchmark = self._session.path, self._session.benchmark
        if benchmark is None or path is None or self.subject is None:
            return "nothing is open"
        if has_archive_suffix(path):
            return "an archive is open; unpack it to write a description beside its files"
        if self.subject.run is None and not self.role:
            return "say what the file is to be used as"
        if (
            self.choice.format is not None
            and self.choice.format not in {reader.key for reader in run_readers()}
            and not self.role
        ):
            return "a run cannot be of this format"
        return ""

    def roles(self) -> tuple[tuple[str, str], ...]:
        """What the file can be used as, if it is no run."""
        if self.preview is None or self.subject is None or self.subject.run is not None:
            return ()
        return possible_roles(self.preview)

    def show_file(self, subject: ImportFile) -> None:
        """Look at this file as it is read now."""
        self.subject = subject
        self.preview, self.effect, self.problem, self.role = None, None, "", ""
        self._choice = None
        self.file_changed.emit()
        self.preview_changed.emit()
        self._look()

    def choose(self, question: str, option: str) -> None:
        """Answer a question of the preview."""
        self._choice = self.choice.choosing(question, option)
        self._look()

    def set_role(self, role: str) -> None:
        """Use a file that is no run as a key of `roles`; "" for nothing."""
        if role != self.role:
            self.role = role
            self.preview_changed.emit()

    def undo(self) -> None:
        """Back to what the description says."""
        self._choice, self.role = self._said, ""
        self._look()

    def use(self) -> None:
        """Read the run so from now on, until the benchmark is opened anew."""
        if self.is_usable and self.subject is not None and self.subject.run is not None:
            self._session.read_run_as(self.subject.run, self.choice)

    def write(self) -> None:
        """Write the choice into the description, then read everything once more."""
        benchmark = self._session.benchmark
        if benchmark is None or self.subject is None or self.why_not_writable():
            return
        target = self._session.manifest or benchmark.root
        reading = self.choice
        for question in self.open_questions:  # what is guessed and shown is what the person agrees to
            if question.chosen:
                reading = reading.choosing(question.key, question.chosen)
        answers = manifest_answers(self.subject, reading, self.role)
        work = partial(write_choice, target, answers)
        self._session.tasks.run(
            WRITE_LANE, work, self._show_written, self._fail, title="Writing the description", listed=True
        )

    @Slot()
    def _start(self, *_: object) -> None:
        benchmark, former = self._session.benchmark, self.subject
        self.subjects = () if benchmark is None else run_files(benchmark)
        if benchmark is None:
            self._session.tasks.stop(LISTING_LANE)
        else:
            self._session.tasks.run(
                LISTING_LANE, partial(other_files, benchmark), self._add_subjects, self._fail, title="Listing files"
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
        """Runs were read anew: the same choice of the same file has another effect."""
        if self.subject is not None and self.subject.run in places:
            self._look()

    def _look(self) -> None:
        if self.subject is None:
            return
        benchmark, manifest = self._session.benchmark, self._session.manifest
        work = partial(make_preview, self.subject.path, self._choice, benchmark, manifest)
        self._session.tasks.run(
            PREVIEW_LANE, work, self._show, self._fail, title=f"Looking at {self.subject.path.name}"
        )

    def _show(self, found: tuple[Preview, ReadOptions]) -> None:
        self.preview, choice = found
        if self._choice is None:
            self._said = choice
        self._choice, self.problem = choice, self.preview.problem
        self.preview_changed.emit()
        self._try()

    def _try(self) -> None:
        """Have the effect computed."""
        session, subject = self._session, self.subject
        self.effect = None
        self.effect_changed.emit()
        if session.benchmark is None or subject is None or subject.run is None or self.problem:
            session.tasks.stop(EFFECT_LANE)
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
        title = f"Trying {session.benchmark.runs[subject.run].name} otherwise"
        session.tasks.run(EFFECT_LANE, work, self._show_effect, self._fail, title=title)

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
        self.problem, _ = describe_failure("The file cannot be looked at", error)
        self.preview_changed.emit()
