"""State of the import dialog: preview of a file, how it is interpreted, and the effect on the scores."""

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import (
    QObject,
    Signal,
    Slot,
)

from shrec_viewer.domain import (
    Benchmark,
    Cancelled,
    DistanceMatrix,
    Finding,
    FormatError,
    Run,
    Severity,
    ShrecViewerError,
)
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.formats.core.decisions import Decision
from shrec_viewer.formats.core.findings_log import RUN_IGNORED, UNDECIDED
from shrec_viewer.formats.core.read_choices import TRUTH_ROLES, split_roles
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.discovery.assessment import read_assessment
from shrec_viewer.formats.discovery.benchmark import configured_options, reload_run, with_run
from shrec_viewer.formats.discovery.reader_table import MATRICES, run_readers
from shrec_viewer.formats.discovery.run_selection import unused_name
from shrec_viewer.formats.discovery.submission import read_submission
from shrec_viewer.formats.io.archive_names import has_archive_suffix
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME, ManifestEdit, edits_of_options, write_manifest
from shrec_viewer.formats.manifest.parts import BenchmarkParts, part_arguments, table_of_columns
from shrec_viewer.formats.preview.preview import Preview, preview
from shrec_viewer.formats.truth.qrels import is_level
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.files.disk_caches import parse_cache
from shrec_viewer.viewmodels.files.finding_location import locate_finding
from shrec_viewer.viewmodels.session.document import Document, changed_runs
from shrec_viewer.viewmodels.session.live_reload import previous_version_finding
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task, describe_failure

#: Number of models of a list shown: as many as fit into one line.
EFFECT_RANKS = 8

#: Role of a file of a run format that is not yet a run.
RUN_ROLE = "run"

#: Role of a list of ids: a file of one column.
QUERY_LIST_ROLE = "query list"

#: Role of a list of ids that is the order of the rows and columns of the matrices.
ORDER_ROLE = "order"

#: Role of qrels, and of a matrix or array of levels.
ASSESSMENT_ROLE = "assessment"

#: Roles of classes of the models, and of the queries.
COLLECTION_ROLE, QUERIES_ROLE = "collection", "queries"

#: Roles of a file that is not a run: label, table and key in benchmark.toml, formats it can have.
ROLES = {
    ASSESSMENT_ROLE: (
        "Relevance judgements",
        "assessment",
        "qrels",
        ("qrels", "json_qrels", "solution", "pairs", "levels", *MATRICES),
    ),
    COLLECTION_ROLE: (
        "Classes of the collection",
        "collection",
        "classification",
        ("cla", "truth", "classes", "class_blocks", "partition", "table"),
    ),
    QUERIES_ROLE: ("Classes of the queries", "queries", "classification", ("cla", "truth", "classes", "table")),
    QUERY_LIST_ROLE: ("Queries", "queries", "classification", ("rank_list", "ids")),
}


@dataclass(frozen=True)
class ImportFile:
    """A file of the import dialog.

    Attributes
    ----------
    run : index of its run in the benchmark; None for other files.
    ambiguity : why its interpretation is ambiguous; "" if it is not.
    """

    path: Path
    run: int | None = None
    ambiguity: str = ""


@dataclass(frozen=True)
class ImportEffect:
    """Effect of an interpretation on a run.

    Attributes
    ----------
    n_listed, n_queries, n_common : number of queries with results, of all queries, and of those of all runs if known.
    query : id of the query whose results are shown.
    first : ids and levels of its first results; empty where it has none.
    measure : key of the measure; "" without relevance assessment.
    before, after : mean score with the current and the new interpretation; NaN where undefined.
    problem : why the run cannot be read with this interpretation; "" where it can.
    binary : whether level 1 is the only level of relevance.
    is_new : whether the file is not a run yet; then `before` is NaN.
    of_run : name of the run that is scored, where the file is truth; then `n_listed` counts queries with relevant
        models.
    """

    n_listed: int = 0
    n_queries: int = 0
    query: str = ""
    first: tuple[tuple[str, int], ...] = ()
    measure: str = ""
    before: float = float("nan")
    after: float = float("nan")
    problem: str = ""
    binary: bool = False
    is_new: bool = False
    n_common: int | None = None
    of_run: str = ""


def make_preview(
    path: Path, options: ReadOptions | None, benchmark: Benchmark | None, manifest: Path | None, task: Task
) -> tuple[Preview, ReadOptions]:
    """Preview of a file under an interpretation, and the interpretation; None: the one of benchmark.toml."""
    if options is None:
        options = DETECT_ALL if benchmark is None else configured_options(benchmark, path, manifest)
    return preview(path, options, benchmark, cancelled=task.cancelled, cache=parse_cache()), options


def compute_effect(
    benchmark: Benchmark,
    subject: ImportFile,
    options: ReadOptions,
    manifest: Path | None,
    query: int,
    profile: Profile,
    measure: str,
    before: float,
    task: Task,
) -> ImportEffect:
    """Read and evaluate a run, or a file that becomes one, under an interpretation; runs as a background task."""
    try:
        changed, run = _with_subject(benchmark, subject, options, manifest, task)
    except FormatError as error:
        finding = previous_version_finding(benchmark, error)
        return ImportEffect(problem=f"{finding.location}: {finding.message}")
    n_listed = int(np.count_nonzero(run.present))
    first: tuple[tuple[str, int], ...] = ()
    name, after = "", float("nan")
    if 0 <= query < len(benchmark.queries):
        name = benchmark.queries.ids[query]
        ranked = ranked_list(changed, run, query, profile)
        ids = (benchmark.collection.ids[item] if item >= 0 else "?" for item in ranked.items[:EFFECT_RANKS].tolist())
        first = tuple(zip(ids, ranked.levels.tolist(), strict=False))
    if benchmark.assessment is not None and measure:
        try:
            scores = task.evaluate(changed, profile, runs=[run.name], measures=[measure], cancelled=task.cancelled)
        except Cancelled:
            raise
        except ShrecViewerError as error:
            return ImportEffect(problem=str(error))
        after = float(scores.mean()[0, 0])
    n_queries, is_binary = len(benchmark.queries), benchmark.is_binary
    is_new = subject.run is None
    n_common = int(changed.common_queries.sum())
    shown = n_listed, n_queries, name, first, measure, before, after
    return ImportEffect(*shown, binary=is_binary, is_new=is_new, n_common=n_common)


def compute_truth_effect(
    benchmark: Benchmark,
    path: Path,
    columns: str,
    role: str,
    run: int,
    profile: Profile,
    measure: str,
    before: float,
    task: Task,
) -> ImportEffect | None:
    """Evaluate a run with the levels or classes of a file; runs as a background task.

    None for classes of other models than those of the benchmark.
    """
    try:
        assessment, _ = read_assessment(path, benchmark, columns or None)
    except FormatError as error:
        return ImportEffect(problem=str(error)) if role == ASSESSMENT_ROLE else None
    changed, name = replace(benchmark, assessment=assessment), benchmark.runs[run].name
    n_queries = len(benchmark.queries)
    n_listed = sum(len(assessment.relevant(query)[0]) > 0 for query in range(n_queries))
    scores = task.evaluate(changed, profile, runs=[name], measures=[measure], cancelled=task.cancelled)
    after = float(scores.mean()[0, 0])
    return ImportEffect(n_listed, n_queries, measure=measure, before=before, after=after, of_run=name)


def truth_columns(options: ReadOptions) -> str:
    """The roles that are chosen for the columns of a table of truth; "" for none."""
    return ",".join(role if role in TRUTH_ROLES else "-" for role in split_roles(options.columns))


def _with_subject(
    benchmark: Benchmark, subject: ImportFile, options: ReadOptions, manifest: Path | None, task: Task
) -> tuple[Benchmark, Run]:
    """The benchmark with a run read again, or with a file as a further run, and this run.

    Raises
    ------
    FormatError
        When it is no run of this benchmark.
    """
    cache, cancelled = parse_cache(), task.cancelled
    if subject.run is not None:
        reloaded = reload_run(
            benchmark, subject.run, read_options=options, manifest=manifest, cancelled=cancelled, cache=cache
        )
        return with_run(benchmark, subject.run, reloaded), reloaded.run
    found = read_submission(benchmark, subject.path, options=options, cancelled=cancelled, cache=cache)
    if not found.runs:
        errors = (finding.message for finding in found.findings if finding.severity is Severity.ERROR)
        raise FormatError(subject.path, next(errors, "holds no run"))
    run = found.runs[0].run
    run = replace(run, name=unused_name(run.name, {other.name for other in benchmark.runs}))
    return replace(benchmark, runs=(*benchmark.runs, run)), run


def ambiguous_files(benchmark: Benchmark, manifest: Path | None, task: Task) -> tuple[ImportFile, ...]:
    """Files with an ambiguous interpretation or without a role in the benchmark; runs as a background task."""
    files: dict[Path, ImportFile] = {}
    for finding in benchmark.findings:
        if task.cancelled():
            raise Cancelled
        if not _may_be_ambiguous(finding):
            continue
        location = locate_finding(benchmark, finding)
        if location.path is None or location.path in files:
            continue
        if location.run is not None:
            ambiguity = _ambiguity_of(location.path, benchmark, manifest, task)
        else:
            ambiguity = "" if finding.severity is Severity.INFO else finding.message
        if ambiguity:
            files[location.path] = ImportFile(location.path, location.run, ambiguity)
    return tuple(files.values())


def files_of(benchmark: Benchmark) -> tuple[ImportFile, ...]:
    """The files of the runs, then the others: classes, relevance assessments, queries, other tables."""
    runs = [ImportFile(run.source, index) for index, run in enumerate(benchmark.runs) if not run.expression]
    known = {*(file.path for file in runs), benchmark.root / MANIFEST_NAME}
    return (*runs, *(ImportFile(path) for path in benchmark.sources if path not in known))


def write_edits(target: Path, edits: Sequence[ManifestEdit], task: Task) -> Path:
    """Write edits into benchmark.toml and return its path.

    Raises
    ------
    FormatError
        The file cannot be written.
    """
    write_manifest(target, edits)
    return target / MANIFEST_NAME if target.is_dir() else target


def manifest_edits(subject: ImportFile, options: ReadOptions, role: str) -> tuple[ManifestEdit, ...]:
    """Edits of benchmark.toml for the interpretation of a run, or for the role of another file.

    For a file that becomes a run, `options` has its format.
    """
    if role in ROLES:
        _, table, key, _ = ROLES[role]
        # Levels that are derived from classes would take precedence.
        others = (ManifestEdit(table, "derive", None),) if role == ASSESSMENT_ROLE else ()
        return (
            ManifestEdit(table, key, subject.path),
            *others,
            ManifestEdit(table, "columns", truth_columns(options) or None),
        )
    return edits_of_options(subject.path, options) if role == RUN_ROLE or subject.run is not None else ()


def order_edits(benchmark: Benchmark, path: Path) -> tuple[ManifestEdit, ...]:
    """Edits of benchmark.toml that make a list of ids the order of all matrices without ids."""
    return tuple(ManifestEdit("runs", "order", path, run.source) for run in matrices_without_ids(benchmark))


def matrices_without_ids(benchmark: Benchmark) -> list[Run]:
    """The runs whose rows and columns have an order."""
    is_matrix = (isinstance(run.ranking, DistanceMatrix) and not run.ranking.column_ids for run in benchmark.runs)
    return [run for run, is_one in zip(benchmark.runs, is_matrix, strict=True) if is_one and not run.expression]


def _has_levels(shown: Preview) -> bool:
    """Whether the numbers of the rows shown of a matrix are levels of relevance."""
    columns = [index for index, column in enumerate(shown.columns) if column.meaning == "model"]
    return all(
        is_level(row.cells[index].removeprefix("-"))
        for row in shown.rows
        for index in columns
        if index < len(row.cells)
    )


def needs_decision(question: Decision) -> bool:
    """Whether a question requires a decision: the reader guesses, and the options give different results.

    The options of the columns are always compared by the user: they may have the same number of known ids, but other
    ranks.
    """
    return not question.is_sure and (
        question.key == "columns" or len({option.outcome for option in question.alternatives}) != 1
    )


def _may_be_ambiguous(finding: Finding) -> bool:
    if finding.severity is Severity.ERROR:
        return finding.key == RUN_IGNORED
    return finding.key == UNDECIDED and finding.line is None


def _ambiguity_of(path: Path, benchmark: Benchmark, manifest: Path | None, task: Task) -> str:
    try:
        shown, _ = make_preview(path, None, benchmark, manifest, task)
    except FormatError as error:
        return str(error)
    question = next(filter(needs_decision, shown.questions), None)
    return "" if question is None else f"{question.label}: {question.reason}"


#: Keys of the background tasks.
PREVIEW_KEY, EFFECT_KEY, WRITE_KEY = "preview", "effect", "manifest"


class ImportModel(QObject):
    """State of the import dialog.

    Signals
    -------
    file_changed()
        The current file or the list of files changed.
    preview_changed()
        `preview`, `options`, `role` or `problem` changed.
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
        self._options: ReadOptions | None = None
        session.changed.connect(self._follow_session)
        self._start()

    @property
    def options(self) -> ReadOptions:
        """The options set for reading the file; those that are not set are detected."""
        return DETECT_ALL if self._options is None else self._options

    @property
    def is_changed(self) -> bool:
        """Whether the interpretation or the role differs from benchmark.toml."""
        return bool(self.role) or (self._options is not None and self._options != self._configured)

    @property
    def open_questions(self) -> tuple[Decision, ...]:
        """Questions that require a decision."""
        return () if self.preview is None else tuple(filter(needs_decision, self.preview.questions))

    @property
    def is_readable(self) -> bool:
        """Whether the file can be read with this interpretation; a run has been read completely."""
        if self.subject is None or self.preview is None or self.problem:
            return False
        return not self.effect.problem if self.effect is not None else not self.becomes_run

    @property
    def becomes_run(self) -> bool:
        """Whether the file is a run, or is to be one or the order of those shown in `effect`."""
        if self.subject is None:
            return False
        return self.role in (RUN_ROLE, ORDER_ROLE) or (self.subject.run is not None and not self.role)

    @property
    def arguments(self) -> str:
        """The interpretation as options of the command line; "" if everything is detected."""
        options = self.options
        if self.role == ORDER_ROLE and self.subject is not None:
            options = replace(options, order=str(self.subject.path))
        if self.role in ROLES and self.subject is not None:
            table, columns = ROLES[self.role][1], truth_columns(options)
            parts: dict[str, Any] = {"classification" if table == "collection" else table: self.subject.path}
            return shlex.join(part_arguments(BenchmarkParts(truth_columns=(columns,) if columns else (), **parts)))
        return shlex.join(part_arguments(BenchmarkParts(read_options=options)))

    @property
    def is_usable(self) -> bool:
        """Whether the interpretation can be applied without writing benchmark.toml."""
        return self.subject is not None and self.subject.run is not None and self.is_readable and not self.role

    def why_not_writable(self) -> str:
        """Why the interpretation cannot be written to benchmark.toml; "" if it can."""
        path, format_key = self._session.path, self.options.format
        if not self._session.is_open or path is None or self.subject is None:
            return "no benchmark is open"
        if has_archive_suffix(path):
            return "an archive is open; unpack it to write a benchmark.toml"
        if any(self.subject.path.is_relative_to(folder) for folder in self._session.benchmark.archives):
            return "the run is in an archive, and benchmark.toml cannot name it; it can be applied for this session"
        if self.subject.run is None and not self.role:
            return "select what to use the file as"
        if not self.role and format_key is not None and format_key not in {reader.key for reader in run_readers()}:
            return "this format is not a run format"
        return ""

    def roles(self) -> tuple[tuple[str, str], ...]:
        """Possible roles of the file, key and label; of runs only that of a matrix of levels."""
        shown = self.preview
        if shown is None or self.subject is None:
            return ()
        roles = {*split_roles(self.options.columns)}
        if self.subject.run is not None and not roles & {"level", "class"}:
            has_levels = shown.format in MATRICES and _has_levels(shown)
            return ((ASSESSMENT_ROLE, ROLES[ASSESSMENT_ROLE][0]),) if has_levels else ()
        is_folder = shown.path.is_dir()
        runs = {reader.key for reader in run_readers() if (reader.read_folder is not None) == is_folder}
        is_list = shown.format in ROLES[QUERY_LIST_ROLE][3] and len(shown.columns) == 1
        unfit = set() if is_list else {QUERY_LIST_ROLE}
        unfit |= {ASSESSMENT_ROLE} if shown.format in MATRICES and not _has_levels(shown) else set()
        others = (
            (key, label)
            for key, (label, _, _, formats) in ROLES.items()
            if key not in unfit
            and (shown.format in formats or (key == ASSESSMENT_ROLE and {"query", "model"} <= roles))
        )
        has_order = is_list and bool(matrices_without_ids(self._session.benchmark))
        order = ((ORDER_ROLE, "Order of matrices"),) if has_order else ()
        return (*(((RUN_ROLE, "Run"),) if shown.format in runs else ()), *others, *order)

    def show_file(self, subject: ImportFile) -> None:
        """Show a file with its current interpretation."""
        self._forget(subject)
        self.file_changed.emit()
        self._request_preview()

    def choose(self, question: str, option: str) -> None:
        """Set the option of a question of the preview."""
        self._options = self.options.with_option(question, option)
        self._request_preview()

    def set_role(self, role: str) -> None:
        """Set the role of a file that is not a run, a key of `roles`; "" for none."""
        if role != self.role:
            self.role = role
            self.preview_changed.emit()
            self._request_effect()

    def undo(self) -> None:
        """Restore the interpretation of benchmark.toml."""
        self._options, self.role = self._configured, ""
        self._request_preview()

    def use(self) -> None:
        """Read the run with this interpretation until the benchmark is reopened."""
        if self.is_usable and self.subject is not None and self.subject.run is not None:
            self._session.read_run_as(self.subject.run, self.options)

    def write(self) -> None:
        """Write the interpretation to benchmark.toml, then reload the benchmark."""
        benchmark = self._session.benchmark
        if not self._session.is_open or self.subject is None or self.why_not_writable():
            return
        target = self._session.manifest or benchmark.root
        options = self.options
        for question in self.open_questions:  # detected options are written, too: the user has seen and accepted them
            if question.chosen:
                options = options.with_option(question.key, question.chosen)
        if self.role == RUN_ROLE and self.preview is not None:
            options = replace(options, format=self.preview.format)
        edits = manifest_edits(self.subject, options, self.role)
        if self.role == ORDER_ROLE:
            edits = order_edits(benchmark, self.subject.path)
        work = partial(write_edits, target, edits)
        self._session.tasks.run(
            WRITE_KEY, work, self._show_written, self._fail, title="Writing benchmark.toml", listed=True
        )

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.path != old.path:
            self._forget()
        if new.differs(old, "benchmark"):
            self._start()
        elif new.differs(old, "runs") and self.subject is not None and self.subject.run in changed_runs(old, new):
            self._request_preview()  # it shows the effect on the run

    def _start(self) -> None:
        """Show the same file of the benchmark that was read; no file if it is another benchmark."""
        session, old = self._session, self.subject
        self.subjects = files_of(session.benchmark)
        if old is not None:
            file = next((file for file in self.subjects if file.path == old.path), None)
            is_left = session.is_open and os.path.exists(old.path)
            self.subject = ImportFile(old.path) if file is None and is_left else file
            self._options, self.role = None, ""
        self.file_changed.emit()
        self._request_preview()

    def _forget(self, subject: ImportFile | None = None) -> None:
        """Discard preview, options and effect, for another file."""
        for key in (PREVIEW_KEY, EFFECT_KEY):
            self._session.tasks.stop(key)
        self.subject, self.preview, self.effect = subject, None, None
        self.problem, self.role = "", ""
        self._configured, self._options = DETECT_ALL, None
        self.preview_changed.emit()
        self.effect_changed.emit()

    def _request_preview(self) -> None:
        if self.subject is None:
            return
        benchmark, manifest = self._session.benchmark, self._session.manifest
        work = partial(make_preview, self.subject.path, self._options, benchmark, manifest)
        self._session.tasks.run(PREVIEW_KEY, work, self._show, self._fail, title=f"Reading {self.subject.path.name}")

    def _show(self, result: tuple[Preview, ReadOptions]) -> None:
        self.preview, options = result
        if self._options is None:
            self._configured = options
        self._options, self.problem = options, self.preview.problem
        if options.columns and options != self._configured:  # the role of a column is chosen for this
            roles = {*split_roles(options.columns)}
            table = table_of_columns(options.columns) if roles & {"level", "class"} else RUN_ROLE
            role = self.role if table == RUN_ROLE and self.role == ASSESSMENT_ROLE else table
            self.role = role if role in dict(self.roles()) else ""
        self.preview_changed.emit()
        self._request_effect()

    def _request_effect(self) -> None:
        """Start the task that computes the effect."""
        session, subject = self._session, self.subject
        self._show_effect(None)
        is_truth = self.role in (ASSESSMENT_ROLE, COLLECTION_ROLE) and bool(session.benchmark.runs)
        if subject is None or not (self.becomes_run or is_truth) or self.problem or not session.is_open:
            session.tasks.stop(EFFECT_KEY)
            return
        query, measure, options = session.selection.query, session.measure, self.options
        if self.role == ORDER_ROLE:
            options = replace(DETECT_ALL, order=str(subject.path))
            run = next(iter(matrices_without_ids(session.benchmark)))
            subject = ImportFile(run.source, session.benchmark.runs.index(run))
        path, scored = subject.path, max(0, session.selection.run or 0)
        if is_truth:
            subject = replace(subject, run=scored)
        name = subject.path.name if subject.run is None else session.benchmark.runs[subject.run].name
        scores, means, before = session.scores, session.mean("queries"), float("nan")
        if subject.run is not None and scores is not None and name in scores.runs and means.size:
            before = float(np.asarray(means[scores.run_index(name), scores.column(measure)]))
        manifest, profile = session.manifest, session.profile
        benchmark, of_run = session.benchmark, (profile, measure, before)
        work: Callable[[Task], ImportEffect | None]
        work = partial(compute_effect, benchmark, subject, options, manifest, query, *of_run)
        if is_truth:
            columns = truth_columns(options)
            work = partial(compute_truth_effect, benchmark, path, columns, self.role, scored, *of_run)
        session.tasks.run(EFFECT_KEY, work, self._show_effect, self._fail, title=f"Evaluating {name}")

    def _show_effect(self, effect: ImportEffect | None) -> None:
        self.effect = effect
        self.effect_changed.emit()

    def _show_written(self, path: Path) -> None:
        self.written.emit(path)
        self._session.reload()

    def _fail(self, error: Exception) -> None:
        self.problem, _ = describe_failure("The file cannot be read", error)
        self.preview_changed.emit()
