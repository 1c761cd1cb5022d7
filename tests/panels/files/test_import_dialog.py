"""Import dialog: interpretation of a file, alternatives, their effect, and writing the manifest."""

import tomllib
from dataclasses import replace
from shutil import copyfile

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QRadioButton, QVBoxLayout, QWidget
from sample_benchmark import write_sample_benchmark
from sessions import open_in, settle

from shrec_viewer.formats.core.decisions import Alternative, Decision
from shrec_viewer.formats.core.reader import PreviewColumn
from shrec_viewer.formats.manifest.project import Project, write_project
from shrec_viewer.formats.preview.preview import Preview
from shrec_viewer.panels.files.findings import FindingsPanel
from shrec_viewer.panels.files.import_dialog import (
    ImportDialog,
    ImportStrip,
    effect_text,
    first_ranks_text,
    open_import_dialog,
    reason_text,
    table_contents,
)
from shrec_viewer.viewmodels.files.import_dialog import ImportEffect
from shrec_viewer.widgets.style.theme import DARK, LIGHT, apply_theme

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def folder(tmp_path):
    return write_sample_benchmark(tmp_path / "sample_benchmark")


@pytest.fixture
def opened(session, folder, qtbot):
    return open_in(session, folder, qtbot)


@pytest.fixture
def parent(qtbot):
    """Parent widget of the dialogs."""
    widget = QWidget()
    widget.setLayout(QVBoxLayout())
    qtbot.addWidget(widget)
    widget.resize(900, 400)
    widget.show()
    qtbot.waitExposed(widget)
    return widget


def looked(dialog, session, qtbot):
    qtbot.waitUntil(lambda: dialog.model.preview is not None)
    settle(session, qtbot)
    return dialog


@pytest.fixture
def dialog(opened, parent, qtbot):
    return looked(open_import_dialog(parent, opened, run=1), opened, qtbot)


def texts(dialog):
    rows = dialog.table
    return [[rows.item(row, place).text() for place in range(rows.columnCount())] for row in range(rows.rowCount())]


def pick(qtbot, field, key):
    """An entry by its data or text, with the keys of a closed combo box, which select immediately."""
    field.setFocus()
    steps = max(field.findData(key), field.findText(key)) - field.currentIndex()
    for _ in range(abs(steps)):
        qtbot.keyClick(field, Qt.Key.Key_Down if steps > 0 else Qt.Key.Key_Up)


def test_preview_shows_the_first_lines_as_interpreted(dialog):
    assert dialog.files.currentText() == "Run A2"
    assert texts(dialog)[0] == ["m5", "0.100000"]
    assert [dialog.table.verticalHeaderItem(row).text() for row in range(2)] == ["1", "2"]
    assert [dialog.table.fields[column].currentText() for column in (0, 1)] == ["Model", "Distance"]
    assert dialog.summary.text().startswith("Rank list of one query – q1: ")
    assert not dialog.write.isEnabled()
    assert not dialog.use.isEnabled()


def test_dialog_is_modeless_and_unique(dialog, parent, opened, qtbot):
    assert not dialog.isModal()
    assert open_import_dialog(parent, opened, run=0) is dialog
    looked(dialog, opened, qtbot)
    assert dialog.files.currentText() == "Run A1"
    assert parent.findChildren(ImportDialog) == [dialog]
    assert QApplication.activeModalWidget() is None


def test_effect_of_an_option_is_shown_immediately(dialog, opened, qtbot):
    mean = opened.mean("queries")[1, opened.scores.column(opened.measure)]
    assert dialog.model.effect.after == pytest.approx(float(mean))
    assert "unchanged" in dialog.effect.summary.text()
    first = [opened.benchmark.collection.ids[item] for item in opened.ranked_list.items]
    assert opened.run.name == "A1"
    assert dialog.model.effect.first[0][0] == "m5"
    assert dialog.model.effect.binary == (tuple(opened.benchmark.assessment.levels) == (1,))
    assert len(first) == 8
    box = dialog.questions.boxes["columns"]
    press(qtbot, box.button("distance id"))
    qtbot.waitUntil(lambda: dialog.model.options.columns == "distance id")
    settle(opened, qtbot)
    assert dialog.questions.boxes["columns"].question.chosen == "distance id"
    assert dialog.model.problem or dialog.model.effect.problem
    assert not dialog.use.isEnabled()
    assert not dialog.write.isEnabled()
    assert dialog.effect.summary.text().startswith("runs/A2: none of its ids is a model of the collection")
    assert dialog.undo.isEnabled()
    qtbot.mouseClick(dialog.undo, LEFT)
    settle(opened, qtbot)
    assert dialog.model.effect.after == pytest.approx(float(mean))
    assert not dialog.undo.isEnabled()


def test_column_field_sets_the_same_option(dialog, opened, qtbot):
    pick(qtbot, dialog.table.fields[0], "Distance")
    settle(opened, qtbot)
    assert dialog.model.options.columns == "distance id"
    pick(qtbot, dialog.table.fields[1], "Ignored")
    settle(opened, qtbot)
    assert dialog.model.options.columns == "id"
    assert dialog.table.fields[1].currentText() == "Ignored"


def test_column_field_works_with_the_keyboard(dialog, opened, qtbot):
    field = dialog.table.fields[1]
    picked = []
    dialog.table.option_picked.connect(picked.append)
    pick(qtbot, field, "Ignored")
    assert picked[-1] == "id"
    settle(opened, qtbot)
    assert dialog.model.options.columns == "id"


def press(qtbot, button):
    """On its indicator: the area to the right of the text does not react."""
    qtbot.mouseClick(button, LEFT, pos=QPoint(8, button.height() // 2))


def matrix(folder, opened=None):
    """A 3 x 8 distance matrix, and a similarity matrix with larger values for the first ranks of A1."""
    near = np.array([[1, 2, 3, 4, 5, 6, 7, 8], [3, 4, 1, 2, 5, 6, 7, 8], [5, 6, 7, 8, 1, 2, 3, 4]], float)
    np.save(folder / "runs/S.npy", 9 - near)
    text = (folder / "benchmark.toml").read_text(encoding="utf-8")
    (folder / "benchmark.toml").write_text(text + '\n[[runs]]\nname = "S"\npath = "runs/S.npy"  # sent late\n')


@pytest.fixture
def doubtful(session, folder, qtbot):
    matrix(folder)
    open_in(session, folder, qtbot)
    return session


def test_applied_interpretation_changes_scores_but_no_file(doubtful, folder, parent, qtbot):
    before = (folder / "benchmark.toml").read_bytes()
    place = [run.name for run in doubtful.benchmark.runs].index("S")
    dialog = looked(open_import_dialog(parent, doubtful, run=place), doubtful, qtbot)
    was = doubtful.benchmark.runs[place].ranking.similarity
    expected = "false" if was else "true"
    press(qtbot, dialog.questions.boxes["similarity"].button(expected))
    settle(doubtful, qtbot)
    assert dialog.model.effect.before != dialog.model.effect.after
    after = dialog.model.effect.after
    qtbot.mouseClick(dialog.use, LEFT)
    qtbot.waitUntil(lambda: doubtful.benchmark.runs[place].ranking.similarity != was)
    settle(doubtful, qtbot)
    column = doubtful.scores.column(doubtful.measure)
    assert doubtful.mean("queries")[place, column] == pytest.approx(after)
    assert (folder / "benchmark.toml").read_bytes() == before


def test_choice_is_written_to_the_manifest_and_reloaded(doubtful, folder, parent, qtbot):
    place = [run.name for run in doubtful.benchmark.runs].index("S")
    dialog = looked(open_import_dialog(parent, doubtful, run=place), doubtful, qtbot)
    was = doubtful.benchmark.runs[place].ranking.similarity
    press(qtbot, dialog.questions.boxes["similarity"].button("false" if was else "true"))
    settle(doubtful, qtbot)
    benchmark = doubtful.benchmark
    qtbot.mouseClick(dialog.write, LEFT)
    qtbot.waitUntil(lambda: doubtful.benchmark is not benchmark)
    settle(doubtful, qtbot)
    text = (folder / "benchmark.toml").read_text(encoding="utf-8")
    entry = next(one for one in tomllib.loads(text)["runs"] if one["path"] == "runs/S.npy")
    assert entry["similarity"] is (not was)
    assert "# sent late" in text
    assert doubtful.benchmark.run("S").ranking.similarity is (not was)
    assert dialog.files.currentText() == "Run S"
    assert dialog.model.options.similarity is (not was)
    assert not dialog.write.isEnabled()
    dialog.model.choose("similarity", "true" if was else "false")
    settle(doubtful, qtbot)
    qtbot.mouseClick(dialog.undo, LEFT)
    settle(doubtful, qtbot)
    assert dialog.model.options.similarity is (not was)


def test_archive_cannot_be_written(session, folder, tmp_path, parent, qtbot):
    import shutil
    from pathlib import Path

    archive = Path(shutil.make_archive(str(tmp_path / "m"), "zip", folder))
    open_in(session, archive, qtbot)
    dialog = looked(open_import_dialog(parent, session, run=1), session, qtbot)
    dialog.model.choose("columns", "id")
    settle(session, qtbot)
    assert not dialog.write.isEnabled()
    assert dialog.write.toolTip().startswith("An archive is open")
    assert dialog.use.isEnabled()


def test_manifest_that_cannot_be_written_shows_an_error(dialog, opened, folder, qtbot):
    dialog.model.choose("columns", "id")
    settle(opened, qtbot)
    (folder / "benchmark.toml").write_text("[[runs]\n", encoding="utf-8")
    qtbot.mouseClick(dialog.write, LEFT)
    settle(opened, qtbot)
    assert "benchmark.toml" in dialog.effect.summary.text()
    assert (folder / "benchmark.toml").read_text(encoding="utf-8") == "[[runs]\n"


def test_other_file_can_be_used_as_ground_truth(opened, folder, parent, qtbot):
    qrels = folder / "other.qrels"
    qrels.write_text("q1 0 m5 1\nq2 0 m5 1\nq3 0 m1 1\n", encoding="utf-8")
    dialog = looked(open_import_dialog(parent, opened, path=qrels), opened, qtbot)
    assert dialog.summary.text().startswith("TREC relevance judgements")
    assert [dialog.role.itemText(place) for place in range(dialog.role.count())] == [
        "Use file as…",
        "Relevance judgements",
    ]
    assert not dialog.write.isEnabled()
    pick(qtbot, dialog.role, "assessment")
    assert dialog.write.isEnabled()
    former = opened.benchmark
    qtbot.mouseClick(dialog.write, LEFT)
    qtbot.waitUntil(lambda: opened.benchmark is not former)
    said = tomllib.loads((folder / "benchmark.toml").read_text(encoding="utf-8"))
    assert said["assessment"]["qrels"] == "other.qrels"


def test_array_can_be_used_as_levels(opened, folder, parent, qtbot):
    levels = np.zeros((len(opened.benchmark.queries), len(opened.benchmark.collection)), np.int8)
    levels[:, 1], levels[0, 2] = 2, -1
    np.savez(folder / "other.npz", levels=levels)
    dialog = looked(open_import_dialog(parent, opened, path=folder / "other.npz"), opened, qtbot)
    pick(qtbot, dialog.role, "assessment")
    assert "relevance assessment" in dialog.effect.summary.text()
    former = opened.benchmark
    qtbot.mouseClick(dialog.write, LEFT)
    qtbot.waitUntil(lambda: opened.benchmark is not former)
    assert tomllib.loads((folder / "benchmark.toml").read_text())["assessment"]["qrels"] == "other.npz"
    found = [opened.benchmark.assessment.gains(query, levels.shape[1]).tolist() for query in range(len(levels))]
    assert found == np.maximum(levels, 0).tolist()


def test_recognised_matrix_can_be_added_as_a_run(opened, folder, tmp_path, parent, qtbot):
    matrix = tmp_path / "extra.npy"
    shape = len(opened.benchmark.queries), len(opened.benchmark.collection)
    np.save(matrix, np.random.default_rng(1).random(shape))
    dialog = looked(open_import_dialog(parent, opened, path=matrix), opened, qtbot)
    assert dialog.summary.text().startswith("Distance matrix")
    assert [dialog.role.itemText(place) for place in range(dialog.role.count())] == ["Use file as…", "Run"]
    assert dialog.effect.summary.text() == "This file is not a run."
    pick(qtbot, dialog.role, "run")
    settle(opened, qtbot)
    shown = dialog.effect.summary.text()
    assert shown.startswith(f"{shape[0]} of {shape[0]} queries have results, 2 queries are common to all runs. "), shown
    assert shown.endswith("Writing benchmark.toml adds this file as a run.")
    assert dialog.write.isEnabled()
    former = opened.benchmark
    qtbot.mouseClick(dialog.write, LEFT)
    qtbot.waitUntil(lambda: opened.benchmark is not former)
    assert "extra" in [run.name for run in opened.benchmark.runs]
    entry = tomllib.loads((folder / "benchmark.toml").read_text(encoding="utf-8"))["runs"][-1]
    assert (entry["path"], entry["format"]) == ("../extra.npy", "matrix")
    settle(opened, qtbot)
    assert dialog.files.currentText() == "Run extra"


@pytest.fixture
def table(opened, tmp_path):
    """A table of no known form: tag, number, query, model, number; the first number is the distance of run A1."""
    rng, ids, run = np.random.default_rng(5), opened.benchmark.collection.ids, opened.benchmark.runs[0].ranking
    path, lines = tmp_path / "unknown.txt", []
    for query, name in enumerate(opened.benchmark.queries.ids):
        items = run.items[run.rows(query)].tolist()
        lines += [f"{rank / 4}|7|{name}|{ids[item]}|{rng.random():.3f}" for rank, item in enumerate(items)]
    path.write_text("\n".join(rng.permutation(lines)) + "\n")
    return path


def test_any_table_is_read_by_choosing_the_role_of_each_column(opened, table, folder, parent, qtbot):
    dialog = looked(open_import_dialog(parent, opened, path=table), opened, qtbot)
    assert [field.currentText() for field in dialog.table.fields.values()] == ["Ignored"] * 5
    assert dialog.role.isHidden()
    assert not dialog.write.isEnabled()
    labels = ["Distance (smaller = more similar)", None, "Query", "Model", None]
    for column, label in enumerate(labels):
        if label is not None:
            assert dialog.model.becomes_run == (column > 3)
            pick(qtbot, dialog.table.fields[column], label)
            settle(opened, qtbot)
    assert dialog.option.text() == "--list-columns=distance,-,query,model,-"
    assert dialog.role.currentText() == "Run"
    mean = opened.mean("queries")[0, opened.scores.column(opened.measure)]
    assert dialog.model.effect.after == pytest.approx(float(mean), abs=1e-15)
    pick(qtbot, dialog.table.fields[0], "Score (larger = more similar)")
    settle(opened, qtbot)
    assert dialog.model.effect.after < float(mean)
    pick(qtbot, dialog.table.fields[4], "Query")  # taken from the third column, which is ignored then
    settle(opened, qtbot)
    assert [field.currentText() for field in dialog.table.fields.values()][2] == "Ignored"
    assert "none of its queries is known" in dialog.effect.summary.text()
    assert not dialog.write.isEnabled()
    for column, label in enumerate(labels):
        if label is not None:
            pick(qtbot, dialog.table.fields[column], label)
            settle(opened, qtbot)
    former = opened.benchmark
    qtbot.mouseClick(dialog.write, LEFT)
    qtbot.waitUntil(lambda: opened.benchmark is not former)
    settle(opened, qtbot)
    entry = tomllib.loads((folder / "benchmark.toml").read_text(encoding="utf-8"))["runs"][-1]
    assert (entry["path"], entry["columns"]) == ("../unknown.txt", "distance,-,query,model,-")
    scores = opened.mean("queries")[:, opened.scores.column(opened.measure)]
    assert scores[opened.scores.run_index("unknown")] == scores[opened.scores.run_index("A1")]
    assert [field.currentText() for field in dialog.table.fields.values()][:3:2] == [labels[0], "Query"]


def choose_columns(dialog, labels, session, qtbot):
    """Labels of the fields above the columns, None for those that stay, by the keyboard."""
    for column, label in enumerate(labels):
        if label is not None:
            pick(qtbot, dialog.table.fields[column], label)
            settle(session, qtbot)


def written(dialog, session, qtbot):
    """The benchmark.toml that a click on the button writes, after the benchmark was read again."""
    former = session.benchmark
    qtbot.mouseClick(dialog.write, LEFT)
    qtbot.waitUntil(lambda: session.benchmark is not former)
    settle(session, qtbot)
    return tomllib.loads((session.benchmark.root / "benchmark.toml").read_text(encoding="utf-8"))


def test_any_table_of_levels_is_read_by_choosing_the_role_of_each_column(opened, folder, parent, qtbot):
    benchmark, path = opened.benchmark, folder / "marks.dat"
    levels = {
        (query, model): 1 + (at % 2)
        for at, query in enumerate(benchmark.queries.ids)
        for model in benchmark.collection.ids[at : at + 3]
    }
    lines = [f"x|{model}|{query}|{level}" for (query, model), level in levels.items()]
    path.write_text("Bemerkung|Fund|Anfrage|Grad\n" + "\n".join(lines) + "\n", encoding="utf-8")
    name, before = opened.run.name, opened.mean("queries")[opened.selection.run, opened.scores.column(opened.measure)]
    dialog = looked(open_import_dialog(parent, opened, path=path), opened, qtbot)
    assert [field.currentText() for field in dialog.table.fields.values()] == ["Ignored"] * 4
    assert not dialog.write.isEnabled()
    choose_columns(dialog, [None, "Model", "Query", "Level"], opened, qtbot)
    assert dialog.role.currentText() == "Relevance judgements"
    assert texts(dialog)[:2] == [
        ["Bemerkung", "Fund", "Anfrage", "Grad", "header"],
        ["x", *lines[0].split("|")[1:], ""],
    ]
    assert dialog.option.text() == f"--assessment={path} --truth-columns=-,model,query,level"
    after, shown = dialog.model.effect.after, dialog.effect.summary.text()
    start = f"3 of 3 queries have relevant models. MADR of {name} {after:.3f}, currently {before:.3f}. "
    assert shown == start + "Writing benchmark.toml makes the levels of this file the relevance assessment."
    said = written(dialog, opened, qtbot)["assessment"]
    assert said == {"qrels": "marks.dat", "columns": "-,model,query,level"}
    assert opened.mean("queries")[opened.selection.run, opened.scores.column(opened.measure)] == pytest.approx(after)
    ids, assessment = opened.benchmark.collection.ids, opened.benchmark.assessment
    found = {
        (query, ids[model]): level
        for at, query in enumerate(opened.benchmark.queries.ids)
        for model, level in zip(*(values.tolist() for values in assessment.relevant(at)), strict=True)
    }
    assert found == levels
    looked(open_import_dialog(parent, opened, run=0), opened, qtbot)
    looked(open_import_dialog(parent, opened, path=path), opened, qtbot)
    labels = ["Ignored", "Model", "Query", "Level"]
    assert [field.currentText() for field in dialog.table.fields.values()] == labels
    assert not dialog.model.is_changed
    choose_columns(dialog, ["Level"], opened, qtbot)  # its cells are no levels
    assert "the level 'x' is not an integer" in dialog.effect.summary.text()
    assert not dialog.write.isEnabled()
    qtbot.mouseClick(dialog.undo, LEFT)
    settle(opened, qtbot)
    assert [field.currentText() for field in dialog.table.fields.values()] == labels


def test_any_tables_of_classes_are_read_by_choosing_the_role_of_each_column(session, tmp_path, parent, qtbot):
    ids, queries = [f"m{at}" for at in range(1, 9)], ["q1", "q2"]
    near = np.array([[1, 2, 3, 4, 5, 6, 7, 8], [1, 5, 6, 7, 8, 2, 3, 4]], float)
    rows = [",".join([query, *map(str, row)]) for query, row in zip(queries, near, strict=True)]
    (tmp_path / "A.csv").write_text("\n".join([",".join(["id", *ids]), *rows]) + "\n")
    (tmp_path / "of_models.dat").write_text("".join(f"k{at // 4}|7|{name}\n" for at, name in enumerate(ids)))
    (tmp_path / "of_queries.dat").write_text("k0|q1\nk1|q2\n")
    opened = open_in(session, tmp_path, qtbot)
    assert opened.benchmark.assessment is None
    dialog = looked(open_import_dialog(parent, opened, path=tmp_path / "of_models.dat"), opened, qtbot)
    choose_columns(dialog, ["Class", None, "Model"], opened, qtbot)
    assert dialog.role.currentText() == "Classes of the collection"
    written(dialog, opened, qtbot)
    looked(open_import_dialog(parent, opened, path=tmp_path / "of_queries.dat"), opened, qtbot)
    choose_columns(dialog, ["Class", "Query"], opened, qtbot)
    assert dialog.role.currentText() == "Classes of the queries"
    said = written(dialog, opened, qtbot)
    assert said["collection"] == {"classification": "of_models.dat", "columns": "class,-,model"}
    assert said["queries"] == {"classification": "of_queries.dat", "columns": "class,query"}
    assert opened.mean("queries")[0, opened.scores.column("AP")] == pytest.approx(
        (1 + (1 / 2 + 2 / 3 + 3 / 4 + 4 / 8) / 4) / 2
    )


@pytest.mark.parametrize(("name", "head"), [("chosen.txt", ""), ("chosen.csv", "id\n")])
def test_list_of_ids_can_be_made_the_queries(name, head, session, folder, tmp_path, parent, qtbot):
    contest = tmp_path / "contest"
    contest.mkdir()
    copyfile(folder / "models.cla", contest / "models.cla")
    np.save(contest / "A.npy", np.random.default_rng(1).random((8, 8)))
    opened = open_in(session, contest, qtbot)
    path = tmp_path / name
    path.write_text(f"{head}m3\nm1\n", encoding="utf-8")
    dialog = looked(open_import_dialog(parent, opened, path=path), opened, qtbot)
    assert [dialog.role.itemText(place) for place in range(dialog.role.count())] == [
        "Use file as…",
        "Queries",
        "Order of matrices",
    ]
    assert not dialog.write.isEnabled()
    qtbot.keyClick(dialog.role, Qt.Key.Key_Down)
    assert dialog.effect.summary.text() == "Writing benchmark.toml makes the ids of this file the queries."
    former = opened.benchmark
    qtbot.mouseClick(dialog.write, LEFT)
    qtbot.waitUntil(lambda: opened.benchmark is not former)
    said = tomllib.loads((contest / "benchmark.toml").read_text(encoding="utf-8"))
    assert said["queries"]["classification"] == f"../{name}"
    assert opened.benchmark.queries.ids == ("m3", "m1")


def test_list_of_ids_can_be_made_the_order_of_matrices(session, folder, tmp_path, parent, qtbot):
    contest = tmp_path / "contest"
    contest.mkdir()
    copyfile(folder / "models.cla", contest / "models.cla")
    ids = ["m5", "m3", "m8", "m1", "m6", "m2", "m7", "m4"]
    place = np.array([int(name[1:]) - 1 for name in ids])
    true = np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0)))  # neighbours in the classification
    np.save(contest / "A.npy", true[np.ix_(place, place)])
    opened = open_in(session, contest, qtbot)
    before = opened.mean("queries")[0, opened.scores.column(opened.measure)]
    path = tmp_path / "order.txt"
    path.write_text("\n".join(ids), encoding="utf-8")
    dialog = looked(open_import_dialog(parent, opened, path=path), opened, qtbot)
    pick(qtbot, dialog.role, "Order of matrices")
    settle(opened, qtbot)
    after = dialog.model.effect.after
    assert after > before == dialog.model.effect.before
    assert dialog.effect.summary.text().endswith("makes this file the order of rows and columns of matrices.")
    assert dialog.option.text() == f"--order={path}"
    former = opened.benchmark
    qtbot.mouseClick(dialog.write, LEFT)
    qtbot.waitUntil(lambda: opened.benchmark is not former)
    settle(opened, qtbot)
    (said,) = tomllib.loads((contest / "benchmark.toml").read_text(encoding="utf-8"))["runs"]
    assert said == {"path": "A.npy", "order": "../order.txt"}
    assert opened.mean("queries")[0, opened.scores.column(opened.measure)] == after
    ranking = opened.benchmark.runs[0].ranking
    at = np.argsort(ranking.columns)
    np.testing.assert_array_equal(np.asarray(ranking.values)[ranking.rows][:, at], true)


def test_list_of_some_queries_takes_precedence_over_their_classes(opened, folder, parent, qtbot):
    path = folder.parent / "chosen.txt"
    path.write_text("q3\nq1\n", encoding="utf-8")
    before = opened.benchmark.assessment
    dialog = looked(open_import_dialog(parent, opened, path=path), opened, qtbot)
    pick(qtbot, dialog.role, "Queries")
    qtbot.mouseClick(dialog.write, LEFT)
    qtbot.waitUntil(lambda: opened.benchmark.queries.ids == ("q3", "q1"))
    for query, former in enumerate((2, 0)):
        now, was = opened.benchmark.assessment.relevant(query), before.relevant(former)
        assert [values.tolist() for values in now] == [values.tolist() for values in was]


def test_one_rank_list_cannot_be_added_as_a_run(opened, folder, parent, qtbot):
    dialog = looked(open_import_dialog(parent, opened, path=folder / "runs/A2/q1"), opened, qtbot)
    assert dialog.model.roles() == ()


def test_another_benchmark_forgets_the_file_and_its_settings(dialog, parent, opened, folder, tmp_path, qtbot):
    dialog.model.choose("columns", "distance id")
    settle(opened, qtbot)
    other = write_sample_benchmark(tmp_path / "other")
    open_in(opened, other, qtbot)
    model = dialog.model
    assert (model.subject, model.preview, model.effect, model.role, model.problem) == (None, None, None, "", "")
    assert not model.is_changed
    assert {subject.path.is_relative_to(other) for subject in model.subjects} == {True}
    looked(open_import_dialog(parent, opened, run=1), opened, qtbot)
    assert model.options.columns is None
    assert model.subject.path == other / "runs/A2"


def test_settings_of_an_open_project_go_to_the_benchmark(session, folder, tmp_path, parent, qtbot):
    (folder / "benchmark.toml").unlink(missing_ok=True)
    path = tmp_path / "mine.shrec"
    write_project(Project(path, folder, "sample"))
    before = path.read_text(encoding="utf-8")
    opened = open_in(session, path, qtbot)
    dialog = looked(open_import_dialog(parent, opened, run=1), opened, qtbot)
    dialog.model.choose("columns", "id distance")
    settle(opened, qtbot)
    former = opened.benchmark
    dialog.model.write()
    qtbot.waitUntil(lambda: opened.benchmark is not former)
    assert path.read_text(encoding="utf-8") == before
    entry = tomllib.loads((folder / "benchmark.toml").read_text(encoding="utf-8"))["runs"][0]
    assert entry["columns"] == "id distance"


PERMUTED = {1: "312654", 2: "142365", 3: "261354", 4: "541263", 5: "465132", 6: "516423"}
"""Lists with equal ids and distances that do not ascend."""


def numbers(folder):
    """A benchmark with numeric ids, and a run with ambiguous columns."""
    (folder / "runs/N").mkdir(parents=True)
    (folder / "n.cla").write_text("PSB 1\n2 6\n\na 0 3\n1\n2\n3\n\nb 0 3\n4\n5\n6\n", encoding="utf-8")
    for query, ids in PERMUTED.items():
        lines = [f"{one} {other}" for one, other in zip(ids, reversed(ids), strict=True)]
        (folder / f"runs/N/{query}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_missing_profile_shows_a_suggestion_that_accepting_removes(session, tmp_path, parent, qtbot):
    folder = numbers(tmp_path / "numbers")
    strip = ImportStrip(session)
    parent.layout().addWidget(strip)
    open_in(session, folder, qtbot)
    qtbot.waitUntil(lambda: strip.isVisible())
    message = strip.current()
    assert message.text.startswith("N: Columns: the columns are ambiguous")
    assert message.action == "Choose…"
    assert QApplication.activeModalWidget() is None
    qtbot.mouseClick(strip._action, LEFT)
    dialog = looked(parent.findChild(ImportDialog), session, qtbot)
    box = dialog.questions.boxes["columns"]
    assert dialog.files.currentText() == "Run N"
    assert not box.question.is_sure
    assert next(iter(dialog.questions.boxes)) == "columns"
    assert not dialog.questions.boxes["similarity"]._warning_icon.isVisible()  # the ranking is the order of the lines
    assert dialog.write.isEnabled()  # the guess can be confirmed
    before = dialog.model.effect.after
    press(qtbot, box.button("distance id"))
    settle(session, qtbot)
    assert dialog.model.effect.after != before
    former = session.benchmark
    qtbot.mouseClick(dialog.write, LEFT)
    qtbot.waitUntil(lambda: session.benchmark is not former)
    settle(session, qtbot)
    qtbot.wait(500)
    settle(session, qtbot)
    said = tomllib.loads((folder / "benchmark.toml").read_text(encoding="utf-8"))
    assert said["runs"] == [{"path": "runs/N", "columns": "distance id"}]
    assert not strip.isVisible()
    assert session.mean("queries")[0, session.scores.column(session.measure)] != before
    session.close()
    assert not dialog.isVisible()


def test_guessed_setting_can_be_confirmed(session, tmp_path, parent, qtbot):
    folder = numbers(tmp_path / "numbers")
    open_in(session, folder, qtbot)
    dialog = looked(open_import_dialog(parent, session, run=0), session, qtbot)
    former = session.benchmark
    qtbot.mouseClick(dialog.write, LEFT)
    qtbot.waitUntil(lambda: session.benchmark is not former)
    settle(session, qtbot)
    said = tomllib.loads((folder / "benchmark.toml").read_text(encoding="utf-8"))
    assert said["runs"] == [{"path": "runs/N", "columns": "id distance"}]
    assert dialog.model.open_questions == ()
    assert not dialog.write.isEnabled()


def test_omitted_run_counts_as_ambiguous(session, folder, parent, qtbot):
    np.save(folder / "runs/W.npy", np.zeros((5, 7)))
    text = (folder / "benchmark.toml").read_text(encoding="utf-8")
    (folder / "benchmark.toml").write_text(text + '\n[[runs]]\npath = "runs/W.npy"\n', encoding="utf-8")
    strip = ImportStrip(session)
    parent.layout().addWidget(strip)
    open_in(session, folder, qtbot)
    qtbot.waitUntil(lambda: strip.isVisible())
    assert strip.current().text.startswith("W.npy: ")
    qtbot.mouseClick(strip._close, LEFT)
    session.reload()
    settle(session, qtbot)
    qtbot.wait(500)
    settle(session, qtbot)
    assert not strip.isVisible()  # dismissed: not shown again for the same folder


def test_unambiguous_folder_shows_no_strip(session, folder, parent, qtbot):
    strip = ImportStrip(session)
    parent.layout().addWidget(strip)
    open_in(session, folder, qtbot)
    qtbot.wait(500)
    settle(session, qtbot)
    assert strip.ambiguous_files == ()
    assert not strip.isVisible()


def test_finding_opens_the_import_settings_of_its_run(opened, parent, qtbot):
    panel = FindingsPanel(opened)
    parent.layout().addWidget(panel)
    row = next(row for row, finding in enumerate(panel.shown) if finding.file == "runs/B1")
    panel.table.selectRow(row)
    qtbot.mouseClick(panel.header.settings, LEFT)
    dialog = parent.window().findChild(ImportDialog)
    looked(dialog, opened, qtbot)
    assert dialog.files.currentText() == "Run B1"


def test_dialog_closes_with_the_benchmark_and_opens_for_the_next(dialog, parent, opened, folder, qtbot):
    opened.close()
    assert not dialog.isVisible()
    open_in(opened, folder, qtbot)
    looked(open_import_dialog(parent, opened, run=2), opened, qtbot)
    assert dialog.files.currentText() == "Run B1"


def test_quick_selections_end_with_the_last_one(dialog, opened, qtbot):
    for option in ("distance id", "id", "id distance", "distance id", "id") * 4:
        dialog.model.choose("columns", option)
    settle(opened, qtbot)
    assert dialog.model.options.columns == "id"
    assert dialog.questions.boxes["columns"].question.chosen == "id"


def test_panel_is_painted_in_both_themes(dialog, qtbot):
    apply_theme(QApplication.instance(), DARK)
    dark = dialog.grab().toImage()
    apply_theme(QApplication.instance(), LIGHT)
    light = dialog.grab().toImage()
    assert dark.pixelColor(5, 5).lightnessF() < 0.3 < 0.8 < light.pixelColor(5, 5).lightnessF()


def test_permuted_matrix_is_settled_by_clicks(session, tmp_path, parent, qtbot):
    """The rows of a self-retrieval matrix in another order: the dialog offers what the finding suggests."""
    names = [f"M{k}" for k in range(12)]
    classes = "".join(f"\nc{k} 0 4\n" + "\n".join(names[4 * k : 4 * k + 4]) + "\n" for k in range(3))
    (tmp_path / "test.cla").write_text(f"PSB 1\n3 12\n{classes}")
    places = np.arange(12) + 10.0 * (np.arange(12) // 4)
    distances = np.abs(places[:, None] - places[None])
    (tmp_path / "runs").mkdir()
    np.save(tmp_path / "runs" / "A.npy", distances[np.roll(np.arange(12), 5)])
    open_in(session, tmp_path, qtbot)
    before = session.scores.mean()
    dialog = looked(open_import_dialog(parent, session, run=0), session, qtbot)
    box = dialog.questions.boxes["queries_by"]
    assert box.question.label == "Query of each row or list"
    assert "the rows are probably shifted by 5 against the columns" in box.question.reason
    assert not any(button.isChecked() for button in box.findChildren(QRadioButton))
    _, nearest = box.findChildren(QRadioButton)
    assert nearest.text() == "The one that is nearest in it"
    assert not dialog.use.isEnabled()
    dialog.questions.parentWidget().parentWidget().ensureWidgetVisible(nearest)
    qtbot.mouseClick(nearest, LEFT, pos=QPoint(8, nearest.height() // 2))
    qtbot.waitUntil(lambda: dialog.model.options.queries_by == "nearest")
    settle(session, qtbot)
    qtbot.waitUntil(lambda: dialog.model.effect is not None)
    assert dialog.model.effect.after > dialog.model.effect.before
    qtbot.waitUntil(dialog.write.isEnabled)
    qtbot.mouseClick(dialog.write, LEFT)
    qtbot.waitUntil(lambda: (tmp_path / "benchmark.toml").is_file())
    settle(session, qtbot)
    assert 'queries_by = "nearest"' in (tmp_path / "benchmark.toml").read_text()
    qtbot.waitUntil(lambda: session.scores is not None and not np.array_equal(session.scores.mean(), before))
    assert not [finding for finding in session.benchmark.findings if finding.severity == "warning"]


def test_column_meanings_come_from_the_options():
    options = tuple(Alternative(key) for key in ("id distance", "distance id", "id"))
    question = Decision("columns", options, "id distance", True)
    columns = (PreviewColumn("id", "Model"), PreviewColumn("distance", "Distance"))
    sample = {"path": None, "sample": None, "format": "rank_list", "label": ""}
    shown = Preview(columns, (), (question,), **sample)
    (first, second), rows = table_contents(shown)
    assert rows == []
    assert (first.choices, first.chosen) == ((("id distance", "Model"), ("distance id", "Distance")), "id distance")
    assert second.choices == (("id distance", "Distance"), ("distance id", "Model"), ("id", "Ignored"))
    assert second.chosen == "id distance"


def test_effect_texts():
    effect = ImportEffect(28, 30, "Q05", (("N1", 2), ("N2", 0)), "AP", 0.25, 0.5)
    assert effect_text(effect) == "28 of 30 queries have results. MAP 0.500, currently 0.250"
    assert first_ranks_text(effect) == "Q05, first results: N1 ●2, N2 ○0"
    plain = ImportEffect(28, 30, "Q05", (("N1", 1), ("N2", 0)), "AP", 0.25, 0.5)
    assert first_ranks_text(plain) == "Q05, first results: N1 ◐1, N2 ○0"
    assert first_ranks_text(replace(plain, binary=True)) == "Q05, first results: N1 ●1, N2 ○0", (
        "as list and legend have it"
    )
    assert first_ranks_text(ImportEffect(0, 1, "Q05")) == "Q05 would have no results"
    assert effect_text(ImportEffect(1, 1)) == "1 of 1 query has results"
    few = ImportEffect(28, 30, n_common=17)
    assert effect_text(few) == "28 of 30 queries have results, 17 queries are common to all runs"


@pytest.mark.parametrize(
    ("reason", "is_sure", "text"),
    [
        ("set explicitly", True, "Set explicitly"),
        ("numbers in ascending order", True, "Interpreted as: numbers in ascending order"),
        ("", True, ""),
        ("", False, "Please choose: not determined by the file"),
    ],
)
def test_reason_of_an_option(reason, is_sure, text):
    assert reason_text(Decision("similarity", (), "", is_sure, reason)) == text
