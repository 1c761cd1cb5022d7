"""The record that all pages of a contest site are made from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.comparison.significance import RunSignificance
from shrec_viewer.evaluation.ranked_list import query_levels
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Profile
from shrec_viewer.render.scene.palette import StyleSlot, assign_slots, relevance_style
from shrec_viewer.report.site.charts import SiteCharts
from shrec_viewer.report.site.editions import Edition
from shrec_viewer.report.site.file_names import safe_file_names
from shrec_viewer.report.site.images import SiteImages
from shrec_viewer.report.site.inputs import SiteInput
from shrec_viewer.report.site.lists import SiteLists


@dataclass(frozen=True, eq=False)
class ContestSite:
    """A benchmark with everything that its pages show.

    Attributes
    ----------
    edition : benchmark and scores as published.
    lists : excerpts of the ranked lists.
    images : images.
    models_input : digest of models and queries; None without files.
    significance : of all runs, by key of the measure.
    """

    edition: Edition
    lists: SiteLists
    images: SiteImages
    models_input: SiteInput | None
    significance: dict[str, RunSignificance]

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark as published."""
        return self.edition.benchmark

    @property
    def scores(self) -> Scores:
        """Its scores."""
        return self.edition.scores

    @property
    def profile(self) -> Profile:
        """The conventions."""
        return self.scores.profile

    @cached_property
    def participants(self) -> tuple[str, ...]:
        """Participants in the order of their first runs."""
        return tuple(dict.fromkeys(self.scores.participants))

    @cached_property
    def run_pages(self) -> tuple[str, ...]:
        """Path of the page of each run, relative to the site."""
        return _paths("runs", self.scores.runs)

    @cached_property
    def query_pages(self) -> tuple[str, ...]:
        """Path of the page of each query."""
        return _paths("queries", self.scores.queries)

    @cached_property
    def participant_pages(self) -> tuple[str, ...]:
        """Path of the page of each participant."""
        return _paths("participants", self.participants)

    @cached_property
    def headline(self) -> int:
        """Column of the main measure of the profile; the first one if it was not evaluated."""
        keys = [measure.key for measure in self.scores.measures]
        return keys.index(self.profile.headline) if self.profile.headline in keys else 0

    @cached_property
    def ranking(self) -> list[int]:
        """Runs in the order of their means of the main measure, best first."""
        return self.scores.order_by(self.scores.measures[self.headline].key)

    @cached_property
    def charts(self) -> SiteCharts:
        """The charts."""
        return SiteCharts(self.scores, self.ranking)

    @cached_property
    def styles(self) -> tuple[StyleSlot, ...]:
        """Colour, dash and marker of each run, the same as in the window."""
        slots = assign_slots(self.benchmark.runs, {})
        return tuple(slots[run] for run in self.scores.runs)

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """Relevance levels, highest first."""
        assessment = self.benchmark.assessment
        return () if assessment is None else tuple(sorted(assessment.levels, reverse=True))

    @cached_property
    def is_binary(self) -> bool:
        """Whether there is one relevance level only."""
        return self.levels == (1,)

    def level_name(self, level: int) -> str:
        """Name of a level."""
        if self.is_binary and level == 1:
            return "relevant"
        return relevance_style(level).name if level <= 3 else f"level {level}"

    def level_sign(self, level: int) -> str:
        """Symbol of a level next to its frame, which distinguishes the levels without colour."""
        return relevance_style(self.level_class(level)).glyph

    def level_class(self, level: int) -> int:
        """Number of the CSS class of a level; a single level looks like the highly relevant ones."""
        return 2 if self.is_binary and level == 1 else min(max(level, 0), 3)

    @cached_property
    def level_sizes(self) -> tuple[dict[int, int], ...]:
        """Number of relevant models of each query by level, as the profile counts them."""
        found = []
        for query in range(len(self.benchmark.queries)):
            counts = np.bincount(query_levels(self.benchmark, query, self.profile))
            found.append({level: int(counts[level]) if level < len(counts) else 0 for level in self.levels})
        return tuple(found)

    def class_name(self, label: int) -> str:
        """Name of a class with those of its parents; "" for none."""
        tree = self.benchmark.classification
        return "" if tree is None or label < 0 else tree.path(label, " › ")

    def model_class(self, model: int) -> str:
        """Name of the class of a model; "" for none."""
        tree = self.benchmark.classification
        if tree is None or model < 0 or int(tree.labels[model]) < 0:
            return ""
        return tree.names[int(tree.labels[model])]


def _paths(folder: str, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}.html" for name in safe_file_names(names))
