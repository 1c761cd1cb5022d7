"""Arguments and options shared by commands, and validation of their values."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import click

from shrec_viewer.cli.terminal import ResultFile, print_message, progress_bar

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark, Finding, Run
    from shrec_viewer.evaluation.edits import AssessmentEdit
    from shrec_viewer.evaluation.parallel.cluster import Cluster
    from shrec_viewer.formats.discovery.benchmark import BenchmarkParts
    from shrec_viewer.formats.discovery.file_findings import MeshChecker
    from shrec_viewer.formats.io.parse_cache import ParseCache
    from shrec_viewer.metrics import Profile
    from shrec_viewer.metrics.profiles.conventions import ConventionSetting
    from shrec_viewer.metrics.ranking.matrix_ranking import MapBlocks

Command = TypeVar("Command", bound=Callable[..., Any])

ConventionChanges: TypeAlias = "Mapping[str, ConventionSetting]"
"""Changed conventions by field of the profile."""

DEMO = "demo"
"""Name of the bundled benchmark as an argument; a folder of that name is ``./demo``."""

PART_OPTIONS = (
    ("classification", "FILE", "Class tree (.cla) of the collection"),
    ("queries", "PATH", "Queries, or their class tree"),
    ("assessment", "FILE", "Relevance assessment (qrels)"),
    ("models", "FOLDER", "Models of the collection"),
    ("runs", "PATH", "Runs"),
)
"""Options for parts of a benchmark at other paths: name, metavar, description."""

MATRIX_ORDERS = ("classification", "names", "numbers")
LIST_COLUMNS = ("id", "id distance", "distance id")
MATRIX_CELLS = ("distances", "models from 1", "models from 0")
QUERY_SOURCES = ("name", "nearest")
"""Values of four options; copied from `formats.core.read_options`, so that ``--help`` does not import numpy."""


class UnknownNameError(click.UsageError):
    """Usage error: an unknown name of a profile, measure, run or query.

    Parameters
    ----------
    message : what is unknown.
    hint : second message: where the known names are listed.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def benchmark_argument(command: Command) -> Command:
    """Decorator that adds the argument BENCHMARK and `part_options`."""
    return click.argument("benchmark", metavar="BENCHMARK")(part_options(command))


def source_options(command: Command) -> Command:
    """Decorator that adds ``--edits`` and ``--virtual``; they are passed as ``**parts``, see `benchmark_to_score`."""
    edits = "Lines of qrels that replace these pairs of the assessment, or edits saved by the window (.json)."
    virtual = 'Add a run computed from others, such as "rrf(A1,B2)"; see `shrec-viewer measures`; repeatable.'
    kind = click.Path(exists=True, dir_okay=False, path_type=Path)
    command = click.option("--virtual", metavar="EXPRESSION", multiple=True, help=virtual)(command)
    return click.option("--edits", type=kind, metavar="FILE", help=edits)(command)


EXPRESSION_HINT = "`shrec-viewer measures` lists the functions of virtual runs"


def require_expressions(texts: Sequence[str]) -> tuple[str, ...]:
    """Check the syntax of ``--virtual``; an error is a usage error."""
    if not texts:
        return ()
    from shrec_viewer.evaluation.virtual_runs import VirtualRunError, parse_virtual_run

    for text in texts:
        try:
            parse_virtual_run(text)
        except VirtualRunError as error:
            raise UnknownNameError(str(error), EXPRESSION_HINT) from error
    return tuple(texts)


def with_virtual(benchmark: "Benchmark", names: Sequence[str], profile: "Profile") -> "Benchmark":
    """The benchmark with a virtual run for each name that is an expression and not the name of a run."""
    known = {run.name for run in benchmark.runs}
    texts = [name for name in names if name not in known and "(" in name]
    if not texts:
        return benchmark
    from shrec_viewer.evaluation.virtual_runs import VirtualRunError, is_expression, with_virtual_runs

    try:
        return with_virtual_runs(benchmark, [text for text in texts if is_expression(text)], profile)
    except VirtualRunError as error:
        raise UnknownNameError(str(error), EXPRESSION_HINT) from error


def edits_of(
    benchmark: "Benchmark", source: Path, path: Path | None, *, prints: bool = False
) -> "tuple[tuple[AssessmentEdit, ...], tuple[Finding, ...]]":
    """Edits of a project and of the file ``--edits``, and the findings about both.

    Parameters
    ----------
    source : what was opened.
    path : value of ``--edits``, whose levels take precedence.
    prints : whether the numbers of edits are printed.
    """
    if path is None and source.suffix.lower() != ".shrec":
        return (), ()
    from shrec_viewer.evaluation.edits import edit_findings, read_edits
    from shrec_viewer.formats.core.findings_log import count_of
    from shrec_viewer.formats.manifest.project import is_project, read_project

    edits = tuple(read_project(source).edits.levels.values()) if is_project(source) else ()
    findings = edit_findings(benchmark, edits, str(source))
    if edits and prints:
        queries, models = benchmark.queries.index, benchmark.collection.index
        known = sum(edit.query in queries and edit.model in models for edit in edits)
        print_message(f"{source}: {count_of(known, 'edit')} of the assessment")
    if path is None:
        return edits, findings
    added, found = read_edits(path, benchmark)
    changed = sum(edit.level != edit.former for edit in added)
    if prints:
        print_message(f"{path}: {count_of(len(added), 'edit')} of the assessment, {changed} with a changed level")
    former = {edit.pair for edit in edits}
    replaced = {edit.pair: edit for edit in (*edits, *added)}
    # A line with the level of the files cancels the edit of the project.
    kept = tuple(edit for edit in replaced.values() if edit.level != edit.former or edit.pair not in former)
    return kept, (*findings, *found)


def with_edits_of(benchmark: "Benchmark", source: Path, path: Path | None) -> "Benchmark":
    """The benchmark with the edits of a project and of the file ``--edits``, see `edits_of`, and their findings."""
    from dataclasses import replace

    edits, findings = edits_of(benchmark, source, path, prints=True)
    if not edits and not findings:
        return benchmark
    from shrec_viewer.evaluation.edits import with_edits

    return replace(with_edits(benchmark, edits), findings=(*findings, *benchmark.findings))


def with_virtual_of(benchmark: "Benchmark", source: Path, profile: "Profile", names: Sequence[str] = ()) -> "Benchmark":
    """The benchmark with the virtual runs of a project, and findings about those that cannot be computed.

    Parameters
    ----------
    source : what was opened.
    names : the runs that are used; empty for all.
    """
    if source.suffix.lower() != ".shrec":
        return benchmark
    from dataclasses import replace

    from shrec_viewer.evaluation.virtual_runs import computed_runs, virtual_run_findings
    from shrec_viewer.formats.manifest.project import is_project, read_project

    expressions = [run.expression for run in read_project(source).edits.runs.virtual] if is_project(source) else []
    if not expressions:
        return benchmark
    known = {run.name for run in benchmark.runs}
    wanted = [text for text in expressions if text not in known and (not names or text in names)]
    found = computed_runs(benchmark, wanted, profile)
    runs = tuple(run for run in found.values() if not isinstance(run, str))
    findings = virtual_run_findings(found, str(source))
    return replace(benchmark, runs=(*benchmark.runs, *runs), findings=(*findings, *benchmark.findings))


def part_options(command: Command) -> Command:
    """Decorator that adds options for parts at other paths and for reading runs; they are passed as ``**parts``."""
    direction = "Whether the numbers of all runs are similarities or distances."
    order, columns = "Order of the rows and columns of matrices.", "Columns of rank lists."
    cells = "Cells of matrices: distances (or ranks), or model numbers, best first."
    query_line = "Whether the first line of each rank list is the name of its query, not a model."
    queries_by = "Query of each row or list: as order, ids and file names say, or the model nearest to it."
    command = click.option("--queries-by", type=click.Choice(QUERY_SOURCES), help=queries_by)(command)
    command = click.option("--similarity/--distance", default=None, help=direction)(command)
    command = click.option("--query-line/--no-query-line", default=None, help=query_line)(command)
    command = click.option("--matrix-cells", type=click.Choice(MATRIX_CELLS), help=cells)(command)
    command = click.option("--list-columns", type=click.Choice(LIST_COLUMNS), help=columns)(command)
    command = click.option("--order", type=click.Choice(MATRIX_ORDERS), help=order)(command)
    for name, metavar, text in reversed(PART_OPTIONS):
        kind = click.Path(exists=True, path_type=Path)
        command = click.option(f"--{name}", type=kind, metavar=metavar, help=f"{text}, if not in BENCHMARK.")(command)
    return command


def resolve_path(argument: str) -> Path:
    """The path of the argument BENCHMARK; a usage error with a suggestion if it does not exist."""
    if argument == DEMO:
        if os.path.isdir(DEMO):
            print_message(f"'{DEMO}' is the bundled benchmark; the folder of that name here is './{DEMO}'")
        return _demo_path()
    path = Path(argument)
    if os.path.exists(path):  # never raises, unlike `Path.exists`: the name may be too long
        return path
    existing = [other.name for other in path.parent.iterdir()] if os.path.isdir(path.parent) else []
    raise click.UsageError(f"there is no file or folder '{argument}'{did_you_mean(path.name, existing)}")


def _demo_path() -> Path:
    from shrec_viewer.domain import ShrecError
    from shrec_viewer.resources import resource

    try:
        return resource("demo")
    except FileNotFoundError as error:
        raise ShrecError(str(error)) from error


def load_benchmark(argument: str, parts: dict[str, Any], *, check_meshes: "MeshChecker | None" = None) -> "Benchmark":
    """Read the benchmark of the argument BENCHMARK, with a progress bar; `check_meshes` as in `read_benchmark`."""
    path = resolve_path(argument)
    from shrec_viewer.domain import ShrecError
    from shrec_viewer.evaluation.parallel.local import run_in_processes
    from shrec_viewer.formats.discovery.benchmark import read_benchmark
    from shrec_viewer.metrics import PROFILE_KEYS

    jobs = number_of_jobs()
    located, cache = parts_from_options(parts), parse_cache()
    try:
        with progress_bar("Reading") as progress:
            opened = read_benchmark(
                path,
                located,
                progress=progress,
                profiles=PROFILE_KEYS,
                cache=cache,
                run_in_processes=partial(run_in_processes, jobs=jobs) if jobs > 1 else None,
                check_meshes=check_meshes,
            )
    except ShrecError:
        refuse_inputs(None, path, located)  # `check` writes the reason
        raise
    refuse_inputs(opened, path, located)
    if cache.problem:
        print_message(cache.problem)
    return opened


JOBS_KEY = "shrec_viewer.jobs"


def _store_jobs(ctx: click.Context, _param: click.Parameter, value: int | None) -> None:
    ctx.meta[JOBS_KEY] = value


jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    expose_value=False,
    callback=_store_jobs,
    help="Processor cores that are used; default: all.",
)
"""Decorator of commands that read and rank in parallel; see `number_of_jobs`."""


def number_of_jobs() -> int:
    """Value of ``--jobs`` of the current command; all cores by default."""
    from shrec_viewer.evaluation.parallel.local import available_cores

    context = click.get_current_context(silent=True)
    jobs = context.meta.get(JOBS_KEY) if context is not None else None
    return jobs if jobs is not None else available_cores()


SCHEDULER_KEY = "shrec_viewer.scheduler"


def _store_scheduler(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    ctx.meta[SCHEDULER_KEY] = value


scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    expose_value=False,
    callback=_store_scheduler,
    help="Work on the workers of a Dask scheduler, or on N new ones: `local:N`. Requires the extra `cluster`.",
)
"""Decorator of commands that work on other machines; see `chosen_cluster` and `cluster_ranking`."""


@contextmanager
def chosen_cluster() -> "Iterator[Cluster | None]":
    """The scheduler of ``--scheduler``; None without that option."""
    context = click.get_current_context(silent=True)
    address = context.meta.get(SCHEDULER_KEY) if context is not None else None
    if address is None:
        yield None
        return
    from shrec_viewer.evaluation.parallel.cluster import connected_cluster

    with connected_cluster(address) as cluster:
        yield cluster


@contextmanager
def cluster_ranking() -> "Iterator[MapBlocks | None]":
    """The argument `map_blocks` of `evaluate`: on the workers of ``--scheduler``, None without that option."""
    with chosen_cluster() as cluster:
        if cluster is None:
            yield None
            return
        from platformdirs import user_cache_path

        from shrec_viewer.evaluation.parallel.cluster import ClusterRanking

        yield ClusterRanking(cluster, user_cache_path("shrec-viewer", appauthor=False) / "ranks").map_blocks


OUTPUT_OPTIONS = ("output", "sheet", "to_judge")
"""Parameters of all commands that name a file or folder to write."""

FORCE_KEY = "shrec_viewer.force"


def _store_force(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    ctx.meta[FORCE_KEY] = value


force_option = click.option(
    "--force", is_flag=True, expose_value=False, callback=_store_force, help="Write the output even if it is an input."
)
"""Decorator of each command with one of `OUTPUT_OPTIONS`."""


def refuse_inputs(benchmark: "Benchmark | None", path: Path, parts: "BenchmarkParts | None") -> None:
    """Raise a usage error if the output of the current command would replace an input.

    Parameters
    ----------
    benchmark : None if it cannot be read.
    path, parts : what is read.
    """
    context = click.get_current_context(silent=True)
    if context is None or context.meta.get(FORCE_KEY):
        return
    values = (context.params.get(name) for name in OUTPUT_OPTIONS)
    targets = [value for value in values if isinstance(value, Path) and value.exists()]
    if not targets:
        return
    from shrec_viewer.formats.discovery.input_files import InputFiles, recognised_input
    from shrec_viewer.formats.io.atomic import WRITTEN_RESULTS

    inputs = InputFiles(benchmark, path, parts)
    for target in targets:
        name = inputs.name_of(target)
        if name:
            raise InputReplacedError(target, f"an input of this benchmark ({name})")
        if target.is_dir() and inputs.has_models_in(target):
            raise InputReplacedError(target, "a folder with models or queries of this benchmark")
        if WRITTEN_RESULTS.has(target):
            continue
        if inputs.has_picture_or_material(target):
            raise InputReplacedError(target, "an image or material of this benchmark")
        if name := recognised_input(target):
            raise InputReplacedError(target, f"recognised as an input ({name})")


def refuse_replaced(benchmark: "Benchmark", targets: Sequence[Path]) -> None:
    """Raise a usage error if one of the files to be written in a folder is an input of the benchmark."""
    from shrec_viewer.formats.discovery.input_files import InputFiles

    context = click.get_current_context(silent=True)
    if targets and not (context is not None and context.meta.get(FORCE_KEY)):
        inputs = InputFiles(benchmark, None)
        for target in targets:
            if name := inputs.name_of(target):
                raise InputReplacedError(target, f"an input of this benchmark ({name})")


class InputReplacedError(click.UsageError):
    """An output would replace an input; nothing was written."""

    def __init__(self, target: Path, what: str) -> None:
        super().__init__(f"{target} is {what}, and is not replaced; choose another path, or add --force")


def parse_cache() -> "ParseCache":
    """The cache of parsed text files, shared with the window; no file is accessed until it is used."""
    from platformdirs import user_cache_path

    from shrec_viewer.formats.io.parse_cache import ParseCache

    return ParseCache(user_cache_path("shrec-viewer", appauthor=False) / "parsed")


def parts_from_options(parts: dict[str, Any]) -> "BenchmarkParts":
    """The options of `part_options` as arguments of the readers."""
    from shrec_viewer.formats.core.read_options import ReadOptions
    from shrec_viewer.formats.discovery.benchmark import BenchmarkParts

    paths = {name: parts.get(name) for name, _, _ in PART_OPTIONS}
    options = {"order": "order", "columns": "list_columns", "cells": "matrix_cells"}
    options |= {"similarity": "similarity", "query_line": "query_line", "queries_by": "queries_by"}
    return BenchmarkParts(
        **paths, read_options=ReadOptions(**{key: parts.get(option) for key, option in options.items()})
    )


def require_profile(key: str) -> "Profile":
    """The profile with this key; an unknown key is a usage error."""
    from shrec_viewer.metrics import find_profile

    try:
        return find_profile(key)
    except KeyError as error:
        raise UnknownNameError(str(error), "`shrec-viewer profiles` lists all keys") from error


ALL_MEASURES = "all"
"""Value of ``--measure`` for the measures of the profile and then all others."""


def measures_to_compute(keys: Sequence[str]) -> tuple[Sequence[str] | None, tuple[str, ...]]:
    """The keys of ``--measure`` as the arguments `measures` and `extra_measures` of `evaluate`."""
    if ALL_MEASURES not in keys:
        return keys or None, ()
    from shrec_viewer.metrics import measure_table

    return None, (*(key for key in keys if key != ALL_MEASURES), *(row.name for row in measure_table()))


def find_measure_key(key: str) -> str:
    """The canonical key of a measure: ``ADR`` for ``MADR``."""
    from shrec_viewer.metrics import find_measure

    return find_measure(key).key


def require_measures(keys: Sequence[str]) -> None:
    """Check the keys of ``--measure``; an unknown key is a usage error."""
    from shrec_viewer.metrics import find_measure

    for key in keys:
        try:
            find_measure(key)
        except KeyError as error:
            raise UnknownNameError(str(error), "`shrec-viewer measures` lists all keys") from error


def require_runs(names: Sequence[str], runs: Sequence["Run"]) -> None:
    """Check names of runs; an unknown name is a usage error."""
    known = [run.name for run in runs]
    for name in names:
        if name not in known:
            listed = f"the runs are {', '.join(known)}" if known else "the benchmark has no runs"
            raise UnknownNameError(f"there is no run '{name}'{did_you_mean(name, known)}", listed)


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Suggestion to append to a message: the most similar known name, or ""."""
    folded = {name.casefold(): name for name in known}
    similar = get_close_matches(word.casefold(), list(folded), n=1, cutoff=0.6)
    return f"; do you mean '{folded[similar[0]]}'?" if similar else ""


FORMATS = ("table", "csv", "json", "latex", "markdown")

FORMAT_OF_SUFFIX = {".csv": "csv", ".json": "json", ".tex": "latex", ".md": "markdown"}
"""Default of ``--format`` by the suffix of ``--output``."""


def profile_option(command: Command) -> Command:
    """Decorator that adds ``--profile``."""
    text = "Conventions of a contest; see `shrec-viewer profiles`."
    return click.option("--profile", metavar="KEY", help=text)(command)


def run_option(text: str) -> Callable[[Command], Command]:
    """Decorator that adds ``--run``; `text` is its help."""
    return click.option("--run", metavar="NAME", multiple=True, help=text)


def output_options(command: Command) -> Command:
    """Decorator that adds ``--format``, one of FORMATS, and ``--output``; see `output_format`."""
    text = "Output format; default: by the suffix of --output, else table."
    command = output_option(command)
    return click.option("--format", "form", type=click.Choice(FORMATS), help=text)(command)


def output_option(command: Command) -> Command:
    """Decorator that adds ``--output`` of a file, and ``--force``."""
    text = "Write to FILE instead of standard output."
    command = force_option(command)
    return click.option("--output", type=ResultFile(), metavar="FILE", help=text)(command)


def output_format(form: str | None, output: Path | None) -> str:
    """The format of a result: that of ``--format``, else by the suffix of ``--output``, else a table."""
    return form or FORMAT_OF_SUFFIX.get(output.suffix.lower() if output else "", "table")


EXTREME_TIE_ORDERS = ("optimistic", "pessimistic", "range")
"""Values of ``--ties`` that are not conventions: they show how far scores depend on the order of equal distances."""

TIE_ORDERS = ("file", "index", "trec")


CONVENTION_HELP = "Any other convention, such as self_match=keep; repeatable; see `shrec-viewer profiles`."


def convention_options(extreme_ties: bool) -> Callable[[Command], Command]:
    """Decorator that adds ``--ties``, ``--missing``, ``--relevance`` and ``--convention``, passed as one `changes`.

    Parameters
    ----------
    extreme_ties : whether ``--ties`` also accepts `EXTREME_TIE_ORDERS`; its value is then also passed as `ties`.
    """
    ties = "Order of equal distances"
    if extreme_ties:
        ties += "; optimistic, pessimistic: best, worst for the run; range: lowest and highest mean"

    def with_options(command: Command) -> Command:
        @wraps(command)
        def with_changes(
            *, ties: str | None, missing: str | None, relevance: int | None, convention: tuple[str, ...], **others: Any
        ) -> Any:
            changes = convention_changes(ties, missing, relevance, convention)
            return command(changes=changes, **others, **({"ties": ties} if extreme_ties else {}))

        options = (
            click.option(
                "--ties",
                type=click.Choice((*TIE_ORDERS, *EXTREME_TIE_ORDERS) if extreme_ties else TIE_ORDERS),
                help=f"{ties}.",
            ),
            click.option("--missing", type=click.Choice(("zero", "skip")), help="Missing queries: score 0 or exclude."),
            click.option(
                "--relevance",
                type=click.IntRange(1),
                metavar="LEVEL",
                help="Relevance threshold: lowest relevant level.",
            ),
            click.option("--convention", metavar="NAME=VALUE", multiple=True, help=CONVENTION_HELP),
        )
        decorated: Any = with_changes
        for option in reversed(options):
            decorated = option(decorated)
        return cast(Command, decorated)

    return with_options


def convention_changes(
    ties: str | None, missing: str | None, relevance: int | None, conventions: Sequence[str]
) -> ConventionChanges:
    """The changed conventions by field of the profile; an unknown convention is a usage error."""
    from shrec_viewer.metrics import parse_convention

    changes: dict[str, ConventionSetting] = {}
    for convention in conventions:
        try:
            field, value = parse_convention(convention)
        except KeyError as error:
            raise UnknownNameError(str(error), "`shrec-viewer profiles` lists the conventions") from error
        changes[field] = value
    if ties in TIE_ORDERS:
        changes["ties"] = ties
    if missing is not None:
        changes["missing_query"] = missing
    if relevance is not None:
        changes["relevant_from"] = relevance
    return changes


def changed_profile(key: str, changes: "Mapping[str, ConventionSetting]") -> "Profile":
    """The profile with this key and some conventions changed; an unknown key is a usage error."""
    from shrec_viewer.metrics import with_conventions

    return with_conventions(require_profile(key), changes)
