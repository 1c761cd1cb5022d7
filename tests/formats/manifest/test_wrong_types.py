"""Every field of benchmark.toml and of a project with every wrong type: one finding with its line, and nothing else."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from made_folders import benchmark_files, list_files, write

from shrec_viewer import cli
from shrec_viewer.domain import FormatError
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.io.schema import known_keys
from shrec_viewer.formats.manifest.manifest import CameraTable, Manifest, RunEntry
from shrec_viewer.formats.manifest.project import Project

VALUES: dict[str, Any] = {
    "integer": 7,
    "negative": -1,
    "number": 1.5,
    "nan": float("nan"),
    "infinite": float("inf"),
    "boolean": True,
    "empty": "",
    "text": "no such value",
    "long": "x" * 5_000,
    "list": [1, "two", [3]],
    "table": {"a": {"b": 1}},
    "tables": [{"a": 1}],
    "64 bits": 2**63 - 1,
}

MANIFEST: dict[str, Any] = {
    "benchmark": {"name": "B", "profile": "shrec2006", "only_listed_runs": True, "published": "table.csv"},
    "collection": {"models": "models", "classification": "classes.cla", "columns": "model class"},
    "queries": {"models": "queries", "classification": "queries.cla", "members": False, "columns": "query class"},
    "assessment": {
        "qrels": "truth.txt",
        "columns": "query model level",
        "derive": "classes",
        "levels": {"Q1": {"N1": 2}},
    },
    "runs": [
        {
            "name": "A1",
            "participant": "A",
            "path": "runs/A1",
            "format": "rank_list",
            "columns": "id distance",
            "order": "names",
            "cells": "distances",
            "similarity": False,
            "query_line": False,
            "queries_by": "nearest",
            "blocks": "models",
            "metric": "cosine",
        }
    ],
    "camera": {
        "up": "Y",
        "azimuth": 10,
        "elevation": 10,
        "projection": "parallel",
        "fit": "tight",
        "values": "curvature",
        "low": 0,
        "high": 1.5,
        "zero": 0.5,
    },
    "slices": {"few": ["Q1"]},
    "values": {"heat": "models"},
}

PROJECT: dict[str, Any] = {
    "benchmark": {"name": "B", "profile": "shrec2006", "folder": ".", "format": 2},
    "parts": {
        "classification": "classes.cla",
        "queries": "queries",
        "assessment": "truth.txt",
        "models": "models",
        "runs": "runs",
    },
    "runs": [{"name": "A1", "path": "runs/A1", "hash": "0123456789abcdef"}],
    "view": {"query": "Q1"},
    "notes": {"Q1": "look here"},
    "files": {"classes.cla": "0123456789abcdef"},
    "edits": {
        "hidden": ["A1"],
        "colours": {"A1": "#ff0000"},
        "removed": ["A1"],
        "names": {"A1": "Best"},
        "added": [{"path": "runs/A2", "name": "A2"}],
        "virtual": ["rrf(A1, A2)"],
        "levels": [{"query": "Q1", "model": "N1", "former": 0, "level": 1}],
        "reviewed": [{"query": "Q1", "model": "N1", "decision": 1}],
        "published": [
            {"source": "t.csv", "titles": ["AP"], "names": ["A1"], "cells": [["0.5"]], "lines": [1, 2]},
        ],
        "slices": {"few": ["Q1", "Q2"]},
    },
}


def fields(document: dict[str, Any]) -> list[tuple[str, ...]]:
    return [*((table,) for table in document), *((table, key) for table in document for key in _first(document[table]))]


def _first(table: Any) -> dict[str, Any]:
    return table[0] if isinstance(table, list) else table


def test_the_documents_have_every_field():
    known = {**known_keys(Manifest), "camera": CameraTable.__annotations__, "runs": known_keys(RunEntry)}
    known |= {"slices": {"few": None}, "values": {"heat": None}}  # names of the user
    assert {table: set(_first(MANIFEST[table])) for table in MANIFEST} == {table: set(known[table]) for table in known}
    assert PROJECT.keys() == known_keys(Project).keys()
    for table in ("benchmark", "edits"):
        assert PROJECT[table].keys() == known_keys(Project)[table].keys()


def changed(document: dict[str, Any], field: tuple[str, ...], value: Any) -> str:
    table, *key = field
    texts = [text for name, text in texts_of(document is MANIFEST) if name != table]
    if key:
        return "".join([*texts, dumped(table, {**_first(document[table]), key[0]: value})])
    return "".join([tomlkit.dumps({table: value}), *texts])


@cache
def texts_of(is_manifest: bool) -> list[tuple[str, str]]:
    """The tables of a document with their texts."""
    document = MANIFEST if is_manifest else PROJECT
    return [(name, dumped(name, _first(content))) for name, content in document.items()]


def dumped(name: str, content: dict[str, Any]) -> str:
    return tomlkit.dumps({name: [content] if name == "runs" else content})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    files = {**benchmark_files(), **list_files(queries=("Q1", "Q2")), "queries.cla": "PSB 1\n1 1\ncat 0 1\nQ1\n"}
    folder = tmp_path_factory.mktemp("documents") / "in" / "b"  # the folder of a lost benchmark is looked for in these
    return write(folder, files)


def read(path: Path, content: str) -> Any:
    path.write_text(content)
    try:
        return read_benchmark(path, profiles=("default", "shrec2006"))
    except FormatError as error:
        return error
    finally:
        path.unlink()


def is_valid(document: dict[str, Any], field: tuple[str, ...], value: Any) -> bool:
    """Whether a value is one of the field: its type, or a text that is free."""
    table, *key = field
    if not key:
        return isinstance(value, type(document[table])) and value in ({}, [])
    old = _first(document[table])[key[0]]
    if isinstance(old, str):
        free = key[0] in ("name", "participant", "hash") or table in ("notes", "view", "files")
        is_long = isinstance(value, str) and len(value) > 4_096 and table != "notes"
        is_absent = document is PROJECT and value == ""
        return is_absent or (isinstance(value, str) and free and bool(value) and not is_long)
    if key[0] in ("azimuth", "elevation"):
        return type(value) in (int, float) and abs(value) <= 90
    return type(value) is type(old) and table != "edits" and key[0] not in ("levels", "only_listed_runs", "members")


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("field", fields(MANIFEST), ids=".".join)
def test_benchmark_toml(field, value, folder):
    content = changed(MANIFEST, field, VALUES[value])
    found = read(folder / "benchmark.toml", content)
    if not is_valid(MANIFEST, field, VALUES[value]):
        said = [str(found)] if isinstance(found, FormatError) else [str(finding) for finding in found.findings]
        ignored = ("only_listed_runs", "members")  # true is valid
        assert any("benchmark.toml:" in text for text in said) or field[-1] in ignored, said


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("field", fields(PROJECT), ids=".".join)
def test_project(field, value, folder):
    content = changed(PROJECT, field, VALUES[value])
    found = read(folder / "p.shrec", content)
    if not is_valid(PROJECT, field, VALUES[value]):
        is_path = field[0] == "parts" or field[-1] in ("folder", "path", "format")
        said = [str(found)] if isinstance(found, FormatError) else [str(finding) for finding in found.findings]
        assert any("p.shrec" in text for text in said) or is_path or field[-1] in ("name", "hash"), said


def test_runs_that_is_a_number_is_a_finding_with_its_line(folder):
    found = read(folder / "p.shrec", 'runs = 1\n[benchmark]\nfolder = "."\n')
    assert str(found.findings[0]) == ("p.shrec:1: error: 'runs' is not a list of tables; write it as [[runs]]; ignored")


def test_an_unknown_profile_of_a_project_is_a_finding(folder, capsys):
    content = f'[benchmark]\nfolder = "."\nprofile = "{"x" * 4_000}"\n'
    assert read(folder / "p.shrec", content).profile == "default"
    (folder / "p.shrec").write_text(content)
    assert cli.main(["check", str(folder / "p.shrec")]) == 1
    assert "unknown profile 'xxxx" in capsys.readouterr().out
    (folder / "p.shrec").unlink()
