"""The command ``thumbnails``: fills the cache, writes pictures, or lays them out as papers print them."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from shrec_viewer.cli.findings import in_words
from shrec_viewer.cli.inputs import (
    UnknownName,
    benchmark_argument,
    check_runs,
    did_you_mean,
    existing,
    find_profile,
    read,
)
from shrec_viewer.cli.pictures import Request, Sheets, Tally, drawn, files_of
from shrec_viewer.cli.terminal import say

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

SIDE = 128
"""Edge of a picture for which the letters of a card are made; cards of other sizes are scaled as a whole."""

_UNSAFE = re.compile(r'[\\/:*?"<>|\x00-\x1f]')
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
        find_profile(profile)
    opened = read(benchmark, parts)
    is_strip = bool(run or query)
    size = size or (CONTACT_SIZE if sheet is not None and not is_strip else SIZE)
    wanted = Request(size, (up or "").upper(), renderer, opened.camera)
    tally = Tally(0, 0, {}, {})
    if sheet is None:
        _pictures(opened, wanted, output, tally)
    else:
        chosen = _runs(opened, run), _queries(opened, query)
        pixels = _sheet(opened, wanted, theme, chosen if is_strip else None, first, columns or 0, profile, tally)
        _replace(sheet, pixels)
    _report(opened, benchmark, tally, output or sheet)
    if up is None:
        _suggest(opened)
    return 0 if tally.drawn or tally.cached or not tally.problems else 1


# ── what is made ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _pictures(benchmark: "Benchmark", wanted: Request, output: Path | None, tally: Tally) -> None:
    names = {} if output is None else _names(benchmark, output)
    for path, thumbnail in drawn(files_of(benchmark), wanted, tally):
        if thumbnail.problem is None:
            for name in names.get(path, ()):
                _replace(name, thumbnail.pixels())


def _names(benchmark: "Benchmark", output: Path) -> dict[Path, list[Path]]:
    """PNG files to write for each file; a query that is a model is written once."""
    collection, queries = benchmark.collection, benchmark.queries
    places = [
        (output / f"{_safe(name)}.png", path) for name, path in zip(collection.ids, collection.paths, strict=True)
    ]
    places += [
        (output / "queries" / f"{_safe(name)}.png", path)
        for name, path, member in zip(queries.ids, queries.paths, queries.member, strict=True)
        if member < 0
    ]
    names: dict[Path, list[Path]] = {}
    for name, path in places:
        if path is not None:
            names.setdefault(path, []).append(name)
    return names


def _safe(name: str) -> str:
    return _UNSAFE.sub("_", name).strip(". ") or "_"


def _sheet(
    benchmark: "Benchmark",
    wanted: Request,
    theme: str,
    chosen: "tuple[list[Run], list[int]] | None",
    first: int,
    columns: int,
    profile: str | None,
    tally: Tally,
) -> "NDArray[np.uint8]":
    from shrec_viewer.evaluation.ranked_list import ranked_list
    from shrec_viewer.render.card_look import CardLook

    levels = () if benchmark.assessment is None else benchmark.assessment.levels
    look = CardLook(SIDE, theme, scale=wanted.size / SIDE, is_binary=levels == (1,))
    conventions = find_profile(profile or benchmark.profile)
    if chosen is None:
        paths = files_of(benchmark, queries=False)
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
    pictures = {path: thumbnail.pixels() for path, thumbnail in drawn(paths, wanted, tally) if not thumbnail.problem}
    sheets = Sheets(benchmark, look, pictures, tally.problems)
    try:
        return sheets.contact(columns) if chosen is None else sheets.strips(*chosen, conventions, first, columns)
    except ValueError as problem:
        raise click.UsageError(f"{problem} (--size, --first, --query)") from problem


def _runs(benchmark: "Benchmark", names: Sequence[str]) -> "list[Run]":
    check_runs(names, benchmark.runs)
    return [benchmark.run(name) for name in names] or list(benchmark.runs)


def _queries(benchmark: "Benchmark", ids: Sequence[str]) -> list[int]:
    known = benchmark.queries.index
    for name in ids:
        if name not in known:
            near = did_you_mean(name, list(known))
            raise UnknownName(f"there is no query '{name}'{near}", f"there are {len(known):,} queries")
    return [known[name] for name in ids] or list(range(len(known)))


def _replace(path: Path, pixels: "NDArray[np.uint8]") -> None:
    """Write a PNG that appears complete or not at all."""
    from shrec_viewer.formats.atomic import draft_of
    from shrec_viewer.render.thumbnail import encode_png

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft_of(path) as draft:
            draft.write_bytes(encode_png(pixels))
    except OSError as problem:
        raise click.FileError(str(path), hint=problem.strerror or str(problem)) from problem


# ── what is told ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _report(benchmark: "Benchmark", word: str, tally: Tally, target: Path | None) -> None:
    """What was mended, each placeholder with its reason, then one line about all."""
    from shrec_viewer.formats.journal import count_of
    from shrec_viewer.render.picture_findings import mended_finding, picture_finding

    folder = existing(word).resolve().name
    for path, notes in tally.notes.items():
        for note in notes:
            say(in_words(mended_finding(path, note, benchmark.root), folder))
    for path, problem in tally.problems.items():
        say(in_words(picture_finding(path, problem, benchmark.root), folder))
    missing = sum(path is None for path in benchmark.collection.paths)
    words = [f"{tally.drawn:,} drawn", f"{tally.cached:,} kept from before"]
    words += [f"{len(tally.problems):,} without a picture"] if tally.problems else []
    words += [f"{count_of(missing, 'model')} without a file"] if missing else []
    by = f"; drawn by {tally.renderer}" if tally.renderer else ""
    say(f"{benchmark.name}: {', '.join(words)}{f'; in {target}' if target else ''}{by}")
    if tally.unkept:
        say(tally.unkept)


def _suggest(benchmark: "Benchmark") -> None:
    """Name the axis on which the models seem to stand, where it is not the one they were drawn with."""
    from shrec_viewer.domain import ShrecError
    from shrec_viewer.formats.meshes import read_mesh
    from shrec_viewer.render.thumbnail import PICTURE_SUFFIXES
    from shrec_viewer.render.up_axis import SAMPLE, suggest_up

    files = [path for path in benchmark.collection.paths if path and path.suffix.lower() not in PICTURE_SUFFIXES]
    meshes = []
    for path in files[:: max(1, len(files) // SAMPLE)][:SAMPLE]:
        try:
            meshes.append(read_mesh(path))
        except ShrecError:
            continue
    found = suggest_up(meshes)
    if found.up == "Z":
        say(f"{found.sentence()}; --up z turns them")
