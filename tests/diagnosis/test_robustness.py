"""Robustness of rankings: intervals and pairs against scoring each variant separately, and the command."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sample_benchmark import write_sample_benchmark
from small_benchmarks import external, itself

from shrec_viewer.cli.program import run as run_program
from shrec_viewer.diagnosis.robustness import examine_robustness, robustness_document
from shrec_viewer.domain import Benchmark, Cancelled, ShrecViewerError
from shrec_viewer.evaluation.comparison.leaderboards import ranks_of
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.metrics import PROFILES, find_measure, find_profile, with_conventions
from shrec_viewer.metrics.profiles.conventions import parse_convention


def means_of_variant(benchmark: Benchmark, profile, measure: str, key: str) -> np.ndarray:
    """Means of the runs after the change that a key names, by separate calls; higher is better."""
    name, _, value = key.partition("=")
    ties, over_classes = "profile", False
    if name == "profile":
        profile = find_profile(value)
    elif name == "measure":
        measure = value
    elif name == "mean":
        over_classes = True
    elif key in ("ties=optimistic", "ties=pessimistic"):
        ties = value
    else:
        profile = with_conventions(profile, dict([parse_convention(key)]))
    scores = evaluate(benchmark, profile, measures=[measure], ties=ties)
    means = (scores.class_mean() if over_classes else scores.mean())[:, 0]
    return -means if find_measure(measure).better == "lower" else means


@pytest.mark.parametrize(("profile", "measure"), [("shrec2006", None), ("default", "NDCG"), ("trec", "FP")])
def test_every_variant_equals_a_separate_evaluation(shrec06, profile, measure):
    few = replace(shrec06, runs=shrec06.runs[::3])
    conventions = find_profile(profile)
    found = examine_robustness(few, conventions, measure)
    assert len({variant.key for variant in found.variants}) == len(found.variants) > 40
    expected = {v.key: means_of_variant(few, conventions, found.measure.key, v.key) for v in found.variants}
    for variant in found.variants:
        np.testing.assert_allclose(variant.values, expected[variant.key], rtol=0, atol=1e-14)
    ranks = np.array([ranks_of(found.values), *(ranks_of(values) for values in expected.values())])
    assert found.intervals.tolist() == [[int(c.min()), int(c.max())] for c in ranks.T]
    for pair in found.pairs:
        a, b = found.runs.index(pair.a), found.runs.index(pair.b)
        assert found.values[a] >= found.values[b]
        reversed_by = {key for key, values in expected.items() if values[b] > values[a] + 1e-12}
        if found.values[a] > found.values[b]:
            assert set(pair.changed_by) == reversed_by
        assert pair.settled == (not pair.changed_by)


def test_variants_cover_profiles_ties_and_what_the_data_allow():
    graded = {variant.key for variant in examine_robustness(external(), find_profile("default")).variants}
    assert {f"profile={profile.key}" for profile in PROFILES[1:]} <= graded
    assert {"missing_query=skip", "no_relevant=zero", "relevant_from=2", "measure=NN", "mean=classes"} <= graded
    assert not {"self_match=keep", "relevant_from=3", "list_cut=100"} & graded
    own = {variant.key for variant in examine_robustness(itself(), find_profile("default")).variants}
    assert "self_match=keep" in own
    assert not {"missing_query=skip", "relevant_from=2"} & own


def test_ranks_of_equal_and_undefined_values():
    assert ranks_of(np.array([np.nan, 0.2, 0.2, 0.9])).tolist() == [4, 2, 2, 1]
    assert ranks_of(np.zeros(0)).tolist() == []


def test_errors():
    with pytest.raises(ShrecViewerError, match="no relevance assessment"):
        examine_robustness(replace(external(), assessment=None), find_profile("default"))
    with pytest.raises(ShrecViewerError, match="no runs"):
        examine_robustness(replace(external(), runs=()), find_profile("default"))
    with pytest.raises(Cancelled):
        examine_robustness(external(), find_profile("default"), cancelled=lambda: True)


def test_document(shrec06):
    document = json.loads(json.dumps(robustness_document(examine_robustness(shrec06, find_profile("shrec2006")))))
    assert document["schema"] == "shrec-viewer/robustness/1"
    ranks = [run["rank"] for run in document["runs"]]
    assert ranks == sorted(ranks)
    assert all(low <= run["rank"] <= high for run in document["runs"] for low, high in [run["rank_interval"]])
    assert len(document["pairs"]) == 13 * 12 / 2
    keys = {variant["key"] for variant in document["variants"]}
    assert all(set(pair["changed_by"]) <= keys for pair in document["pairs"])


def test_command_with_one_run(capsys, tmp_path):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark", meshes=False)
    head, first, *_ = (folder / "benchmark.toml").read_text().split("[[runs]]")
    (folder / "benchmark.toml").write_text(f"{head}[[runs]]{first}")
    for path in (folder / "runs").iterdir():
        if path.name not in first:
            path.rename(tmp_path / path.name)
    assert run_program(("robustness", str(folder))) == 0
    assert "There is one run, and no pair of runs to compare." in capsys.readouterr().out


@pytest.mark.parametrize("form", ["table", "csv", "json", "latex", "markdown"])
def test_command(capsys, form):
    assert run_program(("robustness", "demo", "--measure", "AP", "--format", form)) == 0
    out = capsys.readouterr().out
    assert "B2" in out
    if form == "json":
        assert json.loads(out)["measure"] == "AP"
