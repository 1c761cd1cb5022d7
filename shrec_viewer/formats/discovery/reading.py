"""Step 3 of reading a benchmark: read every recognised file, and the files that caller and benchmark.toml name."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TypeVar

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.findings_log import RUN_IGNORED, FindingsLog, count_of, join_some
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.core.reader import UNKNOWN, FoundFile, Match, OpenedRun, RunReader, TruthReader
from shrec_viewer.formats.discovery.file_matching import ModelFile, list_model_files
from shrec_viewer.formats.discovery.listing import list_folder
from shrec_viewer.formats.discovery.reader_table import (
    UNREAD_TRUTH,
    all_readers,
    find_reader,
    read_json_truth,
    read_levels,
    run_readers,
    table_reader,
)
from shrec_viewer.formats.discovery.recognition import RecognisedFiles, recognise_named_run
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.io.progress import LARGE_TEXT_BYTES, NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.tables import TextTable, is_table, read_table, separator_of
from shrec_viewer.formats.io.text import (
    NO_ROWS,
    FileHead,
    has_rows,
    is_number,
    looks_like_text,
    read_file_head,
    read_or_none,
)
from shrec_viewer.formats.manifest.manifest import Manifest, RunEntry
from shrec_viewer.formats.matrices.matrix import is_array
from shrec_viewer.formats.matrices.parquet import match_parquet
from shrec_viewer.formats.matrices.zarr_store import ZARR, is_zarr
from shrec_viewer.formats.runs.list_run import is_json
from shrec_viewer.formats.runs.rank_list_folder import read_named_folder, single_lists
from shrec_viewer.formats.truth.cla import read_cla
from shrec_viewer.formats.truth.class_tables import (
    MAX_TABLE_BYTES,
    LabelTable,
    LabelVector,
    read_any_class_table,
    read_class_json,
    read_class_table,
)
from shrec_viewer.formats.truth.id_lists import IdList, PartialityFile, read_plain_ids
from shrec_viewer.formats.truth.qrels import QrelsFile, read_level_matrix, read_pair_table, read_qrels

#: Maximum size of tables of runs or queries; larger tables hold scores.
MAX_SIDE_TABLE_BYTES = 2**18

#: Formats that a table of ids and classes without a header can be mistaken for.
UNMARKED_TABLE_KINDS = ("table", "rank_list", UNKNOWN)

#: Formats of runs to which roles of columns apply where they are set for all runs.
TABLES_OF_PAIRS = ("long", "trec", "submission")

#: Number of files that look like rank lists in one folder; more are the lists of a run, not tables of classes.
MAX_LISTS_BESIDE_TABLE = 4

Parsed = TypeVar("Parsed")
Truth = TypeVar("Truth", LabelTable, QrelsFile)


@dataclass(frozen=True, eq=False)
class RunCandidate:
    """A run to be ranked.

    Attributes
    ----------
    run : the run, opened but not ranked.
    entry : what benchmark.toml or the command line says about it; None for a run found in the folder.
    options : options for reading it.
    """

    run: OpenedRun
    entry: RunEntry | None = None
    options: ReadOptions = DETECT_ALL


@dataclass(frozen=True, eq=False)
class ReadFiles:
    """Contents of the files, grouped by use, in natural order of their paths; unreadable files are findings.

    Attributes
    ----------
    found : all files with their formats.
    model_files : meshes, then images, recognised by their extensions.
    tables, qrels, id_lists, label_vectors : truth files.
    unmarked_tables : tables of ids and classes without a header that says so, with whether a header names both columns;
        read only if there is no other truth.
    side_tables : small tables of anything else.
    runs : runs that were found; a rank list folder has a sample of its lists.
    classification, query_classes, query_list, named_qrels : truth that is named, None for none or unreadable ones.
        `query_list`: plain list of the queries' ids.
    named_runs : runs that are named and can be read.
    failures : errors of files of a known format.
    doubtful : errors of files that start like a run of a format that other files can look like.
    sources : files that were read, also those that could not be; folders of lists are not among them.
    """

    found: RecognisedFiles
    model_files: Sequence[ModelFile] = ()
    tables: tuple[LabelTable, ...] = ()
    qrels: tuple[QrelsFile, ...] = ()
    id_lists: tuple[IdList, ...] = ()
    label_vectors: tuple[LabelVector, ...] = ()
    unmarked_tables: tuple[tuple[LabelTable, bool], ...] = ()
    side_tables: tuple[TextTable, ...] = ()
    runs: tuple[OpenedRun, ...] = ()
    classification: LabelTable | None = None
    query_classes: LabelTable | None = None
    query_list: tuple[Path, tuple[str, ...]] | None = None
    named_qrels: QrelsFile | None = None
    named_runs: tuple[RunCandidate, ...] = ()
    failures: tuple[FormatError, ...] = ()
    doubtful: tuple[FormatError, ...] = ()
    sources: tuple[Path, ...] = ()

    @property
    def meshes(self) -> list[ModelFile]:
        """The meshes of `model_files`."""
        return [file for file in self.model_files if not file.is_image]

    @cached_property
    def all_runs(self) -> list[OpenedRun]:
        """Runs that were found or named, each file once; the format that is named counts."""
        named = [candidate.run for candidate in self.named_runs]
        paths = {run.path for run in named}
        return [*(run for run in self.runs if run.path not in paths), *named]

    @property
    def matrices(self) -> list[tuple[Path, tuple[int, ...]]]:
        """Files and shapes of the runs that are matrices without ids."""
        shapes = ((run.path, run.parsed.matrix_shape()) for run in self.all_runs)
        return [(path, shape) for path, shape in shapes if shape is not None]


def read_files(
    found: RecognisedFiles, parts: Manifest, findings_log: FindingsLog, progress: ReadProgress = NO_PROGRESS
) -> ReadFiles:
    """Read all files of known formats; of a folder of rank lists a sample."""
    reading = _FileReading(found, findings_log, progress, parts)
    truth = reading.truth()
    runs = reading.runs()
    tables = _of_type(truth, LabelTable)
    qrels = _of_type(truth, QrelsFile)
    for partiality in _of_type(truth, PartialityFile):
        message = f"partiality of {count_of(len(partiality.shares), 'query', 'queries')}"
        findings_log.info(partiality.path, message, "no measure uses it")
    named_runs = [reading.named_run(entry, parts, runs) for entry in _run_entries(parts, runs)]
    query_list = None
    is_read = any(table.path == parts.query_classification for table in tables) or parts.query_columns is not None
    if parts.query_classification is not None and not is_read:
        query_list = reading.query_list(parts.query_classification)
    named_queries = parts.query_classification if query_list is None else None
    declared = [] if findings_log.manifest is None else findings_log.manifest.tables_by_roles
    for path, unnamed, option in parts.tables_by_roles:
        is_declared = (path, unnamed, option) in declared
        message = f"columns '{unnamed}' are set, but no file of such columns is named"
        if not is_declared:
            message = f"--truth-columns={unnamed} is given, but no file of such columns: {option}"
        if path is None:
            name = findings_log.manifest_name if is_declared else ""
            findings_log.error(findings_log.root / name, message, "ignored")
    classification, query_classes = (
        reading.named_truth(path, tables, LabelTable, columns)
        for path, columns in ((parts.classification, parts.class_columns), (named_queries, parts.query_columns))
    )
    has_truth = bool(tables or qrels or classification or query_classes or parts.qrels)
    unmarked_tables = () if has_truth else reading.unmarked_tables()
    side_tables = tuple(reading.side_tables())
    named_levels = parts.qrels if parts.derive is None else None
    named_qrels = reading.named_truth(named_levels, qrels, QrelsFile, parts.level_columns)
    return ReadFiles(
        found,
        list_model_files(found, parts.models, parts.query_models),
        tables,
        qrels,
        _of_type(truth, IdList),
        _of_type(truth, LabelVector),
        unmarked_tables,
        side_tables,
        runs,
        classification,
        query_classes,
        query_list,
        named_qrels,
        tuple(candidate for candidate in named_runs if candidate is not None),
        tuple(reading.failures),
        tuple(reading.doubtful),
        tuple(dict.fromkeys(reading.sources)),
    )


def _of_type(contents: Sequence[object], wanted: type[Parsed]) -> tuple[Parsed, ...]:
    return tuple(content for content in contents if isinstance(content, wanted))


def _run_entries(parts: Manifest, runs: Sequence[OpenedRun]) -> list[RunEntry]:
    """Runs that are named: those of benchmark.toml, or the file or folder of ``--runs`` if it is a run itself."""
    entries = list(parts.runs)
    only = parts.runs_in
    if only is None or any(entry.path == only for entry in entries):
        return entries
    if not any(run.path != only and run.path.is_relative_to(only) for run in runs):
        entries.append(RunEntry(only))
    return entries


class _FileReading:
    """Reads files and collects their paths and errors."""

    def __init__(
        self, found: RecognisedFiles, findings_log: FindingsLog, progress: ReadProgress, parts: Manifest
    ) -> None:
        self._table_reader = table_reader(parts.read_options.columns)
        roles = ((parts.classification, LabelTable), (parts.query_classification, LabelTable), (parts.qrels, QrelsFile))
        self._kinds = {path: tuple(kind for other, kind in roles if other == path) for path, _ in roles}
        self._found = found
        self._findings_log = findings_log
        self._progress = progress
        self.failures: list[FormatError] = []
        self.doubtful: list[FormatError] = []
        self.sources: list[Path] = []

    def truth(self) -> list[object]:
        """Contents of all truth files, by format."""
        contents = []
        for reader in all_readers():
            if isinstance(reader, TruthReader):
                paths = [file.path for file in self._found.files(reader.key)]
                self.sources += paths
                for path in {path.parent: path for path in reversed(paths)}.values() if reader.of_folder else paths:
                    self._progress.check()
                    kinds = self._kinds.get(path, ())  # a file that is named for one role has no other
                    try:
                        content = reader.read_unchanged(path)
                    except FormatError as error:
                        if not kinds:
                            self._fail(error)
                        continue
                    if not kinds or isinstance(content, kinds):
                        contents.append(content)
        return contents

    def runs(self) -> tuple[OpenedRun, ...]:
        """All runs, by format."""
        self._parse_in_processes()
        runs = []
        for reader in run_readers():
            if reader.read_folder is not None:
                for folder, files in self._found.folders.items():
                    self._progress.check()
                    if (parsed := reader.read_folder(folder, files, self._progress)) is not None:
                        runs.append(OpenedRun(reader, parsed))
                continue
            for file in self._found.files(reader.key):
                self._progress.check()
                if file.path not in self._kinds and (run := self._run(reader, file)) is not None:
                    runs.append(run)
        return tuple(runs)

    def _parse_in_processes(self) -> None:
        """Parse large text files that are not in the cache yet, if there are several, into the cache."""
        cache, run_in_processes = self._progress.cache, self._progress.run_in_processes
        if cache is None or run_in_processes is None:
            return
        tasks = [
            _ParseTask(reader.key, file.path, cache.folder, cache.max_bytes)
            for reader in run_readers()
            if reader.cache_kind is not None
            for file in self._found.files(reader.key)
            if _is_large_text(file) and cache.get(cache.key(reader.cache_kind, file.path)) is None
        ]
        if len(tasks) < 2:
            return

        def report(n_done: int) -> None:
            self._progress.report(n_done, len(tasks), "large file")

        run_in_processes(_parse_to_cache, tasks, report)

    def _run(self, reader: RunReader, file: FoundFile) -> OpenedRun | None:
        is_certain = file.match is Match.CERTAIN
        if reader.key in TABLES_OF_PAIRS:
            reader = self._table_reader if isinstance(self._table_reader, RunReader) else reader
        self.sources.append(file.path)
        try:
            return OpenedRun(reader, reader.read_unchanged(file.path, self._progress), is_certain)
        except FormatError as error:
            if is_certain:
                self._fail(error, key=RUN_IGNORED)
            else:
                self.doubtful.append(error)
            return None

    def named_run(self, entry: RunEntry, parts: Manifest, runs: Sequence[OpenedRun]) -> RunCandidate | None:
        """A named run, taken from those that were found if it is read in the same format; None if it is unreadable."""
        options = parts.read_options.merged_over(entry.read_options)
        for run in runs:
            is_same = options.format in (None, run.reader.key)
            is_same &= run.is_folder or table_reader(options.columns) is None
            if run.path == entry.path and is_same:
                return RunCandidate(replace(run, is_certain=True), entry, options)
        if entry.path.is_file():
            self.sources.append(entry.path)
        try:
            files = self._found.folders.get(entry.path) or single_lists(self._found.folders).get(entry.path, ())
            run = open_run(entry.path, files, options, self._progress)
        except FormatError as error:
            self._findings_log.failed(error, "the run is ignored", key=RUN_IGNORED)
            return None
        return RunCandidate(run, entry, options)

    def side_tables(self) -> list[TextTable]:
        """Small tables of anything; those that cannot be read are ignored."""
        tables = []
        for file in self._found.files("table"):
            self._progress.check()
            if file.size <= MAX_SIDE_TABLE_BYTES and (found := read_or_none(read_table, file.path)) is not None:
                tables.append(found)
                self.sources.append(file.path)
        return tables

    def unmarked_tables(self) -> tuple[tuple[LabelTable, bool], ...]:
        """Files that can be read as a table of ids and classes, though no header says so."""
        tables = []
        for files in self._found.folders.values():
            if sum(file.kind == "rank_list" for file in files) > MAX_LISTS_BESIDE_TABLE:
                continue
            for file in files:
                if file.kind not in UNMARKED_TABLE_KINDS or not 0 < file.size <= MAX_TABLE_BYTES:
                    continue
                if (found := read_or_none(read_any_class_table, file.path)) is not None:
                    tables.append(found)
                    self.sources.append(file.path)
        return tuple(tables)

    def query_list(self, path: Path) -> tuple[Path, tuple[str, ...]] | None:
        """Plain list of the queries that is named; None for another file, which is read as a table."""
        self.sources.append(path)
        ids = read_or_none(read_plain_ids, path)  # reading it as a table reports the error
        return None if ids is None else (path, ids)

    def named_truth(
        self, path: Path | None, found: Sequence[Truth], kind: type[Truth], columns: str | None
    ) -> Truth | None:
        """Classes or levels of a file that is named, taken from those that were found if it is one of them.

        `columns`: see `read_truth`.
        """
        known = next((content for content in found if content.path == path and columns is None), None)
        if path is None or known is not None:
            return known
        self.sources.append(path)
        try:
            content = read_truth(path, kind, columns=columns)
        except FormatError as error:
            if not any(failure.path == path for failure in self.failures):
                self._fail(error)
            return None
        assert isinstance(content, kind)
        return content

    def _fail(self, error: FormatError, *, key: str = "") -> None:
        self.failures.append(error)
        self._findings_log.failed(error, "ignored", key=key)


def _is_large_text(file: FoundFile) -> bool:
    """Whether a file is parsed into the cache."""
    head = read_or_none(read_file_head, file.path) if file.size >= LARGE_TEXT_BYTES else None
    return head is not None and looks_like_text(head.data)


@dataclass(frozen=True)
class _ParseTask:
    """A file of a run, the key of its reader, and the parse cache."""

    reader: str
    path: Path
    cache_folder: Path
    cache_bytes: int


def _parse_to_cache(task: _ParseTask) -> None:
    """Parse a file into the parse cache, in a worker process; errors are found again when the file is read."""
    reader = find_reader(task.reader)
    assert isinstance(reader, RunReader)
    reader.read_unchanged(task.path, ReadProgress(cache=ParseCache(task.cache_folder, task.cache_bytes)))


def read_truth(path: Path, *kinds: type[LabelTable | QrelsFile], columns: str | None = None) -> LabelTable | QrelsFile:
    """Truth of some kinds, of a file outside the folder, or of one that is not recognised by itself.

    Parameters
    ----------
    path : a file, or a folder with one.
    columns : the role of each column of a table, see TRUTH_ROLES; None: detected.

    Raises
    ------
    FormatError
        When it is none of these kinds; it says why it is not the first one.
    """
    path = next(iter(sorted(path.glob("*_good.*"))), path)
    if path.is_dir():
        return _read_truth_of_folder(path, *kinds, columns=columns)
    if (reader := table_reader(columns, is_truth=True)) is not None and columns is not None:
        content = reader.read_unchanged(path)
        if isinstance(content, kinds):
            return content
        what = "classes" if isinstance(content, LabelTable) else "relevance levels"
        raise FormatError(path, f"'{columns}' are columns of {what}")
    head = read_file_head(path)
    errors = []
    for reader in all_readers():
        if isinstance(reader, TruthReader) and reader.match(head) and reader.key not in ("labels", "ids"):
            try:
                content = reader.read_unchanged(path)
            except FormatError as error:
                if reader.key != UNREAD_TRUTH:
                    raise
                errors.append(error)
                continue
            if isinstance(content, kinds):
                return content
    for kind in kinds:
        try:
            return _read_as_classes(head) if kind is LabelTable else _read_as_levels(head)
        except FormatError as error:
            errors.append(error)
    raise errors[0]


def _read_truth_of_folder(
    folder: Path, *kinds: type[LabelTable | QrelsFile], columns: str | None
) -> LabelTable | QrelsFile:
    """Truth in the only file of a folder that has some."""
    read = partial(read_truth, columns=columns)
    contents = [read_or_none(read, path, *kinds) for path in list_folder(folder)]
    found = [content for content in contents if content is not None]
    if len(found) != 1:
        names = join_some([f"'{content.path.name}'" for content in found])
        raise FormatError(
            folder, f"holds {len(found)} files of truth: {names}; name one" if found else "holds no truth"
        )
    return found[0]


def _read_as_classes(head: FileHead) -> LabelTable:
    if head.path.suffix.lower() == ".cla":
        return read_cla(head.path)
    if is_json(head.text or ""):
        return read_class_json(head.path)
    try:
        return read_class_table(head.path)
    except FormatError:
        if (found := read_or_none(read_any_class_table, head.path)) is None:
            raise
        return found[0]


def _read_as_levels(head: FileHead) -> QrelsFile:
    if is_json(head.text or ""):
        return read_json_truth(head.path)
    if is_array(head) or match_parquet(head):
        return read_levels(head.path)
    pairs = read_or_none(read_pair_table, head.path) if is_table(head) else None
    return read_or_none(read_level_matrix, head.path) or pairs or read_qrels(head.path)


def open_run(
    path: Path, files: Sequence[FoundFile], options: ReadOptions, progress: ReadProgress = NO_PROGRESS
) -> OpenedRun:
    """A file or folder that is named as a run, in the format of the options, else in the one it looks like.

    Parameters
    ----------
    path : file or folder.
    files : files of the folder; empty for a file.

    Raises
    ------
    FormatError
        When it cannot be read, or `options.format` is not the key of a run format.
    """
    reader = find_reader(options.format) if options.format is not None else None
    reader = (None if path.is_dir() else table_reader(options.columns)) or reader
    if isinstance(reader, TruthReader) and options.columns is not None:
        raise FormatError(path, f"'{options.columns}' are roles of columns of a relevance assessment, not of a run")
    if options.format is not None and not isinstance(reader, RunReader):
        keys = ", ".join(reader.key for reader in run_readers())
        raise FormatError(path, f"there is no run format '{options.format}'; the formats are {keys}")
    if path.is_dir() and not (is_zarr(path) and reader in (None, find_reader(ZARR))):
        return _open_folder(path, files, reader, progress)
    if path.is_dir():
        reader = find_reader(ZARR)
    if reader is None:
        head = read_file_head(path)
        reader = recognise_named_run(head) or find_reader(_nearest_format(head))
    assert isinstance(reader, RunReader)
    if reader.read_folder is not None:
        raise FormatError(path, f"is a file; a run of the format '{reader.key}' is a folder of files")
    return OpenedRun(reader, reader.read_unchanged(path, progress))


def _nearest_format(head: FileHead) -> str:
    """Key of the format whose reader says best what is wrong with a file of no format; FormatError without rows."""
    text = head.text
    if text and not has_rows(text):
        raise FormatError(head.path, NO_ROWS)
    if text is not None and text.lstrip().startswith(("{", "[")):
        return "keyed_lists"
    first = head.lines[0] if text is not None and head.lines else ""
    separator = separator_of(first)
    return "long" if separator is not None and not is_number(first.split(separator)[0].strip()) else "matrix"


def _open_folder(path: Path, files: Sequence[FoundFile], reader: object, progress: ReadProgress) -> OpenedRun:
    if isinstance(reader, RunReader) and reader.read_folder is None:
        raise FormatError(path, f"is a folder, but the format '{reader.key}' is a file")
    readers = [reader] if isinstance(reader, RunReader) else list(run_readers())
    for candidate in readers:
        if candidate.read_folder is not None and (run := candidate.read_folder(path, files, progress)) is not None:
            return OpenedRun(candidate, run)
    named = read_named_folder(path, files)
    rank_list = find_reader("rank_list")
    if named is None or not isinstance(rank_list, RunReader):
        raise FormatError(path, f"holds no rank list: {_describe_folder(path)}")
    return OpenedRun(rank_list, named)


def _describe_folder(path: Path) -> str:
    """What a folder without rank lists holds."""
    files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    if not files:
        return "there is no file in it"
    expected = "lines 'id', 'id distance' or 'distance id' are expected, in files named after the queries"
    return f"'{files[0].name}' {describe_beginning(files[0])}; {expected}"


MAX_QUOTED_CHARS = 40


def quoted(line: str) -> str:
    """The beginning of a line for a message."""
    text = line.strip()
    return f"'{text[:MAX_QUOTED_CHARS]}{'...' if len(text) > MAX_QUOTED_CHARS else ''}'"


def describe_beginning(path: Path) -> str:
    """What a file begins with, for a message."""
    try:
        head = read_file_head(path)
    except FormatError as error:
        return error.reason
    if not head.size:
        return "is empty"
    if head.text is None:
        return "is not a text file"
    return f"begins with {quoted(next(iter(head.lines), ''))}" if has_rows(head.text) else NO_ROWS
