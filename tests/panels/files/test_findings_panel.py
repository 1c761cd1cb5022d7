"""Findings panel by mouse and keys: order, filters, opening files, copying and export."""

import csv
import gzip
import io
import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu
from sample_benchmark import write_sample_benchmark
from sessions import open_in, settle

from shrec_viewer.content.edits import table_of_findings
from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.metrics import with_convention
from shrec_viewer.panels import PANELS
from shrec_viewer.panels.export.panel_export import PanelExport
from shrec_viewer.panels.files.findings import FileExcerptDialog, FindingsPanel
from shrec_viewer.report.tables.formats import table_bytes
from shrec_viewer.viewmodels.files.finding_location import CONTEXT_LINES, MAX_LINE_LENGTH, locate_finding, read_excerpt
from shrec_viewer.viewmodels.files.findings import findings_table
from shrec_viewer.viewmodels.files.participant_findings import participant_text
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.widgets.style.theme import DARK, LIGHT, apply_theme
from shrec_viewer.widgets.tables.record_table import MARK_ROLE, RecordTableModel

SHREC06 = Path(__file__).parents[3] / "../shared/data/shrec06"
LEFT = Qt.MouseButton.LeftButton

ODD = {
    "A1/q1": "m1 0.1\nm2 0.2\nm3 0.3\nm9 0.4\nm4 0.5\n",
    "A2/q2": "m8 0.1\nm7 0.2\nm8 0.3\nm3 0.4\n",
}
"""An unknown model in line 4 of a list, and a duplicate in line 3."""


@pytest.fixture
def folder(tmp_path):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    for name, text in ODD.items():
        (folder / "runs" / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def opened(session, folder, qtbot):
    return open_in(session, folder, qtbot)


def shown(session, qtbot, size=(1000, 320)):
    panel = FindingsPanel(session)
    qtbot.addWidget(panel)
    panel.resize(*size)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


@pytest.fixture
def panel(opened, qtbot):
    return shown(opened, qtbot)


def column(panel, place):
    return [panel.model.index(row, place).data() for row in range(panel.model.rowCount())]


def row_of(panel, words):
    return next(row for row, text in enumerate(column(panel, 2)) if words in text)


def click(qtbot, panel, row, *, twice=False):
    at = panel.table.visualRect(panel.model.index(row, 2)).center()
    qtbot.mouseClick(panel.table.viewport(), LEFT, pos=at)
    if twice:
        qtbot.mouseDClick(panel.table.viewport(), LEFT, pos=at)


def open_place(qtbot, panel):
    def opened():
        return [one for one in panel.window().findChildren(FileExcerptDialog) if one.isVisible()]

    qtbot.waitUntil(lambda: len(opened()) == 1)
    (dialog,) = opened()
    qtbot.waitUntil(lambda: dialog.note.text() != "Reading…")
    return dialog


def marked_text(lines):
    (selection,) = lines.extraSelections()
    return selection.cursor.block().text()


def test_errors_are_first_and_equal_severities_in_reading_order(panel, opened):
    order = panel.shown
    assert len(order) == len(opened.findings)
    assert [finding.severity.rank for finding in order] == sorted(finding.severity.rank for finding in order)
    for severity in Severity:
        assert [one for one in order if one.severity is severity] == [
            one for one in opened.findings if one.severity is severity
        ]


def test_the_first_finding_is_selected_and_its_details_shown(panel, opened):
    first = panel.shown[0]
    assert panel.current == first
    assert panel.table.selected_rows() == [0]
    assert panel.details.message.text().casefold().startswith(first.message.casefold())


def test_a_row_has_two_lines_with_place_and_action_in_the_second(panel):
    row = row_of(panel, "unknown id 'm9'")
    cell = panel.model.index(row, 2)
    mark = cell.data(MARK_ROLE)
    assert (mark.icon, mark.note) == ("warning", f"runs/A1/q1:4 · {panel.shown[row].action_with_lines}")
    rect, line = panel.table.visualRect(cell), panel.table.fontMetrics().height()
    assert rect.height() >= 2 * line + 8
    assert rect.width() == panel.table.viewport().width()
    image = panel.table.viewport().grab(rect).toImage()
    middle = image.height() // 2
    for first, last in ((0, middle), (middle, image.height())):
        assert len({image.pixel(x, y) for x in range(40, 300) for y in range(first, last)}) > 5, "no text in this half"


def test_findings_of_a_submission_are_copied_for_its_participant(panel, opened, qtbot):
    click(qtbot, panel, row_of(panel, "unknown id 'm9'"))
    qtbot.mouseClick(panel.header.participant, LEFT)
    text = QGuiApplication.clipboard().text()
    assert text.startswith("Menagerie: submission of Ada\n\nThank you for your submission.\n\nPlease correct this")
    lines = text.split("\n")
    (at,) = [number for number, line in enumerate(lines) if "unknown id 'm9'" in line]
    assert re.fullmatch(r"\d\. runs/A1/q1, line 4: unknown id 'm9' at rank 4\.", lines[at])
    assert lines[at + 1] == "   In the evaluation so far: removed before ranking, so that later models move up."
    assert lines.index("Please check this; if it is not intended, correct it and send the files again:") < at
    of_ada = [one for one in opened.findings if one.file.startswith(("runs/A1", "runs/A2")) and one.severity != "info"]
    assert len(re.findall(r"^\d+\. ", text, re.MULTILINE)) == len(of_ada) > 2
    assert "runs/B1" not in text
    assert not any(word in text for word in ("benchmark.toml", "--"))


def test_places_in_a_submission_are_below_its_own_folder():
    """The folders of the organiser do not concern the participant."""
    found = [Finding(Severity.ERROR, "/contest/inbox/team.zip/A1/q1", 4, "no number", "the line is ignored")]
    text = participant_text("Contest", "Ada", found, [Path("/contest/inbox/team.zip")])
    assert "1. team.zip/A1/q1, line 4: no number.\n" in text


def test_a_flawless_submission_is_said_to_be_so():
    note = Finding(Severity.INFO, "runs/A1", None, "5 lists", "")
    assert participant_text("Contest", "Ada", [note]).endswith("All files were read without errors or warnings.\n")


def test_severity_buttons_count_and_filter(panel, opened, qtbot):
    counts = Counter(finding.severity for finding in opened.findings)
    switches = panel.header.switches
    assert switches[Severity.WARNING].text() == f"{counts[Severity.WARNING]} warnings"
    assert switches[Severity.ERROR].text() == "2 errors"  # a list of A1 and one of A2 are shorter than the others
    qtbot.mouseClick(switches[Severity.INFO], LEFT)
    qtbot.mouseClick(switches[Severity.ERROR], LEFT)
    assert set(column(panel, 0)) == {"warning"}
    assert panel.header.shown.text() == f"{counts[Severity.WARNING]} of {len(opened.findings)} shown"
    qtbot.mouseClick(switches[Severity.INFO], LEFT)
    qtbot.mouseClick(switches[Severity.ERROR], LEFT)
    assert panel.model.rowCount() == len(opened.findings)
    assert panel.header.shown.text() == ""


def test_filter_keeps_the_selection(panel, qtbot):
    row = row_of(panel, "unknown id 'm9'")
    click(qtbot, panel, row)
    panel.header.field.setFocus()
    qtbot.keyClicks(panel.header.field, "M9 a1")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1)
    assert column(panel, 1) == ["runs/A1/q1:4"]
    assert panel.table.currentIndex().row() == 0
    qtbot.keyClicks(panel.header.field, " nowhere")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 0)
    panel.header.field.clear()
    qtbot.waitUntil(lambda: panel.model.rowCount() > 1)
    assert panel.table.currentIndex().row() == row


def test_double_click_opens_the_file_at_the_line(panel, folder, qtbot):
    click(qtbot, panel, row_of(panel, "unknown id 'm9'"), twice=True)
    window = open_place(qtbot, panel)
    assert window.windowTitle() == "q1:4"
    assert window.lines.marked == 4
    assert marked_text(window.lines) == "m9 0.4"
    assert window.lines.textCursor().blockNumber() == 3
    assert "unknown id 'm9'" in window.summary.text()
    assert window.lines.isReadOnly()
    assert window.lines.toPlainText() == (folder / "runs/A1/q1").read_text(encoding="utf-8").rstrip("\n")
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()


def test_enter_opens_the_file_in_the_same_window(panel, qtbot):
    panel.table.setFocus()
    panel.table.selectRow(row_of(panel, "unknown id 'm9'"))
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    first = open_place(qtbot, panel)
    panel.table.selectRow(row_of(panel, "is a duplicate: ranks 1"))
    qtbot.keyClick(panel.table, Qt.Key.Key_Enter)
    assert open_place(qtbot, panel) is first
    qtbot.waitUntil(lambda: marked_text(first.lines) == "m8 0.3")
    assert len([one for one in QApplication.topLevelWidgets() if one is first]) == 1


def test_location_can_be_opened_in_the_default_application(panel, folder, qtbot, monkeypatch):
    opened_urls = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: bool(opened_urls.append(url)))
    click(qtbot, panel, row_of(panel, "unknown id 'm9'"), twice=True)
    window = open_place(qtbot, panel)
    qtbot.mouseClick(window.open_externally, LEFT)
    assert opened_urls == [QUrl.fromLocalFile(str(folder / "runs/A1/q1"))]
    assert window.note.text() == "No application is associated with this file type"


def test_excerpt_of_a_folder_is_its_listing_and_binary_files_are_named_so(panel, qtbot, folder):
    click(qtbot, panel, row_of(panel, "1 query has no list"), twice=True)
    window = open_place(qtbot, panel)
    assert window.lines.toPlainText() == "q1\nq2"
    assert window.lines.first is None
    (folder / "H.npy").write_bytes(b"\x93NUMPY\0\1\2\3" * 20)
    window.show_lines(folder / "H.npy", None, "matrix")
    qtbot.waitUntil(lambda: window.error_page.isVisible())


def test_deleted_file_shows_a_message(panel, opened, folder, qtbot):
    (folder / "runs/A1/q1").unlink()
    with qtbot.waitSignal(opened.failed) as reported:
        click(qtbot, panel, row_of(panel, "unknown id 'm9'"), twice=True)
    assert reported.args[0] == "'runs/A1/q1' no longer exists"
    assert not panel.details.open.isEnabled()


def test_menu_selects_run_and_query(panel, opened, qtbot):
    click(qtbot, panel, row_of(panel, "is a duplicate: ranks 1"))
    assert panel.details.go_to.text() == "Go to A2, q2"
    qtbot.mouseClick(panel.details.go_to, LEFT)
    assert (opened.run.name, opened.benchmark.queries.ids[opened.selection.query]) == ("A2", "q2")
    click(qtbot, panel, row_of(panel, "1 query has no list"))
    assert panel.details.go_to.text() == "Go to B1"
    click(qtbot, panel, row_of(panel, "classification of"))
    assert not panel.details.go_to.isVisible()


def test_details_contain_the_full_text(panel, qtbot):
    click(qtbot, panel, row_of(panel, "unknown id 'm9'"))
    details = panel.details
    assert details.severity_label.text() == "Warning"
    assert details.location.text() == "runs/A1/q1:4"
    assert details.message.text().startswith("Unknown id 'm9' at rank 4")
    assert details.action.text().startswith("Removed before ranking")


def test_ctrl_c_copies_rows_tab_separated(panel, qtbot):
    clipboard = QGuiApplication.clipboard()
    clipboard.setText("")
    panel.table.setFocus()
    panel.table.selectRow(0)
    qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    rows = [line.split("\t") for line in clipboard.text().split("\n")]
    assert len(rows) == 2
    assert rows[0] == ["Severity", "Where", "Finding", "Action"]
    assert rows[1] == [panel.model.index(0, place).data() for place in range(4)]
    qtbot.keyClick(panel.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.mouseClick(panel.header.copy, LEFT)
    assert len(clipboard.text().split("\n")) == panel.model.rowCount() + 1


def test_visible_findings_are_exported(panel, opened, tmp_path, qtbot):
    row = next(row for row in PANELS if row.key == "findings")
    export = PanelExport(opened, row, panel)
    qtbot.mouseClick(panel.header.switches[Severity.INFO], LEFT)
    qtbot.mouseClick(panel.header.export, LEFT)
    target = tmp_path / "out.csv"
    export.dialog.save(target)
    settle(opened, qtbot)
    kept = [one for severity in ("error", "warning") for one in opened.findings if one.severity == severity]
    rows = list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8"))))
    assert [(row["file"], row["message"]) for row in rows] == [(one.file, one.message) for one in kept]
    export.dialog.reject()


def test_context_menu_of_a_row_has_the_same_actions(panel, qtbot, monkeypatch):
    monkeypatch.setattr(
        QMenu, "popup", lambda menu, at: None
    )  # it would grab the keyboard, which the offscreen platform does not support
    row = row_of(panel, "is a duplicate: ranks 1")
    click(qtbot, panel, row)
    panel.table.customContextMenuRequested.emit(panel.table.visualRect(panel.model.index(row, 2)).center())
    menu = panel.findChild(QMenu)
    texts = [action.text() for action in menu.actions() if action.text()]
    assert texts == [
        "Show in file",
        "Go to A2, q2",
        "Import settings…",
        "Copy findings as text",
        "Copy findings for the participant",
    ]
    menu.close()


def test_reloaded_run_replaces_its_findings(panel, opened, folder, qtbot):
    before = panel.model.total
    (folder / "runs/A1/q1").write_text("m1 0.1\nm2 0.2\n", encoding="utf-8")
    opened.reload_runs({0})
    qtbot.waitUntil(lambda: panel.model.total != before)
    assert not any("unknown id 'm9'" in text for text in column(panel, 2))


def test_queries_that_the_conventions_exclude_are_a_finding(panel, opened, qtbot):
    """The finding appears with the scores of the convention, and goes with it."""
    words = "of classes of fewer than 99 models"
    assert not any(words in finding.message for finding in opened.findings)
    opened.set_conventions(with_convention(opened.profile, "min_class_size", 99))
    settle(opened, qtbot)
    row = row_of(panel, words)
    text = panel.model.index(row, 2).data()
    assert text.startswith(f"{len(opened.benchmark.queries)} queries {words}: ")
    assert panel.model.index(row, 3).data() == f"excluded from the means by {opened.profile.title}"
    opened.set_conventions(opened.profile.changed_from)
    settle(opened, qtbot)
    assert not any(words in finding.message for finding in opened.findings)
    assert all(words not in panel.model.index(row, 2).data() for row in range(panel.model.rowCount()))


def test_marks_have_different_colours_in_light_and_dark(panel, qtbot):
    apply_theme(QApplication.instance(), DARK)
    dark = panel.table.grab().toImage()
    apply_theme(QApplication.instance(), LIGHT)
    assert panel.table.grab().toImage() != dark


def test_of_10000_models_only_visible_ones_request_thumbnails(session, folder, qtbot, monkeypatch):
    open_in(session, folder, qtbot)
    kinds = (Severity.INFO, Severity.WARNING, Severity.ERROR)
    many = tuple(
        Finding(kinds[n % 3], f"runs/A1/q{n % 300}", n, f"unknown id 'm{n}' at rank {n % 77}", "left out", 1 + n % 4)
        for n in range(10_000)
    )
    read, counts, data = [], {}, RecordTableModel.data

    def counted(self, index, *role):
        read.append(index.row())
        return data(self, index, *role)

    monkeypatch.setattr(RecordTableModel, "data", counted)
    panel = shown(session, qtbot)
    changed = replace(session.document, benchmark=replace(session.benchmark, findings=many))
    for name, act in (
        ("show", lambda: session.apply(changed)),
        ("sort", lambda: panel.table.sortByColumn(1, Qt.SortOrder.DescendingOrder)),
        ("filter", lambda: panel.model.set_filter("rank 7 m9")),
        ("unfilter", lambda: panel.model.set_filter("")),
        ("scroll", lambda: panel.table.scrollToBottom()),
    ):
        read.clear()
        act()
        QApplication.processEvents()
        counts[name] = len(read)
    assert panel.model.rowCount() == 10_000
    assert all(0 < count < 1000 for count in counts.values()), counts


@pytest.mark.skipif(not SHREC06.exists(), reason="shared data is absent")
def test_findings_of_k2_open_at_their_lines(session, qtbot):
    open_in(session, SHREC06, qtbot)
    benchmark = session.benchmark
    expected = {"Q05": "N9999", "Q03": "N0095", "Q11": "nan", "Q14": "N0343", "Q26": ""}
    for finding in benchmark.findings:
        query = finding.file.removeprefix("runs/K2/")
        if query not in expected or finding.file == query:
            continue
        place = locate_finding(benchmark, finding)
        assert benchmark.runs[place.run].name == "K2"
        assert benchmark.queries.ids[place.query] == query
        found = read_excerpt(place.path, place.line, Task())
        assert expected.pop(query) in found.lines[found.mark - found.first]
    assert expected == {}


def test_finding_in_an_archive_opens_the_extracted_file(session, folder, tmp_path, qtbot):
    shutil.make_archive(str(folder / "runs/A1"), "zip", folder / "runs", "A1")
    shutil.rmtree(folder / "runs/A1")
    text = (folder / "benchmark.toml").read_text(encoding="utf-8").replace('"runs/A1"', '"runs/A1.zip"')
    (folder / "benchmark.toml").write_text(text, encoding="utf-8")
    open_in(session, folder, qtbot)
    finding = next(one for one in session.findings if "m9" in one.message)
    place = locate_finding(session.benchmark, finding)
    assert place.path.read_text(encoding="utf-8") == ODD["A1/q1"]


def test_only_lines_near_the_finding_are_read_of_a_long_file(tmp_path):
    path = tmp_path / "long.run.gz"
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.writelines(f"line {n} {'x' * (5000 if n == 20_000 else 1)}\n" for n in range(1, 60_001))
    found = read_excerpt(path, 20_000, Task())
    assert (found.first, len(found.lines), found.mark) == (20_000 - CONTEXT_LINES, 2 * CONTEXT_LINES + 1, 20_000)
    marked = found.lines[found.mark - found.first]
    assert marked.startswith("line 20000 xxx")
    assert len(marked) < MAX_LINE_LENGTH + 40
    assert found.note == "Lines 19,000 to 21,000"
    beyond = read_excerpt(path, 99_999, Task())
    assert beyond.mark is None
    assert "no longer has a line 99,999" in beyond.note
    with pytest.raises(FormatError, match="does not exist"):
        read_excerpt(tmp_path / "absent", 1, Task())


def test_csv_has_the_fields_of_the_check_command():
    finding = Finding(Severity.WARNING, "runs/a,b", 3, 'says "x"\nand y', "left out", 2)
    text = table_bytes(table_of_findings("n", [finding]), "csv").decode()
    assert next(csv.DictReader(io.StringIO(text))) == {
        "severity": "warning",
        "file": "runs/a,b",
        "line": "3",
        "count": "2",
        "message": 'says "x"\nand y',
        "action": "left out",
    }
    model = RecordTableModel()
    model.set_table(findings_table([finding]))
    assert len(model.copied().split("\n")) == 2


def test_narrow_dock_shows_short_texts_and_details_below(opened, qtbot):
    panel = shown(opened, qtbot, (900, 320))
    switch = panel.header.switches[Severity.WARNING]
    full = switch.text()
    assert panel.details.x() > panel.table.geometry().right()
    panel.resize(panel.minimumSizeHint().width(), 500)
    QApplication.processEvents()
    assert panel.width() < 500
    assert full.startswith(f"{switch.text()} ")
    assert switch.accessibleName() == full
    assert panel.details.y() > panel.table.geometry().bottom()
    assert panel.header.export.geometry().right() <= panel.width()
