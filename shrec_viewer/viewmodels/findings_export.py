"""Findings for other programs and for letters: text, CSV, JSON, and rows for the clipboard."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from shrec_viewer import __version__
from shrec_viewer.domain import Finding
from shrec_viewer.formats.atomic import new_file
from shrec_viewer.viewmodels.findings_model import HEADERS, cells, sentence

COLUMNS = ("severity", "file", "line", "count", "message", "action")
"""Of the CSV, as ``check --format csv`` writes them."""

SCHEMA = "shrec-viewer/findings/1"
"""Of the JSON, which is that of ``check --format json``."""


def as_rows(findings: Sequence[Finding]) -> str:
    """Heads and rows separated by tabs, for a spreadsheet."""
    return "\n".join("\t".join(_on_one_line(cell) for cell in row) for row in (HEADERS, *map(cells, findings)))


def as_text(findings: Sequence[Finding]) -> str:
    """One sentence a line."""
    return "".join(f"{_on_one_line(sentence(finding))}\n" for finding in findings)


def as_csv(findings: Sequence[Finding]) -> str:
    """A table with the heads `COLUMNS`; an empty cell where there is no line."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([getattr(finding, column) for column in COLUMNS] for finding in findings)
    return stream.getvalue()


def as_json(name: str, findings: Sequence[Finding]) -> str:
    """The document of ``check``; `name` is the benchmark's."""
    rows = [asdict(finding) for finding in findings]
    document = {"schema": SCHEMA, "version": __version__, "benchmark": name, "findings": rows}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def export_findings(path: Path, name: str, findings: Sequence[Finding]) -> None:
    """Write them, complete or not at all, in the form that the ending of `path` says: .csv, .json, else text.

    Raises
    ------
    FormatError
        When the file cannot be written.
    """
    forms = {".csv": as_csv(findings), ".json": as_json(name, findings)}
    with new_file(path) as draft:
        draft.write_text(forms.get(path.suffix.lower(), as_text(findings)), encoding="utf-8", newline="")


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
