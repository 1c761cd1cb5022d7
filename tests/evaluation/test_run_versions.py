"""Versions of runs: what is stored scores as the run did, limits hold, and damage and other windows lose nothing."""

import json
import os
import shutil
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st
from independent_loaders import lists_of, load_psb
from kill_points import child, counted_lines, killed_before_line
from small_benchmarks import external, itself

from shrec_viewer.cli.program import program
from shrec_viewer.domain import FormatError, RankedLists, Run
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.run_versions import (
    entered_models,
    record_version,
    version_means,
    version_run,
    version_title,
)
from shrec_viewer.formats.runs import version_store
from shrec_viewer.formats.runs.version_store import VersionRecord, VersionStore, benchmark_folder, read_record
from shrec_viewer.metrics import PROFILES, find_profile

DEFAULT = find_profile("default")


def stored(store, benchmark, run, scores=None):
    store.add(record_version(benchmark, run, scores))
    return store.load(store.newest(run.name))


@pytest.mark.parametrize("benchmark", [external(), itself(), itself(graded=True)], ids=["external", "self", "graded"])
def test_a_stored_version_scores_as_the_run_under_every_profile(benchmark, tmp_path):
    store = VersionStore(tmp_path / "store")
    versions = [version_run(stored(store, benchmark, run), benchmark, run.name) for run in benchmark.runs]
    for profile in PROFILES:
        if profile.ties != "file" and benchmark.name == "itself":
            continue  # the stored order of equal distances is that of the file
        expected = evaluate(benchmark, profile)
        found = evaluate(replace(benchmark, runs=tuple(versions)), profile)
        np.testing.assert_array_equal(found.raw_values, expected.raw_values)
        np.testing.assert_array_equal(found.missing, expected.missing)


def test_means_of_versions_are_those_of_the_lists(tmp_path):
    benchmark, store = external(), VersionStore(tmp_path)
    for order in ([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]):
        run = Run("A", "A", Path("A"), lists_of([order] * 4))
        shown = replace(benchmark, runs=(run,))
        scores = evaluate(shown, DEFAULT)
        assert store.add(record_version(shown, run, scores))
        assert not store.add(record_version(shown, run, scores)), "the same content is not a new version"
    versions = store.history("A").versions
    for profile in (DEFAULT, find_profile("shrec2006")):
        found = version_means(store, versions, benchmark, profile, "AP")
        for order, mean in zip(([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]), found, strict=True):
            shown = replace(benchmark, runs=(Run("A", "A", Path("A"), lists_of([order] * 4)),))
            assert mean == evaluate(shown, profile, measures=["AP"]).mean()[0, 0]
    assert versions[0].record.means["AP"] == version_means(store, versions, benchmark, DEFAULT, "AP")[0]


def test_truncated_lists_keep_the_recorded_means(tmp_path, monkeypatch):
    monkeypatch.setattr("shrec_viewer.evaluation.run_versions.MAX_ENTRIES", 0)
    benchmark = load_psb()
    run = benchmark.runs[0]
    scores = evaluate(benchmark, find_profile("psb"), measures=["AP"])
    record = record_version(benchmark, run, scores)
    assert not record.is_complete
    assert set(np.diff(record.lists.indptr)) == {100}
    store = VersionStore(tmp_path)
    store.add(record)
    versions = store.history(run.name).versions
    assert version_means(store, versions, benchmark, find_profile("psb"), "AP") == (scores.mean()[0, 0],)
    assert np.isnan(version_means(store, versions, benchmark, DEFAULT, "AP")[0])


def test_models_that_entered_and_left():
    benchmark = external()
    before, after = (Run("A", "A", Path("A"), lists_of([order] * 4)) for order in ([0, 1, 2, 3], [2, 4, 0, 1]))
    found = entered_models(benchmark, before, after, 0, DEFAULT, 2)
    assert (found.entered, found.left) == ((2, 4), (0, 1))


def record(benchmark, run, number, size=6):
    order = np.random.default_rng(number).permutation(6)[:size]
    return record_version(benchmark, replace(run, ranking=lists_of([order.tolist()] * 4)), None)


def test_the_last_twenty_are_kept_and_the_baseline(tmp_path):
    benchmark, store = external(), VersionStore(tmp_path)
    run = benchmark.runs[0]
    for number in range(5):
        store.add(record(benchmark, run, number))
    first = store.history("full").versions[0]
    store.set_baseline("full", first)
    store.set_note(first, "as submitted")
    for number in range(5, 40):
        store.add(record(benchmark, run, number))
    versions = store.history("full").versions
    assert len(versions) == version_store.MAX_VERSIONS + 1
    assert [version.baseline for version in versions] == [True] + [False] * version_store.MAX_VERSIONS
    assert versions[0].note == "as submitted"
    assert [version.record.time for version in versions] == sorted(version.record.time for version in versions)
    store.set_baseline("full", None)
    assert not any(version.baseline for version in store.history("full").versions)
    store.add(record(benchmark, run, 40))
    kept = store.history("full").versions
    assert kept[0].note == "as submitted"  # noted
    store.set_note(kept[0], "")
    store.add(record(benchmark, run, 41))
    assert len(store.history("full").versions) == version_store.MAX_VERSIONS


def test_all_runs_share_a_limit_of_bytes_and_keep_their_newest(tmp_path, monkeypatch):
    benchmark, store = external(), VersionStore(tmp_path)
    store.add(record(benchmark, benchmark.runs[1], 0))
    size = sum(file.stat().st_size for file in tmp_path.glob("*.npz"))
    monkeypatch.setattr(version_store, "MAX_BYTES", 4 * size)
    for number in range(10):
        store.add(record(benchmark, benchmark.runs[0], number))
    assert sum(file.stat().st_size for file in tmp_path.glob("*.npz")) <= 4 * size
    assert len(store.history("gaps").versions) == 1
    assert len(store.history("full").versions) in (2, 3)  # their sizes differ by a few bytes
    assert set(store.runs()) == {"full", "gaps"}


@pytest.mark.parametrize("damage", ["empty", "cut", "text", "zip", "bytes"])
def test_a_damaged_version_is_a_finding(tmp_path, damage):
    benchmark, store = external(), VersionStore(tmp_path)
    run = benchmark.runs[0]
    for number in range(3):
        store.add(record(benchmark, run, number))
    file = store.history("full").versions[1].file
    data = file.read_bytes()
    if damage == "zip":
        np.savez(str(file), items=np.arange(3))
    elif damage == "bytes":
        middle = bytearray(data)
        for place in range(60, len(data), 7):
            middle[place] ^= 0x55
        file.write_bytes(middle)
    else:
        file.write_bytes({"empty": b"", "cut": data[: len(data) // 2], "text": b"hello"}[damage])
    history = store.history("full")
    assert len(history.versions) == 2
    assert len(history.findings) == 1
    assert "cannot be read" in history.findings[0].message
    with pytest.raises(FormatError):
        read_record(file)


def test_lists_of_other_models_are_no_run(tmp_path):
    benchmark = external()
    version = stored(VersionStore(tmp_path), benchmark, benchmark.runs[0])
    assert version_run(version, itself(), "A") is None


def test_titles_name_the_time():
    benchmark = external()
    one = record(benchmark, benchmark.runs[0], 0)
    other = replace(one, time=one.time + 1e-3)
    assert version_title(one).startswith("full · ")
    assert version_title(one, [one]) != version_title(one, [one, other])
    assert version_title(replace(one, time=0.0)).startswith("full · 19")


def contents(store):
    """Times, lists and notes of all versions; there are no damaged ones."""
    found = []
    for run in ("full", "gaps"):
        history = store.history(run)
        assert history.findings == ()
        for version in history.versions:
            loaded = store.load(version)
            lists = loaded.record.lists.items.tobytes()
            found.append((run, loaded.record.time, lists, version.note, version.baseline))
    return found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(("change", "rounds"), [("add", 50), ("note", 20), ("baseline", 20)])
def test_kills_lose_no_version_note_or_baseline(tmp_path, monkeypatch, change, rounds):
    """Killed before that many lines: the store has the state before the change, or after it."""
    monkeypatch.setattr(version_store, "MAX_VERSIONS", 3)
    benchmark, source = external(), tmp_path / "source"
    full, gaps = benchmark.runs[:2]
    store = VersionStore(source)
    for number in range(3):
        store.add(record(benchmark, full, number))
        store.add(record(benchmark, gaps, number))
    versions = store.history("full").versions
    store.set_note(versions[1], "before")
    store.set_baseline("full", versions[1])
    new = record(benchmark, full, 10)
    new = replace(new, time=versions[-1].record.time + 1.0)

    def work(folder):
        changed = VersionStore(folder)
        if change == "add":
            changed.add(new)
        elif change == "note":
            changed.set_note(changed.history("full").versions[1], "after")
        else:
            changed.set_baseline("full", changed.history("full").versions[0])

    before, target = contents(store), tmp_path / "target"

    def reset():
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target)

    reset()
    work(target)  # what is imported once is not counted
    after = contents(VersionStore(target))
    assert after != before
    reset()
    lines = counted_lines(partial(work, target))
    seen = set()
    for line in sorted({*np.linspace(1, lines, rounds - 8).astype(int).tolist(), *range(lines - 7, lines), 2 * lines}):
        reset()
        was_killed = killed_before_line(partial(work, target), line)
        found = contents(VersionStore(target))
        # The new version appears before the oldest one is deleted.
        assert found in (before, after) or set(found) == {*before, *after}
        assert was_killed or found == after
        seen.add(tuple(found))
        VersionStore(target).add(replace(new, hash="later", time=new.time + 1.0))  # a later window goes on
        assert "later" in VersionStore(target).newest("full").record.hash
    assert {tuple(before), tuple(after)} <= seen


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_two_windows_add_to_the_same_run(tmp_path):
    benchmark, store = external(), VersionStore(tmp_path / "store")
    records = [record(benchmark, benchmark.runs[0], number) for number in range(24)]

    def add(chosen):
        for one in chosen:
            VersionStore(tmp_path / "store").add(one)

    windows = [child(partial(add, records[start::2])) for start in (0, 1)]
    assert [os.WEXITSTATUS(os.waitpid(window, 0)[1]) for window in windows] == [0, 0]
    history = store.history("full")
    assert history.findings == ()
    assert 1 <= len(history.versions) <= version_store.MAX_VERSIONS + 1
    assert all(store.load(version).record.lists is not None for version in history.versions)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 2), st.integers(1, 400)),
        st.tuples(st.just("note"), st.integers(0, 2), st.integers(0, 5)),
        st.tuples(st.just("baseline"), st.integers(0, 2), st.integers(-1, 5)),
    ),
    max_size=25,
)


@settings(max_examples=40, deadline=None)
@given(steps=STEPS, max_versions=st.integers(1, 4), max_bytes=st.integers(1_000, 9_000))
@example([("add", 1, 1), ("baseline", 1, 0), ("add", 1, 1), ("baseline", 1, -1), ("add", 0, 1)], 1, 9_000)
def test_limits_hold_after_any_steps(steps, max_versions, max_bytes):
    with tempfile.TemporaryDirectory() as parent, pytest.MonkeyPatch.context() as patch:
        patch.setattr(version_store, "MAX_VERSIONS", max_versions)
        patch.setattr(version_store, "MAX_BYTES", max_bytes)
        folder = Path(parent) / "store"
        store, baselines, clock = VersionStore(folder), {}, 0
        rebased = set()  # runs whose baseline was changed since their newest version
        for kind, run, number in steps:
            name, versions = f"run/{run}", store.history(f"run/{run}").versions
            if kind == "add":
                clock += 1
                items = np.random.default_rng(clock).integers(0, 2**31 - 1, number).astype(np.int32)
                lists = RankedLists(np.array([0, number]), items, None, np.ones(1, bool))
                new = VersionRecord(name, "", float(clock), f"{clock}", f"{clock}", "", "", {}, lists, True)
                assert store.add(new)
                rebased.discard(name)
                assert store.newest(name).record.hash == f"{clock}"
                files = {path: path.stat().st_size for path in folder.glob("*.npz")}
                noted = {path for path in files if path.with_suffix(".note").exists()}
                kept = {store.newest(name).file, *baselines.values(), *noted}
                assert sum(files.values()) <= max_bytes or set(files) <= kept
            elif kind == "note" and versions:
                store.set_note(versions[number % len(versions)], f"note {number}")
            elif kind == "baseline" and versions:
                chosen = None if number < 0 else versions[number % len(versions)]
                store.set_baseline(name, chosen)
                rebased.add(name)
                baselines = {run: file for run, file in baselines.items() if run != name}
                baselines |= {} if chosen is None else {name: chosen.file}
            for other in range(3):
                history = store.history(f"run/{other}")
                assert history.findings == ()
                plain = [version for version in history.versions if not version.baseline and not version.note]
                # A former baseline is deleted with the next version of its run.
                assert len(plain) <= max_versions + (f"run/{other}" in rebased)
                assert [v.file for v in history.versions if v.baseline] == [
                    file for run_name, file in baselines.items() if run_name == f"run/{other}"
                ]
            notes = {path.stem for path in folder.glob("*.note")}
            assert notes <= {path.stem for path in folder.glob("*.npz")}


# -- command line -----------------------------------------------------------------------------------------------------


@pytest.fixture
def contest(tmp_path, monkeypatch):
    """A folder with three models, one query and the run A."""
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: tmp_path / "data")
    folder = tmp_path / "contest"
    (folder / "runs").mkdir(parents=True)
    (folder / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\nq1 0 c 0\n")
    write_run(folder, "a b c")
    return folder


def write_run(folder, order):
    lines = [f"q1 Q0 {model} {rank} {1 / rank} A\n" for rank, model in enumerate(order.split(), 1)]
    (folder / "runs" / "A.run").write_text("".join(lines))


def history(folder, *words, run="A"):
    found = CliRunner().invoke(
        program, ["history", str(folder), run, "--measure", "AP", "--format", "json", *words], standalone_mode=False
    )
    assert found.exception is None, found.output
    return json.loads(found.stdout)


def test_history_lists_every_content_of_the_file(contest):
    assert [version["mean"] for version in history(contest)["versions"]] == [1.0]
    write_run(contest, "b a c")
    assert [version["mean"] for version in history(contest)["versions"]] == [1.0, 0.5]
    write_run(contest, "b c a")
    document = history(contest)
    assert (document["schema"], document["run"], document["measure"]) == ("shrec-viewer/history/1", "A", "AP")
    assert [version["mean"] for version in document["versions"]] == [1.0, 0.5, 1 / 3]
    assert len({version["hash"] for version in document["versions"]}) == 3
    assert set(document["versions"][0]) == {"time", "hash", "mean", "note", "baseline"}
    times = [version["time"] for version in document["versions"]]
    assert times == sorted(times)


@pytest.mark.parametrize("has_links", [True, False])
def test_a_benchmark_that_was_moved_keeps_its_versions(contest, tmp_path, monkeypatch, has_links):
    if not has_links:
        monkeypatch.setattr(os, "link", raise_no_links)
    history(contest)
    write_run(contest, "b a c")
    history(contest)
    (store,) = (tmp_path / "data" / "versions").iterdir()
    versions = VersionStore(store).history("A").versions
    VersionStore(store).set_note(versions[0], "as submitted")
    VersionStore(store).set_baseline("A", versions[0])
    known = history(contest)
    moved = contest.rename(tmp_path / "moved")
    assert history(moved) == known
    assert [version["note"] for version in known["versions"]] == ["as submitted", ""]
    assert [version["baseline"] for version in known["versions"]] == [True, False]

    # What is added, or noted, in one folder stays in it: a benchmark that was copied has both.
    write_run(moved, "b c a")
    assert [version["mean"] for version in history(moved)["versions"]] == [1.0, 0.5, 1 / 3]
    VersionStore(store).set_note(versions[0], "")
    VersionStore(store).set_baseline("A", None)
    assert len(VersionStore(store).history("A").versions) == 2
    assert history(moved)["versions"][0] == known["versions"][0]


def raise_no_links(*_):
    raise PermissionError


@pytest.mark.parametrize("difference", ["run", "ids"])
def test_another_benchmark_begins_a_new_history(contest, tmp_path, difference):
    history(contest)
    write_run(contest, "b a c")
    history(contest)
    other = contest.rename(tmp_path / "other")
    if difference == "run":
        write_run(other, "c b a")
    else:
        (other / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\nq1 0 c 0\nq1 0 d 1\n")
    assert len(history(other)["versions"]) == 1


def test_a_deleted_run_keeps_its_versions(contest):
    history(contest)
    write_run(contest, "b a c")
    history(contest)
    (contest / "runs" / "A.run").rename(contest / "runs" / "B.run")
    assert [version["mean"] for version in history(contest)["versions"]] == [1.0, 0.5]
    found = CliRunner().invoke(program, ["history", str(contest), "Z"], standalone_mode=False)
    assert "there is no run 'Z'" in str(found.exception)


def test_an_archive_has_one_history_although_it_is_unpacked_each_time(tmp_path):
    benchmark = replace(external(), root=tmp_path / "unpacked 1")
    folders = {
        benchmark_folder(tmp_path, tmp_path / "contest.zip", replace(benchmark, root=tmp_path / name))
        for name in ("unpacked 1", "unpacked 2")
    }
    assert len(folders) == 1


def scored(*words):
    found = CliRunner().invoke(program, [*words, "--measure", "AP", "--format", "json"], standalone_mode=False)
    assert found.exception is None, found.exception
    return json.loads(found.stdout)


def test_a_version_is_a_run_named_by_its_hash(contest):
    first = history(contest)["versions"][0]["hash"]
    write_run(contest, "b c a")
    assert history(contest)["versions"][0]["hash"] == first
    name = f"A@{first[:6]}"
    compared = scored("compare", str(contest), name, "A")
    assert [compared[key]["mean"]["value"] for key in ("a", "b")] == [1.0, pytest.approx(1 / 3)]
    means = {run["name"]: run["mean"]["AP"] for run in scored("evaluate", str(contest), "--version", first[:6])["runs"]}
    assert means == {"A": pytest.approx(1 / 3), name: 1.0}
    assert [run["name"] for run in scored("evaluate", str(contest), "--run", name)["runs"]] == [name]
    for wrong in ("A@0000", f"A@{first[:3]}", "B@" + first[:6]):
        found = CliRunner().invoke(program, ["evaluate", str(contest), "--run", wrong], standalone_mode=False)
        assert "no version" in str(found.exception)
        assert isinstance(found.exception, click.UsageError)
