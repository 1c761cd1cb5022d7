"""Usage errors are reported before any work; long work without a terminal reports its progress."""

import re
import sys
from pathlib import Path

import pytest
from tiny_benchmark import write_tiny

from shrec_viewer import __version__
from shrec_viewer.cli import main, terminal

SHAPENET = "id,synsetId,subSynsetId,modelId,split\n"


@pytest.fixture
def tiny(tmp_path):
    return write_tiny(tmp_path / "tiny")


@pytest.fixture
def call(capsys):
    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


@pytest.mark.parametrize("command", [("evaluate",), ("compare",), ("check",)])
def test_unwritable_output_is_reported_before_work_starts(command, call, tiny, tmp_path, monkeypatch):
    monkeypatch.setattr("shrec_viewer.formats.discovery.benchmark.read_benchmark", pytest.fail)
    status, out, err = call(*command, tiny, "--output", tmp_path / "nowhere/out.csv")
    assert (status, out) == (2, "")
    assert "No such file or directory" in err


def test_a_run_is_not_compared_with_itself(call, tiny):
    status, out, err = call("compare", tiny, "good", "good")
    assert (status, out) == (2, "")
    assert "'good' is given twice" in err


def test_similar_options_are_suggested(call):
    assert call("--bogus")[2].startswith("shrec-viewer: No such option '--bogus'.\n")
    assert "'--output'" in call("evaluate", "--outptu")[2]


def test_short_option_prints_the_version(call):
    assert call("-V")[1] == f"shrec-viewer {__version__}\n"


def test_the_root_of_a_disk_is_refused_at_once(call):
    status, _, err = call("evaluate", Path(sys.executable).anchor)
    assert status == 1
    assert "is the root of a disk; open the folder of one benchmark" in err


def test_long_work_without_terminal_is_announced(call, tiny, monkeypatch):
    monkeypatch.setattr(terminal, "FIRST_PROGRESS_S", 0.0)
    monkeypatch.setattr("shrec_viewer.formats.discovery.listing.PROGRESS_FROM_ENTRIES", 1)
    _, _, err = call("evaluate", tiny, "--measure", "AP")
    assert re.search(r"^shrec-viewer: reading: [0-9,]+ files listed$", err, re.MULTILINE)


def test_short_work_is_not_announced(call, tiny):
    assert "reading" not in call("evaluate", tiny, "--measure", "AP")[2]


def shapenet(folder):
    """Two splits with lists for both."""
    for split, numbers in (("test", range(6)), ("val", range(6, 12))):
        rows = [f"{number:06d},s{number % 2},s{number % 2}a,x{number},{split}\n" for number in numbers]
        (folder / f"{split}.csv").write_text(SHAPENET + "".join(rows), encoding="utf-8")
        lists = folder / "Author_Method" / f"{split}_normal"
        lists.mkdir(parents=True)
        for number in numbers:
            text = "".join(f"{other:06d} {abs(other - number)}.0\n" for other in numbers)
            (lists / f"{number:06d}").write_text(text, encoding="utf-8")
    return folder


def test_shapenet_is_suggested_and_another_split_is_reported(call, tmp_path):
    status, out, err = call("check", shapenet(tmp_path))
    assert status == 0
    assert "no profile given; this looks like SHREC 2017, ShapeNet Core55: --profile shrec2017" in err
    said = "Author_Method/val_normal: warning: 6 rank lists for the models of 'val.csv', which is not used"
    assert said in out
    assert "--classification val.csv --runs Author_Method/val_normal" in out
    other = ("--classification", tmp_path / "val.csv", "--runs", tmp_path / "Author_Method/val_normal")
    assert call("evaluate", tmp_path, *other)[0] == 0


def test_folder_without_lists_names_its_contents(call, tiny, tmp_path):
    letters = tmp_path / "letters"
    letters.mkdir()
    (letters / "a.txt").write_text("Dear reader, nothing here\n", encoding="utf-8")
    _, out, _ = call("check", tiny, "--runs", letters)
    assert "no file in it is named after a query: for example 'a.txt', while 'b1' is a query" in out


def test_large_unrelated_folder_is_refused_without_manifest(call, tiny, monkeypatch):
    monkeypatch.setattr("shrec_viewer.formats.discovery.recognition.UNKNOWN_FILES_LIMIT", 100)
    for number in range(200):
        (tiny / f"lib{number}.py").write_text("import this, and that\nprint(1) # no ids here\n", encoding="utf-8")
    assert call("check", tiny)[0] == 0
    (tiny / "benchmark.toml").unlink()
    status, out, _ = call("check", tiny)
    assert status == 1
    assert "of the first 201 files, 200 are of no known format" in out
    assert "open the folder of one benchmark, or describe this one in a benchmark.toml" in out
