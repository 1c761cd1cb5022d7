"""Text of settings files: the same values as QSettings reads and writes."""

from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from PySide6.QtCore import QSettings

from shrec_viewer.app.startup.settings import format_ini, parse_ini

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["@Invalid()", "@@", "a, b", '"', "\\", "\\x41", "\x01f", " x ", "true", "[General]", "; k=v", "\u2028", "😀\x00a"]
)


@given(value=texts | st.booleans() | st.integers() | st.lists(texts, max_size=4).map(tuple))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_qsettings_reads_what_is_written(tmp_path_factory, value):
    path = tmp_path_factory.mktemp("ini") / "settings.ini"
    path.write_text(format_ini({"before": 1, "name": value, "after": "x"}), encoding="utf-8", newline="\n")
    store = QSettings(str(path), QSettings.Format.IniFormat)
    read = store.value("name")
    assert (store.value("before"), store.value("after")) == ("1", "x")
    if isinstance(value, tuple):
        assert tuple([read] if isinstance(read, str) else read or ()) == value
    else:
        assert read == (value if isinstance(value, str) else str(value).lower())


without_nul = texts.filter(lambda text: "\0" not in text)  # QSettings serialises these


@given(value=without_nul | st.lists(without_nul, max_size=4).map(tuple))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_qsettings_writes_is_read(tmp_path_factory, value):
    path = tmp_path_factory.mktemp("ini") / "settings.ini"
    store = QSettings(str(path), QSettings.Format.IniFormat)
    store.setValue("name", list(value) if isinstance(value, tuple) else value)
    store.sync()
    read = parse_ini(path.read_bytes().decode("utf-8"))["name"]
    if isinstance(value, tuple):
        assert tuple([read] if isinstance(read, str) else read) == value
    else:
        assert read == value


@given(text=st.text(max_size=80) | st.text('[]general="\\,;@x0123\n ', max_size=80))
def test_any_text_is_read(text):
    assert isinstance(parse_ini(text), dict)


def test_groups_comments_and_lines_without_a_value_are_ignored():
    assert parse_ini("a=1\n; b=2\nc\n[other]\na=3\n[General]\nd=4") == {"a": "1", "d": "4"}
