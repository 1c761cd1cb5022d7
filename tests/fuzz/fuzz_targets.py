"""What the fuzzers run: each target makes input number n and reads it; anything but its own errors is a failure."""

import gzip
import json
import random
import shutil
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import fuzz_inputs
from fuzz_damage import DAMAGED_RUNS, read_damaged_run

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.discovery.reader_table import READERS
from shrec_viewer.formats.discovery.recognition import recognise_format
from shrec_viewer.formats.io.archive import unpack
from shrec_viewer.formats.io.documents import read_state
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.io.text import read_file_head
from shrec_viewer.formats.manifest.project import find_source, is_project, read_project, write_project
from shrec_viewer.formats.matrices.zarr_store import read_zarr
from shrec_viewer.formats.preview.preview import preview

Target = Callable[[random.Random, Path], None]
"""Called with the random numbers of an input and an empty folder; raises AssertionError, or what was not foreseen."""


def _read(read: Callable[[Path], Any], path: Path, content: bytes) -> Any:
    """What is read; None for a file that is refused."""
    path.write_bytes(content)
    refused: FormatError | None = None
    try:
        return read(path)
    except FormatError as error:
        refused = error
    assert refused.reason
    assert "\n" not in refused.reason.replace("a\nb", "")  # a name of the inputs; names are escaped where printed
    return None


def _format_target(reader: Any) -> Target:
    seeds = fuzz_inputs.text_seeds(reader.key)

    def run(rng: random.Random, folder: Path) -> None:
        texts = fuzz_inputs.all_texts()
        seed = rng.choice(seeds if seeds and rng.random() < 0.7 else texts)
        data = fuzz_inputs.mutated(seed, rng, texts)
        if rng.random() < 0.05:
            data = gzip.compress(data, 1)
            data = fuzz_inputs.mutated(data, rng) if rng.random() < 0.5 else data
        path = folder / rng.choice(("file", "file.txt", "file.csv", "file.toml", "file.npy", "file.mat"))
        path.write_bytes(data)
        recognise_format(read_file_head(path))
        _read(reader.read, path, data)
        if rng.random() < 0.1:
            _read(preview, path, data)

    return run


def _zarr(rng: random.Random, folder: Path) -> None:
    seeds = fuzz_inputs.zarr_seeds()
    if not seeds:
        return
    files = dict(rng.choice(seeds))
    damaged = rng.choice(sorted(files))
    files[damaged] = fuzz_inputs.mutated(files[damaged], rng, list(files.values()))
    for name, data in files.items():
        path = folder / "A.zarr" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    with suppress(FormatError):
        read_zarr(folder / "A.zarr")


def _meshes(rng: random.Random, folder: Path) -> None:
    from shrec_viewer.formats.meshes.mesh_reader import find_mesh_fault, read_mesh

    name, seed = rng.choice(fuzz_inputs.mesh_seeds())
    data = fuzz_inputs.mutated(seed, rng)
    mesh = _read(read_mesh, folder / name, data)
    if mesh is not None:
        assert mesh.faces.size == 0 or (mesh.faces.min() >= 0 and mesh.faces.max() < len(mesh.vertices))
        assert len(mesh.vertices)
    find_mesh_fault(folder / name)


def _pictures(rng: random.Random, folder: Path) -> None:
    from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg

    name, seed = rng.choice(fuzz_inputs.picture_seeds())
    pixels = _read(lambda path: read_image_or_svg(path, 32), folder / name, fuzz_inputs.mutated(seed, rng))
    assert pixels is None or pixels.shape == (32, 32, 4)


def _projects(rng: random.Random, folder: Path) -> None:
    data = fuzz_inputs.mutated(rng.choice(fuzz_inputs.project_seeds()), rng, fuzz_inputs.project_seeds())
    path = folder / rng.choice(("p.shrec", "benchmark.toml"))
    project = _read(read_project, path, data)
    if project is not None:
        find_source(project)
        assert all("\n" not in str(finding) for finding in project.findings)
    is_project(path)
    if rng.random() < 0.2:
        (folder / "b" / "runs" / "A1").mkdir(parents=True)
        (folder / "b" / "runs" / "A1" / "Q1").write_text("N1 0.5\nN2 0.75\n")
        (folder / "b" / "classes.cla").write_text("PSB 1\n1 2\ncat 0 2\nN1\nN2\n")
        _read(read_benchmark, path, data)


def _settings(rng: random.Random, folder: Path) -> None:
    import logging

    from shrec_viewer.app.docking.saved_layout import LayoutError, layout_from_data
    from shrec_viewer.app.startup.settings import SettingsFile

    logging.disable(logging.WARNING)
    path = folder / "settings.ini"
    path.write_bytes(fuzz_inputs.mutated(rng.choice(fuzz_inputs.settings_seeds()), rng))
    settings = SettingsFile(path).read()
    for layout in settings.layouts.values():
        try:
            layout_from_data(layout, {"queries": "queries", "list": "queries"})
        except LayoutError:
            continue


def _states(rng: random.Random, folder: Path) -> None:
    """Files of the program in JSON: cameras, styles of runs, notes that are not saved."""
    seed = (
        b'{"path": "/a", "runs": {"A1": [0, 1, 2], "B": [1, 0, 0]}, "notes": {"Q1": "x"}, "colours": {}, "hidden": []}'
    )
    data = fuzz_inputs.mutated(seed, rng)
    _read(read_state, folder / "state.json", data)


def _project_values(rng: random.Random, folder: Path) -> None:
    """Valid TOML with other values, of projects and of manifests with the extension of projects."""
    import tomlkit

    seed = tomllib.loads(rng.choice((*fuzz_inputs.project_seeds()[:2], fuzz_inputs.BY_HAND)).decode())
    data = tomlkit.dumps(fuzz_inputs.with_other_values(seed, rng)).encode("utf-8", "surrogatepass")
    project = _read(read_project, folder / "p.shrec", data)
    if project is not None:
        find_source(project)
        assert all("\n" not in str(finding) for finding in project.findings)
        write_project(replace(project, path=folder / "again.shrec"))
        again = read_project(folder / "again.shrec")
        assert (again.edits, again.runs, again.parts) == (project.edits, project.runs, project.parts)
    _read(read_benchmark, folder / "p.shrec", data)


def _settings_values(rng: random.Random, folder: Path) -> None:
    import logging

    from shrec_viewer.app.startup.settings import SettingsFile, format_ini, parse_ini

    logging.disable(logging.WARNING)
    values = parse_ini(fuzz_inputs.settings_seeds()[0].decode())
    written = {name: value for name, value in values.items() if isinstance(value, bool | int | str | list | tuple)}
    for name in rng.sample(sorted(written), min(3, len(written))):
        value = rng.choice(fuzz_inputs.OTHER_VALUES)
        written[name] = value if isinstance(value, bool | int | str) else json.dumps(value, default=str)
    (folder / "settings.ini").write_text(format_ini(written), encoding="utf-8", errors="replace")
    settings = SettingsFile(folder / "settings.ini").read()
    SettingsFile(folder / "again.ini").write(settings)


def _layout_values(rng: random.Random, folder: Path) -> None:
    from shrec_viewer.app.docking.saved_layout import LayoutError, layout_from_data

    with suppress(LayoutError):
        layout_from_data(fuzz_inputs.with_other_values(fuzz_inputs.LAYOUT, rng), ("queries", "list"))


def _journal_values(rng: random.Random, folder: Path) -> None:
    from shrec_viewer.viewmodels.session.project import _read_journal

    path = folder / "journal.json"
    path.write_text(json.dumps(fuzz_inputs.with_other_values(fuzz_inputs.JOURNAL, rng), default=str), encoding="utf-8")
    kept = _read_journal(path)
    assert kept is None or all(isinstance(one, str) for one in kept.paths)


def _parse_cache(rng: random.Random, folder: Path) -> None:
    stored = ParseCache(folder)
    stored.path("matrix-1").write_bytes(fuzz_inputs.mutated(fuzz_inputs.parse_cache_seed(), rng))
    found = stored.get("matrix-1")
    assert found is None or found[0].dtype.kind in "fiub" or found[0].dtype.names


def _thumbnail_cache(rng: random.Random, folder: Path) -> None:
    from shrec_viewer.render.thumbnails.cache import ThumbnailCache

    (folder / "thumbnails.sqlite").write_bytes(fuzz_inputs.mutated(fuzz_inputs.thumbnail_cache_seed(), rng))
    stored = ThumbnailCache(folder)
    keys = [b"k" * 16, b"n" * 16]
    assert all(isinstance(webp, bytes) for webp in stored.get_many(keys).values())
    assert all(isinstance(note, str) for notes in stored.notes(keys).values() for note in notes)
    stored.digests([b"s" * 16])
    stored.put({b"n" * 16: b"webp"})
    stored.size()
    stored.close()


def _archives(rng: random.Random, folder: Path) -> None:
    files = {"A1/Q1": "N1 0.5\nN2 0.75\n", "A1/Q2": "N2 0.5\nN1 0.75\n", "classes.cla": "PSB 1\n1 2\ncat 0 2\nN1\nN2\n"}
    method = rng.choice((0, 8, 12, 14))
    data = fuzz_inputs.mutated(fuzz_inputs.zipped(files, method), rng)
    unpacked = _read(unpack, folder / "b.zip", data)
    if unpacked is not None:
        shutil.rmtree(unpacked.folder, ignore_errors=True)


FOLDERS = ("matrix_blocks", "parquet_parts", "zarr")
"""Formats of folders."""

TARGETS: dict[str, tuple[Target, int]] = {
    **{f"read {reader.key}": (_format_target(reader), 36) for reader in READERS if reader.key not in FOLDERS},
    "zarr": (_zarr, 36),
    "meshes": (_meshes, 150),
    "pictures": (_pictures, 100),
    "projects": (_projects, 60),
    "settings": (_settings, 40),
    "states": (_states, 20),
    "project values": (_project_values, 40),
    "settings values": (_settings_values, 20),
    "layout values": (_layout_values, 20),
    "journal values": (_journal_values, 20),
    "parse cache": (_parse_cache, 20),
    "thumbnail cache": (_thumbnail_cache, 20),
    "archives": (_archives, 40),
    **{f"damaged {name}": (read_damaged_run(name), 12) for name in DAMAGED_RUNS},
}
"""Each target with its share of the inputs."""


def run_input(target: str, number: int, folder: Path) -> None:
    """Run one input; raises what is a failure."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    TARGETS[target][0](random.Random(f"{target} {number}"), folder)
