"""What the system lacks is one sentence and status 1: memory, open files, interrupted calls, a writable home."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tiny_benchmark import write_tiny

from shrec_viewer import shortages
from shrec_viewer.cli import main
from shrec_viewer.shortages import shortage

resource = pytest.importorskip("resource", reason="limits of processes are those of POSIX")

ROOT = Path(__file__).parents[2]

LIMITED = """
import resource, sys
from shrec_viewer.cli import main
import shrec_viewer.cli.scores.evaluate
import numpy
kind, number, *words = sys.argv[1:]
if kind == "memory":
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + int(number),) * 2)
else:
    resource.setrlimit(resource.RLIMIT_NOFILE, (int(number),) * 2)
sys.exit(main(words))
"""


def _call(*words, code=LIMITED, **variables):
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", **variables}
    command = [sys.executable, *(("-m", "shrec_viewer") if code is None else ("-c", code)), *map(str, words)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT, timeout=120)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the size of a process is read from /proc")
def test_too_little_memory_is_one_sentence(tmp_path):
    folder = write_tiny(tmp_path / "tiny")
    (folder / "benchmark.toml").unlink()
    np.save(folder / "runs" / "large.npy", np.zeros((1900, 1900)))
    done = _call("memory", 12_000_000, "evaluate", folder)
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if "memory" in line]
    assert line.startswith(f"shrec-viewer: {shortages.MEMORY}")
    assert "unexpected" not in done.stderr
    assert "Traceback" not in done.stderr


def test_too_many_open_files_is_one_sentence():
    done = _call("files", 4, "thumbnails", "demo")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"shrec-viewer: {shortages.OPEN_FILES}"
    assert "unexpected" not in done.stderr


@pytest.mark.parametrize("home", ["/dev/null", "/proc/nothing"])
def test_scores_need_no_home(home, tmp_path):
    folders = dict.fromkeys(("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), "")
    done = _call("evaluate", write_tiny(tmp_path / "tiny"), code=None, HOME=home, **folders)
    assert done.returncode == 0
    assert "good" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), shortages.MEMORY),
        (MemoryError("Unable to allocate 3 GiB"), f"{shortages.MEMORY}: unable to allocate 3 GiB"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), shortages.MEMORY),
        (ImportError("a.so: failed to map segment from shared object"), shortages.MEMORY),
        (OSError(errno.EMFILE, "Too many open files", "a.npy"), shortages.OPEN_FILES),
        (OSError(errno.ENFILE, "Too many open files in system"), shortages.OPEN_FILES),
        (InterruptedError(errno.EINTR, "Interrupted system call"), shortages.SENTENCES[errno.EINTR]),
        (RuntimeError("can't start new thread"), shortages.THREADS),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), shortages.THREADS),
        (
            PermissionError(errno.EACCES, "Permission denied", "/a/benchmark.toml"),
            "/a/benchmark.toml: permission denied",
        ),
        (OSError(errno.ENOENT, "No such file"), None),
        (ValueError("too many open files"), None),
    ],
)
def test_shortages_are_named(error, sentence):
    assert shortage(error) == sentence


@pytest.mark.parametrize("error", [MemoryError(), OSError(errno.EMFILE, "Too many open files")])
def test_a_shortage_during_the_imports_is_a_sentence(error, monkeypatch, capsys):
    def fails(_):
        raise error

    monkeypatch.setattr("shrec_viewer.cli.program.run", fails)
    assert main(["evaluate"]) == 1
    assert capsys.readouterr().err == f"shrec-viewer: {shortage(error)}\n"
    error = ValueError("a fault")
    with pytest.raises(ValueError, match="a fault"):
        main(["evaluate"])
