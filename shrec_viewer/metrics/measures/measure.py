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
"""The grammar of ir_measures as far as shape retrieval uses it: ``AP``, ``P@10``, ``AP(rel=2)``, ``P(rel=2)@10``."""

LEVEL_LABELS = {1: "", 2: " (highly relevant)"}
"""Suffix of a label; SHREC 2006 names the first two levels, others are numbers."""

MeasureFunction = Callable[[HitTable, Profile, int, int | None], NDArray[np.float64]]
"""(hits, profile, level, cutoff) -> (Q,) float64; NaN where the measure is undefined for the query."""


class UnknownKeyError(KeyError):
    """No measure, curve, profile or convention has this key; the message suggests the nearest one."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class FormulaVariant:
    """Formula of a measure under one convention, where ``profile.<convention> == value``.

    Attributes
    ----------
    range : of the values; None if it does not change.
    source : of the convention; "" if it is the source of the measure.
    """

    convention: str
    value: str
    formula: str
    range: tuple[float, float] | None = None
    source: str = ""


@dataclass(frozen=True)
class Measure:
    """A number computed from one ranked list: a row of the table MEASURES.

    Attributes
    ----------
    name : the key without level and cut-off, ``"AP"``: letters, then digits.
    label : for column headers, ``"Average precision"``.
    better : which values are better; ``"none"`` if neither are.
    range : closed interval of possible values; see `ResolvedMeasure.range_under`.
    definition : one or two sentences.
    formula : plain text. G[i] is the level at rank i, V(k) the number of relevant models within the first k ranks, V
        all of them, Va the length of the list, C the number of relevant models, Ds the size of the collection, p_k the
        rank of the k-th relevant model.
    source : paper or program.
    function : see `MeasureFunction`.
    takes_level : whether a relevance threshold ``(rel=2)`` is allowed. Measures of gain and the dynamic recall use all
        levels at once.
    takes_cutoff : whether ``@k`` is allowed.
    default_cutoff : cut-off of a key without one; None for the whole list.
    variants : formulas under other conventions.
    calculation : writes the calculation for one query step by step; None for none: then only the inputs are
        displayed.
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
        """The measure with level and cut-off; UnknownKeyError if they are not allowed."""
        if level != 1 and not self.takes_level:
            raise UnknownKeyError(f"{self.name} takes no relevance level: it uses all levels at once")
        if level < 1:
            raise UnknownKeyError(f"the relevance level must be at least 1, not {level}")
        if cutoff is not None and not self.takes_cutoff:
            raise UnknownKeyError(f"{self.name} takes no cut-off: it is defined by the whole list")
        if cutoff is not None and cutoff < 1:
            raise UnknownKeyError(f"the cut-off must be at least 1, not {cutoff}")
        return ResolvedMeasure(self, level, self.default_cutoff if cutoff is None else cutoff)


@dataclass(frozen=True)
class ResolvedMeasure:
    """A measure with level and cut-off.

    Attributes
    ----------
    measure : row of the table.
    level : lowest level that counts as relevant, 1 or more.
    cutoff : last rank considered, None for the whole list.
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
        """Label for display: ``"Average precision (highly relevant)"``, ``"Cumulated gain at 5"``."""
        words = LEVEL_LABELS.get(self.level, f" (level {self.level} and up)")
        cutoff = "" if self.cutoff is None else f" at {self.cutoff}"
        return f"{self.measure.label}{cutoff}{words}"

    @property
    def mean_name(self) -> str:
        """Name of the mean over queries: ``"MAP"``, ``"mean P@10"``."""
        if self.measure.mean_name is not None and self.key == self.measure.name:
            return self.measure.mean_name
        return f"mean {self.key}"

    @property
    def better(self) -> Literal["higher", "lower", "none"]:
        """Which values are better."""
        return self.measure.better

    @property
    def range(self) -> tuple[float, float]:
        """Closed interval of possible values under textbook conventions; the upper limit may be infinite."""
        return self.measure.range

    @property
    def definition(self) -> str:
        """Definition in one or two sentences."""
        return self.measure.definition

    @property
    def formula(self) -> str:
        """Formula as plain text, under the conventions of the default profile; see `formula_under`."""
        return self.measure.formula

    @property
    def source(self) -> str:
        """Source of the definition; see `source_under`."""
        return self.measure.source

    def source_under(self, profile: Profile) -> str:
        """Source of the formula under `profile`."""
        variant = self._variant(profile)
        return variant.source if variant is not None and variant.source else self.measure.source

    def formula_under(self, profile: Profile) -> str:
        """The formula under `profile`."""
        variant = self._variant(profile)
        return self.measure.formula if variant is None else variant.formula

    def range_under(self, profile: Profile) -> tuple[float, float]:
        """Closed interval of possible values under `profile`.

        Wider than `range` where an official program has a bug: the First Tier of SHREC 2021 can exceed 1.
        """
        variant = self._variant(profile)
        return self.measure.range if variant is None or variant.range is None else variant.range

    def _variant(self, profile: Profile) -> FormulaVariant | None:
        variants = (v for v in self.measure.variants if getattr(profile, v.convention) == v.value)
        return next(variants, None)

    def ceiling(self, hits: HitTable, profile: Profile) -> NDArray[np.float64]:
        """(Q,) float64, value of the ideal ranking of each query; NaN where the measure is undefined.

        The ideal ranking has the whole collection (up to the list cut-off), highest levels first. The ceiling of E@32
        is ``2 min(32, C) / (32 + C)``, of P@10 ``min(10, C) / 10``. It is not an upper bound of precision and F-measure
        of a whole list: a shorter list can score higher.
        """
        return self.evaluate(hits.ideal(profile.list_cut), profile)

    def evaluate(self, hits: HitTable, profile: Profile) -> NDArray[np.float64]:
        """(Q,) float64, one value per query; NaN where undefined. A missing query is evaluated as an empty list."""
        return self.measure.function(hits, profile, self.level, self.cutoff)

    def calculation(self, hits: HitTable, profile: Profile) -> CalculationSteps:
        """How the value of the one query of `hits` is computed; without an expression if the measure writes none."""
        inputs = MeasureInputs(hits, profile, self.level, self.cutoff)
        if self.measure.calculation is not None:
            return self.measure.calculation(inputs)
        return inputs_only(inputs, float(self.evaluate(hits, profile)[0]))


@dataclass(frozen=True)
class MeasureFamily:
    """Measures whose names end with a number, as in GR1, GR2, GR3.

    Attributes
    ----------
    prefix : letters before the number.
    row : returns the measure of a number, 1 or more.
    """

    prefix: str
    row: Callable[[int], Measure]


def resolve_measure(key: str, table: Sequence[Measure], families: Sequence[MeasureFamily] = ()) -> ResolvedMeasure:
    """The measure of `key` in `table`; UnknownKeyError with a suggestion if there is none."""
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
    """End of an error message with the nearest of the known names, or all of them."""
    folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), list(folded), n=1)
    return f"; do you mean '{folded[near[0]]}'?" if near else f"; there are {', '.join(known)}"
