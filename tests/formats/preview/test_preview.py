"""What the import dialog shows: lines as they are understood, and what each other choice would give."""

from pathlib import Path

import numpy as np
import pytest
from made_folders import IDS, NATURAL, benchmark_files, cla, distances, list_files, matrix_text, npy, write
from test_every_reader import BY_KEY, SAMPLES

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.core.reader import COLUMN_MEANINGS
from shrec_viewer.formats.discovery.benchmark import read_benchmark, reload_run
from shrec_viewer.formats.discovery.reader_table import READERS
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.preview.preview import preview


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path, benchmark_files())


def question_of(found, key):
    return next(question for question in found.questions if question.key == key)


def option(found, key, choice):
    return next(option for option in question_of(found, key).alternatives if option.key == choice)


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*/good/*")), ids=lambda path: f"{path.parts[-3]}-{path.name}")
def test_every_good_sample_is_previewed_in_its_format(sample):
    key = sample.parts[-3]
    found = preview(sample, ReadOptions(format=key))
    assert found.problem == ""
    assert (found.format, found.label) == (key, BY_KEY[key].label)
    assert found.summary
    assert found.rows
    assert all(column.meaning in COLUMN_MEANINGS for column in found.columns)
    assert all(len(row.cells) <= len(found.columns) for row in found.rows)
    assert [option.key for option in question_of(found, "format").alternatives] == [reader.key for reader in READERS]
    assert option(found, "format", key).is_available


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*/bad/*")), ids=lambda path: f"{path.parts[-3]}-{path.name}")
def test_every_bad_sample_has_a_problem_and_lines(sample):
    found = preview(sample, ReadOptions(format=sample.parts[-3]))
    assert found.problem.startswith(str(sample))
    assert found.summary == found.problem
    assert not option(found, "format", sample.parts[-3]).is_available


def test_rank_list_with_all_anomalies(folder):
    lines = ["Q1", "N3 0.5", "", "# by hand", "N77 0.75", "N4 0.8 x", "N5 0.9"]
    write(folder, {"runs/A/Q1": "\n".join(lines) + "\n", **list_files("runs/A", queries=("Q2", "Q3"))})
    benchmark = read_benchmark(folder)
    found = preview(folder / "runs/A", DETECT_ALL, benchmark)
    assert found.sample == folder / "runs/A/Q1"
    assert [column.meaning for column in found.columns] == ["id", "distance"]
    assert [(row.line, row.note) for row in found.rows] == [
        (1, "the query's name"),
        (2, ""),
        (3, "blank line"),
        (4, "comment"),
        (5, "'N77' is not a model of the collection"),
        (6, "ignored: neither an id nor an id and its distance"),
        (7, ""),
    ]
    assert question_of(found, "columns").chosen == "id distance"
    assert question_of(found, "columns").is_sure
    assert option(found, "columns", "id distance").outcome == "50 of 51 ids are models of the collection"
    assert option(found, "columns", "distance id").outcome == "0 of 51 ids are models of the collection"
    turned = preview(folder / "runs/A", DETECT_ALL.with_option("columns", "distance id"), benchmark)
    assert [column.meaning for column in turned.columns] == ["distance", "id"]
    assert turned.rows[1].note == "'0.5' is not a model of the collection"
    only = preview(folder / "runs/A", ReadOptions(columns="id"), benchmark)
    assert [column.meaning for column in only.columns] == ["id", "ignored"]
    assert [question.key for question in only.questions] == ["columns"]


def test_lists_of_similarities(folder):
    write(folder, {"runs/A/Q1": "N3 9.5\nN4 8.5\nN5 1\n", "runs/A/Q2": "N3 9.5\nN4 8.5\nN5 1\n"})
    found = preview(folder / "runs/A")
    assert question_of(found, "similarity").chosen == "true"
    assert question_of(found, "similarity").reason == "numbers in descending order"
    assert found.columns[1].title == "Similarity"


def test_ambiguous_matrix_with_outcome_of_each_option(folder):
    write(folder, {"M.txt": matrix_text(distances(columns=IDS))})
    benchmark = read_benchmark(folder)
    found = preview(folder / "M.txt", DETECT_ALL, benchmark)
    assert found.summary == "matrix of 12 x 24 numbers"
    assert [column.title for column in found.columns] == ["Query (not in the file)", *IDS[:12]]
    assert found.rows[0].cells == ("Q1", *(f"{value:.6f}".rstrip("0") for value in distances(columns=IDS)[0, :12]))
    order, direction = question_of(found, "order"), question_of(found, "similarity")
    assert (order.chosen, order.is_sure, direction.chosen, direction.is_sure) == ("classification", True, "false", True)
    shares = {key: float(option(found, "order", key).outcome.split("models: ")[1].split("%")[0]) for key in
              ("classification", "names")}  # fmt: skip
    assert shares["classification"] < 35 < shares["names"]
    assert "mean relative rank of relevant models" in option(found, "similarity", "true").outcome
    named = preview(folder / "M.txt", ReadOptions(order="names"), benchmark)
    assert [column.title for column in named.columns[1:]] == list(NATURAL[:12])
    assert question_of(named, "order").chosen == "names"


def test_preview_agrees_with_reading(folder):
    write(folder, {"M.npy": npy(-distances(columns=IDS))})
    benchmark = read_benchmark(folder)
    for choice in (
        DETECT_ALL,
        ReadOptions(order="names"),
        ReadOptions(similarity=True),
        ReadOptions(similarity=True, order="numbers"),
    ):
        found = preview(folder / "M.npy", choice, benchmark)
        ranking = reload_run(benchmark, 0, read_options=choice).run.ranking
        assert question_of(found, "similarity").chosen == str(ranking.similarity).lower()
        titles = [benchmark.collection.ids[item] for item in ranking.columns[:12]]
        assert [column.title for column in found.columns[1:]] == titles


def test_matrix_of_wrong_shape_is_a_problem_with_lines(folder):
    write(folder, {"runs/good.txt": matrix_text(distances()), "runs/bad.txt": matrix_text(np.ones((5, 7)))})
    found = preview(folder / "runs/bad.txt", DETECT_ALL, read_benchmark(folder))
    assert "holds 35 numbers" in found.problem or "5 x 7" in found.problem
    assert found.rows[0].cells[0].startswith("1.000000")


def test_problem_of_a_run_names_the_path_as_it_is_given(folder, tmp_path, monkeypatch):
    write(tmp_path / "elsewhere", {"B.npy": npy(np.ones((3, 5)))})
    benchmark = read_benchmark(folder)
    monkeypatch.chdir(tmp_path / "elsewhere")
    found = preview(Path("B.npy"), DETECT_ALL, benchmark)
    assert found.problem.startswith("B.npy: a matrix of 3 x 5, but ")


def test_large_text_is_previewed_by_its_first_lines(folder, monkeypatch):
    for module in ("preview.preview", "matrices.text_matrix", "io.progress"):
        monkeypatch.setattr(f"shrec_viewer.formats.{module}.LARGE_TEXT_BYTES", 100)
    write(folder, {"M.txt": matrix_text(distances())})
    benchmark = read_benchmark(folder)
    found = preview(folder / "M.txt", DETECT_ALL, benchmark)
    assert found.summary == "Large file: only the first lines were inspected."
    assert found.rows[0].cells[0] == f"{distances()[0, 0]:.6g}"
    cache = ParseCache(folder / "cache")
    read_benchmark(folder, cache=cache)
    assert preview(folder / "M.txt", DETECT_ALL, benchmark, cache=cache).summary == "matrix of 12 x 24 numbers"


def test_the_reader_gets_the_first_lines_of_a_large_file(folder, monkeypatch):
    monkeypatch.setattr("shrec_viewer.formats.preview.preview.LARGE_TEXT_BYTES", 100)
    monkeypatch.setattr("shrec_viewer.formats.preview.preview.MAX_SHOWN_BYTES", 200)
    trec = "".join(f"Q1 Q0 N{number} {number} {-number} t\n" for number in range(1, 25))
    json = '{"Q1": ["N1", "N2"],\n' + ",\n".join(f'"Q{number}": ["N1", "N2"]' for number in range(2, 13)) + "}"
    lists = "Query;1;2;3;4\n" + "".join(f"Q{number};N1;N2;N3;N99\n" for number in range(1, 25))
    write(folder, {"T.run": trec + "Q1 Q0\n", "J.json": json, "S.csv": lists})
    found = {name: preview(folder / name, DETECT_ALL, read_benchmark(folder)) for name in ("T.run", "J.json", "S.csv")}
    assert {shown.summary for shown in found.values()} == {"Large file: only the first lines were inspected."}
    assert {shown.problem for shown in found.values()} == {""}
    assert [column.meaning for column in found["T.run"].columns][:3] == ["query", "ignored", "id"]
    assert [row.cells[2] for row in found["T.run"].rows] == [f"N{number}" for number in range(1, 12)]
    assert [column.meaning for column in found["J.json"].columns] == ["text"]  # half of a document cannot be read
    assert found["J.json"].rows[0].cells == ('{"Q1": ["N1", "N2"],',)
    notes = [row.note for row in found["S.csv"].rows]
    assert notes[0] == "header"
    assert set(notes[1:]) == {"'N99' is not a model of the collection"}


def test_trec_run_with_malformed_lines(folder):
    write(folder, {"T.run": "Q1 Q0 N3 1 0.5 t\nQ99 Q0 N4 2 0.4 t\nQ1 Q0 N99 3 0.3 t\nQ1 Q0\n"})
    found = preview(folder / "T.run", DETECT_ALL, read_benchmark(folder))
    assert [column.meaning for column in found.columns] == ["query", "ignored", "id", "rank", "score", "ignored"]
    assert [row.note for row in found.rows] == [
        "",
        "'Q99' is not a query",
        "'N99' is not a model of the collection",
        "ignored: 6 columns are expected, found 2",
    ]
    assert question_of(found, "similarity").chosen == "true"
    assert question_of(preview(folder / "T.run", ReadOptions(similarity=False)), "similarity").chosen == "false"


def test_unrecognised_file(tmp_path):
    (tmp_path / "notes").write_text("This is a note and it has no meaning here.\n")
    found = preview(tmp_path / "notes")
    assert (found.format, found.summary) == ("", "unknown format")
    assert found.rows[0].cells == ("This is a note and it has no meaning here.",)
    (tmp_path / "raw").write_bytes(bytes(range(256)) * 3)
    assert preview(tmp_path / "raw").rows == ()


@pytest.mark.parametrize("path", ["absent", "."])
def test_unreadable_path_is_an_error(tmp_path, path):
    with pytest.raises(FormatError):
        preview(tmp_path / path)


def test_real_runs(shrec06):
    benchmark = read_benchmark(shrec06)
    for run in benchmark.runs:
        found = preview(run.source, DETECT_ALL, benchmark)
        assert found.problem == ""
        assert all(row.note in ("", "the query's name") for row in found.rows)
        assert all(question.is_sure for question in found.questions)


@pytest.fixture(scope="module")
def shrec06():
    path = Path(__file__).parents[3] / "../shared/data/shrec06"
    if not path.is_dir():
        pytest.skip("shrec06 is not there")
    return path


def test_file_removed_during_listing_is_ignored(folder, monkeypatch):
    write(folder, list_files("runs/A"))
    run, stat = folder / "runs/A", Path.stat
    before = preview(run)
    (run / "0 half written").write_text("N1 0.5")

    def gone(path, **options):
        if path.name == "0 half written":
            path.unlink(missing_ok=True)
        return stat(path, **options)

    monkeypatch.setattr(Path, "stat", gone)
    assert preview(run) == before


def test_reasons_for_the_direction_are_true_for_similarities(folder):
    write(folder, {"M.npy": npy(-distances(columns=IDS))})
    benchmark = read_benchmark(folder)
    as_distances = question_of(preview(folder / "M.npy", ReadOptions(order="classification"), benchmark), "similarity")
    assert (as_distances.chosen, as_distances.is_sure) == ("false", False)
    assert as_distances.reason == "relevant models rank worse than by chance; they rank better in another reading"
    options = ReadOptions(order="classification", similarity=True)
    found = preview(folder / "M.npy", options, benchmark)
    assert question_of(found, "similarity").is_sure
    shares = [option(found, "similarity", key).outcome for key in ("false", "true")]
    values = [float(share.split(": ")[1].rstrip("%")) for share in shares]
    assert values[1] < 35 < 65 < values[0]
    assert values[0] + values[1] == pytest.approx(100, abs=0.11)


def test_reason_for_similarities_is_the_rank_of_relevant_models_as_similarities(tmp_path):
    labels = np.repeat(np.arange(4), 6)
    near = 0.5 * (labels[:, None] == labels) + np.random.default_rng(3).random((24, 24)) * 0.4 + np.eye(24)
    write(tmp_path, {"c.cla": cla(), "M.npy": npy(near)})
    benchmark = read_benchmark(tmp_path)
    found = preview(tmp_path / "M.npy", DETECT_ALL, benchmark)
    question = question_of(found, "similarity")
    assert (question.chosen, question.is_sure) == ("true", True)
    assert question.reason == option(found, "similarity", "true").outcome
    assert float(question.reason.split(": ")[1].rstrip("%")) < 35


def test_matrix_read_as_similarities_by_its_diagonal_has_that_reason(tmp_path):
    random = np.random.default_rng(3).random((24, 24))
    write(tmp_path, {"c.cla": cla(), "M.npy": npy(random * 0.5 + np.eye(24))})
    benchmark = read_benchmark(tmp_path)
    assert benchmark.runs[0].ranking.similarity
    question = question_of(preview(tmp_path / "M.npy", DETECT_ALL, benchmark), "similarity")
    assert question.chosen == "true"
    assert question.reason == "every model has the largest value in its own row"


def test_reason_of_an_order_counts_the_orders_that_fit(tmp_path):
    ids = [f"m{number}" for number in range(1, 7)]  # the order of the classification, of the names and of the numbers
    classes = "PSB 1\n2 6\n\na 0 3\n" + "\n".join(ids[:3]) + "\n\nb 0 3\n" + "\n".join(ids[3:]) + "\n"
    matrix = np.abs(np.subtract.outer(np.arange(6), np.arange(6))).astype(np.float32)
    write(tmp_path, {"t.cla": classes})
    np.save(tmp_path / "M.npy", matrix)
    order = question_of(preview(tmp_path / "M.npy", DETECT_ALL, read_benchmark(tmp_path)), "order")
    assert [option.is_available for option in order.alternatives] == [True] * 4
    assert order.reason == "the readings that fit are the same"


def test_reason_of_an_order_that_the_labels_contradict(tmp_path):
    """Two models with the labels of each other: the order of the classification fits these better."""
    classes, rows = np.repeat(np.arange(4), 30), np.repeat(np.arange(4), 6)
    ids = list(range(120))
    for one, other in ((2, 40), (35, 70), (66, 100), (95, 10)):
        ids[one], ids[other] = ids[other], ids[one]
    texts = {}
    for name, members in (("models", ids), ("queries", [f"q{n}" for n in range(24)])):
        size = len(members) // 4
        texts[f"{name}.cla"] = f"PSB 1\n4 {len(members)}\n" + "".join(
            f"\nc{c} 0 {size}\n" + "".join(f"{member}\n" for member in members[c * size : (c + 1) * size])
            for c in range(4)
        )
    write(tmp_path, texts)
    np.save(tmp_path / "M.npy", (rows[:, None] != classes) * 0.5 + np.random.default_rng(3).random((24, 120)))
    order = question_of(preview(tmp_path / "M.npy", DETECT_ALL, read_benchmark(tmp_path)), "order")
    assert order.chosen == "names"
    assert order.reason == "the ids are the numbers of the columns"
