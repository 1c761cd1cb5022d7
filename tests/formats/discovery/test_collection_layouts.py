"""Layouts of public collections: every id has its mesh or picture, and unrelated files change no number."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_folders import write

from shrec_viewer.domain import QueryKind, Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark
from shrec_viewer.metrics.tables import PROFILES

MESH = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
HASHES = ("1a04e3ea", "e51a32e6", "03f1b5a8", "9dde4a1c", "c4b3a2f0", "77aa0c12")
CLASSES = ("airplane", "airplane", "chair", "chair", "lamp", "lamp")
SYNSETS = {"airplane": "02691156", "chair": "03001627", "lamp": "03636649"}


class Layout:
    """Files of each model by its id, the first one its own; `extra`: files of no model."""

    def __init__(self, ids, files, extra=()):
        self.ids = tuple(ids)
        self.files = [
            [pattern.format(id=name, c=own, syn=SYNSETS[own], n=number) for pattern in files]
            for number, (name, own) in enumerate(zip(self.ids, CLASSES, strict=True))
        ]
        self.extra = extra

    def paths(self):
        return dict(zip(self.ids, (files[0] for files in self.files), strict=True))


def numbered(pattern):
    return [pattern.format(c=own, n=number) for number, own in enumerate(CLASSES, 1)]


RELATIVE = ["airplane/b1", "airplane/b2", "chair/b1", "chair/b2", "lamp/b1", "lamp/b2"]

LAYOUTS = {
    "ShapeNetCore.v1": Layout(HASHES, ["{syn}/{id}/model.obj", "{syn}/{id}/model.mtl", "{syn}/{id}/images/0.jpg"]),
    "ShapeNetCore.v2": Layout(
        HASHES,
        [
            *("{syn}/{id}/models/model_normalized.obj", "{syn}/{id}/models/model_normalized.mtl"),
            *("{syn}/{id}/images/texture0.jpg", "{syn}/{id}/screenshots/{id}-0.png"),
        ],
        ["taxonomy.json"],
    ),
    "ShapeNetCore.v2, ids with synsets": Layout(
        [f"{SYNSETS[own]}/{name}" for name, own in zip(HASHES, CLASSES, strict=True)],
        ["ShapeNetCore.v2/{id}/models/model_normalized.obj", "ShapeNetCore.v2/{id}/images/texture0.jpg"],
    ),
    "ShapeNetSem": Layout(HASHES, ["models/{id}.obj", "screenshots/{id}/{id}-6.png", "textures/{id}.jpg"]),
    "ModelNet40": Layout(numbered("{c}_{n:04}"), ["ModelNet40/{c}/train/{id}.off"]),
    "ModelNet40, paths": Layout(numbered("{c}/train/{c}_{n:04}.off"), ["ModelNet40/{id}"]),
    "3D-FUTURE": Layout(
        HASHES,
        [
            *("3D-FUTURE-model/{id}/normalized_model.obj", "3D-FUTURE-model/{id}/raw_model.obj"),
            *("3D-FUTURE-model/{id}/texture.png", "3D-FUTURE-model/{id}/image.jpg"),
        ],
    ),
    "3D-FUTURE, pictures": Layout(HASHES, ["objects/{id}/image.jpg", "objects/{id}/texture.png"]),
    "Objaverse": Layout(HASHES, ["glbs/000-02{n}/{id}.glb", "thumbnails/{id}.jpg"]),
    "Objaverse, paths": Layout(
        [f"glbs/000-02{n}/{name}.glb" for n, name in enumerate(HASHES)], ["hf-objaverse-v1/{id}"]
    ),
    "ABO": Layout(
        ["B07XSFZ4HG", "B075QFD5ZG", "B075YQXRBS", "B07K8VD5HS", "B07HK6B8DF", "B01N2PLWIL"],
        ["3dmodels/original/{n}/{id}.glb", "images/small/{n}/{id}.jpg"],
    ),
    "Google Scanned Objects": Layout(
        ["Android_Lego", "BUNNY_RACER", "Cole_Hardware_Saucer", "Vans_Fire_Roses", "Toysmith_Windem_Up", "2_of_Jenga"],
        [
            *("{id}/meshes/model.obj", "{id}/meshes/model.mtl", "{id}/materials/textures/texture.png"),
            *(f"{{id}}/thumbnails/{view}.jpg" for view in range(5)),
        ],
    ),
    "Thingi10K": Layout(
        [f"1000{n}" for n in (26, 27, 28, 29, 30, 31)], ["raw_meshes/{id}.stl"], ["contact_sheet.png"]
    ),
    "PSB": Layout(
        [f"{n}" for n in (0, 1, 2, 103, 104, 1119)],
        ["benchmark/db/{n}/m{id}/m{id}.off", "benchmark/db/{n}/m{id}/m{id}_thumb.jpg"],
    ),
    "McGill": Layout(RELATIVE, ["data/{id}.ply"]),
    "McGill, packed": Layout([f"{name}.ply" for name in RELATIVE], ["data/{id}.gz"]),
    "SHREC'07": Layout([f"{n}" for n in (1, 2, 21, 22, 41, 42)], ["watertight/{id}.off"]),
    "SHREC'11": Layout([f"T{n}" for n in range(6)], ["nonrigid/{id}.off", "nonrigid/{id}.png"]),
    "SHREC'13": Layout([f"m{n}" for n in (0, 1, 20, 21, 400, 401)], ["SHREC13_SBR_TARGET_MODELS/models/{id}.off"]),
    "SHREC'14": Layout([f"M00000{n}" for n in range(1, 7)], ["SHREC14_SBR_TARGET_MODELS/{id}.off"]),
    "Toys4K": Layout(numbered("{c}_{n:03}"), ["toys4k_meshes/{c}/{id}/mesh.ply"]),
    "Toys4K, all files": Layout(
        numbered("{c}_{n:03}"), ["toys4k/{c}/{id}/mesh.obj", "toys4k/{c}/{id}/{id}.blend", "toys4k/{c}/{id}/mesh.mtl"]
    ),
    "ScanObjectNN": Layout(numbered("scene000{n}_00_0000{n}"), ["object_dataset/{c}/{id}.ply"]),
    "OmniObject3D": Layout(
        numbered("{c}_{n:03}"),
        [
            *("raw_scans/{c}/{id}/Scan/Scan.obj", "raw_scans/{c}/{id}/Scan/Scan.jpg"),
            *("blender_renders/{c}/{id}/render/images/r_0.png", "blender_renders/{c}/{id}/render/images/r_1.png"),
        ],
    ),
    "Pix3D": Layout(
        ["IKEA_BEDDINGE", "IKEA_MALM", "IKEA_EKENAS", "IKEA_PATRIK", "IKEA_HEMMA", "IKEA_FOTO"],
        ["model/{c}/{id}/model.obj", "model/{c}/{id}/mask.png"],
    ),
    "CO3D": Layout(
        [f"110_1305{n}_2336{n}" for n in range(6)],
        ["{c}/{id}/pointcloud.ply", "{c}/{id}/images/frame000001.jpg", "{c}/{id}/masks/frame000001.png"],
    ),
    "ABC": Layout([f"0000000{n}" for n in range(6)], ["abc_obj/{id}/{id}_1ffb81a7_trimesh_00{n}.obj"]),
    "YCB": Layout(
        ["002_master_chef_can", "003_cracker_box", "011_banana", "019_pitcher_base", "024_bowl", "061_foam_brick"],
        ["ycb/{id}/google_16k/textured.obj", "ycb/{id}/google_16k/texture_map.png"],
    ),
    "repeated file names beside folders of views": Layout(
        [f"obj{n}" for n in range(6)], ["meshes/{id}/simplified.ply", "meshes/{id}/raw.ply", "renders/{id}/0.png"]
    ),
}  # fmt: skip

EXTENSIONS = (".mtl", ".json")


def contest(layout, truth, queries=3):
    """Files of a contest: the models, truth, and a run that lists all models."""
    files = {name: "" if name.endswith(EXTENSIONS) else MESH for names in layout.files for name in names}
    files |= dict.fromkeys(layout.extra, "")
    asked = [f"qu_{number}" for number in range(queries)]
    if truth == "classes":
        rows = [f"{name},{own}\n" for name, own in zip(layout.ids, CLASSES, strict=True)]
        files["truth/models.csv"] = "id,category\n" + "".join(rows)
        files["truth/queries.csv"] = "id,category\n" + "".join(f"{q},{CLASSES[2 * n]}\n" for n, q in enumerate(asked))
    else:
        pairs = zip(layout.ids, CLASSES, strict=True)
        lines = [f"{q} 0 {name} 1\n" for name, own in pairs for n, q in enumerate(asked) if own == CLASSES[2 * n]]
        files["qrels.txt"] = "".join(lines)
    random = np.random.default_rng(3)
    orders = {q: random.permutation(layout.ids).tolist() for q in asked}
    files["runs/A.run"] = "".join(
        f"{q} Q0 {name} {rank} {9 - rank} A\n" for q, names in orders.items() for rank, name in enumerate(names, 1)
    )
    return files


def numbers(benchmark):
    profile = next(profile for profile in PROFILES if profile.key == "default")
    scores = evaluate(benchmark, profile, measures=["AP", "NN", "TN", "NDCG@5"])
    return scores.values.tolist()


def files_of(benchmark):
    paths = zip(benchmark.collection.ids, benchmark.collection.paths, strict=True)
    return {name: path.relative_to(benchmark.root).as_posix() for name, path in paths if path is not None}


@pytest.mark.parametrize("truth", ["classes", "qrels"])
@pytest.mark.parametrize("key", LAYOUTS)
def test_every_model_has_its_file(key, truth, tmp_path):
    layout = LAYOUTS[key]
    benchmark = read_benchmark(write(tmp_path, contest(layout, truth)))
    assert set(benchmark.collection.ids) == set(layout.ids)
    assert files_of(benchmark) == layout.paths()
    assert benchmark.queries.ids == ("qu_0", "qu_1", "qu_2")
    assert set(benchmark.queries.kinds) == {QueryKind.NONE}
    assert not [finding for finding in benchmark.findings if finding.severity is not Severity.INFO]


@pytest.mark.parametrize("key", LAYOUTS)
def test_files_alone_are_one_model_for_each_id(key, tmp_path):
    layout = LAYOUTS[key]
    files = {name: text for name, text in contest(layout, "classes").items() if not name.startswith(("truth", "runs"))}
    benchmark = read_benchmark(write(tmp_path, files))
    assert sorted(files_of(benchmark).values()) == sorted(layout.paths().values())


STRANGERS = [
    *("models/99999999/zz99/models/model_normalized.obj", "02691156/zz99/models/model_normalized.obj"),
    *("zz99/meshes/model.obj", "zz99/thumbnails/0.jpg", "zz99/thumbnails/1.jpg", "zz99/thumbnails/2.jpg"),
    *("objects/zz99/normalized_model.obj", "objects/zz99/image.jpg", "data/airplane/zz99.ply", "zz99.off"),
    *("ModelNet40/chair/train/zz99.off", "cover.png", "docs/figure.svg", "queries/cover.jpg", "images/logo.png"),
]


@pytest.mark.parametrize("truth", ["classes", "qrels"])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(key=st.sampled_from([*LAYOUTS]), strangers=st.lists(st.sampled_from(STRANGERS), unique=True, min_size=1))
def test_unrelated_files_change_no_number_and_are_a_finding(truth, key, strangers):
    files = contest(LAYOUTS[key], truth)
    with TemporaryDirectory() as plain, TemporaryDirectory() as other:
        before = read_benchmark(write(Path(plain), files))
        after = read_benchmark(write(Path(other), files | dict.fromkeys(strangers, MESH)))
        assert (after.collection.ids, after.queries.ids) == (before.collection.ids, before.queries.ids)
        assert files_of(after) == files_of(before)
        assert set(after.queries.paths) == {None}
        assert numbers(after) == numbers(before)
    reported = " ".join(finding.message for finding in after.findings if not finding.file.startswith(("truth", "runs")))
    assert all(name in reported for name in strangers[:1]) or re.search("and [0-9]+ more|more files? of ids", reported)


def test_a_similar_name_never_takes_a_file_of_a_model_folder(tmp_path):
    """Views 0 to 4 of each model, and queries `q0` to `q2` without files."""
    layout = LAYOUTS["Google Scanned Objects"]
    files = {name.replace("qu_", "q"): text.replace("qu_", "q") for name, text in contest(layout, "qrels").items()}
    files |= {f"stranger/thumbnails/{view}.jpg": "" for view in range(3)}
    benchmark = read_benchmark(write(tmp_path, files))
    assert benchmark.queries.ids == ("q0", "q1", "q2")
    assert set(benchmark.queries.paths) == {None}
    assert files_of(benchmark) == layout.paths()


def test_files_that_qrels_do_not_name_are_added_where_their_folder_is_named(tmp_path):
    files = {**contest(LAYOUTS["SHREC'14"], "qrels"), "SHREC14_SBR_TARGET_MODELS/M000099.off": MESH}
    found = read_benchmark(write(tmp_path, files))
    assert len(found.collection) == 6
    (finding,) = [finding for finding in found.findings if "M000099" in finding.message]
    assert finding.severity is Severity.WARNING
    assert (
        finding.message
        == "1 model is in a file that neither qrels nor runs name: SHREC14_SBR_TARGET_MODELS/M000099.off"
    )
    assert finding.setting.option == "--models SHREC14_SBR_TARGET_MODELS"
    named = read_benchmark(tmp_path, BenchmarkParts(models=tmp_path / "SHREC14_SBR_TARGET_MODELS"))
    assert len(named.collection) == 7
    assert (numbers(named) == numbers(found)) is False


def test_files_are_members_where_a_matrix_has_columns_for_them(tmp_path):
    files = {name: text for name, text in contest(LAYOUTS["SHREC'14"], "qrels").items() if "runs" not in name}
    files["SHREC14_SBR_TARGET_MODELS/M000007.off"] = MESH
    rows = np.random.default_rng(5).random((3, 7))
    files["runs/M.txt"] = "\n".join(" ".join(f"{value:.6f}" for value in row) for row in rows) + "\n"
    benchmark = read_benchmark(write(tmp_path, files))
    assert len(benchmark.collection) == 7
    assert [run.name for run in benchmark.runs] == ["M"]
