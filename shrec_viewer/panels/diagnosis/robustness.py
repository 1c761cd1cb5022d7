"""Panel about the dependence of the ranking on conventions."""

from collections.abc import Hashable
from dataclasses import replace

from PySide6.QtCore import Slot

from shrec_viewer.content.data import ContentData
from shrec_viewer.content.request import Request
from shrec_viewer.content.robustness import (
    ConventionsRequest,
    RobustnessRequest,
    UnsettledRequest,
    examined,
    table_of_conventions,
    table_of_ranks,
    table_of_unsettled,
)
from shrec_viewer.diagnosis.robustness import Robustness
from shrec_viewer.panels.diagnosis.strips import FoldingSplitter
from shrec_viewer.panels.panel import row_layout
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.panels.scores.order_line import OrderLine
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.tables.record_table import RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

#: Widths of the runs, the changes of conventions and the pairs in pixels, for a window of 1280. The runs have their
#: rank, best and worst; a wider window does not widen them.
SPLIT_SIZES = (295, 200, 180)

RANK_HEADERS = ("Run", "Rank", "Best", "Worst", "Mean")
#: Titles of the columns in the window.
VARIANT_HEADERS = ("Change", "Key", "Pairs reversed", "τ", "τ AP")

#: Column of the changes with their keys, which are in tooltips.
KEY_COLUMN = 1

#: Start of the keys of other measures; these changes have the keys of the measures, as their names differ at the end.
MEASURE = "measure="


class RobustnessPanel(RequestPanel[RobustnessRequest]):
    """Rank intervals of the runs, changes of conventions that reverse pairs, and the pairs that are not settled."""

    waiting = "Comparing conventions…"

    def __init__(self, session: Session) -> None:
        super().__init__(session, RobustnessRequest(), "runs")
        self._shown: Robustness | None = None
        self.caption, self.order = ElidingLine(token="muted"), OrderLine(session, self)
        self.runs_model, self.variants_model, self.pairs_model = (RecordTableModel(self) for _ in range(3))
        self.runs = RecordView(self.runs_model, "Rank intervals of the runs")
        self.variants = RecordView(self.variants_model, "Changes of conventions")
        self.variants.set_stretched(0)
        self.pairs = RecordView(self.pairs_model, "Pairs of runs that change order", stretched=(2,))
        self._build()
        self.variants.row_selected.connect(self._show_pairs)
        self.runs.row_selected.connect(self._select_run)
        self.update_request()

    def request(self) -> RobustnessRequest | None:
        """See `RequestPanel`; None without runs."""
        scores = self._session.scores
        return super().request() if scores is not None and scores.runs else None

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; the three tables in the order on screen."""
        request, change = self.request(), str(self.variants.current_key or "")
        if request is None or self.is_empty:
            return ()
        return (
            replace(request, sort=self.runs_model.sorting),
            ConventionsRequest(measure=request.measure, sort=self.variants_model.sorting),
            UnsettledRequest(measure=request.measure, by=change, sort=self.pairs_model.sorting),
        )

    def compute(self, data: ContentData, request: RobustnessRequest) -> Robustness:
        """See `RequestPanel`."""
        return examined(data, request)

    def _build(self) -> None:
        header = row_layout()
        header.addWidget(self.caption, 1)
        split = FoldingSplitter([[self.runs], [self.variants], [self.pairs]], SPLIT_SIZES, growing=(1, 2))
        self.set_body(header, self.order, split, stretch=split)

    def show_result(self, result: Robustness) -> None:
        """See `RequestPanel`."""
        found, data = result, content_data(self._session)
        self._shown = result
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
        runs, variants = table_of_ranks(data, found), table_of_conventions(data, found)
        keys, labels = ([str(row[column]) for row in variants.rows] for column in (KEY_COLUMN, 0))
        short = [f"Measure: {key.removeprefix(MEASURE)}" if key.startswith(MEASURE) else "" for key in keys]
        rows = tuple((text or row[0], *row[1:]) for text, row in zip(short, variants.rows, strict=True))
        tips = [f"{label}\n{key}" for label, key in zip(labels, keys, strict=True)]
        self.runs_model.set_table(runs, [row[0] for row in runs.rows], headers=RANK_HEADERS)
        self.variants_model.set_table(replace(variants, rows=rows), keys, headers=VARIANT_HEADERS, tips=tips)
        self.variants.setColumnHidden(KEY_COLUMN, True)
        self._show_pairs()

    def show_reason(self) -> None:
        """See `RequestPanel`."""
        self._shown = None
        super().show_reason()

    @Slot()
    def _show_pairs(self, *_: object) -> None:
        """Show the pairs that the selected change reverses; without selection all that are not settled."""
        found, data = self._shown, content_data(self._session)
        if found is None or not self._session.is_open:
            return
        pairs = table_of_unsettled(data, found, str(self.variants.current_key or ""))
        labels = {variant.key: variant.label for variant in found.variants}
        tips: dict[Hashable, str] = {
            (pair.a, pair.b): "\n".join(labels[key] for key in pair.changed_by) for pair in found.pairs
        }
        keys = [row[:2] for row in pairs.rows]
        self.pairs_model.set_table(pairs, keys, headers=pairs.headings, tips=[tips[key] for key in keys])

    @Slot(object)
    def _select_run(self, name: str | None) -> None:
        benchmark = self._session.benchmark
        names = [run.name for run in benchmark.runs]
        if name in names:
            self._session.select(run=names.index(name))
