"""Comparison of runs: whose lists are shown, test of run A against run B, and texts about both."""

import math
from collections.abc import Sequence

import numpy as np

from shrec_viewer.evaluation.comparison.comparable import incomparable_text
from shrec_viewer.evaluation.comparison.comparison import Comparison
from shrec_viewer.number_format import format_interval, format_p_value, format_percent, format_value, format_verdict
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text


def compared_runs(session: Session, count: int, chosen: Sequence[int]) -> tuple[int, ...]:
    """Indices of `count` runs: A, B, those `chosen` for further lists, then the best of the other shown runs.

    All shown runs for a count of 0.
    """
    selection = session.selection
    if selection.run == NOTHING:
        return ()
    first = [selection.run]
    if selection.compared is not None and selection.compared != selection.run:
        first.append(selection.compared)
    others = [run for run in runs_best_first(session) if run in selection.shown_runs]
    further = [run for run in dict.fromkeys((*chosen, *others)) if run not in first]
    return tuple([*first, *further][: count or None])


def choose_compared_run(session: Session) -> None:
    """Select the best other run as run B if none is selected and the scores are known."""
    selection = session.selection
    if session.scores is not None and selection.compared in (None, selection.run):
        other = next((run for run in runs_best_first(session) if run != selection.run), None)
        if other is not None:
            session.select(compared=other)


def compare_most_different(session: Session, name: str) -> None:
    """Compare a run with that whose values of the selected measure differ most from its own, query by query."""
    scores, names = session.scores, [run.name for run in session.benchmark.runs]
    if scores is None or name not in scores.runs or name not in names or len(names) == 1:
        return
    values = scores.values[:, :, scores.column(session.measure)]
    differences = np.nan_to_num(np.abs(values - values[scores.run_index(name)])).sum(axis=1)
    session.select(run=names.index(name), compared=names.index(scores.runs[int(np.argmax(differences))]))
    session.cursor_state.request_view("compare")


def runs_best_first(session: Session) -> list[int]:
    """Indices of all runs, best mean of the selected measure first; in the benchmark's order without scores."""
    scores, runs = session.scores, session.benchmark.runs
    indices = list(range(len(runs)))
    means = session.mean("queries")
    if scores is None or not len(means):
        return indices
    column = scores.column(session.measure)
    sign = -1.0 if scores.measures[column].better == "lower" else 1.0
    known = {name: sign * float(means[row, column]) for row, name in enumerate(scores.runs)}
    keys = [known.get(run.name, float("nan")) for run in runs]
    return sorted(indices, key=lambda index: (keys[index] != keys[index], -keys[index], index))  # NaN last


#: p-value below which a text calls the runs significantly different.
SIGNIFICANCE_LEVEL = 0.05


def comparison_texts(found: Comparison, p_of_all_pairs: float = math.nan) -> tuple[str, str]:
    """Difference from run A to run B, and its interval, test and counts; see `comparison_details`.

    Parameters
    ----------
    p_of_all_pairs : p-value of the two runs in the test of all pairs (randomised Tukey HSD); named where it leads to
        another result than the test of this pair. NaN if unknown.
    """
    a, b, key = found.run_a, found.run_b, found.measure.key
    if not found.n:
        return f"{a} and {b} have no query in common with a value of {key}.", ""
    ends = format_interval(found.difference.low, found.difference.high, signed=True)
    p, won = found.test.p, found.win_tie_loss
    mean = found.difference.mean
    verdict = f"Over {count_text(found.n, 'query', 'queries')}, {format_verdict(a, b, key, mean)}"
    is_open = mean != 0 and not p < SIGNIFICANCE_LEVEL
    text = f"{ends}, {format_p_value(p)} (paired randomisation)"
    counts = f"{count_text(won.better, 'query', 'queries')} better, {won.equal} equal, {won.worse} worse"
    if won.undefined:
        counts += f", {won.undefined} excluded"
    notes = f"{_interval_note(found)}{_correction_note(found, p_of_all_pairs)}"
    for pair in found.incomparable:  # `comparison_details` says why
        notes += f" Not comparable: {pair.reason if pair.is_copy else 'lists of other lengths'}."
    return f"{verdict}{', not significant' if is_open else ''}.", f"{text}; {counts}.{notes}"


def comparison_details(found: Comparison) -> str:
    """Means, interval and test of `comparison_texts` in full, and why they may disagree with each other."""
    a, b, key, confidence = found.run_a, found.run_b, found.measure.key, format_percent(found.difference.confidence)
    ends = format_interval(found.difference.low, found.difference.high, signed=True)
    drawn = "classes" if found.unit == "class" else "queries"
    means = f"{key} {format_value(found.mean_a.mean)} → {format_value(found.mean_b.mean)}"
    excluded = count_text(found.win_tie_loss.undefined, "query", "queries")
    return "\n".join(
        [
            f"{a} → {b}: {means} over {count_text(found.n, 'query', 'queries')}.",
            *([f"{excluded} excluded, as only one run has a value."] if found.win_tie_loss.undefined else []),
            f"{format_p_value(found.test.p)}: paired randomisation test of this pair alone, the share of random "
            "exchanges of the two runs, query by query, that give as large a difference. It decides.",
            f"{ends}: {confidence} bootstrap confidence interval of the difference; it resamples the {drawn}, "
            "and with few of them it may include 0 although the difference is significant, or the reverse.",
            "Both are for this pair alone. The Significance panel corrects for all pairs of runs (randomised Tukey "
            "HSD) and may decide otherwise.",
            *filter(None, [incomparable_text(found.incomparable, key)]),
        ]
    )


def _interval_note(found: Comparison) -> str:
    """Which of test and confidence interval decides where they disagree; "" where they agree."""
    low, high, p = found.difference.low, found.difference.high, found.test.p
    holds_zero = low <= 0 <= high
    if p != p or low != low or holds_zero == (p >= SIGNIFICANCE_LEVEL) or found.difference.mean == 0:
        return ""
    return f" The test decides, although the interval {'includes' if holds_zero else 'excludes'} 0."


def _correction_note(found: Comparison, p_of_all_pairs: float) -> str:
    """The test of all pairs where it leads to another result; "" where it does not, or is unknown."""
    p = found.test.p
    if p != p or p_of_all_pairs != p_of_all_pairs:
        return ""
    if (p < SIGNIFICANCE_LEVEL) == (p_of_all_pairs < SIGNIFICANCE_LEVEL):
        return ""
    verdict = "significant" if p_of_all_pairs < SIGNIFICANCE_LEVEL else "not significant"
    return f" Among all runs {verdict}: {format_p_value(p_of_all_pairs)} (Tukey HSD)."
