"""Export of the contest site from the window: dialog, progress, cancellation, errors."""

import re
import time
from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QLabel, QMessageBox, QPushButton, QToolButton
from sample_benchmark import write_sample_benchmark
from sessions import settle
from shared_windows import a_shared_window
from windows import a_window, open_in_window

from shrec_viewer.app.dialogs import site_export
from shrec_viewer.app.dialogs.site_export import SITE_TASK, SiteExportDialog, export_site
from shrec_viewer.report.site.builder import SiteOptions
from shrec_viewer.report.site.images import no_images

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot, tmp_path_factory):
    yield from a_shared_window(
        qapp, module_qtbot, write_sample_benchmark(tmp_path_factory.mktemp("site") / "sample_benchmark")
    )


@pytest.fixture
def window(shared, qtbot):
    return shared.reset(qtbot)


def open_dialog(window):
    window.update_commands()
    window.menus.actions["export_site"].trigger()
    return window.findChild(SiteExportDialog)


def button(dialog, text):
    return next(one for one in dialog.findChildren(QPushButton) if one.text().replace("&", "") == text)


def wait_for_site(window, qtbot):
    qtbot.waitUntil(lambda: not window.session.tasks.is_busy(SITE_TASK))


def test_site_is_written_to_the_folder(window, qtbot, tmp_path):
    dialog = open_dialog(window)
    dialog.folder.selectAll()
    qtbot.keyClicks(dialog.folder, str(tmp_path / "site"))
    dialog.first.setValue(0)
    with qtbot.waitSignal(window.session.written) as saved:
        qtbot.mouseClick(button(dialog, "Export"), Qt.MouseButton.LeftButton)
    assert re.fullmatch(f"Contest site written: [0-9]+ pages in {re.escape(str(tmp_path / 'site'))}", saved.args[0])
    assert saved.args[1] == str(tmp_path / "site" / "index.html")
    assert (tmp_path / "site/runs/A1.html").is_file()


def test_labels_have_mnemonics(window):
    dialog = open_dialog(window)
    labels = [label for label in dialog.findChildren(QLabel) if "&" in label.text()]
    assert {label.buddy() for label in labels} == {dialog.folder, dialog.names, dialog.first}


def test_edition_is_that_of_the_chosen_names(window, qtbot, tmp_path):
    dialog = open_dialog(window)
    texts = [dialog.names.itemText(row) for row in range(dialog.names.count())]
    assert texts == [
        "All names", "Pseudonyms for all participants", "Pseudonyms for all but Ada", "Pseudonyms for all but Ben"
    ]  # fmt: skip
    dialog.folder.setText(str(tmp_path / "site"))
    dialog.names.setCurrentIndex(3)
    dialog.first.setValue(0)
    qtbot.mouseClick(button(dialog, "Export"), Qt.MouseButton.LeftButton)
    wait_for_site(window, qtbot)
    assert (tmp_path / "site/runs/B1.html").is_file()
    assert not (tmp_path / "site/runs/A1.html").exists()


def test_suspects_edits_and_findings_are_published_only_when_ticked(window, qtbot, tmp_path):
    """Of two sites, the second with the findings and without the confusions."""
    dialog = open_dialog(window)
    assert [key for key, box in dialog.pages.items() if not box.isChecked()] == ["suspects", "edits", "findings"]
    for name, ticked in (("first", ()), ("second", ("findings", "confusions"))):
        dialog = open_dialog(window)
        for key in ticked:
            dialog.pages[key].click()
        dialog.folder.setText(str(tmp_path / name))
        dialog.first.setValue(0)
        with qtbot.waitSignal(window.session.written):
            qtbot.mouseClick(button(dialog, "Export"), Qt.MouseButton.LeftButton)
    pages = [{path.stem for path in (tmp_path / name).glob("*.html")} for name in ("first", "second")]
    assert "suspects" not in pages[0] | pages[1]
    assert pages[0] ^ pages[1] == {"confusions", "findings"}


def test_folder_with_other_files_is_refused_in_the_dialog(window, qtbot, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    dialog = open_dialog(window)
    dialog.folder.setText(str(tmp_path))
    qtbot.keyClick(dialog.folder, Qt.Key.Key_Return)
    assert "is not a site of this program" in dialog.problem.text()
    assert dialog.isVisible()
    assert not window.session.tasks.is_busy(SITE_TASK)
    qtbot.mouseClick(dialog.findChild(QDialogButtonBox).buttons()[0], Qt.MouseButton.LeftButton)


def test_chosen_folder_is_entered(window, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path / "chosen"))
    dialog = open_dialog(window)
    qtbot.mouseClick(button(dialog, "Choose…"), Qt.MouseButton.LeftButton)
    assert dialog.folder.text() == str(tmp_path / "chosen")
    dialog.reject()


def test_cancelled_export_leaves_nothing(window, qtbot, tmp_path):
    export_site(window.session, tmp_path / "site", SiteOptions())
    assert [status.title for status in window.session.tasks.running] == ["Contest site"]
    window.session.tasks.stop(SITE_TASK)
    settle(window.session, qtbot)
    qtbot.waitUntil(lambda: not list(tmp_path.glob("*site*")))


def test_written_site_can_be_opened(window, qtbot, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    with qtbot.waitSignal(window.session.written):
        export_site(window.session, tmp_path / "site", SiteOptions(first=0))
    assert window.message_bar.current().text.startswith("Contest site written: ")
    qtbot.mouseClick(button(window.message_bar, "Open"), Qt.MouseButton.LeftButton)
    assert opened == [str(tmp_path / "site" / "index.html")]


def start_endless_export(window, qtbot, tmp_path, monkeypatch):
    """Start an export that goes on until it is cancelled, or until `ending` is set."""
    ending = Event()

    def images(paths, checkpoint, progress):
        while not ending.is_set():
            progress(41, 96, "page")
            checkpoint()
            time.sleep(0.01)
        yield from no_images(paths, checkpoint, progress)

    monkeypatch.setattr(site_export, "no_images", images)
    export_site(window.session, tmp_path / "site", SiteOptions(first=0))
    busy = window.statusBar().busy
    qtbot.waitUntil(lambda: busy.isVisible() and busy.accessibleName() == "Contest site: page 41 of 96")
    return ending


def test_status_bar_shows_the_page_and_cancels(window, qtbot, tmp_path, monkeypatch):
    start_endless_export(window, qtbot, tmp_path, monkeypatch)
    busy = window.statusBar().busy
    window.menus.actions["export_site"].trigger()
    assert window.findChild(SiteExportDialog) is None
    assert "The contest site is being written" in window.message_bar.current().text
    qtbot.mouseClick(busy.findChild(QToolButton), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(busy.isHidden)
    qtbot.waitUntil(lambda: not list(tmp_path.iterdir()))


def test_export_goes_on_when_another_benchmark_is_opened(window, qtbot, tmp_path, monkeypatch):
    ending = start_endless_export(window, qtbot, tmp_path, monkeypatch)
    folder = window.session.path
    other = write_sample_benchmark(tmp_path / "other")
    window.open_path(other)
    qtbot.waitUntil(lambda: window.session.path == other)
    ending.set()
    wait_for_site(window, qtbot)
    assert (tmp_path / "site/index.html").is_file()
    window.open_path(folder)
    qtbot.waitUntil(lambda: window.session.path == folder)


@pytest.fixture
def unshared(qapp, qtbot):
    yield from a_window(qapp, qtbot)


def test_closing_asks_before_it_cancels_an_export(unshared, qtbot, tmp_path, monkeypatch):
    open_in_window(unshared, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    start_endless_export(unshared, qtbot, tmp_path, monkeypatch)
    for answer in ("Wait", "Cancel and close"):
        unshared.close()
        assert unshared.isVisible()
        question = unshared.findChild(QMessageBox)
        assert "Contest site" in question.informativeText()
        qtbot.mouseClick(button(question, answer), Qt.MouseButton.LeftButton)
        assert unshared.isVisible() == unshared.session.tasks.is_busy(SITE_TASK) == (answer == "Wait")
        qtbot.waitUntil(lambda: unshared.findChild(QMessageBox) is None)
    qtbot.waitUntil(lambda: not (tmp_path / "site").exists())


@pytest.mark.parametrize("answer", ["Replace", "Cancel"])
def test_existing_site_is_replaced_after_a_question(window, qtbot, tmp_path, answer):
    folder = tmp_path / "site"
    with qtbot.waitSignal(window.session.written):
        export_site(window.session, folder, SiteOptions(first=0))
    page = folder / "index.html"
    former = page.stat().st_ino
    dialog = open_dialog(window)
    dialog.folder.setText(str(folder))
    dialog.first.setValue(0)
    qtbot.mouseClick(button(dialog, "Export"), Qt.MouseButton.LeftButton)
    question = dialog.findChild(QMessageBox)
    assert question.text() == f"Replace {folder}?"
    assert not window.session.tasks.is_busy(SITE_TASK)
    qtbot.mouseClick(button(question, answer), Qt.MouseButton.LeftButton)
    assert dialog.isVisible() == (answer == "Cancel")
    wait_for_site(window, qtbot)
    assert (page.stat().st_ino != former) == (answer == "Replace")
    if answer == "Cancel":
        dialog.reject()


def test_failure_is_a_message(window, qtbot, tmp_path):
    with qtbot.waitSignal(window.session.failed) as failed:
        export_site(window.session, tmp_path / "missing" / "site", SiteOptions(first=0))
    assert "is in a folder that does not exist" in failed.args[0]
