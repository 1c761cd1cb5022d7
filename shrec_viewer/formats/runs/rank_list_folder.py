"""Runs that are folders of rank lists: one file per query, named after the query."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from shrec_viewer.domain import Cancelled, FormatError, RankedLists, Severity
from shrec_viewer.formats.core.decisions import Alternative, Decision
from shrec_viewer.formats.core.findings_log import MAX_SEPARATE_FINDINGS, RUN_IGNORED, FindingsLog, count_of, join_some
from shrec_viewer.formats.core.ids import EXACT, EXTENSION, IdIndex, RuleCounts, without_extension
from shrec_viewer.formats.core.read_choices import LIST_COLUMNS, split_roles
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.core.reader import EMPTY, UNKNOWN, FoundFile, OpenedRun, ParsedRun
from shrec_viewer.formats.io.files import read_unchanged
from shrec_viewer.formats.io.progress import NO_PROGRESS, CancelCheck, ReadProgress, never_cancelled
from shrec_viewer.formats.io.text import read_or_none
from shrec_viewer.formats.runs.checks import (
    QUERY_NAME_SHARE,
    CheckedList,
    CheckedLists,
    ParsedList,
    ZeroBasedIds,
    are_similarities,
    check_list,
    index_from_zero,
    index_with_affix,
    log_lists,
    log_match_rules,
    log_query_match_rules,
    to_ranked_lists,
)
from shrec_viewer.formats.runs.rank_list import (
    NOTE_ACTIONS,
    UNDECIDED_COLUMNS,
    RankListFile,
    find_id_column,
    parse_list_numbers,
    read_list_of_roles,
    read_rank_list,
)

#: Number of lists from which the column order of a run is detected: one may be faulty.
MAX_SAMPLED_LISTS = 3


#: Formats that a file of a folder of rank lists can be mistaken for if the file is faulty.
LIST_FILE_KINDS = (
    *("rank_list", EMPTY, UNKNOWN, "table", "matrix", "qrels", "trec"),
    *("truth", "pairs", "classes", "submission", "partiality", "labelled_matrix", "long", "keyed_lists", "labels"),
)

#: Sample of a folder that is named as a run but has no file that is recognised as a rank list.
NO_SAMPLE = RankListFile(Path(), None, ((),), np.zeros(0, np.int32))

#: Minimum share of known model ids in a list for a folder whose file names match no query to be reported.
KNOWN_ID_SHARE = 0.5


@dataclass(frozen=True, eq=False)
class RankListFolder(ParsedRun):
    """A folder with one rank list per query, or with a folder per query that contains nothing but its list.

    The lists are parsed by `read_rank_list_run`, when the run is ranked, and matched to the ids of the benchmark at
    once. All runs are read before any is ranked, so that the parsed lists of all runs would be in memory together: a
    run of ShapeNetCore55, 10 million ids with distances, takes 1.4 GB as text, 160 MB as bytes of the files, and 120
    MB as codes and numbers, as much again as its `RankedLists` (Python 3.11, measured with a million ids). Parsing is
    a quarter of the time: 0.7 of 2.5 s per million ids.

    Attributes
    ----------
    path : the folder.
    files : its files, or those of its folders, in natural order.
    sample : its first list that is not empty; `NO_SAMPLE` if none is recognised.
    """

    path: Path
    files: tuple[FoundFile, ...]
    sample: RankListFile

    @property
    def names(self) -> list[str]:
        """Names of the files recognised as lists, see `list_name`, without extension."""
        lists = (found.path for found in self.files if found.kind == "rank_list")
        return [without_extension(list_name(path, self.path)) for path in lists]

    def query_ids(self) -> Sequence[str]:
        """The names of the lists."""
        return self.names

    def id_columns(self) -> Sequence[Sequence[str]]:
        """The columns of the sample, of which one contains the ids."""
        return self.sample.columns

    def model_ids(self) -> set[str]:
        """Ids of all lists, which are read for this.

        First lines with the name of the query are not among them if all lists start with it and no list contains it.
        """
        is_pair = len(self.sample.columns) == 2
        column = find_id_column([self.sample], lambda _: 0.0)[0] if is_pair else 0
        ids: set[str] = set()
        first_lines: set[str] = set()
        n_lists = 0
        for found in self.files:
            if found.kind != "rank_list":
                continue
            if (raw := read_or_none(read_rank_list, found.path)) is None:
                continue  # reported when the run is ranked
            words = raw.columns[column if len(raw.columns) == 2 else 0]
            name = list_name(found.path, self.path)
            has_name = len(words) > 0 and words[0] in (name, without_extension(name))
            if has_name and not is_pair:
                first_lines.add(words[0])
                words = words[1:]
            ids |= set(words)
            n_lists += 1
        return ids if len(first_lines) == n_lists and not first_lines & ids else ids | first_lines


def list_name(path: Path, run: Path) -> str:
    """Name of a list that says its query: that of its file, or of the folder below the run's that the file is in."""
    return path.relative_to(run).parts[0]


def single_lists(folders: Mapping[Path, Sequence[FoundFile]]) -> dict[Path, tuple[FoundFile, ...]]:
    """Lists by the folder of their run, where each is alone in a folder: ``A/Q00/ranking.txt``, ``A/Q01/ranking.txt``.

    All files have the same name, or that of their folder. That the folders are named after queries is not checked.

    Parameters
    ----------
    folders : the files directly in each folder.
    """
    found: dict[Path, list[FoundFile]] = {}
    for folder, files in folders.items():
        is_alone = len(files) == 1 and all(file.kind == UNKNOWN for file in folders.get(folder.parent, ()))
        if is_alone and files[0].kind in LIST_FILE_KINDS:
            found.setdefault(folder.parent, []).extend(files)

    def are_alike(paths: Sequence[Path]) -> bool:
        stems = [without_extension(path.name) for path in paths]
        return len({*stems}) == 1 or stems == [path.parent.name for path in paths]

    return {
        run: tuple(files) for run, files in found.items() if len(files) > 1 and are_alike([file.path for file in files])
    }


def read_rank_list_folder(
    path: Path, files: Sequence[FoundFile], progress: ReadProgress = NO_PROGRESS
) -> RankListFolder | None:
    """The rank lists among the files of a folder; None if no file is recognised as one."""
    lists = (file for file in files if file.kind == "rank_list")
    sample = next((found for file in lists if (found := read_or_none(read_rank_list, file.path))), None)  # not empty
    if sample is None:
        return None
    return RankListFolder(path, tuple(file for file in files if file.kind in LIST_FILE_KINDS), sample)


def read_named_folder(path: Path, files: Sequence[FoundFile]) -> RankListFolder | None:
    """Read a folder that is named as a run, even if no file in it is recognised as a list."""
    listable = tuple(file for file in files if file.kind in LIST_FILE_KINDS)
    found = read_rank_list_folder(path, files)
    return found if found is not None or not listable else RankListFolder(path, listable, NO_SAMPLE)


def join_single_lists(
    runs: Sequence[OpenedRun], folders: Mapping[Path, Sequence[FoundFile]], context: ReadContext
) -> tuple[OpenedRun, ...]:
    """Runs with those of `single_lists` in place of runs of one list, if they are folders named after queries."""
    reader = next((run.reader for run in runs if isinstance(run.parsed, RankListFolder)), None)
    if reader is None:
        return tuple(runs)
    joined: list[OpenedRun] = []
    parts: set[Path] = set()
    for path, files in single_lists(folders).items():
        found = read_rank_list_folder(path, files)
        if found is None or index_with_affix(found.names, context.query_ids)[0].share(found.names) < QUERY_NAME_SHARE:
            continue
        if _known_share(found, context) >= KNOWN_ID_SHARE:
            joined.append(OpenedRun(reader, found))
            parts |= {file.path.parent for file in files}
            names = join_some([context.findings_log.mention(file.path) for file in found.files])
            message = f"each list is alone in a folder named after its query: {names}"
            context.findings_log.info(path, message, "read as one run")
    return (*(run for run in runs if run.path not in parts), *joined)


def _known_share(run: RankListFolder, context: ReadContext) -> float:
    """Largest share of models of the collection in a column of the sample."""
    return max(context.items.share(list(column)) for column in run.sample.columns)


def accept_rank_list_folder(run: RankListFolder, context: ReadContext) -> bool:
    """Whether most files are named after queries, or all queries have a file and its ids are those of the models.

    A warning if only the ids in them are those of the benchmark.
    """
    if not len(context.queries):
        return False
    names = run.names
    if index_with_affix(names, context.query_ids)[0].share(names) >= QUERY_NAME_SHARE:
        return True
    known = _known_share(run, context)
    has_enough = known >= KNOWN_ID_SHARE and len(names) >= len(context.queries)  # there may be 400,000 queries
    if has_enough and IdIndex(names).share(context.queries.ids) == 1:
        return True
    if known >= KNOWN_ID_SHARE and len(names) > 1:
        message = f"{count_of(len(names), 'rank list')} whose names match no query: for example '{names[0]}'"
        context.findings_log.warning(run.path, f"{message}, while '{context.queries.ids[0]}' is a query", "ignored")
        for found in run.files:
            context.findings_log.mention(found.path)
    return False


@dataclass(eq=False)
class RankListDialect:
    """Notation of the lists of a run.

    Attributes
    ----------
    column : column of the ids, if there are two.
    reason : reason for `column`.
    rules : rules that matched ids.
    n_pairs, n_commas : lists with two columns, with commas between them.
    columns : the columns if they are set explicitly, see `ReadOptions`; else "".
    query_line : whether the first line is the name of the query, if that is set explicitly; else None.
    n_own_first : lists of models without numbers that start with their query, read as the first result.
    notes : number of lists with each note of `SplitLines`.
    """

    column: int
    reason: str
    rules: RuleCounts = field(default_factory=dict)
    n_pairs: int = 0
    n_commas: int = 0
    columns: str = ""
    query_line: bool | None = None
    n_own_first: int = 0
    notes: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        if self.columns:
            return f"'{self.columns}'{' with commas' if self.n_commas else ''}, set explicitly"
        text = "'id'" if not self.n_pairs else ("'id distance'", "'distance id'")[self.column]
        return f"{text}{' with commas' if self.n_commas else ''}{f', because {self.reason}' if self.reason else ''}"


def read_rank_list_run(
    folder: RankListFolder,
    context: ReadContext,
    read_options: ReadOptions = DETECT_ALL,
    cancelled: CancelCheck = never_cancelled,
) -> RankedLists | None:
    """Ranked lists of a folder; None, and an error finding, if no file is the list of a query.

    The order of the lines is the ranking. Unknown and duplicate ids are kept, as their effect depends on the profile.

    Parameters
    ----------
    folder : the folder with its files.
    read_options : columns and direction; detected from the lists if None.
    """
    run, files = folder.path, folder.files
    index = _file_name_index(run, files, context)
    if index is not context.query_ids:  # a copy loses the cached properties
        context = replace(context, query_ids=index)
    paths = files_of_queries(run, files, context)
    if not paths:
        message = "no file in it is named after a query"
        if files and len(context.queries):
            message += f": for example '{list_name(files[0].path, run)}', while '{context.queries.ids[0]}' is a query"
        context.findings_log.error(run, message, "the run is ignored", key=RUN_IGNORED)
        return None
    read = partial(read_lists, paths, context, cancelled, read_options)
    (dialect, lists, failures), zero_based, items = read_unchanged(run, read, tuple(paths.values()))
    if items is not context.items:
        zero_based.note(run, context, item_name="lists")
        context = replace(context, items=items)
    for error in failures:
        context.findings_log.failed(error, "the query counts as missing")
    if not _has_known_ids(run, lists, context):
        return None
    _log_dialect(run, dialect, lists, context)
    negative = have_similarities(lists, read_options)
    if negative:
        action = "read as similarities: their negatives are the distances"
        context.findings_log.info(run, "numbers in descending order", action)
    log_lists(run, lists, context, ranked_by_line=True, negative=negative)
    return to_ranked_lists(lists, len(context.queries), negative=negative)


def have_similarities(lists: CheckedLists, options: ReadOptions) -> bool:
    """Whether larger numbers of some lists are more similar."""
    if options.similarity is not None:
        return options.similarity
    roles = split_roles(options.columns)
    return "score" in roles if {"score", "distance"} & {*roles} else are_similarities(lists)


def read_lists(
    paths: Mapping[int, Path], context: ReadContext, cancelled: CancelCheck, read_options: ReadOptions
) -> tuple["ParsedLists", ZeroBasedIds, IdIndex]:
    """The lists of some queries, and the index of their ids: not `context.items` if they count from 0."""
    zero_based = ZeroBasedIds(context.items)
    found = _read_lists(paths, context, cancelled, read_options, zero_based)
    shifted = zero_based.shifted(checked.items for checked in found[1].values())
    if shifted is None:
        return found, zero_based, context.items
    context = replace(context, items=shifted)
    return _read_lists(paths, context, cancelled, read_options, zero_based), zero_based, shifted


#: Notation of the lists of a run, the list of each query, and the errors of lists that cannot be read.
ParsedLists = tuple[RankListDialect, dict[int, CheckedList], list[FormatError]]


def _read_lists(
    paths: Mapping[int, Path],
    context: ReadContext,
    cancelled: CancelCheck,
    read_options: ReadOptions,
    zero_based: ZeroBasedIds,
) -> ParsedLists:
    """The lists of a run, one version of each."""
    dialect = detect_dialect(list(paths.values()), context.items, read_options.columns)
    dialect.query_line = read_options.query_line
    lists: dict[int, CheckedList] = {}
    failures = []
    for query, path in paths.items():
        if cancelled():
            raise Cancelled
        try:
            raw = read_list_with_ids(path, context.items, read_options.columns)
            found = _parse_list(raw, query, dialect, context)
        except FormatError as error:
            failures.append(error)
            continue
        if zero_based.is_possible:
            zero_based.count(found.words, found.items)
        lists[query] = check_list(found)
    return dialect, lists, failures


#: Ends of the names of copies: of extensions that are equally common in a run, not those of its lists.
COPY_SUFFIXES = (".bak", ".old", ".orig", ".save", ".tmp", "~")


def files_of_queries(run: Path, files: Sequence[FoundFile], context: ReadContext) -> Mapping[int, Path]:
    """File of each query, in the order of the queries; of several the one that `_log_copies` describes."""
    found: dict[int, list[Path]] = {}
    unmatched_files = []
    for file in files:
        name = list_name(file.path, run)
        query = context.query_ids.index_of(name)
        if query >= 0:
            found.setdefault(query, []).append(file.path)
        elif file.kind == "rank_list":
            unmatched_files.append(name)
    endings = Counter(_ending(path) for paths in found.values() for path in paths)
    most = [ending for ending, count in endings.items() if count == max(endings.values())]
    usual = [ending for ending in most if not ending.lower().endswith(COPY_SUFFIXES)] or most
    copies: dict[bool, list[tuple[str, Path, Path]]] = {True: [], False: []}
    for query, paths in found.items():
        regular = [path for path in paths if _ending(path) in usual]
        exact = [path for path in regular if context.query_ids.match(list_name(path, run)).rule in (EXACT, EXTENSION)]
        used = [*exact, *regular, *paths][0]
        name = context.queries.ids[query]
        copies[len(exact) == 1] += [(name, path, used) for path in paths if path != used]
        found[query] = [used]
    for is_clear, ignored in copies.items():
        _log_copies(ignored, context.findings_log, is_clear=is_clear)
    if unmatched_files and found:
        message = f"{count_of(len(unmatched_files), 'list')} not named after a query: {join_some(unmatched_files)}"
        context.findings_log.warning(run, message, "ignored")
    return {query: path for query, (path,) in sorted(found.items())}


def _ending(path: Path) -> str:
    return path.name[len(without_extension(path.name)) :]


def _log_copies(copies: Sequence[tuple[str, Path, Path]], findings_log: FindingsLog, *, is_clear: bool) -> None:
    """Report files of queries that have another list.

    Parameters
    ----------
    copies : query, file, and the file that is used, for each copy.
    is_clear : whether the files that are used are the only ones with the query's exact name and the usual extension;
        otherwise the choice is a guess, and an error.
    """
    log = findings_log.warning if is_clear else findings_log.error
    why = "the only one with the exact name and the usual extension" if is_clear else "the first of equals"
    for name, path, used in copies if len(copies) <= MAX_SEPARATE_FINDINGS else copies[:1]:
        message = f"duplicate list for '{name}'"
        if len(copies) > MAX_SEPARATE_FINDINGS:
            message += f" ({len(copies):,} such files, this is the first)"
        log(path, message, f"'{used.name}' is used, {why}; to use another, keep only that one")


def _file_name_index(run: Path, files: Sequence[FoundFile], context: ReadContext) -> IdIndex:
    """Index that matches file names to queries."""
    names = [without_extension(list_name(found.path, run)) for found in files]
    index, common = index_with_affix(names, context.query_ids)
    if common:
        message = f"'{common}' is part of all file names"
        context.findings_log.info(run, message, "the rest is the name of the query")
        return index
    index, zero_based = index_from_zero(names, context.query_ids)
    if zero_based is not None:
        zero_based.note(run, context, item_name="files")
    return index


def read_list_with_ids(path: Path, items: IdIndex, columns: str | None = None) -> RankListFile:
    """Read a rank list; if ids of the collection contain spaces, lines are split so that most ids are known.

    `columns`: see `ReadOptions`.
    """
    if len(roles := split_roles(columns)) > 1:
        return read_list_of_roles(path, roles)
    return read_rank_list(path, items.weighted_share if items.has_blanks else None)


def detect_dialect(paths: Sequence[Path], items: IdIndex, columns: str | None = None) -> RankListDialect:
    """Detect the column of the ids from the first lists with two columns, unless it is set explicitly."""
    if columns is not None:
        return RankListDialect(int(columns == "distance id"), "", columns=columns)
    sampled: list[RankListFile] = []
    for path in paths:
        if (found := read_or_none(read_list_with_ids, path, items)) is None:
            continue  # reported when the run is ranked
        if len(found.columns) == 2 and len(found):
            sampled.append(found)
        if len(sampled) == MAX_SAMPLED_LISTS or (not sampled and len(found)):
            break
    if not sampled:
        return RankListDialect(0, "")
    exact = partial(items.share, exact=True)
    is_exact = any(exact(column) for found in sampled for column in found.columns)
    return RankListDialect(*find_id_column(sampled, exact if is_exact else items.share))


def _parse_list(found: RankListFile, query: int, dialect: RankListDialect, context: ReadContext) -> ParsedList:
    """Match the ids of a list; a first line with the name of the query is removed."""
    dialect.n_pairs += len(found.columns) == 2
    dialect.n_commas += found.commas
    dialect.notes.update(found.notes)
    name, words, lines, is_swapped = found.first, found.columns[0], found.lines, False
    values: Sequence[str] = ()
    if len(found.columns) == 2:
        is_swapped = not dialect.columns and _has_swapped_columns(found, dialect.column, context.items)
        column = 1 - dialect.column if is_swapped else dialect.column
        words, values = found.columns[column], found.columns[1 - column]
        if name is None and dialect.query_line and len(words):
            name, words, values, lines = words[0], words[1:], values[1:], lines[1:]
        elif name is not None and dialect.query_line is False:
            words, values, lines = [name, *words], ["nan", *values], np.insert(lines, 0, found.first_line)
            name = None
    elif len(words) and is_query_name(words, query, context, dialect.query_line):
        name, words, lines = words[0], words[1:], lines[1:]
    elif len(words) and context.query_ids.index_of(words[0]) == query:
        dialect.n_own_first += 1
    if dialect.columns == "id":
        values = ()
    distances, written = parse_list_numbers(values) if values else (None, None)
    if written:
        dialect.notes[written] += 1
    items = context.items.indices_of(words, dialect.rules)
    ignored = found.blank, found.comments, found.malformed, found.lacks_line_end
    return ParsedList(found.path, words, items, distances, values, lines, name, is_swapped, *ignored)


def _has_swapped_columns(found: RankListFile, column: int, items: IdIndex) -> bool:
    """Whether only the column with the distances of the other lists holds known ids."""
    words, values = found.columns[column], found.columns[1 - column]
    return len(words) > 0 and words[0] not in items.exact and not items.share(words) and items.share(values) > 0


def is_query_name(words: Sequence[str], query: int, context: ReadContext, query_line: bool | None = None) -> bool:
    """Whether the first id of a list is the name of a query and not its first result.

    A query that is a model can be the first result of its list: its id is a header only if it occurs again below, or
    if that is set explicitly.

    Parameters
    ----------
    words : ids of a list without numbers.
    query : query of the list.
    query_line : `ReadOptions.query_line`.
    """
    if query_line is not None:
        return query_line
    meant = context.query_ids.index_of(words[0])
    if context.items.index_of(words[0]) < 0:
        return meant >= 0
    return 0 <= meant == query and words[0] in words[1:]


def _has_known_ids(run: Path, lists: CheckedLists, context: ReadContext) -> bool:
    filled = [found for found in lists.values() if len(found.items)]
    if lists and (not filled or any(np.any(found.items >= 0) for found in filled)):
        return True
    message = "none of its lists can be read"
    if filled:
        example = context.unknown_model_example([word for found in filled for word in found.unknown])
        message = f"none of its ids is a model of the collection{example}"
    context.findings_log.error(run, message, "the run is ignored", key=RUN_IGNORED)
    return False


def _log_dialect(run: Path, dialect: RankListDialect, lists: CheckedLists, context: ReadContext) -> None:
    named = sum(found.name is not None for found in lists.values())
    first = ", first line the query's name" if 2 * named > len(lists) else ""
    message = f"{count_of(len(lists), 'rank list')}, lines {dialect}{first}"
    action = "the order of the lines is the ranking"
    if dialect.reason == UNDECIDED_COLUMNS:
        columns = tuple(map(Alternative, LIST_COLUMNS[1:]))
        decision = Decision("columns", columns, LIST_COLUMNS[1 + dialect.column], problem=f"{message}; {action}")
        context.findings_log.decide(run, decision)
    else:
        context.findings_log.info(run, message, action)
    if dialect.n_own_first:
        problem = f"{dialect.n_own_first:,} of {count_of(len(lists), 'list')} begin with the query itself"
        lines = (Alternative("false", outcome="read as the first result"), Alternative("true"))
        context.findings_log.decide(run, Decision("query_line", lines, "false", problem=problem), Severity.INFO)
    for note, count in dialect.notes.items():
        message = f"{count_of(count, 'list has', 'lists have')} {note}"
        context.findings_log.info(run, message, NOTE_ACTIONS.get(note, "ignored"))
    total = sum(len(found.items) for found in lists.values())
    log_match_rules(run, dialect.rules, context, total)
    log_query_match_rules(run, (list_name(found.path, run) for found in lists.values()), context)
    _log_query_names(lists, context)


def _log_query_names(lists: CheckedLists, context: ReadContext) -> None:
    """Findings about first lines with another query, or that only some lists have."""
    named = [found for found in lists.values() if found.name is not None]
    for query, found in lists.items():
        if found.name is not None and context.query_ids.index_of(found.name) != query:
            message = f"the first line '{found.name}' is not the query in the file name"
            context.findings_log.warning(found.path, message, "the file name is used", line=1)
    bare = [found for found in lists.values() if found.name is None and len(found.items)]
    if not named or not bare:
        return
    message = "no query name in the first line, unlike other lists"
    if len(bare) >= len(named):
        message = "query name in the first line, unlike other lists"
    minority = min(named, bare, key=len)
    for index, found in enumerate(minority[:MAX_SEPARATE_FINDINGS]):
        count = 1 if index + 1 < MAX_SEPARATE_FINDINGS else len(minority) - index
        context.findings_log.warning(found.path, message, "ranks start at the first id", line=1, count=count)
