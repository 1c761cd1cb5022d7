"""Images of models and queries in a site, each file once."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

from shrec_viewer.domain import Benchmark, Quantity
from shrec_viewer.domain.value_scale import ValueLegend, ValueSummary
from shrec_viewer.evaluation.evaluate import Progress
from shrec_viewer.formats.meshes.values import read_valued_mesh
from shrec_viewer.render.renderer import RendererChoice
from shrec_viewer.render.scene.values import make_legend, resolve_scale, scale_of, summarise
from shrec_viewer.render.thumbnails.cache import cache_folder
from shrec_viewer.render.thumbnails.thumbnail import ReadImage, Thumbnail, thumbnail_requests
from shrec_viewer.render.workers.model_readers import is_image, map_files
from shrec_viewer.render.workers.thumbnail_pool import ThumbnailPool
from shrec_viewer.report.site.file_names import safe_file_names
from shrec_viewer.report.site.inputs import Checkpoint

#: Side of the images: the size in the cache of the window, 5 KB each. Pages show them with 88 to 256 CSS pixels, and
#: screens of phones have two to three pixels for each of these.
IMAGE_PIXELS = 256

IMAGES_FOLDER = "images"

#: Problems that need no placeholder if all models have one of them.
NO_FILE, LEFT_OUT = "no file", "left out"

#: Worker processes that draw missing images, at most.
MAX_PROCESSES = 4

_POLL_INTERVAL_S = 0.2

#: Files for each worker process: one starts in the time in which another draws about 16.
_FILES_PER_PROCESS = 16

#: (paths, checkpoint, progress) -> (path, thumbnail) of each path, in any order.
ImageSource = Callable[[Sequence[Path], Checkpoint, Progress | None], Iterator[tuple[Path, Thumbnail]]]


@dataclass(frozen=True)
class SiteImage:
    """An image of a model or query: its path in the site, or why there is none."""

    path: str = ""
    problem: str = ""


@dataclass(frozen=True, eq=False)
class SiteImages:
    """Images by model and query.

    Attributes
    ----------
    models, queries : (N,) and (Q,) images; those that no page shows have neither path nor problem.
    files : content by path in the site.
    """

    models: Sequence[SiteImage]
    queries: Sequence[SiteImage]
    files: Mapping[str, bytes] = field(default_factory=dict)

    @cached_property
    def are_known(self) -> bool:
        """Whether any model or query has a file that was to be drawn; without, pages show no placeholders."""
        return any(
            image.path or image.problem not in ("", NO_FILE, LEFT_OUT) for image in (*self.models, *self.queries)
        )


def draw_images(
    benchmark: Benchmark,
    models: Sequence[int],
    source: ImageSource,
    checkpoint: Checkpoint,
    progress: Progress | None,
) -> SiteImages:
    """Images of some models and of all queries of a benchmark."""
    paths = benchmark.collection.paths
    needed: dict[Path, str] = {}
    names = _image_names(benchmark)
    for model in models:
        path = paths[model]
        if path is not None:
            needed.setdefault(path, names[0][model])
    for query, path in enumerate(benchmark.queries.paths):
        if path is not None:
            needed.setdefault(path, names[1][query])
    drawn: dict[Path, SiteImage] = {}
    files: dict[str, bytes] = {}
    for path, thumbnail in source(list(needed), checkpoint, progress):
        if thumbnail.problem is None and thumbnail.webp:
            name = f"{IMAGES_FOLDER}/{needed[path]}.webp"
            files[name] = thumbnail.webp
            drawn[path] = SiteImage(name)
        else:
            drawn[path] = SiteImage(problem=_without_folder(thumbnail.problem or "it is empty", path))
    shown = set(models)
    empty = SiteImage()
    return SiteImages(
        [_image(path, drawn) if model in shown else empty for model, path in enumerate(paths)],
        [_image(path, drawn) for path in benchmark.queries.paths],
        files,
    )


def _image_names(benchmark: Benchmark) -> tuple[list[str], list[str]]:
    """Names of the images of all models and queries: they do not depend on which of them are drawn."""
    queries = [f"query-{name}" for name in benchmark.queries.ids]
    names = safe_file_names([*benchmark.collection.ids, *queries])
    return names[: len(benchmark.collection)], names[len(benchmark.collection) :]


def _image(path: Path | None, drawn: Mapping[Path, SiteImage]) -> SiteImage:
    return SiteImage(problem=NO_FILE) if path is None else drawn[path]


def _without_folder(problem: str, path: Path) -> str:
    return problem.replace(f"{path.parent.as_posix()}/", "")


def no_images(paths: Sequence[Path], _checkpoint: Checkpoint, _progress: Progress | None) -> Iterator[
    tuple[Path, Thumbnail]
]:  # fmt: skip
    """`ImageSource` of a site without images."""
    for path in paths:
        yield path, Thumbnail(problem=LEFT_OUT)


def cached_images(
    read_image: ReadImage,
    camera: Mapping[str, str | float],
    *,
    prefer: RendererChoice = "auto",
    processes: int = 2,
    size: int = IMAGE_PIXELS,
    quantities: Sequence[Quantity] = (),
) -> ImageSource:
    """`ImageSource` of the cache of the window; missing images are rendered and cached.

    Parameters
    ----------
    read_image : importable function that reads an image file, called in worker processes.
    camera : settings of the benchmark; a quantity without a range gets that of all these models.
    size : side of the images in pixels.
    quantities : of the benchmark.
    """

    def draw(paths: Sequence[Path], checkpoint: Checkpoint, progress: Progress | None) -> Iterator[
        tuple[Path, Thumbnail]
    ]:  # fmt: skip
        workers = max(1, min(processes, -(-len(paths) // _FILES_PER_PROCESS)))
        left = len(paths)
        with ThumbnailPool(
            read_valued_mesh, read_image, cache_folder(), workers, prefer=prefer, lower_priority=False
        ) as pool:
            settings = camera if "low" in camera else settings_with_legend(camera, paths, quantities, checkpoint)[0]
            pool.request(thumbnail_requests(paths, size, settings, quantities))
            while left:
                checkpoint()
                for request, thumbnail in pool.wait(_POLL_INTERVAL_S):
                    left -= 1
                    if progress is not None:
                        progress(len(paths) - left, len(paths), "picture")
                    yield request.path, thumbnail

    return draw


def images_of_size(
    read_image: ReadImage, camera: Mapping[str, str | float], quantities: Sequence[Quantity] = ()
) -> Callable[[int], ImageSource]:
    """Function that returns `cached_images` of a side length in pixels; parameters as of `cached_images`."""

    def source(size: int) -> ImageSource:
        processes = min(os.cpu_count() or 2, MAX_PROCESSES)
        return cached_images(read_image, camera, processes=processes, size=size, quantities=quantities)

    return source


def settings_with_legend(
    settings: Mapping[str, str | float],
    paths: Iterable[Path],
    quantities: Sequence[Quantity] = (),
    checkpoint: Checkpoint | None = None,
) -> tuple[Mapping[str, str | float], ValueLegend | None]:
    """Settings of images whose quantity has one range for all these files, and its legend.

    The files are read to find both; the settings are returned as they are, without a legend, where they have no
    quantity.

    Parameters
    ----------
    quantities : of the benchmark.
    checkpoint : see `map_files`.
    """
    scale, quantity = resolve_scale(scale_of(settings), quantities)
    if scale is None:
        return settings, None
    models = dict.fromkeys(path for path in paths if not is_image(path))
    work = partial(read_summaries, quantity=quantity)
    found = [summaries for _, summaries in map_files(models, work, checkpoint=checkpoint)]
    legend = make_legend(
        scale,
        [summaries for summaries in found if not isinstance(summaries, str)],
        "" if quantity is None else quantity.unit,
    )
    return {**settings, **legend.scale.as_settings()}, legend


def read_summaries(path: Path, quantity: Quantity | None) -> tuple[ValueSummary, ...]:
    """Quantities of the mesh in a file, with one in another file; called in worker processes."""
    return summarise(read_valued_mesh(path, quantity))
