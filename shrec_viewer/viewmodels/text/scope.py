"""What a panel shows, for the right end of its title: the query or the mean, the run, the measure."""

from collections.abc import Set

from shrec_viewer.content.request import Request
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text

#: Names of what `scope_texts` can name; ``"scores"`` is the selected query or the mean, as the switch says.
SCOPE_PARTS = ("pair", "run", "model", "query", "scores", "mean", "runs", "measure")

#: The parts for options that follow the session, see `Option.follows`.
PARTS_OF = {
    "pair": "pair", "run": "run", "model": "model", "query": "query", "curve query": "scores", "scores of": "scores",
    "slice": "mean", "measure": "measure", "runs": "runs",
}  # fmt: skip


#: Contents of a measure that show the scores of the queries or sets of queries, and no mean over all of them.
SINGLE_SCORES = ("rankings", "slices", "variance")


def scope_parts(request: Request) -> frozenset[str]:
    """Which of `SCOPE_PARTS` the contents of a request depend on."""
    follows = {field.option.follows for field in request.options()}
    parts = {PARTS_OF[name] for name in follows if name in PARTS_OF}
    if "scores of" in follows:
        parts.add("measure")
    if parts & {"pair", "query", "scores", "model"}:
        parts.discard("mean")
    elif "measure" in parts and request.kind not in SINGLE_SCORES:
        parts.add("mean")
    return frozenset(parts if parts == {"runs"} else parts - {"runs"})


def scope_texts(session: Session, parts: Set[str]) -> tuple[str, ...]:
    """The longest text and shorter ones: ``("mean of 30 queries · by ADR", "mean · by ADR", "mean", "")``.

    `("",)` while nothing is open.
    """
    selection, benchmark = session.selection, session.benchmark
    if not session.is_open or session.run is None:
        return ("",)
    compared, model = selection.compared, session.document.model
    names = {
        "pair": "" if compared is None else f"{session.run.name} → {benchmark.runs[compared].name}",
        "run": session.run.name,
        "query": benchmark.queries.ids[selection.query],
        "model": "" if model is None else benchmark.collection.ids[model],
        "runs": count_text(len(selection.visible_runs), "run"),
        "measure": f"by {session.measure}",
    }
    queries = selection.slice or count_text(len(benchmark.queries), "query", "queries")
    short = "class mean" if selection.mean_over == "classes" else "mean"
    is_query = selection.scores_of == "query"
    shorter = names | {"scores": names["query"] if is_query else short, "mean": short}
    names |= {"scores": names["query"] if is_query else f"{short} of {queries}", "mean": f"{short} of {queries}"}
    shown = [part for part in SCOPE_PARTS if part in parts and names[part]]
    texts = [" · ".join(found[part] for part in shown) for found in (names, shorter)]
    return (*texts, *(shorter[part] for part in shown[:1]), "")
