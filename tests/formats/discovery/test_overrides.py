"""Truth that follows from the classes, with levels of single queries set on top of it."""

import numpy as np
import pytest
from made_folders import IDS, QUERIES, benchmark_files, cla, labels, list_files, query_classes, write

from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import read_benchmark


def files(levels, derive="sister-classes"):
    classes = query_classes()
    own = list(dict.fromkeys(classes.values()))
    query_names = [query for name in own for query in QUERIES if classes[query] == name]
    made = {name: text for name, text in benchmark_files().items() if name != "truth.txt"}
    made["queries.cla"] = cla([(name, "0", list(classes.values()).count(name)) for name in own], query_names)
    made["benchmark.toml"] = (
        f'[collection]\nclassification = "classes.cla"\n[queries]\nclassification = "queries.cla"\n'
        f'[assessment]\nderive = "{derive}"\n{levels}'
    )
    return {**made, **list_files()}


def levels_of(benchmark, query):
    items, levels = benchmark.assessment.relevant(benchmark.queries.ids.index(query))
    assert items.tolist() == sorted(set(items.tolist()))
    return {IDS[item]: int(level) for item, level in zip(items, levels, strict=True)}


def of_class(name):
    return {model for model, own in labels().items() if own == name}


@pytest.mark.parametrize(("derive", "own", "sister"), [("sister-classes", 2, 1), ("classes", 1, None)])
def test_a_class_and_a_model_get_the_levels_that_are_set(derive, own, sister, tmp_path):
    """Q1 asks for a cat: dogs are promoted, one cat is demoted, one is none; Q2 stays as it was."""
    first, second = sorted(of_class("cat"))[:2]
    text = f"[assessment.levels.Q1]\ndog = 2\n{first} = 1\n{second} = 0\njar = 3\n"
    benchmark = read_benchmark(write(tmp_path, files(text, derive)))
    expected = dict.fromkeys(of_class("cat"), own)
    expected |= dict.fromkeys(of_class("dog"), 2) | dict.fromkeys(of_class("jar"), 3)
    expected[first] = 1
    del expected[second]
    assert levels_of(benchmark, "Q1") == expected
    plain = read_benchmark(write(tmp_path / "plain", files("", derive)))
    for query in QUERIES[1:]:
        assert levels_of(benchmark, query) == levels_of(plain, query)
    assert levels_of(plain, "Q1").get(next(iter(of_class("dog")))) == sister
    assert {finding.message for finding in benchmark.findings} >= {"benchmark.toml sets levels for 1 query"}
    assert benchmark.assessment.levels == (1, 2, 3)
    assert benchmark.assessment.items.dtype == np.int32


def test_unknown_level_names_are_findings(tmp_path):
    text = "[assessment.levels]\nQ3 = 5\n[assessment.levels.Q77]\ndog = 2\n[assessment.levels.Q2]\nunicorn = 1\n"
    benchmark = read_benchmark(write(tmp_path, files(text + 'cup = "much"\njar = 300\n')))
    errors = {(f.line, f.message) for f in benchmark.findings if f.severity is Severity.ERROR}
    assert errors == {
        (8, "'Q3' is not a table; write it as [assessment.levels.Q3]"),
        (None, "levels are set for 'Q77', which is not a query"),
        (None, "'Q2' has a level for 'unicorn', which is neither a class nor a model"),
        (13, "'cup' must be an integer from 0 to 255"),
        (14, "'jar' must be an integer from 0 to 255"),
    }
