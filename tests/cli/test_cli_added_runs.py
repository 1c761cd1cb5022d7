"""Runs given with --add: beside those of the benchmark, and with options for reading of their own."""

import json
import zipfile

import numpy as np
import pytest
from tiny_benchmark import LISTS, write_tiny

from shrec_viewer.cli.options import with_repeated_add
from shrec_viewer.cli.program import COMMANDS, load_command, run

IDS = ("b1", "b2", "b3", "c1", "c2")

WITHOUT_RUNS = ("cache", "measures", "profiles", "plugins")
"""Commands without BENCHMARK."""


@pytest.fixture
def contest(tmp_path):
    """The tiny benchmark with distances that rank as its run "good"; next to it, the same as similarities."""
    folder = write_tiny(tmp_path / "tiny")
    ranks = np.array([[0, *(1 + LISTS["good"][q].split().index(m) for m in IDS if m != q)] for q in IDS])
    distances = np.empty((5, 5))
    for row, query in enumerate(IDS):
        others = [column for column, model in enumerate(IDS) if model != query]
        distances[row, others], distances[row, row] = ranks[row, 1:], 0
    np.save(folder / "runs" / "M.npy", distances)
    np.save(tmp_path / "S.npy", -distances)
    return folder


def means(capsys, *arguments):
    status = run(["evaluate", *map(str, arguments), "--measure", "AP", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    return status, {one["name"]: one["mean"]["AP"] for one in document["runs"]}, document["findings"]


def test_options_for_reading_apply_to_added_runs_alone(contest, capsys):
    _, own, _ = means(capsys, contest)
    assert own["M"] == own["good"] == 1
    status, scores, _ = means(capsys, contest, "--add", contest.parent / "S.npy", "--similarity")
    assert (status, scores) == (0, {**own, "S": 1.0})
    assert list(scores) == [*own, "S"], "after the runs of the benchmark"
    _, wrong, _ = means(capsys, contest, "--add", contest.parent / "S.npy", "--distance")
    assert wrong["S"] < 0.6
    assert wrong["M"] == 1


def test_without_added_runs_options_apply_to_the_runs_of_the_benchmark(contest, capsys):
    _, scores, _ = means(capsys, contest, "--similarity")
    assert scores["M"] < 0.6


def test_options_apply_to_replaced_and_added_runs(contest, capsys):
    (contest / "runs" / "M.npy").rename(contest.parent / "M.npy")
    given = ("--runs", contest.parent / "M.npy", "--add", contest.parent / "S.npy")
    _, scores, _ = means(capsys, contest, *given, "--similarity")
    assert list(scores) == ["M", "S"]
    assert scores["S"] == 1 > 0.6 > scores["M"]


def test_one_option_with_several_files_is_as_several_options(contest, capsys):
    other = contest.parent / "T.npy"
    np.save(other, np.load(contest.parent / "S.npy"))
    files = (contest.parent / "S.npy", other)
    once = means(capsys, contest, "--add", *files, "--similarity")
    assert once == means(capsys, contest, "--add", files[0], "--similarity", "--add", files[1])
    assert {"S", "T"} < set(once[1])


def test_only_existing_files_after_the_benchmark_are_further_values(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "contest"):
        (tmp_path / name).touch()
    assert with_repeated_add(["compare", "contest", "--add", "a", "b", "A1", "B2"]) == (
        ["compare", "contest", "--add", "a", "--add", "b", "A1", "B2"]
    )
    assert with_repeated_add(["demo", "--add", "a", "b"]) == ["demo", "--add", "a", "--add", "b"]
    for unchanged in (["evaluate", "--add", "a", "contest"], ["evaluate", "contest", "--runs", "a"], ["demo"], []):
        assert with_repeated_add(unchanged) == unchanged


def test_names_stay_distinct(contest, capsys):
    copy = contest.parent / "M.npy"
    np.save(copy, np.load(contest / "runs" / "M.npy"))
    _, scores, _ = means(capsys, contest, "--add", copy)
    assert list(scores)[-1] == "M (2)"
    assert scores["M (2)"] == scores["M"]


def test_runs_of_an_archive_are_added(contest, capsys):
    archive = contest.parent / "team.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name in ("X", "Y"):
            file.write(contest.parent / "S.npy", f"{name}.npy")
    _, scores, _ = means(capsys, contest, "--add", archive, "--similarity")
    assert (scores["X"], scores["Y"]) == (1, 1)


def test_a_file_that_is_no_run_is_an_error_and_the_others_are_scored(contest, capsys):
    _, own, _ = means(capsys, contest)
    wrong = contest.parent / "wrong.npy"
    np.save(wrong, np.zeros((2, 3)))
    status, scores, findings = means(capsys, contest, "--add", wrong)
    assert (status, scores) == (1, own)
    assert [finding["file"] for finding in findings if finding["severity"] == "error"] == [str(wrong)]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.npy", "", "is empty"),
        ("a.csv", ",;,\n;;\n", "has no rows"),
        ("a.json", '{"b1": ["b2"', "is not valid JSON"),
        ("a.json", '{"b1": 1}', "is neither a list of ids nor an object"),
        ("a.csv", "query,model,cosine\nb1,b2\nb2,b1\n", "its columns were taken for 'query': queries"),
    ],
)
def test_a_file_of_no_format_is_named_with_what_is_wrong(contest, capsys, name, text, message):
    path = contest.parent / name
    path.write_text(text)
    status, _, findings = means(capsys, contest, "--add", path)
    assert status == 1
    (finding,) = [one for one in findings if one["severity"] == "error" and one["file"] == str(path)][:1]
    assert message in finding["message"]


@pytest.mark.parametrize(("value", "message"), [("{}", "contains no relevance levels"), ('"x"', "is not an integer")])
def test_json_levels_that_are_none_are_an_error_of_the_file(contest, capsys, value, message):
    path = contest.parent / "levels.json"
    path.write_text(f'{{"b1": {{"b2": {value}}}}}')
    run(["check", str(contest), "--assessment", str(path), "--format", "json"])
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert any(one["severity"] == "error" and message in one["message"] for one in findings)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in WITHOUT_RUNS])
def test_every_command_with_a_benchmark_adds_runs(name):
    assert "--add" in [text for option in load_command(name).params for text in option.opts]
