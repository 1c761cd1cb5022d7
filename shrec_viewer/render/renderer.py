"""The interface of renderers, and the choice between OpenGL and software."""

import os
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.render_mesh import PreparedMesh
from shrec_viewer.render.scene.style import RenderStyle

#: Increased whenever images of the same mesh change; part of every cache key.
RENDERER_VERSION = 6

#: Environment variable, ``gl`` or ``software``, for machines whose OpenGL driver renders incorrectly.
RENDERER_VARIABLE = "SHREC_VIEWER_RENDERER"

RendererChoice = Literal["auto", "gl", "software"]

Pixels = NDArray[np.uint8]


class Renderer(Protocol):
    """Draws meshes; belongs to the thread that opened it.

    Attributes
    ----------
    name : "gl" or "software".
    description : the driver, for the about box and error reports.
    """

    name: str
    description: str

    def prepare(self, mesh: Mesh) -> PreparedMesh:
        """Prepare a mesh for several images, until `PreparedMesh.release`; only for this renderer and its thread."""

    def draw(
        self, mesh: Mesh | PreparedMesh, camera: Camera, width: int, height: int, style: RenderStyle = ...
    ) -> Pixels:
        """Draw a mesh; returns pixels (height, width, 4), RGBA with straight alpha, top row first.

        The background is transparent; the image of an empty mesh contains only background. A mesh that was not passed
        through `prepare` is prepared here and cached until another one is drawn.
        """

    def close(self) -> None:
        """Free the memory of the driver; drawing afterwards is an error."""


def open_renderer(prefer: RendererChoice = "auto") -> Renderer:
    """Open OpenGL without a window if a driver is available, else the software renderer, which always works.

    `RENDERER_VARIABLE` in the environment overrides "auto". The description contains the reason if OpenGL is not used.

    Raises
    ------
    RuntimeError
        If "gl" is requested and no driver provides a context; the message contains the reasons.
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
        return SoftwareRenderer(f"software (numpy), as OpenGL is not available: {error}")


def open_renderer_or_software(prefer: RendererChoice = "auto") -> Renderer:
    """As `open_renderer`, but with the software renderer, and the reason, if OpenGL is requested and not available."""
    try:
        return open_renderer(prefer)
    except RuntimeError as error:
        renderer = open_renderer("software")
        renderer.description = f"{renderer.description}; OpenGL was requested, but {error}"
        return renderer


def renderer_from_environment() -> RendererChoice | None:
    """The renderer named in the environment; None without a valid name."""
    known: dict[str, RendererChoice] = {"gl": "gl", "software": "software"}
    return known.get(os.environ.get(RENDERER_VARIABLE, "").strip().lower())
