"""The window on a contest: the folder that it shows, later changes, and its process."""

import time
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sessions import open_in

import shrec_viewer as sv
from shrec_viewer.api.window import ContestWindow
from shrec_viewer.viewmodels.session import live_reload


@pytest.fixture(autouse=True)
def no_warnings():
    """Random runs are no better than by chance."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def random_contest() -> sv.Contest:
    contest = sv.Contest(classes=["dog"] * 5 + ["cat"] * 5)
    contest.add("first", distances=np.random.default_rng(0).random((10, 10)))
    return contest


def test_runs_and_edits_arrive_in_the_window(session, qtbot, tmp_path, monkeypatch):
    """The folder of the window, opened in this process, is reloaded after each change of the contest."""
    monkeypatch.setattr(live_reload, "POLL_S", 0.25)
    monkeypatch.setattr("shrec_viewer.api.window.subprocess.Popen", lambda *_, **__: SimpleNamespace(poll=lambda: 0))
    monkeypatch.setattr("shrec_viewer.api.window.mkdtemp", lambda prefix: str(tmp_path))
    contest = random_contest()
    window = ContestWindow(contest.benchmark)
    open_in(session, tmp_path, qtbot)
    session.set_watching(True)
    qtbot.wait(50)

    def shown() -> dict[str, float]:
        scores = session.scores
        if scores is None or scores.benchmark is not session.benchmark:
            return {}
        return dict(zip(scores.runs, scores.mean()[:, scores.column("AP")].tolist(), strict=True))

    def follows() -> None:
        window.update(contest.benchmark)
        qtbot.waitUntil(lambda: shown() == contest.evaluate("AP").mean["AP"], timeout=20_000)

    follows()
    contest.add("second", rankings={str(query): [str(model) for model in range(10)] for query in range(10)})
    follows()
    contest.add("first", similarities=np.random.default_rng(1).random((10, 10)))
    follows()
    contest.edit("0", "9", 1)
    follows()


def test_the_window_is_a_process_of_its_own():
    contest = random_contest()
    window = contest.show()
    try:
        folder = window.folder
        assert contest.show() is window
        contest.add("second", vectors=np.random.default_rng(1).random((10, 4)))
        assert sv.open(folder).evaluate("AP").mean == contest.evaluate("AP").mean
        time.sleep(1)
        assert window.is_open
        assert "open" in repr(window)
    finally:
        window.close()
    assert not window.is_open
    assert not folder.exists()
    other = contest.show()
    assert other is not window
    other.close()


def test_without_a_display_the_reason_is_an_error(monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(sv.ShrecViewerError, match=r"^no window can be opened: .*; figure, table, .* need none$"):
        random_contest().show()
