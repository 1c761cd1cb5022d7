"""The thumbnails command: fill the cache, write PNGs, lay out contact sheets; the cache command."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from shrec_viewer.cli.benchmark import chosen_cluster, open_benchmark, refuse_replaced, require_names
from shrec_viewer.cli.findings import print_finding
from shrec_viewer.cli.help import GroupedCommand
from shrec_viewer.cli.options import (
    QUERY,
    RUN,
    BenchmarkRequest,
    Choice,
    benchmark_command,
    force_option,
    parse_cache,
    scheduler_option,
)
from shrec_viewer.cli.terminal import NewPath, OutputError, print_message, progress_bar, write_result
from shrec_viewer.number_format import format_distance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shrec_viewer.charts.strips import Tile
    from shrec_viewer.domain import Benchmark, Run
    from shrec_viewer.domain.value_scale import ValueLegend
    from shrec_viewer.evaluation.parallel.cluster import Cluster
    from shrec_viewer.evaluation.ranked_list import RankedList
    from shrec_viewer.metrics import Profile
    from shrec_viewer.render.renderer import RendererChoice
    from shrec_viewer.render.thumbnails.thumbnail import Thumbnail, ThumbnailRequest
    from shrec_viewer.render.workers.thumbnail_pool import ThumbnailCounts
    from shrec_viewer.report.sheets.cards import SheetCardStyle

#: Maximum number of worker processes: each needs 130 MB, and with more the disk is the bottleneck.
MAX_PROCESSES = 8

#: Files for each worker process: one starts in the time (0.4 s of processor time) in which another draws about 16.
FILES_PER_PROCESS = 16

#: Seconds between two polls of the worker processes.
POLL_INTERVAL_S = 0.2


def thumbnail_files(benchmark: "Benchmark", *, queries: bool = True) -> list[Path]:
    """Every file of a model or query, without duplicates: models first."""
    paths = benchmark.collection.paths
    query_paths = benchmark.queries.paths if queries else ()
    return list(dict.fromkeys(path for path in (*paths, *query_paths) if path is not None))


def draw_thumbnails(
    requests: "Sequence[ThumbnailRequest]", counts: "ThumbnailCounts", renderer: "RendererChoice" = "auto"
) -> "Iterator[tuple[Path, Thumbnail]]":
    """Yield thumbnails as they are rendered, with a progress bar; the worker processes end with the generator."""
    from os import cpu_count

    from shrec_viewer.formats.meshes.values import read_valued_mesh
    from shrec_viewer.render.thumbnails.cache import cache_folder
    from shrec_viewer.render.workers.thumbnail_pool import ThumbnailPool
    from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg

    processes = min(cpu_count() or 2, MAX_PROCESSES, -(-len(requests) // FILES_PER_PROCESS))
    left = len(requests)
    with (
        progress_bar("Drawing") as progress,
        ThumbnailPool(
            read_valued_mesh, read_image_or_svg, cache_folder(), processes, prefer=renderer, lower_priority=False
        ) as workers,
    ):
        workers.request(requests)
        while left:
            for request, thumbnail in workers.wait(POLL_INTERVAL_S):
                left -= 1
                counts.count(request.path, thumbnail)
                yield request.path, thumbnail
                if progress is not None:
                    progress(len(requests) - left, len(requests), request.path.name)
        counts.renderer, counts.not_cached_reason = workers.renderer, workers.cache_problem


def fill_cache_on(
    cluster: "Cluster", requests: "Sequence[ThumbnailRequest]", renderer: "RendererChoice"
) -> "ThumbnailCounts":
    """Render thumbnails into the cache on the workers of a scheduler, with a progress bar."""
    from shrec_viewer.evaluation.parallel.cluster import draw_on_cluster
    from shrec_viewer.formats.meshes.values import read_valued_mesh
    from shrec_viewer.render.thumbnails.cache import ThumbnailCache, cache_folder
    from shrec_viewer.render.workers.thumbnail_pool import ThumbnailCounts
    from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg

    folder = cache_folder()
    cache, counts = ThumbnailCache(folder), ThumbnailCounts()
    try:
        with progress_bar("Drawing") as progress:
            for batch in draw_on_cluster(
                cluster, requests, folder, cache, read_valued_mesh, read_image_or_svg, renderer
            ):
                counts.add(batch)
                if progress is not None:
                    progress(counts.delivered, len(requests), "")
    finally:
        counts.not_cached_reason = cache.problem
        cache.close()
    return counts


# ── sheets ───────────────────────────────────────────────────────────────────────────────────────────────────────────


class Sheets:
    """Lays out the models and queries of a benchmark as sheets of cards.

    Parameters
    ----------
    benchmark : its models and queries are shown.
    style : style of the cards.
    images : thumbnail of each file, (height, width, 4) uint8.
    problems : why there is no thumbnail, by file; shown instead.
    """

    def __init__(
        self,
        benchmark: "Benchmark",
        style: "SheetCardStyle",
        images: "dict[Path, NDArray[np.uint8]]",
        problems: dict[Path, str],
    ) -> None:
        self._benchmark = benchmark
        self._style = style
        self._images = images
        self._problems = problems

    def contact(self, columns: int) -> "NDArray[np.uint8]":
        """A contact sheet of all models with id and class."""
        from shrec_viewer.charts.strips import Tile
        from shrec_viewer.report.sheets.contact_sheet import contact_sheet

        collection = self._benchmark.collection
        cards = [
            Tile(self._image(path), self._problem(path), name, class_name(self._benchmark, item))
            for item, (name, path) in enumerate(zip(collection.ids, collection.paths, strict=True))
        ]
        return contact_sheet(cards, columns, self._style, title=self._benchmark.name)

    def strips(
        self, runs: "Sequence[Run]", queries: Sequence[int], profile: "Profile", first: int, columns: int
    ) -> "NDArray[np.uint8]":
        """A strip of the first models for each query and run, stacked vertically; the last one has the legend."""
        from shrec_viewer.evaluation.ranked_list import ranked_list
        from shrec_viewer.report.sheets.contact_sheet import result_strip, stack_sheets

        pairs = [(run, query) for query in queries for run in runs]
        lists = [ranked_list(self._benchmark, run, query, profile) for run, query in pairs]
        shown = {int(level) for ranking in lists for level in ranking.levels[:first]}
        legend = relevance_legend(shown, self._style) if self._benchmark.assessment is not None else []
        sheets: list[NDArray[np.uint8]] = []
        for (run, query), ranking in zip(pairs, lists, strict=True):
            cards = [self._result(ranking, index) for index in range(min(first, len(ranking)))]
            title = f"{run.name}  ·  {self._benchmark.queries.ids[query]}  ·  {self._benchmark.name}"
            last = len(sheets) == len(pairs) - 1
            why = "no list for this query" if ranking.missing else "the list is empty"
            sheets.append(
                result_strip(
                    self._query(query),
                    cards,
                    columns or first,
                    self._style,
                    title=title,
                    legend=legend if last else (),
                    empty=why,
                )
            )
        return stack_sheets(sheets, self._style)

    def _image(self, path: Path | None) -> "NDArray[np.uint8] | None":
        return None if path is None else self._images.get(path)

    def _problem(self, path: Path | None) -> str:
        return "no file" if path is None else self._problems.get(path, "")

    def _query(self, query: int) -> "Tile":

        from shrec_viewer.charts.strips import Tile

        queries, tree = self._benchmark.queries, self._benchmark.classification
        path, label = queries.paths[query], int(queries.labels[query])
        detail = tree.names[label] if tree is not None and label >= 0 else ""
        return Tile(self._image(path), self._problem(path), queries.ids[query], detail, is_query=True)

    def _result(self, ranking: "RankedList", index: int) -> "Tile":
        """Card of the model at a 0-based index of a ranked list."""
        from shrec_viewer.charts.strips import UNJUDGED, Tile

        item, distance = int(ranking.items[index]), float(ranking.distances[index])
        if item < 0:
            return Tile(None, "unknown id", "not in the collection", level=UNJUDGED, rank=index + 1)
        path = self._benchmark.collection.paths[item]
        return Tile(
            self._image(path),
            self._problem(path),
            self._benchmark.collection.ids[item],
            class_name(self._benchmark, item),
            UNJUDGED if self._benchmark.assessment is None else int(ranking.levels[index]),
            note=format_distance(distance),
            rank=index + 1,
        )


def class_name(benchmark: "Benchmark", item: int) -> str:
    """Class of a model; "" if it has none."""
    tree = benchmark.classification
    label = -1 if tree is None else int(tree.labels[item])
    return tree.names[label] if tree is not None and label >= 0 else ""


def relevance_legend(levels: set[int], style: "SheetCardStyle") -> list[tuple[int, str]]:
    """Level and name of each relevance mark that occurs, highest level first."""
    names = {level: style.level_style(level).name for level in sorted(levels, reverse=True)}
    if style.is_binary and 1 in names:
        names[1] = "relevant"
    return list(names.items())


EXAMPLES = """\b
Examples:
  shrec-viewer thumbnails shrec06
  shrec-viewer thumbnails shrec06 --output images --size 512
  shrec-viewer thumbnails shrec06 --sheet collection.png --theme dark
  shrec-viewer thumbnails demo --run C1 --query Q02 --first 8 --sheet strip.png"""

#: Default size of thumbnails in pixels, also in strips: the size that the window uses, and 300 dpi at 2 cm.
SIZE = 256

#: Default size of thumbnails in a contact sheet, in pixels.
CONTACT_SIZE = 128

#: Thumbnail size for which the fonts of a card are designed; cards of other sizes are scaled.
CARD_SIZE = 128

#: Characters that are invalid in file names on some operating system.
_UNSAFE_CHARACTERS = re.compile(r'[\\/:*?"<>|\x00-\x1f]')


@dataclass(frozen=True, kw_only=True, eq=False)
class ThumbnailsRequest(BenchmarkRequest):
    """Arguments and options of `thumbnails`."""

    size: int | None
    sheet: Path | None
    run: tuple[str, ...]
    query: tuple[str, ...]
    first: int
    columns: int | None
    up: str | None
    values: str | None
    value_range: tuple[float, float] | None
    renderer: Literal["auto", "gl", "software"]
    theme: str

    @property
    def outputs(self) -> tuple[Path | None, ...]:
        """Files and folders to write."""
        return self.output, self.sheet

    @property
    def is_strip(self) -> bool:
        """Whether the sheet shows ranked lists instead of the collection."""
        return bool(self.run or self.query)

    @property
    def pixels(self) -> int:
        """Size of the thumbnails."""
        return self.size or (CONTACT_SIZE if self.sheet is not None and not self.is_strip else SIZE)

    def thumbnails(
        self, benchmark: "Benchmark", paths: Sequence[Path]
    ) -> "tuple[list[ThumbnailRequest], ValueLegend | None]":
        """Requests of the thumbnails of some files, and what their colours mean."""
        from shrec_viewer.content.images import merged_settings
        from shrec_viewer.render.thumbnails.thumbnail import thumbnail_requests
        from shrec_viewer.report.site.images import settings_with_legend

        chosen: dict[str, str | float] = {} if self.values is None else {"values": self.values}
        if self.value_range is not None:
            chosen |= {"low": self.value_range[0], "high": self.value_range[1]}
        if self.up:
            chosen["up"] = self.up.upper()
        merged = merged_settings(benchmark.camera, chosen)
        settings, legend = settings_with_legend(merged, paths, benchmark.quantities)
        if legend is not None and legend.labels == ():
            raise click.UsageError(f"--values: no model has the quantity '{legend.scale.name}'")
        return thumbnail_requests(paths, self.pixels, settings, benchmark.quantities), legend


@benchmark_command("thumbnails", ThumbnailsRequest, epilog=EXAMPLES)
@click.option(
    "--size",
    type=click.IntRange(16, 2048),
    metavar="PIXELS",
    help="Thumbnail size; default: 256, on a sheet of all models 128.",
)
@click.option(
    "--output",
    type=NewPath(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write a PNG file for each model and query.",
)
@click.option(
    "--sheet", type=NewPath(dir_okay=False, path_type=Path), metavar="FILE.png", help="Write a sheet as one image."
)
@force_option
@click.option("--run", type=RUN, metavar="NAME", multiple=True, help="Sheet of the results of this run; repeatable.")
@click.option(
    "--query", type=QUERY, metavar="ID", multiple=True, help="Sheet of the results for this query; repeatable."
)
@click.option("--first", type=click.IntRange(1, 1000), default=10, show_default=True, help="Models of each list.")
@click.option(
    "--columns", type=click.IntRange(1, 1000), help="Cards in a row; default: all of a strip, or a near square."
)
@click.option(
    "--up",
    type=Choice(("y", "z"), case_sensitive=False),
    help="Up axis of the meshes; default: that of the benchmark, else y.",
)
@click.option("--values", metavar="NAME", help="Colour the models by this quantity.")
@click.option(
    "--value-range",
    type=float,
    nargs=2,
    metavar="LOW HIGH",
    help="Range of the colours; default: 2 to 98 % of all values.",
)
@click.option(
    "--renderer", type=Choice(("auto", "gl", "software")), default="auto", show_default=True, help="Renderer."
)
@click.option("--theme", type=Choice(("light", "dark")), default="light", show_default=True, help="Theme of a sheet.")
@scheduler_option
def thumbnails_command(request: ThumbnailsRequest) -> int:
    """Render thumbnails of the models and queries of BENCHMARK.

    Without options, fills the thumbnail cache of the window. --output writes a PNG file for each model, and for each
    query in the subfolder `queries`. --sheet writes a contact sheet of the collection; with --run or --query, it shows
    each query and the first models of its list, with frames that mark their relevance. Models that cannot be rendered
    are listed with the reason.

    With --scheduler, the workers render thumbnails that are not in the cache, whose folder they must share.
    """
    sheet = request.sheet
    if request.output is not None and sheet is not None:
        raise click.UsageError("--output and --sheet exclude each other")
    if sheet is None and (request.is_strip or request.columns):
        raise click.UsageError("--run, --query and --columns require --sheet FILE.png")
    if request.value_range is not None and (
        request.values is None or not request.value_range[0] < request.value_range[1]
    ):
        raise click.UsageError("--value-range requires --values NAME, and a first number below the second")
    if sheet is not None and sheet.suffix.lower() != ".png":
        raise click.UsageError(f"a sheet is a PNG file: use --sheet {sheet.with_suffix('.png').name}")
    from shrec_viewer.formats.io.atomic import WRITTEN_RESULTS

    opened, profile = open_benchmark(request, request.run)
    if sheet is None:
        counts = _write_thumbnails(request, opened)
    else:
        counts, pixels = _draw_sheet(request, opened, profile)
        _write_png(sheet, pixels)
        WRITTEN_RESULTS.add(sheet)
    _print_summary(request, opened, counts)
    if request.up is None:
        _print_up_axis_suggestion(opened)
    return 0 if counts.drawn or counts.cached or not counts.problems else 1


# ── files ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _write_thumbnails(request: ThumbnailsRequest, benchmark: "Benchmark") -> "ThumbnailCounts":
    from shrec_viewer.domain.value_scale import legend_text
    from shrec_viewer.render.workers.thumbnail_pool import ThumbnailCounts

    names = {} if request.output is None else _output_paths(benchmark, request.output)
    refuse_replaced(benchmark, request, [target for targets in names.values() for target in targets])
    (requests, legend), counts = request.thumbnails(benchmark, thumbnail_files(benchmark)), ThumbnailCounts()
    if legend is not None:
        print_message(legend_text(legend))
    with chosen_cluster(request) as cluster:
        if cluster is not None:
            counts = fill_cache_on(cluster, requests, request.renderer)
    if cluster is None or request.output is not None:
        counts.drawn, counts.cached = 0, 0
        for path, thumbnail in draw_thumbnails(requests, counts, request.renderer):
            if thumbnail.problem is None:
                for name in names.get(path, ()):
                    _write_png(name, thumbnail.pixels())
    if request.output is None and not counts.not_cached_reason:
        drawn = [one for one in requests if one.path not in counts.problems]
        counts.not_cached_reason = _deleted_thumbnails_message(drawn)
    return counts


def _deleted_thumbnails_message(requests: "Sequence[ThumbnailRequest]") -> str:
    """Message about thumbnails that are no longer in the cache because of its limit; "" if all are."""
    from shrec_viewer.formats.core.findings_log import count_of
    from shrec_viewer.render.thumbnails.cache import ThumbnailCache, cache_folder, known_thumbnail_keys, read_limit

    cache = ThumbnailCache(cache_folder())
    keys = known_thumbnail_keys(requests, cache)
    found = cache.find(keys.values())
    cache.close()
    deleted = sum(key not in found for key in keys.values())
    if not deleted:
        return ""
    limit = _megabytes(read_limit(cache_folder()))
    message = f"{count_of(deleted, 'thumbnail was', 'thumbnails were')} deleted from the cache, whose limit is {limit}"
    return f"{message}; `shrec-viewer cache --limit MEGABYTES` raises it"


def _output_paths(benchmark: "Benchmark", output: Path) -> dict[Path, list[Path]]:
    """PNG paths to write for each file; a query that is a model of the collection is written once."""
    collection, queries = benchmark.collection, benchmark.queries
    targets = [
        (output / f"{_safe_file_name(name)}.png", path)
        for name, path in zip(collection.ids, collection.paths, strict=True)
    ]
    targets += [
        (output / "queries" / f"{_safe_file_name(name)}.png", path)
        for name, path, member in zip(queries.ids, queries.paths, queries.member, strict=True)
        if member < 0
    ]
    names: dict[Path, list[Path]] = {}
    for target, path in targets:
        if path is not None:
            names.setdefault(path, []).append(target)
    return names


def _safe_file_name(name: str) -> str:
    return _UNSAFE_CHARACTERS.sub("_", name).strip(". ") or "_"


def _draw_sheet(
    request: ThumbnailsRequest, benchmark: "Benchmark", profile: "Profile"
) -> "tuple[ThumbnailCounts, NDArray[np.uint8]]":
    """Counts of the thumbnails, and the pixels of the sheet."""
    from shrec_viewer.evaluation.ranked_list import ListHeads
    from shrec_viewer.render.workers.thumbnail_pool import ThumbnailCounts
    from shrec_viewer.report.sheets.cards import SheetCardStyle
    from shrec_viewer.report.sheets.contact_sheet import with_value_legend

    runs = [benchmark.run(name) for name in request.run] or list(benchmark.runs)
    require_names("query", request.query, benchmark.queries.ids, "queries")
    queries = [benchmark.queries.index[name] for name in request.query] or list(range(len(benchmark.queries)))
    paths = thumbnail_files(benchmark, queries=False)
    if request.is_strip:
        heads = [ListHeads(benchmark, run, profile) for run in runs]
        items = [int(item) for query in queries for of_run in heads for item in of_run.head(query, request.first).items]
        files = [benchmark.queries.paths[query] for query in queries]
        files += [benchmark.collection.paths[item] for item in dict.fromkeys(items) if item >= 0]
        paths = list(dict.fromkeys(path for path in files if path is not None))
    (requests, legend), counts = request.thumbnails(benchmark, paths), ThumbnailCounts()
    with chosen_cluster(request) as cluster:
        if cluster is not None and not request.is_strip:
            fill_cache_on(cluster, requests, request.renderer)
    drawn = draw_thumbnails(requests, counts, request.renderer)
    images = {path: thumbnail.pixels() for path, thumbnail in drawn if not thumbnail.problem}
    scale = request.pixels / CARD_SIZE
    style = SheetCardStyle(CARD_SIZE, request.theme, scale=scale, is_binary=benchmark.is_binary)
    sheets, columns = Sheets(benchmark, style, images, counts.problems), request.columns or 0
    try:
        if request.is_strip:
            pixels = sheets.strips(runs, queries, profile, request.first, columns)
        else:
            pixels = sheets.contact(columns)
    except ValueError as problem:
        raise click.UsageError(f"{problem} (--size, --first, --query)") from problem
    return counts, pixels if legend is None else with_value_legend(pixels, legend, style)


def _write_png(path: Path, pixels: "NDArray[np.uint8]") -> None:
    """Write a PNG that appears complete or not at all."""
    from shrec_viewer.formats.io.atomic import atomic_path
    from shrec_viewer.render.thumbnails.thumbnail import encode_png

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as draft:
            draft.write_bytes(encode_png(pixels))
    except OSError as problem:
        raise OutputError(path, problem) from problem


# ── messages ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _print_summary(request: ThumbnailsRequest, benchmark: "Benchmark", counts: "ThumbnailCounts") -> None:
    """Print repairs, thumbnails that failed with the reason, and a summary."""
    from shrec_viewer.formats.core.findings_log import count_of
    from shrec_viewer.render.thumbnails.thumbnail import repaired_mesh_finding, thumbnail_finding

    folder, target = request.folder, request.output or request.sheet
    for path, notes in counts.notes.items():
        for note in notes:
            print_finding(repaired_mesh_finding(path, note, benchmark.root), folder)
    for path, problem in counts.problems.items():
        print_finding(thumbnail_finding(path, problem, benchmark.root), folder)
    missing = int((~benchmark.collection.has_file).sum())
    texts = [f"{counts.drawn:,} drawn", f"{counts.cached:,} cached"]
    texts += [f"{len(counts.problems):,} without a thumbnail"] if counts.problems else []
    texts += [f"{count_of(missing, 'model')} without a file"] if missing else []
    renderer = f"; rendered by {counts.renderer}" if counts.renderer else ""
    print_message(f"{benchmark.name}: {', '.join(texts)}{f'; in {target}' if target else ''}{renderer}")
    if counts.not_cached_reason:
        print_message(counts.not_cached_reason)


def _print_up_axis_suggestion(benchmark: "Benchmark") -> None:
    """Suggest the Z axis as up axis if the shapes of the models indicate it.

    Models are read in a worker process, with its limits of time and memory.
    """
    from shrec_viewer.formats.meshes.images import read_image
    from shrec_viewer.formats.meshes.mesh_reader import read_mesh
    from shrec_viewer.render.scene.up_axis import SAMPLE, suggest_up
    from shrec_viewer.render.thumbnails.thumbnail import IMAGE_FILE_SUFFIXES
    from shrec_viewer.render.workers.model_readers import ModelReaderPool, ModelReadJob, ModelSource

    files = [path for path in benchmark.collection.files() if path.suffix.lower() not in IMAGE_FILE_SUFFIXES]
    axes: list[str] = []
    pool = ModelReaderPool(read_mesh, read_image)
    try:
        pool.request(ModelReadJob(ModelSource(path)) for path in files[:: max(1, len(files) // SAMPLE)][:SAMPLE])
        while pool.pending:
            axes += [model.info.likely_up for _, model in pool.poll(POLL_INTERVAL_S) if not model.problem]
    finally:
        pool.close()
    found = suggest_up(axes)
    if found.up == "Z":
        print_message(f"{found.message()}; use --up z")


MEGABYTE = 1_000_000


@click.command("cache", cls=GroupedCommand)
@click.option("--clear", is_flag=True, help="Delete all cached files; they are created again when needed.")
@click.option(
    "--limit",
    type=click.IntRange(10, 1_000_000),
    metavar="MEGABYTES",
    help="Set the size limit of the thumbnails; 1,000 take 5 to 8 MB.",
)
def cache_command(clear: bool, limit: int | None) -> int:
    """Print the size of the disk caches: thumbnails of models, and parsed large text files.

    Clearing them is safe: the files are created again when needed. Each cache has a size limit, beyond which the least
    recently used files are deleted.
    """
    from shrec_viewer.render.thumbnails.cache import ThumbnailCache, cache_folder, write_limit

    parsed = parse_cache()
    if limit is not None:
        try:
            write_limit(cache_folder(), limit * MEGABYTE)
        except OSError as problem:
            raise OutputError(cache_folder(), problem) from problem
    thumbnails = ThumbnailCache(cache_folder())
    if clear:
        parsed.clear()
        thumbnails.clear()
    elif limit is not None:
        thumbnails.shrink()
    lines = (("parsed files", parsed.size, parsed.folder), ("thumbnails", thumbnails.size(), cache_folder()))
    thumbnails.close()
    write_result("".join(f"{_megabytes(size):>12}  {name:<12}  {folder}\n" for name, size, folder in lines), Path("-"))
    if clear:
        print_message("the caches were cleared")
    return 0


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:,.1f} MB"
