"""Formulas of measures with subscripts, superscripts and sums, as rich text and as plain text."""

import re
from collections.abc import Callable
from html import escape

from shrec_viewer.number_format import MINUS

#: Signs in the formulas of the tables, which are ASCII, and their typographic forms.
SIGNS = ((" - ", f" {MINUS} "), (" * ", " · "), ("<=", "≤"), (">=", "≥"), ("!=", "≠"), ("..", "…"))

LETTERS = {"alpha": "α", "beta": "β", "sum": "∑"}

#: Name with an index: ``p_k``, ``sum_{i<=K}``.
INDEX = re.compile(r"\b([A-Za-z]+)_(\{[^{}]*\}|\w+)")

#: Symbol of two letters of which the second is an index: Va, Cr, Ds; and the binary logarithm.
SYMBOL = re.compile(r"(?<![A-Za-z])([VCD])([a-z])\b|\b(log)(2)(?=\()")

POWER = re.compile(r"\^(\{[^{}]*\}|\w+)")


def formula_html(text: str) -> str:
    """A formula as rich text; the rest of the text is escaped.

    Examples
    --------
    >>> formula_html("FN = C - V"), formula_html("P = V / Va"), formula_html("p_k <= 2^n")
    ('FN = C − V', 'P = V / V<sub>a</sub>', 'p<sub>k</sub> ≤ 2<sup>n</sup>')
    >>> formula_html("AP@K = (1/C) sum_{p_k<=K} k / p_k")
    'AP@K = (1/C) ∑<sub>p<sub>k</sub>≤K</sub> k / p<sub>k</sub>'
    >>> formula_html("DCG = G[1] + sum_{i>=2} G[i] / log2(i)")
    'DCG = G[1] + ∑<sub>i≥2</sub> G[i] / log<sub>2</sub>(i)'
    """
    return _marked_up(text, lambda plain: escape(plain, quote=False), "<sub>{}</sub>", "<sup>{}</sup>")


def formula_text(text: str) -> str:
    """A formula as plain text, for tooltips.

    Examples
    --------
    >>> formula_text("AP = (1/C) sum_k k / p_k"), formula_text("sum_{i<=K} G[i] / log2(i)")
    ('AP = (1/C) ∑ₖ k / pₖ', '∑(i≤K) G[i] / log₂(i)')
    """
    return _marked_up(text, str, "{}", "^{}", plain=True)


SUBSCRIPTS = str.maketrans("0123456789aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")


def _marked_up(text: str, quoted: Callable[[str], str], below: str, above: str, *, plain: bool = False) -> str:
    """Replace signs, indices and powers from left to right; indices may contain indices."""
    for sign, typographic in SIGNS:
        text = text.replace(sign, typographic)

    def index(inner: str) -> str:
        inner = inner.strip("{}")
        if not plain:
            return below.format(_marked_up(inner, quoted, below, above))
        small = inner.translate(SUBSCRIPTS)
        if len(inner) == 1 and small != inner:
            return small
        return f"({_marked_up(inner, quoted, below, above, plain=True)})"

    parts, at = [], 0
    pattern = re.compile(f"{INDEX.pattern}|{SYMBOL.pattern}|{POWER.pattern}")
    for match in pattern.finditer(text):
        parts.append(_named(quoted(text[at : match.start()])))
        name, below_name, symbol, letter, log, base, power = match.groups()
        if name is not None:
            parts.append(LETTERS.get(name, name) + index(below_name))
        elif power is not None:
            parts.append(above.format(_marked_up(power.strip("{}"), quoted, below, above, plain=plain)))
        else:
            parts.append((symbol or log) + index(letter or base))
        at = match.end()
    return "".join((*parts, _named(quoted(text[at:]))))


def _named(text: str) -> str:
    return re.sub(r"\b(alpha|beta)\b", lambda match: LETTERS[match.group()], text)
