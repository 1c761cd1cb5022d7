"""What would be read for ever, or would never begin, is refused with a sentence wherever it is named."""

import os
import signal
from pathlib import Path

import pytest
from made_folders import benchmark_files, list_files, write

from shrec_viewer import cli
from shrec_viewer.domain import FormatError
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.discovery.reader_table import READERS
from shrec_viewer.formats.manifest.parts import BenchmarkParts
from shrec_viewer.formats.preview.preview import preview

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")

WHY = "is a device or a pipe, not a file"
LIMIT_S = 20
"""Seconds after which a reader counts as waiting for ever."""


@pytest.fixture(autouse=True)
def impatient():
    before = signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(LIMIT_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def _give_up(*_):
    raise AssertionError("it waits for ever")


@pytest.fixture(params=["pipe", "pipe.cla", "pipe.toml", "pipe.zip", "pipe.npy", "pipe.mat", "/dev/zero", "/dev/tty"])
def odd(request, tmp_path):
    path = Path(request.param)
    if not path.is_absolute():
        path = tmp_path / path
        os.mkfifo(path)
    return path


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.key)
def test_by_every_reader(reader, odd):
    with pytest.raises(FormatError, match=WHY):
        reader.read(odd)


def test_as_a_benchmark_and_in_a_preview(odd):
    for look in (read_benchmark, preview):
        with pytest.raises(FormatError) as caught:
            look(odd)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("part", ["classification", "queries", "assessment", "models", "runs"])
def test_as_a_part(part, odd, tmp_path):
    folder = write(tmp_path / "b", {**benchmark_files(), **list_files()})
    with pytest.raises(FormatError, match=WHY):
        read_benchmark(folder, BenchmarkParts(**{part: odd}))


def test_in_a_folder_and_in_a_manifest(tmp_path):
    folder = write(tmp_path / "b", {**benchmark_files(), **list_files()})
    os.mkfifo(folder / "runs/A1/Q99")
    os.mkfifo(folder / "truth")
    (folder / "benchmark.toml").write_text('[assessment]\nqrels = "truth"\n[[runs]]\npath = "runs/A1"\n')
    found = read_benchmark(folder)
    reported = [str(finding) for finding in found.findings]
    assert "runs/A1/Q99: warning: is a device or a pipe, not a file; ignored" in reported
    assert f"truth: error: {WHY}; ignored" in reported
    assert len(found.runs) == 1


def test_on_the_command_line(odd, capsys):
    assert cli.main(["check", str(odd)]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"{odd}: error: ")
    assert out.count("\n") == 1
