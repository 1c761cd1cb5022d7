"""Runs keep colour, dash and marker by name, and no two runs look the same."""

import shutil
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sessions import a_session, open_in, settle

from shrec_viewer.render.scene.palette import assign_slots, point_marker, run_style
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.session.project import restore, snapshot

THEMES = ("light", "dark")

NAMES = st.lists(st.tuples(st.sampled_from("ABCDEFGHIJKL"), st.integers(1, 9)), unique=True, max_size=40)


def submitted(*names):
    """Runs whose participant is the first letter."""
    return tuple(SimpleNamespace(name=name, participant=name[0]) for name in names)


@pytest.fixture
def demo(tmp_path):
    """The demo without its manifest: its runs are in the order of their names."""
    folder = shutil.copytree(resource("demo"), tmp_path / "demo")
    (folder / "benchmark.toml").unlink()
    return folder


@pytest.fixture
def opened(session, demo, qtbot):
    return open_in(session, demo, qtbot)


def by_name(session, theme="light"):
    return dict(zip([run.name for run in session.benchmark.runs], session.run_styles.styles(theme), strict=True))


@given(first=NAMES, second=NAMES)
def test_runs_keep_their_slot_whatever_comes_and_goes(first, second):
    first, second = ([f"{letter}{number}" for letter, number in names] for names in (first, second))
    slots = assign_slots(submitted(*first), {})
    after = assign_slots(submitted(*second), slots)
    assert all(after[name] == slot for name, slot in slots.items())
    assert len(set(after.values())) == len(after)


def test_a_participant_has_one_colour_and_its_runs_differ_in_dash():
    slots = assign_slots(submitted("A1", "B1", "A2", "A3"), {})
    assert [slots[name].colour for name in ("A1", "B1", "A2", "A3")] == [0, 1, 0, 0]
    assert [slots[name].dash for name in ("A1", "A2", "A3")] == [0, 1, 2]
    assert {slot.marker for slot in slots.values()} == {0}


def test_the_ninth_participant_shares_a_colour_and_has_a_marker():
    slots = assign_slots(submitted(*(f"{letter}1" for letter in "ABCDEFGHIJKLMNOPQ")), {})
    assert slots["I1"].colour == slots["A1"].colour == slots["Q1"].colour == 0
    assert [slots[name].marker for name in ("A1", "I1", "Q1")] == [0, 1, 2]


def test_the_sixth_run_of_a_participant_has_a_marker():
    slots = assign_slots(submitted(*(f"A{number}" for number in range(6))), {})
    assert len(set(slots.values())) == 6
    assert slots["A5"] == (0, 0, 1)


def test_200_runs_have_different_styles_and_more_do_not_fail():
    assert len(set(assign_slots(submitted(*(f"A{number}" for number in range(200))), {}).values())) == 200
    assert len(assign_slots(submitted(*(f"A{number}" for number in range(230))), {})) == 230


@given(st.lists(st.sampled_from("ABCDEFGHIJKL"), min_size=60, max_size=60), st.sampled_from(THEMES))
def test_60_runs_look_different_as_lines_and_as_points(participants, theme):
    runs = tuple(SimpleNamespace(name=f"{letter}{n}", participant=letter) for n, letter in enumerate(participants))
    styles = [run_style(slot, theme) for slot in assign_slots(runs, {}).values()]
    assert len({(style.colour, style.dash, style.marker) for style in styles}) == 60
    assert len({(style.colour, point_marker(style)) for style in styles}) == 60


def test_a_run_added_before_the_others_changes_no_style(opened, demo, qtbot):
    before = {theme: by_name(opened, theme) for theme in THEMES}
    shutil.copy(demo / "runs" / "B2.npy", demo / "runs" / "0-first.npy")
    opened.reload()
    settle(opened, qtbot)
    for theme in THEMES:
        after = by_name(opened, theme)
        assert next(iter(after)) == "0-first"
        assert {name: after[name] for name in before[theme]} == before[theme]
        assert len(set(after.values())) == len(after)


def test_a_run_that_returns_has_its_style_again(opened, demo, qtbot):
    before = by_name(opened)
    run = demo / "runs" / "B2.npy"
    run.rename(demo.parent / run.name)
    opened.reload()
    settle(opened, qtbot)
    assert by_name(opened) == {name: style for name, style in before.items() if name != run.stem}
    (demo.parent / run.name).rename(run)
    opened.reload()
    settle(opened, qtbot)
    assert by_name(opened) == before


def test_styles_survive_the_program(session, demo, qtbot, tmp_path):
    session.run_styles.folder = tmp_path / "styles"
    before = by_name(open_in(session, demo, qtbot))
    shutil.copy(demo / "runs" / "B2.npy", demo / "runs" / "0-first.npy")
    for later in a_session():
        later.run_styles.folder = tmp_path / "styles"
        after = by_name(open_in(later, demo, qtbot))
    assert "0-first" in after
    assert {name: after[name] for name in before} == before


@pytest.mark.parametrize("content", ["", "[]", '{"runs": 3}', '{"runs": {"A1": [9, 0, 0], "B1": "abc", "C1": [0, 0]}}'])
def test_a_damaged_file_is_ignored(session, demo, qtbot, tmp_path, content):
    session.run_styles.folder = tmp_path / "styles"
    before = by_name(open_in(session, demo, qtbot))
    (file,) = (tmp_path / "styles").iterdir()
    file.write_text(content)
    for later in a_session():
        later.run_styles.folder = tmp_path / "styles"
        assert by_name(open_in(later, demo, qtbot)) == before


def test_a_project_restores_the_styles(opened, demo, qtbot, tmp_path):
    project = snapshot(opened, tmp_path / "a.shrec", {})
    before = by_name(opened)
    shutil.copy(demo / "runs" / "B2.npy", demo / "runs" / "0-first.npy")
    for later in a_session():
        open_in(later, demo, qtbot)
        assert by_name(later)["0-first"].colour == min(before.items())[1].colour
        with qtbot.waitSignal(later.run_styles.changed):
            restore(later, project)
        after = by_name(later)
        assert {name: after[name] for name in before} == before
        assert len(set(after.values())) == len(after)


def test_a_chosen_colour_keeps_the_dash_unless_another_run_looks_the_same(opened):
    before = by_name(opened)
    one, other = sorted(before)[:2]
    opened.edits.set_colour(one, "#123456")
    assert by_name(opened)[one] == ("#123456", before[one].dash, before[one].marker)
    opened.edits.set_colour(one, before[other].colour)
    after = by_name(opened)
    assert after[one].colour == before[other].colour
    assert len(set(after.values())) == len(after)
    assert {name: style for name, style in after.items() if name != one} == {
        name: style for name, style in before.items() if name != one
    }
