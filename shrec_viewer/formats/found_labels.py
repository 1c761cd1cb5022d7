"""Truth in files that do not say what they are: taken where ids or lengths fit, else named with what reads it."""

from collections.abc import Sequence

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.hints import part_hint
from shrec_viewer.formats.journal import Journal, count_of
from shrec_viewer.formats.label_vector import LabelVector
from shrec_viewer.formats.labels import LabelTable
from shrec_viewer.formats.loose_labels import LARGEST, read_loose_labels, table_of
from shrec_viewer.formats.material import Material
from shrec_viewer.formats.naming import IdIndex, natural_key
from shrec_viewer.formats.placing import stem
from shrec_viewer.formats.survey import UNKNOWN, Found
from shrec_viewer.formats.territory import QUERY_WORDS

KINDS = ("table", "rank_list", UNKNOWN)
"""What such a table may look like to the readers of other formats."""

MOST_LISTS = 4
"""Files that look like ranked lists in one folder; more are lists of a run."""

KNOWN_SHARE = 0.5
"""Share of ids that other files must name, or of what they name that must be ids here."""


def take_found_labels(material: Material, journal: Journal) -> None:
    """Put tables of ids and classes into `material.tables`, and away from the lists; a finding for each.

    A table is taken where its ids are those of runs or files, where its header names both columns, or where it is as
    long as a side of a matrix, with a warning. Labels without ids are taken where they are so long.
    """
    others = _named_ids(material)
    for found in _candidates(material):
        try:
            table, named = read_loose_labels(found.path)
        except FormatError:
            continue
        about = f"a table of {count_of(len(table), 'id')} in {count_of(table.n_filled, 'class', 'classes')}"
        side = _side(len(table), material)
        if _is_known(table, others):
            journal.info(table.path, f"{about}, which runs or files name as well", "taken for classes")
        elif named and not others:
            journal.info(table.path, f"{about}, as its first line says", "taken for classes")
        elif side and not others:
            journal.warning(table.path, f"{about}, as many as {side}", "taken for its classes, in this order")
        else:
            hint = part_hint("collection", "classification", "classification", journal.place(table.path))
            first = others[0][0] if others and others[0] else ""
            known = f"; '{table.ids[0]}' is one, while other files name '{first}'" if first else ""
            journal.warning(table.path, f"looks like {about}{known}", f"passed over; to take it: {hint}")
            continue
        _take(table, material)
    for vector in material.label_vectors:
        _take_vector(vector, material, journal)


def _candidates(material: Material) -> list[Found]:
    """Files that may be such a table; not those of folders of lists."""
    found = []
    for survey in material.surveys:
        for files in survey.folders.values():
            if sum(file.kind == "rank_list" for file in files) <= MOST_LISTS:
                found += [file for file in files if file.kind in KINDS and 0 < file.size <= LARGEST]
    return found


def _take(table: LabelTable, material: Material) -> None:
    material.tables.append(table)
    material.side = [side for side in material.side if side.path != table.path]
    material.lists = [folder for folder in material.lists if folder.sample.path != table.path]


def _named_ids(material: Material) -> list[Sequence[str]]:
    """Ids that each kind of other file names, where it names some."""
    sides: list[Sequence[str]] = [side for matrix in material.named for side in (matrix.columns, matrix.rows)]
    sides += [side for run in material.tabled for side in (run.models, run.queries)]
    sides += [column for folder in material.lists if len(folder.names) > MOST_LISTS for column in folder.sample.columns]
    sides += [folder.names for folder in material.lists if len(folder.names) > MOST_LISTS]
    sides.append([stem(path) for path in (*material.meshes, *material.pictures)])
    return [side for side in sides if side]


def _is_known(table: LabelTable, others: Sequence[Sequence[str]]) -> bool:
    index = IdIndex(table.ids)
    return any(index.share(side) >= KNOWN_SHARE for side in others)


def _side(count: int, material: Material) -> str:
    """What of a matrix has so many; "" for none."""
    for matrix in material.matrices:
        if matrix.values.ndim == 2 and matrix.values.shape[1] == count:
            return f"'{matrix.path.name}' has columns"
        if matrix.values.ndim == 2 and matrix.values.shape[0] == count:
            return f"'{matrix.path.name}' has rows"
    return ""


def _take_vector(vector: LabelVector, material: Material, journal: Journal) -> None:
    """Labels as a table whose ids are the names of as many meshes, or numbers."""
    n_classes = len(set(vector.labels))
    about = f"{count_of(len(vector), 'label')} in {count_of(n_classes, 'class', 'classes')} without ids"
    side = _side(len(vector), material)
    files = sorted((stem(path) for path in material.meshes), key=natural_key)
    if not side and len(files) == len(set(files)) == len(vector):
        action = "taken for the classes of the models in the natural order of their files"
        journal.warning(vector.path, f"{about}, as many as there are meshes", action)
        material.tables.append(table_of(vector.path, files, vector.labels))
        return
    if not side or n_classes < 2:
        action = "left aside: no matrix here has as many rows or columns, and there are not as many meshes"
        journal.warning(vector.path, about, action)
        return
    is_query = bool(QUERY_WORDS.search(vector.path.stem))
    ids = [f"row {place}" if is_query else str(place) for place in range(1, len(vector) + 1)]
    action = f"taken for their classes, in their order; the ids are '{ids[0]}' to '{ids[-1]}'"
    journal.warning(vector.path, f"{about}, as many as {side}", action)
    material.tables.append(table_of(vector.path, ids, vector.labels))
