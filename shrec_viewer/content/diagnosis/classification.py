"""Nearest-neighbour classification by the runs, and by one run for each class."""

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from shrec_viewer.charts.table import Cell, Table
from shrec_viewer.content.data import ContentData, class_name, run_numbers, table_of
from shrec_viewer.content.request import TableRequest, option, runs_option
from shrec_viewer.diagnosis.classification import nearest_neighbour
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.score_tables import finite_or_none
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.metrics.measures.classification import NearestNeighbour
from shrec_viewer.number_format import format_value

#: Figures of a run, and their names.
FIGURES = {"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy", "mcc": "MCC", "macro_f1": "macro F1"}


@dataclass(frozen=True)
class ClassificationRequest(TableRequest):
    """The run, or all runs, and what rows are."""

    kind: ClassVar[str] = "classification"

    runs: tuple[str, ...] = runs_option(follows="run")
    rows: Literal["classes", "runs"] = option(
        "classes", "Rows", {"classes": "Classes", "runs": "Runs"}, help="Classes of one run, or runs."
    )


def classification_table(data: ContentData, request: ClassificationRequest) -> Table:
    """Classes of the first models: precision, recall and F1 of each class, or accuracy and MCC of each run."""
    by_run = request.rows == "runs"
    numbers = range(len(data.benchmark.runs)) if by_run else run_numbers(data, request.runs)[:1]
    scores, found = data.evaluated, list[NearestNeighbour]()
    for number in numbers:
        index = scores.run_index(data.benchmark.runs[number].name)
        if one := data.result(nearest_neighbour, scores, index, cancelled=data.cancelled):
            found.append(one)
    if not found:
        raise ShrecViewerError(f"'{data.benchmark.name}' has no lists of queries with a class")
    if by_run:
        of_runs: list[tuple[Cell, ...]] = [
            (one.run, one.n, *(float(getattr(one, name)) for name in FIGURES)) for one in found
        ]
        table = table_of(
            data, "classification", "class of the first model", ("run",), ("queries", *FIGURES.values()), of_runs
        )
        better = (replace(column, better="higher") for column in table.columns[2:])
        return replace(table, columns=(*table.columns[:2], *better))
    one = found[0]
    figures = ", ".join(f"{text} {format_value(getattr(one, name))}" for name, text in FIGURES.items())
    rows = [
        (class_name(data.benchmark, int(label)), int(support), *map(finite_or_none, map(float, values)))
        for label, support, *values in zip(one.classes, one.support, one.precision, one.recall, one.f1, strict=True)
    ]
    title, names = f"class of the first model, run {one.run}", ("queries", "precision", "recall", "F1")
    note = f"Of {count_of(one.n, 'query', 'queries')} with a list: {figures}."
    return table_of(data, "classification", title, ("class",), names, rows, (note,))
