"""The record of a table, and the best and second best values of its columns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isclose, isfinite
from typing import Any, Literal

#: Text, a count, a value, or None for undefined.
Cell = str | int | float | None


def sort_key(cell: Cell) -> tuple[int, float, str]:
    """Key by which cells of a column are sorted: numbers before texts, which are compared without case."""
    return (1, 0.0, cell.casefold()) if isinstance(cell, str) else (0, float(cell or 0), "")


Direction = Literal["higher", "lower", "none"]

#: Decimals of values in Markdown, LaTeX and aligned text unless others are chosen: as in the papers of contests.
DIGITS = 3

#: Largest difference of values that count as equal: sums in another order differ by less.
EQUAL_WITHIN = 1e-12


@dataclass(frozen=True)
class TableColumn:
    """A column of a table.

    Attributes
    ----------
    key : heading in CSV, JSON and text with tabs.
    title : heading in Markdown and LaTeX; "" for `key`.
    is_number : whether the cells are counts and values, which are right-aligned.
    better : which values are better; the best and second best value of a column without a direction are not marked.
    digits : decimals of values; None for full precision in CSV, JSON and text with tabs, and for `DIGITS` in others.
    shown_digits : decimals in the window; None for counts as they are and values with `DIGITS` decimals.
    is_difference : whether numbers are shown with their sign in the window.
    undefined : text of undefined cells in the window.
    """

    key: str
    title: str = ""
    is_number: bool = False
    better: Direction = "none"
    digits: int | None = None
    shown_digits: int | None = None
    is_difference: bool = False
    undefined: str = ""


@dataclass(frozen=True, eq=False)
class Table:
    """A table of results.

    Attributes
    ----------
    key : kind of the table, part of file names and of the JSON document.
    title : caption.
    columns : (C,) from the left.
    rows : (R,) from the top, with C cells each; NaN and infinite values are undefined.
    notes : sentences below the table, such as what significance letters mean.
    letters : by index of a column, (R,) significance letters of its cells: cells that share one do not differ
        significantly; in rows of published scores, differences from the scores computed here.
    contests : groups of indices of rows whose values are compared with each other; None for all rows.
    cell_digits : by index of a column, (R,) decimals of its cells in Markdown, LaTeX and aligned text, such as those
        that published scores are printed with; None for those of the column.
    """

    key: str
    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    letters: Mapping[int, Sequence[str]] = field(default_factory=dict)
    contests: tuple[tuple[int, ...], ...] | None = None
    cell_digits: Mapping[int, Sequence[int | None]] = field(default_factory=dict)

    @property
    def headings(self) -> tuple[str, ...]:
        """Keys of the columns with a capital, as titles in the window."""
        return tuple(column.key.capitalize() for column in self.columns)

    def best(self, column: int, number: int = 1) -> frozenset[int]:
        """Indices of the rows with the best (`number` 1) or second best (2) value of a column, including ties.

        Empty for columns without a direction, and where fewer than two rows have a value.
        """
        found: set[int] = set()
        if self.columns[column].better == "none":
            return frozenset()
        sign = 1.0 if self.columns[column].better == "lower" else -1.0
        for rows in (tuple(range(len(self.rows))),) if self.contests is None else self.contests:
            keys = {row: sign * value for row in rows if (value := _finite(self.rows[row][column])) is not None}
            if len(keys) < 2:
                continue
            left = dict(keys)
            top: set[int] = set()
            for _ in range(number):
                left = {row: key for row, key in left.items() if row not in top}
                top = {row for row, key in left.items() if isclose(key, min(left.values()), abs_tol=EQUAL_WITHIN)}
            found |= top
        return frozenset(found)

    def shown_rows(
        self,
        containing: str = "",
        column: int = -1,
        *,
        is_descending: bool = False,
        key: Callable[[int], Any] | None = None,
    ) -> list[int]:
        """Indices of the rows that contain all words of a text, sorted by a column; -1 for the given order.

        Undefined cells are last in both directions. The order of equal cells is that of the rows.

        Parameters
        ----------
        key : function of the index of a row, by which rows are sorted instead of the cells of the column.
        """
        rows = list(range(len(self.rows)))
        if words := containing.casefold().split():
            texts = [" ".join(str(cell) for cell in row if cell is not None).casefold() for row in self.rows]
            rows = [row for row, text in enumerate(texts) if all(word in text for word in words)]
        if column < 0:
            return rows
        if key is not None:
            return sorted(rows, key=key, reverse=is_descending)
        cells = [row[column] for row in self.rows]
        known = [row for row in rows if not is_undefined(cells[row])]
        return [
            *sorted(known, key=lambda row: sort_key(cells[row]), reverse=is_descending),
            *(row for row in rows if is_undefined(cells[row])),
        ]

    def with_rows(self, rows: Sequence[int]) -> "Table":
        """The table with the rows of these indices, in this order; groups of rows that compete are dropped."""
        return replace(
            self,
            rows=tuple(self.rows[row] for row in rows),
            letters={column: tuple(letters[row] for row in rows) for column, letters in self.letters.items()},
            cell_digits={column: tuple(digits[row] for row in rows) for column, digits in self.cell_digits.items()},
            contests=self.contests if self.contests in (None, ()) else None,
        )

    def with_digits(self, digits: int | None) -> "Table":
        """The table with this number of decimals of all values; the same table for None."""
        if digits is None:
            return self
        return replace(self, columns=tuple(replace(column, digits=digits) for column in self.columns))


def is_undefined(cell: Cell) -> bool:
    """Whether a cell is empty or NaN."""
    return cell is None or cell != cell  # NaN


def _finite(cell: Cell) -> float | None:
    return float(cell) if isinstance(cell, int | float) and isfinite(cell) else None


def table_rows(columns: Sequence[Sequence[Cell]]) -> tuple[tuple[Cell, ...], ...]:
    """Rows of a table whose columns have the same length."""
    return tuple(zip(*columns, strict=True))
