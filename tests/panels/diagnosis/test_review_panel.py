"""The central panel of Assess: the pair, the buttons and keys of the decisions, what they would change, blind."""

import pytest
from planted_levels import plant_levels
from PySide6.QtCore import Qt
from sessions import settle

from shrec_viewer.app.bars.status_bar import StatusBar
from shrec_viewer.evaluation.edits import level_of, with_edits
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts
from shrec_viewer.panels.diagnosis.review import ReviewPanel
from shrec_viewer.panels.diagnosis.suspects import SuspectsPanel
from shrec_viewer.viewmodels.text.consequences import change_of_means


@pytest.fixture
def with_pairs(session, sample_benchmark, qtbot):
    """The sample benchmark with an assessment of pairs."""
    session.open(sample_benchmark, BenchmarkParts(assessment=plant_levels(sample_benchmark)))
    settle(session, qtbot)
    return session


def shown_panels(session, qtbot):
    """The queue and the pair."""
    panels = SuspectsPanel(session), ReviewPanel(session)
    for panel, width in zip(panels, (300, 900), strict=True):
        qtbot.addWidget(panel)
        panel.resize(width, 600)
        panel.show()
    settle(session, qtbot)
    return panels


def shown_buttons(panel):
    return {value: button for value, button in panel.buttons.items() if button.isVisible()}


def test_a_tour_of_suspects_by_keyboard_alone(with_pairs, qtbot):
    session = with_pairs
    queue, panel = shown_panels(session, qtbot)
    suspects = session.review.queue.suspects
    assert len(suspects) >= 4
    keys = (Qt.Key.Key_0, Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_Space)
    panel.setFocus()
    for key, level, suspect in zip(keys, (0, 1, 2, None), suspects, strict=False):
        ids = session.benchmark.queries.ids[suspect.query], session.benchmark.collection.ids[suspect.model]
        assert panel.question.text() == f"Is {ids[1]} relevant to {ids[0]}?"
        assert queue.table.current_key == (suspect.query, suspect.model)
        assert (session.selection.query, session.document.model) == (suspect.query, suspect.model)
        qtbot.keyClick(panel, key)
        assert session.edits.edited.reviewed[ids] == (suspect.current if level is None else level)
        settle(session, qtbot)
    assert session.review.n_decided == 4
    assert session.review.current == suspects[4] if len(suspects) > 4 else suspects[3]
    session.edits.stack.undo()
    settle(session, qtbot)
    assert session.review.current == suspects[3]  # undone: it is the one to judge again
    assert session.review.n_decided == 3


def test_arrows_skip_and_return_without_a_decision(with_pairs, qtbot):
    session = with_pairs
    _queue, panel = shown_panels(session, qtbot)
    suspects = session.review.queue.suspects
    qtbot.keyClick(panel, Qt.Key.Key_Up)
    assert session.review.current == suspects[0]
    assert not panel.previous.isEnabled()
    qtbot.keyClick(panel.buttons[0], Qt.Key.Key_Down)  # arrows do not move the focus between the buttons
    assert session.review.current == suspects[1]
    qtbot.mouseClick(panel.skip, Qt.MouseButton.LeftButton)
    assert session.review.current == suspects[2]
    qtbot.mouseClick(panel.previous, Qt.MouseButton.LeftButton)
    assert session.review.current == suspects[1]
    assert session.edits.edited.reviewed == {}


def test_each_button_says_what_its_value_would_change(with_pairs, qtbot):
    session = with_pairs
    _queue, panel = shown_panels(session, qtbot)
    suspect, benchmark = session.review.current, session.benchmark
    buttons = shown_buttons(panel)
    assert list(buttons) == [0, *benchmark.assessment.levels]
    assert all(button.height() >= 44 for button in buttons.values())
    present = level_of(benchmark, suspect.query, suspect.model)
    before = session.scores.mean()[:, session.scores.column(session.measure)]
    for value, button in buttons.items():
        if value == present:
            assert button.effect == "as it is now"
            continue
        session.edits.set_level(suspect.query, [suspect.model], value)
        edits = session.edits.levels
        session.edits.stack.undo()
        edited = evaluate(with_edits(benchmark, edits), session.profile, measures=[session.measure])
        text = change_of_means(edited.runs, before, edited.mean()[:, 0], session.measure)
        assert button.effect == text
    settle(session, qtbot)
    suggested = [value for value, button in buttons.items() if button.is_suggested]
    assert suggested == [suspect.suggested]
    qtbot.mouseClick(buttons[suspect.suggested], Qt.MouseButton.LeftButton)
    assert level_of(session.benchmark, suspect.query, suspect.model) == suspect.suggested


def test_blind_hides_suggestion_reason_ranks_and_effects(with_pairs, qtbot):
    session = with_pairs
    queue, panel = shown_panels(session, qtbot)
    assert panel.reason.text()
    assert panel.ranks.isVisible()
    assert {point.run for point in panel.ranks.points} == {"A1", "A2"}  # the third run has no list of the query
    qtbot.mouseClick(panel.blind, Qt.MouseButton.LeftButton, pos=panel.blind.rect().center())
    assert session.review.options.blind
    assert queue.options.blind
    assert panel.reason.text() == ""
    assert not panel.ranks.isVisible()
    for button in shown_buttons(panel).values():
        assert not button.is_suggested
        assert button.effect == ""
        assert "suggested" not in button.text() + button.toolTip() + button.accessibleName()
    assert all(mesh.text.level is None for mesh in panel.meshes.values())
    queue.set_option("blind", False)
    assert not panel.blind.isChecked()
    assert panel.reason.text()


def test_blind_hides_rank_and_level_in_the_status_bar(with_pairs, qtbot):
    session = with_pairs
    bar = StatusBar(session, None)
    qtbot.addWidget(bar)
    _queue, panel = shown_panels(session, qtbot)
    rank = session.selection.rank
    assert f"rank {rank} of " in bar.selection.text()
    assert bar.scores.text().endswith(f" at {rank}")
    qtbot.mouseClick(panel.blind, Qt.MouseButton.LeftButton, pos=panel.blind.rect().center())
    model = session.benchmark.collection.ids[session.document.model]
    assert bar.selection.text().split("  ·  ")[2:] == [model]
    assert " at " not in bar.scores.text()
    qtbot.mouseClick(panel.blind, Qt.MouseButton.LeftButton, pos=panel.blind.rect().center())
    assert f"rank {rank} of " in bar.selection.text()


def test_labels_are_kept_or_changed(opened, qtbot):
    _queue, panel = shown_panels(opened, qtbot)
    suspect, benchmark = opened.review.current, opened.benchmark
    names = benchmark.classification.names
    assert (
        panel.question.text() == f"Does {benchmark.collection.ids[suspect.model]} belong to {names[suspect.current]}?"
    )
    buttons = shown_buttons(panel)
    assert {value: button.text() for value, button in buttons.items()} == {
        0: names[suspect.current],
        1: f"{names[suspect.suggested]} · suggested",
    }
    assert not panel.ranks.isVisible()
    qtbot.mouseClick(buttons[1], Qt.MouseButton.LeftButton)
    assert opened.edits.edited.reviewed == {("", benchmark.collection.ids[suspect.model]): 1}
    settle(opened, qtbot)


def test_the_pair_needs_no_list_of_the_queue(with_pairs, qtbot):
    panel = ReviewPanel(with_pairs)
    qtbot.addWidget(panel)
    panel.show()
    assert panel.is_empty
    settle(with_pairs, qtbot)
    assert not panel.is_empty
    first, second = with_pairs.review.queue.suspects[:2]
    assert with_pairs.review.current == first
    qtbot.keyClick(panel, Qt.Key.Key_Space)
    assert with_pairs.review.current == second
    queue = SuspectsPanel(with_pairs)  # opened later: the same queue, at the same suspect
    qtbot.addWidget(queue)
    queue.show()
    settle(with_pairs, qtbot)
    assert queue.table.current_key == (second.query, second.model)
    assert with_pairs.review.queue is queue.computation.result is panel.computation.result
