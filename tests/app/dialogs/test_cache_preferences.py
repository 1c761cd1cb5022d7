"""Preferences of renderers and disk caches."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from sample_benchmark import write_sample_benchmark
from windows import a_window, open_in_window

from shrec_viewer.app.dialogs.about import NOT_USED_YET, AboutDialog
from shrec_viewer.app.dialogs.preferences import CacheRow, PreferencesDialog
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.render.thumbnails.cache import ThumbnailCache, read_limit

LEFT, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def caches(tmp_path, monkeypatch):
    """Temporary folders of the caches."""
    pictures, parsed = tmp_path / "thumbnails", tmp_path / "parsed"
    for module in ("viewmodels.files.disk_caches", "viewmodels.thumbnails.thumbnails"):
        monkeypatch.setattr(f"shrec_viewer.{module}.cache_folder", lambda: pictures)
    monkeypatch.setattr("shrec_viewer.viewmodels.files.disk_caches.parse_cache_folder", lambda: parsed)
    return pictures, parsed


@pytest.fixture
def window(qapp, qtbot, tmp_path, caches):
    yield from a_window(qapp, qtbot, tmp_path / "settings.ini", pictures=True)


def preferences(window, qtbot) -> PreferencesDialog:
    qtbot.keyClick(window, Qt.Key.Key_Comma, CTRL)
    (found,) = window.findChildren(PreferencesDialog)
    found.list.setCurrentRow(1)
    return found


def row_of(found: PreferencesDialog, title: str) -> CacheRow:
    (row,) = (row for row in found.findChildren(CacheRow) if row.cache.kind.title == title)
    return row


def fill(folder: Path, count: int) -> None:
    cache = ThumbnailCache(folder, limit=10**9)
    cache.put({number.to_bytes(16, "big"): bytes(1_000_000) for number in range(count)})
    cache.close()


def type_limit(row: CacheRow, megabytes: int, qtbot) -> None:
    row.limit.setFocus()
    row.limit.selectAll()
    qtbot.keyClicks(row.limit, str(megabytes))
    qtbot.keyClick(row.limit, Qt.Key.Key_Return)


def wait_for_renderers(session, words: str, qtbot) -> None:
    qtbot.waitUntil(lambda: session.thumbnails.renderer.startswith(words))
    qtbot.waitUntil(lambda: session.mesh_view_state.source.description.startswith(words))


def details_of(about: AboutDialog) -> dict[str, str]:
    return dict(about._rows)


def test_renderer_applies_to_thumbnails_3d_view_and_about_dialog(window, qtbot, tmp_path):
    window.menus.actions["about"].trigger()
    assert details_of(window.findChildren(AboutDialog)[0])["Thumbnails"] == NOT_USED_YET
    window.findChildren(AboutDialog)[0].close()
    found = preferences(window, qtbot)
    field = found.option("renderer")
    open_in_window(window, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    session = window.session
    session.mesh_view_state.open()
    for value in ("software", "gl", "software"):
        field.setCurrentIndex(field.findData(value))
        field.activated.emit(field.currentIndex())
        qtbot.mouseClick(row_of(found, "Thumbnails").button, LEFT)  # cached thumbnails need no renderer
        session.select(rank=1)
        words = {"software": "software (numpy)", "gl": "OpenGL"}[value]
        wait_for_renderers(session, words, qtbot)
        window.menus.actions["about"].trigger()
        about = window.findChildren(AboutDialog)[-1]
        assert details_of(about)["Thumbnails"].startswith(words)
        assert details_of(about)["3D view"].startswith(words)
        assert details_of(about)["Thumbnails"] in [label.text() for label in about.findChildren(QLabel)]
        about.close()


def test_thumbnail_cache_limit_trims_immediately_and_is_stored(window, qtbot, caches):
    pictures, _ = caches
    fill(pictures, 60)
    row = row_of(preferences(window, qtbot), "Thumbnails")
    assert row.limit.value() == 500
    assert row.limit.text() == "at most 500 MB"
    assert row.size_label.text().startswith("Thumbnails: 6")
    type_limit(row, 20, qtbot)
    qtbot.waitUntil(lambda: row.size_label.text() != "Thumbnails: deleting files…" and row.cache.used < 20_500_000)
    assert read_limit(pictures) == 20_000_000
    assert row.cache.used > 10_000_000
    assert row.size_label.text() == f"Thumbnails: {row.cache.used / 1e6:,.1f} MB"
    fill_again = ThumbnailCache(pictures)  # by another window or the command line
    fill_again.put({bytes([255, number]): bytes(1_000_000) for number in range(30)})
    assert fill_again.size() <= 20_000_000
    fill_again.close()


def test_incomplete_number_is_not_applied_as_limit(window, qtbot, caches):
    pictures, _ = caches
    fill(pictures, 40)
    row = row_of(preferences(window, qtbot), "Thumbnails")
    row.limit.setFocus()
    row.limit.selectAll()
    qtbot.keyClicks(row.limit, "30")  # an incomplete 300
    qtbot.wait(300)
    assert row.cache.used > 40_000_000
    qtbot.keyClicks(row.limit, "0")
    qtbot.keyClick(row.limit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: read_limit(pictures) == 300_000_000)
    assert row.cache.used > 40_000_000


def test_parsed_file_cache_has_a_limit(window, qtbot, caches):
    _, parsed = caches
    parsed.mkdir()
    for number in range(4):
        (parsed / f"x-{number}.parsed").write_bytes(bytes(10_000_000))
    found = preferences(window, qtbot)
    found.list.setCurrentRow(2)
    row = row_of(found, "Parsed files")
    assert row.limit.value() == 4000
    type_limit(row, 25, qtbot)
    qtbot.waitUntil(lambda: len(list(parsed.glob("*.parsed"))) == 2)
    assert ParseCache(parsed).max_bytes == 25_000_000
    qtbot.waitUntil(lambda: row.size_label.text() == "Parsed files: 20.0 MB")
    qtbot.mouseClick(found._defaults, LEFT)
    qtbot.waitUntil(lambda: ParseCache(parsed).max_bytes == 4_000_000_000)
    qtbot.waitUntil(row.button.isEnabled)
    qtbot.mouseClick(row.button, LEFT)
    qtbot.waitUntil(lambda: row.size_label.text() == "Parsed files: 0.0 MB")


def test_failed_writing_shows_an_error(window, qtbot, caches):
    pictures, _ = caches
    pictures.write_text("a file in the place of the folder")
    row = row_of(preferences(window, qtbot), "Thumbnails")
    type_limit(row, 20, qtbot)
    qtbot.waitUntil(lambda: "cannot be changed" in row._problem.text())
    assert row.limit.value() == 500
