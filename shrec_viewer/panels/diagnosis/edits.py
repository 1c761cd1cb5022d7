"""Panel with the edits of the assessment and their consequences for the ranking of the runs."""

from collections.abc import Hashable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QLineEdit, QPushButton, QSizePolicy, QSplitter, QVBoxLayout, QWidget

from shrec_viewer.charts.table import Table
from shrec_viewer.content.edits import (
    CONSEQUENCE_COLUMNS,
    EditedMeansRequest,
    EditsRequest,
    consequences,
    table_of_consequences,
    table_of_edits,
)
from shrec_viewer.content.request import Request
from shrec_viewer.evaluation.edits import (
    AssessmentEdit,
    amended_qrels,
    edits_as_overrides,
    edits_as_qrels,
    edits_as_text,
    edits_file,
    with_edits,
)
from shrec_viewer.panels.export.content import ExportContent, ExportText
from shrec_viewer.panels.panel import WrappingRow
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.panels.scores.order_line import OrderLine
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.context_menu import trigger_export
from shrec_viewer.widgets.controls.controls import ElidingLine, SummaryLabel
from shrec_viewer.widgets.controls.file_dialogs import EXPORT, choose_open_path
from shrec_viewer.widgets.controls.plain_text import PlainLabel, set_tooltip
from shrec_viewer.widgets.style.theme import SPACE
from shrec_viewer.widgets.tables.record_table import RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

NO_EDITS = "No edits yet. Keys 0, 1 and 2 set the level of the selected model for the query."

#: Minimum width of the fields in pixels.
MIN_FIELD_WIDTH = 72

#: Author and time, which edits from lines of qrels lack.
OPTIONAL_COLUMNS = (4, 5)

NO_CONSEQUENCES = Table("edited_means", "", CONSEQUENCE_COLUMNS, ())

#: Widths in pixels of the edits and of their consequences.
SPLIT_SIZES = (500, 500)


class EditsPanel(RequestPanel[EditsRequest]):
    """List of the edits with their authors, times and reasons; beside it old and new means, ranks and conclusions."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, EditsRequest(), "list", uses=())
        self.model, self.runs_model = RecordTableModel(self), RecordTableModel(self)
        self.table = RecordView(self.model, "Edits of the assessment", stretched=(6,), empty_text=NO_EDITS)
        self.runs = RecordView(self.runs_model, "Consequences for the runs", stretched=(0,))
        self.filter, self.reason = QLineEdit(), QLineEdit()
        self.count = PlainLabel()
        self.undo, self.load, self.export_button = QPushButton("Remove"), QPushButton("Load…"), QPushButton("Export…")
        self.conclusions, self.after = SummaryLabel(), QWidget()
        self.caption, self.order = ElidingLine(token="muted"), OrderLine(session, self, margin=0)
        self.consequences = self.computation_of(
            consequences, "Comparing with the original assessment", uses=("scores", "former")
        )
        self._build()
        self.filter.textChanged.connect(self.model.set_filter)
        self.filter.textChanged.connect(self._show_count)
        self.reason.editingFinished.connect(self._set_reason)
        self.undo.clicked.connect(self._remove)
        self.load.clicked.connect(self.choose_edits)
        self.export_button.clicked.connect(self._export)
        self.table.row_selected.connect(self._show_edit)
        self.table.row_activated.connect(self._go_to)
        self.table.delete_requested.connect(self._remove)
        self.consequences.changed.connect(self._show_consequences)
        self._update_consequences()
        self._show_edits()
        self._show_consequences()

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; the edits in the order on screen, and the means of the runs."""
        edits = EditsRequest(sort=self.model.sorting, containing=self.model.filter_text)
        means = EditedMeansRequest(measure=self._session.measure, sort=self.runs_model.sorting)
        return () if self.is_empty else (edits,) if self.consequences.result is None else (edits, means)

    def export(self) -> ExportContent:
        """See `RequestPanel`; also the amended assessment and the edits as texts."""
        benchmark, exported = self._session.benchmark_as_read, super().export()
        if exported.table is None:
            return exported
        amended = with_edits(benchmark, self.edits)
        texts = (
            ExportText("Amended assessment (qrels)", ".qrels", partial(amended_qrels, amended)),
            ExportText("Edits (qrels)", ".txt", partial(edits_as_qrels, self.edits)),
            ExportText("Edits with authors and reasons (JSON)", ".json", partial(edits_file, self.edits)),
            ExportText(
                "Overrides of levels from classes (TOML)", ".toml", partial(edits_as_overrides, amended, self.edits)
            ),
            ExportText("Readable list of edits", ".diff", partial(edits_as_text, self.edits)),
        )
        return replace(exported, texts=texts)

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        self._update_consequences()
        if new.differs(old, "benchmark", "levels"):
            self._show_edits()

    def _update_consequences(self) -> None:
        self.consequences.set_request(EditedMeansRequest(measure=self._session.measure))

    def _build(self) -> None:
        self.filter.setPlaceholderText("Filter")
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName("Filter edits")
        self.reason.setPlaceholderText("Reason")
        self.reason.setAccessibleName("Reason of the selected edit")
        self.count.setProperty("muted", True)
        self.conclusions.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        set_tooltip(self.undo, "Restore the original level of the selected pairs (Del)")
        set_tooltip(self.load, "Add edits from lines of qrels")
        set_tooltip(self.export_button, "Write the amended assessment, the edits, or a readable list")
        for field in (self.filter, self.reason):
            field.setMinimumWidth(MIN_FIELD_WIDTH)
            field.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        header = WrappingRow([self.filter, self.reason], [self.count, self.undo, self.load, self.export_button])
        column = QVBoxLayout(self.after)
        column.setContentsMargins(0, 0, 2 * SPACE, 0)
        column.setSpacing(0)
        column.addWidget(self.caption)
        column.addWidget(self.order)
        column.addWidget(self.runs, 3)
        column.addWidget(self.conclusions, 1)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(self.after)
        for index in (0, 1):
            split.setStretchFactor(index, 1)
        split.setSizes(list(SPLIT_SIZES))
        self.set_body(header, split, stretch=split)

    @property
    def edits(self) -> tuple[AssessmentEdit, ...]:
        """All edits, the latest last."""
        return self._session.edits.levels

    def _show_edits(self) -> None:
        benchmark = self._session.benchmark
        edits = self.edits[::-1]
        table = table_of_edits("", tuple(replace(edit, time=_time_text(edit.time)) for edit in edits))
        tips = [edits_as_text([edit]).strip() for edit in edits]
        self.model.set_table(table, [edit.pair for edit in edits], headers=table.headings, tips=tips)
        for column in OPTIONAL_COLUMNS:
            self.table.setColumnHidden(column, bool(edits) and all(row[column] is None for row in table.rows))
        if not self._session.is_open:
            self.show_empty("No benchmark is open")
        elif benchmark.assessment is None:
            self.show_empty("No relevance assessment", "Levels can be changed where the benchmark has an assessment.")
        else:
            self.show_content()
        self._show_count()
        self._show_edit()

    @Slot()
    def _show_count(self, *_: object) -> None:
        shown, total = self.model.rowCount(), self.model.total
        self.count.setText(count_text(total, "edit") if shown == total else f"{shown} of {count_text(total, 'edit')}")

    @Slot()
    def _show_edit(self, *_: object) -> None:
        edit = self._edit(self.table.current_key)
        self.reason.setEnabled(edit is not None)
        self.undo.setEnabled(edit is not None)
        if not self.reason.hasFocus():
            self.reason.setText("" if edit is None else edit.reason)

    def _edit(self, pair: Hashable) -> AssessmentEdit | None:
        """The edit of a pair, which is the key of its row."""
        return self._session.edits.edited.levels.get(cast(tuple[str, str], pair))

    @Slot()
    def _set_reason(self) -> None:
        if (edit := self._edit(self.table.current_key)) is not None:
            self._session.edits.set_reason(edit.pair, self.reason.text().strip())

    @Slot()
    def _remove(self) -> None:
        pairs = [edit.pair for pair in self.table.selected_keys() if (edit := self._edit(pair)) is not None]
        if pairs:
            self._session.edits.remove_levels(pairs)

    @Slot(object)
    def _go_to(self, pair: Hashable) -> None:
        """Select query and model of an edit."""
        edit, benchmark = self._edit(pair), self._session.benchmark
        if edit is None or not self._session.is_open:
            return
        model = benchmark.collection.index.get(edit.model)
        self._session.select(query=benchmark.queries.index.get(edit.query), model=model)

    @Slot()
    def _show_consequences(self) -> None:
        found = self.consequences.result
        table = NO_CONSEQUENCES if found is None else table_of_consequences(content_data(self._session), found)
        self.runs_model.set_table(table, [row[0] for row in table.rows], headers=table.headings)
        self.caption.setText("" if found is None else f"{found.measure.label}: before and after the edits")
        lines = () if found is None else found.conclusions
        text = "\n".join(lines[:8]) + (f"\n… and {len(lines) - 8} more" if len(lines) > 8 else "")
        self.after.setVisible(found is not None)
        self.conclusions.set_summary(text or "No conclusion changes.")

    @Slot()
    def _export(self) -> None:
        trigger_export(self)

    @Slot()
    def choose_edits(self) -> None:
        """Open the file dialog for edits."""
        if (path := choose_open_path(self, "Load edits", EXPORT, Path.home())) is not None:
            self._session.edits.load_levels(path)


def _time_text(time: str) -> str:
    return time.replace("T", " ").removesuffix("Z")
