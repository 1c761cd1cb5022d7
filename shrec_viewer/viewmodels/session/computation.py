"""Base class of models that compute a result from the session in a background task."""

from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Work


class SessionComputation(QObject):
    """A result that depends on some values of the session, computed in a background task while it is active.

    Subclasses implement `inputs` and `work`. On each signal of the session, the inputs are compared with the previous
    ones, and a task is started if they changed. While inactive, nothing is computed.

    Parameters
    ----------
    key : key of the task.
    failure : message for an exception, e.g. ``"The runs cannot be compared"``.
    keeps_result : keep the previous result until the new one is computed, so that a view does not flicker.

    Signals
    -------
    changed()
        `result` was replaced.
    """

    changed = Signal()

    empty: Any = None
    """Value of `result` if there is nothing to compute."""

    def __init__(
        self, session: Session, key: str, failure: str, parent: QObject | None = None, *, keeps_result: bool = False
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._key, self._failure, self._keeps_result = key, failure, keeps_result
        self._result = self.empty
        self._inputs: tuple[Any, ...] = ()
        self._active = False
        self._path = session.path
        session.benchmark_changed.connect(self._reset)
        session.runs_reloaded.connect(self.update_result)
        session.profile_changed.connect(self.update_result)
        session.scores_changed.connect(self.update_result)
        session.selection_changed.connect(self.update_result)

    @property
    def result(self) -> Any:
        """The latest result, or `empty`."""
        return self._result

    def inputs(self) -> tuple[Any, ...]:
        """Values that the result depends on; empty if there is nothing to compute."""
        raise NotImplementedError

    def work(self, *inputs: Any) -> tuple[Work, str]:
        """Work function for these inputs, and the title of the task."""
        raise NotImplementedError

    def reset(self) -> None:
        """Reset values that depend on the benchmark; called when another one was opened, before the update."""

    def prepare(self) -> None:
        """Called before each update while active; may change the session."""

    def is_current(self, old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
        """Whether the result for the inputs `old` is also valid for the inputs `new`."""
        return len(old) == len(new) and all(a is b or a == b for a, b in zip(old, new, strict=True))

    def set_active(self, active: bool) -> None:
        """Start or stop computing; called by views when they are shown and hidden."""
        self._active = active
        self.update_result()

    @Slot()
    def update_result(self) -> None:
        """Start a task if the inputs changed."""
        if not self._active and not self._inputs:
            return
        if self._active:
            self.prepare()
        inputs = self.inputs()
        if self.is_current(self._inputs, inputs):
            return
        self._inputs = inputs if self._active else ()
        if not inputs or not self._keeps_result:
            self.set_result(self.empty)
        if not self._inputs:
            self._session.tasks.stop(self._key)
            return
        work, title = self.work(*inputs)
        self._session.tasks.run(self._key, work, self.set_result, self._fail, part=self.set_result, title=title)

    def set_result(self, result: Any) -> None:
        """Replace the result; called in the main thread."""
        if result is not self.empty or self._result is not self.empty:
            self._result = result
            self.changed.emit()

    @Slot()
    def _reset(self) -> None:
        self.reset()
        if self._session.path != self._path:
            self._path = self._session.path
            self._inputs = ()
            self.set_result(self.empty)
        self.update_result()

    def _fail(self, error: Exception) -> None:
        self.set_result(self.empty)
        self._session.report_failure(self._failure, error)
