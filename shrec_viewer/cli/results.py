"""The table and export commands: what a panel shows as a file, and all results in a folder."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from shrec_viewer.cli.benchmark import benchmark_to_score, compute_scores, edits_of, version_store, with_edits_as_source
from shrec_viewer.cli.content_options import (
    ContentCommand,
    content_options,
    kinds_help,
    named_runs,
    requested,
    require_ids,
    with_scores,
)
from shrec_viewer.cli.conventions import print_conventions
from shrec_viewer.cli.options import (
    BenchmarkRequest,
    Choice,
    benchmark_command,
    force_option,
    format_of_suffix,
    format_option,
    output_folder_option,
    output_option,
)
from shrec_viewer.cli.terminal import print_message, progress_bar, write_result
from shrec_viewer.content.contents import TABLES, build_table
from shrec_viewer.content.data import ContentData

#: Keys of `report.tables.formats.TABLE_FORMATS`, also written out for ``--help``.
FORMATS = ("csv", "json", "latex", "markdown", "tabs", "table")

#: Default of ``--format`` by the suffix of ``--output``.
SUFFIXES = {".csv": "csv", ".json": "json", ".tex": "latex", ".md": "markdown", ".tsv": "tabs"}

#: Ends of the messages about words that are no tables.
HINTS = {"scores": "; `evaluate` computes the scores, 'runs' and 'run_scores' are their tables"}

EXAMPLES = """\b
Examples:
  shrec-viewer table demo runs --measure AP --measure NN --letters --output runs.tex
  shrec-viewer table demo gain_loss --run A1 --run B2 --measure AP --digits 4
  shrec-viewer table demo ranked_list --run A1 --query Q01 --scope 20"""


HELP = f"""Write one table of BENCHMARK as the window does. KIND (options: `table demo KIND --help`):

\b
{kinds_help("table")}

In LaTeX (package booktabs) the best value of a column is bold and the second best underlined; runs that share a raised
letter do not differ significantly. CSV, JSON and text with tabs have values in full precision unless --digits is given.
*Copy as command* in the window gives a line that repeats its table.
"""


@benchmark_command("table", dict, cls=ContentCommand, help=HELP, epilog=EXAMPLES)
@click.argument("kind", type=Choice(list(TABLES), hints=HINTS), metavar="KIND")
@content_options("table")
@click.option("--digits", type=click.IntRange(0, 15), metavar="N", help="Decimals of values; default: 3, in data all.")
@format_option(FORMATS, "Output format; default: by the suffix of --output, else table.")
@output_option
def table_command(options: dict[str, Any]) -> int:
    """See `HELP`."""
    kind, digits = options.pop("kind"), options.pop("digits")
    request = requested("table", kind, options)
    source = BenchmarkRequest(**options)
    form = source.form or format_of_suffix(source.output, SUFFIXES)
    with benchmark_to_score(source, named_runs(request)) as (opened, profile):
        from shrec_viewer.report.tables.formats import table_bytes

        require_ids(request, opened)
        data = ContentData(opened, profile)
        if TABLES[kind].needs_scores:
            data = with_scores(data, request, source)
        if kind in ("edits", "edited_means"):
            data = replace(data, edits=edits_of(opened, source.path, source.edits)[0])
        elif kind == "history":
            data = replace(data, versions=version_store(source.path, opened))
        content = table_bytes(build_table(data, request), form, digits)
        write_result(content.decode(), source.output)
        if data.scores is not None:
            print_conventions(data.scores)
    return int(opened.has_errors)


EXPORT_EXAMPLES = """\b
Examples:
  shrec-viewer export demo --output results
  shrec-viewer export shrec06 --profile shrec2006 --output results && sh results/commands.sh shrec06 again"""


@dataclass(frozen=True, kw_only=True, eq=False)
class ExportRequest(BenchmarkRequest):
    """Arguments and options of `export`."""

    output: Path
    no_images: bool


@benchmark_command("export", ExportRequest, epilog=EXPORT_EXAMPLES)
@output_folder_option("Folder of the results; an earlier export is replaced.")
@click.option("--no-images", is_flag=True, help="Leave out the figures of models and queries, which take longest.")
@force_option
def export_command(request: ExportRequest) -> int:
    """Write all results of BENCHMARK to a folder.

    Tables as CSV, JSON, LaTeX and Markdown, figures as PDF and SVG, and as PDF all queries, the first models of each
    run for 30 queries, those of the best runs next to each other, and a comparison of the best two; findings, the lists
    of all runs in TREC form, manifest.json with the SHA-256 of all inputs and files, version, profile and conventions,
    and commands.sh with the commands that write them again. Values are those of `evaluate` with the same options.

    The same files and options give the same bytes. DIR appears complete or not at all; a folder with other files is not
    replaced.
    """
    from shrec_viewer.formats.core.findings_log import count_of
    from shrec_viewer.formats.discovery.listing import EXPORT_SCHEMA
    from shrec_viewer.report.everything import export_everything
    from shrec_viewer.report.site.images import cached_images
    from shrec_viewer.report.site.site_folder import check_target
    from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg

    output = request.output
    check_target(output, EXPORT_SCHEMA)  # before minutes of work
    with benchmark_to_score(request, ()) as (opened, profile):
        opened = with_edits_as_source(opened, request)
        data = ContentData(opened, profile)
        if opened.assessment is not None and opened.runs:
            data = replace(data, scores=compute_scores(request, opened, profile))
        with progress_bar("Exporting") as progress:
            options = (f"--profile={profile.key}", *_source_arguments(request))
            images = None if request.no_images else cached_images(read_image_or_svg)
            summary = export_everything(data, output, options, images=images, progress=progress)
        if data.scores is not None:
            print_conventions(data.scores)
    for text in summary.left_out:
        print_message(f"left out: {text}")
    print_message(f"{output}: {count_of(summary.files, 'file')}")
    return int(opened.has_errors)


def _source_arguments(request: BenchmarkRequest) -> list[str]:
    """Options of input that were given, for the script."""
    from shrec_viewer.formats.manifest.parts import part_arguments

    edits = [] if request.edits is None else [f"--edits={request.edits}"]
    return [*part_arguments(request.parts), *edits, *(f"--virtual={one}" for one in request.virtual)]
