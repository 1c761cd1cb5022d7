"""The record of a measure and the grammar of its keys: NAME(parameter=value,rel=level)@cutoff."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.measures.calculation import CalculationFunction, CalculationSteps, MeasureInputs, inputs_only
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable

#: Upper end of the range of a count or a gain.
INFINITE = float("inf")

#: Largest cutoff, and largest number of a name: far beyond any list, and a product of two of them fits 64 bits.
MOST_RANKS = 2**31 - 1

#: The name of a measure: letters, then digits.
NAME_PATTERN = re.compile(r"[A-Za-z]+[0-9]*")

_PARAMETER = r"(?:[a-z]+=[0-9.]+|[A-Za-z][A-Za-z0-9]*)"

#: The grammar of ir_measures as far as shape retrieval uses it: ``AP(rel=2)``, ``P@10``, ``F(beta=2,rel=2)@10``.
#:
#: A word in brackets, and the cutoff R, belong to the name: ``AP(trapezoid,rel=2)``, ``AP(rel=2)@R``. The name may also
#: be another name or the label of a measure, ``MAP`` or ``First tier``.
KEY_PATTERN = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9' _-]*?)"
    rf"(?: *\((?P<parameters>{_PARAMETER}(?:, *{_PARAMETER})*)\))?"
    r"(?: *@ *(?P<cutoff>[0-9]+|[Rr]))?"
)

#: Symbols of all formulas, with their meanings. A model is relevant from the level of the key on, ``(rel=2)``.
SYMBOLS: tuple[tuple[str, str], ...] = (
    ("Ds", "number of models that can be retrieved: without the query where it is excluded, and without removed junk"),
    ("Va", "length of the list"),
    ("C", "number of relevant models; Ch and Cr: highly relevant, and all relevant models"),
    ("V(i)", "number of relevant models within the first i ranks; Vh(i) and Vr(i): highly relevant, and all relevant"),
    ("V", "number of relevant models in the list, V(Va)"),
    ("p_k", "rank of the k-th relevant model in the list"),
    ("G[i]", "gain of the model at rank i: its level, unless the formula says otherwise"),
    ("K", "cutoff: the last rank considered, as in P@10"),
    ("M", "highest level of the relevance assessment"),
    ("N(i)", "number of models before rank i that are judged not relevant; N: all of the query, retrieved or not"),
    ("L", "list cutoff of the profile"),
)

#: Suffix of a label; SHREC 2006 names the first two levels, others are numbers.
LEVEL_LABELS = {1: "", 2: " (highly relevant)"}

#: (hits, profile, level, cutoff) -> (Q,) float64; NaN where the measure is undefined for the query.
MeasureFunction = Callable[[HitTable, Profile, int, int | None], NDArray[np.float64]]

#: (hits of the queries in the mean, profile, level, cutoff) -> value of the run; NaN where it is undefined.
RunFunction = Callable[[HitTable, Profile, int, int | None], float]


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
    appended : the formula is added to that of the measure after a semicolon, instead of replacing it.
    """

    convention: str
    value: str
    formula: str
    range: tuple[float, float] | None = None
    source: str = ""
    appended: bool = False

    def applies_to(self, profile: Profile) -> bool:
        """Whether the profile has the convention."""
        return bool(getattr(profile, self.convention) == self.value)


@dataclass(frozen=True)
class Measure:
    """A number computed from one ranked list: a row of the table MEASURES.

    Attributes
    ----------
    name : the key without level and cutoff, ``"AP"``: letters, then digits; with a parameter ``"F(beta=2)"``.
    label : for column headers, ``"Average precision"``.
    better : which values are better; ``"none"`` if neither are.
    range : closed interval of possible values; see `ResolvedMeasure.range_under`.
    definition : one or two sentences.
    formula : plain text with the symbols of `SYMBOLS`; forms are separated by semicolons, those with a cutoff begin
        with ``NAME@K``: ``"P = V / Va; P@K = V(K) / K"``.
    source : paper or program.
    function : see `MeasureFunction`.
    takes_level : whether a relevance threshold ``(rel=2)`` is allowed. Measures of gain and the dynamic recall use all
        levels at once.
    takes_cutoff : whether ``@k`` is allowed.
    default_cutoff : cutoff of a key without one; None for the whole list.
    variants : formulas under other conventions.
    calculation : writes the calculation for one query step by step; None for none: then only the inputs are
        displayed.
    common : whether papers usually print it. Tables with little space show only common measures.
    in_percent : whether its sources print it in per cent.
    mean_name : name of its mean over queries, ``"MAP"``; None for ``"mean <key>"``.
    other_names : names in papers and other programs, accepted in keys like `name`, `label` and `mean_name`; spaces,
        hyphens and case do not matter.
    uses_largest_class : whether the function calls `HitTable.largest_size`, so that the values of a query depend on
        the others: after an edit of the assessment, all queries are computed again.
    uses_judged : whether the function reads `HitTable.judged`, which is computed only then.
    uses_classes : whether the function reads `HitTable.classes`, which are found only then.
    run_function : value of a run where it is not the mean of the values of its queries; see `RunFunction`. Such a
        measure has no mean over classes, and its runs are not compared query by query.
    query_value : what the value of one query is where the name of the measure does not say it, ``"AP"``; None else.
    """

    name: str
    label: str
    better: Literal["higher", "lower", "none"]
    range: tuple[float, float]
    definition: str
    formula: str
    source: str
    function: MeasureFunction = field(compare=False)  # a partial equals only itself
    takes_level: bool = True
    takes_cutoff: bool = False
    default_cutoff: int | None = None
    variants: tuple[FormulaVariant, ...] = ()
    calculation: CalculationFunction | None = field(default=None, compare=False)
    common: bool = False
    in_percent: bool = False
    mean_name: str | None = None
    other_names: tuple[str, ...] = ()
    uses_largest_class: bool = False
    uses_judged: bool = False
    uses_classes: bool = False
    run_function: RunFunction | None = field(default=None, compare=False)
    query_value: str | None = None

    @property
    def all_names(self) -> tuple[str, ...]:
        """Every name accepted in a key, the name of the row first."""
        mean_name = () if self.mean_name is None else (self.mean_name,)
        return (self.name, *mean_name, *self.other_names, self.label)

    def at(self, level: int = 1, cutoff: int | None = None) -> "ResolvedMeasure":
        """The measure with level and cutoff; UnknownKeyError if they are not allowed."""
        if level != 1 and not self.takes_level:
            raise UnknownKeyError(f"{self.name} takes no relevance level: it uses all levels at once")
        if level < 1:
            raise UnknownKeyError(f"the relevance level must be at least 1, not {level}")
        if cutoff is not None and not self.takes_cutoff:
            raise UnknownKeyError(f"{self.name} takes no cutoff: its definition fixes the ranks, {self.formula}")
        if cutoff is not None and cutoff < 1:
            raise UnknownKeyError(f"the cutoff must be at least 1, not {cutoff}")
        if cutoff is not None and cutoff > MOST_RANKS:
            raise UnknownKeyError(f"the cutoff must be at most {MOST_RANKS}, not {cutoff}")
        return ResolvedMeasure(self, level, self.default_cutoff if cutoff is None else cutoff)


@dataclass(frozen=True)
class ResolvedMeasure:
    """A measure with level and cutoff.

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
        name, at, end = self.measure.name.partition("@")  # of AP@R the end is R
        cutoff = at + end if self.cutoff is None else f"@{self.cutoff}"
        if self.level != 1:
            level = f"rel={self.level})"
            name = f"{name[:-1]},{level}" if name.endswith(")") else f"{name}({level}"
        return f"{name}{cutoff}"

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
        return f"mean {self.key}" if self.is_mean else self.key

    @property
    def query_note(self) -> str:
        """What values of queries are where the key does not say it, as a sentence; "" else."""
        return f"Values of queries for {self.key}: {self.measure.query_value}." if self.measure.query_value else ""

    @property
    def is_mean(self) -> bool:
        """Whether the value of a run is the mean of the values of its queries."""
        return self.measure.run_function is None

    def value_of_run(self, hits: HitTable, profile: Profile) -> float:
        """Value of a run from the hits of the queries that enter its mean; only where it is no mean (`is_mean`)."""
        assert self.measure.run_function is not None
        return self.measure.run_function(hits, profile, self.level, self.cutoff)

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
        """Formula as plain text, under textbook conventions; see `formula_under`."""
        return self._with_cutoff(self.measure.formula)

    @property
    def source(self) -> str:
        """Source of the definition; see `source_under`."""
        return self.measure.source

    def source_under(self, profile: Profile) -> str:
        """Source of the formula under `profile`."""
        return next((v.source for v in self._variants(profile) if v.source), self.measure.source)

    def formula_under(self, profile: Profile) -> str:
        """The formula under `profile`, with the cutoff as a number."""
        variants = self._variants(profile)
        formula = next((v.formula for v in variants if not v.appended), self.measure.formula)
        return self._with_cutoff("; ".join([formula, *(v.formula for v in variants if v.appended)]))

    def _with_cutoff(self, formula: str) -> str:
        """The forms of a formula for the cutoff, or without it."""
        name, forms = self.measure.name, formula.split("; ")
        with_cutoff = [form for form in forms if form.startswith(f"{name}@K ")]
        if self.cutoff is None:
            return "; ".join(form for form in forms if form not in with_cutoff)
        if with_cutoff:
            forms = [form for form in forms if not form.startswith(f"{name} ")]
        return re.sub(r"\bK\b", str(self.cutoff), "; ".join(forms))

    def range_under(self, profile: Profile) -> tuple[float, float]:
        """Closed interval of possible values under `profile`.

        Wider than `range` where an official program has a bug: the First Tier of SHREC 2021 can exceed 1.
        """
        return next((v.range for v in self._variants(profile) if v.range is not None), self.measure.range)

    def _variants(self, profile: Profile) -> list[FormulaVariant]:
        return [variant for variant in self.measure.variants if variant.applies_to(profile)]

    def ceiling(self, hits: HitTable, profile: Profile) -> NDArray[np.float64]:
        """(Q,) float64, best possible value for a list of the submitted length; NaN where the measure is undefined.

        A bound of the value for any order of equal distances: from above, or from below if lower values are better (the
        fewest false positives and negatives). It is the value of the list with the highest levels first. The bound of
        E@32 for full lists is ``2 min(32, C) / (32 + C)``, of the tiers of SHREC 2006 ``min(d, C) / d``.
        NaN for all queries if neither higher nor lower values are better.
        """
        if self.measure.better == "none":
            return np.full(len(hits), np.nan)
        return self.evaluate(hits.best_of_same_length(), profile)

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
    """Measures that differ in a number, at the end of their name as in GR1, GR2, or as a parameter as in F(beta=2).

    Attributes
    ----------
    prefix : letters before the number, or before the parameter; case does not matter in keys.
    row : returns the measure of a number: a whole number from 1 to `most`, or for a parameter any from 0 to `most`.
    parameter : its name, ``"beta"``; None if the number is part of the name.
    most, least : largest and smallest number.
    """

    prefix: str
    row: Callable[..., Measure]
    parameter: str | None = None
    most: float = MOST_RANKS
    least: float = 0.0

    def measure(self, name: str, parameters: Mapping[str, str]) -> Measure | None:
        """The measure of a name and its parameters; None if they are not of this family.

        Raises
        ------
        UnknownKeyError
            If the value of the parameter is not allowed.
        """
        folded, prefix = fold_name(name), fold_name(self.prefix)
        if self.parameter is None:
            number = folded.removeprefix(prefix)
            is_number = folded != number and number.isdecimal() and not number.startswith("0")
            if not is_number or parameters:
                return None
            if int(number) > self.most:
                raise UnknownKeyError(f"the number of {self.prefix} must be at most {self.most}, not {number}")
            return self.row(int(number))
        if folded != prefix or set(parameters) != {self.parameter}:
            return None
        value = _number_of(parameters[self.parameter])
        if value is None or not self.least <= value <= self.most:
            allowed = f"a number from {number_text(self.least)} to {number_text(self.most)}"
            raise UnknownKeyError(f"{self.parameter} must be {allowed}, not {parameters[self.parameter]}")
        return self.row(value)


def number_text(number: float) -> str:
    """Digits of the parameter of a key, all of them and without an exponent: ``"2"``, ``"0.0001"``."""
    return np.format_float_positional(number, trim="-")


def _number_of(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:  # digits and points are all that the grammar checks
        return None


#: A name with its cutoff as trec_eval and papers write it: ``P_10``, ``ndcg_cut_10``, ``Rank-1``.
NUMBERED_NAME = re.compile(r"(?P<name>[A-Za-z_]+?)(?:_cut)?[_ -](?P<cutoff>[0-9]+)")


def resolve_measure(key: str, table: Sequence[Measure], families: Sequence[MeasureFamily] = ()) -> ResolvedMeasure:
    """The measure of `key` in `table`; UnknownKeyError with a suggestion if there is none.

    Names of rows come first, then those of families, then other names (`Measure.all_names`), then names that end with
    the cutoff (`NUMBERED_NAME`).
    """
    match = KEY_PATTERN.fullmatch(key.strip())
    if match is None:
        raise UnknownKeyError(f"there is no measure '{key}'{_nearest(key, table)}")
    parts = [part.strip() for part in (match["parameters"] or "").split(",") if part]
    parameters = dict(part.split("=") for part in parts if "=" in part)
    level = parameters.pop("rel", "1")
    words, cutoff = [part for part in parts if "=" not in part], match["cutoff"]
    name = match["name"] + (f"({','.join(words)})" if words else "")
    if cutoff is not None and not cutoff.isdecimal():
        name, cutoff = f"{name}@R", None
    measure = _find_row(name, parameters, table, families)
    numbered = NUMBERED_NAME.fullmatch(name)
    if measure is None and numbered is not None and cutoff is None:
        measure, cutoff = _find_row(numbered["name"], parameters, table, families), numbered["cutoff"]
    if measure is None:
        raise UnknownKeyError(f"there is no measure '{key}'{_nearest(match['name'], table)}")
    if not level.isdecimal():
        raise UnknownKeyError(f"the relevance level must be a whole number, not {level}")
    return measure.at(int(level), None if cutoff is None else int(cutoff))


def _nearest(word: str, table: Sequence[Measure]) -> str:
    """End of an error message with the measure that has the nearest of all names, or with all measures."""
    # The name of a row is the last one set, so that it counts where another row has it, too.
    names = {fold_name(name): row.name for row in table for name in reversed(row.all_names)}
    near = get_close_matches(fold_name(word), names, n=1)
    return f"; do you mean '{names[near[0]]}'?" if near else f"; there are {', '.join(row.name for row in table)}"


def _find_row(
    name: str, parameters: Mapping[str, str], table: Sequence[Measure], families: Sequence[MeasureFamily]
) -> Measure | None:
    by_name = {row.name: row for row in table}
    if name in by_name and not parameters:
        return by_name[name]
    for family in families:
        made = family.measure(name, parameters)
        if made is not None:
            return by_name.get(made.name, made)
    if parameters:
        return None
    folded = fold_name(name)
    return next((row for row in table if folded in map(fold_name, row.all_names)), None)


def fold_name(name: str) -> str:
    """A name without case, spaces, hyphens and underscores, for comparison."""
    return re.sub(r"[ _-]", "", name).casefold()


#: Names in an error message; tables are shorter, models can be 10⁵.
MAX_SUGGESTED = 40


def suggestion(word: str, known: Sequence[str]) -> str:
    """End of an error message with the nearest of the known names, or with all, at most `MAX_SUGGESTED`."""
    if not known:
        return "; there is none"
    folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), list(folded), n=1)
    more = f" and {len(known) - MAX_SUGGESTED:,} more" if len(known) > MAX_SUGGESTED else ""
    return f"; do you mean '{folded[near[0]]}'?" if near else f"; there are {', '.join(known[:MAX_SUGGESTED])}{more}"
