"""Where the eye is: angles around a mesh, and the matrices that follow from them."""

from dataclasses import dataclass, replace
from math import cos, radians, sin, tan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

_MARGIN = 0.94
"""Share of the picture that a mesh fills; the rest keeps its outline off the frame around a thumbnail."""

_MOST_ENLARGED = 4.0
"""A tight fit enlarges at most so much; a needle seen from its end stays a needle."""

_STEEPEST = 89.9
"""Degrees; straight above, 'up' would have no direction."""


@dataclass(frozen=True)
class Camera:
    """A view onto the unit sphere around a mesh.

    Attributes
    ----------
    azimuth : degrees around the up axis; 0 looks at the front (from +Z, or -Y where Z is up), positive walks to the
        right of the mesh as seen from there.
    elevation : degrees above the horizon, -90 to 90.
    up : axis of the mesh that points up in the picture.
    zoom : enlargement, > 0; 1 fits the mesh.
    pan : shift of the mesh to the right and upwards, in half sides of the smaller side of the picture.
    field_of_view : degrees; 0 is a parallel projection.
    fit : "tight" fills the picture with what is seen (thumbnails), "sphere" keeps the size while turning (orbit).
    """

    azimuth: float = 32.0
    elevation: float = 24.0
    up: Literal["Y", "Z"] = "Y"
    zoom: float = 1.0
    pan: tuple[float, float] = (0.0, 0.0)
    field_of_view: float = 22.0
    fit: Literal["tight", "sphere"] = "tight"

    def orbited(self, azimuth: float, elevation: float) -> "Camera":
        """Turned by so many degrees; never beyond the poles."""
        steep = float(np.clip(self.elevation + elevation, -_STEEPEST, _STEEPEST))
        return replace(self, azimuth=(self.azimuth + azimuth + 180.0) % 360.0 - 180.0, elevation=steep)

    def zoomed(self, factor: float) -> "Camera":
        """Enlarged by a factor, within 1:20 of the fit on both sides."""
        return replace(self, zoom=float(np.clip(self.zoom * factor, 0.05, 20.0)))

    def panned(self, right: float, up: float) -> "Camera":
        """Shifted by half sides of the smaller side of the picture."""
        return replace(self, pan=(self.pan[0] + right, self.pan[1] + up))

    @property
    def distance(self) -> float:
        """From the centre of the unit sphere to the eye, so that the sphere just fits; 2 in a parallel projection."""
        return 2.0 if self.field_of_view <= 0 else 1.0 / sin(radians(self.field_of_view) / 2)

    def rotation(self) -> Matrix:
        """(3, 3) from mesh axes to right, up and towards the eye."""
        azimuth, elevation = radians(self.azimuth), radians(self.elevation)
        towards = np.array([sin(azimuth) * cos(elevation), sin(elevation), cos(azimuth) * cos(elevation)])
        right = np.array([cos(azimuth), 0.0, -sin(azimuth)])
        turned = np.stack([right, np.cross(towards, right), towards])
        if self.up == "Z":
            turned = turned @ np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
        return turned

    def view_matrix(self) -> Matrix:
        """(4, 4) from the unit sphere around the mesh to eye coordinates; the eye looks along -z."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.rotation()
        matrix[2, 3] = -self.distance
        return matrix

    def projection(self, width: int, height: int) -> Matrix:
        """(4, 4) from eye coordinates to clip coordinates in a picture of that many pixels; the unit sphere fits."""
        right, top = min(width, height) / width, min(width, height) / height
        near, far = self.distance - 1.01, self.distance + 1.01
        matrix = np.zeros((4, 4))
        if self.field_of_view <= 0:
            matrix[0, 0], matrix[1, 1], matrix[3, 3] = right, top, 1.0
            matrix[2, 2], matrix[2, 3] = -2.0 / (far - near), -(far + near) / (far - near)
            return matrix
        focal = 1.0 / tan(radians(self.field_of_view) / 2)
        matrix[0, 0], matrix[1, 1], matrix[3, 2] = focal * right, focal * top, -1.0
        matrix[2, 2], matrix[2, 3] = -(far + near) / (far - near), -2.0 * far * near / (far - near)
        return matrix

    def framing(self, points: NDArray[np.float32], width: int, height: int) -> "Framing":
        """The view onto a mesh, fitted, zoomed and panned.

        Parameters
        ----------
        points : (V, 3) within the unit sphere; what a tight fit fits.
        width, height : pixels of the picture.
        """
        matrix = self.projection(width, height) @ self.view_matrix()
        scale, middle = _MARGIN, np.zeros(2)
        if self.fit == "tight" and len(points):
            clip = points @ matrix[[0, 1, 3], :3].T + matrix[[0, 1, 3], 3]
            seen = clip[:, :2] / clip[:, 2:]
            low, high = seen.min(axis=0), seen.max(axis=0)
            middle = (low + high) / 2
            scale *= min(_MOST_ENLARGED, 1.0 / max(float((high - low).max()) / 2, 1e-9))
        scale *= self.zoom
        aspect = np.array([min(width, height) / width, min(width, height) / height])
        adjust = np.eye(4)
        adjust[0, 0] = adjust[1, 1] = scale
        adjust[:2, 3] = np.asarray(self.pan) * aspect - middle * scale
        focal = 1.0 if self.field_of_view <= 0 else cos(radians(self.field_of_view) / 2)
        return Framing(adjust @ matrix, self.rotation(), self.distance, scale * focal)

    def depth(self, screen_depth: NDArray[np.float32]) -> NDArray[np.float32]:
        """Depth through the unit sphere, 0 nearest to 1 farthest, of what OpenGL has in its depth buffer (0 to 1)."""
        row = self.projection(1, 1)[2]
        ndc = 2 * screen_depth - 1
        eye = (ndc - row[3]) / row[2] if self.field_of_view <= 0 else -row[3] / (ndc + row[2])
        return ((1 - self.distance - eye) / 2).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Framing:
    """A camera pointed at one mesh, for pictures of one size.

    Attributes
    ----------
    clip : (4, 4) from the unit sphere to clip coordinates.
    rotation : (3, 3) from mesh axes to right, up, towards the eye.
    distance : of the eye from the centre of the sphere, in radii.
    enlargement : half sides of the picture that one radius covers.
    """

    clip: Matrix
    rotation: Matrix
    distance: float
    enlargement: float
