"""Notes that are in no project yet, kept in the person's own folder so that no crash loses them."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from shrec_viewer.formats.atomic import write_whole
from shrec_viewer.viewmodels.edits import Edited

PAUSE_MS = 800
"""Milliseconds after the last key until a note is kept: a pause for thought, and no write at every letter."""


class UnsavedNotes(QObject):
    """Keeps the edits of a session while they are not saved, one file a benchmark.

    Parameters
    ----------
    session : whose edits.
    folder : where; None keeps nothing.

    Signals
    -------
    found(count)
        Edits of an earlier session were never saved; `bring_back` takes them over. Told after the benchmark is open.
    failed(sentence)
        They cannot be kept.
    """

    found = Signal(int)
    failed = Signal(str)

    def __init__(self, session: Any, folder: Path | None) -> None:
        super().__init__(session)
        self._session = session
        self._folder = folder
        self._kept: Edited | None = None
        self._pause = QTimer(self, interval=PAUSE_MS, singleShot=True)
        self._pause.timeout.connect(self.keep)
        session.benchmark_changed.connect(self._look)
        session.edits.changed.connect(self._wait)
        session.edits.stack.cleanChanged.connect(self._wait)

    def bring_back(self) -> None:
        """Take over what was found, as a step that can be undone."""
        if self._kept is not None:
            self._session.edits.take_over(self._kept, "unsaved notes")
            self._kept = None

    @Slot()
    def keep(self) -> None:
        """Write what is unsaved, or forget what was kept once it is saved; at once."""
        self._pause.stop()
        path, edits = self._path(), self._session.edits
        if path is None:
            return
        if edits.stack.isClean():
            if self._kept is None:  # what was offered and not taken stays for another time
                with suppress(OSError):
                    path.unlink(missing_ok=True)
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps(_document(edits.edited, str(self._session.path)), ensure_ascii=False))
        except OSError as error:
            self.failed.emit(f"Notes cannot be kept until they are saved: {error}")

    @Slot()
    def _wait(self, *_: object) -> None:
        if self._session.benchmark is not None:
            self._pause.start()

    @Slot()
    def _look(self) -> None:
        self._pause.stop()
        self._kept = None
        path = self._path()
        if path is None or not path.exists() or not self._session.edits.stack.isClean():
            return
        self._kept = _read(path)
        if self._kept is not None:
            self.found.emit(len(self._kept.notes) or 1)

    def _path(self) -> Path | None:
        opened = self._session.path
        if self._folder is None or opened is None:
            return None
        name = hashlib.sha256(str(opened.resolve()).encode()).hexdigest()[:24]
        return self._folder / f"{name}.json"


def unsaved_folder() -> Path:
    """Where unsaved notes belong on this system."""
    from platformdirs import user_data_path

    return user_data_path("shrec-viewer", appauthor=False) / "unsaved"


def _document(edited: Edited, path: str) -> Mapping[str, Any]:
    return {
        "path": path,
        "notes": dict(edited.notes),
        "colours": dict(edited.colours),
        "hidden": sorted(edited.hidden),
    }


def _read(path: Path) -> Edited | None:
    """What was kept; None where the file is damaged or says nothing."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        edited = Edited(
            {str(key): str(text) for key, text in found["notes"].items()},
            {str(key): str(text) for key, text in found["colours"].items()},
            frozenset(str(name) for name in found["hidden"]),
        )
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return None
    return edited if edited != Edited() else None
