"""Values worked out by hand, in Python and on the command line."""

import json
import subprocess
import sys

import pytest

import shrec_viewer as sv


@pytest.fixture
def contest():
    """Two classes of two models; the model of the own class is at rank 2 of "a", and at rank 1 for the others."""
    contest = sv.Contest(classes=["dog", "dog", "cat", "cat"], ids=["a", "b", "c", "d"])
    contest.add(
        "mine", rankings={"a": ["c", "b", "d"], "b": ["a", "c", "d"], "c": ["d", "a", "b"], "d": ["c", "a", "b"]}
    )
    return contest


def test_worst_rank(contest):
    values = contest.evaluate("WorstRank").per_query("WorstRank").to_dict()
    assert values["mine"] == pytest.approx([2 / 3, 1 / 3, 1 / 3, 1 / 3])


def test_found(contest):
    assert list(contest.curve("example-plugin.Found", run="mine").y[:2]) == [0.75, 1.0]


def test_profile(contest):
    assert list(contest.evaluate(profile="example-plugin.contest").to_dict()) == ["AP", "NN", "WorstRank"]


def test_run_format(tmp_path):
    (tmp_path / "classes.cla").write_text("PSB 1\n2 4\ndog 0 2\na b\ncat 0 2\nc d\n")
    lists = {"a": ["b", "c", "d"], "b": ["a", "c", "d"], "c": ["d", "a", "b"], "d": ["c", "a", "b"]}
    rows = [json.dumps({"query": query, "results": models}) for query, models in lists.items()]
    (tmp_path / "mine.jsonl").write_text("\n".join(rows))
    command = [sys.executable, "-m", "shrec_viewer", "evaluate", str(tmp_path), "--measure", "AP", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["runs"][0]["mean"] == {"AP": 1.0}
