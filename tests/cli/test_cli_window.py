"""What the command line tells the window: runs to add, other parts, conventions; mistakes before it opens."""

import numpy as np
import pytest
from tiny_benchmark import write_tiny

from shrec_viewer.cli.program import run


@pytest.fixture
def opened(monkeypatch):
    """Arguments of the windows that would be opened."""
    calls = []

    def run_window(path, **options):
        calls.append((path, options))
        return 0

    monkeypatch.setattr("shrec_viewer.app.startup.main.run_window", run_window)
    return calls


@pytest.fixture
def contest(tmp_path):
    folder = write_tiny(tmp_path / "tiny")
    for name in ("mine", "other"):
        np.save(tmp_path / f"{name}.npy", 1 - np.eye(5))
    return folder


def test_runs_are_added_beside_those_of_the_benchmark(contest, opened):
    files = [contest.parent / "mine.npy", contest.parent / "other.npy"]
    assert run([str(contest), "--add", *map(str, files), "--similarity"]) == 0
    ((path, options),) = opened
    assert path == contest
    assert options["parts"].added == tuple(files)
    assert options["parts"].read_options.similarity is True
    assert options["profile"] is None


@pytest.mark.parametrize(
    ("words", "profile", "text"),
    [
        (["--profile", "psb"], "psb", "psb"),
        (["--profile", "psb", "--ties", "trec"], "psb", "psb+ties=trec"),
        (["--missing", "skip", "--relevance", "2"], None, "+missing_query=skip+relevant_from=2"),
        (["--convention", "self_match=keep"], None, "+self_match=keep"),
        ([], None, None),
    ],
)
def test_conventions_are_those_of_evaluate(words, profile, text, contest, opened):
    assert run([str(contest), *words]) == 0
    ((_, options),) = opened
    assert options["profile"] == text
    assert (options["parts"] and options["parts"].profile) == profile


def test_edits_and_virtual_runs_are_those_of_evaluate(contest, opened):
    edits = contest.parent / "edits.txt"
    edits.write_text("good m1 1\n")
    assert run([str(contest), "--edits", str(edits), "--virtual", "rrf(good,poor)", "--virtual", "oracle()"]) == 0
    assert run([str(contest)]) == 0
    assert [(one["edits"], one["virtual"]) for _, one in opened] == [
        (edits, ("rrf(good,poor)", "oracle()")),
        (None, ()),
    ]


def test_the_options_may_come_before_the_benchmark(contest, opened):
    assert run(["--profile", "psb", "--runs", str(contest.parent / "mine.npy"), str(contest)]) == 0
    ((path, options),) = opened
    assert (path, options["profile"], options["parts"].runs) == (contest, "psb", contest.parent / "mine.npy")


def test_the_demo_takes_them_too(opened):
    assert run(["demo", "--ties", "trec"]) == 0
    assert opened[0][1]["profile"] == "+ties=trec"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ties", "pessimistic"], "'pessimistic' is not one of"),
        (["--convention", "self_mach=keep"], "do you mean 'self_match'"),
        (["--profile", "spb"], "do you mean 'psb'"),
        (["--add", "nowhere.npy"], "'nowhere.npy' does not exist"),
        (["--edits", "nowhere.txt"], "'nowhere.txt' does not exist"),
        (["--virtual", "rff(good)"], "do you mean 'rrf'"),
    ],
)
def test_a_wrong_option_is_named_before_the_window_opens(words, message, contest, opened, capsys):
    assert run([str(contest), *words]) == 2
    assert message in capsys.readouterr().err
    assert opened == []


@pytest.mark.parametrize("words", [["--profile", "psb"], ["--distance"], ["--ties", "trec"], ["--virtual", "oracle()"]])
def test_options_need_a_benchmark(words, opened, capsys):
    assert run(words) == 2
    assert "needs a BENCHMARK" in capsys.readouterr().err
    assert opened == []
