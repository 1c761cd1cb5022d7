"""What the program remembers between two starts; a bad value is a warning, never a failure."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSettings

_log = logging.getLogger(__name__)

LAYOUT_VERSION = 2
"""Raised whenever docks or their usual sizes change; a layout saved under another number is not used."""

MOST_RECENT = 8
"""Folders remembered: as many as the welcome page shows without scrolling."""

THEMES = ("system", "light", "dark")
"""Values of `Settings.theme`."""

CARD_SIZES = ("S", "M", "L")
"""Values of `Settings.card_size`."""


@dataclass(frozen=True)
class Settings:
    """Everything that is remembered, with what holds on the first start.

    Attributes
    ----------
    theme : ``"system"``, ``"light"`` or ``"dark"``.
    card_size : size of the pictures in the ranked list, ``"S"``, ``"M"`` or ``"L"``.
    recent : what was opened last, newest first.
    geometry, layout : place of the window and of its docks, as Qt wrote them; empty for the arrangement of the house.
    layout_version : number under which `layout` was saved.
    """

    theme: str = "system"
    card_size: str = "M"
    recent: tuple[str, ...] = ()
    geometry: bytes = b""
    layout: bytes = b""
    layout_version: int = LAYOUT_VERSION

    def with_recent(self, path: Path) -> "Settings":
        """The same with `path` in front of the recent ones."""
        others = tuple(name for name in self.recent if name != str(path))
        return replace(self, recent=(str(path), *others)[:MOST_RECENT])


class SettingsFile:
    """Reads and writes `Settings` in an INI file.

    Parameters
    ----------
    path : the file; None remembers nothing (a self-test, a test).
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def read(self) -> Settings:
        """The settings; each value that is damaged or unknown is replaced by its default and named in the log."""
        settings = Settings()
        if self._path is None or not self._path.exists():
            return settings
        store = QSettings(str(self._path), QSettings.Format.IniFormat)
        if store.status() != QSettings.Status.NoError:
            _log.warning("%s cannot be read; the defaults hold", self._path)
            return settings
        for field in fields(Settings):
            if not store.contains(field.name):
                continue
            try:
                settings = replace(settings, **{field.name: _READ[field.name](store.value(field.name))})
            except (ValueError, TypeError) as error:
                _log.warning("%s: '%s' is not usable (%s); the default holds", self._path, field.name, error)
        return settings

    def write(self, settings: Settings) -> None:
        """Write all of them; a disk that cannot be written is a warning."""
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            _log.warning("%s", error)
            return
        store = QSettings(str(self._path), QSettings.Format.IniFormat)
        for field in fields(Settings):
            value = getattr(settings, field.name)
            if isinstance(value, bytes):
                value = QByteArray(value)
            store.setValue(field.name, list(value) if isinstance(value, tuple) else value)
        store.sync()
        if store.status() != QSettings.Status.NoError:
            _log.warning("%s cannot be written; nothing is remembered", self._path)


def settings_path() -> Path:
    """Where the settings belong on this system."""
    from platformdirs import user_config_path

    return user_config_path("shrec-viewer", appauthor=False) / "settings.ini"


def _read_theme(value: Any) -> str:
    return _one_of(value, THEMES)


def _read_card_size(value: Any) -> str:
    return _one_of(value, CARD_SIZES)


def _one_of(value: Any, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise ValueError(f"{value!r} is none of {', '.join(allowed)}")
    return str(value)


def _read_recent(value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else list(value or ())
    if not all(isinstance(name, str) for name in names):
        raise TypeError("not a list of paths")
    return tuple(names)[:MOST_RECENT]


def _read_bytes(value: Any) -> bytes:
    if not isinstance(value, QByteArray):
        raise TypeError("not bytes")
    return bytes(value.data())


_READ: dict[str, Callable[[Any], Any]] = {
    "theme": _read_theme,
    "card_size": _read_card_size,
    "recent": _read_recent,
    "geometry": _read_bytes,
    "layout": _read_bytes,
    "layout_version": int,
}
"""How each field is read; one row a field."""
