"""Checks of the ranked lists of a run: unknown and duplicate ids, missing queries, list lengths, ties."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import RankedLists, Severity
from shrec_viewer.formats.core.findings_log import (
    MISSING_ACTION,
    MISSING_QUERY,
    TIED_ACTION,
    TIED_RANKS,
    UNKNOWN_ACTION,
    UNKNOWN_ID,
    FindingsLog,
    count_of,
    join_some,
)
from shrec_viewer.formats.core.ids import AMBIGUOUS, RuleCounts, natural_key, without_extension
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.io.text import is_number


@dataclass(frozen=True, eq=False)
class ParsedList:
    """One list of a run, its words understood.

    Attributes
    ----------
    path : file it stands in.
    words : (n,) ids as written, best first.
    items : (n,) int32, models, -1 for unknown ones.
    distances : (n,) float64, NaN where the file gives no number; None where it has no such column.
    values : (n,) the distances as written; empty for None.
    lines : (n,) int32, 1-based line of each; of an empty list, its own line where it has one.
    name : of the query, where the list says it (in its first line, or its row).
    exchanged : the columns stand the other way round than in the other lists of the run.
    blank, comments, odd : lines left out.
    """

    path: Path
    words: Sequence[str]
    items: NDArray[np.int32]
    distances: NDArray[np.float64] | None
    values: Sequence[str]
    lines: NDArray[np.int32]
    name: str | None = None
    exchanged: bool = False
    blank: tuple[int, ...] = ()
    comments: tuple[int, ...] = ()
    odd: tuple[int, ...] = ()


@dataclass(frozen=True)
class ListFault:
    """Something odd in one list: where it occurs first, and how often in this list."""

    severity: Severity
    line: int | None
    message: str
    action: str
    count: int = 1
    key: str = ""


def check_empty(found: ParsedList) -> ListFault | None:
    """No model at all."""
    if len(found.words):
        return None
    of_query = f" of '{found.name}'" if found.name is not None else ""
    line = int(found.lines[0]) if len(found.lines) else None
    return ListFault(Severity.WARNING, line, f"the list{of_query} is empty", "nothing counts as retrieved")


def check_swapped_columns(found: ParsedList) -> ListFault | None:
    """Columns the other way round than in the other lists."""
    if not found.exchanged:
        return None
    return ListFault(Severity.WARNING, 1, "the columns stand the other way round than in other lists", "read so")


def check_unknown_ids(found: ParsedList) -> ListFault | None:
    """Ids that no model has."""
    places = np.flatnonzero(found.items < 0)
    if not len(places):
        return None
    message = f"unknown id '{found.words[places[0]]}' at rank {places[0] + 1}"
    return ListFault(Severity.WARNING, int(found.lines[places[0]]), message, UNKNOWN_ACTION, len(places), UNKNOWN_ID)


def check_duplicates(found: ParsedList) -> ListFault | None:
    """Models that stand more than once."""
    if not len(found.items) or np.bincount(found.items + 1)[1:].max(initial=0) < 2:
        return None
    first: dict[int, int] = {}
    again = [
        (place, item)
        for place, item in enumerate(found.items.tolist())
        if item >= 0 and first.setdefault(item, place) != place
    ]
    place, item = again[0]
    message = f"'{found.words[place]}' stands at rank {first[item] + 1} and again at rank {place + 1}"
    action = "the first counts, later ones are left out"
    return ListFault(Severity.WARNING, int(found.lines[place]), message, action, len(again))


def _bad_distances(found: ParsedList, *, words: bool) -> list[int]:
    if found.distances is None:
        return []
    places = np.flatnonzero(np.isnan(found.distances)).tolist()
    return [place for place in places if is_number(found.values[place]) != words]


def check_non_numeric(found: ParsedList) -> ListFault | None:
    """Distances that are words."""
    places = _bad_distances(found, words=True)
    if not places:
        return None
    value = found.values[places[0]]
    hint = " (a comma in it)" if "," in value else ""
    message = f"the distance '{value[:40]}' of '{found.words[places[0]]}' at rank {places[0] + 1} is no number{hint}"
    return ListFault(Severity.WARNING, int(found.lines[places[0]]), message, "it keeps its rank", len(places))


def check_nan(found: ParsedList) -> ListFault | None:
    """Distances that are ``nan``."""
    places = _bad_distances(found, words=False)
    if not places:
        return None
    message = f"the distance of '{found.words[places[0]]}' at rank {places[0] + 1} is '{found.values[places[0]]}'"
    action = "it keeps its rank: the order of the lines counts"
    return ListFault(Severity.WARNING, int(found.lines[places[0]]), message, action, len(places))


def check_blank_lines(found: ParsedList) -> ListFault | None:
    """Blank lines."""
    if not found.blank:
        return None
    return ListFault(Severity.INFO, found.blank[0], "blank line", "passed over", len(found.blank))


def check_comments(found: ParsedList) -> ListFault | None:
    """Lines beginning with ``#``."""
    if not found.comments:
        return None
    return ListFault(Severity.INFO, found.comments[0], "comment", "passed over", len(found.comments))


def check_malformed_lines(found: ParsedList) -> ListFault | None:
    """Lines of another format."""
    if not found.odd:
        return None
    message = "neither an id nor an id and its distance"
    return ListFault(Severity.ERROR, found.odd[0], message, "the line is left out", len(found.odd))


def check_descending(found: ParsedList) -> ListFault | None:
    """Distances smaller than that of the model before; unknown and repeated ids do not count."""
    distances = found.distances
    if distances is None or not (np.isnan(distances).any() or np.any(distances[1:] < distances[:-1])):
        return None
    first = np.zeros(len(found.items), bool)
    first[np.unique(found.items, return_index=True)[1]] = True
    places = np.flatnonzero(~np.isnan(distances) & first & (found.items >= 0))
    values = distances[places]
    falls = places[1:][values[1:] < values[:-1]]
    if not len(falls):
        return None
    place = int(falls[0])
    nearer = f"'{found.words[place]}' at rank {place + 1} is nearer than the model before it"
    message = f"the distances do not rise: {nearer}"
    action = "the order of the lines counts"
    return ListFault(Severity.WARNING, int(found.lines[place]), message, action, len(falls))


ListCheck = Callable[[ParsedList], ListFault | None]

LIST_CHECKS: tuple[ListCheck, ...] = (
    check_empty,
    check_swapped_columns,
    check_unknown_ids,
    check_duplicates,
    check_non_numeric,
    check_nan,
    check_blank_lines,
    check_comments,
    check_malformed_lines,
    check_descending,
)
"""All checks, in the order in which findings are written down."""


WARNING_SHARE = 0.5
"""Share of tied ranks from which the scores say more about the rule for ties than about the method."""

MIN_PRINTED_SHARE = 0.0005
"""Share that is not 0.0% when it is rounded."""

MAX_SAMPLED_ROWS = 256
"""Rows of a matrix that are sorted for it: a second for the largest track."""


def count_tied_ranks(ordered: NDArray[np.floating]) -> int:
    """How many of (n,) ordered distances equal a neighbour; NaN equals nothing."""
    same = ordered[1:] == ordered[:-1]
    tied = np.zeros(len(ordered), bool)
    tied[1:] |= same
    tied[:-1] |= same
    return int(tied.sum())


def log_ties(
    path: Path, lists: Iterable[NDArray[np.floating]], findings_log: FindingsLog, *, ranked_by_line: bool = False
) -> None:
    """Write down the share of tied ranks over some ordered lists, if there are any: one finding.

    `ranked_by_line`: the order of the lines is the ranking, so that ties are odd but cost nothing.
    """
    tied = total = 0
    for ordered in lists:
        tied += count_tied_ranks(ordered)
        total += len(ordered)
    if not tied:
        return
    share = tied / total
    severity = Severity.WARNING if share >= WARNING_SHARE and not ranked_by_line else Severity.INFO
    told = f"{share:.1%} of the" if share >= MIN_PRINTED_SHARE else f"{tied:,} of {total:,}"
    message = f"{told} ranks are tied: the distance equals that of a neighbour"
    action = "the order of the lines decides" if ranked_by_line else TIED_ACTION
    findings_log.note(severity, path, message, action, key="" if ranked_by_line else TIED_RANKS)


def sorted_sample_rows(values: NDArray[np.floating]) -> Iterable[NDArray[np.floating]]:
    """Some rows of a matrix, sorted."""
    for row in range(0, len(values), max(1, -(-len(values) // MAX_SAMPLED_ROWS))):
        yield np.sort(np.asarray(values[row], np.float64))


MAX_SEPARATE_FINDINGS = 5
"""Lists with the same fault that are named one by one; the same in more lists is one finding."""

COMMON_RULE_SHARE = 0.5
"""Share of a run's ids from which a way to write them is the run's own, and not a slip."""

MAX_NAMED_MODELS = 12
"""Models that a sentence names."""


@dataclass(frozen=True, eq=False)
class CheckedList:
    """One list of a run, without its words: a large contest's run has ten million.

    Attributes
    ----------
    path : file it stands in.
    items, distances : see `ParsedList`.
    name : the first line, where it holds the name of the query.
    example : the first id as written, "" for an empty list.
    faults : outcome of each of CHECKS.
    turned : the numbers fall from line to line; None where they neither rise nor fall.
    """

    path: Path
    items: NDArray[np.int32]
    distances: NDArray[np.float64] | None
    name: str | None
    example: str
    faults: tuple[ListFault | None, ...]
    turned: bool | None


CheckedLists = Mapping[int, CheckedList]


def check_list(found: ParsedList) -> CheckedList:
    """A list, looked through."""
    faults = tuple(check(found) for check in LIST_CHECKS)
    example = found.words[0] if len(found.words) else ""
    return CheckedList(found.path, found.items, found.distances, found.name, example, faults, _is_descending(found))


def _is_descending(found: ParsedList) -> bool | None:
    if found.distances is None:
        return None
    values = found.distances[~np.isnan(found.distances)]
    if len(values) < 2 or values[0] == values[-1]:
        return None
    return bool(np.all(values[1:] <= values[:-1]))


def are_similarities(answers: CheckedLists) -> bool:
    """Whether the second number falls from line to line in every list, so that larger is nearer."""
    told = [found.turned for found in answers.values() if found.turned is not None]
    return bool(told) and all(told)


def log_faults(run: Path, answers: CheckedLists, context: ReadContext, passed_over: Sequence[ListCheck] = ()) -> None:
    """Write down what CHECKS found, but for some of them."""
    for place, check in enumerate(LIST_CHECKS):
        if check not in passed_over:
            found = [(answer.path, fault) for answer in answers.values() if (fault := answer.faults[place]) is not None]
            _log_fault(found, len(answers), context)


def _log_fault(found: list[tuple[Path, ListFault]], n_lists: int, context: ReadContext) -> None:
    note = context.findings_log.note
    if len(found) <= MAX_SEPARATE_FINDINGS:
        for path, fault in found:
            note(fault.severity, path, fault.message, fault.action, line=fault.line, count=fault.count, key=fault.key)
        return
    path, first = found[0]
    message = f"in {len(found):,} of {count_of(n_lists, 'list')}, here first: {first.message}"
    total = sum(fault.count for _, fault in found)
    note(first.severity, path, message, first.action, line=first.line, count=total, key=first.key)


def log_match_rules(run: Path, rules: RuleCounts, context: ReadContext, total: int) -> None:
    """Ids that are not written as in the collection: one finding for each rule; odd where a few of `total` are."""
    for rule, (count, word) in rules.items():
        if rule == AMBIGUOUS:
            context.findings_log.error(run, f"'{word}' may mean several models", "read as an unknown id", count=count)
            continue
        model = context.collection.ids[context.items.place(word)]
        note = context.findings_log.info if count >= COMMON_RULE_SHARE * total else context.findings_log.warning
        others = "" if count >= COMMON_RULE_SHARE * total else ", while most are written otherwise"
        note(run, f"ids match {rule}: '{word}' is '{model}'{others}", "read so", count=count)


def log_query_match_rules(run: Path, names: Iterable[str], context: ReadContext) -> None:
    """Queries that are not written as elsewhere: one finding for each rule. A file's extension means nothing."""
    rules: RuleCounts = {}
    context.query_ids.places([without_extension(name) for name in names], rules)
    for rule, (count, word) in rules.items():
        if rule == AMBIGUOUS:
            context.findings_log.error(run, f"'{word}' may mean several queries", "left out", count=count)
        elif (place := context.query_ids.place(word)) >= 0:
            message = f"queries match {rule}: '{word}' is '{context.queries.ids[place]}'"
            context.findings_log.info(run, message, "read so", count=count)


def log_tied_lists(run: Path, answers: CheckedLists, context: ReadContext, *, ranked_by_line: bool) -> None:
    """Distances that equal their neighbours': one finding for the run."""
    numbered = (found.distances for found in answers.values() if found.distances is not None)
    log_ties(run, numbered, context.findings_log, ranked_by_line=ranked_by_line)


def log_missing_queries(run: Path, answers: CheckedLists, context: ReadContext) -> None:
    """Queries to which the run has no answer: one finding."""
    missing = [name for query, name in enumerate(context.queries.ids) if query not in answers]
    if not missing:
        return
    message = f"{count_of(len(missing), 'query has', 'queries have')} no list: {join_some(missing)}"
    context.findings_log.warning(run, message, MISSING_ACTION, key=MISSING_QUERY)


def log_list_lengths(run: Path, answers: CheckedLists, context: ReadContext) -> None:
    """Lists that end early: one finding for the run."""
    n_models = len(context.collection)
    seen = np.zeros(n_models, bool)
    lengths = []
    for found in answers.values():
        named = np.zeros(n_models, bool)
        named[found.items[found.items >= 0]] = True
        lengths.append(int(named.sum()))
        seen |= named
    complete = context.n_listable - context.queries.are_the_collection
    if not lengths or min(lengths) >= complete:
        return
    longest, shortest = max(lengths), min(lengths)
    span = f"{shortest:,}" if longest == shortest else f"{shortest:,} to {longest:,}"
    kind = "models with a file" if len(context.models_with_file) else "models"
    message = f"the lists name {span} of {context.n_listable:,} {kind}"
    never = [place for place in np.flatnonzero(~seen) if context.has_file[place]]
    never.sort(key=lambda place: natural_key(context.collection.ids[place]))
    if longest == shortest and len(never) == context.n_listable - longest <= MAX_NAMED_MODELS:
        message += f", never {join_some([context.collection.ids[place] for place in never], MAX_NAMED_MODELS)}"
    context.findings_log.info(run, message, "models not listed count as not retrieved")


def to_ranked_lists(
    answers: CheckedLists, n_queries: int, *, negative: bool = False, by_score: bool = False
) -> RankedLists:
    """Lists of some queries as one record; queries without a list are not present.

    `negative`: the numbers are similarities, their negatives become the distances.
    """
    queries = list(answers)
    present = np.zeros(n_queries, bool)
    present[queries] = True
    lengths = np.zeros(n_queries, np.int64)
    lengths[queries] = [len(found.items) for found in answers.values()]
    distances = None
    if any(found.distances is not None for found in answers.values()):
        parts = [np.full(len(f.items), np.nan) if f.distances is None else f.distances for f in answers.values()]
        distances = np.concatenate(parts) * (-1.0 if negative else 1.0)
    items = [found.items for found in answers.values()]
    return RankedLists(
        np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        np.concatenate(items) if items else np.zeros(0, np.int32),
        distances,
        present,
        by_score,
    )
