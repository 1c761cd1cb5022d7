"""Agreement of the decisions of two assessors about the same pairs or labels."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.diagnosis.suspects import SuspectQueue
from shrec_viewer.domain import Benchmark, Finding, FormatError
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.core.ids import IdIndex
from shrec_viewer.formats.io.text import read_lines
from shrec_viewer.metrics.statistics.agreement import cohen_kappa

#: Level by ids of query and model; for labels, the query is "" and the value the index of a class.
Decisions = Mapping[tuple[str, str], int]


def decided_labels(queue: SuspectQueue, reviewed: Decisions) -> dict[tuple[str, str], int]:
    """The class that was decided for each reviewed model: that of the files, or the suggested one.

    Parameters
    ----------
    queue : suspects by model.
    reviewed : decisions as in `EditState.reviewed`: 0 or 1 for ("", model).
    """
    ids = queue.benchmark.collection.ids
    of_model = {("", ids[suspect.model]): suspect for suspect in queue.suspects if queue.by == "model"}
    return {
        pair: of_model[pair].suggested if decision else of_model[pair].current
        for pair, decision in reviewed.items()
        if pair in of_model
    }


def labels_as_lines(labels: Decisions, benchmark: Benchmark) -> str:
    """A line with the id of a model, a tab and its class for each label."""
    names = () if benchmark.classification is None else benchmark.classification.names
    return "".join(f"{model}\t{names[label]}\n" for (_, model), label in labels.items())


def read_labels(path: Path, benchmark: Benchmark) -> tuple[dict[tuple[str, str], int], tuple[Finding, ...]]:
    """Labels from lines as of `labels_as_lines`, and findings about lines that are not used.

    Raises
    ------
    FormatError
        If no line names a model and a class of the benchmark.
    """
    log, models = FindingsLog(benchmark.root), IdIndex(benchmark.collection.ids)
    names = () if benchmark.classification is None else benchmark.classification.names
    classes = {name: label for label, name in reversed(list(enumerate(names)))}
    found: dict[tuple[str, str], int] = {}
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        model, _, name = (part.strip() for part in line.partition("\t"))
        index = models.index_of(model)
        problem = (
            "a model, a tab and its class are expected" if not name else
            f"the model '{model}' is unknown" if index < 0 else
            f"the class '{name}' is unknown" if name not in classes else
            f"the model '{model}' is repeated" if ("", benchmark.collection.ids[index]) in found else ""
        )  # fmt: skip
        if problem:
            log.error(path, problem, "the line is ignored", line=number)
        else:
            found["", benchmark.collection.ids[index]] = classes[name]
    if not found:
        raise FormatError(path, "no line has a model of the benchmark, a tab and the name of a class")
    return found, log.findings


@dataclass(frozen=True)
class AssessorAgreement:
    """Agreement of two assessors.

    Attributes
    ----------
    number : pairs or labels that both assessed.
    kappa, weighted_kappa : Cohen's kappa, plain and with linear weights; NaN where undefined.
    differences : pairs with both levels, where they differ.
    """

    number: int
    kappa: float
    weighted_kappa: float
    differences: tuple[tuple[tuple[str, str], int, int], ...]


def compare_assessors(first: Decisions, second: Decisions) -> AssessorAgreement:
    """Compare the decisions about the pairs that both have.

    Examples
    --------
    >>> found = compare_assessors({("q", "a"): 0, ("q", "b"): 2}, {("q", "a"): 1, ("q", "b"): 2, ("q", "c"): 0})
    >>> found.number, found.differences
    (2, ((('q', 'a'), 0, 1),))
    """
    common = [pair for pair in first if pair in second]
    ours, theirs = [first[pair] for pair in common], [second[pair] for pair in common]
    differences = [(pair, a, b) for pair, a, b in zip(common, ours, theirs, strict=True) if a != b]
    return AssessorAgreement(
        len(common), cohen_kappa(ours, theirs), cohen_kappa(ours, theirs, "linear"), tuple(differences)
    )
