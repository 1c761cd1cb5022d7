"""Preview of a file as its reader interprets it: first rows with the meaning of each column, and the alternatives."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Unpack

import numpy as np

from shrec_viewer.domain import Benchmark, Collection, FormatError, Queries
from shrec_viewer.formats.core.decisions import DECISIONS, SET_EXPLICITLY, Alternative, Decision, rank_text
from shrec_viewer.formats.core.evidence import CLEAR_Z, z_score
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of
from shrec_viewer.formats.core.ids import IdIndex, without_extension
from shrec_viewer.formats.core.read_choices import BY_NAME, BY_NEAREST, COLUMN_ROLES, TRUTH_ROLES, split_roles
from shrec_viewer.formats.core.read_context import ReadContext, read_context_of
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.core.reader import (
    CLASS_COLUMN,
    EMPTY,
    IGNORED_COLUMN,
    LEVEL_COLUMN,
    MODEL_COLUMN,
    QUERY_COLUMN,
    FormatReader,
    PreviewColumn,
    RunReader,
    list_column,
)
from shrec_viewer.formats.discovery.reader_table import all_readers, find_reader, table_reader
from shrec_viewer.formats.discovery.reading import open_run
from shrec_viewer.formats.discovery.recognition import recognise_folder, recognise_format
from shrec_viewer.formats.io.files import read_unchanged
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.io.progress import LARGE_TEXT_BYTES, ReadHooks, ReadProgress, never_cancelled
from shrec_viewer.formats.io.tables import split_table
from shrec_viewer.formats.io.text import (
    FileHead,
    decode,
    in_plain_notation,
    is_comment,
    is_number,
    is_utf16,
    looks_like_text,
    read_file_head,
    read_or_none,
    split_lines,
)
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.matrices.matrix_blocks import MatrixFolder, join_blocks
from shrec_viewer.formats.matrices.matrix_runs import BY_IDS, are_number_lists, interpret_matrix
from shrec_viewer.formats.matrices.zarr_store import ZARR, is_zarr
from shrec_viewer.formats.runs.checks import (
    DESCENDING,
    SWAPPED_COLUMNS,
    CheckedList,
    are_similarities,
    index_with_affix,
)
from shrec_viewer.formats.runs.listed_run import ListedRun, direction_of_scores
from shrec_viewer.formats.runs.rank_list import UNDECIDED_COLUMNS, RankListFile
from shrec_viewer.formats.runs.rank_list_folder import (
    MAX_SAMPLED_LISTS,
    RankListDialect,
    RankListFolder,
    files_of_queries,
    have_similarities,
    list_name,
    read_list_with_ids,
    read_lists,
)
from shrec_viewer.formats.truth.class_tables import LabelTable, LabelVector
from shrec_viewer.formats.truth.qrels import QrelsFile


def question_about(
    key: str,
    options: ReadOptions,
    chosen: str | bool,
    outcomes: Mapping[str, str],
    reason: str = "",
    *,
    is_sure: bool = False,
) -> Decision:
    """The decision about a field of `ReadOptions`, which is settled if the field is set.

    `outcomes`: text about the result of each value of the field.
    """
    is_set = getattr(options, key) is not None
    alternatives = tuple(Alternative(value, outcome=outcome) for value, outcome in outcomes.items())
    reason = SET_EXPLICITLY if is_set else reason
    return Decision(key, alternatives, str(chosen).lower(), is_set or is_sure, reason)


def shown(decision: Decision) -> Decision:
    """A decision of a reader with all values of its row, and the ranks of relevant models that each would give.

    What no reader is sure of is decided by the ranks, if they are clear.
    """
    known = {one.key: one for one in decision.alternatives}
    is_sure, reason, alternatives = decision.is_sure, decision.reason, []
    for value in dict.fromkeys((*DECISIONS[decision.key].labels, *known)):
        one = known.get(value, Alternative(value, outcome="does not fit this file", is_available=False))
        texts = (one.outcome or one.text, "" if one.evidence is None else rank_text(one.evidence))
        alternatives.append(replace(one, outcome="; ".join(filter(None, texts))))
    evidence = None if is_sure or decision.chosen not in known else decision.taken.evidence
    if evidence is not None:
        z = z_score(evidence.shares)
        is_sure = decision.key == "similarity" and z > CLEAR_Z
        worse = "relevant models rank worse than by chance; they rank better in another reading"
        unclear = "no reading is significantly better than chance"
        own = decision.reason or decision.problem
        reason = worse if z < -CLEAR_Z and not own else rank_text(evidence) if is_sure else own or unclear
    if is_sure and not reason and not decision.others:
        n_fitting = sum(one.is_available for one in decision.alternatives)
        reason = "the readings that fit are the same" if n_fitting > 1 else "only one reading fits"
    return replace(decision, readings=tuple(alternatives), is_sure=is_sure, reason=reason)


def columns_question(
    lists: Sequence[RankListFile], dialect: RankListDialect, context: ReadContext, options: ReadOptions
) -> Decision | None:
    """Which column of some lists has the ids; None for lists of ids."""
    pairs = [found for found in lists if len(found.columns) == 2]
    if not pairs:
        return None
    ids = [_known_ids_text([word for found in pairs for word in found.columns[at]], context) for at in (0, 1)]
    outcomes = {"id distance": ids[0], "distance id": ids[1], "id": f"{ids[0]}; second column ignored"}
    chosen = dialect.columns or ("id distance", "distance id")[dialect.column]
    is_sure = dialect.reason != UNDECIDED_COLUMNS
    return question_about("columns", options, chosen, outcomes, dialect.reason, is_sure=is_sure)


def _known_ids_text(words: Sequence[str], context: ReadContext) -> str:
    if len(context.collection):
        known = int((context.items.indices_of(words) >= 0).sum())
        return f"{known:,} of {count_of(len(words), 'id')} are models of the collection"
    return "numbers" if all(map(is_number, words)) else f"names such as '{words[0]}'"


def direction_of_lists(
    lists: Sequence[RankListFile], checked: Sequence[CheckedList], options: ReadOptions
) -> Decision | None:
    """Which numbers of some lists are more similar; None if they have none or it is ignored."""
    if options.columns == "id" or all(len(found.columns) < 2 for found in lists):
        return None
    is_descending = are_similarities(dict(enumerate(checked)))
    is_ascending = any(found.is_descending is not None for found in checked) and not any(
        DESCENDING in found.faults for found in checked
    )
    reason = "numbers in descending order" if is_descending else "numbers in ascending order" if is_ascending else ""
    is_similarity = is_descending if options.similarity is None else options.similarity
    outcomes = dict.fromkeys(("false", "true"), "ranked in the order of the lines")
    return question_about("similarity", options, is_similarity, outcomes, reason, is_sure=bool(reason))


def query_line_question(
    lists: Mapping[str, RankListFile], checked: Sequence[CheckedList], context: ReadContext, options: ReadOptions
) -> Decision | None:
    """Whether the first lines are queries; None if no list of models without numbers starts with its query."""
    find = context.query_ids.index_of
    for (name, found), result in zip(lists.items(), checked, strict=True):
        first = found.columns[0][0] if len(found.columns) == 1 and len(found.columns[0]) else ""
        if first and 0 <= find(first) == find(name):
            is_name = result.name is not None
            outcomes = {"true": "ranks start at the second line", "false": "ranks start at the first line"}
            reason = f"the query {'occurs' if is_name else 'does not occur'} again below"
            return question_about("query_line", options, is_name, outcomes, reason, is_sure=True)
    return None


LARGE_FILE_TEXT = "Large file: only the first lines were inspected."

#: Files of a folder among which its first lists are looked for: some can be notes, some empty.
MAX_LISTED_FILES = 40

#: Size up to which a file is read by every reader to show what each would read: about 0.1 s.
SMALL_FILE_BYTES = 2**20

#: Number of rows shown, as many as fit into the dialog without scrolling, and of cells in each.
SHOWN_ROWS, SHOWN_CELLS = 18, 12

#: Maximum number of bytes shown of a file, and read of a large text: twelve lines of a matrix of 1,200 columns.
MAX_SHOWN_BYTES = 2**18


@dataclass(frozen=True)
class PreviewRow:
    """One line as interpreted.

    Attributes
    ----------
    line : 1-based; None for files without lines.
    cells : at most as many as there are columns.
    note : why the line is ignored, or what is wrong with it; "" for a line that is read.
    """

    line: int | None
    cells: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True)
class PreviewContent:
    """The first rows of a file, the questions about its options (not about its format), and a short description.

    `is_table`: the cells are those of the lines of a table, so that the role of each column can be chosen.
    """

    columns: tuple[PreviewColumn, ...]
    rows: tuple[PreviewRow, ...]
    questions: tuple[Decision, ...] = ()
    summary: str = ""
    is_table: bool = False


@dataclass(frozen=True, kw_only=True)
class Preview(PreviewContent):
    """The beginning of a file as interpreted, and the alternatives; the plain lines if there is a `problem`.

    Attributes
    ----------
    path : what is previewed: a file, or a folder that is a run.
    sample : the file whose lines are shown.
    format : key of the reader used; "" if no reader recognises the file.
    label : of the reader.
    problem : why the file cannot be read with these options; "" if it can.
    roles : role of each column, see COLUMN_ROLES and TRUTH_ROLES, if they can be chosen; else empty.
    """

    path: Path
    sample: Path
    format: str
    label: str
    problem: str = ""
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class PreviewRequest:
    """What a file is read for.

    Attributes
    ----------
    context : ids and assessment of the open benchmark; without ids if none is open.
    options : options chosen by the user; None in a field: detected.
    cancelled : see `RunReader.rank`.
    is_part : only the first lines of the file are read, so that the number of its rows is not known.
    """

    context: ReadContext
    options: ReadOptions = DETECT_ALL
    cancelled: Callable[[], bool] = never_cancelled
    is_part: bool = False

    def row(
        self, line: int | None, cells: Sequence[str], columns: Sequence[PreviewColumn], note: str = ""
    ) -> PreviewRow:
        """A row; without a note, that of its first id that the benchmark does not have."""
        shown = tuple(cells[: len(columns)])
        notes = (self._note_of_id(column, word) for column, word in zip(columns, shown, strict=False))
        return PreviewRow(line, shown, note or next(filter(None, notes), ""))

    def _note_of_id(self, column: PreviewColumn, word: str) -> str:
        context = self.context
        if column == QUERY_COLUMN and len(context.queries) and context.query_ids.index_of(word) < 0:
            return f"'{word}' is not a query"
        if column.meaning == "id" and len(context.collection) and context.items.index_of(word) < 0:
            return f"'{word}' is not a model of the collection"
        return ""


def preview(
    path: Path, choice: ReadOptions = DETECT_ALL, benchmark: Benchmark | None = None, **hooks: Unpack[ReadHooks]
) -> Preview:
    """The first lines of a file as its reader interprets them with the given options, and the alternatives.

    Of a large text the reader gets the first `MAX_SHOWN_BYTES`, unless `cache` has it parsed; of a folder of rank
    lists, the first `MAX_SAMPLED_LISTS` that are not empty, of which one is shown.

    Parameters
    ----------
    path : a file, or a folder that is a run.
    choice : options of the user; `format` can be the key of any reader here.
    benchmark : what is open; its ids, orders and assessment determine what each option would give.
    hooks : see `read_benchmark`.

    Raises
    ------
    FormatError
        When the file cannot be opened, or the folder is no run. A file that cannot be read with these options is not an
        error but the preview's `problem`.
    """
    context = _no_context(path) if benchmark is None else read_context_of(benchmark, FindingsLog(benchmark.root))
    progress = ReadProgress(**hooks)
    request = PreviewRequest(context, choice, progress.cancelled)
    questions: tuple[Decision, ...] = ()
    reader: FormatReader | None
    read: Callable[[], PreviewContent]
    if path.is_dir() and not is_zarr(path):
        reader, sample, read = _open_folder(path, request, progress)
        key = reader.key
    else:
        head = FileHead(path, 0, b"") if path.is_dir() else read_file_head(path)
        key = choice.format or (ZARR if path.is_dir() else recognise_format(head) or "")
        reader, sample = table_reader(choice.columns) or find_reader(key), path
        key = key if reader is None else reader.key
        read = partial(_read_file, reader, head, request, progress)
        questions = (_format_question(key, head, choice),)
    problem = ""
    roles = split_roles(choice.columns)
    try:
        if path == sample and roles and table_reader(choice.columns) is None:
            raise FormatError(path, "a column of queries and one of models, or one of classes, is to be chosen")
        if roles and path != sample and "model" not in roles:
            raise FormatError(path, "a column of models is to be chosen")
        content = read_unchanged(sample, read)
    except FormatError as error:
        problem = str(error)
        content = replace(table_lines(sample, roles), summary=problem)
    if key == "rank_list" and path == sample and (table := table_lines(path)).is_table:  # a list alone is no run
        is_same = len(table.columns) == len(content.columns)
        content = replace(content if is_same else table, summary=content.summary, is_table=True)
    questions += content.questions
    if benchmark is not None and (by_query := _queries_question(path, benchmark, choice)) is not None:
        questions += (by_query,)
    label = "unknown format" if reader is None else reader.label
    has_roles = content.is_table and key != "cla"
    if has_roles:
        roles += tuple(ROLE_OF_MEANING.get(column.meaning, "-") for column in content.columns[len(roles) :])
    shown = {**vars(content), "questions": questions}
    roles = roles if has_roles else ()
    return Preview(**shown, path=path, sample=sample, format=key, label=label, problem=problem, roles=roles)


def _no_context(path: Path) -> ReadContext:
    """The context without an open benchmark."""
    nothing = np.zeros(0, np.int32)
    collection, queries = Collection((), ()), Queries((), (), (), nothing, nothing)
    return ReadContext(collection, queries, None, FindingsLog(path.parent), IdIndex(()), IdIndex(()))


def _open_folder(
    path: Path, request: PreviewRequest, progress: ReadProgress
) -> tuple[RunReader, Path, Callable[[], PreviewContent]]:
    """Reader of a folder, the file that is shown, and the function that reads it."""
    run = open_run(path, recognise_folder(path, MAX_LISTED_FILES), request.options, progress)
    if isinstance(run.parsed, RankListFolder):
        lists = _sampled_lists(run.parsed, request.context)
        return run.reader, lists[0], partial(rank_lists_content, lists, request, path)
    if run.parsed.file_paths():  # the run needs all of its files
        run = open_run(path, recognise_folder(path), request.options, progress)
    return run.reader, path, partial(_show, run.parsed, run.reader, path, request)


def _sampled_lists(run: RankListFolder, context: ReadContext) -> list[Path]:
    """The first lists of a folder that are not empty, or else files named after queries; no copies of lists."""
    context = replace(context, findings_log=FindingsLog(run.path))
    names = [without_extension(list_name(file.path, run.path)) for file in run.files]
    index, _ = index_with_affix(names, context.query_ids)
    named = {*files_of_queries(run.path, run.files, replace(context, query_ids=index)).values()}
    found = [file.path for file in run.files if file.kind == "rank_list"]
    found = [path for path in found if path in named or index.index_of(list_name(path, run.path)) < 0]
    found = found or [file.path for file in run.files if file.path in named and file.kind != EMPTY]
    if not found:
        raise FormatError(run.path, "holds no rank list")
    return found[:MAX_SAMPLED_LISTS]


def _show(parsed: Any, reader: FormatReader, path: Path, request: PreviewRequest) -> PreviewContent:
    content = content_of(parsed, reader, path, request)
    return content if content.summary else replace(content, summary=parsed.summary())


def _read_file(
    reader: FormatReader | None, head: FileHead, request: PreviewRequest, progress: ReadProgress
) -> PreviewContent:
    """The first rows of a file."""
    path = head.path
    if reader is None:
        return replace(table_lines(path), summary="unknown format")
    # That of one of several files of a run takes no progress.
    arguments = [progress] if isinstance(reader, RunReader) and reader.read_folder is None else []
    if head.size < LARGE_TEXT_BYTES or not looks_like_text(head.data) or _is_cached(reader, path, progress.cache):
        return _show(reader.read(path, *arguments), reader, path, request)
    with TemporaryDirectory() as folder:
        part = Path(folder, path.name)
        part.write_bytes(first_bytes(path))
        try:
            content = content_of(reader.read(part, *arguments), reader, part, replace(request, is_part=True))
        except FormatError:  # half of a document
            content = plain_lines(part)
    return replace(content, summary=LARGE_FILE_TEXT)


def _is_cached(reader: FormatReader, path: Path, cache: ParseCache | None) -> bool:
    kind = reader.cache_kind if isinstance(reader, RunReader) else None
    return cache is not None and kind is not None and cache.get(cache.key(kind, path)) is not None


def _format_question(key: str, head: FileHead, choice: ReadOptions) -> Decision:
    options = []
    for reader in all_readers():
        outcome, fits = "", bool(reader.match(head))
        if head.size <= SMALL_FILE_BYTES:
            try:
                outcome, fits = reader.read(head.path).summary(), True
            except FormatError as error:
                line = f"line {error.line}: " if error.line else ""
                outcome, fits = line + error.reason, False
        text = outcome or ("matches" if fits else "does not match")
        options.append(Alternative(reader.key, reader.label, text, fits))
    why = SET_EXPLICITLY if choice.format else "the first lines match" if key else ""
    return Decision("format", tuple(options), key, bool(key), why)


#: Option that findings about runs whose lists do not begin with their query suggest.
QUERIES_OPTION = "--queries-by"


def _queries_question(path: Path, benchmark: Benchmark, choice: ReadOptions) -> Decision | None:
    """Whose lists those of a run are, if a finding doubts it or it is set; None for other files."""
    name = FindingsLog(benchmark.root).name_of(path)
    doubts = (
        (finding.message, finding.setting.option)
        for finding in benchmark.findings
        if finding.file == name and finding.setting is not None and finding.setting.option.startswith(QUERIES_OPTION)
    )
    (doubt, suggested), chosen = next(doubts, ("", "")), choice.queries_by
    if not doubt and chosen is None:
        return None
    outcomes = {BY_NAME: "read as written", BY_NEAREST: "each list is moved to the query nearest to it"}
    # None is chosen: settings of other questions are written without accepting the doubtful lists.
    is_sure = not suggested.endswith(BY_NEAREST)
    return question_about("queries_by", choice, chosen or "", outcomes, doubt, is_sure=is_sure)


def first_bytes(path: Path) -> bytes:
    """The first lines of a file, `MAX_SHOWN_BYTES` or less; the beginning of a longer first line."""
    data = read_file_head(path, MAX_SHOWN_BYTES).data
    end = data.rfind(b"\n") + 1
    return data if len(data) < MAX_SHOWN_BYTES or not end or is_utf16(data) else data[:end]


def first_lines(path: Path) -> list[str]:
    """The first lines of a text, without line ends. FormatError for binary files."""
    data = first_bytes(path)
    if not looks_like_text(data):
        raise FormatError(path, "is not a text file")
    return split_lines(decode(data))


def plain_lines(path: Path) -> PreviewContent:
    """Lines without interpretation; no rows for a binary file."""
    lines = (None if path.is_dir() else read_or_none(first_lines, path)) or []
    rows = tuple(PreviewRow(number, (line,)) for number, line in enumerate(lines[:SHOWN_ROWS], 1))
    return PreviewContent((PreviewColumn("text", "Text"),) if lines else (), rows)


#: Role of a column of each meaning; the others are ignored.
ROLE_OF_MEANING = {
    "id": "model",
    **{role: role for role in (*COLUMN_ROLES, *TRUTH_ROLES) if role not in ("model", "-")},
}


def table_lines(path: Path, roles: Sequence[str] = ()) -> PreviewContent:
    """Lines as the cells of a table with the given roles of its columns; plain lines if it is none."""
    plain = plain_lines(path)
    lines = [cell for row in plain.rows for cell in row.cells]
    widths = {len(line.split()) for line in lines if line.strip()}
    table = read_or_none(split_table, path, "\n".join(lines), len(roles) or 2 * (len(widths) == 1))
    if table is None:
        return plain
    meanings = {role: meaning for meaning, role in ROLE_OF_MEANING.items()}
    columns = tuple(
        PreviewColumn(meanings.get(role, "ignored"), f"Column {number}")
        for number, role in enumerate((*roles, *["-"] * table.width)[: min(table.width, SHOWN_CELLS)], 1)
    )
    rows = zip(table.lines, table.rows, strict=True)
    shown = tuple(PreviewRow(line, row[: len(columns)]) for line, row in rows)
    return PreviewContent(columns, shown, is_table=True) if len(columns) > 1 < len(shown) else plain


def content_of(parsed: Any, reader: FormatReader, path: Path, request: PreviewRequest) -> PreviewContent:
    """The first rows of what a reader read from a file.

    Raises
    ------
    FormatError
        When it is a run that cannot be used with these options.
    """
    if reader.columns:
        has_roles = bool(split_roles(request.options.columns))  # they say the direction
        question = (
            direction_of_scores(parsed, request.options.similarity)
            if isinstance(parsed, ListedRun) and parsed.nearer and not has_roles
            else None
        )
        return _lines_of(parsed, reader, path, request, question)
    if isinstance(parsed, ListedRun):
        return _pairs(parsed, request) if parsed.nearer else _ordered_lists(parsed, request)
    if isinstance(parsed, MatrixFolder):
        parsed = join_blocks(parsed, request.context, request.options)
    if isinstance(parsed, MatrixFile):
        return _matrix(parsed, request)
    if isinstance(parsed, RankListFile):
        return rank_lists_content([path], request, path.parent)
    if isinstance(parsed, LabelVector):
        labels = enumerate(parsed.labels[:SHOWN_ROWS], 1)
        return PreviewContent((CLASS_COLUMN,), tuple(PreviewRow(number, (word,)) for number, word in labels))
    if isinstance(parsed, LabelTable):
        classes = [parsed.names[label] if label >= 0 else "" for label in parsed.labels[:SHOWN_ROWS].tolist()]
        of_classes, cells = (MODEL_COLUMN, CLASS_COLUMN), zip(parsed.ids[:SHOWN_ROWS], classes, strict=True)
        return PreviewContent(of_classes, tuple(request.row(None, row, of_classes) for row in cells))
    if isinstance(parsed, QrelsFile):
        shown = zip(parsed.lines.tolist(), parsed.query.tolist(), parsed.models, parsed.level.tolist(), strict=True)
        found = [(line, (parsed.queries[query], model, str(level))) for line, query, model, level in shown]
        columns = (QUERY_COLUMN, MODEL_COLUMN, LEVEL_COLUMN)
        return PreviewContent(columns, tuple(request.row(line, cells, columns) for line, cells in found[:SHOWN_ROWS]))
    return plain_lines(path)


def _ignored_reason(line: str) -> str:
    """Why a line is ignored in every text format; "" for a line that is not."""
    if not line.strip():
        return "blank line"
    return "comment" if is_comment(line) else ""


def _lines_of(
    parsed: Any, reader: FormatReader, path: Path, request: PreviewRequest, question: Decision | None
) -> PreviewContent:
    """Lines as cells, with the columns of their reader and what it found in them."""
    lines = first_lines(path)
    shown = range(1, min(len(lines), SHOWN_ROWS) + 1)
    findings = {
        finding.line: f"{finding.message}; {finding.action}"
        for finding in reversed(getattr(parsed, "findings", ()))
        if finding.line is not None
    }
    used = [*parsed.lines[:SHOWN_ROWS], *parsed.list_lines] if isinstance(parsed, ListedRun) else shown
    unused = {number: "ignored" for number in shown if number not in used}
    if callable(reader.columns):
        text, n_roles = decode(in_plain_notation("\n".join(lines).encode())), len(split_roles(request.options.columns))
        table = split_table(path, text, n_roles, has_blanks=True)
        column_of, n_headers = reader.columns(table)
        cells = {line: row for line, row in zip(table.lines, table.rows, strict=True) if line in shown}
        width = max((index for row in cells.values() for index, cell in enumerate(row, 1) if cell), default=0)
        columns = [column_of(index) or IGNORED_COLUMN for index in range(min(width, SHOWN_CELLS))]
        header = dict.fromkeys(table.lines[:n_headers], "header")
        notes = unused | {number: "blank line" for number in shown if number not in cells} | findings | header
    else:
        columns = list(reader.columns)
        cells = {number: tuple(lines[number - 1].split()) for number in shown}
        kinds: Mapping[int, str] = getattr(parsed, "line_kinds", {})
        expected = f"ignored: {len(columns)} columns are expected, found"
        misfits = {number: f"{expected} {len(words)}" for number, words in cells.items() if len(words) != len(columns)}
        skipped = {number: note for number in shown if (note := _ignored_reason(lines[number - 1]))}
        notes = {**unused, **kinds, **findings, **({} if kinds else misfits), **skipped}
    rows = [request.row(number, cells.get(number, ()), columns, notes.get(number, "")) for number in shown]
    return PreviewContent(
        tuple(columns), tuple(rows), () if question is None else (question,), is_table=len(columns) > 1
    )


def _ordered_lists(run: ListedRun, request: PreviewRequest) -> PreviewContent:
    longest = int(np.bincount(run.query, minlength=1).max())
    columns = tuple(map(list_column, range(min(1 + longest, SHOWN_CELLS))))
    rows = []
    for query, name in enumerate(run.queries[:SHOWN_ROWS]):
        models = run.model[run.query == query][:SHOWN_CELLS].tolist()
        rows.append(request.row(int(run.list_lines[query]), (name, *(run.models[model] for model in models)), columns))
    return PreviewContent(columns, tuple(rows))


def _pairs(run: ListedRun, request: PreviewRequest) -> PreviewContent:
    number_column = PreviewColumn("score" if run.nearer == "larger" else "distance", "Number")
    columns = (QUERY_COLUMN, MODEL_COLUMN, number_column)
    rows = [
        request.row(int(run.lines[at]), (run.queries[run.query[at]], run.models[run.model[at]], number), columns)
        for at, number in enumerate(f"{score:.6g}" for score in run.scores[:SHOWN_ROWS].tolist())
    ]
    return PreviewContent(columns, tuple(rows), (direction_of_scores(run, request.options.similarity),))


def _matrix(file: MatrixFile, request: PreviewRequest) -> PreviewContent:
    """Rows of a matrix, with the queries and models that they were read as if a benchmark is open."""
    context, options = request.context, request.options
    if request.is_part or not len(context.collection) or are_number_lists(file.values, context, options):
        directions = question_about("similarity", options, bool(options.similarity), {"false": "", "true": ""})
        return _numbers(file, file.rows, file.columns, request, [directions])
    ranking, order = interpret_matrix(file, context, options)
    is_named = order.key == BY_IDS
    queries, models = order.rows[:SHOWN_ROWS].tolist(), order.columns[:SHOWN_CELLS].tolist()
    names = [context.queries.ids[query] if query >= 0 else "no query" for query in queries]
    titles = [
        context.collection.ids[model] if model >= 0 else "".join(ranking.column_ids[at : at + 1]) or "no model"
        for at, model in enumerate(models)
    ]
    # The first decision on each aspect: distances of vectors are read like a matrix.
    decisions = {one.key: one for one in reversed(context.findings_log.decisions) if DECISIONS[one.key].title}
    if (cells := decisions.get("cells")) is not None and len(cells.alternatives) == 1:
        decisions.pop("cells")  # they can only be distances
    order_of = ["cells", "order", "metric" if ranking.metric else "similarity"]  # a metric has a direction
    questions = [shown(decisions[key]) for key in order_of if key in decisions]
    read = replace(file, values=ranking.values)
    content = _numbers(read, names, titles, request, questions, "Query" if is_named else "Query (not in the file)")
    return replace(content, summary=read.summary())


def _numbers(
    file: MatrixFile,
    names: Sequence[str],
    titles: Sequence[str],
    request: PreviewRequest,
    questions: Sequence[Decision],
    title: str = "Query",
) -> PreviewContent:
    """Numbers with the names of rows and the titles of columns, as far as there are any."""
    values = file.values
    shown = values[:SHOWN_ROWS] if values.ndim == 2 else values[:SHOWN_CELLS][np.newaxis]
    shown = np.asarray(shown)[:, :SHOWN_CELLS]
    titles = titles or [f"Column {number}" for number in range(1, shown.shape[1] + 1)]
    columns = [PreviewColumn("query", title)] if names else []
    columns += [PreviewColumn("model", name) for name in titles[: shown.shape[1]]]
    lines: Sequence[int | None] = [None] * len(shown)
    if file.kind == "text":
        lines = file.row_lines or range(1, len(shown) + 1)
    rows = [
        request.row(line, (*names[index : index + 1], *(f"{value:.6g}" for value in row)), columns)
        for index, (line, row) in enumerate(zip(lines, shown.tolist(), strict=False))
    ]
    return PreviewContent(tuple(columns), tuple(rows), tuple(questions))


def rank_lists_content(paths: Sequence[Path], request: PreviewRequest, run: Path) -> PreviewContent:
    """Lines of the first of some lists of one run, a folder, which are read as those of a whole run.

    Raises
    ------
    FormatError
        When a list cannot be read.
    """
    names = {path: list_name(path, run) for path in paths}
    index, _ = index_with_affix([*map(without_extension, names.values())], request.context.query_ids)
    context = replace(request.context, query_ids=index)
    queries = {}
    for number, path in enumerate(paths):
        query = index.index_of(names[path])
        queries[query if query >= 0 and query not in queries else -2 - number] = path
    (dialect, lists, failures), _, items = read_lists(queries, context, request.cancelled, request.options)
    if failures:
        raise failures[0]
    request = replace(request, context=replace(context, items=items))
    found = [read_list_with_ids(path, context.items, request.options.columns) for path in queries.values()]
    checked = list(lists.values())
    is_similarity = have_similarities(lists, request.options)
    value = PreviewColumn("score", "Similarity") if is_similarity else PreviewColumn("distance", "Distance")
    value = IGNORED_COLUMN if dialect.columns == "id" else value
    is_exchanged = SWAPPED_COLUMNS in checked[0].faults
    columns: Sequence[PreviewColumn] = (MODEL_COLUMN, value)[: len(found[0].columns)]
    columns = columns[::-1] if dialect.column != is_exchanged else columns
    questions = (
        columns_question(found, dialect, context, request.options),
        direction_of_lists(found, checked, request.options),
        query_line_question({names[one.path]: one for one in found}, checked, context, request.options),
    )
    if roles := split_roles(request.options.columns):
        return replace(table_lines(paths[0], roles), summary=found[0].summary())
    rows = _list_rows(found[0], checked[0], columns, request)
    return PreviewContent(tuple(columns), rows, tuple(filter(None, questions)), found[0].summary())


def _list_rows(
    found: RankListFile, checked: CheckedList, columns: Sequence[PreviewColumn], request: PreviewRequest
) -> tuple[PreviewRow, ...]:
    words = dict(zip(found.lines[:SHOWN_ROWS].tolist(), zip(*found.columns, strict=True), strict=False))
    lines = dict(enumerate(first_lines(found.path)[:SHOWN_ROWS], 1))
    notes = {number: _ignored_reason(line) for number, line in lines.items()}
    notes |= dict.fromkeys(found.malformed, "ignored: neither an id nor an id and its distance")
    heads = [number for number in lines if number not in words and not notes[number]]
    notes |= dict.fromkeys(heads, "header")
    if found.first is not None and heads:  # the last line above the list, which may be set to be a result
        notes[heads[-1]] = "" if checked.name is None else "the query's name"
    elif checked.name is not None:
        notes[min(words)] = "the query's name"
    return tuple(
        request.row(number, words.get(number) or line.split(), columns, notes[number]) for number, line in lines.items()
    )
