"""The tour, taken by real mouse events: every step, its control, resuming, skipping, other benchmarks."""

import re
from dataclasses import replace
from functools import partial
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from sample_benchmark import write_sample_benchmark
from sessions import settle
from shared_windows import a_shared_window
from windows import a_window, open_in_window

from shrec_viewer.app.help import tour as tour_module
from shrec_viewer.app.help.tour import bubble_position
from shrec_viewer.app.help.tour_steps import TOUR_STEPS, step_target, step_texts
from shrec_viewer.app.startup.settings import Settings, SettingsFile
from shrec_viewer.panels import PANELS, PERSPECTIVES
from shrec_viewer.resources import resource

LEFT = Qt.MouseButton.LeftButton
HEADINGS = [step.heading for step in TOUR_STEPS]

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture
def memory(tmp_path):
    return tmp_path / "settings.ini"


@pytest.fixture
def window(qapp, qtbot, memory):
    yield from a_window(qapp, qtbot, memory)


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot, tmp_path_factory):
    yield from a_shared_window(qapp, module_qtbot, resource("demo"), tmp_path_factory.mktemp("tour") / "settings.ini")


@pytest.fixture
def opened(shared, qtbot):
    """The window that tests share, with the demo open, and without the tour."""
    tour = shared.window.tour
    if tour is not None and tour.step is not None:
        tour.bubble.skip.click()
    return shared.reset(qtbot)


def begin(window, qtbot):
    """Start the tour from the menu and return it, on its first step."""
    window.menus.actions["tour"].trigger()
    qtbot.waitUntil(lambda: window.tour.step is not None)
    return window.tour


@pytest.fixture
def start(opened, qtbot):
    return partial(begin, opened, qtbot)


def click(window, widget):
    """Press and release the mouse at the middle of a widget; Qt finds the widget under it."""
    place = widget.mapTo(window, widget.rect().center())
    QTest.mouseClick(window.windowHandle(), LEFT, Qt.KeyboardModifier.NoModifier, place)


def in_window(window, area):
    return QRect(window.mapFromGlobal(area.topLeft()), area.size())


def check_step(window, tour, index, qtbot):
    """The step is shown, and its control exists, is visible and outlined."""
    step = TOUR_STEPS[index]
    assert tour.step == index
    assert tour.bubble.title.text() == step.heading
    assert tour.bubble.text.text() == step_texts()[step.heading]
    qtbot.waitUntil(lambda: step_target(window, step) is not None)
    settle(window.session, qtbot)
    qtbot.wait(2 * tour_module.FOLLOW_INTERVAL_MS)  # the tour follows its control at this interval
    qtbot.waitUntil(
        lambda: tour.outline.geometry().contains(in_window(window, step_target(window, step)[1]) & window.rect()),
    )
    control, area = step_target(window, step)
    area = in_window(window, area)
    assert control.isVisible()
    assert not control.visibleRegion().isEmpty(), f"{step.heading} is covered"
    assert tour.outline.isVisible()
    assert tour.outline.geometry().width() <= area.width() + 8
    assert window.rect().contains(tour.bubble.geometry()), step.heading
    assert not tour.bubble.geometry().intersects(area), f"the bubble covers {step.heading}"
    assert window.workspace.perspective == step.perspective
    if step.panel:
        assert window.workspace.is_shown(step.panel)


def test_the_mouse_leads_from_the_first_to_the_last_step(window, memory, qtbot):
    tour = begin(window, qtbot)
    for index, step in enumerate(TOUR_STEPS):
        check_step(window, tour, index, qtbot)
        stored = SettingsFile(memory).read().tour_step
        assert stored == (step.heading if index else "")
        click(window, tour.bubble.next)
    assert tour.step is None
    assert not tour.outline.isVisible()
    assert SettingsFile(memory).read().tour_step == "", "it starts at the beginning again"


def test_a_button_that_was_moved_under_the_mouse_is_highlighted_until_it_leaves(start, monkeypatch, qtbot):
    tour = start()
    button = tour.bubble.next
    monkeypatch.setattr(tour_module, "QCursor", Mock(pos=lambda: button.mapToGlobal(button.rect().center())))
    qtbot.waitUntil(button.underMouse)
    monkeypatch.undo()  # no event: Qt saw no mouse enter the button
    qtbot.waitUntil(lambda: not button.underMouse())


def test_every_section_of_the_page_is_a_step_and_names_panels_that_exist():
    assert list(step_texts()) == HEADINGS
    assert {step.panel for step in TOUR_STEPS} <= {"", *(panel.key for panel in PANELS)}
    assert {step.perspective for step in TOUR_STEPS} == {row.key for row in PERSPECTIVES}
    text = resource("help/tour.md").read_text(encoding="utf-8").partition("## ")[2]
    assert not re.search(r"[*_`<\[]", text), "the bubble shows plain text"


def test_the_tour_is_skipped_and_goes_on_where_it_was_left(opened, start, qtbot):
    tour = start()
    for _ in range(4):
        click(opened, tour.bubble.next)
    click(opened, tour.bubble.back)
    assert tour.step == 3
    assert not tour.bubble.start_over.isVisible()
    click(opened, tour.bubble.skip)
    assert tour.step is None
    assert opened._settings_file.read().tour_step == HEADINGS[3]
    start()
    assert tour.step == 3
    assert tour.bubble.start_over.isVisible()
    click(opened, tour.bubble.start_over)
    check_step(opened, tour, 0, qtbot)


def test_a_later_start_of_the_program_goes_on_as_well(qapp, qtbot, memory):
    SettingsFile(memory).write(Settings(tour_step="Gain and loss"))
    for window in a_window(qapp, qtbot, memory):
        window.menus.actions["tour"].trigger()
        qtbot.waitUntil(lambda: window.tour.step is not None)  # noqa: B023 - called in this iteration
        check_step(window, window.tour, HEADINGS.index("Gain and loss"), qtbot)


def test_an_unknown_stored_step_starts_at_the_beginning(qapp, qtbot, memory):
    SettingsFile(memory).write(Settings(tour_step="<b>No such step</b>" * 50))
    for window in a_window(qapp, qtbot, memory):
        window.menus.actions["tour"].trigger()
        qtbot.waitUntil(lambda: window.tour.step is not None)  # noqa: B023 - called in this iteration
        assert window.tour.step == 0


def test_the_controls_can_be_used_during_the_tour(opened, start, qtbot):
    tour = start()
    check_step(opened, tour, 0, qtbot)
    queries = opened.workspace.panel("queries")
    view = queries.list
    place = view.visualRect(view.model().index(3, 0)).center()
    QTest.mouseClick(opened.windowHandle(), LEFT, Qt.KeyboardModifier.NoModifier, view.viewport().mapTo(opened, place))
    qtbot.waitUntil(lambda: opened.session.selection.query == 3)
    assert tour.step == 0


def test_a_closed_dock_is_opened_by_its_step(opened, start, qtbot):
    tour = start()
    settle(opened.session, qtbot)
    opened.workspace.dock("precision_recall").close()
    for _ in range(4):
        click(opened, tour.bubble.next)
    check_step(opened, tour, HEADINGS.index("Precision and recall"), qtbot)


def test_bubble_and_outline_follow_the_control(opened, start, qtbot):
    tour = start()
    check_step(opened, tour, 0, qtbot)
    opened.resize(1500, 900)
    check_step(opened, tour, 0, qtbot)
    qtbot.waitUntil(lambda: tour.outline.height() > 650)


def is_uncut(bubble):
    """Whether the buttons and the text of the tour have the size that they need."""
    buttons = [found for found in bubble.findChildren(QPushButton) if found.isVisible()]
    is_text_complete = bubble.text.height() >= bubble.text.heightForWidth(bubble.text.width())
    return is_text_complete and all(found.width() >= found.sizeHint().width() for found in buttons)


def test_no_button_is_cut_off_with_the_largest_text(opened, start, qtbot):
    opened.change_settings(replace(opened.settings, text_size=175))
    tour = start()
    for index in range(2):
        check_step(opened, tour, index, qtbot)
        qtbot.waitUntil(partial(is_uncut, tour.bubble))  # the layout follows the new text size
        click(opened, tour.bubble.next)
    opened.change_settings(replace(opened.settings, text_size=100))


def test_a_control_that_disappears_is_not_outlined(opened, start, qtbot):
    tour = start()
    check_step(opened, tour, 0, qtbot)
    opened.workspace.dock("queries").close()
    qtbot.waitUntil(lambda: not tour.outline.isVisible())
    assert tour.bubble.isVisible()


def test_esc_skips_and_return_goes_on(opened, start, qtbot):
    tour = start()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    assert tour.step == 1
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert tour.step is None


def test_another_benchmark_ends_the_tour(opened, start, tmp_path, qtbot):
    tour = start()
    open_in_window(opened, write_sample_benchmark(tmp_path / "other"), qtbot)
    assert tour.step is None
    start()
    assert tour.step == 0, "the demo is opened again"


def test_the_welcome_page_offers_the_tour(window, qtbot):
    click(window, window.welcome._tour)
    qtbot.waitUntil(lambda: window.tour is not None and window.tour.step == 0)


INSIDE = QRect(8, 8, 1264, 784)
SIZE = QSize(340, 160)


@pytest.mark.parametrize(
    "area",
    [QRect(0, 100, 200, 600), QRect(1080, 100, 200, 600), QRect(500, 0, 120, 30), QRect(200, 600, 800, 180)],
)
def test_the_bubble_is_next_to_a_control_at_each_edge(area):
    place = QRect(bubble_position(area, SIZE, INSIDE), SIZE)
    assert INSIDE.contains(place)
    assert not place.intersects(area)


def test_the_bubble_is_inside_the_window_whatever_the_control():
    for area in (QRect(), QRect(0, 0, 1280, 800), QRect(-500, -500, 3000, 3000)):
        assert INSIDE.contains(QRect(bubble_position(area, SIZE, INSIDE), SIZE))
    assert QPoint(8, 8) == bubble_position(QRect(0, 0, 300, 100), SIZE, QRect(8, 8, 300, 100))
