"""Exceptions whose messages are shown to users, and Cancelled."""

from pathlib import Path


class ShrecViewerError(Exception):
    """Error with a message for users."""

    @property
    def standalone_message(self) -> str:
        """Message to be shown without context."""
        return str(self)


class Cancelled(Exception):  # noqa: N818 - a requested end, not an error
    """Work was cancelled; its result is discarded and nothing is reported."""


class FormatError(ShrecViewerError):
    """A file or folder cannot be read.

    Parameters
    ----------
    path : file or folder, shown as given.
    reason : text in lower case, without a full stop: ``class 'dog' declares 3 models but lists 2``.
    line : 1-based line number, or None (binary files, folders).

    Examples
    --------
    >>> print(FormatError("tiny.cla", "class 'dog' declares 3 models but lists 2", 4))
    tiny.cla:4: class 'dog' declares 3 models but lists 2
    """

    def __init__(self, path: Path | str, reason: str, line: int | None = None) -> None:
        self.path = Path(path)
        self.reason = reason
        self.line = line
        super().__init__(path, reason, line)

    def __str__(self) -> str:
        location = f"{self.path}" if self.line is None else f"{self.path}:{self.line}"
        return f"{location}: {self.reason}"

    @property
    def standalone_message(self) -> str:
        """Message to be shown without context: ``x is empty`` instead of ``x: is empty``."""
        return f"{self.path} {self.reason}" if self.line is None and self.reason.startswith("is ") else str(self)
