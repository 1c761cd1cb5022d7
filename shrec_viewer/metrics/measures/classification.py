"""Classification of the queries by the first model of their lists: accuracy, balanced accuracy, F1, MCC."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.measures.calculation import CalculationSteps, MeasureInputs
from shrec_viewer.metrics.measures.measure import Measure
from shrec_viewer.metrics.measures.sources import BRODERSEN, GORODKIN, MACRO_F1_OF_SCIKIT_LEARN, PSB_TABLE
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import FloatColumn, HitTable
from shrec_viewer.read_only import ReadOnlyArrays

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NearestNeighbour(ReadOnlyArrays):
    """Classification of the queries by the first model of their lists.

    Attributes
    ----------
    run : its name.
    n : queries with a class and a list.
    accuracy : share of them whose first model has their class.
    balanced_accuracy : mean recall of the classes that have queries.
    mcc : Matthews correlation coefficient for several classes; 0 where it is undefined, for one class on either side.
    macro_f1 : mean F1 of the classes of queries or first models.
    classes : (K,) int32, these classes, ascending.
    precision, recall, f1 : (K,) float64; precision is NaN for a class of no first model, recall for one of no query.
    support : (K,) int64, queries of each class.

    Source: Gorodkin: Comparing two K-category assignments by a K-category correlation coefficient, 2004 (mcc).
    """

    run: str
    n: int
    accuracy: float
    balanced_accuracy: float
    mcc: float
    macro_f1: float
    classes: NDArray[np.int32]
    precision: Floats
    recall: Floats
    f1: Floats
    support: NDArray[np.int64]


def classified(run: str, truth: NDArray[np.int32], found: NDArray[np.int32]) -> NearestNeighbour:
    """The figures of (n,) classes of queries and (n,) classes of first models, -1 for none; n > 0."""
    labels = np.union1d(truth, found)
    confusion = np.zeros((len(labels), len(labels)), np.int64)
    np.add.at(confusion, (np.searchsorted(labels, truth), np.searchsorted(labels, found)), 1)
    right, of_queries, of_models = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    recall, precision = _ratio(right, of_queries), _ratio(right, of_models)
    f1 = 2.0 * right / (of_queries + of_models)
    is_class = labels >= 0
    n, n_right = len(truth), int(right.sum())
    # Python integers: products of counts of 5,000 queries exceed 32 bits, and floats would round.
    numbers = [(int(a), int(b)) for a, b in zip(of_queries, of_models, strict=True)]
    covariance = n * n_right - sum(a * b for a, b in numbers)
    spread = (n * n - sum(a * a for a, _ in numbers)) * (n * n - sum(b * b for _, b in numbers))
    return NearestNeighbour(
        run, n, n_right / n, float(recall[of_queries > 0].mean()), covariance / spread**0.5 if spread else 0.0,
        float(f1[is_class].mean()), labels[is_class].astype(np.int32),
        precision[is_class], recall[is_class], f1[is_class], of_queries[is_class],
    )  # fmt: skip


def _ratio(part: NDArray[np.int64], whole: NDArray[np.int64]) -> Floats:
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)


def first_is_of_class(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) 1.0 if the first model of the list has the class of the query, else 0.0; NaN without class or list."""
    if hits.classes is None:
        return np.full(len(hits), np.nan)
    own, first = hits.classes.T
    return np.where((own >= 0) & ~hits.missing, (own == first).astype(np.float64), np.nan)


def figure_of_run(hits: HitTable, profile: Profile, level: int, cutoff: int | None, *, figure: str) -> float:
    """A figure of `NearestNeighbour` of all queries with a class and a list; NaN without any."""
    classes = np.full((len(hits), 2), -1, np.int32) if hits.classes is None else hits.classes
    own, first = classes[(classes[:, 0] >= 0) & ~hits.missing].T
    return float(getattr(classified("", own, first), figure)) if len(own) else float("nan")


def first_class_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of one query."""
    value = float(first_is_of_class(inputs.hits, inputs.profile, 1, None)[0])
    shown = f"the first model is {'' if value else 'not '}of the class of the query"
    return CalculationSteps(f"{value:g}", shown, (), (), (), value)


def _figure(name: str, label: str, figure: str, text: str, formula: str, source: str, least: float = 0.0) -> Measure:
    return Measure(
        name=name,
        label=label,
        better="higher",
        range=(least, 1.0),
        definition=f"{text} The class of a query is predicted to be that of the first model of its list; an empty "
        "list, and a model without class, are wrong. Queries without a list are left out under all conventions. The "
        "value of one query is whether its class is right; there is no mean over classes.",
        formula=formula,
        source=source,
        function=first_is_of_class,
        run_function=partial(figure_of_run, figure=figure),
        query_value="1 if its class is right, else 0",
        calculation=first_class_steps,
        takes_level=False,
        uses_classes=True,
    )


ACCURACY = _figure(
    "Accuracy", "Accuracy of the nearest neighbour", "accuracy", "Share of the queries whose class is right.",
    "Accuracy = number of right queries / number of queries", PSB_TABLE,
)  # fmt: skip
BALANCED_ACCURACY = _figure(
    "BalancedAccuracy", "Balanced accuracy of the nearest neighbour", "balanced_accuracy",
    "Mean over the classes of the share of their queries whose class is right.",
    "BalancedAccuracy = mean over classes of right queries of the class / queries of the class", BRODERSEN,
)  # fmt: skip
MACRO_F1 = _figure(
    "MacroF1", "Macro F1 of the nearest neighbour", "macro_f1",
    "Mean over the classes of the harmonic mean of precision and recall of the predictions.",
    "MacroF1 = mean over classes of 2 t / (a + b); t right queries of the class, a its queries, b predictions of it",
    MACRO_F1_OF_SCIKIT_LEARN,
)  # fmt: skip
MCC = _figure(
    "MCC", "Matthews correlation of the nearest neighbour", "mcc",
    "Correlation of the classes of the queries and the predicted ones: 1 if all are right, 0 by chance.",
    "MCC = (n t - sum a b) / sqrt((n^2 - sum a^2) (n^2 - sum b^2)); n queries, t right ones, "
    "a queries and b predictions of each class",
    GORODKIN, least=-1.0,
)  # fmt: skip
