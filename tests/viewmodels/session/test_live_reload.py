"""Live reload: changed runs are reloaded when writing has ended; the selection is kept."""

import os
import shutil
import threading
import time
import zipfile
from dataclasses import replace as with_other
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sample_benchmark import write_sample_benchmark
from sessions import open_in
from tiny_benchmark import write_tiny

from shrec_viewer.domain import Severity
from shrec_viewer.formats.io.array_files import FileMatrix
from shrec_viewer.formats.manifest.parts import BenchmarkParts
from shrec_viewer.formats.matrices import matrix, text_matrix
from shrec_viewer.metrics import find_profile
from shrec_viewer.render.workers.model_readers import ModelSource
from shrec_viewer.viewmodels.mesh_view.scene import CameraController, PaneContent
from shrec_viewer.viewmodels.ranking.ranked_list import RankedListModel
from shrec_viewer.viewmodels.scores.score_tables import LeaderboardModel, ScoreRole
from shrec_viewer.viewmodels.session import live_reload
from shrec_viewer.viewmodels.session import session as session_module
from shrec_viewer.viewmodels.session.document import changed_runs
from shrec_viewer.viewmodels.session.live_reload import (
    PREVIOUS_VERSION_USED,
    FileChanges,
    FileWatcher,
    WatchPlan,
    list_entries,
    list_folders,
    reload_text,
    run_reloaded_text,
)
from shrec_viewer.viewmodels.session.scoring import score_runs
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks import computing
from shrec_viewer.viewmodels.thumbnails.thumbnails import RenderedThumbnails, Thumbnails


@pytest.fixture(autouse=True)
def frequent_polls(monkeypatch):
    """Four polls a second instead of one: tests take as long as the polls."""
    monkeypatch.setattr(live_reload, "POLL_S", 0.25)


def wait_unchanged(qtbot):
    """Wait for three polls and the end of writing; nothing is to happen in that time."""
    qtbot.wait(round(1000 * (3 * live_reload.POLL_S + live_reload.SETTLE_S)))


class SignalRecorder:
    """Records the messages and reloads of a session."""

    def __init__(self, session):
        self.session = session
        self.received, self.reloads, self.benchmarks, self.failures = [], [], 0, []
        session.message.connect(self.record_message)
        session.changed.connect(self.record_changes)
        session.failed.connect(self.record_failure)

    def record_message(self, severity, sentence, details):
        self.received.append((severity, sentence))

    def record_changes(self, old, new):
        if new.differs(old, "benchmark"):
            self.benchmarks += 1
        elif new.differs(old, "runs"):
            self.reloads.append(changed_runs(old, new))

    def record_failure(self, sentence, details):
        self.failures.append(sentence)


def followed(session, folder, qtbot):
    open_in(session, folder, qtbot)
    session.set_watching(True)
    qtbot.wait(50)  # the first poll
    return SignalRecorder(session)


@pytest.fixture
def tiny(session, tmp_path, qtbot):
    folder = write_tiny(tmp_path / "tiny")
    return folder, followed(session, folder, qtbot)


def until_message(qtbot, recorder, count=1):
    qtbot.waitUntil(lambda: len(recorder.received) >= count)


def replace(path, text):
    """Replace a file by renaming another one, as editors do."""
    draft = path.with_name(f".{path.name}.new")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, path)


def run_path(session, name):
    return [run.name for run in session.benchmark.runs].index(name)


def test_only_changed_run_is_reloaded(session, tiny, qtbot, monkeypatch):
    folder, recorder = tiny
    before, scores = session.benchmark, session.scores
    poor, good = run_path(session, "poor"), run_path(session, "good")
    session.select(query=1, run=poor, rank=3, measure="AP")
    chosen = session.selection
    measured = []
    evaluate = computing.evaluate
    monkeypatch.setattr(computing, "evaluate", lambda *a, **k: measured.append(k["runs"]) or evaluate(*a, **k))
    (folder / "runs/poor/b2").write_text("b1\nb3\nc1\nc2\n", encoding="utf-8")
    until_message(qtbot, recorder)
    assert measured == [["poor"]]
    assert session.selection == chosen
    assert recorder.benchmarks == 0
    assert session.benchmark.collection is before.collection
    assert session.benchmark.runs[good] is before.runs[good]
    assert session.benchmark.runs[poor] is not before.runs[poor]
    column = session.scores.column("AP")
    assert session.scores.values[poor, 1, column] == 1.0
    others = np.delete(session.scores.raw_values, poor, axis=0)
    assert np.array_equal(others, np.delete(scores.raw_values, poor, axis=0), equal_nan=True)
    assert session.scores.hits[good] is scores.hits[good]
    qtbot.waitUntil(lambda: not session.tasks.is_busy())
    ids = [session.benchmark.collection.ids[item] for item in session.ranked_list.items]
    assert ids == ["b1", "b3", "c1", "c2"]


def test_reload_message_shows_change_of_measure(session, tiny, qtbot):
    folder, recorder = tiny
    old = float(session.mean("queries")[run_path(session, "poor"), session.scores.column("AP")])
    session.select(measure="AP")
    replace(folder / "runs/poor/b2", "b1\nb3\nc1\nc2\n")
    until_message(qtbot, recorder)
    new = float(session.mean("queries")[run_path(session, "poor"), session.scores.column("AP")])
    assert new == pytest.approx(old + (1 - 5 / 12) / 5)
    assert recorder.received == [("info", f"poor reloaded, MAP {old:.3f} → {new:.3f} (+{new - old:.3f})")]


def test_scores_after_reload_equal_those_of_new_session(session, tiny, qtbot, tmp_path):
    folder, recorder = tiny
    replace(folder / "runs/poor/c1", "c2\nb1\nb2\nb3\n")
    until_message(qtbot, recorder)
    reload_finished, means, findings = session.scores, session.mean("classes"), session.findings
    session.reload()
    qtbot.waitUntil(lambda: session.scores is not None and session.scores is not reload_finished)
    assert np.array_equal(reload_finished.values, session.scores.values, equal_nan=True)
    assert np.array_equal(means, session.mean("classes"), equal_nan=True)
    assert sorted(map(str, findings)) == sorted(map(str, session.findings))


def test_incomplete_file_keeps_previous_lists_with_finding(session, tmp_path, qtbot):
    folder = write_tiny(tmp_path / "tiny")
    lines = [f"{q} Q0 {m} {r} {-r} t" for q in ("b1", "b2", "b3", "c1", "c2") for r, m in enumerate(("b1", "c2"), 1)]
    run = folder / "runs/t.run"
    run.write_text("\n".join(lines) + "\n", encoding="utf-8")
    recorder = followed(session, folder, qtbot)
    place = run_path(session, "t")
    old = session.benchmark.runs[place]
    message_expired = []
    session.message_expired.connect(message_expired.append)
    replace(run, "\n".join(lines)[:-7])
    until_message(qtbot, recorder)
    severity, sentence = recorder.received[-1]
    assert message_expired == []
    assert severity == "warning"
    assert sentence.startswith("t changed, but cannot be read: runs/t.run:10: ")
    assert sentence.endswith(PREVIOUS_VERSION_USED)
    assert session.benchmark.runs[place] is old
    kept = [finding for finding in session.findings if finding.action == PREVIOUS_VERSION_USED]
    assert [(finding.severity, finding.file, finding.line) for finding in kept] == [
        (Severity.ERROR, "runs/t.run", len(lines))
    ]
    replace(run, "\n".join(lines)[:-9])
    until_message(qtbot, recorder, 2)
    assert len([finding for finding in session.findings if finding.action == PREVIOUS_VERSION_USED]) == 1
    replace(run, "\n".join(reversed(lines)) + "\n")
    until_message(qtbot, recorder, 3)
    assert session.benchmark.runs[place] is not old
    assert not [finding for finding in session.findings if finding.action == PREVIOUS_VERSION_USED]
    assert message_expired == [received for severity, received in recorder.received if severity == "warning"], (
        "all warnings have expired"
    )


def test_deleted_run_is_kept_and_reloaded_when_restored(session, tiny, qtbot):
    folder, recorder = tiny
    poor = folder / "runs/poor"
    shutil.move(poor, folder / "away")
    until_message(qtbot, recorder)
    assert recorder.received[0][0] == "warning"
    assert [run.name for run in session.benchmark.runs] == ["good", "poor"]
    shutil.move(folder / "away", poor)
    until_message(qtbot, recorder, 2)
    assert recorder.received[1][1].startswith("poor reloaded")
    assert not any(finding.action == PREVIOUS_VERSION_USED for finding in session.findings)


def test_many_quick_changes_cause_one_reload(session, tiny, qtbot):
    folder, recorder = tiny
    lists = ["c1\nc2\nb3\nb1\n", "b1\nb3\nc1\nc2\n"]
    for number in range(200):
        replace(folder / "runs/poor/b2", lists[number % 2])
        qtbot.wait(3)
    until_message(qtbot, recorder)
    qtbot.wait(900)
    assert len(recorder.received) == 1
    assert session.scores.values[run_path(session, "poor"), 1, session.scores.column("AP")] == 1.0


def test_growing_file_is_read_after_last_change(session, tiny, qtbot, monkeypatch):
    monkeypatch.setattr(live_reload, "SETTLE_S", 1.5)  # on a loaded machine, seconds may pass between two writes
    folder, recorder = tiny
    path = folder / "runs/poor/b2"
    for count in range(1, 5):
        path.write_text("\n".join(["b1", "b3", "c1", "c2"][:count]), encoding="utf-8")
        qtbot.wait(50)
        assert recorder.reloads == []
    until_message(qtbot, recorder)
    assert len(recorder.reloads) == 1


def test_touched_file_changes_no_value(session, tiny, qtbot):
    folder, recorder = tiny
    session.select(measure="AP")
    (folder / "runs/poor/b2").touch()
    until_message(qtbot, recorder)
    assert recorder.received[0] == ("info", "poor reloaded, MAP unchanged at 0.350")


def test_changed_assessment_reloads_all_and_keeps_selection(session, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    recorder = followed(session, folder, qtbot)
    session.select(query=2, run=1, rank=4)
    qtbot.waitUntil(lambda: not session.tasks.is_busy())
    text = (folder / "queries.cla").read_text(encoding="utf-8")
    replace(folder / "queries.cla", text.replace("chair 0 1\nq3", "chair 0 2\nq3\nq0").replace("4 3", "4 4"))
    until_message(qtbot, recorder)
    qtbot.waitUntil(lambda: not session.tasks.is_busy())
    assert recorder.benchmarks == 1
    assert recorder.received == [("info", "queries.cla changed; the benchmark was reloaded")]
    assert len(session.benchmark.queries) == 4
    assert session.benchmark.queries.ids[session.selection.query] == "q3"
    assert session.run.name == "A2"
    assert session.selection.rank == 4


def test_incomplete_assessment_keeps_benchmark(session, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    recorder = followed(session, folder, qtbot)
    before, findings = session.benchmark, session.findings
    text = (folder / "models.cla").read_text(encoding="utf-8")
    replace(folder / "models.cla", text[:40])
    until_message(qtbot, recorder)
    assert recorder.received[0][0] == "warning"
    assert recorder.received[0][1].startswith("models.cla")
    assert session.benchmark.collection is before.collection
    assert session.scores is not None
    assert [finding.file for finding in session.findings if finding.action == PREVIOUS_VERSION_USED] == ["models.cla"]
    replace(folder / "models.cla", text)
    until_message(qtbot, recorder, 2)
    assert recorder.benchmarks == 1
    assert session.benchmark.collection is not before.collection
    assert session.findings == findings


def test_incomplete_manifest_keeps_benchmark(session, tiny, qtbot):
    folder, recorder = tiny
    text = (folder / "benchmark.toml").read_text(encoding="utf-8")
    replace(folder / "benchmark.toml", text[:-9])
    until_message(qtbot, recorder)
    assert recorder.received[0][0] == "warning"
    assert recorder.received[0][1].startswith("benchmark.toml:")
    assert recorder.received[0][1].endswith(PREVIOUS_VERSION_USED)
    assert recorder.failures == []
    assert recorder.benchmarks == 0
    assert [finding.file for finding in session.findings if finding.action == PREVIOUS_VERSION_USED] == [
        "benchmark.toml"
    ]
    replace(folder / "benchmark.toml", text)
    until_message(qtbot, recorder, 2)
    assert not [finding for finding in session.findings if finding.action == PREVIOUS_VERSION_USED]


def test_new_run_is_read_and_other_new_files_are_not(session, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark", manifest=False)
    recorder = followed(session, folder, qtbot)
    session.select(run=2, query=1)
    name = session.run.name
    (folder / "runs/notes.txt").write_text("nothing of weight\n", encoding="utf-8")
    qtbot.wait(2500)
    assert recorder.benchmarks == 0
    shutil.copytree(folder / "runs/A2", folder / "runs/A0")
    until_message(qtbot, recorder)
    assert recorder.received == [("info", "New run: A0")]
    assert recorder.benchmarks == 1
    assert session.run.name == name
    assert session.selection.query == 1


def runs_of(session):
    return [run.name for run in session.benchmark.runs]


def test_bad_new_run_does_not_hold_back_the_others(session, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark", manifest=False)
    recorder = followed(session, folder, qtbot)
    names = runs_of(session)
    (folder / "runs/C2.run").write_text("q1 Q0 nothing 1 0.5 t\n" * 3, encoding="utf-8")
    (folder / "runs/C3").mkdir()
    (folder / "runs/C3/q1").write_text("no model\nat all\nhere\n", encoding="utf-8")
    (folder / "runs/C3/q2").write_text("no model\nat all\nhere\n", encoding="utf-8")
    shutil.copytree(folder / "runs/A2", folder / "runs/A0")
    qtbot.waitUntil(lambda: "A0" in runs_of(session))
    qtbot.waitUntil(lambda: len(recorder.received) >= 2)
    assert set(names) < set(runs_of(session))
    assert session.new_runs >= {"A0"}
    assert any(severity == "info" and "A0" in text for severity, text in recorder.received)
    unreadable = [path.name for path in session.unreadable_runs]
    assert sorted(unreadable) == ["C2.run", "C3"]
    assert any(severity == "warning" and text.startswith("C3 cannot be read: ") for severity, text in recorder.received)
    table = LeaderboardModel(session)
    rows = {table.index(row, 0).data(): row for row in range(table.rowCount())}
    assert table.index(rows["A0"], 0).data(ScoreRole.STATE) == "new"
    assert table.index(rows[names[0]], 0).data(ScoreRole.STATE) == ""
    shutil.rmtree(folder / "runs/C3")
    shutil.copytree(folder / "runs/A2", folder / "runs/C3")
    qtbot.waitUntil(lambda: "C3" in runs_of(session))
    assert "C3" not in [path.name for path in session.unreadable_runs]


def test_new_archive_with_errors_in_some_lines_is_read(session, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark", manifest=False)
    recorder = followed(session, folder, qtbot)
    lists = {path.name: path.read_text(encoding="utf-8") for path in (folder / "runs/A2").iterdir()}
    lists["q1"] += "nothing 9.5\n"
    with zipfile.ZipFile(folder / "runs/D1.zip", "w") as archive:
        for name, text in lists.items():
            archive.writestr(f"D1/{name}", text)
    qtbot.waitUntil(lambda: "D1" in runs_of(session))
    assert any(finding.file.startswith("runs/D1.zip") and "nothing" in finding.message for finding in session.findings)
    assert not session.unreadable_runs
    assert not any("cannot be read" in text for _, text in recorder.received)


def test_removed_run_is_announced_and_marked(session, tiny, qtbot):
    folder, recorder = tiny
    table = LeaderboardModel(session)
    row = run_path(session, "poor")
    assert table.index(row, 0).data(ScoreRole.WARNING) == ""
    shutil.move(folder / "runs/poor", folder / "away")
    until_message(qtbot, recorder)
    assert recorder.received == [("warning", f"poor was removed; {PREVIOUS_VERSION_USED}")]
    assert table.index(row, 0).data(ScoreRole.WARNING) != ""
    assert table.index(row, 0).data(ScoreRole.STATE) == "removed"
    assert [table.index(other, 0).data(ScoreRole.STATE) for other in range(row)] == [""] * row
    shutil.move(folder / "away", folder / "runs/poor")
    qtbot.waitUntil(lambda: table.index(row, 0).data(ScoreRole.STATE) == "")


def test_run_that_becomes_unreadable_with_other_changes_is_kept(session, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark", manifest=False)
    recorder = followed(session, folder, qtbot)
    names = runs_of(session)
    run = next(run for run in session.benchmark.runs if run.source.is_dir())
    session.set_watching(False)
    source = next(other.source for other in session.benchmark.runs if other.source.is_dir() and other is not run)
    shutil.copytree(source, folder / "runs/Z9")
    for file in run.source.iterdir():
        file.write_text("no model\nat all\nhere\n", encoding="utf-8")
    session._reload("files changed", automatic=True)
    qtbot.waitUntil(lambda: "Z9" in runs_of(session))
    assert [name for name in runs_of(session) if name != "Z9"] == names
    kept = [finding for finding in session.findings if finding.action == PREVIOUS_VERSION_USED]
    assert [(finding.severity, finding.file) for finding in kept] == [(Severity.ERROR, f"runs/{run.name}")]
    qtbot.waitUntil(lambda: len(recorder.received) >= 2)
    assert recorder.received[0] == ("info", "files changed; new run: Z9")
    assert recorder.received[1][0] == "warning"
    assert recorder.received[1][1].startswith(f"runs/{run.name}: ")


@pytest.fixture
def wait_for_polls(monkeypatch, qtbot):
    """Function that blocks until the watcher has polled three more times."""
    polls, stamps = [], live_reload._stamps

    def counted(*arguments):
        polls.append(1)
        return stamps(*arguments)

    monkeypatch.setattr(live_reload, "_stamps", counted)
    monkeypatch.setattr(live_reload, "POLL_S", 0.1)

    def wait():
        end = len(polls) + 3
        qtbot.waitUntil(lambda: len(polls) >= end)

    return wait


def test_returning_model_folder_is_rendered_again(tmp_path, qtbot, wait_for_polls):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    session = Session(Thumbnails(partial(RenderedThumbnails, None)))
    session.thumbnails.set_renderer("software")
    session.mesh_view_state.source.set_preference("software")
    model = folder / "models" / "m1.off"
    followed(session, folder, qtbot)
    results = []
    session.mesh_view_state.source.rendered.connect(results.append)
    controller = CameraController(session.mesh_view_state.source, "pane ")
    model_list = RankedListModel(session)
    os.rename(folder / "models", tmp_path / "removed")
    wait_for_polls()
    model_list.visible_thumbnails.set_visible(0, 7)
    controller.show({"a": PaneContent(ModelSource(model), 64, 64)})
    qtbot.waitUntil(lambda: session.thumbnails.problem(model) == "there is no such file")
    qtbot.waitUntil(lambda: bool(results) and results[-1].problem != "")
    qtbot.waitUntil(lambda: any(finding.file == "models/m1.off" for finding in session.findings))
    os.rename(tmp_path / "removed", folder / "models")
    qtbot.waitUntil(lambda: session.thumbnails.pixmap(model) is not None)
    qtbot.waitUntil(lambda: results[-1].problem == "")
    qtbot.waitUntil(lambda: model_list.visible_thumbnails.loaded_count == 8)
    assert not any(finding.file.startswith("models/") for finding in session.findings)
    session.shut_down()


@pytest.mark.parametrize(("manifest", "name"), [(True, "models"), (False, "models"), (True, "queries")])
def test_benchmark_opened_without_model_folder_reads_it_later(session, tmp_path, qtbot, wait_for_polls, manifest, name):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark", manifest=manifest)
    os.rename(folder / name, tmp_path / "removed")
    recorder = followed(session, folder, qtbot)
    assert None in (*session.benchmark.collection.paths, *session.benchmark.queries.paths)
    (folder / "scores").mkdir()
    (folder / "scores" / "values.csv").write_text("run,AP\n", encoding="utf-8")
    wait_for_polls()
    assert recorder.benchmarks == 0
    os.rename(tmp_path / "removed", folder / name)
    until_message(qtbot, recorder)
    assert recorder.received == [("info", f"Models found in {name}; the benchmark was reloaded")]
    assert None not in (*session.benchmark.collection.paths, *session.benchmark.queries.paths)


@pytest.mark.parametrize("place", ["data/meshes/models", "../drive/models", "data/mounted"])
@pytest.mark.parametrize("named", [True, False])
def test_model_folder_that_returns_is_noticed_wherever_it_is(session, tmp_path, qtbot, wait_for_polls, place, named):
    """A folder that benchmark.toml names, also outside the benchmark, a nested one, and a mount point."""
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    target = folder / place
    (target if place == "data/mounted" else target.parent).mkdir(parents=True)
    text = (folder / "benchmark.toml").read_text(encoding="utf-8")
    line = f'models = "{place}"\n' if named else ""
    (folder / "benchmark.toml").write_text(text.replace('models = "models"\n', line, 1), encoding="utf-8")
    os.rename(folder / "models", tmp_path / "removed")
    recorder = followed(session, folder, qtbot)
    assert set(session.benchmark.collection.paths) == {None}
    assert None not in session.benchmark.queries.paths
    wait_for_polls()
    assert recorder.received == []
    if target.exists():
        target.rmdir()
    os.rename(tmp_path / "removed", target)
    if not named and ".." in place:
        wait_for_polls()
        assert recorder.received == []  # nothing leads there
        return
    until_message(qtbot, recorder)
    assert recorder.received[0][1] == f"Models found in {target.name}; the benchmark was reloaded"
    assert None not in session.benchmark.collection.paths


def test_replaced_archive_is_reloaded(session, tmp_path, qtbot):
    folder = write_tiny(tmp_path / "tiny")
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", folder)
    recorder = followed(session, Path(archive), qtbot)
    poor = run_path(session, "poor")
    session.select(run=poor, query=1)
    (folder / "runs/poor/b2").write_text("b1\nb3\nc1\nc2\n", encoding="utf-8")
    shutil.make_archive(str(tmp_path / "other"), "zip", folder)
    os.replace(tmp_path / "other.zip", archive)
    qtbot.waitUntil(lambda: recorder.benchmarks == 1)
    qtbot.waitUntil(lambda: session.scores is not None)
    assert session.scores.values[poor, 1, session.scores.column("AP")] == 1.0
    assert (session.run.name, session.selection.query) == ("poor", 1)


def test_a_project_of_an_archive_is_reloaded_only_with_the_archive(session, tmp_path, qtbot):
    """Each reload unpacks the archive into new files, which are no change."""
    folder = write_tiny(tmp_path / "tiny")
    archive = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", folder))
    project = tmp_path / "mine.shrec"
    project.write_text("[benchmark]\nname = 'tiny'\nfolder = 'packed.zip'\n", encoding="utf-8")
    open_in(session, project, qtbot)
    plan = live_reload.watch_plan(session.benchmark, project, BenchmarkParts())
    assert (plan.runs, plan.files, plan.folders, plan.searched_folders) == ({}, (archive,), (), ())
    recorder = followed(session, project, qtbot)
    (folder / "runs/poor/b2").write_text("b1\nb3\nc1\nc2\n", encoding="utf-8")
    shutil.make_archive(str(tmp_path / "other"), "zip", folder)
    os.replace(tmp_path / "other.zip", archive)
    qtbot.waitUntil(lambda: recorder.benchmarks == 1)


def test_archives_of_single_runs_are_watched(session, tmp_path, qtbot):
    folder = write_tiny(tmp_path / "tiny")
    (folder / "benchmark.toml").unlink()
    runs = folder / "runs"
    for name in ("good", "poor"):
        shutil.make_archive(str(runs / name), "zip", runs, name)
        shutil.move(runs / name, tmp_path / name)
    recorder = followed(session, folder, qtbot)
    session.select(run=1, query=1)
    (tmp_path / "poor/b2").write_text("b1\nb3\nc1\nc2\n", encoding="utf-8")
    shutil.make_archive(str(tmp_path / "poor"), "zip", tmp_path, "poor")
    os.replace(tmp_path / "poor.zip", runs / "poor.zip")
    until_message(qtbot, recorder)
    assert recorder.received == [("info", "poor.zip changed; the benchmark was reloaded")]
    qtbot.waitUntil(lambda: session.scores is not None)
    assert session.scores.values[run_path(session, "poor"), 1, session.scores.column("AP")] == 1.0
    shutil.copy(runs / "good.zip", runs / ".half")
    os.replace(runs / ".half", runs / "better.zip")
    until_message(qtbot, recorder, 2)
    assert len(session.benchmark.runs) == 3
    assert session.run.name == "poor"


def test_saving_project_reloads_nothing(session, tmp_path, qtbot):
    folder = write_tiny(tmp_path / "tiny")
    project = folder / "mine.shrec"
    shutil.copy(folder / "benchmark.toml", project)
    recorder = followed(session, project, qtbot)
    replace(project, project.read_text(encoding="utf-8") + "\n[notes]\n")
    wait_unchanged(qtbot)
    assert (recorder.benchmarks, recorder.received) == (0, [])


def test_change_between_reading_and_watching_is_reported(session, tmp_path, qtbot):
    folder = write_tiny(tmp_path / "tiny")
    open_in(session, folder, qtbot)
    (folder / "runs/poor/b2").write_text("b1\nb3\nc1\nc2\n", encoding="utf-8")
    recorder = SignalRecorder(session)
    session.set_watching(True)
    until_message(qtbot, recorder)
    assert recorder.received[0][1].startswith("poor reloaded")


def test_run_added_between_reading_and_watching_is_found(session, tmp_path, qtbot):
    folder = write_tiny(tmp_path / "tiny")
    (folder / "benchmark.toml").unlink()
    open_in(session, folder, qtbot)
    shutil.copytree(folder / "runs/good", folder / "runs/better")
    recorder = SignalRecorder(session)
    session.set_watching(True)
    until_message(qtbot, recorder)
    assert recorder.received == [("info", "New run: better")]
    assert len(session.benchmark.runs) == 3


def test_models_added_between_reading_and_watching_are_found(session, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    text = (folder / "benchmark.toml").read_text(encoding="utf-8")
    (folder / "benchmark.toml").write_text(text.replace('models = "models"\n', "", 1), encoding="utf-8")
    os.rename(folder / "models", tmp_path / "removed")
    open_in(session, folder, qtbot)
    assert set(session.benchmark.collection.paths) == {None}
    os.rename(tmp_path / "removed", folder / "models")
    recorder = SignalRecorder(session)
    session.set_watching(True)
    until_message(qtbot, recorder)
    assert recorder.received[0][1] == "Models found in models; the benchmark was reloaded"


def test_other_files_added_between_reading_and_watching_reload_nothing(session, tmp_path, qtbot):
    folder = write_tiny(tmp_path / "tiny")
    open_in(session, folder, qtbot)
    (folder / "runs/notes.md").write_text("notes\n", encoding="utf-8")
    recorder = SignalRecorder(session)
    session.set_watching(True)
    wait_unchanged(qtbot)
    assert (recorder.benchmarks, recorder.received) == (0, [])


def test_files_with_future_times_are_read_once(session, tmp_path, qtbot):
    folder = write_tiny(tmp_path / "tiny")
    for path in (folder / "tiny.cla", folder / "runs/poor/b2"):
        os.utime(path, (time.time() + 9000, time.time() + 9000))
    recorder = followed(session, folder, qtbot)
    wait_unchanged(qtbot)
    assert recorder.received == []
    assert recorder.benchmarks == 0


def test_no_reload_while_watching_is_off(session, tiny, qtbot):
    folder, recorder = tiny
    session.set_watching(False)
    assert not session.is_watching
    (folder / "runs/poor/b2").write_text("b1\n", encoding="utf-8")
    wait_unchanged(qtbot)
    assert recorder.received == []


def test_change_is_reported(session, tiny, qtbot):
    folder, recorder = tiny
    replace(folder / "runs/poor/b2", "b1\nb3\nc1\nc2\n")
    until_message(qtbot, recorder)
    assert recorder.received


def test_each_replacement_of_file_is_reported(qtbot, tmp_path):
    path = tmp_path / "F.txt"
    path.write_text("0", encoding="utf-8")
    watcher, changes = FileWatcher(), []
    watcher.changed.connect(changes.append)
    watcher.start(lambda: WatchPlan({0: path}), time.time())
    qtbot.wait(50)
    for number in range(3):
        replace(path, str(number) * (number + 2))
        qtbot.waitUntil(lambda n=number: len(changes) == n + 1)
    assert changes == [FileChanges(runs=frozenset({0}))] * 3
    watcher.close()


def test_close_ends_watcher_thread(session, tiny, qtbot):
    def watchers():
        return [thread for thread in threading.enumerate() if thread.name == "file watcher"]

    assert len(watchers()) == 1
    for _ in range(5):
        session.set_watching(False)
        session.set_watching(True)
    session.close()
    assert not session.is_watching
    qtbot.waitUntil(lambda: watchers() == [])


def test_reload_keeps_changed_conventions(session, tiny, qtbot):
    other = with_other(find_profile("psb"), missing_query="skip", ap_divisor="retrieved")
    session.set_conventions(other)
    session.reload()
    qtbot.waitUntil(lambda: not session.tasks.is_busy())
    assert session.profile == other


def test_reload_uses_manifest_profile_if_unchanged(session, tiny, qtbot):
    folder, recorder = tiny
    text = (folder / "benchmark.toml").read_text(encoding="utf-8")
    replace(folder / "benchmark.toml", text.replace('name = "Tiny"', 'name = "Tiny"\nprofile = "psb"'))
    until_message(qtbot, recorder)
    assert session.profile == find_profile("psb")


def test_run_reload_during_profile_change_uses_new_profile(session, tiny, qtbot, monkeypatch):
    folder, recorder = tiny
    renew = live_reload.rescore

    def slow_read(scores, benchmark, places, task):
        qtbot.wait  # noqa: B018 - nothing of Qt here, this is the lane
        time.sleep(0.4)
        return renew(scores, benchmark, places, task)

    monkeypatch.setattr(live_reload, "rescore", slow_read)
    replace(folder / "runs/poor/b2", "b1\nb3\nc1\nc2\n")
    qtbot.waitUntil(lambda: session.tasks.is_busy("reload"))
    session.set_profile("psb")
    until_message(qtbot, recorder)
    qtbot.waitUntil(lambda: not session.tasks.is_busy())
    assert session.scores.profile == find_profile("psb")
    assert session.scores.benchmark is session.benchmark


def test_message_for_change_below_rounding(session, tiny):
    document, scores = session.document, session.scores
    means = {"queries": session.mean("queries") + 0.0001}
    reloaded = live_reload.ReloadedRuns(document, document, (0,), {}, scores, means)
    words = run_reloaded_text(reloaded, 0, session.mean("queries"), "AP")
    assert words == "good reloaded, MAP 1.000, changed by less than 0.001"


def test_reload_texts():
    assert reload_text("", ["a"], ["a"]) == ""
    assert reload_text("", ["a"], ["a", "b", "c"]) == "New runs: b, c"
    assert reload_text("All was read", ["a"], ["b"]) == "All was read; new run: b; removed: a"


GOOD_MATRIX = np.array([[0, 1, 2, 8, 9], [1, 0, 2, 8, 9], [1, 2, 0, 8, 9], [6, 7, 8, 0, 1], [6, 7, 8, 1, 0]], "<f4")


@pytest.fixture
def matrix_run(session, tmp_path, qtbot, monkeypatch):
    """The path of a run that is read from its file by rows, as a large matrix, and the recorder of the session."""
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    folder = write_tiny(tmp_path / "tiny")
    path = folder / "runs/M.npy"
    np.save(path, -GOOD_MATRIX + 20 * np.eye(5, dtype="<f4"))
    with (folder / "benchmark.toml").open("a", encoding="utf-8") as file:
        file.write('\n[[runs]]\nname = "M"\npath = "runs/M.npy"\nsimilarity = false\n')
    recorder = followed(session, folder, qtbot)
    assert isinstance(session.benchmark.run("M").ranking.values, FileMatrix)
    session.select(run=run_path(session, "M"), query=0, measure="AP")
    qtbot.waitUntil(lambda: not session.tasks.is_busy())
    return path, recorder


def average_precision(session, name):
    return float(session.mean("queries")[run_path(session, name), session.scores.column("AP")])


def test_large_matrix_that_is_written_slowly_is_reloaded_once_it_is_whole(session, matrix_run, qtbot, tmp_path):
    path, recorder = matrix_run
    before = average_precision(session, "M")
    np.save(tmp_path / "new.npy", GOOD_MATRIX)
    data = (tmp_path / "new.npy").read_bytes()
    with path.open("wb", buffering=0) as file:
        for piece, query in enumerate((1, 2, 3, 4, 1, 2)):
            file.write(data[piece * len(data) // 6 : (piece + 1) * len(data) // 6])
            session.select(query=query)  # its row would be one of a file of two versions
            qtbot.waitUntil(lambda piece=piece: len(recorder.failures) > piece)
            qtbot.wait(50)
            assert average_precision(session, "M") == before
    assert all("M.npy: changed after it was opened: it" in text for text in recorder.failures)
    qtbot.waitUntil(lambda: average_precision(session, "M") == 1.0)
    qtbot.waitUntil(lambda: not session.tasks.is_busy())
    assert [session.benchmark.collection.ids[item] for item in session.ranked_list.items] == ["b1", "b2", "c1", "c2"]


def test_large_matrix_that_changes_again_before_it_is_scored_is_reloaded_again(session, matrix_run, qtbot, monkeypatch):
    path, recorder = matrix_run
    evaluate = computing.evaluate
    changes = [GOOD_MATRIX]

    def change_and_evaluate(*args, **options):
        if changes:
            np.save(path, changes.pop())
        return evaluate(*args, **options)

    monkeypatch.setattr(computing, "evaluate", change_and_evaluate)
    np.save(path, np.zeros((5, 5), "<f4"))
    until_message(qtbot, recorder, 2)
    qtbot.waitUntil(lambda: not session.tasks.is_busy())
    assert "M changed, but cannot be read: runs/M.npy: changed after it was opened" in recorder.received[0][1]
    assert recorder.received[1][1].startswith("M reloaded")
    assert average_precision(session, "M") == 1.0
    assert recorder.failures == []


def test_large_matrix_that_changes_before_it_is_scored_first_is_scored_after_it_was_reloaded(
    session, tmp_path, qtbot, monkeypatch
):
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    folder = write_tiny(tmp_path / "tiny")
    np.save(folder / "runs/M.npy", np.zeros((5, 5), "<f4"))
    changes = [GOOD_MATRIX]

    def change_and_score(*args, **options):
        if changes:
            np.save(folder / "runs/M.npy", changes.pop())
        return score_runs(*args, **options)

    monkeypatch.setattr(session_module, "score_runs", change_and_score)
    recorder = SignalRecorder(session)
    session.set_watching(True)
    session.open(folder)
    qtbot.waitUntil(lambda: session.scores is not None)
    qtbot.waitUntil(lambda: not session.tasks.is_busy())
    assert "M.npy: changed after it was opened: its modification time is another one" in recorder.failures[0]
    assert average_precision(session, "M") == 1.0


def test_cache_that_cannot_be_written_is_reported_once(session, tmp_path, qtbot, monkeypatch):
    monkeypatch.setattr(text_matrix, "LARGE_TEXT_BYTES", 1)
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    folder = write_tiny(tmp_path / "tiny")
    (folder / "runs/M.txt").write_text("\n".join(" ".join(map(str, row)) for row in GOOD_MATRIX.tolist()))
    recorder = SignalRecorder(session)
    open_in(session, folder, qtbot)
    session.reload()
    qtbot.waitUntil(lambda: recorder.benchmarks == 2)
    session.thumbnails.problem_found.emit("models are drawn without OpenGL")
    parsed = tmp_path / "file" / "shrec-viewer" / "parsed"
    assert recorder.received == [
        ("warning", f"Large files are parsed each time: {parsed} cannot be written (not a directory)"),
        ("warning", "Models are drawn without OpenGL"),
    ]


def test_folders_are_the_entries_that_are_folders(tmp_path):
    """Searched folders with a million models are listed without a path for each file."""
    for name in ("models/a", ".hidden", "runs"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "models" / "b.off").touch()
    links = {"link": "models", "broken": "nowhere", "loop": "loop", "file": "models/b.off"}
    for name, target in links.items():
        (tmp_path / name).symlink_to(tmp_path / target)
    searched = (tmp_path, tmp_path / "models", tmp_path / "missing")
    expected = {tmp_path / "models", tmp_path / "runs", tmp_path / "link", tmp_path / "models" / "a"}
    assert list_folders(searched) == expected
    assert expected < list_entries(searched)


def test_a_folder_that_is_gone_is_named_as_in_the_findings(session, tiny, qtbot):
    folder, recorder = tiny
    folder.rename(folder.with_name("elsewhere"))
    until_message(qtbot, recorder)
    assert recorder.received == [("warning", "folder: does not exist; previous version used")]
