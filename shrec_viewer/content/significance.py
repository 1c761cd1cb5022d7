"""Significance: means of the runs with confidence intervals, and groups that do not differ."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shrec_viewer.charts.intervals import IntervalRow, Intervals
from shrec_viewer.charts.table import Table, TableColumn, table_rows
from shrec_viewer.content.data import ContentData, baseline_differences, measure_column, styles_of_runs
from shrec_viewer.content.diagnosis.run_groups import groups_option, represented
from shrec_viewer.content.request import TableRequest, measure_option, option, runs_option
from shrec_viewer.content.scores import letters_note
from shrec_viewer.evaluation.comparison.certainty import selected_family
from shrec_viewer.evaluation.comparison.comparable import incomparable_text
from shrec_viewer.evaluation.comparison.significance import RunSignificance, run_significance
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.number_format import format_interval, format_p_value, format_percent, format_value


@dataclass(frozen=True)
class RunFamilyRequest(TableRequest):
    """The family of runs that are compared, and the measure."""

    runs: tuple[str, ...] = runs_option()
    measure: str = measure_option()
    groups: tuple[str, ...] = groups_option()


@dataclass(frozen=True)
class SignificanceRequest(RunFamilyRequest):
    """Also the run that others are compared with."""

    kind: ClassVar[str] = "significance"

    baseline: str = option("", metavar="NAME", help="Run that p refers to; default: the best one.")


#: Caption of the significance groups where there is less space.
SHORT_CAPTIONS = (
    "Same letter: not significantly different (randomised Tukey HSD, α = 0.05)",
    "Same letter: not significantly different (Tukey HSD)",
    "Same letter: no significant difference",
)


def significance_of_runs(data: ContentData, request: SignificanceRequest) -> RunSignificance:
    """The test of all pairs of the requested runs and the baseline; of a group, of the member that stands for it."""
    column = measure_column(data.evaluated, request.measure)
    named = (*request.runs, *filter(None, [request.baseline if request.runs else ""]))
    scores = represented(data.evaluated, request.groups, column, selected_family(data.evaluated, named))
    measure = scores.measures[column]
    return data.result(
        run_significance, scores, measure.key, baseline=request.baseline or None, cancelled=data.cancelled
    )


def significance(data: ContentData, request: SignificanceRequest) -> Intervals:
    """Means of the runs with confidence intervals, and groups that do not differ significantly."""
    return intervals_of(data, significance_of_runs(data, request))


def intervals_of(data: ContentData, found: RunSignificance) -> Intervals:
    """The chart of a test of all pairs, best run first."""
    measure = found.measure
    styles, differences = styles_of_runs(data), baseline_differences(data, measure.key)
    means = np.array([interval.mean for interval in found.means])
    keys = means if found.measure.better == "lower" else -means
    rows = []
    for row in np.argsort(np.where(np.isnan(keys), np.inf, keys), kind="stable").tolist():
        interval, letters, name = found.means[row], found.groups.letters[row], found.runs[row]
        # The p value of the test that assigns the letters; a test of this pair alone could contradict them.
        p = format_p_value(found.p_of_pair(name, found.baseline))
        limits = format_interval(interval.low, interval.high)
        tip = f"{name}\n{found.measure.key} {format_value(interval.mean)}, confidence interval {limits}"
        tip += f"; groups {', '.join(letters)}" if letters else ""
        tip += f"; {p} compared with {found.baseline}" if p else ""
        note = p
        if name in differences:
            change = format_value(differences[name], signed=True)
            tip, note = f"{tip}; {change} from the baseline version", " · ".join(filter(None, (p, change)))
        rows.append(IntervalRow(name, *styles[name], interval.mean, interval.low, interval.high, letters, note, tip))
    confidence = f", {format_percent(found.means[0].confidence)} confidence interval" if found.means else ""
    caption = (
        f"Same letter: not significantly different (randomised Tukey HSD of {count_of(len(found.runs), 'run')}, "
        f"α = 0.05). p: same test, compared with {found.baseline}."
    )
    return Intervals(
        f"{data.benchmark.name} significance {measure.key}",
        f"Mean {found.measure.key}{confidence}",
        tuple(rows),
        (caption, *SHORT_CAPTIONS),
    )


def significance_table(data: ContentData, request: SignificanceRequest) -> Table:
    """Mean of each run with its confidence interval, p against the baseline and significance letters, best first."""
    scores = data.evaluated
    measure = scores.measures[measure_column(scores, request.measure)]
    found = significance_of_runs(data, request)
    sign = 1.0 if measure.better == "lower" else -1.0
    order = [int(row) for row in np.argsort([sign * mean.mean for mean in found.means], kind="stable")]  # NaN last
    if request.runs:
        order = [found.runs.index(name) for name in request.runs if name in found.runs]
    means = [found.means[row] for row in order]
    return Table(
        "significance",
        f"{data.benchmark.name}: {measure.key} with 95 % bootstrap confidence intervals; profile {data.profile.title}",
        (
            TableColumn("run"),
            TableColumn(measure.key, "", True, measure.better),
            *(TableColumn(name, is_number=True) for name in ("low", "high", "p(Holm)", "p(Tukey)")),
        ),
        table_rows(
            [
                [found.runs[row] for row in order],
                [mean.mean for mean in means],
                [mean.low for mean in means],
                [mean.high for mean in means],
                [float(found.p_against_baseline[row]) for row in order],
                [found.p_of_pair(found.runs[row], found.baseline) for row in order],
            ]
        ),
        (
            letters_note(len(found.runs)),
            f"p against {found.baseline}: paired randomisation tests with Holm correction for "
            f"{count_of(len(found.runs) - 1, 'comparison')}, and Tukey HSD.",
            *filter(None, [incomparable_text(found.incomparable, measure.key)]),
        ),
        {1: tuple(found.groups.letters[row] for row in order)},
    )
