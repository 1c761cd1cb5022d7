"""Reads changed runs again, rescores only those, and carries the selection over."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from shrec_viewer.domain import Benchmark, Cancelled, Finding, FormatError, Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.discovery.run_reload import ReloadedRun, reload_run, with_run
from shrec_viewer.formats.manifest.parts import BenchmarkParts
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.files.disk_caches import parse_cache
from shrec_viewer.viewmodels.session.jobs import Means, compute_means
from shrec_viewer.viewmodels.session.selection import Selection, initial_selection
from shrec_viewer.viewmodels.tasks.tasks import Task


@dataclass(frozen=True)
class OpenRequest:
    """What is being opened.

    Attributes
    ----------
    path, parts : see `read_benchmark`.
    profile : conventions, or their key, instead of those the benchmark asks for.
    began : when reading began, as `time.time`.
    gently : nobody asked for it; what is open stays if something of it is lost.
    """

    path: Path
    parts: BenchmarkParts
    profile: str | Profile | None
    began: float
    automatic: bool = False


KEPT_ACTION = "what was read before stays"
"""What is done about files that changed and cannot be used."""


def kept_version_finding(benchmark: Benchmark, error: FormatError) -> Finding:
    """A file that changed and cannot be read, as a finding of what therefore stays."""
    try:
        place = Path(error.path).relative_to(benchmark.root).as_posix()
    except ValueError:
        place = Path(error.path).as_posix()
    return Finding(Severity.ERROR, place, error.line, error.why, KEPT_ACTION)


def find_loss(old: Benchmark, new: Benchmark) -> Finding | None:
    """Why `new` had better not take the place of `old`, the same files read earlier; None for no reason.

    A file is often seen half-written: then it has errors it did not have; or classes, truth, queries, runs are gone.
    """
    known = {(finding.file, finding.message) for finding in old.findings}
    errors = [finding for finding in new.findings if finding.severity is Severity.ERROR]
    fresh = [found for found in errors if (found.file, found.message) not in known and not _is_run_finding(found, new)]
    lost = old.assessment is not None and new.assessment is None
    lost |= old.classification is not None and new.classification is None
    lost |= bool(old.runs) and not new.runs
    lost |= bool(len(old.queries)) and not len(new.queries)
    lost |= bool(len(old.collection)) and not len(new.collection)
    if fresh:
        return replace(fresh[0], action=KEPT_ACTION)
    message = "something that was read before is no longer there"
    return Finding(Severity.ERROR, ".", None, message, KEPT_ACTION) if lost else None


def _is_run_finding(finding: Finding, benchmark: Benchmark) -> bool:
    path = Path(os.path.normpath(benchmark.root / finding.file))
    return any(path.is_relative_to(run.source) for run in benchmark.runs)


def carry_selection(selection: Selection, old: Benchmark, new: Benchmark) -> Selection:
    """What `selection` of `old` means in `new`; where something is no longer there, what opens by itself.

    Runs are found by their name, queries and models by their id. Runs that are new are shown if all were shown before.
    A rank counts only for the same query.
    """
    first = initial_selection(new)
    old_runs, new_runs = [run.name for run in old.runs], [run.name for run in new.runs]
    query = _new_index(selection.query, old.queries.ids, new.queries.ids)
    run = _new_index(selection.run, old_runs, new_runs)
    compared = None if selection.compared is None else _new_index(selection.compared, old_runs, new_runs)
    model = None if selection.model is None else _new_index(selection.model, old.collection.ids, new.collection.ids)
    shown = {place for was in selection.shown_runs if (place := _new_index(was, old_runs, new_runs)) is not None}
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


def _new_index(place: int, old: Sequence[str], new: Sequence[str]) -> int | None:
    """Where the name that stood at `place` stands now; None where it stood nowhere, or stands there no longer."""
    if not 0 <= place < len(old) or old[place] not in new:
        return None
    return place if place < len(new) and new[place] == old[place] else new.index(old[place])


@dataclass(frozen=True, eq=False)
class ReloadedRuns:
    """A benchmark with runs read anew.

    Attributes
    ----------
    former, benchmark : before and after.
    read : places of the runs that are others now.
    failed : sentence by place of each run that stayed what it was because it could not be read.
    scores, means : of `benchmark`; None and empty where there were none before.
    """

    former: Benchmark
    benchmark: Benchmark
    read: tuple[int, ...]
    failed: Mapping[int, str]
    scores: Scores | None
    means: Means


def reload_runs(
    benchmark: Benchmark,
    scores: Scores | None,
    places: Sequence[int],
    manifest: Path | None,
    readings: Mapping[int, ReadOptions],
    task: Task,
) -> ReloadedRuns:
    """`benchmark` with the runs at `places` read anew; what cannot be read stays, and a finding says so.

    Parameters
    ----------
    scores : of `benchmark`; those of the other runs are kept.
    manifest : what the benchmark was opened from, if that was a manifest.
    readings : how the run at a place is to be read, where the person said so since it was opened.

    Raises
    ------
    Cancelled
        When nobody waits any more.
    """
    former, read, failed = benchmark, [], {}
    for done, place in enumerate(places):
        if task.cancelled():
            raise Cancelled
        task.progress(done, len(places), benchmark.runs[place].name)
        benchmark = _without_failure(benchmark, place)
        try:
            found = reload_run(
                benchmark,
                place,
                reading=readings.get(place, DETECT_ALL),
                manifest=manifest,
                cancelled=task.cancelled,
                progress=task.progress,
                cache=parse_cache(),
            )
            _refuse_new_errors(benchmark, place, found)
        except FormatError as error:
            finding = kept_version_finding(benchmark, error)
            failed[place] = f"{finding.place}: {finding.message}"
            benchmark = replace(benchmark, findings=(*benchmark.findings, finding))
        else:
            benchmark = with_run(benchmark, place, found)
            read.append(place)
    if scores is not None:
        scores = rescore(scores, benchmark, read, task)
    means = {} if scores is None else compute_means(scores)
    return ReloadedRuns(former, benchmark, tuple(read), failed, scores, means)


def rescore(scores: Scores, benchmark: Benchmark, places: Sequence[int], task: Task) -> Scores:
    """`scores` with the runs at `places` ranked and measured anew; nothing is computed for the others."""
    names = [benchmark.runs[place].name for place in places]
    keys = [measure.key for measure in scores.measures]
    answers, hits, noticed = scores.answers.copy(), list(scores.hits), list(scores.noticed)
    if names:
        new = evaluate(
            benchmark,
            scores.profile,
            runs=names,
            measures=keys,
            ties=scores.ties,
            cancelled=task.cancelled,
            progress=task.progress,
        )
        for place, name in enumerate(names):
            row = scores.run_index(name)
            answers[row], hits[row], noticed[row] = new.answers[place], new.hits[place], new.noticed[place]
    return replace(scores, benchmark=benchmark, answers=answers, hits=tuple(hits), noticed=tuple(noticed))


def _refuse_new_errors(benchmark: Benchmark, place: int, found: ReloadedRun) -> None:
    """A run without an error does not become one with: its file may be half-written. Reading all anew would take it."""
    source = benchmark.runs[place].source
    had = any(
        _concerns(finding, benchmark, source) for finding in benchmark.findings if finding.severity is Severity.ERROR
    )
    new = next((finding for finding in found.findings if finding.severity is Severity.ERROR), None)
    if new is not None and not had:
        raise FormatError(benchmark.root / new.file, new.message, new.line)


def _without_failure(benchmark: Benchmark, place: int) -> Benchmark:
    """Without what was said when this run could not be read the last time."""
    source = benchmark.runs[place].source
    kept = tuple(
        found for found in benchmark.findings if found.action != KEPT_ACTION or not _concerns(found, benchmark, source)
    )
    return replace(benchmark, findings=kept)


def _concerns(finding: Finding, benchmark: Benchmark, source: Path) -> bool:
    return Path(os.path.normpath(benchmark.root / finding.file)).is_relative_to(source)
