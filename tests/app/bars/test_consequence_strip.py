"""The strip that says what the last change did to the scores."""

import shutil

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton
from sample_benchmark import write_sample_benchmark
from sessions import settle
from shared_windows import a_shared_window
from windows import a_window, open_in_window

from shrec_viewer.metrics import with_convention
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.session.edits import RESTORED_EDITS

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot):
    yield from a_shared_window(qapp, module_qtbot, resource("demo"))


def press(window, text, qtbot):
    """Click a button of the strip by its text or name."""
    (button,) = (
        one
        for one in window.consequences.findChildren(QToolButton)
        if text in (one.text(), one.accessibleName()) and one.isVisible()
    )
    qtbot.mouseClick(button, LEFT)
    settle(window.session, qtbot)


def means(session):
    return session.mean("queries")[:, session.scores.column(session.measure)]


def test_decisions_and_restored_edits_are_named_by_what_they_change(opened, qtbot):
    session, strip = opened.session, opened.consequences
    model, level = int(session.ranked_list.items[7]), 0 if session.ranked_list.levels[7] else 2
    session.edits.review_pair(0, model, level)
    settle(session, qtbot)
    name = session.benchmark.collection.ids[model]
    assert strip.cause.text() == f"Level of {name} changed"
    session.edits.review_pair(0, model, level)
    assert session.edits.stack.undoText() == f"level of {name}", "no second step"
    other = next(place for place in (0, 2) if place != level)
    edited = session.edits.edited
    session.edits.review_pair(0, model, other)
    settle(session, qtbot)
    session.edits.apply_undoable(edited, RESTORED_EDITS)
    settle(session, qtbot)
    assert strip.cause.text() == "Edits of an earlier session restored"


def test_edit_of_a_level_says_its_effect_until_it_is_undone(opened, qtbot):
    session, strip = opened.session, opened.consequences
    assert not strip.isVisible()
    before = means(session)
    query, model = 0, int(session.ranked_list.items[7])
    level = 0 if session.ranked_list.levels[7] else 2
    session.edits.set_level(query, [model], level)
    settle(session, qtbot)
    changed = before != means(session)
    most = np.abs(means(session) - before).max()
    assert strip.isVisible()
    assert strip.cause.text() == f"Level of {session.benchmark.collection.ids[model]} changed"
    assert strip.effect.text().startswith(
        f"{session.measure} of {changed.sum()} runs changes by at most {most:.3f}; the order "
    )
    assert session.document.replaced_scores is not None, "for the differences in the table of runs"
    press(opened, "Details", qtbot)
    assert opened.workspace.is_shown("edits")
    press(opened, "Undo", qtbot)
    np.testing.assert_array_equal(means(session), before)
    assert not strip.isVisible()
    assert session.document.replaced_scores is None


def test_convention_is_returned_to_by_the_strip(opened, qtbot):
    session, strip = opened.session, opened.consequences
    former = session.profile
    session.set_conventions(with_convention(former, "missing_query", "skip"))
    settle(session, qtbot)
    assert strip.cause.text() == "Missing queries: Score 0 → Exclude"
    assert strip.effect.text().startswith(f"{session.measure} of C1 "), "the only run that lacks a query"
    press(opened, "Undo", qtbot)
    assert session.profile == former
    assert not strip.isVisible()


def test_a_run_that_is_added_is_no_consequence(qapp, qtbot, tmp_path):
    folder = write_sample_benchmark(tmp_path / "sample", manifest=False)
    for window in a_window(qapp, qtbot):
        open_in_window(window, folder, qtbot)
        shutil.copytree(folder / "runs/A2", folder / "runs/C1")
        window.menus.actions["reload"].trigger()
        settle(window.session, qtbot)
        assert "C1" in [run.name for run in window.session.benchmark.runs]
        assert not window.consequences.isVisible()


def test_added_measure_and_another_query_are_no_consequences(opened, qtbot):
    session, strip = opened.session, opened.consequences
    session.add_measure("E@16")
    session.select(query=3)
    settle(session, qtbot)
    assert not strip.isVisible()


def test_strip_is_dismissed_and_closed_with_the_benchmark(opened, qtbot):
    session, strip = opened.session, opened.consequences
    for end in (lambda: press(opened, "Dismiss", qtbot), session.close):
        session.set_conventions(with_convention(session.profile, "missing_query", "skip"))
        settle(session, qtbot)
        assert strip.isVisible()
        end()
        assert not strip.isVisible()
        assert session.document.replaced_scores is None
        if session.is_open:
            session.set_conventions(with_convention(session.profile, "missing_query", "zero"))
            settle(session, qtbot)


def test_a_long_cause_widens_no_window(opened, qtbot):
    session, least = opened.session, opened.minimumSizeHint().width()
    profile = session.profile
    for name, value in (("relevant_from", 2), ("list_cut", 100), ("missing_query", "skip"), ("self_match", "keep")):
        profile = with_convention(profile, name, value)
    session.set_conventions(profile)
    settle(session, qtbot)
    strip = opened.consequences
    assert strip.cause.text().count("→") == 4
    assert strip.effect.isVisible()
    assert opened.minimumSizeHint().width() <= least


def test_undo_is_of_the_step_that_is_named(opened, qtbot):
    session, strip = opened.session, opened.consequences
    model = int(session.ranked_list.items[7])
    session.edits.set_level(0, [model], 0 if session.ranked_list.levels[7] else 2)
    settle(session, qtbot)
    (undo,) = (one for one in strip.findChildren(QToolButton) if one.text() == "Undo")
    assert undo.isVisible()
    session.edits.set_note(session.benchmark.queries.ids[0], "a step that changes no score")
    settle(session, qtbot)
    assert strip.isVisible()
    assert not undo.isVisible()
    session.edits.stack.setIndex(0)
    settle(session, qtbot)
    assert not strip.isVisible()
