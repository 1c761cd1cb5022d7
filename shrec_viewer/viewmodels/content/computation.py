"""Results of pure functions of data and a request, computed in the background while a view needs them."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.content.data import ContentData
from shrec_viewer.content.request import Request
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.edits import original_assessment
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task

#: Parts of the data that a result can depend on.
PARTS: Mapping[str, Callable[[Session], Any]] = {
    "benchmark": lambda session: session.benchmark,
    "runs": lambda session: session.benchmark.runs,
    "assessment": lambda session: session.benchmark.assessment,
    "original assessment": lambda session: original_assessment(session.benchmark),
    "measured runs": lambda session: tuple(run for run in session.benchmark.runs if not run.expression) or None,
    "profile": lambda session: session.profile,
    "scores": lambda session: session.scores,
    "former": lambda session: session.unedited_scores,
    "baselines": lambda session: session.versions.baseline_scores,
    "edits": lambda session: session.edits.levels,
    "versions": lambda session: session.versions.store,
    "assessments": lambda session: session.assessments.available or None,
}

#: Parts without which there is a result too.
OPTIONAL_PARTS = ("former", "baselines", "edits", "versions")


#: Shown instead of a result whose task the user cancelled.
STOPPED_TEXT = "Cancelled."

#: Time in seconds from which a message says that another measure replaced a running task.
LONG_TASK_S = 2.0


class Computation(QObject):
    """The result of ``function(data, request)`` for the session as it is now.

    It is computed again when the request, or a part of the data that it uses, is another one, and only while it is
    active. Parts and requests are compared, so that signals of the session that concern others cost nothing.

    Parameters
    ----------
    key : of the task.
    function : pure; runs in a background task unless `quick`. A `ShrecViewerError` is no failure but the reason why
        there is no result.
    uses : keys of `PARTS`.
    title : of the task.
    failure : message for other exceptions, ``"The runs cannot be compared"``.
    keeps_result : keep the previous result until the new one is computed, so that a view does not flicker.
    quick : compute in the main thread; for functions of a few milliseconds. Or which requests are quick.

    Attributes
    ----------
    result : the latest result; None where there is none.
    problem : why there is no result, where the function said so.
    request : the latest request.

    Signals
    -------
    changed()
        `result` or `problem` was replaced.
    """

    changed = Signal()

    def __init__(
        self,
        session: Session,
        key: str,
        function: Callable[[ContentData, Any], Any],
        *,
        uses: Sequence[str] = ("scores",),
        title: str = "",
        failure: str = "",
        keeps_result: bool = False,
        quick: bool | Callable[[ContentData, Any], bool] = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._key, self._function, self._uses = session, key, function, tuple(uses)
        self._title, self._failure = title or key, failure or f"{title or key} cannot be shown"
        self._keeps_result, self._quick = keeps_result, quick
        self.request: Request | None = None
        self._inputs: tuple[Any, ...] = ()
        self._path = session.path
        self._viewers: set[int] = set()
        self._active = quick is True
        self.problem = ""
        self.result: Any = None

    @property
    def is_current(self) -> bool:
        """Whether `result` is that of the present session and request, and not kept from former ones."""
        return bool(self._inputs) and self.result is not None and _equal(self._inputs, self._wanted_inputs())

    def set_request(self, request: Request | None) -> None:
        """Compute the result of a request; None for nothing. Called again whenever the session changed."""
        self.request = request
        self.update_result()

    def set_active(self, active: bool, viewer: object = None) -> None:
        """Start or stop computing; called by views when they are shown and hidden.

        Parameters
        ----------
        viewer : the view, where several show one result: it is computed while any of them is shown.
        """
        (self._viewers.add if active else self._viewers.discard)(id(viewer))
        self._active = bool(self._viewers) or self._quick is True
        if active:  # a view is also hidden while it and the session are destroyed
            self.restart()

    @property
    def is_stopped(self) -> bool:
        """Whether the user cancelled the task."""
        return self.problem == STOPPED_TEXT

    def restart(self) -> None:
        """Compute what the user cancelled, or what changed."""
        if self.is_stopped:
            self._inputs = ()
        self.update_result()

    @Slot()
    def update_result(self) -> None:
        """Compute if the request or a used part of the data changed."""
        if self._session.path != self._path:
            self._path, self._inputs = self._session.path, ()
            self._set_result(None)
        wanted = self._wanted_inputs()
        if _equal(self._inputs, wanted) or (not self._active and not self._inputs):
            return
        if wanted and self._inputs and self._active:
            self._report_replaced(wanted[0])
        self._inputs = wanted if self._active else ()
        if not self._inputs or not self._keeps_result or self.problem:  # without a view, too: it holds a benchmark
            self._set_result(None)
        if not self._inputs:
            self._session.tasks.stop(self._key)
            return
        data = content_data(self._session)
        assert self.request is not None
        if self._quick(data, self.request) if callable(self._quick) else self._quick:
            self._session.tasks.stop(self._key)
            try:
                self._set_result(self._function(data, self.request))
            except ShrecViewerError as error:
                self._set_problem(str(error))
            return
        work = _Work(self._function, data, self.request)
        set_result = self._set_result
        self._session.tasks.run(
            self._key, work, set_result, self._fail, part=set_result, stopped=self._show_stopped, title=self._title
        )

    def _wanted_inputs(self) -> tuple[Any, ...]:
        """Request and used parts; empty if one is missing."""
        if self.request is None or not self._session.is_open:
            return ()
        parts = [PARTS[name](self._session) for name in self._uses]
        if any(part is None and name not in OPTIONAL_PARTS for name, part in zip(self._uses, parts, strict=True)):
            return ()
        return (self.request, *parts)

    def _report_replaced(self, request: Request) -> None:
        """Say that a long task is cancelled for this request, if it is that of another measure."""
        old, new = (getattr(one, "measure", "") for one in (self._inputs[0], request))
        tasks = self._session.tasks.running if new != old else ()
        if any(task.key == self._key and time.monotonic() - task.since >= LONG_TASK_S for task in tasks):
            self._session.message.emit("info", f"{self._title}: computed again for {new}: the measure changed", "")

    def _set_result(self, result: Any) -> None:
        if result is not None or self.result is not None or self.problem:
            self.result, self.problem = result, ""
            self.changed.emit()

    def _set_problem(self, problem: str) -> None:
        self.result, self.problem = None, problem
        self.changed.emit()

    def _show_stopped(self) -> None:
        if self._inputs:  # not by `update_result`, which wants no result
            self._set_problem(STOPPED_TEXT)

    def _fail(self, error: Exception) -> None:
        if isinstance(error, ShrecViewerError):
            self._set_problem(str(error))
            return
        self._set_result(None)
        self._session.report_failure(self._failure, error)


def _equal(old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
    """Whether inputs are the same: tuples part by part, as the tuple of runs may be a new one."""
    return len(old) == len(new) and all(
        a is b
        or (isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b) and all(map(_same, a, b)))
        or (not isinstance(a, tuple) and a == b)
        for a, b in zip(old, new, strict=True)
    )


def _same(a: Any, b: Any) -> bool:
    return a is b or bool(a == b)


class _Work:
    """The function with its data, for a background task."""

    def __init__(self, function: Callable[[ContentData, Any], Any], data: ContentData, request: Request) -> None:
        self._function, self._data, self._request = function, data, request

    def __call__(self, task: Task) -> Any:
        data = replace(self._data, cancelled=task.cancelled, progress=task.progress, send=task.send)
        return self._function(data, self._request)
