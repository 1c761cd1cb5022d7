"""The measures, profiles and plugins commands."""

import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import starmap
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from shrec_viewer.cli.help import GroupedCommand
from shrec_viewer.cli.options import MEASURE, PROFILE, UnknownNameError, format_option, saved_profiles
from shrec_viewer.cli.terminal import is_terminal, open_console, print_message, styled, write_result
from shrec_viewer.entry_points import plugin_folder
from shrec_viewer.printable import printable
from shrec_viewer.report.tables.text import OutputColumn, csv_table, plain_table
from shrec_viewer.version import __version__

if TYPE_CHECKING:
    from shrec_viewer.evaluation.virtual_runs import VirtualRunKind
    from shrec_viewer.metrics import Convention, Curve, Measure, Profile, ResolvedMeasure

#: Key, label and description lines.
ListingEntry = tuple[str, str, Sequence[str]]

#: Width of listings in characters: in a pipe, and at most on a terminal; longer lines are hard to read.
MAX_WIDTH = 100

#: Fields of `Profile` that are not conventions.
PROFILE_TEXT_FIELDS = ("key", "title", "source", "description", "measures", "headline", "curves")

#: Fields of a plug-in row that are listed.
PLUGIN_FIELDS = ("group", "key", "label", "package", "version")

#: Columns of the CSV of measures and curves; those that a row does not have are empty.
CSV_COLUMNS = (
    "kind", "key", "label", "better", "low", "high", "takes_level", "takes_cutoff", "x_label", "y_label", "definition",
    "formula", "source", "other_names",
)  # fmt: skip


@click.command("measures", cls=GroupedCommand)
@click.argument("keys", metavar="[KEY]...", nargs=-1, shell_complete=MEASURE.shell_complete)
@click.option("--profile", type=PROFILE, metavar="KEY", help="Formulas, ranges and sources under these conventions.")
@format_option(("table", "csv", "json"), "table, csv or json.", default="table")
def measures_command(keys: tuple[str, ...], profile: "Profile | None", form: str) -> int:
    """List every measure and curve with its definition, formula and source; with KEY only that one.

    A key may be followed by a relevance level and a cutoff: `AP(rel=2)` counts highly relevant models only, `P@10`
    evaluates the first ten ranks, `P(rel=2)@10` does both. `F(beta=2)` and `Cost(alpha=0.5)` take any number. Other
    names work as well: `MAP`, `"First Tier"`, `nDCG@10`.
    """
    from shrec_viewer.evaluation.virtual_runs import VIRTUAL_RUNS
    from shrec_viewer.metrics import curve_table, measure_table

    curves = [row for row in curve_table() if not keys or row.key in keys]
    found = [_Listed(row, profile, None) for row in measure_table()]
    if keys:
        found = [_Listed(r.measure, profile, r) for r in _resolve_measures(keys, {row.key for row in curves})]
    measures = [row.record() for row in found]
    if form == "json":
        _write_json(
            "measures",
            measures=measures,
            curves=[_curve_record(row) for row in curves],
            **({} if keys else {"virtual_runs": [_virtual_record(row) for row in VIRTUAL_RUNS]}),
        )
    elif form == "csv":
        rows = [
            {
                "kind": "measure",
                **row,
                "low": row["range"][0],
                "high": row["range"][1],
                "other_names": "; ".join(row["other_names"]),
            }
            for row in measures
        ]
        rows += [{"kind": "curve", **_curve_record(row)} for row in curves]
        write_result(csv_table(CSV_COLUMNS, ([row.get(column) for column in CSV_COLUMNS] for row in rows)), None)
    else:
        title = "Measures" if profile is None else f"Measures under the conventions of {profile.title}"
        _write_listing(title, [row.entry() for row in found])
        _write_listing("Curves", [_curve_entry(row) for row in curves])
        if not keys:
            _write_listing("Virtual runs", [_virtual_entry(row) for row in VIRTUAL_RUNS])
        if found:
            from shrec_viewer.metrics.measures.measure import SYMBOLS

            _write_listing("Symbols", [(symbol, meaning, ()) for symbol, meaning in SYMBOLS])
    return 0


@click.command("profiles", cls=GroupedCommand)
@click.argument("keys", type=PROFILE, metavar="[KEY]...", nargs=-1)
@format_option(("table", "csv", "json"), "table, csv or json.", default="table")
def profiles_command(keys: "tuple[Profile, ...]", form: str) -> int:
    """List every profile: the conventions of a contest, the measures of its table, and the source of both.

    With KEY, list only that profile, with all its conventions instead of those that differ from the default. Without
    KEY, the conventions that can be changed are listed as well. `psb+ties=trec+list_cut=1000` is also a profile key,
    and so is a name under which conventions were saved in the window.
    """
    from shrec_viewer.metrics import CONVENTIONS, profile_table

    profiles = keys or (*profile_table(), *starmap(_named_profile, saved_profiles().items()))
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


@click.command("plugins", cls=GroupedCommand)
@format_option(("table", "json"), "Format of the output.", default="table", show_default=True)
def plugins_command(form: str) -> int:
    """List the measures, curves, profiles, readers and panels of other packages, and the entry points that failed.

    A package provides them through the entry points shrec_viewer.measures, .curves, .profiles, .readers and .panels.
    Panels are listed without loading them, by the name of their entry point.
    """
    from shrec_viewer.plugins import load_plugins

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
        write_result("".join(f"failed: {printable(str(failure))}\n" for failure in found.failures), None)
    python = ".".join(str(number) for number in sys.version_info[:2])
    print_message(f"packages for Python {python} are also read from {plugin_folder()}")
    return 0


def _resolve_measures(keys: Sequence[str], curves: Collection[str]) -> "list[ResolvedMeasure]":
    """The measures of some keys; an unknown key is a usage error.

    Parameters
    ----------
    keys : arguments of the call.
    curves : keys of curves, which need not be measures as well.
    """
    from shrec_viewer.metrics import find_measure

    measures: list[ResolvedMeasure] = []
    for key in keys:
        try:
            measures.append(find_measure(key))
        except KeyError as problem:
            if key not in curves:
                raise UnknownNameError(str(problem), "`shrec-viewer measures` lists all keys") from problem
    return measures


class _Listed:
    """A measure as listed: a row of the table, or one with level and cutoff, under textbook or other conventions."""

    def __init__(self, row: "Measure", profile: "Profile | None", resolved: "ResolvedMeasure | None") -> None:
        self._row, self._resolved = row, resolved
        measure = resolved or row.at()
        self._range = row.range if profile is None else measure.range_under(profile)
        self._source = row.source if profile is None else measure.source_under(profile)
        self._formula = measure.formula
        if profile is not None:
            self._formula = measure.formula_under(profile)
        elif resolved is None:
            self._formula = row.formula

    @property
    def _names(self) -> tuple[str, str]:
        """Key and label, without level and cutoff for a row of the table."""
        shown = self._resolved
        return (self._row.name, self._row.label) if shown is None else (shown.key, shown.label)

    @property
    def _other_names(self) -> tuple[str, ...]:
        return self._row.all_names[1:-1]

    def entry(self) -> ListingEntry:
        """Entry of the table."""
        row, (low, high) = self._row, self._range
        takes = [word for word, it_takes in (("(rel=2)", row.takes_level), ("@10", row.takes_cutoff)) if it_takes]
        facts = [
            f"{low:g} to {high:g}" if isfinite(high) else f"{low:g} and up",
            {"higher": "higher is better", "lower": "lower is better", "none": "no direction is better"}[row.better],
        ]
        if takes:
            facts.append(f"takes {' and '.join(takes)}")
        lines = [row.definition, self._formula, f"Source: {self._source}"]
        if self._other_names:
            lines.insert(2, f"Other names: {', '.join(self._other_names)}")
        key, label = self._names
        return key, f"{label} ({'; '.join(facts)})", lines

    def record(self) -> dict[str, Any]:
        """Record of JSON and CSV."""
        row, (key, label) = self._row, self._names
        return {
            "key": key,
            "label": label,
            "better": row.better,
            "range": [end if isfinite(end) else None for end in self._range],
            "definition": row.definition,
            "formula": self._formula,
            "source": self._source,
            "takes_level": bool(row.takes_level),
            "takes_cutoff": bool(row.takes_cutoff),
            "other_names": list(self._other_names),
        }


def _curve_entry(row: "Curve") -> ListingEntry:
    ways = "; ".join(f"{way.label} (--average {way.way})" for way in row.ways)
    about = (row.definition, f"Means: {ways}", f"Source: {row.source}")
    return row.key, f"{row.label} ({row.y_label} over {row.x_label})", about


def _profile_entry(row: "Profile", *, in_full: bool) -> ListingEntry:
    conventions = _format_conventions(row.conventions) if in_full else _differences(row)
    about = (row.description, f"Measures: {' '.join(row.measures)}", f"Conventions: {conventions}")
    return row.key, row.title, (*about, f"Source: {row.source}")


def _named_profile(name: str, profile: "Profile") -> "Profile":
    """A profile that was saved under a name, which is a key, too."""
    return replace(profile, key=name, description=f"From the settings of the window: {profile.key}.")


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


def _curve_record(row: "Curve") -> dict[str, Any]:
    names = ("key", "label", "x_label", "y_label", "definition", "source")
    return {**{name: getattr(row, name) for name in names}, "averages": [way.way for way in row.ways]}


def _virtual_record(row: "VirtualRunKind") -> dict[str, Any]:
    from shrec_viewer.evaluation.virtual_runs import VIRTUAL_RUN_OPTIONS

    names = ("key", "label", "definition", "source")
    return {**{name: getattr(row, name) for name in names}, "options": {**row.options, **VIRTUAL_RUN_OPTIONS}}


def _virtual_entry(row: "VirtualRunKind") -> ListingEntry:
    from shrec_viewer.evaluation.virtual_runs import VIRTUAL_RUN_OPTIONS

    options = ", ".join(f"{name}={value}" for name, value in {**row.options, **VIRTUAL_RUN_OPTIONS}.items())
    return f"{row.key}(…)" if row.takes_runs else f"{row.key}()", row.label, (
        row.definition, f"Options and their defaults: {options}", f"Source: {row.source}"
    )  # fmt: skip


def _profile_record(row: "Profile") -> dict[str, Any]:
    texts = {name: getattr(row, name) for name in PROFILE_TEXT_FIELDS}
    return {**texts, "conventions": row.conventions}


def _write_json(what: str, **tables: list[dict[str, Any]]) -> None:
    from shrec_viewer.evaluation.score_tables import to_json

    write_result(to_json({"schema": f"shrec-viewer/{what}/1", "version": __version__, **tables}), None)


def _write_listing(title: str, found: Iterable[ListingEntry]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    console, entries = open_console(), list(found)
    if not entries:
        return
    console.width = min(console.width, MAX_WIDTH) if is_terminal(None) else MAX_WIDTH
    with console.capture() as listing:
        console.print(styled(title, "bold underline"))
        for key, label, lines in entries:
            console.print(Text.assemble(styled(printable(key), "bold green"), "  ", styled(printable(label))))
            for line in lines:
                console.print(Padding(styled(line), (0, 0, 0, 4)))
        console.print()
    write_result("".join(f"{line.rstrip()}\n" for line in listing.get().splitlines()), None, has_colours=True)
