"""The practical command: bounds and estimates of runs whose models were judged in part."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shrec_viewer.cli.benchmark import benchmark_to_score, require_runs_to_evaluate
from shrec_viewer.cli.conventions import print_conventions_of
from shrec_viewer.cli.options import BenchmarkRequest, benchmark_command, output_options, run_option
from shrec_viewer.cli.terminal import (
    ResultFile,
    is_terminal,
    open_console,
    print_message,
    progress_bar,
    split_table,
    styled,
    write_result,
)
from shrec_viewer.evaluation.choices import JUDGED_SCOPE, SAMPLE_SIZE
from shrec_viewer.report.tables.text import OutputColumn, csv_table, format_number, table_text

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.practical import PartlyKnownValue, PracticalResult
    from shrec_viewer.metrics import Profile
    from shrec_viewer.metrics.generality.practical import ValueRange

#: Titles of the tables by the value of `PracticalRun` that they list.
TITLES = {"recall": "Precision and recall", "generality": "Generality", "class_size": "Mean class size"}

EXAMPLES = """\b
Examples:
  shrec-viewer practical demo
  shrec-viewer practical demo --scope 20 --sample 300 --format json
  shrec-viewer practical contest --to-judge pairs.txt
  shrec-viewer practical contest --assessment judged.txt --run A1 --output table.tex"""


@dataclass(frozen=True, kw_only=True, eq=False)
class PracticalOptions(BenchmarkRequest):
    """Arguments and options of `practical`."""

    run: tuple[str, ...]
    scope: int
    sample: int
    to_judge: Path | None

    @property
    def outputs(self) -> tuple[Path | None, ...]:
        """Files to write."""
        return self.output, self.to_judge


@benchmark_command("practical", PracticalOptions, epilog=EXAMPLES)
@run_option("Only this run; repeatable.")
@click.option(
    "--scope",
    type=click.IntRange(1),
    default=JUDGED_SCOPE,
    metavar="N",
    show_default=True,
    help="Ranks of each list that were judged, at most.",
)
@click.option(
    "--sample",
    type=click.IntRange(0, 1_000_000),
    default=SAMPLE_SIZE,
    metavar="N",
    show_default=True,
    help="Random pairs of a query and a model that were judged, at most.",
)
@click.option(
    "--to-judge",
    type=ResultFile(),
    metavar="FILE",
    help="Write the pairs that are not judged yet to FILE, as qrels with ? for the level, and compute nothing.",
)
@output_options
def practical_command(request: PracticalOptions) -> int:
    """Compute bounds and estimates of recall, generality and class size of every run of BENCHMARK.

    For benchmarks without complete ground truth (Sebe, Huijsmans, Tian, Gevers, section 5). Judged are the first ranks
    of each list, up to --scope, and the first pairs of a random order of all pairs of a query and a model, up to
    --sample. If the assessment contains models of level 0, only the models in it are judged; otherwise it is complete,
    all other models are not relevant, and the actual values are printed as well.

    Precision and ranks per relevant model are known. The bounds hold whatever the relevance of the models outside the
    scope. The estimates assume that the sample was judged in the order of --to-judge; the 95 % confidence intervals are
    exact. Recall is the share of all relevant pairs within the scopes; the class size is the mean over queries.
    """
    with benchmark_to_score(request, request.run) as (opened, profile):
        if request.to_judge is not None:
            _write_pairs(request, opened, profile, request.to_judge)
        else:
            _write_values(request, opened, profile)
    return int(opened.has_errors)


def _write_pairs(request: PracticalOptions, benchmark: "Benchmark", profile: "Profile", path: Path) -> None:
    from shrec_viewer.evaluation.practical import pairs_to_judge

    runs = request.run or None
    text = pairs_to_judge(benchmark, profile, runs=runs, scope=request.scope, sample_size=request.sample)
    write_result(text, path, is_data=True)
    number = sum(not line.startswith("#") for line in text.splitlines())
    print_message(f"pairs to judge: {number:,}")


def _write_values(request: PracticalOptions, benchmark: "Benchmark", profile: "Profile") -> None:
    from shrec_viewer.domain import ShrecViewerError
    from shrec_viewer.evaluation.practical import practical, practical_document, practical_rows
    from shrec_viewer.evaluation.score_tables import to_json

    if benchmark.assessment is None:
        raise ShrecViewerError(
            f"'{benchmark.name}' has no relevance assessment; `--to-judge FILE` writes the pairs that it must contain"
        )
    require_runs_to_evaluate(benchmark)
    runs, form, output = request.run or None, request.result_format, request.output
    with progress_bar("Evaluating") as progress:
        found = practical(
            benchmark, profile, runs=runs, scope=request.scope, sample_size=request.sample, progress=progress
        )
    if form == "json":
        write_result(to_json(practical_document(found, benchmark)), output)
    elif form == "csv":
        table = practical_rows(found)
        write_result(csv_table(table.header, table.rows), output)
    elif form == "table" and is_terminal(output):
        _print_tables(found)
    else:
        ends = f": bounds, estimates and 95 % confidence intervals; profile {profile.title}"
        caption = f"{{}}, scope {found.scope}{'' if form == 'table' else ends}"
        texts = [table_text(columns, form, caption.format(title)) for title, columns in _tables(found)]
        write_result("\n".join(texts), output)
    print_conventions_of(profile)
    for line in _notes(found):
        print_message(line)


def _print_tables(found: "PracticalResult") -> None:
    """Print the tables in the width of the terminal."""
    console = open_console()
    for title, columns in _tables(found):
        console.print(styled(title, "underline"))
        for part in split_table(columns[:1], columns[1:], console.width):
            console.print(part, crop=False)
            console.print()


def _tables(found: "PracticalResult") -> "list[tuple[str, list[OutputColumn]]]":
    """One table per value with its title: bounds, estimate, interval, and the actual value if it is known."""
    runs = found.runs
    names = OutputColumn("run", tuple(run.name for run in runs))
    counts = [
        OutputColumn("judged", tuple(str(run.judged) for run in runs), is_number=True),
        OutputColumn("precision", tuple(format_number(run.precision) for run in runs), is_number=True),
        OutputColumn(
            "ranks per relevant", tuple(format_number(run.ranks_per_relevant, ".1f") for run in runs), is_number=True
        ),
    ]
    tables = []
    for key, title in TITLES.items():
        decimals = 1 if key == "class_size" else 3
        values: list[PartlyKnownValue] = [getattr(run, key) for run in runs]
        cells = {
            "bounds": [_range_text(value.bounds, decimals) for value in values],
            "estimate": [format_number(value.estimate, f".{decimals}f") for value in values],
            "95 % interval": [_range_text(value.interval, decimals) for value in values],
        }
        if found.is_complete:
            cells["actual"] = [format_number(value.actual, f".{decimals}f") for value in values]
        columns = [OutputColumn(name, tuple(texts), is_number=True) for name, texts in cells.items()]
        tables.append((title, [names, *(counts if key == "recall" else ()), *columns]))
    return tables


def _range_text(ends: "ValueRange", decimals: int) -> str:
    form = f".{decimals}f"
    return f"{format_number(ends.low, form)}-{format_number(ends.high, form)}" if ends.low == ends.low else ""


def _notes(found: "PracticalResult") -> list[str]:
    """What was judged, and what limits the estimates."""
    notes = []
    if found.is_complete:
        notes.append("the assessment has no models of level 0: it is complete, and the sample is drawn from it")
    elif found.sampled < found.sample_size:
        notes.append(
            f"the first {found.sampled:,} of {found.sample_size:,} random pairs are judged; `--to-judge FILE` writes "
            "the others"
        )
    if not found.sampled:
        notes.append("no estimates: no random pair is judged")
    return notes
