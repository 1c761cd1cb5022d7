"""Reads and scores runs anew, and only those; a plain function of a task."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from shrec_viewer.domain import Benchmark, Cancelled, Finding, FormatError, Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.reading import UNSAID, Reading
from shrec_viewer.formats.reread import Reread, reread_run, with_run
from shrec_viewer.viewmodels.jobs import Means, means_of
from shrec_viewer.viewmodels.live_reload import KEPT, kept_finding
from shrec_viewer.viewmodels.parsed_files import parse_cache
from shrec_viewer.viewmodels.tasks import Task


@dataclass(frozen=True, eq=False)
class Renewal:
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


def renew(
    benchmark: Benchmark,
    scores: Scores | None,
    places: Sequence[int],
    manifest: Path | None,
    readings: Mapping[int, Reading],
    task: Task,
) -> Renewal:
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
            found = reread_run(
                benchmark,
                place,
                reading=readings.get(place, UNSAID),
                manifest=manifest,
                cancelled=task.cancelled,
                progress=task.progress,
                cache=parse_cache(),
            )
            _refuse_new_errors(benchmark, place, found)
        except FormatError as error:
            finding = kept_finding(benchmark, error)
            failed[place] = f"{finding.place}: {finding.message}"
            benchmark = replace(benchmark, findings=(*benchmark.findings, finding))
        else:
            benchmark = with_run(benchmark, place, found)
            read.append(place)
    if scores is not None:
        scores = rescored(scores, benchmark, read, task)
    means = {} if scores is None else means_of(scores)
    return Renewal(former, benchmark, tuple(read), failed, scores, means)


def rescored(scores: Scores, benchmark: Benchmark, places: Sequence[int], task: Task) -> Scores:
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


def _refuse_new_errors(benchmark: Benchmark, place: int, found: Reread) -> None:
    """A run without an error does not become one with: its file may be half-written. Reading all anew would take it."""
    source = benchmark.runs[place].source
    had = any(
        _is_of(finding, benchmark, source) for finding in benchmark.findings if finding.severity is Severity.ERROR
    )
    new = next((finding for finding in found.findings if finding.severity is Severity.ERROR), None)
    if new is not None and not had:
        raise FormatError(benchmark.root / new.file, new.message, new.line)


def _without_failure(benchmark: Benchmark, place: int) -> Benchmark:
    """Without what was said when this run could not be read the last time."""
    source = benchmark.runs[place].source
    kept = tuple(found for found in benchmark.findings if found.action != KEPT or not _is_of(found, benchmark, source))
    return replace(benchmark, findings=kept)


def _is_of(finding: Finding, benchmark: Benchmark, source: Path) -> bool:
    return Path(os.path.normpath(benchmark.root / finding.file)).is_relative_to(source)
