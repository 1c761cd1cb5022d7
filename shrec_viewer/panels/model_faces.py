"""Names and pictures of models for widgets that ask for them one by one."""

from pathlib import Path

from PySide6.QtGui import QPixmap

from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.words import model_class


class SessionFaces:
    """What the lists ask about models, answered from the session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def name(self, item: int) -> str:
        """See `Faces`."""
        benchmark = self._session.benchmark
        return "" if benchmark is None or not 0 <= item < len(benchmark.collection) else benchmark.collection.ids[item]

    def class_name(self, item: int) -> str:
        """See `Faces`."""
        return "" if self._session.benchmark is None else model_class(self._session.benchmark, item)

    def picture(self, item: int) -> QPixmap | None:
        """See `Faces`."""
        return self._session.thumbnails.picture(self.path(item))

    def problem(self, item: int) -> str:
        """See `Faces`."""
        return self._session.thumbnails.problem(self.path(item))

    def path(self, item: int) -> Path | None:
        """File of a model."""
        benchmark = self._session.benchmark
        return (
            None if benchmark is None or not 0 <= item < len(benchmark.collection) else benchmark.collection.paths[item]
        )
