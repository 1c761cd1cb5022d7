"""Comparison of runs: ranked lists side by side, test of run A against run B, and texts about both."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject

from shrec_viewer.domain import Benchmark, Cancelled, Run
from shrec_viewer.evaluation.comparison import Comparison, compare
from shrec_viewer.evaluation.rank_shifts import NOT_LISTED, TOP, entering_top, rank_shifts
from shrec_viewer.evaluation.ranked_list import RankedList, ranked_list
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Profile
from shrec_viewer.number_format import format_interval, format_p_value, format_value
from shrec_viewer.viewmodels.ranking.query_list import score_difference
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task, Work
from shrec_viewer.viewmodels.text.labels import count_text

MAX_LISTS = 4
"""Maximum number of lists side by side; with more the cards are too narrow for a thumbnail and an id."""


@dataclass(frozen=True, eq=False)
class ComparedList:
    """The ranked list of the run with index `run` for the selected query."""

    run: int
    shown: RankedList


class ComparedLists(SessionComputation):
    """Ranked lists of two to `MAX_LISTS` runs for the selected query, side by side."""

    empty = ()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        self._count = 2
        self._chosen: tuple[int, ...] = ()  # from the third list on
        super().__init__(session, "compared lists", "The runs cannot be compared", parent, keeps_result=True)

    @property
    def lists(self) -> tuple[ComparedList, ...]:
        """The lists of run A and run B; the previous lists until the new ones are computed."""
        return self.result

    @property
    def runs(self) -> tuple[int, ...]:
        """Indices of the runs: A, B, those chosen by `set_run`, then the best of the other shown runs."""
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
        """Set the number of lists, 2 to `MAX_LISTS`."""
        self._count = min(max(count, 2), MAX_LISTS)
        self.update_result()

    def set_run(self, column: int, run: int) -> None:
        """Show the list of a run in a column: 0 selects run A, 1 run B."""
        if column == 0:
            self._session.select(run=run)
        elif column == 1:
            self._session.select(compared=run)
        else:
            chosen = list(self.runs[2:])
            chosen[column - 2 : column - 1] = [run]
            self._chosen = tuple(chosen)
            self.update_result()

    def reset(self) -> None:
        """See `SessionComputation.reset`."""
        self._chosen = ()

    def prepare(self) -> None:
        """See `SessionComputation.prepare`."""
        choose_compared_run(self._session)

    def inputs(self) -> tuple[Benchmark, tuple[int, ...], int, Profile] | tuple[()]:
        """Benchmark, indices of the runs, index of the query, and profile."""
        session, runs = self._session, self.runs
        query = session.selection.query
        if session.benchmark is None or query == NOTHING or not runs:
            return ()
        return session.benchmark, runs, query, session.profile

    def work(self, benchmark: Benchmark, runs: tuple[int, ...], query: int, profile: Profile) -> tuple[Work, str]:
        """See `SessionComputation.work`."""

        def compute(task: Task) -> tuple[ComparedList, ...]:
            found = []
            for run in runs:
                if task.cancelled():
                    raise Cancelled
                found.append(ComparedList(run, ranked_list(benchmark, benchmark.runs[run], query, profile)))
            return tuple(found)

        return compute, "Ranking compared runs"


class RunComparison(SessionComputation):
    """Paired test of run A against run B on the selected measure, over all queries."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, "run comparison", "The runs cannot be compared", parent, keeps_result=True)

    @property
    def comparison(self) -> Comparison | None:
        """The comparison, with differences B − A; None if there are no two runs with scores."""
        return self.result

    def prepare(self) -> None:
        """See `SessionComputation.prepare`."""
        choose_compared_run(self._session)

    def inputs(self) -> tuple[Scores, str, str, str] | tuple[()]:
        """Scores, names of the runs A and B, and key of the measure."""
        session, selection = self._session, self._session.selection
        scores, benchmark = session.scores, session.benchmark
        if scores is None or benchmark is None or selection.compared in (None, selection.run):
            return ()
        if not all(0 <= run < len(benchmark.runs) for run in (selection.run, selection.compared or 0)):
            return ()
        run_a, run_b = benchmark.runs[selection.run].name, benchmark.runs[selection.compared or 0].name
        return (scores, run_a, run_b, session.measure) if {run_a, run_b} <= set(scores.runs) else ()

    def work(self, scores: Scores, run_a: str, run_b: str, measure: str) -> tuple[Work, str]:
        """See `SessionComputation.work`."""

        def compute(_task: Task) -> Comparison:
            return compare(scores, run_a, run_b, measure)

        return compute, "Comparing two runs"


def choose_compared_run(session: Session) -> None:
    """Select the best other run as run B if none is selected and the scores are known."""
    selection = session.selection
    if session.scores is not None and selection.compared in (None, selection.run):
        other = next((run for run in runs_best_first(session) if run != selection.run), None)
        if other is not None:
            session.select(compared=other)


def is_random(run: Run) -> bool:
    """Whether name or participant of a run says that it is random.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> [is_random(SimpleNamespace(name=name, participant="A")) for name in ("Random", "R1")]
    [True, False]
    """
    return any("random" in text.casefold() for text in (run.name, run.participant))


def runs_best_first(session: Session) -> list[int]:
    """Indices of all runs, best mean of the selected measure first; in the benchmark's order without scores."""
    benchmark, scores = session.benchmark, session.scores
    if benchmark is None:
        return []
    indices = list(range(len(benchmark.runs)))
    means = session.mean("queries")
    if scores is None or not len(means):
        return indices
    column = scores.column(session.measure)
    sign = -1.0 if scores.measures[column].better == "lower" else 1.0
    known = {name: sign * float(means[row, column]) for row, name in enumerate(scores.runs)}
    keys = [known.get(run.name, float("nan")) for run in benchmark.runs]
    return sorted(indices, key=lambda index: (keys[index] != keys[index], -keys[index], index))  # NaN last


SIGNIFICANCE_LEVEL = 0.05
"""p-value below which a text calls the runs significantly different."""

MAX_NAMED_MODELS = 3
"""Models named in the text about a query."""


def comparison_text(found: Comparison) -> str:
    """Result of the test of run A against run B, from A to B, one or two sentences.

    The p-value is that of this pair alone; the Significance panel corrects for all pairs, which the text states where
    the two may disagree.
    """
    a, b, key = found.run_a, found.run_b, found.measure.key
    if not found.n:
        return f"{a} and {b} have no query in common with a value of {key}."
    means = f"{a} → {b}: {key} {format_value(found.mean_a.mean)} → {format_value(found.mean_b.mean)}"
    ends = format_interval(found.difference.low, found.difference.high, signed=True)
    interval = f"{100 * found.difference.confidence:.0f}\u202f% bootstrap confidence interval {ends}"
    change = format_value(found.difference.mean, signed=True)
    p = found.test.p
    if found.better is None and found.difference.mean == 0:
        verdict = "the means are equal"
    elif p < SIGNIFICANCE_LEVEL:
        verdict = f"{found.better} is better" if found.better else "the runs differ"
    else:
        verdict = "not significantly different"
    won = found.win_tie_loss
    counts = f"{b} is better on {won.better}, equal on {won.equal}, worse on {won.worse} of {found.n} queries"
    excluded = (
        f"; {count_text(won.undefined, 'query', 'queries')} excluded, as only one run has a value"
        if won.undefined
        else ""
    )
    tested = f"{format_p_value(p)}, paired randomisation test of this pair alone"
    note = f"{_disagreement_note(found)}{_correction_note(found)}"
    return f"{means} ({change}; {tested}; {interval}): {verdict}.{note} {counts}{excluded}."


def interval_disagreement_note(found: Comparison) -> str:
    """Why test and confidence interval may disagree, and which of them the verdict follows."""
    drawn = "classes" if found.unit == "class" else "queries"
    return (
        "The verdict follows the paired randomisation test: the share of random exchanges of the two runs, query by "
        f"query, that give as large a difference. The bootstrap confidence interval resamples the {drawn}; with few of "
        "them it may include 0 although the difference is significant, or the reverse. Both are for this pair alone; "
        "the Significance panel corrects for all pairs."
    )


def _disagreement_note(found: Comparison) -> str:
    """Which of test and confidence interval decides where they disagree; "" where they agree."""
    low, high, p = found.difference.low, found.difference.high, found.test.p
    holds_zero = low <= 0 <= high
    if p != p or low != low or holds_zero == (p >= SIGNIFICANCE_LEVEL) or found.difference.mean == 0:
        return ""
    return f" The test decides, although the interval {'includes' if holds_zero else 'excludes'} 0."


def _correction_note(found: Comparison) -> str:
    """That the test of all runs may not separate a pair which its own test does; "" where they cannot disagree."""
    if found.other_runs == 0 or not found.test.p < SIGNIFICANCE_LEVEL:
        return ""
    return (
        " Not corrected for the other runs: the Significance panel (randomised Tukey HSD of all pairs) may not "
        "separate them."
    )


def query_difference_text(
    benchmark: Benchmark,
    names: tuple[str, str],
    key: str,
    values: tuple[float, float],
    lists: tuple[RankedList, RankedList],
) -> str:
    """Difference from run A to run B on one query: measure, moved models, changes in the top ranks.

    ``"A1 → B2: AP 0.412 → 0.630 (+0.218); m1042 38 → 2, m17 9 → 4; 2 relevant models enter the top 10, 1 leaves."``
    """
    a, b = lists
    one, other = names
    if a.missing or b.missing:
        missing = " and ".join(name for name, shown in zip(names, lists, strict=True) if shown.missing)
        return f"{missing} {'have' if a.missing and b.missing else 'has'} no results for this query."
    change = score_difference(*values)
    if np.isnan(change):
        verdict = f"{one} → {other}: {key} is undefined"
    elif change == 0:
        verdict = f"{one} → {other}: {key} {format_value(values[0])} in both"
    else:
        ends = f"{format_value(values[0])} → {format_value(values[1])}"
        verdict = f"{one} → {other}: {key} {ends} ({format_value(float(change), signed=True)})"
    risen = values[1] >= values[0]
    moved = [move for move in rank_shifts(a, b) if move.rank_a != move.rank_b]
    moved = sorted(moved, key=lambda move: move.moved_up != risen)[
        :MAX_NAMED_MODELS
    ]  # first in the direction of the change
    steps = ", ".join(
        f"{benchmark.collection.ids[move.item]} {_rank_text(move.rank_a)} → {_rank_text(move.rank_b)}" for move in moved
    )
    entered, left = entering_top(a, b)
    parts = []
    if entered:
        parts.append(f"{count_text(entered, 'relevant model')} {'enters' if entered == 1 else 'enter'} the top {TOP}")
    if left:
        parts.append(f"{left} {'leaves' if left == 1 else 'leave'}" if entered else _leaving_text(left))
    return "; ".join(part for part in (verdict, steps, ", ".join(parts)) if part) + "."


def _leaving_text(left: int) -> str:
    return f"{count_text(left, 'relevant model')} {'leaves' if left == 1 else 'leave'} the top {TOP}"


def _rank_text(rank: int) -> str:
    return "not listed" if rank == NOT_LISTED else f"{rank:,}"
