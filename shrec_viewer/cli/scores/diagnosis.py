"""The diagnose, suspects and robustness commands: why runs are weak, doubtful assessments, what conventions change."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from shrec_viewer.cli.benchmark import benchmark_to_score, compute_scores, require_runs_to_evaluate
from shrec_viewer.cli.conventions import print_conventions, print_conventions_of
from shrec_viewer.cli.options import (
    RUN,
    BenchmarkRequest,
    Choice,
    KnownName,
    UnknownNameError,
    benchmark_command,
    format_option,
    measure_option,
    output_option,
    output_options,
    run_option,
)
from shrec_viewer.cli.terminal import print_message, progress_bar, write_result
from shrec_viewer.number_format import format_percent
from shrec_viewer.report.tables.text import (
    OutputColumn,
    csv_table,
    format_number,
    number_column,
    table_text,
)

if TYPE_CHECKING:
    from shrec_viewer.diagnosis.robustness import Robustness
    from shrec_viewer.diagnosis.suspects import SuspectQueue, SuspectUnit

DIAGNOSE_EXAMPLES = """\b
Examples:
  shrec-viewer diagnose demo
  shrec-viewer diagnose demo --run A1 --compare-with B1 --slice "difficulty: hard"
  shrec-viewer diagnose shrec06 --run B2 --section queries --format csv
  shrec-viewer diagnose shrec06 --measure NDCG --format json --output diagnosis.json"""


def _section(document: Any, name: str) -> str:
    return str(document.find_section(name))


def _sections(document: Any) -> tuple[str, ...]:
    return tuple(document.SECTIONS)


@dataclass(frozen=True, kw_only=True, eq=False)
class DiagnoseOptions(BenchmarkRequest):
    """Arguments and options of `diagnose`."""

    run: tuple[str, ...]
    section: tuple[str, ...]
    measure: str | None
    k: int
    slice: str
    compare_with: str | None


@benchmark_command("diagnose", DiagnoseOptions, epilog=DIAGNOSE_EXAMPLES)
@run_option("Print only this run; it is compared with all. Repeatable.")
@click.option(
    "--section",
    type=KnownName(_section, "`shrec-viewer diagnose --help` describes them", _sections, "diagnosis.document"),
    metavar="NAME",
    multiple=True,
    help="Only this section; repeatable. Default: all but queries.",
)
@measure_option("Measure whose loss is divided; default: AP.")
@click.option(
    "--k", type=click.IntRange(1), default=10, show_default=True, help="First ranks in which hubs are counted."
)
@click.option("--slice", default="", metavar="NAME", help="Only the queries of this slice, such as `class: chair`.")
@click.option("--compare-with", type=RUN, metavar="NAME", help="Also divide the difference of each run from this one.")
@format_option(("table", "json", "csv", "markdown"), "table, json, csv or markdown.", default="table")
@output_option
def diagnose_command(request: DiagnoseOptions) -> int:
    """Explain where the runs of BENCHMARK lose what they lack to the ideal value.

    Each irrelevant model before a relevant one carries its share of the loss, so that value and shares add up to the
    ideal value. The shares are summed by cause: queries without a list (missing), relevant models that are not in the
    list (unlisted), equal distances (ties), models in the first ranks of many queries of other classes (hubs), classes
    that are confused, doubtful entries of the assessment (labels), the order of relevant models (levels, for measures
    of gain), and the rest (single). In brackets: chance, the share if the loss were spread evenly.

    Sections: budget, hubs, confusions, distances, classification, queries (a sentence on each), slices, headroom,
    similarity and variance; of a slice the budget, hubs, confusions and queries.
    """
    from shrec_viewer.diagnosis.document import DEFAULT_SECTIONS, SLICE_SECTIONS, diagnosis_document
    from shrec_viewer.diagnosis.error_budget import BudgetWork
    from shrec_viewer.evaluation.score_tables import to_json
    from shrec_viewer.metrics import UnknownKeyError

    if request.slice and (others := [name for name in request.section if name not in SLICE_SECTIONS]):
        raise click.UsageError(f"a slice has the sections {', '.join(SLICE_SECTIONS)}, not {others[0]}")
    if request.compare_with and set(request.run) == {request.compare_with}:
        raise click.UsageError(f"--compare-with: '{request.compare_with}' is the only run; give another one by --run")
    names = (*request.run, *filter(None, [request.compare_with]))
    with benchmark_to_score(request, names) as (opened, profile):
        require_runs_to_evaluate(opened)
        measure = request.measure or "AP"
        scores = compute_scores(request, opened, profile, (), (measure,))
        work = BudgetWork(scores, measure, request.k, jobs=request.n_jobs)
        try:
            work.queries_of(request.slice)
        except UnknownKeyError as error:
            raise UnknownNameError(str(error), "the section slices lists them") from error
        with progress_bar("Diagnosing") as progress:
            usual = [name for name in DEFAULT_SECTIONS if not request.slice or name in SLICE_SECTIONS]
            document = diagnosis_document(
                work, request.run, request.section or usual, progress, slice_name=request.slice,
                compare_with=request.compare_with or "",
            )  # fmt: skip
        if any(work.terms(row) is None for row in range(len(scores.runs))):
            print_message(
                f"{work.measure.key} is not a sum over relevant models under {profile.title}: only what repairs give "
                "alone is known; AP, NN, tiers, P@K, R@K, CG, DCG, NCG and NDCG have shares"
            )
        form = request.form or "table"
        write_result(
            to_json(document) if form == "json" else _diagnosis_text(document, form, request.section), request.output
        )
        print_conventions(scores)
    return int(opened.has_errors)


#: Confusions and models that the table lists for each run.
SHOWN_COSTS = 3


def _diagnosis_text(document: dict[str, Any], form: str, asked: tuple[str, ...]) -> str:
    """A row a run, what costs most, then the other sections that were asked for."""
    runs, measure = document["runs"], document["measure"]
    if form == "csv":
        return _diagnosis_csv(document)
    texts = [f"Only queries of the slice '{document['slice']}'.\n"] if "slice" in document else []
    if runs and "budget" in runs[0]:
        texts.append(table_text(_budget_columns(runs, measure), form, "" if form == "table" else "Error budget"))
    for run in runs:
        if lines := _run_lines(run, measure):
            named = lines if lines[0].startswith(run["name"]) else [f"{run['name']}:", *lines]
            texts.append("".join(f"{line}\n" for line in named))
    for section in ("distances", "classification"):
        if section in asked:
            found = {run["name"]: run[section] for run in runs}
            known = {name: one for name, one in found.items() if one is not None}
            texts.append(_table_of([{"run": name, **one} for name, one in known.items()], form, section.capitalize()))
            texts += [f"{name} has no {section}.\n" for name in found if name not in known]
    for run in runs:
        rows = [
            {"query": row["query"], measure: row["value"], "why": row["sentence"]}
            | ({"rigid geometry": row["geometry"]} if "geometry" in row else {})
            for row in run.get("queries", ())
        ]
        texts += [_table_of(rows, form, run["name"])] if rows else []
        texts += [_table_of(run["slices"], form, run["name"])] if "slices" in asked else []
    headroom = document.get("headroom") if "headroom" in asked else None
    if headroom is not None:
        texts.append(
            f"Best run: {headroom['best_run']} {format_number(headroom['best'])}; the best run of each query: "
            f"{format_number(headroom['oracle'])}; relevant models found by none: {headroom['found_by_none']:,}\n"
        )
        rows = [{"run": name, "found by it alone": number} for name, number in headroom["unique"].items()]
        texts.append(_table_of(rows, form, "Headroom"))
    if "similarity" in asked:
        found = document["similarity"]
        rows = [
            {"run": name, **dict(zip(found["runs"], values, strict=True))}
            for name, values in zip(found["runs"], found["rbo"], strict=True)
        ]
        texts.append(_table_of(rows, form, f"Rank-biased overlap, p = {found['rbo_p']}"))
    if "variance" in asked:
        variance = document["variance"]
        rows = [{"source": name, "share": share} for name, share in (variance or {}).items()]
        texts.append(_table_of(rows, form, "Variance") if rows else "There are no sources of variance to tell apart.\n")
    if "geometry" in document:
        texts.append(f"{document['geometry']['note']}\n")
    return "\n".join(text for text in texts if text)


def _table_of(rows: list[dict[str, Any]], form: str, caption: str) -> str:
    """Records with the same keys as a table."""
    columns = []
    for key in rows[0] if rows else ():
        cells = [row[key] for row in rows]
        if any(isinstance(cell, float) for cell in cells):
            columns.append(number_column(key, [_number(cell) for cell in cells]))
        else:
            texts = tuple(
                "" if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell) for cell in cells
            )
            columns.append(OutputColumn(key, texts, is_number=all(isinstance(cell, int) for cell in cells)))
    return table_text(columns, form, caption) if columns else ""


def _budget_columns(runs: list[dict[str, Any]], measure: str) -> list[OutputColumn]:
    columns = [
        OutputColumn("run", tuple(run["name"] for run in runs)),
        number_column(measure, [_number(run["budget"]["value"]) for run in runs]),
    ]
    names = list(dict.fromkeys(cause["cause"] for run in runs for cause in run["budget"]["causes"]))
    for name in names:
        cells = []
        for run in runs:
            cause: dict[str, Any] = next((one for one in run["budget"]["causes"] if one["cause"] == name), {})
            share, chance = (_number(cause.get(key)) for key in ("share", "chance"))
            cells.append(format_number(share) + (f" ({format_number(chance)})" if chance == chance else ""))
        columns.append(OutputColumn(name, tuple(cells), is_number=True))
    return columns


def _run_lines(run: dict[str, Any], measure: str) -> list[str]:
    """What a run loses, the sentence of the largest cause with a name, the costliest confusions and models."""
    lines, hubs, difference = [], run.get("hubs") or {}, run.get("difference")
    if "budget" in run:
        known = [one for one in run["budget"]["causes"] if one["share"] and one["cause"] != "single"]
        lines += [run["budget"]["sentence"], *(one["what"] for one in sorted(known, key=_by_share)[:1])]
    if difference is not None:
        lines.append(difference if isinstance(difference, str) else difference["sentence"])
    for one in (run.get("confusions") or ())[:SHOWN_COSTS]:
        lines.append(
            f"Models of '{one['model_class']}' cost queries of '{one['query_class']}' {format_number(one['cost'])} "
            f"{measure} (chance {format_number(one['chance'])})."
        )
    wrong = [one for one in hubs.get("models", ()) if one["irrelevant"]]
    for one in sorted(wrong, key=_by_cost)[:SHOWN_COSTS]:
        figures = tuple(format_number(_number(one[key])) for key in ("cost", "chance"))
        cost = f"costs {figures[0]} {measure} (chance {figures[1]}) and "
        lists = "list" if one["irrelevant"] == 1 else "lists"
        lines.append(
            f"Model '{one['model']}' {cost if one['cost'] is not None else ''}stands in the first {hubs['k']} of "
            f"{one['irrelevant']} {lists} where it is not relevant"
            f"{f', and looks alike in {count}' if (count := one.get('looks_alike')) is not None else ''}."
        )
    return lines


def _diagnosis_csv(document: dict[str, Any]) -> str:
    """A row for each figure of the document: run, section, item and name of the figure; numbers in full precision."""
    rows: list[tuple[str, str, str, str, str | float | None]] = []

    def add(run: str, section: str, item: str, value: Any, name: str) -> None:
        if isinstance(value, dict):
            keys = [key for key in ITEM_KEYS if key in value]
            item = " > ".join((*filter(None, [item]), *(str(value[key]) for key in keys)))
            for key, one in value.items():
                if key not in keys:
                    add(run, section, item, one, f"{name} {key}".strip())
        elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
            for one in value:
                add(run, section, item, one, "")
        elif isinstance(value, list):
            rows.append((run, section, item, name, " ".join(map(str, value))))
        else:
            rows.append((run, section, item, name, value))

    for run in document["runs"]:
        for section, found in run.items():
            if section not in ("name", "participant"):
                add(run["name"], section, "", found, "")
    for section in ("headroom", "similarity", "variance"):
        if section in document:
            add("", section, "", document[section], "")
    return csv_table(("run", "section", "item", "figure", "value"), rows)


#: Keys that name a row of a section.
ITEM_KEYS = ("cause", "model", "query_class", "model_class", "query", "name")


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _by_share(cause: dict[str, Any]) -> float:
    return -float(cause["share"])


def _by_cost(model: dict[str, Any]) -> float:
    return -float(model["cost"] or 0.0)


SUSPECT_EXAMPLES = """\b
Examples:
  shrec-viewer suspects shrec06 --limit 20
  shrec-viewer suspects shrec06 --measure AP --format json --output suspects.json
  shrec-viewer suspects culture --by model"""


@dataclass(frozen=True, kw_only=True, eq=False)
class SuspectsOptions(BenchmarkRequest):
    """Arguments and options of `suspects`."""

    by: "SuspectUnit | None"
    limit: int
    run: tuple[str, ...]
    measure: str | None


@benchmark_command("suspects", SuspectsOptions, epilog=SUSPECT_EXAMPLES)
@click.option("--by", type=Choice(("pair", "model")), help="Doubt levels of pairs, or labels of models.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=40, show_default=True, help="Number of suspects.")
@run_option("Only this run gives evidence; repeatable.")
@measure_option("Measure of the effect; default: main measure of the profile.")
@format_option(("table", "json"), "table or json.", default="table")
@output_option
def suspects_command(request: SuspectsOptions) -> int:
    """List the most doubtful entries of the assessment of BENCHMARK, the strongest evidence first.

    A pair of query and model is doubtful if its level differs from that of the other models of its class, or of the
    models that all runs rank most similarly, if it is not relevant but in the first ranks of many participants, if it
    is relevant but retrieved by none, or if a near-duplicate has another level. Where relevance comes from classes, the
    default is --by model: a label is doubtful if the most similarly ranked models have another one. Each participant
    has one vote, less if its lists are like those of others. Every suspect has its evidence, from 0 to 1, and what the
    suggested value would change in the ranking of the runs.
    """
    from shrec_viewer.diagnosis.suspects import find_suspects, suspects_document
    from shrec_viewer.evaluation.score_tables import to_json

    with benchmark_to_score(request, request.run) as (opened, profile):
        with progress_bar("Examining") as progress:
            found = find_suspects(
                opened, profile, by=request.by, limit=request.limit, measure=request.measure, runs=request.run or None,
                jobs=request.n_jobs, progress=progress,
            )  # fmt: skip
        text = to_json(suspects_document(found)) if request.form == "json" else _suspects_text(found)
        write_result(text, request.output)
        print_conventions_of(profile)
    return int(opened.has_errors)


def _suspects_text(found: "SuspectQueue") -> str:
    """A table of the suspects, then one line of evidence and effect for each, then confused classes."""
    from shrec_viewer.diagnosis.suspects import suspect_records

    records = suspect_records(found)
    if not records:
        return "No doubtful entries.\n"
    names = ("model", "class", "suggested") if found.by == "model" else ("query", "model", "level", "suggested")
    rows = [
        {"no.": number, **{name: str(record[name]) for name in names}, "evidence": float(record["evidence"]),
         "effect": record["effect"]} for number, record in enumerate(records, 1)
    ]  # fmt: skip
    lines = [f"{number}. {r['sentence']} {r['effect_sentence']}\n" for number, r in enumerate(records, 1)]
    tree = found.benchmark.classification
    confused = [
        f"In the runs of every participant, models of '{tree.names[one.model_class]}' take {format_percent(one.share)} "
        f"or more of the first tier of queries of '{tree.names[one.query_class]}'.\n"
        for one in found.confusions
        if tree is not None
    ]
    heading = f"effect: pairs of runs that change order by {found.measure} with the suggested value\n"
    table = _table_of(rows, "table", "")
    return "\n".join(part for part in (table, heading, "".join(lines), "".join(confused)) if part)


ROBUSTNESS_EXAMPLES = """\b
Examples:
  shrec-viewer robustness shrec06 --profile shrec2006
  shrec-viewer robustness demo --measure AP --format json"""


@dataclass(frozen=True, kw_only=True, eq=False)
class RobustnessOptions(BenchmarkRequest):
    """Arguments and options of `robustness`."""

    run: tuple[str, ...]
    measure: str | None


@benchmark_command("robustness", RobustnessOptions, epilog=ROBUSTNESS_EXAMPLES)
@run_option("Rank only this run among the others that are named; repeatable.")
@measure_option("Rank the runs by this measure; default: main measure of the profile.")
@output_options
def robustness_command(request: RobustnessOptions) -> int:
    """Rank the runs of BENCHMARK under every profile and every single convention that the data allow.

    Conventions are changed one at a time: profile, order of ties, self-match, missing queries, cutoffs, divisors,
    relevance threshold, measure and kind of mean. Each run has the interval of its ranks; a pair of runs is settled if
    no change reverses its order, and otherwise the changes that do are listed.
    """
    from shrec_viewer.diagnosis.robustness import examine_robustness, robustness_document
    from shrec_viewer.evaluation.score_tables import to_json

    form = request.result_format
    with benchmark_to_score(request, request.run) as (opened, profile):
        with progress_bar("Examining") as progress:
            names = list(dict.fromkeys(request.run)) or None
            found = examine_robustness(opened, profile, request.measure, runs=names, progress=progress)
        text = to_json(robustness_document(found)) if form == "json" else _robustness_text(found, form)
        write_result(text, request.output)
        print_conventions_of(profile)
    return int(opened.has_errors)


def _robustness_text(found: "Robustness", form: str) -> str:
    """Runs with their intervals, pairs that change order, and the changes of conventions that reverse pairs."""
    from shrec_viewer.diagnosis.robustness import robustness_document

    document = robustness_document(found)
    runs, pairs = document["runs"], document["pairs"]
    unsettled = [pair for pair in pairs if not pair["settled"]]
    if form == "csv":
        rows = [(pair["a"], pair["b"], str(pair["settled"]).lower(), " ".join(pair["changed_by"])) for pair in pairs]
        return csv_table(("a", "b", "settled", "changed_by"), rows)
    run_rows = [
        {"rank": run["rank"], "run": run["name"], found.measure.key: _number(run["mean"]),
         **dict(zip(("best", "worst"), run["rank_interval"], strict=True))} for run in runs
    ]  # fmt: skip
    effective = sorted(
        (variant for variant in document["variants"] if variant["pairs_changed"]), key=_negative_pairs_changed
    )
    variant_rows = [
        {"change": one["key"], "pairs": one["pairs_changed"], "tau": one["tau"], "tau_AP": one["tau_ap"]}
        for one in effective
    ]
    pair_rows = [
        {"better": pair["a"], "worse": pair["b"], "reversed by": _changes_text(pair["changed_by"])}
        for pair in unsettled
    ]
    titles = (
        f"Ranks under {len(document['variants'])} changes of the conventions", "Changes that reverse pairs",
        "Pairs that are not settled",
    )  # fmt: skip
    ranks, changes, reversed_pairs = (
        _table_of(rows, form, title if form != "table" else "")
        for rows, title in zip((run_rows, variant_rows, pair_rows), titles, strict=True)
    )
    summary = f"{len(pairs) - len(unsettled)} of {len(pairs)} pairs of runs are settled: no change reverses them.\n"
    if not pairs:
        summary = "There is one run, and no pair of runs to compare.\n" if runs else "There are no runs.\n"
    texts = ranks, summary if form == "table" else "", changes, reversed_pairs
    return "\n".join(text for text in texts if text)


def _negative_pairs_changed(variant: dict[str, int]) -> int:
    return -variant["pairs_changed"]


#: Changes that a row of the table lists; the JSON document has all.
SHOWN_CHANGES = 4


def _changes_text(changes: list[str]) -> str:
    more = f" and {len(changes) - SHOWN_CHANGES} more" if len(changes) > SHOWN_CHANGES else ""
    return f"{', '.join(changes[:SHOWN_CHANGES])}{more}"
