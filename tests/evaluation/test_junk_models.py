"""Models of level -1, from a folder of good, ok and junk models and from qrels: scores, lists, counts and exports."""

import numpy as np
import pytest

from shrec_viewer.evaluation.edits import AssessmentEdit, amended_qrels, with_edits
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.model_ranks import model_ranks
from shrec_viewer.evaluation.practical import random_pairs
from shrec_viewer.evaluation.query_subset import query_subset
from shrec_viewer.evaluation.ranked_list import contingency_counts, junk_cells, ranked_items, ranked_list
from shrec_viewer.formats.core.findings_log import with_profile_actions
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile

MODELS = [f"m{number}" for number in range(1, 7)]
LISTS = {"hall": "m5 m1 m6 m2 m3 m4", "attic": "m3 m4 m2 m5 m6 m1"}
PARTS = {
    "hall": {"good": "m1", "ok": "m2 m3", "junk": "m5 m6"},
    "attic": {"good": "m2", "ok": "", "junk": "m4"},
}
QRELS = {"good": 2, "ok": 1, "junk": -1}
AP_REMOVED = {"hall": (1 + 1 + 1) / 3, "attic": 1 / 2}
"""Without junk, hall lists 1 2 3 4 and attic 3 2 5 6 1."""
AP_NOT_RELEVANT = {"hall": (1 / 2 + 2 / 4 + 3 / 5) / 3, "attic": 1 / 3}


def write_run(folder):
    for query, models in LISTS.items():
        path = folder / "runs" / "sys" / f"{query}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(models.replace(" ", "\n") + "\n")


@pytest.fixture
def folder(tmp_path):
    write_run(tmp_path)
    (tmp_path / "gt").mkdir()
    for query, parts in PARTS.items():
        for part, models in parts.items():
            (tmp_path / "gt" / f"{query}_{part}.txt").write_text(models.replace(" ", "\n") + "\n")
        (tmp_path / "gt" / f"{query}_query.txt").write_text("oxc1_m1 136.5 34.1 648.5 955.7\n")
    return tmp_path


@pytest.fixture
def qrels(tmp_path):
    write_run(tmp_path)
    lines = [
        f"{query} 0 {model} {QRELS[part]}\n"
        for query, parts in PARTS.items()
        for part, models in parts.items()
        for model in models.split()
    ]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    return tmp_path


def precisions(benchmark, key):
    scores = evaluate(benchmark, find_profile(key), measures=["AP"])
    return dict(zip(benchmark.queries.ids, scores.values[0, :, 0].tolist(), strict=True))


def test_folder_removes_junk_unless_a_profile_is_chosen(folder):
    benchmark = read_benchmark(folder)
    assert [run.name for run in benchmark.runs] == ["sys"]
    assert benchmark.profile == "default+junk=removed"
    assert precisions(benchmark, benchmark.profile) == pytest.approx(AP_REMOVED)
    assert precisions(benchmark, "default") == pytest.approx(AP_NOT_RELEVANT)
    assert not [finding for finding in benchmark.findings if "gt" in finding.message]
    assert {finding.severity for finding in benchmark.findings} == {"info"}
    (folder / "benchmark.toml").write_text('[benchmark]\nprofile = "psb"\n')
    assert read_benchmark(folder).profile == "psb"


def test_qrels_count_junk_as_not_relevant_unless_it_is_removed(qrels):
    benchmark = read_benchmark(qrels)
    assert benchmark.profile == "default"
    assert precisions(benchmark, "default") == pytest.approx(AP_NOT_RELEVANT)
    assert precisions(benchmark, "default+junk=removed") == pytest.approx(AP_REMOVED)
    (found,) = [finding for finding in benchmark.findings if finding.key == "junk"]
    assert found.count == 3
    (kept,) = [one for one in with_profile_actions(benchmark, find_profile("default")) if one.key == "junk"]
    assert kept.setting.option == "--convention junk=removed"
    assert kept.action.endswith("to remove such models from lists before ranking")
    profile = find_profile("default+junk=removed")
    (removed,) = [one for one in with_profile_actions(benchmark, profile) if one.key == "junk"]
    assert removed.setting is None
    assert removed.action == "removed from lists before ranking"


@pytest.mark.parametrize("as_matrix", [False, True])
def test_lists_counts_and_ranks_agree_with_the_scores(folder, as_matrix):
    if as_matrix:
        (folder / "gt").rename(folder / "truth")
        for path in (folder / "runs" / "sys").iterdir():
            path.unlink()
        order = [[0.25 + models.split().index(model) / 8 for model in MODELS] for models in LISTS.values()]
        lines = [",".join(["", *MODELS])]
        lines += [",".join([query, *map(str, row)]) for query, row in zip(LISTS, order, strict=True)]
        (folder / "runs" / "sys.csv").write_text("\n".join(lines) + "\n")
    benchmark = read_benchmark(folder)
    removed, kept = find_profile("default+junk=removed"), find_profile("default")
    query = benchmark.queries.index["hall"]
    (run,) = benchmark.runs
    names = [benchmark.collection.ids[item] for item in ranked_items(benchmark, run, query, removed)]
    assert names == ["m1", "m2", "m3", "m4"]
    assert len(ranked_items(benchmark, run, query, kept)) == 6
    listed = ranked_list(benchmark, run, query, removed)
    counts = contingency_counts(benchmark, removed, query, listed, 2)
    assert (counts.tp, counts.fp, counts.fn, counts.tn) == (2, 0, 1, 1)
    found = model_ranks(benchmark, removed, benchmark.collection.index["m4"])
    assert found.ranks[0, query] == 4
    assert found.ranks[0, benchmark.queries.index["attic"]] == 0
    hits = evaluate(benchmark, removed, measures=["AP"]).hits[0]
    assert hits.collection_size[query] == 4


def test_subset_edits_sample_and_export_keep_junk(folder):
    benchmark = read_benchmark(folder)
    query, n_models = benchmark.queries.index["hall"], len(MODELS)
    subset = query_subset(benchmark, np.array([query]))
    assert subset.assessment.junk(0).tolist() == benchmark.assessment.junk(query).tolist()
    cells = junk_cells(benchmark.assessment, n_models)
    drawn = random_pairs(np.full(2, -1), n_models, 99, junk=cells)
    assert {*(drawn.query * n_models + drawn.model).tolist()} == {*range(2 * n_models)} - {*cells.tolist()}
    edited = with_edits(benchmark, [AssessmentEdit("hall", "m5", 0, 1)])
    lines = {*amended_qrels(edited).splitlines()}
    assert {"hall 0 m5 1", "hall 0 m6 -1", "attic 0 m4 -1", "hall 0 m1 2"} <= lines
    assert edited.assessment.has_junk
    assert precisions(edited, benchmark.profile)["hall"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("difficulty", "items", "precision"),
    [("easy", "m1 m4", 1.0), ("medium", "m1 m2 m3 m4", 1.0), ("hard", "m2 m3 m4", 1.0)],
)
def test_models_of_another_difficulty_are_junk(folder, difficulty, items, precision):
    """Good models are easy, ok ones hard; scores, list, levels, counts and ranks of models agree."""
    benchmark = read_benchmark(folder)
    profile, query = find_profile(f"oxford+difficulty={difficulty}"), benchmark.queries.ids.index("hall")
    scores = evaluate(benchmark, profile, measures=["AP(trapezoid)"])
    assert scores.values[0, query, 0] == precision
    run = benchmark.runs[0]
    shown = ranked_list(benchmark, run, query, profile)
    names = [benchmark.collection.ids[item] for item in shown.items]
    assert names == items.split()
    hits = scores.hits[0].rows(query, query + 1)
    assert shown.levels[shown.levels > 0].tolist() == hits.levels.tolist()
    counts = contingency_counts(benchmark, profile, query, shown, len(names))
    assert (counts.tp, counts.fn, counts.collection) == (len(hits.ranks), 0, int(hits.collection_size[0]))
    found = model_ranks(benchmark, profile, benchmark.collection.ids.index("m2"))
    assert found.ranks[0, query] == (0 if "m2" not in names else names.index("m2") + 1)
    assert found.levels[query] == (0 if difficulty == "easy" else 1)
