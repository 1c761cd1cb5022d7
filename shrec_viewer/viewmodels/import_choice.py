"""How one file is read, how else it could be, and what that would do: computed beside the window, the newest wins."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.domain import Benchmark
from shrec_viewer.formats.archive import is_called_archive
from shrec_viewer.formats.preview import Preview, Question
from shrec_viewer.formats.reading import FORMATS, UNSAID, Reading
from shrec_viewer.viewmodels.failure import failure_words
from shrec_viewer.viewmodels.import_jobs import (
    Effect,
    Subject,
    answers_for,
    effect,
    is_open,
    look,
    other_subjects,
    roles_for,
    run_subjects,
    write_down,
)
from shrec_viewer.viewmodels.live import manifest_of
from shrec_viewer.viewmodels.session import Session

LISTING, LOOKING, TRYING, WRITING = "files", "preview", "effect", "settle"
"""Lanes of the session's tasks."""


class ImportChoice(QObject):
    """The state of the import dialog.

    Signals
    -------
    subject_changed()
        Another file is looked at, or there are others to look at.
    preview_changed()
        `preview`, `choice`, `role` or `problem` are others.
    effect_changed()
        `effect` is another one, or None while it is computed.
    written(path)
        The choice stands in this file; everything is being read once more.
    """

    subject_changed = Signal()
    preview_changed = Signal()
    effect_changed = Signal()
    written = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.subject: Subject | None = None
        self.subjects: tuple[Subject, ...] = ()
        self.preview: Preview | None = None
        self.effect: Effect | None = None
        self.problem = ""
        self.role = ""
        self._said = UNSAID
        self._choice: Reading | None = None
        session.benchmark_changed.connect(self._start)
        session.runs_renewed.connect(self._refresh)
        self._start()

    @property
    def choice(self) -> Reading:
        """How the file is to be read, as far as anybody says."""
        return UNSAID if self._choice is None else self._choice

    @property
    def is_changed(self) -> bool:
        """Whether something is chosen that the description does not say."""
        return bool(self.role) or (self._choice is not None and self._choice != self._said)

    @property
    def open_questions(self) -> tuple[Question, ...]:
        """What nobody is sure about and nobody has said yet, though it matters."""
        return () if self.preview is None else tuple(filter(is_open, self.preview.questions))

    @property
    def is_readable(self) -> bool:
        """Whether the file was seen to be readable so; a run was tried as a whole."""
        if self.subject is None or self.preview is None or self.problem:
            return False
        return self.subject.run is None or (self.effect is not None and not self.effect.problem)

    @property
    def can_be_used(self) -> bool:
        """Whether the run can be read so now, without writing anything down."""
        return self.subject is not None and self.subject.run is not None and self.is_readable

    def cannot_be_written(self) -> str:
        """Why the choice cannot be written down; "" where it can."""
        path, benchmark = self._session.path, self._session.benchmark
        if benchmark is None or path is None or self.subject is None:
            return "nothing is open"
        if is_called_archive(path):
            return "an archive is open; unpack it to write a description beside its files"
        if self.subject.run is None and not self.role:
            return "say what the file is to be used as"
        if self.choice.format is not None and self.choice.format not in FORMATS and not self.role:
            return "a run cannot be of this format"
        return ""

    def roles(self) -> tuple[tuple[str, str], ...]:
        """What the file can be used as, if it is no run."""
        if self.preview is None or self.subject is None or self.subject.run is not None:
            return ()
        return roles_for(self.preview)

    def look_at(self, subject: Subject) -> None:
        """Look at this file as it is read now."""
        self.subject = subject
        self.preview, self.effect, self.problem, self.role = None, None, "", ""
        self._choice = None
        self.subject_changed.emit()
        self.preview_changed.emit()
        self._look()

    def choose(self, question: str, option: str) -> None:
        """Answer a question of the preview."""
        self._choice = self.choice.choosing(question, option)
        self._look()

    def use_as(self, role: str) -> None:
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
        if self.can_be_used and self.subject is not None and self.subject.run is not None:
            self._session.live.read_so(self.subject.run, self.choice)

    def write(self) -> None:
        """Write the choice into the description, then read everything once more."""
        benchmark, path = self._session.benchmark, self._session.path
        if benchmark is None or self.subject is None or self.cannot_be_written():
            return
        target = manifest_of(path) or benchmark.root
        reading = self.choice
        for question in self.open_questions:  # what is guessed and shown is what the person agrees to
            if question.chosen:
                reading = reading.choosing(question.key, question.chosen)
        answers = answers_for(self.subject, reading, self.role)
        work = partial(write_down, target, answers)
        self._session.tasks.run(WRITING, work, self._show_written, self._fail, title="Writing the description")

    @Slot()
    def _start(self, *_: object) -> None:
        benchmark, former = self._session.benchmark, self.subject
        self.subjects = () if benchmark is None else run_subjects(benchmark)
        if benchmark is None:
            self._session.tasks.stop(LISTING)
        else:
            self._session.tasks.run(
                LISTING, partial(other_subjects, benchmark), self._add_subjects, self._fail, title="Listing files"
            )
        if former is None:
            self.subject_changed.emit()
            return
        again = next((subject for subject in self.subjects if subject.path == former.path), None)
        if again is None and benchmark is not None and former.path.exists():
            again = Subject(former.path)
        self.subject = again
        self._choice = None
        self.subject_changed.emit()
        if again is not None:
            self._look()

    def _add_subjects(self, others: tuple[Subject, ...]) -> None:
        self.subjects = (*self.subjects, *others)
        self.subject_changed.emit()

    @Slot(object)
    def _refresh(self, places: tuple[int, ...]) -> None:
        """Runs were read anew: the same choice of the same file has another effect."""
        if self.subject is not None and self.subject.run in places:
            self._look()

    def _look(self) -> None:
        if self.subject is None:
            return
        benchmark, manifest = self._session.benchmark, manifest_of(self._session.path)
        work = partial(look, self.subject.path, self._choice, benchmark, manifest)
        self._session.tasks.run(LOOKING, work, self._show, self._fail, title=f"Looking at {self.subject.path.name}")

    def _show(self, found: tuple[Preview, Reading]) -> None:
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
            session.tasks.stop(TRYING)
            return
        work: Callable[..., Effect] = partial(
            effect,
            session.benchmark,
            subject.run,
            self.choice,
            manifest_of(session.path),
            session.selection.query,
            session.profile,
            session.measure,
            self._mean_of(session.benchmark, subject.run),
        )
        title = f"Trying {session.benchmark.runs[subject.run].name} otherwise"
        session.tasks.run(TRYING, work, self._show_effect, self._fail, title=title)

    def _mean_of(self, benchmark: Benchmark, run: int) -> float:
        scores, means = self._session.scores, self._session.mean("queries")
        name = benchmark.runs[run].name
        if scores is None or name not in scores.runs or not means.size:
            return float("nan")
        value = means[scores.run_index(name), scores.column(self._session.measure)]
        return float(np.asarray(value))

    def _show_effect(self, found: Effect) -> None:
        self.effect = found
        self.effect_changed.emit()

    def _show_written(self, path: Path) -> None:
        self.written.emit(path)
        self._session.reload()

    def _fail(self, error: Exception) -> None:
        self.problem, _ = failure_words("The file cannot be looked at", error)
        self.preview_changed.emit()
