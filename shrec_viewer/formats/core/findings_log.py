"""Collect findings while a folder is read, and phrase what can be done about them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME


class FindingsLog:
    """What was noticed so far, in reading order.

    Parameters
    ----------
    root : folder that places are relative to; files elsewhere keep their absolute path.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._findings: list[Finding] = []
        self._mentioned: set[str] = set()
        self._mounts: dict[Path, Path] = {}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings so far."""
        return tuple(self._findings)

    @property
    def mentioned(self) -> set[str]:
        """Places that a finding is about, or that one names."""
        return self._mentioned | {finding.file for finding in self._findings}

    def mention(self, path: Path) -> str:
        """The place of a file, for a finding that is about another one."""
        self._mentioned.add(self.place(path))
        return self.place(path)

    def place(self, path: Path) -> str:
        """How findings name a file: relative with forward slashes, ``.`` for the folder itself."""
        for folder, archive in self._mounts.items():
            if path.is_relative_to(folder):
                return self.place(archive / path.relative_to(folder))
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return path.as_posix()

    def mount(self, folder: Path, archive: Path) -> None:
        """Name what lies in `folder` as part of the archive that was unpacked into it."""
        self._mounts[folder] = archive

    def note(
        self, severity: Severity, path: Path, message: str, action: str = "", *, line: int | None = None, count: int = 1
    ) -> None:
        """Write one finding down."""
        self._findings.append(Finding(severity, self.place(path), line, message, action, count))

    def info(self, path: Path, message: str, action: str = "", *, line: int | None = None, count: int = 1) -> None:
        """Note how something was understood."""
        self.note(Severity.INFO, path, message, action, line=line, count=count)

    def warning(self, path: Path, message: str, action: str = "", *, line: int | None = None, count: int = 1) -> None:
        """Note something odd that was handled."""
        self.note(Severity.WARNING, path, message, action, line=line, count=count)

    def error(self, path: Path, message: str, action: str = "", *, line: int | None = None, count: int = 1) -> None:
        """Note something that costs numbers."""
        self.note(Severity.ERROR, path, message, action, line=line, count=count)

    def failed(self, error: FormatError, action: str) -> None:
        """Note a file that could not be understood, and go on.

        A file that is recognised by itself and named as a run as well fails twice in the same way; that is one finding,
        with what was done about it last.
        """
        found = Finding(Severity.ERROR, self.place(error.path), error.line, error.why, action)
        self._findings = [known for known in self._findings if replace(known, action=action) != found]
        self._findings.append(found)

    def extend(self, findings: Iterable[Finding]) -> None:
        """Take over what a reader of one file noticed (its `file` is the full path)."""
        self._findings.extend(replace(finding, file=self.place(Path(finding.file))) for finding in findings)


def join_some(names: Iterable[str], limit: int = 8) -> str:
    """A list for a sentence: the first names, and how many more there are.

    Examples
    --------
    >>> some(["a", "b", "c"], limit=2)
    'a, b and 1 more'
    """
    listed = list(names)
    shown = ", ".join(listed[:limit])
    return shown if len(listed) <= limit else f"{shown} and {len(listed) - limit:,} more"


def count_of(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    Examples
    --------
    >>> count_of(1, "query", "queries"), count_of(1814, "model")
    ('1 query', '1,814 models')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


MISSING_ACTION = "counted as 0 or left out of means: the profile decides"
UNKNOWN_ACTION = "left out before ranking, so that later models move up, unless the profile keeps unknown ids"
TIED_ACTION = "the profile decides which of them comes first"

PROFILE_ACTIONS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    MISSING_ACTION: ("missing_query", {"zero": "counted as empty, that is 0", "skip": "left out of means"}),
    UNKNOWN_ACTION: (
        "unknown",
        {"drop": "left out before ranking, so that later models move up", "keep": "kept in place as not relevant"},
    ),
    TIED_ACTION: (
        "ties",
        {
            "file": "those come first that come first in the file",
            "index": "those come first that come first in the collection",
            "trec": "the later id comes first, as in trec_eval",
        },
    ),
}
"""The profile's field that decides what was done, and what its values mean."""


def with_profile_action(finding: Finding, profile: object) -> Finding:
    """A finding with what one profile does in place of the general words; others stay as they are.

    Parameters
    ----------
    finding : of a reader.
    profile : has the fields of `metrics.Profile`.
    """
    if finding.action not in PROFILE_ACTIONS:
        return finding
    field, words = PROFILE_ACTIONS[finding.action]
    action = words.get(str(getattr(profile, field, "")))
    return replace(finding, action=action) if action is not None else finding


def file_hint(table: str, key: str, option: str, place: str) -> str:
    """What names another file: ``--assessment b.txt, or in benchmark.toml: assessment.qrels = "b.txt"``.

    Parameters
    ----------
    table, key : of the manifest.
    option : of the command line, without dashes.
    place : the file, relative to the benchmark's folder.
    """
    return f"--{option} {place}, or in {MANIFEST_NAME}: {table}.{key} = {_toml_string(place)}"


def order_hint(place: str, order: str) -> str:
    """What fixes the order of a matrix."""
    return f"--order {order}, or in {MANIFEST_NAME}: runs = [{{path = {_toml_string(place)}, order = {_toml_string(order)}}}]"


def direction_hint(place: str, *, similarity: bool) -> str:
    """What fixes whether larger is nearer."""
    option, value = ("--similarity", "true") if similarity else ("--distance", "false")
    return f"{option}, or in {MANIFEST_NAME}: runs = [{{path = {_toml_string(place)}, similarity = {value}}}]"


def cells_hint(place: str, cells: str) -> str:
    """What fixes what the numbers of a matrix are."""
    line = f"runs = [{{path = {_toml_string(place)}, cells = {_toml_string(cells)}}}]"
    return f"--matrix-cells {_toml_string(cells)}, or in {MANIFEST_NAME}: {line}"


def columns_hint(place: str, columns: str) -> str:
    """What fixes the columns of rank lists."""
    line = f"runs = [{{path = {_toml_string(place)}, columns = {_toml_string(columns)}}}]"
    return f"--list-columns {_toml_string(columns)}, or in {MANIFEST_NAME}: {line}"


def _toml_string(words: str) -> str:
    """A string as TOML writes it, which is as JSON does."""
    return json.dumps(words, ensure_ascii=False)
