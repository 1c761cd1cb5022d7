"""Readable state and signals of the session."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from shrec_viewer.domain import Benchmark, Finding, Run
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.core.findings_log import with_profile_action
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts
from shrec_viewer.metrics import PROFILES, Profile
from shrec_viewer.viewmodels.mesh_view.state import MeshViewState
from shrec_viewer.viewmodels.session.cursor import CursorState
from shrec_viewer.viewmodels.session.edits import Edits
from shrec_viewer.viewmodels.session.jobs import Means, effective_measure
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.tasks.tasks import TaskRunner
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails

OPENING, SCORING, LISTING = "open", "scores", "list"
"""Lanes of `Session.tasks` that the session itself uses."""


class SessionState(QObject):
    """The reading side of `Session`.

    Parameters
    ----------
    thumbnails : the pictures of what is open; closed with the session.

    Attributes
    ----------
    pointing : the rank cursor and what else is pointed at for a moment.
    orbit : the 3D view of what is selected.
    tasks : all work that goes on beside the window.
    edits : notes, hidden runs, colours, and the way back through them.

    Signals
    -------
    benchmark_changed()
        Another benchmark, or none, is open; scores, list and selection start anew with it and are not told again.
    runs_renewed(places)
        The runs at these places, a tuple, have other answers, and findings changed with them; names, participants and
        everything else are what they were. It comes before the `scores_changed` and `list_changed` that follow. An
        empty tuple: only the findings are others.
    profile_changed()
        Other conventions are in force; the scores and the list that follow from them come later.
    scores_changed()
        `scores` is another one, or None while there is none.
    list_changed()
        `ranked_list` is another one, or None.
    selection_changed(old, new)
        Two `Selection` records.
    progress(text, done, total)
        Work goes on; ``("", 0, 0)`` when all is done. `total` 0: nobody knows how long.
    failed(sentence, details)
        Something asked for could not be done; what was there before still stands. `details` may be "".
    done(sentence)
        Something asked for that takes a while, and is not seen where it ends, is there: a file, a copy.
    """

    benchmark_changed = Signal()
    runs_reloaded = Signal(object)
    profile_changed = Signal()
    scores_changed = Signal()
    list_changed = Signal()
    selection_changed = Signal(object, object)
    progress = Signal(str, int, int)
    failed = Signal(str, str)
    done = Signal(str)

    def __init__(self, thumbnails: Thumbnails, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.thumbnails = thumbnails
        self.tasks = TaskRunner(self)
        self.cursor_state = CursorState(self)
        self.mesh_view_state = MeshViewState(thumbnails, self)
        self._benchmark: Benchmark | None = None
        self._path: Path | None = None
        self._parts = BenchmarkParts()
        self._read_at = 0.0
        self._profile = PROFILES[0]
        self._scores: Scores | None = None
        self._means: Means = {}
        self._list: RankedList | None = None
        self._selection = Selection()
        self._is_default_selection = False
        self._selecting_best_run = False
        self.edits = Edits(self)

    @property
    def benchmark(self) -> Benchmark | None:
        """What is open, or None."""
        return self._benchmark

    @property
    def path(self) -> Path | None:
        """Folder or file the benchmark was opened from."""
        return self._path

    @property
    def parts(self) -> BenchmarkParts:
        """What the person said about where its parts lie."""
        return self._parts

    @property
    def read_at(self) -> float:
        """When reading it began, as `time.time`; files that are younger may not be what was read."""
        return self._read_at

    @property
    def is_opening(self) -> bool:
        """Whether something is being read."""
        return self.tasks.is_busy(OPENING)

    @property
    def profile(self) -> Profile:
        """The conventions in force."""
        return self._profile

    @property
    def scores(self) -> Scores | None:
        """Scores of all runs under `profile`; None while they are computed, and where there is no assessment."""
        return self._scores

    def mean(self, over: str) -> NDArray[np.float64]:
        """(R, M) float64, means of `scores` over ``"queries"`` or ``"classes"``; (0, 0) while there are none."""
        return self._means.get(over, np.zeros((0, 0))) if self._scores is not None else np.zeros((0, 0))

    @property
    def ranked_list(self) -> RankedList | None:
        """The list of the selected run for the selected query; the former one until the new one is made."""
        return self._list

    @property
    def has_lists(self) -> bool:
        """Whether there are a run and a query, so that there is, or will be, a list to show."""
        return self.run is not None and self._selection.query != NOTHING

    @property
    def selection(self) -> Selection:
        """What is selected."""
        return self._selection

    @property
    def is_selecting_best_run(self) -> bool:
        """Whether the selection moves because scores have come, and not because somebody chose."""
        return self._selecting_best_run

    @property
    def measure(self) -> str:
        """Key of the measure that is looked at: the selected one where it is computed, else the profile's headline."""
        return effective_measure(self._scores, self._profile, self._selection.measure)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was noticed while reading, and then while drawing; empty while nothing is open.

        They say what the conventions in force do. Those of drawing come later, see `Thumbnails.findings_changed`.
        """
        if self._benchmark is None:
            return ()
        path = self._path or Path()
        of_pictures = self.thumbnails.findings(path if path.is_dir() else path.parent)
        return tuple(with_profile_action(finding, self._profile) for finding in self._benchmark.findings) + of_pictures

    @property
    def has_findings(self) -> bool:
        """Whether there are any: asked after each step of a person's, while `findings` looks at the disk."""
        return self._benchmark is not None and (bool(self._benchmark.findings) or self.thumbnails.has_findings)

    @property
    def run(self) -> Run | None:
        """The selected run."""
        if self._benchmark is None or self._selection.run == NOTHING:
            return None
        return self._benchmark.runs[self._selection.run]
