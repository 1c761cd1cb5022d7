"""Panels of other packages, whose faults neither end the window nor leave its event handlers half done."""

import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import wraps
from inspect import CO_VARARGS
from itertools import chain
from traceback import clear_frames
from types import FunctionType
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QGraphicsItem, QWidget

from shrec_viewer.domain import Cancelled, ShrecViewerError
from shrec_viewer.panels.panel import BasePanel, Panel
from shrec_viewer.printable import ExitError, fault_text
from shrec_viewer.viewmodels.session.session import Session

_log = logging.getLogger(__name__)


class GuardedFactory:
    """Factory of a plug-in panel; on failure it logs a warning and returns an empty panel with the error.

    Parameters
    ----------
    panel : row of another package.
    packages : name and version of each package with plug-ins, by the name of its top module.
    """

    def __init__(self, panel: Panel, packages: Mapping[str, str]) -> None:
        self._panel = panel
        self._packages = packages

    def __call__(self, session: Session) -> QWidget:
        """The panel of a session."""
        guard_methods(self._packages)
        try:
            widget = self._panel.factory(session)
            guard_methods(self._packages)  # of modules and classes that it has made
            if not isinstance(widget, QWidget):
                raise TypeError(f"the factory returned {type(widget).__name__} instead of a QWidget")
            return widget
        except BaseException as error:  # Ctrl-C is no exception in a window
            reason = fault_text(error)
            _log.warning("the panel '%s' cannot be created: %s", self._panel.key, reason)
            empty = BasePanel("warning")
            empty.show_empty("The panel cannot be created", f"Panel '{self._panel.key}': {reason}")
            return empty


def guard_methods(packages: Mapping[str, str]) -> None:
    """Guard the methods of all Qt classes of these packages, once each.

    An exception in an override, such as ``sizeHint``, is raised again in the event handlers of the window that led to
    the call.
    """
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in packages:
            vars(module)["SystemExit"] = ExitError  # raised and caught in what is not guarded, as nested functions
    for kind in chain.from_iterable(map(_subclasses, (QObject, QGraphicsItem))):
        if kind.__module__.partition(".")[0] in packages:
            _guard_class(kind)


def _subclasses(kind: type[object]) -> Iterator[type[object]]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def _guard_class(kind: type) -> None:
    for name, method in list(vars(kind).items()):
        if isinstance(method, FunctionType) and not name.startswith("__") and not hasattr(method, "__wrapped__"):
            setattr(kind, name, _guarded(kind, name, method))


def _guarded(kind: type, name: str, method: FunctionType) -> Callable[..., Any]:
    """A method that reports what it raises and then does what its base class does, if that has the method.

    Calls within the package raise, as do those of background tasks, which handle exceptions.
    """
    package = kind.__module__.partition(".")[0]
    # Qt leaves out arguments of a signal that a slot does not take; it sees those of `guarded`, which takes any.
    code = method.__code__
    count = None if code.co_flags & CO_VARARGS else code.co_argcount - 1

    @wraps(method)
    def guarded(self: object, *args: Any, **options: Any) -> Any:
        try:
            return method(self, *args[:count], **options)
        except (ShrecViewerError, Cancelled):
            raise
        except BaseException as error:  # Ctrl-C is no exception in a window
            app = QCoreApplication.instance()
            if app is None or not app.thread().isCurrentThread():  # `QThread.run` has no caller
                raise
            caller = sys._getframe(1).f_globals.get("__name__", "").partition(".")[0]
            if caller == package:
                raise
            sys.excepthook(type(error), error, error.__traceback__)
            clear_frames(error.__traceback__)  # else a QPainter among the variables still paints on the widget
        with suppress(AttributeError, NotImplementedError, TypeError):
            return getattr(super(kind, self), name)(*args, **options)
        return None

    return guarded
