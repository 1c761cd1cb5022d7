"""Draws models that turn in a process of its own, so that neither a driver nor a large model holds the window up."""

import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from shrec_viewer.domain.errors import Cancelled
from shrec_viewer.render.painting import Draw, Drop, Keep, Kept, serve_painting
from shrec_viewer.render.processes import start_process
from shrec_viewer.render.renderer import Prefer

_PATIENCE = 30.0
"""Seconds one picture may take, as for thumbnails."""

_START = 60.0
"""Seconds the process may take to start, on a machine with a cold disk and a virus scanner."""

_LOOK = 0.05
"""Seconds between two looks whether anybody still waits for the answer."""

_BEHIND = 2
"""Steps of `nice` by which it gives way: the window comes first, but somebody turns a model and waits."""

_UNLUCKY = 2
"""Deaths in a row, without a picture in between, after which the driver is held guilty: numpy has no driver."""


class PainterError(Exception):
    """The process died or hangs, and with it all that it kept; the text says why, a few words."""


class Painter:
    """Keeps meshes ready and draws them; belongs to one thread. The process starts with the first that is asked of it.

    In a thread, OpenGL's library would hold the interpreter while a picture is drawn: without a GPU for 10 to 30 ms, in
    which the window does nothing. And a driver that crashes costs a picture here, and not the program.

    Parameters
    ----------
    prefer : ``"auto"``, ``"gl"`` or ``"software"``.
    cancelled : whether nobody waits any more; asked while this object waits, which then raises `Cancelled`.
    patience : seconds that one picture may take.
    """

    def __init__(self, prefer: Prefer, cancelled: Callable[[], bool], patience: float = _PATIENCE) -> None:
        self._prefer: Prefer = prefer
        self._cancelled = cancelled
        self._patience = patience
        self._connection: Any = None
        self._process: Any = None
        self._deaths, self._why = 0, ""  # in a row, and of the last one
        self.description = ""
        """The driver in words; "" before the process has started."""

    @property
    def is_running(self) -> bool:
        """Whether there is a process, which holds 100 MB."""
        return self._process is not None

    def warm(self) -> None:
        """Let the process start, as there will be something to draw soon; waits for nothing."""
        if self._process is None:
            prefer: Prefer = "software" if self._deaths >= _UNLUCKY else self._prefer
            self._connection, self._process = start_process(serve_painting, (prefer,), "painter", gives_way=_BEHIND)
            self.description = ""

    def start(self) -> None:
        """Wait until the process can draw.

        Raises
        ------
        Cancelled
        PainterError
            It does not start on this machine, whatever draws.
        """
        while not self.description:
            self.warm()
            try:
                self.description = str(self._answer(_START))
            except PainterError:
                if self._deaths > _UNLUCKY:
                    raise
            else:
                if self._deaths >= _UNLUCKY and self._prefer != "software":
                    self.description += f", as OpenGL {self._why}"

    def keep(self, path: Path, packed: bytes) -> Kept:
        """Make a packed mesh ready, that goes by a path from now on.

        Raises
        ------
        Cancelled, PainterError
        """
        self.start()
        self._tell(Keep(path), packed)
        kept: Kept = self._answer(self._patience)
        return kept

    def draw(self, order: Draw) -> tuple[bytes, str]:
        """The picture of a mesh that is kept, as `painting.premultiplied` gives it, or b"" and why there is none.

        Raises
        ------
        Cancelled, PainterError
        """
        self._tell(order)
        problem = str(self._answer(self._patience))
        if problem:
            return b"", problem
        try:
            picture: bytes = self._connection.recv_bytes()
        except (EOFError, OSError) as error:
            raise self._lost(self._last_words()) from error
        self._deaths = 0
        return picture, ""

    def drop(self, *paths: Path) -> None:
        """Keep these no longer."""
        if paths and self._process is not None:
            with suppress(OSError):  # it is dead, as the next order will notice
                self._connection.send(Drop(paths))

    def stop(self) -> None:
        """End the process at once, and with it all it kept; it starts again with the next that is asked of it."""
        process, self._process, self.description = self._process, None, ""
        if process is None:
            return
        with suppress(OSError):
            self._connection.close()
        with suppress(OSError, ValueError, AttributeError):
            process.kill()
            process.join(5.0)

    def _tell(self, order: Keep | Draw, data: bytes = b"") -> None:
        try:
            if self._process is None:
                raise EOFError
            self._connection.send(order)
            if data:
                self._connection.send_bytes(data)
        except (EOFError, OSError) as error:
            raise self._lost(self._last_words()) from error

    def _answer(self, seconds: float) -> Any:
        end = time.monotonic() + seconds
        try:
            while not self._connection.poll(_LOOK):
                if self._cancelled():
                    raise Cancelled
                if time.monotonic() > end:
                    raise self._lost(f"takes longer than {seconds:.0f} seconds to draw")
            return self._connection.recv()
        except (EOFError, OSError) as error:
            raise self._lost(self._last_words()) from error

    def _lost(self, why: str) -> PainterError:
        self._deaths += 1
        self._why = why
        self.stop()
        return PainterError(why)

    def _last_words(self) -> str:
        if self._process is None:
            return "was not ready to be drawn"
        self._process.join(1.0)
        code = self._process.exitcode
        if code is not None and code < 0:
            with suppress(ValueError):
                return f"makes the drawing process crash ({signal.Signals(-code).name})"
        return f"makes the drawing process end (status {code})"
