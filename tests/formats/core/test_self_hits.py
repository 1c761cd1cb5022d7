"""Findings about runs whose lists do not begin with their own query, and the setting that assigns them again."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from made_folders import IDS, cla, npy, write

from shrec_viewer.domain import Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.core.ids import natural_key
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark
from shrec_viewer.metrics import find_profile

PSB = Path(__file__).parents[4] / "shared" / "data" / "psb_d2"
N = len(IDS)

WORDS = "the query itself is the nearest model"


def own_distances(seed=3) -> np.ndarray:
    """Symmetric distances of the models of `made_folders`, 0 to themselves."""
    points = np.random.default_rng(seed).normal(size=(N, 5))
    return np.linalg.norm(points[:, None] - points[None], axis=2)


def write_matrix(folder, values, **files):
    return write(folder, {"test.cla": cla(), "runs/A.npy": npy(values), **files})


def warnings_of(benchmark):
    return [f for f in benchmark.findings if WORDS in f.message or "their own query" in f.message]


def nearest_neighbour(benchmark) -> float:
    scores = evaluate(benchmark, find_profile("psb"), measures=["NN"])
    return float(scores.mean()[0, 0])


def opened(folder, **options):
    options.setdefault("order", "classification")
    return read_benchmark(folder, BenchmarkParts(read_options=ReadOptions(**options)))


CAUSES = {
    "shifted by 1 against the columns": lambda values: np.roll(values, 1, axis=0),
    "shifted by 3 against the columns": lambda values: np.roll(values, -3, axis=0),
    "in another order than the columns": lambda values: values[np.random.default_rng(5).permutation(N)],
    "the rows of 'N21', 'N8' are probably exchanged": lambda v: v[[0, 4, 2, 3, 1, *range(5, N)]],
}


@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["distances", "similarities"])
def test_wrong_rows_are_a_warning_that_names_the_cause_and_the_setting(cause, sign, tmp_path):
    values = CAUSES[cause](own_distances())
    benchmark = opened(write_matrix(tmp_path, sign * values), similarity=sign < 0)
    (found,) = warnings_of(benchmark)
    assert found.severity is Severity.WARNING
    assert found.file == "runs/A.npy"
    assert cause in found.message
    assert found.setting.option == "--queries-by nearest"
    assert found.setting.lines[-1] == 'queries_by = "nearest"'


@pytest.mark.parametrize("cause", CAUSES)
def test_the_suggested_lines_and_option_restore_the_numbers(cause, tmp_path):
    right = opened(write_matrix(tmp_path / "right", own_distances()))
    assert not warnings_of(right)
    folder = write_matrix(tmp_path / "wrong", CAUSES[cause](own_distances()))
    wrong = opened(folder)
    (found,) = warnings_of(wrong)
    assert nearest_neighbour(wrong) != nearest_neighbour(right) or "exchanged" in cause
    (folder / "benchmark.toml").write_text("\n".join(found.setting.lines) + "\n")
    by_line = opened(folder)
    (folder / "benchmark.toml").unlink()
    by_option = opened(folder, queries_by="nearest")
    for settled in (by_line, by_option):
        assert not warnings_of(settled)
        assert nearest_neighbour(settled) == nearest_neighbour(right)
    assert not warnings_of(opened(folder, queries_by="name"))


def test_the_option_is_one_of_the_command_line(tmp_path):
    folder = write_matrix(tmp_path, np.roll(own_distances(), 1, axis=0))
    check = [sys.executable, "-m", "shrec_viewer", "check", str(folder)]
    before = subprocess.run(check, capture_output=True, text=True, check=True)
    assert WORDS in before.stdout
    assert "--queries-by nearest" in before.stdout
    after = subprocess.run([*check, "--queries-by", "nearest"], capture_output=True, text=True, check=True)
    assert WORDS not in after.stdout
    assert "belongs to the query nearest to it" in after.stdout
    evaluate_command = [sys.executable, "-m", "shrec_viewer", "evaluate", str(folder), "--format", "json"]
    scores = subprocess.run(evaluate_command, capture_output=True, text=True, check=True)
    assert WORDS in scores.stderr
    assert WORDS in scores.stdout


def list_files(lists):
    return {f"runs/A/{query}": "".join(f"{name}\n" for name in names) for query, names in lists.items()}


def own_lists():
    values = own_distances()
    return {IDS[row]: [IDS[item] for item in np.argsort(values[row])] for row in range(N)}


@pytest.mark.parametrize("shift", [1, -2])
def test_lists_in_files_are_shifted_in_the_order_of_their_names(shift, tmp_path):
    lists, names = own_lists(), sorted(IDS, key=natural_key)
    assert tuple(names) != IDS
    shifted = dict(zip(names, [lists[names[(place + shift) % N]] for place in range(N)], strict=True))
    folder = write(tmp_path, {"test.cla": cla(), **list_files(shifted)})
    (found,) = warnings_of(read_benchmark(folder))
    assert f"the lists are probably shifted by {abs(shift)} against the queries" in found.message


def test_lists_of_other_queries_are_a_warning(tmp_path):
    lists = own_lists()
    right = read_benchmark(write(tmp_path / "right", {"test.cla": cla(), **list_files(lists)}))
    assert not warnings_of(right)
    shifted = dict(zip(IDS, [lists[name] for name in (*IDS[1:], IDS[0])], strict=True))
    folder = write(tmp_path / "wrong", {"test.cla": cla(), **list_files(shifted)})
    (found,) = warnings_of(read_benchmark(folder))
    assert "the lists are probably shifted by 1 against the queries" in found.message
    settled = read_benchmark(folder, BenchmarkParts(read_options=ReadOptions(queries_by="nearest")))
    assert not warnings_of(settled)
    assert nearest_neighbour(settled) == nearest_neighbour(right)


def test_lists_with_their_query_at_random_ranks_are_a_warning(tmp_path):
    random = np.random.default_rng(2)
    lists = {name: random.permutation(IDS).tolist() for name in IDS}
    (found,) = warnings_of(read_benchmark(write(tmp_path, {"test.cla": cla(), **list_files(lists)})))
    assert "not a retrieval method" in found.message


def test_lists_without_their_query_are_a_warning_if_other_runs_begin_with_it(tmp_path):
    lists = own_lists()
    without = {query: [name for name in names if name != query] for query, names in lists.items()}
    alone = write(tmp_path / "alone", {"test.cla": cla(), **list_files(without)})
    assert not warnings_of(read_benchmark(alone))
    others = {name.replace("/A/", f"/{run}/"): text for name, text in list_files(lists).items() for run in ("B", "C")}
    (found,) = warnings_of(read_benchmark(write(tmp_path / "alone", others)))
    assert found.file == "runs/A"
    assert "2 other runs begin with it" in found.message


SOUND = {
    "distances": own_distances(),
    "duplicates": np.kron(own_distances()[: N // 2, : N // 2], np.ones((2, 2))),
    "own distance not computed": own_distances() + np.diag(np.full(N, np.inf)),
    "own distance NaN": own_distances() + np.diag(np.full(N, np.nan)),
    "one noisy row": own_distances() + np.diag([9.0, *np.zeros(N - 1)]),
    "rounding": own_distances() + np.diag(np.full(N, 1e-9)) + np.eye(N, k=1) * -own_distances(),
    "constant": np.ones((N, N)),
}


@pytest.mark.parametrize("kind", SOUND)
def test_sound_matrices_give_no_warning(kind, tmp_path):
    assert not warnings_of(opened(write_matrix(tmp_path, SOUND[kind])))
    with np.errstate(invalid="ignore"):
        assert not warnings_of(opened(write_matrix(tmp_path, -SOUND[kind]), similarity=True))


def test_distances_to_other_queries_than_models_give_no_warning(tmp_path):
    from made_folders import benchmark_files, distances

    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "runs/A.npy": npy(distances())}))
    assert benchmark.runs
    assert not warnings_of(benchmark)


def test_a_matrix_that_is_no_permutation_cannot_be_assigned(tmp_path):
    values = own_distances()
    values[:, 2] = -1
    benchmark = opened(write_matrix(tmp_path, values), queries_by="nearest")
    assert not benchmark.runs
    assert benchmark.has_errors
    assert any("'nearest' does not fit" in finding.message for finding in benchmark.findings)


@pytest.mark.skipif(not PSB.is_dir(), reason="needs the Princeton matrix of shared/data")
def test_nearest_neighbour_of_shifted_princeton_matrix_rises_with_a_warning(tmp_path):
    """The rows shifted by one: models of a class are next to each other, so that NN rises from .346 to .897."""
    assert not warnings_of(read_benchmark(PSB))
    values = np.fromfile(PSB / "d2_l1_test.matrix", "<f4").reshape(907, 907)
    tree = (PSB / "test.cla").read_text()
    folder = write(tmp_path, {"test.cla": tree, "d2.matrix": np.roll(values, 1, axis=0).tobytes()})
    shifted = read_benchmark(folder)
    (found,) = warnings_of(shifted)
    assert "shifted by 1 against the columns" in found.message
    assert nearest_neighbour(shifted) == pytest.approx(0.897, abs=5e-4)
    settled = read_benchmark(folder, BenchmarkParts(read_options=ReadOptions(queries_by="nearest")))
    assert nearest_neighbour(settled) == nearest_neighbour(read_benchmark(PSB)) == pytest.approx(0.346, abs=5e-4)
