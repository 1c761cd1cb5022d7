"""Ids that only runs name, for benchmarks without truth and without files."""

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.material import Material
from shrec_viewer.formats.naming import without_extension
from shrec_viewer.formats.rank_list import id_column, read_rank_list


def ids_in_runs(material: Material) -> set[str]:
    """All ids that lists, TREC runs and tables name."""
    ids: set[str] = set()
    for run in material.tabled:
        ids |= set(run.models)
    for matrix in material.named:
        ids |= set(matrix.columns or matrix.rows) if matrix.looks_like_ids else set()
    for folder in material.lists:
        pair = len(folder.sample.columns) == 2
        column = id_column([folder.sample], _nobody_knows)[0] if pair else 0
        for found in folder.files:
            if found.kind != "rank_list":
                continue
            try:
                raw = read_rank_list(found.path)
            except FormatError:
                continue  # named when the run is read
            words = raw.columns[column if len(raw.columns) == 2 else 0]
            has_name = len(words) > 0 and words[0] in (found.path.name, without_extension(found.path.name))
            ids |= set(words[1:] if has_name and not pair else words)
    return ids


def _nobody_knows(_: object) -> float:
    return 0.0
