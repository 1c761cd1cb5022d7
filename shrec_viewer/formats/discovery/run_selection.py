"""Select which files and folders are runs, once collection and queries are known."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.core.ids import without_extension
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.folder_scan import EMPTY, IMAGE, MESH, UNKNOWN, FoundFile
from shrec_viewer.formats.discovery.reading import LIST_FILE_KINDS, NO_SAMPLE, DiscoveredFiles, RankListFolder
from shrec_viewer.formats.discovery.run_loading import RunCandidate, RunSource
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.text import read_file_head
from shrec_viewer.formats.manifest.manifest import RunEntry
from shrec_viewer.formats.manifest.parts import ResolvedParts
from shrec_viewer.formats.matrices.cell_values import are_truncated_lists
from shrec_viewer.formats.matrices.labelled_matrix import is_labelled_matrix, read_labelled_matrix
from shrec_viewer.formats.matrices.matrix import MatrixFile, read_matrix
from shrec_viewer.formats.matrices.matrix_runs import is_labelled_run
from shrec_viewer.formats.runs.id_matching import QUERY_NAME_SHARE, index_with_affix
from shrec_viewer.formats.runs.keyed_lists import is_keyed_lists, read_keyed_lists
from shrec_viewer.formats.runs.long_table import is_long_table, read_long_table
from shrec_viewer.formats.runs.rank_list_folder import read_list_with_ids
from shrec_viewer.formats.runs.submission import (
    SubmissionFile,
    is_submission,
    is_submission_of,
    may_be_submission,
    read_submission,
)
from shrec_viewer.formats.runs.trec import TrecFile, is_trec, read_trec

KNOWN_WORD_SHARE = 0.5
"""Share of a list's words that must be ids of models for it to be read as one."""

MAX_TRIED_FILES = 3
"""Files that are looked into: one may be faulty."""

MODEL_SIDECAR_SUFFIXES = (".mtl", ".json", ".xml", ".html", ".md", ".log")
"""Endings of what lies beside models under their names, and never holds a list."""

MAX_MALFORMED_LINES = 1
"""Lines that are none of a list in a file that is read as one though it does not begin like one."""

TRUTH_WORDS = re.compile(r"relevan|truth|qrel|judg|assess|(?<![a-z])gt(?![a-z])", re.IGNORECASE)
"""Parts of names of folders that say what is relevant to each query."""

MAX_QUOTED_CHARS = 40
"""Letters of a line that are quoted."""

EXPECTED_LINES = "left out; lines 'id', 'id distance' or 'distance id' are expected, best first"


def find_named_folders(material: DiscoveredFiles, context: ReadContext) -> list[RankListFolder]:
    """Folders that no reader took for lists, but whose files are named after queries and can be read as lists.

    Such a folder that cannot is an error, or a warning where nothing in it looks like a list over the collection.
    """
    known = {folder.path for folder in material.lists}
    found = []
    for folder_scan in material.folder_scans:
        for folder, files in folder_scan.folders.items():
            if folder not in known and (named := _query_named_files(files, context)):
                run = RankListFolder(folder, tuple(named), NO_SAMPLE)
                if _is_readable_run(run, context):
                    found.append(run)
    _log_empty_folders(material, {*known, *(run.path for run in found)}, context)
    return found


def _query_named_files(files: list[FoundFile], context: ReadContext) -> list[FoundFile]:
    """Files that could be lists, if most of them have the name of a query and no model or picture beside them has."""
    lists = [
        file
        for file in files
        if file.kind in LIST_FILE_KINDS and file.path.suffix.lower() not in MODEL_SIDECAR_SUFFIXES
    ]
    names = [without_extension(file.path.name) for file in lists]
    if len(lists) < 2 or index_with_affix(names, context.query_ids)[0].share(names) < QUERY_NAME_SHARE:
        return []
    models = {without_extension(file.path.name) for file in files if file.kind in (MESH, IMAGE)}
    return lists if sum(name in models for name in names) < QUERY_NAME_SHARE * len(names) else []


def _is_readable_run(run: RankListFolder, context: ReadContext) -> bool:
    names = [without_extension(file.path.name) for file in run.files]
    findings_log, (queries, _) = context.findings_log, index_with_affix(names, context.query_ids)
    told = [file for file in run.files if queries.place(file.path.name) >= 0]
    query = context.queries.ids[queries.place(told[0].path.name)]
    message = (
        f"{count_of(len(told), 'file is', 'files are')} named after queries ('{told[0].path.name}' after '{query}')"
    )
    filled = [file for file in told if file.kind != EMPTY]
    for file in run.files:
        findings_log.mention(file.path)
    if not filled:
        findings_log.error(run.path, f"{message}, and all are empty", "the run is left out")
        return False
    for file in filled[:MAX_TRIED_FILES]:
        try:
            found = read_list_with_ids(file.path, context.items)
        except FormatError:
            continue
        is_known = any(context.items.share(list(column)) >= KNOWN_WORD_SHARE for column in found.columns)
        if is_known and len(found.odd) <= MAX_MALFORMED_LINES:
            return True
    first = filled[0].path
    line = next(iter(_first_lines(first)), "")
    model = context.collection.ids[0] if len(context.collection) else ""
    message += f", but the first line of '{first.name}', '{line[:MAX_QUOTED_CHARS]}', is none of a ranked list"
    message += f" of models such as '{model}'"
    words = line.replace(",", " ").replace(";", " ").replace('"', " ").split()
    resembles_list = any(context.items.place(word) >= 0 for word in words) and len(words) <= len(context.collection)
    note = findings_log.error if resembles_list else findings_log.warning
    if TRUTH_WORDS.search(run.path.name):
        note = findings_log.info
    note(run.path, message, EXPECTED_LINES)
    return False


def _first_lines(path: Path) -> tuple[str, ...]:
    try:
        return read_file_head(path).lines[:1]
    except FormatError:
        return ()


def _log_empty_folders(material: DiscoveredFiles, runs: set[Path], context: ReadContext) -> None:
    """Folders with nothing in them, where runs lie beside them."""
    beside = {path.parent for path in runs}
    for path in _empty_folders(material):
        if path.parent in beside:
            context.findings_log.warning(path, "is empty, and runs lie beside it", "passed over")


def _empty_folders(material: DiscoveredFiles) -> Iterator[Path]:
    for folder_scan in material.folder_scans:
        above = {folder.parent for folder in folder_scan.folders}
        yield from (folder for folder, files in folder_scan.folders.items() if not files and folder not in above)


KNOWN_ID_SHARE = 0.5
"""Share of a list's words that must be ids of models to say that a folder was meant to be a run."""

MAX_TABLES = 500
"""Files of unknown meaning that are looked into again once the ids are known; more lie beside models."""

MIN_SIZE_SHARE = 0.25
"""A matrix with so many of the values that a run has was meant to be one, even if its shape is wrong; curves and tables
of scores are far smaller."""


def select_runs(material: DiscoveredFiles, plan: ResolvedParts, context: ReadContext) -> list[RunCandidate]:
    """Runs that the manifest lists, and those that were found; what only resembles a run is left aside.

    A folder of lists is a run if its files are named after queries; a matrix if its shape fits, or is near enough to
    deserve a sentence; a TREC run always.
    """
    listed = [
        found for entry in plan.runs if (found := _candidate_of_entry(entry, material, plan, context)) is not None
    ]
    taken = {found.source.path for found in listed}
    folders = find_named_folders(material, context) if len(context.queries) else []
    lists = {file.path for folder in folders for file in folder.files}
    sources: list[RunSource] = [*material.table_runs]
    sources += [matrix for matrix in material.matrices if _may_be_run_matrix(matrix, context)]
    sources += [matrix for matrix in material.named if is_labelled_run(matrix, context)]
    sources = [
        source for source in sources if source.path not in lists and not _names_no_query(source, material, context)
    ]
    sources += [folder for folder in material.lists if _is_run_folder(folder, context)]
    sources += [*folders, *(_submissions_by_ids(material, context, lists) if len(context.queries) else ())]
    if plan.runs_only is not None:
        only = plan.runs_only
        sources = [source for source in sources if source.path.is_relative_to(only)]
        if not sources:
            entry = RunEntry(only)
            found = _candidate_of_entry(entry, material, plan, context)
            return [RunCandidate(found.source, None, plan.reading)] if found is not None else []
    return [*listed, *(RunCandidate(source, None, plan.reading) for source in sources if source.path not in taken)]


def _candidate_of_entry(
    entry: RunEntry, material: DiscoveredFiles, plan: ResolvedParts, context: ReadContext
) -> RunCandidate | None:
    """The run of a manifest's entry, read whatever it looks like."""
    reading = plan.reading.over(entry.reading)
    known: list[RunSource] = [*material.table_runs, *material.matrices, *material.named, *material.lists]
    for source in known:
        if source.path == entry.path and reading.format in (None, run_format(source)):
            return RunCandidate(source, entry, reading)
    try:
        source = read_run_source(entry.path, material.find_list_folder, reading, material.watch)
        return RunCandidate(source, entry, reading)
    except FormatError as error:
        context.findings_log.failed(error, "the run is left out")
        return None


def run_format(source: RunSource) -> str:
    """Which of `reading.FORMATS` a run has."""
    if isinstance(source, TrecFile):
        return "trec"
    if isinstance(source, MatrixFile):
        return "matrix"
    return "submission" if isinstance(source, SubmissionFile) else "rank_list"


def read_run_source(
    path: Path,
    find_list_folder: Callable[[Path], RankListFolder | None],
    reading: ReadOptions,
    watch: ReadProgress = NO_PROGRESS,
) -> RunSource:
    """A file or folder as a run, in the format that is told, else in the one it looks like.

    Parameters
    ----------
    path : where it lies.
    list_folder : its rank lists, if it is a folder with some.
    """
    told = reading.format
    if path.is_dir():
        if told not in (None, "rank_list"):
            raise FormatError(path, f"is a folder, but the format '{told}' is a file")
        folder = find_list_folder(path)
        if folder is None:
            raise FormatError(path, f"holds no rank list: {_describe_folder(path)}")
        return folder
    if told == "rank_list":
        raise FormatError(path, "is a file; rank lists lie in a folder, one file for each query")
    head = read_file_head(path)
    if told == "trec" or (told is None and is_trec(head)):
        return read_trec(path, watch)
    if told is None and is_keyed_lists(head):
        return read_keyed_lists(path)
    if told is None and is_long_table(head):
        return read_long_table(path)
    if told == "submission" or (told is None and (is_submission(head) or may_be_submission(head))):
        return read_submission(path)
    if told in (None, "matrix") and is_labelled_matrix(head):
        return read_labelled_matrix(path, watch)
    return read_matrix(path, watch)


def _describe_folder(path: Path) -> str:
    """What stands in a folder instead of lists, as part of a sentence."""
    files = sorted(found for found in path.iterdir() if found.is_file() and not found.name.startswith("."))
    if not files:
        return "there is no file in it"
    try:
        lines = read_file_head(files[0]).lines
    except FormatError as error:
        return f"'{files[0].name}' {error.why}"
    said = f"'{files[0].name}' is no text"
    if lines:
        said = f"the first line of '{files[0].name}' is '{lines[0].strip()[:40]}'"
    return f"{said}; lines 'id', 'id distance' or 'distance id' are expected, in files named after the queries"


def _is_run_folder(folder: RankListFolder, context: ReadContext) -> bool:
    if not len(context.queries):
        return False
    names = folder.names
    if index_with_affix(names, context.query_ids)[0].share(names) >= QUERY_NAME_SHARE:
        return True
    known = max(context.items.share(list(column)) for column in folder.sample.columns)
    if known >= KNOWN_ID_SHARE and len(names) > 1:
        message = f"{count_of(len(names), 'rank list')}, named after no query: '{names[0]}' for one"
        context.findings_log.warning(folder.path, f"{message}, while '{context.queries.ids[0]}' is a query", "left out")
        for found in folder.files:
            context.findings_log.mention(found.path)
    return False


def _is_model_sidecar(path: Path) -> bool:
    return path.suffix.lower() in MODEL_SIDECAR_SUFFIXES


def _names_no_query(source: RunSource, material: DiscoveredFiles, context: ReadContext) -> bool:
    """Whether a file that resembles lists behind their queries names no query here: settings are written so, too."""
    is_listed = any(source is found for found in material.listed)
    return is_listed and isinstance(source, SubmissionFile) and context.query_ids.share(source.queries) == 0


def _submissions_by_ids(material: DiscoveredFiles, context: ReadContext, lists: set[Path]) -> list[SubmissionFile]:
    """Tables that only known ids show to be submissions: ids with blanks in them are words to others."""
    found = []
    files = [
        file for file in material.files("table", UNKNOWN) if file.path not in lists and not _is_model_sidecar(file.path)
    ]
    for file in files if len(files) <= MAX_TABLES else ():
        try:
            if is_submission_of(read_file_head(file.path), context.query_ids, context.items):
                found.append(read_submission(file.path))
        except FormatError as error:
            context.findings_log.failed(error, "left out")
    return found


def _may_be_run_matrix(matrix: MatrixFile, context: ReadContext) -> bool:
    n_queries, n_models = len(context.queries), len(context.collection)
    if matrix.values.ndim == 2 and matrix.values.shape[1] in (n_models, len(context.models_with_file)):
        return True
    if matrix.values.size >= MIN_SIZE_SHARE * n_queries * n_models > 0:
        return True
    return len(matrix.values) == n_queries and are_truncated_lists(matrix.values, n_models)
