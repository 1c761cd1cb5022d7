"""The history command: former versions of a run and their scores."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from shrec_viewer.cli.benchmark import benchmark_to_score, require_runs, version_store
from shrec_viewer.cli.conventions import print_conventions
from shrec_viewer.cli.findings import print_finding
from shrec_viewer.cli.options import (
    RUN,
    BenchmarkRequest,
    benchmark_command,
    measure_option,
    output_options,
)
from shrec_viewer.cli.terminal import print_message, write_result
from shrec_viewer.report.tables.text import OutputColumn, csv_table, number_column, table_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.scores import Scores
    from shrec_viewer.formats.runs.version_store import StoredVersion, VersionStore
    from shrec_viewer.metrics import Profile

#: Digits of the hash in tables; JSON and CSV have all.
HASH_DIGITS = 12

EXAMPLES = """\b
Examples:
  shrec-viewer history demo A1
  shrec-viewer history contest A1 --measure NDCG --format json"""


@dataclass(frozen=True, kw_only=True, eq=False)
class HistoryOptions(BenchmarkRequest):
    """Arguments and options of `history`."""

    run: str
    measure: str | None


@benchmark_command("history", HistoryOptions, epilog=EXAMPLES)
@click.argument("run", type=RUN)
@measure_option("Mean of this measure; default: the headline measure of the profile.")
@output_options
def history_command(request: HistoryOptions) -> int:
    """List the versions of RUN, oldest first, each with its mean score, its note, and whether it is the baseline.

    The window keeps the scores and lists of a run each time its file has changed, also while the program was not
    running: the last 20 versions of each run, its baseline and those with a note, and at most 200 MB of others for a
    benchmark, in the folder for user data. `RUN@HASH` names one of them where runs are scored. This command records
    the present version in the same way. A run that was deleted keeps its versions. After a benchmark
    was moved or copied, the versions of a run are found again if the run has not changed in between.

    The means of all versions are computed under the same profile and conventions.
    """
    with benchmark_to_score(request, ()) as (opened, profile):
        _write_history(request, opened, profile)
    return int(opened.has_errors)


def _write_history(request: HistoryOptions, benchmark: "Benchmark", profile: "Profile") -> None:
    from shrec_viewer.evaluation.run_versions import history_document, version_means
    from shrec_viewer.evaluation.score_tables import to_json
    from shrec_viewer.metrics import find_measure

    run, form, output = request.run, request.result_format, request.output
    key = find_measure(request.measure or profile.headline).key
    store = version_store(request.path, benchmark)
    if run not in (one.name for one in benchmark.runs) and not store.history(run).versions:
        require_runs([run], benchmark.runs)
    scores = _record(benchmark, run, profile, key, store)
    history = store.history(run)
    for finding in history.findings:
        print_finding(finding, request.path.name)
    means = version_means(store, history.versions, benchmark, profile, key)
    document = history_document(run, key, history.versions, means)
    if form == "json":
        write_result(to_json(document), output)
    elif form == "csv":
        rows = [list(version.values()) for version in document["versions"]]
        write_result(csv_table(["time", "hash", "mean", "note", "baseline"], rows), output)
    else:
        write_result(table_text(_columns(key, history.versions, means), form, f"Versions of {run}"), output)
    if scores is not None:
        print_conventions(scores)


def _record(
    benchmark: "Benchmark", run: str, profile: "Profile", measure: str, store: "VersionStore"
) -> "Scores | None":
    """Store the present version of a run, if it exists; its scores, if there is an assessment."""
    from shrec_viewer.domain import FormatError
    from shrec_viewer.evaluation.evaluate import evaluate
    from shrec_viewer.evaluation.run_versions import record_version

    present = next((one for one in benchmark.runs if one.name == run), None)
    if present is None:
        print_message(f"'{run}' is not among the runs any more; its former versions are listed")
        return None
    scores = None
    if benchmark.assessment is not None:
        measures = tuple(dict.fromkeys((measure, *profile.measures)))
        scores = evaluate(benchmark, profile, runs=[run], measures=measures)
    try:
        store.add(record_version(benchmark, present, scores))
    except (OSError, FormatError) as error:
        print_message(f"the present version cannot be stored: {error}")
    return scores


def _columns(measure: str, versions: "Sequence[StoredVersion]", means: "Sequence[float]") -> list[OutputColumn]:
    from datetime import datetime

    times = [datetime.fromtimestamp(version.record.time).astimezone() for version in versions]
    return [
        OutputColumn("time", tuple(f"{when:%Y-%m-%d %H:%M:%S}" for when in times)),
        OutputColumn("hash", tuple(version.record.hash[:HASH_DIGITS] for version in versions)),
        number_column(measure, means),
        OutputColumn("baseline", tuple("baseline" if version.baseline else "" for version in versions)),
        OutputColumn("note", tuple(" ".join(version.note.split()) for version in versions)),
    ]
