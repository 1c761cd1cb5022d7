"""A process that does one kind of work for a thread of ours, as seen from that thread."""

import time
from collections.abc import Callable
from typing import Any

from shrec_viewer.domain.errors import Cancelled
from shrec_viewer.render.processes import end_process, last_words, start_process

_LOOK = 0.05
"""Seconds between two looks whether anybody still waits for the answer."""


class ServantError(Exception):
    """The process died or hangs, and with it all that it knew; the text says why, a few words."""


class Servant:
    """Starts the process when it is needed, and ends it where it does not answer. Belongs to one thread at a time.

    Parameters
    ----------
    serve : what the process does, an importable function of its end of the pipe and of what `start` is given.
    verb, noun : what it does, in words: ``"draw", "drawing"``.
    gives_way : see `start_process`.
    """

    def __init__(self, serve: Callable[..., None], verb: str, noun: str, *, gives_way: int) -> None:
        self._serve = serve
        self._verb, self._noun = verb, noun
        self._gives_way = gives_way
        self._connection: Any = None
        self._process: Any = None

    @property
    def is_running(self) -> bool:
        """Whether there is a process that has not ended by itself."""
        return self._process is not None and bool(self._process.is_alive())

    def start(self, *what: object) -> None:
        """Start the process, and wait for nothing."""
        self.stop()
        self._connection, self._process = start_process(self._serve, what, self._noun, gives_way=self._gives_way)

    def tell(self, message: object, data: bytes = b"") -> None:
        """Send a message, and bytes after it where there are any.

        Raises
        ------
        ServantError
        """
        try:
            if self._process is None:
                raise EOFError
            self._connection.send(message)
            if data:
                self._connection.send_bytes(data)
        except (EOFError, OSError) as error:
            raise self._lost() from error

    def answer(self, seconds: float, cancelled: Callable[[], bool]) -> Any:
        """The next message.

        Raises
        ------
        Cancelled
            Nobody waits any more; the process is ended, as its answer would be taken for another one.
        ServantError
            It died, or did not answer within so many seconds.
        """
        end = time.monotonic() + seconds
        try:
            while not self._connection.poll(_LOOK):
                if cancelled():
                    self.stop()
                    raise Cancelled
                if time.monotonic() > end:
                    raise self._lost(f"takes longer than {seconds:.0f} seconds to {self._verb}")
            return self._connection.recv()
        except (EOFError, OSError) as error:
            raise self._lost() from error

    def data(self) -> bytes:
        """The bytes that were announced by a message.

        Raises
        ------
        ServantError
        """
        try:
            return bytes(self._connection.recv_bytes())
        except (EOFError, OSError) as error:
            raise self._lost() from error

    def stop(self) -> None:
        """End the process at once: it holds nothing that a kill could damage. May be called twice."""
        process, self._process = self._process, None
        if process is not None:
            end_process(self._connection, process)

    def _lost(self, why: str = "") -> ServantError:
        why = why or self._last_words()
        self.stop()
        return ServantError(why)

    def _last_words(self) -> str:
        return f"has no {self._noun} process" if self._process is None else last_words(self._process, self._noun)
