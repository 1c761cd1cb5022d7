"""Written-out calculations evaluate to the scores, for all profiles, runs, queries and measures."""

import re
from dataclasses import replace
from math import isclose, isnan, log2

import numpy as np
import pytest

from shrec_viewer.evaluation.calculation import calculation_of, calculation_of_mean
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import MEASURES, PROFILES, find_measure, find_profile
from shrec_viewer.resources import resource

EVERY = [
    *(measure.name for measure in MEASURES if measure.name not in ("E",)),
    "E@32", "E@5", "AP@10", "AP(rel=2)", "FT(rel=2)", "ST(rel=2)", "P@10", "R@7", "F1@5", "RR@3", "NDCG@5", "NCG@10",
    "DCG@5",    "CG@5", "ADR@4", "GR3", "GRP3", "P(rel=2)@5", "TP(rel=2)", "TN(rel=2)", "TP@5", "FP@5", "TN@5", "FN@5",
    "F(beta=2)", "F(beta=0.5,rel=2)@7", "Cost(alpha=0.2)@10",
]  # fmt: skip


@pytest.fixture(scope="module")
def demo():
    return read_benchmark(resource("demo"))


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.key)
def test_expressions_evaluate_to_the_scores(demo, profile):
    """Every third query and every second run, others under each of six profiles."""
    scores = evaluate(demo, profile, measures=EVERY)
    queries = range(PROFILES.index(profile) % 3, len(scores.queries), 3)
    runs = range(PROFILES.index(profile) % 2, len(scores.runs), 2)
    without = 0
    levels = {run: {query: dict(zip(*_hits(scores, run, query), strict=True)) for query in queries} for run in runs}
    for column, measure in enumerate(scores.measures):
        for run in runs:
            for query in queries:
                found = calculation_of(scores, measure.key, run, query)
                value = float(scores.values[run, query, column])
                assert found.value == value or (isnan(found.value) and isnan(value))
                if isnan(value):
                    assert found.calculation_steps is None
                    assert found.note
                    continue
                if not found.calculation_steps.arithmetic:
                    without += 1
                    assert found.note
                    assert found.calculation_steps.total == value
                    assert set(found.calculation_steps.ranks) <= levels[run][query].keys()
                    continue
                result = eval(found.calculation_steps.arithmetic, {"__builtins__": {}}, {"log2": log2})
                assert isclose(result, value, rel_tol=1e-9, abs_tol=1e-9), (
                    measure.key,
                    found.calculation_steps.arithmetic,
                )
                if found.calculation_steps.shares:
                    assert (
                        isclose(sum(found.calculation_steps.shares), value, rel_tol=1e-9, abs_tol=1e-9)
                        or "+ 1)" in found.calculation_steps.arithmetic
                    )
                    assert len(found.calculation_steps.shares) == len(found.calculation_steps.ranks)
                assert set(found.calculation_steps.ranks) <= levels[run][query].keys()
                assert found.formula
                assert found.source
                for letter, _, _ in found.calculation_steps.symbols:
                    assert _named(letter, found.formula), (measure.key, letter, found.formula)
    # Official programs with arithmetic of their own may have none; textbook ones always have.
    assert without == 0 or profile.key in ("shrec2021", "shrec2017rgbd", "shrec2013sketch", "shrec2016shapenet"), (
        without
    )


def _named(letter, formula):
    """Whether a formula has a letter, `V(14)` as `V(C)`."""
    if letter.startswith("V("):
        return "V(" in formula
    return re.search(rf"(?<![A-Za-z]){re.escape(letter)}(?![a-z])", formula)


def test_source_is_that_of_the_formula_used():
    """SHREC 2006 divides by the relevant models retrieved, trec_eval by all of them."""
    average = find_measure("AP")
    for key, divisor, source in (
        ("default", "1/C", "trec_eval"), ("shrec2006", "1/V", "SHREC2006"),
        ("shrec2013sketch", "max C", "SHREC'13"), ("psb", "1/C", "trec_eval"),
    ):  # fmt: skip
        profile = find_profile(key)
        assert divisor in average.formula_under(profile)
        assert source in average.source_under(profile)


def _hits(scores, run, query):
    table = scores.hits[run].rows(query, query + 1)
    return table.ranks.tolist(), table.levels.tolist()


def test_parts_of_a_mean_add_up(demo):
    for profile in PROFILES:
        scores = evaluate(demo, profile)
        for over_classes, means in ((False, scores.mean()), (True, scores.class_mean())):
            _check_means(scores, means, over_classes)


def _check_means(scores, means, over_classes):
    for column, measure in enumerate(scores.measures):
        for run in range(len(scores.runs)):
            found = calculation_of_mean(scores, measure.key, run, over_classes=over_classes)
            np.testing.assert_allclose(found.value, means[run, column], rtol=0, atol=0)
            if found.calculation_steps is None:
                assert isnan(found.value) or not measure.is_mean
                continue
            values = [value for _, value in found.parts]
            assert sum(values) / len(values) == pytest.approx(found.value, abs=1e-12)
            assert values == sorted(values, reverse=measure.better != "lower")


def test_missing_query_states_its_treatment(demo):
    profile = find_profile("shrec2006")
    scores = evaluate(demo, profile)
    run, query = (int(place) for place in np.argwhere(scores.missing)[0])
    note = calculation_of(scores, "AP", run, query).note
    assert "no results for this query" in note
    assert ("score 0 in the mean" in note) == (profile.missing_query == "zero")


def test_a_measure_without_a_calculation_lists_its_inputs(demo):
    """A plug-in need not write a calculation."""
    profile = find_profile("psb")
    scores = evaluate(demo, profile, measures=["P@10"])
    plain = replace(scores.measures[0], measure=replace(scores.measures[0].measure, calculation=None))
    scores = replace(scores, measures=(plain,))
    written = calculation_of(scores, "P@10", 0, 0)
    assert "no step-by-step calculation" in written.note
    assert written.calculation_steps.arithmetic == ""
    assert written.calculation_steps.total == written.value
    symbols = {letter: value for letter, _, value in written.calculation_steps.symbols}
    assert int(symbols["V(10)"]) == len(written.calculation_steps.ranks) == round(10 * written.value)


def test_every_measure_of_the_table_has_a_calculation():
    assert [measure.name for measure in MEASURES if measure.calculation is None] == []
    assert find_measure("GR3").measure.calculation is not None


def test_gain_of_a_model_is_that_of_the_profile(demo):
    """The symbol of the calculation and the clause of the formula name the exponential gain of 2021."""
    for profile, symbol, clause in (("default", "its level", ""), ("shrec2021", "2^level - 1", "G[i] = 2^level - 1")):
        scores = evaluate(demo, find_profile(profile), measures=["CG@5"])
        found = calculation_of(scores, "CG@5", 0, 0)
        assert found.calculation_steps.symbols[0][2] == symbol
        assert clause in found.formula
