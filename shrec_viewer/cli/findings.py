"""The command ``check``, and the findings of the other commands on standard error."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shrec_viewer import __version__
from shrec_viewer.cli.conventions import say_suggestion
from shrec_viewer.cli.inputs import benchmark_argument, existing, find_profile, read
from shrec_viewer.cli.tables import csv_of
from shrec_viewer.cli.terminal import ResultFile, deliver, is_screen, printable, say

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark, Finding, FormatError

LISTED = 5
"""Findings that `evaluate` prints in full; the rest is a number and the command that lists them."""

STYLES = {"error": "bold red", "warning": "yellow", "info": "dim"}
WORDS = {"error": "error", "warning": "warning", "info": "note"}
"""What a severity is called in text; JSON and CSV keep its own name."""

ROOT = "."
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

    path = existing(benchmark)
    name = folder = path.resolve().name
    findings: Sequence[Finding]
    summary, opened = "", None
    try:
        opened = read(benchmark, parts)
    except FormatError as problem:
        findings = [_as_finding(problem)]
    else:
        name, findings, summary = opened.name, _decided(opened), f"{_summary(opened)}; "
    if form == "json":
        deliver(_json(name, findings), output)
    elif form == "csv":
        deliver(_csv(findings), output)
    elif is_screen(output):
        _show(findings, folder)
    else:
        deliver("".join(f"{in_words(finding, folder)}\n" for finding in _gravest_first(findings)), output)
    say(f"{name}: {summary}{count(findings)}")
    if opened is not None and not any("--profile" in finding.action for finding in findings):
        say_suggestion(opened)
    return int(any(finding.severity.rank == 0 for finding in findings))


def _decided(benchmark: "Benchmark") -> "list[Finding]":
    """Findings with what the benchmark's own profile does about them."""
    from shrec_viewer.formats.conventions import decided

    profile = find_profile(benchmark.profile)
    return [decided(finding, profile) for finding in benchmark.findings]


def report_findings(benchmark: "Benchmark", word: str) -> None:
    """What a person should know who only asked for numbers: errors and warnings, the first of them in full.

    Parameters
    ----------
    benchmark : what was opened.
    word : how the call named it.
    """
    from shrec_viewer.formats.conventions import MISSING

    folder = existing(word).resolve().name
    grave = [finding for finding in _gravest_first(benchmark.findings) if WORDS[finding.severity] != "note"]
    for finding in grave[:LISTED]:
        is_told = finding.action == MISSING  # beside the numbers, by `say_conventions`
        say(in_words(replace(finding, action="") if is_told else finding, folder))
    if len(grave) > LISTED:
        say(f"{count(grave[LISTED:])} more; `shrec-viewer check {word}` lists them all")


def in_words(finding: "Finding", folder: str) -> str:
    """A finding as one line: place, severity, what is wrong, and what was done about it.

    Parameters
    ----------
    finding : to be told.
    folder : name of what was opened, for findings about all of it.
    """
    return f"{_place(finding, folder)}: {WORDS[finding.severity]}: {_what(finding)}"


def _place(finding: "Finding", folder: str) -> str:
    return printable(folder if finding.place == ROOT else finding.place)


def _what(finding: "Finding") -> str:
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    return printable(f"{finding.message}{times}{'; ' if finding.action else ''}{finding.action}")


def count(findings: Sequence["Finding"]) -> str:
    """``1 error, 3 warnings``, the gravest first; ``nothing noticed`` for none."""
    from shrec_viewer.formats.journal import count_of

    numbers = {word: sum(WORDS[finding.severity] == word for finding in findings) for word in WORDS.values()}
    words = [count_of(number, word) for word, number in numbers.items() if number]
    return ", ".join(words) or "nothing noticed"


def _gravest_first(findings: Iterable["Finding"]) -> "list[Finding]":
    return sorted(findings, key=_rank)


def _rank(finding: "Finding") -> int:
    return finding.severity.rank


def _as_finding(problem: "FormatError") -> "Finding":
    from shrec_viewer.domain import Finding, Severity

    is_folder = problem.path.is_dir()
    place = problem.path.resolve().name if is_folder else problem.path.as_posix()
    subject = f"the {'folder' if is_folder else 'file'} " if problem.why.startswith("is ") else ""
    return Finding(Severity.ERROR, place, problem.line, f"{subject}{problem.why}", "nothing is opened")


def _summary(benchmark: "Benchmark") -> str:
    from shrec_viewer.formats.journal import count_of

    words = (
        count_of(len(benchmark.collection), "model"),
        count_of(len(benchmark.queries), "query", "queries"),
        count_of(len(benchmark.runs), "run"),
    )
    return ", ".join(words) + ("" if benchmark.assessment is not None else ", no assessment")


def _json(name: str, findings: Sequence["Finding"]) -> str:
    from shrec_viewer.evaluation.tables import to_json

    document = {
        "schema": "shrec-viewer/findings/1",
        "version": __version__,
        "benchmark": name,
        "counts": {key: sum(finding.severity == key for finding in findings) for key in STYLES},
        "findings": [asdict(finding) for finding in findings],
    }
    return to_json(document)


def _csv(findings: Sequence["Finding"]) -> str:
    rows = ([getattr(finding, column) for column in COLUMNS] for finding in _gravest_first(findings))
    return csv_of(COLUMNS, rows)


def _show(findings: Sequence["Finding"], folder: str) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    for finding in _gravest_first(findings):
        word = Text(f"{WORDS[finding.severity]:<8}", STYLES[finding.severity])
        console.print(Text.assemble(word, (_place(finding, folder), "bold")))
        console.print(Padding(Text(_what(finding)), (0, 0, 0, 9)))
