"""Which of the lists and matrices in a folder are runs."""

from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.journal import count_of
from shrec_viewer.formats.manifest import RunEntry
from shrec_viewer.formats.material import ListFolder, Material
from shrec_viewer.formats.matrix import MatrixFile, read_matrix
from shrec_viewer.formats.plan import Plan
from shrec_viewer.formats.runs import Candidate, Source
from shrec_viewer.formats.submission import is_submission, read_submission
from shrec_viewer.formats.text import read_head
from shrec_viewer.formats.trec import is_trec, read_trec

NAMED_SHARE = 0.5
"""Share of a folder's lists that must be named after queries for it to be a run without anybody saying so."""

KNOWN_SHARE = 0.5
"""Share of a list's words that must be ids of models to say that a folder was meant to be a run."""

SIZE_SHARE = 0.25
"""A matrix with so many of the values that a run has was meant to be one, even if its shape is wrong; curves and tables
of scores are far smaller."""


def choose_candidates(material: Material, plan: Plan, context: Context) -> list[Candidate]:
    """Runs that the manifest lists, and those that were found; what only resembles a run is left aside.

    A folder of lists is a run if its files are named after queries; a matrix if its shape fits, or is near enough to
    deserve a sentence; a TREC run always.
    """
    listed = [found for entry in plan.runs if (found := _listed(entry, material, context)) is not None]
    taken = {found.source.path for found in listed}
    sources: list[Source] = [*material.tabled]
    sources += [folder for folder in material.lists if _is_run(folder, context)]
    sources += [matrix for matrix in material.matrices if _may_be_run(matrix, context)]
    if plan.only_runs is not None:
        only = plan.only_runs
        sources = [source for source in sources if source.path.is_relative_to(only)]
        if not sources:
            entry = RunEntry(only)
            found = _listed(entry, material, context)
            return [Candidate(found.source)] if found is not None else []
    return [*listed, *(Candidate(source) for source in sources if source.path not in taken)]


def _listed(entry: RunEntry, material: Material, context: Context) -> Candidate | None:
    """The run of a manifest's entry, read whatever it looks like."""
    known: list[Source] = [*material.tabled, *material.matrices, *material.lists]
    for source in known:
        if source.path == entry.path:
            return Candidate(source, entry)
    try:
        return Candidate(_read_source(entry.path, material), entry)
    except FormatError as error:
        context.journal.failed(error, "the run is left out")
        return None


def _read_source(path: Path, material: Material) -> Source:
    if path.is_dir():
        folder = material.list_folder(path)
        if folder is None:
            raise FormatError(path, "holds no rank list")
        return folder
    if is_trec(read_head(path)):
        return read_trec(path)
    return read_submission(path) if is_submission(read_head(path)) else read_matrix(path)


def _is_run(folder: ListFolder, context: Context) -> bool:
    if not len(context.queries):
        return False
    names = folder.names
    if context.query_ids.share(names) >= NAMED_SHARE:
        return True
    known = max(context.items.share(list(column)) for column in folder.sample.columns)
    if known >= KNOWN_SHARE and len(names) > 1:
        message = f"{count_of(len(names), 'rank list')}, named after no query: '{names[0]}' for one"
        context.journal.warning(folder.path, message, "left out")
    return False


def _may_be_run(matrix: MatrixFile, context: Context) -> bool:
    n_queries, n_models = len(context.queries), len(context.collection)
    if matrix.values.ndim == 2 and matrix.values.shape[1] in (n_models, len(context.models_with_file)):
        return True
    return matrix.values.size >= SIZE_SHARE * n_queries * n_models > 0
