"""Named actions of the soak test: perspectives, conventions, docks, queries, projects, settings."""

import random
from collections import deque
from dataclasses import replace
from pathlib import Path

from soak_dialogs import DialogStubs

from shrec_viewer.metrics import CONVENTIONS, PROFILES, with_convention
from shrec_viewer.panels import PERSPECTIVES, docked_panels


class NamedActions:
    """Calls what menus, bars and dialogs call; the parameters are those of `RandomInput`.

    Attributes
    ----------
    actions : functions and their relative frequencies.
    """

    def __init__(self, window, folder: Path, rng: random.Random, answers: DialogStubs, note, projects) -> None:
        self._window, self._folder, self._rng, self._answers = window, folder, rng, answers
        self._note = note
        self._projects = deque(projects)
        self.actions = (
            (self.perspective, 2), (self.theme, 0.5), (self.profile, 1), (self.convention, 1.5), (self.dock, 4),
            (self.float_dock, 1), (self.query, 6), (self.history, 3), (self.undo, 3), (self.project, 0.7),
            (self.resize, 0.7), (self.reopen, 0.4), (self.demo, 0.2), (self.reload, 0.5), (self.text_size, 0.2),
            (self.preset, 0.3), (self.palette, 0.7), *(((self.alternate, 2),) if projects else ()),
        )  # fmt: skip

    def perspective(self) -> None:
        key = self._rng.choice(PERSPECTIVES).key
        self._note(f"perspective {key}")
        self._window.workspace.show_perspective(key)

    def theme(self) -> None:
        self._note("theme")
        self._window.menus.actions["switch_theme"].trigger()

    def profile(self) -> None:
        key = self._rng.choice(PROFILES).key
        self._note(f"profile {key}")
        self._window.session.set_profile(key)

    def convention(self) -> None:
        choice = self._rng.choice(CONVENTIONS)
        value = self._rng.choice(choice.values).value
        self._note(f"convention {choice.field}={value}")
        self._window.session.set_conventions(with_convention(self._window.session.profile, choice.field, value))

    def dock(self) -> None:
        key = self._rng.choice([panel.key for panel in docked_panels()])
        self._note(f"dock {key}")
        next(row for row in self._window.workspace.dock_actions() if row.data() == key).trigger()

    def float_dock(self) -> None:
        if docks := [dock for dock in self._window.workspace.perspective_window.docks().values() if dock.isVisible()]:
            dock = self._rng.choice(docks)
            self._note(f"float {dock.objectName()}")
            dock.setFloating(not dock.isFloating())

    def query(self) -> None:
        session = self._window.session
        if session.is_open and session.benchmark.runs and len(session.benchmark.queries):
            query = self._rng.randrange(len(session.benchmark.queries))
            run = self._rng.randrange(len(session.benchmark.runs))
            self._note(f"query {query} of run {run}")
            session.select(query=query, run=run)

    def history(self) -> None:
        history = self._window.history
        forward = self._rng.random() < 0.4
        self._note("forward" if forward else "back")
        (history.forward if forward else history.back)()

    def undo(self) -> None:
        stack = self._window.session.edits.stack
        again = self._rng.random() < 0.4
        self._note("redo" if again else "undo")
        (stack.redo if again else stack.undo)()

    def project(self) -> None:
        if not self._window.session.is_open:
            return
        path = self._answers.path(".shrec")
        is_read = path.exists() and self._rng.random() < 0.5
        self._note(f"{'open' if is_read else 'save'} {path.name}")
        (self._window.open_path if is_read else self._window.projects.write)(path)

    def reopen(self) -> None:
        self._note("open the folder")
        self._window.open_path(self._folder)

    def alternate(self) -> None:
        """Open the project of the other benchmark, with a second run and every 3D view in use."""
        session = self._window.session
        if session.is_open and session.benchmark.runs:
            session.select(compared=self._rng.randrange(len(session.benchmark.runs)))
            self._window.workspace.show_panel("mesh_view")
        self._note(f"open the project {self._projects[0].name}")
        self._window.open_path(self._projects[0])
        self._projects.rotate(1)

    def demo(self) -> None:
        self._note("open the demo")
        self._window.open_demo()

    def reload(self) -> None:
        self._note("reload")
        self._window.session.reload()

    def resize(self) -> None:
        width, height = self._rng.randint(900, 1920), self._rng.randint(600, 1080)
        self._note(f"resize {width} x {height}")
        self._window.resize(width, height)

    def text_size(self) -> None:
        self._set(text_size=self._rng.choice((100, 115, 130)))

    def preset(self) -> None:
        self._set(relevance=self._rng.choice(("ordinal", "strict", "contrast", "classic")))

    def palette(self) -> None:
        self._note("palette")
        self._window.show_palette()

    def _set(self, **values) -> None:
        self._note(f"settings {values}")
        self._window.change_settings(replace(self._window.settings, **values))
