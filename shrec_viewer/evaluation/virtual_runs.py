"""Virtual runs: ideal and random rankings, the best run per query, and fusions of runs, written as expressions."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, Finding, RankedLists, Run, Severity, ShrecViewerError
from shrec_viewer.evaluation.evaluate import evaluate, make_checkpoint, never_cancelled
from shrec_viewer.evaluation.geometry_evidence import GEOMETRY, GEOMETRY_EVIDENCE, evidence_note, weak_classes
from shrec_viewer.evaluation.ranked_list import RankedList, ranked_list
from shrec_viewer.formats.core.findings_log import count_of, join_some
from shrec_viewer.metrics import Profile, ResolvedMeasure, UnknownKeyError, find_measure, with_conventions

if TYPE_CHECKING:
    from shrec_viewer.evaluation.rigid_distances import MapFiles

#: ``(done, total, what) -> None``
Progress = Callable[[int, int, str], None]

#: `Run.participant` of virtual runs.
VIRTUAL_PARTICIPANT = "virtual"

#: Characters of the longest expression: 500 runs with names of 20 characters.
MAX_EXPRESSION = 10_000

#: Levels of nested expressions; deeper ones would end in a RecursionError of Python.
MAX_NESTING = 20

#: Entries of the lists of a virtual run: 1.2 GB. The option depth keeps runs of larger benchmarks below.
MAX_ENTRIES = 100_000_000

#: `Finding.key` for an expression of a project that cannot be computed.
VIRTUAL_RUN_MISSING = "virtual-run-missing"

#: Constant of reciprocal rank fusion in the paper and in other programs.
RRF_K = 60

#: Values of options that need no quotes, such as ``AP(rel=2)``.
PLAIN_OPTION = re.compile(r"[^,()\"']*(\([^,()\"']*\)[^,()\"']*)?")

ZERO_WEIGHTS = "the weights of all runs are 0"

#: Seconds from which `cost_text` says how long an expression takes.
COST_SHOWN_S = 60.0

#: Smallest divisor of a normalisation, for lists of equal scores; the value of ranx.
SMALLEST_SPREAD = 1e-9


class VirtualRunError(ShrecViewerError):
    """An expression cannot be parsed, or refers to something that does not exist.

    Parameters
    ----------
    text : the expression.
    reason : the problem, in lower case, without a full stop.

    Attributes
    ----------
    reason : as given.
    """

    def __init__(self, text: str, reason: str) -> None:
        shown = text if len(text) <= 200 else f"{text[:200]}…"
        super().__init__(f"virtual run '{shown}': {reason}")
        self.reason = reason


@dataclass(frozen=True)
class Operand:
    """An argument of an expression.

    Attributes
    ----------
    kind : a run by its name, all submitted runs, all submitted runs but those of some participants, or an expression.
    names : the run, or the participants; empty for the other kinds.
    weight : factor of the run in a fusion.
    expression : None for the other kinds.
    """

    kind: Literal["run", "all", "without", "expression"]
    names: tuple[str, ...] = ()
    weight: float = 1.0
    expression: "VirtualExpression | None" = None


@dataclass(frozen=True)
class VirtualExpression:
    """A parsed expression, such as ``rrf(A1*2, B2, k=60)``.

    Attributes
    ----------
    text : as written.
    kind : row of `VIRTUAL_RUNS`.
    operands : empty for all submitted runs.
    options : value by name, as written; see `VirtualRunKind.options`.
    """

    text: str
    kind: "VirtualRunKind"
    operands: tuple[Operand, ...]
    options: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class SourceList:
    """The list of one run for one query, as input of a fusion.

    Attributes
    ----------
    items : (n,) int32, models of the collection, distinct, best first.
    scores : (n,) float64, higher is better; the negative rank if the run has no distances in the order of its list.
    weight : factor of the run.
    """

    items: NDArray[np.int32]
    scores: NDArray[np.float64]
    weight: float


#: Lists of one query, number of models and options -> models in any list, ascending, and their scores.
Fuse = Callable[[Sequence[SourceList], int, Mapping[str, str]], tuple[NDArray[np.int32], NDArray[np.float64]]]


#: Distances (Q, N), NaN where a model is not listed; the same with NaN for the query itself; options -> distances.
Rescale = Callable[[NDArray[np.float32], NDArray[np.float32], Mapping[str, str]], NDArray[np.float32]]

#: Nearest models and queries by which distances are rescaled: the default of scikit-hubness.
HUB_NEIGHBOURS = 10


@dataclass(frozen=True)
class VirtualRunKind:
    """One function of expressions.

    Attributes
    ----------
    key : name in expressions.
    label : name for display.
    definition : how it is computed.
    source : paper or program that defines it.
    options : names of the options, with their default for display.
    takes_runs : whether runs are arguments.
    needs_assessment : whether the lists depend on the relevance assessment.
    fuse : combines the lists of one query; None for functions that are no fusion.
    rescale : makes other distances of those of one run; None for functions that take several runs or none.
    """

    key: str
    label: str
    definition: str
    source: str
    options: Mapping[str, str] = field(default_factory=dict)
    takes_runs: bool = True
    needs_assessment: bool = False
    fuse: Fuse | None = None
    rescale: "Rescale | None" = None


def _reciprocal_rank(
    lists: Sequence[SourceList], n_models: int, options: Mapping[str, str]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    k = _number(options.get("k", str(RRF_K)), "k")
    if k < 0:
        raise ValueError("k must not be negative")
    scores, counts = np.zeros(n_models), np.zeros(n_models, np.int64)
    for one in lists:
        scores[one.items] += one.weight / (k + np.arange(1, len(one.items) + 1))
        counts[one.items] += 1
    return _listed(scores, counts)


def _comb_sum(
    lists: Sequence[SourceList], n_models: int, options: Mapping[str, str]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    return _listed(*_normalised_sum(lists, n_models, options))


def _comb_mnz(
    lists: Sequence[SourceList], n_models: int, options: Mapping[str, str]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    scores, counts = _normalised_sum(lists, n_models, options)
    return _listed(scores * counts, counts)


def _normalised_sum(
    lists: Sequence[SourceList], n_models: int, options: Mapping[str, str]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    normalise = NORMALISATIONS.get(options.get("norm", "min-max"))
    if normalise is None:
        raise ValueError(f"norm must be {' or '.join(NORMALISATIONS)}, not '{options['norm']}'")
    scores, counts = np.zeros(n_models), np.zeros(n_models, np.int64)
    for one in lists:
        scores[one.items] += one.weight * normalise(one.scores)
        counts[one.items] += 1
    return scores, counts


def _min_max(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    if not len(scores):
        return scores
    return (scores - scores.min()) / max(float(scores.max() - scores.min()), SMALLEST_SPREAD)


def _z_scores(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return (scores - scores.mean()) / max(float(scores.std()), SMALLEST_SPREAD) if len(scores) else scores


#: Values of the option norm.
NORMALISATIONS: Mapping[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "min-max": _min_max,
    "z": _z_scores,
}


def _borda(
    lists: Sequence[SourceList], n_models: int, options: Mapping[str, str]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    candidates = _candidates(lists)
    scores = np.zeros(n_models)
    for one in lists:
        n_missing = len(candidates) - len(one.items)
        points = np.full(n_models, (n_missing + 1) / 2.0)
        points[one.items] = len(candidates) - np.arange(len(one.items))
        scores += one.weight * points
    return candidates, scores[candidates]


def _median_rank(
    lists: Sequence[SourceList], n_models: int, options: Mapping[str, str]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    candidates = _candidates(lists)
    weights = np.array([one.weight for one in lists])
    ranks = np.empty((len(lists), n_models))
    for row, one in zip(ranks, lists, strict=True):
        row[:] = (len(one.items) + 1 + len(candidates)) / 2.0
        row[one.items] = np.arange(1, len(one.items) + 1)
    return candidates, -_weighted_median(ranks[:, candidates], weights)


def _weighted_median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """(C,) medians of the columns of `values` (R, C); the mean of both middle values where the weights split evenly."""
    order = np.argsort(values, axis=0, kind="stable")
    ascending = np.take_along_axis(values, order, axis=0)
    share = np.cumsum(weights[order], axis=0)
    half = share[-1] / 2.0
    last = len(values) - 1
    lower = np.minimum((share < half - 1e-12).sum(axis=0), last)
    upper = np.minimum((share <= half + 1e-12).sum(axis=0), last)
    columns = np.arange(values.shape[1])
    return (ascending[lower, columns] + ascending[upper, columns]) / 2.0


def _nearest_mean(distances: NDArray[np.float32], k: int, axis: int) -> NDArray[np.float32]:
    """Mean of the k smallest distances along an axis, which is kept; NaN without any."""
    first = np.take(np.sort(distances, axis=axis), range(min(k, distances.shape[axis])), axis=axis)  # NaN last
    counts = np.count_nonzero(~np.isnan(first), axis=axis, keepdims=True)
    return np.divide(np.nansum(first, axis=axis, keepdims=True), np.where(counts, counts, np.nan)).astype(np.float32)


def _csls(
    distances: NDArray[np.float32], others: NDArray[np.float32], options: Mapping[str, str]
) -> NDArray[np.float32]:
    k = _neighbours(options)
    return 2.0 * distances - _nearest_mean(others, k, 1) - _nearest_mean(others, k, 0)


def _local_scaling(
    distances: NDArray[np.float32], others: NDArray[np.float32], options: Mapping[str, str]
) -> NDArray[np.float32]:
    k = _neighbours(options)
    if np.nanmin(distances, initial=0.0) < 0.0:
        raise ValueError("local scaling needs distances of at least 0; csls and mutual_proximity do not")
    scales = []
    for axis in (1, 0):
        first = np.sort(others, axis=axis)
        counts = np.count_nonzero(~np.isnan(first), axis=axis, keepdims=True)
        scales.append(np.take_along_axis(first, np.clip(counts - 1, 0, min(k, others.shape[axis]) - 1), axis=axis))
    product = np.maximum(scales[0] * scales[1], np.float32(SMALLEST_SPREAD))
    return (1.0 - np.exp(-np.square(distances) / product)).astype(np.float32)


def _mutual_proximity(
    distances: NDArray[np.float32], others: NDArray[np.float32], options: Mapping[str, str]
) -> NDArray[np.float32]:
    farther = []  # share of the models farther from the query, and of the queries farther from the model
    for axis in (1, 0):
        shares = np.empty_like(distances)
        for index in range(distances.shape[1 - axis]):
            line = np.take(others, index, axis=1 - axis)
            known = np.sort(line[~np.isnan(line)])
            values = np.take(distances, index, axis=1 - axis)
            share = 1.0 - np.searchsorted(known, values, "right") / max(len(known), 1)
            shares[(index, slice(None)) if axis == 1 else (slice(None), index)] = share
        farther.append(shares)
    return np.where(np.isnan(distances), np.nan, 1.0 - farther[0] * farther[1]).astype(np.float32)


def _neighbours(options: Mapping[str, str]) -> int:
    k = _whole_number(options.get("k", str(HUB_NEIGHBOURS)), "k")
    if k < 1:
        raise ValueError("k must be at least 1")
    return k


def _candidates(lists: Sequence[SourceList]) -> NDArray[np.int32]:
    return np.unique(np.concatenate([np.zeros(0, np.int32), *(one.items for one in lists)])).astype(np.int32)


def _listed(scores: NDArray[np.float64], counts: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    items = np.flatnonzero(counts).astype(np.int32)
    return items, scores[items]


#: Every function of expressions, in display order.
VIRTUAL_RUNS: tuple[VirtualRunKind, ...] = (
    VirtualRunKind(
        "ideal",
        "Ideal ranking",
        "The whole collection, highest relevance level first; models of one level in the order of the collection.",
        "Järvelin, Kekäläinen: Cumulated gain-based evaluation of IR techniques. ACM TOIS 20, 2002",
        takes_runs=False,
        needs_assessment=True,
    ),
    VirtualRunKind(
        "random",
        "Random ranking",
        "The whole collection in a random order for each query; the same seed gives the same lists.",
        "numpy.random.PCG64 with the seed and the number of the query",
        {"seed": "0"},
        takes_runs=False,
    ),
    VirtualRunKind(
        "geometry",
        "Rigid geometry",
        "Models by the distance of their surfaces under the best rotation that maps axes to axes, independent of size: "
        "evidence without a descriptor, not truth. It reads all files; models and queries without a mesh are not "
        "listed.",
        "Distance fields: Felzenszwalb, Huttenlocher. Theory of Computing 8, 2012; Chamfer distance of the nearest: "
        "Barrow et al. IJCAI 1977",
        takes_runs=False,
    ),
    VirtualRunKind(
        "oracle",
        "Best run per query",
        "For each query the list of the run with the best value of a measure; the first of equal ones.",
        "The virtual best solver of algorithm selection: Rice: The algorithm selection problem. Advances in Computers "
        "15, 1976",
        {"measure": "main measure of the profile"},
        needs_assessment=True,
    ),
    VirtualRunKind(
        "rrf",
        "Reciprocal rank fusion",
        "Sum over runs of weight / (k + rank); a run without the model adds 0.",
        "Cormack, Clarke, Büttcher: Reciprocal rank fusion outperforms Condorcet and individual rank learning methods. "
        "SIGIR 2009",
        {"k": str(RRF_K)},
        fuse=_reciprocal_rank,
    ),
    VirtualRunKind(
        "combsum",
        "CombSUM",
        "Sum over runs of weight times normalised score.",
        "Fox, Shaw: Combination of multiple searches. TREC-2, 1994; normalisation: Lee: Analyses of multiple evidence "
        "combination. SIGIR 1997",
        {"norm": "min-max"},
        fuse=_comb_sum,
    ),
    VirtualRunKind(
        "combmnz",
        "CombMNZ",
        "CombSUM times the number of runs whose list contains the model.",
        "Fox, Shaw: Combination of multiple searches. TREC-2, 1994; normalisation: Lee: Analyses of multiple evidence "
        "combination. SIGIR 1997",
        {"norm": "min-max"},
        fuse=_comb_mnz,
    ),
    VirtualRunKind(
        "borda",
        "Borda fuse",
        "Each run gives c points to its first of c candidates, c - 1 to the second …; candidates that it lacks share "
        "its other points equally. The candidates are all models in any of the lists.",
        "Aslam, Montague: Models for metasearch. SIGIR 2001",
        fuse=_borda,
    ),
    VirtualRunKind(
        "median",
        "Median rank",
        "Median over runs of the rank, weighted; a run without the model gives it the mean of the ranks after its "
        "list, up to the number of models in any of the lists.",
        "Fagin, Kumar, Sivakumar: Efficient similarity search and classification via rank aggregation. SIGMOD 2003",
        fuse=_median_rank,
    ),
    VirtualRunKind(
        "without",
        "Best run per query without participants",
        "The best run per query among all submitted runs but those of the participants. As an argument of another "
        "function: all submitted runs but theirs, rrf(without(A)).",
        "Leave-one-participant-out, as of pools: Zobel: How reliable are the results of large-scale information "
        "retrieval experiments? SIGIR 1998",
        {"measure": "main measure of the profile"},
        needs_assessment=True,
    ),
    VirtualRunKind(
        "csls",
        "Cross-domain similarity local scaling",
        "Reduces hubs of one run: twice the distance, less the mean distances of the query to its k nearest models and "
        "of the model to its k nearest queries.",
        "Conneau et al.: Word translation without parallel data. ICLR 2018",
        {"k": str(HUB_NEIGHBOURS)},
        rescale=_csls,
    ),
    VirtualRunKind(
        "local_scaling",
        "Local scaling",
        "Reduces hubs of one run: 1 - exp(-d² / (a b)), with the distances a of the query to its k-th nearest "
        "model and b of the model to its k-th nearest query.",
        "Zelnik-Manor, Perona: Self-tuning spectral clustering. NIPS 2004; Schnitzer et al.: Local and global scaling "
        "reduce hubs in space. JMLR 13, 2012",
        {"k": str(HUB_NEIGHBOURS)},
        rescale=_local_scaling,
    ),
    VirtualRunKind(
        "mutual_proximity",
        "Mutual proximity",
        "Reduces hubs of one run: 1 less the share of the models that are farther from the query, times the share of "
        "the queries that are farther from the model.",
        "Schnitzer et al.: Local and global scaling reduce hubs in space. JMLR 13, 2012, with independent empirical "
        "distributions",
        rescale=_mutual_proximity,
    ),
)

#: Options of all functions: number of models after which lists are cut off.
VIRTUAL_RUN_OPTIONS: Mapping[str, str] = {"depth": "all"}


def find_virtual_run(key: str) -> VirtualRunKind | None:
    """Row of `VIRTUAL_RUNS`; None for an unknown key."""
    return next((kind for kind in VIRTUAL_RUNS if kind.key == key.casefold()), None)


class _Parser:
    """Recursive descent over the characters of one expression."""

    def __init__(self, text: str) -> None:
        self._text, self._index = text, 0

    def parse(self) -> VirtualExpression:
        """The expression; VirtualRunError if there is none or something follows."""
        name, is_quoted = self._word()
        if is_quoted or self._peek() != "(":
            raise self._error("expected a function, as in rrf(A1, B2)")
        found = self._expression(name, 0, 1)
        if self._peek():
            raise self._error(f"unexpected '{self._peek()}'")
        return found

    def _expression(self, name: str, start: int, nesting: int) -> VirtualExpression:
        """The arguments of the function `name`; the current character is the opening parenthesis."""
        kind = find_virtual_run(name)
        if kind is None:
            known = [row.key for row in VIRTUAL_RUNS]
            raise self._error(f"unknown function '{name}'{_did_you_mean(name, known)}; there are: {', '.join(known)}")
        if nesting > MAX_NESTING:
            raise self._error(f"more than {MAX_NESTING} nested functions")
        operands: list[Operand] = []
        options: dict[str, str] = {}
        self._index += 1
        while self._peek() != ")":
            self._argument(kind, operands, options, nesting)
            if self._peek() == ",":
                self._index += 1
                if self._peek() == ")":
                    raise self._error("an argument is missing")
            elif self._peek() != ")":
                raise self._error(f"expected ',' or ')', not '{self._peek()}'" if self._peek() else "')' is missing")
        self._index += 1
        if kind.key == "without" and not operands:
            raise self._error("without() requires a participant")
        return VirtualExpression(self._text[start : self._index].strip(), kind, tuple(operands), options)

    def _argument(self, kind: VirtualRunKind, operands: list[Operand], options: dict[str, str], nesting: int) -> None:
        """Append one operand or one option."""
        self._peek()
        start = self._index
        if self._text[start : start + 1] == "*":
            self._index += 1
            self._require_runs(kind, "*")
            if kind.key == "without":
                raise self._error("'*' is no participant")
            operands.append(Operand("all"))
            return
        name, is_quoted = self._word()
        following = self._peek()
        if following == "=" and not is_quoted:
            self._index += 1
            self._option(kind, name, self._value(), options)
        elif following == "(" and not is_quoted:
            inner = self._expression(name, start, nesting + 1)
            self._require_runs(kind, inner.text)
            if kind.key == "without":
                raise self._error("the arguments of without() are participants")
            is_without = inner.kind.key == "without"
            names = tuple(operand.names[0] for operand in inner.operands) if is_without else ()
            if is_without and inner.options:
                raise self._error("without() inside of another function has no options")
            operand = Operand("without", names) if is_without else Operand("expression", expression=inner)
            operands.append(replace(operand, weight=self._weight()))
        elif not name and not is_quoted:
            raise self._error(f"unexpected '{following}'" if following else "')' is missing")
        elif kind.key == "random" and not is_quoted and name.isdecimal():
            self._option(kind, "seed", name, options)
        else:
            self._require_runs(kind, name)
            weight = 1.0 if kind.key == "without" else self._weight()
            operands.append(Operand("run", (name,), weight))

    def _require_runs(self, kind: VirtualRunKind, argument: str) -> None:
        if not kind.takes_runs:
            raise self._error(f"{kind.key}() has no arguments such as '{argument}'")

    def _option(self, kind: VirtualRunKind, name: str, value: str, options: dict[str, str]) -> None:
        known = {**kind.options, **VIRTUAL_RUN_OPTIONS}
        if name not in known:
            raise self._error(f"{kind.key}() has no option '{name}'; there are: {', '.join(known)}")
        if name in options:
            raise self._error(f"the option '{name}' is repeated")
        options[name] = value

    def _weight(self) -> float:
        if self._peek() != "*":
            return 1.0
        self._index += 1
        word, _ = self._word()
        try:
            weight = _number(word, "the weight")
        except ValueError as error:
            raise self._error(str(error)) from None
        if weight < 0:
            raise self._error(f"the weight must not be negative, not {word}")
        return weight

    def _peek(self) -> str:
        """The next character that is no blank; "" at the end."""
        while self._index < len(self._text) and self._text[self._index].isspace():
            self._index += 1
        return self._text[self._index : self._index + 1]

    def _word(self) -> tuple[str, bool]:
        """A name, and whether it is quoted; quotes are doubled inside of quotes."""
        quote = self._peek()
        if quote not in ('"', "'") or not quote:
            start = self._index
            while self._index < len(self._text) and self._text[self._index] not in "(),=*":
                self._index += 1
            return self._text[start : self._index].strip(), False
        start, parts = self._index, ""
        self._index += 1
        while True:
            end = self._text.find(quote, self._index)
            if end < 0:
                self._index = start
                raise self._error(f"{quote} is not closed")
            parts += self._text[self._index : end]
            self._index = end + 1
            if self._text[self._index : self._index + 1] != quote:
                return parts, True
            parts, self._index = parts + quote, self._index + 1

    def _value(self) -> str:
        """Value of an option: quoted, or up to a comma or parenthesis that is not inside of its own parentheses."""
        if self._peek() in ('"', "'") and self._peek():
            return self._word()[0]
        start, depth = self._index, 0
        while self._index < len(self._text):
            letter = self._text[self._index]
            if depth == 0 and letter in ",)":
                break
            depth += (letter == "(") - (letter == ")")
            self._index += 1
        return self._text[start : self._index].strip()

    def _error(self, reason: str) -> VirtualRunError:
        return VirtualRunError(self._text, f"{reason} (at character {min(self._index, len(self._text)) + 1})")


def parse_virtual_run(text: str) -> VirtualExpression:
    """Parse an expression.

    A function of `VIRTUAL_RUNS` with runs, options and other expressions as arguments. A run is its name; names with
    one of the characters ``(),=*"'`` are written in quotes, quotes inside of them doubled. ``A1*2`` weights a run,
    ``*`` is all submitted runs, and ``without(X)`` all submitted runs but those of a participant. Without runs, all
    submitted ones are used.

    Raises
    ------
    VirtualRunError
        With the position of the error.

    Examples
    --------
    >>> found = parse_virtual_run("rrf(A1*2, 'B (2)', k=10)")
    >>> found.kind.key, [operand.names[0] for operand in found.operands], found.options
    ('rrf', ['A1', 'B (2)'], {'k': '10'})
    """
    if len(text) > MAX_EXPRESSION:
        raise VirtualRunError(text, f"has {len(text):,} characters, more than {MAX_EXPRESSION:,}")
    if not text.strip():
        raise VirtualRunError(text, "is empty; expected a function, as in rrf(A1, B2)")
    return _Parser(text).parse()


def quoted_run_name(name: str) -> str:
    """A name of a run as it is written in an expression.

    Examples
    --------
    >>> quoted_run_name("A1"), quoted_run_name('M "2", new')
    ('A1', '"M ""2"", new"')
    """
    is_plain = name == name.strip() and name and not set(name) & set("(),=*\"'")
    return name if is_plain else '"' + name.replace('"', '""') + '"'


def is_expression(text: str) -> bool:
    """Whether a text looks like an expression: a function of `VIRTUAL_RUNS` and a parenthesis."""
    name, parenthesis, _ = text.partition("(")
    return bool(parenthesis) and find_virtual_run(name.strip()) is not None


def with_virtual_runs(
    benchmark: Benchmark,
    expressions: Sequence[str],
    profile: Profile,
    *,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Progress | None = None,
    map_files: "MapFiles | None" = None,
) -> Benchmark:
    """The benchmark with a virtual run for each expression, after its other runs; repeated expressions count once.

    Raises
    ------
    VirtualRunError
        If an expression has an error, or its name is that of a submitted run.
    ShrecViewerError
        If an expression needs a relevance assessment and there is none.
    """
    runs = [
        virtual_run(benchmark, expression, profile, cancelled=cancelled, progress=progress, map_files=map_files)
        for expression in dict.fromkeys(text.strip() for text in expressions)
    ]
    for run in runs:
        if any(other.name == run.name for other in benchmark.runs):
            raise VirtualRunError(run.name, "there is a run of this name")
    found = virtual_run_findings(benchmark, {run.name: run for run in runs}, benchmark.name, profile)
    return replace(benchmark, runs=(*benchmark.runs, *runs), findings=(*found, *benchmark.findings))


def virtual_run(
    benchmark: Benchmark,
    text: str,
    profile: Profile,
    *,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Progress | None = None,
    map_files: "MapFiles | None" = None,
) -> Run:
    """The run of an expression, named after it; lists contain the query itself like those of submitted runs.

    Parameters
    ----------
    benchmark : with the runs that the expression names.
    text : see `parse_virtual_run`.
    profile : its conventions define the order of ties, and which list is the best.
    cancelled : called once per query.
    progress : called with the number of files that were read, for functions that read files.
    map_files : reads them, here or on the workers of a cluster; None for here.
    """
    expression = parse_virtual_run(text)
    try:
        lists = _Computation(benchmark, profile, cancelled, progress, map_files).lists(expression)
    except (ValueError, UnknownKeyError) as error:
        raise VirtualRunError(text, str(error)) from None
    name = text.strip()
    return Run(name, VIRTUAL_PARTICIPANT, Path(), lists, expression=name)


def virtual_run_findings(
    benchmark: Benchmark, runs: Mapping[str, "Run | str"], file: str, profile: Profile
) -> tuple[Finding, ...]:
    """Errors about expressions that could not be computed, and warnings about files that a run could not use.

    Also where the run by rigid geometry fails.

    Parameters
    ----------
    benchmark : that the runs were computed from.
    runs : the run, or why there is none, by expression; see `computed_runs`.
    file : the project with the expressions, or the name of the benchmark, where errors are.
    profile : its conventions define where the run fails.
    """
    errors = [
        Finding(Severity.ERROR, file, None, found, "the run is left out", key=VIRTUAL_RUN_MISSING)
        for found in runs.values()
        if isinstance(found, str)
    ]
    unused = [(text, _unused_files(benchmark, run)) for text, run in runs.items() if isinstance(run, Run)]
    messages = [f"{text} cannot use {count_of(len(ids), 'file')}: {join_some(ids)}" for text, ids in unused if ids]
    action = "they are in no list; `shrec-viewer check` names what is wrong in damaged files"
    warnings = [Finding(Severity.WARNING, benchmark.name, None, message, action) for message in messages]
    geometry = runs.get(GEOMETRY)
    if not isinstance(geometry, Run):
        return (*errors, *warnings)
    note = evidence_note(weak_classes(replace(benchmark, runs=(geometry,)), profile))
    text = f"{GEOMETRY}: {note[:1].lower()}{note[1:].rstrip('.')}"
    action = "it marks what looks alike, and changes no score"
    return (*errors, *warnings, Finding(Severity.INFO, benchmark.name, None, text, action, key=GEOMETRY_EVIDENCE))


def _unused_files(benchmark: Benchmark, run: Run) -> list[str]:
    """Ids of the models and queries with a file that a run by their geometry does not have."""
    expression = parse_virtual_run(run.expression)
    if expression.kind.key != "geometry" or "depth" in expression.options or not isinstance(run.ranking, RankedLists):
        return []
    listed = set(np.unique(run.ranking.items).tolist())
    models, queries = benchmark.collection, benchmark.queries
    unused = [models.ids[item] for item, path in enumerate(models.paths) if path is not None and item not in listed]
    present = zip(queries.ids, queries.paths, run.present.tolist(), strict=True)
    return [*unused, *(name for name, path, is_present in present if path is not None and not is_present)]


def with_runs_of_project(
    benchmark: Benchmark,
    expressions: Sequence[str],
    profile: Profile,
    file: str,
    progress: Progress | None = None,
    map_files: "MapFiles | None" = None,
) -> Benchmark:
    """The benchmark with the virtual runs of the project `file`, and findings about those that cannot be computed."""
    found = computed_runs(benchmark, expressions, profile, progress=progress, map_files=map_files)
    runs = tuple(run for run in found.values() if isinstance(run, Run))
    findings = (*virtual_run_findings(benchmark, found, file, profile), *benchmark.findings)
    return replace(benchmark, runs=(*benchmark.runs, *runs), findings=findings)


def computed_runs(
    benchmark: Benchmark,
    expressions: Sequence[str],
    profile: Profile,
    *,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Progress | None = None,
    map_files: "MapFiles | None" = None,
) -> dict[str, Run | str]:
    """The run of each expression, or why it cannot be computed; the other expressions do not depend on it."""
    found: dict[str, Run | str] = {}
    for text in dict.fromkeys(expressions):
        try:
            found[text] = virtual_run(
                benchmark, text, profile, cancelled=cancelled, progress=progress, map_files=map_files
            )
        except (ShrecViewerError, MemoryError) as error:
            found[text] = str(error) or f"virtual run '{text}': not enough memory"
    return found


def virtual_run_inputs(benchmark: Benchmark, text: str, profile: Profile) -> tuple[object, ...]:
    """What the lists of an expression depend on: while all objects are the same, so are the lists.

    For an expression with an error, these are all runs: one that it names may be added later.
    """
    try:
        runs, needs_assessment = _Computation(benchmark, profile).inputs(parse_virtual_run(text))
    except (ValueError, ShrecViewerError):
        runs, needs_assessment = list(benchmark.runs), True
    assessment = benchmark.assessment if needs_assessment else None
    return (benchmark.collection, benchmark.queries, profile, assessment, *runs)


def reads_files(text: str) -> bool:
    """Whether an expression reads the files of models and queries."""
    return re.search(r"\bgeometry\s*\(", text) is not None


def cost_text(benchmark: Benchmark, text: str) -> str:
    """How long an expression takes, for display; "" for less than `COST_SHOWN_S`."""
    if not reads_files(text):
        return ""
    from shrec_viewer.evaluation.rigid_distances import expected_cost

    cost = expected_cost(benchmark)
    return f"It {cost.text}." if cost.seconds >= COST_SHOWN_S else ""


def check_virtual_run(benchmark: Benchmark, text: str, profile: Profile) -> None:
    """Check an expression, its runs and its options without computing its lists.

    Raises
    ------
    VirtualRunError
        If `virtual_run` would raise it.
    """
    expression = parse_virtual_run(text)
    computation = _Computation(benchmark, profile)
    try:
        _, needs_assessment = computation.inputs(expression)
        computation.check_options(expression)
        if needs_assessment and benchmark.assessment is None:
            raise ValueError("there is no relevance assessment")
    except (ValueError, UnknownKeyError) as error:
        raise VirtualRunError(text, str(error)) from None


def expression_text(key: str, operands: Sequence[tuple[str, str]], options: Mapping[str, str]) -> str:
    """An expression of a function; weights of "1" and options of "" are left out.

    Parameters
    ----------
    operands : each as it is written in an expression, see `quoted_run_name`, with its weight.

    Examples
    --------
    >>> expression_text("rrf", [("A1", "2"), ('"B (2)"', "1")], {"k": "10", "depth": ""})
    'rrf(A1*2, "B (2)", k=10)'
    """
    weighted = [name if weight in ("", "1") else f"{name}*{weight}" for name, weight in operands]
    return f"{key}({', '.join([*weighted, *_option_texts(options)])})"


def _option_texts(options: Mapping[str, str]) -> list[str]:
    """``["k=10"]``; values with characters that end them are quoted."""
    return [
        f"{name}={text if PLAIN_OPTION.fullmatch(text) else quoted_run_name(text)}"
        for name, text in options.items()
        if text
    ]


def with_renamed_run(text: str, before: str, after: str) -> str:
    """An expression with another name of one of its runs; unchanged if it does not contain it or has an error.

    Participants of ``without`` are no runs.

    Examples
    --------
    >>> with_renamed_run("rrf(A1*2, combsum(A1, B2), k=10)", "A1", "Mine, new")
    'rrf("Mine, new"*2, combsum("Mine, new", B2), k=10)'
    """
    try:
        expression = parse_virtual_run(text)
    except VirtualRunError:
        return text
    return _renamed(expression, before, after) if before in source_names(expression) else text


def source_names(expression: VirtualExpression) -> frozenset[str]:
    """Names of the runs that an expression contains, also nested; without those that ``*`` and ``without`` refer to."""
    names: frozenset[str] = frozenset()
    for operand in expression.operands:
        if operand.expression is not None:
            names |= source_names(operand.expression)
        elif operand.kind == "run" and expression.kind.key != "without":
            names |= frozenset(operand.names)
    return names


def _renamed(expression: VirtualExpression, before: str, after: str) -> str:
    is_of_participants = expression.kind.key == "without"
    texts: list[tuple[str, str]] = []
    for operand in expression.operands:
        if operand.expression is not None:
            text = _renamed(operand.expression, before, after)
        elif operand.kind == "all":
            text = "*"
        elif operand.kind == "without":
            text = f"without({', '.join(map(quoted_run_name, operand.names))})"
        else:
            name = operand.names[0]
            text = quoted_run_name(after if name == before and not is_of_participants else name)
        texts.append((text, f"{operand.weight:.12g}"))
    return expression_text(expression.kind.key, texts, expression.options)


class _Computation:
    """Computes the lists of expressions under one profile."""

    def __init__(
        self,
        benchmark: Benchmark,
        profile: Profile,
        cancelled: Callable[[], bool] = never_cancelled,
        progress: Progress | None = None,
        map_files: "MapFiles | None" = None,
    ) -> None:
        self._benchmark, self._profile, self._progress, self._map_files = benchmark, profile, progress, map_files
        self._checkpoint = make_checkpoint(cancelled)
        # As submitted: the query itself, junk and all ranks are kept, since evaluation applies these conventions again.
        as_submitted = {"self_match": "keep", "junk": "not relevant", "list_cut": None}
        self._as_submitted = with_conventions(profile, as_submitted)
        self._submitted = [run for run in benchmark.runs if not run.expression]

    def lists(self, expression: VirtualExpression) -> RankedLists:
        """The lists of one expression."""
        kind, options = expression.kind, expression.options
        depth = self._depth(options)
        if kind.key == "ideal":
            return self._ideal(depth)
        if kind.key == "random":
            return self._random(depth, _whole_number(options.get("seed", "0"), "seed"))
        if kind.key == "geometry":
            return self._geometry(depth)
        operands = expression.operands
        if kind.key == "without":
            operands = (Operand("without", tuple(operand.names[0] for operand in operands)),)
        runs = [pair for operand in operands or (Operand("all"),) for pair in self._runs(operand)]
        if kind.rescale is not None:
            return self._rescaled(kind.rescale, list({run.name: run for run, _ in runs}.values()), depth, options)
        if kind.fuse is None:
            return self._best(list({run.name: run for run, _ in runs}.values()), depth, options.get("measure"))
        if not any(weight > 0 for _, weight in runs):
            raise ValueError(ZERO_WEIGHTS)
        return self._fused(kind.fuse, [pair for pair in runs if pair[1] > 0], depth, options)

    def check_options(self, expression: VirtualExpression) -> None:
        """Raise ValueError or UnknownKeyError for an invalid value of an option, also in nested expressions."""
        kind, options = expression.kind, expression.options
        self._depth(options)
        _whole_number(options.get("seed", "0"), "seed")
        if "measure" in options:
            _best_measure(options["measure"])
        if kind.rescale is not None:
            _neighbours(options)
        if kind.fuse is not None:
            kind.fuse([SourceList(np.zeros(0, np.int32), np.zeros(0), 1.0)], 0, options)
            if expression.operands and not any(operand.weight > 0 for operand in expression.operands):
                raise ValueError(ZERO_WEIGHTS)
        for operand in expression.operands:
            if operand.expression is not None:
                self.check_options(operand.expression)

    def _depth(self, options: Mapping[str, str]) -> int:
        """Number of models after which lists are cut off."""
        depth = _whole_number(options["depth"], "depth") if "depth" in options else len(self._benchmark.collection)
        if depth < 1:
            raise ValueError("depth must be at least 1")
        n_entries = len(self._benchmark.queries) * min(depth, len(self._benchmark.collection))
        if n_entries > MAX_ENTRIES:
            most = MAX_ENTRIES // max(len(self._benchmark.queries), 1)
            raise ValueError(f"the lists would have {n_entries:,} entries; shorten them with depth={most} or less")
        return depth

    def inputs(self, expression: VirtualExpression) -> tuple[list[Run], bool]:
        """The submitted runs that an expression is computed from, and whether it depends on the assessment."""
        kind = expression.kind
        needs_assessment = kind.needs_assessment
        operands = expression.operands
        if kind.key == "without":
            operands = (Operand("without", tuple(operand.names[0] for operand in operands)),)
        runs: dict[str, Run] = {}
        for operand in operands or ((Operand("all"),) if kind.takes_runs else ()):
            if operand.expression is not None:
                inner, is_needed = self.inputs(operand.expression)
                runs |= {run.name: run for run in inner}
                needs_assessment |= is_needed
            else:
                runs |= {run.name: run for run, _ in self._runs(operand)}
        return list(runs.values()), needs_assessment

    def _runs(self, operand: Operand) -> list[tuple[Run, float]]:
        """The runs of an operand with their weights."""
        if operand.expression is not None:
            inner = operand.expression
            run = Run(inner.text, VIRTUAL_PARTICIPANT, Path(), self.lists(inner), expression=inner.text)
            return [(run, operand.weight)]
        runs = self._submitted
        if operand.kind == "run":
            runs = [run for run in self._benchmark.runs if run.name == operand.names[0]]
            if not runs:
                raise _unknown("run", operand.names[0], [run.name for run in self._submitted])
        elif operand.kind == "without":
            participants = list(dict.fromkeys(run.participant for run in runs))
            for name in operand.names:
                if name not in participants:
                    raise _unknown("participant", name, participants)
            runs = [run for run in runs if run.participant not in operand.names]
        if not runs:
            raise ValueError("there are no runs to combine")
        return [(run, operand.weight) for run in runs]

    def _ideal(self, depth: int) -> RankedLists:
        assessment = self._benchmark.assessment
        if assessment is None:
            raise ShrecViewerError(
                f"'{self._benchmark.name}' has no relevance assessment: the ideal ranking is unknown"
            )
        rows = []
        for query in range(len(self._benchmark.queries)):
            self._checkpoint()
            gains = assessment.gains(query, len(self._benchmark.collection))
            rows.append(np.argsort(-gains.astype(np.int16), kind="stable")[:depth].astype(np.int32))
        return _as_ranked_lists(rows)

    def _random(self, depth: int, seed: int) -> RankedLists:
        rows = []
        for query in range(len(self._benchmark.queries)):
            self._checkpoint()
            # One generator per query, so that a query has the same list in a part of the benchmark.
            order = np.random.default_rng([seed, query]).permutation(len(self._benchmark.collection))
            rows.append(order[:depth].astype(np.int32))
        return _as_ranked_lists(rows)

    def _geometry(self, depth: int) -> RankedLists:
        # Imported here: it starts processes, which other expressions do not need.
        from shrec_viewer.evaluation.rigid_distances import map_files_here, rigid_distances
        from shrec_viewer.formats.meshes.mesh_reader import read_mesh
        from shrec_viewer.render.thumbnails.cache import ThumbnailCache, cache_folder

        cache = ThumbnailCache(cache_folder())
        try:
            distances = rigid_distances(
                self._benchmark, read_mesh, self._checkpoint, self._progress, cache, self._map_files or map_files_here
            )
        finally:
            cache.close()
        known = np.isfinite(distances)
        if not known.any():
            raise ValueError("no query and model have meshes that can be read")
        lengths = np.minimum(known.sum(axis=1), depth)
        orders = [np.argsort(row, kind="stable")[:n] for row, n in zip(distances, lengths, strict=True)]
        rows = [order.astype(np.int32) if len(order) else None for order in orders]
        of_lists = [row[order] for row, order in zip(distances, orders, strict=True)]
        return _as_ranked_lists(rows, np.concatenate(of_lists).astype(np.float64), by_score=True)

    def _best(self, runs: Sequence[Run], depth: int, measure: str | None) -> RankedLists:
        chosen = _best_measure(measure or self._profile.headline)
        scores = evaluate(replace(self._benchmark, runs=tuple(runs)), self._profile, measures=[chosen.key])
        values = scores.values[:, :, 0] * (-1.0 if chosen.better == "lower" else 1.0)
        # Undefined values, as of queries without relevant models, are after all others, and missing lists last.
        values = np.where(np.isnan(values), np.where(scores.missing, -np.inf, -1e300), values)
        best = np.argmax(values, axis=0) if len(runs) else np.zeros(0, np.int64)
        rows: list[NDArray[np.int32] | None] = []
        distances: list[NDArray[np.float64]] = []
        for query, index in enumerate(best.tolist()):
            self._checkpoint()
            if not runs[index].present[query]:
                rows.append(None)
                continue
            items, of_items = self._copied_list(runs[index], query)
            rows.append(items[:depth])
            distances.append(of_items[:depth])
        is_similarity = all(run.ranking.similarity for run in runs)
        return _as_ranked_lists(rows, np.concatenate([np.zeros(0), *distances]), similarity=is_similarity)

    def _copied_list(self, run: Run, query: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The list of a run as a list in the order of its lines, with the same hits under the profile."""
        ranking = run.ranking
        if isinstance(ranking, RankedLists) and not ranking.by_score:
            # With repeated and unknown ids, which the profile counts or removes later.
            rows = ranking.rows(query)
            items = ranking.items[rows]
            return items, np.full(len(items), np.nan) if ranking.distances is None else ranking.distances[rows]
        found = ranked_list(self._benchmark, run, query, self._as_submitted)
        return found.items, _as_distances(run, found)

    def _fused(
        self, fuse: Fuse, runs: Sequence[tuple[Run, float]], depth: int, options: Mapping[str, str]
    ) -> RankedLists:
        rows: list[NDArray[np.int32] | None] = []
        distances: list[NDArray[np.float64]] = []
        for query in range(len(self._benchmark.queries)):
            self._checkpoint()
            lists = [self._source_list(run, query, weight) for run, weight in runs if run.present[query]]
            if not lists:
                rows.append(None)
                continue
            items, scores = fuse(lists, len(self._benchmark.collection), options)
            order = np.argsort(-scores, kind="stable")[:depth]
            rows.append(items[order])
            distances.append(-scores[order])
        return _as_ranked_lists(rows, np.concatenate([np.zeros(0), *distances]), by_score=True, similarity=True)

    def _rescaled(self, rescale: Rescale, runs: Sequence[Run], depth: int, options: Mapping[str, str]) -> RankedLists:
        if len(runs) != 1:
            raise ValueError("it takes one run")
        (run,), n_models = runs, len(self._benchmark.collection)
        items: list[NDArray[np.int32] | None] = []
        distances = np.full((len(self._benchmark.queries), n_models), np.nan, np.float32)
        for query in range(len(distances)):
            self._checkpoint()
            found = ranked_list(self._benchmark, run, query, self._as_submitted)
            known = found.items >= 0
            items.append(found.items[known] if run.present[query] else None)
            distances[query, found.items[known]] = _as_distances(run, found)[known]
        if not np.isfinite(distances).any():
            raise ValueError(f"run '{run.name}' has no distances")
        distances[~np.isfinite(distances)] = np.nan
        others, member = distances.copy(), self._benchmark.queries.member
        itself = np.flatnonzero(member >= 0)
        others[itself, member[itself]] = np.nan
        rescaled = rescale(distances, others, options)
        rows: list[NDArray[np.int32] | None] = []
        values: list[NDArray[np.float64]] = []
        for query, listed in enumerate(items):
            if listed is None:
                rows.append(None)
                continue
            order = np.argsort(rescaled[query, listed], kind="stable")[:depth]  # NaN last, in the order of the list
            rows.append(listed[order])
            values.append(rescaled[query, listed[order]].astype(np.float64))
        return _as_ranked_lists(rows, np.concatenate([np.zeros(0), *values]))

    def _source_list(self, run: Run, query: int, weight: float) -> SourceList:
        found = ranked_list(self._benchmark, run, query, self._as_submitted)
        known = found.items >= 0
        items, distances = found.items[known], _as_distances(run, found)[known]
        is_finite = np.isfinite(distances)
        # NaN and infinite distances are last in a list; they have the worst score, since they would spoil all others.
        if is_finite.any() and np.all(np.diff(distances[is_finite]) >= 0) and not np.any(np.diff(~is_finite * 1) < 0):
            return SourceList(items, -np.where(is_finite, distances, distances[is_finite].max()), weight)
        return SourceList(items, -np.arange(1.0, len(items) + 1.0), weight)


def _as_distances(run: Run, found: RankedList) -> NDArray[np.float64]:
    """Distances of a list, smaller is nearer; negative where the run has similarities."""
    finite = found.distances[np.isfinite(found.distances)]
    is_similarity = run.ranking.similarity
    if isinstance(run.ranking, RankedLists) and not is_similarity:
        # Rank lists do not state what their numbers are: those that fall from line to line are similarities.
        is_similarity = len(finite) > 1 and finite[-1] < finite[0] and bool(np.all(np.diff(finite) <= 0))
    return -found.distances if is_similarity else found.distances


def _as_ranked_lists(
    rows: Sequence[NDArray[np.int32] | None],
    distances: NDArray[np.float64] | None = None,
    *,
    by_score: bool = False,
    similarity: bool = False,
) -> RankedLists:
    """Lists of models, None for a missing one, and the distances of all of them."""
    lengths = [0 if row is None else len(row) for row in rows]
    has_distances = distances is not None and not np.isnan(distances).all()
    return RankedLists(
        indptr=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        items=np.concatenate([np.zeros(0, np.int32), *(row for row in rows if row is not None)]).astype(np.int32),
        distances=distances if has_distances else None,
        present=np.array([row is not None for row in rows], np.bool_),
        by_score=by_score and has_distances,
        similarity=similarity and has_distances,
    )


def _best_measure(key: str) -> ResolvedMeasure:
    """A measure by which lists can be ordered; ValueError or UnknownKeyError for any other key."""
    found = find_measure(key)
    if found.better == "none":
        raise ValueError(f"neither higher nor lower values of {found.key} are better")
    return found


def _number(text: str, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a number, not '{text}'")
    return value


def _whole_number(text: str, name: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise ValueError(f"{name} must be a whole number, not '{text}'")
    return int(text)


def _unknown(what: str, name: str, known: Sequence[str]) -> ValueError:
    listed = ", ".join(known[:20]) + (", …" if len(known) > 20 else "")
    return ValueError(f"there is no {what} '{name}'{_did_you_mean(name, known)}; there are: {listed or 'none'}")


def _did_you_mean(word: str, known: Sequence[str]) -> str:
    folded = {name.casefold(): name for name in known}
    similar = get_close_matches(word.casefold(), list(folded), n=1, cutoff=0.6)
    return f" (do you mean '{folded[similar[0]]}'?)" if similar else ""
