"""Several assessments of one benchmark: which are found, the leaderboards under each, and measures of levels."""

from dataclasses import replace

import numpy as np
import pytest

from shrec_viewer.domain import EditedAssessment
from shrec_viewer.evaluation.comparison.assessments import (
    AS_READ,
    CLASSES,
    EDITED,
    compare_assessments,
    find_assessments,
    measure_for,
    with_edited,
)
from shrec_viewer.evaluation.edits import AssessmentEdit, amended_qrels, with_edits
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile
from shrec_viewer.resources import resource


@pytest.fixture(scope="module")
def demo():
    return read_benchmark(resource("demo"))


def class_paths(benchmark, model):
    """Classes of a model from the top, by walking up the parents."""
    tree, label, path = benchmark.classification, int(benchmark.classification.labels[model]), []
    while label >= 0:
        path.insert(0, label)
        label = int(tree.parents[label])
    return path


def test_classes_are_merged_at_each_depth(demo):
    found, errors = find_assessments(demo)
    assert errors == ()
    by_key = {one.key: one.assessment for one in found}
    assert "read" in by_key
    assert f"{CLASSES}:1" in by_key
    for key, assessment in by_key.items():
        if not key.startswith(CLASSES):
            continue
        depth = int(key.partition(":")[2] or 99)
        for query, label in enumerate(demo.queries.labels.tolist()):
            tree, wanted = demo.classification, []
            while label >= 0:
                wanted.insert(0, label)
                label = int(tree.parents[label])
            expected = [
                model
                for model in range(len(demo.collection))
                if (path := class_paths(demo, model)) and path[:depth] == wanted[:depth] != []
            ]
            assert assessment.relevant(query)[0].tolist() == expected


def test_equal_assessments_are_listed_once(demo, tmp_path):
    found, _ = find_assessments(demo)
    same = tmp_path / "same.qrels"
    same.write_text(amended_qrels(demo))
    unused, _ = find_assessments(replace(demo, other_truth=(same,)))
    assert [one.key for one in unused] == [one.key for one in found]
    added, _ = find_assessments(demo, [same])
    assert [one.key for one in added] == [*(one.key for one in found), str(same)]


def test_leaderboards_equal_separate_evaluations(demo):
    from scipy.stats import kendalltau  # here: its import takes 2 s in each process that collects the tests

    edits = [AssessmentEdit(query, demo.collection.ids[n], 0, 2) for n, query in enumerate(demo.queries.ids)]
    edited = with_edits(demo, edits)
    assert isinstance(edited.assessment, EditedAssessment)
    found, _ = find_assessments(demo)
    assessments, profile = with_edited(found, edited), find_profile("shrec2006")
    assert [one.key for one in assessments] == [AS_READ, EDITED, *(one.key for one in found[1:])]
    compared = compare_assessments(demo, profile, assessments, "AP")
    boards = []
    for row, one in enumerate(assessments):
        mean = evaluate(replace(demo, assessment=one.assessment), profile, measures=["AP"]).mean()[:, 0]
        np.testing.assert_array_equal(compared.values[row], mean)
        assert compared.ranks[row].tolist() == [1 + int((mean > value).sum()) for value in mean]
        boards.append(mean)
    for a, first in enumerate(boards):
        for b, second in enumerate(boards):
            assert abs(compared.tau[a, b] - kendalltau(first, second).statistic) < 1e-12
    assert compared.assessments[1].label == "Classes as read with edits"


def test_measure_of_a_level_that_an_assessment_lacks(demo):
    found, _ = find_assessments(demo)
    graded, classes = (next(one.assessment for one in found if one.key == key) for key in ("read", f"{CLASSES}:1"))
    assert measure_for(graded, "AP(rel=2)").key == "AP(rel=2)"
    assert measure_for(classes, "AP(rel=2)").key == "AP"
    assert measure_for(classes, "P(rel=2)@10").key == "P@10"
    assert measure_for(graded, "AP(rel=3)").key == "AP(rel=2)"
