"""Pictures for the commands: drawn in processes or read from the cache, and laid out on sheets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from shrec_viewer.cli.terminal import progress_bar
from shrec_viewer.numerals import distance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shrec_viewer.domain import Benchmark, Run
    from shrec_viewer.evaluation.ranked_list import RankedList
    from shrec_viewer.metrics import Profile
    from shrec_viewer.render.card_look import CardLook, CardPicture
    from shrec_viewer.render.renderer import Prefer
    from shrec_viewer.render.thumbnail import Thumbnail

MOST_PROCESSES = 8
"""Each needs 130 MB; beyond, the disk is what one waits for."""

PATIENCE = 0.2
"""Seconds between two looks at whether there is something to show."""


@dataclass(frozen=True)
class Request:
    """How pictures are wanted.

    Attributes
    ----------
    size : pixels of each side.
    up : axis of the meshes that points up, "Y" or "Z"; "" for what the benchmark says, else Y.
    renderer : see `open_renderer`.
    camera : how the benchmark asks to be looked at.
    """

    size: int
    up: str
    renderer: "Prefer"
    camera: Mapping[str, str | float] = field(default_factory=dict)


@dataclass
class Tally:
    """What became of the pictures that were asked for; filled while they come.

    Attributes
    ----------
    drawn, cached : how many were drawn now, and how many had been before.
    problems : why there is no picture, by file.
    notes : what was mended in files that have one.
    renderer : what drew, in words; "" where nothing had to be.
    unkept : why pictures are not kept for the next time, "" where they are.
    """

    drawn: int
    cached: int
    problems: dict[Path, str]
    notes: dict[Path, tuple[str, ...]]
    renderer: str = ""
    unkept: str = ""


def files_of(benchmark: "Benchmark", *, models: bool = True, queries: bool = True) -> list[Path]:
    """Every file that has a picture, once: of the models, then of the queries."""
    paths = benchmark.collection.paths if models else ()
    asked = benchmark.queries.paths if queries else ()
    return list(dict.fromkeys(path for path in (*paths, *asked) if path is not None))


def drawn(paths: Sequence[Path], wanted: Request, tally: Tally) -> "Iterator[tuple[Path, Thumbnail]]":
    """Pictures of files as they come, with a progress bar; the processes end with the last one, or when interrupted."""
    from os import cpu_count

    from shrec_viewer.formats.meshes import read_mesh
    from shrec_viewer.render.cache import cache_folder
    from shrec_viewer.render.camera import Camera
    from shrec_viewer.render.thumbnail import ThumbnailRequest
    from shrec_viewer.render.workers import ThumbnailWorkers
    from shrec_viewer.viewmodels.vector_pictures import read_picture

    camera = Camera().with_settings({**wanted.camera, **({"up": wanted.up} if wanted.up else {})})
    processes = min(cpu_count() or 2, MOST_PROCESSES)
    left = len(paths)
    with (
        progress_bar("Drawing") as progress,
        ThumbnailWorkers(
            read_mesh, read_picture, cache_folder(), processes, prefer=wanted.renderer, gives_way=False
        ) as workers,
    ):
        workers.request([ThumbnailRequest(path, wanted.size, camera) for path in paths])
        while left:
            for request, thumbnail in workers.wait(PATIENCE):
                left -= 1
                _count(tally, request.path, thumbnail)
                yield request.path, thumbnail
                if progress is not None:
                    progress(len(paths) - left, len(paths), request.path.name)
        tally.renderer, tally.unkept = workers.renderer, workers.cache_problem


def _count(tally: Tally, path: Path, thumbnail: "Thumbnail") -> None:
    if thumbnail.notes:
        tally.notes[path] = thumbnail.notes
    if thumbnail.problem is not None:
        tally.problems[path] = thumbnail.problem
    elif thumbnail.is_cached:
        tally.cached += 1
    else:
        tally.drawn += 1


# ── sheets ───────────────────────────────────────────────────────────────────────────────────────────────────────────


class Sheets:
    """Lays out cards of one benchmark.

    Parameters
    ----------
    benchmark : whose models and queries they show.
    look : of the cards.
    pictures : pixels of each file; those without one show why, out of `problems`.
    problems : why there is no picture, by file.
    """

    def __init__(
        self,
        benchmark: "Benchmark",
        look: "CardLook",
        pictures: "dict[Path, NDArray[np.uint8]]",
        problems: dict[Path, str],
    ) -> None:
        self._benchmark = benchmark
        self._look = look
        self._pictures = pictures
        self._problems = problems

    def contact(self, columns: int) -> "NDArray[np.uint8]":
        """All models with id and class."""
        from shrec_viewer.render.card_look import CardPicture
        from shrec_viewer.render.sheet import contact_sheet

        collection = self._benchmark.collection
        cards = [
            CardPicture(self._picture(path), name, class_name(self._benchmark, place), problem=self._problem(path))
            for place, (name, path) in enumerate(zip(collection.ids, collection.paths, strict=True))
        ]
        return contact_sheet(cards, columns, self._look, title=self._benchmark.name)

    def strips(
        self, runs: "Sequence[Run]", queries: Sequence[int], profile: "Profile", first: int, columns: int
    ) -> "NDArray[np.uint8]":
        """A strip for each query and run, one below the other; the last has the legend."""
        from shrec_viewer.evaluation.ranked_list import ranked_list
        from shrec_viewer.render.sheet import stacked, strip

        pairs = [(run, query) for query in queries for run in runs]
        lists = [ranked_list(self._benchmark, run, query, profile) for run, query in pairs]
        shown = {int(level) for ranking in lists for level in ranking.levels[:first]}
        legend = legend_of(shown, self._look) if self._benchmark.assessment is not None else []
        sheets: list[NDArray[np.uint8]] = []
        for (run, query), ranking in zip(pairs, lists, strict=True):
            cards = [self._answer(ranking, place) for place in range(min(first, len(ranking)))]
            title = f"{run.name}  ·  {self._benchmark.queries.ids[query]}  ·  {self._benchmark.name}"
            last = len(sheets) == len(pairs) - 1
            why = "no list for this query" if ranking.missing else "the list is empty"
            sheets.append(
                strip(
                    self._query(query),
                    cards,
                    columns or first,
                    self._look,
                    title=title,
                    legend=legend if last else (),
                    empty=why,
                )
            )
        return stacked(sheets, self._look)

    def _picture(self, path: Path | None) -> "NDArray[np.uint8] | None":
        return None if path is None else self._pictures.get(path)

    def _problem(self, path: Path | None) -> str:
        return "no file" if path is None else self._problems.get(path, "")

    def _query(self, query: int) -> "CardPicture":
        from shrec_viewer.render.card_look import CardPicture

        queries, tree = self._benchmark.queries, self._benchmark.classification
        path, label = queries.paths[query], int(queries.labels[query])
        detail = tree.names[label] if tree is not None and label >= 0 else ""
        return CardPicture(self._picture(path), queries.ids[query], detail, problem=self._problem(path), is_query=True)

    def _answer(self, ranking: "RankedList", place: int) -> "CardPicture":
        from shrec_viewer.render.card_look import UNJUDGED, CardPicture

        item, apart = int(ranking.items[place]), float(ranking.distances[place])
        if item < 0:
            return CardPicture(None, "not in the collection", rank=place + 1, level=UNJUDGED, problem="unknown id")
        path = self._benchmark.collection.paths[item]
        return CardPicture(
            self._picture(path),
            caption=self._benchmark.collection.ids[item],
            detail=class_name(self._benchmark, item),
            note=distance(apart),
            rank=place + 1,
            level=UNJUDGED if self._benchmark.assessment is None else int(ranking.levels[place]),
            problem=self._problem(path),
        )


def class_name(benchmark: "Benchmark", item: int) -> str:
    """Class of a model; "" where it has none."""
    tree = benchmark.classification
    label = -1 if tree is None else int(tree.labels[item])
    return tree.names[label] if tree is not None and label >= 0 else ""


def legend_of(levels: set[int], look: "CardLook") -> list[tuple[int, str]]:
    """Level and words of each mark that occurs, the highest first."""
    names = {level: look.style(level).name for level in sorted(levels, reverse=True)}
    if look.is_binary and 1 in names:
        names[1] = "relevant"
    return list(names.items())
