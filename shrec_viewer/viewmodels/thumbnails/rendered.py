"""Thumbnail source that renders in worker processes and uses the disk cache."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from shrec_viewer.domain import Finding
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.render.renderer import RendererChoice
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.thumbnails.cache import ThumbnailCache, cache_folder, write_limit
from shrec_viewer.render.thumbnails.thumbnail import Thumbnail, ThumbnailRequest, thumbnail_findings
from shrec_viewer.render.workers.thumbnail_pool import ThumbnailPool
from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg

MAX_PROCESSES = 4
"""Each holds 130 MB and reads from the same disk; four fill a screen in half a second."""


class RenderedThumbnails:
    """A `thumbnails.PictureSource` over `ThumbnailPool`.

    Parameters
    ----------
    cache_folder : where drawn pictures are kept between two starts; None keeps nothing.
    """

    def __init__(self, cache_folder: Path | None) -> None:
        processes = min(max((os.cpu_count() or 2) - 1, 2), MAX_PROCESSES)
        self._workers = ThumbnailPool(read_mesh, read_image_or_svg, cache_folder, processes)
        self._camera = Camera()
        self._noticed: dict[Path, Thumbnail] = {}

    def set_camera(self, camera: Camera) -> None:
        """Look at all meshes asked for from now on through this camera; those before are no longer what is wanted."""
        self._camera = camera

    @property
    def renderer(self) -> str:
        """What draws, in words for the about box; "" until the first picture that is not cached."""
        return self._workers.renderer

    def set_renderer(self, prefer: RendererChoice) -> None:
        """See `ThumbnailPool.set_renderer`; what is kept stays, as all renderers draw the same picture."""
        self._workers.set_renderer(prefer)

    def request(self, paths: Sequence[Path], size: int) -> None:
        """See `PictureSource.request`."""
        self._workers.request([ThumbnailRequest(path, size, self._camera) for path in paths])

    def wait(self, timeout: float) -> list[tuple[Path, bytes | None, str]]:
        """See `PictureSource.wait`."""
        answers: list[tuple[Path, bytes | None, str]] = []
        for request, thumbnail in self._workers.wait(timeout):
            if request.camera != self._camera:
                continue  # on its way when the camera moved; it was asked for again since
            if thumbnail.problem or thumbnail.notes:
                self._noticed[request.path] = replace(thumbnail, webp=b"")
            answers.append((request.path, thumbnail.webp or None, thumbnail.problem or ""))
        return answers

    def findings(self, root: Path) -> tuple[Finding, ...]:
        """What was noticed about the files seen so far: why some have no picture, what was mended in others.

        Parameters
        ----------
        root : folder of the benchmark; files within are named from there.
        """
        noticed = dict(self._noticed)  # the thread that waits may add to it meanwhile
        return tuple(finding for path, seen in noticed.items() for finding in thumbnail_findings(path, seen, root))

    def noticed(self) -> int:
        """See `thumbnails.Noticing`."""
        return len(self._noticed)

    def clear_findings(self) -> None:
        """See `thumbnails.Noticing`."""
        self._noticed = {}

    @property
    def cache_problem(self) -> str:
        """Why new pictures are not kept for the next time, a sentence; "" while they are."""
        return self._workers.cache_problem

    def close(self) -> None:
        """See `PictureSource.close`."""
        self._workers.close()


def open_rendered_thumbnails() -> RenderedThumbnails:
    """Drawn pictures, kept where this system keeps caches."""
    return RenderedThumbnails(cache_folder())


def thumbnail_cache_size() -> int:
    """Bytes that kept pictures take on disk; may wait for another process that is writing: not for the main thread."""
    cache = ThumbnailCache(cache_folder())
    size = cache.size()
    cache.close()
    return size


def set_thumbnail_cache_limit(limit: int) -> None:
    """Let kept pictures take so many bytes from now on, in every window; those not looked at for longest go at once.

    Takes a second where much goes: not for the main thread.

    Raises
    ------
    OSError
        Where the limit cannot be written down.
    """
    write_limit(cache_folder(), limit)
    cache = ThumbnailCache(cache_folder())
    cache.shrink()
    cache.close()


def clear_thumbnail_cache() -> None:
    """Forget all kept pictures, in every window of this person; they are drawn again when they are next seen."""
    cache = ThumbnailCache(cache_folder())
    cache.clear()
    cache.close()
