"""Results of a `Contest`: small tables, comparisons and ranked lists, with short texts and HTML for notebooks."""

import math
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.api.messages import shown
from shrec_viewer.charts.table import Cell, Table, TableColumn
from shrec_viewer.domain import Finding, ShrecViewerError
from shrec_viewer.evaluation.comparison.comparison import Comparison, comparison_summary
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import UnknownKeyError
from shrec_viewer.metrics.measures.measure import suggestion
from shrec_viewer.printable import printable

if TYPE_CHECKING:
    import pandas as pd

#: Rows of a table in its short text and in HTML; the others are counted.
SHOWN_ROWS = 60

#: Places of a ranked list that are shown.
SHOWN_PLACES = 20

#: Frames of models that are not relevant, marginally and highly relevant, and of level 3 and above.
LEVEL_COLOURS = ("#c8ccd2", "#e0a400", "#2a9d4a", "#1668b8")


class ResultTable:
    """A table of results.

    Parameters
    ----------
    table : its columns and rows.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    @property
    def title(self) -> str:
        """What it shows."""
        return self._table.title

    @property
    def columns(self) -> tuple[str, ...]:
        """Keys of the columns."""
        return tuple(column.key for column in self._table.columns)

    @property
    def rows(self) -> tuple[tuple[Cell, ...], ...]:
        """Cells by row: text, numbers, and None for undefined."""
        return tuple(tuple(map(_plain, row)) for row in self._table.rows)

    def __len__(self) -> int:
        return len(self._table.rows)

    def __getitem__(self, column: str) -> list[Cell]:
        """Cells of a column, from the top; `ShrecViewerError` for an unknown one."""
        if column not in self.columns:
            raise ShrecViewerError(f"there is no column {shown(column)}{suggestion(str(column), self.columns)}")
        return self.to_dict()[column]

    def __repr__(self) -> str:
        return _text(self._table)

    def _repr_html_(self) -> str:
        from shrec_viewer.report.tables.formats import text_columns

        columns = text_columns(_first_rows(self._table))
        head = "".join(f"<th>{escape(column.title)} {column.arrow}</th>" for column in columns)
        lines = []
        for row in range(len(columns[0].cells) if columns else 0):
            cells = [
                f"<td style='text-align:{'right' if column.is_number else 'left'};"
                f"font-weight:{'bold' if row in column.best else 'normal'}'>{escape(printable(column.cells[row]))}</td>"
                for column in columns
            ]
            lines.append(f"<tr>{''.join(cells)}</tr>")
        left = _left_out(self._table)
        below = "".join(f"<p>{escape(printable(note))}</p>" for note in (*self._table.notes, *filter(None, [left])))
        caption = f"<caption>{escape(printable(self.title))}</caption>" if self.title else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>{below}"

    def to_dict(self) -> dict[str, Any]:
        """Cells by column; None for undefined."""
        return {key: [row[index] for row in self.rows] for index, key in enumerate(self.columns)}

    def to_pandas(self) -> "pd.DataFrame":
        """A frame with these columns; requires pandas."""
        return _pandas().DataFrame(list(self.rows), columns=list(self.columns))

    def to_latex(self, path: str | Path | None = None) -> str:
        """LaTeX for the package booktabs; also written to a file, which is replaced, with a `path`."""
        return self._written("latex", path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """GitHub Markdown; also written to a file with a `path`."""
        return self._written("markdown", path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Comma-separated values in full precision; also written to a file with a `path`."""
        return self._written("csv", path)

    def _written(self, form: str, path: str | Path | None) -> str:
        from shrec_viewer.formats.io.atomic import atomic_file
        from shrec_viewer.report.tables.formats import TABLE_FORMATS

        text = TABLE_FORMATS[form].write(self._table)
        if path is not None:
            with atomic_file(Path(path)) as draft:
                draft.write_text(text, encoding="utf-8", newline="")
        return text


def _pandas() -> Any:
    """The module pandas, which is no dependency of the program."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ShrecViewerError("frames need pandas: pip install pandas; to_dict and to_csv work without it") from error
    return pd


def _plain(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def _first_rows(table: Table) -> Table:
    return table if len(table.rows) <= SHOWN_ROWS else table.with_rows(range(SHOWN_ROWS))


def _left_out(table: Table) -> str:
    more = len(table.rows) - SHOWN_ROWS
    return f"{more:,} further rows" if more > 0 else ""


def _text(table: Table) -> str:
    from shrec_viewer.report.tables.formats import TABLE_FORMATS

    text = TABLE_FORMATS["table"].write(_first_rows(table)).rstrip("\n")
    return "\n".join(filter(None, [text, _left_out(table)]))


class Findings(tuple[Finding, ...]):
    """Findings as records, shown as a table."""

    __slots__ = ()

    def table(self) -> ResultTable:
        """Severity, location, message and action of each, in the order of reading."""
        rows = tuple((str(one.severity), one.location, one.message, one.action) for one in self)
        columns = tuple(map(TableColumn, ("severity", "location", "message", "action")))
        return ResultTable(Table("findings", "", columns, rows, contests=()))

    def __repr__(self) -> str:
        return repr(self.table()) if self else "no findings"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_() if self else "<p>no findings</p>"


class MeanTable(ResultTable):
    """Means of runs in measures.

    Attributes
    ----------
    scores : values of all queries, curves and conventions, see `evaluation.scores.Scores`.
    """

    def __init__(self, scores: Scores) -> None:
        self.scores = scores
        super().__init__(_means_table(scores))

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return self.scores.runs

    @property
    def measures(self) -> tuple[str, ...]:
        """Keys of the measures."""
        return tuple(measure.key for measure in self.scores.measures)

    @property
    def mean(self) -> dict[str, dict[str, float]]:
        """``{measure: {run: mean}}``; NaN where it is undefined."""
        means = self.scores.mean().tolist()
        return {
            key: {run: means[row][column] for row, run in enumerate(self.runs)}
            for column, key in enumerate(self.measures)
        }

    def __getitem__(self, measure: str) -> Any:
        """``{run: mean}`` of a measure, or the names of the runs for ``"run"``."""
        return list(self.runs) if measure == "run" else self.mean[self.measures[self._column(measure)]]

    def _column(self, measure: str) -> int:
        try:
            return self.scores.column(str(measure))
        except UnknownKeyError as error:
            raise ShrecViewerError(str(error)) from None

    def per_query(self, measure: str) -> ResultTable:
        """Values of each query: a row for each query, a column for each run; None where undefined or missing."""
        column = self._column(measure)
        resolved = self.scores.measures[column]
        columns = [TableColumn("query")] + [TableColumn(run, "", True, resolved.better) for run in self.runs]
        values = self.scores.values[:, :, column].T.tolist()
        rows = tuple((query, *row) for query, row in zip(self.scores.queries, values, strict=True))
        return ResultTable(Table("per_query", f"{resolved.key} of each query", tuple(columns), rows, contests=()))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """See `mean`."""
        return self.mean


def _means_table(scores: Scores) -> Table:
    columns = [TableColumn("run")]
    columns += [TableColumn(measure.key, "", True, measure.better) for measure in scores.measures]
    rows = tuple((run, *row) for run, row in zip(scores.runs, scores.mean().tolist(), strict=True))
    return Table("scores", f"Means under {scores.profile.title} ({scores.profile.key})", tuple(columns), rows)


@dataclass(frozen=True)
class RunComparison:
    """Two runs in one measure; every difference is b minus a, as in `shrec-viewer compare`.

    Attributes
    ----------
    run_a, run_b : names.
    measure : key.
    difference : of the means over the queries for which both have a value.
    interval : limits of its confidence interval; NaN for fewer than two queries.
    p : of the paired randomisation test.
    sentence : the result in words.
    per_query : query, both values and their difference, a row for each query that was compared.
    """

    run_a: str
    run_b: str
    measure: str
    difference: float
    interval: tuple[float, float]
    p: float
    sentence: str
    per_query: ResultTable

    def __repr__(self) -> str:
        return self.sentence


def comparison_of(scores: Scores, found: Comparison) -> RunComparison:
    """The comparison of two runs, with the values of each query."""
    column = scores.column(found.measure.key)
    rows = [scores.run_index(name) for name in (found.run_a, found.run_b)]
    a, b = scores.values_in_mean[rows, :, column]
    columns = [TableColumn("query")]
    columns += [TableColumn(name, "", True, found.measure.better) for name in (found.run_a, found.run_b)]
    columns.append(TableColumn("difference", "", True, is_difference=True))
    compared = np.flatnonzero(~np.isnan(b - a)).tolist()
    lines = tuple(
        (scores.queries[query], float(a[query]), float(b[query]), float(b[query] - a[query])) for query in compared
    )
    return RunComparison(
        found.run_a,
        found.run_b,
        found.measure.key,
        found.difference.mean,
        (found.difference.low, found.difference.high),
        found.test.p,
        comparison_summary(found),
        ResultTable(Table("per_query", f"{found.measure.key} of each query", tuple(columns), lines, contests=())),
    )


class CurvePoints(NamedTuple):
    """Points of a curve, (K,) float64 each; NaN where it is undefined."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]


class Place(NamedTuple):
    """One place of a ranked list; `distance` is NaN if the run has none, or the similarity of a run of these."""

    rank: int
    model: str
    level: int
    distance: float


class RankedPlaces(Sequence[Place]):
    """The ranked list of one query, best first.

    Parameters
    ----------
    title : run and query.
    places : all of them.
    missing : whether the run has no results for the query.
    not_retrieved : relevant models that are not in the list.
    draw : images of these models as WebP, by id; only for notebooks.
    """

    def __init__(
        self,
        title: str,
        places: Sequence[Place],
        *,
        missing: bool,
        not_retrieved: tuple[str, ...],
        draw: Callable[[Sequence[str]], Mapping[str, bytes]],
    ) -> None:
        self.title, self.missing, self.not_retrieved = title, missing, not_retrieved
        self._places, self._draw = tuple(places), draw

    @property
    def models(self) -> list[str]:
        """Ids of the models, best first."""
        return [place.model for place in self._places]

    @property
    def levels(self) -> list[int]:
        """Relevance level of each place."""
        return [place.level for place in self._places]

    @property
    def distances(self) -> list[float]:
        """Distance of each place."""
        return [place.distance for place in self._places]

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Place: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Place, ...]: ...

    def __getitem__(self, index: int | slice) -> Place | tuple[Place, ...]:
        return self._places[index]

    def __iter__(self) -> Iterator[Place]:
        return iter(self._places)

    def _table(self) -> Table:
        columns = tuple(TableColumn(name, "", name != "model") for name in Place._fields)
        more = len(self) - SHOWN_PLACES
        notes = (f"{more:,} further places",) if more > 0 else ()
        return Table("ranked_list", self.title, columns, tuple(self._places[:SHOWN_PLACES]), notes, contests=())

    def __repr__(self) -> str:
        return _text(self._table())

    def _repr_html_(self) -> str:
        shown = self._places[:SHOWN_PLACES]
        images = self._draw([place.model for place in shown])
        cards = []
        for place in shown:
            colour = LEVEL_COLOURS[min(place.level, len(LEVEL_COLOURS) - 1)]
            name = escape(printable(place.model))
            image = images.get(place.model)
            picture = (
                f"<img alt='' width='96' height='96' src='data:image/webp;base64,{b64encode(image).decode()}'>"
                if image is not None
                else "<div style='width:96px;height:96px'></div>"
            )
            cards.append(
                f"<div style='border:3px solid {colour};border-radius:4px;padding:2px;width:96px;font-size:11px;"
                f"overflow:hidden' title='{name}: level {place.level}'>{picture}<div>{place.rank}. {name}</div></div>"
            )
        more = len(self) - len(shown)
        below = f"<div>{more:,} further places</div>" if more > 0 else ""
        body = f"<div style='display:flex;flex-wrap:wrap;gap:4px'>{''.join(cards)}</div>"
        return f"<div><b>{escape(printable(self.title))}</b></div>{body}{below}"

    def to_pandas(self) -> "pd.DataFrame":
        """A frame with rank, model, level and distance; requires pandas."""
        return _pandas().DataFrame(list(self._places), columns=list(Place._fields))

    def to_dict(self) -> dict[str, list[Any]]:
        """Cells by column."""
        return {name: [getattr(place, name) for place in self._places] for name in Place._fields}
