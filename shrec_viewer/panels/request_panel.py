"""Panels that show the chart or table of a request."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from shrec_viewer.content.contents import Content, content_of
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.request import Request
from shrec_viewer.panels.controls import OptionControls
from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.panels.panel import BasePanel, missing_scores_reason
from shrec_viewer.viewmodels.content.computation import Computation
from shrec_viewer.viewmodels.content.data import followed
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.scope import scope_parts, scope_texts
from shrec_viewer.widgets.style.theme import Theme, current_theme

R = TypeVar("R", bound=Request)

#: Options whose values are part of the names of files, in this order.
FILE_NAME_OPTIONS = ("measure", "curve", "value", "query", "queries", "models", "runs", "highlight")

#: Values of one option in the name of a file, at most.
MAX_NAMES = 2


class RequestPanel(BasePanel, Generic[R]):
    """Shows what a request asks for: its options are set by controls and stored in projects, or follow the session.

    Subclasses place the controls of `controls` and display the result in `show_result`. *Copy*, *Export…* and *Copy as
    command* take `requests`.

    Parameters
    ----------
    request : the options; those set in the panel have their defaults.
    icon : see `BasePanel`.
    uses : parts of the data that the result depends on, see `Computation`; () for a panel that shows its content with
        other models: it overrides `show_options`, and `request` for what is exported.
    quick : see `Computation`.
    runs : number of runs that the panel requires.
    computation : of the result, where two panels share one; `uses`, `quick` and `compute` apply to others.

    Signals
    -------
    options_changed()
        `options` was replaced.
    """

    options_changed = Signal()

    #: Title of the panel while its result is computed.
    waiting = "Computing…"

    def __init__(
        self,
        session: Session,
        request: R,
        icon: str = "curves",
        *,
        uses: tuple[str, ...] = ("scores",),
        quick: bool = False,
        runs: int = 1,
        computation: Computation | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(icon, parent)
        self._session, self._options, self._required_runs, self._has_result = session, request, runs, bool(uses)
        self._was_shown = False  # a shared result may be known before the panel exists
        self._default: R = request
        self.row: Content = content_of(request)
        self._scope_parts = scope_parts(request)
        self.controls = OptionControls(request, self)
        self.computation = computation or Computation(
            session,
            f"panel {request.kind}",
            self.compute,
            uses=uses,
            title=self.row.short_title,
            keeps_result=True,
            quick=quick,
            parent=self,
        )
        self._computations = [self.computation]
        self.controls.changed.connect(self.set_option)
        self.computation.changed.connect(self._show)
        self.empty.action_requested.connect(self._start_again)
        session.changed.connect(self._follow_session)
        session.versions.baseline_changed.connect(self._follow)
        session.run_styles.changed.connect(self._follow_styles)

    def computation_of(
        self,
        function: Callable[[ContentData, Any], Any],
        title: str,
        *,
        uses: tuple[str, ...] = ("scores",),
        quick: Callable[[ContentData, Any], bool] | bool = False,
    ) -> Computation:
        """A further result of the panel, which is computed while the panel is visible; see `Computation`."""
        made = Computation(
            self._session, f"{self.row.key} {function.__name__}", function, uses=uses, title=title, keeps_result=True,
            quick=quick, parent=self,
        )  # fmt: skip
        self._computations.append(made)
        return made

    # Request.

    @property
    def options(self) -> R:
        """The options set in the panel; others have their defaults."""
        return self._options

    def request(self) -> R | None:
        """The request shown: `options`, with those that follow the session; None where there is nothing to show."""
        return followed(self._session, self._options)  # type: ignore[return-value]

    def requests(self) -> tuple[Request, ...]:
        """What is exported: the request shown first, then those of the table of a figure and of further tables."""
        request = None if self.is_empty else self.request()
        return () if request is None else (request,)

    def shown_scope(self) -> tuple[str, ...]:
        """See `BasePanel`; what the options depend on that follow the session."""
        return scope_texts(self._session, self._scope_parts)

    def export(self) -> ExportContent:
        """The first figure, the first table and further tables of the requests, and the parts of file names."""
        requests = self.requests()
        if not requests:
            return ExportContent()
        figure = next((one for one in requests if content_of(one).chart is not None), None)
        tables = [one for one in requests if content_of(one).table is not None]
        return ExportContent(
            figure,
            tables[0] if tables else None,
            self.export_names(),
            tables={content_of(one).short_title: one for one in tables[1:]},
        )

    def export_names(self) -> tuple[str, ...]:
        """Parts of the names of files: measure, query and run of the request shown."""
        request = self.request()
        return () if request is None else file_names(request)

    @Slot(str, object)
    def set_option(self, name: str, value: Any) -> None:
        """Set one option and show the result."""
        self.set_options(self._options.with_values(**{name: value}))

    def set_options(self, options: R) -> None:
        """Set all options and show the result."""
        if options != self._options:
            self._options = options
            self.controls.set_request(options)
            self.options_changed.emit()
            self.show_options()
            self.update_request()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Set the options that a project contains; unknown and wrong ones have their defaults."""
        options, _ = self._default.with_state(state)
        self.set_options(options)

    # Result.

    def compute(self, data: Any, request: Any) -> Any:
        """What is shown: the chart, else the table. A pure function, called in a background task."""
        function = self.row.chart or self.row.table
        assert function is not None
        return function(data, request)

    def show_result(self, result: Any) -> None:
        """Display the result; called when it, a style or the theme changed. Provided by subclasses."""
        raise NotImplementedError

    def show_options(self) -> None:
        """Called when `options` was replaced; for panels without a result of a request."""

    # Slots are not overridden: PySide 6.10.3 calls a slot that a subclass overrides after the panel was deleted, too.

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        self.show_changes(old, new)

    @Slot()
    def _follow(self) -> None:
        self.update_request()

    @Slot()
    def _follow_styles(self) -> None:
        self.update_view()

    def show_changes(self, old: Document, new: Document) -> None:
        """Show what differs between two documents, see `Session`; subclasses add what is no part of the result."""
        self.update_request()

    def update_request(self) -> None:
        """Compute the result of the present request if it is another one."""
        if not self._has_result:
            return
        self.computation.set_request(self.request())
        if self.computation.result is None or not self._was_shown:
            self._show()

    def update_view(self) -> None:
        """Show the result in other styles; that of a benchmark that was closed is not shown again."""
        if self._has_result:
            self.computation.set_request(self.request())
            self._show()

    @Slot()
    def _show(self, *_: object) -> None:
        self._was_shown = True
        result = self.computation.result
        if result is not None:
            self.show_result(result)
            self.show_content()
        elif self.computation.is_stopped:
            self.show_empty("Cancelled", action="Compute")
        elif self.computation.problem:
            self.show_empty("Nothing to show", self.computation.problem)
        else:
            self.show_reason()

    def show_reason(self) -> None:
        """Show why there is no result yet."""
        self.show_empty(*missing_scores_reason(self._session, runs=self._required_runs, waiting=self.waiting))

    @Slot()
    def _start_again(self) -> None:
        if self.computation.is_stopped:
            self.computation.restart()
        else:
            self.act_on_reason()

    def act_on_reason(self) -> None:
        """Do what the button of `show_reason` says; provided by panels whose reason has one."""

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme and font size."""
        self.update_view()

    @property
    def theme_name(self) -> str:
        """Key of the current theme."""
        return current_theme().name

    def showEvent(self, event: QShowEvent) -> None:
        """Compute what is shown."""
        super().showEvent(event)
        self.update_request()
        for computation in self._computations:
            computation.set_active(True, self)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop computing."""
        super().hideEvent(event)
        for computation in self._computations:
            computation.set_active(False, self)


def file_names(request: Request) -> tuple[str, ...]:
    """Parts of the names of files: measure, query and run of a request."""
    names: list[str] = []
    for name in FILE_NAME_OPTIONS:
        value = getattr(request, name, "")
        values = value if isinstance(value, tuple) else (value,)
        names += [str(one) for one in values if one] if len(values) <= MAX_NAMES else []
    return tuple(dict.fromkeys(names))
