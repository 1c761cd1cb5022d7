"""Fields of the tool bars show their full text if there is space."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QStyleOptionComboBox, QToolButton
from pytestqt.qtbot import QtBot
from sample_benchmark import write_sample_benchmark
from sessions import open_in, settle
from shared_windows import a_shared_window
from windows import elided_bar_fields

from shrec_viewer.app.bars.conventions import GROUP_TITLES, VISIBLE_CONVENTIONS, ProfileDialog
from shrec_viewer.app.startup.settings import Settings, SettingsFile
from shrec_viewer.app.startup.theme import ThemeSelector
from shrec_viewer.app.window.main_window import MainWindow
from shrec_viewer.cli.program import run as run_program
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.core.read_choices import METRIC_LABELS
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark
from shrec_viewer.metrics import CONVENTIONS, find_convention, with_convention
from shrec_viewer.resources import resource
from shrec_viewer.widgets.controls.controls import MAX_GROWTH, ComboField, ElidingComboBox
from shrec_viewer.widgets.style.theme import apply_text_size


def _painted(field: ElidingComboBox) -> str:
    field.resize(field.sizeHint())
    option = QStyleOptionComboBox()
    field.initStyleOption(option)
    return option.currentText


@pytest.mark.parametrize("words", ["All participants", "as given", "Left out"])
def test_field_with_its_preferred_width_elides_no_text(qtbot: QtBot, words: str) -> None:
    choice = ElidingComboBox()
    qtbot.addWidget(choice)
    choice.setSizeAdjustPolicy(ElidingComboBox.SizeAdjustPolicy.AdjustToContents)
    choice.addItem(words)
    choice.ensurePolished()
    assert _painted(choice) == words


def test_field_grows_with_its_text_and_keeps_its_width_until_the_items_change(qtbot: QtBot) -> None:
    field = ComboField("Run", 100)
    qtbot.addWidget(field)
    field.set_rows([("A", 0, ""), ("H1  Participant H", 1, ""), ("W" * 90, 2, "")])
    field.set_value(0)
    assert field.sizeHint().width() == 100
    field.set_value(1)
    assert 100 < field.sizeHint().width() <= 100 * MAX_GROWTH
    assert _painted(field) == "H1  Participant H"
    field.set_value(0)
    assert field.sizeHint().width() > 100
    field.set_value(2)
    assert field.sizeHint().width() == int(100 * MAX_GROWTH)
    field.set_rows([("A", 0, "")])
    assert field.sizeHint().width() == 100


def test_field_measures_its_text_again_in_another_font(qtbot: QtBot) -> None:
    field = ComboField("Measure", 10, elides=False)
    qtbot.addWidget(field)
    field.set_rows([("Average precision", 0, "")])
    field.set_value(0)
    usual, font = field.minimumSizeHint().width(), field.font()
    text = field.fontMetrics().horizontalAdvance("Average precision")
    larger = QFont(font)
    larger.setPointSizeF(2 * font.pointSizeF())
    field.setFont(larger)
    assert field.minimumSizeHint().width() - usual > text / 2
    field.setFont(font)
    assert field.minimumSizeHint().width() == usual


def test_large_font_applies_immediately_and_the_window_fits_a_small_screen(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "settings.ini"
    SettingsFile(path).write(Settings(text_size=150))
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    usual = app.font().pointSizeF()
    window = MainWindow(ThemeSelector(app), SettingsFile(path), thumbnails=False)
    qtbot.addWidget(window)
    try:
        window.resize(1280, 800)
        window.show()
        window.assemble()
        window.open_demo()
        qtbot.waitUntil(lambda: window.session is not None and window.session.scores is not None)
        assert window.workspace is not None
        for perspective in ("query", "compare", "campaign", "diagnose", "assess"):
            window.workspace.show_perspective(perspective)
            assert window.minimumSizeHint().width() <= 1280
        assert window.menuBar().font().pointSizeF() == pytest.approx(1.5 * usual)
    finally:
        window.close()
        apply_text_size(app, 100)


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot):
    yield from a_shared_window(qapp, module_qtbot, resource("demo"), size=(1278, 743))


@pytest.mark.parametrize("scale", [1.2, 1.5, 2.0])
def test_window_can_be_as_small_as_a_scaled_screen(opened, qtbot, scale):
    """A screen of 1280 x 800 has 640 x 400 pixels of its own at a scale of 2; title bar and desktop panel take 57."""
    size = round(1278 / scale), round(743 / scale)
    opened.resize(*size)
    opened.show_message("warning", "A message of some length about one of the files that were read.")
    for key in ("compare", "campaign", "query"):
        opened.workspace.show_perspective(key)
        qtbot.wait(200)
        assert opened.size().toTuple() == size
        assert opened.statusBar().geometry().bottom() < size[1]


def test_fields_of_the_bars_fit_after_each_change_of_the_text_size(opened, qtbot):
    """For the largest text size, see the tests of scaled text."""
    opened.session.select(run=0, compared=1)
    opened.workspace.show_perspective("compare")
    for percent in (115, 130, 100):
        opened.change_settings(replace(opened.settings, text_size=percent))
        qtbot.waitUntil(lambda: elided_bar_fields(opened) == [])
        qtbot.waitUntil(lambda: sum(field.isVisible() for field in opened.findChildren(ComboField)) >= 4)


def test_icon_of_a_run_leaves_space_for_its_name(opened, qtbot):
    for run in range(len(opened.session.benchmark.runs)):
        opened.session.select(run=run)
        qtbot.waitUntil(lambda: elided_bar_fields(opened) == [])


def test_conventions_are_fields_or_in_the_menu(opened, qtbot):
    popup = opened.tool_bar.conventions
    menu = popup.findChild(QMenu)
    titles = {action.text() for action in menu.actions() if action.isVisible() and action.menu() is not None}
    for choice in CONVENTIONS:
        assert (choice.label in titles) != (choice.field in VISIBLE_CONVENTIONS), choice.field
    popup.action("list_cut", 100).trigger()
    qtbot.waitUntil(lambda: "1 changed" in popup.button.text())
    assert "changed" in popup._more.text()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_popup_says_what_the_conventions_mean_and_change(opened, qtbot):
    """Each value in a sentence, and against the profile what all of them and each one alone change."""
    popup, session = opened.tool_bar.conventions, opened.session
    texts = partial(texts_of, popup)
    popup.open()
    for name in VISIBLE_CONVENTIONS:
        row = find_convention(name)
        assert {one.explanation for one in row.values if one.value == getattr(session.profile, name)} <= texts()
    origin = session.profile
    for name, value in (("missing_query", "skip"), ("list_cut", 10)):
        session.set_conventions(with_convention(session.profile, name, value))
    qtbot.waitUntil(lambda: any(f"Against {origin.title}: " in text for text in texts()))
    (effect,) = (text for text in texts() if "Against" in text)
    total, cut, missing = effect.splitlines()
    former = evaluate(session.benchmark, origin, measures=[session.measure]).mean()[:, 0]
    most = np.abs(session.mean("queries")[:, session.scores.column(session.measure)] - former).max()
    assert f"by at most {most:.3f}; " in total
    assert cut.startswith("List cutoff alone: ")
    assert missing.startswith(f"Missing queries alone: {session.measure} of C1 "), "the only run that lacks a query"
    popup.hide()
    session.set_conventions(origin)


def texts_of(popup):
    return {label.text() for label in popup.findChildren(QLabel) if label.isVisible()}


@pytest.mark.parametrize(
    ("perspective", "width"), [("query", 720), ("compare", 780), ("campaign", 680), ("assess", 720)]
)
def test_the_chip_stays_in_narrow_windows(opened, qtbot, perspective, width):
    """Fields elide before it; it was in the menu of what does not fit."""
    opened.workspace.show_perspective(perspective)
    opened.resize(width, 743)
    bar, button = opened.tool_bar, opened.tool_bar.conventions.button
    qtbot.waitUntil(lambda: button.isVisible() and bar.rect().contains(button.mapTo(bar, button.rect().bottomRight())))
    assert not bar.findChild(QToolButton, "qt_toolbar_ext_button").isVisible()
    assert bar.run.isVisible()
    opened.resize(1278, 743)
    qtbot.waitUntil(lambda: bar.conventions.button.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon)


def name_dialog(popup, button, qtbot):
    """The dialog that a button of the popup opens."""
    if not popup.isVisible():
        popup.open()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    (dialog,) = [one for one in popup.window().parentWidget().findChildren(ProfileDialog) if one.isVisible()]
    return dialog


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_conventions_are_saved_replaced_renamed_and_removed_by_name(opened, qtbot, tmp_path, monkeypatch, capsys):
    """The name is in the chip, in the list, in the stored settings, and on the command line."""
    file = SettingsFile(tmp_path / "settings.ini")
    monkeypatch.setattr(opened, "_settings_file", file)
    monkeypatch.setattr("shrec_viewer.app.startup.settings.settings_path", lambda: tmp_path / "settings.ini")
    session, popup = opened.session, opened.tool_bar.conventions
    popup.open()
    original = session.profile
    session.set_conventions(with_convention(original, "missing_query", "skip"))
    settle(session, qtbot)
    skipped = session.profile.key
    dialog = name_dialog(popup, popup.save, qtbot)
    for name, problem in (("", "Give it a name"), ("psb", "psb is a profile of the program")):
        dialog.field.setText(name)
        assert dialog.problem.text() == problem
    dialog.field.setText("Our contest")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert file.read().profile_names == {"Our contest": skipped}
    assert (popup.button.text(), popup.profile.currentText()) == ("Our contest", "Our contest")
    run_program(["evaluate", "demo", "--profile", "Our contest", "--format", "json"])
    assert json.loads(capsys.readouterr().out)["profile"] == skipped
    run_program(["profiles", "--format", "json"])
    listed = {row["key"]: row for row in json.loads(capsys.readouterr().out)["profiles"]}
    assert listed["Our contest"]["conventions"]["missing_query"] == "skip"
    assert listed["Our contest"]["description"] == f"From the settings of the window: {skipped}."
    run_program(["profiles"])
    assert "Our contest" in capsys.readouterr().out

    session.set_conventions(with_convention(original, "ties", "index"))
    assert popup.button.text() != "Our contest"
    popup.profile.value_picked.emit(skipped)  # what a choice of the name in the list emits
    assert (session.profile.key, popup.button.text()) == (skipped, "Our contest")
    session.set_conventions(with_convention(original, "ties", "index"))
    dialog = name_dialog(popup, popup.save, qtbot)
    dialog.field.setText("Our contest")
    assert dialog.problem.text() == "Replaces the profile Our contest"
    dialog.accept()
    assert popup.names == {"Our contest": session.profile.key} != {"Our contest": skipped}
    dialog = name_dialog(popup, popup.rename, qtbot)
    dialog.field.setText("Track 2")
    dialog.accept()
    assert file.read().profile_names == {"Track 2": session.profile.key}
    popup.open()
    qtbot.mouseClick(popup.remove, Qt.MouseButton.LeftButton)
    assert file.read().profile_names == {}
    assert popup.save.isVisible()
    popup.hide()
    settle(session, qtbot)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_changed_conventions_are_saved_as_the_profile_of_the_contest(opened, qtbot, tmp_path, capsys):
    """The command line has them without an option, and the window after it is opened again."""
    session, popup = opened.session, opened.tool_bar.conventions
    popup.open()
    session.set_conventions(with_convention(session.profile, "missing_query", "skip"))
    settle(session, qtbot)
    dialog = name_dialog(popup, popup.save, qtbot)
    assert not popup.isVisible()
    assert not dialog.in_manifest.isEnabled(), "the demo is part of the program"
    dialog.reject()
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    manifest = (folder / "benchmark.toml").read_text()
    open_in(session, folder, qtbot)
    popup.open()
    assert not popup.save.isVisible()
    session.set_conventions(with_convention(session.profile, "missing_query", "skip"))
    settle(session, qtbot)
    dialog = name_dialog(popup, popup.save, qtbot)
    assert dialog.field.text() == session.benchmark.name
    dialog.in_manifest.setChecked(True)
    dialog.accept()
    settle(session, qtbot)
    key = "shrec2006+missing_query=skip"
    assert (folder / "benchmark.toml").read_text() == manifest.replace('"shrec2006"', f'"{key}"')
    assert (session.profile.key, session.benchmark.profile) == (key, key)
    assert popup.names == {session.benchmark.name: key}
    run_program(["evaluate", str(folder), "--format", "json"])
    scores = json.loads(capsys.readouterr().out)
    assert scores["profile"] == key
    means = {one["name"]: one["mean"][session.measure] for one in scores["runs"]}
    assert [*means.values()] == session.mean("queries")[:, session.scores.column(session.measure)].tolist()


def test_metric_of_vectors_is_changed_like_a_convention(opened, qtbot, tmp_path):
    rng = np.random.default_rng(4)
    (tmp_path / "classes.csv").write_text("id,class\n" + "".join(f"m{at},c{at % 3}\n" for at in range(12)))
    np.save(tmp_path / "V.npy", rng.random((12, 5)) + np.eye(3, 5)[np.arange(12) % 3])
    actions = opened.tool_bar.conventions.findChild(QMenu).actions()
    (menu,) = (action for action in actions if action.text() == "Metric of feature vectors")
    assert not menu.isVisible()
    opened.open_path(tmp_path)
    qtbot.waitUntil(lambda: opened.session.benchmark.name == tmp_path.name and opened.session.scores is not None)
    assert menu.isVisible()
    checked = [action.text() for action in menu.menu().actions() if action.isChecked()]
    assert checked == [METRIC_LABELS["l2"]]
    before = opened.session.scores
    next(action for action in menu.menu().actions() if action.data() == "ip").trigger()
    qtbot.waitUntil(lambda: opened.session.metrics == {0: "ip"} and opened.session.scores not in (None, before))
    expected = read_benchmark(tmp_path, BenchmarkParts(read_options=ReadOptions(metric="ip")))
    keys = [measure.key for measure in opened.session.scores.measures]
    want = evaluate(expected, opened.session.profile, measures=keys)
    np.testing.assert_array_equal(opened.session.scores.raw_values, want.raw_values)
    assert not np.array_equal(before.raw_values, want.raw_values)
    assert [action.data() for action in menu.menu().actions() if action.isChecked()] == ["ip"]


def test_groups_of_the_menu_of_conventions_have_headings(opened):
    actions = opened.tool_bar.conventions.findChild(QMenu).actions()
    headings = [action.text() for action in actions if not (action.menu() or action.isSeparator())]
    assert headings == list(GROUP_TITLES.values())
    assert not any(action.text() for action in actions if action.isSeparator()), "not drawn by the style sheet"
