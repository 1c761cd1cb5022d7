"""Select the files that are runs of a benchmark, and find their names and participants."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.domain import FormatError, Run, Severity
from shrec_viewer.formats.core.decisions import Alternative, Decision
from shrec_viewer.formats.core.findings_log import (
    RUN_IGNORED,
    UNDECIDED,
    FindingsLog,
    RunIgnoredError,
    count_of,
    join_some,
)
from shrec_viewer.formats.core.ids import IdIndex, natural_key, without_extension
from shrec_viewer.formats.core.read_choices import split_roles
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.reader import EMPTY, IMAGE, MESH, FoundFile, OpenedRun
from shrec_viewer.formats.core.run_checks import log_absent_queries
from shrec_viewer.formats.discovery.chance import log_chance
from shrec_viewer.formats.discovery.reader_table import TRUTH_WORDS
from shrec_viewer.formats.discovery.reading import ReadFiles, RunCandidate
from shrec_viewer.formats.io.archive_names import archive_stem, has_archive_suffix
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.tables import TextTable, read_participants
from shrec_viewer.formats.io.text import looks_like_text, read_file_head, read_or_none
from shrec_viewer.formats.manifest.manifest import Manifest, RunEntry
from shrec_viewer.formats.matrices.matrix_blocks import are_incomplete_blocks, ignore_incomplete_blocks
from shrec_viewer.formats.runs.checks import QUERY_NAME_SHARE, index_with_affix
from shrec_viewer.formats.runs.rank_list_folder import LIST_FILE_KINDS, RankListFolder

#: Extensions of runfiles; anything else after a dot is part of the name: `TL.run3`.
RUN_SUFFIXES = re.compile(
    r"(\.(txt|matrix|npy|npz|tsv|json|run|trec|csv|dat|bin|dist|res|out|mat))?(\.gz)?$", re.IGNORECASE
)

#: Folders named after a split of the data, not after a method (SHREC'16/'17: `Author_Method/test_normal`).
SPLITS = re.compile(r"(?:test|val|train)(?:_(?:normal|perturbed))?")

#: Names of folders and runs that are not those of participants.
NOT_A_PARTICIPANT = re.compile(
    r"(?:all[-_ ]?)?(?:runs?|results?|submissions?|methods?|matri(?:x|ces)|(?:rank[-_ ]?)?lists?|dist(?:ances?)?|"
    r"outputs?|data|files|final|new|old|tests?|train|val|txt|npy|csv|mat|bin|text|binary)[-_ ]?[0-9]*",
    re.IGNORECASE,
)

#: Codes of runs as in SHREC 2006: a letter for the participant and a number for the run.
RUN_CODE = re.compile(r"([A-Z])[0-9]{1,2}")

#: Maximum number of parent folders in a name, for runs whose file names are equal.
MAX_PARENT_FOLDERS = 3


@dataclass(frozen=True)
class RunName:
    """Path, folders and manifest entry from which the name of a run is derived.

    Attributes
    ----------
    path : its file or folder.
    is_folder : it is a folder of lists.
    inside : folders that contain it, from the top, below the folder of the benchmark.
    entry : its entry in benchmark.toml; None for a run that was found.
    suffixes : extensions of its format.
    archive : name of the archive of which it is the only run, if its folders there say nothing; "" for none.
    """

    path: Path
    is_folder: bool
    inside: tuple[str, ...]
    entry: RunEntry | None = None
    suffixes: tuple[str, ...] = ()
    archive: str = ""

    @property
    def short(self) -> str:
        """Name of the folder, or of the file without the usual extensions; of the archive if that says nothing."""
        name = self.path.name
        if not self.is_folder:
            if name.lower().endswith(self.suffixes) and self.suffixes:
                name = name[: -len(self.path.suffix)]
            name = RUN_SUFFIXES.sub("", name) or name
        if self.archive and NOT_A_PARTICIPANT.fullmatch(name) and not name[-1].isdigit():
            return self.archive
        if not self.is_folder:
            return name
        return "/".join((*self.inside[-1:], name)) if SPLITS.fullmatch(name) else name

    def longer(self, depth: int) -> str:
        """The short name, preceded by this many parent folders."""
        return "/".join((*self.inside[max(0, len(self.inside) - depth) :], self.short.rsplit("/", 1)[-1]))


def parent_folders(paths: Sequence[Path], findings_log: FindingsLog) -> list[tuple[str, ...]]:
    """Folders that contain each run, from the top: below the benchmark, or below the common folder of others."""
    names = [Path(findings_log.name_of(path)) for path in paths]
    elsewhere = [name.parent for name in names if name.is_absolute()]
    shared = Path(os.path.commonpath(elsewhere)) if len({path.anchor for path in elsewhere}) == 1 else None
    found = []
    for path, name in zip(paths, names, strict=True):
        if has_archive_suffix(name) and archive_stem(name) != path.name:  # the only folder in an archive
            name = name / path.name
        if name.is_absolute():
            name = name.relative_to(shared) if shared is not None else Path(name.name)
        found.append(
            tuple(archive_stem(Path(part)) if has_archive_suffix(Path(part)) else part for part in name.parts[:-1])
        )
    return found


def _archives_of(paths: Sequence[Path], findings_log: FindingsLog) -> list[str]:
    """`RunName.archive` of each run."""
    names = [Path(findings_log.name_of(path)) for path in paths]
    insides = [next((part for part in (name, *name.parents) if has_archive_suffix(part)), None) for name in names]
    found = []
    for name, archive in zip(names, insides, strict=True):
        between = name.relative_to(archive).parts[:-1] if archive is not None else ()
        is_named = archive is not None and insides.count(archive) == 1
        says_nothing = is_named and all(NOT_A_PARTICIPANT.fullmatch(part) for part in between)
        found.append(archive_stem(archive) if archive is not None and says_nothing else "")
    return found


def unique_run_names(runs: Sequence[RunName], findings_log: FindingsLog) -> list[str]:
    """Distinct names, in the order of `runs`.

    Names of benchmark.toml are used as they are; a duplicate gets its participant as a prefix or a number as a suffix,
    with a finding. Other names get as much of their extension and of the parent folders as makes them distinct.
    """
    names = [run.entry.name if run.entry is not None and run.entry.name else "" for run in runs]
    named = [index for index, name in enumerate(names) if name]
    _resolve_manifest_names(runs, names, named, findings_log)
    taken = {names[index] for index in named}
    unnamed = [index for index, name in enumerate(names) if not name]
    for index in unnamed:
        names[index] = runs[index].short
    for depth in range(MAX_PARENT_FOLDERS + 1):
        counts = Counter(names[index] for index in unnamed)
        duplicates = [index for index in unnamed if counts[names[index]] > 1 or names[index] in taken]
        folders = Counter((names[index], runs[index].path.parent) for index in duplicates)
        for index in duplicates:
            run = runs[index]
            if depth:
                names[index] = run.longer(depth)
            elif names[index] in taken or folders[names[index], run.path.parent] > 1:
                names[index] = run.path.name
    for index in unnamed:
        names[index] = unused_name(names[index], taken)
        taken.add(names[index])
        if names[index] != runs[index].short:
            message = f"duplicate run name '{runs[index].short}'"
            findings_log.info(runs[index].path, message, f"renamed to '{names[index]}'")
    return names


def _resolve_manifest_names(
    runs: Sequence[RunName], names: list[str], named: Sequence[int], findings_log: FindingsLog
) -> None:
    taken: set[str] = set()
    for index in named:
        entry, name = runs[index].entry, names[index]
        assert entry is not None
        if name in taken:
            qualified = f"{entry.participant}/{name}"
            names[index] = qualified if entry.participant and qualified not in taken else unused_name(name, taken)
            file = entry.manifest if entry.manifest is not None else entry.path
            message = f"duplicate run name '{name}'"
            findings_log.warning(file, message, f"renamed to '{names[index]}'", line=entry.line)
        taken.add(names[index])


def unused_name(name: str, taken: set[str]) -> str:
    """The name, with the lowest number from 2 on in parentheses if it is taken."""
    number, found = 2, name
    while found in taken:
        found, number = f"{name} ({number})", number + 1
    return found


def find_participants(runs: Sequence[RunName], names: Sequence[str]) -> list[str]:
    """Participant of each run, from folders and names.

    The folder, if the runs are in several folders that can be those of participants (`Kim/run1`); the part before a
    dot (`TL.run3`); the part before an underscore that several runs share (`smith_LFD`, `smith_D2`); the letter of a
    code (`M2`), if most runs have one; else the name.
    """
    folders = [[part for part in run.inside if not NOT_A_PARTICIPANT.fullmatch(part)] for run in runs]
    n_shared = _n_shared_folders(folders)
    participants = [folder[n_shared] if len(folder) > n_shared else "" for folder in folders]
    plain = [run.short if name == run.path.name else name for run, name in zip(runs, names, strict=True)]
    for index, guess in enumerate(guess_participants(plain)):
        if NOT_A_PARTICIPANT.fullmatch(guess) and folders[index]:
            guess = folders[index][-1]
        participants[index] = participants[index] or guess
    return participants


def _n_shared_folders(folders: Sequence[Sequence[str]]) -> int:
    """Number of folders at the top that all runs share."""
    depth = 0
    while all(len(folder) > depth and folder[depth] == folders[0][depth] for folder in folders) and folders:
        depth += 1
    return depth


def guess_participants(names: Sequence[str]) -> list[str]:
    """Participant of each run by its name, see `find_participants`.

    Examples
    --------
    >>> guess_participants(["M2", "TL.run3", "smith_LFD", "smith_D2", "d2_l1"])
    ['M2', 'TL', 'smith', 'smith', 'd2_l1']
    >>> guess_participants(["M1", "M2", "S1"]), guess_participants(["VGG16", "VGG19", "run1", "run2"])
    (['M', 'M', 'S'], ['VGG16', 'VGG19', 'run1', 'run2'])
    """
    most_are_codes = 2 * sum(RUN_CODE.fullmatch(name) is not None for name in names) > len(names)
    prefixes = Counter(name.split("_")[0] for name in names if "_" in name)
    found = []
    for name in names:
        participant = name
        if "/" in name:
            participant = name.split("/")[0]
        elif "." in name.strip("."):
            participant = name.split(".")[0]
        elif "_" in name:
            participant = name.split("_")[0] if prefixes[name.split("_")[0]] > 1 else name
        elif RUN_CODE.fullmatch(name):
            participant = name[0] if most_are_codes else name
        found.append(name if not participant or NOT_A_PARTICIPANT.fullmatch(participant) else participant)
    return found


#: Extensions of files that are stored next to models under the same names; they are never ranked lists.
MODEL_SIDECAR_SUFFIXES = (".mtl", ".json", ".xml", ".html", ".md", ".log")

#: Maximum length of a line quoted in a message.
MAX_QUOTED_CHARS = 40


def select_runs(files: ReadFiles, parts: Manifest, context: ReadContext) -> list[RunCandidate]:
    """Runs named in benchmark.toml, and those found that belong to the benchmark; other runs are findings."""
    named = [candidate for candidate in files.named_runs if candidate.entry in parts.runs]
    paths = {candidate.run.path for candidate in named}
    rejected = {run.path for run in files.runs if run.parsed.file_paths() and not _is_of(run, context)}
    folders = {run.path for run in (*files.runs, *(candidate.run for candidate in named))} - rejected
    blocks = _log_incomplete_blocks(files, rejected - paths, context)
    rejected |= blocks
    folders |= {path.parent for path in blocks}
    lists = _log_query_named_folders(files, folders, context) if len(context.queries) else set()
    truth = (files.named_qrels, files.classification, files.query_classes)
    unfit = paths | lists | rejected | {parts.qrels, parts.classification, parts.query_classification}
    unfit |= {content.path for content in truth if content is not None}  # in a folder that is named
    others = [run for run in files.runs if run.path not in unfit and run.path.parent not in paths]
    runs = [run for run in others if _is_of(run, context)]
    parts_of_runs = {path for run in runs for path in run.parsed.file_paths()}
    runs = [run for run in runs if run.path not in parts_of_runs]
    if parts.runs_in is not None:
        only = parts.runs_in
        runs = [run for run in runs if run.path.is_relative_to(only)]
        if not runs or split_roles(parts.read_options.columns):
            found = [RunCandidate(one.run, None, one.options) for one in files.named_runs if one.run.path == only]
            if found or not runs:
                return found
    if parts.runs:
        _log_other_runs(runs, parts, context)
    if parts.only_listed_runs:
        runs = []
    return [*named, *(RunCandidate(run, None, parts.read_options) for run in runs)]


def _log_incomplete_blocks(files: ReadFiles, folders: set[Path], context: ReadContext) -> set[Path]:
    """Report folders whose matrices are blocks that do not add up to a run, such as where a file is missing.

    Returns the files, of which none is a complete run either.
    """
    blocks: set[Path] = set()
    for folder in sorted(folders):
        shapes = {run.path: run.parsed.matrix_shape() or () for run in files.runs if run.path.parent == folder}
        if all(shapes.values()) and are_incomplete_blocks(shapes, context):
            with suppress(RunIgnoredError):
                ignore_incomplete_blocks(folder, shapes, context)
            blocks |= set(shapes)
    return blocks


def _is_of(run: OpenedRun, context: ReadContext) -> bool:
    """Whether a run that was found is one of the benchmark; False, with an error finding, if its file has changed."""
    try:
        return run.belongs_to(context)
    except FormatError as error:
        context.findings_log.failed(error, "the run is ignored", key=RUN_IGNORED)
        return False


def _log_other_runs(runs: Sequence[OpenedRun], parts: Manifest, context: ReadContext) -> None:
    """Report the runs that ``[[runs]]`` does not name, and how to ignore or read them."""
    if not runs:
        return
    findings_log = context.findings_log
    manifest = findings_log.manifest.path if findings_log.manifest is not None else findings_log.root
    message = f"{count_of(len(runs), 'run')} not named in [[runs]]: "
    message += join_some([findings_log.mention(run.path) for run in runs])
    if parts.only_listed_runs:
        findings_log.info(manifest, message, "ignored, because of only_listed_runs")
        return
    ways = Alternative("false", "read as well"), Alternative("true", "only the named ones")
    decision = Decision("only_listed_runs", ways, "false", problem=message)
    findings_log.decide(manifest, decision, Severity.INFO, key="")


def load_runs(
    candidates: Sequence[RunCandidate],
    context: ReadContext,
    side_tables: Sequence[TextTable],
    progress: ReadProgress = NO_PROGRESS,
) -> tuple[Run, ...]:
    """The runs that can be ranked: those of benchmark.toml in its order, then the others in natural order of names.

    A run that cannot be ranked is an error finding.
    """
    paths = [found.run.path for found in candidates]
    folders, archives = parent_folders(paths, context.findings_log), _archives_of(paths, context.findings_log)
    unnamed = [
        RunName(found.run.path, found.run.is_folder, inside, found.entry, found.run.reader.suffixes, archive)
        for found, inside, archive in zip(candidates, folders, archives, strict=True)
    ]
    names = unique_run_names(unnamed, context.findings_log)
    participants = _participants_of_tables(candidates, side_tables, context)
    derived_participants = find_participants(unnamed, names)
    listed = [index for index, found in enumerate(candidates) if found.entry is not None]
    rest = sorted({*range(len(candidates))} - {*listed}, key=lambda index: natural_key(names[index]))
    runs = []
    options = []
    for done, index in enumerate((*listed, *rest)):
        candidate, name = candidates[index], names[index]
        progress.report(done, len(candidates), "run")
        try:
            ranking = candidate.run.rank(context, candidate.options, progress.cancelled)
        except RunIgnoredError:
            continue
        except FormatError as error:  # a list, or the file of a large matrix, is being rewritten
            context.findings_log.failed(error, "the run is ignored", key=RUN_IGNORED)
            parsed = candidate.run.parsed
            lists = [file.path for file in parsed.files] if isinstance(parsed, RankListFolder) else []
            for path in (*lists, *parsed.file_paths()):
                context.findings_log.mention(path)
            continue
        if ranking is not None:
            with suppress(FormatError):  # a large matrix changes; its evaluation reports that
                log_chance(candidate.run.path, ranking, context, candidate.options)
            options.append(candidate.options)
            named_participant = candidate.entry.participant if candidate.entry is not None else None
            participant = named_participant or participants.get(name) or derived_participants[index]
            runs.append(Run(name, participant, candidate.run.path, ranking))
    if candidates:
        progress.report(len(candidates), len(candidates), "run")
    with suppress(FormatError):  # a large matrix changes; its evaluation reports that
        log_absent_queries(runs, options, context, progress.cancelled)
    return tuple(runs)


def _participants_of_tables(
    candidates: Sequence[RunCandidate], side_tables: Sequence[TextTable], context: ReadContext
) -> dict[str, str]:
    """Participant of each run, from the first table that names some of the runs."""
    names = {RunName(found.run.path, found.run.is_folder, (found.run.path.parent.name,)).short for found in candidates}
    for table in side_tables:
        participants = read_participants(table)
        if names & set(participants):
            context.findings_log.info(table.path, "a table of runs and participants", "participants taken from it")
            return participants
    return {}


def _log_query_named_folders(files: ReadFiles, runs: set[Path], context: ReadContext) -> set[Path]:
    """Report folders whose files are named after queries but are not rank lists, and empty folders next to runs.

    Returns the files named after queries, which must not be read as one run each.
    """
    ignored: set[Path] = set()
    complete = {run.path for run in files.runs if _is_whole_matrix(run, context)}
    for folder, found in files.found.folders.items():
        possible_lists = [file for file in found if file.path not in complete]
        lists, queries = ([], context.query_ids) if folder in runs else _query_named_files(possible_lists, context)
        if lists:
            is_beside_runs = any(path.parent == folder.parent for path in runs)
            _log_query_named_folder(folder, lists, queries, context, is_beside_runs=is_beside_runs)
            ignored |= {file.path for file in lists}
    parents = {path.parent for path in runs}
    for folder in _empty_folders(files):
        if folder.parent in parents:
            context.findings_log.warning(folder, "is empty, next to runs", "ignored")
    return ignored


def _is_whole_matrix(run: OpenedRun, context: ReadContext) -> bool:
    """Whether a matrix has a row per query and a column per model; its file may be named like a query (``A.npy``)."""
    shape, full = run.parsed.matrix_shape(), (len(context.queries), len(context.collection))
    return shape is not None and full[0] > 1 and (shape == full or shape == (full[0] * full[1],))


def _query_named_files(files: Sequence[FoundFile], context: ReadContext) -> tuple[list[FoundFile], IdIndex]:
    """Files that could be lists, if most are named after a query and not after a mesh or image in the same folder.

    Also the index that matches their names to queries; at least one file is named after a query if there are any.
    """
    lists = [
        file
        for file in files
        if file.kind in LIST_FILE_KINDS and file.path.suffix.lower() not in MODEL_SIDECAR_SUFFIXES
    ]
    names = [without_extension(file.path.name) for file in lists]
    queries, _ = index_with_affix(names, context.query_ids)
    if len(lists) < 2 or queries.share(names) < QUERY_NAME_SHARE:
        return [], queries
    models = {without_extension(file.path.name) for file in files if file.kind in (MESH, IMAGE)}
    if sum(name in models for name in names) >= QUERY_NAME_SHARE * len(names):
        return [], queries
    lists = [file for file in lists if not _is_binary_matrix(file)]
    return lists if any(queries.index_of(file.path.name) >= 0 for file in lists) else [], queries


def _is_binary_matrix(file: FoundFile) -> bool:
    """Whether a file is a matrix that is not text; numbers as text may be a list of models."""
    head = read_or_none(read_file_head, file.path) if file.kind == "matrix" else None
    return head is not None and not looks_like_text(head.data)


def _log_query_named_folder(
    folder: Path, lists: Sequence[FoundFile], queries: IdIndex, context: ReadContext, *, is_beside_runs: bool
) -> None:
    findings_log = context.findings_log
    named = [file for file in lists if queries.index_of(file.path.name) >= 0]
    query = context.queries.ids[queries.index_of(named[0].path.name)]
    message = f"{count_of(len(named), 'file is', 'files are')} named after queries"
    message += f" ('{named[0].path.name}' after '{query}')"
    for file in lists:
        findings_log.mention(file.path)
    filled = [file for file in named if file.kind != EMPTY]
    if not filled:
        findings_log.error(folder, f"{message}, and all are empty", "the run is ignored", key=RUN_IGNORED)
        return
    first = filled[0].path
    line = next(iter(_first_lines(first)), "")
    model = context.collection.ids[0] if len(context.collection) else ""
    message += f", but the first line of '{first.name}', '{line[:MAX_QUOTED_CHARS]}', is not one of a ranked list"
    message += f" of models such as '{model}'"
    words = line.replace(",", " ").replace(";", " ").replace('"', " ").split()
    resembles_list = any(context.items.index_of(word) >= 0 for word in words) and len(words) <= len(context.collection)
    is_undecodable = is_beside_runs and not line
    severity = Severity.ERROR if resembles_list or is_undecodable else Severity.WARNING
    if TRUTH_WORDS.search(folder.name):
        severity = Severity.INFO
    expected = (
        "ignored; lines 'id', 'id distance' or 'distance id' are expected, best first, or the roles of other columns "
        "(--runs FOLDER --list-columns -,model,distance)"
    )
    uses = Alternative("", expected), Alternative("rank_list", "rank lists")
    key = RUN_IGNORED if severity is Severity.ERROR else UNDECIDED
    findings_log.decide(folder, Decision("format", uses, "", problem=message), severity, key=key)


def _first_lines(path: Path) -> tuple[str, ...]:
    head = read_or_none(read_file_head, path)
    return () if head is None else head.lines[:1]


def _empty_folders(files: ReadFiles) -> Iterator[Path]:
    parents = {folder.parent for folder in files.found.folders}
    yield from (folder for folder, found in files.found.folders.items() if not found and folder not in parents)
