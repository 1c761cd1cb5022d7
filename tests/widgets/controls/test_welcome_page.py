"""The first page offers the demo, Open and what was open before."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QPushButton

from shrec_viewer.widgets.controls.welcome_page import MAX_RECENT, RecentBenchmark, WelcomePage
from shrec_viewer.widgets.style.theme import DARK, LIGHT, apply_text_size, apply_theme

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(qtbot):
    shown = WelcomePage()
    qtbot.addWidget(shown)
    shown.resize(900, 700)
    shown.show()
    qtbot.waitExposed(shown)
    shown.recent = []
    shown.recent_requested.connect(shown.recent.append)
    return shown


def test_the_demo_and_open_are_one_click_away(page, qtbot):
    with qtbot.waitSignal(page.demo_requested):
        qtbot.mouseClick(page._demo, LEFT)
    with qtbot.waitSignal(page.open_requested):
        qtbot.mouseClick(page._open, LEFT)


def test_the_demo_is_one_key_away(page, qtbot):
    page.activateWindow()
    page._demo.setFocus()
    with qtbot.waitSignal(page.demo_requested):
        qtbot.keyClick(page._demo, Qt.Key.Key_Space)


def test_recent_paths_open_unless_they_are_missing(page, qtbot):
    page.set_recent(
        [
            RecentBenchmark("/a", "A"),
            RecentBenchmark("/b", "B", missing=True),
            RecentBenchmark("/c", "C", detail="3 runs"),
        ]
    )
    rows = page._rows
    assert [row.isEnabled() for row in rows] == [True, False, True]
    for row in rows:
        qtbot.mouseClick(row, LEFT)
    qtbot.keyClick(rows[0], Qt.Key.Key_Space)
    assert page.recent == ["/a", "/c", "/a"]
    assert rows[1].accessibleName() == "B, /b (not found)"


def test_list_is_hidden_without_recent_paths(page):
    assert not page._recent_box.isVisible()
    page.set_recent([RecentBenchmark("/a", "A")])
    assert page._recent_box.isVisible()
    page.set_recent([])
    assert not page._recent_box.isVisible()


def test_only_fitting_recent_paths_are_listed(page):
    page.set_recent([RecentBenchmark(f"/{n}", str(n)) for n in range(20)])
    assert len(page._rows) == MAX_RECENT


def test_setting_recent_paths_again_replaces_them(page, qtbot):
    page.set_recent([RecentBenchmark("/a", "A")])
    page.set_shortcuts([("Ctrl+O", "Open")])
    before = len(page.findChildren(object))
    for _ in range(3):
        page.set_recent([RecentBenchmark("/a", "A")])
        page.set_shortcuts([("Ctrl+O", "Open")])
    qtbot.wait(10)
    assert len(page.findChildren(object)) == before
    assert page.recent == []


def test_page_fits_a_small_window(page):
    page.set_shortcuts(
        [("Ctrl+O", "Open a benchmark"), ("F1", "All keys"), ("Ctrl+Shift+P", "Find"), ("Ctrl+Q", "Quit")]
    )
    page.set_recent([RecentBenchmark(f"/{n}", f"Benchmark {n}") for n in range(5)])
    assert page.minimumSizeHint().height() <= 620
    assert page.minimumSizeHint().width() <= 520


def test_page_with_unsaved_edits_fits_as_well(page):
    rows = [RecentBenchmark(f"/{n}", f"Benchmark {n}") for n in range(5)]
    page.set_recent(rows)
    before = page.minimumSizeHint().height()
    page.set_unsaved(rows)
    assert page._unsaved_box.isVisible()
    assert page.minimumSizeHint().height() <= before + 140
    page.set_unsaved([])
    assert not page._unsaved_box.isVisible()


def test_dragged_folder_highlights_the_page(page):
    before = page.grab().toImage()
    page.set_dropping(True)
    assert page._hint.text() == "Drop to open"
    assert page.grab().toImage() != before
    page.set_dropping(False)
    assert page.grab().toImage() == before


def test_painting_in_both_themes(page, use_theme):
    light = page.grab().toImage()
    use_theme(DARK)
    assert page.grab().toImage() != light
    use_theme(LIGHT)
    assert page.grab().toImage() == light


@pytest.mark.parametrize("percent", [100, 175])
def test_no_text_is_cut_at_any_text_size(qapp, qtbot, percent):
    page = WelcomePage()
    qtbot.addWidget(page)
    page.set_shortcuts([("Ctrl+O", "Open folder"), ("Ctrl+D", "Open the demo"), ("Ctrl+Shift+P", "Find a command"),
                        ("F1", "Keyboard shortcuts")])  # fmt: skip
    page.set_recent([RecentBenchmark(f"/data/{name}", name) for name in "abcde"])
    page.resize(1278, 700)
    page.show()
    apply_text_size(qapp, percent)
    try:
        apply_theme(qapp, LIGHT)
        parts = [*page.findChildren(QLabel), *page.findChildren(QPushButton)]
        shown = [part for part in parts if part.isVisible() and part.text()]
        assert len(shown) >= 12
        qtbot.waitUntil(lambda: all(one.width() >= one.minimumSizeHint().width() for one in shown))
        qtbot.waitUntil(lambda: all(one.height() >= one.minimumSizeHint().height() for one in shown))
        title = next(label for label in shown if label.text() == "SHREC Viewer")
        qtbot.waitUntil(lambda: title.font().pointSizeF() == pytest.approx(2 * qapp.font().pointSizeF()))
        assert title.font().weight() >= QFont.Weight.DemiBold
    finally:
        apply_text_size(qapp, 100)
        apply_theme(qapp, LIGHT)
