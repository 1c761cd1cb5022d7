"""The map panel and its view: real mouse and keys, the same selection as the list, lasso and run B."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from shrec_viewer.charts.scatter import REST, Cloud, PointGroup, Scatter
from shrec_viewer.content.map import MapRequest, map_chart
from shrec_viewer.diagnosis.error_budget import DIVIDED, BudgetWork
from shrec_viewer.diagnosis.model_map import model_map
from shrec_viewer.diagnosis.slices import queries_of_models
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.panels.diagnosis.map import MapPanel
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.widgets.plots import scatter_view
from shrec_viewer.widgets.plots.scatter_view import ScatterView
from shrec_viewer.widgets.style.theme import THEMES

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(opened, qtbot, settled):
    opened.select(run=0, query=1)
    panel = MapPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(400, 420)
    panel.show()
    settled()
    qtbot.waitUntil(lambda: not panel.is_empty)
    return panel


def spot(view, model, cloud=0):
    return view.point_of(model, cloud).toPoint()


def lonely(view, cloud=0):
    """A model whose point is farther than any other from its neighbours on the screen."""
    pixels = view._pixels(cloud)
    away = np.hypot(*(pixels[:, None] - pixels[None]).transpose(2, 0, 1))
    np.fill_diagonal(away, np.inf)
    return int(view._chart.clouds[cloud].models[away.min(axis=1).argmax()])


def drag(qtbot, view, *places):
    qtbot.mousePress(view, LEFT, pos=places[0])
    for place in places[1:]:
        qtbot.mouseMove(view, place)
    qtbot.mouseRelease(view, LEFT, pos=places[-1])


def test_points_and_levels_are_those_of_the_engine(panel, opened):
    chart = panel.view._chart
    expected = model_map(opened.benchmark, opened.run)
    assert chart.clouds[0].points == pytest.approx(expected.points)
    levels = opened.benchmark.assessment.gains(1, len(opened.benchmark.collection))
    assert [chart.groups[group].token for group in chart.colours] == [
        f"level {level}" if level else REST for level in levels
    ]
    assert panel.text.text() == "ranks in 16 lists; axes show 48 % + 36 %"


def test_click_selects_the_rank_of_the_model_and_a_card_lights_its_point(panel, opened, qtbot):
    model = lonely(panel.view)
    qtbot.mouseClick(panel.view, LEFT, pos=spot(panel.view, model))
    assert int(opened.ranked_list.items[opened.selection.rank - 1]) == model
    assert panel.view._current == model
    opened.select(rank=3)
    assert panel.view._current == int(opened.ranked_list.items[2])
    before = panel.view.grab().toImage()
    opened.select(rank=90)
    assert panel.view.grab().toImage() != before


def test_hover_points_at_the_rank_and_shows_lines_to_the_nearest_models(panel, opened, qtbot):
    model = lonely(panel.view)
    empty = panel.view.grab().toImage()
    qtbot.mouseMove(panel.view, spot(panel.view, model))
    qtbot.waitUntil(lambda: panel.view._hovered is not None)
    rank = opened.cursor_state.cursor
    assert int(opened.ranked_list.items[rank - 1]) == model
    assert panel.view.grab().toImage() != empty
    qtbot.mouseMove(panel.view, QPoint(1, 1))
    qtbot.waitUntil(lambda: opened.cursor_state.cursor is None)


def test_lasso_may_end_where_it_began(panel, opened, qtbot, settled):
    """On a point, too, which a click there would select."""
    model, box = lonely(panel.view), panel.view._box(0).toRect()
    start, rank = spot(panel.view, model), opened.selection.rank
    drag(qtbot, panel.view, start, box.topRight(), box.bottomRight(), box.bottomLeft(), start)
    settled()
    assert 0 < len(opened.selection.within) < len(panel.view._chart.clouds[0].models)
    assert opened.selection.rank == rank


def test_lasso_restricts_to_its_models_until_it_is_removed(panel, opened, qtbot, settled):
    box = panel.view._box(0).toRect()
    middle = box.center().x()
    places = QPoint(1, 1), QPoint(middle, box.top()), QPoint(middle, box.bottom()), QPoint(box.left(), box.bottom())
    drag(qtbot, panel.view, *places)
    settled()
    cloud, pixels = panel.view._chart.clouds[0], panel.view._pixels(0)
    inside = np.sort(cloud.models[np.floor(pixels[:, 0]) < middle])
    assert 0 < len(inside) < len(cloud.models)
    assert opened.selection.within == tuple(inside.tolist())
    assert np.flatnonzero(panel.view._inside).tolist() == inside.tolist()
    first = int(np.isin(opened.ranked_list.items[:10], inside).sum())
    classes = {opened.benchmark.classification.labels[model] for model in inside}
    scores = evaluate(opened.benchmark, opened.profile, measures=["AP"])
    budget = BudgetWork(scores, "AP").budget(scores.run_index(opened.run.name))
    cost = budget.model_costs[inside].sum()
    queries = queries_of_models(opened.benchmark, inside)
    mean = f"AP {scores.values_in_mean[0, queries, 0].mean():.3f} of {len(queries)} queries"
    parts = f"cost {cost:.3f}", f"{len(classes)} classes", mean, f"{first} of the first 10 ranks"
    assert panel.text.text() == " · ".join(parts)
    assert panel.restriction.text() == f"{len(inside)} of 125"
    opened.select(query=2)
    settled()
    assert opened.selection.within == tuple(inside.tolist())
    assert np.flatnonzero(panel.view._inside).tolist() == inside.tolist()
    qtbot.keyClick(panel.view, Qt.Key.Key_Escape)
    assert opened.selection.within == ()
    assert panel.view._inside is None
    assert panel.text.text().startswith("ranks in")
    drag(qtbot, panel.view, *places)
    qtbot.mouseClick(panel.restriction, LEFT)
    assert opened.selection.within == ()
    assert panel.view._inside is None


def test_a_cause_fades_the_models_that_it_does_not_carry(panel, opened, qtbot, settled):
    opened.select(cause="hubs")
    settled()
    scores = evaluate(opened.benchmark, opened.profile, measures=["AP"])
    budget = BudgetWork(scores, "AP").budget(scores.run_index(opened.run.name))
    carried = np.flatnonzero(budget.costs_by_cause[DIVIDED.index("hubs")] > 0)
    assert 0 < len(carried) < 125
    assert np.flatnonzero(panel.view._inside).tolist() == carried.tolist()
    panel.set_option("colour", "cost")
    settled()
    values = panel.view._chart.values
    assert np.flatnonzero(values > 0).tolist() == carried.tolist()
    assert panel.view._chart.high == np.nanmax(values) == budget.costs_by_cause[DIVIDED.index("hubs")].max()
    opened.select(within=carried[:2].tolist())
    settled()
    assert np.flatnonzero(panel.view._inside).tolist() == carried[:2].tolist()
    qtbot.keyClick(panel.view, Qt.Key.Key_Escape)
    settled()
    assert (opened.selection.cause, opened.selection.within) == ("", ())
    assert panel.view._inside is None
    assert np.nansum(panel.view._chart.values) == pytest.approx(np.nansum(budget.model_costs))


def test_rectangle_and_move(panel, opened, qtbot):
    view = panel.view
    panel.set_option("drag", "rectangle")
    model = lonely(view)
    place = spot(view, model)
    drag(qtbot, view, place - QPoint(6, 6), place + QPoint(7, 7))
    assert opened.selection.within == (model,)
    panel.set_option("drag", "move")
    drag(qtbot, view, QPoint(100, 100), QPoint(130, 80))
    assert spot(view, model) == place + QPoint(30, -20)
    assert opened.selection.within == (model,)
    qtbot.mouseDClick(view, LEFT, pos=QPoint(5, 5))
    assert spot(view, model) == place


def wheel(view, place, steps):
    event = QWheelEvent(QPointF(place), view.mapToGlobal(QPointF(place)), QPoint(), QPoint(0, 120 * steps),
                        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase,
                        False)  # fmt: skip
    QApplication.sendEvent(view, event)


def test_wheel_zooms_about_the_mouse_and_few_models_have_thumbnails(panel, qtbot):
    view, near = panel.view, []
    view.near_changed.connect(near.append)
    model = lonely(view)
    place = view.point_of(model)
    wheel(view, place, 12)
    assert (view.point_of(model) - place).manhattanLength() < 0.01
    assert model in near[-1]
    assert len(near[-1]) <= scatter_view.MAX_THUMBNAILS
    wheel(view, place, -40)
    assert near[-1] == ()
    assert (view.point_of(model) - place).manhattanLength() < 0.01


def test_arrow_keys_pick_the_next_model_in_a_direction(panel, opened, qtbot):
    view = panel.view
    qtbot.keyClick(view, Qt.Key.Key_Right)
    first = view._current
    assert first is not None
    qtbot.keyClick(view, Qt.Key.Key_Right)
    step = view.point_of(view._current) - view.point_of(first)
    assert step.x() > 0
    assert abs(step.y()) <= step.x()
    for _ in range(40):
        qtbot.keyClick(view, Qt.Key.Key_Right)
    last = view._current
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view._current == last


def test_run_b_is_shown_beside_run_a_and_turned_onto_it(panel, opened, qtbot, settled):
    opened.select(compared=3)
    panel.set_option("both", True)
    settled()
    clouds = panel.view._chart.clouds
    assert [cloud.name for cloud in clouds] == ["A1", "B2"]
    plain = map_chart(content_data(opened), MapRequest(runs=("B2",))).clouds[0]
    moved = np.abs(clouds[0].points - clouds[1].points).sum()
    assert moved <= np.abs(clouds[0].points - plain.points).sum()
    model = lonely(panel.view, 1)
    qtbot.mouseClick(panel.view, LEFT, pos=spot(panel.view, model, 1))
    assert int(opened.ranked_list.items[opened.selection.rank - 1]) == model


def test_a_new_version_of_the_run_is_turned_onto_the_former_one(panel):
    shown = panel._shown
    cloud = shown.clouds[0]
    turned = replace(shown, clouds=(replace(cloud, points=cloud.points @ np.array([[0.0, 1.0], [1.0, 0.0]])),))
    panel.show_result(turned)
    assert panel.view._chart.clouds[0].points == pytest.approx(cloud.points)


@pytest.mark.parametrize("colour", ["class", "error"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_other_colours_are_drawn_in_both_themes(panel, colour, theme, qtbot, settled):
    panel.set_option("colour", colour)
    settled()
    panel.view.set_theme(THEMES[theme])
    image = panel.view.grab().toImage()
    chart = panel.view._chart
    if colour == "class":
        names = [group.label for group in chart.groups]
        assert names[0].endswith("other classes")
        label = panel._session.benchmark.classification.names.index(names[1])
        model = int(np.flatnonzero(panel._session.benchmark.classification.labels == label)[-1])
        place = spot(panel.view, model)
        ratio = image.devicePixelRatio()
        seen = image.pixelColor(round(place.x() * ratio), round(place.y() * ratio)).name()
        assert seen == panel.view.group_colour(chart.groups[chart.colours[model]].token).lower()
    else:
        labels = panel._session.benchmark.classification.labels
        cloud = chart.clouds[0]
        expected = [
            np.mean(labels[near] != labels[own]) for own, near in zip(cloud.models, cloud.neighbours, strict=True)
        ]
        assert chart.values[cloud.models] == pytest.approx(expected)


def test_copied_command_marks_the_selected_model(panel, opened):
    opened.select(rank=4)
    model = opened.benchmark.collection.ids[int(opened.ranked_list.items[3])]
    (request,) = panel.requests()
    assert request.arguments("figure") == ("map", "--run=A1", "--query=Q02", f"--model={model}")


def chart_of(points, colours=None):
    n = len(points)
    cloud = Cloud("r", np.arange(n, dtype=np.int32), points, np.zeros((n, 0), np.int32), "")
    groups = (PointGroup("rest", REST), PointGroup("high", "level 2"))
    colours = np.zeros(n, np.int32) if colours is None else colours
    return Scatter("t", (cloud,), tuple(map(str, range(n))), ("",) * n, groups, colours)


def test_points_of_the_last_group_are_above_all_others(qtbot):
    """Of 3,000 points at one place, the one of the last group is visible as a whole, whatever its row."""
    view = ScatterView()
    qtbot.addWidget(view)
    view.resize(200, 200)
    colours = np.zeros(3002, np.int32)
    colours[1234] = 1
    points = 0.5 + np.random.default_rng(1).uniform(-0.01, 0.01, (3002, 2))  # 2 pixels
    points[1234] = 0.5
    points[0], points[-1] = (0, 0), (1, 1)
    view.set_chart(chart_of(points, colours))
    place = view.point_of(1234)
    assert view.grab().toImage().pixelColor(place.toPoint()).name() == view.group_colour("level 2").lower()


def test_100000_points_are_drawn_and_picked(qtbot):
    view = ScatterView()
    qtbot.addWidget(view)
    view.resize(800, 700)
    points = np.random.default_rng(0).standard_normal((100_000, 2))
    view.set_chart(chart_of(points))
    view.show()
    qtbot.waitUntil(lambda: bool(view._images))
    picked = []
    view.model_picked.connect(picked.append)
    model = int(points[:, 0].argmax())
    qtbot.mouseClick(view, LEFT, pos=spot(view, model))
    assert picked == [model]


def test_another_cause_fades_at_once_where_the_budget_is_known(panel, opened, settled):
    """Not the models of the former cause until a task has ended."""
    opened.select(cause="hubs")
    settled()
    former = np.flatnonzero(panel.view._inside).tolist()
    opened.select(cause="single")
    shown = np.flatnonzero(panel.view._inside).tolist()
    settled()
    assert np.flatnonzero(panel.view._inside).tolist() == shown != former
