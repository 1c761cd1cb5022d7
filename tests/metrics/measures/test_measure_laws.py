"""Laws that every row of MEASURES and CURVES obeys under every profile; a new row is tested by being in the table."""

import math
from dataclasses import replace
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from hit_tables import Case, table_of
from hypothesis import example, given, note, settings
from hypothesis import strategies as st
from slow_measures import BY_GENERALITY, slow_measure

from shrec_viewer.metrics import (
    CURVES,
    MEASURES,
    PROFILES,
    Measure,
    ResolvedMeasure,
    find_curve,
    find_measure,
    find_profile,
)  # fmt: skip

HIGHEST = 3
CASES = st.builds(
    Case,
    gains=st.lists(st.integers(0, HIGHEST), max_size=40).map(tuple),
    lacking=st.lists(st.integers(0, HIGHEST), max_size=40).map(tuple),
    highest=st.just(HIGHEST),
)
TABLES = st.lists(CASES, min_size=1, max_size=8)
LONG_TABLES = st.lists(CASES, min_size=6, max_size=16)
PERFECT = [Case(gains=(HIGHEST,) * size, highest=HIGHEST) for size in range(5, 40)]
"""Lists of relevant models only, for which rounded sums may exceed 1."""

COMPLETE = st.lists(st.integers(0, HIGHEST), min_size=1, max_size=60).map(tuple)
RARELY = settings(max_examples=8, deadline=None)
"""All measures or curves with the same tables: drawing a table and counting its hits takes most of the time."""

HALF = settings(max_examples=4, deadline=None)
"""For `LONG_TABLES`: as many queries in total as `RARELY` with `TABLES`."""

COUNTS = {
    "TP",
    "FP",
    "TN",
    "FN",
    "CG",
    "DCG",
    "Cost(alpha=0.5)",
    "Judged",
    "Accuracy",
    "BalancedAccuracy",
    "MacroF1",
    "MCC",
}
"""Defined for queries without relevant models as well."""

LEAST_SIZE = {"AUC(PR20)": 2}
"""Smallest number of relevant models for which a measure is defined, where it is not 1."""

ONE_WHEN_IDEAL = {
    "NN", "FT", "ST", "AP", "ADR", "NDCG", "NCG", "R", "Rprec", "RR", "GR1", "GR2", "Success", "GMAP", "AP@R",
    "AP(trapezoid)", "AUC(PR)", "AUC(PR20)", "Bpref",
}  # fmt: skip
"""The best full list scores exactly 1 under the default conventions."""

DIRECTED = [measure for measure in MEASURES if measure.better != "none"]
"""Measures of which one direction is better."""

each_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
DEFAULT = find_profile("default")


def each_row(rows):
    """Iterate over rows of a table of metrics; the last one that a failure prints is the one that fails."""
    for row in rows:
        note(row.name if isinstance(row, Measure) else row.key)
        yield row


@cache
def resolved_forms(measure: Measure) -> list[ResolvedMeasure]:
    """The measure with every kind of parameter it takes."""
    levels = range(1, HIGHEST + 1) if measure.takes_level else (1,)
    cutoffs = (None, 1, 7, 500) if measure.takes_cutoff else (None,)
    return [measure.at(level, cutoff) for level in levels for cutoff in cutoffs]


def values_of(measure, hits, profile):
    """Values of all forms (forms, queries); one comparison of them all takes as long as one of a single form."""
    values = np.stack([form.evaluate(hits, profile) for form in resolved_forms(measure)])
    assert values.dtype == np.float64
    return values


def ceilings_of(measure, hits, profile):
    """Ceilings of all forms (forms, queries)."""
    return np.stack([form.ceiling(hits, profile) for form in resolved_forms(measure)])


def profiles_of(kind):
    """Profiles under which the values of a curve may differ."""
    return [DEFAULT] if kind.key in BY_GENERALITY else PROFILES


def is_at_least(better, first, second):
    """Whether no value of `first` is worse than that of `second`, up to rounding; True where `second` is undefined."""
    return np.all((first >= second - 1e-12 if better == "higher" else first <= second + 1e-12) | np.isnan(second))


@given(table=LONG_TABLES)
@example(table=PERFECT)
@HALF
def test_values_lie_in_range_and_are_undefined_only_without_relevant_models(table):
    hits = table_of(table)
    for measure in each_row(MEASURES):
        forms = resolved_forms(measure)
        least = LEAST_SIZE.get(measure.name, 1)
        nothing = np.stack([hits.relevant_size(form.level) < least for form in forms])
        for profile in PROFILES:
            values = values_of(measure, hits, profile)
            assert values.shape == (len(forms), len(table))
            low, high = np.transpose([form.range_under(profile) for form in forms])[..., np.newaxis]
            np.testing.assert_array_equal(np.isnan(values), nothing & (measure.name not in COUNTS))
            assert np.all(((values >= low) & (values <= high)) | np.isnan(values))


@given(table=LONG_TABLES, data=st.data())
@HALF
def test_values_do_not_depend_on_other_queries(table, data):
    hits = table_of(table)
    start = data.draw(st.integers(0, len(table) - 1))
    stop = data.draw(st.integers(start + 1, len(table)))
    part = hits.rows(start, stop)
    for measure in each_row(MEASURES):
        for profile in PROFILES:
            whole = values_of(measure, hits, profile)[:, start:stop]
            np.testing.assert_array_equal(values_of(measure, part, profile), whole)


@pytest.mark.parametrize("queries", [1, 3, 64, 257])
def test_values_do_not_depend_on_the_block_size(queries):
    """Large tables of 257 queries with up to 700 models, where vectorised loops and pairwise sums begin to differ."""
    random = np.random.default_rng(7)
    hits = table_of([Case(tuple(random.integers(0, 3, random.integers(0, 700))), highest=2) for _ in range(257)])
    blocks = [hits.rows(start, min(start + queries, 257)) for start in range(0, 257, queries)]
    for measure in MEASURES:
        for form in (measure.at(), *([measure.at(cutoff=100)] if measure.takes_cutoff else [])):
            pieces = [form.evaluate(block, DEFAULT) for block in blocks]
            np.testing.assert_array_equal(np.concatenate(pieces), form.evaluate(hits, DEFAULT), err_msg=form.key)


@given(gains=COMPLETE, seed=st.integers(0, 2**32 - 1))
@RARELY
def test_ideal_ranking_is_best(gains, seed):
    """No order of the whole collection is better than the one with the highest levels first."""
    shuffled = tuple(np.random.default_rng(seed).permutation(gains).tolist())
    hits = table_of([Case(tuple(sorted(gains, reverse=True)), highest=HIGHEST), Case(shuffled, highest=HIGHEST)])
    for measure in each_row(DIRECTED):
        for profile in PROFILES:
            ideal, other = values_of(measure, hits, profile).T
            assert is_at_least(measure.better, ideal, other)


@pytest.mark.parametrize("name", sorted(ONE_WHEN_IDEAL))
@given(gains=COMPLETE)
@RARELY
def test_ideal_ranking_scores_one(name, gains):
    measure = next(measure for measure in MEASURES if measure.name == name)
    hits = table_of([Case(tuple(sorted(gains, reverse=True)), highest=HIGHEST)])
    for level in range(1, HIGHEST + 1) if measure.takes_level else (1,):
        value = measure.at(level).evaluate(hits, DEFAULT)[0]
        assert math.isnan(value) or value == pytest.approx(1.0, abs=1e-12)


def is_within(values, ceilings, better):
    """Whether no value is beyond its bound, up to rounding; undefined where the bound is."""
    np.testing.assert_array_equal(np.isnan(values), np.isnan(ceilings))
    excess = ceilings - values if better == "lower" else values - ceilings
    return np.all((excess <= 1e-12 * np.maximum(1.0, np.abs(ceilings))) | np.isnan(excess))


@given(table=LONG_TABLES)
@HALF
def test_no_value_is_beyond_its_ceiling(table):
    """For truncated lists of random length, under every profile."""
    hits = table_of(table)
    for measure in each_row(DIRECTED):
        for profile in PROFILES:
            assert is_within(values_of(measure, hits, profile), ceilings_of(measure, hits, profile), measure.better)


@pytest.mark.parametrize("measure", DIRECTED, ids=lambda measure: measure.name)
@pytest.mark.parametrize("levels", [(2, 1, 1, 0, 0), (3, 0, 0, 0), (1, 1, 1)], ids=str)
def test_ceiling_is_the_best_value_of_all_lists_of_the_same_length(measure, levels):
    """Every list of a small collection, of 0 to 3 models: the bound is attained."""
    orders = sorted(set(permutations(levels)))
    lengths = range(4)
    hits = table_of([Case(o[:length], o[length:], highest=HIGHEST) for length in lengths for o in orders])
    best = np.min if measure.better == "lower" else np.max
    for profile in PROFILES:
        by_length = (len(resolved_forms(measure)), len(lengths), len(orders))
        ceilings = ceilings_of(measure, hits, profile).reshape(by_length)
        # NaN where a level has no models, in all lists.
        np.testing.assert_array_equal(ceilings, np.broadcast_to(ceilings[..., :1], by_length))
        values = values_of(measure, hits, profile).reshape(by_length)
        np.testing.assert_allclose(ceilings[..., 0], best(values, axis=2), rtol=1e-12)


@given(case=CASES, data=st.data())
@RARELY
def test_moving_a_more_relevant_model_up_never_lowers_the_score(case, data):
    rising = [i for i in range(1, len(case.gains)) if case.gains[i] > case.gains[i - 1]]
    if not rising:
        return
    place = data.draw(st.sampled_from(rising))
    moved = list(case.gains)
    moved[place - 1 : place + 1] = moved[place], moved[place - 1]
    hits = table_of([case, Case(tuple(moved), case.lacking, highest=HIGHEST)])
    for measure in each_row(DIRECTED):
        for profile in PROFILES:
            before, after = values_of(measure, hits, profile).T
            if measure.name == "AP" and profile.ap_divisor == "retrieved":
                # A model that moves within the cutoff may lower the mean over those found there.
                is_uncut = [form.cutoff is None for form in resolved_forms(measure)]
                before, after = before[is_uncut], after[is_uncut]
            if measure.name == "ADR" and profile.adr == "protein2021":
                continue  # a model of level 3 that moves up may displace one of level 2, which alone is added
            assert is_at_least(measure.better, after, before)


@given(case=CASES)
@RARELY
def test_one_more_hit_never_lowers_the_score_under_the_default_profile(case):
    """SHREC 2006 breaks this on purpose: its average precision divides by what was retrieved."""
    relevant = [level for level in case.lacking if level > 0]
    if not relevant:
        return
    rest = list(case.lacking)
    rest.remove(relevant[0])
    longer = Case((*case.gains, relevant[0]), tuple(rest), highest=HIGHEST)
    hits = table_of([case, longer])
    for measure in each_row(DIRECTED):
        for form in resolved_forms(measure):
            if form.level > relevant[0] or (measure.name in ("P", "F1") and form.cutoff is None):
                continue  # to that level the model found is one more that is not relevant
            before, after = form.evaluate(hits, DEFAULT)
            if not math.isnan(before):
                assert (after >= before - 1e-12) if measure.better == "higher" else (after <= before + 1e-12)


@each_measure
def test_empty_list_scores_worst(measure):
    """0, or the upper end of the range where lower values are better; all relevant models are false negatives."""
    case = Case((), lacking=(3, 2, 1, 0, 0), highest=HIGHEST)
    hits = table_of([case])
    for profile in PROFILES:
        for form in resolved_forms(measure):
            missed = hits.relevant_size(form.level)[0]
            share = form.range[1] if measure.better == "lower" and math.isfinite(form.range[1]) else 0
            # Of three models the first of 20 points is at recall 7/20; the first trapezoid begins at precision 1.
            worst = {"TN": 5 - missed, "FN": missed, "Cost(alpha=0.5)": missed / 2, "AUC(PR20)": 0.35 / 2}
            if measure.name.endswith("(wasted)"):  # the whole ideal gain
                worst = {measure.name: slow_measure(measure.name, 1, form.cutoff, case, profile)}
            assert form.evaluate(hits, profile)[0] == pytest.approx(worst.get(measure.name, share))


@each_measure
def test_no_queries_give_empty_arrays(measure):
    for form in resolved_forms(measure):
        assert form.evaluate(table_of([]), DEFAULT).shape == (0,)


@given(table=TABLES)
@HALF
def test_curves_by_generality_are_equal_under_all_profiles(table):
    hits = table_of(table)
    for key in BY_GENERALITY:
        curves = [find_curve(key).evaluate(hits, profile, 30) for profile in PROFILES]
        for curve in curves:
            np.testing.assert_array_equal(curve.x, curves[0].x)
            np.testing.assert_array_equal(curve.y, curves[0].y)


@given(table=LONG_TABLES)
@HALF
def test_curves_lie_in_their_ranges(table):
    hits = table_of(table)
    for kind in each_row(CURVES):
        for profile in profiles_of(kind):
            for curve in (kind.evaluate(hits, profile, 30), kind.averaged().function(hits, profile, 30)):
                assert curve.y.shape[0] == len(table)
                assert curve.x.shape in (curve.y.shape, curve.y.shape[1:])
                for values, limits in (
                    (curve.x, kind.x_range or (1.0, 30.0)),
                    (curve.y, kind.y_range or (0.0, math.inf)),
                ):
                    defined = values[~np.isnan(values)]
                    assert np.all((defined >= limits[0]) & (defined <= limits[1]))


@given(gains=COMPLETE, seed=st.integers(0, 2**32 - 1))
@RARELY
def test_curve_of_the_ideal_ranking_is_an_upper_envelope(gains, seed):
    shuffled = tuple(np.random.default_rng(seed).permutation(gains).tolist())
    hits = table_of([Case(tuple(sorted(gains, reverse=True)), highest=HIGHEST), Case(shuffled, highest=HIGHEST)])
    for kind in each_row(CURVES):
        for profile in profiles_of(kind):
            for curve in (kind.evaluate(hits, profile, 70), kind.averaged().function(hits, profile, 70)):
                ideal, other = curve.y
                np.testing.assert_array_equal(np.isnan(ideal), np.isnan(other))
                assert np.all((ideal >= other - 1e-12) | np.isnan(ideal))


@given(case=CASES, data=st.data())
@RARELY
def test_moving_a_more_relevant_model_up_lowers_no_point_of_a_curve(case, data):
    """Point by point: at each rank, at each recall, at each relevant model, at each generality."""
    rising = [i for i in range(1, len(case.gains)) if case.gains[i] > case.gains[i - 1]]
    if not rising:
        return
    place = data.draw(st.sampled_from(rising))
    moved = list(case.gains)
    moved[place - 1 : place + 1] = moved[place], moved[place - 1]
    hits = table_of([case, Case(tuple(moved), case.lacking, highest=HIGHEST)])
    for kind in each_row(CURVES):
        for profile in profiles_of(kind):
            if kind.key == "ADR" and profile.adr == "protein2021":
                continue
            for curve in (kind.evaluate(hits, profile, 50), kind.averaged().function(hits, profile, 50)):
                before, after = curve.y
                np.testing.assert_array_equal(np.isnan(before), np.isnan(after))
                assert np.all((after >= before - 1e-12) | np.isnan(before))


@pytest.mark.parametrize("key", ["P", "R", "ADR", "NCG", "NDCG", "PR11"])
@given(table=TABLES)
@RARELY
def test_curves_are_undefined_only_without_relevant_models(key, table):
    hits = table_of(table)
    kind = next(kind for kind in CURVES if kind.key == key)
    for profile in PROFILES:
        undefined = np.isnan(kind.evaluate(hits, profile, 30).y)
        np.testing.assert_array_equal(undefined, np.tile(hits.relevant_size(1)[:, None] == 0, undefined.shape[1]))


@given(table=LONG_TABLES, data=st.data())
@HALF
def test_curves_do_not_depend_on_other_queries(table, data):
    hits = table_of(table)
    query = data.draw(st.integers(0, len(table) - 1))
    row = hits.rows(query, query + 1)
    for kind in each_row(CURVES):
        for profile in profiles_of(kind):
            whole, one = kind.evaluate(hits, profile, 30), kind.evaluate(row, profile, 30)
            np.testing.assert_array_equal(whole.y[query][: one.y.shape[1]], one.y[0])
            assert np.all(np.isnan(whole.y[query][one.y.shape[1] :]))


@pytest.mark.parametrize("name", ["P", "R", "ADR"])
@given(table=TABLES)
@RARELY
def test_curves_by_rank_equal_measures_with_cutoff(name, table):
    hits = table_of(table)
    kind = next(kind for kind in CURVES if kind.key == name)
    measure = next(measure for measure in MEASURES if measure.name == name)
    for profile in PROFILES:
        curve = kind.evaluate(hits, profile, 90).y
        for rank in (1, 2, 5, 40, 90):
            at_rank = measure.at(cutoff=rank).evaluate(hits, profile)
            if name != "ADR" and profile.past_end == "zero":
                at_rank = np.where((hits.list_length < rank) & ~np.isnan(at_rank), 0.0, at_rank)
            np.testing.assert_allclose(curve[:, rank - 1], at_rank, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["CG", "DCG", "NCG", "NDCG"])
@given(table=TABLES)
@RARELY
def test_gain_curves_equal_measures_with_cutoff(name, table):
    hits = table_of(table)
    kind = next(kind for kind in CURVES if kind.key == name)
    measure = next(measure for measure in MEASURES if measure.name == name)
    for profile in PROFILES:
        curve = kind.evaluate(hits, profile, 90).y
        for rank in (1, 2, 5, 40, 90):
            at_rank = measure.at(cutoff=rank).evaluate(hits, profile)
            np.testing.assert_allclose(curve[:, rank - 1], at_rank, rtol=1e-12, atol=1e-12)
        if name in ("CG", "DCG") or profile.ideal != "targets":  # of all targets, not of the first 90
            np.testing.assert_allclose(curve[:, -1], measure.at().evaluate(hits, profile), rtol=1e-12, atol=1e-12)


@given(table=TABLES)
@RARELY
def test_measures_equal_by_definition_have_equal_values(table):
    hits = table_of(table)
    value = {
        (measure.name, level): measure.at(level).evaluate(hits, DEFAULT)
        for measure in MEASURES
        for level in ((1, 2) if measure.takes_level else (1,))
    }
    for level in (1, 2):
        np.testing.assert_array_equal(value["FT", level], value["Rprec", level])
        np.testing.assert_array_equal(value["FT", level], value["GR1", level])
        np.testing.assert_array_equal(value["ST", level], value["GR2", level])
        np.testing.assert_array_equal(value["GRP2", level], value["GR2", level] / 2)
        total = sum(value[count, level] for count in ("TP", "FP", "TN", "FN"))
        np.testing.assert_array_equal(total, hits.collection_size)
        precision, recall = value["P", level], value["R", level]
        both = precision + recall
        harmonic = np.divide(2 * precision * recall, both, out=np.where(both == 0, 0.0, np.nan), where=both > 0)
        np.testing.assert_allclose(value["F1", level], harmonic, rtol=1e-12, atol=1e-12)
        # The 2006 form of average precision times recall is that of text retrieval.
        submitted = find_profile("shrec2006")
        ap = next(measure for measure in MEASURES if measure.name == "AP").at(level).evaluate(hits, submitted)
        np.testing.assert_allclose(ap * recall, value["AP", level], rtol=1e-12, atol=1e-12)


@given(table=TABLES, scope=st.integers(1, 9))
@RARELY
def test_relevant_scopes_of_any_number(table, scope):
    hits = table_of(table)
    for level in (1, 2):
        recall = find_measure(f"GR{scope}(rel={level})").evaluate(hits, DEFAULT)
        precision = find_measure(f"GRP{scope}(rel={level})").evaluate(hits, DEFAULT)
        np.testing.assert_allclose(precision * scope, recall, rtol=1e-12)
        for query, case in enumerate(table):
            size = case.count(level)
            found = sum(gain >= level for gain in case.gains[: scope * size])
            assert recall[query] == pytest.approx(found / size if size else math.nan, nan_ok=True)


@given(table=TABLES)
@RARELY
def test_the_ceiling_of_the_first_page(table):
    """E@32 reaches 2 min(32, Va, C) / (32 + C) at best, in a collection of at least 32 models."""
    large = [replace(case, collection=100) for case in table]
    hits, psb = table_of(large), find_profile("psb")
    for level in (1, 2):
        size = hits.relevant_size(level)
        reachable = np.minimum(np.minimum(32, size), hits.list_length)
        expected = np.where(size > 0, 2 * reachable / (32 + size), np.nan)
        found = find_measure(f"E(rel={level})").ceiling(hits, psb)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        value = find_measure(f"E(rel={level})").evaluate(hits, psb)
        assert np.all((value <= found + 1e-12) | np.isnan(found))


def test_ceilings_of_cutoffs():
    """Three relevant models: within five places at most three of five, within two at most two of three."""
    hits = table_of([Case((0, 1, 0, 1, 0, 0, 1, 0))])
    assert find_measure("P@5").ceiling(hits, DEFAULT)[0] == 3 / 5
    assert find_measure("R@2").ceiling(hits, DEFAULT)[0] == 2 / 3
    assert find_measure("E").ceiling(hits, DEFAULT)[0] == 6 / (8 + 3)  # the collection has eight models


def test_ceilings_of_a_short_list_by_hand():
    """Two of five relevant models in a list of three, in a collection of ten."""
    hits = table_of([Case((1, 0, 1), (1, 1, 1), collection=10)])
    expected = {
        "default": {"FT": 3 / 5, "P": 1, "R": 3 / 5, "AP": 3 / 5, "F1": 6 / 8, "TP": 3, "FP": 0, "TN": 5, "FN": 2},
        "shrec2006": {"FT": 1, "ST": 1, "AP": 1, "ADR": 1},
    }
    for profile, ceilings in expected.items():
        for key, ceiling in ceilings.items():
            assert find_measure(key).ceiling(hits, find_profile(profile))[0] == ceiling, (profile, key)


def test_largest_class_of_all_queries_is_kept_for_one_row():
    hits = table_of([Case((1, 0), highest=2), Case((1, 1, 2, 0), (1,), highest=2)])
    sketches = find_profile("shrec2013sketch")
    whole = find_measure("AP").evaluate(hits, sketches)
    assert whole.tolist() == [1 / 4, 3 / 4]
    assert find_measure("AP").evaluate(hits.rows(0, 1), sketches).tolist() == [1 / 4]
    assert find_measure("AP").evaluate(hits.rows(0, 1).rows(0, 1), sketches).tolist() == [1 / 4]
    assert np.isnan(find_measure("AP(rel=2)").evaluate(hits, sketches)[0])
    assert find_measure("AP(rel=2)").evaluate(hits, sketches)[1] == pytest.approx(1 / 3)
