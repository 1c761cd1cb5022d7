"""Scores of contests read by the program equal those read by independent loaders."""

import numpy as np
import pytest
from independent_loaders import data_folder, load_culture, load_psb, load_shrec06

from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.score_tables import scores_document, to_json
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile


@pytest.mark.parametrize(
    ("folder", "profile", "load"),
    [
        ("shrec06", "shrec2006", load_shrec06),
        ("psb_d2", "psb", load_psb),
        ("shrec2021_culture", "shrec2012", load_culture),
    ],
)
def test_equal_scores(folder, profile, load):
    conventions = find_profile(profile)
    read = read_benchmark(data_folder(folder))
    ours = evaluate(read, conventions)
    theirs = evaluate(load(), conventions)
    assert [measure.key for measure in ours.measures] == [measure.key for measure in theirs.measures]
    assert len(ours.runs) == len(theirs.runs)
    order = [theirs.queries.index(query) for query in ours.queries]
    for run, name in enumerate(ours.runs):
        other = theirs.run_index(name) if len(ours.runs) > 1 else 0
        np.testing.assert_array_equal(ours.values[run], theirs.values[other][order], err_msg=name)
    np.testing.assert_allclose(np.sort(ours.mean(), axis=0), np.sort(theirs.mean(), axis=0), rtol=0, atol=1e-12)
    some = ours.select_runs(range(0, len(ours.runs), 4))
    assert to_json(scores_document(some, read, per_query=True, curves=True)).startswith("{")
