"""The renderer interface, and choice of OpenGL or software."""

import os
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.render_mesh import PreparedMesh
from shrec_viewer.render.scene.style import RenderStyle

RENDERER_VERSION = 6
"""Raised whenever a picture of the same mesh comes out differently; part of every cache key."""

RENDERER_VARIABLE = "SHREC_VIEWER_RENDERER"
"""Environment variable, ``gl`` or ``software``: for machines whose driver answers but draws rubbish."""

RendererChoice = Literal["auto", "gl", "software"]

Pixels = NDArray[np.uint8]


class Renderer(Protocol):
    """Draws meshes; belongs to the thread that opened it.

    Attributes
    ----------
    name : "gl" or "software".
    description : the driver in words, for the about box and error reports.
    """

    name: str
    description: str

    def prepare(self, mesh: Mesh) -> PreparedMesh:
        """The mesh kept ready for many pictures until `PreparedMesh.release`; belongs to this renderer and its thread."""

    def draw(
        self, mesh: Mesh | PreparedMesh, camera: Camera, width: int, height: int, style: RenderStyle = ...
    ) -> Pixels:
        """Pixels (height, width, 4), RGBA with straight alpha, on a transparent ground; top row first.

        An empty mesh gives an empty picture. Of plain meshes, the one drawn last is kept ready; prepare those that are
        turned side by side.
        """

    def close(self) -> None:
        """Frees what the driver holds; drawing afterwards is an error."""


def open_renderer(prefer: RendererChoice = "auto") -> Renderer:
    """OpenGL without a window where a driver answers, else the software renderer, which always works.

    What `RENDERER_VARIABLE` says in the environment stands in for "auto". The description tells why OpenGL is not used.

    Raises
    ------
    RuntimeError
        Only where "gl" is asked for: no driver gave a context; the text has the reasons.
    """
    from shrec_viewer.render.software.software_renderer import SoftwareRenderer

    if prefer == "auto":
        prefer = renderer_from_environment() or "auto"
    if prefer == "software":
        return SoftwareRenderer()
    from shrec_viewer.render.gl.gl_renderer import GlRenderer

    try:
        return GlRenderer()
    except RuntimeError as error:
        if prefer == "gl":
            raise
        return SoftwareRenderer(f"software (numpy), as OpenGL does not answer: {error}")


def open_renderer_or_software(prefer: RendererChoice = "auto") -> Renderer:
    """As `open_renderer`, but software, with the reason, where OpenGL is asked for and does not answer."""
    try:
        return open_renderer(prefer)
    except RuntimeError as error:
        renderer = open_renderer("software")
        renderer.description = f"{renderer.description}; OpenGL was asked for, but {error}"
        return renderer


def renderer_from_environment() -> RendererChoice | None:
    """The renderer that the environment asks for; None where it says nothing that is known."""
    known: dict[str, RendererChoice] = {"gl": "gl", "software": "software"}
    return known.get(os.environ.get(RENDERER_VARIABLE, "").strip().lower())
