"""What the commands read: the benchmark with its parts, and names that must be among those there are."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from shrec_viewer.cli.terminal import progress_bar

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark, Run
    from shrec_viewer.formats.folder import Parts
    from shrec_viewer.formats.parse_cache import ParseCache
    from shrec_viewer.metrics import Profile

Command = TypeVar("Command", bound=Callable[..., Any])

DEMO = "demo"
"""The word that stands for the bundled benchmark wherever a path is asked for; a folder of that name is ``./demo``."""

PART_OPTIONS = (
    ("classification", "FILE", "Class tree (.cla) of the collection"),
    ("queries", "PATH", "Queries, or their class tree"),
    ("assessment", "FILE", "Relevance assessment (qrels)"),
    ("models", "FOLDER", "Models of the collection"),
    ("runs", "PATH", "Runs"),
)
"""Parts of a benchmark that may lie elsewhere: name, what to give, what it is."""

ORDERS = ("classification", "names", "numbers")
COLUMNS = ("id", "id distance", "distance id")
CELLS = ("distances", "models from 1", "models from 0")
"""Those of `formats.reading`; written out so that ``--help`` needs no numpy."""


class UnknownName(click.UsageError):
    """A wrong call that names something there is not.

    Parameters
    ----------
    message : the sentence.
    pointer : a second one, which call lists what there is.
    """

    def __init__(self, message: str, pointer: str) -> None:
        super().__init__(message)
        self.pointer = pointer


def benchmark_argument(command: Command) -> Command:
    """The argument BENCHMARK, and `part_options`."""
    return click.argument("benchmark", metavar="BENCHMARK")(part_options(command))


def part_options(command: Command) -> Command:
    """Options for parts that lie elsewhere, and for how runs are read; the command gets them as ``**parts``."""
    direction = "Larger, or smaller, numbers are nearer: in all runs."
    order, columns = "Order of rows and columns of matrices.", "Columns of rank lists."
    cells = "Numbers of matrices: distances or ranks, or model numbers, best first."
    command = click.option("--similarity/--distance", default=None, help=direction)(command)
    command = click.option("--matrix-cells", type=click.Choice(CELLS), help=cells)(command)
    command = click.option("--list-columns", type=click.Choice(COLUMNS), help=columns)(command)
    command = click.option("--order", type=click.Choice(ORDERS), help=order)(command)
    for name, metavar, text in reversed(PART_OPTIONS):
        kind = click.Path(exists=True, path_type=Path)
        command = click.option(f"--{name}", type=kind, metavar=metavar, help=f"{text}, elsewhere.")(command)
    return command


def existing(word: str) -> Path:
    """The path behind BENCHMARK; a sentence, with what may have been meant, where there is nothing."""
    if word == DEMO:
        return _demo()
    path = Path(word)
    if path.exists():
        return path
    neighbours = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
    raise click.UsageError(f"there is no file or folder '{word}'{did_you_mean(path.name, neighbours)}")


def _demo() -> Path:
    from shrec_viewer.domain import ShrecError
    from shrec_viewer.resources import resource

    try:
        return resource("demo")
    except FileNotFoundError as problem:
        raise ShrecError(str(problem)) from problem


def read(word: str, parts: dict[str, Any]) -> "Benchmark":
    """The benchmark that the call names, read with a progress bar."""
    path = existing(word)
    from shrec_viewer.formats.folder import read_benchmark
    from shrec_viewer.metrics import PROFILES

    keys = tuple(profile.key for profile in PROFILES)
    with progress_bar("Reading") as progress:
        return read_benchmark(path, as_parts(parts), progress=progress, profiles=keys, cache=parse_cache())


def parse_cache() -> "ParseCache":
    """What large text files were parsed into, shared with the window; making it touches no file."""
    from platformdirs import user_cache_path

    from shrec_viewer.formats.parse_cache import ParseCache

    return ParseCache(user_cache_path("shrec-viewer", appauthor=False) / "parsed")


def as_parts(parts: dict[str, Any]) -> "Parts":
    """The options of `benchmark_argument` as the readers want them."""
    from shrec_viewer.formats.folder import Parts
    from shrec_viewer.formats.reading import Reading

    paths = {name: parts.get(name) for name, _, _ in PART_OPTIONS}
    words = {"order": "order", "columns": "list_columns", "cells": "matrix_cells", "similarity": "similarity"}
    return Parts(**paths, reading=Reading(**{key: parts.get(option) for key, option in words.items()}))


def find_profile(key: str) -> "Profile":
    """The profile called `key`; a wrong name is a wrong call."""
    from shrec_viewer.metrics import find_profile as find

    try:
        return find(key)
    except KeyError as problem:
        raise UnknownName(str(problem), "`shrec-viewer profiles` lists them all") from problem


def check_measures(keys: Sequence[str]) -> None:
    """Every key of ``--measure`` means something; a wrong one is a wrong call."""
    from shrec_viewer.metrics import find_measure

    for key in keys:
        try:
            find_measure(key)
        except KeyError as problem:
            raise UnknownName(str(problem), "`shrec-viewer measures` lists them all") from problem


def check_runs(names: Sequence[str], runs: Sequence["Run"]) -> None:
    """Every name is that of a run of the benchmark; a wrong one is a wrong call."""
    known = [run.name for run in runs]
    for name in names:
        if name not in known:
            listed = f"the runs are {', '.join(known)}" if known else "there are no runs at all"
            raise UnknownName(f"there is no run '{name}'{did_you_mean(name, known)}", listed)


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Half a sentence that names the nearest of the known words, or nothing."""
    folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), list(folded), n=1, cutoff=0.6)
    return f"; do you mean '{folded[near[0]]}'?" if near else ""
