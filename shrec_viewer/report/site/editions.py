"""Editions of a site: with all names, without names of participants, or with those of one participant."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from shrec_viewer.domain import Benchmark, Finding, Run, ShrecViewerError
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics.measures.measure import suggestion
from shrec_viewer.printable import printable
from shrec_viewer.report.site.inputs import SiteInput, combined_digest, digest_of_runs, relative_name

#: Folder of the sources of runs under a pseudonym.
RUNS_FOLDER = "runs"

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")

#: The tag of a TREC run in a message, which is not quoted.
_TAG = re.compile(r"\btags? .*", re.DOTALL)

#: Characters from which a name is searched within words as well; shorter ones, such as A1, occur in many.
_MIN_INNER_CHARS = 3

HIDDEN_TEXT = "…"


@dataclass(frozen=True, eq=False)
class Edition:
    """What a site shows.

    Attributes
    ----------
    benchmark, scores : with pseudonyms for the names that the edition hides, in the order of the site; all pages are
        made from these.
    inputs : files with truth and runs; sources of runs under a pseudonym are named after it.
    note : for readers; "" for the edition with all names.
    left_out : number of findings that may contain names, and that are not in `benchmark`.
    """

    benchmark: Benchmark
    scores: Scores
    inputs: tuple[SiteInput, ...]
    note: str = ""
    left_out: int = 0


def make_edition(
    scores: Scores, inputs: Mapping[Path, SiteInput], *, blind: bool = False, participant: str | None = None
) -> Edition:
    """The edition of a site.

    In the blind edition every participant and run has a pseudonym. In the edition of a participant, for example to
    send them their results before publication, their runs have their names, and all others the same pseudonyms as in
    the blind edition, so that the participant sees where their runs rank, but not who the others are.

    The numbers of the pseudonyms follow from the content of the runs, so that neither they nor any order of the site
    depends on a hidden name. Findings about hidden runs are kept without the texts that they quote from files;
    findings about other files and about the whole folder are left out, since they may contain names that no input has,
    and so are those that list several runs, in the order of their names.

    Raises
    ------
    ShrecViewerError
        If there is no such participant.
    """
    benchmark = scores.benchmark
    participants = list(dict.fromkeys(run.participant for run in benchmark.runs if not run.expression))
    if participant is not None and participant not in participants:
        known = suggestion(participant, participants) if participants else ""
        raise ShrecViewerError(f"there is no participant '{participant}'{known}")
    hides = blind or participant is not None
    if not hides:
        shown = replace(benchmark, findings=tuple(_without_root(finding, benchmark) for finding in benchmark.findings))
        return Edition(shown, replace(scores, benchmark=shown), tuple(inputs.values()))
    pseudonyms = _pseudonyms(benchmark, inputs, participant)
    names = _HiddenNames(benchmark, pseudonyms)
    runs = _published_runs(benchmark, pseudonyms, names)
    tables = {table.source for table in benchmark.published}  # these have the names
    found = [finding for finding in benchmark.findings if finding.file not in tables]
    findings = [names.finding(_without_root(finding, benchmark)) for finding in found]
    # By name in the site: the order of reading is that of the hidden names.
    kept = tuple(sorted((one for one in findings if one is not None), key=lambda one: (one.file, one.line or 0)))
    sources = tuple(published for published, _ in runs)
    shown = replace(benchmark, runs=sources, findings=kept, sources=(), published=())
    order = [scores.runs.index(original) for _, original in runs if original in scores.runs]
    ordered = scores.select_runs(order)
    by_name = {original: published for published, original in runs}
    published_scores = replace(
        ordered,
        benchmark=shown,
        runs=tuple(by_name[name].name for name in ordered.runs),
        participants=tuple(by_name[name].participant for name in ordered.runs),
    )
    note = "Blind edition: participants and runs have pseudonyms."
    if participant is not None:
        note = f"Edition for {participant}: the other participants and their runs have pseudonyms."
    return Edition(shown, published_scores, _published_inputs(inputs, names), note, len(benchmark.findings) - len(kept))


def _without_root(finding: Finding, benchmark: Benchmark) -> Finding:
    """The finding without the folder of the benchmark in its texts, and without the folder of a file elsewhere."""
    prefix = f"{benchmark.root.as_posix()}/"
    file = Path(finding.file).name if Path(finding.file).is_absolute() else finding.file
    return replace(
        finding,
        file=file,
        message=finding.message.replace(prefix, ""),
        action=finding.action.replace(prefix, ""),
        setting=None,
    )


@dataclass(frozen=True)
class _Pseudonym:
    run: str
    participant: str


def _pseudonyms(
    benchmark: Benchmark, inputs: Mapping[Path, SiteInput], participant: str | None
) -> dict[str, _Pseudonym]:
    """Pseudonyms by the name of the run; the runs of `participant` have none."""
    digests = digest_of_runs(benchmark, inputs)
    runs: dict[str, list[Run]] = {}
    for run in benchmark.runs:
        if not run.expression:
            runs.setdefault(run.participant, []).append(run)
    keys = {name: combined_digest([digests[run.name] for run in of_name]) for name, of_name in runs.items()}
    # By content, not by name: the order of the numbers must not reveal that of the names.
    order = sorted(runs, key=lambda name: (keys[name], name))
    letter = _unused_prefix([name for run in benchmark.runs for name in (run.name, run.participant)])
    found: dict[str, _Pseudonym] = {}
    for number, name in enumerate(order, 1):
        for index, run in enumerate(sorted(runs[name], key=lambda run: (digests[run.name], run.name)), 1):
            if name != participant:
                found[run.name] = _Pseudonym(f"{letter}{number}-{index}", f"{letter}{number}")
    return found


def _unused_prefix(names: Sequence[str]) -> str:
    """Beginning of pseudonyms that no name has, so that no reader takes one for the other."""
    folded = [name.casefold() for name in names]
    prefix = "P"
    while any(name.startswith(prefix.casefold()) and name[len(prefix) :][:1].isdigit() for name in folded):
        prefix = f"{prefix}P" if len(prefix) < 3 else f"{prefix}_"
    return prefix


def _published_runs(
    benchmark: Benchmark, pseudonyms: Mapping[str, _Pseudonym], names: "_HiddenNames"
) -> list[tuple[Run, str]]:
    """Runs in the order of the site with their original names: those with their own names, hidden and virtual ones."""
    shown: list[tuple[Run, str]] = []
    hidden: list[tuple[Run, str]] = []
    virtual: list[tuple[Run, str]] = []
    for run in benchmark.runs:
        if run.expression:
            expression = names.text(run.expression) or f"virtual run {len(virtual) + 1}"
            virtual.append((replace(run, name=expression, expression=expression), run.name))
        elif run.name in pseudonyms:
            name = pseudonyms[run.name]
            source = benchmark.root / RUNS_FOLDER / name.run
            hidden.append((replace(run, name=name.run, participant=name.participant, source=source), run.name))
        else:
            shown.append((run, run.name))
    return [
        *shown,
        *sorted(hidden, key=lambda pair: [int(part) for part in re.findall(r"\d+", pair[0].name)]),
        *virtual,
    ]


def _published_inputs(inputs: Mapping[Path, SiteInput], names: "_HiddenNames") -> tuple[SiteInput, ...]:
    found = []
    for path, one in inputs.items():
        name = names.source_names.get(path)
        if name is None:
            name = names.text(one.path) or f"input {one.sha256[:8]}"
        found.append(replace(one, path=name))
    return tuple(sorted(found, key=lambda one: (one.path, one.sha256)))


class _HiddenNames:
    """Replaces hidden names in texts.

    Parameters
    ----------
    benchmark : with the original names.
    pseudonyms : by the name of the run.
    """

    def __init__(self, benchmark: Benchmark, pseudonyms: Mapping[str, _Pseudonym]) -> None:
        replaced: dict[str, str] = {}
        self.source_names: dict[Path, str] = {}
        #: Source of each hidden run, relative to the benchmark, and its name in the site.
        self._sources: dict[str, str] = {}
        shared: dict[Path, set[str]] = {}
        for run in benchmark.runs:
            if run.expression:
                continue
            shared.setdefault(run.source, set()).add(pseudonyms[run.name].run if run.name in pseudonyms else run.name)
        for run in benchmark.runs:
            if run.name not in pseudonyms:
                continue
            name = pseudonyms[run.name]
            path = f"{RUNS_FOLDER}/{name.run if len(shared[run.source]) == 1 else 'several runs'}"
            self.source_names[run.source] = path
            relative = relative_name(run.source, benchmark.root)
            self._sources[relative] = path
            replaced |= {relative: path, run.source.as_posix(): path, run.source.name: path, run.source.stem: name.run}
            replaced |= {run.name: name.run, run.participant: name.participant}
        self._patterns = [
            (re.compile(rf"(?<![^\W_]){re.escape(variant)}(?![^\W_])", re.IGNORECASE), pseudonym)
            for text, pseudonym in sorted(replaced.items(), key=lambda pair: (-len(pair[0]), pair[0]))
            for variant in dict.fromkeys((_normalised(text), printable(text)))
            if text
        ]
        inner = {_normalised(text).casefold() for text in replaced}
        self._inner = sorted(text for text in inner if len(text) >= _MIN_INNER_CHARS)
        sources = {relative_name(path, benchmark.root) for path in benchmark.sources}
        self._inputs = sources | {relative_name(path, benchmark.root) for path in benchmark.files()}
        self._pseudonyms = [name.run for name in pseudonyms.values()]
        self._ids = {*benchmark.collection.ids, *benchmark.queries.ids}
        if benchmark.classification is not None:
            self._ids |= {*benchmark.classification.names}
        self._query_ids = set(benchmark.queries.ids)

    def text(self, text: str) -> str | None:
        """The text with pseudonyms; None if it still contains a hidden name as part of a word."""
        text = _normalised(text)
        for pattern, pseudonym in self._patterns:
            text = pattern.sub(pseudonym.replace("\\", ""), text)
        folded = text.casefold()
        return None if any(name in folded for name in self._inner) else text

    def finding(self, finding: Finding) -> Finding | None:
        """The finding with pseudonyms; None if it may contain hidden names."""
        source = self._source_of(finding.file)
        if source is not None:
            rest = Path(finding.file[len(source) + 1 :])
            listed = f"/{rest.stem}" if {rest.stem, rest.name} & self._query_ids else ""
            finding = replace(
                finding,
                message=self._without_quotations(finding.message),
                action=self._without_quotations(finding.action),
            )
            file: str | None = f"{self._sources[source]}{listed}"
        elif finding.file in self._inputs:
            file = self.text(finding.file)
        else:
            return None
        message, action = self.text(finding.message), self.text(finding.action)
        if file is None or message is None or action is None:
            return None
        if len({name for name in self._pseudonyms if re.search(rf"\b{re.escape(name)}\b", message + action)}) > 1:
            return None  # a list of runs is in the order of the hidden names
        return replace(finding, file=file, message=message, action=action)

    def _source_of(self, file: str) -> str | None:
        return next((source for source in self._sources if f"{file}/".startswith(f"{source}/")), None)

    def _without_quotations(self, text: str) -> str:
        """The text without what it quotes from a file, except ids and classes of the benchmark."""
        kept = _QUOTED.sub(self._known_quotation, text)
        return _TAG.sub(f"tag {HIDDEN_TEXT}", kept)

    def _known_quotation(self, found: re.Match[str]) -> str:
        quoted = found[0]
        is_known = quoted[1:-1] in self._ids or quoted[1:-1] in ("id", "id distance", "distance id")
        return quoted if is_known else f"{quoted[0]}{HIDDEN_TEXT}{quoted[0]}"


def _normalised(text: str) -> str:
    """Composed characters, as names in files and those of files on macOS differ in this."""
    return unicodedata.normalize("NFC", text)
