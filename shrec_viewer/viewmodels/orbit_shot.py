"""One picture wished for by a view that turns, and the answer to it."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QImage

from shrec_viewer.render.camera import Camera
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


@dataclass(frozen=True)
class Facts:
    """What is known of a file once it is read.

    Attributes
    ----------
    vertices, faces : counts; faces 0 is a cloud of points.
    size : extents along x, y and z in the file's own unit.
    is_picture : a sketch or photograph, which has no other sides.
    notes : sentences about what was dropped or mended while reading.
    stands_on : axis along which it seems to stand upright, ``"Y"`` or ``"Z"``; "" where that is not clear.
    """

    vertices: int = 0
    faces: int = 0
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    is_picture: bool = False
    notes: tuple[str, ...] = ()
    stands_on: str = ""


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
