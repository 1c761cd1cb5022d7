"""Runs that are named as copies: equal bytes, near-copies by rank-biased overlap, and what is none."""

import numpy as np
import pytest

from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.discovery.copies import NEAR_COPY
from shrec_viewer.formats.discovery.submission import read_submission
from shrec_viewer.metrics.statistics.rank_correlation import rank_biased_overlap

N = 40
"""Models, all of which are queries."""


@pytest.fixture
def matrix():
    points = np.random.default_rng(5).random((N, 2))
    return np.linalg.norm(points[:, None] - points, axis=2)


@pytest.fixture
def contest(tmp_path):
    names = [f"m{n:02}" for n in range(N)]  # all orders are the same
    lines = ["PSB 1", f"4 {N}"]
    for label in range(4):
        own = names[10 * label : 10 * label + 10]
        lines += ["", f"class{label} 0 {len(own)}", *own]
    (tmp_path / "c.cla").write_text("\n".join(lines) + "\n")
    (tmp_path / "runs").mkdir()
    return tmp_path


def save(contest, **matrices):
    for name, values in matrices.items():
        np.save(contest / "runs" / f"{name}.npy", values)


def copies(benchmark):
    words = ("same bytes", "near-copy")
    found = [one for one in benchmark.findings if any(word in one.message for word in words)]
    return {one.file.removeprefix("runs/"): (str(one.severity), one.message) for one in found}


def test_the_same_bytes_are_named(contest, matrix):
    other = np.random.default_rng(1).random((N, N))
    save(contest, A1=matrix, B1=matrix, A2=matrix, C1=other)
    found = copies(read_benchmark(contest))
    assert found == {
        "A2.npy": ("info", "has the same bytes as the run A1 (A1.npy)"),  # of one participant
        "B1.npy": ("warning", "has the same bytes as the run A1 (A1.npy)"),
    }


@pytest.mark.parametrize("noise", [1e-4, 0.05, 1.0])
def test_near_copies_have_the_overlap_of_their_lists(contest, matrix, noise):
    near = matrix * (1 + noise * np.random.default_rng(2).random((N, N)))
    save(contest, Alder=matrix, Birch=near)
    overlaps = []
    for query in np.unique(np.linspace(0, N - 1, 25).astype(int)):
        one, two = (np.argsort(values[query], kind="stable") for values in (matrix, near))
        one, two = (items[items != query][:20] for items in (one, two))
        overlaps.append(rank_biased_overlap(one, two))
    found = copies(read_benchmark(contest))
    assert bool(found) == (np.mean(overlaps) >= NEAR_COPY) == (noise < 0.5)  # both outcomes occur
    if found:
        assert found["Birch.npy"] == (
            "warning",
            f"is a near-copy of Alder: RBO {np.mean(overlaps):.3f} of the first 20 ranks",
        )


def test_an_added_run_is_compared_with_those_of_the_contest(contest, matrix, tmp_path_factory):
    save(contest, Alder=matrix, Birch=matrix)
    benchmark = read_benchmark(contest)
    target = tmp_path_factory.mktemp("own") / "mine.npy"
    np.save(target, matrix)
    (finding,) = [one for one in read_submission(benchmark, target).findings if "same bytes" in one.message]
    assert finding.message == "has the same bytes as the run Alder (Alder.npy)"


def test_few_queries_say_nothing(tmp_path):
    (tmp_path / "c.cla").write_text("PSB 1\n1 4\n\na 0 4\n" + "\n".join(f"m{n}" for n in range(4)) + "\n")
    (tmp_path / "runs").mkdir()
    save(tmp_path, Alder=np.ones((4, 4)) - np.eye(4), Birch=np.ones((4, 4)) - np.eye(4))
    assert copies(read_benchmark(tmp_path)) == {}
