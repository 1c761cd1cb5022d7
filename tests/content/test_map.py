"""The chart of the map of models: groups, values, several runs, and what cannot be shown."""

from dataclasses import replace

import numpy as np
import pytest

from shrec_viewer.content.data import ContentData
from shrec_viewer.content.map import N_CLASSES, MapRequest, map_chart
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import UnknownKeyError, find_profile
from shrec_viewer.resources import resource


@pytest.fixture(scope="module")
def data():
    return ContentData(read_benchmark(resource("demo")), find_profile("shrec2006"))


def test_levels_are_those_of_the_query(data):
    chart = map_chart(data, MapRequest(query="Q03"))
    assert [group.label for group in chart.groups] == [
        "not relevant to Q03", "marginally relevant", "highly relevant"
    ]  # fmt: skip
    query = data.benchmark.queries.index["Q03"]
    assert chart.colours.tolist() == data.benchmark.assessment.gains(query, 125).tolist()
    assert [cloud.name for cloud in chart.clouds] == ["A1"]


def test_the_largest_classes_have_colours(data):
    chart = map_chart(data, MapRequest(colour="class"))
    labels = data.benchmark.classification.labels
    sizes = np.bincount(labels)
    shown = [data.benchmark.classification.names.index(group.label) for group in chart.groups[1:]]
    assert len(shown) == N_CLASSES
    assert min(sizes[shown]) >= max(np.delete(sizes, shown))
    assert chart.groups[0].label == f"{np.count_nonzero(sizes) - N_CLASSES} other classes"
    for group, label in enumerate(shown, 1):
        assert (chart.colours == group).tolist() == (labels == label).tolist()


def test_maps_of_several_runs_and_models_that_one_lacks(data):
    chart = map_chart(data, MapRequest(runs=("A1", "C1"), models=("M025",)))
    assert [len(cloud.models) for cloud in chart.clouds] == [125, 121]
    assert chart.clouds[1].note.endswith("; 4 models are in no list")
    assert chart.marked == (data.benchmark.collection.index["M025"],)


@pytest.mark.parametrize(
    ("options", "changes", "problem"),
    [
        ({"colour": "class"}, {"classification": None}, "has no classification: colours can be levels of relevance"),
        ({"colour": "error"}, {"classification": None}, "has no classification: colours can be levels of relevance"),
        ({"models": ("M25",)}, {}, "there is no model 'M25'"),
        ({"query": "Q99"}, {}, "there is no query 'Q99'"),
        ({"runs": ("Z1",)}, {}, "there is no run 'Z1'"),
        ({}, {"runs": ()}, "has no runs"),
    ],
)
def test_what_cannot_be_shown_is_a_sentence(data, options, changes, problem):
    with pytest.raises((ShrecViewerError, UnknownKeyError), match=problem):
        map_chart(replace(data, benchmark=replace(data.benchmark, **changes)), MapRequest(**options))


def test_without_an_assessment_all_points_are_in_one_group(data):
    chart = map_chart(replace(data, benchmark=replace(data.benchmark, assessment=None)), MapRequest())
    assert [group.label for group in chart.groups] == ["models"]
    assert not chart.colours.any()
