"""The examples of the page about formats are files that the readers read as the page says."""

import re

import numpy as np
import pytest

from shrec_viewer.domain import RankedLists, Severity
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.discovery.reader_table import READERS
from shrec_viewer.formats.discovery.recognition import MESH, recognise_file
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.formats.meshes.values import find_value_faults, with_quantity
from shrec_viewer.resources import resource

PAGE = resource("help/formats.md").read_text(encoding="utf-8")

EXAMPLE = re.compile(r"^### ([^\n]*)\n|^`([^`\n]+)`\n\n```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)

LISTS = {"Q01": ["m17", "m18", "m42", "m21", "m57"], "Q02": ["m42", "m57", "m17", "m18", "m21"]}
"""What each run of the page says, whatever its format."""

RELEVANT = {"Q01": {"m17", "m18", "m21"}, "Q02": {"m42", "m57"}}

SQUARE = "0 1 2 8 9\n1 0 3 7 8\n2 3 0 9 7\n8 7 9 0 1\n9 8 7 1 0\n"
"""A run of the collection on itself, for the examples about classes."""

WITHOUT_EXAMPLE = {"unread_truth", "results", "table", "matrix_blocks", "zarr", "parquet", "parquet_parts"}
"""Readers of files that are recognised in order to be left out, of a folder of files, and of binary files."""


def examples():
    title = ""
    for heading, name, text in EXAMPLE.findall(PAGE):
        title = heading or title
        if name:
            yield title, name, text


EXAMPLES = {(title, name): text for title, name, text in examples()}
VALUES = {name: EXAMPLES.pop((title, name)) for title, name in [*EXAMPLES] if name.startswith("values/")}
CLASSES = {name: EXAMPLES["Classification", name] for name in ("classification.cla", "queries.cla")}
RUN = {"A1.run": EXAMPLES["TREC run", "A1.run"]}

READER = {
    "Classification": "cla", "Relevance levels": "qrels", "Relevant pairs": "pairs", "Classes as a table": "truth",
    "Relevance levels in JSON": "json_qrels", "Relevant models of each query": "solution",
    "Levels as a matrix": "levels", "Partition": "partition", "Good, ok and junk models of each query": "query_parts",
    "Classes in blocks": "class_blocks", "Classes in JSON": "class_json",
    "Classes as lines": "classes", "Classes without ids": "labels", "Rank lists": "rank_list", "TREC run": "trec",
    "Distance matrix": "matrix", "Distance matrix with ids": "labelled_matrix", "Table of pairs": "long",
    "Submission in one table": "submission", "Lists in one file": "keyed_lists", "List of ids": "ids",
    "Partiality": "partiality", "Description": "manifest", "Models": MESH, "Values on meshes": "manifest",
}  # fmt: skip


def companions(title):
    """The other files of a contest that consists of an example."""
    if title.startswith("Good"):
        return RUN | {name: text for (of, name), text in EXAMPLES.items() if of == title}
    if title.startswith(("Relevance levels", "Relevant ", "Levels", "Partition")):
        return RUN
    if title == "Classes without ids":
        square = "".join(" ".join(str(abs(a - b) + (a != b) * b / 100) for b in range(8)) + "\n" for a in range(8))
        return {"M.txt": square}
    if title.startswith("Classes"):
        return {"M.txt": SQUARE}
    if title == "List of ids":
        return {**RUN, "judged.qrels": EXAMPLES["Relevance levels", "judged.qrels"]}
    if title == "Description":
        return {**CLASSES, "A1.txt": EXAMPLES["Distance matrix", "A1.txt"]}
    if title == "Rank lists":
        return {**CLASSES, "A1/Q02": "".join(f"{model}\n" for model in LISTS["Q02"])}
    if title == "Values on meshes":
        others = {"values/segments/m17.txt": "1\n", "values/position/m17.txt": "2\n0\n1\n"}
        mesh = {"models/m17.off": EXAMPLES["Models", "models/m17.off"]}
        return {**CLASSES, "A1.txt": EXAMPLES["Distance matrix", "A1.txt"], **mesh, **VALUES, **others}
    if title in ("Classification", "Partiality"):
        return {**CLASSES, **RUN}
    return CLASSES


def ranking_of(benchmark, query):
    ranking, ids = benchmark.runs[0].ranking, benchmark.collection.ids
    if isinstance(ranking, RankedLists):
        return [ids[item] for item in ranking.items[ranking.rows(query)]]
    row = np.asarray(ranking.values[ranking.rows[[query]]]).ravel()[ranking.columns]
    return [ids[item] for item in np.argsort(row, kind="stable")]


def test_the_page_has_an_example_of_every_format():
    assert {READER[title] for title, _ in EXAMPLES} == {row.key for row in READERS} - WITHOUT_EXAMPLE | {MESH}


@pytest.mark.parametrize(("title", "name"), EXAMPLES)
def test_the_example_is_read_as_the_page_says(title, name, tmp_path):
    for other, text in {**companions(title), name: EXAMPLES[title, name]}.items():
        path = tmp_path / other
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert recognise_file(tmp_path / name, FindingsLog(tmp_path)).kind == READER[title]
    benchmark = read_benchmark(tmp_path)
    if title == "Models":
        assert benchmark.collection.paths[0] == tmp_path / name
        return
    if title == "Values on meshes":
        (mesh,) = (path for path in benchmark.collection.paths if path is not None)
        shown = read_mesh(mesh)
        for quantity in benchmark.quantities:
            shown = with_quantity(shown, mesh, quantity)
        values = [(one.name, one.place, one.labels, one.numbers.tolist()[:2]) for one in shown.values]
        assert values == [("curvature", "vertex", None, [0.25, -1.5]), ("segments", "face", ("body", "leg"), [1.0])]
        assert shown.colours is not None
        assert (benchmark.quantities[0].unit, benchmark.quantities[0].zero) == ("1/m", 0.0)
        assert find_value_faults(mesh, benchmark.quantities) == []
        return
    doubtful = {finding.file for finding in benchmark.findings if finding.severity is not Severity.INFO}
    assert doubtful == ({name} if title == "Classes without ids" else set()), benchmark.findings
    queries = list(benchmark.queries.ids)
    if "M.txt" in companions(title):
        labels = [benchmark.classification.tops[label] for label in benchmark.classification.labels]
        dogs = labels.count(labels[0])
        assert labels == sorted(labels)
        assert (dogs, len(labels) - dogs) == ((5, 3) if title == "Classes without ids" else (3, 2))
        return
    assert {query: ranking_of(benchmark, index) for index, query in enumerate(queries)} == LISTS
    ids = benchmark.collection.ids
    relevant = [{ids[item] for item in benchmark.assessment.relevant(index)[0]} for index in range(len(queries))]
    assert dict(zip(queries, relevant, strict=True)) == RELEVANT
