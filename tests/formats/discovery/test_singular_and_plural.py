"""Findings about benchmarks with one model, one query, one class or one run use the singular."""

import re

import numpy as np
import pytest

from shrec_viewer.formats.discovery.benchmark import read_benchmark

ONE_OF_MANY = re.compile(r"(?<![\d.,])\b1 (?!has\b|lacks\b)[a-z]+[^s\W]s\b")
"""``"1 queries"``, but not ``"21 queries"`` or ``"1 class"``."""

ONE_CLASS = "PSB 1\n1 2\n\nbird 0 2\nb1\nb2\n"
TWO_CLASSES = "PSB 1\n2 3\n\nbird 0 2\nb1\nb2\n\ncat 0 1\nc1\n"
ONE_QUERY = "PSB 1\n1 1\n\nbird 0 1\nq1\n"
OFF = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"

FOLDERS = {
    "one class": {"one.cla": ONE_CLASS, "runs/A/b1": "b2\n", "runs/A/b2": "b1\n"},
    "one query": {"t.cla": TWO_CLASSES, "queries.cla": ONE_QUERY, "runs/A/q1": "b2 0.1\nc1 0.2\n"},
    "one pair": {"qrels.txt": "q1 0 b1 1\n", "a.run": "q1 Q0 b1 1 0.5 A\n"},
    "one row": {"t.cla": TWO_CLASSES, "queries.cla": ONE_QUERY, "long.csv": "query,model,distance\nq1,b2,0.5\n"},
    "one object": {"t.cla": TWO_CLASSES, "queries.cla": ONE_QUERY, "run.json": '{"q1": {"b2": 0.5, "c1": 0.25}}'},
    "one file": {"models/b1.off": OFF, "queries/q1.off": OFF, "runs/A/q1": "b1\n"},
    "one line": {"t.cla": TWO_CLASSES, "queries.txt": "b1\n", "runs/A/b1": "b2\n", "runs/B.txt": "1"},
    "one byte": {"one.cla": ONE_CLASS, "runs/A/b1": "b2\n", "runs/A/b2": "b1\n", "runs/B.npy": "x"},
}


@pytest.mark.parametrize("name", FOLDERS)
def test_one_of_a_kind_is_singular(tmp_path, name):
    for path, text in FOLDERS[name].items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    texts = [f"{found.message}; {found.action}" for found in read_benchmark(tmp_path).findings]
    assert texts
    assert [text for text in texts if ONE_OF_MANY.search(text)] == []


def test_one_column_is_singular(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(3, dtype=np.float32).reshape(3, 1))
    (tmp_path / "t.cla").write_text(TWO_CLASSES)
    texts = [f"{found.message}; {found.action}" for found in read_benchmark(tmp_path).findings]
    assert [text for text in texts if ONE_OF_MANY.search(text)] == []
