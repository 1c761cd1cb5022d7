"""The arithmetic of each measure for one query, written out with its numbers."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from shrec_viewer.metrics import HitTable, Profile, ResolvedMeasure
from shrec_viewer.metrics.measures.gain import discounted_gain, level_gains, normalised_discounted_gain, normalised_gain

FormulaSymbol = tuple[str, str, str]
"""A letter of the formula, what it stands for, and its value."""


@dataclass(frozen=True)
class CalculationSteps:
    """A value written out.

    Attributes
    ----------
    arithmetic : the whole expression in numbers, with ``log2``; evaluating it gives the value.
    shown : the same for people, long sums cut short.
    symbols : letters of the formula with their meaning and value.
    ranks : (n,) 1-based ranks of the hits that the value was computed from, ascending.
    shares : (n,) what each of them adds to the value; their sum is the value where it is a sum of hits.
    total : value of the expression.
    """

    arithmetic: str
    shown: str
    symbols: tuple[FormulaSymbol, ...]
    ranks: tuple[int, ...]
    shares: tuple[float, ...]
    total: float


@dataclass(frozen=True, eq=False)
class MeasureInputs:
    """What the formulas need to know of one query; letters as in `Measure.formula`."""

    hits: HitTable
    profile: Profile
    measure: ResolvedMeasure
    ranks: tuple[int, ...] = field(init=False)
    levels: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        enough = self.hits.levels >= self.measure.level
        object.__setattr__(self, "ranks", tuple(int(rank) for rank in self.hits.ranks[enough]))
        object.__setattr__(self, "levels", tuple(int(level) for level in self.hits.levels[enough]))

    @property
    def size(self) -> int:
        """C, relevant models in the truth."""
        return int(self.hits.relevant_size(self.measure.level)[0])

    @property
    def findable(self) -> int:
        """C, or at most as many as a cut list holds, where recall counts so."""
        cut = self.profile.list_cut
        return self.size if self.profile.relevant == "all" or cut is None else min(self.size, cut)

    @property
    def length(self) -> int:
        """Va, length of the list."""
        return int(self.hits.list_length[0])

    @property
    def collection(self) -> int:
        """Ds, models that could be returned."""
        return int(self.hits.collection_size[0])

    def within(self, scope: int | None) -> tuple[int, ...]:
        """Ranks of the hits within the first `scope` places; None for the whole list."""
        return self.ranks if scope is None else tuple(rank for rank in self.ranks if rank <= scope)

    def cut_symbol(self) -> tuple[FormulaSymbol, ...]:
        """The cut-off, where there is one."""
        cutoff = self.measure.cutoff
        return () if cutoff is None else (("k", "places looked at", f"{cutoff:,}"),)

    def size_symbol(self, size: int | None = None) -> FormulaSymbol:
        """C."""
        return ("C", "relevant models in the truth", f"{self.size if size is None else size:,}")


def _count_ratio(
    facts: MeasureInputs, scope: int | None, plus: int, divisor: int, shown: str, symbols: tuple[FormulaSymbol, ...]
) -> CalculationSteps:
    """``(V(scope) + plus) / divisor``."""
    ranks = facts.within(scope)
    top = f"({len(ranks)} + {plus})" if plus else f"{len(ranks)}"
    total = (len(ranks) + plus) / divisor if divisor else 0.0
    arithmetic = f"{top} / {divisor}" if divisor else "0"
    share = total / len(ranks) if ranks else 0.0
    return CalculationSteps(arithmetic, f"{shown} = {arithmetic}", symbols, ranks, (share,) * len(ranks), total)


def _found_symbol(facts: MeasureInputs, scope: int | None) -> FormulaSymbol:
    if scope is None:
        return ("V", "relevant models in the list", f"{len(facts.ranks):,}")
    return (f"V({scope:,})", f"relevant models within the first {scope:,} places", f"{len(facts.within(scope)):,}")


def nearest_neighbour(facts: MeasureInputs) -> CalculationSteps:
    """NN."""
    first = facts.within(1)
    words = "relevant" if first else "not relevant"
    symbol = ("G[1]", "the first model of the list", words)
    return CalculationSteps(
        str(len(first)), f"the first model is {words}", (symbol,), first, (1.0,) * len(first), float(len(first))
    )


def _tier(facts: MeasureInputs, times: int) -> CalculationSteps:
    kind, size = facts.profile.tiers, facts.size
    scope = times * size
    if kind == "psb":
        symbols = (facts.size_symbol(), _found_symbol(facts, scope))
        return _count_ratio(facts, scope, 0, size, f"V({scope:,}) / C", symbols)
    if kind == "precision" or (kind == "rgbd" and times == 1):
        return _count_ratio(
            facts, scope, 0, scope, f"V({scope:,}) / {scope:,}", (facts.size_symbol(), _found_symbol(facts, scope))
        )
    if kind == "shrec2021":
        symbols = (facts.size_symbol(), _found_symbol(facts, scope))
        if len(facts.within(scope - 1)) == size:
            return CalculationSteps("1", "all are found before that rank: 1", symbols, facts.within(scope - 1), (), 1.0)
        return _count_ratio(facts, scope, 1, scope, f"(V({scope:,}) + 1) / {scope:,}", symbols)
    if kind == "literal" and facts.measure.level == 1 and facts.hits.highest_level > 1:
        scope = facts.length if facts.length < scope else times * int(facts.hits.relevant_size(2)[0])
    depth = min(facts.length, scope)
    seen = (
        facts.size_symbol(), ("Va", "length of the list", f"{facts.length:,}"),
        ("d", "places looked at", f"{depth:,}"), _found_symbol(facts, depth),
    )  # fmt: skip
    return _count_ratio(facts, depth, 0, depth, f"V({depth:,}) / d", seen)


def first_tier(facts: MeasureInputs) -> CalculationSteps:
    """FT."""
    return _tier(facts, 1)


def second_tier(facts: MeasureInputs) -> CalculationSteps:
    """ST."""
    return _tier(facts, 2)


def relevant_scope(facts: MeasureInputs, times: int, *, precision: bool) -> CalculationSteps:
    """GR_n and GR_nP: recall and precision at n C places."""
    scope = times * facts.size
    symbols = (facts.size_symbol(), _found_symbol(facts, scope))
    divisor, words = (scope, f"{scope:,}") if precision else (facts.size, "C")
    return _count_ratio(facts, scope, 0, divisor, f"V({scope:,}) / {words}", symbols)


def r_precision(facts: MeasureInputs) -> CalculationSteps:
    """R-precision."""
    return relevant_scope(facts, 1, precision=False)


def precision(facts: MeasureInputs) -> CalculationSteps:
    """P and P@k."""
    cutoff = facts.measure.cutoff
    symbols = (_found_symbol(facts, cutoff), *facts.cut_symbol())
    if cutoff is not None:
        return _count_ratio(facts, cutoff, 0, cutoff, f"V({cutoff:,}) / k", symbols)
    length = ("Va", "length of the list", f"{facts.length:,}")
    return _count_ratio(facts, None, 0, max(facts.length, 1), "V / Va", (*symbols, length))


def recall(facts: MeasureInputs) -> CalculationSteps:
    """R and R@k."""
    cutoff = facts.measure.cutoff
    symbols = (facts.size_symbol(facts.findable), _found_symbol(facts, cutoff), *facts.cut_symbol())
    return _count_ratio(facts, cutoff, 0, facts.findable, "V / C" if cutoff is None else f"V({cutoff:,}) / C", symbols)


def _harmonic(facts: MeasureInputs, places: int, scope: int | None, symbol: FormulaSymbol) -> CalculationSteps:
    ranks, divisor = facts.within(scope), max(places + facts.findable, 1)
    arithmetic = f"2 * {len(ranks)} / ({places} + {facts.findable})" if places + facts.findable else "0"
    shown = f"2 V / ({symbol[0]} + C) = 2 · {len(ranks):,} / ({places:,} + {facts.findable:,})"
    symbols = (facts.size_symbol(facts.findable), symbol, _found_symbol(facts, scope))
    return CalculationSteps(
        arithmetic, shown, symbols, ranks, (2.0 / divisor,) * len(ranks), 2.0 * len(ranks) / divisor
    )


def f_measure(facts: MeasureInputs) -> CalculationSteps:
    """F1 and F1@k."""
    cutoff = facts.measure.cutoff
    if cutoff is None:
        return _harmonic(facts, facts.length, None, ("Va", "length of the list", f"{facts.length:,}"))
    return _harmonic(facts, cutoff, cutoff, ("k", "places looked at", f"{cutoff:,}"))


def e_measure(facts: MeasureInputs) -> CalculationSteps:
    """E@k."""
    depth = facts.measure.cutoff or 32
    places = min(depth, facts.collection)
    return _harmonic(facts, places, depth, ("k", "places looked at, at most the collection", f"{places:,}"))


def reciprocal_rank(facts: MeasureInputs) -> CalculationSteps:
    """RR."""
    first = facts.within(facts.measure.cutoff)[:1]
    symbol = ("p_1", "rank of the first relevant model", f"{first[0]:,}" if first else "none")
    if not first:
        return CalculationSteps("0", "no relevant model: 0", (symbol,), (), (), 0.0)
    return CalculationSteps(f"1 / {first[0]}", f"1 / {first[0]:,}", (symbol,), first, (1 / first[0],), 1 / first[0])


def contingency(facts: MeasureInputs) -> CalculationSteps:
    """TP, FP, TN, FN."""
    found, listed, size = len(facts.ranks), facts.length, facts.size
    written = {
        "TP": (f"{found}", f"V = {found:,}", found),
        "FP": (f"{listed} - {found}", f"Va − V = {listed:,} − {found:,}", listed - found),
        "FN": (f"{size} - {found}", f"C − V = {size:,} − {found:,}", size - found),
        "TN": (
            f"{facts.collection} + {found} - {listed} - {size}",
            f"Ds + V − Va − C = {facts.collection:,} + {found:,} − {listed:,} − {size:,}",
            facts.collection + found - listed - size,
        ),
    }
    arithmetic, shown, total = written[facts.measure.measure.name]
    symbols = (
        ("V", "relevant models in the list", f"{found:,}"), ("Va", "length of the list", f"{listed:,}"),
        facts.size_symbol(), ("Ds", "models that could be returned", f"{facts.collection:,}"),
    )  # fmt: skip
    return CalculationSteps(arithmetic, shown, symbols, facts.ranks, (), float(total))


SHOWN_TERMS = 8
"""Terms of a sum written out; between them and the last one stand dots."""


def average_precision(facts: MeasureInputs) -> CalculationSteps:
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
    return _sum_of_terms(terms, values, ranks, divisor, (letter, words, f"{divisor:,}"))


def dynamic_recall(facts: MeasureInputs) -> CalculationSteps:
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
    return CalculationSteps(
        _join_terms(terms, max(last, 1)), f"({_shorten_terms(terms)}) / {last:,}", symbols, ranks, (), total
    )


def _gain_terms(facts: MeasureInputs, *, discounted: bool) -> tuple[list[str], list[float], tuple[int, ...]]:
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


def cumulated_gain(facts: MeasureInputs) -> CalculationSteps:
    """CG."""
    return _sum_of_terms(*_gain_terms(facts, discounted=False), 1, ("G[i]", "gain of the model at rank i", "its level"))


def discounted_cumulated_gain(facts: MeasureInputs) -> CalculationSteps:
    """DCG."""
    return _sum_of_terms(*_gain_terms(facts, discounted=True), 1, ("G[i]", "gain of the model at rank i", "its level"))


def _normalised_gain(facts: MeasureInputs, *, discounted: bool) -> CalculationSteps | None:
    terms, values, ranks = _gain_terms(facts, discounted=discounted)
    own = sum(values)
    function = normalised_discounted_gain if discounted else normalised_gain
    value = float(function(facts.hits, facts.profile, 1, facts.measure.cutoff)[0])
    letter = "DCG" if discounted else "CG"
    best = own / value if value > 0 else _ideal_gain(facts, discounted=discounted)
    if not best:
        return CalculationSteps("0", f"{letter} = 0", (), (), (), 0.0)
    symbols = (
        (letter, "gain of this list", f"{own:.6g}"), (f"I{letter}", "gain of the best possible list", f"{best:.6g}"),
        *facts.cut_symbol(),
    )  # fmt: skip
    shown = f"{letter} / I{letter} = {own:.6g} / {best:.6g}"
    arithmetic = f"({' + '.join(terms) or '0'}) / {best!r}"
    return CalculationSteps(arithmetic, shown, symbols, ranks, tuple(entry / best for entry in values), own / best)


def _ideal_gain(facts: MeasureInputs, *, discounted: bool) -> float:
    ideal = facts.hits.ideal(facts.profile.list_cut)
    best = MeasureInputs(ideal, facts.profile, facts.measure)
    if discounted:
        return float(discounted_gain(ideal, facts.profile, 1, facts.measure.cutoff)[0])
    return sum(_gain_terms(best, discounted=False)[1])


def ncg(facts: MeasureInputs) -> CalculationSteps | None:
    """NCG."""
    return _normalised_gain(facts, discounted=False)


def ndcg(facts: MeasureInputs) -> CalculationSteps | None:
    """NDCG."""
    return _normalised_gain(facts, discounted=True)


def _sum_of_terms(
    terms: list[str], values: list[float], ranks: tuple[int, ...], divisor: int, symbol: FormulaSymbol
) -> CalculationSteps:
    shown = _shorten_terms(terms) if divisor == 1 else f"({_shorten_terms(terms)}) / {divisor:,}"
    divisor = max(divisor, 1)
    shares = tuple(value / divisor for value in values)
    return CalculationSteps(_join_terms(terms, divisor), shown, (symbol,), ranks, shares, sum(values) / divisor)


def _join_terms(terms: list[str], divisor: int) -> str:
    return f"({' + '.join(terms) or '0'}) / {divisor}"


def _shorten_terms(terms: list[str]) -> str:
    if len(terms) <= SHOWN_TERMS:
        return " + ".join(terms) or "0"
    return f"{' + '.join(terms[: SHOWN_TERMS - 1])} + … + {terms[-1]}"


def calculation_steps_of(measure: ResolvedMeasure, hits: HitTable, profile: Profile) -> CalculationSteps | None:
    """The working of `measure` for the one query of `hits`; None for a measure nobody has written one for."""
    name = measure.measure.name
    letters, number = name.rstrip("0123456789"), name.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    facts = MeasureInputs(hits, profile, measure)
    if letters in ("GR", "GRP") and number:
        return relevant_scope(facts, int(number), precision=letters == "GRP")
    made = _STEPS_BY_MEASURE.get(name)
    return None if made is None else made(facts)


_STEPS_BY_MEASURE: dict[str, Callable[[MeasureInputs], CalculationSteps | None]] = {
    "NN": nearest_neighbour,
    "FT": first_tier,
    "ST": second_tier,
    "E": e_measure,
    "AP": average_precision,
    "ADR": dynamic_recall,
    "NDCG": ndcg,
    "NCG": ncg,
    "DCG": discounted_cumulated_gain,
    "CG": cumulated_gain,
    "P": precision,
    "R": recall,
    "F1": f_measure,
    "Rprec": r_precision,
    "RR": reciprocal_rank,
    "TP": contingency,
    "FP": contingency,
    "TN": contingency,
    "FN": contingency,
}
"""By name of the measure; families such as GR3 are found by their number."""
