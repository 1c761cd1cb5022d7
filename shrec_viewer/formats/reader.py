"""What the table of readers consists of."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.formats.text import Head


def never() -> bool:
    """The answer of somebody who waits."""
    return False


@dataclass(frozen=True)
class Reader:
    """One format.

    Attributes
    ----------
    key : short name, unique in the table.
    label : what a person calls it.
    suffixes : usual endings, for file dialogs; recognition never depends on them. Empty: any.
    sniff : whether the beginning of a file looks like this format; quick, and never raises.
    read : bytes to a noun; raises FormatError and nothing else.
    """

    key: str
    label: str
    suffixes: tuple[str, ...]
    sniff: Callable[[Head], bool]
    read: Callable[[Path], object]
