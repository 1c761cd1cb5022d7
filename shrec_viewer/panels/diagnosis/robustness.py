"""Panel about the dependence of the ranking on conventions."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSplitter

from shrec_viewer.content.robustness import ConventionsRequest, RobustnessRequest, UnsettledRequest
from shrec_viewer.diagnosis.robustness import Robustness
from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.panels.panel import BasePanel, missing_scores_reason, row_layout
from shrec_viewer.printable import separated_text
from shrec_viewer.viewmodels.diagnosis.examinations import RobustnessModel
from shrec_viewer.viewmodels.diagnosis.record_table import Record, RecordTableModel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.tables.record_view import RecordView

SPLIT_SIZES = (295, 200, 180)
"""Widths of the runs, the changes of conventions and the pairs in pixels, for a window of 1280. The runs have their
rank, best and worst; a wider window does not widen them."""


class RobustnessPanel(BasePanel):
    """Rank intervals of the runs, changes of conventions that reverse pairs, and the pairs that are not settled."""

    def __init__(self, session: Session) -> None:
        super().__init__("runs")
        self._session = session
        self.computation = RobustnessModel(session, self)
        self.add_active_model(self.computation)
        self.caption = ElidingLine(token="muted")
        self.runs_model = RecordTableModel(("Run", "Rank", "Best", "Worst", "Mean"), self)
        self.variants_model = RecordTableModel(("Change", "Pairs reversed", "τ", "τ AP"), self)
        self.pairs_model = RecordTableModel(("Better", "Worse", "Reversed by"), self)
        self.runs = RecordView(self.runs_model, "Rank intervals of the runs")
        self.variants = RecordView(self.variants_model, "Changes of conventions")
        self.pairs = RecordView(self.pairs_model, "Pairs of runs that change order")
        self._build()
        self.computation.changed.connect(self._show)
        self.variants.row_selected.connect(self._show_pairs)
        self.runs.row_selected.connect(self._select_run)
        self.runs.copy_requested.connect(self._copy_runs)
        self.variants.copy_requested.connect(self._copy_variants)
        self.pairs.copy_requested.connect(self._copy_pairs)
        session.benchmark_changed.connect(self._show)
        session.scores_changed.connect(self._show)
        self._show()

    def export_content(self) -> ExportContent:
        """See `Panel`; the three tables in the order on screen."""
        found = self.computation.robustness
        if self._session.benchmark is None or found is None:
            return ExportContent()
        measures, row = (found.measure.key,), self.variants.currentIndex().row()
        change = str(self.variants_model.record(row).key) if 0 <= row < self.variants_model.rowCount() else ""
        names = (("run", "rank", "best", "worst", found.measure.key), ("change", "pairs reversed", "tau", "tau AP"))
        columns = (*names, ("better", "worse", "reversed by"))
        models = (self.runs_model, self.variants_model, self.pairs_model)
        sorts = [model.sorted_by(keys) for model, keys in zip(models, columns, strict=True)]
        tables = {
            "Changes": ConventionsRequest(measure=found.measure.key, sort=sorts[1]),
            "Pairs": UnsettledRequest(measure=found.measure.key, by=change, sort=sorts[2]),
        }
        return ExportContent(
            table=RobustnessRequest(measure=found.measure.key, sort=sorts[0]),
            names=measures,
            tables=tables,
        )

    def _build(self) -> None:
        header = row_layout()
        header.addWidget(self.caption, 1)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        for table in (self.runs, self.variants, self.pairs):
            split.addWidget(table)
        split.setSizes(list(SPLIT_SIZES))
        for number in (1, 2):
            split.setStretchFactor(number, 1)
        self.set_body(header, split, stretch=split)

    @Slot()
    def _show(self) -> None:
        found = self.computation.robustness
        if found is None:
            self.show_empty(*missing_scores_reason(self._session, waiting="Comparing conventions…"))
            return
        self.show_content()
        settled = sum(pair.settled for pair in found.pairs)
        kept = f"{settled} of {len(found.pairs)} pairs"
        self.caption.setText(*(
            (
                f"{found.measure.label}: {kept} of runs keep their order under all {len(found.variants)} changes of "
                "the conventions",
                f"{found.measure.key}: {kept} of runs keep their order under all changes",
                f"{found.measure.key}: {kept} keep their order",
                f"{kept} keep their order",
            )
            if found.pairs
            else ("One run: no pair to compare", "One run")
        ))  # fmt: skip
        order = sorted(range(len(found.runs)), key=found.ranks.tolist().__getitem__)
        self.runs_model.set_records([_run_record(found, run) for run in order])
        changes = {variant.key: len(found.changes_of(variant.key)) for variant in found.variants}
        shown = sorted(found.variants, key=lambda variant: -changes[variant.key])
        self.variants_model.set_records([
            Record(variant.key, (variant.label, changes[variant.key], variant.tau, variant.tau_ap), variant.key)
            for variant in shown
        ])  # fmt: skip
        self._show_pairs(-1)

    @Slot(int)
    def _show_pairs(self, row: int) -> None:
        """Show the pairs that the selected change reverses; without selection all that are not settled."""
        found = self.computation.robustness
        if found is None:
            return
        key = self.variants_model.record(row).key if 0 <= row < self.variants_model.rowCount() else None
        labels = {variant.key: variant.label for variant in found.variants}
        pairs = [pair for pair in found.pairs if not pair.settled and (key is None or key in pair.changed_by)]
        self.pairs_model.set_records([
            Record((pair.a, pair.b), (pair.a, pair.b, ", ".join(pair.changed_by)),
                   "\n".join(labels[name] for name in pair.changed_by))
            for pair in reversed(pairs)
        ])  # fmt: skip

    @Slot(int)
    def _select_run(self, row: int) -> None:
        benchmark = self._session.benchmark
        if benchmark is None or not 0 <= row < self.runs_model.rowCount():
            return
        names = [run.name for run in benchmark.runs]
        name = self.runs_model.record(row).key
        if name in names:
            self._session.select(run=names.index(str(name)))

    @Slot()
    def _copy_runs(self) -> None:
        _copy(self.runs_model)

    @Slot()
    def _copy_variants(self) -> None:
        _copy(self.variants_model)

    @Slot()
    def _copy_pairs(self) -> None:
        _copy(self.pairs_model)


def _copy(model: RecordTableModel) -> None:
    QGuiApplication.clipboard().setText(separated_text(model.as_rows(), "\t").removesuffix("\n"))


def _run_record(found: Robustness, run: int) -> Record:
    low, high = (int(rank) for rank in found.intervals[run])
    mean = float(-found.values[run] if found.measure.better == "lower" else found.values[run])
    return Record(found.runs[run], (found.runs[run], int(found.ranks[run]), low, high, mean))
