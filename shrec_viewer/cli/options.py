"""Arguments and options shared by commands, and validation of their values."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from shrec_viewer.cli.terminal import progress_bar

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark, Run
    from shrec_viewer.formats.discovery.benchmark import BenchmarkParts
    from shrec_viewer.formats.io.parse_cache import ParseCache
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

MATRIX_ORDERS = ("classification", "names", "numbers")
LIST_COLUMNS = ("id", "id distance", "distance id")
MATRIX_CELLS = ("distances", "models from 1", "models from 0")
"""Those of `formats.reading`; written out so that ``--help`` needs no numpy."""


class UnknownNameError(click.UsageError):
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
    command = click.option("--matrix-cells", type=click.Choice(MATRIX_CELLS), help=cells)(command)
    command = click.option("--list-columns", type=click.Choice(LIST_COLUMNS), help=columns)(command)
    command = click.option("--order", type=click.Choice(MATRIX_ORDERS), help=order)(command)
    for name, metavar, text in reversed(PART_OPTIONS):
        kind = click.Path(exists=True, path_type=Path)
        command = click.option(f"--{name}", type=kind, metavar=metavar, help=f"{text}, elsewhere.")(command)
    return command


def resolve_path(word: str) -> Path:
    """The path behind BENCHMARK; a sentence, with what may have been meant, where there is nothing."""
    if word == DEMO:
        return _demo_path()
    path = Path(word)
    if path.exists():
        return path
    neighbours = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
    raise click.UsageError(f"there is no file or folder '{word}'{did_you_mean(path.name, neighbours)}")


def _demo_path() -> Path:
    from shrec_viewer.domain import ShrecError
    from shrec_viewer.resources import resource

    try:
        return resource("demo")
    except FileNotFoundError as problem:
        raise ShrecError(str(problem)) from problem


def load_benchmark(word: str, parts: dict[str, Any]) -> "Benchmark":
    """The benchmark that the call names, read with a progress bar."""
    path = resolve_path(word)
    from shrec_viewer.formats.discovery.benchmark import read_benchmark
    from shrec_viewer.metrics import PROFILE_KEYS

    with progress_bar("Reading") as progress:
        return read_benchmark(
            path, parts_from_options(parts), progress=progress, profiles=PROFILE_KEYS, cache=parse_cache()
        )


def parse_cache() -> "ParseCache":
    """What large text files were parsed into, shared with the window; making it touches no file."""
    from platformdirs import user_cache_path

    from shrec_viewer.formats.io.parse_cache import ParseCache

    return ParseCache(user_cache_path("shrec-viewer", appauthor=False) / "parsed")


def parts_from_options(parts: dict[str, Any]) -> "BenchmarkParts":
    """The options of `benchmark_argument` as the readers want them."""
    from shrec_viewer.formats.core.read_options import ReadOptions
    from shrec_viewer.formats.discovery.benchmark import BenchmarkParts

    paths = {name: parts.get(name) for name, _, _ in PART_OPTIONS}
    words = {"order": "order", "columns": "list_columns", "cells": "matrix_cells", "similarity": "similarity"}
    return BenchmarkParts(**paths, reading=ReadOptions(**{key: parts.get(option) for key, option in words.items()}))


def require_profile(key: str) -> "Profile":
    """The profile called `key`; a wrong name is a wrong call."""
    from shrec_viewer.metrics import find_profile as find

    try:
        return find(key)
    except KeyError as problem:
        raise UnknownNameError(str(problem), "`shrec-viewer profiles` lists them all") from problem


def require_measures(keys: Sequence[str]) -> None:
    """Every key of ``--measure`` means something; a wrong one is a wrong call."""
    from shrec_viewer.metrics import find_measure

    for key in keys:
        try:
            find_measure(key)
        except KeyError as problem:
            raise UnknownNameError(str(problem), "`shrec-viewer measures` lists them all") from problem


def require_runs(names: Sequence[str], runs: Sequence["Run"]) -> None:
    """Every name is that of a run of the benchmark; a wrong one is a wrong call."""
    known = [run.name for run in runs]
    for name in names:
        if name not in known:
            listed = f"the runs are {', '.join(known)}" if known else "there are no runs at all"
            raise UnknownNameError(f"there is no run '{name}'{did_you_mean(name, known)}", listed)


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Half a sentence that names the nearest of the known words, or nothing."""
    folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), list(folded), n=1, cutoff=0.6)
    return f"; do you mean '{folded[near[0]]}'?" if near else ""


if TYPE_CHECKING:
    from shrec_viewer.metrics import Profile
    from shrec_viewer.metrics.profiles.conventions import ConventionSetting


EXTREME_TIE_ORDERS = ("optimistic", "pessimistic", "range")
"""Values of ``--ties`` that are no convention: orders that nobody would choose, to see what depends on the order."""

TIE_ORDERS = ("file", "index", "trec")


CONVENTION_HELP = "Any other one, such as self_match=keep; may be repeated; see `shrec-viewer profiles`."


def convention_options(orders: bool) -> Callable[[Command], Command]:
    """Options ``--ties``, ``--missing``, ``--relevance`` and ``--convention``.

    Parameters
    ----------
    orders : whether ``--ties`` takes the best and the worst order, too.
    """
    ties = "Order of equal distances"
    if orders:
        ties += "; optimistic and pessimistic: best and worst for the run; range: how far means depend on it"

    def with_options(command: Command) -> Command:
        options = (
            click.option(
                "--ties",
                type=click.Choice((*TIE_ORDERS, *EXTREME_TIE_ORDERS) if orders else TIE_ORDERS),
                help=f"{ties}.",
            ),
            click.option(
                "--missing", type=click.Choice(("zero", "skip")), help="Queries without a list: 0 or left out."
            ),
            click.option("--relevance", type=click.IntRange(1), metavar="LEVEL", help="Relevant from this level on."),
            click.option("--convention", metavar="NAME=VALUE", multiple=True, help=CONVENTION_HELP),
        )
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


def convention_changes(
    ties: str | None, missing: str | None, relevance: int | None, conventions: Sequence[str]
) -> "dict[str, ConventionSetting]":
    """What the options change, by field of the profile; a wrong one is a wrong call."""
    from shrec_viewer.metrics import parse_convention

    changes: dict[str, ConventionSetting] = {}
    for convention in conventions:
        try:
            field, value = parse_convention(convention)
        except KeyError as problem:
            raise UnknownNameError(str(problem), "`shrec-viewer profiles` lists what may be changed") from problem
        changes[field] = value
    if ties in TIE_ORDERS:
        changes["ties"] = ties
    if missing is not None:
        changes["missing_query"] = missing
    if relevance is not None:
        changes["relevant_from"] = relevance
    return changes


def changed_profile(key: str, changes: "Mapping[str, ConventionSetting]") -> "Profile":
    """The profile called `key` with some conventions changed; a wrong name is a wrong call."""
    from shrec_viewer.metrics import with_conventions

    return with_conventions(require_profile(key), changes)
