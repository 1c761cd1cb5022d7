"""Queries as a plain list of ids: those of the collection that are asked, or the names that runs use."""

from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.material import Material
from shrec_viewer.formats.naming import IdIndex, without_extension
from shrec_viewer.formats.survey import UNKNOWN
from shrec_viewer.formats.territory import SURE_WORDS
from shrec_viewer.formats.text import read_lines

KNOWN_SHARE = 0.9
"""Share of the words that must be models, or queries of runs: a list with a wrong id stays one."""

HEADERS = ("id", "ids", "query", "queries", "query id", "query_id", "queryid", "name", "model")


def read_query_list(path: Path) -> tuple[str, ...]:
    """Distinct ids, one a line, under a header or none.

    Raises
    ------
    FormatError
        When a line has several words, or an id comes again.
    """
    ids: dict[str, int] = {}
    for number, line in enumerate(read_lines(path), 1):
        word = line.strip().strip('"').rstrip(",;")
        if not word or word.startswith("#") or (not ids and word.casefold() in HEADERS):
            continue
        if len(word.split()) > 1 or set(word) & set(",;\t"):
            raise FormatError(path, f"one id is expected, found '{word[:40]}'", number)
        if word in ids:
            raise FormatError(path, f"'{word}' stands a second time (first in line {ids[word]})", number)
        ids[word] = number
    if not ids:
        raise FormatError(path, "lists nothing")
    return tuple(ids)


def find_query_list(material: Material, items: IdIndex, names: set[str]) -> tuple[Path, tuple[str, ...]] | None:
    """A file that is called after queries and lists names that runs use, or models where none does; None for none.

    Parameters
    ----------
    items : the collection.
    names : queries that runs name.
    """
    for found in material.files("rank_list", UNKNOWN):
        if not SURE_WORDS.search(found.path.stem):
            continue
        try:
            ids = read_query_list(found.path)
        except FormatError:
            continue
        asked = IdIndex(sorted(names - {without_extension(found.path.name)}))  # a lone list is taken for a query's
        share = asked.share(ids) if len(asked) else items.share(ids, exact=True)
        if len(ids) > 1 and share >= KNOWN_SHARE:
            return found.path, ids
    return None
