"""Number formatting for tables, maps and status texts: values, differences, intervals, p-values."""

import math

MINUS = "\N{MINUS SIGN}"
"""As wide as the plus; the hyphen is for files and the clipboard, which programs read."""

UNDEFINED = "–"
"""Written for a number that is not defined."""

TABLE_DECIMALS = 4
"""Of shares in tables, as papers print them."""

MAP_DECIMALS = 3
"""Of shares in the cells of a map."""


def format_fixed(value: float, decimals: int, *, signed: bool = False) -> str:
    """A number with so many decimals: the rule on which all others stand.

    Parameters
    ----------
    signed : with a sign, for a difference; none before what prints as zero.

    Examples
    --------
    >>> fixed(0.73764, 4), fixed(-0.05, 3), fixed(-0.0001, 3), fixed(12345.0, 0), fixed(float("nan"), 3)
    ('0.7376', '−0.050', '0.000', '12,345', '–')
    >>> fixed(0.05, 3, signed=True), fixed(0.0, 3, signed=True)
    ('+0.050', '0.000')
    """
    if math.isnan(value):
        return UNDEFINED
    rounded = round(value, decimals) + 0.0  # + 0.0 makes zero of what is minus zero
    sign = "+" if signed and rounded > 0 else ""
    return f"{rounded:{sign},.{decimals}f}".replace("-", MINUS)


def format_value(value: float, *, counted: bool = False, signed: bool = False) -> str:
    """A value of a measure in a list, a sentence or the status bar: three decimals, fewer where there are tens.

    Parameters
    ----------
    counted : the measure counts, so that there are no decimals.
    signed : see `format_fixed`.

    Examples
    --------
    >>> listed(0.98765), listed(float("nan")), listed(18.0, counted=True), listed(1234.5)
    ('0.988', '–', '18', '1,234.5')
    >>> listed(-0.5, signed=True), listed(-0.00001, signed=True), listed(3.0, counted=True, signed=True)
    ('−0.500', '0.000', '+3')
    """
    decimals = 0 if counted else 3 if abs(value) < 10 else 2 if abs(value) < 100 else 1
    return format_fixed(value, decimals, signed=signed)


def format_gain(value: float, *, counted: bool = False) -> str:
    """A difference with the sign that is read first; one that is there but prints as zero is none of a tie.

    Examples
    --------
    >>> gain(0.1234), gain(-0.5), gain(0.0), gain(0.0004), gain(-0.0004), gain(float("nan"))
    ('▲ +0.123', '▼ −0.500', '= 0.000', '▲ <0.001', '▼ <0.001', '–')
    """
    said = format_value(value, counted=counted, signed=True)
    if math.isnan(value):
        return said
    if value and said[0] not in f"+{MINUS}":
        said = "<1" if counted else f"<{format_fixed(0.001, 3)}"
    return f"{'▲' if value > 0 else '▼' if value < 0 else '='} {said}"


def format_interval(low: float, high: float, *, signed: bool = False) -> str:
    """An interval: ``"−0.117 to −0.006"``; a dash between its ends would be read as a minus.

    Examples
    --------
    >>> span(-0.117, -0.006, signed=True), span(0.4, 0.5)
    ('−0.117 to −0.006', '0.400 to 0.500')
    """
    return f"{format_value(low, signed=signed)} to {format_value(high, signed=signed)}"


def format_change(before: float, after: float) -> str:
    """``"0.412 → 0.437 (+0.025)"``; the difference is left out where one of them is not defined.

    Examples
    --------
    >>> change(0.5, 0.25), change(float("nan"), 0.25)
    ('0.500 → 0.250 (−0.250)', '– → 0.250')
    """
    step = after - before
    aside = "" if math.isnan(step) else f" ({format_value(step, signed=True)})"
    return f"{format_value(before)} → {format_value(after)}{aside}"


def format_compact(value: float, decimals: int = MAP_DECIMALS, *, signed: bool = False) -> str:
    """A number in a map, whose cells have no room for the zero before the point; "" for what is not defined.

    Numbers of one and more have a decimal less for each digit before the point, so that all are as wide.

    Examples
    --------
    >>> tight(0.921), tight(1.0), tight(-0.116, signed=True), tight(0.34, 2), tight(float("nan")), tight(17.0, 0)
    ('.921', '1.00', '−.116', '.34', '', '17')
    """
    if math.isnan(value):
        return ""
    digits = len(f"{abs(round(value, decimals)):.0f}") if abs(round(value, decimals)) >= 1 else 0
    text = format_fixed(value, max(decimals - digits, 0) if digits and decimals else decimals, signed=signed)
    return text.replace("0.", ".", 1) if text.lstrip(f"+{MINUS}").startswith("0.") else text


def format_p_value(p: float) -> str:
    """``"p = 0.031"``; a chance below a thousandth is only said to be that; "" where there is none.

    Examples
    --------
    >>> chance(0.0312), chance(0.0001), chance(float("nan"))
    ('p = 0.031', 'p < 0.001', '')
    """
    if math.isnan(p):
        return ""
    return "p < 0.001" if p < 0.001 else f"p = {format_fixed(p, 3)}"


def format_distance(value: float) -> str:
    """A distance or similarity in at most seven places, alike on cards, in the status bar and in tips; "" for NaN.

    Examples
    --------
    >>> distance(1.04349), distance(123.456), distance(0.0000123), distance(98765.4), distance(-0.5)
    ('1.0435', '123.46', '1.2e−05', '98765', '−0.5000')
    """
    if math.isnan(value):
        return ""
    size = abs(value)
    if size and not 1e-4 <= size < 1e7:
        return f"{value:.1e}".replace("-", MINUS)
    decimals = 4 if size < 10 else 2 if size < 1000 else 0
    return f"{value:.{decimals}f}".replace("-", MINUS)


def format_formula(text: str) -> str:
    """A formula with its minus signs as wide as its plus signs.

    Examples
    --------
    >>> formula("FN = C - V")
    'FN = C − V'
    """
    return text.replace(" - ", f" {MINUS} ")
