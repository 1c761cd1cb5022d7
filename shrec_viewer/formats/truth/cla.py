"""Read the Princeton classification format (`.cla`)."""

from bisect import bisect_left
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from shrec_viewer.domain import ROOT, Finding, FormatError, Severity
from shrec_viewer.formats.io.limits import MAX_DEPTH, MAX_IDS, limit_error
from shrec_viewer.formats.io.text import FileHead, is_comment, read_lines
from shrec_viewer.formats.truth.class_tables import LabelTable

#: Latest version that the parser of Princeton accepts.
NEWEST_VERSION = 2

#: Parent of top-level classes in the file.
ROOT_NAME = "0"


class ClassDepthError(FormatError):
    """A class is nested too deeply; not a wrong count."""


def is_cla(head: FileHead) -> bool:
    """Whether the file starts with ``PSB 1``."""
    first = [token for row in head.rows[:2] for token in row][:2]
    return len(first) == 2 and first[0].upper() == "PSB" and first[1].isdigit()


def read_cla(path: Path) -> LabelTable:
    """Classes and ids of a `.cla` file, in file order.

    The file is a stream of tokens separated by any white space: ``PSB version classes models``, then for each class
    ``name parent count`` and `count` ids. A class may have both ids and children. Ids are strings.

    Raises
    ------
    FormatError
        With the line: a parent that is not defined before its child, a truncated file, or a class with a wrong count
        (but see Notes).

    Notes
    -----
    Wrong totals in the header, repeated ids and repeated class names are findings. So is a wrong count of a class if
    each id has its own line. ``#`` comments before the first token are ignored.
    Source: Princeton Shape Benchmark, "classification file format".
    """
    lines = _without_comments(read_lines(path, keep_comments=True))
    tokens: list[str] = []
    for number, line in enumerate(lines, 1):
        tokens += line.split()
        if len(tokens) > MAX_IDS:
            raise limit_error(MAX_IDS, "words", path, number)
    token_lines = [number for number, line in enumerate(lines, 1) for _ in line.split()]
    wrong = _classes_with_wrong_counts(lines)
    messages = {line: _wrong_count_message(*counts) for line, counts in wrong.items()}
    corrected = list(tokens)
    for at, (_, _, count) in wrong.items():
        corrected[bisect_left(token_lines, at) + 2] = str(count)
    try:
        table = _ClaParser(path, corrected, token_lines).table()
    except FormatError as error:
        if isinstance(error, ClassDepthError) or not wrong:
            raise
        first, message = next(iter(messages.items()))
        raise FormatError(path, message, first) from error
    last, (_, declared, listed) = next(reversed(wrong.items()), (0, ("", 0, 0)))
    if len(wrong) == 1 and listed < declared and bisect_left(token_lines, last) + 3 + listed == len(tokens):
        raise FormatError(path, f"{messages[last]}: the file is truncated", last)
    action = "each line is read as a model"
    findings = [Finding(Severity.ERROR, str(path), line, text, action) for line, text in messages.items()]
    return replace(table, findings=(*findings, *table.findings))


def _without_comments(lines: list[str]) -> list[str]:
    """Blank out comments before the first token; later, ``#`` may start an id."""
    first = next((index for index, line in enumerate(lines) if line.strip() and not is_comment(line)), 0)
    return [""] * first + lines[first:]


def _wrong_count_message(name: str, declared: int, listed: int) -> str:
    return f"class '{name}' declares {declared:,} {'model' if declared == 1 else 'models'} but lists {listed:,}"


@dataclass
class _ClaParser:
    """Parses the tokens of a file; `token_lines` are their 1-based lines, `position` is the index of the next token."""

    path: Path
    tokens: list[str]
    token_lines: list[int]
    position: int = 0
    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    by_name: dict[str, int] = field(default_factory=dict)
    used_names: set[str] = field(default_factory=set)
    ids: dict[str, tuple[int, int]] = field(default_factory=dict)
    listed: int = 0
    findings: list[Finding] = field(default_factory=list)
    line_kinds: dict[int, str] = field(default_factory=dict)

    def table(self) -> LabelTable:
        n_classes, n_models = self._header()
        total_line = self._line(-1)
        while self.position < len(self.tokens):
            self._class()
        self._check_total(total_line, n_classes, len(self.names), "class", "classes")
        self._check_total(total_line, n_models, self.listed, "model", "models")
        labels = np.array([label for label, _ in self.ids.values()], np.int32)
        parents = np.array(self.parents, np.int32)
        names, findings = tuple(self.names), tuple(self.findings)
        return LabelTable(
            self.path, tuple(self.ids), labels, names, parents, findings=findings, line_kinds=self.line_kinds
        )

    def _header(self) -> tuple[int, int]:
        if not self.tokens or self.tokens[0].upper() != "PSB":
            raise FormatError(self.path, "does not begin with 'PSB': not a classification", 1)
        self.position = 1
        version = self._number("the version")
        self._mark(-1, "version")
        if version > NEWEST_VERSION:
            self._note(Severity.WARNING, f"version {version} is unknown", "read like version 1")
        counts = self._number("the number of classes"), self._number("the number of models")
        self._mark(-1, "number of classes and models")
        return counts

    def _class(self) -> None:
        name = self._token("the name of a class")
        line = self._line(-1)
        parent_name = self._token(f"the parent of class '{name}'")
        if parent_name != ROOT_NAME and parent_name not in self.by_name:
            message = f"class '{name}' has the parent '{parent_name}', which is not defined before it"
            raise FormatError(self.path, message, line)
        count = self._number(f"the number of models of class '{name}'")
        parent = ROOT if parent_name == ROOT_NAME else self.by_name[parent_name]
        label = self._add_class(name, parent, line)
        self._mark(-1, "class")
        n_remaining = len(self.tokens) - self.position
        if n_remaining < count:
            message = f"class '{name}' declares {count:,} models but the file ends after {n_remaining:,}"
            raise FormatError(self.path, message, line)
        for index in range(self.position, self.position + count):
            self._add_id(self.tokens[index], label, self.token_lines[index])
        self.position += count
        self.listed += count

    def _add_class(self, name: str, parent: int, line: int) -> int:
        if len(self._path(parent)) >= MAX_DEPTH:
            raise ClassDepthError(
                self.path, f"class '{name}' is nested more than {MAX_DEPTH} levels deep, the limit", line
            )
        unique = name
        if name in self.used_names:
            unique = "___".join([*self._path(parent), name])
            while unique in self.used_names:
                unique += "_"
            self._note(Severity.WARNING, f"class '{name}' is defined twice", f"read as '{unique}'", line)
        self.by_name[name] = len(self.names)
        self.names.append(unique)
        self.used_names.add(unique)
        self.parents.append(parent)
        return len(self.names) - 1

    def _path(self, label: int) -> list[str]:
        return [] if label < 0 else [*self._path(self.parents[label]), self.names[label]]

    def _add_id(self, name: str, label: int, line: int) -> None:
        self.line_kinds.setdefault(line, "model")
        if name in self.ids:
            first = self.ids[name][1]
            message = f"model '{name}' is repeated (first in line {first})"
            self._note(Severity.ERROR, message, "the first occurrence is used", line)
            return
        self.ids[name] = (label, line)

    def _check_total(self, line: int, declared: int, found: int, item_name: str, plural: str) -> None:
        if declared != found:
            follow = f"{found:,} {item_name} follows" if found == 1 else f"{found:,} {plural} follow"
            message = f"the header declares {declared:,} {plural} but {follow}"
            self._note(Severity.ERROR, message, "all that follow are read", line)

    def _token(self, expected: str) -> str:
        if self.position >= len(self.tokens):
            raise FormatError(self.path, f"the file ends where {expected} is expected", self._line(-1))
        self.position += 1
        return self.tokens[self.position - 1]

    def _number(self, expected: str) -> int:
        token = self._token(expected)
        if not (token.isascii() and token.isdigit() and len(token) < 10):
            raise FormatError(self.path, f"{expected} is expected here, found '{token[:40]}'", self._line(-1))
        return int(token)

    def _mark(self, offset: int, kind: str) -> None:
        self.line_kinds.setdefault(self._line(offset), kind)

    def _line(self, offset: int) -> int:
        return (
            self.token_lines[min(max(self.position + offset, 0), len(self.token_lines) - 1)] if self.token_lines else 1
        )

    def _note(self, severity: Severity, message: str, action: str, line: int | None = None) -> None:
        self.findings.append(Finding(severity, str(self.path), line or self._line(-1), message, action))


def _classes_with_wrong_counts(lines: list[str]) -> dict[int, tuple[str, int, int]]:
    """Classes whose count differs from the number of lines that follow, by line: name, declared and listed models.

    A wrong count is an error only at a later token. In the usual layout, a line ``name parent count`` for each class
    and a line for each id, the class with the wrong count can be identified. Empty for other layouts.
    """
    known = {ROOT_NAME}
    current: tuple[int, str, int] | None = None
    wrong = {}
    found = 0
    for number, line in enumerate([*lines, "end 0 0"], 1):
        tokens = line.split()
        is_header = len(tokens) == 3 and tokens[1] in known
        if is_header and tokens[2].isascii() and tokens[2].isdigit() and len(tokens[2]) < 10:
            if current is not None and current[2] != found:
                wrong[current[0]] = (current[1], current[2], found)
            known.add(tokens[0])
            current, found = (number, tokens[0], int(tokens[2])), 0
        elif len(tokens) == 1 and current is not None:
            found += 1
        elif tokens and current is not None:
            return {}
    return wrong
