"""A file found in a folder and the format it was recognised as."""

from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

MESH = "mesh"
IMAGE = "image"
ARCHIVE = "archive"
EMPTY = "empty"
UNKNOWN = "unknown"


class Match(IntEnum):
    """How well the beginning of a file matches a format.

    `IF_NAMED`: only used when benchmark.toml, the command line or the import dialog names the file as a run.
    `IF_IDS_KNOWN`: read, and used as a run if its ids are those of the benchmark. `CERTAIN`: a run whatever its ids.
    """

    NO = 0
    IF_NAMED = 1
    IF_IDS_KNOWN = 2
    CERTAIN = 3


@dataclass(frozen=True)
class FoundFile:
    """A file and its format.

    Attributes
    ----------
    path : the file.
    kind : key of a reader, or one of `MESH`, `IMAGE`, `ARCHIVE`, `EMPTY` and `UNKNOWN`.
    size : bytes of the file as stored; 0 for meshes and images.
    match : how certain `kind` is, for run formats.
    """

    path: Path
    kind: str
    size: int = 0
    match: Match = Match.CERTAIN
