"""Expectations over random embeddings: all subsets, exact fractions, a recurrence, sampling, and laws."""

import math
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hit_tables import Case, table_of
from hypothesis import given, settings
from hypothesis import strategies as st

import shrec_viewer.metrics.generality.embedding as embedding_module
import shrec_viewer.metrics.generality.hypergeometric as hypergeometric_module
from shrec_viewer.metrics import find_measure, find_profile
from shrec_viewer.metrics.generality.embedding import (
    embedding_of,
    expected_average_precision,
    expected_discounted_gain,
    expected_found,
    ranks_of_scopes,
)
from shrec_viewer.metrics.generality.hypergeometric import almost_surely_above, distribution_blocks, hypergeometric

DEFAULT = find_profile("default")
TIGHT = 1e-12
SOMETIMES = settings(max_examples=40, deadline=None)
COMPLETE = st.lists(st.integers(0, 2), min_size=1, max_size=40).map(tuple)


def found_on_scopes(embedding, kept, scopes):
    return expected_found(embedding, kept, ranks_of_scopes(embedding, scopes))


def exact_chance(count: int, population: int, marked: int, drawn: int) -> Fraction:
    if count < 0 or drawn - count < 0:
        return Fraction(0)
    ways = math.comb(marked, count) * math.comb(population - marked, drawn - count)
    return Fraction(ways, math.comb(population, drawn))


# --------------------------------------------------------------------------------------------------------- chances


def test_probabilities_of_small_populations_equal_exact_fractions():
    for population in range(0, 13):
        for marked in range(population + 1):
            for drawn in range(population + 1):
                found = hypergeometric(population, marked, drawn)
                at_most = Fraction(0)
                for count in range(-1, population + 1):
                    chance = exact_chance(count, population, marked, drawn)
                    at_most += chance
                    row = count - int(found.first[0])
                    held = float(found.probability[row, 0]) if 0 <= row < len(found.probability) else 0.0
                    assert held == pytest.approx(float(chance), abs=1e-15)
                    reported = float(found.at_most(np.array([count]), np.array([0]))[0])
                    assert reported == pytest.approx(float(at_most), abs=1e-15)
                    if at_most in (0, 1):
                        assert reported == at_most


@given(st.data())
@SOMETIMES
def test_large_populations_agree_with_exact_fractions(data):
    population = data.draw(st.integers(1, 3000))
    marked, drawn = data.draw(st.integers(0, population)), data.draw(st.integers(0, population))
    found = hypergeometric(population, marked, drawn)
    mean, spread = marked * drawn / population, math.sqrt(population) / 2
    for count in {int(mean + k * spread / 4) for k in range(-6, 7)}:
        reported = float(found.at_most(np.array([count]), np.array([0]))[0])
        low = max(0, marked + drawn - population)
        exact = sum((exact_chance(j, population, marked, drawn) for j in range(low, count + 1)), Fraction(0))
        assert reported == pytest.approx(float(exact), rel=1e-12, abs=1e-18)


def test_very_large_populations_agree_with_scipy():
    stats = pytest.importorskip("scipy.stats", reason="scipy is an oracle here, not a dependency")
    random = np.random.default_rng(4)
    population = random.integers(40_000, 60_000, 40)
    marked, drawn = random.integers(0, population), random.integers(0, population)
    found = hypergeometric(population, marked, drawn)
    # As far as this oracle goes: its factorials of 60,000 have ten digits after the point.
    deviation = np.sqrt(population * (marked / population) * (drawn / population))
    for away in (-3, -1, 0, 2):
        count = (marked * (drawn / population) + away * deviation).astype(np.int64)
        reported = found.at_most(count, np.arange(40))
        np.testing.assert_allclose(reported, stats.hypergeom(population, marked, drawn).cdf(count), atol=1e-9)


def test_almost_sure_counts_are_almost_sure():
    random = np.random.default_rng(8)
    population = random.integers(1, 3000, 2000)
    marked, drawn = random.integers(0, population + 1), random.integers(0, population + 1)
    count = random.integers(0, 3000, 2000)
    found = hypergeometric(population, marked, drawn)
    reported = found.at_most(count, np.arange(2000))
    sure = almost_surely_above(population, marked, drawn, count)
    assert sure.sum() > 100
    assert reported[sure].max() < 1e-19


def test_probabilities_do_not_depend_on_other_columns(monkeypatch):
    random = np.random.default_rng(5)
    population = random.integers(1, 900, 200)
    marked, drawn = random.integers(0, population + 1), random.integers(0, population + 1)
    counts = random.integers(0, 900, 200)
    together = hypergeometric(population, marked, drawn).at_most(counts, np.arange(200))
    monkeypatch.setattr(hypergeometric_module, "CELLS", 1)
    for block, found in distribution_blocks(population, marked, drawn):
        assert block.stop == block.start + 1
        np.testing.assert_array_equal(found.at_most(counts[block], np.array([0])), together[block])


# --------------------------------------------------------------------------------------- every subset of small lists


def ranks_in_subsets(gains, kept):
    """The ranks and gains of the relevant models in every list that keeps `kept` irrelevant ones."""
    irrelevant = [place for place, gain in enumerate(gains) if gain == 0]
    for subset in combinations(irrelevant, kept):
        stays = [gain for place, gain in enumerate(gains) if gain > 0 or place in subset]
        yield [(rank, gain) for rank, gain in enumerate(stays, 1) if gain > 0]


SMALL = [
    (0, 1, 0, 0, 1, 0, 1, 0, 0),
    (2, 0, 0, 1, 0, 2, 0, 0, 0, 1, 0),
    (0, 0, 0, 0, 0, 0, 0, 0, 1),
    (1, 1, 0, 0, 0, 0),
    (0, 1),
    (1,),
]


@pytest.mark.parametrize("gains", SMALL, ids=str)
def test_expectations_are_the_means_over_all_subsets(gains):
    hits = table_of([Case(gains, highest=2)])
    embedding = embedding_of(hits)
    size, irrelevant = sum(gain > 0 for gain in gains), gains.count(0)
    for kept in range(irrelevant + 1):
        lists = list(ranks_in_subsets(gains, kept))
        assert len(lists) == math.comb(irrelevant, kept)
        keep = np.array([float(kept)])
        scopes = np.arange(1, size + kept + 2)
        expected = [np.mean([sum(rank <= scope for rank, _ in one) for one in lists]) for scope in scopes]
        np.testing.assert_allclose(found_on_scopes(embedding, keep, scopes / size)[0], expected, atol=TIGHT)
        ap = np.mean([sum(k / rank for k, (rank, _) in enumerate(one, 1)) / size for one in lists])
        assert expected_average_precision(embedding, keep, np.array([size]))[0] == pytest.approx(ap, abs=TIGHT)
        dcg = np.mean([sum(gain / max(1, math.log2(rank)) for rank, gain in one) for one in lists])
        assert expected_discounted_gain(embedding, keep, hits, DEFAULT)[0] == pytest.approx(dcg, abs=TIGHT)


@pytest.mark.parametrize("level", [1, 2])
def test_lower_levels_are_irrelevant_at_a_level(level):
    gains = (0, 2, 1, 0, 1, 2, 0)
    embedding = embedding_of(table_of([Case(gains, highest=2)]), level)
    as_binary = tuple(int(gain >= level) for gain in gains)
    for kept in range(as_binary.count(0) + 1):
        lists = list(ranks_in_subsets(as_binary, kept))
        expected = np.mean([sum(rank <= 3 for rank, _ in one) for one in lists])
        found = found_on_scopes(embedding, np.array([float(kept)]), 3 / sum(as_binary))
        assert found[0, 0] == pytest.approx(expected, abs=TIGHT)


def test_bounds_of_truncated_lists_contain_every_completion():
    seen, unseen = (0, 2, 0, 1, 0), (2, 0, 1, 0)
    hits = table_of([Case(seen, lacking=unseen, highest=2)])
    low, high = embedding_of(hits, unseen="never"), embedding_of(hits, unseen="next")
    whole = [table_of([Case(seen + rest, highest=2)]) for rest in set(permutations(unseen))]
    touched = set()
    for kept in range(6):
        keep = np.array([float(kept)])
        measures = {
            "found": lambda embedding, table, keep=keep: found_on_scopes(embedding, keep, np.arange(1, 10) / 4)[0],
            "AP": lambda embedding, table, keep=keep: expected_average_precision(embedding, keep, np.array([4])),
            "DCG": lambda embedding, table, keep=keep: expected_discounted_gain(embedding, keep, table, DEFAULT),
        }
        for name, measure in measures.items():
            lower, upper = measure(low, hits), measure(high, hits)
            every = np.array([measure(embedding_of(table), table) for table in whole])
            assert np.all(lower <= every.min(axis=0) + TIGHT)
            np.testing.assert_allclose(upper, every.max(axis=0), atol=TIGHT)  # it is reached, so it is the least bound
            touched.add(name)
    assert touched == {"found", "AP", "DCG"}


# ------------------------------------------------------------------------------------------ larger lists, other ways


def by_recurrence(irrelevant: int, kept: int, places: int) -> np.ndarray:
    """P(X <= j) for i = 0 … e models ahead and j < places, by adding one model after the other."""
    table = np.zeros((irrelevant + 1, places))
    table[0, 0] = 1.0
    j = np.arange(places)
    for i in range(irrelevant):
        table[i + 1] = table[i] * (1.0 - (kept - j) / (irrelevant - i)).clip(0)
        table[i + 1, 1:] += table[i, :-1] * ((kept - j[:-1]) / (irrelevant - i)).clip(0)
    return table.cumsum(axis=1)


def test_lists_of_a_thousand_agree_with_the_recurrence_over_models_ahead():
    random = np.random.default_rng(11)
    size, models = 19, 500
    cases = []
    for _ in range(20):
        gains = np.zeros(models, int)
        gains[(random.random(size) ** 3 * models).astype(int)] = 1
        while gains.sum() < size:
            gains[random.integers(models)] = 1
        cases.append(Case(tuple(gains)))
    hits = table_of(cases)
    embedding = embedding_of(hits)
    for kept in (0, 1, 7, 100, 240, 400, 481):
        table = by_recurrence(models - size, kept, 2 * size)
        found = found_on_scopes(embedding, np.array([float(kept)]), [1.0, 2.0])
        for column, scope in enumerate((size, 2 * size)):
            room = scope - embedding.number
            chance = np.where(room >= 0, table[embedding.ahead, np.maximum(room, 0)], 0.0)
            expected = np.bincount(embedding.query, weights=chance)
            np.testing.assert_allclose(found[:, column], expected, atol=TIGHT)


def test_random_subsets_of_a_large_list_scatter_around_the_expectation():
    random = np.random.default_rng(3)
    models, size, draws = 3000, 60, 400
    ranks = np.sort(random.choice(models // 6, size, replace=False))
    gains = np.zeros(models, int)
    gains[ranks] = 1
    hits = table_of([Case(tuple(gains))])
    embedding = embedding_of(hits)
    irrelevant = np.flatnonzero(gains == 0)
    for kept in (60, 300, 1500):
        found, precision = [], []
        for _ in range(draws):
            stays = np.sort(np.concatenate([ranks, random.choice(irrelevant, kept, replace=False)]))
            places = np.flatnonzero(gains[stays]) + 1
            found.append(np.sum(places <= size))
            precision.append(np.mean(np.arange(1, size + 1) / places))
        keep = np.array([float(kept)])
        for drawn, expected in (
            (found, found_on_scopes(embedding, keep, 1.0)[0, 0]),
            (precision, expected_average_precision(embedding, keep, np.array([size]))[0]),
        ):
            error = np.std(drawn, ddof=1) / math.sqrt(draws)
            assert abs(np.mean(drawn) - expected) < 4 * error


# -------------------------------------------------------------------------------------------------------------- laws


@given(st.lists(COMPLETE, min_size=1, max_size=6))
@SOMETIMES
def test_whole_embedding_gives_the_counts_of_the_list_exactly(lists):
    hits = table_of([Case(gains, highest=2) for gains in lists])
    embedding = embedding_of(hits)
    keep, size = embedding.irrelevant.astype(float), hits.relevant_size(1)
    expected = found_on_scopes(embedding, keep, [1.0, 2.0])
    some = size > 0
    for column, key in enumerate(("GR1", "GR2")):
        measured = find_measure(key).evaluate(hits, DEFAULT)
        np.testing.assert_array_equal((expected[:, column][some] / size[some]), measured[some])
    np.testing.assert_array_equal(
        expected_average_precision(embedding, keep, size), find_measure("AP").evaluate(hits, DEFAULT)
    )
    np.testing.assert_array_equal(
        expected_discounted_gain(embedding, keep, hits, DEFAULT), find_measure("DCG").evaluate(hits, DEFAULT)
    )


@given(COMPLETE, st.floats(0.01, 6))
@SOMETIMES
def test_more_irrelevant_models_never_raise_the_value(gains, scope):
    hits = table_of([Case(gains, highest=2)])
    embedding = embedding_of(hits)
    size = hits.relevant_size(1)
    last = (np.inf, np.inf, np.inf)
    for kept in np.arange(0, embedding.irrelevant[0] + 0.25, 0.5):
        keep = np.array([float(kept)])
        now = (
            found_on_scopes(embedding, keep, scope)[0, 0],
            expected_average_precision(embedding, keep, np.maximum(size, 1))[0],
            expected_discounted_gain(embedding, keep, hits, DEFAULT)[0],
        )
        assert all(value <= before + TIGHT for value, before in zip(now, last, strict=True))
        last = now


def test_mean_over_all_orders_equals_the_random_baseline():
    """Two relevant among six models, all 15 orders: the mean count is s c / d for every subset and scope."""
    hits = table_of([Case(tuple(int(place in pair) for place in range(6))) for pair in combinations(range(6), 2)])
    embedding = embedding_of(hits)
    for kept in range(5):
        scopes = np.arange(1, 2 + kept + 1)
        found = found_on_scopes(embedding, np.array([float(kept)]), scopes / 2)
        np.testing.assert_allclose(found.mean(axis=0), scopes * 2 / (2 + kept), atol=TIGHT)


def test_values_are_linear_between_whole_numbers():
    hits = table_of([Case((0, 1, 0, 0, 1, 1, 0, 0)), Case((1, 0, 0, 0, 0, 0, 1, 1))])
    embedding = embedding_of(hits)
    low, high = (found_on_scopes(embedding, np.array([kept]), [1.0, 2.0]) for kept in (2.0, 3.0))
    between = found_on_scopes(embedding, np.array([2.25]), [1.0, 2.0])
    np.testing.assert_allclose(between, 0.75 * low + 0.25 * high, atol=TIGHT)
    four, five = (found_on_scopes(embedding, np.array([3.0]), n / 3)[:, 0] for n in (4, 5))
    np.testing.assert_allclose(found_on_scopes(embedding, np.array([3.0]), 4.5 / 3)[:, 0], (four + five) / 2)


def test_kinds_of_any_size_have_the_same_generality():
    hits = table_of([Case((1, 0, 0, 0, 0)), Case((1, 1, 1, 0, 0, 0, 0, 0, 0, 0)), Case((0, 0)), Case((1,))])
    embedding = embedding_of(hits)
    np.testing.assert_array_equal(embedding.relevant[embedding.kind], [1, 3, 0, 1])
    np.testing.assert_array_equal(embedding.irrelevant[embedding.kind], [4, 7, 2, 0])
    ends = embedding.doublings[embedding.kind]
    np.testing.assert_allclose(ends, [math.log2(5), math.log2(10 / 3), np.nan, 0.0])
    kept = embedding.irrelevant_kept(1.5)[embedding.kind]
    np.testing.assert_array_equal(np.isnan(kept), [False, False, True, True])
    for size, irrelevant in ((1, kept[0]), (3, kept[1])):
        whole, fraction = math.floor(irrelevant), irrelevant % 1
        assert whole == math.floor(size * (2**1.5 - 1))
        mean = (1 - fraction) * size / (size + whole) + fraction * size / (size + whole + 1)
        assert mean == pytest.approx(2**-1.5), "the expected generality is the one asked for"
    for query in (0, 1, 3):  # its own last level is the whole collection exactly
        assert (
            embedding.irrelevant_kept(ends[query])[embedding.kind[query]] == embedding.irrelevant[embedding.kind[query]]
        )


def test_unknown_ids_kept_at_their_rank_are_irrelevant():
    """The list is longer than the collection: nine places hold one relevant model of a collection of three."""
    embedding = embedding_of(table_of([Case((0, 0, 0, 0, 0, 0, 0, 1, 0), collection=3)]))
    assert (embedding.relevant[0], embedding.irrelevant[0], embedding.ahead[0]) == (1, 8, 7)


@pytest.mark.parametrize("cells", [1, 200])
def test_values_do_not_depend_on_block_size_or_other_queries(cells, monkeypatch):
    random = np.random.default_rng(17)
    cases = [Case(tuple((random.random(200) < 0.1) * random.integers(1, 3, 200)), highest=2) for _ in range(9)]
    hits = table_of(cases)

    def everything(table):
        embedding = embedding_of(table)
        keep = embedding.irrelevant_kept(1.3)
        size = table.relevant_size(1)
        return np.concatenate(
            [
                found_on_scopes(embedding, keep, [0.5, 1, 2.3]).T,
                expected_average_precision(embedding, keep, size)[None],
                expected_discounted_gain(embedding, keep, table, DEFAULT)[None],
            ]
        )

    whole = everything(hits)
    for start in range(9):
        np.testing.assert_array_equal(everything(hits.rows(start, start + 1))[:, 0], whole[:, start])
    monkeypatch.setattr(hypergeometric_module, "CELLS", cells)
    monkeypatch.setattr(embedding_module, "CELLS", cells)
    np.testing.assert_array_equal(everything(hits), whole)


def test_no_queries_give_empty_arrays_of_expectations():
    hits = table_of([Case((1, 0))]).rows(0, 0)
    embedding = embedding_of(hits)
    assert found_on_scopes(embedding, np.empty(0), [1.0]).shape == (0, 1)
    assert expected_average_precision(embedding, np.empty(0), np.empty(0)).shape == (0,)
