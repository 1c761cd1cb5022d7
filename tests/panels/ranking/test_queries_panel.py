"""Query list panel: filter by text and class, orders by measure, difference and spread, 10,000 queries."""

import math
import shutil
from pathlib import Path
from queue import Empty, SimpleQueue

import numpy as np
import pytest
from PySide6.QtCore import QAbstractItemModel, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QComboBox, QLineEdit
from sample_benchmark import write_sample_benchmark
from sessions import open_in, settle
from tiny_benchmark import write_tiny

from shrec_viewer.content.images import QUERY_ORDERS
from shrec_viewer.panels.ranking.queries import QueriesPanel
from shrec_viewer.render.thumbnails.thumbnail import encode_webp
from shrec_viewer.viewmodels.ranking.query_list import (
    QueryListModel,
    QueryScores,
    query_scores,
)
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails, ThumbnailSource

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def opened(session, tmp_path, qtbot):
    open_in(session, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    session.select(run=1, measure="AP")
    settle(session, qtbot)
    return session


@pytest.fixture
def panel(opened, qtbot):
    panel = QueriesPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(260, 500)
    panel.show()
    qtbot.waitExposed(panel)
    settle(opened, qtbot)
    return panel


def ids(panel):
    model = panel.list.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def role(model: QAbstractItemModel, name):
    return next(number for number, found in model.roleNames().items() if bytes(found.data()).decode() == name)


def column(panel, name):
    model = panel.list.model()
    return [model.index(row, 0).data(role(model, name)) for row in range(model.rowCount())]


def field(panel, kind, name):
    return next(child for child in panel.findChildren(kind) if child.accessibleName() == name)


def choose(panel, qtbot, name, text):
    """Choose an item of a field with the keyboard."""
    combo = field(panel, QComboBox, name)
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_Home)
    while combo.currentText() != text:
        before = combo.currentIndex()
        qtbot.keyClick(combo, Qt.Key.Key_Down)
        assert combo.currentIndex() != before, f"{text} is not offered"


def values(session, run):
    return session.scores.values[run, :, session.scores.column("AP")]


def test_values_equal_the_evaluation(panel, opened):
    assert column(panel, "score") == values(opened, 1).tolist()
    assert column(panel, "score_text") == [f"{value:.3f}" for value in values(opened, 1)]
    assert panel.header._count.text() == "3"
    assert not panel.header._caption.isVisible(), "the title has measure and run"


def test_list_is_filtered_by_text_and_shows_the_count(panel, qtbot):
    qtbot.keyClicks(field(panel, QLineEdit, "Filter queries by id or class"), "Q2")
    assert ids(panel) == ["q2"]
    assert panel.header._count.text() == "1 of 3"


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("q1 q3", ["q1", "q3"]),
        ("Q1, Q3", ["q1", "q3"]),
        ("q3;q1;nothing", ["q1", "q3"]),
        ("q2 dog", ["q2"]),
        ("dog q2", ["q2"]),
        ("cat, q2", ["q1", "q2"]),
        ("q1,", ["q1"]),
        ("q1 nothing", ["q1"]),
        ("nothing else", []),
        (" , ", []),
    ],
)
def test_filter_matches_several_ids_and_words(panel, qtbot, typed, found):
    find = field(panel, QLineEdit, "Filter queries by id or class")
    qtbot.keyClicks(find, typed)
    assert (ids(panel) if not panel.is_empty else []) == found
    assert "commas" in find.toolTip()


def test_pasted_lines_filter_the_list(panel, qtbot):
    QGuiApplication.clipboard().setText("q3\nq1\r\n")
    find = field(panel, QLineEdit, "Filter queries by id or class")
    find.setFocus()
    qtbot.keyClick(find, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert ids(panel) == ["q1", "q3"]


def test_list_is_filtered_by_class(panel, qtbot):
    choose(panel, qtbot, "Class of the queries", "dog")
    assert ids(panel) == ["q2"]
    qtbot.keyClicks(field(panel, QLineEdit, "Filter queries by id or class"), "q1")
    assert panel.is_empty
    assert panel._no_match.accessibleName().startswith("No query in class dog contains “q1”")
    panel.header.clear()
    assert ids(panel) == ["q1", "q2", "q3"]
    assert field(panel, QComboBox, "Class of the queries").currentText() == "Any class"


def test_list_is_sorted_by_measure_and_class(panel, opened, qtbot):
    by_value = [opened.benchmark.queries.ids[query] for query in np.argsort(values(opened, 1), kind="stable")]
    choose(panel, qtbot, "Order of the queries", "Lowest first")
    assert ids(panel) == by_value
    choose(panel, qtbot, "Order of the queries", "Highest first")
    assert ids(panel) == by_value[::-1]
    choose(panel, qtbot, "Order of the queries", "By class")
    assert column(panel, "class_name") == ["cat", "chair", "dog"]
    choose(panel, qtbot, "Order of the queries", "By id")
    assert ids(panel) == ["q1", "q2", "q3"]


def test_current_query_and_scroll_position_are_kept_when_the_order_changes(panel, opened, qtbot):
    opened.select(query=1)
    panel.set_option("order", "best")
    assert panel.list.currentIndex().data() == "q2"
    opened.select(run=0)
    settle(opened, qtbot)
    assert panel.list.currentIndex().data() == "q2"


def test_differences_are_enabled_only_with_a_run_b(panel, opened, qtbot):
    assert set(column(panel, "difference_text")) == {""}
    combo = field(panel, QComboBox, "Order of the queries")
    offered = [combo.model().item(place).isEnabled() for place in range(combo.count())]
    assert offered.count(False) == 3
    opened.select(compared=0)
    assert all(combo.model().item(place).isEnabled() for place in range(combo.count()))
    assert panel.header._caption.text() == "AP of A2 → A1"
    expected = values(opened, 0) - values(opened, 1)
    assert column(panel, "difference") == expected.tolist()
    for said, value in zip(column(panel, "difference_text"), expected, strict=True):
        assert said == f"▲ +{abs(value):.3f}"
    choose(panel, qtbot, "Order of the queries", "Losses first")
    losses = [opened.benchmark.queries.ids[query] for query in np.argsort(expected, kind="stable")]
    assert ids(panel) == losses
    choose(panel, qtbot, "Order of the queries", "Gains first")
    assert ids(panel) == losses[::-1]
    choose(panel, qtbot, "Order of the queries", "Difference")
    assert ids(panel) == losses[::-1]
    opened.select(compared=NOTHING)
    assert panel.model.order == "file"
    assert combo.currentText() == "File order"


def test_order_of_a_former_project_waits_for_run_b_and_ends_with_it(panel, opened, qtbot):
    combo = field(panel, QComboBox, "Order of the queries")
    panel.set_state({"order": "loss", "text": "q", "class": "dog"})
    assert (ids(panel), combo.currentText()) == (["q2"], "File order")
    assert panel.options.state() == {"order": "loss", "text": "q", "class_name": "dog"}
    opened.select(compared=0)
    assert combo.currentText() == "Losses first"
    opened.select(compared=NOTHING)
    assert (combo.currentText(), panel.options.state()) == ("File order", {"text": "q", "class_name": "dog"})
    opened.select(compared=0)
    assert combo.currentText() == "File order"


def test_equal_values_are_ties_and_missing_lists_are_named(panel, opened, qtbot):
    opened.select(run=0, compared=2)
    settle(opened, qtbot)
    texts = column(panel, "difference_text")
    assert texts[2] == "B1: no results"
    opened.select(run=2, compared=0)
    settle(opened, qtbot)
    assert column(panel, "score_text")[2] == "no results"
    assert column(panel, "difference_text")[2] == "–"
    assert math.isnan(column(panel, "difference")[2])
    opened.select(measure="NN", run=0, compared=2, query=1)
    settle(opened, qtbot)
    assert column(panel, "difference_text")[1] == "= 0.000"


def test_difference_below_the_printed_decimals_is_no_tie():
    none = np.zeros(4, np.bool_)
    differences = np.array([0.0004, -0.0004, 0.0, 0.0006])
    facts = QueryScores(differences, differences, differences, none, none, "A", "B")
    assert [facts.difference_text(query) for query in range(4)] == ["▲ <0.001", "▼ <0.001", "= 0.000", "▲ +0.001"]


def test_spread_is_the_standard_deviation_over_the_runs(panel, opened, qtbot):
    column_of = opened.scores.values[:, :, opened.scores.column("AP")]
    expected = [np.std(part[~np.isnan(part)]) for part in column_of.T]
    assert column(panel, "spread") == pytest.approx(expected)
    choose(panel, qtbot, "Order of the queries", "Spread")
    assert column(panel, "spread") == sorted(column(panel, "spread"), reverse=True)
    assert panel.header._caption.text() == "AP of A2 ± SD over all runs"
    tip = panel.list.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "over all runs (standard deviation)" in tip
    assert field(panel, QComboBox, "Order of the queries").toolTip().startswith("Largest standard deviation")


def test_caption_is_empty_without_runs(panel, session, qtbot, tmp_path):
    choose(panel, qtbot, "Order of the queries", "Spread")
    folder = write_sample_benchmark(tmp_path / "no_runs")
    shutil.rmtree(folder / "runs")
    manifest = folder / "benchmark.toml"
    manifest.write_text(manifest.read_text().partition("[[runs]]")[0])
    open_in(session, folder, qtbot)
    assert panel.header._caption.text() == ""


def test_filter_class_and_order_share_a_row_with_the_number_in_the_field(panel, opened, qtbot):
    header = panel.header
    combos = [field(panel, QComboBox, name) for name in ("Class of the queries", "Order of the queries")]
    parts = [field(panel, QLineEdit, "Filter queries by id or class"), *combos]
    assert len({part.geometry().center().y() for part in parts}) == 1
    assert [part.x() for part in parts] == sorted(part.x() for part in parts)
    assert parts[0].rect().contains(header._count.geometry())
    before = header._count.geometry().right()
    qtbot.keyClicks(parts[0], "q")
    qtbot.waitUntil(lambda: header._count.geometry().right() < before)  # the button that clears is beside it
    image = parts[2].grab().toImage()
    choose(panel, qtbot, "Order of the queries", "Spread")
    assert parts[2].grab().toImage() != image, "another order than that of the file is seen"


def test_undefined_values_are_last_in_both_orders(panel, opened, qtbot):
    opened.select(run=2)
    settle(opened, qtbot)
    for order in ("worst", "best"):
        panel.set_option("order", order)
        assert ids(panel)[-1] == "q3"


def test_counts_have_no_decimals(panel, opened, qtbot):
    opened.select(measure="P@10")
    assert all("." in text for text in column(panel, "score_text"))
    from dataclasses import replace

    opened.set_conventions(replace(opened.profile, measures=(*opened.profile.measures, "TP")))
    settle(opened, qtbot)
    opened.select(measure="TP", compared=2)
    assert all(text == "no results" or text.isdecimal() for text in column(panel, "score_text"))
    assert column(panel, "difference_text")[0] == "▼ −3"  # from four of four to one


def test_list_is_stepped_by_mouse_and_keys_in_the_order_shown(panel, opened, qtbot):
    panel.set_option("order", "best")
    order = ids(panel)
    rect = panel.list.visualRect(panel.list.model().index(0, 0))
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=QPoint(rect.center()))
    assert opened.benchmark.queries.ids[opened.selection.query] == order[0]
    qtbot.keyClick(panel.list, Qt.Key.Key_Down)
    assert opened.benchmark.queries.ids[opened.selection.query] == order[1]


def test_rows_are_painted_at_every_width_with_every_detail(panel, opened, qtbot):
    opened.select(run=2, compared=0)
    settle(opened, qtbot)
    for order in QUERY_ORDERS:
        panel.set_option("order", order)
        for width in (120, 200, 260, 420):
            panel.resize(width, 400)
            assert not panel.grab().isNull()


def test_filtered_and_sorted_queries_pass_the_model_tester(opened, qtbot):
    order = QueryListModel(opened)
    QAbstractItemModelTester(order, QAbstractItemModelTester.FailureReportingMode.Fatal)
    order.set_order("best")
    order.set_text("q")
    order.set_text("q1")
    order.set_class("cat")
    order.set_class("dog")
    assert order.rowCount() == 0
    order.set_text("")
    opened.select(run=2)
    opened.select(compared=0)
    order.set_order("gain")
    settle(opened, qtbot)
    opened.close()
    settle(opened, qtbot)
    assert order.rowCount() == 0


def test_new_thumbnails_update_only_their_rows(opened, qtbot):
    queries = QueryListModel(opened)
    queries.set_order("best")
    queries.visible_thumbnails.set_visible(0, 2)
    heard = []
    queries.dataChanged.connect(lambda first, last, roles: heard.append((first.row(), last.row())))
    opened.thumbnails.arrived.emit(frozenset({opened.benchmark.queries.paths[2]}))
    row = queries.row_of(2)
    assert heard == [(row, row)]


# -- many -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def many(session, tmp_path, qtbot, monkeypatch):
    """10,000 queries: those of the tiny benchmark repeated, with random scores."""
    from dataclasses import replace

    open_in(session, write_tiny(tmp_path / "tiny"), qtbot)
    count, random = 10_000, np.random.default_rng(4)
    benchmark, scores = session.benchmark, session.scores
    queries = replace(
        benchmark.queries,
        ids=tuple(f"Q{number}" for number in range(count)),
        paths=(None,) * count,
        kinds=benchmark.queries.kinds[:1] * count,
        member=np.full(count, -1, np.int32),
        labels=random.integers(0, 2, count).astype(np.int32),
    )
    runs = tuple(
        replace(run, ranking=replace(run.ranking, indptr=np.zeros(count + 1, np.int64), present=np.ones(count, bool)))
        for run in benchmark.runs
    )
    shape = (len(runs), count, len(scores.measures))
    scores = replace(scores, queries=queries.ids, raw_values=random.random(shape))
    monkeypatch.setitem(scores.__dict__, "missing", np.zeros(shape[:2], bool))
    monkeypatch.setitem(scores.__dict__, "values", scores.raw_values)
    benchmark = replace(benchmark, queries=queries, runs=runs)
    session.apply(replace(session.document, benchmark=benchmark, scores=scores, means={}))
    session.tasks.stop_all()
    return session


def test_of_10000_queries_only_visible_ones_request_thumbnails(many, qtbot, monkeypatch):
    panel = QueriesPanel(many)
    qtbot.addWidget(panel)
    panel.resize(260, 700)
    panel.show()
    qtbot.waitExposed(panel)
    panel.grab()
    read, counts, kind = [], {}, type(panel.list.itemDelegate())
    paint = kind.paint

    def counted(self, painter, option, index):
        read.append(index.row())
        paint(self, painter, option, index)

    monkeypatch.setattr(kind, "paint", counted)

    def timed(name, action):
        read.clear()
        action()
        panel.grab()
        counts[name] = len(read)

    for order in (*QUERY_ORDERS,)[3:]:
        timed(order, lambda order=order: panel.model.set_order(order))
    timed("text", lambda: panel.header._filter.setText("Q77"))
    assert panel.model.rowCount() == 1 + 10 + 100
    timed("all", lambda: panel.header._filter.setText(""))
    timed("run", lambda: many.select(run=1))
    timed("wheel", lambda: panel.list.verticalScrollBar().setValue(200_000))
    assert panel.model.rowCount() == 10_000
    assert all(0 < count < 100 for count in counts.values()), counts


def test_query_scores_without_scores_are_undefined(session, tmp_path, qtbot):
    facts = query_scores(session, 3)
    assert np.isnan(facts.values).all()
    assert facts.key == ""
    assert facts.spread_text(0) == ""


def test_header_button_ends_the_comparison(opened, show, settled, qtbot):
    panel = show(QueriesPanel(opened), 260, 500)
    settled()
    assert not panel.header.end_comparison.isVisible()
    opened.select(run=1, compared=0)
    settled()
    assert panel.header.end_comparison.isVisible()
    assert panel.header.end_comparison.toolTip() == f"Stop comparing with {opened.benchmark.runs[0].name}"
    qtbot.mouseClick(panel.header.end_comparison, Qt.MouseButton.LeftButton)
    settled()
    assert opened.selection.compared is None
    assert not panel.header.end_comparison.isVisible()
    assert panel.list.hasFocus()


# Thumbnails of the visible rows.


class InstantSource(ThumbnailSource):
    """A thumbnail source that returns one image for every requested file."""

    def __init__(self):
        self._requests: SimpleQueue[list[Path]] = SimpleQueue()

    def set_camera(self, camera):
        pass

    def request(self, paths, size):
        self._requests.put(list(paths))

    def wait(self, timeout):
        try:
            return [(path, WEBP, "") for path in self._requests.get(timeout=timeout)]
        except Empty:
            return []

    def close(self):
        self._requests.put([])


WEBP = encode_webp(np.full((8, 8, 4), 200, np.uint8))


@pytest.fixture
def with_thumbnails(qtbot, tmp_path):
    """The panel of 120 queries with files, scored at random in two runs."""
    ids, random = [f"M{number:03}" for number in range(120)], np.random.default_rng(11)
    classes = "".join(f"\nclass{part} 0 12\n" + "\n".join(ids[part::10]) + "\n" for part in range(10))
    (tmp_path / "models").mkdir()
    (tmp_path / "all.cla").write_text(f"PSB 1\n10 120\n{classes}", encoding="utf-8")
    for name in ids:
        (tmp_path / "models" / f"{name}.off").write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", encoding="utf-8")
    for run in ("A1", "B1"):
        (tmp_path / "runs" / run).mkdir(parents=True)
        for name in ids:
            listed = [name, *random.permutation([other for other in ids if other != name])]
            (tmp_path / "runs" / run / name).write_text("\n".join(listed) + "\n", encoding="utf-8")
    session = Session(Thumbnails(InstantSource))
    open_in(session, tmp_path, qtbot)
    panel = QueriesPanel(session)
    qtbot.addWidget(panel)
    panel.resize(260, 500)
    panel.show()
    qtbot.waitExposed(panel)
    settle(session, qtbot)
    yield panel, session
    session.shut_down()


def rows_without_thumbnail(panel):
    first, last = panel.list.visible_rows()
    return [row for row in range(first, last + 1) if column(panel, "thumbnail")[row] is None]


def test_rows_that_sorting_moves_into_view_have_thumbnails(with_thumbnails, qtbot):
    panel, session = with_thumbnails
    qtbot.waitUntil(lambda: not rows_without_thumbnail(panel))
    choose(panel, qtbot, "Order of the queries", "Lowest first")
    qtbot.waitUntil(lambda: not rows_without_thumbnail(panel))
    before = ids(panel)
    session.select(run=1 - session.selection.run)
    settle(session, qtbot)
    assert ids(panel)[:8] != before[:8]
    qtbot.waitUntil(lambda: not rows_without_thumbnail(panel))


def test_reload_keeps_the_selected_query_visible_with_thumbnails(with_thumbnails, qtbot):
    panel, session = with_thumbnails
    choose(panel, qtbot, "Order of the queries", "Lowest first")
    qtbot.keyClick(panel.list, Qt.Key.Key_End)
    settle(session, qtbot)
    selected = panel.list.currentIndex().data()
    for _ in range(2):
        session.reload()
        settle(session, qtbot)
        assert panel.list.currentIndex().data() == selected
        assert panel.list.shows_row(panel.list.currentIndex().row())
        qtbot.waitUntil(lambda: not rows_without_thumbnail(panel))


def test_sorting_does_not_scroll_to_a_selected_query_that_was_not_visible(with_thumbnails, qtbot):
    panel, session = with_thumbnails
    choose(panel, qtbot, "Order of the queries", "Lowest first")
    qtbot.keyClick(panel.list, Qt.Key.Key_End)
    settle(session, qtbot)
    panel.list.verticalScrollBar().setValue(0)
    session.select(run=1 - session.selection.run)
    settle(session, qtbot)
    assert panel.list.verticalScrollBar().value() == 0
