"""Write the sections of the help pages that list measures and profiles: python packaging/refresh_help.py."""

import re
from pathlib import Path

from shrec_viewer.metrics import CONVENTIONS, MEASURES, PROFILES, Measure, Profile
from shrec_viewer.metrics.measures.measure import SYMBOLS, FormulaVariant
from shrec_viewer.viewmodels.text.formulas import formula_text

PAGE = Path(__file__).parents[1] / "resources" / "help" / "measures.md"

DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "none": "no direction is better"}


def refreshed(text: str) -> str:
    """The page with current sections."""
    symbols = [f"| {formula_text(symbol)} | {meaning} |" for symbol, meaning in SYMBOLS]
    for heading, lines in (
        ("Symbols", ["| symbol | meaning |", "|---|---|", *symbols]),
        ("Measures", [line for row in MEASURES for line in _measure(row)]),
        ("Profiles", [line for row in PROFILES for line in _profile(row)]),
    ):
        body = "\n".join(lines).strip()
        text = re.sub(rf"(?ms)^## {heading}\n.*?(?=^## |\Z)", lambda _, h=heading, b=body: f"## {h}\n\n{b}\n\n", text)
    return text.rstrip() + "\n"


def _measure(row: Measure) -> list[str]:
    low, high = row.range
    facts = [f"{low:g} to {high:g}" if high != float("inf") else f"{low:g} or more", DIRECTIONS[row.better]]
    takes = [f"`{row.at(2).key}`"] if row.takes_level else []
    takes += [f"`{row.at(cutoff=10).key}`"] if row.takes_cutoff else []
    if takes:
        facts.append(f"also {' and '.join(takes)}")
    variants = [line for variant in row.variants for line in _variant(variant)]
    return [f"### {row.label} ({row.name})", "", row.definition, "", *_formulas(row.formula), *variants,
            f"Range: {'; '.join(facts)}.", "", f"Source: {row.source}", ""]  # fmt: skip


def _formulas(text: str) -> list[str]:
    return ["```", *map(formula_text, text.split("; ")), "```", ""]


def _variant(row: FormulaVariant) -> list[str]:
    choice = next((choice for choice in CONVENTIONS if choice.field == row.convention), None)
    label = f"{row.convention} = {row.value}" if choice is None else f"{choice.label}: {choice.label_of(row.value)}"
    return [f"With the convention *{label}*:", "", *_formulas(row.formula)]


def _profile(row: Profile) -> list[str]:
    default = PROFILES[0]
    changed = [
        f"* {choice.label}: {choice.label_of(getattr(row, choice.field))}"
        for choice in CONVENTIONS
        if getattr(row, choice.field) != getattr(default, choice.field)
    ]
    if changed:
        changed = [f"Differs from `{default.key}`:", "", *changed, ""]
    measures = ", ".join(f"`{key}`" for key in row.measures)
    return [f"### {row.title} ({row.key})", "", row.description, "", *changed,
            f"Measures: {measures}. Runs rank by `{row.headline}`.", "", f"Source: {row.source}", ""]  # fmt: skip


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
