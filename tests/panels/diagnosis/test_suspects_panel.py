"""The panel of suspects: queue, review with real keys, progress, blind review and a second assessor."""

import pytest
from planted_levels import plant_levels
from PySide6.QtCore import Qt
from sessions import settle

from shrec_viewer.evaluation.edits import level_of, original_assessment
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts
from shrec_viewer.panels.diagnosis.suspects import SuspectsPanel
from shrec_viewer.widgets.tables.record_table import MARK_ROLE


@pytest.fixture
def with_pairs(session, sample_benchmark, qtbot):
    """The sample benchmark with an assessment of pairs."""
    session.open(sample_benchmark, BenchmarkParts(assessment=plant_levels(sample_benchmark)))
    settle(session, qtbot)
    return session


def shown_panel(session, qtbot):
    panel = SuspectsPanel(session)
    qtbot.addWidget(panel)
    panel.resize(1000, 320)
    panel.show()
    settle(session, qtbot)
    return panel


def headers(panel):
    return [panel.model.headerData(column, Qt.Orientation.Horizontal) for column in range(panel.model.columnCount())]


def test_labels_are_reviewed_with_keys(opened, qtbot):
    panel = shown_panel(opened, qtbot)
    queue = panel.computation.result
    assert queue.by == "model"
    assert panel.model.rowCount() == len(queue.suspects) > 2
    first = opened.review.current
    assert first == queue.suspects[0]
    assert headers(panel)[1:4] == ["Model", "Class", "Suggested"]  # labels have no query
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_1)
    name = queue.benchmark.collection.ids[first.model]
    assert opened.edits.edited.reviewed == {("", name): 1}
    assert opened.edits.levels
    assert all(edit.reason == "review of suspects" for edit in opened.edits.levels)
    assert opened.review.current == queue.suspects[1]
    qtbot.keyClick(panel.table, Qt.Key.Key_Space)
    assert len(opened.edits.edited.reviewed) == 2
    assert panel.progress.text() == f"2 of {len(queue.suspects)} reviewed"
    settle(opened, qtbot)
    assert panel.computation.result is queue  # edits do not change the order of the review
    opened.edits.stack.undo()
    opened.edits.stack.undo()
    assert opened.edits.edited.reviewed == {}
    assert opened.edits.levels == ()
    settle(opened, qtbot)


def test_pairs_are_reviewed_with_keys(with_pairs, qtbot):
    session = with_pairs
    panel = shown_panel(session, qtbot)
    assert panel.computation.result.by == "pair"
    assert headers(panel)[1:5] == ["Query", "Model", "Level", "Suggested"]
    panel.table.setFocus()
    for key, level in ((Qt.Key.Key_0, 0), (Qt.Key.Key_1, 1), (Qt.Key.Key_2, 2), (Qt.Key.Key_Space, None)):
        suspect = session.review.current
        qtbot.keyClick(panel.table, key)
        expected = suspect.current if level is None else level
        pair = session.benchmark.queries.ids[suspect.query], session.benchmark.collection.ids[suspect.model]
        assert session.edits.edited.reviewed[pair] == expected
        assert level_of(session.benchmark, suspect.query, suspect.model) == expected
    settle(session, qtbot)
    for (query, model), edit in session.edits.edited.levels.items():
        original = original_assessment(session.benchmark)
        gains = original.gains(session.benchmark.queries.index[query], len(session.benchmark.collection))
        assert edit.former == gains[session.benchmark.collection.index[model]] != edit.level


def test_a_blind_review_in_random_order(opened, qtbot):
    panel = shown_panel(opened, qtbot)
    assert panel.shown_scope()[0] == f"{len(opened.benchmark.runs)} runs"
    in_order = panel.model.keys
    panel.set_option("random", True)
    shuffled = panel.model.keys
    assert sorted(shuffled) == sorted(in_order)
    assert shuffled != in_order
    panel.set_option("blind", True)
    hidden = [panel.table.isColumnHidden(column) for column in range(panel.model.columnCount())]
    assert [header for header, is_hidden in zip(headers(panel), hidden, strict=True) if not is_hidden] == [
        "No.",
        "Model",
        "Decision",
    ]
    assert opened.review.options.blind
    assert panel.options.state() == {"random": True, "blind": True}
    panel.set_option("random", False)
    assert panel.model.keys == in_order


def test_a_second_assessor_is_compared(with_pairs, qtbot, tmp_path):
    session = with_pairs
    panel = shown_panel(session, qtbot)
    for level in (0, 1, 0, 1):
        session.review.decide(level)
    path = tmp_path / "mine.qrels"
    (decisions,) = panel.export().texts
    path.write_text(decisions.make())
    lines = path.read_text().splitlines()
    assert len(lines) == 4
    changed = [f"{lines[0].rpartition(' ')[0]} 1", *lines[1:]]
    (tmp_path / "theirs.qrels").write_text("\n".join(changed) + "\n")
    messages = []
    session.message.connect(lambda *parts: messages.append(parts))
    panel.compare_with(tmp_path / "theirs.qrels")
    assert "4 pairs assessed by both, 1 differs;" in panel.agreement.text()
    assert "κ 0.500" in panel.agreement.text()
    assert "0 and 1" in messages[-1][2]


def test_a_second_assessor_of_labels_is_compared(opened, qtbot, tmp_path):
    panel, messages = shown_panel(opened, qtbot), []
    queue, ids = panel.computation.result, opened.benchmark.collection.ids
    names = opened.benchmark.classification.names
    opened.message.connect(lambda *parts: messages.append(parts))
    for decision in (0, 1, 1):
        opened.review.decide(decision)
    (decisions,) = panel.export().texts
    lines = decisions.make().splitlines()
    chosen = [(queue.suspects[0].current), *(suspect.suggested for suspect in queue.suspects[1:3])]
    assert lines == [f"{ids[s.model]}\t{names[c]}" for s, c in zip(queue.suspects, chosen, strict=False)]
    first = queue.suspects[0]
    theirs = [f"{ids[first.model]}\t{names[first.suggested]}", *lines[1:], "no model\tno class", "damaged"]
    (tmp_path / "theirs.tsv").write_text("\n".join(theirs) + "\n")
    panel.compare_with(tmp_path / "theirs.tsv")
    assert "3 labels assessed by both, 1 differs;" in panel.agreement.text()
    assert "weighted" not in panel.agreement.text()
    details = messages[-1][2]
    assert f"{ids[first.model]}: {names[first.current]} and {names[first.suggested]}" in details
    assert "theirs.tsv:4" in details
    assert "theirs.tsv:5" in details


def test_a_file_without_decisions_about_labels_is_an_error(opened, qtbot, tmp_path):
    panel, failed = shown_panel(opened, qtbot), []
    opened.failed.connect(lambda *parts: failed.append(parts))
    (tmp_path / "theirs.tsv").write_text("Q01 0 M001 1\n")
    panel.compare_with(tmp_path / "theirs.tsv")
    assert "theirs.tsv" in failed[0][0]
    assert panel.agreement.text() == ""


def test_a_narrow_queue_shows_both_pictures_levels_and_decisions_of_a_pair(with_pairs, qtbot):
    """Rows keep their height and place when a picture arrives; only what is in sight or next is requested."""
    session = with_pairs
    panel = shown_panel(session, qtbot)
    panel.resize(300, 400)
    table, queue = panel.table, panel.computation.result
    shown = [header for column, header in enumerate(headers(panel)) if not table.isColumnHidden(column)]
    assert shown == ["Model"]
    assert not table.horizontalHeader().isVisible()
    first = queue.suspects[0]
    mark = table.model().index(0, 2).data(MARK_ROLE)
    benchmark = queue.benchmark
    assert mark.pictures == (benchmark.queries.paths[first.query], benchmark.collection.paths[first.model])
    assert mark.levels == (first.current, first.suggested)
    assert mark.line.split()[0] == benchmark.queries.ids[first.query]
    requested = {path for path in mark.pictures if path is not None}
    heights = [table.rowHeight(row) for row in range(panel.model.rowCount())]
    qtbot.waitUntil(lambda: all(session.thumbnails.is_known(path) for path in requested), timeout=30_000)
    assert [table.rowHeight(row) for row in range(panel.model.rowCount())] == heights
    session.review.decide(1)
    assert table.model().index(0, 2).data(MARK_ROLE).decision == "✓ 1"
    assert not table.horizontalHeader().isVisible(), "the rows were replaced"
    panel.set_option("blind", True)
    blind = table.model().index(0, 2).data(MARK_ROLE)
    assert (blind.levels, blind.pictures) == ((), mark.pictures)
    menu = [action.text() for action in panel._order.actions()]
    assert menu == ["No.", "Query", "Model", "Decision"]
    panel.set_option("blind", False)
    by_model = next(action for action in panel._order.actions() if action.text() == "Model")
    for reverse in (False, True):
        by_model.trigger()
        names = [row[2] for row in panel.model.table.rows]
        assert names == sorted(names, reverse=reverse)
    settle(session, qtbot)
