"""Names with line breaks, tabs, changes of direction, NUL, undecodable bytes and mnemonics, and very long ones."""

import csv
import json
import os

import pytest
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.panels import PANELS, PERSPECTIVES, panels_by_key

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="names as POSIX has them"),
    pytest.mark.qt_log_ignore("This plugin does not support", extend=True),
]

NAMES = {
    "control codes, direction and mnemonic": "two\nlines a\tQ a\x00b a\x1b[2Jb\x9b1m left\u202eright\u2066 R&D && [*]",
    "undecodable": "caf\udce9",
    "long": "x" * 4_000,
    "long words": "word " * 800,
    "combining": "Z" + "\u0301" * 500,
}


def as_file_name(name):
    return name.replace("\0", "0")[:60]


def write_named(folder, name):
    """Four models in two classes, two runs; names of the benchmark, runs, participants, classes and ids are this."""
    file_name, text = as_file_name(name), name.encode("utf-8", "ignore").decode()
    token = "".join(letter for letter in text if letter >= " ").replace(" ", "")[:500]
    ids = [f"m{number}{token}" for number in range(4)]
    (folder / "runs").mkdir(parents=True)
    with (folder / "classes.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "class"), *((one, f"class{n % 2}{token}") for n, one in enumerate(ids))])
    parts = []
    for run in range(2):
        path = folder / "runs" / f"r{run}{file_name}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(("query", "model", "distance"))
            for n, query in enumerate(ids):
                rows.writerows((query, ids[(n + step * (1 + 2 * run)) % 4], f"{step / 10}") for step in range(4))
        if text == name:  # TOML cannot name the file otherwise
            parts.append(
                f"[[runs]]\nname = {json.dumps(f'r{run}' + name)}\nparticipant = {json.dumps(f'p{run}' + name)}\n"
                f"path = {json.dumps(f'runs/r{run}{file_name}.csv')}\n"
            )
    (folder / f"unused{file_name}.foo").write_bytes(b"\0")
    (folder / "benchmark.toml").write_text(
        f"[benchmark]\nname = {json.dumps(text)}\n"
        "[collection]\nclassification = 'classes.csv'\n[assessment]\nderive = 'classes'\n" + "".join(parts),
        encoding="utf-8",
    )
    return folder


@pytest.fixture
def window(qapp, qtbot, tmp_path):
    yield from a_window(qapp, qtbot, tmp_path / "settings.ini")


def test_a_window_shows_every_panel(window, qtbot, tmp_path, subtests):
    for number, (kind, name) in enumerate(NAMES.items()):
        with subtests.test(kind):
            open_in_window(window, write_named(tmp_path / f"odd{number}", name), qtbot)
            check_panels(window, name, qtbot, is_first=number == 0)


def check_panels(window, name, qtbot, *, is_first):
    """Show each perspective, and in them each panel: once, and with the first names wherever it is by default."""
    session, space, shown = window.session, window.workspace, set()
    assert len(session.benchmark.runs) == 2
    session.edits.set_note(session.benchmark.queries.ids[0], name)
    session.select(run=0, compared=1, query=0, rank=2)
    settle(session, qtbot)
    for perspective in PERSPECTIVES:
        space.show_perspective(perspective.key)
        qtbot.waitUntil(lambda: space.perspective_window.is_complete)
        settle(session, qtbot)
        for panel in PANELS:
            is_default = perspective.key in panel.perspectives
            if panel.area == "centre" and perspective.key not in panels_by_key()[panel.dock].perspectives:
                continue
            if panel.key in shown and not (is_first and is_default):
                continue
            shown.add(panel.key)
            space.show_panel(panel.key)
            settle(session, qtbot)  # the panel is painted
        least = window.minimumSizeHint()
        assert (least.width() <= 1280, least.height() <= 800) == (True, True), (perspective.key, least)
    assert shown == {panel.key for panel in PANELS}
