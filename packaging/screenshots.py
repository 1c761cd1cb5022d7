"""Save screenshots of the window: any benchmark, five perspectives, two sizes, two themes.

    python packaging/screenshots.py --output build/screenshots
    python packaging/screenshots.py --benchmark ../shared/data/shrec06 --output build/shrec06

Works without a display (Qt's offscreen platform, the default here); with ``--platform xcb`` on a real one.
"""

import argparse
import os
import sys
import time
from pathlib import Path

SIZES = ((1280, 800), (1920, 1080))
"""The smallest supported screen and the most common one."""

THEMES = ("light", "dark")

PERSPECTIVES = ("query", "compare", "campaign", "diagnose", "assess")

RENDER_S = 2.0
"""Seconds for the 3D view: choosing a renderer takes half a second, the full resolution is rendered last."""

TIMEOUT_S = 120.0
"""Seconds for one screenshot; rendering all thumbnails takes a tenth of it."""


def main() -> int:
    """Save the requested screenshots."""
    options = _options()
    os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")
    if options.platform:
        os.environ["QT_QPA_PLATFORM"] = options.platform
    from PySide6.QtWidgets import QApplication

    from shrec_viewer.app.startup.settings import SettingsFile
    from shrec_viewer.app.startup.theme import ThemeSelector
    from shrec_viewer.app.window.main_window import MainWindow
    from shrec_viewer.resources import resource

    app = QApplication(sys.argv[:1])
    options.output.mkdir(parents=True, exist_ok=True)
    window = MainWindow(ThemeSelector(app), SettingsFile(None))
    window.painted.connect(window.assemble)
    window.resize(*SIZES[0])
    window.show()
    _wait(app, lambda: window.session is not None)
    for size in reversed(SIZES):
        _take(app, window, options.output, "welcome", size)
    window.open_path(options.benchmark or resource("demo"))
    _wait(app, lambda: _is_drawn(window))
    _select(window, options)
    _wait(app, lambda: _is_drawn(window))
    for size in SIZES:  # not the other way round: a list that grows scrolls back, and the selected query is out of view
        for perspective in PERSPECTIVES:
            window.workspace.show_perspective(perspective)
            window.workspace.focus_centre()  # as the commands do
            _take(app, window, options.output, perspective, size)
    window.close()
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--benchmark", type=Path, help="benchmark to open (default: the bundled demo)")
    parser.add_argument("--output", type=Path, default=Path("build/screenshots"), help="folder for the screenshots")
    parser.add_argument("--query", help="id of the query to select")
    parser.add_argument("--run", help="name of the run to select")
    parser.add_argument("--compared", help="name of the run to compare with")
    parser.add_argument("--rank", type=int, help="rank to select")
    parser.add_argument("--platform", default="offscreen", help="Qt platform; xcb for a real display")
    return parser.parse_args()


def _select(window, options: argparse.Namespace) -> None:
    session = window.session
    if options.query is not None:
        session.select(query=session.benchmark.queries.index[options.query])
    if options.run is not None:
        session.select(run=[run.name for run in session.benchmark.runs].index(options.run))
    names = [run.name for run in session.benchmark.runs]
    if options.compared is not None:
        session.select(compared=names.index(options.compared))
    elif len(names) > 1:
        session.select(compared=next(index for index in range(len(names)) if index != session.selection.run))
    if options.rank is not None:
        session.select(rank=options.rank)


def _take(app, window, folder: Path, name: str, size: tuple[int, int]) -> None:
    """Screenshots in every theme."""
    window.resize(*size)
    _settle(app)
    if window.session.is_open:
        window.workspace.reset_layout()
        _settle(app)
        _wait(app, lambda: _is_drawn(window))
        _settle(app, RENDER_S)
    for theme in THEMES:
        window.set_theme_choice(theme)
        _wait(app, lambda: _is_laid_out(window))
        path = folder / f"{name}-{size[0]}x{size[1]}-{theme}.png"
        window.grab().save(str(path))
        print(path)


def _is_drawn(window) -> bool:
    from shrec_viewer.app.startup.selftest import is_drawn

    return is_drawn(window)


def _is_laid_out(window) -> bool:
    """Whether the panels of the perspective are complete."""
    return not window.session.is_open or window.workspace.perspective_window.is_complete


def _wait(app, holds) -> None:
    end = time.monotonic() + TIMEOUT_S
    while not holds():
        app.processEvents()
        time.sleep(0.005)
        if time.monotonic() > end:
            sys.exit("timeout: the window is not drawn")
    _settle(app)


def _settle(app, seconds: float = 0.3) -> None:
    """Process events until timers of a few frames have fired: thumbnails, layouts."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        app.processEvents()
        time.sleep(0.005)


if __name__ == "__main__":
    sys.exit(main())
