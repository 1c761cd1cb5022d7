"""The convert command: write a run in another format."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from shrec_viewer.cli.benchmark import open_benchmark
from shrec_viewer.cli.findings import print_finding
from shrec_viewer.cli.options import RUN, BenchmarkRequest, Choice, benchmark_command, force_option
from shrec_viewer.cli.terminal import OutputPath, print_message
from shrec_viewer.formats.runs.written_formats import WrittenFormat

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark, Run


@dataclass(frozen=True, kw_only=True, eq=False)
class ConvertRequest(BenchmarkRequest):
    """Arguments and options of `convert`."""

    output: Path
    run: str | None
    target: WrittenFormat


@benchmark_command("convert", ConvertRequest)
@click.option("--run", type=RUN, metavar="NAME", help="The run; optional if there is only one, or one --virtual.")
@click.option("--to", "target", type=Choice(get_args(WrittenFormat)), required=True, help="Format to write.")
@click.option("--output", type=OutputPath(path_type=Path), metavar="PATH", required=True, help="File or new folder.")
@force_option
def convert_command(request: ConvertRequest) -> int:
    """Write one run of BENCHMARK in another format.

    BENCHMARK is a folder, a benchmark.toml, a .zip or .tar.gz of a folder, or a single run.

    `trec` is a TREC run, `ranklist` a new folder with one list for each query; `npy` (NumPy), `text` (ASCII) and
    `matrix` (float32 without header, as Princeton's tools read it) are matrices of queries times models; `submission`
    is a table with a row for each query. Distances are written in full precision where the format allows it. A run
    computed from others, such as a fusion, is written under the conventions of --profile. Information that the format
    cannot represent is reported on standard error. The output appears complete or not at all. In the folder of the
    benchmark it is a run like the others, which a message says.
    """
    from shrec_viewer.formats.core.findings_log import FindingsLog
    from shrec_viewer.formats.io.atomic import WRITTEN_RESULTS
    from shrec_viewer.formats.runs.writers import WRITERS

    virtual = request.virtual[0].strip() if len(request.virtual) == 1 else None
    name, output = request.run or virtual, request.output
    opened, _ = open_benchmark(request, [name] if name else [])
    chosen = _select_run(opened, name)
    findings_log = FindingsLog(Path.cwd())
    writer = next(writer for writer in WRITERS if writer.key == request.target)
    writer.write(chosen, opened, output, findings_log)
    WRITTEN_RESULTS.add(output)
    for finding in findings_log.findings:
        print_finding(finding, output.name)
    present = int(chosen.present.sum())
    print_message(f"{output}: run '{chosen.name}' with {present} of {len(opened.queries)} queries as {writer.label}")
    if (note := _read_as_run_note(opened, output, request.parts.runs)) != "":
        print_message(note)
    return int(any(finding.severity.rank == 0 for finding in findings_log.findings))


def _read_as_run_note(benchmark: "Benchmark", output: Path, runs: Path | None) -> str:
    """Message if the output will be read as another run of the benchmark, with what excludes it; "" if it will not."""
    from shrec_viewer.formats.discovery.recognition import is_run
    from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME, read_manifest

    folder = benchmark.root if runs is None else runs
    path = output.resolve()
    is_known = any(path == run.source.resolve() for run in benchmark.runs)
    if is_known or not path.is_relative_to(folder.resolve()) or not is_run(path):
        return ""
    listed = benchmark.root / MANIFEST_NAME
    manifest = read_manifest(listed) if listed.is_file() else None
    if runs is None and manifest is not None and manifest.only_listed_runs:
        return ""
    note = f"{output}: is in the folder of the benchmark and read as another run; to exclude it, write it elsewhere"
    if runs is not None:
        return note
    others = "" if manifest is not None and manifest.runs else ", and [[runs]] with the name and path of each other run"
    return f"{note} or add to {listed}, in [benchmark]: only_listed_runs = true{others}"


def _select_run(benchmark: "Benchmark", name: str | None) -> "Run":
    if name is None and len(benchmark.runs) == 1:
        return benchmark.runs[0]
    if name is None:
        known = ", ".join(run.name for run in benchmark.runs) or "none"
        raise click.UsageError(f"there are {len(benchmark.runs)} runs; select one with --run: {known}")
    return benchmark.run(name)
