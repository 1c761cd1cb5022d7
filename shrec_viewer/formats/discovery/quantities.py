"""Find the files of the quantities in `[values]` of benchmark.toml, by the rules for the files of models."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from shrec_viewer.domain import Benchmark, Finding, Quantity
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of, join_some
from shrec_viewer.formats.core.ids import IdIndex, natural_sorted
from shrec_viewer.formats.core.reader import IMAGE, MESH
from shrec_viewer.formats.discovery.file_findings import MeshChecker
from shrec_viewer.formats.discovery.file_matching import NO_IDS, MatchedFiles, file_stem, list_model_files, match_files
from shrec_viewer.formats.discovery.recognition import IMAGE_SUFFIXES, RecognisedFiles
from shrec_viewer.formats.io.progress import ReadProgress
from shrec_viewer.formats.io.schema import suggestion
from shrec_viewer.formats.manifest.manifest import Manifest

#: Files of the name of a mesh that belong to it: materials and buffers.
COMPANION_SUFFIXES = (".mtl", ".bin")


def value_files(found: RecognisedFiles, folder: Path) -> RecognisedFiles:
    """Files below a folder that can contain values: all but meshes, images and the materials and buffers of meshes.

    In folders with meshes, and where the folder is that of the whole benchmark, only files with the name of a mesh.
    """
    is_whole = found.root.is_relative_to(folder)
    folders = {}
    for path, files in found.folders.items():
        if path.is_relative_to(folder):
            stems = {file_stem(file.path) for file in files if file.kind == MESH}
            others = [file for file in files if file.kind not in (MESH, IMAGE)]
            others = [file for file in others if file.path.suffix.lower() not in COMPANION_SUFFIXES]
            if stems or is_whole:
                others = [file for file in others if file_stem(file.path) in stems]
            folders[path] = tuple(replace(file, kind=MESH) for file in others)
    return RecognisedFiles(folder, folders)


def without_values(found: RecognisedFiles, manifest: Manifest) -> RecognisedFiles:
    """These files without those of quantities, which look like lists, tables and runs."""
    folders = [entry.path for entry in manifest.values.values()]
    return found.without({file.path for folder in folders for file in value_files(found, folder).files()})


def find_quantities(
    benchmark: Benchmark, manifest: Manifest, found: RecognisedFiles, findings_log: FindingsLog
) -> tuple[Quantity, ...]:
    """The quantities that benchmark.toml names, with the file of each mesh.

    Unknown runs and references, folders without files and models without file are findings.

    Parameters
    ----------
    found : all files, with those of values.
    """
    indices = IdIndex(benchmark.collection.ids), IdIndex(benchmark.queries.ids)
    has_own_queries = bool(np.any(benchmark.queries.member < 0))
    quantities = []
    for name, entry in manifest.values.items():
        line = manifest.find_line("values", name) or manifest.find_line(f"values.{name}")
        note = partial(findings_log.warning, findings_log.root / findings_log.manifest_name, line=line)
        reference = None if not entry.correspondence else _mesh_of(entry.correspondence, benchmark, indices)
        candidates = list_model_files(value_files(found, entry.path), None, None)
        matched = match_files(candidates, indices[0], indices[1] if has_own_queries else NO_IDS, {})
        is_labels = entry.labels or bool(entry.names)
        files = _files_of_meshes(matched, benchmark)
        quantity = replace(entry, labels=is_labels, name=name, files=files, reference=reference)
        runs = [run.name for run in benchmark.runs]
        if quantity.run not in ("", *runs):
            note(f"'{name}' is of the unknown run '{entry.run}'{suggestion(quantity.run, runs)}", "shown as of no run")
            quantity = replace(quantity, run="")
        if entry.correspondence and reference is None:
            note(f"'{name}' maps vertices to '{entry.correspondence}', which is no model with a mesh", "ignored")
        elif not entry.path.is_dir():
            note(f"'{name}' is the file '{entry.path.name}', not a folder with a file for each model", "ignored")
        elif not quantity.files:
            note(f"'{name}': no file in '{findings_log.name_of(entry.path)}' belongs to a model with a mesh", "ignored")
        else:
            _log_files(quantity, matched, benchmark, findings_log)
            quantities.append(quantity)
    return tuple(quantities)


def _mesh_of(name: str, benchmark: Benchmark, indices: tuple[IdIndex, IdIndex]) -> Path | None:
    """Mesh of a model or query."""
    for index, paths in zip(indices, (benchmark.collection.paths, benchmark.queries.paths), strict=True):
        if (item := index.index_of(name)) >= 0 and _is_mesh(path := paths[item]):
            return path
    return None


def _is_mesh(path: Path | None) -> bool:
    return path is not None and path.suffix.lower() not in IMAGE_SUFFIXES


def _files_of_meshes(matched: MatchedFiles, benchmark: Benchmark) -> dict[Path, Path]:
    files: dict[Path, Path] = {}
    paths = benchmark.collection.paths, benchmark.queries.paths
    for match, meshes in zip((matched.models, matched.queries), paths, strict=True):
        for item, file in sorted(match.files.items()):
            mesh = meshes[item]
            if mesh is not None and _is_mesh(mesh):
                files.setdefault(mesh, file.path)
    return files


def _log_files(quantity: Quantity, matched: MatchedFiles, benchmark: Benchmark, findings_log: FindingsLog) -> None:
    meshes = [path for path in dict.fromkeys(benchmark.files()) if _is_mesh(path)]
    missing = [path for path in meshes if path not in quantity.files and path != quantity.reference]
    if missing:
        names = join_some(natural_sorted([path.name for path in missing]))
        text = f"{count_of(len(missing), 'mesh has', 'meshes have')} no file of '{quantity.name}': {names}"
        findings_log.warning(quantity.path, text, "shown without it")
    others = [file.path.name for file in matched.unmatched_files]
    if others:
        text = f"{count_of(len(others), 'file of', 'files of')} '{quantity.name}' without a model: {join_some(others)}"
        findings_log.info(quantity.path, text, "ignored")
    spare = (*matched.models.spare, *matched.queries.spare)
    if spare:
        text = f"{count_of(len(spare), 'more file', 'more files')} of models that have one, such as '{spare[0].name}'"
        findings_log.info(quantity.path, text, "not used")


def log_value_faults(
    benchmark: Benchmark, check_meshes: MeshChecker, findings_log: FindingsLog, progress: ReadProgress
) -> None:
    """Findings about the files of the quantities, with the numbers of vertices and faces of their meshes."""
    from shrec_viewer.formats.meshes.values import find_value_faults  # with the readers of meshes

    quantities: Sequence[Quantity] = benchmark.quantities
    meshes = list(dict.fromkeys(path for quantity in quantities for path in quantity.files))
    found: dict[Path, list[Finding]] = {}
    for path, faults in check_meshes(meshes, partial(find_value_faults, quantities=quantities)):
        found[path] = faults if isinstance(faults, list) else []  # a text: the mesh, which has its own finding
        progress.report(len(found), len(meshes), "mesh")
    findings_log.extend(fault for path in meshes for fault in found.get(path, ()))
