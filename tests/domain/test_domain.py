"""The nouns keep their promises: consistent columns, exact sentences, lookups that agree with a slow search."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrec_viewer.domain import (
    NO_CLASS,
    ROOT,
    Benchmark,
    ClassAssessment,
    Classification,
    Collection,
    DistanceMatrix,
    Finding,
    FormatError,
    PairAssessment,
    Queries,
    QueryKind,
    RankedLists,
    Run,
    Severity,
)

# aircraft -> biplane, jet; jet -> F117 (a class below a class that has models itself); pot hangs from the root.
NAMES = ("aircraft", "biplane", "jet", "F117", "pot", "empty")
PARENTS = np.array([ROOT, 0, 0, 2, ROOT, ROOT], np.int32)
LABELS = np.array([1, 2, 3, 4, 1, NO_CLASS, 2, 4], np.int32)


@pytest.fixture
def tree() -> Classification:
    return Classification(LABELS, NAMES, PARENTS)


def test_error_reads_as_a_sentence_with_its_place():
    assert str(FormatError(Path("a/b.cla"), "no header", 3)) == "a/b.cla:3: no header"
    assert str(FormatError("b.npy", "not an array")) == "b.npy: not an array"


def test_error_survives_being_sent_between_processes():
    import pickle

    copy = pickle.loads(pickle.dumps(FormatError("b.npy", "not an array", 7)))
    assert (copy.path, copy.reason, copy.line, str(copy)) == (Path("b.npy"), "not an array", 7, "b.npy:7: not an array")


def test_finding_says_place_severity_count_and_action():
    finding = Finding(Severity.WARNING, "runs/K2/Q05", 5, "unknown id 'N9999'", "left out", 3)
    assert str(finding) == "runs/K2/Q05:5: warning: unknown id 'N9999' (3 times); left out"
    assert finding.location == "runs/K2/Q05:5"
    assert sorted(Severity, key=lambda severity: severity.rank) == [Severity.ERROR, Severity.WARNING, Severity.INFO]


def test_collection_refuses_what_cannot_be_addressed():
    with pytest.raises(ValueError, match="repeated"):
        Collection(("a", "b", "a"), (None, None, None))
    with pytest.raises(ValueError, match="paths"):
        Collection(("a",), ())
    assert Collection(("a", "b"), (None, None)).index == {"a": 0, "b": 1}


def test_classification_by_hand(tree):
    assert tree.members(1).tolist() == [0, 4]
    assert tree.members(0).tolist() == []
    assert tree.members(NO_CLASS).tolist() == []
    assert tree.sisters(1).tolist() == [2]
    assert tree.sisters(3).tolist() == []  # an only child
    assert tree.sisters(4).tolist() == []  # pot and empty share nothing but the root
    assert tree.path(3) == "aircraft___jet___F117"
    assert tree.path(NO_CLASS) == ""
    assert tree.sizes.tolist() == [0, 2, 2, 1, 2, 0]
    assert tree.leaves.tolist() == [1, 2, 3, 4]


def test_classification_refuses_a_child_before_its_parent():
    with pytest.raises(ValueError, match="precedes its parent"):
        Classification(np.zeros(0, np.int32), ("a", "b"), np.array([1, ROOT], np.int32))
    with pytest.raises(ValueError, match="not an index"):
        Classification(np.array([2], np.int32), ("a", "b"), np.array([ROOT, ROOT], np.int32))


@given(st.lists(st.integers(-1, 5), max_size=60))
def test_members_partition_the_labelled_models(labels):
    tree = Classification(np.array(labels, np.int32), NAMES, PARENTS)
    for label in range(len(NAMES)):
        assert tree.members(label).tolist() == [i for i, own in enumerate(labels) if own == label]
    assert sum(len(tree.members(label)) for label in range(len(NAMES))) == sum(own >= 0 for own in labels)


def test_classes_grade_without_pairs(tree):
    queries = np.array([1, 3, 4, NO_CLASS], np.int32)
    binary = ClassAssessment(tree, queries)
    graded = ClassAssessment(tree, queries, graded=True)
    assert binary.levels == (1,)
    assert graded.levels == (1, 2)
    assert binary.gains(0, 8).tolist() == [1, 0, 0, 0, 1, 0, 0, 0]
    assert graded.gains(0, 8).tolist() == [2, 1, 0, 0, 2, 0, 1, 0]
    assert graded.gains(1, 8).tolist() == [0, 0, 2, 0, 0, 0, 0, 0]
    assert graded.gains(3, 8).tolist() == [0] * 8
    items, levels = graded.relevant(0)
    assert items.tolist() == [0, 1, 4, 6]
    assert levels.tolist() == [2, 1, 2, 1]


def test_synsets_grade_by_branch():
    """Same subsynset 3, models that carry the synset only 2, sibling subsynsets 1, other synsets 0."""
    names = ("plane", "plane/jet", "plane/glider", "car", "car/taxi")
    tree = Classification(
        np.array([1, 1, 0, 2, 3, 4, NO_CLASS], np.int32), names, np.array([-1, 0, 0, -1, 3], np.int32)
    )
    truth = ClassAssessment(tree, np.array([1, 0, 4, NO_CLASS], np.int32), "synsets")
    assert truth.levels == (1, 2, 3)
    assert truth.gains(0, 7).tolist() == [3, 3, 2, 1, 0, 0, 0]
    assert truth.gains(1, 7).tolist() == [1, 1, 3, 1, 0, 0, 0]  # a query that carries the synset only
    assert truth.gains(2, 7).tolist() == [0, 0, 0, 0, 2, 3, 0]
    assert truth.gains(3, 7).tolist() == [0] * 7


def test_tops_are_the_first_classes_of_their_branches(tree):
    assert tree.tops.tolist() == [0, 0, 0, 0, 4, 5]


@given(st.lists(st.integers(-1, 5), min_size=1, max_size=40), st.sampled_from([False, True, "synsets"]))
def test_classes_answer_ascending_and_distinct(labels, graded):
    tree = Classification(np.array(labels, np.int32), NAMES, PARENTS)
    truth = ClassAssessment(tree, np.arange(-1, 6, dtype=np.int32), graded)
    for query in range(7):
        items, levels = truth.relevant(query)
        assert np.all(np.diff(items) > 0)
        assert (items.dtype, levels.dtype) == (np.int32, np.uint8)
        assert set(levels.tolist()) <= set(truth.levels)


def test_pairs_answer_per_query():
    truth = PairAssessment(
        np.array([0, 2, 2, 3], np.int64), np.array([1, 3, 0], np.int32), np.array([2, 1, 3], np.uint8)
    )
    assert len(truth) == 3
    assert truth.levels == (1, 2, 3)
    assert truth.gains(0, 4).tolist() == [0, 2, 0, 1]
    assert truth.gains(1, 4).tolist() == [0, 0, 0, 0]
    assert truth.gains(2, 4).tolist() == [3, 0, 0, 0]


def _queries(*member: int) -> Queries:
    ids = tuple(f"Q{i}" for i in range(len(member)))
    none = (None,) * len(member)
    kinds = (QueryKind.NONE,) * len(member)
    return Queries(ids, none, kinds, np.array(member, np.int32), np.full(len(member), NO_CLASS, np.int32))


def test_queries_know_whether_they_are_the_collection():
    assert _queries(0, 1).are_members
    assert not _queries(0, -1).are_members
    assert not _queries().are_members


def test_runs_tell_missing_from_empty():
    lists = RankedLists(
        np.array([0, 2, 2, 2], np.int64), np.array([3, 1], np.int32), None, np.array([True, True, False])
    )
    run = Run("A1", "A", Path("A1"), lists)
    assert run.present.tolist() == [True, True, False]
    assert lists.items[lists.rows(0)].tolist() == [3, 1]
    assert lists.items[lists.rows(1)].size == 0
    matrix = DistanceMatrix(np.zeros((1, 2)), np.array([-1, 0], np.int32), np.array([0, 1], np.int32))
    assert Run("B", "B", Path("B"), matrix).present.tolist() == [False, True]


def test_benchmark_finds_its_runs_and_its_errors():
    warning = Finding(Severity.WARNING, "x", None, "odd")
    error = Finding(Severity.ERROR, "x", None, "wrong")
    open_ = Benchmark("b", Path(), Collection((), ()), _queries(), findings=(warning,))
    assert not open_.has_errors
    assert Benchmark("b", Path(), Collection((), ()), _queries(), findings=(warning, error)).has_errors
    with pytest.raises(KeyError):
        open_.run("Z9")


def test_an_error_that_says_what_something_is_stands_alone_without_a_colon() -> None:
    assert FormatError("a", "is empty").standalone_message == "a is empty"
    assert FormatError("a", "ends early", 3).standalone_message == "a:3: ends early"
    assert FormatError("a", "is cut off", 3).standalone_message == "a:3: is cut off"
