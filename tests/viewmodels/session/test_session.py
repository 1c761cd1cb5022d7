"""Session: opening, selecting, scoring; outdated results are dropped."""

from dataclasses import replace
from shutil import rmtree
from threading import Event

import numpy as np
import pytest
from sample_benchmark import write_sample_benchmark
from sessions import differences, open_in, settle, waiting_for
from tiny_benchmark import write_tiny

from shrec_viewer.domain import FormatError, Severity
from shrec_viewer.metrics import find_profile
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.comparison.comparison import choose_compared_run, runs_best_first
from shrec_viewer.viewmodels.session import document
from shrec_viewer.viewmodels.session import session as session_module
from shrec_viewer.viewmodels.session.document import has_other_models
from shrec_viewer.viewmodels.session.scoring import best_run, compute_means
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import SCORING
from shrec_viewer.viewmodels.tasks import computing


class SessionRecorder:
    """Records the differences that a session signals, and its failures."""

    def __init__(self, session):
        self.session = session
        self.received = []
        self.failures = []
        session.changed.connect(self.record)
        session.failed.connect(self.record_failure)

    def record(self, old, new):
        self.received += differences(old, new, ("profile", "scores", "list", "selection"))

    def record_failure(self, sentence, details):
        self.failures.append((sentence, details))


@pytest.fixture
def session_recorder(session):
    return SessionRecorder(session)


def test_initial_state_without_benchmark(session):
    assert not session.is_open
    assert session.scores is None
    assert session.ranked_list is None
    assert session.run is None
    assert session.selection == Selection()
    assert session.findings == ()
    session.select(query=1)
    session.close()
    assert session.selection.query == NOTHING


def test_opening_reads_scores_and_lists(opened):
    assert opened.benchmark.name == "Menagerie"
    assert opened.profile.key == "shrec2006"
    assert opened.selection == Selection(query=0, run=0, shown_runs=(0, 1, 2))
    assert opened.run.name == "A1"
    ids = [opened.benchmark.collection.ids[item] for item in opened.ranked_list.items]
    assert ids == ["m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"]
    assert opened.ranked_list.levels.tolist() == [2, 2, 1, 1, 0, 0, 0, 0]
    column = opened.scores.column("AP")
    assert opened.scores.values[0, :, column].tolist() == [1.0, 1.0, 1.0]
    assert np.array_equal(opened.mean("queries"), opened.scores.mean())
    assert np.array_equal(opened.mean("classes"), opened.scores.class_mean())


def swap_first_and_last_run(sample_benchmark):
    manifest = sample_benchmark / "benchmark.toml"
    text = manifest.read_text().replace('"A1"', '"X"').replace('"B1"', '"A1"').replace('"X"', '"B1"')
    manifest.write_text(text.replace("runs/A1", "runs/X").replace("runs/B1", "runs/A1").replace("runs/X", "runs/B1"))


def shown_from_the_first(session, path, qtbot):
    """Name of the run and query of each change from the first document with the benchmark on, and its scores."""
    shown = []

    def record(_old, new):
        if new.is_open:
            shown.append((new.run.name, new.selection.query, new.scores))

    session.changed.connect(record)
    open_in(session, path, qtbot)
    session.changed.disconnect(record)
    return shown


def test_small_benchmark_opens_with_its_best_run(session, sample_benchmark, qtbot):
    swap_first_and_last_run(sample_benchmark)
    shown = shown_from_the_first(session, sample_benchmark, qtbot)
    assert [run.name for run in session.benchmark.runs] == ["B1", "A2", "A1"]
    assert {(run, query) for run, query, _ in shown} == {("A1", 0)}
    assert all(scores is session.scores for *_, scores in shown), "evaluated once, and known from the first paint on"
    assert session.ranked_list.levels.tolist() == [2, 2, 1, 1, 0, 0, 0, 0]
    again = shown_from_the_first(session, resource("demo"), qtbot)
    assert {(run, query) for run, query, _ in again} == {("B2", 0)}


@pytest.fixture
def shown_unscored(monkeypatch):
    """Every benchmark is shown before it is scored, as large ones are."""
    monkeypatch.setattr(document, "MAX_PAIRS_SCORED_FIRST", 0)


def test_larger_benchmark_stays_at_its_first_run(session, sample_benchmark, monkeypatch, qtbot):
    monkeypatch.setattr(document, "MAX_PAIRS_SCORED_FIRST", 3 * 3 * 8 - 1)
    swap_first_and_last_run(sample_benchmark)
    shown = shown_from_the_first(session, sample_benchmark, qtbot)
    assert {(run, query) for run, query, _ in shown} == {("B1", 0)}
    assert next(scores for *_, scores in shown) is None
    assert session.scores is not None


def test_benchmark_that_cannot_be_evaluated_is_shown(session, session_recorder, sample_benchmark, monkeypatch, qtbot):
    def fail(*_, **_options):
        raise ValueError("no number")

    monkeypatch.setattr(computing, "evaluate", fail)
    open_in(session, sample_benchmark, qtbot)
    assert session.run.name == "A1"
    assert session.scores is None
    assert [message for message, _ in session_recorder.failures] == [
        "The runs cannot be evaluated: ValueError: no number"
    ]


def test_first_edit_after_another_benchmark_with_edits_has_scores_before_it(opened, qtbot):
    """The undo stack starts again, and so does the count of the steps that were scored."""
    for model in (4, 5):
        opened.edits.set_level(0, [model], 2)
        settle(opened, qtbot)
    open_in(opened, resource("demo"), qtbot)
    before = opened.scores
    assert opened.document.replaced_scores is None
    opened.edits.set_level(0, opened.ranked_list.items[:1], 0)
    settle(opened, qtbot)
    assert opened.document.replaced_scores is before


def test_best_run_is_selected_first_with_active_comparison(session, sample_benchmark, qtbot):
    swap_first_and_last_run(sample_benchmark)
    session.changed.connect(lambda *_: choose_compared_run(session))
    open_in(session, sample_benchmark, qtbot)
    best, next_best = runs_best_first(session)[:2]
    assert (session.selection.run, session.selection.compared) == (best, next_best)
    assert session.run.name == "A1"


def test_a_virtual_run_is_not_the_best_run(opened):
    scores = opened.scores
    best = best_run(scores, opened.document.means)
    first = replace(scores.benchmark.runs[best], expression="ideal()")
    runs = tuple(first if run.name == first.name else run for run in scores.benchmark.runs)
    with_virtual = replace(scores, benchmark=replace(scores.benchmark, runs=runs))
    assert best_run(with_virtual, opened.document.means) not in (None, best)
    only = with_virtual.select_runs([best])
    assert best_run(only, compute_means(only)) == 0, "a reference, where there is nothing else"


def test_another_benchmark_is_signalled_first(session, session_recorder, sample_benchmark, qtbot):
    with waiting_for(session, qtbot, "scores", "list"):
        session.open(sample_benchmark)
    assert session_recorder.received[0] == "benchmark"
    assert sorted(session_recorder.received[1:]) == ["list", "scores"]


def test_selecting_query_ranks_it_and_resets_rank(opened, qtbot):
    opened.select(rank=3)
    with waiting_for(opened, qtbot, "list"):
        opened.select(query=1)
    assert opened.selection.rank is None
    assert opened.ranked_list.levels.tolist() == [2, 2, 1, 1, 0, 0, 0, 0]
    assert opened.benchmark.collection.ids[opened.ranked_list.items[0]] == "m3"


def test_another_run_keeps_rank_within_list(opened, qtbot):
    opened.select(rank=3)
    with waiting_for(opened, qtbot, "list"):
        opened.select(run=1)
    assert opened.selection.rank == 3
    opened.select(rank=7)
    with waiting_for(opened, qtbot, "list"):
        opened.select(run=2)
    assert len(opened.ranked_list) == 3
    assert opened.selection.rank is None


def test_no_signal_without_change(opened):
    session_recorder = SessionRecorder(opened)
    opened.select(query=0, run=0)
    opened.select()
    opened.deselect_rank()
    opened.set_profile("shrec2006")
    assert session_recorder.received == []


@pytest.mark.parametrize("changes", [{"query": 99}, {"query": -5}, {"run": 3}, {"rank": 0}, {"compared": 17}])
def test_invalid_indices_are_ignored(opened, changes):
    before = opened.selection
    opened.select(**changes)
    assert opened.selection == before


def test_shown_runs_are_sorted_and_limit_visible_runs(opened):
    opened.select(shown_runs=[2, 1, 9])
    assert opened.selection.shown_runs == (1, 2)
    assert opened.selection.visible_runs == (1, 2)
    assert opened.selection.needed_runs == (0, 1, 2)
    opened.select(shown_runs=[])
    for run in (0, 2):
        opened.select(run=run)
        assert opened.selection.visible_runs == opened.selection.needed_runs == (run,), "whichever is selected"


def test_profile_change_rescores(opened, qtbot):
    session_recorder = SessionRecorder(opened)
    previous = opened.scores
    with waiting_for(opened, qtbot, "scores", "list"):
        opened.set_profile("default")
    assert opened.profile.key == "default"
    assert opened.scores is not previous
    assert opened.measure == "AP"
    assert session_recorder.received[0] == "profile"


def test_unknown_profile_fails_and_changes_nothing(opened):
    session_recorder = SessionRecorder(opened)
    opened.set_profile("shrek2006")
    assert opened.profile.key == "shrec2006"
    assert session_recorder.failures == [("there is no profile 'shrek2006'; do you mean 'shrec2006'?", "")]


def test_unknown_profile_in_manifest_is_finding(session, sample_benchmark, qtbot):
    manifest = sample_benchmark / "benchmark.toml"
    manifest.write_text(manifest.read_text().replace("shrec2006", "shrec2066"))
    with waiting_for(session, qtbot, "scores"):
        session.open(sample_benchmark)
    assert session.profile.key == "default"
    (finding,) = [finding for finding in session.findings if "shrec2066" in finding.message]
    assert finding.severity is Severity.ERROR
    assert finding.location == "benchmark.toml:3"


@pytest.mark.parametrize(
    ("profile", "default", "key"),
    [
        ("+ties=trec", None, "shrec2006+ties=trec"),
        ("+ties=file", "psb", "shrec2006"),  # that of the benchmark, whose ties these are
        ("psb+ties=trec", None, "psb+ties=trec"),
        (None, "psb", "shrec2006"),
    ],
)
def test_conventions_change_the_requested_profile_or_that_of_the_benchmark(session, qtbot, profile, default, key):
    with qtbot.waitSignal(session.changed, check_params_cb=lambda old, new: new.is_open):
        session.open(resource("demo"), profile=profile, default_profile=default)
    assert session.profile.key == key
    assert session.is_profile_chosen == (profile is not None)


def test_conventions_change_the_default_where_the_benchmark_names_no_profile(session, tmp_path, qtbot):
    with qtbot.waitSignal(session.changed, check_params_cb=lambda old, new: new.is_open):
        session.open(write_tiny(tmp_path / "tiny"), profile="+ties=trec+relevant_from=2", default_profile="psb")
    assert session.profile == find_profile("psb+ties=trec+relevant_from=2")


def test_unknown_requested_profile_is_finding(session, sample_benchmark, qtbot):
    with waiting_for(session, qtbot, "scores"):
        session.open(sample_benchmark, profile="trek")
    assert session.profile.key == "default"
    last = session.findings[-1]
    assert last.severity is Severity.WARNING
    assert "there is no profile 'trek'" in last.message
    assert last.action == "used the profile 'default'"


def test_measure_is_headline_unless_one_is_selected(opened, qtbot):
    assert opened.measure == "ADR"
    opened.select(measure="FT")
    assert opened.measure == "FT"
    with waiting_for(opened, qtbot, "scores"):
        opened.set_profile("default")
    assert opened.measure == "FT"
    opened.select(measure="no such thing")
    assert opened.measure == "AP"


def test_close_resets_everything(opened):
    session_recorder = SessionRecorder(opened)
    opened.close()
    assert not opened.is_open
    assert opened.scores is None
    assert opened.ranked_list is None
    assert opened.path is None
    assert session_recorder.received == ["benchmark"]


def test_failed_opening_keeps_open_benchmark(opened, tmp_path, qtbot):
    session_recorder = SessionRecorder(opened)
    with qtbot.waitSignal(opened.failed):
        opened.open(tmp_path / "nowhere")
    assert opened.benchmark.name == "Menagerie"
    assert opened.scores is not None
    assert session_recorder.received == []
    sentence, details = session_recorder.failures[0]
    assert "nowhere" in sentence
    assert details == ""


def test_unexpected_error_is_reported_with_traceback(session, session_recorder, sample_benchmark, monkeypatch, qtbot):
    def raise_error(*_, **__):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(session_module, "read_benchmark", raise_error)
    with qtbot.waitSignal(session.failed):
        session.open(sample_benchmark)
    sentence, details = session_recorder.failures[0]
    assert sentence == "sample_benchmark cannot be opened: ZeroDivisionError: division by zero"
    assert "raise_error" in details


@pytest.mark.usefixtures("shown_unscored")
def test_scores_of_closed_benchmark_are_dropped(session, tmp_path, monkeypatch, qtbot):
    """The held-back evaluation of the first folder ends only after the second one is open and scored."""
    first, second = write_sample_benchmark(tmp_path / "first"), write_sample_benchmark(tmp_path / "second")
    release, finished = Event(), Event()
    original = computing.evaluate

    def delayed(benchmark, profile, **how):
        if benchmark.root == first:
            release.wait(10)
            scores = original(benchmark, profile)  # ignores `cancelled`
            finished.set()
            return scores
        return original(benchmark, profile, **how)

    monkeypatch.setattr(computing, "evaluate", delayed)
    with waiting_for(session, qtbot, "benchmark", "list"):
        session.open(first)
    with waiting_for(session, qtbot, "benchmark"):
        session.open(second)
    assert session.scores is None
    session_recorder = SessionRecorder(session)
    release.set()
    assert finished.wait(10)
    qtbot.waitUntil(lambda: session.scores is not None)
    qtbot.wait(50)
    assert session_recorder.received.count("scores") == 1
    assert session.path == second


def test_newest_folder_replaces_one_being_read(session, tmp_path, monkeypatch, qtbot):
    first, second = write_sample_benchmark(tmp_path / "first"), write_sample_benchmark(tmp_path / "second")
    release = Event()
    original = session_module.read_benchmark

    def delayed(path, parts, **how):
        if path == first:
            release.wait(10)
        return original(path, parts)

    monkeypatch.setattr(session_module, "read_benchmark", delayed)
    session_recorder = SessionRecorder(session)
    session.open(first)
    session.open(second)
    release.set()
    qtbot.waitUntil(lambda: session.scores is not None)
    qtbot.wait(50)
    assert session.path == second
    assert session_recorder.received.count("benchmark") == 1


def test_close_while_reading_cancels_opening(session, sample_benchmark, monkeypatch, qtbot):
    started_tasks, release, finished = Event(), Event(), Event()
    original = session_module.read_benchmark

    def delayed(path, parts, **how):
        started_tasks.set()
        release.wait(10)
        benchmark = original(path, parts)
        finished.set()
        return benchmark

    monkeypatch.setattr(session_module, "read_benchmark", delayed)
    session.open(sample_benchmark)
    assert session.is_opening
    qtbot.waitUntil(started_tasks.is_set)
    session.close()
    release.set()
    assert finished.wait(10)
    qtbot.wait(50)
    assert not session.is_open
    assert not session.is_opening


def test_fast_query_switches_end_with_last_list(opened, qtbot):
    for query in (1, 2, 0, 1, 2):
        opened.select(query=query)
    qtbot.waitUntil(lambda: not opened.tasks.is_busy())
    assert opened.benchmark.collection.ids[opened.ranked_list.items[0]] == "m5"


def test_reload_keeps_selection(opened, sample_benchmark, qtbot):
    opened.select(query=2, run=1, rank=2, measure="FT")
    (sample_benchmark / "runs" / "A2" / "q3").write_text("m5 0.1\nm6 0.2\n")
    with waiting_for(opened, qtbot, "benchmark", "scores", "list"):
        opened.reload()
    assert (opened.selection.query, opened.selection.run, opened.selection.measure) == (2, 1, "FT")
    qtbot.waitUntil(lambda: opened.ranked_list is not None and len(opened.ranked_list) == 2)  # also watched


def test_without_assessment_there_are_lists_and_no_scores(session, sample_benchmark, qtbot):
    manifest = sample_benchmark / "benchmark.toml"
    lines = [
        line for line in manifest.read_text().splitlines() if "derive" not in line and "classification" not in line
    ]
    manifest.write_text("\n".join(lines))
    for name in ("models.cla", "queries.cla"):
        (sample_benchmark / name).unlink()
    with waiting_for(session, qtbot, "benchmark", "list"):
        session.open(sample_benchmark)
    assert session.benchmark.assessment is None
    assert session.ranked_list.levels.sum() == 0
    qtbot.waitUntil(lambda: not session.tasks.is_busy())
    assert session.scores is None


@pytest.mark.usefixtures("shown_unscored")
def test_stop_cancels_evaluation_only(session, sample_benchmark, monkeypatch, qtbot):
    started_tasks = Event()

    def endless(benchmark, profile, *, cancelled, **_options):
        started_tasks.set()
        while not cancelled():
            pass
        raise FormatError("nowhere", "must not be reported")

    monkeypatch.setattr(computing, "evaluate", endless)
    session_recorder = SessionRecorder(session)
    with waiting_for(session, qtbot, "benchmark", "list"):
        session.open(sample_benchmark)
    assert started_tasks.wait(5)
    session.tasks.stop(SCORING)
    qtbot.wait(50)
    assert not session.tasks.is_busy()
    assert session.is_open
    assert session.scores is None
    assert session_recorder.failures == []


# Truth-only and mixed folders.


def test_benchmark_opens_on_the_first_query_with_a_list(session, sample_benchmark, qtbot):
    for run in ("A1", "A2", "B1"):
        (sample_benchmark / "runs" / run / "q1").unlink()
    open_in(session, sample_benchmark, qtbot)
    assert session.benchmark.queries.ids[session.selection.query] == "q2"
    assert not session.ranked_list.missing


def test_best_run_is_selected_with_its_first_query(session, sample_benchmark, qtbot):
    swap_first_and_last_run(sample_benchmark)
    (sample_benchmark / "runs" / "A1" / "q1").unlink()
    manifest = sample_benchmark / "benchmark.toml"
    manifest.write_text(manifest.read_text().replace("shrec2006", "trec"))
    shown = shown_from_the_first(session, sample_benchmark, qtbot)
    assert {(run, query) for run, query, _ in shown} == {("A1", 1)}
    assert not session.ranked_list.missing


def test_without_runs_another_query_lists_other_models(session, sample_benchmark, qtbot):
    rmtree(sample_benchmark / "runs")
    open_in(session, sample_benchmark, qtbot)
    assert not session.benchmark.runs
    old = session.document
    session.select(query=1)
    assert has_other_models(old, session.document)
    old = session.document
    session.select(model=1)
    assert not has_other_models(old, session.document)
