"""The check command, and findings printed by other commands."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shrec_viewer import __version__
from shrec_viewer.cli.conventions import print_suggestion
from shrec_viewer.cli.options import benchmark_argument, load_benchmark, require_profile, resolve_path
from shrec_viewer.cli.tables import csv_table
from shrec_viewer.cli.terminal import ResultFile, is_terminal, print_message, printable, write_result

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark, Finding, FormatError

MAX_LISTED = 5
"""Findings that `evaluate` prints in full; the rest is a number and the command that lists them."""

STYLES = {"error": "bold red", "warning": "yellow", "info": "dim"}
SEVERITY_NAMES = {"error": "error", "warning": "warning", "info": "note"}
"""What a severity is called in text; JSON and CSV keep its own name."""

ROOT_PLACE = "."
"""What findings about the whole folder name as their file; people are shown the folder's name."""

COLUMNS = ("severity", "file", "line", "count", "message", "action")
"""Of the CSV, the facts of a finding that are short first."""


@click.command("check", short_help="What was noticed in the files; status 1 for errors.")
@benchmark_argument
@click.option(
    "--format", "form", type=click.Choice(("table", "csv", "json")), default="table", help="How to list them."
)
@click.option("--output", type=ResultFile(), metavar="FILE", help="Write there instead.")
def check_command(benchmark: str, form: str, output: Path | None, **parts: Path | None) -> int:
    """Read BENCHMARK and list what was noticed: how files were understood, what is odd, what is wrong.

    BENCHMARK is a folder, a benchmark.toml, a .zip or .tar.gz of a folder, or a single run. A submission is checked
    beside what it answers: `check smith.zip --classification test.cla --queries queries.cla`.

    Each finding has a place (file and line) and says what was done about it. The exit status is 1 when one of them is
    an error, that is when numbers are affected or missing.
    """
    from shrec_viewer.domain import FormatError

    path = resolve_path(benchmark)
    name = folder = path.resolve().name
    findings: Sequence[Finding]
    summary, opened = "", None
    try:
        opened = load_benchmark(benchmark, parts)
    except FormatError as problem:
        findings = [_as_finding(problem)]
    else:
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
    if opened is not None and not any("--profile" in finding.action for finding in findings):
        print_suggestion(opened)
    return int(any(finding.severity.rank == 0 for finding in findings))


def _with_profile_actions(benchmark: "Benchmark") -> "list[Finding]":
    """Findings with what the benchmark's own profile does about them."""
    from shrec_viewer.formats.core.findings_log import with_profile_action

    profile = require_profile(benchmark.profile)
    return [with_profile_action(finding, profile) for finding in benchmark.findings]


def report_findings(benchmark: "Benchmark", word: str) -> None:
    """What a person should know who only asked for numbers: errors and warnings, the first of them in full.

    Parameters
    ----------
    benchmark : what was opened.
    word : how the call named it.
    """
    from shrec_viewer.formats.core.findings_log import MISSING_QUERY

    folder = resolve_path(word).resolve().name
    grave = [finding for finding in _by_severity(benchmark.findings) if SEVERITY_NAMES[finding.severity] != "note"]
    for finding in grave[:MAX_LISTED]:
        is_told = finding.key == MISSING_QUERY  # beside the numbers, by `say_conventions`
        print_message(format_finding(replace(finding, action="") if is_told else finding, folder))
    if len(grave) > MAX_LISTED:
        print_message(f"{severity_counts(grave[MAX_LISTED:])} more; `shrec-viewer check {word}` lists them all")


def format_finding(finding: "Finding", folder: str) -> str:
    """A finding as one line: place, severity, what is wrong, and what was done about it.

    Parameters
    ----------
    finding : to be told.
    folder : name of what was opened, for findings about all of it.
    """
    return f"{_location_text(finding, folder)}: {SEVERITY_NAMES[finding.severity]}: {_finding_text(finding)}"


def _location_text(finding: "Finding", folder: str) -> str:
    return printable(folder if finding.place == ROOT_PLACE else finding.place)


def _finding_text(finding: "Finding") -> str:
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    return printable(f"{finding.message}{times}{'; ' if finding.action else ''}{finding.action}")


def severity_counts(findings: Sequence["Finding"]) -> str:
    """``1 error, 3 warnings``, the gravest first; ``nothing noticed`` for none."""
    from shrec_viewer.formats.core.findings_log import count_of

    numbers = {
        word: sum(SEVERITY_NAMES[finding.severity] == word for finding in findings) for word in SEVERITY_NAMES.values()
    }
    words = [count_of(number, word) for word, number in numbers.items() if number]
    return ", ".join(words) or "nothing noticed"


def _by_severity(findings: Iterable["Finding"]) -> "list[Finding]":
    return sorted(findings, key=_severity_rank)


def _severity_rank(finding: "Finding") -> int:
    return finding.severity.rank


def _as_finding(problem: "FormatError") -> "Finding":
    from shrec_viewer.domain import Finding, Severity

    is_folder = problem.path.is_dir()
    place = problem.path.resolve().name if is_folder else problem.path.as_posix()
    subject = f"the {'folder' if is_folder else 'file'} " if problem.why.startswith("is ") else ""
    return Finding(Severity.ERROR, place, problem.line, f"{subject}{problem.why}", "nothing is opened")


def _benchmark_summary(benchmark: "Benchmark") -> str:
    from shrec_viewer.formats.core.findings_log import count_of

    words = (
        count_of(len(benchmark.collection), "model"),
        count_of(len(benchmark.queries), "query", "queries"),
        count_of(len(benchmark.runs), "run"),
    )
    return ", ".join(words) + ("" if benchmark.assessment is not None else ", no assessment")


def _findings_json(name: str, findings: Sequence["Finding"]) -> str:
    from shrec_viewer.evaluation.score_tables import to_json

    document = {
        "schema": "shrec-viewer/findings/1",
        "version": __version__,
        "benchmark": name,
        "counts": {key: sum(finding.severity == key for finding in findings) for key in STYLES},
        "findings": [asdict(finding) for finding in findings],
    }
    return to_json(document)


def _findings_csv(findings: Sequence["Finding"]) -> str:
    rows = ([getattr(finding, column) for column in COLUMNS] for finding in _by_severity(findings))
    return csv_table(COLUMNS, rows)


def _print_findings(findings: Sequence["Finding"], folder: str) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    for finding in _by_severity(findings):
        word = Text(f"{SEVERITY_NAMES[finding.severity]:<8}", STYLES[finding.severity])
        console.print(Text.assemble(word, (_location_text(finding, folder), "bold")))
        console.print(Padding(Text(_finding_text(finding)), (0, 0, 0, 9)))
