"""Collect findings while a folder is read, with the options and lines of benchmark.toml that settle them."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NoReturn, TypedDict, Unpack

from shrec_viewer.domain import Benchmark, Finding, FormatError, Setting, Severity
from shrec_viewer.formats.core.decisions import CONVENTIONS, DECISIONS, RUNS, Decision
from shrec_viewer.formats.core.read_options import BOOLEANS
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME, Manifest

#: `Finding.key`: a run cannot be used.
RUN_IGNORED = "run-ignored"

#: `Finding.key`: the content allows several interpretations; the action names the setting that selects one.
UNDECIDED = "undecided"

#: `Finding.key`: the action names a profile that fits better than the default.
PROFILE_SUGGESTED = "profile-suggested"

MISSING_QUERY, UNKNOWN_ID, TIED_RANKS = "missing-query", "unknown-id", "tied-ranks"
#: `Finding.key`: the effect on the scores depends on the profile, see `with_profile_actions`.
NOT_A_NUMBER, INFINITE, OWN_ONLY, JUNK = "not-a-number", "infinite", "own-only", "junk"


#: Maximum number of findings of one fault; beyond that, one finding counts them all.
MAX_SEPARATE_FINDINGS = 5

#: Quoted words and numbers of a message, which differ between findings of one fault.
_WORDS_OF_FILE = re.compile(r"'.*?'(?![^ ;:,)])|\d+")


class OptionalFindingFields(TypedDict, total=False):
    """Fields of `Finding` that most findings do not have: line 1-based, count 1 by default."""

    line: int | None
    count: int
    key: str
    setting: Setting | None


class RunIgnoredError(FormatError):
    """A run cannot be used; the finding about it is in the log."""


class FindingsLog:
    """Findings so far, in reading order.

    Parameters
    ----------
    root : folder that file names in findings are relative to; files elsewhere keep their absolute path.

    Attributes
    ----------
    manifest : benchmark.toml of the folder, into which suggested lines are fitted; None for none.
    decisions : decisions about files, see `decide`.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._findings: list[Finding] = []
        self._mentioned: set[str] = set()
        self._archives: dict[Path, Path] = {}
        self.manifest: Manifest | None = None
        self.decisions: list[Decision] = []

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings so far."""
        return tuple(self._findings)

    @property
    def mentioned(self) -> set[str]:
        """Names of the files that a finding is about or mentions."""
        return self._mentioned | {finding.file for finding in self._findings}

    def mention(self, path: Path) -> str:
        """Name of a file for the text of a finding about another file."""
        self._mentioned.add(self.name_of(path))
        return self.name_of(path)

    def name_of(self, path: Path) -> str:
        """Name of a file in findings: relative with forward slashes, ``.`` for the folder itself."""
        for folder, archive in self._archives.items():
            if path.is_relative_to(folder):
                return self.name_of(archive / path.relative_to(folder))
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return path.as_posix()

    def add_unpacked(self, folder: Path, archive: Path) -> None:
        """Name the files in `folder` as parts of the archive that was unpacked into it."""
        self._archives[folder] = archive

    def note(
        self, severity: Severity, path: Path, message: str, action: str = "", **details: Unpack[OptionalFindingFields]
    ) -> None:
        """Add a finding."""
        finding = Finding(severity, self.name_of(path), None, message, action)
        self._findings.append(replace(finding, **details))

    def info(self, path: Path, message: str, action: str = "", **details: Unpack[OptionalFindingFields]) -> None:
        """Add a finding about how a file was interpreted."""
        self.note(Severity.INFO, path, message, action, **details)

    def warning(self, path: Path, message: str, action: str = "", **details: Unpack[OptionalFindingFields]) -> None:
        """Add a finding about a fault that was handled."""
        self.note(Severity.WARNING, path, message, action, **details)

    def error(self, path: Path, message: str, action: str = "", **details: Unpack[OptionalFindingFields]) -> None:
        """Add a finding about a fault that affects the scores."""
        self.note(Severity.ERROR, path, message, action, **details)

    def failed(self, error: FormatError, action: str, *, key: str = "") -> None:
        """Add a finding about a file that cannot be read.

        A file that is found and named as a run as well fails twice with the same error; the second finding replaces
        the first.
        """
        found = Finding(Severity.ERROR, self.name_of(error.path), error.line, error.reason, action, key=key)
        self._findings = [known for known in self._findings if replace(known, action=action) != found]
        self._findings.append(found)

    def ignore_run(self, path: Path, message: str, action: str = "", setting: Setting | None = None) -> NoReturn:
        """Add an error finding about a run that cannot be used, and raise `RunIgnoredError`."""
        self.error(path, message, f"the run is ignored{action}", key=RUN_IGNORED, setting=setting)
        raise RunIgnoredError(path, message)

    def as_error(self, finding: Finding) -> FormatError:
        """A finding as an error."""
        return FormatError(self.root / finding.file, finding.message, finding.line)

    def extend(self, findings: Iterable[Finding], *, joined: bool = True) -> None:
        """Add the findings of a reader (their `file` is the full path).

        Parameters
        ----------
        joined : whether more than a few findings of one fault are one finding; not where each names another key.
        """
        groups: dict[Finding, list[Finding]] = {}
        for finding in findings:
            kind = replace(finding, line=None, count=1, message=_WORDS_OF_FILE.sub("", finding.message))
            groups.setdefault(kind if joined else finding, []).append(finding)
        for group in groups.values():
            if joined and len(group) > MAX_SEPARATE_FINDINGS:
                group = [replace(group[0], count=sum(finding.count for finding in group))]
            self._findings.extend(replace(finding, file=self.name_of(Path(finding.file))) for finding in group)

    @property
    def manifest_name(self) -> str:
        """Name of the file that suggested lines belong to: the one that was opened, else benchmark.toml."""
        return MANIFEST_NAME if self.manifest is None else self.manifest.path.name

    def decide(
        self,
        path: Path,
        decision: Decision,
        severity: Severity | None = None,
        *,
        key: str = UNDECIDED,
        setting: Setting | None = None,
    ) -> None:
        """Keep a decision, and add the finding about it, if it has a problem.

        The finding says what was taken and why, and the best other reading, with its score and the option that takes
        it.

        Parameters
        ----------
        path : the file.
        severity, key : of the finding; by default a warning, except for sure decisions that are usual.
        setting : that takes the other reading, if that is not the one of the row of DECISIONS.
        """
        self.decisions.append(decision)
        if not decision.problem:
            return
        value = next((other.value for other in decision.others), "")
        if value and setting is None:
            setting = self.setting(decision.key, BOOLEANS.get(str(value), value), path)
        is_certain = not decision.others or (decision.is_sure and decision.is_usual)
        severity = severity or (Severity.INFO if is_certain else Severity.WARNING)
        key = key if decision.others else ""
        self.note(severity, path, decision.problem, decision.action, key=key, setting=setting)

    def setting(self, name: str, value: str | bool | Path, run: Path | None = None) -> Setting:
        """Option of the command line, and lines of benchmark.toml, that decide otherwise.

        Without lines where benchmark.toml cannot do it: for files in an archive, or beside a list of runs in one line;
        runs have the key and its value even so.

        Parameters
        ----------
        name : of a row of DECISIONS.
        value : that decides so; a path for a file.
        run : file or folder of the run, for options for reading it.
        """
        row = DECISIONS[name]
        text = self.name_of(value) if isinstance(value, Path) else value
        option, file = row.option_for(text), value if isinstance(value, Path) else run if row.table == RUNS else None
        if row.table == CONVENTIONS:
            return Setting(option, "", (), row.table, row.key, value)
        place, lines = "", tuple[str, ...]()
        if row.table == RUNS and run is not None:
            place, lines = self._place_of_run(run, row.key, text)
        elif row.table != RUNS and not (file is not None and self._is_in_archive(file)):
            place, lines = self._place(row.table, row.key, text, self._line(row.table), self._line(row.table, row.key))
        # The window reads such a run so until the benchmark is opened again.
        return Setting(option, place, lines, row.table, row.key, value) if lines or run is not None else Setting(option)

    def _place_of_run(self, path: Path, key: str, value: str | bool) -> tuple[str, tuple[str, ...]]:
        """Place of a key of a ``[[runs]]`` table, and its lines; none where benchmark.toml cannot name the run."""
        runs = self.manifest.runs if self.manifest is not None else ()
        index = next((run.index for run in runs if run.path == path), None)
        if index is not None:
            return self._place("runs", key, value, self._line("runs", None, index), self._line("runs", key, index))
        first = self._line("runs")
        # After `runs = [{path = "A"}]` a [[runs]] table is an error.
        is_list = self.manifest is not None and first and not self.manifest.lines[first - 1].lstrip().startswith("[")
        if is_list or self._is_in_archive(path):
            return "", ()
        lines = ("[[runs]]", f"path = {_toml_string(self.name_of(path))}", f"{key} = {_toml_value(value)}")
        return f"in {self.manifest_name}", lines

    def _line(self, table: str, key: str | None = None, index: int = 0) -> int | None:
        return self.manifest.find_line(table, key, index) if self.manifest is not None else None

    def _place(
        self, table: str, key: str, value: str | bool, header: int | None, known: int | None
    ) -> tuple[str, tuple[str, ...]]:
        """Place of a key in benchmark.toml, and its lines; `header`, `known`: lines of the table and of the key."""
        line = f"{key} = {_toml_value(value)}"
        if self.manifest is not None and header is not None:
            if not self.manifest.lines[header - 1].lstrip().startswith("["):
                return self._place_before_tables(table, key, line, header)
            if known is not None:
                return f"in {self.manifest_name} instead of line {known}", (line,)
            return f"in {self.manifest_name} below line {header}", (line,)
        return f"in {self.manifest_name}", (f"[{table}]", line)

    def _place_before_tables(self, table: str, key: str, line: str, first: int) -> tuple[str, tuple[str, ...]]:
        """As `_place`, for a table written as ``collection.models = "models"`` or ``collection = {…}``.

        Parameters
        ----------
        line : assignment of the key.
        first : line number of the table's first assignment.
        """
        assert self.manifest is not None
        texts = self.manifest.lines
        if re.match(rf"\s*{table}\s*\.", texts[first - 1]):
            same_key = re.compile(rf"\s*{table}\s*\.\s*{key}\s*=")
            known = next((number for number, text in enumerate(texts, 1) if same_key.match(text)), None)
            place = f"below line {first}" if known is None else f"instead of line {known}"
            return f"in {self.manifest_name} {place}", (f"{table}.{line}",)
        inline = re.fullmatch(rf"(\s*{table}\s*=\s*{{)(.*)}}\s*", texts[first - 1])
        if inline is None or re.search(rf"\b{key}\s*=", inline[2]):
            return "", ()  # a list, several lines, or another value: lines cannot change it
        content = ", ".join(part for part in (inline[2].strip(), line) if part)
        return f"in {self.manifest_name} instead of line {first}", (f"{table} = {{ {content} }}",)

    def _is_in_archive(self, path: Path) -> bool:
        return any(path.is_relative_to(folder) for folder in self._archives)


def join_some(names: Iterable[str], limit: int = 8) -> str:
    """The first names, and the number of the others.

    Examples
    --------
    >>> join_some(["a", "b", "c"], limit=2)
    'a, b and 1 more'
    """
    listed = list(names)
    shown = ", ".join(listed[:limit])
    return shown if len(listed) <= limit else f"{shown} and {len(listed) - limit:,} more"


def count_of(number: int, item_name: str, plural: str = "") -> str:
    """A number with its noun.

    Examples
    --------
    >>> count_of(1, "query", "queries"), count_of(1814, "model")
    ('1 query', '1,814 models')
    """
    return f"{number:,} {item_name if number == 1 else plural or item_name + 's'}"


TO_COMMON = "; to score only the queries common to all runs"
MISSING_ACTION = f"score 0 or excluded from means, depending on the profile{TO_COMMON}"
UNKNOWN_ACTION = "removed before ranking, so that later models move up, unless the profile keeps unknown ids"
TIED_ACTION = "ordered by the rule of the profile"
NOT_A_NUMBER_ACTION = "ranked after all others, also after infinite ones, unless the profile drops them"
INFINITE_ACTION = "ranked after all finite ones, unless the profile drops them"
JUNK_ACTION = "not relevant, unless the profile removes such models; to remove them from lists before ranking"
OWN_ONLY_ACTION = "nothing is left to find where the profile removes the query from its list"

#: Field of the profile that determines the action of a finding, by key.
PROFILE_FIELDS = {
    **{MISSING_QUERY: "missing_query", UNKNOWN_ID: "unknown", TIED_RANKS: "ties", NOT_A_NUMBER: "not_a_number"},
    **{OWN_ONLY: "self_match", JUNK: "junk", INFINITE: "infinite"},
}

#: Action of a finding by its key and the value of the field.
PROFILE_ACTIONS: Mapping[tuple[str, str], str] = {
    (MISSING_QUERY, "zero"): f"score 0{TO_COMMON}",
    (MISSING_QUERY, "skip"): f"excluded from means{TO_COMMON}",
    (MISSING_QUERY, "common"): "excluded from the means of all runs",
    (UNKNOWN_ID, "drop"): "removed before ranking, so that later models move up",
    (UNKNOWN_ID, "keep"): "kept in place as not relevant",
    (TIED_RANKS, "file"): "tied models are in the order of the file",
    (TIED_RANKS, "index"): "tied models are in the order of the collection",
    (TIED_RANKS, "trec"): "tied models are in descending order of their ids, as in trec_eval",
    (NOT_A_NUMBER, "last"): "ranked after all others, also after infinite ones",
    (NOT_A_NUMBER, "drop"): "count as not retrieved",
    (OWN_ONLY, "drop"): "nothing is left to find without the query itself",
    (OWN_ONLY, "keep"): "the query itself is to be found",
    (JUNK, "not relevant"): "not relevant; to remove such models from lists before ranking",
    (JUNK, "removed"): "removed from lists before ranking",
    (INFINITE, "rank"): "ranked after all finite ones",
    (INFINITE, "drop"): "count as not retrieved",
}


def with_profile_actions(benchmark: Benchmark, profile: object) -> list[Finding]:
    """Findings with the actions of one profile in place of general texts, and the number of queries of all runs.

    Parameters
    ----------
    profile : has the fields of `metrics.Profile`.
    """
    n_common = count_of(int(benchmark.common_queries.sum()), "query", "queries")
    to_common = TO_COMMON.replace("the queries", f"the {n_common}")
    found = [_with_profile_action(finding, profile) for finding in benchmark.findings]
    return [replace(finding, action=finding.action.replace(TO_COMMON, to_common)) for finding in found]


def _with_profile_action(finding: Finding, profile: object) -> Finding:
    field = PROFILE_FIELDS.get(finding.key, "")
    value = getattr(profile, field, "")
    action, setting = PROFILE_ACTIONS.get((finding.key, str(value))), finding.setting
    if setting is not None and setting.key == field and setting.value == value:
        setting = None  # already so
    return replace(finding, action=action, setting=setting) if action is not None else finding


def _toml_string(text: str) -> str:
    """A TOML string, which is written as in JSON."""
    return json.dumps(text, ensure_ascii=False)


def _toml_value(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else _toml_string(value)
