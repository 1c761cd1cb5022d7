"""Equal scores under the profile trec: ids outside the collection take part in the order, as in trec_eval."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from shrec_viewer.cli.program import program
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile

pytrec_eval = pytest.importorskip("pytrec_eval", reason="the oracle pytrec_eval is not installed")


def write_benchmark(folder, models, qrels, run):
    (folder / "models.csv").write_text("ID\n" + "".join(f"{name}\n" for name in models), encoding="utf-8")
    lines = [f"{query} 0 {name} {level}\n" for query, levels in qrels.items() for name, level in levels.items()]
    (folder / "qrels.txt").write_text("".join(lines), encoding="utf-8")
    lines = [f"{query} Q0 {name} 1 {score} t\n" for query, scores in run.items() for name, score in scores.items()]
    (folder / "m.run").write_text("".join(lines), encoding="utf-8")
    return folder


@pytest.fixture
def worked(tmp_path):
    """Scores 1.0 for zz9 and a1: zz9 is first in descending order of the ids, so that a1 has rank 2."""
    return write_benchmark(tmp_path, ["a1", "b1", "c1"], {"q1": {"a1": 1}}, {"q1": {"zz9": 1.0, "a1": 1.0, "b1": 0.5}})


def test_an_unknown_id_before_a_tied_model_moves_it_back(worked):
    benchmark = read_benchmark(worked)
    assert benchmark.collection.ids == ("a1", "b1", "c1")
    assert evaluate(benchmark, find_profile("trec"), measures=["AP"]).mean().item() == 0.5
    assert evaluate(benchmark, find_profile("trec+unknown=drop"), measures=["AP"]).mean().item() == 1.0
    assert ranked_list(benchmark, benchmark.runs[0], 0, find_profile("trec")).items.tolist() == [-1, 0, 1]


def test_an_unknown_id_after_a_tied_model_leaves_it_in_place(tmp_path):
    folder = write_benchmark(tmp_path, ["a1", "b1", "c1"], {"q1": {"b1": 1}}, {"q1": {"aa": 1.0, "b1": 1.0, "a1": 0.5}})
    assert evaluate(read_benchmark(folder), find_profile("trec"), measures=["AP"]).mean().item() == 1.0


def test_the_command_line_gives_the_value_of_trec_eval(worked):
    arguments = ["evaluate", str(worked), "--profile", "trec", "--measure", "AP", "--format", "json"]
    result = CliRunner().invoke(program, arguments, standalone_mode=False)
    assert json.loads(result.stdout)["runs"][0]["mean"] == {"AP": 0.5}


@pytest.mark.parametrize("seed", range(20))
def test_random_runs_with_unknown_ids_agree_with_trec_eval(seed, tmp_path):
    random = np.random.default_rng(seed)
    names = [f"{letter}{number}" for letter in "amz" for number in range(8)]
    models = sorted(random.choice(names, 16, replace=False).tolist())
    qrels = {f"q{i}": {name: int(random.integers(0, 2)) for name in models} | {models[0]: 1} for i in range(4)}
    run = {query: {name: float(random.integers(0, 4)) for name in random.permutation(names)[:18]} for query in qrels}
    expected = pytrec_eval.RelevanceEvaluator(qrels, {"map", "recip_rank", "P_5"}).evaluate(run)
    benchmark = read_benchmark(write_benchmark(tmp_path, models, qrels, run))
    assert benchmark.collection.ids == tuple(models)
    scores = evaluate(benchmark, find_profile("trec"), measures=["AP", "RR", "P@5"])
    for row, query in enumerate(benchmark.queries.ids):
        theirs = [expected[query][key] for key in ("map", "recip_rank", "P_5")]
        assert np.nan_to_num(scores.values[0, row]).tolist() == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_columns_of_a_matrix_without_a_model_are_ordered_as_by_trec_eval(seed, tmp_path):
    random = np.random.default_rng(seed)
    names = [f"{letter}{number}" for letter in "amz" for number in range(8)]
    models = sorted(random.choice(names, 16, replace=False).tolist())
    qrels = {f"q{i}": {name: int(random.integers(0, 2)) for name in models} | {models[0]: 1} for i in range(6)}
    values = random.integers(0, 4, (len(qrels), len(names))) + 0.5
    write_benchmark(tmp_path, models, qrels, {}).joinpath("m.run").unlink()
    lines = [",".join([query, *map(str, row)]) for query, row in zip(qrels, values.tolist(), strict=True)]
    (tmp_path / "m.csv").write_text("\n".join(["," + ",".join(names), *lines, ""]), encoding="utf-8")
    run = {query: dict(zip(names, (-row).tolist(), strict=True)) for query, row in zip(qrels, values, strict=True)}
    expected = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    benchmark = read_benchmark(tmp_path)
    assert (benchmark.collection.ids, benchmark.runs[0].ranking.column_ids) == (tuple(models), tuple(names))
    scores = evaluate(benchmark, find_profile("trec"), measures=["AP"])
    theirs = [expected[query]["map"] for query in benchmark.queries.ids]
    assert scores.values[0, :, 0].tolist() == pytest.approx(theirs, abs=1e-12)
    listed = ranked_list(benchmark, benchmark.runs[0], 0, find_profile("trec"))
    ids = [names[i] for i in sorted(range(len(names)), key=lambda i: (-values[0, i], names[i]), reverse=True)]
    assert listed.items.tolist() == [models.index(name) if name in models else -1 for name in ids]
