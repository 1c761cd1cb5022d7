"""The check command: problems in the files of a benchmark."""

import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from shrec_viewer.cli.benchmark import open_benchmark
from shrec_viewer.cli.conventions import print_suggestion
from shrec_viewer.cli.findings import (
    SEVERITY_NAMES,
    by_severity,
    finding_text,
    format_finding,
    location_text,
    severity_counts,
)
from shrec_viewer.cli.options import BenchmarkRequest, benchmark_command, format_option, output_option
from shrec_viewer.cli.terminal import is_terminal, open_console, print_message, styled, write_result
from shrec_viewer.report.tables.text import csv_table
from shrec_viewer.version import __version__

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark, Finding, FormatError
    from shrec_viewer.metrics import Profile

STYLES = {"error": "bold red", "warning": "yellow", "info": "dim"}

#: Columns of the CSV.
COLUMNS = ("severity", "file", "line", "count", "message", "action")


@benchmark_command("check", BenchmarkRequest)
@format_option(("table", "csv", "json"), "Output format.", default="table")
@output_option
def check_command(request: BenchmarkRequest) -> int:
    """Read BENCHMARK, open each mesh, and list the findings: how files were interpreted, anomalies and errors.

    BENCHMARK is a folder, a benchmark.toml, a .zip or .tar.gz of a folder, or a single run. A submission is checked
    against the data of its contest: `check smith.zip --classification test.cla --queries queries.cla`.

    Each finding has a location (file and line) and states how the problem was handled. The exit status is 1 when one of
    them is an error, that is, when scores are affected or missing.
    """
    from shrec_viewer.domain import FormatError
    from shrec_viewer.formats.core.findings_log import PROFILE_SUGGESTED
    from shrec_viewer.render.workers.model_readers import map_files

    name = folder = request.folder
    findings: Sequence[Finding]
    summary, opened = "", None
    try:
        opened, profile = open_benchmark(request, check_meshes=map_files)
    except FormatError as problem:
        findings = [_as_finding(problem)]
    else:
        name, findings = opened.name, _with_profile_actions(opened, profile)
        summary = f"{_benchmark_summary(opened)}; "
    if request.form == "json":
        write_result(_findings_json(name, findings), request.output)
    elif request.form == "csv":
        write_result(_findings_csv(findings), request.output)
    elif is_terminal(request.output):
        _print_findings(findings, folder)
    else:
        lines = (f"{format_finding(finding, folder)}\n" for finding in by_severity(findings))
        write_result("".join(lines), request.output)
    print_message(f"{name}: {summary}{severity_counts(findings)}")
    if opened is not None and not request.profile and not any(finding.key == PROFILE_SUGGESTED for finding in findings):
        print_suggestion(opened)
    return int(any(finding.severity.rank == 0 for finding in findings))


def _with_profile_actions(benchmark: "Benchmark", profile: "Profile") -> "list[Finding]":
    """Findings with what the benchmark's own profile does about them, and about queries that it excludes."""
    from shrec_viewer.evaluation.evaluate import excluded_queries, exclusion_findings
    from shrec_viewer.evaluation.ranked_list import truth_of
    from shrec_viewer.formats.core.findings_log import with_profile_actions

    findings = with_profile_actions(benchmark, profile)
    if benchmark.assessment is not None and len(benchmark.assessment) == len(benchmark.queries):
        excluded = excluded_queries(benchmark, profile, truth_of(benchmark))
        findings += exclusion_findings(benchmark, profile, excluded)
    return findings


def _as_finding(problem: "FormatError") -> "Finding":
    from shrec_viewer.domain import Finding, Severity

    is_folder = os.path.isdir(problem.path)  # never raises, unlike `Path.is_dir`
    file = problem.path.resolve().name if is_folder else problem.path.as_posix()
    subject = f"the {'folder' if is_folder else 'file'} " if problem.reason.startswith("is ") else ""
    return Finding(Severity.ERROR, file, problem.line, f"{subject}{problem.reason}", "not opened")


def _benchmark_summary(benchmark: "Benchmark") -> str:
    from shrec_viewer.formats.core.findings_log import count_of

    counts = (
        count_of(len(benchmark.collection), "model"),
        count_of(len(benchmark.queries), "query", "queries"),
        count_of(len(benchmark.runs), "run"),
    )
    return ", ".join(counts) + ("" if benchmark.assessment is not None else ", no relevance assessment")


def _findings_json(name: str, findings: Sequence["Finding"]) -> str:
    from shrec_viewer.evaluation.score_tables import to_json

    document = {
        "schema": "shrec-viewer/findings/1",
        "version": __version__,
        "benchmark": name,
        "counts": {key: sum(finding.severity == key for finding in findings) for key in STYLES},
        "findings": [_finding_record(finding) for finding in findings],
    }
    return to_json(document)


def _findings_csv(findings: Sequence["Finding"]) -> str:
    texts = (replace(finding, action=finding.action_with_option) for finding in by_severity(findings))
    rows = ([getattr(finding, column) for column in COLUMNS] for finding in texts)
    return csv_table(COLUMNS, rows)


def _print_findings(findings: Sequence["Finding"], folder: str) -> None:
    from rich.padding import Padding
    from rich.text import Text

    console = open_console()
    for finding in by_severity(findings):
        severity = styled(f"{SEVERITY_NAMES[finding.severity]:<8}", STYLES[finding.severity])
        console.print(Text.assemble(severity, styled(location_text(finding, folder), "bold")))
        console.print(Padding(styled(finding_text(finding)), (0, 0, 0, 9)))


def _finding_record(finding: "Finding") -> dict[str, Any]:
    setting = finding.setting
    shown = None if setting is None else {"option": setting.option, "place": setting.place, "lines": setting.lines}
    return {**asdict(replace(finding, setting=None)), "action": finding.action_with_option, "setting": shown}
