"""What `Thumbnails` asks of whatever makes its pictures."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from shrec_viewer.domain import Finding
from shrec_viewer.render.camera import Camera
from shrec_viewer.render.renderer import Prefer


class PictureSource(Protocol):
    """What makes pictures; all but `wait` may be called while another thread is in `wait`."""

    def set_camera(self, camera: Camera) -> None:
        """Look through this camera at all that is asked for from now on."""

    def request(self, paths: Sequence[Path], size: int) -> None:
        """Make these, the first first, and no longer what was asked for before and is not yet begun."""

    def wait(self, timeout: float) -> list[tuple[Path, bytes | None, str]]:
        """Pictures finished meanwhile, as WebP or PNG files, or why there is none; empty after `timeout` seconds."""

    def close(self) -> None:
        """End, also a `wait` that is going on."""


@runtime_checkable
class Noticing(Protocol):
    """A source that also tells what was wrong with the files it drew."""

    def noticed(self) -> int:
        """Number of files with something to say; grows only."""

    def findings(self, root: Path) -> tuple[Finding, ...]:
        """What was noticed about the files seen so far; those within `root` are named from there."""

    def forget_findings(self) -> None:
        """Begin anew: something else was opened."""


@runtime_checkable
class Adjustable(Protocol):
    """A source whose renderer can be chosen while it works."""

    @property
    def renderer(self) -> str:
        """What draws, in words; "" before the first picture that is not kept."""

    def set_renderer(self, prefer: Prefer) -> None:
        """Draw with this one from now on."""
