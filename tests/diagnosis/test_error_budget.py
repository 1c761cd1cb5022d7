"""The error budget against a brute force over all pairs, Shapley values by permutations, and the printed figures."""

from collections import Counter
from dataclasses import replace
from itertools import permutations
from math import ceil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.diagnosis.error_budget import CAUSES, CLAIMING, BudgetWork, budget_sentence
from shrec_viewer.diagnosis.rank_terms import rank_terms
from shrec_viewer.domain import (
    Benchmark,
    Classification,
    Collection,
    DistanceMatrix,
    PairAssessment,
    Queries,
    QueryKind,
    RankedLists,
    Run,
)
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.metrics import find_measure, find_profile, measure_table, profile_table, with_convention

DEFAULT = find_profile("default")
EXACT = 1e-12


def a_benchmark(seed, *, n_models=24, n_queries=6, n_runs=4, truncated=False, missing=False, levels=(0, 1, 2)):
    """Random levels, classes and runs with ties; `truncated`: lists of half of the models, `missing`: some left out."""
    chance = np.random.default_rng(seed)
    rows = chance.choice(levels, size=(n_queries, n_models), p=[0.7, 0.2, 0.1] if len(levels) > 2 else [0.6, 0.4])
    rows[:, 0] = 1  # a relevant model for each query
    indptr = np.concatenate([[0], np.cumsum((rows > 0).sum(axis=1))])
    items = np.concatenate([np.flatnonzero(row) for row in rows]).astype(np.int32)
    assessment = PairAssessment(indptr.astype(np.int64), items, rows[rows > 0].astype(np.uint8))
    labels = chance.integers(0, 4, n_models).astype(np.int32)
    tree = Classification(labels, ("a", "b", "c", "d"), np.full(4, -1, np.int32))
    runs = []
    for run in range(n_runs):
        distances = chance.integers(0, 9, (n_queries, n_models)).astype(np.float64)
        name = f"P{run // 2}"
        present = np.ones(n_queries, np.bool_)
        if missing:
            present[chance.integers(0, n_queries)] = False
        order = np.where(present, np.arange(n_queries), -1).astype(np.int32)
        if not truncated:
            ranking = DistanceMatrix(distances, order, np.arange(n_models, dtype=np.int32))
        else:
            length = n_models // 2
            listed = np.argsort(distances, axis=1, kind="stable")[:, :length][present].astype(np.int32)
            counts = np.where(present, length, 0)
            ranking = RankedLists(
                np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), listed.ravel(), None, present
            )
        runs.append(Run(f"R{run}", name, Path(), ranking))
    ids = tuple(f"m{model}" for model in range(n_models))
    queries = Queries(
        tuple(f"q{query}" for query in range(n_queries)), (None,) * n_queries, (QueryKind.NONE,) * n_queries,
        np.full(n_queries, -1, np.int32), chance.integers(-1, 4, n_queries).astype(np.int32),
    )  # fmt: skip
    return Benchmark(
        name="random", root=Path(), collection=Collection(ids, [None] * n_models), queries=queries, classification=tree,
        assessment=assessment, runs=tuple(runs),
    )  # fmt: skip


def work_on(benchmark, measure="AP", profile=DEFAULT, k=3, doubtful=()):
    work = BudgetWork(evaluate(benchmark, profile, measures=[measure]), find_measure(measure).key, k)
    models = {}
    for query, model in doubtful:
        models.setdefault(query, []).append(model)
    work.doubtful = {query: np.array(one) for query, one in models.items()}
    return work


def brute_force(work, row):
    """The shares of AP pair by pair, as they are defined: sums over queries of dicts by (cause, zone)."""
    benchmark, scores = work.benchmark, work.scores
    run, classes = benchmark.runs[row], work.classes_of_queries
    names = [one.participant for one in benchmark.runs]
    others = sorted(set(names) - {names[row]})
    labels, n_models = benchmark.classification.labels, len(benchmark.collection)
    lists = {
        (other, query): ranked_list(benchmark, one, query, scores.profile)
        for other, one in enumerate(benchmark.runs)
        for query in range(len(benchmark.queries))
        if one.present[query]
    }
    queries = [query for query in range(len(benchmark.queries)) if run.present[query]]
    n = len(queries)
    places, costs, confusion, chance_of = {}, Counter(), Counter(), Counter()
    for query in queries:
        one = lists[row, query]
        places[query] = np.flatnonzero(one.levels >= work.level).tolist()
        size = int((benchmark.assessment.gains(query, n_models) >= work.level).sum())
        false = [j for j in range(len(one)) if j not in places[query]]
        loss = sum((p - k) / ((p + 1) * size) for k, p in enumerate(places[query]))
        for j in false:
            cost = sum(1 / ((p + 1) * size) for p in places[query] if p > j)
            costs[query, j] = cost
            if classes[query] >= 0:
                pair = (classes[query], labels[one.items[j]])
                confusion[pair] += cost
                chance_of[pair] += loss / len(false)
    excess = {pair: confusion[pair] - chance_of[pair] for pair in confusion if confusion[pair]}
    first = sorted(excess, key=lambda pair: (-excess[pair], pair))[:10]
    named = [p for p in first if confusion[p] >= 2 * chance_of[p] and excess[p] / n >= 0.001]
    shares, claimed, last, alone, chance = (Counter() for _ in range(5))
    elsewhere_chance = 0.0
    for query in queries:
        one, size = lists[row, query], int((benchmark.assessment.gains(query, n_models) >= work.level).sum())
        counts = Counter()
        for other in queries:
            same = classes[other] == classes[query] if classes[query] >= 0 else other == query
            if not same:
                head = lists[row, other]
                counts.update(int(head.items[j]) for j in range(work.k) if j not in places[other])
        usual = [model for model in counts if counts[model] >= 2]
        hubs = sorted(usual, key=lambda model: (-counts[model], model))[: ceil(0.05 * n_models)]
        doubtful = work.doubtful.get(query, ())
        found = Counter()
        for name in others:
            tiers = [
                lists[r, query].items[:size].tolist() for r, o in enumerate(names) if o == name and (r, query) in lists
            ]
            found.update(set().union(*tiers))
        needed = min(2, len(others))
        pairs = {cause: Counter() for cause in CLAIMING}
        n_claimed = Counter()
        false = [j for j in range(len(one)) if j not in places[query]]
        for j in false:
            item = int(one.items[j])
            n_claimed["hubs"] += item in hubs
            n_claimed["confusions"] += (classes[query], labels[item]) in named
            n_claimed["labels"] += item in doubtful
        loss = 0.0
        for k, p in enumerate(places[query]):
            model = int(one.items[p])
            zone = "near" if p + 1 <= 2 * size else "found_elsewhere" if others and found[model] >= needed else "hard"
            for j in false:
                if j > p:
                    continue
                weight, item = 1 / ((p + 1) * size), int(one.items[j])
                loss += weight
                if one.tie_start[p] <= j:
                    causes = ["ties"]
                else:
                    causes = ["hubs"] * (item in hubs) + ["confusions"] * ((classes[query], labels[item]) in named)
                    causes += ["labels"] * (item in doubtful or model in doubtful)
                for cause in causes or ["single"]:
                    shares[cause, zone] += weight / max(len(causes), 1) / n
                for cause in causes:
                    claimed[cause] += weight / n
                    pairs[cause][k] += 1
        behind = [j for j in false if j >= 2 * size]
        met = [j for j in behind if others and found[int(one.items[j])] >= needed]
        lost_behind = sum((p - k) / ((p + 1) * size) for k, p in enumerate(places[query]) if p + 1 > 2 * size)
        elsewhere_chance += lost_behind * len(met) / max(len(behind), 1) / n
        value = sum((k + 1) / (p + 1) for k, p in enumerate(places[query])) / size
        for cause in CLAIMING:
            last[cause] += sum(1 - (k + 1) / (k + 1 + pairs[cause][k]) for k in range(len(places[query]))) / size / n
            repaired = sum((k + 1) / (p + 1 - pairs[cause][k]) for k, p in enumerate(places[query])) / size
            alone[cause] += (repaired - value) / len(benchmark.queries)
            chance[cause] += n_claimed[cause] * loss / max(len(false), 1) / n
    return shares, claimed, last, alone, chance, elsewhere_chance


CASES = [
    {},
    {"truncated": True},
    {"missing": True},
    {"truncated": True, "missing": True},
    {"n_queries": 1},
    {"n_runs": 1},
]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("measure", ["AP", "AP(rel=2)"])
def test_shares_are_those_of_a_brute_force_over_all_pairs(case, measure):
    for seed in range(4):
        benchmark = a_benchmark(seed, **case)
        doubtful = [] if seed % 2 else [(0, 0), (0, 3), (len(benchmark.queries) - 1, 5)]
        if measure == "AP(rel=2)":
            levels = [benchmark.assessment.gains(query, 24) for query in range(len(benchmark.queries))]
            if any((row >= 2).sum() == 0 for row in levels):
                continue
        work = work_on(benchmark, measure, doubtful=doubtful)
        for row, run in enumerate(benchmark.runs):
            budget = work.budget(row)
            shares, claimed, last, alone, chance, elsewhere = brute_force(work, row)
            assert budget.found_elsewhere_chance == pytest.approx(elsewhere, abs=EXACT)
            for cause in (*CLAIMING, "single"):
                found = budget.cause(cause)
                for zone in ("near", "found_elsewhere", "hard"):
                    assert getattr(found, zone) == pytest.approx(shares[cause, zone], abs=EXACT), (
                        run.name,
                        cause,
                        zone,
                    )
                assert found.share == pytest.approx(sum(shares[cause, z] for z in ("near", "found_elsewhere", "hard")))
            assert np.nansum(budget.costs_by_cause, axis=0) == pytest.approx(budget.model_costs, abs=EXACT)
            assert budget.costs_by_cause.sum(axis=1) == pytest.approx(
                [budget.cause(cause).share for cause in (*CLAIMING, "single")], abs=EXACT
            )
            for cause in CLAIMING:
                found = budget.cause(cause)
                assert found.claimed == pytest.approx(claimed[cause], abs=EXACT)
                assert found.last == pytest.approx(last[cause], abs=EXACT)
                assert found.alone == pytest.approx(alone[cause], abs=EXACT)
                assert found.alone * budget.n_all <= found.claimed * budget.n + EXACT
                assert found.claimed <= found.last + EXACT
                if cause != "ties":
                    assert found.chance == pytest.approx(chance[cause], abs=EXACT)


def test_pairs_carry_shapley_values():
    """The cost of an irrelevant model is its mean gain over all orders in which the irrelevant ones are taken out."""
    work = work_on(a_benchmark(3, n_models=8, levels=(0, 1)), k=2)
    for query in range(6):
        relevant = work.ranked(0, query).levels >= 1
        false = np.flatnonzero(~relevant).tolist()

        def value(removed, relevant=relevant):
            kept = [place for place in range(len(relevant)) if place not in removed]
            ranks = [rank for rank, place in enumerate(kept, 1) if relevant[place]]
            return sum(number / rank for number, rank in enumerate(ranks, 1)) / len(ranks)

        gains, orders = Counter(), list(permutations(false))
        for order in orders:
            for index, place in enumerate(order):
                gains[place] += (value(order[: index + 1]) - value(order[:index])) / len(orders)
        found = work.false_positives(0, query)
        assert (found.ranks - 1).tolist() == false
        assert found.by_cause.sum(axis=1) == pytest.approx(found.costs, abs=EXACT)
        assert found.costs == pytest.approx([gains[place] for place in false], abs=EXACT)


@pytest.mark.parametrize("profile", [row.key for row in profile_table()])
def test_terms_add_up_to_the_measure(profile):
    """For each measure that has terms under a profile; and what has none is never divided."""
    conventions = find_profile(profile)
    names = [row.name for row in measure_table()] + ["P@5", "R@5", "NDCG@5", "CG@3", "AP(rel=2)", "FT(rel=2)", "NDCG"]
    some = 0
    for seed, case in enumerate(({}, {"truncated": True}, {"missing": True})):
        benchmark = a_benchmark(seed, **case)
        scores = evaluate(
            benchmark, conventions, measures=list(dict.fromkeys(find_measure(name).key for name in names))
        )
        for column, measure in enumerate(scores.measures):
            for row, hits in enumerate(scores.hits):
                terms = rank_terms(measure, hits, conventions)
                if terms is None:
                    continue
                some += 1
                table = hits.at_least(measure.level)
                of_level = hits.levels[hits.levels >= measure.level]
                for query in range(len(hits)):
                    mine = slice(int(table.indptr[query]), int(table.indptr[query + 1]))
                    values = terms.values(query, table.number[mine], table.ranks[mine].astype(float), of_level[mine])
                    expected = scores.raw_values[row, query, column]
                    if not np.isnan(expected):
                        assert values.sum() == pytest.approx(expected, abs=EXACT), (measure.key, query)
    assert some >= 30


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["AP", "NN", "FT", "ST", "NDCG", "NDCG@5", "P@5", "R@5", "DCG", "AP(rel=2)"]),
    st.sampled_from(["default", "shrec2006", "trec", "shrec2012", "psb"]),
    st.booleans(),
    st.booleans(),
)
def test_value_and_shares_add_up_to_the_ideal(seed, measure, profile, truncated, missing):
    benchmark = a_benchmark(seed, truncated=truncated, missing=missing)
    work = work_on(benchmark, measure, find_profile(profile), doubtful=[(0, 1), (2, 0)])
    for row in range(len(benchmark.runs)):
        budget = work.budget(row)
        assert budget.value + sum(one.share for one in budget.causes) == pytest.approx(budget.ideal, abs=1e-9)
        ideals = budget.values + budget.shares.sum(axis=1)
        if not measure.startswith("DCG"):
            assert np.nanmax(ideals) <= 1.0 + 1e-9
        listed = benchmark.runs[row].present & ~np.isnan(ideals)
        assert np.mean(ideals[listed]) == pytest.approx(budget.ideal, abs=1e-9)
        assert [one.cause for one in budget.causes] == [c for c in CAUSES if c in {o.cause for o in budget.causes}]


def test_undefined_queries_carry_their_part_where_they_count_zero():
    benchmark = a_benchmark(1)
    empty = PairAssessment(
        np.array([0, 0, *benchmark.assessment.indptr[2:] - benchmark.assessment.indptr[1]], np.int64),
        benchmark.assessment.items[benchmark.assessment.indptr[1] :],
        benchmark.assessment.level[benchmark.assessment.indptr[1] :],
    )
    profile = with_convention(DEFAULT, "no_relevant", "zero")
    budget = work_on(replace(benchmark, assessment=empty), profile=profile).budget(0)
    assert [one.cause for one in budget.causes[:2]] == ["undefined", "missing"]
    assert budget.cause("undefined").share == pytest.approx(1 / 6)
    assert budget.value + sum(one.share for one in budget.causes) == pytest.approx(1.0, abs=1e-12)


def test_a_measure_without_terms_has_what_repairs_give_alone():
    work = work_on(a_benchmark(2), "RR")
    budget = work.budget(0)
    shares = {one.cause: one for one in budget.causes}
    assert all(one.share is None and one.claimed is None and one.chance is None for one in budget.causes)
    ranks = [int(np.flatnonzero(work.ranked(0, query).levels >= 1)[0]) for query in range(6)]
    tied = [int(work.ranked(0, query).tie_start[rank]) for query, rank in enumerate(ranks)]
    expected = np.mean([1 / (start + 1) - 1 / (rank + 1) for start, rank in zip(tied, ranks, strict=True)])
    assert shares["ties"].alone == pytest.approx(expected)


def test_completed_lists_have_the_expected_value_of_a_random_order():
    """The mean over all orders of the models that are not listed, to the precision of expected ranks."""
    benchmark = a_benchmark(5, truncated=True, levels=(0, 1))
    budget = work_on(benchmark).budget(1)
    found = budget.cause("unlisted")
    assert found.alone < found.alone_best
    lists = [ranked_list(benchmark, benchmark.runs[1], query, DEFAULT) for query in range(6)]
    best = 0.0
    for one in lists:
        places = np.concatenate([np.flatnonzero(one.levels > 0) + 1, len(one) + 1 + np.arange(len(one.not_retrieved))])
        best += np.mean(np.arange(1, len(places) + 1) / places) / 6
    assert found.alone_best == pytest.approx(best - budget.value, abs=1e-12)


FIGURES = {
    "H1": (0.264, 0, 0.000, 0.000, 0.015, 0.008, 0.059, 0.012, 0.661, 0.146, 0.104, 0.029, 0.485, 0.280),
    "K2": (0.162, 0.012, 0.001, 0.008, 0.039, 0.016, 0.057, 0.017, 0.722, 0.125, 0.206, 0.039, 0.494, 0.197),
    "B2": (0.203, 0, 0.624, 0.000, 0.005, 0.004, 0.018, 0.004, 0.150, 0.126, 0.009, 0.005, 0.038, 0.215),
    "R1": (0.046, 0, 0.001, 0.000, 0.011, 0.011, 0.000, 0.000, 0.942, 0.076, 0.356, 0.067, 0.522, 0.046),
}
"""Value; missing, unlisted, ties, hubs with chance, confusions with chance, single; near, found elsewhere with chance,
hard; without all causes. As printed with the definition, to three digits."""


def test_the_printed_figures_of_shrec06(shrec06):
    work = BudgetWork(evaluate(shrec06, DEFAULT, measures=["AP"]), "AP")
    for name, printed in FIGURES.items():
        budget = work.budget(work.scores.run_index(name))
        shares = {one.cause: one for one in budget.causes}
        zones = [
            sum(getattr(one, zone) or 0.0 for one in budget.causes) for zone in ("near", "found_elsewhere", "hard")
        ]
        found = (
            budget.value, shares["missing"].share, shares["unlisted"].share, shares["ties"].share, shares["hubs"].share,
            shares["hubs"].chance, shares["confusions"].share, shares["confusions"].chance, shares["single"].share,
            zones[0], zones[1], budget.found_elsewhere_chance, zones[2], shares["labels"].after,
        )  # fmt: skip
        assert np.abs(np.array(found) - printed).max() <= 0.00051, (name, found)
    h1 = work.budget(work.scores.run_index("H1"))
    assert budget_sentence(h1, "AP") == (
        "H1 loses 0.736 AP: confusions carry 0.059, hubs 0.015; 0.485 at relevant models behind rank 2C that "
        "hardly any run finds (C: relevant models of the query)."
    )
    q27 = h1.sentences[list(shrec06.queries.ids).index("Q27")]
    assert q27 == "'human' models carry 0.287 of 0.942 (chance 0.053): 14 stand among the first 35"
    b2 = work.budget(work.scores.run_index("B2")).cause("unlisted")
    assert (round(b2.alone, 3), round(b2.alone_best, 3)) == (0.035, 0.132)
    official = BudgetWork(evaluate(shrec06, find_profile("shrec2006"), measures=["AP"]), "AP")
    b2 = official.budget(official.scores.run_index("B2")).cause("unlisted")
    assert (round(b2.alone, 3), round(b2.alone_best, 3)) == (-0.207, -0.11)
