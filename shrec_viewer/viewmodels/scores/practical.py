"""Bounds and estimates of the runs from judgements of a part of the models, computed in the background."""

from pathlib import Path

from PySide6.QtCore import QObject

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.practical import SAMPLE_SIZE, SCOPE, PracticalResult, pairs_to_judge, practical
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.io.atomic import atomic_file
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task, Work


class PracticalModel(SessionComputation):
    """Bounds and estimates of all runs; see `evaluation.practical.practical`."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        self._scope, self._sample_size = SCOPE, SAMPLE_SIZE
        super().__init__(session, "practical", "The runs cannot be estimated", parent, keeps_result=True)

    @property
    def found(self) -> PracticalResult | None:
        """The latest result for the open benchmark; None while the first one is computed."""
        return self.result if self._inputs[:1] == (self._session.benchmark,) else None

    @property
    def scope(self) -> int:
        """Number of ranks of each list that count as judged, at most."""
        return self._scope

    @property
    def sample_size(self) -> int:
        """Number of random pairs that count as judged, at most."""
        return self._sample_size

    def set_scope(self, scope: int) -> None:
        """Set `scope`."""
        self._scope = scope
        self.update_result()

    def set_sample_size(self, sample_size: int) -> None:
        """Set `sample_size`."""
        self._sample_size = sample_size
        self.update_result()

    def save_pairs(self, path: Path) -> None:
        """Write the pairs that are not judged to a file in a background task; see `pairs_to_judge`."""
        benchmark, profile = self._session.benchmark, self._session.profile
        if benchmark is None or not self._session.may_write(path):
            return
        scope, sample_size = self._scope, self._sample_size

        def write(_task: Task) -> int:
            text = pairs_to_judge(benchmark, profile, scope=scope, sample_size=sample_size)
            with atomic_file(path) as draft:
                draft.write_text(text, encoding="utf-8", errors="surrogateescape")
            return sum(not line.startswith("#") for line in text.splitlines())

        def report(number: int) -> None:
            self._session.done.emit(f"Saved {count_of(number, 'pair')} to judge: {path}")

        def fail(error: Exception) -> None:
            self._session.report_failure(f"{path.name} cannot be written", error)

        self._session.tasks.run("save pairs to judge", write, report, fail, title=f"Saving {path.name}")

    def inputs(self) -> tuple[Benchmark, Profile, int, int] | tuple[()]:
        """Benchmark, profile, scope and size of the sample."""
        benchmark = self._session.benchmark
        if benchmark is None or benchmark.assessment is None or not benchmark.runs or not len(benchmark.queries):
            return ()
        return benchmark, self._session.profile, self._scope, self._sample_size

    def work(self, benchmark: Benchmark, profile: Profile, scope: int, sample_size: int) -> tuple[Work, str]:
        """See `SessionComputation.work`."""

        def compute(task: Task) -> PracticalResult:
            return practical(
                benchmark,
                profile,
                scope=scope,
                sample_size=sample_size,
                cancelled=task.cancelled,
                progress=task.progress,
            )

        return compute, "Bounds and estimates"
