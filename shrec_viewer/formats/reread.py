"""Reads one run of an open benchmark again, while all else stays as it is."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shrec_viewer.domain import Benchmark, Finding, FormatError, Run
from shrec_viewer.formats.choice import read_source
from shrec_viewer.formats.context import context_of
from shrec_viewer.formats.folder import recognise
from shrec_viewer.formats.journal import Journal
from shrec_viewer.formats.manifest import MANIFEST_NAME, read_manifest
from shrec_viewer.formats.material import ListFolder, told_folder
from shrec_viewer.formats.parse_cache import ParseCache
from shrec_viewer.formats.reader import never
from shrec_viewer.formats.reading import UNSAID, Reading
from shrec_viewer.formats.runs import read_ranking
from shrec_viewer.formats.survey import Found, survey_folder
from shrec_viewer.formats.watch import Progress, Watch


@dataclass(frozen=True, eq=False)
class Reread:
    """A run, read again, and what was noticed about it."""

    run: Run
    findings: tuple[Finding, ...]


def reread_run(
    benchmark: Benchmark,
    index: int,
    path: Path | None = None,
    *,
    reading: Reading = UNSAID,
    manifest: Path | None = None,
    cancelled: Callable[[], bool] = never,
    progress: Progress | None = None,
    cache: ParseCache | None = None,
) -> Reread:
    """One run of a benchmark as its file is now, under the same name and of the same participant.

    Neither the collection nor the queries nor the truth are read again, so this takes as long as the one run takes.
    A run that lies in an archive is read from where the archive was unpacked.

    Parameters
    ----------
    benchmark : what is open.
    index : place of the run.
    path : where it lies now; None: where it lay.
    reading : what the person says about its format, columns, order and direction; before what the manifest says.
    manifest : what the benchmark was opened from, if that was a manifest; None: its folder's, where there is one.
    cancelled, progress, cache : see `read_benchmark`.

    Raises
    ------
    FormatError
        When it is gone, cannot be parsed or does not fit; also when a list in a folder cannot be parsed that could be
        before. What is open can then stay as it is.
    Cancelled
        When `cancelled` became true.
    """
    before = benchmark.runs[index]
    source = path if path is not None else before.source
    journal = Journal(benchmark.root)
    found = read_source(source, _folder_of_lists, reading, Watch(cancelled, progress, cache))
    said = reading.over(_of_manifest(benchmark, before.source, manifest))
    ranking = read_ranking(found, said, context_of(benchmark, journal), cancelled)
    grave = [finding for finding in journal.findings if finding.severity.rank == 0]
    if ranking is None:
        raise _as_error(grave[-1], benchmark)
    lost = before.present & ~ranking.present
    old = {(finding.file, finding.message) for finding in benchmark.findings}
    new = [finding for finding in grave if (finding.file, finding.message) not in old]
    if np.any(lost) and new:
        raise _as_error(new[0], benchmark)
    return Reread(replace(before, source=source, ranking=ranking), journal.findings)


def with_run(benchmark: Benchmark, index: int, reread: Reread) -> Benchmark:
    """The benchmark with a run and its findings in place of the old ones, which stood at the same places."""
    old = benchmark.runs[index]
    runs = (*benchmark.runs[:index], reread.run, *benchmark.runs[index + 1 :])
    places = [Journal(benchmark.root).place(run.source) for run in (old, reread.run)]
    kept = [finding for finding in benchmark.findings if not any(_is_at(finding, place) for place in places)]
    return replace(benchmark, runs=runs, findings=(*kept, *reread.findings))


def _of_manifest(benchmark: Benchmark, source: Path, manifest: Path | None) -> Reading:
    path = manifest if manifest is not None else benchmark.root / MANIFEST_NAME
    try:
        entries = read_manifest(path).runs if path.is_file() else ()
    except FormatError:
        return UNSAID  # whoever opens the benchmark anew is told
    return next((entry.reading for entry in entries if entry.path == source), UNSAID)


def _folder_of_lists(path: Path) -> ListFolder | None:
    return told_folder(path, _files_in(path))


def _files_in(folder: Path) -> list[Found]:
    return survey_folder(folder, recognise, Journal(folder), never).folders.get(folder, [])


def _as_error(finding: Finding, benchmark: Benchmark) -> FormatError:
    """A finding as the reason why the old data stay."""
    return FormatError(benchmark.root / finding.file, finding.message, finding.line)


def _is_at(finding: Finding, place: str) -> bool:
    return finding.file == place or finding.file.startswith(f"{place}/")
