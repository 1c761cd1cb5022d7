"""Values of the pages about suspects and edits, without building a site."""

from types import SimpleNamespace

import pytest

from shrec_viewer.evaluation.edits import AssessmentEdit, with_edits
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile
from shrec_viewer.report.site import diagnosis_pages
from shrec_viewer.resources import resource


@pytest.fixture(scope="module")
def site():
    benchmark, profile = read_benchmark(resource("demo")), find_profile("shrec2006")
    scores = SimpleNamespace(runs=[run.name for run in benchmark.runs], queries=benchmark.queries.ids)
    return SimpleNamespace(benchmark=benchmark, profile=profile, scores=scores)


def test_suspects(site):
    values = diagnosis_pages.suspects(site, 0)
    assert values["queue"].by == "model"
    assert values["suspects"]
    assert all(suspect["sentence"] for suspect in values["suspects"])


def test_edits(site):
    assert not diagnosis_pages.has_edits(site)
    query, model = site.benchmark.queries.ids[0], site.benchmark.collection.ids[0]
    benchmark = with_edits(site.benchmark, [AssessmentEdit(query, model, 0, 3)])
    scores = evaluate(benchmark, site.profile, measures=["NN", "AP"])
    edited = SimpleNamespace(benchmark=benchmark, profile=site.profile, scores=scores, headline=1)
    assert diagnosis_pages.has_edits(edited)
    values = diagnosis_pages.edits(edited, 0)
    (edit,) = values["edits"]
    assert (edit.query, edit.model, edit.level) == (query, model, 3)
    # The main measure is first; within a measure the best run.
    before = evaluate(site.benchmark, site.profile, measures=["NN", "AP"]).mean()
    columns = [scores.column(key) for key in ("AP", "NN")]
    assert [(column, run, cells[0].value) for column, run, cells in values["means"]] == [
        (column, run, before[run, column]) for column in columns for run in scores.order_by(scores.measures[column].key)
    ]
