"""Classes in blocks: the same classes under every kind of heading."""

import numpy as np
import pytest

from shrec_viewer.domain import FormatError, NumberedIds
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.io.text import read_file_head
from shrec_viewer.formats.truth.class_tables import is_class_blocks, read_class_blocks

CLASSES = {"human": ("1", "2", "3"), "tea cup": ("4", "5"), "glasses": ("6", "7", "8", "9")}


def text(block, between="\n", classes=CLASSES, within="\n"):
    blocks = (
        block.format(name=name, n=len(ids), first=ids[0], last=ids[-1], ids=within.join(ids))
        for name, ids in classes.items()
    )
    return between.join(blocks) + "\n"


ONE_WORD = {name.replace(" ", "_"): ids for name, ids in CLASSES.items()}
FORMS = {
    "brackets": text("[{name}]\n{ids}"),
    "colon": text("{name}:\n{ids}", "\n\n"),
    "count": text("{name} {n}\n{ids}", "\n", ONE_WORD),
    "count and blank lines": text("{name}  {n}\n\n{ids}\n", "\n", ONE_WORD),
    "blank lines": text("{name}\n{ids}", "\n\n\n", ONE_WORD),
    "one line": text("{name}: {ids}", within=" "),
    "one line with commas": text("{name}: {ids}", within=", "),
    "range": text("{name} {first}-{last}"),
    "range with colon": text("{name}: {first} - {last}"),
    "range with dots": text("{name},{first}..{last}"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_heading(form, end, tmp_path):
    (tmp_path / "classes.txt").write_bytes(FORMS[form].replace("\n", end).encode())
    np.save(tmp_path / "A.npy", np.random.default_rng(0).random((9, 9)) * (1 - np.eye(9)))
    benchmark = read_benchmark(tmp_path)
    tree = benchmark.classification
    found = {}
    for model, label in zip(benchmark.collection.ids, tree.labels.tolist(), strict=True):
        found.setdefault(tree.names[label].replace("_", " "), []).append(model)
    assert {name: tuple(ids) for name, ids in found.items()} == CLASSES
    assert [run.name for run in benchmark.runs] == ["A"]
    assert benchmark.assessment.relevant(3)[0].tolist() == [3, 4]


def test_ranges_in_any_order(tmp_path):
    path = tmp_path / "classes.txt"
    path.write_text("b 7-8\na 1-3\n")
    table = read_class_blocks(path)
    assert (tuple(table.ids), table.labels.tolist(), table.names) == (
        ("7", "8", "1", "2", "3"),
        [0, 0, 1, 1, 1],
        ("b", "a"),
    )
    path.write_text("a 1-500000\nb 500001-1000000\n")
    table = read_class_blocks(path)
    assert isinstance(table.ids, NumberedIds)
    assert (table.ids[-1], np.bincount(table.labels).tolist()) == ("1000000", [500_000, 500_000])


FAULTS = {
    "a: 1 2 3\nb: 4 2 5\n": ("error", 2, "'2' is repeated; the first occurrence is used"),
    "a: 1 2 2 3\nb: 4 5\n": ("error", 1, "'2' is repeated; the first occurrence is used"),
    "a: 1 2\nb: 4 5\na: 3\n": ("error", 3, "class 'a' is repeated; read as one class"),
    "a: 1 2 3\nc:\nb: 4 5\n": ("warning", 2, "class 'c' has no models; ignored"),
    "a\n1\n2\n3\n\nb\n4\n2\n5\n": ("error", 8, "'2' is repeated; the first occurrence is used"),
    "[a]\n1\n2\n3\n[b]\n[c]\n4\n5\n": ("warning", 5, "class 'b' has no models; ignored"),
}


@pytest.mark.parametrize("content", FAULTS)
def test_single_faults_are_findings(content, tmp_path):
    """The classes are read, with file and line of the fault; a file of faults alone is none of classes."""
    (tmp_path / "classes.txt").write_text(content)
    np.save(tmp_path / "A.npy", np.random.default_rng(0).random((5, 5)) * (1 - np.eye(5)))
    benchmark = read_benchmark(tmp_path)
    (finding,) = [found for found in benchmark.findings if found.file == "classes.txt" and found.severity != "info"]
    assert (finding.severity, finding.line, f"{finding.message}; {finding.action}") == FAULTS[content]
    tree = benchmark.classification
    classes = {
        name: tree.names[label] for name, label in zip(benchmark.collection.ids, tree.labels.tolist(), strict=True)
    }
    assert ("".join(classes[name] for name in "123"), classes["4"]) == ("aaa", classes["5"])
    assert classes["4"] in ("b", "c")
    assert [run.name for run in benchmark.runs] == ["A"]


@pytest.mark.parametrize("name", ["A.txt", "classes.txt"])
def test_lines_that_repeat_models_are_ranked_lists(name, tmp_path):
    (tmp_path / "models.cla").write_text("PSB 1\n2 4\n\na 0 2\n1\n2\n\nb 0 2\n3\n4\n")
    (tmp_path / name).write_text("1: 1 2 3 4\n2: 2 1 4 3\n3: 3 4 1 2\n4: 4 3 2 1\n")
    assert [run.name for run in read_benchmark(tmp_path).runs] == [name.removesuffix(".txt")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[a]\n1\n2\n[b]\n2\n3\n", "'2' is repeated"),
        ("[a]\n1\n[a]\n2\n[b]\n3\n", "class 'a' is repeated"),
        ("[a]\n1\n2\n", "contains no classes in blocks"),
        ("[a]\n1 2\n[b]\n3\n", "one id is expected, found '1 2'"),
        ("a 2\n1\n2\nb 3\n3\n", "class 'b' has fewer ids than announced"),
        ("a 1\n1\n2\nb 1\n3\n", "one id is expected, found '2'"),
        ("a 1-3\nb 3-4\n", "class 'b' or an id of it is repeated"),
        ("a 1-999999999\nb 1-2\n", "class 'b' or an id of it is repeated"),
        ("a 1-3\na 4-5\n", "class 'a' or an id of it is repeated"),
        ("a 9-8\nb 1-2\n", "class 'a' or an id of it is repeated, or it has none"),
        ("a 1-9000000\nb 9000001-18000000\n", "has more than 10,000,000 models, the limit"),
        ("a 1-3000000\nb 4000001-9000000\n", "has more than 4,194,304 ids, the limit"),
        ("m1\nm2\nm3\n\nm4\nm5\n", "has no headings of classes"),
        ("m1 5\nm2 7\n", "one id is expected, found 'm2 7'"),
        ("", "contains no classes in blocks"),
        ("a: 1 2\nb: 3 4\n", "has no headings of classes"),  # ranked lists
    ],
)
def test_other_texts_are_none(content, reason, tmp_path):
    path = tmp_path / "Q1.txt"
    path.write_text(content)
    assert not is_class_blocks(read_file_head(path))
    with pytest.raises(FormatError, match=reason):
        read_class_blocks(path)
