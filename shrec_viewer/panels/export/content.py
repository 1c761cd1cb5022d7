"""What a panel exports, and the files, texts and command lines made of it."""

import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from shrec_viewer.domain import ShrecError
from shrec_viewer.evaluation.evaluate import make_checkpoint
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts
from shrec_viewer.render.scene.palette import RunStyle
from shrec_viewer.report.figures.content import FigureContent
from shrec_viewer.report.figures.drawing.style import COLUMN_MM, PAGE_MM
from shrec_viewer.report.figures.kinds import FIGURES, build_figure
from shrec_viewer.report.figures.rendering import DPI, FigureFormat, render_formats
from shrec_viewer.report.figures.request import FigureData, FigureRequest, ModelImage
from shrec_viewer.report.site.images import cached_images
from shrec_viewer.report.tables.kinds import TableData, TableRequest, build_table
from shrec_viewer.report.tables.table import Table
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg


@dataclass(frozen=True, eq=False)
class ExportContent:
    """What a panel exports; without figure and table, the panel is exported as drawn.

    Attributes
    ----------
    figure : contents of a figure, or the request for one, which the command ``figure`` repeats; None for none.
    table : a table, or the request for one, which the command ``table`` repeats; None for none.
    names : parts of the file name after those of panel and benchmark: measure, query, run.
    command : name of a command and its options that print the same, where neither figure nor table is a request.
    """

    figure: FigureContent | FigureRequest | None = None
    table: Table | TableRequest | None = None
    names: tuple[str, ...] = ()
    command: tuple[str, ...] = ()


COLUMN_WIDTHS: Mapping[float, str] = {COLUMN_MM: "One column", PAGE_MM: "Two columns"}
"""Widths of figures in millimetres."""

FIGURE_LABELS: Mapping[str, str] = {"svg": "SVG", "pdf": "PDF", "png": "PNG, 300 dpi", "pgf": "PGF for LaTeX"}
"""Formats of figures, in the order of the dialog."""

DEFAULT_PALETTE = "default"
PALETTE_LABELS: Mapping[str, str] = {
    DEFAULT_PALETTE: "Default", "greyscale": "Greyscale-safe", "colour-blind": "Colour-blind-safe",
}  # fmt: skip


def figure_file(
    figure: FigureContent | FigureRequest,
    data: TableData | None,
    form: FigureFormat,
    width: float,
    palette: str,
    cancelled: Callable[[], bool],
    dpi: int | None = None,
) -> bytes:
    """A figure as the bytes of a file; `dpi` is None for that of publishers."""
    content = figure_content(figure, data, cancelled)
    return render_formats(content, (form,), cancelled, width=width, palette=palette, dpi=dpi or DPI)[form]


def figure_content(
    source: FigureContent | FigureRequest, data: TableData | None, cancelled: Callable[[], bool]
) -> FigureContent:
    """The contents of a figure, or of the requested one; images are read from the cache or drawn.

    Raises
    ------
    ShrecError
        If the requested figure cannot be made of the data.
    """
    if not isinstance(source, FigureRequest):
        return source
    if data is None:
        raise ShrecError("no benchmark is open")
    kind, made_of = FIGURES[source.kind], FigureData(data.benchmark, data.profile, data.scores)
    if kind.images is not None:
        draw = cached_images(read_image_or_svg, data.benchmark.camera)
        drawn = draw(kind.images(made_of, source), make_checkpoint(cancelled), None)
        images = {
            path: ModelImage(None if thumbnail.problem else thumbnail.pixels(), thumbnail.problem or "")
            for path, thumbnail in drawn
        }
        made_of = replace(made_of, images=images)
    return build_figure(made_of, source)


def light_styles(session: Session) -> Mapping[str, RunStyle]:
    """Styles of the runs on paper, by name."""
    runs = () if session.benchmark is None else session.benchmark.runs
    return {run.name: style for run, style in zip(runs, session.run_styles.styles("light"), strict=True)}


def table_data(session: Session) -> TableData | None:
    """What tables of the session are made of; None without a benchmark."""
    return None if session.benchmark is None else TableData(session.benchmark, session.profile, session.scores)


def built_table(source: Any, data: TableData | None, cancelled: Callable[[], bool]) -> Table:
    """A table, or the requested one.

    Raises
    ------
    ShrecError
        If the requested table cannot be made of the data.
    """
    if isinstance(source, Table):
        return source
    if data is None or not isinstance(source, TableRequest):
        raise ShrecError("no benchmark is open")
    return build_table(data, source, cancelled)


def benchmark_arguments(session: Session) -> tuple[str, ...]:
    """BENCHMARK, parts elsewhere, reading options, virtual runs and profile of the session, for a command line."""
    path = session.path
    if path is None:
        return ()
    options = [f"--{name}={value}" for name, value in _part_paths(session.parts) if value is not None]
    options += _reading_arguments(session.parts.read_options)
    runs = () if session.benchmark is None else session.benchmark.runs
    options += [f"--virtual={run.expression}" for run in runs if run.expression]
    return (_benchmark_word(path), *options, f"--profile={session.profile.key}")


def _benchmark_word(path: Path) -> str:
    try:
        if path.resolve() == resource("demo").resolve():
            return "demo"
    except FileNotFoundError:
        pass
    return str(path if path.is_absolute() else path.resolve())


def _part_paths(parts: BenchmarkParts) -> list[tuple[str, Path | None]]:
    return [(name, getattr(parts, name)) for name in ("classification", "queries", "assessment", "models", "runs")]


READING_OPTIONS = {"columns": "list-columns", "cells": "matrix-cells", "order": "order", "queries_by": "queries-by"}
"""Options of the command line by field of `ReadOptions`; `similarity` and `query_line` are flags."""


def _reading_arguments(options: ReadOptions) -> list[str]:
    arguments = [
        f"--{READING_OPTIONS[field.name]}={getattr(options, field.name)}"
        for field in fields(options)
        if field.name in READING_OPTIONS and getattr(options, field.name) is not None
    ]
    for value, yes, no in (
        (options.similarity, "--similarity", "--distance"),
        (options.query_line, "--query-line", "--no-query-line"),
    ):
        if value is not None:
            arguments.append(yes if value else no)
    return arguments


def command_line(arguments: Sequence[str]) -> str:
    """A command line that the shell of this system splits into these arguments.

    Examples
    --------
    >>> command_line(["table", "demo", "runs", "--measure=AP(rel=2)"])  # doctest: +SKIP
    "shrec-viewer table demo runs '--measure=AP(rel=2)'"
    """
    words = ["shrec-viewer", *arguments]
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def figure_command(start: Sequence[str], request: FigureRequest, name: str, options: Sequence[str] = ()) -> str:
    """Command line of a figure.

    Parameters
    ----------
    start : see `benchmark_arguments`.
    name : of the file.
    options : width and palette.
    """
    benchmark, *conventions = start
    kind, *chosen = request.arguments()
    return command_line(["figure", benchmark, kind, *conventions, *chosen, *options, f"--output={name}"])


def table_command(start: Sequence[str], request: TableRequest, name: str, options: Sequence[str] = ()) -> str:
    """Command line of a table; parameters as of `figure_command`, `options` are format and digits."""
    benchmark, *conventions = start
    kind, *chosen = request.arguments()
    return command_line(["table", benchmark, kind, *conventions, *chosen, *options, f"--output={name}"])
