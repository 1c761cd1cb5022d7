"""The document of a session: transitions, what is derived from it, and which differences are emitted."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sample_benchmark import write_sample_benchmark
from sessions import open_in, settle

from shrec_viewer.domain import EditedAssessment, Finding, Severity
from shrec_viewer.evaluation.edits import AssessmentEdit
from shrec_viewer.evaluation.virtual_runs import virtual_run
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.discovery.submission import LoadedRun
from shrec_viewer.formats.manifest.edit_state import EditState
from shrec_viewer.formats.manifest.parts import BenchmarkParts
from shrec_viewer.formats.manifest.run_changes import AddedRun, RunChanges, VirtualRun
from shrec_viewer.metrics import PROFILES, find_profile
from shrec_viewer.viewmodels.session.document import (
    DIFFERENCES,
    NO_BENCHMARK,
    Document,
    OpenRequest,
    changed_runs,
    closed,
    derived,
    opened,
    reopened,
    with_edited,
    with_reloaded_runs,
    with_selected,
)
from shrec_viewer.viewmodels.session.scoring import ComputedRun


def request(path):
    return OpenRequest(path, BenchmarkParts(), None, 0.0)


@pytest.fixture
def document(tmp_path):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    return opened(request(folder), read_benchmark(folder), PROFILES[0], Document())


def differences(old, new):
    return {name for name in DIFFERENCES if new.differs(old, name)}


def names(document):
    return [run.name for run in document.benchmark.runs]


def test_no_document_has_no_benchmark():
    empty = Document()
    assert not empty.is_open
    assert (empty.run, empty.has_list, empty.is_scorable, empty.path) == (None, False, False, None)
    assert len(empty.benchmark.collection) == len(empty.benchmark.queries) == len(empty.benchmark.runs) == 0
    changes = {"query": 1, "run": 0, "rank": 3, "model": 2, "measure": "AP", "means": True}
    assert with_selected(empty, changes).selection == replace(empty.selection, means=True)


def test_a_benchmark_without_changes_is_the_one_that_was_read(document):
    assert document.benchmark is document.as_read
    assert derived(document) is document
    assert closed(document).benchmark is NO_BENCHMARK


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda one: with_selected(one, {"query": 1}), {"selection", "query"}),
        (lambda one: with_selected(one, {"shown_runs": (1,)}), {"selection", "edits"}),
        (lambda one: replace(one, profile=find_profile("psb")), {"profile", "findings"}),
        (lambda one: replace(one, added_measures=("P@5",)), {"measures"}),
        (lambda one: with_edited(one, replace(one.edited, notes={"q1": "seen"})), {"edits", "notes"}),
        (lambda one: with_edited(one, replace(one.edited, colours={"A1": "#123456"})), {"edits", "colours"}),
        (lambda one: with_edited(one, replace(one.edited, notes=dict(one.edited.notes))), set()),
        (lambda one: with_edited(one, replace(one.edited, runs=RunChanges())), set()),
        (
            lambda one: with_edited(one, replace(one.edited, levels=level_edits())),
            {"edits", "levels", "assessment", "findings"},
        ),
        (lambda one: with_edited(one, replace(one.edited, reviewed={("q1", "m8"): 1})), {"edits", "reviews"}),
        (
            lambda one: with_edited(one, replace(one.edited, runs=RunChanges(frozenset({"A2"})))),
            {"edits", "benchmark", "runs", "selection"},
        ),
        (
            lambda one: reopened(request(one.path), one.as_read, one.profile, one),
            {"opened", "benchmark", "findings", "selection"},
        ),
    ],
)
def test_differences_are_named(document, change, expected):
    old = replace(document)
    assert differences(old, derived(change(old))) == expected


def level_edits(level=1):
    edit = AssessmentEdit("q1", "m8", 0, level)
    return {edit.pair: edit}


def test_edits_of_the_same_levels_keep_the_assessment(document):
    edited = derived(with_edited(document, replace(document.edited, levels=level_edits())))
    assert isinstance(edited.benchmark.assessment, EditedAssessment)
    reason = {pair: replace(edit, reason="seen") for pair, edit in level_edits().items()}
    again = derived(with_edited(edited, replace(edited.edited, levels=reason)))
    assert again.benchmark is edited.benchmark
    assert derived(with_edited(again, replace(again.edited, levels={}))).benchmark is document.benchmark


def test_a_reloaded_run_stays_renamed_and_replaces_only_its_results(document):
    renamed = derived(with_edited(document, replace(document.edited, runs=RunChanges(names={"A2": "Best"}))))
    found = replace(renamed.benchmark.runs[1], ranking=renamed.benchmark.runs[2].ranking)
    finding = Finding(Severity.WARNING, "runs/A2/q1", 1, "odd")
    runs = (renamed.benchmark.runs[0], found, renamed.benchmark.runs[2])
    new = with_reloaded_runs(renamed, replace(renamed.benchmark, runs=runs, findings=(finding,)), [1])
    assert names(new) == ["A1", "Best", "B1"]
    assert changed_runs(renamed, new) == (1,)
    assert differences(renamed, new) == {"runs", "warnings", "findings"}
    assert new.as_read.runs[1].name == "A2"
    assert new.as_read.runs[1].ranking is new.benchmark.runs[1].ranking is found.ranking


def test_a_renamed_added_run_needs_no_reading(document):
    run = AddedRun(Path("/mail/X"), "X", "X")
    loaded = {run: LoadedRun(replace(document.as_read.runs[0], name="X", source=run.path))}
    added = derived(
        with_edited(replace(document, loaded=loaded), replace(document.edited, runs=RunChanges(added=(run,))))
    )
    assert added.missing_runs == ()
    renamed = RunChanges(added=(replace(run, name="Y"),))
    assert names(derived(with_edited(added, replace(added.edited, runs=renamed)))) == ["A1", "A2", "B1", "Y"]
    other = RunChanges(added=(replace(run, path=Path("/mail/Z")),))
    assert derived(with_edited(added, replace(added.edited, runs=other))).missing_runs == other.added


def random_runs(document, draw):
    """Random changes of the list of runs: removed, renamed, added and virtual ones."""
    read = [run.name for run in document.as_read.runs]
    added = tuple(run for run in document.loaded if draw.random() < 0.5)
    virtual = tuple(run for run in document.computed if draw.random() < 0.5)
    removed = frozenset(name for name in read if draw.random() < 0.3)
    return RunChanges(removed, {name: f"{name}*" for name in read if draw.random() < 0.3}, added, virtual)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_shown_follows_from_the_document_whatever_was_shown_before(document, seed):
    """Edits, undo, selections and reloads in random order; the selection refers to the same queries and runs."""
    draw = random.Random(seed)
    benchmark = document.as_read
    added = {
        AddedRun(Path(f"/mail/{name}"), name, name): LoadedRun(replace(benchmark.runs[0], name=name)) for name in "XY"
    }
    computed = {
        VirtualRun(text): ComputedRun(virtual_run(benchmark, text, document.profile))
        for text in ("oracle()", "ideal()")
    }
    document = derived(replace(document, loaded=added, computed=computed))
    undo = [document.edited]
    for _ in range(30):
        former, act = document, draw.randrange(6)
        if act == 0:
            document = with_edited(document, replace(document.edited, runs=random_runs(document, draw)))
        elif act == 1:
            document = with_edited(document, replace(document.edited, levels=level_edits(draw.randrange(3))))
        elif act == 2:
            document = with_edited(document, draw.choice(undo))
        elif act == 3 and document.benchmark.runs:
            shown = tuple(run for run in range(len(document.benchmark.runs)) if draw.random() < 0.6)
            document = with_selected(document, {"shown_runs": shown, "query": draw.randrange(3), "run": 0})
        elif act == 4 and document.benchmark.runs:
            index = draw.randrange(len(document.benchmark.runs))
            runs = list(document.benchmark.runs)
            runs[index] = replace(runs[index], ranking=replace(runs[index].ranking))
            document = with_reloaded_runs(document, replace(document.benchmark, runs=tuple(runs)), [index])
        elif act == 5:
            document = reopened(request(document.path), replace(document.as_read), document.profile, document)
        document = derived(document)
        undo.append(document.edited)
        fresh = derived(replace(document, benchmark=NO_BENCHMARK, origins=(), sources=()))
        assert names(document) == names(fresh)
        assert document.origins == fresh.origins
        assert [run.ranking for run in document.benchmark.runs] == [run.ranking for run in fresh.benchmark.runs]
        levels = [one.benchmark.assessment.gains(0, len(benchmark.collection)) for one in (document, fresh)]
        np.testing.assert_array_equal(*levels)
        selected, n_runs = document.selection, len(document.benchmark.runs)
        assert -1 <= selected.run < max(n_runs, 1)
        assert all(0 <= run < n_runs for run in selected.shown_runs)
        if former.run is not None and former.keys[former.selection.run] in document.keys and act != 3:
            assert document.keys[selected.run] == former.keys[former.selection.run]
        if act != 5:  # new runs of a reload may be hidden without being named
            hidden = document.edited.hidden
            assert {run.name for run in document.benchmark.runs if run.name in hidden} == {
                run.name for index, run in enumerate(document.benchmark.runs) if index not in selected.shown_runs
            }


class Receiver:
    """Records the changes of a session, and may answer one."""

    def __init__(self, session, answer=None):
        self.session, self.answer, self.changes = session, answer, []
        session.changed.connect(self.receive)

    def receive(self, old, new):
        self.changes.append((old, new))
        answer, self.answer = self.answer, None
        if answer is not None:
            answer()


def test_each_receiver_gets_all_changes_in_order(session, tmp_path, qtbot):
    open_in(session, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    start = session.document
    first = Receiver(session, lambda: session.select(rank=2))
    second = Receiver(session)
    session.select(query=1)
    assert first.changes == second.changes
    assert [new.selection.rank for _, new in first.changes] == [None, 2]
    settle(session, qtbot)
    assert first.changes[0][0] is start
    assert first.changes[-1][1] is session.document
    for (_, new), (old, _) in zip(second.changes[:-1], second.changes[1:], strict=True):
        assert new is old
    count = len(first.changes)
    session.select(query=1)
    session.deselect_rank()
    session.deselect_rank()
    session.edits.apply(EditState(hidden=session.edits.edited.hidden))
    assert len(first.changes) == count + 1, "no change without a difference"
