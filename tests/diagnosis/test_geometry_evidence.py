"""Rigid geometry as evidence: sentences about models, classes where it fails, and false positives that look alike."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shrec_viewer.content.contents import FIGURES, TABLES, build_chart, build_table
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.diagnosis.error_budget import (
    NO_GEOMETRY,
    ErrorBudgetRequest,
    FalsePositivesRequest,
    false_positives_table,
)
from shrec_viewer.content.diagnosis.reasons import geometry_of_query, query_reason
from shrec_viewer.diagnosis.document import DEFAULT_SECTIONS, diagnosis_document
from shrec_viewer.diagnosis.error_budget import BudgetWork
from shrec_viewer.domain import Finding, RankedLists, Run, Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.geometry_evidence import (
    GEOMETRY,
    GEOMETRY_EVIDENCE,
    GeometryRanks,
    evidence_note,
    first_verdict,
    geometry_note,
    geometry_ranks,
    geometry_run,
    weak_classes,
)
from shrec_viewer.evaluation.score_tables import scores_document
from shrec_viewer.evaluation.virtual_runs import virtual_run_findings
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile
from shrec_viewer.report.figures.rendering import figure_bytes

PROFILE = find_profile("default")

#: Models a1 to a3, b1 to b3 and x1 to x4 of three classes.
MODELS = ("a1", "a2", "a3", "b1", "b2", "b3", "x1", "x2", "x3", "x4")

#: Lists of queries qa, relevant are a1 to a3, and qb, relevant are b1 to b3.
LISTS = {
    "A": ("b1 x1 a1 a2 x2 b2 b3 a3 x3 x4", "b1 b2 b3 a1 a2 a3 x1 x2 x3 x4"),
    "B": ("x1 a1 a2 a3 b1 b2 b3 x2 x3 x4", "b1 b2 b3 a1 a2 a3 x1 x2 x3 x4"),
    "C": ("x1 a2 b1 a1 a3 b2 b3 x2 x3 x4", "b1 b2 b3 a1 a2 a3 x1 x2 x3 x4"),
}
GEOMETRY_LISTS = ("a1 x1 a3 x2 x3 a2 x4 b2 b1", "x1 x2 x3 x4 a1 a2 a3 b3 b2 b1")


@pytest.fixture
def benchmark(tmp_path):
    lines = ["PSB 1", "3 10", "a 0 3", *MODELS[:3], "b 0 3", *MODELS[3:6], "x 0 4", *MODELS[6:]]
    (tmp_path / "models.cla").write_text("\n".join(lines) + "\n")
    levels = [
        f"{query} 0 {model} 1" for query, group in (("qa", "a"), ("qb", "b")) for model in MODELS if model[0] == group
    ]
    levels += [f"qa 0 {model} 0" for model in MODELS if model[0] == "x"]
    (tmp_path / "qrels.txt").write_text("\n".join(levels) + "\n")
    for name, lists in LISTS.items():
        rows = [
            f"{query} 0 {model} {rank} {-rank} {name}"
            for query, models in zip(("qa", "qb"), lists, strict=True)
            for rank, model in enumerate(models.split(), 1)
        ]
        (tmp_path / f"{name}.run").write_text("\n".join(rows) + "\n")
    return read_benchmark(tmp_path)


@pytest.fixture
def judged(benchmark):
    """The benchmark with a run by geometry, as `virtual_run` makes it."""
    index = benchmark.collection.index
    rows = [[index[model] for model in text.split()] for text in GEOMETRY_LISTS]
    ranking = RankedLists(
        np.array([0, len(rows[0]), len(rows[0]) + len(rows[1])]),
        np.array([*rows[0], *rows[1]], np.int32),
        np.arange(float(len(rows[0]) + len(rows[1]))),
        np.ones(2, np.bool_),
    )
    return replace(benchmark, runs=(*benchmark.runs, Run(GEOMETRY, "virtual", Path(), ranking, expression=GEOMETRY)))


def content(benchmark):
    return ContentData(benchmark, PROFILE, evaluate(benchmark, PROFILE))


def test_ranks_and_agreement_by_hand(judged):
    index = judged.collection.index
    found = geometry_ranks(judged, PROFILE, 0)
    assert (found.size, found.n_runs) == (3, 3), "virtual runs do not vote"
    assert [int(found.ranks[index[name]]) for name in ("a1", "x1", "a2", "b1", "b3")] == [1, 2, 6, 9, 0]
    assert [int(found.agreeing[index[name]]) for name in ("x1", "b1", "a3", "x4")] == [3, 2, 0, 0]


@pytest.mark.parametrize(
    ("model", "rank", "expected"),
    [
        ("b1", 1, "run rank 1, geometry rank 9, 2 of 3 runs agree: likely the method"),
        ("x1", 2, "run rank 2, geometry rank 2, level 0, 3 of 3 runs agree: looks alike"),
        ("a3", 8, "run rank 8, geometry rank 3, 0 of 3 runs find it: likely the method"),
        ("a3", 0, "not in the run, geometry rank 3, 0 of 3 runs find it: likely the method"),
        ("a1", 3, "run rank 3, geometry rank 1"),
        ("a2", 4, "run rank 4, geometry rank 6"),
        ("x2", 1, "run rank 1, geometry rank 4"),
        ("x3", 5, "run rank 5, geometry rank 5"),
        ("b3", 7, ""),
    ],
)
def test_sentences_by_hand(judged, model, rank, expected):
    found = geometry_ranks(judged, PROFILE, 0)
    assert found.sentence(judged.collection.index[model], rank) == expected


def test_label_needs_other_evidence_than_geometry(judged):
    index = judged.collection.index
    found = geometry_ranks(judged, PROFILE, 0, doubtful=[index["x1"], index["b1"], index["a1"]])
    label = "run rank 1, geometry rank 2, level 0, 3 of 3 runs agree: likely the label"
    assert found.sentence(index["x1"], 1) == label
    assert found.sentence(index["b1"], 1).endswith("likely the method"), "geometry agrees with its level"
    assert found.sentence(index["a1"], 1) == "run rank 1, geometry rank 1"
    far = replace(found, ranks=np.where(found.ranks == 1, 7, found.ranks))
    assert far.sentence(index["a1"], 1) == "run rank 1, geometry rank 7, level 1, 2 of 3 runs find it: likely the label"
    weak = replace(found, weak_class="a")
    assert weak.sentence(index["x1"], 1).endswith(": no evidence for a, where geometry fails")


def test_unknown_models_and_queries_without_relevant_ones_have_no_sentence(judged):
    found = geometry_ranks(judged, PROFILE, 0)
    assert found.sentence(-1, 1) == ""
    assert replace(found, size=0).sentence(0, 1) == ""
    assert first_verdict(found, np.array([-1, 0], np.int32)) == (0, "")
    empty = GeometryRanks(*(np.zeros(0, np.int64),) * 2, np.zeros(0, np.uint8), 0, 0, 1, "")
    assert empty.sentence(0, 1) == ""


def test_classes_where_geometry_fails_are_named(judged):
    assert weak_classes(judged, PROFILE) == ()
    index = judged.collection.index
    row = judged.runs[-1]
    late = np.array([index[name] for name in GEOMETRY_LISTS[1].split()[:7]], np.int32)
    ranking = replace(row.ranking, items=np.concatenate([row.ranking.items[:9], late]), indptr=np.array([0, 9, 16]),
                      distances=np.arange(16.0))  # fmt: skip
    failing = replace(judged, runs=(*judged.runs[:-1], replace(row, ranking=ranking)))
    assert weak_classes(failing, PROFILE) == ("b",)
    (finding,) = virtual_run_findings(failing, {GEOMETRY: failing.runs[-1]}, "", PROFILE)
    assert finding.message == "geometry(): rigid geometry: evidence, not truth; here its AP is below 0.1 for b"
    assert evidence_note(()) == "Rigid geometry: evidence, not truth."
    work = BudgetWork(evaluate(failing, PROFILE, measures=["AP"]), "AP")
    assert work.geometry(1).weak_class == "b"
    assert work.geometry(0).weak_class == ""


def test_column_of_false_positives_that_look_alike(judged, benchmark):
    data = content(judged)
    of_query = false_positives_table(data, FalsePositivesRequest(runs=("A",), query="qa"))
    rows = {row[0]: row for row in of_query.rows}
    column = [one.key for one in of_query.columns].index("looks alike")
    assert {name: row[column] for name, row in rows.items()} == {
        "b1": "no", "x1": "yes", "x2": "no", "b2": "no", "b3": "",
    }  # fmt: skip
    assert of_query.notes[-1].endswith("Rigid geometry: evidence, not truth.")
    mean = false_positives_table(data, FalsePositivesRequest(runs=("A",)))
    column = [one.key for one in mean.columns].index("looks alike")
    assert {row[0]: row[column] for row in mean.rows} == {"b1": 0, "x1": 1, "x2": 0, "b2": 0, "b3": 0}
    for lacking, run, reason in ((content(benchmark), "A", NO_GEOMETRY), (data, GEOMETRY, evidence_note(()))):
        table = false_positives_table(lacking, FalsePositivesRequest(runs=(run,)))
        assert "looks alike" not in [one.key for one in table.columns]
        assert table.notes[-1] == reason


def test_reason_of_a_query_says_what_geometry_does(judged, benchmark):
    request = ErrorBudgetRequest(runs=("A",), query="qa")
    (part,) = (part for part in query_reason(content(judged), request) if "geometry" in part.text)
    assert (part.text, part.rank) == ("run rank 1, geometry rank 9, 2 of 3 runs agree: likely the method", 1)
    assert part.note == evidence_note(())
    assert not any("geometry" in part.text for part in query_reason(content(benchmark), request))
    assert geometry_of_query(content(benchmark), request) is None
    own = query_reason(content(judged), replace(request, runs=(GEOMETRY,)))
    assert not any("geometry rank" in part.text for part in own)


def test_diagnosis_has_fields_of_geometry_only_where_it_was_chosen(judged, benchmark):
    sections = (*DEFAULT_SECTIONS, "queries")
    plain, found = (
        diagnosis_document(BudgetWork(evaluate(one, PROFILE, measures=["AP"]), "AP", 1), ("A",), sections)
        for one in (benchmark, judged)
    )
    assert "geometry" not in plain
    assert found["geometry"] == {"note": evidence_note(()), "weak_classes": []}
    (row, other) = found["runs"][0]["queries"]
    assert row.pop("geometry") == "run rank 1, geometry rank 9, 2 of 3 runs agree: likely the method"
    assert other.pop("geometry") is None
    models = {one["model"]: one.pop("looks_alike") for one in found["runs"][0]["hubs"]["models"]}
    assert models["b1"] == 0
    assert plain["runs"][0]["queries"] == found["runs"][0]["queries"]
    assert plain["runs"][0]["hubs"] == found["runs"][0]["hubs"]


def test_only_the_whole_run_is_evidence(judged):
    cut = replace(judged.runs[-1], expression="geometry(depth=2)")
    assert geometry_run(replace(judged, runs=(*judged.runs[:-1], cut))) is None
    assert geometry_run(judged) is judged.runs[-1]


NOTE = "geometry(): rigid geometry: evidence, not truth; here its AP is below 0.1 for b."


@pytest.fixture
def marked(judged):
    """The benchmark with the finding about its run by geometry, whose AP is low for a class."""
    finding = Finding(Severity.INFO, "", None, NOTE.rstrip("."), "", key=GEOMETRY_EVIDENCE)
    return content(replace(judged, findings=(*judged.findings, finding)))


def test_note_of_geometry_in_the_document_of_scores(marked):
    runs = {run["name"]: run for run in scores_document(marked.scores, marked.benchmark)["runs"]}
    assert runs[GEOMETRY]["virtual"]["note"] == NOTE
    assert not any("virtual" in run for name, run in runs.items() if name != GEOMETRY)


@pytest.mark.parametrize("kind", ["precision_recall", "gain", "leaderboard", "heat_map", "strips", "significance"])
def test_figures_with_the_run_by_geometry_are_marked(marked, kind):
    row = FIGURES[kind]
    shown, others = row.request(), row.request(runs=("A", "B"))
    assert build_chart(marked, shown).notes == (NOTE,)
    assert build_chart(marked, replace(others, runs=(GEOMETRY,))).notes == (NOTE,)
    assert build_chart(marked, others).notes == ()
    drawn, plain = (figure_bytes(build_chart(marked, one), "svg") for one in (shown, others))
    assert b"rigid geometry: evidence, not truth" in drawn
    assert b"rigid geometry" not in plain


@pytest.mark.parametrize("kind", ["runs", "significance", "heat_map"])
def test_tables_with_the_run_by_geometry_are_marked(marked, kind):
    row = TABLES[kind]
    assert NOTE in build_table(marked, row.request()).notes
    assert NOTE not in build_table(marked, row.request(runs=("A", "B"))).notes


def test_note_of_geometry_without_a_finding_about_it(judged, benchmark):
    assert geometry_note(judged) == "geometry(): rigid geometry: evidence, not truth."
    assert geometry_note(judged, ("A",)) == ""
    assert geometry_note(benchmark) == ""
