"""Watch whether a file is opened by any code of this process, Qt's C++ code included."""

import ctypes
import os
import struct
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

IN_OPEN = 0x20
EVENT = struct.Struct("iIII")


class Canary:
    """A PNG file that nothing should open, and the markup by which Qt would.

    The file is in a folder of its own with a short path, so that the markup can be part of a file name.
    """

    def __init__(self) -> None:
        from PySide6.QtGui import QColor, QImage

        self.path = Path(mkdtemp(prefix="c")) / "canary.png"
        image = QImage(40, 40, QImage.Format.Format_RGB32)
        image.fill(QColor("red"))
        assert image.save(str(self.path))
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._watch = self._libc.inotify_init1(os.O_NONBLOCK)
        assert self._watch >= 0
        assert self._libc.inotify_add_watch(self._watch, os.fsencode(self.path), IN_OPEN) >= 0

    @property
    def markup(self) -> str:
        """HTML that opens the file in rich text; it is a valid file name, and has ``&`` and blanks."""
        path = str(self.path).replace("/", "&#47;")
        return f"<img src={path}><table background={path}><td>"

    def times_opened(self) -> int:
        """How often the file was opened since the last call."""
        try:
            events = os.read(self._watch, 65536)
        except BlockingIOError:
            return 0
        return len(events) // EVENT.size

    def close(self) -> None:
        os.close(self._watch)
        rmtree(self.path.parent)
