"""Lines and summaries that show a shorter text, or fewer lines, where the whole text does not fit."""

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QWidget

from shrec_viewer.widgets.controls.controls import ElidingLine, LeadLabel, SummaryLabel, wrapped_text
from shrec_viewer.widgets.controls.judgement import JudgementButton

LONG = "B2 → B1: ADR −0.053 (−0.114 to −0.013), p = 0.045 (paired randomisation); 3 queries better, 4 equal, 9 worse."


def width_of(widget, text):
    return QFontMetrics(widget.font()).horizontalAdvance(text)


@pytest.fixture
def line(qtbot):
    shown = ElidingLine()
    qtbot.addWidget(shown)
    return shown


@pytest.mark.parametrize("shown", [0, 1, 2])
def test_longest_form_that_fits_is_shown(line, shown):
    forms = ("B2  ·  Q01 chair  ·  ADR 0.921", "B2 · Q01 · 0.921", "B2 · Q01")
    line.setText(*forms)
    line.resize(width_of(line, forms[shown]) + 1, 20)
    assert line.shown_text == forms[shown]
    assert line.text() == forms[0]


def test_last_form_is_elided_and_an_empty_one_is_nothing(line):
    line.setText("B2  ·  Q01 chair", "B2 · Q01")
    line.resize(width_of(line, "B2 · …"), 20)
    assert line.shown_text.startswith("B2")
    assert line.shown_text.endswith("…")
    line.setText("B2  ·  Q01 chair", "")
    assert line.shown_text == ""


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_wrapped_text_has_the_lines_that_fit_and_ends_after_a_word(qtbot, lines):
    label = SummaryLabel()
    qtbot.addWidget(label)
    metrics = label.fontMetrics()
    shown = wrapped_text(LONG, metrics, 240, lines)
    words = shown.removesuffix("…")
    assert LONG.startswith(words)
    assert shown.endswith("…")
    assert LONG[len(words)] in " ,;:"
    longer = wrapped_text(LONG, metrics, 240, lines + 1)
    assert len(longer) > len(shown)
    assert wrapped_text(LONG, metrics, 240, 20) == LONG


def test_summary_has_the_lines_that_the_panel_has_space_for(qtbot):
    panel = QWidget()
    qtbot.addWidget(panel)
    label = SummaryLabel()
    label.setParent(panel)
    label.resize(240, 100)
    line = label.fontMetrics().lineSpacing()
    counts = []
    for lines in (1, 2, 12):
        panel.resize(300, round(2.1 * lines * line))
        label.set_summary(LONG)
        counts.append(round(label.heightForWidth(240) / line))
        assert (label.shown_text == LONG) == (lines == 12)
        assert (LONG in label.toolTip()) == (lines != 12)
    assert counts[:2] == [1, 2]
    assert counts[2] > 2
    assert label.minimumSizeHint().height() <= line + 1, "or the panel could not be made lower"


def test_sentence_that_leads_a_panel_has_shorter_forms(qtbot):
    label, forms = LeadLabel(), ("On Q01, A2 is 0.044 AP below H1: 0.125 → 0.081.", "On Q01, A2 is 0.044 AP below H1.")
    qtbot.addWidget(label)
    label.set_sentence(*forms)
    for form in forms:
        label.resize(width_of(label, form) + 1, 20)
        assert label.shown_text == form
    assert label.toolTip() == forms[0]


def test_judgement_shows_whole_clauses_in_every_width(qtbot):
    button = JudgementButton("1")
    qtbot.addWidget(button)
    effect = "order stays; AP by less than 0.001"
    button.set_texts("marginally relevant · suggested", effect, suggested=True)
    shown = []
    for width in range(400, 100, -10):
        button.resize(width, 44)
        shown.append(button.shown_texts)
    name = "marginally relevant"
    assert shown[0] == (f"{name} · suggested", effect)
    assert shown[-1] == (name, ""), "the name takes both lines"
    titles, effects = {title for title, _ in shown}, {text for _, text in shown}
    assert (titles, effects) == ({f"{name} · suggested", name}, {effect, "order stays", ""})
    assert (name, "order stays") in shown
