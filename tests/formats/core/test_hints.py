"""The option and the lines of benchmark.toml that a finding suggests settle it, also in a file that exists."""

import json
import re
import shlex

import numpy as np
import pytest
from made_folders import IDS, NATURAL, QUERIES, benchmark_files, cla, distances, list_files, matrix_text, qrels, write

from shrec_viewer import cli
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.render.workers import model_readers

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


def own_first(name):
    """All other models, after the model itself for some."""
    return [name] * (name < "N2") + [other for other in NATURAL if other != name]


def pair_lines():
    return [
        f"{query},{model},{value:.6f}\n"
        for query, row in zip(QUERIES, distances(QUERIES, NATURAL).tolist(), strict=True)
        for model, value in zip(NATURAL, row, strict=True)
    ]


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
    "pairs without a header": {**benchmark_files(), "A.csv": "".join(pair_lines())},
    "query line": {
        "models.cla": cla(),
        **{f"runs/A/{name}": "".join(f"{other}\n" for other in own_first(name)) for name in NATURAL},
    },
    "list of queries": {"models.cla": cla(), "queries.txt": "".join(f"{name}\n" for name in NATURAL[3:11])},
    "rank numbers": {
        "models.cla": cla(),
        "M.txt": matrix_text(np.argsort(np.argsort(distances(NATURAL, NATURAL), 1), 1)),
    },
    "classification": {**benchmark_files(), "other.cla": cla(ids=IDS[::-1]), **list_files()},
}


README = """# SHREC 2006, as in the README of the program
[benchmark]
name = "SHREC 2006"
profile = "default"

[collection]
{models}

[queries]                              # omit this table if the collection queries itself

[[runs]]
name = "L1"
participant = "Laga"
path = "{run}"                       # folder of rank lists, TREC file, or matrix
{keys}

[camera]                               # camera of thumbnails and 3D view
up = "Z"
"""


def in_doubt(findings):
    """Findings with a setting of benchmark.toml or an option for reading; conventions do not settle them."""
    settings = [(finding, finding["setting"]) for finding in findings if finding["setting"] is not None]
    return [finding for finding, setting in settings if not setting["option"].startswith("--convention")]


def paste(text, setting, name="benchmark.toml"):
    """The document with the suggested lines where the finding says."""
    lines = text.splitlines()
    place = re.fullmatch(rf"in {re.escape(name)}(?: (below|instead of) line ([0-9]+))?", setting["place"])
    assert place is not None
    if place[1] is None:
        return "\n".join([*lines, *setting["lines"], ""])
    at = int(place[2])
    return "\n".join([*lines[: at if place[1] == "below" else at - 1], *setting["lines"], *lines[at:], ""])


@pytest.fixture
def check(capsys, monkeypatch):
    """Findings of ``shrec-viewer check``, meshes left out: the processes that read them take 0.4 s to start."""
    monkeypatch.setattr(model_readers, "map_files", lambda *_, **__: {})

    def call(*arguments):
        cli.main(["check", *map(str, arguments), "--format", "json"])
        return json.loads(capsys.readouterr().out)["findings"]

    return call


@pytest.mark.parametrize("name", DOUBTS)
def test_option_and_lines_of_a_finding_settle_it(name, tmp_path, check, monkeypatch):
    folder = write(tmp_path, DOUBTS[name])
    before = in_doubt(check(folder))
    assert before, [str(finding) for finding in read_benchmark(folder).findings]
    finding = before[-1]
    option = finding["setting"]["option"]
    monkeypatch.chdir(folder)
    assert not option or finding not in check(folder, *shlex.split(option))
    (folder / "benchmark.toml").write_text(paste("", finding["setting"]))
    after = check(folder)
    assert finding not in after
    assert not [other for other in after if other["file"] == "benchmark.toml"]
    # The other reading of sound distances and ranks is below chance, which is a warning as well.
    others = ("assessment", "classification", "pairs without a header", "diagonal", "rank numbers", "order")
    assert len(in_doubt(after)) < len(before) or name in others


CLASSES = 'classification = "models.cla"'


@pytest.mark.parametrize("known", ["no key", "other key", "same key"])
@pytest.mark.parametrize("name", DOUBTS)
def test_the_lines_can_be_pasted_into_a_file_like_that_of_the_readme(name, known, tmp_path, check):
    folder = write(tmp_path, DOUBTS[name])
    paths = {"assessment": "runs/A1", "classification": "runs/A1", "columns": "runs/A", "query line": "runs/A"}
    paths |= {"diagonal": "M.txt", "rank numbers": "M.txt", "pairs without a header": "A.csv", "list of queries": "."}
    models = {"no key": "", "other key": 'models = "."', "same key": ""}[known]
    if known == "same key" and name == "classification":
        models = 'classification = "other.cla"'
    keys = {"no key": "", "other key": "cells = 'distances'", "same key": ""}[known]
    text = README.format(models=models, run=paths.get(name, "runs/M.txt"), keys=keys)
    (folder / "benchmark.toml").write_text(text)
    before = in_doubt(check(folder))
    if known != "same key" or name != "classification":
        assert before
    for finding in before:
        (folder / "benchmark.toml").write_text(paste(text, finding["setting"]))
        after = check(folder)
        assert finding not in after, finding
        assert not [other for other in after if other["file"] == "benchmark.toml"], after


def test_other_runs_are_named_with_the_line_that_excludes_them(tmp_path, check):
    files = {**benchmark_files(), **list_files("runs/L1"), **list_files("runs/L2"), **list_files("runs/L3")}
    text = README.format(models="", run="runs/L1", keys="")
    folder = write(tmp_path, {**files, "benchmark.toml": text})
    assert [run.name for run in read_benchmark(folder).runs] == ["L1", "L2", "L3"]
    (finding,) = [found for found in check(folder) if "[[runs]]" in found["message"]]
    assert finding["message"] == "2 runs not named in [[runs]]: runs/L2, runs/L3"
    assert finding["setting"]["place"] == "in benchmark.toml below line 2"
    action = "read as well; otherwise only the named ones; to read it so: in benchmark.toml below line 2:\n"
    assert finding["action"].startswith(action)
    write(folder, {"benchmark.toml": paste(text, finding["setting"])})
    benchmark = read_benchmark(folder)
    assert [run.name for run in benchmark.runs] == ["L1"]
    (finding,) = [found for found in benchmark.findings if "[[runs]]" in found.message]
    assert (finding.action, finding.setting) == ("ignored, because of only_listed_runs", None)


@pytest.mark.parametrize(
    ("name", "text", "is_settled"),
    [
        ("diagonal", 'runs = [{path = "M.txt"}]\n', "by option"),
        ("query line", 'runs = [{path = "other"}]\n', "by option"),
        ("diagonal", 'benchmark.name = "x"\n[[runs]]\npath = "M.txt"\n', "by lines"),
        ("assessment", 'assessment = { qrels = "truth.txt" }\n', "already"),
        ("assessment", "assessment = {}\n", "by lines"),
        ("classification", 'collection.models = "."\n', "by lines"),
        ("classification", 'collection = {models = "."}\n', "by lines"),
    ],
)
def test_lines_fit_tables_in_one_line_and_dotted_keys(name, text, is_settled, tmp_path, check, monkeypatch):
    folder = write(tmp_path, {**DOUBTS[name], "benchmark.toml": text})
    monkeypatch.chdir(folder)
    before = in_doubt(check(folder))
    assert bool(before) == (is_settled != "already")
    for finding in before:
        setting = finding["setting"]
        assert bool(setting["lines"]) == (is_settled == "by lines")
        if not setting["lines"]:
            assert finding not in check(folder, *shlex.split(setting["option"]))
            continue
        (folder / "benchmark.toml").write_text(paste(text, setting))
        after = check(folder)
        assert finding not in after
        assert not [other for other in after if other["file"] == "benchmark.toml"], after


def test_one_line_tables_get_one_more_key(tmp_path, check):
    """Nothing can stand after a list or table in one line, so the key of all runs goes into it."""
    files = {**benchmark_files(), **list_files("runs/L1"), **list_files("runs/L2")}
    text = 'benchmark = { name = "x" }\nruns = [{path = "runs/L1"}]\n'
    folder = write(tmp_path, {**files, "benchmark.toml": text})
    (finding,) = [found for found in check(folder) if "[[runs]]" in found["message"]]
    assert finding["setting"]["lines"] == ['benchmark = { name = "x", only_listed_runs = true }']
    write(folder, {"benchmark.toml": paste(text, finding["setting"])})
    assert [run.name for run in read_benchmark(folder).runs] == ["L1"]


def test_lines_belong_to_the_file_that_was_opened(tmp_path, check):
    text = '[[runs]]\npath = "M.txt"\n'
    folder = write(tmp_path, {**DOUBTS["diagonal"], "contest.toml": text})
    finding = in_doubt(check(folder / "contest.toml"))[-1]
    assert finding["setting"]["place"] == "in contest.toml below line 1"
    (folder / "contest.toml").write_text(paste(text, finding["setting"], "contest.toml"))
    assert finding not in in_doubt(check(folder / "contest.toml"))


@pytest.mark.parametrize(("option", "value"), [("--similarity", True), ("--distance", False)])
def test_options_precede_the_manifest(option, value, tmp_path, check):
    folder = write(tmp_path, DOUBTS["diagonal"])
    (folder / "benchmark.toml").write_text(f'runs = [{{path = "M.txt", similarity = {str(not value).lower()}}}]\n')
    out = tmp_path / "out.npy"
    assert cli.main(["convert", str(folder), "--to", "npy", "--output", str(out), option]) == 0
    assert bool((np.load(out) < 0).any()) == value
