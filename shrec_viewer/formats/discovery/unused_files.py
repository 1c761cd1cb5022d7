"""Findings about what a benchmark lacks and about files that are not used."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from shrec_viewer.domain import Assessment, Benchmark, Cancelled, ClassAssessment, FormatError
from shrec_viewer.formats.core.findings_log import (
    PROFILE_SUGGESTED,
    UNDECIDED,
    FindingsLog,
    count_of,
    join_some,
)
from shrec_viewer.formats.core.found_files import EMPTY, IMAGE, MESH, UNKNOWN, FoundFile
from shrec_viewer.formats.core.ids import AMBIGUOUS, IdIndex, without_extension
from shrec_viewer.formats.core.own_results import OWN_RESULTS
from shrec_viewer.formats.core.path_roles import CERTAIN_QUERY_WORDS
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.discovery.file_matching import FileMatch, MatchedFiles
from shrec_viewer.formats.discovery.reading import ReadFiles
from shrec_viewer.formats.discovery.recognition import IMAGE_SUFFIXES
from shrec_viewer.formats.discovery.run_selection import RunCandidate
from shrec_viewer.formats.io.progress import ReadProgress
from shrec_viewer.formats.io.tables import head_rows
from shrec_viewer.formats.io.text import is_number, read_file_head
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME, PROJECT_SUFFIX
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.runs.rank_list_folder import RankListFolder
from shrec_viewer.formats.truth.id_lists import read_plain_ids
from shrec_viewer.formats.truth.labels import LabelTable

UNREAD_ARCHIVE_SUFFIXES = (".zip", ".rar", ".7z", ".tar", ".bz2", ".xz", ".tgz")
"""Extensions of archives, which may hold runs or models but are not read."""

OTHER_SPLIT_SHARE = 0.9
"""Minimum share of a folder's lists that must be named after ids of a table to be reported as lists for that table."""

MAX_QUOTED_FILES = 4
"""Maximum number of files that are quoted if a folder is not a benchmark."""

MAX_QUOTED_CHARS = 40


def log_unmatched_files(context: ReadContext, matched: MatchedFiles, source: Path) -> None:
    """One finding each for models without file, queries without file and files without id.

    `source`: the file that lists the models.
    """
    findings_log = context.findings_log
    _log_file_match(matched.models, context.collection.ids, ("model has", "models have"), source, findings_log)
    _log_file_match(
        matched.queries, context.queries.ids, ("query has", "queries have"), findings_log.root, findings_log
    )
    if matched.unmatched_files:
        names = [findings_log.name_of(path) for path in matched.unmatched_files]
        text = count_of(len(names), "mesh or image matches", "meshes or images match")
        findings_log.info(findings_log.root, f"{text} no model: {join_some(names)}", "ignored")


def _log_file_match(
    match: FileMatch, ids: Sequence[str], nouns: tuple[str, str], source: Path, findings_log: FindingsLog
) -> None:
    missing = [name for name, path in zip(ids, match.paths, strict=False) if path is None]
    if match.n_with_file and missing:
        message = f"{count_of(len(missing), *nouns)} no file: {join_some(sorted(missing))}"
        findings_log.warning(source, message, "shown without a thumbnail")
    for rule, (count, word) in match.rules.items():
        if rule == AMBIGUOUS:
            message = f"file '{word}' matches several ids"
            findings_log.warning(findings_log.root, message, "ignored", count=count)
        else:
            findings_log.info(findings_log.root, f"files match {rule}: for example '{word}'", "matched", count=count)
    if match.spare:
        message = f"several files have the same id: {join_some([path.name for path in match.spare])}"
        findings_log.info(findings_log.root, message, "meshes before images, the first one is used")


MAX_FAULTS = 5
"""Maximum number of meshes with the same fault that have a finding each; more meshes have one in common."""


MeshChecker = Callable[[Sequence[Path]], Iterator[tuple[Path, str]]]
"""Returns each mesh, in any order, with why it cannot be drawn as declared; "" for a valid one."""


def log_mesh_faults(
    benchmark: Benchmark, check_meshes: MeshChecker, findings_log: FindingsLog, progress: ReadProgress
) -> None:
    """One finding for each mesh of a model or query that is truncated or damaged."""
    paths = [path for path in (*benchmark.collection.paths, *benchmark.queries.paths) if path is not None]
    meshes = [path for path in dict.fromkeys(paths) if path.suffix.lower() not in IMAGE_SUFFIXES]
    found: dict[Path, str] = {}
    for path, fault in check_meshes(meshes):
        if progress.cancelled():
            raise Cancelled
        found[path] = fault
        if progress.progress is not None:
            progress.progress(len(found), len(meshes), "meshes checked")
    faults: dict[str, list[Path]] = {}
    for path in meshes:
        if fault := found.get(path, ""):
            faults.setdefault(fault, []).append(path)
    for fault, damaged in faults.items():
        for path in damaged[: len(damaged) if len(damaged) <= MAX_FAULTS else 1]:
            others = f" ({len(damaged):,} meshes, this is the first)" if len(damaged) > MAX_FAULTS else ""
            findings_log.warning(path, f"the mesh {_as_clause(fault)}{others}", "the model stays in the collection")


FAULT_VERBS = ("is", "has", "does", "cannot", "contains", "declares")
"""First words of faults whose subject is the mesh."""


def _as_clause(fault: str) -> str:
    """A fault of a mesh as a clause after "the mesh": ``"is an empty file"``."""
    return fault if fault.split()[0] in FAULT_VERBS else f"is damaged: {fault}"


def log_missing_parts(
    context: ReadContext, candidates: Sequence[RunCandidate], n_runs: int, profile: str | None
) -> None:
    """Findings about missing queries, assessment and runs, and a hint to the profile psb."""
    findings_log, queries, assessment = context.findings_log, context.queries, context.assessment
    if not len(queries):
        findings_log.warning(findings_log.root, "no queries found", "the models can be viewed")
    elif assessment is None:
        message = "no relevance assessment: neither classes of models and queries nor qrels"
        findings_log.warning(findings_log.root, message, "ranked lists can be viewed; no measures")
    if not n_runs:
        lost = " that can be read" if candidates else ""
        findings_log.warning(findings_log.root, f"no runs found{lost}", "no measures")
    square = any(isinstance(found.run.parsed, MatrixFile) for found in candidates)
    queries_collection = queries.are_members and len(queries) == len(context.collection)
    if profile is None and queries_collection and square and _is_one_class(assessment):
        message = "a square matrix over a classification, as evaluated by Princeton's tools"
        action = "evaluated with the default profile; the profile psb follows Princeton"
        findings_log.info(findings_log.root, message, action, key=PROFILE_SUGGESTED)


def _is_one_class(assessment: Assessment | None) -> bool:
    return isinstance(assessment, ClassAssessment) and not assessment.graded


def log_unused_files(files: ReadFiles, runs: Sequence[Path], findings_log: FindingsLog) -> None:
    """One finding for the files that no other finding is about."""
    mentioned = findings_log.mentioned
    run_names = {findings_log.name_of(path) for path in runs}
    unused, own = [], []
    for found in files.found.files():
        if found.kind in (MESH, IMAGE):
            continue
        name = findings_log.name_of(found.path)
        is_manifest = found.path.name == MANIFEST_NAME or found.path.suffix.lower() == PROJECT_SUFFIX
        is_known = is_manifest or name in mentioned
        if found.kind == OWN_RESULTS:
            own.append(name)
        elif not is_known and findings_log.name_of(found.path.parent) not in run_names:
            unused.append(name)
    if own:
        message = f"{count_of(len(own), 'file')} of results of this program: {join_some(own)}"
        findings_log.info(findings_log.root, message, "ignored")
    archives = [name for name in unused if Path(name).suffix.lower() in UNREAD_ARCHIVE_SUFFIXES]
    if archives:
        message = f"{count_of(len(archives), 'archive')} not read: {join_some(archives)}"
        findings_log.warning(findings_log.root, message, "unpack them if they hold runs or models")
    unused = [name for name in unused if name not in archives]
    if unused:
        message = f"{count_of(len(unused), 'file is', 'files are')} not part of the benchmark: {join_some(unused)}"
        findings_log.info(findings_log.root, message, "ignored")


def log_other_splits(
    files: ReadFiles,
    tables: Sequence[LabelTable],
    candidates: Sequence[RunCandidate],
    findings_log: FindingsLog,
) -> None:
    """One finding for each folder of lists whose queries are in a table that is not used."""
    folders = [run.parsed for run in files.runs if isinstance(run.parsed, RankListFolder)]
    taken = {candidate.run.path for candidate in candidates}
    indices = [(table, IdIndex(table.ids)) for table in tables]
    for folder in folders:
        if folder.path in taken or not folder.names:
            continue
        known = [table for table, index in indices if index.share(folder.names, exact=True) >= OTHER_SPLIT_SHARE]
        if known:
            for file in folder.files:
                findings_log.mention(file.path)
            table, name = known[0].path, findings_log.name_of(folder.path)
            message = f"{count_of(len(folder.names), 'rank list')} for the models of '{findings_log.name_of(table)}'"
            setting = findings_log.file_setting("collection", "classification", "classification", table)
            setting = replace(setting, option=f"{setting.option} --runs {shlex.quote(name)}")
            action = "not measured; to measure them instead"
            findings_log.warning(folder.path, f"{message}, which is not used", action, setting=setting)


def not_a_benchmark_error(root: Path, files: ReadFiles) -> FormatError:
    """Error for a folder that is not a benchmark: that of the first unreadable file, else what is missing."""
    if files.failures:
        return files.failures[0]
    all_files = files.found.files()
    if not all_files:
        return FormatError(root, "is empty: a benchmark has models, a classification or runs")
    is_one = len(all_files) == 1
    who = "its only file is not" if is_one else f"none of its {count_of(len(all_files), 'file')} is"
    message = f"is not a benchmark: {who} a mesh, a classification or a run"
    quoted = [f"'{found.path.name}' {_describe_beginning(found)}" for found in all_files[:MAX_QUOTED_FILES]]
    name = all_files[0].path.name
    hint = f'name the role of a file in {MANIFEST_NAME}, such as [collection] classification = "{name}"'
    return FormatError(root, f"{message}: {'; '.join(quoted)}; {hint}")


def _describe_beginning(found: FoundFile) -> str:
    """Beginning of a file for a message."""
    if found.kind == EMPTY:
        return "is empty"
    try:
        head = read_file_head(found.path)
    except FormatError as error:
        return error.reason
    if head.text is None:
        return "is not a text file"
    line = next(iter(head.lines), "").strip()
    return f"begins with '{line[:MAX_QUOTED_CHARS]}{'...' if len(line) > MAX_QUOTED_CHARS else ''}'"


KNOWN_CELL_SHARE = 0.9
"""Share of the cells of a table that must be models for it to be reported as a run that is not read."""

KNOWN_QUERY_SHARE = 0.75
"""Share of the rows of a table that must begin with a query for it to be reported as a submission."""

MIN_MODELS = 3
"""Minimum number of models in a row of such a table."""

MAX_TABLES = 500
"""Number of tables up to which they are compared with the ids; more are files of the models."""


def log_unread_tables(files: ReadFiles, context: ReadContext) -> None:
    """A warning for each table of model ids that is not read as a run, and each list of queries that is not used."""
    tables = files.found.files("table", "submission", UNKNOWN)
    for found in tables if len(tables) <= MAX_TABLES else ():
        if context.findings_log.name_of(found.path) not in context.findings_log.mentioned:
            _log_unread_table(found.path, context)
    for found in files.found.files("rank_list", UNKNOWN):
        if CERTAIN_QUERY_WORDS.search(found.path.stem):
            _log_query_list(found.path, context)


def _log_unread_table(path: Path, context: ReadContext) -> None:
    try:
        rows = head_rows(read_file_head(path))
    except FormatError:
        return  # reported by an earlier step
    findings_log = context.findings_log
    if rows and len(rows[0]) == MIN_MODELS and _are_pairs(rows, context):
        message = f"rows of a query, a model and a number, such as '{', '.join(rows[0])}', without a header"
        setting = findings_log.run_setting(path, "format", "long")
        findings_log.warning(path, message, "ignored; to read it as a run", key=UNDECIDED, setting=setting)
    if not rows or len(rows[0]) <= MIN_MODELS:
        return
    query = f", such as '{context.queries.ids[0]}'" if len(context.queries) else ""
    has_queries = len(context.queries) and context.query_ids.share([row[0] for row in rows]) >= KNOWN_QUERY_SHARE
    if has_queries and context.items.share([cell for row in rows for cell in row[1:]]) >= KNOWN_QUERY_SHARE:
        message = f"rows of a query{query}, and {count_of(len(rows[0]) - 1, 'known model')}"
        setting = findings_log.run_setting(path, "format", "submission")
        findings_log.warning(path, message, "ignored; to read it as a submission", key=UNDECIDED, setting=setting)
    elif not has_queries and context.items.share([cell for row in rows for cell in row]) >= KNOWN_CELL_SHARE:
        message = f"rows of {count_of(len(rows[0]), 'known model')}, the first '{rows[0][0]}', but no query before them"
        findings_log.warning(path, message, f"ignored: each row must begin with its query{query}", line=1)


def _are_pairs(rows: Sequence[Sequence[str]], context: ReadContext) -> bool:
    queries, models, numbers = zip(*rows, strict=True)
    has_ids = min(context.query_ids.share(queries), context.items.share(models)) >= KNOWN_QUERY_SHARE
    return has_ids and all(is_number(word) for word in numbers)


def _log_query_list(path: Path, context: ReadContext) -> None:
    """A list of models whose file name says that they are the queries."""
    findings_log = context.findings_log
    try:
        ids = read_plain_ids(path)
    except FormatError:
        return
    name = findings_log.name_of(path)
    is_answer = context.query_ids.index_of(without_extension(path.name)) >= 0
    if name in findings_log.mentioned or is_answer or len(ids) < 2 or set(ids) == set(context.queries.ids):
        return
    if context.items.share(ids, exact=True) >= KNOWN_CELL_SHARE or context.query_ids.share(ids) >= KNOWN_CELL_SHARE:
        setting = findings_log.file_setting("queries", "classification", "queries", path)
        message = f"looks like a list of {count_of(len(ids), 'query', 'queries')}"
        findings_log.warning(path, message, "ignored; to use it", key=UNDECIDED, setting=setting)
