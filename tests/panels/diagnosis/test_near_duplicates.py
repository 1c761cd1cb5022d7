"""Differences of shapes as a table, and the near-duplicate of a model on its page and in the review."""

import numpy as np
import pytest
from planted_levels import plant_levels
from sample_benchmark import write_sample_benchmark
from sessions import settle

from shrec_viewer.content.contents import build_table
from shrec_viewer.content.diagnosis import shape_difference as content
from shrec_viewer.content.diagnosis.shape_difference import ShapeDifferenceRequest
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts
from shrec_viewer.panels.diagnosis.review import ReviewPanel
from shrec_viewer.panels.ranking.model_page import ModelPagePanel
from shrec_viewer.viewmodels.content.data import content_data


@pytest.fixture
def opened(session, tmp_path, qtbot, monkeypatch):
    """The sample benchmark in which m2 is m1 in double size, one file is damaged, and each of m1 and m2 has a twin."""
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    lines = (folder / "models" / "m1.off").read_text().splitlines()
    n_vertices = int(lines[1].split()[0])
    vertices = [" ".join(str(2 * float(number)) for number in line.split()) for line in lines[2 : 2 + n_vertices]]
    (folder / "models" / "m2.off").write_text("\n".join([*lines[:2], *vertices, *lines[2 + n_vertices :]]) + "\n")
    (folder / "models" / "m3.off").write_text("OFF\n1 0 0\n5 5 5\n")

    def near_duplicates(benchmark, _profile, **_):
        index, found = benchmark.collection.index, np.full(len(benchmark.collection), -1)
        found[[index["m1"], index["m2"]]] = index["m2"], index["m1"]
        return found

    monkeypatch.setattr(content, "near_duplicates", near_duplicates)
    session.open(folder, BenchmarkParts(assessment=plant_levels(folder)))
    settle(session, qtbot)
    return session


def test_table_of_differences(opened):
    data = content_data(opened)
    table = build_table(data, ShapeDifferenceRequest(models=("m2", "m1", "m3")))
    assert [column.key for column in table.columns] == [
        *("model", "reference", "rotation", "scale", "mean", "worst", "mirrored", "difference")
    ]
    same, damaged = table.rows
    assert same[:3] == ("m1", "m2", pytest.approx(0.0, abs=1e-3))
    assert same[3:] == (pytest.approx(0.5), 0.0, 0.0, "", "Same mesh, scaled by 0.5")
    assert damaged[:2] == ("m3", "m2")
    assert damaged[2:7] == (None, None, None, None, "")
    assert damaged[7] == "Not compared: m3.off: it has no extent: all of its points are equal"
    (row,) = build_table(data, ShapeDifferenceRequest(models=("m1",), queries=("q1",))).rows
    assert row[:2] == ("m1", "q1")
    with pytest.raises(ShrecViewerError, match="choose a query and a model, or two models"):
        build_table(data, ShapeDifferenceRequest(models=("m1",)))


def test_near_duplicate_of_a_model_is_described_and_shown(opened, qtbot):
    session, index = opened, opened.benchmark.collection.index
    page, review = ModelPagePanel(session), ReviewPanel(session)
    for panel in (page, review):
        qtbot.addWidget(panel)
        panel.resize(700, 500)
    session.select(model=index["m1"])
    page.show()
    qtbot.waitUntil(page.near_duplicate.isVisible)
    assert page.near_duplicate.label.text() == "Near-duplicate of m2 by ranks. Same mesh, scaled by 0.5"
    with qtbot.waitSignal(session.mesh_view_state.open_requested):
        page.near_duplicate.button.click()
    assert session.mesh_view_state.take_pair() == index["m2"]
    assert session.mesh_view_state.take_pair() is None
    session.select(model=index["m4"])
    assert not page.near_duplicate.isVisible()
    page.hide()
    review.show()
    settle(session, qtbot)
    for suspect in session.review.queue.suspects:
        session.review.select((suspect.query, suspect.model))
        has_twin = session.benchmark.collection.ids[suspect.model] in ("m1", "m2")
        qtbot.waitUntil(lambda has_twin=has_twin: review.near_duplicate.isVisible() == has_twin)
        if has_twin:
            assert "Same mesh, scaled by" in review.near_duplicate.label.text()
            session.review.set_options(session.review.options.with_values(blind=True))
            assert not review.near_duplicate.isVisible(), "a blind review does not say it"
            session.review.set_options(session.review.options.with_values(blind=False))
