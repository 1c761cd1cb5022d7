"""The dialog that checks submissions."""

import time

from PySide6.QtWidgets import QWidget

from shrec_viewer.domain import Cancelled
from shrec_viewer.panels.files.add_runs import AddRunsDialog
from shrec_viewer.viewmodels.files import run_submission


def test_a_check_that_another_one_replaces_is_said(opened, qtbot, settled, tmp_path, monkeypatch):
    def endless(*_, cancelled, **_options):
        while not cancelled():
            time.sleep(0.01)
        raise Cancelled

    monkeypatch.setattr(run_submission, "read_submission", endless)
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = AddRunsDialog(opened, parent)
    dialog.check([tmp_path / "all.zip"])
    with qtbot.waitSignal(opened.message) as said:
        dialog.check([tmp_path / "other.zip"])
    assert said.args[:2] == ["info", "Checking all.zip: cancelled, as other files were chosen"]
    ended = opened.tasks.finished[0]
    assert (ended.status.title, ended.outcome) == ("Checking all.zip", "stopped")
    assert dialog.model.is_checking
    opened.tasks.stop(run_submission.CHECK_LANE)
    settled()
