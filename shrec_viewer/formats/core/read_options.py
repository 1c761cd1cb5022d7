"""Options for reading a run: format, columns, direction, order and cell values."""

from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any

from msgspec import Meta

from shrec_viewer.formats.core.read_choices import (
    CELL_VALUES,
    COLUMNS_PATTERN,
    COLUMNS_TEXT,
    MATRIX_BLOCKS,
    METRICS,
    QUERY_SOURCES,
    TRUTH_COLUMNS_PATTERN,
    TRUTH_COLUMNS_TEXT,
    split_roles,
)
from shrec_viewer.formats.io.schema import Name, stored

BOOLEAN_OPTIONS = ("similarity", "query_line")
BOOLEANS = {"true": True, "false": False}

#: Type of `ReadOptions.columns`.
Columns = Annotated[str, Meta(pattern=COLUMNS_PATTERN, description=COLUMNS_TEXT)]

#: Type of the roles of the columns of a table of truth.
TruthColumns = Annotated[str, Meta(pattern=TRUTH_COLUMNS_PATTERN, description=TRUTH_COLUMNS_TEXT)]

#: Type of `ReadOptions.format` in documents, whose reader knows the formats.
FormatKey = Annotated[Name, "key of a run format"]


@dataclass(frozen=True)
class ReadOptions:
    """How to read a run; None in a field: detected from the content.

    Attributes
    ----------
    format : key of a run format.
    columns : roles of the columns of a table with a query in each row, or columns of rank lists; see COLUMNS_PATTERN.
    similarity : larger values are more similar.
    order : for matrices: one of MATRIX_ORDERS, or the path of a list of ids, relative to the folder of the benchmark.
    cells : one of CELL_VALUES, for matrices.
    query_line : whether the first line of each rank list is the name of its query.
    queries_by : one of QUERY_SOURCES, for runs whose queries are models.
    blocks : one of MATRIX_BLOCKS, for matrices in several files.
    metric : one of METRICS, for feature vectors.
    """

    format: FormatKey | None = None
    columns: Columns | None = None
    similarity: bool | None = None
    order: Name | None = None
    cells: str | None = field(default=None, metadata=stored(choices=CELL_VALUES))
    query_line: bool | None = None
    queries_by: str | None = field(default=None, metadata=stored(choices=QUERY_SOURCES))
    blocks: str | None = field(default=None, metadata=stored(choices=MATRIX_BLOCKS))
    metric: str | None = field(default=None, metadata=stored(choices=METRICS))

    def merged_over(self, other: "ReadOptions") -> "ReadOptions":
        """A copy in which fields that are None have the values of `other`."""
        values: dict[str, Any] = {name: value for name, value in vars(self).items() if value is not None}
        return replace(other, **values)

    def with_option(self, key: str, option: str) -> "ReadOptions":
        """A copy with one field set to an option of a `Question`; ``""`` for detected.

        Parameters
        ----------
        key : name of a field.
        option : value of the field as text; ``"true"`` and ``"false"`` for `similarity` and `query_line`.
        """
        if key not in {field.name for field in fields(self)}:
            raise ValueError(f"'{key}' is not a field of ReadOptions")
        values: dict[str, Any] = {key: BOOLEANS.get(option) if key in BOOLEAN_OPTIONS else option or None}
        if key == "columns" and split_roles(option):
            values["similarity"] = None  # the roles say the direction
        return replace(self, **values)


#: Options with which everything is detected from the content.
DETECT_ALL = ReadOptions()
