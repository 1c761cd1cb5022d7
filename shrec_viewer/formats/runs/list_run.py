"""Runs that are one ranked list per query in a single file: common record, matching of ids, helper for plug-ins."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, RankedLists
from shrec_viewer.formats.core.findings_log import RUN_IGNORED, count_of, join_some
from shrec_viewer.formats.core.found_files import Match
from shrec_viewer.formats.core.ids import RuleCounts
from shrec_viewer.formats.core.preview_records import PreviewColumn, PreviewContent, PreviewRequest, PreviewRow
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.core.reader import ParsedRun, RunReader
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress, never_cancelled
from shrec_viewer.formats.io.text import FileHead
from shrec_viewer.formats.runs.checks import (
    CheckedList,
    ParsedList,
    check_list,
    log_faults,
    log_list_lengths,
    log_match_rules,
    log_missing_queries,
    log_query_match_rules,
    log_short_lists,
    log_tied_lists,
    log_unusual_distances,
    to_ranked_lists,
)
from shrec_viewer.formats.runs.id_matching import ZeroBasedIds


@dataclass(frozen=True, eq=False)
class ListRun(ParsedRun):
    """One ranked list per query, as written in the file.

    Attributes
    ----------
    path : the file.
    queries : (n,) distinct query ids, in file order.
    rows : (n,) model ids of each query, best first.
    lines : (n,) int32, 1-based line of each list.
    findings : parts of the file that could not be used.
    distances : (n,) float64 arrays, one value per id of `rows`; empty for a format without distances.
    title : description of the format in findings, ``"table of"``.
    """

    path: Path
    queries: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: NDArray[np.int32]
    findings: tuple[Finding, ...] = ()
    distances: tuple[NDArray[np.float64], ...] = ()
    title: str = ""

    @property
    def models(self) -> tuple[str, ...]:
        """All model ids, distinct, in file order."""
        return tuple(dict.fromkeys(word for row in self.rows for word in row))

    def query_ids(self) -> Sequence[str]:
        """Ids of the queries."""
        return self.queries

    def id_columns(self) -> Sequence[Sequence[str]]:
        """The model ids."""
        return (self.models,)

    def model_ids(self) -> Sequence[str]:
        """The model ids."""
        return self.models

    def summary(self) -> str:
        """Number of queries and longest list."""
        longest = max((len(row) for row in self.rows), default=0)
        return f"{count_of(len(self.queries), 'query', 'queries')} with up to {count_of(longest, 'model')}"


def rank_lists(
    run: ListRun,
    context: ReadContext,
    options: ReadOptions = DETECT_ALL,
    cancelled: Callable[[], bool] = never_cancelled,
) -> RankedLists | None:
    """Ranked lists of a run; None, and an error finding, if no list belongs to a query of the benchmark.

    The order of the ids in the file is the ranking; distances are kept for display.
    """
    path, findings_log = run.path, context.findings_log
    findings_log.extend(run.findings)
    zero_based = ZeroBasedIds(context.items)
    if zero_based.is_possible:
        indices = [context.items.indices_of(words) for words in run.rows]
        for words, found in zip(run.rows, indices, strict=True):
            zero_based.count(words[index] for index in np.flatnonzero(found < 0).tolist())
        if (index := zero_based.shifted(indices)) is not None:
            zero_based.note(path, context, noun="rows")
            context = replace(context, items=index)
    rules: RuleCounts = {}
    lists: dict[int, CheckedList] = {}
    unknown, again = [], []
    for row, (name, words, line) in enumerate(zip(run.queries, run.rows, run.lines.tolist(), strict=True)):
        query = context.query_ids.index_of(name)
        if query < 0:
            unknown.append((line, name))
        elif query in lists:
            again.append((line, name))
        else:
            items = context.items.indices_of(words, rules)
            lines = np.full(max(1, len(words)), line, np.int32)
            distances = run.distances[row] if run.distances else None
            values = tuple(map(str, distances.tolist())) if distances is not None else ()
            lists[query] = check_list(ParsedList(path, words, items, distances, values, lines, name))
    if not any(np.any(found.items >= 0) for found in lists.values()):
        words = next((row for row in run.rows if row), ())
        what = f"ids is a model of the collection{context.unknown_model_example(words)}"
        if not lists:
            what = f"rows begins with a query{context.unknown_query_example(run.queries)}"
        findings_log.error(path, f"none of its {what}", "the run is left out", key=RUN_IGNORED)
        return None
    action = "the order of the ids is the ranking" if run.title else "a row is a query and its models, best first"
    findings_log.info(path, f"{run.title or 'table of'} {count_of(len(lists), 'ranked list')}", action)
    for rows, what in ((unknown, "of unknown queries"), (again, "of queries that have one already")):
        if rows:
            message = f"{count_of(len(rows), 'row')} {what}: {join_some([name for _, name in rows])}"
            findings_log.warning(path, message, "left out", line=rows[0][0])
    log_match_rules(path, rules, context, sum(map(len, run.rows)))
    log_query_match_rules(path, run.queries, context)
    log_faults(path, lists, context)
    log_unusual_distances(path, lists, context, ranked_by_line=True)
    log_tied_lists(path, lists, context, ranked_by_line=True)
    log_missing_queries(path, lists, context)
    log_short_lists(path, lists, context)
    log_list_lengths(path, lists, context)
    return to_ranked_lists(dict(sorted(lists.items())), len(context.queries))


def preview_lists(request: PreviewRequest, run: ListRun) -> PreviewContent:
    """The first queries with the beginning of their lists."""
    rows = []
    for name, words, line in zip(run.queries, run.rows, run.lines.tolist(), strict=False):
        note = request.query_note(name) or next(filter(None, map(request.model_note, words[:5])), "")
        rows.append(PreviewRow(line, (name, *words)[: request.n_cells], note))
        if len(rows) == request.n_rows:
            break
    width = 1 + max((len(row) for row in run.rows), default=0)
    columns = (PreviewColumn("query", "Query"), *(PreviewColumn("id", f"Model at rank {at}") for at in range(1, width)))
    return PreviewContent(columns[: request.n_cells], tuple(rows), max(0, width - request.n_cells), run.summary())


RankedIds = Mapping[str, Sequence[str] | Sequence[tuple[str, float]]]
"""Models of each query, best first: ids, or pairs of id and distance."""


def ranked_list_reader(
    key: str,
    label: str,
    recognise: Callable[[bytes, str], Match | bool],
    read: Callable[[Path], RankedIds],
    suffixes: tuple[str, ...] = (),
) -> RunReader:
    """A run format from two functions.

    Parameters
    ----------
    key, label, suffixes : as in `RunReader`.
    recognise : ``recognise(data, name)``: whether a file is of this format, from its first bytes (64 KiB at most) and
        its name; True if it is a run whatever its ids, `Match.IF_IDS_KNOWN` if other files can look the same.
    read : ``read(path)``: the models of each query, best first, as ids or as pairs of id and distance.
        `FormatError`, `OSError`, `ValueError`, `KeyError` and `TypeError` become a finding.

    Examples
    --------
    >>> import json
    >>> def read(path):
    ...     rows = map(json.loads, path.read_text().splitlines())
    ...     return {row["query"]: row["results"] for row in rows}
    >>> ranked_list_reader("jsonl", "JSON lines", lambda data, name: data.startswith(b'{"query"'), read).key
    'jsonl'
    """
    return RunReader(
        key,
        label,
        suffixes,
        partial(_recognise_head, recognise),
        partial(_read_lists, read, label),
        partial(_preview_file, read, label),
        rank=rank_lists,
    )


def _recognise_head(recognise: Callable[[bytes, str], Match | bool], head: FileHead) -> Match | bool:
    return recognise(head.data, head.path.name)


def _read_lists(
    read: Callable[[Path], RankedIds], label: str, path: Path, progress: ReadProgress = NO_PROGRESS
) -> ListRun:
    try:
        found = {str(query): list(models) for query, models in read(path).items()}
    except FormatError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(path, f"cannot be read as {label}: {error or type(error).__name__}") from error
    if not any(found.values()):
        raise FormatError(path, "holds no ranked list")
    has_distances = any(isinstance(entry, tuple | list) for models in found.values() for entry in models)
    rows: list[tuple[str, ...]] = []
    distances: list[NDArray[np.float64]] = []
    for query, models in found.items():
        try:
            pairs = [(str(entry[0]), float(entry[1])) if has_distances else (str(entry), 0.0) for entry in models]
        except (TypeError, ValueError, IndexError) as error:
            raise FormatError(path, f"the list of '{query}' is not a list of ids or of (id, distance)") from error
        rows.append(tuple(name for name, _ in pairs))
        distances.append(np.array([value for _, value in pairs], np.float64))
    lines = np.arange(1, len(rows) + 1, dtype=np.int32)
    return ListRun(path, tuple(found), tuple(rows), lines, (), tuple(distances) if has_distances else (), f"{label}:")


def _preview_file(read: Callable[[Path], RankedIds], label: str, request: PreviewRequest) -> PreviewContent:
    return preview_lists(request, _read_lists(read, label, request.head.path))
