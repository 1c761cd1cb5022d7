"""Findings about files that are unused, missing, damaged, or probably unreadable runs."""

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shrec_viewer.domain import (
    Assessment,
    Benchmark,
    ClassAssessment,
    DistanceMatrix,
    Finding,
    FormatError,
    Run,
    Severity,
)
from shrec_viewer.formats.core.decisions import Alternative, Decision
from shrec_viewer.formats.core.findings_log import (
    MAX_SEPARATE_FINDINGS,
    PROFILE_SUGGESTED,
    RUN_IGNORED,
    FindingsLog,
    count_of,
    join_some,
)
from shrec_viewer.formats.core.ids import AMBIGUOUS, CERTAIN_QUERY_WORDS, IdIndex, without_extension
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.reader import EMPTY, IMAGE, MESH, UNKNOWN, FoundFile, OpenedRun
from shrec_viewer.formats.discovery.file_matching import FileMatch, MatchedFiles
from shrec_viewer.formats.discovery.ids_and_classes import ModelSet
from shrec_viewer.formats.discovery.reader_table import OWN_RESULTS, QUERY_PARTS, run_readers
from shrec_viewer.formats.discovery.reading import ReadFiles, RunCandidate, describe_beginning, quoted
from shrec_viewer.formats.discovery.recognition import IMAGE_SUFFIXES
from shrec_viewer.formats.io.progress import ReadProgress
from shrec_viewer.formats.io.tables import head_rows, separator_of
from shrec_viewer.formats.io.text import (
    NO_ROWS,
    FileHead,
    has_rows,
    is_comment,
    is_number,
    is_utf16,
    looks_like_text,
    os_error_text,
    read_file_head,
    read_or_none,
)
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME, PROJECT_SUFFIX, Manifest
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.matrices.zarr_store import ZARR
from shrec_viewer.formats.runs.list_run import ACCEPTED, is_json
from shrec_viewer.formats.runs.pair_table import is_header_of_pairs, table_rows, taken_for
from shrec_viewer.formats.runs.rank_list_folder import RankListFolder
from shrec_viewer.formats.truth.class_tables import LabelTable
from shrec_viewer.formats.truth.id_lists import read_plain_ids
from shrec_viewer.formats.truth.qrels import is_level

#: Extensions of archives, which may hold runs or models but are not read.
UNREAD_ARCHIVE_SUFFIXES = (".zip", ".rar", ".7z", ".tar", ".bz2", ".xz", ".tgz")

#: Minimum share of a folder's lists that must be named after ids of a table to be reported as lists for that table.
OTHER_SPLIT_SHARE = 0.9

#: Maximum number of files that are quoted if a folder is not a benchmark.
MAX_QUOTED_FILES = 4


def log_unmatched_files(context: ReadContext, matched: MatchedFiles, models: ModelSet) -> None:
    """One finding each for models without file, queries without file and files without id."""
    findings_log = context.findings_log
    root, source = findings_log.root, models.source or findings_log.root
    _log_file_match(matched.models, context.collection.ids, ("model has", "models have"), source, findings_log)
    _log_file_match(matched.queries, context.queries.ids, ("query has", "queries have"), root, findings_log)
    left_out = {*models.left_out} - {file.path for file in matched.queries.files.values()}
    if left_out:
        names = [findings_log.name_of(path) for path in models.left_out if path in left_out]
        text = count_of(len(names), "model is in a file", "models are in files")
        problem = f"{text} that neither qrels nor runs name: {join_some(names)}"
        all_files = [Alternative(source, "all files")] if source != root else []
        uses = Alternative("", "not part of the collection"), *all_files
        findings_log.decide(source, Decision("models", uses, "", problem=problem), Severity.WARNING)
    names = [findings_log.name_of(file.path) for file in matched.unmatched_files if file.path not in left_out]
    if names:
        text = count_of(len(names), "mesh or image matches", "meshes or images match")
        findings_log.info(root, f"{text} no model: {join_some(names)}", "ignored")


def _log_file_match(
    match: FileMatch, ids: Sequence[str], nouns: tuple[str, str], source: Path, findings_log: FindingsLog
) -> None:
    missing = [name for item, name in enumerate(ids) if item not in match.files] if match.files else []
    if missing:
        message = f"{count_of(len(missing), *nouns)} no file: {join_some(sorted(missing))}"
        findings_log.warning(source, message, "shown without a thumbnail")
    for rule, (count, word) in match.rules.items():
        if rule == AMBIGUOUS:
            message = f"file '{word}' matches several ids"
            findings_log.warning(findings_log.root, message, "ignored", count=count)
        else:
            findings_log.info(findings_log.root, f"files match {rule}: for example '{word}'", "matched", count=count)
    if match.spare:
        example = f"such as '{findings_log.name_of(match.spare[0])}'"
        message = f"{count_of(len(match.spare), 'more file', 'more files')} of ids that have one, {example}"
        action = "not used; a mesh is before an image, and 'normalized' or 'simplified' before 'raw'"
        findings_log.info(findings_log.root, message, action)


#: Maximum number of meshes with the same fault that have a finding each; more meshes have one in common.
MAX_FAULTS = 5


#: Returns each file, in any order, with the result of a function that can be sent to another process, or with the text
#: of an error.
MeshChecker = Callable[[Sequence[Path], Callable[[Path], Any]], Iterator[tuple[Path, Any]]]


def log_mesh_faults(
    benchmark: Benchmark, check_meshes: MeshChecker, findings_log: FindingsLog, progress: ReadProgress
) -> None:
    """One finding for each mesh of a model or query that is truncated or damaged."""
    from shrec_viewer.formats.meshes.mesh_reader import find_mesh_fault  # with the readers of meshes

    meshes = [path for path in dict.fromkeys(benchmark.files()) if path.suffix.lower() not in IMAGE_SUFFIXES]
    found: dict[Path, str] = {}
    for path, fault in check_meshes(meshes, find_mesh_fault):
        found[path] = fault
        progress.report(len(found), len(meshes), "mesh")
    faults: dict[str, list[Path]] = {}
    for path in meshes:
        if fault := found.get(path, ""):
            faults.setdefault(fault, []).append(path)
    for fault, damaged in faults.items():
        for path in damaged[: len(damaged) if len(damaged) <= MAX_FAULTS else 1]:
            others = f" ({len(damaged):,} meshes, this is the first)" if len(damaged) > MAX_FAULTS else ""
            findings_log.warning(path, f"the mesh {_as_clause(fault)}{others}", "the model stays in the collection")


#: First words of problems whose subject is the mesh.
FAULT_VERBS = ("is", "has", "does", "cannot", "contains", "declares")


def _as_clause(fault: str) -> str:
    """A fault of a mesh as a clause after "the mesh": ``"is an empty file"``."""
    return fault if fault.split()[0] in FAULT_VERBS else f"is damaged: {fault}"


def log_files(
    files: ReadFiles,
    parts: Manifest,
    unused: Sequence[LabelTable],
    candidates: Sequence[RunCandidate],
    runs: Sequence[Run],
    context: ReadContext,
) -> None:
    """Findings about files that are not used, runs that are none, and parts that are missing.

    Parameters
    ----------
    unused : tables of classes without a role.
    candidates, runs : runs that were selected, and those that could be ranked.
    """
    _log_other_splits(files, unused, candidates, context.findings_log)
    _log_broken_runs(files, parts, runs, context)
    _log_shorter_runs(runs, context)
    _log_final_lines(_texts_read(files, runs), context.findings_log)
    _log_unread_tables(files, runs, context)
    _log_missing_parts(context, candidates, len(runs), parts.profile)
    _log_unused_files(files, [run.source for run in runs], context, parts.runs_in)


def _log_missing_parts(
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


#: Extensions of files of other programs, which are not read: what they are, and what to export instead.
PROGRAM_FILES: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys((".xls", ".xlsx", ".xlsm", ".ods"), ("a spreadsheet", "save the sheet as CSV")),
    **dict.fromkeys((".pkl", ".pickle", ".joblib"), ("a pickle of Python", "save the array with numpy.save, as .npy")),
    **dict.fromkeys((".pt", ".pth"), ("a file of PyTorch", "save the array with numpy.save, as .npy")),
    **dict.fromkeys((".h5", ".hdf5"), ("an HDF5 file", "save the array with numpy.save, as .npy")),
    **dict.fromkeys((".fvecs", ".ivecs", ".bvecs"), ("a file of vectors", "save the array with numpy.save, as .npy")),
    **dict.fromkeys((".rds", ".rdata"), ("a file of R", "write the table as CSV")),
    **dict.fromkeys((".feather", ".arrow"), ("a file of Arrow", "write the table as Parquet or CSV")),
}

#: Extensions of arrays, which are recognised by their beginning unless it is damaged; of raw numbers; and of texts.
ARRAY_SUFFIXES = (".npy", ".npz", ".mat", ".parquet", ".pq")
RAW_SUFFIXES = (".bin", ".dat")
TEXT_SUFFIXES = (".txt", ".csv", ".tsv", ".trec", ".run", ".res", ".json", ".jsonl")

#: Whole texts that programs write for no data.
NO_DATA = ("null", "none", "nan")

#: Lines of the messages that servers, shells and programs write in place of a file; those of a document are more.
MAX_MESSAGE_LINES = 20

#: What such a message says, and the beginnings of pointers of Git LFS and git-annex.
_FAILURE = re.compile(
    r"\b(?:errors?|exception|fail(?:ed|ure)|denied|forbidden|unauthori[sz]ed|not found|permission|quota|rate limit"
    r"|too many requests|expired|timed? ?out|bad (?:gateway|request)|unavailable|unable to|could not|no such file"
    r"|traceback|killed|aborted|segmentation fault|log ?in|sign in)\b|^version https://git-lfs|^/annex/objects/",
    re.IGNORECASE,
)

#: Parts of the names of texts about runs.
_DOCUMENT = re.compile(r"readme|licen[cs]e|note|info|about|change|log\b|command|param|config", re.IGNORECASE)

#: Numbers as only some programs write them: hexadecimal, complex, with the letter of a type or a percent sign.
_DECIMAL = r"[-+]?[0-9]*\.?[0-9]+(?:e[-+]?[0-9]+)?"
_OTHER_NUMBER = re.compile(
    rf"[-+]?0x[0-9a-f]*\.?[0-9a-f]*p[-+]?[0-9]+|{_DECIMAL}[jfl%]|\(?{_DECIMAL}[-+]{_DECIMAL}j\)?", re.IGNORECASE
)

#: What stands for the numbers that are left out of a large array when it is printed.
ELLIPSIS = "..."


def _log_unused_files(files: ReadFiles, runs: Sequence[Path], context: ReadContext, runs_in: Path | None) -> None:
    """A warning for each file that no other finding is about and that may be a run, and one finding for the others.

    Parameters
    ----------
    runs_in : where the only runs to read are; nothing is said about other runs then. None: anywhere.
    """
    findings_log = context.findings_log
    mentioned = findings_log.mentioned
    run_names = {findings_log.name_of(path) for path in runs}
    near = {path.parent for path in runs}
    of_runs = {EMPTY, *(reader.key for reader in run_readers())}
    unused, own, doubtful = [], [], []
    parts = files.found.files(QUERY_PARTS)
    folders = {found.path.parent for found in parts if findings_log.name_of(found.path) in mentioned}
    for found in files.found.files():
        if found.kind in (MESH, IMAGE):
            continue
        name = findings_log.name_of(found.path)
        is_manifest = found.path.name == MANIFEST_NAME or found.path.suffix.lower() == PROJECT_SUFFIX
        is_known = is_manifest or name in mentioned or (found in parts and found.path.parent in folders)
        if found.kind == OWN_RESULTS:
            own.append(name)
        elif runs_in is not None and found.kind in of_runs and not found.path.is_relative_to(runs_in):
            continue
        elif not is_known and findings_log.name_of(found.path.parent) not in run_names:
            unused.append(name)
            folder = found.path.parent
            if not runs or folder in near or (folder != files.found.root and RUN_FOLDER.search(folder.name)):
                doubtful.append(found)
    if own:
        message = f"{count_of(len(own), 'file')} of results of this program: {join_some(own)}"
        findings_log.info(findings_log.root, message, "ignored")
    archives = [name for name in unused if Path(name).suffix.lower() in UNREAD_ARCHIVE_SUFFIXES]
    if archives:
        message = f"{count_of(len(archives), 'archive')} not read: {join_some(archives)}"
        findings_log.warning(findings_log.root, message, "unpack them if they hold runs or models")
    known, faults = {*archives}, []
    for found in doubtful[:MAX_TABLES]:
        if (fault := _doubtful_run(found, context)) is not None:
            line, message, action = fault
            action = f"ignored; if it is a run, {action}"
            faults.append(Finding(Severity.WARNING, str(found.path), line, message, action))
            known.add(findings_log.name_of(found.path))
    findings_log.extend(faults)
    unused = [name for name in unused if name not in known]
    if unused:
        message = f"{count_of(len(unused), 'file is', 'files are')} not part of the benchmark: {join_some(unused)}"
        findings_log.info(findings_log.root, message, "ignored")


def _doubtful_run(found: FoundFile, context: ReadContext) -> tuple[int | None, str, str] | None:
    """Line, fault, and what to do, for a file that may be a run; None for others, such as documents."""
    suffix = found.path.suffix.lower()
    if suffix in PROGRAM_FILES:
        what, action = PROGRAM_FILES[suffix]
        return None, f"is {what}, which is not read", action
    if suffix in FOREIGN_SUFFIXES:
        return None
    if found.kind == EMPTY:
        return None, "is empty", "write it again"
    again = "write or download it again"
    if found.kind == ZARR:
        return None, "is no matrix of Zarr that can be read", again
    head = _head_or_none(found)
    if head is None or head.text is None:
        if found.kind != UNKNOWN or suffix not in (*ARRAY_SUFFIXES, *RAW_SUFFIXES, *TEXT_SUFFIXES):
            return None
        if suffix in RAW_SUFFIXES:
            if not len(context.queries) or any(found.path.parent.glob("*.gltf")):
                return None  # vertices of a mesh
            return None, _error_of(found, head, None, context).reason, again
        return None, "is not a text file" if suffix in TEXT_SUFFIXES else f"does not begin like a {suffix} file", again
    if suffix in ARRAY_SUFFIXES:  # such as a pointer of Git LFS
        return None, f"does not begin like a {suffix} file", again
    if not re.search(r"\w", head.text) or head.text.strip().casefold() in NO_DATA:
        return None, NO_ROWS, "write it again"
    if head.text.lstrip().startswith("<") and suffix in (*RAW_SUFFIXES, *TEXT_SUFFIXES):
        return None, "is a page of HTML or XML, as a failed download is", "download it again"
    lines = _lines_of(head)
    are_cells = [
        sum(_is_numeric(word) or _is_id(word, context) for word in words) >= NUMERIC_SHARE * len(words) > 0
        for _, _, words in lines
    ]
    if sum(are_cells) >= KNOWN_SHARE * len(lines) and any(ELLIPSIS in words for _, _, words in lines):
        fault = f"is an array as it is printed, with '{ELLIPSIS}' for the numbers left out"
        return None, fault, "save the array with numpy.save, as .npy"
    is_short = 2 * sum(are_cells) < len(lines) <= MAX_MESSAGE_LINES and not _DOCUMENT.search(found.path.stem)
    failed = [(number, line) for number, line, _ in lines if _FAILURE.search(line)] if is_short else []
    if failed and suffix in (*RAW_SUFFIXES, *TEXT_SUFFIXES, ""):
        number, line = failed[0]
        return number, f"holds a message instead of a run, as a failed download does: {quoted(line)}", again
    n_words = sum(len(words) for _, _, words in lines)
    has_ids = sum(_is_id(word, context) for _, _, words in lines for word in words) >= KNOWN_ID_SHARE * n_words
    # Curves and scores are fewer numbers than the distances of half of the models.
    is_large = 2 * n_words * head.size >= len(context.queries) * len(context.collection) * len(head.data)
    if sum(are_cells) < max(KNOWN_SHARE * len(lines), 1) or not (has_ids or is_large):
        return None
    number, line, _ = lines[0 if all(are_cells) else are_cells.index(False)]
    action = "write numbers as 1.5e-3 without quotation marks, and comments after '#'"
    action += ", or name its columns: --runs FILE --list-columns query,-,model,score"
    fault = f"is of no format of runs, but has lines of ids and numbers; this line is {quoted(line)}"
    return number, fault, action


def _is_numeric(word: str) -> bool:
    """Whether a word is a number, also in a notation that is not read, or stands for some."""
    return is_number(word) or word == ELLIPSIS or _OTHER_NUMBER.fullmatch(word) is not None


def _lines_of(head: FileHead) -> list[tuple[int, str, list[str]]]:
    """Number, text and words of each line with content."""
    lines = ((number, line) for number, line in enumerate((head.text or "").split("\n"), 1) if has_rows(line))
    return [(number, line, _SEPARATORS.sub(" ", line).split()) for number, line in lines if not is_comment(line)]


def _log_other_splits(
    files: ReadFiles, tables: Sequence[LabelTable], candidates: Sequence[RunCandidate], findings_log: FindingsLog
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
            problem = f"{count_of(len(folder.names), 'rank list')} for the models of '{findings_log.name_of(table)}'"
            uses = Alternative("", "not measured"), Alternative(table, "these are measured")
            setting = findings_log.setting("classification", table)
            setting = replace(setting, option=f"{setting.option} --runs {shlex.quote(name)}")
            decision = Decision("classification", uses, "", problem=f"{problem}, which is not used")
            findings_log.decide(folder.path, decision, key="", setting=setting)


def not_a_benchmark_error(root: Path, files: ReadFiles, manifest: Manifest | None) -> FormatError:
    """Error for a folder that is not a benchmark: that of the first unreadable file, else what is missing."""
    if failures := (*files.failures, *files.doubtful):
        return failures[0]
    if manifest is not None and manifest.missing_paths:
        missing = join_some([str(path) for path in manifest.missing_paths])
        reason = "names what does not exist" if len(manifest.missing_paths) > 1 else "names a file that does not exist"
        return FormatError(manifest.path, f"{reason}: {missing}")
    descriptions = (MANIFEST_NAME, PROJECT_SUFFIX)
    all_files = [found for found in files.found.files() if not found.path.name.lower().endswith(descriptions)]
    if not all_files:
        return FormatError(root, "is empty: a benchmark has models, a classification or runs")
    is_one = len(all_files) == 1
    who = "its only file is not" if is_one else f"none of its {count_of(len(all_files), 'file')} is"
    message = f"is not a benchmark: {who} a mesh, a classification or a run"
    quoted = [f"'{found.path.name}' {describe_beginning(found.path)}" for found in all_files[:MAX_QUOTED_FILES]]
    name = all_files[0].path.name
    hint = f'name the role of a file in {MANIFEST_NAME}, such as [collection] classification = "{name}"'
    return FormatError(root, f"{message}: {'; '.join(quoted)}; {hint}")


#: Share of the cells of a table that must be models for it to be reported as a run that is not read.
KNOWN_CELL_SHARE = 0.9

#: Share of the rows of a table that must start with a query for it to be reported as a submission.
KNOWN_QUERY_SHARE = 0.75

#: Minimum number of models in a row of such a table.
MIN_MODELS = 3

#: Number of tables up to which they are compared with the ids; more are files of the models.
MAX_TABLES = 500


def _log_unread_tables(files: ReadFiles, runs: Sequence[Run], context: ReadContext) -> None:
    """A warning for each table of model ids that is not read as a run, and each list of queries that is not used."""
    sources = {run.source for run in runs}
    tables = files.found.files("table", "submission", "rank_list", UNKNOWN)
    tables = [found for found in tables if not sources & {found.path, found.path.parent}]
    for found in tables if len(tables) <= MAX_TABLES else ():
        if context.findings_log.name_of(found.path) not in context.findings_log.mentioned:
            _log_unread_table(found.path, context)
    for found in files.found.files("rank_list", UNKNOWN):
        if CERTAIN_QUERY_WORDS.search(found.path.stem):
            _log_query_list(found.path, context)


def _log_unread_table(path: Path, context: ReadContext) -> None:
    if (head := read_or_none(read_file_head, path)) is None:
        return  # reported by an earlier step
    findings_log = context.findings_log
    rows: Sequence[Sequence[str]] = head_rows(head)
    is_assessment = not rows and {len(row) for row in head.rows} == {MIN_MODELS} and _are_pairs(head.rows, context)
    if is_assessment and all(is_level(row[-1]) for row in head.rows):
        problem = f"lines of a query, a model and a level, such as '{' '.join(head.rows[0])}'"
        uses = Alternative("", "ignored"), Alternative(path, "qrels without their second column, '0'")
        findings_log.decide(path, Decision("assessment", uses, "", problem=problem))
    if rows and len(rows[0]) == MIN_MODELS and _are_pairs(rows, context):
        problem = f"rows of a query, a model and a number, such as '{', '.join(rows[0])}', without a header"
        uses = Alternative("", "ignored"), Alternative("long", "a run")
        findings_log.decide(path, Decision("format", uses, "", problem=problem))
    if not rows or len(rows[0]) <= MIN_MODELS:
        return
    query = f", such as '{context.queries.ids[0]}'" if len(context.queries) else ""
    has_queries = len(context.queries) and context.query_ids.share([row[0] for row in rows]) >= KNOWN_QUERY_SHARE
    if has_queries and context.items.share([cell for row in rows for cell in row[1:]]) >= KNOWN_QUERY_SHARE:
        problem = f"rows of a query{query}, and {count_of(len(rows[0]) - 1, 'known model')}"
        uses = Alternative("", "ignored"), Alternative("submission", "a submission")
        findings_log.decide(path, Decision("format", uses, "", problem=problem))
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
    if (ids := read_or_none(read_plain_ids, path)) is None:
        return
    name = findings_log.name_of(path)
    is_answer = context.query_ids.index_of(without_extension(path.name)) >= 0
    if name in findings_log.mentioned or is_answer or len(ids) < 2 or set(ids) == set(context.queries.ids):
        return
    if context.items.share(ids, exact=True) >= KNOWN_CELL_SHARE or context.query_ids.share(ids) >= KNOWN_CELL_SHARE:
        uses = Alternative("", "ignored"), Alternative(path, "the queries")
        problem = f"looks like a list of {count_of(len(ids), 'query', 'queries')}"
        findings_log.decide(path, Decision("queries", uses, "", problem=problem))


#: Number of the longest lists of a run whose models are counted; a few may have repeated or unknown ids.
MAX_COMPARED_LISTS = 8

#: Extensions that only runs have.
RUN_SUFFIXES = (".matrix", ".run", ".trec")

#: Extensions of other files, which are not read: archives and documents.
FOREIGN_SUFFIXES = (".rar", ".7z", ".bz2", ".xz", ".pdf", ".md", ".html", ".docx", ".log", ".py", ".m", ".sh")

#: Names of folders of runs.
RUN_FOLDER = re.compile(r"(?<![a-z])(runs?|submissions?)(?![a-z])", re.IGNORECASE)

IGNORED_ACTION = "the run is ignored; if it is not one, keep it in another folder"

#: Size up to which a text is the beginning of any format: the longest header has three words.
MAX_FRAGMENT_BYTES = 40

#: Minimum number of lines whose cells are compared.
MIN_TABLE_LINES = 3

#: Share of numbers from which a text without ids that ends within a line is a piece of a matrix; scores have names.
NUMERIC_SHARE = 0.9

#: Share of ids and numbers from which a text with ids is a piece of a run; notes have other words.
KNOWN_SHARE = 0.5

#: Share of ids from which a text is a piece of a run wherever it is; a third of a TREC line are ids.
KNOWN_ID_SHARE = 0.25

#: First bytes of a MATLAB file, whose header is text.
MAT_MAGIC = b"MATLAB"

_SEPARATORS = re.compile(r"[\s,;:|\"\[\]{}]+")


#: Files each of which is the only one of its folder, as of a run with one folder for each list.
ALONE_IN_FOLDERS = "files, each alone in a folder, while the lists of a run are in one, or in those of the queries"


def _log_broken_runs(files: ReadFiles, parts: Manifest, runs: Sequence[Run], context: ReadContext) -> None:
    """An error for each file that no other finding is about and that is probably a broken run.

    That is a file with the extension of a run or next to runs of its extension, or in a folder of runs, which is empty,
    not text, or starts with ids and numbers; and a file that starts like a run but cannot be parsed. A warning for
    files of the latter kind that contain no ids of the benchmark.
    """
    findings_log = context.findings_log
    doubtful = {error.path: error for error in files.doubtful}
    broken: dict[Path, list[FormatError]] = {}
    rejected = {run.path: run for run in files.runs}
    sources = {run.source for run in runs}
    for found in files.found.files():
        error = doubtful.get(found.path)
        if found.path in sources or (error is None and _is_other(found, sources, context)):
            continue
        if parts.only_listed_runs or (parts.runs_in is not None and not found.path.is_relative_to(parts.runs_in)):
            is_near = False
        else:
            is_near = _is_near_runs(found.path, sources, files.found.root)
        head = _head_or_none(found)
        if _is_piece_of_run(head, context, is_near=is_near, is_doubtful=error is not None):
            error = error or _error_of(found, head, rejected.get(found.path), context)
            broken.setdefault(found.path.parent, []).append(error)
        elif error is not None:
            findings_log.warning(found.path, error.reason, "ignored", line=error.line)
    groups: dict[tuple[Path, str], list[FormatError]] = {}
    for folder, errors in broken.items():
        group = (folder, "files of this folder") if len(errors) > 1 else (folder.parent, ALONE_IN_FOLDERS)
        groups.setdefault(group, []).extend(errors)
    for (_, files_of_group), errors in groups.items():
        for error in errors[: len(errors) if len(errors) <= MAX_SEPARATE_FINDINGS else 1]:
            several = f" ({len(errors):,} {files_of_group}, this is the first)"
            others = several if len(errors) > MAX_SEPARATE_FINDINGS else ""
            findings_log.error(error.path, f"{error.reason}{others}", IGNORED_ACTION, line=error.line, key=RUN_IGNORED)
            for other in errors:
                findings_log.mention(other.path)


def _is_other(found: FoundFile, sources: set[Path], context: ReadContext) -> bool:
    """Whether a file has another use, or a finding."""
    path = found.path
    if found.kind in (MESH, IMAGE, OWN_RESULTS) or path.name == MANIFEST_NAME:
        return True
    if path.suffix.lower() in (PROJECT_SUFFIX, *FOREIGN_SUFFIXES, *PROGRAM_FILES):
        return True
    findings_log = context.findings_log
    return findings_log.name_of(path) in findings_log.mentioned or path.parent in sources


def _is_near_runs(path: Path, sources: set[Path], root: Path) -> bool:
    suffix = path.suffix.lower()
    if suffix in RUN_SUFFIXES:
        return True
    if any(source.parent == path.parent and source.suffix.lower() == suffix for source in sources):
        return True
    folders = path.parent.relative_to(root).parts if path.is_relative_to(root) else (path.parent.name,)
    return any(RUN_FOLDER.search(name) for name in folders)


def _head_or_none(found: FoundFile) -> FileHead | None:
    return read_or_none(read_file_head, found.path) if found.kind != EMPTY else None


def _is_piece_of_run(head: FileHead | None, context: ReadContext, *, is_near: bool, is_doubtful: bool) -> bool:
    if head is None or not head.text or head.data.startswith(MAT_MAGIC):
        return is_near
    if is_header_of_pairs(head):
        return True
    if not (is_near or is_doubtful):
        return False  # before the words are looked up, which takes 5 ms
    words = [word for _, _, words in _lines_of(head) for word in words]
    if not words:
        return is_near
    n_numbers = sum(map(is_number, words))
    n_ids = sum(_is_id(word, context) for word in words)
    if is_doubtful and n_ids >= KNOWN_ID_SHARE * len(words) > 0:
        return True
    if not is_near:
        return False
    is_fragment = head.size <= MAX_FRAGMENT_BYTES
    has_ids = n_ids > 0 and n_ids + n_numbers >= KNOWN_SHARE * len(words)
    ends_in_line = head.packed or (head.is_complete and not head.text.endswith("\n"))
    return has_ids or (ends_in_line and (is_fragment or n_numbers >= NUMERIC_SHARE * len(words)))


def _is_id(word: str, context: ReadContext) -> bool:
    if is_number(word):
        return word in context.items.exact
    return context.items.index_of(word) >= 0 or context.query_ids.index_of(word) >= 0


def _error_of(found: FoundFile, head: FileHead | None, run: OpenedRun | None, context: ReadContext) -> FormatError:
    """Why a file is no run."""
    shape = run.parsed.matrix_shape() if run is not None else None
    expected = f"{len(context.queries):,} x {len(context.collection):,}"
    line = None
    if found.kind == EMPTY:
        reason = "is empty"
    elif shape is not None:
        size = " x ".join(f"{length:,}" for length in shape)
        reason = f"a matrix of {size} numbers, but {expected} is expected (queries x models); it may be truncated"
    elif head is None or head.text is None:
        n_values = len(context.queries) * len(context.collection)
        sizes = f"{4 * n_values:,} or {8 * n_values:,} bytes"
        size = count_of(found.size, "byte")
        reason = f"is of no format of runs: {size}, and a binary matrix of {expected} has {sizes}"
    elif run is None and (malformed := _malformed_line(head)) is not None:
        line, reason = malformed[0], f"is of no format of runs: {malformed[1]}"
    else:
        hint = f"; in JSON, {ACCEPTED}" if is_json(head.text) else taken_for(table_rows(head))
        begins = f"it {describe_beginning(found.path)}{hint}"
        reason = f"is of no format of runs, or truncated: {begins}"
    return FormatError(found.path, reason, line)


def _malformed_line(head: FileHead) -> tuple[int, str] | None:
    """The first line of a table with another number of cells than most, and what is wrong with it."""
    lines = (head.text or "").split("\n")
    lines = lines if head.is_complete else lines[:-1]
    separator = separator_of(next(filter(str.strip, lines), ""))
    widths = {number: len(line.split(separator)) for number, line in enumerate(lines, 1) if line.strip()}
    if len(widths) <= MIN_TABLE_LINES:
        return None
    usual, count = Counter(widths.values()).most_common(1)[0]
    malformed = next((number for number, width in widths.items() if width != usual), None)
    if malformed is None or usual < 2 or count < NUMERIC_SHARE * (len(widths) - 1):
        return None
    quotes = ", and a quotation mark that is not closed" if lines[malformed - 1].count('"') % 2 else ""
    return malformed, f"this line has {count_of(widths[malformed], 'cell')}, the others {usual:,}{quotes}"


def _log_shorter_runs(runs: Sequence[Run], context: ReadContext) -> None:
    """One finding with the runs whose longest list names fewer models than those of most runs."""
    sizes = {run.name: _n_models(run, context) for run in runs}
    typical, count = Counter(sizes.values()).most_common(1)[0] if sizes else (0, 0)
    shorter = [name for name, size in sizes.items() if size < typical]
    if not shorter or 2 * count < len(runs):
        return
    names = join_some([f"{name} ({sizes[name]:,})" for name in shorter])
    message = f"{count_of(len(shorter), 'run names', 'runs name')} fewer models than the others ({typical:,}): {names}"
    action = "models not listed count as not retrieved"
    context.findings_log.info(context.findings_log.root, message, action)


def _n_models(run: Run, context: ReadContext) -> int:
    """Number of models in the longest list of a run, without the query itself."""
    ranking, member = run.ranking, context.queries.member
    if isinstance(ranking, DistanceMatrix):
        return int(np.count_nonzero(ranking.columns >= 0)) - context.queries.are_members
    longest = 0
    for query in np.argsort(-np.diff(ranking.indptr))[:MAX_COMPARED_LISTS].tolist():
        items = ranking.items[ranking.rows(query)]
        listed = np.bincount(items[(items >= 0) & (items != member[query])])
        longest = max(longest, int(np.count_nonzero(listed)))
    return longest


#: Bytes at the end of a file that are looked at: several lines of a list, some numbers of a matrix.
TAIL_BYTES = 4096

#: Minimum number of numbers that the last one is compared with.
MIN_NUMBERS = 3

_DECIMALS = re.compile(r"[-+]?[0-9]*(?:[.,]([0-9]*))?(?:[eE][-+]?([0-9]*))?")
_FIELD_SEPARATORS = re.compile(r"[\s,;]+")


def _log_final_lines(paths: Iterable[Path], findings_log: FindingsLog) -> None:
    """One finding for the files without a final line end; an error for those whose last number is cut.

    The last number of a file is cut if it has fewer digits than all numbers before it.
    """
    without = []
    for path in paths:
        try:
            tail = _tail(path)
        except OSError as error:
            findings_log.failed(FormatError(path, os_error_text(error)), "ignored")
            continue
        is_complete = not tail or tail.endswith((b"\n", b"\r")) or path.suffix.lower() == ".json"
        if is_complete or is_utf16(tail) or not looks_like_text(tail):
            continue
        last = cut_number(tail.decode("utf-8", "replace"))
        if last:
            message = f"the last number, '{last}', has fewer digits than the others, and no line end follows"
            findings_log.error(path, f"{message}: the file is probably truncated", "read as it is")
        else:
            without.append(path)
    if without:
        names = join_some([findings_log.mention(path) for path in without])
        findings_log.info(without[0], f"no line end after the last line: {names}", "read as complete")


def _texts_read(files: ReadFiles, runs: Sequence[Run]) -> list[Path]:
    """Files of truth and runs, without folders and files of other uses."""
    found = (files.tables, files.qrels, files.id_lists, files.label_vectors)
    named = (files.classification, files.query_classes, files.named_qrels)
    paths = [part.path for parts in found for part in parts] + [part.path for part in named if part is not None]
    paths += [run.source for run in runs]
    return [path for path in dict.fromkeys(paths) if path.is_file()]


def _tail(path: Path) -> bytes:
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - TAIL_BYTES))
        tail = stream.read()
    return tail if size <= TAIL_BYTES else tail[tail.find(b" ") + 1 :]  # without half a word


def cut_number(text: str) -> str:
    """The last number of a text if it has fewer digits than all numbers before it, else "".

    Examples
    --------
    >>> cut_number("0.125 0.250 0.375 0.5"), cut_number("1.5e-05 2.5e-06 3.5e-07 4.5e-0"), cut_number("1.25 2.5 3 0.5")
    ('0.5', '4.5e-0', '')
    """
    words = [word for word in _FIELD_SEPARATORS.split(text)[-200:] if word]
    if not words or not is_number(words[-1]) or words[-1].strip("-+") == "0":
        return ""
    others = [word for word in words[:-1] if is_number(word) and _DECIMALS.fullmatch(word)]
    if len(others) < MIN_NUMBERS or not _DECIMALS.fullmatch(words[-1]):
        return ""
    decimals, exponent = _n_digits(words[-1])
    least = [min(digits) for digits in zip(*map(_n_digits, others), strict=True)]
    return words[-1] if decimals < least[0] or exponent < least[1] else ""


def _n_digits(word: str) -> tuple[int, int]:
    """Digits after the decimal point and of the exponent; -1 for a number without one."""
    found = _DECIMALS.fullmatch(word)
    assert found is not None
    return tuple(-1 if digits is None else len(digits) for digits in found.groups())  # type: ignore[return-value]
