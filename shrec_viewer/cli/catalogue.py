"""The commands ``measures`` and ``profiles``: everything the program can compute, with definition and source."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from shrec_viewer import __version__
from shrec_viewer.cli.terminal import deliver, is_screen

if TYPE_CHECKING:
    from shrec_viewer.metrics import CurveKind, Measure, Profile

Entry = tuple[str, str, Sequence[str]]
"""Key, label, and the lines about it."""

PLAIN_WIDTH = 100
"""Width of a listing that goes into a pipe, and the widest on a terminal: longer lines are hard to follow."""

WORDS_OF_PROFILE = ("key", "title", "source", "description", "measures", "headline", "curves")
"""Fields of a profile that are not conventions."""

format_option = click.option(
    "--format", "form", type=click.Choice(("table", "json")), default="table", help="table or json."
)


@click.command("measures", short_help="Every measure and curve with definition and source.")
@format_option
def measures_command(form: str) -> int:
    """List every measure and curve with its definition, formula and source.

    A key may be followed by a relevance level and a cut-off: `AP(rel=2)` counts highly relevant models only, `P@10`
    looks at ten places, `P(rel=2)@10` does both.
    """
    from shrec_viewer.metrics import CURVES, MEASURES

    if form == "json":
        _deliver_json(
            "measures",
            measures=[_measure_record(row) for row in MEASURES],
            curves=[_curve_record(row) for row in CURVES],
        )
        return 0
    _deliver_listing("Measures", map(_measure_entry, MEASURES))
    _deliver_listing("Curves", map(_curve_entry, CURVES))
    return 0


@click.command("profiles", short_help="The conventions of every contest, and their sources.")
@format_option
def profiles_command(form: str) -> int:
    """List every profile: the conventions of a contest, the measures of its table, and the source of both."""
    from shrec_viewer.metrics import PROFILES

    if form == "json":
        _deliver_json("profiles", profiles=[_profile_record(row) for row in PROFILES])
        return 0
    _deliver_listing("Profiles", map(_profile_entry, PROFILES))
    return 0


def _measure_entry(row: "Measure") -> Entry:
    takes = [word for word, it_takes in (("(rel=2)", row.takes_level), ("@10", row.takes_cutoff)) if it_takes]
    low, high = row.range
    interval = f"{low:g} to {high:g}" if isfinite(high) else f"{low:g} and up"
    facts = [
        interval,
        {"higher": "higher is better", "lower": "lower is better", "none": "neither end is good"}[row.better],
    ]
    if takes:
        facts.append(f"takes {' and '.join(takes)}")
    return row.name, f"{row.label} ({'; '.join(facts)})", (row.definition, row.formula, f"Source: {row.source}")


def _curve_entry(row: "CurveKind") -> Entry:
    return row.key, f"{row.label} ({row.y_label} over {row.x_label})", (row.definition, f"Source: {row.source}")


def _profile_entry(row: "Profile") -> Entry:
    about = (row.description, f"Measures: {' '.join(row.measures)}", f"Conventions: {_differences(row)}")
    return row.key, row.title, (*about, f"Source: {row.source}")


def _differences(row: "Profile") -> str:
    """The conventions of the default profile in full; of another one what it does differently."""
    from shrec_viewer.metrics import PROFILES

    usual = {} if row is PROFILES[0] else _conventions(PROFILES[0])
    changed = {name: value for name, value in _conventions(row).items() if usual.get(name, ...) != value}
    words = ", ".join(f"{name} {_word(value)}" for name, value in changed.items())
    if not usual:
        return words
    return f"as {PROFILES[0].key}, but {words}" if words else f"as {PROFILES[0].key}"


def _word(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(value) or "none"
    return "none" if value is None else str(value)


def _measure_record(row: "Measure") -> dict[str, Any]:
    return {
        "key": row.name,
        "label": row.label,
        "better": row.better,
        "range": [end if isfinite(end) else None for end in row.range],
        "definition": row.definition,
        "formula": row.formula,
        "source": row.source,
        "takes_level": bool(row.takes_level),
        "takes_cutoff": bool(row.takes_cutoff),
    }


def _curve_record(row: "CurveKind") -> dict[str, Any]:
    names = ("key", "label", "x_label", "y_label", "definition", "source")
    return {name: getattr(row, name) for name in names}


def _profile_record(row: "Profile") -> dict[str, Any]:
    words = {name: getattr(row, name) for name in WORDS_OF_PROFILE}
    return {**words, "conventions": _conventions(row)}


def _conventions(row: "Profile") -> dict[str, Any]:
    return {field.name: getattr(row, field.name) for field in fields(row) if field.name not in WORDS_OF_PROFILE}


def _deliver_json(what: str, **tables: list[dict[str, Any]]) -> None:
    from shrec_viewer.evaluation.tables import to_json

    deliver(to_json({"schema": f"shrec-viewer/{what}/1", "version": __version__, **tables}), None)


def _deliver_listing(title: str, entries: Iterable[Entry]) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    console.width = min(console.width, PLAIN_WIDTH) if is_screen(None) else PLAIN_WIDTH
    with console.capture() as listing:
        console.print(Text(title, style="bold underline"))
        for key, label, lines in entries:
            console.print(Text.assemble((key, "bold green"), "  ", label))
            for line in lines:
                console.print(Padding(Text(line), (0, 0, 0, 4)))
        console.print()
    deliver("".join(f"{line.rstrip()}\n" for line in listing.get().splitlines()), None)
