"""Folders that cannot be opened lead to a message."""

import re

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel
from sample_benchmark import MODELS, only_meshes, write_sample_benchmark
from windows import a_window, open_in_window


@pytest.fixture
def window(qapp, qtbot):
    yield from a_window(qapp, qtbot)


def empty(folder):
    folder.mkdir()
    return folder


def missing(folder):
    return folder / "nowhere"


def no_folder(folder):
    folder.mkdir()
    (folder / "notes.txt").write_bytes(b"\x00\xff\x80 not a benchmark")
    return folder / "notes.txt"


def broken_manifest(folder):
    write_sample_benchmark(folder)
    (folder / "benchmark.toml").write_text("[benchmark\nname = ")
    return folder


def broken_zip(folder):
    folder.mkdir()
    (folder / "benchmark.zip").write_bytes(b"PK\x03\x04 but no more")
    return folder / "benchmark.zip"


def test_failed_opening_shows_a_message(window, tmp_path, qtbot, subtests):
    for spoil in (empty, missing, no_folder, broken_manifest, broken_zip):
        with subtests.test(spoil.__name__):
            path = spoil(tmp_path / spoil.__name__)
            window.message_bar.dismiss()
            open_in_window(window, path, qtbot)
            message = window.message_bar.current()
            assert message.severity == "error"
            assert path.name in message.text
            assert "Traceback" not in message.text
            assert message.details == ""
            assert not window.session.is_open
            assert window.welcome.isVisible()
    _still_works(window, tmp_path, qtbot)


def lying_classification(folder):
    write_sample_benchmark(folder)
    path = folder / "models.cla"
    path.write_text(path.read_text().replace("chair 0 4", "chair 0 7"))
    return folder


def matrix_of_the_wrong_shape(folder):
    write_sample_benchmark(folder)
    np.save(folder / "runs" / "W1.npy", np.zeros((3, 5), np.float32))
    manifest = folder / "benchmark.toml"
    manifest.write_text(manifest.read_text() + '\n[[runs]]\nname = "W1"\npath = "runs/W1.npy"\n')
    return folder


def meshes_that_are_none(folder):
    return write_sample_benchmark(folder, meshes=False)


def test_partly_invalid_file_is_shown_as_far_as_possible(window, tmp_path, qtbot, subtests):
    for spoil in (only_meshes, lying_classification, matrix_of_the_wrong_shape, meshes_that_are_none):
        with subtests.test(spoil.__name__):
            window.session.close()
            window.message_bar.dismiss()
            open_in_window(window, spoil(tmp_path / spoil.__name__), qtbot)
            check_panels(window, spoil)
    _still_works(window, tmp_path, qtbot)


def check_panels(window, spoil):
    message = window.message_bar.current()
    if spoil is not meshes_that_are_none:
        assert message.severity in ("warning", "error")
        assert "Traceback" not in message.text + message.details
    if window.session.is_open:
        for panel in ("queries", "ranked_list", "precision_recall", "gain", "leaderboard", "findings"):
            assert window.workspace.panel(panel).grab().width() > 0
        for query in range(len(window.session.benchmark.queries)):
            window.session.select(query=query, rank=1)


def test_failed_opening_keeps_the_open_benchmark(window, tmp_path, qtbot):
    good = write_sample_benchmark(tmp_path / "good")
    open_in_window(window, good, qtbot)
    open_in_window(window, empty(tmp_path / "bad"), qtbot)
    assert window.message_bar.current().severity == "error"
    assert window.session.path == good
    assert window.workspace.isVisible()
    assert window.workspace.ranked_list.model.rowCount() == sum(len(ids) for ids in MODELS.values())


OPTION = re.compile(r"(?<!\S)--[a-z]")


def test_window_texts_contain_no_command_line_option(window, tmp_path, qtbot):
    """Ambiguous files and settings: each of these findings names an option in the output of the command check."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("Dear reader,\n\nnothing here.\n")
    open_in_window(window, tmp_path / "other", qtbot)
    assert "benchmark.toml" in window.message_bar.current().text
    assert not OPTION.search(window.message_bar.current().text)
    folder = tmp_path / "ambiguous"
    (folder / "runs/N").mkdir(parents=True)
    (folder / "n.cla").write_text("PSB 1\n2 6\n\na 0 3\n1\n2\n3\n\nb 0 3\n4\n5\n6\n")
    for query in range(1, 7):  # numbers that can be ids as well as distances
        ids = [str((query * step) % 7) for step in range(1, 7)]
        lines = [f"{one} {other}" for one, other in zip(ids, reversed(ids), strict=True)]
        (folder / f"runs/N/{query}").write_text("\n".join(lines) + "\n")
    open_in_window(window, folder, qtbot)
    window.workspace.show_panel("findings")
    assert any(finding.setting and finding.setting.option for finding in window.session.findings)
    model = window.workspace.panel("findings").model
    cells = [
        model.index(row, column).data() for row in range(model.rowCount()) for column in range(model.columnCount())
    ]
    labels = [label.text() for label in window.findChildren(QLabel)]
    assert not [text for text in (*cells, *labels, *window.message_area.texts()) if OPTION.search(str(text))]


def test_opening_another_benchmark_removes_the_message(window, tmp_path, qtbot):
    open_in_window(window, empty(tmp_path / "bad"), qtbot)
    assert window.message_bar.isVisible()
    _still_works(window, tmp_path, qtbot)


def _still_works(window, tmp_path, qtbot):
    open_in_window(window, write_sample_benchmark(tmp_path / "another"), qtbot)
    assert window.session.benchmark.name == "Menagerie"
    assert window.session.scores is not None
    assert window.workspace.isVisible()
    assert not window.message_bar.isVisible()
