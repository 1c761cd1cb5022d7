"""Runs as entries of a query and a model: lists in the order of the file, or ordered by their numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Cancelled, Finding, RankedLists
from shrec_viewer.formats.core.decisions import SET_EXPLICITLY, Alternative, Decision
from shrec_viewer.formats.core.findings_log import RUN_IGNORED, FindingsLog, count_of, join_some
from shrec_viewer.formats.core.ids import EXACT, RuleCounts
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.core.reader import ParsedRun
from shrec_viewer.formats.io.progress import CancelCheck, never_cancelled
from shrec_viewer.formats.runs.checks import (
    CheckedList,
    ParsedList,
    check_list,
    count_from_zero,
    faultless_lists,
    log_lists,
    log_match_rules,
    log_query_match_rules,
    to_ranked_lists,
)


@dataclass(frozen=True, eq=False)
class ListedRun(ParsedRun):
    """A run as written, in file order.

    Attributes
    ----------
    path : the file.
    queries, models : distinct ids, in file order; queries may have no entry.
    query, model : (n,) int32, index of the id of each entry.
    scores : (n,) float64, NaN if it is not a number; empty for lists without numbers.
    lines : (n,) int32, 1-based line of each.
    findings : lines that could not be used.
    title : description of the format in findings; "" for a TREC run.
    nearer : "larger" or "smaller", which scores are more similar; "" if the order of the entries is the ranking.
    has_direction : `nearer` is defined by the format or the header, not guessed.
    ranks : (n,) float32, the rank column; NaN if it is not a number. Evaluators ignore it. Empty except for TREC runs.
    tags : distinct run tags, in file order.
    files : of a table in several files of the folder `path`.
    list_lines : (len(queries),) int32, 1-based line of each list; empty if each entry has its own line.
    """

    path: Path
    queries: tuple[str, ...]
    models: tuple[str, ...]
    query: NDArray[np.int32]
    model: NDArray[np.int32]
    scores: NDArray[np.float64]
    lines: NDArray[np.int32]
    findings: tuple[Finding, ...]
    title: str = ""
    nearer: str = "larger"
    has_direction: bool = True
    ranks: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    tags: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    list_lines: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))

    def query_ids(self) -> Sequence[str]:
        """Ids of the queries."""
        return self.queries

    def id_columns(self) -> Sequence[Sequence[str]]:
        """Ids of the models."""
        return (self.models,)

    def model_ids(self) -> Sequence[str]:
        """Ids of the models."""
        return self.models

    def file_paths(self) -> tuple[Path, ...]:
        """See `files`."""
        return self.files

    def summary(self) -> str:
        """Number of lines, queries and models; of lists, number of queries and longest list."""
        lines, queries = count_of(len(self.lines), "line"), count_of(len(self.queries), "query", "queries")
        if not self.nearer:
            return f"{queries} with up to {count_of(int(np.bincount(self.query, minlength=1).max()), 'model')}"
        return f"{lines}, {queries}, {count_of(len(self.models), 'model')}"


def listed_run(
    path: Path,
    queries: Sequence[str],
    models: Sequence[str],
    numbers: Sequence[float | None] | NDArray[np.float64],
    lines: Sequence[int] | NDArray[np.integer],
    findings: Sequence[Finding] = (),
    title: str = "",
    nearer: str = "",
    *,
    has_direction: bool = True,
    list_lines: Mapping[str, int] = MappingProxyType({}),
) -> ListedRun:
    """A run of entries, given as columns (n,); see `ListedRun`.

    Parameters
    ----------
    numbers : empty for lists without numbers.
    list_lines : line of each list by its query, in file order, of which some may have no entry.
    """
    query_ids: dict[str, int] = {name: code for code, name in enumerate(list_lines)}
    model_ids: dict[str, int] = {}
    query, model = _codes(queries, query_ids), _codes(models, model_ids)
    columns = query, model, np.array(numbers, np.float64), np.array(lines, np.int32)
    about = tuple(findings), title, nearer, has_direction
    found = ListedRun(path, tuple(query_ids), tuple(model_ids), *columns, *about)
    return replace(found, list_lines=np.array([*list_lines.values()], np.int32))


def _codes(words: Sequence[str], known: dict[str, int]) -> NDArray[np.int32]:
    """Number of each word; new ones are added."""
    return np.fromiter((known.setdefault(word, len(known)) for word in words), np.int32, len(words))


def rank_listed_run(
    run: ListedRun, context: ReadContext, options: ReadOptions = DETECT_ALL, cancelled: CancelCheck = never_cancelled
) -> RankedLists | None:
    """Ranked lists of a run; None, and an error finding, if it has no list of a query.

    Scores that are larger for more similar models become negative distances. Models without a numeric score are last,
    in file order. Where the order of the entries is the ranking, numbers are distances for display.

    Parameters
    ----------
    options : `similarity` overrides the direction of the file or the format.
    cancelled : called once per query.
    """
    path, log, by_score = run.path, context.findings_log, bool(run.nearer)
    is_smaller = run.nearer != "larger" if options.similarity is None or not by_score else not options.similarity
    log.extend(run.findings)
    words = run.models if by_score else np.array(run.models, object)[run.model].tolist()
    context = count_from_zero(path, [words], context, "models" if by_score else "rows", 2 - by_score)
    query_of = np.array([context.query_ids.index_of(name) for name in run.queries], np.int32)
    unknown = np.flatnonzero(query_of < 0)
    repeated = np.setdiff1d(np.flatnonzero(query_of >= 0), _first_places(query_of), assume_unique=True)
    again = repeated[: 0 if by_score else None]
    query_of[again] = -1
    queries = query_of[run.query]
    rules: RuleCounts = {}
    items = _model_of_entries(run, queries, context, rules)
    if not np.any(items[queries >= 0] >= 0):
        _log_nothing_known(run, context, has_query=bool(np.any(query_of >= 0)))
        return None
    _log_ordering(run, options.similarity, is_smaller, log, int(np.count_nonzero(query_of >= 0)))
    _log_other_queries(run, unknown, log)
    _log_other_queries(run, again, log, "of queries that have one already")
    log_match_rules(path, rules, context, len(run.lines))
    log_query_match_rules(path, run.queries, context)
    distances = np.asarray(run.scores) if is_smaller else -np.asarray(run.scores)
    by_line, order = _orders(distances if by_score else None, queries)
    if not run.title and by_score:  # the rows of a table need no order
        _log_disorder(run, distances, queries, by_line, order, context, is_smaller=is_smaller)
    lists = {}
    for query, checked in _checked_lists(run, query_of, distances, items, queries[order], order):
        if cancelled():
            raise Cancelled
        lists[query] = checked
    log_lists(path, lists, context, ranked_by_line=not by_score)
    ranked = to_ranked_lists(lists, len(context.queries), by_score=by_score, similarity=by_score and not is_smaller)
    return _with_unknown_ids(ranked, run.model[order], run.models) if by_score else ranked


def _first_places(queries: NDArray[np.int32]) -> NDArray[np.intp]:
    """Index of the first name of each query, in the order of the queries; without unknown ones, -1."""
    found, first = np.unique(queries, return_index=True)
    return first[found >= 0]


def _checked_lists(
    run: ListedRun,
    query_of: NDArray[np.int32],
    distances: NDArray[np.float64],
    items: NDArray[np.int32],
    queries: NDArray[np.int32],
    order: NDArray[np.int64],
) -> Iterator[tuple[int, CheckedList]]:
    """Queries and their checked lists; `queries`: (n,) int32, of the entries in `order`."""
    places = _first_places(query_of)
    lines, models, words = run.lines[order], run.model[order], np.array(run.models, object)
    items, distances = items[order], distances[order[: len(distances)]]
    faultless: dict[int, CheckedList | None] = {}
    if len(distances):
        first = np.flatnonzero(np.diff(queries, prepend=-1))
        faultless = dict(
            zip(queries[first].tolist(), faultless_lists(run.path, items, distances, lines, first), strict=True)
        )
    starts, ends = (np.searchsorted(queries, query_of[places], side).tolist() for side in ("left", "right"))
    for place, start, end in zip(places.tolist(), starts, ends, strict=True):
        query = int(query_of[place])
        if (checked := faultless.get(query)) is None:
            rows, values = slice(start, end), ["nan"] * (end - start)  # words among the scores are findings of the file
            numbers = distances[rows] if len(distances) else None
            of_list = lines[rows] if end > start else run.list_lines[place : place + 1]
            ids = words[models[rows]], items[rows]
            checked = check_list(ParsedList(run.path, *ids, numbers, values, of_list, run.queries[place]))
        yield query, checked


def _log_nothing_known(run: ListedRun, context: ReadContext, *, has_query: bool) -> None:
    missing = f"ids is a model of the collection{context.unknown_model_example(run.models)}"
    if not has_query:
        name = "queries is known" if run.nearer else "rows begins with a query"
        missing = f"{name}{context.unknown_query_example(run.queries)}"
    action = "the run is ignored" if run.nearer else "the run is left out"
    context.findings_log.error(run.path, f"none of its {missing}", action, key=RUN_IGNORED)


def _log_other_queries(run: ListedRun, places: NDArray[np.intp], findings_log: FindingsLog, kind: str = "") -> None:
    """One finding with the lists of unknown queries, or of another `kind`; `places` in `run.queries`."""
    if not len(places):
        return
    names = join_some([run.queries[place] for place in places.tolist()])
    if run.nearer:
        message = f"{count_of(len(places), 'unknown query', 'unknown queries')}: {names}"
        line = int(run.lines[np.isin(run.query, places)][0])
        findings_log.warning(run.path, message, "ignored", line=line)
        return
    line = int(run.list_lines[places[0]])
    action = "left out" + "; probably a header" * (not run.title and not kind and len(places) == line == 1)
    message = f"{count_of(len(places), 'row')} {kind or 'of unknown queries'}: {names}"
    findings_log.warning(run.path, message, action, line=line)


def _with_unknown_ids(ranked: RankedLists, models: NDArray[np.int32], names: Sequence[str]) -> RankedLists:
    """The lists with the ids outside the collection, which can be tied with models.

    `models`: (nnz,) int32, index in `names` of each line.
    """
    lines = np.flatnonzero(ranked.items < 0)
    if not len(lines):
        return ranked
    codes, index = np.unique(models[lines], return_inverse=True)
    unknown = np.full(len(ranked.items), -1, np.int32)
    unknown[lines] = index
    return replace(ranked, unknown=unknown, unknown_ids=tuple(names[code] for code in codes.tolist()))


def _log_ordering(
    run: ListedRun, similarity: bool | None, is_smaller: bool, findings_log: FindingsLog, n_lists: int
) -> None:
    """Finding with the format and the order of the lists."""
    if not run.nearer:
        action = "the order of the ids is the ranking" if run.title else "a row is a query and its models, best first"
        findings_log.info(run.path, f"{run.title or 'table of'} {count_of(n_lists, 'ranked list')}", action)
        return
    if not run.title:
        ordered = "ordered by score, not by line or rank" + ("; smallest first, set explicitly" if is_smaller else "")
        findings_log.info(run.path, f"TREC run with tag {join_some(run.tags)}", ordered)
        return
    ordered = f"ordered by their numbers, the {'smallest' if is_smaller else 'largest'} first"
    if similarity is None and not run.has_direction:
        decision = direction_of_scores(run, similarity)
        problem = f"{run.title}; {decision.reason}"
        findings_log.decide(run.path, replace(decision, problem=problem, reason=""))
    else:
        findings_log.info(run.path, run.title, ordered)


def direction_of_scores(run: ListedRun, similarity: bool | None) -> Decision:
    """Whether larger scores are more similar, if that is not set."""
    against = "" if run.title else ", against the format"
    alternatives = (
        Alternative("false", outcome=f"the smallest score comes first{against}"),
        Alternative("true", outcome="the largest score comes first"),
    )
    reason = "defined by the format" if run.has_direction else "no header names the third column"
    if similarity is not None:
        return Decision("similarity", alternatives, str(similarity).lower(), True, SET_EXPLICITLY)
    return Decision("similarity", alternatives, str(run.nearer == "larger").lower(), run.has_direction, reason)


def _orders(
    distances: NDArray[np.float64] | None, queries: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Entries of known queries by query, in file order, and best first: equal distances in file order, NaN last.

    Lists are sorted one by one, as `np.lexsort` takes five times as long for lines that are in order.
    """
    by_line = np.argsort(queries, kind="stable")
    by_line = by_line[np.searchsorted(queries[by_line], 0) :]
    if distances is None:
        return by_line, by_line
    ordered = distances[by_line]
    if np.all((np.diff(queries[by_line]) > 0) | (ordered[1:] >= ordered[:-1])):
        return by_line, by_line
    lists = np.split(by_line, np.flatnonzero(np.diff(queries[by_line])) + 1)
    return by_line, np.concatenate([rows[np.argsort(distances[rows], kind="stable")] for rows in lists])


def _model_of_entries(
    run: ListedRun, queries: NDArray[np.int32], context: ReadContext, rules: RuleCounts
) -> NDArray[np.int32]:
    """Model of each entry, (n,) int32, -1 for unknown ones; `rules` counts entries of known queries."""
    exact = context.items.exact
    loose = [index for index, name in enumerate(run.models) if name not in exact]
    counts = np.bincount(run.model[queries >= 0], minlength=len(run.models)).tolist() if loose else []
    for index in loose:
        rule = context.items.match(run.models[index]).rule
        if rule != EXACT and counts[index]:
            before, first = rules.get(rule, (0, run.models[index]))
            rules[rule] = (before + counts[index], first)
    return context.items.indices_of(run.models)[run.model]


def _log_disorder(
    run: ListedRun,
    distances: NDArray[np.float64],
    queries: NDArray[np.int32],
    by_line: NDArray[np.int64],
    order: NDArray[np.int64],
    context: ReadContext,
    *,
    is_smaller: bool,
) -> None:
    """One finding each for lines and ranks that are not in the order of the scores, with the first line.

    One for both, with the option, if lines, ranks and the numbers read in the other direction agree.
    """
    same = np.diff(queries[order]) == 0
    out_of_place = np.flatnonzero(by_line != order)
    numbers, ranks = -distances[by_line], run.ranks[by_line]
    if len(out_of_place) and np.all((numbers[1:] >= numbers[:-1])[same]) and np.all((ranks[1:] > ranks[:-1])[same]):
        other = "similarities" if is_smaller else "distances"
        problem = f"ranks, lines and {'de' if is_smaller else 'a'}scending numbers agree in all lists: the numbers are "
        decision, reason = direction_of_scores(run, not is_smaller), "trec_eval orders by score"
        decision = replace(decision, is_sure=False, reason=reason, problem=f"{problem}probably {other}")
        context.findings_log.decide(run.path, decision)
        return
    if len(out_of_place):
        line = int(run.lines[by_line[out_of_place[0]]])
        message = "the lines are not in the order of the scores"
        context.findings_log.warning(run.path, message, "ordered by score", line=line, count=len(out_of_place))
        numbers, ranks = -distances[order], run.ranks[order]
    wrong = np.flatnonzero(same & (numbers[:-1] > numbers[1:]) & (ranks[1:] <= ranks[:-1]))
    if len(wrong):
        line = int(run.lines[order[wrong[0] + 1]])
        message = "the rank column is not in the order of the scores"
        context.findings_log.warning(run.path, message, "ordered by score", line=line, count=len(wrong))
