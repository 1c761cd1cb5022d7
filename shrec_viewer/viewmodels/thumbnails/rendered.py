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
"""Maximum number of worker processes of 130 MB each; four render a screen of thumbnails in half a second."""


class RenderedThumbnails:
    """A `ThumbnailSource` that uses a `ThumbnailPool`.

    Parameters
    ----------
    cache_folder : folder of the disk cache; None for no cache.
    """

    def __init__(self, cache_folder: Path | None) -> None:
        processes = min(max((os.cpu_count() or 2) - 1, 2), MAX_PROCESSES)
        self._workers = ThumbnailPool(read_mesh, read_image_or_svg, cache_folder, processes)
        self._camera = Camera()
        self._noticed: dict[Path, Thumbnail] = {}

    def set_camera(self, camera: Camera) -> None:
        """See `ThumbnailSource.set_camera`; results for the previous camera are dropped."""
        self._camera = camera

    @property
    def renderer(self) -> str:
        """Name of the renderer; "" before the first thumbnail that is not cached."""
        return self._workers.renderer

    def set_renderer(self, prefer: RendererChoice) -> None:
        """See `ThumbnailPool.set_renderer`; the cache stays valid, as all renderers produce the same image."""
        self._workers.set_renderer(prefer)

    def request(self, paths: Sequence[Path], size: int) -> None:
        """See `ThumbnailSource.request`."""
        self._workers.request([ThumbnailRequest(path, size, self._camera) for path in paths])

    def wait(self, timeout: float) -> list[tuple[Path, bytes | None, str]]:
        """See `ThumbnailSource.wait`."""
        results: list[tuple[Path, bytes | None, str]] = []
        for request, thumbnail in self._workers.wait(timeout):
            if request.camera != self._camera:
                continue  # rendered with the previous camera; a new request is pending
            if thumbnail.problem or thumbnail.notes:
                self._noticed[request.path] = replace(thumbnail, webp=b"")
            else:
                self._noticed.pop(request.path, None)  # of a file that was missing or broken before
            results.append((request.path, thumbnail.webp or None, thumbnail.problem or ""))
        return results

    def findings(self, root: Path) -> tuple[Finding, ...]:
        """See `ReportsFindings.findings`.

        Parameters
        ----------
        root : folder of the benchmark; paths are relative to it where possible.
        """
        noticed = dict(self._noticed)  # a copy, as another thread adds to it
        return tuple(finding for path, seen in noticed.items() for finding in thumbnail_findings(path, seen, root))

    def noticed(self) -> int:
        """See `ReportsFindings.noticed`."""
        return len(self._noticed)

    def clear_findings(self) -> None:
        """See `ReportsFindings.clear_findings`."""
        self._noticed = {}

    def problems(self) -> tuple[str, ...]:
        """See `ReportsProblems.problems`."""
        return tuple(filter(None, (self._workers.renderer_problem, self._workers.cache_problem)))

    def close(self) -> None:
        """See `ThumbnailSource.close`."""
        self._workers.close()


def open_rendered_thumbnails() -> RenderedThumbnails:
    """A source with the disk cache of this system."""
    return RenderedThumbnails(cache_folder())


def set_thumbnail_cache_limit(limit: int) -> None:
    """Limit the thumbnail cache to `limit` bytes; the least recently used entries are deleted at once.

    May take a second: not for the main thread.

    Raises
    ------
    OSError
        When the limit cannot be written.
    """
    write_limit(cache_folder(), limit)
    cache = ThumbnailCache(cache_folder())
    cache.shrink()
    cache.close()


def clear_thumbnail_cache() -> None:
    """Delete the thumbnail cache, which all windows share."""
    cache = ThumbnailCache(cache_folder())
    cache.clear()
    cache.close()
