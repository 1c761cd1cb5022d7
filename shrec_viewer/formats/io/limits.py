"""Limits of files and their contents, which bound the time and memory of reading any file."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shrec_viewer.domain.errors import FormatError

# The largest real data considered are a collection of 10^6 models and 10^4 queries; contests so far had at most 51,190
# models (ShapeNetCore55), 10^4 queries, a run of 10^7 lines and a text matrix of 8,987 x 8,987 numbers.

#: Bytes of benchmark.toml, a project or settings: 10^4 notes of one page each; tomllib (3.11) reads 2 MB/s.
MAX_DOCUMENT_BYTES = 2**24

#: Depth of tables and lists in TOML and JSON, parts of a dotted key, and levels of classes: projects have 6 levels,
#: the classes of WordNet 20. tomllib (3.11) takes time in the square of the parts of a key.
MAX_DEPTH = 32

#: Keys of a TOML document: a level for each of 10^4 queries and 20 classes.
MAX_KEYS = 2**18

#: ``[[runs]]`` tables of a document; contests have at most 200 runs.
MAX_DOCUMENT_RUNS = 2**10

#: Bytes of an id, a class name or a key: the longest path of Linux. Longer ones cannot be shown or be file names.
MAX_NAME_BYTES = 2**12

#: Bytes of a text that is read as a whole (classification, list, table, JSON): qrels of 10^7 lines.
MAX_TEXT_BYTES = 2**28

#: Lines of such a text.
MAX_LINES = 2**24

#: Ids and cells of a table, a submission or a JSON file: the first 1,000 models for each of 10^4 queries; 1 GB.
MAX_ENTRIES = 2**24

#: Words of a classification, and different ids of a TREC run: four times 10^6 models.
MAX_IDS = 2**22

#: Models, and queries, of a run: a matrix of a few bytes can declare more, for which ids would be made.
MAX_MODELS = 10**7

#: Bytes of a line: a row of 4 million numbers of 16 characters.
MAX_LINE_BYTES = 2**26

#: Numbers or cells of a line: four times 10^6 models; also a matrix of 2,048 x 2,048 in one line.
MAX_LINE_TOKENS = 2**22

#: Numbers of a text matrix, 4 GiB in memory where the cache cannot hold them: 10^4 queries and 53,000 models.
MAX_NUMBERS = 2**29

#: Bytes of an array that is unpacked into memory (`.npz`, `.mat`, gzip), as `MAX_NUMBERS`.
MAX_ARRAY_BYTES = 2**32

#: Bytes of a file with settings of this program, such as stored cameras.
MAX_STATE_BYTES = 2**22


def check_counts(path: object, n_queries: int, n_models: int) -> None:
    """FormatError for more than `MAX_MODELS` queries or models; called before anything is read or made for them."""
    for count, unit in ((n_models, "models"), (n_queries, "queries")):
        if count > MAX_MODELS:
            raise limit_error(MAX_MODELS, unit, path)


def limit_error(limit: int, unit: str, path: object, line: int | None = None) -> "FormatError":
    """Error about a file that exceeds a limit: ``has more than 4,194,304 ids, the limit``."""
    from shrec_viewer.domain.errors import FormatError  # the package imports numpy, which settings do without

    return FormatError(str(path), f"has more than {limit:,} {unit}, the limit", line)
