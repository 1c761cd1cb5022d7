"""Export of the contest site from the window: dialog, progress, cancellation, errors."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QLabel, QPushButton
from sample_benchmark import write_sample_benchmark
from sessions import settle
from shared_windows import a_shared_window

from shrec_viewer.app.dialogs.site_export import SITE_TASK, SiteExportDialog, export_site
from shrec_viewer.report.site.builder import SiteOptions

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
    with qtbot.waitSignal(window.session.done) as saved:
        qtbot.mouseClick(button(dialog, "Export"), Qt.MouseButton.LeftButton)
    assert saved.args[0].startswith(f"Saved {tmp_path / 'site' / 'index.html'}")
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
    assert [status.title for status in window.session.tasks.running] == ["Contest site site"]
    window.session.tasks.stop(SITE_TASK)
    settle(window.session, qtbot)
    qtbot.waitUntil(lambda: not list(tmp_path.glob("*site*")))


def test_failure_is_a_message(window, qtbot, tmp_path):
    with qtbot.waitSignal(window.session.failed) as failed:
        export_site(window.session, tmp_path / "missing" / "site", SiteOptions(first=0))
    assert "is in a folder that does not exist" in failed.args[0]
