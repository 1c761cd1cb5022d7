"""Tables as comma- or tab-separated text, safe to open in a spreadsheet and to print on a terminal."""

import re
from collections.abc import Iterable

from shrec_viewer.printable import printable_lines

_FORMULA_STARTS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""First characters of cells that spreadsheets evaluate as a formula or a command.

With white space that they skip, and the full-width signs, which Excel accepts in East Asian locales.
"""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|nan)", re.ASCII)


def separated_text(rows: Iterable[Iterable[object]], separator: str = ",") -> str:
    r"""Rows as separated text; cells that contain the separator, quotes or line breaks are quoted, None is empty.

    Texts that a spreadsheet would run as a formula begin with an apostrophe, as names in files may be anything; numbers
    are never changed, also not those written as text. Control characters except tab and line feed are escaped.

    Examples
    --------
    >>> separated_text([("run", "AP"), ("=1+1", -0.5), ("-2", None), ("A, B", "-0.25")])
    'run,AP\n\'=1+1,-0.5\n-2,\n"A, B",-0.25\n'
    """
    return "".join(separator.join(_cell_text(cell, separator) for cell in row) + "\n" for row in rows)


def _cell_text(cell: object, separator: str) -> str:
    text = "" if cell is None else printable_lines(str(cell))
    if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) and _NUMBER.fullmatch(cell) is None:
        text = f"'{text}"
    if any(sign in text for sign in (separator, '"', "\n", "\t", ";")):  # programs may take any of these as separator
        quoted = text.replace('"', '""')
        return f'"{quoted}"'
    return text
