"""Ranked list panel: rank cursor, barcode, cards, copying and requests."""

from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt, QUrl
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from sample_benchmark import write_sample_benchmark
from sessions import open_in, settle
from tiny_benchmark import write_tiny

from shrec_viewer.content.diagnosis.reasons import ReasonPart
from shrec_viewer.diagnosis.error_budget import DIVIDED as CAUSES
from shrec_viewer.diagnosis.error_budget import BudgetWork
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.panels import context_menus
from shrec_viewer.panels.ranking.ranked_list import MissedModelsButton, RankedListPanel
from shrec_viewer.viewmodels.ranking.ranked_list import barcode_cuts
from shrec_viewer.widgets.controls.plain_text import plain_tooltip
from shrec_viewer.widgets.style.theme import apply_relevance_preset

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def opened(session, tmp_path, qtbot):
    open_in(session, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    session.select(run=1)  # levels 0 2 0 2 1 0 0 1; ranks 3 and 4 are tied
    settle(session, qtbot)
    return session


@pytest.fixture
def panel(opened, qtbot):
    yield from shown(RankedListPanel(opened), opened, qtbot)


def shown(panel, session, qtbot, size=(700, 500)):
    qtbot.addWidget(panel)
    panel.resize(*size)
    panel.show()
    qtbot.waitExposed(panel)
    settle(session, qtbot)
    panel.cursors = []
    session.cursor_state.cursor_changed.connect(panel.cursors.append)
    yield panel


def card(panel, rank):
    return panel.grid.visualRect(panel.grid.model().index(rank - 1, 0)).center()


def tick(panel, rank):
    from shrec_viewer.widgets.cards.barcode import HORIZONTAL_MARGIN, LABEL_HEIGHT

    return QPoint(round(HORIZONTAL_MARGIN + panel.barcode.scale().x(rank)), LABEL_HEIGHT + 5)


def test_the_list_is_copied_as_an_image(panel, opened, qtbot):
    QGuiApplication.clipboard().clear()
    with qtbot.waitSignal(opened.done) as reported:
        panel.strip.render()
    assert reported.args == ["Image of q1 A2 copied"]
    copied = QGuiApplication.clipboard().image()
    assert copied.width() > copied.height() > 0


# -- one rank cursor --------------------------------------------------------------------------------------------------


def test_mouse_over_cards_and_ticks_sets_the_cursor_only(panel, opened, qtbot):
    qtbot.mouseMove(panel.grid.viewport(), card(panel, 3))
    qtbot.mouseMove(panel.grid.viewport(), QPoint(1, 1))
    qtbot.mouseMove(panel.barcode, tick(panel, 6))
    qtbot.mouseMove(panel.barcode, tick(panel, 7))
    assert panel.cursors == [3, None, 6, 7]
    assert opened.selection.rank is None
    assert (panel.barcode._cursor, panel.grid._cursor) == (7, 7)


def test_hovered_plot_marks_cards_and_ticks_without_scrolling(panel, opened):
    panel.resize(200, 300)
    before = panel.grid.verticalScrollBar().value()
    opened.cursor_state.hover(8)
    assert (panel.barcode._cursor, panel.grid._cursor) == (8, 8)
    assert panel.grid.verticalScrollBar().value() == before
    assert not panel.grid.currentIndex().isValid()
    opened.cursor_state.hover(None)
    assert panel.barcode._cursor is None


def test_stepping_moves_the_cursor_and_scrolls(panel, opened, qtbot):
    panel.resize(200, 300)
    qtbot.mouseMove(panel.grid.viewport(), card(panel, 1))
    opened.select(rank=1)
    panel.grid.setFocus()
    qtbot.keyClick(panel.grid, Qt.Key.Key_End)
    assert opened.selection.rank == 8
    assert panel.cursors[-1] == 8
    assert panel.barcode._cursor == 8
    assert panel.grid.viewport().rect().contains(card(panel, 8))


def test_marked_ranks_are_kept_until_they_change(panel, opened, qtbot):
    opened.cursor_state.mark([2, 4])
    assert panel.grid._marked_ranks == {2, 4}
    assert panel.barcode._marked_ranks.tolist() == [2, 4]
    opened.select(query=1)
    settle(opened, qtbot)
    assert panel.barcode._marked_ranks.tolist() == [2, 4]
    opened.cursor_state.mark([])
    assert panel.grid._marked_ranks == frozenset()


# -- barcode ----------------------------------------------------------------------------------------------------------


def test_barcode_has_the_levels_of_the_list_and_the_tiers(panel, opened):
    assert panel.barcode._levels.tolist() == opened.ranked_list.levels.tolist() == [0, 2, 0, 2, 1, 0, 0, 1]
    cuts = dict(panel.barcode._cutoffs)
    assert (cuts[4], cuts[8]) == ("C", "2C")  # two cats, two dogs
    assert panel.grid._cutoffs == {4: "1st tier", 8: "2nd tier"}
    assert 5 in cuts  # NDCG@5 of the profile


def test_barcode_window_follows_scrolling(panel, qtbot):
    panel.resize(200, 420)
    qtbot.wait(60)
    for value in (0, 150, 400):
        panel.grid.verticalScrollBar().setValue(value)
        first, last = panel.grid.visible_rows()
        assert panel.barcode._window == (first + 1, last + 1)


def test_click_or_drag_on_the_barcode_scrolls_the_cards(panel, opened, qtbot):
    panel.resize(320, 330)
    qtbot.wait(60)
    qtbot.mouseClick(panel.barcode, LEFT, pos=tick(panel, 8))
    assert panel.grid.viewport().rect().contains(card(panel, 8))
    qtbot.mousePress(panel.barcode, LEFT, pos=tick(panel, 8))
    qtbot.mouseMove(panel.barcode, tick(panel, 1))
    qtbot.mouseRelease(panel.barcode, LEFT, pos=tick(panel, 1))
    assert panel.grid.verticalScrollBar().value() == 0
    assert opened.selection.rank is None


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_tick_tooltip_names_the_model(panel, opened, qtbot):
    before = plain_tooltip(panel.barcode)
    assert before.startswith("8 ranks, 4 relevant")
    for rank, words in ((2, "rank 2: m1 cat, highly relevant (2)"), (3, "rank 3: m6 chair, not relevant")):
        qtbot.mouseMove(panel.barcode, tick(panel, rank))
        spot = tick(panel, rank)
        QApplication.sendEvent(panel.barcode, QHelpEvent(QEvent.Type.ToolTip, spot, panel.barcode.mapToGlobal(spot)))
        assert words in QToolTip.text()
        assert QToolTip.text().removeprefix("<p>").startswith(words)
    QToolTip.hideText()
    QApplication.sendEvent(panel.barcode, QEvent(QEvent.Type.Leave))
    assert plain_tooltip(panel.barcode) == before


def test_keys_on_the_barcode_scroll(panel, qtbot):
    panel.resize(320, 330)
    qtbot.wait(60)
    panel.barcode.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(panel.barcode, Qt.Key.Key_End)
    assert panel.grid.verticalScrollBar().value() == panel.grid.verticalScrollBar().maximum() > 0
    qtbot.keyClick(panel.barcode, Qt.Key.Key_Home)
    assert panel.grid.verticalScrollBar().value() == 0


def test_missing_list_has_no_ticks_and_a_collection_no_barcode(panel, opened, qtbot):
    opened.select(run=2, query=2)
    settle(opened, qtbot)
    assert len(panel.barcode._levels) == 0
    assert panel.barcode.isVisible()
    opened.close()
    settle(opened, qtbot)
    assert panel.barcode.isHidden()


def test_cut_offs_are_distinct_and_within_the_list(opened):
    assert barcode_cuts(16, 40, opened.profile)[:2] == [(16, "C"), (32, "2C")]
    cuts = barcode_cuts(16, 40, opened.profile)
    assert [rank for rank, _ in cuts] == sorted({rank for rank, _ in cuts}, key=[rank for rank, _ in cuts].index)
    assert max(rank for rank, _ in cuts) <= 40
    assert barcode_cuts(0, 8, opened.profile) == [(5, "5")]


# -- cards ------------------------------------------------------------------------------------------------------------


def test_ids_of_selected_cards_are_copied_one_per_line(panel, opened, qtbot):
    qtbot.mouseClick(panel.grid.viewport(), LEFT, pos=card(panel, 2))
    qtbot.mouseClick(panel.grid.viewport(), LEFT, CTRL, card(panel, 4))
    assert opened.selection.rank == 4
    assert panel.copy_ids()
    assert QGuiApplication.clipboard().text() == "m1\nm2"
    qtbot.keyClick(panel.grid, Qt.Key.Key_A, CTRL)
    assert opened.selection.rank == 4, "all are selected, one is looked at"
    panel.copy_ids()
    assert QGuiApplication.clipboard().text() == "m5\nm1\nm6\nm2\nm3\nm7\nm8\nm4"


def test_rows_are_copied_as_a_table(panel, opened, qtbot):
    qtbot.mouseClick(panel.grid.viewport(), LEFT, pos=card(panel, 2))
    qtbot.mouseClick(panel.grid.viewport(), LEFT, SHIFT, card(panel, 3))
    panel.copy_rows()
    assert QGuiApplication.clipboard().text().splitlines() == [
        "rank\tid\tclass\tlevel\tdistance", "2\tm1\tcat\t2\t0.2", "3\tm6\tchair\t0\t0.3",
    ]  # fmt: skip


def test_nothing_is_copied_without_a_selected_card(panel):
    QGuiApplication.clipboard().setText("kept")
    assert not panel.copy_ids()
    panel.copy_rows()
    assert QGuiApplication.clipboard().text() == "kept"


def menu_of(panel, actions, qtbot):
    menu = actions.menu()
    found = {action.text().partition("\t")[0].replace("&", ""): action for action in menu.actions()}
    qtbot.addWidget(menu)
    return menu, found


def test_menu_enables_only_possible_actions(panel, opened, qtbot, monkeypatch):
    folders = []
    monkeypatch.setattr(context_menus.QDesktopServices, "openUrl", folders.append)
    qtbot.mouseClick(panel.grid.viewport(), RIGHT, pos=card(panel, 2))
    assert opened.selection.rank == 2
    menu, found = menu_of(panel, panel.cards, qtbot)
    assert list(found) == [
        "Open in 3D", "Copy model id", "Copy models as a table", "Show file in folder", "Use as query",
        "Ranks in all lists", "Relevance for this query",
    ]  # fmt: skip
    assert [text for text, action in found.items() if not action.isEnabled()] == ["Use as query"]
    found["Copy model id"].trigger()
    assert QGuiApplication.clipboard().text() == "m1"
    found["Show file in folder"].trigger()
    folder = opened.benchmark.collection.paths[0].parent
    assert folders == [QUrl.fromLocalFile(str(folder))]
    menu.close()


def test_menu_names_the_number_of_copied_ids(panel, qtbot):
    qtbot.mouseClick(panel.grid.viewport(), LEFT, pos=card(panel, 2))
    qtbot.mouseClick(panel.grid.viewport(), LEFT, SHIFT, card(panel, 4))
    menu, found = menu_of(panel, panel.cards, qtbot)
    assert {"Copy 3 model ids", "Copy models as a table"} < set(found)
    menu.close()


@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True)
def test_menu_opens_at_the_mouse_and_at_the_current_card(panel, qtbot):
    qtbot.mouseClick(panel.grid.viewport(), LEFT, pos=card(panel, 2))
    panel.cards._show_menu(card(panel, 3))
    menu = panel.grid.findChildren(context_menus.QMenu)[0]
    assert menu.isVisible()
    menu.close()
    panel.cards._show_menu(QPoint(-5, -5))
    for menu in panel.grid.findChildren(context_menus.QMenu):
        menu.close()


def test_model_of_the_collection_becomes_the_query(session, tmp_path, qtbot):
    open_in(session, write_tiny(tmp_path / "tiny"), qtbot)
    for panel in shown(RankedListPanel(session), session, qtbot):
        qtbot.mouseClick(panel.grid.viewport(), LEFT, pos=card(panel, 4))
        chosen = session.ranked_list.items[3]
        menu, found = menu_of(panel, panel.cards, qtbot)
        found["Use as query"].trigger()
        menu.close()
        assert session.benchmark.queries.member[session.selection.query] == chosen
        assert session.selection.rank is None


def test_enter_and_double_click_request_the_3d_view_and_keep_the_scroll_position(panel, opened, qtbot):
    requested = []
    opened.mesh_view_state.open_requested.connect(partial(requested.append, "3D"))
    panel.resize(320, 300)
    opened.select(rank=6)
    before = panel.grid.verticalScrollBar().value()
    panel.grid.setFocus()
    qtbot.keyClick(panel.grid, Qt.Key.Key_Return)
    qtbot.mouseDClick(panel.grid.viewport(), LEFT, pos=card(panel, 6))
    menu, found = menu_of(panel, panel.cards, qtbot)
    found["Open in 3D"].trigger()
    menu.close()
    assert len(requested) == 3
    assert panel.grid.verticalScrollBar().value() == before > 0
    assert opened.selection.rank == 6


def test_ties_have_a_bracket_and_a_tooltip_with_the_group(panel):
    roles = {bytes(name.data()).decode(): number for number, name in panel.model.roleNames().items()}
    ties = [
        tuple(panel.model.index(row, 0).data(roles[name]) for name in ("tie_first", "tie_last")) for row in range(8)
    ]
    assert ties == [(0, 0), (0, 0), (3, 4), (3, 4), (0, 0), (0, 0), (0, 0), (0, 0)]
    tip = panel.model.index(2, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "tied: ranks 3 to 4 have this distance, their order is arbitrary" in tip


# -- legend, sizes, preset --------------------------------------------------------------------------------------------


def test_legend_names_the_relevance_levels(panel, opened, qtbot):
    assert panel.legend.isVisible()
    name = panel.legend.accessibleName()
    assert name.startswith("Relevance: 2 highly relevant (")
    assert name.endswith(" listed), 0 not relevant, Q query")
    opened.close()
    settle(opened, qtbot)
    assert panel.legend.isHidden()


def test_every_part_follows_the_preset(panel, qapp):
    parts = (panel.barcode, panel.legend, panel.grid)
    before = [part.grab().toImage() for part in parts]
    apply_relevance_preset(qapp, "strict")
    try:
        assert all(part.grab().toImage() != image for part, image in zip(parts, before, strict=True))
    finally:
        apply_relevance_preset(qapp, "ordinal")


@pytest.mark.parametrize("size", ["S", "M", "L", "T"])
def test_every_card_size_requests_thumbnails(panel, opened, size):
    panel.set_card_size(size)
    assert panel.grid.card_size_name() == size
    assert opened.thumbnails.pixels > 0


# -- values -----------------------------------------------------------------------------------------------------------


def test_relevance_threshold_follows_the_conventions(panel, opened, qtbot):
    from dataclasses import replace

    opened.set_conventions(replace(opened.profile, relevant_from=2))
    settle(opened, qtbot)
    assert dict(panel.barcode._cutoffs)[2] == "C"  # only the cats
    assert "2 of 2 relevant retrieved · first at rank 2" in panel.header.accessibleName()
    assert np.array_equal(panel.barcode._levels, [0, 2, 0, 2, 1, 0, 0, 1]), "cards still show the truth"


def test_button_of_models_not_retrieved_is_shorter_in_a_narrow_panel(qtbot):
    button = MissedModelsButton()
    qtbot.addWidget(button)
    button.set_count(104)
    button.resize(button.sizeHint())
    assert button.text() == "104 relevant models not retrieved"
    button.resize(button.minimumSizeHint())
    assert button.text() == "104 not retrieved"
    assert button.sizeHint().width() > button.minimumSizeHint().width()
    button.resize(button.sizeHint())
    assert button.text() == button.accessibleName() == "104 relevant models not retrieved"


def test_the_head_of_the_list_says_why_the_query_loses(panel, opened, qtbot):
    """The rule of the error budget, what stands first, and where the nearest relevant model stands."""
    scores = evaluate(opened.benchmark, opened.profile, measures=["AP"])
    work = BudgetWork(scores, "AP")
    panel.resize(1800, 600)  # all parts fit
    for run, query in ((0, 0), (1, 2), (2, 1)):
        opened.select(run=run, query=query)
        settle(opened, qtbot)
        text = panel.header.accessibleDescription()
        row = scores.run_index(opened.run.name)
        assert text.startswith(work.budget(row).sentences[query])
        levels = work.ranked(row, query).levels
        nearest = int((levels > 0).argmax()) + 1
        assert (f"nearest relevant model at rank {nearest}" in text) == (nearest > 1)
        assert text in panel.header.toolTip()
        panel.header.grab()
        links = {part.text: box.center().toPoint() for box, part in panel.header._links}
        advance = panel.header.fontMetrics().horizontalAdvance
        assert all(box.width() <= advance(part.text) + 2 for box, part in panel.header._links)
        assert links
        if nearest > 1:
            place = next(place for part, place in links.items() if part.startswith("nearest relevant model"))
            qtbot.mouseMove(panel.header, place)
            assert panel.header.cursor().shape() == Qt.CursorShape.PointingHandCursor
            qtbot.mouseClick(panel.header, LEFT, pos=place)
            assert opened.selection.rank == nearest
        asked = []
        opened.cursor_state.view_requested.connect(asked.append)
        qtbot.mouseClick(panel.header, LEFT, pos=links[work.budget(row).sentences[query]])
        assert asked in (["class_costs"], ["query_causes"])
        opened.cursor_state.view_requested.disconnect(asked.append)


# -- restrictions -----------------------------------------------------------------------------------------------------


def test_only_models_of_the_lasso_are_shown_at_their_ranks(panel, opened, qtbot):
    items = opened.ranked_list.items
    opened.select(within=[int(items[rank - 1]) for rank in (7, 2, 4)])
    settle(opened, qtbot)
    assert panel.model.rowCount() == 3
    assert [panel.model.row_cells(row)[0] for row in range(3)] == ["2", "4", "7"]
    assert [panel.model.item_of(row) for row in range(3)] == [items[1], items[3], items[6]]
    assert [panel.grid._rank_of_row(row) for row in range(3)] == [2, 4, 7]
    tip = panel.model.index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert f"rank 4 of {len(items)}" in tip
    assert "tied: ranks 3 to 4" in tip
    assert panel.restriction.isVisible()
    qtbot.mouseMove(panel.grid.viewport(), card(panel, 3))
    assert panel.cursors[-1] == 7
    qtbot.mouseClick(panel.grid.viewport(), LEFT, pos=card(panel, 2))
    assert opened.selection.rank == 4
    opened.select(rank=5)
    assert not panel.grid.currentIndex().isValid()
    assert panel.model.rank_text(5).startswith("rank 5: ")
    qtbot.mouseClick(panel.restriction, LEFT)
    assert panel.model.rowCount() == len(items)
    assert panel.grid.currentIndex().row() == 4


def test_only_models_that_a_cause_carries_are_shown(panel, opened, qtbot):
    scores = evaluate(opened.benchmark, opened.profile, measures=["AP"])
    found = BudgetWork(scores, "AP").false_positives(1, opened.selection.query)
    carried = found.by_cause[:, CAUSES.index("single")] > 0
    opened.select(cause="single")
    settle(opened, qtbot)
    assert 0 < carried.sum() < len(opened.ranked_list)
    assert panel.model.ranks.tolist() == found.ranks[carried].tolist()
    opened.select(within=found.models[carried][:1].tolist())
    settle(opened, qtbot)
    assert panel.model.ranks.tolist() == found.ranks[carried][:1].tolist()
    opened.select(cause="unlisted", within=())  # no model of the list carries it
    settle(opened, qtbot)
    assert panel.model.rowCount() == len(opened.ranked_list)


def test_parts_of_the_reason_are_reached_by_keys(opened, show, settled, qtbot):
    panel = show(RankedListPanel(opened), 900, 600)
    settled()
    header, parts = panel.header, panel.reasons.result
    assert len(parts) > 1
    assert header.focusPolicy() == Qt.FocusPolicy.TabFocus
    header.setFocus(Qt.FocusReason.TabFocusReason)
    picked, plain = [], header.grab().toImage()
    header.reason_picked.connect(picked.append)
    for key, expected in (
        (Qt.Key.Key_Return, parts[0]), (Qt.Key.Key_Right, None), (Qt.Key.Key_Space, parts[1]),
        (Qt.Key.Key_Left, None), (Qt.Key.Key_Left, None), (Qt.Key.Key_Return, parts[0]),
    ):  # fmt: skip
        picked.clear()
        qtbot.keyClick(header, key)
        assert picked == ([] if expected is None else [expected])
    header.setFocus()
    qtbot.keyClick(header, Qt.Key.Key_Right)
    assert header.grab().toImage() != plain  # the frame is around another part
    header.set_reason(())
    assert header.focusPolicy() == Qt.FocusPolicy.NoFocus


def test_clauses_of_the_reason_are_shown_whole(opened, show, settled, qtbot):
    """In a narrow header the first ones only; the keys choose among those that are shown."""
    panel = show(RankedListPanel(opened), 900, 600)
    settled()
    header, first, second = panel.header, "7 of 9 stand behind rank 20", "2 of the first 10 are 'pig'"
    header.set_reason((ReasonPart(f"{first}; 3 are found elsewhere, most by B1"), ReasonPart(second)))
    picked, widths = [], {}
    header.reason_picked.connect(picked.append)
    for width in (900, 430, 330):
        panel.resize(width, 600)
        header.grab()
        widths[width] = [round(box.width()) for box, _ in header._links]
    metrics = QFontMetricsF(header.font())
    one, other = (round(metrics.horizontalAdvance(text) + 1) for text in (first, second))
    assert widths[900][1] == other
    assert widths[430] == [one, other]
    assert widths[330] == [one]
    header.setFocus()
    qtbot.keyClick(header, Qt.Key.Key_Right)
    qtbot.keyClick(header, Qt.Key.Key_Return)
    assert [part.text.startswith(first) for part in picked] == [True]


def test_header_with_picture_reason_and_barcode_is_one_band(opened, show, settled):
    panel = show(RankedListPanel(opened))
    settled()
    panel.header.set_has_thumbnails(True)
    panel.header.set_has_reasons(True)
    assert panel.header.sizeHint().height() == 72
