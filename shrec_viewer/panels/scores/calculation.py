"""Panel that shows how a score is calculated: formula, values, ranks used and definition."""

from html import escape
from itertools import islice
from math import isnan

from PySide6.QtCore import QUrl, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame

from shrec_viewer.content.data import ContentData
from shrec_viewer.content.scores import CalculationRequest, calculation, used_ranks
from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.calculation import ScoreCalculation
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.metrics import CalculationSteps
from shrec_viewer.number_format import format_fixed
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.selection import NOTHING, CalculationTarget, Selection
from shrec_viewer.viewmodels.session.session import LISTING, Session
from shrec_viewer.viewmodels.text.formulas import formula_html
from shrec_viewer.viewmodels.text.labels import level_name
from shrec_viewer.widgets.controls.plain_text import HtmlPage
from shrec_viewer.widgets.style.theme import SEMI_BOLD, SPACE, Theme, current_theme

#: Decimals of the score and its terms, so that the calculation can be verified.
VALUE_DECIMALS = 6

#: Ranks listed in the page, whose layout takes 25 ms; the ranked list highlights all of them.
MAX_RANKS = 100

#: Queries of a mean listed in the page; the panel *Scores of the run* lists all.
MAX_QUERIES = 100

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
        parts.append(_ranks_html(found.calculation_steps, benchmark, shown, theme))
        parts.append(_recalls_html(found.calculation_steps.found, theme))
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


def _ranks_html(steps: CalculationSteps, benchmark: Benchmark, shown: RankedList | None, theme: Theme) -> str:
    contributes = bool(steps.shares)
    pad = f'style="padding-right:{3 * SPACE}px"'
    head = f'style="padding-right:{3 * SPACE}px; white-space:nowrap"'
    names = "".join(f"<th align=left {head}>{name}</th>" for name in ("rank", "model", "level"))
    header = f'{names}<th align=right style="white-space:nowrap">contribution</th>' if contributes else names
    rows = [f'<tr style="color:{theme.muted}">{header}</tr>']
    levels = benchmark.levels
    for rank, name, level, share in islice(used_ranks(steps, benchmark, shown), MAX_RANKS):
        value = f"<td align=right>{format_value(share)}</td>" if contributes else ""
        rows.append(
            f'<tr><td {pad}><a href="rank:{rank}" style="color:{theme.accent}">{rank:,}</a></td>'
            f"<td {pad}>{escape(name)}</td><td {pad}>{'' if level is None else escape(level_name(level, levels))}</td>"
            f"{value}</tr>"
        )
    more = len(steps.ranks) - MAX_RANKS
    tail = f"<p>… and {more:,} more, highlighted in the ranked list</p>" if more > 0 else ""
    return f"<p><b>Ranks used</b></p><table cellspacing=0>{''.join(rows)}</table>{tail}"


def _recalls_html(found: tuple[int, ...], theme: Theme) -> str:
    """The terms of dynamic recall as a table: i, models found, and their ratio."""
    if not found:
        return ""
    pad = f'align=right style="padding-left:{3 * SPACE}px"'
    names = "".join(f"<th {pad}>{name}</th>" for name in ("i", "found", "r(i)"))
    rows = [
        f"<tr><td {pad}>{i:,}</td><td {pad}>{count:,}</td><td {pad}>{format_value(count / i)}</td></tr>"
        for i, count in enumerate(found[:MAX_RANKS], 1)
    ]
    more = len(found) - MAX_RANKS
    tail = f"<p>… and {more:,} more</p>" if more > 0 else ""
    table = f'<table cellspacing=0><tr style="color:{theme.muted}">{names}</tr>{"".join(rows)}</table>'
    return f"<p><b>Recall at each rank</b></p>{table}{tail}"


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


class CalculationPanel(RequestPanel[CalculationRequest]):
    """Page with the calculation of `CursorState.calculation_target`, or of the selected measure if there is none.

    Selecting another query, run or measure changes the target. The ranks that the score depends on are marked; they
    and the queries are links that move cursor and selection.
    """

    waiting = "Evaluating…"

    def __init__(self, session: Session) -> None:
        super().__init__(session, CalculationRequest(), "question", uses=("scores", "baselines"))
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
        self.computation.changed.connect(self._mark)
        session.cursor_state.calculation_target_changed.connect(self._follow)
        self.update_request()

    def request(self) -> CalculationRequest | None:
        """See `RequestPanel`; the score or mean that is explained."""
        session, scores, runs = self._session, self._session.scores, self._session.benchmark.runs
        selected = CalculationTarget(session.measure, session.selection.run, session.selection.query)
        target = session.cursor_state.calculation_target or selected
        if scores is None or not 0 <= target.run < len(runs) or target.query >= len(scores.queries):
            return None
        keys, run = [measure.key for measure in scores.measures], runs[target.run].name
        measure = target.measure if target.measure in keys else session.measure  # another profile has other measures
        if run not in scores.runs or measure not in keys:
            return None
        if target.query == NOTHING:
            return CalculationRequest(runs=(run,), measure=measure, over=target.over)
        return CalculationRequest(runs=(run,), queries=(scores.queries[target.query],), measure=measure)

    def shown_scope(self) -> tuple[str, ...]:
        """See `RequestPanel`; the page begins with it, as another score than that of the selection may be shown."""
        return ("",)

    def compute(self, data: ContentData, request: CalculationRequest) -> ScoreCalculation:
        """See `RequestPanel`."""
        return calculation(data, request)

    def showEvent(self, event: QShowEvent) -> None:
        """Show what changed while the panel was hidden."""
        super().showEvent(event)
        self._mark()
        self.update_view()

    def hideEvent(self, event: QHideEvent) -> None:
        """Mark no ranks."""
        super().hideEvent(event)
        self._mark()

    @Slot()
    def _mark(self) -> None:
        found: ScoreCalculation | None = self.computation.result
        steps = None if found is None or not self._is_of_list(found) else found.calculation_steps
        self._session.cursor_state.mark(steps.ranks if steps is not None and self.isVisible() else ())

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        if not new.differs(old, "benchmark"):
            self._move_target(old.selection, new.selection)
        if new.differs(old, "list"):
            self._show_list()
        super().show_changes(old, new)

    def _move_target(self, old: Selection, new: Selection) -> None:
        target = self._session.cursor_state.calculation_target
        if target is None or (old.query, old.run, old.measure) == (new.query, new.run, new.measure):
            return
        is_mean = target.query == NOTHING and (old.query, old.run) == (new.query, new.run)
        query = NOTHING if is_mean else new.query
        measure = target.measure if old.measure == new.measure else self._session.measure
        self._session.cursor_state.show_calculation(CalculationTarget(measure, new.run, query, target.over))

    def show_result(self, result: ScoreCalculation) -> None:
        """See `RequestPanel`."""
        session, benchmark = self._session, self._session.benchmark
        if not self._session.is_open or not self.isVisible():
            return  # laying out the page takes 10 ms of each query switch; `showEvent` does it
        is_shown = self._is_of_list(result)
        if is_shown and session.tasks.is_busy(LISTING):
            return  # the list is still that of the previous query; `_show_list` follows
        scroll_bar = self.page.verticalScrollBar()
        position = scroll_bar.value()
        query = benchmark.queries.index.get(result.query)
        difference = session.versions.difference(result.run, result.measure.key, query, result.over or "queries")
        shown = session.ranked_list if is_shown else None
        html = calculation_html(result, benchmark, shown, current_theme(), difference)
        if html != self._html:  # equal after a change of the text size, which the page lays out itself
            self._html = html
            self.page.setHtml(html)
            scroll_bar.setValue(position)  # setHtml scrolls to the top

    def _show_list(self) -> None:
        """Show the models of a new list; a score of another list is not laid out again."""
        found: ScoreCalculation | None = self.computation.result
        if found is not None and self._is_of_list(found):
            self.show_result(found)

    def _is_of_list(self, found: ScoreCalculation) -> bool:
        """Whether the score is that of the ranked list of the session."""
        session, query = self._session, self._session.selection.query
        shown = "" if query == NOTHING else session.benchmark.queries.ids[query]
        return session.run is not None and (found.run, found.query) == (session.run.name, shown)

    @Slot(QUrl)
    def _open_link(self, link: QUrl) -> None:
        kind, _, target = link.toString().partition(":")
        benchmark = self._session.benchmark
        if kind == "rank":
            self._session.select(rank=int(target))
        elif kind == "help":
            self._session.cursor_state.request_help(target)
        elif target in benchmark.queries.ids:
            self._session.select(query=benchmark.queries.ids.index(target))

    @Slot(QUrl)
    def _hover_link(self, link: QUrl) -> None:
        kind, _, target = link.toString().partition(":")
        self._session.cursor_state.hover(int(target) if kind == "rank" else None)
