"""The command ``check``, and the findings of the other commands on standard error."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shrec_viewer import __version__
from shrec_viewer.cli.inputs import benchmark_argument, existing, read
from shrec_viewer.cli.terminal import deliver, is_screen, say

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark, Finding, FormatError

LISTED = 5
"""Findings that `evaluate` prints in full; the rest is a number and the command that lists them."""

STYLES = {"error": "bold red", "warning": "yellow", "info": "dim"}
WORDS = {"error": "error", "warning": "warning", "info": "note"}
"""What a severity is called where findings are counted."""


@click.command("check", short_help="What was noticed in the files; status 1 for errors.")
@benchmark_argument
@click.option("--format", "form", type=click.Choice(("table", "json")), default="table", help="table or json.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write there instead.")
def check_command(benchmark: str, form: str, output: Path | None, **parts: Path | None) -> int:
    """Read BENCHMARK and list what was noticed: how files were understood, what is odd, what is wrong.

    Each finding has a place (file and line) and says what was done about it. The exit status is 1 when one of them is
    an error, that is when numbers are affected or missing.
    """
    from shrec_viewer.domain import FormatError

    path = existing(benchmark)
    findings: Sequence[Finding]
    try:
        opened = read(benchmark, parts)
    except FormatError as problem:
        name, findings, summary = path.name, [_as_finding(problem)], None
    else:
        name, findings, summary = opened.name, opened.findings, _summary(opened)
    if form == "json":
        deliver(_json(name, findings), output)
    elif is_screen(output):
        _show(findings)
    else:
        deliver("".join(f"{finding}\n" for finding in _gravest_first(findings)), output)
    say(f"{name}: {summary + '; ' if summary else ''}{count(findings)}")
    return int(any(finding.severity.rank == 0 for finding in findings))


def report_findings(benchmark: "Benchmark", more: str) -> None:
    """What a person should know who only asked for numbers: errors and warnings, the first of them in full."""
    grave = [finding for finding in _gravest_first(benchmark.findings) if WORDS[finding.severity] != "note"]
    for finding in grave[:LISTED]:
        say(str(finding))
    if len(grave) > LISTED:
        say(f"{count(grave[LISTED:])} more; `{more}` lists them all")


def count(findings: Sequence["Finding"]) -> str:
    """``1 error, 3 warnings``, the gravest first; ``nothing noticed`` for none."""
    numbers = {word: sum(WORDS[finding.severity] == word for finding in findings) for word in WORDS.values()}
    words = [f"{number} {word}{'s' if number > 1 else ''}" for word, number in numbers.items() if number]
    return ", ".join(words) or "nothing noticed"


def _gravest_first(findings: Iterable["Finding"]) -> "list[Finding]":
    return sorted(findings, key=_rank)


def _rank(finding: "Finding") -> int:
    return finding.severity.rank


def _as_finding(problem: "FormatError") -> "Finding":
    from shrec_viewer.domain import Finding, Severity

    return Finding(Severity.ERROR, problem.path.as_posix(), problem.line, problem.why, "nothing can be opened")


def _summary(benchmark: "Benchmark") -> str:
    counts = [(len(benchmark.collection), "model"), (len(benchmark.queries), "query"), (len(benchmark.runs), "run")]
    words = [f"{number} {_plural(word) if number != 1 else word}" for number, word in counts]
    return ", ".join(words) + ("" if benchmark.assessment is not None else ", no assessment")


def _plural(word: str) -> str:
    return "queries" if word == "query" else f"{word}s"


def _json(name: str, findings: Sequence["Finding"]) -> str:
    from shrec_viewer.evaluation.tables import to_json

    document = {
        "schema": "shrec-viewer/findings/1",
        "version": __version__,
        "benchmark": name,
        "findings": [asdict(finding) for finding in findings],
    }
    return to_json(document)


def _show(findings: Sequence["Finding"]) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    for finding in _gravest_first(findings):
        times = f" ({finding.count} times)" if finding.count > 1 else ""
        console.print(
            Text.assemble((f"{finding.severity:<8}", STYLES[finding.severity]), (finding.place, "bold"), times)
        )
        console.print(Padding(Text(finding.message + (f"; {finding.action}" if finding.action else "")), (0, 0, 0, 9)))
