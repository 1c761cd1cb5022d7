"""Truth and runs that contradict one another are warnings, and do not change what is read."""

import re

import numpy as np
import pytest
from made_folders import (
    CLASSES,
    IDS,
    NATURAL,
    QUERIES,
    cla,
    distances,
    labels,
    list_files,
    matrix_text,
    query_classes,
    write,
)

from shrec_viewer.cli import main
from shrec_viewer.domain import Severity
from shrec_viewer.formats.core.ids import IdIndex
from shrec_viewer.formats.discovery.benchmark import read_benchmark

OTHER_CLASS = {"cat": "mug", "dog": "jar", "cup": "cat", "mug": "dog", "jar": "cup"}


def _query_cla():
    names = sorted(set(query_classes().values()))
    members = {name: [query for query, own in query_classes().items() if own == name] for name in names}
    return cla(tuple((name, "0", len(members[name])) for name in names), [q for name in names for q in members[name]])


TRUTH = {"classes.cla": cla(), "queries.cla": _query_cla()}


def _warnings(folder, files, words):
    found = [finding for finding in read_benchmark(write(folder, files)).findings if words in finding.message]
    assert {finding.severity for finding in found} <= {Severity.WARNING}
    return found


def _qrels(class_of_relevant):
    pairs = [(query, model) for query, own in query_classes().items() for model, name in labels().items()
             if name == class_of_relevant[own]]  # fmt: skip
    return "".join(f"{query} 0 {model} 1\n" for query, model in pairs)


def test_relevant_models_never_of_the_query_s_class(tmp_path):
    files = {**TRUTH, "qrels.txt": _qrels(OTHER_CLASS), **list_files()}
    (finding,) = _warnings(tmp_path, files, "of one class")
    assert finding.file == "qrels.txt"
    assert finding.message == (
        "none of its 57 pairs is a query and a model of one class: the first is 'Q1', of 'cat', and 'N23', of 'mug'"
    )
    assert 'derive = "classes"' in finding.setting.toml
    benchmark = read_benchmark(tmp_path)
    assert benchmark.classification.names[benchmark.classification.labels[benchmark.assessment.relevant(0)[0][0]]] == (
        "mug"
    )


@pytest.mark.parametrize("class_of_relevant", [{own: own for own in OTHER_CLASS}, {**OTHER_CLASS, "cat": "cat"}])
def test_one_relevant_model_of_the_query_s_class_is_no_contradiction(tmp_path, class_of_relevant):
    files = {**TRUTH, "qrels.txt": _qrels(class_of_relevant), **list_files()}
    assert _warnings(tmp_path, files, "of one class") == []


def _exchanged(text, one, two):
    """A class file in which two ids have each other's class."""
    lines = text.split("\n")
    places = lines.index(one), lines.index(two)
    lines[places[0]], lines[places[1]] = two, one
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("used", "option", "ids", "name"),
    [
        ("classes.cla", "--classification", ("N9", "N18"), "old.cla"),
        ("queries.cla", "--queries", ("Q1", "Q2"), "z.cla"),
    ],
)
def test_a_second_list_of_other_classes_is_named_with_what_is_used(tmp_path, capsys, used, option, ids, name):
    """Which one is used changes the means."""
    files = {**TRUTH, name: _exchanged(TRUTH[used], *ids), **list_files()}
    (finding,) = _warnings(tmp_path, files, "other list of classes")
    assert (finding.file, finding.message) == (used, f"1 other list of classes: {name}")
    assert finding.action == f"this one is used; otherwise '{name}'; to read it so"
    assert finding.setting.option == f"{option} {name}"
    call = ["evaluate", str(tmp_path), "--measure", "AP", "--format", "csv"]
    assert main(call) == 0
    first = capsys.readouterr()
    assert f"{used}: warning: 1 other list of classes: {name}" in first.err
    assert main([*call, option, str(tmp_path / name)]) == 0
    other = capsys.readouterr()
    assert other.out != first.out
    assert "list of classes" not in other.err


@pytest.mark.parametrize("of", TRUTH)
def test_a_second_list_of_the_same_classes_is_a_note(tmp_path, of):
    """Also with other names of the classes. The names of the files say which one is used."""
    renamed = re.sub("cat|dog|mug|jar", lambda found: f"my_{found[0]}", TRUTH[of])
    truth = {"models.cla": cla(), "queries.cla": _query_cla(), "z.cla": renamed}
    benchmark = read_benchmark(write(tmp_path, {**truth, **list_files()}))
    (finding,) = [finding for finding in benchmark.findings if "list of classes" in finding.message]
    assert finding.severity is Severity.INFO


def _with_ids(change, share=0.6):
    """Lists in which a share of the ids are written in another way."""
    return {
        name: "".join(
            f"{change(model) if place % 10 < 10 * share else model} {value}\n"
            for place, (model, value) in enumerate(line.split() for line in text.splitlines())
        )
        for name, text in list_files().items()
    }


def _other(model):
    return model.translate(str.maketrans("N0123456789", "xabcdefghij")) + "0"


def _trec(share=0.6):
    lines = []
    for name, text in _with_ids(_other, share).items():
        query = name.rsplit("/", 1)[-1]
        lines += [f"{query} Q0 {line.split()[0]} {i} {-i} t\n" for i, line in enumerate(text.splitlines(), 1)]
    return "".join(lines)


def _table(share=0.6):
    lists = _with_ids(_other, share).items()
    rows = [[name.rsplit("/", 1)[-1], *(line.split()[0] for line in text.splitlines())] for name, text in lists]
    return "".join(",".join(row) + "\n" for row in rows)


RUNS = {
    "lists": lambda share: _with_ids(_other, share),
    "TREC": lambda share: {"runs/A1": _trec(share)},
    "table": lambda share: {"runs/A1": _table(share)},
}


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_of_mostly_unknown_ids_may_be_of_another_benchmark(tmp_path, kind):
    (finding,) = _warnings(tmp_path, {**TRUTH, **RUNS[kind](0.6)}, "no models of the collection")
    assert (finding.file, finding.message[:16], finding.count) == ("runs/A1", "67 % of its ids ", 192)
    assert finding.action == "the run may be of another benchmark"
    assert len(read_benchmark(tmp_path).runs) == 1


@pytest.mark.parametrize("kind", RUNS)
def test_fewer_unknown_ids_are_no_other_benchmark(tmp_path, kind):
    assert _warnings(tmp_path, {**TRUTH, **RUNS[kind](0.4)}, "no models of the collection") == []


NOTATIONS = {
    "another prefix": (lambda model: f"T{model[1:]}", "by the number in it 'T8' would be 'N8'"),
    "padded": (lambda model: f"T{model[1:].zfill(5)}", "by the number in it 'T00008' would be 'N8'"),
    "from 0": (lambda model: f"T{int(model[1:]) - 1}", "by the number in it plus 1 'T7' would be 'N8'"),
    "from 2": (lambda model: f"T{int(model[1:]) + 1}", "by the number in it minus 1 'T9' would be 'N8'"),
    "case and punctuation": (lambda model: f"_{model[0].lower()}-{model[1:]}", "without punctuation '_n-8' would be"),
}


CASES = [(kind, share) for kind in NOTATIONS for share in (0.6, 1.0) if (kind, share) != ("from 0", 1.0)]
"""Where all ids are numbered from 0, they are read so."""


@pytest.mark.parametrize(("kind", "share"), CASES)
def test_the_nearest_notation_is_named(tmp_path, kind, share):
    change, hint = NOTATIONS[kind]
    findings = read_benchmark(write(tmp_path, {**TRUTH, **_with_ids(change, share)})).findings
    (finding,) = [found for found in findings if hint in found.message]
    assert finding.severity is (Severity.ERROR if share == 1 else Severity.WARNING)
    assert finding.file == "runs/A1"


def test_ids_of_columns_in_another_notation(tmp_path):
    header = ",".join(["", *(f"T{name[1:]}" for name in NATURAL)])
    rows = (f"{name},{','.join(map(str, row))}" for name, row in zip(QUERIES, distances(), strict=True))
    files = {**TRUTH, "benchmark.toml": '[[runs]]\npath = "A.csv"\n', "A.csv": "\n".join([header, *rows]) + "\n"}
    messages = [finding.message for finding in read_benchmark(write(tmp_path, files)).findings]
    assert sum("by the number in it 'T1' would be 'N1'" in message for message in messages) == 1


@pytest.mark.parametrize("words", [[], ["x"], ["T1"], ["T90", "T91", "T92"], ["chair", "table"]])
def test_no_notation_fits(words):
    assert IdIndex(IDS).notation_hint(words) == ""


def test_ids_with_one_number_twice_have_no_notation_by_number():
    assert IdIndex(["a1", "b1", "a2"]).notation_hint(["x1", "x2"]) == ""


@pytest.mark.parametrize("name", ["Cat", "CAT", "cat_", "\u212aat"])
def test_classes_alike(tmp_path, name):
    other = tuple((name if own == "mug" else own, parent, count) for own, parent, count in CLASSES)
    files = {"classes.cla": cla(other), "A.matrix": matrix_text(distances(NATURAL))}
    found = _warnings(tmp_path, files, "differ in case")
    assert [finding.message for finding in found] == (
        [f"names of classes differ in case, blanks or underscores only: 'cat' and '{name}'"]
        if name.casefold() == "cat"
        else []
    )


def test_a_query_s_class_in_another_case(tmp_path):
    files = {"classes.cla": cla(), "queries.cla": _query_cla().replace("jar", "JAR"), **list_files()}
    (finding,) = _warnings(tmp_path, files, "differ in case")
    assert "'jar' and 'JAR'" in finding.message


MATRICES = {
    "rows": (lambda values: np.tile(values[:1], (len(values), 1)), ["rows"]),
    "columns": (lambda values: np.tile(values[:, :1], (1, values.shape[1])), ["columns"]),
    "numbers": (np.ones_like, ["rows", "columns"]),
    "all but one": (lambda values: np.where(np.arange(values.size).reshape(values.shape) == 99, 2.0, 1.0), []),
    "all but the last row": (lambda values: np.vstack([np.tile(values[:1], (len(values) - 1, 1)), values[-1:]]), []),
    "none": (lambda values: values, []),
}


@pytest.mark.parametrize("kind", MATRICES)
@pytest.mark.parametrize("block", [30, 4_000_000])
def test_equal_rows_and_columns(tmp_path, kind, block, monkeypatch):
    monkeypatch.setattr("shrec_viewer.formats.core.run_checks.BLOCK_VALUES", block)
    change, expected = MATRICES[kind]
    found = _warnings(tmp_path, {**TRUTH, "A.matrix": matrix_text(change(distances()))}, "are equal")
    assert [finding.message.split()[1] for finding in found] == expected
    assert len(read_benchmark(tmp_path).runs) == 1


SINGLES = "PSB 1\n4 6\n\na 0 1 m0\nb 0 1 m1\nc 0 2 m2 m3\nd 0 2 m4 m5\n"


ALONE = {
    "default": "nothing is left to find without the query itself",
    "shrec2017": "the query itself is to be found",
}


@pytest.mark.parametrize("profile", ALONE)
def test_check_names_queries_that_are_alone_in_their_class(tmp_path, capsys, profile):
    values = np.random.default_rng(1).permuted(np.arange(36.0)).reshape(6, 6)
    toml = f'[benchmark]\nprofile = "{profile}"\n'
    write(tmp_path, {"benchmark.toml": toml, "classes.cla": SINGLES, "A.matrix": matrix_text(values)})
    assert main(["check", str(tmp_path)]) == 0
    assert f"2 queries have no relevant model but itself: m0, m1; {ALONE[profile]}\n" in capsys.readouterr().out
    main(["evaluate", str(tmp_path)])
    assert ("queries without relevant models (2)" in capsys.readouterr().err) == (profile == "default")


def _qrels_of_models(written):
    """Each model is a query, written so; relevant are the others of its class."""
    of_models = labels()
    pairs = [(query, model) for query in IDS for model in IDS if query != model]
    lines = [f"{written(a)} 0 {b} 1\n" for a, b in pairs if of_models[a] == of_models[b]]
    return {"classes.cla": cla(), "qrels.txt": "".join(lines), "A.matrix": matrix_text(distances(IDS))}


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        (str.lower, "'n1' is only similar, to 'N1'"),
        (lambda query: query.lower() if query == IDS[5] else query, f"is only similar, to '{IDS[5]}'"),
        (lambda query: "X5" if query == IDS[5] else query, "'X5' is that of none"),
        (str, ""),
        (lambda query: query.replace("N", "Q"), ""),
    ],
)
def test_queries_of_which_most_are_models(written, fault, tmp_path):
    """One id of another spelling makes all queries other objects than the models: each stays in its own list."""
    found = _warnings(tmp_path, _qrels_of_models(written), "most queries have the id of a model")
    assert len(found) == bool(fault)
    assert all(finding.message.endswith(fault) and finding.file == "qrels.txt" for finding in found)
