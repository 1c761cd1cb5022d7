"""Relevance levels are the same in every form in which files that are named as truth hold them."""

import json

import numpy as np
import pytest
from made_folders import QUERIES, cla, labels, query_classes, write
from test_truth_columns import EXPECTED, PAIRS, SAME_CLASS, contest, levels_of, messages

from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark

RELEVANT: dict[str, dict[str, int]] = {}
for (_query, _model), _level in EXPECTED.items():
    RELEVANT.setdefault(_query, {})[_model] = _level

WORDS = {"0": "not relevant", "1": "relevant", "2": "highly relevant"}


def table(head, form, pairs=PAIRS):
    rows = [form.format(q=query, m=model, l=level, w=WORDS.get(level)) for query, model, level in pairs]
    return "\n".join([*([head] if head else []), *rows]) + "\n"


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


LEVELS = {
    "qrels.csv": [
        table("Anfrage;Modell;Relevanz", "{q};{m};{l}"),
        table("Modell;Anfrage;Grad", "{m};{q};{l}", sorted(PAIRS, key=lambda pair: pair[0])),
        table("query;model;relevance", "{q};{m};{l},0"),
        table("", "{q},{m},{l}"),
        table("", "{q},0,{m},{l}"),
        table("query,model,note", "{q},{m},{l}"),
        table("query,model,relevance", "{q},{m},{w}"),
        table("consulta,objeto,relevancia", "{q},{m},{l}"),
    ],
    "qrels.tsv": [table("topic\titer\tdocno\tjudgment", "{q}\t0\t{m}\t{l}")],
    "qrels.json": [
        json.dumps([{"qid": query, "pid": model, "rel": int(level)} for query, model, level in PAIRS]),
        json.dumps({"qrels": RELEVANT}),
        json.dumps([{"query": query, "relevant": found} for query, found in RELEVANT.items()]),
    ],
    "truth.jsonl": [
        lines({"query": query, "relevant": found} for query, found in RELEVANT.items()),
        lines({"query_id": query, "doc_id": model, "grade": int(level)} for query, model, level in PAIRS),
    ],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in LEVELS.items() for text in texts])
@pytest.mark.parametrize("named", [False, True])
def test_levels_are_read_in_every_form(name, text, named, tmp_path):
    name = f"other{name[name.index('.') :]}" if named else name
    root = contest(tmp_path, **{name: text})
    benchmark = read_benchmark(root, BenchmarkParts(assessment=root / name if named else None))
    assert levels_of(benchmark) == EXPECTED
    assert messages(benchmark) == []
    assert [run.name for run in benchmark.runs] == ["A"]


BEST = {query: [model for model, level in found.items() if level == 2] for query, found in RELEVANT.items()}
RELATED = [
    ("gt.json", json.dumps(BEST)),
    ("truth.jsonl", lines({"query": query, "positives": found} for query, found in BEST.items())),
    ("relevant.csv", "query,relevant\n" + "".join(f"{query},{' '.join(found)}\n" for query, found in BEST.items())),
    ("truth.csv", table("query,model,relevant", "{q},{m},{l}", [(q, m, ("no", "yes")[n == "2"]) for q, m, n in PAIRS])),
    ("truth.csv", table("query,model,is_relevant", "{q},{m},{l}", [(q, m, n == "2") for q, m, n in PAIRS])),
]


@pytest.mark.parametrize(("name", "text"), RELATED)
def test_relevant_models_are_read_in_every_form(name, text, tmp_path):
    benchmark = read_benchmark(contest(tmp_path, **{name: text}))
    assert levels_of(benchmark) == SAME_CLASS
    assert messages(benchmark) == []


def test_words_as_levels_are_named(tmp_path):
    benchmark = read_benchmark(contest(tmp_path, **{"qrels.csv": table("query,model,relevance", "{q},{m},{w}")}))
    (found,) = (one for one in benchmark.findings if one.message == "levels are words")
    assert found.action == "read 'highly relevant' as 2, 'relevant' as 1, 'not relevant' as 0"


@pytest.mark.parametrize("named", [False, True])
def test_levels_of_parquet(named, tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    root, name = contest(tmp_path), "other.parquet" if named else "qrels.parquet"
    queries, models, levels = zip(*PAIRS, strict=True)
    parquet.write_table(
        arrow.table({"query-id": queries, "corpus-id": models, "score": list(map(int, levels))}), root / name
    )
    benchmark = read_benchmark(root, BenchmarkParts(assessment=root / name if named else None))
    assert levels_of(benchmark) == EXPECTED
    assert messages(benchmark) == []


def test_levels_between_classes_in_an_array_have_their_names(tmp_path):
    names = ["jar", "dog", "mug", "cat", "cup"]
    between = 2 * np.eye(5, dtype=np.int8)
    between[1, 3] = between[3, 1] = 1
    of_queries = [(name, [query for query, own in query_classes().items() if own == name]) for name in names]
    blocks = (f"\n{name} 0 {len(ids)}\n" + "\n".join(ids) + "\n" for name, ids in of_queries)
    text = f"PSB 1\n5 {len(QUERIES)}\n" + "".join(blocks)
    root = contest(tmp_path, **{"models.cla": cla(), "queries.cla": text})
    np.savez(root / "qrels.npz", levels=between, classes=np.array(names))
    assert levels_of(read_benchmark(root)) == EXPECTED


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("other.csv", table("query,model,score", "{q},{m},0.{l}5")),
        ("qrels.json", json.dumps({query: dict.fromkeys(found, 0.5) for query, found in RELEVANT.items()})),
        ("other.jsonl", lines({"query": query, "model": model, "level": None} for query, model, _ in PAIRS)),
    ],
)
def test_other_numbers_are_no_levels(name, text, tmp_path):
    root = contest(tmp_path, **{name: text})
    benchmark = read_benchmark(root, BenchmarkParts(assessment=root / name))
    assert benchmark.assessment is None
    assert any(one.file == name and one.severity == "error" for one in benchmark.findings)


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("of", ["model", "class"])
def test_classes_in_json(of, named, tmp_path):
    ids = labels()
    lists = {name: [one for one, own in ids.items() if own == name] for name in ids.values()}
    name = "groups.json" if named else "classes.json"
    run = "".join(f"{query} Q0 {model} {rank} {1 / rank} A\n" for query in ids for rank, model in enumerate(ids, 1))
    root = write(tmp_path, {"runs/A.txt": run, name: json.dumps(ids if of == "model" else lists)})
    benchmark = read_benchmark(root, BenchmarkParts(classification=root / name if named else None))
    expected = {(one, other): 1 for one in ids for other in ids if ids[one] == ids[other]}
    assert levels_of(benchmark) == expected
    assert not any(one.severity is Severity.ERROR for one in benchmark.findings)


def test_lists_of_queries_are_no_classes(tmp_path):
    lists = {query: [f"N{n}", "N9"] for n, query in enumerate(QUERIES)}
    assert read_benchmark(contest(tmp_path, **{"classes.json": json.dumps(lists)})).assessment is None
