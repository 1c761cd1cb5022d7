"""One picture wished for by a view that turns, and the answer to it."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QImage

from shrec_viewer.render.camera import Camera
from shrec_viewer.render.reading import Facts
from shrec_viewer.render.style import FINE, Style


@dataclass(frozen=True)
class Shot:
    """One picture wished for.

    Attributes
    ----------
    pane : who wants it; a new wish of the same pane replaces one that is not begun.
    path : a mesh, or a picture that is shown as it is.
    camera : where from.
    width, height : device pixels, > 0.
    style : how.
    """

    pane: str
    path: Path
    camera: Camera
    width: int
    height: int
    style: Style = FINE


@dataclass(frozen=True, eq=False)
class Drawn:
    """The answer to a shot.

    Attributes
    ----------
    shot : what was wished for.
    image : premultiplied ARGB on a transparent ground; None with a `problem`.
    facts : of the file.
    seconds : that drawing took, reading left out.
    problem : why there is no picture, a few words; "" otherwise.
    """

    shot: Shot
    image: QImage | None
    facts: Facts
    seconds: float = 0.0
    problem: str = ""
