"""Pictures from the drawing processes and their cache, as Qt paints them."""

import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtGui import QImage

from shrec_viewer.formats.images import read_image
from shrec_viewer.formats.meshes import read_mesh
from shrec_viewer.render.thumbnail import ThumbnailRequest
from shrec_viewer.render.workers import ThumbnailWorkers

MOST_PROCESSES = 4
"""Each holds 130 MB and reads from the same disk; four fill a screen in half a second."""


class DrawnPictures:
    """A `thumbnails.PictureSource` over `ThumbnailWorkers`.

    Parameters
    ----------
    cache_folder : where drawn pictures are kept between two starts; None keeps nothing.
    """

    def __init__(self, cache_folder: Path | None) -> None:
        processes = min(max((os.cpu_count() or 2) - 1, 2), MOST_PROCESSES)
        self._workers = ThumbnailWorkers(read_mesh, read_image, cache_folder, processes)

    def request(self, paths: Sequence[Path], size: int) -> None:
        """See `PictureSource.request`."""
        self._workers.request([ThumbnailRequest(path, size) for path in paths])

    def wait(self, timeout: float) -> list[tuple[Path, QImage | None, str]]:
        """See `PictureSource.wait`; decodes in the thread that waits."""
        answers: list[tuple[Path, QImage | None, str]] = []
        for request, thumbnail in self._workers.wait(timeout):
            image = QImage.fromData(thumbnail.webp) if thumbnail.webp else None
            if image is not None and image.isNull():
                answers.append((request.path, None, "the picture cannot be read"))
            else:
                answers.append((request.path, image, thumbnail.problem or ""))
        return answers

    def close(self) -> None:
        """See `PictureSource.close`."""
        self._workers.close()


def open_drawn_pictures() -> DrawnPictures:
    """Drawn pictures, kept where this system keeps caches."""
    from platformdirs import user_cache_path

    return DrawnPictures(user_cache_path("shrec-viewer", appauthor=False) / "thumbnails")
