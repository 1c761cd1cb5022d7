"""No text of the window names an option of the command line: in the source, and in everything that a window shows."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QComboBox, QLabel, QLineEdit, QPlainTextEdit, QWidget
from sessions import settle
from windows import a_window, open_in_window

import shrec_viewer
from shrec_viewer.panels import PERSPECTIVES, all_panels
from shrec_viewer.widgets.controls.controls import ElidingLine

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")

TWO_HYPHENS = re.compile(r"(?<!-)--(?!-)")

SOURCES = Path(shrec_viewer.__file__).parent

COMMAND_BUILDERS = (
    "app/startup/selftest_line.py",
    "panels/export/content.py",
    "panels/export/dialog.py",
    "panels/diagnosis/assessments.py",
    "report/everything.py",
    "content",  # help of the options of `figure` and `table`, which the window does not show
    "formats",  # `Setting.option`, which the window leaves out
)
"""Modules that build command lines for the clipboard, for scripts and for the command ``check``, or read an option."""


@cache
def modules():
    """Names and syntax trees of the modules outside the command line in which two hyphens occur, which are no line."""
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        name, source = path.relative_to(SOURCES).as_posix(), path.read_text(encoding="utf-8")
        if not name.startswith("cli/") and TWO_HYPHENS.search(source):
            found.append((name, ast.parse(source)))
    return found


def options_in(node):
    """Strings with an option below a node, without docstrings."""
    documentation = {id(one.value) for one in ast.walk(node) if isinstance(one, ast.Expr)}
    return [
        one.value
        for one in ast.walk(node)
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in documentation
        if OPTION.search(one.value)
    ]


def test_options_are_named_only_where_command_lines_are_built():
    named = {name: texts for name, tree in modules() if (texts := options_in(tree))}
    assert {name: texts for name, texts in named.items() if not name.startswith(COMMAND_BUILDERS)} == {}
    assert any(name.startswith("formats") for name in named), "the search finds options"


def test_no_error_message_outside_the_command_line_names_an_option():
    raised = [
        (name, text)
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise) and node.exc is not None
        for text in options_in(node.exc)
    ]
    assert raised == []


def texts_of(window):
    """Everything that a window shows, or shows as a tooltip or description."""
    for widget in (window, *window.findChildren(QWidget)):
        yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription(), widget.windowTitle())
        if isinstance(widget, (QLabel, QAbstractButton, ElidingLine)):
            yield widget.text()
        elif isinstance(widget, QLineEdit):
            yield from (widget.text(), widget.placeholderText())
        elif isinstance(widget, QPlainTextEdit):
            yield from (widget.toPlainText(), widget.placeholderText())
        elif isinstance(widget, (QComboBox, QAbstractItemView)) and widget.model() is not None:
            yield from texts_of_model(widget.model())
    for action in window.findChildren(QAction):
        yield from (action.text(), action.toolTip(), action.statusTip(), action.whatsThis())


def texts_of_model(model: QAbstractItemModel):
    roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
    for row in range(min(model.rowCount(QModelIndex()), 60)):
        for column in range(1 if isinstance(model, QAbstractListModel) else model.columnCount(QModelIndex())):
            yield from (str(model.index(row, column).data(role) or "") for role in roles)


def write_ambiguous(folder):
    """Lists of numbers that are ids as well as distances, and a matrix whose columns and direction are guessed."""
    (folder / "N").mkdir(parents=True)
    (folder / "n.cla").write_text("PSB 1\n2 6\n\na 0 3\n1\n3\n5\n\nb 0 3\n2\n4\n6\n")
    for query in range(1, 7):
        ids = [str((query * step) % 7) for step in range(1, 7)]
        lines = [f"{one} {other}" for one, other in zip(ids, reversed(ids), strict=True)]
        (folder / "N" / str(query)).write_text("\n".join(lines) + "\n")
    rows = [[abs(one - other) / 7 + (one * other % 5) / 40 for one in range(6)] for other in range(6)]
    (folder / "d.matrix").write_text("\n".join(" ".join(f"{value:.3f}" for value in row) for row in rows) + "\n")
    qrels = "\n".join(f"{query} 0 {model} {int(query % 2 == model % 2)}" for query in (1, 2) for model in range(1, 7))
    (folder / "second.qrels").write_text(qrels + "\n")
    return folder


def test_no_panel_shows_an_option(qapp, qtbot, tmp_path):
    for window in a_window(qapp, qtbot):
        open_in_window(window, write_ambiguous(tmp_path / "ambiguous"), qtbot)
        options = [one.setting.option for one in window.session.findings if one.setting and one.setting.option]
        assert options, "there are findings with options"
        for perspective in PERSPECTIVES:
            window.workspace.show_perspective(perspective.key)
        for panel in all_panels():
            if panel.area != "centre":
                window.workspace.show_panel(panel.key)
        settle(window.session, qtbot)
        findings = window.workspace.panel("findings")
        for row in range(findings.table.model().rowCount()):  # the details of each finding
            findings.table.setCurrentIndex(findings.table.model().index(row, 0))
            assert [text for text in texts_of(findings) if OPTION.search(text)] == []
        shown = set(texts_of(window))
        assert len(shown) > 300
        assert [text for text in shown if OPTION.search(text)] == []
