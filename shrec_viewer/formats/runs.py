"""Runs: which files and folders are one, what they are called, and who submitted them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from shrec_viewer.domain import Cancelled, DistanceMatrix, RankedLists, Run
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.list_runs import read_list_run
from shrec_viewer.formats.manifest import RunEntry
from shrec_viewer.formats.material import ListFolder
from shrec_viewer.formats.matrix import MatrixFile
from shrec_viewer.formats.matrix_runs import read_matrix_run
from shrec_viewer.formats.named_matrix import NamedMatrix
from shrec_viewer.formats.named_runs import read_named_run
from shrec_viewer.formats.naming import natural_key
from shrec_viewer.formats.reading import UNSAID, Reading
from shrec_viewer.formats.run_names import Named, folders_inside, names_of, participants_of
from shrec_viewer.formats.submission import SubmissionFile
from shrec_viewer.formats.submission_runs import read_submission_run
from shrec_viewer.formats.trec import TrecFile
from shrec_viewer.formats.trec_runs import read_trec_run
from shrec_viewer.formats.watch import Progress

Source = ListFolder | TrecFile | SubmissionFile | MatrixFile


@dataclass(frozen=True, eq=False)
class Candidate:
    """Something that is to be read as a run, and what the person said about it."""

    source: Source
    entry: RunEntry | None = None
    reading: Reading = UNSAID


def read_runs(
    candidates: Sequence[Candidate],
    context: Context,
    participants: Mapping[str, str],
    cancelled: Callable[[], bool],
    progress: Progress | None,
) -> tuple[Run, ...]:
    """All runs that can be read: those of the manifest in its order, then the others in natural order of their names.

    What cannot be read is an error finding.
    """
    folders = folders_inside([found.source.path for found in candidates], context.journal)
    named = [
        Named(found.source.path, isinstance(found.source, ListFolder), inside, found.entry)
        for found, inside in zip(candidates, folders, strict=True)
    ]
    names = names_of(named, context.journal)
    listed = [place for place, found in enumerate(candidates) if found.entry is not None]
    rest = sorted({*range(len(candidates))} - {*listed}, key=lambda place: natural_key(names[place]))
    runs = []
    guessed = participants_of(named, names)
    for done, place in enumerate((*listed, *rest)):
        if cancelled():
            raise Cancelled
        candidate, name = candidates[place], names[place]
        if progress is not None:
            progress(done, len(candidates), name)
        ranking = read_ranking(candidate.source, candidate.reading, context, cancelled)
        if ranking is not None:
            said = candidate.entry.participant if candidate.entry is not None else None
            who = said or participants.get(name) or guessed[place]
            runs.append(Run(name, who, candidate.source.path, ranking))
    if progress is not None and candidates:
        progress(len(candidates), len(candidates), "")
    return tuple(runs)


def read_ranking(
    source: Source, reading: Reading, context: Context, cancelled: Callable[[], bool]
) -> RankedLists | DistanceMatrix | None:
    """The answers of one run; None, and an error finding, where it cannot be used."""
    if isinstance(source, NamedMatrix):
        return read_named_run(source, context, reading, cancelled)
    if isinstance(source, MatrixFile):
        return read_matrix_run(source, context, reading, cancelled)
    if isinstance(source, TrecFile):
        return read_trec_run(source, context, reading.similarity, cancelled)
    if isinstance(source, SubmissionFile):
        return read_submission_run(source, context)
    return read_list_run(source.path, source.files, context, cancelled, reading)


def name_of(source: Source) -> str:
    """Name of a run by itself: of its folder, or of its file without the usual endings."""
    return Named(source.path, isinstance(source, ListFolder), (source.path.parent.name,)).short
