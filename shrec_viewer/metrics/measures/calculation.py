"""Step-by-step calculation of a measure for one query: expression, symbols and ranks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable, findable_size

#: Terms of a sum that are written out in `CalculationSteps.shown`; those before the last one are replaced by "…".
MAX_SHOWN_TERMS = 8

#: A symbol of the formula, its meaning, and its value.
FormulaSymbol = tuple[str, str, str]


@dataclass(frozen=True)
class CalculationSteps:
    """The calculation of one value.

    Attributes
    ----------
    arithmetic : the whole expression in numbers, as Python code with ``log2``; its value is that of the measure. Empty
        if the measure has no `Measure.calculation`.
    shown : the same expression for display, long sums abbreviated.
    symbols : symbols of the formula with meaning and value.
    ranks : (n,) 1-based ranks of the relevant models that the value is computed from, ascending.
    shares : (n,) contribution of each of them to the value; empty where the value is not a sum over relevant models.
    total : value of the expression.
    found : (q,) models found that count within i = 1 … q ranks, of dynamic recall: its terms are found / i; else empty.
    """

    arithmetic: str
    shown: str
    symbols: tuple[FormulaSymbol, ...]
    ranks: tuple[int, ...]
    shares: tuple[float, ...]
    total: float
    found: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class MeasureInputs:
    """The ranked list of one query as the formulas see it; symbols as in `measure.SYMBOLS`.

    Attributes
    ----------
    hits : of one query.
    profile : conventions.
    level : lowest relevance level that counts as relevant.
    cutoff : last rank considered, None for the whole list.
    ranks : (n,) 1-based ranks of the relevant models in the list, ascending.
    levels : (n,) their relevance levels.
    """

    hits: HitTable
    profile: Profile
    level: int = 1
    cutoff: int | None = None
    ranks: tuple[int, ...] = field(init=False)
    levels: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        is_relevant = self.hits.levels >= self.level
        object.__setattr__(self, "ranks", tuple(int(rank) for rank in self.hits.ranks[is_relevant]))
        object.__setattr__(self, "levels", tuple(int(level) for level in self.hits.levels[is_relevant]))

    @property
    def relevant_size(self) -> int:
        """C, number of relevant models in the collection."""
        return int(self.hits.relevant_size(self.level)[0])

    @property
    def findable_size(self) -> int:
        """C, limited to the list cutoff where the profile limits recall so."""
        return int(findable_size(self.hits, self.profile, self.level)[0])

    @property
    def list_length(self) -> int:
        """Va, length of the list."""
        return int(self.hits.list_length[0])

    @property
    def collection_size(self) -> int:
        """Ds, number of models that could be retrieved."""
        return int(self.hits.collection_size[0])

    def ranks_within(self, scope: int | None) -> tuple[int, ...]:
        """Ranks of the relevant models within the first `scope` ranks; None for the whole list."""
        return self.ranks if scope is None else tuple(rank for rank in self.ranks if rank <= scope)

    def size_symbol(self, size: int | None = None) -> FormulaSymbol:
        """C; `size` if it is limited by the profile."""
        return ("C", "relevant models", f"{self.relevant_size if size is None else size:,}")

    def length_symbol(self) -> FormulaSymbol:
        """Va."""
        return ("Va", "length of the list", f"{self.list_length:,}")

    def found_symbol(self, scope: int | None) -> FormulaSymbol:
        """V, or V(k) within the first `scope` ranks."""
        if scope is None:
            return ("V", "relevant models in the list", f"{len(self.ranks):,}")
        return (
            f"V({scope:,})",
            f"relevant models within the first {scope:,} ranks",
            f"{len(self.ranks_within(scope)):,}",
        )

    def collection_symbol(self) -> FormulaSymbol:
        """Ds."""
        return ("Ds", "models that could be retrieved", f"{self.collection_size:,}")


#: Writes the calculation of a measure for one query, for which the measure is defined (not NaN).
#:
#: The steps are displayed only if their `total` equals the value of the measure to 1e-9.
CalculationFunction = Callable[[MeasureInputs], CalculationSteps]


def inputs_only(inputs: MeasureInputs, value: float) -> CalculationSteps:
    """Symbols and ranks without an expression, for a measure that has no `Measure.calculation`."""
    symbols = (
        inputs.found_symbol(inputs.cutoff),
        inputs.size_symbol(),
        inputs.length_symbol(),
        inputs.collection_symbol(),
    )
    return CalculationSteps("", "", symbols, inputs.ranks_within(inputs.cutoff), (), value)


def count_ratio(
    inputs: MeasureInputs,
    scope: int | None,
    divisor: int,
    shown: str,
    symbols: tuple[FormulaSymbol, ...],
    *,
    plus: int = 0,
) -> CalculationSteps:
    """``(V(scope) + plus) / divisor``; 0 where the divisor is 0."""
    ranks = inputs.ranks_within(scope)
    numerator = f"({len(ranks)} + {plus})" if plus else f"{len(ranks)}"
    total = (len(ranks) + plus) / divisor if divisor else 0.0
    arithmetic = f"{numerator} / {divisor}" if divisor else "0"
    share = total / len(ranks) if ranks else 0.0
    return CalculationSteps(arithmetic, f"{shown} = {arithmetic}", symbols, ranks, (share,) * len(ranks), total)


def sum_of_terms(
    terms: Sequence[str], values: Sequence[float], ranks: tuple[int, ...], divisor: int, symbol: FormulaSymbol
) -> CalculationSteps:
    """Sum of one term for each relevant model, divided by `divisor`."""
    shown = shorten_terms(terms) if divisor == 1 else f"({shorten_terms(terms)}) / {divisor:,}"
    divisor = max(divisor, 1)
    shares = tuple(value / divisor for value in values)
    return CalculationSteps(join_terms(terms, divisor), shown, (symbol,), ranks, shares, sum(values) / divisor)


def join_terms(terms: Sequence[str], divisor: int) -> str:
    """``"(1/1 + 2/3) / 2"``."""
    return f"({' + '.join(terms) or '0'}) / {divisor}"


def shorten_terms(terms: Sequence[str]) -> str:
    """``"1/1 + 2/3 + … + 9/40"``: at most `MAX_SHOWN_TERMS` terms."""
    if len(terms) <= MAX_SHOWN_TERMS:
        return " + ".join(terms) or "0"
    return f"{' + '.join(terms[: MAX_SHOWN_TERMS - 1])} + … + {terms[-1]}"
