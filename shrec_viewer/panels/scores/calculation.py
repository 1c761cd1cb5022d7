"""Panel that shows how a score is calculated: formula, values, ranks used and definition."""

from html import escape

from PySide6.QtCore import QUrl, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QTextBrowser, QVBoxLayout

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.calculation import ScoreCalculation
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.number_format import format_fixed, format_formula
from shrec_viewer.panels.panel.panel_widget import BasePanel, missing_scores_reason
from shrec_viewer.viewmodels.scores.calculation import CalculationModel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import level_name
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme

VALUE_DECIMALS = 6
"""Decimals of the number explained, so that its working can be checked."""

MAX_RANKS = 200
"""Ranks listed one by one; the list marks all of them."""

MAX_QUERIES = 100
"""Queries listed of a mean; the table by query has all."""

DIRECTION_TEXT = {"higher": "higher is better", "lower": "lower is better", "none": "neither end is better"}


def calculation_html(found: ScoreCalculation, benchmark: Benchmark, shown: RankedList | None, theme: Theme) -> str:
    """HTML of the page; ranks link to ``rank:12``, queries to ``query:Q07``.

    Parameters
    ----------
    shown : the list that the ranks belong to; None where it is not on the screen.
    """
    parts = [_value_html(found, theme), _formula_html(found, theme)]
    if found.note:
        parts.append(f'<p style="color:{theme.warning}">{escape(found.note)}</p>')
    if found.parts:
        parts.append(_queries_html(found, theme))
    elif found.calculation_steps is not None and found.calculation_steps.ranks:
        parts.append(_ranks_html(found, benchmark, shown, theme))
    parts.append(_definition_html(found, theme))
    return f'<div style="color:{theme.ink}">{"".join(parts)}</div>'


def format_value(value: float) -> str:
    """A value in six places; a count as it is.

    Examples
    --------
    >>> number(0.4123456), number(17.0), number(float("nan"))
    ('0.412346', '17', 'undefined')
    """
    if value != value:
        return "undefined"
    return format_fixed(value, 0 if value == round(value) and abs(value) >= 2 else VALUE_DECIMALS)


def _value_html(found: ScoreCalculation, theme: Theme) -> str:
    of = (
        f"{escape(found.run)}, {escape(found.query)}" if found.query else f"{escape(found.run)}, mean over {found.over}"
    )
    reach = ""
    if found.ceiling == found.ceiling and found.ceiling != float("inf") and found.query:
        reach = f' <span style="color:{theme.muted}">of at most {found.ceiling:.4g}</span>'
    key = escape(found.measure.key)
    return (
        f'<p style="color:{theme.muted}; margin:0">{escape(found.measure.label)} · {of}</p>'
        f'<p style="font-size:x-large; margin:0"><b>{key} = {format_value(found.value)}</b>{reach}</p>'
    )


def _formula_html(found: ScoreCalculation, theme: Theme) -> str:
    lines = [escape(format_formula(found.formula))]
    if found.calculation_steps is not None and found.calculation_steps.shown:
        lines.append(f"= {escape(format_formula(found.calculation_steps.shown))}")
        lines.append(f"= {format_value(found.calculation_steps.total)}")
    text = "<br>".join(lines)
    rows = ""
    if found.calculation_steps is not None and found.calculation_steps.symbols:
        cells = (
            f'<tr><td style="padding-right:{2 * SPACE}px"><b>{escape(letter)}</b></td>'
            f'<td style="padding-right:{3 * SPACE}px; color:{theme.muted}">{escape(meaning)}</td>'
            f'<td align="right">{escape(value)}</td></tr>'
            for letter, meaning, value in found.calculation_steps.symbols
        )
        rows = f"<table cellspacing=0>{''.join(cells)}</table>"
    box = f'<table width="100%" cellpadding={2 * SPACE} bgcolor="{theme.hover}"><tr><td>{text}</td></tr></table>'
    return f"<p></p>{box}<p></p>{rows}"


def _ranks_html(found: ScoreCalculation, benchmark: Benchmark, shown: RankedList | None, theme: Theme) -> str:
    calculation_steps = found.calculation_steps
    assert calculation_steps is not None
    adds = bool(calculation_steps.shares)
    pad = f'style="padding-right:{3 * SPACE}px"'
    names = "".join(f"<th align=left {pad}>{name}</th>" for name in ("rank", "model", "level"))
    header = f"{names}<th align=right>adds</th>" if adds else names
    rows = [f'<tr style="color:{theme.muted}">{header}</tr>']
    levels = benchmark.assessment.levels if benchmark.assessment is not None else ()
    for place, rank in enumerate(calculation_steps.ranks[:MAX_RANKS]):
        name = level = ""
        if shown is not None and rank <= len(shown):
            item = int(shown.items[rank - 1])
            name = benchmark.collection.ids[item] if item >= 0 else ""
            level = level_name(int(shown.levels[rank - 1]), levels)
        share = f"<td align=right>{format_value(calculation_steps.shares[place])}</td>" if adds else ""
        rows.append(
            f'<tr><td {pad}><a href="rank:{rank}" style="color:{theme.accent}">{rank:,}</a></td>'
            f"<td {pad}>{escape(name)}</td><td {pad}>{escape(level)}</td>{share}</tr>"
        )
    more = len(calculation_steps.ranks) - MAX_RANKS
    tail = f"<p>… and {more:,} more, marked in the list</p>" if more > 0 else ""
    return f"<p><b>Ranks used</b></p><table cellspacing=0>{''.join(rows)}</table>{tail}"


def _queries_html(found: ScoreCalculation, theme: Theme) -> str:
    pad = f'style="padding-right:{4 * SPACE}px"'
    rows = [
        f"<tr><td {pad}>{_query_link(found, name, theme)}</td><td align=right>{format_value(value)}</td></tr>"
        for name, value in found.parts[:MAX_QUERIES]
    ]
    more = len(found.parts) - MAX_QUERIES
    tail = f"<p>… and {more:,} more</p>" if more > 0 else ""
    return f"<p><b>Values in the mean</b></p><table cellspacing=0>{''.join(rows)}</table>{tail}"


def _query_link(found: ScoreCalculation, name: str, theme: Theme) -> str:
    if found.over != "queries":
        return escape(name)
    return f'<a href="query:{escape(name)}" style="color:{theme.accent}">{escape(name)}</a>'


def _definition_html(found: ScoreCalculation, theme: Theme) -> str:
    low, high = found.measure.range
    span = f"from {low:g} to {high:g}" if high != float("inf") else f"from {low:g} upwards"
    return (
        f"<p><b>Definition</b></p><p>{escape(found.measure.definition)}</p>"
        f'<p style="color:{theme.muted}">{DIRECTION_TEXT[found.measure.better].capitalize()}; {span}.<br>'
        f"Source: {escape(found.source)}</p>"
        f'<p><a href="help:{escape(found.measure.key)}" style="color:{theme.accent}">More about this measure</a></p>'
    )


class CalculationPanel(BasePanel):
    """A page tied to the session: its ranks and queries can be picked, and pointing at a rank moves the cursor."""

    def __init__(self, session: Session) -> None:
        super().__init__("question")
        self._session = session
        self._theme = current_theme()
        self._explanations = CalculationModel(session, self)
        self.page = QTextBrowser()
        self.page.setFrameShape(QFrame.Shape.NoFrame)
        self.page.setOpenLinks(False)
        self.page.setAccessibleName("How the number came about")
        self.page.document().setDocumentMargin(3 * SPACE)
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.page)
        self.page.anchorClicked.connect(self._pick)
        self.page.highlighted.connect(self._point)
        self._explanations.changed.connect(self._show)
        session.list_changed.connect(self._show)
        session.benchmark_changed.connect(self._show)
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override; nothing is computed while nobody looks."""
        super().showEvent(event)
        self._explanations.set_active(True)
        self._show()

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt override."""
        super().hideEvent(event)
        self._explanations.set_active(False)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self._show()

    @Slot()
    def _show(self) -> None:
        if not self.isVisible():
            return  # a page takes 10 ms to lay out; it is made when somebody looks
        benchmark, found, about = self._session.benchmark, self._explanations.calculation, self._explanations.target
        if benchmark is None or found is None or about is None:
            self.show_empty(*missing_scores_reason(self._session))
            return
        selection = self._session.selection
        is_shown = (about.query, about.run) == (selection.query, selection.run)
        place = self.page.verticalScrollBar().value()
        self.page.setHtml(
            calculation_html(found, benchmark, self._session.ranked_list if is_shown else None, self._theme)
        )
        self.page.verticalScrollBar().setValue(place)
        self.show_content()

    @Slot(QUrl)
    def _pick(self, link: QUrl) -> None:
        kind, _, what = link.toString().partition(":")
        benchmark = self._session.benchmark
        if kind == "rank":
            self._session.select(rank=int(what))
        elif kind == "help":
            self._session.cursor_state.request_help(what)
        elif benchmark is not None and what in benchmark.queries.ids:
            self._session.select(query=benchmark.queries.ids.index(what))

    @Slot(QUrl)
    def _point(self, link: QUrl) -> None:
        kind, _, what = link.toString().partition(":")
        self._session.cursor_state.hover(int(what) if kind == "rank" else None)
