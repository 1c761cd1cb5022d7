"""What becomes of what is shown when a benchmark is read once more."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from shrec_viewer.domain import Benchmark, Finding, FormatError, Severity
from shrec_viewer.formats.plan import Parts
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.selection import Selection, first_selection


@dataclass(frozen=True)
class Opening:
    """What is being opened.

    Attributes
    ----------
    path, parts : see `read_benchmark`.
    profile : conventions, or their key, instead of those the benchmark asks for.
    began : when reading began, as `time.time`.
    gently : nobody asked for it; what is open stays if something of it is lost.
    """

    path: Path
    parts: Parts
    profile: str | Profile | None
    began: float
    gently: bool = False


KEPT = "what was read before stays"
"""What is done about files that changed and cannot be used."""


def kept_finding(benchmark: Benchmark, error: FormatError) -> Finding:
    """A file that changed and cannot be read, as a finding of what therefore stays."""
    try:
        place = Path(error.path).relative_to(benchmark.root).as_posix()
    except ValueError:
        place = Path(error.path).as_posix()
    return Finding(Severity.ERROR, place, error.line, error.why, KEPT)


def what_is_lost(old: Benchmark, new: Benchmark) -> Finding | None:
    """Why `new` had better not take the place of `old`, the same files read earlier; None for no reason.

    A file is often seen half-written: then it has errors it did not have; or classes, truth, queries, runs are gone.
    """
    known = {(finding.file, finding.message) for finding in old.findings}
    errors = [finding for finding in new.findings if finding.severity is Severity.ERROR]
    fresh = [found for found in errors if (found.file, found.message) not in known and not _is_of_a_run(found, new)]
    lost = old.assessment is not None and new.assessment is None
    lost |= old.classification is not None and new.classification is None
    lost |= bool(old.runs) and not new.runs
    lost |= bool(len(old.queries)) and not len(new.queries)
    lost |= bool(len(old.collection)) and not len(new.collection)
    if fresh:
        return replace(fresh[0], action=KEPT)
    message = "something that was read before is no longer there"
    return Finding(Severity.ERROR, ".", None, message, KEPT) if lost else None


def _is_of_a_run(finding: Finding, benchmark: Benchmark) -> bool:
    path = Path(os.path.normpath(benchmark.root / finding.file))
    return any(path.is_relative_to(run.source) for run in benchmark.runs)


def carried_over(selection: Selection, old: Benchmark, new: Benchmark) -> Selection:
    """What `selection` of `old` means in `new`; where something is no longer there, what opens by itself.

    Runs are found by their name, queries and models by their id. Runs that are new are shown if all were shown before.
    A rank counts only for the same query.
    """
    first = first_selection(new)
    old_runs, new_runs = [run.name for run in old.runs], [run.name for run in new.runs]
    query = _again(selection.query, old.queries.ids, new.queries.ids)
    run = _again(selection.run, old_runs, new_runs)
    compared = None if selection.compared is None else _again(selection.compared, old_runs, new_runs)
    model = None if selection.model is None else _again(selection.model, old.collection.ids, new.collection.ids)
    shown = {place for was in selection.shown_runs if (place := _again(was, old_runs, new_runs)) is not None}
    if len(selection.shown_runs) == len(old_runs):
        shown |= {place for place in first.shown_runs if new_runs[place] not in old_runs}
    return replace(
        selection,
        query=first.query if query is None else query,
        run=first.run if run is None else run,
        compared=compared,
        shown_runs=tuple(sorted(shown)),
        rank=None if query is None else selection.rank,
        model=model,
    )


def _again(place: int, old: Sequence[str], new: Sequence[str]) -> int | None:
    """Where the name that stood at `place` stands now; None where it stood nowhere, or stands there no longer."""
    if not 0 <= place < len(old) or old[place] not in new:
        return None
    return place if place < len(new) and new[place] == old[place] else new.index(old[place])
