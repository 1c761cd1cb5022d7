"""The assessments of the open benchmark, and which of them is used."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from shrec_viewer.domain import Benchmark, EditedAssessment, FormatError
from shrec_viewer.evaluation.comparison.assessments import (
    AS_READ,
    EDITED,
    NamedAssessment,
    find_assessments,
    with_edited,
)
from shrec_viewer.evaluation.edits import AssessmentEdit, with_edits

#: Key of the task that reads them.
FINDING = "assessments"

#: Assessments that were read, the benchmark as read, edits, and all assessments.
Available = tuple[tuple[NamedAssessment, ...], Benchmark, tuple[AssessmentEdit, ...], tuple[NamedAssessment, ...]]


class Assessments(QObject):
    """Assessments of the open benchmark: as read, with edits, derived from classes, and from other files.

    They are read in the background when `find` is called for the first time after a benchmark was opened.

    Parameters
    ----------
    session : the `Session`, which owns this object.

    Attributes
    ----------
    files : files added by the user.

    Signals
    -------
    changed()
        They were read; what else changes follows from the document.
    """

    changed = Signal()

    def __init__(self, session: Any, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._found: tuple[NamedAssessment, ...] | None = None
        self._available: Available | None = None
        self.files: tuple[Path, ...] = ()
        self._steps = 0  # requested while they are being read

    @property
    def available(self) -> tuple[NamedAssessment, ...]:
        """All assessments; empty until they are read. The same object while none of them changes."""
        found, as_read, edits = self._found, self._session.document.as_read, self._session.edits.levels
        if found is None or as_read.assessment is None:
            return found or ()
        known = self._available
        if known is None or known[0] is not found or known[1] is not as_read or known[2] != edits:
            self._available = known = (found, as_read, edits, with_edited(found, with_edits(as_read, edits)))
        return known[3]

    @property
    def active_key(self) -> str:
        """Key of the assessment that is used."""
        if self.active is not None:
            return self.active.key
        return EDITED if isinstance(self._session.benchmark.assessment, EditedAssessment) else AS_READ

    @property
    def active(self) -> NamedAssessment | None:
        """See `Document.assessment`."""
        return self._session.document.assessment

    def reset(self, path: Path | None) -> None:
        """Forget the assessments; called by the session when another benchmark is opened, or the same one again."""
        if self._session.path != path:
            self.files = ()
        self._found, self._available, self._steps = None, None, 0

    def find(self) -> None:
        """Read the assessments, unless they are known."""
        benchmark = self._session.benchmark_as_read
        if self._found is None and self._session.is_open and not self._session.tasks.is_busy(FINDING):
            files, done = self.files, partial(self._show_found, benchmark)
            self._session.tasks.run(
                FINDING, lambda task: find_assessments(benchmark, files, cancelled=task.cancelled), done,
                "The assessments cannot be read", title="Reading the assessments",
            )  # fmt: skip

    def set_files(self, files: Sequence[Path]) -> None:
        """Replace the files added by the user."""
        if tuple(files) != self.files:
            self.files = tuple(files)
            self._found = None
            self._session.tasks.stop(FINDING)
            self.find()

    def _show_found(
        self, benchmark: Benchmark, found: tuple[tuple[NamedAssessment, ...], tuple[FormatError, ...]]
    ) -> None:
        as_read = self._session.benchmark_as_read
        if as_read is None or as_read.assessment is not benchmark.assessment:
            return
        self._found, errors = found
        added = {str(path) for path in self.files}
        for error in errors:
            self.files = tuple(path for path in self.files if path != error.path)
            self._session.message.emit("warning", f"{error.path.name} is no assessment: {error.reason}", str(error))
        for one in self._found:
            problems = [str(finding) for finding in one.findings if finding.severity != "info"]
            if one.key in added and problems:
                text = f"{one.label}: {problems[0] if len(problems) == 1 else f'{len(problems)} problems'}"
                self._session.message.emit("warning", text, "\n".join(problems))
        self.changed.emit()
        steps, self._steps = self._steps, 0
        if steps:
            self.step(steps)

    def use(self, key: str) -> None:
        """Use an assessment; the scores under the former one are shown until they are computed."""
        one = next((found for found in self.available if found.key == key), None)
        if one is None or key == self.active_key:
            return
        is_default = key == EDITED or (key == AS_READ and EDITED not in [found.key for found in self.available])
        self._session.apply(replace(self._session.document, assessment=None if is_default else one))
        self._session.done.emit(f"Assessment: {one.label} ({self._position()} of {len(self.available)})")

    def _position(self) -> int:
        return [one.key for one in self.available].index(self.active_key) + 1

    def step(self, by: int) -> None:
        """Use the next or the previous assessment; after the last one the first."""
        if self._found is None:
            self._steps += by
            self.find()
            return
        keys = [one.key for one in self.available]
        if len(keys) < 2:
            self._session.done.emit("The benchmark has one assessment; add another one in the panel Assessments")
        else:
            self.use(keys[(keys.index(self.active_key) + by) % len(keys)])
