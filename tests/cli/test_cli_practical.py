"""The practical command: formats, conventions, messages and the list of pairs to judge."""

import csv
import json
import os
import sys
from io import StringIO
from pathlib import Path

import pytest
from tiny_benchmark import write_tiny

from shrec_viewer.cli import main
from shrec_viewer.evaluation.choices import JUDGED_SCOPE, SAMPLE_SIZE


@pytest.fixture
def tiny(tmp_path):
    return write_tiny(tmp_path / "tiny")


@pytest.fixture
def call(capsys):
    """Call the program; its status, standard output and standard error."""

    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


TABLES = """Precision and recall, scope 2
run   judged  precision  ranks per relevant       bounds  estimate  95 % interval  actual
good      10      0.800                 1.2  0.444-1.000     1.000    1.000-1.000   1.000
poor      10      0.000                   -  0.000-0.000     0.000    0.000-0.000   0.000

Generality, scope 2
run        bounds  estimate  95 % interval  actual
good  0.400-0.900     0.400    0.400-0.400   0.400
poor  0.000-0.500     0.400    0.400-0.400   0.400

Mean class size, scope 2
run    bounds  estimate  95 % interval  actual
good  1.6-3.6       1.6        1.6-1.6     1.6
poor  0.0-2.0       1.6        1.6-1.6     1.6
"""
"""Tiny has 20 pairs, 8 of them relevant: two other birds thrice, one other cat twice. Good has all in its scope."""


def test_help_states_the_defaults_of_the_evaluation(call):
    _, out, _ = call("practical", "--help-all")
    assert [f"[default: {value};" in " ".join(out.split()) for value in (JUDGED_SCOPE, SAMPLE_SIZE)] == [True, True]


def test_tables_of_a_complete_benchmark(call, tiny):
    status, out, err = call("practical", tiny, "--scope", 2)
    assert status == 0
    assert out == TABLES
    assert "profile used: Viewer default (default)" in err
    assert "the assessment has no models of level 0: it is complete" in err


def test_json_and_csv_hold_full_precision(call, tiny):
    _, out, _ = call("practical", tiny, "--scope", 2, "--sample", 8, "--format", "json", "--run", "good")
    document = json.loads(out)
    assert document["schema"] == "shrec-viewer/practical/1"
    assert (document["benchmark"], document["scope"], document["complete"]) == ("Tiny", 2, True)
    assert document["sample"] == {"requested": 8, "used": 8, "seed": 2006}
    (run,) = document["runs"]
    assert (run["name"], run["judged"], run["found"], run["pairs"]) == ("good", 10, 8, 20)
    assert run["recall"]["bounds"] == [8 / 18, 1.0]
    _, out, _ = call("practical", tiny, "--scope", 2, "--sample", 8, "--format", "csv", "--run", "good")
    (row,) = csv.DictReader(StringIO(out))
    assert float(row["recall_least"]) == 8 / 18
    assert [float(row["recall_low"]), float(row["recall_high"])] == run["recall"]["interval"]
    assert row["profile"] == "default"


@pytest.mark.parametrize(("suffix", "start"), [(".tex", "% \\usepackage{booktabs}"), (".md", "Precision and recall")])
def test_output_is_written_in_the_format_of_its_suffix(call, tiny, tmp_path, suffix, start):
    path = tmp_path / f"table{suffix}"
    status, out, _ = call("practical", tiny, "--output", path)
    assert (status, out) == (0, "")
    assert path.read_text().startswith(start)
    assert path.read_text().count("profile Viewer default") == 3


def test_conventions_change_the_values(call, tiny):
    _, out, _ = call("practical", tiny, "--scope", 2, "--convention", "self_match=keep", "--format", "json")
    document = json.loads(out)
    assert document["conventions"] == {"self_match": "keep"}
    assert document["runs"][0]["pairs"] == 25


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such file names")
def test_pairs_of_ids_that_are_not_utf8_are_written_as_they_are(call, tmp_path):
    """A file name that is not UTF-8 has lone surrogates as text; those of JSON are replaced by the reader."""
    models, lists = tmp_path / "benchmark" / "models", tmp_path / "benchmark" / "runs" / "good"
    models.mkdir(parents=True)
    lists.mkdir(parents=True)
    for name in (b"m\xff1", b"m2", b"m3"):
        Path(os.fsdecode(os.fsencode(models) + b"/" + name + b".off")).write_text("OFF\n0 0 0\n")
        (lists / os.fsdecode(name)).write_text("m2\nm3\n")
    file = tmp_path / "pairs.txt"
    status, _, err = call("practical", tmp_path / "benchmark", "--scope", 2, "--sample", 4, "--to-judge", file)
    assert status == 0, err
    assert b"\nm\xff1 0 m2 ?\n" in file.read_bytes()


def test_pairs_to_judge_lead_to_estimates(call, tiny, tmp_path):
    """From a folder without a truth to estimates: list the pairs, judge them, evaluate."""
    (tiny / "benchmark.toml").write_text("[benchmark]\nname = 'Blind'\n[[runs]]\nname = 'good'\npath = 'runs/good'\n")
    (tiny / "tiny.cla").unlink()
    (tiny / "collection.txt").write_text("b1\nb2\nb3\nc1\nc2\n")
    lists = tmp_path / "pairs.txt"
    status, out, err = call("practical", tiny, "--to-judge", lists, "--scope", 2, "--sample", 4)
    assert (status, out) == (0, ""), err
    text = lists.read_text()
    assert f"pairs to judge: {text.count('?') - 1}" in err  # the heading contains one
    status, _, err = call("practical", tiny)
    assert status == 1
    assert "`--to-judge FILE` writes the pairs that it must contain" in err
    judged = "".join(
        line.replace("?", str(int(line[0] == line.split()[2][0]))) + "\n"
        for line in text.splitlines()
        if not line.startswith("#")
    )
    (tmp_path / "judged.txt").write_text(judged)
    options = ("--assessment", tmp_path / "judged.txt", "--scope", 2, "--sample", 4, "--format", "json")
    status, out, err = call("practical", tiny, *options)
    assert status == 0, err
    document = json.loads(out)
    assert not document["complete"]
    assert document["sample"]["used"] == 4
    run = document["runs"][0]
    assert (run["judged"], run["found"], run["precision"]) == (10, 8, 0.8)
    assert run["recall"]["bounds"] == [8 / 18, 1.0]
    assert "actual" not in run["recall"]


def test_missing_samples_are_announced(call, tiny, tmp_path):
    """The first of the four random pairs of b1 is b2, which is not judged; it has the last rank of poor."""
    (tmp_path / "judged.txt").write_text("b1 0 b3 1\nb1 0 c1 0\nb1 0 c2 0\n")
    status, out, err = call("practical", tiny, "--assessment", tmp_path / "judged.txt", "--run", "poor")
    assert status == 0
    assert "no estimates: no random pair is judged" in err
    assert "the first 0 of 4 random pairs are judged; `--to-judge FILE` writes the others" in err
    # Three of four ranks are judged, one model is relevant: the fourth may be so as well.
    assert out.splitlines()[2].split() == ["poor", "3", "0.333", "3.0", "0.500-1.000", "-", "0.500-1.000"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--run", "godo"), "there is no run 'godo'; do you mean 'good'?"),
        (("--scope", "0"), "0 is not in the range x>=1"),
        (("--profile", "nope"), "'nope'"),
    ],
)
def test_wrong_calls_are_refused(call, tiny, arguments, message):
    status, out, err = call("practical", tiny, *arguments)
    assert (status, out) == (2, "")
    assert message in err
