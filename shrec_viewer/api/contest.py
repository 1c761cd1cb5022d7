"""A contest: collection, queries, relevance and runs, from files or from arrays in memory."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shrec_viewer.api.messages import shown
from shrec_viewer.api.results import (
    CurvePoints,
    Findings,
    MeanTable,
    Place,
    RankedPlaces,
    ResultTable,
    RunComparison,
    comparison_of,
)
from shrec_viewer.domain import Benchmark, Finding, PublishedTable, Run, Severity, ShrecViewerError
from shrec_viewer.formats.core.findings_log import FindingsLog, count_of
from shrec_viewer.formats.core.read_context import read_context_of
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.metrics import (
    Profile,
    UnknownKeyError,
    find_profile,
    parse_convention,
    with_conventions,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from shrec_viewer.api.window import ContestWindow
    from shrec_viewer.content.data import ContentData
    from shrec_viewer.content.request import Request
    from shrec_viewer.evaluation.scores import Scores
    from shrec_viewer.formats.manifest.edit_state import AssessmentEdit
    from shrec_viewer.render.thumbnails.thumbnail import Thumbnail

#: Width of a figure in millimetres, by columns of a page.
FIGURE_WIDTHS = {1: 84.0, 2: 174.0}


class Contest:
    """Collection of N models, Q queries, relevance and runs.

    Sequences are lists, arrays, tensors, or columns of frames, with one axis.

    Parameters
    ----------
    classes : (N,) class of each model, texts or numbers; None, NaN and "" for none. Or ``{id: class}``. Without
        `queries` and `qrels`, each model is a query.
    ids, models : (N,) two names of one argument: distinct ids of the models, texts or whole numbers; without them "0",
        "1", … for as many as there are classes.
    queries : (Q,) distinct ids of the queries; one that is a model is that member of the collection. Without, those
        of `qrels`.
    query_classes : (Q,) class of each query, one of the classes of the models, or None; a query that is a model has its
        class without them.
    qrels : relevance levels, which replace those from classes: ``{query: {model: level}}``, ``{query: [models]}``, or
        rows or a frame of query, model and level. Levels are whole numbers: 2 is highly relevant, 1 relevant, 0 not
        relevant, up to 255, and -1 junk. Pairs without one are not relevant.
    files, query_files : mesh or image of each model and query, ``{id: path}``, or (N,) and (Q,) paths, None for none;
        only for pictures.
    name : for titles.
    profile : conventions, such as ``"shrec2006"``; see `evaluate`.

    Warns
    -----
    UserWarning
        Of what is unusual, which `findings` lists: unknown ids, queries without a relevant model, files not found.

    Raises
    ------
    ShrecViewerError
        If there is neither `classes` nor `models`, or ids, classes, levels or paths are of the wrong number or kind, or
        an id is repeated; the text says what to give instead.

    Examples
    --------
    >>> contest = Contest(classes=["dog", "dog", "cat", "cat"])
    >>> contest.add("mine", distances=[[0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 0, 1], [2, 1, 3, 0]])
    >>> contest.evaluate("AP").mean
    {'AP': {'mine': 0.8333333333333334}}
    """

    def __init__(
        self,
        classes: Any = None,
        *,
        ids: Any = None,
        models: Any = None,
        queries: Any = None,
        query_classes: Any = None,
        qrels: Any = None,
        files: Any = None,
        query_files: Any = None,
        name: str = "contest",
        profile: str | Profile | None = None,
    ) -> None:
        _install_plugins()
        if ids is not None and models is not None:
            raise ShrecViewerError("ids and models are two names of one argument; give one of them")
        _one_text(name, "the name of a contest", "SHREC 2026")
        from shrec_viewer.api.arrays import benchmark_of

        log = FindingsLog(Path())
        given = (classes, models if ids is None else ids, queries, query_classes, qrels, files, query_files)
        benchmark = benchmark_of(name, log, *given)
        if profile is not None:
            benchmark = replace(benchmark, profile=_profile(profile, benchmark).key)
        self._set(replace(benchmark, findings=log.findings), ())
        _warn(log.findings)

    _original: Benchmark
    _benchmark: Benchmark

    def _set(self, benchmark: Benchmark, edits: Iterable["AssessmentEdit"]) -> None:
        self._original = benchmark
        self._benchmark = benchmark
        self._edits = tuple(edits)
        self._window: ContestWindow | None = None
        self._apply_edits()

    def _apply_edits(self) -> None:
        from shrec_viewer.evaluation.edits import with_edits

        self._benchmark = with_edits(self._original, self._edits)

    # ── content ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def name(self) -> str:
        """For titles."""
        return self._original.name

    @property
    def models(self) -> Sequence[str]:
        """(N,) ids of the collection."""
        return self._original.collection.ids

    @property
    def queries(self) -> Sequence[str]:
        """(Q,) ids of the queries."""
        return self._original.queries.ids

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return tuple(run.name for run in self._original.runs)

    @property
    def findings(self) -> Findings:
        """What was noticed while files and arrays were read, and what was done about it."""
        return Findings(self._original.findings)

    @property
    def benchmark(self) -> Benchmark:
        """All records, as the other modules of `shrec_viewer` take them."""
        return self._benchmark

    def __repr__(self) -> str:
        faults = [finding for finding in self.findings if finding.severity is not Severity.INFO]
        counts = [
            count_of(len(self.models), "model"),
            count_of(len(self.queries), "query", "queries"),
            count_of(len(self.runs), "run"),
            *([count_of(len(faults), "finding")] if faults else []),
        ]
        return f"<Contest '{self.name[:80]}': {', '.join(counts)}>"

    # ── runs and relevance ───────────────────────────────────────────────────────────────────────────────────────────

    def add(
        self,
        name: str = "",
        *values: Any,
        distances: Any = None,
        similarities: Any = None,
        vectors: Any = None,
        metric: str | None = None,
        rankings: Any = None,
        path: str | Path | None = None,
        participant: str = "",
    ) -> None:
        """Add a run, or replace the one of this name.

        Parameters
        ----------
        name : of the run; for `path`, without one, that of the file.
        values : none; what they are is said by one of the other arguments.
        distances, similarities : (Q, N), a row for each query and a column for each model, in the order of the ids; or
            a frame of pandas with ids as index and columns.
        vectors : (N, d) where the collection queries itself, else a pair of (Q, d) and (N, d).
        metric : of vectors, such as ``"cosine"``; Euclidean distance by default.
        rankings : ``{query: [models]}``, best first; (Q, K) numbers of the models from 0 on, -1 for none; scores
            ``{query: {model: score}}``, or rows or a frame of query, model and score, the largest first.
        path : file or folder, read as by ``--add`` of the command line.
        participant : who submitted it.

        Raises
        ------
        ShrecViewerError
            If the run cannot be used: its shape or its ids do not fit. What else was noticed is a warning, and in
            `findings`.
        """
        given = {"distances": distances, "similarities": similarities, "vectors": vectors, "rankings": rankings}
        if values or not isinstance(name, str | int | None):
            raise ShrecViewerError(
                "say what the values are: contest.add('mine', distances=D), similarities=, vectors=, …"
            )
        _one_text(name, "the name of a run", "mine")
        _one_text(participant, "the participant", "Alder")
        named = [key for key, value in {**given, "path": path}.items() if value is not None]
        if len(named) != 1:
            wrong = f"not both {' and '.join(named[:2])}" if named else "none is given"
            raise ShrecViewerError(f"give one of distances, similarities, vectors, rankings and path; {wrong}")
        if metric is not None and vectors is None and path is None:
            raise ShrecViewerError(f"metric= is for vectors; the numbers of {named[0]} are compared as they are")
        log = FindingsLog(self._original.root)
        if path is not None:
            file = _path(path, "a run", "distances=, vectors=, …")
            runs = self._runs_of_file(file, ReadOptions(metric=metric), name, log)
        else:
            if not name:
                raise ShrecViewerError("a run needs a name, such as contest.add('mine', distances=D)")
            from shrec_viewer.api import arrays
            from shrec_viewer.api.arrays import ranked_run

            arrays.require_values(given)
            if rankings is not None:
                parsed, options = arrays.list_run(name, rankings, self.queries, self.models)
            elif vectors is not None:
                parsed, options = arrays.vector_run(name, vectors, metric, self.queries, self.models)
            else:
                values = distances if similarities is None else similarities
                parsed, options = arrays.matrix_run(
                    name, values, self.queries, self.models, similarity=similarities is not None
                )
            runs = (ranked_run(name, parsed, options, read_context_of(self._original, log)),)
        if participant:
            runs = tuple(replace(run, participant=participant) for run in runs)
        added = {run.name: run for run in runs}
        kept = tuple(added.pop(run.name, run) for run in self._original.runs)
        findings = tuple(finding for finding in self.findings if finding.file not in {run.name for run in runs})
        self._original = replace(self._original, runs=(*kept, *added.values()), findings=(*findings, *log.findings))
        self._apply_edits()
        _warn(log.findings)
        if self._window is not None:
            self._window.update(self._benchmark)

    def _runs_of_file(self, path: Path, options: ReadOptions, name: str, log: FindingsLog) -> tuple[Run, ...]:
        from shrec_viewer.formats.discovery.submission import read_submission

        submission = read_submission(self._original, path, options=options)
        log.extend(submission.findings)
        if not submission.runs:
            raise ShrecViewerError(
                next(
                    (str(one) for one in submission.findings if one.severity is Severity.ERROR), f"{path} holds no run"
                )
            )
        runs = tuple(found.run for found in submission.runs)
        if name and len(runs) > 1:
            raise ShrecViewerError(f"{path} holds {len(runs)} runs, which keep their names; leave out the name")
        return tuple(replace(run, name=name) for run in runs) if name else runs

    def edit(self, query: str, model: str, level: int, reason: str = "") -> None:
        """Give a model another relevance level for a query; files are not changed.

        Raises
        ------
        ShrecViewerError
            If there is no such query or model, or the level is no whole number from 0 to 255.
        """
        from shrec_viewer.evaluation.edits import level_of
        from shrec_viewer.formats.manifest.edit_state import AssessmentEdit
        from shrec_viewer.formats.truth.qrels import MAX_LEVEL

        row, column = _index(self.queries, query, "query"), _index(self.models, model, "model")
        if not isinstance(level, int | np.integer) or not 0 <= level <= MAX_LEVEL:
            raise ShrecViewerError(f"the level {shown(level)} is no whole number from 0 to {MAX_LEVEL}")
        time = datetime.now(UTC).isoformat(timespec="seconds")
        made = AssessmentEdit(
            self.queries[row], self.models[column], level_of(self._original, row, column), int(level), "", time, reason
        )
        edits = {edit.pair: edit for edit in self._edits} | {made.pair: made}
        self._edits = tuple(edit for edit in edits.values() if edit.level != edit.former)
        self._apply_edits()
        if self._window is not None:
            self._window.update(self._benchmark)

    def add_published(self, table: str | Path | Mapping[str, Mapping[str, Any]], source: str = "published") -> None:
        """Show published scores beside the computed ones, in tables, bars, the report and the window.

        A table of the same name is replaced. Values above 1 of a measure up to 1 are read as per cent.

        Parameters
        ----------
        table : file with a row for each run or method and a column for each measure, or such a table in memory:
            ``{"A1": {"MAP": "64.28 %", "NN": 0.81}}``. Texts are read as they are printed: what agrees to the printed
            digits is marked.
        source : name of a table in memory.

        Raises
        ------
        ShrecViewerError
            If the table cannot be read, or no column is named after a measure. What else was noticed is a warning, and
            in `findings`.
        """
        from shrec_viewer.evaluation.comparison.published import published_findings
        from shrec_viewer.formats.truth.published import read_published

        if isinstance(table, Mapping):
            _one_text(source, "the name of the table", "report.csv")
            titles = tuple(dict.fromkeys(str(title) for values in table.values() for title in values))
            rows = [{str(title): value for title, value in values.items()} for values in table.values()]
            cells = tuple(tuple("" if row.get(title) is None else str(row[title]) for title in titles) for row in rows)
            read = PublishedTable(source, titles, tuple(map(str, table)), cells, tuple(range(1, len(rows) + 2)))
        else:
            read = read_published(_path(table, "a table", "{run: {measure: value}}"))
        found = published_findings(replace(self._original, published=(read,)))
        wrong = next((one for one in found if one.severity is Severity.ERROR), None)
        if wrong is not None:
            raise ShrecViewerError(str(wrong))
        others = tuple(one for one in self._original.published if one.source != read.source)
        findings = tuple(one for one in self.findings if one.file != read.source)
        self._original = replace(self._original, published=(*others, read), findings=(*findings, *found))
        self._apply_edits()
        _warn(found)
        if self._window is not None:
            self._window.update(self._benchmark)

    # ── results ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def evaluate(
        self,
        measures: str | Sequence[str] | None = None,
        profile: str | Profile | None = None,
        *,
        runs: Sequence[str] | None = None,
        conventions: Mapping[str, Any] | None = None,
        slice: str | None = None,
    ) -> MeanTable:
        """Means of runs in measures.

        Parameters
        ----------
        measures : keys, such as ``["AP", "NDCG@10"]``; those of the profile by default.
        profile : conventions of a contest by key, such as ``"shrec2006"``; those of the contest by default.
        runs : names; all by default.
        conventions : changed ones, such as ``{"list_cut": 100}``; see ``shrec-viewer profiles``.
        slice : set of queries that the means are over, such as ``"class: chair"``; all queries by default. The section
            ``"slices"`` of `diagnose` lists them.
        """
        return MeanTable(self._scores(measures, profile, runs, conventions, slice))

    def _scores(
        self,
        measures: str | Sequence[str] | None = None,
        profile: str | Profile | None = None,
        runs: Sequence[str] | None = None,
        conventions: Mapping[str, Any] | None = None,
        slice: str | None = None,
    ) -> "Scores":
        from shrec_viewer.evaluation.evaluate import evaluate

        if not self.runs:
            raise ShrecViewerError(f"'{self.name}' has no runs; add one by contest.add('mine', distances=D)")
        keys = None if measures is None else _texts(measures, "measures", "['AP', 'NDCG@10']")
        names = None if runs is None else [self._run(name).name for name in _texts(runs, "runs", "['v3']")]
        with _names_known():
            used = self._conventions(profile, conventions)
            if slice is None:
                return evaluate(self._benchmark, used, runs=names, measures=keys)
            from shrec_viewer.diagnosis.slices import query_slices, select_slices
            from shrec_viewer.evaluation.scores import main_column

            scores = evaluate(self._benchmark, used, measures=keys)  # the difficulty of queries is that for all runs
            (part,) = select_slices(query_slices(scores, main_column(scores)), (slice,))
            rows = [scores.run_index(name) for name in names or scores.runs]
            return scores.select_runs(rows).select_queries(part.queries)

    def _conventions(self, profile: str | Profile | None, changed: Mapping[str, Any] | None = None) -> Profile:
        found = _profile(profile, self._benchmark)
        if changed is not None and not isinstance(changed, Mapping):
            raise ShrecViewerError(f"conventions are {shown(changed)}; give a dictionary such as {{'list_cut': 100}}")
        try:
            settings = dict(parse_convention(f"{key}={value}") for key, value in (changed or {}).items())
        except ValueError as error:
            raise ShrecViewerError(str(error)) from None
        return with_conventions(found, settings)

    def _run(self, name: str) -> Run:
        return self._benchmark.runs[_index(self.runs, name, "run")]

    def compare(
        self, run_a: str, run_b: str, measure: str | None = None, *, profile: str | Profile | None = None
    ) -> RunComparison:
        """Compare run b with run a, over the queries for which both have a value; differences are b minus a."""
        from shrec_viewer.evaluation.comparison.comparison import compare

        for name in (run_a, run_b):
            self._run(name)
        if measure is not None:
            _one_text(measure, "the measure", "AP")
        scores = self._scores(measure, profile)
        return comparison_of(scores, compare(scores, run_a, run_b, scores.measures[0].key if measure else None))

    def diagnose(
        self,
        run: str,
        section: str | None = None,
        *,
        measure: str = "AP",
        k: int = 10,
        slice: str = "",
        compare_with: str | None = None,
        profile: str | Profile | None = None,
    ) -> Any:
        """Why a run is weak: what `shrec-viewer diagnose --format json` prints of it.

        Parameters
        ----------
        section : ``"budget"``, ``"hubs"``, ``"distances"``, ``"confusions"``, ``"classification"``, ``"queries"`` or
            ``"slices"``, of the run, or ``"headroom"``, ``"similarity"`` or ``"variance"``, of all runs; None for a
            dictionary of all sections.
        measure : whose loss is divided.
        k : first ranks in which hubs are counted.
        slice : name of a set of queries, over which the loss is divided, such as ``"difficulty: hard"``; "" for all.
        compare_with : another run; where the difference to it comes from is ``"difference"`` of all sections.

        Raises
        ------
        ShrecViewerError
            If there is no such run, section, measure or slice.
        """
        from shrec_viewer.diagnosis.document import (
            BENCHMARK_SECTIONS,
            SECTIONS,
            SLICE_SECTIONS,
            diagnosis_document,
            find_section,
        )
        from shrec_viewer.diagnosis.error_budget import BudgetWork

        for name in (run, *([] if compare_with is None else [compare_with])):
            self._run(name)
        _one_text(measure, "the measure", "AP")
        if not isinstance(k, int | np.integer) or k < 1:
            raise ShrecViewerError(f"k is a whole number from 1 on, not {shown(k)}")
        with _names_known():
            sections = (SLICE_SECTIONS if slice else SECTIONS) if section is None else (find_section(section),)
        if slice and section is not None and section not in SLICE_SECTIONS:
            raise ShrecViewerError(f"of a slice there are the sections {', '.join(SLICE_SECTIONS)}, not {section}")
        scores = self._scores(measure, profile)
        work = BudgetWork(scores, scores.measures[0].key, int(k))
        with _names_known():
            document = diagnosis_document(
                work, [str(run)], sections, slice_name=slice, compare_with=str(compare_with or "")
            )
        found = document["runs"][0] | {name: document[name] for name in BENCHMARK_SECTIONS if name in document}
        return found if section is None else found[section]

    def curve(
        self,
        key: str,
        run: str,
        query: str | None = None,
        *,
        profile: str | Profile | None = None,
        slice: str | None = None,
    ) -> CurvePoints:
        """Points of a curve of one run, such as ``"PR"``, for one query or averaged; unpacks as ``x, y``.

        With the name of a `slice`, the mean is over its queries, see `evaluate`.

        Raises
        ------
        ShrecViewerError
            If there is no such run, query, curve or slice, or no point of the curve is defined, such as for a query
            without relevant models.
        """
        index = None if query is None else _index(self.queries, query, "query")
        _one_text(key, "a curve", "PR")
        scores = self._scores(None, profile, [run], slice=slice)
        with _names_known():
            found = scores.curve(key, 0, index)
        assert found.x is not None
        assert found.y is not None
        if np.isnan(found.y).all():
            of = "the mean over the queries" if query is None else f"the query '{query}'"
            raise ShrecViewerError(f"the curve {key} of '{run}' is not defined for {of}")
        return CurvePoints(found.x, found.y)

    def ranked_list(self, run: str, query: str, *, profile: str | Profile | None = None) -> RankedPlaces:
        """The ranked list of a run for a query, as it is evaluated; a notebook shows its pictures."""
        from shrec_viewer.evaluation.ranked_list import ranked_list

        row, chosen = _index(self.queries, query, "query"), self._run(run)
        found = ranked_list(self._benchmark, chosen, row, self._conventions(profile))
        names = [self.models[item] if item >= 0 else "" for item in found.items.tolist()]
        columns = (range(1, len(found) + 1), names, found.levels.tolist(), found.distances.tolist())
        return RankedPlaces(
            f"{chosen.name}, {self.queries[row]}",
            [Place(*place) for place in zip(*columns, strict=True)],
            missing=found.missing,
            not_retrieved=tuple(self.models[item] for item in found.not_retrieved.tolist()),
            draw=self._draw,
        )

    def figure(self, kind: str, *, profile: str | Profile | None = None, width: int = 1, **options: Any) -> "Figure":
        """A figure as `shrec-viewer figure` writes it, with its options: ``figure("heat_map", measure="AP")``.

        Parameters
        ----------
        kind : such as ``"precision_recall"``; an unknown one is answered with all of them.
        width : columns of a page, 1 (84 mm) or 2 (174 mm).
        """
        from shrec_viewer.content.contents import FIGURES, build_chart
        from shrec_viewer.evaluation.evaluate import make_checkpoint, never_cancelled
        from shrec_viewer.formats.meshes.images import read_image
        from shrec_viewer.report.figures.rendering import matplotlib_figure
        from shrec_viewer.report.site.images import cached_images, with_images

        if width not in FIGURE_WIDTHS:
            raise ShrecViewerError(f"the width is 1 or 2 columns of a page, not {width!r}")
        request = _request(FIGURES, kind, options, "figure")
        data = self._data(request, profile, needs_scores=FIGURES[kind].needs_scores)
        checkpoint = make_checkpoint(never_cancelled)
        with _names_known():
            data = with_images(data, request, cached_images(read_image), checkpoint)
            chart = build_chart(data, request)
        return matplotlib_figure(chart, FIGURE_WIDTHS[width])

    def table(self, kind: str, *, profile: str | Profile | None = None, **options: Any) -> ResultTable:
        """A table as `shrec-viewer table` writes it, with its options: ``table("significance", measure="AP")``."""
        from shrec_viewer.content.contents import TABLES, build_table

        request = _request(TABLES, kind, options, "table")
        data = self._data(request, profile, needs_scores=TABLES[kind].needs_scores)
        with _names_known():
            return ResultTable(build_table(data, request))

    def _data(self, request: "Request", profile: str | Profile | None, *, needs_scores: bool) -> "ContentData":
        from shrec_viewer.content.data import ContentData

        data = ContentData(self._benchmark, self._conventions(profile), edits=self._edits)
        if not needs_scores:
            return data
        measures = [*getattr(request, "measures", ()), *filter(None, [getattr(request, "measure", "")])]
        return replace(data, scores=self._scores(measures or None, profile))

    def _drawn(self, paths: Sequence[Path], size: int) -> "Iterable[tuple[Path, Thumbnail]]":
        from shrec_viewer.evaluation.evaluate import make_checkpoint, never_cancelled
        from shrec_viewer.formats.meshes.images import read_image
        from shrec_viewer.render.thumbnails.thumbnail import thumbnail_requests
        from shrec_viewer.report.site.images import cached_images, settings_with_legend

        quantities, checkpoint = self._original.quantities, make_checkpoint(never_cancelled)
        settings, _ = settings_with_legend(self._original.camera, paths, quantities, checkpoint)
        return cached_images(read_image)(thumbnail_requests(paths, size, settings, quantities), checkpoint, None)

    def _draw(self, models: Sequence[str]) -> Mapping[str, bytes]:
        """Pictures of models as WebP."""
        from shrec_viewer.content.contents import IMAGE_SIZE

        index, paths = self._original.collection.index, self._original.collection.paths
        wanted = {name: path for name in models if name in index and (path := paths[index[name]]) is not None}
        drawn = dict(self._drawn(list(wanted.values()), IMAGE_SIZE)) if wanted else {}
        return {name: drawn[path].webp for name, path in wanted.items() if drawn[path].problem is None}

    # ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def save(self, folder: str | Path) -> Path:
        """Write a folder that all commands and the window open: classes, relevance, runs and benchmark.toml.

        Raises
        ------
        ShrecViewerError
            If the folder exists and is not empty, or cannot be written.
        """
        from shrec_viewer.api.files import save_contest

        return save_contest(self._benchmark, _path(folder, "a folder"))

    def report(self, folder: str | Path, *, profile: str | Profile | None = None) -> Path:
        """Write the site of the contest, as ``shrec-viewer report``; an earlier site is replaced."""
        from shrec_viewer.formats.meshes.images import read_image
        from shrec_viewer.report.site.builder import SiteOptions, build_site, site_scores
        from shrec_viewer.report.site.images import cached_images

        target, scores = _path(folder, "a folder"), site_scores(self._benchmark, self._conventions(profile))
        build_site(
            scores,
            target,
            cached_images(read_image),
            SiteOptions(),
        )
        return target

    def show(self) -> "ContestWindow":
        """Open the window on the contest in a separate process, which shows later calls of `add` and `edit`, too.

        Raises
        ------
        ShrecViewerError
            If there is no display, or libraries of the system are missing.
        """
        from shrec_viewer.api.window import ContestWindow, window_problem

        if self._window is None or not self._window.is_open:
            if problem := window_problem():
                raise ShrecViewerError(f"{problem}; figure, table, ranked_list and report need none")
            self._window = ContestWindow(self._benchmark)
        return self._window


def open(path: str | Path, *, profile: str | Profile | None = None) -> Contest:
    """Read a contest: a folder, an archive of one, a benchmark.toml, a saved ``.shrec`` project, or ``"demo"``.

    Parameters
    ----------
    profile : conventions; those of the contest by default.

    Raises
    ------
    ShrecViewerError
        If nothing in it is of use. Files that cannot be used are in `Contest.findings`.
    """
    from shrec_viewer.api.files import read_contest

    text = fspath(_path(path, "a contest", "given to Contest(classes=labels)"))
    _install_plugins()
    benchmark, edits = read_contest(text, None if profile is None else _key(profile))
    contest = Contest.__new__(Contest)
    contest._set(benchmark if profile is None else replace(benchmark, profile=_profile(profile, benchmark).key), edits)
    return contest


@cache
def _install_plugins() -> None:
    """Add the rows of plug-ins to the tables, as the command line does; a failed one is a warning at the caller."""
    from shrec_viewer.entry_points import may_have_plugins

    if may_have_plugins():
        from shrec_viewer.plugins import install_plugins

        for failure in install_plugins().failures:
            warnings.warn(str(failure), stacklevel=3)


def _key(profile: str | Profile) -> str:
    if isinstance(profile, Profile):
        return profile.key
    _one_text(profile, "a profile", "shrec2006")
    return profile


def _profile(profile: str | Profile | None, benchmark: Benchmark) -> Profile:
    if isinstance(profile, Profile):
        return profile
    with _names_known():
        return find_profile(benchmark.profile if profile is None else _key(profile))


@contextmanager
def _names_known() -> Iterator[None]:
    """Unknown measures, runs, … are errors of this interface."""
    try:
        yield
    except UnknownKeyError as error:
        raise ShrecViewerError(str(error)) from None


def _texts(values: Any, what: str, example: str) -> list[str]:
    """Texts of one text or of several."""
    texts = [values] if isinstance(values, str) else list(values) if isinstance(values, Iterable) else [values]
    if wrong := [value for value in texts if not isinstance(value, str)]:
        raise ShrecViewerError(f"{what} are texts, not {shown(wrong[0])}; give a list such as {example}")
    if not texts:
        raise ShrecViewerError(f"{what} are empty; give a list such as {example}, or leave them out")
    return texts


def _one_text(value: Any, what: str, example: str) -> None:
    """Raise an error for what is no text."""
    if not isinstance(value, str):
        raise ShrecViewerError(f"{what} is a text such as '{example}', not {shown(value)}")


def _path(path: Any, what: str, arrays: str = "") -> Path:
    """The path of something; an error that says where arrays belong for what is no path."""
    if not isinstance(path, str | PathLike) or not fspath(path):
        hint = f"; arrays are {arrays}" if arrays else ""
        raise ShrecViewerError(f"the path of {what} is a text, not {shown(path)}{hint}")
    return Path(path)


def _index(names: Sequence[str], name: Any, what: str) -> int:
    """Index of a name; texts and numbers are the same."""
    from shrec_viewer.metrics.measures.measure import suggestion

    text = str(name)
    if text not in names:
        raise ShrecViewerError(f"there is no {what} '{text[:80]}'{suggestion(text, names)}")
    return names.index(text)


def _request(rows: Mapping[str, Any], kind: str, options: Mapping[str, Any], command: str) -> "Request":
    from shrec_viewer.metrics.measures.measure import suggestion

    _one_text(kind, f"a {command}", next(iter(rows)))
    if kind not in rows:
        hint = suggestion(kind, list(rows)) or f"; known: {', '.join(rows)}"
        if kind == "scores":
            hint = "; `evaluate` computes the scores, 'runs' and 'run_scores' are their tables"
        raise ShrecViewerError(f"there is no {command} '{kind}'{hint}")
    request = rows[kind].request()
    names = [field.name for field in request.options() if field.is_of(command)]
    if unknown := [name for name in options if name not in names]:
        hint = suggestion(unknown[0], names) or f"; its options: {', '.join(names)}"
        raise ShrecViewerError(f"{kind} has no option '{unknown[0]}'{hint}")
    repeated = {field.name for field in request.options() if field.repeated}
    values = {
        name: (value,) if name in repeated and isinstance(value, str) else value for name, value in options.items()
    }
    defaults = {field.name: field.default_of(command) for field in request.options() if field.is_of(command)}
    try:
        made: Request = request.with_values(**{**defaults, **values})
    except ValueError as error:
        raise ShrecViewerError(str(error)) from None
    return made


def _warn(findings: Iterable[Finding]) -> None:
    """Python warnings of what is unusual, at the line of the caller."""
    for finding in findings:
        if finding.severity is not Severity.INFO:
            warnings.warn(_text(finding), stacklevel=3)


def _text(finding: Finding) -> str:
    """A finding with the argument that settles it; one that only an option of the command line settles, without it."""
    if (setting := finding.setting) is None:
        return str(finding)
    if setting.table == "conventions":
        way = f"{finding.action}: conventions={{'{setting.key}': {setting.value!r}}}"
    elif setting.key == "similarity":
        way = f"{finding.action}: {'similarities' if setting.value else 'distances'}="
    else:
        way = finding.action.rpartition("; ")[0]
    return str(replace(finding, action=way))
