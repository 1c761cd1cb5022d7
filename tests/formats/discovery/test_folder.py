"""A folder becomes a benchmark by its content; what is missing, broken or elsewhere is said."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_folders import (
    IDS,
    NATURAL,
    QUERIES,
    benchmark_files,
    cla,
    distances,
    labels,
    list_files,
    matrix_text,
    mesh_files,
    qrels,
    query_classes,
    write,
)

from shrec_viewer.domain import Cancelled, ClassAssessment, FormatError, PairAssessment, QueryKind, Severity
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark
from shrec_viewer.metrics import PROFILES
from shrec_viewer.resources import resource

SAMPLES = Path(__file__).parents[2] / "data" / "formats"


def grave(benchmark):
    return {f"{f.location}: {f.message}" for f in benchmark.findings if f.severity is not Severity.INFO}


def refused(path):
    with pytest.raises(FormatError) as caught:
        read_benchmark(path)
    return str(caught.value)


# What is no benchmark


def test_an_empty_folder(tmp_path):
    assert refused(tmp_path) == f"{tmp_path}: is empty: a benchmark has models, a classification or runs"
    (tmp_path / "deeper" / "still").mkdir(parents=True)
    assert "is empty" in refused(tmp_path)


def test_what_is_not_there_or_no_folder(tmp_path):
    assert refused(tmp_path / "absent") == f"{tmp_path / 'absent'}: does not exist"
    write(tmp_path, {"a.off": "OFF"})
    assert refused(tmp_path / "a.off").endswith(".zip, .tar.gz or run; open the folder it is in")


def test_a_folder_of_other_things(tmp_path):
    write(tmp_path, {"letter.txt": "Dear reader,\n\nnothing here.\n", "junk.bin": bytes(range(256)) * 4})
    assert refused(tmp_path).endswith(
        "is not a benchmark: none of its 2 files is a mesh, a classification or a run: 'junk.bin' is not a text file; "
        "'letter.txt' begins with 'Dear reader,'; name the role of a file in benchmark.toml, "
        'such as [collection] classification = "junk.bin"'
    )


def test_truncated_classification_alone_is_an_error(tmp_path):
    cut = cla().rstrip().removesuffix("N18").rstrip()
    write(tmp_path, {"classes.cla": cut})
    line = 1 + cut.splitlines().index("jar 0 6")
    reported_findings = (
        f"{tmp_path / 'classes.cla'}:{line}: class 'jar' declares 6 models but lists 5: the file is truncated"
    )
    assert refused(tmp_path) == reported_findings


def test_classification_with_wrong_count_is_read_by_lines(tmp_path):
    lying = cla().replace("dog animal 4", "dog animal 3")
    benchmark = read_benchmark(write(tmp_path, {"classes.cla": lying, **list_files()}))
    line = 1 + lying.splitlines().index("dog animal 3")
    assert f"classes.cla:{line}: class 'dog' declares 3 models but lists 4" in grave(benchmark)
    assert benchmark.collection.ids == IDS
    assert benchmark.classification.sizes.tolist() == [0, 5, 4, 6, 3, 6]


def test_truncated_classification_with_lists_is_a_finding(tmp_path):
    cut = cla().rstrip().removesuffix("N18").rstrip()
    benchmark = read_benchmark(write(tmp_path, {"classes.cla": cut, **list_files(), **mesh_files("models", IDS)}))
    line = 1 + cut.splitlines().index("jar 0 6")
    assert grave(benchmark) == {
        f"classes.cla:{line}: class 'jar' declares 6 models but lists 5: the file is truncated",
        ".: no relevance assessment: neither classes of models and queries nor qrels",
    }
    assert benchmark.has_errors
    assert benchmark.collection.ids == NATURAL
    assert len(benchmark.runs) == 1


def test_a_manifest_that_is_no_toml(tmp_path):
    write(tmp_path, {**benchmark_files(), "benchmark.toml": "[benchmark]\nname = \n"})
    assert refused(tmp_path).startswith(f"{tmp_path / 'benchmark.toml'}:2: is not valid TOML: ")


def test_a_folder_of_benchmarks(tmp_path):
    for name in ("one", "two"):
        write(tmp_path / name, {**benchmark_files(), **list_files()})
    assert refused(tmp_path) == f"{tmp_path}: holds 2 benchmarks: one, two; open one of them"
    write(tmp_path, {"classes.cla": cla()})
    assert read_benchmark(tmp_path).collection.ids == IDS, "it has truth of its own"


# What cannot be read


def test_circular_and_broken_links(tmp_path):
    write(tmp_path, {**benchmark_files(), **list_files()})
    (tmp_path / "models" / "back").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "runs" / "self").symlink_to(tmp_path / "runs" / "self")
    (tmp_path / "truth2.txt").symlink_to(tmp_path / "absent")
    benchmark = read_benchmark(tmp_path)
    assert len(benchmark.collection) == 24
    assert len(benchmark.runs) == 1
    reported_findings = grave(benchmark)
    assert "models/back: is a link to the folder '.', which is read already" in reported_findings
    assert "truth2.txt: does not exist" in reported_findings
    assert any(place.startswith("runs/self: ") for place in reported_findings)


def test_a_file_that_may_not_be_opened(tmp_path, monkeypatch):
    write(tmp_path, {**benchmark_files(), **list_files(), "closed.txt": "0 1 2\n"})
    opened = Path.open

    def guarded(path, *args, **kwargs):
        if path.name == "closed.txt":
            raise PermissionError(13, "Permission denied")
        return opened(path, *args, **kwargs)

    monkeypatch.setattr(Path, "open", guarded)
    assert grave(read_benchmark(tmp_path)) == {"closed.txt: cannot be opened: permission denied"}


def test_a_folder_that_may_not_be_listed(tmp_path, monkeypatch):
    write(tmp_path, {**benchmark_files(), **list_files(), "closed/a.txt": "0 1 2\n"})
    scanned = os.scandir

    def guarded(path):
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scanned(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert grave(read_benchmark(tmp_path)) == {"closed: the folder cannot be opened: permission denied"}
    with pytest.raises(FormatError, match="cannot be opened: permission denied"):
        read_benchmark(tmp_path / "closed")


def test_only_regular_files_are_opened(tmp_path):
    """Opening a pipe would wait for ever."""
    write(tmp_path, {**benchmark_files(), **list_files()})
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes on this system")
    os.mkfifo(tmp_path / "pipe")
    assert grave(read_benchmark(tmp_path)) == {"pipe: is a device or a pipe, not a file"}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    names=st.lists(st.sampled_from(sorted(SAMPLES.glob("*/*/*"))), min_size=1, max_size=6, unique=True), data=st.data()
)
def test_any_set_of_samples_is_a_benchmark_or_an_error(names, data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("heap")
    for place, path in enumerate(names):
        below = data.draw(st.sampled_from(["", "runs/", "runs/A/", "queries/"]))
        write(folder, {f"{below}{data.draw(st.sampled_from([path.name, f'Q{place}', 'N1']))}": path.read_bytes()})
    benchmark, error = outcome(folder)
    if error is not None:
        assert str(error).startswith(str(folder))
        return
    assert all(finding.message and not finding.message.endswith(".") for finding in benchmark.findings)


def test_only_a_binary_matrix_is_named_after_a_query(tmp_path):
    """It could not be a list, so that no list is named after a query."""
    names = {
        "N1": "matrix/bad/broken_header.npy", "ragged.txt": "matrix/good/ragged.txt",
        "touching.txt": "matrix/good/touching.txt", "ends_early.cla": "cla/bad/ends_early.cla",
        "cut_header.cla": "cla/bad/cut_header.cla",
    }  # fmt: skip
    write(tmp_path, {name: (SAMPLES / path).read_bytes() for name, path in names.items()})
    assert "N1" in " ".join(str(finding) for finding in read_benchmark(tmp_path).findings)


def outcome(folder):
    try:
        return read_benchmark(folder), None
    except FormatError as error:
        return None, error


# What a benchmark consists of


def test_thumbnails_in_a_folder_of_images_are_no_queries(tmp_path):
    files = {**mesh_files("models", NATURAL), **{f"images/{name}.png": "" for name in NATURAL}}
    benchmark = read_benchmark(write(tmp_path, files))
    assert benchmark.collection.ids == NATURAL
    assert len(benchmark.queries) == 0
    files = {f"images/photo{number}.png": "" for number in range(5)}
    assert len(read_benchmark(write(tmp_path, files)).queries) == 0
    assert len(read_benchmark(write(tmp_path / "b", {**mesh_files("models", NATURAL), **files})).queries) == 5


def test_relevance_and_labels_from_qrels_and_classes(tmp_path):
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), **list_files()}))
    assert isinstance(benchmark.assessment, PairAssessment)
    tree = benchmark.classification
    assert [tree.names[label] for label in benchmark.queries.labels] == list(query_classes().values())
    for query, name in enumerate(QUERIES):
        gains = benchmark.assessment.gains(query, 24)
        expected = {line.split()[2]: int(line.split()[3]) for line in qrels().splitlines() if line.split()[0] == name}
        assert dict(zip(IDS, gains.tolist(), strict=True)) == expected
    assert benchmark.name == tmp_path.name


def test_levels_do_not_depend_on_the_order_of_the_lines(tmp_path):
    lines = sorted(qrels().splitlines(), key=lambda line: line[::-1])
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "truth.txt": "\n".join(lines)}))
    plain = read_benchmark(write(tmp_path / "plain", benchmark_files()))
    assert benchmark.assessment.indptr.tolist() == plain.assessment.indptr.tolist()
    assert benchmark.assessment.items.tolist() == plain.assessment.items.tolist()
    assert benchmark.assessment.level.tolist() == plain.assessment.level.tolist()
    for query in range(len(QUERIES)):
        assert np.all(np.diff(benchmark.assessment.relevant(query)[0]) > 0)


def test_class_of_queries_only_keeps_sister_classes(tmp_path):
    query_names = cla((("animal", "0", 0), ("lynx", "animal", 1)), ["Q1"])
    files = {
        "model.cla": cla(),
        "query.cla": query_names,
        "benchmark.toml": '[assessment]\nderive = "sister-classes"\n',
    }
    benchmark = read_benchmark(write(tmp_path, files))
    items, level = benchmark.assessment.relevant(0)
    assert {IDS[item] for item in items} == {name for name, own in labels().items() if own in ("cat", "dog")}
    assert set(level.tolist()) == {1}


def test_the_class_of_a_query_with_promoted_sisters_comes_from_a_table(tmp_path):
    """Two classes are highly relevant, so the assessment cannot tell the class; a table of the queries does."""
    promoted = qrels().replace(" 1\n", " 2\n")
    files = {**benchmark_files(), "truth.txt": promoted, **list_files()}
    benchmark = read_benchmark(write(tmp_path, files))
    cats = [query for query, name in enumerate(QUERIES) if query_classes()[name] in ("cat", "dog")]
    assert np.flatnonzero(benchmark.queries.labels < 0).tolist() == cats
    rows = "".join(f"{name},{own},{place}\n" for place, (name, own) in enumerate(query_classes().items()))
    benchmark = read_benchmark(write(tmp_path, {"queries.csv": "query_id,what,number\n" + rows}))
    tree = benchmark.classification
    assert [tree.names[label] for label in benchmark.queries.labels] == list(query_classes().values())


def test_queries_with_separate_classes(tmp_path):
    """Separate query classification; a class that no model has stays a class."""
    query_names = {**query_classes(), "Q12": "bowl"}
    by_class = {}
    for query, own in query_names.items():
        by_class.setdefault(own, []).append(query)
    classes = tuple((own, "animal" if own in ("cat", "dog") else "0", len(them)) for own, them in by_class.items())
    text = cla((("animal", "0", 0), *classes), [query for them in by_class.values() for query in them])
    files = {"model.cla": cla(), "sketch.cla": text, **list_files(), **mesh_files("sketches", QUERIES)}
    benchmark = read_benchmark(write(tmp_path, files))
    assert isinstance(benchmark.assessment, ClassAssessment)
    tree = benchmark.classification
    assert {
        query: tree.names[label] for query, label in zip(benchmark.queries.ids, benchmark.queries.labels, strict=True)
    } == query_names
    assert benchmark.collection.ids == IDS
    assert (benchmark.queries.member == -1).all()
    place = benchmark.queries.index["Q1"]
    relevant = {IDS[item] for item in benchmark.assessment.relevant(place)[0]}
    assert relevant == {name for name, own in labels().items() if own == query_names["Q1"]}
    assert ".: 1 query has no relevant model: Q12" in grave(benchmark)


def test_pictures_are_queries_and_thumbnails(tmp_path):
    files = {**benchmark_files(), **list_files()}
    for name in QUERIES[:3]:
        files[f"queries/{name}.png"] = files.pop(f"queries/{name}.off")
    files["thumbs/N9_thumb.jpg"] = ""
    files["thumbs/N21_thumb.jpg"] = ""
    del files["models/N21.off"]
    benchmark = read_benchmark(write(tmp_path, files))
    assert benchmark.queries.kinds[:4] == (QueryKind.IMAGE, QueryKind.IMAGE, QueryKind.IMAGE, QueryKind.MODEL)
    paths = dict(zip(benchmark.collection.ids, benchmark.collection.paths, strict=True))
    assert paths["N21"] == tmp_path / "thumbs/N21_thumb.jpg"
    assert paths["N9"] == tmp_path / "models/N9.off"
    assert grave(benchmark) == set()


def test_meshes_in_separate_folders_with_prefixes(tmp_path):
    """As Princeton packs them: `db/11/m1119/m1119.off` is model 1119."""
    numbers = [name[1:] for name in IDS]
    meshes = {f"db/{int(n) % 3}/m{n}/m{n}.off": "OFF\n" for n in numbers}
    values = matrix_text(distances(IDS, IDS))
    benchmark = read_benchmark(write(tmp_path, {"test.cla": cla(ids=numbers), "d2.txt": values, **meshes}))
    assert [path.name for path in benchmark.collection.paths] == [f"m{n}.off" for n in numbers]
    assert benchmark.queries.paths == benchmark.collection.paths
    assert any("files match without the prefix" in finding.message for finding in benchmark.findings)


def test_model_and_query_of_same_name_match_by_folder(tmp_path):
    numbers = {name: name[1:] for name in IDS}
    truth = "".join(
        f"{line.split()[0][1:]} 0 {line.split()[2][1:]} {line.split()[3]}\n" for line in qrels().splitlines()
    )
    files = {
        "classes.cla": cla(ids=[numbers[name] for name in IDS]),
        "truth.txt": truth,
        **mesh_files("models", [str(n) for n in range(1, 25)]),
        **mesh_files("queries", [str(n) for n in range(1, 13)]),
    }
    benchmark = read_benchmark(write(tmp_path, files))
    assert {path.parent.name for path in benchmark.collection.paths} == {"models"}
    assert {path.parent.name for path in benchmark.queries.paths} == {"queries"}
    assert (benchmark.queries.member == -1).all()


def test_exact_names_match_first(tmp_path):
    """`q1.off` is query q1, although `1` is a model and a prefix may be missing."""
    text = "".join(f"q{place} 0 {place} 1\n" for place in range(1, 13))
    numbers = [name[1:] for name in IDS]
    files = {"classes.cla": cla(ids=numbers), "truth.txt": text, **mesh_files("all", [f"q{n}" for n in range(1, 13)])}
    benchmark = read_benchmark(write(tmp_path, {**files, **mesh_files("all", numbers)}))
    assert [path.stem for path in benchmark.queries.paths] == [f"q{n}" for n in range(1, 13)]
    assert [path.stem for path in benchmark.collection.paths] == numbers


def test_files_alone_are_a_collection_with_distinct_ids(tmp_path):
    files = {"a/x.off": "OFF", "a/x.obj": "", "b/x.off": "OFF", "b/y.stl": "", "c.ply.gz": "", "img.png": ""}
    benchmark = read_benchmark(write(tmp_path, files))
    assert benchmark.collection.ids == ("c", "a/x.obj", "a/x.off", "b/x.off", "y")
    assert [path.name for path in benchmark.collection.paths] == ["c.ply.gz", "x.obj", "x.off", "x.off", "y.stl"]
    assert len(benchmark.queries) == 0


MESH = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"


def qrels_folder(tmp_path, pairs, lists):
    """Meshes m0 to m5, qrels of queries m0 to m2, and a TREC run."""
    files = {f"models/m{number}.off": MESH for number in range(6)}
    files["qrels.txt"] = "".join(f"{query} 0 {model} 1\n" for query, model in pairs)
    lines = [
        f"{query} Q0 {model} {rank} {9 - rank} A\n"
        for query, models in lists.items()
        for rank, model in enumerate(models.split(), 1)
    ]
    write(tmp_path, {**files, "runs/A.run": "".join(lines)})
    return read_benchmark(tmp_path)


EVERY = ("m0", "m1", "m2", "m3", "m4", "m5")


@pytest.mark.parametrize(
    ("pairs", "lists", "ids"),
    [
        # m0 is relevant to m1, so that the queries are models; m2 is relevant to none, and no file names m5.
        (("m0 m3", "m1 m0", "m2 m4"), {"m0": "m0 m2 m3", "m1": "m2", "m2": "m4"}, EVERY[:5]),
        # One query of each class, which runs list.
        (("m0 m3", "m1 m4", "m2 m5"), {"m0": "m0 m3 m1", "m1": "m1 m4", "m2": "m5 m3"}, EVERY),
        # Queries that are not models, in the folder of the models; a list begins with the name of its query.
        (("m0 m3", "m1 m4", "m2 m5"), {"m0": "m0 m3 m4", "m1": "m4 m5", "m2": "m5 m3"}, ("m3", "m4", "m5")),
    ],
)
def test_queries_of_qrels_are_models_if_they_are_relevant_or_listed(pairs, lists, ids, tmp_path):
    benchmark = qrels_folder(tmp_path, [pair.split() for pair in pairs], lists)
    assert benchmark.collection.ids == ids
    assert benchmark.queries.ids == ("m0", "m1", "m2")
    assert benchmark.queries.member.tolist() == ([0, 1, 2] if "m0" in ids else [-1, -1, -1])
    unknown = [message for message in grave(benchmark) if "unknown id 'm0'" in message]
    assert bool(unknown) == ("m0" not in ids)


def test_shapenet_truth_keeps_the_split_that_was_answered(tmp_path):
    rows = ["id,synsetId,subSynsetId,modelId,split"]
    for number in range(1, 13):
        sub = ("100", "110", "120")[number % 3] if number <= 9 else "200"
        top = "100" if number <= 9 else "200"
        rows.append(f"{number:06},{top},{sub},x{number},{'val' if number % 4 == 0 else 'test'}")
    inside = [f"{n:06}" for n in range(1, 13) if n % 4]
    lists = {f"team_M/test_normal/{name}": "\n".join(f"{other} 0.5" for other in inside) for name in inside}
    benchmark = read_benchmark(write(tmp_path, {"all.csv": "\n".join(rows), **lists}))
    assert [(run.name, run.participant) for run in benchmark.runs] == [("team_M/test_normal", "team_M")]
    assert benchmark.collection.ids == tuple(inside)
    assert benchmark.queries.are_members
    assert isinstance(benchmark.assessment, ClassAssessment)  # never written out: Core55 has 5.1 million pairs
    assert benchmark.assessment.levels == (1, 2, 3)
    # 000001 is 110: 000007 too (3); 000003, 000006, 000009 are the synset itself (2); 000002, 000005 are 120 (1).
    gains = dict(zip(inside, benchmark.assessment.gains(0, len(inside)).tolist(), strict=True))
    assert gains == {
        "000001": 3, "000002": 1, "000003": 2, "000005": 1, "000006": 2, "000007": 3, "000009": 2,
        "000010": 0, "000011": 0,
    }  # fmt: skip
    # 000003 is the synset itself: models of its subsynsets are 1, and of the synset itself 3.
    gains = dict(zip(inside, benchmark.assessment.gains(2, len(inside)).tolist(), strict=True))
    assert gains["000001"] == gains["000002"] == 1
    assert gains["000006"] == 3


# benchmark.toml


MANIFEST = """
[benchmark]
name = "Tiny contest"
profile = "shrec2006"
[collection]
models = "shapes"
classification = "lists/right.cla"
[queries]
models = "asked"
[assessment]
derive = "{derive}"
[[runs]]
name = "second"
participant = "Bob"
path = "answers/B"
[[runs]]
path = "answers/M.txt"
order = "names"
"""


@pytest.mark.parametrize(("derive", "levels"), [("classes", (1,)), ("sister-classes", (1, 2))])
def test_manifest_takes_precedence(derive, levels, tmp_path):
    rows = "".join(f"{name};{own}\n" for name, own in query_classes().items())
    files = {
        "benchmark.toml": MANIFEST.format(derive=derive),
        "lists/right.cla": cla(),
        "lists/a_wrong.cla": cla(ids=[f"X{n}" for n in range(24)]),
        "qrels.txt": qrels(),
        "queries.csv": "query;class\n" + rows,
        **mesh_files("shapes", IDS),
        **mesh_files("asked", QUERIES),
        **list_files("answers/B"),
        **list_files("answers/A"),
        "answers/M.txt": matrix_text(distances()),
    }
    write(tmp_path, files)
    for path in (tmp_path, tmp_path / "benchmark.toml"):
        benchmark = read_benchmark(path)
        assert (benchmark.name, benchmark.profile, benchmark.root) == ("Tiny contest", "shrec2006", tmp_path)
        assert benchmark.collection.ids == IDS
        assert [(run.name, run.participant) for run in benchmark.runs] == [("second", "Bob"), ("M", "M"), ("A", "A")]
        assert isinstance(benchmark.assessment, ClassAssessment)
        assert benchmark.assessment.levels == levels
        assert {path.parent.name for path in benchmark.queries.paths} == {"asked"}
        assert {one.partition(": ")[0] for one in grave(benchmark)} <= {"answers/A", "answers/M.txt"}  # copies


def test_a_project_file_with_the_tables_of_a_manifest_is_one(tmp_path):
    mine = '[benchmark]\nname = "Mine"\n[collection]\nmodels = "."\n[view]\nquery = "Q1"\n'
    write(tmp_path, {**benchmark_files(), **list_files(), "mine.shrec": mine})
    assert read_benchmark(tmp_path / "mine.shrec").name == "Mine"
    assert read_benchmark(tmp_path).name == tmp_path.name


def test_broken_named_classification_is_not_replaced(tmp_path):
    files = {**benchmark_files(), **list_files(), "mine.cla": "PSB 1\n1 2\n\na 0 2\nx\n"}
    files["benchmark.toml"] = '[collection]\nclassification = "mine.cla"\n'
    benchmark = read_benchmark(write(tmp_path, files))
    assert benchmark.classification is None
    assert "mine.cla:4: class 'a' declares 2 models but lists 1: the file is truncated" in grave(benchmark)


def test_parts_from_elsewhere(tmp_path):
    home, away = tmp_path / "home", tmp_path / "away"
    write(home, {"notes.txt": "nothing of use\n", **list_files("runs/other")})
    write(away, {"c/classes.cla": cla(), "t/truth.txt": qrels(), **list_files("r/A1"), **list_files("r/B2")})
    write(away, {**mesh_files("m", IDS), **mesh_files("q", QUERIES)})
    parts = BenchmarkParts(
        classification=away / "c/classes.cla",
        queries=away / "q",
        assessment=away / "t/truth.txt",
        models=away / "m",
        runs=away / "r",
    )
    benchmark = read_benchmark(home, parts)
    assert [run.name for run in benchmark.runs] == ["A1", "B2"]
    assert benchmark.collection.ids == IDS
    assert isinstance(benchmark.assessment, PairAssessment)
    assert {path.parent for path in benchmark.collection.paths} == {away / "m"}
    assert {path.parent for path in benchmark.queries.paths} == {away / "q"}
    assert {finding.file for finding in benchmark.findings} >= {(away / "r/A1").as_posix(), "."}
    one = read_benchmark(
        home, BenchmarkParts(classification=parts.classification, assessment=parts.assessment, runs=away / "r/B2")
    )
    assert [run.name for run in one.runs] == ["B2"]
    with pytest.raises(FormatError, match="absent: does not exist"):
        read_benchmark(home, BenchmarkParts(models=tmp_path / "absent"))


def test_files_of_named_folder_have_one_role(tmp_path):
    files = {**benchmark_files(), **mesh_files("models", QUERIES)}
    for query in QUERIES:
        del files[f"queries/{query}.off"]
    write(tmp_path, files)
    assert {path.parent.name for path in read_benchmark(tmp_path).queries.paths} == {"models"}
    assert set(read_benchmark(tmp_path, BenchmarkParts(models=tmp_path / "models")).queries.paths) == {None}


def test_parts_have_the_last_word(tmp_path):
    files = {**benchmark_files(), **list_files(), "benchmark.toml": '[assessment]\nderive = "classes"\n'}
    files["other.txt"] = "Q1 0 N1 3\n"
    write(tmp_path, files)
    benchmark = read_benchmark(tmp_path, BenchmarkParts(assessment=tmp_path / "other.txt"))
    assert benchmark.assessment.levels == (3,)
    write(tmp_path, {"benchmark.toml": '[assessment]\nqrels = "truth.txt"\n'})
    assert read_benchmark(tmp_path).assessment.levels == (1, 2)
    assert read_benchmark(tmp_path, BenchmarkParts(assessment=tmp_path / "other.txt")).assessment.levels == (3,)
    single = read_benchmark(tmp_path, BenchmarkParts(runs=tmp_path / "models" / ".." / "runs" / "A1"))
    assert [run.name for run in single.runs] == ["A1"]


def test_one_query_classification_as_part(tmp_path):
    by_class = {}
    for query, own in query_classes().items():
        by_class.setdefault(own, []).append(query)
    text = cla(
        tuple((own, "0", len(them)) for own, them in by_class.items()), [q for qs in by_class.values() for q in qs]
    )
    write(tmp_path, {"a.cla": cla(), "b/z.cla": text, **list_files()})
    benchmark = read_benchmark(tmp_path, BenchmarkParts(queries=tmp_path / "b/z.cla"))
    assert set(benchmark.queries.ids) == set(QUERIES)
    assert (benchmark.queries.labels >= 0).all()


# Runs and participants


def test_participants_from_a_table_else_from_names(tmp_path):
    files = {**benchmark_files(), **list_files("runs/A1"), **list_files("runs/TL.run3")}
    files["runs.csv"] = "code,participant,method\nA1,Ann,good\n"
    benchmark = read_benchmark(write(tmp_path, files))
    assert [(run.name, run.participant) for run in benchmark.runs] == [("A1", "Ann"), ("TL.run3", "TL")]


def test_runs_of_same_name_are_named_by_folder(tmp_path):
    files = {**benchmark_files(), **list_files("ann/run1"), **list_files("bob/run1"), **list_files("bob/run2")}
    benchmark = read_benchmark(write(tmp_path, files))
    assert [(run.name, run.participant) for run in benchmark.runs] == [
        ("ann/run1", "ann"),
        ("bob/run1", "bob"),
        ("run2", "bob"),
    ]


# Waiting


def test_progress_and_cancelling(tmp_path):
    write(tmp_path, {**benchmark_files(), **list_files("runs/A1"), **list_files("runs/B1")})
    reported_findings = []
    read_benchmark(tmp_path, progress=lambda done, total, name: reported_findings.append((done, total, name)))
    assert reported_findings == [(0, 2, "run"), (1, 2, "run"), (2, 2, "run")]
    query_names = []

    def enough(limit):
        def cancelled():
            query_names.append(limit)
            return len(query_names) > limit

        return cancelled

    for limit in (0, 1, 3, 10, 20):
        query_names.clear()
        with pytest.raises(Cancelled):
            read_benchmark(tmp_path, cancelled=enough(limit))
        assert len(query_names) == limit + 1


KEYS = [profile.key for profile in PROFILES]


@pytest.mark.parametrize(
    ("key", "hint"), [("shrec06", " (did you mean 'shrec2006'?)"), ("SHREC2012", ""), ("house rules", "")]
)
def test_an_unknown_profile_is_a_finding_and_the_default_is_used(key, hint, tmp_path):
    write(tmp_path, {**benchmark_files(), "benchmark.toml": f'[benchmark]\nname = "B"\nprofile = "{key}"\n'})
    benchmark = read_benchmark(tmp_path, profiles=KEYS)
    (finding,) = [finding for finding in benchmark.findings if "profile" in finding.message]
    assert (finding.location, finding.severity) == ("benchmark.toml:3", Severity.ERROR)
    assert finding.message == f"unknown profile '{key}'{hint}"
    assert finding.action == "the default profile is used"
    assert benchmark.profile == "default"
    assert read_benchmark(tmp_path).profile == key  # the file does not state which there are


@pytest.mark.parametrize("key", KEYS)
def test_every_profile_is_accepted(key, tmp_path):
    write(tmp_path, {**benchmark_files(), "benchmark.toml": f'[benchmark]\nprofile = "{key}"\n'})
    benchmark = read_benchmark(tmp_path, profiles=KEYS)
    assert benchmark.profile == key
    assert not [finding for finding in benchmark.findings if "profile" in finding.message]


@pytest.mark.parametrize("suffix", [".svg", ".png", ".webp"])
def test_sketches_are_queries(tmp_path, suffix):
    (tmp_path / "queries").mkdir()
    (tmp_path / "models").mkdir()
    for name in ("a", "b"):
        (tmp_path / f"queries/{name}{suffix}").write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    for name in ("m1", "m2", "m3"):
        (tmp_path / f"models/{name}.off").write_text("OFF\n0 0 0\n")
    run = tmp_path / "runs/X"
    run.mkdir(parents=True)
    for name in ("a", "b"):
        (run / name).write_text("m1 0.1\nm2 0.2\nm3 0.3\n")
    benchmark = read_benchmark(tmp_path)
    assert benchmark.queries.ids == ("a", "b")
    assert [path.name for path in benchmark.queries.paths] == [f"a{suffix}", f"b{suffix}"]
    assert set(benchmark.queries.kinds) == {QueryKind.IMAGE}


@pytest.mark.parametrize("name", ["B2.npy", "B1.txt", "R1.run"])
def test_truncated_run_is_an_error(tmp_path, name):
    folder = tmp_path / "demo"
    shutil.copytree(resource("demo"), folder)
    whole = {run.name for run in read_benchmark(folder).runs}
    file = folder / "runs" / name
    file.write_bytes(file.read_bytes()[:1500])
    benchmark = read_benchmark(folder)
    errors = [finding for finding in benchmark.findings if finding.severity is Severity.ERROR]
    assert {finding.file for finding in errors} == {f"runs/{name}"}
    assert whole - {run.name for run in benchmark.runs} <= {Path(name).stem}
