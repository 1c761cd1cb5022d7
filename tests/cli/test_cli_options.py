"""Help without numpy, the cache of parsed files, converted runs that are read as further runs, truncated files."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tiny_benchmark import write_tiny

from shrec_viewer.cli.program import COMMANDS, run
from shrec_viewer.evaluation import evaluate
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.matrices import matrix, text_matrix


def test_help_imports_no_numpy():
    """Of the program and of every command: it lists the values of options, which modules without numpy define.

    The options of figures and tables are fields of the requests of functions over numpy.
    """
    calls = [["--help"], *([name, "--help"] for name in COMMANDS if name not in ("figure", "table", "export"))]
    script = (
        f"import sys\nfrom shrec_viewer.cli import main\nstatuses = [*map(main, {calls})]\n"
        "print('RESULT', *statuses, 'numpy' in sys.modules)\n"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines()[-1] == f"RESULT {'0 ' * len(calls)}False"


@pytest.mark.parametrize("kind", ["file", "process", "device"])
def test_cache_that_cannot_be_written_is_reported_once(kind, tmp_path, monkeypatch, capsys):
    """Two large texts are read without the cache: the scores are the same, and there is one message."""
    folder = write_tiny(tmp_path / "tiny")
    rows = "0 1 2 3 4\n1 0 2 3 4\n1 2 0 3 4\n4 3 2 0 1\n4 3 2 1 0\n"
    for name in ("M.txt", "N.txt"):
        (folder / "runs" / name).write_text(rows)
    assert run(["evaluate", str(folder), "--measure", "AP"]) == 0
    expected = capsys.readouterr()
    monkeypatch.setattr(text_matrix, "LARGE_TEXT_BYTES", 1)
    (tmp_path / "file").touch()
    cache = {"file": tmp_path / "file", "process": Path("/proc/nowhere"), "device": Path("/dev/full")}[kind]
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    assert run(["evaluate", str(folder), "--measure", "AP"]) == 0
    found = capsys.readouterr()
    assert found.out == expected.out
    (line,) = set(found.err.splitlines()) - set(expected.err.splitlines())
    parsed = cache / "shrec-viewer" / "parsed"
    assert line.startswith(f"shrec-viewer: large files are parsed each time: {parsed} cannot be written (")
    assert found.err.count("parsed each time") == 1


@pytest.mark.parametrize(("target", "name"), [("trec", "new.run"), ("npy", "new.npy"), ("ranklist", "runs/new")])
def test_run_converted_into_the_benchmark_is_announced_with_the_line_that_excludes_it(target, name, tmp_path, capsys):
    folder = write_tiny(tmp_path / "tiny")
    convert = ["convert", str(folder), "--run", "good", "--to", target, "--output"]
    assert run([*convert, str(tmp_path / "elsewhere")]) == 0
    assert "another run" not in capsys.readouterr().err
    assert run([*convert, str(folder / name)]) == 0
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "another run" in line]
    assert line == (
        f"shrec-viewer: {folder / name}: is in the folder of the benchmark and read as another run; to exclude it, "
        f"write it elsewhere or add to {folder / 'benchmark.toml'}, in [benchmark]: only_listed_runs = true"
    )
    assert "new" in [found.name for found in read_benchmark(folder).runs]
    text = (folder / "benchmark.toml").read_text()
    (folder / "benchmark.toml").write_text(text.replace("[benchmark]", f"[benchmark]\n{line.split(': ')[-1]}"))
    assert [found.name for found in read_benchmark(folder).runs] == ["good", "poor"]
    assert run(["convert", str(folder), "--run", "good", "--to", target, "--output", str(folder / "again")]) == 0
    assert "another run" not in capsys.readouterr().err


def test_run_converted_into_a_folder_without_description_is_announced(tmp_path, capsys):
    folder = write_tiny(tmp_path / "tiny")
    (folder / "benchmark.toml").unlink()
    command = ["convert", str(folder), "--run", "good", "--to", "trec", "--output", str(folder / "new.run")]
    assert run(command) == 0
    assert "only_listed_runs = true, and [[runs]] with the name and path of each other run" in capsys.readouterr().err
    assert run([*command, "--runs", str(folder / "runs"), "--force"]) == 0
    assert "another run" not in capsys.readouterr().err  # not in the folder of runs


def test_large_matrix_that_is_truncated_before_it_is_evaluated_is_an_error(tmp_path, monkeypatch, capsys):
    folder = write_tiny(tmp_path / "tiny")
    path = folder / "runs" / "M.npy"
    np.save(path, 1.0 - np.eye(5))
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    ranked_hits = evaluate.ranked_hits

    def truncate_and_rank(*args, **options):
        os.truncate(path, 200)
        return ranked_hits(*args, **options)

    monkeypatch.setattr(evaluate, "ranked_hits", truncate_and_rank)
    assert run(["evaluate", str(folder), "--measure", "AP"]) == 1
    found = capsys.readouterr()
    assert found.out == ""
    message = f"{path}: changed after it was opened: its size went from 328 to 200 bytes; its new content is not used"
    assert f"shrec-viewer: {message}" in found.err.splitlines()
