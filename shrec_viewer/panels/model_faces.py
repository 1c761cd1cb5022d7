"""Names and pictures of models for widgets that ask for them one by one."""

from pathlib import Path

from PySide6.QtGui import QPixmap

from shrec_viewer.domain import Benchmark
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.words import model_class


class SessionFaces:
    """What the lists ask about models, answered from the session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def name(self, item: int) -> str:
        """See `Faces`."""
        benchmark = self._knowing(item)
        return "" if benchmark is None else benchmark.collection.ids[item]

    def class_name(self, item: int) -> str:
        """See `Faces`."""
        benchmark = self._knowing(item)
        return "" if benchmark is None else model_class(benchmark, item)

    def picture(self, item: int) -> QPixmap | None:
        """See `Faces`."""
        return self._session.thumbnails.picture(self.path(item))

    def problem(self, item: int) -> str:
        """See `Faces`."""
        return self._session.thumbnails.problem(self.path(item))

    def path(self, item: int) -> Path | None:
        """File of a model."""
        benchmark = self._knowing(item)
        return None if benchmark is None else benchmark.collection.paths[item]

    def _knowing(self, item: int) -> Benchmark | None:
        """The benchmark where it has the model: lists of one read before may be painted until the new ones are made."""
        benchmark = self._session.benchmark
        return benchmark if benchmark is not None and 0 <= item < len(benchmark.collection) else None
