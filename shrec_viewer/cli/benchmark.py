"""Read the benchmark of a command, with edits, virtual runs and profile; refuse to replace its files."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shrec_viewer.cli.conventions import print_suggestion
from shrec_viewer.cli.findings import report_findings
from shrec_viewer.cli.options import EXPRESSION_HINT, BenchmarkRequest, UnknownNameError, did_you_mean, parse_cache
from shrec_viewer.cli.terminal import print_message, progress_bar

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark, Finding, Run
    from shrec_viewer.evaluation.edits import AssessmentEdit
    from shrec_viewer.evaluation.parallel.cluster import Cluster
    from shrec_viewer.evaluation.rigid_distances import MapFiles
    from shrec_viewer.evaluation.scores import Scores
    from shrec_viewer.formats.discovery.file_findings import MeshChecker
    from shrec_viewer.formats.manifest.project import Project
    from shrec_viewer.formats.runs.version_store import VersionStore
    from shrec_viewer.metrics import Profile
    from shrec_viewer.metrics.ranking.matrix_ranking import MapBlocks


#: Names that an error message lists at most; of more, it lists some.
MAX_NAMES = 100


@contextmanager
def benchmark_to_score(request: BenchmarkRequest, runs: Sequence[str]) -> "Iterator[tuple[Benchmark, Profile]]":
    """The benchmark of a command that scores its runs, and the profile with the changed conventions.

    Findings are printed afterwards; so is a more suitable profile, if none is given.

    Parameters
    ----------
    runs : names of runs, or expressions of virtual runs; an unknown name is a usage error.
    """
    opened, profile = open_benchmark(request, runs)
    try:
        yield opened, profile
        if not request.profile:
            print_suggestion(opened)
    finally:  # findings may explain why the evaluation failed
        report_findings(opened, request)


def open_benchmark(
    request: BenchmarkRequest, runs: Sequence[str] = (), *, check_meshes: "MeshChecker | None" = None
) -> "tuple[Benchmark, Profile]":
    """The benchmark of a command, with edits and virtual runs, and the profile; parameters as of both functions."""
    opened = with_edits_of(load_benchmark(request, check_meshes=check_meshes), request.path, request.edits)
    if opened.published:
        from shrec_viewer.evaluation.comparison.published import published_findings

        opened = replace(opened, findings=(*opened.findings, *published_findings(opened)))
    profile = request.profile_for(opened)
    opened = with_versions_of(opened, request.path, runs)
    opened = with_virtual_of(opened, request, profile, (*runs, *request.virtual) if runs else ())
    opened = with_virtual(opened, (*request.virtual, *runs), profile, request)
    require_runs(runs, opened.runs)
    return opened, profile


def load_benchmark(request: BenchmarkRequest, *, check_meshes: "MeshChecker | None" = None) -> "Benchmark":
    """Read the benchmark of a command, with a progress bar; `check_meshes` as in `read_benchmark`."""
    path = request.path
    from shrec_viewer.domain import ShrecViewerError
    from shrec_viewer.evaluation.parallel.local import map_ahead, run_in_processes
    from shrec_viewer.formats.discovery.benchmark import read_benchmark
    from shrec_viewer.metrics import PROFILE_KEYS

    jobs, cache = request.n_jobs, parse_cache()
    try:
        with progress_bar("Reading") as progress:
            opened = read_benchmark(
                path,
                request.parts,
                progress=progress,
                profiles=PROFILE_KEYS,
                cache=cache,
                run_in_processes=partial(run_in_processes, jobs=jobs) if jobs > 1 else None,
                map_blocks=map_ahead if jobs > 1 else map,
                check_meshes=check_meshes,
            )
    except ShrecViewerError:
        refuse_inputs(None, request)  # `check` writes the reason
        raise
    refuse_inputs(opened, request)
    if cache.problem:
        print_message(cache.problem)
    return opened


def version_store(path: Path, benchmark: "Benchmark") -> "VersionStore":
    """Versions that the window keeps of the runs of a benchmark; `path` is what was opened."""
    from platformdirs import user_data_path

    from shrec_viewer.evaluation.run_versions import stored_folder
    from shrec_viewer.formats.runs.version_store import VersionStore, benchmark_folder

    folder = stored_folder(user_data_path("shrec-viewer", appauthor=False))
    return VersionStore(benchmark_folder(folder, path, benchmark))


def with_versions_of(benchmark: "Benchmark", path: Path, names: Sequence[str]) -> "Benchmark":
    """The benchmark with the stored versions ``RUN@HASH`` among the names of runs."""
    known = {run.name for run in benchmark.runs}
    wanted = [name for name in names if "@" in name and "(" not in name and name not in known]
    if not wanted:
        return benchmark
    from shrec_viewer.domain import ShrecViewerError
    from shrec_viewer.evaluation.run_versions import with_versions

    try:
        return with_versions(version_store(path, benchmark), benchmark, wanted)
    except ShrecViewerError as error:
        raise click.UsageError(str(error)) from error


def with_virtual(
    benchmark: "Benchmark", names: Sequence[str], profile: "Profile", request: BenchmarkRequest
) -> "Benchmark":
    """The benchmark with a virtual run for each name that is an expression and not the name of a run."""
    known = {run.name for run in benchmark.runs}
    texts = [name for name in names if name not in known and "(" in name]
    if not texts:
        return benchmark
    from shrec_viewer.evaluation.virtual_runs import VirtualRunError, cost_text, is_expression, with_virtual_runs

    expressions = [text for text in texts if is_expression(text)]
    for cost in filter(None, dict.fromkeys(cost_text(benchmark, text) for text in expressions)):
        where = "" if request.scheduler is None else f"; the workers of '{request.scheduler}' share the work"
        print_message(f"geometry: {cost[:1].lower()}{cost[1:].rstrip('.')}{where}")
    try:
        with cluster_files(request, expressions) as map_files, progress_bar("Computing virtual runs") as progress:
            return with_virtual_runs(benchmark, expressions, profile, progress=progress, map_files=map_files)
    except VirtualRunError as error:
        raise UnknownNameError(str(error), EXPRESSION_HINT) from error


def _project_at(path: Path) -> "Project | None":
    """The project that was opened; None for any other path."""
    if path.suffix.lower() != ".shrec":
        return None
    from shrec_viewer.formats.manifest.project import project_at

    return project_at(path)


def edits_of(
    benchmark: "Benchmark", source: Path, path: Path | None, *, prints: bool = False
) -> "tuple[tuple[AssessmentEdit, ...], tuple[Finding, ...]]":
    """Edits of a project and of the file ``--edits``, and the findings about both.

    Parameters
    ----------
    source : what was opened.
    path : value of ``--edits``, whose levels take precedence.
    prints : whether the numbers of edits are printed.
    """
    project = _project_at(source)
    if path is None and project is None:
        return (), ()
    from shrec_viewer.evaluation.edits import edit_findings, read_edits
    from shrec_viewer.formats.core.findings_log import count_of

    edits = () if project is None else tuple(project.edits.levels.values())
    findings = edit_findings(benchmark, edits, str(source))
    if edits and prints:
        queries, models = benchmark.queries.index, benchmark.collection.index
        known = sum(edit.query in queries and edit.model in models for edit in edits)
        print_message(f"{source}: {count_of(known, 'edit')} of the assessment")
    if path is None:
        return edits, findings
    added, found = read_edits(path, benchmark)
    changed = sum(edit.level != edit.former for edit in added)
    if prints:
        print_message(f"{path}: {count_of(len(added), 'edit')} of the assessment, {changed} with a changed level")
    former = {edit.pair for edit in edits}
    replaced = {edit.pair: edit for edit in (*edits, *added)}
    # A line with the level of the files cancels the edit of the project.
    kept = tuple(edit for edit in replaced.values() if edit.level != edit.former or edit.pair not in former)
    return kept, (*findings, *found)


def with_edits_of(benchmark: "Benchmark", source: Path, path: Path | None) -> "Benchmark":
    """The benchmark with the edits of a project and of the file ``--edits``, see `edits_of`, and their findings."""
    edits, findings = edits_of(benchmark, source, path, prints=True)
    if not edits and not findings:
        return benchmark
    from shrec_viewer.evaluation.edits import with_edits

    return replace(with_edits(benchmark, edits), findings=(*findings, *benchmark.findings))


def with_edits_as_source(benchmark: "Benchmark", request: BenchmarkRequest) -> "Benchmark":
    """The benchmark with the file ``--edits`` among the files that it was read from."""
    return benchmark if request.edits is None else replace(benchmark, sources=(*benchmark.sources, request.edits))


def with_virtual_of(
    benchmark: "Benchmark", request: BenchmarkRequest, profile: "Profile", names: Sequence[str] = ()
) -> "Benchmark":
    """The benchmark with the virtual runs of a project, and findings about those that cannot be computed.

    Parameters
    ----------
    request : names what was opened.
    names : the runs that are used; empty for all.
    """
    project = _project_at(request.path)
    if project is None or not project.edits.runs.virtual:
        return benchmark
    from shrec_viewer.evaluation.virtual_runs import with_runs_of_project

    known = {run.name for run in benchmark.runs}
    expressions = [run.expression for run in project.edits.runs.virtual]
    wanted = [text for text in expressions if text not in known and (not names or text in names)]
    with cluster_files(request, wanted) as map_files, progress_bar("Computing virtual runs") as progress:
        return with_runs_of_project(benchmark, wanted, profile, str(request.path), progress, map_files)


def require_names(what: str, names: Iterable[str], known: Sequence[str], plural: str = "") -> None:
    """Check names of runs, queries or models; an unknown name is a usage error that suggests the most similar one."""
    for name in names:
        if name not in known:
            plural = plural or f"{what}s"
            listed = f"the {plural} are {', '.join(known)}" if known else f"the benchmark has no {plural}"
            if len(known) > MAX_NAMES:
                listed = f"the benchmark has {len(known):,} {plural}, such as {', '.join(known[:3])}"
            raise UnknownNameError(f"there is no {what} '{name}'{did_you_mean(name, known)}", listed)


def require_runs(names: Sequence[str], runs: Sequence["Run"]) -> None:
    """Check names of runs; an unknown name is a usage error."""
    require_names("run", names, [run.name for run in runs])


def compute_scores(
    request: BenchmarkRequest,
    benchmark: "Benchmark",
    profile: "Profile",
    runs: Sequence[str] = (),
    measures: Sequence[str] | None = None,
    extra_measures: Sequence[str] = (),
) -> "Scores":
    """Scores of runs, with a progress bar; no `runs` or `measures`: as `evaluate` for None."""
    from shrec_viewer.evaluation.evaluate import evaluate

    _require_assessment(benchmark)
    with cluster_ranking(request) as map_blocks, progress_bar("Evaluating") as progress:
        return evaluate(
            benchmark,
            profile,
            runs=list(dict.fromkeys(runs)) or None,
            measures=measures or None,
            extra_measures=extra_measures,
            jobs=request.n_jobs,
            map_blocks=map_blocks,
            progress=progress,
        )


def _require_assessment(benchmark: "Benchmark") -> None:
    """Raise an error that names the options for the files of the organisers, which a run alone lacks."""
    from shrec_viewer.domain import ShrecViewerError

    if benchmark.assessment is None:
        raise ShrecViewerError(
            f"'{benchmark.name}' has no relevance assessment: runs cannot be evaluated; give the files of the "
            "organisers by --classification (and --queries) or --assessment, or open their folder with --add RUN"
        )


def require_runs_to_evaluate(benchmark: "Benchmark") -> None:
    """Raise an error if there is no assessment or no run."""
    from shrec_viewer.domain import ShrecViewerError

    _require_assessment(benchmark)
    if not benchmark.runs:
        raise ShrecViewerError(f"'{benchmark.name}' has no runs to evaluate")


@contextmanager
def chosen_cluster(request: BenchmarkRequest) -> "Iterator[Cluster | None]":
    """The scheduler of ``--scheduler``; None without that option."""
    if request.scheduler is None:
        yield None
        return
    from shrec_viewer.evaluation.parallel.cluster import connected_cluster

    with connected_cluster(request.scheduler) as cluster:
        yield cluster


@contextmanager
def cluster_files(request: BenchmarkRequest, expressions: Sequence[str]) -> "Iterator[MapFiles | None]":
    """The argument `map_files` of virtual runs: on the workers of ``--scheduler`` if an expression reads files."""
    from shrec_viewer.evaluation.virtual_runs import reads_files

    if request.scheduler is None or not any(map(reads_files, expressions)):
        yield None
        return
    with chosen_cluster(request) as cluster:
        from shrec_viewer.evaluation.parallel.cluster import map_files_on_cluster

        assert cluster is not None
        yield partial(map_files_on_cluster, cluster)


@contextmanager
def cluster_ranking(request: BenchmarkRequest) -> "Iterator[MapBlocks | None]":
    """The argument `map_blocks` of `evaluate`: on the workers of ``--scheduler``, None without that option."""
    with chosen_cluster(request) as cluster:
        if cluster is None:
            yield None
            return
        from platformdirs import user_cache_path

        from shrec_viewer.evaluation.parallel.cluster import ClusterRanking

        yield ClusterRanking(cluster, user_cache_path("shrec-viewer", appauthor=False) / "ranks").map_blocks


def refuse_inputs(benchmark: "Benchmark | None", request: BenchmarkRequest) -> None:
    """Raise a usage error if an output would replace an input; `benchmark` is None if it cannot be read."""
    targets = [path for path in request.outputs if path is not None and path.exists()]
    if request.force or not targets:
        return
    from shrec_viewer.formats.discovery.input_files import InputFiles, recognised_input
    from shrec_viewer.formats.io.atomic import WRITTEN_RESULTS

    inputs = InputFiles(benchmark, request.path, request.parts)
    for target in targets:
        if name := inputs.name_of(target):
            raise InputReplacedError(target, f"an input of this benchmark ({name})")
        if target.is_dir() and inputs.has_models_in(target):
            raise InputReplacedError(target, "a folder with models or queries of this benchmark")
        if WRITTEN_RESULTS.has(target):
            continue
        if inputs.has_picture_or_material(target):
            raise InputReplacedError(target, "an image or material of this benchmark")
        if name := recognised_input(target):
            raise InputReplacedError(target, f"recognised as an input ({name})")


def refuse_replaced(benchmark: "Benchmark", request: BenchmarkRequest, targets: Sequence[Path]) -> None:
    """Raise a usage error if one of the files to be written in a folder is an input of the benchmark."""
    from shrec_viewer.formats.discovery.input_files import InputFiles

    if targets and not request.force:
        inputs = InputFiles(benchmark, None)
        for target in targets:
            if name := inputs.name_of(target):
                raise InputReplacedError(target, f"an input of this benchmark ({name})")


class InputReplacedError(click.UsageError):
    """An output would replace an input; nothing was written."""

    def __init__(self, target: Path, what: str) -> None:
        super().__init__(f"{target} is {what}, and is not replaced; choose another path, or add --force")
