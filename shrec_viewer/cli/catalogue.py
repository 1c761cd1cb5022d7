"""The measures, profiles and plugins commands."""

from collections.abc import Collection, Iterable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from shrec_viewer import __version__
from shrec_viewer.cli.options import UnknownNameError, require_profile
from shrec_viewer.cli.tables import OutputColumn, csv_table, plain_table
from shrec_viewer.cli.terminal import is_terminal, write_result
from shrec_viewer.plugins import load_plugins

if TYPE_CHECKING:
    from shrec_viewer.metrics import Convention, Curve, Measure, Profile

ListingEntry = tuple[str, str, Sequence[str]]
"""Key, label and description lines."""

NamedMeasure = tuple[str, str, "Measure"]
"""Key and label with level and cut-off, and the row of `MEASURES`."""

MAX_WIDTH = 100
"""Width of listings in characters: in a pipe, and at most on a terminal; longer lines are hard to read."""

PROFILE_TEXT_FIELDS = ("key", "title", "source", "description", "measures", "headline", "curves")
"""Fields of `Profile` that are not conventions."""

PLUGIN_FIELDS = ("group", "key", "label", "package", "version")
"""Fields of a plug-in row that are listed."""

FORMATS = ("table", "csv", "json")

CSV_COLUMNS = (
    "kind", "key", "label", "better", "low", "high", "takes_level", "takes_cutoff", "x_label", "y_label", "definition",
    "formula", "source",
)  # fmt: skip
"""Columns of the CSV of measures and curves; those that a row does not have are empty."""

format_option = click.option(
    "--format", "form", type=click.Choice(FORMATS), default="table", help="table, csv or json."
)


@click.command("measures", short_help="List measures and curves with definition and source.")
@click.argument("keys", metavar="[KEY]...", nargs=-1)
@format_option
def measures_command(keys: tuple[str, ...], form: str) -> int:
    """List every measure and curve with its definition, formula and source; with KEY only that one.

    A key may be followed by a relevance level and a cut-off: `AP(rel=2)` counts highly relevant models only, `P@10`
    evaluates the first ten ranks, `P(rel=2)@10` does both.
    """
    from shrec_viewer.metrics import curve_table, measure_table

    curves = [row for row in curve_table() if not keys or row.key in keys]
    named = (
        _resolve_measures(keys, {row.key for row in curves})
        if keys
        else [(row.name, row.label, row) for row in measure_table()]
    )
    measures = [_measure_record(*row) for row in named]
    if form == "json":
        _write_json("measures", measures=measures, curves=[_curve_record(row) for row in curves])
    elif form == "csv":
        rows = [{"kind": "measure", "low": row["range"][0], "high": row["range"][1], **row} for row in measures]
        rows += [{"kind": "curve", **_curve_record(row)} for row in curves]
        write_result(csv_table(CSV_COLUMNS, ([row.get(column) for column in CSV_COLUMNS] for row in rows)), None)
    else:
        _write_listing("Measures", [_measure_entry(*row) for row in named])
        _write_listing("Curves", [_curve_entry(row) for row in curves])
    return 0


@click.command("profiles", short_help="List the conventions of every contest with their sources.")
@click.argument("keys", metavar="[KEY]...", nargs=-1)
@format_option
def profiles_command(keys: tuple[str, ...], form: str) -> int:
    """List every profile: the conventions of a contest, the measures of its table, and the source of both.

    With KEY, list only that profile, with all its conventions instead of those that differ from the default. Without
    KEY, the conventions that can be changed are listed as well. `psb+ties=trec+list_cut=1000` is also a profile key.
    """
    from shrec_viewer.metrics import CONVENTIONS, profile_table

    profiles = [require_profile(key) for key in keys] or list(profile_table())
    if form == "json":
        choices = [] if keys else [_choice_record(row) for row in CONVENTIONS]
        _write_json("profiles", profiles=[_profile_record(row) for row in profiles], choices=choices)
    elif form == "csv":
        columns = (*PROFILE_TEXT_FIELDS, *profiles[0].conventions)
        write_result(
            csv_table(columns, ([_format_value(getattr(row, column)) for column in columns] for row in profiles)), None
        )
    else:
        _write_listing("Profiles", [_profile_entry(row, in_full=bool(keys)) for row in profiles])
        _write_listing(
            "Conventions to change, as `--convention NAME=VALUE`", [] if keys else map(_choice_entry, CONVENTIONS)
        )
    return 0


@click.command("plugins", short_help="List the plug-ins of other packages.")
@click.option(
    "--format",
    "form",
    type=click.Choice(("table", "json")),
    default="table",
    show_default=True,
    help="Format of the output.",
)
def plugins_command(form: str) -> int:
    """List the measures, curves, profiles, readers and panels of other packages, and the entry points that failed.

    A package provides them through the entry points shrec_viewer.measures, .curves, .profiles, .readers and .panels.
    Panels are listed without loading them, by the name of their entry point.
    """
    found = load_plugins()
    if form == "json":
        plugins = [{name: getattr(row, name) for name in PLUGIN_FIELDS} for row in found.rows]
        fields = ("group", "entry_point", "package", "version", "message")
        failures = [{name: getattr(row, name) for name in fields} for row in found.failures]
        _write_json("plugins", plugins=plugins, failures=failures)
        return 0
    if found.rows:
        columns = [OutputColumn(name, tuple(getattr(row, name) for row in found.rows)) for name in PLUGIN_FIELDS]
        write_result(plain_table(columns), None)
    elif not found.failures:
        write_result("no plug-ins installed\n", None)
    if found.failures:
        write_result("".join(f"failed: {failure}\n" for failure in found.failures), None)
    return 0


def _resolve_measures(keys: Sequence[str], curves: Collection[str]) -> "list[NamedMeasure]":
    """The measures of some keys, with key and label; an unknown key is a usage error.

    Parameters
    ----------
    keys : arguments of the call.
    curves : keys of curves, which need not be measures as well.
    """
    from shrec_viewer.metrics import find_measure

    named: list[NamedMeasure] = []
    for key in keys:
        try:
            found = find_measure(key)
        except KeyError as problem:
            if key not in curves:
                raise UnknownNameError(str(problem), "`shrec-viewer measures` lists all keys") from problem
        else:
            named.append((found.key, found.label, found.measure))
    return named


def _measure_entry(key: str, label: str, row: "Measure") -> ListingEntry:
    takes = [word for word, it_takes in (("(rel=2)", row.takes_level), ("@10", row.takes_cutoff)) if it_takes]
    low, high = row.range
    interval = f"{low:g} to {high:g}" if isfinite(high) else f"{low:g} and up"
    facts = [
        interval,
        {"higher": "higher is better", "lower": "lower is better", "none": "no direction is better"}[row.better],
    ]
    if takes:
        facts.append(f"takes {' and '.join(takes)}")
    return key, f"{label} ({'; '.join(facts)})", (row.definition, row.formula, f"Source: {row.source}")


def _curve_entry(row: "Curve") -> ListingEntry:
    return row.key, f"{row.label} ({row.y_label} over {row.x_label})", (row.definition, f"Source: {row.source}")


def _profile_entry(row: "Profile", *, in_full: bool) -> ListingEntry:
    conventions = _format_conventions(row.conventions) if in_full else _differences(row)
    about = (row.description, f"Measures: {' '.join(row.measures)}", f"Conventions: {conventions}")
    return row.key, row.title, (*about, f"Source: {row.source}")


def _choice_entry(row: "Convention") -> ListingEntry:
    values = [f"{_format_value(allowed.value)}: {allowed.explanation}" for allowed in row.values]
    if row.least is not None:
        values.append(f"Any whole number >= {row.least}.")
    return row.field, row.label, (row.explanation, *values)


def _choice_record(row: "Convention") -> dict[str, Any]:
    values = [{"value": v.value, "label": v.label, "explanation": v.explanation} for v in row.values]
    record = {name: getattr(row, name) for name in ("field", "label", "group", "explanation", "least")}
    return {**record, "values": values}


def _differences(row: "Profile") -> str:
    """All conventions of the default profile; of any other, those that differ from it."""
    from shrec_viewer.metrics import PROFILES

    default = {} if row is PROFILES[0] else PROFILES[0].conventions
    changed = {name: value for name, value in row.conventions.items() if default.get(name, ...) != value}
    text = _format_conventions(changed)
    if not default:
        return text
    return f"as {PROFILES[0].key}, but {text}" if text else f"as {PROFILES[0].key}"


def _format_conventions(conventions: dict[str, Any]) -> str:
    return ", ".join(f"{name} {_format_value(value)}" for name, value in conventions.items())


def _format_value(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(value) or "none"
    return "none" if value is None else str(value)


def _measure_record(key: str, label: str, row: "Measure") -> dict[str, Any]:
    return {
        "key": key,
        "label": label,
        "better": row.better,
        "range": [end if isfinite(end) else None for end in row.range],
        "definition": row.definition,
        "formula": row.formula,
        "source": row.source,
        "takes_level": bool(row.takes_level),
        "takes_cutoff": bool(row.takes_cutoff),
    }


def _curve_record(row: "Curve") -> dict[str, Any]:
    names = ("key", "label", "x_label", "y_label", "definition", "source")
    return {name: getattr(row, name) for name in names}


def _profile_record(row: "Profile") -> dict[str, Any]:
    texts = {name: getattr(row, name) for name in PROFILE_TEXT_FIELDS}
    return {**texts, "conventions": row.conventions}


def _write_json(what: str, **tables: list[dict[str, Any]]) -> None:
    from shrec_viewer.evaluation.score_tables import to_json

    write_result(to_json({"schema": f"shrec-viewer/{what}/1", "version": __version__, **tables}), None)


def _write_listing(title: str, found: Iterable[ListingEntry]) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console, entries = Console(highlight=False), list(found)
    if not entries:
        return
    console.width = min(console.width, MAX_WIDTH) if is_terminal(None) else MAX_WIDTH
    with console.capture() as listing:
        console.print(Text(title, style="bold underline"))
        for key, label, lines in entries:
            console.print(Text.assemble((key, "bold green"), "  ", label))
            for line in lines:
                console.print(Padding(Text(line), (0, 0, 0, 4)))
        console.print()
    write_result("".join(f"{line.rstrip()}\n" for line in listing.get().splitlines()), None)
