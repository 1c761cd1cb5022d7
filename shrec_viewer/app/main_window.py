"""The window: a welcome page until something is open, then the workspace; menus, messages, drag and drop."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Signal, Slot
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QMainWindow, QWidget

from shrec_viewer.app.commands import COMMANDS, usual_keys
from shrec_viewer.app.desk import PROGRAM, Desk
from shrec_viewer.app.drops import Drops
from shrec_viewer.app.first_paint import FirstPaint
from shrec_viewer.app.looks import Looks
from shrec_viewer.app.menus import Menus
from shrec_viewer.app.pages import Pages
from shrec_viewer.app.recent import Recents, is_demo
from shrec_viewer.app.settings import LAYOUT_VERSION, Settings, SettingsFile
from shrec_viewer.resources import resource
from shrec_viewer.widgets.message_shelf import MessageShelf
from shrec_viewer.widgets.message_strip import MessageStrip

if TYPE_CHECKING:
    from shrec_viewer.app.workspace import Workspace
    from shrec_viewer.formats.folder import Parts
    from shrec_viewer.viewmodels.session import Session

FIRST_SIZE = (1280, 800)
"""Pixels of the window on the first start: the smallest screen we draw for."""

SHOW_FINDINGS = "Show the findings"
"""The one action that messages of the window offer."""

WELCOME_COMMANDS = ("open_folder", "open_demo", "palette", "keys")
"""Commands whose keys the welcome page shows; each does something while nothing is open."""


class MainWindow(QMainWindow):
    """The frame of the program.

    It shows itself at once and makes session and views after its first picture: numpy, pyqtgraph and the readers take
    longer to import than a person cares to wait.

    Parameters
    ----------
    looks : light or dark.
    memory : where settings are read from and written to.
    pictures : whether pictures of models are made; False saves the processes that draw them.

    Signals
    -------
    painted()
        The window was drawn for the first time.
    assembled()
        `session` and `workspace` are there; what was asked for meanwhile is being opened.
    """

    painted = Signal()
    assembled = Signal()

    def __init__(self, looks: Looks, memory: SettingsFile, *, pictures: bool = True) -> None:
        super().__init__()
        self.session: Session | None = None
        self.workspace: Workspace | None = None
        self.settings = memory.read()
        looks.choose(self.settings.theme, self.settings.text_size)  # before widgets are made: they take their font then
        self._memory = memory
        self.is_remembering = memory.is_kept
        self._pictures = pictures
        self._looks = looks
        self._waiting: tuple[Path, Parts | None, str | None] | None = None
        self._has_failed = False
        self._first_paint = FirstPaint(self)
        self._drops = Drops(self)
        self.strip = MessageStrip()
        self.shelf = MessageShelf(self)
        self.pages = Pages()
        self.welcome = self.pages.welcome
        self.menus = Menus(self, self.menuBar())
        self.desk = Desk(self, self.menus)
        self._recents = Recents(self.welcome, self.menus, self)
        self._build()
        self._connect()
        self._show_settings()
        self._show_state()

    def as_widget(self) -> QWidget:
        """See `Frame.as_widget`."""
        return self

    # What can be asked of it.

    def open_path(self, path: Path, parts: "Parts | None" = None, profile: str | None = None) -> None:
        """Open a folder or file as soon as the session is there."""
        if self.session is None:
            self._waiting = (path, parts, profile)
            self.pages.show_reading(path)
            if self._has_failed:
                self.assemble()
            return
        if not self.desk.prepare(path):
            self._show_page()
            return
        if self.session.benchmark is None:
            self.pages.show_reading(path)
        self.session.open(path, parts, profile)

    def open_demo(self) -> None:
        """Open the bundled benchmark."""
        try:
            self.open_path(resource("demo"))
        except FileNotFoundError as error:
            self.tell("error", f"The demo cannot be opened: {error}")

    def set_theme_choice(self, choice: str) -> None:
        """``"system"``, ``"light"`` or ``"dark"``; remembered."""
        self.remember(replace(self.settings, theme=choice))
        self._looks.choose(choice)
        self._show_state()

    def set_card_size(self, size: str) -> None:
        """``"S"``, ``"M"``, ``"L"`` or pixels as digits; remembered."""
        self.remember(replace(self.settings, card_size=size))
        if self.workspace is not None and (results := self.workspace.made("results")) is not None:
            results.set_card_size(size)  # type: ignore[attr-defined]
        self._show_state()

    @Slot(str, QWidget)
    def _welcome_panel(self, key: str, panel: QWidget) -> None:
        self.menus.give_keys(key, panel)
        self.desk.dress(panel)
        if key == "results":
            panel.set_card_size(self.settings.card_size)  # type: ignore[attr-defined]
            panel.sizes.settled.connect(self.set_card_size)  # type: ignore[attr-defined]

    @Slot(str, str)
    def tell(self, severity: str, text: str, details: str = "") -> None:
        """Put a message into the strip."""
        self.strip.show_message(severity, text, details)

    @Slot(str, str)
    def tell_error(self, sentence: str, details: str) -> None:
        """Put an error into the strip, and go back to what can be used."""
        self.tell("error", sentence, details)
        self._show_page()

    # How it comes to life.

    @Slot()
    def assemble(self) -> None:
        """Make session and views; called once, after the first picture."""
        if self.session is not None:
            return
        self._has_failed = True
        try:
            self._assemble()
        except Exception:
            self._waiting = None  # opening something else tries again
            self._show_page()
            raise
        self._has_failed = False
        self._show_state()
        self.assembled.emit()
        if self._waiting is not None:
            (path, parts, profile), self._waiting = self._waiting, None
            self.open_path(path, parts, profile)

    def _assemble(self) -> None:
        from shrec_viewer.app.assembly import make_session
        from shrec_viewer.app.status_bar import StatusBar
        from shrec_viewer.app.suggestion_strip import SuggestionStrip
        from shrec_viewer.app.workspace import Workspace
        from shrec_viewer.panels.import_strip import ImportStrip

        session = make_session(self, pictures=self._pictures)
        workspace = Workspace(session)
        workspace.panel_made.connect(self._welcome_panel)
        workspace.restore(self.settings.layouts, self.settings.layout_version, self.settings.perspective)
        self.pages.set_workspace(workspace)
        status = StatusBar(session)
        self.setStatusBar(status)
        status.findings_requested.connect(self._show_findings)
        status.tasks_requested.connect(self.menus.actions["show_tasks"].trigger)
        self.pages.reading.action_requested.connect(session.stop)
        status.hide()
        for strip in (SuggestionStrip(session), ImportStrip(session)):
            self.shelf.add(strip)
        self._recents.start()
        self.menus.set_docks(workspace.dock_actions())
        session.benchmark_changed.connect(self._show_benchmark)
        session.failed.connect(self.tell_error)
        session.progress.connect(self._show_progress)
        workspace.perspective_changed.connect(self._show_state)
        for signal in (session.selection_changed, session.list_changed, session.scores_changed):
            signal.connect(self._show_state)
        self.session, self.workspace = session, workspace
        self.desk.attach(session, workspace)

    def _build(self) -> None:
        self.setWindowTitle(PROGRAM)
        self.resize(*FIRST_SIZE)
        self.shelf.add(self.strip)
        self.setCentralWidget(self.pages)
        self.welcome.set_shortcuts(usual_keys(WELCOME_COMMANDS))

    def _connect(self) -> None:
        self._first_paint.painted.connect(self.painted)
        self._drops.held.connect(self.welcome.set_dropping)
        self._drops.dropped.connect(self._take_dropped)
        self._drops.refused.connect(self.tell)
        self._recents.picked.connect(self._open_picked)
        self.welcome.demo_requested.connect(self.open_demo)
        self.welcome.open_requested.connect(self.menus.actions["open_folder"].trigger)
        self.strip.action_requested.connect(self._show_findings)
        self.shelf.changed.connect(self._show_state)
        for action in self.menus.actions.values():
            action.triggered.connect(self._run_command)

    @Slot()
    def _run_command(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            command = next(command for command in COMMANDS if command.key == action.data())
            command.run(self)
            self._show_state()

    # What it shows.

    def _show_settings(self) -> None:
        if self.settings.geometry:
            self.restoreGeometry(QByteArray(self.settings.geometry))
        elif (screen := QGuiApplication.primaryScreen()) is not None:
            self.resize(self.size().boundedTo(screen.availableSize()))
        self._recents.set_names(self.settings.recent)

    def _show_state(self, *_: object) -> None:
        self.menus.show_state(self)

    def _show_page(self) -> None:
        """The workspace where something is open, what is being read, or the welcome page."""
        is_open = self.session is not None and self.session.benchmark is not None
        if self.session is not None:
            self.desk.show_bars(is_open)
            self.statusBar().setVisible(is_open)
            self._lay_out()  # so that the docks are shown in the room they will have
        if is_open:
            self.pages.show_workspace()
        elif self._waiting is None and not (self.session is not None and self.session.is_opening):
            self.pages.show_welcome()

    def _lay_out(self) -> None:
        if (layout := self.layout()) is not None:
            layout.activate()

    @Slot()
    def _show_benchmark(self) -> None:
        from shrec_viewer.viewmodels.words import trouble_words

        assert self.session is not None
        benchmark, path = self.session.benchmark, self.session.path
        self.strip.dismiss()
        if benchmark is not None and (words := trouble_words(benchmark)):
            self.strip.show_message("error" if benchmark.has_errors else "warning", words, action=SHOW_FINDINGS)
        if path is not None and not is_demo(path):
            self.remember(self.settings.with_recent(path.resolve()))
        self._show_page()
        self._show_state()
        if benchmark is not None and self.workspace is not None:
            self.workspace.focus_centre()  # so that arrows and letters work at once

    @Slot(str, int, int)
    def _show_progress(self, text: str, done: int, total: int) -> None:
        if text:
            self.pages.show_progress(text, done, total)
        else:
            self._show_page()

    @Slot()
    def _show_findings(self, action: str = SHOW_FINDINGS) -> None:
        if self.workspace is not None and action == SHOW_FINDINGS:
            self.workspace.show_panel("findings")

    # What comes from outside.

    @Slot(object)
    def _open_picked(self, path: Path) -> None:
        self.open_path(path)

    @Slot(object)
    def _take_dropped(self, paths: tuple[Path, ...]) -> None:
        if not self.desk.take_dropped(paths):
            self.open_path(paths[0])

    def closeEvent(self, event: QCloseEvent) -> None:
        """Qt override; remember where everything stands, then end all work."""
        settings = replace(self.settings, geometry=bytes(self.saveGeometry().data()))
        if self.workspace is not None:
            layouts, perspective = self.workspace.layout_states(), self.workspace.perspective
            settings = replace(settings, layouts=layouts, layout_version=LAYOUT_VERSION, perspective=perspective)
        self.remember(settings)
        if self.session is not None:
            self.desk.close()
            self.session.shut_down()
        self._recents.close()
        super().closeEvent(event)

    def remember(self, settings: Settings) -> None:
        """Take over and write down other settings."""
        if settings != self.settings:
            self.settings, former = settings, self.settings
            if settings.recent != former.recent:
                self._recents.set_names(settings.recent)
            self._memory.write(settings)
