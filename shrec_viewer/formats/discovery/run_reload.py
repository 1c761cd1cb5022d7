"""Read one run of an open benchmark again; everything else stays unchanged."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shrec_viewer.domain import Benchmark, Finding, FormatError, Run
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.core.read_context import read_context_of
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.discovery.benchmark import recognise_format
from shrec_viewer.formats.discovery.folder_scan import FoundFile, scan_folder
from shrec_viewer.formats.discovery.reading import RankListFolder, named_list_folder
from shrec_viewer.formats.discovery.run_loading import read_ranking
from shrec_viewer.formats.discovery.run_selection import read_run_source
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.io.progress import ProgressCallback, ReadProgress, never_cancelled
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME, read_manifest


@dataclass(frozen=True, eq=False)
class ReloadedRun:
    """A run, read again, and what was noticed about it."""

    run: Run
    findings: tuple[Finding, ...]


def reload_run(
    benchmark: Benchmark,
    index: int,
    path: Path | None = None,
    *,
    reading: ReadOptions = DETECT_ALL,
    manifest: Path | None = None,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: ProgressCallback | None = None,
    cache: ParseCache | None = None,
) -> ReloadedRun:
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
    findings_log = FindingsLog(benchmark.root)
    found = read_run_source(source, _list_folder_of, reading, ReadProgress(cancelled, progress, cache))
    said = reading.over(_manifest_reading(benchmark, before.source, manifest))
    ranking = read_ranking(found, said, read_context_of(benchmark, findings_log), cancelled)
    grave = [finding for finding in findings_log.findings if finding.severity.rank == 0]
    if ranking is None:
        raise _as_error(grave[-1], benchmark)
    lost = before.present & ~ranking.present
    old = {(finding.file, finding.message) for finding in benchmark.findings}
    new = [finding for finding in grave if (finding.file, finding.message) not in old]
    if np.any(lost) and new:
        raise _as_error(new[0], benchmark)
    return ReloadedRun(replace(before, source=source, ranking=ranking), findings_log.findings)


def with_run(benchmark: Benchmark, index: int, reread: ReloadedRun) -> Benchmark:
    """The benchmark with a run and its findings in place of the old ones, which stood at the same places."""
    old = benchmark.runs[index]
    runs = (*benchmark.runs[:index], reread.run, *benchmark.runs[index + 1 :])
    places = [FindingsLog(benchmark.root).place(run.source) for run in (old, reread.run)]
    kept = [finding for finding in benchmark.findings if not any(_is_under(finding, place) for place in places)]
    return replace(benchmark, runs=runs, findings=(*kept, *reread.findings))


def _manifest_reading(benchmark: Benchmark, source: Path, manifest: Path | None) -> ReadOptions:
    path = manifest if manifest is not None else benchmark.root / MANIFEST_NAME
    try:
        entries = read_manifest(path).runs if path.is_file() else ()
    except FormatError:
        return DETECT_ALL  # whoever opens the benchmark anew is told
    return next((entry.reading for entry in entries if entry.path == source), DETECT_ALL)


def _list_folder_of(path: Path) -> RankListFolder | None:
    return named_list_folder(path, _files_in(path))


def _files_in(folder: Path) -> list[FoundFile]:
    return scan_folder(folder, recognise_format, FindingsLog(folder), never_cancelled).folders.get(folder, [])


def _as_error(finding: Finding, benchmark: Benchmark) -> FormatError:
    """A finding as the reason why the old data stay."""
    return FormatError(benchmark.root / finding.file, finding.message, finding.line)


def _is_under(finding: Finding, place: str) -> bool:
    return finding.file == place or finding.file.startswith(f"{place}/")
