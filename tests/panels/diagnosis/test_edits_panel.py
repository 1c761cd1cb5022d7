"""The panel of edits: list, filter, removal, consequences and export."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from shrec_viewer.content.contents import arranged
from shrec_viewer.content.edits import table_of_edits
from shrec_viewer.evaluation.consequences import edit_consequences
from shrec_viewer.evaluation.edits import amended_qrels, edits_as_overrides, read_edits, with_edits
from shrec_viewer.evaluation.evaluate import evaluate, make_checkpoint
from shrec_viewer.panels.diagnosis.edits import EditsPanel


@pytest.fixture
def panel(opened, qtbot):
    panel = EditsPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(1000, 300)
    panel.show()
    return panel


def make_edits(session, number=3):
    for model in session.ranked_list.items[:number].tolist():
        level = int(session.ranked_list.levels[session.ranked_list.items.tolist().index(model)])
        session.edits.set_level(session.selection.query, [model], 0 if level else 2)


def test_without_edits_the_keys_are_named(panel):
    assert not panel.is_empty
    assert panel.table.shown_text.startswith("No edits yet. Keys 0, 1 and 2 ")
    assert not panel.after.isVisible()


def test_edits_are_listed_filtered_and_removed(panel, opened, qtbot, settled):
    make_edits(opened)
    assert not panel.is_empty
    assert panel.model.rowCount() == 3
    name = opened.edits.levels[0].model
    qtbot.keyClicks(panel.filter, name)
    assert panel.model.rowCount() == 1
    assert panel.count.text() == "1 of 3 edits"
    panel.filter.clear()
    panel.table.selectRow(panel.model.row_of(opened.edits.levels[0].pair))
    qtbot.keyClicks(panel.reason, "wrong class")
    qtbot.keyClick(panel.reason, Qt.Key.Key_Return)
    assert opened.edits.levels[0].reason == "wrong class"
    qtbot.mouseClick(panel.undo, Qt.MouseButton.LeftButton)
    assert panel.model.rowCount() == 2
    opened.edits.stack.undo()
    assert panel.model.rowCount() == 3
    settled()


def test_edits_of_qrels_have_no_author_and_time(panel, opened, tmp_path, settled):
    query, models = opened.benchmark.queries.ids[0], opened.benchmark.collection.ids[:2]
    (tmp_path / "edits.txt").write_text("".join(f"{query} 0 {model} 1\n" for model in models))

    def shown_columns():
        columns = range(panel.model.columnCount())
        return [
            panel.model.headerData(i, Qt.Orientation.Horizontal) for i in columns if not panel.table.isColumnHidden(i)
        ]

    everything = shown_columns()
    opened.edits.load_levels(tmp_path / "edits.txt")
    assert shown_columns() == ["Query", "Model", "Old", "New", "Reason"]
    panel.filter.setText("none")
    assert panel.model.rowCount() == 0
    panel.filter.clear()
    make_edits(opened, 1)
    assert shown_columns() == everything
    # Edits without an author are last in both directions, in the window and in files.
    (named,) = (edit for edit in opened.edits.levels if edit.author)
    for order, sort in ((Qt.SortOrder.AscendingOrder, "author"), (Qt.SortOrder.DescendingOrder, "-author")):
        panel.table.sortByColumn(4, order)
        assert panel.model.key(0) == named.pair
        table = arranged(table_of_edits("", opened.edits.levels), sort, "")
        assert table.rows[0][:2] == named.pair
    settled()


def test_consequences_equal_a_comparison_of_both_assessments(panel, opened, settled):
    make_edits(opened, 5)
    settled()
    found = panel.consequences.result
    before = evaluate(with_edits(opened.benchmark, ()), opened.profile, measures=[opened.measure])
    after = evaluate(opened.benchmark, opened.profile, measures=[opened.measure])
    expected = edit_consequences(before, after, opened.measure)
    np.testing.assert_array_equal(found.before, expected.before)
    np.testing.assert_array_equal(found.after, expected.after)
    assert found.conclusions == expected.conclusions
    assert panel.runs_model.rowCount() == len(opened.benchmark.runs)
    opened.edits.remove_levels([edit.pair for edit in opened.edits.levels])
    settled()
    assert panel.consequences.result is None


def test_export(panel, opened, tmp_path, settled):
    make_edits(opened, 2)
    settled()
    content = panel.export()
    texts = {text.suffix: text.make() for text in content.texts}
    assert texts[".qrels"] == amended_qrels(opened.benchmark)
    assert len(texts[".txt"].splitlines()) == 2
    assert "->" in texts[".diff"]
    (tmp_path / "edits.json").write_text(texts[".json"], encoding="utf-8")
    read, findings = read_edits(tmp_path / "edits.json", with_edits(opened.benchmark, ()))
    assert (read, findings) == (opened.edits.levels, ())
    assert texts[".toml"] == edits_as_overrides(opened.benchmark, opened.edits.levels)


def grey_lines(panel):
    """Curves before the edits that a plot shows, by their labels."""
    return {line.label: line for line in panel.references().lines if line.label.endswith("before the edits")}


def test_curves_before_the_edits_stay_in_grey(opened, qtbot, settled):
    from shrec_viewer.evaluation.plots.curves import CurveRequest, compute_curve_set
    from shrec_viewer.panels.plots.curves import GainPanel, PrecisionRecallPanel

    former = opened.scores
    for panel_type in (PrecisionRecallPanel, GainPanel):
        panel = panel_type(opened)
        qtbot.addWidget(panel)
        panel.show()
        settled()
        assert grey_lines(panel) == {}
        run = opened.selection.run
        make_edits(opened, 2)
        settled()
        line = grey_lines(panel)[f"{opened.run.name} before the edits"]
        assert (line.token, line.dash, line.mark) == ("muted", "dot", "before")
        request = CurveRequest(panel.kind, ((run, opened.run.name),), opened.selection.query)
        expected = compute_curve_set(former, request, make_checkpoint(lambda: False)).curves[0]
        np.testing.assert_array_equal(line.x, expected.x)
        np.testing.assert_array_equal(line.y, expected.y)
        assert not np.array_equal(panel.computed.curve_of(run).y, expected.y)
        assert list(grey_lines(panel)) == [line.label], "of the selected run alone"
        assert panel.before.isVisible()
        qtbot.mouseClick(panel.hide_before, Qt.MouseButton.LeftButton)
        assert grey_lines(panel) == {}
        assert not panel.before.isVisible()
        opened.edits.set_level(run, [0], 1)  # another change: it is shown again
        settled()
        assert (list(grey_lines(panel)), panel.before.isVisible()) == ([line.label], True)
        # Another query was not edited: its curves are drawn once.
        opened.select(query=opened.selection.query + 1)
        settled()
        assert grey_lines(panel) == {}
        opened.select(query=opened.selection.query - 1)
        opened.edits.remove_levels([edit.pair for edit in opened.edits.levels])
        settled()
        assert grey_lines(panel) == {}


def test_scores_before_edits_of_a_project_are_computed(opened, settled):
    from dataclasses import replace as with_values

    make_edits(opened, 3)
    settled()
    edited = opened.edits.edited
    opened.edits.remove_levels([edit.pair for edit in opened.edits.levels])
    opened.reload()
    settled()
    opened.edits.restore(with_values(edited, reviewed={}))
    opened.reload()
    settled()
    assert len(opened.edits.levels) == 3
    expected = evaluate(with_edits(opened.benchmark, ()), opened.profile, measures=list(opened.measures))
    np.testing.assert_array_equal(opened.unedited_scores.raw_values, expected.raw_values)


def test_generality_graphs_before_the_edits_stay_in_grey(opened, qtbot, settled):
    from shrec_viewer.evaluation.plots.generality import generality_curves
    from shrec_viewer.panels.plots.generality import FAMILY, GeneralityPanel

    panel, former = GeneralityPanel(opened), opened.scores
    qtbot.addWidget(panel)
    panel.show()
    settled()

    assert grey_lines(panel) == {}
    make_edits(opened, 2)
    settled()
    line = grey_lines(panel)[f"{opened.run.name} before the edits"]
    expected = generality_curves(former, panel.computed.wanted, lambda: None).curves
    (expected,) = (curve for curve in expected if curve.run == opened.selection.run)
    np.testing.assert_array_equal(line.x, expected.x)
    np.testing.assert_array_equal(line.y, expected.y)
    assert (line.token, line.dash, line.mark) == ("muted", "dot", "before")
    panel.select_kind(FAMILY)
    settled()
    assert f"{opened.run.name} before the edits" in grey_lines(panel)
    opened.edits.remove_levels([edit.pair for edit in opened.edits.levels])
    settled()
    assert grey_lines(panel) == {}
