"""Short texts about classes, relevance levels and counts, shared by all views."""

from collections.abc import Sequence

from shrec_viewer.content.data import class_name
from shrec_viewer.domain import Benchmark, Severity
from shrec_viewer.metrics import Profile

#: Problem of a model or query without a file.
NO_FILE = "no file"

#: Shown for an id of a run that the collection does not have, where the profile keeps its rank.
NOT_IN_COLLECTION = "not in the collection"

#: Names of SHREC 2006 for the levels 0, 1 and 2.
_THREE_LEVELS = ("not relevant", "marginally relevant", "highly relevant")


def level_name(level: int, levels: Sequence[int]) -> str:
    """Name of a relevance level, e.g. ``"highly relevant (2)"``; negative for no relevance assessment.

    Parameters
    ----------
    levels : all positive levels of the assessment.
    """
    if level < 0:
        return "no relevance assessment"
    if level == 0:
        return "not relevant"
    if tuple(levels) == (1,):
        return "relevant"
    if tuple(levels) == (1, 2) and level <= 2:  # a list can still have a level of an edit that was just undone
        return f"{_THREE_LEVELS[level]} ({level})"
    return f"relevance level {level}"


def query_class(benchmark: Benchmark, query: int) -> str:
    """Class name of the query with index `query`, "" for none."""
    return class_name(benchmark, int(benchmark.queries.labels[query]))


def model_class(benchmark: Benchmark, item: int) -> str:
    """Class name of the model with index `item`, "" for none and for `UNKNOWN_ITEM`."""
    if benchmark.classification is None or item < 0:
        return ""
    return class_name(benchmark, int(benchmark.classification.labels[item]))


def count_text(count: int, one: str, many: str = "") -> str:
    """``"1 finding"``, ``"1,814 models"``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def collection_summary(benchmark: Benchmark) -> tuple[str, str]:
    """``("122 models", "no queries")``: the number of models, and what is missing for ranked lists."""
    missing = "no queries" if not len(benchmark.queries) else "no runs"
    return count_text(len(benchmark.collection), "model"), missing


def missing_query_text(profile: Profile) -> str:
    """How the profile scores a query that a run has no results for."""
    if profile.missing_query == "zero":
        return f"{profile.title}: missing queries score 0."
    if profile.missing_query == "common":
        return f"{profile.title}: only queries common to all runs enter the means."
    return f"{profile.title}: missing queries are excluded from the means of this run."


def opening_problem(benchmark: Benchmark) -> str:
    """Message about a benchmark just opened that has errors, no runs or no queries; "" for none."""
    errors = [finding for finding in benchmark.findings if finding.severity is Severity.ERROR]
    if errors:
        return f"{count_text(len(errors), 'error')} in '{benchmark.name}': {errors[0].location}: {errors[0].message}"
    if not benchmark.runs:
        models = count_text(len(benchmark.collection), "model")
        shown = "the models are listed without ranks"
        if len(benchmark.queries) and benchmark.assessment is not None:
            shown = "the relevant models of each query are listed first, without ranks"
        return f"'{benchmark.name}' has {models}, but no runs: {shown}"
    if not len(benchmark.queries):
        return f"'{benchmark.name}' has no queries: its models are listed without ranks"
    return ""
