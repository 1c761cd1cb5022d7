"""Images of models and queries in a site, each file once."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from shrec_viewer.content.contents import content_of
from shrec_viewer.content.data import ContentData, model_images
from shrec_viewer.content.images import ModelsRequest, as_shown, camera_settings, merged_settings
from shrec_viewer.content.request import Request
from shrec_viewer.domain import Benchmark, Quantity
from shrec_viewer.domain.value_scale import ValueLegend, ValueScale, ValueSummary
from shrec_viewer.evaluation.evaluate import Progress, make_checkpoint
from shrec_viewer.formats.meshes.values import read_valued_mesh
from shrec_viewer.render.renderer import RendererChoice
from shrec_viewer.render.scene.values import make_legend, resolve_scale, scale_of, summarise
from shrec_viewer.render.thumbnails.cache import cache_folder
from shrec_viewer.render.thumbnails.thumbnail import ReadImage, Thumbnail, ThumbnailRequest, thumbnail_requests
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

#: (requests, checkpoint, progress) -> (path, thumbnail) of each, in any order.
ImageSource = Callable[[Sequence[ThumbnailRequest], Checkpoint, Progress | None], Iterator[tuple[Path, Thumbnail]]]


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
    legend : what the colours of the images mean; None for those of the files.
    """

    models: Sequence[SiteImage]
    queries: Sequence[SiteImage]
    files: Mapping[str, bytes] = field(default_factory=dict)
    legend: ValueLegend | None = None

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
    settings, legend = benchmark.camera, None
    if source is not no_images:
        settings, legend = settings_with_legend(settings, needed, benchmark.quantities, checkpoint)
    wanted = thumbnail_requests(needed, IMAGE_PIXELS, settings, benchmark.quantities)
    for path, thumbnail in source(wanted, checkpoint, progress):
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
        legend,
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


def no_images(wanted: Sequence[ThumbnailRequest], _checkpoint: Checkpoint, _progress: Progress | None) -> Iterator[
    tuple[Path, Thumbnail]
]:  # fmt: skip
    """`ImageSource` of a site without images."""
    for request in wanted:
        yield request.path, Thumbnail(problem=LEFT_OUT)


def cached_images(
    read_image: ReadImage, *, prefer: RendererChoice = "auto", processes: int | None = None
) -> ImageSource:
    """`ImageSource` of the cache of the window; missing images are rendered and cached.

    Parameters
    ----------
    read_image : importable function that reads an image file, called in worker processes.
    """
    limit = processes or min(os.cpu_count() or 2, MAX_PROCESSES)

    def draw(wanted: Sequence[ThumbnailRequest], checkpoint: Checkpoint, progress: Progress | None) -> Iterator[
        tuple[Path, Thumbnail]
    ]:  # fmt: skip
        workers = max(1, min(limit, -(-len(wanted) // _FILES_PER_PROCESS)))
        left = len(wanted)
        with ThumbnailPool(
            read_valued_mesh, read_image, cache_folder(), workers, prefer=prefer, lower_priority=False
        ) as pool:
            pool.request(wanted)
            while left:
                checkpoint()
                for request, thumbnail in pool.wait(_POLL_INTERVAL_S):
                    left -= 1
                    if progress is not None:
                        progress(len(wanted) - left, len(wanted), "picture")
                    yield request.path, thumbnail

    return draw


def with_images(
    data: ContentData,
    request: Request,
    source: ImageSource,
    checkpoint: Checkpoint,
) -> ContentData:
    """The data with the images that a chart shows, and the legend of their colours; the same for one without images."""
    kind, benchmark = content_of(request), data.benchmark
    if kind.images is None:
        return data
    paths = kind.images(data, request)
    settings = merged_settings(benchmark.camera, camera_settings(getattr(request, "camera", "")) or {})
    if not getattr(request, "shows_values", True):
        settings = {**settings, "values": ""}
    settings, legend = settings_with_legend(settings, paths, benchmark.quantities, checkpoint)
    wanted = thumbnail_requests(paths, kind.image_size, settings, benchmark.quantities)
    if isinstance(request, ModelsRequest):
        wanted = as_shown(data, request, wanted)
    return replace(data, images=model_images(source(wanted, checkpoint, None)), legend=legend)


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


@dataclass(frozen=True)
class ValueLegendRequest(Request):
    """The legend of images whose colours are a quantity.

    Attributes
    ----------
    scale : the quantity, with or without a range.
    n_files : models that are read to find its range, and which labels occur.
    """

    scale: ValueScale
    n_files: int = 24


def value_legend(data: ContentData, request: ValueLegendRequest) -> ValueLegend | None:
    """What the colours of the models mean, by some models that are spread over the collection; None without values."""
    files = [path for path in data.benchmark.collection.paths if path is not None]
    sample = files[:: max(1, len(files) // request.n_files)][: request.n_files]
    checkpoint = make_checkpoint(data.cancelled)
    return settings_with_legend(request.scale.as_settings(), sample, data.benchmark.quantities, checkpoint)[1]


def read_summaries(path: Path, quantity: Quantity | None) -> tuple[ValueSummary, ...]:
    """Quantities of the mesh in a file, with one in another file; called in worker processes."""
    return summarise(read_valued_mesh(path, quantity))
