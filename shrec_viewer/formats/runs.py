"""Runs: which files and folders are one, what they are called, and who submitted them."""

import re
from collections import Counter
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
from shrec_viewer.formats.submission import SubmissionFile
from shrec_viewer.formats.submission_runs import read_submission_run
from shrec_viewer.formats.trec import TrecFile
from shrec_viewer.formats.trec_runs import read_trec_run
from shrec_viewer.formats.watch import Progress

RUN_SUFFIXES = re.compile(
    r"(\.(txt|matrix|npy|npz|tsv|json|run|trec|csv|dat|bin|dist|res|out|mat))?(\.gz)?$", re.IGNORECASE
)
"""Endings of runfiles; anything else behind a dot belongs to the name: `TL.run3`."""

SPLITS = re.compile(r"(?:test|val|train)(?:_(?:normal|perturbed))?")
"""Folders that say which data a run answers, not whose it is (SHREC'16/'17: `Author_Method/test_normal`)."""

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
    names = _names(candidates)
    listed = [place for place, found in enumerate(candidates) if found.entry is not None]
    rest = sorted({*range(len(candidates))} - {*listed}, key=lambda place: natural_key(names[place]))
    runs = []
    guessed = guess_participants([names[place] for place in (*listed, *rest)])
    for done, place in enumerate((*listed, *rest)):
        if cancelled():
            raise Cancelled
        candidate, name = candidates[place], names[place]
        if progress is not None:
            progress(done, len(candidates), name)
        ranking = read_ranking(candidate.source, candidate.reading, context, cancelled)
        if ranking is not None:
            said = candidate.entry.participant if candidate.entry is not None else None
            who = said or participants.get(name) or guessed[name]
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
    """Name of a run: of its folder, or of its file without the usual endings."""
    if not isinstance(source, ListFolder):
        return RUN_SUFFIXES.sub("", source.path.name)
    name = source.path.name
    return f"{source.path.parent.name}/{name}" if SPLITS.fullmatch(name) else name


def _names(candidates: Sequence[Candidate]) -> list[str]:
    """Distinct names: what the manifest says, else of the file or folder, with as many folders above as needed."""
    names = [found.entry.name if found.entry and found.entry.name else name_of(found.source) for found in candidates]
    for depth in range(1, 4):
        counts = Counter(names)
        if max(counts.values(), default=0) < 2:
            break
        for place, found in enumerate(candidates):
            if counts[names[place]] > 1:
                above = [folder.name for folder in reversed(list(found.source.path.parents)[:depth])]
                names[place] = "/".join([*above, name_of(found.source)])
    taken: Counter[str] = Counter()
    for place, name in enumerate(names):
        taken[name] += 1
        if taken[name] > 1:
            names[place] = f"{name} ({taken[name]})"
    return names


def guess_participants(names: Sequence[str]) -> dict[str, str]:
    """Participant of each run where nobody says.

    The folder above (`team/run`); what stands before a dot (`TL.run3`); what stands before an underscore, where several
    runs share it (`smith_LFD`, `smith_D2`); else the name without the number at its end (`M2`).

    Examples
    --------
    >>> guess_participants(["M2", "TL.run3", "smith_LFD", "smith_D2", "d2_l1"])
    {'M2': 'M', 'TL.run3': 'TL', 'smith_LFD': 'smith', 'smith_D2': 'smith', 'd2_l1': 'd2_l1'}
    """
    shared = Counter(name.split("_")[0] for name in names if "_" in name)
    found = {}
    for name in names:
        if "/" in name:
            who = name.split("/")[0]
        elif "." in name.strip("."):
            who = name.split(".")[0]
        elif "_" in name and shared[name.split("_")[0]] > 1:
            who = name.split("_")[0]
        elif "_" in name:
            who = name
        else:
            who = re.sub(r"[-\s]*[0-9]+$", "", name)
        found[name] = who or name
    return found
