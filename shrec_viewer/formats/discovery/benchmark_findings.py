"""Findings about the benchmark as a whole: missing parts, unused files, why a folder is no benchmark."""

from collections.abc import Sequence
from pathlib import Path

from shrec_viewer.domain import Assessment, Benchmark, ClassAssessment, FormatError
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of, join_some
from shrec_viewer.formats.core.ids import AMBIGUOUS, IdIndex
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.discovery.file_matching import FileMatch, MatchedFiles
from shrec_viewer.formats.discovery.folder_scan import EMPTY, IMAGE, MESH, UNKNOWN, FoundFile
from shrec_viewer.formats.discovery.reading import DiscoveredFiles
from shrec_viewer.formats.discovery.run_loading import RunCandidate
from shrec_viewer.formats.io.tables import head_rows
from shrec_viewer.formats.io.text import read_file_head
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME, PROJECT_SUFFIX
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.truth.labels import LabelTable

UNREAD_ARCHIVES = (
    (
        (".zip", ".rar", ".7z", ".tar", ".bz2", ".xz", ".tgz"),
        "archive",
        "unpack them if they hold runs or models",
    ),
)
"""Files that may well matter, but are not read: endings, what they are, what to do."""


OTHER_SPLIT_SHARE = 0.9
"""Share of a folder's lists that must be named after the ids of a table to be lists over it."""

MAX_QUOTED_FILES = 4
"""Files that a sentence about a folder of unknown things quotes."""

MAX_QUOTED_CHARS = 40


def log_unmatched_files(context: ReadContext, placing: MatchedFiles, source: Path) -> None:
    """Models and queries without a file, and files without an id: one finding each.

    `source`: the file that lists the models.
    """
    findings_log = context.findings_log
    _log_file_match(placing.models, context.collection.ids, ("model has", "models have"), source, findings_log)
    _log_file_match(
        placing.queries, context.queries.ids, ("query has", "queries have"), findings_log.root, findings_log
    )
    if placing.unmatched_files:
        names = [findings_log.place(path) for path in placing.unmatched_files]
        told = count_of(len(names), "mesh or picture is", "meshes or pictures are")
        findings_log.info(findings_log.root, f"{told} of no model: {join_some(names)}", "left out")


def _log_file_match(
    placed: FileMatch, ids: Sequence[str], nouns: tuple[str, str], source: Path, findings_log: FindingsLog
) -> None:
    missing = [name for name, path in zip(ids, placed.paths, strict=False) if path is None]
    if placed.n_with_file and missing:
        message = f"{count_of(len(missing), *nouns)} no file: {join_some(sorted(missing))}"
        findings_log.warning(source, message, "kept, shown without a picture")
    for rule, (count, word) in placed.rules.items():
        if rule == AMBIGUOUS:
            message = f"file '{word}' could belong to several ids"
            findings_log.warning(findings_log.root, message, "left out", count=count)
        else:
            findings_log.info(findings_log.root, f"files match {rule}: '{word}' for one", "read so", count=count)
    if placed.spare:
        message = f"several files have the same id: {join_some([path.name for path in placed.spare])}"
        findings_log.info(findings_log.root, message, "meshes before pictures, the first counts")


def log_missing_parts(
    context: ReadContext, candidates: Sequence[RunCandidate], n_runs: int, profile: str | None
) -> None:
    """What the benchmark lacks, and which profile might be meant where none is named."""
    findings_log, queries, assessment = context.findings_log, context.queries, context.assessment
    if not len(queries):
        findings_log.warning(findings_log.root, "there are no queries", "the models can be looked at")
    elif assessment is None:
        message = "there is no truth: neither classes of models and queries nor an assessment"
        findings_log.warning(findings_log.root, message, "lists can be looked at, but nothing can be measured")
    if not n_runs:
        lost = " that could be read" if candidates else ""
        findings_log.warning(findings_log.root, f"there are no runs{lost}", "there is nothing to measure")
    square = any(isinstance(found.source, MatrixFile) for found in candidates)
    queries_collection = queries.are_the_collection and len(queries) == len(context.collection)
    if profile is None and queries_collection and square and _is_one_class(assessment):
        message = "a square matrix over a classification, as Princeton's tools evaluate it"
        action = "evaluated under the default profile; --profile psb follows Princeton"
        findings_log.info(findings_log.root, message, action)


def _is_one_class(assessment: Assessment | None) -> bool:
    return isinstance(assessment, ClassAssessment) and not assessment.graded


def log_unused_files(material: DiscoveredFiles, benchmark: Benchmark, findings_log: FindingsLog) -> None:
    """Files of which no finding has spoken yet: one finding."""
    spoken = findings_log.mentioned
    runs = {findings_log.place(run.source) for run in benchmark.runs}
    unused = []
    for found in material.files():
        if found.kind in (MESH, IMAGE):
            continue
        place = findings_log.place(found.path)
        is_manifest = found.path.name == MANIFEST_NAME or found.path.suffix.lower() == PROJECT_SUFFIX
        if not is_manifest and place not in spoken and findings_log.place(found.path.parent) not in runs:
            unused.append(place)
    for suffixes, noun, action in UNREAD_ARCHIVES:
        names = [place for place in unused if Path(place).suffix.lower() in suffixes]
        if names:
            message = f"{count_of(len(names), noun)} not looked into: {join_some(names)}"
            findings_log.warning(findings_log.root, message, action)
            unused = [place for place in unused if place not in names]
    if unused:
        message = f"{count_of(len(unused), 'file is', 'files are')} no part of the benchmark: {join_some(unused)}"
        findings_log.info(findings_log.root, message, "passed over")


def log_other_splits(
    material: DiscoveredFiles,
    tables: Sequence[LabelTable],
    candidates: Sequence[RunCandidate],
    findings_log: FindingsLog,
) -> None:
    """Folders of lists that answer the queries of another table, which is left aside: one finding each."""
    taken = {candidate.source.path for candidate in candidates}
    indices = [(table, IdIndex(table.ids)) for table in tables]
    for folder in material.lists:
        if folder.path in taken or not folder.names:
            continue
        known = [table for table, index in indices if index.share(folder.names, exact=True) >= OTHER_SPLIT_SHARE]
        if known:
            for file in folder.files:
                findings_log.mention(file.path)
            named, place = findings_log.place(known[0].path), findings_log.place(folder.path)
            message = f"{count_of(len(folder.names), 'rank list')} for the models of '{named}', which is left aside"
            action = f"not measured; to measure them instead: --classification {named} --runs {place}"
            findings_log.warning(folder.path, message, action)


def no_benchmark_error(root: Path, material: DiscoveredFiles) -> FormatError:
    """Why a folder is no benchmark: the first file that was meant to be part of one, else what is missing."""
    if material.failures:
        return material.failures[0]
    files = material.files()
    if not files:
        return FormatError(root, "is empty: a benchmark has models, a classification or runs")
    is_one = len(files) == 1
    who = "its only file is not" if is_one else f"none of its {count_of(len(files), 'file')} is"
    why = f"is no benchmark: {who} a mesh, a classification or a run"
    quoted = [f"'{found.path.name}' {_describe_beginning(found)}" for found in files[:MAX_QUOTED_FILES]]
    name = files[0].path.name
    options = f"--classification '{name}' or --runs '{name}' says what a file is"
    return FormatError(root, f"{why}: {'; '.join(quoted)}; {options}")


def _describe_beginning(found: FoundFile) -> str:
    """How a file begins, as part of a sentence."""
    if found.kind == EMPTY:
        return "is empty"
    try:
        head = read_file_head(found.path)
    except FormatError as error:
        return error.why
    if head.text is None:
        return "is no text"
    line = next(iter(head.lines), "").strip()
    return f"begins with '{line[:MAX_QUOTED_CHARS]}{'...' if len(line) > MAX_QUOTED_CHARS else ''}'"


KNOWN_CELL_SHARE = 0.9
"""Share of the cells that must be models."""

MIN_MODELS = 3


def log_rows_without_query(material: DiscoveredFiles, context: ReadContext) -> None:
    """One warning for each such table that no other finding speaks of."""
    for found in material.files("table", "submission", UNKNOWN):
        if context.findings_log.place(found.path) in context.findings_log.mentioned:
            continue
        try:
            rows = head_rows(read_file_head(found.path))
        except FormatError:
            continue  # a finding already
        cells = [cell for row in rows for cell in row]
        if not rows or len(rows[0]) <= MIN_MODELS or context.items.share(cells) < KNOWN_CELL_SHARE:
            continue
        if context.query_ids.share([row[0] for row in rows]) >= KNOWN_CELL_SHARE and len(context.queries):
            continue
        query = f", such as '{context.queries.ids[0]}'" if len(context.queries) else ""
        message = f"rows of {count_of(len(rows[0]), 'known model')}, the first '{rows[0][0]}', but no query before them"
        action = f"passed over: each row must begin with its query{query}"
        context.findings_log.warning(found.path, message, action, line=1)
