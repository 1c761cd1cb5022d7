"""Changes of the list of runs that are saved in a project; the files of the contest are not changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class AddedRun:
    """A run from outside the benchmark that is shown as one of its runs.

    Attributes
    ----------
    path : file, folder or archive.
    name : name of the run, with a number if another run has the same name.
    participant : who submitted it.
    inside : path of the run below the archive, with forward slashes; "" for a file or folder.
    replaces : name of the run, as read, that it replaces; "" for none. It keeps name and participant of that run.
    """

    path: Path
    name: str
    participant: str
    inside: str = ""
    replaces: str = ""


@dataclass(frozen=True)
class VirtualRun:
    """A run that is computed from others.

    Attributes
    ----------
    expression : how it is computed, such as ``rrf(A1, B2)``; also its name. Not validated.
    """

    expression: str


@dataclass(frozen=True)
class RunChanges:
    """Changes of the list of runs.

    Attributes
    ----------
    removed : names of runs, as read, that are not shown.
    names : new names of renamed runs, by the name as read.
    added : runs from outside the benchmark, in the order in which they were added.
    virtual : runs computed from others, in the order in which they were added.
    """

    removed: frozenset[str] = frozenset()
    names: Mapping[str, str] = field(default_factory=dict)
    added: tuple[AddedRun, ...] = ()
    virtual: tuple[VirtualRun, ...] = ()
