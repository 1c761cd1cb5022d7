"""A mesh in the memory of the graphics card, in the forms that its programs want."""

from typing import Any

import numpy as np

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.body import Prepared


class GlMesh(Prepared):
    """A prepared mesh of `GlRenderer`; its buffers are made when a style first needs them.

    Parameters
    ----------
    mesh : what it is.
    context : a moderngl context, current whenever this object is used.
    """

    def __init__(self, mesh: Mesh, context: Any) -> None:
        super().__init__(mesh)
        self._context = context
        self._buffers: dict[str, Any] = {}
        self._arrays: dict[tuple[int, bool], Any] = {}

    def array(self, program: Any, *, by_corner: bool) -> Any:
        """What `program` draws; with three vertices of its own for each face where `by_corner`."""
        key = (program.glo, by_corner)
        if key not in self._arrays:
            names = [name for name in ("point", "paint", "normal", "facet") if name in program]
            content = [(self._buffer(name, by_corner), "3f", name) for name in names]
            index = None if by_corner or len(self.body.faces) == 0 else self._buffer("face", by_corner)
            self._arrays[key] = self._context.vertex_array(program, content, index)
        return self._arrays[key]

    def release(self) -> None:
        """See `Prepared.release`; may be called twice."""
        with self._context:
            self.free()

    def free(self) -> None:
        """The same while the context is current: making it current is not to be nested."""
        for held in (*self._arrays.values(), *self._buffers.values()):
            held.release()
        self._arrays, self._buffers = {}, {}

    def _buffer(self, name: str, by_corner: bool) -> Any:
        key = f"{name} by corner" if by_corner else name
        if key not in self._buffers:
            values = self._values(name)
            if by_corner and name in ("point", "paint"):
                values = values[self.body.faces.ravel()]
            self._buffers[key] = self._context.buffer(np.ascontiguousarray(values).tobytes())
        return self._buffers[key]

    def _values(self, name: str) -> Any:
        body = self.body
        if name == "normal":
            return body.corner_normals.reshape(-1, 3).astype(np.float32)
        if name == "facet":
            return np.repeat(body.face_normals, 3, axis=0)
        if name == "face":
            return body.faces
        return body.points if name == "point" or body.paint is None else body.paint
