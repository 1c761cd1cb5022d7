"""The JSON contract of the command line, and the rows of tables."""

import json
from dataclasses import replace

import numpy as np
import pytest
from independent_loaders import lists_of
from small_benchmarks import external, itself

from shrec_viewer import __version__
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.score_tables import scores_document, scores_rows, to_json
from shrec_viewer.metrics import find_profile

DEFAULT = find_profile("default")


def document(**options):
    scores = evaluate(external(), DEFAULT, measures=["NN", "AP(rel=2)", "CG@5"])
    return scores_document(scores, external(), **options)


def test_the_whole_document():
    source = "Järvelin, Kekäläinen: Cumulated gain-based evaluation of IR techniques. "
    source += "ACM Transactions on Information Systems 20(4), 2002"
    found = json.loads(to_json(document()))
    assert list(found) == ["schema", "version", "benchmark", "profile", "measures", "runs", "findings"]
    assert found["schema"] == "shrec-viewer/scores/1"
    assert found["version"] == __version__
    assert found["benchmark"] == "external"
    assert found["profile"] == "default"
    assert found["measures"][2] == {
        "key": "CG@5",
        "label": "Cumulated gain at 5",
        "better": "higher",
        "range": [0, None],
        "source": source,
    }
    assert found["measures"][1]["label"] == "Average precision (highly relevant)"
    assert found["measures"][1]["range"] == [0, 1]
    assert [run["name"] for run in found["runs"]] == ["full", "gaps"]
    gaps = found["runs"][1]
    assert list(gaps) == ["name", "participant", "mean", "class_mean", "missing_queries"]
    assert gaps["participant"] == "B"
    assert gaps["missing_queries"] == ["q1"]
    assert gaps["mean"]["AP(rel=2)"] == 0.125
    assert found["findings"] == [
        {"severity": "warning", "file": "gaps/q1", "line": 3, "message": "something odd", "action": "left out"}
    ]


def test_slices_have_their_means_and_curves():
    slices = {"first two": np.array([0, 1]), "last": np.array([3])}
    found, plain = document(curves=True, slices=slices), document(curves=True)
    for run, whole in zip(found["runs"], plain["runs"], strict=True):
        assert {key: value for key, value in run.items() if key != "slices"} == whole
        assert [(one["name"], list(one)) for one in run["slices"]] == [
            (name, ["name", "n", "mean", "class_mean", "curves"]) for name in slices
        ]
    full, gaps = (run["slices"] for run in found["runs"])
    every = [[values["NN"] for values in run["queries"].values()] for run in document(per_query=True)["runs"]]
    for parts, values, missing in zip((full, gaps), every, ([], ["q1"]), strict=True):
        defined = [value for value in values[:2] if value is not None] + [0.0] * len(missing)  # a missing list counts 0
        assert parts[0]["mean"]["NN"] == pytest.approx(np.mean(defined))
        assert (parts[0]["n"], parts[1]["n"]) == (len(defined), 1)
        assert parts[1]["mean"]["NN"] == values[3]
    table = scores_rows(evaluate(external(), DEFAULT, measures=["NN"]), slices=slices)
    assert [row[2] for row in table.rows[:4]] == ["mean", "class_mean", "slice:first_two", "slice:last"]
    assert table.rows[2][-1] == full[0]["mean"]["NN"]
    assert table.slices == {"slice:first_two": "first two", "slice:last": "last"}


def test_queries_and_curves_on_demand():
    found = document(per_query=True, curves=True)
    full, gaps = found["runs"]
    assert full["queries"]["q3"] == {"NN": 0.0, "AP(rel=2)": 0.5, "CG@5": 2.0}
    assert full["queries"]["q2"] == {"NN": None, "AP(rel=2)": None, "CG@5": 0.0}
    assert gaps["queries"]["q1"] == {"NN": None, "AP(rel=2)": None, "CG@5": None}
    assert tuple(full["curves"]) == DEFAULT.curves
    assert full["curves"]["CG"]["x"][:3] == [1.0, 2.0, 3.0]
    assert full["curves"]["CG"]["y"][:2] == [1.0, 7 / 3]
    assert full["curves"]["PR20"]["y"][0] is None  # no query has twenty relevant models


def test_full_precision_survives_the_text():
    scores = evaluate(external(), find_profile("shrec2006"))
    found = json.loads(to_json(scores_document(scores, external(), per_query=True)))
    for run, row in zip(found["runs"], scores.values, strict=True):
        for query, values in zip(scores.queries, row, strict=True):
            back = [
                np.nan if run["queries"][query][m.key] is None else run["queries"][query][m.key]
                for m in scores.measures
            ]
            np.testing.assert_array_equal(back, values)


def test_rows():
    scores = evaluate(external(), find_profile("shrec2006"), measures=["NN", "AP"])
    table = scores_rows(scores)
    assert table.header == ("run", "participant", "query", "status", "profile", "NN", "AP")
    assert [row[:5] for row in table.rows] == [
        (*name, "mean", "", "shrec2006") for name in (("full", "A"), ("gaps", "B"))
    ]
    assert table.rows[0][5] == scores.mean()[0, 0]
    both = scores_rows(evaluate(external(), DEFAULT, measures=["NN"]), per_query=True)
    assert [row[2] for row in both.rows] == ["q0", "q1", "q2", "q3", "mean", "class_mean"] * 2
    assert both.rows[2][5] is None
    assert not any(" " in row[2] or " " in row[3] for row in both.rows), "columns can be counted at blanks"


@pytest.mark.parametrize(
    ("changes", "statuses"),
    [
        ({}, ["answered", "missing_as_empty", "nothing_relevant", "answered"]),
        ({"missing_query": "skip"}, ["answered", "missing_left_out", "nothing_relevant", "answered"]),
        ({"missing_query": "common"}, ["answered", "missing_left_out", "nothing_relevant", "answered"]),
        ({"no_relevant": "zero"}, ["answered", "missing_as_empty", "nothing_relevant_as_zero", "answered"]),
        ({"min_class_size": 99}, ["left_out"] * 4),
    ],
    ids=str,
)
def test_rows_of_queries_have_a_status_and_add_up_to_the_mean(changes, statuses):
    profile = replace(find_profile("default"), average="queries", **changes)
    table = scores_rows(evaluate(external(), profile, runs=["gaps"], measures=["AP"]), per_query=True)
    *queries, (_, _, _, status, _, mean) = table.rows
    assert ([row[3] for row in queries], status) == (statuses, "")
    counted = [row[5] or 0.0 for row in queries if row[3] == "answered" or "_as_" in row[3]]
    assert mean == (pytest.approx(sum(counted) / len(counted)) if counted else None)


def test_a_query_that_another_run_lacks_has_its_own_status():
    profile = replace(find_profile("default"), average="queries", missing_query="common")
    rows = scores_rows(evaluate(external(), profile, runs=["full"], measures=["AP"]), per_query=True).rows
    assert [row[3] for row in rows] == ["answered", "not_common", "nothing_relevant", "answered", ""]


def test_rows_have_no_class_means_where_no_query_has_a_class():
    benchmark = itself()
    queries = type(benchmark.queries)(
        benchmark.queries.ids,
        benchmark.queries.paths,
        benchmark.queries.kinds,
        benchmark.queries.member,
        np.full(6, -1, np.int32),
    )
    scores = evaluate(type(benchmark)(**{**vars(benchmark), "queries": queries}), DEFAULT, measures=["NN"])
    assert [row[2] for row in scores_rows(scores).rows] == ["mean"]


def test_official_profile_lists_its_bugs_and_textbook_means():
    scores = evaluate(external(), find_profile("shrec2021"), measures=["NN", "FT"])
    found = json.loads(to_json(scores_document(scores, external())))
    assert list(found) == [
        "schema",
        "version",
        "benchmark",
        "profile",
        "measures",
        "evaluator_bugs",
        "runs",
        "findings",
    ]
    (bug,) = found["evaluator_bugs"]
    assert bug["measures"] == ["FT", "ST"]
    assert bug["message"].startswith("The program counts one relevant model too many")
    assert [measure["range"] for measure in found["measures"]] == [[0, 1], [0, 2]]
    full = found["runs"][0]
    mended = scores.textbook()
    assert full["textbook_mean"] == dict(zip(["NN", "FT"], mended.mean()[0], strict=True))
    assert full["textbook_class_mean"] == dict(zip(["NN", "FT"], mended.class_mean()[0], strict=True))
    assert full["textbook_mean"]["NN"] == full["mean"]["NN"]
    assert full["textbook_mean"]["FT"] < full["mean"]["FT"]
    rows = scores_rows(scores).rows
    assert [row[2] for row in rows] == ["mean", "class_mean", "textbook_mean", "textbook_class_mean"] * 2
    assert [row[4] for row in rows[:4]] == ["shrec2021"] * 2 + ["shrec2021-textbook"] * 2
    assert rows[2][6] == full["textbook_mean"]["FT"]


def test_anomalies_are_counted_in_the_document():
    benchmark = external()
    lists = lists_of([[0, 0, -1, 1], None, [2, -1], []], [[1.0, 1.0, 1.0, 1.0], [], [2.0, 2.0], []])
    odd = replace(benchmark, runs=(replace(benchmark.runs[0], ranking=lists),))
    (run,) = scores_document(evaluate(odd, DEFAULT), odd)["runs"]
    assert run["noticed"] == {"repeated": 1, "unknown": 2, "tied": 2}
    (clean, _) = scores_document(evaluate(benchmark, DEFAULT), benchmark)["runs"]
    assert "noticed" not in clean
