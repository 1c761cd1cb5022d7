"""Unsaved edits are kept on disk until they are saved or discarded; each window has its own journal."""

import json
import os
from dataclasses import replace
from functools import partial

import pytest
from kill_points import counted_lines, kill_lines, killed_before_line
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in

from shrec_viewer.evaluation.edits import AssessmentEdit, level_of
from shrec_viewer.formats.io.owned_files import OwnedFile, is_owned
from shrec_viewer.formats.io.schema import read_data
from shrec_viewer.formats.manifest.edit_state import EditState
from shrec_viewer.viewmodels.session import project
from shrec_viewer.viewmodels.session.project import (
    JOURNAL_CODECS,
    WRITE_INTERVAL_MS,
    EditJournal,
    KeptEdits,
    merge_edits,
)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data" / "unsaved"


@pytest.fixture
def benchmark(tmp_path):
    return write_sample_benchmark(tmp_path / "sample_benchmark")


@pytest.fixture
def sessions(qtbot, benchmark):
    """A function that opens the benchmark in a further window: its session and its journal."""
    opened = []

    def further(folder, path=benchmark):
        generator = a_session()
        session = next(generator)
        opened.append(generator)
        journal = EditJournal(session, folder)
        open_in(session, path, qtbot)
        return session, journal

    yield further
    for generator in opened:
        next(generator, None)


def crash(journal):
    """What SIGKILL leaves: the journal as last written, and a file of the window without its lock."""
    journal._write(sync=False)
    name, window = journal._name, journal._window
    window.delete()
    window.path.write_text("[]")
    journal._folder = None
    return name


def typed(session, query, text):
    for end in range(1, len(text) + 1):
        session.edits.set_note(query, text[:end])


def journals(folder):
    return sorted(folder.glob("*.json"))


def notes_in(file):
    return json.loads(file.read_text())["edited"]["notes"]


def test_every_key_is_written_at_once(sessions, folder):
    session, journal = sessions(folder)
    query = session.benchmark.queries.ids[0]
    for end in range(1, 6):
        session.edits.set_note(query, "lost?"[:end])
        assert [notes_in(file)[query] for file in journals(folder)] == ["lost?"[:end]]
    session.edits.set_note(query, "x" * project.MAX_IMMEDIATE_BYTES)
    session.edits.set_note(query, "later")
    assert [len(notes_in(file)[query]) for file in journals(folder)] == [project.MAX_IMMEDIATE_BYTES]
    crash(journal)


def test_large_journals_are_written_while_the_user_types(sessions, folder, qtbot, monkeypatch):
    """No pause between two keys is as long as the interval, which begins with the first key that is not written."""
    assert WRITE_INTERVAL_MS < 1000, "at most a second of typing is ever missing"
    monkeypatch.setattr(project, "MAX_IMMEDIATE_BYTES", -1)
    session, _ = sessions(folder)
    query = session.benchmark.queries.ids[0]
    text, lengths = "", {0}
    while len(lengths) < 4:
        text += "x"
        assert len(text) < 1000, "nothing is written as long as the user types"
        session.edits.set_note(query, text)
        qtbot.wait(20)
        lengths |= {len(notes_in(file).get(query, "")) for file in journals(folder)}


@pytest.mark.parametrize("limit", [-1, project.MAX_IMMEDIATE_BYTES])
def test_a_level_is_written_once_and_at_once_whatever_the_size_of_the_journal(sessions, folder, monkeypatch, limit):
    monkeypatch.setattr(project, "MAX_IMMEDIATE_BYTES", limit)
    session, journal = sessions(folder)
    writes, write = [], project.write_text_atomic
    monkeypatch.setattr(
        project, "write_text_atomic", lambda *args, **kwargs: (writes.append(args), write(*args, **kwargs))
    )
    for count, model in enumerate((1, 2), 1):
        session.edits.set_level(0, [model], 0 if level_of(session.benchmark, 0, model) else 1)
        (file,) = journals(folder)
        assert len(json.loads(file.read_text())["edited"]["edits"]["levels"]) == len(writes) == count
    crash(journal)


def test_a_journal_is_offered_when_its_window_has_ended(sessions, folder):
    session, journal = sessions(folder)
    query = session.benchmark.queries.ids[0]
    typed(session, query, "seen")
    crash(journal)
    later, found = sessions(folder)
    assert found.kept_notes() == {query: "seen"}
    found.restore()
    assert later.edits.note(query) == "seen"
    assert not found.has_kept_edits


def test_the_journal_of_an_open_window_is_neither_offered_nor_deleted(sessions, folder):
    session, journal = sessions(folder)
    query = session.benchmark.queries.ids[0]
    typed(session, query, "mine")
    journal.write()
    other, found = sessions(folder)
    assert not found.has_kept_edits
    typed(other, query, "yours")
    found.write()
    assert sorted(notes_in(file)[query] for file in journals(folder)) == ["mine", "yours"]
    found.discard()
    assert [notes_in(file)[query] for file in journals(folder)] == ["mine"]
    other.edits.stack.clear()
    found.close()
    journal.close()
    assert [notes_in(file)[query] for file in journals(folder)] == ["mine"]


def test_new_edits_do_not_replace_those_of_an_earlier_session(sessions, folder):
    """Crash, type without deciding, crash again: both are offered, and both can be restored."""
    session, journal = sessions(folder)
    first, second = session.benchmark.queries.ids[:2]
    typed(session, first, "from the first crash")
    crash(journal)
    session, journal = sessions(folder)
    typed(session, second, "from the second")
    typed(session, first, "other text")
    crash(journal)
    for _ in range(2):  # undecided, they stay
        session, journal = sessions(folder)
        assert len(journals(folder)) == 2
        journal.close()
    session, journal = sessions(folder)
    journal.restore()
    assert session.edits.note(second) == "from the second"
    assert {"from the first crash", "other text"} == set(session.edits.note(first).split("\n\n"))


def test_a_crash_after_restoring_loses_nothing_and_repeats_nothing(sessions, folder):
    session, journal = sessions(folder)
    query = session.benchmark.queries.ids[0]
    typed(session, query, "one")
    crash(journal)
    session, journal = sessions(folder)
    journal.restore()
    session.edits.set_note(query, "quite another")
    crash(journal)
    session, journal = sessions(folder)
    journal.restore()
    assert session.edits.note(query) == "quite another"


def test_restored_edits_stay_on_disk_until_they_are_saved(sessions, folder, tmp_path):
    session, journal = sessions(folder)
    query = session.benchmark.queries.ids[0]
    typed(session, query, "one")
    crash(journal)
    session, journal = sessions(folder)
    journal.restore()
    session.edits.stack.undo()
    journal.close()  # taken back by undo, neither saved nor discarded
    session, journal = sessions(folder)
    assert journal.kept_notes() == {query: "one"}
    journal.restore()
    session.edits.set_saved(session.edits.edited)
    journal.set_saved(tmp_path / "mine.shrec")
    assert journals(folder) == []
    journal.close()


def test_edits_are_found_through_the_project_they_were_saved_in(sessions, folder, tmp_path):
    session, journal = sessions(folder)
    query = session.benchmark.queries.ids[0]
    journal.add_project(tmp_path / "mine.shrec")
    typed(session, query, "later")
    crash(journal)
    assert json.loads(journals(folder)[0].read_text())["paths"] == sorted(
        [str((tmp_path / "sample_benchmark").resolve()), str((tmp_path / "mine.shrec").resolve())]
    )


def test_discarded_edits_of_earlier_sessions_are_deleted(sessions, folder):
    session, journal = sessions(folder)
    typed(session, session.benchmark.queries.ids[0], "one")
    crash(journal)
    _, journal = sessions(folder)
    journal.discard_kept()
    assert journals(folder) == []
    assert not sessions(folder)[1].has_kept_edits


def test_backups_of_older_versions_are_offered(sessions, folder, benchmark):
    folder.mkdir(parents=True)
    old = {"path": str(benchmark), "notes": {"q1": "old"}, "colours": {}, "hidden": []}
    (folder / f"{'0' * 24}.json").write_text(json.dumps(old))
    _, journal = sessions(folder)
    assert journal.kept_notes() == {"q1": "old"}


@pytest.mark.parametrize("text", ["", "[]", "{", "7", '{"edited": 3}', '{"path": 5}', "[" * 100_000, '{"paths": [1]}'])
def test_a_damaged_journal_is_ignored_and_kept(sessions, folder, text):
    folder.mkdir(parents=True)
    (folder / "9-9.json").write_text(text)
    _, journal = sessions(folder)
    assert not journal.has_kept_edits
    journal.close()
    assert (folder / "9-9.json").read_text() == text


def test_edits_of_a_benchmark_stay_when_another_one_is_opened(sessions, folder, tmp_path, qtbot):
    session, _ = sessions(folder)
    query = session.benchmark.queries.ids[0]
    typed(session, query, "unsaved")
    open_in(session, write_sample_benchmark(tmp_path / "other"), qtbot)
    assert [notes_in(file) for file in journals(folder)] == [{query: "unsaved"}]
    assert sessions(folder)[1].kept_notes() == {query: "unsaved"}


def test_windows_on_one_benchmark_know_of_each_other(sessions, folder, tmp_path, qtbot):
    session, journal = sessions(folder)
    counts: list[int] = []
    journal.shared.connect(counts.append)
    other, found = sessions(folder)
    qtbot.waitUntil(lambda: counts == [1])
    assert len(found.other_windows()) == 1
    open_in(other, write_sample_benchmark(tmp_path / "elsewhere"), qtbot)
    qtbot.waitUntil(lambda: not journal.other_windows())
    del session


def test_the_lock_of_a_process_killed_while_saving_is_removed(sessions, folder):
    """Nothing else would remove it until the next project is saved; one that is in use stays."""
    _, journal = sessions(folder)
    lock = journal.lock_file
    lock.write_text("")
    held = OwnedFile(lock)
    sessions(folder)
    assert lock.exists()
    held.close()
    sessions(folder)
    assert not lock.exists()


def test_windows_of_different_benchmarks_do_not_matter(sessions, folder, tmp_path):
    _, journal = sessions(folder)
    _, found = sessions(folder, write_sample_benchmark(tmp_path / "elsewhere"))
    assert journal.other_windows() == found.other_windows() == []


def test_a_folder_that_cannot_be_written_is_reported(sessions, folder, qtbot):
    folder.parent.mkdir(parents=True)
    folder.write_text("a file")
    session, journal = sessions(folder)
    texts: list[str] = []
    journal.failed.connect(texts.append)
    session.edits.set_note("q1", "x")
    qtbot.waitUntil(lambda: bool(texts))
    assert texts[0].startswith("Unsaved notes cannot be backed up: ")


def test_deleted_notes_are_deleted_again(sessions, folder):
    """A note of the project that was deleted before the crash does not come back."""
    saved = EditState({"q1": "a", "q2": "b"}, {"A1": "#111111"})
    kept = EditState({"q2": "b"}, {"A1": "#222222"}, frozenset({"A2"}))
    merged = merge_edits(saved, kept, EditState({"q1": "a", "q2": "b", "q3": "c"}, {"A1": "#111111"}))
    assert merged == EditState({"q2": "b", "q3": "c"}, {"A1": "#222222"}, frozenset({"A2"}))


def test_merging_loses_no_text():
    texts = ("", "a", "b", "ab", "a b")
    for saved in texts:
        for kept in texts:
            for current in texts:
                states = [EditState({"q": text} if text else {}) for text in (saved, kept, current)]
                merged = merge_edits(*states).notes.get("q", "")
                assert current in merged or (current == saved and merged == kept)
                assert kept in merged or (kept == saved and merged == current)


def test_a_file_is_owned_until_it_is_released(tmp_path):
    path = tmp_path / "x.window"
    owned = OwnedFile(path)
    assert is_owned(path)
    with pytest.raises(BlockingIOError):
        OwnedFile(path)
    owned.write("[1]")
    assert path.read_text() == owned.read() == "[1]"
    owned.write("")
    owned.append("[22]")
    assert path.read_text() == "[22]"
    owned.delete()
    assert not path.exists()
    assert not is_owned(path)
    assert partial(is_owned, tmp_path / "none")() is False


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_kill_at_any_line_loses_no_edit_note_or_decision_written_before(sessions, folder, tmp_path):
    session, _journal = sessions(folder)
    note = EditState(notes={"q": "first"})
    edit = replace(note, levels={("q", "m"): AssessmentEdit("q", "m", 0, 2)})
    states = [note, edit, replace(edit, reviewed={("q", "m"): 2}), replace(edit, notes={"q": "second"})]
    log = tmp_path / "log"

    def work():
        for state in states:
            session.edits.apply(state)
            with log.open("ab", buffering=0) as file:
                file.write(b".")

    def kept():
        documents = {file: json.loads(file.read_text()) for file in journals(folder)}
        read = (read_data(KeptEdits, data, JOURNAL_CODECS, file=file) for file, data in documents.items())
        return [journal.edited for journal, faults in read if not faults]

    lines = counted_lines(work)
    assert kept() == [states[-1]]
    for line in sorted({*range(2, lines, lines // 20), *kill_lines(lines)}):
        for file in (*journals(folder), log):
            file.unlink(missing_ok=True)
        was_killed = killed_before_line(work, line)
        written = len(log.read_bytes()) if log.exists() else 0
        assert was_killed or written == len(states)
        possible = [EditState(), *states][written : written + 2]  # the one being written may be there already
        assert (kept() or [EditState()])[0] in possible
