"""Requests: the options of a chart or table, each declared once as a field of a frozen record."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Self, get_args, get_origin, get_type_hints

#: Lower and upper limit.
Range = tuple[float, float]


@dataclass(frozen=True)
class Option:
    """What an option means and which values it takes; the type and the default are those of its field.

    Attributes
    ----------
    label : of its control in a panel; "" for an option without a control.
    help : of the command line.
    choices : text of each value, in the order shown; None for any value of the type.
    low, high : limits of a number; None for no limit.
    step : of a number, of its control.
    unit : of a number, shown after it.
    metavar : placeholder of the value on the command line, ``"KEY"``.
    name : on the command line, without hyphens; "" for the name of the field.
    table_name : the same for the command ``table``, where it differs.
    table_default : default of the command ``table``, where it is not that of the field; None for the same.
    of : commands that have the option, ``"figure"`` and ``"table"``; () for all that make the content.
    tip : tooltip of the control; "" for `label`.
    follows : what of the session sets the option in a panel, a key of `SELECTED`; "" for an option that the user sets
        in the panel itself.
    """

    label: str = ""
    help: str = ""
    choices: Mapping[Any, str] | None = None
    low: float | None = None
    high: float | None = None
    step: float = 1
    unit: str = ""
    metavar: str = ""
    name: str = ""
    table_name: str = ""
    table_default: Any = None
    of: tuple[str, ...] = ()
    tip: str = ""
    follows: str = ""


#: What of a session an option can follow: the shown measure; the visible runs; the selected run, as the only one or
#: highlighted among others; runs A and B; run B; the selected query; the same, or the mean over the queries; which of
#: these scores are of, and whether the mean is over classes; the slice over which this mean is; the selected model and
#: rank; the groups of runs; the camera of the collection; and the cause and the models to which the views are
#: restricted.
SELECTED = (
    "measure", "runs", "run", "highlight", "pair", "compared", "query", "curve query", "scores of", "slice", "model",
    "rank", "groups", "camera", "cause", "within",
)  # fmt: skip


def option(
    default: Any,
    label: str = "",
    choices: Mapping[Any, str] | Sequence[Any] | None = None,
    *,
    help: str = "",  # as click calls it
    low: float | None = None,
    high: float | None = None,
    step: float = 1,
    unit: str = "",
    metavar: str = "",
    name: str = "",
    table_name: str = "",
    table_default: Any = None,
    of: tuple[str, ...] = (),
    tip: str = "",
    follows: str = "",
) -> Any:
    """A field of a `Request`; see `Option`. Choices without texts are shown as they are."""
    texts = choices if choices is None or isinstance(choices, Mapping) else {one: str(one) for one in choices}
    row = Option(label, help, texts, low, high, step, unit, metavar, name, table_name, table_default, of, tip, follows)
    return field(default=default, metadata={"option": row})


@dataclass(frozen=True)
class OptionField:
    """A field of a request with its type.

    Attributes
    ----------
    name : of the field.
    option : its declaration.
    default : its default.
    kind : type of one value: ``str``, ``int``, ``float`` or ``bool``.
    repeated : whether the value is a tuple of any number of these.
    pair : whether the value is a `Range`.
    optional : whether None is a value.
    """

    name: str
    option: Option
    default: Any
    kind: type[Any]
    repeated: bool = False
    pair: bool = False
    optional: bool = False

    def argument(self, command: str) -> str:
        """Name on the command line of ``figure`` or ``table``, without leading hyphens."""
        name = self.option.table_name if command == "table" else ""
        return name or self.option.name or self.name.replace("_", "-")

    def default_of(self, command: str) -> Any:
        """Default of the option of ``figure`` or ``table``."""
        is_same = command != "table" or self.option.table_default is None
        return self.default if is_same else self.option.table_default

    def is_of(self, command: str) -> bool:
        """Whether a command has the option."""
        return command in self.option.of or not self.option.of

    @property
    def is_set_in_panel(self) -> bool:
        """Whether it has a control in a panel, and its value is stored with the panel."""
        return bool(self.option.label) and not self.option.follows

    def checked(self, value: Any) -> Any:
        """The value as the field takes it.

        Raises
        ------
        ValueError
            If it has another type, is no choice, or is outside of the limits; the text says which values are possible.
        """
        if value is None and self.optional:
            return None
        if self.repeated or self.pair:
            if not isinstance(value, list | tuple) or (self.pair and len(value) != 2):
                raise ValueError("not two numbers" if self.pair else "not a list")
            return tuple(self._checked(one) for one in value)
        return self._checked(value)

    def _checked(self, value: Any) -> Any:
        if self.kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        is_nan = isinstance(value, float) and math.isnan(value)
        if not isinstance(value, self.kind) or isinstance(value, bool) != (self.kind is bool) or is_nan:
            raise ValueError(f"{value!r} is not {TYPE_NAMES[self.kind]}")
        row = self.option
        if row.choices is not None and value not in row.choices and value != self.default:
            raise ValueError(f"{value!r} is none of {', '.join(map(str, row.choices))}")
        if (row.low is not None and value < row.low) or (row.high is not None and value > row.high):
            limits = [f"at least {row.low:g}"] if row.low is not None else []
            limits += [f"at most {row.high:g}"] if row.high is not None else []
            raise ValueError(f"{value} is not {' and '.join(limits)}")
        return value


TYPE_NAMES: Mapping[type, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True)
class Request:
    """What a chart or table shows: one field per option, made by `option`; the defaults show everything.

    Subclasses are frozen dataclasses. Their instances are compared by value and are hashable.
    """

    #: Key of the row of `CONTENT` that the request belongs to.
    kind: ClassVar[str] = ""

    @classmethod
    def options(cls) -> tuple[OptionField, ...]:
        """All options, in the order of their fields."""
        return _options(cls)  # type: ignore[arg-type]  # classes are hashable

    @property
    def fixed_options(self) -> tuple[str, ...]:
        """Options that the export dialog does not offer.

        They make no difference with the present values of others, or a panel fills others, such as the queries in the
        order on screen, depending on them.
        """
        return ()

    def arguments(self, command: str) -> tuple[str, ...]:
        """Arguments of the command ``figure`` or ``table`` after BENCHMARK that make the same request."""
        words: list[str] = []
        for row in self.options():
            value, name = getattr(self, row.name), f"--{row.argument(command)}"
            if value == row.default_of(command) or not row.is_of(command):
                continue
            if row.pair:
                words += [name, *(repr(float(number)) for number in value)]
            elif row.kind is bool:
                words.append(name if value else f"--no-{row.argument(command)}")
            else:
                # With "=", as names in files may begin with a hyphen.
                words += [f"{name}={one}" for one in (value if row.repeated else (value,))]
        return (self.kind, *words)

    def state(self) -> dict[str, Any]:
        """Options set in a panel that differ from their defaults, as plain values for projects and settings."""
        return {
            row.name: list(value) if isinstance(value, tuple) else value
            for row in self.options()
            if row.is_set_in_panel and (value := getattr(self, row.name)) != row.default
        }

    def with_state(self, state: Mapping[str, Any]) -> tuple[Self, dict[str, str]]:
        """The request with the options of `state` and the defaults of the others; and what is wrong, by option."""
        known = {row.name: row for row in self.options() if row.is_set_in_panel}
        values, wrong = {name: row.default for name, row in known.items()}, {}
        for name, value in self.current_state(state).items():
            if name not in known:
                wrong[name] = "unknown option"
                continue
            try:
                values[name] = known[name].checked(value)
            except ValueError as error:
                wrong[name] = str(error)
        return replace(self, **values), wrong

    @classmethod
    def current_state(cls, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """A state as `state` writes it, of one that a former version of the program wrote."""
        return state

    def with_values(self, **values: Any) -> Self:
        """The request with these values, which are checked.

        Raises
        ------
        ValueError
            If a value is not one of its option; the text names the option.
        """
        known = {row.name: row for row in self.options()}
        checked: dict[str, Any] = {}
        for name, value in values.items():
            try:
                checked[name] = known[name].checked(value)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from error
        return replace(self, **checked)


@cache
def _options(request: type[Request]) -> tuple[OptionField, ...]:
    types = get_type_hints(request)
    return tuple(
        _option_field(row.name, row.metadata["option"], row.default, types[row.name])
        for row in fields(request)
        if "option" in row.metadata
    )


def _option_field(name: str, row: Option, default: Any, hint: Any) -> OptionField:
    optional = get_origin(hint) is UnionType and NoneType in get_args(hint)
    if optional:
        (hint,) = (one for one in get_args(hint) if one is not NoneType)
    is_tuple = get_origin(hint) is tuple
    repeated = is_tuple and get_args(hint)[-1] is Ellipsis
    if is_tuple:
        hint = get_args(hint)[0]
    if get_origin(hint) is Literal:
        if row.choices is None:
            row = replace(row, choices={value: str(value) for value in get_args(hint)})
        hint = type(get_args(hint)[0])
    return OptionField(name, row, default, hint, repeated, is_tuple and not repeated, optional)


@dataclass(frozen=True)
class TableRequest(Request):
    """A request for a table, or for a chart that is also one: order and selection of the rows."""

    sort: str = option(
        "", of=("table",), metavar="COLUMN",
        help="Sort the rows; `-COLUMN`: in descending order. `random`: in an order that is the same each time.",
    )  # fmt: skip
    containing: str = option("", of=("table",), metavar="WORDS", help="Only rows that contain all words.")


def runs_option(*, follows: str = "") -> Any:
    """The field ``runs: tuple[str, ...]``; without names it means all runs."""
    return option(
        (), name="run", metavar="NAME", help="Only this run, in the order given; repeatable.", follows=follows
    )


def queries_option(*, follows: str = "") -> Any:
    """The field ``queries: tuple[str, ...]``; without ids it means all queries."""
    return option(
        (), name="query", metavar="ID", help="Only this query, in the order given; repeatable.", follows=follows
    )


def camera_option() -> Any:
    """The field ``camera: str``, of figures with images."""
    text = "Camera of images: `azimuth=30,elevation=20,up=Z`."
    return option("", metavar="SETTINGS", help=text, of=("figure",), follows="camera")


def measure_option() -> Any:
    """The field ``measure: str``; "" for the main one of the profile."""
    return option("", metavar="KEY", help="Measure; default: the main one of the profile.", follows="measure")


def slice_option() -> Any:
    """The field ``slice: str``; "" for all queries."""
    return option(
        "", metavar="NAME", follows="slice",
        help="Means over the queries of this slice, such as `class: chair`; the table `slices` lists all.",
    )  # fmt: skip


def measures_option() -> Any:
    """The field ``measures: tuple[str, ...]``; without keys it means all measures."""
    return option((), name="measure", metavar="KEY", help="Only this measure, in the order given; repeatable.")


@dataclass(frozen=True)
class QueryScoresRequest(TableRequest):
    """A request for the scores of runs for queries in one measure."""

    runs: tuple[str, ...] = runs_option()
    queries: tuple[str, ...] = queries_option()
    measure: str = measure_option()
