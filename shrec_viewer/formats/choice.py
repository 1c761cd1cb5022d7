"""Which of the lists and matrices in a folder are runs."""

from collections.abc import Callable
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.cells import are_cut_lists
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.journal import count_of
from shrec_viewer.formats.listed import is_listed, read_listed
from shrec_viewer.formats.long_table import is_long_table, read_long_table
from shrec_viewer.formats.manifest import RunEntry
from shrec_viewer.formats.material import ListFolder, Material
from shrec_viewer.formats.matrix import MatrixFile, read_matrix
from shrec_viewer.formats.named_folders import BESIDE_MODELS, named_folders
from shrec_viewer.formats.named_matrix import is_named_matrix, read_named_matrix
from shrec_viewer.formats.named_runs import is_named_run
from shrec_viewer.formats.plan import Plan
from shrec_viewer.formats.query_names import NAMED_SHARE, affixed
from shrec_viewer.formats.reading import Reading
from shrec_viewer.formats.runs import Candidate, Source
from shrec_viewer.formats.submission import (
    SubmissionFile,
    is_submission,
    is_submission_of,
    may_be_submission,
    read_submission,
)
from shrec_viewer.formats.survey import UNKNOWN
from shrec_viewer.formats.text import read_head
from shrec_viewer.formats.trec import TrecFile, is_trec, read_trec
from shrec_viewer.formats.watch import NOBODY, Watch

KNOWN_SHARE = 0.5
"""Share of a list's words that must be ids of models to say that a folder was meant to be a run."""

MOST_TABLES = 500
"""Files of unknown meaning that are looked into again once the ids are known; more lie beside models."""

SIZE_SHARE = 0.25
"""A matrix with so many of the values that a run has was meant to be one, even if its shape is wrong; curves and tables
of scores are far smaller."""


def choose_candidates(material: Material, plan: Plan, context: Context) -> list[Candidate]:
    """Runs that the manifest lists, and those that were found; what only resembles a run is left aside.

    A folder of lists is a run if its files are named after queries; a matrix if its shape fits, or is near enough to
    deserve a sentence; a TREC run always.
    """
    listed = [found for entry in plan.runs if (found := _listed(entry, material, plan, context)) is not None]
    taken = {found.source.path for found in listed}
    folders = named_folders(material, context) if len(context.queries) else []
    lists = {file.path for folder in folders for file in folder.files}
    sources: list[Source] = [*material.tabled]
    sources += [matrix for matrix in material.matrices if _may_be_run(matrix, context)]
    sources += [matrix for matrix in material.named if is_named_run(matrix, context)]
    sources = [source for source in sources if source.path not in lists and not _is_foreign(source, material, context)]
    sources += [folder for folder in material.lists if _is_run(folder, context)]
    sources += [*folders, *(_known_tables(material, context, lists) if len(context.queries) else ())]
    if plan.only_runs is not None:
        only = plan.only_runs
        sources = [source for source in sources if source.path.is_relative_to(only)]
        if not sources:
            entry = RunEntry(only)
            found = _listed(entry, material, plan, context)
            return [Candidate(found.source, None, plan.reading)] if found is not None else []
    return [*listed, *(Candidate(source, None, plan.reading) for source in sources if source.path not in taken)]


def _listed(entry: RunEntry, material: Material, plan: Plan, context: Context) -> Candidate | None:
    """The run of a manifest's entry, read whatever it looks like."""
    reading = plan.reading.over(entry.reading)
    known: list[Source] = [*material.tabled, *material.matrices, *material.named, *material.lists]
    for source in known:
        if source.path == entry.path and reading.format in (None, format_of(source)):
            return Candidate(source, entry, reading)
    try:
        source = read_source(entry.path, material.list_folder, reading, material.watch)
        return Candidate(source, entry, reading)
    except FormatError as error:
        context.journal.failed(error, "the run is left out")
        return None


def format_of(source: Source) -> str:
    """Which of `reading.FORMATS` a run has."""
    if isinstance(source, TrecFile):
        return "trec"
    if isinstance(source, MatrixFile):
        return "matrix"
    return "submission" if isinstance(source, SubmissionFile) else "rank_list"


def read_source(
    path: Path, list_folder: Callable[[Path], ListFolder | None], reading: Reading, watch: Watch = NOBODY
) -> Source:
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
        folder = list_folder(path)
        if folder is None:
            raise FormatError(path, f"holds no rank list: {_first_line_in(path)}")
        return folder
    if told == "rank_list":
        raise FormatError(path, "is a file; rank lists lie in a folder, one file for each query")
    head = read_head(path)
    if told == "trec" or (told is None and is_trec(head)):
        return read_trec(path, watch)
    if told is None and is_listed(head):
        return read_listed(path)
    if told is None and is_long_table(head):
        return read_long_table(path)
    if told == "submission" or (told is None and (is_submission(head) or may_be_submission(head))):
        return read_submission(path)
    if told in (None, "matrix") and is_named_matrix(head):
        return read_named_matrix(path, watch)
    return read_matrix(path, watch)


def _first_line_in(path: Path) -> str:
    """What stands in a folder instead of lists, as part of a sentence."""
    files = sorted(found for found in path.iterdir() if found.is_file() and not found.name.startswith("."))
    if not files:
        return "there is no file in it"
    try:
        lines = read_head(files[0]).lines
    except FormatError as error:
        return f"'{files[0].name}' {error.why}"
    said = f"'{files[0].name}' is no text"
    if lines:
        said = f"the first line of '{files[0].name}' is '{lines[0].strip()[:40]}'"
    return f"{said}; lines 'id', 'id distance' or 'distance id' are expected, in files named after the queries"


def _is_run(folder: ListFolder, context: Context) -> bool:
    if not len(context.queries):
        return False
    names = folder.names
    if affixed(names, context.query_ids)[0].share(names) >= NAMED_SHARE:
        return True
    known = max(context.items.share(list(column)) for column in folder.sample.columns)
    if known >= KNOWN_SHARE and len(names) > 1:
        message = f"{count_of(len(names), 'rank list')}, named after no query: '{names[0]}' for one"
        context.journal.warning(folder.path, f"{message}, while '{context.queries.ids[0]}' is a query", "left out")
        for found in folder.files:
            context.journal.mention(found.path)
    return False


def _is_beside(path: Path) -> bool:
    return path.suffix.lower() in BESIDE_MODELS


def _is_foreign(source: Source, material: Material, context: Context) -> bool:
    """Whether a file that resembles lists behind their queries names no query here: settings are written so, too."""
    is_listed = any(source is found for found in material.listed)
    return is_listed and isinstance(source, SubmissionFile) and context.query_ids.share(source.queries) == 0


def _known_tables(material: Material, context: Context, lists: set[Path]) -> list[SubmissionFile]:
    """Tables that only known ids show to be submissions: ids with blanks in them are words to others."""
    found = []
    files = [file for file in material.files("table", UNKNOWN) if file.path not in lists and not _is_beside(file.path)]
    for file in files if len(files) <= MOST_TABLES else ():
        try:
            if is_submission_of(read_head(file.path), context.query_ids, context.items):
                found.append(read_submission(file.path))
        except FormatError as error:
            context.journal.failed(error, "left out")
    return found


def _may_be_run(matrix: MatrixFile, context: Context) -> bool:
    n_queries, n_models = len(context.queries), len(context.collection)
    if matrix.values.ndim == 2 and matrix.values.shape[1] in (n_models, len(context.models_with_file)):
        return True
    if matrix.values.size >= SIZE_SHARE * n_queries * n_models > 0:
        return True
    return len(matrix.values) == n_queries and are_cut_lists(matrix.values, n_models)
