"""Checks of the ranked lists of a run: ids matched by prefix, suffix or number, unknown and duplicate ids."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceRows, Finding, NumberedIds, RankedLists, Severity
from shrec_viewer.formats.core.findings_log import (
    MAX_SEPARATE_FINDINGS,
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
from shrec_viewer.formats.core.ids import (
    AMBIGUOUS,
    IdIndex,
    RuleCounts,
    natural_key,
    natural_sorted,
    trailing_numbers,
    without_extension,
)
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.run_checks import MAX_FLOAT32, UnusualValues, are_usual
from shrec_viewer.formats.io.text import is_number
from shrec_viewer.number_format import format_percent


@dataclass(frozen=True, eq=False)
class ParsedList:
    """One list of a run, with its ids matched.

    Attributes
    ----------
    path : its file.
    words : (n,) ids as written, best first.
    items : (n,) int32, models, -1 for unknown ones.
    distances : (n,) float64, NaN for a value that is not a number; None for a list without distances.
    values : (n,) the distances as written; empty for None.
    lines : (n,) int32, 1-based line of each; of an empty list, its own line if there is one.
    name : of the query, if it is in the list (in its first line, or its row).
    is_swapped : the columns are in reverse order compared with the other lists of the run.
    blank, comments, malformed : 1-based numbers of ignored lines; malformed ones are not of the format.
    lacks_line_end : no line end follows the last line.
    """

    path: Path
    words: Sequence[str] | NDArray[np.object_]
    items: NDArray[np.int32]
    distances: NDArray[np.float64] | None
    values: Sequence[str]
    lines: NDArray[np.int32]
    name: str | None = None
    is_swapped: bool = False
    blank: tuple[int, ...] = ()
    comments: tuple[int, ...] = ()
    malformed: tuple[int, ...] = ()
    lacks_line_end: bool = False


SWAPPED_COLUMNS, DUPLICATES, DESCENDING = "swapped columns", "duplicates", "distances in descending order"

#: Kinds of faults of a list, in the order of their findings.
LIST_FAULTS = (
    *("empty list", SWAPPED_COLUMNS, UNKNOWN_ID, DUPLICATES, "words among distances", "blank lines", "comments"),
    *("malformed lines", DESCENDING),
)

#: A kind of LIST_FAULTS; severity, line of the first, message and action; how often it occurs in the list.
ListFault = tuple[str, Severity, int | None, str, str, int]


def _faults_of_lines(found: ParsedList) -> Iterator[ListFault]:
    """An empty list, columns in reverse order compared with the other lists, and lines that are ignored."""
    if not len(found.words):
        of_query = f" of '{found.name}'" if found.name is not None else ""
        line = int(found.lines[0]) if len(found.lines) else None
        yield "empty list", Severity.WARNING, line, f"the list{of_query} is empty", "nothing counts as retrieved", 1
    if found.is_swapped:
        message = "columns in reverse order compared with the other lists"
        yield SWAPPED_COLUMNS, Severity.WARNING, 1, message, "matched", 1
    if found.blank:
        yield "blank lines", Severity.INFO, found.blank[0], "blank line", "ignored", len(found.blank)
    if found.comments:
        yield "comments", Severity.INFO, found.comments[0], "comment", "ignored", len(found.comments)
    if found.malformed:
        message, action = "neither an id nor an id and its distance", "the line is ignored"
        yield "malformed lines", Severity.ERROR, found.malformed[0], message, action, len(found.malformed)


def _faults_of_ids(found: ParsedList) -> Iterator[ListFault]:
    """Ids that are not in the collection, and models that occur more than once."""
    unknown = np.flatnonzero(found.items < 0)
    if len(unknown):
        first = int(unknown[0])
        message = f"unknown id '{found.words[first]}' at rank {first + 1}"
        yield UNKNOWN_ID, Severity.WARNING, int(found.lines[first]), message, UNKNOWN_ACTION, len(unknown)
    if not len(found.items) or np.bincount(found.items + 1)[1:].max(initial=0) < 2:
        return
    ranks: dict[int, int] = {}
    again = [
        (rank, ranks[item])
        for rank, item in enumerate(found.items.tolist())
        if item >= 0 and ranks.setdefault(item, rank) != rank
    ]
    rank, before = again[0]
    message = f"'{found.words[rank]}' is a duplicate: ranks {before + 1} and {rank + 1}"
    yield DUPLICATES, Severity.WARNING, int(found.lines[rank]), message, "first occurrence used", len(again)


def _faults_of_distances(found: ParsedList, words: Sequence[int]) -> Iterator[ListFault]:
    """Distances that are not numbers, with the indices `words`, or smaller than that of the previous model.

    Unknown and duplicate ids are skipped.
    """
    distances = found.distances
    if words:
        value = found.values[words[0]]
        hint = " (a comma in it)" if "," in value else ""
        message = f"the distance '{value[:40]}' of '{found.words[words[0]]}' at rank {words[0] + 1}"
        message += f" is not a number{hint}"
        line = int(found.lines[words[0]])
        yield "words among distances", Severity.WARNING, line, message, "rank unchanged", len(words)
    if distances is None or not (np.isnan(distances).any() or np.any(distances[1:] < distances[:-1])):
        return
    first = np.zeros(len(found.items), bool)
    first[np.unique(found.items, return_index=True)[1]] = True
    indices = np.flatnonzero(~np.isnan(distances) & first & (found.items >= 0))
    values = distances[indices]
    decreases = indices[1:][values[1:] < values[:-1]]
    if len(decreases):
        index = int(decreases[0])
        message = f"distances not in ascending order: '{found.words[index]}' at rank {index + 1} has a smaller one"
        message += f" than rank {index}"
        line = int(found.lines[index])
        yield DESCENDING, Severity.WARNING, line, message, "file order is the ranking", len(decreases)


#: Share of tied ranks from which the scores depend more on the rule for ties than on the method.
WARNING_SHARE = 0.5

#: Minimum share that is not rounded to 0.0 %.
MIN_PRINTED_SHARE = 0.0005

MAX_SAMPLED_ROWS = 256
#: Maximum number of matrix rows that are sorted, and of their values: 1 s for the largest tracks.
MAX_SAMPLED_VALUES = 16_000_000


def count_tied_ranks(ordered: NDArray[np.floating]) -> int:
    """Number of (n,) ordered distances that equal a neighbour; NaN equals nothing."""
    same = ordered[1:] == ordered[:-1]
    if not same.any():
        return 0
    tied = np.zeros(len(ordered), bool)
    tied[1:] |= same
    tied[:-1] |= same
    return int(tied.sum())


def log_ties(
    path: Path, lists: Iterable[NDArray[np.floating]], findings_log: FindingsLog, *, ranked_by_line: bool = False
) -> None:
    """One finding with the share of tied ranks in ordered lists, if there are any.

    `ranked_by_line`: file order is the ranking, so that ties do not change it.
    """
    tied = total = 0
    for ordered in lists:
        tied += count_tied_ranks(ordered)
        total += len(ordered)
    if not tied:
        return
    share = tied / total
    severity = Severity.WARNING if share >= WARNING_SHARE and not ranked_by_line else Severity.INFO
    text = f"{format_percent(share, 1)} of the" if share >= MIN_PRINTED_SHARE else f"{tied:,} of {total:,}"
    message = f"{text} ranks are tied: the distance equals that of a neighbour"
    action = "file order is the ranking" if ranked_by_line else TIED_ACTION
    findings_log.note(severity, path, message, action, key="" if ranked_by_line else TIED_RANKS)


def sorted_sample_rows(values: DistanceRows) -> Iterable[NDArray[np.floating]]:
    """Some rows of a matrix, sorted."""
    n_rows = min(MAX_SAMPLED_ROWS, max(1, MAX_SAMPLED_VALUES // max(1, values.shape[1])))
    for row in range(0, len(values), max(1, -(-len(values) // n_rows))):
        yield np.sort(np.asarray(values[row], np.float64))


#: Share of a run's ids from which a match rule is the notation of the run, not a fault of single ids.
COMMON_RULE_SHARE = 0.5

#: Share of unknown ids above which a run may be of another benchmark.
UNKNOWN_SHARE = 0.5

#: Unknown ids of each list that are compared with the notation of the collection.
MAX_SAMPLED_IDS = 8

#: Minimum number of lists whose lengths are compared.
MIN_COMPARED_LISTS = 3

#: Maximum number of models named in a message.
MAX_NAMED_MODELS = 12


@dataclass(frozen=True, eq=False)
class CheckedList:
    """One checked list of a run, without its ids as written: a large run has ten million.

    Attributes
    ----------
    path : its file.
    items, distances : see `ParsedList`.
    name : the first line, if it contains the name of the query.
    faults : a finding for each kind of LIST_FAULTS that occurs.
    unusual, unusual_lines : indices and lines of distances that are NaN, infinite or beyond float32.
    is_descending : the numbers are in descending order; None if all are equal or there are none.
    lacks_line_end : see `ParsedList`.
    line : of its first id; None for an empty list.
    unknown : some of its unknown ids.
    """

    path: Path
    items: NDArray[np.int32]
    distances: NDArray[np.float64] | None
    name: str | None
    faults: Mapping[str, Finding]
    unusual: NDArray[np.intp]
    unusual_lines: NDArray[np.int32]
    is_descending: bool | None
    lacks_line_end: bool = False
    line: int | None = None
    unknown: tuple[str, ...] = ()


CheckedLists = Mapping[int, CheckedList]


def check_list(found: ParsedList) -> CheckedList:
    """Find the faults of a list."""
    words, unusual = [], np.zeros(0, np.intp)
    if found.distances is not None and not are_usual(found.distances):
        odd = np.flatnonzero(~(np.abs(found.distances) <= MAX_FLOAT32))
        is_word = np.array([np.isnan(found.distances[at]) and not is_number(found.values[at]) for at in odd.tolist()])
        words, unusual = odd[is_word].tolist(), odd[~is_word]
    rows = chain(_faults_of_lines(found), _faults_of_ids(found), _faults_of_distances(found, words))
    faults = {}
    for kind, severity, line, message, action, count in rows:
        key = UNKNOWN_ID if kind == UNKNOWN_ID else ""
        faults[kind] = Finding(severity, str(found.path), line, message, action, count, key)
    line = int(found.lines[0]) if len(found.words) else None
    unknown = tuple(found.words[index] for index in np.flatnonzero(found.items < 0)[:MAX_SAMPLED_IDS].tolist())
    as_parsed = found.path, found.items, found.distances, found.name
    as_checked = faults, unusual, found.lines[unusual], _is_descending(found)
    return CheckedList(*as_parsed, *as_checked, found.lacks_line_end, line, unknown)


def faultless_lists(
    path: Path,
    items: NDArray[np.int32],
    distances: NDArray[np.float64],
    lines: NDArray[np.int32],
    starts: NDArray[np.intp],
) -> list[CheckedList | None]:
    """What `check_list` returns for each of the lists of a file that has no fault; None for the others.

    `check_list` takes 20 μs for a list of three models, of which a file may have 400,000.

    Parameters
    ----------
    items, distances, lines : (nnz,) those of all lists, one after another.
    starts : (n,) index of the first entry of each list.
    """
    bounds = [*starts.tolist(), len(items)]
    of_list = np.repeat(np.arange(len(starts)), np.diff(bounds))
    faulty = (items < 0) | ~(np.abs(distances) <= MAX_FLOAT32)
    faulty[1:] |= (of_list[1:] == of_list[:-1]) & (distances[1:] < distances[:-1])
    n_models = int(items.max(initial=0)) + 1
    codes = np.sort((of_list * n_models + items)[items >= 0])
    repeated = codes[1:][codes[1:] == codes[:-1]] // n_models
    has_fault = np.zeros(len(starts), bool)
    has_fault[of_list[faulty]] = has_fault[repeated] = True
    none, no_lines = np.zeros(0, np.intp), np.zeros(0, np.int32)
    first_lines = lines[starts].tolist()
    are_equal = (distances[starts] == distances[np.array(bounds[1:]) - 1]).tolist()
    found: list[CheckedList | None] = [None] * len(starts)
    for index in np.flatnonzero(~has_fault).tolist():
        rows = slice(*bounds[index : index + 2])
        is_descending = None if are_equal[index] else False
        found[index] = CheckedList(
            path, items[rows], distances[rows], None, {}, none, no_lines, is_descending, line=first_lines[index]
        )
    return found


def _is_descending(found: ParsedList) -> bool | None:
    if found.distances is None:
        return None
    values = found.distances[~np.isnan(found.distances)]
    if len(values) < 2 or values[0] == values[-1]:
        return None
    return bool(np.all(values[1:] <= values[:-1]))


def are_similarities(lists: CheckedLists) -> bool:
    """Whether the numbers are in descending order in every list, so that they are similarities."""
    known = [found.is_descending for found in lists.values() if found.is_descending is not None]
    return bool(known) and all(known)


def log_lists(
    run: Path, lists: CheckedLists, context: ReadContext, *, ranked_by_line: bool, negative: bool = False
) -> None:
    """All findings about the lists of a run.

    Parameters
    ----------
    ranked_by_line : file order is the ranking, so that distances do not change it.
    negative : the numbers are similarities.
    """
    _log_unknown_share(run, lists, context)
    _log_faults(lists, context, negative=negative)
    _log_unusual_distances(run, lists, context, ranked_by_line=ranked_by_line, negative=negative)
    numbered = (found.distances for found in lists.values() if found.distances is not None)
    log_ties(run, numbered, context.findings_log, ranked_by_line=ranked_by_line)
    _log_missing_queries(run, lists, context)
    _log_short_lists(run, lists, context)
    _log_open_lists(lists, context)
    _log_list_lengths(run, lists, context)


def _log_unknown_share(run: Path, lists: CheckedLists, context: ReadContext) -> None:
    """A warning if most ids of a run are unknown, with the notation in which they would be known."""
    total = sum(len(found.items) for found in lists.values())
    count = sum(int(np.count_nonzero(found.items < 0)) for found in lists.values())
    if count <= UNKNOWN_SHARE * total:
        return
    hint = context.items.notation_hint([word for found in lists.values() for word in found.unknown])
    message = f"{format_percent(count / total, 0)} of its ids are no models of the collection{hint}"
    action = "the run may be of another benchmark" + ("" if not hint else ", or its ids in another notation")
    context.findings_log.warning(run, message, action, count=count)


def _log_faults(lists: CheckedLists, context: ReadContext, *, negative: bool) -> None:
    """Add the faults of the lists as findings; similarities are in descending order."""
    for kind in LIST_FAULTS[: -1 if negative else None]:
        found = [checked.faults[kind] for checked in lists.values() if kind in checked.faults]
        hint = _hint_of_numbers_from_1(lists, context) if kind == UNKNOWN_ID and len(found) > 1 else ""
        if hint or len(found) > MAX_SEPARATE_FINDINGS:
            message = f"in {len(found):,} of {count_of(len(lists), 'list')}, first here: {found[0].message}{hint}"
            found = [replace(found[0], message=message, count=sum(fault.count for fault in found))]
        context.findings_log.extend(found)


def _hint_of_numbers_from_1(lists: CheckedLists, context: ReadContext) -> str:
    """Text for a message where the ids of a run are probably numbered from 1, those of the collection from 0."""
    ids, count = context.collection.ids, len(context.collection)
    numbers = trailing_numbers(ids) if count >= MIN_IDS else None
    if numbers is None or numbers.min() != 0 or numbers.max() != count - 1:
        return ""
    first = int(np.flatnonzero(numbers == 0)[0])
    unknown = {word for checked in lists.values() for word in checked.unknown}
    found = [_TRAILING_NUMBER.match(word) for word in unknown]
    if {match and int(match[1]) for match in found} != {count} or any(first in it.items for it in lists.values()):
        return ""
    return f"; '{ids[first]}' is in no list: the run probably counts from 1, and each id has to be one less"


def log_match_rules(run: Path, rules: RuleCounts, context: ReadContext, total: int) -> None:
    """One finding for each rule that matched ids; a warning if it is used for a minority of `total` ids."""
    for rule, (count, word) in rules.items():
        if rule == AMBIGUOUS:
            context.findings_log.error(
                run, f"'{word}' is ambiguous: several models match", "read as an unknown id", count=count
            )
            continue
        model = context.collection.ids[context.items.index_of(word)]
        note = context.findings_log.info if count >= COMMON_RULE_SHARE * total else context.findings_log.warning
        others = "" if count >= COMMON_RULE_SHARE * total else ", unlike most ids"
        note(run, f"ids match {rule}: '{word}' is '{model}'{others}", "matched", count=count)


def log_query_match_rules(run: Path, names: Iterable[str], context: ReadContext) -> None:
    """One finding for each rule that matched names of queries; extensions of files are ignored."""
    rules: RuleCounts = {}
    context.query_ids.indices_of([without_extension(name) for name in names], rules)
    for rule, (count, word) in rules.items():
        if rule == AMBIGUOUS:
            context.findings_log.error(run, f"'{word}' is ambiguous: several queries match", "ignored", count=count)
        elif (index := context.query_ids.index_of(word)) >= 0:
            message = f"queries match {rule}: '{word}' is '{context.queries.ids[index]}'"
            context.findings_log.info(run, message, "matched", count=count)


def _log_unusual_distances(
    run: Path, lists: CheckedLists, context: ReadContext, *, ranked_by_line: bool, negative: bool
) -> None:
    """One finding for each kind of unusual distances, see `UnusualValues`.

    `negative`: the numbers are similarities.
    """
    values = UnusualValues(run, context)
    for query, found in lists.items():
        if len(found.unusual) and found.distances is not None:
            queries = np.full(len(found.unusual), query)
            distances = found.distances[found.unusual] * (-1.0 if negative else 1.0)
            values.add(queries, found.items[found.unusual], distances, found.path, found.unusual_lines)
    values.log(context.findings_log, ranked_by_line=ranked_by_line)


def _log_missing_queries(run: Path, lists: CheckedLists, context: ReadContext) -> None:
    """One finding with the queries that have no list; an error if the file ends before them."""
    in_file = sorted(lists, key=lambda query: lists[query].line or 0)
    is_one_file = all(found.path == run for found in lists.values())
    log_queries_without_list(run, in_file, context, is_one_file=is_one_file)


def log_queries_without_list(run: Path, queries: Sequence[int], context: ReadContext, *, is_one_file: bool) -> None:
    """One finding with the queries that have no list.

    Parameters
    ----------
    queries : those with a list, in the order of the file.
    is_one_file : whether the file is the whole run. If it lists the queries in order and lacks the last ones, it is
        probably truncated, which is an error.
    """
    present = set(queries)
    missing = [name for query, name in enumerate(context.queries.ids) if query not in present]
    if not missing:
        return
    message = f"{count_of(len(missing), 'query has', 'queries have')} no list: {join_some(missing)}"
    severity = Severity.WARNING
    if queries and is_one_file and _are_first(queries, context.queries.ids):
        message += f"; the file ends after '{context.queries.ids[queries[-1]]}' and is probably truncated"
        severity = Severity.ERROR
    setting = context.findings_log.setting("missing", "common")
    context.findings_log.note(severity, run, message, MISSING_ACTION, key=MISSING_QUERY, setting=setting)


def _are_first(queries: Sequence[int], ids: Sequence[str]) -> bool:
    """Whether queries are the first ones of the benchmark, in its order, in natural order or in order of characters."""
    orders = (range(len(ids)), sorted(range(len(ids)), key=lambda query: natural_key(ids[query])))
    by_characters = sorted(range(len(ids)), key=ids.__getitem__)
    return any(list(order[: len(queries)]) == list(queries) for order in (*orders, by_characters))


def _log_list_lengths(run: Path, lists: CheckedLists, context: ReadContext) -> None:
    """One finding with the lengths of the lists, if they are incomplete."""
    n_models = len(context.collection)
    seen = np.zeros(n_models, bool)
    lengths = []
    for found in lists.values():
        named = found.items[found.items >= 0]
        seen[named] = True
        lengths.append(len(np.unique(named)) if DUPLICATES in found.faults else len(named))
    complete = context.n_listable - context.queries.are_members
    if not lengths or min(lengths) >= complete:
        return
    longest, shortest = max(lengths), min(lengths)
    span = f"{shortest:,}" if longest == shortest else f"{shortest:,} to {longest:,}"
    kind = "models with a file" if len(context.models_with_file) else "models"
    message = f"the lists name {span} of {context.n_listable:,} {kind}"
    never = np.flatnonzero(~seen & context.is_listable)
    if longest == shortest and len(never) == context.n_listable - longest <= MAX_NAMED_MODELS:
        names = natural_sorted([context.collection.ids[index] for index in never.tolist()])
        message += f", never {join_some(names, MAX_NAMED_MODELS)}"
    context.findings_log.info(run, message, "models not listed count as not retrieved")


#: Minimum share of the lists with the most frequent length for shorter ones to be reported; in some contests each
#: method chooses the length of each list.
TYPICAL_SHARE = 0.5


def _log_short_lists(run: Path, lists: CheckedLists, context: ReadContext) -> None:
    """One finding with the lists that are shorter than most; the query itself is not counted.

    An error if exactly one list is shorter and it is a file or the last list of a file: it is probably truncated. Empty
    lists, of a method that retrieved nothing, have a warning of their own.
    """
    member = context.queries.member
    lengths = {
        query: len(found.items) - int(member[query] >= 0 and np.any(found.items == member[query]))
        for query, found in lists.items()
    }
    if len(lists) < MIN_COMPARED_LISTS:
        return
    typical, count = Counter(lengths.values()).most_common(1)[0]
    is_one_file = all(found.path == run for found in lists.values())
    last = max(lists, key=lambda query: lists[query].line or 0)
    short = [query for query, length in lengths.items() if 0 < length < typical]
    is_cut = len(short) == 1 and count == len(lists) - 1 and (short == [last] or not is_one_file)
    if not short or count < TYPICAL_SHARE * len(lists):
        return
    names = join_some([f"'{context.queries.ids[query]}' ({lengths[query]:,})" for query in short])
    verb = "list is shorter than the others" if len(short) == 1 else "lists are shorter than the others"
    message = f"{len(short):,} {verb} ({typical:,} models), and may be truncated: {names}"
    first = lists[short[0]]
    path, line = (first.path, None if first.path != run else first.line) if len(short) == 1 else (run, None)
    action = "models not listed count as not retrieved"
    severity = Severity.ERROR if is_cut else Severity.WARNING
    context.findings_log.note(severity, path, message, action, line=line, count=len(short))


def _log_open_lists(lists: CheckedLists, context: ReadContext) -> None:
    """One finding with the lists that have no final line end, unlike most."""
    without = [found for found in lists.values() if found.lacks_line_end]
    if without and len(without) < TYPICAL_SHARE * len(lists):
        names = join_some([context.findings_log.mention(found.path) for found in without])
        message = f"no line end after the last line, unlike the other lists: {names}"
        context.findings_log.warning(without[0].path, message, "the last line may be truncated", count=len(without))


def to_ranked_lists(
    lists: CheckedLists, n_queries: int, *, negative: bool = False, by_score: bool = False, similarity: bool = False
) -> RankedLists:
    """Lists as one record; queries without a list are not present.

    `negative`: the numbers are similarities; their negatives are stored as distances. `similarity`: they are already.
    """
    queries = list(lists)
    present = np.zeros(n_queries, bool)
    present[queries] = True
    lengths = np.zeros(n_queries, np.int64)
    lengths[queries] = [len(found.items) for found in lists.values()]
    distances = None
    if any(found.distances is not None for found in lists.values()):
        parts = [np.full(len(f.items), np.nan) if f.distances is None else f.distances for f in lists.values()]
        distances = np.concatenate(parts) * (-1.0 if negative else 1.0)
    similarity = distances is not None and (negative or similarity)
    items = [found.items for found in lists.values()]
    return RankedLists(
        np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        np.concatenate(items) if items else np.zeros(0, np.int32),
        distances,
        present,
        by_score,
        similarity=similarity,
    )


#: Minimum number of ids; fewer numbers can match by chance.
MIN_IDS = 4

_TRAILING_NUMBER = re.compile(r"[^0-9]*([0-9]{1,18})$")


class ZeroBasedIds:
    """Detects ids of a run that are numbered from 0, while those of the benchmark are numbered from 1.

    Parameters
    ----------
    index : the ids.
    """

    def __init__(self, index: IdIndex) -> None:
        self._index = index
        self._numbers = index.numbers_from_1 if len(index) >= MIN_IDS else []
        self._last = self._numbers.index(len(index)) if self._numbers else -1
        self.zeros = 0
        self.first_zero = ""

    @property
    def is_possible(self) -> bool:
        """Whether the ids of the benchmark are numbered from 1 without gaps."""
        return bool(self._numbers)

    def count(self, words: Sequence[str] | NDArray[np.object_], indices: NDArray[np.int32]) -> None:
        """Count the ids with number 0 among those that are unknown, with index -1."""
        for word in (words[index] for index in np.flatnonzero(indices < 0).tolist()):
            found = _TRAILING_NUMBER.match(word)
            if found is not None and int(found[1]) == 0:
                self.zeros += 1
                self.first_zero = self.first_zero or word

    def shifted(self, indices: Iterable[NDArray[np.int32]], fewest: int = 2) -> IdIndex | None:
        """Index that matches an id to the one with the next number; None if the run is not numbered from 0.

        Parameters
        ----------
        indices : indices of the ids as written.
        fewest : minimum number of occurrences of 0; a single one can be a fault.
        """
        if not self.is_possible or self.zeros < fewest or any(np.any(some == self._last) for some in indices):
            return None
        numbers = self._numbers
        if isinstance(numbers, range):
            return IdIndex(NumberedIds(range(len(numbers))))
        return IdIndex([str(number - 1) for number in numbers])

    def note(self, path: Path, context: ReadContext, *, item_name: str) -> None:
        """Add a finding."""
        count = len(self._numbers)
        first = self._index.ids[self._numbers.index(1)]
        message = f"the numbers of the {item_name} go from 0 to {count - 1:,}, those of the ids from 1 to {count:,}"
        action = f"read as counted from 0: '{self.first_zero}' is '{first}'"
        context.findings_log.warning(path, message, action, count=self.zeros)


def count_from_zero(
    path: Path, lists: Sequence[Sequence[str]], context: ReadContext, item_name: str, fewest: int = 2
) -> ReadContext:
    """The context in which ids of lists are read as counted from 0, with a finding, if they are; see `ZeroBasedIds`."""
    zero_based = ZeroBasedIds(context.items)
    indices = [context.items.indices_of(words) for words in lists] if zero_based.is_possible else []
    for words, found in zip(lists, indices, strict=False):
        zero_based.count(words, found)
    if (index := zero_based.shifted(indices, fewest)) is None:
        return context
    zero_based.note(path, context, item_name=item_name)
    return replace(context, items=index)


#: Share of names that match queries as they are, from which no common affix is searched.
QUERY_NAME_SHARE = 0.5

#: Minimum share of names that match queries without their common affix.
AFFIX_SHARE = 0.9


def index_with_affix(names: Sequence[str], queries: IdIndex) -> tuple[IdIndex, str]:
    """Index that matches names to queries, and the common prefix or suffix of the names; "" for none.

    Examples
    --------
    >>> index_with_affix(["Q1_result", "Q2_result"], IdIndex(["Q1", "Q2"]))[1]
    '_result'
    """
    if len(names) < 2 or queries.share(names) >= QUERY_NAME_SHARE:
        return queries, ""
    # From and up to a separator: the common end of `Q10_a` and `Q20_a` includes a digit of the query.
    suffix = re.search(r"[^0-9A-Za-z].*", _common_prefix([name[::-1] for name in names])[::-1], re.DOTALL)
    prefix = re.match(r".*[^0-9A-Za-z]", _common_prefix(names), re.DOTALL)
    for start, end in (("", suffix[0] if suffix else ""), (prefix[0] if prefix else "", "")):
        if start or end:
            index = IdIndex([start + name + end for name in queries.ids])
            if index.share(names) >= AFFIX_SHARE:
                return index, start or end
    return queries, ""


def _common_prefix(names: Sequence[str]) -> str:
    """Common prefix of all names."""
    first, last = min(names), max(names)
    return first[: next((index for index, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]


def index_from_zero(names: Sequence[str], queries: IdIndex) -> tuple[IdIndex, ZeroBasedIds | None]:
    """Index that matches names to queries, also if the names are numbered from 0 and the queries from 1."""
    if len(names) != len(queries) or not (zero_based := ZeroBasedIds(queries)).is_possible:
        return queries, None
    indices = queries.indices_of(names)
    zero_based.count(names, indices)
    shifted = zero_based.shifted([indices], fewest=1)
    return (shifted, zero_based) if shifted is not None else (queries, None)
