"""The table and export commands: what a panel shows as a file, and all results in a folder."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from shrec_viewer.cli.check import benchmark_to_score
from shrec_viewer.cli.content_options import content_options, kinds_help, named_runs, requested, with_scores
from shrec_viewer.cli.conventions import print_conventions
from shrec_viewer.cli.options import (
    ConventionChanges,
    benchmark_argument,
    convention_options,
    edits_of,
    force_option,
    output_option,
    profile_option,
    resolve_path,
    source_options,
)
from shrec_viewer.cli.scores.history import version_store
from shrec_viewer.cli.terminal import OutputPath, print_message, progress_bar, write_result
from shrec_viewer.content.contents import TABLES, build_table
from shrec_viewer.content.data import ContentData

FORMATS = ("csv", "json", "latex", "markdown", "tabs", "table")
"""Keys of `report.tables.formats.TABLE_FORMATS`, also written out for ``--help``."""

SUFFIXES = {".csv": "csv", ".json": "json", ".tex": "latex", ".md": "markdown", ".tsv": "tabs"}
"""Default of ``--format`` by the suffix of ``--output``."""

EXAMPLES = """\b
Examples:
  shrec-viewer table demo runs --measure AP --measure NN --letters --output runs.tex
  shrec-viewer table demo heat_map --measure AP --output ap.csv
  shrec-viewer table demo gain_loss --run A1 --run B2 --measure AP --digits 4
  shrec-viewer table demo ranked_list --run A1 --query Q01 --scope 20"""


HELP = f"""Write one table of BENCHMARK as the window exports it.

KIND is:

\b
{kinds_help("table")}

In LaTeX (package booktabs) the best value of a column is bold and the second best underlined; runs that share a raised
letter do not differ significantly. CSV, JSON and text with tabs have values in full precision unless --digits is given.
*Copy as command* in the window gives a line that repeats its table.
"""


@click.command("table", help=HELP, epilog=EXAMPLES, short_help="What a panel shows, as CSV, JSON, LaTeX or Markdown.")
@benchmark_argument
@click.argument("kind", type=click.Choice(list(TABLES)), metavar="KIND")
@profile_option
@content_options("table")
@click.option("--digits", type=click.IntRange(0, 15), metavar="N", help="Decimals of values; default: 3, in data all.")
@convention_options(extreme_ties=False)
@source_options
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="Output format; default: by the suffix of --output, else table.",
)
@output_option
def table_command(
    benchmark: str,
    kind: str,
    profile: str | None,
    changes: ConventionChanges,
    digits: int | None,
    form: str | None,
    output: Path | None,
    **options: Any,
) -> int:
    """See `HELP`."""
    request = requested("table", kind, options)
    with benchmark_to_score(benchmark, options, profile, named_runs(request), changes) as (opened, used):
        from shrec_viewer.report.tables.formats import table_bytes

        data = ContentData(opened, used)
        if TABLES[kind].needs_scores:
            data = with_scores(data, request)
        if kind in ("edits", "edited_means"):
            edits, _ = edits_of(opened, resolve_path(benchmark), options.get("edits"))
            data = replace(data, edits=edits)
        elif kind == "history":
            data = replace(data, versions=version_store(resolve_path(benchmark), opened))
        content = table_bytes(build_table(data, request), form or _format_of(output), digits)
        write_result(content.decode(), output)
        if data.scores is not None:
            print_conventions(data.scores)
    return int(opened.has_errors)


def _format_of(output: Path | None) -> str:
    return SUFFIXES.get("" if output is None else output.suffix.lower(), "table")


EXPORT_EXAMPLES = """\b
Examples:
  shrec-viewer export demo --output results
  shrec-viewer export shrec06 --profile shrec2006 --output results && sh results/commands.sh shrec06 again"""


@click.command("export", epilog=EXPORT_EXAMPLES, short_help="All tables, figures, findings and runs in one folder.")
@benchmark_argument
@profile_option
@convention_options(extreme_ties=False)
@source_options
@click.option(
    "--output",
    type=OutputPath(file_okay=False, path_type=Path),
    metavar="DIR",
    required=True,
    help="Folder of the results; an earlier export is replaced.",
)
@click.option("--no-images", is_flag=True, help="Leave out the figures of models and queries, which take longest.")
@force_option
def export_command(
    benchmark: str,
    profile: str | None,
    changes: ConventionChanges,
    output: Path,
    no_images: bool,
    **parts: Any,
) -> int:
    """Write all results of BENCHMARK to a folder.

    Tables as CSV, JSON, LaTeX and Markdown, figures as PDF and SVG, and as PDF all queries, the first models of each
    run for 30 queries, those of the best runs next to each other, and a comparison of the best two; findings, the lists
    of all runs in TREC form, manifest.json with the SHA-256 of all inputs and files, version, profile and conventions,
    and commands.sh with the commands that write them again. Values are those of `evaluate` with the same options.

    The same files and options give the same bytes. DIR appears complete or not at all; a folder with other files is not
    replaced.
    """
    from shrec_viewer.evaluation.evaluate import evaluate
    from shrec_viewer.formats.core.findings_log import count_of
    from shrec_viewer.formats.discovery.listing import EXPORT_SCHEMA
    from shrec_viewer.report.everything import export_everything
    from shrec_viewer.report.site.images import images_of_size
    from shrec_viewer.report.site.site_folder import check_target
    from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg

    check_target(output, EXPORT_SCHEMA)  # before minutes of work
    with benchmark_to_score(benchmark, parts, profile, (), changes) as (opened, conventions):
        if parts.get("edits") is not None:
            opened = replace(opened, sources=(*opened.sources, parts["edits"]))
        data = ContentData(opened, conventions)
        with progress_bar("Exporting") as progress:
            if opened.assessment is not None and opened.runs:
                data = replace(data, scores=evaluate(opened, data.profile, progress=progress))
            options = (f"--profile={data.profile.key}", *_source_arguments(parts))
            images = None if no_images else images_of_size(read_image_or_svg, opened.camera)
            summary = export_everything(data, output, options, images=images, progress=progress)
        if data.scores is not None:
            print_conventions(data.scores)
    for text in summary.left_out:
        print_message(f"left out: {text}")
    print_message(f"{output}: {count_of(summary.files, 'file')}")
    return int(opened.has_errors)


def _source_arguments(parts: dict[str, Any]) -> list[str]:
    """Options of input that were given, for the script."""
    arguments: list[str] = []
    for name, value in parts.items():
        option = f"--{name.replace('_', '-')}"
        if name in ("similarity", "query_line"):
            arguments += [] if value is None else [_flag(name, value)]
        elif isinstance(value, tuple):
            arguments += [f"{option}={one}" for one in value]
        elif value is not None:
            arguments.append(f"{option}={value}")
    return arguments


def _flag(name: str, value: bool) -> str:
    if name == "similarity":
        return "--similarity" if value else "--distance"
    return "--query-line" if value else "--no-query-line"
