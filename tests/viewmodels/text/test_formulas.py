"""Formulas as rich text: every formula of the tables keeps its characters and has no ASCII notation left."""

import re

import pytest
from PySide6.QtGui import QTextCharFormat, QTextDocument

from shrec_viewer.metrics import MEASURES
from shrec_viewer.viewmodels.text.formulas import formula_html, formula_text

FORMULAS = sorted({row.formula for m in MEASURES for row in (m, *m.variants)})


def fragments(html):
    """Texts with their vertical alignment."""
    document = QTextDocument()
    document.setHtml(html)
    block, found = document.begin(), []
    while block.isValid():
        found += [(one.fragment().text(), one.fragment().charFormat().verticalAlignment()) for one in block]
        block = block.next()
    return found


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_ascii_notation_is_left(qapp, formula):
    for text in (formula_text(formula), "".join(text for text, _ in fragments(formula_html(formula)))):
        assert not re.search(r"sum_|_\{|<=|>=|\w_\w| - ", text)
        assert text.count("∑") == formula.count("sum_")
        for word in re.findall(r"[A-Z]{2,}|\d+\.\d+", formula):
            assert word in text


def test_indices_are_below_and_powers_above(qapp):
    below, above = QTextCharFormat.VerticalAlignment.AlignSubScript, QTextCharFormat.VerticalAlignment.AlignSuperScript
    found = fragments(formula_html("G[i] = 2^level - 1; q = min(Va, 2Cr); sum_{p_k<=K} k / p_k; log2(i)"))
    assert [text for text, alignment in found if alignment == above] == ["level"]
    assert "".join(text for text, alignment in found if alignment == below) == "arpk≤Kk2"


def test_a_formula_is_never_interpreted(qapp):
    assert "".join(text for text, _ in fragments(formula_html("a < b & <i>c</i>_x"))) == "a < b & <i>c</i>_x"
