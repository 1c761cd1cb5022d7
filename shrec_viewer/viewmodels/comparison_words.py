"""How two runs differ, in sentences: over all queries, and for one."""

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.compare import Comparison
from shrec_viewer.evaluation.rank_shifts import NOT_LISTED, TOP, entering_top, moves
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.numerals import chance, listed, span
from shrec_viewer.viewmodels.words import count_words

SIGNIFICANT = 0.05
"""Chance of so large a difference by luck alone below which a sentence says that the runs differ."""

NAMED = 3
"""Models named in the sentence about a query; with more nobody reads it."""


def comparison_words(found: Comparison) -> str:
    """What the statistics say of the second run against the first, as one or two sentences.

    The chance is that of this pair looked at by itself; the standing corrects for all pairs, and may tell fewer apart.
    """
    a, b, key = found.run_b, found.run_a, found.measure.key
    if not found.n:
        return f"{a} and {b} have no query in common with a value of {key}."
    means = f"{a} {listed(found.mean_b.mean)}, {b} {listed(found.mean_a.mean)}"
    ends = span(found.difference.low, found.difference.high, signed=True)
    interval = f"{found.difference.confidence:.0%} bootstrap interval {ends}"
    change = listed(found.difference.mean, signed=True)
    p = found.test.p
    luck = chance(p)
    if found.better is None and found.difference.mean == 0:
        verdict = f"{a} and {b} have the same mean {key}"
    elif p < SIGNIFICANT:
        verdict = f"{found.better or a} is better on {key}" if found.better else f"{a} and {b} differ on {key}"
    else:
        verdict = f"{a} and {b} cannot be told apart on {key}"
    tally = found.tally
    counts = f"{a} is better on {tally.better}, equal on {tally.equal}, worse on {tally.worse} of {found.n} queries"
    left_out = (
        f"; {count_words(tally.undefined, 'query', 'queries')} left out, only one run has a value"
        if tally.undefined
        else ""
    )
    tested = f"{luck}, paired randomisation test of this pair alone"
    return f"{verdict}: {means} ({change}; {tested}; {interval}).{_decides(found)} {counts}{left_out}."


def why_both(found: Comparison) -> str:
    """Why test and interval may say different things, and which of them the verdict follows."""
    drawn = "classes" if found.unit == "class" else "queries"
    return (
        "The verdict follows the paired randomisation test: how often exchanging the two runs, query by query, gives "
        f"as large a difference. The bootstrap interval draws other {drawn} from these and says how far the mean "
        "difference varies then; with few of them the two may say different things about 0. Both look at this pair "
        "alone; the standing corrects for all pairs."
    )


def _decides(found: Comparison) -> str:
    """Which of test and interval decides where they say different things; "" where they agree."""
    low, high, p = found.difference.low, found.difference.high, found.test.p
    holds_zero = low <= 0 <= high
    if p != p or low != low or holds_zero == (p >= SIGNIFICANT) or found.difference.mean == 0:
        return ""
    return f" The test decides, though the interval {'includes' if holds_zero else 'excludes'} 0."


def query_words(
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
        verdict = f"{one} and {other} have the same {key} {listed(values[0])}"
    else:
        verb = "lifts" if values[1] > values[0] else "lowers"
        verdict = f"{other} {verb} {key} {listed(values[0])} → {listed(values[1])}"
    risen = values[1] >= values[0]
    moved = [move for move in moves(a, b) if move.rank_a != move.rank_b]
    moved = sorted(moved, key=lambda move: move.has_risen != risen)[:NAMED]  # those that explain the change first
    steps = ", ".join(
        f"{benchmark.collection.ids[move.item]} {_rank(move.rank_a)} → {_rank(move.rank_b)}" for move in moved
    )
    entered, left = entering_top(a, b)
    parts = []
    if entered:
        parts.append(
            f"{count_words(entered, 'relevant model')} {'enters' if entered == 1 else 'enter'} the first {TOP}"
        )
    if left:
        parts.append(f"{left} {'leaves' if left == 1 else 'leave'}" if entered else _leaving(left))
    tail = f"; {', '.join(parts)}" if parts else ""
    return f"{verdict}: {steps}{tail}." if steps else f"{verdict}{tail}."


def _leaving(left: int) -> str:
    return f"{count_words(left, 'relevant model')} {'leaves' if left == 1 else 'leave'} the first {TOP}"


def _rank(rank: int) -> str:
    return "not listed" if rank == NOT_LISTED else f"{rank:,}"
