"""The figure command: one figure of a benchmark as SVG, PDF, PNG or PGF."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shrec_viewer.cli.benchmark import benchmark_to_score, version_store
from shrec_viewer.cli.content_options import (
    ContentCommand,
    content_options,
    kinds_help,
    named_runs,
    requested,
    require_ids,
    styles_of_options,
    with_scores,
)
from shrec_viewer.cli.conventions import print_conventions
from shrec_viewer.cli.options import BenchmarkRequest, Choice, benchmark_command, force_option, format_option
from shrec_viewer.cli.terminal import STANDARD_OUTPUT, ResultFile, print_message, write_bytes
from shrec_viewer.cli.thumbnails import draw_thumbnails
from shrec_viewer.content.contents import FIGURES, build_chart
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.request import Request

if TYPE_CHECKING:
    from shrec_viewer.report.figures.files import FigureFiles

FORMATS = ("svg", "pdf", "png", "pgf")
#: Values of options.
PALETTES = ("default", "greyscale", "colour-blind")

#: Characters without a glyph that a message lists, at most.
MAX_SHOWN = 20

#: Width of a figure in millimetres, by the number of columns of the page that it takes.
COLUMN_WIDTHS = {1: 84.0, 2: 174.0}

HELP = f"""Draw one figure of BENCHMARK for a paper or a site. KIND (options: `figure demo KIND --help`):

\b
{kinds_help("figure")}

The suffix of --output is the format: .svg, .pdf, .png (300 dpi) or .pgf (for LaTeX; requires XeLaTeX; its images are
PNG files next to it). Values are those of `evaluate` with the same options. The same files and options give the same
bytes. Without --query, curves are means over the queries. *Copy as command* in the window gives a line that repeats
its figure.
"""

EXAMPLES = """\b
Examples:
  shrec-viewer figure demo precision_recall --curve PR --average generality --show random --output pr.pdf
  shrec-viewer figure demo heat_map --measure AP --query-order class --columns 2 --output ap.svg
  shrec-viewer figure demo strips --run A1 --run C1 --query Q01 --top 8 --columns 2 --output lists.pdf"""


@benchmark_command("figure", dict, cls=ContentCommand, help=HELP, epilog=EXAMPLES)
@click.argument("kind", type=Choice(list(FIGURES)), metavar="KIND")
@content_options("figure")
@click.option(
    "--style",
    metavar="RUN=STYLE",
    multiple=True,
    help="Colour of a run, dash and marker: `A1=#2E00AB dash triangle`, `A1=#2E00AB`; repeatable.",
)
@click.option(
    "--columns", type=click.IntRange(1, 2), default=1, show_default=True, help="Width: 84 mm, or 174 mm for 2 columns."
)
@click.option("--palette", type=Choice(PALETTES), default="default", show_default=True, help="Colours.")
@format_option(FORMATS, "Format; default: by the suffix of --output.")
@click.option("--output", type=ResultFile(), metavar="FILE", required=True, help="File to write.")
@force_option
def figure_command(options: dict[str, Any]) -> int:
    """See `HELP`."""
    kind, style, columns, palette = map(options.pop, ("kind", "style", "columns", "palette"))
    request, styles = requested("figure", kind, options), styles_of_options(style)
    source = BenchmarkRequest(**options)
    output = options["output"]
    form = source.form or _format_of(output)
    with benchmark_to_score(source, [*named_runs(request), *styles]) as (opened, used):
        from shrec_viewer.report.figures.files import figure_files
        from shrec_viewer.report.figures.rendering import missing_characters

        require_ids(request, opened)
        data = ContentData(opened, used, styles=styles)
        if FIGURES[kind].needs_scores:
            data = with_scores(data, request, source)
            data = _with_former_scores(data, getattr(request, "show", ()), source)
        data = _with_images(data, request)
        content = build_chart(data, request)
        _write(figure_files(content, form, output, COLUMN_WIDTHS[columns], palette), output)  # type: ignore[arg-type]
        if form != "pgf" and (missing := missing_characters(content)):
            print_message(f"the fonts of figures lack these characters, drawn as boxes: {missing[:MAX_SHOWN]}")
        if data.scores is not None:
            print_conventions(data.scores)
    return int(opened.has_errors)


def _write(files: "FigureFiles", output: Path) -> None:
    """Write the file of a figure, and the images of a PGF file before it; all or none of them."""
    if output == STANDARD_OUTPUT and len(files) > 1:
        raise click.UsageError("a PGF file with images consists of several files: name one by --output")
    created: list[Path] = []
    try:
        for path, content in files.items():
            is_new = path != STANDARD_OUTPUT and not path.exists()
            write_bytes(content, path)
            created += [path] if is_new else []
    except BaseException:
        for path in created:
            path.unlink(missing_ok=True)
        raise


def _format_of(output: Path) -> str:
    suffix = output.suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        known = ", ".join(f".{form}" for form in FORMATS)
        shown = "standard output" if output == STANDARD_OUTPUT else f"'{output.name}'"
        raise click.UsageError(f"the format of {shown} is unknown: use a name that ends in {known}, or --format")
    return suffix


def _with_former_scores(data: ContentData, show: Sequence[str], source: BenchmarkRequest) -> ContentData:
    """The data with the scores of the curves for comparison: before the edits, and of the baselines in the history."""
    from shrec_viewer.evaluation.edits import with_edits
    from shrec_viewer.evaluation.evaluate import evaluate
    from shrec_viewer.evaluation.run_versions import with_baselines

    measures = [measure.key for measure in data.evaluated.measures]
    if "before-edits" in show:
        original = with_edits(data.benchmark, ())
        if original is not data.benchmark:
            data = replace(data, former=evaluate(original, data.profile, measures=measures, jobs=source.n_jobs))
    if "baseline" in show:
        runs = [(run.name, run.name) for run in data.benchmark.runs]
        shown = with_baselines(version_store(source.path, data.benchmark), data.benchmark, runs)
        if shown is not None:
            data = replace(data, baselines=evaluate(shown, data.profile, measures=measures, jobs=source.n_jobs))
    return data


def _with_images(data: ContentData, request: Request) -> ContentData:
    """The data with the images of a figure, from the cache of the window or drawn now."""
    from shrec_viewer.evaluation.evaluate import make_checkpoint, never_cancelled
    from shrec_viewer.render.thumbnails.thumbnail import Thumbnail, ThumbnailRequest
    from shrec_viewer.render.workers.thumbnail_pool import ThumbnailCounts
    from shrec_viewer.report.site.images import with_images

    counts = ThumbnailCounts()

    def draw(wanted: Sequence[ThumbnailRequest], *_: object) -> Iterator[tuple[Path, Thumbnail]]:
        return draw_thumbnails(wanted, counts)

    data = with_images(data, request, draw, make_checkpoint(never_cancelled))
    if counts.problems:
        files = "file" if len(counts.problems) == 1 else "files"
        print_message(f"{len(counts.problems)} {files} without an image; the figure states why")
    return data
