"""Settings stored between sessions in an INI file; invalid values are replaced by defaults."""

import json
import logging
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from shrec_viewer.formats.io.schema import Codec, Text, read_data

# QSettings itself is not used: it deserialises each value ``@Variant(...)`` of a file, also of unknown keys, with a
# recursion for each nested list. A file of 1 MB ends the process (PySide6 6.10.3: segmentation fault).


#: Section of keys without a group.
GENERAL = "general"

#: White space that is removed around keys and values; other white space belongs to them.
BLANKS = " \t\r"

ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}

_PLAIN = re.compile(r"[A-Za-z0-9_./:+-]+")
_TOKEN = re.compile(r'\\x([0-9A-Fa-f]+)|\\(.)|(")|(,)|([^\\",]+)')


class SerialisedValue:
    """A value of a class of Qt, as ``@ByteArray(…)``, which is not read."""

    def __repr__(self) -> str:
        return "a serialised value"


IniValue = str | list[str] | SerialisedValue


def parse_ini(text: str) -> dict[str, IniValue]:
    r"""The keys without a group, with their values: text, a list of texts, or a serialised value.

    Lines without ``=``, and all groups but ``[General]``, are ignored.

    Examples
    --------
    >>> parse_ini('[General]\nname="a, b"\nnames=one, two\nnone=@Invalid()')
    {'name': 'a, b', 'names': ['one', 'two'], 'none': []}
    """
    values: dict[str, IniValue] = {}
    section = GENERAL
    for line in text.split("\n"):
        line = line.strip(BLANKS)
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip().lower()
        elif section == GENERAL and not line.startswith((";", "#")) and "=" in line:
            key, _, value = line.partition("=")
            values[key.strip(BLANKS)] = _parse_value(value)
    return values


def format_ini(values: Mapping[str, bool | int | str | Sequence[str]]) -> str:
    """Text of a settings file; QSettings reads the same values from it.

    Examples
    --------
    >>> print(format_ini({"on": True, "name": "a, b", "names": ["one", "@two"], "none": []}), end="")
    [General]
    on=true
    name="a, b"
    names=one, "@@two"
    none=@Invalid()
    """
    return "[General]\n" + "".join(f"{key}={_format_value(value)}\n" for key, value in values.items())


def _parse_value(text: str) -> IniValue:
    items, current, end, is_quoted = [], "", 0, False
    for token in _TOKEN.finditer(text):
        code, escaped, quote, comma, plain = token.groups()
        if quote:
            is_quoted = not is_quoted
            end = len(current)  # spaces before it belong to the value
        elif comma and not is_quoted:
            items.append(_trimmed(current, end))
            current, end = "", 0
        elif plain or comma:
            current += (plain or comma) if is_quoted or current else (plain or comma).lstrip(BLANKS)
            end = len(current) if is_quoted else end
        else:
            current += _character(code) if code else ESCAPES.get(escaped, escaped)
            end = len(current)
    items.append(_trimmed(current, end))
    if len(items) > 1:
        return [item.replace("@@", "@", 1) if item.startswith("@@") else item for item in items]
    value = items[0]
    if value.startswith("@@"):
        return value[1:]
    if value == "@Invalid()":
        return []
    return SerialisedValue() if value.startswith("@") else value


def _trimmed(text: str, end: int) -> str:
    """Text without spaces at its end, except those that were quoted or escaped: before index `end`."""
    return text[:end] + text[end:].rstrip(BLANKS)


def _character(code: str) -> str:
    number = int(code[:8], 16)
    return chr(number) if number < 0xD800 or 0xDFFF < number <= 0x10FFFF else "\N{REPLACEMENT CHARACTER}"


def _format_value(value: bool | int | str | Sequence[str]) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _quoted(value)
    return ", ".join(_quoted(item) for item in value) or "@Invalid()"


def _quoted(text: str) -> str:
    text = "@" + text if text.startswith("@") else text
    if _PLAIN.fullmatch(text):
        return text
    # A hexadecimal escape ends at the first character that is no digit: control codes are followed by an empty quote.
    escaped = re.sub(r'[\\"]', r"\\\g<0>", text).replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return '"' + re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", lambda match: f'\\x{ord(match[0]):x}""', escaped) + '"'


_log = logging.getLogger(__name__)

#: Former keys of commands, which settings of earlier versions contain.
RENAMED_COMMANDS = {
    "next_intruder": "next_false_positive",
    "previous_intruder": "previous_false_positive",
    "convention_bar": "conventions",
}

#: Version of saved layouts, increased when docks or their default sizes change; other versions are ignored. Up to
#: version 3 they were bytes for Qt.
LAYOUT_VERSION = 4

#: Size of a settings file that is read; one with all fields filled has 50 kB.
MAX_BYTES = 1_000_000

#: Recent paths stored: as many as the welcome page shows without scrolling.
MAX_RECENT = 8

#: Milliseconds that writing waits for another window that is writing the settings.
LOCK_TIMEOUT_MS = 1000

#: Profiles stored: more benchmarks than a user opens.
MAX_PROFILES = 200

#: Maximum number of threads: more than the cores of one machine.
MAX_JOBS = 1024

#: Characters of the address of a scheduler.
MAX_ADDRESS = 100

APPEARANCE, THUMBNAILS, FILES, COMPUTING, SHORTCUTS = "Appearance", "Thumbnails", "Files", "Computing", "Shortcuts"

#: Pages of the preferences, in their order.
PAGES = (APPEARANCE, THUMBNAILS, FILES, COMPUTING, SHORTCUTS)

CardSize = Annotated[str, Meta(pattern=r"\A([SMLT]|[0-9]{1,3})\Z", description="S, M, L, T or a number of pixels")]

Checked = Annotated[str, "without characters that paths do not accept"]

Version = Annotated[str, Meta(max_length=100)]

Shortcuts = Annotated[Mapping[str, Checked], "by key of the command"]


def option(
    default: Any,
    label: str,
    choices: Mapping[Any, str] | None = None,
    *,
    page: str,
    help: str,  # as in `content.request`
    **metadata: Any,
) -> Any:
    """A field of a setting that is in the preferences.

    Parameters
    ----------
    label : label of the field or check box.
    choices : text of each value; None for true and false, numbers and free texts.
    page : one of `PAGES`.
    help : text below the field.
    **metadata : see `stored`; ``special``, the text for the smallest number; ``hint``, the text of an empty field.
    """
    known = {} if choices is None else {"choices": choices}
    return field(default=default, metadata={**known, **metadata, "page": page, "label": label, "help": help})


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
    jobs : number of threads that evaluate runs, 0 for as many as cores.
    scheduler : address of a Dask scheduler, or ``local:N``; "" for none.
    keys : changed shortcuts, by key of the command; "" for none.
    recent : paths opened last, newest first.
    geometry : position and size of the window as plain data, see `geometry_to_data`; empty for the default.
    layouts : layouts of the perspectives as plain data, see `saved_layout`; empty for the default layout.
    layout_version : `LAYOUT_VERSION` of `layouts`.
    perspective : key of the current perspective.
    palette_recent : keys of the entries chosen in the command palette last, newest first.
    profiles : keys of the profiles chosen for benchmarks that name none, by path, newest last.
    profile_names : keys of the profiles that were saved under a name, by name: ``{"My contest": "psb+ties=trec"}``.
    dialog_folders : folder of the last choice by purpose of the file dialog.
    added_measures : keys of the measures that are computed in addition to those of the profile.
    version : version of the program that stored the settings last; "" before the first start.
    previous_version : version before the last update; "" if there was none.
    tour_step : heading of the step of the tour that was shown last; "" if it was not started or is finished.
    """

    theme: str = option(
        "system",
        "Theme",
        {"system": "System", "light": "Light", "dark": "Dark"},
        page=APPEARANCE,
        help="“System” follows changes of the system theme.",
    )
    relevance: str = option(
        "ordinal",
        "Relevance colours",
        {
            "ordinal": "Blue, amber, grey: not relevant is muted",
            "strict": "Strict: not relevant is red and hatched",
            "contrast": "High contrast",
            "classic": "Red-yellow-green: not colour-blind safe",
        },
        page=APPEARANCE,
        help="All but the last are safe for every type of colour vision.",
    )
    text_size: int = option(
        100,
        "Font size",
        {percent: f"{percent} %" for percent in (75, 85, 100, 115, 130, 150, 175, 200)},
        page=APPEARANCE,
        help="In percent of the system's font size.",
    )
    animations: bool = option(True, "Animate menus", page=APPEARANCE, help="Opens menus and lists with an animation.")
    card_size: CardSize = option(
        "M",
        "Thumbnail size",
        {"S": "Small", "M": "Medium", "L": "Large", "T": "Text only"},
        page=THUMBNAILS,
        help="In the ranked list.",
        is_open=True,
    )
    renderer: str = option(
        "auto",
        "Renderer",
        {"auto": "Automatic", "gl": "OpenGL", "software": "Software (CPU)"},
        page=THUMBNAILS,
        help="Applies to new thumbnails; clear the cache to render existing ones again.",
    )
    follow: bool = option(
        True,
        "Reload changed runs automatically",
        page=FILES,
        help="Reloads runs that change on disk and reports how scores changed.",
    )
    jobs: Annotated[int, Meta(ge=0, le=MAX_JOBS)] = option(
        0,
        "Threads",
        page=COMPUTING,
        help="Runs are evaluated in as many threads, and large files are read in as many processes.",
        special="all cores",
    )
    scheduler: Annotated[str, Meta(max_length=MAX_ADDRESS)] = option(
        "",
        "Scheduler",
        page=COMPUTING,
        help="Address of a Dask scheduler, such as tcp://host:8786, or local:4 for four processes on this machine. Its "
        "workers rank distance matrices that are larger than 32 MB. Requires the extra “cluster”.",
        hint="None: this machine only",
    )
    keys: Shortcuts = field(default_factory=dict)
    recent: tuple[Checked, ...] = ()
    geometry: Mapping[str, Any] = field(default_factory=dict)
    layouts: Mapping[str, Any] = field(default_factory=dict)
    layout_version: int = LAYOUT_VERSION
    perspective: Checked = "query"
    palette_recent: tuple[Checked, ...] = ()
    profiles: Mapping[str, Checked] = field(default_factory=dict)
    profile_names: Mapping[str, Checked] = field(default_factory=dict)
    dialog_folders: Mapping[str, Checked] = field(default_factory=dict)
    added_measures: tuple[Checked, ...] = ()
    version: Version = ""
    previous_version: Version = ""
    tour_step: Checked = ""

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

    Attributes
    ----------
    problems : what was wrong with the file when it was read last.
    recent : recent paths when it was read or written last, with those of other windows.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.problems: tuple[str, ...] = ()
        self.recent: tuple[str, ...] = ()

    @property
    def is_persistent(self) -> bool:
        """Whether settings are stored in a file."""
        return self._path is not None

    def read(self) -> Settings:
        """Read the settings; invalid values are logged and replaced by their defaults, see `problems`."""
        self.problems = ()
        values, defaults = self._read_values(), vars(Settings())
        data = {name: _to_data(values[name], default) for name, default in defaults.items() if name in values}
        if isinstance(data.get("geometry"), SerialisedValue):
            del data["geometry"]  # bytes of Qt, which earlier versions stored
        settings, faults = read_data(Settings, data, _CODECS)
        for fault in faults:
            self._add_problem(f"invalid value of '{fault.path}' ({fault.problem}); using the default")
        self.recent = settings.recent[:MAX_RECENT]
        return replace(settings, recent=self.recent)

    def _read_values(self) -> Mapping[str, IniValue]:
        path = self._path
        if path is None or not os.path.exists(path):
            return {}
        if not os.path.isfile(path):  # a named pipe would block
            self._add_problem("is not a file; using the defaults")
            return {}
        try:
            with path.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
        except OSError as error:
            self._add_problem(f"cannot be read ({error}); using the defaults")
            return {}
        if len(content) > MAX_BYTES:
            self._add_problem(f"has more than {MAX_BYTES:,} bytes; using the defaults")
            return {}
        return parse_ini(content.decode("utf-8", "replace"))

    def _add_problem(self, text: str) -> None:
        _log.warning("%s: %s", self._path, text)
        self.problems += (f"{self._path}: {text}",)

    def write(self, settings: Settings) -> str:
        """Write all settings; "" or why the file cannot be written, which is logged as well.

        Recent paths are those in the file, which other windows may have written since, after those that are new here.
        """
        from PySide6.QtCore import QLockFile

        from shrec_viewer.formats.io.atomic import write_text_atomic  # imports numpy
        from shrec_viewer.formats.io.text import os_error_text

        opened: Sequence[str] = ()
        if settings.recent != self.recent:
            opened = [name for name in settings.recent if name not in self.recent] or settings.recent[:1]
        self.recent = settings.recent
        if self._path is None:
            return ""
        lock = QLockFile(f"{self._path}.lock")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock.tryLock(LOCK_TIMEOUT_MS)  # a file that cannot be locked is written as well
            stored = SettingsFile(self._path).read().recent
            self.recent = tuple(dict.fromkeys((*opened, *stored)))[:MAX_RECENT]
            values = {row.name: _to_ini(getattr(settings, row.name)) for row in fields(Settings)}
            write_text_atomic(self._path, format_ini({**values, "recent": self.recent}))
        except OSError as error:
            problem = f"Settings are not stored: {self._path} {os_error_text(error, 'written')}"
            _log.warning(problem)
            return problem
        finally:
            lock.unlock()
        return ""


def settings_path() -> Path:
    """Path of the settings file on this system."""
    from platformdirs import user_config_path

    return user_config_path("shrec-viewer", appauthor=False) / "settings.ini"


def _to_data(value: IniValue, default: Any) -> Any:
    """Plain data for a value of the file: tables, numbers and flags are stored as JSON."""
    if isinstance(default, tuple):
        return [value] if isinstance(value, str) else value
    if isinstance(value, str) and not isinstance(default, str):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def _to_ini(value: Any) -> Any:
    return json.dumps(dict(value)) if isinstance(value, Mapping) else value


def _checked_text(text: str) -> str:
    """Text without lone surrogates, which Qt and files do not accept; ValueError for NUL, which paths do not accept."""
    if "\0" in text:
        raise ValueError("contains a NUL character")
    return text.encode("utf-8", "replace").decode("utf-8")


def _with_present_keys(keys: Mapping[str, str]) -> dict[str, str]:
    return {RENAMED_COMMANDS.get(name, name): text for name, text in keys.items()}


_CODECS = {Checked: Codec(Text, _checked_text), Shortcuts: Codec(Mapping[str, Checked], _with_present_keys)}
