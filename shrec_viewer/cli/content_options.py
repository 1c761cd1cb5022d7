"""Options of the commands figure and table, made of the requests of all charts and tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from shrec_viewer.cli.benchmark import compute_scores, require_names, require_runs_to_evaluate
from shrec_viewer.cli.help import GroupedCommand
from shrec_viewer.cli.options import (
    CURVE,
    MEASURE,
    MODEL,
    QUERY,
    RUN,
    BenchmarkRequest,
    Choice,
    KnownName,
    NameInBenchmark,
)
from shrec_viewer.cli.terminal import print_message
from shrec_viewer.content.contents import FIGURES, TABLES, Content
from shrec_viewer.content.data import ContentData, slices_of
from shrec_viewer.content.request import OptionField, Request

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.render.scene.palette import RunStyle


def rows_of(command: str) -> Mapping[str, Content]:
    """Charts of the command ``figure``, tables of ``table``, by key."""
    return FIGURES if command == "figure" else TABLES


def kinds_help(command: str) -> str:
    """Lines of a help text: key and title of each chart or table."""
    rows = rows_of(command).values()
    width = max(len(row.key) for row in rows)
    return "\n".join(f"  {row.key:<{width}}  {row.title[:1].lower()}{row.title[1:]}" for row in rows)


def _fields(command: str) -> dict[str, list[tuple[str, OptionField]]]:
    """Kinds that have an option, and its field there, by the name of the option."""
    found: dict[str, list[tuple[str, OptionField]]] = {}
    for key, row in rows_of(command).items():
        for field in row.request.options():
            if field.is_of(command):
                found.setdefault(field.argument(command), []).append((key, field))
    return found


class ContentCommand(GroupedCommand):
    """The command ``figure`` or ``table``: with a kind, ``--help`` describes the options of that kind."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the kind for the help, which is printed before arguments are parsed."""
        ctx.obj = next((word for word in reversed(args) if word in self._rows), None)
        return super().parse_args(ctx, args)

    def introduction(self, ctx: click.Context) -> str:
        """See `GroupedCommand`; the kind that was given, instead of all."""
        text = super().introduction(ctx).partition(". ")[0]
        if ctx.obj is None:
            return f"{text}.\n\nKIND, described by --help-all, is one of {', '.join(self._rows)}."
        return f"{text}.\n\n{ctx.obj}: {self._rows[ctx.obj].title}."

    def option_text(self, ctx: click.Context, option: click.Option) -> str | None:
        """See `GroupedCommand`; without a kind, of options that most kinds have, else of those of the kind."""
        name = option.name or ""
        if not name.startswith(PREFIX):
            return super().option_text(ctx, option)
        fields = dict(_fields(self.name or "")[name.removeprefix(PREFIX).replace("_", "-")])
        if ctx.obj is None:
            return super().option_text(ctx, option) if _is_general([*fields.items()], len(self._rows)) else None
        return fields[ctx.obj].option.help if ctx.obj in fields else None

    @property
    def _rows(self) -> Mapping[str, Content]:
        return rows_of(self.name or "")


#: Types of options by the name of the field.
TYPES: Mapping[str, KnownName | NameInBenchmark] = {
    **dict.fromkeys(("runs", "highlight", "baseline", "sort_run", "compared"), RUN),
    **dict.fromkeys(("queries", "query", "sort_query", "mean_of"), QUERY),
    **dict.fromkeys(("models", "model"), MODEL),
    **dict.fromkeys(("measures", "measure", "slice_measure"), MEASURE),
    "curve": CURVE,
}

#: Begins the names of parameters that are options of a kind.
PREFIX = "content_"


def content_options(command: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator that adds the options of all charts or tables; an option of several of them is one option."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for name, fields in reversed(_fields(command).items()):
            function = _click_option(name, fields, len(rows_of(command)))(function)
        return function

    return decorate


def _click_option(
    name: str, fields: Sequence[tuple[str, OptionField]], kinds: int
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    parameter, text = f"{PREFIX}{name.replace('-', '_')}", _help(fields, kinds)
    _, first = fields[0]
    if first.kind is bool:
        return click.option(f"--{name}/--no-{name}", parameter, default=None, help=text)
    metavar = next((field.option.metavar for _, field in fields if field.option.metavar), None)
    if first.pair:
        return click.option(f"--{name}", parameter, type=float, nargs=2, metavar=metavar, help=text)
    choices = [str(choice) for _, field in fields for choice in field.option.choices or () if choice != ""]
    has_choices = all(field.option.choices is not None for _, field in fields)
    kind: Any = TYPES.get(first.name, first.kind)
    if has_choices and first.kind is str:
        kind = Choice(list(dict.fromkeys(choices)))
    # Repeated where it is so for one of the kinds; `requested` refuses several values for the others.
    return click.option(f"--{name}", parameter, type=kind, metavar=metavar, multiple=True, help=text)


def _help(fields: Sequence[tuple[str, OptionField]], kinds: int) -> str:
    """Help of an option, with the kinds that have it unless most of them do."""
    texts: dict[str, list[str]] = {}
    for key, field in fields:
        texts.setdefault(field.option.help, []).append(key)
    is_general = _is_general(fields, kinds)
    return " ".join(text if is_general else f"{', '.join(keys)}: {text}" for text, keys in texts.items())


def _is_general(fields: Sequence[tuple[str, OptionField]], kinds: int) -> bool:
    """Whether an option means the same for all kinds that have it, which are most of them."""
    return len({field.option.help for _, field in fields}) == 1 and 2 * len(fields) > kinds


def requested(command: str, kind: str, options: dict[str, Any]) -> Request:
    """The request of a kind with the given options, which are removed from `options`.

    Raises
    ------
    click.UsageError
        If a value is not one of the option, or several are given where one is shown.
    UnknownNameError
        If there is no measure or curve of a given key.
    """
    row = rows_of(command)[kind]
    names = {field.argument(command): field for field in row.request.options() if field.is_of(command)}
    others = _fields(command)
    values: dict[str, Any] = {field.name: field.default_of(command) for field in names.values()}
    for parameter in [key for key in options if key.startswith(PREFIX)]:
        given, name = options.pop(parameter), parameter.removeprefix(PREFIX).replace("_", "-")
        if given in (None, ()):
            continue
        if name not in names:
            _, field = others[name][0]
            _require_valid(field, given)
            print_message(f"--{name} was not used: {kind} has no such option")
            continue
        field = names[name]
        values[field.name] = _value(name, kind, field, given)
    try:
        return row.request().with_values(**values)
    except ValueError as error:
        name, _, text = str(error).partition(": ")
        field = next(field for field in names.values() if field.name == name)
        raise click.UsageError(f"--{field.argument(command)}: {text}") from error


def _value(name: str, kind: str, field: OptionField, given: Any) -> Any:
    _require_valid(field, given)
    if not field.repeated and not field.pair and field.kind is not bool:
        if len(given) > 1:
            raise click.UsageError(f"--{name} was given {len(given)} times: {kind} takes one")
        (given,) = given
    return given


def _require_valid(field: OptionField, given: Any) -> None:
    """Raise a usage error if one of the values of ``--camera`` is none."""
    for one in given if field.name == "camera" else ():
        _require_camera(one)


def named_runs(request: Request) -> list[str]:
    """Names of runs in a request, which the benchmark must have."""
    names: list[str] = list(getattr(request, "runs", ()))
    names += [getattr(request, name) for name in ("highlight", "sort_run", "compared") if getattr(request, name, "")]
    baseline = getattr(request, "baseline", "")
    return names if baseline in ("", "mean") else [*names, baseline]


def require_ids(request: Request, benchmark: "Benchmark") -> None:
    """Raise `UnknownNameError` if the benchmark lacks a query or model of a request."""
    queries = [name for of in ("queries", "mean_of") for name in getattr(request, of, ())]
    queries += [getattr(request, of, "") for of in ("query", "sort_query")]
    require_names("query", filter(None, queries), benchmark.queries.ids, "queries")
    models = [*getattr(request, "models", ()), getattr(request, "model", "")]
    require_names("model", filter(None, models), benchmark.collection.ids)


def styles_of_options(texts: Sequence[str]) -> "dict[str, RunStyle]":
    """Styles by name of the run, of ``--style``."""
    from shrec_viewer.render.scene.palette import DASHES, MARKERS, style_of_text

    styles = {}
    for text in texts:
        found = style_of_text(text)
        if found is None:
            parts = f"a dash ({', '.join(DASHES)}) and a marker ({', '.join(MARKERS)})"
            raise click.UsageError(f"--style: '{text}' is not RUN=#RRGGBB, with or without {parts}")
        styles[found[0]] = found[1]
    return styles


def _require_camera(text: str) -> None:
    from shrec_viewer.content.images import camera_settings

    if camera_settings(text) is None:
        raise click.UsageError(
            f"--camera: '{text}' is not azimuth=DEGREES, elevation=DEGREES, up=Y|Z, zoom=NUMBER, right=NUMBER, "
            "upward=NUMBER, projection=perspective|parallel or fit=sphere|tight, with commas between them"
        )


def with_scores(data: ContentData, request: Request, source: BenchmarkRequest) -> ContentData:
    """The data with the scores of all runs: baselines, orders and means depend on those that are not shown."""
    require_runs_to_evaluate(data.benchmark)
    named = (getattr(request, name, "") for name in ("measure", "slice_measure"))
    measures = [*getattr(request, "measures", ()), *filter(None, named)]
    data = replace(data, scores=compute_scores(source, data.benchmark, data.profile, measures=measures))
    one = (getattr(request, name, "") for name in ("slice", "within"))
    names = [*getattr(request, "slices", ()), *filter(None, one)]
    require_names("slice", names, [one.name for one in slices_of(data)] if names else ())
    return data
