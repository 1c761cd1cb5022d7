"""All runs beside each other: means with intervals, and which of them cannot be told apart."""

from typing import TYPE_CHECKING

from shrec_viewer.cli.tables import Column, plain

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.compare import Resample
    from shrec_viewer.evaluation.scores import Scores
    from shrec_viewer.evaluation.standings import Standings


def all_runs(
    scores: "Scores",
    benchmark: "Benchmark",
    measure: str | None,
    baseline: str | None,
    resample: "Resample",
    form: str,
) -> str:
    """The runs, best first, in one of the formats of ``compare``."""
    from shrec_viewer.domain import ShrecError
    from shrec_viewer.evaluation.standings import standings, standings_document
    from shrec_viewer.evaluation.tables import to_json

    if not scores.runs:
        raise ShrecError(f"'{benchmark.name}' has no runs: there is nothing to compare")
    found = standings(scores, measure, baseline=baseline, resample=resample)
    if form == "json":
        return to_json(standings_document(found, scores, benchmark))
    return f"{_sentence(found)}\n\n{_table(found)}"


def _sentence(found: "Standings") -> str:
    groups = len(found.groups.members)
    alike = "one group" if groups == 1 else f"{groups} groups"
    return (
        f"{len(found.runs)} runs in {found.measure.label} over {found.pairs.n} queries: {alike} of runs that cannot be "
        f"told apart (randomised Tukey test, 5%); p against {found.baseline} (paired randomisation, Holm)."
    )


def _table(found: "Standings") -> str:
    """Best first; runs that share a letter cannot be told apart."""
    import numpy as np

    sign = 1.0 if found.measure.better == "lower" else -1.0
    heights = np.array([sign * mean.mean for mean in found.means])
    places = np.argsort(heights, kind="stable").tolist()  # not-a-number last
    means = [found.means[place] for place in places]

    def numbers(values: list[float]) -> tuple[str, ...]:
        return tuple("" if value != value else f"{value:.4f}" for value in values)

    return plain(
        [
            Column("run", tuple(found.runs[place] for place in places)),
            Column(found.measure.key, numbers([mean.mean for mean in means]), is_number=True),
            Column("low", numbers([mean.low for mean in means]), is_number=True),
            Column("high", numbers([mean.high for mean in means]), is_number=True),
            Column("p", numbers([float(found.against[place]) for place in places]), is_number=True),
            Column("group", tuple(found.groups.letters[place] for place in places)),
        ]
    )
