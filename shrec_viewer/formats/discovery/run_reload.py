"""Read one run of an open benchmark again; everything else stays unchanged."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shrec_viewer.domain import Benchmark, Finding, FormatError, Run
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.core.read_context import read_context_of
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.discovery.reading import open_run
from shrec_viewer.formats.discovery.recognition import recognise_folder
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.io.progress import ProgressCallback, ReadProgress, never_cancelled
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME, read_manifest


@dataclass(frozen=True, eq=False)
class ReloadedRun:
    """A run that was read again, with its findings."""

    run: Run
    findings: tuple[Finding, ...]


def reload_run(
    benchmark: Benchmark,
    index: int,
    path: Path | None = None,
    *,
    read_options: ReadOptions = DETECT_ALL,
    manifest: Path | None = None,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: ProgressCallback | None = None,
    cache: ParseCache | None = None,
) -> ReloadedRun:
    """One run of a benchmark from its file as it is now, with the same name and participant.

    Collection, queries and assessment are not read again, so the time is that of reading the run. A run in an archive
    is read from the folder that the archive was unpacked into.

    Parameters
    ----------
    benchmark : what is open.
    index : of the run.
    path : where the run is now; None: unchanged.
    read_options : format, columns, order and direction; they take precedence over benchmark.toml.
    manifest : file that the benchmark was opened from, if that was a benchmark.toml; None: that of its folder, if any.
    cancelled, progress, cache : see `read_benchmark`.

    Raises
    ------
    FormatError
        When the run does not exist, cannot be parsed or does not fit the benchmark, or when a list of a folder that
        could be read before cannot be read now.
    Cancelled
        When `cancelled` returned true.
    """
    before = benchmark.runs[index]
    source = path if path is not None else before.source
    findings_log = FindingsLog(benchmark.root)
    options = read_options.merged_over(configured_options(benchmark, before.source, manifest))
    files = recognise_folder(source) if source.is_dir() else ()
    run = open_run(source, files, options, ReadProgress(cancelled, progress, cache))
    ranking = run.rank(read_context_of(benchmark, findings_log), options, cancelled)
    errors = [finding for finding in findings_log.findings if finding.severity.rank == 0]
    if ranking is None:
        raise _as_error(errors[-1], benchmark)
    lost = before.present & ~ranking.present
    old = {(finding.file, finding.message) for finding in benchmark.findings}
    new = [finding for finding in errors if (finding.file, finding.message) not in old]
    if np.any(lost) and new:
        raise _as_error(new[0], benchmark)
    return ReloadedRun(replace(before, source=source, ranking=ranking), findings_log.findings)


def with_run(benchmark: Benchmark, index: int, reloaded: ReloadedRun) -> Benchmark:
    """The benchmark with a run and its findings in place of the old ones."""
    old = benchmark.runs[index]
    runs = (*benchmark.runs[:index], reloaded.run, *benchmark.runs[index + 1 :])
    names = [FindingsLog(benchmark.root).name_of(run.source) for run in (old, reloaded.run)]
    others = [finding for finding in benchmark.findings if not any(_is_below(finding, name) for name in names)]
    return replace(benchmark, runs=runs, findings=(*others, *reloaded.findings))


def configured_options(benchmark: Benchmark, source: Path, manifest: Path | None = None) -> ReadOptions:
    """Options that benchmark.toml sets for a run; a benchmark.toml that cannot be read sets none.

    Parameters
    ----------
    source : file or folder of the run.
    manifest : file that the benchmark was opened from; None: that of its folder.
    """
    path = manifest if manifest is not None else benchmark.root / MANIFEST_NAME
    try:
        entries = read_manifest(path).runs if path.is_file() else ()
    except FormatError:
        return DETECT_ALL
    return next((entry.read_options for entry in entries if entry.path == source), DETECT_ALL)


def _as_error(finding: Finding, benchmark: Benchmark) -> FormatError:
    return FormatError(benchmark.root / finding.file, finding.message, finding.line)


def _is_below(finding: Finding, name: str) -> bool:
    return finding.file == name or finding.file.startswith(f"{name}/")
