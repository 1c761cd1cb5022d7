"""Commands on the workers of a scheduler: the same output as without, and messages when it is lost."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from shrec_viewer.cli.program import run
from shrec_viewer.evaluation.parallel import cluster
from shrec_viewer.evaluation.parallel.cluster import ClusterRanking
from shrec_viewer.formats.matrices import matrix
from shrec_viewer.render.thumbnails.cache import cache_folder, read_limit, write_limit

N_MODELS = 24


@pytest.fixture(scope="module")
def address():
    """A scheduler with two workers in threads of this process."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as found:
        yield found.scheduler_address


@pytest.fixture
def contest(tmp_path, monkeypatch):
    """Two matrices that are read by rows, as large ones are, of models with meshes."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    monkeypatch.setattr(cluster, "TASK_BYTES", 8 * N_MODELS * 5)  # tasks of 5 rows
    monkeypatch.setattr(cluster, "MODELS_PER_TASK", 10)
    root = tmp_path / "contest"
    (root / "models").mkdir(parents=True)
    lines = ["PSB 1", f"2 {N_MODELS}"]
    for name, start in (("cat", 0), ("dog", N_MODELS // 2)):
        lines += [f"{name} 0 {N_MODELS // 2}", *(f"m{start + number}" for number in range(N_MODELS // 2))]
    (root / "a.cla").write_text("\n".join(lines) + "\n")
    for number in range(N_MODELS):
        points = f"0 0 0\n1 0 0\n0 1 0\n0 0 {number + 1}\n"
        (root / "models" / f"m{number}.off").write_text(f"OFF\n4 4 0\n{points}3 0 1 2\n3 0 1 3\n3 1 2 3\n3 0 2 3\n")
    for number, name in enumerate("AB"):
        values = np.random.default_rng(number).integers(0, 9, (N_MODELS, N_MODELS)).astype(np.float32)
        np.fill_diagonal(values, 0)
        np.save(root / f"{name}.npy", values)
    return root


@pytest.fixture
def n_ranked(monkeypatch):
    """Number of matrices that were ranked on workers."""
    found = []
    on_workers = ClusterRanking._on_workers
    monkeypatch.setattr(ClusterRanking, "_on_workers", lambda *arguments: found.append(1) or on_workers(*arguments))
    return found


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "--format", "json"),
        ("evaluate", "--format", "csv", "--per-query"),
        ("evaluate", "--ties", "range"),
        ("compare", "--format", "json"),
    ],
    ids=" ".join,
)
def test_the_output_is_that_without_a_scheduler(contest, address, capsysbinary, n_ranked, command):
    name, *options = command
    assert run([name, str(contest), *options]) == 0
    expected = capsysbinary.readouterr().out
    assert n_ranked == []
    assert run([name, str(contest), *options, "--scheduler", address]) == 0
    assert capsysbinary.readouterr().out == expected != b""
    assert len(n_ranked) == 2


def test_thumbnails_are_those_without_a_scheduler(contest, address, capsys, tmp_path, monkeypatch):
    def content():
        with closing(sqlite3.connect(cache_folder() / "thumbnails.sqlite")) as connection:
            return sorted(connection.execute("SELECT key, webp, notes FROM thumbnails"))

    options = ["--size", "32", "--renderer", "software"]
    assert run(["thumbnails", str(contest), *options, "--scheduler", address]) == 0
    assert f"{N_MODELS} drawn, 0 cached" in capsys.readouterr().err
    found = content()
    assert run(["thumbnails", str(contest), *options]) == 0
    assert f"0 drawn, {N_MODELS} cached" in capsys.readouterr().err
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    assert run(["thumbnails", str(contest), *options]) == 0
    assert found == content()


@pytest.mark.parametrize("is_local", [True, False])
def test_thumbnails_beyond_the_limit_of_the_cache_are_counted(contest, address, capsys, is_local):
    options = ["--renderer", "software", *([] if is_local else ["--scheduler", address])]
    write_limit(cache_folder(), 60_000)
    assert run(["thumbnails", str(contest), *options]) == 0
    lines = capsys.readouterr().err.splitlines()
    with closing(sqlite3.connect(cache_folder() / "thumbnails.sqlite")) as connection:
        ((n_kept,),) = connection.execute("SELECT COUNT(*) FROM thumbnails")
    assert 0 < n_kept < N_MODELS
    expected = f"{N_MODELS - n_kept} thumbnails were deleted from the cache, whose limit is 0.1 MB; "
    assert sum(expected in line for line in lines) == 1
    assert run(["cache", "--limit", "10"]) == 0
    assert read_limit(cache_folder()) == 10_000_000
    assert run(["thumbnails", str(contest), *options]) == 0
    assert "deleted" not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["evaluate", "compare", "thumbnails"])
def test_a_scheduler_that_does_not_answer_is_one_message(contest, capsys, monkeypatch, command):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    assert run([command, str(contest), "--scheduler", "tcp://127.0.0.1:9"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert sum("no scheduler answers at 'tcp://127.0.0.1:9'" in line for line in lines) == 1
    assert not any("Traceback" in line for line in lines)
