"""Entry point of the window: display check, then the Qt application."""

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from shrec_viewer.app.startup.display import missing_display
from shrec_viewer.app.startup.selftest_line import print_selftest
from shrec_viewer.plugins import install_plugins

if TYPE_CHECKING:
    from shrec_viewer.formats.discovery.benchmark import BenchmarkParts


def run_window(
    benchmark: Path | None,
    *,
    parts: "BenchmarkParts | None" = None,
    profile: str | None = None,
    edits: Path | None = None,
    virtual: tuple[str, ...] = (),
    selftest: bool = False,
    started: float | None = None,
) -> int:
    """Open the window, with a benchmark or the welcome page, and return the exit status of the program.

    Parameters
    ----------
    benchmark : path to open; None for the welcome page.
    parts : paths of parts that are outside it, and runs to add.
    profile : its conventions, see `Session.open`.
    edits, virtual : a file with edits of the assessment, and expressions of virtual runs, as undoable edits.
    selftest : wait until everything is drawn, print one line of JSON, close; reads and writes no settings.
    started : `time.perf_counter` at the start of the process, from which milestones are counted.

    Returns
    -------
    int
        0 when the window was closed or the self-test succeeded, 1 when no window can be opened or the self-test failed,
        128 + its number after a signal: 130 after Ctrl-C.
    """
    started = time.perf_counter() if started is None else started
    if reason := missing_display():  # first, since QApplication aborts the process without a display
        return _report_missing_window(reason, selftest)
    os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"
    try:
        from PySide6.QtCore import qInstallMessageHandler
        from PySide6.QtWidgets import QApplication

        from shrec_viewer.app.startup.application import Application, QtApplication
        from shrec_viewer.app.startup.error_reporting import print_qt_message
    except ImportError as error:
        return _report_missing_window(f"no window can be opened: Qt cannot be loaded ({error})", selftest)
    qInstallMessageHandler(print_qt_message)
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QtApplication(sys.argv[:1])
    for failure in install_plugins(panels=True).failures:
        print(f"warning: {failure}", file=sys.stderr)  # noqa: T201 - also listed in About
    application = Application(
        app, benchmark, parts, selftest=selftest, started=started, profile=profile, edits=edits, virtual=virtual
    )
    return application.run()


def _report_missing_window(reason: str, selftest: bool) -> int:
    if selftest:
        print_selftest(reason)
    else:
        print(reason, file=sys.stderr)  # noqa: T201 - there is no window
    return 1
