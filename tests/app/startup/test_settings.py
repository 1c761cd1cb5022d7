"""Settings are stored and read; invalid values are logged and replaced."""

import json
import logging
import os
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from PySide6.QtCore import QByteArray, QSettings

from shrec_viewer.app.startup.settings import (
    LAYOUT_VERSION,
    MAX_BYTES,
    MAX_RECENT,
    Settings,
    SettingsFile,
    settings_path,
)

CHANGED = Settings(
    theme="dark",
    card_size="L",
    recent=("/a/one", "/b/two with, comma"),
    geometry={"x": 3, "state": "normal"},
    layouts={"query": {"areas": {"left": [1, 2.5, None, True, "Ü\n"]}}},
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
    [
        ("theme", "purple"),
        ("card_size", "huge"),
        ("geometry", "no table"),
        ("layout_version", "new"),
        ("profiles", "[1]"),
    ],
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
    kept = [name for name in ("theme", "card_size", "recent", "layouts") if name != field]
    assert all(getattr(read, name) == getattr(CHANGED, name) for name in kept)
    assert f"invalid value of '{field}'" in caplog.text


@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe\x00", b"[general\ntheme=", b"theme"])
def test_arbitrary_bytes_are_read_without_error(tmp_path, content):
    path = tmp_path / "settings.ini"
    path.write_bytes(content)
    assert isinstance(SettingsFile(path).read(), Settings)


ini_values = st.text(max_size=30) | st.sampled_from(
    [
        "@Variant(\\0\\0\\0\\t)",
        "@ByteArray(\\x1)",
        "{}",
        '"{\\"a\\": [',
        "[" * 5000,
        "9" * 5000,
        "true",
        "\\xd800",
        "nan",
        "-1",
    ]
)


@given(values=st.dictionaries(st.sampled_from([row.name for row in fields(Settings)]), ini_values, min_size=1))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_arbitrary_values_are_read_and_written_without_error(tmp_path, values):
    file = SettingsFile(tmp_path / "settings.ini")
    text = "[General]\n" + "".join(f"{name}={value}\n" for name, value in values.items())
    (tmp_path / "settings.ini").write_text(text, encoding="utf-8", errors="replace", newline="")
    settings = file.read()
    file.write(settings)
    assert file.read() == settings
    assert file.problems == ()


def nested_variant(depth):
    """A list in a list in a list, as QSettings serialises it."""
    body = b"\x00\x00\x00\x09\x00\x00\x00\x01" * depth + b"\x00\x00\x00\x00"
    return "@Variant(" + "".join(f"\\x{byte:x}" for byte in body) + ")"


def test_serialised_values_are_not_deserialised(tmp_path):
    path = tmp_path / "settings.ini"
    path.write_text(f'[General]\ntheme=dark\nother="{nested_variant(25_000)}"\nlayouts="{nested_variant(2)}"\n')
    code = (
        "import sys; from pathlib import Path; from shrec_viewer.app.startup.settings import SettingsFile\n"
        "file = SettingsFile(Path(sys.argv[1])); read = file.read(); file.write(read); print(read.theme, file.problems)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("dark (")
    assert "invalid value of 'layouts'" in done.stdout
    assert "@Variant" not in path.read_text()


def test_window_state_of_earlier_versions_is_ignored_without_a_message(tmp_path):
    path = tmp_path / "settings.ini"
    store = QSettings(str(path), QSettings.Format.IniFormat)
    store.setValue("geometry", QByteArray(bytes(600)))
    store.setValue("layouts", json.dumps({"query": "AAAA/w=="}))
    store.setValue("layout_version", 3)
    store.sync()
    file = SettingsFile(path)
    assert file.read().geometry == {}
    assert file.read().layout_version == 3
    assert file.problems == ()


@pytest.mark.parametrize("kind", ["pipe", "folder", "large"])
def test_a_settings_file_that_is_none_is_a_problem(tmp_path, kind):
    path = tmp_path / "settings.ini"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"[General]\ntheme=dark\n" + b"x" * MAX_BYTES)
    file = SettingsFile(path)
    assert file.read() == Settings()
    assert len(file.problems) == 1


def test_unwritable_notes_folder_shows_a_warning(tmp_path, caplog):
    blocker = tmp_path / "file"
    blocker.write_text("in the way")
    with caplog.at_level(logging.WARNING):
        SettingsFile(blocker / "settings.ini").write(CHANGED)
    assert caplog.text


OPEN = """
import sys
from dataclasses import replace
from pathlib import Path
from shrec_viewer.app.startup.settings import SettingsFile
file = SettingsFile(Path(sys.argv[1]))
settings = file.read()
print("ready", flush=True)
sys.stdin.readline()
for number in range(4):
    settings = settings.with_recent(Path(f"/{sys.argv[2]}/{number}"))
    assert not file.write(settings)
    settings = replace(settings, recent=file.recent)
"""


def test_recent_paths_of_two_processes_are_kept(tmp_path):
    """Both read the file before either writes it, and it is full of older paths."""
    path = tmp_path / "settings.ini"
    SettingsFile(path).write(Settings(theme="dark", recent=tuple(f"/old/{number}" for number in range(MAX_RECENT))))
    pipe = subprocess.PIPE
    both = [subprocess.Popen([sys.executable, "-c", OPEN, path, name], stdin=pipe, stdout=pipe) for name in "ab"]
    for process in both:
        assert process.stdout.readline() == b"ready\n"
    for process in both:
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in both:
        process.communicate()
        assert process.returncode == 0
    stored = SettingsFile(path).read()
    assert set(stored.recent) == {f"/{name}/{number}" for name in "ab" for number in range(4)}
    for name in "ab":
        assert [one for one in stored.recent if one.startswith(f"/{name}")] == [f"/{name}/{n}" for n in (3, 2, 1, 0)]
    assert stored.theme == "dark"
    assert [one.name for one in tmp_path.iterdir()] == ["settings.ini"]


def test_other_settings_do_not_reorder_the_recent_paths_of_another_window(tmp_path):
    path = tmp_path / "settings.ini"
    one, other = SettingsFile(path), SettingsFile(path)
    own = one.read().with_recent(Path("/one"))
    one.write(own)
    other.write(other.read().with_recent(Path("/other")))
    one.write(replace(own, theme="dark"))
    assert one.recent == SettingsFile(path).read().recent == ("/other", "/one")


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


def test_shortcuts_of_renamed_commands_are_kept(tmp_path):
    path = tmp_path / "settings.ini"
    path.write_text('[General]\nkeys="{\\"next_intruder\\": \\"Ctrl+Alt+J\\", \\"close\\": \\"\\"}"\n')
    assert SettingsFile(path).read().keys == {"next_false_positive": "Ctrl+Alt+J", "close": ""}


def test_settings_in_a_folder_that_cannot_be_searched_are_the_defaults(tmp_path):
    """`Path.exists` raises an exception for it, as for too long a name."""
    file = SettingsFile(tmp_path / ("x" * 300) / "settings.ini")
    assert file.read() == Settings()
