"""Several labels of a model, ``c0;c1``: relevant when a label is shared, never one class of that name."""

import numpy as np
import pytest

from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.truth.class_tables import split_labels

LABELS = {"m1": "c0", "m2": "c0;c1", "m3": "c1", "m4": "c2", "m5": "c1;c2", "m6": "c0"}
QUERIES = {"q1": "c0", "q2": "c1 | c2", "q3": "c3"}


def write_table(path, labels, header):
    path.write_text(header + "".join(f"{name},{cell}\n" for name, cell in labels.items()))


def relevant(benchmark):
    names = benchmark.collection.ids
    found = [benchmark.assessment.relevant(query) for query in range(len(benchmark.queries))]
    assert all(levels.tolist() == [1] * len(items) for items, levels in found)
    return {
        name: {names[item] for item in items} for name, (items, _) in zip(benchmark.queries.ids, found, strict=True)
    }


@pytest.mark.parametrize("header", ["obj_id,class_id\n", "id,category\n", "model,label\n"])
def test_models_that_share_a_label_are_relevant(tmp_path, header):
    write_table(tmp_path / "classes.csv", LABELS, header)
    np.savetxt(tmp_path / "A.txt", np.random.default_rng(0).random((6, 6)) * (1 - np.eye(6)))
    benchmark = read_benchmark(tmp_path)
    sets = {name: set(cell.split(";")) for name, cell in LABELS.items()}
    assert relevant(benchmark) == {query: {model for model in LABELS if sets[model] & sets[query]} for query in LABELS}
    assert set(benchmark.classification.names) == {"c0", "c1", "c2"}
    (found,) = [finding for finding in benchmark.findings if "several labels" in finding.message]
    assert found.message == "2 ids have several labels, such as 'c0;c1'"
    assert found.severity == "warning"


def test_queries_and_models_of_two_tables(tmp_path):
    write_table(tmp_path / "gallery.csv", LABELS, "obj_id,class_id\n")
    write_table(tmp_path / "queries.csv", QUERIES, "obj_id,class_id\n")
    np.savetxt(tmp_path / "A.txt", np.random.default_rng(0).random((3, 6)))
    expected = {"q1": {"m1", "m2", "m6"}, "q2": {"m2", "m3", "m4", "m5"}, "q3": set()}
    assert relevant(read_benchmark(tmp_path)) == expected


def test_the_end_of_an_entity_separates_nothing():
    assert split_labels("dog &amp; cat") == ("dog &amp; cat",)
    assert split_labels("a&#47;b; c|d ") == ("a&#47;b", "c", "d")
    assert split_labels("") == ()
    assert split_labels(";") == (";",)


def test_the_first_label_alone_is_the_class_where_the_finding_says_so(tmp_path):
    rows = {"m1": "a;b", "m2": "b", "m3": "a", "m4": "b;a"}
    text = "id,class\n" + "".join(f"{name},{labels}\n" for name, labels in rows.items())
    (tmp_path / "classes.csv").write_text(text)
    np.save(tmp_path / "A.npy", np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0))))
    benchmark = read_benchmark(tmp_path)
    assert [benchmark.assessment.relevant(query)[0].tolist() for query in range(4)] == [
        [0, 1, 2, 3], [0, 1, 3], [0, 2, 3], [0, 1, 2, 3]
    ]  # fmt: skip
    (found,) = [finding for finding in benchmark.findings if "several labels" in finding.message]
    (tmp_path / "benchmark.toml").write_text("\n".join(found.setting.lines))
    again = read_benchmark(tmp_path)
    assert [again.assessment.relevant(query)[0].tolist() for query in range(4)] == [[0, 2], [1, 3], [0, 2], [1, 3]]
    (found,) = [finding for finding in again.findings if "several labels" in finding.message]
    assert (found.setting, found.action) == (None, "the first one alone is the class (set explicitly)")
