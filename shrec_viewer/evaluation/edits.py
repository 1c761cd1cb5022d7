"""Edits of an assessment: read from files, applied to a benchmark, and exported as qrels and as a readable list."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import (
    Assessment,
    Benchmark,
    ClassAssessment,
    EditedAssessment,
    Finding,
    FormatError,
    Severity,
    ShrecViewerError,
)
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of, join_some
from shrec_viewer.formats.core.ids import IdIndex
from shrec_viewer.formats.io.schema import read_data, to_data
from shrec_viewer.formats.manifest.edit_state import EDIT_CODECS, Levels
from shrec_viewer.formats.manifest.edit_state import AssessmentEdit as AssessmentEdit
from shrec_viewer.formats.truth.qrels import QrelsFile, read_qrels
from shrec_viewer.printable import printable


def read_edits(path: Path, benchmark: Benchmark) -> tuple[tuple[AssessmentEdit, ...], tuple[Finding, ...]]:
    """Edits from a file of qrels lines, or of `edits_file`, and findings about what is invalid or names unknown ids.

    Raises
    ------
    FormatError
        If no line of the file is valid.
    """
    log = FindingsLog(benchmark.root)
    is_document = _is_document(path)
    if is_document:
        rows = _edits_of_file(path)
    else:
        file = read_qrels(path)
        log.extend(file.findings)
        rows = [AssessmentEdit(query, model, 0, level) for query, model, level in _pairs(file)]
    original = with_edits(benchmark, ())
    queries, models = IdIndex(benchmark.queries.ids), IdIndex(benchmark.collection.ids)
    edits: dict[tuple[int, int], AssessmentEdit] = {}
    unknown: dict[str, dict[str, None]] = {"query": {}, "model": {}}
    for row in rows:
        query, model = queries.index_of(row.query), models.index_of(row.model)
        if query < 0:
            unknown["query"][row.query] = None
        if model < 0:
            unknown["model"][row.model] = None
        if query >= 0 and model >= 0 and (query, model) not in edits:
            former = level_of(original, query, model)
            known = benchmark.queries.ids[query], benchmark.collection.ids[model]
            edits[query, model] = replace(row, query=known[0], model=known[1], former=former)
    for (what, ids), plural in zip(unknown.items(), ("queries", "models"), strict=True):
        if ids:
            counted = count_of(len(ids), f"{what} is", f"{plural} are")
            message = f"{counted} unknown: {join_some(list(ids))}"
            line = None if is_document else _first_line(path, ids, what)
            whose = "its" if len(ids) == 1 else "their"
            log.error(path, message, f"{whose} edits are ignored", line=line)
    return tuple(edits.values()), log.findings


#: Name and version of the document of `edits_file`.
EDITS_SCHEMA = "shrec-viewer/edits/1"

#: Bytes of a document of edits that is read.
MAX_EDITS_FILE = 64 * 2**20


def edits_file(edits: Sequence[AssessmentEdit]) -> str:
    """Edits with their authors, times and reasons as a JSON document, which ``--edits`` reads; ids may have blanks."""
    return json.dumps({"schema": EDITS_SCHEMA, "edits": to_data(tuple(edits))}, indent=1) + "\n"


def _is_document(path: Path) -> bool:
    """Whether a file begins like a JSON document; lines of qrels do not begin with a brace."""
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip().startswith(b"{")
    except OSError:
        return False  # `read_qrels` raises the error


def _edits_of_file(path: Path) -> list[AssessmentEdit]:
    """Edits of a JSON document.

    Raises
    ------
    FormatError
        If it is damaged, or another document.
    """
    if path.stat().st_size > MAX_EDITS_FILE:
        raise FormatError(path, f"is larger than {MAX_EDITS_FILE // 2**20} MB")
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise FormatError(path, f"no valid JSON: {error}") from error
    if not isinstance(document, dict) or document.get("schema") != EDITS_SCHEMA:
        raise FormatError(path, "is no document of edits")
    rows: Any = document.get("edits")
    edits, _ = read_data(Levels, rows, EDIT_CODECS)
    if edits is not None and len(edits) != len(rows):
        raise FormatError(path, f"{len(rows) - len(edits)} of {len(rows)} edits are invalid or repeated")
    return list((edits or {}).values())


def _pairs(file: QrelsFile) -> Iterable[tuple[str, str, int]]:
    for query, model, level in zip(file.query.tolist(), file.models, file.level.tolist(), strict=True):
        yield file.queries[query], model, level
    for query, model in zip(file.zero_query.tolist(), file.zero_models, strict=True):
        yield file.queries[query], model, 0


def _first_line(path: Path, names: Mapping[str, None], what: str) -> int | None:
    """1-based line of the first of these ids; the reader keeps the lines of relevant pairs only."""
    from shrec_viewer.formats.io.text import read_lines

    column = 0 if what == "query" else 2
    for number, line in enumerate(read_lines(path), 1):
        words = line.split()
        if len(words) > column and words[column] in names:
            return number
    return None


def level_of(benchmark: Benchmark, query: int, model: int) -> int:
    """Level of a model for a query; 0 without an assessment."""
    if benchmark.assessment is None:
        return 0
    items, levels = benchmark.assessment.relevant(query)
    index = int(np.searchsorted(items, model))
    return int(levels[index]) if index < len(items) and items[index] == model else 0


def original_assessment(benchmark: Benchmark) -> Assessment | None:
    """The assessment as read, without edits."""
    found = benchmark.assessment
    return found.original if isinstance(found, EditedAssessment) else found


def with_edits(benchmark: Benchmark, edits: Iterable[AssessmentEdit]) -> Benchmark:
    """The benchmark with exactly these edits of its assessment; those that name unknown ids are ignored.

    Raises
    ------
    ShrecViewerError
        If there are edits, but no assessment.
    """
    by_query: dict[int, dict[int, int]] = {}
    for edit in edits:
        query, model = benchmark.queries.index.get(edit.query), benchmark.collection.index.get(edit.model)
        if query is not None and model is not None:
            by_query.setdefault(query, {})[model] = edit.level
    original = original_assessment(benchmark)
    if not by_query:
        return benchmark if original is benchmark.assessment else replace(benchmark, assessment=original)
    if original is None:
        raise ShrecViewerError(f"'{benchmark.name}' has no relevance assessment: edits cannot be applied")
    return replace(benchmark, assessment=EditedAssessment(original, by_query))


def edit_findings(benchmark: Benchmark, edits: Sequence[AssessmentEdit], file: str = ".") -> tuple[Finding, ...]:
    """A finding about the edits that name unknown ids; none if all are known.

    Parameters
    ----------
    file : project that the edits are from.
    """
    queries, models = benchmark.queries.index, benchmark.collection.index
    unknown = [edit for edit in edits if edit.query not in queries or edit.model not in models]
    if not unknown:
        return ()
    names = [edit.model if edit.query in queries else edit.query for edit in unknown]
    counted = count_of(
        len(unknown), "edit of the assessment names an unknown id", "edits of the assessment name unknown ids"
    )
    return (Finding(Severity.ERROR, file, None, f"{counted}: {join_some(list(dict.fromkeys(names)))}", "ignored"),)


def edited_queries(before: Benchmark, after: Benchmark) -> NDArray[np.int64]:
    """Queries whose levels may differ between two states of the edits of one benchmark, ascending."""
    edits = [
        found.assessment.edits if isinstance(found.assessment, EditedAssessment) else {} for found in (before, after)
    ]
    queries = {*edits[0], *edits[1]}
    return np.array(sorted(q for q in queries if edits[0].get(q, {}) != edits[1].get(q, {})), np.int64)


def amended_qrels(benchmark: Benchmark) -> str:
    """The assessment with its edits as qrels: a line for each relevant pair, each judged pair and each edited pair.

    Raises
    ------
    ShrecViewerError
        If there is no assessment, or an id contains blanks, which qrels cannot represent.
    """
    assessment = benchmark.assessment
    if assessment is None:
        raise ShrecViewerError(f"'{benchmark.name}' has no relevance assessment to export")
    lines = []
    for query, name in enumerate(benchmark.queries.ids):
        models, relevant = assessment.relevant(query)
        levels = dict(zip(models.tolist(), relevant.tolist(), strict=True))
        levels |= dict.fromkeys(assessment.junk(query).tolist(), -1)
        judged = assessment.judged(query)
        zeros = set() if judged is None else set(judged.tolist())
        if isinstance(assessment, EditedAssessment):
            zeros |= set(assessment.edits.get(query, ()))
        for model in sorted({*levels, *zeros}):
            lines.append(_qrels_line(name, benchmark.collection.ids[model], levels.get(model, 0)))
    return "".join(lines)


def edits_as_qrels(edits: Sequence[AssessmentEdit]) -> str:
    """Edits as qrels lines, which ``evaluate --edits`` reads."""
    return "".join(_qrels_line(edit.query, edit.model, edit.level) for edit in edits)


def _qrels_line(query: str, model: str, level: int) -> str:
    for name in (query, model):
        if name.split() != [name]:
            raise ShrecViewerError(f"the id '{name}' contains blanks, which qrels cannot represent")
    return f"{query} 0 {model} {level}\n"


def edits_as_overrides(benchmark: Benchmark, edits: Sequence[AssessmentEdit]) -> str:
    """Edits as lines of ``benchmark.toml`` that replace levels derived from classes: ``[assessment.levels."Q13"]``.

    Raises
    ------
    ShrecViewerError
        If relevance does not come from classes, or a model has the name of a class, which the lines would mean.
    """
    if not isinstance(original_assessment(benchmark), ClassAssessment):
        raise ShrecViewerError("relevance does not come from classes: export the amended assessment as qrels instead")
    classes = () if benchmark.classification is None else benchmark.classification.names
    by_query: dict[str, list[AssessmentEdit]] = {}
    for edit in edits:
        if edit.model in classes:
            raise ShrecViewerError(f"the model '{edit.model}' has the name of a class: export qrels instead")
        by_query.setdefault(edit.query, []).append(edit)
    lines = ["# Lines for benchmark.toml: levels that replace those derived from the classes.\n"]
    for query, found in by_query.items():
        lines.append(f"\n[assessment.levels.{_toml_text(query)}]\n")
        for edit in found:
            reason = " ".join(edit.reason.split())
            note = f"  # instead of {edit.former}{f': {reason}' if reason else ''}"
            lines.append(f"{_toml_text(edit.model)} = {edit.level}{printable(note)}\n")
    return "".join(lines)


def _toml_text(name: str) -> str:
    """A basic string of TOML; JSON has the same escapes."""
    return json.dumps(name, ensure_ascii=False)


def edits_as_text(edits: Sequence[AssessmentEdit]) -> str:
    """A readable list of edits, one line each: query, model, old and new level, author, time and reason."""
    lines = []
    for edit in edits:
        details = ", ".join(part for part in (edit.author, edit.time, edit.reason) if part)
        lines.append(f"{edit.query} {edit.model}: {edit.former} -> {edit.level}{f' ({details})' if details else ''}\n")
    return "".join(lines)
