"""Preferences of threads and of a scheduler: typed, connected, used for scores, and lost."""

import signal
import subprocess
import sys
import time
from threading import Event

import numpy as np
import pytest
from processes import started
from PySide6.QtCore import Qt, QUrl
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.app.bars import status_bar
from shrec_viewer.app.dialogs.preferences import PreferencesDialog
from shrec_viewer.app.startup.settings import COMPUTING, PAGES, Settings, SettingsFile
from shrec_viewer.evaluation.parallel import cluster
from shrec_viewer.evaluation.parallel.cluster import ClusterError, ClusterRanking
from shrec_viewer.evaluation.parallel.local import available_cores
from shrec_viewer.formats.matrices import matrix
from shrec_viewer.viewmodels.session import document
from shrec_viewer.viewmodels.tasks import computing
from shrec_viewer.viewmodels.tasks.computing import CONNECTED, FAILED, OFF

LEFT, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier

N_MODELS = 24


@pytest.fixture
def settings(tmp_path):
    return tmp_path / "settings.ini"


@pytest.fixture
def window(qapp, qtbot, settings, tmp_path, monkeypatch):
    monkeypatch.setattr(computing, "results_folder", lambda: tmp_path / "ranks")
    monkeypatch.setattr(computing, "UPDATE_SECONDS", 0.05)
    yield from a_window(qapp, qtbot, settings)


@pytest.fixture
def contest(tmp_path, monkeypatch):
    """A contest whose matrices are read by rows, as large ones are."""
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    monkeypatch.setattr(document, "MAX_PAIRS_SCORED_FIRST", 0)
    root = tmp_path / "contest"
    root.mkdir()
    lines = ["PSB 1", f"2 {N_MODELS}"]
    for name, start in (("cat", 0), ("dog", N_MODELS // 2)):
        lines += [f"{name} 0 {N_MODELS // 2}", *(f"m{start + number}" for number in range(N_MODELS // 2))]
    (root / "a.cla").write_text("\n".join(lines) + "\n")
    for number, name in enumerate("AB"):
        values = np.random.default_rng(number).random((N_MODELS, N_MODELS), np.float32)
        np.fill_diagonal(values, 0)
        np.save(root / f"{name}.npy", values)
    return root


@pytest.fixture
def scheduler():
    distributed = pytest.importorskip("distributed")  # its import takes 0.9 s in each process that collects this file
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as found:
        yield found


@pytest.fixture
def ranked(monkeypatch):
    """Names of the matrices that were ranked on workers."""
    found = []
    map_blocks = ClusterRanking.map_blocks

    def note(self, blocks, starts):
        found.append(blocks.values.path.name)
        return map_blocks(self, blocks, starts)

    monkeypatch.setattr(ClusterRanking, "map_blocks", note)
    return found


def preferences(window, qtbot):
    qtbot.keyClick(window, Qt.Key.Key_Comma, CTRL)
    (found,) = window.findChildren(PreferencesDialog)
    item = found.list.item(PAGES.index(COMPUTING))
    qtbot.mouseClick(found.list.viewport(), LEFT, pos=found.list.visualItemRect(item).center())
    qtbot.waitUntil(found.scheduler.isVisible)
    return found


def connect(window, qtbot, address):
    """Type an address and connect to it; the button."""
    found = preferences(window, qtbot)
    found.option("scheduler").setFocus()
    found.option("scheduler").selectAll()
    qtbot.keyClicks(found.option("scheduler"), address)
    qtbot.mouseClick(found.scheduler, LEFT)
    return found.scheduler


def test_the_number_of_threads_is_stored_and_used(window, qtbot, settings):
    jobs = preferences(window, qtbot).option("jobs")
    assert jobs.text() == f"all cores ({available_cores()})"
    assert window.session.computing.n_jobs == available_cores()
    jobs.setFocus()
    jobs.selectAll()
    qtbot.keyClicks(jobs, "3")
    qtbot.keyClick(jobs, Qt.Key.Key_Return)
    assert window.session.computing.n_jobs == 3
    assert SettingsFile(settings).read().jobs == 3
    qtbot.mouseClick(window.findChildren(PreferencesDialog)[0]._defaults, LEFT)
    assert (jobs.value(), window.session.computing.n_jobs) == (0, available_cores())


def test_evaluation_uses_the_number_of_threads(window, qtbot, contest, monkeypatch):
    used = []
    evaluate = computing.evaluate

    def note(*arguments, **options):
        used.append(options["jobs"])
        return evaluate(*arguments, **options)

    monkeypatch.setattr(computing, "evaluate", note)
    window.session.computing.set_options(3, "")
    open_in_window(window, contest, qtbot)
    assert set(used) == {3}


def test_scores_come_from_the_workers_and_are_the_same(window, qtbot, contest, scheduler, ranked, settings):
    open_in_window(window, contest, qtbot)
    alone = window.session.scores.raw_values
    assert ranked == []
    button = connect(window, qtbot, scheduler.scheduler_address)
    qtbot.waitUntil(lambda: window.session.computing.status.state == CONNECTED)
    qtbot.waitUntil(lambda: button.status.text().startswith("Connected: 2 workers."))
    assert SettingsFile(settings).read().scheduler == scheduler.scheduler_address
    workers = window.statusBar().workers
    assert (workers.text(), workers.isVisible()) == ("2 workers", True)
    assert scheduler.scheduler_address in workers.toolTip()
    window.session.reload()
    settle(window.session, qtbot)
    qtbot.waitUntil(lambda: sorted(ranked) == ["A.npy", "B.npy"])
    np.testing.assert_array_equal(window.session.scores.raw_values, alone)
    assert button.text() == "Disconnect"
    qtbot.mouseClick(button, LEFT)
    assert window.session.computing.status.state == OFF
    assert not workers.isVisible()


def test_the_status_entry_opens_the_web_page_of_the_scheduler(window, qtbot, contest, scheduler, monkeypatch):
    opened = []
    monkeypatch.setattr(status_bar.QDesktopServices, "openUrl", lambda url: opened.append(url) or True)
    open_in_window(window, contest, qtbot)
    connect(window, qtbot, scheduler.scheduler_address)
    button = window.statusBar().workers
    qtbot.waitUntil(lambda: button.text() == "2 workers")
    qtbot.mouseClick(button, LEFT)
    assert opened == [QUrl(window.session.computing.status.dashboard)]
    assert (opened[0].scheme(), opened[0].path()) == ("http", "/status")


def test_a_lost_scheduler_is_one_message_and_scores_are_computed_here(
    window, qtbot, contest, scheduler, ranked, monkeypatch
):
    open_in_window(window, contest, qtbot)
    alone = window.session.scores.raw_values
    messages = []
    window.session.computing.failed.connect(messages.append)
    connect(window, qtbot, scheduler.scheduler_address)
    qtbot.waitUntil(lambda: window.session.computing.status.state == CONNECTED)
    window.session.computing._cluster.client._timeout = 1  # limit for reconnecting
    scheduler.close()
    qtbot.waitUntil(lambda: window.session.computing.status.state == FAILED)
    qtbot.waitUntil(lambda: "is lost; runs are ranked on this machine." in " ".join(window.message_bar.texts()))
    assert window.statusBar().workers.text() == "No scheduler"
    window.session.reload()
    settle(window.session, qtbot)
    np.testing.assert_array_equal(window.session.scores.raw_values, alone)
    assert ranked == []
    assert len(messages) == 1
    assert "is lost" in " ".join(window.message_bar.texts())
    window.session.computing.connect_scheduler()
    assert "is lost" not in " ".join(window.message_bar.texts())


SCHEDULER = """
import time, distributed
if __name__ == "__main__":
    with distributed.LocalCluster(n_workers=1, processes=False, protocol="tcp") as found:
        print(found.scheduler_address, flush=True)
        time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="the system cannot stop a process")
def test_a_scheduler_that_is_stopped_is_one_message_until_it_is_used_again(window, qtbot, monkeypatch):
    """The question for its web page had no time limit, so that the window waited without end."""
    pytest.importorskip("distributed")
    for limit, seconds in (("ANSWER_SECONDS", 0.5), ("SILENT_SECONDS", 1), ("FETCH_SECONDS", 0.5)):
        monkeypatch.setattr(cluster, limit, seconds)
    with started([sys.executable, "-c", SCHEDULER], stdout=subprocess.PIPE, text=True) as scheduler:
        connect(window, qtbot, scheduler.stdout.readline().strip())
        qtbot.waitUntil(lambda: window.session.computing.status.state == CONNECTED)
        scheduler.send_signal(signal.SIGSTOP)
        qtbot.waitUntil(lambda: window.session.computing.status.state == FAILED)
        (text,) = window.message_bar.texts()
        assert text.endswith("has not answered for 1 seconds; runs are ranked on this machine.")
        scheduler.send_signal(signal.SIGCONT)
        window.session.computing.connect_scheduler()
        qtbot.waitUntil(lambda: window.session.computing.status.state == CONNECTED)
        assert window.message_bar.texts() == []
        window.session.computing.disconnect_scheduler()
        scheduler.kill()


def test_the_connection_is_opened_for_the_first_large_matrix(qapp, qtbot, contest, scheduler, ranked, settings, window):
    window.change_settings(Settings(scheduler=scheduler.scheduler_address))
    assert window.session.computing.status.state == OFF
    open_in_window(window, contest, qtbot)
    assert window.session.computing.status.state == CONNECTED
    assert sorted(ranked) == ["A.npy", "B.npy"]


def test_cancelling_ends_the_tasks_on_the_workers(window, qtbot, contest, scheduler, tmp_path, monkeypatch):
    release = tmp_path / "release"

    def blocked_task(data, starts):
        while not release.exists():
            time.sleep(0.01)

    def has_tasks():
        return any("blocked_task" in key for key in list(scheduler.scheduler.tasks))

    monkeypatch.setattr(cluster, "rank_task", blocked_task)
    window.change_settings(Settings(scheduler=scheduler.scheduler_address))
    window.open_path(contest)
    qtbot.waitUntil(has_tasks)
    try:
        qtbot.waitUntil(window.statusBar().busy._cancel.isVisible)
        qtbot.mouseClick(window.statusBar().busy._cancel, LEFT)
        qtbot.waitUntil(lambda: not window.session.tasks.is_busy())
        qtbot.waitUntil(lambda: not has_tasks())
    finally:
        release.touch()
    assert window.session.computing.status.state == CONNECTED


def test_an_address_where_nothing_answers_is_one_message(window, qtbot, contest, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    button = connect(window, qtbot, "tcp://127.0.0.1:9")
    qtbot.waitUntil(lambda: window.session.computing.status.state == FAILED)
    qtbot.waitUntil(lambda: button.status.text() == "No scheduler answers at 'tcp://127.0.0.1:9'")
    assert "No scheduler answers at" in " ".join(window.message_bar.texts())
    open_in_window(window, contest, qtbot)
    assert window.session.scores is not None


def test_connecting_can_be_cancelled(window, qtbot, monkeypatch):
    answers = Event()

    def open_cluster(address):
        answers.wait()
        raise ClusterError(f"no scheduler answers at '{address}'")

    monkeypatch.setattr(computing, "open_cluster", open_cluster)
    button = connect(window, qtbot, "tcp://127.0.0.1:9")
    assert (button.status.text(), button.text()) == ("Connecting…", "Cancel")
    assert button.window().focusWidget() is button  # not the next button, "Restore defaults"
    qtbot.mouseClick(button, LEFT)
    answers.set()
    assert window.session.computing.status.state == OFF
    assert (button.status.isVisible(), button.text()) == (False, "Connect")
    qtbot.mouseClick(button, LEFT)
    qtbot.waitUntil(lambda: window.session.computing.status.state == FAILED)
    assert button.window().focusWidget() is button


def test_return_connects_to_the_typed_address_and_cancels_nothing(window, qtbot, monkeypatch):
    answers, asked = Event(), []

    def open_cluster(address):
        asked.append(address)
        answers.wait()
        raise ClusterError(f"no scheduler answers at '{address}'")

    monkeypatch.setattr(computing, "open_cluster", open_cluster)
    found = preferences(window, qtbot)
    field, button = found.option("scheduler"), found.scheduler
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert window.session.computing.status.state == OFF, "there is no address"
    qtbot.keyClicks(field, "tcp://127.0.0.1:9")
    for _ in range(2):
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert (button.status.text(), button.text()) == ("Connecting…", "Cancel")
    answers.set()
    qtbot.waitUntil(lambda: window.session.computing.status.state == FAILED)
    assert asked == ["tcp://127.0.0.1:9"]


@pytest.mark.parametrize(
    ("line", "jobs"), [("jobs=4", 4), ("jobs=-1", 0), ("jobs=many", 0), ("jobs=99999999999999999999", 0), ("", 0)]
)
def test_settings_without_or_with_wrong_values(tmp_path, line, jobs):
    path = tmp_path / "settings.ini"
    path.write_text(f"[General]\n{line}\ntheme=dark\n")
    found = SettingsFile(path).read()
    assert (found.jobs, found.scheduler, found.theme) == (jobs, "", "dark")
