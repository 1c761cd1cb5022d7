"""Suspects: planted errors, evidence of single causes, and effects against scoring everything again."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from independent_loaders import collection_of, data_folder, lists_of, pairs_of, queries_of
from planted_errors import with_swapped_labels, with_wrong_levels

from shrec_viewer.cli.program import run as run_program
from shrec_viewer.diagnosis.suspects import (
    EditEffect,
    edit_effect,
    find_suspects,
    ranks_with_suspects,
    relabelled,
    suspects_document,
    with_level,
)
from shrec_viewer.domain import Benchmark, Cancelled, Classification, Run, ShrecViewerError
from shrec_viewer.evaluation.comparison.leaderboards import ranks_of
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.query_subset import means_with, query_subset
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import PROFILES, find_profile

DEFAULT = find_profile("default")


@pytest.fixture(scope="module")
def culture() -> Benchmark:
    return read_benchmark(data_folder("shrec2021_culture"))


@pytest.fixture(scope="module")
def queues(shrec06, culture):
    """Suspects of SHREC 2006 and SHREC 2021, by pair and by model."""
    return {"pair": find_suspects(shrec06, DEFAULT, limit=30), "model": find_suspects(culture, DEFAULT, limit=12)}


def test_wrong_levels_are_found_with_the_classification(shrec06):
    """The benchmark of suspects tries more seeds and other kinds of errors."""
    planted, pairs = with_wrong_levels(shrec06, 101)
    queue = find_suspects(planted, DEFAULT, limit=40)
    assert len({(suspect.query, suspect.model) for suspect in queue.suspects} & pairs) >= 18


def test_swapped_labels_are_found(culture):
    planted, models = with_swapped_labels(culture, 101)
    queue = find_suspects(planted, DEFAULT, by="model", limit=40)
    assert len({suspect.model for suspect in queue.suspects} & models) >= 18


# Causes one by one, in a benchmark of forty models.

N = 40
IDS = tuple(f"m{model}" for model in range(N))


def small(levels, lists, classification=None, participants="ABC") -> Benchmark:
    """One query per row of `levels`; each run has the same list for all queries."""
    runs = tuple(
        Run(f"{name}{number}", name, Path(f"{name}{number}"), lists_of([row] * len(levels)))
        for number, (name, row) in enumerate(zip(participants, lists, strict=True))
    )
    queries = queries_of(tuple(f"q{q}" for q in range(len(levels))), np.full(len(levels), -1), np.full(len(levels), -1))
    tree = None if classification is None else Classification(
        np.array([*classification, *[-1] * (N - len(classification))], np.int32), ("one", "two", "three"),
        np.full(3, -1, np.int32),
    )  # fmt: skip
    return Benchmark("small", Path(), collection_of(IDS), queries, pairs_of(levels), tree, runs)


def test_a_level_unlike_that_of_the_class_is_the_first_suspect():
    classes = [0] * 4 + [1] * 4 + [2] * 4
    levels = [{0: 2, 1: 2, 2: 2, 4: 1, 5: 1, 6: 1, 7: 1}]
    benchmark = small(levels, [list(range(N))] * 3, classes)
    first = find_suspects(benchmark, DEFAULT).suspects[0]
    assert (first.query, first.model, first.current, first.suggested) == (0, 3, 0, 2)
    assert "3 of 3 other models of class 'one' have level 2" in first.reason


def test_many_participants_count_and_runs_of_one_do_not():
    """m5 is first in the lists of three participants, m6 in those of three runs of one; then with equal lists."""
    rng = np.random.default_rng(1)
    rest = [[int(m) for m in rng.permutation(np.arange(7, N))] for _ in range(6)]
    first_of_three = [[5, *row, 6] for row in rest[:3]]
    first_of_one = [[6, *row, 5] for row in rest[3:]]
    benchmark = small([{0: 1}], [*first_of_three, *first_of_one], participants="ABCDDD")
    found = {s.model: s for s in find_suspects(benchmark, DEFAULT, limit=N).suspects}
    assert found[5].evidence > 1.3 * found[6].evidence
    assert "in the first 10 of 3 of 4 participants" in found[5].reason
    assert "in the first 10 of 1 of 4 participants" in found[6].reason
    copied = small([{0: 1}], [first_of_three[0]] * 3 + first_of_one, participants="ABCDDD")
    alike = {s.model: s for s in find_suspects(copied, DEFAULT, limit=N).suspects}
    assert alike[5].evidence < 0.8 * found[5].evidence


def test_a_relevant_model_in_no_list_is_a_suspect():
    benchmark = small([{0: 1, 11: 1}], [list(range(8))] * 2, participants="AB")
    found = {suspect.model: suspect for suspect in find_suspects(benchmark, DEFAULT, limit=N).suspects}
    assert found[11].suggested == 0
    assert "retrieved by none of 2 participants" in found[11].reason


def test_near_duplicates_with_different_levels_are_suspects():
    """m3 and m4 are next to each other in all lists, of which one has level 1."""
    rng = np.random.default_rng(3)
    levels, rows = [], []
    for _ in range(12):
        order = [int(m) for m in rng.permutation([m for m in range(N) if m != 4])]
        place = order.index(3)
        rows.append([*order[: place + 1], 4, *order[place + 1 :]])
        levels.append({3: 1})
    lists = lists_of(rows)
    benchmark = replace(small(levels, [rows[0]], participants="A"), runs=(Run("A", "A", Path("A"), lists),))
    found = find_suspects(benchmark, DEFAULT, limit=100)
    reasons = [suspect.reason for suspect in found.suspects if suspect.model in (3, 4)]
    assert any("its near-duplicate 'm4' has level 0" in reason for reason in reasons)
    assert any("its near-duplicate 'm3' has level 1" in reason for reason in reasons)


def test_models_that_no_list_names_are_not_near_duplicates():
    """Models without a file have the same ranks, none, in every list."""
    listed = [m for m in range(N) if m not in (3, 4)]
    rng = np.random.default_rng(3)
    rows = [[int(m) for m in rng.permutation(listed)] for _ in range(12)]
    benchmark = small([{3: 1}] * 12, [rows[0]], participants="A")
    benchmark = replace(benchmark, runs=(Run("A", "A", Path("A"), lists_of(rows)),))
    found = find_suspects(benchmark, DEFAULT, limit=100)
    assert not any("near-duplicate" in suspect.reason for suspect in found.suspects if suspect.model in (3, 4))


def test_classes_that_all_participants_confuse_are_named(culture, queues):
    queue = queues["model"]
    tree = culture.classification
    for confusion in queue.confusions:
        shares = []
        for run in culture.runs:
            matrix = np.asarray(run.ranking.values)
            rows = np.flatnonzero(culture.queries.labels == confusion.query_class)
            size = int(tree.sizes[confusion.query_class])
            first = np.argsort(matrix[run.ranking.rows[rows]], axis=1, kind="stable")[:, :size]
            shares.append(np.mean(tree.labels[run.ranking.columns[first]] == confusion.model_class))
        assert confusion.share == pytest.approx(min(shares), abs=1e-12)
    assert len(queue.confusions) == 2


# Effects.


@pytest.mark.parametrize("profile", [profile.key for profile in PROFILES])
def test_means_after_an_edit_equal_those_of_a_full_evaluation(shrec06, profile):
    conventions = find_profile(profile)
    scores = evaluate(shrec06, conventions, measures=["AP", "NDCG", "FT"])
    for query, model, level in ((0, 5, 2), (7, 100, 1), (29, 1813, 0)):
        edited = with_level(shrec06, query, model, level)
        expected = evaluate(edited, conventions, measures=["AP", "NDCG", "FT"]).mean()
        np.testing.assert_allclose(means_with(scores, edited, np.array([query])), expected, rtol=0, atol=1e-15)


def test_means_after_another_label_equal_those_of_a_full_evaluation(culture):
    scores = evaluate(culture, DEFAULT, measures=["AP"])
    for model, label in ((0, 3), (200, 0)):
        edited, queries = relabelled(culture, model, label)
        assert 0 < len(queries) < len(culture.queries)
        expected = evaluate(edited, DEFAULT, measures=["AP"]).mean()
        np.testing.assert_allclose(means_with(scores, edited, queries), expected, rtol=0, atol=1e-15)


def test_a_subset_of_queries_has_their_scores(shrec06):
    queries = np.array([3, 4, 20])
    for key in ("shrec2006", "trec"):
        profile = find_profile(key)
        whole = evaluate(shrec06, profile, measures=["AP", "ADR"]).values[:, queries]
        part = evaluate(query_subset(shrec06, queries), profile, measures=["AP", "ADR"]).values
        np.testing.assert_array_equal(part, whole)


def test_runs_that_change_order_are_named():
    benchmark = small([{0: 1, 1: 1}], [[0, 2, 1], [2, 0, 1]], participants="AB")
    scores = evaluate(benchmark, DEFAULT, measures=["AP"])
    edited = with_level(with_level(benchmark, 0, 2, 1), 0, 0, 0)
    effect = edit_effect(scores, means_with(scores, edited, np.array([0])))
    assert effect.exchanged == (("B1", "A0"),)
    assert "B1 ranks above A0" in effect.text


def test_ranks_with_suspects_are_those_of_new_scores(culture):
    """Each label is corrected on its own, and the runs are evaluated and ranked again."""
    ranks = ranks_of(evaluate(culture, DEFAULT, measures=["P@5"]).mean()[:, 0])
    queue = find_suspects(culture, DEFAULT, by="model", limit=6, measure="P@5")
    every = [ranks]
    for suspect in queue.suspects:
        edited, _ = relabelled(culture, suspect.model, suspect.suggested)
        every.append(ranks_of(evaluate(edited, DEFAULT, measures=["P@5"]).mean()[:, 0]))
    found = ranks_with_suspects(queue, [run.name for run in culture.runs], ranks)
    assert found.tolist() == np.stack([np.min(every, axis=0), np.max(every, axis=0)], axis=1).tolist()
    assert np.any(found[:, 0] < found[:, 1])


def test_order_is_by_evidence_then_effect(queues):
    suspects = queues["pair"].suspects
    keys = [(-round(s.evidence, 2), -len(s.effect.exchanged), -round(s.effect.largest_change, 6)) for s in suspects]
    assert keys == sorted(keys)


@pytest.mark.parametrize("by", ["pair", "model"])
def test_threads_find_the_same(by, shrec06, culture, queues):
    benchmark, one = shrec06 if by == "pair" else culture, queues[by]
    three = find_suspects(benchmark, DEFAULT, by=by, limit=len(one.suspects), jobs=3)
    assert one.suspects == three.suspects
    assert one.confusions == three.confusions


# Input without what is needed, and the document.


def test_missing_parts_are_errors():
    benchmark = small([{0: 1}], [[0, 1]], participants="A")
    with pytest.raises(ShrecViewerError, match="no relevance assessment"):
        find_suspects(replace(benchmark, assessment=None), DEFAULT)
    with pytest.raises(ShrecViewerError, match="no submitted runs"):
        find_suspects(replace(benchmark, runs=()), DEFAULT)
    with pytest.raises(ShrecViewerError, match="examine pairs"):
        find_suspects(benchmark, DEFAULT, by="model")
    with pytest.raises(Cancelled):
        find_suspects(benchmark, DEFAULT, cancelled=lambda: True)


def test_empty_lists_and_single_models_are_no_error():
    for lists in ([[]], [[0]], [[-1, -1]]):
        find_suspects(small([{0: 1}, {}], lists, participants="A"), DEFAULT)
    one = Benchmark(
        "one", Path(), collection_of(("a",)), queries_of(("q",), np.array([-1]), np.array([-1])), pairs_of([{0: 1}]),
        runs=(Run("A", "A", Path("A"), lists_of([[0]])),),
    )  # fmt: skip
    find_suspects(one, DEFAULT)


def test_document_of_pairs_and_of_models(queues):
    for by, keys in (
        ("pair", {"query", "model", "level", "suggested", "evidence", "sentence", "effect"}),
        ("model", {"model", "class", "suggested", "evidence", "sentence", "effect"}),
    ):
        document = json.loads(json.dumps(suspects_document(queues[by])))
        assert document["schema"] == "shrec-viewer/suspects/1"
        assert document["by"] == by
        assert document["suspects"]
        assert all(keys <= set(row) for row in document["suspects"])
        assert all(0 <= row["evidence"] <= 1 and row["sentence"].endswith(".") for row in document["suspects"])


def test_command(capsys):
    assert run_program(("suspects", "demo", "--limit", "3", "--format", "json")) == 0
    document = json.loads(capsys.readouterr().out)
    assert len(document["suspects"]) == 3
    assert run_program(("suspects", "demo", "--by", "pair", "--limit", "3")) == 0
    assert "evidence" in capsys.readouterr().out
    assert run_program(("suspects", "demo", "--limit", "0")) == 2


@pytest.mark.parametrize(
    ("pairs", "change", "text"),
    [
        (0, 0.0, "the order of the runs stays; no mean changes"),
        (0, 0.00004, "the order of the runs stays; means change by less than 0.0001"),
        (0, 0.00006, "the order of the runs stays; means change by at most 0.0001"),
        (1, 0.5, "W0 ranks above L0; means change by at most 0.5000"),
        (4, 0.5, f"{', '.join(f'W{n} ranks above L{n}' for n in range(3))} and 1 more pair changes; means change by at "
                 "most 0.5000"),
        (5, 0.5, f"{', '.join(f'W{n} ranks above L{n}' for n in range(3))} and 2 more pairs change; means change by at "
                 "most 0.5000"),
    ],
)  # fmt: skip
def test_the_effect_is_never_a_change_by_zero(pairs, change, text):
    assert EditEffect(tuple((f"W{n}", f"L{n}") for n in range(pairs)), change).text == text
