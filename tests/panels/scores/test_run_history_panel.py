"""History of a run: recorded when its file changes, shown, compared, noted, and used as baseline."""

import shutil

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QStyle, QStyleOptionFrame
from sessions import a_session, open_in, settle

from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.manifest.run_changes import RunChanges
from shrec_viewer.panels.scores.run_history import NOTE_COLUMN, RunHistoryPanel
from shrec_viewer.panels.scores.score_tables import LeaderboardPanel
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.files.run_submission import remove_runs
from shrec_viewer.viewmodels.ranking.query_list import query_scores
from shrec_viewer.widgets.style.theme import LIGHT, apply_theme

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def demo(tmp_path):
    return shutil.copytree(resource("demo"), tmp_path / "demo")


@pytest.fixture
def kept(session, demo, tmp_path, qtbot):
    """The demo, with versions kept in a folder of the test."""
    session.versions.folder = tmp_path / "versions"
    open_in(session, demo, qtbot)
    session.select(run=0)
    settle(session, qtbot)
    return session


def overwrite(session, qtbot, run=0):
    """Reverse the lists of a run, as a participant who submits again, and reload it."""
    for path in sorted(session.benchmark.runs[run].source.iterdir()):
        path.write_text("\n".join(reversed(path.read_text().splitlines())) + "\n")
    session.reload_runs({run})
    settle(session, qtbot)
    settle(session, qtbot)


@pytest.fixture
def panel(kept, show, settled, qtbot):
    panel = show(RunHistoryPanel(kept), 900, 400)
    settled()
    return panel


def versions(session, run="A1"):
    return session.versions.store.history(run).versions


def test_the_caption_says_that_versions_are_being_read(session, demo, tmp_path, show, settled, qtbot):
    session.versions.folder = tmp_path / "versions"
    open_in(session, demo, qtbot)
    settle(session, qtbot)
    panel = show(RunHistoryPanel(session), 900, 400)
    assert panel._caption.text() == "Reading versions…"
    settled()
    assert panel._caption.text().startswith(session.run.name)


def test_headers_are_aligned_like_their_columns(panel):
    role, across = Qt.ItemDataRole.TextAlignmentRole, Qt.Orientation.Horizontal
    for column in range(panel.model.columnCount()):
        assert panel.model.headerData(column, across, role) == panel.model.index(0, column).data(role)


def test_versions_are_kept_at_opening_and_when_a_file_changes(kept, demo, qtbot):
    assert [len(versions(kept, run.name)) for run in kept.benchmark.runs] == [1] * 6
    before = kept.mean("queries")[0, 0]
    overwrite(kept, qtbot)
    found = versions(kept)
    assert len(found) == 2
    key = kept.scores.measures[0].key
    assert [version.record.means[key] for version in found] == [before, kept.mean("queries")[0, 0]]
    for other in a_session():  # a later program finds them, and what changed in between
        other.versions.folder = kept.versions.folder
        path = sorted((demo / "runs" / "A1").iterdir())[0]
        path.write_text(path.read_text() + "\n")
        open_in(other, demo, qtbot)
        settle(other, qtbot)
        assert len(versions(other)) == 3
        assert len(versions(other, "B1")) == 1


def test_a_renamed_run_keeps_its_history(kept, qtbot):
    kept.edits.set_runs(RunChanges(names={"A1": "Best"}), "rename", renamed={"A1": "Best"})
    settle(kept, qtbot)
    overwrite(kept, qtbot)
    assert len(versions(kept)) == 2
    assert versions(kept, "Best") == ()


def test_a_folder_that_cannot_be_written_is_one_message(session, demo, tmp_path, qtbot):
    (tmp_path / "versions").write_text("a file")
    session.versions.folder = tmp_path / "versions"
    texts = []
    session.message.connect(lambda _severity, text, _details: texts.append(text))
    open_in(session, demo, qtbot)
    settle(session, qtbot)
    session.reload()
    settle(session, qtbot)
    assert sum("Versions of the runs cannot be kept" in text for text in texts) == 1


def test_the_panel_lists_versions_and_what_moved(panel, kept, settled, qtbot):
    assert panel.model.rowCount() == 1
    before = kept.mean("queries")[0, 0]
    measure = kept.scores.measures[0].key
    kept.select(measure=measure)
    overwrite(kept, qtbot)
    settled()
    assert panel.model.rowCount() == 2
    assert panel.model.index(0, 0).data().endswith("(present)")
    assert panel.history.result.means == pytest.approx((before, kept.mean("queries")[0, 0]), abs=1e-12)
    assert panel.current_row == 1
    assert "entered" in panel.moved.text()
    assert [point is not None for point in panel.chart.points()] == [True, True]
    qtbot.mouseClick(panel.chart, LEFT, pos=panel.chart.points()[1].toPoint())
    assert panel.current_row == 0


def test_a_version_is_compared_with_the_present_one(panel, kept, settled, qtbot):
    views, old = [], kept.scores.values[0].copy()
    kept.cursor_state.view_requested.connect(views.append)
    overwrite(kept, qtbot)
    settled()
    qtbot.mouseClick(panel.compare, LEFT)
    settled()
    names = [run.name for run in kept.benchmark.runs]
    assert names[0] == "A1"
    assert names[-1].startswith("A1 · ")
    assert (kept.selection.run, kept.selection.compared) == (0, len(names) - 1)
    assert views == ["compare"]
    np.testing.assert_array_equal(kept.scores.values[-1], old)
    assert len(versions(kept)) == 2, "a version shown as a run has no versions of its own"
    kept.reload()
    settled()
    assert kept.benchmark.runs[-1].name == names[-1]
    remove_runs(kept, [len(names) - 1])
    settled()
    assert [run.name for run in kept.benchmark.runs] == names[:-1]
    assert kept.edits.stack.isClean()


def test_notes_are_edited_in_the_table(panel, kept, settled, qtbot):
    index = panel.model.index(0, NOTE_COLUMN)
    panel.table.setCurrentIndex(index)
    panel.table.edit(index)
    field = panel.table.findChild(QLineEdit)
    qtbot.keyClicks(field, "with <b>normals</b>")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    # The editor commits in a later event, and the table follows when the versions were read again.
    qtbot.waitUntil(lambda: panel.model.index(0, NOTE_COLUMN).data() == "with <b>normals</b>")
    assert versions(kept)[0].note == "with <b>normals</b>"


def test_the_baseline_shows_differences_everywhere(panel, kept, show, settled, qtbot):
    kept.select(means=True)
    board = show(LeaderboardPanel(kept), 900, 300)
    before = {measure.key: mean for measure, mean in zip(kept.scores.measures, kept.mean("queries")[0], strict=True)}
    old_queries = kept.scores.values[0].copy()
    overwrite(kept, qtbot)
    settled()
    panel.table.selectRow(1)
    qtbot.mouseClick(panel.baseline, LEFT)
    settled()
    assert kept.versions.has_baselines
    role = {bytes(name.data()): number for number, name in board.model.roleNames().items()}[b"difference"]
    for column, measure in enumerate(kept.scores.measures):
        index = board.model.index(0, board.model.column_of(measure.key))
        difference = kept.mean("queries")[0, column] - before[measure.key]
        assert index.data(role) == pytest.approx(difference, abs=1e-12, nan_ok=True)
        assert board.model.index(1, board.model.column_of(measure.key)).data(role) is None
    assert "from the baseline" in board.model.index(0, board.model.column_of(kept.measure)).data(
        Qt.ItemDataRole.ToolTipRole
    )
    column = kept.scores.column(kept.measure)
    shown = query_scores(kept, len(kept.benchmark.queries))
    assert shown.compared == "baseline"
    np.testing.assert_allclose(shown.differences, kept.scores.values[0, :, column] - old_queries[:, column], atol=1e-9)
    kept.set_profile("psb")
    settled()
    index = board.model.index(0, board.model.column_of("AP"))
    former = kept.versions.baseline_of_queries("A1")
    difference = kept.mean("queries")[0, kept.scores.column("AP")] - former.mean()[0, former.column("AP")]
    assert index.data(role) == pytest.approx(difference, abs=1e-12)
    assert panel.baseline.text() == "No baseline"
    qtbot.mouseClick(panel.baseline, LEFT)
    settled()
    assert not kept.versions.has_baselines
    kept.dismiss_changes()  # without a baseline, differences are those from before the file was overwritten
    assert board.model.index(0, board.model.column_of("AP")).data(role) is None


def test_a_damaged_version_is_named_in_the_caption(panel, kept, settled, qtbot):
    overwrite(kept, qtbot)
    settled()
    versions(kept)[0].file.write_bytes(b"PK broken")
    kept.versions.changed.emit()
    settled()
    assert panel.model.rowCount() == 1
    assert "1 version cannot be read" in panel._caption.text()


def test_baseline_equals_a_new_evaluation(kept, qtbot):
    version = versions(kept)[0]
    kept.versions.set_baseline("A1", version)
    settle(kept, qtbot)
    expected = evaluate(kept.benchmark, kept.profile, runs=["A1"], measures=[m.key for m in kept.scores.measures])
    np.testing.assert_array_equal(kept.versions.baseline_of_queries("A1").raw_values, expected.raw_values)


def test_the_text_of_a_note_is_not_cut_while_it_is_edited(panel, qapp, qtbot):
    apply_theme(qapp, LIGHT)
    panel.table.setCurrentIndex(panel.model.index(0, NOTE_COLUMN))
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_F2)
    field, option = panel.table.findChild(QLineEdit), QStyleOptionFrame()
    field.initStyleOption(option)
    qtbot.waitUntil(field.hasFocus)
    text = field.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, field)
    assert text.height() >= field.fontMetrics().height()


def test_a_new_version_does_not_end_the_editing_of_a_note(panel, kept, settled, qtbot):
    index = panel.model.index(0, NOTE_COLUMN)
    panel.table.setCurrentIndex(index)
    panel.table.edit(index)
    field = panel.table.findChild(QLineEdit)
    qtbot.keyClicks(field, "before ")
    overwrite(kept, qtbot)
    kept.select(query=1)
    settled()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 2)
    qtbot.keyClicks(field, "and after")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(
        lambda: [panel.model.index(row, NOTE_COLUMN).data() for row in range(2)] == ["", "before and after"]
    )
    assert [version.note for version in versions(kept)] == ["before and after", ""]


def test_versions_of_a_deleted_run_are_shown(panel, kept, demo, settled, qtbot):
    overwrite(kept, qtbot)
    assert not panel.runs.isVisible()
    shutil.rmtree(demo / "runs" / "A1")
    kept.reload()
    settle(kept, qtbot)
    settled()
    assert "A1" not in [run.name for run in kept.benchmark.runs]
    qtbot.waitUntil(panel.runs.isVisible)
    panel.runs.setFocus()
    qtbot.keyClick(panel.runs, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 2)
    assert "present" not in panel.model.index(0, 0).data()
    assert not panel.compare.isEnabled()
    panel.table.selectRow(0)
    qtbot.mouseClick(panel.show_run, LEFT)
    qtbot.waitUntil(lambda: kept.run.name.startswith("A1 · "))
    qtbot.waitUntil(lambda: kept.scores is not None and kept.scores.runs[-1] == kept.run.name)
