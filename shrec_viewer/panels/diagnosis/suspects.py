"""Panel with doubtful entries of the assessment, in the order of their review."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from math import isnan
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, cast

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QAction, QHideEvent, QKeyEvent, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QProgressBar, QToolButton

from shrec_viewer.charts.table import Cell, Table, TableColumn
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.request import Request
from shrec_viewer.content.suspects import SuspectsRequest, suspects, table_of_suspects
from shrec_viewer.diagnosis.agreement import compare_assessors, decided_labels, labels_as_lines, read_labels
from shrec_viewer.diagnosis.suspects import Suspect, SuspectQueue
from shrec_viewer.domain import FormatError
from shrec_viewer.evaluation.edits import AssessmentEdit, edits_as_qrels, read_edits
from shrec_viewer.evaluation.parallel.local import available_cores
from shrec_viewer.number_format import format_fixed
from shrec_viewer.panels.export.content import ExportContent, ExportText
from shrec_viewer.panels.panel import row_layout
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.viewmodels.content.computation import Computation
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.review import KEEP, Review, SuspectPair, names_of, pair_of
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text, model_class, query_class
from shrec_viewer.widgets.controls.context_menu import PanelMenu
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.file_dialogs import EXPORT, choose_open_path
from shrec_viewer.widgets.controls.layouts import row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel, set_tooltip
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon
from shrec_viewer.widgets.tables.pair_rows import PAIR_MARGIN, PairDelegate, PairMark
from shrec_viewer.widgets.tables.record_table import NO_TABLE, RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

#: Columns that are hidden in a blind review: level or class, suggested one, evidence and effect; then the decision.
BLIND_COLUMNS = slice(-5, -1)

#: Width in pixels from which the panel has columns besides that of the pair, which says the same with pictures.
WIDE_WIDTH = 560

#: Columns of the model of a label, and of the query and the model of a pair.
PAIR_COLUMNS = (1, 2)

#: Name of the thumbnail request, and height in pixels of the bar that shows how many suspects were reviewed.
THUMBNAIL_CLIENT, BAR_HEIGHT = "suspects", 3

#: Width in pixels that pictures, ids and levels need, and the same in lines of text.
QUEUE_WIDTH, QUEUE_LINES = 300, 19

#: Keys of the review; see `Panel.shortcuts`.
SUSPECTS_SHORTCUTS = (
    ("Suspects", "Assess as not relevant, relevant, highly relevant", "0  1  2"),
    ("Suspects", "Keep the level", "Space"),
    ("Suspects", "Next, previous suspect (without a decision)", "Down  Up"),
)


def search_suspects(data: ContentData, request: SuspectsRequest) -> SuspectQueue:
    """The suspects; one core is left for the window."""
    return suspects(data, request, jobs=max(1, available_cores() - 1))


def suspects_search(session: Session) -> Computation:
    """The suspects, which the panels of the queue and of the pair share."""
    if session.review.search is None:
        session.review.search = Computation(
            session,
            "panel suspects",
            search_suspects,
            uses=("original assessment", "measured runs", "profile"),
            title="Suspects",
            keeps_result=True,
            parent=session.review,
        )
    return session.review.search


class ReviewedPanel(RequestPanel[SuspectsRequest]):
    """Base of the panels of a review, which share the search and its options."""

    waiting = "Looking for suspects…"

    def __init__(self, session: Session) -> None:
        super().__init__(session, SuspectsRequest(), "list", computation=suspects_search(session))
        self._options = session.review.options
        self.controls.set_request(self._options)

    def request(self) -> SuspectsRequest | None:
        """See `RequestPanel`; None without scores. The order of the review makes no difference for the suspects."""
        return None if self._session.scores is None else SuspectsRequest(by=self.options.by)

    def compute(self, data: ContentData, request: SuspectsRequest) -> SuspectQueue:
        """See `RequestPanel`."""
        return search_suspects(data, request)

    def show_options(self) -> None:
        """See `RequestPanel`."""
        self._session.review.set_options(self.options)

    def shown_scope(self) -> tuple[str, ...]:
        """See `RequestPanel`; suspects depend on the lists of all submitted runs, not on a measure."""
        runs = [run for run in self._session.benchmark.runs if not run.expression]
        return (count_text(len(runs), "run"), "") if runs else ("",)


class SuspectsPanel(ReviewedPanel):
    """Suspects, the strongest evidence first; 0, 1, 2 and space assess the selected one and select the next.

    For labels, 0 and space keep the label, and 1 changes the levels to those of the suggested label. The selected one
    is that of `Session.review`.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._shown_queue: SuspectQueue | None = None
        self.model = RecordTableModel(self)
        self.table = RecordView(self.model, "Suspects", stretched=PAIR_COLUMNS, lines=2, row_margin=PAIR_MARGIN)
        self.menu_button, self._order = QToolButton(), QMenu("Sort by", self)
        self.progress, self.agreement = PlainLabel(muted=True), ElidingLine(token="muted")
        self.bar = QProgressBar(textVisible=False)
        self._build()
        self.table.row_selected.connect(self._select)
        self.model.changed.connect(self._update_review)
        self.model.changed.connect(self._request_pictures)
        self.table.verticalScrollBar().valueChanged.connect(self._request_pictures)
        session.thumbnails.size_changed.connect(self._request_pictures)
        session.thumbnails.arrived.connect(self.table.viewport().update)
        session.review.changed.connect(self._show_review)
        self.set_theme(current_theme())
        self.update_request()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are updated by `apply_theme`."""
        self.menu_button.setIcon(icon("more", theme))

    def width_hint(self) -> int:
        """See `Panel`."""
        return max(QUEUE_WIDTH, QUEUE_LINES * self.fontMetrics().height())

    def show_options(self) -> None:
        """See `RequestPanel`."""
        super().show_options()
        self._show_queue()

    def show_result(self, result: SuspectQueue) -> None:
        """See `RequestPanel`."""
        if result is not self._shown_queue:
            self._shown_queue = result
            self._show_queue()

    def show_reason(self) -> None:
        """See `RequestPanel`."""
        self._shown_queue = None
        self._session.review.show(None, ())
        super().show_reason()

    def _build(self) -> None:
        self.table.installEventFilter(ReviewKeys(self._session.review, self))
        menu = PanelMenu(self.menu_button)
        menu.addMenu(self._order)
        self._order.triggered.connect(self._sort)
        for name in ("random", "blind"):
            self.controls.add_actions(menu, name)
        menu.addSeparator()
        menu.addAction("Compare with a second assessor…").triggered.connect(self.choose_decisions)
        self.menu_button.setMenu(menu)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setAccessibleName("Order, blind review, second assessor")
        set_tooltip(self.menu_button, "Order, blind review, second assessor")
        header = row_layout()
        header.addWidget(self.progress, 1)
        header.addWidget(self.menu_button)
        self.agreement.hide()
        self.bar.setProperty("thin", True)
        self.bar.setFixedHeight(BAR_HEIGHT)
        self.bar.setAccessibleName("Reviewed suspects")
        bar = row_of((self.bar, 1), margins=(2 * SPACE, 0, 2 * SPACE, SPACE))
        self.table.mark_columns(*PAIR_COLUMNS, delegate=PairDelegate(self.table, self._picture_of))
        self.set_body(header, bar, self.table, self.agreement, stretch=self.table)
        self.setFocusProxy(self.table)

    def export(self) -> ExportContent:
        """See `RequestPanel`; the suspects as shown, and the decisions: pairs as qrels, labels as lines."""
        queue = self._queue
        if queue is None or self.is_empty:
            return ExportContent()
        reviewed = self._session.edits.edited.reviewed.items()
        decisions = tuple(AssessmentEdit(*pair, level, level) for pair, level in reviewed if pair[0])
        text = ExportText("Decisions about pairs (qrels)", ".qrels", partial(edits_as_qrels, decisions))
        if queue.by == "model":
            labels = decided_labels(queue, self._session.edits.edited.reviewed)
            make = partial(labels_as_lines, labels, queue.benchmark)
            text = ExportText("Decisions about labels (model, tab, class)", ".tsv", make)
        return ExportContent(table=self._export_table(queue), texts=(text,))

    def _export_table(self, queue: SuspectQueue) -> Table | Request:
        """The suspects; those of a blind review as the panel shows them."""
        shown, is_blind = self.model.table, self.options.blind
        if not is_blind and all(row[-1] is None for row in shown.rows):
            sort = "" if self.model.sorting.endswith("decision") else self.model.sorting
            return SuspectsRequest(by=queue.by, sort=sort or ("random" if self.options.random else ""))
        columns = list(range(len(shown.columns)))
        if is_blind:
            del columns[BLIND_COLUMNS]
        heads = tuple(shown.columns[column] for column in columns)
        rows = tuple(tuple(row[column] for column in columns) for row in shown.rows)
        return Table("suspects", f"{queue.benchmark.name}: suspects and decisions", heads, rows)

    # The queue.

    @property
    def _queue(self) -> SuspectQueue | None:
        found: SuspectQueue | None = self.computation.result
        return found

    @Slot()
    def _show_queue(self, *_: object) -> None:
        """List the suspects."""
        self._show_decisions()
        self._show_columns()

    def _show_columns(self) -> None:
        """Hide what a blind review hides, and in a narrow panel all columns but that of the pair."""
        columns, is_narrow = self.model.table.columns, self.width() < WIDE_WIDTH
        for index, column in enumerate(columns):
            is_blind = self.options.blind and column in columns[BLIND_COLUMNS]
            self.table.setColumnHidden(index, is_blind or (is_narrow and column.key != "model"))
        self.table.show_header(not is_narrow)

    @Slot(QAction)
    def _sort(self, action: QAction) -> None:
        """Sort by a column, which may be hidden, as its header does."""
        orders, head = Qt.SortOrder, self.table.horizontalHeader()
        column = int(action.data())
        is_same = head.sortIndicatorSection() == column and head.sortIndicatorOrder() == orders.AscendingOrder
        self.table.sortByColumn(column, orders.DescendingOrder if is_same else orders.AscendingOrder)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._show_columns()
        self._request_pictures()

    def showEvent(self, event: QShowEvent) -> None:
        """Request the pictures."""
        super().showEvent(event)
        self._request_pictures()

    def hideEvent(self, event: QHideEvent) -> None:
        """Request no pictures."""
        super().hideEvent(event)
        self._session.thumbnails.request(THUMBNAIL_CLIENT, ())

    # Pictures.

    @Slot()
    def _request_pictures(self, *_: object) -> None:
        """Request the thumbnails of the rows in sight, and of as many after them; their places are kept free."""
        queue, first = self._queue, max(self.table.rowAt(0), 0)
        if queue is None or not self.isVisible():
            return
        number = self.table.viewport().height() // max(self.table.rowHeight(0), 1) + 2
        suspects = {pair_of(suspect): suspect for suspect in queue.suspects}
        keys = [key for key in cast(list[SuspectPair], self.model.keys)[first : first + 2 * number] if key in suspects]
        paths = [[path for path in _pictures(queue, suspects[key]) if path is not None] for key in keys]
        shown, near = (list(chain.from_iterable(part)) for part in (paths[:number], paths[number:]))
        self._session.thumbnails.request(THUMBNAIL_CLIENT, shown, near)

    def _picture_of(self, path: Path | None) -> tuple[QPixmap | None, str | None]:
        thumbnails = self._session.thumbnails
        is_missing = path is None or thumbnails.problem(path)
        return thumbnails.pixmap(path), "" if is_missing else None

    def _mark(self, queue: SuspectQueue, suspect: Suspect, decision: Cell) -> PairMark:
        """Pictures, second line, levels and decision of a suspect."""
        benchmark, is_blind, is_pair = queue.benchmark, self.options.blind, queue.by == "pair"
        pictures = _pictures(queue, suspect)
        if is_pair:
            line = f"{benchmark.queries.ids[suspect.query]} {query_class(benchmark, suspect.query)}".rstrip()
        else:
            line = "" if is_blind else f"{model_class(benchmark, suspect.model)} → {_suggested_class(queue, suspect)}"
        return PairMark(
            pictures=pictures if benchmark.collection.has_file.any() else (),
            line=line,
            levels=(suspect.current, suspect.suggested) if is_pair and not is_blind else (),
            is_binary=benchmark.is_binary,
            decision="" if decision is None else f"✓ {decision}" if is_pair else "✓",
            is_decided=decision is not None,
        )

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        if new.differs(old, "reviews"):
            self._show_decisions()
        super().show_changes(old, new)

    def _show_decisions(self) -> None:
        queue, data = self._queue, content_data(self._session)
        if queue is None or not self._session.is_open:
            self.model.set_table(NO_TABLE)
            return
        table, suspects = table_of_suspects(data, queue), queue.suspects
        decisions = [self._decision(queue, suspect) for suspect in suspects]
        n_decided = len(decisions) - decisions.count(None)
        order = list(range(len(suspects)))
        if self.options.random:
            Random(0).shuffle(order)
        decision_column = TableColumn("decision", is_number=n_decided > 0 and queue.by == "pair")
        rows = tuple((*row[:-1], decision) for row, decision in zip(table.rows, decisions, strict=True))
        shown = replace(table, columns=(*table.columns[:-1], decision_column), rows=rows)
        pair_column = next(index for index, column in enumerate(shown.columns) if column.key == "model")
        marks = [self._mark(queue, suspects[number], decisions[number]) for number in order]
        names = [f"{rows[number][pair_column]} {mark.line}" for number, mark in zip(order, marks, strict=True)]
        reasons = ["" if self.options.blind else suspects[number].reason for number in order]
        self.model.set_table(
            shown.with_rows(order),
            [(suspects[number].query, suspects[number].model) for number in order],
            headers=shown.headings,
            tips=[f"{name}\n{reason}".rstrip() for name, reason in zip(names, reasons, strict=True)],
            marks=lambda row, column: marks[row] if column == pair_column else None,
        )
        self._show_orders(shown.headings)
        self.progress.setText(f"{n_decided} of {len(order)} reviewed" if order else "No suspects")
        self.bar.setRange(0, max(len(order), 1))
        self.bar.setValue(n_decided)

    def _show_orders(self, headings: Sequence[str]) -> None:
        """Offer the columns that a blind review does not hide; not those that say little, as rows have one order."""
        self._order.clear()
        hidden = range(len(headings))[BLIND_COLUMNS] if self.options.blind else ()
        for index, heading in enumerate(headings):
            if index not in hidden:
                self._order.addAction(heading).setData(index)

    @Slot()
    def _update_review(self) -> None:
        """Review the suspects in the order on screen."""
        self._session.review.show(self._shown_queue, tuple(cast(list[SuspectPair], self.model.keys)))
        self._show_review()

    @Slot()
    def _show_review(self) -> None:
        """Select the suspect that is reviewed."""
        review = self._session.review
        self.set_options(review.options)
        if review.current is not None and self.table.current_key != pair_of(review.current):
            self.table.set_current_key(pair_of(review.current))

    @Slot(object)
    def _select(self, key: SuspectPair) -> None:
        self._session.review.select(key)

    def _decision(self, queue: SuspectQueue, suspect: Suspect) -> Cell:
        """The level, or the class of a label, that was decided; None without a decision."""
        decision = self._session.edits.edited.reviewed.get(names_of(queue, pair_of(suspect)))
        if decision is None or queue.by == "pair" or queue.benchmark.classification is None:
            return decision
        return queue.benchmark.classification.names[suspect.suggested if decision else suspect.current]

    # A second assessor.

    @Slot()
    def choose_decisions(self) -> None:
        """Open the file dialog for the decisions of a second assessor."""
        path = choose_open_path(self, "Compare with another assessor", EXPORT, Path.home())
        if path is not None:
            self.compare_with(path)

    def compare_with(self, path: Path) -> None:
        """Show the agreement with exported decisions, and the differences in a message."""
        benchmark, queue, ours = self._session.benchmark, self._queue, self._session.edits.edited.reviewed
        if queue is None:
            return
        names = () if queue.benchmark.classification is None else queue.benchmark.classification.names
        try:
            if queue.by == "model":
                ours = decided_labels(queue, ours)
                theirs, findings = read_labels(path, queue.benchmark)
            else:
                edits, findings = read_edits(path, benchmark)
                theirs = {edit.pair: edit.level for edit in edits}
        except FormatError as error:
            self._session.failed.emit(f"The decisions cannot be read: {error}", "")
            return
        found = compare_assessors(ours, theirs)
        kappas = [format_fixed(value, 3) if not isnan(value) else "–" for value in (found.kappa, found.weighted_kappa)]
        text = (
            f"{path.name}: {count_text(found.number, 'label' if queue.by == 'model' else 'pair')} assessed by both, "
            f"{len(found.differences)} {'differs' if len(found.differences) == 1 else 'differ'}; Cohen's κ {kappas[0]}"
        )
        if queue.by == "pair":  # classes have no order that weights could follow
            text += f", weighted {kappas[1]}"
        self.agreement.setText(text)
        self.agreement.show()
        details = [
            f"{query} {model}: {one} and {other}" if query else f"{model}: {names[one]} and {names[other]}"
            for (query, model), one, other in found.differences
        ]
        details += [str(finding) for finding in findings]
        self._session.message.emit("info", text, "\n".join(details))


def example_of(queue: SuspectQueue, suspect: Suspect) -> int:
    """A model of the suggested class of a label."""
    tree = queue.benchmark.classification
    members: Any = () if tree is None else tree.members(suspect.suggested)
    return int(members[0]) if len(members) else suspect.model


def _pictures(queue: SuspectQueue, suspect: Suspect) -> tuple[Path | None, Path | None]:
    """Files of the query, or for a label of a model of the suggested class, and of the model."""
    benchmark = queue.benchmark
    models = benchmark.collection.paths
    first = models[example_of(queue, suspect)] if suspect.query < 0 else benchmark.queries.paths[suspect.query]
    return first, models[suspect.model]


def _suggested_class(queue: SuspectQueue, suspect: Suspect) -> str:
    tree = queue.benchmark.classification
    return "" if tree is None else tree.names[suspect.suggested]


#: Decision by key.
DECISION_KEYS = {Qt.Key.Key_0: 0, Qt.Key.Key_1: 1, Qt.Key.Key_2: 2, Qt.Key.Key_3: 3, Qt.Key.Key_Space: KEEP}


class ReviewKeys(QObject):
    """Event filter with the keys of the review: 0 to 3 and space assess the current suspect.

    Parameters
    ----------
    steps : keys that look at another suspect without a decision, and by how many places.
    """

    def __init__(self, review: Review, parent: QObject, steps: Mapping[Qt.Key, int] = MappingProxyType({})) -> None:
        super().__init__(parent)
        self._review, self._steps = review, steps

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override."""
        if not isinstance(event, QKeyEvent) or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        key = Qt.Key(event.key())
        if key not in DECISION_KEYS and key not in self._steps:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
        elif event.type() == QEvent.Type.KeyPress and key in self._steps:
            self._review.step(self._steps[key])
        elif event.type() == QEvent.Type.KeyPress:
            self._review.decide(DECISION_KEYS[key])
        return True
