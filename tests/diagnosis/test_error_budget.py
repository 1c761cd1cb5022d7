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

from shrec_viewer.content.data import ContentData
from shrec_viewer.content.diagnosis.error_budget import (
    ClassCostsRequest,
    ErrorBudgetRequest,
    FalsePositivesRequest,
    class_costs,
    restricted_models,
    run_budget,
)
from shrec_viewer.content.diagnosis.reasons import query_reason
from shrec_viewer.diagnosis.error_budget import CAUSES, CLAIMING, DIVIDED, BudgetWork, _RunBudget, budget_sentence
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
    ShrecViewerError,
)
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.formats.meshes.mesh_reader import box_sides
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
        "H1 loses 0.736 AP: confusions carry 0.059, hubs 0.015; 0.485 stands behind rank 2C, where hardly any run "
        "finds it."
    )
    q27 = h1.sentences[list(shrec06.queries.ids).index("Q27")]
    assert q27 == "'human' models carry 0.287 of 0.942 (chance 0.053): 14 stand among the first 35"
    b2 = work.budget(work.scores.run_index("B2")).cause("unlisted")
    assert (round(b2.alone, 3), round(b2.alone_best, 3)) == (0.035, 0.132)
    official = BudgetWork(evaluate(shrec06, find_profile("shrec2006"), measures=["AP"]), "AP")
    b2 = official.budget(official.scores.run_index("B2")).cause("unlisted")
    assert (round(b2.alone, 3), round(b2.alone_best, 3)) == (-0.207, -0.11)


def test_a_run_without_values_has_no_shares():
    """Where its lists are all missing, and missing queries do not count: a reason instead of zeros."""
    benchmark = a_benchmark(1)
    run = benchmark.runs[0]
    absent = replace(run, ranking=replace(run.ranking, rows=np.full(6, -1, np.int32)))
    benchmark = replace(benchmark, runs=(absent, *benchmark.runs[1:]))
    profile = with_convention(DEFAULT, "missing_query", "skip")
    work = work_on(benchmark, profile=profile)
    budget = work.budget(0)
    assert (budget.n_all, budget.n) == (0, 0)
    assert np.isnan(budget.value)
    assert [one.cause for one in budget.causes] == [one.cause for one in work.budget(1).causes]
    figures = [getattr(one, name) for one in budget.causes for name in ("share", "alone", "claimed", "after", "chance")]
    assert set(figures) == {None}
    assert budget_sentence(budget, "AP") == "R0 has no AP: no query in the mean has a value."
    data = ContentData(benchmark, profile, work.scores)
    with pytest.raises(ShrecViewerError, match="R0 has no AP: no query in the mean has a value"):
        run_budget(data, ErrorBudgetRequest(runs=("R0",)))
    counted = work_on(benchmark).budget(0)  # where missing queries count 0, all is lost by them
    assert counted.cause("missing").share == pytest.approx(1.0)


@pytest.mark.parametrize("measure", ["AP", "NDCG", "AP(rel=2)"])
def test_figures_of_a_slice_are_means_over_its_queries(measure):
    """What a hub or a confusion is stays the same, so that queries of one class and all others add up to all."""
    for seed, case in enumerate(({}, {"missing": True}, {"truncated": True})):
        work = work_on(a_benchmark(seed, **case), measure, doubtful=[(0, 3)])
        for row in range(len(work.scores.runs)):
            whole = work.budget(row)
            parts = [work.budget(row, within=queries) for queries in (np.array([0, 2, 3]), np.array([1, 4, 5]))]
            values = [part.value * part.n_all for part in parts if part.n_all]
            assert sum(values) == pytest.approx(whole.value * whole.n_all, abs=EXACT)
            for part in parts:
                shares = [one.share for one in part.causes]
                if None not in shares:
                    assert part.value + sum(shares) == pytest.approx(part.ideal, abs=EXACT)
            of_parts = sum(np.nan_to_num(part.costs_by_cause) * part.n for part in parts)
            np.testing.assert_allclose(of_parts, whole.costs_by_cause * whole.n, rtol=0, atol=EXACT)
            for cause in (*CLAIMING, "single"):
                together = sum((part.cause(cause).claimed or 0.0) * part.n for part in parts)
                if cause != "single":
                    assert together == pytest.approx(whole.cause(cause).claimed * whole.n, abs=EXACT)


@pytest.mark.parametrize(("cause", "within"), [("", None), ("single", None), ("hubs", (0, 2, 3)), ("", (1, 4, 5))])
def test_confusions_of_some_models_are_what_these_cost(cause, within):
    benchmark = a_benchmark(7)
    work, models = work_on(benchmark, doubtful=[(0, 3)]), (1, 4, 5, 9, 17)
    queries = None if within is None else np.array(within)
    budget, tree = work.budget(0, within=queries), benchmark.classification
    expected = {}
    for query in range(6) if within is None else within:
        one = work.false_positives(0, query)
        costs = one.by_cause[:, DIVIDED.index(cause)] if cause else one.costs
        for model, cost in zip(one.models.tolist(), costs.tolist(), strict=True):
            if model in models and cost:
                key = int(work.classes_of_queries[query]), int(tree.labels[model])
                expected[key] = expected.get(key, 0.0) + cost / budget.n
    found = work.class_costs(0, cause, queries, models)
    got = {(one.query_class, one.model_class): one.cost for one in found}
    assert got == pytest.approx({key: cost for key, cost in expected.items() if min(key) >= 0}, abs=EXACT)
    assert work.class_costs(0, cause, queries, range(24)) == work.class_costs(0, cause, queries)
    if not cause:
        assert work.class_costs(0, cause, queries) == budget.confusions
    data = ContentData(benchmark, DEFAULT, work.scores)
    names = tuple(benchmark.collection.ids[model] for model in models)
    request = ClassCostsRequest(runs=("R0",), cause=cause, models=names)
    bars, shown = class_costs(data, request).bars, run_budget(data, request).work.class_costs(0, cause, None, models)
    of_all = {f"{one.query_class} {one.model_class}": one.cost for one in shown}
    assert {bar.key: bar.value for bar in bars} == pytest.approx(of_all, abs=EXACT)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["AP", "FT", "NDCG", "DCG", "P@5", "AP(rel=2)"]),
    st.sampled_from(["default", "shrec2006", "trec"]),
    st.booleans(),
    st.sampled_from([None, (0, 1, 4)]),
)
def test_shares_of_a_difference_add_up_to_it(seed, measure, profile, missing, within):
    work = work_on(a_benchmark(seed, missing=missing), measure, find_profile(profile), doubtful=[(0, 1)])
    queries = None if within is None else np.array(within)
    budgets = [work.budget(row, within=queries) for row in (0, 3)]
    if not all(one.n_all for one in budgets):
        return
    found = work.difference(0, 3, within=queries)
    assert found.value == budgets[0].value - budgets[1].value
    assert found.value == pytest.approx(found.ideal + sum(found.shares.values()), abs=EXACT)
    of_pairs = sum(found.shares[cause] for cause in (*CLAIMING, "single"))
    assert sum(one.cost for one in found.confusions) + found.rest == pytest.approx(of_pairs, abs=EXACT)
    back = work.difference(3, 0, within=queries)
    assert {c: -s for c, s in back.shares.items()} == pytest.approx(found.shares, abs=EXACT)
    costs = []  # of each pair of classes, from the costs of single models
    for row, budget in zip((0, 3), budgets, strict=True):
        costs.append(Counter())
        for query in np.flatnonzero(~np.isnan(budget.values) & work.benchmark.runs[row].present).tolist():
            one = work.false_positives(row, query)
            for model, cost in zip(one.models.tolist(), one.costs.tolist(), strict=True):
                costs[-1][work.classes_of_queries[query], work.benchmark.classification.labels[model]] += cost
    for one in found.confusions:
        pair = one.query_class, one.model_class
        expected = costs[1][pair] / max(budgets[1].n, 1) - costs[0][pair] / max(budgets[0].n, 1)
        assert one.cost == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("case", [{}, {"truncated": True}, {"missing": True}], ids=str)
def test_repaired_lists_have_the_value_of_alone(case):
    """With ties at most: an irrelevant model is taken out before relevant ones at other distances, and keeps a rank.

    Labels without doubtful relevant models, which `alone` counts at two ranks.
    """
    work = work_on(a_benchmark(7, **case), doubtful=[(0, 1), (1, 2)])
    work.doubtful = {
        query: models[~np.isin(models, work.benchmark.assessment.relevant(query)[0])]
        for query, models in work.doubtful.items()
    }
    for row in range(4):
        budget = work.budget(row)
        for cause in ("", *CLAIMING):
            table = work.repaired(row, cause)
            assert all((np.diff(table.rows(q, q + 1).ranks) > 0).all() for q in range(6))
            values = np.where(table.missing, 0.0, work.measure.evaluate(table, DEFAULT))
            alone = budget.cause(cause).alone if cause else 0.0
            assert values.mean() <= budget.value + alone + EXACT
            if cause in ("", "ties") or "truncated" in case:  # these lists have no distances
                assert values.mean() == pytest.approx(budget.value + alone, abs=EXACT)
        for query in np.flatnonzero(~work.benchmark.runs[row].present).tolist():
            assert len(work.false_positives(row, query).models) == 0
        completed = work.repaired(row, "unlisted")
        found = ~completed.missing
        assert np.diff(completed.indptr)[found].tolist() == completed.relevant_size(1)[found].tolist()


def test_costs_of_classes_by_cause_add_up():
    work = work_on(a_benchmark(11), doubtful=[(0, 3)])
    for row in range(2):
        together = Counter()
        for cause in (*CLAIMING, "single"):
            for one in work.class_costs(row, cause):
                together[one.query_class, one.model_class] += one.cost
        for one in work.budget(row).confusions:
            assert together[one.query_class, one.model_class] == pytest.approx(one.cost, abs=EXACT)
        parts = [np.array([0, 3]), np.array([1, 2, 4, 5])]
        whole = {(one.query_class, one.model_class): one for one in work.class_costs(row, "single")}
        costs, gains = Counter(), Counter()
        for part in parts:
            for one in work.class_costs(row, "single", part):
                costs[one.query_class, one.model_class] += one.cost * len(part) / 6
                gains[one.query_class, one.model_class] += one.alone * len(part) / 6
        for pair, one in whole.items():
            assert (costs[pair], gains[pair]) == (pytest.approx(one.cost), pytest.approx(one.alone))


@pytest.mark.parametrize("seed", range(6))
def test_the_sentence_of_one_query_is_that_of_the_budget(seed, monkeypatch):
    """Also where the lists of others make hubs and confusions; the figures of others are not computed for it."""
    benchmark = a_benchmark(seed, missing=seed % 2 == 0)
    scores = evaluate(benchmark, DEFAULT, measures=["AP"])
    requests = [ErrorBudgetRequest(runs=(f"R{row}",)) for row in range(4)]
    known = [run_budget(ContentData(benchmark, DEFAULT, scores), one).budget.sentences for one in requests]
    assert ("no list" in known[0]) == (seed % 2 == 0)
    made = []
    account = _RunBudget._new_account
    monkeypatch.setattr(_RunBudget, "_new_account", lambda one, query: made.append(query) or account(one, query))
    for row, sentences in enumerate(known):
        for query, sentence in enumerate(sentences):
            reason = query_reason(ContentData(benchmark, DEFAULT, scores), replace(requests[row], query=f"q{query}"))
            assert reason[0].text == sentence
            assert made == ([] if sentence == "no list" else [query])
            made.clear()


def test_an_unusual_mesh_is_part_of_the_reason(tmp_path):
    """Where the numbers of faces of most models are known; else nothing is said."""
    benchmark = a_benchmark(2)
    paths = [tmp_path / f"m{model}.off" for model in range(24)]
    for model, path in enumerate(paths):
        path.write_text(f"OFF\n10 {100 + model} 0\n")
    large = tmp_path / "query.off"
    large.write_text("OFF\n900 1338 0\n")
    queries = replace(benchmark.queries, paths=(large, paths[0], *(None,) * 4))
    known = replace(benchmark, collection=Collection(benchmark.collection.ids, paths), queries=queries)

    def reasons(one, query):
        data = ContentData(one, DEFAULT, evaluate(one, DEFAULT, measures=["AP"]))
        return [part.text for part in query_reason(data, ErrorBudgetRequest(runs=("R0",), query=query))]

    assert "mesh of 12 times the usual number of faces" in reasons(known, "q0")
    assert not any("faces" in text for query in ("q1", "q2") for text in reasons(known, query))
    few = replace(known, collection=Collection(known.collection.ids, [*paths[:10], *(None,) * 14]))
    assert not any("faces" in text for text in reasons(few, "q0"))


def write_box(path, sides):
    corners = "\n".join(f"{x * sides[0]} {y * sides[1]} {z * sides[2]}" for x, y, z in np.ndindex(2, 2, 2))
    path.write_text(f"OFF\n8 2 0\n{corners}\n3 0 1 2\n3 5 6 7\n")
    return path


@pytest.mark.parametrize(
    ("sides", "axes", "up", "expected"),
    [
        ((1, 4, 2), (0, 2, 1), "Y", "up axis differs: against its class, y and z are exchanged"),
        ((1, 4, 2), (2, 1, 0), "Y", "turned about the up axis: against its class, x and z are exchanged"),
        ((1, 4, 2), (2, 1, 0), "Z", "up axis differs: against its class, x and z are exchanged"),
        ((1, 4, 2), (1, 2, 0), "Y", "up axis differs: against its class, x, y and z are exchanged"),
        ((1, 4, 2), (0, 1, 2), "Y", None),  # as its class
        ((1, 1.1, 1.2), (0, 2, 1), "Y", None),  # nearly a cube: nothing tells the axes apart
        ((1, 4, 2), (1, 1, 1), "Y", None),  # of other proportions: as unlike its class under all exchanges
    ],
)
def test_exchanged_axes_are_part_of_the_reason(tmp_path, sides, axes, up, expected):
    benchmark, chance = a_benchmark(5, n_models=48), np.random.default_rng(5)
    own = int(BudgetWork(evaluate(benchmark, DEFAULT, measures=["AP"]), "AP").classes_of_queries[0])
    members = benchmark.classification.members(own)
    assert len(members) >= 5

    def reasons(n_known, jitter=0.05):
        paths = [None] * 48
        for model in members[:n_known].tolist():
            paths[model] = write_box(tmp_path / f"{model}.off", np.array(sides) * np.exp(chance.normal(0, jitter, 3)))
        query = write_box(tmp_path / "query.off", [12.5 * sides[axis] for axis in axes])  # the size does not matter
        one = replace(
            benchmark,
            queries=replace(benchmark.queries, paths=(query, *(None,) * 5)),
            collection=Collection(benchmark.collection.ids, paths),
            camera={"up": up},
        )
        data = ContentData(one, DEFAULT, evaluate(one, DEFAULT, measures=["AP"]))
        texts = [part.text for part in query_reason(data, ErrorBudgetRequest(runs=("R0",), query="q0"))]
        return next((text for text in texts if "against its class" in text), None)

    assert reasons(len(members)) == expected
    assert reasons(4) is None  # too few
    assert reasons(len(members), jitter=1.5) is None  # the class has no usual box


def test_sides_of_a_box_are_those_of_small_plain_files(tmp_path, monkeypatch):
    path = write_box(tmp_path / "box.off", (1.5, 4, 2))
    assert box_sides(path).tolist() == [1.5, 4, 2]
    assert box_sides(write_box(tmp_path / "flat.off", (1, 0, 2))) is None
    (tmp_path / "damaged.off").write_text("OFF\n8 2\n")
    (tmp_path / "box.png").write_bytes(path.read_bytes())
    assert {box_sides(tmp_path / name) for name in ("damaged.off", "box.png", "none.off")} == {None}
    monkeypatch.setattr("shrec_viewer.formats.meshes.mesh_reader.MAX_BYTES", 50)
    assert box_sides(path) is None


def test_models_of_a_lasso_have_their_cost_and_their_mean_as_queries():
    benchmark = a_benchmark(4)
    queries = replace(benchmark.queries, member=np.array([5, 0, 7, -1, 9, 2], np.int32))
    benchmark = replace(benchmark, queries=queries)
    data = ContentData(benchmark, DEFAULT, evaluate(benchmark, DEFAULT, measures=["AP"]))
    models = np.array([0, 2, 3, 23])
    found = restricted_models(data, FalsePositivesRequest(runs=("R1",), models=("m0", "m2", "m3", "m23")))
    budget = run_budget(data, FalsePositivesRequest(runs=("R1",))).budget
    assert found.models == tuple(models.tolist())
    labels = {label for label in benchmark.classification.labels[models].tolist() if label >= 0}
    relevant = [benchmark.assessment.relevant(3)[0]]
    assert not 2 * np.isin(relevant, models).sum() > np.size(relevant)  # else the fourth query would be one
    assert found.queries == (1, 5)
    cost, mean = budget.model_costs[models].sum(), budget.values[[1, 5]].mean()
    of_classes = f"{len(labels)} class" + "es" * (len(labels) != 1)
    assert found.texts == (f"cost {cost:.3f}", of_classes, f"AP {mean:.3f} of 2 queries")
    single = restricted_models(data, FalsePositivesRequest(runs=("R1",), query="q2", cause="single"))
    one = run_budget(data, FalsePositivesRequest(runs=("R1",))).work.false_positives(1, 2)
    assert single.models == tuple(sorted(one.models[one.by_cause[:, 4] > 0].tolist()))
    assert single.queries == ()
