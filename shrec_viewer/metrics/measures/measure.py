"""The record of a measure and the grammar of its keys: NAME(rel=level)@cutoff."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.measures.calculation import CalculationFunction, CalculationSteps, MeasureInputs, inputs_only
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable

INFINITE = float("inf")
"""Upper end of the range of a count or a gain."""

KEY_PATTERN = re.compile(r"(?P<name>[A-Za-z]+[0-9]*)(?:\(rel=(?P<level>[0-9]+)\))?(?:@(?P<cutoff>[0-9]+))?")
"""The grammar of ir_measures as far as shape retrieval needs it: ``AP``, ``P@10``, ``AP(rel=2)``, ``P(rel=2)@10``."""

LEVEL_LABELS = {1: "", 2: " (highly relevant)"}
"""What follows a label; SHREC 2006 names the two levels. Others are numbers."""

MeasureFunction = Callable[[HitTable, Profile, int, int | None], NDArray[np.float64]]
"""(hits, profile, level, cutoff) -> (Q,) float64; NaN where the query leaves the measure undefined."""


class UnknownKeyError(KeyError):
    """There is no measure, curve or profile of this name; its text is a sentence that names the nearest one."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class FormulaVariant:
    """How one convention of a profile changes a formula, where ``profile.<convention> == value``.

    Attributes
    ----------
    range : of the values, None where it stays what it is.
    source : of the convention, "" where the measure's own source has it.
    """

    convention: str
    value: str
    formula: str
    range: tuple[float, float] | None = None
    source: str = ""


@dataclass(frozen=True)
class Measure:
    """One number about one ranked list, with all its words.

    Attributes
    ----------
    name : the key without level and cut-off, ``"AP"``.
    label : for column heads, ``"Average precision"``.
    better : which end is good; ``"none"`` where neither is.
    range : closed interval of possible values; see `ResolvedMeasure.range_under`.
    definition : one or two sentences that a reader of papers accepts.
    formula : plain text. G[i] is the level at rank i, V(k) the number of relevant models within the first k ranks, V
        all of them, Va the length of the list, C the relevant models in the truth, Ds the size of the collection, p_k
        the rank of the k-th relevant model.
    source : paper or program.
    function : see `MeasureFunction`.
    takes_level : whether ``(rel=2)`` means something: the measure counts relevant models, and what is relevant is a
        threshold. Gains and the dynamic recall see all levels at once.
    takes_cutoff : whether ``@k`` means something.
    default_cutoff : the cut-off where the key has none; None for the whole list.
    variants : formulas under other conventions.
    calculation : writes the calculation for one query step by step; None for a measure without one, of which only the
        inputs are displayed.
    common : whether papers usually print it. Tables with little space show only common measures.
    mean_name : name of its mean over queries, ``"MAP"``; None for ``"mean <key>"``.
    """

    name: str
    label: str
    better: Literal["higher", "lower", "none"]
    range: tuple[float, float]
    definition: str
    formula: str
    source: str
    function: MeasureFunction
    takes_level: bool = True
    takes_cutoff: bool = False
    default_cutoff: int | None = None
    variants: tuple[FormulaVariant, ...] = ()
    calculation: CalculationFunction | None = field(default=None, compare=False)  # a partial equals only itself
    common: bool = False
    mean_name: str | None = None

    def at(self, level: int = 1, cutoff: int | None = None) -> "ResolvedMeasure":
        """The measure with its parameters fixed; UnknownKeyError when it takes none of that kind."""
        if level != 1 and not self.takes_level:
            raise UnknownKeyError(f"{self.name} takes no relevance level: it uses all levels at once")
        if level < 1:
            raise UnknownKeyError(f"a relevance level starts at 1, not {level}")
        if cutoff is not None and not self.takes_cutoff:
            raise UnknownKeyError(f"{self.name} takes no cut-off: it is defined by the whole list")
        if cutoff is not None and cutoff < 1:
            raise UnknownKeyError(f"a cut-off starts at 1, not {cutoff}")
        return ResolvedMeasure(self, level, self.default_cutoff if cutoff is None else cutoff)


@dataclass(frozen=True)
class ResolvedMeasure:
    """A measure with level and cut-off, ready to evaluate.

    Attributes
    ----------
    measure : the row of the table.
    level : lowest level that counts as relevant, 1 or more.
    cutoff : places looked at, None for the whole list.
    """

    measure: Measure
    level: int = 1
    cutoff: int | None = None

    @property
    def key(self) -> str:
        """Canonical key, ``"AP(rel=2)"``, ``"NDCG@5"``."""
        level = "" if self.level == 1 else f"(rel={self.level})"
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{self.measure.name}{level}{cutoff}"

    @property
    def label(self) -> str:
        """For people, ``"Average precision (highly relevant)"``, ``"Normalised discounted cumulated gain at 5"``."""
        words = LEVEL_LABELS.get(self.level, f" (level {self.level} and up)")
        cutoff = "" if self.cutoff is None else f" at {self.cutoff}"
        return f"{self.measure.label}{cutoff}{words}"

    @property
    def mean_name(self) -> str:
        """``"MAP"``, ``"mean P@10"``."""
        if self.measure.mean_name is not None and self.key == self.measure.name:
            return self.measure.mean_name
        return f"mean {self.key}"

    @property
    def better(self) -> Literal["higher", "lower", "none"]:
        """Which end is good."""
        return self.measure.better

    @property
    def range(self) -> tuple[float, float]:
        """Closed interval of possible values under textbook conventions; the upper end may be infinite."""
        return self.measure.range

    @property
    def definition(self) -> str:
        """What it says, in a sentence or two."""
        return self.measure.definition

    @property
    def formula(self) -> str:
        """Plain text, under the conventions of the default profile; see `formula_under`."""
        return self.measure.formula

    @property
    def source(self) -> str:
        """Where the definition comes from; see `source_under`."""
        return self.measure.source

    def source_under(self, profile: Profile) -> str:
        """Where the formula that `profile` uses comes from."""
        variant = self._variant(profile)
        return variant.source if variant is not None and variant.source else self.measure.source

    def formula_under(self, profile: Profile) -> str:
        """The formula that `profile` uses."""
        variant = self._variant(profile)
        return self.measure.formula if variant is None else variant.formula

    def range_under(self, profile: Profile) -> tuple[float, float]:
        """Closed interval of possible values under the conventions of `profile`.

        Wider than `range` where an official program has a mistake: the First Tier of SHREC 2021 can exceed 1.
        """
        variant = self._variant(profile)
        return self.measure.range if variant is None or variant.range is None else variant.range

    def _variant(self, profile: Profile) -> FormulaVariant | None:
        holding = (v for v in self.measure.variants if getattr(profile, v.convention) == v.value)
        return next(holding, None)

    def ceiling(self, hits: HitTable, profile: Profile) -> NDArray[np.float64]:
        """(Q,) float64, the value of the best possible list for each query; NaN where the measure is undefined.

        That list has the whole collection (up to the cut of the profile), highest levels first. The ceiling of E@32 is
        ``2 min(32, C) / (32 + C)``, of P@10 ``min(10, C) / 10``. Show ``value / ceiling`` beside values that cannot
        reach 1. Precision and F-measure of a whole list are not bounded by it: a shorter list can do better.
        """
        return self.evaluate(hits.ideal(profile.list_cut), profile)

    def evaluate(self, hits: HitTable, profile: Profile) -> NDArray[np.float64]:
        """(Q,) float64, one value a query; NaN where undefined. A missing query answers as an empty list would."""
        return self.measure.function(hits, profile, self.level, self.cutoff)

    def calculation(self, hits: HitTable, profile: Profile) -> CalculationSteps:
        """How the value of the one query of `hits` is computed; without an expression if the measure writes none."""
        inputs = MeasureInputs(hits, profile, self.level, self.cutoff)
        if self.measure.calculation is not None:
            return self.measure.calculation(inputs)
        return inputs_only(inputs, float(self.evaluate(hits, profile)[0]))


@dataclass(frozen=True)
class MeasureFamily:
    """Measures that differ in a number, which stands behind their name, as in GR1, GR2, GR3.

    Attributes
    ----------
    prefix : the letters before the number.
    row : makes the measure of a number, 1 or more.
    """

    prefix: str
    row: Callable[[int], Measure]


def resolve_measure(key: str, table: Sequence[Measure], families: Sequence[MeasureFamily] = ()) -> ResolvedMeasure:
    """The measure that `key` names among `table`; UnknownKeyError with a suggestion when there is none."""
    match = KEY_PATTERN.fullmatch(key.strip())
    by_name = {measure.name: measure for measure in table}
    measure = None if match is None else by_name.get(match["name"]) or _measure_of_family(match["name"], families)
    if match is None or measure is None:
        name = match["name"] if match is not None else key
        raise UnknownKeyError(f"there is no measure '{key}'{suggestion(name, list(by_name))}")
    cutoff = None if match["cutoff"] is None else int(match["cutoff"])
    return measure.at(int(match["level"] or 1), cutoff)


def _measure_of_family(name: str, families: Sequence[MeasureFamily]) -> Measure | None:
    letters = name.rstrip("0123456789")
    number = name[len(letters) :]
    if number and not number.startswith("0"):
        for family in families:
            if family.prefix == letters:
                return family.row(int(number))
    return None


def suggestion(word: str, known: Sequence[str]) -> str:
    """Half a sentence that names the nearest of the known words, else all of them."""
    folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), list(folded), n=1)
    return f"; do you mean '{folded[near[0]]}'?" if near else f"; there are {', '.join(known)}"
