"""Vertex buffers and textures of a mesh on the GPU."""

from typing import Any

import numpy as np

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.scene.render_mesh import PreparedMesh
from shrec_viewer.render.scene.texture import RenderTexture, mipmaps

_SRGB_ALPHA = 0x8C43
"""GL_SRGB8_ALPHA8: the GPU converts sRGB bytes to linear light before it filters."""


class GlTexture:
    """The images of a texture on the GPU.

    Parameters
    ----------
    render_texture : texture to upload.
    context : a moderngl context, current whenever this object is used.
    """

    def __init__(self, render_texture: RenderTexture, context: Any) -> None:
        import moderngl

        self._face_ranges: list[tuple[Any, int, int]] = []
        for image, first, count in render_texture.face_ranges():
            levels = mipmaps(render_texture.images[image])
            height, width = levels[0].shape[:2]
            texture = context.texture((width, height), 4, levels[0].tobytes(), internal_format=_SRGB_ALPHA)
            texture.build_mipmaps()  # allocates the levels; overwritten below, as drivers compute them differently
            for number, level in enumerate(levels[1:], 1):
                texture.write(level.tobytes(), level=number)
            texture.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
            self._face_ranges.append((texture, first, count))

    def render(self, array: Any) -> None:
        """Draw the faces of a vertex array, each with its image."""
        import moderngl

        for texture, first, count in self._face_ranges:
            texture.use(0)
            array.render(moderngl.TRIANGLES, vertices=3 * count, first=3 * first)

    def free(self) -> None:
        """Free the memory of the driver."""
        for texture, _, _ in self._face_ranges:
            texture.release()
        self._face_ranges = []


class GlMesh(PreparedMesh):
    """A prepared mesh of `GlRenderer`; its buffers are created when a style first needs them.

    Parameters
    ----------
    mesh : mesh to draw.
    context : a moderngl context, current whenever this object is used.
    """

    def __init__(self, mesh: Mesh, context: Any) -> None:
        super().__init__(mesh)
        self._context = context
        self._buffers: dict[str, Any] = {}
        self._arrays: dict[tuple[int, bool], Any] = {}
        self._texture: GlTexture | None = None

    def array(self, program: Any, *, by_corner: bool) -> Any:
        """Vertex array for `program`; if `by_corner`, with one vertex per face corner instead of shared vertices."""
        # By the name of the program in OpenGL: attribute locations differ between programs.
        key = (program.glo, by_corner)
        if key not in self._arrays:
            names = [name for name in ("point", "vertex_colour", "normal", "facet", "vertex_uv") if name in program]
            content = [(self._buffer(name, by_corner), "2f" if name == "vertex_uv" else "3f", name) for name in names]
            # Flat shading needs no normals of corners: the shader derives the normal of the face from screen
            # derivatives.
            index = None if by_corner or len(self.render_mesh.faces) == 0 else self._buffer("face", by_corner)
            self._arrays[key] = self._context.vertex_array(program, content, index)
        return self._arrays[key]

    def render(self, program: Any, *, by_corner: bool) -> None:
        """Draw the mesh with `program`; see `array`."""
        array = self.array(program, by_corner=by_corner)
        if "texture_image" in program and self.render_mesh.render_texture is not None:
            if self._texture is None:
                self._texture = GlTexture(self.render_mesh.render_texture, self._context)
            self._texture.render(array)
        else:
            array.render(array.ctx.TRIANGLES if len(self.render_mesh.faces) else array.ctx.POINTS)

    def release(self) -> None:
        """See `PreparedMesh.release`; may be called several times."""
        with self._context:
            self.free()

    def free(self) -> None:
        """As `release`, for callers that have made the context current: entering it cannot be nested."""
        for resource in (*self._arrays.values(), *self._buffers.values()):
            resource.release()
        self._arrays, self._buffers = {}, {}
        if self._texture is not None:
            self._texture.free()
            self._texture = None

    def _buffer(self, name: str, by_corner: bool) -> Any:
        key = f"{name} by corner" if by_corner else name
        if key not in self._buffers:
            values = self._values(name)
            if by_corner and name in ("point", "vertex_colour", "vertex_uv"):
                values = values[self.render_mesh.faces.ravel()]
            self._buffers[key] = self._context.buffer(np.ascontiguousarray(values))
        return self._buffers[key]

    def _values(self, name: str) -> Any:
        render_mesh = self.render_mesh
        if name == "normal":
            return render_mesh.corner_normals.reshape(-1, 3).astype(np.float32)
        if name == "facet":
            # The same normal at the three corners of a face, as interpolation between them must not change it.
            return np.repeat(render_mesh.face_normals, 3, axis=0)
        if name == "face":
            return render_mesh.faces
        if name == "vertex_uv" and render_mesh.render_texture is not None:
            return render_mesh.render_texture.uv
        return render_mesh.points if name == "point" or render_mesh.colours is None else render_mesh.colours
