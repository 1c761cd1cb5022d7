"""Changes of the list of runs that are saved in a project; the files of the contest are not changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.io.limits import MAX_DOCUMENT_RUNS
from shrec_viewer.formats.io.schema import Codec, Name, Text, stored


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
    read_options : how it is read.
    """

    path: Path
    name: Name
    participant: Text = ""
    inside: Text = ""
    replaces: Text = ""
    read_options: ReadOptions = field(default=DETECT_ALL, metadata=stored(is_inline=True))


@dataclass(frozen=True)
class VirtualRun:
    """A run that is computed from others.

    Attributes
    ----------
    expression : how it is computed, such as ``rrf(A1, B2)``; also its name. Not validated.
    """

    expression: str


VirtualRuns = tuple[VirtualRun, ...]

#: They are stored as their expressions, which are parsed where the runs are computed.
VIRTUAL_RUNS_CODEC = Codec(
    Annotated[tuple[Annotated[str, Meta(pattern=r"\S")], ...], Meta(max_length=MAX_DOCUMENT_RUNS)],
    lambda texts: tuple(dict.fromkeys(VirtualRun(text.strip()) for text in texts)),
    lambda runs: tuple(run.expression for run in runs),
)


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

    removed: frozenset[Text] = frozenset()
    names: Mapping[str, Name] = field(default_factory=dict)
    added: Annotated[tuple[AddedRun, ...], Meta(max_length=MAX_DOCUMENT_RUNS)] = ()
    virtual: VirtualRuns = ()
