"""Panes of the mesh view, worked by hand on the sample benchmark."""

import pytest
from sample_benchmark import only_meshes, write_sample_benchmark
from sessions import open_in, settle

from shrec_viewer.viewmodels.mesh_view.scene import MeshScene


@pytest.fixture
def scene(session, tmp_path, qtbot):
    open_in(session, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    session.select(query=0, run=1)
    settle(session, qtbot)
    return MeshScene(session, session)


def shown(scene):
    return [(pane.key, pane.role, pane.title, pane.level) for pane in scene.panes]


def test_query_and_first_model_without_selected_rank(scene):
    assert shown(scene) == [("query", "Query", "q1", None), ("a", "A2, rank 1", "m5", 0)]
    assert [pane.detail for pane in scene.panes] == ["cat", "chair"]
    assert scene.panes[1].value == "0.1000"
    assert scene.panes[0].path.name == "q1.off"


def test_selected_rank_of_both_runs(scene, session, qtbot):
    session.select(rank=2, compared=0)
    settle(session, qtbot)
    assert shown(scene)[1:] == [("a", "A2, rank 2", "m1", 2), ("b", "A1, rank 2", "m2", 2)]
    session.select(query=1)
    settle(session, qtbot)
    assert shown(scene)[1:] == [("a", "A2, rank 1", "m8", 0), ("b", "A1, rank 1", "m3", 2)]


def test_short_and_missing_lists_have_problem(scene, session, qtbot):
    session.select(rank=5, compared=2)
    settle(session, qtbot)
    assert scene.panes[2].problem == "the list ends at rank 3"
    session.select(query=2)
    settle(session, qtbot)
    assert scene.panes[2].problem == "no results for this query"


def test_pinned_model_stays(scene, session, qtbot):
    scene.pin(3)
    assert shown(scene)[1] == ("pinned", "Pinned", "m4", 1), "a dog is marginally relevant to a cat"
    session.select(query=1, rank=2)
    settle(session, qtbot)
    assert shown(scene)[1] == ("pinned", "Pinned", "m4", 2)
    scene.pin(-1)
    assert [pane.key for pane in scene.panes] == ["query", "a"]


def test_run_compared_with_itself_is_shown_once(scene, session, qtbot):
    session.select(compared=1)
    settle(session, qtbot)
    assert [pane.key for pane in scene.panes] == ["query", "a"]


def test_collection_without_lists_shows_selected_model(session, tmp_path, qtbot):
    open_in(session, only_meshes(tmp_path / "meshes"), qtbot)
    scene = MeshScene(session, session)
    assert shown(scene) == [("a", "Model", "m1", None)]
    session.select(model=4)
    assert shown(scene) == [("a", "Model", "m5", None)]


def test_another_benchmark_removes_pinned_model(scene, session, qtbot):
    scene.pin(2)
    session.reload()
    settle(session, qtbot)
    assert [pane.key for pane in scene.panes] == ["query", "a"]
    with qtbot.waitSignal(scene.changed):
        session.close()
    assert scene.panes == ()


def test_equal_panes_emit_nothing(scene, session, qtbot):
    with qtbot.assertNotEmitted(scene.changed):
        session.select(measure="FT")
        session.select(shown_runs=[0])
