"""Central panel with the suspect under review: both models, the reason, and a button for each decision."""

from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QToolButton, QWidget

from shrec_viewer.charts.mesh_pane import MeshPane
from shrec_viewer.content.diagnosis.shape_difference import NearDuplicateRequest, near_duplicate
from shrec_viewer.content.suspects import Decisions, DecisionsRequest, decisions
from shrec_viewer.diagnosis.suspects import Suspect, SuspectQueue
from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.edits import level_of
from shrec_viewer.panels.diagnosis.suspects import ReviewedPanel, ReviewKeys, example_of
from shrec_viewer.panels.mesh_view.near_duplicate import NEAR_DUPLICATE_USES, NearDuplicateLine
from shrec_viewer.panels.panel import row_layout
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.workers.model_readers import ModelSource
from shrec_viewer.viewmodels.content.data import styles_by_name
from shrec_viewer.viewmodels.mesh_view.rendering import RenderResult
from shrec_viewer.viewmodels.mesh_view.scene import CameraController, PaneContent
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.review import pair_of
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.consequences import change_of_means, short_change_of_means
from shrec_viewer.viewmodels.text.labels import level_name, model_class, query_class
from shrec_viewer.widgets.controls.controls import ElidingLabel, ElidingLine, SummaryLabel
from shrec_viewer.widgets.controls.judgement import JudgementButton
from shrec_viewer.widgets.controls.layouts import column_of, row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel, set_tooltip
from shrec_viewer.widgets.mesh_view.mesh_view import MeshView
from shrec_viewer.widgets.plots.rank_axis import RankAxis, RankPoint
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon

#: Prefix of the render keys of this panel.
REVIEW_KEY_PREFIX = "review "

#: Panes: the query, or for labels a model of the suggested class, and the doubtful model.
QUERY, MODEL = "query", "model"

#: Height in pixels below which a mesh is not shown.
MIN_MESH_HEIGHT = 80

#: Places by which the arrow keys go through the suspects.
STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}

#: Question about a pair and about a label.
PAIR_QUESTION, LABEL_QUESTION = "Is {model} relevant to {query}?", "Does {model} belong to {label}?"

#: Effect of the decision that changes nothing.
AS_NOW = "as it is now"


class ReviewPanel(ReviewedPanel):
    """The suspect of `Session.review`; 0, 1, 2 and space decide about it, Down and Up go to the others.

    While the panel is visible, query and model of the suspect are selected, so that the other panels show them.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._review = session.review
        self.question, self.place = ElidingLabel(scale=1.15, bold=True), PlainLabel(muted=True)
        self.previous, self.next = QToolButton(), QToolButton()
        self.blind = self.controls.check_box("blind")
        self.meshes = {QUERY: MeshView(), MODEL: MeshView()}
        self.reason, self.ranks_title, self.ranks = SummaryLabel(), ElidingLine(token="muted"), RankAxis()
        self.buttons = {value: JudgementButton(str(value)) for value in range(4)}
        self.skip = JudgementButton("↓")
        self.camera_controller = CameraController(session.mesh_view_state.source, REVIEW_KEY_PREFIX, self)
        self.consequences = self.computation_of(decisions, "Consequences of the decisions")
        self.near_duplicate = NearDuplicateLine(session)
        self.twin = self.computation_of(near_duplicate, "Near-duplicate", uses=NEAR_DUPLICATE_USES)
        self._build()
        self._connect()
        self.set_theme(current_theme())
        self._reset_camera()
        self.update_request()

    def show_result(self, result: SuspectQueue) -> None:
        """See `RequestPanel`; in the order of the evidence, unless the panel Suspects has another one."""
        if result is not self._review.queue:
            self._review.show(result, tuple(pair_of(suspect) for suspect in result.suspects))
        self._show_suspect()

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`."""
        super().show_changes(old, new)
        if new.differs(old, "benchmark", "scores", "measure"):
            self._show_suspect()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are updated by `apply_theme`."""
        self.previous.setIcon(icon("chevron-left", theme))
        self.next.setIcon(icon("chevron-right", theme))
        self._show_decisions()

    def _build(self) -> None:
        keys = ReviewKeys(self._review, self, STEPS)
        for widget in (self, *self.meshes.values(), *self.buttons.values(), self.skip):
            widget.installEventFilter(keys)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # the tab key goes to its buttons, which have the same keys
        self.setAccessibleName("Review of the suspect")
        for button, name in ((self.previous, "Previous suspect (Up)"), (self.next, "Next suspect (Down)")):
            button.setAccessibleName(name)
            set_tooltip(button, name)
        self.skip.set_texts("Skip")
        header = row_layout()
        for part in (self.question, self.place, self.previous, self.next, self.blind):
            header.addWidget(part, 1 if part is self.question else 0)
        for mesh in self.meshes.values():
            mesh.setMinimumSize(MIN_MESH_HEIGHT, MIN_MESH_HEIGHT)
        side, gap = (2 * SPACE, 0, 2 * SPACE, 0), 3 * SPACE
        pictures = row_of(*((mesh, 1) for mesh in self.meshes.values()), spacing=gap, margins=side)
        self._ranks_column = QWidget()
        self._ranks_column.setLayout(column_of(self.ranks_title, self.ranks, spacing=0, margins=0))
        reason = row_of(
            (self.reason, 1), (self._ranks_column, 1), spacing=gap, margins=(2 * SPACE, SPACE, 2 * SPACE, 0)
        )
        judgements = row_of(
            *((button, 2) for button in self.buttons.values()), (self.skip, 1),
            spacing=gap, margins=(2 * SPACE, SPACE, 2 * SPACE, 2 * SPACE),
        )  # fmt: skip
        self._body = QWidget()
        self._body.setLayout(column_of((pictures, 1), reason, self.near_duplicate, judgements, spacing=0, margins=0))
        self.set_body(header, self._body, stretch=self._body)

    def _connect(self) -> None:
        session = self._session
        self._review.changed.connect(self._show_suspect)
        session.run_styles.changed.connect(self._show_decisions)
        self.consequences.changed.connect(self._show_decisions)
        self.twin.changed.connect(self._show_twin)
        self.previous.clicked.connect(self._go_back)
        self.next.clicked.connect(self._go_on)
        self.skip.clicked.connect(self._go_on)
        for button in self.buttons.values():
            button.clicked.connect(self._decide)
        self.camera_controller.rendered.connect(self._show_rendered)
        session.mesh_view_state.camera_changed.connect(self._reset_camera)
        for mesh in self.meshes.values():
            mesh.camera_moved.connect(self._move_camera)
            mesh.resized.connect(self._show_meshes)

    @Slot()
    def _go_on(self) -> None:
        self._review.step(1)

    @Slot()
    def _go_back(self) -> None:
        self._review.step(-1)

    @Slot()
    def _decide(self) -> None:
        button = self.sender()
        if isinstance(button, JudgementButton):
            self._review.decide(int(button.key))

    # The suspect.

    @property
    def _benchmark(self) -> Benchmark:
        """That in which the suspects were searched."""
        assert self._review.queue is not None
        return self._review.queue.benchmark

    @property
    def is_pair(self) -> bool:
        """Whether levels of pairs are reviewed, and not labels."""
        return self._review.queue is not None and self._review.queue.by == "pair"

    def _values(self) -> tuple[int, ...]:
        """The possible decisions."""
        assessment = self._benchmark.assessment
        return (0, *(() if assessment is None else assessment.levels)) if self.is_pair else (0, 1)

    @Slot()
    def _show_suspect(self) -> None:
        review, suspect = self._review, self._review.current
        self.set_options(review.options)
        self._body.setVisible(suspect is not None)
        self.previous.setEnabled(review.position > 0)
        self.next.setEnabled(review.position + 1 < len(review.pairs))
        self.twin.set_request(None if suspect is None or self.options.blind else NearDuplicateRequest(suspect.model))
        self._show_twin()
        if suspect is None:
            self.consequences.set_request(None)
            self.camera_controller.show({})
            self.question.setText("No suspects: nothing in the assessment contradicts the runs")
            self.place.setText("")
            return
        names = {
            "model": self._benchmark.collection.ids[suspect.model],
            "query": "" if suspect.query < 0 else self._benchmark.queries.ids[suspect.query],
            "label": self._class_name(suspect.current),
        }
        self.question.setText((PAIR_QUESTION if self.is_pair else LABEL_QUESTION).format(**names))
        self.place.setText(f"{review.position + 1} of {len(review.pairs)} · {review.n_decided} reviewed")
        self.ranks_title.setText(f"Rank of {names['model']} in the runs")
        self.reason.set_summary("" if self.options.blind else f"{suspect.reason[:1].upper()}{suspect.reason[1:]}.")
        self._ranks_column.setVisible(self.is_pair and not self.options.blind)
        assert review.queue is not None
        self.consequences.set_request(DecisionsRequest(suspect, review.queue.by, self._session.measure, self._values()))
        self._show_decisions()
        self._show_meshes()
        if self.isVisible():
            self._session.select(query=None if suspect.query < 0 else suspect.query, model=suspect.model)

    @Slot()
    def _show_twin(self) -> None:
        suspect = self._review.current
        found = None if self.options.blind else self.twin.result
        self.near_duplicate.show_result(-1 if suspect is None else suspect.model, found)

    def _class_name(self, label: int) -> str:
        tree = self._benchmark.classification
        return "" if tree is None or self.is_pair else tree.names[label]

    @Slot()
    def _show_decisions(self) -> None:
        """Name the buttons, with what each would change, and show the ranks."""
        suspect = self._review.current
        if suspect is None:
            return
        found: Decisions | None = self.consequences.result if self.consequences.is_current else None
        present = self._present(suspect)
        suggested = suspect.suggested if self.is_pair else 1
        for value, button in self.buttons.items():
            button.setVisible(value in self._values())
            if value not in self._values():
                continue
            effects, is_suggested = ("", ""), value == suggested and not self.options.blind
            if not self.options.blind:
                effects = (AS_NOW, AS_NOW) if value == present else self._effects(found, value)
            name = self._name(suspect, value)
            button.set_texts(f"{name} · suggested" if is_suggested else name, *effects, suggested=is_suggested)
        self._show_ranks(found)

    def _present(self, suspect: Suspect) -> int:
        """The decision that would change nothing now."""
        if self.is_pair:
            return level_of(self._session.benchmark, suspect.query, suspect.model)
        return self._review.decision or 0

    def _name(self, suspect: Suspect, value: int) -> str:
        if self.is_pair:
            assessment = self._benchmark.assessment
            levels = () if assessment is None else assessment.levels
            return level_name(value, levels).removesuffix(f" ({value})")
        if self.options.blind and value:
            return "another class"
        return self._class_name(suspect.suggested if value else suspect.current)

    def _effects(self, found: Decisions | None, value: int) -> tuple[str, str]:
        """What a decision would change, in full and short."""
        if found is None:
            return "…", "…"
        means = found.runs, found.before, found.after[value], self._session.measure
        return change_of_means(*means), short_change_of_means(*means)

    def _show_ranks(self, found: Decisions | None) -> None:
        points: list[RankPoint] = []
        if found is not None and len(found.ranks):
            styles = styles_by_name(self._session, current_theme().name)
            names = [run.name for run in self._session.benchmark.runs]
            points = [RankPoint(names[row], int(found.ranks[row]), styles[names[row]].colour)
                      for row in np.flatnonzero(found.ranks)]  # fmt: skip
        self.ranks.set_ranks(points, len(self._benchmark.collection), 0 if found is None else found.class_size)

    # Meshes.

    @Slot()
    def _show_meshes(self) -> None:
        suspect, panes = self._review.current, {}
        if suspect is not None:
            for pane, (path, caption) in self._contents(suspect).items():
                self.meshes[pane].set_text(caption)
                if path is not None and self.isVisible():
                    panes[pane] = PaneContent(ModelSource(path), *self.meshes[pane].pixel_size())
        self.camera_controller.show(panes)

    def _contents(self, suspect: Suspect) -> dict[str, tuple[Path | None, MeshPane]]:
        """File and caption of each pane."""
        benchmark, is_blind = self._benchmark, self.options.blind
        collection, queries = benchmark.collection, benchmark.queries
        path, name = collection.paths[suspect.model], collection.ids[suspect.model]
        level = (
            level_of(self._session.benchmark, suspect.query, suspect.model) if self.is_pair and not is_blind else None
        )
        detail = "" if is_blind else model_class(benchmark, suspect.model)
        model = MeshPane(MODEL, "Model", name, detail, level=level, problem="" if path else "no file")
        if self.is_pair:
            other, role = queries.paths[suspect.query], "Query"
            title, detail = queries.ids[suspect.query], query_class(benchmark, suspect.query)
        else:
            assert self._review.queue is not None
            example = example_of(self._review.queue, suspect)
            other, role, title = collection.paths[example], "Suggested", collection.ids[example]
            role, detail = ("Other", "") if is_blind else (role, model_class(benchmark, example))
        query = MeshPane(QUERY, role, title, detail, problem="" if other else "no file")
        return {QUERY: (other, query), MODEL: (path, model)}

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
        """Select the suspect and request its meshes."""
        super().showEvent(event)
        self._show_suspect()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop rendering."""
        super().hideEvent(event)
        self.camera_controller.show({})
