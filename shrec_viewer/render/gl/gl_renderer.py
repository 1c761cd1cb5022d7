"""Offscreen OpenGL 3.3 renderer (EGL where available), its framebuffers, vertex buffers and textures."""

import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from shutil import disk_usage
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.domain.value_scale import ValueScale
from shrec_viewer.render.gl.shaders import (
    BALL,
    FACE,
    FULL_SCREEN,
    LINE,
    LINE_VERTEX,
    NEAREST,
    RESOLVE,
    VERTEX,
    resolve_header,
    shading_header,
)
from shrec_viewer.render.scene.camera import Camera, FittedView
from shrec_viewer.render.scene.lighting import (
    BASE_COLOUR,
    CAVITY_DARKENING,
    FAR_DEPTH,
    FILL_LIGHT,
    GROUND,
    KEY_LIGHT,
    OCCLUSION_RINGS,
    OUTLINE_DARKENING,
    RIDGE_LIGHTENING,
    RIM,
    RING_DIRECTIONS,
    SKY,
    WIRE,
    WIRE_FULL_WIDTH,
    WIRE_OPACITY,
    WIRE_WIDTH,
    cavity_depth,
    occlusion_radius,
    ring_offsets,
)
from shrec_viewer.render.scene.render_mesh import PreparedMesh, RenderMesh
from shrec_viewer.render.scene.style import FINE_STYLE, Overlay, RenderStyle, make_overlay
from shrec_viewer.render.scene.texture import RenderTexture, mipmaps
from shrec_viewer.render.scene.values import RenderValues
from shrec_viewer.render.software.raster import sprite_radius

#: GL_SRGB8_ALPHA8: the GPU converts sRGB bytes to linear light before it filters.
_SRGB_ALPHA = 0x8C43


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
    render_mesh : what is drawn, if it is not the whole mesh.
    """

    def __init__(self, mesh: Mesh, context: Any, render_mesh: RenderMesh | None = None) -> None:
        super().__init__(mesh, render_mesh)
        self._context = context
        self._buffers: dict[str, Any] = {}
        self._arrays: dict[tuple[int, bool, str], Any] = {}
        self._texture: GlTexture | None = None
        self._cut_mesh: GlMesh | None = None

    def shown_mesh(self, camera: Camera) -> "GlMesh":
        """The mesh without what the camera cuts away, itself if that is nothing; the last one is kept."""
        shown = self.shown(camera)
        if shown is self.render_mesh:
            return self
        if self._cut_mesh is None or self._cut_mesh.render_mesh is not shown:
            if self._cut_mesh is not None:
                self._cut_mesh.free()
            self._cut_mesh = GlMesh(self.mesh, self._context, shown)
        return self._cut_mesh

    def array(self, program: Any, *, by_corner: bool, quantity: str = "") -> Any:
        """Vertex array for `program`; if `by_corner`, with one vertex per face corner instead of shared vertices.

        Parameters
        ----------
        quantity : whose values the vertices have; "" for none.
        """
        # By the name of the program in OpenGL: attribute locations differ between programs.
        key = (program.glo, by_corner, quantity)
        if key not in self._arrays:
            content = [
                (self._buffer(name, by_corner, quantity), "2f" if name in ("vertex_uv", "vertex_value") else "3f", name)
                for name in ("point", "vertex_colour", "normal", "facet", "vertex_uv", *_VALUE_ATTRIBUTES)
                if name in program
            ]
            # Flat shading needs no normals of corners: the shader derives the normal of the face from screen
            # derivatives.
            index = None if by_corner or len(self.render_mesh.faces) == 0 else self._buffer("face", by_corner, "")
            self._arrays[key] = self._context.vertex_array(program, content, index)
        return self._arrays[key]

    def render(self, program: Any, *, by_corner: bool, quantity: str = "") -> None:
        """Draw the mesh with `program`; see `array`."""
        array = self.array(program, by_corner=by_corner, quantity=quantity)
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
        if self._cut_mesh is not None:
            self._cut_mesh.free()
            self._cut_mesh = None

    def _buffer(self, name: str, by_corner: bool, quantity: str) -> Any:
        key = f"{name} by corner" if by_corner else name
        if name in _VALUE_ATTRIBUTES:
            key = f"{key} {quantity}"
        if key not in self._buffers:
            values = self._quantity(quantity) if name in _VALUE_ATTRIBUTES else self._values(name)
            if by_corner and name in ("point", "vertex_colour", "vertex_uv", "vertex_value"):
                of_faces = name == "vertex_value" and self.render_mesh.values_of(quantity).of_faces
                values = np.repeat(values, 3, axis=0) if of_faces else values[self.render_mesh.faces.ravel()]
            self._buffers[key] = self._context.buffer(np.ascontiguousarray(values))
        return self._buffers[key]

    def _quantity(self, name: str) -> Any:
        """Values and whether they are defined (N, 2); of labels of vertices those of all three corners (3F, 3)."""
        found = self.render_mesh.values_of(name)
        if _has_nearest_corner(self.render_mesh, found):
            return np.repeat(np.where(found.defined, found.numbers, np.float32(-1))[self.render_mesh.faces], 3, axis=0)
        return np.stack([found.numbers, found.defined.astype(np.float32)], axis=1)

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


#: Attributes of the vertices that depend on the quantity.
_VALUE_ATTRIBUTES = ("vertex_value", "corner_values")


def _has_nearest_corner(render_mesh: RenderMesh, values: RenderValues) -> bool:
    """Whether a point of a face has the value of the nearest corner."""
    return values.is_label and not values.of_faces and len(render_mesh.faces) > 0


class GlFramebuffers:
    """Framebuffers and textures for images of one size.

    Attributes
    ----------
    key : width, height, and samples along each side of a pixel.
    samples, colours, depths : framebuffer of all samples, and its textures.
    nearest_buffer, nearest : framebuffer and texture of the nearest depth of each pixel, with a border of `pad` pixels.
    pixels_buffer : framebuffer of the pixels, with the same border; shares the depth buffer of `nearest_buffer`.
    """

    def __init__(self, context: Any, width: int, height: int, count: int) -> None:
        self.key = (width, height, count)
        size_in_samples = (width * count, height * count)
        # A texture of all samples instead of a multisample buffer, as ambient occlusion reads the depth of each sample.
        self.colours = context.texture(size_in_samples, 4)
        self.depths = context.depth_texture(size_in_samples)
        self.depths.compare_func = ""  # sampled as values, not by comparison
        self.pad = occlusion_radius(min(width, height))  # border, so that every pixel has all its neighbours
        padded = (width + 2 * self.pad, height + 2 * self.pad)
        self.nearest = context.texture(padded, 1, dtype="f4")
        pixels_buffer, pixel_depths = context.renderbuffer(padded, 4), context.depth_renderbuffer(padded)
        self.samples = context.framebuffer([self.colours], self.depths)
        self.nearest_buffer = context.framebuffer([self.nearest], pixel_depths)
        self.pixels_buffer = context.framebuffer([pixels_buffer], pixel_depths)
        self.pixels_buffer.depth_mask = False  # the depth buffer is only tested, and survives clearing
        frames = [self.samples, self.nearest_buffer, self.pixels_buffer]
        self._resources = [*frames, self.colours, self.depths, self.nearest, pixels_buffer, pixel_depths]

    def bind(self, frame: Any, background: float = 0.0) -> None:
        """Clear a padded framebuffer and make it current, with its border excluded from drawing."""
        frame.scissor = None
        frame.use()
        frame.clear(red=background)
        frame.scissor = (self.pad, self.pad, *self.key[:2])

    def release(self) -> None:
        """Free the memory of the driver."""
        for resource in self._resources:
            resource.release()


#: Pairs of neighbours that ambient occlusion compares.
_PAIRS = len(OCCLUSION_RINGS) * len(RING_DIRECTIONS)


#: Light is computed per vertex instead of per sample if there are this many times fewer vertices.
#:
#: Without a GPU this saves 13 % of a thumbnail of 256 pixels and a quarter of an image of 600 (9.6 instead of 12.7 ms).
_VERTEX_SHADING_RATIO = 4


class GlRenderer:
    """Renders with OpenGL into a texture and reads it back; see `Renderer`. Belongs to the thread that created it.

    Raises
    ------
    RuntimeError
        When no driver provides an OpenGL 3.3 context or compiles the shaders; the message contains the reasons.
    """

    name = "gl"

    def __init__(self) -> None:
        no_cache = _disable_full_shader_cache()
        self._context = _open_context()
        try:
            self._compile()
        except Exception as error:
            self._context.release()
            raise RuntimeError(f"the OpenGL driver rejected the shaders ({error})") from error
        info = self._context.info
        self.description = f"OpenGL {info['GL_VERSION']} on {info['GL_RENDERER']}{no_cache}"
        self._framebuffers: GlFramebuffers | None = None
        self._last_mesh: GlMesh | None = None
        self._palettes: dict[tuple[bool, bool], Any] = {}

    def prepare(self, mesh: Mesh) -> GlMesh:
        """Prepare a mesh, with its buffers on the GPU; see `Renderer.prepare`."""
        return GlMesh(mesh, self._context)

    def draw(
        self, mesh: Mesh | PreparedMesh, camera: Camera, width: int, height: int, style: RenderStyle = FINE_STYLE
    ) -> NDArray[np.uint8]:
        """Draw a mesh; see `Renderer.draw`."""
        with self._context:  # current again, as other objects of the process may have made theirs current
            whole = self._gl_mesh(mesh)
            gl_mesh, points = whole.shown_mesh(camera), whole.render_mesh.points
            # moderngl raises for buffers of zero bytes.
            if len(gl_mesh.render_mesh.points) == 0:
                return np.zeros((height, width, 4), np.uint8)
            framebuffers = self._framebuffers_of_size(width, height, style.samples)
            fitted_view = whole.render_mesh.fitted_view(camera, width, height, box=style.box)
            lines = make_overlay(whole.render_mesh.corners, fitted_view, width, height, style)
            sprite_radius_px = style.point_size * sprite_radius(len(points), min(width, height) * camera.zoom)
            self._draw_samples(gl_mesh, fitted_view, framebuffers, style, sprite_radius_px)
            if lines is not None:
                self._draw_lines(lines)
            self._resolve(camera, fitted_view, framebuffers, style)
            pad = framebuffers.pad
            data = framebuffers.pixels_buffer.read((pad, pad, width, height), components=4)
            # Read once, at the end: reading waits for all drawing.
            upside_down = np.frombuffer(data, np.uint8).reshape(height, width, 4)
            return np.ascontiguousarray(upside_down[::-1])  # OpenGL's first row is the lowest

    def close(self) -> None:
        """Free the memory of the driver and the context."""
        with self._context:
            if self._last_mesh is not None:
                self._last_mesh.free()
                self._last_mesh = None
            if self._framebuffers is not None:
                self._framebuffers.release()
                self._framebuffers = None
            for palette in self._palettes.values():
                palette.release()
            self._palettes = {}
        self._context.release()

    def _compile(self) -> None:
        import moderngl

        context = self._context
        # Without PROGRAM_POINT_SIZE, OpenGL 3.3 ignores gl_PointSize and draws points of one pixel.
        context.enable_only(moderngl.DEPTH_TEST | moderngl.PROGRAM_POINT_SIZE)
        self._programs: dict[tuple[bool | str | int, ...], Any] = {}
        self._lines = context.program(vertex_shader=LINE_VERTEX, fragment_shader=LINE)
        _set_uniforms(self._lines, _LIGHTING_UNIFORMS)
        self._corners = context.buffer(np.array([-1, -1, 1, -1, -1, 1, 1, 1], np.float32).tobytes())
        self._passes: dict[tuple[str, int, bool], Any] = {}
        # Compiled now, so that an unsuitable driver fails in the constructor.
        self._program(_TRIANGLE, FINE_STYLE, 1000)
        self._pass(RESOLVE, FINE_STYLE.samples, FINE_STYLE.ambient_occlusion)

    def _program(self, render_mesh: RenderMesh, style: RenderStyle, fragments: int) -> tuple[Any, bool]:
        """Program for a mesh and a style, compiled once, and whether vertices must not be shared by faces."""
        has_faces = len(render_mesh.faces) > 0
        is_coloured, is_textured = (
            style.shows_file_colours and render_mesh.colours is not None,
            style.shows_file_colours and render_mesh.render_texture is not None,
        )
        scale = style.shown_values
        values = None if scale is None else render_mesh.values_of(scale.name)
        has_nearest = values is not None and _has_nearest_corner(render_mesh, values)
        shading = style.shading if has_faces or style.shading != "smooth" else "flat"
        wire = style.wireframe and has_faces
        is_plain = has_faces and shading == "flat" and not is_coloured and not is_textured and values is None
        shades_vertices = is_plain and _VERTEX_SHADING_RATIO * 3 * len(render_mesh.faces) < fragments
        flags = {
            "COLOURED": is_coloured,
            "TEXTURED": is_textured,
            "VALUED": values is not None,
            "NEAREST_CORNER": has_nearest,
            "WIRE": wire,
            "SHADED_VERTICES": shades_vertices,
        }
        key = (has_faces, shading, style.samples, *flags.values())
        if key not in self._programs:
            head = shading_header(shading, style.samples, flags)
            shader = FACE if has_faces else BALL
            self._programs[key] = self._context.program(vertex_shader=head + VERTEX, fragment_shader=head + shader)
            _set_uniforms(self._programs[key], _LIGHTING_UNIFORMS)
        by_corner = shading == "smooth" or wire or shades_vertices or has_nearest
        return self._programs[key], has_faces and (by_corner or (values is not None and values.of_faces))

    def _pass(self, shader: str, count: int, ambient_occlusion: bool) -> Any:
        """Vertex array that runs one of the two screen passes over the full image; compiled once for each quality."""
        key = (shader, count, ambient_occlusion)
        if key not in self._passes:
            source = resolve_header(count, _PAIRS, ambient_occlusion) + shader
            program = self._context.program(vertex_shader=FULL_SCREEN, fragment_shader=source)
            _set_uniforms(program, _LIGHTING_UNIFORMS | {"depths": 0, "colours": 0, "nearest": 1})
            self._passes[key] = self._context.vertex_array(program, [(self._corners, "2f", "corner")])
        return self._passes[key]

    def _gl_mesh(self, mesh: Mesh | PreparedMesh) -> GlMesh:
        if isinstance(mesh, GlMesh):
            return mesh
        unprepared = mesh.mesh if isinstance(mesh, PreparedMesh) else mesh
        if self._last_mesh is None or self._last_mesh.mesh is not unprepared:
            if self._last_mesh is not None:
                self._last_mesh.free()
            self._last_mesh = self.prepare(unprepared)
        return self._last_mesh

    def _framebuffers_of_size(self, width: int, height: int, count: int) -> GlFramebuffers:
        if self._framebuffers is None or self._framebuffers.key != (width, height, count):
            if self._framebuffers is not None:
                self._framebuffers.release()
            self._framebuffers = GlFramebuffers(self._context, width, height, count)
        return self._framebuffers

    def _draw_samples(
        self,
        gl_mesh: GlMesh,
        fitted_view: FittedView,
        framebuffers: GlFramebuffers,
        style: RenderStyle,
        sprite_radius_px: float,
    ) -> None:
        framebuffers.samples.use()
        framebuffers.samples.clear()
        width, height, count = framebuffers.key
        program, by_corner = self._program(gl_mesh.render_mesh, style, width * height * count**2)
        eye = (0.0, 0.0, 1.0, 0.0) if fitted_view.is_parallel else (0.0, 0.0, fitted_view.distance, 1.0)
        matrices = {"clip": tuple(fitted_view.clip.T.ravel()), "rotation": tuple(fitted_view.rotation.T.ravel())}
        _set_uniforms(program, matrices | {"eye": eye, "point_size": 2 * count * sprite_radius_px})
        scale = style.shown_values
        if scale is not None:
            values = gl_mesh.render_mesh.values_of(scale.name)
            low, per_step = values.steps(scale)
            _set_uniforms(program, {"low": low, "per_step": per_step})
            self._palette(values, scale).use(0)
        gl_mesh.render(program, by_corner=by_corner, quantity="" if scale is None else scale.name)

    def _palette(self, values: RenderValues, scale: ValueScale) -> Any:
        key = (scale.zero is not None, values.is_label)
        if key not in self._palettes:
            colours = values.palette(scale)
            self._palettes[key] = self._context.texture((len(colours), 1), 3, colours.tobytes(), dtype="f4")
        return self._palettes[key]

    def _draw_lines(self, lines: Overlay) -> None:
        line_colours = np.repeat(lines.colours, 3, axis=0)
        corners = np.concatenate([lines.corners.reshape(-1, 3), line_colours], axis=1).astype(np.float32)
        buffer = self._context.buffer(corners.tobytes())
        array = self._context.vertex_array(self._lines, [(buffer, "3f 3f", "position", "line_colour")])
        array.render()
        # Freed at once: moderngl objects hold driver memory until they are released, not until they are collected.
        array.release()
        buffer.release()

    def _resolve(
        self,
        camera: Camera,
        fitted_view: FittedView,
        framebuffers: GlFramebuffers,
        style: RenderStyle,
    ) -> None:
        """Combine the samples to pixels; with ambient occlusion only covered pixels, which is faster without a GPU."""
        import moderngl

        width, height, count = framebuffers.key
        resolve_pass = self._pass(RESOLVE, count, style.ambient_occlusion)
        if style.ambient_occlusion:
            framebuffers.depths.use(0)
            nearest_pass = self._pass(NEAREST, count, False)
            _set_uniforms(
                nearest_pass.program,
                {"unproject": camera.unprojection(fitted_view.clip_radius), "pad": framebuffers.pad},
            )
            # Cleared to the background depth, with which the border is compared too.
            framebuffers.bind(framebuffers.nearest_buffer, FAR_DEPTH)
            nearest_pass.render(moderngl.TRIANGLE_STRIP)
            _set_uniforms(resolve_pass.program, _ring_uniforms(min(width, height), fitted_view.enlargement))
        framebuffers.colours.use(0)
        framebuffers.nearest.use(1)
        _set_uniforms(resolve_pass.program, {"pad": framebuffers.pad})
        framebuffers.bind(framebuffers.pixels_buffer)
        if style.ambient_occlusion:
            self._context.depth_func = "=="  # only pixels that the previous pass covered
        else:
            self._context.disable(moderngl.DEPTH_TEST)
        resolve_pass.render(moderngl.TRIANGLE_STRIP)
        # Restored, since the state belongs to the context and not to the framebuffer.
        self._context.depth_func = "<"
        self._context.enable(moderngl.DEPTH_TEST)


#: Free space that the shader cache of a driver needs: Mesa's index is a file of 1.3 MB, our shaders are 0.3 MB.
MIN_SHADER_CACHE_BYTES = 2**24


def _disable_full_shader_cache() -> str:
    """Disable the shader cache of the driver if its disk is full; text for the description, "" if it is used.

    Mesa (22.3) maps the index of the cache into memory, and a page that the disk has no space for ends the process by
    SIGBUS. A folder that cannot be written is no problem. The cache saves 0.6 s per process without a GPU.
    """
    variable = next((name for name in ("MESA_SHADER_CACHE_DIR", "MESA_GLSL_CACHE_DIR") if os.environ.get(name)), "")
    cache = os.environ.get(variable) or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    with suppress(OSError, RuntimeError, ValueError):
        path = Path(cache).expanduser().absolute()
        folder = next(folder for folder in (path, *path.parents) if folder.exists())
        if disk_usage(folder).free < MIN_SHADER_CACHE_BYTES:
            os.environ["MESA_SHADER_CACHE_DISABLE"] = os.environ["MESA_GLSL_CACHE_DISABLE"] = "true"
            os.environ["__GL_SHADER_DISK_CACHE"] = "0"  # of NVIDIA's driver
            return f"; shaders are not cached, as the disk with {folder} is full"
    return ""


def _open_context() -> Any:
    try:
        import moderngl
    except ImportError as error:  # also raised when a system library is missing
        raise RuntimeError(f"moderngl cannot be loaded ({error})") from error
    os.environ.setdefault("EGL_LOG_LEVEL", "fatal")  # no message about a missing driver: the next option is tried
    reasons = []
    # EGL first: on Linux, the default backend of moderngl 5.13 requires an X server.
    options: tuple[dict[str, Any], ...] = ({"backend": "egl"}, {})
    for option in options:
        try:
            return moderngl.create_context(standalone=True, require=330, **option)
        except Exception as error:  # drivers and loaders raise all kinds of errors
            reasons.append(f"{option.get('backend', 'default')}: {str(error).strip() or type(error).__name__}")
    raise RuntimeError("; ".join(reasons))


def _unit_vector(direction: tuple[float, float, float]) -> tuple[float, ...]:
    return tuple(np.asarray(direction) / np.linalg.norm(direction))


_TRIANGLE = RenderMesh(np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.int32), None)

#: Uniforms with constant values.
_LIGHTING_UNIFORMS: dict[str, Any] = {
    "key": _unit_vector(KEY_LIGHT[0]),
    "key_colour": KEY_LIGHT[1],
    "key_wrap": KEY_LIGHT[2],
    "fill": _unit_vector(FILL_LIGHT[0]),
    "fill_colour": FILL_LIGHT[1],
    "fill_wrap": FILL_LIGHT[2],
    "sky": SKY,
    "ground": GROUND,
    "rim": RIM,
    "cavity": CAVITY_DARKENING,
    "ridge": RIDGE_LIGHTENING,
    "outline": OUTLINE_DARKENING,
    "far": FAR_DEPTH,
    "base_colour": BASE_COLOUR,
    "wire": WIRE,
    "wire_width": WIRE_WIDTH,
    "wire_opacity": WIRE_OPACITY,
    "wire_full_width": WIRE_FULL_WIDTH,
}


def _set_uniforms(program: Any, values: dict[str, Any]) -> None:
    """Set uniforms; those that the compiler removed as unused are skipped."""
    for name, value in values.items():
        if name in program:
            program[name].value = value


@lru_cache(maxsize=16)
def _ring_uniforms(size: int, enlargement: float) -> dict[str, Any]:
    """Uniforms for the neighbours that ambient occlusion compares; only the innermost ring detects outlines."""
    offsets, weights, units, borders = [], [], [], []
    for ring, (radius, weight) in enumerate(OCCLUSION_RINGS):
        for offset in ring_offsets(radius, size):
            offsets.append(offset)
            weights.append(weight / len(RING_DIRECTIONS))
            units.append(1.0 / cavity_depth(radius, size, enlargement))
            borders.append(1.0 / len(RING_DIRECTIONS) if ring == 0 else 0.0)
    return {"offsets": offsets, "weights": weights, "units": units, "borders": borders}
