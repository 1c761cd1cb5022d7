"""Settings are stored and read; invalid values are logged and replaced."""

import logging
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from shrec_viewer.app.startup.settings import LAYOUT_VERSION, MAX_RECENT, Settings, SettingsFile, settings_path

CHANGED = Settings(
    theme="dark",
    card_size="L",
    recent=("/a/one", "/b/two with, comma"),
    geometry=b"\x00\x01geometry",
    layouts={"query": b"\xfflayout"},
    perspective="campaign",
    layout_version=LAYOUT_VERSION,
)


def test_missing_settings_are_the_defaults(tmp_path):
    assert SettingsFile(tmp_path / "none.ini").read() == Settings()
    assert SettingsFile(None).read() == Settings()


def test_settings_round_trip(tmp_path):
    file = SettingsFile(tmp_path / "deep" / "settings.ini")
    file.write(CHANGED)
    assert file.read() == CHANGED


@pytest.mark.parametrize("recent", [(), ("/only/one",)])
def test_recent_paths_are_stored(tmp_path, recent):
    file = SettingsFile(tmp_path / "settings.ini")
    file.write(Settings(recent=recent))
    assert file.read().recent == recent


@pytest.mark.parametrize(
    ("field", "value"),
    [("theme", "purple"), ("card_size", 12), ("geometry", "no bytes"), ("layout_version", "new"), ("recent", 3.5)],
)
def test_invalid_value_is_replaced_by_its_default_and_logged(tmp_path, caplog, field, value):
    path = tmp_path / "settings.ini"
    SettingsFile(path).write(CHANGED)
    store = QSettings(str(path), QSettings.Format.IniFormat)
    store.setValue(field, value)
    store.sync()
    with caplog.at_level(logging.WARNING):
        read = SettingsFile(path).read()
    assert getattr(read, field) == getattr(Settings(), field)
    kept = [name for name in ("theme", "card_size", "recent", "geometry") if name != field]
    assert all(getattr(read, name) == getattr(CHANGED, name) for name in kept)
    assert f"invalid value of '{field}'" in caplog.text


@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe\x00", b"[general\ntheme=", b"theme"])
def test_arbitrary_bytes_are_read_without_error(tmp_path, content):
    path = tmp_path / "settings.ini"
    path.write_bytes(content)
    assert isinstance(SettingsFile(path).read(), Settings)


def test_unwritable_notes_folder_shows_a_warning(tmp_path, caplog):
    blocker = tmp_path / "file"
    blocker.write_text("in the way")
    with caplog.at_level(logging.WARNING):
        SettingsFile(blocker / "settings.ini").write(CHANGED)
    assert caplog.text


def test_recent_paths_are_distinct_newest_first_and_limited():
    settings = Settings()
    for number in range(20):
        settings = settings.with_recent(Path(f"/f/{number}"))
    settings = settings.with_recent(Path("/f/15"))
    assert settings.recent[0] == "/f/15"
    assert len(settings.recent) == len(set(settings.recent)) == MAX_RECENT


def test_settings_file_is_in_the_configuration_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert settings_path().name == "settings.ini"
