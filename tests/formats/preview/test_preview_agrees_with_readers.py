"""Laws over all samples and cases: ids, roles, lists and levels of a preview are those that the reader reads."""

from pathlib import Path

import numpy as np
import pytest
from made_folders import IDS, QUERIES, benchmark_files, distances, list_files, matrix_text, npy, order, write
from test_every_reader import BY_KEY, SAMPLES

from shrec_viewer.domain import DistanceMatrix, FormatError
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.core.reader import ParsedRun
from shrec_viewer.formats.discovery.benchmark import configured_options, read_benchmark, reload_run
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.preview.preview import SHOWN_CELLS, SHOWN_ROWS, preview
from shrec_viewer.formats.runs.listed_run import ListedRun
from shrec_viewer.formats.runs.rank_list import RankListFile
from shrec_viewer.formats.truth.class_tables import LabelTable
from shrec_viewer.formats.truth.qrels import QrelsFile

GOOD = sorted(SAMPLES.glob("*/good/*"))
CASES = Path(__file__).parents[3] / "../shared/cases"


def read_rows(found):
    """Cells of the lines that are read, by the meaning of their column; of several models the first."""
    for row in found.rows:
        if not row.note:
            cells = {}
            for column, cell in zip(found.columns, row.cells, strict=False):
                cells.setdefault(column.meaning, cell)
            yield row.line, cells


def words_of(found, meaning):
    """All words in columns of a meaning, of the lines that are read."""
    at = [index for index, column in enumerate(found.columns) if column.meaning == meaning]
    return {row.cells[index] for row in found.rows if not row.note for index in at if index < len(row.cells)} - {""}


def levels_of(parsed):
    pairs = zip(parsed.query.tolist(), parsed.models, parsed.level.tolist(), strict=True)
    zeros = zip(parsed.zero_query.tolist(), parsed.zero_models, strict=True)
    levels = {(parsed.queries[query], model): level for query, model, level in pairs}
    return levels | {(parsed.queries[query], model): 0 for query, model in zeros}


@pytest.mark.parametrize("sample", GOOD, ids=lambda path: f"{path.parts[-3]}-{path.name}")
def test_ids_and_levels_are_those_of_the_reader(sample):
    key = sample.parts[-3]
    found, parsed = preview(sample, ReadOptions(format=key)), BY_KEY[key].read(sample)
    assert found.summary == parsed.summary()
    if key in ("json_qrels", "solution", "levels", "query_parts"):
        # As written: JSON has no columns, a cell of a solution has several models, a matrix of levels is no list of
        # pairs, and the names of good, ok and junk files are parts of what they say.
        assert found.rows
    elif isinstance(parsed, QrelsFile):
        shown = {(cells["query"], cells["id"]): int(cells.get("level", 1)) for _, cells in read_rows(found)}
        levels = levels_of(parsed)
        assert shown.items() <= levels.items()
        assert parsed.findings or shown == levels
    elif isinstance(parsed, LabelTable):
        # All lines of a .cla file have a note that says what they are; blocks and JSON are shown as written.
        if key not in ("cla", "class_blocks", "class_json"):
            assert words_of(found, "id") == set(parsed.ids)
    elif isinstance(parsed, ListedRun) and parsed.nearer:
        scores = zip(parsed.query.tolist(), parsed.model.tolist(), parsed.scores.tolist(), strict=True)
        read = {(parsed.queries[query], parsed.models[model]): score for query, model, score in scores}
        for _, cells in read_rows(found):
            score = float(cells.get("score", cells.get("distance")).replace(",", "."))
            assert score == pytest.approx(read[cells["query"], cells["id"]], nan_ok=True, rel=1e-5)
        assert words_of(found, "query") == set(parsed.queries)
    elif isinstance(parsed, RankListFile):
        assert words_of(found, "id") <= {word for column in parsed.columns for word in column}
        assert [line for line, _ in read_rows(found)] == parsed.lines.tolist()
    elif isinstance(parsed, MatrixFile) and parsed.has_labels:
        assert [row.cells[0] for row in found.rows if parsed.rows] == list(parsed.rows)
        assert not parsed.columns or [column.title for column in found.columns][-3:] == list(parsed.columns)
    elif isinstance(parsed, ParsedRun):
        assert words_of(found, "query") == set(parsed.query_ids())
        assert words_of(found, "id") == set(parsed.model_ids())


@pytest.mark.parametrize("sample", GOOD, ids=lambda path: f"{path.parts[-3]}-{path.name}")
def test_lines_with_findings_have_a_note(sample):
    key = sample.parts[-3]
    found, parsed = preview(sample, ReadOptions(format=key)), BY_KEY[key].read(sample)
    notes = {row.line: row.note for row in found.rows}
    for finding in getattr(parsed, "findings", ()):
        if BY_KEY[key].columns and finding.line in notes:
            assert notes[finding.line]
    if isinstance(parsed, ListedRun | QrelsFile) and getattr(parsed, "nearer", True) and BY_KEY[key].columns:
        used = {*parsed.lines.tolist(), *(line for line, cells in read_rows(found) if cells.get("level") == "0")}
        assert {line for line, _ in read_rows(found)} <= used
        assert all(
            notes[line] == "" or line in {finding.line for finding in parsed.findings} for line in used & set(notes)
        )


def check_matrix(benchmark, ranking, found):
    """Titles, names and numbers are those of the run."""
    rows = np.full(len(ranking.values), -1)
    rows[ranking.rows[ranking.rows >= 0]] = np.flatnonzero(ranking.rows >= 0)
    columns = ranking.columns[:SHOWN_CELLS].tolist()
    titles = [column.title for column in found.columns[1:]]
    ids = benchmark.collection.ids
    assert [title for title, model in zip(titles, columns, strict=True) if model >= 0] == [
        ids[model] for model in columns if model >= 0
    ]
    names = [benchmark.queries.ids[query] if query >= 0 else "no query" for query in rows[:SHOWN_ROWS]]
    assert [row.cells[0] for row in found.rows] == names
    for row, values in zip(found.rows, np.asarray(ranking.values[:SHOWN_ROWS]), strict=True):
        assert list(row.cells[1:]) == [f"{value:.6g}" for value in values[:SHOWN_CELLS].tolist()]


def check_lists(benchmark, ranking, found):
    """Rows are the beginning of the list of their query, and have a note if their model is unknown."""
    meanings = [column.meaning for column in found.columns]
    queries = {**{Path(name).stem: at for at, name in enumerate(benchmark.queries.ids)}, **benchmark.queries.index}
    models = benchmark.collection.index
    lists = {}
    for row in found.rows:
        name = row.cells[meanings.index("query")] if "query" in meanings and row.cells else found.sample.stem
        words = [cell for cell, meaning in zip(row.cells, meanings, strict=False) if meaning == "id"]
        is_unknown = row.note.endswith("is not a model of the collection")
        if name in queries and (not row.note or is_unknown):
            lists.setdefault(queries[name], []).extend((word, is_unknown) for word in words)
    for query, shown in lists.items():
        listed = ranking.items[ranking.rows(query)].tolist()
        known = [models[word] for word, _ in shown if word in models]
        assert {*known} <= {*listed}
        if not ranking.by_score:  # in the order of the lines
            assert known == [item for (word, _), item in zip(shown, listed, strict=False) if word in models]
        if found.format == "rank_list":
            assert [is_unknown for _, is_unknown in shown] == [item < 0 for item in listed[: len(shown)]]


def check_run(benchmark, run, options, found):
    assert found.problem == ""
    directions = [question.chosen for question in found.questions if question.key == "similarity"]
    if isinstance(run.ranking, DistanceMatrix):
        assert directions == [str(run.ranking.similarity).lower()]
        check_matrix(benchmark, run.ranking, found)
    else:
        check_lists(benchmark, run.ranking, found)
    for key in ("columns", "order", "cells"):
        for question in found.questions:
            if question.key == key and getattr(options, key) is not None:
                assert question.chosen == getattr(options, key)


def benchmarks_of(case):
    """The benchmarks of a case: its folder, or those in it."""
    for folder in (case, *sorted(path for path in case.iterdir() if path.is_dir())):
        try:
            yield read_benchmark(folder)
        except (FormatError, IndexError):  # cases that cannot be read yet
            continue


@pytest.mark.parametrize("case", sorted(CASES.glob("*/")), ids=lambda path: path.name)
def test_runs_of_a_case_are_shown_as_they_are_read(case):
    seen = set()
    for benchmark in benchmarks_of(case):
        for run in benchmark.runs:
            if run.source not in seen:
                seen.add(run.source)
                options = configured_options(benchmark, run.source)
                check_run(benchmark, run, options, preview(run.source, options, benchmark))


@pytest.mark.parametrize(
    "options",
    [
        DETECT_ALL,
        *(ReadOptions(order=key) for key in ("classification", "names", "numbers")),
        *(ReadOptions(similarity=value) for value in (True, False)),
        *(ReadOptions(columns=key) for key in ("id", "id distance", "distance id")),
        *(ReadOptions(query_line=value) for value in (True, False)),
    ],
    ids=str,
)
def test_every_option_is_shown_as_it_is_read(options, tmp_path):
    lines = "".join(f"{query},{','.join(order(query))}\n" for query in QUERIES)
    labelled = "\n".join(
        f"{query} {row}" for query, row in zip(QUERIES, matrix_text(distances()).split("\n"), strict=False)
    )
    scores = "".join(f"{query} Q0 {name} {at} {-at} t\n" for query in QUERIES for at, name in enumerate(order(query)))
    runs = {"T.run": scores, "S.csv": lines, "M.npy": npy(distances()), "L.txt": f"x {' '.join(IDS)}\n{labelled}\n"}
    files = {**benchmark_files(), **list_files("runs/A"), **{f"runs/{name}": data for name, data in runs.items()}}
    benchmark = read_benchmark(write(tmp_path, files))
    assert len(benchmark.runs) == 5
    for index, run in enumerate(benchmark.runs):
        found = preview(run.source, options, benchmark)
        try:
            read = reload_run(benchmark, index, read_options=options).run
        except FormatError:
            continue
        check_run(benchmark, read, options, found)


def test_a_folder_of_blocks_is_shown_as_one_matrix(tmp_path):
    values = distances()
    files = {f"runs/A/{part}.npy": npy(values[6 * part : 6 * part + 6]) for part in range(2)}
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), **files}))
    (run,) = benchmark.runs
    found = preview(run.source, DETECT_ALL, benchmark)
    assert (found.format, found.sample, found.summary) == ("matrix_blocks", run.source, "matrix of 12 x 24 numbers")
    check_run(benchmark, run, DETECT_ALL, found)
