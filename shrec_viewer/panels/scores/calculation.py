"""Panel that shows how a score is calculated: formula, values, ranks used and definition."""

from html import escape
from math import isnan

from PySide6.QtCore import QUrl, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame

from shrec_viewer.content.scores import CalculationRequest
from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.calculation import ScoreCalculation
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.number_format import format_fixed
from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.panels.panel import BasePanel, missing_scores_reason
from shrec_viewer.viewmodels.scores.computations import CalculationModel
from shrec_viewer.viewmodels.session.selection import NOTHING, CalculationTarget
from shrec_viewer.viewmodels.session.session import LISTING, Session
from shrec_viewer.viewmodels.text.formulas import formula_html
from shrec_viewer.viewmodels.text.labels import level_name
from shrec_viewer.widgets.controls.plain_text import HtmlPage
from shrec_viewer.widgets.style.theme import SEMI_BOLD, SPACE, Theme, current_theme

VALUE_DECIMALS = 6
"""Decimals of the score and its terms, so that the calculation can be verified."""

MAX_RANKS = 100
"""Ranks listed in the page, whose layout takes 25 ms; the ranked list highlights all of them."""

MAX_QUERIES = 100
"""Queries of a mean listed in the page; the panel *Measures of the run* lists all."""

DIRECTION_TEXT = {"higher": "Higher is better", "lower": "Lower is better", "none": "No preferred direction"}


def calculation_html(
    found: ScoreCalculation,
    benchmark: Benchmark,
    shown: RankedList | None,
    theme: Theme,
    difference: float | None = None,
) -> str:
    """HTML of the page; ranks link to ``rank:12``, queries to ``query:Q07``.

    Parameters
    ----------
    shown : the list that the ranks belong to; None where another list is shown.
    difference : from the value of the baseline of the run; None without one.
    """
    parts = [_value_html(found, theme, difference), _formula_html(found, theme)]
    if found.note:
        parts.append(f'<p style="color:{theme.warning}">{escape(found.note)}</p>')
    if found.parts:
        parts.append(_queries_html(found, theme))
    elif found.calculation_steps is not None and found.calculation_steps.ranks:
        parts.append(_ranks_html(found, benchmark, shown, theme))
    parts.append(_definition_html(found, theme))
    return f'<div style="color:{theme.ink}">{"".join(parts)}</div>'


def format_value(value: float) -> str:
    """A value with `VALUE_DECIMALS` decimals; a count without.

    Examples
    --------
    >>> format_value(0.4123456), format_value(17.0), format_value(float("nan"))
    ('0.412346', '17', 'undefined')
    """
    if isnan(value):
        return "undefined"
    return format_fixed(value, 0 if value == round(value) and abs(value) >= 2 else VALUE_DECIMALS)


def _value_html(found: ScoreCalculation, theme: Theme, difference: float | None) -> str:
    subject = escape(found.query) if found.query else f"mean over {found.over}"
    bound = ""
    if not isnan(found.ceiling):
        lists = "a list of this length" if found.query else "lists of these lengths"
        bound = (
            f'<p style="color:{theme.muted}; margin:0">best possible value for {lists}: '
            f"{format_value(found.ceiling)}</p>"
        )
    if difference is not None:
        bound += (
            f'<p style="color:{theme.muted}; margin:0">baseline {format_value(found.value - difference)}, difference '
            f"{format_fixed(difference, VALUE_DECIMALS, signed=True)}</p>"
        )
    key = escape(found.measure.key)
    return (
        f'<p style="color:{theme.muted}; margin:0">{escape(found.measure.label)} · {escape(found.run)}, {subject}</p>'
        f'<p style="font-size:x-large; margin:0"><b>{key} = {format_value(found.value)}</b></p>{bound}'
    )


def _formula_html(found: ScoreCalculation, theme: Theme) -> str:
    lines = [formula_html(found.formula)]
    if found.calculation_steps is not None and found.calculation_steps.shown:
        lines.append(f"= {formula_html(found.calculation_steps.shown)}")
        lines.append(f"= {format_value(found.calculation_steps.total)}")
    text = "<br>".join(lines)
    rows = ""
    if found.calculation_steps is not None and found.calculation_steps.symbols:
        cells = (
            f'<tr><td style="padding-right:{2 * SPACE}px"><b>{formula_html(letter)}</b></td>'
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
    contributes = bool(calculation_steps.shares)
    pad = f'style="padding-right:{3 * SPACE}px"'
    head = f'style="padding-right:{3 * SPACE}px; white-space:nowrap"'
    names = "".join(f"<th align=left {head}>{name}</th>" for name in ("rank", "model", "level"))
    header = f'{names}<th align=right style="white-space:nowrap">contribution</th>' if contributes else names
    rows = [f'<tr style="color:{theme.muted}">{header}</tr>']
    levels = benchmark.assessment.levels if benchmark.assessment is not None else ()
    for index, rank in enumerate(calculation_steps.ranks[:MAX_RANKS]):
        name = level = ""
        if shown is not None and rank <= len(shown):
            item = int(shown.items[rank - 1])
            name = benchmark.collection.ids[item] if item >= 0 else ""
            level = level_name(int(shown.levels[rank - 1]), levels)
        share = f"<td align=right>{format_value(calculation_steps.shares[index])}</td>" if contributes else ""
        rows.append(
            f'<tr><td {pad}><a href="rank:{rank}" style="color:{theme.accent}">{rank:,}</a></td>'
            f"<td {pad}>{escape(name)}</td><td {pad}>{escape(level)}</td>{share}</tr>"
        )
    more = len(calculation_steps.ranks) - MAX_RANKS
    tail = f"<p>… and {more:,} more, highlighted in the ranked list</p>" if more > 0 else ""
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
        f'<p style="color:{theme.muted}">{DIRECTION_TEXT[found.measure.better]}; {span}.<br>'
        f"Source: {escape(found.source)}</p>"
        f'<p><a href="help:{escape(found.measure.key)}" style="color:{theme.accent}">More about this measure</a></p>'
    )


class CalculationPanel(BasePanel):
    """Page with the calculation of one score; its ranks and queries are links that move cursor and selection."""

    def __init__(self, session: Session) -> None:
        super().__init__("question")
        self._session = session
        self._theme = current_theme()
        self._calculation = CalculationModel(session, self)
        self.add_active_model(self._calculation)
        self.page = HtmlPage()
        self._html = ""
        self.page.document().setDefaultStyleSheet(SEMI_BOLD)
        self.page.setFrameShape(QFrame.Shape.NoFrame)
        self.page.setOpenLinks(False)
        self.page.setAccessibleName("Calculation")
        self.page.document().setDocumentMargin(3 * SPACE)
        self.set_body(self.page, stretch=self.page)
        self.page.anchorClicked.connect(self._open_link)
        self.page.highlighted.connect(self._hover_link)
        self._calculation.changed.connect(self._show)
        session.list_changed.connect(self._show_list)
        session.versions.baseline_changed.connect(self._show)
        session.benchmark_changed.connect(self._show)
        self._show()

    def export_content(self) -> ExportContent:
        """See `Panel`; the ranks used with their contributions, or the values in a mean."""
        found = self._calculation.calculation
        if self._session.benchmark is None or found is None:
            return ExportContent()
        request = CalculationRequest(
            runs=(found.run,),
            queries=(found.query,) if found.query else (),
            measure=found.measure.key,
            over=found.over or "queries",
        )
        return ExportContent(table=request, names=(found.measure.key, found.run, found.query or "mean"))

    def showEvent(self, event: QShowEvent) -> None:
        """Show what changed while the panel was hidden."""
        super().showEvent(event)
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self._show()

    @Slot()
    def _show(self) -> None:
        if not self.isVisible():
            return  # laying out the page takes 10 ms of each query switch; `showEvent` does it
        benchmark, found, target = self._session.benchmark, self._calculation.calculation, self._calculation.target
        if benchmark is None or found is None or target is None:
            self.show_empty(*missing_scores_reason(self._session))
            return
        is_shown = self._is_of_list(target)
        if is_shown and self._session.tasks.is_busy(LISTING):
            return  # the list is still that of the previous query; `_show_list` follows
        scroll_bar = self.page.verticalScrollBar()
        position = scroll_bar.value()
        ranked = self._session.ranked_list if is_shown else None
        query = None if target.query == NOTHING else target.query
        difference = self._session.versions.difference(found.run, found.measure.key, query, found.over or "queries")
        html = calculation_html(found, benchmark, ranked, self._theme, difference)
        if html != self._html:  # equal after a change of the text size, which the page lays out itself
            self._html = html
            self.page.setHtml(html)
            scroll_bar.setValue(position)  # setHtml scrolls to the top
        self.show_content()

    @Slot()
    def _show_list(self) -> None:
        """Show the models of a new list; a score of another list is not laid out again."""
        target = self._calculation.target
        if target is not None and self._is_of_list(target):
            self._show()

    def _is_of_list(self, target: CalculationTarget) -> bool:
        selection = self._session.selection
        return (target.query, target.run) == (selection.query, selection.run)

    @Slot(QUrl)
    def _open_link(self, link: QUrl) -> None:
        kind, _, target = link.toString().partition(":")
        benchmark = self._session.benchmark
        if kind == "rank":
            self._session.select(rank=int(target))
        elif kind == "help":
            self._session.cursor_state.request_help(target)
        elif benchmark is not None and target in benchmark.queries.ids:
            self._session.select(query=benchmark.queries.ids.index(target))

    @Slot(QUrl)
    def _hover_link(self, link: QUrl) -> None:
        kind, _, target = link.toString().partition(":")
        self._session.cursor_state.hover(int(target) if kind == "rank" else None)
