"""Findings that name another reading: the button of the findings panel takes it."""

from zipfile import ZipFile

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from sessions import open_in, settle

from shrec_viewer.panels.files.findings import FindingsPanel
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.files.import_dialog import ImportModel

NAMES = [f"M{number}" for number in (7, 3, 12, 1, 9, 11, 2, 8, 5, 10, 4, 6)]


@pytest.fixture
def folder(tmp_path):
    """Similarities that are read as distances; the numbers of the models are not in the order of the classes."""
    classes = "\n\n".join(f"c{label} 0 4\n" + "\n".join(NAMES[label * 4 : label * 4 + 4]) for label in range(3))
    (tmp_path / "models.cla").write_text(f"PSB 1\n3 12\n\n{classes}\n")
    labels = np.repeat(np.arange(3), 4)
    similarities = (labels[:, None] == labels) + 0.1 * np.random.default_rng(2).random((12, 12))
    np.fill_diagonal(similarities, 0.5)
    (tmp_path / "runs").mkdir()
    np.save(tmp_path / "runs" / "A.npy", similarities)
    (tmp_path / "benchmark.toml").write_text('[[runs]]\npath = "runs/A.npy"\norder = "classification"\n')
    return tmp_path


def shown(session, qtbot):
    panel = FindingsPanel(session)
    qtbot.addWidget(panel)
    panel.resize(1000, 320)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def click(qtbot, panel, finding):
    index = panel.model.index(panel.shown.index(finding), 2)
    panel.table.scrollTo(index)
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=panel.table.visualRect(index).center())
    QApplication.processEvents()  # lays out the buttons


def select(qtbot, panel, text):
    click(qtbot, panel, next(finding for finding in panel.shown if text in finding.message))


def test_a_click_writes_the_setting_and_reads_again(session, folder, qtbot):
    open_in(session, folder, qtbot)
    settle(session, qtbot)
    panel = shown(session, qtbot)
    before = float(session.mean("queries")[0, 0])
    select(qtbot, panel, "than by chance")
    panel.resize(1000, 180)
    remedy = panel.details.remedy
    assert remedy.visibleRegion().boundingRect() == remedy.rect(), "in sight without scrolling"
    assert "similarity = true" in panel.details.remedy.toolTip()
    qtbot.mouseClick(panel.details.remedy, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session.is_open and session.benchmark.runs[0].ranking.similarity)
    settle(session, qtbot)
    assert "similarity = true" in (folder / "benchmark.toml").read_text()
    assert 'order = "classification"' in (folder / "benchmark.toml").read_text()
    assert float(session.mean("queries")[0, 0]) > before
    assert not [finding for finding in panel.shown if "by chance" in finding.message]


def test_a_run_of_an_archive_is_read_so_for_this_session(session, folder, qtbot):
    (folder / "benchmark.toml").unlink()
    with ZipFile(folder / "runs" / "team.zip", "w") as archive:
        archive.write(folder / "runs" / "A.npy", "A.npy")
    (folder / "runs" / "A.npy").unlink()
    open_in(session, folder, qtbot)
    settle(session, qtbot)
    panel = shown(session, qtbot)
    finding = next(found for found in panel.shown if found.setting is not None and found.setting.table == "runs")
    assert finding.file == "runs/team.zip/A.npy"
    click(qtbot, panel, finding)
    assert panel.details.remedy.isEnabled()
    assert f"{finding.setting.key} = {str(finding.setting.value).lower()}" in panel.details.remedy.toolTip()
    before = float(session.mean("queries")[0, 0])
    qtbot.mouseClick(panel.details.remedy, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session.has_read_options)
    settle(session, qtbot)
    qtbot.waitUntil(lambda: float(session.mean("queries")[0, 0]) != before)
    assert not (folder / "benchmark.toml").exists()
    dialog = ImportModel(session)
    dialog.show_file(dialog.subjects[0])
    qtbot.waitUntil(lambda: dialog.preview is not None)
    assert "is in an archive" in dialog.why_not_writable()


def test_a_convention_is_set_without_writing(session, folder, qtbot):
    lists = {name: [other for other in NAMES if other != name] + [name] for name in NAMES}
    (folder / "benchmark.toml").unlink()
    (folder / "runs" / "A.npy").unlink()
    for name, ids in lists.items():
        path = folder / "runs" / "B" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(ids) + "\n")
    open_in(session, folder, qtbot)
    settle(session, qtbot)
    panel = shown(session, qtbot)
    select(qtbot, panel, "the query itself is the nearest")
    assert "self_match = keep" in panel.details.remedy.toolTip()
    qtbot.mouseClick(panel.details.remedy, Qt.MouseButton.LeftButton)
    assert session.profile.self_match == "keep"
    assert not (folder / "benchmark.toml").exists()


def test_findings_without_a_setting_have_no_button_and_the_demo_says_why(session, qtbot):
    open_in(session, resource("demo"), qtbot)
    settle(session, qtbot)
    panel = shown(session, qtbot)
    for finding in panel.shown:
        click(qtbot, panel, finding)
        has_setting = finding.setting is not None and bool(finding.setting.table)
        assert panel.details.remedy.isVisible() == has_setting
        if has_setting and finding.setting.table == "conventions":
            assert panel.details.remedy.isEnabled()  # a convention is no change of a file
        elif has_setting:
            assert not panel.details.remedy.isEnabled()
            assert "part of the program" in panel.details.remedy.toolTip()
