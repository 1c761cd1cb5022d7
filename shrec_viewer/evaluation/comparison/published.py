"""Published scores beside ours: their measures and values, differences, and what of them agrees."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, Finding, PublishedTable, Severity
from shrec_viewer.formats.core.findings_log import count_of, join_some
from shrec_viewer.metrics import ResolvedMeasure, UnknownKeyError, find_measure
from shrec_viewer.metrics.statistics.bootstrap import EQUAL_MEANS
from shrec_viewer.number_format import SHARE_DECIMALS

#: Note below a table with published scores.
PUBLISHED_NOTE = (
    "Behind a published value is its difference from that of the run (published minus computed), or = where both are "
    "equal to the printed digits."
)


@dataclass(frozen=True, eq=False)
class PublishedColumn:
    """The values of one column of a published table.

    Attributes
    ----------
    title : heading.
    measure : what the column is named after; None for no measure.
    values : (R,) float64, in the scale of the measure; NaN for none.
    units : (R,) float64, one unit of the last printed digit of each value.
    """

    title: str
    measure: ResolvedMeasure | None
    values: NDArray[np.float64]
    units: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PublishedRow:
    """Published scores of a run or method, beside those computed here.

    Attributes
    ----------
    name : of the run or method, as printed.
    source : name of the file.
    run : index of the run here that has this name; -1 for a method without one.
    values : (M,) float64, NaN for none.
    differences : (M,) float64, published minus computed value; NaN without both.
    agrees : (M,) bool, whether both are equal to the printed digits: within half a unit of the last one.
    decimals : (M,) int64, decimals that the values are printed with, as shares where the file has per cent.
    """

    name: str
    source: str
    run: int
    values: NDArray[np.float64]
    differences: NDArray[np.float64]
    agrees: NDArray[np.bool_]
    decimals: NDArray[np.int64]

    @property
    def title(self) -> str:
        """Name and source."""
        return f"{self.name} ({self.source})"

    def mark(self, measure: int) -> str:
        """``"="`` for a value that agrees, else its difference with the decimals of the value; "" without one here."""
        if math.isnan(self.differences[measure]):
            return ""
        difference = float(self.differences[measure])
        if self.agrees[measure]:
            return "="
        decimals = max(int(self.decimals[measure]), SHARE_DECIMALS)
        return f"{difference:+.{decimals}f}" if abs(difference) >= 10**-decimals else f"{difference:+.0e}"


#: A number as printed, with a decimal point or comma.
_NUMBER = re.compile(r"[-+]?(?P<whole>\d*)(?:[.,](?P<decimals>\d+))?(?:[eE](?P<exponent>[-+]?\d+))?")

#: What may follow or precede a number in a cell: marks of footnotes, per cent, and a deviation.
_MARKS, _DEVIATION = " *†‡%", re.compile(r"\s*(?:±|\+/-|\+-|\().*")

#: Cells without a value.
_EMPTY = ("", "-", "–", "—", "n/a", "na", "nan", "none")


def printed_number(cell: str) -> tuple[float, float] | None:
    """Value and unit of the last digit of a printed number; NaN for an empty cell, None for other text.

    Examples
    --------
    >>> printed_number("64.28 %"), printed_number("0,364"), printed_number("0.51 ± 0.02"), printed_number("late")
    ((64.28, 0.01), (0.364, 0.001), (0.51, 0.01), None)
    """
    text = cell.strip().replace("−", "-")
    if text.casefold() in _EMPTY:
        return math.nan, math.nan
    text = _DEVIATION.sub("", text).strip(_MARKS)
    found = _NUMBER.fullmatch(text)
    if found is None or not (found["whole"] or found["decimals"]):
        return None
    return float(text.replace(",", ".")), float(f"1e{int(found['exponent'] or 0) - len(found['decimals'] or '')}")


#: Parts of a heading that are not part of the name of a measure.
_DECORATION = re.compile(r"[%↑↓*]|\(\s*%?\s*\)|\[\s*%?\s*\]|\b(?:values?|scores?)\s*$", re.IGNORECASE)


def measure_of_title(title: str) -> ResolvedMeasure:
    """The measure that a column is named after; UnknownKeyError with the nearest name if there is none.

    Signs of per cent and arrows are ignored, and so are a final *value* and a leading *mean*. The levels of the
    SHREC 2006 report are read: ``First Tier (highly relevant)`` is ``FT(rel=2)``.
    """
    name = _DECORATION.sub("", title).strip()
    name = re.sub(r"\s*\(\s*highly relevant\s*\)", "(rel=2)", name, flags=re.IGNORECASE)
    name = re.sub(r"\s*\(\s*relevant\s*\)", "", name, flags=re.IGNORECASE)
    try:
        return find_measure(name)
    except UnknownKeyError:
        short = re.sub(r"^(?:mean|average)\s+", "", name, flags=re.IGNORECASE)
        if short == name:
            raise
        return find_measure(short)


def published_columns(table: PublishedTable) -> tuple[list[PublishedColumn], list[Finding]]:
    """The columns of a table, and findings about headings and values.

    Values above 1 in a column of a measure in [0, 1] are read as per cent. Cells that are no numbers, and values out of
    the range of their measure, are undefined.
    """
    columns: list[PublishedColumn] = []
    findings: list[Finding] = []

    def report(severity: Severity, message: str, action: str = "", row: int = -1) -> None:
        findings.append(Finding(severity, table.source, table.lines[row + 1], message, action))

    for column, title in enumerate(table.titles):
        cells = [row[column] for row in table.cells]
        numbers = [printed_number(cell) for cell in cells]
        if wrong := [row for row, number in enumerate(numbers) if number is None]:
            message = f"{_cells_named(cells, wrong)} in the column '{title}' is not a number"
            report(Severity.WARNING, message, "read as undefined", wrong[0])
        values, units = np.array([number or (math.nan, math.nan) for number in numbers], np.float64).reshape(-1, 2).T
        try:
            measure = measure_of_title(title)
        except UnknownKeyError as error:
            _, _, hint = str(error).partition("; do you mean")
            hint = hint and f"; do you mean{hint}"
            report(Severity.WARNING, f"the column '{title}' is named after no measure{hint}", "ignored")
            columns.append(PublishedColumn(title, None, values, units))
            continue
        if any("," in cell and number for cell, number in zip(cells, numbers, strict=True)):
            report(Severity.INFO, f"decimal commas in the column '{title}'", "read as decimal points")
        low, high = measure.range
        of_hundred = np.array(["%" in cell for cell in cells], np.bool_)
        above = np.flatnonzero(~of_hundred & (values > 1) & (values <= 100))  # larger ones are no per cent either
        if high == 1 and (len(above) or of_hundred.any() or "%" in title):
            if len(above) and "%" not in title:
                message = f"'{cells[above[0]]}' in the column '{title}' of a measure up to 1"
                small = int(np.count_nonzero(~of_hundred & (values <= 1)))
                also = f", also {count_of(small, 'value')} up to 1" if small else ""
                report(Severity.WARNING, message, f"the column is read as per cent{also}", int(above[0]))
            else:
                report(Severity.INFO, f"per cent in the column '{title}'", "read as shares")
            scale = np.where(of_hundred | bool(len(above)) | ("%" in title), 100.0, 1.0)
            values, units = values / scale, units / scale
        outside = np.flatnonzero((values < low) | (values > high))
        if len(outside):
            message = f"{_cells_named(cells, outside)} in the column '{title}' is outside the range of {measure.key}"
            report(Severity.WARNING, message, "read as undefined", int(outside[0]))
            values = np.where((values < low) | (values > high), np.nan, values)
        if measure in [one.measure for one in columns]:
            report(Severity.WARNING, f"the column '{title}' is another one of {measure.key}", "the first one is used")
        columns.append(PublishedColumn(title, measure, values, units))
    return columns, findings


def _cells_named(cells: Sequence[str], rows: Sequence[int] | NDArray[np.int64]) -> str:
    """The first of these cells, and how many others there are."""
    others = f" (and {count_of(len(rows) - 1, 'other cell')})" if len(rows) > 1 else ""
    return f"'{cells[rows[0]]}'{others}"


def published_findings(benchmark: Benchmark) -> tuple[Finding, ...]:
    """Findings about the published tables of a benchmark: headings, values, and runs of no row."""
    found: list[Finding] = []
    for table in benchmark.published:
        columns, findings = published_columns(table)
        known = [column.measure.key for column in columns if column.measure is not None]
        runs = _runs_of(table, [one.name for one in benchmark.runs])
        methods = [name for name, run in zip(table.names, runs, strict=True) if run < 0]
        severity = Severity.INFO if known else Severity.ERROR
        message = f"published scores of {count_of(len(table.names), 'run')} by {join_some(known) or 'no measure'}"
        action = f"without a run here: {join_some(methods)}" if methods else "each has a run here"
        found += [Finding(severity, table.source, None, message, action), *findings]
    return tuple(found)


def published_measures(benchmark: Benchmark) -> tuple[str, ...]:
    """Keys of the measures of the published tables of a benchmark."""
    columns = (column for table in benchmark.published for column in published_columns(table)[0])
    return tuple(dict.fromkeys(column.measure.key for column in columns if column.measure is not None))


def _runs_of(table: PublishedTable, runs: Sequence[str]) -> list[int]:
    """Index of the run that each row of a table is named after, else without regard to case; -1 for none."""
    folded = {run.casefold(): index for index, run in reversed([*enumerate(runs)])}
    exact = {run: index for index, run in enumerate(runs)}
    return [exact.get(name, folded.get(name.casefold(), -1)) for name in table.names]


def published_rows(
    tables: Sequence[PublishedTable],
    runs: Sequence[str],
    measures: Sequence[ResolvedMeasure],
    computed: NDArray[np.float64],
) -> tuple[PublishedRow, ...]:
    """The rows of published tables beside the scores computed here, without rows that have none of the measures.

    Parameters
    ----------
    computed : (R, M) float64, scores of the runs by the measures.
    """
    rows = []
    for table in tables:
        by_key: dict[str, PublishedColumn] = {}
        for column in published_columns(table)[0]:
            if column.measure is not None:
                by_key.setdefault(column.measure.key, column)
        found = [by_key.get(measure.key) for measure in measures]
        for row, run in enumerate(_runs_of(table, runs)):
            values, units = (
                np.array([math.nan if one is None else getattr(one, name)[row] for one in found], np.float64)
                for name in ("values", "units")
            )
            if np.isnan(values).all():
                continue
            differences = values - (computed[run] if run >= 0 else np.full(len(values), np.nan))
            agrees = np.abs(differences) <= units / 2 + EQUAL_MEANS
            source = table.source.rpartition("/")[2]
            decimals = np.maximum(np.round(-np.log10(np.nan_to_num(units, nan=1.0))), 0.0).astype(np.int64)
            rows.append(PublishedRow(table.names[row], source, run, values, differences, agrees, decimals))
    return tuple(rows)


def beside(rows: Sequence[PublishedRow], runs: int) -> list[int]:
    """Order of a table in which each published row follows its run, and those of other methods are last.

    Indices below `runs` are those of the runs; `runs` + n is row n.

    Examples
    --------
    >>> none = [np.zeros(0)] * 4
    >>> beside([PublishedRow(name, "t.csv", run, *none) for name, run in (("x", -1), ("A", 0))], 2)
    [0, 3, 1, 2]
    """
    return [
        index
        for run in (*range(runs), -1)
        for index in ([run] if run >= 0 else []) + [runs + row for row, one in enumerate(rows) if one.run == run]
    ]
