"""Threads and processes give the results of one thread, end on errors, and survive a worker that ends."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path
from threading import get_ident

import numpy as np
import pytest
from processes import needs_semaphores

from shrec_viewer.evaluation import evaluate as evaluation
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.parallel import local
from shrec_viewer.evaluation.parallel.local import (
    available_cores,
    map_ahead,
    run_in_copies,
    run_in_processes,
    thread_map,
)
from shrec_viewer.formats.discovery import reading
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.io.progress import ReadProgress
from shrec_viewer.formats.runs import trec
from shrec_viewer.metrics import PROFILES, classes_as_truth, find_profile
from shrec_viewer.metrics.ranking.matrix_ranking import hits_from_matrix


def _distances(n_models, seed):
    """Distances with ties, NaN and infinite values."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 9, (n_models, n_models)).astype(np.float32)
    values[random.random(values.shape) < 0.05] = np.nan
    values[random.random(values.shape) < 0.05] = np.inf
    return values


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.key)
def test_hits_do_not_depend_on_threads_and_blocks(profile):
    values = _distances(60, seed=7)
    truth = classes_as_truth(np.arange(60) // 6)
    expected = hits_from_matrix(truth, values, profile=profile)
    for jobs, block_values in ((2, 60), (5, 180), (3, 1 << 18)):
        with thread_map(jobs) as map_blocks:
            found = hits_from_matrix(truth, values, profile=profile, block_values=block_values, map_blocks=map_blocks)
        for field in fields(found.found):
            np.testing.assert_array_equal(getattr(found.found, field.name), getattr(expected.found, field.name))


def test_an_error_ends_the_blocks_that_have_not_begun():
    begun = []

    def fail_at_first(start):
        begun.append(start)
        raise ValueError(start)

    with pytest.raises(ValueError, match="0"), thread_map(2) as map_blocks:
        list(map_blocks(fail_at_first, range(1000)))
    assert len(begun) < 1000


def test_one_job_uses_no_thread():
    with thread_map(1) as map_blocks:
        assert map_blocks is map


def test_results_are_computed_in_another_thread_in_the_order_of_the_items():
    threads = set()

    def inverse(number):
        threads.add(get_ident())
        return 1 / (9 - number)

    assert list(map_ahead(inverse, range(8))) == [1 / (9 - number) for number in range(8)]
    assert list(map_ahead(inverse, ())) == []
    assert get_ident() not in threads
    with pytest.raises(ZeroDivisionError):
        list(map_ahead(inverse, range(12)))


def test_a_run_does_not_depend_on_the_thread_that_splits_its_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(trec, "LARGE_TEXT_BYTES", 0)
    lines = [f"Q{number // 5000} Q0 M{number % 5000} {number % 5000} {-number} a\n" for number in range(100_000)]
    lines[::30_000] = ["Q1 Q0 M7 1 x a\n", "only five columns of text\n", "Q1 Q0 M8 1,5 2,5 a\n", "\n"]
    path = tmp_path / "run.trec"
    path.write_text("".join(lines))
    found, expected = (trec.read_trec(path, ReadProgress(map_blocks=blocks)) for blocks in (map_ahead, map))
    assert len(found.findings) == 2
    for field in fields(expected):
        np.testing.assert_array_equal(getattr(found, field.name), getattr(expected, field.name))


def test_without_semaphores_nothing_is_called(tmp_path, monkeypatch):
    import multiprocessing.synchronize

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(multiprocessing.synchronize.SemLock, "__init__", refuse)
    run_in_processes(_write_name, [tmp_path / "a", tmp_path / "b"], _no_report, jobs=2)
    assert list(tmp_path.iterdir()) == []


def _write_name(path: Path):
    path.write_text(str(os.getpid()))


def _end_process(path: Path):
    os._exit(3)


def _no_report(n_done):
    pass


@needs_semaphores
def test_processes_call_the_function_with_each_task(tmp_path):
    tasks = [tmp_path / str(number) for number in range(3)]
    reported = []
    run_in_processes(_write_name, tasks, reported.append, jobs=2)
    assert str(os.getpid()) not in {task.read_text() for task in tasks}
    assert reported == sorted(reported)
    assert reported[0] == 0


FORKING = """
import multiprocessing, os, signal, sys, threading
from pathlib import Path
from shrec_viewer.cli.program import _handle_signals
from shrec_viewer.evaluation.parallel.local import run_in_processes

methods = []
get_context = multiprocessing.get_context
multiprocessing.get_context = lambda method: methods.append(method) or get_context(method)

def name_handlers(path):
    handlers = [signal.getsignal(getattr(signal, name)) for name in ("SIGINT", "SIGTERM", "SIGHUP")]
    path.write_text(" ".join(signal.Handlers(handler).name for handler in handlers))

_handle_signals()
for line in sys.argv[2:]:
    exec(line)
run_in_processes(name_handlers, [Path(sys.argv[1]) / name for name in "ab"], lambda n_done: None, jobs=2)
print(*methods, flush=True)
os._exit(0)  # without waiting for the thread
"""


@needs_semaphores
@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
@pytest.mark.parametrize(
    ("line", "method"),
    [
        ("pass", "fork"),
        ("signal.signal(signal.SIGHUP, signal.SIG_IGN)", "fork"),
        ("threading.Thread(target=threading.Event().wait).start()", "spawn"),
        ("import PySide6.QtCore", "spawn"),
    ],
    ids=["one thread", "under nohup", "two threads", "Qt"],
)
def test_worker_processes_are_forked_from_a_single_thread_only(tmp_path, line, method):
    command = [sys.executable, "-c", FORKING, str(tmp_path), line]
    done = subprocess.run(command, capture_output=True, timeout=600, check=False, text=True)
    assert done.stdout.split() == [method], done.stderr
    if method == "fork":  # a function of the program itself cannot be imported by a spawned process
        is_ignored = "SIGHUP" in line or signal.getsignal(signal.SIGHUP) is signal.SIG_IGN  # of tests under nohup
        ignored = "SIG_IGN" if is_ignored else "SIG_DFL"
        expected = f"SIG_IGN SIG_DFL {ignored}"
        assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": expected, "b": expected}
        assert done.stderr == ""


@needs_semaphores
def test_a_worker_that_ends_is_ignored(tmp_path):
    run_in_processes(_end_process, [tmp_path, tmp_path], _no_report, jobs=2)


@needs_semaphores
def test_an_error_in_the_report_ends_the_workers(tmp_path):
    import multiprocessing

    def cancel(n_done):
        raise KeyboardInterrupt

    before = set(multiprocessing.active_children())
    with pytest.raises(KeyboardInterrupt):
        run_in_processes(_write_name, [tmp_path / "a", tmp_path / "b"], cancel, jobs=2)
    deadline = time.monotonic() + 60
    while set(multiprocessing.active_children()) - before:
        assert time.monotonic() < deadline
        time.sleep(0.02)


COPYING = """
import os, sys, time
from pathlib import Path
from shrec_viewer.evaluation.parallel.local import run_in_copies

folder, parent = Path(sys.argv[1]), os.getpid()

def write_process(number):
    while os.getpid() == parent and not any(folder.iterdir()):  # a copy writes the first file
        time.sleep(0.01)
    (folder / str(number)).write_text("parent" if os.getpid() == parent else "copy")
    if os.getpid() != parent:
        exec(sys.argv[2])

print(run_in_copies(write_process, 6, lambda number: None, jobs=3))
"""


def processes_of_copies(folder: Path, action: str = "pass"):
    """Result of `run_in_copies`, and the process that wrote each file; `action` is what copies do then."""
    command = [sys.executable, "-c", COPYING, str(folder), action]
    done = subprocess.run(command, capture_output=True, timeout=600, check=True, text=True)
    assert done.stderr == ""
    return done.stdout.strip(), {path.name: path.read_text() for path in folder.iterdir()}


@needs_semaphores
@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_copies_of_the_process_call_any_function(tmp_path):
    result, found = processes_of_copies(tmp_path)
    assert result == "True"
    assert sorted(found) == list("012345")
    assert "copy" in found.values()


@needs_semaphores
@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
@pytest.mark.parametrize("action", ["raise OSError", "os._exit(3)"])
def test_a_copy_that_ends_early_is_reported(tmp_path, action):
    assert processes_of_copies(tmp_path, action)[0] == "False"


def test_where_the_process_cannot_be_copied_it_makes_all_calls(monkeypatch):
    monkeypatch.setattr(local, "_may_fork", lambda: False)
    called, reported = [], []
    assert run_in_copies(called.append, 4, reported.append, jobs=3)
    assert called == reported == [0, 1, 2, 3]


def test_available_cores_is_positive():
    assert available_cores() >= 1


def test_large_runs_are_parsed_into_the_cache(tmp_path, monkeypatch):
    """The same benchmark with and without; a second reading starts no process; without a cache nothing is parsed."""
    root = tmp_path / "contest"
    (root / "runs").mkdir(parents=True)
    (root / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\n")
    for name in ("A", "B", "C"):
        (root / f"runs/{name}.run").write_text(f"q1 Q0 a 1 .9 {name}\nq1 Q0 b 2 .5 {name}\n")
    monkeypatch.setattr(reading, "LARGE_TEXT_BYTES", 10)
    monkeypatch.setattr(trec, "LARGE_TEXT_BYTES", 10)
    calls = []

    def runner(function, tasks, report):
        calls.append(sorted(task.path.name for task in tasks))
        report(0)
        for task in tasks:
            function(task)

    cache = ParseCache(tmp_path / "cache")
    plain = read_benchmark(root)
    read_benchmark(root, run_in_processes=runner)
    assert calls == []
    for _ in range(2):
        found = read_benchmark(root, cache=cache, run_in_processes=runner)
        assert [run.name for run in found.runs] == ["A", "B", "C"]
        assert found.findings == plain.findings
        for run, other in zip(found.runs, plain.runs, strict=True):
            np.testing.assert_array_equal(run.ranking.items, other.ranking.items)
            np.testing.assert_array_equal(run.ranking.distances, other.ranking.distances)
    assert calls == [["A.run", "B.run", "C.run"]]


def test_the_command_gives_the_same_scores_with_several_jobs(capsys, monkeypatch):
    from shrec_viewer.cli.program import run

    monkeypatch.setattr(evaluation, "MIN_THREADED", 0)
    texts = []
    for jobs in ("1", "3"):
        assert run(["evaluate", "demo", "--format", "json", "--per-query", "--jobs", jobs]) in (0, 1)
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] != ""
    assert run(["evaluate", "demo", "--jobs", "0"]) == 2


@pytest.fixture(scope="module")
def all_kinds(tmp_path_factory):
    """A benchmark with three runs of each kind, some of them with faults."""
    root = tmp_path_factory.mktemp("all kinds")
    random = np.random.default_rng(20)
    models = [f"m{number:02d}" for number in range(24)]
    tree = ["PSB 1", "4 24"]
    for label in range(4):
        tree += ["", f"class{label} 0 6", *models[6 * label : 6 * label + 6]]
    (root / "classification.cla").write_text("\n".join(tree) + "\n")
    (root / "runs").mkdir()
    for number in range(3):
        scores = random.random((24, 24)).round(2)
        np.save(root / f"runs/N{number}.npy", scores.astype(np.float32))
        np.savetxt(root / f"runs/T{number}.txt", scores, "%.2f")
        lines = []
        for query, row in enumerate(scores):
            for rank, model in enumerate(np.argsort(row, kind="stable"), 1):
                name = "stranger" if (number, query, rank) == (1, 3, 5) else models[model]
                lines.append(f"{models[query]} Q0 {name} {rank} {-row[model]} t\n")
        (root / f"runs/R{number}.run").write_text("".join(lines))
        (root / f"runs/L{number}").mkdir()
        for query, row in enumerate(scores[: 24 - number]):
            listed = [f"{models[model]} {row[model]}\n" for model in np.argsort(row, kind="stable")]
            (root / f"runs/L{number}/{models[query]}").write_text("".join(listed))
    with (root / "runs/R2.run").open("a") as file:
        file.write("a line of other words\n")
    (root / "runs/R9.run").write_text("m00 Q0 other 1 1.0 t\nm00 Q0 another 2 0.5 t\n")
    return root


@pytest.mark.parametrize("kind", "NL")
def test_runs_are_ranked_in_threads_if_one_is_long(all_kinds, monkeypatch, kind):
    """The longest runs of each kind have 24 x 24 distances or lines."""
    used, benchmark = [], read_benchmark(all_kinds)
    monkeypatch.setattr(evaluation, "thread_map", lambda jobs: used.append(jobs) or thread_map(jobs))
    names = [run.name for run in benchmark.runs if run.name[0] == kind]
    for shortest in (24 * 24 + 1, 24 * 24):
        monkeypatch.setattr(evaluation, "MIN_THREADED", shortest)
        evaluate(benchmark, find_profile("psb"), runs=names, jobs=3)
    evaluate(benchmark, find_profile("psb"), runs=names)
    assert used == [1, 3, 1]


def test_every_kind_of_run_is_equal_for_every_number_of_jobs(all_kinds, monkeypatch):
    monkeypatch.setattr(evaluation, "MIN_THREADED", 0)
    profile = find_profile("psb")
    plain = read_benchmark(all_kinds)
    assert {run.name[0] for run in plain.runs} == set("NTRL")
    assert len(plain.runs) == 12
    expected = evaluate(plain, profile)
    for jobs in (2, 5):
        scores = evaluate(plain, profile, jobs=jobs)
        assert scores.raw_values.tobytes() == expected.raw_values.tobytes()
        for one, other in zip(scores.hits, expected.hits, strict=True):
            np.testing.assert_array_equal(one.ranks, other.ranks)
