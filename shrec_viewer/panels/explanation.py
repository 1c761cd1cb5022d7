"""Shows how a number came about: its formula, the values put in, the ranks used, and where the definition is from."""

from PySide6.QtCore import QUrl, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QTextBrowser, QVBoxLayout

from shrec_viewer.panels.explanation_words import page
from shrec_viewer.panels.pane import Pane
from shrec_viewer.panels.reasons import why_no_numbers
from shrec_viewer.viewmodels.explanations import Explanations
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme


class ExplanationPanel(Pane):
    """A page tied to the session: its ranks and queries can be picked, and pointing at a rank moves the cursor."""

    def __init__(self, session: Session) -> None:
        super().__init__("question")
        self._session = session
        self._theme = current_theme()
        self._explanations = Explanations(session, self)
        self.page = QTextBrowser()
        self.page.setFrameShape(QFrame.Shape.NoFrame)
        self.page.setOpenLinks(False)
        self.page.setAccessibleName(self.tr("How the number came about"))
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
        self._explanations.set_wanted(True)
        self._show()

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt override."""
        super().hideEvent(event)
        self._explanations.set_wanted(False)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self._show()

    @Slot()
    def _show(self) -> None:
        if not self.isVisible():
            return  # a page takes 10 ms to lay out; it is made when somebody looks
        benchmark, found, about = self._session.benchmark, self._explanations.explanation, self._explanations.about
        if benchmark is None or found is None or about is None:
            self.show_empty(*why_no_numbers(self._session))
            return
        selection = self._session.selection
        is_shown = (about.query, about.run) == (selection.query, selection.run)
        place = self.page.verticalScrollBar().value()
        self.page.setHtml(page(found, benchmark, self._session.ranked_list if is_shown else None, self._theme))
        self.page.verticalScrollBar().setValue(place)
        self.show_content()

    @Slot(QUrl)
    def _pick(self, link: QUrl) -> None:
        kind, _, what = link.toString().partition(":")
        benchmark = self._session.benchmark
        if kind == "rank":
            self._session.select(rank=int(what))
        elif kind == "help":
            self._session.pointing.want_help(what)
        elif benchmark is not None and what in benchmark.queries.ids:
            self._session.select(query=benchmark.queries.ids.index(what))

    @Slot(QUrl)
    def _point(self, link: QUrl) -> None:
        kind, _, what = link.toString().partition(":")
        self._session.pointing.point(int(what) if kind == "rank" else None)
