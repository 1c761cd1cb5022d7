"""Panes of the mesh view, worked by hand on the sample benchmark."""

from itertools import product

import numpy as np
import pytest
from sample_benchmark import only_meshes, write_sample_benchmark
from sessions import open_in, settle

from shrec_viewer.domain import RankedLists
from shrec_viewer.viewmodels.mesh_view.scene import SELECTED, MeshScene
from shrec_viewer.viewmodels.ranking.model_page import model_of_page


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


def test_selected_model_has_its_rank_where_the_list_contains_it(session, qtbot, tmp_path):
    open_in(session, write_sample_benchmark(tmp_path / "ranks"), qtbot)
    n_models, runs = len(session.benchmark.collection), session.benchmark.runs
    run, query = next(
        (run, query)
        for run, query in product(range(len(runs)), range(len(session.benchmark.queries)))
        if isinstance(runs[run].ranking, RankedLists) and 2 < np.diff(runs[run].ranking.indptr)[query] < n_models
    )
    session.select(query=query, run=run)
    settle(session, qtbot)
    items = session.ranked_list.items
    listed = int(items[2])
    session.select(rank=1)
    session.select(model=listed)
    assert (session.selection.rank, session.document.model) == (3, listed)
    other = next(item for item in range(n_models) if item not in items)
    scene = MeshScene(session)
    session.select(model=other)
    assert (session.selection.rank, session.document.model) == (None, other)
    assert next(pane.item for pane in scene.panes if pane.key == SELECTED) == other
    assert model_of_page(session, "") == session.benchmark.collection.ids[other]
    session.select(query=(query + 1) % len(session.benchmark.queries), model=listed)
    settle(session, qtbot)
    ranks = np.flatnonzero(session.ranked_list.items == listed)
    assert session.document.model == listed
    assert session.selection.rank == (int(ranks[0]) + 1 if len(ranks) else None)
    session.select(query=query)
    settle(session, qtbot)
    assert session.document.model is None, "of another query, nothing is selected"
