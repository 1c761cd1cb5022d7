"""Draws models that turn in a process of its own, so that neither a driver nor a large model holds the window up."""

from collections.abc import Callable
from pathlib import Path

from shrec_viewer.render.painting import Draw, Drop, Keep, Kept, serve_painting
from shrec_viewer.render.renderer import Prefer
from shrec_viewer.render.servant import Servant, ServantError

_PATIENCE = 30.0
"""Seconds one picture may take, as for thumbnails."""

_START = 60.0
"""Seconds the process may take to start, on a machine with a cold disk and a virus scanner."""

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
        self._servant = Servant(serve_painting, "draw", "drawing", gives_way=_BEHIND)
        self._deaths, self._why = 0, ""  # in a row, and of the last one
        self.description = ""
        """The driver in words; "" before the process has started."""

    @property
    def is_running(self) -> bool:
        """Whether there is a process, which holds 100 MB."""
        return self._servant.is_running

    def warm(self) -> None:
        """Let the process start, as there will be something to draw soon; waits for nothing."""
        if not self._servant.is_running:
            self.description = ""
            self._servant.start("software" if self._deaths >= _UNLUCKY else self._prefer)

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
                self.description = str(self._servant.answer(_START, self._cancelled))
            except ServantError as error:
                lost = self._lost(error)
                if self._deaths > _UNLUCKY:
                    raise lost from error
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
        try:
            self._servant.tell(Keep(path), packed)
            kept: Kept = self._servant.answer(self._patience, self._cancelled)
        except ServantError as error:
            raise self._lost(error) from error
        return kept

    def draw(self, order: Draw) -> tuple[bytes, str]:
        """The picture of a mesh that is kept, as `painting.premultiplied` gives it, or b"" and why there is none.

        Raises
        ------
        Cancelled, PainterError
        """
        try:
            self._servant.tell(order)
            problem = str(self._servant.answer(self._patience, self._cancelled))
            picture = b"" if problem else self._servant.data()
        except ServantError as error:
            raise self._lost(error) from error
        if picture:
            self._deaths = 0
        return picture, problem

    def drop(self, *paths: Path) -> None:
        """Keep these no longer."""
        if not paths or not self._servant.is_running:
            return
        try:
            self._servant.tell(Drop(paths))
        except ServantError as error:
            self._lost(error)

    def stop(self) -> None:
        """End the process at once, and with it all it kept; it starts again with the next that is asked of it."""
        self._servant.stop()
        self.description = ""

    def _lost(self, error: ServantError) -> PainterError:
        self._deaths += 1
        self._why, self.description = str(error), ""
        return PainterError(self._why)
