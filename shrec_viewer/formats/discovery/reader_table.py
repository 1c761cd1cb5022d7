"""READERS, the table of all file formats, strictest first; recognition of files that this program wrote."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from shrec_viewer.domain import Finding, FormatError
from shrec_viewer.formats.core.ids import without_extension
from shrec_viewer.formats.core.read_choices import split_roles
from shrec_viewer.formats.core.reader import (
    IGNORED_COLUMN,
    LEVEL_COLUMN,
    MODEL_COLUMN,
    QUERY_COLUMN,
    FormatReader,
    PreviewColumn,
    RunReader,
    TruthReader,
    UsedColumns,
)
from shrec_viewer.formats.io.limits import MAX_ENTRIES, limit_error
from shrec_viewer.formats.io.tables import (
    LEVEL_NAMES,
    LIST_NAMES,
    RELEVANT_NAMES,
    TextTable,
    head_rows,
    is_table,
    read_table,
)
from shrec_viewer.formats.io.text import FileHead, has_rows, read_file_head, read_or_none, read_text
from shrec_viewer.formats.manifest.manifest import is_manifest, read_manifest
from shrec_viewer.formats.matrices import matrix, matrix_blocks, matrix_runs, parquet, text_matrix, zarr_store
from shrec_viewer.formats.matrices.matrix import NamedArray
from shrec_viewer.formats.runs import list_run, listed_run, pair_table, rank_list, rank_list_folder, trec
from shrec_viewer.formats.runs.list_run import KeyedLists, is_json
from shrec_viewer.formats.runs.listed_run import ListedRun
from shrec_viewer.formats.runs.pair_table import NUMBER_NAMES, taken_for
from shrec_viewer.formats.truth import cla, class_tables, id_lists, qrels
from shrec_viewer.formats.truth.class_tables import read_any_class_table
from shrec_viewer.formats.truth.qrels import QrelsFile, is_level, read_pair_table, read_qrels

#: Keys of formats in the table READERS.
UNREAD_TRUTH, LEVELS = "unread_truth", "levels"

#: Keys of the formats of matrices, whose cells can be levels.
MATRICES = ("matrix", "labelled_matrix")

#: Stems of files, and names of folders, that are relevance assessments.
TRUTH_PATH = re.compile(
    r"(.*[^a-z])?(qrels?|gt|(ground[-_ ]?)?truth|judge?ments?|assessments?|relevance([-_ ]?(levels?|judge?ments?))?)"
    r"([-_ .]*(train|test|val|dev|all|[0-9]+))*",
    re.IGNORECASE,
)

#: Words in the names of files and folders with relevance levels.
TRUTH_WORDS = re.compile(r"qrel|truth|relevan|judg|assess|(?<![a-z])(gt|rel)(?![a-z])", re.IGNORECASE)

#: Columns of qrels without their second one.
UNMARKED_COLUMNS = 3

ACCEPTED = (
    "read are lines 'query 0 model level', tables with a header such as 'query,model,level', JSON {query: {model: "
    "level}}, classes and matrices of levels, with whole numbers as levels; a run is read if --add or [[runs]] names it"
)


def is_truth_path(path: Path) -> bool:
    """Whether the name of a file, without extension, or of a folder says that it is a relevance assessment."""
    return TRUTH_PATH.fullmatch(without_extension(path.name.removesuffix(".parquet"))) is not None


def is_unmarked_truth(head: FileHead) -> bool:
    """Whether a file has lines of a query, a model and a level, or ids and classes: findings name options for it."""
    if head.text is None:
        return False
    if all(len(row) == UNMARKED_COLUMNS and is_level(row[-1]) for row in head.rows):
        return True
    return read_or_none(read_any_class_table, head.path) is not None


def read_unread_truth(path: Path) -> QrelsFile:
    """Never returns: the error says what the file was taken for, and what is read.

    Raises
    ------
    FormatError
        Always.
    """
    head = read_file_head(path)
    rows = head_rows(head)
    text = "its name or folder says relevance assessment, but its form is none"
    if head.text is None:
        raise FormatError(path, f"{text}: it is no text; {ACCEPTED}")
    is_json = head.text.lstrip().startswith(("{", "["))
    columns = "; it was taken for JSON" if is_json else taken_for(rows or head.rows, "").removesuffix("; ")
    try:
        (read_json_truth if is_json else read_pair_table if rows else read_qrels)(path)
    except FormatError as error:
        raise FormatError(path, f"{text}: {error.reason}{columns}; {ACCEPTED}", error.line) from error
    raise FormatError(path, f"{text}{columns}; {ACCEPTED}")


#: Key of the format in the table READERS.
OWN_RESULTS = "results"

#: Key of the format of folders of good, ok and junk models in the table READERS.
QUERY_PARTS = "query_parts"

#: Beginnings of the tables that evaluate, check, practical, correlate, history and table write, also with tabs.
CSV_HEADERS = (
    "run,participant,query,status,profile,",
    "severity,file,line,count,message,action",
    "run,participant,profile,queries,judged,",
    "run,participant,query,profile,queries,judged,",
    "measure_1,source_1,measure_2,source_2,",
    "no.,query,model,level,suggested,",
    "no.,model,class,suggested,",
    "query,model,old,new,author,time,reason",
    "rank,model,class,level,distance",
    "rank,model,class,level,similarity",
    "models,retrieved,not retrieved,all",
    "place of the run,",
    "model,class of the model,level,",
    "part,model,level,value",
    "run,rank,best,worst,",
    "change,key,pairs reversed,tau",
    "better,worse,reversed by",
    "time,hash,mean,note,baseline",
)

#: Header of a heat map, of differences of two runs, of a confusion matrix, of intervals, or of lists side by side.
_VALUE_TABLE = re.compile(
    r"(run,[^\n]+,mean|query,class,[^\n]+,difference|class,queries,[^\n]+|run,[^\n]+,low,high,p\(Holm\)[^\n]*|"
    r"rank,([^,\n]+),\2 level[^\n]*)(\n|$)"
)

#: Beginning of a table of runs of the window or of the command table: the first measure is the third column.
_RUN_TABLE = re.compile(r'(?i:run,participant),[^\n]+\n("[^"]*"|[^,\n]*),("[^"]*"|[^,\n]*),-?[0-9.]*(,|\n|$)')

_MEASURES = r"(,[A-Z][A-Za-z0-9]*(\([^),]*\))?(@([0-9]+|R))?( letters| \(%\))?)+\n"

#: Header of other tables of scores of the command table: keys of measures follow the names.
_SCORE_TABLE = re.compile(rf"(run|query,class|class,queries){_MEASURES}")

#: Beginning of exported plot values: the first column is the x axis, with the name of a run if each has its own axis.
#:
#: Tables with columns of ids or distances are excluded: they are rank lists of other programs.
_CURVE_VALUES = re.compile(
    r"(?!(?i:[^\n]*\b(id|model|name|item|query|distance|score|similarity|relevance|class)s?\b))"
    r'("?[^"\n]+: (rank|recall)"?|Rank|Recall|−log₂ g|"Generality),[^\n]*\n([0-9.-]+,|$)'
)

_JSON_START = re.compile(r'\s*\{\s*"schema":\s*"shrec-viewer/([a-z]+)/[0-9]+"')


@dataclass(frozen=True)
class OwnResults:
    """A file with results of this program; it is ignored.

    Attributes
    ----------
    path : the file.
    kind : ``"table"``, ``"curves"``, or the name in the schema of a JSON document: ``"scores"``.
    """

    path: Path
    kind: str

    def summary(self) -> str:
        """What is ignored."""
        return f"{self.kind}, ignored"


def is_own_results(head: FileHead) -> bool:
    """Whether a file starts like a table or a JSON document of this program."""
    return bool(_kind(head))


def read_own_results(path: Path) -> OwnResults:
    """Recognise a file of results; FormatError for other files."""
    kind = _kind(read_file_head(path))
    if not kind:
        raise FormatError(path, "is not a file of results of this program")
    return OwnResults(path, kind)


def _kind(head: FileHead) -> str:
    if head.text is None:
        return ""
    schema = _JSON_START.match(head.text)
    if schema is not None:
        return schema[1]
    text = head.text.removeprefix("\ufeff")
    with_commas = text.replace("\t", ",")
    patterns = (_RUN_TABLE, _SCORE_TABLE, _VALUE_TABLE)
    if with_commas.startswith(CSV_HEADERS) or any(pattern.match(with_commas) for pattern in patterns):
        return "table"
    return "curves" if _CURVE_VALUES.match(text) else ""


CLA_COLUMNS = (
    PreviewColumn("class", "Class or model"),
    PreviewColumn("class", "Parent"),
    PreviewColumn("text", "Models"),
)
QRELS_COLUMNS = (QUERY_COLUMN, IGNORED_COLUMN, MODEL_COLUMN, LEVEL_COLUMN)
TREC_COLUMNS = (
    QUERY_COLUMN,
    IGNORED_COLUMN,
    MODEL_COLUMN,
    PreviewColumn("rank", "Rank (ordered by score)"),
    PreviewColumn("score", "Score"),
    IGNORED_COLUMN,
)


def is_named_level_matrix(head: FileHead) -> bool:
    """Whether a matrix or array holds levels, by its name: distances can be whole numbers as well."""
    return is_truth_path(head.path) and read_or_none(read_levels, head.path) is not None


def read_levels(path: Path) -> QrelsFile:
    """Levels of a matrix as text, in a file of arrays or in Parquet: of several, the first that is named like a truth.

    An array has a row for each query and a column for each model, with their ids in the file, or in their orders.

    Raises
    ------
    FormatError
        When they are no levels.
    """
    head = read_file_head(path)
    is_parquet = bool(parquet.match_parquet(head))
    if not is_parquet and not matrix.is_array(head):
        return qrels.read_level_matrix(path)
    file = parquet.read_parquet(path, numbers_of_pairs=LEVELS_OF_PAIRS) if is_parquet else matrix.read_matrix(path)
    if isinstance(file, ListedRun):
        ids = (
            [names[at] for at in of.tolist()] for names, of in ((file.queries, file.query), (file.models, file.model))
        )
        levels = file.scores.tolist() or [None] * len(file.lines)
        return _levels_of_entries(
            path, file.queries, zip(*ids, levels, file.lines.tolist(), strict=True), file.findings
        )
    named = (one for one in file.arrays if is_truth_path(Path(one.name)))
    found = next(named, NamedArray("", file.values, file.rows, file.columns))
    if found.values.ndim != 2:
        raise FormatError(path, "has no rows and columns of levels")
    if found.values.size > MAX_ENTRIES:
        raise limit_error(MAX_ENTRIES, "levels", path)
    rows, columns = (found.ids, found.columns) if found.ids and found.columns else ((), ())
    return qrels.qrels_of_levels(path, np.asarray(found.values), rows, columns, ())


#: Headers and keys of levels, in place of distances and similarities.
LEVELS_OF_PAIRS = (((*LEVEL_NAMES, "score", "label"), "larger"), *NUMBER_NAMES)


def _levels_of_json(path: Path) -> KeyedLists:
    """An empty reader of JSON with levels in place of distances."""
    names = (*RELEVANT_NAMES, *LIST_NAMES), LEVELS_OF_PAIRS[:1]
    return KeyedLists(path, list_names=names[0], number_names=names[1], are_levels=True)


def is_json_truth(head: FileHead) -> bool:
    """Whether a text has levels by query and model: ``{query: {model: level}}``, an object in each line, and others.

    All numbers are levels, and few are distinct; with a name such as ``qrels.json``, so may be all of few, or there may
    be none.
    """
    text, found = head.text or "", _levels_of_json(head.path)
    if not is_json(text) or not read_or_none(list_run.read_json_lists, head.path, list_run.complete_part(text), found):
        return False
    words = [word for word in found.entries[2] if word is not None]
    levels = [level for word in words if (level := qrels.level_of(word)) is not None]
    n_distinct = len(set(levels))
    is_repeated = 2 * n_distinct <= len(levels) or TRUTH_WORDS.search(head.path.stem) is not None
    if len(words) < len(found.entries[2]):  # lists of models are those of a run as well
        return is_truth_path(head.path)
    return 0 < n_distinct <= qrels.MAX_LEVELS and is_repeated and len(levels) >= qrels.MIN_VALID_SHARE * len(words)


def read_json_truth(path: Path) -> QrelsFile:
    """Relevance levels of JSON in the forms of runs, with levels in place of scores; 1 in lists without them.

    Invalid levels and repeated pairs are findings.

    Raises
    ------
    FormatError
        When it is not valid JSON, has a key twice or has no relevance level.
    """
    found = list_run.read_json_lists(path, read_text(path), _levels_of_json(path))
    return _levels_of_entries(path, [*found.lists], zip(*found.entries, strict=True), found.findings)


def _levels_of_entries(
    path: Path, queries: Sequence[str], entries: Iterable[tuple[str, str, Any, int]], findings: Sequence[Finding]
) -> QrelsFile:
    """Levels of entries of a query, a model, a level, None for 1, and a line."""
    parser = qrels.QrelsParser(path)
    parser.findings += findings
    parser.queries |= {query: index for index, query in enumerate(queries)}
    for query, model, level, line in entries:
        parser.add_line(line, [query, "0", model, "1" if level is None else str(level)])
    if not parser.pairs:
        parser.queries.clear()  # a list without a valid level is a fault
    return parser.result()


def is_pair_table(head: FileHead) -> bool:
    """Whether a table has headers of queries and models, or its name says so, and columns of these and levels."""
    is_named = is_truth_path(head.path) and bool(head_rows(head))
    return qrels.is_pair_table(head) or (is_named and read_or_none(read_pair_table, head.path) is not None)


def is_unread_truth(head: FileHead) -> bool:
    """Whether the name of a file says relevance assessment, though it has none of the formats of truth below."""
    if not is_truth_path(head.path) or (head.text is not None and not has_rows(head.text)):
        return False
    others = ("pairs", "truth", "classes", "labels", "partiality", "ids")
    return not is_unmarked_truth(head) and not any(reader.match(head) for reader in READERS if reader.key in others)


def no_columns(_table: TextTable) -> UsedColumns:
    """No column of any table has a meaning."""
    return dict[int, PreviewColumn]().get, False


#: Every format of this package, in the order in which files are compared with them: the strictest first.
READERS: tuple[FormatReader, ...] = (
    FormatReader(OWN_RESULTS, "Results of this program", (".csv", ".tsv", ".json"), is_own_results, read_own_results),
    TruthReader("cla", "Classification (Princeton)", (".cla",), cla.is_cla, cla.read_cla, CLA_COLUMNS),
    FormatReader("manifest", "Benchmark description", (".toml", ".shrec"), is_manifest, read_manifest),
    RunReader("trec", "TREC run", (".run", ".trec"), trec.is_trec, trec.read_trec, TREC_COLUMNS,
        rank=listed_run.rank_listed_run, cache_kind=trec.TREC_CACHE_KIND),
    TruthReader(QUERY_PARTS, "Good, ok and junk models of each query", (".txt",), qrels.is_query_part,
        qrels.read_query_parts, (MODEL_COLUMN,), of_folder=True),
    TruthReader("qrels", "TREC relevance judgements", (".txt", ".qrels"), qrels.is_qrels, qrels.read_qrels,
        QRELS_COLUMNS),
    TruthReader("solution", "Relevant models of each query", (".csv",), qrels.is_solution, qrels.read_solution),
    TruthReader("class_json", "Classes in JSON", (".json",), class_tables.is_class_json, class_tables.read_class_json),
    TruthReader("json_qrels", "Relevance judgements in JSON", (".json", ".jsonl"), is_json_truth, read_json_truth),
    TruthReader("partition", "Classes of queries and gallery in one list", (".txt", ".csv"), class_tables.is_partition,
        class_tables.read_class_table, class_tables.class_table_columns),
    TruthReader("class_blocks", "Classes in blocks", (".txt",), class_tables.is_class_blocks,
        class_tables.read_class_blocks),
    TruthReader(LEVELS, "Levels as a matrix", (".csv", ".txt", ".npy", ".npz", ".mat", ".parquet"),
        is_named_level_matrix, read_levels),
    TruthReader(UNREAD_TRUTH, "Truth of unknown form", (), is_unread_truth, read_unread_truth, of_folder=True),
    RunReader("keyed_lists", "Lists in one file", (".json", ".jsonl", ".txt"), list_run.match_keyed_lists,
        list_run.read_keyed_lists, rank=listed_run.rank_listed_run),
    RunReader("long", "Run as a table of pairs", (".csv", ".tsv", ".txt"), pair_table.match_long_table,
        pair_table.read_long_table, pair_table.long_table_columns, rank=listed_run.rank_listed_run),
    TruthReader("pairs", "Relevant pairs as a table", (".csv",), is_pair_table, qrels.read_pair_table,
        qrels.pair_columns),
    TruthReader("truth", "Classes as a table", (".csv",), class_tables.is_class_csv, class_tables.read_class_table,
        class_tables.class_table_columns),
    TruthReader("classes", "Classes as lines", (".txt",), class_tables.is_class_lines, class_tables.read_class_table,
        class_tables.class_table_columns),
    RunReader("labelled_matrix", "Distance matrix with ids", (".csv", ".tsv", ".txt"),
        matrix.is_labelled_matrix, matrix.read_labelled_matrix, rank=matrix_runs.rank_matrix,
        accept=matrix_runs.accept_matrix),
    RunReader("submission", "Submission in one table", (".csv", ".tsv"), list_run.match_submission,
        list_run.read_submission, list_run.submission_columns, rank=listed_run.rank_listed_run),
    TruthReader("labels", "Classes without ids", (".txt", ".npy"), class_tables.is_label_vector,
        class_tables.read_label_vector),
    RunReader("matrix", "Distance matrix", (".matrix", ".npy", ".mat", ".txt", ".csv"), matrix.is_matrix,
        matrix.read_matrix, rank=matrix_runs.rank_matrix, accept=matrix_runs.accept_matrix,
        cache_kind=text_matrix.MATRIX_CACHE_KIND),
    RunReader(zarr_store.ZARR, "Distance matrix in Zarr", (".zarr",), matrix_blocks.is_no_file, zarr_store.read_zarr,
        rank=matrix_runs.rank_matrix, accept=matrix_runs.accept_matrix),
    RunReader(parquet.PARQUET, "Run in Parquet", (".parquet", ".pq"), parquet.match_parquet, parquet.read_parquet,
        rank=parquet.rank_parquet, accept=parquet.accept_parquet),
    RunReader("parquet_parts", "Run in several Parquet files", (), matrix_blocks.is_no_file, parquet.read_parquet,
        rank=parquet.rank_parquet, accept=parquet.accept_parquet, read_folder=parquet.read_parquet_folder),
    RunReader("matrix_blocks", "Distance matrix in several files", (), matrix_blocks.is_no_file,
        matrix.read_matrix, rank=matrix_blocks.rank_matrix_folder, accept=matrix_blocks.accept_matrix_folder,
        read_folder=matrix_blocks.read_matrix_folder),
    TruthReader("partiality", "Partiality of queries", (".txt",), id_lists.is_partiality, id_lists.read_partiality),
    TruthReader("ids", "List of ids", (".csv", ".txt"), id_lists.is_id_list, id_lists.read_id_list),
    RunReader("rank_list", "Rank list of one query", (), rank_list.is_rank_list, rank_list.read_rank_list,
        rank=rank_list_folder.read_rank_list_run, accept=rank_list_folder.accept_rank_list_folder,
        read_folder=rank_list_folder.read_rank_list_folder),
    FormatReader("table", "Table", (".csv", ".tsv"), is_table, read_table, no_columns),
)  # fmt: skip


_extra_readers: tuple[FormatReader, ...] = ()


def set_extra_readers(readers: Sequence[FormatReader]) -> None:
    """Replace the rows of other packages; `shrec_viewer.plugins` calls this at program start."""
    global _extra_readers
    _extra_readers = tuple(readers)


def all_readers() -> tuple[FormatReader, ...]:
    """Rows of other packages, then READERS: their formats are stricter than ``table`` and ``rank_list``."""
    return (*_extra_readers, *READERS)


def run_readers() -> tuple[RunReader, ...]:
    """Formats of runs; their keys are the values of ``format`` in benchmark.toml."""
    return tuple(reader for reader in all_readers() if isinstance(reader, RunReader))


def find_reader(key: str) -> FormatReader | None:
    """The reader of a format; None for an unknown key."""
    return next((reader for reader in all_readers() if reader.key == key), None)


def table_reader(columns: str | None, *, is_truth: bool = False) -> FormatReader | None:
    """The reader of tables with these roles of columns; None if they have no query, as in rank lists.

    Parameters
    ----------
    columns : see `ReadOptions`, or TRUTH_ROLES.
    is_truth : whether it is a table of truth, also without levels and classes.
    """
    roles = {*split_roles(columns)}
    kind = "truth" if "class" in roles else "pairs" if is_truth or "level" in roles else "long"
    reader = find_reader(kind)
    if (
        columns is None
        or reader is None
        or not callable(reader.columns)
        or len(roles & {"query", "model", "class"}) < 2
    ):
        return None
    used: Callable[..., UsedColumns] = reader.columns
    return replace(reader, read=partial(reader.read, columns=columns), columns=partial(used, columns=columns))
