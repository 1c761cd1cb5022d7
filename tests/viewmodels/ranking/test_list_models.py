"""Item models return the data of the session by named roles, and follow its signals."""

import math
from shutil import rmtree

import numpy as np
import pytest
from PySide6.QtCore import Qt
from sample_benchmark import only_meshes, write_sample_benchmark
from sessions import open_in, waiting_for

from shrec_viewer.domain import Finding, PairAssessment, Severity
from shrec_viewer.metrics import find_profile
from shrec_viewer.viewmodels.files.findings import finding_text, findings_summary, findings_table, location_text
from shrec_viewer.viewmodels.mesh_view.scene import MeshScene
from shrec_viewer.viewmodels.ranking.query_list import QueryListModel
from shrec_viewer.viewmodels.ranking.ranked_list import RankedListModel, next_rank, relevant_mask, step_rank, step_run
from shrec_viewer.viewmodels.scores.score_tables import (
    ONE_QUERY,
    OVER_CLASSES,
    OVER_QUERIES,
    LeaderboardModel,
    RunScoresModel,
)
from shrec_viewer.viewmodels.text.labels import missing_query_text
from shrec_viewer.viewmodels.text.status_text import StatusText


def role(model, name):
    (number,) = [number for number, found in model.roleNames().items() if found == name.encode()]
    return number


def column(model, name):
    """Data of a list model for a role, by row."""
    return [model.index(row, 0).data(role(model, name)) for row in range(model.rowCount())]


def header(table, section, name):
    return table.headerData(section, Qt.Orientation.Horizontal, role(table, name))


def missed_model(session):
    return RankedListModel(session, missed=True)


MODELS = [QueryListModel, RankedListModel, missed_model, LeaderboardModel]


@pytest.mark.parametrize("make", MODELS)
def test_models_pass_qt_model_tester(make, opened, qtmodeltester, qtbot):
    model = make(opened)
    qtmodeltester.check(model)
    opened.select(query=2, run=1)
    qtbot.waitUntil(lambda: not opened.tasks.is_busy())
    qtmodeltester.check(model)
    opened.close()
    qtmodeltester.check(model)


@pytest.mark.parametrize("make", MODELS)
def test_models_are_empty_without_benchmark(make, session, qtmodeltester):
    model = make(session)
    qtmodeltester.check(model)
    assert model.rowCount() == 0


def test_card_roles(opened, qtbot):
    with waiting_for(opened, qtbot, "list"):
        opened.select(run=1)
    cards = RankedListModel(opened)
    assert column(cards, "rank") == [1, 2, 3, 4, 5, 6, 7, 8]
    assert column(cards, "item_id") == ["m5", "m1", "m6", "m2", "m3", "m7", "m8", "m4"]
    assert column(cards, "class_name") == ["chair", "cat", "chair", "cat", "dog", "chair", "chair", "dog"]
    assert column(cards, "level") == [0, 2, 0, 2, 1, 0, 0, 1]
    assert column(cards, "distance") == [0.1, 0.2, 0.3, 0.3, 0.5, 0.6, 0.7, 0.8]
    assert column(cards, "tied") == [False, False, True, True, False, False, False, False]
    assert column(cards, "query") == [False] * 8
    assert column(cards, "thumbnail") == [None] * 8
    assert [cards.index(row, 0).data() for row in range(2)] == ["m5", "m1"]


def test_card_tooltip(opened, qtbot):
    with waiting_for(opened, qtbot, "list"):
        opened.select(run=1)
    cards = RankedListModel(opened)
    tooltip = cards.index(3, 0).data(Qt.ItemDataRole.ToolTipRole)
    tied = "tied: ranks 3 to 4 have this distance, their order is arbitrary"
    assert tooltip == f"m2, rank 4 of 8, class cat, highly relevant (2), distance 0.3000, {tied}"
    assert cards.index(3, 0).data(Qt.ItemDataRole.AccessibleTextRole) == tooltip


TREC_SCORES = "q1 Q0 m5 1 0.9 T\nq1 Q0 m1 2 0.25 T\nq1 Q0 m2 3 0.25 T\nq1 Q0 m6 4 0 T\nq2 Q0 m3 1 -3.5 T\n"

DESCENDING = {"q1": "m5 0.9\nm1 0.25\nm2 0.25\nm6 0\n", "q2": "m3 7\nm1 2.5\n", "q3": "m5 8\nm1 2.5\n"}


def write_similarities(root, kind):
    """Add a run ``S`` of similarities to a sample benchmark: a TREC run, or rank lists in descending order."""
    place = root / "runs" / "S"
    if kind == "trec":
        place.write_text(TREC_SCORES)
    else:
        place.mkdir()
        for query, text in DESCENDING.items():
            (place / query).write_text(text)
    manifest = root / "benchmark.toml"
    manifest.write_text(f'{manifest.read_text()}\n[[runs]]\nname = "S"\npath = "runs/S"\n')


@pytest.mark.parametrize("kind", ["trec", "rank lists"])
def test_similarities_are_shown_as_in_the_file(session, qtbot, tmp_path, kind):
    root = write_sample_benchmark(tmp_path / "sample_benchmark")
    write_similarities(root, kind)
    open_in(session, root, qtbot)
    with waiting_for(session, qtbot, "list"):
        session.select(run=3)
    cards = RankedListModel(session)
    assert column(cards, "distance") == [0.9, 0.25, 0.25, 0.0]
    assert cards.row_cells(3)[-1] == "0.0", "not -0.0"
    tooltip = cards.index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    tied = "tied: ranks 2 to 3 have this similarity, their order is arbitrary"
    assert tooltip == f"m1, rank 2 of 4, class cat, highly relevant (2), similarity 0.2500 (−0.6500), {tied}"
    session.select(rank=1)
    assert StatusText(session).cursor_text().endswith("similarity 0.9000")
    if kind == "trec":
        with waiting_for(session, qtbot, "list"):
            session.select(query=1)
        assert column(cards, "distance") == [-3.5]


def test_models_not_retrieved(opened, qtbot):
    missed = RankedListModel(opened, missed=True)
    assert missed.rowCount() == 0
    with waiting_for(opened, qtbot, "list"):
        opened.select(run=2)
    assert column(missed, "item_id") == ["m2", "m3", "m4"]
    assert column(missed, "level") == [2, 1, 1]
    assert column(missed, "rank") == [0, 0, 0]
    assert all(math.isnan(distance) for distance in column(missed, "distance"))


def test_models_not_retrieved_are_sorted_by_level_then_id(opened, qtbot):
    from dataclasses import replace

    missed = RankedListModel(opened, missed=True)
    collection = replace(opened.benchmark.collection, ids=("m10", "m9", "m2", "a", "b", "c", "d", "m1"))
    starts = np.array([0, 4, 4, 4])
    truth = PairAssessment(starts, np.array([0, 1, 2, 7], np.int32), np.array([1, 2, 1, 2], np.uint8))
    benchmark = replace(opened.benchmark, collection=collection, assessment=truth)
    shown = replace(opened.ranked_list, not_retrieved=np.array([0, 1, 2, 7], np.int32))
    opened.apply(replace(opened.document, benchmark=benchmark, ranked_list=shown))
    assert column(missed, "item_id") == ["m1", "m9", "m2", "m10"]
    assert column(missed, "level") == [2, 2, 1, 1]


def test_collection_is_shown_without_lists(session, tmp_path, qtbot):
    opened = open_in(session, only_meshes(tmp_path / "meshes"), qtbot)
    cards, missed = RankedListModel(opened), RankedListModel(opened, missed=True)
    assert column(cards, "item_id") == [f"m{number}" for number in range(1, 9)]
    assert set(column(cards, "rank")) == {0}
    assert set(column(cards, "level")) == {-1}
    assert not any(column(cards, "query"))
    assert cards.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == "m1"
    assert missed.rowCount() == 0
    opened.select(model=3)
    assert opened.selection.model == 3
    opened.select(model=8)
    assert opened.selection.model == 3
    opened.deselect_rank()
    assert opened.selection.model is None


def test_cards_have_no_level_without_assessment(opened):
    from dataclasses import replace

    opened.apply(replace(opened.document, benchmark=replace(opened.benchmark, assessment=None)))
    assert set(column(RankedListModel(opened), "level")) == {-1}


def test_cards_of_edited_levels_have_the_former_one(opened, qtbot):
    cards, first = RankedListModel(opened), int(opened.ranked_list.items[0])
    level = int(opened.ranked_list.levels[0])
    new = 1 if level != 1 else 0
    assert set(column(cards, "former_level")) == {-1}
    opened.edits.set_level(0, [first], new)
    qtbot.waitUntil(lambda: opened.ranked_list.levels[0] == new)
    assert column(cards, "former_level") == [level, *[-1] * (cards.rowCount() - 1)]
    assert f"level {level} before the edit" in cards.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    opened.edits.stack.undo()
    qtbot.waitUntil(lambda: opened.ranked_list.levels[0] == level)
    assert set(column(cards, "former_level")) == {-1}


def test_unknown_id_has_card(opened):
    from dataclasses import replace

    items = opened.ranked_list.items.copy()
    items[0] = -1
    opened.apply(replace(opened.document, ranked_list=replace(opened.ranked_list, items=items)))
    cards = RankedListModel(opened)
    assert column(cards, "item_id")[0] == "not in the collection"
    assert column(cards, "problem")[0] == "not in the collection"
    assert column(cards, "class_name")[0] == ""
    assert cards.path_of(0) is None


def test_queries_are_scored_by_selected_run_and_measure(opened, qtbot):
    queries = QueryListModel(opened)
    assert column(queries, "query_id") == ["q1", "q2", "q3"]
    assert column(queries, "class_name") == ["cat", "dog", "chair"]
    assert column(queries, "score") == pytest.approx([1.0, 1.0, 1.0], abs=1e-12)
    with qtbot.waitSignal(queries.dataChanged):
        opened.select(run=2)
    assert column(queries, "missing") == [False, False, True]
    scores = column(queries, "score")
    assert math.isnan(scores[2])
    opened.select(measure="P")
    assert column(queries, "score")[:2] == [1 / 3, 1.0]
    tooltip = queries.index(2, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tooltip.startswith("Query q3, class chair, run B1 has no results for it, ± ")
    tooltip = queries.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tooltip == "Query q1, class cat, P 0.333 in run B1, ± 0.079 over all runs (standard deviation)"


def test_queries_are_filtered_and_sorted(opened, qtbot):
    opened.select(run=1, measure="AP")
    order = QueryListModel(opened)

    def shown():
        return [order.index(row, 0).data() for row in range(order.rowCount())]

    scores = dict(zip(("q1", "q2", "q3"), column(order, "score"), strict=True))
    assert shown() == ["q1", "q2", "q3"]
    order.set_order("worst")
    assert shown() == sorted(scores, key=scores.get)
    order.set_order("best")
    assert shown() == sorted(scores, key=lambda name: -scores[name])
    order.set_order("class")
    assert shown() == ["q1", "q3", "q2"]
    order.set_order("file")
    assert shown() == ["q1", "q2", "q3"]
    order.set_text("DO")
    assert shown() == ["q2"]
    assert order.query_of(0) == 1
    assert (order.row_of(0), order.row_of(1)) == (None, 0)
    order.set_text("")
    assert order.row_of(2) == 2


def test_missing_query_is_last_in_both_sort_directions(opened):
    opened.select(run=2)
    order = QueryListModel(opened)
    for way in ("worst", "best"):
        order.set_order(way)
        assert order.index(2, 0).data() == "q3"


def test_table_has_runs_by_measures(opened):
    table = LeaderboardModel(opened)
    keys = [measure.key for measure in opened.scores.measures]
    headers = [table.headerData(section, Qt.Orientation.Horizontal) for section in range(table.columnCount())]
    assert headers == ["Run", "Participant", *keys]
    assert [table.index(row, 0).data() for row in range(3)] == ["A1", "A2", "B1"]
    assert [table.index(row, 1).data() for row in range(3)] == ["Ada", "Ada", "Ben"]
    assert table.column_of("AP") == 2 + keys.index("AP")
    assert table.column_of("nothing") is None
    assert table.measure_of(2) == keys[0]
    assert table.measure_of(0) is None
    assert header(table, 2, "better") == "higher"
    assert header(table, 2, "range") == (0.0, 1.0)


def test_table_shows_query_or_means(opened):
    table = LeaderboardModel(opened)

    def values():
        cells = [
            [table.index(r, c).data(role(table, "value")) for c in range(2, table.columnCount())] for r in range(3)
        ]
        return np.array(cells, float)

    opened.select(means=True)
    assert table.of == OVER_QUERIES
    np.testing.assert_array_equal(values(), opened.scores.mean())
    opened.select(mean_over="classes")
    np.testing.assert_array_equal(values(), opened.scores.class_mean())
    opened.select(means=False)
    np.testing.assert_array_equal(values(), opened.scores.values[:, 0])
    opened.select(query=2)
    np.testing.assert_array_equal(values(), opened.scores.values[:, 2])
    assert np.isnan(values()[2]).all()


@pytest.mark.parametrize(
    "kinds",
    [
        (LeaderboardModel, (ONE_QUERY, OVER_QUERIES, OVER_CLASSES)),
        (RunScoresModel, (OVER_QUERIES, OVER_CLASSES)),
    ],
)
def test_column_values_equal_cell_values(opened, kinds):
    make, all_of = kinds
    for of in all_of:
        model = make(opened)
        opened.select(means=of != ONE_QUERY, mean_over=OVER_QUERIES if of == ONE_QUERY else of)
        if make is RunScoresModel:
            model.set_of(of)
        for query in range(2):
            opened.select(query=query)
            for place in range(model.columnCount()):
                cells = [model.index(row, place).data(role(model, "value")) for row in range(model.rowCount())]
                assert repr(model.column_values(place)) == repr(cells), (of, place)
    opened.close()
    assert model.column_values(0) == []


def test_runs_of_one_participant_share_colour_and_differ_in_dash(opened):
    table = LeaderboardModel(opened)
    colours = [table.index(row, 0).data(role(table, "colour")) for row in range(3)]
    dashes = [table.index(row, 0).data(role(table, "dash")) for row in range(3)]
    assert colours[0] == colours[1] != colours[2]
    assert dashes == ["solid", "dash", "solid"]
    table.set_theme("dark")
    assert table.index(0, 0).data(role(table, "colour")) != colours[0]


def test_table_has_check_states_of_shown_runs(opened):
    table = LeaderboardModel(opened)
    opened.select(shown_runs=[1])
    assert [table.index(row, 0).data(role(table, "shown")) for row in range(3)] == [False, True, False]
    tooltips = [table.index(row, 0).data(Qt.ItemDataRole.ToolTipRole) for row in range(3)]
    assert ["Hidden in plots (Space to show)" in tooltip for tooltip in tooltips] == [True, False, True]


def test_findings_are_named_by_severity(opened):
    words = [row[0] for row in findings_table(opened.findings).rows]
    assert set(words) == {"note", "warning"}
    for word, finding in zip(words, opened.findings, strict=True):
        tooltip = finding_text(finding)
        assert tooltip.startswith(f"{location_text(finding)}: {word}: {finding.message}")
        assert ": info:" not in tooltip


def test_missing_query_text_follows_profile():
    assert missing_query_text(find_profile("shrec2006")) == ("SHREC 2006: missing queries score 0.")
    assert missing_query_text(find_profile("trec")) == (
        "Text retrieval (trec_eval): missing queries are excluded from the means of this run."
    )


def test_finding_count_text():
    error = Finding(Severity.ERROR, "a", None, "x")
    warning = Finding(Severity.WARNING, "a", None, "x")
    note = Finding(Severity.INFO, "a", None, "x")
    assert findings_summary(()) == ""
    assert findings_summary((note, note)) == "2 notes"
    assert findings_summary((note, warning)) == "1 warning"
    assert findings_summary((error, error, warning, note)) == "2 errors, 1 warning"


def test_steps_to_relevant_and_not_relevant_models(opened, qtbot):
    with waiting_for(opened, qtbot, "list"):
        opened.select(run=1)
    shown = opened.ranked_list  # levels 0 2 0 2 1 0 0 1
    ranks = np.flatnonzero(relevant_mask(shown, opened.profile)) + 1
    assert ranks.tolist() == [2, 4, 5, 8]
    assert [next_rank(ranks, rank, 1) for rank in (None, 2, 8)] == [2, 4, None]
    assert [next_rank(ranks, rank, -1) for rank in (None, 4, 2)] == [8, 2, None]
    step_rank(opened, 1, relevant=True)
    assert opened.selection.rank == 2
    step_rank(opened, 1, relevant=False)
    assert opened.selection.rank == 3


def test_steps_through_runs_stop_at_ends(opened):
    step_run(opened, 1)
    step_run(opened, 1)
    step_run(opened, 1)
    assert opened.selection.run == 2
    step_run(opened, -5)
    assert opened.selection.run == 0


def test_steps_through_runs_leave_out_the_compared_one(opened):
    opened.select(run=0, compared=1)
    step_run(opened, 1)
    assert (opened.selection.run, opened.selection.compared) == (2, 1)
    step_run(opened, -1)
    assert (opened.selection.run, opened.selection.compared) == (0, 1)
    opened.select(compared=2)
    opened.select(run=1)
    step_run(opened, 1)
    assert (opened.selection.run, opened.selection.compared) == (1, 2), "there is no run beyond"


def test_relevant_models_are_first_without_runs(session, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    rmtree(folder / "runs")
    open_in(session, folder, qtbot)
    cards = RankedListModel(session)
    assert column(cards, "item_id") == ["m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"]
    assert column(cards, "level") == [2, 2, 1, 1, 0, 0, 0, 0]
    session.select(query=2)
    assert column(cards, "item_id") == ["m5", "m6", "m7", "m8", "m1", "m2", "m3", "m4"]
    assert column(cards, "level") == [2, 2, 2, 2, 0, 0, 0, 0]
    assert set(column(cards, "rank")) == {0}
    assert [cards.row_of(item) for item in (4, 0, None)] == [0, 4, None]
    assert "highly relevant (2)" in cards.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    session.select(model=4)
    status = StatusText(session)
    assert status.cursor_text().endswith("no runs  ·  query q3 chair  ·  m5  ·  class chair  ·  highly relevant (2)")
    scene = MeshScene(session)
    session.select(query=0)
    assert [(pane.title, pane.level) for pane in scene.panes] == [("q1", None), ("m5", 0)]
