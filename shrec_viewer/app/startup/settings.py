"""Settings stored between sessions in an INI file; invalid values are replaced by defaults."""

import json
import logging
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSettings

_log = logging.getLogger(__name__)

LAYOUT_VERSION = 3
"""Version of saved layouts, increased when docks or their default sizes change; other versions are ignored."""

MAX_RECENT = 8
"""Recent paths stored: as many as the welcome page shows without scrolling."""

MAX_PROFILES = 200
"""Profiles stored: more benchmarks than a user opens."""

THEMES = ("system", "light", "dark")
"""Values of `Settings.theme`."""

CARD_SIZES = ("S", "M", "L", "T")
"""Named values of `Settings.card_size`, which may also be a number of pixels; "T" is text only."""

RELEVANCE_PRESETS = ("ordinal", "strict", "contrast", "classic")
"""Values of `Settings.relevance`."""

RENDERERS = ("auto", "gl", "software")
"""Values of `Settings.renderer`."""

TEXT_SIZES = (85, 100, 115, 130, 150, 175)
"""Values of `Settings.text_size`."""


@dataclass(frozen=True)
class Settings:
    """Settings that are stored between sessions, with their defaults.

    Attributes
    ----------
    theme : ``"system"``, ``"light"`` or ``"dark"``.
    relevance : preset of `render.scene.palette.PRESETS` that colours relevance.
    text_size : font size in percent of the system's.
    animations : whether menus and lists are animated.
    card_size : size of the cards in the ranked list, ``"S"``, ``"M"``, ``"L"``, ``"T"`` or pixels as digits.
    renderer : renderer of thumbnails and 3D view, ``"auto"``, ``"gl"`` or ``"software"``.
    follow : whether runs that change on disk are reloaded.
    keys : changed shortcuts, by key of the command; "" for none.
    recent : paths opened last, newest first.
    geometry : `QWidget.saveGeometry` of the window; empty for the default.
    layouts : `QMainWindow.saveState` of each perspective; empty for the default layout.
    layout_version : `LAYOUT_VERSION` of `layouts`.
    perspective : key of the current perspective.
    convention_bar : whether the conventions bar is shown.
    palette_recent : keys of the entries chosen in the command palette last, newest first.
    profiles : keys of the profiles chosen for benchmarks that name none, by path, newest last.
    dialog_folders : folder of the last choice by purpose of the file dialog.
    added_measures : keys of the measures that are computed in addition to those of the profile.
    """

    theme: str = "system"
    relevance: str = "ordinal"
    text_size: int = 100
    animations: bool = True
    card_size: str = "M"
    renderer: str = "auto"
    follow: bool = True
    keys: Mapping[str, str] = field(default_factory=dict)
    recent: tuple[str, ...] = ()
    geometry: bytes = b""
    layouts: Mapping[str, bytes] = field(default_factory=dict)
    layout_version: int = LAYOUT_VERSION
    perspective: str = "query"
    convention_bar: bool = True
    palette_recent: tuple[str, ...] = ()
    profiles: Mapping[str, str] = field(default_factory=dict)
    dialog_folders: Mapping[str, str] = field(default_factory=dict)
    added_measures: tuple[str, ...] = ()

    def with_recent(self, path: Path) -> "Settings":
        """A copy with `path` first among the recent ones."""
        others = tuple(name for name in self.recent if name != str(path))
        return replace(self, recent=(str(path), *others)[:MAX_RECENT])

    def with_profile(self, path: Path, key: str) -> "Settings":
        """A copy with the profile chosen for the benchmark at `path`."""
        others = [(name, other) for name, other in self.profiles.items() if name != str(path)]
        return replace(self, profiles=dict([*others, (str(path), key)][-MAX_PROFILES:]))


class SettingsFile:
    """Reads and writes `Settings` in an INI file.

    Parameters
    ----------
    path : the file; None stores nothing (self-test, tests).
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    @property
    def is_persistent(self) -> bool:
        """Whether settings are stored in a file."""
        return self._path is not None

    def read(self) -> Settings:
        """Read the settings; invalid values are logged and replaced by their defaults."""
        settings = Settings()
        if self._path is None or not self._path.exists():
            return settings
        store = QSettings(str(self._path), QSettings.Format.IniFormat)
        if store.status() != QSettings.Status.NoError:
            _log.warning("%s cannot be read; using the defaults", self._path)
            return settings
        for name in (row.name for row in fields(Settings)):
            if not store.contains(name):
                continue
            try:
                settings = replace(settings, **{name: _READERS[name](store.value(name))})
            except (ValueError, TypeError, KeyError) as error:
                _log.warning("%s: invalid value of '%s' (%s); using the default", self._path, name, error)
        return settings

    def write(self, settings: Settings) -> None:
        """Write all settings; a file that cannot be written is logged as a warning."""
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            _log.warning("%s", error)
            return
        store = QSettings(str(self._path), QSettings.Format.IniFormat)
        for name in (row.name for row in fields(Settings)):
            store.setValue(name, _to_qsettings(getattr(settings, name)))
        store.sync()
        if store.status() != QSettings.Status.NoError:
            _log.warning("%s cannot be written; settings are not stored", self._path)


def settings_path() -> Path:
    """Path of the settings file on this system."""
    from platformdirs import user_config_path

    return user_config_path("shrec-viewer", appauthor=False) / "settings.ini"


def _read_theme(value: Any) -> str:
    return _read_choice(value, THEMES)


def _read_card_size(value: Any) -> str:
    if isinstance(value, str) and value.isdecimal() and len(value) <= 3:
        return value
    return _read_choice(value, CARD_SIZES)


def _read_relevance(value: Any) -> str:
    return _read_choice(value, RELEVANCE_PRESETS)


def _read_renderer(value: Any) -> str:
    return _read_choice(value, RENDERERS)


def _read_text_size(value: Any) -> int:
    if int(value) not in TEXT_SIZES:
        raise ValueError(f"{value} is not one of {TEXT_SIZES}")
    return int(value)


def _read_choice(value: Any, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise ValueError(f"{value!r} is not one of {', '.join(allowed)}")
    return str(value)


def _read_recent(value: Any) -> tuple[str, ...]:
    return _read_names(value)[:MAX_RECENT]


def _read_names(value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else list(value or ())
    if not all(isinstance(name, str) for name in names):
        raise TypeError("not a list of names")
    return tuple(names)


def _read_flag(value: Any) -> bool:
    return {"true": True, "false": False}[str(value).lower()]


def _read_bytes(value: Any) -> bytes:
    if not isinstance(value, QByteArray):
        raise TypeError("not bytes")
    return bytes(value.data())


def _read_layouts(value: Any) -> dict[str, bytes]:
    texts = json.loads(value)
    if not isinstance(texts, dict):
        raise TypeError("not a dictionary of layouts")
    return {str(key): b64decode(text, validate=True) for key, text in texts.items()}


def _read_keys(value: Any) -> dict[str, str]:
    keys = json.loads(value)
    if not isinstance(keys, dict):
        raise TypeError("not a dictionary of texts")
    return {str(name): str(text) for name, text in keys.items()}


def _to_qsettings(value: Any) -> Any:
    if isinstance(value, bytes):
        return QByteArray(value)
    if isinstance(value, Mapping):
        return json.dumps({key: b64encode(x).decode() if isinstance(x, bytes) else x for key, x in value.items()})
    return list(value) if isinstance(value, tuple) else value


_READERS: dict[str, Callable[[Any], Any]] = {
    "theme": _read_theme,
    "relevance": _read_relevance,
    "text_size": _read_text_size,
    "animations": _read_flag,
    "card_size": _read_card_size,
    "renderer": _read_renderer,
    "follow": _read_flag,
    "keys": _read_keys,
    "recent": _read_recent,
    "geometry": _read_bytes,
    "layouts": _read_layouts,
    "layout_version": int,
    "perspective": str,
    "convention_bar": _read_flag,
    "palette_recent": _read_names,
    "profiles": _read_keys,
    "dialog_folders": _read_keys,
    "added_measures": _read_names,
}
"""Conversion of each field from the value that QSettings returns."""
