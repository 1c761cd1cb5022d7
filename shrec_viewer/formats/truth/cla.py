"""Read the Princeton classification format (`.cla`)."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from shrec_viewer.domain import ROOT, Finding, FormatError, Severity
from shrec_viewer.formats.io.text import FileHead, read_lines
from shrec_viewer.formats.truth.labels import LabelTable

NEWEST_VERSION = 2
"""Princeton's parser accepts versions up to this one."""

ROOT_NAME = "0"
"""Parent of a class at the top, as the format writes it."""


def is_cla(head: FileHead) -> bool:
    """Whether the file begins with ``PSB 1``."""
    first = [word for row in head.rows[:2] for word in row][:2]
    return len(first) == 2 and first[0].upper() == "PSB" and first[1].isdigit()


def read_cla(path: Path) -> LabelTable:
    """Classes and ids of a `.cla`, in file order.

    Line ends, tabs and blank lines mean nothing: the file is a stream of words ``PSB version classes models``, then per
    class ``name parent count`` and `count` ids. A class may have ids and children. Ids are strings.

    Raises
    ------
    FormatError
        With the line, where the stream breaks: a parent that was not defined before, a file that ends too early, and,
        unless the lines tell (see Notes), a class that announces another number of models than it lists.

    Notes
    -----
    Wrong totals in the header, an id that stands twice and a class name that stands twice are findings; so is the wrong
    count of a class where each id has a line of its own. ``#`` comments before the first word are passed over.
    Source: Princeton Shape Benchmark, "classification file format".
    """
    lines = _without_comments(read_lines(path))
    words = [word for line in lines for word in line.split()]
    places = [number for number, line in enumerate(lines, 1) for _ in line.split()]
    stream = _ClaParser(path, words, places)
    try:
        return stream.table()
    except FormatError as error:
        lies = _classes_with_wrong_counts(lines)
        if not lies:
            raise
        return _with_corrected_counts(path, words, places, lies, error)


def _without_comments(lines: list[str]) -> list[str]:
    """The lines with those blank that begin with ``#`` before the format begins; further on, that may be an id."""
    first = next((place for place, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), 0)
    return [""] * first + lines[first:]


def _with_corrected_counts(
    path: Path, words: list[str], places: list[int], lies: dict[int, tuple[str, int, int]], error: FormatError
) -> LabelTable:
    """The stream with the counts of classes as their lines say, and a finding for each that was wrong."""
    last, (name, said, listed) = list(lies.items())[-1]
    if len(lies) == 1 and listed < said and places.index(last) + 3 + listed == len(words):
        raise FormatError(path, f"{_wrong_count_message(name, said, listed)}: the file is cut off", last) from error
    mended = list(words)
    for line, (_, _, listed) in lies.items():
        mended[places.index(line) + 2] = str(listed)
    try:
        table = _ClaParser(path, mended, places).table()
    except FormatError:
        first, lie = next(iter(lies.items()))
        raise FormatError(path, _wrong_count_message(*lie), first) from error
    findings = [
        Finding(Severity.ERROR, str(path), line, _wrong_count_message(*lie), "the lines are read, each a model")
        for line, lie in lies.items()
    ]
    return replace(table, findings=(*findings, *table.findings))


def _wrong_count_message(name: str, said: int, listed: int) -> str:
    return f"class '{name}' announces {said:,} {'model' if said == 1 else 'models'} but lists {listed:,}"


@dataclass
class _ClaParser:
    """The words of one file, and the tree they build."""

    path: Path
    words: list[str]
    places: list[int]
    at: int = 0
    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    by_name: dict[str, int] = field(default_factory=dict)
    ids: dict[str, tuple[int, int]] = field(default_factory=dict)
    listed: int = 0
    findings: list[Finding] = field(default_factory=list)

    def table(self) -> LabelTable:
        n_classes, n_models = self._header()
        total_line = self._line(-1)
        while self.at < len(self.words):
            self._class()
        self._check_total(total_line, n_classes, len(self.names), "class", "classes")
        self._check_total(total_line, n_models, self.listed, "model", "models")
        labels = np.array([label for label, _ in self.ids.values()], np.int32)
        parents = np.array(self.parents, np.int32)
        return LabelTable(self.path, tuple(self.ids), labels, tuple(self.names), parents, findings=tuple(self.findings))

    def _header(self) -> tuple[int, int]:
        if not self.words or self.words[0].upper() != "PSB":
            raise FormatError(self.path, "does not begin with 'PSB', so it is no classification", 1)
        self.at = 1
        version = self._number("the version")
        if version > NEWEST_VERSION:
            self._note(Severity.WARNING, f"version {version} is unknown", "read like version 1")
        return self._number("the number of classes"), self._number("the number of models")

    def _class(self) -> None:
        name = self._word("the name of a class")
        line = self._line(-1)
        above = self._word(f"the parent of class '{name}'")
        if above != ROOT_NAME and above not in self.by_name:
            raise FormatError(self.path, f"class '{name}' hangs below '{above}', which is not defined before it", line)
        count = self._number(f"the number of models of class '{name}'")
        parent = ROOT if above == ROOT_NAME else self.by_name[above]
        label = self._add_class(name, parent, line)
        left = len(self.words) - self.at
        if left < count:
            why = f"class '{name}' announces {count:,} models but the file ends after {left:,}"
            raise FormatError(self.path, why, line)
        for place in range(self.at, self.at + count):
            self._add_id(self.words[place], label, self.places[place])
        self.at += count
        self.listed += count

    def _add_class(self, name: str, parent: int, line: int) -> int:
        unique = name
        if name in self.names:
            unique = "___".join([*self._path(parent), name])
            while unique in self.names:
                unique += "_"
            self._note(Severity.WARNING, f"class '{name}' is defined a second time", f"read as '{unique}'", line)
        self.by_name[name] = len(self.names)
        self.names.append(unique)
        self.parents.append(parent)
        return len(self.names) - 1

    def _path(self, label: int) -> list[str]:
        return [] if label < 0 else [*self._path(self.parents[label]), self.names[label]]

    def _add_id(self, name: str, label: int, line: int) -> None:
        if name in self.ids:
            first = self.ids[name][1]
            message = f"model '{name}' stands a second time (first in line {first})"
            self._note(Severity.ERROR, message, "the first one counts", line)
            return
        self.ids[name] = (label, line)

    def _check_total(self, line: int, announced: int, found: int, noun: str, plural: str) -> None:
        if announced != found:
            follow = f"{found:,} {noun} follows" if found == 1 else f"{found:,} {plural} follow"
            message = f"the header announces {announced:,} {plural} but {follow}"
            self._note(Severity.ERROR, message, "read as they follow", line)

    def _word(self, what: str) -> str:
        if self.at >= len(self.words):
            raise FormatError(self.path, f"the file ends where {what} is expected", self._line(-1))
        self.at += 1
        return self.words[self.at - 1]

    def _number(self, what: str) -> int:
        word = self._word(what)
        if not (word.isascii() and word.isdigit() and len(word) < 10):
            raise FormatError(self.path, f"{what} is expected here, found '{word[:40]}'", self._line(-1))
        return int(word)

    def _line(self, offset: int) -> int:
        return self.places[min(max(self.at + offset, 0), len(self.places) - 1)] if self.places else 1

    def _note(self, severity: Severity, message: str, action: str, line: int | None = None) -> None:
        self.findings.append(Finding(severity, str(self.path), line or self._line(-1), message, action))


def _classes_with_wrong_counts(lines: list[str]) -> dict[int, tuple[str, int, int]]:
    """By line, the classes whose count is not what their lines say: name, what it announces, what it lists.

    The stream alone cannot tell where a wrong count began: it stumbles later. In the usual layout a class has a line
    ``name parent count`` and each id a line of its own, so there the culprit can be named; else empty.
    """
    known = {ROOT_NAME}
    current: tuple[int, str, int] | None = None
    lies = {}
    found = 0
    for number, line in enumerate([*lines, "end 0 0"], 1):
        words = line.split()
        if len(words) == 3 and words[1] in known and words[2].isascii() and words[2].isdigit() and len(words[2]) < 10:
            if current is not None and current[2] != found:
                lies[current[0]] = (current[1], current[2], found)
            known.add(words[0])
            current, found = (number, words[0], int(words[2])), 0
        elif len(words) == 1 and current is not None:
            found += 1
        elif words and current is not None:
            return {}
    return lies
