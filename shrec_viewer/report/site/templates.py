"""Jinja templates of a site: their environment, and the functions that they call."""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from shrec_viewer.number_format import format_p_value, format_value
from shrec_viewer.printable import printable
from shrec_viewer.render.scene.palette import INK, PRESETS, SERIES
from shrec_viewer.report.site.score_cells import ScoreCell
from shrec_viewer.resources import resource

if TYPE_CHECKING:
    from jinja2 import Environment

#: Files of a site that all pages use.
STYLE_SHEET, SCRIPT = "site.css", "site.js"


@lru_cache(maxsize=1)  # compiling the templates takes a fifth of the time of a small site
def site_templates() -> "Environment":
    """Environment of the templates.

    Every value is escaped for HTML, and control characters in names are replaced: names in files may be anything.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(resource("report")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_printable_value,
    )
    functions: Mapping[str, Callable[..., str]] = {
        "share": format_value,
        "p_value": format_p_value,
        "exact": exact,
        "file_size": file_size,
        "number_cells": number_cells,
        "score": score,
    }
    found.globals.update(functions)
    return found


def _printable_value(value: Any) -> Any:
    """Names as they are safe to print; markup, a subclass of str, has been escaped already."""
    return printable(value) if type(value) is str else value


def exact(value: float) -> str:
    """A number that reads back as the same float64; "" for NaN."""
    return "" if math.isnan(value) else repr(float(value))


class Html(str):
    """Markup: templates do not escape it again."""

    def __html__(self) -> str:
        """The markup, for Jinja."""
        return self


def number_cells(values: Iterable[float]) -> Html:
    """Cells of a table with numbers; a macro took most of the time of pages with curves."""
    return _cells((float(value), format_value(value), "") for value in values)


def score(cell: ScoreCell, ranked: bool = False) -> Html:
    """Cell of a table with a score: bold for the best, underlined for the second, with its rank if required."""
    text = f"<u>{cell.text}</u>" if cell.rank == 2 else cell.text
    rank = f" <small>{cell.rank}</small>" if ranked and cell.rank else ""
    return _cells([(cell.value, f"{text}{rank}", {1: " best", 2: " second"}.get(cell.rank, ""))])


def _cells(cells: Iterable[tuple[float, str, str]]) -> Html:
    """Cells with a number in full precision, its text and classes."""
    return Html(
        "".join(
            f'<td class="num{classes}" data-value="{value!r}">{text}</td>'
            if value == value
            else f'<td class="num none">{text}</td>'
            for value, text, classes in cells
        )
    )


def file_size(size: int) -> str:
    """A size in bytes, kB or MB.

    Examples
    --------
    >>> file_size(999), file_size(1200), file_size(12_345_678)
    ('999 B', '1.2 kB', '12.3 MB')
    """
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:,.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:,.1f} MB"


def style_sheet_values() -> dict[str, Any]:
    """Values for the template of the style sheet: the colours of the window in both themes."""
    return {"series": SERIES, "levels": PRESETS["contrast"], "ink": INK}
