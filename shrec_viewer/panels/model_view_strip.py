"""Copies and saves the list as a picture."""

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication, QImage

from shrec_viewer.panels.model_view_save import save_beside
from shrec_viewer.viewmodels.picture_strip import PictureStrip
from shrec_viewer.viewmodels.session import Session


class StripKeeper(QObject):
    """Has the strip of the selected query drawn, and puts it where it was asked to."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._strip = PictureStrip(session, self)
        self._target: Path | None = None
        self._strip.made.connect(self._put)

    @property
    def name(self) -> str:
        """What a file of it is called unless the person says otherwise: ``"Q01 B2"``."""
        benchmark, run = self._session.benchmark, self._session.run
        if benchmark is None or run is None:
            return ""
        return f"{benchmark.queries.ids[self._session.selection.query]} {run.name}"

    def copy(self) -> None:
        """Draw it, then into the clipboard."""
        self._target = None
        self._strip.make()

    def save(self, path: Path) -> None:
        """Draw it, then into this file as a PNG."""
        self._target = path
        self._strip.make()

    def _put(self, image: QImage) -> None:
        if self._target is None:
            QGuiApplication.clipboard().setImage(image)
            self._session.done.emit(f"The picture of {self.name} is on the clipboard")
        else:
            save_beside(self._session, image, self._target)
