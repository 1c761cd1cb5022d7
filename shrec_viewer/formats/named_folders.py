"""Folders whose files are named after the queries: each is a run, or somebody is told why it is none."""

import re
from collections.abc import Iterator
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.journal import count_of
from shrec_viewer.formats.list_runs import read_list
from shrec_viewer.formats.material import LISTABLE, NOTHING_LISTED, ListFolder, Material
from shrec_viewer.formats.naming import without_extension
from shrec_viewer.formats.query_names import NAMED_SHARE, affixed
from shrec_viewer.formats.survey import EMPTY, MESH, PICTURE, Found
from shrec_viewer.formats.text import read_head

KNOWN_SHARE = 0.5
"""Share of a list's words that must be ids of models for it to be read as one."""

TRIED = 3
"""Files that are looked into: one may be faulty."""

BESIDE_MODELS = (".mtl", ".json", ".xml", ".html", ".md", ".log")
"""Endings of what lies beside models under their names, and never holds a list."""

MOST_ODD = 1
"""Lines that are none of a list in a file that is read as one though it does not begin like one."""

TRUTH_WORDS = re.compile(r"relevan|truth|qrel|judg|assess|(?<![a-z])gt(?![a-z])", re.IGNORECASE)
"""Parts of names of folders that say what is relevant to each query."""

SHOWN = 40
"""Letters of a line that are quoted."""

EXPECTED = "left out; lines 'id', 'id distance' or 'distance id' are expected, best first"


def named_folders(material: Material, context: Context) -> list[ListFolder]:
    """Folders that no reader took for lists, but whose files are named after queries and can be read as lists.

    Such a folder that cannot is an error, or a warning where nothing in it looks like a list over the collection.
    """
    known = {folder.path for folder in material.lists}
    found = []
    for survey in material.surveys:
        for folder, files in survey.folders.items():
            if folder not in known and (named := _named(files, context)):
                run = ListFolder(folder, tuple(named), NOTHING_LISTED)
                if _is_readable(run, context):
                    found.append(run)
    _note_empty(material, {*known, *(run.path for run in found)}, context)
    return found


def _named(files: list[Found], context: Context) -> list[Found]:
    """Files that could be lists, if most of them have the name of a query and no model or picture beside them has."""
    lists = [file for file in files if file.kind in LISTABLE and file.path.suffix.lower() not in BESIDE_MODELS]
    names = [without_extension(file.path.name) for file in lists]
    if len(lists) < 2 or affixed(names, context.query_ids)[0].share(names) < NAMED_SHARE:
        return []
    models = {without_extension(file.path.name) for file in files if file.kind in (MESH, PICTURE)}
    return lists if sum(name in models for name in names) < NAMED_SHARE * len(names) else []


def _is_readable(run: ListFolder, context: Context) -> bool:
    names = [without_extension(file.path.name) for file in run.files]
    journal, (queries, _) = context.journal, affixed(names, context.query_ids)
    told = [file for file in run.files if queries.place(file.path.name) >= 0]
    query = context.queries.ids[queries.place(told[0].path.name)]
    message = (
        f"{count_of(len(told), 'file is', 'files are')} named after queries ('{told[0].path.name}' after '{query}')"
    )
    filled = [file for file in told if file.kind != EMPTY]
    for file in run.files:
        journal.mention(file.path)
    if not filled:
        journal.error(run.path, f"{message}, and all are empty", "the run is left out")
        return False
    for file in filled[:TRIED]:
        try:
            found = read_list(file.path, context.items)
        except FormatError:
            continue
        is_known = any(context.items.share(list(column)) >= KNOWN_SHARE for column in found.columns)
        if is_known and len(found.odd) <= MOST_ODD:
            return True
    first = filled[0].path
    line = next(iter(_first_lines(first)), "")
    model = context.collection.ids[0] if len(context.collection) else ""
    message += f", but the first line of '{first.name}', '{line[:SHOWN]}', is none of a ranked list"
    message += f" of models such as '{model}'"
    words = line.replace(",", " ").replace(";", " ").replace('"', " ").split()
    is_near = any(context.items.place(word) >= 0 for word in words) and len(words) <= len(context.collection)
    note = journal.error if is_near else journal.warning
    if TRUTH_WORDS.search(run.path.name):
        note = journal.info
    note(run.path, message, EXPECTED)
    return False


def _first_lines(path: Path) -> tuple[str, ...]:
    try:
        return read_head(path).lines[:1]
    except FormatError:
        return ()


def _note_empty(material: Material, runs: set[Path], context: Context) -> None:
    """Folders with nothing in them, where runs lie beside them."""
    beside = {path.parent for path in runs}
    for path in _empty_folders(material):
        if path.parent in beside:
            context.journal.warning(path, "is empty, and runs lie beside it", "passed over")


def _empty_folders(material: Material) -> Iterator[Path]:
    for survey in material.surveys:
        above = {folder.parent for folder in survey.folders}
        yield from (folder for folder, files in survey.folders.items() if not files and folder not in above)
