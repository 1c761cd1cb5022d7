"""Two or more runs on one query: their lists, the test of the first two, and its summary."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.domain import Benchmark, Cancelled
from shrec_viewer.evaluation.comparison import Comparison, compare
from shrec_viewer.evaluation.rank_shifts import NOT_LISTED, TOP, entering_top, rank_shifts
from shrec_viewer.evaluation.ranked_list import RankedList, ranked_list
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Profile
from shrec_viewer.number_format import format_interval, format_p_value, format_value
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.viewmodels.text.labels import count_text

LISTS, STATISTICS = "compared lists", "comparison"
"""Lanes of the runner."""

MAX_LISTS = 4
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
        session.profile_changed.connect(self._update_all)
        session.scores_changed.connect(self._update_all)
        session.runs_reloaded.connect(self._update_all)
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
        others = [run for run in runs_best_first(self._session) if run in selection.shown_runs and run not in known]
        return tuple((first + [*chosen, *others][: max(self._count - 2, 0)])[: self._count])

    def set_count(self, count: int) -> None:
        """How many runs stand side by side, 2 to `MAX_LISTS`."""
        self._count = min(max(count, 2), MAX_LISTS)
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

    def set_active(self, wanted: bool) -> None:
        """Whether anybody looks; work waits until somebody does."""
        self._wanted = wanted
        if wanted:
            self._choose_default_run()
            self._ask()
            self._test()

    def _choose_default_run(self) -> None:
        """Compare with the best other run until the person says otherwise: two empty fields help nobody."""
        selection, scores = self._session.selection, self._session.scores
        if self._wanted and scores is not None and selection.compared in (None, selection.run):
            other = best_other_run(self._session)
            if other is not None:
                self._session.select(compared=other)

    @Slot()
    def _forget(self) -> None:
        self._chosen = ()
        if self._session.path != self._path:  # read anew, the same lists stay where they are
            self._path = self._session.path
            self._show_lists(())  # their numbers mean other models now, or none
        self._update_all()

    @Slot()
    def _update_all(self, *_: object) -> None:
        if not self._wanted:
            self._let_go()
            return
        self._choose_default_run()
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
            self._choose_default_run()
            self._test()

    def _ask(self) -> None:
        session = self._session
        query = session.selection.query
        what = (session.benchmark, self.runs, query, session.profile)
        if not self._wanted or not self._makes_lists or _is_same(what, self._asked):
            return
        self._asked = what
        if session.benchmark is None or query == NOTHING or not self.runs:
            session.tasks.stop(LISTS)
            self._show_lists(())
            return
        work = partial(_make_lists, session.benchmark, self.runs, query, session.profile)
        session.tasks.run(LISTS, work, self._show_lists, self._fail, title="Lists side by side")

    def _test(self) -> None:
        session, selection = self._session, self._session.selection
        what = (session.scores, selection.run, selection.compared, session.measure)
        if not self._wanted or not self._makes_statistics or _is_same(what, self._tested):
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
        work = partial(_compare, scores, names[pair[0]], names[pair[1]], session.measure)
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
        self._session.report_failure("The runs cannot be compared", error)


def runs_best_first(session: Session) -> list[int]:
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


def best_other_run(session: Session) -> int | None:
    """The run to compare the selected one with when nobody has said: the best of the others."""
    return next((run for run in runs_best_first(session) if run != session.selection.run), None)


def _is_same(one: Sequence[object], other: Sequence[object]) -> bool:
    return len(one) == len(other) and all(a is b or a == b for a, b in zip(one, other, strict=True))


def _make_lists(
    benchmark: Benchmark, runs: tuple[int, ...], query: int, profile: Profile, task: Task
) -> tuple[ComparedList, ...]:
    found = []
    for run in runs:
        if task.cancelled():
            raise Cancelled
        found.append(ComparedList(run, ranked_list(benchmark, benchmark.runs[run], query, profile)))
    return tuple(found)


def _compare(scores: Scores, run_a: str, run_b: str, measure: str, task: Task) -> Comparison:
    return compare(scores, run_b, run_a, measure)  # the differences of `compare` are second minus first


SIGNIFICANCE_LEVEL = 0.05
"""Chance of so large a difference by luck alone below which a sentence says that the runs differ."""

MAX_NAMED_MODELS = 3
"""Models named in the sentence about a query; with more nobody reads it."""


def comparison_text(found: Comparison) -> str:
    """What the statistics say of the second run against the first, as one or two sentences.

    The chance is that of this pair looked at by itself; the standing corrects for all pairs, and may tell fewer apart.
    """
    a, b, key = found.run_b, found.run_a, found.measure.key
    if not found.n:
        return f"{a} and {b} have no query in common with a value of {key}."
    means = f"{a} {format_value(found.mean_b.mean)}, {b} {format_value(found.mean_a.mean)}"
    ends = format_interval(found.difference.low, found.difference.high, signed=True)
    interval = f"{found.difference.confidence:.0%} bootstrap interval {ends}"
    change = format_value(found.difference.mean, signed=True)
    p = found.test.p
    luck = format_p_value(p)
    if found.better is None and found.difference.mean == 0:
        verdict = f"{a} and {b} have the same mean {key}"
    elif p < SIGNIFICANCE_LEVEL:
        verdict = f"{found.better or a} is better on {key}" if found.better else f"{a} and {b} differ on {key}"
    else:
        verdict = f"{a} and {b} cannot be told apart on {key}"
    tally = found.tally
    counts = f"{a} is better on {tally.better}, equal on {tally.equal}, worse on {tally.worse} of {found.n} queries"
    left_out = (
        f"; {count_text(tally.undefined, 'query', 'queries')} left out, only one run has a value"
        if tally.undefined
        else ""
    )
    tested = f"{luck}, paired randomisation test of this pair alone"
    return f"{verdict}: {means} ({change}; {tested}; {interval}).{_disagreement_note(found)} {counts}{left_out}."


def interval_disagreement_note(found: Comparison) -> str:
    """Why test and interval may say different things, and which of them the verdict follows."""
    drawn = "classes" if found.unit == "class" else "queries"
    return (
        "The verdict follows the paired randomisation test: how often exchanging the two runs, query by query, gives "
        f"as large a difference. The bootstrap interval draws other {drawn} from these and says how far the mean "
        "difference varies then; with few of them the two may say different things about 0. Both look at this pair "
        "alone; the standing corrects for all pairs."
    )


def _disagreement_note(found: Comparison) -> str:
    """Which of test and interval decides where they say different things; "" where they agree."""
    low, high, p = found.difference.low, found.difference.high, found.test.p
    holds_zero = low <= 0 <= high
    if p != p or low != low or holds_zero == (p >= SIGNIFICANCE_LEVEL) or found.difference.mean == 0:
        return ""
    return f" The test decides, though the interval {'includes' if holds_zero else 'excludes'} 0."


def query_difference_text(
    benchmark: Benchmark,
    names: tuple[str, str],
    key: str,
    values: tuple[float, float],
    lists: tuple[RankedList, RankedList],
) -> str:
    """What the second run does to one query, with its consequences.

    ``"B lifts AP 0.412 → 0.630: m1042 38 → 2, m17 9 → 4; 2 relevant models enter the first 10, 1 leaves."``
    """
    a, b = lists
    one, other = names
    if a.missing or b.missing:
        silent = " and ".join(name for name, shown in zip(names, lists, strict=True) if shown.missing)
        return f"{silent} {'have' if a.missing and b.missing else 'has'} no answer to this query."
    if values[0] != values[0] or values[1] != values[1]:
        verdict = f"{key} is undefined for this query"
    elif values[0] == values[1]:
        verdict = f"{one} and {other} have the same {key} {format_value(values[0])}"
    else:
        verb = "lifts" if values[1] > values[0] else "lowers"
        verdict = f"{other} {verb} {key} {format_value(values[0])} → {format_value(values[1])}"
    risen = values[1] >= values[0]
    moved = [move for move in rank_shifts(a, b) if move.rank_a != move.rank_b]
    moved = sorted(moved, key=lambda move: move.moved_up != risen)[
        :MAX_NAMED_MODELS
    ]  # those that explain the change first
    steps = ", ".join(
        f"{benchmark.collection.ids[move.item]} {_rank_text(move.rank_a)} → {_rank_text(move.rank_b)}" for move in moved
    )
    entered, left = entering_top(a, b)
    parts = []
    if entered:
        parts.append(f"{count_text(entered, 'relevant model')} {'enters' if entered == 1 else 'enter'} the first {TOP}")
    if left:
        parts.append(f"{left} {'leaves' if left == 1 else 'leave'}" if entered else _leaving_text(left))
    tail = f"; {', '.join(parts)}" if parts else ""
    return f"{verdict}: {steps}{tail}." if steps else f"{verdict}{tail}."


def _leaving_text(left: int) -> str:
    return f"{count_text(left, 'relevant model')} {'leaves' if left == 1 else 'leave'} the first {TOP}"


def _rank_text(rank: int) -> str:
    return "not listed" if rank == NOT_LISTED else f"{rank:,}"
