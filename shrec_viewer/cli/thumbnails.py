"""The thumbnails command: fill the cache, write PNGs, lay out contact sheets and strips."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from shrec_viewer.cli.check import format_finding
from shrec_viewer.cli.options import (
    UnknownNameError,
    benchmark_argument,
    did_you_mean,
    load_benchmark,
    require_profile,
    require_runs,
    resolve_path,
)
from shrec_viewer.cli.terminal import print_message, progress_bar
from shrec_viewer.number_format import format_distance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shrec_viewer.domain import Benchmark, Run
    from shrec_viewer.evaluation.ranked_list import RankedList
    from shrec_viewer.metrics import Profile
    from shrec_viewer.render.renderer import RendererChoice
    from shrec_viewer.render.sheets.cards import SheetCard, SheetCardStyle
    from shrec_viewer.render.thumbnails.thumbnail import Thumbnail

MAX_PROCESSES = 8
"""Each needs 130 MB; beyond, the disk is what one waits for."""

POLL_INTERVAL_S = 0.2
"""Seconds between two looks at whether there is something to show."""


@dataclass(frozen=True)
class ThumbnailOptions:
    """How pictures are wanted.

    Attributes
    ----------
    size : pixels of each side.
    up : axis of the meshes that points up, "Y" or "Z"; "" for what the benchmark says, else Y.
    renderer : see `open_renderer`.
    camera : how the benchmark asks to be looked at.
    """

    size: int
    up: str
    renderer: "RendererChoice"
    camera: Mapping[str, str | float] = field(default_factory=dict)


@dataclass
class ThumbnailTally:
    """What became of the pictures that were asked for; filled while they come.

    Attributes
    ----------
    drawn, cached : how many were drawn now, and how many had been before.
    problems : why there is no picture, by file.
    notes : what was mended in files that have one.
    renderer : what drew, in words; "" where nothing had to be.
    unkept : why pictures are not kept for the next time, "" where they are.
    """

    drawn: int
    cached: int
    problems: dict[Path, str]
    notes: dict[Path, tuple[str, ...]]
    renderer: str = ""
    not_cached_reason: str = ""


def thumbnail_files(benchmark: "Benchmark", *, models: bool = True, queries: bool = True) -> list[Path]:
    """Every file that has a picture, once: of the models, then of the queries."""
    paths = benchmark.collection.paths if models else ()
    asked = benchmark.queries.paths if queries else ()
    return list(dict.fromkeys(path for path in (*paths, *asked) if path is not None))


def draw_thumbnails(
    paths: Sequence[Path], wanted: ThumbnailOptions, tally: ThumbnailTally
) -> "Iterator[tuple[Path, Thumbnail]]":
    """Pictures of files as they come, with a progress bar; the processes end with the last one, or when interrupted."""
    from os import cpu_count

    from shrec_viewer.formats.meshes.mesh_reader import read_mesh
    from shrec_viewer.render.scene.camera import Camera
    from shrec_viewer.render.thumbnails.cache import cache_folder
    from shrec_viewer.render.thumbnails.thumbnail import ThumbnailRequest
    from shrec_viewer.render.workers.thumbnail_pool import ThumbnailPool
    from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg

    camera = Camera().with_settings({**wanted.camera, **({"up": wanted.up} if wanted.up else {})})
    processes = min(cpu_count() or 2, MAX_PROCESSES)
    left = len(paths)
    with (
        progress_bar("Drawing") as progress,
        ThumbnailPool(
            read_mesh, read_image_or_svg, cache_folder(), processes, prefer=wanted.renderer, lower_priority=False
        ) as workers,
    ):
        workers.request([ThumbnailRequest(path, wanted.size, camera) for path in paths])
        while left:
            for request, thumbnail in workers.wait(POLL_INTERVAL_S):
                left -= 1
                _update_tally(tally, request.path, thumbnail)
                yield request.path, thumbnail
                if progress is not None:
                    progress(len(paths) - left, len(paths), request.path.name)
        tally.renderer, tally.not_cached_reason = workers.renderer, workers.cache_problem


def _update_tally(tally: ThumbnailTally, path: Path, thumbnail: "Thumbnail") -> None:
    if thumbnail.notes:
        tally.notes[path] = thumbnail.notes
    if thumbnail.problem is not None:
        tally.problems[path] = thumbnail.problem
    elif thumbnail.is_cached:
        tally.cached += 1
    else:
        tally.drawn += 1


# ── sheets ───────────────────────────────────────────────────────────────────────────────────────────────────────────


class Sheets:
    """Lays out cards of one benchmark.

    Parameters
    ----------
    benchmark : whose models and queries they show.
    look : of the cards.
    pictures : pixels of each file; those without one show why, out of `problems`.
    problems : why there is no picture, by file.
    """

    def __init__(
        self,
        benchmark: "Benchmark",
        look: "SheetCardStyle",
        pictures: "dict[Path, NDArray[np.uint8]]",
        problems: dict[Path, str],
    ) -> None:
        self._benchmark = benchmark
        self._look = look
        self._pictures = pictures
        self._problems = problems

    def contact(self, columns: int) -> "NDArray[np.uint8]":
        """All models with id and class."""
        from shrec_viewer.render.sheets.cards import SheetCard
        from shrec_viewer.render.sheets.contact_sheet import contact_sheet

        collection = self._benchmark.collection
        cards = [
            SheetCard(self._picture(path), name, class_name(self._benchmark, place), problem=self._problem(path))
            for place, (name, path) in enumerate(zip(collection.ids, collection.paths, strict=True))
        ]
        return contact_sheet(cards, columns, self._look, title=self._benchmark.name)

    def strips(
        self, runs: "Sequence[Run]", queries: Sequence[int], profile: "Profile", first: int, columns: int
    ) -> "NDArray[np.uint8]":
        """A strip for each query and run, one below the other; the last has the legend."""
        from shrec_viewer.evaluation.ranked_list import ranked_list
        from shrec_viewer.render.sheets.contact_sheet import result_strip, stack_sheets

        pairs = [(run, query) for query in queries for run in runs]
        lists = [ranked_list(self._benchmark, run, query, profile) for run, query in pairs]
        shown = {int(level) for ranking in lists for level in ranking.levels[:first]}
        legend = relevance_legend(shown, self._look) if self._benchmark.assessment is not None else []
        sheets: list[NDArray[np.uint8]] = []
        for (run, query), ranking in zip(pairs, lists, strict=True):
            cards = [self._answer(ranking, place) for place in range(min(first, len(ranking)))]
            title = f"{run.name}  ·  {self._benchmark.queries.ids[query]}  ·  {self._benchmark.name}"
            last = len(sheets) == len(pairs) - 1
            why = "no list for this query" if ranking.missing else "the list is empty"
            sheets.append(
                result_strip(
                    self._query(query),
                    cards,
                    columns or first,
                    self._look,
                    title=title,
                    legend=legend if last else (),
                    empty=why,
                )
            )
        return stack_sheets(sheets, self._look)

    def _picture(self, path: Path | None) -> "NDArray[np.uint8] | None":
        return None if path is None else self._pictures.get(path)

    def _problem(self, path: Path | None) -> str:
        return "no file" if path is None else self._problems.get(path, "")

    def _query(self, query: int) -> "SheetCard":
        from shrec_viewer.render.sheets.cards import SheetCard

        queries, tree = self._benchmark.queries, self._benchmark.classification
        path, label = queries.paths[query], int(queries.labels[query])
        detail = tree.names[label] if tree is not None and label >= 0 else ""
        return SheetCard(self._picture(path), queries.ids[query], detail, problem=self._problem(path), is_query=True)

    def _answer(self, ranking: "RankedList", place: int) -> "SheetCard":
        from shrec_viewer.render.sheets.cards import UNJUDGED, SheetCard

        item, apart = int(ranking.items[place]), float(ranking.distances[place])
        if item < 0:
            return SheetCard(None, "not in the collection", rank=place + 1, level=UNJUDGED, problem="unknown id")
        path = self._benchmark.collection.paths[item]
        return SheetCard(
            self._picture(path),
            caption=self._benchmark.collection.ids[item],
            detail=class_name(self._benchmark, item),
            note=format_distance(apart),
            rank=place + 1,
            level=UNJUDGED if self._benchmark.assessment is None else int(ranking.levels[place]),
            problem=self._problem(path),
        )


def class_name(benchmark: "Benchmark", item: int) -> str:
    """Class of a model; "" where it has none."""
    tree = benchmark.classification
    label = -1 if tree is None else int(tree.labels[item])
    return tree.names[label] if tree is not None and label >= 0 else ""


def relevance_legend(levels: set[int], look: "SheetCardStyle") -> list[tuple[int, str]]:
    """Level and words of each mark that occurs, the highest first."""
    names = {level: look.level_style(level).name for level in sorted(levels, reverse=True)}
    if look.is_binary and 1 in names:
        names[1] = "relevant"
    return list(names.items())


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shrec_viewer.domain import Benchmark, Run

EXAMPLES = """\b
Examples:
  shrec-viewer thumbnails shrec06
  shrec-viewer thumbnails shrec06 --output pictures --size 512
  shrec-viewer thumbnails shrec06 --sheet collection.png --theme dark
  shrec-viewer thumbnails demo --run C1 --query Q02 --first 8 --sheet strip.png"""

SIZE = 256
"""Pixels of pictures, and of those in a strip: what the window asks for, and 300 dpi at 2 cm."""

CONTACT_SIZE = 128
"""Pixels of pictures in a contact sheet."""

CARD_SIZE = 128
"""Edge of a picture for which the letters of a card are made; cards of other sizes are scaled as a whole."""

_UNSAFE_CHARACTERS = re.compile(r'[\\/:*?"<>|\x00-\x1f]')
"""What file names may not have on some system."""


@click.command("thumbnails", epilog=EXAMPLES, short_help="Pictures of models and queries, and sheets of them.")
@benchmark_argument
@click.option(
    "--size",
    type=click.IntRange(16, 2048),
    metavar="PIXELS",
    help="Edge of a picture; 256, of all models on a sheet 128.",
)
@click.option(
    "--output", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER", help="Write a PNG for each."
)
@click.option("--sheet", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.png", help="Write one sheet.")
@click.option("--run", metavar="NAME", multiple=True, help="Sheet of this run's answers; may be repeated.")
@click.option("--query", metavar="ID", multiple=True, help="Sheet of the answers to this query; may be repeated.")
@click.option("--first", type=click.IntRange(1, 1000), default=10, show_default=True, help="Answers of each list.")
@click.option("--columns", type=click.IntRange(1, 1000), help="Cards in a row; else all of a strip, or a near square.")
@click.option("--profile", metavar="KEY", help="Conventions that clean lists; see `shrec-viewer profiles`.")
@click.option(
    "--up",
    type=click.Choice(("y", "z"), case_sensitive=False),
    help="Axis of the meshes that points up; that of the benchmark, else y.",
)
@click.option(
    "--renderer", type=click.Choice(("auto", "gl", "software")), default="auto", show_default=True, help="What draws."
)
@click.option("--theme", type=click.Choice(("light", "dark")), default="light", show_default=True, help="Of a sheet.")
def thumbnails_command(
    benchmark: str,
    size: int | None,
    output: Path | None,
    sheet: Path | None,
    run: tuple[str, ...],
    query: tuple[str, ...],
    first: int,
    columns: int | None,
    profile: str | None,
    up: str | None,
    renderer: Literal["auto", "gl", "software"],
    theme: str,
    **parts: Path | None,
) -> int:
    """Draw the models and queries of BENCHMARK.

    Alone, fills the cache from which the window shows its pictures. With --output, writes a PNG for each model, and for
    each query into the folder `queries`. With --sheet, lays the whole collection out on one sheet; with --run or
    --query as well, each query and the first of its list as papers print them, with frames that say how relevant they
    are. Models that cannot be drawn are listed with the reason.
    """
    if output is not None and sheet is not None:
        raise click.UsageError("--output writes single pictures, --sheet one sheet; take one of them")
    if sheet is None and (run or query or columns):
        raise click.UsageError("--run, --query and --columns lay out a sheet; say where with --sheet FILE.png")
    if sheet is not None and sheet.suffix.lower() != ".png":
        raise click.UsageError(f"a sheet is a PNG; call it {sheet.with_suffix('.png').name}")
    if profile:
        require_profile(profile)
    opened = load_benchmark(benchmark, parts)
    is_strip = bool(run or query)
    size = size or (CONTACT_SIZE if sheet is not None and not is_strip else SIZE)
    wanted = ThumbnailOptions(size, (up or "").upper(), renderer, opened.camera)
    tally = ThumbnailTally(0, 0, {}, {})
    if sheet is None:
        _write_thumbnails(opened, wanted, output, tally)
    else:
        chosen = _select_runs(opened, run), _select_queries(opened, query)
        pixels = _draw_sheet(opened, wanted, theme, chosen if is_strip else None, first, columns or 0, profile, tally)
        _write_png(sheet, pixels)
    _print_summary(opened, benchmark, tally, output or sheet)
    if up is None:
        _print_up_axis_suggestion(opened)
    return 0 if tally.drawn or tally.cached or not tally.problems else 1


# ── what is made ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _write_thumbnails(
    benchmark: "Benchmark", wanted: ThumbnailOptions, output: Path | None, tally: ThumbnailTally
) -> None:
    names = {} if output is None else _output_paths(benchmark, output)
    for path, thumbnail in draw_thumbnails(thumbnail_files(benchmark), wanted, tally):
        if thumbnail.problem is None:
            for name in names.get(path, ()):
                _write_png(name, thumbnail.pixels())


def _output_paths(benchmark: "Benchmark", output: Path) -> dict[Path, list[Path]]:
    """PNG files to write for each file; a query that is a model is written once."""
    collection, queries = benchmark.collection, benchmark.queries
    places = [
        (output / f"{_safe_file_name(name)}.png", path)
        for name, path in zip(collection.ids, collection.paths, strict=True)
    ]
    places += [
        (output / "queries" / f"{_safe_file_name(name)}.png", path)
        for name, path, member in zip(queries.ids, queries.paths, queries.member, strict=True)
        if member < 0
    ]
    names: dict[Path, list[Path]] = {}
    for name, path in places:
        if path is not None:
            names.setdefault(path, []).append(name)
    return names


def _safe_file_name(name: str) -> str:
    return _UNSAFE_CHARACTERS.sub("_", name).strip(". ") or "_"


def _draw_sheet(
    benchmark: "Benchmark",
    wanted: ThumbnailOptions,
    theme: str,
    chosen: "tuple[list[Run], list[int]] | None",
    first: int,
    columns: int,
    profile: str | None,
    tally: ThumbnailTally,
) -> "NDArray[np.uint8]":
    from shrec_viewer.evaluation.ranked_list import ranked_list
    from shrec_viewer.render.sheets.cards import SheetCardStyle

    levels = () if benchmark.assessment is None else benchmark.assessment.levels
    look = SheetCardStyle(CARD_SIZE, theme, scale=wanted.size / CARD_SIZE, is_binary=levels == (1,))
    conventions = require_profile(profile or benchmark.profile)
    if chosen is None:
        paths = thumbnail_files(benchmark, queries=False)
    else:
        runs, queries = chosen
        items = [
            int(item)
            for query in queries
            for run in runs
            for item in ranked_list(benchmark, run, query, conventions).items[:first]
        ]
        files = [benchmark.queries.paths[query] for query in queries]
        files += [benchmark.collection.paths[item] for item in dict.fromkeys(items) if item >= 0]
        paths = list(dict.fromkeys(path for path in files if path is not None))
    pictures = {
        path: thumbnail.pixels() for path, thumbnail in draw_thumbnails(paths, wanted, tally) if not thumbnail.problem
    }
    sheets = Sheets(benchmark, look, pictures, tally.problems)
    try:
        return sheets.contact(columns) if chosen is None else sheets.strips(*chosen, conventions, first, columns)
    except ValueError as problem:
        raise click.UsageError(f"{problem} (--size, --first, --query)") from problem


def _select_runs(benchmark: "Benchmark", names: Sequence[str]) -> "list[Run]":
    require_runs(names, benchmark.runs)
    return [benchmark.run(name) for name in names] or list(benchmark.runs)


def _select_queries(benchmark: "Benchmark", ids: Sequence[str]) -> list[int]:
    known = benchmark.queries.index
    for name in ids:
        if name not in known:
            near = did_you_mean(name, list(known))
            raise UnknownNameError(f"there is no query '{name}'{near}", f"there are {len(known):,} queries")
    return [known[name] for name in ids] or list(range(len(known)))


def _write_png(path: Path, pixels: "NDArray[np.uint8]") -> None:
    """Write a PNG that appears complete or not at all."""
    from shrec_viewer.formats.io.atomic import atomic_path
    from shrec_viewer.render.thumbnails.thumbnail import encode_png

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as draft:
            draft.write_bytes(encode_png(pixels))
    except OSError as problem:
        raise click.FileError(str(path), hint=problem.strerror or str(problem)) from problem


# ── what is told ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _print_summary(benchmark: "Benchmark", word: str, tally: ThumbnailTally, target: Path | None) -> None:
    """What was mended, each placeholder with its reason, then one line about all."""
    from shrec_viewer.formats.core.findings_log import count_of
    from shrec_viewer.render.thumbnails.thumbnail import repaired_mesh_finding, thumbnail_finding

    folder = resolve_path(word).resolve().name
    for path, notes in tally.notes.items():
        for note in notes:
            print_message(format_finding(repaired_mesh_finding(path, note, benchmark.root), folder))
    for path, problem in tally.problems.items():
        print_message(format_finding(thumbnail_finding(path, problem, benchmark.root), folder))
    missing = sum(path is None for path in benchmark.collection.paths)
    words = [f"{tally.drawn:,} drawn", f"{tally.cached:,} kept from before"]
    words += [f"{len(tally.problems):,} without a picture"] if tally.problems else []
    words += [f"{count_of(missing, 'model')} without a file"] if missing else []
    by = f"; drawn by {tally.renderer}" if tally.renderer else ""
    print_message(f"{benchmark.name}: {', '.join(words)}{f'; in {target}' if target else ''}{by}")
    if tally.not_cached_reason:
        print_message(tally.not_cached_reason)


def _print_up_axis_suggestion(benchmark: "Benchmark") -> None:
    """Name the axis on which the models seem to stand, where it is not the one they were drawn with."""
    from shrec_viewer.domain import ShrecError
    from shrec_viewer.formats.meshes.mesh_reader import read_mesh
    from shrec_viewer.render.scene.up_axis import SAMPLE, suggest_up
    from shrec_viewer.render.thumbnails.thumbnail import IMAGE_FILE_SUFFIXES

    files = [path for path in benchmark.collection.paths if path and path.suffix.lower() not in IMAGE_FILE_SUFFIXES]
    meshes = []
    for path in files[:: max(1, len(files) // SAMPLE)][:SAMPLE]:
        try:
            meshes.append(read_mesh(path))
        except ShrecError:
            continue
    found = suggest_up(meshes)
    if found.up == "Z":
        print_message(f"{found.message()}; --up z turns them")
