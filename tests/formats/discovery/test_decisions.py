"""Every row of DECISIONS: the remedy that a finding prints, as lines or as an option, changes the reading."""

import shlex

import numpy as np
import pytest
from click.testing import CliRunner
from made_folders import (
    IDS,
    NATURAL,
    QUERIES,
    benchmark_files,
    cla,
    distances,
    list_files,
    npy,
    qrels,
    write,
)

from shrec_viewer.cli.program import program
from shrec_viewer.domain import DistanceMatrix
from shrec_viewer.formats.core.decisions import DECISIONS
from shrec_viewer.formats.discovery.benchmark import read_benchmark

RANDOM = np.random.default_rng(2)
SELF = {"classes.cla": cla()}
SQUARE = distances(NATURAL, NATURAL)
SKETCHES = {name: text for name, text in benchmark_files().items() if not name.startswith("models/")}


def trec(values, rows=QUERIES, columns=NATURAL):
    """A run with distances in the column of scores, nearest first."""
    return "".join(
        f"{query} Q0 {columns[model]} {rank} {values[row, model]:.6f} tag\n"
        for row, query in enumerate(rows)
        for rank, model in enumerate(np.argsort(values[row]), 1)
    )


def numbered_lists():
    """Lists in which numbers of models and their distances could be exchanged."""
    return {f"runs/A/{name}": "".join(f"{number} {number + 1}\n" for number in range(1, 24)) for name in IDS}


def self_lists(*, first=6):
    """Lists of the other models; some begin with the query."""
    lists = {}
    for place, name in enumerate(IDS):
        ranked = [NATURAL[model] for model in np.argsort(distances((name,), NATURAL)[0]) if NATURAL[model] != name]
        lists[f"runs/A/{name}"] = "\n".join([*[name] * (place < first), *ranked]) + "\n"
    return lists


def pairs(*, in_order):
    """A table of pairs without a header, in the order of the lists or of the models."""
    values = distances()
    orders = np.argsort(values, axis=1) if in_order else np.tile(np.arange(24), (12, 1))
    return "".join(
        f"{query},{NATURAL[model]},{values[row, model]:.6f}\n"
        for row, query in enumerate(QUERIES)
        for model in orders[row]
    )


def overlapping_qrels():
    """Queries 0 to 5 and models 0 to 11 with numbers as ids: some are relevant to themselves, others are not."""
    return "".join(f"{query} 0 {model} {int((query + model) % 3 == 0)}\n" for query in range(6) for model in range(12))


def rows_in_another_order():
    """Columns with one order, and rows in the natural order of queries that are listed otherwise."""
    kinds, shuffled = np.repeat(np.arange(8), 3), np.random.default_rng(1).permutation(24)
    queries = [f"Q{number + 1}" for number in range(24)]
    kind_of = np.empty(24, int)
    kind_of[shuffled] = kinds
    values = (kind_of[:, None] != kinds) * 0.5 + np.random.default_rng(3).random((24, 24))
    classes = [(f"c{kind}", "0", 3) for kind in range(8)]
    names = [queries[number] for number in shuffled]
    return {"models.cla": cla(classes, NATURAL), "queries.cla": cla(classes, names), "A.npy": npy(values)}


#: Rows whose remedies a folder must have, by name.
CASES = {
    "columns of lists": (["columns"], {**SELF, **numbered_lists()}),
    "direction of a matrix": (["similarity"], {**SELF, "runs/A.npy": npy(2 - SQUARE)}),
    "direction off the diagonal": (["similarity"], {**SKETCHES, "runs/A.npy": npy(2 - distances())}),
    "direction of a TREC run": (["similarity"], {**SKETCHES, "runs/A.run": trec(distances())}),
    "direction of a table": (["similarity"], {**SKETCHES, "A.csv": pairs(in_order=True)}),
    "first lines": (["query_line"], {**SELF, **self_lists()}),
    "model numbers": (["cells"], {**SKETCHES, "runs/A.npy": npy(np.argsort(RANDOM.random((12, 24)), axis=1))}),
    "first model numbers": (["cells"], {
        **SKETCHES, "runs/A.npy": npy(1 + np.argsort(distances()[:, :22], axis=1)[:, :5])}),
    "vectors as wide as models": (["cells"], {**SELF, "runs/A.npy": npy(RANDOM.random((24, 24)))}),
    "order": (["order"], {**SELF, "runs/A.npy": npy(RANDOM.random((24, 24)) - 2 * np.eye(24))}),
    "order of the rows": (["order"], rows_in_another_order()),
    "decided order": (["order"], {**SELF, "runs/A.npy": npy(SQUARE)}),
    "metric": (["metric"], {**SELF, "runs/A.npy": npy(RANDOM.random((24, 7)))}),
    "rows of other queries": (["queries_by"], {**SELF, "runs/A.npy": npy(np.roll(SQUARE, 1, axis=0))}),
    "blocks": (["blocks"], {**SKETCHES, **{
        f"runs/A/{number}.bin": RANDOM.random(96).astype("<f4").tobytes() for number in range(3)}}),
    "table of pairs": (["format"], {**SKETCHES, "A.csv": pairs(in_order=False)}),
    "queries as models": (["self_match"], {
        **SELF, "runs/A.npy": npy(np.where(np.eye(24), 0.5, RANDOM.random((24, 24))))}),
    "members": (["members"], {"qrels.txt": overlapping_qrels(), "runs/a.txt": trec(
        RANDOM.random((6, 12)), range(6), range(12))}),
    "junk": (["junk"], {**SKETCHES, "truth.txt": qrels().replace("N9 0\n", "N9 -1\n"), **list_files()}),
    "missing queries": (["missing"], {**SKETCHES, **list_files(queries=QUERIES[:9])}),
    "files of no qrels": (["models"], {
        "qrels.txt": "Q1 0 N1 1\nQ1 0 N2 0\nQ2 0 N2 1\n",
        "runs/A.run": "Q1 Q0 N1 1 2 t\nQ1 Q0 N2 2 1 t\nQ2 Q0 N2 1 1 t\n",
        **{name: text for name, text in benchmark_files().items() if name.startswith("models/")}}),
    "unmarked table": (["classification"], {"labels.csv": "".join(
        f"{name},c{place % 3}\n" for place, name in enumerate(IDS)), "m.npy": npy(SQUARE)}),
    "two classifications": (["classification"], {
        **SELF, "other.cla": cla((("c", "0", 12), ("d", "0", 12))), "runs/A.npy": npy(SQUARE)}),
    "list of queries": (["queries"], {**SELF, "queries.txt": "\n".join(IDS[:7]) + "\n", "runs/A.npy": npy(SQUARE)}),
    "two assessments": (["assessment"], {**SKETCHES, "truth2.txt": qrels().replace(" 1\n", " 0\n"), **list_files()}),
    "several labels": (["derive"], {"classes.csv": "id,class\n" + "".join(
        f"{name},c{place % 3}{';d' * (place % 2)}\n" for place, name in enumerate(IDS)), "runs/A.npy": npy(SQUARE)}),
    "other runs": (["only_listed_runs"], {
        **SKETCHES, **list_files("runs/A"), **list_files("runs/B"), "benchmark.toml": '[[runs]]\npath = "runs/A"\n'}),
}  # fmt: skip


def reading(folder):
    """All that a reading determines, but its findings."""
    benchmark = read_benchmark(folder)
    lists = []
    for run in benchmark.runs:
        ranking = run.ranking
        if isinstance(ranking, DistanceMatrix):
            keys = np.asarray(ranking.values)[ranking.rows] * (-1 if ranking.similarity else 1)
            lists.append((run.name, ranking.columns[np.argsort(keys, axis=1, kind="stable")].tolist()))
        else:
            lists.append((run.name, ranking.items.tolist(), ranking.indptr.tolist()))
    truth = benchmark.assessment
    levels = [] if truth is None else [[part.tolist() for part in truth.relevant(q)] for q in range(len(truth))]
    queries = benchmark.queries
    return benchmark.collection.ids, queries.ids, queries.member.tolist(), levels, lists


def scores(folder, option):
    """What `evaluate` prints, without findings."""
    words = ["evaluate", str(folder), *shlex.split(option), "--format", "json", "--per-query"]
    text = CliRunner().invoke(program, words).output
    return [line for line in text[: text.find('"findings"')].splitlines() if '"profile"' not in line]


def remedies(folder):
    return [finding for finding in read_benchmark(folder).findings if finding.setting is not None]


def key_of(setting):
    """Name of the row with the table and key of a setting."""
    return next(name for name, row in DECISIONS.items() if (row.table, row.key) == (setting.table, setting.key))


@pytest.mark.parametrize("name", CASES)
def test_the_remedy_changes_the_reading(name, tmp_path, monkeypatch):
    keys, files = CASES[name]
    folder, manifest = write(tmp_path / "b", files), tmp_path / "b/benchmark.toml"
    monkeypatch.chdir(folder)  # options name files below it
    found = remedies(folder)
    assert {key_of(finding.setting) for finding in found} >= {*keys}
    content, before, printed = files.get("benchmark.toml", ""), reading(folder), scores(folder, "")
    for finding in found:
        setting = finding.setting
        assert setting.lines or setting.option
        assert "otherwise " in finding.action or setting.table == "conventions", finding
        if setting.lines and setting.table != "conventions":
            is_below = "below line" in setting.place
            text = content + "\n".join(setting.lines)
            text = "\n".join([*setting.lines, content]) if is_below and setting.table == "benchmark" else text
            manifest.write_text(text + "\n")
            assert reading(folder) != before, finding
            manifest.unlink()
            if content:
                manifest.write_text(content)
        if setting.option:
            assert scores(folder, setting.option) != printed, finding


def test_every_row_with_a_remedy_has_a_case():
    """The rows without a table are decisions that nothing takes otherwise."""
    tested = {key for keys, _ in CASES.values() for key in keys}
    assert tested == {key for key, row in DECISIONS.items() if row.table}
