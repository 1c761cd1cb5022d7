"""Workings of measures that sum over the hits: average precision, dynamic recall, gains."""

import numpy as np

from shrec_viewer.evaluation.working import Facts, Symbol, Working
from shrec_viewer.metrics.gain import discounted_gain, level_gains, normalised_discounted_gain, normalised_gain

SHOWN_TERMS = 8
"""Terms of a sum written out; between them and the last one stand dots."""


def average_precision(facts: Facts) -> Working:
    """AP."""
    ranks = facts.within(facts.measure.cutoff)
    kind = facts.profile.ap_divisor
    cut = facts.profile.list_cut
    reachable = facts.size if cut is None else min(facts.size, cut)
    largest = max(facts.hits.largest_size(facts.measure.level), 1)
    divisors = {
        "relevant": (facts.size, "C", "relevant models in the truth"),
        "reachable": (reachable, "min(C, L)", "relevant models that a cut list can hold"),
        "largest class": (largest, "max C", "relevant models of the largest class"),
        "retrieved": (max(len(ranks), 1), "V", "relevant models retrieved"),
    }
    divisor, letter, words = divisors[kind]
    terms = [f"{number}/{rank}" for number, rank in enumerate(ranks, 1)]
    values = [number / rank for number, rank in enumerate(ranks, 1)]
    return _sum(terms, values, ranks, divisor, (letter, words, f"{divisor:,}"))


def dynamic_recall(facts: Facts) -> Working:
    """ADR."""
    highest = facts.hits.highest_level
    highly = int(facts.hits.relevant_size(min(2, highest))[0])
    last = facts.size if facts.measure.cutoff is None else facts.measure.cutoff
    if facts.profile.adr == "shrec2006":
        last = min(last, facts.length)
    high = [rank for rank, level in zip(facts.ranks, facts.levels, strict=True) if level >= min(2, highest)]
    counts = [sum(rank <= i for rank in (high if i <= highly else facts.ranks)) for i in range(1, last + 1)]
    terms = [f"{count}/{i}" for i, count in enumerate(counts, 1)]
    total = sum(count / i for i, count in enumerate(counts, 1)) / max(last, 1)
    symbols = (
        ("q", "ranks looked at", f"{last:,}"), ("Ch", "highly relevant models", f"{highly:,}"),
        ("Cr", "relevant models", f"{facts.size:,}"),
    )  # fmt: skip
    ranks = facts.within(last)
    return Working(_joined(terms, max(last, 1)), f"({_cut(terms)}) / {last:,}", symbols, ranks, (), total)


def _gains(facts: Facts, *, discounted: bool) -> tuple[list[str], list[float], tuple[int, ...]]:
    """Terms, values and ranks of (discounted) cumulated gain."""
    profile, cutoff = facts.profile, facts.measure.cutoff
    gain = level_gains(facts.hits.highest_level, profile)
    ranks = tuple(int(rank) for rank in facts.hits.ranks if cutoff is None or rank <= cutoff)
    worth = [float(gain[int(level)]) for level in facts.hits.levels[: len(ranks)]]
    if not discounted:
        return [f"{value:g}" for value in worth], worth, ranks
    places = facts.length if cutoff is None else min(facts.length, cutoff)
    terms, values = [], []
    for rank, value in zip(ranks, worth, strict=True):
        if profile.discount == "jarvelin":
            term, by = (f"{value:g}", 1.0) if rank <= 2 else (f"{value:g}/log2({rank})", float(np.log2(rank)))
            terms.append(term)
            values.append(value / by)
            continue
        by = float(np.log2(rank + 1))
        counts = profile.discount != "rgbd" or rank < places
        extra = value if profile.discount == "rgbd" and rank == 1 else 0.0
        parts = ([f"{value:g}/log2({rank + 1})"] if counts else []) + ([f"{value:g}"] if extra else [])
        terms.append(" + ".join(parts) or "0")
        values.append((value / by if counts else 0.0) + extra)
    return terms, values, ranks


def cumulated(facts: Facts) -> Working:
    """CG."""
    return _sum(*_gains(facts, discounted=False), 1, ("G[i]", "gain of the model at rank i", "its level"))


def discounted(facts: Facts) -> Working:
    """DCG."""
    return _sum(*_gains(facts, discounted=True), 1, ("G[i]", "gain of the model at rank i", "its level"))


def _normalised(facts: Facts, *, discounted: bool) -> Working | None:
    terms, values, ranks = _gains(facts, discounted=discounted)
    own = sum(values)
    function = normalised_discounted_gain if discounted else normalised_gain
    value = float(function(facts.hits, facts.profile, 1, facts.measure.cutoff)[0])
    letter = "DCG" if discounted else "CG"
    best = own / value if value > 0 else _ideal(facts, discounted=discounted)
    if not best:
        return Working("0", f"{letter} = 0", (), (), (), 0.0)
    symbols = (
        (letter, "gain of this list", f"{own:.6g}"), (f"I{letter}", "gain of the best possible list", f"{best:.6g}"),
        *facts.cut_symbol(),
    )  # fmt: skip
    shown = f"{letter} / I{letter} = {own:.6g} / {best:.6g}"
    arithmetic = f"({' + '.join(terms) or '0'}) / {best!r}"
    return Working(arithmetic, shown, symbols, ranks, tuple(entry / best for entry in values), own / best)


def _ideal(facts: Facts, *, discounted: bool) -> float:
    ideal = facts.hits.ideal(facts.profile.list_cut)
    best = Facts(ideal, facts.profile, facts.measure)
    if discounted:
        return float(discounted_gain(ideal, facts.profile, 1, facts.measure.cutoff)[0])
    return sum(_gains(best, discounted=False)[1])


def ncg(facts: Facts) -> Working | None:
    """NCG."""
    return _normalised(facts, discounted=False)


def ndcg(facts: Facts) -> Working | None:
    """NDCG."""
    return _normalised(facts, discounted=True)


def _sum(terms: list[str], values: list[float], ranks: tuple[int, ...], divisor: int, symbol: Symbol) -> Working:
    shown = _cut(terms) if divisor == 1 else f"({_cut(terms)}) / {divisor:,}"
    divisor = max(divisor, 1)
    shares = tuple(value / divisor for value in values)
    return Working(_joined(terms, divisor), shown, (symbol,), ranks, shares, sum(values) / divisor)


def _joined(terms: list[str], divisor: int) -> str:
    return f"({' + '.join(terms) or '0'}) / {divisor}"


def _cut(terms: list[str]) -> str:
    if len(terms) <= SHOWN_TERMS:
        return " + ".join(terms) or "0"
    return f"{' + '.join(terms[: SHOWN_TERMS - 1])} + … + {terms[-1]}"
