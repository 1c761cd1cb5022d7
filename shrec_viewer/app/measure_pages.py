"""Help texts, one page a measure, curve and set of conventions, made from the tables that compute them."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from shrec_viewer.metrics import CURVES, MEASURES, PROFILES, CurveKind, Measure, Profile
from shrec_viewer.metrics.choices import CHOICES
from shrec_viewer.metrics.measure import Variant
from shrec_viewer.numerals import formula

BETTER = {"higher": "Higher is better ▲", "lower": "Lower is better ▼", "none": "Neither end is better"}


@dataclass(frozen=True)
class Page:
    """A page of help.

    Attributes
    ----------
    key : of the measure, curve or profile.
    title : for the list.
    group : heading in the list.
    html : what is shown.
    """

    key: str
    title: str
    group: str
    html: str


def pages() -> list[Page]:
    """Every page, in the order of the tables."""
    measures = [_measure(row) for row in MEASURES]
    return [*measures, *(_curve(row) for row in CURVES), *(_profile(row) for row in PROFILES)]


def _measure(measure: Measure) -> Page:
    facts = [
        ("Key", f"<code>{escape(measure.name)}</code>{_grammar(measure)}"),
        ("Formula", f"<code>{escape(formula(measure.formula))}</code>"),
        *((_where(row), f"<code>{escape(formula(row.formula))}</code>{_origin(row)}") for row in measure.variants),
        ("Range", _range(measure.range)),
        ("Reading", BETTER[measure.better]),
        ("Source", escape(measure.source)),
    ]
    title = f"{measure.label} ({measure.name})"
    return Page(measure.name, title, "Measures", _html(measure.label, measure.definition, facts))


def _where(variant: Variant) -> str:
    """The convention under which a formula holds, as the menus have it: ``"Average precision divides by: …"``."""
    choice = next((choice for choice in CHOICES if choice.field == variant.convention), None)
    if choice is None:
        return f"where {variant.convention} is {variant.value}"
    return f"{choice.label}: {choice.words_of(variant.value)}"


def _origin(variant: Variant) -> str:
    return f"<br>{escape(variant.source)}" if variant.source else ""


def _curve(kind: CurveKind) -> Page:
    facts = [
        ("Key", f"<code>{escape(kind.key)}</code>"),
        ("Across", escape(kind.x_label)),
        ("Upwards", escape(kind.y_label)),
        ("Source", escape(kind.source)),
    ]
    return Page(kind.key, f"{kind.label} ({kind.key})", "Curves", _html(kind.label, kind.definition, facts))


def _profile(profile: Profile) -> Page:
    facts = [
        ("Key", f"<code>{escape(profile.key)}</code>"),
        ("Table", ", ".join(f"<code>{escape(key)}</code>" for key in profile.measures)),
        ("Ranks by", f"<code>{escape(profile.headline)}</code>"),
        ("Source", escape(profile.source)),
    ]
    return Page(profile.key, profile.title, "Conventions", _html(profile.title, profile.description, facts))


def _grammar(measure: Measure) -> str:
    more = []
    if measure.takes_level:
        more.append(f"<code>{measure.name}(rel=2)</code> for the highly relevant only")
    if measure.takes_cutoff:
        more.append(f"<code>{measure.name}@10</code> for the first ten places")
    return f"; {'; '.join(more)}" if more else ""


def _range(ends: tuple[float, float]) -> str:
    low, high = ends
    return f"{low:g} to {high:g}" if high != float("inf") else f"from {low:g}, without an upper end"


def _html(title: str, definition: str, facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(
        f"<tr><td style='padding:4px 16px 4px 0; white-space:nowrap'>{escape(name)}</td>"
        f"<td style='padding:4px 0'>{text}</td></tr>"
        for name, text in facts
    )
    return f"<h2 style='font-weight:600'>{escape(title)}</h2><p>{escape(definition)}</p><table>{rows}</table>"
