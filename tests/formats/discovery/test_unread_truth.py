"""Files that are named as truth and have none of its forms are one error each, and never runs."""

import numpy as np
import pytest

from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.discovery.reader_table import is_truth_path
from shrec_viewer.formats.manifest.parts import BenchmarkParts

MODELS = ("m1", "m2", "m3", "m4")
QUERIES = ("q1", "q2", "q3")


@pytest.fixture
def folder(tmp_path):
    run = "".join(f"{query} Q0 {model} {n} {9 - n} one\n" for query in QUERIES for n, model in enumerate(MODELS, 1))
    (tmp_path / "one.run").write_text(run)
    return tmp_path


def runs_and_error(folder):
    benchmark = read_benchmark(folder)
    errors = [finding for finding in benchmark.findings if finding.severity == "error"]
    assert len(errors) == 1, benchmark.findings
    assert benchmark.assessment is None
    return [run.name for run in benchmark.runs], errors[0]


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("qrels.json", '{"q1": {"m1": 0.5, "m2": 1.5}, "q2": {"m3": 0.5}}', "the level '0.5' is not an integer"),
        ("ground_truth.json", '{"q1": "m1", "q2": "m3"}', "it was taken for JSON"),
        ("qrels_test.csv", "query,model,score\nq1,m1,0.5\nq2,m2,1.5\n", "'score': similarities"),
        ("gt.txt", "m1 0.25\nm2 0.5\nm3 0.75\n", "'m1': words, '0.25': numbers"),
    ],
)
def test_one_error_names_the_file_its_columns_and_the_accepted_forms(folder, name, text, part):
    (folder / name).write_text(text)
    runs, error = runs_and_error(folder)
    assert runs == ["one"]
    assert error.file == name
    assert error.action == "ignored"
    for expected in (part, "lines 'query 0 model level'", "JSON {query: {model: level}}", "--add"):
        assert expected in error.message


def test_matrix_of_distances_with_the_name_of_truth_is_no_run(folder):
    np.save(folder / "truth.npy", np.random.default_rng(0).random((3, 4)))
    runs, error = runs_and_error(folder)
    assert (runs, error.file) == (["one"], "truth.npy")


def test_folder_of_truth_holds_no_run(folder):
    (folder / "groundtruth").mkdir()
    for query in QUERIES:
        (folder / "groundtruth" / query).write_text("m1 0.25\nm2 0.5\n")
    (folder / "groundtruth" / "README.md").write_text("What the lists of this folder mean is unknown to the reader.\n")
    runs, error = runs_and_error(folder)
    assert (runs, error.file) == (["one"], "groundtruth/q1")


def test_benchmark_in_a_folder_of_this_name_has_runs(folder):
    root = folder / "truth"
    root.mkdir()
    (folder / "one.run").rename(root / "one.run")
    (root / "relevance_feedback.csv").write_text("query,model,score\nq1,m1,0.5\nq1,m2,0.25\nq2,m2,1.5\nq2,m1,1.25\n")
    assert [run.name for run in read_benchmark(root).runs] == ["one", "relevance_feedback"]


def test_named_as_a_run_it_is_one(folder):
    path = folder / "qrels.json"
    path.write_text('{"q1": {"m1": 0.5, "m2": 1.5}, "q2": {"m3": 0.5, "m1": 0.25}}')
    benchmark = read_benchmark(folder, BenchmarkParts(added=(path,)))
    assert [run.name for run in benchmark.runs] == ["one", "qrels"]


@pytest.mark.parametrize(
    "name", ["qrels", "qrel.txt", "test_qrels.v1", "gt", "GroundTruth.csv", "sketch-gt", "qrels_test2.txt"]
)
def test_names_of_truth(tmp_path, name):
    assert is_truth_path(tmp_path / name)


@pytest.mark.parametrize("name", ["runs", "relevance_feedback.run", "weight.txt", "truthful.txt", "gtx.npy", "A1.run"])
def test_names_of_other_files(tmp_path, name):
    assert not is_truth_path(tmp_path / name)
