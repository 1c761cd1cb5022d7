"""How sure the order of the runs is: places, critical differences, pairs, and what the order depends on."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shrec_viewer.charts.intervals import IntervalRow, Intervals
from shrec_viewer.charts.table import Cell, Table, TableColumn, table_rows
from shrec_viewer.content.data import ContentData, measure_column, styles_of_runs
from shrec_viewer.content.diagnosis.run_groups import represented
from shrec_viewer.content.request import option
from shrec_viewer.content.significance import RunFamilyRequest
from shrec_viewer.content.suspects import SUSPECT_LIMIT
from shrec_viewer.diagnosis.robustness import Robustness, examine_robustness
from shrec_viewer.diagnosis.suspects import SuspectQueue, find_suspects, ranks_with_suspects
from shrec_viewer.domain import Benchmark, ShrecViewerError
from shrec_viewer.evaluation.choices import RESAMPLES, ROPE, SEED
from shrec_viewer.evaluation.comparison.certainty import (
    Certainty,
    PairCertainty,
    certainty_notes,
    family_of,
    leader_sentence,
    order_certainty,
    order_sentence,
)
from shrec_viewer.evaluation.comparison.comparable import incomparable_text
from shrec_viewer.evaluation.edits import with_edits
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.metrics import Profile
from shrec_viewer.metrics.statistics.certainty import critical_difference, mean_ranks
from shrec_viewer.metrics.statistics.significance import SIGNIFICANCE_LEVEL, group_runs
from shrec_viewer.number_format import format_percent, format_value

#: What the panel shows; the first three are the axes of the chart.
SHOWN = {
    "place": "Places",
    "mean": "Critical difference",
    "rank": "Mean ranks (Nemenyi)",
    "pairs": "Pairs",
    "order": "What the order depends on",
}


@dataclass(frozen=True)
class CertaintyRequest(RunFamilyRequest):
    """Also how queries are resampled, and what is shown."""

    kind: ClassVar[str] = "certainty"

    show: str = option("place", "Show", SHOWN, of=("panel",))
    axis: str = option(
        "place", choices=("place", "mean", "rank"), of=("figure",),
        help="Places in resamples; or critical differences on the axis of the mean of the measure (randomised Tukey "
        "HSD), or of the mean rank (Nemenyi).",
    )  # fmt: skip
    resample: str = option(
        "auto", "Resample", {"auto": "Automatic", "query": "Queries", "class": "Classes"},
        help="Unit that is resampled; auto: classes if each has several queries, else queries.",
    )  # fmt: skip
    resamples: int = option(RESAMPLES, low=100, high=1_000_000, metavar="N", help="Number of resamples.")
    seed: int = option(SEED, low=0, metavar="N", help="Seed of the random generator.")
    rope: float = option(
        ROPE, "Equivalent within", low=0, step=0.005, metavar="X",
        help="Difference up to which runs are practically equivalent.",
        tip="Difference of two means up to which runs are practically equivalent",
    )  # fmt: skip
    difference: float | None = option(
        None, low=0, metavar="X", help="Difference to be found by the queries needed; default: that of each pair."
    )


@dataclass(frozen=True)
class CertaintyPairsRequest(CertaintyRequest):
    """The pairs."""

    kind: ClassVar[str] = "certainty_pairs"


@dataclass(frozen=True)
class OrderRequest(CertaintyRequest):
    """What the order depends on."""

    kind: ClassVar[str] = "order"


def examined_order(data: ContentData, request: CertaintyRequest) -> Certainty:
    """How sure the order of the requested runs is; without names, of all but virtual runs."""
    scores = data.evaluated
    options: dict[str, Any] = {
        name: getattr(request, name) for name in ("resample", "resamples", "seed", "rope", "difference")
    }
    column = measure_column(scores, request.measure)
    return data.result(
        _examined, scores, column, request.runs, request.groups, **options, cancelled=data.cancelled
    )  # fmt: skip


def _examined(scores: Scores, column: int, runs: tuple[str, ...], groups: tuple[str, ...], **options: Any) -> Certainty:
    family = represented(scores, groups, column, family_of(scores, runs))
    return order_certainty(family, scores.measures[column].key, **options)


def order_text(data: ContentData, request: CertaintyRequest) -> str:
    """The best run, how sure the order by the measure is, and which runs are not comparable; "" if it has no order."""
    try:
        found = examined_order(data, request)
    except ShrecViewerError:  # no mean over queries, or too few of them
        return ""
    parts = leader_sentence(found), order_sentence(found), incomparable_text(found.incomparable, found.measure.key)
    return " ".join(filter(None, parts))


#: Scores in one measure up to which panels of other contents examine the order: the test of 15 runs and 2,000 queries
#: takes 4 s in the background at each change of the measure.
MAX_ORDERED_SCORES = 50_000

#: In place of the sentence about the order of more.
MANY_SCORES = "How sure the order is: see the panel Certainty."


def order_text_of_few(data: ContentData, request: CertaintyRequest) -> str:
    """See `order_text`; of many runs and queries, where to find it."""
    scores = data.evaluated
    is_large = len(scores.runs) * len(scores.queries) > MAX_ORDERED_SCORES
    return MANY_SCORES if is_large else order_text(data, request)


# ── charts ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def certainty_chart(data: ContentData, request: CertaintyRequest) -> Intervals:
    """Places of the runs in resamples, or critical differences."""
    found = examined_order(data, request)
    return places_chart(data, found) if request.axis == "place" else differences_chart(data, found, request.axis)


def _captions(found: Certainty, text: str) -> tuple[str, ...]:
    family = f"{count_of(len(found.family), 'run')}, {count_of(found.n_queries, 'query', 'queries')}"
    return (f"{text} Family: {family}.", f"{family}.", "")


def places_chart(data: ContentData, found: Certainty) -> Intervals:
    """Violins of the places in resamples, with rank interval and sure bounds, best run first."""
    styles, rows = styles_of_runs(data), []
    for run, name in enumerate(found.family):
        (low, high), (first, last), share = found.intervals[run].tolist(), found.bounds[run].tolist(), found.p_best[run]
        counts = np.bincount(found.places[:, run], minlength=len(found.family) + 1)[1:] / len(found.places)
        tip = (
            f"{name}: place {found.ranks[run]} by {found.measure.key} {format_value(float(found.means[run]))}\n"
            f"Places {low} to {high} in 95 % of the resamples; first in {format_percent(float(share))} of them\n"
            f"Sure bounds, for all runs at once: {first} to {last}"
        )
        note = f"{low} to {high} · {first} to {last}"
        rows.append(
            IntervalRow(
                name, *styles[name], float(found.ranks[run]), low, high, "", note, tip,
                outer=(first, last), shares=tuple(counts.tolist()),
            )
        )  # fmt: skip
    drawn = f"{found.resamples:,} resamples of {found.units:,} {found.resampling}"
    caption = (
        f"Violin and thick line: places in {drawn}, and 95 % of them. Thin line: sure bounds, for all runs at once."
    )
    label = f"Place by {found.measure.key}, in {drawn}"
    title = f"{data.benchmark.name} certainty {found.measure.key}"
    return Intervals(title, label, tuple(rows), _captions(found, caption), decimals=0)


def differences_chart(data: ContentData, found: Certainty, axis: str) -> Intervals:
    """Critical differences: the runs on an axis, and bars that join those that do not differ significantly."""
    styles, n_runs = styles_of_runs(data), len(found.family)
    values, groups, label = found.means, found.groups, f"Mean {found.measure.key}"
    caption = f"A bar joins runs that do not differ significantly ({TUKEY})."
    if axis == "rank":
        values = mean_ranks(found.values, higher_is_better=found.measure.better == "higher")
        limit = critical_difference(n_runs, found.n_queries) if n_runs > 1 else 0.0
        differs = np.abs(values[:, None] - values[None, :]) > limit
        groups = group_runs(values, np.where(differs, 0.0, 1.0), higher_is_better=False)
        label = f"Mean rank by {found.measure.key}; critical difference {format_value(limit)}"
        caption = (
            f"A bar joins runs whose mean ranks differ by less than {format_value(limit)} (Nemenyi, 5 %). The result "
            "for two runs depends on the others."
        )
    order = np.argsort(values if axis == "rank" or found.measure.better == "lower" else -values, kind="stable")
    empty = float("nan")
    rows = []
    for run in order.tolist():
        name, value = found.family[run], float(values[run])
        tip = f"{name}: {format_value(value)}"
        rows.append(IntervalRow(name, *styles[name], value, empty, empty, groups.letters[run], description=tip))
    for members in groups.members:
        if len(members) > 1:
            ends, names = values[list(members)], [found.family[run] for run in members]
            title = f"{names[0]}{', ' if len(names) == 2 else ' … '}{names[-1]}"
            tip = f"No significant difference: {', '.join(names)}"
            low, high = float(ends.min()), float(ends.max())
            rows.append(IntervalRow(title, "", "solid", "", empty, low, high, description=tip, is_bar=True))
    title = f"{data.benchmark.name} critical difference {found.measure.key}"
    return Intervals(title, label, tuple(rows), _captions(found, caption))


#: Test that gives sure bounds and joins runs.
TUKEY = f"randomised Tukey HSD of all pairs, {format_percent(SIGNIFICANCE_LEVEL)}"


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def certainty_table(data: ContentData, request: CertaintyRequest) -> Table:
    """Places, sure bounds and share of first places of the runs, best first."""
    return table_of_places(data, examined_order(data, request))


def table_of_places(data: ContentData, found: Certainty) -> Table:
    """See `certainty_table`."""
    names = ("rank", "best", "worst", "sure best", "sure worst")
    return Table(
        "certainty",
        f"{data.benchmark.name}: how sure the order by {found.measure.key} is; profile {data.profile.title}",
        (
            TableColumn("run"),
            TableColumn(found.measure.key, "", True, found.measure.better),
            *(TableColumn(name, is_number=True) for name in names),
            TableColumn("first", "share of first places", is_number=True),
        ),
        table_rows(
            [
                found.family,
                found.means.tolist(),
                found.ranks.tolist(),
                *(column.tolist() for column in (*found.intervals.T, *found.bounds.T)),
                found.p_best.tolist(),
            ]
        ),
        certainty_notes(found),
        {1: found.groups.letters},
    )


def pairs_table(data: ContentData, request: CertaintyPairsRequest) -> Table:
    """All pairs of runs, the better-placed run first."""
    return table_of_pairs(data, examined_order(data, request))


def table_of_pairs(data: ContentData, found: Certainty) -> Table:
    """See `pairs_table`."""
    numbers = ("difference", "low", "high", "above", "effect", "wins", "ties", "losses")
    copies = {frozenset((one.a, one.b)) for one in found.incomparable}
    rows: list[tuple[Cell, ...]] = [
        (
            *(pair.a, pair.b, pair.difference, pair.low, pair.high, pair.p_above, pair.effect_size),
            *(pair.win_tie_loss.better, pair.win_tie_loss.equal, pair.win_tie_loss.worse, pair.queries_needed),
            "not comparable" if frozenset((pair.a, pair.b)) in copies else verdict_on(pair, found),
        )
        for pair in found.pairs
    ]
    return Table(
        "certainty_pairs",
        f"{data.benchmark.name}: pairs of runs, {found.measure.key} of a less that of b; profile {data.profile.title}",
        (
            TableColumn("a"),
            TableColumn("b"),
            *(TableColumn(name, is_number=True, is_difference=name in numbers[:3]) for name in numbers),
            TableColumn("queries needed", is_number=True),
            TableColumn("verdict"),
        ),
        tuple(rows),
        (
            "low, high: 95 % bootstrap confidence interval of the difference, as in compare; above: share of resamples "
            f"in which a is better. Equivalent: the 90 % interval is within ±{found.rope:g}. Queries needed: of a "
            "paired t-test with power 0.8, if difference and spread are as observed; above ten times the "
            f"{found.n_queries:,} at hand two runs cannot be told apart.",
            *filter(None, [incomparable_text(found.incomparable, found.measure.key)]),
        ),
    )


def verdict_on(pair: PairCertainty, found: Certainty) -> str:
    """What the data say about a pair: that its runs differ, are equivalent, cannot be told apart, or none of these."""
    if pair.p <= SIGNIFICANCE_LEVEL:
        return "differ"
    if pair.equivalent:
        return "equivalent"
    return "open" if found.can_tell_apart(pair) else "cannot be told apart"


def order_table(data: ContentData, request: OrderRequest) -> Table:
    """Rank intervals over queries, over all changes of the conventions, and over doubtful entries of the assessment."""
    found = examined_order(data, request)
    work = data.benchmark, data.profile, found.family, found.measure.key
    changed = data.result(_changed_conventions, *work, cancelled=data.cancelled, progress=data.progress)
    doubted = data.result(_doubtful_labels, *work, cancelled=data.cancelled, progress=data.progress)
    ranks = [found.intervals, found.bounds, changed.intervals[[changed.runs.index(name) for name in found.family]]]
    if isinstance(doubted, str):
        ranks, labels = [*ranks, np.zeros((len(found.family), 2), np.int64)], f"not examined, as {doubted}"
    else:
        ranks = [*ranks, ranks_with_suspects(doubted, found.family, found.ranks)]
        labels = f"with one of the {count_of(len(doubted.suspects), 'most doubtful entry', 'most doubtful entries')} "
        labels += "of the assessment corrected at a time"
    kinds = ("queries", "sure", "conventions", "labels")
    return Table(
        "order",
        f"{data.benchmark.name}: what the order by {found.measure.key} depends on; profile {data.profile.title}",
        (
            TableColumn("run"),
            TableColumn("rank", is_number=True),
            *map(TableColumn, kinds),
        ),
        table_rows([found.family, found.ranks.tolist(), *([_ends(*ends) for ends in both.tolist()] for both in ranks)]),
        tuple(filter(None, [
            order_sentence(found),
            f"Best and worst rank over other queries (95 % of {found.resamples:,} resamples of {found.resampling}); "
            f"sure: bounds for all runs at once ({TUKEY}); conventions: under {len(changed.variants)} changes, one at "
            f"a time; labels: {labels}.",
        ])),
    )  # fmt: skip


def _ends(best: int, worst: int) -> Cell:
    """An interval of ranks as text; None for one that is not known."""
    return (f"{best}" if best == worst else f"{best} to {worst}") if best else None


def _changed_conventions(
    benchmark: Benchmark, profile: Profile, runs: tuple[str, ...], measure: str, **options: Any
) -> Robustness:
    return examine_robustness(benchmark, profile, measure, runs=runs, **options)


def _doubtful_labels(
    benchmark: Benchmark, profile: Profile, runs: tuple[str, ...], measure: str, **options: Any
) -> SuspectQueue | str:
    """The doubtful entries, or why there are none."""
    if virtual := [run.name for run in benchmark.runs if run.expression and run.name in runs]:
        return f"{virtual[0]} is a virtual run, which is not ranked again"
    try:
        return find_suspects(with_edits(benchmark, ()), profile, limit=SUSPECT_LIMIT, measure=measure, **options)
    except ShrecViewerError as error:
        return str(error)
