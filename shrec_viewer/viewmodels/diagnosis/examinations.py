"""Suspects and robustness of the open benchmark, computed in the background."""

from functools import partial
from typing import Any

from PySide6.QtCore import QObject

from shrec_viewer.content.suspects import SUSPECT_LIMIT
from shrec_viewer.diagnosis.suspects import SuspectQueue, SuspectUnit, default_unit, find_suspects
from shrec_viewer.domain import Assessment, Benchmark, Run
from shrec_viewer.evaluation.edits import original_assessment, with_edits
from shrec_viewer.evaluation.parallel.local import available_cores
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task, Work

QueueInputs = tuple[tuple[Run, ...], Assessment, Profile, SuspectUnit]


class SuspectsModel(SessionComputation):
    """The suspects of the original assessment; edits do not change their order during a review."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, "suspects", "The suspects are unknown", parent)
        self._by: SuspectUnit | None = None

    @property
    def queue(self) -> SuspectQueue | None:
        """The suspects; None while they are computed."""
        found: SuspectQueue | None = self.result
        return found

    @property
    def by(self) -> SuspectUnit:
        """Unit of the suspects: the chosen one, where the assessment allows it."""
        benchmark = self._session.benchmark
        default: SuspectUnit = "pair" if benchmark is None else default_unit(benchmark)
        return default if self._by is None or default == "pair" else self._by

    def set_by(self, by: SuspectUnit) -> None:
        """Examine pairs or labels."""
        self._by = by
        self.update_result()

    def reset(self) -> None:
        """Use the default unit of another benchmark."""
        self._by = None if self._session.path != self._path else self._by

    def inputs(self) -> QueueInputs | tuple[()]:
        """What the suspects depend on."""
        benchmark = self._session.benchmark
        original = None if benchmark is None else original_assessment(benchmark)
        if benchmark is None or original is None or self._session.scores is None:
            return ()
        runs = tuple(run for run in benchmark.runs if not run.expression)
        return (runs, original, self._session.profile, self.by) if runs else ()

    def is_current(self, old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
        """Runs are compared one by one: the tuple of them may be a new one."""
        if len(old) != len(new) or not old:
            return len(old) == len(new)
        same_runs = [id(run) for run in old[0]] == [id(run) for run in new[0]]
        return same_runs and old[1] is new[1] and old[2:] == new[2:]

    def work(self, runs: tuple[Run, ...], original: Assessment, profile: Profile, by: SuspectUnit) -> tuple[Work, str]:
        """Find the suspects."""
        benchmark = self._session.benchmark
        assert benchmark is not None
        return partial(_find_suspects, with_edits(benchmark, ()), profile, by), "Looking for doubtful assessments"


def _find_suspects(benchmark: Benchmark, profile: Profile, by: SuspectUnit, task: Task) -> SuspectQueue:
    return find_suspects(
        benchmark,
        profile,
        by=by,
        limit=SUSPECT_LIMIT,
        jobs=max(1, available_cores() - 1),  # one core for the window
        cancelled=task.cancelled,
        progress=task.progress,
    )
