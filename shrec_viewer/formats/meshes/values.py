"""Read the values of a quantity, or a correspondence, from the file beside a mesh."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Quantity, Severity
from shrec_viewer.domain.mesh import Mesh, MeshPlace, MeshValues
from shrec_viewer.formats.core.findings_log import count_of, join_some
from shrec_viewer.formats.io.files import check_regular_file
from shrec_viewer.formats.io.text import is_comment, os_errors, read_file_head, read_list_text
from shrec_viewer.formats.matrices.matrix import read_matrix
from shrec_viewer.formats.matrices.text_matrix import read_text_matrix, split_cells
from shrec_viewer.formats.meshes.mesh_reader import read_mesh

#: Largest number of a label; colours of more labels cannot be told apart.
MAX_LABEL = 9_999

#: Colour of vertices without a match, and the darkest and lightest channel of the others: all are seen when lit.
UNMATCHED, DARK, LIGHT = (150, 150, 150, 255), 50.0, 255.0

_PLURALS: dict[MeshPlace, str] = {"vertex": "vertices", "face": "faces"}


def read_values(path: Path, mesh: Mesh, quantity: Quantity) -> MeshValues:
    """The values that a file contains for the vertices or faces of a mesh.

    A text with one value in a line, perhaps below a line with its name, or an array in a `.npy` file; of several
    columns the one that `Quantity.column` counts. They belong to the vertices if there are as many of them in the file
    of the mesh, else to the faces, unless `Quantity.place` says which. Values that are not finite become NaN.

    Raises
    ------
    FormatError
        The file cannot be read, a line is no number, there are several columns and none is chosen, there are neither as
        many values as vertices nor as faces, or labels are no whole numbers up to `MAX_LABEL`.
    """
    numbers = _read_column(path, quantity.column)
    place = _find_place(path, len(numbers), mesh, quantity.place)[0]
    kept, count = (mesh.source_vertex, len(mesh.vertices)) if place == "vertex" else (mesh.source_face, len(mesh.faces))
    numbers = numbers[:count] if kept is None else numbers[kept]
    labels = _labels(path, numbers, quantity.names) if quantity.labels else None
    with np.errstate(over="ignore"):
        values = numbers.astype(np.float32)
    undefined = ~np.isfinite(values) if labels is None else ~(values >= 0)
    return MeshValues(quantity.name, place, np.where(undefined, np.float32(np.nan), values), labels)


def _labels(path: Path, numbers: NDArray[np.float64], names: Sequence[str]) -> tuple[str, ...]:
    """Texts of the labels from 0 to the largest one: their names, and numbers beyond these."""
    found = numbers[np.isfinite(numbers)]
    wrong = found[(found != np.floor(found)) | (found > MAX_LABEL)]
    if len(wrong):
        message = f"contains {wrong[0]:g}, but labels are whole numbers up to {MAX_LABEL:,}"
        raise FormatError(path, f"{message}; without `labels` and `names` in [values], it is shown as a number")
    return (*names, *map(str, range(len(names), int(found.max(initial=-1)) + 1)))


def _read_column(path: Path, column: int | None) -> NDArray[np.float64]:
    """The numbers of a file, (n,), or of a column of it, counted from 1."""
    with os_errors(path):
        check_regular_file(path)
    head = read_file_head(path)
    if not head.size:
        raise FormatError(path, "is empty")
    names: Sequence[str] = ()
    if head.text is None:
        table = np.asarray(read_matrix(path).values, np.float64)
    else:
        try:
            values, findings = read_text_matrix(path)
        except FormatError as error:
            names, values = _read_below_header(path, error)
            findings = []
        table = np.asarray(values)
        if table.ndim == 1 and findings:
            raise FormatError(path, findings[0].message, findings[0].line)
    if head.text is not None and np.isnan(table).all() and not read_list_text(path).strip(" \t\r\n,;|"):
        raise FormatError(path, "contains no numbers, only separators")
    table = table.reshape(-1, 1) if table.ndim == 1 or table.shape[0] == 1 else table
    width = table.shape[1]
    if width > 1 and column is None:
        numbered = [f"{number} '{name}'" for number, name in enumerate(names, 1)] or map(str, range(1, width + 1))
        raise FormatError(path, f"has {width} columns: {join_some(numbered)}; `column = 1` in [values] takes the first")
    if (column or 1) > width:
        raise FormatError(path, f"has {count_of(width, 'column')}, and no column {column}")
    return table[:, (column or 1) - 1]


def _read_below_header(path: Path, error: FormatError) -> tuple[Sequence[str], NDArray[np.float64]]:
    """Names of columns and the numbers below them; `error` is raised if the first line is no header."""
    lines = [(number, line) for number, line in enumerate(read_list_text(path).split("\n"), 1) if line.strip()]
    lines = [(number, line) for number, line in lines if not is_comment(line)]
    if len(lines) < 2 or error.line != lines[0][0]:
        raise error
    names, *rows = (split_cells(line) for _, line in lines)
    table = np.empty((len(rows), len(names)))
    for row, cells, (number, _) in zip(table, rows, lines[1:], strict=True):
        if len(cells) != len(names):
            raise FormatError(path, f"{count_of(len(cells), 'cell')} in this line, {len(names)} in the first", number)
        for place, cell in enumerate(cells):
            row[place] = np.nan
            with suppress(ValueError):
                row[place] = float(cell)
                continue
            if cell:
                raise FormatError(path, f"'{cell[:80]}' is not a number", number) from error
    return names, table


def _find_place(path: Path, n_values: int, mesh: Mesh, place: MeshPlace | None) -> tuple[MeshPlace, str]:
    """What values belong to, and a note if their number leaves that open."""
    if mesh.source_counts is None:
        message = (
            "belongs to a model of several parts, or in COLLADA, whose vertices have no order that values can follow"
        )
        raise FormatError(path, f"{message}; with one part, in PLY, OBJ or OFF, it can have values")
    counts: dict[MeshPlace, int] = dict(zip(("vertex", "face"), mesh.source_counts, strict=True))
    fits = [one for one, count in counts.items() if count == n_values and place in (None, one)]
    if not fits:
        vertices, faces = count_of(counts["vertex"], "vertex", "vertices"), count_of(counts["face"], "face")
        wanted = "" if place is None else f', and `place` in [values] is "{place}"'
        raise FormatError(path, f"has {count_of(n_values, 'value')}, but the model has {vertices} and {faces}{wanted}")
    return fits[0], "as many values as vertices and as faces" if len(fits) > 1 else ""


# correspondences ---------------------------------------------------------------------------------------------------


def correspondence_colours(
    mesh: Mesh, matches: NDArray[np.floating] | None, reference: Mesh, base: int | None = None
) -> tuple[NDArray[np.uint8], tuple[str, ...]]:
    """Colours of the vertices of a mesh: those of the vertices of a reference mesh that they correspond to.

    The colour of a vertex of the reference is its position in the bounding box: x is red, y green and z blue.

    Parameters
    ----------
    mesh, reference : with `Mesh.source_counts`.
    matches : (n,) number of the vertex of the reference for each vertex in the file of `mesh`; others, such as -1 and
        NaN, have none. None: `mesh` is the reference.
    base : number of the first vertex, 0 or 1; None: by the numbers that occur.

    Returns
    -------
    colours : (V, 4) uint8, sRGB; grey for vertices without a match.
    notes : how the numbers were taken.

    Raises
    ------
    ValueError
        A mesh has no order of vertices, or there are not as many matches as vertices.
    """
    if mesh.source_counts is None or reference.source_counts is None:
        raise ValueError("a model of several parts has no order of vertices that a correspondence can follow")
    n_vertices, n_targets = mesh.source_counts[0], reference.source_counts[0]
    targets, notes = np.arange(n_vertices), list[str]()
    if matches is not None:
        if len(matches) != n_vertices:
            counts = count_of(len(matches), "number"), count_of(n_vertices, "vertex", "vertices")
            raise ValueError(f"has {counts[0]}, but the model has {counts[1]}")
        targets = _targets(matches, n_targets, base, notes)
    table = np.tile(np.array(UNMATCHED, np.uint8), (n_targets + 1, 1))  # the last one serves vertices without a match
    own = np.arange(len(reference.vertices)) if reference.source_vertex is None else reference.source_vertex
    if len(own):
        low, high = reference.vertices.min(axis=0), reference.vertices.max(axis=0)
        shares = (reference.vertices - low) / np.where(high > low, high - low, np.float32(1))
        table[own, :3] = np.rint(DARK + (LIGHT - DARK) * shares)
    of_file = table[targets]
    return of_file[: len(mesh.vertices)] if mesh.source_vertex is None else of_file[mesh.source_vertex], tuple(notes)


def _targets(matches: NDArray[np.floating], n_targets: int, base: int | None, notes: list[str]) -> NDArray[np.int64]:
    """0-based vertices (n,) of the reference; `n_targets` for none."""
    whole = np.isfinite(matches) & (matches == np.floor(matches))
    numbers = np.where(whole, np.clip(matches, -1, n_targets + 1), -1).astype(np.int64)
    if base is None:
        has_zero, has_count, has_one = ((numbers == number).any() for number in (0, n_targets, 1))
        base = 1 if has_count or (has_one and not has_zero) else 0
        if not has_count and not has_zero:
            evidence = "1 occurs, and 0 does not" if base else "neither 0 nor the number of vertices occurs"
            notes.append(
                f"vertices are counted from {base}: {evidence}; `base = {1 - base}` in [values] counts otherwise"
            )
    outside = int(np.count_nonzero(whole & (matches >= n_targets + base)))
    if outside:
        notes.append(f"{count_of(outside, 'number')} beyond the {n_targets:,} vertices of the reference; grey")
    targets = numbers - base
    return np.where((targets >= 0) & (targets < n_targets), targets, n_targets)


# a mesh with its file ----------------------------------------------------------------------------------------------


def with_quantity(mesh: Mesh, path: Path, quantity: Quantity) -> Mesh:
    """A mesh with the values of a quantity added to `Mesh.values`, or the colours of a correspondence.

    Parameters
    ----------
    path : the file of the mesh. A mesh that the quantity has no file for is returned unchanged.

    Raises
    ------
    FormatError
        The file of the quantity, or the reference of a correspondence, cannot be used.
    """
    file, reference = quantity.files.get(path), quantity.reference
    if reference is not None and (file is not None or path == reference):
        colours, notes = _read_correspondence(mesh, file, reference, quantity)
        notes = tuple(f"{quantity.name}: {note}" for note in notes)
        return replace(mesh, colours=colours, texture=None, notes=(*mesh.notes, *notes))
    if file is None or quantity.correspondence:
        return mesh
    return replace(mesh, values=(*mesh.values, read_values(file, mesh, quantity)))


def read_valued_mesh(path: Path, quantity: Quantity | None = None) -> Mesh:
    """Read a mesh, with a quantity as `with_quantity`; what is wrong with the quantity becomes a note of the mesh.

    A quantity of the mesh's own file with the same name is left out.

    Raises
    ------
    FormatError
        As `read_mesh`.
    """
    mesh = read_mesh(path)
    if quantity is None:
        return mesh
    mesh = replace(mesh, values=tuple(values for values in mesh.values if values.name != quantity.name))
    try:
        return with_quantity(mesh, path, quantity)
    except FormatError as error:
        return replace(mesh, notes=(*mesh.notes, f"{quantity.name}: {error.reason}"))


def _read_correspondence(
    mesh: Mesh, file: Path | None, reference: Path, quantity: Quantity
) -> tuple[NDArray[np.uint8], tuple[str, ...]]:
    """Colours and notes; the reference needs no file."""
    with_file = file or reference
    matches = None if file is None else _read_column(file, quantity.column)
    try:
        target = _reference_mesh(reference, reference.stat().st_mtime_ns)
        return correspondence_colours(mesh, matches, target, quantity.base)
    except (ValueError, OSError) as error:
        raise FormatError(with_file, str(error)) from error


@lru_cache(1)
def _reference_mesh(path: Path, _time: int) -> Mesh:
    """The reference of a correspondence, which all models of it need; again when its file changes."""
    return read_mesh(path)


def find_value_faults(path: Path, quantities: Sequence[Quantity]) -> list[Finding]:
    """What is wrong with the files of the quantities of a mesh, and how they were taken; none for a damaged mesh."""
    try:
        mesh = read_mesh(path)
    except FormatError:
        return []
    return [finding for quantity in quantities for finding in _faults_of(quantity, path, mesh)]


def _faults_of(quantity: Quantity, path: Path, mesh: Mesh) -> list[Finding]:
    file = quantity.files.get(path)
    if file is None:
        return []
    name = str(file)
    try:
        if quantity.reference is not None:
            notes = _read_correspondence(mesh, file, quantity.reference, quantity)[1]
            return [Finding(Severity.INFO, name, None, note, f"of '{quantity.name}'") for note in notes]
        values = read_values(file, mesh, quantity)
        numbers = _read_column(file, quantity.column)
    except FormatError as error:
        return [Finding(Severity.WARNING, str(error.path), error.line, error.reason, f"not shown as '{quantity.name}'")]
    found = []
    note = _find_place(file, len(numbers), mesh, quantity.place)[1]
    if note:
        taken = f'taken for the {_PLURALS[values.place]}; `place = "face"` in [values] takes them for the faces'
        found.append(Finding(Severity.INFO, name, None, note, taken))
    with np.errstate(over="ignore"):
        numbers = numbers.astype(np.float32)
    if n_infinite := int(np.isinf(numbers).sum()):
        message = f"{count_of(n_infinite, 'value is', 'values are')} infinite or beyond ±3.4e+38"
        found.append(Finding(Severity.WARNING, name, None, message, "shown as undefined"))
    if len(numbers) and not np.isfinite(numbers).any():
        found.append(Finding(Severity.WARNING, name, None, "has no finite value", f"'{quantity.name}' is grey there"))
    return found
