"""Camera: angles around a mesh, projection matrices, and fit to the image."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import asin, cos, isfinite, radians, sin, tan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

FitMode = Literal["sphere", "tight"]

#: Share of the image that a fit fills; less for a tight fit, whose outline always touches the frame.
_MARGINS: Mapping[FitMode, float] = {"sphere": 0.985, "tight": 0.94}

#: Maximum enlargement by a tight fit, so that thin meshes viewed from the end are not enlarged too much.
_MAX_TIGHT_ZOOM = 4.0

#: Limit in degrees: beyond the pole, dragging to the right would rotate to the left.
_MAX_ELEVATION = 89.9

#: Clipping distance from the centre, in radii: the sphere and a margin for rounding.
CLIP_RADIUS = 1.01

#: `CLIP_RADIUS` if a box is drawn: the corners of a box around the sphere are at 1.73.
BOX_CLIP_RADIUS = 1.75

#: Default field of view in degrees: narrow, which keeps parallel edges nearly parallel.
FIELD_OF_VIEW = 22.0

ViewName = Literal["front", "back", "right", "left", "top", "bottom", "iso"]

#: Azimuth and elevation of the named views. Keys 1, 3, 7 are front, right, top in F3D and Blender, 9 is iso in F3D.
VIEWS: Mapping[str, tuple[float, float]] = {
    "front": (0.0, 0.0),
    "back": (180.0, 0.0),
    "right": (90.0, 0.0),
    "left": (-90.0, 0.0),
    "top": (0.0, 90.0),
    "bottom": (0.0, -90.0),
    "iso": (32.0, 24.0),
}


#: Values of `Camera.cut`.
CUTS = ("x", "-x", "y", "-y", "z", "-z")

#: Limits of `Camera.zoom` and of the two numbers of `Camera.pan`.
MIN_ZOOM, MAX_ZOOM, MAX_PAN = 0.05, 20.0, 1000.0


@dataclass(frozen=True)
class Camera:
    """A view onto the unit sphere around a mesh.

    Attributes
    ----------
    azimuth : degrees around the up axis; 0 looks at the front (from +Z, or from -Y if Z is up), positive values
        move the camera to the right.
    elevation : degrees above the horizon, -90 to 90.
    up : axis of the mesh that points up in the image.
    zoom : enlargement, > 0; 1 fits the mesh.
    pan : shift of the mesh to the right and upwards, in half lengths of the smaller side of the image.
    field_of_view : degrees; 0 is a parallel projection.
    fit : "sphere" fits the bounding sphere, so that the size is the same from all directions; "tight" fits the visible
        outline.
    cut : axis of the mesh across which it is cut, of which the larger coordinates are not drawn: "x", "y" or "z"; with
        "-" before it the smaller ones; "" draws all.
    cut_at : position of the cut on that axis, in radii of the unit sphere, -1 to 1.
    """

    azimuth: float = VIEWS["iso"][0]
    elevation: float = VIEWS["iso"][1]
    up: Literal["Y", "Z"] = "Y"
    zoom: float = 1.0
    pan: tuple[float, float] = (0.0, 0.0)
    field_of_view: float = FIELD_OF_VIEW
    fit: FitMode = "sphere"
    cut: str = ""
    cut_at: float = 0.0

    def orbited(self, azimuth: float, elevation: float) -> "Camera":
        """Camera rotated by these angles in degrees; the elevation is limited to the poles."""
        clamped = float(np.clip(self.elevation + elevation, -_MAX_ELEVATION, _MAX_ELEVATION))
        # Kept within -180 … 180, so that stored cameras are comparable and turning for hours loses no precision.
        return replace(self, azimuth=(self.azimuth + azimuth + 180.0) % 360.0 - 180.0, elevation=clamped)

    def zoomed(self, factor: float) -> "Camera":
        """Camera with the zoom multiplied by a factor, limited to 1/20 to 20."""
        return replace(self, zoom=float(np.clip(self.zoom * factor, MIN_ZOOM, MAX_ZOOM)))

    def panned(self, right: float, up: float) -> "Camera":
        """Camera with the mesh shifted, in half lengths of the smaller side of the image."""
        return replace(self, pan=(self.pan[0] + right, self.pan[1] + up))

    def seen_from(self, view: ViewName) -> "Camera":
        """Camera of a named view, fitted and centred; up axis and projection are unchanged."""
        azimuth, elevation = VIEWS[view]
        return replace(self, azimuth=azimuth, elevation=elevation, zoom=1.0, pan=(0.0, 0.0))

    def cut_open(self) -> "Camera":
        """Camera with the half of the mesh before its centre cut away, across the axis nearest to the view."""
        towards = self.rotation()[2]  # the axis to the eye
        axis = int(np.argmax(np.abs(towards)))
        return replace(self, cut=("-" if towards[axis] < 0 else "") + "xyz"[axis], cut_at=0.0)

    def cut_moved(self, by: float) -> "Camera":
        """Camera with the cut moved, towards the removed part for positive distances; in radii, limited to the mesh."""
        sign = -1.0 if self.cut.startswith("-") else 1.0
        return replace(self, cut_at=float(np.clip(self.cut_at + sign * by, -1.0, 1.0)))

    @property
    def is_parallel(self) -> bool:
        """Whether the projection is parallel (orthographic)."""
        return self.field_of_view <= 0

    def with_other_projection(self) -> "Camera":
        """Camera with perspective and parallel projection exchanged, at the same size. Key 5 in F3D and Blender."""
        return replace(self, field_of_view=FIELD_OF_VIEW if self.is_parallel else 0.0)

    def as_settings(self) -> dict[str, str | float]:
        """The part of the camera that is stored in files: up, azimuth, elevation, projection and fit."""
        return {
            "up": self.up,
            "azimuth": round(self.azimuth, 2),
            "elevation": round(self.elevation, 2),
            "projection": "parallel" if self.is_parallel else "perspective",
            "fit": self.fit,
        }

    def view_settings(self) -> dict[str, str | float]:
        """The part of the camera that belongs to one view: zoom, the two numbers of `pan`, and the cut."""
        settings: dict[str, str | float] = {"zoom": self.zoom, "right": self.pan[0], "upward": self.pan[1]}
        return settings | {"cut": self.cut, "cut_at": self.cut_at}

    def with_settings(self, settings: Mapping[str, object]) -> "Camera":
        """Camera with settings from a file, see `as_settings`; missing and invalid settings are ignored.

        Also with those of one view, see `view_settings`.
        """
        known = {key: value for key, value in settings.items() if is_valid_setting(key, value)}
        names = ("azimuth", "elevation", "fit", "zoom", "cut", "cut_at")
        parts: dict[str, object] = {key: known[key] for key in names if key in known}
        if "up" in known:
            # Manifests written by hand have "z" as well as "Z".
            parts["up"] = str(known["up"]).upper()
        if "projection" in known and (known["projection"] == "parallel") != self.is_parallel:
            parts["field_of_view"] = self.with_other_projection().field_of_view
        if "right" in known or "upward" in known:
            parts["pan"] = (known.get("right", self.pan[0]), known.get("upward", self.pan[1]))
        return replace(self, **parts)  # type: ignore[arg-type]

    @property
    def distance(self) -> float:
        """Distance of the eye from the centre at which the unit sphere just fits; 2 in a parallel projection."""
        # The tangent from the eye to the unit sphere has the sine radius / distance.
        return 2.0 if self.field_of_view <= 0 else 1.0 / sin(radians(self.field_of_view) / 2)

    def rotation(self) -> Matrix:
        """Rotation matrix (3, 3) from mesh axes to right, up and towards the eye."""
        azimuth, elevation = radians(self.azimuth), radians(self.elevation)
        towards = np.array([sin(azimuth) * cos(elevation), sin(elevation), cos(azimuth) * cos(elevation)])
        right = np.array([cos(azimuth), 0.0, -sin(azimuth)])
        rotation = np.stack([right, np.cross(towards, right), towards])
        if self.up == "Z":
            # A quarter turn about x: z becomes up, and -y, the front of such models, faces the eye.
            rotation = rotation @ np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
        return rotation

    def view_matrix(self) -> Matrix:
        """Matrix (4, 4) from the unit sphere to eye coordinates; the eye looks along -z."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.rotation()
        matrix[2, 3] = -self.distance
        return matrix

    def projection(self, width: int, height: int, clip_radius: float = CLIP_RADIUS) -> Matrix:
        """Matrix (4, 4) from eye to clip coordinates for an image of this size in pixels; the unit sphere fits."""
        # Relative to the smaller side, so that the mesh is as large in a wide image as in a square one.
        right, top = min(width, height) / width, min(width, height) / height
        # As close as possible to the sphere: the precision of the depth buffer is wasted on empty space otherwise.
        near, far = self.distance - clip_radius, self.distance + clip_radius
        matrix = np.zeros((4, 4))
        if self.field_of_view <= 0:
            matrix[0, 0], matrix[1, 1], matrix[3, 3] = right, top, 1.0
            matrix[2, 2], matrix[2, 3] = -2.0 / (far - near), -(far + near) / (far - near)
            return matrix
        focal = 1.0 / tan(radians(self.field_of_view) / 2)
        matrix[0, 0], matrix[1, 1], matrix[3, 2] = focal * right, focal * top, -1.0
        matrix[2, 2], matrix[2, 3] = -(far + near) / (far - near), -2.0 * far * near / (far - near)
        return matrix

    def fitted_view(
        self,
        points: NDArray[np.float32],
        width: int,
        height: int,
        extra_points: NDArray[np.float32] | None = None,
        border: float = 0.0,
    ) -> "FittedView":
        """The view onto a mesh, fitted, zoomed and panned.

        Parameters
        ----------
        points : (V, 3) within the unit sphere; a tight fit fits these.
        width, height : of the image in pixels.
        extra_points : (N, 3) further points to fit, possibly outside the sphere; None for none.
        border : radius in pixels of the sprite of each point, before zooming.
        """
        if self.fit == "sphere" and extra_points is None:
            return _sphere_fit(self, width, height, border)  # the same for all meshes, so it is cached
        return self._fitted_view(points, width, height, extra_points, border)

    def _fitted_view(
        self,
        points: NDArray[np.float32],
        width: int,
        height: int,
        extra_points: NDArray[np.float32] | None,
        border: float,
    ) -> "FittedView":
        clip_radius = CLIP_RADIUS if extra_points is None else BOX_CLIP_RADIUS
        matrix = self.projection(width, height, clip_radius) @ self.view_matrix()
        scale, centre = min(_MARGINS[self.fit], 1 - 2 * border / min(width, height)), np.zeros(2)
        if self.fit == "sphere" and extra_points is not None:
            scale /= self._perspective_scale(float(np.linalg.norm(extra_points, axis=1).max()))
        if self.fit == "tight" and len(points):
            clip = (points if extra_points is None else np.concatenate([points, extra_points])) @ matrix[
                [0, 1, 3], :3
            ].T + matrix[[0, 1, 3], 3]
            # Only x, y and w were computed: depth is not needed for the outline.
            projected = clip[:, :2] / clip[:, 2:]
            low, high = projected.min(axis=0), projected.max(axis=0)
            centre = (low + high) / 2
            scale *= min(_MAX_TIGHT_ZOOM, 1.0 / max(float((high - low).max()) / 2, 1e-9))
        scale *= self.zoom
        aspect = np.array([min(width, height) / width, min(width, height) / height])
        adjust = np.eye(4)
        adjust[0, 0] = adjust[1, 1] = scale
        # Applied in clip coordinates, before the division by w, so that it shifts the image and not the perspective.
        adjust[:2, 3] = np.asarray(self.pan) * aspect - centre * scale
        # The outline of the sphere, where the tangents touch it, is nearer to the eye than its centre and smaller by
        # this factor.
        focal = 1.0 if self.field_of_view <= 0 else cos(radians(self.field_of_view) / 2)
        return FittedView(adjust @ matrix, self.rotation(), self.distance, scale * focal, clip_radius)

    def _perspective_scale(self, radius: float) -> float:
        """Size of a sphere of another radius relative to the unit sphere in the image; at least 1."""
        if radius <= 1 or self.is_parallel:
            return max(1.0, radius)
        sine = min(0.99, radius / self.distance)  # from inside the sphere, the eye would see no outline
        return tan(asin(sine)) / tan(radians(self.field_of_view) / 2)

    def depth(self, screen_depth: NDArray[np.float32], clip_radius: float = CLIP_RADIUS) -> NDArray[np.float32]:
        """Convert the depth buffer of OpenGL (0 to 1) to depth within the unit sphere, 0 nearest to 1 farthest."""
        # The depth buffer is linear in 1/z for a perspective; this inverts it without the full matrix.
        a, b, c, d = self.unprojection(clip_radius)
        return ((a + b * screen_depth) / (c + d * screen_depth)).astype(np.float32)

    def unprojection(self, clip_radius: float = CLIP_RADIUS) -> tuple[float, float, float, float]:
        """Numbers a, b, c, d such that (a + b z) / (c + d z) is the depth within the unit sphere for buffer depth z."""
        row = self.projection(1, 1, clip_radius)[2]
        if self.field_of_view <= 0:
            return (1 - self.distance + (1 + row[3]) / row[2]) / 2, -1 / row[2], 1.0, 0.0
        return ((1 - self.distance) * (row[2] - 1) + row[3]) / 2, 1 - self.distance, row[2] - 1, 2.0


@dataclass(frozen=True, eq=False)
class FittedView:
    """A camera fitted to one mesh and one image size.

    Attributes
    ----------
    clip : (4, 4) matrix from the unit sphere to clip coordinates.
    rotation : (3, 3) from mesh axes to right, up, towards the eye.
    distance : from the eye to the centre of the sphere, in radii.
    enlargement : radius of the sphere in the image, in half sides.
    clip_radius : clipping distance from the centre, in radii.
    """

    clip: Matrix
    rotation: Matrix
    distance: float
    enlargement: float
    clip_radius: float

    @property
    def is_parallel(self) -> bool:
        """Whether the projection is parallel (orthographic)."""
        return bool(self.clip[3, 3] == 1 and not self.clip[3, :3].any())


@lru_cache(maxsize=16)
def _sphere_fit(camera: Camera, width: int, height: int, border: float) -> FittedView:
    """View fitted to the unit sphere; cached because it is the same for all meshes of a collection."""
    return camera._fitted_view(np.zeros((0, 3), np.float32), width, height, None, border)


def is_valid_setting(key: str, value: object) -> bool:
    """Whether a camera can take this setting from a file."""
    match key:
        case "azimuth" | "elevation":
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            limit = 360 if key == "azimuth" else 90
            return is_number and isfinite(value) and abs(value) <= limit  # type: ignore[arg-type]
        case "zoom":
            return isinstance(value, int | float) and MIN_ZOOM <= value <= MAX_ZOOM
        case "right" | "upward":
            return isinstance(value, int | float) and abs(value) <= MAX_PAN
        case "up":
            return isinstance(value, str) and value.upper() in ("Y", "Z")
        case "projection":
            return value in ("perspective", "parallel")
        case "fit":
            return isinstance(value, str) and value in _MARGINS
        case "cut":
            return isinstance(value, str) and value in ("", *CUTS)
        case "cut_at":
            return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1
    return False
