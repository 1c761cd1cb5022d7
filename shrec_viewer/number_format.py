"""Number formatting for tables, maps and status texts: values, differences, intervals, p-values."""

import math

#: As wide as the plus sign. Files and the clipboard get the ASCII hyphen instead, which other programs parse.
MINUS = "\N{MINUS SIGN}"

#: Text for an undefined number (NaN).
UNDEFINED = "–"

#: Decimals of shares and scores, in tables, maps and texts alike.
SHARE_DECIMALS = 3


def format_progress(done: int, total: int, text: str = "") -> str:
    """Progress of a task: what is counted, and how many of them are done.

    Parameters
    ----------
    total : 0 where it is unknown.

    Examples
    --------
    >>> format_progress(41, 96, "page"), format_progress(3000, 0, "files listed")
    ('page 41 of 96', '3,000 files listed')
    """
    if total > 0:
        return f"{text} {done:,} of {total:,}".lstrip()
    return f"{done:,} {text}" if done else text


def format_fixed(value: float, decimals: int, *, signed: bool = False) -> str:
    """A number with a fixed number of decimals; the other functions build on it.

    Parameters
    ----------
    signed : with a plus sign where positive, for differences; no sign where the value rounds to zero.

    Examples
    --------
    >>> format_fixed(0.73764, 4), format_fixed(-0.05, 3), format_fixed(-0.0001, 3), format_fixed(12345.0, 0)
    ('0.7376', '−0.050', '0.000', '12,345')
    >>> format_fixed(0.05, 3, signed=True), format_fixed(0.0, 3, signed=True), format_fixed(float("nan"), 3)
    ('+0.050', '0.000', '–')
    """
    if math.isnan(value):
        return UNDEFINED
    rounded = round(value, decimals) + 0.0  # + 0.0 turns -0.0 into 0.0
    sign = "+" if signed and rounded > 0 else ""
    return f"{rounded:{sign},.{decimals}f}".replace("-", MINUS)


def format_value(value: float, *, counted: bool = False, signed: bool = False) -> str:
    """A value of a measure in a list, text or status bar: three decimals, two from 10 on, one from 100 on.

    Parameters
    ----------
    counted : the measure is a count: no decimals.
    signed : see `format_fixed`.

    Examples
    --------
    >>> format_value(0.98765), format_value(float("nan")), format_value(18.0, counted=True), format_value(1234.5)
    ('0.988', '–', '18', '1,234.5')
    >>> format_value(-0.5, signed=True), format_value(-0.00001, signed=True)
    ('−0.500', '0.000')
    """
    decimals = 0 if counted else SHARE_DECIMALS if abs(value) < 10 else 2 if abs(value) < 100 else 1
    return format_fixed(value, decimals, signed=signed)


def format_gain(value: float, *, counted: bool = False) -> str:
    """A score difference with a symbol for its direction; a difference that rounds to zero differs from a tie.

    Examples
    --------
    >>> [format_gain(value) for value in (0.1234, -0.5, 0.0, 0.0004, -0.0004, float("nan"))]
    ['▲ +0.123', '▼ −0.500', '= 0.000', '▲ <0.001', '▼ <0.001', '–']
    """
    text = format_value(value, counted=counted, signed=True)
    if math.isnan(value):
        return text
    if value and text[0] not in f"+{MINUS}":
        text = "<1" if counted else f"<{format_fixed(0.001, 3)}"
    return f"{'▲' if value > 0 else '▼' if value < 0 else '='} {text}"


def format_interval(low: float, high: float, *, signed: bool = False) -> str:
    """An interval: ``"−0.117 to −0.006"``; a dash between the ends would be read as a minus sign.

    Examples
    --------
    >>> format_interval(-0.117, -0.006, signed=True), format_interval(0.4, 0.5)
    ('−0.117 to −0.006', '0.400 to 0.500')
    """
    return f"{format_value(low, signed=signed)} to {format_value(high, signed=signed)}"


def format_verdict(one: str, other: str, measure: str, change: float) -> str:
    """Which of two runs has the larger value, as the beginning of a sentence.

    Examples
    --------
    >>> format_verdict("B2", "B1", "ADR", -0.122), format_verdict("B2", "B1", "ADR", 0.0)
    ('B1 is 0.122 ADR below B2', 'B2 and B1 are equal in ADR')
    """
    if not change:
        return f"{one} and {other} are equal in {measure}"
    return f"{other} is {format_value(abs(change))} {measure} {'above' if change > 0 else 'below'} {one}"


def format_change(before: float, after: float) -> str:
    """``"0.412 → 0.437 (+0.025)"``, without the difference where one value is undefined.

    Examples
    --------
    >>> format_change(0.5, 0.25), format_change(float("nan"), 0.25)
    ('0.500 → 0.250 (−0.250)', '– → 0.250')
    """
    difference = after - before
    suffix = "" if math.isnan(difference) else f" ({format_value(difference, signed=True)})"
    return f"{format_value(before)} → {format_value(after)}{suffix}"


def format_compact(value: float, decimals: int = SHARE_DECIMALS, *, signed: bool = False) -> str:
    """A number for the cell of a map, which has a fixed width; "" for an undefined one.

    From 10 on there is one decimal less for each further digit before the point, so that the width stays the same.

    Examples
    --------
    >>> format_compact(0.921), format_compact(-0.116, signed=True), format_compact(12.3456), format_compact(17.0, 0)
    ('0.921', '−0.116', '12.35', '17')
    >>> format_compact(0.34, 2), format_compact(float("nan"))
    ('0.34', '')
    """
    if math.isnan(value):
        return ""
    digits = len(f"{abs(round(value, decimals)):.0f}")
    return format_fixed(value, max(decimals - (digits - 1), 0), signed=signed)


def format_percent(share: float, decimals: int = 0) -> str:
    """A share in percent, with the space of ISO 80000-1 before the sign.

    Examples
    --------
    >>> format_percent(0.95), format_percent(0.9821, 1), format_percent(float("nan"))
    ('95 %', '98.2 %', '–')
    """
    return UNDEFINED if math.isnan(share) else f"{100 * share:,.{decimals}f} %"


def format_p_value(p: float) -> str:
    """``"p = 0.031"``, ``"p < 0.001"`` below a thousandth, "" for NaN.

    Examples
    --------
    >>> format_p_value(0.0312), format_p_value(0.0001), format_p_value(float("nan"))
    ('p = 0.031', 'p < 0.001', '')
    """
    if math.isnan(p):
        return ""
    return "p < 0.001" if p < 0.001 else f"p = {format_fixed(p, 3)}"


def format_distance(value: float) -> str:
    """A distance or similarity in at most seven characters, the same on cards, in the status bar and in tooltips.

    "" for NaN.

    Examples
    --------
    >>> [format_distance(value) for value in (1.04349, 123.456, 0.0000123, 98765.4, -0.5)]
    ['1.0435', '123.46', '1.2e−05', '98765', '−0.5000']
    """
    if math.isnan(value):
        return ""
    size = abs(value)
    if size and not 1e-4 <= size < 1e7:
        return f"{value:.1e}".replace("-", MINUS)
    decimals = 4 if size < 10 else 2 if size < 1000 else 0
    return f"{value:.{decimals}f}".replace("-", MINUS)


def format_generality(doublings: float) -> str:
    """A generality as a fraction, from its -log2.

    Examples
    --------
    >>> format_generality(0.0), format_generality(3.0), format_generality(4.1), format_generality(10.75)
    ('g = 1', 'g = 1/8', 'g = 1/17.1', 'g = 1/1,722')
    """
    whole = 2.0**doublings
    if whole == 1.0:
        return "g = 1"
    return f"g = 1/{whole:,.0f}" if whole >= 100 or whole == round(whole) else f"g = 1/{whole:.3g}"
