"""Certainty of the order of runs: figures of two contests, agreement with compare, and runs that are not comparable."""

import json
from dataclasses import replace

import numpy as np
import pytest
from independent_loaders import data_folder, lists_of, load_shrec06
from small_benchmarks import external, itself

from shrec_viewer.domain import Cancelled, Run, ShrecViewerError
from shrec_viewer.evaluation.comparison.certainty import (
    certainty_document,
    certainty_notes,
    family_of,
    leader_sentence,
    order_certainty,
    order_sentence,
)
from shrec_viewer.evaluation.comparison.comparable import (
    Incomparable,
    favours_short_lists,
    incomparable_pairs,
    incomparable_text,
)
from shrec_viewer.evaluation.comparison.comparison import compare
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.score_tables import to_json
from shrec_viewer.evaluation.virtual_runs import with_virtual_runs
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_measure, find_profile
from shrec_viewer.number_format import format_value

DEFAULT = find_profile("default")


@pytest.fixture(scope="module")
def shrec06():
    return evaluate(load_shrec06(), find_profile("shrec2006"), measures=["ADR", "P", "TN"])


def test_the_order_of_shrec_2006(shrec06):
    found = order_certainty(shrec06, "ADR")
    assert found.family[:2] == ("B2", "G1")
    assert found.intervals[:2].tolist() == [[1, 4], [1, 5]]
    assert found.p_best[1] > found.p_best[0]  # the second run is the first one more often
    assert found.means[:2] == pytest.approx([0.3641, 0.3633], abs=5e-5)
    sentence = "B2 and G1 share places 1 to 5; 424,569 queries would be needed to tell them apart."
    assert order_sentence(found) == sentence == certainty_notes(found)[0]
    assert not found.can_tell_apart(found.pairs[0])
    assert found.units == 30  # K2 has no list for some queries, which count 0


def test_pairs_are_those_of_compare(shrec06):
    found = order_certainty(shrec06, "ADR")
    assert len(found.pairs) == 13 * 12 // 2
    for pair in found.pairs:
        one = compare(shrec06, pair.b, pair.a, "ADR")
        numbers = (one.difference.mean, one.difference.low, one.difference.high, one.effect)
        assert (pair.difference, pair.low, pair.high, pair.effect_size) == pytest.approx(numbers, abs=1e-12)
        assert pair.win_tie_loss == one.win_tie_loss
        assert pair.difference >= 0


def test_the_order_of_shrec_2021_by_query_and_by_class():
    scores = evaluate(read_benchmark(data_folder("shrec2021_culture")), DEFAULT)
    found = order_certainty(scores, resample="query")
    assert found.means[:2] == pytest.approx([0.848, 0.845], abs=5e-4)
    assert found.p_best[:2] == pytest.approx([0.61, 0.39], abs=0.01)
    by_class = order_certainty(scores)
    assert (by_class.resampling, by_class.units) == ("classes", 6)
    assert by_class.p_best[:2] == pytest.approx([0.55, 0.43], abs=0.01)
    # Queries, whatever is resampled.
    assert found.pairs[0].queries_needed == by_class.pairs[0].queries_needed == 21_762
    assert any("rough" in note for note in certainty_notes(by_class))
    assert not any("rough" in note for note in certainty_notes(found))


def test_the_document_has_the_fields_of_the_contract(shrec06):
    found = json.loads(to_json(certainty_document(order_certainty(shrec06, "ADR", rope=0.2, difference=0.05))))
    assert found["schema"] == "shrec-viewer/certainty/1"
    assert (found["benchmark"], found["profile"], found["measure"]) == ("shrec06", "shrec2006", "ADR")
    assert (found["resampling"], found["units"], found["resamples"], found["seed"]) == ("queries", 30, 10_000, 2006)
    assert found["rope"] == 0.2
    assert found["family"] == [run["name"] for run in found["runs"]]
    assert {"mean", "rank", "rank_interval", "rank_bounds", "p_best"} <= found["runs"][0].keys()
    assert sum(run["p_best"] for run in found["runs"]) == pytest.approx(1)
    pair = found["pairs"][0]
    assert (pair["a"], pair["b"], pair["equivalent"]) == ("B2", "G1", True)
    # 7.849 (sd / 0.05)^2 + 1.92; the standard deviation of B2 - G1 is 0.1792.
    deviation = pair["difference"] / pair["effect_size"]
    assert pair["queries_needed"] == int(np.ceil(7.84888 * (deviation / 0.05) ** 2 + 1.92073)) == 103


def test_seed_and_number_of_resamples_change_the_places_only(shrec06):
    one, other = order_certainty(shrec06, "ADR", resamples=300, seed=1), order_certainty(shrec06, "ADR", resamples=300)
    assert one.places.shape == (300, 13)
    assert not np.array_equal(one.places, other.places)
    assert one.pairs[0].queries_needed == other.pairs[0].queries_needed
    again = order_certainty(shrec06, "ADR", resamples=300, seed=1)
    assert to_json(certainty_document(one)) == to_json(certainty_document(again))


def test_lower_is_better_turns_the_order_only(shrec06):
    """ADR and its negative, as a measure of which lower values are better, give the same places."""
    adr = shrec06.measures[0]
    columns = replace(adr, measure=replace(adr.measure, better="lower")), *shrec06.measures[1:]
    turned = replace(shrec06, measures=columns, raw_values=-shrec06.raw_values)
    one, other = order_certainty(shrec06, "ADR", resamples=500), order_certainty(turned, "ADR", resamples=500)
    assert one.family == other.family
    assert np.array_equal(one.places, other.places)
    assert np.array_equal(one.bounds, other.bounds)
    assert [pair.p_above for pair in one.pairs] == [pair.p_above for pair in other.pairs]
    assert [pair.win_tie_loss for pair in one.pairs] == [pair.win_tie_loss for pair in other.pairs]


def test_a_query_that_a_run_lacks_is_left_out_with_skip():
    """Recall of `full` is 1 1 1, of `gaps` 2/3 0 0; it has no list for q1, and an empty one for q3."""
    scores = evaluate(external(), DEFAULT, measures=["R"])
    found = order_certainty(scores, "R", resamples=200)
    assert (found.n_queries, found.means.tolist()) == (3, pytest.approx([1, 2 / 9]))
    skipped = evaluate(external(), replace(DEFAULT, missing_query="skip"), measures=["R"])
    found = order_certainty(skipped, "R", resamples=200)
    assert (found.n_queries, found.means.tolist()) == (2, pytest.approx([1, 1 / 3]))
    with pytest.raises(ShrecViewerError, match="fewer than two queries"):
        order_certainty(skipped.select_queries(np.array([0])), "R")


def test_equal_runs_are_said_to_be_equal():
    benchmark = external()
    twin = replace(benchmark.runs[0], name="twin")
    found = order_certainty(evaluate(replace(benchmark, runs=(benchmark.runs[0], twin)), DEFAULT, measures=["AP"]))
    assert order_sentence(found) == "full and twin share place 1: their means are equal."
    assert leader_sentence(found).endswith("; not significantly different from twin.")
    assert found.pairs[0].queries_needed is None
    assert found.pairs[0].equivalent
    assert found.p_best.tolist() == [0.5, 0.5]


def test_one_run_has_no_order():
    found = order_certainty(evaluate(itself(), DEFAULT, measures=["AP"]))
    assert order_sentence(found) == leader_sentence(found) == ""
    assert (found.intervals.tolist(), found.bounds.tolist(), found.pairs) == ([[1, 1]], [[1, 1]], ())


def test_separated_runs_are_said_to_be_separated(shrec06):
    values = shrec06.raw_values.copy()
    values[:, :, 0] = np.arange(13)[:, None] + 0.001 * np.arange(30)
    pair = replace(shrec06, raw_values=values).select_runs([0, 1])
    found = order_certainty(pair, "ADR", resamples=200)
    assert order_sentence(found).startswith("Each run differs significantly")
    leads = f"{found.family[0]} leads with ADR {format_value(float(found.means[0]))}"
    assert leader_sentence(found) == f"{leads}; significantly better than all others."


def test_the_family_is_without_virtual_runs_unless_they_are_named():
    benchmark = with_virtual_runs(external(), ["rrf(full, gaps)"], DEFAULT)
    scores = evaluate(benchmark, DEFAULT, measures=["AP"])
    assert family_of(scores).runs == ("full", "gaps")
    assert family_of(scores, ("gaps", "rrf(full, gaps)")).runs == ("gaps", "rrf(full, gaps)")


@pytest.mark.parametrize(
    ("measure", "runs", "problem"),
    [("Judged", 2, "neither higher nor lower"), ("MCC", 2, "all queries together"), ("AP", 0, "no runs to rank")],
)
def test_what_cannot_be_ordered_is_refused(measure, runs, problem):
    benchmark = replace(external(), runs=external().runs[:runs])
    with pytest.raises(ShrecViewerError, match=problem):
        order_certainty(evaluate(benchmark, DEFAULT, measures=[measure]), measure)


def test_a_cancelled_examination_ends():
    with pytest.raises(Cancelled):
        order_certainty(evaluate(external(), DEFAULT, measures=["AP"]), cancelled=lambda: True)


# ------------------------------------------------------------------------------------------------------ not comparable


@pytest.mark.parametrize(
    ("profile", "measure", "expected"),
    [
        *[("default", key, False) for key in ("AP", "NDCG", "P@10", "R", "NN", "FT", "ADR", "E@32")],
        *[("default", key, True) for key in ("P", "F1")],
        *[("shrec2006", key, True) for key in ("AP", "ADR", "FT")],  # over what was retrieved, as in their sources
        ("shrec2023", "NDCG", True),  # the ideal of the retrieved models
    ],
)
def test_measures_that_divide_by_what_was_retrieved(profile, measure, expected):
    assert favours_short_lists(find_measure(measure), find_profile(profile)) is expected


def cut_and_copied(count=20):
    """Twenty queries of twenty models; `short` has the first ten ranks of `long`, `near` the first three exchanged."""
    random = np.random.default_rng(4)
    orders = [random.permutation(20).tolist() for _ in range(count)]
    near = [[order[1], order[0], *order[2:]] if n == 0 else order for n, order in enumerate(orders)]
    others = [random.permutation(20).tolist() for _ in range(count)]
    named = {"long": orders, "short": [one[:10] for one in orders], "copy": orders, "near": near, "other": others}
    from independent_loaders import collection_of, pairs_of, queries_of

    base = external()
    return replace(
        base,
        collection=collection_of(tuple(f"m{n}" for n in range(20))),
        queries=queries_of(tuple(f"q{n}" for n in range(count)), np.full(count, -1), np.full(count, -1)),
        assessment=pairs_of([{n % 20: 1, (n + 5) % 20: 1} for n in range(count)]),
        classification=None,
        runs=tuple(Run(name, name, base.root / name, lists_of(rows)) for name, rows in named.items()),
        findings=(),
    )


def test_cuts_copies_and_near_copies_are_named():
    scores = evaluate(cut_and_copied(), DEFAULT, measures=["AP", "P"])
    found = {(one.a, one.b): one.reason for one in incomparable_pairs(scores, "AP")}
    assert found["long", "short"] == "short has the first ranks of long"
    assert found["short", "copy"] == "short has the first ranks of copy"
    assert found["long", "copy"] == "copy is a copy of long"
    assert found["long", "near"] == "near is a near-copy of long"
    assert not any("other" in pair for pair in found)
    lengths = [one for one in incomparable_pairs(scores, "P") if "other" in (one.a, one.b)]
    assert [one.reason for one in lengths] == [
        "short and other have lists of other lengths, on average 10 and 20 models"
    ]
    text = incomparable_text(incomparable_pairs(scores, "P"), "P")
    assert text.startswith("Not comparable: short has the first ranks of long; ")
    assert "; 3 more copies; P divides by what was retrieved and favours short lists: short and other" in text
    assert incomparable_text((), "P") == ""


@pytest.mark.parametrize(("others", "more"), [(0, "."), (1, ", as 1 more pair does."), (2, ", as 2 more pairs do.")])
def test_pairs_with_lists_of_other_lengths_are_counted(others, more):
    pairs = [Incomparable(f"a{n}", f"b{n}", f"a{n} and b{n} have other lists") for n in range(others + 1)]
    assert incomparable_text(pairs, "P").endswith(f"a0 and b0 have other lists{more}")


def test_runs_with_the_first_queries_only_are_not_examined():
    """With few queries different methods may have the same lists."""
    assert incomparable_pairs(evaluate(cut_and_copied(5), DEFAULT, measures=["AP"]), "AP") == ()
