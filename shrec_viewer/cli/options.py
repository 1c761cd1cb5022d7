"""Arguments and options shared by commands, validation of their values, and the request that holds them."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, wraps
from importlib import import_module
from pathlib import Path
from shlex import quote
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast, get_args

import click

from shrec_viewer.cli.help import GroupedCommand
from shrec_viewer.cli.terminal import OutputPath, ResultFile, print_message
from shrec_viewer.formats.core.read_choices import (
    CELL_VALUES,
    COLUMNS_PATTERN,
    COLUMNS_TEXT,
    LIST_COLUMNS,
    MATRIX_ORDERS,
    METRICS,
    OTHER_METRIC_NAMES,
    QUERY_SOURCES,
    READ_OPTION_OF,
    TRUTH_COLUMNS_PATTERN,
    TRUTH_COLUMNS_TEXT,
)
from shrec_viewer.metrics.profiles.profile import MissingQuery, Ties

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from shrec_viewer.domain import Benchmark
    from shrec_viewer.formats.discovery.benchmark import BenchmarkParts
    from shrec_viewer.formats.io.parse_cache import ParseCache
    from shrec_viewer.metrics import Profile
    from shrec_viewer.metrics.profiles.conventions import ConventionSetting

Command = TypeVar("Command", bound=Callable[..., Any])
Request = TypeVar("Request")

#: Words that a shell offers.
Completions: TypeAlias = "list[CompletionItem[str]]"

#: Changed conventions by field of the profile.
ConventionChanges: TypeAlias = "Mapping[str, ConventionSetting]"


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


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Suggestion to append to a message: the most similar known name, or ""."""
    folded = {name.casefold(): name for name in known}
    similar = get_close_matches(word.casefold(), list(folded), n=1, cutoff=0.6)
    return f"; do you mean '{folded[similar[0]]}'?" if similar else ""


class Choice(click.Choice):  # type: ignore[type-arg]  # generic since click 8.2
    """One of several words; the error about another one names the most similar.

    Parameters
    ----------
    other_names : words by other names, which are accepted, too.
    hints : ends of the message about other words.
    """

    def __init__(
        self,
        choices: Iterable[Any],
        other_names: Mapping[str, str] | None = None,
        *,
        case_sensitive: bool = True,
        hints: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(list(choices), case_sensitive)
        self._other_names, self._hints = other_names or {}, hints or {}

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "Completions":
        """Words that begin with a word."""
        return completions(map(str, self.choices), incomplete)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word."""
        try:
            return super().convert(self._other_names.get(value, value), param, ctx)
        except click.BadParameter as error:
            hint = self._hints.get(value) or did_you_mean(str(value), self.choices)
            self.fail(f"{error.message.rstrip('.')}{hint}", param, ctx)


# ── values ───────────────────────────────────────────────────────────────────────────────────────────────────────────


#: Environment variable in which a shell requests completions, by the convention of click.
INSTRUCTION = "_SHREC_VIEWER_COMPLETE"


def completions(names: Iterable[str], incomplete: str) -> "Completions":
    """Names that begin with a word, for shells, which take one line each; for bash in quotes where it needs them."""
    from click.shell_completion import CompletionItem

    found = [name for name in names if name.startswith(incomplete) and name.isprintable()]
    is_bash = os.environ.get(INSTRUCTION, "").startswith("bash")
    return [CompletionItem(quote(name) if is_bash else name) for name in found]


#: Seconds for reading a benchmark, after which its runs are completed by their files: no key works meanwhile.
READ_S = 2.0


class NameInBenchmark(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """Parameter type of a name in BENCHMARK, which is checked when that was read.

    Parameters
    ----------
    what : ``runs``, ``queries`` or ``models``.
    """

    name = "text"

    def __init__(self, what: str) -> None:
        self._what = what

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "Completions":
        """Names in the benchmark of the same line that begin with a word; Cancelled if reading takes too long."""
        from shrec_viewer.domain import Cancelled
        from shrec_viewer.formats.discovery.benchmark import names_of_run_files, read_benchmark

        end = monotonic() + READ_S
        path, parts = resolve_path(ctx.params["benchmark"]), benchmark_parts({"profile": None, **ctx.params})
        try:
            found = read_benchmark(path, parts, cancelled=lambda: monotonic() > end, cache=parse_cache())
        except Cancelled:
            if self._what != "runs":
                raise
            return completions(names_of_run_files(path, parts), incomplete)
        names = {"runs": [run.name for run in found.runs], "queries": found.queries.ids, "models": found.collection.ids}
        return completions(names[self._what], incomplete)


def parse_cache() -> "ParseCache":
    """The cache of parsed text files, shared with the window; no file is accessed until it is used."""
    from platformdirs import user_cache_path

    from shrec_viewer.formats.io.parse_cache import ParseCache

    return ParseCache(user_cache_path("shrec-viewer", appauthor=False) / "parsed")


RUN, QUERY, MODEL = map(NameInBenchmark, ("runs", "queries", "models"))


class ColumnRoles(Choice):
    """Parameter type of columns.

    Parameters
    ----------
    values : those that are completed.
    pattern, text : of valid columns, and what these are in words.
    """

    def __init__(self, values: Sequence[str], pattern: str, text: str) -> None:
        super().__init__(values)
        self._pattern, self._text = pattern, text

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text, if it is valid."""
        if re.search(self._pattern, value) is None:
            self.fail(f"'{value}' is none of: {self._text}", param, ctx)
        return str(value)


class OrderOrList(Choice):
    """Parameter type of one of MATRIX_ORDERS, or of a list of ids, as an absolute path."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The order or the path; other words are a usage error."""
        if value in self.choices:
            return str(value)
        if not os.path.isfile(value):
            near = did_you_mean(value, self.choices)
            self.fail(f"'{value}' is neither {', '.join(self.choices)} nor a file with ids{near}", param, ctx)
        return os.path.abspath(value)


class KnownName(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """Parameter type of a name that is looked up in a table; an unknown one is a usage error.

    Parameters
    ----------
    find : the value of a name; its KeyError, or its `ShrecViewerError`, is the message.
    hint : where the known names are listed.
    names : the names that shells complete.
    module : what both functions get as the first argument: a module of this package, which is imported on use.
    """

    name = "text"

    def __init__(
        self, find: Callable[[Any, str], Any], hint: str, names: Callable[[Any], Iterable[str]], module: str = "metrics"
    ) -> None:
        self._find, self._hint, self._names, self._module = find, hint, names, f"shrec_viewer.{module}"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "Completions":
        """Known names that begin with a word."""
        return completions(self._names(import_module(self._module)), incomplete)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See `find`."""
        return self.find(value)

    def find(self, name: str) -> Any:
        """The value of a name; raises `UnknownNameError`."""
        from shrec_viewer.domain import ShrecViewerError

        try:
            return self._find(import_module(self._module), name)
        except (KeyError, ShrecViewerError) as error:
            raise UnknownNameError(str(error), self._hint) from error


#: Value of ``--measure`` for the measures of the profile and then all others.
ALL_MEASURES = "all"


EXPRESSION_HINT = "`shrec-viewer measures` lists the functions of virtual runs"

MEASURES_HINT = "`shrec-viewer measures` lists all keys"


def _measure_names(metrics: Any) -> list[str]:
    return [row.name for row in metrics.measure_table()]


MEASURE = KnownName(lambda metrics, key: metrics.find_measure(key).key, MEASURES_HINT, _measure_names)
MEASURE_OR_ALL = KnownName(
    lambda metrics, key: key if key == ALL_MEASURES else metrics.find_measure(key).key,
    MEASURES_HINT,
    lambda metrics: [*_measure_names(metrics), ALL_MEASURES],
)
CURVE = KnownName(
    lambda metrics, key: metrics.find_curve(key) and key,
    "`shrec-viewer measures` lists all curves",
    lambda metrics: [row.key for row in metrics.curve_table()],
)


def _find_profile(metrics: Any, key: str) -> "Profile":
    """The profile of a key, or of a name under which it was saved in the window."""
    try:
        return cast("Profile", metrics.find_profile(key))
    except KeyError:
        if (saved := saved_profiles().get(key)) is None:
            raise
        return saved


def saved_profiles() -> "dict[str, Profile]":
    """The profiles that were saved under names in the window; without those of plug-ins that are not installed."""
    from shrec_viewer.app.startup.settings import SettingsFile, settings_path
    from shrec_viewer.metrics import find_profile

    found = {}
    for name, key in SettingsFile(settings_path()).read().profile_names.items():
        with suppress(KeyError):
            found[name] = find_profile(key)
    return found


PROFILE = KnownName(
    _find_profile,
    "`shrec-viewer profiles` lists all keys",
    lambda metrics: metrics.PROFILE_KEYS,
)
CONVENTION = KnownName(
    lambda metrics, text: metrics.parse_convention(text),
    "`shrec-viewer profiles` lists the conventions",
    lambda metrics: [f"{row.field}=" for row in metrics.CONVENTIONS],
)
#: Parameter types of names; values are canonical keys, the key as given, a `Profile`, field and value, and the text.
EXPRESSION = KnownName(
    lambda virtual_runs, text: virtual_runs.parse_virtual_run(text) and text,
    EXPRESSION_HINT,
    lambda virtual_runs: [f"{row.key}(" for row in virtual_runs.VIRTUAL_RUNS],
    "evaluation.virtual_runs",
)


def measures_to_compute(keys: Sequence[str]) -> tuple[Sequence[str] | None, tuple[str, ...]]:
    """The keys of ``--measure`` as the arguments `measures` and `extra_measures` of `evaluate`."""
    if ALL_MEASURES not in keys:
        return keys or None, ()
    from shrec_viewer.metrics import measure_table

    return None, (*(key for key in keys if key != ALL_MEASURES), *(row.name for row in measure_table()))


def complete_benchmark(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> "Completions":
    """Files and folders, by the shell, and the name of the bundled benchmark."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file"), *completions([DEMO], incomplete)]


#: Name of the bundled benchmark as an argument; a folder of that name is ``./demo``.
DEMO = "demo"


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
    from shrec_viewer.domain import ShrecViewerError
    from shrec_viewer.resources import resource

    try:
        return resource("demo")
    except FileNotFoundError as error:
        raise ShrecViewerError(str(error)) from error


# ── requests ─────────────────────────────────────────────────────────────────────────────────────────────────────────


FORMATS = ("table", "csv", "json", "latex", "markdown")

#: Default of ``--format`` by the suffix of ``--output``.
FORMAT_OF_SUFFIX = {".csv": "csv", ".json": "json", ".tex": "latex", ".md": "markdown"}

#: Suffixes of formats of other programs, which would refuse or misread a table of text.
UNWRITABLE_SUFFIXES = (".xlsx", ".xls", ".ods", ".docx", ".odt", ".pdf", ".html", ".tsv")


def format_of_suffix(output: Path | None, formats: Mapping[str, str]) -> str:
    """The format of a name by its suffix, else a table; a usage error for those of other programs."""
    suffix = output.suffix.lower() if output else ""
    if suffix in UNWRITABLE_SUFFIXES and suffix not in formats:
        known = ", ".join(formats)
        raise click.UsageError(f"no {suffix} can be written: use a name that ends in {known}, or --format")
    return formats.get(suffix, "table")


@dataclass(frozen=True, kw_only=True, eq=False)
class BenchmarkRequest:
    """What a command reads and writes, by names of arguments and options; None: not given.

    Attributes
    ----------
    benchmark : the argument BENCHMARK.
    parts : parts of the benchmark at other paths, and how runs are read.
    form : format of the result.
    output : file or folder of the result.
    force : whether an input may be replaced by the output.
    jobs : number of processor cores; None for all.
    scheduler : address of a Dask scheduler, or ``local:N``.
    profile : None for that of the benchmark.
    ties, missing, relevance, convention : changed conventions; `ties` may also be one of `EXTREME_TIE_ORDERS`.
    edits : file with edits of the assessment.
    virtual : expressions of virtual runs.
    """

    benchmark: str
    parts: "BenchmarkParts"
    form: str | None = None
    output: Path | None = None
    force: bool = False
    jobs: int | None = None
    scheduler: str | None = None
    profile: "Profile | None" = None
    ties: str | None = None
    missing: str | None = None
    relevance: int | None = None
    convention: "tuple[tuple[str, ConventionSetting], ...]" = ()
    edits: Path | None = None
    virtual: tuple[str, ...] = ()

    @cached_property
    def path(self) -> Path:
        """Path of the benchmark; a usage error with a suggestion if it does not exist."""
        return resolve_path(self.benchmark)

    @property
    def folder(self) -> str:
        """Name of the benchmark, the location of findings about all of it."""
        return self.path.resolve().name

    @property
    def outputs(self) -> tuple[Path | None, ...]:
        """Files and folders to write, which may not be inputs."""
        return (self.output,)

    @property
    def result_format(self) -> str:
        """The format of the result: that of ``--format``, else by the suffix of ``--output``, else a table."""
        return self.form or format_of_suffix(self.output, FORMAT_OF_SUFFIX)

    @property
    def n_jobs(self) -> int:
        """Number of threads or processes."""
        from shrec_viewer.evaluation.parallel.local import available_cores

        return self.jobs or available_cores()

    @property
    def changes(self) -> ConventionChanges:
        """Changed conventions by field of the profile."""
        changes = dict(self.convention)
        if self.ties in TIE_ORDERS:
            changes["ties"] = self.ties
        if self.missing is not None:
            changes["missing_query"] = self.missing
        if self.relevance is not None:
            changes["relevant_from"] = self.relevance
        return changes

    @property
    def profile_text(self) -> str | None:
        """Key of the profile with the changed conventions, for the window; without a profile, of these alone."""
        from shrec_viewer.metrics.profiles.conventions import value_key

        changes = [f"+{field}={value_key(value)}" for field, value in self.changes.items()]
        return "".join([self.profile.key if self.profile else "", *changes]) or None

    def profile_for(self, benchmark: "Benchmark") -> "Profile":
        """The profile, or that of the benchmark, with the changed conventions."""
        from shrec_viewer.metrics import with_conventions

        return with_conventions(self.profile or PROFILE.find(benchmark.profile), self.changes)


# ── options ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def options(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """One decorator for several arguments and options, in the order of the help."""

    def with_options(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return with_options


ADD = "--add"


def with_repeated_add(arguments: Sequence[str]) -> list[str]:
    """Arguments with ``--add A --add B`` for ``--add A B``: click has no options with any number of values.

    Only existing files count as further values, as other arguments may follow, and only after BENCHMARK.

    Parameters
    ----------
    arguments : command, BENCHMARK (the command ``demo`` has none) and all that follows; unchanged if an option follows
        the command.
    """
    if arguments[:1] != [DEMO] and (len(arguments) < 2 or arguments[1].startswith("-")):
        return list(arguments)
    result: list[str] = []
    option = ""
    for word in arguments:
        if word.startswith("-"):
            option = word
        elif option == ADD and result[-1] != ADD and os.path.exists(word):
            result.append(ADD)
        result.append(word)
    return result


#: Options for parts of a benchmark at other paths: name, metavar, description.
PART_OPTIONS = (
    ("classification", "FILE", "Class tree (.cla) of the collection"),
    ("queries", "PATH", "Queries, or their class tree"),
    ("assessment", "FILE", "Relevance assessment (qrels)"),
    ("models", "FOLDER", "Models of the collection"),
    ("runs", "PATH", "Runs"),
)


def benchmark_parts(options: dict[str, Any]) -> "BenchmarkParts":
    """The values of `part_options` as arguments of the readers; removes them from the options."""
    from shrec_viewer.formats.core.read_options import ReadOptions
    from shrec_viewer.formats.discovery.benchmark import BenchmarkParts

    read_options = ReadOptions(**{field: options.pop(name) for name, field in READ_OPTION_OF.items()})
    added, published = (tuple(path.absolute() for path in options.pop(name)) for name in ("add", "published"))
    parts = {name: options.pop(name) for name, _, _ in PART_OPTIONS}
    parts |= {"truth_columns": options.pop("truth_columns")}
    profile = options["profile"] and options["profile"].key
    return BenchmarkParts(**parts, added=added, published=published, read_options=read_options, profile=profile)


existing_path = click.Path(exists=True, path_type=Path)
existing_file = click.Path(exists=True, dir_okay=False, path_type=Path)

#: Decorator that adds options for parts at other paths, further runs and for reading runs.
part_options = options(
    *(
        click.option(f"--{name}", type=existing_path, metavar=metavar, help=f"{text}, if not in BENCHMARK.")
        for name, metavar, text in PART_OPTIONS
    ),
    click.option(
        "--truth-columns",
        type=ColumnRoles((), TRUTH_COLUMNS_PATTERN, TRUTH_COLUMNS_TEXT),
        metavar="COLUMNS",
        multiple=True,
        help=f"Columns of tables of --assessment, --classification and --queries: {TRUTH_COLUMNS_TEXT}.",
    ),
    click.option(
        "--order",
        type=OrderOrList(MATRIX_ORDERS),
        help="Order of the rows and columns of matrices, or a file that lists their ids.",
    ),
    click.option(
        "--list-columns",
        type=ColumnRoles(LIST_COLUMNS, COLUMNS_PATTERN, COLUMNS_TEXT),
        metavar="COLUMNS",
        help=f"Columns of rank lists and tables: {COLUMNS_TEXT}.",
    ),
    click.option(
        "--matrix-cells",
        type=Choice(CELL_VALUES),
        help="Cells of matrices: distances (or ranks), model numbers, best first, or feature vectors, one a row.",
    ),
    click.option(
        "--metric",
        type=Choice(METRICS, OTHER_METRIC_NAMES),
        help="Metric of feature vectors; Euclidean (l2) by default.",
    ),
    click.option(
        "--query-line/--no-query-line",
        default=None,
        help="Whether the first line of each rank list is the name of its query, not a model.",
    ),
    click.option(
        "--similarity/--distance", default=None, help="Whether the numbers of runs are similarities or distances."
    ),
    click.option(
        "--queries-by",
        type=Choice(QUERY_SOURCES),
        help="Query of each row or list: as order, ids and file names say, or the model nearest to it.",
    ),
    click.option(
        ADD,
        type=existing_path,
        metavar="FILE...",
        multiple=True,
        help="Runs beside those of BENCHMARK: files, folders, archives. With --add or --runs, options for reading "
        "apply to these runs alone.",
    ),
    click.option(
        "--published",
        type=existing_file,
        metavar="FILE",
        multiple=True,
        help="Published scores, shown beside: a table with a row per run or method, a column per measure; repeatable.",
    ),
)


#: Values of ``--ties`` that are not conventions: they show how far scores depend on the order of equal distances.
EXTREME_TIE_ORDERS = ("optimistic", "pessimistic", "range")

TIE_ORDERS = get_args(Ties)


def convention_options(*, extreme_ties: bool = False) -> Callable[[Command], Command]:
    """Decorator that adds options for the profile and single conventions.

    Parameters
    ----------
    extreme_ties : whether ``--ties`` also accepts `EXTREME_TIE_ORDERS`.
    """
    extreme = ", optimistic, pessimistic, range. The last three: best, worst for the run, lowest and highest mean"
    return options(
        click.option(
            "--profile",
            type=PROFILE,
            metavar="KEY",
            help="Conventions; see `shrec-viewer profiles`, or a name saved in the window.",
        ),
        click.option(
            "--ties",
            type=Choice((*TIE_ORDERS, *EXTREME_TIE_ORDERS) if extreme_ties else TIE_ORDERS),
            metavar="ORDER",
            help=f"Order of equal distances: {', '.join(TIE_ORDERS)}{extreme if extreme_ties else ''}.",
        ),
        click.option(
            "--missing",
            type=Choice(get_args(MissingQuery)),
            help="Missing queries: score 0, exclude, common only.",
        ),
        click.option("--relevance", type=click.IntRange(1), metavar="LEVEL", help="Lowest relevant level."),
        click.option(
            "--convention",
            type=CONVENTION,
            metavar="NAME=VALUE",
            multiple=True,
            help="Any other convention, such as self_match=keep. Repeatable; see `shrec-viewer profiles`.",
        ),
    )


#: Decorator that adds options for edits of the assessment and virtual runs.
edit_options = options(
    click.option(
        "--edits",
        type=existing_file,
        metavar="FILE",
        help="Qrels that replace these pairs of the assessment. Or edits saved by the window (.json).",
    ),
    click.option(
        "--virtual",
        type=EXPRESSION,
        metavar="EXPRESSION",
        multiple=True,
        help='Add a run computed from others, such as "rrf(A1,B2)". See `shrec-viewer measures`; repeatable.',
    ),
)


def benchmark_command(
    name: str,
    request: Callable[..., Request],
    *,
    cls: type[GroupedCommand] = GroupedCommand,
    extreme_ties: bool = False,
    **settings: Any,
) -> Callable[[Callable[[Request], int]], GroupedCommand]:
    """Decorator that makes a command with the argument BENCHMARK, and what every such command takes.

    Its arguments and options are one record, with fields of their names: those of conventions, input and reading, in
    which the parts of the benchmark are `parts`, and those of decorators below this one.

    Parameters
    ----------
    request : makes the record; `BenchmarkRequest`, a subclass, or ``dict``.
    extreme_ties : as of `convention_options`.
    cls, settings : arguments of `click.command`.
    """
    added = options(
        click.argument("benchmark", metavar="BENCHMARK", shell_complete=complete_benchmark),
        convention_options(extreme_ties=extreme_ties),
        edit_options,
        part_options,
        click.option("--jobs", type=click.IntRange(1), metavar="N", help="Processor cores to use; default: all."),
    )

    def decorate(command: Callable[[Request], int]) -> GroupedCommand:
        @wraps(command)
        def from_options(**options: Any) -> int:
            return command(request(parts=benchmark_parts(options), **options))

        return click.command(name, cls, **settings)(added(from_options))

    return decorate


def run_option(text: str) -> Callable[[Command], Command]:
    """Decorator that adds ``--run``; `text` is its help."""
    return click.option("--run", type=RUN, metavar="NAME", multiple=True, help=text)


def measure_option(text: str, *, multiple: bool = False, has_all: bool = False) -> Callable[[Command], Command]:
    """Decorator that adds ``--measure``; `text` is its help, `has_all` whether `ALL_MEASURES` is a value."""
    kind = MEASURE_OR_ALL if has_all else MEASURE
    return click.option("--measure", type=kind, metavar="KEY", multiple=multiple, help=text)


scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Work on the workers of a Dask scheduler, or on N new ones: `local:N`. Requires the extra `cluster`.",
)

#: Decorator of each command with a path among `BenchmarkRequest.outputs`.
force_option = click.option("--force", is_flag=True, help="Write the output even if it is an input.")

#: Decorator that adds ``--output`` of a file, and ``--force``.
output_option = options(
    click.option("--output", type=ResultFile(), metavar="FILE", help="Write to FILE instead of standard output."),
    force_option,
)


def output_folder_option(text: str) -> Callable[[Command], Command]:
    """Decorator that adds ``--output`` of a folder, which is required; `text` is its help."""
    kind = OutputPath(file_okay=False, path_type=Path)
    return click.option("--output", type=kind, metavar="DIR", required=True, help=text)


def format_option(formats: Sequence[str], text: str, **settings: Any) -> Callable[[Command], Command]:
    """Decorator that adds ``--format``; `text` is its help."""
    return click.option("--format", "form", type=Choice(formats), help=text, **settings)


#: Decorator that adds ``--format`` and ``--output``; see `BenchmarkRequest.result_format`.
output_options = options(
    format_option(FORMATS, "Output format; default: by the suffix of --output, else table."), output_option
)
