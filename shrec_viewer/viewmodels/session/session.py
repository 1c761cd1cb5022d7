"""The session: opens a benchmark, scores it, and signals every change of the selection."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import time

from PySide6.QtCore import QObject, Slot

from shrec_viewer.domain import Benchmark, Finding, FormatError
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts
from shrec_viewer.metrics import Profile, find_profile
from shrec_viewer.viewmodels.live_reload.live_reload import LiveReload
from shrec_viewer.viewmodels.live_reload.reread import (
    OpenRequest,
    ReloadedRuns,
    carry_selection,
    find_loss,
    kept_version_finding,
)
from shrec_viewer.viewmodels.session.jobs import (
    Means,
    best_run,
    make_ranked_list,
    open_benchmark,
    resolve_profile,
    score_runs,
)
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection, initial_selection, restricted_to, with_changes
from shrec_viewer.viewmodels.session.state import LISTING, OPENING, SCORING, SessionState
from shrec_viewer.viewmodels.tasks.tasks import describe_failure
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails


class Session(SessionState):
    """What is open, scored and selected. Panels read it and listen; they never meet each other.

    A benchmark opens with its first query and its first run, and goes over to its best run once it is known which one
    that is, if nothing was selected in the meantime.

    The verbs are `open`, `reload`, `close`, `select`, `set_profile`, `set_conventions`; nothing else changes it.
    Reading and computing go on beside the window, and until an answer is there the session shows what it showed before.

    Attributes
    ----------
    live : reads runs anew when they change on disk.
    """

    def __init__(self, thumbnails: Thumbnails, parent: QObject | None = None) -> None:
        super().__init__(thumbnails, parent)
        self.live = LiveReload(self)
        self.live.reload_finished.connect(self._show_reloaded)
        self.live.full_reload_needed.connect(self._reload_automatically)

    def open(self, path: Path, parts: BenchmarkParts | None = None, profile: str | Profile | None = None) -> None:
        """Read `path` beside the window and show it; what is open stays until it is read, and if it cannot be.

        Parameters
        ----------
        parts : where parts lie that are not inside `path`.
        profile : the conventions, or their key, to use instead of those the benchmark asks for.
        """
        self._read(OpenRequest(path, BenchmarkParts() if parts is None else parts, profile, time()))

    def _read(self, opening: OpenRequest) -> None:
        path = opening.path
        self.progress.emit(f"Reading {path.name}", 0, 0)
        self.tasks.run(
            OPENING,
            partial(open_benchmark, path, opening.parts),
            partial(self._show_opened, opening),
            partial(self._show_unread, opening),
            progress=partial(self._report_progress, f"Reading {path.name}"),
            title=f"Reading {path.name}",
        )

    @Slot()
    def reload(self) -> None:
        """Read what is open once more, keeping the selection, and the conventions if somebody chose them."""
        self._reload(automatic=False)

    @Slot()
    def _reload_automatically(self) -> None:
        """The same without being asked: what is open stays if what is read lacks something of it."""
        self._reload(automatic=True)

    def _reload(self, *, automatic: bool) -> None:
        if self._path is not None and self._benchmark is not None:
            asked, _ = resolve_profile(self._benchmark, None)
            wanted = None if self._profile == asked else self._profile
            self._read(OpenRequest(self._path, self._parts, wanted, time(), automatic))

    def close(self) -> None:
        """Open nothing; answers that are under way never arrive."""
        if self._benchmark is None and not self.tasks.is_busy():
            return
        self._start_with(None, None, BenchmarkParts(), Selection(means=self._selection.means))

    def select(
        self,
        *,
        query: int | None = None,
        run: int | None = None,
        compared: int | None = None,
        shown_runs: Sequence[int] | None = None,
        rank: int | None = None,
        model: int | None = None,
        measure: str | None = None,
        means: bool | None = None,
    ) -> None:
        """Select what is given and leave the rest; what the benchmark does not have is ignored. See `Selection`.

        `means` is a way of looking: it counts for what is opened next too, and can be chosen while nothing is open.
        """
        if self._benchmark is None:
            if means is not None:
                self._selection = replace(self._selection, means=means)
            return
        if any(wish is not None for wish in (query, run, compared, shown_runs, rank, model, measure)):
            self._is_default_selection = False
        runs = None if shown_runs is None else tuple(shown_runs)
        requests: dict[str, object] = {
            "query": query,
            "run": run,
            "compared": compared,
            "shown_runs": runs,
            "rank": rank,
        }
        requests |= {"model": model, "measure": measure, "means": means}
        self._set_selection(restricted_to(with_changes(self._selection, requests), self._selection, self._benchmark))

    def deselect_rank(self) -> None:
        """Look at no rank and no model in particular."""
        self._set_selection(replace(self._selection, rank=None, model=None))

    def set_profile(self, key: str) -> None:
        """Score by other conventions; a key that no profile has is told by `failed` and changes nothing."""
        try:
            profile = find_profile(key)
        except KeyError as error:
            self.failed.emit(str(error), "")
            return
        self.set_conventions(profile)

    def set_conventions(self, profile: Profile) -> None:
        """Score by these conventions: those of a profile, or one with a choice changed."""
        if profile == self._profile:
            return
        self._profile = profile
        self.profile_changed.emit()
        self._order()
        self._score()

    def stop(self, lane: str = "") -> None:
        """Give up the work of a lane, or reading and evaluating; what is open stays as far as it is known."""
        for name in (lane,) if lane else (OPENING, SCORING):
            self.tasks.stop(name)
        self._end_progress()

    def shut_down(self) -> None:
        """End all work and all threads; called once, when the window closes."""
        self.live.close()
        self.tasks.close()
        self.thumbnails.close()
        self.mesh_view_state.close()

    # How answers come in.

    def _show_opened(self, opening: OpenRequest, benchmark: Benchmark) -> None:
        former, before = self._benchmark if opening.path == self._path else None, self._selection
        if opening.automatic and former is not None and (why := find_loss(former, benchmark)) is not None:
            self._keep(former, why)
            return
        self._read_at = opening.began
        chosen, findings = resolve_profile(benchmark, opening.profile)
        self._profile = chosen
        whole = replace(benchmark, findings=benchmark.findings + findings)
        first = replace(initial_selection(benchmark), means=before.means)
        if former is None:
            self._start_with(whole, opening.path, opening.parts, first)
        else:
            carried = restricted_to(carry_selection(before, former, benchmark), first, benchmark)
            self._start_with(whole, opening.path, opening.parts, carried, is_default_selection=False)

    def _show_unread(self, opening: OpenRequest, error: Exception) -> None:
        if (
            opening.automatic
            and opening.path == self._path
            and self._benchmark is not None
            and isinstance(error, FormatError)
        ):
            self._keep(self._benchmark, kept_version_finding(self._benchmark, error))
        else:
            self.report_failure(f"{opening.path.name} cannot be opened", error)

    def _keep(self, benchmark: Benchmark, why: Finding) -> None:
        """What changed on disk is of no use: go on with what was read before, and say why."""
        self._end_progress()
        others = tuple(finding for finding in benchmark.findings if finding != why)
        self._benchmark = replace(benchmark, findings=(*others, why))
        self.runs_reloaded.emit(())
        self.live.report_kept(why)

    @Slot(object)
    def _show_reloaded(self, reloaded: ReloadedRuns) -> None:
        """Put runs that were read anew in the place of the old ones; all else stays as it is."""
        if self._benchmark is not reloaded.former:
            return
        self._benchmark = reloaded.benchmark
        self.runs_reloaded.emit(reloaded.read)
        if reloaded.scores is None or self._scores is None or self._scores.profile != reloaded.scores.profile:
            self._score()
        else:
            self._scores, self._means = reloaded.scores, reloaded.means
        if reloaded.read and not self.tasks.is_busy(SCORING):
            self.scores_changed.emit()  # also where there is no truth: views that compare lists follow it
        if self._selection.run in reloaded.read:
            self._order()

    def _start_with(
        self,
        benchmark: Benchmark | None,
        path: Path | None,
        parts: BenchmarkParts,
        selection: Selection,
        *,
        is_default_selection: bool = True,
    ) -> None:
        self.tasks.drop_all()
        self.thumbnails.forget()
        self.cursor_state.forget()
        if benchmark is None:
            self.mesh_view_state.enter(None)
        else:
            self.mesh_view_state.enter(benchmark.root, benchmark.camera)
        self._benchmark, self._path, self._parts, self._selection = benchmark, path, parts, selection
        self._scores = None
        self._list = None
        self._is_default_selection = is_default_selection and benchmark is not None
        self.progress.emit("", 0, 0)
        self.benchmark_changed.emit()
        self.cursor_state.follow(self._selection.rank)
        self._order()
        self._score()

    def _set_selection(self, new: Selection) -> None:
        old, self._selection = self._selection, new
        if new == old:
            return
        if old.rank != new.rank:
            self.cursor_state.follow(new.rank)
        self.selection_changed.emit(old, new)
        if (old.query, old.run) != (new.query, new.run):
            self._order()

    def _score(self) -> None:
        benchmark = self._benchmark
        if benchmark is None or benchmark.assessment is None or not benchmark.runs or not len(benchmark.queries):
            self.tasks.stop(SCORING)
            return
        self.progress.emit("Evaluating", 0, 0)
        self.tasks.run(
            SCORING,
            partial(score_runs, benchmark, self._profile),
            self._show_scores,
            partial(self.report_failure, "The runs cannot be evaluated"),
            progress=partial(self._report_progress, "Evaluating"),
            title="Evaluating",
        )

    def _show_scores(self, evaluated: tuple[Scores, Means]) -> None:
        self._scores, self._means = evaluated
        self._end_progress()
        is_default_selection, self._is_default_selection = (
            self._is_default_selection,
            False,
        )  # who hears of scores may choose a run to compare with
        former = best = self._selection.run
        if is_default_selection and (found := best_run(self._scores, self._means)) is not None:
            best = found  # before anybody hears of scores: else all show those of the first run, and then of this one
            self._selection = replace(self._selection, run=best)
        self._selecting_best_run = True
        try:
            self.scores_changed.emit()
            if former != best == self._selection.run:
                self.selection_changed.emit(replace(self._selection, run=former), self._selection)
                self._order()
        finally:
            self._selecting_best_run = False

    def _order(self) -> None:
        benchmark, run, query = self._benchmark, self.run, self._selection.query
        if benchmark is None or run is None or query == NOTHING:
            self.tasks.stop(LISTING)
            return
        self.tasks.run(
            LISTING,
            partial(make_ranked_list, benchmark, run, query, self._profile),
            self._show_list,
            partial(self.report_failure, f"The list of {run.name} cannot be shown"),
            title="Making the ranked list",
        )

    def _show_list(self, ranked: RankedList) -> None:
        self._list = ranked
        if self._selection.rank is not None and self._selection.rank > len(ranked.items):
            self.deselect_rank()
        self.list_changed.emit()

    def _report_progress(self, what: str, done: int, total: int, text: str) -> None:
        self.progress.emit(text or what, done, total)

    def _end_progress(self) -> None:
        if not self.tasks.is_busy(OPENING) and not self.tasks.is_busy(SCORING):
            self.progress.emit("", 0, 0)

    def report_failure(self, what: str, error: Exception) -> None:
        """Tell by `failed` that work asked for broke: an error of ours as it is, any other with its traceback."""
        self._end_progress()
        self.failed.emit(*describe_failure(what, error))
