"""Errors for files that are probably runs, but cannot be read as such: truncated, empty or undecodable ones."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shrec_viewer.domain import DistanceMatrix, FormatError, Run
from shrec_viewer.formats.core.findings_log import RUN_IGNORED, count_of, join_some
from shrec_viewer.formats.core.found_files import EMPTY, IMAGE, MESH, FoundFile
from shrec_viewer.formats.core.own_results import OWN_RESULTS
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.reader import OpenedRun
from shrec_viewer.formats.discovery.reading import ReadFiles
from shrec_viewer.formats.io.tables import separator_of
from shrec_viewer.formats.io.text import FileHead, is_number, read_file_head
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME, PROJECT_SUFFIX
from shrec_viewer.formats.manifest.parts import ResolvedParts
from shrec_viewer.formats.runs.checks import MAX_SEPARATE_FINDINGS

MAX_COMPARED_LISTS = 8
"""Number of the longest lists of a run whose models are counted; a few may have repeated or unknown ids."""

RUN_SUFFIXES = (".matrix", ".run", ".trec")
"""Extensions that only runs have."""

FOREIGN_SUFFIXES = (".rar", ".7z", ".bz2", ".xz", ".pdf", ".md", ".html", ".docx", ".log", ".py", ".m", ".sh")
"""Extensions of other files, which are not read: archives and documents."""

RUN_FOLDER = re.compile(r"(?<![a-z])(runs?|submissions?)(?![a-z])", re.IGNORECASE)
"""Names of folders of runs."""

IGNORED_ACTION = "the run is ignored; if it is not one, keep it in another folder"

MAX_FRAGMENT_BYTES = 40
"""Size up to which a text is the beginning of any format: the longest header has three words."""

MIN_TABLE_LINES = 3
"""Minimum number of lines whose cells are compared."""

NUMERIC_SHARE = 0.9
"""Share of numbers from which a text without ids that ends within a line is a piece of a matrix; scores have names."""

KNOWN_SHARE = 0.5
"""Share of ids and numbers from which a text with ids is a piece of a run; notes have other words."""

KNOWN_ID_SHARE = 0.25
"""Share of ids from which a text is a piece of a run wherever it is; a third of a TREC line are ids."""

MAT_MAGIC = b"MATLAB"
"""First bytes of a MATLAB file, whose header is text."""

_SEPARATORS = re.compile(r"[\s,;:|\"\[\]{}]+")


def log_broken_runs(files: ReadFiles, parts: ResolvedParts, runs: Sequence[Run], context: ReadContext) -> None:
    """An error for each file that no other finding is about and that is probably a broken run.

    That is a file with the extension of a run or next to runs of its extension, or in a folder of runs, which is empty,
    not text, or begins with ids and numbers; and a file that begins like a run but cannot be parsed. A warning for
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
        if parts.only_listed_runs or (parts.runs_only is not None and not found.path.is_relative_to(parts.runs_only)):
            is_near = False
        else:
            is_near = _is_near_runs(found.path, sources, files.found.root)
        head = _head_or_none(found)
        if _is_piece_of_run(head, context, is_near=is_near, is_doubtful=error is not None):
            error = error or _error_of(found, head, rejected.get(found.path), context)
            broken.setdefault(found.path.parent, []).append(error)
        elif error is not None:
            findings_log.warning(found.path, error.reason, "ignored", line=error.line)
    for errors in broken.values():
        for error in errors[: len(errors) if len(errors) <= MAX_SEPARATE_FINDINGS else 1]:
            several = f" ({len(errors):,} files of this folder, this is the first)"
            others = several if len(errors) > MAX_SEPARATE_FINDINGS else ""
            findings_log.error(error.path, f"{error.reason}{others}", IGNORED_ACTION, line=error.line, key=RUN_IGNORED)
            for other in errors:
                findings_log.mention(other.path)


def _is_other(found: FoundFile, sources: set[Path], context: ReadContext) -> bool:
    """Whether a file has another use, or a finding."""
    path = found.path
    if found.kind in (MESH, IMAGE, OWN_RESULTS) or path.name == MANIFEST_NAME:
        return True
    if path.suffix.lower() in (PROJECT_SUFFIX, *FOREIGN_SUFFIXES):
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
    try:
        return read_file_head(found.path) if found.kind != EMPTY else None
    except FormatError:
        return None


def _is_piece_of_run(head: FileHead | None, context: ReadContext, *, is_near: bool, is_doubtful: bool) -> bool:
    if head is None or not head.text or head.data.startswith(MAT_MAGIC):
        return is_near
    words = [word for word in _SEPARATORS.split(head.text) if word]
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
    if head is not None and head.text is not None and run is None and (odd := _odd_line(head)) is not None:
        return FormatError(found.path, f"is of no format of runs: {odd[1]}", odd[0])
    return FormatError(found.path, _reason(found, head, run, context))


def _odd_line(head: FileHead) -> tuple[int, str] | None:
    """The first line of a table with another number of cells than most, and what is wrong with it."""
    lines = (head.text or "").split("\n")
    lines = lines if head.is_complete else lines[:-1]
    separator = separator_of(next(filter(str.strip, lines), ""))
    widths = {number: len(line.split(separator)) for number, line in enumerate(lines, 1) if line.strip()}
    if len(widths) <= MIN_TABLE_LINES:
        return None
    usual, count = Counter(widths.values()).most_common(1)[0]
    odd = next((number for number, width in widths.items() if width != usual), None)
    if odd is None or usual < 2 or count < NUMERIC_SHARE * (len(widths) - 1):
        return None
    quotes = ", and a quotation mark that is not closed" if lines[odd - 1].count('"') % 2 else ""
    return odd, f"this line has {count_of(widths[odd], 'cell')}, the others {usual:,}{quotes}"


def _reason(found: FoundFile, head: FileHead | None, run: OpenedRun | None, context: ReadContext) -> str:
    if found.kind == EMPTY:
        return "is empty"
    shape = run.parsed.matrix_shape() if run is not None else None
    expected = f"{len(context.queries):,} x {len(context.collection):,}"
    if shape is not None:
        size = " x ".join(f"{length:,}" for length in shape)
        return f"a matrix of {size} numbers, but {expected} is expected (queries x models); it may be truncated"
    if head is None or head.text is None:
        n_values = len(context.queries) * len(context.collection)
        sizes = f"{4 * n_values:,} or {8 * n_values:,} bytes"
        return f"is of no format of runs: {found.size:,} bytes, and a binary matrix of {expected} has {sizes}"
    line = next(iter(head.lines), "").strip()
    return f"is of no format of runs, or truncated: it begins with '{line[:40]}{'...' if len(line) > 40 else ''}'"


def log_shorter_runs(runs: Sequence[Run], context: ReadContext) -> None:
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
        longest = max(longest, len(np.unique(items[(items >= 0) & (items != member[query])])))
    return longest
