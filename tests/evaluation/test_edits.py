"""Edits of an assessment: reading, application, export, and the option --edits."""

import json
from dataclasses import replace

import numpy as np
import pytest
from small_benchmarks import external, itself

from shrec_viewer.cli.program import run as run_program
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.edits import (
    AssessmentEdit,
    amended_qrels,
    edited_queries,
    edits_as_overrides,
    edits_as_qrels,
    edits_as_text,
    level_of,
    original_assessment,
    read_edits,
    with_edits,
)
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.query_subset import means_with, rescored
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.io.schema import read_data, to_data
from shrec_viewer.formats.manifest.edit_state import EDIT_CODECS, Levels
from shrec_viewer.metrics import PROFILES, Measure, find_profile, set_extra_rows

EDITS = (AssessmentEdit("q0", "d", 1, 0), AssessmentEdit("q0", "f", 0, 2), AssessmentEdit("q2", "e", 0, 1))


def expanded(benchmark):
    """The same levels as pairs of the original kind, by an independent path."""
    from independent_loaders import pairs_of

    gains = [benchmark.assessment.gains(q, len(benchmark.collection)) for q in range(len(benchmark.queries))]
    rows = [{int(m): int(g[m]) for m in np.flatnonzero(g)} for g in gains]
    return replace(benchmark, assessment=pairs_of(rows))


def test_edits_replace_pairs_and_nothing_else():
    before = external()
    after = with_edits(before, EDITS)
    assert [level_of(after, 0, model) for model in range(6)] == [2, 2, 0, 0, 0, 2]
    assert [level_of(after, 1, model) for model in range(6)] == [level_of(before, 1, model) for model in range(6)]
    assert level_of(after, 2, 4) == 1
    assert original_assessment(after) is before.assessment
    assert with_edits(after, ()).assessment is before.assessment
    assert edited_queries(before, after).tolist() == [0, 2]
    assert edited_queries(after, after).tolist() == []


@pytest.mark.parametrize("make", [external, itself, lambda: itself(graded=True)])
def test_scores_equal_those_of_an_assessment_with_these_levels(make):
    benchmark = make()
    ids, queries = benchmark.collection.ids, benchmark.queries.ids
    rng = np.random.default_rng(2)
    edits = [
        AssessmentEdit(queries[q], ids[m], 0, int(rng.integers(0, 3)))
        for q in range(len(queries)) for m in rng.permutation(len(ids))[:2]
    ]  # fmt: skip
    edited = with_edits(benchmark, edits[:-4])
    for profile in PROFILES:
        keys = ["AP", "NDCG", "FT", "ST"]
        found, expected = (evaluate(b, profile, measures=keys).raw_values for b in (edited, expanded(edited)))
        np.testing.assert_array_equal(found, expected)


def test_amended_qrels_read_back(tmp_path):
    edited = with_edits(external(), EDITS)
    path = tmp_path / "amended.qrels"
    path.write_text(amended_qrels(edited), encoding="utf-8")
    from shrec_viewer.formats.truth.qrels import read_qrels

    found = read_qrels(path)
    pairs = {(found.queries[q], m): int(v) for q, m, v in zip(found.query, found.models, found.level, strict=True)}
    expected = {
        (name, edited.collection.ids[m]): level_of(edited, q, m)
        for q, name in enumerate(edited.queries.ids) for m in range(6) if level_of(edited, q, m)
    }  # fmt: skip
    assert pairs == expected
    assert ("q0", "d") in {(found.queries[q], m) for q, m in zip(found.zero_query, found.zero_models, strict=True)}


def test_edits_as_qrels_are_read_as_the_same_edits(tmp_path):
    path = tmp_path / "edits.qrels"
    path.write_text(edits_as_qrels(EDITS), encoding="utf-8")
    found, findings = read_edits(path, external())
    assert {(edit.pair, edit.former, edit.level) for edit in found} == {
        (edit.pair, edit.former, edit.level) for edit in EDITS
    }
    assert findings == ()


def test_unknown_ids_and_invalid_lines_are_findings(tmp_path):
    path = tmp_path / "edits.qrels"
    path.write_text("q0 0 d 0\nq0 0 nothing 0\nq0 0 other 2\nq9 0 d 0\nnot a line\nq0 0 d 2\n", encoding="utf-8")
    found, findings = read_edits(path, external())
    assert [(edit.pair, edit.level) for edit in found] == [(("q0", "d"), 0)]
    messages = {(finding.line, finding.message.partition(":")[0]) for finding in findings}
    assert (2, "2 models are unknown") in messages
    assert (4, "1 query is unknown") in messages
    assert {finding.line for finding in findings} == {2, 4, 5, 6}


def test_overrides_read_back_as_the_same_levels(tmp_path):
    """Lines for benchmark.toml, in a folder whose relevance comes from classes."""
    (tmp_path / "classes.cla").write_text("PSB 1\n2 4\n\nleft 0 2\na\nb\n\nright 0 2\nc\nd\n")
    (tmp_path / "one.run").write_text(
        "".join(f"{q} Q0 {m} {n} {9 - n} x\n" for q in "abcd" for n, m in enumerate("dcba"))
    )
    benchmark = read_benchmark(tmp_path)
    ids = benchmark.collection.ids
    edits = [AssessmentEdit(ids[0], ids[1], 1, 0, reason="two\nlines"), AssessmentEdit(ids[0], ids[3], 0, 2)]
    edits += [AssessmentEdit(ids[2], ids[0], 0, 1)]
    text = edits_as_overrides(benchmark, edits)
    (tmp_path / "benchmark.toml").write_text(text)
    again, edited = read_benchmark(tmp_path), with_edits(benchmark, edits)
    for query in range(len(ids)):
        for one, other in zip(again.assessment.relevant(query), edited.assessment.relevant(query), strict=True):
            np.testing.assert_array_equal(one, other)


def test_names_in_overrides_are_quoted(tmp_path):
    import tomllib

    (tmp_path / "classes.cla").write_text("PSB 1\n1 2\n\nleft 0 2\na\nb\n")
    benchmark = read_benchmark(tmp_path)
    odd = ["q 1", 'a"b', "c]d", "é#\\n"]
    edits = [AssessmentEdit(name, name, 0, 1, reason='" ] #') for name in odd]
    found = tomllib.loads(edits_as_overrides(benchmark, edits))["assessment"]["levels"]
    assert found == {name: {name: 1} for name in odd}
    with pytest.raises(ShrecViewerError, match="name of a class"):
        edits_as_overrides(benchmark, [AssessmentEdit("a", "left", 0, 1)])
    with pytest.raises(ShrecViewerError, match="does not come from classes"):
        edits_as_overrides(replace(benchmark, assessment=None), edits)


def test_a_readable_list_names_author_time_and_reason():
    edit = AssessmentEdit("q0", "d", 1, 0, "Ann", "2026-11-23T06:00:00Z", "not a dog")
    assert edits_as_text([edit]) == "q0 d: 1 -> 0 (Ann, 2026-11-23T06:00:00Z, not a dog)\n"


def test_documents_keep_all_fields_and_ignore_invalid_rows():
    edit = AssessmentEdit("q0", "d", 1, 0, "Ann", "2026", "why")
    levels = {edit.pair: edit}
    rows = to_data(levels, EDIT_CODECS, Levels)
    assert read_data(Levels, json.loads(json.dumps(rows)), EDIT_CODECS) == (levels, [])
    odd = [3, {}, {"query": 1}, {**rows[0], "level": 300}, {**rows[0], "level": True}, {**rows[0], "author": 3}]
    found, faults = read_data(Levels, [*odd, *rows], EDIT_CODECS)
    assert found == levels
    assert [fault.path for fault in faults] == ["0", "1", "2.query", "3.level", "4.level", "5.author"]
    assert read_data(Levels, {"a": 1}, EDIT_CODECS)[0] is None
    assert read_data(Levels, [{**rows[0], "reason": "x" * 99_999}], EDIT_CODECS)[0] == {
        edit.pair: replace(edit, reason="")
    }


def test_without_assessment_edits_are_an_error():
    with pytest.raises(ShrecViewerError, match="no relevance assessment"):
        with_edits(replace(external(), assessment=None), EDITS)


def test_evaluate_with_edits(capsys, tmp_path):
    def scores(*words):
        status = run_program(("evaluate", "demo", "--format", "json", "--per-query", "--measure", "AP", *words))
        captured = capsys.readouterr()
        return status, json.loads(captured.out), captured.err

    _, before, _ = scores()
    query = next(iter(before["runs"][0]["queries"]))
    path = tmp_path / "edits.qrels"
    path.write_text(f"{query} 0 no-such-model 1\n", encoding="utf-8")
    status, after, err = scores("--edits", str(path))
    assert status == 1
    assert "no-such-model" in err
    assert any("no-such-model" in finding["message"] for finding in after["findings"])
    assert [run["mean"] for run in after["runs"]] == [run["mean"] for run in before["runs"]]


@pytest.mark.parametrize("make", [external, itself, lambda: itself(graded=True)])
@pytest.mark.parametrize("profile", [profile.key for profile in PROFILES])
def test_scores_of_edited_queries_equal_those_of_all(make, profile):
    benchmark, rng = make(), np.random.default_rng(8)
    conventions = find_profile(profile)
    ids, queries = benchmark.collection.ids, benchmark.queries.ids
    for _ in range(6):
        pairs = [(int(rng.integers(len(queries))), int(rng.integers(len(ids)))) for _ in range(3)]
        edits = [AssessmentEdit(queries[q], ids[m], 0, int(rng.integers(0, 3))) for q, m in pairs]
        before = evaluate(benchmark, conventions)
        edited = with_edits(benchmark, edits)
        expected = evaluate(edited, conventions, measures=[measure.key for measure in before.measures])
        found = rescored(before, edited, edited_queries(benchmark, edited))
        assert found.benchmark is edited
        np.testing.assert_array_equal(found.raw_values, expected.raw_values)
        np.testing.assert_array_equal(found.mean(), expected.mean())
        np.testing.assert_array_equal(found.excluded, expected.excluded)
        for ours, theirs in zip(found.hits, expected.hits, strict=True):
            for name in ("indptr", "ranks", "levels", "list_length", "class_sizes", "collection_size", "own_rank"):
                np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
        for ours, theirs in zip(found.anomalies, expected.anomalies, strict=True):
            np.testing.assert_array_equal(ours.tied, theirs.tied)
            np.testing.assert_array_equal(ours.cut, theirs.cut)


def _share_of_largest(hits, _profile, level, _cutoff):
    """Relevant models of a query as a share of those of the query that has most."""
    return hits.relevant_size(level) / hits.largest_size(level)


def test_an_edit_changes_all_queries_of_a_measure_that_uses_the_largest_class():
    row = Measure(
        "Share", "Share", "none", (0.0, 1.0), "", "Share = C / max C", "", _share_of_largest, uses_largest_class=True
    )
    set_extra_rows([row], [], [])
    try:
        benchmark, profile = external(), find_profile("default")
        before = evaluate(benchmark, profile, measures=["Share"])
        edited = with_edits(benchmark, [AssessmentEdit("q0", model, 0, 1) for model in benchmark.collection.ids])
        queries = edited_queries(benchmark, edited)
        assert queries.tolist() == [0]
        expected = evaluate(edited, profile, measures=["Share"])
        assert np.any(expected.raw_values[0, 1:, 0] < before.raw_values[0, 1:, 0])
        np.testing.assert_array_equal(rescored(before, edited, queries).raw_values, expected.raw_values)
        np.testing.assert_array_equal(means_with(before, edited, queries), expected.mean())
    finally:
        set_extra_rows([], [], [])
