"""Read `benchmark.toml`: what is declared about a benchmark folder."""

import os
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.core.read_options import (
    CELL_VALUES,
    DETECT_ALL,
    LIST_COLUMNS,
    MATRIX_ORDERS,
    ReadOptions,
)
from shrec_viewer.formats.io.text import FileHead, read_text

MANIFEST_NAME = "benchmark.toml"
PROJECT_SUFFIX = ".shrec"

DERIVATIONS = ("classes", "sister-classes")

KEYS: dict[str, tuple[str, ...]] = {
    "benchmark": ("name", "profile"),
    "collection": ("models", "classification"),
    "queries": ("models", "classification"),
    "assessment": ("qrels", "derive", "levels"),
    "runs": ("name", "participant", "path", "format", "columns", "order", "cells", "similarity"),
    "camera": ("up", "azimuth", "elevation", "projection", "fit"),
}
"""Tables of the document and their keys; ``[assessment.levels.Q13]`` holds levels of classes and models."""

LevelOverrides = Mapping[str, Mapping[str, int]]
"""Level of a class or model for a query, by the query's id and theirs."""

CAMERA_CHOICES = {"up": ("Y", "Z"), "projection": ("perspective", "parallel"), "fit": ("sphere", "tight")}
CAMERA_DEGREES = {"azimuth": 360, "elevation": 90}
"""What a camera may be, in words and in degrees to either side; as `render.camera` has them."""

MAX_LEVEL = 255
"""Levels are held in a byte."""

PROJECT_TABLES = ("view", "notes", "edits")
"""Tables that only a saved project has; their content belongs to the window."""


@dataclass(frozen=True)
class RunEntry:
    """One ``[[runs]]`` table; None where it says nothing."""

    path: Path
    name: str | None = None
    participant: str | None = None
    reading: ReadOptions = DETECT_ALL
    line: int | None = None
    manifest: Path | None = None


@dataclass(frozen=True)
class Manifest:
    """What a manifest says, None where it says nothing; its paths exist and start where its own does."""

    path: Path
    name: str | None = None
    profile: str | None = None
    models: Path | None = None
    classification: Path | None = None
    query_models: Path | None = None
    query_classification: Path | None = None
    qrels: Path | None = None
    derive: str | None = None
    runs: tuple[RunEntry, ...] = ()
    levels: LevelOverrides = field(default_factory=dict)
    project: dict[str, Any] = field(default_factory=dict)
    camera: Mapping[str, str | float] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


def is_manifest(head: FileHead) -> bool:
    """Whether a line is the header of one of the document's tables."""
    return (
        head.text is not None
        and "[" in head.text
        and any(
            line.split("#")[0].strip() in ("[benchmark]", "[collection]", "[[runs]]", "[assessment]")
            for line in head.lines
        )
    )


def read_manifest(path: Path, profiles: Collection[str] = (), formats: tuple[str, ...] = ()) -> Manifest:
    """What a manifest says.

    Keys it does not know, and values it cannot use, are findings with their line; nothing is ignored in silence.

    Parameters
    ----------
    path : the file.
    profiles : keys of all profiles there are, so that another one is a finding; empty: any key will do.
    formats : keys of all run formats; empty: any key is accepted.

    Raises
    ------
    FormatError
        With the line, where it is no TOML.
    """
    text = read_text(path)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(path, *_toml_fault(error, text)) from error
    except RecursionError as error:
        raise FormatError(path, "is nested too deeply") from error
    return _ManifestParser(path, text, document, profiles, formats).result()


def _toml_fault(error: tomllib.TOMLDecodeError, text: str) -> tuple[str, int]:
    """Sentence and line of a syntax error; the parser says both in one text."""
    message = str(error)
    place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    line = int(place[1]) if place and place[1] else text.count("\n") + 1
    why = re.sub(r"\('(.*?)',?\)", r"'\1'", message[: place.start()] if place else message)
    return f"is not valid TOML: {why[:1].lower()}{why[1:]}", line


class _ManifestParser:
    """Takes a parsed document apart and notes what does not belong."""

    def __init__(
        self, path: Path, text: str, document: dict[str, Any], profiles: Collection[str], formats: tuple[str, ...]
    ) -> None:
        self.path = path
        self.lines = text.split("\n")
        self.document = document
        self.profiles = profiles
        self.formats = formats
        self.findings: list[Finding] = []

    def result(self) -> Manifest:
        self._check_tables()
        benchmark, collection, queries, assessment = (
            self._table(name) for name in ("benchmark", "collection", "queries", "assessment")
        )
        runs = self.document.get("runs", [])
        if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
            self._note("'runs' is not a list of tables; write it as [[runs]]", self._line("runs", None), "left out")
            runs = []
        entries = [entry for place, run in enumerate(runs) if (entry := self._run(place, run)) is not None]
        return Manifest(
            self.path,
            self._text("benchmark", benchmark, "name"),
            self._profile(benchmark),
            self._path("collection", collection, "models"),
            self._path("collection", collection, "classification"),
            self._path("queries", queries, "models"),
            self._path("queries", queries, "classification"),
            self._path("assessment", assessment, "qrels"),
            self._choice("assessment", assessment, "derive", DERIVATIONS),
            tuple(entries),
            self._levels(assessment),
            {name: self.document[name] for name in PROJECT_TABLES if name in self.document},
            self._camera(self._table("camera")),
            tuple(sorted(self.findings, key=lambda finding: finding.line or 0)),
        )

    def _check_tables(self) -> None:
        allowed = [*KEYS, *(PROJECT_TABLES if self.path.suffix.lower() == PROJECT_SUFFIX else ())]
        for name in self.document:
            if name not in allowed:
                self._unknown(name, allowed, "", self._line(name, None))

    def _table(self, name: str) -> dict[str, Any]:
        table = self.document.get(name, {})
        if not isinstance(table, dict):
            self._note(f"'{name}' is not a table; write it as [{name}]", self._line(name, None), "left out")
            return {}
        for key in table:
            if key not in KEYS[name]:
                self._unknown(key, KEYS[name], f" in [{name}]", self._line(name, key))
        return table

    def _run(self, place: int, run: dict[str, Any]) -> RunEntry | None:
        line = self._line("runs", None, place)
        for key in run:
            if key not in KEYS["runs"]:
                self._unknown(key, KEYS["runs"], " in [[runs]]", self._line("runs", key, place))
        path = self._path("runs", run, "path", place)
        if path is None:
            if "path" not in run:
                self._note("this run has no path", line, "the run is left out")
            return None
        similarity = run.get("similarity")
        if similarity is not None and not isinstance(similarity, bool):
            self._note("'similarity' is true or false", self._line("runs", "similarity", place), "left out")
            similarity = None
        choices = (
            ("format", self.formats),
            ("columns", LIST_COLUMNS),
            ("order", MATRIX_ORDERS),
            ("cells", CELL_VALUES),
        )
        chosen = {key: self._choice("runs", run, key, known, place) for key, known in choices}
        name, who = (self._text("runs", run, key, place) for key in ("name", "participant"))
        return RunEntry(path, name, who, ReadOptions(similarity=similarity, **chosen), line, self.path)

    def _text(self, table: str, values: dict[str, Any], key: str, place: int = 0) -> str | None:
        value = values.get(key)
        if value is None or (isinstance(value, str) and value.strip()):
            return value
        self._note(f"'{key}' is no text", self._line(table, key, place), "left out")
        return None

    def _levels(self, assessment: dict[str, Any]) -> dict[str, dict[str, int]]:
        given = assessment.get("levels", {})
        levels: dict[str, dict[str, int]] = {}
        for query, wanted in given.items() if isinstance(given, dict) else [("levels", given)]:
            if not isinstance(wanted, dict):
                message = f"'{query}' is not a table of levels; write it as [assessment.levels.{query}]"
                self._note(message, self._line("assessment.levels", query), "left out")
                continue
            for name, level in wanted.items():
                if type(level) is int and 0 <= level <= MAX_LEVEL:
                    levels.setdefault(query, {})[name] = level
                    continue
                line = self._line(f"assessment.levels.{query}", name)
                self._note(f"the level of '{name}' is no whole number from 0 to {MAX_LEVEL}", line, "left out")
        return levels

    def _profile(self, benchmark: dict[str, Any]) -> str | None:
        key = self._text("benchmark", benchmark, "profile")
        if key is None or not self.profiles or key in self.profiles:
            return key
        message = f"there is no profile '{key}'{_suggestion(key, self.profiles)}"
        self._note(message, self._line("benchmark", "profile"), "evaluated under the default profile")
        return None

    def _camera(self, table: dict[str, Any]) -> dict[str, str | float]:
        said: dict[str, str | float] = {}
        for key, words in CAMERA_CHOICES.items():
            if (word := self._choice("camera", table, key, words)) is not None:
                said[key] = word
        for key, most in CAMERA_DEGREES.items():
            value = table.get(key)
            if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= most:
                said[key] = value
            elif value is not None:
                message = f"'{key}' is a number of degrees from -{most} to {most}"
                self._note(message, self._line("camera", key), "left out")
        return said

    def _path(self, table: str, values: dict[str, Any], key: str, place: int = 0) -> Path | None:
        value = self._text(table, values, key, place)
        if value is None:
            return None
        path = Path(os.path.normpath(self.path.parent / value))
        if not _exists(path):
            what = f"run '{value}'" if table == "runs" else f"'{value}'"
            self._note(f"{what} does not exist", self._line(table, key, place), "left out")
            return None
        return path

    def _choice(
        self, table: str, values: dict[str, Any], key: str, choices: tuple[str, ...], place: int = 0
    ) -> str | None:
        value = self._text(table, values, key, place)
        if value is None or not choices or value in choices:
            return value
        message = f"'{key}' is one of {', '.join(choices)}, not '{value}'"
        self._note(message, self._line(table, key, place), "left out")
        return None

    def _unknown(self, key: str, known: list[str] | tuple[str, ...], where: str, line: int | None) -> None:
        message = f"unknown key '{key}'{where}{_suggestion(key, known)}"
        self.findings.append(Finding(Severity.WARNING, str(self.path), line, message, "it says nothing"))

    def _note(self, message: str, line: int | None, action: str) -> None:
        self.findings.append(Finding(Severity.ERROR, str(self.path), line, message, action))

    def _line(self, table: str, key: str | None, place: int = 0) -> int | None:
        """Line of a table's header, or of a key in it; the parser keeps none. None where it is not found."""
        current, seen = None, -1
        for number, line in enumerate(self.lines, 1):
            header = re.match(r"\s*\[\[?\s*([^\]\s]+)\s*\]", line)
            if header:
                current = header[1].strip("\"'")
                seen += current == table
                if key is None and current == table and seen == place:
                    return number
                continue
            here = current == table and seen == place
            if (here and key is not None and _assigns(line, key)) or (current is None and _assigns(line, table)):
                return number
        return None


def _suggestion(word: str, known: Collection[str]) -> str:
    close = get_close_matches(word, known, 1)
    return f" (did you mean '{close[0]}'?)" if close else ""


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that is too long, or has a NUL in it
        return False


def _assigns(line: str, key: str) -> bool:
    return re.match(rf"""\s*["']?{re.escape(key)}["']?\s*[.=]""", line) is not None
