"""Panel of the classes that cost the selected run most, or by which it differs from run B, with pictures."""

from PySide6.QtCore import Slot

from shrec_viewer.charts.bars import Bars
from shrec_viewer.charts.strips import Tile
from shrec_viewer.content.data import class_name
from shrec_viewer.content.diagnosis.error_budget import ClassCostsRequest
from shrec_viewer.content.diagnosis.examples import ConfusionExamplesRequest, confusion_strips
from shrec_viewer.content.request import Request
from shrec_viewer.content.styles import with_styles
from shrec_viewer.panels.diagnosis.strips import BudgetPanel, FoldingSplitter, RestrictionButton, StripsView
from shrec_viewer.panels.panel import row_layout
from shrec_viewer.viewmodels.content.data import FOLLOWED, styles_by_name
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import query_class
from shrec_viewer.widgets.plots.bar_chart import BarChart

#: Widths in pixels of the bars and the pictures.
SPLIT_SIZES = (360, 320)


class ClassCostsPanel(BudgetPanel[ClassCostsRequest]):
    """Pairs of classes by cost; a click on one shows models of each in the lists of queries of the other."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, ClassCostsRequest(), "curves", uses=("scores",))
        self._key = ""
        self.bars, self.strips = BarChart(), StripsView(session, "confusions")
        self.examples = self.computation_of(confusion_strips, "Confused models")
        header = row_layout()
        for widget in (*self.controls.row(), RestrictionButton(session)):
            header.addWidget(widget)
        header.addStretch(1)
        split = FoldingSplitter(((self.bars,), (self.strips,)), SPLIT_SIZES)
        self.set_body(header, split, stretch=split)
        self.bars.bar_picked.connect(self._pick)
        self.strips.tile_picked.connect(self._pick_tile)
        self.examples.changed.connect(self._show_examples)
        self.update_request()

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; the bars, and the pictures of the marked pair of classes."""
        request, examples = None if self.is_empty else self.request(), self.examples.request
        return tuple(one for one in (request, examples) if one is not None) if request is not None else ()

    def show_result(self, result: Bars) -> None:
        """See `RequestPanel`."""
        self.bars.set_chart(with_styles(result, styles_by_name(self._session, self.theme_name)))
        self._mark()

    def show_changes(self, old: Document, new: Document) -> None:
        """See `RequestPanel`; another query marks a confusion of its class."""
        if new.differs(old, "query", "benchmark"):
            self._key = ""
        super().show_changes(old, new)
        if self.computation.result is not None:
            self._mark()
        else:
            self.examples.set_request(None)

    def _mark(self) -> None:
        """Mark the picked bar; without one the first of the class of the selected query, else the first of all."""
        bars, query = self.computation.result.bars, self._session.selection.query
        if self._key not in [bar.key for bar in bars]:
            name = "" if query == NOTHING else query_class(self._session.benchmark, query)
            own = [bar.key for bar in bars if name and bar.name.startswith(f"{name} → ")]
            self._key = next(iter([*own, *(bar.key for bar in bars)]), "")
        self.bars.set_selected(self._key)
        request, labels = self.request(), [int(label) for label in self._key.split()]
        names = tuple(class_name(self._session.benchmark, label) for label in labels)
        if request is None or len(names) != 2 or not all(names):
            self.examples.set_request(None)
            return
        other = next(iter(FOLLOWED["pair"](self._session)[1:]), "")
        self.examples.set_request(request.of(ConfusionExamplesRequest, classes=names, compared=other))

    @Slot()
    def _show_examples(self) -> None:
        if self.examples.result is not None:
            self.strips.set_chart(self.examples.result)

    @Slot(str)
    def _pick(self, key: str) -> None:
        self._key = key
        self._mark()

    @Slot(int, object)
    def _pick_tile(self, row: int, tile: Tile) -> None:
        """Select the query of the row, and the rank of a model in its list."""
        head, session = self.strips.strips.rows[row][0], self._session
        name = head.caption.removesuffix(f": {session.benchmark.queries.ids[head.index]}")
        run = [one.name for one in session.benchmark.runs].index(name)
        session.select(query=head.index, run=run, rank=tile.rank)
