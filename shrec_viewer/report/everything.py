"""All results of a benchmark in one folder: tables, figures, findings, runs, inputs and the commands that repeat it."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory

from shrec_viewer.content.confusion import ConfusionRequest
from shrec_viewer.content.contents import FIGURES, build_chart, build_table
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.diagnosis.certainty import CertaintyPairsRequest, CertaintyRequest
from shrec_viewer.content.edits import FindingsRequest
from shrec_viewer.content.gain_loss import GainLossRequest
from shrec_viewer.content.generality import SurfaceRequest
from shrec_viewer.content.heat_map import HeatMapRequest
from shrec_viewer.content.images import MatrixRequest, QueriesRequest, StripsRequest, TriptychRequest
from shrec_viewer.content.practical import PracticalRequest
from shrec_viewer.content.request import Request
from shrec_viewer.content.scores import RunScoresRequest, RunsRequest
from shrec_viewer.content.significance import SignificanceRequest
from shrec_viewer.domain import Benchmark, FormatError, ShrecViewerError
from shrec_viewer.evaluation.evaluate import Progress, make_checkpoint, never_cancelled
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.discovery.listing import EXPORT_SCHEMA, SITE_MANIFEST
from shrec_viewer.formats.runs.writers import write_trec
from shrec_viewer.printable import printable
from shrec_viewer.report.figures.rendering import FigureFormat, figure_bytes
from shrec_viewer.report.site.file_names import safe_file_names
from shrec_viewer.report.site.images import ImageSource, no_images, with_images
from shrec_viewer.report.site.inputs import hash_inputs
from shrec_viewer.report.site.site_folder import site_folder
from shrec_viewer.report.tables.formats import TABLE_FORMATS, table_bytes
from shrec_viewer.version import __version__

#: Formats in which each table is written.
TABLE_FILES = ("csv", "json", "latex", "markdown")

#: Formats in which each figure is written; figures of images, which take seconds each, as PDF only.
FIGURE_FILES: tuple[FigureFormat, ...] = ("pdf", "svg")

#: Queries of the figure with the lists of one run, at most: the number of SHREC 2006, two pages of paper.
STRIP_QUERIES = 30

#: Queries of the sheet of all queries, at most: four pages of paper.
SHEET_QUERIES = 120

#: Best runs of the figure that compares the lists of several runs.
COMPARED_RUNS = 3


SCRIPT_NAME = "commands.sh"


@dataclass(frozen=True)
class ExportSummary:
    """What was written: number of files, their bytes, and what was left out with the reason."""

    files: int
    size: int
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class _ExportFile:
    """A file to write: its path in the folder, a function that makes its bytes, and the arguments that repeat it."""

    path: str
    make: Callable[[], bytes]
    command: tuple[str, ...]


def export_everything(
    data: ContentData,
    target: Path,
    options: Sequence[str] = (),
    *,
    images: ImageSource | None = None,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Progress | None = None,
) -> ExportSummary:
    """Write all tables, figures, findings and runs of a benchmark to a new folder, or in place of an earlier export.

    The same benchmark and conventions give the same bytes. The folder appears complete or not at all. Tables and
    figures that the benchmark cannot have, such as a confusion without classes, are left out, as the manifest lists.

    Parameters
    ----------
    data : with the scores of all runs.
    target : see `site_folder`.
    options : arguments after BENCHMARK of all commands in the script, such as the profile.
    images : of models and queries; None for no figures of images.
    cancelled : called between files.
    progress : called with (files done, number of files, path).

    Raises
    ------
    Cancelled
        If `cancelled` returned True; nothing is written then.
    FormatError
        If the folder has other files or cannot be written.
    """
    checkpoint = make_checkpoint(cancelled)
    files = [
        *_table_files(data, cancelled),
        *_figure_files(data, images, checkpoint),
        *_run_files(data.benchmark, target),
    ]
    digests: dict[str, str] = {}
    left_out: list[str] = []
    written: list[_ExportFile] = []
    size = 0
    with site_folder(target, EXPORT_SCHEMA) as folder:
        inputs, models = hash_inputs(data.benchmark, checkpoint, progress)
        for number, file in enumerate(files):
            checkpoint()
            if progress is not None:
                progress(number, len(files), "file")
            try:
                content = file.make()
            except FormatError:
                raise
            except ShrecViewerError as error:
                left_out.append(f"{file.path}: {error}")
                continue
            digests[file.path] = _write(folder / file.path, content)
            size += len(content)
            written.append(file)
        script = _script(written, options)
        digests[SCRIPT_NAME] = _write(folder / SCRIPT_NAME, script)
        document = {
            "schema": EXPORT_SCHEMA,
            "version": __version__,
            "benchmark": data.benchmark.name,
            "profile": data.profile.key,
            "conventions": dict(data.profile.changes),
            "inputs": [asdict(one) for one in sorted(inputs.values(), key=lambda one: (one.path, one.sha256))],
            "models": None if models is None else asdict(models),
            "left_out": left_out,
            "files": dict(sorted(digests.items())),
        }
        _write(folder / SITE_MANIFEST, (json.dumps(document, indent=1) + "\n").encode())
    if progress is not None:
        progress(len(files), len(files), "file")
    return ExportSummary(len(digests) + 1, size, tuple(left_out))


def _write(path: Path, content: bytes) -> str:
    """Write a file of the draft; its SHA-256."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return sha256(content).hexdigest()


def _table_requests(data: ContentData) -> Iterator[tuple[str, Request]]:
    """Name of the file, without suffix, and request of each table."""
    benchmark = data.benchmark
    yield "findings", FindingsRequest()
    if data.scores is None:
        return
    names = list(data.scores.runs)
    stems = safe_file_names(names)
    headline = _headline(data)
    yield "runs", RunsRequest()
    if benchmark.classification is not None:
        yield "runs_class_mean", RunsRequest(over="classes")
    if len(names) > 1:
        yield "runs_significance", RunsRequest(measures=(headline,), letters=True)
        yield "significance", SignificanceRequest(measure=headline)
        yield "certainty", CertaintyRequest(measure=headline)
        yield "certainty_pairs", CertaintyPairsRequest(measure=headline)
        best = _best_runs(data)[:2]
        yield "gain_loss_best_two", GainLossRequest(runs=(best[1], best[0]), measure=headline, query_order="given")
    yield "heat_map", HeatMapRequest(measure=headline, run_order="given")
    yield "practical", PracticalRequest()
    for name, stem in zip(names, stems, strict=True):
        yield f"queries_{stem}", RunScoresRequest(runs=(name,))
        if benchmark.classification is not None:
            yield f"classes_{stem}", RunScoresRequest(runs=(name,), over="classes")
            for tier in (1, 2):
                yield f"confusion_{stem}_tier_{tier}", ConfusionRequest(runs=(name,), tier=tier)


def _table_files(data: ContentData, cancelled: Callable[[], bool]) -> Iterator[_ExportFile]:
    """A file per table and format; the table is built once."""
    for stem, request in _table_requests(data):
        table = _Once(data, request, cancelled)
        for form in TABLE_FILES:
            path = f"{'' if request.kind == 'findings' else 'tables/'}{stem}{TABLE_FORMATS[form].suffix}"
            yield _ExportFile(path, partial(table.content, form), ("table", *request.arguments("table")))


def _image_requests(data: ContentData) -> Iterator[tuple[str, Request]]:
    """Name of the file, without suffix, and request of each figure of images."""
    benchmark = data.benchmark
    if not any(benchmark.files()):
        return
    ids, names = tuple(benchmark.queries.ids), [run.name for run in benchmark.runs]
    yield "queries", QueriesRequest(queries=() if len(ids) <= SHEET_QUERIES else ids[:SHEET_QUERIES])
    shown = () if len(ids) <= STRIP_QUERIES else ids[:STRIP_QUERIES]
    for name, stem in zip(names, safe_file_names(names), strict=True):
        yield f"lists_{stem}", MatrixRequest(runs=(name,), queries=shown)
    best = names if data.scores is None else _best_runs(data)
    if len(best) > 1:
        yield "lists_of_best_runs", StripsRequest(runs=tuple(best[:COMPARED_RUNS]))
        yield "triptych_best_two", TriptychRequest(runs=tuple(best[:2]), queries=ids[:1])


def _figure_requests(data: ContentData) -> Iterator[tuple[str, Request]]:
    """Name of the file, without suffix, and request of each figure without images."""
    if data.scores is None:
        return
    names = list(data.scores.runs)
    for kind in ("precision_recall", "gain", "generality", "leaderboard", "heat_map"):
        yield kind, FIGURES[kind].request()
    if len(names) > 1:
        yield "significance", SignificanceRequest()
        yield "certainty", CertaintyRequest()
        yield "critical_difference", CertaintyRequest(axis="mean")
        best = _best_runs(data)[:2]
        yield "gain_loss_best_two", GainLossRequest(runs=(best[1], best[0]))
    for name, stem in zip(names, safe_file_names(names), strict=True):
        yield f"surface_{stem}", SurfaceRequest(runs=(name,))
        if data.benchmark.classification is not None:
            yield f"confusion_{stem}", ConfusionRequest(runs=(name,))


def _best_runs(data: ContentData) -> list[str]:
    """All runs, best first, and virtual ones, which are references, last."""
    order = [data.evaluated.runs[row] for row in data.evaluated.order_by(_headline(data))]
    return sorted(order, key=lambda name: bool(data.benchmark.run(name).expression))


def _headline(data: ContentData) -> str:
    """The main measure of the profile, else the first one."""
    keys = [] if data.scores is None else [measure.key for measure in data.scores.measures]
    return data.profile.headline if data.profile.headline in keys or not keys else keys[0]


def _figure_files(
    data: ContentData, source: ImageSource | None, checkpoint: Callable[[], None]
) -> Iterator[_ExportFile]:
    """A file per figure and format."""
    for stem, request in _figure_requests(data):
        for form in FIGURE_FILES:
            figure = partial(_figure_bytes, data, request, form, no_images, checkpoint)
            yield _ExportFile(f"figures/{stem}.{form}", figure, ("figure", *request.arguments("figure")))
    if source is not None and len(data.benchmark.queries):
        for stem, request in _image_requests(data):
            figure = partial(_figure_bytes, data, request, "pdf", source, checkpoint)
            yield _ExportFile(f"figures/{stem}.pdf", figure, ("figure", *request.arguments("figure")))


def _figure_bytes(
    data: ContentData, request: Request, form: FigureFormat, source: ImageSource, checkpoint: Callable[[], None]
) -> bytes:
    """One format of a figure."""
    return figure_bytes(build_chart(with_images(data, request, source, checkpoint), request), form)


class _Once:
    """A table that is built when it is first needed."""

    def __init__(self, data: ContentData, request: Request, cancelled: Callable[[], bool]) -> None:
        self._inputs = replace(data, cancelled=cancelled), request
        self._files: dict[str, bytes] | None = None

    def content(self, form: str) -> bytes:
        """The table in one format."""
        if self._files is None:
            table = build_table(*self._inputs)
            self._files = {key: table_bytes(table, key) for key in TABLE_FILES}
        return self._files[form]


def _run_files(benchmark: Benchmark, target: Path) -> Iterator[_ExportFile]:
    """The lists of each run in TREC form."""
    names = [run.name for run in benchmark.runs]
    for name, stem in zip(names, safe_file_names(names), strict=True):
        path = f"runs/{stem}.trec"
        yield _ExportFile(path, partial(_run_bytes, benchmark, name, target), ("convert", f"--run={name}", "--to=trec"))


def _run_bytes(benchmark: Benchmark, name: str, target: Path) -> bytes:
    """A run in TREC form."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "run.trec")
        try:
            write_trec(benchmark.run(name), benchmark, path, FindingsLog(target))
        except FormatError as error:
            if isinstance(error.__cause__, OSError):  # such as a full disk: other files fail as well
                raise
            raise ShrecViewerError(f"the run '{name}' has no TREC form: {error.reason}") from error
        return path.read_bytes()


def _script(files: Sequence[_ExportFile], options: Sequence[str]) -> bytes:
    """Shell script that writes all files again."""
    shared = "".join(f" {quote(option)}" for option in options)
    conventions = ("--profile=", "--edits=", "--virtual=")  # a run is converted as it was submitted
    of_input = "".join(f" {quote(option)}" for option in options if not option.startswith(conventions))
    lines = [
        "#!/bin/sh",
        "# Writes the files of this folder again: sh commands.sh BENCHMARK FOLDER",
        "set -eu",
        "benchmark=$1 folder=${2:-.}",
        'mkdir -p "$folder/tables" "$folder/figures" "$folder/runs"',
    ]
    for file in files:
        command, *arguments = file.command
        kind = [] if command == "convert" else [arguments.pop(0)]
        words = "".join(f" {quote(printable(word))}" for word in (*kind, *arguments))
        given = of_input if command == "convert" else shared
        lines.append(f'shrec-viewer {command} "$benchmark"{words}{given} --output "$folder/{file.path}"')
    return ("\n".join(lines) + "\n").encode()
