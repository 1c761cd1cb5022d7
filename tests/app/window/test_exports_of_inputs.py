"""No export of the window replaces a file of the open benchmark; one law over all exports."""

import os
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from sample_benchmark import write_sample_benchmark
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.panels.export.dialog import TABLE, ExportDialog
from shrec_viewer.panels.files.run_lists import choose_and_save_lists
from shrec_viewer.widgets.controls import file_dialogs

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

EXPORTS = ["panel_export", "save_as"]
"""Commands that write one file; the site and everything are new folders."""

PANEL_EXPORTS = {
    "pairs to judge": ("practical", "_save_pairs"),
    "3D view": ("mesh_view", "_save"),
    "turntable": ("mesh_view", "_save"),
}
"""Exports that only a panel has."""

SUFFIXES = {"save_as": ".shrec", "3D view": ".png", "turntable": ".gif"}
"""Of exports that write files of one suffix only, and add it to every other one."""

RUN_LISTS = "lists of a run"
"""Saved from the menus of a run."""


@pytest.fixture
def folder(tmp_path):
    return write_sample_benchmark(tmp_path / "sample_benchmark")


@pytest.fixture
def window(qapp, qtbot, folder):
    for window in a_window(qapp, qtbot, meshes=True):
        open_in_window(window, folder, qtbot)
        window.session.select(query=1, run=0)
        window.session.select(rank=2)
        window.session.set_watching(False)  # a new hard link is a change of the file
        settle(window.session, qtbot)
        yield window


def files_in(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def inputs(folder, scratch):
    """Inputs of each kind, the last ones spelled differently."""
    model = next(folder.rglob("*.off"))
    link, hard = scratch / "link.off", scratch / "hard.off"
    if not link.exists():
        link.symlink_to(model)
        os.link(model, hard)
    run = next(path for path in sorted((folder / "runs").rglob("*")) if path.is_file())
    return [folder / "benchmark.toml", folder / "models.cla", folder / "queries.cla", run, model, link, hard]


def choose(monkeypatch, path):
    """The static file dialog returns a path; that of the plots is answered in `export`."""
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **options: (str(path), ""))


def export(window, key, qtbot, path=None):
    if key == RUN_LISTS:
        choose_and_save_lists(window.session, 0, window)
    elif key in PANEL_EXPORTS:
        panel, method = PANEL_EXPORTS[key]
        getattr(window.workspace.panel(panel), method)()
    else:
        window.workspace.go_to_panel("leaderboard")
        window.update_commands()
        window.menus.actions[key].trigger()
        for dialog in window.findChildren(ExportDialog):
            dialog.what.set_current(TABLE)
            dialog._show_options()
            dialog.choose_path()
            dialog.reject()
    settle(window.session, qtbot)


def test_no_export_replaces_an_input(window, folder, tmp_path, monkeypatch, qtbot, subtests):
    for key in (*EXPORTS, *PANEL_EXPORTS, RUN_LISTS):
        with subtests.test(key):
            (tmp_path / key).mkdir()
            check_export(window, key, folder, tmp_path / key, monkeypatch, qtbot)


def check_export(window, key, folder, tmp_path, monkeypatch, qtbot):
    for path in inputs(folder, tmp_path):
        before = files_in(folder)
        chosen, suffix = path, SUFFIXES.get(key, path.suffix or ".csv")
        if path.suffix != suffix:  # a suffix would be added: a link of such a name
            chosen = tmp_path / f"{path.name}{suffix}"
            os.link(path.resolve(), chosen)
        window.message_bar.dismiss()
        choose(monkeypatch, chosen)
        export(window, key, qtbot, chosen)
        qtbot.waitUntil(lambda: window.message_bar.current() is not None)
        assert "is an input of this benchmark" in window.message_bar.current().text, path
        assert files_in(folder) == before
        if chosen != path:
            assert chosen.read_bytes() == path.read_bytes()


def test_earlier_exports_are_replaced(window, tmp_path, monkeypatch, qtbot, subtests):
    for key in ("panel_export",):
        path = tmp_path / f"{key}.csv"
        choose(monkeypatch, path)
        for _ in range(2):
            with subtests.test(key):
                path.write_text("old")
                export(window, key, qtbot, path)
                assert path.read_text() != "old"


def test_a_project_saves_over_itself_though_it_is_open(window, folder, tmp_path, monkeypatch, qtbot):
    path = tmp_path / "mine.shrec"
    choose(monkeypatch, path)
    export(window, "save_as", qtbot)
    open_in_window(window, path, qtbot)
    before = path.stat().st_ino
    for key in ("save", "save_as"):
        window.menus.actions[key].trigger()
        settle(window.session, qtbot)
        assert path.stat().st_ino != before
        before = path.stat().st_ino
    export(window, "panel_export", qtbot)  # but a table does not replace it
    assert path.read_text().startswith("# A project")


def test_every_dialog_that_saves_leads_through_the_check():
    """Source files that open a dialog for saving are the ones of the exports above."""
    package = Path(file_dialogs.__file__).parents[2]
    found = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if any(name in path.read_text(encoding="utf-8") for name in ("choose_save_path(", "AcceptSave"))
    }
    assert found == {
        "app/window/project_files.py",
        "panels/export/dialog.py",
        "panels/files/run_lists.py",
        "panels/mesh_view/image_export.py",
        "panels/scores/run_intervals.py",
        "widgets/controls/file_dialogs.py",
    }
