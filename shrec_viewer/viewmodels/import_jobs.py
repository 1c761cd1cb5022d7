"""What the import dialog asks of the files: how they are understood, what a choice does, which ones leave a doubt."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shrec_viewer.domain import Benchmark, Cancelled, Finding, FormatError, Severity, ShrecError
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.formats.manifest import MANIFEST_NAME, read_manifest
from shrec_viewer.formats.preview import Preview, Question, preview
from shrec_viewer.formats.reading import UNSAID, Reading
from shrec_viewer.formats.reread import reread_run, with_run
from shrec_viewer.formats.settle import Answer, answers_of, settle
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.findings_place import place_of
from shrec_viewer.viewmodels.live_plan import files_named
from shrec_viewer.viewmodels.live_reload import kept_finding
from shrec_viewer.viewmodels.parsed_files import parse_cache
from shrec_viewer.viewmodels.tasks import Task

LINES = 18
"""Lines of a file that are shown: what fits beside the questions without scrolling."""

FIRST_RANKS = 8
"""Models of a list that are shown: as many as fit into a line."""

LEFT_OUT = "the run is left out"
"""How readers end a finding about a run that cannot be used."""

SECOND_TRUTH = "a second relevance assessment"
"""How the reader of the truth calls a file that could be it as well."""

ROLES = {
    "assessment": ("Relevance judgements", "assessment", "qrels", ("qrels", "pairs")),
    "collection": ("Classes of the collection", "collection", "classification", ("cla", "truth", "classes", "table")),
    "queries": ("Classes of the queries", "queries", "classification", ("cla", "truth", "classes", "table")),
}
"""What a file that is no run can be used as: what it is called, table and key of the description, readers for it."""


@dataclass(frozen=True)
class Subject:
    """A file that is looked at: the place of its run in the benchmark, or None."""

    path: Path
    run: int | None = None
    doubt: str = ""


@dataclass(frozen=True)
class Ranked:
    """One model of a list that a choice would give: its id and level."""

    name: str
    level: int


@dataclass(frozen=True)
class Effect:
    """What a choice would do to a run.

    Attributes
    ----------
    answered, asked : queries with a list, and all.
    query : id of the query whose list is shown.
    first : its first models; empty where it has no list.
    measure : key of the measure; "" where nothing can be measured.
    before, after : mean of the measure; NaN where there is none.
    problem : why the run cannot be read so; "" where it can.
    binary : the truth has no degrees: its level 1 is plainly relevant.
    """

    answered: int = 0
    asked: int = 0
    query: str = ""
    first: tuple[Ranked, ...] = ()
    measure: str = ""
    before: float = float("nan")
    after: float = float("nan")
    problem: str = ""
    binary: bool = False


def said_of(benchmark: Benchmark, source: Path, manifest: Path | None) -> Reading:
    """What the description of a benchmark says about the reading of a run."""
    path = manifest if manifest is not None else benchmark.root / MANIFEST_NAME
    try:
        entries = read_manifest(path).runs if path.is_file() else ()
    except FormatError:
        return UNSAID
    return next((entry.reading for entry in entries if entry.path == source), UNSAID)


def look(
    path: Path, choice: Reading | None, benchmark: Benchmark | None, manifest: Path | None, task: Task
) -> tuple[Preview, Reading]:
    """The preview of a file under a choice; None: as the description says. With the choice."""
    if choice is None:
        choice = UNSAID if benchmark is None else said_of(benchmark, path, manifest)
    return preview(path, choice, benchmark, rows=LINES, cancelled=task.cancelled, cache=parse_cache()), choice


def effect(
    benchmark: Benchmark,
    run: int,
    choice: Reading,
    manifest: Path | None,
    query: int,
    profile: Profile,
    measure: str,
    before: float,
    task: Task,
) -> Effect:
    """What reading a run so would give: the lists there are, the beginning of one, the mean of a measure."""
    try:
        found = reread_run(
            benchmark, run, reading=choice, manifest=manifest, cancelled=task.cancelled, cache=parse_cache()
        )
    except FormatError as error:
        finding = kept_finding(benchmark, error)
        return Effect(problem=f"{finding.place}: {finding.message}")
    changed = with_run(benchmark, run, found)
    answered = int(np.count_nonzero(found.run.present))
    first: tuple[Ranked, ...] = ()
    name = ""
    if 0 <= query < len(benchmark.queries):
        name = benchmark.queries.ids[query]
        ranked = ranked_list(changed, found.run, query, profile)
        pairs = zip(ranked.items[:FIRST_RANKS].tolist(), ranked.levels[:FIRST_RANKS].tolist(), strict=True)
        first = tuple(Ranked(benchmark.collection.ids[item] if item >= 0 else "?", level) for item, level in pairs)
    after = float("nan")
    if benchmark.assessment is not None and measure:
        try:
            scores = evaluate(changed, profile, runs=[found.run.name], measures=[measure], cancelled=task.cancelled)
        except Cancelled:
            raise
        except ShrecError as error:
            return Effect(problem=str(error))
        after = float(scores.mean()[0, 0])
    is_binary = benchmark.assessment is not None and tuple(benchmark.assessment.levels) == (1,)
    return Effect(answered, len(benchmark.queries), name, first, measure, before, after, binary=is_binary)


def doubts(benchmark: Benchmark, manifest: Path | None, task: Task) -> tuple[Subject, ...]:
    """Files that somebody should decide about: nothing in them tells how they are meant, or they fit nowhere."""
    found: dict[Path, Subject] = {}
    for finding in benchmark.findings:
        if task.cancelled():
            raise Cancelled
        if not _may_be_a_doubt(finding):
            continue
        place = place_of(benchmark, finding)
        if place.path is None or place.path in found:
            continue
        if place.run is not None:
            why = _unsure(place.path, benchmark, manifest, task)
        else:
            why = "" if finding.severity is Severity.INFO else finding.message
        if why:
            found[place.path] = Subject(place.path, place.run, why)
    return tuple(found.values())


def run_subjects(benchmark: Benchmark) -> tuple[Subject, ...]:
    """The runs."""
    return tuple(Subject(run.source, place) for place, run in enumerate(benchmark.runs))


def other_subjects(benchmark: Benchmark, task: Task) -> tuple[Subject, ...]:
    """Files that are no run and that findings name: classes, truth, queries."""
    return tuple(Subject(path) for path in files_named(benchmark) if path != benchmark.root / MANIFEST_NAME)


def write_down(target: Path, answers: Sequence[Answer], task: Task) -> Path:
    """Write answers into the description of a benchmark; returns where that is. FormatError where it cannot be."""
    settle(target, answers)
    return target / MANIFEST_NAME if target.is_dir() else target


def answers_for(subject: Subject, choice: Reading, role: str) -> tuple[Answer, ...]:
    """The lines that say a choice: how a run is read, or what another file is used as."""
    if role in ROLES:
        _, table, key, _ = ROLES[role]
        return (Answer(table, key, subject.path),)
    return answers_of(subject.path, choice) if subject.run is not None else ()


def roles_for(shown: Preview) -> tuple[tuple[str, str], ...]:
    """What a file that is no run can be used as: key and words."""
    return tuple((key, words) for key, (words, _, _, formats) in ROLES.items() if shown.format in formats)


def is_open(question: Question) -> bool:
    """Whether somebody should decide: the reader guesses, and the answers give different things.

    Columns may give the same number of known ids and other ranks.
    """
    return not question.sure and (question.key == "columns" or len({option.gives for option in question.options}) != 1)


def _may_be_a_doubt(finding: Finding) -> bool:
    if finding.severity is Severity.ERROR:
        return finding.action.startswith(LEFT_OUT)
    if finding.line is not None:
        return False
    return MANIFEST_NAME in finding.action or "nothing tells" in finding.message or SECOND_TRUTH in finding.message


def _unsure(path: Path, benchmark: Benchmark, manifest: Path | None, task: Task) -> str:
    try:
        shown = preview(
            path, said_of(benchmark, path, manifest), benchmark, cancelled=task.cancelled, cache=parse_cache()
        )
    except FormatError as error:
        return str(error)
    question = next(filter(is_open, shown.questions), None)
    return "" if question is None else f"{question.label} {_sentence(question.why)}"


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
