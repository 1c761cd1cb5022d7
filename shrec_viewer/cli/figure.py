"""The figure command: one figure of a benchmark as SVG, PDF, PNG or PGF."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shrec_viewer.cli.check import benchmark_to_score
from shrec_viewer.cli.conventions import print_conventions
from shrec_viewer.cli.options import (
    ConventionChanges,
    UnknownNameError,
    benchmark_argument,
    convention_options,
    did_you_mean,
    find_measure_key,
    force_option,
    jobs_option,
    number_of_jobs,
    profile_option,
    require_measures,
    resolve_path,
    run_option,
    source_options,
)
from shrec_viewer.cli.scores.history import version_store
from shrec_viewer.cli.terminal import STANDARD_OUTPUT, ResultFile, print_message, progress_bar, write_bytes
from shrec_viewer.cli.thumbnails import ThumbnailCounts, ThumbnailOptions, draw_thumbnails

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.render.scene.palette import RunStyle
    from shrec_viewer.report.figures.files import FigureFiles
    from shrec_viewer.report.figures.request import FigureData, FigureRequest

KINDS = (
    ("precision_recall", "precision over recall of one query, or averaged over all"),
    ("gain", "cumulated gain and other curves by rank of one query, or averaged"),
    ("generality", "recall at a relevant scope over the generality (GRiP)"),
    ("family", "precision over recall of one run at several values of generality"),
    ("surface", "precision over recall and generality of one run (GReP)"),
    ("leaderboard", "mean scores of the runs as bars, best first"),
    ("significance", "mean scores of the runs with confidence intervals and groups"),
    ("heat_map", "a measure of all runs for all queries as colours"),
    ("gain_loss", "differences between two runs for each query"),
    ("confusion", "classes in the first or second tier of one run as colours"),
    ("strips", "first models of several runs for several queries, with relevance"),
    ("matrix", "ranked lists of all runs for one query, or of one run for all, as rows of images"),
    ("queries", "all queries as images"),
    ("triptych", "a query and the models of two runs at one rank as large images"),
    ("models", "queries and models as large images"),
    ("practical", "bounds and estimates of the runs with incomplete judgements"),
)
"""Keys of `report.figures.kinds.FIGURES` with their meaning; written out so that ``--help`` needs no numpy."""

FORMATS = ("svg", "pdf", "png", "pgf")
PALETTES = ("default", "greyscale", "colour-blind")
AVERAGES = ("recall", "generality", "rank", "class")
REFERENCES = ("ideal", "random", "scopes", "wedge", "tris", "before-edits", "baseline")
RUN_ORDERS = ("given", "mean", "worst")
QUERY_ORDERS = ("given", "class", "mean", "hard", "spread", "agreement")
"""Values of options; also written out for ``--help``."""

MAX_SHOWN = 20
"""Characters without a glyph that a message lists, at most."""

COLUMN_WIDTHS = {1: 84.0, 2: 174.0}
"""Width of a figure in millimetres, by the number of columns of the page that it takes."""

HELP = f"""Draw one figure of BENCHMARK for a paper or a site.

KIND is:

\b
{chr(10).join(f"  {key:<17} {text}" for key, text in KINDS)}

The suffix of --output is the format: .svg, .pdf, .png (300 dpi) or .pgf (for LaTeX; requires XeLaTeX; its images are
PNG files next to it). Values are those of `evaluate` with the same options. The same files and options give the same
bytes. Without --query, curves are means over the queries. *Copy as command* in the window gives a line that repeats
its figure.
"""

EXAMPLES = """\b
Examples:
  shrec-viewer figure demo precision_recall --curve PR --average generality --show random --output pr.pdf
  shrec-viewer figure demo heat_map --measure AP --query-order class --columns 2 --output ap.svg
  shrec-viewer figure demo gain_loss --run A1 --run B2 --measure AP --output difference.pdf
  shrec-viewer figure demo strips --run A1 --run C1 --query Q01 --query Q02 --top 8 --columns 2 --output lists.pdf"""


@click.command("figure", help=HELP, epilog=EXAMPLES, short_help="One figure for a paper as SVG, PDF, PNG or PGF.")
@benchmark_argument
@click.argument("kind", type=click.Choice([key for key, _ in KINDS]), metavar="KIND")
@profile_option
@run_option("Only this run, in the order given; repeatable.")
@click.option("--query", metavar="ID", multiple=True, help="Only this query, in the order given; repeatable.")
@click.option("--measure", metavar="KEY", help="Measure; default: the main one of the profile.")
@click.option("--curve", metavar="KEY", default="", help="precision_recall, gain: curve, such as `PR11` or `NDCG`.")
@click.option("--average", type=click.Choice(AVERAGES), default=None, help="How mean curves are averaged.")
@click.option("--ranks", type=click.IntRange(2, 100_000), default=100, show_default=True, help="gain: number of ranks.")
@click.option("--over", type=click.Choice(("rank", "recall")), default="rank", help="gain: x of curves by rank.")
@click.option("--scope", type=click.IntRange(1, 1024), default=1, metavar="N", help="generality: recall at rank N c.")
@click.option(
    "--vary", type=click.Choice(("growing", "classes")), default="growing", help="generality: how it is varied."
)
@click.option(
    "--doublings", type=click.FloatRange(0), metavar="D", help="Curves at generality 1/2^D; surface: line at it."
)
@click.option(
    "--show",
    type=click.Choice(REFERENCES),
    multiple=True,
    help="Line for comparison; before-edits: curves without --edits, baseline: of --highlight; repeatable.",
)
@click.option("--highlight", metavar="NAME", default="", help="Run with a wide line; family, confusion: the run shown.")
@click.option("--x-range", type=float, nargs=2, metavar="LOW HIGH", help="Limits of the x axis of curves.")
@click.option("--y-range", type=float, nargs=2, metavar="LOW HIGH", help="Limits of the y axis of curves.")
@click.option("--angles", type=float, nargs=2, metavar="A E", help="surface: azimuth and elevation in degrees.")
@click.option(
    "--run-order", type=click.Choice(RUN_ORDERS), default="mean", help="Order of the runs of heat_map and leaderboard."
)
@click.option("--query-order", type=click.Choice(QUERY_ORDERS), default="given", help="heat_map: order of queries.")
@click.option("--sort-run", metavar="NAME", default="", help="heat_map: order the queries by this run.")
@click.option("--sort-query", metavar="ID", default="", help="heat_map: order the runs by this query.")
@click.option(
    "--baseline", metavar="NAME", default="", help="heat_map: subtract this run, or `mean`; significance: p against it."
)
@click.option("--tier", type=click.IntRange(1, 2), default=1, help="confusion: first or second tier.")
@click.option("--top", type=click.IntRange(1, 100), default=10, show_default=True, help="strips: images of a list.")
@click.option("--model", metavar="ID", multiple=True, help="models: a model shown; repeatable.")
@click.option("--camera", metavar="SETTINGS", default="", help="Camera of images: `azimuth=30,elevation=20,up=Z`.")
@click.option(
    "--value", type=click.Choice(("recall", "generality", "class_size")), default="recall", help="practical: the scale."
)
@click.option("--judged", type=click.IntRange(1), default=32, show_default=True, help="practical: ranks judged.")
@click.option("--sample", type=click.IntRange(0), default=1000, show_default=True, help="practical: random pairs.")
@click.option(
    "--style",
    metavar="RUN=STYLE",
    multiple=True,
    help="Colour of a run, with dash and marker or without: `A1=#2E00AB dash triangle`; repeatable.",
)
@click.option("--across", type=click.IntRange(0, 100), default=0, help="queries: images in a row.")
@click.option("--rank", type=click.IntRange(1), default=1, help="triptych: rank of the models.")
@click.option(
    "--columns", type=click.IntRange(1, 2), default=1, show_default=True, help="Width: 84 mm, or 174 mm for 2 columns."
)
@click.option("--palette", type=click.Choice(PALETTES), default="default", show_default=True, help="Colours.")
@convention_options(extreme_ties=False)
@source_options
@jobs_option
@click.option("--format", "form", type=click.Choice(FORMATS), help="Format; default: by the suffix of --output.")
@click.option("--output", type=ResultFile(), metavar="FILE", required=True, help="File to write.")
@force_option
def figure_command(
    benchmark: str,
    kind: str,
    profile: str | None,
    changes: ConventionChanges,
    columns: int,
    palette: str,
    form: str | None,
    output: Path,
    **options: Any,
) -> int:
    """See `HELP`."""
    form = form or _format_of(output)
    request = _requested(options)
    named = [*request["runs"], *(request[name] for name in ("highlight", "sort_run") if request[name])]
    named += request["styles"]
    named += [request["baseline"]] if request["baseline"] not in ("", "mean") else []
    with benchmark_to_score(benchmark, options, profile, named, changes) as (opened, conventions):
        from shrec_viewer.report.figures.files import figure_files
        from shrec_viewer.report.figures.kinds import FIGURES, build_figure
        from shrec_viewer.report.figures.rendering import missing_characters
        from shrec_viewer.report.figures.request import FigureData, FigureRequest

        _require_queries([*request["queries"], *([request["sort_query"]] if request["sort_query"] else [])], opened)
        wanted = FigureRequest(kind, **request)
        data = FigureData(opened, conventions)
        row = FIGURES[kind]
        if row.needs_scores:
            data = _with_former_scores(_with_scores(data, wanted), wanted, resolve_path(benchmark))
        if row.images is not None:
            data = _with_images(data, row.images(data, wanted), row.image_size, wanted.camera)
        content = build_figure(data, wanted)
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


def _requested(options: dict[str, Any]) -> dict[str, Any]:
    """Fields of `FigureRequest` from the options, which are removed from `options`."""
    measure = options.pop("measure")
    require_measures([measure] if measure else [])
    fields = (
        "curve", "ranks", "over", "scope", "vary", "doublings", "show", "highlight", "x_range", "y_range", "angles",
        "run_order", "query_order", "sort_run", "sort_query", "baseline", "tier", "top", "across", "rank",
        "camera", "value", "judged", "sample",
    )  # fmt: skip
    found = {name: options.pop(name) for name in fields}
    found |= {"runs": options.pop("run"), "queries": options.pop("query"), "average": options.pop("average") or ""}
    found["measure"] = find_measure_key(measure) if measure else ""
    for name in ("x_range", "y_range"):
        if found[name] is not None and not found[name][0] < found[name][1]:
            raise click.UsageError(f"--{name.replace('_', '-')}: the first limit must be less than the second")
    if found["curve"]:
        _require_curve(found["curve"])
    found["models"] = options.pop("model")
    found["styles"] = _styles(options.pop("style"))
    if found["camera"]:
        _require_camera(found["camera"])
    return found


def _styles(texts: Sequence[str]) -> "dict[str, RunStyle]":
    """Styles by name of the run, of ``--style``."""
    if not texts:
        return {}
    from shrec_viewer.render.scene.palette import DASHES, MARKERS
    from shrec_viewer.report.figures.request import style_of_text

    styles = {}
    for text in texts:
        found = style_of_text(text)
        if found is None:
            parts = f"a dash ({', '.join(DASHES)}) and a marker ({', '.join(MARKERS)})"
            raise click.UsageError(f"--style: '{text}' is not RUN=#RRGGBB, with or without {parts}")
        styles[found[0]] = found[1]
    return styles


def _require_camera(text: str) -> None:
    from shrec_viewer.report.figures.request import camera_settings

    if camera_settings(text) is None:
        raise click.UsageError(
            f"--camera: '{text}' is not azimuth=DEGREES, elevation=DEGREES, up=Y|Z, zoom=NUMBER, right=NUMBER, "
            "upward=NUMBER, projection=perspective|parallel or fit=sphere|tight, with commas between them"
        )


def _require_curve(key: str) -> None:
    from shrec_viewer.metrics import find_curve

    try:
        find_curve(key)
    except KeyError as error:
        raise UnknownNameError(str(error), "`shrec-viewer measures` lists all curves") from error


def _require_queries(names: Sequence[str], benchmark: "Benchmark") -> None:
    for name in names:
        if name not in benchmark.queries.ids:
            hint = (
                f"the benchmark has {len(benchmark.queries):,} queries, such as {', '.join(benchmark.queries.ids[:3])}"
            )
            raise UnknownNameError(f"there is no query '{name}'{did_you_mean(name, benchmark.queries.ids)}", hint)


def _with_scores(data: "FigureData", request: "FigureRequest") -> "FigureData":
    """The data with the scores of all runs: baselines, orders and means depend on those that are not shown."""
    from shrec_viewer.domain import ShrecError
    from shrec_viewer.evaluation.evaluate import evaluate

    if data.benchmark.assessment is not None and not data.benchmark.runs:
        raise ShrecError(f"'{data.benchmark.name}' has no runs to evaluate")
    measures = [request.measure] if request.measure else None
    with progress_bar("Evaluating") as progress:
        scores = evaluate(data.benchmark, data.profile, measures=measures, jobs=number_of_jobs(), progress=progress)
    return replace(data, scores=scores)


def _with_former_scores(data: "FigureData", request: "FigureRequest", path: Path) -> "FigureData":
    """The data with the scores of the curves for comparison: before the edits, and of the baselines in the history."""
    from shrec_viewer.evaluation.edits import with_edits
    from shrec_viewer.evaluation.evaluate import evaluate
    from shrec_viewer.evaluation.run_versions import with_baselines

    measures = [measure.key for measure in data.evaluated.measures]
    if "before-edits" in request.show:
        original = with_edits(data.benchmark, ())
        if original is not data.benchmark:
            data = replace(data, former=evaluate(original, data.profile, measures=measures, jobs=number_of_jobs()))
    if "baseline" in request.show:
        runs = [(run.name, run.name) for run in data.benchmark.runs]
        shown = with_baselines(version_store(path, data.benchmark), data.benchmark, runs)
        if shown is not None:
            data = replace(data, baselines=evaluate(shown, data.profile, measures=measures, jobs=number_of_jobs()))
    return data


def _with_images(data: "FigureData", paths: Sequence[Path], size: int, camera: str) -> "FigureData":
    """The data with the images of these files, from the cache of the window or drawn now."""
    from shrec_viewer.report.figures.request import ModelImage, camera_settings

    counts = ThumbnailCounts(0, 0, {}, {})
    settings = {**data.benchmark.camera, **(camera_settings(camera) or {})}
    images = {
        path: ModelImage(None if thumbnail.problem else thumbnail.pixels(), thumbnail.problem or "")
        for path, thumbnail in draw_thumbnails(paths, ThumbnailOptions(size, "", "auto", settings), counts)
    }
    if counts.problems:
        files = "file" if len(counts.problems) == 1 else "files"
        print_message(f"{len(counts.problems)} {files} without an image; the figure states why")
    return replace(data, images=images)
