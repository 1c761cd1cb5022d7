"""Virtual runs against brute force, values worked by hand, ranx where it is installed, and the command line."""

import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median

import numpy as np
import pytest
from independent_loaders import collection_of, lists_of, pairs_of, queries_of

from shrec_viewer.cli.program import run as run_program
from shrec_viewer.domain import Benchmark, DistanceMatrix, RankedLists, Run
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.evaluation.virtual_runs import (
    VIRTUAL_RUNS,
    VirtualRunError,
    parse_virtual_run,
    quoted_run_name,
    virtual_run,
    with_virtual_runs,
)
from shrec_viewer.metrics import find_profile

DEFAULT = find_profile("default")
N_MODELS, N_QUERIES = 40, 12


def scored_lists(rng: np.random.Generator, depth: int) -> tuple[RankedLists, dict[str, dict[str, float]]]:
    """Lists of `depth` random models with distinct scores, and the scores by id of query and model."""
    lists, items, distances = {}, [], []
    for query in range(N_QUERIES):
        models = rng.permutation(N_MODELS)[:depth]
        scores = np.sort(rng.normal(size=depth))[::-1]
        items.append(models)
        distances.append(-scores)
        names = (f"m{model:02}" for model in models.tolist())
        lists[f"q{query:02}"] = dict(zip(names, scores.tolist(), strict=True))
    ranking = RankedLists(
        np.arange(N_QUERIES + 1, dtype=np.int64) * depth,
        np.concatenate(items).astype(np.int32),
        np.concatenate(distances),
        np.ones(N_QUERIES, bool),
        by_score=True,
    )
    return ranking, lists


@pytest.fixture(scope="module")
def random_runs() -> tuple[Benchmark, dict[str, dict[str, dict[str, float]]]]:
    """Three random runs of two participants with lists of different lengths, and their scores by name."""
    rng = np.random.default_rng(5)
    runs, scores = [], {}
    for name, participant, depth in (("A1", "A", 40), ("A2", "A", 25), ("B(1), 'new'", "B", 10)):
        ranking, scores[name] = scored_lists(rng, depth)
        runs.append(Run(name, participant, Path(name), ranking))
    levels = [{int(m): int(rng.integers(1, 3)) for m in rng.permutation(N_MODELS)[:6]} for _ in range(N_QUERIES)]
    benchmark = Benchmark(
        "random",
        Path(),
        collection_of(tuple(f"m{model:02}" for model in range(N_MODELS))),
        queries_of(tuple(f"q{q:02}" for q in range(N_QUERIES)), np.zeros(N_QUERIES, int), np.full(N_QUERIES, -1)),
        pairs_of(levels),
        runs=tuple(runs),
    )
    return benchmark, scores


ALL_RUNS = "A1, A2, \"B(1), 'new'\""


def scores_of(run: Run) -> dict[str, dict[str, float]]:
    """Scores of a fused run by id of query and model."""
    ranking = run.ranking
    assert isinstance(ranking, RankedLists)
    assert ranking.distances is not None
    rows = [ranking.rows(query) for query in range(len(ranking))]
    return {
        f"q{q:02}": {
            f"m{m:02}": -d for m, d in zip(ranking.items[r].tolist(), ranking.distances[r].tolist(), strict=True)
        }
        for q, r in enumerate(rows)
    }


def fused_by_hand(kind: str, scores: dict, weights: dict[str, float]) -> dict[str, dict[str, float]]:
    """Fusion with dictionaries only, as the papers define it."""
    result = {}
    for query in next(iter(scores.values())):
        rows = {name: lists[query] for name, lists in scores.items()}
        candidates = {model for row in rows.values() for model in row}
        ranks = {n: {m: i for i, m in enumerate(sorted(row, key=row.get, reverse=True), 1)} for n, row in rows.items()}
        total: dict[str, float] = defaultdict(float)
        for model in candidates:
            holders = [name for name, row in rows.items() if model in row]
            if kind == "rrf":
                total[model] = sum(weights[name] / (60 + ranks[name][model]) for name in holders)
            elif kind == "borda":
                for name, row in rows.items():
                    left = sum(range(1, len(candidates) - len(row) + 1)) / max(len(candidates) - len(row), 1)
                    points = len(candidates) - ranks[name][model] + 1 if model in row else left
                    total[model] += weights[name] * points
            elif kind == "median":
                every = []
                for name, row in rows.items():
                    after = fmean(range(len(row) + 1, len(candidates) + 1)) if len(row) < len(candidates) else 0
                    every.append(ranks[name].get(model, after))
                total[model] = -median(every)
            else:
                for name in holders:
                    low, high = min(rows[name].values()), max(rows[name].values())
                    total[model] += weights[name] * (rows[name][model] - low) / (high - low)
                if kind == "combmnz":
                    total[model] *= len(holders)
        result[query] = dict(total)
    return result


@pytest.mark.parametrize("kind", ["rrf", "combsum", "combmnz", "borda", "median"])
@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (2.0, 0.5, 1.5)])
def test_fusion_equals_brute_force(random_runs, kind, weights):
    if kind == "median":
        weights = (1.0, 1.0, 1.0)
    benchmark, scores = random_runs
    names = [run.name for run in benchmark.runs]
    operands = ", ".join(f"{quoted_run_name(name)}*{weight}" for name, weight in zip(names, weights, strict=True))
    found = scores_of(virtual_run(benchmark, f"{kind}({operands})", DEFAULT))
    expected = fused_by_hand(kind, scores, dict(zip(names, weights, strict=True)))
    for query in expected:
        assert found[query] == pytest.approx(expected[query], abs=1e-12)
        assert list(found[query].values()) == sorted(found[query].values(), reverse=True)


@pytest.mark.parametrize(
    ("kind", "method", "norm"),
    [("rrf", "rrf", None), ("combsum", "sum", "min-max"), ("combmnz", "mnz", "min-max"),
     ("combsum(norm=z)", "sum", "zmuv"), ("combmnz(norm=z)", "mnz", "zmuv")],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore")  # numba warns of casts in ranx
def test_fusion_equals_ranx(random_runs, kind, method, norm):
    ranx = pytest.importorskip("ranx")
    benchmark, scores = random_runs
    name, _, options = kind.partition("(")
    found = scores_of(virtual_run(benchmark, f"{name}(*{f', {options}' if options else ')'}", DEFAULT))
    fused = ranx.fuse([ranx.Run(lists) for lists in scores.values()], norm=norm, method=method).to_dict()
    for query, row in fused.items():
        assert found[query] == pytest.approx(dict(row), abs=1e-9)


@pytest.mark.parametrize("profile", ["default", "trec", "psb", "shrec2006", "shrec2017"])
@pytest.mark.parametrize("measure", ["AP", "NDCG@5", "FP"])
def test_oracle_has_the_best_value_of_each_query(random_runs, profile, measure):
    benchmark, _ = random_runs
    conventions = find_profile(profile)
    every = evaluate(benchmark, conventions, measures=[measure]).values[:, :, 0]
    best = every.min(axis=0) if measure == "FP" else every.max(axis=0)
    oracle = with_virtual_runs(benchmark, [f"oracle(measure={measure})"], conventions)
    found = evaluate(oracle, conventions, runs=[oracle.runs[-1].name], measures=[measure]).values[0, :, 0]
    assert found.tolist() == best.tolist()


def test_oracle_without_a_participant(random_runs):
    benchmark, _ = random_runs
    of_a = evaluate(benchmark, DEFAULT, runs=["A1", "A2"], measures=["AP"]).values[:, :, 0].max(axis=0)
    for text in ("without(B)", "oracle(without(B))"):
        more = with_virtual_runs(benchmark, [text], DEFAULT)
        assert evaluate(more, DEFAULT, runs=[text], measures=["AP"]).values[0, :, 0].tolist() == of_a.tolist()
    alone, fused = (scores_of(virtual_run(benchmark, text, DEFAULT)) for text in ("rrf(A1, A2)", "rrf(without(B))"))
    assert alone == fused


def test_oracle_of_lists_with_gaps_repeats_and_unknown_ids(random_runs):
    benchmark, _ = random_runs
    raw = [[3, -1, 3, 5], None, [], [-1, 0, 1, 2, 2, 9]] + [[7, 8]] * (N_QUERIES - 4)
    odd = Run("odd", "C", Path("odd"), lists_of(raw))
    other = Run("other", "D", Path("other"), lists_of([[9, 3], None, [4]] + [[7]] * (N_QUERIES - 3)))
    gaps = replace(benchmark, runs=(odd, other))
    for key in ("default", "trec", "shrec2017"):
        profile = find_profile(key)
        every = evaluate(gaps, profile, measures=["AP"])
        more = with_virtual_runs(gaps, ["oracle(measure=AP)"], profile)
        found = evaluate(more, profile, measures=["AP"]).values[-1, :, 0]
        best = [max((v for v in column if v == v), default=np.nan) for column in every.values[:, :, 0].T]
        assert found == pytest.approx(best, nan_ok=True, abs=0)
        assert np.isnan(found[1])


def test_ideal_and_random(random_runs):
    benchmark, _ = random_runs
    more = with_virtual_runs(benchmark, ["ideal()", "random()", "random(7)", "random(seed=7,depth=10)"], DEFAULT)
    found = evaluate(more, DEFAULT, measures=["AP", "NDCG"])
    assert (found.values[3] == 1.0).all()
    lists = [run.ranking.items.reshape(N_QUERIES, -1) for run in more.runs[4:]]
    assert (np.sort(lists[0], axis=1) == np.arange(N_MODELS)).all()
    assert not (lists[0] == lists[1]).all()
    assert (lists[1][:, :10] == lists[2]).all()
    assert len({tuple(row) for row in lists[0].tolist()}) == N_QUERIES


def test_a_matrix_of_similarities_fuses_like_its_distances(random_runs):
    benchmark, _ = random_runs
    values = np.random.default_rng(1).random((N_QUERIES, N_MODELS))
    rows, columns = np.arange(N_QUERIES, dtype=np.int32), np.arange(N_MODELS, dtype=np.int32)
    near = Run("near", "N", Path("near"), DistanceMatrix(values, rows, columns))
    alike = Run("alike", "N", Path("alike"), DistanceMatrix(-values, rows, columns, similarity=True))
    both = replace(benchmark, runs=(*benchmark.runs, near, alike))
    for kind in ("combsum", "rrf"):
        one, other = (scores_of(virtual_run(both, f"{kind}(A1,{name})", DEFAULT)) for name in ("near", "alike"))
        assert one == other


def test_lists_without_scores_use_ranks_and_infinite_distances_do_not_spoil_others(random_runs):
    benchmark, _ = random_runs
    plain = Run("plain", "P", Path("plain"), lists_of([[4, 2, 0]] * N_QUERIES))
    found = scores_of(virtual_run(replace(benchmark, runs=(plain,)), "combsum(plain)", DEFAULT))
    assert found["q00"] == {"m04": 1.0, "m02": 0.5, "m00": 0.0}
    values = np.tile(np.arange(float(N_MODELS)), (N_QUERIES, 1))
    values[:, 3:] = np.inf
    rows, columns = np.arange(N_QUERIES, dtype=np.int32), np.arange(N_MODELS, dtype=np.int32)
    matrix = Run("matrix", "M", Path("m"), DistanceMatrix(values, rows, columns))
    found = scores_of(virtual_run(replace(benchmark, runs=(matrix,)), "combsum(matrix)", DEFAULT))
    assert [found["q00"][f"m{model:02}"] for model in range(5)] == [1.0, 0.5, 0.0, 0.0, 0.0]


def test_the_query_itself_stays_in_the_lists_as_in_those_of_submitted_runs():
    n = 6
    values = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
    ids = tuple("abcdef")
    run = Run(
        "line", "A", Path("a"), DistanceMatrix(values, np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32))
    )
    benchmark = Benchmark(
        "self", Path(), collection_of(ids), queries_of(ids, np.array([0, 0, 0, 1, 1, 1]), np.arange(n)),
        pairs_of([{0: 1, 1: 1, 2: 1}] * 3 + [{3: 1, 4: 1, 5: 1}] * 3), runs=(run,),
    )  # fmt: skip
    for key in ("psb", "trec", "shrec2017"):
        profile = find_profile(key)
        more = with_virtual_runs(benchmark, ["rrf(line)", "oracle()", "ideal()"], profile)
        found = evaluate(more, profile, measures=["AP", "FT"]).mean()
        assert found[1].tolist() == found[2].tolist() == found[0].tolist()
        assert found[3].tolist() == [1.0, 1.0]


def test_ties_of_a_fusion_are_known(random_runs):
    benchmark, _ = random_runs
    swapped = Run("swapped", "S", Path("s"), lists_of([[1, 0, 2]] * N_QUERIES))
    straight = Run("straight", "S", Path("s"), lists_of([[0, 1, 2]] * N_QUERIES))
    more = with_virtual_runs(replace(benchmark, runs=(straight, swapped)), ["rrf()"], DEFAULT)
    assert ranked_list(more, more.runs[-1], 0, DEFAULT).tied.tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("A1", "expected a function"),
        ("fusion(A1)", "unknown function 'fusion'"),
        ("rff(A1)", "do you mean 'rrf'"),
        ("rrf(A1", "')' is missing"),
        ("rrf(", "')' is missing"),
        ("rrf(A1,,A2)", "unexpected ','"),
        ("rrf(A1,)", "an argument is missing"),
        ("rrf('A1)", "' is not closed"),
        ("rrf(A1) and more", "unexpected 'a'"),
        ("rrf(A1*two)", "the weight must be a number, not 'two'"),
        ("rrf(A1*nan)", "the weight must be a number"),
        ("rrf(A1*-1)", "must not be negative"),
        ("rrf(A1, j=3)", "rrf() has no option 'j'"),
        ("rrf(A1, k=3, k=4)", "the option 'k' is repeated"),
        ("ideal(A1)", "ideal() has no arguments such as 'A1'"),
        ("without()", "requires a participant"),
        ("rrf(" * 30 + "A1" + ")" * 30, "more than 20 nested functions"),
        ("rrf(" + "A1," * 5000 + "A1)", "characters, more than 10,000"),
    ],
)  # fmt: skip
def test_syntax_errors_are_one_message(text, message):
    with pytest.raises(VirtualRunError) as error:
        parse_virtual_run(text)
    assert message in str(error.value)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rrf(A1, C9)", "there is no run 'C9'"),
        ("rrf(a1)", "do you mean 'A1'"),
        ("rrf(without(C))", "there is no participant 'C'"),
        ("rrf(without(A, B))", "there are no runs to combine"),
        ("rrf(A1*0)", "the weights of all runs are 0"),
        ("rrf(A1, k=many)", "k must be a number, not 'many'"),
        ("combsum(A1, norm=max)", "norm must be min-max or z, not 'max'"),
        ("random(seed=-1)", "seed must be a whole number"),
        ("rrf(A1, depth=0)", "depth must be at least 1"),
        ("oracle(measure=XYZ)", "XYZ"),
        ("oracle(measure=nothing(rel=2))", "nothing"),
    ],
)
def test_names_and_values_that_do_not_exist_are_one_message(random_runs, text, message):
    with pytest.raises(VirtualRunError) as error:
        virtual_run(random_runs[0], text, DEFAULT)
    assert message in str(error.value)


def test_any_name_can_be_written(random_runs):
    benchmark, _ = random_runs
    for name in ("A1", "a b", 'x"y', "it's", "k=60", "A*2", "(", "rrf(A1)", ",", " edge "):
        renamed = replace(benchmark, runs=(replace(benchmark.runs[0], name=name), benchmark.runs[1]))
        expression = f"rrf({quoted_run_name(name)}*2, A2)"
        assert [operand.names for operand in parse_virtual_run(expression).operands] == [(name,), ("A2",)]
        assert virtual_run(renamed, expression, DEFAULT).present.all()


def test_options_may_contain_parentheses():
    assert parse_virtual_run("oracle(A1, measure=AP(rel=2), depth=5)").options == {"measure": "AP(rel=2)", "depth": "5"}


def test_every_function_has_a_source():
    assert all(kind.definition and kind.source for kind in VIRTUAL_RUNS)
    assert len({kind.key for kind in VIRTUAL_RUNS}) == len(VIRTUAL_RUNS)


def test_a_run_of_the_name_of_an_expression_is_not_replaced(random_runs):
    benchmark, _ = random_runs
    named = replace(benchmark, runs=(replace(benchmark.runs[0], name="ideal()"),))
    with pytest.raises(VirtualRunError, match="there is a run of this name"):
        with_virtual_runs(named, ["ideal()"], DEFAULT)


# The command line.


def call(capsys, *words: str) -> tuple[int, str, str]:
    status = run_program(words)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_evaluate_and_compare_take_virtual_runs(capsys):
    expression = "combsum(*)"
    status, out, _ = call(capsys, "evaluate", "demo", "--format", "json", "--measure", "AP", "--virtual", expression,
                          "--virtual", "oracle(measure=AP)")  # fmt: skip
    assert status == 0
    runs = json.loads(out)["runs"]
    fused, oracle = runs[-2:]
    assert fused["name"] == expression
    assert fused["participant"] == "virtual"
    assert fused["virtual"]["source"].startswith("Fox, Shaw")
    assert all("virtual" not in run for run in runs[:-2])
    assert oracle["mean"]["AP"] >= max(run["mean"]["AP"] for run in runs)
    first = runs[0]["name"]
    status, out, _ = call(capsys, "compare", "demo", first, expression, "--format", "json", "--virtual", expression)
    assert status == 0
    status, other, _ = call(capsys, "compare", "demo", first, expression, "--format", "json")
    assert (status, other) == (0, out)


def test_an_error_of_an_expression_is_a_usage_error(capsys):
    for text in ("rrf(", "rrf(Z99)"):
        status, out, err = call(capsys, "evaluate", "demo", "--virtual", text)
        assert (status, out) == (2, "")
        assert err.count("virtual run '") == 1


def test_a_virtual_run_is_exported_as_a_real_one(capsys, tmp_path):
    target = tmp_path / "fused.trec"
    arguments = ("--virtual", "rrf()", "--to", "trec", "--output", str(target))
    assert call(capsys, "convert", "demo", *arguments)[0] == 0
    _, direct, _ = call(capsys, "evaluate", "demo", "--format", "json", "--measure", "AP", "--virtual", "rrf()")
    _, read, _ = call(capsys, "evaluate", "demo", "--format", "json", "--measure", "AP", "--runs", str(target))
    expected = json.loads(direct)["runs"][-1]["mean"]
    assert json.loads(read)["runs"][-1]["mean"] == pytest.approx(expected, abs=1e-12)


def test_functions_of_virtual_runs_are_listed_with_their_sources(capsys):
    _, out, _ = call(capsys, "measures", "--format", "json")
    assert [row["key"] for row in json.loads(out)["virtual_runs"]] == [kind.key for kind in VIRTUAL_RUNS]
    _, out, _ = call(capsys, "measures")
    assert "Cormack, Clarke" in out
