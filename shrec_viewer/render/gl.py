"""Draws with OpenGL 3.3 without a window: through EGL where there is one, else through the platform's own way."""

import os
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.body import Body, Prepared
from shrec_viewer.render.camera import Camera, Framing
from shrec_viewer.render.gl_mesh import GlMesh
from shrec_viewer.render.gl_targets import Room, Targets, begin
from shrec_viewer.render.look import (
    CLAY,
    FILL,
    GROUND,
    HOLLOW,
    KEY,
    OUTLINE,
    RELIEF,
    RIDGE,
    RIM,
    SKY,
    WIRE,
    WIRE_ROOM,
    WIRE_SHARE,
    WIRE_WIDTH,
)
from shrec_viewer.render.overlay import Overlay, overlay
from shrec_viewer.render.relief import DIRECTIONS, FAR, offsets, slope_unit
from shrec_viewer.render.shaders import (
    BALL,
    FACE,
    LINE,
    LINE_VERTEX,
    NEAREST,
    RESOLVE,
    VERTEX,
    WHOLE,
    constants,
    variant,
)
from shrec_viewer.render.splats import splat_radius
from shrec_viewer.render.style import FINE, Style

_PAIRS = len(RELIEF) * len(DIRECTIONS)
"""Pairs of neighbours that the relief compares."""


_FEW = 4
"""Vertices are shaded rather than samples where there are so many times fewer of them."""


class GlRenderer:
    """OpenGL into a texture, read back; see `Renderer`. Belongs to the thread that made it.

    Raises
    ------
    RuntimeError
        No driver gives an OpenGL 3.3 context or compiles the shaders; the text has the reasons.
    """

    name = "gl"

    def __init__(self) -> None:
        self._context = _open_context()
        try:
            self._compile()
        except Exception as error:
            self._context.release()
            raise RuntimeError(f"the OpenGL driver refused the shaders ({error})") from error
        info = self._context.info
        self.description = f"OpenGL {info['GL_VERSION']} on {info['GL_RENDERER']}"
        self._targets: Targets | None = None
        self._drawn: GlMesh | None = None

    def prepare(self, mesh: Mesh) -> GlMesh:
        """The mesh in the card's memory; see `Renderer.prepare`."""
        return GlMesh(mesh, self._context)

    def draw(
        self, mesh: Mesh | Prepared, camera: Camera, width: int, height: int, style: Style = FINE
    ) -> NDArray[np.uint8]:
        """Pixels (height, width, 4); see `Renderer.draw`."""
        with self._context:
            held = self._held(mesh)
            points = held.body.points
            if len(points) == 0:
                return np.zeros((height, width, 4), np.uint8)
            targets = self._sized(width, height, style.samples)
            framing = held.body.framing(camera, width, height, box=style.box)
            lines = overlay(held.body.corners, framing, width, height, style)
            splat = splat_radius(len(points), min(width, height) * camera.zoom)
            margin = 1 if len(held.body.faces) else splat + 1
            whole = (0, 0, width, height)
            room = whole if lines is not None else framing.room(held.body.corners, width, height, margin)
            pixels = np.zeros((height, width, 4), np.uint8)
            if room[2] <= 0 or room[3] <= 0:
                return pixels
            self._draw_samples(held, framing, targets, style, room, splat)
            if lines is not None:
                self._draw_lines(lines, camera, framing)
            self._resolve(camera, framing, targets, style, room)
            left, bottom, across, upwards = room
            part = targets.picture.read((left + targets.pad, bottom + targets.pad, across, upwards), components=4)
            upside_down = np.frombuffer(part, np.uint8).reshape(upwards, across, 4)
            pixels[height - bottom - upwards : height - bottom, left : left + across] = upside_down[::-1]
            return pixels

    def close(self) -> None:
        """Free the driver's memory and the context."""
        with self._context:
            if self._drawn is not None:
                self._drawn.free()
                self._drawn = None
            if self._targets is not None:
                self._targets.release()
                self._targets = None
        self._context.release()

    def _compile(self) -> None:
        import moderngl

        context = self._context
        context.enable_only(moderngl.DEPTH_TEST | moderngl.PROGRAM_POINT_SIZE)
        self._programs: dict[tuple[bool | str | int, ...], Any] = {}
        self._lines = context.program(vertex_shader=LINE_VERTEX, fragment_shader=LINE)
        _assign(self._lines, _LOOK)
        self._corners = context.buffer(np.array([-1, -1, 1, -1, -1, 1, 1, 1], np.float32).tobytes())
        self._passes: dict[tuple[str, int, bool], Any] = {}
        self._program(_TRIANGLE, FINE, 1000)  # a driver that refuses one of these is refused now
        self._pass(RESOLVE, FINE.samples, FINE.relief)

    def _program(self, body: Body, style: Style, fragments: int) -> tuple[Any, bool]:
        """What draws a body in one style, compiled once, and whether it wants vertices of its own for each face."""
        has_faces = len(body.faces) > 0
        has_colours = style.colours and style.shading != "normals"
        is_painted, is_textured = has_colours and body.paint is not None, has_colours and body.skin is not None
        shading = style.shading if has_faces or style.shading != "smooth" else "flat"
        wire = style.wireframe and has_faces
        is_plain = has_faces and shading == "flat" and not is_painted and not is_textured
        is_even = is_plain and _FEW * 3 * len(body.faces) < fragments
        key = (has_faces, shading, style.samples, is_painted, is_textured, wire, is_even)
        if key not in self._programs:
            flags = {"PAINTED": is_painted, "TEXTURED": is_textured, "WIRE": wire, "EVEN": is_even}
            head = variant(shading, style.samples, flags)
            shader = FACE if has_faces else BALL
            self._programs[key] = self._context.program(vertex_shader=head + VERTEX, fragment_shader=head + shader)
            _assign(self._programs[key], _LOOK)
        return self._programs[key], has_faces and (shading == "smooth" or wire or is_even)

    def _pass(self, shader: str, count: int, relief: bool) -> Any:
        """A rectangle that one of the two programs over the whole picture fills; compiled once for each quality."""
        key = (shader, count, relief)
        if key not in self._passes:
            source = constants(count, _PAIRS, relief) + shader
            program = self._context.program(vertex_shader=WHOLE, fragment_shader=source)
            _assign(program, _LOOK | {"depths": 0, "colours": 0, "nearest": 1})
            self._passes[key] = self._context.vertex_array(program, [(self._corners, "2f", "corner")])
        return self._passes[key]

    def _held(self, mesh: Mesh | Prepared) -> GlMesh:
        if isinstance(mesh, GlMesh):
            return mesh
        plain = mesh.mesh if isinstance(mesh, Prepared) else mesh
        if self._drawn is None or self._drawn.mesh is not plain:
            if self._drawn is not None:
                self._drawn.free()
            self._drawn = self.prepare(plain)
        return self._drawn

    def _sized(self, width: int, height: int, count: int) -> Targets:
        if self._targets is None or self._targets.key != (width, height, count):
            if self._targets is not None:
                self._targets.release()
            self._targets = Targets(self._context, width, height, count)
        return self._targets

    def _draw_samples(
        self, held: GlMesh, framing: Framing, targets: Targets, style: Style, room: Room, splat: float
    ) -> None:
        targets.samples.use()
        targets.samples.clear()
        width, height, count = targets.key
        program, by_corner = self._program(held.body, style, width * height * count**2)
        eye = (0.0, 0.0, 1.0, 0.0) if framing.is_parallel else (0.0, 0.0, framing.distance, 1.0)
        turn = {"clip": tuple(framing.clip.T.ravel()), "rotation": tuple(framing.rotation.T.ravel())}
        _assign(program, turn | {"eye": eye, "splat": 2 * count * splat})
        held.render(program, by_corner=by_corner)

    def _draw_lines(self, lines: Overlay, camera: Camera, framing: Framing) -> None:
        ink = np.repeat(lines.colours, 3, axis=0)
        corners = np.concatenate([lines.corners.reshape(-1, 3), ink], axis=1).astype(np.float32)
        buffer = self._context.buffer(corners.tobytes())
        array = self._context.vertex_array(self._lines, [(buffer, "3f 3f", "place", "ink")])
        array.render()
        array.release()
        buffer.release()

    def _resolve(self, camera: Camera, framing: Framing, targets: Targets, style: Style, room: Room) -> None:
        """Work out the pixels of `room` alone, with relief those alone where something is: without a GPU all costs."""
        import moderngl

        width, height, count = targets.key
        within = (room[0] + targets.pad, room[1] + targets.pad, room[2], room[3])
        resolve = self._pass(RESOLVE, count, style.relief)
        if style.relief:
            targets.depths.use(0)
            near = self._pass(NEAREST, count, False)
            _assign(near.program, {"unproject": camera.unprojection(framing.reach), "pad": targets.pad})
            begin(targets.nearest_buffer, within, FAR)
            near.render(moderngl.TRIANGLE_STRIP)
            _assign(resolve.program, _rings(min(width, height), framing.enlargement))
        targets.colours.use(0)
        targets.nearest.use(1)
        _assign(resolve.program, {"pad": targets.pad})
        begin(targets.picture, within)
        if style.relief:
            self._context.depth_func = "=="  # where the pass before was
        else:
            self._context.disable(moderngl.DEPTH_TEST)
        resolve.render(moderngl.TRIANGLE_STRIP)
        self._context.depth_func = "<"
        self._context.enable(moderngl.DEPTH_TEST)


def _open_context() -> Any:
    try:
        import moderngl
    except ImportError as error:  # also where the system lacks a library that it is linked to
        raise RuntimeError(f"moderngl cannot be loaded ({error})") from error
    os.environ.setdefault("EGL_LOG_LEVEL", "fatal")  # a missing driver is no news: the next way is tried
    reasons = []
    ways: tuple[dict[str, Any], ...] = ({"backend": "egl"}, {})
    for way in ways:
        try:
            return moderngl.create_context(standalone=True, require=330, **way)
        except Exception as error:  # drivers and loaders fail in every way
            reasons.append(f"{way.get('backend', 'default')}: {str(error).strip() or type(error).__name__}")
    raise RuntimeError("; ".join(reasons))


def _unit(direction: tuple[float, float, float]) -> tuple[float, ...]:
    return tuple(np.asarray(direction) / np.linalg.norm(direction))


_TRIANGLE = Body(np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.int32), None)

_LOOK: dict[str, Any] = {
    "key": _unit(KEY[0]),
    "key_colour": KEY[1],
    "key_wrap": KEY[2],
    "fill": _unit(FILL[0]),
    "fill_colour": FILL[1],
    "fill_wrap": FILL[2],
    "sky": SKY,
    "ground": GROUND,
    "rim": RIM,
    "hollow": HOLLOW,
    "ridge": RIDGE,
    "outline": OUTLINE,
    "far": FAR,
    "clay": CLAY,
    "wire": WIRE,
    "wire_width": WIRE_WIDTH,
    "wire_most": WIRE_SHARE,
    "wire_room": WIRE_ROOM,
}
"""Uniforms that never change."""


def _assign(program: Any, values: dict[str, Any]) -> None:
    """Set uniforms; what a compiler found unused does not exist and is passed over."""
    for name, value in values.items():
        if name in program:
            program[name].value = value


@lru_cache(maxsize=16)
def _rings(size: int, enlargement: float) -> dict[str, Any]:
    """Uniforms that describe the neighbours of `relief`; only the innermost ring finds outlines."""
    places, weights, units, borders = [], [], [], []
    for ring, (radius, weight) in enumerate(RELIEF):
        for place in offsets(radius, size):
            places.append(place)
            weights.append(weight / len(DIRECTIONS))
            units.append(1.0 / slope_unit(radius, size, enlargement))
            borders.append(1.0 / len(DIRECTIONS) if ring == 0 else 0.0)
    return {"offsets": places, "weights": weights, "units": units, "borders": borders}
