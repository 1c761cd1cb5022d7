"""The check command, and findings printed by other commands."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shrec_viewer import __version__
from shrec_viewer.cli.conventions import print_suggestion
from shrec_viewer.cli.options import (
    ConventionChanges,
    benchmark_argument,
    changed_profile,
    edits_of,
    load_benchmark,
    output_option,
    require_expressions,
    require_profile,
    require_runs,
    resolve_path,
    with_edits_of,
    with_virtual,
    with_virtual_of,
)
from shrec_viewer.cli.terminal import is_terminal, open_console, print_message, styled, write_result
from shrec_viewer.printable import printable
from shrec_viewer.report.tables.text import csv_table

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark, Finding, FormatError
    from shrec_viewer.metrics import Profile

MAX_LISTED = 5
"""Findings that `evaluate` prints; the others are counted."""

STYLES = {"error": "bold red", "warning": "yellow", "info": "dim"}
SEVERITY_NAMES = {"error": "error", "warning": "warning", "info": "note"}
"""Severities in text output; JSON and CSV have the values of `Severity`."""

ROOT_PATH = "."
"""File of findings about the whole folder; text output shows the name of the folder instead."""

COLUMNS = ("severity", "file", "line", "count", "message", "action")
"""Columns of the CSV."""


@click.command("check", short_help="List problems in the files; status 1 for errors.")
@benchmark_argument
@click.option("--format", "form", type=click.Choice(("table", "csv", "json")), default="table", help="Output format.")
@output_option
def check_command(benchmark: str, form: str, output: Path | None, **parts: Path | None) -> int:
    """Read BENCHMARK, open each mesh, and list the findings: how files were interpreted, anomalies and errors.

    BENCHMARK is a folder, a benchmark.toml, a .zip or .tar.gz of a folder, or a single run. A submission is checked
    against the data of its contest: `check smith.zip --classification test.cla --queries queries.cla`.

    Each finding has a location (file and line) and states how the problem was handled. The exit status is 1 when one of
    them is an error, that is, when scores are affected or missing.
    """
    from shrec_viewer.domain import FormatError
    from shrec_viewer.formats.core.findings_log import PROFILE_SUGGESTED
    from shrec_viewer.formats.meshes.mesh_reader import find_mesh_fault
    from shrec_viewer.render.workers.model_readers import check_meshes

    path = resolve_path(benchmark)
    name = folder = path.resolve().name
    findings: Sequence[Finding]
    summary, opened = "", None
    try:
        opened = load_benchmark(benchmark, parts, check_meshes=partial(check_meshes, find_fault=find_mesh_fault))
    except FormatError as problem:
        findings = [_as_finding(problem)]
    else:
        opened = replace(opened, findings=(*edits_of(opened, path, None)[1], *opened.findings))
        opened = with_virtual_of(opened, path, require_profile(opened.profile))
        name, findings, summary = opened.name, _with_profile_actions(opened), f"{_benchmark_summary(opened)}; "
    if form == "json":
        write_result(_findings_json(name, findings), output)
    elif form == "csv":
        write_result(_findings_csv(findings), output)
    elif is_terminal(output):
        _print_findings(findings, folder)
    else:
        write_result("".join(f"{format_finding(finding, folder)}\n" for finding in _by_severity(findings)), output)
    print_message(f"{name}: {summary}{severity_counts(findings)}")
    if opened is not None and not any(finding.key == PROFILE_SUGGESTED for finding in findings):
        print_suggestion(opened)
    return int(any(finding.severity.rank == 0 for finding in findings))


def _with_profile_actions(benchmark: "Benchmark") -> "list[Finding]":
    """Findings with what the benchmark's own profile does about them, and about queries that it excludes."""
    from shrec_viewer.evaluation.evaluate import excluded_queries, exclusion_findings
    from shrec_viewer.evaluation.ranked_list import truth_of
    from shrec_viewer.formats.core.findings_log import with_profile_action

    profile = require_profile(benchmark.profile)
    findings = [with_profile_action(finding, profile) for finding in benchmark.findings]
    if benchmark.assessment is not None and len(benchmark.assessment) == len(benchmark.queries):
        excluded = excluded_queries(benchmark, profile, truth_of(benchmark))
        findings += exclusion_findings(benchmark, profile, excluded)
    return findings


@contextmanager
def benchmark_to_score(
    word: str,
    parts: dict[str, Any],
    profile: str | None,
    runs: Sequence[str],
    changes: ConventionChanges,
) -> "Iterator[tuple[Benchmark, Profile]]":
    """The benchmark of a command that scores its runs, and the profile with the changed conventions.

    Findings are printed afterwards; so is a more suitable profile, if none is given.

    Parameters
    ----------
    word, parts : the argument BENCHMARK and the options of `part_options`; also those of `source_options`.
    profile : key of ``--profile``.
    runs : names of runs, or expressions of virtual runs; an unknown name is a usage error.
    changes : changed conventions, under which virtual runs are computed, too.
    """
    if profile:
        require_profile(profile)
    virtual = require_expressions(parts.get("virtual") or ())
    opened = with_edits_of(load_benchmark(word, parts), resolve_path(word), parts.get("edits"))
    conventions = changed_profile(profile or opened.profile, changes)
    opened = with_virtual_of(opened, resolve_path(word), conventions, (*runs, *virtual) if runs else ())
    opened = with_virtual(opened, (*virtual, *runs), conventions)
    require_runs(runs, opened.runs)
    try:
        yield opened, conventions
        if not profile:
            print_suggestion(opened)
    finally:  # findings may explain why the evaluation failed
        report_findings(opened, word)


def report_findings(benchmark: "Benchmark", word: str) -> None:
    """Print errors and warnings next to scores: the first `MAX_LISTED` in full, the others counted.

    Parameters
    ----------
    benchmark : the benchmark.
    word : the argument BENCHMARK.
    """
    from shrec_viewer.formats.core.findings_log import MISSING_QUERY

    folder = resolve_path(word).resolve().name
    problems = [finding for finding in _by_severity(benchmark.findings) if SEVERITY_NAMES[finding.severity] != "note"]
    for finding in problems[:MAX_LISTED]:
        is_printed = finding.key == MISSING_QUERY  # by `print_conventions`
        print_finding(replace(finding, action="") if is_printed else finding, folder)
    if len(problems) > MAX_LISTED:
        more = severity_counts(problems[MAX_LISTED:])
        print_message(f"{more} more; `shrec-viewer check {word}` lists all findings")


def format_finding(finding: "Finding", folder: str) -> str:
    """A finding as text: location, severity, message and action; suggested settings are on further lines.

    Parameters
    ----------
    finding : the finding.
    folder : name of the benchmark, the location of findings about the whole benchmark.
    """
    return f"{_location_text(finding, folder)}: {SEVERITY_NAMES[finding.severity]}: {_finding_text(finding)}"


def print_finding(finding: "Finding", folder: str) -> None:
    """Print a finding on standard error; parameters as of `format_finding`."""
    print_message(*format_finding(finding, folder).split("\n"))


def _location_text(finding: "Finding", folder: str) -> str:
    return printable(folder if finding.location == ROOT_PATH else finding.location)


def _finding_text(finding: "Finding") -> str:
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    text = f"{finding.message}{times}{'; ' if finding.action else ''}"
    first, *lines = finding.action_with_option.split("\n") if finding.setting is not None else [finding.action]
    return "\n".join([printable(text + first), *map(printable, lines)])


def severity_counts(findings: Sequence["Finding"]) -> str:
    """``1 error, 3 warnings``, most severe first; ``no findings`` for none."""
    from shrec_viewer.formats.core.findings_log import count_of

    counts = {
        name: sum(SEVERITY_NAMES[finding.severity] == name for finding in findings) for name in SEVERITY_NAMES.values()
    }
    return ", ".join(count_of(count, name) for name, count in counts.items() if count) or "no findings"


def _by_severity(findings: Iterable["Finding"]) -> "list[Finding]":
    return sorted(findings, key=_severity_rank)


def _severity_rank(finding: "Finding") -> int:
    return finding.severity.rank


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
        "findings": [{**asdict(finding), "action": finding.action_with_option} for finding in findings],
    }
    return to_json(document)


def _findings_csv(findings: Sequence["Finding"]) -> str:
    texts = (replace(finding, action=finding.action_with_option) for finding in _by_severity(findings))
    rows = ([getattr(finding, column) for column in COLUMNS] for finding in texts)
    return csv_table(COLUMNS, rows)


def _print_findings(findings: Sequence["Finding"], folder: str) -> None:
    from rich.padding import Padding
    from rich.text import Text

    console = open_console()
    for finding in _by_severity(findings):
        severity = styled(f"{SEVERITY_NAMES[finding.severity]:<8}", STYLES[finding.severity])
        console.print(Text.assemble(severity, styled(_location_text(finding, folder), "bold")))
        console.print(Padding(styled(_finding_text(finding)), (0, 0, 0, 9)))
