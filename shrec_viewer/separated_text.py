"""Tables as comma- or tab-separated text, safe to open in a spreadsheet."""

from collections.abc import Iterable

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""First characters of cells that spreadsheets evaluate as a formula or a command."""


def separated_text(rows: Iterable[Iterable[object]], separator: str = ",") -> str:
    r"""Rows as separated text; cells that contain the separator, quotes or line breaks are quoted, None is empty.

    Texts that a spreadsheet would run as a formula begin with an apostrophe, as names in files may be anything; numbers
    are never changed, also not those written as text.

    Examples
    --------
    >>> separated_text([("run", "AP"), ("=1+1", -0.5), ("-2", None), ("A, B", "-0.25")])
    'run,AP\n\'=1+1,-0.5\n-2,\n"A, B",-0.25\n'
    """
    return "".join(separator.join(_cell_text(cell, separator) for cell in row) + "\n" for row in rows)


def _cell_text(cell: object, separator: str) -> str:
    text = "" if cell is None else str(cell)
    if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) and not _is_number(cell):
        text = f"'{text}"
    # Not csv.writer: with lines that end in a line feed alone it leaves carriage returns unquoted (Python 3.11, 3.12).
    if any(sign in text for sign in (separator, '"', "\r", "\n")):
        quoted = text.replace('"', '""')
        return f'"{quoted}"'
    return text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
