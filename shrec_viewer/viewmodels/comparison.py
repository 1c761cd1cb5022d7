"""Two or more runs for one query, side by side: their lists, and the statistics of the first two."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.domain import Benchmark, Cancelled
from shrec_viewer.evaluation.compare import Comparison, compare
from shrec_viewer.evaluation.ranked_list import RankedList, ranked_list
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.tasks import Task

LISTS, STATISTICS = "compared lists", "comparison"
"""Lanes of the runner."""

MOST_LANES = 4
"""Runs side by side: with more the cards are too narrow for a picture and an id."""


@dataclass(frozen=True, eq=False)
class ComparedList:
    """The list of one run: its place in the benchmark, and what it answers."""

    run: int
    shown: RankedList


class ComparedRuns(QObject):
    """Follows the selection while somebody looks.

    Parameters
    ----------
    lists, statistics : which of the two the owner shows. Nobody makes what nobody shows, and two panels that both made
        the lists would take each other's place: the newest of a kind of work calls off the one before.

    Signals
    -------
    lists_changed()
        `lists` is another tuple.
    statistics_changed()
        `statistics` is another comparison, or None.
    """

    lists_changed = Signal()
    statistics_changed = Signal()

    def __init__(
        self, session: Session, parent: QObject | None = None, *, lists: bool = True, statistics: bool = True
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._makes_lists, self._makes_statistics = lists, statistics
        self._count = 2
        self._chosen: tuple[int, ...] = ()  # beside A and B
        self._wanted = False
        self._path = session.path
        self._lists: tuple[ComparedList, ...] = ()
        self._statistics: Comparison | None = None
        self._asked: tuple[object, ...] = ()
        self._tested: tuple[object, ...] = ()
        session.benchmark_changed.connect(self._forget)
        session.profile_changed.connect(self._follow_all)
        session.scores_changed.connect(self._follow_all)
        session.runs_renewed.connect(self._follow_all)
        session.selection_changed.connect(self._follow)

    @property
    def lists(self) -> tuple[ComparedList, ...]:
        """The lists to show, that of A first; the former ones until the new ones are made."""
        return self._lists

    @property
    def statistics(self) -> Comparison | None:
        """A against B on the measure looked at, over all queries: every difference is A − B."""
        return self._statistics

    @property
    def runs(self) -> tuple[int, ...]:
        """Places of the runs to show: A, B, those that somebody put beside them, the best of the other shown runs."""
        selection = self._session.selection
        if self._session.benchmark is None or selection.run == NOTHING:
            return ()
        first = [selection.run]
        if selection.compared is not None and selection.compared != selection.run:
            first.append(selection.compared)
        chosen = [run for run in self._chosen if run not in first]
        known = {*first, *chosen}
        others = [run for run in best_first(self._session) if run in selection.shown_runs and run not in known]
        return tuple((first + [*chosen, *others][: max(self._count - 2, 0)])[: self._count])

    def set_count(self, count: int) -> None:
        """How many runs stand side by side, 2 to `MOST_LANES`."""
        self._count = min(max(count, 2), MOST_LANES)
        self._ask()

    def put(self, lane: int, run: int) -> None:
        """Let a run's list stand at a place: the first is A, the second B."""
        if lane == 0:
            self._session.select(run=run)
        elif lane == 1:
            self._session.select(compared=run)
        else:
            beside = list(self.runs[2:])
            beside[lane - 2 : lane - 1] = [run]
            self._chosen = tuple(beside)
            self._ask()

    def set_wanted(self, wanted: bool) -> None:
        """Whether anybody looks; work waits until somebody does."""
        self._wanted = wanted
        if wanted:
            self._choose_rival()
            self._ask()
            self._test()

    def _choose_rival(self) -> None:
        """Compare with the best other run until the person says otherwise: two empty fields help nobody."""
        selection, scores = self._session.selection, self._session.scores
        if self._wanted and scores is not None and selection.compared in (None, selection.run):
            other = rival(self._session)
            if other is not None:
                self._session.select(compared=other)

    @Slot()
    def _forget(self) -> None:
        self._chosen = ()
        if self._session.path != self._path:  # read anew, the same lists stay where they are
            self._path = self._session.path
            self._show_lists(())  # their numbers mean other models now, or none
        self._follow_all()

    @Slot()
    def _follow_all(self, *_: object) -> None:
        if not self._wanted:
            self._let_go()
            return
        self._choose_rival()
        self._ask()
        self._test()

    def _let_go(self) -> None:
        """Keep nothing of a benchmark or of scores that are no longer those of the session."""
        self._asked, self._tested = (), ()
        self._show_lists(())
        self._show_statistics(None)

    @Slot(object, object)
    def _follow(self, old: Selection, new: Selection) -> None:
        if (old.query, old.run, old.compared, old.shown_runs) != (new.query, new.run, new.compared, new.shown_runs):
            self._ask()
        if (old.run, old.compared, old.measure) != (new.run, new.compared, new.measure):
            self._choose_rival()
            self._test()

    def _ask(self) -> None:
        session = self._session
        query = session.selection.query
        what = (session.benchmark, self.runs, query, session.profile)
        if not self._wanted or not self._makes_lists or _same(what, self._asked):
            return
        self._asked = what
        if session.benchmark is None or query == NOTHING or not self.runs:
            session.tasks.stop(LISTS)
            self._show_lists(())
            return
        work = partial(_lists, session.benchmark, self.runs, query, session.profile)
        session.tasks.run(LISTS, work, self._show_lists, self._fail, title="Lists side by side")

    def _test(self) -> None:
        session, selection = self._session, self._session.selection
        what = (session.scores, selection.run, selection.compared, session.measure)
        if not self._wanted or not self._makes_statistics or _same(what, self._tested):
            return
        self._tested = what
        scores, benchmark, other = session.scores, session.benchmark, selection.compared
        names = () if benchmark is None else tuple(run.name for run in benchmark.runs)
        pair = (selection.run, selection.run if other is None else other)
        if scores is None or pair[0] == pair[1] or not all(0 <= run < len(names) for run in pair):
            session.tasks.stop(STATISTICS)
            self._show_statistics(None)
            return
        if not all(names[run] in scores.runs for run in pair):
            self._show_statistics(None)
            return
        work = partial(_statistics, scores, names[pair[0]], names[pair[1]], session.measure)
        session.tasks.run(STATISTICS, work, self._show_statistics, self._fail, title="Comparing two runs")

    def _show_lists(self, lists: tuple[ComparedList, ...]) -> None:
        if lists or self._lists:
            self._lists = lists
            self.lists_changed.emit()

    def _show_statistics(self, found: Comparison | None) -> None:
        if found is not None or self._statistics is not None:
            self._statistics = found
            self.statistics_changed.emit()

    def _fail(self, error: Exception) -> None:
        self._session.tell_failure("The runs cannot be compared", error)


def best_first(session: Session) -> list[int]:
    """Places of all runs, the best on the measure looked at first; in the benchmark's order while nothing is scored."""
    benchmark, scores = session.benchmark, session.scores
    if benchmark is None:
        return []
    places = list(range(len(benchmark.runs)))
    means = session.mean("queries")
    if scores is None or not len(means):
        return places
    column = scores.column(session.measure)
    sign = -1.0 if scores.measures[column].better == "lower" else 1.0
    known = {name: sign * float(means[row, column]) for row, name in enumerate(scores.runs)}
    keys = [known.get(run.name, float("nan")) for run in benchmark.runs]
    return sorted(places, key=lambda place: (keys[place] != keys[place], -keys[place], place))


def rival(session: Session) -> int | None:
    """The run to compare the selected one with when nobody has said: the best of the others."""
    return next((run for run in best_first(session) if run != session.selection.run), None)


def _same(one: Sequence[object], other: Sequence[object]) -> bool:
    return len(one) == len(other) and all(a is b or a == b for a, b in zip(one, other, strict=True))


def _lists(
    benchmark: Benchmark, runs: tuple[int, ...], query: int, profile: Profile, task: Task
) -> tuple[ComparedList, ...]:
    found = []
    for run in runs:
        if task.cancelled():
            raise Cancelled
        found.append(ComparedList(run, ranked_list(benchmark, benchmark.runs[run], query, profile)))
    return tuple(found)


def _statistics(scores: Scores, run_a: str, run_b: str, measure: str, task: Task) -> Comparison:
    return compare(scores, run_b, run_a, measure)  # the differences of `compare` are second minus first
