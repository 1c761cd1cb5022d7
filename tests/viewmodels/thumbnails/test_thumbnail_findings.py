"""Problems of rendering become findings of the open benchmark."""

from pathlib import Path
from time import sleep

import numpy as np
import pytest
from sample_benchmark import write_sample_benchmark
from sessions import settle

from shrec_viewer.domain import Finding, Severity
from shrec_viewer.panels.files.findings import FindingsPanel
from shrec_viewer.render.thumbnails.thumbnail import encode_webp
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.thumbnails.thumbnails import FINDINGS_INTERVAL_MS, Thumbnails, ThumbnailSource


class FailingSource(ThumbnailSource):
    """A source that fails for every file."""

    def __init__(self):
        self.requested = []
        self.seen = {}

    def request(self, paths, size):
        self.requested = list(paths)

    def set_camera(self, camera):
        pass

    def wait(self, timeout):
        paths, self.requested = self.requested, []
        results = []
        for path in paths:
            self.seen[path] = "not a mesh"
            results.append((path, None, "not a mesh"))
        if not results:
            sleep(0.01)
        return results

    def noticed(self):
        return len(self.seen)

    def findings(self, root: Path):
        return tuple(
            Finding(Severity.WARNING, path.relative_to(root).as_posix(), None, words, "a placeholder is shown")
            for path, words in self.seen.items()
        )

    def clear_findings(self):
        self.seen = {}

    def close(self):
        pass


@pytest.fixture
def failing():
    return FailingSource()


@pytest.fixture
def session(qapp, failing):
    session = Session(Thumbnails(lambda: failing))
    yield session
    session.shut_down()


def test_unreadable_model_is_finding(session, failing, tmp_path, qtbot):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    mesh = folder / "models/broken.off"
    mesh.parent.mkdir(exist_ok=True)
    mesh.write_text("OFF\n")
    session.open(folder)
    settle(session, qtbot)
    panel = FindingsPanel(session)
    qtbot.addWidget(panel)
    before = session.findings
    assert panel.shown == sorted(before, key=lambda finding: finding.severity.rank)
    with qtbot.waitSignal(session.thumbnails.findings_changed):
        session.thumbnails.request("test", [mesh])
    assert session.findings[: len(before)] == before
    assert [(f.file, f.message) for f in session.findings[len(before) :]] == [("models/broken.off", "not a mesh")]
    assert len(panel.shown) == len(before) + 1
    session.close()
    assert session.findings == ()
    assert failing.seen == {}


class Plain(ThumbnailSource):
    """A source without problems that does not record findings."""

    def __init__(self):
        self.requested = []

    def request(self, paths, size):
        self.requested = list(paths)

    def wait(self, timeout):
        paths, self.requested = self.requested, []
        sleep(0.01)
        return [(path, encode_webp(np.zeros((16, 16, 4), np.uint8)), "") for path in paths]

    def close(self):
        """No-op."""


class SilentSource(Plain):
    """A source without problems that records findings."""

    def noticed(self):
        return 0

    def findings(self, root):
        return ()

    def clear_findings(self):
        """No-op."""


@pytest.mark.parametrize("source", [Plain, SilentSource])
def test_successful_thumbnails_emit_no_finding(qapp, qtbot, source):
    thumbnails = Thumbnails(source)
    path = Path("/model.off")
    longer = FINDINGS_INTERVAL_MS + 200  # longer than the interval of `findings_changed`
    with qtbot.assertNotEmitted(thumbnails.findings_changed, wait=longer), qtbot.waitSignal(thumbnails.arrived):
        thumbnails.request("test", [path])
    assert thumbnails.pixmap(path) is not None
    assert thumbnails.findings(Path("/")) == ()
    thumbnails.close()


def test_finding_actions_follow_profile(qapp, qtbot):
    from dataclasses import replace

    from shrec_viewer.resources import resource

    session = Session(Thumbnails(None))
    session.open(resource("demo"))
    settle(session, qtbot)
    panel = FindingsPanel(session)
    qtbot.addWidget(panel)

    def actions():
        return {finding.action for finding in panel.shown}

    for value, words in (("zero", "score 0"), ("skip", "excluded from means")):
        session.set_conventions(replace(session.profile, missing_query=value))
        assert f"{words}; to score only the 15 queries common to all runs" in actions()
    session.shut_down()
