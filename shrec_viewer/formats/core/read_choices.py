"""Values of the options for reading a run; imports nothing else, as the command line lists them in its help."""

#: Columns of rank lists. ``id``: a second column is ignored.
LIST_COLUMNS = ("id", "id distance", "distance id")

#: Roles of the columns of a table. ``score``: larger is more similar; ``-``: ignored.
COLUMN_ROLES = ("query", "model", "rank", "score", "distance", "-")

_ROLE = "|".join(COLUMN_ROLES)

#: One of LIST_COLUMNS, or the role of each column, one a model: ``query,model,-,score``. Only ``-`` can repeat.
COLUMNS_PATTERN = (
    rf"^(?:{'|'.join(LIST_COLUMNS)}|(?=(?:.*,)?model(?:,|$))(?!(?:.*,)?([a-z]+)(?:,.*)?,\1(?:,|$))"
    rf"(?:{_ROLE})(?:,(?:{_ROLE}))*)\Z"
)

#: Roles of the columns of a table of relevance levels, or of classes. ``part``: of queries or of the gallery.
TRUTH_ROLES = ("query", "model", "level", "class", "subclass", "part", "-")

_TRUTH_ROLE = "|".join(TRUTH_ROLES)

#: The role of each column, at least two of query, model and class. Only ``-`` can repeat.
TRUTH_COLUMNS_PATTERN = (
    r"^(?=(?:.*,)?(?:query|model|class),(?:.*,)?(?:query|model|class)(?:,|$))"
    rf"(?!(?:.*,)?([a-z]+)(?:,.*)?,\1(?:,|$))(?:{_TRUTH_ROLE})(?:,(?:{_TRUTH_ROLE}))*\Z"
)

#: `TRUTH_COLUMNS_PATTERN` in words.
TRUTH_COLUMNS_TEXT = "roles of all columns such as 'query,-,model,level', 'model,class' or 'query,class'"

#: `COLUMNS_PATTERN` in words.
COLUMNS_TEXT = "'id', 'id distance', 'distance id', or roles of all columns such as 'query,model,-,score'"


def split_roles(columns: str | None) -> tuple[str, ...]:
    """Role of each column; empty for None and for one of LIST_COLUMNS."""
    return () if columns is None or columns in LIST_COLUMNS else tuple(columns.split(","))


#: Row and column orders of a matrix, see `formats.matrices.interpretation`.
MATRIX_ORDERS = ("classification", "names", "numbers", "characters")

#: Order of matrices by key of the profile of a contest that fixes it.
ORDERS_OF_PROFILES = {"psb": MATRIX_ORDERS[0]}

#: Meaning of the values of a matrix: distances (or ranks), model numbers, best first, or feature vectors, one a row.
#:
#: A row or column of distances that is all NaN is no list and no model of the run, unless ``distances`` is set
#: explicitly.
CELL_VALUES = ("distances", "models from 1", "models from 0", "vectors")

VECTOR_CELLS = CELL_VALUES[3]

#: Metrics of feature vectors, see `formats.matrices.vectors`, with their names in the interface.
METRIC_LABELS = {
    "l2": "Euclidean distance", "l2sq": "squared Euclidean distance", "cosine": "cosine distance",
    "ip": "inner product", "l1": "sum of absolute differences", "chi2": "χ² distance",
    "hellinger": "Hellinger distance", "js": "Jensen–Shannon distance",
}  # fmt: skip

#: The first is the default.
METRICS = tuple(METRIC_LABELS)

#: Metrics by their names in scipy, scikit-learn and FAISS.
OTHER_METRIC_NAMES = {
    "euclidean": "l2", "sqeuclidean": "l2sq", "cityblock": "l1", "manhattan": "l1", "inner_product": "ip",
    "jensenshannon": "js",
}  # fmt: skip

#: Query of each row of a matrix or list: as ids, file names and order say, or the model nearest to it.
BY_NAME, BY_NEAREST = QUERY_SOURCES = ("name", "nearest")

#: What differs between the files of a matrix in several files: their rows or their columns.
BLOCKS_OF_QUERIES, BLOCKS_OF_MODELS = MATRIX_BLOCKS = ("queries", "models")

#: Field of `ReadOptions` of each option of the command line for reading runs.
READ_OPTION_OF = {
    "order": "order", "list_columns": "columns", "matrix_cells": "cells", "query_line": "query_line",
    "similarity": "similarity", "queries_by": "queries_by", "metric": "metric",
}  # fmt: skip
