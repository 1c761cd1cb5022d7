"""What can be done with a run wherever it is named: the entries of a menu."""

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from shrec_viewer.viewmodels.selection import NOTHING
from shrec_viewer.viewmodels.session import Session


class RunActions(QObject):
    """Adds what can be done with one run to a menu, and does it.

    Parameters
    ----------
    run : place of the run in the benchmark.
    menu : takes the entries, and owns this.
    """

    def __init__(self, session: Session, run: int, menu: QMenu) -> None:
        super().__init__(menu)
        self._session = session
        self._run = run
        assert session.benchmark is not None
        self._name = session.benchmark.runs[run].name
        self._menu = menu
        self._fill()

    def _fill(self) -> None:
        selection, name = self._session.selection, self._name.replace("&", "&&")
        drawn = selection.drawn_runs
        look = self._menu.addAction(self.tr("&Look at {name} (run A)").format(name=name))
        look.setEnabled(self._run != selection.run)
        look.triggered.connect(self._look)
        if selection.compared == self._run:
            words, receiver = self.tr("Stop &comparing with {name}"), self._stop
        else:
            words, receiver = self.tr("&Compare with {name} (run B)"), self._compare
        compare = self._menu.addAction(words.format(name=name))
        compare.setEnabled(self._run != selection.run or selection.compared == self._run)
        compare.triggered.connect(receiver)
        self._menu.addSeparator()
        hide = self.tr("&Hide in graphs") if self._run in drawn else self.tr("S&how in graphs")
        self._menu.addAction(hide).triggered.connect(self._toggle)
        alone = self.tr("Draw all runs in graphs") if drawn == (self._run,) else self.tr("Draw &alone in graphs")
        self._menu.addAction(alone).triggered.connect(self._isolate)
        self._menu.addAction(self.tr("C&olour…")).triggered.connect(self._colour)
        usual = self._menu.addAction(self.tr("&Usual colour"))
        usual.setEnabled(self._name in self._session.edits.colours)
        usual.triggered.connect(self._usual_colour)
        self._menu.addSeparator()
        self._menu.addAction(self.tr("Copy &name of the run")).triggered.connect(self._copy)

    @Slot()
    def _look(self) -> None:
        self._session.select(run=self._run)

    @Slot()
    def _compare(self) -> None:
        self._session.select(compared=self._run)

    @Slot()
    def _stop(self) -> None:
        self._session.select(compared=NOTHING)

    @Slot()
    def _toggle(self) -> None:
        self._session.edits.toggle_run(self._run)

    @Slot()
    def _isolate(self) -> None:
        self._session.edits.isolate_run(self._run)

    @Slot()
    def _colour(self) -> None:
        self._session.pointing.want_colour(self._run)

    @Slot()
    def _usual_colour(self) -> None:
        self._session.edits.set_colour(self._name, "")

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._name)
