"""Contests in memory: same values as the same content in files, and a sentence for each mistake."""

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

import shrec_viewer as sv
from shrec_viewer.api import window
from shrec_viewer.cli import main
from shrec_viewer.formats.core.read_choices import METRICS, OTHER_METRIC_NAMES

CLASSES = ["dog", "dog", "dog", "cat", "cat", "cat", "cow", "cow"]
IDS = [f"m{number}" for number in range(1, 9)]
QRELS = {"q1": {"m1": 2, "m2": 1, "m8": 0}, "q2": {"m5": 1, "m6": 2}, "q3": {"m7": 1}}


def random_matrix(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random((rows, columns))


def contest_of_qrels() -> sv.Contest:
    return sv.Contest(models=IDS, queries=list(QRELS), qrels=QRELS)


def contest_of_classes() -> sv.Contest:
    return sv.Contest(classes=CLASSES)


def quiet_add(contest: sv.Contest, name: str, **run: object) -> None:
    """Add a random run, which is no better than by chance and may have ties."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        contest.add(name, **run)


def average_precision(order: list[str], relevant: set[str]) -> float:
    found, total = 0, 0.0
    for rank, model in enumerate(order, 1):
        if model in relevant:
            found += 1
            total += found / rank
    return total / len(relevant)


def means_of_files(folder: Path, *arguments: str) -> dict[str, dict[str, float]]:
    """``{measure: {run: mean}}`` of the command line."""
    command = [sys.executable, "-m", "shrec_viewer", "evaluate", str(folder), "--format", "json", *arguments]
    runs = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["runs"]
    return {key: {run["name"]: run["mean"][key] for run in runs} for key in runs[0]["mean"]}


def test_values_are_those_worked_by_hand():
    contest = contest_of_qrels()
    distances = random_matrix(3, 8)
    quiet_add(contest, "random", distances=distances)
    expected = [
        average_precision([IDS[column] for column in np.argsort(row)], {m for m, level in levels.items() if level})
        for row, levels in zip(distances, QRELS.values(), strict=True)
    ]
    scores = contest.evaluate("AP")
    assert scores.to_dict() == {"AP": {"random": pytest.approx(np.mean(expected), abs=1e-15)}}
    assert scores.per_query("AP")["random"] == pytest.approx(expected, abs=1e-15)
    assert scores.per_query("AP")["query"] == ["q1", "q2", "q3"]


@pytest.mark.parametrize("make", [contest_of_qrels, contest_of_classes])
def test_every_form_of_one_ranking_has_the_same_values(make):
    """Distances, similarities, lists, scores, frames and sparse matrices, and anything with an array protocol."""
    contest = make()
    distances = random_matrix(len(contest.queries), len(contest.models))
    order = np.argsort(distances, axis=1)
    lists = {
        query: [contest.models[column] for column in row] for query, row in zip(contest.queries, order, strict=True)
    }
    scores = {
        query: {model: float(-value) for model, value in zip(contest.models, row, strict=True)}
        for query, row in zip(contest.queries, distances, strict=True)
    }
    rows = [(query, model, score) for query, of_query in scores.items() for model, score in of_query.items()]
    shuffled = np.random.default_rng(1).permutation(len(contest.models))
    frame = pd.DataFrame(distances, index=contest.queries, columns=contest.models)

    class Tensor:
        def __array__(self, dtype=None, copy=None):
            return distances

    runs = {
        "distances": {"distances": distances},
        "lists of lists": {"distances": distances.tolist()},
        "tensor": {"distances": Tensor()},
        "similarities": {"similarities": 1 - distances},
        "sparse": {"similarities": csr_matrix(1 - distances)},
        "frame": {"distances": frame},
        "shuffled frame": {"distances": frame.iloc[::-1, shuffled]},
        "lists": {"rankings": lists},
        "numbers of models": {"rankings": order},
        "scores": {"rankings": scores},
        "rows": {"rankings": rows},
        "frame of scores": {"rankings": pd.DataFrame(rows, columns=["query", "model", "score"])},
    }
    for name, run in runs.items():
        quiet_add(contest, name, **run)
    for key, means in contest.evaluate().mean.items():
        assert len(set(means.values())) == 1 or np.isnan(list(means.values())).all(), (key, means)
    first = contest.ranked_list("distances", contest.queries[1])
    assert [place.model for place in first if place.model in lists[contest.queries[1]]] == first.models
    assert contest.ranked_list("frame", contest.queries[1]).models == first.models


@pytest.mark.parametrize("name", OTHER_METRIC_NAMES)
def test_metrics_have_their_names_in_other_packages(name, tmp_path, capsys):
    contest, vectors = contest_of_classes(), random_matrix(8, 5) + 0.1
    quiet_add(contest, "one", vectors=vectors, metric=name)
    quiet_add(contest, "two", vectors=vectors, metric=OTHER_METRIC_NAMES[name])
    one, two = (contest.benchmark.run(run).ranking.values for run in ("one", "two"))
    np.testing.assert_array_equal(np.asarray(one), np.asarray(two))
    if name in ("euclidean", "sqeuclidean", "cityblock", "jensenshannon"):
        np.testing.assert_allclose(np.asarray(one), cdist(vectors, vectors, name), atol=1e-6)
    contest.save(tmp_path / "contest")
    np.save(tmp_path / "v.npy", vectors)
    asked = [str(tmp_path / "contest"), "--runs", str(tmp_path / "v.npy"), "--matrix-cells", "vectors", "--metric"]
    assert main(["evaluate", *asked, name]) == main(["evaluate", *asked, OTHER_METRIC_NAMES[name]]) == 0
    first, second = capsys.readouterr().out.split("run ")[1:]
    assert first == second


@pytest.mark.parametrize("metric", METRICS)
def test_vectors_have_the_values_of_their_distances(metric):
    contest = contest_of_classes()
    vectors = random_matrix(8, 5) + 0.1
    quiet_add(contest, "vectors", vectors=vectors, metric=metric)
    pair = sv.Contest(models=IDS, queries=["a", "b"], qrels={"a": ["m1"], "b": ["m3"]})
    quiet_add(pair, "pair", vectors=(vectors[:2], vectors), metric=metric)
    for run, of in (("vectors", contest), ("pair", pair)):
        found = of.benchmark.run(run).ranking
        mine = np.asarray(found.values)[:2]
        products = vectors[:2] @ vectors.T
        squares = np.square(vectors[:2, None] - vectors).sum(axis=2)
        lengths = np.linalg.norm(vectors, axis=1)
        known = {
            "l2": np.sqrt(squares),
            "l2sq": squares,
            "ip": products,
            "cosine": 1 - products / np.outer(lengths[:2], lengths),
            "l1": np.abs(vectors[:2, None] - vectors).sum(axis=2),
        }
        if metric in known:
            np.testing.assert_allclose(mine, known[metric], atol=1e-12)
        assert found.similarity == (metric == "ip")


@pytest.mark.parametrize("make", [contest_of_qrels, contest_of_classes])
def test_a_saved_contest_has_the_same_values_in_all_commands(make, tmp_path):
    contest = make()
    distances = random_matrix(len(contest.queries), len(contest.models))
    quiet_add(contest, "run 1.5", distances=distances)
    quiet_add(contest, "lists", rankings={contest.queries[0]: contest.models[:4], contest.queries[1]: contest.models})
    quiet_add(
        contest,
        "vectors",
        vectors=random_matrix(8, 5) if make is contest_of_classes else (distances, distances.T @ distances),
    )
    contest.save(tmp_path / "saved")
    assert means_of_files(tmp_path / "saved") == contest.evaluate().mean
    again = sv.open(tmp_path / "saved")
    assert again.models == contest.models
    assert again.queries == contest.queries
    assert again.evaluate().mean == contest.evaluate().mean


def test_published_scores_in_memory_and_of_a_file(tmp_path):
    """Beside the runs in table, bars and site, replaced by name, saved; a table without a measure is an error."""
    contest = contest_of_classes()
    distances = random_matrix(8, 8)
    quiet_add(contest, "mine", distances=distances)
    mean = contest.evaluate("AP").mean["AP"]["mine"]
    contest.add_published({"mine": {"MAP": f"{100 * mean:.2f} %", "NN": None}, "other": {"MAP": 0.5}}, source="paper")
    (tmp_path / "report.csv").write_text("method,AP,Votes\nmine,0.9999,3\n")
    with pytest.warns(UserWarning, match="'Votes' is named after no measure"):
        contest.add_published(tmp_path / "report.csv")
    rows = {row[0]: row for row in contest.table("runs", measures=["AP"]).rows}
    assert list(rows) == ["mine", "mine (paper)", "mine (report.csv)", "other (paper)"]
    assert rows["mine (paper)"][-1] == pytest.approx(mean, abs=5e-5)
    labels = [text.get_text() for text in contest.figure("leaderboard", measure="AP").axes[0].get_yticklabels()]
    assert labels == list(rows)
    assert contest.evaluate("AP").mean == {"AP": {"mine": mean}}  # values of runs only
    contest.add_published({"other": {"MAP": 0.25}}, source="paper")
    assert [row[0] for row in contest.table("runs").rows] == ["mine", "mine (report.csv)", "other (paper)"]
    contest.save(tmp_path / "saved")
    again = sv.open(tmp_path / "saved")
    assert [(one.titles, one.names, one.cells) for one in again.benchmark.published] == [
        (("AP", "Votes"), ("mine",), (("0.9999", "3"),)), (("MAP",), ("other",), (("0.25",),)),
    ]  # fmt: skip
    with pytest.raises(sv.ShrecViewerError, match="by no measure"):
        contest.add_published({"mine": {"Votes": 3}})
    with pytest.raises(sv.ShrecViewerError, match="the path of a table"):
        contest.add_published(3)


@pytest.mark.parametrize("profile", ["default", "shrec2006", "trec"])
def test_columns_that_are_absent_or_in_another_order_are_saved(tmp_path, profile):
    """Models without a column are in no list, and ties have the order of the columns."""
    contest = contest_of_qrels()
    ties = np.floor(4 * random_matrix(3, 8))
    frame = pd.DataFrame(ties, index=contest.queries, columns=contest.models)
    quiet_add(contest, "absent", distances=frame.drop(columns=["m2", "m5"]))
    quiet_add(contest, "reversed", similarities=frame.iloc[::-1, ::-1])
    contest.save(tmp_path / "saved")
    again = sv.open(tmp_path / "saved", profile=profile)
    for run in contest.runs:
        for query in contest.queries:
            lists = [one.ranked_list(run, query, profile=profile).models for one in (contest, again)]
            assert lists[0] == lists[1]
    assert again.evaluate().mean == contest.evaluate(profile=profile).mean
    assert len(contest.ranked_list("absent", "q1")) == 6


@pytest.mark.parametrize("name", ["a\nb", "\ud800", " a", "a\x1b[1m"])
def test_names_that_a_line_cannot_hold_are_refused(tmp_path, name):
    contest = sv.Contest(classes=["x", "x"], ids=[name, "b"])
    with pytest.raises(sv.ShrecViewerError, match="which files cannot hold"):
        contest.save(tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_the_numbers_of_a_frame_are_no_ids(tmp_path):
    """An axis that only numbers as many rows has their order; permuted numbers are ids."""
    distances = random_matrix(3, 8)
    contest = contest_of_qrels()
    quiet_add(contest, "plain", distances=distances)
    quiet_add(contest, "columns", distances=pd.DataFrame(distances, columns=IDS))
    quiet_add(contest, "rows", distances=pd.DataFrame(distances, index=list(QRELS)))
    assert len(set(contest.evaluate("AP").mean["AP"].values())) == 1
    numbered = contest_of_classes()
    square = random_matrix(8, 8)
    order = [3, 0, 2, 1, 7, 6, 5, 4]
    quiet_add(numbered, "plain", distances=square)
    quiet_add(numbered, "permuted", distances=pd.DataFrame(square).iloc[:, order])
    means = numbered.evaluate("AP").mean["AP"]
    assert means["permuted"] == means["plain"]


def test_junk_is_saved_and_removed(tmp_path):
    with pytest.warns(UserWarning, match="level is -1"):
        contest = sv.Contest(models=IDS, qrels={"q": {"m1": 1, "m2": -1, "m3": 1}})
    contest.add("run", rankings={"q": ["m2", "m1", "m4", "m3"]})
    removed = {"junk": "removed"}
    assert contest.evaluate("AP").mean["AP"]["run"] == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert contest.evaluate("AP", conventions=removed).mean["AP"]["run"] == pytest.approx((1 + 2 / 3) / 2)
    contest.save(tmp_path / "saved")
    again = sv.open(tmp_path / "saved").evaluate("AP", conventions=removed).mean
    assert again == contest.evaluate("AP", conventions=removed).mean


def test_odd_names_are_saved(tmp_path):
    ids = ["a b", "c,d", 'e"f', "[g]", "ü", "007", "7", "../h"]
    with pytest.warns(UserWarning, match="no relevant model"):
        contest = sv.Contest(classes=["x y", "x y", "a,b", "a,b", "1", "1", "1", None], ids=ids, name="odd [names]")
    quiet_add(contest, "../up", distances=random_matrix(8, 8))
    quiet_add(contest, "CON", rankings={"a b": ids[::-1], "007": ids})
    contest.save(tmp_path / "odd")
    again = sv.open(tmp_path / "odd")
    assert (again.models, again.runs) == (contest.models, contest.runs)
    assert again.evaluate().mean == contest.evaluate().mean


def test_an_opened_contest_is_that_of_the_command_line():
    contest = sv.open("demo")
    assert contest.evaluate().mean == means_of_files(Path("demo"))
    assert contest.runs == ("A1", "A2", "B1", "B2", "C1", "R1")


def test_edits_count_and_leave_files_alone(tmp_path):
    contest = contest_of_qrels()
    quiet_add(contest, "run", distances=random_matrix(3, 8))
    before = contest.evaluate("AP").mean
    contest.edit("q3", "m8", 1)
    after = contest.evaluate("AP").mean
    assert after != before
    assert contest.table("edits").rows
    contest.edit("q3", "m8", 0)
    assert contest.evaluate("AP").mean == before


def test_results_are_small_and_readable():
    contest = sv.open("demo")
    scores = contest.evaluate(["MAP", "NDCG@10"])
    assert repr(scores).splitlines()[1].split() == ["run", "AP", "NDCG@10"]
    assert len(repr(scores)) < 1000
    assert scores["AP"]["B2"] == scores.mean["AP"]["B2"]
    assert scores["MAP"] == scores["Average precision"] == scores["AP"]
    assert len(repr(scores.scores)) < 200
    assert len(repr(contest.benchmark)) < 200
    frame = scores.to_pandas()
    assert list(frame.columns) == ["run", "AP", "NDCG@10"]
    assert "\\toprule" in scores.to_latex()
    assert "<b" not in scores._repr_html_() or "<table>" in scores._repr_html_()
    table = contest.table("significance", measure="AP")
    assert table.to_dict()["run"] == table["run"]
    found = contest.compare("A1", "B2", measure="AP")
    assert found.difference == pytest.approx(scores["AP"]["B2"] - scores["AP"]["A1"], abs=1e-12)
    assert found.difference == pytest.approx(np.mean(found.per_query["difference"]), abs=1e-12)
    assert found.interval[0] <= found.difference <= found.interval[1]
    assert str(found) == found.sentence
    x, y = contest.curve("PR", "B2")
    assert x.shape == y.shape
    places = contest.ranked_list("B2", "Q01")
    assert places[0].rank == 1
    assert len(places[:3]) == 3
    html = places._repr_html_()
    assert html.count("data:image/webp;base64,") == 20


def test_figures_are_those_of_matplotlib():
    contest = sv.open("demo")
    figure = contest.figure("precision_recall", runs=["A1", "B2"])
    assert type(figure).__mro__[1].__module__ == "matplotlib.figure"
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert {line.get_gid() or line.get_label() for line in figure.axes[0].lines}
    assert contest.figure("strips", runs=["A1"], queries=["Q01"], width=2)._repr_png_().startswith(b"\x89PNG")


def figure_of_classes_of_two() -> None:
    contest = sv.Contest(classes=["dog", "dog", "cat", "cat"])
    contest.add("r", distances=random_matrix(4, 4))
    contest.figure("precision_recall", curve="PR11")
    contest.figure("precision_recall")


MISTAKES = {
    "nothing": (lambda: sv.Contest(), "give the class of each model"),
    "text as ids": (lambda: sv.Contest(models="m1"), "the ids of the models are 'm1'; give a list"),
    "repeated id": (
        lambda: sv.Contest(models=["a", "b", "a"]),
        "the id 'a' of the models is repeated, in places 0 and 2",
    ),
    "fractions as ids": (lambda: sv.Contest(models=[0.5, 1.5]), "an id is a text or a whole number, not 0.5"),
    "fewer classes": (lambda: sv.Contest(classes=["a"], ids=["m1", "m2"]), "1 class for 2 models"),
    "level": (lambda: sv.Contest(models=["m"], qrels={"q": {"m": 0.5}}), "0.5, not a whole number"),
    "negative level": (lambda: sv.Contest(models=["m"], qrels={"q": {"m": -3}}), "not from -1 to 255"),
    "two levels": (lambda: sv.Contest(models=["m"], qrels=[("q", "m", 1), ("q", "m", 2)]), "two levels"),
    "profile": (lambda: sv.Contest(classes=CLASSES, profile="shrec2060"), "do you mean 'shrec2006'"),
    "columns": (
        lambda: contest_of_qrels().add("r", distances=random_matrix(3, 7)),
        "a matrix of 3 x 7, but 3 x 8 is expected",
    ),
    "no matrix": (
        lambda: contest_of_qrels().add("r", distances=[1.0, 2.0]),
        "distances are 2 numbers in one row, not a matrix",
    ),
    "ragged": (lambda: contest_of_qrels().add("r", distances=[[1.0], [1.0, 2.0]]), "no matrix of numbers"),
    "complex": (lambda: contest_of_qrels().add("r", distances=random_matrix(3, 8) * 1j), "matrix of real numbers"),
    "sparse distances": (
        lambda: contest_of_qrels().add("r", distances=csr_matrix(random_matrix(3, 8))),
        "give similarities= instead",
    ),
    "matrix of classes": (lambda: sv.Contest(classes=np.eye(3)), "classes are 3 x 3"),
    "value without a name": (lambda: contest_of_qrels().add(random_matrix(3, 8)), "say what the values are"),
    "value of no kind": (lambda: contest_of_qrels().add("r", random_matrix(3, 8)), "say what the values are"),
    "fewer numbers": (lambda: contest_of_qrels().add("r", rankings=np.zeros((2, 3), int)), "2 rankings for 3 queries"),
    "large numbers": (lambda: contest_of_qrels().add("r", rankings=np.full((3, 2), 8)), "is not from 0 to 7"),
    "path": (lambda: sv.open(3), "the path of a contest is a text, not 3"),
    "measure of scores": (lambda: sv.open("demo").evaluate("AP")["NN"], "'NN' was not evaluated"),
    "no models": (lambda: sv.Contest([]), "there are no models"),
    "infinite level": (lambda: sv.Contest(models=["m"], qrels={"q": {"m": np.inf}}), "inf, not a whole number"),
    "transposed": (lambda: contest_of_qrels().add("r", distances=random_matrix(8, 3)), "it may be the transpose"),
    "no dimensions": (lambda: contest_of_classes().add("r", vectors=np.zeros((8, 0))), "vectors have no columns"),
    "measures": (lambda: sv.open("demo").evaluate([None]), "measures are texts, not None"),
    "runs": (lambda: sv.open("demo").evaluate(runs=3), "runs are texts, not 3"),
    "conventions": (lambda: sv.open("demo").evaluate(conventions="x"), "give a dictionary"),
    "number as profile": (lambda: sv.open("demo").evaluate(profile=3), "a profile is a text"),
    "number as profile of files": (lambda: sv.open("demo", profile=3), "a profile is a text"),
    "width": (lambda: sv.open("demo").figure("heat_map", width=0), "the width is 1 or 2 columns"),
    "no name": (lambda: contest_of_qrels().add(distances=random_matrix(3, 8)), "a run needs a name"),
    "two runs": (lambda: contest_of_qrels().add("r", distances=[[1]], rankings={}), "give one of distances"),
    "metric of distances": (
        lambda: contest_of_qrels().add("r", distances=random_matrix(3, 8), metric="l2"),
        "metric= is for vectors",
    ),
    "metric": (
        lambda: contest_of_classes().add("r", vectors=random_matrix(8, 5), metric="cosin"),
        "do you mean 'cosine'",
    ),
    "vectors": (lambda: contest_of_classes().add("r", vectors=random_matrix(7, 5)), "8 rows are expected"),
    "unequal vectors": (
        lambda: contest_of_qrels().add("r", vectors=(random_matrix(3, 5), random_matrix(8, 6))),
        "5 and 6 dimensions",
    ),
    "unknown ids": (lambda: contest_of_qrels().add("r", rankings={"q1": ["x1", "x2"]}), "is a model of the collection"),
    "scores as text": (lambda: contest_of_qrels().add("r", rankings={"q1": {"m1": "high"}}), "'high', not a number"),
    "file": (lambda: contest_of_qrels().add(path="nowhere.run"), "does not exist"),
    "folder": (lambda: sv.open("nowhere"), "does not exist"),
    "no runs": (lambda: contest_of_qrels().evaluate(), "has no runs; add one by contest.add"),
    "measure": (lambda: sv.open("demo").evaluate("MPA"), "MPA"),
    "run": (lambda: sv.open("demo").evaluate(runs=["A11"]), "there is no run 'A11'"),
    "query": (lambda: sv.open("demo").ranked_list("A1", "Q1"), "there is no query 'Q1'"),
    "figure": (lambda: sv.open("demo").figure("precision_recal"), "do you mean 'precision_recall'"),
    "option": (lambda: sv.open("demo").figure("heat_map", mesure="AP"), "do you mean 'measure'"),
    "value": (lambda: sv.open("demo").figure("heat_map", measure=3), "3 is not text"),
    "convention": (lambda: sv.open("demo").evaluate(conventions={"ties": "none"}), "ties must be"),
    "number of classes": (lambda: sv.Contest(classes=3), "classes are of type int"),
    "classes of queries without ids": (
        lambda: sv.Contest(classes=CLASSES, query_classes=["dog"]),
        "query_classes= need queries=, their ids",
    ),
    "no values": (lambda: contest_of_qrels().add("r"), "rankings and path; none is given"),
    "number as path": (lambda: contest_of_qrels().add(path=3), "the path of a run is a text, not 3"),
    "empty path": (lambda: sv.open(""), "the path of a contest is a text, not ''"),
    "distances as rankings": (
        lambda: contest_of_qrels().add("r", rankings=random_matrix(3, 8)),
        "rankings are numbers of models, not float64; give whole numbers, or distances= or similarities=",
    ),
    "rows without scores": (
        lambda: contest_of_qrels().add("r", rankings=[("q1", "m1"), ("q1", "m2")]),
        "without scores, give {query: [models]}",
    ),
    "run of a figure": (lambda: sv.open("demo").figure("precision_recall", runs=["A11"]), "there is no run 'A11'"),
    "run of a table": (lambda: sv.open("demo").table("class_costs", runs=["A11"]), "there is no run 'A11'"),
    "run of no runs": (lambda: contest_of_qrels().diagnose("A1"), "there is no run 'A1'; there is none"),
    "section": (lambda: sv.open("demo").diagnose("A1", "bugdet"), "no section 'bugdet'; do you mean 'budget'?"),
    "hubs of no rank": (lambda: sv.open("demo").diagnose("A1", k=0), "k is a whole number from 1 on, not 0"),
    "hubs of a text": (lambda: sv.open("demo").diagnose("A1", k="5"), "k is a whole number from 1 on, not '5'"),
    "level of an edit": (lambda: sv.open("demo").edit("Q01", "nobody", 1), "there is no model 'nobody'"),
    "rows of unequal length": (lambda: contest_of_qrels().add("r", distances=[[1, 2], [3]]), "rows have 1 to 2 cells"),
    "texts as distances": (lambda: contest_of_classes().add("r", distances=[["a"] * 8] * 8), "distances are texts"),
    "complex numbers": (lambda: contest_of_classes().add("r", distances=np.eye(8) * 1j), "are complex numbers"),
    "dictionary": (lambda: contest_of_qrels().add("r", distances={"q1": {"m1": 0.1}}), "distances are of type dict"),
    "iterator": (lambda: contest_of_qrels().add("r", distances=iter([[1]])), "distances are of type list_iterator"),
    "file as distances": (lambda: contest_of_qrels().add("r", distances="a.npy"), "or path='a.npy' for a file"),
    "one number": (lambda: contest_of_qrels().add("r", distances=3.0), "distances are a single number"),
    "name of a contest": (lambda: sv.Contest(CLASSES, name=3), "the name of a contest is a text such as"),
    "name of a run": (lambda: contest_of_qrels().add(3, distances=[[1]]), "the name of a run is a text such as 'mine'"),
    "participant": (lambda: contest_of_qrels().add("r", rankings={}, participant=3), "the participant is a text"),
    "set of classes": (lambda: sv.Contest(classes=set(CLASSES)), "classes are of type set; give a list"),
    "several classes of a model": (lambda: sv.Contest(classes=[["dog", "cat"], ["cat"]]), "not ['dog', 'cat']"),
    "classes as bytes": (lambda: sv.Contest(classes=[b"dog"]), "a class is a text or a number, not b'dog'"),
    "frame as ids": (lambda: sv.Contest(CLASSES, ids=pd.DataFrame({"id": IDS})), "such as frame['id']"),
    "matrix as ids": (lambda: sv.Contest(CLASSES, ids=np.arange(8).reshape(8, 1)), "models are 8 x 1; give a list"),
    "qrels without models": (lambda: sv.Contest(qrels=QRELS), "Contest(models=ids, qrels=levels)"),
    "no qrels": (lambda: sv.Contest(models=IDS, qrels={}), "qrels hold no query; give {query: {model: level}}"),
    "qrels of no query": (lambda: sv.Contest(models=IDS, queries=["q"], qrels=[]), "qrels hold no query"),
    "qrels as a matrix": (lambda: sv.Contest(models=IDS, qrels=np.eye(300)), "is no row of qrels"),
    "folder as files": (
        lambda: sv.Contest(CLASSES, files="models"),
        "files of the models are 'models'; give {id: path}",
    ),
    "number of files": (lambda: sv.Contest(CLASSES, files=3), "files of the models are of type int"),
    "numbers as files": (lambda: sv.Contest(CLASSES, files=range(8)), "a file of the models is a path, not 0"),
    "one file": (lambda: sv.Contest(CLASSES, files=["a.off"]), "1 file for 8 models"),
    "no measures": (lambda: sv.open("demo").evaluate([]), "measures are empty"),
    "no runs of a list": (lambda: sv.open("demo").evaluate(runs=[]), "runs are empty"),
    "measures of a comparison": (lambda: sv.open("demo").compare("A1", "B2", ["AP", "NN"]), "the measure is a text"),
    "measures of a diagnosis": (lambda: sv.open("demo").diagnose("A1", measure=["AP"]), "the measure is a text"),
    "curves": (lambda: sv.open("demo").curve(["PR"], "A1"), "a curve is a text such as 'PR'"),
    "kind of a figure": (lambda: sv.open("demo").figure(None), "a figure is a text such as"),
    "kind of a table": (lambda: sv.open("demo").table(["runs"]), "a table is a text such as"),
    "column of a table": (lambda: sv.open("demo").evaluate("AP").per_query("AP")["A9"], "there is no column 'A9'"),
    "folder of a site": (lambda: sv.open("demo").report(3), "the path of a folder is a text, not 3"),
    "folder to save in": (lambda: sv.open("demo").save(None), "the path of a folder is a text, not None"),
    "array as a path": (lambda: sv.open(np.eye(300)), "arrays are given to Contest(classes=labels)"),
    "vectors of the models alone": (
        lambda: contest_of_qrels().add("r", vectors=random_matrix(8, 5)),
        "give a pair (those of the 3 queries, those of the 8 models)",
    ),
    "lists in the order of the queries": (
        lambda: contest_of_qrels().add("r", rankings=[["m1", "m2", "m3"], ["m2", "m1", "m3"], ["m3", "m1", "m2"]]),
        "'m3', not a number, of which the largest is first; lists without scores are {query: [models]}",
    ),
    "set of models": (
        lambda: contest_of_qrels().add("r", rankings={"q1": {"m1"}}),
        "give a list of models, best first",
    ),
    "no rankings": (lambda: contest_of_qrels().add("r", rankings={}), "rankings are empty"),
    "figure of classes of two": (lambda: figure_of_classes_of_two(), "PR11 one"),
    "row without cells": (lambda: contest_of_qrels().add("r", distances=[None, [1, 2]]), "rows have 1 to 2 cells"),
    "no vectors": (lambda: contest_of_classes().add("r", vectors=np.zeros((0, 4))), "vectors have no rows"),
    "one number as rankings": (
        lambda: contest_of_qrels().add("r", rankings=np.array(3)),
        "rankings are of type ndarray",
    ),
    "one number as a row": (lambda: contest_of_qrels().add("r", rankings=[np.array(1)]), "array(1) is no row"),
    "one number as qrels": (lambda: sv.Contest(models=IDS, qrels=np.array(3)), "qrels are of type ndarray"),
    "lists and scores": (
        lambda: contest_of_qrels().add("r", rankings={"q1": ["m1"], "q2": {"m1": 0.5}}),
        "rankings are lists for some queries and scores for others",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_have_a_sentence(mistake):
    call, expected = MISTAKES[mistake]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with pytest.raises(sv.ShrecViewerError) as caught:
            call()
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    assert caught.value.__suppress_context__ or caught.value.__context__ is None, "no error of numpy above it"


def test_masked_cells_are_no_numbers():
    contest, distances = contest_of_classes(), random_matrix(8, 8)
    mask = distances < 0.2
    quiet_add(contest, "masked", distances=np.ma.array(distances, mask=mask))
    quiet_add(contest, "expected", distances=np.where(mask, np.nan, distances))
    assert len(set(contest.evaluate("AP").mean["AP"].values())) == 1


def test_classes_of_pandas_may_be_missing():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        contest = sv.Contest(classes=pd.Series(["dog", None, "dog", ""], dtype="string"))
    assert contest.benchmark.classification.labels.tolist() == [0, -1, 0, -1]


def test_files_that_do_not_exist_are_a_warning(tmp_path):
    (tmp_path / "m2.off").touch()
    with pytest.warns(UserWarning, match=r"1 file of the models not found, the first '.*m1\.off'"):
        sv.Contest(CLASSES, ids=IDS, files={name: tmp_path / f"{name}.off" for name in IDS[:2]})


def test_an_unknown_name_is_not_answered_with_all_models():
    contest = sv.Contest(models=range(1000), queries=["q"], qrels={"q": {"1": 1}})
    with pytest.raises(sv.ShrecViewerError, match=r"'zebra'; there are 0, 1, 2, .*, 39 and 960 more$"):
        contest.edit("q", "zebra", 1)


def test_an_unknown_section_is_answered_with_each_once():
    with pytest.raises(sv.ShrecViewerError) as caught:
        sv.open("demo").diagnose("A1", "xyz")
    assert str(caught.value).count("classification") == 1


@pytest.mark.parametrize(("count", "text"), [(1, "1 model, 1 query, 0 runs"), (2, "2 models, 2 queries, 0 runs")])
def test_the_content_is_counted(count, text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert text in repr(sv.Contest(classes=["a"] * count))


def test_warnings_name_the_argument_of_python():
    same = np.equal.outer(CLASSES, CLASSES) + np.random.default_rng(0).random((8, 8)) / 10
    contest = contest_of_classes()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        contest.add("similar", distances=same)
        contest.add("short", rankings={"0": ["1", "2"]})
    texts = [str(one.message) for one in caught]
    assert any(text.endswith("to read it so: similarities=") for text in texts)
    assert any(text.endswith("conventions={'missing_query': 'common'}") for text in texts)
    assert not any(text.endswith(("to read it so", "common to all runs", "other objects")) for text in texts)
    means = contest.evaluate("AP", conventions={"missing_query": "common"}).mean["AP"]
    assert means["short"] == pytest.approx(1.0)  # "1" and "2" are the other dogs


def test_columns_of_a_frame_are_found_by_name_and_keep_their_types():
    scores = random_matrix(8, 8)
    rows = [(query, model, scores[query, model]) for query in range(8) for model in range(8)]
    frame = pd.DataFrame(rows, columns=["query", "model", "score"])
    contest = contest_of_classes()
    quiet_add(contest, "array", similarities=scores)
    quiet_add(contest, "frame", rankings=frame)
    quiet_add(contest, "other order", rankings=frame[["score", "query", "model"]])
    quiet_add(contest, "other names", rankings=frame.set_axis(["a", "b", "c"], axis=1))
    assert len(set(contest.evaluate("AP").mean["AP"].values())) == 1


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.uint64])
def test_numbers_of_models_are_of_any_integer_type(kind):
    contest, distances = contest_of_classes(), random_matrix(8, 8)
    quiet_add(contest, "distances", distances=distances)
    quiet_add(contest, "numbers", rankings=np.argsort(distances, axis=1).astype(kind))
    assert len(set(contest.evaluate("AP").mean["AP"].values())) == 1
    contest.edit("0", "7", kind(1))
    assert contest.ranked_list("numbers", "0")[-1].level in (0, 1)


def test_what_is_unusual_is_a_warning_and_a_finding():
    queries = [f"q{number}" for number in range(8)]
    contest = sv.Contest(classes=CLASSES, ids=IDS, queries=queries, query_classes=CLASSES)
    same = np.equal.outer(CLASSES, CLASSES) + np.random.default_rng(0).random((8, 8)) / 10
    with pytest.warns(UserWarning, match="worse than by chance"):
        contest.add("similar", distances=same)
    assert any("by chance" in finding.message for finding in contest.findings)
    contest.add("similar", similarities=same)
    assert not any("by chance" in finding.message for finding in contest.findings)
    assert contest.runs == ("similar",)


def test_no_class_at_all_is_a_warning():
    with pytest.warns(UserWarning, match="no query has a class"):
        sv.Contest([None, None])


def test_classes_without_those_of_queries_are_a_warning():
    with pytest.warns(UserWarning, match="no query has a class"):
        contest = sv.Contest(CLASSES, queries=["q"])
    quiet_add(contest, "run", distances=random_matrix(1, 8))
    with pytest.raises(sv.ShrecViewerError, match="no relevance assessment"):
        contest.evaluate()


def test_importing_costs_no_more_than_numpy():
    code = "import sys, shrec_viewer; print(sorted({name.split('.')[0] for name in sys.modules}))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    assert not {"numpy", "msgspec", "PySide6", "matplotlib"} & set(eval(found))
    assert "shrec_viewer" in found


def test_evaluating_arrays_imports_neither_qt_nor_matplotlib():
    code = (
        "import sys, shrec_viewer as sv; c = sv.Contest(classes='aabb'.replace('', ' ').split());"
        "c.add('r', distances=[[0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 0, 1], [2, 1, 3, 0]]); c.evaluate();"
        "print([m for m in ('PySide6', 'matplotlib', 'trimesh', 'pandas', 'click') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    assert found.strip() == "[]"


def test_frames_without_pandas_are_a_sentence(monkeypatch):
    contest = contest_of_classes()
    quiet_add(contest, "mine", distances=random_matrix(8, 8))
    monkeypatch.setitem(sys.modules, "pandas", None)  # as where it is not installed
    for result in (contest.evaluate("AP"), contest.ranked_list("mine", "0")):
        with pytest.raises(sv.ShrecViewerError, match="pip install pandas"):
            result.to_pandas()


def test_the_window_holds_no_pipe_of_the_script(monkeypatch, tmp_path, capfd):
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho to output\necho to errors >&2\n")
    program.chmod(0o755)
    contest = contest_of_classes()
    quiet_add(contest, "mine", distances=random_matrix(8, 8))
    monkeypatch.setattr(window.sys, "executable", str(program))
    opened = window.ContestWindow(contest.benchmark)
    opened.wait()
    opened.close()
    assert capfd.readouterr() == ("", "")


def test_a_curve_without_a_defined_point_is_an_error():
    with pytest.warns(UserWarning, match="no relevant model"):
        contest = sv.Contest(models=IDS, queries=["a", "b"], qrels={"a": {IDS[0]: 1}, "b": {}})
    quiet_add(contest, "r", distances=random_matrix(2, len(IDS)))
    assert not np.isnan(contest.curve("PR", "r", "a").y).any()
    with pytest.raises(sv.ShrecViewerError, match="the curve PR of 'r' is not defined for the query 'b'"):
        contest.curve("PR", "r", "b")


def test_tables_are_written_to_files_and_returned(tmp_path):
    table = sv.open("demo").evaluate("AP", "shrec2006")
    for form in ("csv", "latex", "markdown"):
        path = tmp_path / form
        text = getattr(table, f"to_{form}")(path)
        assert path.read_bytes().decode() == text == getattr(table, f"to_{form}")()
    with pytest.raises(sv.ShrecViewerError, match="no_folder"):
        table.to_csv(str(tmp_path / "no_folder" / "a.csv"))


def test_findings_are_records_that_are_shown_as_a_table():
    contest = sv.open("demo")
    findings = contest.findings
    assert findings[0].severity == "info"
    lines = repr(findings).splitlines()
    assert lines[0].split() == ["severity", "location", "message", "action"]
    assert lines[1].startswith("info      classification.cla  classification of 125 models")
    assert len(lines) == len(findings) + 1
    assert "<td" in findings._repr_html_()
    assert "runs/C1" in findings.table()["location"]
    assert repr(sv.Contest(classes=["a", "a", "b", "b"]).findings) == "no findings"


def test_scores_are_not_a_kind_of_table():
    with pytest.raises(sv.ShrecViewerError, match="`evaluate` computes the scores, 'runs' and 'run_scores' are"):
        sv.open("demo").table("scores")
