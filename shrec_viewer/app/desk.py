"""What stands beside the views: tool bars, the way back, and the windows that a key calls up."""

from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QToolBar, QWidget

from shrec_viewer.app.commands.command import plain
from shrec_viewer.app.commands.edit import ROWS as EDIT_ROWS
from shrec_viewer.app.commands.edit import colour_run
from shrec_viewer.app.menus import Menus
from shrec_viewer.app.settings import Settings
from shrec_viewer.widgets.picture_motion import set_animations
from shrec_viewer.widgets.theme import (
    apply_animations,
    apply_contrast,
    apply_preset,
    apply_text_size,
    current_theme,
)

if TYPE_CHECKING:
    from shrec_viewer.app.dropped import Dropped
    from shrec_viewer.app.error_dialog import ErrorDialog
    from shrec_viewer.app.project_files import ProjectFiles
    from shrec_viewer.app.workspace import Workspace
    from shrec_viewer.viewmodels.history import History
    from shrec_viewer.viewmodels.session import Session

PROGRAM = "SHREC Viewer"


class Desk(QObject):
    """Made with the window; what needs a session is there once `attach` was called.

    Parameters
    ----------
    window : the main window; a `Frame`.
    menus : its actions.
    """

    def __init__(self, window: Any, menus: Menus) -> None:
        super().__init__(window)
        self._window = window
        self._menus = menus
        self._bars: list[QToolBar] = []
        self._errors: ErrorDialog | None = None
        self.history: History | None = None
        self.projects: ProjectFiles | None = None
        self.dropped: Dropped | None = None
        self._repainting = QTimer(self, interval=0, singleShot=True)
        settings = window.settings
        self.apply_settings(settings, replace(Settings(), theme=settings.theme, card_size=settings.card_size))

    def attach(self, session: "Session", workspace: "Workspace") -> None:
        """Build what needs a session."""
        from shrec_viewer.app.convention_bar import ConventionBar
        from shrec_viewer.app.dropped import Dropped
        from shrec_viewer.app.project_files import ProjectFiles
        from shrec_viewer.app.tool_bar import ToolBar
        from shrec_viewer.viewmodels.history import History

        self.history = History(session)
        self.projects = ProjectFiles(self._window, session, keeps_notes=self._window.is_remembering)
        self.dropped = Dropped(self._window, session)
        for part in (self.projects, self.dropped):
            self._window.strip.action_requested.connect(part.act)
        self._bars = [ToolBar(session, self._menus.actions), ConventionBar(session)]
        for bar in self._bars:
            bar.hide()
            self._window.addToolBar(bar)
        self._window.insertToolBarBreak(self._bars[1])
        session.edits.stack.indexChanged.connect(self._show_steps)
        session.edits.stack.cleanChanged.connect(self._show_steps)
        self.history.changed.connect(self._show_state)
        if (handle := self._window.windowHandle()) is not None:
            handle.installEventFilter(self)  # it sees the buttons of the mouse before any widget does
        self._repainting.timeout.connect(self._repaint)
        session.edits.colours_changed.connect(self._repainting.start)  # where a benchmark goes, not all know it yet
        session.pointing.help_wanted.connect(self.show_measures)
        session.pointing.note_wanted.connect(self._menus.actions["write_note"].trigger)
        session.pointing.colour_wanted.connect(self._ask_colour)
        session.done.connect(self._tell_done)
        session.live.told.connect(self._window.tell)
        session.live.outlived.connect(self._window.strip.take_back)
        session.live.set_following(self._window.settings.follow)
        self._choose_renderer(self._window.settings.renderer)
        session.benchmark_changed.connect(self._show_title)
        self.projects.path_changed.connect(self._show_title)
        self._show_steps()

    def prepare(self, path: Path) -> bool:
        """Whether `path` can be opened; a project is looked into first, and asks for a folder that is gone."""
        is_file = self.projects is not None and path.suffix.lower() == ".shrec" and path.is_file()
        return not is_file or self.projects is None or self.projects.open(path)

    def take_dropped(self, paths: tuple[Path, ...]) -> bool:
        """Do what is to be done with something dropped; False where it is only to be opened, or has to wait."""
        if self.dropped is None:
            return False
        self.dropped.take(paths)
        return True

    def close(self) -> None:
        """Keep what is unsaved: the window closes."""
        if self.projects is not None:
            self.projects.unsaved.keep()

    # Bars.

    def bar(self, name: str) -> QToolBar:
        """The tool bar with this object name."""
        return next(bar for bar in self._bars if bar.objectName() == name)

    def show_bars(self, is_open: bool) -> None:
        """Show the bars while something is open, the second one where the person wants it."""
        for bar in self._bars:
            bar.setVisible(is_open and (bar is self._bars[0] or self._window.settings.convention_bar))

    def show_conventions(self, shown: bool) -> None:
        """Show or hide the second bar; remembered."""
        self._window.remember(replace(self._window.settings, convention_bar=shown))
        self.show_bars(self._window.session is not None and self._window.session.benchmark is not None)

    # Windows.

    def show_palette(self) -> None:
        """Look for anything by its name."""
        from shrec_viewer.app.palette import Palette

        Palette(self._window).open()

    def show_keys(self) -> None:
        """List all keys."""
        from shrec_viewer.app.cheat_sheet import CheatSheet

        CheatSheet(self._window).open()

    @Slot(str)
    def show_measures(self, key: str = "") -> None:
        """Explain a measure, or all."""
        from shrec_viewer.app.measure_help import MeasureHelp

        MeasureHelp(self._window, key).show()

    def show_preferences(self) -> None:
        """Let the person choose how the program looks and behaves."""
        from shrec_viewer.app.preferences import Preferences

        Preferences(self._window).show()

    def show_about(self) -> None:
        """Show what this is, in which version, on what."""
        from shrec_viewer.app.about import About

        About(self._window, self._window.session).open()

    @Slot(str, str)
    def show_error(self, sentence: str, details: str) -> None:
        """Tell of an error nobody foresaw, with all there is to copy into a report."""
        from shrec_viewer.app.error_dialog import ErrorDialog

        if self._errors is None:
            self._errors = ErrorDialog(self._window)
        self._errors.show_error(sentence, details)

    # Settings.

    def change_settings(self, settings: Settings) -> None:
        """Take over what the person prefers, at once and for the next start."""
        before = self._window.settings
        self._window.remember(settings)
        self.apply_settings(settings, before)
        self._show_state()

    def apply_settings(self, settings: Settings, before: Settings) -> None:
        """Let everything follow the settings that differ from those before."""
        differing = {row.name for row in fields(Settings) if getattr(settings, row.name) != getattr(before, row.name)}
        app = QApplication.instance()
        if not isinstance(app, QApplication):
            return
        if "theme" in differing:
            self._window.set_theme_choice(settings.theme)
        if "text_size" in differing:
            apply_text_size(app, settings.text_size, patiently=True)
        if "relevance" in differing:
            apply_contrast(app, settings.relevance == "contrast", patiently=True)
            apply_preset(settings.relevance, app.allWidgets())
        if "animations" in differing:
            apply_animations(app, settings.animations)
            set_animations(app, settings.animations)
        if "card_size" in differing:
            self._window.set_card_size(settings.card_size)
        if "keys" in differing:
            self._menus.rebind(settings.keys)
        if "convention_bar" in differing:
            self.show_conventions(settings.convention_bar)
        session = self._window.session
        if "follow" in differing and session is not None:
            session.live.set_following(settings.follow)
        if "renderer" in differing and session is not None:
            self._choose_renderer(settings.renderer)

    def _choose_renderer(self, prefer: Any) -> None:
        """Draw thumbnails and 3D views with this from now on."""
        self._window.session.thumbnails.set_renderer(prefer)
        self._window.session.orbit.source.set_preference(prefer)

    def dress(self, panel: QWidget) -> None:
        """Let a panel that was just made follow the settings as well."""
        relevance = self._window.settings.relevance
        if relevance != Settings().relevance:
            apply_preset(relevance, [panel, *panel.findChildren(QWidget)])

    # What it follows.

    @Slot()
    def _show_state(self, *_: object) -> None:
        self._menus.show_state(self._window)

    @Slot()
    def _repaint(self) -> None:
        """A run has another colour: views take the colours of runs anew when they dress."""
        for widget in self._window.findChildren(QWidget):
            if (tell := getattr(widget, "set_theme", None)) is not None:  # as `Themed` has it; asking for that is slow
                tell(current_theme())

    @Slot(int)
    def _ask_colour(self, run: int) -> None:
        colour_run(self._window, run)

    @Slot(str)
    def _tell_done(self, sentence: str) -> None:
        self._window.tell("info", sentence)

    @Slot()
    def _show_title(self) -> None:
        """The title names what is open, and the file of the project before it."""
        benchmark = self._window.session.benchmark
        path = None if self.projects is None else self.projects.path
        names = () if benchmark is None else (path.name, benchmark.name) if path else (benchmark.name,)
        self._window.setWindowTitle(" – ".join((*(f"{name}[*]" for name in names[:1]), *names[1:], PROGRAM)))

    @Slot()
    def _show_steps(self, *_: object) -> None:
        """Menus say what would be undone; the title says whether anything is unsaved."""
        stack = self._window.session.edits.stack
        for row, text in ((EDIT_ROWS[0], stack.undoText()), (EDIT_ROWS[1], stack.redoText())):
            action = self._menus.actions[row.key]
            action.setText(f"{row.text} {text}".rstrip())
            action.setToolTip(f"{plain(row)} {text}".rstrip())
        self._window.setWindowModified(not stack.isClean())
        self._show_state()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; the two buttons at the side of a mouse lead back and forward."""
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent) and self.history is not None:
            if event.button() == Qt.MouseButton.BackButton:
                self.history.back()
                return True
            if event.button() == Qt.MouseButton.ForwardButton:
                self.history.forward()
                return True
        return super().eventFilter(watched, event)
