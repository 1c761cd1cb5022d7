"""Exceptions whose messages are shown to the user, and Cancelled."""

from pathlib import Path


class ShrecError(Exception):
    """Something the person can act on; its text is a sentence fit for a screen."""

    @property
    def sentence(self) -> str:
        """The text where it stands alone."""
        return str(self)


class Cancelled(Exception):  # noqa: N818 - the answer to a wish, not an error
    """Nobody wants the answer any more; nothing went wrong, and nothing of it reaches the screen."""


class FormatError(ShrecError):
    """A file says something that cannot be understood.

    Parameters
    ----------
    path : file (or folder) in question; shown as given, so pass what the person would recognise.
    why : the sentence, lower case, without a full stop: ``class 'dog' announces 3 models but lists 2``.
    line : 1-based line, or None where lines mean nothing (binary files, folders).

    Examples
    --------
    >>> print(FormatError("tiny.cla", "class 'dog' announces 3 models but lists 2", 4))
    tiny.cla:4: class 'dog' announces 3 models but lists 2
    """

    def __init__(self, path: Path | str, why: str, line: int | None = None) -> None:
        self.path = Path(path)
        self.why = why
        self.line = line
        super().__init__(path, why, line)

    def __str__(self) -> str:
        place = f"{self.path}" if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.why}"

    @property
    def sentence(self) -> str:
        """The text where it stands alone: ``x is empty`` rather than ``x: is empty``."""
        return f"{self.path} {self.why}" if self.line is None and self.why.startswith("is ") else str(self)
