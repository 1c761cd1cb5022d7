"""`[values]` of benchmark.toml: files are found as those of models, and what is wrong is a finding."""

import json
import zipfile
from pathlib import Path

import pytest
import tomlkit
from made_folders import IDS, QUERIES, benchmark_files, list_files, write

import shrec_viewer as sv
from shrec_viewer.cli.program import run
from shrec_viewer.domain import Benchmark, Quantity, Severity
from shrec_viewer.formats.discovery.benchmark import names_of_run_files, read_benchmark
from shrec_viewer.formats.io.schema import known_keys
from shrec_viewer.formats.manifest.manifest import read_manifest
from shrec_viewer.formats.manifest.parts import BenchmarkParts


def contest(folder: Path, values: str, files: dict[str, str]) -> Path:
    """The made benchmark with a run A1, and the table `[values]`."""
    return write(folder, {**benchmark_files(), **list_files(), "benchmark.toml": f"[values]\n{values}", **files})


def of_models(folder: str, text: str = "1\n2\n3\n", names: tuple[str, ...] = IDS) -> dict[str, str]:
    return {f"{folder}/{name}.txt": text for name in names}


def warnings(benchmark: Benchmark) -> list[str]:
    return [str(finding) for finding in benchmark.findings if finding.severity is not Severity.INFO]


def test_files_are_found_by_the_rules_for_models(tmp_path):
    files = {**of_models("values/heat"), **of_models("values/heat/queries", names=QUERIES)}
    files["values/heat/N9.txt"] = files.pop("values/heat/N9.txt")
    values = 'heat = { path = "values/heat", unit = "1/m", zero = 0, run = "A1" }\n'
    plain = read_benchmark(write(tmp_path / "plain", {**benchmark_files(), **list_files()}))
    found = read_benchmark(contest(tmp_path / "b", values, files))
    (heat,) = found.quantities
    assert (heat.name, heat.unit, heat.zero, heat.run) == ("heat", "1/m", 0.0, "A1")
    assert len(heat.files) == len(IDS) + len(QUERIES)
    assert all(mesh.stem == file.stem for mesh, file in heat.files.items())
    assert warnings(found) == warnings(plain)
    assert found.collection.ids == plain.collection.ids
    assert [run.name for run in found.runs] == [run.name for run in plain.runs] == ["A1"]
    assert names_of_run_files(tmp_path / "b", BenchmarkParts()) == ["A1"]


def test_values_may_be_beside_the_models_and_elsewhere_and_in_folders(tmp_path):
    beside = read_benchmark(contest(tmp_path / "a", 'heat = "models"\n', of_models("models")))
    assert {file.parent.name for file in beside.quantities[0].files.values()} == {"models"}
    assert len(beside.quantities[0].files) == len(IDS)
    files = of_models("models") | {f"models/{name}.mtl": "newmtl a\n" for name in IDS}
    whole = read_benchmark(contest(tmp_path / "whole", 'heat = "."\n', files))
    assert {mesh.parent / f"{mesh.stem}.txt": 0 for mesh in whole.quantities[0].files} == dict.fromkeys(
        whole.quantities[0].files.values(), 0
    )
    assert [run.name for run in whole.runs] == ["A1"]
    write(tmp_path / "else", of_models("heat"))
    far = read_benchmark(contest(tmp_path / "b", 'heat = "../else/heat"\n', {}))
    assert len(far.quantities[0].files) == len(IDS)
    folders = {f"values/{name}/heat.txt": "1\n2\n3\n" for name in IDS}
    inside = read_benchmark(contest(tmp_path / "c", 'heat = "values"\n', folders))
    assert {mesh.stem: file.parent.name for mesh, file in inside.quantities[0].files.items()} == {
        name: name for name in IDS
    }
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        for path in sorted((tmp_path / "c").rglob("*.*")):
            archive.write(path, path.relative_to(tmp_path / "c"))
    assert len(read_benchmark(tmp_path / "c.zip").quantities[0].files) == len(IDS)


@pytest.mark.parametrize(
    ("values", "sentence", "n_quantities"),
    [
        ('heat = "values/none"\n', "2: warning: 'path' names 'values/none', which does not exist; ignored", 0),
        ("heat = { unit = 'm' }\n", "2: error: 'heat' has no 'path'; ignored", 0),
        ("heat = 3\n", "2: error: 'heat' is not a table", 0),
        ('heat = "classes.cla"\n', "2: warning: 'heat' is the file 'classes.cla', not a folder", 0),
        ('heat = "none"\n', "2: warning: 'heat': no file in 'none' belongs to a model with a mesh; ignored", 0),
        (
            'heat = { path = "values", run = "A11" }\n',
            "is of the unknown run 'A11' (did you mean 'A1'?); shown",
            1,
        ),
        ('heat = { path = "values", zero = nan }\n', "2: error: 'heat' has a 'zero' that is not finite; ignored", 0),
        ('heat = { path = "values", column = 0 }\n', "2: error: 'column' must be an integer of 1 or more", 1),
        ('heat = { path = "values", place = "edge" }\n', "'place' must be one of vertex, face, not 'edge'", 1),
        ('heat = { path = "values", uint = "m" }\n', "unknown key 'uint' in [values.heat] (did you mean 'unit'?)", 1),
        ('heat = { path = "values", correspondence = "N99" }\n', "'heat' maps vertices to 'N99', which is no model", 0),
        (
            "[values.heat]\npath = 'values'\nrun = 'B'\n",
            "benchmark.toml:2: warning: 'heat' is of the unknown run",
            1,
        ),
    ],
)
def test_what_is_wrong_in_the_table_is_a_finding_with_its_line(values, sentence, n_quantities, tmp_path):
    benchmark = read_benchmark(contest(tmp_path, values, of_models("values") | {"none/x.txt": "1\n"}))
    assert len(benchmark.quantities) == n_quantities
    assert any(sentence in text for text in warnings(benchmark)), warnings(benchmark)


def test_models_without_file_and_files_without_model_are_counted(tmp_path):
    files = of_models("values", names=IDS[2:]) | {"values/other.txt": "1\n", f"values/more/{IDS[5]}.csv": "1\n2\n3\n"}
    benchmark = read_benchmark(contest(tmp_path, 'heat = "values"\n', files))
    texts = [str(finding) for finding in benchmark.findings if finding.file == "values"]
    assert len(texts) == 3
    assert texts[0].startswith("values: warning: 14 meshes have no file of 'heat': ")
    assert texts[1] == "values: info: 1 file of 'heat' without a model: other.txt; ignored"
    assert texts[2].startswith("values: info: 1 more file of models that have one, such as")


def as_table(quantities: tuple[Quantity, ...], root: Path) -> list[dict[str, object]]:
    """The quantities without the place of the benchmark."""
    return [{**vars(one), "path": one.path.resolve(), "files": len(one.files)} for one in quantities]


def test_quantities_are_written_as_they_are_read(tmp_path):
    values = (
        'heat = { path = "values", unit = "W/m²", zero = 0.0, run = "A1", place = "vertex", column = 1 }\n'
        'parts = { path = "values", names = ["head", "leg"] }\n'
        'plain = "values"\nnumbers = { path = "values", labels = true }\n'
        f'maps = {{ path = "values", correspondence = "{IDS[0]}", base = 1 }}\n'
    )
    contest(tmp_path / "b", values, of_models("values"))
    opened = sv.open(tmp_path / "b")
    opened.save(tmp_path / "saved")
    first, second = read_benchmark(tmp_path / "b").quantities, read_benchmark(tmp_path / "saved").quantities
    assert as_table(first, tmp_path / "b") == as_table(second, tmp_path / "saved")
    assert [one.name for one in first] == ["heat", "parts", "plain", "numbers", "maps"]
    assert [(one.labels, one.names) for one in first] == [
        (False, ()),
        (True, ("head", "leg")),
        (False, ()),
        (True, ()),
        (False, ()),
    ]
    assert first[4].reference == tmp_path / f"b/models/{IDS[0]}.off"


def test_check_names_the_files_that_do_not_fit_their_meshes(tmp_path, capsys):
    files = of_models("values") | {f"values/{IDS[0]}.txt": "1\n2\n", f"values/{IDS[1]}.txt": "1\nx\n3\n"}
    contest(tmp_path, 'heat = "values"\n', files)
    run(["check", str(tmp_path), "--format", "json"])
    found = {finding["file"]: finding for finding in json.loads(capsys.readouterr().out)["findings"]}
    finding = found[f"values/{IDS[0]}.txt"]
    assert finding["message"] == "has 2 values, but the model has 3 vertices and 1 face"
    assert (finding["severity"], finding["action"]) == ("warning", "not shown as 'heat'")
    finding = found[f"values/{IDS[1]}.txt"]
    assert (finding["line"], finding["message"]) == (2, "'x' is not a number")
    assert len(found) < 10


WRONG = (-1, 1.5, float("inf"), True, "", "no such value", "x" * 5_000, [1, "two", [3]], {"a": {"b": 1}}, 2**63 - 1)


@pytest.mark.parametrize("key", [key for key in known_keys(Quantity) if key != "path"])
def test_a_key_of_a_wrong_type_is_a_finding_with_its_line(key, tmp_path):
    write(tmp_path, of_models("values"))
    entry = {"path": "values", key: None}
    for wrong in WRONG:
        text = tomlkit.dumps({"values": {"heat": entry | {key: wrong}}})
        (tmp_path / "benchmark.toml").write_text(text)
        manifest = read_manifest(tmp_path / "benchmark.toml")
        if manifest.findings:
            assert {finding.severity for finding in manifest.findings} <= {Severity.ERROR, Severity.WARNING}
            assert all(finding.line for finding in manifest.findings)
        else:
            assert getattr(manifest.values["heat"], key) == (float(wrong) if key == "zero" else wrong)
