"""Why there are no numbers to show, said alike in every panel."""

from typing import NamedTuple

from shrec_viewer.viewmodels.session import Session


class Reason(NamedTuple):
    """A title and a sentence for an `EmptyState`."""

    title: str
    sentence: str = ""


def why_no_numbers(session: Session, *, runs: int = 1, waiting: str = "Evaluating…") -> Reason:
    """What is lacking for a panel of numbers; where nothing is, they are still to come.

    Parameters
    ----------
    runs : how many runs it takes.
    waiting : what goes on meanwhile.
    """
    benchmark = session.benchmark
    if benchmark is None:
        return Reason("No benchmark is open")
    if benchmark.assessment is None:
        return Reason("Nothing to measure", "The benchmark has no relevance assessment.")
    if not len(benchmark.queries):
        return Reason("Nothing to measure", "The benchmark has no queries.")
    if not benchmark.runs:
        return Reason("Nothing to measure", "The benchmark has no runs.")
    if len(benchmark.runs) < runs:
        return Reason("Nothing to compare", "It takes two runs; the benchmark has one.")
    return Reason("Evaluating…" if session.scores is None else waiting)
