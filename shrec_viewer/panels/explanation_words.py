"""The working of a number as a small page: value, formula, values put in, ranks, definition and source."""

from html import escape

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.explain import Explanation
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.numerals import fixed, formula
from shrec_viewer.viewmodels.words import level_words
from shrec_viewer.widgets.theme import SPACE, Theme

EXACT = 6
"""Decimals of the number explained, so that its working can be checked."""

MOST_RANKS = 200
"""Ranks listed one by one; the list marks all of them."""

MOST_PARTS = 100
"""Queries listed of a mean; the table by query has all."""

POLARITY = {"higher": "higher is better", "lower": "lower is better", "none": "neither end is better"}


def page(found: Explanation, benchmark: Benchmark, shown: RankedList | None, theme: Theme) -> str:
    """HTML of the page; ranks link to ``rank:12``, queries to ``query:Q07``.

    Parameters
    ----------
    shown : the list that the ranks belong to; None where it is not on the screen.
    """
    parts = [_head(found, theme), _formula(found, theme)]
    if found.note:
        parts.append(f'<p style="color:{theme.warning}">{escape(found.note)}</p>')
    if found.parts:
        parts.append(_queries(found, theme))
    elif found.working is not None and found.working.ranks:
        parts.append(_ranks(found, benchmark, shown, theme))
    parts.append(_definition(found, theme))
    return f'<div style="color:{theme.ink}">{"".join(parts)}</div>'


def number(value: float) -> str:
    """A value in six places; a count as it is.

    Examples
    --------
    >>> number(0.4123456), number(17.0), number(float("nan"))
    ('0.412346', '17', 'undefined')
    """
    if value != value:
        return "undefined"
    return fixed(value, 0 if value == round(value) and abs(value) >= 2 else EXACT)


def _head(found: Explanation, theme: Theme) -> str:
    of = (
        f"{escape(found.run)}, {escape(found.query)}" if found.query else f"{escape(found.run)}, mean over {found.over}"
    )
    reach = ""
    if found.ceiling == found.ceiling and found.ceiling != float("inf") and found.query:
        reach = f' <span style="color:{theme.muted}">of at most {found.ceiling:.4g}</span>'
    key = escape(found.measure.key)
    return (
        f'<p style="color:{theme.muted}; margin:0">{escape(found.measure.label)} · {of}</p>'
        f'<p style="font-size:x-large; margin:0"><b>{key} = {number(found.value)}</b>{reach}</p>'
    )


def _formula(found: Explanation, theme: Theme) -> str:
    lines = [escape(formula(found.formula))]
    if found.working is not None:
        lines.append(f"= {escape(formula(found.working.shown))}")
        lines.append(f"= {number(found.working.total)}")
    text = "<br>".join(lines)
    rows = ""
    if found.working is not None and found.working.symbols:
        cells = (
            f'<tr><td style="padding-right:{2 * SPACE}px"><b>{escape(letter)}</b></td>'
            f'<td style="padding-right:{3 * SPACE}px; color:{theme.muted}">{escape(meaning)}</td>'
            f'<td align="right">{escape(value)}</td></tr>'
            for letter, meaning, value in found.working.symbols
        )
        rows = f"<table cellspacing=0>{''.join(cells)}</table>"
    box = f'<table width="100%" cellpadding={2 * SPACE} bgcolor="{theme.hover}"><tr><td>{text}</td></tr></table>'
    return f"<p></p>{box}<p></p>{rows}"


def _ranks(found: Explanation, benchmark: Benchmark, shown: RankedList | None, theme: Theme) -> str:
    working = found.working
    assert working is not None
    adds = len(working.shares) == len(working.ranks)
    pad = f'style="padding-right:{3 * SPACE}px"'
    names = "".join(f"<th align=left {pad}>{name}</th>" for name in ("rank", "model", "level"))
    head = f"{names}<th align=right>adds</th>" if adds else names
    rows = [f'<tr style="color:{theme.muted}">{head}</tr>']
    levels = benchmark.assessment.levels if benchmark.assessment is not None else ()
    for place, rank in enumerate(working.ranks[:MOST_RANKS]):
        name = level = ""
        if shown is not None and rank <= len(shown):
            item = int(shown.items[rank - 1])
            name = benchmark.collection.ids[item] if item >= 0 else ""
            level = level_words(int(shown.levels[rank - 1]), levels)
        share = f"<td align=right>{number(working.shares[place])}</td>" if adds else ""
        rows.append(
            f'<tr><td {pad}><a href="rank:{rank}" style="color:{theme.accent}">{rank:,}</a></td>'
            f"<td {pad}>{escape(name)}</td><td {pad}>{escape(level)}</td>{share}</tr>"
        )
    more = len(working.ranks) - MOST_RANKS
    tail = f"<p>… and {more:,} more, marked in the list</p>" if more > 0 else ""
    return f"<p><b>Ranks used</b></p><table cellspacing=0>{''.join(rows)}</table>{tail}"


def _queries(found: Explanation, theme: Theme) -> str:
    pad = f'style="padding-right:{4 * SPACE}px"'
    rows = [
        f"<tr><td {pad}>{_link(found, name, theme)}</td><td align=right>{number(value)}</td></tr>"
        for name, value in found.parts[:MOST_PARTS]
    ]
    more = len(found.parts) - MOST_PARTS
    tail = f"<p>… and {more:,} more</p>" if more > 0 else ""
    return f"<p><b>Values in the mean</b></p><table cellspacing=0>{''.join(rows)}</table>{tail}"


def _link(found: Explanation, name: str, theme: Theme) -> str:
    if found.over != "queries":
        return escape(name)
    return f'<a href="query:{escape(name)}" style="color:{theme.accent}">{escape(name)}</a>'


def _definition(found: Explanation, theme: Theme) -> str:
    low, high = found.measure.range
    span = f"from {low:g} to {high:g}" if high != float("inf") else f"from {low:g} upwards"
    return (
        f"<p><b>Definition</b></p><p>{escape(found.measure.definition)}</p>"
        f'<p style="color:{theme.muted}">{POLARITY[found.measure.better].capitalize()}; {span}.<br>'
        f"Source: {escape(found.source)}</p>"
        f'<p><a href="help:{escape(found.measure.key)}" style="color:{theme.accent}">More about this measure</a></p>'
    )
