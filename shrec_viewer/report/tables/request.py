"""What a table shows, as a record, and what it is made of."""

from dataclasses import dataclass, fields

from shrec_viewer.diagnosis.robustness import Robustness
from shrec_viewer.domain import Benchmark, ShrecError
from shrec_viewer.evaluation.edits import AssessmentEdit
from shrec_viewer.evaluation.practical import SAMPLE_SIZE
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.runs.version_store import VersionStore
from shrec_viewer.metrics import Profile

SUSPECT_LIMIT = 100
"""Suspects that are listed: the work of an hour or two."""


@dataclass(frozen=True)
class TableRequest:
    """What a table shows; the defaults are everything, in the order of the benchmark and the profile.

    Attributes
    ----------
    kind : key of `TABLES`.
    runs, queries, measures : names, ids and keys, in this order; empty for all, and where one is needed for the first.
    classes : names of classes in this order, where rows are classes; empty for all.
    models : ids of models; of the table ``model`` the first one.
    over : mean over ``"queries"`` or ``"classes"``, or ``"query"`` for the values of one query.
    letters : whether significance letters are added to means over queries.
    baseline : what is subtracted: ``"mean"`` of the runs, or the name of a run; "" for nothing.
    scope : number of ranks that are retrieved or judged; 0 for the default of the kind.
    level : lowest level that counts as relevant.
    tier : 1 or 2.
    sample : number of random pairs that count as judged.
    by : what rows are: ``"relevant"`` or ``"false"`` queries of a model, ``"pair"`` or ``"model"`` of suspects, or the
        change of the conventions that pairs of runs are reversed by; "" for the default of the kind.
    limit : number of suspects.
    sort : column by which the rows are sorted, with a leading "-" in descending order; ``"random"`` for a random order
        that is the same each time; "" for that of the kind.
    containing : words that each row contains.
    """

    kind: str
    runs: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    over: str = "queries"
    letters: bool = False
    baseline: str = ""
    scope: int = 0
    level: int = 1
    tier: int = 1
    sample: int = SAMPLE_SIZE
    by: str = ""
    limit: int = SUSPECT_LIMIT
    sort: str = ""
    containing: str = ""

    def arguments(self) -> tuple[str, ...]:
        """Arguments of the command ``table`` after BENCHMARK that make the same request."""
        options: list[str] = []
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "kind" or value == field.default:
                continue
            name = f"--{REPEATED.get(field.name, field.name)}"
            if isinstance(value, bool):
                options.append(name)
            else:
                # With "=", as names of files may begin with a hyphen.
                options += [f"{name}={one}" for one in (value if isinstance(value, tuple) else (value,))]
        return (self.kind, *options)


REPEATED = {"runs": "run", "queries": "query", "measures": "measure", "classes": "class", "models": "model"}
"""Options that may be repeated, by field of `TableRequest`."""


@dataclass(frozen=True, eq=False)
class TableData:
    """What tables are made of.

    Attributes
    ----------
    benchmark, profile : what was read, and the conventions.
    scores : of all runs and measures that are requested; None for kinds that need none.
    edits : edits of the assessment that the benchmark contains, the latest last.
    versions : former versions of the runs; None if none are kept.
    former, baselines : further scores of figures, see `FigureData`.
    robustness : a result that is used where it is that of the benchmark, the profile and the requested measure.
    """

    benchmark: Benchmark
    profile: Profile
    scores: Scores | None = None
    edits: tuple[AssessmentEdit, ...] = ()
    versions: VersionStore | None = None
    former: Scores | None = None
    baselines: Scores | None = None
    robustness: Robustness | None = None

    @property
    def evaluated(self) -> Scores:
        """The scores.

        Raises
        ------
        ShrecError
            If there are none.
        """
        if self.scores is None:
            raise ShrecError(f"'{self.benchmark.name}' has no scores")
        return self.scores


def requested_runs(scores: Scores, request: TableRequest) -> list[int]:
    """Indices of the requested runs in the scores."""
    return [scores.run_index(name) for name in request.runs or scores.runs]


def requested_queries(benchmark: Benchmark, request: TableRequest) -> list[int]:
    """Indices of the requested queries."""
    for name in request.queries:
        if name not in benchmark.queries.index:
            raise ShrecError(f"there is no query '{name}'")
    return [benchmark.queries.index[name] for name in request.queries or benchmark.queries.ids]


def requested_columns(scores: Scores, request: TableRequest) -> list[int]:
    """Indices of the requested measures in the scores."""
    return [scores.column(key) for key in request.measures] or list(range(len(scores.measures)))


def requested_measure(scores: Scores, request: TableRequest) -> int:
    """Index of the first requested measure, else of the main measure of the profile."""
    if request.measures:
        return scores.column(request.measures[0])
    keys = [measure.key for measure in scores.measures]
    return keys.index(scores.profile.headline) if scores.profile.headline in keys else 0
