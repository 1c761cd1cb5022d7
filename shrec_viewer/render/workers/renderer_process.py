"""The process that renders interactive 3D views, and its client."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.benchmark import Quantity
from shrec_viewer.domain.errors import Cancelled
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.renderer import Renderer, RendererChoice, open_renderer, open_renderer_or_software
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.picking import PickedPoint, picked_point
from shrec_viewer.render.scene.render_mesh import PreparedMesh
from shrec_viewer.render.scene.style import FINE_STYLE, RenderStyle
from shrec_viewer.render.thumbnails.thumbnail import MeshComparison
from shrec_viewer.render.workers.model_readers import ModelSource, unpack_mesh
from shrec_viewer.render.workers.worker_pool import WorkerPool

#: Memory of a face corner, or of a vertex, in all the arrays and buffers that the renderers keep.
_BYTES_PER_CORNER = 33

#: Memory of a value as it was read, for rendering, and on the GPU once it was drawn.
_BYTES_PER_VALUE = 17

#: Memory of a texture relative to its bytes: as it was read, and on the GPU with its mipmaps.
_BYTES_PER_TEXEL = 7 / 3


@dataclass(frozen=True, eq=False)
class LoadMesh:
    """Job: load a mesh; the result is `MeshLoaded`.

    Attributes
    ----------
    source : identifies the mesh from now on; replaces a mesh of the same source.
    packed : the mesh as returned by `pack_mesh`.
    """

    source: ModelSource
    packed: bytes


@dataclass(frozen=True)
class MeshLoaded:
    """Result of `LoadMesh`.

    Attributes
    ----------
    nbytes : approximate memory of the loaded mesh.
    problem : why it could not be loaded; "" if it was.
    """

    nbytes: float = 0.0
    problem: str = ""


@dataclass(frozen=True)
class RenderRequest:
    """Job: draw a loaded mesh; the result is `MeshDrawn`.

    Attributes
    ----------
    pane : name of the pane that shows the image; a new request of a pane replaces its pending one.
    path : of the mesh; the window also shows image files, unchanged.
    camera, width, height, style : see `Renderer.draw`.
    comparison, quantity : see `ModelReadJob`.
    pointer : pixels from the upper left corner, to find the point there instead of drawing.
    """

    pane: str
    path: Path
    camera: Camera
    width: int
    height: int
    style: RenderStyle = FINE_STYLE
    comparison: MeshComparison | None = None
    quantity: Quantity | None = None
    pointer: tuple[float, float] | None = None

    @property
    def source(self) -> ModelSource:
        """What identifies the mesh, as in `LoadMesh`."""
        return self.path, self.comparison, self.quantity


@dataclass(frozen=True, eq=False)
class MeshDrawn:
    """Result of `RenderRequest`.

    Attributes
    ----------
    bgra : the image as returned by `to_premultiplied_bgra`; empty with a problem.
    problem : why it could not be drawn; "" if it was.
    picked : the point at the pointer of the request; None for none.
    """

    bgra: bytes = b""
    problem: str = ""
    picked: PickedPoint | None = None


@dataclass(frozen=True)
class UnloadMeshes:
    """Job: free loaded meshes; the result is None."""

    sources: tuple[ModelSource, ...]


RenderJob = LoadMesh | RenderRequest | UnloadMeshes


class MeshRenderer:
    """Loads and draws meshes in the worker process.

    Parameters
    ----------
    renderer : to draw with.
    """

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._loaded: dict[ModelSource, PreparedMesh] = {}

    def handle(self, job: RenderJob) -> MeshLoaded | MeshDrawn | None:
        """Do one job; errors become the problem of its result."""
        match job:
            case LoadMesh():
                return self._load(job)
            case RenderRequest():
                return self._draw(job)
            case UnloadMeshes():
                for source in job.sources:
                    self._unload(source)
        return None

    def _load(self, job: LoadMesh) -> MeshLoaded:
        self._unload(job.source)
        try:
            mesh = unpack_mesh(job.packed)
            self._loaded[job.source] = self._renderer.prepare(mesh)
        except MemoryError:
            return MeshLoaded(problem="not enough memory")
        except Exception as error:  # whatever a driver raises: it must not end the process
            return MeshLoaded(problem=f"cannot be drawn ({type(error).__name__}: {error})")
        texture = 0.0 if mesh.texture is None else _BYTES_PER_TEXEL * mesh.texture.nbytes
        values = sum(_BYTES_PER_VALUE * len(values.numbers) for values in mesh.values)
        return MeshLoaded(_BYTES_PER_CORNER * (len(mesh.vertices) + 3 * len(mesh.faces)) + texture + values)

    def _draw(self, job: RenderRequest) -> MeshDrawn:
        try:
            mesh = self._loaded[job.source]
            if job.pointer is not None:
                return MeshDrawn(picked=picked_point(mesh, job.camera, job.width, job.height, job.style, *job.pointer))
            pixels = self._renderer.draw(mesh, job.camera, job.width, job.height, job.style)
            return MeshDrawn(to_premultiplied_bgra(pixels))
        except Exception as error:  # see `_load`
            return MeshDrawn(problem=f"cannot be drawn ({type(error).__name__}: {error})")

    def _unload(self, source: ModelSource) -> None:
        if (mesh := self._loaded.pop(source, None)) is not None:
            mesh.release()


def open_mesh_renderer(prefer: RendererChoice) -> tuple[str, Callable[[RenderJob], MeshLoaded | MeshDrawn | None]]:
    """Description of the renderer, and the function that does the jobs; called once in the worker process."""
    renderer = _open_tested_renderer(prefer)
    return renderer.description, MeshRenderer(renderer).handle


def to_premultiplied_bgra(pixels: NDArray[np.uint8]) -> bytes:
    """Convert (H, W, 4) RGBA with straight alpha to the bytes of QImage.Format_ARGB32_Premultiplied (B, G, R, A)."""
    from PIL import Image

    return Image.fromarray(pixels).convert("RGBa").tobytes("raw", "BGRa")


def _open_tested_renderer(prefer: RendererChoice) -> Renderer:
    """The preferred renderer; for "auto", the software renderer if OpenGL opens but draws nothing."""
    renderer = open_renderer_or_software(prefer)
    if prefer == "auto" and renderer.name == "gl":
        triangle = Mesh(np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.int32))
        if not renderer.draw(triangle, Camera(), 32, 32)[..., 3].any():
            description = renderer.description
            renderer.close()
            renderer = open_renderer("software")
            renderer.description = f"{renderer.description}, as {description} draws nothing"
    return renderer


#: Limit for one image, as for thumbnails.
_DRAW_TIMEOUT_S = 30.0

#: Steps of niceness: below the window and above thumbnails, as the user is turning a model.
_NICE_STEPS = 2

#: Interval of calls of `cancelled` while a job runs.
_CANCEL_INTERVAL_S = 0.05


class RendererProcessError(Exception):
    """The process crashed or timed out, and its loaded meshes are lost; the text says why."""


class RendererProcess:
    """Client of one process that loads and draws meshes; belongs to one thread. The process starts on first use.

    Why not a thread: OpenGL holds the interpreter while it draws, without a GPU for 10 to 30 ms a frame, and a driver
    that crashes would end the program. After repeated crashes, or `fall_back`, the software renderer is used.

    Parameters
    ----------
    prefer : ``"auto"``, ``"gl"`` or ``"software"``.
    cancelled : callback, called while a method waits for the process; the method raises `Cancelled` when it is True.
    timeout_s : limit for one job.
    """

    def __init__(
        self, prefer: RendererChoice, cancelled: Callable[[], bool], timeout_s: float = _DRAW_TIMEOUT_S
    ) -> None:
        self._prefer = prefer
        self._cancelled = cancelled
        self._pool = WorkerPool[RenderJob, object](
            open_mesh_renderer,
            (prefer,),
            RendererProcessError,
            verb="draw",
            timeout_s=timeout_s,
            nice=_NICE_STEPS,
            fallback_args=("software",),
            is_success=_is_image,
        )
        #: Description of the renderer in use; "" before the process has started.
        self.description = ""

    @property
    def is_running(self) -> bool:
        """Whether there is a process, which takes 100 MB."""
        return self._pool.is_running

    @property
    def was_killed(self) -> bool:
        """Whether the process ended last because it was killed from outside; then the model is not at fault."""
        return self._pool.was_killed

    def fall_back(self) -> bool:
        """Use the software renderer from now on if the process has crashed with OpenGL; whether it was changed."""
        if not self._pool.has_crashed or self._pool.uses_fallback or self._prefer == "software":
            return False
        self._pool.use_fallback()
        return True

    def prestart(self) -> None:
        """Start the process, as it will be needed soon; returns at once."""
        self._pool.prestart()

    def start(self) -> None:
        """Start the process and block until it is ready.

        Raises
        ------
        Cancelled
        RendererProcessError
            When no process starts, not even with the software renderer.
        """
        while not (self._pool.is_ready and self._pool.is_running):
            self.description = ""
            self._pool.prestart()
            self._pool.poll(_CANCEL_INTERVAL_S)
            self._raise_if_cancelled()
            if self._pool.has_given_up:
                raise RendererProcessError(self._pool.crash_reason)
        if not self.description:
            self.description = self._pool.description
            if self._pool.uses_fallback and self._prefer != "software":
                self.description += f", as OpenGL {self._pool.crash_reason}"

    def load(self, source: ModelSource, packed: bytes) -> MeshLoaded:
        """Load a packed mesh, identified by `source` from now on; starts the process.

        Raises
        ------
        Cancelled, RendererProcessError
        """
        self.start()
        result = self._run(LoadMesh(source, packed))
        assert isinstance(result, MeshLoaded)
        return result

    def draw(self, job: RenderRequest) -> MeshDrawn:
        """Draw a loaded mesh.

        Raises
        ------
        Cancelled, RendererProcessError
        """
        result = self._run(job)
        assert isinstance(result, MeshDrawn)
        return result

    def unload(self, *sources: ModelSource) -> None:
        """Free loaded meshes.

        Raises
        ------
        Cancelled
        """
        if sources and self.is_running:
            with suppress(RendererProcessError):  # the meshes ended with the process
                self._run(UnloadMeshes(sources))

    def stop(self) -> None:
        """End the process at once, with its loaded meshes; it starts again with the next `load`."""
        self._pool.stop()
        self.description = ""

    def _run(self, job: RenderJob) -> object:
        if not self.is_running and not self._pool.is_ready:
            raise RendererProcessError("has no drawing process")
        self._pool.request([job])
        while True:
            for _, result in self._pool.poll(_CANCEL_INTERVAL_S):
                if isinstance(result, RendererProcessError):
                    self.description = ""
                    raise result
                return result
            self._raise_if_cancelled()

    def _raise_if_cancelled(self) -> None:
        if self._cancelled():
            self.stop()  # it may be busy with a job whose result would be taken for that of the next
            raise Cancelled


def _is_image(result: object) -> bool:
    return isinstance(result, MeshDrawn) and not result.problem
