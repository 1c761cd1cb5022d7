"""What a finding in doubt tells a person to write settles it: on the command line, and in a `benchmark.toml`."""

import json
import re
import shlex

import numpy as np
import pytest
from made_folders import IDS, NATURAL, QUERIES, benchmark_files, cla, distances, list_files, matrix_text, qrels, write

from shrec_viewer import cli
from shrec_viewer.formats.discovery.benchmark import read_benchmark

NUMBERS = tuple(str(number) for number in range(1, 25))


def numbered_lists():
    """Lists whose columns both hold whole numbers that are ids, in no order."""
    random = np.random.default_rng(2)
    return {
        f"runs/A/{query}": "".join(
            f"{one} {other}\n"
            for one, other in zip(random.permutation(NUMBERS), random.permutation(NUMBERS), strict=True)
        )
        for query in QUERIES
    }


DOUBTS = {
    "order": {"models.cla": cla(), "runs/M.txt": matrix_text(np.random.default_rng(1).random((24, 24)))},
    "direction": {
        **{name: text for name, text in benchmark_files().items() if name != "truth.txt"},
        "truth.txt": qrels(),
        "runs/M.txt": matrix_text(-distances(QUERIES, NATURAL)),
    },
    "diagonal": {"models.cla": cla(), "M.txt": matrix_text(1 - distances(NATURAL, NATURAL))},
    "columns": {"models.cla": cla(ids=NUMBERS), "truth.txt": qrels().replace(" N", " "), **numbered_lists()},
    "assessment": {**benchmark_files(), "other.txt": qrels(), **list_files()},
    "classification": {**benchmark_files(), "other.cla": cla(ids=IDS[::-1]), **list_files()},
}


def in_doubt(findings):
    return [finding for finding in findings if ", or in benchmark.toml: " in finding["action"]]


@pytest.fixture
def check(capsys):
    def call(*arguments):
        cli.main(["check", *map(str, arguments), "--format", "json"])
        return json.loads(capsys.readouterr().out)["findings"]

    return call


@pytest.mark.parametrize("name", DOUBTS)
def test_a_doubt_is_settled_by_what_its_finding_says(name, tmp_path, check, monkeypatch):
    folder = write(tmp_path, DOUBTS[name])
    before = in_doubt(check(folder))
    assert before, [str(finding) for finding in read_benchmark(folder).findings]
    finding = before[-1]
    option, line = re.search(": (--.*), or in benchmark.toml: (.*)$", finding["action"]).groups()
    monkeypatch.chdir(folder)
    assert finding not in check(folder, *shlex.split(option))
    (folder / "benchmark.toml").write_text(line + "\n")
    after = check(folder)
    assert finding not in after
    assert not [other for other in after if other["file"] == "benchmark.toml"]
    assert len(in_doubt(after)) < len(before) or name in ("assessment", "classification")


@pytest.mark.parametrize(("option", "value"), [("--similarity", True), ("--distance", False)])
def test_what_the_call_says_comes_before_what_the_file_says(option, value, tmp_path, check):
    folder = write(tmp_path, DOUBTS["diagonal"])
    (folder / "benchmark.toml").write_text(f'runs = [{{path = "M.txt", similarity = {str(not value).lower()}}}]\n')
    out = tmp_path / "out.npy"
    assert cli.main(["convert", str(folder), "--to", "npy", "--output", str(out), option]) == 0
    assert bool((np.load(out) < 0).any()) == value
