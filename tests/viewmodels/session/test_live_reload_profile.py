"""Profile changed while a run is reloaded: scores of different profiles are not compared."""

from sessions import open_in, settle
from tiny_benchmark import write_tiny

from shrec_viewer.metrics import PROFILES, find_profile
from shrec_viewer.viewmodels.session.live_reload import read_changed_runs
from shrec_viewer.viewmodels.tasks.tasks import Task


def test_run_scored_with_previous_profile_is_reported_without_change(session, tmp_path, qtbot):
    open_in(session, write_tiny(tmp_path / "tiny"), qtbot)
    received = []
    session.message.connect(lambda _severity, sentence, _details: received.append(sentence))
    by_count = sorted(PROFILES, key=lambda profile: len(profile.measures))
    most, fewest = by_count[-1].key, by_count[0].key
    assert len(find_profile(fewest).measures) < len(find_profile(most).measures)
    session.set_profile(most)
    settle(session, qtbot)
    session.select(measure=session.scores.measures[-1].key)
    reading = read_changed_runs(session.document, (0,), Task())
    name = session.benchmark.runs[0].name
    session.set_profile(fewest)
    settle(session, qtbot)
    session.select(measure=reading.scores.measures[-1].key)
    session._show_reloaded(reading)
    qtbot.waitUntil(lambda: received == [f"{name} reloaded"])
    settle(session, qtbot)
    assert session.scores.profile == find_profile(fewest), "rescored with the current profile"
