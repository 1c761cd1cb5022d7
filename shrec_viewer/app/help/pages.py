"""Pages of the help window: the guides in ``resources/help``, and those of measures, curves and profiles."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path

from shrec_viewer.evaluation.virtual_runs import VIRTUAL_RUN_OPTIONS, VIRTUAL_RUNS, VirtualRunKind
from shrec_viewer.metrics import Curve, Measure, Profile, curve_table, find_measure, measure_table, profile_table
from shrec_viewer.metrics.measures.measure import SYMBOLS, FormulaVariant
from shrec_viewer.metrics.measures.worked_example import (
    EXAMPLE_COLLECTION,
    EXAMPLE_GAINS,
    EXAMPLE_SIZES,
    example_hits,
)
from shrec_viewer.metrics.profiles.contests import SHREC2006
from shrec_viewer.metrics.profiles.conventions import CONVENTIONS
from shrec_viewer.number_format import format_fixed
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.text.formulas import formula_html

DIRECTION_TEXT = {"higher": "Higher is better ▲", "lower": "Lower is better ▼", "none": "No direction is better"}

#: Files in ``resources/help``, in the order of the list.
GUIDES = ("formats.md", "measures.md", "site.md", "questions.md", "python.md", "plug-ins.md", "tour.md")

#: Key of the page with the changes since the version that was used before.
WHATS_NEW = "changes.md"

#: Key of the page with the whole change log.
ALL_CHANGES = "all-changes.md"

#: Release part of a version number; suffixes such as ".dev1" do not change the order of sections.
VERSION = re.compile(r"\d+(?:\.\d+)*", re.ASCII)


@dataclass(frozen=True)
class HelpPage:
    """A page of the help window.

    Attributes
    ----------
    key : of the measure, curve or profile, or name of the file, by which links refer to the page.
    title : text in the list.
    group : heading in the list.
    html : contents.
    other_names : further words by which the page is found.
    markdown : contents; then `html` is "".
    """

    key: str
    title: str
    group: str
    html: str = ""
    other_names: tuple[str, ...] = ()
    markdown: str = ""


def help_pages(previous_version: str = "") -> list[HelpPage]:
    """Every page: the guides, then those of the tables in their order; see `changes_since` for the version."""
    measures = [_symbols(), _example(), *(_measure(row) for row in measure_table())]
    curves, profiles = (_curve(row) for row in curve_table()), (_profile(row) for row in profile_table())
    virtual = (_virtual_run(row) for row in VIRTUAL_RUNS)
    return [*guide_pages(previous_version), *measures, *curves, *profiles, *virtual]


@lru_cache(maxsize=1)
def guide_pages(previous_version: str = "") -> tuple[HelpPage, ...]:
    """The guides and the change log; those that an incomplete installation lacks are left out."""
    texts = {name: path.read_text(encoding="utf-8") for name in GUIDES if (path := _guide_path(name)) is not None}
    pages = [
        HelpPage(name, text.partition("\n")[0].removeprefix("# "), "Guide", markdown=text)
        for name, text in texts.items()
    ]
    if (path := _guide_path(WHATS_NEW)) is not None:
        log = path.read_text(encoding="utf-8")
        new = changes_since(log, previous_version)
        is_part = len(_sections(new)) < len(_sections(log))
        link = f"\n[Changes of all versions]({ALL_CHANGES})\n" if is_part else ""
        pages.append(HelpPage(WHATS_NEW, "What's new", "Guide", markdown=new + link))
        pages += [HelpPage(ALL_CHANGES, "Changes of all versions", "Guide", markdown=log)] * is_part
    return tuple(pages)


def changes_since(log: str, version: str) -> str:
    r"""Sections of a change log for versions after a given one; the newest section where none is.

    Parameters
    ----------
    log : Markdown with one section per version, newest first.
    version : used before; any text, "" for none.

    >>> log = "# Changes\n\n## 1.10.0 (unreleased)\n\nB\n\n## 1.9.1\n\nA\n\n## 1.9\n\nFirst.\n"
    >>> print(changes_since(log, "1.9.0"))
    # What's new since version 1.9.0
    <BLANKLINE>
    ## 1.10.0 (unreleased)
    <BLANKLINE>
    B
    <BLANKLINE>
    ## 1.9.1
    <BLANKLINE>
    A
    <BLANKLINE>
    >>> changes_since(log, "")
    "# What's new\n\n## 1.10.0 (unreleased)\n\nB\n"
    """
    sections = _sections(log)
    used = _version_numbers(version)
    new = [text for text in sections if used and _version_numbers(text.removeprefix("## ").removeprefix("[")) > used]
    title = f"# What's new since version {VERSION.match(version)[0]}" if new else "# What's new"  # type: ignore[index]
    return "\n\n".join([title, *(text.rstrip() for text in new or sections[:1])]) + "\n"


def _sections(log: str) -> list[str]:
    """Second-level sections, each with its heading."""
    return re.findall(r"^## .*?(?=^## |\Z)", log, re.MULTILINE | re.DOTALL)


def _version_numbers(text: str) -> tuple[int, ...]:
    """Numbers of the version at the beginning of a text, without zeros at their end; () if there is none.

    >>> _version_numbers("1.10.0 (unreleased)"), _version_numbers("0.2.0.dev3+local"), _version_numbers("new")
    ((1, 10), (0, 2), ())
    """
    found = VERSION.match(text)
    numbers = [int(part) for part in found[0].split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


@lru_cache(maxsize=1)
def guide_headings() -> tuple[tuple[HelpPage, str], ...]:
    """Headings of sections with their pages; without the change log, and measures, which have pages."""
    found = []
    for page in (page for page in guide_pages() if page.key in GUIDES):
        text = re.sub(r"(?ms)^```.*?^```", "", page.markdown)
        pattern = r"^## (.*)$" if page.key == "measures.md" else r"^##+ (.*)$"
        found += [(page, heading) for heading in re.findall(pattern, text, re.MULTILINE)]
    return tuple(found)


def _guide_path(name: str) -> Path | None:
    """Path of a guide; the change log is in ``packaging`` in a checkout."""
    for candidate in (f"help/{name}", *(["../packaging/CHANGELOG.md"] if name == WHATS_NEW else [])):
        try:
            return resource(candidate)
        except FileNotFoundError:
            continue
    return None


def _symbols() -> HelpPage:
    facts = [(symbol, escape(meaning)) for symbol, meaning in SYMBOLS]
    html = _html("Symbols in formulas", "Each formula uses these symbols.", facts)
    return HelpPage("symbols", "Symbols in formulas", "Measures", html)


def _example() -> HelpPage:
    """Every value of the report of 2006 for its worked example, with its calculation."""
    hits, facts = example_hits(SHREC2006), []
    for key in SHREC2006.measures:
        steps = find_measure(key).calculation(hits, SHREC2006)
        facts.append((key, f"{formula_html(steps.shown)} = {format_fixed(steps.total, 6)}"))
    marginal, highly = EXAMPLE_SIZES
    text = (
        f"The report of SHREC 2006 computes its measures for a list. The collection has {EXAMPLE_COLLECTION:,} models, "
        f"of which {highly} are highly relevant (level 2) and {marginal} marginally relevant (level 1). The models of "
        f"the list have the levels {' '.join(map(str, EXAMPLE_GAINS))}."
    )
    title = "Worked example of 2006"
    return HelpPage("example", title, "Measures", _html(title, text, facts))


def _measure(measure: Measure) -> HelpPage:
    other_names = measure.all_names[1:-1]
    facts = [
        ("Key", f"<code>{escape(measure.name)}</code>{_key_syntax(measure)}"),
        ("Formula", formula_html(measure.formula)),
        *((_condition(row), f"{formula_html(row.formula)}{_variant_source(row)}") for row in measure.variants),
        *([("Other names", escape(", ".join(other_names)))] if other_names else []),
        ("Range", _range(measure.range)),
        ("Direction", DIRECTION_TEXT[measure.better]),
        ("Source", escape(measure.source)),
    ]
    title = f"{measure.label} ({measure.name})"
    html = _html(measure.label, formula_html(measure.definition), facts)
    return HelpPage(measure.name, title, "Measures", html, other_names)


def _condition(variant: FormulaVariant) -> str:
    """The convention to which a formula applies, as in the menus: ``"Average precision divides by: …"``."""
    choice = next((choice for choice in CONVENTIONS if choice.field == variant.convention), None)
    if choice is None:
        return f"{variant.convention} = {variant.value}"
    return f"{choice.label}: {choice.label_of(variant.value)}"


def _variant_source(variant: FormulaVariant) -> str:
    return f"<br>{escape(variant.source)}" if variant.source else ""


def _curve(kind: Curve) -> HelpPage:
    facts = [
        ("Key", f"<code>{escape(kind.key)}</code>"),
        ("x axis", escape(kind.x_label)),
        ("y axis", escape(kind.y_label)),
        ("Source", escape(kind.source)),
    ]
    html = _html(kind.label, formula_html(kind.definition), facts)
    return HelpPage(kind.key, f"{kind.label} ({kind.key})", "Curves", html)


def _profile(profile: Profile) -> HelpPage:
    facts = [
        ("Key", f"<code>{escape(profile.key)}</code>"),
        ("Measures", ", ".join(f"<code>{escape(key)}</code>" for key in profile.measures)),
        ("Ranks by", f"<code>{escape(profile.headline)}</code>"),
        ("Source", escape(profile.source)),
    ]
    return HelpPage(profile.key, profile.title, "Conventions", _html(profile.title, escape(profile.description), facts))


def _virtual_run(kind: VirtualRunKind) -> HelpPage:
    options = {**kind.options, **VIRTUAL_RUN_OPTIONS}
    single = "A1" if kind.rescale is not None else "Smith" if kind.key == "without" else ""
    example = f"{kind.key}({'A1, B2' if kind.fuse is not None else single})"
    facts = [
        ("Expression", f"<code>{escape(example)}</code>"),
        ("Options", "<br>".join(f"<code>{escape(key)}</code>: {escape(value)}" for key, value in options.items())),
        ("Source", escape(kind.source)),
    ]
    html = _html(kind.label, escape(kind.definition), facts)
    return HelpPage(f"virtual-{kind.key}", f"{kind.label} ({kind.key})", "Virtual runs", html, (kind.key,))


def _key_syntax(measure: Measure) -> str:
    more = []
    if measure.takes_level:
        more.append(f"<code>{measure.at(2).key}</code> for the highly relevant only")
    if measure.takes_cutoff:
        more.append(f"<code>{measure.at(cutoff=10).key}</code> for the first ten ranks")
    return f"; {'; '.join(more)}" if more else ""


def _range(ends: tuple[float, float]) -> str:
    low, high = ends
    return f"{low:g} to {high:g}" if high != float("inf") else f"{low:g} to infinity"


#: Width of the names of facts as a share of the page; the condition of a variant takes several lines of it.
NAMES_PERCENT = 26


def _html(title: str, definition: str, facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(
        f"<tr><td width='{NAMES_PERCENT}%' style='padding:4px 16px 4px 0'>{formula_html(name)}</td>"
        f"<td style='padding:4px 0'>{text}</td></tr>"
        for name, text in facts
    )
    return f"<h2 style='font-weight:600'>{escape(title)}</h2><p>{definition}</p><table width='100%'>{rows}</table>"
