"""Tables of single queries worked by hand: relevant models with their ranks, and the order of the runs."""

import numpy as np
import pytest
from small_benchmarks import external

from shrec_viewer.content.data import ContentData
from shrec_viewer.content.generality import GeneralityPlotRequest, generality
from shrec_viewer.content.lists import RelevantRequest, relevant_table
from shrec_viewer.content.scores import RankingsRequest, rankings_table
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.plots.generality import CLASS_SIZES
from shrec_viewer.metrics.profiles.contests import DEFAULT


@pytest.fixture(scope="module")
def data():
    return ContentData(external(), DEFAULT, evaluate(external(), DEFAULT, measures=["AP", "NN"]))


def test_all_relevant_models_with_their_ranks_in_every_run(data):
    """Run full lists a b d c e f for q0, run gaps d a."""
    table = relevant_table(data, RelevantRequest(queries=("q0",)))
    assert [column.key for column in table.columns] == ["model", "class of the model", "level", "full", "gaps"]
    assert table.rows == (("a", "dog", 2, 1, 2), ("b", "dog", 2, 2, None), ("d", "cat", 1, 3, 1))
    only = relevant_table(data, RelevantRequest(runs=("gaps",), queries=("q2",)))
    assert (only.columns[-1].key, only.rows) == ("gaps", ())


def test_runs_in_the_order_of_single_queries(data):
    """q0: AP 1 and 2/3; q1: gaps has no list; q3: 1/2 and 0. The nearest neighbours for q0 are relevant in both."""
    table = rankings_table(data, RankingsRequest(queries=("q0", "q1", "q3"), measure="AP"))
    assert [column.key for column in table.columns] == ["place of the run", "q0", "q1", "q3"]
    assert table.rows == ((1, "full", "full", "full"), (2, "gaps", "", "gaps"))
    nearest = rankings_table(data, RankingsRequest(queries=("q0",), measure="NN"))
    assert nearest.rows == ((1, "full"), (2, "= gaps"))


def test_class_sizes_have_the_numbers_of_their_classes_and_intervals(data):
    """Figure 4c of Sebe et al.: of six models, three are relevant to q0 (dog), one to q1 (dog) and q3 (cup)."""
    plot = generality(data, GeneralityPlotRequest(vary=CLASS_SIZES, runs=("full",)))
    marks = [(float(line.x[0]), line.mark) for line in plot.references.lines if line.label.startswith("Size")]
    assert marks == [(1.0, "1"), (pytest.approx(np.log2(6)), "2")]
    (curve,) = plot.curves
    assert plot.selected == curve.key, "its line and its intervals are drawn"
    assert curve.y.tolist() == [1.0, 0.5]
    low, high = curve.spread
    assert low[1] <= 0.5 <= high[1]
