"""Whole folders as particular contests hand them out: classes as lines, partiality, MATLAB matrices."""

import struct

import numpy as np
from made_folders import CLASSES, IDS, NATURAL, QUERIES, distances, labels, query_classes, write

from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import read_benchmark


def class_lines(classes):
    names = [name for name, _, _ in CLASSES]
    parents = {name: parent for name, parent, _ in CLASSES}
    tops = [name for name in names if parents[name] == "0"]
    lines = []
    for item, name in classes.items():
        top = parents[name] if parents[name] != "0" else name
        lines.append(f"{item} {tops.index(top)} {names.index(name)}\n")
    return "".join(lines)


def mat(values, order="<"):

    def element(kind, data):
        return struct.pack(f"{order}II", kind, len(data)) + data + bytes(-len(data) % 8)

    body = element(6, struct.pack(f"{order}II", 6, 0)) + element(5, struct.pack(f"{order}ii", *values.shape))
    body += element(1, b"distance") + element(9, values.astype(f"{order}f8").tobytes("F"))
    title = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack(f"{order}H", 0x0100)
    return title + (b"IM" if order == "<" else b"MI") + element(14, body)


def test_shrec16_partial(tmp_path):
    """`queries_cla.txt`, `targets_cla.txt`, and a MATLAB matrix; a file of partialities is known and left alone."""
    files = {
        "targets_cla.txt": class_lines(labels()),
        "queries_cla.txt": class_lines(query_classes()),
        "partiality.txt": "12\n" + "".join(f"0.{place:02}\n" for place in range(12)),
        "method.mat": mat(distances(QUERIES, NATURAL)),
        "benchmark.toml": '[[runs]]\npath = "method.mat"\norder = "names"\n',
    }
    benchmark = read_benchmark(write(tmp_path, files))
    assert benchmark.collection.ids == IDS
    assert benchmark.queries.ids == QUERIES
    (run,) = benchmark.runs
    assert run.name == "method"
    np.testing.assert_array_equal(
        run.ranking.values[run.ranking.rows][:, np.argsort(run.ranking.columns)], distances(QUERIES, IDS)
    )
    assert benchmark.assessment.levels == (1, 2)
    items, levels = benchmark.assessment.relevant(QUERIES.index("Q1"))
    assert {IDS[item] for item in items[levels == 2]} == {name for name, own in labels().items() if own == "cat"}
    reported_findings = {finding.file: str(finding) for finding in benchmark.findings}
    assert reported_findings["partiality.txt"] == "partiality.txt: info: partiality of 12 queries; no measure uses it"
    assert not [finding for finding in benchmark.findings if finding.severity is not Severity.INFO]


def test_matrices_of_matlab_in_either_byte_order(tmp_path):
    files = {"targets_cla.txt": class_lines(labels()), "queries_cla.txt": class_lines(query_classes())}
    files |= {"little.mat": mat(distances()), "big.mat": mat(distances(), ">")}
    benchmark = read_benchmark(write(tmp_path, files))
    big, little = benchmark.runs
    assert (big.name, little.name) == ("big", "little")
    assert big.ranking.values.dtype.isnative
    np.testing.assert_array_equal(big.ranking.values, little.ranking.values)
