"""Published scores in the table of runs: rows below the runs, differences, undo, projects, reload."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in, settle

from shrec_viewer.content.contents import build_table
from shrec_viewer.formats.manifest.edit_state import EditState
from shrec_viewer.formats.manifest.project import read_project
from shrec_viewer.panels.export.content import NoCommandError, benchmark_arguments
from shrec_viewer.panels.scores.score_tables import LeaderboardPanel
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.session.project import merge_edits, restore, save, snapshot
from shrec_viewer.viewmodels.tasks.tasks import Task

ROLES = ("difference", "virtual", "dash", "value")


@pytest.fixture
def session(qapp, qtbot, tmp_path):
    for session in a_session():
        yield open_in(session, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)


@pytest.fixture
def panel(session, show):
    session.select(means=True)
    return show(LeaderboardPanel(session))


@pytest.fixture
def table(session, tmp_path):
    """The mean AP of A1 as printed, a wrong one of B1, and a method without a run, better than all."""
    column = session.scores.column("AP")
    mean = session.mean("queries")[0, column]
    path = tmp_path / "published.csv"
    path.write_text(f"Run,MAP\nA1,{mean:.3f}\nB1,0.123\nDaras,99.9 %\n")
    return path


def names(panel):
    model = panel.model
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def role(panel, row, column, name):
    numbers = {bytes(key).decode(): number for number, key in panel.model.roleNames().items()}
    return panel.model.index(row, column).data(numbers[name])


def test_rows_below_the_runs(session, panel, table):
    session.edits.add_published(table)
    assert names(panel) == ["A1", "A2", "B1", "A1 (published.csv)", "B1 (published.csv)", "Daras (published.csv)"]
    column = panel.model.column_of("AP")
    assert [role(panel, row, column, "difference") for row in (0, 3, 5)] == [None, "=", ""]
    assert role(panel, 4, column, "difference").startswith("−")
    assert role(panel, 5, column, "value") == pytest.approx(0.999)
    assert [role(panel, row, 0, "virtual") for row in (0, 3)] == [False, True]
    assert role(panel, 3, 0, "dash") is None
    tip = panel.model.index(3, column).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.endswith("equal to the computed value to the printed digits")
    assert "from the computed value" in panel.model.index(4, column).data(Qt.ItemDataRole.AccessibleTextRole)
    other = panel.model.column_of("ADR")
    assert panel.model.index(3, other).data() == "–"
    assert panel.table.tsv().count("published.csv") == 3


def test_values_have_the_decimals_of_the_file(session, panel, tmp_path):
    """In the cells as they are painted and copied by people; shares of three decimals beside them stay."""
    path = tmp_path / "long.csv"
    path.write_text("Run,MAP,First tier\nA1,0.1234567,12.5 %\n")
    session.edits.add_published(path)
    row = names(panel).index("A1 (long.csv)")
    columns = [panel.model.column_of(key) for key in ("AP", "FT")]
    order = panel.table.model()
    shown = [index for number in range(order.rowCount()) if (index := order.index(number, 0)).data() == "A1 (long.csv)"]
    assert [order.text(shown[0].siblingAtColumn(column)) for column in columns] == ["0.1234567", "0.125"]
    assert [panel.model.index(row, column).data() for column in columns] == ["0.1234567", "0.125"]
    assert len(role(panel, row, columns[0], "difference").partition(".")[2]) == 7
    assert order.text(order.index(0, columns[0])).partition(".")[2].isdigit()
    panel.set_option("percent", True)
    assert [order.text(shown[0].siblingAtColumn(column)) for column in columns] == ["0.1234567", "12.5 %"]


def test_the_best_value_is_that_of_a_run(session, panel, table):
    column = panel.model.column_of("AP")
    before = panel.table._order.column_info(column).best
    session.edits.add_published(table)
    assert panel.table._order.column_info(column).best == before != ""


def test_one_query_has_no_published_scores(session, panel, table):
    session.edits.add_published(table)
    session.select(means=False)
    assert len(names(panel)) == 3
    session.select(means=True)
    assert len(names(panel)) == 6


def test_a_published_row_selects_no_run(session, panel, table, qtbot):
    session.edits.add_published(table)
    session.select(run=1)
    column = panel.model.column_of("AP")
    order = panel.table._order
    for row in (3, 5):
        index = order.mapFromSource(panel.model.index(row, column))
        qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=panel.table.visualRect(index).center())
        assert session.selection.run == 1
        assert session.measure == "AP"
        qtbot.keyClick(panel.table, Qt.Key.Key_Space)
    assert session.selection.visible_runs == (0, 1, 2)
    hovered = []
    session.cursor_state.run_hovered.connect(hovered.append)
    for row in (0, 3, 5, -1):
        panel._hover_run(row)
    assert [run for run in hovered if run is not None] == [0]


def test_undo_findings_and_the_menu(session, panel, table, qtbot):
    messages = []
    session.message.connect(lambda *said: messages.append(said[:2]))
    session.edits.add_published(table)
    assert messages == [("info", "Published scores of 3 runs by AP; without a run here: Daras")]
    assert any("published scores of 3 runs by AP" in str(finding) for finding in session.findings)
    session.edits.stack.undo()
    assert len(names(panel)) == 3
    assert not any("published" in str(finding) for finding in session.findings)
    session.edits.stack.redo()
    menu = QMenu()
    panel._fill_context_menu(menu, 3)
    (remove,) = menu.actions()
    assert remove.text() == "Remove the scores of published.csv"
    remove.trigger()
    assert len(names(panel)) == 3


def test_what_cannot_be_read_is_a_message(session, panel, tmp_path):
    path = tmp_path / "wrong.csv"
    path.write_text("Run,Votes\nA1,\n")
    failures, messages = [], []
    session.failed.connect(lambda text, _: failures.append(text))
    session.message.connect(lambda *said: messages.append(said))
    session.edits.add_published(path)
    assert "The published scores cannot be read" in failures[0]
    assert "contains no column of scores" in failures[0]
    path.write_text("Run,Votes\nA1,3\n")
    session.edits.add_published(path)
    assert messages[0][0] == "warning"
    assert "named after no measure" in messages[0][2]
    assert len(names(panel)) == 3  # no row has a value of a measure


def test_a_project_keeps_them(session, panel, table, tmp_path):
    session.edits.add_published(table)
    table.unlink()
    project = tmp_path / "p.shrec"
    save(snapshot(session, project, {}), "", None, Task())
    session.edits.restore(EditState())
    assert len(names(panel)) == 3
    restore(session, read_project(project))
    assert len(names(panel)) == 6
    kept = session.edits.edited
    assert merge_edits(EditState(), kept, EditState()).published == kept.published
    assert merge_edits(kept, EditState(), kept).published == ()


def test_export_has_the_rows_too(session, panel, table):
    session.edits.add_published(table)
    request = panel.request()
    assert sorted(request.runs) == ["A1", "A2", "B1"]
    rows = [row[0] for row in build_table(content_data(session), request).rows]
    assert sorted(rows) == sorted(names(panel))


def test_no_command_names_an_added_table(session, panel, table):
    assert benchmark_arguments(session)
    session.edits.add_published(table)
    with pytest.raises(NoCommandError, match="published scores were added or removed: save the project"):
        benchmark_arguments(session)


def test_a_declared_table_is_read_again_when_it_changes(session, panel, tmp_path, qtbot):
    folder = session.path
    (folder / "published.csv").write_text("Run,MAP\nA1,0.5\n")
    manifest = folder / "benchmark.toml"
    manifest.write_text(manifest.read_text().replace("[benchmark]\n", '[benchmark]\npublished = "published.csv"\n'))
    session.reload()
    settle(session, qtbot)
    assert names(panel)[3:] == ["A1 (published.csv)"]
    menu = QMenu()
    panel._fill_context_menu(menu, 3)
    assert not menu.actions()[0].isEnabled()
    assert folder / "published.csv" in session.benchmark.sources
    (folder / "published.csv").write_text("Run,MAP\nA1,0.5\nDaras,0.6\n")
    session.reload()
    settle(session, qtbot)
    assert names(panel)[3:] == ["A1 (published.csv)", "Daras (published.csv)"]
