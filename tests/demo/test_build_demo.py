"""The demo on disk is what the builder makes, keeps within its limits, and shows every case it was made to show."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from demo_benchmark import demo_path
from demo_benchmark.build import build_demo
from demo_benchmark.catalogue import CLASSES, QUERIES
from demo_benchmark.submissions import TRUNCATED, UNANSWERED
from PIL import Image

from shrec_viewer.domain import QueryKind, Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.metrics import find_profile

SIZE_LIMIT = 6_000_000
"""Bytes; it ships in every wheel."""

LAST_DIGITS = {"A1": 1e-3, "A2": 1e-6, "B1": 1e-6, "B2": 1e-6, "R1": 1e-6}
"""One unit of the last printed digit of each run: what the sums of another processor may change."""

SCRIPT = Path(__file__).parents[2] / "packaging" / "build_demo.py"
DEMO = demo_path()
PARENTS = {kind.name: kind.parent for kind in CLASSES}


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rebuilt") / "demo"
    build_demo(folder)
    return folder


@pytest.fixture(scope="module")
def benchmark():
    return read_benchmark(DEMO)


def _files(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


def test_a_rebuild_has_the_same_files(rebuilt):
    assert _files(rebuilt) == _files(DEMO)


def test_models_and_texts_come_out_byte_for_byte(rebuilt):
    """Coordinates are rounded far from where processors differ (test_demo_shapes), so nothing may differ here."""
    same = [path for path in _files(DEMO) if path.parts[0] != "runs" and path.suffix != ".png"]
    assert [path for path in same if (rebuilt / path).read_bytes() != (DEMO / path).read_bytes()] == []


def test_sketches_come_out_pixel_for_pixel(rebuilt):
    """Not byte for byte: versions of zlib pack the same pixels differently."""
    sketches = [path for path in _files(DEMO) if path.suffix == ".png"]
    assert len(sketches) == sum(plan.sketch for plan in QUERIES) >= 4
    for path in sketches:
        with Image.open(rebuilt / path) as new, Image.open(DEMO / path) as old:
            assert new.size == old.size
            assert np.array_equal(np.asarray(new.convert("L")), np.asarray(old.convert("L"))), path


def _distances(folder, run):
    """{query: {model: distance}} of a run with distances."""
    models = sorted(path.stem for path in (folder / "models").iterdir())
    queries = sorted(path.stem for path in (folder / "queries").iterdir())
    if run in ("B1", "B2"):
        file = folder / "runs" / ("B1.txt" if run == "B1" else "B2.npy")
        matrix = np.loadtxt(file) if run == "B1" else np.load(file)
        return {query: dict(zip(models, row, strict=True)) for query, row in zip(queries, matrix, strict=True)}
    found = {query: {} for query in queries}
    if run == "R1":
        for line in (folder / "runs" / "R1.run").read_text().splitlines():
            query, _, model, _, score, _ = line.split()
            found[query][model] = -float(score)
        return found
    for query in queries:
        lines = (folder / "runs" / run / query).read_text().splitlines()
        for line in lines[run == "A2" :]:
            model, distance = line.split() if run == "A1" else reversed(line.split())
            found[query][model] = float(distance)
    return found


@pytest.mark.parametrize("run", LAST_DIGITS)
def test_distances_come_out_within_their_last_digit(run, rebuilt):
    new, old = _distances(rebuilt, run), _distances(DEMO, run)
    assert new.keys() == old.keys()
    for query in old:
        assert new[query].keys() == old[query].keys()
        worst = max(abs(new[query][model] - old[query][model]) for model in old[query])
        assert worst <= 1.01 * LAST_DIGITS[run], query


def test_the_run_without_distances_comes_out_in_the_same_order(rebuilt):
    """Two models may change places where the sums of another processor part a near tie, no more."""
    for path in sorted((DEMO / "runs" / "C1").iterdir()):
        new, old = (folder.read_text().split() for folder in (rebuilt / "runs" / "C1" / path.name, path))
        assert sum(a != b for a, b in zip(new, old, strict=True)) <= 2


def test_it_is_small_enough_to_ship():
    assert sum((DEMO / path).stat().st_size for path in _files(DEMO)) <= SIZE_LIMIT


def test_classes_are_many_and_large_enough(benchmark):
    tree = benchmark.classification
    sizes = {tree.names[label]: int(tree.sizes[label]) for label in tree.leaves}
    assert sizes == {kind.name: kind.count for kind in CLASSES if kind.count}
    assert len(sizes) >= 12
    assert min(sizes.values()) >= 6
    assert 110 <= sum(sizes.values()) == len(benchmark.collection) <= 130
    assert max(tree.path(label).count("___") for label in tree.leaves) == 2


def test_names_tell_nothing_about_classes(benchmark):
    """Neighbours by name share a class about as often as any two models do."""
    tree = benchmark.classification
    labels = tree.labels[np.argsort(benchmark.collection.ids)]
    share = np.sum(tree.sizes * (tree.sizes - 1)) / (len(labels) * (len(labels) - 1))
    assert np.mean(labels[1:] == labels[:-1]) < 3 * share


def test_queries_are_models_and_sketches_from_outside(benchmark):
    queries = benchmark.queries
    assert len(queries) == len(QUERIES) >= 12
    kinds = [QueryKind.IMAGE if plan.sketch else QueryKind.MODEL for plan in QUERIES]
    assert list(queries.kinds) == kinds
    assert not np.any(queries.member >= 0)
    assert [benchmark.classification.names[label] for label in queries.labels] == [plan.class_name for plan in QUERIES]
    models = {path.read_bytes() for path in (DEMO / "models").iterdir()}
    assert not any(path.read_bytes() in models for path in queries.paths)


def test_levels_follow_from_the_tree(benchmark):
    """2 for the class, 1 for sister classes, by the table of the builder."""
    of_model = dict(zip(benchmark.collection.ids, benchmark.classification.labels, strict=True))
    names = benchmark.classification.names
    for place, plan in enumerate(QUERIES):
        expected = []
        for label in of_model.values():
            kind = names[label]
            sister = PARENTS[kind] == PARENTS[plan.class_name] != ""
            expected.append(2 if kind == plan.class_name else 1 if sister else 0)
        assert benchmark.assessment.gains(place, len(expected)).tolist() == expected
    assert benchmark.assessment.levels == (1, 2)


def test_meshes_read_without_a_remark_and_are_moderate():
    for path in sorted(DEMO.rglob("*.off")):
        mesh = read_mesh(path)
        header, counts = path.read_text().splitlines()[:2]
        assert header == "OFF"
        assert counts == f"{len(mesh.vertices)} {len(mesh.faces)} 0"
        assert mesh.notes == ()
        assert 150 <= len(mesh.faces) <= 5000, path.name


def test_sketches_are_ink_on_paper():
    for path in sorted((DEMO / "queries").glob("*.png")):
        with Image.open(path) as picture:
            grey = np.asarray(picture.convert("L"))
        assert 400 <= min(grey.shape) <= max(grey.shape) <= 600
        assert {0, 255} <= set(np.unique(grey))
        assert 0.01 < np.mean(grey < 128) < 0.2, "lines, not areas"
        assert grey[0].min() == grey[-1].min() == grey[:, 0].min() == grey[:, -1].min() == 255
        assert path.stat().st_size < 20_000


def test_runs_come_in_the_formats_of_the_field():
    lines = {run: (DEMO / "runs" / run / "Q01").read_text().splitlines() for run in ("A1", "A2", "C1")}
    n_models = len(list((DEMO / "models").iterdir()))
    assert [len(lines[run]) for run in ("A1", "A2", "C1")] == [n_models, n_models + 1, TRUNCATED]
    assert (lines["A2"][0], lines["A2"][1].split("\t")[1][0], lines["A1"][0].split(" ")[0][0]) == ("Q01", "M", "M")
    assert all(line.split() == [line] for line in lines["C1"])
    assert np.loadtxt(DEMO / "runs" / "B1.txt").shape == (len(QUERIES), n_models)
    assert np.load(DEMO / "runs" / "B2.npy").dtype == np.dtype("<f4")
    trec = [line.split() for line in (DEMO / "runs" / "R1.run").read_text().splitlines()]
    assert len(trec) == len(QUERIES) * n_models
    assert {(len(fields), fields[1], fields[5]) for fields in trec} == {(6, "Q0", "R1")}


def test_lists_stand_best_first_and_ties_in_the_order_of_the_names():
    ties = 0
    for query in (f"Q{place:02d}" for place in range(1, len(QUERIES) + 1)):
        rows = [line.split() for line in (DEMO / "runs" / "A1" / query).read_text().splitlines()]
        keys = [(float(distance), model) for model, distance in rows]
        assert keys == sorted(keys)
        ties += len(keys) - len({distance for distance, _ in keys})
    assert ties >= len(QUERIES), "ties are there to be looked at"


def test_one_answer_is_missing_and_nothing_else_is_amiss(benchmark):
    unusual = [finding for finding in benchmark.findings if finding.severity is not Severity.INFO]
    warning, chance = unusual
    assert (chance.severity, chance.file) == (Severity.WARNING, "runs/R1.run"), "a baseline of random ranks"
    assert "no better than by chance" in chance.message
    assert (warning.severity, warning.file) == (Severity.WARNING, "runs/C1")
    assert UNANSWERED in warning.message
    for run in benchmark.runs:
        absent = [benchmark.queries.ids[place] for place in np.flatnonzero(~run.present)]
        assert absent == ([UNANSWERED] if run.name == "C1" else [])


def test_six_runs_of_four_participants(benchmark):
    assert [(run.name, run.participant) for run in benchmark.runs] == [
        ("A1", "Alder"),
        ("A2", "Alder"),
        ("B1", "Birch"),
        ("B2", "Birch"),
        ("C1", "Cedar"),
        ("R1", "Rowan"),
    ]


@pytest.mark.parametrize("profile", ["shrec2006", "default"])
def test_runs_differ_and_none_is_perfect(profile, benchmark):
    scores = evaluate(benchmark, find_profile(profile), measures=["AP(rel=2)", "ADR"])
    means = dict(zip(scores.runs, scores.mean(), strict=True))
    for column in (0, 1):
        ranked = sorted(means, key=lambda run: -means[run][column])
        assert (ranked[0], ranked[-1]) == ("B2", "R1")
        values = np.array([means[run][column] for run in ranked])
        assert np.all(-np.diff(values) > 0.005), dict(zip(ranked, values, strict=True))
        assert values[0] < 0.9
        assert values[-1] < 0.2


def test_no_run_is_best_for_every_query(benchmark):
    """Else there would be nothing to find out by looking."""
    scores = evaluate(benchmark, find_profile("shrec2006"), measures=["AP(rel=2)"])
    assert len({scores.runs[place] for place in np.nanargmax(scores.values[:, :, 0], axis=0)}) >= 4


@pytest.fixture
def script(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("build_demo_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "TARGET", tmp_path / "resources" / "demo")
    module.TARGET.mkdir(parents=True)
    (module.TARGET / "old.txt").write_text("old")
    return module


def test_the_script_swaps_the_whole_folder(script, monkeypatch, capsys):
    def build(folder):
        folder.mkdir()
        (folder / "new.txt").write_text("new")

    monkeypatch.setattr(script, "build_demo", build)
    script.main()
    assert [path.name for path in script.TARGET.iterdir()] == ["new.txt"]
    assert [path.name for path in script.TARGET.parent.iterdir()] == ["demo"]
    assert capsys.readouterr().out.startswith("1 files, 0.00 MB in ")


def test_a_broken_build_leaves_the_old_demo(script, monkeypatch):
    def build(folder):
        folder.mkdir()
        (folder / "half.txt").write_text("half")
        raise OSError("no space left")

    monkeypatch.setattr(script, "build_demo", build)
    with pytest.raises(OSError, match="no space left"):
        script.main()
    assert [path.name for path in script.TARGET.iterdir()] == ["old.txt"]
    assert [path.name for path in script.TARGET.parent.iterdir()] == ["demo"]
