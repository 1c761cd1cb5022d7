"""Options for reading a run: format, columns, direction, order and cell values."""

from dataclasses import dataclass, fields, replace
from typing import Any

LIST_COLUMNS = ("id", "id distance", "distance id")
"""What the columns of rank lists can be. ``id``: a second column means nothing."""

MATRIX_ORDERS = ("classification", "names", "numbers")
"""What the columns of a matrix can be in the order of: see `formats.orders`."""

CELL_VALUES = ("distances", "models from 1", "models from 0")
"""What the numbers of a matrix can be: distances (or ranks: smaller is nearer), or model numbers, best first."""

DIRECTIONS = {"true": True, "false": False}


@dataclass(frozen=True)
class ReadOptions:
    """What is said about the reading of a run; None: as its content says.

    Attributes
    ----------
    format : one of FORMATS.
    columns : one of COLUMNS, for rank lists.
    similarity : larger is nearer.
    order : one of ORDERS, for matrices.
    cells : one of CELLS, for matrices.
    """

    format: str | None = None
    columns: str | None = None
    similarity: bool | None = None
    order: str | None = None
    cells: str | None = None

    def over(self, other: "ReadOptions") -> "ReadOptions":
        """These words, and where they say nothing, those of `other`."""
        said: dict[str, Any] = {name: value for name, value in vars(self).items() if value is not None}
        return replace(other, **said)

    def choosing(self, key: str, option: str) -> "ReadOptions":
        """The same but for one answer to a question of a `Preview`; ``""``: as the content says.

        Parameters
        ----------
        key : name of a field.
        option : value of the field as text; ``"true"`` and ``"false"`` for `similarity`.
        """
        if key not in {field.name for field in fields(self)}:
            raise ValueError(f"'{key}' says nothing about the reading of a run")
        if key == "similarity":
            return replace(self, similarity=DIRECTIONS.get(option))
        said: dict[str, Any] = {key: option or None}
        return replace(self, **said)


DETECT_ALL = ReadOptions()
"""Nobody says anything: all as the content says."""
