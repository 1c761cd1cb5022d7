"""Panel with doubtful entries of the assessment, and their review one by one with pictures of query and model."""

from dataclasses import replace
from functools import partial
from math import isnan
from pathlib import Path
from random import Random

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from shrec_viewer.charts.mesh_pane import MeshPane
from shrec_viewer.charts.table import Cell, Table, TableColumn
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.request import Request
from shrec_viewer.content.suspects import SuspectsRequest, suspects, table_of_suspects
from shrec_viewer.diagnosis.agreement import compare_assessors, decided_labels, labels_as_lines, read_labels
from shrec_viewer.diagnosis.suspects import Suspect, SuspectQueue, label_edits
from shrec_viewer.domain import FormatError
from shrec_viewer.evaluation.edits import AssessmentEdit, edits_as_qrels, read_edits, with_edits
from shrec_viewer.evaluation.parallel.local import available_cores
from shrec_viewer.number_format import format_fixed
from shrec_viewer.panels.export.content import ExportContent, ExportText
from shrec_viewer.panels.panel import WrappingRow
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.mesh_view.rendering import RenderResult
from shrec_viewer.viewmodels.mesh_view.scene import CameraController, PaneContent
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text, model_class
from shrec_viewer.widgets.controls.context_menu import trigger_export
from shrec_viewer.widgets.controls.controls import ElidingLine, SummaryLabel
from shrec_viewer.widgets.controls.file_dialogs import EXPORT, choose_open_path
from shrec_viewer.widgets.controls.plain_text import PlainLabel, set_tooltip
from shrec_viewer.widgets.mesh_view.mesh_view import MeshView
from shrec_viewer.widgets.style.theme import SPACE
from shrec_viewer.widgets.tables.record_table import NO_TABLE, RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

#: Prefix of the render keys of this panel.
REVIEW_KEY_PREFIX = "review "

#: Panes: the query, or for labels a model of the suggested class, and the doubtful model.
QUERY, MODEL = "query", "model"

#: Columns that are hidden in a blind review: level or class, suggested one, evidence and effect; then the decision.
BLIND_COLUMNS = slice(-5, -1)

#: Widths in pixels of the table and of the meshes.
SPLIT_SIZES = (520, 480)

#: Keys that the panel handles; see `Panel.shortcuts`.
SUSPECTS_SHORTCUTS = (
    ("Suspects", "Assess as not relevant, relevant, highly relevant", "0  1  2"),
    ("Suspects", "Keep the level", "Space"),
)


class SuspectsPanel(RequestPanel[SuspectsRequest]):
    """Suspects, the strongest evidence first; 0, 1, 2 and space assess the selected one and select the next.

    For labels, 0 and space keep the label, and 1 changes the levels to those of the suggested label.
    """

    waiting = "Looking for suspects…"

    def __init__(self, session: Session) -> None:
        super().__init__(session, SuspectsRequest(), "list", uses=("original assessment", "measured runs", "profile"))
        self._shown_queue: SuspectQueue | None = None
        self.model = RecordTableModel(self)
        self.table = RecordView(self.model, "Suspects")
        self.random, self.blind = self.controls.check_box("random"), self.controls.check_box("blind")
        self.load, self.save = QPushButton("Compare…"), QPushButton("Export…")
        self.progress = PlainLabel()
        self.reason = SummaryLabel()
        self.agreement = ElidingLine(token="muted")
        self.meshes = {QUERY: MeshView(), MODEL: MeshView()}
        self.camera_controller = CameraController(session.mesh_view_state.source, REVIEW_KEY_PREFIX, self)
        self._build()
        self.table.row_selected.connect(self._show_suspect)
        self.table.row_activated.connect(self._go_to)
        self.load.clicked.connect(self.choose_decisions)
        self.save.clicked.connect(self._export)
        self.camera_controller.rendered.connect(self._show_rendered)
        session.mesh_view_state.camera_changed.connect(self._reset_camera)
        for mesh in self.meshes.values():
            mesh.camera_moved.connect(self._move_camera)
            mesh.resized.connect(self._show_meshes)
        self._reset_camera()
        self.update_request()

    def request(self) -> SuspectsRequest | None:
        """See `RequestPanel`; None without scores. The order of the review makes no difference for the suspects."""
        return None if self._session.scores is None else SuspectsRequest(by=self.options.by)

    def compute(self, data: ContentData, request: SuspectsRequest) -> SuspectQueue:
        """See `RequestPanel`; one core is left for the window."""
        return suspects(data, request, jobs=max(1, available_cores() - 1))

    def show_options(self) -> None:
        """See `RequestPanel`."""
        self._show_queue()

    def show_result(self, result: SuspectQueue) -> None:
        """See `RequestPanel`."""
        if result is not self._shown_queue:
            self._shown_queue = result
            self._show_queue()

    def show_reason(self) -> None:
        """See `RequestPanel`."""
        self._shown_queue = None
        super().show_reason()

    def _build(self) -> None:
        for widget in (self.table, *self.meshes.values()):
            widget.installEventFilter(self)
        self.progress.setProperty("muted", True)
        set_tooltip(self.load, "Compare with the decisions that a second assessor exported here")
        set_tooltip(self.save, "Write the suspects, or the decisions for the comparison with a second assessor")
        header = WrappingRow([self.random, self.blind, self.progress], [self.load, self.save])
        pictures = QHBoxLayout()
        pictures.setSpacing(SPACE)
        for mesh in self.meshes.values():
            mesh.setMinimumWidth(80)
            pictures.addWidget(mesh, 1)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(SPACE, 0, SPACE, SPACE)
        column.addLayout(pictures, 1)
        column.addWidget(self.reason)
        column.addWidget(self.agreement)
        self.agreement.hide()
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(right)
        split.setSizes(list(SPLIT_SIZES))
        self.set_body(header, split, stretch=split)
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

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Assess the current suspect with 0, 1, 2 and space, whichever part of the panel has the focus."""
        if isinstance(event, QKeyEvent) and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            decision = DECISION_KEYS.get(Qt.Key(event.key()))
            if decision is not None and event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if decision is not None and event.type() == QEvent.Type.KeyPress:
                self.decide(decision)
                return True
        return super().eventFilter(watched, event)

    # The queue.

    @property
    def _queue(self) -> SuspectQueue | None:
        found: SuspectQueue | None = self.computation.result
        return found

    def current(self) -> Suspect | None:
        """The selected suspect."""
        suspects = () if self._queue is None else self._queue.suspects
        return next((one for one in suspects if (one.query, one.model) == self.table.current_key), None)

    @Slot()
    def _show_queue(self, *_: object) -> None:
        """List the suspects, and select the first one without a decision."""
        self._show_decisions()
        columns = range(self.model.columnCount())
        for column in columns:
            self.table.setColumnHidden(column, self.options.blind and column in columns[BLIND_COLUMNS])
        self._select_next(-1)

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
        self.model.set_table(
            shown.with_rows(order),
            [(suspects[number].query, suspects[number].model) for number in order],
            headers=shown.headings,
            tips=[] if self.options.blind else [suspects[number].reason for number in order],
        )
        self.progress.setText(f"{n_decided} of {len(order)} reviewed" if order else "No suspects")

    def _decision(self, queue: SuspectQueue, suspect: Suspect) -> Cell:
        """The level, or the class of a label, that was decided; None without a decision."""
        decision = self._session.edits.edited.reviewed.get(self._pair(queue, suspect))
        if decision is None or queue.by == "pair" or queue.benchmark.classification is None:
            return decision
        return queue.benchmark.classification.names[suspect.suggested if decision else suspect.current]

    @staticmethod
    def _pair(queue: SuspectQueue, suspect: Suspect) -> tuple[str, str]:
        query = "" if suspect.query < 0 else queue.benchmark.queries.ids[suspect.query]
        return query, queue.benchmark.collection.ids[suspect.model]

    def _select_next(self, row: int) -> None:
        """Select the first suspect without a decision after a row, else before it."""
        decisions = [cells[-1] for cells in self.model.table.rows]
        order = [*range(row + 1, len(decisions)), *range(max(row, 0))]
        following = next((other for other in order if decisions[other] is None), -1)
        if following >= 0:
            self.table.set_current_key(self.model.key(following))
        self._show_suspect()

    # The review.

    def decide(self, decision: int) -> None:
        """Record a decision about the current suspect and select the next one.

        Parameters
        ----------
        decision : level; `KEEP` for the present one. For labels: 0 or `KEEP` to keep the label, else the suggested one.
        """
        suspect, queue, benchmark = self.current(), self._queue, self._session.benchmark
        if suspect is None or queue is None:
            return
        row = self.table.currentIndex().row()
        if queue.by == "model":
            edits = label_edits(with_edits(benchmark, ()), suspect.model, suspect.suggested)
            self._session.edits.review_label(queue.benchmark.collection.ids[suspect.model], int(decision > 0), edits)
        else:
            level = suspect.current if decision == KEEP else decision
            self._session.edits.review_pair(suspect.query, suspect.model, level)
        self._select_next(row)

    @Slot()
    def _show_suspect(self, *_: object) -> None:
        suspect, is_blind = self.current(), self.options.blind
        text = "" if suspect is None or is_blind else f"{suspect.reason[:1].upper()}{suspect.reason[1:]}."
        effect = "" if suspect is None or is_blind else suspect.effect.text
        self.reason.set_summary(f"{text}\nWith the suggested value {effect}." if effect else text)
        self._show_meshes()

    @Slot()
    def _go_to(self, *_: object) -> None:
        """Select query and model of the current suspect in the other panels."""
        suspect = self.current()
        if suspect is not None:
            self._session.select(query=None if suspect.query < 0 else suspect.query, model=suspect.model)

    # Meshes.

    @Slot()
    def _show_meshes(self) -> None:
        suspect = self.current()
        panes: dict[str, PaneContent] = {}
        if suspect is not None and self._queue is not None:
            for pane, (path, caption) in self._contents(suspect).items():
                self.meshes[pane].set_text(caption)
                if path is not None and self.isVisible():
                    panes[pane] = PaneContent(path, *self.meshes[pane].pixel_size())
        self.camera_controller.show(panes)

    def _contents(self, suspect: Suspect) -> dict[str, tuple[Path | None, MeshPane]]:
        """File and caption of each pane."""
        assert self._queue is not None
        benchmark = self._queue.benchmark
        model_path = benchmark.collection.paths[suspect.model]
        name = benchmark.collection.ids[suspect.model]
        detail = "" if self.options.blind else model_class(benchmark, suspect.model)
        model = MeshPane(MODEL, "Model", name, detail, problem="" if model_path else "no file")
        if suspect.query >= 0:
            path, title, role = benchmark.queries.paths[suspect.query], benchmark.queries.ids[suspect.query], "Query"
            detail = ""
        else:
            other = self._example(suspect)
            path, title, role = benchmark.collection.paths[other], benchmark.collection.ids[other], "Suggested"
            detail = "" if self.options.blind else model_class(benchmark, other)
        query = MeshPane(QUERY, role, title, detail, problem="" if path else "no file")
        return {QUERY: (path, query), MODEL: (model_path, model)}

    def _example(self, suspect: Suspect) -> int:
        """A model of the suggested class."""
        assert self._queue is not None
        tree = self._queue.benchmark.classification
        members = np.zeros(0, np.int32) if tree is None else tree.members(suspect.suggested)
        return int(members[0]) if len(members) else suspect.model

    @Slot(str, object)
    def _show_rendered(self, pane: str, result: RenderResult) -> None:
        if pane in self.meshes and result.image is not None:
            self.meshes[pane].set_image(result.image, turnable=not result.info.is_image_file)

    @Slot(object)
    def _move_camera(self, camera: Camera) -> None:
        self.camera_controller.set_camera(camera)
        for mesh in self.meshes.values():
            mesh.set_camera(camera)

    @Slot()
    def _reset_camera(self) -> None:
        camera = self._session.mesh_view_state.camera
        self.camera_controller.reset_camera(camera)
        for mesh in self.meshes.values():
            mesh.set_camera(camera)

    def showEvent(self, event: QShowEvent) -> None:
        """Request the meshes."""
        super().showEvent(event)
        self._show_meshes()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop rendering."""
        super().hideEvent(event)
        self.camera_controller.show({})

    @Slot()
    def _export(self) -> None:
        trigger_export(self)

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


#: Decision to keep the present level or label.
KEEP = -1

#: Decision by key.
DECISION_KEYS = {Qt.Key.Key_0: 0, Qt.Key.Key_1: 1, Qt.Key.Key_2: 2, Qt.Key.Key_3: 3, Qt.Key.Key_Space: KEEP}
