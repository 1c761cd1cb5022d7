"""Largest confusions: their order, thumbnails on both sides, and what clicks and the mouse show."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF, QPixmap

from shrec_viewer.evaluation.plots.confusion import confused_ranks
from shrec_viewer.panels.scores.confusion import MAX_CONFUSIONS, ConfusionPanel
from shrec_viewer.widgets.heatmap.confusion import THUMBNAIL_EDGE

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(opened, show, settled):
    shown = show(ConfusionPanel(opened), 900, 420)
    settled()
    return shown


def row_centre(panel, row):
    return panel.confusions.visualItemRect(panel.confusions.item(row)).center()


def test_confusions_are_listed_with_the_largest_share_first(panel, opened):
    pairs, result = panel.confusions.pairs, panel.computation.result.of_tier[1]
    shares = [pair.share for pair in pairs]
    assert 5 < len(pairs) <= MAX_CONFUSIONS
    assert shares == sorted(shares, reverse=True)
    names = opened.benchmark.classification.names
    for pair in pairs:
        assert pair.share == result.shares[pair.row, pair.column] > 0
        assert (pair.query_class, pair.model_class) == (
            names[result.rows[pair.row]],
            names[result.columns[pair.column]],
        )
        assert pair.query_class != pair.model_class
    off = [
        result.shares[k, n]
        for k, row in enumerate(result.rows)
        for n, column in enumerate(result.columns)
        if row != column
    ]
    assert shares[0] == max(off)


def test_the_example_is_the_confused_model_of_the_best_rank(panel, opened):
    benchmark, tiers, found = opened.benchmark, panel.computation.result.tiers, panel.computation.result.of_tier[1]
    for pair in panel.confusions.pairs:
        classes = found.rows[pair.row], found.columns[pair.column]
        queries, ranks, items = confused_ranks(tiers, benchmark, 1, *map(int, classes))
        best = int(np.argmin(ranks))
        assert pair.example.startswith(f"{benchmark.queries.ids[queries[best]]}, rank {ranks[best]}: ")
        assert pair.query_path == benchmark.queries.paths[queries[best]]
        assert pair.model_path == benchmark.collection.paths[items[best]]
        assert benchmark.queries.labels[queries[best]] == classes[0]
        assert benchmark.classification.labels[items[best]] == classes[1]


def test_thumbnails_of_both_sides_are_requested_and_painted(panel, opened, monkeypatch):
    requests = []
    monkeypatch.setattr(opened.thumbnails, "request", lambda client, paths, *_: requests.append((client, list(paths))))
    panel._request_thumbnails()
    client, paths = requests[-1]
    assert client == "confusions"
    assert set(paths) == {path for pair in panel.confusions.pairs for path in (pair.query_path, pair.model_path)}
    panel.hide()
    assert requests[-1] == ("confusions", [])
    panel.show()
    colours = {panel.confusions.pairs[0].query_path: "#FF0000", panel.confusions.pairs[0].model_path: "#00FF00"}

    def coloured(path):
        pixmap = QPixmap(40, 40)
        pixmap.fill(colours.get(path, "#000000"))
        return pixmap

    monkeypatch.setattr(opened.thumbnails, "pixmap", coloured)
    image = panel.confusions.viewport().grab().toImage()
    middle, width = row_centre(panel, 0).y(), panel.confusions.viewport().width()
    assert image.pixelColor(28, middle).name() == "#ff0000"
    assert image.pixelColor(width - 28, middle).name() == "#00ff00"


def test_a_click_marks_the_cell_and_a_double_click_lists_its_models(panel, opened, qtbot):
    pair = panel.confusions.pairs[2]
    qtbot.mouseClick(panel.confusions.viewport(), LEFT, pos=row_centre(panel, 2))
    assert panel.grid.current == (pair.row, pair.column)
    assert panel.confusions.isVisible()
    qtbot.mouseDClick(panel.confusions.viewport(), LEFT, pos=row_centre(panel, 2))
    assert panel.hit_list.isVisible()
    query, rank = panel.hit_list.item(0).data(Qt.ItemDataRole.UserRole)
    assert (opened.selection.query, opened.selection.rank) == (query, rank)
    qtbot.mouseClick(panel._back_button, LEFT)
    assert panel.confusions.isVisible()
    assert not panel.hit_list.isVisible()


def test_keys_walk_through_the_confusions(panel, qtbot):
    panel.confusions.setFocus()
    panel.confusions.setCurrentRow(0)
    qtbot.keyClick(panel.confusions, Qt.Key.Key_Down)
    pair = panel.confusions.pairs[1]
    assert panel.grid.current == (pair.row, pair.column)


def test_the_title_names_the_cell_under_the_mouse(panel, qtbot):
    pair = panel.confusions.pairs[0]
    qtbot.mouseMove(panel.grid.viewport(), panel.grid.cell_rect(pair.row, pair.column).center())
    assert panel.title.text().startswith(f"{pair.query_class} → {pair.model_class} · share {pair.share:.3f}")
    qtbot.mouseMove(panel.confusions.viewport(), row_centre(panel, 1))
    qtbot.waitUntil(lambda: panel.title.text().endswith("queries ↓  models →"))


def test_the_second_tier_has_its_own_confusions(panel, qtbot):
    first = panel.confusions.pairs
    qtbot.mouseClick(panel.kind.button("2"), LEFT)
    assert panel.confusions.pairs != first
    qtbot.mouseClick(panel.kind.button("image"), LEFT)
    assert not panel.confusions.isVisible()


def test_list_is_as_wide_as_the_longest_names(panel, monkeypatch):
    pair = replace(panel.confusions.pairs[0], query_class="computer_monitor", model_class="sailboat_with_oars_and_flag")
    usual = panel.confusions.sizeHint().width()
    panel.confusions.set_pairs([pair])
    needed = QFontMetricsF(panel.confusions.font()).horizontalAdvance(f"→ {pair.model_class}")
    assert panel.confusions.sizeHint().width() > max(usual, 2 * THUMBNAIL_EDGE + needed)
