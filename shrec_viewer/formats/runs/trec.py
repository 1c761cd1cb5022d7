"""TREC runs: ``query Q0 model rank score tag``, ordered by score; ties keep file order."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Cancelled, Finding, FormatError, RankedLists, Severity
from shrec_viewer.formats.core.decisions import SET_EXPLICITLY, Alternative, Decision
from shrec_viewer.formats.core.findings_log import RUN_IGNORED, FindingsLog, count_of, join_some
from shrec_viewer.formats.core.ids import EXACT, RuleCounts
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.core.reader import ParsedRun
from shrec_viewer.formats.io.limits import MAX_IDS, MAX_NAME_BYTES, limit_error
from shrec_viewer.formats.io.parse_cache import GrowingArray
from shrec_viewer.formats.io.progress import (
    LARGE_TEXT_BYTES,
    NO_PROGRESS,
    CancelCheck,
    ReadProgress,
    never_cancelled,
    read_blocks,
)
from shrec_viewer.formats.io.tables import TokenCodes, token_columns
from shrec_viewer.formats.io.text import FileHead, check_lines, decode, is_number, os_errors, read_file_head
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

N_COLUMNS = 6

#: Minimum share of valid lines for a file to be of this format.
VALID_LINE_SHARE = 0.75

TREC_CACHE_KIND = "trec"

#: Record of a line, with fields of `TrecFile`; half the size of the text or less.
RECORD = np.dtype([("query", "<i4"), ("model", "<i4"), ("ranks", "<f4"), ("scores", "<f8"), ("lines", "<i4")])


@dataclass(frozen=True, eq=False)
class TrecFile(ParsedRun):
    """A TREC run as written, in file order.

    Attributes
    ----------
    path : the file.
    queries, models : distinct ids, in file order.
    query, model : (n,) int32, index of the id of each line.
    scores : (n,) float64, larger = more similar unless `nearer` is "smaller"; NaN if it is not a number.
    lines : (n,) int32, 1-based line of each.
    findings : lines that could not be used.
    title : description of a table of pairs; "" for a TREC run.
    nearer : "larger" or "smaller", which scores are more similar.
    has_direction : `nearer` is defined by the format or the header, not guessed.
    ranks : (n,) float32, the rank column; NaN if it is not a number. Evaluators ignore it. Empty for a table of pairs.
    tags : distinct run tags, in file order.
    files : of a table in several files of the folder `path`.
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
        """Number of lines, queries and models."""
        lines, queries = count_of(len(self.lines), "line"), count_of(len(self.queries), "query", "queries")
        return f"{lines}, {queries}, {count_of(len(self.models), 'model')}"


def is_trec(head: FileHead) -> bool:
    """Whether nearly all lines have six columns, the second is constant, and rank and score are numbers."""
    rows = [row for row in head.rows if len(row) == N_COLUMNS]
    good = [row for row in rows if is_number(row[3]) and is_number(with_point(row[4]))]
    return (
        len(good) >= max(1, VALID_LINE_SHARE * len(head.rows))
        and len({row[1] for row in good}) == 1
        and (good[0][1].upper() in ("Q0", "0") or not is_number(good[0][1]))
    )


def read_trec(path: Path, progress: ReadProgress = NO_PROGRESS) -> TrecFile:
    """All lines of a TREC run, parsed in blocks; mapped from the cache of `progress` if the file is large.

    A line without six columns is a finding and ignored; a score that is not a number becomes NaN, with a finding.

    Raises
    ------
    FormatError
        When no line can be used.
    Cancelled
        When ``progress.cancelled()`` becomes true.
    """
    with os_errors(path):
        size = read_file_head(path).size
        cache = progress.cache if size >= LARGE_TEXT_BYTES else None
        key = cache.key(TREC_CACHE_KIND, path) if cache is not None else None
        if cache is not None and (cached := cache.get(key)) is not None:
            with suppress(KeyError, TypeError, ValueError, IndexError):  # another content than was stored: parsed again
                return _trec_file(path, *cached)
        with GrowingArray(RECORD, cache, key) as records:
            parser = _TrecParser(path, records)
            for block in read_blocks(path, size, progress):
                parser.parse(block)
            words = parser.words()
            found = records.finish(
                (len(records),), words, cache.key(TREC_CACHE_KIND, path) if cache is not None else None
            )
    if found is None:  # the cache was cleared before the file could be mapped
        return read_trec(path, replace(progress, cache=None))
    return _trec_file(path, found, words)


def _trec_file(path: Path, records: NDArray[Any], words: Mapping[str, Any]) -> TrecFile:
    findings = tuple(Finding(Severity(severity), str(path), *rest) for severity, *rest in words["findings"])
    names: dict[str, Any] = {name: tuple(words[name]) for name in ("queries", "models", "tags")}
    columns: dict[str, Any] = {name: records[name] for name in RECORD.names or ()}
    return TrecFile(path=path, findings=findings, **names, **columns)


@dataclass(eq=False)
class _TrecParser:
    """Parser of a TREC run, block by block."""

    path: Path
    records: GrowingArray
    queries: TokenCodes = field(default_factory=TokenCodes)
    models: TokenCodes = field(default_factory=TokenCodes)
    tags: TokenCodes = field(default_factory=TokenCodes)
    n_lines: int = 0
    #: Severity, line, message, action and count of malformed ``"lines"`` and of ``"scores"`` that are no numbers.
    faults: dict[str, list[Any]] = field(default_factory=dict)

    def parse(self, data: bytes) -> None:
        """Parse some whole lines."""
        before = self.n_lines
        if not self._parse_uniform(data):
            self._parse_general(decode(data).split("\n"))
        for codes in (self.queries, self.models, self.tags):
            if len(codes) > MAX_IDS:
                raise limit_error(MAX_IDS, "different ids", self.path, self.n_lines)
            if codes.longest > MAX_NAME_BYTES:
                check_lines(self.path, data, before)  # raises, with the line

    def _parse_uniform(self, data: bytes) -> bool:
        """Parse lines with six columns and numbers; False, with no effect, for other lines."""
        found = token_columns(data, N_COLUMNS)
        if found is None:
            return False
        scores, ranks = found.numbers(4), found.numbers(3)
        if scores is None or ranks is None:
            return False
        self.tags.encode_column(found, 5)
        query, model = self.queries.encode_column(found, 0), self.models.encode_column(found, 2)
        self._append(found.lines, query, model, ranks, scores)
        self.n_lines += found.n_lines
        return True

    def _append(self, lines: NDArray[np.int32], *columns: NDArray[Any]) -> None:
        """Append lines with the columns query, model, ranks and scores."""
        records = np.empty(len(lines), RECORD)
        with np.errstate(over="ignore"):  # ranks beyond the range of float32 become inf
            for name, column in zip(RECORD.names or (), (*columns, lines + np.int32(self.n_lines)), strict=True):
                records[name] = column
        self.records.append(records)

    def _parse_general(self, text: list[str]) -> None:
        """Parse line by line; other lines than those with six columns are counted."""
        text[0] = text[0].removeprefix("\ufeff")
        rows = [line.split() for line in text]
        if not self.n_lines and len(rows[0]) == N_COLUMNS and not any(map(is_number, map(with_point, rows[0][3:5]))):
            rows[0] = []  # a header
        good = [number for number, row in enumerate(rows, 1) if len(row) == N_COLUMNS]
        malformed = [number for number, row in enumerate(rows, 1) if row and len(row) != N_COLUMNS]
        if malformed:
            width = len(rows[malformed[0] - 1])
            message = f"{N_COLUMNS} columns 'query Q0 model rank score tag' are expected, found {width}"
            self._count("lines", malformed, message, "ignored")
        if good:
            self._parse_words(list(chain.from_iterable(rows[number - 1] for number in good)), np.array(good, np.int32))
        self.n_lines += len(text) - (not text[-1])

    def _parse_words(self, words: list[str], lines: NDArray[np.int32]) -> None:
        numbers = list(map(with_point, words[4::N_COLUMNS]))
        scores = parse_numbers(numbers)
        bad = [index for index in np.flatnonzero(np.isnan(scores)) if not is_number(numbers[index])]
        if bad:
            message = f"the score '{words[4 + N_COLUMNS * bad[0]][:40]}' is not a number"
            self._count("scores", lines[bad].tolist(), message, "the model is last in its list")
        query, model, _ = (
            codes.encode(list(map(str.encode, words[column::N_COLUMNS])))
            for codes, column in ((self.queries, 0), (self.models, 2), (self.tags, 5))
        )
        self._append(lines, query, model, parse_numbers(words[3::N_COLUMNS]), scores)

    def _count(self, kind: str, lines: Sequence[int], message: str, action: str) -> None:
        """Count lines with a fault, of which the first is a finding."""
        fault = self.faults.setdefault(kind, [Severity.ERROR.value, lines[0] + self.n_lines, message, action, 0])
        fault[-1] += len(lines)

    def words(self) -> dict[str, Any]:
        """Ids, tags and findings, as stored in the cache; FormatError if no line can be used."""
        if not len(self.records):
            _, line, message, *_ = self.faults.get("lines", (None, None, "lists nothing"))
            raise FormatError(self.path, message, line)
        names = {name: getattr(self, name).names() for name in ("queries", "models", "tags")}
        return {**names, "findings": [fault for _, fault in sorted(self.faults.items())]}


def with_point(word: str) -> str:
    """A number with its decimal comma as a point."""
    return word.replace(",", ".")


def parse_numbers(words: list[str]) -> NDArray[np.float64]:
    """Decimal numbers of words, (n,) float64; NaN for words that are not numbers (and for ``nan``)."""
    try:
        found = np.fromiter(map(float, words), np.float64, len(words))
    except ValueError:
        return np.array([float(word) if is_number(word) else np.nan for word in words], np.float64)
    if "_" in "".join(words):
        found[[not is_number(word) for word in words]] = np.nan
    return found


def trec_file_of_pairs(
    path: Path,
    queries: Sequence[str],
    models: Sequence[str],
    scores: NDArray[np.float64],
    lines: Sequence[int],
    findings: Sequence[Finding],
    title: str,
    nearer: str,
    *,
    has_direction: bool = True,
) -> TrecFile:
    """A run in another format as a TREC run; columns (n,), see `TrecFile`."""
    known = TokenCodes(), TokenCodes()
    query, model = (
        codes.encode([name.encode(errors="replace") for name in names])
        for codes, names in zip(known, (queries, models), strict=True)
    )
    query_ids, model_ids = (codes.names() for codes in known)
    numbers = np.array(lines, np.int32)
    return TrecFile(
        path, query_ids, model_ids, query, model, scores, numbers, tuple(findings), title, nearer, has_direction
    )


def read_trec_run(
    file: TrecFile, context: ReadContext, options: ReadOptions = DETECT_ALL, cancelled: CancelCheck = never_cancelled
) -> RankedLists | None:
    """Ranked lists of a TREC run; None, and an error finding, if it has no list of a query.

    Distances are the negative scores. Models without a numeric score are last, in file order.

    Parameters
    ----------
    options : `similarity` overrides the direction of the file or the format.
    cancelled : called once per query.
    """
    similarity = options.similarity
    path, findings_log = file.path, context.findings_log
    is_smaller = file.nearer == "smaller" if similarity is None else not similarity
    if is_smaller:
        file = replace(file, scores=-file.scores)
    findings_log.extend(file.findings)
    context = count_from_zero(path, [file.models], context, "models", 1)
    rules: RuleCounts = {}
    items = _model_of_lines(file, context, rules)
    queries = _query_of_lines(file, context)
    if not np.any(queries >= 0) or not np.any(items[queries >= 0] >= 0):
        missing = f"ids is a model of the collection{context.unknown_model_example(file.models)}"
        if not np.any(queries >= 0):
            missing = f"queries is known{context.unknown_query_example(file.queries)}"
        findings_log.error(path, f"none of its {missing}", "the run is ignored", key=RUN_IGNORED)
        return None
    _log_ordering(file, similarity, is_smaller, findings_log)
    log_match_rules(path, rules, context, len(file.lines))
    log_query_match_rules(path, file.queries, context)
    by_line, order = _orders(file.scores, queries)
    if not file.title:  # the rows of a table need no order
        _log_disorder(file, queries, by_line, order, context, is_smaller=is_smaller)
    queries, items, models = queries[order], items[order], file.model[order]
    distances, lines, names = -file.scores[order], file.lines[order], np.array(file.models, object)
    lists: dict[int, CheckedList] = {}
    starts = np.flatnonzero(np.diff(queries, prepend=-1))
    faultless = faultless_lists(path, items, distances, lines, starts)
    bounds = pairwise([*starts.tolist(), len(order)])
    for query, (start, end), checked in zip(queries[starts].tolist(), bounds, faultless, strict=True):
        if cancelled():
            raise Cancelled
        rows, values = slice(start, end), ["nan"] * (end - start)  # words among the scores are findings of the file
        lists[query] = checked or check_list(
            ParsedList(path, names[models[rows]].tolist(), items[rows], distances[rows], values, lines[rows])
        )
    log_lists(path, lists, context, ranked_by_line=False)
    ranked = to_ranked_lists(lists, len(context.queries), by_score=True, similarity=not is_smaller)
    return _with_unknown_ids(ranked, models, file.models)


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


def _log_ordering(file: TrecFile, similarity: bool | None, is_smaller: bool, findings_log: FindingsLog) -> None:
    """Finding with the format and the direction of the scores."""
    if not file.title:
        ordered = "ordered by score, not by line or rank" + ("; smallest first, set explicitly" if is_smaller else "")
        findings_log.info(file.path, f"TREC run with tag {join_some(file.tags)}", ordered)
        return
    ordered = f"ordered by their numbers, the {'smallest' if is_smaller else 'largest'} first"
    if similarity is None and not file.has_direction:
        decision = direction_of_scores(file, similarity)
        problem = f"{file.title}; {decision.reason}"
        findings_log.decide(file.path, replace(decision, problem=problem, reason=""))
    else:
        findings_log.info(file.path, file.title, ordered)


def direction_of_scores(file: TrecFile, similarity: bool | None) -> Decision:
    """Whether larger scores are more similar, if that is not set."""
    against = "" if file.title else ", against the format"
    alternatives = (
        Alternative("false", outcome=f"the smallest score comes first{against}"),
        Alternative("true", outcome="the largest score comes first"),
    )
    reason = "defined by the format" if file.has_direction else "no header names the third column"
    if similarity is not None:
        return Decision("similarity", alternatives, str(similarity).lower(), True, SET_EXPLICITLY)
    return Decision("similarity", alternatives, str(file.nearer == "larger").lower(), file.has_direction, reason)


def _orders(scores: NDArray[np.float64], queries: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lines of known queries by query, in file order, and best first: equal scores in file order, NaN last.

    Lists are sorted one by one, as `np.lexsort` takes five times as long for lines that are in order.
    """
    by_line = np.argsort(queries, kind="stable")
    by_line = by_line[np.searchsorted(queries[by_line], 0) :]
    scores = np.asarray(scores)  # else each list is a memory map, which takes longer
    if np.all((np.diff(queries[by_line]) > 0) | (scores[by_line[1:]] <= scores[by_line[:-1]])):
        return by_line, by_line
    lists = np.split(by_line, np.flatnonzero(np.diff(queries[by_line])) + 1)
    return by_line, np.concatenate([rows[np.argsort(-scores[rows], kind="stable")] for rows in lists])


def _model_of_lines(file: TrecFile, context: ReadContext, rules: RuleCounts) -> NDArray[np.int32]:
    """Model of each line, (n,) int32, -1 for unknown ones; `rules` counts lines."""
    exact = context.items.exact
    loose = [index for index, name in enumerate(file.models) if name not in exact]
    counts = np.bincount(file.model, minlength=len(file.models)) if loose else np.zeros(0, np.int64)
    for index in loose:
        rule = context.items.match(file.models[index]).rule
        if rule != EXACT:
            before, first = rules.get(rule, (0, file.models[index]))
            rules[rule] = (before + int(counts[index]), first)
    return context.items.indices_of(file.models)[file.model]


def _query_of_lines(file: TrecFile, context: ReadContext) -> NDArray[np.int32]:
    """Query of each line, (n,) int32, -1 for unknown ones (one finding)."""
    index = np.array([context.query_ids.index_of(name) for name in file.queries], np.int32)
    queries = index[file.query]
    unknown = [name for name, query in zip(file.queries, index.tolist(), strict=True) if query < 0]
    if unknown and len(unknown) < len(index):
        line = int(file.lines[np.flatnonzero(queries < 0)[0]])
        message = f"{count_of(len(unknown), 'unknown query', 'unknown queries')}: {join_some(unknown)}"
        context.findings_log.warning(file.path, message, "ignored", line=line)
    return queries


def _log_disorder(
    file: TrecFile,
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
    numbers, ranks = file.scores[by_line], file.ranks[by_line]
    if len(out_of_place) and np.all((numbers[1:] >= numbers[:-1])[same]) and np.all((ranks[1:] > ranks[:-1])[same]):
        other = "similarities" if is_smaller else "distances"
        problem = f"ranks, lines and {'de' if is_smaller else 'a'}scending numbers agree in all lists: the numbers are "
        decision, reason = direction_of_scores(file, not is_smaller), "trec_eval orders by score"
        decision = replace(decision, is_sure=False, reason=reason, problem=f"{problem}probably {other}")
        context.findings_log.decide(file.path, decision)
        return
    if len(out_of_place):
        line = int(file.lines[by_line[out_of_place[0]]])
        message = "the lines are not in the order of the scores"
        context.findings_log.warning(file.path, message, "ordered by score", line=line, count=len(out_of_place))
        numbers, ranks = file.scores[order], file.ranks[order]
    wrong = np.flatnonzero(same & (numbers[:-1] > numbers[1:]) & (ranks[1:] <= ranks[:-1]))
    if len(wrong):
        line = int(file.lines[order[wrong[0] + 1]])
        message = "the rank column is not in the order of the scores"
        context.findings_log.warning(file.path, message, "ordered by score", line=line, count=len(wrong))
