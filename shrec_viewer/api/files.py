"""Contests as files: reading one as the command line does, and writing one as a folder."""

import csv
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import (
    Assessment,
    Benchmark,
    ClassAssessment,
    Classification,
    DistanceMatrix,
    FormatError,
    Run,
    ShrecViewerError,
)
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.core.read_choices import MATRIX_ORDERS
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.manifest.edit_state import AssessmentEdit
from shrec_viewer.formats.manifest.manifest import ManifestEdit, edits_of_options, write_manifest
from shrec_viewer.formats.matrices.interpretation import DISTANCE_CELLS
from shrec_viewer.formats.runs.writers import exported_lists
from shrec_viewer.formats.truth.qrels import JUNK_LEVEL
from shrec_viewer.metrics import PROFILE_KEYS, find_profile
from shrec_viewer.printable import printable

#: Name of the bundled benchmark, where no file has it.
DEMO = "demo"


def read_contest(path: str, profile: str | None = None) -> tuple[Benchmark, tuple[AssessmentEdit, ...]]:
    """A contest and its edits, with the virtual runs of a project; a text is a path, or ``"demo"``."""
    from shrec_viewer.evaluation.comparison.published import published_findings
    from shrec_viewer.evaluation.virtual_runs import with_runs_of_project
    from shrec_viewer.formats.discovery.benchmark import read_benchmark
    from shrec_viewer.formats.manifest.parts import BenchmarkParts
    from shrec_viewer.formats.manifest.project import project_at
    from shrec_viewer.resources import resource

    source = resource(DEMO) if path == DEMO and not Path(path).exists() else Path(path)
    benchmark = read_benchmark(source, BenchmarkParts(profile=profile), profiles=PROFILE_KEYS)
    benchmark = replace(benchmark, findings=(*benchmark.findings, *published_findings(benchmark)))
    project = project_at(source)
    if project is None:
        return benchmark, ()
    texts = [run.expression for run in project.edits.runs.virtual]
    benchmark = with_runs_of_project(benchmark, texts, find_profile(benchmark.profile), str(source))
    return benchmark, tuple(project.edits.levels.values())


RUNS_FOLDER, PUBLISHED_FOLDER = "runs", "published"


def save_contest(benchmark: Benchmark, folder: Path) -> Path:
    """Write a contest as a folder with classes, relevance, runs and benchmark.toml; models stay where they are.

    Raises
    ------
    FormatError
        If the folder is not empty or cannot be written.
    """
    from shrec_viewer.formats.io.atomic import atomic_folder

    folder = folder.absolute()
    require_printable(benchmark)
    with atomic_folder(folder) as draft:
        edits = write_truth(benchmark, draft)
        (draft / RUNS_FOLDER).mkdir()
        for run, name in zip(benchmark.runs, run_files([run.name for run in benchmark.runs]), strict=True):
            edits += write_run(run, benchmark, draft / RUNS_FOLDER / name)
        edits += write_quantities(benchmark)
        write_manifest(draft, [*edits, *write_published(benchmark, draft)])
    return folder


def write_published(benchmark: Benchmark, folder: Path) -> list[ManifestEdit]:
    """Write the tables of published scores, and return the line of benchmark.toml about them."""
    names = run_files([Path(table.source).stem for table in benchmark.published])
    paths = tuple(folder / PUBLISHED_FOLDER / f"{name}.csv" for name in names)
    for path, table in zip(paths, benchmark.published, strict=True):
        path.parent.mkdir(exist_ok=True)
        rows = zip(table.names, table.cells, strict=True)
        _write_csv(path, [["run", *table.titles], *([name, *cells] for name, cells in rows)])
    return [ManifestEdit("benchmark", "published", paths)] if paths else []


def write_quantities(benchmark: Benchmark) -> list[ManifestEdit]:
    """The lines of benchmark.toml about the quantities, whose files stay where they are."""
    return [ManifestEdit("values", quantity.name, quantity) for quantity in benchmark.quantities]


def run_files(names: Sequence[str]) -> list[str]:
    """Distinct names of files or folders, without ending."""
    from shrec_viewer.report.site.file_names import safe_file_names

    return safe_file_names(names)


def write_truth(benchmark: Benchmark, folder: Path) -> list[ManifestEdit]:
    """Write ids, classes and relevance, and return the lines of benchmark.toml that name these files."""
    collection, queries, tree = benchmark.collection, benchmark.queries, benchmark.classification
    edits = [ManifestEdit("benchmark", "name", benchmark.name), ManifestEdit("benchmark", "profile", benchmark.profile)]
    edits += _write_ids(
        folder / "models.csv", collection.ids, tree, None if tree is None else tree.labels, "collection"
    )
    if not queries.are_members or queries.ids != collection.ids:
        has_classes = tree is not None and np.any(queries.labels >= 0)
        edits += _write_ids(
            folder / "queries.csv", queries.ids, tree if has_classes else None, queries.labels, "queries"
        )
    assessment = benchmark.assessment
    if assessment is not None and not (isinstance(assessment, ClassAssessment) and assessment.graded is False):
        path = folder / "qrels.json"
        path.write_text(json.dumps(_levels(assessment, benchmark), ensure_ascii=False, indent=0), encoding="utf-8")
        edits.append(ManifestEdit("assessment", "qrels", path))
    for table, paths in (("collection", collection.paths), ("queries", queries.paths)):
        folders = {str(path.parent) for path in paths if path is not None}
        if folders and (table == "collection" or not queries.are_members):
            edits.append(ManifestEdit(table, "models", Path(os.path.commonpath(folders))))
    return edits


def _write_ids(
    path: Path, ids: Sequence[str], tree: Classification | None, labels: NDArray[np.int32] | None, table: str
) -> list[ManifestEdit]:
    if tree is None or labels is None:
        _write_csv(path, [["id"], *([name] for name in ids)])
        return []
    classes = ["" if label < 0 else tree.names[label] for label in labels.tolist()]
    _write_csv(path, [["id", "class"], *zip(ids, classes, strict=True)])
    return [ManifestEdit(table, "classification", path)]


def _write_csv(path: Path, rows: Iterable[Sequence[object]]) -> None:
    """Comma-separated values with all texts as they are."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def require_printable(benchmark: Benchmark) -> None:
    """Raise `ShrecViewerError` for an id or class that a line of text cannot hold."""
    classes = () if benchmark.classification is None else benchmark.classification.names
    for name in (*benchmark.collection.ids, *benchmark.queries.ids, *classes):
        if printable(name) != name or name != name.strip():
            raise ShrecViewerError(
                f"the name {ascii(name)[:80]} has a line break, another control character or blanks at its ends, "
                "which files cannot hold"
            )


def _levels(assessment: Assessment, benchmark: Benchmark) -> dict[str, dict[str, int]]:
    """Levels above 0, and those of models judged not relevant or junk, by the ids of query and model."""
    ids = benchmark.collection.ids
    levels = {}
    for query, name in enumerate(benchmark.queries.ids):
        items, found = assessment.relevant(query)
        judged = assessment.judged(query)
        of_query = dict.fromkeys([] if judged is None else judged.tolist(), 0)
        of_query |= dict.fromkeys(assessment.junk(query).tolist(), JUNK_LEVEL)
        of_query |= dict(zip(items.tolist(), found.tolist(), strict=True))
        levels[name] = {ids[item]: level for item, level in of_query.items()}
    return levels


def write_run(run: Run, benchmark: Benchmark, path: Path) -> list[ManifestEdit]:
    """Write a run as a matrix or as lists, and return the lines of benchmark.toml about it.

    Parameters
    ----------
    path : without ending.
    """
    from shrec_viewer.formats.runs.writers import write_npy, write_rank_lists

    log = FindingsLog(path.parent)
    options = ReadOptions(similarity=False, cells=DISTANCE_CELLS, order=MATRIX_ORDERS[0])
    in_order = np.arange(len(benchmark.collection))
    if isinstance(run.ranking, DistanceMatrix) and not np.array_equal(run.ranking.columns, in_order):
        # Models without a column are not in the lists, where NaN would be last, and ties keep the order of the columns.
        path, options = path.with_name(f"{path.name}.csv"), ReadOptions(similarity=run.ranking.similarity)
        _write_csv(path, _labelled_rows(run.ranking, benchmark))
    elif isinstance(run.ranking, DistanceMatrix):
        path = path.with_name(f"{path.name}.npy")
        write_npy(run, benchmark, path, log)
    else:
        options = ReadOptions()
        try:
            write_rank_lists(run, benchmark, path, log)
        except FormatError:  # an id that lines of words, or names of files, cannot hold
            path = path.with_name(f"{path.name}.json")
            lists = {
                benchmark.queries.ids[one.query]: [benchmark.collection.ids[item] for item in one.items.tolist()]
                for one in exported_lists(run)
            }
            path.write_text(json.dumps(lists, ensure_ascii=False, indent=0), encoding="utf-8")
    named = [ManifestEdit("runs", "name", run.name, path)]
    named += [ManifestEdit("runs", "participant", run.participant, path)] if run.participant else []
    return [*named, *edits_of_options(path, options)]


def _labelled_rows(matrix: DistanceMatrix, benchmark: Benchmark) -> Iterator[Sequence[object]]:
    """Rows of a matrix with the ids of its models above and of its queries before them."""
    known = np.flatnonzero(matrix.columns >= 0)
    yield ["", *(benchmark.collection.ids[model] for model in matrix.columns[known].tolist())]
    for query in np.flatnonzero(matrix.rows >= 0).tolist():
        yield [benchmark.queries.ids[query], *np.asarray(matrix.values[matrix.rows[query]])[known].tolist()]
